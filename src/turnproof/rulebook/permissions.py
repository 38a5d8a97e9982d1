"""Who may do what: the rules that speak of a play, which of them hold, and what follows from them together.

The rules that hold and are not overridden decide. None of them: the rulebook is silent, and the policy `silence` says
how the game goes on. Some allow and others forbid: they clash, and the policy `clash` does. What `only` and
`at most` say narrows: it beats what merely allows, and is no clash.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from turnproof.language import syntax as s
from turnproof.rulebook.elaborate import PLAYER, Elaborator, Piece, Scope, in_step
from turnproof.rulebook.model import Clause, PlayKind, Rulebook
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
    def allowed(self) -> x.Expr:
        """How the game goes on, policies included."""
        plainly = x.both(self.allows, x.negate(self.forbids), x.negate(self.narrows))
        in_spite = x.both(self.clash, x.Chosen("clash", "grant_wins"))
        by_silence = x.both(self.silent, x.Chosen("silence", "possible"))
        return x.either(plainly, in_spite, by_silence)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A play by a player with its pieces, by preposition; `scope` also knows its amounts."""

    play: PlayKind
    player: str
    pieces: Mapping[str, Piece]
    scope: Scope


def attempt(el: Elaborator, play: PlayKind, player: str, pieces: Mapping[str, Piece]) -> Attempt:
    """An attempt with the words that its rules may use: `player`, and the amounts of the play."""
    scope = el.base.with_("player", (x.const(player), PLAYER))
    for item in play.items:
        if isinstance(item, s.Amounts):
            for name in item.names:
                scope = scope.with_(name, (x.Param(name), item.type))
        elif isinstance(item, s.PieceParam) and item.preposition in pieces:
            scope = scope.with_(item.variable, pieces[item.preposition])
    return Attempt(play, player, pieces, scope)


def decide(el: Elaborator, of: Attempt) -> Decision:
    """What the rulebook says of an attempt. A trigger that no rule speaks of is allowed: it happens by itself."""
    voices: list[tuple[str, str, x.Expr]] = []
    for clause in el.book.of(s.Permission):
        body = clause.body
        assert isinstance(body, s.Permission)
        voices += [(clause.rule, effect, x.both(present(clause), holds)) for effect, holds in _says(el, body, of)]
    if of.play.decl.sort == "trigger":
        voices.append(("", "allow", x.negate(x.any_of(holds for _, _, holds in voices))))
    heard = effective([(rule, holds) for rule, _, holds in voices], el.book.overrides)
    by_effect = {
        effect: x.any_of(holds for (_, what, _), holds in zip(voices, heard, strict=True) if what == effect)
        for effect in ("allow", "forbid", "narrow")
    }
    permits = tuple(
        (rule, holds) for (rule, what, _), holds in zip(voices, heard, strict=True) if what == "allow" and rule
    )
    return Decision(by_effect["allow"], by_effect["forbid"], by_effect["narrow"], permits)


def _says(el: Elaborator, body: s.Permission, of: Attempt) -> Iterable[tuple[str, x.Expr]]:
    """What one permission says of an attempt, and when."""
    concerned = x.both(in_step(el.book, body.steps), who(body.who, of.player))
    matching = [scope for ref in body.plays if (scope := matches(ref, of)) is not None]
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


def effective(voices: Sequence[tuple[str, x.Expr]], overrides: frozenset[tuple[str, str]]) -> list[x.Expr]:
    """When each of some rules holds and is not overridden by another of them that is not itself overridden."""
    by_rule: dict[str, list[int]] = {}
    for at, (rule, _) in enumerate(voices):
        by_rule.setdefault(rule, []).append(at)
    above: dict[str, list[str]] = {}
    for stronger, weaker in sorted(overrides):
        if stronger in by_rule and weaker in by_rule:
            above.setdefault(weaker, []).append(stronger)
    heard: dict[int, x.Expr] = {}
    todo = list(by_rule)
    while todo:
        rule = todo[-1]
        missing = [other for other in above.get(rule, ()) if by_rule[other][0] not in heard]
        if missing and by_rule[rule][0] not in heard:
            todo += missing
            continue
        todo.pop()
        beaten = x.any_of(heard[at] for other in above.get(rule, ()) for at in by_rule[other])
        for at in by_rule[rule]:
            heard[at] = x.both(voices[at][1], x.negate(beaten))
    return [heard[at] for at in range(len(voices))]


def more_particular(book: Rulebook) -> frozenset[tuple[str, str]]:
    """Pairs of rules that disagree, the first of which plainly holds in strictly fewer cases than the second.

    Compared part by part (steps, players, plays, conditions): what is found is right, but some pairs may be missed.
    """
    single: dict[str, s.Permission | None] = {}
    for clause in book.clauses:
        body = clause.body
        fine = isinstance(body, s.Permission) and body.mode != "may only" and body.only_if is None
        single[clause.rule] = body if fine and clause.rule not in single and isinstance(body, s.Permission) else None
    found = {(r, b) for r, b in single.items() if b is not None}
    return frozenset(
        (one, two) for one, a in found for two, b in found
        if (a.mode == "may not" or a.who == "nobody") != (b.mode == "may not" or b.who == "nobody")
        and _within(book, a, b) and not _within(book, b, a)
    )  # fmt: skip


def _within(book: Rulebook, one: s.Permission, two: s.Permission) -> bool:
    """Whether every case of `one` is plainly a case of `two`."""
    wide = {"nobody": "all", "players": "all", "others": "opponent"}
    who_one, who_two = wide.get(one.who, one.who), wide.get(two.who, two.who)
    leaves_one = {leaf for name in one.steps for leaf in book.leaves_of(name)} or None
    leaves_two = {leaf for name in two.steps for leaf in book.leaves_of(name)} or None
    parts_one = set(_conjuncts(one.cond))
    return (
        who_two in ("all", who_one)
        and (leaves_two is None or (leaves_one is not None and leaves_one <= leaves_two))
        and all(any(_covers(book, b, a) for b in two.plays) for a in one.plays)
        and set(_conjuncts(two.cond)) <= parts_one
    )


def _covers(book: Rulebook, wide: s.PlayRef, narrow: s.PlayRef) -> bool:
    return wide.play in book.plays[narrow.play].ancestors and set(wide.pieces) <= set(narrow.pieces)


def _conjuncts(cond: s.Exp | None) -> tuple[s.Exp, ...]:
    if cond is None:
        return ()
    return cond.items if isinstance(cond, s.Junction) and cond.op == "and" else (cond,)
