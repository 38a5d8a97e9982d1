"""The portfolio for what never goes wrong: which proofs and which searches are tried, in which order.

All that is learnt of a system on the way (its lemmas) is kept for the next question about it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from turnproof.solve.ask import DEFAULT_LIMIT
from turnproof.solve.induction import Prover
from turnproof.solve.lemmas import about, guesses, inductive, near
from turnproof.solve.local import Part, alone, localised
from turnproof.solve.plays import Counterexample, Found
from turnproof.solve.proof import Proof
from turnproof.solve.property import Property
from turnproof.solve.search import HORIZONS, SHALLOW, again, alike, decisive, deep, filled, search, within
from turnproof.solve.settle import settled, usual_choices
from turnproof.solve.spacer import invariants
from turnproof.system import expr as x
from turnproof.system.system import System

DEEPEST = HORIZONS[-1]
ENGINES = ("auto", "induction", "spacer", "search")
MOST_OTHERS = 5
# Spacer gets a part of the resources of other questions: where it needs more, it seldom comes to an end.
SPACER_SHARE = 5
# So do searches that are worth it only if something is easily found.
HASTE = 5
# Plays in each step, and turns, of the plays along the turn that are tried one after the other.
# Those in which nobody does anything are cheap.
QUIET = ((0, 1), (0, 2))
SHOWN = ((0, 1), (1, 1), (1, 2))
# What leads to a fight: some who attack, and some who block.
FIGHTS = ((1, 1), (2, 1), (3, 1), (2, 2))
BUSY = ((1, 1), (1, 2), (2, 1), (0, 3))


@dataclass(slots=True)
class Engines:
    """What there is to decide questions about one system, and what has been learnt of it.

    `engine` is one of `ENGINES`: "auto" takes them all. `limit` is in resource units, for one question to the solver.
    `simpler` is the same game where less can happen.
    """

    system: System
    limit: int = DEFAULT_LIMIT
    deepest: int = DEEPEST
    engine: str = "auto"
    simpler: Engines | None = None
    _lemmas: dict[frozenset[str] | None, tuple[x.Expr, ...]] = field(default_factory=dict)
    _locals: dict[System, Engines] = field(default_factory=dict)

    def alone(self, parts: tuple[Part, ...]) -> tuple[Engines, dict[Part, Part]]:
        """Engines for a system in which parts of commands are the only happenings, with their names there."""
        small, names = alone(self.system, parts)
        return replace(self, system=small, simpler=None, _lemmas={}, _locals={}), names

    def localised(self, of: Property) -> Engines | None:
        """Engines for a coarser system, in which a property is tried first."""
        small = localised(self.system, of)
        if small is None:
            return None
        return self._locals.setdefault(small, replace(self, system=small, simpler=None, _lemmas={}, _locals={}))

    def lemmas(self, spoken: frozenset[str] | None = None) -> tuple[x.Expr, ...]:
        """Guesses that turned out to hold in every reachable state: all, or those near some variables."""
        if spoken not in self._lemmas:
            guessed = list(guesses(self.system) if spoken is None else near(self.system, spoken))
            if self.simpler is not None and spoken is None:
                # What does not hold in the game where less can happen will not hold here.
                known = self.simpler.system.sorts.keys()
                kept = set(self.simpler.lemmas())
                guessed = [guess for guess in guessed if guess in kept or not x.variables([guess]) <= known]
            self._lemmas[spoken] = inductive(self.system, guessed, self.limit)
        return self._lemmas[spoken]


@dataclass(frozen=True, slots=True)
class Safety:
    """How it is decided that something never goes wrong; `rough`, if it does not matter by which rules."""

    engines: Engines
    of: Property
    rough: bool = False
    # That the system consists of the parts in question, and nothing else.
    _part: bool = False
    _local: list[Safety] = field(default_factory=list)
    _found_there: list[Proof] = field(default_factory=list)
    _tried: dict[x.Expr, Proof | None] = field(default_factory=dict)

    def attempt(self, where: x.Expr) -> Proof | Found:
        """A proof or a play that goes wrong, whichever is found first; the cheap ways come before the others."""
        if self.engines.engine not in ("auto", "search"):
            return self.quick(where) or self.prove(where) or Found(None, -1)
        if self.of.stretches:
            return self.of_one_happening(where)
        proof = self.in_part(where)
        if proof is not None:
            return proof
        play = self.sketched(where, QUIET) if self.local is not None else None
        proof = self.quick(where) if play is None else None
        if proof is not None:
            return proof
        found = self.shallow(where, pretty=True)
        if found.counterexample is not None or found.limit:
            return found
        play = play or self.along(where, QUIET, self.engines.limit // HASTE, pretty=True) or self.sketched(where, BUSY)
        if play is not None:
            return Found(play, found.depth)
        proof = self.prove(where, thorough=False)
        if proof is not None:
            return proof
        play = self.along(where, QUIET, self.engines.limit, pretty=True)
        if play is not None:
            return Found(play, found.depth)
        proof = self.by_spacer(where) if self.engines.engine == "auto" else None
        return proof or self.further(where, found, BUSY, pretty=True)

    def seek(self, where: x.Expr, pretty: bool = True) -> Found:
        """A play that goes wrong."""
        found = self.shallow(where, pretty)
        return (
            found
            if found.counterexample is not None or found.limit
            else self.further(where, found, QUIET + BUSY, pretty)
        )

    def shown(self, where: x.Expr) -> Counterexample | None:
        """A play that goes wrong, if there is no cheap proof that there is none, and it is not hard to find."""
        if self.quick(where) is not None:
            return None
        found = self.shallow(where, pretty=True)
        return found.counterexample or self.along(where, SHOWN, self.engines.limit // HASTE, pretty=True)

    def shallow(self, where: x.Expr, pretty: bool) -> Found:
        """The shortest play that goes wrong, if it is short."""
        deepest = min(SHALLOW, self.engines.deepest)
        system, limit = self.engines.system, self.engines.limit
        if self.local is not None:
            sketch = search(self.local.engines.system, self.of, where, deepest, limit, pretty)
            if sketch.counterexample is not None:
                play = filled(system, self.of, sketch.counterexample, where, limit, pretty)
                if play is not None and play.depth == sketch.counterexample.depth:
                    return Found(play, sketch.depth)
            elif not sketch.limit:
                return sketch
        return search(system, self.of, where, deepest, limit, pretty)

    def further(self, where: x.Expr, found: Found, tours: tuple[tuple[int, int], ...], pretty: bool) -> Found:
        """A longer play: along the turn, then anyhow; `found` is what came of the short ones."""
        system, limit, deepest = self.engines.system, self.engines.limit, self.engines.deepest
        play = self.along(where, tours, limit, pretty)
        if play is not None:
            return Found(play, found.depth)
        for depth in (depth for depth in HORIZONS if depth <= deepest):
            longer = within(system, self.of, where, depth, limit, pretty)
            if longer.counterexample is not None:
                return longer
            if longer.limit:
                return Found(None, found.depth, limit=True)
            found = longer
        return found

    def along(
        self, where: x.Expr, tours: tuple[tuple[int, int], ...], limit: int, pretty: bool
    ) -> Counterexample | None:
        """A play along the turn; none, if only short plays are looked for at all."""
        for tour in tours if self.engines.deepest > SHALLOW else ():
            sketch = self.sketch(where, tour, limit, pretty)
            if sketch is not None and sketch.counterexample is None and not sketch.limit:
                continue
            play = self.filled(sketch, where, limit, pretty)
            if play is not None:
                return play
            found = deep(self.engines.system, self.of, where, *tour, limit, pretty)
            if found.counterexample is not None:
                return found.counterexample
        return None

    def sketched(self, where: x.Expr, tours: tuple[tuple[int, int], ...]) -> Counterexample | None:
        """A play along the turn, found as one of the coarser system."""
        limit = self.engines.limit // 2
        for tour in tours if self.engines.deepest > SHALLOW else ():
            play = self.filled(self.sketch(where, tour, limit, pretty=True), where, limit, pretty=True)
            if play is not None:
                return play
        return None

    def sketch(self, where: x.Expr, tour: tuple[int, int], limit: int, pretty: bool) -> Found | None:
        """A play of the coarser system along the turn: where it has none, there is none at all; None without one."""
        return None if self.local is None else deep(self.local.engines.system, self.of, where, *tour, limit, pretty)

    def filled(self, sketch: Found | None, where: x.Expr, limit: int, pretty: bool) -> Counterexample | None:
        """The play of which one of the coarser system is a sketch, if there is one."""
        if sketch is None or sketch.counterexample is None:
            return None
        return filled(self.engines.system, self.of, sketch.counterexample, where, limit, pretty)

    @property
    def local(self) -> Safety | None:
        """The same question of the coarser system in which it is tried first."""
        if self._part:
            return None
        if not self._local and self.of.stretches:
            engines, names = self.engines.alone(tuple((one.command, one.begins, one.ends) for one in self.of.stretches))
            parts = [
                replace(one, command=name, begins=begins, ends=ends)
                for one in self.of.stretches for name, begins, ends in [names[one.command, one.begins, one.ends]]
            ]  # fmt: skip
            if all(one.begins >= 0 for one in self.of.stretches):
                of = Property(stretches=tuple(dict.fromkeys(parts)))
                self._local.append(Safety(engines, of, self.rough, _part=True))
        elif not self._local:
            engines_of = self.engines.localised(self.of)
            if engines_of is not None:
                self._local.append(Safety(engines_of, self.of, self.rough))
        return self._local[0] if self._local else None

    def in_part(self, where: x.Expr) -> Proof | None:
        """A proof for a coarser system, in which more can happen."""
        if self.local is None or self.engines.engine not in ("auto", "induction"):
            return None
        if where not in self._tried:
            if self.of.stretches:
                self._tried[where] = self.local.inductive((), where, 0)
            else:
                self._tried[where] = self.local.quick(where) or self.local.by_lemmas(where)
        proof = self._tried[where]
        if proof is not None:
            self._found_there.append(proof)
        return proof

    def of_one_happening(self, where: x.Expr) -> Proof | Found:
        """A proof or a play, where a part of one happening is in question: what holds from any state is tried first."""
        proof = self.in_part(where) or self.inductive((), where, 0)
        if proof is not None:
            return proof
        play = self.otherwise(where) if self.holds_as_usual(where) else self.usually(where, FIGHTS)
        if play is None:
            proof = self.quick(where) or self.prove(where, thorough=False)
        return proof or Found(play, -1)

    def holds_as_usual(self, where: x.Expr) -> bool:
        """Whether nothing goes wrong from any state where readings are as usual, as far as `where` lets them."""
        choices = usual_choices(self.engines.system, where, self.engines.limit)
        if choices is None:
            return False
        usual = x.all_of(x.Chosen(name, option) for name, option in choices)
        parts = replace(self.local or self, rough=True)
        return parts.inductive((), usual, 0) is not None

    def otherwise(self, where: x.Expr) -> Counterexample | None:
        """A play that goes wrong where one reading is not as usual; only what the question can turn on is tried."""
        system = (self.local or self).engines.system
        spoken = (e for c in system.commands for b in c.blocks for e in (b.when, *(u.value for u in b.updates)))
        named = {e.selector for e in x.walk(spoken) if isinstance(e, x.Chosen)}
        named |= {e.selector for e in x.walk(one.wrong for one in self.of.stretches) if isinstance(e, x.Chosen)}
        usual = dict(usual_choices(self.engines.system, where, self.engines.limit) or ())
        for selector in (s for s in system.selectors if s.name in named and usual):
            for option in (o for o in selector.options if o != usual[selector.name]):
                there = x.both(where, x.Chosen(selector.name, option))
                if usual_choices(self.engines.system, there) is not None and not self.holds_as_usual(there):
                    play = self.usually(there, FIGHTS)
                    if play is not None:
                        return play
        return None

    def usually(self, where: x.Expr, tours: tuple[tuple[int, int], ...]) -> Counterexample | None:
        """A play along the turn where readings are as usual, as far as `where` lets them."""
        choices = usual_choices(self.engines.system, where, self.engines.limit)
        if choices is None:
            return None
        small = settled(self.engines.system, choices)
        of = small.of(self.of)
        everywhere = x.all_of(x.Chosen(name, option) for name, option in choices)
        for rounds, turns in tours:
            found = deep(small.system, of, everywhere, rounds, turns, self.engines.limit)
            if found.counterexample is not None:
                return small.in_the_whole(self.of, found.counterexample)
        return None

    def quick(self, where: x.Expr) -> Proof | None:
        """A proof without lemmas, or with those that speak of the same things."""
        if self.engines.engine not in ("auto", "induction"):
            return None
        proof = None if self.of.stretches else self.in_part(where)
        proof = proof or self.inductive((), where, 0 if self.of.stretches else 1)
        if proof is not None:
            return proof
        lemmas = self.engines.lemmas(self.near)
        return self.inductive(lemmas, where, 1) if lemmas else None

    @property
    def near(self) -> frozenset[str]:
        """What the question speaks of, and what decides whether a moment comes of which it speaks."""
        moments = {moment for moment, _ in self.of.moments}
        reached = (
            cond for command in self.engines.system.commands for block in command.blocks
            for moment, cond in block.reached if moment in moments
        )  # fmt: skip
        return self.of.spoken | x.variables(reached)

    def prove(self, where: x.Expr, thorough: bool = True) -> Proof | None:
        """A proof with all lemmas, then with those that the question itself suggests, then with what Spacer finds."""
        engine = self.engines.engine
        proof = None
        if engine in ("auto", "induction"):
            proof = (None if self.of.stretches else self.in_part(where)) or self.by_lemmas(where)
        wanted = engine == "spacer" or (engine == "auto" and thorough)
        return self.by_spacer(where) if proof is None and wanted else proof

    def by_lemmas(self, where: x.Expr) -> Proof | None:
        system, limit = self.engines.system, self.engines.limit
        known = self.engines.lemmas()
        proof = self.inductive(known, where)
        if proof is not None:
            return proof
        suggested = list(about(system, self.of))
        if where != x.TRUE:
            # Where some readings are settled, more may hold than under all of them.
            suggested += [guess for guess in near(system, self.near) if guess not in known]
        more = inductive(system, suggested, limit, known, where)
        return self.inductive(known + more, where) if more else None

    def by_spacer(self, where: x.Expr) -> Proof | None:
        if self.of.stretches:
            return None
        found = invariants(self.engines.system, self.of, where, self.engines.limit // SPACER_SHARE)
        proof = self.inductive(found, where, 1) if found else None
        return None if proof is None else replace(proof, engine="spacer")

    def inductive(self, lemmas: tuple[x.Expr, ...], where: x.Expr, deepest: int = 2) -> Proof | None:
        return Prover(self.engines.system, lemmas, self.engines.limit, rough=self.rough).prove(self.of, where, deepest)

    def others(self, where: x.Expr, proof: Proof) -> tuple[tuple[str, ...], ...]:
        """Other sets of rules that prove the same, none of which can be dropped from its set."""
        if self.local is not None and any(proof is other for other in self._found_there):
            return self.local.others(where, proof)
        found: list[tuple[str, ...]] = []
        for rule in (rule for rule in proof.rules if rule not in self.of.presumes):
            for lemmas in ((),) if self.of.stretches else ((), self.engines.lemmas(self.near)):
                prover = Prover(self.engines.system, lemmas, self.engines.limit, frozenset({rule}))
                other = prover.prove(self.of, where, deepest=0 if self.of.stretches else 1)
                if other is not None:
                    rules = prover.leanest(self.of, where, other).rules
                    found += [rules] if rules not in found else []
                    break
        return tuple(found[:MOST_OTHERS])

    def resists(self, where: x.Expr) -> str:
        """Where an induction fails, in words."""
        prover = Prover(self.engines.system, self.engines.lemmas(), self.engines.limit)
        found = prover.resisting(self.of, where)
        return "" if found is None else f"; induction stops at `{found[1]}` in {found[0]}"

    def lean(self, where: x.Expr, proof: Proof) -> Proof:
        """A proof with as few rules; lemmas that all these rules made inductive may have to go."""
        if self.local is not None and any(proof is other for other in self._found_there):
            lean = self.local.lean(where, proof)
            self._found_there.append(lean)
            return lean
        return Prover(self.engines.system, proof.lemmas, self.engines.limit).leanest(self.of, where, proof)

    def decisive(self, play: Counterexample) -> tuple[str, ...]:
        """The readings that make a difference to a play that goes wrong."""
        return decisive(self.engines.system, self.of, play, self.engines.limit)

    def again(self, play: Counterexample, where: x.Expr) -> Counterexample | None:
        """The same play where readings are otherwise, if it goes wrong there too."""
        return again(self.engines.system, self.of, play, where, self.engines.limit)

    def alike(self, play: Counterexample, where: x.Expr, hastily: bool = False) -> Counterexample | None:
        """A play of the same sorts of things, or as long, that goes wrong where readings are otherwise."""
        limit = self.engines.limit // HASTE if hastily else self.engines.limit
        if self.local is not None and not self.of.stretches:
            sketch = alike(self.local.engines.system, self.of, play, where, limit, freely=not hastily)
            if sketch is not None:
                same = filled(self.engines.system, self.of, sketch, where, limit, pretty=False)
                if same is not None:
                    return same
        return alike(self.engines.system, self.of, play, where, limit, freely=not hastily)
