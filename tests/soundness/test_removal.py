"""A tag means removal: with it off, the system is the one of the rulebook without that rule."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from turnproof.diagnostics import Invalid
from turnproof.language import syntax as s
from turnproof.language.parser import read_rulebook
from turnproof.phases.edges import Edge, all_edges, entries
from turnproof.rulebook.check import check
from turnproof.rulebook.elaborate import History
from turnproof.rulebook.model import Rulebook
from turnproof.system import expr as x
from turnproof.system.build import build
from turnproof.system.interpret import State, World, evaluate, perform
from turnproof.system.system import Command, System

from . import generate

MODEL = Path(__file__).parents[2] / "model"


def without(tree: s.RulebookTree, rule: str) -> s.RulebookTree:
    """A rulebook without one rule. A question, or a rule with readings, stays as a question that changes nothing."""
    kept: list[s.Statement] = []
    for statement in tree.statements:
        match statement:
            case s.Rule(identifier, despite, _):
                if identifier != rule:
                    kept.append(dataclasses.replace(statement, despite=_others(despite, rule)))
            case s.ReadAs(identifier, despite, options):
                if identifier == rule:
                    kept.append(s.Question("reading", rule, "", _emptied(options)))
                else:
                    kept.append(dataclasses.replace(statement, despite=_others(despite, rule)))
            case s.Question(_, identifier, _, options, about):
                options = _emptied(options) if identifier == rule else options
                kept.append(dataclasses.replace(statement, options=options, about=_others(about, rule)))
            case s.Overrides(identifier, others):
                if identifier != rule and _others(others, rule):
                    kept.append(dataclasses.replace(statement, others=_others(others, rule)))
            case s.Restates(identifier, others):
                left = _others(others, rule)
                kept.append(dataclasses.replace(statement, others=left) if left else s.Note(identifier, "nothing"))
            case _:
                kept.append(statement)
    return s.RulebookTree((*kept, _keeps(tree)))


def _others(ids: tuple[str, ...], rule: str) -> tuple[str, ...]:
    return tuple(other for other in ids if other != rule)


def _emptied(options: tuple[s.Option, ...]) -> tuple[s.Option, ...]:
    return tuple(dataclasses.replace(option, bodies=()) for option in options)


def _keeps(tree: s.RulebookTree) -> s.Rule:
    """All quantities are kept on purpose: without the rule, nothing may be left that changes one."""
    paths: list[s.Name] = []
    for statement in tree.statements:
        if isinstance(statement, s.StateBlock):
            paths += [s.Name(name) for decl in statement.decls for name in decl.names]
        elif isinstance(statement, s.PieceBlock):
            names = [name for decl in statement.decls for name in decl.names if name != "in_play"]
            names += ["row", "column"] if statement.on_board else []
            paths += [s.Name(name, s.Name(statement.kind)) for name in names]
    return s.Rule("kept, all of it", (), (s.Keeps(tuple(paths)),))


@dataclasses.dataclass(frozen=True, slots=True)
class Way:
    """What a move from step to step is, apart from its name, which counts the moves."""

    edge: tuple[Any, ...]


def keyed(book: Rulebook, system: System) -> dict[str | Way, Command]:
    """Commands by name; those that go from step to step by where they go and what they pass over."""
    moves = iter([*entries(book), *all_edges(book)])
    found: dict[str | Way, Command] = {}
    begins = [c for c in system.commands if c.play.kind == "begin"]
    leaves = [c for c in system.commands if c.play.kind == "leave"]
    for command in [*begins, *leaves]:
        edge = next(moves)
        assert (command.play.name, command.play.target) == (edge.source, edge.target)
        found[_way(edge)] = command
    assert next(moves, None) is None
    rest = [c for c in system.commands if c.play.kind not in ("begin", "leave")]
    found |= {command.name: command for command in rest}
    assert len(found) == len(system.commands)
    return found


def _way(edge: Edge) -> Way:
    clause = edge.clause and (edge.clause.rule, edge.clause.selection, edge.clause.body)
    return Way((edge.source, edge.target, edge.ends_turn, edge.passed, edge.passed_after, clause))


class Comparison:
    """A system with one tag off, and the system of the rulebook without that rule."""

    def __init__(self, book: Rulebook, system: System, rule: str, rng: Random) -> None:
        self.rule, self.rng, self.system = rule, rng, system
        small = check(without(book.tree, rule))
        self.history = History()
        self.small = build(small, self.history)
        self.sorts = {**self.small.sorts, **system.sorts}
        self.pairs = self.paired(keyed(book, system), keyed(small, self.small))
        self.differences: list[str] = []

    def paired(
        self, one: Mapping[str | Way, Command], two: Mapping[str | Way, Command]
    ) -> list[tuple[Command | None, Command | None]]:
        return [(one.get(key), two.get(key)) for key in dict.fromkeys([*one, *two])]

    def run(self, states: int) -> list[str]:
        """What is different, if anything is."""
        assert {sel.name for sel in self.small.selectors} == {sel.name for sel in self.system.selectors}
        for one, two in self.pairs:
            for _ in range(states):
                removed = {tag for tag in self.system.tags if self.rng.random() < 0.15} | {self.rule}
                world = dataclasses.replace(generate.world(self.rng, self.system), removed=frozenset(removed))
                self.compare(one, two, self.possible(self.state(one or two), world), world)
        return self.differences

    def possible(self, state: State, world: World) -> State:
        """The state, but what it says to have held since the turn began holds."""
        late = {name for name, cond in self.history.since.items() if not evaluate(cond, state, {}, world)}
        return {**state, **dict.fromkeys(late, False)}

    def state(self, command: Command | None) -> State:
        """A random state of both systems' variables, moved to where the command is likely to be possible."""
        rng = self.rng
        found: dict[str, Any] = {name: self.value(sort) for name, sort in self.sorts.items()}
        assert command is not None
        if command.play.kind in ("leave", "begin"):
            found["step"] = command.play.name
        for item in x.walk([command.blocks[0].when]):
            match item:
                case x.Eq(x.Var(name), x.Const(value)) if rng.random() < 0.5 and name != "step":
                    found[name] = value
                case x.Eq(x.Var("step"), x.Const(value)) if rng.random() < 0.5 and command.play.kind != "leave":
                    found["step"] = value
                case x.Eq(x.At(array, _), x.Const(str(value))):
                    found["stack"], found[array] = 1, {0: value}
                case x.Le(x.Const(int(number)), x.Var(name)) if rng.random() < 0.7:
                    found[name] = number + rng.randint(0, 2)
                case _:
                    pass
        return found

    def value(self, sort: x.Sort) -> Any:
        """A value within the declared range: see `test_a_cost_on_a_debt` for those below."""
        got = generate.value(self.rng, sort, (-1, 3))
        low = sort.low if isinstance(sort, x.Int) else None
        return max(got, low) if low is not None and isinstance(got, int) else got

    def compare(self, one: Command | None, two: Command | None, state: State, world: World) -> None:
        """That a command can occur in both systems or in neither, and does the same."""
        some = one or two
        assert some is not None
        params = {
            name: generate.plain(self.rng, sort)
            for command in (one, two) if command for name, sort in command.params
        }  # fmt: skip
        left = perform(one, state, params, world) if one else None
        right = perform(two, state, params, World(world.choices, world.removed)) if two else None
        if (left is None) != (right is None):
            where = "without the rule only" if left is None else "with the tag off only"
            self.differences.append(f"[{self.rule}] `{some.name}` can occur {where}: {world}, {state}")
        elif left is not None and right is not None:
            common = self.small.sorts.keys() & self.system.sorts.keys()
            self.differences += [
                f"[{self.rule}] `{some.name}` leaves {name} = {left[0][name]} with the tag off, "
                f"{right[0][name]} without the rule: {world}, {state}"
                for name in sorted(common) if left[0][name] != right[0][name]
            ]  # fmt: skip


@cache
def library(name: str) -> tuple[Rulebook, System]:
    """A game of the library with its system."""
    path = MODEL / f"{name}.md"
    book = check(read_rulebook(path.read_bytes(), str(path)))
    return book, build(book)


GAMES = ("taiji", "magic", "duelo", "summoners-gate")
# Every fourth rule of the library; all of them in long runs.
EACH = 1 if os.environ.get("TURNPROOF_FUZZ") else 4
RULES = [(game, rule) for game in GAMES for rule in library(game)[0].rules[::EACH]]


@pytest.mark.parametrize(("game", "rule"), RULES)
def test_library(game: str, rule: str) -> None:
    """Every rule of the library, in four random states for each happening."""
    book, system = library(game)
    try:
        comparison = Comparison(book, system, rule, Random(f"{game} {rule}"))
    except Invalid as invalid:
        # Without the rule, some step cannot be reached or left: no rulebook at all.
        if {found.code for found in invalid.diagnostics} <= {"TP053", "TP054"}:
            return
        raise
    assert not comparison.run(states=4)


def random_removals(seed: int, count: int, states: int = 25) -> tuple[int, list[str]]:
    """Rules of random rulebooks: how many could be removed, and what was different then."""
    rng = Random(seed)
    found: list[str] = []
    done = 0
    while done < count:
        book, system, _ = generate.game(rng)
        for rule in book.rules:
            try:
                comparison = Comparison(book, system, rule, rng)
            except Invalid:
                continue  # without it, a step cannot be reached or left
            found += comparison.run(states)
            done += 1
    return done, found


@pytest.mark.parametrize("seed", range(8))
def test_rulebooks(seed: int) -> None:
    """Every rule of some random rulebooks."""
    _, found = random_removals(seed, 15)
    assert not found


# -- where reading the compiler raised a doubt ---------------------------------------------------------------------

SMALL = """```rules
game small
  players 1

each player has
  debt : int

turn
  dawn
  noon
  dusk

play act
[M] players may act
[K] keeps debt
%s
```
"""


def removed(rule: str, text: str) -> list[str]:
    """What is different with the tag of a rule off and without the rule."""
    book = check(read_rulebook((SMALL % text).encode(), "small.md"))
    return Comparison(book, build(book), rule, Random(7)).run(40)


def test_a_rule_that_leaves_no_other_way_on() -> None:
    """Without `after dawn comes dusk`, noon comes after dawn; so it must with the tag off."""
    assert not removed("N", "[N] after dawn comes dusk\n[O] after dusk may come noon")


def test_a_cost_on_a_debt() -> None:
    """Without the rule that a play costs something, it can be made in debt; so it must be with the tag off."""
    assert not removed("C", "[C] act costs 1 debt")


def test_a_loop() -> None:
    """A way back is gone with the tag off as it is without the rule."""
    assert not removed("N", "[N] after dusk comes dawn if active.debt > 0")


def test_a_skip() -> None:
    """A step that a rule passes over is gone through with the tag off."""
    assert not removed("N", "[N] all of\n  noon is skipped if active.debt > 0\n  dusk may be skipped")
