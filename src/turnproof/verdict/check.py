"""A whole check of one game: its claims and what is found without being asked, from the cache or decided anew.

Nothing that takes the solver is loaded before something has to be decided.
"""

from __future__ import annotations

import dataclasses
import signal
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import active_children
from typing import TYPE_CHECKING, Any

from turnproof.language import syntax as s
from turnproof.solve.property import Goal
from turnproof.system.build import build
from turnproof.system.system import System
from turnproof.verdict import store
from turnproof.verdict.claims import ClaimReader
from turnproof.verdict.result import ClaimResult, Finding

if TYPE_CHECKING:
    from turnproof.rulebook.model import Rulebook
    from turnproof.verdict.decide import Decider

Progress = Callable[[str], None]
FINDINGS = "what the rules leave unsaid"


@dataclass(frozen=True, slots=True)
class Settings:
    """How a check goes.

    `limit` is in the solver's resource units, None its default; `jobs` how many processes decide; with `cached`,
    verdicts are kept on disk and taken from there.
    """

    readings: Mapping[str, str] = field(default_factory=dict)
    limit: int | None = None
    engine: str = "auto"
    jobs: int = 1
    cached: bool = False

    def fixed(self, claim: s.Claim | None) -> dict[str, str]:
        """The readings that are settled for a claim: its own before those of the whole check."""
        under = {one.selector: one.option for one in claim.under} if claim is not None else {}
        return {**self.readings, **under}

    def of(self, claim: s.Claim | None) -> dict[str, Any]:
        """All that a verdict depends on beside the game and the question."""
        return {"readings": sorted(self.fixed(claim).items()), "limit": self.limit, "engine": self.engine}


@dataclass
class Checking:
    """The check of some claims of one game. Claims that want more remembered than the rules do share one system."""

    book: Rulebook
    reader: ClaimReader
    claims: tuple[s.Claim, ...]
    settings: Settings
    clashes_only: bool = False
    _systems: dict[tuple[s.Effects, ...], System] = field(default_factory=dict)
    _deciders: dict[tuple[tuple[s.Effects, ...], str], Decider] = field(default_factory=dict)

    def __post_init__(self) -> None:
        first = build(self.book, self.reader.history)
        for claim in self.claims:
            self.reader.goal(claim.body, first)

    @property
    def scope(self) -> dict[str, int]:
        return {kind.name: kind.scope for kind in self.book.kinds}

    def system(self, effects: tuple[s.Effects, ...] = ()) -> System:
        """The game, where cards do what is supposed."""
        if effects not in self._systems:
            self._systems[effects] = build(self.book, self.reader.history, effects)
        return self._systems[effects]

    def goal(self, claim: s.Claim) -> Goal:
        return self.reader.goal(claim.body, self.system(claim.effects))

    def decider(self, effects: tuple[s.Effects, ...] = (), engine: str | None = None) -> Decider:
        """What decides questions about the game where cards do what is supposed; findings take all engines."""
        from turnproof.solve.ask import DEFAULT_LIMIT
        from turnproof.solve.safety import Engines
        from turnproof.verdict.decide import Decider

        engine = engine or self.settings.engine
        if (effects, engine) not in self._deciders:
            limit = DEFAULT_LIMIT if self.settings.limit is None else self.settings.limit
            simpler = self.decider().engines if effects else None
            engines = Engines(self.system(effects), limit, engine=engine, simpler=simpler)
            self._deciders[effects, engine] = Decider(engines)
        return self._deciders[effects, engine]

    # -- one thing after the other

    def run(self, progress: Progress | None = None) -> tuple[tuple[ClaimResult, ...], tuple[Finding, ...]]:
        """The verdicts on the claims, and the findings."""
        found: dict[str, Any] = {}
        kept = store.Store() if self.settings.cached else None
        keys = dict(self._keys()) if kept is not None else {}
        for name, key in keys.items():
            got = kept.get(key) if kept is not None else None
            value = self._read(name, got) if got is not None else None
            if value is not None:
                found[name] = value
        todo = [name for name in self._names() if name not in found]
        for name, value in self._decided(todo, progress):
            found[name] = value
            if kept is not None and not self._undecided(name, value):
                kept.put(keys[name], self._plain(name, value))
        findings: tuple[Finding, ...] = found[FINDINGS]
        results = [
            ClaimResult(claim, self.goal(claim), self.system(claim.effects), found[claim.id], self.scope)
            for claim in self.claims
        ]
        if any(one.code == "F001" for one in findings):
            results = [dataclasses.replace(r, result=r.result.doubted(findings)) for r in results]
        return tuple(results), findings

    def _names(self) -> list[str]:
        return [*(claim.id for claim in self.claims), FINDINGS]

    def _claim(self, name: str) -> s.Claim:
        return next(claim for claim in self.claims if claim.id == name)

    def decide(self, name: str) -> Any:
        """The verdict on a claim, or the findings."""
        if name == FINDINGS:
            from turnproof.findings.look import look
            from turnproof.verdict.findings import findings

            decider = self.decider(engine="auto")
            blocking = findings(self.system(), decider, self.clashes_only)
            return blocking if self.clashes_only else blocking + look(self.book, decider.engines.limit, decider.engines)
        claim = self._claim(name)
        return self.decider(claim.effects).decide(self.goal(claim), self.settings.fixed(claim))

    def _decided(self, names: list[str], progress: Progress | None) -> Iterator[tuple[str, Any]]:
        """Each of some things with what is decided of it, as it comes."""
        jobs = min(self.settings.jobs, sum(name != FINDINGS for name in names))
        if jobs <= 1:
            for name in names:
                if progress:
                    progress(f"{self.book.name} [{name}]" if name != FINDINGS else f"{self.book.name}: {name}")
                yield name, self.decide(name)
            return
        with ProcessPoolExecutor(jobs, initializer=_start, initargs=(self,)) as pool:
            waiting = {pool.submit(_work, name): name for name in names}
            try:
                for count, done in enumerate(as_completed(waiting), 1):
                    name = waiting[done]
                    yield name, self._read(name, done.result())
                    if progress:
                        progress(f"{self.book.name}: {count} of {len(names)} decided")
            except BaseException:
                # Else leaving the pool would wait for what is being decided.
                for child in active_children():
                    child.terminate()
                raise

    # -- plain values

    def _keys(self) -> Iterator[tuple[str, str]]:
        prints: dict[tuple[s.Effects, ...], store.Fingerprints] = {}
        for claim in self.claims:
            system = prints.setdefault(claim.effects, store.Fingerprints(self.system(claim.effects)))
            yield claim.id, system.question(self.goal(claim), self.settings.of(claim))
        base = prints.setdefault((), store.Fingerprints(self.system()))
        yield FINDINGS, base.everything({**self.settings.of(None), "clashes only": self.clashes_only})

    def _plain(self, name: str, value: Any) -> store.Plain:
        if name == FINDINGS:
            return {"findings": [store.plain_finding(one) for one in value]}
        return store.plain_verdict(value)

    def _read(self, name: str, of: store.Plain) -> Any:
        """What was made plain, or None where it does not fit any more."""
        try:
            if name == FINDINGS:
                return tuple(store.finding(one, self.system()) for one in of["findings"])
            return store.verdict(of, self.system(self._claim(name).effects))
        except (store.Stale, KeyError, TypeError, ValueError):
            return None

    def _undecided(self, name: str, value: Any) -> bool:
        """Whether a thing had better be tried again next time."""
        return name != FINDINGS and value.verdict == "unknown"


_here: Checking | None = None


def _start(checking: Checking) -> None:
    """A process begins: an interrupt is for the one that started it."""
    global _here
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _here = checking


def _work(name: str) -> store.Plain:
    assert _here is not None
    return _here._plain(name, _here.decide(name))
