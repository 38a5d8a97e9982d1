"""What all questions share: the scene, and the way from outcomes to an answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import comb, factorial, prod
from typing import TypeAlias

from turnproof.answers.answer import Answer, AnswerCase
from turnproof.answers.ground import Ground
from turnproof.answers.judge import Judge, Outcome
from turnproof.answers.scene import Cast, Stage
from turnproof.diagnostics import suggestion
from turnproof.language import syntax as s
from turnproof.rulebook.elaborate import Elaborator, History, Piece
from turnproof.rulebook.model import VALUES, Rulebook
from turnproof.rulebook.permissions import Attempt
from turnproof.rulebook.refs import play_problem
from turnproof.solve.ask import Model
from turnproof.system import expr as x
from turnproof.system.build import Build, build
from turnproof.system.system import System, Variable
from turnproof.verdict.explain import shown_value, variable_name

NO, YES, SILENT, CLASH = 0, 1, 2, 3
NAMES = {NO: "no", YES: "yes", SILENT: "silent", CLASH: "contradiction"}


DICE = "dice showing "
# So many throws that differ are looked at one by one, to tell how likely each answer is.
MOST_THROWS = 5_000
# The systems that were built for questions, by what these want remembered.
Built: TypeAlias = "dict[str, System]"


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
        self.stage = Stage(book, self.el, asked)
        self.casts: list[Cast] = []
        # What the numbers of a choice stand for, where they are not amounts.
        self.names: dict[str, list[str]] = {}

    @property
    def late(self) -> frozenset[str]:
        """The plays, and the kinds of play, that are counted with a piece only as they resolve."""
        return frozenset(name for play in self.book.plays.values() if play.stacked for name in play.ancestors)

    def cast(self, plays: Iterable[s.PlayRef]) -> list[Cast]:
        self.casts = list(self.stage.casts(plays))
        return self.casts

    def system(self) -> System:
        """Variables and readings, without what happens: enough for what is asked of one state."""
        return self.maker.still()

    def whole(self) -> System:
        """The whole system, with all that the question wants remembered."""
        wanted = repr(self.history)
        if wanted not in self.built:
            self.built[wanted] = build(self.book, self.history)
        return self.built[wanted]

    def check_plays(self, plays: Iterable[s.PlayRef], steps: Iterable[str]) -> None:
        for step in steps:
            if step not in self.book.steps:
                hint = suggestion(step, self.book.steps)
                self.stage.problem("TP030", f"no phase or step is called `{step}`", self.asked.span, hint)
        for ref in (*plays, *(event.play for event in self.stage.events)):
            found = play_problem(self.book, ref)
            if found is not None:
                self.stage.problem(*found)
        if self.stage.events:
            self.stage.problem(
                "TP091", "what has been done is said here with counts", self.stage.events[0].span,
                "for instance `when number of attack with c this turn = 1`",
            )  # fmt: skip
        self.stage.finish(self.words)

    def judged(self, of: Ground) -> Answer:
        judge = Judge(of, self.limit, dict(self.readings))
        rules = judge.impossible()
        if rules is not None:
            return Answer(
                self.text, "unknown", rules=rules, why="what the question describes cannot come about", background=rules
            )
        only = judge.definite()
        if only is not None:
            return self.plainly(of, judge, only)
        text = judge.by_the_text()
        if text is not None:
            return self.by_the_text(of, judge, text)
        usual = judge.by_usual()
        if len(usual) == 1:
            ((value, model),) = usual.items()
            return self.depending(of, judge.by_readings(value, model))
        found = judge.by_facts(dict(list(usual.items())[:3]))
        varying = self.varying(of, judge, usual, found)
        shown = {symbol for symbol, (_, name) in of.chosen.items() if name.startswith(DICE)}
        if shown and all(not outcome.facts and set(outcome.choices) <= shown for outcome in found):
            spread = chances(judge, found[0].model, sorted(shown, key=lambda symbol: int(symbol.rpartition(" ")[2])))
            said = tuple((value, str(chance)) for value, chance in spread.items())
            return replace(varying, on=("the dice",), cases=(), chances=said)
        return varying

    def plainly(self, of: Ground, judge: Judge, only: Outcome) -> Answer:
        also = self.also(judge, only)
        if of.outcomes:
            return Answer(self.text, of.outcomes[only.value], rules=only.rules, also=also)
        return Answer(self.text, "amount", amount=str(only.value), rules=only.rules, also=also)

    def by_the_text(self, of: Ground, judge: Judge, text: Outcome) -> Answer:
        """What the text says alone, with the open questions whose answers would make it otherwise."""
        others: dict[str, list[str]] = {}
        for other in judge.by_readings(text.value, text.model)[1:]:
            settled = " and ".join(f"{name} = {option}" for name, option in other.readings.items())
            others.setdefault(settled, []).append(self.named(of, other.value))
        notes = tuple(
            f"that is what the text says; with {settled} it would be {values[0] if len(values) == 1 else 'otherwise'}"
            for settled, values in others.items()
        )
        if of.outcomes:
            return Answer(self.text, of.outcomes[text.value], rules=text.rules, notes=notes)
        return Answer(self.text, "amount", amount=str(text.value), rules=text.rules, notes=notes)

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

    def depending(self, of: Ground, outcomes: list[Outcome]) -> Answer:
        """An answer that turns on readings, open questions or policies."""
        on = tuple(dict.fromkeys(name for outcome in outcomes for name in outcome.readings))
        cases = tuple(
            AnswerCase(self.named(of, o.value), o.readings or self.of_the_usual(on), rules=o.rules) for o in outcomes
        )
        rules = tuple(
            dict.fromkeys(
                rule
                for outcome in outcomes
                for rule in (*outcome.rules, *(n for n in outcome.readings if n in self.book.rules))
            )
        )
        kind = "depends"
        if any(name in ("clash", *VALUES) for name in on):
            kind = "contradiction"
        elif any(name == "silence" or self.book.selectors[name].default is None for name in on):
            kind = "silent"
        return Answer(self.text, kind, rules=rules, on=on, cases=cases)

    def of_the_usual(self, names: Iterable[str]) -> dict[str, str]:
        found = {}
        for name in names:
            selector = self.book.selectors[name]
            found[name] = selector.default or selector.options[0]
        return found

    def varying(self, of: Ground, judge: Judge, usual: Mapping[int, object], outcomes: list[Outcome]) -> Answer:
        """An answer that turns on facts that the question leaves open, or on somebody's choices."""
        variables = {f"0.{v.name}": v for v in of.system.variables}
        cases = []
        for outcome in outcomes:
            facts = tuple(self.fact(variables[symbol], outcome, symbol, of) for symbol in outcome.facts)
            choices = tuple(self.choice(of, symbol, outcome) for symbol in outcome.choices)
            cases.append(AnswerCase(self.named(of, outcome.value), {}, facts, choices, outcome.rules))
        on = tuple(dict.fromkeys(what for case in cases for what, _ in (*case.facts, *case.choices)))
        rules = tuple(dict.fromkeys(rule for outcome in outcomes for rule in outcome.rules))
        amount = ""
        if not of.outcomes:
            low, high = judge.bounds([*judge.tags, *judge.flags(judge.usual)], list(usual))
            amount = f"{'any number' if low is None else low} to {'any number' if high is None else high}"
        return Answer(self.text, "depends", amount=amount, rules=rules, on=on, cases=tuple(cases))

    def fact(self, variable: Variable, outcome: Outcome, symbol: str, of: Ground) -> tuple[str, str]:
        """A fact in the question's own words: whose it is, and what the question calls a piece."""
        active = self.value(outcome, "0.active", of.system.sorts["active"], of)
        owner, _, rest = variable.name.partition(".")
        key = variable.name.rpartition(".")[0]
        names = {
            bound.key: name for cast in self.casts if cast.active == active
            for name, bound in cast.scope.names.items() if isinstance(bound, Piece)
        }  # fmt: skip
        label = variable.label.replace("_", " ")
        if key in names:
            what = f"{label} of {names[key]}"
        elif owner in self.book.players and "." not in rest:
            what = f"{label} of {'the active player' if owner == active else 'the other player'}"
        else:
            what = variable_name(variable)
            for piece, name in names.items():
                what = what.replace(piece, name)
        return what, self.value(outcome, symbol, variable.sort, of)

    def value(self, outcome: Outcome, symbol: str, sort: x.Sort, of: Ground) -> str:
        if isinstance(sort, x.Bool):
            return shown_value(outcome.model.truth(symbol))
        number = outcome.model.number(symbol) or 0
        if isinstance(sort, x.Enum):
            names = {at: name for name, at in of.script.codes.numbers.items()}
            return shown_value(names.get(number, sort.values[0]))
        return str(number)

    def choice(self, of: Ground, symbol: str, outcome: Outcome) -> tuple[str, str]:
        _, name = of.chosen[symbol]
        if name in self.names:
            return "what is done", self.names[name][outcome.model.number(symbol) or 0]
        return name, self.value(outcome, symbol, of.script.sorts[symbol], of)

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

    def news(self, of: Attempt) -> Iterator[tuple[str, x.Sort]]:
        """What a new piece brings along."""
        for param in of.play.pieces:
            kind = self.book.kind(param.kind)
            if param.whose == "new" and kind is not None:
                yield from ((f"new {name}", self.el.sort(got.type)) for name, got in kind.fields.items())


def chances(judge: Judge, model: Model, shown: Sequence[str]) -> dict[int, Fraction]:
    """How likely each answer is, exactly: over all throws of the dice that can be, each side as likely as another.

    `shown` are the symbols of how many dice show each side; empty, if the throws are too many to be looked at.
    """
    dice = sum(model.number(symbol) or 0 for symbol in shown)
    if comb(dice + len(shown) - 1, dice) > MOST_THROWS:
        return {}
    usual = [*judge.tags, *judge.flags(judge.usual)]
    weights: dict[int, int] = {}
    for throw in _throws(dice, len(shown)):
        value = judge.where(usual, dict(zip(shown, throw, strict=True)))
        if value is not None:
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
