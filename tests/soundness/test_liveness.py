"""Liveness against brute force: all states of small random games, and what is so of the ways between them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from random import Random

import pytest

from turnproof.diagnostics import Invalid
from turnproof.language import syntax as s
from turnproof.solve.property import GamesEnd, Goal, NoEndlessTurn, Property, TurnsEnd
from turnproof.solve.safety import Engines
from turnproof.system import expr as x
from turnproof.system.build import build
from turnproof.system.interpret import World, perform, starts
from turnproof.system.system import System
from turnproof.verdict.claims import ClaimReader
from turnproof.verdict.decide import Decider
from turnproof.verdict.result import Case, Verdict

from . import brute, generate
from .test_verdicts import LIMIT, Judge

MOST = 2_000
tally: Counter[str] = Counter()


class Graph:
    """The states of a game in one world, and which command leads from which to which."""

    def __init__(self, system: System, search: brute.Search, text: str) -> None:
        self.system = system
        self.over, makers = search.machine(text)
        self.step = search.kept.index("step")
        self.ways: dict[brute.Row, list[tuple[int, brute.Row]]] = {row: [] for row in search.starts()}
        todo = list(self.ways)
        while todo and len(self.ways) <= MOST:
            row = todo.pop()
            for at, _, some, make in makers:
                for values in some:
                    got = make(row, *values)
                    if got is None:
                        continue
                    self.ways[row].append((at, got[0]))
                    if got[0] not in self.ways:
                        self.ways[got[0]] = []
                        todo.append(got[0])
        self.complete = not todo

    def turns_end(self) -> bool:
        """From every state of a turn there is a way to its end, or the game's."""
        back: dict[brute.Row, list[brute.Row]] = {}
        good = {row for row in self.ways if self.over(row)}
        for row, ways in self.ways.items():
            for at, after in ways:
                back.setdefault(after, []).append(row)
                if self.system.commands[at].play.turn_ends:
                    good.add(row)
        todo = list(good)
        while todo:
            fresh = [row for row in back.get(todo.pop(), ()) if row not in good]
            good.update(fresh)
            todo += fresh
        return all(row in good or row[self.step] == "setup" for row in self.ways)

    def goes_round(self, apart: set[int]) -> bool:
        """There is a cycle of commands, some apart."""
        ways = {row: [after for at, after in some if at not in apart] for row, some in self.ways.items()}
        entering = Counter(after for some in ways.values() for after in some)
        todo = [row for row in ways if not entering[row]]
        left = len(ways)
        while todo:
            left -= 1
            for after in ways[todo.pop()]:
                entering[after] -= 1
                if not entering[after]:
                    todo.append(after)
        return left > 0

    def gets_stuck(self) -> bool:
        """There is a state from which nothing leads on, though the game is not over."""
        return any(not ways and not self.over(row) for row, ways in self.ways.items())


class Live(Judge):
    """A decided question about what ends: the verdict, and what brute force finds in every world."""

    def __init__(
        self, system: System, fixed: Mapping[str, str], verdict: Verdict, fails: Callable[[Graph], bool]
    ) -> None:
        super().__init__(system, Property(), fixed, verdict)
        step = x.both(x.eq(x.Var("step"), x.const("setup")), x.negate(x.eq(x.Var("step"), x.const("setup"))))
        self.search = brute.Search(system, Property(bad_state=x.Or((system.over, x.And((step,))))))
        self.fails = fails
        self.known: dict[str, bool | None] = {}

    def wrong(self, world: World) -> bool | None:
        text = self.search.text(world)
        if text not in self.known:
            graph = Graph(self.system, self.search, text)
            self.known[text] = self.fails(graph) if graph.complete else None
        return self.known[text]

    def refuted(self, case: Case) -> None:
        """It fails in that world, the play can be made, and its cycle again and again."""
        assert case.counterexample is not None
        assert self.wrong(self.under(case.readings)) is not False
        play = case.counterexample
        state = play.start
        assert starts(self.system, state)
        again = play.happened[play.cycle :] * 5 if play.cycle is not None else ()
        for happened in (*play.happened, *again):
            got = perform(happened.command, state, happened.params, play.world)
            assert got is not None
            state = got[0]
        tally["cycles"] += play.cycle is not None


def failing(goal: Goal, system: System) -> Callable[[Graph], bool]:
    """Whether a question is to be answered with no, by all states."""
    begins = {at for at, command in enumerate(system.commands) if command.play.kind == "begin"}
    match goal:
        case TurnsEnd():
            return lambda graph: not graph.turns_end()
        case NoEndlessTurn(excepted):
            apart = begins | {
                at for at, command in enumerate(system.commands)
                if command.play.turn_ends or command.name in excepted
            }  # fmt: skip
            return lambda graph: graph.goes_round(apart)
        case GamesEnd():
            return lambda graph: graph.goes_round(begins) or graph.gets_stuck()
        case other:
            raise AssertionError(other)


class Pages(generate.Pages):
    """Rules that hold games up: what is owed, how a game ends, where the turn leads."""

    def body(self) -> s.Body:
        rng = self.rng
        if rng.random() < 0.55:
            return super().body()
        match rng.choice(["owed", "owed", "loses", "next", "skip"]):
            case "owed":
                return s.Obligation(self.steps(1), self.cond(("active",)))
            case "loses":
                coins = generate.compare("=", generate.name("coins", "player"), 0)
                return s.Loses(coins if rng.random() < 0.5 else generate.name("ready", "player"))
            case "next":
                leads = rng.random() < 0.4
                return s.Next(rng.choice(self.leaves), rng.choice(self.leaves), leads, self.maybe(("active",), 0.8))
            case _:
                return s.Skip(self.steps(1), rng.choice(["must", "may", "never"]), self.maybe(("active",), 0.8))


def judge(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said of the turns and games of one random rulebook."""
    monkeypatch.setattr(generate, "Pages", Pages)
    rng = Random(seed)
    book = generate.book(rng)
    plays = [play.name for play in book.plays.values() if play.decl.sort != "effect"]
    some = tuple(s.PlayRef(name) for name in rng.sample(plays, rng.randint(1, len(plays))))
    bodies: list[s.ClaimBody] = [s.TurnsEnd(), s.NoEndlessTurn(), s.NoEndlessTurn(some), s.GamesEnd()]
    reader = ClaimReader(book, "claims.md")
    try:
        reader.check(s.Claims(book.name, tuple(s.Claim(f"C{at}", "", body) for at, body in enumerate(bodies))))
    except Invalid:
        return
    system = build(book, reader.history)
    if len(list(brute.worlds(system))) > 40:
        return
    decider = Decider(Engines(system, LIMIT, deepest=12))
    for body in bodies:
        goal = reader.goal(body, system)
        fixed = {}
        if system.selectors and rng.random() < 0.2:
            selector = rng.choice(system.selectors)
            fixed = {selector.name: rng.choice(selector.options)}
        verdict = decider.decide(goal, fixed)
        tally[verdict.verdict] += 1
        if verdict.cases or verdict.verdict != "silent":
            Live(system, fixed, verdict, failing(goal, system)).check()


@pytest.mark.parametrize("seed", range(6))
def test_liveness(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns and games of some random rulebooks."""
    for at in range(4):
        judge(10 * seed + at, monkeypatch)


def test_most_is_decided() -> None:
    total = sum(tally[name] for name in ("proved", "refuted", "depends", "silent", "contradiction", "unknown"))
    if total < 20:
        pytest.skip("the tests above ran elsewhere")
    assert tally["unknown"] <= total * 0.35
    assert all(tally[name] for name in ("proved", "refuted", "cycles"))


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(int(os.environ.get("TURNPROOF_FUZZ", "0"))))
def test_fuzz(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more random rulebook."""
    judge(7_000_000 + seed, monkeypatch)
