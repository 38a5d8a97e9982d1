"""The verdict on a property: proved for all readings at once, or else by which readings it stands and falls.

First all readings and policies are left free. If that is no proof, plays are looked for that go wrong, those with
default readings first; for each, the smallest set of readings that it needs is named and shut out, and what remains
is tried anew, until the rest is proved or nothing more is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from turnproof.solve.ask import DEFAULT_LIMIT
from turnproof.solve.induction import Proof, Prover
from turnproof.solve.lemmas import guesses, inductive, near
from turnproof.solve.property import Property
from turnproof.solve.search import HORIZONS, SHALLOW, Counterexample, Found, again, decisive, search
from turnproof.system import expr as x
from turnproof.system.system import System
from turnproof.verdict.result import Case, Verdict

MOST_SETS = 16
DEEPEST = HORIZONS[-1]


@dataclass(slots=True)
class Decider:
    """Decides properties of one system, one after the other."""

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

    def decide(self, of: Property, fixed: Mapping[str, str] | None = None) -> Verdict:
        """The verdict on a property, in games where the readings `fixed` are settled."""
        settled = dict(fixed or {})
        where = x.all_of(x.Chosen(name, option) for name, option in settled.items())
        found = self.attempt(of, where)
        if isinstance(found, Proof):
            lean = self.lean(of, where, found)
            return Verdict("proved", "induction", (Case(settled, "proved", proof=lean),), depth=lean.depth)
        return self.divided(of, where, settled, found)

    def attempt(self, of: Property, where: x.Expr, pretty: bool = True) -> Proof | Found:
        """A proof or a play that goes wrong, whichever is found first; the cheap ways come before the others."""
        proof = self.quick(of, where)
        if proof is not None:
            return proof
        found = search(self.system, of, where, min(SHALLOW, self.deepest), self.limit, pretty)
        if found.counterexample is not None or found.limit:
            return found
        proof = self.prove(of, where)
        if proof is not None or self.deepest <= SHALLOW:
            return proof or found
        return search(self.system, of, where, self.deepest, self.limit, pretty)

    def lean(self, of: Property, where: x.Expr, proof: Proof) -> Proof:
        """A proof with as few rules; lemmas that all these rules made inductive may have to go."""
        return Prover(self.system, proof.lemmas, self.limit).leanest(of, where, proof)

    def prove(self, of: Property, where: x.Expr) -> Proof | None:
        """A proof with all lemmas."""
        return Prover(self.system, self.lemmas(), self.limit).prove(of, where)

    def quick(self, of: Property, where: x.Expr) -> Proof | None:
        """A proof without lemmas, or with those that speak of the same things."""
        proof = Prover(self.system, (), self.limit).prove(of, where, deepest=1)
        if proof is not None:
            return proof
        lemmas = self.lemmas(of.spoken)
        return Prover(self.system, lemmas, self.limit).prove(of, where, deepest=1) if lemmas else None

    def divided(self, of: Property, where: x.Expr, settled: dict[str, str], found: Proof | Found) -> Verdict:
        """The verdict where there is no proof for all readings; `found` is what the first attempt came to."""
        refuted: list[Case] = []
        shut_out: list[x.Expr] = []
        while len(refuted) < MOST_SETS:
            if isinstance(found, Proof):
                kept = Case(self.otherwise(refuted), "proved", proof=self.lean(of, x.both(where, *shut_out), found))
                return self.dependent([*refuted, kept], _names(refuted), complete=True)
            play = found.counterexample
            if play is None:
                return self.unfinished(refuted, found)
            matter = decisive(self.system, of, play, self.limit)
            needs = self.needed(matter, play, settled)
            if not needs:
                return self.by_default(of, where, settled, play, matter)
            refuted = [case for case in refuted if not needs.items() <= case.readings.items()]
            refuted.append(Case(needs, "refuted", "default", counterexample=play))
            shut_out.append(x.negate(x.all_of(x.Chosen(name, option) for name, option in needs.items())))
            found = self.attempt(of, x.both(where, *shut_out))
        return self.dependent(refuted, _names(refuted), complete=False)

    def needed(self, matter: Iterable[str], play: Counterexample, settled: Mapping[str, str]) -> dict[str, str]:
        """Of the readings that make a difference to a play, those off their default.

        For an open question its first answer stands in for the default: what matters is whether another differs.
        """
        usual = {s.name: s.default or s.options[0] for s in self.system.selectors}
        choices = play.world.choices
        return {name: choices[name] for name in matter if name not in settled and choices[name] != usual[name]}

    def by_default(
        self, of: Property, where: x.Expr, settled: dict[str, str], play: Counterexample, matter: tuple[str, ...]
    ) -> Verdict:
        """The verdict where a play goes wrong with every reading at its default: do others save the claim?"""
        case = Case(settled, "refuted", "default" if matter else "any", counterexample=play)
        saved: list[Case] = []
        undecided = []
        complete = True
        for selector in (s for s in self.system.selectors if s.name in matter and s.name not in settled):
            for option in (o for o in selector.options if o != play.world.choices[selector.name]):
                found = self.instead(of, where, settled, play, selector.name, option)
                if isinstance(found, Case):
                    saved.append(found)
                elif found.counterexample is None:
                    undecided.append(f"{selector.name} = {option}")
                complete = complete and isinstance(found, Case) and found.others == "any"
        complete = complete and len(set(matter) - set(settled)) <= 1
        why = f"not decided under {', '.join(undecided)}" if undecided else ""
        if saved:
            return self.dependent([case, *saved], _names(saved), complete, why)
        return Verdict("refuted", "bounded search", (case,), depth=play.depth, complete=complete, why=why)

    def instead(
        self, of: Property, where: x.Expr, settled: dict[str, str], play: Counterexample, name: str, option: str
    ) -> Case | Found:
        """What becomes of a claim that a play refutes if one reading is another: a case where it is proved, or not."""
        chosen = x.both(where, x.Chosen(name, option))
        proof = self.quick(of, chosen)
        if proof is not None:
            return Case({name: option}, "proved", proof=proof)
        usual = x.both(where, self.usually(settled, name, option))
        same = again(self.system, of, play, usual, self.limit)
        if same is not None:
            return Found(same, 0)
        found = self.attempt(of, usual, pretty=False)
        if isinstance(found, Found):
            return found
        everywhere = self.prove(of, chosen)
        others = "any" if everywhere else "default"
        return Case({name: option}, "proved", others, proof=everywhere or found)

    def usually(self, settled: Mapping[str, str], name: str, option: str) -> x.Expr:
        """One reading settled in a way, and the others that have a default at it."""
        others = [s for s in self.system.selectors if s.name not in settled and s.name != name]
        return x.all_of([x.Chosen(name, option), *(x.Chosen(s.name, s.default) for s in others if s.default)])

    def dependent(self, cases: list[Case], reasons: tuple[str, ...], complete: bool, why: str = "") -> Verdict:
        """`depends`, or what it is called when it turns on an open question or on a clash of rules alone."""
        is_open = {s.name for s in self.system.selectors if s.default is None}
        name = "depends"
        if set(reasons) & is_open:
            name = "silent"
        elif set(reasons) == {"clash"}:
            name = "contradiction"
        return Verdict(name, "induction, bounded search", tuple(cases), reasons, complete, why=why)

    def unfinished(self, refuted: list[Case], found: Found) -> Verdict:
        """The verdict where the rest could be neither proved nor refuted."""
        if found.limit:
            why = f"the solver's limit of {self.limit:,} units was hit beyond {found.depth} happenings"
        else:
            why = f"no induction was found, and no play of at most {found.depth} happenings goes wrong"
        if refuted:
            why = f"it fails under {_said(refuted)}; for the other readings {why}"
        return Verdict("unknown", "induction, bounded search", tuple(refuted), _names(refuted), False, found.depth, why)

    def otherwise(self, refuted: Iterable[Case]) -> dict[str, str]:
        """The readings of the rest, where one other option is all there is."""
        cases = list(refuted)
        if len(cases) != 1 or len(cases[0].readings) != 1:
            return {}
        ((name, option),) = cases[0].readings.items()
        others = [o for s in self.system.selectors if s.name == name for o in s.options if o != option]
        return {name: others[0]} if len(others) == 1 else {}


def _names(cases: Iterable[Case]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for case in cases for name in case.readings))


def _said(cases: Iterable[Case]) -> str:
    return "; ".join(" and ".join(f"{name} = {option}" for name, option in case.readings.items()) for case in cases)
