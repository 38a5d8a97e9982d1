"""The symbolic meaning of a system: SMT-LIB text. The other meaning is `turnproof.system.interpret`.

Enumeration values are numbered, each value once for a whole system. The happening from state k to state k+1 is the
number `k.act`; its intermediate states are definitions, so the text stays as small as the system.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import assert_never

from turnproof.system import expr as x
from turnproof.system.system import Moment, System


def quoted(name: str) -> str:
    """A name as an SMT-LIB symbol."""
    return "|" + name.replace("\\", "/").replace("|", "/") + "|"


@dataclass(slots=True)
class Codes:
    """The numbers of enumeration values: every value of a system has one, the same in all its scripts."""

    numbers: dict[str, int] = field(default_factory=dict)

    def of(self, value: str) -> int:
        return self.numbers.setdefault(value, len(self.numbers))


@lru_cache(maxsize=256)
def codes(system: System) -> Codes:
    """Numbers for every value that a system's variables and choices can have, or that its rules speak of."""
    found = Codes()
    for sort in [v.sort for v in system.variables] + [sort for c in system.commands for _, sort in c.params]:
        enum = sort.element if isinstance(sort, x.Array) else sort
        if isinstance(enum, x.Enum):
            for value in enum.values:
                found.numbers.setdefault(value, len(found.numbers))
    blocks = [block for command in system.commands for block in command.blocks]
    spoken = [update.value for block in blocks for update in block.updates]
    spoken += [e for block in blocks for e in (block.when, *(cond for _, cond in block.reached))]
    for expr in x.walk(spoken):
        if isinstance(expr, x.Const) and isinstance(expr.value, str):
            found.numbers.setdefault(expr.value, len(found.numbers))
    return found


@lru_cache(maxsize=256)
def _truths(system: System) -> frozenset[str]:
    params = (param for command in system.commands for param in command.params)
    sorts = [*((v.name, v.sort) for v in system.variables), *params]
    return frozenset(name for name, sort in sorts if isinstance(sort, x.Bool))


def sort_text(sort: x.Sort) -> str:
    """The SMT-LIB sort of a sort."""
    match sort:
        case x.Bool():
            return "Bool"
        case x.Int() | x.Enum():
            return "Int"
        case x.Array():
            return "(Array Int Int)"
        case _:
            assert_never(sort)


@dataclass(slots=True)
class Script:
    """SMT-LIB text in the making. Symbols are declared once, in the order in which they are needed."""

    system: System
    codes: Codes
    lines: list[str] = field(default_factory=list)
    sorts: dict[str, x.Sort] = field(default_factory=dict)
    _templates: dict[tuple[int, int, int], dict[str, str]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def add(self, line: str) -> None:
        self.lines.append(line)

    def require(self, formula: str) -> None:
        if formula != "true":
            self.lines.append(f"(assert {formula})")

    def declare(self, name: str, sort: x.Sort, ranges: bool = False) -> str:
        """A new symbol; an enumeration is one of its values, and with `ranges` a number is in its declared range."""
        symbol = quoted(name)
        self.sorts[name] = sort
        self.add(f"(declare-const {symbol} {sort_text(sort)})")
        if isinstance(sort, x.Enum):
            self.require(self.one_of(symbol, sort.values))
        elif isinstance(sort, x.Int) and ranges:
            self.require(conj([*lower(symbol, sort), *upper(symbol, sort)]))
        return symbol

    def one_of(self, symbol: str, values: Iterable[str]) -> str:
        numbers = sorted(self.codes.of(value) for value in values)
        if numbers[-1] - numbers[0] == len(numbers) - 1:
            return f"(and (<= {numbers[0]} {symbol}) (<= {symbol} {numbers[-1]}))"
        return disj([f"(= {symbol} {number})" for number in numbers])

    # -- states and happenings

    def rigid(self, tags_free: bool) -> None:
        """The symbols of readings and rules; rules are present unless they are left free, for cores."""
        for selector in self.system.selectors:
            name = f"reading {selector.name}"
            self.sorts[name] = x.Enum(selector.options)
            self.add(f"(declare-const {quoted(name)} Int)")
            self.require(f"(and (<= 0 {quoted(name)}) (< {quoted(name)} {len(selector.options)}))")
        for tag in self.system.tags:
            if tags_free:
                self.add(f"(declare-const {quoted('rule ' + tag)} Bool)")
            else:
                self.add(f"(define-fun {quoted('rule ' + tag)} () Bool true)")

    def state(self, k: int) -> dict[str, str]:
        """A new state: the symbols of its variables."""
        return {v.name: self.declare(f"{k}.{v.name}", v.sort) for v in self.system.variables}

    def initial(self, state: Mapping[str, str]) -> None:
        """That a state is one in which a game can start."""
        for variable in self.system.variables:
            symbol = state[variable.name]
            if variable.initial is not None:
                self.require(f"(= {symbol} {self.value(variable.initial)})")
            elif isinstance(variable.sort, x.Int):
                self.require(conj([*lower(symbol, variable.sort), *upper(symbol, variable.sort)]))

    def happening(
        self, k: int, state: Mapping[str, str], stutter: bool = False, among: frozenset[int] | None = None
    ) -> dict[str, str]:
        """A new state that some command makes of state `k`; with `stutter`, or the same state again.

        `among` are the numbers of the commands that it can be; None: all.
        """
        assert state["step"] == quoted(f"{k}.step")
        every = frozenset(range(len(self.system.commands)))
        template = _template(self.system, stutter, every if among is None else among)
        self.add(_moved(template.text, k))
        for name, sort in template.sorts.items():
            self.sorts[_moved(quoted(name), k)[1:-1]] = sort
        for (at, block), symbols in template.moments.items():
            self._templates[k, at, block] = symbols
        return {variable.name: quoted(f"{k + 1}.{variable.name}") for variable in self.system.variables}

    def possible(self, k: int) -> frozenset[int]:
        """The numbers of the commands that can be happening `k`."""
        return frozenset(at for number, at, _ in self._templates if number == k)

    def between(self, k: int, at: int, block: int) -> dict[str, str]:
        """The state that the command `at`, as happening `k`, leaves after a block; block -1 is before the first."""
        return {name: _moved(symbol, k) for name, symbol in self._templates[k, at, block].items()}

    def only(self, k: int, at: int) -> str:
        """When the command `at` can occur as happening `k`; for questions that need no more of the happening."""
        template = _alone(self.system, at)
        self.add(_moved(template.text, k))
        for (number, block), symbols in template.moments.items():
            self._templates[k, number, block] = symbols
        return quoted(f"{k}.{at}.when")

    def params(self, k: int, at: int) -> dict[str, str]:
        """The symbols of a command's parameters at a happening."""
        return {name: quoted(f"{k}.{at}.{name}") for name, _ in self.system.commands[at].params}

    def passing(self, k: int, at: int, moment: Moment, holds: x.Expr) -> list[tuple[str, str]]:
        """For a command, each time it passes a moment: whether it does, and whether `holds` is true then."""
        found = []
        for number, block in enumerate(self.system.commands[at].blocks):
            before, after = self.between(k, at, number - 1), self.between(k, at, number)
            found += [
                (self.expr(cond, before, self.params(k, at)), self.expr(holds, after, {}))
                for reached, cond in block.reached
                if reached == moment
            ]
        return found

    # -- expressions

    def value(self, value: x.Value) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int):
            return str(value) if value >= 0 else f"(- {-value})"
        return str(self.codes.of(value))

    def shared(
        self, exprs: Iterable[x.Expr], state: Mapping[str, str], params: Mapping[str, str], label: str
    ) -> dict[int, str]:
        """Definitions for what stands in several places of some expressions, by identity, so that it is said once."""
        places: dict[int, int] = {}
        inside: dict[int, x.Expr] = {}
        order: list[x.Expr] = []
        todo: list[tuple[x.Expr, bool]] = [(expr, False) for expr in exprs]
        while todo:
            of, done = todo.pop()
            if done:
                order.append(of)
                continue
            places[id(of)] = places.get(id(of), 0) + 1
            if id(of) not in inside:
                inside[id(of)] = of
                todo.append((of, True))
                todo += [(part, False) for part in x.parts(of)]
        known: dict[int, str] = {}
        for of in order:
            if places[id(of)] > 1 and any(x.parts(part) for part in x.parts(of)) and not isinstance(of, x.Put):
                symbol = quoted(f"{label}~{len(known)}")
                text = self.expr(of, state, params, known)
                self.add(f"(define-fun {symbol} () {sort_text(self.sort_of(of))} {text})")
                known[id(of)] = symbol
        return known

    def sort_of(self, of: x.Expr) -> x.Sort:
        """Whether an expression is a truth value or a number: the number of a value of an enumeration, too."""
        match of:
            case x.Not() | x.And() | x.Or() | x.Eq() | x.Le() | x.Tag() | x.Chosen():
                return x.Bool()
            case x.Const(value):
                return x.Bool() if isinstance(value, bool) else x.Int()
            case x.If(_, then, _):
                return self.sort_of(then)
            case x.Var(name):
                return x.Bool() if x.unprefixed(name) in self.truths else x.Int()
            case x.Param(name):
                return x.Bool() if name in self.truths else x.Int()
            case _:
                return x.Int()

    @property
    def truths(self) -> frozenset[str]:
        """The variables and parameters that are true or false."""
        return _truths(self.system)

    def expr(
        self,
        of: x.Expr,
        state: Mapping[str, str],
        params: Mapping[str, str],
        known: Mapping[int, str] = MappingProxyType({}),
    ) -> str:
        """An expression in a state; `known` are the symbols of what is defined already, by identity."""

        def go(of: x.Expr) -> str:
            if id(of) in known:
                return known[id(of)]
            match of:
                case x.Const(value):
                    return self.value(value)
                case x.Var(name):
                    return state[name]
                case x.Param(name):
                    return params[name]
                case x.Tag(rule):
                    return quoted(f"rule {rule}")
                case x.Chosen(selector, option):
                    options = next(s.options for s in self.system.selectors if s.name == selector)
                    return f"(= {quoted(f'reading {selector}')} {options.index(option)})"
                case x.Not(inner):
                    return f"(not {go(inner)})"
                case x.And(items):
                    return conj([go(item) for item in items])
                case x.Or(items):
                    return disj([go(item) for item in items])
                case x.Eq(left, right):
                    return f"(= {go(left)} {go(right)})"
                case x.Le(left, right):
                    return f"(<= {go(left)} {go(right)})"
                case x.Sum(items):
                    return "(+ " + " ".join(go(item) for item in items) + ")"
                case x.Scale(factor, inner):
                    return f"(* {self.value(factor)} {go(inner)})"
                case x.If(cond, then, other):
                    return f"(ite {go(cond)} {go(then)} {go(other)})"
                case x.At(array, index):
                    return f"(select {state[array]} {go(index)})"
                case x.Put(array, index, item):
                    return f"(store {state[array]} {go(index)} {go(item)})"
                case _:
                    assert_never(of)

        return go(of)


@dataclass(frozen=True, slots=True)
class Template:
    """The text of happening 0, from which that of every other is made by renaming."""

    text: str
    sorts: dict[str, x.Sort]
    moments: dict[tuple[int, int], dict[str, str]]


def _moved(text: str, k: int) -> str:
    """Text about happening 0 and state 1 as text about happening `k` and state `k` + 1."""
    if k == 0:
        return text
    return text.replace("|1.", "|next.").replace("|0.", f"|{k}.").replace("|next.", f"|{k + 1}.")


@lru_cache(maxsize=256)
def _template(system: System, stutter: bool, among: frozenset[int]) -> Template:
    """The happening from state 0 to state 1, which is one of some commands."""
    script = Script(system, codes(system))
    state = {v.name: quoted(f"0.{v.name}") for v in system.variables}
    moments: dict[tuple[int, int], dict[str, str]] = {}
    act = script.declare("0.act", x.Int())
    if len(among) == len(system.commands):
        script.require(f"(and (<= {'(- 1)' if stutter else '0'} {act}) (< {act} {len(system.commands)}))")
    else:
        script.require(disj(f"(= {act} {at})" for at in ["(- 1)"] * stutter + sorted(among)))
    results: dict[str, dict[str, list[int]]] = {v.name: {} for v in system.variables}
    for at in sorted(among):
        end = _command(script, at, state, moments)
        script.require(f"(=> (= {act} {at}) {quoted(f'0.{at}.when')})")
        for name, symbol in end.items():
            if symbol != state[name]:
                results[name].setdefault(symbol, []).append(at)
    for variable in system.variables:
        value = state[variable.name]
        for symbol, acts in results[variable.name].items():
            value = f"(ite {disj(f'(= {act} {a})' for a in acts)} {symbol} {value})"
        script.sorts[f"1.{variable.name}"] = variable.sort
        script.add(f"(declare-const {quoted(f'1.{variable.name}')} {sort_text(variable.sort)})")
        script.require(f"(= {quoted(f'1.{variable.name}')} {value})")
    return Template(script.text, script.sorts, moments)


@lru_cache(maxsize=1024)
def _alone(system: System, at: int) -> Template:
    """The command `at` in state 0."""
    script = Script(system, codes(system))
    moments: dict[tuple[int, int], dict[str, str]] = {}
    _command(script, at, {v.name: quoted(f"0.{v.name}") for v in system.variables}, moments)
    return Template(script.text, script.sorts, moments)


def _command(
    script: Script, at: int, state: Mapping[str, str], moments: dict[tuple[int, int], dict[str, str]]
) -> dict[str, str]:
    """Puts into the script what a command makes of state 0, and when it can occur."""
    command = script.system.commands[at]
    params = {name: script.declare(f"0.{at}.{name}", sort) for name, sort in command.params}
    whens = [bound for name, sort in command.params if isinstance(sort, x.Int)
             for bound in (*lower(params[name], sort), *upper(params[name], sort))]  # fmt: skip
    now = dict(state)
    moments[at, -1] = now
    sorts = script.system.sorts
    for number, block in enumerate(command.blocks):
        spoken = [block.when, *(update.value for update in block.updates)]
        known = script.shared(spoken, now, params, f"0.{at}.{number}")
        whens.append(script.expr(block.when, now, params, known))
        new: dict[str, str] = {}
        for update in block.updates:
            value = script.expr(update.value, now, params, known)
            if " " in value and not value.startswith("|"):
                name = f"0.{at}.{number}.{update.variable}"
                script.add(f"(define-fun {quoted(name)} () {sort_text(sorts[update.variable])} {value})")
                value = quoted(name)
            new[update.variable] = value
        now = {**now, **new}
        moments[at, number] = now
    script.add(f"(define-fun {quoted(f'0.{at}.when')} () Bool {conj(whens)})")
    return now


def lower(symbol: str, sort: x.Int) -> list[str]:
    """The lower bound of a number, if it has one."""
    return [f"(<= {_number(sort.low)} {symbol})"] if sort.low is not None else []


def upper(symbol: str, sort: x.Int) -> list[str]:
    """The upper bound of a number, if it has one."""
    return [f"(<= {symbol} {_number(sort.high)})"] if sort.high is not None else []


def _number(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


def conj(items: Iterable[str]) -> str:
    """All of some formulas."""
    kept = list(dict.fromkeys(item for item in items if item != "true"))
    if not kept:
        return "true"
    return kept[0] if len(kept) == 1 else "(and " + " ".join(kept) + ")"


def disj(items: Iterable[str]) -> str:
    """Some of some formulas."""
    kept = list(dict.fromkeys(item for item in items if item != "false"))
    if not kept:
        return "false"
    return kept[0] if len(kept) == 1 else "(or " + " ".join(kept) + ")"
