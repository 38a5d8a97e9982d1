"""What the answers on a ground are, and on what they turn: readings first, then facts and choices.

A definite answer is one that no reading, state or choice can make another; its rules are a core of that proof. Else
the answer with every reading at its default is looked for, and the fewest readings that make it another; if even then
it is not one, the facts and choices on which it turns.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

import z3

from turnproof.answers.ground import ANSWER, Ground, reading, unanswered
from turnproof.solve.ask import DEFAULT_LIMIT, Answer, Model, Session
from turnproof.solve.smt import conj, quoted
from turnproof.system import expr as x
from turnproof.system.mirror import exchanging

MOST_VALUES = 4
MOST_CASES = 6
FURTHEST = 1_000_000
SMALL = 12
OPERATORS: dict[str, Callable[..., z3.BoolRef]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """An answer (`value`), under what it is so, and by which rules; `model` is a state with it."""

    value: int
    readings: dict[str, str]
    facts: tuple[str, ...]
    choices: tuple[str, ...]
    rules: tuple[str, ...]
    model: Model


class Unknown(Exception):
    """The solver's limit was hit."""


@dataclass
class Judge:
    """Decides what `answer` can be on one ground."""

    ground: Ground
    limit: int = DEFAULT_LIMIT
    fixed: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.text = self.ground.script.text
        self.session = Session(self.text, self.limit)
        self.tags = [f"rule {tag}" for tag in self.ground.system.tags]
        self._said: set[str] = set()
        self.settle(self.fixed)

    def settle(self, readings: dict[str, str]) -> None:
        """From here on these readings are settled; `usual` are they and the defaults (first answers) of the others."""
        self.fixed = readings
        self.settled = self.flags(readings)
        self.usual = {s.name: readings.get(s.name, s.usual) for s in self.ground.system.selectors}
        self._anything: Answer | None = None

    @cached_property
    def spoken(self) -> Counter[str]:
        """How often the text speaks of each symbol."""
        return Counter(re.findall(r"\|[^|]*\|", self.text))

    def flags(self, readings: dict[str, str]) -> list[str]:
        return [reading(name, option) for name, option in readings.items()]

    def ask(
        self,
        assumptions: Iterable[str],
        apart: Iterable[int] = (),
        bounds: Sequence[tuple[str, int]] = (),
        other_than: Sequence[dict[str, str]] = (),
    ) -> Answer:
        """Whether there is a state where the assumptions hold and the answer is none of some values.

        Readings are not all as in any of `other_than`.
        """
        flags = [self.compared(ANSWER, "!=", value) for value in apart]
        flags += [self.compared(ANSWER, op, value) for op, value in bounds]
        flags += [self.flagged(f"not as {readings}", self.read_apart, readings) for readings in other_than]
        return self.sure(self.session.ask([*assumptions, *flags]))

    def sure(self, found: Answer) -> Answer:
        """What the solver said; raises Unknown if that is nothing."""
        if found.status == "unknown":
            raise Unknown
        return found

    def flagged(self, flag: str, make: Callable[..., z3.BoolRef], *of: object) -> str:
        """A flag that makes so what is made of something. Not to be made within a scope: it would go with that."""
        if flag not in self._said:
            self._said.add(flag)
            self.session.solver.add(z3.Implies(self.session.flag(flag), make(*of)))
        return flag

    def compared(self, symbol: str, op: str, value: int) -> str:
        """A flag that makes a number what is said."""
        return self.flagged(f"{symbol} {op} {value}", OPERATORS[op], self.session.number(symbol), value)

    def read_apart(self, readings: Mapping[str, str]) -> z3.BoolRef:
        """That some readings are not all settled so."""
        options = {s.name: s.options for s in self.ground.system.selectors}
        return z3.Or([
            self.session.number(f"reading {name}") != options[name].index(option) for name, option in readings.items()
        ])  # fmt: skip

    def core(self, assumptions: Sequence[str], value: int, kept: Sequence[str] = ()) -> tuple[str, ...] | None:
        """As few assumptions as are enough, beside those kept, that the answer is a value; None: all are not."""
        another = self.compared(ANSWER, "!=", value)
        found = self.sure(self.session.refuted([*kept, *assumptions, another]))
        if found.status != "unsat":
            return None
        needed = [name for name in assumptions if name in found.core]
        for name in list(needed):
            if name in needed:
                fewer = [other for other in needed if other != name]
                found = self.sure(self.session.refuted([*kept, *fewer, another]))
                if found.status == "unsat":
                    needed = [other for other in fewer if other in found.core]
        return tuple(needed)

    def values(self, assumptions: Sequence[str], most: int = MOST_VALUES) -> dict[int, Model]:
        """Some of the values that the answer can have, at most so many."""
        found: dict[int, Model] = {}
        while len(found) < most:
            got = self.ask(assumptions, found)
            if got.model is None:
                break
            found[value_of(got.model)] = got.model
        return found

    def honoured(
        self, apart: Iterable[int], other_than: Sequence[dict[str, str]] = ()
    ) -> tuple[dict[str, str], Model] | None:
        """A state with another answer where as few readings as can be are not as usual, and which these are."""
        apart = list(apart)
        kept = [name for name in self.usual if name not in self.fixed]
        while True:
            flags = {reading(name, self.usual[name]): name for name in kept}
            got = self.ask([*self.tags, *self.settled, *flags], apart, other_than=other_than)
            if got.model is not None:
                return self.fewest(self.off(got.model), got.model, apart, other_than)
            dropped = [flags[flag] for flag in got.core if flag in flags]
            if not dropped:
                return None
            kept.remove(dropped[-1])

    def off(self, model: Model) -> dict[str, str]:
        """The readings that are not as usual in a model."""
        found = {s.name: s.options[model.number(f"reading {s.name}") or 0] for s in self.ground.system.selectors}
        return {name: option for name, option in found.items() if option != self.usual[name]}

    def fewest(
        self, off: dict[str, str], model: Model, apart: list[int], other_than: Sequence[dict[str, str]]
    ) -> tuple[dict[str, str], Model]:
        """The readings of a model that are not as usual, without those that may as well be."""
        for name in list(off):
            fewer = {other: option for other, option in off.items() if other != name}
            got = self.ask([*self.tags, *self.flags({**self.usual, **fewer})], apart, other_than=other_than)
            if got.model is not None:
                off, model = fewer, got.model
        return off, model

    # -- the verdict

    def impossible(self) -> tuple[str, ...] | None:
        """The rules by which what the question describes cannot come about, if it cannot."""
        found = self.anything
        if found.status != "unsat":
            return None
        needed = [name for name in found.core if name in self.tags]
        for name in list(needed):
            fewer = [other for other in needed if other != name]
            if self.ask([*self.settled, *fewer]).status == "unsat":
                needed = fewer
        return tuple(name.removeprefix("rule ") for name in needed)

    @property
    def anything(self) -> Answer:
        """Any state that the question describes, where all rules hold and what is settled is so."""
        if self._anything is None:
            self._anything = self.ask([*self.tags, *self.settled])
        return self._anything

    def definite(self) -> Outcome | None:
        """The one answer, if there is only one whatever the readings, facts and choices."""
        first = self.anything
        assert first.model is not None
        value = value_of(first.model)
        rules = self.core(self.tags, value, self.settled)
        return None if rules is None else Outcome(value, {}, (), (), _ids(rules), first.model)

    def by_the_text(self) -> Outcome | None:
        """The one answer of the text alone, without what the answers to open questions would add to it."""
        names = self.open_ones
        off = [unanswered(name) for name in names]
        kept = [tag for tag in self.tags if tag.removeprefix("rule ") not in names]
        first = self.ask([*kept, *off, *self.settled])
        if first.model is None or not off:
            return None
        value = value_of(first.model)
        rules = self.core(kept, value, [*off, *self.settled])
        return None if rules is None else Outcome(value, {}, (), (), _ids(rules), first.model)

    @property
    def open_ones(self) -> list[str]:
        """The open questions that nothing has settled, and that rules hang on."""
        return [
            s.name for s in self.ground.system.selectors
            if s.default is None and s.name not in self.fixed and f"rule {s.name}" in self.tags
        ]  # fmt: skip

    def by_answers(self, value: int) -> list[tuple[dict[str, str], int, bool]]:
        """With which answers to open questions, and which readings, it can be another answer than the text's.

        As few as can be in each case; with them an answer that it then is, and whether it is so whatever the facts.
        """
        found: list[tuple[dict[str, str], int, bool]] = []
        others = [name for name in self.usual if name not in self.fixed and name not in self.open_ones]
        while len(found) < MOST_CASES:
            shut_out = [readings for readings, _, _ in found]
            said: list[str] = []
            kept = [*self.open_ones, *others]
            got = self.ask(self.answering({}, kept), [value], other_than=shut_out)
            while got.model is None:
                dropped = [name for name in kept if self.as_written(name) in got.core]
                if not dropped:
                    return found
                kept.remove(dropped[-1])
                said.append(dropped[-1])
                got = self.ask(self.answering({}, kept), [value], other_than=shut_out)
            readings, model = self.settled_in(got.model, said), got.model
            for name in list(readings):
                fewer = {other: option for other, option in readings.items() if other != name}
                rest = [other for other in (*self.open_ones, *others) if other not in fewer]
                got = self.ask(self.answering(fewer, rest), [value], other_than=shut_out)
                if got.model is not None:
                    readings, model = fewer, got.model
            if not readings:
                return found
            rest = [other for other in (*self.open_ones, *others) if other not in readings]
            definite = self.ask(self.answering(readings, rest), [value_of(model)]).model is None
            found.append((readings, value_of(model), definite))
        return found

    def as_written(self, name: str) -> str:
        """The flag by which an open question is not answered, and a reading is as usual."""
        return unanswered(name) if name in self.open_ones else reading(name, self.usual[name])

    def answering(self, readings: Mapping[str, str], kept: Iterable[str]) -> list[str]:
        """What is assumed where some readings are settled, and those kept are as the text has them."""
        kept = list(kept)
        unanswered_ones = {f"rule {name}" for name in self.open_ones if name in kept}
        tags = [tag for tag in self.tags if tag not in unanswered_ones]
        return [*tags, *self.settled, *self.flags(dict(readings)), *map(self.as_written, kept)]

    def settled_in(self, model: Model, names: Iterable[str]) -> dict[str, str]:
        """How some readings are settled in a model."""
        options = {s.name: s.options for s in self.ground.system.selectors}
        return {name: options[name][model.number(f"reading {name}") or 0] for name in names}

    def assume(self) -> dict[str, str]:
        """The readings without which what is described cannot be so; they are settled from here on."""
        if self.ask([*self.tags, *self.flags(self.usual)]).model is not None:
            return {}
        some = self.honoured(())
        off = some[0] if some is not None else {}
        self.settle({**self.fixed, **off})
        return off

    def by_usual(self) -> dict[int, Model]:
        """The answers where every reading is as usual."""
        return self.values([*self.tags, *self.flags(self.usual)])

    def by_readings(self, value: int, model: Model) -> list[Outcome]:
        """The answer that is so as usual, and others with the readings that make them so.

        Where these readings alone do not, the facts and choices that do beside them.
        """
        found = [self.outcome(value, {}, model)]
        while len(found) < MOST_CASES:
            other = self.honoured([value], [outcome.readings for outcome in found[1:]])
            if other is None or not other[0]:
                break
            found.append(self.outcome(value_of(other[1]), other[0], other[1]))
        # Readings together can come to what none of them does alone.
        while len(found) < MOST_CASES:
            other = self.honoured({outcome.value for outcome in found})
            if other is None or not other[0]:
                break
            found.append(self.outcome(value_of(other[1]), other[0], other[1]))
        return found

    def outcome(self, value: int, off: dict[str, str], model: Model) -> Outcome:
        """An answer where some readings are not as usual, with what makes it so beside them."""
        flags = self.flags({**self.usual, **off})
        rules = self.core(self.tags, value, flags)
        if rules is not None:
            return Outcome(value, off, (), (), _ids(rules), model)
        facts, choices = self.turning(value, model, flags)
        return Outcome(value, off, facts, choices, self.rules(value, flags, model, facts + choices), model)

    def by_facts(self, models: dict[int, Model]) -> list[Outcome]:
        """Answers that turn on facts or choices, each with those that are enough to make it so."""
        usual = self.flags(self.usual)
        found = []
        for value, model in models.items():
            facts, choices = self.turning(value, model, usual)
            found.append(Outcome(value, {}, facts, choices, self.rules(value, usual, model, facts + choices), model))
        return found

    def rules(
        self, value: int, flags: Sequence[str], model: Model | None = None, held: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """The rules that make an answer so, under some readings, and where some symbols are as in a model."""
        plain = None if held else self.core(self.tags, value, flags)
        if plain is not None or model is None:
            return _ids(plain or ())
        held = [*held, "0.active"] if "0.active" not in held and "active" in self.ground.state else list(held)
        return _ids(self.core(self.tags, value, [*flags, *self.held(model, held)]) or ())

    def read_otherwise(self, outcome: Outcome, readings: Mapping[str, str] = MappingProxyType({})) -> bool:
        """Whether, where facts and choices are as in an outcome, readings beside some that are settled change it."""
        held = [*outcome.facts, *outcome.choices, *(["0.active"] if "active" in self.ground.state else [])]
        kept = self.held(outcome.model, dict.fromkeys(held))
        settled = [*self.settled, *self.flags(dict(readings))]
        return self.ask([*self.tags, *settled, *kept], [outcome.value]).model is not None

    def turning(self, value: int, model: Model, usual: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The symbols of facts, and of choices, that make an answer so together: as few as can be."""
        facts = [
            f"0.{v.name}" for v in self.ground.system.variables
            if not isinstance(v.sort, x.Array) and v.name not in self.ground.told
        ]  # fmt: skip
        symbols = [symbol for symbol in (*facts, *self.ground.chosen) if self.matters(symbol)]
        flags = dict(zip(self.held(model, symbols), symbols, strict=True))
        turn = [flag for flag, symbol in flags.items() if symbol == "0.active"]
        core = self.core([flag for flag in flags if flag not in turn], value, [*self.tags, *usual, *turn])
        kept = [flags[flag] for flag in core or ()]
        return (
            tuple(symbol for symbol in kept if symbol not in self.ground.chosen),
            tuple(symbol for symbol in kept if symbol in self.ground.chosen),
        )

    def matters(self, symbol: str) -> bool:
        """Whether more is said of a symbol than that there is such a thing, and what it can be."""
        script, name = self.ground.script, quoted(symbol)
        match script.sorts[symbol]:
            case x.Int(low, high):
                bounds = (low is not None) + (high is not None)
            case x.Enum(values):
                bounds = script.one_of(name, values).count(name)
            case _:
                bounds = 0
        return self.spoken[name] > 1 + bounds

    def held(self, model: Model, symbols: Iterable[str]) -> list[str]:
        """Flags, one for each of some symbols, that make them what they are in a model."""
        return [self.being(symbol, self.of_model(model, symbol)) for symbol in symbols]

    def of_model(self, model: Model, symbol: str) -> bool | int:
        """What a symbol is in a model: a value of an enumeration by its number."""
        truth = isinstance(self.ground.script.sorts[symbol], x.Bool)
        return model.truth(symbol) if truth else model.number(symbol) or 0

    def being(self, symbol: str, value: bool | int) -> str:
        """A flag that makes a symbol what is said."""
        if isinstance(value, bool):
            return self.flagged(f"{symbol} is {value}", operator.eq, self.session.flag(symbol), value)
        return self.compared(symbol, "=", value)

    def turns_on_whose_turn(
        self, players: Sequence[str], value: int, model: Model, symbols: Sequence[str], assumptions: Sequence[str]
    ) -> bool:
        """Whether an answer can be another where it is another player's turn, and what some symbols say of the one is
        so of the other.
        """
        codes, sorts = self.ground.script.codes, self.ground.script.sorts
        names = {number: name for name, number in codes.numbers.items()}
        for places in range(1, len(players)):
            renamed = exchanging(players, places)
            mirrored: list[str] = []
            for symbol in dict.fromkeys(("0.active", *symbols)):
                there, what = renamed(symbol), self.of_model(model, symbol)
                if there not in sorts:
                    # Nothing like it is there: that matters if it can be the other's turn at all.
                    return self.ask([*assumptions, *mirrored[:1]]).model is not None
                named = isinstance(sorts[symbol], x.Enum)
                mirrored.append(self.being(there, codes.of(renamed(names[what])) if named else what))
            if self.ask([*assumptions, *mirrored], [value]).model is not None:
                return True
        return False

    def where(self, assumptions: Sequence[str], symbols: Mapping[str, int]) -> int | None:
        """An answer where some numbers are what is said; None if they cannot be."""
        self.session.solver.push()
        self.session.solver.add(*(self.session.number(symbol) == number for symbol, number in symbols.items()))
        found = self.sure(self.session.ask([*assumptions]))
        self.session.solver.pop()
        return None if found.model is None else value_of(found.model)

    def excluded(self, symbol: str) -> tuple[tuple[str, ...] | None, bool]:
        """The rules by which a number is never 1 or more where readings are as usual, None if it can be; and whether it
        can be under others.
        """
        solver = self.session.solver
        solver.push()
        solver.add(self.session.number(symbol) >= 1)
        core = self.session.minimal_core([*self.tags, *self.flags(self.usual)])
        otherwise = core is not None and self.session.ask([*self.tags, *self.settled]).status != "unsat"
        solver.pop()
        return None if core is None else _ids(flag for flag in core if flag in self.tags), otherwise

    def smaller(self, outcome: Outcome) -> Model:
        """A state with an outcome where quantities are small numbers, which people like better; else the one it has."""
        kept = self.held(outcome.model, [*outcome.facts, *outcome.choices])
        so = self.compared(ANSWER, "=", outcome.value)
        readings = self.flags({**self.usual, **outcome.readings})
        found = self.session.ask([*self.tags, *readings, *kept, so, self.all_small])
        return found.model or outcome.model

    @cached_property
    def all_small(self) -> str:
        """A flag that makes all amounts that are left open small numbers: those of which something is said."""
        flag = "all are small"
        open_ones = [f"0.{v.name}" for v in self.ground.system.variables if v.name not in self.ground.told]
        sorts = self.ground.script.sorts
        symbols = [quoted(one) for one in (*open_ones, *self.ground.chosen) if isinstance(sorts[one], x.Int)]
        # Said as text, which Z3 reads faster than its Python interface builds it.
        small = conj(f"(<= (- {SMALL}) {symbol} {SMALL})" for symbol in symbols if self.spoken[symbol] > 1)
        self.session.solver.from_string(f"(declare-fun {quoted(flag)} () Bool)(assert (=> {quoted(flag)} {small}))")
        return flag

    def bounds(
        self, assumptions: Sequence[str], known: Mapping[int, Model]
    ) -> tuple[tuple[int, Model] | None, tuple[int, Model] | None]:
        """The least and the greatest amount, with a state of each; None where there is no bound that is not very far
        away.
        """
        least, greatest = min(known), max(known)
        return (
            self._furthest(assumptions, (least, known[least]), "<"),
            self._furthest(assumptions, (greatest, known[greatest]), ">"),
        )

    def _furthest(self, assumptions: Sequence[str], known: tuple[int, Model], op: str) -> tuple[int, Model] | None:
        start, model = known
        best = start
        step = 1
        while True:
            sign = -1 if op == "<" else 1
            got = self.ask(assumptions, bounds=[(op, best + sign * (step - 1))])
            if got.model is not None:
                best, model, step = value_of(got.model), got.model, step * 4
                if abs(best - start) > FURTHEST:
                    return None
            elif step == 1:
                return best, model
            else:
                step = max(1, step // 2)

    def sure_of(
        self, assumptions: Sequence[str], symbols: Sequence[str], values: Mapping[tuple[int, ...], int]
    ) -> bool:
        """Whether some numbers are always one of what is listed, and the answer then what is listed with it."""
        numbers = [self.session.number(symbol) for symbol in symbols]
        answer = self.session.number(ANSWER)
        self.session.solver.push()
        self.session.solver.add(*(
            z3.Or(answer != value, *(number != one for number, one in zip(numbers, listed, strict=True)))
            for listed, value in values.items()
        ))  # fmt: skip
        found = self.session.ask([*assumptions])
        self.session.solver.pop()
        return self.sure(found).status == "unsat"


def value_of(model: Model) -> int:
    return model.number(ANSWER) or 0


def _ids(flags: Iterable[str]) -> tuple[str, ...]:
    return tuple(flag.removeprefix("rule ") for flag in flags)
