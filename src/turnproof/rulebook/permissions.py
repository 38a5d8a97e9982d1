"""Who may do what: the rules that speak of a play, which of them hold, and what follows from them together.

The rules that hold and are not overridden decide. None of them: the rulebook is silent, and the policy `silence` says
how the game goes on. Some allow and others forbid: they clash, and the policy `clash` does. What `only` and
`at most` say narrows: it beats what merely allows, and is no clash.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from turnproof.language import syntax as s
from turnproof.rulebook.elaborate import PLAYER, THE_DICE, Cell, Elaborator, Piece, Scope, Thrown, in_step
from turnproof.rulebook.model import Clause, PlayKind, Rulebook
from turnproof.rulebook.precedence import effective
from turnproof.system import expr as x


@dataclass(frozen=True, slots=True)
class Decision:
    """What the rules say of one play by one player: in which states some rule allows, forbids or narrows it.

    `permits` are the rules that allow it, one by one.
    """

    allows: x.Expr
    forbids: x.Expr
    narrows: x.Expr
    permits: tuple[tuple[str, x.Expr], ...] = ()

    @property
    def silent(self) -> x.Expr:
        """No rule decides."""
        return x.both(*(x.negate(part) for part in (self.allows, self.forbids, self.narrows)))

    @property
    def clash(self) -> x.Expr:
        """One rule allows and another forbids."""
        return x.both(self.allows, self.forbids, x.negate(self.narrows))

    @property
    def plainly(self) -> x.Expr:
        """Some rule allows it, and none forbids or narrows it."""
        return x.both(self.allows, x.negate(self.forbids), x.negate(self.narrows))

    @property
    def allowed(self) -> x.Expr:
        """How the game goes on, policies included."""
        in_spite = x.both(self.clash, x.Chosen("clash", "grant_wins"))
        by_silence = x.both(self.silent, x.Chosen("silence", "possible"))
        return x.either(self.plainly, in_spite, by_silence)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A play by a player with its pieces, by preposition; `scope` also knows its amounts."""

    play: PlayKind
    player: str
    pieces: Mapping[str, Piece]
    scope: Scope


def attempt(el: Elaborator, play: PlayKind, player: str, pieces: Mapping[str, Piece]) -> Attempt:
    """An attempt with the words that its rules may use: `player`, and the amounts and pieces of the play.

    A new piece is not in play yet: what is said of it is said of what will come, not of its place.
    """
    scope = el.base.with_("player", (x.const(player), PLAYER))
    coming = {p.preposition for p in play.pieces if p.whose == "new"}
    known = {name: replace(piece, fresh=True) if name in coming else piece for name, piece in pieces.items()}
    for item in play.items:
        if isinstance(item, s.Amounts):
            for name in item.names:
                scope = scope.with_(name, (x.Param(name), item.type))
        elif isinstance(item, s.Cells):
            for name in item.names:
                scope = scope.with_(name, Cell(x.Param(f"{name} row"), x.Param(f"{name} column")))
        elif isinstance(item, s.Throw):
            scope = scope.with_(THE_DICE, Thrown(item.sides))
        elif isinstance(item, s.PieceParam) and item.preposition in known:
            scope = scope.with_(item.variable, known[item.preposition])
    for item in play.pieces:
        if item.preposition in coming and item.preposition in known:
            brings = tuple(_brought(el, play, item.variable, scope))
            known[item.preposition] = replace(known[item.preposition], brings=brings)
            scope = scope.with_(item.variable, known[item.preposition])
    return Attempt(play, player, known, scope)


def _brought(el: Elaborator, play: PlayKind, variable: str, scope: Scope) -> Iterable[tuple[str, x.Expr]]:
    """What a play's own effects make of the piece that it brings."""
    for effect in (effect for item in play.items if isinstance(item, s.Does) for effect in item.effects):
        match effect:
            case s.Change(s.Name(text, s.Name(owner, None) as piece), op, value) if owner == variable:
                before, typ = el.value(s.Name(text, piece), scope)
                got, _ = el.value(value, scope, typ)
                yield text, got if op == "becomes" else x.add(before, got if op == "+=" else x.scale(-1, got))
            case s.Goes(piece, place) if piece == variable:
                cell = el.cell(s.Name(place, span=effect.span), scope)
                yield "row", cell.row
                yield "column", cell.column
            case _:
                pass


def arrived(of: Attempt) -> Attempt:
    """The same attempt once its new piece has come into play."""
    there = {name: replace(piece, fresh=False, brings=()) for name, piece in of.pieces.items()}
    scope = of.scope
    for item in of.play.pieces:
        if item.preposition in there:
            scope = scope.with_(item.variable, there[item.preposition])
    return Attempt(of.play, of.player, there, scope)


def sorts_of(book: Rulebook, refs: Iterable[s.PlayRef]) -> tuple[str, ...]:
    """The sorts of play that some names cover, each once."""
    named = {ref.play for ref in refs}
    return tuple(play.name for play in book.plays.values() if play.leaf and named & set(play.ancestors))


def heard(el: Elaborator, of: Attempt) -> list[tuple[str, str, x.Expr]]:
    """The rules that speak of an attempt: each with its effect ("allow", "forbid", "narrow") and when it is heard."""
    voices: list[tuple[str, str, x.Expr]] = []
    for clause in el.book.of(s.Permission):
        body = clause.body
        assert isinstance(body, s.Permission)
        voices += [(clause.rule, effect, x.both(present(clause), holds)) for effect, holds in _says(el, body, of)]
    found = effective([(rule, holds) for rule, _, holds in voices], el.book.overrides)
    return [(rule, effect, holds) for (rule, effect, _), holds in zip(voices, found, strict=True)]


def decide(el: Elaborator, of: Attempt) -> Decision:
    """What the rulebook says of an attempt. A trigger that no rule forbids is allowed: it happens by itself."""
    voices = heard(el, of)
    by_effect = {
        effect: x.any_of(holds for _, what, holds in voices if what == effect)
        for effect in ("allow", "forbid", "narrow")
    }
    permits = tuple((rule, holds) for rule, what, holds in voices if what == "allow" and rule)
    allows = by_effect["allow"]
    if of.play.decl.sort == "trigger":
        allows = x.negate(x.either(by_effect["forbid"], by_effect["narrow"]))
    return Decision(allows, by_effect["forbid"], by_effect["narrow"], permits)


def _says(el: Elaborator, body: s.Permission, of: Attempt) -> Iterable[tuple[str, x.Expr]]:
    """What one permission says of an attempt, and when."""
    matching = [scope for ref in body.plays if (scope := matches(ref, of)) is not None]
    if not matching and body.mode != "may only":
        return
    concerned = x.both(in_step(el.book, body.steps), who(body.who, of.player))
    if body.mode == "may only":
        cond = el.truth(body.cond, of.scope)
        if matching:
            yield "allow", x.both(concerned, cond)
        elif of.play.decl.sort == "play":
            yield "narrow", x.both(concerned, cond)
        return
    for scope in matching:
        when = x.both(concerned, el.truth(body.cond, scope))
        if body.only_if is not None:
            yield "narrow", x.both(when, x.negate(el.truth(body.only_if, scope)))
        elif body.mode == "may not" or body.who == "nobody":
            yield "forbid", when
        else:
            yield "allow", when


def matches(ref: s.PlayRef, of: Attempt) -> Scope | None:
    """The scope in which a rule speaks of an attempt, or None if it does not speak of it."""
    if ref.play not in of.play.ancestors:
        return None
    scope = of.scope
    for preposition, name in ref.pieces:
        if preposition not in of.pieces:
            return None
        scope = scope.with_(name, of.pieces[preposition])
    return scope


def who(word: str, player: str) -> x.Expr:
    """Whether a player is among those that a word of a permission names."""
    active = x.eq(x.Var("active"), x.const(player))
    return {"active": active, "opponent": x.negate(active), "others": x.negate(active)}.get(word, x.TRUE)


def present(clause: Clause) -> x.Expr:
    """That a clause is part of the rules: its rule is not removed, and its reading is the chosen one."""
    chosen = x.TRUE if clause.selection is None else x.Chosen(*clause.selection)
    return x.both(x.Tag(clause.rule), chosen)


@dataclass(frozen=True, slots=True)
class _Cases:
    """What a permission plainly speaks of: leaves, players, sorts of play, and conditions that must hold as well."""

    forbids: bool
    leaves: frozenset[str]
    active: bool
    others: bool
    plays: frozenset[str]
    conds: frozenset[s.Exp]

    def within(self, other: _Cases) -> bool:
        """Whether each of these cases is plainly one of the others."""
        return (
            self.leaves <= other.leaves
            and self.active <= other.active
            and self.others <= other.others
            and self.plays <= other.plays
            and self.conds >= other.conds
        )


def more_particular(book: Rulebook) -> frozenset[tuple[str, str]]:
    """Pairs of rules that disagree, the first of which plainly holds in strictly fewer cases than the second.

    Compared part by part (steps, players, plays, conditions): what is found is right, but some pairs may be missed.
    """
    single: dict[str, _Cases | None] = {}
    for clause in book.clauses:
        body = clause.body
        cases = _cases(book, body) if isinstance(body, s.Permission) and not clause.selection else None
        single[clause.rule] = cases if clause.rule not in single else None
    found = [(rule, cases) for rule, cases in single.items() if cases is not None]
    return frozenset(
        (one, two) for one, a in found for two, b in found
        if a.forbids != b.forbids and a.within(b) and not b.within(a)
    )  # fmt: skip


def _cases(book: Rulebook, body: s.Permission) -> _Cases | None:
    """The cases of a permission, where they can be told plainly."""
    if body.mode == "may only" or body.only_if is not None or len(body.plays) != 1:
        return None
    ref = body.plays[0]
    leaves = [leaf for name in body.steps for leaf in book.leaves_of(name)] or [leaf.name for leaf in book.leaves]
    conds = frozenset(_renamed(part, ref) for part in _conjuncts(body.cond))
    told = {preposition for preposition, _ in ref.pieces}
    return _Cases(
        forbids=body.mode == "may not" or body.who == "nobody",
        leaves=frozenset(leaves),
        active=body.who not in ("opponent", "others"),
        others=body.who != "active",
        plays=frozenset(
            name for name in sorts_of(book, [ref]) if told <= {p.preposition for p in book.plays[name].pieces}
        ),
        conds=conds,
    )


def _conjuncts(cond: s.Exp | None) -> tuple[s.Exp, ...]:
    if cond is None:
        return ()
    return cond.items if isinstance(cond, s.Junction) and cond.op == "and" else (cond,)


def _renamed(cond: s.Exp, ref: s.PlayRef) -> s.Exp:
    """A condition with the play's pieces called by the words that name them, so that two rules can be compared."""
    names = {name: f"{preposition} …" for preposition, name in ref.pieces}

    def go(value: Any) -> Any:
        match value:
            case s.Name(text, None):
                return replace(value, text=names.get(text, text))
            case tuple():
                return tuple(go(part) for part in value)
            case s.CountPlays(play, _, _):
                pieces = tuple((preposition, names.get(name, name)) for preposition, name in play.pieces)
                return replace(value, play=replace(play, pieces=pieces))
            case (
                s.Name()
                | s.NotE()
                | s.Junction()
                | s.Compare()
                | s.Arith()
                | s.Extreme()
                | s.Quantified()
                | s.Since()
                | s.Flow()
                | s.Distance()
                | s.OnBoard()
                | s.Dice()
            ):
                changed: dict[str, Any] = {
                    f.name: go(getattr(value, f.name)) for f in fields(value) if f.name != "span"
                }
                return type(value)(**changed)
            case _:
                return value

    renamed: s.Exp = go(cond)
    return renamed
