"""The part of a system that can make a difference to whether something goes wrong."""

from __future__ import annotations

from dataclasses import replace

from turnproof.solve.property import Property, concerned
from turnproof.system import expr as x
from turnproof.system.system import Command, System


def sliced(system: System, of: Property) -> System:
    """The commands that change what matters, with what they change of it; what matters is what these look at, too.

    The others leave all that matters as it is: without them the same can go wrong, in fewer happenings.
    """
    matters = set(of.spoken) | {name for _, _, cond in of.bad_blocks for name in x.variables([cond])}
    kept = set(concerned(of, system))
    while True:
        for at, command in enumerate(system.commands):
            if any(update.variable in matters for block in command.blocks for update in block.updates):
                kept.add(at)
        read = [block.when for at in kept for block in system.commands[at].blocks]
        read += [
            update.value for at in kept for block in system.commands[at].blocks
            for update in block.updates if update.variable in matters
        ]  # fmt: skip
        read += [cond for at in kept for block in system.commands[at].blocks for _, cond in block.reached]
        more = x.variables(read) - matters
        if not more:
            break
        matters |= more
    return replace(
        system,
        variables=tuple(v for v in system.variables if v.name in matters or v.name == "step"),
        commands=tuple(_part(command, matters) for at, command in enumerate(system.commands) if at in kept),
    )


def _part(command: Command, matters: set[str]) -> Command:
    """A command without the changes that make no difference."""
    blocks = tuple(
        replace(block, updates=tuple(u for u in block.updates if u.variable in matters or u.variable == "step"))
        for block in command.blocks
    )
    return replace(command, blocks=blocks)
