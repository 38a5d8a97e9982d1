"""What a claim means: a property of a game's transition system.

Claims are checked like rulebooks, and may want more remembered than the rules do (counts of plays, say).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from turnproof.diagnostics import Caption, Diagnostic, Invalid, suggestion
from turnproof.language import printer
from turnproof.language import syntax as s
from turnproof.rulebook.elaborate import INT, Bound, Count, Elaborator, History, Piece, Scope, in_step
from turnproof.rulebook.model import Rulebook
from turnproof.rulebook.permissions import Attempt, arrived, attempt, matches, sorts_of
from turnproof.rulebook.refs import late_pieces, play_problem
from turnproof.solve.property import (
    Bounded,
    Choosable,
    Compared,
    GamesEnd,
    Goal,
    NoEndlessTurn,
    Possible,
    Property,
    Stretch,
    TurnsEnd,
)
from turnproof.system import expr as x
from turnproof.system.system import Command, Moment, Play, System
from turnproof.system.turn import TURN_ENDS
from turnproof.system.writes import places

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
            case s.InEvery():
                self.in_every(body)
            case s.InTwo():
                self.in_two(body)
            case s.InOrder() | s.NoneLeftOut() | s.TurnsEnd() | s.GamesEnd():
                pass

    def in_every(self, body: s.InEvery) -> None:
        """A claim on one happening: a procedure, or a play with its pieces."""
        self.el.two_states = True
        if any(one.name == body.play.play for one in self.book.procedures):
            if body.play.pieces:
                hint = f"`of {self.book.kinds[0].name} c of active`, say" if self.book.kinds else ""
                self.problem("TP043", "a procedure is not played with pieces", body.play.span, hint)
            self.bound(body, self.el.base, self.el.base)
        else:
            found = play_problem(self.book, body.play)
            if found is not None and body.play.play not in self.book.plays:
                known = [*self.book.plays, *(one.name for one in self.book.procedures)]
                hint = suggestion(body.play.play, known)
                found = ("TP030", f"no play and no procedure is called `{body.play.play}`", body.play.span, hint)
            if found is not None:
                self.problem(*found)
            else:
                for tried in self.attempts(body.play.play):
                    before, after = matches(body.play, tried), matches(body.play, arrived(tried))
                    if before is not None and after is not None:
                        self.bound(body, before, after)
        self.el.two_states = False

    def in_two(self, body: s.InTwo) -> None:
        """A claim that compares two happenings of a procedure."""
        if not any(one.name == body.procedure for one in self.book.procedures):
            known = [one.name for one in self.book.procedures]
            hint = suggestion(body.procedure, known)
            self.problem("TP030", f"no procedure is called `{body.procedure}`", body.span, hint)
            return
        self.el.two_states = self.el.two_happenings = True
        for _, scope in self.cases(body.bindings, self.el.base):
            for path in body.paths:
                list(places(self.el, path, scope))
                self.el.value(path, scope)
            self.el.truth(body.cond, scope)
            self.el.truth(body.premise, scope)
            break
        self.el.two_states = self.el.two_happenings = False

    def bound(self, body: s.InEvery, before: Scope, after: Scope) -> Iterator[tuple[x.Expr, x.Expr]]:
        """For each choice of what a claim speaks of: what is supposed as it begins, and what is to hold as it ends."""
        return iter(
            [
                (
                    x.prefixed(x.both(cond, self.el.truth(body.premise, scope))),
                    self.el.truth(body.cond, replace(after, names={**after.names, **self.new_names(before, scope)})),
                )
                for cond, scope in self.cases(body.bindings, before)
            ]
        )

    def new_names(self, before: Scope, scope: Scope) -> dict[str, Bound]:
        return {name: bound for name, bound in scope.names.items() if name not in before.names}

    def cases(self, bindings: tuple[s.Binding, ...], scope: Scope) -> Iterator[tuple[x.Expr, Scope]]:
        """What some bindings can stand for together, each with the condition that it is so."""
        if not bindings:
            yield x.TRUE, scope
            return
        for cond, inner in list(self.el.bind(bindings[0], scope)):
            for rest, innermost in self.cases(bindings[1:], inner):
                bound = [innermost.names[one.variable] for one in bindings]
                keys = [one.key for one in bound if isinstance(one, Piece)]
                both = x.both(cond, rest)
                if len(set(keys)) == len(keys) and self.some_turn(both):
                    yield both, innermost

    def some_turn(self, cond: x.Expr) -> bool:
        """Whether a condition can be so in somebody's turn, as far as that is plain."""
        return any(x.rewritten(cond, _in_turn_of(player)) != x.FALSE for player in self.book.players)

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
            case s.InEvery():
                return self.every(body, system)
            case s.InTwo():
                return self.two(body, system)

    def every(self, body: s.InEvery, system: System) -> Goal:
        """What a claim on one happening says of the commands of which that is a part."""
        goes_on = x.negate(system.over)
        ranges = x.all_of(_ranges(system))
        parts: list[tuple[str, int, int, x.Expr, x.Expr]] = []
        self.el.two_states = True
        for command, begins, ends, before, after in self.parts_of(body.play, system):
            parts += [(command, begins, ends, if_, then) for if_, then in self.bound(body, before, after)]
        self.el.two_states = False
        if body.chosen:
            return Choosable(tuple((c, b, e, x.both(if_, x.prefixed(goes_on)), then) for c, b, e, if_, then in parts))
        return Property(
            stretches=tuple(
                Stretch(c, b, e, x.both(if_, x.negate(then), goes_on), ranges) for c, b, e, if_, then in parts
            ),
            premise=Property(stretches=tuple(Stretch(c, b, e, if_) for c, b, e, if_, _ in parts)),
        )

    def two(self, body: s.InTwo, system: System) -> Compared:
        """What a claim that compares says of pairs of happenings."""
        pairs = []
        self.el.two_states = self.el.two_happenings = True
        for command, begins, ends, scope, _ in self.parts_of(s.PlayRef(body.procedure), system):
            for cond, inner in self.cases(body.bindings, scope):
                apart = tuple(variable for path in body.paths for _, variable in places(self.el, path, inner))
                premise = x.both(x.prefixed(cond), self.both_before(self.el.truth(body.premise, inner)))
                pairs.append((command, begins, ends, apart, premise, self.el.truth(body.cond, inner)))
        self.el.two_states = self.el.two_happenings = False
        return Compared(tuple(pairs))

    def both_before(self, of: x.Expr) -> x.Expr:
        """A premise that compares: all that it says is said of the states before."""

        def change(part: x.Expr) -> x.Expr | None:
            if not isinstance(part, x.Var):
                return None
            second = part.name.startswith(x.SECOND)
            return x.Var((x.SECOND if second else "") + x.BEFORE + x.unprefixed(part.name))

        return x.rewritten(of, change)

    def parts_of(self, ref: s.PlayRef, system: System) -> Iterator[tuple[str, int, int, Scope, Scope]]:
        """The parts of commands in which something takes place, with what words stand for before and after it."""
        procedure = any(one.name == ref.play for one in self.book.procedures)
        for command in system.commands:
            if procedure:
                at = {
                    moment.kind: number for number, block in enumerate(command.blocks)
                    for moment, _ in block.reached if moment.name == ref.play and moment.kind in ("begins", "done")
                }  # fmt: skip
                if at:
                    yield command.name, at["begins"], at["done"], self.el.base, self.el.base
                continue
            made = command.play
            if made.kind not in ("play", "put", "effect", "resolve") or made.name not in self.book.plays:
                continue
            if self.book.plays[made.name].stacked != (made.kind == "resolve"):
                continue
            pieces = {preposition: self.piece(key) for preposition, key in made.pieces}
            tried = attempt(self.el, self.book.plays[made.name], made.player or "", pieces)
            before, after = matches(ref, tried), matches(ref, arrived(tried))
            if before is not None and after is not None:
                yield command.name, -1, len(command.blocks) - 1, before, after

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


def _in_turn_of(player: str) -> Callable[[x.Expr], x.Expr | None]:
    """What stands for the active player in somebody's turn."""
    return lambda part: x.const(player) if part == x.Var("active") else None


def _ranges(system: System) -> Iterator[x.Expr]:
    """That quantities are within their declared ranges: what is claimed of one happening supposes that they are.

    Where they are not, that is a finding of its own (`F002`).
    """
    for variable in system.variables:
        if isinstance(variable.sort, x.Int):
            if variable.sort.low is not None:
                yield x.le(x.const(variable.sort.low), x.Var(variable.name))
            if variable.sort.high is not None:
                yield x.le(x.Var(variable.name), x.const(variable.sort.high))
