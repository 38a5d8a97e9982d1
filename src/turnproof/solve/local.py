"""A coarser system, in which more can happen: only what a question speaks of is kept, and what decides its values.

Conditions that look at anything else are left out (localisation reduction). What never goes wrong there does not go
wrong in the whole system either; what goes wrong there need not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from turnproof.solve.property import Property, concerned
from turnproof.system import expr as x
from turnproof.system.system import Block, Command, System

# What tells where the game is, and whose turn it is.
PLACE = ("step", "active", "turn")
# A system that keeps more than this part of the variables is not worth the while.
MOST_KEPT = 0.6


def localised(system: System, of: Property) -> System | None:
    """The system that a question is first tried in; None if hardly anything could be left out."""
    wanted = set(of.spoken) | {name for _, _, cond in of.bad_blocks for name in x.variables([cond])} | set(PLACE)
    kept = _kept(system, frozenset(wanted))
    if len(kept) > MOST_KEPT * len(system.variables):
        return None
    needed = {system.commands[at].name for at in concerned(of, system)}
    return _cut(system, kept, frozenset(needed))


Part = tuple[str, int, int]


def alone(system: System, parts: Iterable[Part]) -> tuple[System, dict[Part, Part]]:
    """A system in which parts of commands (from after one block to after another) are the only happenings.

    They can begin in any state there, so that what holds of them holds of the parts. Like parts are taken once; for
    each part comes the whole of the new command that it became.
    """
    commands: dict[tuple[tuple[Block, ...], tuple[tuple[str, x.Sort], ...]], Command] = {}
    names = {}
    for name, begins, ends in dict.fromkeys(parts):
        whole = next(command for command in system.commands if command.name == name)
        used = _used(replace(whole, blocks=whole.blocks[begins + 1 : ends + 1]))
        blocks = _as_first(used)
        command = commands.setdefault(blocks, replace(used, blocks=blocks[0], params=blocks[1]))
        names[name, begins, ends] = (command.name, -1, len(command.blocks) - 1)
    return replace(system, commands=tuple(commands.values()), clashes=()), names


def _as_first(command: Command) -> tuple[tuple[Block, ...], tuple[tuple[str, x.Sort], ...]]:
    """The blocks of a command with its choices named by their order, so that like commands are alike."""
    names = {name: f"{name.rpartition(' (')[0] or name} #{at}" for at, (name, _) in enumerate(command.params)}

    def change(part: x.Expr) -> x.Expr | None:
        return x.Param(names[part.name]) if isinstance(part, x.Param) else None

    blocks = tuple(
        Block(
            x.rewritten(block.when, change),
            tuple(replace(update, value=x.rewritten(update.value, change)) for update in block.updates),
        )
        for block in command.blocks
    )
    return blocks, tuple((names[name], sort) for name, sort in command.params)


def _kept(system: System, wanted: frozenset[str]) -> frozenset[str]:
    """Some variables, and those that what is written into them is made of."""
    made_of = _made_of(system)
    known = {variable.name for variable in system.variables}
    found: set[str] = set()
    todo = list(wanted & known)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += made_of.get(name, ())
    return frozenset(found)


@lru_cache(maxsize=64)
def _made_of(system: System) -> dict[str, set[str]]:
    """By variable, what is read to write it."""
    found: dict[str, set[str]] = {}
    for command in system.commands:
        for block in command.blocks:
            for update in block.updates:
                found.setdefault(update.variable, set()).update(_read(update.value))
    return found


@lru_cache(maxsize=1 << 16)
def _read(of: x.Expr) -> frozenset[str]:
    return x.variables([of])


@lru_cache(maxsize=64)
def _cut(system: System, kept: frozenset[str], needed: frozenset[str]) -> System:
    commands = []
    for command in system.commands:
        cut = replace(command, blocks=tuple(_block(block, kept) for block in command.blocks))
        if command.name in needed:
            # The question may speak of any of its parameters.
            commands.append(cut)
        elif any(block.updates for block in cut.blocks):
            commands.append(_used(cut))
    return replace(
        system,
        variables=tuple(v for v in system.variables if v.name in kept),
        commands=tuple(commands),
        clashes=(),
        since=tuple((name, cond) for name, cond in system.since if name in kept and _read(cond) <= kept),
        was=tuple((name, cond) for name, cond in system.was if name in kept and _read(cond) <= kept),
        over=system.over if _read(system.over) <= kept else x.FALSE,
    )


def _block(block: Block, kept: frozenset[str]) -> Block:
    return Block(
        _weaker(block.when, kept),
        tuple(update for update in block.updates if update.variable in kept),
        tuple((moment, cond if _read(cond) <= kept else x.TRUE) for moment, cond in block.reached),
    )


def _weaker(cond: x.Expr, kept: frozenset[str]) -> x.Expr:
    """What of a condition can be told by what is kept: all that follows from it part by part."""
    if _read(cond) <= kept:
        return cond
    match cond:
        case x.And(items):
            return x.all_of(_weaker(item, kept) for item in items)
        case x.Or(items):
            return x.any_of(_weaker(item, kept) for item in items)
        case x.Not(x.Or(items)):
            return x.all_of(_weaker(x.negate(item), kept) for item in items)
        case x.Not(x.And(items)):
            return x.any_of(_weaker(x.negate(item), kept) for item in items)
        case _:
            return x.TRUE


def _used(command: Command) -> Command:
    """A command with the parameters that it still uses."""
    exprs: Iterable[x.Expr] = [
        e for block in command.blocks
        for e in (block.when, *(u.value for u in block.updates), *(cond for _, cond in block.reached))
    ]  # fmt: skip
    names = {e.name for e in x.walk(exprs) if isinstance(e, x.Param)}
    return replace(command, params=tuple(p for p in command.params if p[0] in names))
