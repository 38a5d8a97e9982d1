"""Questions on one state: who may do what, what must be done, what is passed over and what can end."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace

from turnproof.answers.answer import Answer
from turnproof.answers.asker import CLASH, NAMES, NO, SILENT, YES, Asker
from turnproof.answers.ground import ANSWER, Ground, Reached, choose, ground, unfold
from turnproof.answers.judge import Judge
from turnproof.answers.scene import Cast
from turnproof.language import syntax as s
from turnproof.language.printer import body_head
from turnproof.rulebook.elaborate import Piece, in_step
from turnproof.rulebook.model import PlayKind, title, title_of
from turnproof.rulebook.permissions import Attempt, attempt, decide, present
from turnproof.solve.layers import known
from turnproof.solve.smt import conj, disj
from turnproof.system import expr as x
from turnproof.system.system import Command

MOST_NEAREST = 4


class Permissions(Asker):
    """How questions on one state are answered."""

    def may(self, query: s.MayAsk | s.MustAsk) -> Answer:
        """Whether the rules allow a play."""
        self.check_plays(query.plays, query.steps)
        table: dict[int, list[x.Expr]] = {NO: [], YES: [], SILENT: [], CLASH: []}
        here = in_step(self.book, query.steps)
        params: dict[str, x.Sort] = {}
        some: list[x.Expr] = []
        attempts: list[tuple[Cast, Attempt, s.PlayRef]] = []
        self.must_name(query)
        for cast in self.cast(query.plays):
            for ref, play, player in self.tries(query, cast):
                pieces = {preposition: cast.scope.names[name] for preposition, name in ref.pieces}
                tried = self.attempt(play, player, {p: b for p, b in pieces.items() if isinstance(b, Piece)})
                attempts.append((cast, tried, ref))
                self.call_unnamed(cast, tried, pieces)
        if not attempts and not self.stage.own:
            self.stage.problem("TP043", "nobody who is meant can do this with these pieces", self.asked.span)
        self.stage.finish(self.words)
        for number, (cast, tried, _) in enumerate(attempts):
            this = x.both(cast.here, x.eq(x.Param("attempt"), x.const(number)), here)
            allowed = decide(self.el, tried)
            within = self.maker.within_limits(tried)
            outcomes = {
                YES: x.both(allowed.plainly, within),
                SILENT: x.both(allowed.silent, within),
                CLASH: x.both(allowed.clash, within),
            }
            some.append(this)
            for value, cond in outcomes.items():
                table[value].append(x.both(this, cond))
        used = {
            e.name for e in x.walk([*some, *(c for conds in table.values() for c in conds)]) if isinstance(e, x.Param)
        }
        for _, tried, _ in attempts:
            for name, sort in self.maker.told_of(tried.play).items():
                if name in used:
                    params.setdefault(name, sort)
        params["attempt"] = x.Int(0, len(attempts) - 1)
        of = ground(self.system(), params.items(), self.known())
        self.names["attempt"] = [
            title(tried.play.decl.titles, tried.play.name) + (f" ({tried.player})" if query.who == "players" else "")
            for _, tried, _ in attempts
        ]
        of.outcomes = NAMES
        of.script.require(of.expr(x.any_of(some), "asked"))
        said = "0"
        for number, conds in table.items():
            if number != NO:
                said = f"(ite {of.expr(x.any_of(conds), NAMES[number])} {number} {said})"
        of.answered(said)
        found = self.judged(of)
        if found.answer in ("no", "silent") and query.steps and not isinstance(query, s.MustAsk):
            found = replace(found, nearest=tuple(self.elsewhere(query)))
        if found.answer == "silent" and not found.rules:
            near = self.closest(query)
            found = replace(found, background=tuple(dict.fromkeys((*found.background, *near))))
        if found.answer in ("no", "unknown"):
            return found
        return replace(found, notes=(*found.notes, *self.costs(query)))

    def must_name(self, query: s.MayAsk | s.MustAsk) -> None:
        """Where a question describes pieces, it must say which of them a play is about."""
        given = [(given.binding.kind, given.binding.variable) for given in self.stage.given]
        for ref in query.plays:
            named = {name for _, name in ref.pieces}
            for play in self.book.sorts(ref.play) if ref.play in self.book.plays else ():
                for param in play.pieces:
                    kind = self.book.kind(param.kind)
                    words = (v for k, v in given if kind is not None and kind.named(k) and v not in named)
                    word = next(words, None)
                    if word is not None and param.preposition not in dict(ref.pieces):
                        hint = f"write `{ref.play} {param.preposition} {word}`, say"
                        self.stage.problem("TP043", f"with which {param.kind}?", ref.span, hint)

    def tries(self, query: s.MayAsk | s.MustAsk, cast: Cast) -> Iterator[tuple[s.PlayRef, PlayKind, str]]:
        """The sorts of play that are asked about, each by every player that is meant."""
        for ref in query.plays:
            for play in self.book.sorts(ref.play):
                known = {param.preposition for param in play.pieces}
                if not {preposition for preposition, _ in ref.pieces} <= known:
                    continue
                for player in self.book.players:
                    if self.is_meant(query.who, player, cast.active) and self.fits(play, ref, cast, player):
                        yield ref, play, player

    def fits(self, play: PlayKind, ref: s.PlayRef, cast: Cast, player: str) -> bool:
        """Whether the pieces are whose the play wants them to be."""
        for param in play.pieces:
            name = dict(ref.pieces).get(param.preposition)
            bound = cast.scope.names.get(name) if name else None
            own = param.whose in ("own", "new")
            if isinstance(bound, Piece) and param.whose != "any" and (bound.owner == player) != own:
                return False
        return True

    def is_meant(self, who: str, player: str, active: str) -> bool:
        return {"active": player == active, "opponent": player != active, "others": player != active}.get(who, True)

    def attempt(self, play: PlayKind, player: str, pieces: Mapping[str, Piece]) -> Attempt:
        """An attempt; pieces that the question leaves open are the first of their sort."""
        full = dict(pieces)
        for param in play.pieces:
            kind = self.book.kind(param.kind)
            if param.preposition in full or kind is None or play.stacked:
                continue
            owner = player if param.whose in ("own", "new", "any") else self.stage.opponent(player)
            places = [p for p in self.el.pieces(kind, owner) if p.key not in {other.key for other in full.values()}]
            if places:
                full[param.preposition] = places[0]
        return attempt(self.el, play, player, full)

    def call_unnamed(self, cast: Cast, tried: Attempt, named: Container[str]) -> None:
        """Has the pieces that a question leaves open called after their sort."""
        kinds = [param.kind for param in tried.play.pieces]
        for param in tried.play.pieces:
            piece = tried.pieces.get(param.preposition)
            if piece is not None and param.preposition not in named:
                which = "" if kinds.count(param.kind) == 1 else f" ({param.preposition})"
                self.unnamed.setdefault(cast.active, {}).setdefault(piece.key, f"the {param.kind}{which}")

    def elsewhere(self, query: s.MayAsk | s.MustAsk) -> list[str]:
        """In which other steps rules allow it, with every reading at its default."""
        conds = []
        for cast in self.casts:
            for ref, play, player in self.tries(query, cast):
                pieces = {p: b for p, n in ref.pieces if isinstance(b := cast.scope.names[n], Piece)}
                tried = self.attempt(play, player, pieces)
                said = decide(self.el, tried)
                conds.append(x.both(cast.here, said.plainly, self.maker.within_limits(tried)))
        inside = {leaf for step in query.steps for leaf in self.book.leaves_of(step)}
        leaves = [leaf for leaf in self.book.leaves if leaf.name not in inside]
        leaves = [leaf for leaf in leaves if known(x.any_of(conds), "step", frozenset({leaf.name})) != x.FALSE]
        params = {e.name for e in x.walk(conds) if isinstance(e, x.Param)}
        sorts = {
            name: sort
            for ref in query.plays for play in self.book.sorts(ref.play)
            for name, sort in self.maker.told_of(play).items()
        }  # fmt: skip
        of = ground(self.system(), [(name, sorts[name]) for name in sorted(params)], self.known())
        of.answered(f"(ite {of.expr(x.any_of(conds), 'allowed')} 1 0)")
        judge = Judge(of, self.limit, dict(self.readings))
        usual = [*judge.tags, *judge.flags(judge.usual)]
        found: list[str] = []
        for leaf in leaves:
            step = {"0.step": of.script.codes.of(leaf.name), ANSWER: YES}
            if len(found) < MOST_NEAREST and judge.where(usual, step) is not None:
                found.append(f"it would be allowed in {title_of(leaf)}")
        return found

    def costs(self, query: s.MayAsk | s.MustAsk) -> Iterator[str]:
        """What it costs, if anything."""
        names = {name for ref in query.plays for name in self.book.plays[ref.play].ancestors}
        items = [
            f"[{clause.rule}] {body_head(clause.body)}"
            for clause in self.book.of(s.Cost) if isinstance(clause.body, s.Cost) and clause.body.play in names
        ]  # fmt: skip
        if items:
            yield "if it can be paid for: " + "; ".join(dict.fromkeys(items))

    def must(self, query: s.MustAsk) -> Answer:
        """Whether some rule holds the step until a play is made: what it asks for is open before it, not after."""
        self.check_plays(query.plays, query.steps)
        self.must_name(query)
        casts = self.cast(query.plays)
        here = in_step(self.book, query.steps)
        self.stage.finish(self.words)
        around = self.around(query.steps) if query.steps else set(self.book.steps)
        # What holds a step for any of several reasons holds it for each: each asks for a play of its own.
        duties = [
            (present(clause), reason)
            for clause in self.book.of(s.Obligation)
            if isinstance(body := clause.body, s.Obligation) and set(body.steps) & around
            for cond in (self.el.truth(body.cond, self.el.base),)
            for reason in (cond.items if isinstance(cond, x.Or) else (cond,))
        ]  # fmt: skip
        of = ground(self.whole().system, known=self.known())
        of.script.require(of.expr(x.both(here, x.any_of(cast.here for cast in casts)), "asked"))
        held = []
        for number, (cast, command) in enumerate(self.ways_to(query, casts)):
            label = f"way {number}"
            params = choose(of, command.params, command.name, label)
            now = Reached(of.state, {"active": x.const(cast.active)})
            for at, block in enumerate(command.blocks):
                _, now, _ = unfold(of, block, now, params, f"{label} {at}")
            for rule, cond in duties:
                before = of.expr(x.both(rule, cond, x.eq(x.Var("active"), x.const(cast.active))), f"{label} before")
                held.append(conj([before, f"(not {of.script.expr(cond, now.symbols, {})})"]))
        of.answered(f"(ite {disj(held)} {YES} {NO})")
        of.outcomes = NAMES
        found = self.judged(of)
        if found.answer == "no" and not found.rules:
            found = replace(found, background=tuple(self.closest(query)), notes=("no rule obliges anybody to it",))
        return found

    def ways_to(self, query: s.MustAsk, casts: Iterable[Cast]) -> Iterator[tuple[Cast, Command]]:
        """The commands by which a play can be made, the first for each player and sort of play."""
        for cast in casts:
            seen = set()
            for command in self.whole().system.commands:
                made = command.play
                sort = (made.player, made.name)
                if made.kind not in ("play", "put") or sort in seen:
                    continue
                named = [ref for ref in query.plays if ref.play in self.book.plays[made.name].ancestors]
                if not any(self.about(command, ref, cast) for ref in named):
                    continue
                if self.is_meant(query.who, made.player or "", cast.active):
                    seen.add(sort)
                    yield cast, command

    def about(self, command: Command, ref: s.PlayRef, cast: Cast) -> bool:
        """Whether a command is made with the pieces that a question names."""
        keys = dict(command.play.pieces)
        bound = ((preposition, cast.scope.names.get(name)) for preposition, name in ref.pieces)
        return all(isinstance(piece, Piece) and keys.get(preposition) == piece.key for preposition, piece in bound)

    def around(self, steps: tuple[str, ...]) -> set[str]:
        return {name for step in steps for leaf in self.book.leaves_of(step) for name in self.book.lineage(leaf)}

    def can_end(self, step: str) -> Answer:
        """Whether a step can be left."""
        self.check_plays((), (step,))
        last = self.book.leaves_of(step)[-1]
        names = {step, last}
        owed = x.any_of(
            x.both(present(c), self.el.truth(c.body.cond, self.el.base))
            for c in self.book.of(s.Obligation) if isinstance(c.body, s.Obligation) and set(c.body.steps) & names
        )  # fmt: skip
        whole = self.of_a_state((), (last,))
        if self.maker.has_stack:
            owed = x.either(owed, x.lt(x.const(0), x.Var("stack")))
        return self.judged(self.ready(whole, x.ite(owed, x.const(NO), x.const(YES))))

    def skipped(self, step: str) -> Answer:
        """Whether a step is passed over."""
        self.check_plays((), (step,))
        leaf = self.book.leaves_of(step)[0]
        whole = self.of_a_state((), ())
        must, may = self.maker.must_skip(leaf, set()), self.maker.may_skip(leaf, set())
        order = [one.name for one in self.book.leaves]
        for clause in self.book.of(s.Next):
            body = clause.body
            assert isinstance(body, s.Next)
            before, after = (self.book.leaves_of(name) for name in (body.step, body.to))
            if before and after and order.index(before[-1]) < order.index(leaf) < order.index(after[0]):
                jumps = x.both(present(clause), self.el.truth(body.cond, self.el.base))
                must, may = (x.either(must, jumps), may) if body.must else (must, x.either(may, jumps))
        wish = x.Param("whether it is passed over")
        over = x.either(must, x.both(may, wish))
        return self.judged(self.ready(whole, x.ite(over, x.const(YES), x.const(NO)), {wish.name: x.Bool()}))

    def of_a_state(self, plays: tuple[s.PlayRef, ...], steps: tuple[str, ...]) -> x.Expr:
        """That the question's scene is so in a step."""
        casts = self.cast(plays)
        self.stage.finish(self.words)
        here = in_step(self.book, steps)
        return x.both(here, x.any_of(cast.here for cast in casts))

    def ready(self, whole: x.Expr, said: x.Expr, params: Mapping[str, x.Sort] | None = None) -> Ground:
        of = ground(self.system(), (params or {}).items(), self.known())
        of.script.require(of.expr(whole, "asked"))
        of.answered(of.expr(said, "said"))
        of.outcomes = NAMES
        return of
