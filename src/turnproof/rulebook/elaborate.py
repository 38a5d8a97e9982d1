"""What an expression of the language means over the variables of a game.

A scope holds what the words around an expression stand for: players as expressions, pieces as concrete places in the
scope, amounts as parameters. Quantifiers are written out over the pieces and players there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TypeAlias, assert_never

from turnproof.diagnostics import MOST_PROBLEMS, Caption, Diagnostic, Invalid, suggestion
from turnproof.language import printer
from turnproof.language import syntax as s
from turnproof.rulebook.model import NOTHING, RESERVED, SETUP, Decided, Kind, Rulebook
from turnproof.rulebook.precedence import effective
from turnproof.rulebook.refs import play_problem
from turnproof.system import expr as x


@dataclass(frozen=True, slots=True)
class Piece:
    """A place for a piece of a kind: `key` names its variables, `owner` the player whose it is.

    A `fresh` one is only coming into play: it has what it brings along, and no history.
    """

    kind: str
    owner: str
    key: str
    fresh: bool = False
    brings: tuple[tuple[str, x.Expr], ...] = ()


@dataclass(frozen=True, slots=True)
class PlayerT:
    pass


@dataclass(frozen=True, slots=True)
class Cell:
    """A place on the board: a cell that somebody chooses, or where a piece is."""

    row: x.Expr
    column: x.Expr


@dataclass(frozen=True, slots=True)
class Thrown:
    """The dice that are thrown in a play."""

    sides: int


@dataclass(frozen=True, slots=True)
class UnknownT:
    """The type of what is already reported as wrong: fits everywhere."""


Typ: TypeAlias = "s.Type | PlayerT | UnknownT"
PerPlayer: TypeAlias = "Callable[[str], x.Expr]"
Bound: TypeAlias = "tuple[x.Expr, Typ] | Piece | Cell | Thrown"
# The word under which a scope knows the dice that are thrown.
THE_DICE = "the dice"
PREVIOUS = "previous"
DEEPEST_DEFINITIONS = 30
LARGEST_DEFINITION = 5_000
MOST_CASES = 2_000
INT, BOOL, PLAYER, UNKNOWN = s.IntT(), s.BoolT(), PlayerT(), UnknownT()


@dataclass(frozen=True, slots=True)
class Count:
    """A count that the rules or the claims look at: of a play in a period, by a player or with a piece, if given."""

    play: str
    period: str
    by: str | None = None
    preposition: str | None = None
    piece: str | None = None

    @property
    def variable(self) -> str:
        rest = ":".join(part for part in (self.by, self.preposition, self.piece) if part)
        when = "in the previous turn" if self.period == PREVIOUS else f"this {self.period}"
        return f"{self.play} {when}" + (f" ({rest})" if rest else "")


@dataclass(frozen=True, slots=True)
class Flow:
    """How much of a quantity is gained or lost in a period, by all or by some plays and rules (these in brackets)."""

    quantity: str
    direction: str
    sources: tuple[str, ...]
    period: str
    piece: str | None = None

    @property
    def variable(self) -> str:
        by = " by " + ", ".join(self.sources) if self.sources else ""
        return f"{self.quantity} {self.direction}{by} this {self.period}"


@dataclass(slots=True)
class History:
    """What must be remembered for the rules and claims to have a meaning. Filled as expressions are elaborated.

    `owed` are variables that are true while in this turn the first condition was so and the second not since.
    """

    counts: dict[str, Count] = field(default_factory=dict)
    flows: dict[str, Flow] = field(default_factory=dict)
    owed: dict[str, tuple[x.Expr, x.Expr]] = field(default_factory=dict)
    since: dict[str, x.Expr] = field(default_factory=dict)
    was: dict[str, x.Expr] = field(default_factory=dict)
    pieces: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def within(self, other: History) -> bool:
        """Whether all that is remembered here is remembered there, too."""
        return all(getattr(self, one.name).items() <= getattr(other, one.name).items() for one in fields(self))


@dataclass(frozen=True, slots=True)
class Scope:
    """What words stand for here."""

    names: Mapping[str, Bound]

    def with_(self, name: str, bound: Bound) -> Scope:
        return replace(self, names={**self.names, name: bound})

    def settled(self) -> Iterator[str]:
        """The players and pieces that words stand for here."""
        for name, bound in self.names.items():
            match bound:
                case Piece():
                    yield f"{name} = {bound.key}"
                case (x.Const(value), PlayerT()):
                    yield f"{name} = {value}"
                case _:
                    pass


def waiting(trigger: str, player: str) -> str:
    """The variable that counts a player's triggers that have gone off and wait."""
    return f"{trigger} waiting ({player})"


class Elaborator:
    """Elaborates expressions of one rulebook; problems and histories are collected, not raised."""

    def __init__(self, book: Rulebook, history: History | None = None) -> None:
        self.book = book
        self.history = history if history is not None else History()
        self.problems: list[Diagnostic] = []
        self._inside: list[str] = []
        self._defined: dict[tuple[str, Bound | None], tuple[x.Expr, Typ]] = {}
        self._cases = 1
        # What somebody chooses in effects, as parameters with their sorts.
        self.choices: dict[str, x.Sort] = {}
        self._chosen: dict[str, int] = {}
        # Whether `before` has a meaning, and whether there is a second happening to speak of.
        self.two_states = False
        self.two_happenings = False

    # -- places and words

    @property
    def base(self) -> Scope:
        """What words stand for everywhere."""
        names: dict[str, Bound] = {"active": (x.Var("active"), PLAYER), "turn": (x.Var("turn"), INT)}
        if len(self.book.players) == 2:
            first, second = self.book.players
            other = x.ite(x.eq(x.Var("active"), x.const(first)), x.const(second), x.const(first))
            names["opponent"] = (other, PLAYER)
        if self.book.round_turns is not None:
            names["round"] = (x.Var("round"), INT)
        return Scope(names)

    def sort(self, typ: s.Type) -> x.Sort:
        """The sort of the variables of a declared type."""
        match typ:
            case s.BoolT():
                return x.Bool()
            case s.IntT(low, high):
                return x.Int(low, high)
            case s.EnumT(values, _):
                return x.Enum(values)
            case s.RefT():
                return x.Enum((NOTHING, *(piece.key for piece in self.referred(typ))))
            case s.SameT():
                raise AssertionError("types by another's name are known by now")
            case _:
                assert_never(typ)

    def choice(self, of: str, sort: x.Sort, rule: str, scope: Scope) -> x.Expr:
        """Something that somebody chooses by a rule: a parameter of its own, however many there are by other rules.

        It is called after what the rule speaks of, not by its turn: so what is alike for players is called alike.
        """
        called = f"{of} (by {', '.join([rule, *scope.settled()])}"
        number = self._chosen.get(called, 0) + 1
        self._chosen[called] = number
        name = f"{called}, {number})"
        self.choices[name] = sort
        return x.Param(name)

    def referred(self, typ: s.RefT) -> list[Piece]:
        """The pieces that something of this type can be."""
        kind = self.book.kind(typ.kind)
        return self.pieces(kind) if kind is not None else []

    def pieces(self, kind: Kind, of: str | None = None) -> list[Piece]:
        """The places for pieces of a kind, of one player or of all."""
        return [
            Piece(kind.name, player, f"{player}.{kind.name}.{number}")
            for player in self.book.players if of in (None, player)
            for number in range(1, kind.scope + 1)
        ]  # fmt: skip

    def problem(self, code: str, message: str, span: s.Span, hint: str = "") -> None:
        found = Diagnostic(code, message, self.book.path, (Caption(span),), hint)
        if found not in self.problems:
            self.problems.append(found)
        if len(self.problems) >= MOST_PROBLEMS:
            raise Invalid(self.problems)

    # -- expressions

    def truth(self, of: s.Exp | None, scope: Scope) -> x.Expr:
        """A condition; none is always true."""
        return x.TRUE if of is None else self.typed(of, scope, BOOL, "a condition")

    def number(self, of: s.Exp, scope: Scope) -> x.Expr:
        """An amount."""
        return self.typed(of, scope, INT, "a number")

    def typed(self, of: s.Exp, scope: Scope, want: Typ, called: str) -> x.Expr:
        """An expression of a wanted type."""
        got, typ = self.value(of, scope, want)
        if not fits(typ, want):
            hint = f"say what of it, for instance `{printer.exp(of)}.in_play`" if isinstance(typ, s.RefT) else ""
            self.problem("TP040", f"`{printer.exp(of)}` is {name_of(typ)}, but {called} is needed", of.span, hint)
            return zero(want)
        return got

    def value(self, of: s.Exp, scope: Scope, want: Typ = UNKNOWN) -> tuple[x.Expr, Typ]:
        """An expression and its type; `want` helps to understand the names of enumerations."""
        match of:
            case s.Num(value):
                return x.const(value), INT
            case s.Truth(value):
                return x.const(value), BOOL
            case s.Name():
                return self.name(of, scope, want)
            case s.NotE(inner):
                return x.negate(self.truth(inner, scope)), BOOL
            case s.Junction(op, items):
                join = x.any_of if op == "or" else x.all_of
                return join([self.truth(item, scope) for item in items]), BOOL
            case s.Compare():
                return self.compare(of, scope), BOOL
            case s.Arith():
                return self.arith(of, scope), INT
            case s.Extreme(op, items):
                pick = x.smaller if op == "min" else x.larger
                values = [self.number(item, scope) for item in items]
                total = values[0]
                for item in values[1:]:
                    total = pick(total, item)
                return total, INT
            case s.Quantified(quantifier, binding, body):
                cases = [(cond, self.truth(body, inner)) for cond, inner in self.bind(binding, scope)]
                if quantifier == "every":
                    return x.all_of(x.implies(cond, got) for cond, got in cases), BOOL
                some = x.any_of(x.both(cond, got) for cond, got in cases)
                return (some if quantifier == "some" else x.negate(some)), BOOL
            case s.CountPieces(binding, body):
                cases = [(cond, self.truth(body, inner)) for cond, inner in self.bind(binding, scope)]
                return x.add(*(x.ite(x.both(c, got), x.const(1), x.const(0)) for c, got in cases)), INT
            case s.Total(binding, where, body):
                terms = [
                    x.ite(x.both(cond, self.truth(where, inner)), self.number(body, inner), x.const(0))
                    for cond, inner in self.bind(binding, scope)
                ]
                return x.add(*terms), INT
            case s.CountPlays():
                return self.count(of, scope), INT
            case s.Flow():
                return self.flow(of, scope), INT
            case s.Since():
                return self.since(of, scope), BOOL
            case s.Settled(question, option):
                return self.settled(question, option, of.span), BOOL
            case s.Before():
                return self.before(of, scope)
            case s.OnBoard():
                return self.on_board(of, scope), BOOL
            case s.Distance(one, two):
                here, there = self.cell(one, scope), self.cell(two, scope)
                return x.add(_apart(here.row, there.row), _apart(here.column, there.column)), INT
            case s.Dice():
                return self.dice(of, scope), INT
            case _:
                assert_never(of)

    def name(self, of: s.Name, scope: Scope, want: Typ = UNKNOWN) -> tuple[x.Expr, Typ]:
        """A word or a path."""
        if of.of is not None:
            return self.part(of, scope)
        bound = scope.names.get(of.text)
        if isinstance(bound, Piece):
            return x.const(bound.key), s.RefT(bound.kind)
        if isinstance(bound, Cell | Thrown):
            self.problem("TP040", f"`{of.text}` is a cell", of.span, f"say what of it: `{of.text}.row`, `x is at …`")
            return zero(want), UNKNOWN
        if bound is not None:
            return bound
        if of.text == NOTHING and isinstance(want, s.RefT):
            return x.const(NOTHING), want
        if of.text in self.book.game_fields:
            got = self.book.game_fields[of.text]
            return x.Var(f"game.{of.text}"), got.type
        if of.text == "stack" and any(play.stacked for play in self.book.plays.values()):
            return x.Var("stack"), INT
        if of.text in self.book.defines:
            return self.defined(self.book.defines[of.text], None, of.span)
        if isinstance(want, s.EnumT) and of.text in want.values:
            return x.const(of.text), want
        if of.text == "opponent":
            self.problem(
                "TP043", "with more than two players there are several opponents", of.span, "say which player is meant"
            )
            return zero(want), UNKNOWN
        known = [*scope.names, *self.book.game_fields, *self.book.defines]
        if isinstance(want, s.EnumT):
            known += want.values
        hint = suggestion(of.text, known)
        if not hint and of.text in self.book.player_fields:
            hint = f"say whose: `active.{of.text}`"
        if of.text == "player":
            hint = "say which: `active`, `opponent`, or `every player p: …`"
        self.problem("TP030", f"nothing here is called `{of.text}`", of.span, hint)
        return zero(want), UNKNOWN

    def part(self, of: s.Name, scope: Scope) -> tuple[x.Expr, Typ]:
        """What belongs to a player or a piece."""
        assert of.of is not None
        owner = scope.names.get(of.of.text) if of.of.of is None else None
        if isinstance(owner, Piece):
            return self.piece_part(owner, of)
        if isinstance(owner, Cell):
            if of.text in ("row", "column"):
                return owner.row if of.text == "row" else owner.column, INT
            self.problem("TP030", f"a cell has no `{of.text}`", of.span, "it has a `row` and a `column`")
            return x.const(0), UNKNOWN
        got, typ = self.name(of.of, scope)
        if isinstance(typ, UnknownT):
            return x.FALSE, UNKNOWN
        if isinstance(typ, s.RefT):
            return self.part_of_referred(got, typ, of)
        if not isinstance(typ, PlayerT):
            self.problem("TP040", f"`{printer.path(of.of)}` is {name_of(typ)}; it has no parts", of.of.span)
            return x.FALSE, UNKNOWN
        if of.text == "turns":
            return self.per_player(got, lambda p: x.Var(f"{p}.turns")), INT
        if of.text in self.book.player_fields:
            return self.per_player(got, lambda p: x.Var(f"{p}.{of.text}")), self.book.player_fields[of.text].type
        define = self.book.defines.get(of.text)
        if define is not None and define.kind == "player":
            return self.defined(define, (got, PLAYER), of.span)
        decided = self.book.decided.get(of.text)
        if decided is not None and decided.kind == "player":
            return self.per_player(got, lambda p: self.decision(decided, (x.const(p), PLAYER))), decided.type
        known = [*self.book.player_fields, "turns", *(d for d, v in self.book.defines.items() if v.kind == "player")]
        hint = f"{suggestion(of.text, known)} a player has: {', '.join(sorted(known))}".strip()
        self.problem("TP030", f"a player has no `{of.text}`", of.span, hint)
        return x.FALSE, UNKNOWN

    def part_of_referred(self, got: x.Expr, typ: s.RefT, of: s.Name) -> tuple[x.Expr, Typ]:
        """What belongs to the piece that an expression refers to; nothing has no number, and is never so."""
        found: x.Expr | None = None
        of_it: Typ = UNKNOWN
        for piece in reversed(self.referred(typ)):
            value, of_it = self.piece_part(piece, of)
            if isinstance(of_it, UnknownT):
                return x.FALSE, UNKNOWN
            if found is None:
                found = x.const(self.book.players[0]) if isinstance(of_it, PlayerT) else zero(of_it)
            found = x.ite(x.eq(got, x.const(piece.key)), value, found)
        return found or x.FALSE, of_it

    def piece_part(self, piece: Piece, of: s.Name) -> tuple[x.Expr, Typ]:
        kind = self.book.kind(piece.kind)
        assert kind is not None
        if of.text == "in_play":
            return x.FALSE if piece.fresh else x.Var(f"{piece.key}.in_play"), BOOL
        if of.text == "owner":
            return x.const(piece.owner), PLAYER
        if of.text in kind.fields:
            got = kind.fields[of.text]
            if piece.fresh and of.text in dict(piece.brings):
                return dict(piece.brings)[of.text], got.type
            if piece.fresh:
                first = got.first_of(self.book.players.index(piece.owner))
                return x.Param(f"new {of.text}") if first is None else x.const(first), got.type
            return x.Var(f"{piece.key}.{of.text}"), got.type
        define = self.book.defines.get(of.text)
        if define is not None and define.kind and kind.named(define.kind):
            return self.defined(define, piece, of.span)
        decided = self.book.decided.get(of.text)
        if decided is not None and decided.kind == kind.name:
            return self.decision(decided, piece), decided.type
        known = [*kind.fields, "in_play", "owner", *(d for d, v in self.book.defines.items() if v.kind)]
        self.problem("TP030", f"{kind.name} have no `{of.text}`", of.span, suggestion(of.text, known))
        return x.FALSE, UNKNOWN

    def defined(self, define: s.Define, of: Bound | None, span: s.Span) -> tuple[x.Expr, Typ]:
        """What a defined word means for a thing."""
        if define.kind is not None and of is None:
            self.problem("TP030", f"`{define.name}` is said of a {define.kind}", span, f"write `x.{define.name}`")
            return x.FALSE, UNKNOWN
        if define.name in self._inside:
            self.problem("TP066", f"`{define.name}` is defined by itself", define.span)
            return x.FALSE, UNKNOWN
        if len(self._inside) >= DEEPEST_DEFINITIONS:
            self.problem("TP012", f"definitions within definitions, more than {DEEPEST_DEFINITIONS} deep", span)
            return x.FALSE, UNKNOWN
        inner = self.base
        if of is not None and define.variable is not None:
            inner = inner.with_(define.variable, of)
        key = (define.name, of)
        if key not in self._defined:
            self._inside.append(define.name)
            got, typ = self.value(define.body, inner)
            self._inside.pop()
            if x.size(got) > LARGEST_DEFINITION:
                self.problem("TP012", f"`{define.name}` means more than can be written out", define.span)
                got, typ = x.FALSE, UNKNOWN
            self._defined[key] = got, typ
        return self._defined[key]

    def decision(self, decided: Decided, of: Bound) -> x.Expr:
        """What rules decide of a piece or a player: the first that holds and is not overridden, or the last.

        Which of two that differ is followed is the policy `values`; where no rule decides it is a question left open,
        unless the rulebook says what it is then.
        """
        if decided.name in self._inside:
            self.problem("TP066", f"`{decided.name}` is decided by itself", decided.span)
            return zero(decided.type)
        if len(self._inside) >= DEEPEST_DEFINITIONS:
            self.problem("TP012", f"definitions within definitions, more than {DEEPEST_DEFINITIONS} deep", decided.span)
            return zero(decided.type)
        key = (decided.name, of)
        if key not in self._defined:
            self._inside.append(decided.name)
            voices = [*self.voices(decided, of)]
            self._inside.pop()
            self._defined[key] = self.followed(decided, voices), decided.type
        return self._defined[key][0]

    def voices(self, decided: Decided, of: Bound) -> Iterator[tuple[str, x.Expr, x.Expr]]:
        """The rules that decide a value of something, each with when it is heard and what it says."""
        found = []
        for clause in self.book.of(s.Decides):
            body = clause.body
            assert isinstance(body, s.Decides)
            if body.name == decided.name:
                scope = self.base.with_(body.variable, of)
                chosen = x.TRUE if clause.selection is None else x.Chosen(*clause.selection)
                cond = x.both(x.Tag(clause.rule), chosen, self.truth(body.cond, scope))
                value = self.typed(body.value, scope, decided.type, name_of(decided.type))
                found.append((clause.rule, cond, value))
        heard = effective([(rule, cond) for rule, cond, _ in found], self.book.overrides)
        yield from ((rule, cond, value) for (rule, _, value), cond in zip(found, heard, strict=True))

    def followed(self, decided: Decided, voices: list[tuple[str, x.Expr, x.Expr]]) -> x.Expr:
        if decided.otherwise is not None:
            silent: x.Expr = x.const(decided.otherwise)
        else:
            *options, last = decided.type.values if isinstance(decided.type, s.EnumT) else ("",)
            silent = x.const(last)
            for option in reversed(options):
                silent = x.ite(x.Chosen(decided.name, option), x.const(option), silent)
        first = last_of = silent
        for _, cond, value in reversed(voices):
            first = x.ite(cond, value, first)
        for _, cond, value in voices:
            last_of = x.ite(cond, value, last_of)
        apart = all(
            (one, two) in self.book.overrides or (two, one) in self.book.overrides or value == other
            for at, (one, _, value) in enumerate(voices) for two, _, other in voices[at + 1 :]
        )  # fmt: skip
        return first if apart else x.ite(x.Chosen("values", "last_rule"), last_of, first)

    # -- places on the board, dice, other states

    def cell(self, of: s.Name, scope: Scope) -> Cell:
        """A place on the board: a cell, or where a piece is."""
        bound = scope.names.get(of.text) if of.of is None else None
        if isinstance(bound, Cell):
            return bound
        _, typ = self.name(of, scope)
        kind = self.book.kind(typ.kind) if isinstance(typ, s.RefT) else None
        if kind is None or not kind.on_board:
            if not isinstance(typ, UnknownT):
                self.problem("TP040", f"`{printer.path(of)}` is {name_of(typ)}, not a place on the board", of.span)
            return Cell(x.const(0), x.const(0))
        row, column = (self.part(s.Name(word, of, span=of.span), scope)[0] for word in ("row", "column"))
        return Cell(row, column)

    def on_board(self, of: s.OnBoard, scope: Scope) -> x.Expr:
        places = [self.cell(place, scope) for place in of.places]
        here, there = places[0], places[1]
        same_row, same_column = x.eq(here.row, there.row), x.eq(here.column, there.column)
        match of.op:
            case "at":
                return x.both(same_row, same_column)
            case "next to":
                return x.either(
                    x.both(same_row, _neighbours(here.column, there.column)),
                    x.both(same_column, _neighbours(here.row, there.row)),
                )
            case "in line with":
                return x.either(same_row, same_column)
            case _:
                end = places[2]
                return x.either(
                    x.both(same_row, x.eq(here.row, end.row), _amid(here.column, there.column, end.column)),
                    x.both(same_column, x.eq(here.column, end.column), _amid(here.row, there.row, end.row)),
                )

    def dice(self, of: s.Dice, scope: Scope) -> x.Expr:
        """How many of the dice thrown show something: the sum, over the sides that do, of those that show it."""
        value = self.number(of.value, scope)
        thrown = scope.names.get(THE_DICE)
        if not isinstance(thrown, Thrown):
            self.problem("TP043", "no dice are thrown here", of.span, "`throw 2 dice of 6` stands inside a play")
            return x.const(0)
        compare: dict[str, Callable[[x.Expr, x.Expr], x.Expr]] = {
            "=": x.eq, "!=": lambda a, b: x.negate(x.eq(a, b)), "<=": x.le, ">=": lambda a, b: x.le(b, a),
            "<": x.lt, ">": lambda a, b: x.lt(b, a),
        }  # fmt: skip
        return x.add(
            *(
                x.ite(compare[of.op](x.const(side), value), x.Param(showing(side)), x.const(0))
                for side in range(1, thrown.sides + 1)
            )
        )

    def before(self, of: s.Before, scope: Scope) -> tuple[x.Expr, Typ]:
        """What was so before the happening that a claim speaks of, or in the second of two."""
        got, typ = self.name(of.path, scope)
        if not self.two_states or (of.second and not self.two_happenings):
            hint = "`in two …`" if of.second else "`in every …` or `in two …`"
            self.problem(
                "TP043", "here is no other state to speak of", of.span, f"claims that begin with {hint} have one"
            )
            return got, typ
        return x.prefixed(got, (x.SECOND if of.second else "") + (x.BEFORE if of.old else "")), typ

    def per_player(self, player: x.Expr, of: PerPlayer) -> x.Expr:
        """A value that depends on which player an expression stands for."""
        if isinstance(player, x.Const):
            return of(str(player.value))
        *rest, last = self.book.players
        result = of(last)
        for name in reversed(rest):
            result = x.ite(x.eq(player, x.const(name)), of(name), result)
        return result

    def compare(self, of: s.Compare, scope: Scope) -> x.Expr:
        """A comparison of numbers, of truth values, of players or within one enumeration."""
        left_first = not (isinstance(of.left, s.Name) and not self.known(of.left, scope))
        first, second = (of.left, of.right) if left_first else (of.right, of.left)
        one, typ = self.value(first, scope)
        two, other = self.value(second, scope, typ)
        if not fits(other, typ):
            message = f"`{printer.exp(of.left)}` and `{printer.exp(of.right)}` cannot be compared: "
            self.problem("TP040", message + f"{name_of(typ)} against {name_of(other)}", of.span)
            return x.FALSE
        left, right = (one, two) if left_first else (two, one)
        if isinstance(typ, UnknownT) or isinstance(other, UnknownT):
            return x.FALSE
        if of.op in ("=", "!="):
            same = x.eq(left, right)
            return same if of.op == "=" else x.negate(same)
        if isinstance(typ, s.EnumT) and typ.ordered:
            return ordered(of.op, left, right, typ)
        if not isinstance(typ, s.IntT):
            self.problem("TP041", f"`{of.op}` compares numbers, but this is {name_of(typ)}", of.span)
            return x.FALSE
        match of.op:
            case "<=":
                return x.le(left, right)
            case ">=":
                return x.le(right, left)
            case "<":
                return x.lt(left, right)
            case _:
                return x.lt(right, left)

    def known(self, name: s.Name, scope: Scope) -> bool:
        """Whether a word has a meaning of its own here."""
        return (
            name.of is not None
            or name.text in scope.names
            or name.text in self.book.game_fields
            or name.text in self.book.defines
            or name.text == "stack"
        )

    def arith(self, of: s.Arith, scope: Scope) -> x.Expr:
        left, right = self.number(of.left, scope), self.number(of.right, scope)
        match of.op:
            case "+":
                return x.add(left, right)
            case "-":
                return x.minus(left, right)
            case _:
                for one, two in ((left, right), (right, left)):
                    if isinstance(one, x.Const):
                        return x.scale(int(one.value), two)
                self.problem(
                    "TP042", "two amounts that vary cannot be multiplied", of.span, "one factor must be a fixed number"
                )
                return x.const(0)

    def bind(self, binding: s.Binding, scope: Scope) -> Iterator[tuple[x.Expr, Scope]]:
        """What a binding ranges over: pieces in play, or players, each with the condition that it is one."""
        if binding.variable in RESERVED:
            self.problem(
                "TP035",
                f"`{binding.variable}` has a meaning of its own, so nothing else can be called so",
                binding.span,
            )
        cases = list(self._cases_of(binding, scope))
        if self._cases * len(cases) > MOST_CASES:
            self.problem("TP012", f"one within another, these range over more than {MOST_CASES:,} cases", binding.span)
            return
        outside, self._cases = self._cases, self._cases * max(1, len(cases))
        yield from cases
        self._cases = outside

    def _cases_of(self, binding: s.Binding, scope: Scope) -> Iterator[tuple[x.Expr, Scope]]:
        if binding.kind == "player":
            for player in self.book.players:
                yield x.TRUE, scope.with_(binding.variable, (x.const(player), PLAYER))
            return
        kind = self.book.kind(binding.kind)
        if kind is None:
            known = ["player", *(k.name for k in self.book.kinds)]
            self.problem(
                "TP030",
                f"there is no kind of piece called `{binding.kind}`",
                binding.span,
                suggestion(binding.kind, known),
            )
            return
        owner: x.Expr | None = None
        if binding.of is not None:
            owner, typ = self.name(binding.of, scope)
            if not fits(typ, PLAYER):
                self.problem("TP040", f"`{printer.path(binding.of)}` is {name_of(typ)}, not a player", binding.of.span)
        for piece in self.pieces(kind):
            whose = x.TRUE if owner is None else x.eq(owner, x.const(piece.owner))
            yield x.both(whose, x.Var(f"{piece.key}.in_play")), scope.with_(binding.variable, piece)

    # -- history, readings

    def count(self, of: s.CountPlays, scope: Scope) -> x.Expr:
        """How often something was played in a period, or how many triggers wait."""
        found = play_problem(self.book, of.play)
        if found is not None:
            self.problem(*found)
            return x.const(0)
        play = self.book.plays[of.play.play]
        by = None
        if of.by is not None:
            by, typ = self.name(of.by, scope)
            if not fits(typ, PLAYER):
                self.problem("TP040", f"`{printer.path(of.by)}` is {name_of(typ)}, not a player", of.by.span)
                return x.const(0)
        if of.period == "waiting":
            return self.waiting(play.name, by, of)
        if len(of.play.pieces) > 1 or (of.play.pieces and of.by):
            self.problem("TP043", "a count is by one player or with one piece", of.span)
            return x.const(0)
        if of.play.pieces:
            preposition, word = of.play.pieces[0]
            bound = scope.names.get(word)
            if not isinstance(bound, Piece):
                self.problem("TP030", f"no piece is called `{word}` here", of.play.span, suggestion(word, scope.names))
                return x.const(0)
            if not self.can_be(play.name, preposition, bound):
                self.problem("TP043", f"`{word}` cannot be what `{play.name}` names with `{preposition}`", of.play.span)
                return x.const(0)
            if bound.fresh:
                return x.const(0)
            return self.counter(Count(play.name, of.period, None, preposition, bound.key))
        if by is None:
            return self.counter(Count(play.name, of.period))
        return self.per_player(by, lambda p: self.counter(Count(play.name, of.period, p)))

    def can_be(self, play: str, preposition: str, piece: Piece) -> bool:
        """Whether a play, or some kind of it, can name a piece of this kind so."""
        params = [p for leaf in self.book.sorts(play) for p in leaf.pieces]
        kinds = [self.book.kind(p.kind) for p in params if p.preposition == preposition]
        return any(kind is not None and kind.name == piece.kind for kind in kinds)

    def waiting(self, name: str, by: x.Expr | None, of: s.CountPlays) -> x.Expr:
        if self.book.plays[name].decl.sort != "trigger":
            self.problem("TP043", f"`{name}` is not a trigger, so it never waits", of.span)
            return x.const(0)
        leaves = self.book.sorts(name)
        if by is not None:
            return self.per_player(by, lambda p: x.add(*(x.Var(waiting(leaf.name, p)) for leaf in leaves)))
        return x.add(*(x.Var(waiting(leaf.name, p)) for p in self.book.players for leaf in leaves))

    def counter(self, count: Count) -> x.Expr:
        """The variable of a count, which the game will then keep."""
        if count.period == PREVIOUS:
            self.counter(replace(count, period="turn"))
        self.history.counts[count.variable] = count
        return x.Var(count.variable)

    def flow(self, of: s.Flow, scope: Scope) -> x.Expr:
        """How much something was added to a quantity, or taken from it, in a period."""
        _, typ = self.name(of.path, scope)
        if not fits(INT, typ):
            self.problem("TP041", f"`{printer.path(of.path)}` is {name_of(typ)}, not a number", of.path.span)
        for source in of.sources:
            known, said = (self.book.rules, source[1:-1]) if source.startswith("[") else (self.book.plays, source)
            if said not in known:
                code, what = (
                    ("TP033", "no rule is") if source.startswith("[") else ("TP030", "nothing that can be played is")
                )
                self.problem(code, f"{what} called `{source}`", of.span, suggestion(said, known))
        if isinstance(typ, UnknownT):
            return x.const(0)
        owner = scope.names.get(of.path.of.text) if of.path.of is not None and of.path.of.of is None else None
        if of.path.of is None and of.path.text in self.book.game_fields:
            return self.flowing(f"game.{of.path.text}", of)
        if isinstance(owner, Piece) and of.path.text in {
            name for kind in self.book.kinds if kind.name == owner.kind for name in kind.fields
        }:
            return x.const(0) if owner.fresh else self.flowing(f"{owner.key}.{of.path.text}", of, owner.key)
        if not isinstance(owner, Piece) and of.path.of is not None and of.path.text in self.book.player_fields:
            player, _ = self.name(of.path.of, scope)
            return self.per_player(player, lambda p: self.flowing(f"{p}.{of.path.text}", of))
        self.problem("TP043", f"what flows into `{printer.path(of.path)}` is not remembered", of.span)
        return x.const(0)

    def flowing(self, quantity: str, of: s.Flow, piece: str | None = None) -> x.Expr:
        """The variable of a flow, which the game will then keep."""
        made = Flow(quantity, of.direction, of.sources, of.period, piece)
        self.history.flows[made.variable] = made
        return x.Var(made.variable)

    def since(self, of: s.Since, scope: Scope) -> x.Expr:
        """Whether something held when the turn began, and (but for `then_only`) has held ever since."""
        got = self.truth(of.of, scope)
        if self._fresh_in(of.of, scope):
            return x.FALSE
        remembered = {**self.history.since, **self.history.was}
        if any(isinstance(part, x.Param) for part in x.walk([got])) or x.variables([got]) & set(remembered):
            self.problem("TP043", "amounts of a play, and history within history, are not remembered", of.span)
            return x.FALSE
        into = self.history.was if of.then_only else self.history.since
        bound = {name: scope.names[name] for name in sorted(words(of.of)) if name in scope.names}
        pieces = tuple(b.key for b in bound.values() if isinstance(b, Piece))
        players = [str(b[0].value) for b in bound.values() if isinstance(b, tuple) and isinstance(b[0], x.Const)]
        name = printer.exp(of) + (f" ({','.join([*pieces, *players])})" if pieces or players else "")
        number = 1
        # What is said of `active` and of `opponent` by one definition is the same in words, and not the same.
        while into.get(variable := name if number == 1 else f"{number}: {name}", got) != got:
            number += 1
        into[variable] = got
        self.history.pieces[variable] = pieces
        return x.Var(variable)

    def _fresh_in(self, of: s.Exp, scope: Scope) -> bool:
        """Whether something is said of a piece that is only coming into play."""
        found = (scope.names.get(word) for word in words(of))
        return any(isinstance(bound, Piece) and bound.fresh for bound in found)

    def settled(self, question: str, option: str, span: s.Span) -> x.Expr:
        """Whether a question is settled in a way."""
        selector = self.book.selectors.get(question)
        if selector is None:
            hint = suggestion(question, self.book.selectors)
            self.problem("TP033", f"there is no reading or open question [{question}]", span, hint)
            return x.FALSE
        if option not in selector.options:
            self.problem("TP034", f"[{question}] has no option `{option}`", span, suggestion(option, selector.options))
            return x.FALSE
        return x.Chosen(question, option)


def words(of: s.Exp) -> set[str]:
    """The words with which the paths in an expression begin, but for those that it binds itself."""
    match of:
        case s.Name(text, None):
            return {text}
        case s.Name(_, s.Name() as owner):
            return words(owner)
        case s.Quantified(_, binding, body) | s.CountPieces(binding, body):
            return (words(body) - {binding.variable}) | (words(binding.of) if binding.of else set())
        case s.Total(binding, where, body):
            inside = words(body) | (words(where) if where is not None else set())
            return (inside - {binding.variable}) | (words(binding.of) if binding.of else set())
        case s.NotE(inner) | s.Since(inner):
            return words(inner)
        case s.Junction(_, items) | s.Extreme(_, items):
            return set().union(*(words(item) for item in items))
        case s.Compare(_, left, right) | s.Arith(_, left, right):
            return words(left) | words(right)
        case s.Flow(path, _, _, _):
            return words(path)
        case s.CountPlays(play, by, _):
            return {name for _, name in play.pieces} | (words(by) if by else set())
        case s.OnBoard(_, places):
            return set().union(*(words(place) for place in places))
        case s.Distance(one, two):
            return words(one) | words(two)
        case s.Dice(_, value):
            return words(value)
        case s.Before(path):
            return words(path)
        case _:
            return set()


def ordered(op: str, left: x.Expr, right: x.Expr, typ: s.EnumT) -> x.Expr:
    """A comparison within an enumeration that is written from the highest to the lowest."""
    rank = {value: -number for number, value in enumerate(typ.values)}
    holds = {"<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__}[op]
    return x.any_of(
        x.both(
            x.eq(left, x.const(one)), x.any_of(x.eq(right, x.const(two)) for two in rank if holds(rank[one], rank[two]))
        )
        for one in rank
    )


def fits(got: Typ, want: Typ) -> bool:
    """Whether a value of one type can stand where another is wanted."""
    if isinstance(got, UnknownT) or isinstance(want, UnknownT):
        return True
    if isinstance(got, s.IntT) and isinstance(want, s.IntT):
        return True
    return got == want


def name_of(typ: Typ) -> str:
    """A type in words."""
    match typ:
        case s.BoolT():
            return "a yes or no"
        case s.IntT():
            return "a number"
        case s.EnumT(values, _):
            return "one of " + ", ".join(values)
        case PlayerT():
            return "a player"
        case s.RefT(kind):
            return f"one of {kind}"
        case s.SameT(name):
            return f"a {name}"
        case UnknownT():
            return "unclear"
        case _:
            assert_never(typ)


def zero(typ: Typ) -> x.Expr:
    """Some value of a type, to go on with after a fault."""
    match typ:
        case s.IntT():
            return x.const(0)
        case s.EnumT(values, _):
            return x.const(values[0])
        case s.RefT():
            return x.const(NOTHING)
        case _:
            return x.FALSE


def showing(side: int) -> str:
    """The parameter that says how many of the dice thrown show a side."""
    return f"dice showing {side}"


def _apart(one: x.Expr, two: x.Expr) -> x.Expr:
    return x.larger(x.minus(one, two), x.minus(two, one))


def _neighbours(one: x.Expr, two: x.Expr) -> x.Expr:
    return x.either(x.eq(one, x.add(two, x.const(1))), x.eq(two, x.add(one, x.const(1))))


def _amid(here: x.Expr, one: x.Expr, two: x.Expr) -> x.Expr:
    return x.either(x.both(x.lt(one, here), x.lt(here, two)), x.both(x.lt(two, here), x.lt(here, one)))


def in_step(book: Rulebook, names: tuple[str, ...]) -> x.Expr:
    """That the game is in one of some steps; always, if none is named, but never before the game."""
    if not names:
        return x.negate(x.eq(x.Var("step"), x.const(SETUP)))
    leaves = dict.fromkeys(leaf for name in names for leaf in book.leaves_of(name))
    if len(leaves) == len(book.leaves):
        return x.negate(x.eq(x.Var("step"), x.const(SETUP)))
    return x.any_of(x.eq(x.Var("step"), x.const(leaf)) for leaf in leaves)
