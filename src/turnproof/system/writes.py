"""Effects as simultaneous updates: everything that happens at one moment, put together variable by variable."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from turnproof.language import syntax as s
from turnproof.rulebook.elaborate import Elaborator, Piece, Scope
from turnproof.system import expr as x
from turnproof.system.system import Update


@dataclass(frozen=True, slots=True)
class Write:
    """One change of one variable, where `cond` holds. `op` is "set", "add", "lower" or "raise"."""

    variable: str
    op: str
    value: x.Expr
    cond: x.Expr = x.TRUE
    rule: str = ""


def writes(el: Elaborator, effects: Iterable[s.Effect], scope: Scope, cond: x.Expr, rule: str = "") -> list[Write]:
    """The changes that some effects make."""
    return [write for effect in effects for write in _effect(el, effect, scope, cond, rule)]


def _effect(el: Elaborator, effect: s.Effect, scope: Scope, cond: x.Expr, rule: str) -> Iterable[Write]:
    match effect:
        case s.Change(path, op, value):
            typ = el.value(path, scope)[1]
            got = el.value(value, scope, typ)[0]
            if op == "-=":
                got = x.scale(-1, got)
            for whose, variable in places(el, path, scope):
                yield Write(variable, "set" if op == "becomes" else "add", got, x.both(cond, whose), rule)
        case s.Become(path, value, attribute):
            kind = el.book.kind(path.text)
            assert kind is not None
            for piece in el.pieces(kind):
                whose = x.TRUE if path.of is None else x.eq(el.name(path.of, scope)[0], x.const(piece.owner))
                there = x.both(cond, whose, x.Var(f"{piece.key}.in_play"))
                yield Write(f"{piece.key}.{attribute}", "set", x.const(value), there, rule)
        case s.Move(amount, source, target):
            held = el.value(source, scope)[0]
            wanted = x.larger(el.number(amount, scope), x.const(0))
            moved = x.smaller(wanted, x.larger(held, x.const(0)))
            for whose, variable in places(el, source, scope):
                yield Write(variable, "add", x.scale(-1, moved), x.both(cond, whose), rule)
            for whose, variable in places(el, target, scope):
                yield Write(variable, "add", moved, x.both(cond, whose), rule)
        case s.Bound(op, path, value):
            got = el.number(value, scope)
            for whose, variable in places(el, path, scope):
                yield Write(variable, op, got, x.both(cond, whose), rule)
        case s.Leave(piece):
            bound = scope.names[piece]
            assert isinstance(bound, Piece)
            yield Write(f"{bound.key}.in_play", "set", x.FALSE, cond, rule)
        case s.ForEach(binding, where, inner):
            for there, scope_in in el.bind(binding, scope):
                yield from _effect(el, inner, scope_in, x.both(cond, there, el.truth(where, scope_in)), rule)


def places(el: Elaborator, path: s.Name, scope: Scope) -> list[tuple[x.Expr, str]]:
    """The variables that a path can stand for, each with the condition that it does."""
    if path.of is None:
        return [(x.TRUE, f"game.{path.text}")]
    owner = scope.names.get(path.of.text) if path.of.of is None else None
    if isinstance(owner, Piece):
        return [(x.TRUE, f"{owner.key}.{path.text}")]
    player = el.name(path.of, scope)[0]
    found = [(x.eq(player, x.const(name)), f"{name}.{path.text}") for name in el.book.players]
    return [(cond, variable) for cond, variable in found if cond != x.FALSE]


def combine(all_writes: Iterable[Write]) -> tuple[Update, ...]:
    """One update for each variable: the first thing it is set to, plus what is added, then its bounds."""
    by_variable: dict[str, list[Write]] = {}
    for write in all_writes:
        if write.cond != x.FALSE:
            by_variable.setdefault(write.variable, []).append(write)
    return tuple(
        Update(variable, _value(variable, found), frozenset(w.rule for w in found if w.rule))
        for variable, found in by_variable.items()
    )


def _value(variable: str, found: list[Write]) -> x.Expr:
    value: x.Expr = x.Var(variable)
    for write in reversed([w for w in found if w.op == "set"]):
        value = x.ite(write.cond, write.value, value)
    added = [x.ite(w.cond, w.value, x.const(0)) for w in found if w.op == "add"]
    if added:
        value = x.add(value, *added)
    for write in (w for w in found if w.op in ("lower", "raise")):
        bound = x.smaller if write.op == "lower" else x.larger
        value = x.ite(write.cond, bound(value, write.value), value)
    return value


def clashes(all_writes: Iterable[Write]) -> list[tuple[str, tuple[str, str], x.Expr]]:
    """Pairs of rules of which one sets a variable while the other changes it otherwise, and where both happen."""
    by_variable: dict[str, list[Write]] = {}
    for write in all_writes:
        if write.rule and write.cond != x.FALSE:
            by_variable.setdefault(write.variable, []).append(write)
    found = []
    for variable, some in by_variable.items():
        for at, one in enumerate(some):
            for two in some[at + 1 :]:
                if one.rule == two.rule or "set" not in (one.op, two.op):
                    continue
                differ: x.Expr = x.TRUE
                if one.op == two.op:
                    differ = x.negate(x.eq(one.value, two.value))
                cond = x.both(one.cond, two.cond, differ)
                if cond != x.FALSE:
                    found.append((variable, (one.rule, two.rule), cond))
    return found
