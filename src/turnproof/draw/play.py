"""A play as lanes: what each player does and what it changes, row by row, with the rules beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from turnproof.draw.flow import anchor
from turnproof.draw.markup import LARGE, SMALL, Cell, Row, Span, Table, wrapped
from turnproof.draw.palette import AUTOMATIC, DEADLY, FAINT, PHASE, PLAIN, PLAYER, Tone
from turnproof.draw.picture import Picture, page
from turnproof.rulebook.model import Rulebook, title_of
from turnproof.solve.plays import Counterexample
from turnproof.system.interpret import State
from turnproof.system.system import System
from turnproof.verdict.explain import changed, player_name, sentences, shown_value
from turnproof.words import word

LANE, RULES, TITLE = 26, 16, 80


@dataclass
class _Row:
    """What happens at once, or a run of steps in which nothing does."""

    number: str
    lanes: dict[str, list[str]] = field(default_factory=dict)
    rules: tuple[str, ...] = ()


def play_picture(
    book: Rulebook, system: System, play: Counterexample, heading: str, ending: Sequence[str],
    breaks: Iterable[int] = (), language: str = "",
) -> Picture:  # fmt: skip
    """A play under a heading. `ending` says what it comes to; `breaks` are the happenings (from 1) that make it so, the
    last one if none is said.
    """
    language = language or book.language
    broken = {str(number) for number in breaks} or {str(play.depth)}
    rows = list(_rows(book, system, play, language))
    lanes = ["", *book.players]
    head = [Cell([Span(" ", SMALL)], PHASE, 1)]
    head += [Cell([Span(_lane(lane, language), SMALL, strong=True)], PHASE, 1, width=100) for lane in lanes]
    head.append(Cell([Span(word("rules", language), SMALL, strong=True)], PHASE, 1))
    table: list[Row] = [head]
    for row in rows:
        cells = [Cell([Span(row.number, SMALL, colour=FAINT)], PLAIN, 1, "center", valign="top")]
        for lane in lanes:
            tone = PLAIN
            if row.lanes.get(lane):
                tone = DEADLY if row.number in broken else AUTOMATIC if not lane else PLAYER
            cells.append(_lines(row.lanes.get(lane, []), tone))
        link = anchor(row.rules[0]) if row.rules else ""
        said = wrapped(", ".join(row.rules), RULES)
        cells.append(Cell([Span(said, SMALL, colour=FAINT)], PLAIN, 1, link=link, note=said, valign="top"))
        table.append(cells)
    for line in ending:
        span = Span(wrapped(line, TITLE), SMALL, strong=True, colour=DEADLY.text)
        table.append([Cell([span], DEADLY, 1, columns=len(lanes) + 2)])
    whole = Table(
        [[Cell([Span(wrapped(heading, TITLE), LARGE)], padding=4)], [Cell(Table(table, PLAIN, 1))]], spacing=2
    )
    told = sentences(book, system.variables, play, language)
    said = " ".join(f"{number}. {one.text}." for number, one in enumerate(told, 1))
    return Picture(heading, f"{said} {' '.join(ending)}".strip(), page("play", language, whole), "", language)


def _lane(lane: str, language: str) -> str:
    return player_name(lane, language) if lane else word("the game", language)


def _lines(lines: list[str], tone: Tone) -> Cell:
    spans = [Span(wrapped(line, LANE), SMALL, colour=tone.text) for line in lines]
    return Cell(spans, tone, 1, valign="top", width=100)


def _rows(book: Rulebook, system: System, play: Counterexample, language: str) -> Iterator[_Row]:
    """The rows of a play; steps in which nothing happens but passing stand together."""
    waiting: list[tuple[int, str]] = []
    before: State = play.start
    told = sentences(book, system.variables, play, language)
    for number, (happened, sentence) in enumerate(zip(play.happened, told, strict=True), 1):
        changes = list(changed(system.variables, before, happened.after))
        before = happened.after
        kind = happened.command.play.kind
        if kind in ("leave", "pass") and not changes and number < len(told):
            step = title_of(book.steps[str(happened.after["step"])], language) if kind == "leave" else ""
            waiting.append((number, step))
            continue
        if waiting:
            yield _together(waiting)
            waiting = []
        row = _Row(str(number), rules=sentence.rules)
        lane = happened.command.play.player or ""
        row.lanes[lane] = [_without_doer(sentence.text, lane, language)]
        for variable, old, new in changes:
            owner = variable.name.partition(".")[0]
            what = word(variable.label.replace("_", " "), language)
            parts = variable.name.split(".")
            if len(parts) == 4:
                what = f"{parts[1].rstrip('s')} {parts[2]}: {what}"
            where = owner if owner in book.players else ""
            row.lanes.setdefault(where, []).append(
                f"{what} {shown_value(old, language)} → {shown_value(new, language)}"
            )
        if sentence.note:
            row.lanes[lane].append(f"({sentence.note})")
        yield row
    if waiting:
        yield _together(waiting)


def _together(waiting: list[tuple[int, str]]) -> _Row:
    first, last = waiting[0][0], waiting[-1][0]
    steps = [step for _, step in waiting if step]
    number = str(first) if first == last else f"{first}–{last}"
    return _Row(number, {"": ["→ " + " → ".join(steps)] if steps else ["…"]})


def _without_doer(text: str, lane: str, language: str) -> str:
    """A sentence in a player's own lane does not name the player."""
    said = text.removeprefix(f"{player_name(lane, language)}: ")
    return said[0].upper() + said[1:]
