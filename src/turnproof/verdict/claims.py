"""What a claim means: a property of a game's transition system.

Claims are checked like rulebooks, and may want more remembered than the rules do (counts of plays, say).
"""

from __future__ import annotations

from collections.abc import Iterator

from turnproof.diagnostics import Caption, Diagnostic, Invalid, suggestion
from turnproof.language import printer
from turnproof.language import syntax as s
from turnproof.rulebook.elaborate import INT, Count, Elaborator, History, Piece, in_step
from turnproof.rulebook.model import Rulebook
from turnproof.rulebook.permissions import Attempt, attempt, matches, sorts_of
from turnproof.rulebook.refs import late_pieces, play_problem
from turnproof.solve.property import Bounded, GamesEnd, Goal, NoEndlessTurn, Possible, Property, TurnsEnd
from turnproof.system import expr as x
from turnproof.system.system import Command, Moment, Play, System
from turnproof.system.turn import TURN_ENDS

VERDICTS = ("proved", "refuted", "depends", "silent", "contradiction", "bounded", "vacuous", "unknown")


class ClaimReader:
    """Gives claims about one rulebook their meaning; `history` collects what they want remembered."""

    def __init__(self, book: Rulebook, path: str, text: str = "") -> None:
        self.book = book
        self.path = path
        self.text = text
        self.history = History()
        self.el = Elaborator(book, self.history)
        self.own: list[Diagnostic] = []

    def problem(self, code: str, message: str, span: s.Span, hint: str = "") -> None:
        self.own.append(Diagnostic(code, message, self.path, (Caption(span),), hint))

    def check(self, page: s.Claims) -> None:
        """Look at every claim once. Raises Invalid with everything that is wrong in the page."""
        if page.game != self.book.name:
            self.problem(
                "TP072", f"these claims are about `{page.game}`, the rulebook is `{self.book.name}`", page.span
            )
        seen: dict[str, s.Span] = {}
        for claim in page.claims:
            if claim.id in seen:
                self.problem("TP032", f"[{claim.id}] stands for two claims", claim.span)
            seen[claim.id] = claim.span
            self.claim(claim)
        found = [*self.own, *(Diagnostic(d.code, d.message, self.path, d.places, d.hint) for d in self.el.problems)]
        if found:
            raise Invalid(found, {self.path: self.text})

    def claim(self, claim: s.Claim) -> None:
        """Report what is wrong with one claim, and note what it wants remembered."""
        if claim.expect and claim.expect.verdict not in VERDICTS:
            hint = suggestion(claim.expect.verdict, VERDICTS) or "one of " + ", ".join(VERDICTS)
            self.problem("TP071", f"`{claim.expect.verdict}` is not a verdict", claim.expect.span, hint)
        for reason in claim.expect.on if claim.expect else ():
            if reason not in self.book.selectors and claim.expect:
                hint = suggestion(reason, self.book.selectors)
                message = f"there is no reading, open question or policy `{reason}`"
                self.problem("TP033", message, claim.expect.span, hint)
        for at, under in enumerate(claim.under):
            if under.selector in [other.selector for other in claim.under[:at]]:
                self.problem("TP031", f"`{under.selector}` is settled twice", under.span)
            selector = self.book.selectors.get(under.selector)
            if selector is None:
                hint = suggestion(under.selector, self.book.selectors)
                self.problem("TP033", f"there is no reading `{under.selector}`", under.span, hint)
            elif under.option not in selector.options:
                hint = suggestion(under.option, selector.options)
                self.problem("TP034", f"[{under.selector}] has no option `{under.option}`", under.span, hint)
        for supposed in claim.effects:
            self.steps(supposed.steps, supposed.span)
            kinds = [play.name for play in self.book.plays.values() if play.decl.sort == "effect"]
            for kind in (kind for kind in supposed.kinds if kind not in kinds):
                hint = suggestion(kind, kinds)
                self.problem("TP030", f"no kind of effect is called `{kind}`", supposed.span, hint)
        self.body(claim.body)

    def body(self, body: s.ClaimBody) -> None:
        match body:
            case s.NeverPlay(plays, steps, cond) | s.CanPlay(plays, steps, cond):
                self.steps(steps, body.span)
                for ref in plays:
                    self.play(ref, cond)
            case s.Always(cond, _, steps, premise):
                self.steps(steps, body.span)
                self.el.truth(cond, self.el.base)
                self.el.truth(premise, self.el.base)
            case s.CanBe(cond, steps):
                self.steps(steps, body.span)
                self.el.truth(cond, self.el.base)
            case s.AtMost(_, plays, _, each_player):
                for ref in plays:
                    self.play(ref, None)
                pieces = sum(len(ref.pieces) for ref in plays)
                if pieces and (each_player or len(plays) > 1 or pieces > 1):
                    self.problem("TP043", "a limit is for each player or for each piece of one play", body.span)
                elif all(ref.play in self.book.plays for ref in plays):
                    list(self.counts(body))
            case s.After(step, rule, cond, premise):
                if step is not None and not step.startswith("every "):
                    self.steps((step,), body.span)
                elif rule is not None and not self.happens(rule):
                    hint = suggestion(rule, self.book.rules)
                    self.problem("TP033", f"[{rule}] is no rule by which something happens", body.span, hint)
                self.el.truth(cond, self.el.base)
                self.el.truth(premise, self.el.base)
            case s.Response():
                self.owed(body)
            case s.NoEndlessTurn(plays):
                for ref in plays:
                    self.play(ref, None)
            case s.IsBounded(path):
                self.el.typed(path, self.el.base, INT, "a number")
            case s.InOrder() | s.NoneLeftOut() | s.TurnsEnd() | s.GamesEnd():
                pass

    def happens(self, rule: str) -> bool:
        return any(clause.rule == rule for clause in self.book.of(s.Happening, s.Whenever))

    def steps(self, names: tuple[str, ...], span: s.Span) -> None:
        for name in names:
            if name not in self.book.steps:
                hint = suggestion(name, self.book.steps)
                self.problem("TP030", f"no phase or step is called `{name}`", span, hint)

    def play(self, ref: s.PlayRef, cond: s.Exp | None) -> None:
        found = play_problem(self.book, ref)
        if found is not None:
            self.problem(*found)
            return
        if late_pieces(self.book, ref):
            self.problem("TP090", "a claim on a piece that is known only as its play resolves", ref.span)
            return
        for tried in self.attempts(ref.play):
            scope = matches(ref, tried)
            if scope is not None:
                self.el.truth(cond, scope)

    def attempts(self, name: str) -> Iterator[Attempt]:
        """Every way in which a play can be attempted."""
        for play in self.book.sorts(name):
            for player in self.book.players:
                kinds = {param.preposition: self.book.kind(param.kind) for param in play.pieces}
                pieces = {word: self.el.pieces(kind)[0] for word, kind in kinds.items() if kind is not None}
                yield attempt(self.el, play, player, pieces)

    # -- meaning

    def goal(self, body: s.ClaimBody, system: System) -> Goal:
        """What a checked claim says of a system."""
        began = in_step(self.book, ())
        match body:
            case s.NeverPlay(plays, steps, cond):
                return Property(bad_commands=self.made(plays, steps, cond, system))
            case s.CanPlay(plays, steps, cond):
                return Possible(Property(bad_commands=self.made(plays, steps, cond, system)))
            case s.Always(cond, never, steps, premise):
                holds = self.el.truth(cond, self.el.base)
                case = x.both(in_step(self.book, steps), self.el.truth(premise, self.el.base))
                wrong = x.both(case, holds if never else x.negate(holds))
                return Property(bad_state=wrong, premise=None if case == began else Property(bad_state=case))
            case s.CanBe(cond, steps):
                return Possible(
                    Property(bad_state=x.both(in_step(self.book, steps), self.el.truth(cond, self.el.base)))
                )
            case s.AtMost(count, _, _, _):
                return Property(bad_state=x.any_of(x.lt(x.const(count), used) for used in self.counts(body)))
            case s.After():
                return self.after(body)
            case s.Response():
                owed, seen = self.owed(body)
                arises = Property(moments=((TURN_ENDS, x.negate(x.Var(seen))),))
                return Property(moments=((TURN_ENDS, x.negate(x.Var(owed))),), premise=arises)
            case s.InOrder(every):
                bad = {c.name: x.TRUE for c in system.commands if self.out_of_order(c, every)}
                return Property(bad_commands=bad)
            case s.NoneLeftOut(stretch):
                bad = {c.name: x.TRUE for c in system.commands if self.leaves_out(c, stretch)}
                return Property(bad_commands=bad)
            case s.TurnsEnd():
                return TurnsEnd()
            case s.NoEndlessTurn(plays):
                return NoEndlessTurn(self.doing(plays, system))
            case s.GamesEnd():
                return GamesEnd(tuple(clause.selection for clause in self.book.of(s.Loses)))
            case s.IsBounded(path):
                return Bounded(self.el.number(path, self.el.base))

    def after(self, body: s.After) -> Property:
        """That something holds at a moment, each time it comes."""
        if body.rule is not None:
            moments = [Moment("after_rule", body.rule)]
        elif body.step in ("every phase", "every step"):
            names = self.book.phases if body.step == "every phase" else [leaf.name for leaf in self.book.leaves]
            moments = [Moment("after_step", name) for name in names]
        else:
            moments = [Moment("after_step", body.step or "")]
        holds, case = (self.el.truth(cond, self.el.base) for cond in (body.cond, body.premise))
        return Property(
            moments=tuple((moment, x.implies(case, holds)) for moment in moments),
            presumes=(body.rule,) if body.rule else (),
            premise=Property(moments=tuple((moment, x.negate(case)) for moment in moments)),
        )

    def owed(self, body: s.Response) -> tuple[str, str]:
        """Two variables: that what must follow in this turn has not followed, and that it must follow at all."""
        premise, met = (self.el.truth(cond, self.el.base) for cond in (body.premise, body.cond))
        seen = f"so in this turn: {printer.exp(body.premise)}"
        owed = f"owed since {printer.exp(body.premise)}: {printer.exp(body.cond)}"
        self.history.owed |= {owed: (premise, met), seen: (premise, x.FALSE)}
        return owed, seen

    def doing(self, plays: tuple[s.PlayRef, ...], system: System) -> tuple[str, ...]:
        """The commands by which some plays are made, or some triggers go off or are dealt with."""
        kinds = ("play", "put", "trigger", "effect")
        return tuple(c.name for c in system.commands if c.play.kind in kinds and self.among(c.play, plays))

    def among(self, play: Play, refs: tuple[s.PlayRef, ...]) -> bool:
        """Whether a happening is one of some plays; of those that name pieces, one with such pieces."""
        named = {preposition for preposition, _ in play.pieces}
        return any(
            ref.play in self.book.plays[play.name].ancestors and {preposition for preposition, _ in ref.pieces} <= named
            for ref in refs
        )

    def made(
        self, plays: tuple[s.PlayRef, ...], steps: tuple[str, ...], cond: s.Exp | None, system: System
    ) -> dict[str, x.Expr]:
        """The commands by which some plays are made, each with when that is meant."""
        found = {}
        for command in system.commands:
            if command.play.kind in ("play", "put", "effect"):
                when = x.any_of(self.played(ref, steps, cond, command) for ref in plays)
                if when != x.FALSE:
                    found[command.name] = when
        return found

    def played(self, ref: s.PlayRef, steps: tuple[str, ...], cond: s.Exp | None, command: Command) -> x.Expr:
        """When a command is a play that a claim rules out."""
        play = self.book.plays[command.play.name]
        pieces = {preposition: self.piece(key) for preposition, key in command.play.pieces}
        tried = attempt(self.el, play, command.play.player or "", pieces)
        scope = matches(ref, tried)
        if scope is None:
            return x.FALSE
        return x.both(in_step(self.book, steps), self.el.truth(cond, scope))

    def piece(self, key: str) -> Piece:
        owner, kind, _ = key.split(".")
        return Piece(kind, owner, key)

    def counts(self, body: s.AtMost) -> Iterator[x.Expr]:
        """What must not exceed the number: in all, or for each player, or for each piece."""
        sorts = sorts_of(self.book, body.plays)
        if any(ref.pieces for ref in body.plays):
            preposition = body.plays[0].pieces[0][0]
            params = [p for name in sorts for p in self.book.plays[name].pieces if p.preposition == preposition]
            kinds = {kind.name: kind for p in params if (kind := self.book.kind(p.kind)) is not None}
            for kind in kinds.values():
                for piece in self.el.pieces(kind):
                    yield self.el.counter(Count(body.plays[0].play, body.period, None, preposition, piece.key))
            return
        for player in self.book.players if body.each_player else (None,):
            yield x.add(*(self.el.counter(Count(name, body.period, player)) for name in sorts))

    def leaves_out(self, command: Command, stretch: str) -> bool:
        """Whether a command moves on over a step, or over a whole phase, that then does not take place."""
        play = command.play
        if play.kind not in ("begin", "leave") or play.target is None:
            return False
        order = [leaf.name for leaf in self.book.leaves]
        if stretch == "phase":
            order = list(self.book.phases)
        places = {leaf.name: order.index(leaf.name if stretch == "step" else self.book.phase(leaf.name))
                  for leaf in self.book.leaves}  # fmt: skip
        to = places[play.target]
        if play.kind == "begin":
            return to != 0
        come = places[play.name]
        return to > 0 or come < len(order) - 1 if play.turn_ends else to > come + 1

    def out_of_order(self, command: Command, every: bool) -> bool:
        """Whether a command moves from a phase to one that does not come next (`every`), or not later."""
        play = command.play
        if play.kind not in ("begin", "leave") or play.target is None:
            return False
        order = self.book.phases
        to = order.index(self.book.phase(play.target))
        if play.kind == "begin":
            return every and to != 0
        come = order.index(self.book.phase(play.name))
        if play.turn_ends:
            return every and (come != len(order) - 1 or to != 0)
        return to < come or (every and to > come + 1)
