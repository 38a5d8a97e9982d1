"""How a turn goes: the game begins, steps end and begin, turns pass.

What happens at the end of a step, the move, and what happens at the start of the next are one happening, so that
nothing slips in between.
"""

from __future__ import annotations

from collections.abc import Iterator

from turnproof.language import syntax as s
from turnproof.phases.edges import Edge, all_edges, entries
from turnproof.rulebook.elaborate import Scope
from turnproof.rulebook.model import NOBODY, SETUP
from turnproof.rulebook.permissions import present
from turnproof.rulebook.precedence import effective
from turnproof.system import expr as x
from turnproof.system.common import Common, Deed, Draft, Sketch
from turnproof.system.system import Moment, Play
from turnproof.system.writes import Write

TURN_ENDS = Moment("turn_ends", "turn")
# How many turns of the present round have begun.
ROUND_TURN = "turns of the round"


class Turn(Common):
    """The happenings by which a turn goes on."""

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

    def move(self, edge: Edge, guard: x.Expr) -> list[Draft]:
        """The end of one step, the way to the next, and its start."""
        old = () if edge.source == SETUP else self.book.lineage(edge.source)
        left = () if edge.source == SETUP else self.left(edge)
        stays = tuple(name for name in old if name not in left)
        blocks = [Draft(guard)]
        for name in left:
            blocks += self.happenings("end", name)
            blocks += self.procedures("end", name)
            blocks.append(Draft(reached=((Moment("after_step", name), x.TRUE),)))
        blocks.append(Draft(self.way(edge)))
        entered = self.book.lineage(edge.target)
        # A phase that the way leaves or enters is not passed over; a step that comes again may be.
        begun = {*entered, *old} - ({edge.source} - set(entered))
        blocks += [Draft(self.may_skip(leaf, begun)) for leaf in edge.passed]
        if edge.ends_turn:
            blocks.append(Draft(reached=((TURN_ENDS, x.negate(x.eq(x.Var("step"), x.const(SETUP)))),)))
            blocks += self.new_turn()
        blocks += [Draft(self.may_skip(leaf, set(entered))) for leaf in edge.passed_after]
        blocks.append(self.enter(edge, stays))
        for name in reversed([name for name in entered if name not in stays]):
            blocks += self.happenings("start", name)
            blocks += self.procedures("start", name)
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
        return Draft(x.negate(self.must_skip(edge.target, set(stays))), tuple(updates), reset=frozenset(periods))

    def goes_round_in(self, leaf: str) -> x.Expr:
        return x.any_of(
            present(clause) for clause in self.book.of(s.Priority)
            if isinstance(clause.body, s.Priority) and self.covers(clause.body.steps, leaf)
        )  # fmt: skip

    def new_turn(self) -> list[Draft]:
        """The turn passes; then everything that the turn's beginning fixes is fixed."""
        active = x.Var("active")
        names = self.book.players
        next_player = self.el.per_player(active, self.after)
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
        if self.book.round_turns is not None:
            count += [
                Write("round", "add", x.const(1), self.round_begins),
                Write(ROUND_TURN, "set", x.ite(self.round_begins, x.const(1), x.add(x.Var(ROUND_TURN), x.const(1)))),
            ]
        ended = frozenset({"turn", "phase", "step"})
        return [
            Draft(writes=tuple(passing)),
            Draft(writes=tuple(count), reset=ended),
            Draft(reset=frozenset({"since"})),
        ]

    @property
    def round_begins(self) -> x.Expr:
        """That, as a turn begins, a round begins with it."""
        full = x.eq(x.Var(ROUND_TURN), x.const(self.book.round_turns or 0))
        return x.either(full, x.eq(x.Var(ROUND_TURN), x.const(0)))

    def after(self, player: str) -> x.Expr:
        """The player whose turn comes after somebody's: the first who is not passed over; the next one, if all are."""
        names = self.book.players
        at = names.index(player)
        order = [*names[at + 1 :], *names[: at + 1]]
        found: x.Expr = x.const(order[0])
        for name in reversed(order):
            over = x.any_of(
                x.both(present(clause), self.el.truth(clause.body.cond, self.player_scope(name)))
                for clause in self.book.of(s.PassedOver) if isinstance(clause.body, s.PassedOver)
            )  # fmt: skip
            found = x.ite(over, found, x.const(name))
        return found

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
        return self.stages(found, (moment, name))

    def procedures(self, moment: str, step: str) -> list[Draft]:
        """The procedures at the start or the end of a step, stage by stage, between marks of their own."""
        blocks: list[Draft] = []
        for procedure in self.book.procedures:
            if (procedure.moment, procedure.step) == (moment, step):
                blocks.append(Draft(reached=((Moment("begins", procedure.name), x.TRUE),)))
                blocks += self.in_order(procedure.items, self.el.base)
                blocks.append(Draft(reached=((Moment("done", procedure.name), x.TRUE),)))
        return blocks

    def in_order(self, items: tuple[s.ProcedureItem, ...], scope: Scope) -> list[Draft]:
        """Stages one after the other; those inside ranks once for each rank."""
        blocks: list[Draft] = []
        for item in items:
            match item:
                case s.Stage(name, _):
                    blocks += self.stage(name, scope)
                case s.Ranks(variable, _, first, inside):
                    typ = next(typ for word, typ in self.ranks_of(inside) if word == variable)
                    for value in typ.values if first == "highest" else reversed(typ.values):
                        blocks += self.in_order(inside, scope.with_(variable, (x.const(value), typ)))
        return blocks

    def ranks_of(self, items: tuple[s.ProcedureItem, ...]) -> tuple[tuple[str, s.EnumT], ...]:
        """What the loops around some stages go through."""
        first = items[0]
        return self.book.stages[first.name].ranks if isinstance(first, s.Stage) else self.ranks_of(first.items)

    def stage(self, name: str, scope: Scope) -> list[Draft]:
        """What rules have happen at a stage, and what must then be true of what was chosen."""
        deeds = [
            Deed(clause, clause.body.stages, clause.body.cond, scope)
            for clause in self.book.of(s.Happening)
            if isinstance(clause.body, s.Happening) and clause.body.moment == "at" and name in clause.body.steps
        ]
        must = x.all_of(
            x.implies(x.both(present(clause), self.el.truth(clause.body.cond, scope)),
                      self.el.truth(clause.body.need, scope))
            for clause in self.book.of(s.Needs) if isinstance(clause.body, s.Needs) and clause.body.stage == name
        )  # fmt: skip
        ranks = [scope.names[word] for word, _ in self.book.stages[name].ranks]
        values = [str(bound[0].value) for bound in ranks if isinstance(bound, tuple) and isinstance(bound[0], x.Const)]
        return [*self.stages(deeds, ("stage", name, *values)), Draft(self.unless_over(must))]
