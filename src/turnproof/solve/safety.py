"""The portfolio for what never goes wrong: which proofs and which searches are tried, in which order.

All that is learnt of a system on the way (its lemmas) is kept for the next question about it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from turnproof.solve.ask import DEFAULT_LIMIT
from turnproof.solve.induction import Proof, Prover
from turnproof.solve.lemmas import about, guesses, inductive, near
from turnproof.solve.plays import Counterexample, Found
from turnproof.solve.property import Property
from turnproof.solve.search import HORIZONS, SHALLOW, again, alike, decisive, deep, search, within
from turnproof.system import expr as x
from turnproof.system.system import System

DEEPEST = HORIZONS[-1]
# Plays in each step, and turns, of the plays along the turn that are tried one after the other.
TOURS = ((0, 1), (1, 1), (0, 2), (1, 2), (2, 1), (0, 3))


@dataclass(slots=True)
class Engines:
    """What there is to decide questions about one system, and what has been learnt of it."""

    system: System
    limit: int = DEFAULT_LIMIT
    deepest: int = DEEPEST
    _lemmas: dict[frozenset[str] | None, tuple[x.Expr, ...]] = field(default_factory=dict)

    def lemmas(self, spoken: frozenset[str] | None = None) -> tuple[x.Expr, ...]:
        """Guesses that turned out to hold in every reachable state: all, or those near some variables."""
        if spoken not in self._lemmas:
            guessed = guesses(self.system) if spoken is None else near(self.system, spoken)
            self._lemmas[spoken] = inductive(self.system, guessed, self.limit)
        return self._lemmas[spoken]


@dataclass(frozen=True, slots=True)
class Safety:
    """How it is decided that something never goes wrong."""

    engines: Engines
    of: Property

    def attempt(self, where: x.Expr, pretty: bool = True) -> Proof | Found:
        """A proof or a play that goes wrong, whichever is found first; the cheap ways come before the others."""
        system, limit, deepest = self.engines.system, self.engines.limit, self.engines.deepest
        proof = self.quick(where)
        if proof is not None:
            return proof
        found = search(system, self.of, where, min(SHALLOW, deepest), limit, pretty)
        if found.counterexample is not None or found.limit:
            return found
        proof = self.prove(where)
        if proof is not None or deepest <= SHALLOW:
            return proof or found
        for rounds, turns in TOURS:
            far = deep(system, self.of, where, rounds, turns, limit, pretty)
            if far.counterexample is not None:
                return far
        for depth in (depth for depth in HORIZONS if depth <= deepest):
            further = within(system, self.of, where, depth, limit, pretty)
            if further.counterexample is not None:
                return further
            if further.limit:
                return Found(None, found.depth, limit=True)
            found = further
        return found

    def quick(self, where: x.Expr) -> Proof | None:
        """A proof without lemmas, or with those that speak of the same things."""
        proof = Prover(self.engines.system, (), self.engines.limit).prove(self.of, where, deepest=1)
        if proof is not None:
            return proof
        lemmas = self.engines.lemmas(self.of.spoken)
        if not lemmas:
            return None
        return Prover(self.engines.system, lemmas, self.engines.limit).prove(self.of, where, deepest=1)

    def prove(self, where: x.Expr) -> Proof | None:
        """A proof with all lemmas, and then with those that the question itself suggests."""
        system, limit = self.engines.system, self.engines.limit
        known = self.engines.lemmas()
        proof = Prover(system, known, limit).prove(self.of, where)
        if proof is not None:
            return proof
        more = inductive(system, about(system, self.of), limit, known, where)
        return Prover(system, known + more, limit).prove(self.of, where) if more else None

    def lean(self, where: x.Expr, proof: Proof) -> Proof:
        """A proof with as few rules; lemmas that all these rules made inductive may have to go."""
        return Prover(self.engines.system, proof.lemmas, self.engines.limit).leanest(self.of, where, proof)

    def decisive(self, play: Counterexample) -> tuple[str, ...]:
        """The readings that make a difference to a play that goes wrong."""
        return decisive(self.engines.system, self.of, play, self.engines.limit)

    def again(self, play: Counterexample, where: x.Expr) -> Counterexample | None:
        """The same play where readings are otherwise, if it goes wrong there too."""
        system, limit = self.engines.system, self.engines.limit
        return again(system, self.of, play, where, limit) or alike(system, self.of, play, where, limit)
