"""Expressions compared by what they say, in whichever order their parts stand, where names are exchanged for others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from turnproof.system import expr as x

# What an expression says: a number, and whether it says that or the opposite.
Form: TypeAlias = "tuple[int, bool]"
Key: TypeAlias = "tuple[object, ...]"
TRUE, FALSE = (0, True), (0, False)


class Numbers:
    """The numbers of forms, by what they are made of.

    Of some it is looked up again: `tests`, that a variable has one of several values; `tables`, what is so for each of
    some values of a variable, and for all others; and what is so together or one of several (`wholes`).
    """

    def __init__(self) -> None:
        self._of: dict[Key, int] = {}
        self.tests: dict[int, tuple[str, str, frozenset[str]]] = {}
        self.tables: dict[int, tuple[str, dict[str, Form], Form]] = {}
        self.wholes: dict[int, tuple[type[x.Expr], frozenset[Form]]] = {}

    def of(self, key: Key) -> int:
        """The number for what a form is made of."""
        return self._of.setdefault(key, len(self._of) + 1)


class Forms:
    """Forms of expressions: what has the same form means the same, once its names are exchanged.

    `sorts` are those of variables, `known` the values that some have. Those that share `numbers` can be compared.
    """

    def __init__(
        self,
        sorts: Mapping[str, x.Sort],
        known: Mapping[str, x.Value],
        numbers: Numbers,
        renamed: Callable[[str], str] = lambda name: name,
    ) -> None:
        self.sorts, self.known, self.numbers, self.renamed = sorts, known, numbers, renamed
        # Expressions are kept beside their forms, so that no other takes the identity of one that is gone.
        self._seen: dict[int, tuple[x.Expr, Form]] = {}

    def of(self, expr: x.Expr) -> Form:
        """The form of an expression."""
        if id(expr) not in self._seen:
            self._seen[id(expr)] = expr, self._fresh(expr)
        return self._seen[id(expr)][1]

    def all_of(self, exprs: Iterable[x.Expr]) -> Form:
        """The form of all of some conditions together."""
        return self._together(x.And, exprs, FALSE)

    def _form(self, *key: object) -> Form:
        return self.numbers.of(key), True

    def _together(self, what: type[x.And] | type[x.Or], items: Iterable[x.Expr], decisive: Form) -> Form:
        parts = set()
        for item in items:
            part = self.of(item)
            if part == decisive:
                return decisive
            parts.add(part)
        parts.discard((0, not decisive[1]))
        return self._whole(what, frozenset(parts))

    def _whole(self, what: type[x.And] | type[x.Or], parts: frozenset[Form]) -> Form:
        if len(parts) < 2:
            return next(iter(parts), TRUE if what is x.And else FALSE)
        number, _ = self._form(what, parts)
        self.numbers.wholes[number] = what, parts
        return number, True

    def _fresh(self, expr: x.Expr) -> Form:
        match expr:
            case x.Not(of):
                number, so = self.of(of)
                return number, not so
            case x.And(items):
                return self._together(x.And, items, FALSE)
            case x.Or(items):
                return self._together(x.Or, items, (0, True))
            case x.Eq(x.Var(name), x.Const(str(value))) | x.Eq(x.Const(str(value)), x.Var(name)):
                return self._is(name, value)
            case x.If(cond, then, other):
                number, so = self.of(cond)
                if number == 0:
                    return self.of(then if so else other)
                one, two = (self.of(then), self.of(other)) if so else (self.of(other), self.of(then))
                return one if one == two else self._if(number, one, two)
            case x.Sum(items):
                zero = self._form(int, 0)
                terms = sorted(term for item in items if (term := self.of(item)) != zero)
                return self._form(x.Sum, *terms) if len(terms) > 1 else next(iter(terms), zero)
            case x.Scale(factor, of):
                term = self.of(of)
                return term if term == self._form(int, 0) else self._form(x.Scale, factor, term)
            case x.Eq(left, right):
                return self._form(x.Eq, *sorted((self.of(left), self.of(right))))
            case x.Le(left, right):
                return self._form(x.Le, self.of(left), self.of(right))
            case x.Const(bool(value)):
                return 0, value
            case x.Const(value):
                return self._form(type(value), self.renamed(value) if isinstance(value, str) else value)
            case x.Var(name) | x.Param(name):
                if name in self.known and isinstance(expr, x.Var):
                    return self.of(x.const(self.known[name]))
                return self._form(type(expr), self.renamed(name))
            case x.Tag(rule):
                return self._form(x.Tag, rule)
            case x.Chosen(selector, option):
                return self._form(x.Chosen, selector, option)
            case x.At(array, index):
                return self._form(x.At, self.renamed(array), self.of(index))
            case x.Put(array, index, value):
                return self._form(x.Put, self.renamed(array), self.of(index), self.of(value))

    def _if(self, test: int, then: Form, other: Form) -> Form:
        """One thing or another; the values of one variable may be asked for in whichever order."""
        if test not in self.numbers.tests:
            return self._form(x.If, test, then, other)
        name, value, values = self.numbers.tests[test]
        known, rest = self._cases(name, other)
        cases = {**known, value: then}
        if len(cases) == len(values) - 1:
            cases[next(iter(values - cases.keys()))] = rest
        # Where each value has its own, nothing is left for others.
        rest = rest if len(cases) < len(values) else FALSE
        number, _ = self._form("table", name, frozenset(cases.items()), rest)
        self.numbers.tables[number] = name, cases, rest
        return number, True

    def _cases(self, name: str, of: Form) -> tuple[dict[str, Form], Form]:
        """What a form is for some values of a variable, and for all others."""
        number, so = of
        called, cases, rest = self.numbers.tables.get(number, ("", {}, of))
        if so and called == name:
            return cases, rest
        what, parts = self.numbers.wholes.get(number, (x.And, frozenset()))
        for part in parts if so else ():
            test = self.numbers.tests.get(part[0])
            if part[1] and test is not None and test[0] == name:
                # A choice between a condition and what is false or true was folded into both or either of them.
                if what is x.And:
                    return {test[1]: self._whole(x.And, parts - {part})}, FALSE
                return {test[1]: TRUE}, self._whole(x.Or, parts - {part})
        return {}, of

    def _is(self, name: str, value: str) -> Form:
        """That a variable has a value; of two values, not to have the one is to have the other."""
        if name in self.known:
            return 0, self.known[name] == value
        sort = self.sorts.get(x.unprefixed(name))
        said = self.renamed(value)
        assert isinstance(sort, x.Enum)
        values = frozenset(map(self.renamed, sort.values))
        if said not in values:
            return FALSE
        first = min(values) if len(values) == 2 else said
        number, _ = self._form("is", self.renamed(name), first, values)
        self.numbers.tests[number] = self.renamed(name), first, values
        return number, said == first
