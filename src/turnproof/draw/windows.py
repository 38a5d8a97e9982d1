"""Who may do what, and when: a chart of steps against plays, with what the rules say of each to either player."""

from __future__ import annotations

from collections.abc import Iterator

from turnproof.draw.flow import anchor
from turnproof.draw.markup import LARGE, NORMAL, SMALL, Cell, Span, Table, shortened, width, wrapped
from turnproof.draw.palette import FAINT, INK, MARKS, OUTCOMES, PHASE, PLAIN, Tone
from turnproof.draw.picture import Picture, page
from turnproof.findings.inquiry import ROLES
from turnproof.language import syntax as s
from turnproof.language.printer import body_head
from turnproof.rulebook.model import Rulebook, title, title_of
from turnproof.rulebook.usual import usual
from turnproof.windows import Window, Windows
from turnproof.words import word

HEAD, LONG, STEP, NOTE, LINE = 10, 40, 22, 90, 108
# In points: what one player takes of a column.
NARROW = 24
# So many columns of plays stand beside each other; more are put below.
MOST_COLUMNS = 7
WORDS = {
    "yes": "allowed", "no": "forbidden", "silent": "no rule says", "contradiction": "rules contradict each other",
    "depends": "it depends",
}  # fmt: skip


def windows_chart(book: Rulebook, of: Windows, language: str = "") -> Picture:
    """The chart of a rulebook's windows."""
    language = language or book.language
    name = title(book.titles, book.name, language)
    what = word("Who may do what, and when", language)
    made = Chart(book, of, language)
    rows = [[Cell([Span(f"{name}: {what}", LARGE, strong=True)], padding=4)], [Cell(made.legend())]]
    rows += [[Cell(table)] for table in made.tables()]
    rows += [[Cell(made.footnotes())]] if made.notes else []
    return Picture(f"{name}: {what}", made.described(), page("windows", language, Table(rows, spacing=2)), "", language)


class Chart:
    """A chart in the making; `notes` are numbered as they are needed."""

    def __init__(self, book: Rulebook, of: Windows, language: str) -> None:
        self.book, self.of, self.language = book, of, language
        self.notes: dict[tuple[str, tuple[str, ...]], int] = {}
        self.groups = list(self._groups())

    def _groups(self) -> list[list[str]]:
        """Plays with the same windows, together."""
        found: list[list[str]] = []
        for play in self.of.plays:
            same = next((group for group in found if self.of.same(group[0], play)), None)
            if same is None:
                found.append([play])
            else:
                same.append(play)
        return found

    def called(self, group: list[str]) -> str:
        """What several plays are called together."""
        whole = next((p for p in self.book.plays.values() if not p.leaf
                      and {leaf.name for leaf in self.book.sorts(p.name)} == set(group)), None)  # fmt: skip
        names = [whole.name] if whole is not None else group
        return ", ".join(title(self.book.plays[name].decl.titles, name, self.language) for name in names)

    def tables(self) -> list[Table]:
        """The chart, in as many tables as its columns need."""
        number = -(-len(self.groups) // MOST_COLUMNS)
        size = -(-len(self.groups) // max(number, 1))
        return [self.table(self.groups[at : at + size]) for at in range(0, len(self.groups), size)]

    def table(self, groups: list[list[str]]) -> Table:
        """Some columns of the chart."""
        blank = Cell([Span(" ", SMALL)], PHASE, border=1, columns=2)
        head = [blank]
        for group in groups:
            said = self.called(group)
            text = wrapped(said, HEAD if width(said) <= LONG else 2 * HEAD)
            head.append(Cell([Span(text, SMALL, strong=True)], PHASE, 1, "center", columns=2, width=2 * NARROW))
        roles = [Cell([Span(word("step", self.language), SMALL, colour=FAINT)], PHASE, border=1, columns=2)]
        for _ in groups:
            roles += [
                Cell([Span(word(role, self.language), SMALL, colour=FAINT)], PHASE, 1, "center", width=NARROW)
                for role in ("active", "other")
            ]
        rows = [head, roles]
        rows += [[*names, *self.row(leaf, groups)] for leaf, names in self.beginnings()]
        return Table(rows, PLAIN, border=1)

    def beginnings(self) -> Iterator[tuple[str, list[Cell]]]:
        """Each step with what its row begins with."""
        for phase in self.book.phases:
            leaves = self.book.leaves_of(phase)
            for number, leaf in enumerate(leaves):
                yield leaf, self.beginning(phase, leaf, len(leaves), number)

    def beginning(self, phase: str, leaf: str, size: int, number: int) -> list[Cell]:
        """The names of a phase and a step at the left."""
        if size == 1 and leaf == phase:
            return [Cell([self.name(phase, True, STEP + 8)], PHASE, border=1, columns=2)]
        first = [Cell([self.name(phase, True, HEAD)], PHASE, border=1, rows=size)] if number == 0 else []
        return [*first, Cell([self.name(leaf, False, STEP)], PHASE, border=1)]

    def name(self, step: str, strong: bool, most: int) -> Span:
        return Span(wrapped(title_of(self.book.steps[step], self.language), most), SMALL, strong=strong)

    def row(self, leaf: str, groups: list[list[str]]) -> list[Cell]:
        of = self.of
        return [
            self.cell(of.cells[group[0], role, leaf], of.usual(group[0], role)) for group in groups for role in ROLES
        ]

    def cell(self, window: Window, usual: str) -> Cell:
        """What is said in a window; what is unlike most of the column stands out."""
        said = window.said
        tone = OUTCOMES[said]
        stands_out = said != usual
        number = ""
        if said in ("depends", "contradiction") and window.rules:
            number = str(self.notes.setdefault((said, window.rules), len(self.notes) + 1))
        ground = tone if stands_out else Tone(PLAIN.ground, tone.text, PLAIN.line)
        mark = f"{MARKS[said]} {number}".strip()
        told = f"{word(WORDS[said], self.language)} {', '.join(window.rules)}".strip()
        link = anchor(window.rules[0]) if window.rules else ""
        return Cell(
            [Span(mark, NORMAL, strong=stands_out, colour=tone.text)], ground, 1, "center", note=told, link=link
        )

    def legend(self) -> Table:
        """What the marks mean."""
        cells = []
        for said, text in WORDS.items():
            if said in self.shown():
                tone = OUTCOMES[said]
                told = Span(f"{MARKS[said]} {word(text, self.language)}", SMALL, colour=tone.text)
                cells.append(Cell([told], tone, 1))
        return Table([[*cells, Cell([Span(word("unlike elsewhere", self.language), SMALL, strong=True)])]], spacing=3)

    def shown(self) -> set[str]:
        """What is said in some window."""
        return {window.said for window in self.of.cells.values()}

    def footnotes(self) -> Table:
        """The rules on which it depends, number by number."""
        rows = []
        for (said, rules), number in self.notes.items():
            sayings = [f"[{rule}] {'; '.join(shortened(text, NOTE) for text in self.sayings(rule))}" for rule in rules]
            text = wrapped(f"{number} {MARKS[said]} {'  '.join(sayings)}", LINE)
            rows.append([Cell([Span(text, SMALL, colour=INK)], padding=1)])
        return Table(rows)

    def sayings(self, rule: str) -> list[str]:
        """What a rule says about who may do what; else what it says first."""
        bodies = [clause.body for clause, _ in usual(self.book) if clause.rule == rule]
        about = [body for body in bodies if isinstance(body, s.Permission | s.Limit)] or bodies[:1]
        return [body_head(body) for body in about[:2]]

    def described(self) -> str:
        """The chart in words."""
        lines = []
        for group in self.groups:
            for role in ROLES:
                by: dict[str, list[str]] = {}
                for step in self.of.steps:
                    by.setdefault(self.of.cells[group[0], role, step].said, []).append(step)
                said = "; ".join(
                    f"{word(WORDS[what], self.language)}: "
                    + ", ".join(title_of(self.book.steps[step], self.language) for step in steps)
                    for what, steps in by.items()
                )
                who = word(role.removeprefix("the "), self.language)
                lines.append(f"{self.called(group)} ({who}): {said}.")
        return " ".join(lines)
