"""What the parts of a system's making share: drafts of happenings, and the conditions of the whole game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from turnproof.language import syntax as s
from turnproof.rulebook.elaborate import PLAYER, Elaborator, History, Scope, in_step
from turnproof.rulebook.model import Clause, Rulebook
from turnproof.rulebook.permissions import present
from turnproof.rulebook.precedence import effective
from turnproof.system import expr as x
from turnproof.system.system import Clash, Moment, Play
from turnproof.system.writes import Taken, Write, demanded, writes

# The play that has just been made or has just resolved, and can have effects.
CAUSE = "cause"


@dataclass(frozen=True, slots=True)
class Draft:
    """A block in the making: what is written in it, and the periods (`reset`) that begin with it; see `Block.label`."""

    when: x.Expr = x.TRUE
    writes: tuple[Write, ...] = ()
    reached: tuple[tuple[Moment, x.Expr], ...] = ()
    reset: frozenset[str] = frozenset()
    label: tuple[str, ...] = ()


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


class Common:
    """One rulebook in the making; `marks` and `clashes` grow as happenings are drafted.

    `supposed` is what cards are taken to do, beside the rules.
    """

    def __init__(self, book: Rulebook, history: History, supposed: tuple[s.Effects, ...] = ()) -> None:
        self.book = book
        self.supposed = supposed
        self.el = Elaborator(book, history)
        self.history = history
        self.has_priority = any(True for _ in book.of(s.Priority))
        self.has_stack = any(play.stacked for play in book.plays.values())
        self.marks: dict[str, x.Expr] = {}
        self.clashes: list[Clash] = []

    @cached_property
    def over(self) -> x.Expr:
        """That somebody has lost or won, once the game has begun."""
        began = in_step(self.book, ())
        return x.any_of(
            x.both(began, present(clause), self.el.truth(clause.body.cond, self.player_scope(player)))
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

    def enum_player(self, player: x.Expr) -> x.Expr:
        """A player as a value of the variable `priority`, which also knows nobody."""
        return self.el.per_player(player, x.const)

    def covers(self, steps: Iterable[str], leaf: str) -> bool:
        return any(leaf in self.book.leaves_of(name) for name in steps)

    def stages(self, found: list[Deed], label: tuple[str, ...] = ()) -> list[Draft]:
        """What several rules do at one moment: their first stages together, then their second ones, and so on."""
        conds = effective(
            [(deed.clause.rule, x.both(present(deed.clause), self.el.truth(deed.cond, deed.scope))) for deed in found],
            self.book.overrides,
        )
        last: dict[str, int] = {}
        for deed in found:
            last[deed.clause.rule] = max(last.get(deed.clause.rule, 0), len(deed.stages))
        blocks = []
        for number in range(max(last.values(), default=0)):
            made: list[Write] = []
            reached: list[tuple[Moment, x.Expr]] = []
            taken: Taken = {}
            for deed, cond in zip(found, conds, strict=True):
                rule = deed.clause.rule
                applies = cond
                if last[rule] > 1 and x.variables([cond]):
                    own = [clause for clause in self.book.clauses if clause.rule == rule]
                    mark = f"[{rule}] applies {own.index(deed.clause) + 1}"
                    self.marks[mark] = cond
                    applies = cond if number == 0 else x.Var(mark)
                    if number == 0:
                        made.append(Write(mark, "set", cond))
                if number < len(deed.stages):
                    made += writes(self.el, deed.stages[number], deed.scope, applies, rule, taken)
                if number == last[rule] - 1:
                    reached.append((Moment("after_rule", rule), applies))
            blocks.append(Draft(self.unless_over(demanded(made)), tuple(made), tuple(reached), label=label))
        return blocks

    def unless_over(self, must: x.Expr) -> x.Expr:
        """What must be true of choices: nothing any more when the game is over."""
        return must if must == x.TRUE else x.either(self.over, must)

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
        """The sort of the next player, of a part of what is divided, or of what a new piece brings along."""
        if param == "next_player":
            return x.Enum(self.book.players)
        if param in self.el.choices:
            return self.el.choices[param]
        words = param.removeprefix("new ")
        for item in self.book.plays[play.name].pieces:
            kind = self.book.kind(item.kind)
            if item.whose == "new" and kind is not None and words in kind.fields:
                return self.el.sort(kind.fields[words].type)
        raise AssertionError(f"no sort for {param}")


def _expressions(blocks: Iterable[Draft]) -> Iterator[x.Expr]:
    for block in blocks:
        yield block.when
        yield from (part for write in block.writes for part in (write.value, write.cond))
        yield from (cond for _, cond in block.reached)
