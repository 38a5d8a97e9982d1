"""Questions on what comes of something: a step, a procedure or a play, from a state that the question describes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from turnproof.answers.alike import Followed, Venture
from turnproof.answers.answer import Answer, AnswerCase, Event
from turnproof.answers.asker import DICE, NO, YES, Asker
from turnproof.answers.course import Course, course, moment_name
from turnproof.answers.facts import fact_name
from turnproof.answers.ground import Ground, choose, counted, ground
from turnproof.answers.judge import Judge, Outcome
from turnproof.answers.path import Guide, NoWay, Way
from turnproof.answers.scene import Cast
from turnproof.diagnostics import suggestion
from turnproof.language import syntax as s
from turnproof.rulebook.elaborate import Piece
from turnproof.solve.ask import Model
from turnproof.solve.plays import values_of
from turnproof.solve.smt import conj, disj
from turnproof.system import expr as x
from turnproof.system.system import Block
from turnproof.verdict.explain import hidden, shown_value


@dataclass(frozen=True, slots=True)
class Branch:
    """The answer where a player is active: its value, what must be so for it, which rules clash on the way, and what is
    known of the state in which it begins.
    """

    active: str
    value: str
    so: str
    clashes: list[tuple[tuple[str, str], str]]
    known: Mapping[str, x.Const]


class Consequences(Asker):
    """How questions on what comes of something are answered. `ways` are gone by who is active."""

    ways: Mapping[str, Way] = MappingProxyType({})
    grounded: Ground | None = None

    def comes_of(self, query: s.HoldsAsk | s.FateAsk | s.AmountAsk) -> Answer:
        """What is so after a step, a procedure or a play, or how much it changes."""
        moment = query.moment
        plays = self.sensible(query)
        self.el.two_states = True
        casts = self.cast(plays)
        said = [self.said(query, cast) for cast in casts]
        self.stage.finish(self.words)
        prepared = self.whole()
        of = self.grounded = ground(prepared.system, known=self.known())
        of.params = self.named_amounts(of, plays)
        guide = Guide(self.stage, of, prepared.reads, prepared.led)
        try:
            ways = [guide.way(moment, cast) for cast in casts]
        except NoWay as no_way:
            self.stage.finish(self.words)
            return Answer(self.text, "unknown", why=str(no_way))
        self.ways = dict(zip((cast.active for cast in casts), ways, strict=True))
        ventures: list[tuple[Venture, Followed]] = []
        for cast, way, expr in zip(casts, ways, said, strict=True):
            new = self.venture(cast, way, expr, of)
            if not any(prepared.likeness.alike(one, new, followed, of.params) for one, followed in ventures):
                asked = {x.unprefixed(name) for name in x.variables([expr])}
                ventures.append((new, guide.followed(way, asked, cast.active)))
        branches = [self.branch(query, *each, of, guide) for each in ventures]
        of.script.require(disj(branch.so for branch in branches))
        of.told = set.intersection(*(set(branch.known) for branch in branches)) - {"active"}
        value = branches[-1].value
        for branch in reversed(branches[:-1]):
            mine = f"(= {of.state['active']} {of.script.codes.of(branch.active)})"
            value = f"(ite {mine} {branch.value} {value})"
        of.answered(value)
        if isinstance(query, s.HoldsAsk | s.FateAsk):
            of.outcomes = {NO: "no", YES: "yes"}
        clash = self.clashing(of, [clash for branch in branches for clash in branch.clashes])
        if clash is not None:
            return clash
        if isinstance(query, s.HoldsAsk) and query.can:
            return self.choosable(of)
        found = self.judged(of)
        plainly = found.answer in ("no", "yes") and not found.rules
        if plainly and isinstance(query, s.FateAsk) and not any(self.speaks(of, expr) for expr in said):
            near = tuple(dict.fromkeys(rule for way in ways for part in way.parts for rule in _rules_of(part.blocks)))
            note = "no rule says when this comes about"
            return replace(found, answer="silent", background=near[:4], notes=(*found.notes, note))
        if plainly and query.moment is not None:
            return replace(found, notes=(*found.notes, "no rule decides this: what no rule changes stays as it was"))
        return found

    def sensible(self, query: s.HoldsAsk | s.FateAsk | s.AmountAsk) -> tuple[s.PlayRef, ...]:
        """The play that is asked about, if it is one. Raises Invalid where it cannot be told what is asked about."""
        moment = query.moment
        named = moment.play if moment is not None else ""
        known = [*self.book.steps, *self.book.plays, *(one.name for one in self.book.procedures)]
        if moment is not None and named not in known:
            hint = suggestion(named, known)
            self.stage.problem("TP030", f"no step, procedure or play is called `{named}`", moment.span, hint)
            self.stage.finish(self.words)
        if moment is None and (isinstance(query, s.FateAsk) or (isinstance(query, s.AmountAsk) and query.change)):
            hint = f"add `in {self.book.leaves[0].name}`, say"
            self.stage.problem("TP091", "it is not said in which step, procedure or play", self.asked.span, hint)
        plays = (moment,) if moment is not None and named in self.book.plays else ()
        for ref in (*plays, *(event.play for event in self.stage.events)):
            self.check_play(ref)
        self.stage.finish(self.words)
        return plays

    def venture(self, cast: Cast, way: Way, expr: x.Expr, of: Ground) -> Venture:
        """All that makes a difference to an answer where a player is active."""
        looked_at = [x.all_of([*counted(of.system), *self.known()])]
        if way.passed_over:
            looked_at += [self.maker.must_skip(way.passed_over, set()), self.maker.may_skip(way.passed_over, set())]
        return Venture(cast, way, self.as_at_first(of, cast, way), expr, looked_at)

    def branch(
        self,
        query: s.HoldsAsk | s.FateAsk | s.AmountAsk,
        venture: Venture,
        followed: Followed,
        of: Ground,
        guide: Guide,
    ) -> Branch:
        """What the answer is where a player is active, and what must be so for it."""
        cast, way, begins, expr = venture.cast, venture.way, venture.begins, venture.asked
        here = guide.led(cast.active)(cast.here)
        known = {"active": x.const(cast.active), **x.told([here])}
        known |= {name: value for name, value in begins.items() if isinstance(value, x.Const)}
        gone = guide.go(way, way_label(cast.active), known, followed)
        seen = {**gone.after, **{x.BEFORE + name: symbol for name, symbol in gone.before.items()}}
        value = _amount(of, expr, seen)
        guards = list(gone.guards)
        if isinstance(query, s.FateAsk):
            # Who has left play when the game is over is no question any more.
            guards.append(f"(not {of.script.expr(of.system.over, gone.after, of.params)})")
        so = conj(guards)
        if way.passed_over:
            value, so = self.or_passed_over(of, cast, way.passed_over, expr, value, so)
        scene = [of.expr(cast.here, f"scene {cast.active}")]
        scene += [f"(= {of.state[name]} {of.expr(value, f'{cast.active} {name}')})" for name, value in begins.items()]
        clashes = [(rules, conj([*scene, *gone.guards, cond])) for rules, cond in gone.clashes]
        return Branch(cast.active, value, conj([*scene, so]), clashes, known)

    def course(self, of: Ground, model: Model) -> Course | None:
        """What happens on the way from the state of a model."""
        active = values_of(of.script, model)("0.active", of.system.sorts["active"])
        return course(self.book, of, self.ways[active], self.called(active), way_label(active), model)

    def instance(self) -> Course | None:
        """What happens on the way, where readings are as usual and quantities small, once a question is answered."""
        of = self.grounded
        if of is None or not self.ways:
            return None
        judge = Judge(of, self.limit, dict(self.readings))
        for value, model in judge.values([*judge.tags, *judge.flags(judge.usual)], most=1).items():
            return self.course(of, judge.smaller(Outcome(value, {}, (), (), (), model)))
        return None

    def events(self, of: Ground, judge: Judge, outcome: Outcome) -> tuple[Event, ...]:
        if not self.ways or not outcome.rules:
            return ()
        found = self.course(of, judge.smaller(outcome))
        if found is None:
            return ()

        def said(value: x.Value) -> str:
            return found.names.get(str(value)) or shown_value(value)

        return tuple(
            Event(
                moment_name(self.book, stage),
                fact_name(self.book, change.variable, found.active, found.names),
                said(change.before), said(change.after), change.rules,
            )
            for stage in found.stages for change in stage.changes
            if set(change.rules) & set(outcome.rules) and not hidden(change.variable.name)
        )  # fmt: skip

    def clashing(self, of: Ground, clashes: list[tuple[tuple[str, str], str]]) -> Answer | None:
        """That rules change one quantity differently at once on the way: then it is open what comes of it."""
        for rules in dict.fromkeys(rules for rules, _ in clashes):
            flag = of.script.declare(f"clash {rules}", x.Bool())
            of.script.require(f"(=> {flag} {disj(cond for other, cond in clashes if other == rules)})")
        if not clashes:
            return None
        judge = self.judge(of)
        for rules in dict.fromkeys(rules for rules, _ in clashes):
            if judge.ask([*judge.tags, *judge.flags(judge.usual), f"clash {rules}"]).model is not None:
                named = tuple(dict.fromkeys(rule for rule in rules if rule))
                why = "they change the same quantity differently at once (F001), so it is open what comes of it"
                return Answer(self.text, "contradiction", rules=named, why=why)
        return None

    def choosable(self, of: Ground) -> Answer:
        """Whether something can come about: by somebody's choices, and by what the question leaves open."""
        judge = self.judge(of)
        impossible = judge.impossible()
        if impossible is not None:
            why = "what the question describes cannot come about"
            return Answer(self.text, "unknown", rules=impossible, background=impossible, why=why)
        never = judge.core(judge.tags, NO, judge.settled)
        if never is not None:
            return Answer(self.text, "no", rules=tuple(tag.removeprefix("rule ") for tag in never))
        found = judge.ask([*judge.tags, *judge.flags(judge.usual)], [NO])
        if found.model is not None:
            case = self.case(of, judge, judge.outcome(YES, {}, found.model), {})
            return Answer(self.text, "yes", rules=case.rules, cases=(case,) if case.facts or case.choices else ())
        other = judge.honoured([NO])
        assert other is not None
        usually = AnswerCase("no", self.of_the_usual(other[0]), rules=judge.rules(NO, judge.flags(judge.usual)))
        otherwise = self.case(of, judge, judge.outcome(YES, other[0], other[1]), other[0])
        rules = tuple(dict.fromkeys((*usually.rules, *otherwise.rules)))
        kind = "silent" if any(self.book.selectors[name].default is None for name in other[0]) else "depends"
        return Answer(self.text, kind, rules=rules, on=tuple(other[0]), cases=(usually, otherwise))

    def said(self, query: s.HoldsAsk | s.FateAsk | s.AmountAsk, cast: Cast) -> x.Expr:
        """What is asked of the state after, as an expression."""
        match query:
            case s.HoldsAsk(cond):
                return self.el.truth(cond, cast.scope)
            case s.FateAsk(path, survives):
                there = self.el.truth(s.Name("in_play", path, span=path.span), self.arrived(cast).scope)
                return there if survives else x.negate(there)
            case s.AmountAsk(amount, change):
                after = self.el.number(amount, self.arrived(cast).scope)
                before = x.prefixed(after)
                return {"": after, "gain": x.minus(after, before), "lose": x.minus(before, after)}[change]

    def arrived(self, cast: Cast) -> Cast:
        """The cast once what was coming has come."""
        scope = cast.scope
        for name, bound in cast.scope.names.items():
            if isinstance(bound, Piece) and bound.fresh:
                scope = scope.with_(name, replace(bound, fresh=False))
        return replace(cast, scope=scope)

    def named_amounts(self, of: Ground, plays: tuple[s.PlayRef, ...]) -> dict[str, str]:
        """Symbols for the amounts of what is done, and for what new pieces bring: the question can speak of them."""
        sorts: dict[str, x.Sort] = {}
        for ref in (*plays, *(event.play for event in self.stage.events)):
            for play in self.book.sorts(ref.play):
                sorts |= self.maker.told_of(play)
        sides = max((int(name.removeprefix(DICE)) for name in sorts if name.startswith(DICE)), default=0)
        if sides and any(not 0 < value <= sides for value in self.stage.dice):
            self.stage.problem("TP091", f"the dice here show 1 to {sides}", self.asked.span)
            self.stage.finish(self.words)
        found = choose(of, sorts.items(), "", "chosen")
        for name in (name for name in sorts if name.startswith(DICE) and self.stage.dice):
            number = self.stage.dice.count(int(name.removeprefix(DICE)))
            of.script.require(f"(= {found[name]} {number})")
        return found

    def as_at_first(self, of: Ground, cast: Cast, way: Way) -> dict[str, x.Expr]:
        """What quantities are as a question's way begins: nothing has been done yet, and what it does not say of its
        pieces is as at first.
        """
        spoken = x.variables(cast.facts)
        found: dict[str, x.Expr] = {"step": x.const(way.step)} if way.step else {}
        kept = {name for name, _ in (*of.system.since, *of.system.was)}
        found |= {name: cond for name, cond in (*of.system.since, *of.system.was) if name not in spoken}
        pieces = {piece.key for piece in cast.pieces if not piece.fresh}
        # What is said of a piece is so in all, too.
        wholes = {name.rpartition(" (")[0] for name in spoken}
        for v in of.system.variables:
            owner = v.name.rpartition(".")[0]
            past = " " in v.name and v.name not in kept and v.name not in wholes
            here = owner in pieces and not v.name.endswith(".in_play")
            if (past or here or v.name in ("stack", "passes")) and v.initial is not None and v.name not in spoken:
                found[v.name] = x.const(v.initial)
        return found

    def or_passed_over(self, of: Ground, cast: Cast, leaf: str, expr: x.Expr, value: str, gone: str) -> tuple[str, str]:
        """The answer and the condition where the step that is asked about may be passed over."""
        must, may = self.maker.must_skip(leaf, set()), self.maker.may_skip(leaf, set())
        if may == x.FALSE:
            return value, gone
        wish = f"{cast.active}: whether {leaf} is passed over"
        symbol = of.script.declare(wish, x.Bool())
        of.chosen[wish] = ("", f"whether {leaf} is passed over")
        over = f"(or {of.expr(must, 'must ' + cast.active)} (and {symbol} {of.expr(may, 'may ' + cast.active)}))"
        state = of.state
        seen = {**state, **{x.BEFORE + name: name_of for name, name_of in state.items()}}
        return f"(ite {over} {_amount(of, expr, seen)} {value})", f"(or {over} {gone})"

    def speaks(self, of: Ground, expr: x.Expr) -> bool:
        """Whether any rule, settled readings and answers to open questions apart, changes what is asked about."""
        asked = {x.unprefixed(name) for name in x.variables([expr])}
        questions = set(self.book.selectors)
        return any(
            update.variable in asked and (set(update.rules) - questions)
            for command in of.system.commands for block in command.blocks for update in block.updates
        )  # fmt: skip


def way_label(active: str) -> str:
    """What the symbols of a way are called after, where a player is active."""
    return f"{active} on"


def _amount(of: Ground, expr: x.Expr, seen: Mapping[str, str]) -> str:
    """An expression as a number: of a condition, 1 if it is so."""
    text = of.script.expr(expr, seen, of.params)
    return f"(ite {text} 1 0)" if isinstance(of.script.sort_of(expr), x.Bool) else text


def _rules_of(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        for update in block.updates:
            yield from sorted(update.rules)


def effects_of(body: s.Body) -> Iterator[s.Effect]:
    """What a rule has happen, one by one."""
    match body:
        case s.Happening() | s.Whenever():
            for stage in body.stages:
                for effect in stage:
                    yield effect.effect if isinstance(effect, s.ForEach) else effect
        case _:
            return
