"""A game with its readings settled and all its rules in force: smaller, so that plays are found sooner.

What is found there is a play of the whole game, and is done again in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from turnproof.solve.ask import DEFAULT_LIMIT, Session
from turnproof.solve.plays import Counterexample, Told, replayed
from turnproof.solve.property import Property
from turnproof.solve.smt import Script, codes, quoted
from turnproof.system import expr as x
from turnproof.system.interpret import World
from turnproof.system.system import Block, Command, System

Choices = tuple[tuple[str, str], ...]


def usual_choices(system: System, where: x.Expr, limit: int = DEFAULT_LIMIT) -> Choices | None:
    """Readings that satisfy a condition, as many as can be at their default, open questions at their first answer."""
    script = Script(system, codes(system))
    script.rigid(tags_free=False)
    script.require(script.expr(where, {}, {}))
    wanted = []
    for selector in system.selectors:
        flag = f"prefer {selector.name}"
        at = selector.options.index(selector.usual)
        script.require(f"(=> {script.declare(flag, x.Bool())} (= {quoted(f'reading {selector.name}')} {at}))")
        wanted.append(flag)
    session = Session(script.text, limit)
    kept = list(wanted)
    while True:
        answer = session.ask(kept)
        if answer.model is not None:
            model = answer.model
            return tuple((s.name, s.options[model.number(f"reading {s.name}") or 0]) for s in system.selectors)
        dropped = [flag for flag in answer.core if flag in kept]
        if answer.status != "unsat" or not dropped:
            return None
        kept.remove(max(dropped, key=wanted.index))


@dataclass(frozen=True, slots=True)
class Settled:
    """A system in which readings are settled; `whole` is the one with all of them."""

    whole: System
    system: System
    choices: Choices

    def of(self, what: Property) -> Property:
        """A property of the whole, said of the settled system."""
        known = {command.name for command in self.system.commands}
        go = dict(self.choices)
        return replace(
            what,
            bad_state=chosen(what.bad_state, go),
            bad_commands={name: chosen(e, go) for name, e in what.bad_commands.items() if name in known},
            moments=tuple((moment, chosen(e, go)) for moment, e in what.moments),
            bad_blocks=tuple((name, at, chosen(e, go)) for name, at, e in what.bad_blocks if name in known),
            stretches=tuple(
                replace(one, wrong=chosen(one.wrong, go)) for one in what.stretches if one.command in known
            ),
            premise=None,
        )

    def in_the_whole(self, of: Property, play: Counterexample) -> Counterexample:
        """A play of the settled system as one of the whole. Raises ReplayError if it is none."""
        commands = {command.name: command for command in self.whole.commands}
        happened = tuple((commands[done.command.name], done.params) for done in play.happened)
        end = play.happened[-1].after if play.happened else play.start
        told = Told(World(dict(self.choices)), play.start, happened, end, play.shortest)
        return replayed(self.whole, of, told)


@lru_cache(maxsize=32)
def pinned(system: System, choices: Choices) -> System:
    """A system with some readings settled, and its rules as they are: for what is asked under these readings."""
    go = dict(choices)
    commands = tuple(
        replace(
            command,
            blocks=tuple(_block(block, go, rules=False) for block in command.blocks),
            permits=tuple((rule, chosen(e, go, rules=False)) for rule, e in command.permits),
        )
        for command in system.commands
    )
    return replace(system, commands=commands, over=chosen(system.over, go, rules=False))


@lru_cache(maxsize=16)
def settled(system: System, choices: Choices) -> Settled:
    """A system with some readings settled, without the happenings that cannot occur then."""
    go = dict(choices)
    commands = []
    for command in system.commands:
        blocks = tuple(_block(block, go) for block in command.blocks)
        if all(block.when != x.FALSE for block in blocks):
            permits = tuple((rule, chosen(e, go)) for rule, e in command.permits)
            commands.append(Command(command.name, command.play, command.params, blocks, permits))
    small = replace(system, commands=tuple(commands), over=chosen(system.over, go))
    return Settled(system, small, choices)


def _block(block: Block, choices: Mapping[str, str], rules: bool = True) -> Block:
    updates = tuple(replace(u, value=chosen(u.value, choices, rules)) for u in block.updates)
    reached = tuple((moment, chosen(e, choices, rules)) for moment, e in block.reached)
    return Block(chosen(block.when, choices, rules), updates, reached, block.label)


def chosen(of: x.Expr, choices: Mapping[str, str], rules: bool = True) -> x.Expr:
    """An expression where readings are settled and, with `rules`, all rules in force."""

    def change(part: x.Expr) -> x.Expr | None:
        match part:
            case x.Tag() if rules:
                return x.TRUE
            case x.Chosen(selector, option) if selector in choices:
                return x.const(choices[selector] == option)
            case _:
                return None

    return x.rewritten(of, change)
