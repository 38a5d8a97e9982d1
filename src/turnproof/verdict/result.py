"""A verdict with its evidence, as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from turnproof.language import syntax as s
from turnproof.solve.plays import Counterexample
from turnproof.solve.proof import Proof
from turnproof.solve.property import Goal
from turnproof.system.system import System


@dataclass(frozen=True, slots=True)
class Case:
    """Under some readings: a verdict and its evidence.

    `others` says how the readings are that are not named: "any", or "default" (open questions: "default" takes the
    first answer in a play, and any in a proof).
    """

    readings: Mapping[str, str]
    verdict: str
    others: str = "any"
    proof: Proof | None = None
    counterexample: Counterexample | None = None


# Contradictions, and quantities out of their ranges.
PRESSING = ("F001", "F002", "F003", "F004")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in the rules that a designer should look at. `kind` is a word of the field, `code` is stable.

    `situation` says in which state it shows, `outcomes` what is so there under each answer to the question;
    `acknowledged` is the question in the rulebook that is about it, if there is one.
    """

    code: str
    kind: str
    rules: tuple[str, ...]
    message: str
    question: str
    witness: Counterexample | None = None
    certain: bool = True
    situation: tuple[tuple[str, str], ...] = ()
    outcomes: tuple[tuple[str, str], ...] = ()
    acknowledged: str = ""

    @property
    def pressing(self) -> bool:
        """Whether a check is not in order because of it: a contradiction that no question in the rulebook is about."""
        return self.code in PRESSING and not self.acknowledged


@dataclass(frozen=True, slots=True)
class Verdict:
    """`verdict` is one of `claims.VERDICTS`; `reasons` are the readings, policies and questions it turns on.

    `complete` says that no other set of readings flips it; `why` is said where the verdict is unknown. `also` are
    other minimal sets of rules that prove it.
    """

    verdict: str
    engine: str
    cases: tuple[Case, ...] = ()
    reasons: tuple[str, ...] = ()
    complete: bool = True
    depth: int | None = None
    why: str = ""
    also: tuple[tuple[str, ...], ...] = ()

    def doubted(self, findings: Iterable[Finding]) -> Verdict:
        """The verdict `unknown`, since rules clash in a way that leaves it open what happens at all."""
        why = "; ".join(found.message for found in findings if found.code == "F001")
        return replace(self, verdict="unknown", complete=False, why=why)

    @property
    def said(self) -> str:
        """The verdict with what it turns on, alike for alike verdicts."""
        return self.verdict + (f" on {', '.join(sorted(self.reasons))}" if self.reasons else "")

    @property
    def proof(self) -> Proof | None:
        return next((case.proof for case in self.cases if case.proof), None)

    @property
    def counterexample(self) -> Counterexample | None:
        return next((case.counterexample for case in self.cases if case.counterexample), None)


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """A claim and what became of it."""

    claim: s.Claim
    of: Goal
    system: System
    result: Verdict
    scope: Mapping[str, int]

    @property
    def expected(self) -> str:
        return self.claim.expect.verdict if self.claim.expect else ""

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the expected one, and turns on what it was expected to turn on, if that was said."""
        on = self.claim.expect.on if self.claim.expect else ()
        return self.result.verdict == self.expected and (not on or set(on) == set(self.result.reasons))
