"""What an update's value is made of in a given state: each part with the rules by which it is there.

For explanations only: an update says by which rules it can change a variable, its shares by which it does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from turnproof.system import expr as x
from turnproof.system.interpret import Cells, Evaluator
from turnproof.system.system import Update


@dataclass(frozen=True, slots=True)
class Share:
    """A part of what is written: the `amount` that is `added`, or else the value that is set; by which rules; and the
    variables that it is the sum of.
    """

    amount: x.Value | Cells
    rules: tuple[str, ...]
    made_of: frozenset[str]
    added: bool


def shares(update: Update, value: Evaluator) -> tuple[Share, ...]:
    """The parts that change a variable in the state of `value`: what is not 0, or is not what is there already."""

    def parts(of: x.Expr, rules: tuple[str, ...], factor: int, added: bool = False) -> Iterator[Share]:
        match of:
            case x.Sum(items):
                for item in items:
                    yield from parts(item, rules, factor, added or x.Var(update.variable) in items)
            case x.If(cond, then, other):
                holds = value(cond)
                named = (*rules, *_in_force(cond, True, value)) if holds else rules
                yield from parts(then if holds else other, named, factor, added)
            case x.Scale(by, inner):
                yield from parts(inner, rules, factor * by, added)
            case x.Var(name) if name == update.variable:
                return
            case _:
                amount = value(of)
                if isinstance(amount, bool):
                    rules = (*rules, *_in_force(of, amount, value))
                if isinstance(amount, int) and not isinstance(amount, bool):
                    amount *= factor
                if amount != 0 or isinstance(amount, bool):
                    yield Share(amount, tuple(dict.fromkeys(rules)), frozenset(x.variables([of])), added)

    return tuple(parts(update.value, (), 1))


def _in_force(cond: x.Expr, holds: bool, value: Evaluator) -> Iterator[str]:
    """The rules by which a condition holds, or does not."""
    match cond:
        case x.Tag(rule) if holds:
            yield rule
        case x.Not(inner):
            yield from _in_force(inner, not holds, value)
        case x.And(items) | x.Or(items):
            for item in items:
                # What holds together holds by all of it; what is one of several, by those that hold.
                if value(item) == holds:
                    yield from _in_force(item, holds, value)
        case _:
            return
