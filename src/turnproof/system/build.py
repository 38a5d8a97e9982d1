"""From a checked rulebook to its transition system.

The happenings of a game: it begins; a player does something that the rules allow; a player passes; what is on top of
the stack resolves; a trigger goes off, and is dealt with; a step ends and another begins. `turn` and `acts` draft them;
here they are put together, with the variables and the memory that they need.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from turnproof.language import syntax as s
from turnproof.rulebook.elaborate import PREVIOUS, Count, History, waiting
from turnproof.rulebook.model import NOBODY, NOTHING, SETUP, Field, Rulebook
from turnproof.system import expr as x
from turnproof.system.acts import Acts
from turnproof.system.common import CAUSE, Draft, Sketch
from turnproof.system.system import Block, Clash, Command, Play, Selector, System, Update, Variable
from turnproof.system.turn import ROUND_TURN, Turn
from turnproof.system.writes import clashes, combine, flowing


def build(book: Rulebook, history: History | None = None, supposed: tuple[s.Effects, ...] = ()) -> System:
    """The transition system of a rulebook.

    `history` holds what claims want remembered besides the rules, `supposed` what cards are taken to do.
    """
    return Build(book, history or History(), supposed).system()


class Build(Turn, Acts):
    """All of a system."""

    def system(self) -> System:
        """Commands first: they find out what must be remembered, which the variables and the last blocks then do."""
        sketches = [*self.begin(), *self.plays(), *self.passes(), *self.resolutions(), *self.triggers(), *self.leaves()]
        if self.supposed:
            sketches += self.card_effects()
        commands = [self.remember(sketch) for sketch in sketches]
        assert not self.el.problems, self.el.problems
        return System(
            name=self.book.name,
            variables=narrowed(tuple(self.variables()), commands),
            selectors=self.selectors(),
            tags=self.book.rules,
            commands=tuple(commands),
            clashes=tuple(self.clashes),
            since=tuple(self.history.since.items()),
            was=tuple(self.history.was.items()),
            over=self.over,
        )

    def still(self) -> System:
        """The variables and readings without what happens, for what is asked of one state."""
        assert not self.el.problems, self.el.problems
        return System(
            name=self.book.name,
            variables=tuple(self.variables()),
            selectors=self.selectors(),
            tags=self.book.rules,
            commands=(),
            since=tuple(self.history.since.items()),
            was=tuple(self.history.was.items()),
            over=self.over,
        )

    def selectors(self) -> tuple[Selector, ...]:
        return tuple(Selector(d.name, d.options, d.default, d.question) for d in self.book.selectors.values())

    def variables(self) -> Iterator[Variable]:
        players = x.Enum(self.book.players)
        yield Variable("step", x.Enum((SETUP, *(leaf.name for leaf in self.book.leaves))), SETUP, "step")
        yield Variable("active", players, self.book.players[0], "the player whose turn it is")
        yield Variable("turn", x.Int(0), 0, "turn")
        for player in self.book.players:
            yield Variable(f"{player}.turns", x.Int(0), 0, "turns taken")
        if self.book.round_turns is not None:
            yield Variable("round", x.Int(0), 0, "round")
            yield Variable(ROUND_TURN, x.Int(0, self.book.round_turns), 0, ROUND_TURN)
        for name, got in self.book.game_fields.items():
            yield self.variable(f"game.{name}", got)
        for number, player in enumerate(self.book.players):
            for name, got in self.book.player_fields.items():
                yield self.variable(f"{player}.{name}", got, number)
        for kind in self.book.kinds:
            for piece in self.el.pieces(kind):
                yield Variable(f"{piece.key}.in_play", x.Bool(), kind.in_play, "in play")
                for name, got in kind.fields.items():
                    yield self.variable(f"{piece.key}.{name}", got, self.book.players.index(piece.owner))
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
        if self.supposed:
            causes = tuple(p.name for p in self.book.plays.values() if p.leaf and p.decl.sort != "effect")
            yield Variable(CAUSE, x.Enum((NOTHING, *causes)), NOTHING, "what has just been played")
        for name in (*self.history.counts, *self.history.flows):
            yield Variable(name, x.Int(0), 0, name)
        for name in (*self.history.since, *self.history.was, *self.history.owed):
            yield Variable(name, x.Bool(), False, name)
        for name in self.marks:
            yield Variable(name, x.Bool(), False, name)

    @property
    def stacked(self) -> tuple[str, ...]:
        return tuple(play.name for play in self.book.plays.values() if play.leaf and play.stacked)

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
        counted += [Update(name, x.FALSE) for name in sorted(forgotten)]
        counted += [Update(name, x.const(0)) for name, flow in self.history.flows.items() if flow.piece in fresh]
        if self.supposed and play.kind != "effect":
            done = play.kind == "resolve" or (play.kind in ("play", "put") and not self.book.plays[play.name].stacked)
            counted.append(Update(CAUSE, x.const(play.name if done else NOTHING)))
        blocks: list[Block] = []
        for draft in sketch.drafts:
            updates = [*combine(draft.writes), *self.resets(draft), *self.flows(draft, fresh), *counted]
            # What is new comes with the first block; what flows into it afterwards counts.
            fresh = set()
            found = clashes(draft.writes)
            reached = draft.reached
            counted = []
            if blocks and self.over != x.FALSE:
                # A later block of a happening comes to nothing if somebody has lost or won by then.
                goes_on = x.negate(self.over)
                updates = [Update(u.variable, x.ite(self.over, x.Var(u.variable), u.value), u.rules) for u in updates]
                reached = tuple((moment, x.both(cond, goes_on)) for moment, cond in reached)
                found = [(name, rules, x.both(cond, goes_on)) for name, rules, cond in found]
            if updates or draft.when != x.TRUE or reached or found:
                self.clashes += [Clash(sketch.name, len(blocks), *clash) for clash in found]
                blocks.append(Block(draft.when, tuple(updates), reached, draft.label))
                blocks += self.kept_up({u.variable for u in updates}, begins="since" in draft.reset)
        return Command(sketch.name, play, sketch.params, tuple(blocks), sketch.permits)

    def kept_up(self, changed: set[str], begins: bool) -> Iterator[Block]:
        """After some changes: what has held since the turn began may do so no more, and what is owed be met.

        If the turn `begins`, nothing is owed from the one before.
        """
        ended = tuple(
            Update(name, x.both(x.Var(name), cond))
            for name, cond in self.history.since.items()
            if x.variables([cond]) & changed and name not in changed
        )
        if ended:
            yield Block(updates=ended)
        changed = changed | {update.variable for update in ended}
        owed = tuple(
            Update(name, self.still_owed(name, begins))
            for name, (premise, met) in self.history.owed.items()
            if begins or x.variables([premise, met]) & changed
        )
        if owed:
            yield Block(updates=owed)

    def still_owed(self, name: str, begins: bool) -> x.Expr:
        """Whether something is owed, by what is so now and, unless the turn begins, by what was owed before."""
        premise, met = self.history.owed[name]
        before = x.FALSE if begins else x.Var(name)
        value = x.both(x.either(before, premise), x.negate(met))
        return x.ite(self.over, x.Var(name), value) if begins else value

    def flows(self, draft: Draft, fresh: set[str]) -> Iterator[Update]:
        """How much what happens in a block adds to quantities, or takes from them, by what does it."""
        for name, flow in self.history.flows.items():
            if flow.period in draft.reset or flow.piece in fresh or (flow.period == "round" and "turn" in draft.reset):
                continue
            causes = {other for source in flow.sources for other in (source, *self.sorts_called(source))}
            more = flowing(draft.writes, flow.quantity, flow.direction, causes)
            if more != x.const(0):
                yield Update(name, x.add(x.Var(name), more))

    def sorts_called(self, name: str) -> tuple[str, ...]:
        return tuple(play.name for play in self.book.sorts(name)) if name in self.book.plays else ()

    def resets(self, draft: Draft) -> Iterator[Update]:
        """What starts anew with the periods that begin here."""
        for name, count in self.history.counts.items():
            if count.period == "round" and "turn" in draft.reset:
                yield Update(name, self.unless_new_round(name))
            elif count.period in draft.reset:
                yield Update(name, x.const(0))
            elif count.period == PREVIOUS and "turn" in draft.reset:
                yield Update(name, x.Var(replace(count, period="turn").variable))
        for name, flow in self.history.flows.items():
            if flow.period == "round" and "turn" in draft.reset:
                yield Update(name, self.unless_new_round(name))
            elif flow.period in draft.reset:
                yield Update(name, x.const(0))
        if "since" in draft.reset:
            for name, cond in (*self.history.since.items(), *self.history.was.items()):
                yield Update(name, cond)

    def unless_new_round(self, name: str) -> x.Expr:
        """A count of a round, as a turn begins: anew, if a round begins with it."""
        return x.ite(self.round_begins, x.const(0), x.Var(name))

    def arrives(self, play: Play, piece: str) -> bool:
        params = {param.preposition: param for param in self.book.plays[play.name].pieces}
        return any(key == piece and params[preposition].whose == "new" for preposition, key in play.pieces)

    def counts(self, count: Count, play: Play) -> bool:
        """Whether a command adds to a count: a stacked play when it is played, its new piece when it resolves."""
        if (
            count.period == PREVIOUS
            or play.kind not in ("play", "put", "resolve", "effect")
            or count.play not in self.book.plays[play.name].ancestors
        ):
            return False
        if count.piece is not None:
            return (count.preposition, count.piece) in play.pieces
        return play.kind != "resolve" and count.by in (None, play.player)

    def variable(self, name: str, got: Field, player: int = 0) -> Variable:
        return Variable(name, self.el.sort(got.type), got.first_of(player), got.name)


def narrowed(variables: tuple[Variable, ...], commands: list[Command]) -> tuple[Variable, ...]:
    """The variables with what refers to pieces kept to those that it ever refers to, by what is written into it.

    Whatever the conditions: what is found holds under all readings, and with any rules removed.
    """
    can: dict[str, set[x.Value]] = {
        v.name: {v.initial} for v in variables
        if isinstance(v.sort, x.Enum) and v.sort.values[0] == NOTHING and v.initial is not None
    }  # fmt: skip
    writes = [
        (update.variable, leaf, dict(command.params))
        for command in commands for block in command.blocks for update in block.updates
        if update.variable in can for leaf in x.leaves(update.value)
    ]  # fmt: skip
    sorts = {v.name: v.sort for v in variables}
    grown = True
    while grown:
        grown = False
        for name, leaf, params in writes:
            match leaf:
                case x.Const(value):
                    more: set[x.Value] = {value}
                case x.Var(other) if other in can:
                    more = can[other]
                case x.Var(other) | x.Param(other):
                    sort = sorts[other] if isinstance(leaf, x.Var) else params[other]
                    assert isinstance(sort, x.Enum)
                    more = set(sort.values)
                case _:
                    more = set()
            grown = grown or not more <= can[name]
            can[name] |= more
    return tuple(
        replace(v, sort=x.Enum(tuple(value for value in v.sort.values if value in can[v.name])))
        if v.name in can and isinstance(v.sort, x.Enum) else v
        for v in variables
    )  # fmt: skip
