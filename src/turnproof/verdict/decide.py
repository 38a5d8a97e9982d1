"""The verdict on a question: proved for all readings at once, or else by which readings it stands and falls.

First all readings and policies are left free. If that is no proof, plays are looked for that go wrong, those with
default readings first; for each, the smallest set of readings that it needs is named and shut out, and what remains
is tried anew, until the rest is proved or nothing more is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from turnproof.solve.ask import Session
from turnproof.solve.happenings import Happenings
from turnproof.solve.liveness import Endless, StaysBounded, TurnsCanEnd
from turnproof.solve.plays import Counterexample, Found
from turnproof.solve.proof import Proof
from turnproof.solve.property import (
    Bounded,
    Choosable,
    Compared,
    GamesEnd,
    Goal,
    NoEndlessTurn,
    Possible,
    Property,
    TurnsEnd,
)
from turnproof.solve.safety import Engines, Safety
from turnproof.solve.settle import pinned
from turnproof.solve.smt import Script, codes
from turnproof.system import expr as x
from turnproof.system.system import System
from turnproof.verdict.result import Case, Verdict

MOST_SETS = 16
SEARCHES = "induction, bounded search"


class Approach(Protocol):
    """How one question is decided where some readings are settled; `Safety` is one."""

    def attempt(self, where: x.Expr) -> Proof | Found:
        """A proof, or a play that shows the contrary, or neither."""

    def seek(self, where: x.Expr, pretty: bool = True) -> Found:
        """A play that shows the contrary."""

    def quick(self, where: x.Expr) -> Proof | None:
        """A proof that is cheap."""

    def prove(self, where: x.Expr, thorough: bool = True) -> Proof | None:
        """A proof with all means or, if it is not to be `thorough`, with all but the most costly ones."""

    def lean(self, where: x.Expr, proof: Proof) -> Proof:
        """A proof from which no rule can be dropped."""

    def resists(self, where: x.Expr) -> str:
        """Why there is no proof, as the end of a sentence."""

    def decisive(self, play: Counterexample) -> tuple[str, ...]:
        """The readings that make a difference to a play."""

    def again(self, play: Counterexample, where: x.Expr) -> Counterexample | None:
        """The same play where readings are otherwise, if it still shows the contrary."""

    def alike(self, play: Counterexample, where: x.Expr, hastily: bool = False) -> Counterexample | None:
        """A play of about the same length where readings are otherwise; `hastily`, if one like it is easily found."""


@dataclass(slots=True)
class Decider:
    """Decides questions about one system, one after the other."""

    engines: Engines
    _under: dict[tuple[tuple[str, str], ...], Decider] = field(default_factory=dict)

    @property
    def system(self) -> System:
        return self.engines.system

    def decide(self, of: Goal, fixed: Mapping[str, str] | None = None) -> Verdict:
        """The verdict on a question, in games where the readings `fixed` are settled."""
        settled = dict(fixed or {})
        of_whole_games = isinstance(of, Possible | Bounded) or (isinstance(of, Property) and not of.stretches)
        if settled and not of_whole_games:
            return self.under(settled)._decide(of, settled)
        return self._decide(of, settled)

    def under(self, readings: Mapping[str, str]) -> Decider:
        """What decides questions about the same game where some readings are settled from the beginning."""
        key = tuple(sorted(readings.items()))
        if key not in self._under:
            system = pinned(self.system, key)
            self._under[key] = Decider(replace(self.engines, system=system, simpler=None, _lemmas={}, _locals={}))
        return self._under[key]

    def _decide(self, of: Goal, settled: dict[str, str]) -> Verdict:
        match of:
            case Property():
                approach = Safety(self.engines, of)
                verdict = self.unless_vacuous(of, settled, self.by_readings(approach, settled))
                if verdict.verdict == "proved" and verdict.proof is not None:
                    return replace(verdict, also=approach.others(_where(settled), verdict.proof))
                return verdict
            case Choosable() | Compared():
                return self.of_one_happening(Happenings(self.engines, of), settled)
            case Possible(event):
                return self.possible(Safety(self.engines, event), settled)
            case TurnsEnd():
                return self.by_readings(TurnsCanEnd(self.engines), settled)
            case NoEndlessTurn(excepted):
                return self.by_readings(Endless(self.engines, excepted), settled)
            case GamesEnd(ends):
                if not any(self.in_the_text(selection, settled) for selection in ends):
                    return Verdict("silent", "none", why="no rule says how a game ends")
                return self.by_readings(Endless(self.engines, whole_games=True), settled)
            case Bounded(amount):
                return self.by_readings(StaysBounded(self.engines, amount=amount), settled)

    def of_one_happening(self, approach: Happenings, settled: dict[str, str]) -> Verdict:
        """The verdict on what is claimed of choices in one happening, or of two compared: proved, or not known."""
        where = _where(settled)
        found = approach.prove(where)
        if isinstance(found, Proof):
            return Verdict("proved", found.engine, (Case(settled, "proved", proof=found),), depth=0)
        usual = {s.name: s.default for s in self.system.selectors if s.default and s.name not in settled}
        known = approach.prove(x.both(where, _where(usual))) if usual else found
        if not isinstance(known, Proof):
            return Verdict("unknown", "one happening", complete=False, why=found)
        loose = tuple(
            name for name in usual
            if isinstance(approach.prove(x.both(where, _where({k: v for k, v in usual.items() if k != name}))), str)
        )  # fmt: skip
        turns = " or ".join(loose) or "several readings together"
        why = f"it is proved with every reading at its default; where {turns} is otherwise, {found}"
        case = Case(settled, "proved", "default", proof=known)
        return Verdict("unknown", "one happening", (case,), loose, False, why=why)

    def in_the_text(self, selection: tuple[str, str] | None, settled: Mapping[str, str]) -> bool:
        """Whether what a reading says is part of the rules: not if it is one answer to a question left open."""
        if selection is None:
            return True
        name, option = selection
        is_open = any(s.name == name and s.default is None for s in self.system.selectors)
        return not is_open or settled.get(name) == option

    def unless_vacuous(self, of: Property, settled: dict[str, str], verdict: Verdict) -> Verdict:
        """A proof that the occasion of which a claim speaks never comes says more than that the claim holds."""
        if verdict.verdict != "proved" or of.premise is None:
            return verdict
        approach = Safety(self.engines, of.premise)
        where = _where(settled)
        never = approach.inductive((), where, 0) if of.stretches else approach.quick(where)
        if never is None:
            return verdict
        lean = approach.lean(_where(settled), never)
        return Verdict("vacuous", "induction", (Case(settled, "proved", proof=lean),), depth=lean.depth)

    def possible(self, approach: Safety, settled: dict[str, str]) -> Verdict:
        """Whether something can come about: a play shows it for all readings that make no difference to it."""
        where = _where(settled)
        shown: list[Case] = []
        usual = {s.name: s.default for s in self.system.selectors if s.default and s.name not in settled}
        first = approach.shown(x.both(where, _where(usual)))
        found = approach.attempt(where) if first is None else Found(first, first.depth)
        while len(shown) < MOST_SETS:
            if isinstance(found, Proof):
                case = Case(_rest(self.system, shown, settled), "refuted", proof=approach.lean(where, found))
                if not shown:
                    return Verdict("refuted", "induction", (case,), depth=found.depth)
                return self.dependent([*shown, case], _names(shown, settled), complete=True)
            play = found.counterexample
            if play is None:
                why = self.unfound(approach, where, found, "shows it")
                if shown:
                    why = f"it can come about under {_said(shown)}; for the other readings {why}"
                return self.undecided(found, why, tuple(shown), _names(shown, settled))
            matter = {name: play.world.choices[name] for name in approach.decisive(play) if name not in settled}
            shown.append(Case({**settled, **matter}, "proved", counterexample=play))
            where = x.both(where, x.negate(_where(matter)))
            if not self.some_reading(where):
                return Verdict("proved", "bounded search", tuple(shown), depth=play.depth)
            same = approach.again(play, where) or approach.alike(play, where, hastily=True)
            found = approach.attempt(where) if same is None else Found(same, 0)
        names = _names(shown, settled)
        return Verdict("unknown", SEARCHES, tuple(shown), names, False, why="the readings are too many")

    def some_reading(self, where: x.Expr) -> bool:
        """Whether there are readings of which a condition is true."""
        script = Script(self.system, codes(self.system))
        script.rigid(tags_free=False)
        script.require(script.expr(where, {}, {}))
        return Session(script.text, self.engines.limit).ask().status != "unsat"

    def by_readings(self, approach: Approach, settled: dict[str, str]) -> Verdict:
        """The verdict where something either is proved or shown by a play to fail."""
        where = _where(settled)
        found = approach.attempt(where)
        if isinstance(found, Proof):
            lean = approach.lean(where, found)
            return Verdict("proved", lean.engine, (Case(settled, "proved", proof=lean),), depth=lean.depth)
        return self.divided(approach, where, settled, found)

    def divided(self, approach: Approach, where: x.Expr, settled: dict[str, str], found: Proof | Found) -> Verdict:
        """The verdict where there is no proof for all readings; `found` is what the first attempt came to."""
        refuted: list[Case] = []
        shut_out: list[x.Expr] = []
        while len(refuted) < MOST_SETS:
            if isinstance(found, Proof):
                proof = approach.lean(x.both(where, *shut_out), found)
                kept = Case(_rest(self.system, refuted, {}), "proved", proof=proof)
                return self.dependent([*refuted, kept], _names(refuted), complete=True)
            play = found.counterexample
            if play is None:
                return self.unfinished(approach, where, settled, refuted, found)
            matter = approach.decisive(play)
            needs = self.needed(matter, play, settled)
            if not needs:
                return self.by_default(approach, where, settled, play, matter)
            refuted = [case for case in refuted if not needs.items() <= case.readings.items()]
            refuted.append(Case(needs, "refuted", "default", counterexample=play))
            shut_out.append(x.negate(_where(needs)))
            found = approach.attempt(x.both(where, *shut_out))
        return self.dependent(refuted, _names(refuted), complete=False)

    def needed(self, matter: Iterable[str], play: Counterexample, settled: Mapping[str, str]) -> dict[str, str]:
        """Of the readings that make a difference to a play, those off their default.

        For an open question its first answer stands in for the default: what matters is whether another differs.
        """
        usual = {s.name: s.usual for s in self.system.selectors}
        choices = play.world.choices
        return {name: choices[name] for name in matter if name not in settled and choices[name] != usual[name]}

    def by_default(
        self, approach: Approach, where: x.Expr, settled: dict[str, str], play: Counterexample, matter: tuple[str, ...]
    ) -> Verdict:
        """The verdict where a play goes wrong with every reading at its default: do others save the claim?"""
        case = Case(settled, "refuted", "default" if matter else "any", counterexample=play)
        saved: list[Case] = []
        undecided = []
        complete = True
        for selector in (s for s in self.system.selectors if s.name in matter and s.name not in settled):
            for option in (o for o in selector.options if o != play.world.choices[selector.name]):
                found = self.instead(approach, where, settled, play, selector.name, option)
                if isinstance(found, Case):
                    saved.append(found)
                elif found.counterexample is None:
                    undecided.append(f"{selector.name} = {option}")
                complete = complete and isinstance(found, Case) and found.others == "any"
        complete = complete and len(set(matter) - set(settled)) <= 1
        why = f"not decided under {', '.join(undecided)}" if undecided else ""
        if saved:
            return self.dependent([case, *saved], _names(saved), complete, why)
        engine = "bounded search" if play.then is None else f"bounded search, {play.then.engine}"
        return Verdict("refuted", engine, (case,), depth=play.depth, complete=complete, why=why)

    def instead(
        self, approach: Approach, where: x.Expr, settled: dict[str, str], play: Counterexample, name: str, option: str
    ) -> Case | Found:
        """What becomes of a claim that a play refutes if one reading is another: a case where it is proved, or not."""
        chosen = x.both(where, x.Chosen(name, option))
        usual = x.both(where, self.usually(settled, name, option))
        same = approach.again(play, usual)
        proof = approach.quick(chosen) if same is None else None
        if proof is not None:
            return Case({name: option}, "proved", proof=proof)
        same = same or approach.alike(play, usual, hastily=True)
        if same is not None:
            return Found(same, 0)
        proof = approach.prove(usual, thorough=False)
        if proof is None:
            other = approach.alike(play, usual)
            if other is not None:
                return Found(other, 0)
            proof = approach.prove(usual)
        if proof is None:
            return approach.seek(usual, pretty=False)
        everywhere = approach.prove(chosen, thorough=False)
        return Case({name: option}, "proved", "any" if everywhere else "default", proof=everywhere or proof)

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
        elif reasons and set(reasons) <= {"clash", "values"}:
            name = "contradiction"
        return Verdict(name, SEARCHES, tuple(cases), reasons, complete, why=why)

    def unfinished(
        self, approach: Approach, where: x.Expr, settled: dict[str, str], refuted: list[Case], found: Found
    ) -> Verdict:
        """The verdict where the rest could be neither proved nor refuted, not even for the default readings perhaps."""
        why = self.unfound(approach, where, found)
        if refuted:
            why = f"it fails under {_said(refuted)}; for the other readings {why}"
            return self.undecided(found, why, tuple(refuted), _names(refuted))
        usual = {s.name: s.default for s in self.system.selectors if s.default and s.name not in settled}
        proof = approach.prove(x.both(where, _where(usual))) if usual else None
        if proof is None:
            return self.undecided(found, why)
        loose = tuple(
            name for name in usual
            if approach.prove(x.both(where, _where({k: v for k, v in usual.items() if k != name}))) is None
        )  # fmt: skip
        case = Case(settled, "proved", "default", proof=approach.lean(x.both(where, _where(usual)), proof))
        turns = " or ".join(loose) or "several readings together"
        why = f"it is proved with every reading at its default; where {turns} is otherwise, {why}"
        return self.undecided(found, why, (case,), loose)

    def undecided(self, found: Found, why: str, cases: tuple[Case, ...] = (), reasons: tuple[str, ...] = ()) -> Verdict:
        """What is said where there is no proof and no play; `bounded` if only plays were looked for."""
        searched = self.engines.engine == "search" and not found.limit and found.depth >= 0
        return Verdict("bounded" if searched else "unknown", SEARCHES, cases, reasons, False, found.depth, why)

    def unfound(self, approach: Approach, where: x.Expr, found: Found, does: str = "goes wrong") -> str:
        """Why there is neither a proof nor a play."""
        if found.limit:
            return f"the solver's limit of {self.engines.limit:,} units was hit beyond {found.depth} happenings"
        if self.engines.engine == "search" and found.depth >= 0:
            return f"no play of at most {found.depth} happenings {does}, and no proof was looked for"
        gone = f", and no play of at most {found.depth} happenings {does}" if found.depth >= 0 else ""
        return f"no induction was found{gone}{approach.resists(where)}"


def _where(readings: Mapping[str, str]) -> x.Expr:
    """That readings are settled so."""
    return x.all_of(x.Chosen(name, option) for name, option in readings.items())


def _rest(system: System, cases: Iterable[Case], settled: Mapping[str, str]) -> dict[str, str]:
    """The readings that are left beside those of some cases, where one other option is all there is."""
    found = [{name: option for name, option in case.readings.items() if name not in settled} for case in cases]
    if len(found) != 1 or len(found[0]) != 1:
        return dict(settled)
    ((name, option),) = found[0].items()
    others = [o for s in system.selectors if s.name == name for o in s.options if o != option]
    return {**settled, name: others[0]} if len(others) == 1 else dict(settled)


def _names(cases: Iterable[Case], settled: Iterable[str] = ()) -> tuple[str, ...]:
    """The readings that some cases name, beside those settled from the beginning."""
    return tuple(dict.fromkeys(name for case in cases for name in case.readings if name not in settled))


def _said(cases: Iterable[Case]) -> str:
    return "; ".join(" and ".join(f"{name} = {option}" for name, option in case.readings.items()) for case in cases)
