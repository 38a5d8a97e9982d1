"""Gaps: plays of which no rule says whether they may be made, in steps in which that can be asked."""

from __future__ import annotations

from turnproof.findings.inquiry import Inquiry, Tried
from turnproof.language import syntax as s
from turnproof.rulebook.model import title, title_of
from turnproof.rulebook.permissions import decide
from turnproof.solve.layers import known
from turnproof.system import expr as x
from turnproof.verdict.result import Finding


def gaps(of: Inquiry) -> list[Finding]:
    """For each sort of play that is allowed somewhere: the steps in which the rules are silent, by who plays."""
    tried = of.attempts
    allowed = {one.play.name for one in tried if decide(of.el, one.attempt).allows != x.FALSE}
    silent: dict[str, dict[str, tuple[str, ...]]] = {}
    for one in tried:
        if one.play.name in allowed:
            here = _silent_in(of, one)
            before = silent.setdefault(one.play.name, {}).get(one.role, here)
            silent[one.play.name][one.role] = tuple(leaf for leaf in here if leaf in before)
    found = []
    done: set[str] = set()
    for name, where in silent.items():
        # What is said of all kinds of a play is said once.
        same = [a for a in of.book.plays[name].ancestors if _alike(of, a, silent) and a not in ("", name)]
        what = same[-1] if same else name
        if any(where.values()) and what not in done:
            done.add(what)
            found.append(_gap(of, what, where))
    return found


def _alike(of: Inquiry, name: str, silent: dict[str, dict[str, tuple[str, ...]]]) -> bool:
    """Whether the rules are silent on all kinds of a play in the same steps."""
    sorts = [silent.get(leaf.name) for leaf in of.book.sorts(name)]
    return None not in sorts and all(one == sorts[0] for one in sorts)


def _silent_in(of: Inquiry, tried: Tried) -> tuple[str, ...]:
    """The steps in which no rule says whether a play may be made, with every reading at its default."""
    said = decide(of.el, tried.attempt)
    silent = x.both(tried.turn, said.silent, of.maker.within_limits(tried.attempt))
    leaves = [leaf.name for leaf in of.book.leaves]
    plainly = [leaf for leaf in leaves if known(said.silent, "step", frozenset({leaf})) == x.TRUE]
    open_ones = [
        leaf for leaf in leaves if leaf not in plainly and known(said.silent, "step", frozenset({leaf})) != x.FALSE
    ]
    if open_ones:
        ground, judge = of.possible(silent, of.maker.told_of(tried.play))
        for leaf in open_ones:
            step = {"0.step": ground.script.codes.of(leaf)}
            usual = [*judge.tags, *judge.flags(judge.usual)]
            if judge.where([*usual], {**step, "answer": 1}) is not None:
                plainly.append(leaf)
    return tuple(leaf for leaf in leaves if leaf in plainly)


def _gap(of: Inquiry, name: str, where: dict[str, tuple[str, ...]]) -> Finding:
    play = of.book.plays[name]
    names = {leaf.name for leaf in of.book.sorts(name)} | set(play.ancestors)
    near = [
        clause.rule for clause in of.book.of(s.Permission)
        if isinstance(clause.body, s.Permission) and {ref.play for ref in clause.body.plays} & names
    ]  # fmt: skip
    what = title(play.decl.titles, play.name)
    said = "; ".join(
        f"{role} in {', '.join(title_of(of.book.steps[leaf]) for leaf in leaves)}"
        for role, leaves in where.items()
        if leaves
    )
    return Finding(
        "F005", "gap", tuple(dict.fromkeys(near))[:4], f"no rule says whether one may {what}: {said}",
        "May it be done there?", outcomes=(("silence = blocked", "no"), ("silence = possible", "yes")),
    )  # fmt: skip
