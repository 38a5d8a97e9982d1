"""Expressions of a transition system: immutable trees over state variables, tags and readings.

Every value is a `bool`, an `int` or, for enumerations, a `str`. Building goes through the small functions at the
end, which fold constants, so that a system compiled from a rulebook stays as small as what it says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Value: TypeAlias = "bool | int | str"


@dataclass(frozen=True, slots=True)
class Bool:
    """The sort of true and false."""


@dataclass(frozen=True, slots=True)
class Int:
    """The sort of integers; `low` and `high` are declared ranges, claims about the game rather than types."""

    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class Enum:
    """One of finitely many named values, in their declared order."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Array:
    """A map from integers to an enumeration: the slots of a stack."""

    element: Enum


Sort: TypeAlias = "Bool | Int | Enum | Array"


class _Node:
    """What expressions are made of. They are deep and often looked up, so each keeps its hash once it is known."""

    __slots__ = ("_hash",)
    __match_args__: tuple[str, ...] = ()
    _hash: int

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            found = hash((type(self).__name__, *(getattr(self, name) for name in self.__match_args__)))
            object.__setattr__(self, "_hash", found)
            return found


@dataclass(frozen=True, slots=True)
class Const(_Node):
    """A value. `truth` keeps true apart from 1, which Python takes for equal."""

    value: Value
    truth: bool = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "truth", isinstance(self.value, bool))

    __hash__ = _Node.__hash__


@dataclass(frozen=True, slots=True)
class Var(_Node):
    """A state variable, by name."""

    name: str

    __hash__ = _Node.__hash__


@dataclass(frozen=True, slots=True)
class Param(_Node):
    """What a happening leaves to somebody's choice or to chance, by name."""

    name: str

    __hash__ = _Node.__hash__


@dataclass(frozen=True, slots=True)
class Tag(_Node):
    """True while the rule of this id is in the rulebook. Off means removed, not blocked."""

    rule: str

    __hash__ = _Node.__hash__


@dataclass(frozen=True, slots=True)
class Chosen(_Node):
    """True when the reading, open question or policy `selector` is settled as `option`."""

    selector: str
    option: str

    __hash__ = _Node.__hash__


@dataclass(frozen=True, slots=True)
class Not(_Node):
    of: Expr

    __hash__ = _Node.__hash__


@dataclass(frozen=True, slots=True)
class And(_Node):
    items: tuple[Expr, ...]

    __hash__ = _Node.__hash__


@dataclass(frozen=True, slots=True)
class Or(_Node):
    items: tuple[Expr, ...]

    __hash__ = _Node.__hash__


@dataclass(frozen=True, slots=True)
class Eq(_Node):
    left: Expr
    right: Expr

    __hash__ = _Node.__hash__


@dataclass(frozen=True, slots=True)
class Le(_Node):
    """`left` is at most `right`; the one order there is, the others are made of it."""

    left: Expr
    right: Expr

    __hash__ = _Node.__hash__


@dataclass(frozen=True, slots=True)
class Sum(_Node):
    items: tuple[Expr, ...]

    __hash__ = _Node.__hash__


@dataclass(frozen=True, slots=True)
class Scale(_Node):
    factor: int
    of: Expr

    __hash__ = _Node.__hash__


@dataclass(frozen=True, slots=True)
class If(_Node):
    cond: Expr
    then: Expr
    other: Expr

    __hash__ = _Node.__hash__


@dataclass(frozen=True, slots=True)
class At(_Node):
    """The element of the array variable `array` at `index`."""

    array: str
    index: Expr

    __hash__ = _Node.__hash__


@dataclass(frozen=True, slots=True)
class Put(_Node):
    """The array variable `array` with `value` at `index`: only as the whole right side of an update."""

    array: str
    index: Expr
    value: Expr

    __hash__ = _Node.__hash__


Expr: TypeAlias = "Const | Var | Param | Tag | Chosen | Not | And | Or | Eq | Le | Sum | Scale | If | At | Put"

TRUE = Const(True)
FALSE = Const(False)


def const(value: Value) -> Const:
    """`value` as an expression."""
    return Const(value)


def negate(of: Expr) -> Expr:
    """The opposite of a truth value."""
    match of:
        case Const(value):
            return Const(not value)
        case Not(inner):
            return inner
        case _:
            return Not(of)


def all_of(items: Iterable[Expr]) -> Expr:
    """True when every item is; true when there is none."""
    kept: list[Expr] = []
    for item in items:
        if item == FALSE:
            return FALSE
        if item == TRUE:
            continue
        kept.extend(item.items if isinstance(item, And) else [item])
    kept = list(dict.fromkeys(kept))
    if not kept:
        return TRUE
    return kept[0] if len(kept) == 1 else And(tuple(kept))


def any_of(items: Iterable[Expr]) -> Expr:
    """True when some item is; false when there is none."""
    kept: list[Expr] = []
    for item in items:
        if item == TRUE:
            return TRUE
        if item == FALSE:
            continue
        kept.extend(item.items if isinstance(item, Or) else [item])
    kept = list(dict.fromkeys(kept))
    if not kept:
        return FALSE
    return kept[0] if len(kept) == 1 else Or(tuple(kept))


def both(*items: Expr) -> Expr:
    """`all_of` for a fixed number of items."""
    return all_of(items)


def either(*items: Expr) -> Expr:
    """`any_of` for a fixed number of items."""
    return any_of(items)


def implies(left: Expr, right: Expr) -> Expr:
    """True unless `left` holds and `right` does not."""
    return either(negate(left), right)


def eq(left: Expr, right: Expr) -> Expr:
    """Equality of two values of one sort."""
    if isinstance(left, Const) and isinstance(right, Const):
        return Const(left.value == right.value)
    if left == right:
        return TRUE
    for one, two in ((left, right), (right, left)):
        if isinstance(one, Const) and isinstance(one.value, bool):
            return two if one.value else negate(two)
        if isinstance(one, Const) and isinstance(two, If) and Const in (type(two.then), type(two.other)):
            # Which of two values something is tells the condition.
            return ite(two.cond, eq(two.then, one), eq(two.other, one))
    return Eq(left, right)


def le(left: Expr, right: Expr) -> Expr:
    """`left` is at most `right`."""
    if isinstance(left, Const) and isinstance(right, Const):
        return Const(left.value <= right.value)  # type: ignore[operator]  # both are ints: the checker saw to it
    return Le(left, right)


def lt(left: Expr, right: Expr) -> Expr:
    """`left` is less than `right`."""
    return negate(le(right, left))


def add(*items: Expr) -> Expr:
    """The sum of integers, like terms put together; 0 for none."""
    total = 0
    factors: dict[Expr, int] = {}
    for item in items:
        for part in item.items if isinstance(item, Sum) else (item,):
            match part:
                case Const(value):
                    total += int(value)
                case Scale(factor, of):
                    factors[of] = factors.get(of, 0) + factor
                case _:
                    factors[part] = factors.get(part, 0) + 1
    kept = [scale(factor, of) for of, factor in factors.items() if factor]
    if total or not kept:
        kept.append(Const(total))
    return kept[0] if len(kept) == 1 else Sum(tuple(kept))


def scale(factor: int, of: Expr) -> Expr:
    """An integer times a constant."""
    if isinstance(of, Const):
        return Const(factor * int(of.value))
    if factor == 0:
        return Const(0)
    return of if factor == 1 else Scale(factor, of)


def minus(left: Expr, right: Expr) -> Expr:
    """The difference of two integers."""
    return add(left, scale(-1, right))


def ite(cond: Expr, then: Expr, other: Expr) -> Expr:
    """`then` where `cond` holds, else `other`; both of one sort."""
    if isinstance(cond, Const):
        return then if cond.value else other
    if then == other:
        return then
    if then == TRUE:
        return either(cond, other)
    if then == FALSE:
        return both(negate(cond), other)
    if other == FALSE:
        return both(cond, then)
    if other == TRUE:
        return either(negate(cond), then)
    return If(cond.of, other, then) if isinstance(cond, Not) else If(cond, then, other)


def smaller(left: Expr, right: Expr) -> Expr:
    """The smaller of two integers."""
    return ite(le(left, right), left, right)


def larger(left: Expr, right: Expr) -> Expr:
    """The larger of two integers."""
    return ite(le(left, right), right, left)


def parts(expr: Expr) -> tuple[Expr, ...]:
    """The direct parts of an expression."""
    match expr:
        case Not(of) | Scale(_, of):
            return (of,)
        case And(items) | Or(items) | Sum(items):
            return items
        case Eq(left, right) | Le(left, right):
            return (left, right)
        case If(cond, then, other):
            return (cond, then, other)
        case At(_, index):
            return (index,)
        case Put(_, index, value):
            return (index, value)
        case _:
            return ()


def leaves(of: Expr) -> Iterator[Expr]:
    """What an expression can come to, whatever its conditions."""
    todo = [of]
    while todo:
        part = todo.pop()
        if isinstance(part, If):
            todo += [part.then, part.other]
        else:
            yield part


def walk(exprs: Iterable[Expr]) -> Iterator[Expr]:
    """Every distinct expression inside `exprs`, each once."""
    seen: set[int] = set()
    todo = list(exprs)
    keep: list[Expr] = []
    while todo:
        expr = todo.pop()
        if id(expr) in seen:
            continue
        seen.add(id(expr))
        keep.append(expr)
        todo.extend(parts(expr))
    yield from keep


def rewritten(expr: Expr, change: Callable[[Expr], Expr | None]) -> Expr:
    """An expression with parts changed: `change` gives what stands for a part, or None to look inside it."""
    return rewriter(change)(expr)


def rewriter(change: Callable[[Expr], Expr | None]) -> Callable[[Expr], Expr]:
    """`rewritten` for several expressions that share parts."""
    # Parts are kept beside what they became, so that no other takes the identity of one that is gone.
    memo: dict[int, tuple[Expr, Expr]] = {}

    def go(of: Expr) -> Expr:
        if id(of) not in memo:
            changed = change(of)
            memo[id(of)] = of, _rebuilt(of, go) if changed is None else changed
        return memo[id(of)][1]

    return go


def where(known: Mapping[str, Expr]) -> Callable[[Expr], Expr]:
    """What simplifies expressions where some variables are known."""
    return rewriter(lambda of: known.get(of.name) if isinstance(of, Var) else None)


def told(conds: Iterable[Expr]) -> dict[str, Const]:
    """The variables whose values some conditions tell plainly, if all hold."""
    found: dict[str, Const] = {}
    todo = list(conds)
    while todo:
        match todo.pop():
            case And(items):
                todo += items
            case Eq(Var(name), Const() as value) | Eq(Const() as value, Var(name)):
                found[name] = value
            case Var(name):
                found[name] = TRUE
            case Not(Var(name)):
                found[name] = FALSE
            case _:
                pass
    return found


def _rebuilt(of: Expr, go: Callable[[Expr], Expr]) -> Expr:
    """An expression of changed parts; no more of these is looked at than decides it."""
    old, new = parts(of), []
    for part in old:
        now = go(part)
        match of, now:
            case (And(), Const(False)) | (Or(), Const(True)):
                return now
            case If(cond, then, other), Const(value) if part is cond:
                return go(then if value else other)
        new.append(now)
    if all(was is now for was, now in zip(old, new, strict=True)):
        return of
    match of:
        case Not():
            return negate(*new)
        case And():
            return all_of(new)
        case Or():
            return any_of(new)
        case Eq():
            return eq(*new)
        case Le():
            return le(*new)
        case Sum():
            return add(*new)
        case Scale(factor, _):
            return scale(factor, *new)
        case If():
            return ite(*new)
        case At(array, _):
            return At(array, *new)
        case Put(array, _, _):
            return Put(array, *new)
        case _:
            return of


BEFORE, SECOND = "before ", "second "


def prefixed(of: Expr, prefix: str = BEFORE) -> Expr:
    """An expression said of another state, whose variables have a prefix: the state before, or of a second play."""

    def change(of: Expr) -> Expr | None:
        match of:
            case Var(name):
                return Var(prefix + name)
            case At(array, index):
                return At(prefix + array, prefixed(index, prefix))
            case _:
                return None

    return rewritten(of, change)


def unprefixed(name: str) -> str:
    """The variable that is meant, in whichever state."""
    return name.removeprefix(SECOND).removeprefix(BEFORE)


def settled(expr: Expr, values: Mapping[str, Expr]) -> Expr:
    """An expression with values for its parameters."""
    return rewritten(expr, lambda of: values.get(of.name) if isinstance(of, Param) else None)


def size(expr: Expr) -> int:
    """How many nodes an expression has when written out."""
    sizes: dict[int, int] = {}
    todo = [expr]
    while todo:
        at = todo[-1]
        missing = [part for part in parts(at) if id(part) not in sizes]
        if missing:
            todo += missing
            continue
        sizes[id(at)] = 1 + sum(sizes[id(part)] for part in parts(at))
        todo.pop()
    return sizes[id(expr)]


def variables(exprs: Iterable[Expr]) -> frozenset[str]:
    """The names of the state variables that `exprs` read."""
    names = set()
    for expr in walk(exprs):
        match expr:
            case Var(name) | At(name, _) | Put(name, _, _):
                names.add(name)
            case _:
                pass
    return frozenset(names)


class Reads:
    """Which variables expressions read: a set of them is a number, in which each has its bit."""

    def __init__(self) -> None:
        self._bits: dict[str, int] = {}
        # Expressions are kept beside what they read, so that no other takes the identity of one that is gone.
        self._seen: dict[int, tuple[Expr, int]] = {}

    def bits(self, names: Iterable[str]) -> int:
        """A set of variables."""
        found = 0
        for name in names:
            found |= self._bits.setdefault(name, 1 << len(self._bits))
        return found

    def names(self, bits: int) -> frozenset[str]:
        """The variables of a set."""
        return frozenset(name for name, bit in self._bits.items() if bits & bit)

    def of(self, expr: Expr) -> int:
        """The variables that an expression reads."""
        known = self._seen.get(id(expr))
        if known is not None:
            return known[1]
        found = self.bits((expr.name,)) if isinstance(expr, Var) else 0
        if isinstance(expr, At | Put):
            found = self.bits((expr.array,))
        for part in parts(expr):
            found |= self.of(part)
        self._seen[id(expr)] = expr, found
        return found


def rules(exprs: Iterable[Expr]) -> frozenset[str]:
    """The ids of the rules whose tags `exprs` read."""
    return frozenset(expr.rule for expr in walk(exprs) if isinstance(expr, Tag))
