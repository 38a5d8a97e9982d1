"""What has the same form means the same: compared in the interpreter, with names exchanged and without."""

from __future__ import annotations

import os
from collections import defaultdict
from random import Random
from typing import Any

import pytest

from turnproof.system import expr as x
from turnproof.system.forms import Form, Forms, Numbers
from turnproof.system.interpret import World, evaluate

ROUNDS = int(os.environ.get("TURNPROOF_FUZZ") or 8)
COLOURS, SIDES = x.Enum(("red", "green", "blue")), x.Enum(("left", "right"))
SORTS: dict[str, x.Sort] = {
    "p": x.Bool(), "q": x.Bool(), "c": COLOURS, "d": COLOURS, "s": SIDES, "t": SIDES, "m": x.Int(), "n": x.Int(),
}  # fmt: skip
EXCHANGED = {"p": "q", "q": "p", "left": "right", "right": "left", "s": "t", "t": "s", "red": "blue", "blue": "red"}


def test_forms() -> None:
    rng = Random(7)
    alike = 0
    for _ in range(max(4, ROUNDS)):
        numbers = Numbers()
        known: dict[str, x.Value] = {"d": "green", "p": True} if rng.random() < 0.3 else {}
        kinds = [(Forms(SORTS, known, numbers), {}), (Forms(SORTS, known, numbers, _renamed), EXCHANGED)]
        groups: defaultdict[Form, list[tuple[x.Expr, dict[str, str]]]] = defaultdict(list)
        for _ in range(600):
            of = rng.choice((_truth, _number, _chain, _chain))(rng, 3)
            forms, names = rng.choice(kinds[: 1 if known else 2])
            groups[forms.of(of)].append((of, names))
        for group in (group for group in groups.values() if len({repr(of) for of, _ in group}) > 1):
            alike += 1
            for _ in range(12):
                state = {**{name: _value(rng, sort) for name, sort in SORTS.items()}, **known}
                values = {evaluate(of, _exchanged(state, names), {}, World({})) for of, names in group}
                assert len(values) == 1, group
    assert alike > 40


def test_the_order_of_saying_makes_no_difference() -> None:
    c, p, q, n = x.Var("c"), x.Var("p"), x.Var("q"), x.Var("n")
    red, green = x.eq(c, x.const("red")), x.eq(c, x.const("green"))
    forms = Forms(SORTS, {}, Numbers())
    one = x.ite(red, p, x.both(green, q))
    two = x.ite(green, q, x.both(red, p))
    assert one != two
    assert forms.of(one) == forms.of(two) != forms.of(x.ite(green, p, x.both(red, q)))
    left = x.eq(x.Var("s"), x.const("left"))
    assert forms.of(x.negate(left)) == forms.of(x.eq(x.Var("s"), x.const("right")))
    assert forms.of(x.add(n, x.Var("m"))) == forms.of(x.add(x.Var("m"), n))
    assert forms.of(x.le(n, x.Var("m"))) != forms.of(x.le(x.Var("m"), n))


@pytest.mark.parametrize("name", ["p", "c", "n"])
def test_what_is_known_is_put_in_place(name: str) -> None:
    values: dict[str, x.Value] = {"p": True, "c": "blue", "n": 4}
    value = values[name]
    forms = Forms(SORTS, {name: value}, Numbers())
    assert forms.of(x.Var(name)) == forms.of(x.const(value))


def _renamed(name: str) -> str:
    return EXCHANGED.get(name, name)


def _exchanged(state: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """The state of which an expression speaks if its names are exchanged."""
    if not names:
        return state
    return {name: names.get(state[_renamed(name)], state[_renamed(name)]) for name in state}


def _value(rng: Random, sort: x.Sort) -> x.Value:
    match sort:
        case x.Enum(values):
            return rng.choice(values)
        case x.Bool():
            return rng.random() < 0.5
        case _:
            return rng.randint(-2, 2)


def _truth(rng: Random, depth: int) -> x.Expr:
    if not depth or rng.random() < 0.3:
        name = rng.choice("pqcdst")
        sort = SORTS[name]
        return x.Eq(x.Var(name), x.const(rng.choice(sort.values))) if isinstance(sort, x.Enum) else x.Var(name)
    one, two, three = (_truth(rng, depth - 1) for _ in range(3))
    match rng.randrange(6):
        case 0:
            return x.Not(one)
        case 1:
            return x.And((one, two))
        case 2:
            return x.Or((one, two))
        case 3:
            return x.If(one, two, three) if rng.random() < 0.5 else x.ite(one, two, three)
        case 4:
            return x.Le(_number(rng, depth - 1), _number(rng, depth - 1))
        case _:
            return x.Eq(one, two)


def _chain(rng: Random, longest: int) -> x.Expr:
    """One thing or another, by the values of one or two variables: mostly what others say in another order."""
    leaves = (x.Var("p"), x.Var("q"), x.TRUE, x.FALSE)
    of: x.Expr = rng.choice(leaves)
    for _ in range(rng.randint(1, longest)):
        name = "c" if rng.random() < 0.8 else "s"
        sort = SORTS[name]
        assert isinstance(sort, x.Enum)
        test = x.Eq(x.Var(name), x.const(rng.choice(sort.values)))
        match rng.randrange(6):
            case 0:
                of = x.And((test, of))
            case 1:
                of = x.Or((test, of))
            case 2:
                of = x.Not(of)
            case 3:
                of = x.If(test, rng.choice(leaves), of)
            case _:
                of = x.ite(test, rng.choice(leaves), of)
    return of


def _number(rng: Random, depth: int) -> x.Expr:
    if not depth or rng.random() < 0.3:
        return x.const(rng.randint(0, 2)) if rng.random() < 0.3 else x.Var(rng.choice("mn"))
    one, two = (_number(rng, depth - 1) for _ in range(2))
    match rng.randrange(3):
        case 0:
            return x.If(_truth(rng, depth - 1), one, two)
        case 1:
            return x.add(one, two)
        case _:
            return x.Scale(rng.choice((-1, 2)), one)
