"""Where two readings part: the shortest play after which the game goes on otherwise under the one than under the other.

Up to its last happening the play goes the same under both; then something is possible under one only, or leaves
another state. Both sides of that happening are done in the interpreter before they are told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from turnproof.solve.ask import DEFAULT_LIMIT, Model, Session
from turnproof.solve.layers import layers
from turnproof.solve.plays import Counterexample, Happened, read_play, values_of
from turnproof.solve.settle import pinned
from turnproof.solve.smt import Script, codes, conj, disj, quoted
from turnproof.system import expr as x
from turnproof.system.interpret import State, World, perform, starts
from turnproof.system.system import Command, System

SHALLOW = 6
TOURS = ((0, 1), (1, 1), (0, 2), (1, 2))
_MADE = re.compile(r"\|(\d+)\.(\d+)\.(when|\d+[.~][^|]*)\|")


@dataclass(frozen=True, slots=True)
class Parting:
    """A play that goes alike under two readings, and what is then the case under each.

    `command` with `params` is what happens next; `after` are the states that it leaves under each, None where it is
    not possible.
    """

    play: Counterexample
    command: Command
    params: Mapping[str, x.Value]
    worlds: tuple[World, World]
    after: tuple[State | None, State | None]
    shortest: bool


def part(system: System, one: Mapping[str, str], two: Mapping[str, str], limit: int = DEFAULT_LIMIT) -> Parting | None:
    """Where two ways to settle readings part; None if no such play is found. All other readings are as usual."""
    usual = {s.name: s.usual for s in system.selectors}
    choices = ({**usual, **one}, {**usual, **two})
    sides = tuple(pinned(system, tuple(sorted(side.items()))) for side in choices)
    # Whatever the shortest difference is, up to it both sides have gone alike.
    for depth in range(SHALLOW):
        found = _search(system, sides, choices, [None] * depth, limit, optional=False)
        if found is not None:
            return found
    for tour in TOURS:
        found = _search(system, sides, choices, list(layers(sides[0], *tour)), limit, optional=True)
        if found is not None:
            return found
    return None


def _search(
    system: System, sides: Sequence[System], choices: Sequence[Mapping[str, str]],
    among: Sequence[frozenset[int] | None], limit: int, optional: bool,
) -> Parting | None:  # fmt: skip
    """A play of some happenings under the first side, and one more that is not the same under the other."""
    script = Script(sides[0], codes(system))
    script.rigid(tags_free=False)
    state = script.state(0)
    script.initial(state)
    states = [state]
    alike: list[str] = []
    for k, some in enumerate(among):
        states.append(script.happening(k, states[k], optional, some))
        # An optional play must not have parted before: what was done goes the same on the other side.
        if optional:
            alike += list(_same(script, sides[1], k, sorted(script.possible(k))))
    last = len(among)
    act = script.declare("at last", x.Int())
    apart = [
        conj([f"(= {act} {at})", differ])
        for at in range(len(system.commands)) for differ in [_differ(script, sides, last, at, states[last])]
        if differ != "false"
    ]  # fmt: skip
    script.require(conj(alike))
    script.require(disj(apart))
    session = Session(script.text, limit)
    model = session.ask().model
    if model is None:
        return None
    at = model.number("at last") or 0
    return _told(system, choices, script, model, last, at, shortest=not optional)


def _other(script: Script, side: System, k: int, at: int) -> tuple[str, dict[str, str]]:
    """The same command from the same state with the same choices on the other side: when, and the state after."""
    plain = Script(side, script.codes)
    when = plain.only(k, at)
    lines = [line for line in plain.text.splitlines() if not line.startswith(("(declare-const", "(assert"))]
    script.add(_renamed("\n".join(lines)))
    end = plain.between(k, at, len(side.commands[at].blocks) - 1)
    return _renamed(when), {name: _renamed(symbol) for name, symbol in end.items()}


def _renamed(text: str) -> str:
    return _MADE.sub(r"|other \1.\2.\3|", text)


def _same(script: Script, side: System, k: int, possible: Sequence[int]) -> Iterator[str]:
    """That whichever of some commands happening `k` is, it goes the same on the other side."""
    for at in possible:
        when, end = _other(script, side, k, at)
        here = script.between(k, at, len(side.commands[at].blocks) - 1)
        equal = [f"(= {end[name]} {symbol})" for name, symbol in here.items() if end[name] != symbol]
        yield f"(=> (= {quoted(f'{k}.act')} {at}) {conj([when, *equal])})"


def _differ(script: Script, sides: Sequence[System], k: int, at: int, state: Mapping[str, str]) -> str:
    """That a command is possible on one side only, or leaves another state."""
    if sides[0].commands[at].blocks == sides[1].commands[at].blocks:
        return "false"
    del state
    when = script.only(k, at)
    here = script.between(k, at, len(sides[0].commands[at].blocks) - 1)
    other, there = _other(script, sides[1], k, at)
    apart = [f"(not (= {there[name]} {symbol}))" for name, symbol in here.items() if there[name] != symbol]
    return f"(or (not (= {when} {other})) {conj([when, other, disj(apart)])})"


def _told(
    system: System, choices: Sequence[Mapping[str, str]], script: Script, model: Model, depth: int, at: int,
    shortest: bool,
) -> Parting:  # fmt: skip
    """The play and its last happening, done in the interpreter on both sides."""
    told = read_play(script.system, script, model, depth, shortest)
    worlds = World(dict(choices[0])), World(dict(choices[1]))
    state: State = told.start
    assert starts(system, state)
    happened = []
    names = {command.name: command for command in system.commands}
    for command, params in told.happened:
        got = perform(names[command.name], state, params, worlds[0])
        assert got is not None, command.name
        other = perform(names[command.name], state, params, worlds[1])
        assert other is not None, command.name
        assert other[0] == got[0], command.name
        state = got[0]
        happened.append(Happened(names[command.name], params, state))
    command = system.commands[at]
    value = values_of(script, model)
    chosen = {name: value(f"{depth}.{at}.{name}", sort) for name, sort in command.params}
    after = tuple(None if (done := perform(command, state, chosen, world)) is None else done[0] for world in worlds)
    assert after[0] != after[1], command.name
    play = Counterexample(worlds[0], told.start, tuple(happened), shortest)
    return Parting(play, command, chosen, worlds, (after[0], after[1]), shortest)
