"""From which step a turn can go to which, and by what rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from turnproof.language import syntax as s
from turnproof.rulebook.model import Clause, Rulebook


@dataclass(frozen=True, slots=True)
class Edge:
    """A way from one step to another.

    `kind` is "next", "skip" (steps passed over), or "jump" (a rule says what comes next; "loop" if that lies behind).
    `passed` are the steps passed over, `passed_after` those of them that belong to the next turn; `clause` is the rule
    that says what comes next, if one does. An `overruled` way is open only without a rule that always leads elsewhere.
    """

    source: str
    target: str
    kind: str
    ends_turn: bool
    passed: tuple[str, ...] = ()
    passed_after: tuple[str, ...] = ()
    clause: Clause | None = None
    overruled: bool = False


def edges(book: Rulebook) -> tuple[Edge, ...]:
    """The ways from step to step that the rules leave open, in the order of the turn."""
    return tuple(edge for edge in all_edges(book) if not edge.overruled)


def all_edges(book: Rulebook) -> tuple[Edge, ...]:
    """The same, with those ways that would be open if a rule were taken out."""
    found: list[Edge] = []
    order = {leaf.name: leaf.order for leaf in book.leaves}
    for leaf in book.leaves:
        says_next = [c for c in book.of(s.Next) if isinstance(c.body, s.Next) and c.body.step == leaf.name]
        for clause in says_next:
            assert isinstance(clause.body, s.Next)
            to = clause.body.to
            kind = "loop" if order[to] <= order[leaf.name] else "jump"
            found += _from(book, leaf.name, to, kind, clause, ends=False)
        follower = _follower(book, leaf.name)
        overruled = any(_always(clause) for clause in says_next)
        usual = _from(book, leaf.name, follower, "next", None, ends=order[follower] == 0)
        found += [replace(edge, overruled=overruled) for edge in usual]
    return tuple(dict.fromkeys(found))


def entries(book: Rulebook) -> tuple[Edge, ...]:
    """The ways into the first turn, from before the game."""
    return tuple(_from(book, "setup", book.leaves[0].name, "next", None, ends=True))


def skippable(book: Rulebook, leaf: str) -> bool:
    """Whether some rule can pass over a step."""
    lineage = book.lineage(leaf)
    return any(
        isinstance(clause.body, s.Skip) and clause.body.mode != "never" and set(clause.body.steps) & set(lineage)
        for clause in book.of(s.Skip)
    )


def _always(clause: Clause) -> bool:
    """Whether a rule leaves no other way on, however the rules are read."""
    return isinstance(clause.body, s.Next) and clause.body.must and clause.body.cond is None and not clause.selection


def _follower(book: Rulebook, leaf: str) -> str:
    leaves = book.leaves
    return leaves[(book.steps[leaf].order + 1) % len(leaves)].name


def _from(book: Rulebook, source: str, target: str, kind: str, clause: Clause | None, ends: bool) -> Iterator[Edge]:
    """The way to `target` and, where that can be passed over, to what follows it."""
    before: list[str] = []
    after: list[str] = []
    for _ in range(len(book.leaves)):
        sort = kind if not before and not after else "skip"
        yield Edge(source, target, sort, ends, tuple(before), tuple(after), clause)
        if not skippable(book, target):
            return
        (after if ends else before).append(target)
        target = _follower(book, target)
        if book.steps[target].order == 0:
            if ends:
                return
            ends = True
