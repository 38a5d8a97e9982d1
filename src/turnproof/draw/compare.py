"""The turns of several games side by side, by what their steps are for."""

from __future__ import annotations

from collections.abc import Sequence

from turnproof.draw.flow import ACTIVE_MARK, OTHER_MARK, Flow
from turnproof.draw.markup import LARGE, SMALL, Cell, Row, Span, Table, wrapped
from turnproof.draw.palette import FAINT, PHASE, PLAIN, PLAYER
from turnproof.draw.picture import Picture, page
from turnproof.rulebook.model import Rulebook, Step, title, title_of
from turnproof.words import word

WIDE = 24


def compare(books: Sequence[Rulebook], language: str = "") -> Picture:
    """Some turns side by side: steps of one role (`as ROLE` in the rulebook) in one row, numbered in their own order.

    Without `language`, each game speaks its own.
    """
    names = [title(book.titles, book.name, language) for book in books]
    words = language or books[0].language
    head = [Cell([Span(" ", SMALL)], PHASE, 1)]
    head += [Cell([Span(name, strong=True)], PHASE, 1, padding=5) for name in names]
    rows: list[Row] = [head]
    for role in roles(books):
        name = Cell([Span(role.replace("_", " "), SMALL, colour=FAINT)], PHASE, 1)
        of_role = [[step for step in book.leaves if _role(step) == role] for book in books]
        rows.append([name, *(_steps(book, steps, language) for book, steps in zip(books, of_role, strict=True))])
    marks = f"{ACTIVE_MARK} {word('active player', words)}   {OTHER_MARK} {word('other player', words)}"
    heading = " · ".join(names)
    whole = Table([[Cell([Span(heading, LARGE)], padding=4)], [Cell([Span(marks, SMALL, colour=FAINT)])],
                   [Cell(Table(rows, PLAIN, 1))]], spacing=2)  # fmt: skip
    said = " ".join(
        f"{name}: {', '.join(title_of(step, language) for step in book.leaves)}."
        for name, book in zip(names, books, strict=True)
    )
    return Picture(heading, said, page("compare", words, whole), "", words)


def roles(books: Sequence[Rulebook]) -> list[str]:
    """The roles of all steps: in the order of the first turn, those of others after what they come after there."""
    found: list[str] = []
    for book in books:
        at = 0
        for step in book.leaves:
            role = _role(step)
            if role in found:
                at = max(at, found.index(role) + 1)
            else:
                found.insert(at, role)
                at += 1
    return found


def _role(step: Step) -> str:
    return step.role or step.name


def _steps(book: Rulebook, steps: Sequence[Step], language: str) -> Cell:
    """The steps of a role in one game."""
    if not steps:
        return Cell([Span("—", SMALL, colour=FAINT)], PLAIN, 1, "center")
    made = Flow(book, language or book.language, True)
    spans = []
    acts = False
    for step in steps:
        active, other = made.may_act(step.name)
        acts = acts or active or other
        marks = (ACTIVE_MARK if active else "") + (OTHER_MARK if other else "")
        spans.append(Span(wrapped(f"{step.order + 1}. {title_of(step, language)} {marks}", WIDE), SMALL))
    return Cell(spans, PLAYER if acts else PLAIN, 1)
