"""The way of a question that asks what comes of something: from the state that it describes along its events.

What is asked about is a step (what happens by itself from its start to its end), a procedure, or a play.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

from turnproof.answers.ground import Ground, Reached, choose, unfold
from turnproof.answers.scene import Cast, Stage
from turnproof.diagnostics import suggestion
from turnproof.language import syntax as s
from turnproof.rulebook.model import NOBODY, PlayKind
from turnproof.solve.layers import known
from turnproof.solve.smt import conj, quoted, sort_text
from turnproof.system import expr as x
from turnproof.system.system import Block, Clash, Command


@dataclass(frozen=True, slots=True)
class Part:
    """A run of a command's blocks; `measured`, if it is what the question asks about."""

    command: Command
    blocks: tuple[Block, ...]
    measured: bool
    player: str = ""
    first: int = 0


@dataclass(frozen=True, slots=True)
class Way:
    """The step in which a question begins, the parts it goes through, and the step that may be passed over instead."""

    step: str
    parts: tuple[Part, ...]
    passed_over: str = ""

    @property
    def in_one_turn(self) -> bool:
        """Whether whoever is active as it begins is so all the way."""
        return all(u.variable != "active" for part in self.parts for block in part.blocks for u in block.updates)


@dataclass(frozen=True, slots=True)
class Gone:
    """A way in a script: what must be so to go it, the states before and after what is asked about, and which rules
    change one quantity differently at once on it, each pair with when they do.
    """

    guards: list[str]
    before: dict[str, str]
    after: dict[str, str]
    clashes: list[tuple[tuple[str, str], str]]


class NoWay(Exception):
    """There is no such way; says why."""


@dataclass
class Guide:
    """Finds ways in a system for the casts of one question; `led` gives what it comes to that a player is active."""

    stage: Stage
    ground: Ground
    reads: x.Reads
    led: Callable[[str], Callable[[x.Expr], x.Expr]]

    def way(self, moment: s.PlayRef | None, cast: Cast) -> Way:
        """The way to what is asked about."""
        book = self.stage.book
        events = [self.event(event.play, cast) for event in self.stage.events]
        if moment is not None and moment.play in book.plays:
            events.append(self.event(moment, cast))
        here = ""
        parts: list[Part] = []
        procedure = next((one for one in book.procedures if moment is not None and one.name == moment.play), None)
        step = moment.play if moment is not None and moment.play in book.steps else ""
        leaves = book.leaves_of(step) if step else ()
        if len(leaves) > 1:
            self.straight(step, leaves)
        passed_over = ""
        if step and not events:
            here = leaves[0]
            passed_over = here
            parts.append(self.entering(leaves[0]))
        for number, command in enumerate(events):
            at = self.place_of(command, here, leaves)
            if not here:
                here = at
                if step and at in leaves:
                    parts.append(self.entering(leaves[0]))
                    here = leaves[0]
            parts += self.moves(here, at, leaves)
            here = at
            asked = moment is not None and moment.play in book.plays and number == len(events) - 1
            parts.append(
                Part(command, command.blocks, asked or (bool(step) and here in leaves), command.play.player or "")
            )
        start = parts[0].command.play.name if parts and parts[0].command.play.kind == "leave" else ""
        if procedure is not None:
            last = procedure.step
            if here:
                parts += self.moves(here, last, ())
                parts.append(self.procedure(procedure, whole=True))
            else:
                here = last
                parts.append(self.procedure(procedure, whole=False))
            start = start or last
        if step:
            parts += self.moves(here, leaves[-1], leaves)
            parts.append(self.leaving(leaves[-1], step))
        first = leaves[0] if step and (not events or self.place_of(events[0], "", leaves) in leaves) else ""
        begin = first or (self.place_of(events[0], "", leaves) if events else start)
        if len(parts) == 1 and parts[0].command.play.kind in ("play", "put"):
            # One play alone may be made wherever the rules let it be.
            begin = ""
        return Way(begin, tuple(parts), passed_over)

    def straight(self, phase: str, leaves: tuple[str, ...]) -> None:
        """Raises NoWay for a phase whose steps do not simply follow each other."""
        book = self.stage.book
        for clause in book.of(s.Skip, s.Next, s.AtOnce):
            body = clause.body
            steps = (body.step,) if isinstance(body, s.Next) else getattr(body, "steps", ())
            inside = [name for name in steps if name in book.steps and set(book.leaves_of(name)) < set(leaves)]
            if inside and not (isinstance(body, s.Skip) and body.mode == "never"):
                raise NoWay(
                    f"the steps of {phase} do not always follow each other ([{clause.rule}]); ask about one of them"
                )

    # -- parts

    def commands(self, kind: str) -> list[Command]:
        return [command for command in self.ground.system.commands if command.play.kind == kind]

    def event(self, ref: s.PlayRef, cast: Cast) -> Command:
        """The command by which a player does something with the pieces that the question names."""
        book = self.stage.book
        if ref.play not in book.plays:
            hint = suggestion(ref.play, [*book.plays, *book.steps, *(one.name for one in book.procedures)])
            self.stage.problem("TP030", f"no play, step or procedure is called `{ref.play}`", ref.span, hint)
            raise NoWay
        bound = {p: cast.scope.names[name].key for p, name in ref.pieces}  # type: ignore[union-attr]  # pieces are cast
        doer = self.stage.doer(ref, cast.active)
        found = []
        for command in self.ground.system.commands:
            play = command.play
            if play.kind not in ("play", "put") or ref.play not in book.plays[play.name].ancestors:
                continue
            pieces = dict(play.pieces)
            if all(pieces.get(p) == key for p, key in bound.items()) and play.player == self.doer(
                book.plays[play.name], bound, doer
            ):
                found.append(command)
        found = [c for c in found if len(c.play.pieces) == len(bound)] or found
        if not found:
            self.stage.problem("TP043", f"`{ref.play}` cannot be done with these pieces", ref.span)
            raise NoWay
        if book.plays[found[0].play.name].stacked:
            self.stage.problem("TP090", "a question on what comes of a play on the stack", ref.span)
            raise NoWay
        return found[0]

    def doer(self, play: PlayKind, bound: Mapping[str, str], otherwise: str) -> str:
        """Who makes a play: whose piece it is made with, if it is made with an own one."""
        for param in play.pieces:
            if param.whose in ("own", "new") and param.preposition in bound:
                return bound[param.preposition].partition(".")[0]
        return otherwise

    def place_of(self, command: Command, here: str, wanted: tuple[str, ...]) -> str:
        """The first step, from `here` on, in which rules allow a play; if it is done in what is asked about, that."""
        book = self.stage.book
        order = [leaf.name for leaf in book.leaves]
        after = order[order.index(here) :] if here else order
        allowing = [
            leaf for leaf in after
            if any(known(holds, "step", frozenset({leaf})) != x.FALSE for _, holds in command.permits)
        ] or after  # fmt: skip
        return next((leaf for leaf in allowing if leaf in wanted), allowing[0])

    def moves(self, here: str, to: str, measured: tuple[str, ...]) -> list[Part]:
        """The moves from one step to a later one, step by step; what happens in some steps is measured."""
        order = [leaf.name for leaf in self.stage.book.leaves]
        parts = []
        while here != to:
            after = order[(order.index(here) + 1) % len(order)]
            command = self.move(here, after)
            if command is None or order.index(after) <= order.index(here):
                raise NoWay(f"there is no plain way from {here} to {to}")
            at = self.entered(command) + 1 if after in measured and here not in measured else 0
            parts += [Part(command, command.blocks[:at], False)] if at else []
            parts.append(Part(command, command.blocks[at:], after in measured, first=at))
            here = after
        return parts

    def move(self, here: str, to: str) -> Command | None:
        found = [c for c in self.commands("leave") if c.play.name == here and c.play.target == to and not c.play.passed]
        return found[0] if found else None

    def entering(self, leaf: str) -> Part:
        """What happens as a step begins, once it has been entered."""
        commands = [c for c in self.commands("leave") if c.play.target == leaf and c.play.name != leaf]
        commands = [c for c in commands if not c.play.passed] or commands
        if not commands:
            return Part(self.commands("begin")[0], (), True)
        at = self.entered(commands[0]) + 1
        return Part(commands[0], commands[0].blocks[at:], True, first=at)

    def entered(self, command: Command) -> int:
        """The block with which the next step is entered."""
        return next(
            at for at, block in enumerate(command.blocks)
            if any(update.variable == "step" for update in block.updates)
        )  # fmt: skip

    def leaving(self, leaf: str, step: str) -> Part:
        """What happens as a step or phase ends, up to its end."""
        commands = [c for c in self.commands("leave") if c.play.name == leaf]
        commands.sort(key=lambda c: (c.play.target == leaf, bool(c.play.passed)))
        for command in commands:
            for at, block in enumerate(command.blocks):
                if any(moment.kind == "after_step" and moment.name == step for moment, _ in block.reached):
                    return Part(command, command.blocks[: at + 1], True)
        raise NoWay(f"{step} does not end by itself")

    def procedure(self, procedure: s.ProcedureDecl, whole: bool) -> Part:
        """A procedure in the command of which it is part; with `whole`, from that command's beginning."""
        for command in self.ground.system.commands:
            marks = {
                moment.kind: at for at, block in enumerate(command.blocks)
                for moment, _ in block.reached if moment.name == procedure.name and moment.kind in ("begins", "done")
            }  # fmt: skip
            if marks:
                first = 0 if whole else marks["begins"] + 1
                return Part(command, command.blocks[first : marks["done"] + 1], True, first=first)
        raise NoWay(f"{procedure.name} takes place nowhere")

    # -- going it

    def go(self, way: Way, label: str, known: Mapping[str, x.Const], followed: Sequence[Sequence[Set[str]]]) -> Gone:
        """What must be so to go the way, and the symbols of the states before and after what is asked about.

        `known` are values that quantities have as it begins. What is not `followed` has no symbols in these states.
        """
        now = Reached(self.ground.state, known)
        before: Mapping[str, str] | None = None
        guards: list[str] = []
        clashes: list[tuple[tuple[str, str], str]] = []
        for number, part in enumerate(way.parts):
            if part.measured and before is None:
                before = now.symbols
            name = f"{label} {number}"
            over = x.where(now.known)(self.ground.system.over) if number else x.FALSE
            start = self.ready(part, now)
            needed, after, clashed = self.through(part, start, name, followed[number])
            clashes += clashed
            if over != x.FALSE:
                # When somebody has lost or won, nothing more happens.
                text = self.ground.script.expr(over, now.symbols, {})
                needed = [f"(or {text} {conj(needed)})"]
                after = self.unless(text, start, after, name)
            now = after
            guards.append(conj(needed))
        return Gone(guards, dict(before or self.ground.state), dict(now.symbols), clashes)

    def followed(self, way: Way, asked: Set[str], active: str) -> list[list[Set[str]]]:
        """What may be looked at after each block of each part, where a player is active as the way begins and some
        quantities are looked at in the end.

        Nothing else makes a difference to these quantities, or to whether the way can be gone.
        """
        simple = self.led(active) if way.in_one_turn else None
        wanted = self.reads.bits(asked)
        found: list[list[Set[str]]] = []
        for part in reversed(way.parts):
            wanted |= self.reads.of(self.ground.system.over)
            after: list[Set[str]] = []
            for number, block in reversed(list(enumerate(part.blocks))):
                after.append(self.reads.names(wanted))
                here = [update.value for update in block.updates if update.variable in after[-1]]
                here += [block.when, *(clash.cond for clash in self.clashes(part, number))]
                for expr in here:
                    wanted |= self.reads.of(expr if simple is None else simple(expr))
            found.append(after[::-1])
        return found[::-1]

    def clashes(self, part: Part, number: int) -> tuple[Clash, ...]:
        """The clashes in a block of a part."""
        return self.ground.system.clashes_in(part.command.name, part.first + number)

    def through(
        self, part: Part, start: Reached, label: str, followed: Sequence[Set[str]]
    ) -> tuple[list[str], Reached, list[tuple[tuple[str, str], str]]]:
        """What must be so for a part to happen, the state after, and which rules clash on it, each pair with when."""
        params = choose(self.ground, part.command.params, part.command.name, label)
        now, guards = start, []
        clashing: list[tuple[tuple[str, str], str]] = []
        for number, block in enumerate(part.blocks):
            found = self.clashes(part, number)
            conds = [clash.cond for clash in found]
            active = now.known.get("active")
            first = None if active is None else self.led(str(active.value))
            here = f"{label} {number}"
            needed, now, when = unfold(self.ground, block, now, params, here, conds, followed[number], first)
            guards.append(needed)
            clashing += [(clash.rules, so) for clash, so in zip(found, when, strict=True) if so != "false"]
        return guards, now, clashing

    def unless(self, over: str, now: Reached, after: Reached, label: str) -> Reached:
        """The state after, but the one before where something is so."""
        found = dict(after.symbols)
        for name, symbol in after.symbols.items():
            if symbol != now.symbols[name]:
                found[name] = quoted(f"{label} then {name}")
                sort = sort_text(self.ground.system.sorts[name])
                text = f"(ite {over} {now.symbols[name]} {symbol})"
                self.ground.script.add(f"(define-fun {found[name]} () {sort} {text})")
        same = {name: value for name, value in after.known.items() if now.known.get(name) == value}
        return Reached(found, same)

    def ready(self, part: Part, now: Reached) -> Reached:
        """The state where it is a player's turn to act, or all have passed, if players act in turn."""
        if "priority" not in self.ground.state:
            return now
        codes = self.ground.script.codes
        holder = part.player or NOBODY
        passes = 0 if part.player else len(self.stage.book.players)
        symbols = {**now.symbols, "priority": str(codes.of(holder)), "passes": str(passes)}
        return Reached(symbols, {**now.known, "priority": x.const(holder), "passes": x.const(passes)})
