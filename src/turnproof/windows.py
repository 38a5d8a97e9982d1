"""Who may do what, and when: what the rules say of each play, by each player, in each step, over all states.

States are all those that satisfy what is proved of every state of a game, readings being as usual; so what is said of
all of them is so in every game. That an outcome shows in some such state does not yet mean that a game comes to it.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from turnproof.answers.asker import CLASH, NAMES, SILENT, YES
from turnproof.answers.facts import told, whose_turn
from turnproof.answers.ground import ground
from turnproof.answers.judge import Judge
from turnproof.findings.inquiry import ROLES, Inquiry, Tried
from turnproof.rulebook.model import Rulebook
from turnproof.rulebook.permissions import decide
from turnproof.solve.ask import DEFAULT_LIMIT
from turnproof.solve.lemmas import guesses, inductive
from turnproof.solve.settle import pinned
from turnproof.system import expr as x
from turnproof.system.build import build
from turnproof.system.mirror import Mirror
from turnproof.system.system import System
from turnproof.verdict.store import Plain, Store, key_of

# The flag by which readings are as usual, and what is proved then is known.
AS_USUAL = "readings are as usual"
_WITH_PIECE = re.compile(r" this turn \([^()]*:(?P<owner>p\d+)\.[^()]*\)$")
ORDER = ("yes", "no", "silent", "contradiction")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the rules can say of a play: one of `ORDER`, by which rules, and in what situation, if not in all."""

    said: str
    rules: tuple[str, ...]
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Window:
    """One play by a player in a role in one step: what the rules say of it, readings being as usual.

    `readings` are those (or open questions) under which they say something else, too.
    """

    outcomes: tuple[Outcome, ...]
    readings: tuple[tuple[str, str], ...] = ()

    @property
    def said(self) -> str:
        """What is said of it in short: "depends" where it is allowed at times, or the rules contradict each other.

        What no rule ever allows, and some forbid at times, is left open: "silent".
        """
        said = {outcome.said for outcome in self.outcomes}
        if len(said) == 1:
            return said.pop()
        return "silent" if said == {"no", "silent"} else "depends"

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(rule for outcome in self.outcomes for rule in outcome.rules))


@dataclass(frozen=True, slots=True)
class Windows:
    """All windows of a rulebook: by play, role (one of `ROLES`) and step."""

    plays: tuple[str, ...]
    steps: tuple[str, ...]
    cells: Mapping[tuple[str, str, str], Window] = field(default_factory=dict)

    def same(self, one: str, two: str) -> bool:
        """Whether two plays have the same windows, and for the same reasons."""
        return all(
            _alike(self.cells[one, role, step], self.cells[two, role, step]) for role in ROLES for step in self.steps
        )

    def usual(self, play: str, role: str) -> str:
        """What is said of a play in most steps."""
        said = [self.cells[play, role, step].said for step in self.steps]
        return max(dict.fromkeys(said), key=said.count)


def _alike(one: Window, two: Window) -> bool:
    return one.said == two.said and {o.said for o in one.outcomes} == {o.said for o in two.outcomes}


def windows(book: Rulebook, limit: int = DEFAULT_LIMIT, progress: Callable[[str], None] | None = None) -> Windows:
    """The windows of a rulebook, each decided by the solver. Raises judge.Unknown where a limit is hit."""
    of = Inquiry(book, limit)
    # The counts that any rule looks at are known to all, so that what is proved of them is, too.
    system = build(book, of.history)
    by_play: dict[tuple[str, str], list[Tried]] = {}
    for tried in of.attempts:
        by_play.setdefault((tried.play.name, tried.role), []).append(tried)
    usual = tuple(sorted((one.name, one.usual) for one in system.selectors))
    as_usual = pinned(system, usual)
    proved = inductive(as_usual, [*guesses(as_usual), *_by_whose_turn(as_usual)], limit)
    mirror = Mirror(system.sorts, book.players)
    known = Known(proved, of.unchanged)
    of_all = Known(mirror.same(proved), mirror.same(of.unchanged))
    cells: dict[tuple[str, str, str], Window] = {}
    for (play, role), some in by_play.items():
        if progress:
            progress(f"{book.name}: {of.called(book.plays[play])}")
        # Where a player stands for all, nothing may be supposed that is not so for all.
        each = len(some) == len(book.players) * sum(tried.active == book.players[0] for tried in some)
        for step, window in _of_play(of, some, known if each else of_all):
            cells[play, role, step] = window
    plays = tuple(dict.fromkeys(play for play, _ in by_play))
    return Windows(plays, tuple(leaf.name for leaf in book.leaves), cells)


def _by_whose_turn(system: System) -> Iterator[x.Expr]:
    """Guesses that something is done with a piece in its owner's turn only, or never then."""
    for variable in system.variables:
        found = _WITH_PIECE.search(variable.name)
        if found is not None:
            own = x.eq(x.Var("active"), x.const(found["owner"]))
            never = x.eq(x.Var(variable.name), x.const(0))
            yield x.either(own, never)
            yield x.implies(own, never)


@dataclass(frozen=True, slots=True)
class Known:
    """What is so in every state of a game: what is proved where readings are as usual, and what nothing changes."""

    proved: Sequence[x.Expr]
    unchanged: Sequence[x.Expr]


def _of_play(of: Inquiry, some: list[Tried], known: Known) -> Iterator[tuple[str, Window]]:
    """The windows of one play by a player in one role, step by step."""
    judge = _judge(of, some, known)
    names = {key: name for tried in some for key, name in tried.pieces.items()}
    for leaf in of.book.leaves:
        here = copy.copy(judge)
        here.settled = [_inside(leaf.name)]
        usual = [*here.settled, *here.flags(here.usual), AS_USUAL]
        found = here.values([*here.tags, *usual])
        outcomes = []
        for value, model in found.items():
            rules = here.core(here.tags, value, usual)
            if rules is not None:
                outcomes.append(Outcome(NAMES[value], tuple(flag.removeprefix("rule ") for flag in rules)))
                continue
            facts, choices = here.turning(value, model, usual)
            held = here.rules(value, usual, model, facts + choices)
            so = [*here.tags, *usual]
            whose = here.turns_on_whose_turn(of.book.players, value, model, [*facts, *choices], so)
            facts = tuple(symbol for symbol in facts if symbol != "0.step")
            said = told(of.book, judge.ground, model, facts, names)
            said += (whose_turn(judge.ground, model),) if whose else ()
            outcomes.append(Outcome(NAMES[value], held, said))
        outcomes.sort(key=lambda one: ORDER.index(one.said))
        other = here.honoured(found) if found else None
        yield leaf.name, Window(tuple(outcomes), tuple(other[0].items()) if other else ())


def _inside(step: str) -> str:
    """The flag that puts the game into a step."""
    return f"in {step}"


def _judge(of: Inquiry, some: list[Tried], known: Known) -> Judge:
    """A judge of what the rules say of some attempts, whichever of them is made."""
    said: list[tuple[int, x.Expr]] = []
    tries: list[x.Expr] = []
    params: dict[str, x.Sort] = {}
    for number, tried in enumerate(some):
        this = x.both(tried.turn, x.eq(x.Param("attempt"), x.const(number)), tried.there)
        tries.append(this)
        allowed = decide(of.el, tried.attempt)
        within = of.maker.within_limits(tried.attempt)
        said += [
            (YES, x.both(this, allowed.plainly, within)),
            (SILENT, x.both(this, allowed.silent, within)),
            (CLASH, x.both(this, allowed.clash, within)),
        ]
        params |= of.maker.told_of(tried.play)
    used = {part.name for part in x.walk([cond for _, cond in said]) if isinstance(part, x.Param)}
    sorts: dict[str, x.Sort] = {name: sort for name, sort in params.items() if name in used}
    sorts["attempt"] = x.Int(0, len(some) - 1)
    still = of.maker.still()
    made = ground(still, sorts.items(), of.known())
    # What is proved where readings are as usual holds only there.
    flag = made.script.declare(AS_USUAL, x.Bool())
    so = x.all_of(lemma for lemma in known.proved if x.variables([lemma]) <= still.sorts.keys())
    made.script.require(f"(=> {flag} {made.expr(so, 'proved')})")
    made.script.require(made.expr(x.all_of(known.unchanged), "constant"))
    made.script.require(made.expr(x.any_of(tries), "tried"))
    for leaf in of.book.leaves:
        flag = made.script.declare(_inside(leaf.name), x.Bool())
        made.script.require(f"(=> {flag} (= {made.state['step']} {made.script.codes.of(leaf.name)}))")
    answer = "0"
    for value in (YES, SILENT, CLASH):
        holds = made.expr(x.any_of(cond for number, cond in said if number == value), NAMES[value])
        answer = f"(ite {holds} {value} {answer})"
    made.answered(answer)
    return Judge(made, of.limit)


def kept_windows(book: Rulebook, progress: Callable[[str], None] | None = None) -> Windows:
    """The windows of a rulebook, from disk if they have been decided before."""
    store = Store()
    key = key_of("windows", book.tree)
    plain = store.get(key)
    if plain is not None:
        return _read(plain)
    found = windows(book, progress=progress)
    store.put(key, _plain(found))
    return found


def _plain(of: Windows) -> Plain:
    cells = [
        [*place, [[one.said, list(one.rules), list(one.facts)] for one in window.outcomes], list(window.readings)]
        for place, window in of.cells.items()
    ]
    return {"plays": list(of.plays), "steps": list(of.steps), "cells": cells}


def _read(plain: Plain) -> Windows:
    cells = {
        (play, role, step): Window(
            tuple(Outcome(said, tuple(rules), tuple((what, value) for what, value in facts))
                  for said, rules, facts in outcomes),
            tuple((name, option) for name, option in readings),
        )
        for play, role, step, outcomes, readings in plain["cells"]
    }  # fmt: skip
    return Windows(tuple(plain["plays"]), tuple(plain["steps"]), cells)
