"""Some reachable states, by playing at random: what is false in one of them need not be guessed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from random import Random

from turnproof.system import expr as x
from turnproof.system.interpret import State, World, evaluate, perform, starts
from turnproof.system.system import System

GAMES, LENGTH, KEPT = 10, 30, 100


def plausible(system: System, guesses: Iterable[x.Expr], where: x.Expr) -> list[x.Expr]:
    """The guesses that are true in all sampled states of games whose readings satisfy `where`."""
    seen = [(state, world) for state, world in sample(system) if evaluate(where, state, {}, world)]
    return [guess for guess in guesses if all(evaluate(guess, state, {}, world) for state, world in seen)]


@lru_cache(maxsize=8)
def sample(system: System) -> tuple[tuple[State, World], ...]:
    """States of games played at random, the same on every run."""
    rng = Random(0)
    found: list[tuple[State, World]] = []
    for _ in range(GAMES):
        world = World({s.name: rng.choice(s.options) for s in system.selectors})
        state: State = {v.name: _any(rng, v.sort) if v.initial is None else v.initial for v in system.variables}
        if not starts(system, state):
            continue
        for _ in range(LENGTH):
            found.append((state, world))
            following = _following(rng, system, state, world)
            if following is None:
                break
            state = following
    return tuple(rng.sample(found, min(KEPT, len(found))))


def _following(rng: Random, system: System, state: State, world: World) -> State | None:
    """What some happening makes of a state, chosen at random among those tried; None where none was possible."""
    for command in rng.sample(system.commands, len(system.commands)):
        params = {
            name: value for name, sort in command.params if isinstance(value := _any(rng, sort), bool | int | str)
        }
        got = perform(command, state, params, world)
        if got is not None:
            return got[0]
    return None


def _any(rng: Random, sort: x.Sort) -> x.Value | dict[int, str]:
    """A value of a sort; numbers are small."""
    match sort:
        case x.Bool():
            return rng.random() < 0.5
        case x.Int(low, high):
            bottom = low if low is not None else min(high, 0) if high is not None else 0
            return rng.randint(bottom, bottom + 9 if high is None else min(high, bottom + 9))
        case x.Enum(values):
            return rng.choice(values)
        case _:
            return {}
