"""Effects as simultaneous updates: everything that happens at one moment, put together variable by variable."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from turnproof.language import syntax as s
from turnproof.language.parser import nodes
from turnproof.rulebook.elaborate import Elaborator, Piece, Scope
from turnproof.system import expr as x
from turnproof.system.system import Update


@dataclass(frozen=True, slots=True)
class Write:
    """One change of one variable, where `cond` holds. `op` is "set", "add", "lower" or "raise".

    With `op` "must" it changes nothing: `value` must be true, or what is chosen cannot be chosen so.

    One that `yields` is no clash with others: it says what is so unless they say otherwise. `play` is what it is
    part of, if it is what a play costs or does by itself.
    """

    variable: str
    op: str
    value: x.Expr
    cond: x.Expr = x.TRUE
    rule: str = ""
    yields: bool = False
    play: str = ""


# What is already taken of a quantity at this moment, so that two moves do not take the same card.
Taken: TypeAlias = "dict[str, x.Expr]"


def writes(
    el: Elaborator, effects: Iterable[s.Effect], scope: Scope, cond: x.Expr, rule: str = "", taken: Taken | None = None
) -> list[Write]:
    """The changes that some effects make; `taken` is what others take at the same moment, and grows."""
    shared: Taken = {} if taken is None else taken
    return [write for effect in effects for write in _effect(el, effect, scope, cond, rule, shared)]


def taken_by(paid: Iterable[Write]) -> Taken:
    """What is taken of quantities by what is paid."""
    taken: Taken = {}
    for write in paid:
        amount = x.larger(x.ite(write.cond, x.scale(-1, write.value), x.const(0)), x.const(0))
        taken[write.variable] = x.add(taken.get(write.variable, x.const(0)), amount)
    return taken


def mentions(effect: s.Effect, words: set[str]) -> bool:
    """Whether an effect speaks of something by one of some names."""
    return any(
        (isinstance(node, s.Name) and node.of is None and node.text in words)
        or (isinstance(node, s.Leave) and node.piece in words)
        or (isinstance(node, s.Goes) and {node.piece, node.place} & words)
        for node in nodes(effect)
    )


def _effect(el: Elaborator, effect: s.Effect, scope: Scope, cond: x.Expr, rule: str, taken: Taken) -> Iterable[Write]:
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
            yield from _move(
                el.number(amount, scope), places(el, source, scope), places(el, target, scope), cond, rule, taken
            )
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
                yield from _effect(el, inner, scope_in, x.both(cond, there, el.truth(where, scope_in)), rule, taken)
        case s.Goes(piece, place):
            goes = scope.names[piece]
            assert isinstance(goes, Piece)
            cell = el.cell(s.Name(place, span=effect.span), scope)
            yield Write(f"{goes.key}.row", "set", cell.row, cond, rule)
            yield Write(f"{goes.key}.column", "set", cell.column, cond, rule)
        case s.Choose(_, path):
            typ = el.value(path, scope)[1]
            assert isinstance(typ, s.BoolT | s.IntT | s.EnumT | s.RefT)
            for whose, variable in places(el, path, scope):
                chosen = el.choice(variable, el.sort(typ), rule, scope)
                yield Write(variable, "set", chosen, x.both(cond, whose), rule)
        case s.Divide():
            yield from _divide(el, effect, scope, cond, rule)


def _divide(el: Elaborator, effect: s.Divide, scope: Scope, cond: x.Expr, rule: str) -> Iterable[Write]:
    """Somebody chooses how much each piece gets; where there is no piece to get anything, nothing is chosen."""
    amount = x.larger(el.number(effect.amount, scope), x.const(0))
    parts: list[tuple[x.Expr, x.Expr]] = []
    for there, scope_in in el.bind(effect.binding, scope):
        piece = scope_in.names[effect.binding.variable]
        assert isinstance(piece, Piece)
        among = x.both(cond, there, el.truth(effect.where, scope_in))
        if among == x.FALSE:
            continue
        lot = el.choice(f"{effect.attribute} of {piece.key}", x.Int(0), rule, scope)
        parts.append((among, lot))
        yield Write(f"{piece.key}.{effect.attribute}", "set", lot, among, rule)
    total = x.add(*(x.ite(among, lot, x.const(0)) for among, lot in parts))
    enough = x.le(total, amount) if effect.up_to else x.eq(total, amount)
    somebody = x.any_of(among for among, _ in parts)
    if somebody != x.FALSE:
        yield Write("", "must", enough, somebody, rule)


def _move(
    amount: x.Expr,
    sources: list[tuple[x.Expr, str]],
    targets: list[tuple[x.Expr, str]],
    cond: x.Expr,
    rule: str,
    taken: Taken,
) -> Iterable[Write]:
    """As many as are wanted and still there, from one quantity to another."""
    wanted = x.larger(amount, x.const(0))
    moved: x.Expr = x.const(0)
    for whose, variable in sources:
        left = x.larger(x.minus(x.Var(variable), taken.get(variable, x.const(0))), x.const(0))
        here = x.ite(whose, x.smaller(wanted, left), x.const(0))
        taken[variable] = x.add(taken.get(variable, x.const(0)), x.ite(cond, here, x.const(0)))
        moved = x.add(moved, here)
        yield Write(variable, "add", x.scale(-1, here), x.both(cond, whose), rule)
    for whose, variable in targets:
        yield Write(variable, "add", moved, x.both(cond, whose), rule)


def places(el: Elaborator, path: s.Name, scope: Scope) -> list[tuple[x.Expr, str]]:
    """The variables that a path can stand for, each with the condition that it does."""
    if path.of is None:
        return [(x.TRUE, f"game.{path.text}")]
    owner = scope.names.get(path.of.text) if path.of.of is None else None
    if isinstance(owner, Piece):
        return [(x.TRUE, f"{owner.key}.{path.text}")]
    player, typ = el.name(path.of, scope)
    if isinstance(typ, s.RefT):
        # What is said of a piece that has left, or of nothing, changes nothing.
        there = [
            (x.both(x.eq(player, x.const(piece.key)), x.Var(f"{piece.key}.in_play")), f"{piece.key}.{path.text}")
            for piece in el.referred(typ)
        ]
        return [(cond, variable) for cond, variable in there if cond != x.FALSE]
    found = [(x.eq(player, x.const(name)), f"{name}.{path.text}") for name in el.book.players]
    return [(cond, variable) for cond, variable in found if cond != x.FALSE]


def combine(all_writes: Iterable[Write]) -> tuple[Update, ...]:
    """One update for each variable: the first thing it is set to, plus what is added, then its bounds."""
    by_variable: dict[str, list[Write]] = {}
    for write in all_writes:
        if write.cond != x.FALSE and write.op != "must":
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


def demanded(all_writes: Iterable[Write]) -> x.Expr:
    """What must be true of what is chosen."""
    return x.all_of(x.implies(write.cond, write.value) for write in all_writes if write.op == "must")


def flowing(all_writes: Iterable[Write], variable: str, direction: str, causes: Collection[str]) -> x.Expr:
    """How much some causes (plays, and rules in brackets; none: any) add to a quantity at one moment, or take.

    Each cause counts for itself: what one gives and another takes at once is both gained and lost.
    """
    by_cause: dict[tuple[str, str], list[Write]] = {}
    for write in all_writes:
        named = not causes or write.play in causes or f"[{write.rule}]" in causes
        if write.variable == variable and write.cond != x.FALSE and not write.yields and named:
            by_cause.setdefault((write.rule, write.play), []).append(write)
    total: list[x.Expr] = []
    for own in by_cause.values():
        more = x.minus(_value(variable, own), x.Var(variable))
        more = x.scale(-1, more) if direction == "lost" else more
        total += [x.larger(more, x.const(0))] if more != x.const(0) else []
    return x.add(*total)


def clashes(all_writes: Iterable[Write]) -> list[tuple[str, tuple[str, str], x.Expr]]:
    """Pairs of changes of one quantity at one moment that do not go together, and when both are made.

    Adding goes with adding and a bound with its like; setting goes with setting to the same. All else depends on an
    order that nobody has said. An empty id stands for the play itself; how a piece comes into play gives way to it.
    """
    by_variable: dict[str, list[Write]] = {}
    for write in all_writes:
        if write.cond != x.FALSE and not write.yields and write.op != "must":
            by_variable.setdefault(write.variable, []).append(write)
    found = []
    for variable, some in by_variable.items():
        for at, one in enumerate(some):
            for two in some[at + 1 :]:
                cond = x.both(one.cond, two.cond)
                if one.op == two.op:
                    cond = x.both(cond, x.negate(x.eq(one.value, two.value))) if one.op == "set" else x.FALSE
                if cond != x.FALSE:
                    found.append((variable, (one.rule, two.rule), cond))
    return found
