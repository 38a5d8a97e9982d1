"""What is done in a turn: plays, passing, what resolves, triggers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

from turnproof.language import syntax as s
from turnproof.rulebook.elaborate import Count, Piece, in_step, showing, waiting
from turnproof.rulebook.model import NOTHING, PlayKind
from turnproof.rulebook.permissions import Attempt, arrived, attempt, decide, matches, present, sorts_of
from turnproof.system import expr as x
from turnproof.system.common import CAUSE, Common, Deed, Draft, Sketch
from turnproof.system.system import Play
from turnproof.system.writes import Taken, Write, mentions, taken_by, writes


class Acts(Common):
    """The happenings that somebody brings about, or that come about of what somebody has done."""

    def plays(self) -> Iterator[Sketch]:
        for play in self.book.plays.values():
            if play.leaf and play.decl.sort == "play":
                for player in self.book.players:
                    for pieces in self.choices(play, player, late=False):
                        yield self.play(play, player, pieces)

    def choices(self, play: PlayKind, player: str, late: bool) -> Iterator[dict[str, Piece]]:
        """The pieces that a play can be about. New ones of a stacked play are chosen late, as it resolves."""
        params = [p for p in play.pieces if not (play.stacked and (p.whose == "new") != late)]
        options = []
        for param in params:
            kind = self.book.kind(param.kind)
            assert kind is not None
            options.append([p for p in self.el.pieces(kind) if _may_be(param.whose, p.owner == player)])
        for some in product(*options):
            if len({piece.key for piece in some}) == len(some):
                yield {param.preposition: piece for param, piece in zip(params, some, strict=True)}

    def play(self, play: PlayKind, player: str, pieces: Mapping[str, Piece]) -> Sketch:
        tried = attempt(self.el, play, player, pieces)
        payable, paid = self.costs(tried)
        decision = decide(self.el, tried)
        guard = x.both(
            self.may_act(player), self.there(play, pieces), decision.allowed, self.within_limits(tried), payable,
            self.thrown(tried),
        )  # fmt: skip
        made = [*paid, *self.acted()]
        made += self.push(play, player) if play.stacked else self.outcome(tried, taken_by(paid))
        blocks = [Draft(guard, tuple(made)), *self.whenever(tried)]
        return self.played("play", tried, blocks, with_amounts=True, permits=decision.permits)

    def played(
        self,
        kind: str,
        of: Attempt,
        blocks: list[Draft],
        with_amounts: bool,
        permits: tuple[tuple[str, x.Expr], ...] = (),
    ) -> Sketch:
        named = " ".join(f"{preposition} {piece.key}" for preposition, piece in of.pieces.items())
        name = f"{of.player} {kind} {of.play.name} {named}".strip()
        about = Play(kind, of.play.name, of.player, tuple((p, piece.key) for p, piece in of.pieces.items()))
        params = tuple(self.amounts(of.play)) if with_amounts else ()
        return self.command(name, about, blocks, params, permits)

    def told_of(self, play: PlayKind) -> dict[str, x.Sort]:
        """All that can be told of a play beforehand: what is decided in it, and what new pieces bring along."""
        found = dict(self.amounts(play))
        for kind in (self.book.kind(param.kind) for param in play.pieces if param.whose == "new"):
            if kind is not None:
                found |= {f"new {name}": self.el.sort(got.type) for name, got in kind.fields.items()}
        return found

    def amounts(self, play: PlayKind) -> Iterator[tuple[str, x.Sort]]:
        """What a player or the dice decide in a play: amounts, cells, how many dice show each side."""
        for item in play.items:
            match item:
                case s.Amounts(names, of):
                    yield from ((name, self.el.sort(of)) for name in names)
                case s.Cells(names):
                    assert self.book.board is not None
                    for name in names:
                        yield f"{name} row", x.Int(1, self.book.board.rows)
                        yield f"{name} column", x.Int(1, self.book.board.columns)
                case s.Throw(_, sides):
                    yield from ((showing(side), x.Int(0)) for side in range(1, sides + 1))
                case _:
                    pass

    def thrown(self, of: Attempt) -> x.Expr:
        """That each of the dice shows one side."""
        return x.all_of(
            x.eq(
                x.add(*(x.Param(showing(side)) for side in range(1, item.sides + 1))),
                x.larger(self.el.number(item.number, of.scope), x.const(0)),
            )
            for item in of.play.items if isinstance(item, s.Throw)
        )  # fmt: skip

    def there(self, play: PlayKind, pieces: Mapping[str, Piece]) -> x.Expr:
        """That the pieces are in play, and the places of new ones free (the first free place is taken)."""
        conds: list[x.Expr] = []
        for param in play.pieces:
            piece = pieces.get(param.preposition)
            if piece is None:
                continue
            there = x.Var(f"{piece.key}.in_play")
            if param.whose != "new":
                conds.append(there)
                continue
            kind = self.book.kind(piece.kind)
            assert kind is not None
            own = self.el.pieces(kind, piece.owner)
            before = own[: own.index(piece)]
            conds += [x.negate(there), *(x.Var(f"{other.key}.in_play") for other in before)]
        return x.all_of(conds)

    def costs(self, of: Attempt) -> tuple[x.Expr, list[Write]]:
        """That a player can pay for a play, and the paying."""
        total: dict[str, list[tuple[x.Expr, x.Expr]]] = {}
        paid: list[Write] = []
        for clause in self.book.of(s.Cost):
            body = clause.body
            assert isinstance(body, s.Cost)
            if body.play not in of.play.ancestors:
                continue
            for item in body.items:
                there = present(clause)
                amount = self.el.number(item.amount, of.scope)
                total.setdefault(item.resource, []).append((there, amount))
                for name, change in ((item.resource, x.scale(-1, amount)), (item.to, amount)):
                    if name:
                        paid.append(Write(f"{of.player}.{name}", "add", change, there, clause.rule, play=of.play.name))
        # Only a cost that is still in the rules asks for anything: without it even a debt is no hindrance.
        enough = x.all_of(
            x.implies(
                x.any_of(there for there, _ in parts),
                x.le(
                    x.add(*(x.ite(there, amount, x.const(0)) for there, amount in parts)), x.Var(f"{of.player}.{name}")
                ),
            )
            for name, parts in total.items()
        )
        return enough, paid

    def within_limits(self, of: Attempt) -> x.Expr:
        """That no `at most` is used up."""
        conds = []
        for clause in self.book.of(s.Limit):
            body = clause.body
            assert isinstance(body, s.Limit)
            if not any(matches(ref, of) is not None for ref in body.plays):
                continue
            used = [self.el.counter(count) for count in self.limit_counts(body, of)]
            conds.append(x.implies(present(clause), x.lt(x.add(*used), x.const(body.count))))
        return x.all_of(conds)

    def limit_counts(self, body: s.Limit, of: Attempt) -> Iterator[Count]:
        """What a limit counts for this attempt: each sort of play once, however it is named."""
        if body.plays[0].pieces:
            preposition = body.plays[0].pieces[0][0]
            if of.pieces[preposition].fresh:
                return
            yield Count(body.plays[0].play, body.period, None, preposition, of.pieces[preposition].key)
            return
        for name in sorts_of(self.book, body.plays):
            yield Count(name, body.period, of.player if body.each_player else None)

    def outcome(self, of: Attempt, taken: Taken | None = None) -> list[Write]:
        """What a play does: its own effects, and pieces come into play with what these do not say of them."""
        made: list[Write] = []
        pieces = [p for p in of.play.pieces if p.whose == "new"]
        absent = {p.variable for p in pieces if p.preposition not in of.pieces}
        taken = {} if taken is None else taken
        for item in of.play.items:
            if isinstance(item, s.Does):
                effects = [effect for effect in item.effects if not mentions(effect, absent)]
                made += [
                    replace(write, play=of.play.name) for write in writes(self.el, effects, of.scope, x.TRUE, "", taken)
                ]
        for param in pieces:
            if param.preposition in of.pieces:
                made += self.arrival(of.pieces[param.preposition])
        return made

    def arrival(self, piece: Piece) -> Iterator[Write]:
        """A piece comes into play: what is declared as its first values, and anything for the rest."""
        kind = self.book.kind(piece.kind)
        assert kind is not None
        yield Write(f"{piece.key}.in_play", "set", x.TRUE, yields=True)
        for name, got in kind.fields.items():
            first = got.first_of(self.book.players.index(piece.owner))
            value = x.Param(f"new {name}") if first is None else x.const(first)
            yield Write(f"{piece.key}.{name}", "set", value, yields=True)
        # What referred to a piece that was here before refers to nothing now.
        for variable in self.references(kind.name):
            if not variable.startswith(f"{piece.key}."):
                gone = x.eq(x.Var(variable), x.const(piece.key))
                yield Write(variable, "set", x.const(NOTHING), gone, yields=True)

    def references(self, kind: str) -> Iterator[str]:
        """The variables that can refer to pieces of a kind."""
        for name, got in self.book.game_fields.items():
            if got.type == s.RefT(kind):
                yield f"game.{name}"
        for player in self.book.players:
            yield from (f"{player}.{name}" for name, got in self.book.player_fields.items() if got.type == s.RefT(kind))
        for other in self.book.kinds:
            for place in self.el.pieces(other):
                yield from (f"{place.key}.{name}" for name, got in other.fields.items() if got.type == s.RefT(kind))

    def push(self, play: PlayKind, player: str) -> list[Write]:
        """A play goes on the stack."""
        top = x.Var("stack")
        return [
            Write("stack", "add", x.const(1)),
            Write("stack.play", "set", x.Put("stack.play", top, x.const(play.name))),
            Write("stack.by", "set", x.Put("stack.by", top, x.const(player))),
        ]

    def whenever(self, of: Attempt) -> list[Draft]:
        """What rules make of a play as it happens, all at once; its new piece is in play by then."""
        there = arrived(of)
        found = [
            Deed(clause, clause.body.stages, clause.body.cond, scope)
            for clause in self.book.of(s.Whenever)
            if isinstance(clause.body, s.Whenever) and (scope := matches(clause.body.play, there)) is not None
        ]
        return self.stages(found)

    def passes(self) -> Iterator[Sketch]:
        if not self.has_priority:
            return
        names = self.book.players
        for at, player in enumerate(names):
            guard = x.both(self.may_act(player), self.goes_round)
            made = [
                Write("passes", "add", x.const(1)),
                Write("priority", "set", x.const(names[(at + 1) % len(names)])),
            ]
            yield self.command(f"{player} passes", Play("pass", "pass", player), [Draft(guard, tuple(made))])

    def resolutions(self) -> Iterator[Sketch]:
        for play in self.book.plays.values():
            if not (play.leaf and play.stacked):
                continue
            for player in self.book.players:
                for pieces in self.choices(play, player, late=True):
                    yield self.resolution(play, player, pieces)
                if any(piece.whose == "new" for piece in play.pieces):
                    yield self.resolution(play, player, {})

    def resolution(self, play: PlayKind, player: str, pieces: Mapping[str, Piece]) -> Sketch:
        tried = attempt(self.el, play, player, pieces)
        top = x.minus(x.Var("stack"), x.const(1))
        guard = x.both(
            self.running,
            x.le(x.const(1), x.Var("stack")),
            x.eq(x.At("stack.play", top), x.const(play.name)),
            x.eq(x.At("stack.by", top), x.const(player)),
            x.either(self.at_once, self.all_passed),
            self.there(play, pieces),
            self.no_room(play, player, pieces),
        )
        made = [Write("stack", "add", x.const(-1)), *self.acted(), *self.outcome(tried)]
        if self.has_priority:
            made.append(Write("priority", "set", self.enum_player(x.Var("active")), self.goes_round))
        return self.played("resolve", tried, [Draft(guard, tuple(made))], with_amounts=False)

    def no_room(self, play: PlayKind, player: str, pieces: Mapping[str, Piece]) -> x.Expr:
        """Where a play resolves without its new piece, that all places for it are taken."""
        taken: list[x.Expr] = []
        for param in play.pieces:
            kind = self.book.kind(param.kind)
            if param.whose == "new" and param.preposition not in pieces and kind is not None:
                taken += [x.Var(f"{piece.key}.in_play") for piece in self.el.pieces(kind, player)]
        return x.all_of(taken)

    def triggers(self) -> Iterator[Sketch]:
        for play in self.book.plays.values():
            if not (play.leaf and play.decl.sort == "trigger"):
                continue
            for player in self.book.players:
                tried = attempt(self.el, play, player, {})
                waits = waiting(play.name, player)
                arise = Draft(self.running, (Write(waits, "add", x.const(1)),))
                yield self.played("trigger", tried, [arise], with_amounts=False)
                may = decide(self.el, tried).allowed
                guard = x.both(self.running, x.le(x.const(1), x.Var(waits)), may, self.thrown(tried))
                made = [Write(waits, "add", x.const(-1)), *self.acted()]
                made += self.push(play, player) if play.stacked else self.outcome(tried)
                yield self.played("put", tried, [Draft(guard, tuple(made)), *self.whenever(tried)], with_amounts=True)

    def card_effects(self) -> Iterator[Sketch]:
        """What cards do, as far as it is supposed that they do anything: right after a play, or where a rule says."""
        for play in self.book.plays.values():
            if not (play.leaf and play.decl.sort == "effect"):
                continue
            for player in self.book.players:
                for pieces in self.choices(play, player, late=False):
                    sketch = self.card_effect(play, player, pieces)
                    if sketch is not None:
                        yield sketch

    def card_effect(self, play: PlayKind, player: str, pieces: Mapping[str, Piece]) -> Sketch | None:
        places = [
            in_step(self.book, supposed.steps)
            for supposed in self.supposed
            if set(supposed.kinds) & set(play.ancestors)
        ]
        windows = [
            (clause.rule, x.both(present(clause), in_step(self.book, clause.body.steps)))
            for clause in self.book.of(s.Window)
            if isinstance(clause.body, s.Window) and set(clause.body.effects) & set(play.ancestors)
        ]
        came = x.any_of(x.eq(x.Var(CAUSE), x.const(name)) for name in self.causes_of(play))
        here = x.both(x.any_of(places), x.either(came, *(holds for _, holds in windows)))
        if here == x.FALSE:
            return None
        tried = attempt(self.el, play, player, pieces)
        guard = x.both(self.running, here, self.there(play, pieces), self.thrown(tried))
        blocks = [Draft(guard, tuple(self.outcome(tried))), *self.whenever(tried)]
        return self.played("effect", tried, blocks, with_amounts=True, permits=tuple(windows))

    def causes_of(self, play: PlayKind) -> tuple[str, ...]:
        """The plays and triggers that can have an effect: those it names, or all."""
        named = [name for item in play.items if isinstance(item, s.ComesFrom) for name in item.plays]
        return tuple(
            other.name for other in self.book.plays.values()
            if other.leaf and other.decl.sort != "effect" and (not named or set(named) & set(other.ancestors))
        )  # fmt: skip


def _may_be(whose: str, own: bool) -> bool:
    """Whether a play can be about a piece, by whose it is."""
    return whose == "any" or own == (whose in ("own", "new"))
