"""The interpreter and the solver's text give one happening the same meaning; so does brute force's Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

import pytest

from turnproof.diagnostics import Invalid
from turnproof.language.parser import parse_rulebook
from turnproof.rulebook.check import check
from turnproof.solve.ask import Session
from turnproof.solve.property import Property
from turnproof.solve.smt import Script, codes, conj, disj, quoted
from turnproof.system import expr as x
from turnproof.system.build import build
from turnproof.system.interpret import State, World, evaluate, perform
from turnproof.system.system import Moment, System

from . import brute, generate

NOTHING = -7  # stands for the empty string, which an array holds where nothing was put
Params = dict[str, x.Value]


class Trial:
    """One state, one world and parameters for every command, as text; then each command is asked about."""

    def __init__(self, rng: Random, system: System, state: State, world: World) -> None:
        self.rng, self.system, self.state, self.world = rng, system, state, world
        self.script = Script(system, codes(system))
        self.script.rigid(tags_free=True)
        self.before = self.script.state(0)
        self.after = self.script.happening(0, self.before)
        self.params = [
            {name: generate.plain(rng, sort) for name, sort in command.params} for command in system.commands
        ]
        self.said = generate.vocabulary(system)
        self.hold = {
            moment: generate.truth(rng, self.said, 2)
            for command in system.commands for block in command.blocks for moment, _ in block.reached
        }  # fmt: skip
        self.fix()
        self.expected = [perform(c, state, p, world) for c, p in zip(system.commands, self.params, strict=True)]
        for at in range(len(system.commands)):
            self.prepare(at)

    def value(self, value: Any) -> str:
        """A value as text."""
        if isinstance(value, Mapping):
            text = f"((as const (Array Int Int)) (- {-NOTHING}))"
            for index, item in value.items():
                text = f"(store {text} {self.script.value(index)} {self.value(item)})"
            return text
        return f"(- {-NOTHING})" if value == "" and isinstance(value, str) else self.script.value(value)

    def fix(self) -> None:
        """That state, world and parameters are the given ones."""
        for variable in self.system.variables:
            self.script.require(f"(= {self.before[variable.name]} {self.value(self.state[variable.name])})")
        for selector in self.system.selectors:
            option = selector.options.index(self.world.choices[selector.name])
            self.script.require(f"(= {quoted(f'reading {selector.name}')} {option})")
        for tag in self.system.tags:
            self.script.require(f"(= {quoted(f'rule {tag}')} {self.value(tag not in self.world.removed)})")
        for at, params in enumerate(self.params):
            for name, value in params.items():
                self.script.require(f"(= {quoted(f'0.{at}.{name}')} {self.value(value)})")

    def prepare(self, at: int) -> None:
        """Flags: that the command `at` happens; and that it then does not do what the interpreter says."""
        flag = self.script.declare(f"acts {at}", x.Bool())
        self.script.require(f"(=> {flag} (= {quoted('0.act')} {at}))")
        differs = self.script.declare(f"differs {at}", x.Bool())
        got = self.expected[at]
        if got is not None:
            parts = [f"(not (= {self.after[v.name]} {self.value(got[0][v.name])}))" for v in self.system.variables]
            parts += self.moments(at, got[1])
            self.script.require(f"(=> {differs} {disj(parts)})")

    def moments(self, at: int, passed: Iterable[tuple[Moment, State]]) -> Iterable[str]:
        """That a moment is not passed as often as the interpreter says, or not in such states."""
        there = list(passed)
        command = self.system.commands[at]
        for moment in {moment for block in command.blocks for moment, _ in block.reached}:
            holds = self.hold[moment]
            times = [bool(evaluate(holds, state, {}, self.world)) for other, state in there if other == moment]
            found = self.script.passing(0, at, moment, holds)
            for expected, cases in (
                (len(times), [passes for passes, _ in found]),
                (sum(times), [conj([passes, fine]) for passes, fine in found]),
            ):
                total = "(+ 0 " + " ".join(f"(ite {case} 1 0)" for case in cases) + ")"
                yield f"(not (= {total} {expected}))"

    def run(self) -> int:
        """Hold every command against the solver; how many of them can occur."""
        session = Session(self.script.text)
        for at, got in enumerate(self.expected):
            where = (self.system.commands[at].name, self.state, self.params[at], self.world)
            assert session.ask([f"acts {at}"]).status == ("unsat" if got is None else "sat"), where
            if got is not None:
                assert session.ask([f"acts {at}", f"differs {at}"]).status == "unsat", where
        return sum(got is not None for got in self.expected)


def near_miss(rng: Random, system: System, state: State) -> State:
    """A random state, moved to where some happening is likely."""
    command = rng.choice(system.commands)
    wanted = dict(state)
    guards = [command.blocks[0].when] if command.blocks else []
    for item in x.walk(guards):
        match item:
            case x.Eq(x.Var(name), x.Const(value)) if rng.random() < 0.7:
                wanted[name] = value
            case _:
                pass
    return wanted


@pytest.mark.parametrize("seed", range(8))
def test_systems(seed: int) -> None:
    """On random systems, in 25 random states each; on some of these every command is possible."""
    rng = Random(seed)
    possible = 0
    for _ in range(25):
        system = generate.system(rng)
        state = near_miss(rng, system, generate.state(rng, system))
        possible += Trial(rng, system, state, generate.world(rng, system)).run()
    assert possible > 20


@pytest.mark.parametrize("seed", range(8))
def test_rulebooks(seed: int) -> None:
    """On the systems of random rulebooks."""
    rng = Random(1000 + seed)
    possible = 0
    for _ in range(15):
        _, system, _ = generate.game(rng)
        state = near_miss(rng, system, generate.state(rng, system))
        possible += Trial(rng, system, state, generate.world(rng, system)).run()
    assert possible > 8


@pytest.mark.parametrize("seed", range(6))
def test_brute_force_runs_as_the_interpreter_does(seed: int) -> None:
    """A play that brute force finds goes wrong in the interpreter too, and at its end only."""
    rng = Random(2000 + seed)
    found: Counter[bool] = Counter()
    for _ in range(20):
        _, system, claims = generate.game(rng)
        for of in [of for _, of in claims] + [generate.prop(rng, system)]:
            search = brute.Search(system, of, most=1500)
            for world in list(brute.worlds(system))[:4]:
                outcome = search.outcome(world)
                found[outcome.depth is not None] += 1
                assert outcome.depth is None or search.confirmed(world, outcome)
    assert found[True] > 20
    assert found[False] > 20


@pytest.mark.parametrize("seed", range(4))
def test_brute_force_misses_nothing_on_random_walks(seed: int) -> None:
    """What the interpreter meets on a random walk, brute force has not called impossible."""
    rng = Random(3000 + seed)
    for _ in range(30):
        system = generate.system(rng)
        of = generate.prop(rng, system)
        search = brute.Search(system, of)
        world = generate.world(rng, system)
        outcome = search.outcome(world)
        for _ in range(15):
            depth = walk(rng, system, of, world)
            assert depth is None or (outcome.depth is not None and outcome.depth <= depth)


def walk(rng: Random, system: System, of: Property, world: World, most: int = 12) -> int | None:
    """A random play in the interpreter: after how many happenings it goes wrong, if it does."""
    state: State = {
        v.name: {} if isinstance(v.sort, x.Array) else rng.choice(brute.choices(v.sort)) if v.initial is None
        else v.initial for v in system.variables
    }  # fmt: skip
    for depth in range(most + 1):
        if evaluate(of.bad_state, state, {}, world):
            return depth
        ways = []
        for command in system.commands:
            params: Params = {name: rng.choice(brute.choices(sort)) for name, sort in command.params}
            got = perform(command, state, params, world)
            if got is not None:
                ways.append((command, params, got[0]))
        if not ways:
            return None
        command, params, after = rng.choice(ways)
        if brute.happens_wrongly(of, command, state, params, world):
            return depth + 1
        state = after
    return None


# -- what rulebooks mean, where reading the compiler raised a doubt ------------------------------------------------


def game(rules: str) -> System:
    """The system of a small rulebook of one player."""
    text = (
        "```rules\ngame small\n  players 1\n\nthe game has\n  flag : bool = true\n  first : int = 0\n"
        "  second : int = 0\n  later : int = 0\n\nturn\n  dawn\n  dusk\n\n[K] keeps flag, first, second, later\n"
        f"{rules}\n```\n"
    )
    return build(check(parse_rulebook(text)))


def after(system: System, names: list[str], world: World | None = None) -> State:
    """The state after some commands, from the first state of a system without free variables."""
    state: State = {v.name: v.initial if v.initial is not None else {} for v in system.variables}
    chosen = {s.name: s.default or s.options[0] for s in system.selectors} if world is None else world.choices
    for name in names:
        command = next(c for c in system.commands if c.name.startswith(name))
        got = perform(command, state, {}, World(chosen))
        assert got is not None, name
        state = got[0]
    return state


def test_two_things_with_then_in_one_rule() -> None:
    """Each of two happenings of one rule goes on with its second part exactly where its own condition held."""
    system = game(
        "[A] all of\n"
        "  at the start of dawn, first += 1 then later += 10 if not flag\n"
        "  at the start of dawn, second += 1 then later += 1 if flag"
    )
    got = after(system, ["the game begins"])
    assert (got["game.first"], got["game.second"], got["game.later"]) == (0, 1, 1)


def test_then_in_the_second_reading_of_a_rule() -> None:
    """Where the second reading of a rule is chosen, its happening goes on with its second part."""
    system = game(
        "[A] read as\n"
        "  one (default): at the start of dawn, first += 1 then later += 10 if flag\n"
        "  two: at the start of dawn, second += 1 then later += 1 if flag"
    )
    world = World({"silence": "blocked", "clash": "ban_wins", "A": "two"})
    got = after(system, ["the game begins"], world)
    assert (got["game.first"], got["game.second"], got["game.later"]) == (0, 1, 1)


def test_an_amount_of_a_play_on_the_stack() -> None:
    """What a stacked play does with its amount can be said, or is refused by a diagnostic: never a crash."""
    try:
        system = game("play bolt\n  any x : int 0 .. 2\n  goes on the stack\n  first += x\n[P] players may play bolt")
    except Invalid:
        return
    assert any(c.name == "p1 resolve bolt" for c in system.commands)


def test_overrides_against_the_particular() -> None:
    """A general rule may override a particular one by name, though the particular beats the general."""
    text = (
        "```rules\ngame small\n  players 1\n  the particular beats the general\n\nturn\n  dawn\n  dusk\n\nplay act\n"
        "[P] during dawn, nobody may act\n[G] despite [P], players may act\n```\n"
    )
    try:
        system = build(check(parse_rulebook(text)))
    except Invalid:
        return
    assert any(c.name == "p1 play act" for c in system.commands)
