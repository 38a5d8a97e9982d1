"""What is so as a question is asked: who is active, which pieces there are, what has been done.

For each player who may be the active one, words of the question stand for that player's pieces: which place a piece
has makes no difference to the rules, so the first ones are taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from turnproof.diagnostics import Caption, Diagnostic, Invalid, suggestion
from turnproof.language import syntax as s
from turnproof.rulebook.elaborate import Bound, Elaborator, Piece, Scope
from turnproof.rulebook.model import Kind, Rulebook
from turnproof.system import expr as x


@dataclass(frozen=True, slots=True)
class Cast:
    """Where `active` is the player whose turn it is: what words stand for, and what of it is so."""

    active: str
    scope: Scope
    pieces: tuple[Piece, ...]
    facts: tuple[x.Expr, ...]

    @property
    def here(self) -> x.Expr:
        return x.all_of([x.eq(x.Var("active"), x.const(self.active)), *self.facts])


@dataclass
class Stage:
    """Reads the scene of a question, in which `unchanged` is so as always; what is wrong is collected in `problems`."""

    book: Rulebook
    el: Elaborator
    asked: s.Asked
    unchanged: Sequence[x.Expr] = ()
    own: list[Diagnostic] = field(default_factory=list)

    def problem(self, code: str, message: str, span: s.Span, hint: str = "") -> None:
        found = Diagnostic(code, message, "question", (Caption(span),), hint)
        if found not in self.own:
            self.own.append(found)

    def sense(self) -> None:
        """Notes what cannot be meant: nobody who acts, an opponent among several, a play for a condition."""
        query = self.asked.query
        if isinstance(query, s.MayAsk | s.MustAsk):
            if query.who == "nobody":
                self.problem("TP091", "it is not said who", query.span, "write `may I …`, `may you …`")
            if query.who in ("opponent", "others") and len(self.book.players) != 2:
                self.problem("TP043", "with more than two players there are several opponents", query.span)
            for ref in query.plays:
                play = self.book.plays.get(ref.play)
                if play is not None and play.decl.sort == "effect":
                    message = f"`{ref.play}` is what cards can cause, and nobody's to do"
                    self.problem("TP043", message, ref.span, "ask about the play that causes it")
        for item in self.asked.scene:
            word = item.text if isinstance(item, s.Name) and item.of is None else ""
            if word in self.book.plays and word not in {**self.book.defines, **self.book.game_fields}:
                self.problem("TP091", f"`{word}` is a play", self.asked.span, f"write `make {word}`")

    def finish(self, text: str) -> None:
        """Raises Invalid with all that was wrong so far."""
        found = [*self.own, *(Diagnostic(d.code, d.message, "question", d.places, d.hint) for d in self.el.problems)]
        if found:
            raise Invalid(dict.fromkeys(found), {"question": text})

    @property
    def given(self) -> list[s.Given]:
        return [item for item in self.asked.scene if isinstance(item, s.Given)]

    @property
    def events(self) -> list[s.Event]:
        return [item for item in self.asked.scene if isinstance(item, s.Event)]

    @property
    def dice(self) -> tuple[int, ...]:
        return next((item.values for item in self.asked.scene if isinstance(item, s.DiceGiven)), ())

    def opponent(self, active: str) -> str:
        return next((player for player in self.book.players if player != active), active)

    def casts(self, plays: Iterable[s.PlayRef]) -> Iterator[Cast]:
        """One cast for each player who may be active; pieces that only `plays` name are cast too."""
        refs = [*plays, *(event.play for event in self.events)]
        for active in self.book.players:
            yield self.cast(active, refs)

    def cast(self, active: str, refs: list[s.PlayRef]) -> Cast:
        scope = self.el.base
        taken: dict[tuple[str, str], int] = {}
        pieces: list[Piece] = []
        facts: list[x.Expr] = []
        for given in self.given:
            piece = self.place(given.binding, active, taken)
            if piece is not None:
                scope = scope.with_(given.binding.variable, replace(piece, fresh=self.coming(given, refs)))
                pieces.append(piece)
        for ref in refs:
            for variable, piece in self.unsaid(ref, scope, active, taken):
                scope = scope.with_(variable, piece)
                pieces.append(piece)
                there = x.Var(f"{piece.key}.in_play")
                facts.append(x.negate(there) if piece.fresh else there)
        for name, bound in self.amounts(refs):
            scope = scope.with_(name, bound)
        for given in self.given:
            piece_now = scope.names.get(given.binding.variable)
            if isinstance(piece_now, Piece):
                there = x.Var(f"{piece_now.key}.in_play")
                facts.append(x.negate(there) if piece_now.fresh else there)
                facts += [self.worth(given, worth, scope) for worth in given.worths]
        # Who is active is known here, so that conditions get simpler.
        facts += [
            self.el.truth(item, scope)
            for item in self.asked.scene if not isinstance(item, s.Given | s.Event | s.DiceGiven)
        ]  # fmt: skip
        facts += self.unchanged
        for kind in {piece.kind for piece in pieces if self.given}:
            others = [p for k in self.book.kinds if k.name == kind for p in self.el.pieces(k) if p not in pieces]
            facts += [x.negate(x.Var(f"{other.key}.in_play")) for other in others]
        return Cast(active, scope, tuple(pieces), tuple(facts))

    def place(self, binding: s.Binding, active: str, taken: dict[tuple[str, str], int]) -> Piece | None:
        """The first free place for a piece of which a question speaks."""
        kind = self.book.kind(binding.kind)
        if kind is None:
            hint = suggestion(binding.kind, [k.name for k in self.book.kinds])
            self.problem("TP030", f"there is no kind of piece called `{binding.kind}`", binding.span, hint)
            return None
        owner = {"active": active, "opponent": self.opponent(active)}.get(binding.of.text if binding.of else "")
        if owner is None:
            self.problem(
                "TP043", f"whose {kind.name} is `{binding.variable}`?", binding.span,
                f"write `{kind.name} {binding.variable} of active` or `of opponent`",
            )  # fmt: skip
            return None
        return self.next_place(kind, owner, taken, binding.span)

    def next_place(self, kind: Kind, owner: str, taken: dict[tuple[str, str], int], span: s.Span) -> Piece | None:
        number = taken.get((kind.name, owner), 0)
        taken[kind.name, owner] = number + 1
        places = self.el.pieces(kind, owner)
        if number >= len(places):
            self.problem(
                "TP043", f"the question speaks of {number + 1} {kind.name} of one player, and there are {len(places)}",
                span, f"`--scope {kind.name}={number + 1}` gives each player as many",
            )  # fmt: skip
            return None
        return places[number]

    def coming(self, given: s.Given, refs: Iterable[s.PlayRef]) -> bool:
        """Whether a piece only comes into play with something that is asked about or done."""
        return any(
            (preposition, given.binding.variable) in ref.pieces and param.preposition == preposition
            for ref in refs for play in self.book.sorts(ref.play) for param in play.pieces if param.whose == "new"
            for preposition, _ in ref.pieces
        )  # fmt: skip

    def unsaid(
        self, ref: s.PlayRef, scope: Scope, active: str, taken: dict[tuple[str, str], int]
    ) -> Iterator[tuple[str, Piece]]:
        """The pieces of a play of which nothing else is said."""
        for preposition, variable in ref.pieces:
            if variable in scope.names:
                continue
            params = [p for play in self.book.sorts(ref.play) for p in play.pieces if p.preposition == preposition]
            kind = self.book.kind(params[0].kind) if params else None
            if kind is None:
                continue
            if any(param.whose == "any" for param in params):
                self.problem(
                    "TP043", f"whose {kind.name} is `{variable}`?", ref.span,
                    f"add `when {kind.name} {variable} of active`, or `of opponent`",
                )  # fmt: skip
                continue
            doer = self.doer(ref, active)
            owner = doer if params[0].whose in ("own", "new", "any") else self.opponent(doer)
            piece = self.next_place(kind, owner, taken, ref.span)
            if piece is not None:
                yield variable, replace(piece, fresh=params[0].whose == "new")

    def doer(self, ref: s.PlayRef, active: str) -> str:
        """Who does a play that is asked about: the player that the question names, else the active one."""
        query = self.asked.query
        if isinstance(query, s.MayAsk | s.MustAsk) and ref in query.plays and query.who in ("opponent", "others"):
            return self.opponent(active)
        event = next((event for event in self.events if event.play == ref), None)
        return self.opponent(active) if event is not None and event.by in ("opponent", "others") else active

    def amounts(self, refs: Iterable[s.PlayRef]) -> Iterator[tuple[str, Bound]]:
        """The amounts of plays, by the names that rules call them."""
        for ref in refs:
            for play in self.book.sorts(ref.play):
                for item in play.items:
                    if isinstance(item, s.Amounts):
                        yield from ((name, (x.Param(name), item.type)) for name in item.names)

    def worth(self, given: s.Given, worth: s.Worth, scope: Scope) -> x.Expr:
        """What is said of a piece in short: `attack 3`, `haste`, `first_strike`."""
        piece = s.Name(given.binding.variable, span=given.binding.span)
        kind = self.book.kind(given.binding.kind)
        assert kind is not None
        value, name = worth.value, worth.name
        if value is None and name not in kind.fields:
            owners = [f.name for f in kind.fields.values() if isinstance(f.type, s.EnumT) and name in f.type.values]
            if owners:
                name, value = owners[0], s.Name(worth.name, span=worth.span)
        path = s.Name(name, piece, span=worth.span)
        said: s.Exp = path if value is None else s.Compare("=", path, value, span=worth.span)
        got = self.el.truth(said, scope)
        return x.negate(got) if worth.negated else got
