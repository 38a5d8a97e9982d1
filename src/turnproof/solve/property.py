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
class Stretch:
    """A part of a command: from after the block `begins` (-1: from its start) to after the block `ends`.

    `wrong` is judged after it, where `supposed` was so as it began; variables with the prefix `BEFORE` are as they were
    when it began.
    """

    command: str
    begins: int
    ends: int
    wrong: x.Expr
    supposed: x.Expr = x.TRUE


@dataclass(frozen=True, slots=True)
class Property:
    """Something that never goes wrong.

    It goes wrong in a state where `bad_state` holds; in a happening whose command is in `bad_commands`, if the
    condition there holds in the state before it; in a happening that passes one of `moments` while its condition does
    not hold; in a happening whose block, as (command, block), is in `bad_blocks` and finds its condition true; in a
    happening of which a part, one of `stretches`, leads to what is wrong.
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
    stretches: tuple[Stretch, ...] = ()

    @property
    def spoken(self) -> frozenset[str]:
        """The variables that it speaks of, those of `bad_blocks` apart."""
        plain = x.variables([self.bad_state, *self.bad_commands.values(), *(holds for _, holds in self.moments)])
        return plain | {x.unprefixed(name) for name in x.variables(one.wrong for one in self.stretches)}

    @property
    def about_states(self) -> bool:
        return self.bad_state != x.FALSE


@dataclass(frozen=True, slots=True)
class Choosable:
    """That in each of some parts of happenings somebody has choices by which they end well.

    Of each (command, begins, ends, premise, aim): where `premise` holds as the part begins, some choices in it make
    `aim` true as it ends.
    """

    parts: tuple[tuple[str, int, int, x.Expr, x.Expr], ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """Something about two happenings that begin in states which are alike but for some variables.

    Of each (command, begins, ends, apart, premise, holds): if `premise`, then `holds`; both speak of the first as
    usual, of the second with the prefix `SECOND`.
    """

    pairs: tuple[tuple[str, int, int, tuple[str, ...], x.Expr, x.Expr], ...]


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


Goal: TypeAlias = "Property | Choosable | Compared | Possible | TurnsEnd | NoEndlessTurn | GamesEnd | Bounded"


def concerned(of: Property, system: System) -> tuple[int, ...]:
    """The numbers of the commands in which a property can go wrong."""
    found = []
    for at, command in enumerate(system.commands):
        reaches = {moment for block in command.blocks for moment, _ in block.reached}
        if (
            of.bad_commands.get(command.name, x.FALSE) != x.FALSE
            or any(moment in reaches for moment, _ in of.moments)
            or any(name == command.name for name, _, _ in of.bad_blocks)
            or any(one.command == command.name for one in of.stretches)
        ):
            found.append(at)
    return tuple(found)
