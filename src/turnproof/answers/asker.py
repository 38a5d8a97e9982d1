"""What all questions share: the scene, and the way from outcomes to an answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import comb, factorial, prod

from turnproof.answers.answer import Answer, AnswerCase, Event
from turnproof.answers.counts import together
from turnproof.answers.facts import fact_name, fact_value, whose_turn
from turnproof.answers.ground import Ground
from turnproof.answers.judge import Judge, Outcome
from turnproof.answers.prepared import Built, Prepared
from turnproof.answers.scene import Cast, Stage
from turnproof.answers.words import vocabulary
from turnproof.diagnostics import suggestion
from turnproof.language import syntax as s
from turnproof.rulebook.elaborate import Elaborator, History, Piece
from turnproof.rulebook.model import VALUES, Rulebook
from turnproof.rulebook.refs import play_problem
from turnproof.solve.ask import Model
from turnproof.system import expr as x
from turnproof.system.build import Build
from turnproof.system.system import System, Variable

NO, YES, SILENT, CLASH = 0, 1, 2, 3
NAMES = {NO: "no", YES: "yes", SILENT: "silent", CLASH: "contradiction"}


DICE = "dice showing "
OTHERWISE = "readings are at their default here; others would make a difference"
# So many throws that differ are looked at one by one, to tell how likely each answer is.
MOST_THROWS = 5_000
# Of other answers than amounts, so many cases are shown.
MOST_EXAMPLES = 3


class Asker:
    """One question, with the readings that are settled for it."""

    def __init__(
        self, book: Rulebook, text: str, words: str, asked: s.Asked, readings: dict[str, str], limit: int, built: Built
    ) -> None:
        self.book, self.text, self.words, self.asked = book, text, words, asked
        self.readings, self.limit, self.built = readings, limit, built
        self.history = History()
        self.maker = Build(book, self.history)
        self.el: Elaborator = self.maker.el
        self.stage = Stage(book, self.el, asked, built.unchanged)
        self.casts: list[Cast] = []
        # What the numbers of a choice stand for, where they are not amounts.
        self.names: dict[str, list[str]] = {}
        # What pieces are called that a play needs and the question does not name, by who is active and their keys.
        self.unnamed: dict[str, dict[str, str]] = {}
        self._judge: Judge | None = None

    def known(self) -> list[x.Expr]:
        """What is so in every state to which a game can come, as far as counts tell."""
        return list(together(self.book, self.history.counts))

    def cast(self, plays: Iterable[s.PlayRef]) -> list[Cast]:
        self.stage.sense()
        self.casts = list(self.stage.casts(plays))
        self.stage.finish(self.words)
        return self.casts

    def system(self) -> System:
        """Variables and readings, without what happens: enough for what is asked of one state."""
        return self.maker.still()

    def whole(self) -> Prepared:
        """The whole system, with all that the question wants remembered."""
        found = self.built.whole(self.history)
        self.history = found.history
        return found

    def check_plays(self, plays: Iterable[s.PlayRef], steps: Iterable[str]) -> None:
        for step in steps:
            if step not in self.book.steps:
                hint = suggestion(step, self.book.steps)
                self.stage.problem("TP030", f"no phase or step is called `{step}`", self.asked.span, hint)
        for ref in (*plays, *(event.play for event in self.stage.events)):
            self.check_play(ref)
        if self.stage.events:
            self.stage.problem(
                "TP091", "what has been done is said here with counts", self.stage.events[0].span,
                "for instance `when number of attack with c this turn = 1`",
            )  # fmt: skip
        self.stage.finish(self.words)

    def check_play(self, ref: s.PlayRef) -> None:
        """Notes what is wrong with a play that is asked about; what it may be meant for is sought among titles, too."""
        found = play_problem(self.book, ref)
        if found is None:
            return
        code, message, span, hint = found
        if ref.play not in self.book.plays:
            phrases = vocabulary(self.book).phrases
            known = {" ".join(phrase) for phrase, names in phrases.items() if names & self.book.plays.keys()}
            hint = suggestion(ref.play, known)
        self.stage.problem(code, message, span, hint)

    def judge(self, of: Ground) -> Judge:
        """Who decides on a ground of which all has been said."""
        if self._judge is None or self._judge.ground is not of:
            self._judge = Judge(of, self.limit, dict(self.readings))
        return self._judge

    def judged(self, of: Ground) -> Answer:
        judge = self.judge(of)
        rules = judge.impossible()
        if rules is not None:
            return Answer(
                self.text, "unknown", rules=rules, why="what the question describes cannot come about", background=rules
            )
        assumed = judge.assume()
        if assumed:
            found = self.decided(of, judge)
            note = f"as a rule it cannot be so; this is with {_settled(assumed)}"
            return replace(found, notes=(*found.notes, note))
        return self.decided(of, judge)

    def decided(self, of: Ground, judge: Judge) -> Answer:
        """The answer where what is described can come about."""
        only = judge.definite()
        if only is not None:
            return self.plainly(of, judge, only)
        text = judge.by_the_text()
        if text is not None:
            return self.by_the_text(of, judge, text)
        usual = judge.by_usual()
        if len(usual) == 1:
            ((value, model),) = usual.items()
            return self.depending(of, judge, judge.by_readings(value, model))
        amount, examples = "", dict(list(usual.items())[:MOST_EXAMPLES])
        if not of.outcomes:
            amount, examples = self.range(judge, [*judge.tags, *judge.flags(judge.usual)], usual)
        found = judge.by_facts(examples)
        varying = self.varying(of, judge, amount, found)
        shown = {symbol for symbol, (_, name) in of.chosen.items() if name.startswith(DICE)}
        if shown and all(not outcome.facts and set(outcome.choices) <= shown for outcome in found):
            spread = chances(judge, found[0].model, sorted(shown, key=lambda symbol: int(symbol.rpartition(" ")[2])))
            said = tuple((self.named(of, value), str(chance)) for value, chance in spread.items())
            if not said:
                return varying
            # Which sides a die has matters to how likely each answer is, if not to what comes of a throw.
            sides = [judge.excluded(symbol) for symbol in sorted(shown)]
            rules = dict.fromkeys([*varying.rules, *(rule for by, _ in sides for rule in by or ())])
            notes = [*varying.notes, *([OTHERWISE] if any(otherwise for _, otherwise in sides) else [])]
            return replace(
                varying, on=("the dice",), cases=(), chances=said, rules=tuple(rules), notes=tuple(dict.fromkeys(notes))
            )
        return varying

    def plainly(self, of: Ground, judge: Judge, only: Outcome) -> Answer:
        also, course = self.also(judge, only), self.events(of, judge, only)
        if of.outcomes:
            return Answer(self.text, of.outcomes[only.value], rules=only.rules, also=also, course=course)
        return Answer(self.text, "amount", amount=str(only.value), rules=only.rules, also=also, course=course)

    def events(self, of: Ground, judge: Judge, outcome: Outcome) -> tuple[Event, ...]:
        """How an outcome comes about in a state with it, as far as its rules do something; of one state, nothing."""
        del of, judge, outcome
        return ()

    def by_the_text(self, of: Ground, judge: Judge, text: Outcome) -> Answer:
        """What the text says alone, with the open questions whose answers would make it otherwise."""
        notes = tuple(
            f"that is what the text says; with {_settled(readings)} it "
            + (f"would be {self.named(of, value)}" if definite else f"can be otherwise: {self.named(of, value)}, say")
            for readings, value, definite in judge.by_answers(text.value)
        )
        course = self.events(of, judge, text)
        if of.outcomes:
            return Answer(self.text, of.outcomes[text.value], rules=text.rules, notes=notes, course=course)
        return Answer(self.text, "amount", amount=str(text.value), rules=text.rules, notes=notes, course=course)

    def also(self, judge: Judge, only: Outcome) -> tuple[tuple[str, ...], ...]:
        """Other minimal sets of rules that decide the same."""
        found: list[tuple[str, ...]] = []
        for rule in only.rules:
            other = judge.core([tag for tag in judge.tags if tag != f"rule {rule}"], only.value, judge.settled)
            if other is not None:
                rules = tuple(tag.removeprefix("rule ") for tag in other)
                found += [rules] if rules not in found else []
        return tuple(found[:5])

    def named(self, of: Ground, value: int) -> str:
        return of.outcomes.get(value, str(value)) if of.outcomes else str(value)

    def depending(self, of: Ground, judge: Judge, outcomes: list[Outcome]) -> Answer:
        """An answer that turns on readings, open questions or policies."""
        on = tuple(dict.fromkeys(name for outcome in outcomes for name in outcome.readings))
        cases = tuple(self.case(of, judge, one, one.readings or self.of_the_usual(on)) for one in outcomes)
        named = (name for outcome in outcomes for name in outcome.readings if name in self.book.rules)
        rules = tuple(dict.fromkeys([*(rule for outcome in outcomes for rule in outcome.rules), *named]))
        kind = "depends"
        if any(name in ("clash", *VALUES) for name in on):
            kind = "contradiction"
        elif any(name == "silence" or self.book.selectors[name].default is None for name in on):
            kind = "silent"
        amount = ""
        if not of.outcomes:
            amount, _ = self.range(judge, [*judge.tags, *judge.settled], {one.value: one.model for one in outcomes})
        # Other readings than those on which it turns are at their default in each case.
        shown = ((one, one.readings or self.of_the_usual(on)) for one in outcomes)
        notes = (OTHERWISE,) if any(judge.read_otherwise(one, readings) for one, readings in shown) else ()
        return Answer(self.text, kind, amount=amount, rules=rules, on=on, cases=cases, notes=notes)

    def case(self, of: Ground, judge: Judge, outcome: Outcome, readings: Mapping[str, str]) -> AnswerCase:
        """One outcome in words."""
        variables = {f"0.{v.name}": v for v in of.system.variables}
        so = [*judge.tags, *judge.flags({**judge.usual, **outcome.readings})]
        settled = (*outcome.facts, *outcome.choices)
        facts = tuple(self.fact(variables[symbol], outcome, symbol, of) for symbol in outcome.facts)
        if judge.turns_on_whose_turn(self.book.players, outcome.value, outcome.model, settled, so):
            facts = (*facts, whose_turn(of, outcome.model))
        choices = tuple(self.choice(of, symbol, outcome) for symbol in outcome.choices)
        return AnswerCase(
            self.named(of, outcome.value), readings, facts, choices, outcome.rules, self.events(of, judge, outcome)
        )

    def range(
        self, judge: Judge, assumptions: Sequence[str], known: Mapping[int, Model]
    ) -> tuple[str, dict[int, Model]]:
        """The least and the greatest amount, in words; and states with them, or with others where there is none."""
        least, greatest = judge.bounds(assumptions, known)
        said = " to ".join("any number" if bound is None else str(bound[0]) for bound in (least, greatest))
        return said, dict([least or min(known.items(), key=_amount_of), greatest or max(known.items(), key=_amount_of)])

    def of_the_usual(self, names: Iterable[str]) -> dict[str, str]:
        return {name: self.book.selectors[name].usual for name in names}

    def varying(self, of: Ground, judge: Judge, amount: str, outcomes: list[Outcome]) -> Answer:
        """An answer that turns on facts that the question leaves open, or on somebody's choices."""
        cases = tuple(self.case(of, judge, outcome, {}) for outcome in outcomes)
        on = tuple(dict.fromkeys(what for case in cases for what, _ in (*case.facts, *case.choices)))
        rules = tuple(dict.fromkeys(rule for outcome in outcomes for rule in outcome.rules))
        found = Answer(self.text, "depends", amount=amount, rules=rules, on=on, cases=cases)
        if any(judge.read_otherwise(outcome) for outcome in outcomes):
            return replace(found, notes=(OTHERWISE,))
        return found

    def fact(self, variable: Variable, outcome: Outcome, symbol: str, of: Ground) -> tuple[str, str]:
        """A fact in the question's own words: whose it is, and what the question calls a piece."""
        active = fact_value(of, outcome.model, "0.active", of.system.sorts["active"])
        said = fact_name(self.book, variable, active, self.called(active))
        return said, fact_value(of, outcome.model, symbol, variable.sort)

    def called(self, active: str) -> dict[str, str]:
        """What the question calls pieces, by their keys, where a player is active."""
        named = {
            bound.key: name for cast in self.casts if cast.active == active
            for name, bound in cast.scope.names.items() if isinstance(bound, Piece)
        }  # fmt: skip
        return self.unnamed.get(active, {}) | named

    def choice(self, of: Ground, symbol: str, outcome: Outcome) -> tuple[str, str]:
        _, name = of.chosen[symbol]
        if name in self.names:
            return "what is done", self.names[name][outcome.model.number(symbol) or 0]
        return self.said_choice(name, outcome, of), fact_value(of, outcome.model, symbol, of.script.sorts[symbol])

    def closest(self, query: s.MayAsk | s.MustAsk) -> list[str]:
        """The rules that come closest to one that decides: on the same play elsewhere, or on others here."""
        names = {ancestor for ref in query.plays for play in self.book.sorts(ref.play) for ancestor in play.ancestors}
        inside = {leaf for step in query.steps for leaf in self.book.leaves_of(step)}
        same: list[str] = []
        here: list[str] = []
        for clause in self.book.of(s.Permission):
            body = clause.body
            assert isinstance(body, s.Permission)
            if {ref.play for ref in body.plays} & names:
                same.append(clause.rule)
            elif {leaf for step in body.steps for leaf in self.book.leaves_of(step)} & inside:
                here.append(clause.rule)
        return list(dict.fromkeys([*here[:2], *same[:2]]))

    def said_choice(self, name: str, outcome: Outcome, of: Ground) -> str:
        """A choice in words: what is chosen, and the rule by which."""
        active = fact_value(of, outcome.model, "0.active", of.system.sorts["active"])
        for key, word in self.called(active).items():
            name = name.replace(key, word)
        return re.sub(r" \(by ([^,()]+), [^()]*\)$", r" as chosen by [\1]", name)


def _amount_of(one: tuple[int, Model]) -> int:
    return one[0]


def _settled(readings: Mapping[str, str]) -> str:
    return " and ".join(f"{name} = {option}" for name, option in readings.items())


def chances(judge: Judge, model: Model, shown: Sequence[str]) -> dict[int, Fraction]:
    """How likely each answer is, exactly: over all throws of the dice that can be, each side as likely as another.

    `shown` are the symbols of how many dice show each side; empty, if the throws are too many to be looked at, or not
    they alone decide.
    """
    dice = sum(model.number(symbol) or 0 for symbol in shown)
    if comb(dice + len(shown) - 1, dice) > MOST_THROWS:
        return {}
    usual = [*judge.tags, *judge.flags(judge.usual)]
    values: dict[tuple[int, ...], int] = {}
    for throw in _throws(dice, len(shown)):
        value = judge.where(usual, dict(zip(shown, throw, strict=True)))
        if value is not None:
            values[throw] = value
    if not judge.sure_of(usual, shown, values):
        return {}
    weights: dict[int, int] = {}
    for throw, value in values.items():
        weights[value] = weights.get(value, 0) + factorial(dice) // prod(map(factorial, throw))
    return {value: Fraction(weights[value], sum(weights.values())) for value in sorted(weights)}


def _throws(dice: int, sides: int) -> Iterator[tuple[int, ...]]:
    """How many dice show each side, in every way."""
    if sides == 1:
        yield (dice,)
        return
    for first in range(dice + 1):
        for rest in _throws(dice - first, sides - 1):
            yield (first, *rest)
