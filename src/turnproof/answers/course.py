"""What happens on the way of a question, stage by stage: gone again in the interpreter from one state of a model.

An answer holds for every case that its question covers; a course shows one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from turnproof.answers.ground import Ground
from turnproof.answers.path import Way
from turnproof.rulebook.model import NOBODY, Rulebook, stages_of, title, title_of
from turnproof.solve.ask import Model
from turnproof.solve.plays import settled_in, values_of
from turnproof.system import expr as x
from turnproof.system.interpret import State, World, evaluate, evaluator
from turnproof.system.shares import Share, shares
from turnproof.system.system import Variable
from turnproof.words import word


@dataclass(frozen=True, slots=True)
class Change:
    """A quantity that changes, and what by."""

    variable: Variable
    before: x.Value
    after: x.Value
    shares: tuple[Share, ...]

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(rule for share in self.shares for rule in share.rules))


@dataclass(frozen=True, slots=True)
class Stage:
    """What happens at one moment: `label` tells which, as `Block.label` does; `play` is what is done, if anything."""

    label: tuple[str, ...]
    play: str
    changes: tuple[Change, ...]
    after: State


@dataclass(frozen=True, slots=True)
class Course:
    """A way as it is gone: from which state, by which pieces (`names`, by their keys), and what happens on it."""

    world: World
    names: Mapping[str, str]
    start: State
    stages: tuple[Stage, ...]

    @property
    def active(self) -> str:
        return str(self.start["active"])


def course(book: Rulebook, of: Ground, way: Way, names: Mapping[str, str], label: str,
           model: Model) -> Course | None:  # fmt: skip
    """The course of a way from the state of a model; None where the step is passed over that was asked about."""
    read = values_of(of.script, model)
    start: dict[str, Any] = {v.name: read(f"0.{v.name}", v.sort) for v in of.system.variables}
    world = World(settled_in(of.system, model))
    variables = {v.name: v for v in of.system.variables}
    stages: list[Stage] = []
    now: State = start
    for number, part in enumerate(way.parts):
        if number and evaluate(of.system.over, now, {}, world):
            break
        if "priority" in now:
            passes = 0 if part.player else len(book.players)
            now = {**now, "priority": part.player or NOBODY, "passes": passes}
        params = {}
        for name, sort in part.command.params:
            symbol = of.params[name].strip("|") if name in of.params else f"{label} {number} {name}"
            params[name] = read(symbol, sort)
        for block in part.blocks:
            value = evaluator(now, params, world)
            if not value(block.when):
                return None
            after = {**now, **{u.variable: value(u.value) for u in block.updates}}
            changes = tuple(
                Change(variables[u.variable], old, new, shares(u, value))
                for u in block.updates for old, new in [(now[u.variable], after[u.variable])]
                if old != new and not isinstance(old, Mapping) and not isinstance(new, Mapping)
            )  # fmt: skip
            now = after
            if block.label or changes:
                play = part.command.play.name if part.command.play.name in book.plays else ""
                stages.append(Stage(block.label, play, changes, now))
    return Course(world, names, start, tuple(stages))


def moment_name(book: Rulebook, of: Stage, language: str = "") -> str:
    """The moment of a stage in words."""
    match of.label:
        case ("start" | "end" as edge, step):
            return word(f"{edge} of {{step}}", language, step=title_of(book.steps[step], language))
        case ("stage", name, *ranks):
            stages = (stage for procedure in book.procedures for stage in stages_of(procedure.items))
            titles = next(stage.titles for stage in stages if stage.name == name)
            said = ", ".join(rank.replace("_", " ") for rank in ranks)
            return title(titles, name, language) + (f" ({said})" if said else "")
        case _:
            return title(book.plays[of.play].decl.titles, of.play, language) if of.play else ""
