"""From a checked rulebook to its transition system.

The happenings of a game: it begins; a player does something that the rules allow; a player passes; what is on top of
the stack resolves; a trigger goes off, and is dealt with; a step ends and another begins. What happens at the end of a
step, the move, and what happens at the start of the next are one happening, so that nothing slips in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

from turnproof.language import syntax as s
from turnproof.phases.edges import Edge, all_edges, entries
from turnproof.rulebook.elaborate import (
    PLAYER,
    PREVIOUS,
    Count,
    Elaborator,
    History,
    Piece,
    Scope,
    in_step,
    sort_of,
    waiting,
)
from turnproof.rulebook.model import NOBODY, SETUP, Clause, Field, PlayKind, Rulebook
from turnproof.rulebook.permissions import Attempt, arrived, attempt, decide, effective, matches, present, sorts_of
from turnproof.system import expr as x
from turnproof.system.system import Block, Clash, Command, Moment, Play, Selector, System, Update, Variable
from turnproof.system.writes import Taken, Write, clashes, combine, mentions, taken_by, writes


def build(book: Rulebook, history: History | None = None) -> System:
    """The transition system of a rulebook. `history` holds what claims want remembered besides the rules."""
    return _Build(book, history or History()).system()


@dataclass(frozen=True, slots=True)
class Draft:
    """A block in the making: `reset` are the periods that begin with it, `clashes` what its rules disagree on."""

    when: x.Expr = x.TRUE
    updates: tuple[Update, ...] = ()
    reached: tuple[tuple[Moment, x.Expr], ...] = ()
    reset: frozenset[str] = frozenset()
    clashes: tuple[tuple[str, tuple[str, str], x.Expr], ...] = ()


@dataclass(frozen=True, slots=True)
class Deed:
    """What a rule does at a moment: its stages, in a scope, under a condition."""

    clause: Clause
    stages: tuple[tuple[s.Effect, ...], ...]
    cond: s.Exp | None
    scope: Scope


@dataclass(frozen=True, slots=True)
class Sketch:
    """A command in the making, before it is known what must be remembered."""

    name: str
    play: Play
    params: tuple[tuple[str, x.Sort], ...]
    drafts: list[Draft]
    permits: tuple[tuple[str, x.Expr], ...]


class _Build:
    def __init__(self, book: Rulebook, history: History) -> None:
        self.book = book
        self.el = Elaborator(book, history)
        self.history = history
        self.has_priority = any(True for _ in book.of(s.Priority))
        self.has_stack = any(play.stacked for play in book.plays.values())
        self.marks: dict[str, x.Expr] = {}
        self.clashes: list[Clash] = []

    def system(self) -> System:
        """Commands first: they find out what must be remembered, which the variables and the last blocks then do."""
        sketches = [*self.begin(), *self.plays(), *self.passes(), *self.resolutions(), *self.triggers(), *self.leaves()]
        commands = [self.remember(sketch) for sketch in sketches]
        assert not self.el.problems, self.el.problems
        return System(
            name=self.book.name,
            variables=tuple(self.variables()),
            selectors=tuple(Selector(d.name, d.options, d.default, d.question) for d in self.book.selectors.values()),
            tags=self.book.rules,
            commands=tuple(commands),
            clashes=tuple(self.clashes),
            since=tuple(self.history.since.items()),
        )

    # -- variables

    def variables(self) -> Iterator[Variable]:
        players = x.Enum(self.book.players)
        yield Variable("step", x.Enum((SETUP, *(leaf.name for leaf in self.book.leaves))), SETUP, "step")
        yield Variable("active", players, self.book.players[0], "the player whose turn it is")
        yield Variable("turn", x.Int(0), 0, "turn")
        for player in self.book.players:
            yield Variable(f"{player}.turns", x.Int(0), 0, "turns taken")
        for name, got in self.book.game_fields.items():
            yield _variable(f"game.{name}", got)
        for player in self.book.players:
            for name, got in self.book.player_fields.items():
                yield _variable(f"{player}.{name}", got)
        for kind in self.book.kinds:
            for piece in self.el.pieces(kind):
                yield Variable(f"{piece.key}.in_play", x.Bool(), kind.in_play, "in play")
                for name, got in kind.fields.items():
                    yield _variable(f"{piece.key}.{name}", got)
        if self.has_priority:
            yield Variable("priority", x.Enum((NOBODY, *self.book.players)), NOBODY, "who may act")
            yield Variable("passes", x.Int(0, len(self.book.players)), 0, "passes in a row")
        if self.has_stack:
            yield Variable("stack", x.Int(0), 0, "on the stack")
            yield Variable("stack.play", x.Array(x.Enum(self.stacked)), None, "what lies on the stack")
            yield Variable("stack.by", x.Array(players), None, "whose it is")
        for play in self.book.plays.values():
            if play.leaf and play.decl.sort == "trigger":
                for player in self.book.players:
                    yield Variable(waiting(play.name, player), x.Int(0), 0, f"{play.name} waiting")
        for name in self.history.counts:
            yield Variable(name, x.Int(0), 0, name)
        for name in (*self.history.since, *self.history.was):
            yield Variable(name, x.Bool(), False, name)
        for name in self.marks:
            yield Variable(name, x.Bool(), False, name)

    @property
    def stacked(self) -> tuple[str, ...]:
        return tuple(play.name for play in self.book.plays.values() if play.leaf and play.stacked)

    # -- conditions of the whole game

    @cached_property
    def over(self) -> x.Expr:
        """That somebody has lost."""
        return x.any_of(
            x.both(present(clause), self.el.truth(clause.body.cond, self.player_scope(player)))
            for clause in self.book.of(s.Loses) if isinstance(clause.body, s.Loses)
            for player in self.book.players
        )  # fmt: skip

    def player_scope(self, player: str) -> Scope:
        return self.el.base.with_("player", (x.const(player), PLAYER))

    @cached_property
    def running(self) -> x.Expr:
        """That the game has begun and is not over."""
        return x.both(in_step(self.book, ()), x.negate(self.over))

    @cached_property
    def goes_round(self) -> x.Expr:
        """That in the present step players get priority one after the other."""
        return x.any_of(
            x.both(present(clause), in_step(self.book, clause.body.steps))
            for clause in self.book.of(s.Priority) if isinstance(clause.body, s.Priority)
        )  # fmt: skip

    @cached_property
    def at_once(self) -> x.Expr:
        """That the present step ends at once, so that nobody does anything in it."""
        base = self.el.base
        return x.any_of(
            x.both(present(clause), in_step(self.book, clause.body.steps), self.el.truth(clause.body.cond, base))
            for clause in self.book.of(s.AtOnce) if isinstance(clause.body, s.AtOnce)
        )  # fmt: skip

    @property
    def all_passed(self) -> x.Expr:
        """That nobody wants to go on acting: true where priority does not go round."""
        if not self.has_priority:
            return x.TRUE
        return x.implies(self.goes_round, x.eq(x.Var("passes"), x.const(len(self.book.players))))

    def may_act(self, player: str) -> x.Expr:
        """That a player can do something now, permission apart."""
        turn: x.Expr = x.TRUE
        if self.has_priority:
            in_turn = x.both(
                x.eq(x.Var("priority"), x.const(player)), x.lt(x.Var("passes"), x.const(len(self.book.players)))
            )
            turn = x.implies(self.goes_round, in_turn)
        return x.both(self.running, x.negate(self.at_once), turn)

    def acted(self) -> list[Write]:
        """After somebody has done something, all must pass anew."""
        return [Write("passes", "set", x.const(0))] if self.has_priority else []

    # -- steps

    def begin(self) -> Iterator[Sketch]:
        for number, edge in enumerate(entries(self.book)):
            blocks = self.move(edge, x.eq(x.Var("step"), x.const(SETUP)))
            play = Play("begin", SETUP, target=edge.target, turn_ends=True, passed=edge.passed_after)
            yield self.command(f"the game begins{' ' + str(number) if number else ''}", play, blocks)

    def leaves(self) -> Iterator[Sketch]:
        for number, edge in enumerate(all_edges(self.book)):
            here = x.eq(x.Var("step"), x.const(edge.source))
            blocks = self.move(edge, x.both(here, self.may_leave(self.left(edge))))
            passed = (*edge.passed, *edge.passed_after)
            play = Play("leave", edge.source, target=edge.target, turn_ends=edge.ends_turn, passed=passed)
            yield self.command(f"{edge.source} to {edge.target} {number}", play, blocks)

    def may_leave(self, left: tuple[str, ...]) -> x.Expr:
        """That steps can end: nothing is owed in them, nothing lies on the stack, all have passed."""
        owed = x.any_of(
            x.both(present(clause), self.el.truth(clause.body.cond, self.el.base))
            for clause in self.book.of(s.Obligation)
            if isinstance(clause.body, s.Obligation) and set(clause.body.steps) & set(left)
        )
        empty = x.eq(x.Var("stack"), x.const(0)) if self.has_stack else x.TRUE
        passed = x.either(self.at_once, self.all_passed)
        return x.both(x.negate(self.over), x.negate(owed), empty, passed)

    def left(self, edge: Edge) -> tuple[str, ...]:
        """The steps and phases that end on a way, from the inside out: also a phase that is left and entered again."""
        old, new = self.book.lineage(edge.source), self.book.lineage(edge.target)
        if edge.ends_turn:
            return old
        return tuple(
            name for name in old
            if name not in new
            or name in (edge.source, edge.target)
            or not set(edge.passed) <= set(self.book.leaves_of(name))
        )  # fmt: skip

    def covers(self, steps: Iterable[str], leaf: str) -> bool:
        return any(leaf in self.book.leaves_of(name) for name in steps)

    def move(self, edge: Edge, guard: x.Expr) -> list[Draft]:
        """The end of one step, the way to the next, and its start."""
        old = () if edge.source == SETUP else self.book.lineage(edge.source)
        left = () if edge.source == SETUP else self.left(edge)
        stays = tuple(name for name in old if name not in left)
        blocks = [Draft(guard)]
        for name in left:
            blocks += self.happenings("end", name)
            blocks.append(Draft(reached=((Moment("after_step", name), x.TRUE),)))
        blocks.append(Draft(self.way(edge)))
        entered = self.book.lineage(edge.target)
        blocks += [Draft(self.may_skip(leaf, {*entered, *old})) for leaf in edge.passed]
        if edge.ends_turn:
            blocks += self.new_turn()
        blocks += [Draft(self.may_skip(leaf, set(entered))) for leaf in edge.passed_after]
        blocks.append(self.enter(edge, stays))
        for name in reversed([name for name in entered if name not in stays]):
            blocks += self.happenings("start", name)
        return blocks

    def way(self, edge: Edge) -> x.Expr:
        """That the rules on what comes next leave a way open, as the step has ended."""
        says_next = [
            (clause, x.both(present(clause), self.el.truth(clause.body.cond, self.el.base)))
            for clause in self.book.of(s.Next) if isinstance(clause.body, s.Next) and clause.body.step == edge.source
        ]  # fmt: skip
        if edge.clause is not None:
            return x.any_of(holds for clause, holds in says_next if clause == edge.clause)
        return x.negate(x.any_of(h for c, h in says_next if isinstance(c.body, s.Next) and c.body.must))

    def enter(self, edge: Edge, stays: tuple[str, ...]) -> Draft:
        """The move itself."""
        updates = [Write("step", "set", x.const(edge.target))]
        if self.has_priority:
            holder = x.ite(self.goes_round_in(edge.target), self.enum_player(x.Var("active")), x.const(NOBODY))
            updates += [Write("priority", "set", holder), Write("passes", "set", x.const(0))]
        periods = {"step", *(() if self.book.phase(edge.target) in stays else ("phase",))}
        return Draft(x.negate(self.must_skip(edge.target, set(stays))), combine(updates), reset=frozenset(periods))

    def enum_player(self, player: x.Expr) -> x.Expr:
        """A player as a value of the variable `priority`, which also knows nobody."""
        return self.el.per_player(player, x.const)

    def goes_round_in(self, leaf: str) -> x.Expr:
        return x.any_of(
            present(clause) for clause in self.book.of(s.Priority)
            if isinstance(clause.body, s.Priority) and self.covers(clause.body.steps, leaf)
        )  # fmt: skip

    def new_turn(self) -> list[Draft]:
        """The turn passes; then everything that the turn's beginning fixes is fixed."""
        active = x.Var("active")
        names = self.book.players
        following = {name: names[(at + 1) % len(names)] for at, name in enumerate(names)}
        next_player = self.el.per_player(active, lambda p: x.const(following[p]))
        says = [(clause, clause.body) for clause in self.book.of(s.TurnPasses) if isinstance(clause.body, s.TurnPasses)]
        to = {"next": next_player, "same": active, "any": x.Param("next_player")}
        begun = x.negate(x.eq(x.Var("step"), x.const(SETUP)))
        passing = [
            Write(
                "active",
                "set",
                to[body.to],
                x.both(begun, present(clause), self.el.truth(body.cond, self.el.base)),
                clause.rule,
            )
            for clause, body in says
        ]
        said = x.any_of(write.cond for write in passing)
        passing.append(Write("active", "set", next_player, x.both(begun, x.negate(said))))
        count = [
            Write("turn", "add", x.const(1)),
            *(Write(f"{name}.turns", "add", x.const(1), x.eq(active, x.const(name))) for name in names),
        ]
        ended = frozenset({"turn", "phase", "step"})
        return [
            Draft(updates=combine(passing), clashes=tuple(clashes(passing))),
            Draft(updates=combine(count), reset=ended),
            Draft(reset=frozenset({"since"})),
        ]

    def skips(self, leaf: str, apart: set[str]) -> Iterator[tuple[x.Expr, x.Expr]]:
        """For a step and what it stands in, `apart` from some: when it must be passed over, and when it may be."""
        for name in (name for name in self.book.lineage(leaf) if name not in apart):
            inside = {name, *(other for other in self.book.steps if name in self.book.lineage(other))}
            voices: list[tuple[str, str, x.Expr]] = []
            for clause in self.book.of(s.Skip):
                body = clause.body
                assert isinstance(body, s.Skip)
                concerned = inside if body.mode == "never" else {name}
                if any(self.speaks_of(body.steps, other) for other in concerned):
                    holds = x.both(present(clause), self.el.truth(body.cond, self.el.base))
                    voices.append((clause.rule, body.mode, holds))
            heard = effective([(rule, holds) for rule, _, holds in voices], self.book.overrides)
            by_mode = {
                mode: x.any_of(h for (_, m, _), h in zip(voices, heard, strict=True) if m == mode)
                for mode in ("must", "may", "never")
            }
            fine = x.either(x.negate(by_mode["never"]), x.Chosen("clash", "grant_wins"))
            yield x.both(by_mode["must"], fine), x.both(x.either(by_mode["must"], by_mode["may"]), fine)

    def speaks_of(self, steps: tuple[str, ...], name: str) -> bool:
        """Whether a rule names a step, or every step or phase of its sort. A phase without steps inside is both."""
        step = self.book.steps[name]
        sorts = {"every phase"} if step.parent is None else set()
        sorts |= {"every step"} if step.order >= 0 else set()
        return name in steps or bool(sorts & set(steps))

    def must_skip(self, leaf: str, apart: set[str]) -> x.Expr:
        return x.any_of(must for must, _ in self.skips(leaf, apart))

    def may_skip(self, leaf: str, apart: set[str]) -> x.Expr:
        return x.any_of(may for _, may in self.skips(leaf, apart))

    def happenings(self, moment: str, name: str) -> list[Draft]:
        """What happens by itself at the start or the end of a step."""
        found = [
            Deed(clause, clause.body.stages, clause.body.cond, self.el.base)
            for clause in self.book.of(s.Happening)
            if isinstance(clause.body, s.Happening)
            and clause.body.moment == moment
            and self.speaks_of(clause.body.steps, name)
        ]
        return self.stages(found)

    def stages(self, found: list[Deed]) -> list[Draft]:
        """What several rules do at one moment: their first stages together, then their second ones, and so on."""
        conds = effective(
            [(deed.clause.rule, x.both(present(deed.clause), self.el.truth(deed.cond, deed.scope))) for deed in found],
            self.book.overrides,
        )
        blocks = []
        for number in range(max((len(deed.stages) for deed in found), default=0)):
            made: list[Write] = []
            reached: list[tuple[Moment, x.Expr]] = []
            taken: Taken = {}
            for deed, cond in zip(found, conds, strict=True):
                if number >= len(deed.stages):
                    continue
                rule = deed.clause.rule
                applies = cond
                if len(deed.stages) > 1 and x.variables([cond]):
                    mark = f"[{rule}] applies {self.book.clauses.index(deed.clause)}"
                    self.marks[mark] = cond
                    applies = cond if number == 0 else x.Var(mark)
                    if number == 0:
                        made.append(Write(mark, "set", cond))
                made += writes(self.el, deed.stages[number], deed.scope, applies, rule, taken)
                if number == len(deed.stages) - 1:
                    reached.append((Moment("after_rule", rule), applies))
            blocks.append(Draft(updates=combine(made), reached=tuple(reached), clashes=tuple(clashes(made))))
        return blocks

    # -- plays

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
            self.may_act(player), self.there(play, pieces), decision.allowed, self.within_limits(tried), payable
        )
        made = [*paid, *self.acted()]
        made += self.push(play, player) if play.stacked else self.outcome(tried, taken_by(paid))
        blocks = [Draft(guard, combine(made), clashes=tuple(clashes(made))), *self.whenever(tried)]
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
        params = tuple(
            (name, sort_of(item.type)) for item in of.play.items if isinstance(item, s.Amounts) for name in item.names
        )
        return self.command(name, about, blocks, params if with_amounts else (), permits)

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
                paid.append(Write(f"{of.player}.{item.resource}", "add", x.scale(-1, amount), there))
                if item.to:
                    paid.append(Write(f"{of.player}.{item.to}", "add", amount, there))
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
                made += writes(self.el, effects, of.scope, x.TRUE, "", taken)
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
            value = x.Param(f"new {name}") if got.initial is None else x.const(got.initial)
            yield Write(f"{piece.key}.{name}", "set", value, yields=True)

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

    # -- passing, the stack, triggers

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
            yield self.command(f"{player} passes", Play("pass", "pass", player), [Draft(guard, combine(made))])

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
        return self.played(
            "resolve", tried, [Draft(guard, combine(made), clashes=tuple(clashes(made)))], with_amounts=False
        )

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
                arise = Draft(self.running, combine([Write(waits, "add", x.const(1))]))
                yield self.played("trigger", tried, [arise], with_amounts=False)
                guard = x.both(self.running, x.le(x.const(1), x.Var(waits)), decide(self.el, tried).allowed)
                made = [Write(waits, "add", x.const(-1)), *self.acted()]
                made += self.push(play, player) if play.stacked else self.outcome(tried)
                yield self.played("put", tried, [Draft(guard, combine(made)), *self.whenever(tried)], with_amounts=True)

    # -- putting commands together

    def command(
        self,
        name: str,
        play: Play,
        drafts: list[Draft],
        params: tuple[tuple[str, x.Sort], ...] = (),
        permits: tuple[tuple[str, x.Expr], ...] = (),
    ) -> Sketch:
        """A command with the parameters that its blocks use beside its amounts."""
        used = {e.name for e in x.walk(_expressions(drafts)) if isinstance(e, x.Param)} - {name for name, _ in params}
        extra = [(param, self.param_sort(param, play)) for param in sorted(used)]
        return Sketch(name, play, (*params, *extra), drafts, permits)

    def param_sort(self, param: str, play: Play) -> x.Sort:
        """The sort of the next player, or of what a piece that comes into play brings along."""
        if param == "next_player":
            return x.Enum(self.book.players)
        words = param.removeprefix("new ")
        for item in self.book.plays[play.name].pieces:
            kind = self.book.kind(item.kind)
            if item.whose == "new" and kind is not None and words in kind.fields:
                return sort_of(kind.fields[words].type)
        raise AssertionError(f"no sort for {param}")

    def remember(self, sketch: Sketch) -> Command:
        """A command that also keeps the counts and histories that the rules and claims look at."""
        play = sketch.play
        fresh = {piece for _, piece in play.pieces if self.arrives(play, piece)}
        forgotten = {name for name, keys in self.history.pieces.items() if fresh & set(keys)}
        counted = [
            Update(name, x.const(int(self.counts(count, play))))
            if count.piece in fresh
            else Update(name, x.add(x.Var(name), x.const(1)))
            for name, count in self.history.counts.items()
            if count.piece in fresh or self.counts(count, play)
        ]
        blocks: list[Block] = []
        for draft in sketch.drafts:
            updates = [*draft.updates, *self.resets(draft), *counted]
            counted = []
            if blocks and self.over != x.FALSE:
                draft, updates = self.unless_over(draft, updates)
            if updates or draft.when != x.TRUE or draft.reached or draft.clashes:
                self.clashes += [Clash(sketch.name, len(blocks), *clash) for clash in draft.clashes]
                blocks.append(Block(draft.when, tuple(updates), draft.reached))
        changed = {u.variable for block in blocks for u in block.updates}
        last = tuple(
            Update(name, x.both(x.Var(name), cond))
            for name, cond in self.history.since.items() if x.variables([cond]) & changed and name not in forgotten
        )  # fmt: skip
        last += tuple(Update(name, x.FALSE) for name in sorted(forgotten))
        if last:
            blocks.append(Block(updates=last))
        return Command(sketch.name, play, sketch.params, tuple(blocks), sketch.permits)

    def unless_over(self, draft: Draft, updates: list[Update]) -> tuple[Draft, list[Update]]:
        """A later block of a happening, which comes to nothing if somebody has lost or won by then."""
        kept = [Update(u.variable, x.ite(self.over, x.Var(u.variable), u.value), u.rules) for u in updates]
        reached = tuple((moment, x.both(cond, x.negate(self.over))) for moment, cond in draft.reached)
        found = tuple((name, rules, x.both(cond, x.negate(self.over))) for name, rules, cond in draft.clashes)
        return Draft(draft.when, draft.updates, reached, draft.reset, found), kept

    def resets(self, draft: Draft) -> Iterator[Update]:
        """What starts anew with the periods that begin here."""
        for name, count in self.history.counts.items():
            if count.period in draft.reset:
                yield Update(name, x.const(0))
            elif count.period == PREVIOUS and "turn" in draft.reset:
                yield Update(name, x.Var(replace(count, period="turn").variable))
        if "since" in draft.reset:
            for name, cond in (*self.history.since.items(), *self.history.was.items()):
                yield Update(name, cond)

    def arrives(self, play: Play, piece: str) -> bool:
        params = {param.preposition: param for param in self.book.plays[play.name].pieces}
        return any(key == piece and params[preposition].whose == "new" for preposition, key in play.pieces)

    def counts(self, count: Count, play: Play) -> bool:
        """Whether a command adds to a count: a stacked play when it is played, its new piece when it resolves."""
        if (
            count.period == PREVIOUS
            or play.kind not in ("play", "put", "resolve")
            or count.play not in self.book.plays[play.name].ancestors
        ):
            return False
        if count.piece is not None:
            return (count.preposition, count.piece) in play.pieces
        return play.kind != "resolve" and count.by in (None, play.player)


def _may_be(whose: str, own: bool) -> bool:
    """Whether a play can be about a piece, by whose it is."""
    return whose == "any" or own == (whose in ("own", "new"))


def _variable(name: str, got: Field) -> Variable:
    return Variable(name, sort_of(got.type), got.initial, got.name)


def _expressions(blocks: Iterable[Draft]) -> Iterator[x.Expr]:
    for block in blocks:
        yield block.when
        yield from (update.value for update in block.updates)
        yield from (cond for _, cond in block.reached)
