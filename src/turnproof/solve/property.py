"""What is to be shown of a system, apart from how the claim was written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from turnproof.system import expr as x
from turnproof.system.system import Moment, System


@dataclass(frozen=True, slots=True)
class Way:
    """A command with its parameters settled, by which a game gets on: the first amount of `measure` that changes falls.

    An empty measure: it gets on whenever the command is possible.
    """

    command: int
    params: tuple[tuple[str, x.Value], ...]
    measure: tuple[x.Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Property:
    """Something that never goes wrong.

    It goes wrong in a state where `bad_state` holds; in a happening whose command is in `bad_commands`, if the
    condition there holds in the state before it; in a happening that passes one of `moments` while its condition does
    not hold; in a happening whose block, as (command, block), is in `bad_blocks` and finds its condition true.
    With `stuck`, a state is wrong only if none of these ways is open in it, too.
    `presumes` are rules without which the question makes no sense; if `premise` never goes wrong, nothing is said.
    """

    bad_state: x.Expr = x.FALSE
    bad_commands: Mapping[str, x.Expr] = field(default_factory=dict)
    moments: tuple[tuple[Moment, x.Expr], ...] = ()
    bad_blocks: tuple[tuple[str, int, x.Expr], ...] = ()
    presumes: tuple[str, ...] = ()
    premise: Property | None = None
    stuck: tuple[Way, ...] | None = None

    @property
    def spoken(self) -> frozenset[str]:
        """The variables that it speaks of, those of `bad_blocks` apart."""
        return x.variables([self.bad_state, *self.bad_commands.values(), *(holds for _, holds in self.moments)])

    @property
    def about_states(self) -> bool:
        return self.bad_state != x.FALSE


@dataclass(frozen=True, slots=True)
class Possible:
    """That something can come about: what `event` calls going wrong."""

    event: Property


@dataclass(frozen=True, slots=True)
class TurnsEnd:
    """That wherever the game has come in a turn, there is a way on to the turn's end."""


@dataclass(frozen=True, slots=True)
class NoEndlessTurn:
    """That no turn goes on for ever, but for happenings whose commands are `excepted`."""

    excepted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GamesEnd:
    """That every game ends; `ends` are the rules that end one, each with the reading to which it belongs, if to any."""

    ends: tuple[tuple[str, str] | None, ...]


@dataclass(frozen=True, slots=True)
class Bounded:
    """That there is a number which an amount never exceeds."""

    amount: x.Expr


Goal: TypeAlias = "Property | Possible | TurnsEnd | NoEndlessTurn | GamesEnd | Bounded"


def concerned(of: Property, system: System) -> tuple[int, ...]:
    """The numbers of the commands in which a property can go wrong."""
    found = []
    for at, command in enumerate(system.commands):
        reaches = {moment for block in command.blocks for moment, _ in block.reached}
        if (
            of.bad_commands.get(command.name, x.FALSE) != x.FALSE
            or any(moment in reaches for moment, _ in of.moments)
            or any(name == command.name for name, _, _ in of.bad_blocks)
        ):
            found.append(at)
    return tuple(found)
