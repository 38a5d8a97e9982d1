"""Questions answered: what the rules say, by which of them, and on what it turns if on anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from turnproof.answers.answer import Answer, AnswerCase
from turnproof.answers.consequence import Consequences, effects_of
from turnproof.answers.course import Course
from turnproof.answers.judge import Unknown
from turnproof.answers.permission import Permissions
from turnproof.answers.prepared import Built
from turnproof.answers.words import put_into_words
from turnproof.diagnostics import suggestion
from turnproof.language import syntax as s
from turnproof.language.parser import parse_question
from turnproof.language.printer import path
from turnproof.rulebook.model import Rulebook
from turnproof.solve.ask import DEFAULT_LIMIT


class Answers:
    """Answers questions about one rulebook; what is built of it for one question serves the next."""

    def __init__(self, book: Rulebook) -> None:
        self.book = book
        self._built = Built(book)

    def answer(self, text: str, readings: Mapping[str, str] | None = None, limit: int = DEFAULT_LIMIT) -> Answer:
        """The answer to a question, where some readings are settled. Raises Invalid for what cannot be understood."""
        words = put_into_words(self.book, text)
        return self.to(parse_question(words), text, words, readings, limit)

    def to(
        self, asked: s.Asked, text: str = "", words: str = "", readings: Mapping[str, str] | None = None,
        limit: int = DEFAULT_LIMIT,
    ) -> Answer:  # fmt: skip
        """The answer to a question that has been read; `text` is how it was typed, `words` what was read of it."""
        return _Asker(self.book, text, words, asked, dict(readings or {}), limit, self._built).answer()

    def course(self, situation: str, readings: Mapping[str, str] | None = None) -> Course | None:
        """What happens in `MOMENT when …`, one instance of it; None if it cannot be. Raises Invalid."""
        text = f"is it so that turn = turn after {situation}"
        words = put_into_words(self.book, text)
        return self._instance(text, words, parse_question(words), readings)

    def encounter(self, question: str, readings: Mapping[str, str] | None = None) -> Course | None:
        """What happens at the moment of a question, if pieces of both sides are part of it. Raises Invalid."""
        words = put_into_words(self.book, question)
        asked = parse_question(words)
        whose = {item.binding.of.text for item in asked.scene if isinstance(item, s.Given) and item.binding.of}
        moment = getattr(asked.query, "moment", None)
        return self._instance(question, words, asked, readings) if moment is not None and len(whose) > 1 else None

    def _instance(self, text: str, words: str, asked: s.Asked, readings: Mapping[str, str] | None) -> Course | None:
        asker = _Asker(self.book, text, words, asked, dict(readings or {}), DEFAULT_LIMIT, self._built)
        asker.answer()
        return asker.instance()


class _Asker(Permissions, Consequences):
    """One question of any sort."""

    def answer(self) -> Answer:
        try:
            match self.asked.query:
                case s.MayAsk() as query:
                    return self.may(query)
                case s.MustAsk() as query:
                    return self.must(query)
                case s.SkipAsk(step):
                    return self.skipped(step)
                case s.EndAsk(step):
                    return self.can_end(step)
                case s.HoldsAsk() | s.FateAsk() | s.AmountAsk() as query:
                    return self.comes_of(query)
                case s.ChooserAsk(name):
                    return self.chooser(name)
                case s.DiceAsk() as query:
                    return self.dice(query)
                case s.EverAsk(body):
                    return self.ever(body)
        except Unknown:
            why = f"the solver's limit of {self.limit:,} units was hit"
            return Answer(self.text, "unknown", why=why)

    def chooser(self, name: str) -> Answer:
        """Who makes a choice, as the rules that give it say."""
        said: dict[str, list[str]] = {}
        for clause in self.book.clauses:
            for effect in effects_of(clause.body):
                match effect:
                    case s.Divide() if effect.attribute == name:
                        said.setdefault(path(effect.who), []).append(clause.rule)
                    case s.Choose() if effect.path.text == name:
                        said.setdefault(path(effect.who), []).append(clause.rule)
                    case _:
                        pass
        known = {
            *(e.attribute for c in self.book.clauses for e in effects_of(c.body) if isinstance(e, s.Divide)),
            *(e.path.text for c in self.book.clauses for e in effects_of(c.body) if isinstance(e, s.Choose)),
        }  # fmt: skip
        if not said:
            hint = suggestion(name, known) or ("what is chosen: " + ", ".join(sorted(known)) if known else "")
            self.stage.problem("TP030", f"no rule has anybody choose `{name}`", self.asked.span, hint)
            self.stage.finish(self.words)
        rules = tuple(dict.fromkeys(rule for found in said.values() for rule in found))
        if len(said) == 1:
            return Answer(self.text, "amount", amount=next(iter(said)), rules=rules)
        cases = tuple(AnswerCase(who, {}, rules=tuple(found)) for who, found in said.items())
        return Answer(self.text, "depends", rules=rules, on=rules, cases=cases)

    def dice(self, query: s.DiceAsk) -> Answer:
        """How many of some dice show something, exactly."""
        from turnproof.dice import hits

        fine: Callable[[int], bool] = {
            ">": lambda side: side > query.value, ">=": lambda side: side >= query.value,
            "<": lambda side: side < query.value, "<=": lambda side: side <= query.value,
            "=": lambda side: side == query.value, "!=": lambda side: side != query.value,
        }[query.op]  # fmt: skip
        good = sum(1 for side in range(1, query.sides + 1) if fine(side))
        if not 0 < query.sides <= 1_000 or query.dice > 200:
            self.stage.problem("TP091", "at most 200 dice of at most 1,000 sides", self.asked.span)
            self.stage.finish(self.words)
        spread = hits(query.dice, query.sides, query.sides - good + 1) if good else {0: 1}
        chances = tuple((str(number), str(chance)) for number, chance in spread.items())
        if len(spread) == 1:
            return Answer(self.text, "amount", amount=chances[0][0])
        return Answer(self.text, "depends", amount=f"0 to {query.dice}", on=("the dice",), chances=chances)

    def ever(self, body: s.ClaimBody) -> Answer:
        """Whether a game can come to something."""
        from turnproof.verdict.check import Checking, Settings
        from turnproof.verdict.claims import ClaimReader

        if self.asked.scene:
            self.stage.problem("TP091", "what can ever be is not asked of a situation", self.asked.span)
            self.stage.finish(self.words)
        reader = ClaimReader(self.book, "question", self.words)
        claim = s.Claim("asked", self.text, body, s.Expect("proved"))
        reader.check(s.Claims(self.book.name, (claim,)))
        verdict = Checking(self.book, reader, (claim,), Settings(self.readings, self.limit)).decide("asked")
        said = {"proved": "yes", "refuted": "no"}.get(verdict.verdict, verdict.verdict)
        rules = verdict.proof.rules if verdict.proof is not None else ()
        cases = tuple(
            AnswerCase({"proved": "yes", "refuted": "no"}.get(c.verdict, c.verdict), c.readings) for c in verdict.cases
        )
        return Answer(
            self.text, said, rules=rules, on=verdict.reasons, cases=cases if len(cases) > 1 else (), why=verdict.why
        )
