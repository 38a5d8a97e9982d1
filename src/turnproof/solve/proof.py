"""Proofs, as data."""

from __future__ import annotations

from dataclasses import dataclass

from turnproof.system import expr as x


@dataclass(frozen=True, slots=True)
class Obligation:
    """Text that has no model: what it shows, and the text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Proof:
    """`depth` is how many happenings an induction looks back, `engine` what found the proof.

    Lemmas and obligations are those of this run: a proof from the cache of verdicts has none.
    """

    rules: tuple[str, ...]
    depth: int
    lemmas: tuple[x.Expr, ...] = ()
    obligations: tuple[Obligation, ...] = ()
    engine: str = "induction"
