"""A player aid on one page: the turn at the left, who may do what at the right, numbers to remember below."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from turnproof.draw.flow import Flow, anchor
from turnproof.draw.markup import LARGE, SMALL, Cell, Row, Span, Table, shortened, width, wrapped
from turnproof.draw.palette import AUTOMATIC, FAINT, MARKS, OUTCOMES, PHASE, PLAIN
from turnproof.draw.picture import Picture, page
from turnproof.draw.windows import Chart
from turnproof.findings.inquiry import ROLES
from turnproof.language import printer
from turnproof.language import syntax as s
from turnproof.rulebook.model import Rulebook, title
from turnproof.rulebook.usual import usual
from turnproof.windows import Window, Windows
from turnproof.words import word

# In columns of text: a page of A4 on its side, what each player may do, and a number to remember.
# What happens by itself takes the rest of the page, but not less than a column that can be read.
PAGE, NARROWEST, NUMBER = 176, 44, 54
MAY = dict(zip(ROLES, (46, 36), strict=True))
LONGEST = 130
BESIDE, MOST_NUMBERS = 3, 12
POSSIBLE = ("yes", "depends", "contradiction")


def aid(book: Rulebook, of: Windows, digest: str, language: str = "") -> Picture:
    """The aid of a rulebook; `digest` tells which text of it this is."""
    language = language or book.language
    name = title(book.titles, book.name, language)
    chart = _Aid(book, of, language)
    table = chart.whole()
    heading = [Cell([Span(name, LARGE, strong=True)]), Cell(chart.legend(), align="right")]
    rows: list[Row] = [heading, [Cell(table, columns=2)]]
    numbers = list(_numbers(book, language))[:MOST_NUMBERS]
    if numbers:
        lines: list[Row] = [[Cell([Span(word("Numbers to remember", language), strong=True)], columns=BESIDE)]]
        for at in range(0, len(numbers), BESIDE):
            texts = [*numbers[at : at + BESIDE], *[""] * BESIDE][:BESIDE]
            lines.append([Cell([Span(wrapped(text, NUMBER), SMALL)], valign="top", padding=1) for text in texts])
        rows.append([Cell(Table(lines), columns=2)])
    stamp = " · ".join(part for part in (name, book.edition, f"sha256 {digest[:12]}") if part)
    rows.append([Cell([Span(stamp, SMALL, colour=FAINT)], columns=2)])
    return Picture(name, chart.described(), page("aid", language, Table(rows, spacing=1)), "", language)


class _Aid(Chart):
    """What happens by itself in each step, and what each player may do in it; `used` are the marks that are there."""

    def __init__(self, book: Rulebook, of: Windows, language: str) -> None:
        super().__init__(book, of, language)
        self.used: set[str] = set()
        self.flow = Flow(book, language, False)

    def whole(self) -> Table:
        """The turn, step by step."""
        head = [Cell([Span(word("step", self.language), SMALL, colour=FAINT)], PHASE, 1, columns=2)]
        said = ("happens by itself", "active player", "other player")
        head += [Cell([Span(word(what, self.language), SMALL, colour=FAINT)], PHASE, 1) for what in said]
        rows = [head]
        often = {role: list(self.as_a_rule(role)) for role in ROLES}
        always = [self.may(role, often[role]) for role in ROLES]
        may = {
            (leaf, role): self.may(role, self.otherwise(role, leaf, often[role]))
            for leaf in self.of.steps for role in ROLES
        }  # fmt: skip
        names = dict(self.beginnings())
        taken = sum(_broad([always[at], *(may[leaf, role] for leaf in self.of.steps)]) for at, role in enumerate(ROLES))
        alone = [cells[0] for cells in names.values() if cells[0].columns == 2]
        first = [cells[0] for cells in names.values() if len(cells) == 2]
        second = [cells[-1] for cells in names.values() if cells[-1].columns == 1]
        room = max(PAGE - taken - max(_broad(alone), _broad(first) + _broad(second)), NARROWEST)
        if any(cell.content for cell in always):
            name = Cell([Span(word("as a rule", self.language), SMALL)], PHASE, 1, columns=2)
            rows.append([name, Cell([], PLAIN, 1), *always])
        rows += [
            [*cells, self.happens(leaf, room), *(may[leaf, role] for role in ROLES)] for leaf, cells in names.items()
        ]
        return Table(rows, PLAIN, border=1)

    def happens(self, leaf: str, room: int) -> Cell:
        """What happens by itself in a step, and when it is passed over."""
        step = self.book.steps[leaf]
        happening = self.flow.happens(step)
        told = [(text, list(dict.fromkeys(rules))) for text, rules in (*happening, *self.flow.turnings(step))]
        lines = [f"{shortened(text, LONGEST)} [{', '.join(rules)}]" for text, rules in told]
        spans = [Span(wrapped(line, room), SMALL, colour=AUTOMATIC.text) for line in lines]
        first = next((rules[0] for _, rules in happening if rules), "")
        return Cell(
            spans,
            AUTOMATIC if lines else PLAIN,
            1,
            link=anchor(first) if first else "",
            note=" ".join(lines),
        )

    def as_a_rule(self, role: str) -> Iterator[tuple[list[str], Window]]:
        """What a player may do in most steps."""
        for group in self.groups:
            windows = [self.of.cells[group[0], role, leaf] for leaf in self.of.steps]
            said, times = Counter(_alike(window) for window in windows).most_common(1)[0]
            if said[0] in POSSIBLE and 2 * times > len(windows):
                yield group, next(window for window in windows if _alike(window) == said)

    def otherwise(
        self, role: str, leaf: str, often: Iterable[tuple[list[str], Window]]
    ) -> Iterator[tuple[list[str], Window]]:
        """What a player may do in a step, or cannot, unlike in most; `often` is what is so there."""
        always = {group[0]: _alike(window) for group, window in often}
        for group in self.groups:
            window = self.of.cells[group[0], role, leaf]
            said = always.get(group[0])
            if _alike(window) != said and (window.said in POSSIBLE or said is not None):
                yield group, window

    def may(self, role: str, found: Iterable[tuple[list[str], Window]]) -> Cell:
        """Some plays with what is said of them to a player."""
        by: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for group, window in found:
            by.setdefault(_alike(window), []).extend(group)
        spans = []
        for said, rules in sorted(by, key=lambda key: tuple(MARKS).index(key[0])):
            names = self.called(by[said, rules])
            text = f"{MARKS[said]} {names}" + (f" [{', '.join(rules)}]" if rules else "")
            spans.append(Span(wrapped(text, MAY[role]), SMALL, colour=OUTCOMES[said].text))
            self.used.add(said)
        best = next((said for said in (*POSSIBLE, "no", "silent") if any(key[0] == said for key in by)), "")
        return Cell(spans, OUTCOMES[best] if best else PLAIN, 1)

    def shown(self) -> set[str]:
        return self.used

    def legend(self) -> Table:
        """What the marks mean, once the rest is made."""
        (row,) = Chart.legend(self).rows
        last = Cell([Span(word("no rule allows anything else", self.language), SMALL)])
        return Table([[*row[:-1], last]], spacing=3)


def _broad(cells: Iterable[Cell]) -> int:
    """How broad the texts of some cells are at most."""
    spans = (span for cell in cells if not isinstance(cell.content, Table) for span in cell.content)
    return max((width(line) for span in spans for line in span.text.split("\n")), default=0)


def _alike(window: Window) -> tuple[str, tuple[str, ...]]:
    """What is said in a window, with the rules if it depends on them."""
    return window.said, window.rules if window.said in ("depends", "contradiction") else ()


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
