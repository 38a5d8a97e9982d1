"""The turn as a flow diagram: phases with their steps, what happens by itself, who may act, skips and loops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from turnproof.draw.markup import LARGE, SMALL, Cell, Span, Table, label, shortened, wrapped
from turnproof.draw.palette import ASIDE, AUTOMATIC, GONE, GOOD, INK, LINE, PHASE, PLAIN, PLAYER, Tone
from turnproof.draw.picture import Picture, canvas
from turnproof.language import printer
from turnproof.language import syntax as s
from turnproof.phases.edges import Edge, edges
from turnproof.rulebook.model import Clause, Rulebook, Step, stages_of, title, title_of
from turnproof.rulebook.usual import usual, usually
from turnproof.words import word

if TYPE_CHECKING:
    import graphviz

WIDE, TEXT, LONGEST = 60, 84, 150
MOST_HAPPENINGS = 4
ACTIVE_MARK, OTHER_MARK = "●", "○"


def anchor(rule: str) -> str:
    """Where a rule stands in a report."""
    return f"#rule-{rule}"


def difference(one: Rulebook, two: Rulebook, language: str = "") -> Picture:
    """The flow of the second rulebook's turn, with what it adds to that of the first, drops and moves."""
    language = language or two.language
    return _Difference(two, language, True, one).picture()


def flow(book: Rulebook, language: str = "", compact: bool = False) -> Picture:
    """The flow of a rulebook's turn, with readings as usual; `compact` leaves out what happens in the steps."""
    language = language or book.language
    return Flow(book, language, compact).picture()


@dataclass(frozen=True, slots=True)
class Flow:
    """A flow diagram in the making."""

    book: Rulebook
    language: str
    compact: bool

    def picture(self) -> Picture:
        made = canvas("flow", self.language, rankdir="TB", nodesep="0.3", ranksep="0.1", compound="true")
        name = title(self.book.titles, self.book.name, self.language)
        made.attr(label=self.caption(name), labelloc="t", labeljust="l")
        for number, phase in enumerate(self.book.phases):
            leaves = [self.book.steps[leaf] for leaf in self.book.leaves_of(phase)]
            if [leaf.name for leaf in leaves] == [phase]:
                made.node(phase, label(self.box(leaves[0])), tooltip=" ")
                continue
            with made.subgraph(name=f"cluster_{number}") as cluster:
                cluster.attr(
                    label=self.called(self.book.steps[phase]), style="rounded,filled", fillcolor=PHASE.ground,
                    color=LINE, fontcolor=INK, tooltip=" ", labeljust="l", margin="5",
                )  # fmt: skip
                for leaf in leaves:
                    cluster.node(leaf.name, label(self.box(leaf)), tooltip=" ")
        self.arrows(made)
        return Picture(f"{name}: {word('The turn', self.language)}", self.described(), str(made.source), self.mermaid(),
                       self.language)  # fmt: skip

    def arrows(self, made: graphviz.Digraph) -> None:
        """The ways between the steps; their conditions stand in the boxes, where no line crosses them."""
        order = [leaf.name for leaf in self.book.leaves]
        drawn = self.ways()
        for edge in drawn:
            tip = ", ".join(dict.fromkeys(clause.rule for clause, _ in self.reasons(edge)))
            tip = tip or f"{self.called(self.book.steps[edge.source])} → {self.called(self.book.steps[edge.target])}"
            if edge.kind == "next":
                made.edge(edge.source, edge.target, tooltip=tip, weight="50", **self.head(edge))
                continue
            if order.index(edge.target) <= order.index(edge.source):
                # Laid out as the way down that it is against.
                made.edge(edge.target, edge.source, tooltip=tip, style="dashed", dir="back", weight="0")
            else:
                made.edge(
                    edge.source,
                    edge.target,
                    tooltip=tip,
                    style="dashed",
                    constraint="false",
                    tailport="e",
                    headport="e",
                )
        straight = {(edge.source, edge.target) for edge in drawn if edge.kind == "next"}
        for one, two in pairwise(order):
            if (one, two) not in straight:
                made.edge(one, two, style="invis", weight="50")
        again = word("next turn", self.language)
        made.node(
            "next turn", label(Table([[Cell([Span(f"⤴ {again}", SMALL)], padding=4)]], PLAIN, border=0)), tooltip=again
        )
        for leaf in order:
            if any(edge.source == leaf and edge.ends_turn and not edge.passed for edge in edges(self.book)):
                made.edge(leaf, "next turn", tooltip=again, weight="50" if leaf == order[-1] else "1")

    def head(self, edge: Edge) -> dict[str, str]:
        """An arrow into a phase of several steps ends at its frame, so that it does not cross the phase's name."""
        phase = self.book.phase(edge.target)
        if phase == self.book.phase(edge.source) or len(self.book.leaves_of(phase)) == 1:
            return {}
        return {"lhead": f"cluster_{self.book.phases.index(phase)}"}

    def called(self, step: Step) -> str:
        return title_of(step, self.language)

    # -- what stands in a step

    def box(self, step: Step) -> Table:
        """A step with who may act in it, what happens by itself, and how it is passed over or left."""
        active, other = self.may_act(step.name)
        marks = (ACTIVE_MARK if active else "") + (OTHER_MARK if other else "")
        tone = PLAYER if marks else PLAIN
        name = Cell([Span(wrapped(self.called(step), WIDE), colour=tone.text)], padding=2)
        rows: list[list[Cell]] = [[name, Cell([Span(marks, colour=tone.text)], align="right", padding=2)]]
        if not self.compact:
            rows += [[self.automatic(text, rules)] for text, rules in self.happens(step)]
        rows += [[self.aside(text, rules)] for text, rules in self.turnings(step)]
        return Table(rows, tone, border=1, rounded=True)

    def automatic(self, text: str, rules: Iterable[str]) -> Cell:
        """Something that happens by itself."""
        return _said(text, tuple(dict.fromkeys(rules)), AUTOMATIC)

    def aside(self, text: str, rules: Iterable[str]) -> Cell:
        """How a step is passed over, or where it leads instead."""
        return _said(text, tuple(dict.fromkeys(rules)), ASIDE)

    def may_act(self, leaf: str) -> tuple[bool, bool]:
        """Whether some rule allows the active player, and others, to do something in a step of their own accord."""
        lineage = set(self.book.lineage(leaf))
        active = other = False
        for clause, _ in usual(self.book, s.Permission):
            body = clause.body
            assert isinstance(body, s.Permission)
            if body.mode in ("may", "may only") and set(body.steps) & lineage:
                active |= body.who in ("active", "players", "")
                other |= body.who in ("opponent", "others", "players", "")
        return active, other

    def happens(self, step: Step) -> list[tuple[str, list[str]]]:
        """What happens by itself in a step, in words of the language of rulebooks, with the rules."""
        found: dict[str, list[str]] = {}
        for clause, cond in usual(self.book, s.Happening, s.AtOnce):
            body = clause.body
            if isinstance(body, s.AtOnce):
                if step.name in body.steps:
                    said = f"{word('ends at once', self.language)}{self.condition(cond)}"
                    found.setdefault(said, []).append(clause.rule)
            elif isinstance(body, s.Happening) and any(self.there(step, name, body.moment) for name in body.steps):
                stages = [", ".join(printer.effect(one) for one in stage) for stage in usually(self.book, body.stages)]
                if stages:
                    found.setdefault(" then ".join(stages) + self.condition(cond), []).append(clause.rule)
        for procedure in self.book.procedures:
            if self.there(step, procedure.step, procedure.moment):
                found[self.stages(procedure)] = self.rules_of(procedure)
        shown = list(found.items())
        if len(shown) <= MOST_HAPPENINGS:
            return shown
        rest = shown[MOST_HAPPENINGS - 1 :]
        return [*shown[: MOST_HAPPENINGS - 1], ("…", [rule for _, rules in rest for rule in rules])]

    def there(self, step: Step, name: str, moment: str) -> bool:
        """Whether what happens at the start or end of a step or phase happens in this step."""
        leaves = self.book.leaves_of(name) if name in self.book.steps else ()
        return bool(leaves) and {"start": leaves[0], "end": leaves[-1]}.get(moment) == step.name

    def condition(self, cond: s.Exp | None) -> str:
        return f" {word('if', self.language)} {printer.exp(cond)}" if cond is not None else ""

    def stages(self, procedure: s.ProcedureDecl) -> str:
        """A procedure with its stages."""
        names = " → ".join(title(stage.titles, stage.name, self.language) for stage in stages_of(procedure.items))
        return f"{title(procedure.titles, procedure.name, self.language)}: {names}"

    def rules_of(self, procedure: s.ProcedureDecl) -> list[str]:
        names = {stage.name for stage in stages_of(procedure.items)}
        return [
            clause.rule for clause, _ in usual(self.book, s.Happening, s.Needs)
            if (isinstance(clause.body, s.Happening) and set(clause.body.steps) & names)
            or (isinstance(clause.body, s.Needs) and clause.body.stage in names)
        ]  # fmt: skip

    # -- the ways between them

    def turnings(self, step: Step) -> list[tuple[str, list[str]]]:
        """When a step is passed over, and where it leads but to the next one."""
        found: dict[str, list[str]] = {}
        lineage = self.book.lineage(step.name)
        for clause, cond in usual(self.book, s.Skip, s.Next):
            body = clause.body
            if isinstance(body, s.Skip) and body.mode != "never":
                first = [name for name in body.steps if name in lineage and self.book.leaves_of(name)[0] == step.name]
                how = word("may be skipped" if body.mode == "may" else "is skipped", self.language)
                for name in first:
                    what = f"{self.called(self.book.steps[name])}: " if name != step.name else ""
                    found.setdefault(f"» {what}{how}{self.condition(cond)}", []).append(clause.rule)
            elif isinstance(body, s.Next) and body.step == step.name:
                there = self.called(self.book.steps[body.to])
                found.setdefault(f"→ {there}{self.condition(cond)}", []).append(clause.rule)
        return list(found.items())

    def ways(self) -> list[Edge]:
        """The ways to draw: the usual ones, but for those out of the turn."""
        return [
            edge for edge in edges(self.book)
            if not edge.ends_turn and (edge.kind == "next" or self.reasons(edge))
            and all(any(set(self.book.lineage(leaf)) & _steps(clause) for clause, _ in self.reasons(edge))
                    for leaf in edge.passed)
        ]  # fmt: skip

    def reasons(self, edge: Edge) -> list[tuple[Clause, s.Exp | None]]:
        """The rules by which a way is there that is not just the next one, where readings are as usual."""
        passed = {name for leaf in (*edge.passed, *edge.passed_after) for name in self.book.lineage(leaf)}
        return [
            (clause, cond) for clause, cond in usual(self.book, s.Skip, s.Next)
            if clause == edge.clause or (isinstance(clause.body, s.Skip) and clause.body.mode != "never"
                                         and passed & set(clause.body.steps))
        ]  # fmt: skip

    # -- around it

    def caption(self, name: str) -> str:
        """The title, and what the marks mean."""
        says = [
            [Cell([Span(name, LARGE, strong=True)], columns=4, padding=2)],
            [
                Cell([Span(f" {ACTIVE_MARK} {word('active player', self.language)}  "
                           f"{OTHER_MARK} {word('other player', self.language)} ", SMALL, colour=PLAYER.text)], PLAYER),
                Cell([Span(" ", SMALL)]),
                *([] if self.compact else [Cell([
                    Span(f" {word('happens by itself', self.language)} ", SMALL, colour=AUTOMATIC.text)], AUTOMATIC)]),
                Cell([Span(" ", SMALL)]),
            ],
            *[[Cell([Span(wrapped(one, 70), SMALL, colour=AUTOMATIC.text)], AUTOMATIC, columns=4)]
              for one in self.everywhere()],
        ]  # fmt: skip
        return label(Table(says, spacing=2))

    def everywhere(self) -> list[str]:
        """What happens in every step or phase."""
        if self.compact:
            return []
        found: dict[str, list[str]] = {}
        for clause, cond in usual(self.book, s.Happening):
            if isinstance(clause.body, s.Happening) and set(clause.body.steps) & {"every step", "every phase"}:
                said = printer.body_head(replace(clause.body, cond=cond))
                found.setdefault(said, []).append(clause.rule)
        return [f"{text} [{', '.join(rules)}]" for text, rules in found.items()]

    def described(self) -> str:
        """The picture in words."""
        parts = []
        for phase in self.book.phases:
            leaves = self.book.leaves_of(phase)
            inside = ", ".join(self.called(self.book.steps[leaf]) for leaf in leaves)
            parts.append(self.called(self.book.steps[phase]) + ("" if leaves == (phase,) else f" ({inside})"))
        return f"{word('The turn', self.language)}: {' → '.join(parts)}."

    def mermaid(self) -> str:
        """The same as a Mermaid flowchart."""
        ids = {leaf.name: f"s{leaf.order}" for leaf in self.book.leaves}
        lines = ["flowchart TD"]
        for number, phase in enumerate(self.book.phases):
            leaves = self.book.leaves_of(phase)
            boxes = [f'{ids[leaf]}["{_plain(self.called(self.book.steps[leaf]))}"]' for leaf in leaves]
            if leaves == (phase,):
                lines += [f"  {box}" for box in boxes]
            else:
                lines.append(f'  subgraph p{number}["{_plain(self.called(self.book.steps[phase]))}"]')
                lines += [*(f"    {box}" for box in boxes), "  end"]
        for edge in self.ways():
            said = "; ".join(dict.fromkeys(
                f"{self.condition(cond).strip()} ({clause.rule})".strip() for clause, cond in self.reasons(edge)
            ))  # fmt: skip
            text = f'|"{_plain(said)}"|' if said else ""
            lines.append(f"  {ids[edge.source]} {'-->' if edge.kind == 'next' else '-.->'}{text} {ids[edge.target]}")
        first, last = self.book.leaves[0].name, self.book.leaves[-1].name
        lines.append(f'  {ids[last]} -.->|"{word("next turn", self.language)}"| {ids[first]}')
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Difference(Flow):
    """A flow with what is otherwise than in another rulebook, `before`."""

    before: Rulebook

    def box(self, step: Step) -> Table:
        made = Flow.box(self, step)
        tone = made.tone if step.name in self.before.steps else GOOD
        added = [self.told("+", said, GOOD) for said in self.only(self.book, self.before, step.name)]
        dropped = [self.told("–", said, GONE) for said in self.only(self.before, self.book, step.name)]
        return replace(made, rows=[*made.rows, *([cell] for cell in (*added, *dropped))], tone=tone)

    def told(self, sign: str, said: tuple[str, str], tone: Tone) -> Cell:
        text, rule = said
        return _said(f"{sign} {text}", (rule,), tone)

    def only(self, one: Rulebook, two: Rulebook, step: str) -> list[tuple[str, str]]:
        """What one rulebook says of a step and another does not: sentences with their rules; "" for no step at all."""
        known = {(clause.rule, printer.body_head(clause.body)) for clause in two.clauses}
        found = []
        for clause in one.clauses:
            said = printer.body_head(clause.body)
            here = set(concerned(one, clause.body))
            if (clause.rule, said) not in known and (step in here if step else not here):
                found.append((said, clause.rule))
        return found

    def caption(self, name: str) -> str:
        """The title, and what is otherwise without regard to a step."""
        before = title(self.before.titles, self.before.name, self.language)
        rows: list[list[Cell]] = [[Cell([Span(f"{before} → {name}", LARGE)], padding=2)]]
        gone = [step for step in self.before.leaves if step.name not in self.book.steps]
        rows += [[_said(f"– {title_of(step, self.language)}", (), GONE)] for step in gone]
        shared = [[leaf.name for leaf in book.leaves if leaf.name in self.book.steps and leaf.name in self.before.steps]
                  for book in (self.before, self.book)]  # fmt: skip
        moved = [two for one, two in zip(*shared, strict=True) if one != two]
        rows += [[_said(f"⇄ {self.called(self.book.steps[step])}", (), ASIDE)] for step in moved]
        rows += [[self.told("+", said, GOOD)] for said in self.only(self.book, self.before, "")]
        rows += [[self.told("–", said, GONE)] for said in self.only(self.before, self.book, "")]
        return label(Table(rows, spacing=2))

    def described(self) -> str:
        """The differences in words."""
        steps = ["", *(leaf.name for leaf in self.book.leaves)]
        added = [f"+ [{rule}] {text}" for step in steps for text, rule in self.only(self.book, self.before, step)]
        gone = [f"– [{rule}] {text}" for step in steps for text, rule in self.only(self.before, self.book, step)]
        return ". ".join(dict.fromkeys([*added, *gone])) or "="


def concerned(book: Rulebook, body: s.Body) -> Iterator[str]:
    """The steps that a sentence speaks of by name."""
    names = (body.step,) if isinstance(body, s.Next) else getattr(body, "steps", ())
    for name in names:
        if name in book.steps:
            yield from book.leaves_of(name)


def _said(text: str, rules: tuple[str, ...], tone: Tone) -> Cell:
    """A sentence with its rules."""
    cited = f" [{shortened(', '.join(rules), LONGEST // 3)}]" if rules else ""
    link = anchor(rules[0]) if rules else ""
    span = Span(wrapped(shortened(text, LONGEST) + cited, TEXT), SMALL, colour=tone.text)
    return Cell([span], tone, columns=2, link=link, note=f"{text} {', '.join(rules)}".strip(), padding=2)


def _steps(clause: Clause) -> set[str]:
    return set(clause.body.steps) if isinstance(clause.body, s.Skip) else set()


def _plain(text: str) -> str:
    """Text as Mermaid takes it between quotes."""
    return text.replace('"', "#quot;").replace("\n", " ")
