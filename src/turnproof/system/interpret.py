"""The concrete meaning of a system: what happens in a given state, in plain Python.

This is one of the two meanings; `turnproof.solve.translate` is the other. They share the data and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, assert_never

from turnproof.system.expr import (
    And,
    At,
    Chosen,
    Const,
    Enum,
    Eq,
    Expr,
    If,
    Int,
    Le,
    Not,
    Or,
    Param,
    Put,
    Scale,
    Sort,
    Sum,
    Tag,
    Value,
    Var,
)
from turnproof.system.system import Command, Moment, System

Cells: TypeAlias = "Mapping[int, str]"
State: TypeAlias = "Mapping[str, Value | Cells]"
Evaluator: TypeAlias = "Callable[[Expr], Value | Cells]"


@dataclass(frozen=True, slots=True)
class World:
    """What is fixed for a whole game: how every selector is settled, and which rules are removed."""

    choices: Mapping[str, str]
    removed: frozenset[str] = field(default_factory=frozenset)


def evaluate(expr: Expr, state: State, params: Mapping[str, Value], world: World) -> Value | Cells:
    """The value of `expr`. Raises KeyError for a name that the state or `params` do not hold."""
    return evaluator(state, params, world)(expr)


def evaluator(state: State, params: Mapping[str, Value], world: World) -> Evaluator:
    """`evaluate` for several expressions that share parts; they must be kept as long as it is used."""
    memo: dict[int, Value | Cells] = {}

    def truth(of: Expr) -> bool:
        return bool(value(of))

    def number(of: Expr) -> int:
        got = value(of)
        assert isinstance(got, int)
        return got

    def value(of: Expr) -> Value | Cells:
        if id(of) not in memo:
            memo[id(of)] = fresh(of)
        return memo[id(of)]

    def fresh(of: Expr) -> Value | Cells:
        match of:
            case Const(v):
                return v
            case Var(name):
                return state[name]
            case Param(name):
                return params[name]
            case Tag(rule):
                return rule not in world.removed
            case Chosen(selector, option):
                return world.choices[selector] == option
            case Not(inner):
                return not truth(inner)
            case And(items):
                return all(truth(item) for item in items)
            case Or(items):
                return any(truth(item) for item in items)
            case Eq(left, right):
                return value(left) == value(right)
            case Le(left, right):
                return number(left) <= number(right)
            case Sum(items):
                return sum(number(item) for item in items)
            case Scale(factor, inner):
                return factor * number(inner)
            case If(cond, then, other):
                return value(then) if truth(cond) else value(other)
            case At(array, index):
                return cell(state, array, number(index))
            case Put(array, index, item):
                cells = state[array]
                assert isinstance(cells, Mapping)
                got = value(item)
                assert isinstance(got, str)
                return {**cells, number(index): got}
            case _:
                assert_never(of)

    return value


def cell(state: State, array: str, index: int) -> str:
    """What stands in an array at `index`; the empty string where nothing was ever put."""
    cells = state[array]
    assert isinstance(cells, Mapping)
    return cells.get(index, "")


def perform(
    command: Command, state: State, params: Mapping[str, Value], world: World
) -> tuple[State, tuple[tuple[Moment, State], ...]] | None:
    """The state after `command` and the moments passed on the way, or None where it cannot occur."""
    if not all(fits(params[name], sort) for name, sort in command.params):
        return None
    now = dict(state)
    moments: list[tuple[Moment, State]] = []
    for block in command.blocks:
        value = evaluator(now, params, world)
        if not value(block.when):
            return None
        now = {**now, **{u.variable: value(u.value) for u in block.updates}}
        moments += [(moment, now) for moment, cond in block.reached if value(cond)]
    return now, tuple(moments)


def fits(value: Value, sort: Sort) -> bool:
    """Whether `value` lies within the range of `sort`."""
    match sort:
        case Int(low, high):
            return isinstance(value, int) and (low is None or low <= value) and (high is None or value <= high)
        case Enum(values):
            return value in values
        case _:
            return True


def starts(system: System, state: State) -> bool:
    """Whether a game can start in `state`: fixed values as declared, free ones within their ranges."""
    for variable in system.variables:
        got = state[variable.name]
        if isinstance(got, Mapping):
            continue
        if variable.initial is not None and got != variable.initial:
            return False
        if not fits(got, variable.sort):
            return False
    return True


def same(system: System, left: State, right: State) -> bool:
    """Whether two states agree; cells of an array count only where both have been written."""
    for variable in system.variables:
        one, two = left[variable.name], right[variable.name]
        if isinstance(one, Mapping) and isinstance(two, Mapping):
            if any(two.get(index, item) != item for index, item in one.items()):
                return False
        elif one != two:
            return False
    return True
