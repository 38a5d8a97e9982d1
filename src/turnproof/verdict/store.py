"""Verdicts as plain values, to be kept on disk or sent from one process to another.

A play is kept as what happened in it, and done again in the interpreter when it is read; one that cannot be is not
taken for a verdict.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from turnproof import __version__
from turnproof.library import cache_folder, keep
from turnproof.solve.plays import Counterexample, Happened
from turnproof.solve.proof import Proof
from turnproof.solve.property import Bounded, Choosable, Compared, Goal, Possible, Property
from turnproof.system import expr as x
from turnproof.system.interpret import World, perform
from turnproof.system.system import System
from turnproof.verdict.result import Case, Finding, Verdict

Plain = dict[str, Any]
# A part of every key: to be raised when what is kept, or how verdicts come about, changes.
FORMAT = 1


class Stale(ValueError):
    """What was kept does not fit the game as it is."""


# -- to plain values and back


def plain_verdict(of: Verdict) -> Plain:
    """A verdict without lemmas and obligations."""
    return {
        "verdict": of.verdict, "engine": of.engine, "reasons": list(of.reasons), "complete": of.complete,
        "depth": of.depth, "why": of.why, "also": [list(rules) for rules in of.also],
        "cases": [
            {
                "readings": dict(case.readings), "verdict": case.verdict, "others": case.others,
                "proof": _plain_proof(case.proof), "play": _plain_play(case.counterexample),
            }
            for case in of.cases
        ],
    }  # fmt: skip


def verdict(of: Plain, system: System) -> Verdict:
    """The verdict that was made plain. Raises Stale where it does not fit the system."""
    cases = tuple(
        Case(
            case["readings"], case["verdict"], case["others"], _proof(case["proof"]), _play(case["play"], system)
        )
        for case in of["cases"]
    )  # fmt: skip
    also = tuple(tuple(rules) for rules in of["also"])
    return Verdict(
        of["verdict"], of["engine"], cases, tuple(of["reasons"]), of["complete"], of["depth"], of["why"], also
    )


def plain_finding(of: Finding) -> Plain:
    """A finding with its play."""
    return {
        "code": of.code, "kind": of.kind, "rules": list(of.rules), "message": of.message, "question": of.question,
        "certain": of.certain, "play": _plain_play(of.witness), "acknowledged": of.acknowledged,
        "situation": [list(fact) for fact in of.situation], "outcomes": [list(one) for one in of.outcomes],
    }  # fmt: skip


def finding(of: Plain, system: System) -> Finding:
    """The finding that was made plain. Raises Stale where it does not fit the system."""
    play = _play(of["play"], system)
    situation, outcomes = (tuple((what, value) for what, value in of[part]) for part in ("situation", "outcomes"))
    return Finding(
        of["code"], of["kind"], tuple(of["rules"]), of["message"], of["question"], play, of["certain"], situation,
        outcomes, of["acknowledged"],
    )  # fmt: skip


def _plain_proof(of: Proof | None) -> Plain | None:
    return None if of is None else {"rules": list(of.rules), "depth": of.depth, "engine": of.engine}


def _proof(of: Plain | None) -> Proof | None:
    return None if of is None else Proof(tuple(of["rules"]), of["depth"], engine=of["engine"])


def _plain_play(of: Counterexample | None) -> Plain | None:
    if of is None:
        return None
    start = {
        name: [[at, item] for at, item in value.items()] if isinstance(value, Mapping) else value
        for name, value in of.start.items()
    }
    return {
        "choices": dict(of.world.choices), "removed": sorted(of.world.removed), "start": start,
        "happened": [[h.command.name, dict(h.params)] for h in of.happened], "shortest": of.shortest,
        "cycle": of.cycle, "then": _plain_proof(of.then),
    }  # fmt: skip


def _play(of: Plain | None, system: System) -> Counterexample | None:
    if of is None:
        return None
    commands = {command.name: command for command in system.commands}
    world = World(of["choices"], frozenset(of["removed"]))
    arrays = {v.name for v in system.variables if isinstance(v.sort, x.Array)}
    kept = of["start"]
    # Another page of claims may want other things remembered: these begin as they always do.
    start = {v.name: kept.get(v.name, v.initial) for v in system.variables}
    start |= {name: dict(kept[name]) for name in arrays}
    if None in start.values():
        raise Stale("a quantity is not known")
    happened: list[Happened] = []
    state: Any = start
    for name, params in of["happened"]:
        got = perform(commands[name], state, params, world) if name in commands else None
        if got is None:
            raise Stale(name)
        state = got[0]
        happened.append(Happened(commands[name], params, state))
    return Counterexample(world, start, tuple(happened), of["shortest"], of["cycle"], _proof(of["then"]))


# -- on disk


@dataclass(frozen=True)
class Fingerprints:
    """What of a system matters to a question, as short texts that are the same for the same content."""

    system: System

    @cached_property
    def guards(self) -> str:
        """Everything but what is kept of the past only to be looked at by claims."""
        return _digest(self._without(self.ghosts))

    def _without(self, ghosts: frozenset[str]) -> list[Any]:
        system = self.system
        parts: list[Any] = [system.tags, system.over, [(s.name, s.options, s.default) for s in system.selectors]]
        for command in system.commands:
            kept = [
                [
                    block.when, block.reached,
                    [[u.variable, u.value, sorted(u.rules)] for u in block.updates if u.variable not in ghosts],
                ]
                for block in command.blocks
            ]  # fmt: skip
            parts.append([command.name, command.play, command.params, command.permits, kept])
        return parts

    @cached_property
    def ghosts(self) -> frozenset[str]:
        """Variables that nothing in the game looks at."""
        read: set[str] = set()
        for command in self.system.commands:
            for block in command.blocks:
                read |= x.variables([block.when, *(cond for _, cond in block.reached)])
                for update in block.updates:
                    read |= x.variables([update.value]) - {update.variable}
        return frozenset(v.name for v in self.system.variables if " " in v.name and v.name not in read)

    def question(self, of: Goal, settings: Mapping[str, Any]) -> str:
        """The key of a question about the system, decided with some settings."""
        event = of.event if isinstance(of, Possible) else of
        spoken = x.variables([of.amount]) if isinstance(of, Bounded) else frozenset()
        if isinstance(event, Property):
            spoken = event.spoken | (event.premise.spoken if event.premise is not None else frozenset())
        elif isinstance(of, Choosable | Compared):
            parts = of.parts if isinstance(of, Choosable) else of.pairs
            spoken = frozenset(map(x.unprefixed, x.variables(e for part in parts for e in part[-2:])))
        kept = [v for v in self.system.variables if v.name not in self.ghosts or v.name in spoken]
        ghosts = [
            [command.name, at, u.variable, u.value]
            for command in self.system.commands for at, block in enumerate(command.blocks)
            for u in block.updates if u.variable in self.ghosts & spoken
        ]  # fmt: skip
        variables = [[v.name, v.sort, v.initial] for v in kept]
        return _digest([_engine(), self.guards, variables, ghosts, of, sorted(settings.items())])

    def everything(self, settings: Mapping[str, Any]) -> str:
        """The key of what depends on the whole system."""
        whole = [self._without(frozenset()), self.system.variables, self.system.clashes]
        return _digest([_engine(), whole, sorted(settings.items())])


def key_of(*parts: Any) -> str:
    """The key of something decided by turnproof as it is here."""
    return _digest([_engine(), *parts])


@cache
def _engine() -> str:
    """What decides: turnproof as it is here, and its solver."""
    folder = Path(str(files("turnproof")))
    sources = sorted(folder.rglob("*.py")) + sorted(folder.rglob("*.lark"))
    stats = [(str(file.relative_to(folder)), file.stat().st_size, file.stat().st_mtime_ns) for file in sources]
    return _digest([FORMAT, __version__, version("z3-solver"), stats])


def _digest(parts: Any) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


class Store:
    """Verdicts kept between runs, each in a file named by its key.

    What cannot be read or written is as if it were not there.
    """

    def __init__(self) -> None:
        folder = cache_folder()
        self.folder = None if folder is None else folder / "verdicts"

    def get(self, key: str) -> Plain | None:
        if self.folder is None:
            return None
        try:
            found = json.loads(self._file(key).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def put(self, key: str, value: Plain) -> None:
        if self.folder is not None:
            keep(self._file(key), json.dumps(value, ensure_ascii=False).encode("utf-8"))

    def _file(self, key: str) -> Path:
        assert self.folder is not None
        return self.folder / f"{key}.json"
