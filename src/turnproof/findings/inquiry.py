"""What all kinds of findings share: one rulebook, the attempts that players can make, and situations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from turnproof.answers.counts import together
from turnproof.answers.facts import situation
from turnproof.answers.ground import Ground, ground
from turnproof.answers.judge import Judge
from turnproof.answers.unchanged import unchanged
from turnproof.language import syntax as s
from turnproof.rulebook.elaborate import Elaborator, History, Piece, in_step
from turnproof.rulebook.model import PlayKind, Rulebook, title
from turnproof.rulebook.permissions import Attempt, attempt, heard
from turnproof.solve.ask import DEFAULT_LIMIT
from turnproof.solve.plays import Counterexample
from turnproof.solve.property import Property
from turnproof.solve.safety import Engines, Safety
from turnproof.system import expr as x
from turnproof.system.build import Build, build
from turnproof.system.mirror import Mirror
from turnproof.system.system import System

# Whose part somebody has: the player whose turn it is, or another.
ROLES = ("the active player", "the other player")


@dataclass(frozen=True, slots=True)
class Tried:
    """An attempt by a player in a role, where `active` is; `pieces` are names for the pieces in it, by their keys."""

    active: str
    role: str
    attempt: Attempt
    pieces: Mapping[str, str]

    @property
    def play(self) -> PlayKind:
        return self.attempt.play

    @property
    def turn(self) -> x.Expr:
        """That it is the turn of the player whose turn it is in the attempt."""
        return x.eq(x.Var("active"), x.const(self.active))

    @property
    def there(self) -> x.Expr:
        """That the pieces of the attempt are in play, or are yet to come."""
        return x.all_of(
            x.negate(x.Var(f"{piece.key}.in_play")) if piece.fresh else x.Var(f"{piece.key}.in_play")
            for piece in self.attempt.pieces.values()
        )


@dataclass(frozen=True, slots=True)
class Shown:
    """A state in which something shows: its facts, and the readings that are not as usual."""

    facts: tuple[tuple[str, str], ...]
    readings: Mapping[str, str]
    step: str


class Inquiry:
    """One rulebook that is looked through."""

    def __init__(self, book: Rulebook, limit: int = DEFAULT_LIMIT, engines: Engines | None = None) -> None:
        self.book, self.limit, self.engines = book, limit, engines
        self.history = History()
        self.maker = Build(book, self.history)
        self.el: Elaborator = self.maker.el

    @cached_property
    def whole(self) -> System:
        """The whole system of the rules."""
        return build(self.book)

    def known(self) -> list[x.Expr]:
        """What is so in every state to which a game can come, as far as counts tell."""
        return list(together(self.book, self.history.counts))

    @cached_property
    def unchanged(self) -> list[x.Expr]:
        """That quantities which nothing changes are as at first, each by itself."""
        return unchanged(self.book)

    @property
    def constant(self) -> x.Expr:
        """That all quantities which nothing changes are as at first."""
        return x.all_of(self.unchanged)

    @cached_property
    def attempts(self) -> list[Tried]:
        """Every sort of play by the active player and by another, with the first pieces that it can be about.

        The first player is active; others are, too, in what is not the same for them.
        """
        first, *others = (list(self.attempts_where(player)) for player in self.book.players)
        said = {id(tried): self.said_of(tried) for each in (first, *others) for tried in each}
        mirror = self.mirror
        found = list(first)
        for each in others:
            for one, two in zip(first, each, strict=True):
                places = mirror.places(one.active, two.active)
                here, there = mirror.forms(places, one.active), mirror.forms(0, two.active)
                if [*map(here.of, said[id(one)])] != [*map(there.of, said[id(two)])]:
                    found.append(two)
        return found

    def attempts_where(self, active: str) -> Iterator[Tried]:
        """The attempts where a player is active."""
        at = self.book.players.index(active)
        order = (*self.book.players[at:], *self.book.players[:at])
        for play in self.book.plays.values():
            if not play.leaf or play.decl.sort != "play":
                continue
            for number, player in enumerate(order[:2]):
                for pieces in self.pieces(play, player, order):
                    names = {piece.key: word for (word, _), piece in zip(_words(play), pieces.values(), strict=False)}
                    yield Tried(active, ROLES[number], attempt(self.el, play, player, pieces), names)

    def said_of(self, tried: Tried) -> list[x.Expr]:
        """All that rules say of an attempt, in the same order for everybody."""
        said = [x.both(x.Param(f"{effect} by {rule}"), so) for rule, effect, so in heard(self.el, tried.attempt)]
        said += [self.maker.within_limits(tried.attempt), tried.there]
        read = x.variables(said)
        return [*said, x.all_of(fact for fact in self.unchanged if x.variables([fact]) & read)]

    @property
    def mirror(self) -> Mirror:
        """What tells whether something is the same for all players."""
        return Mirror(self.maker.still().sorts, self.book.players)

    def pieces(self, play: PlayKind, player: str, order: Sequence[str]) -> Iterator[dict[str, Piece]]:
        """The first pieces that a play can be about; of pieces that can be anybody's, each player's.

        `order` are the players from the active one on: the first of them but the player is the opponent.
        """
        other = next((p for p in order if p != player), player)
        params = [p for p in play.pieces if not (play.stacked and p.whose == "new")]
        owners = {"own": (player,), "new": (player,), "opposing": (other,), "any": (other, player)}
        for choice in product(*(owners[param.whose] for param in params)):
            found: dict[str, Piece] = {}
            for param, owner in zip(params, choice, strict=True):
                kind = self.book.kind(param.kind)
                assert kind is not None
                places = [p for p in self.el.pieces(kind, owner) if p.key not in {one.key for one in found.values()}]
                if places:
                    found[param.preposition] = places[0]
            if len(found) == len(params):
                yield found

    @property
    def first_active(self) -> x.Expr:
        """That it is the first player's turn."""
        return x.eq(x.Var("active"), x.const(self.book.players[0]))

    def possible(self, cond: x.Expr, params: Mapping[str, x.Sort]) -> tuple[Ground, Judge]:
        """A judge of whether a condition is so (1) or not (0)."""
        used = {part.name for part in x.walk([cond]) if isinstance(part, x.Param)}
        of = ground(self.maker.still(), [(n, sort) for n, sort in params.items() if n in used], self.known())
        of.script.require(of.expr(self.constant, "constant"))
        of.answered(f"(ite {of.expr(cond, 'said')} 1 0)")
        return of, Judge(of, self.limit)

    def shown(self, cond: x.Expr, params: Mapping[str, x.Sort], pieces: Mapping[str, str]) -> Shown | None:
        """A state in which a condition is so, with readings as usual as far as can be; None if there is none."""
        of, judge = self.possible(cond, params)
        found = judge.honoured([0])
        if found is None:
            return None
        off, model = found
        facts = situation(self.book, of, judge, 1, model, off, pieces)
        names = {number: name for name, number in of.script.codes.numbers.items()}
        kept = tuple((what, value) for what, value in facts if what != "step")
        return Shown(kept, off, names.get(model.number("0.step") or 0, ""))

    def acknowledged(self, rules: tuple[str, ...], readings: Mapping[str, str]) -> str:
        """The question in the rulebook about some rules: one that says so, or the reading under which they clash."""
        about = (name for name, known in self.book.acknowledged.items() if set(rules) <= known)
        return next(about, next(iter(readings), ""))

    def reached(self, cond: x.Expr, readings: Mapping[str, str]) -> tuple[bool, Counterexample | None]:
        """Whether a game may come to where a condition is so, and a play that leads there if one is easily found.

        It is certain only that a game cannot. Without engines, and for what somebody is about to choose, it may.
        """
        engines = self.engines
        chooses = any(isinstance(part, x.Param) for part in x.walk([cond]))
        if engines is None or chooses or not x.variables([cond]) <= engines.system.sorts.keys():
            return True, None
        began = in_step(self.book, ())
        safety = Safety(engines, Property(bad_state=x.both(began, x.negate(engines.system.over), cond)), rough=True)
        if safety.quick(x.TRUE) is not None:
            return False, None
        usual = {s.name: s.usual for s in engines.system.selectors}
        where = x.all_of(x.Chosen(name, option) for name, option in {**usual, **readings}.items())
        return True, safety.shown(where)

    def called(self, play: PlayKind) -> str:
        """A play in words, with its pieces."""
        words = ", ".join(word for word, _ in _words(play))
        return title(play.decl.titles, play.name) + (f" ({words})" if words else "")


def _words(play: PlayKind) -> list[tuple[str, s.PieceParam]]:
    return [(param.variable, param) for param in play.pieces]
