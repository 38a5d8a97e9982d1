"""A player aid on one page: the turn at the left, who may do what at the right, numbers to remember below."""

from __future__ import annotations

from collections.abc import Iterator

from turnproof.draw.flow import Flow, anchor
from turnproof.draw.markup import LARGE, SMALL, Cell, Row, Span, Table, shortened, wrapped
from turnproof.draw.palette import AUTOMATIC, FAINT, MARKS, PHASE, PLAIN
from turnproof.draw.picture import Picture, page
from turnproof.draw.windows import Chart
from turnproof.draw.words import word
from turnproof.findings.inquiry import ROLES
from turnproof.language import printer
from turnproof.language import syntax as s
from turnproof.rulebook.model import Rulebook, title
from turnproof.rulebook.usual import usual
from turnproof.windows import Windows

SAID, LONGEST, NUMBER, MOST_NUMBERS = 58, 110, 78, 8


def aid(book: Rulebook, of: Windows, digest: str, language: str = "") -> Picture:
    """The aid of a rulebook; `digest` tells which text of it this is."""
    language = language or book.language
    name = title(book.titles, book.name, language)
    chart = _Aid(book, of, language)
    rows: list[Row] = [[Cell([Span(name, LARGE, strong=True)], padding=4)], [Cell(chart.legend())]]
    rows += [[Cell(table)] for table in chart.tables()]
    numbers = list(_numbers(book, language))[:MOST_NUMBERS]
    if numbers:
        half = -(-len(numbers) // 2)
        title_row = [Cell([Span(word("Numbers to remember", language), strong=True)], columns=2)]
        pairs = zip(numbers[:half], [*numbers[half:], ""][:half], strict=True)
        lines: list[Row] = [
            [Cell([Span(wrapped(text, NUMBER), SMALL)], valign="top") for text in pair] for pair in pairs
        ]
        rows.append([Cell(Table([title_row, *lines]))])
    notes = [f"{number} {MARKS[said]} {', '.join(rules)}" for (said, rules), number in chart.notes.items()]
    rows += [[Cell([Span(wrapped("   ".join(notes), 2 * NUMBER), SMALL)])]] if notes else []
    stamp = " · ".join(part for part in (name, book.edition, f"sha256 {digest[:12]}") if part)
    rows.append([Cell([Span(stamp, SMALL, colour=FAINT)])])
    return Picture(name, chart.described(), page("aid", language, Table(rows, spacing=3)), "", language)


class _Aid(Chart):
    """A chart of windows with what happens by itself beside each step; without plays that nothing ever allows."""

    def _groups(self) -> list[list[str]]:
        return [
            group for group in Chart._groups(self)
            if any(self.of.cells[group[0], role, step].said not in ("no", "silent") for role in ROLES
                   for step in self.of.steps)
        ]  # fmt: skip

    def table(self, groups: list[list[str]]) -> Table:
        made = Chart.table(self, groups)
        if groups != self.groups[: len(groups)]:
            return made
        flow = Flow(self.book, self.language, False)
        rows = [list(row) for row in made.rows]
        rows[0].insert(1, Cell([Span(word("happens by itself", self.language), SMALL, strong=True)], PHASE, 1, rows=2))
        for row, leaf in zip(rows[2:], self.book.leaves, strict=True):
            lines = [
                f"{text} [{', '.join(dict.fromkeys(rules))}]"
                for text, rules in (*flow.happens(leaf), *flow.turnings(leaf))
            ]
            spans = [Span(wrapped(shortened(line, LONGEST), SAID), SMALL, colour=AUTOMATIC.text) for line in lines]
            first = next((rules[0] for _, rules in flow.happens(leaf) if rules), "")
            tone = AUTOMATIC if lines else PLAIN
            told = Cell(spans, tone, 1, link=anchor(first) if first else "", note=" ".join(lines))
            row.insert(-2 * len(groups), told)
        return Table(rows, made.tone, made.border)


def _numbers(book: Rulebook, language: str) -> Iterator[str]:
    """What has a number: how a game starts, limits, constants, and when it is over."""
    for name, field in book.player_fields.items():
        if isinstance(field.initial, int) and not isinstance(field.initial, bool) and field.initial:
            yield f"{name.replace('_', ' ')} {word('as the game begins', language)}: {field.initial}"
    for define in book.defines.values():
        if isinstance(define.body, s.Num):
            yield f"{define.name.replace('_', ' ')}: {define.body.value}"
    for clause, _ in usual(book, s.Limit, s.Loses):
        yield f"{printer.body_head(clause.body)} [{clause.rule}]"
