"""What can happen when, along the turn: for each place in a play, the few commands that can stand there.

Found from the commands alone: a command that can only occur in some steps is left out elsewhere, and those that move
the game to another step say where it can be next. It leaves out plays; what it allows need not be possible.
"""

from __future__ import annotations

from functools import lru_cache

from turnproof.rulebook.model import SETUP
from turnproof.system import expr as x
from turnproof.system.system import Command, System


def layers(
    system: System, rounds: int, turns: int, plays_among: frozenset[int] | None = None
) -> tuple[frozenset[int], ...]:
    """The numbers of the commands that can stand at each place of a play of some turns.

    In each step at most `rounds` things are done beside passing, each one of `plays_among`; None: anything.
    """
    step = system.sorts["step"]
    assert isinstance(step, x.Enum)
    moving = {at for at, command in enumerate(system.commands) if _targets(command) != ()}
    sorts: dict[str, set[int]] = {sort: set() for sort in ("trigger", "play", "effect", "pass", "resolve")}
    sorts["move"] = moving
    for at, command in enumerate(system.commands):
        kind = command.play.kind
        if at not in moving and (plays_among is None or at in plays_among or kind == "pass"):
            sorts[kind if kind in sorts else "play"].add(at)
    passes = ["pass"] * _passes(system)
    slot = ["trigger", "play", "effect", *passes, "resolve", "effect"] * rounds + [*passes, "move"]
    here = frozenset({SETUP}) if SETUP in step.values else frozenset(step.values)
    among: list[frozenset[int]] = []
    for _ in range(turns * (len(step.values) - 1) + 1):
        for sort in slot:
            can = frozenset(at for at in sorts[sort] if _enabled(system, at, here))
            if can:
                among.append(can)
        targets = [_targets(system.commands[at]) for at in among[-1]] if among else []
        if any(target is None for target in targets):
            here = frozenset(step.values)
        else:
            here = frozenset(name for target in targets for name in target or ())
        if not here:
            break
    return tuple(among)


@lru_cache(maxsize=1000)
def staying(system: System, step: str) -> frozenset[int]:
    """The numbers of the commands that can occur in a step and do not move the game to another."""
    return frozenset(
        at for at, command in enumerate(system.commands)
        if _targets(command) == () and _enabled(system, at, frozenset({step}))
    )  # fmt: skip


def _passes(system: System) -> int:
    """How many passes end a round."""
    return len({command.play.player for command in system.commands if command.play.kind == "pass"})


def _targets(command: Command) -> tuple[str, ...] | None:
    """The steps to which a command moves the game; None: it cannot be told."""
    found: list[str] = []
    for update in (update for block in command.blocks for update in block.updates if update.variable == "step"):
        for value in _values(update.value):
            if value is None:
                return None
            found.append(value)
    return tuple(found)


def _values(value: x.Expr) -> list[str | None]:
    match value:
        case x.Const(str(name)):
            return [name]
        case x.If(_, then, other):
            return [*_values(then), *_values(other)]
        case x.Var("step"):
            return []
        case _:
            return [None]


@lru_cache(maxsize=10_000)
def _enabled(system: System, at: int, steps: frozenset[str]) -> bool:
    """Whether a command may be possible in one of some steps."""
    blocks = system.commands[at].blocks
    return not blocks or known(blocks[0].when, "step", steps) != x.FALSE


def known(of: x.Expr, name: str, values: frozenset[str]) -> x.Expr:
    """An expression where an enumeration variable is known to have one of some values."""

    def change(of: x.Expr) -> x.Expr | None:
        match of:
            case x.Eq(x.Var(var), x.Const(str(value))) if var == name:
                return x.FALSE if value not in values else x.TRUE if len(values) == 1 else of
            case x.Var() | x.Sum() | x.Le() | x.At():
                return of
            case _:
                return None

    return x.rewritten(of, change)
