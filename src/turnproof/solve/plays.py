"""Plays: what happened, one thing after the other. A play from a solver's model is done again in the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from turnproof.solve.proof import Proof
from turnproof.solve.property import Property, Way
from turnproof.system import expr as x
from turnproof.system.interpret import State, World, evaluate, perform, same, starts
from turnproof.system.system import Command, System

if TYPE_CHECKING:
    from turnproof.solve.ask import Model
    from turnproof.solve.smt import Script


class ReplayError(AssertionError):
    """The interpreter does not do what the solver's play says: a fault of turnproof."""


@dataclass(frozen=True, slots=True)
class Happened:
    """One happening of a play: the command, what was chosen, and the state that it left."""

    command: Command
    params: Mapping[str, x.Value]
    after: State


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A play that goes wrong at its end, in the world where the readings are as `world` says.

    With `cycle`, the happenings from that place on can be repeated for ever; `then` is the proof of that, or of there
    being no way out.
    """

    world: World
    start: State
    happened: tuple[Happened, ...]
    shortest: bool
    cycle: int | None = None
    then: Proof | None = None

    @property
    def depth(self) -> int:
        return len(self.happened)


@dataclass(frozen=True, slots=True)
class Told:
    """What a solver's model tells of a play: how it starts and ends, and what happens; not checked yet."""

    world: World
    start: State
    happened: tuple[tuple[Command, Mapping[str, x.Value]], ...]
    end: State
    shortest: bool


@dataclass(frozen=True, slots=True)
class Found:
    """`depth` is how far there is certainly nothing, where no counterexample was found; `limit` if that was why."""

    counterexample: Counterexample | None
    depth: int
    limit: bool = False


def read_play(system: System, script: Script, model: Model, depth: int, shortest: bool) -> Told:
    """The play that a model describes."""
    value = values_of(script, model)
    choices = settled_in(system, model)
    start, end = ({v.name: value(f"{k}.{v.name}", v.sort) for v in system.variables} for k in (0, depth))
    happened: list[tuple[Command, Mapping[str, x.Value]]] = []
    for k in range(depth):
        at = model.number(f"{k}.act") or 0
        if at < 0:
            continue
        command = system.commands[at]
        params = {name: value(f"{k}.{at}.{name}", sort) for name, sort in command.params}
        happened.append((command, params))
    return Told(World(choices), start, tuple(happened), end, shortest)


def settled_in(system: System, model: Model) -> dict[str, str]:
    """How every reading, question and policy is settled in a model."""
    return {s.name: s.options[model.number(f"reading {s.name}") or 0] for s in system.selectors}


def values_of(script: Script, model: Model) -> Callable[[str, x.Sort], Any]:
    """What reads a symbol's value, of a sort, from a model; what the model does not tell is as small as can be."""
    names = {number: value for value, number in script.codes.numbers.items()}

    def value(symbol: str, sort: x.Sort) -> Any:
        match sort:
            case x.Bool():
                return model.truth(symbol)
            case x.Int(low, _):
                number = model.number(symbol)
                return max(low or 0, 0) if number is None else number
            case x.Enum(values):
                number = model.number(symbol)
                return values[0] if number is None else names.get(number, values[0])
            case x.Array():
                return {at: names.get(n, "") for at, n in model.cells(symbol).items() if at is not None}

    return value


def replayed(system: System, of: Property, play: Told) -> Counterexample:
    """A play that a model tells, done in the interpreter, up to where it first goes wrong.

    Raises ReplayError where the interpreter sees it otherwise.
    """
    state = play.start
    if not starts(system, state):
        raise ReplayError("the play starts in a state in which no game can start")
    done: list[Happened] = []
    wrong = is_wrong(system, of, state, play.world)
    for command, params in play.happened:
        if wrong:
            break
        got = perform(command, state, params, play.world)
        if got is None:
            raise ReplayError(f"`{command.name}` cannot occur where the play says it does")
        wrong = goes_wrong(of, command, state, params, play.world)
        state = got[0]
        wrong = wrong or is_wrong(system, of, state, play.world)
        done.append(Happened(command, params, state))
    if not wrong:
        raise ReplayError("nothing goes wrong in the play")
    if len(done) == len(play.happened) and not same(system, state, play.end):
        raise ReplayError("the play does not end as it is told")
    return Counterexample(play.world, play.start, tuple(done), play.shortest)


def is_wrong(system: System, of: Property, state: State, world: World) -> bool:
    """Whether a state is wrong."""
    if not evaluate(of.bad_state, state, {}, world):
        return False
    return of.stuck is None or not any(_gets_on(system, way, state, world) for way in of.stuck)


def _gets_on(system: System, way: Way, state: State, world: World) -> bool:
    got = perform(system.commands[way.command], state, dict(way.params), world)
    if got is None:
        return False
    for amount in way.measure:
        old, new = evaluate(amount, state, {}, world), evaluate(amount, got[0], {}, world)
        assert isinstance(old, int)
        assert isinstance(new, int)
        if new != old:
            return new < old
    return not way.measure


def goes_wrong(of: Property, command: Command, state: State, params: Mapping[str, x.Value], world: World) -> bool:
    """Whether a happening that can occur goes wrong."""
    if evaluate(of.bad_commands.get(command.name, x.FALSE), state, params, world):
        return True
    got = perform(command, state, params, world)
    assert got is not None
    for moment, passed in got[1]:
        if any(moment == other and not evaluate(holds, passed, {}, world) for other, holds in of.moments):
            return True
    now: State = state
    states = {-1: state}
    for number, block in enumerate(command.blocks):
        for name, at, cond in of.bad_blocks:
            if name == command.name and at == number and evaluate(cond, now, params, world):
                return True
        new = {u.variable: evaluate(u.value, now, params, world) for u in block.updates}
        now = {**now, **new}
        states[number] = now
    for one in of.stretches:
        if one.command != command.name or not evaluate(one.supposed, states[one.begins], params, world):
            continue
        if evaluate(one.wrong, seen(states[one.begins], states[one.ends]), params, world):
            return True
    return False


def seen(before: State, after: State) -> State:
    """A state as it is seen by what also speaks of an earlier one."""
    return {**after, **{x.BEFORE + name: value for name, value in before.items()}}
