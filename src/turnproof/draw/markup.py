"""Tables in Graphviz's HTML-like labels, as data: what they hold is escaped, and long text is broken into lines."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

from turnproof.draw.palette import INK, Tone

# In points; nothing is smaller, so that it can be read on paper.
SMALL, NORMAL, LARGE = 9.0, 11.0, 14.0
STRONGER = 1.0
ENDING = " ,.;:!?)]、，。；：！？）」"


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text. What is `strong` is larger: the font has one weight, and bold made of it measures wrongly."""

    text: str
    size: float = NORMAL
    strong: bool = False
    colour: str = INK

    def markup(self, align: str) -> str:
        """In the language of labels."""
        lines = [escape(line, quote=True) for line in self.text.split("\n")]
        said = f'<BR ALIGN="{align.upper()}"/>'.join(lines)
        size = self.size + STRONGER if self.strong else self.size
        return f'<FONT POINT-SIZE="{size:g}" COLOR="{self.colour}">{said}</FONT>' if self.text else ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: lines of text or a table, and how it looks. `note` is shown where one points at it."""

    content: Sequence[Span] | Table = ()
    tone: Tone | None = None
    border: int = 0
    align: str = "left"
    columns: int = 1
    rows: int = 1
    note: str = ""
    link: str = ""
    width: int = 0
    padding: int = 2
    valign: str = "middle"
    port: str = ""

    def markup(self) -> str:
        """In the language of labels."""
        said = [f'BORDER="{self.border}"', f'ALIGN="{self.align.upper()}"', f'VALIGN="{self.valign.upper()}"']
        said.append(f'CELLPADDING="{self.padding}"')
        if self.tone is not None:
            said += [f'BGCOLOR="{self.tone.ground}"', f'COLOR="{self.tone.line}"']
        for name, number in (("COLSPAN", self.columns), ("ROWSPAN", self.rows), ("WIDTH", self.width)):
            if number > (0 if name == "WIDTH" else 1):
                said.append(f'{name}="{number}"')
        if self.align == "left":
            said.append('BALIGN="LEFT"')
        if self.port:
            said.append(f'PORT="{escape(self.port, quote=True)}"')
        if self.note or self.link:
            # A note is shown only where there is something to follow.
            said.append(f'HREF="{escape(self.link or "#", quote=True)}" TITLE="{escape(self.note, quote=True)}"')
        if isinstance(self.content, Table):
            inner = self.content.markup()
        else:
            breaks = f'<BR ALIGN="{self.align.upper()}"/>'
            spans = [span for span in self.content if span.text]
            inner = breaks.join(span.markup(self.align) for span in spans)
            # A break tells how the line before it is aligned: the last one wants one too.
            inner += breaks if inner and self.align == "left" and len(spans) + inner.count("<BR") > 1 else ""
        return f"<TD {' '.join(said)}>{inner}</TD>"


Row: TypeAlias = "Sequence[Cell]"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells. With `tone`, it has a ground and a border of its own."""

    rows: Sequence[Row]
    tone: Tone | None = None
    border: int = 0
    spacing: int = 0
    padding: int = 0
    rounded: bool = False

    def markup(self) -> str:
        """In the language of labels."""
        said = [f'BORDER="{self.border}"', 'CELLBORDER="0"', f'CELLSPACING="{self.spacing}"']
        said.append(f'CELLPADDING="{self.padding}"')
        if self.tone is not None:
            said += [f'BGCOLOR="{self.tone.ground}"', f'COLOR="{self.tone.line}"']
        if self.rounded:
            said.append('STYLE="ROUNDED"')
        rows = "".join(f"<TR>{''.join(cell.markup() for cell in row)}</TR>" for row in self.rows if row)
        return f"<TABLE {' '.join(said)}>{rows or '<TR><TD></TD></TR>'}</TABLE>"


def label(of: Table) -> str:
    """A table as the label of a node."""
    return f"<{of.markup()}>"


def width(text: str) -> int:
    """How many columns a text takes: letters of East Asian scripts take two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def shortened(text: str, most: int) -> str:
    """A text of at most so many columns; the rest is left out, which a sign says."""
    if width(text) <= most:
        return text
    kept = text
    while width(kept) > most - 1:
        kept = kept[:-1]
    return f"{kept.rstrip()}…"


def wrapped(text: str, most: int) -> str:
    """A text in lines of at most so many columns; longer words stay whole, East Asian text breaks anywhere."""
    return "\n".join(line for part in text.split("\n") for line in _lines(part, most))


def _lines(text: str, most: int) -> Iterable[str]:
    line = ""
    for piece in _pieces(text):
        if line and width(line + piece.rstrip()) > most:
            yield line.rstrip()
            line = piece.lstrip()
        else:
            line += piece
    yield line.rstrip()


def _pieces(text: str) -> Iterable[str]:
    """What a line can be broken between: words with the space after them, or single East Asian letters."""
    word = ""
    for letter in text:
        wide = unicodedata.east_asian_width(letter) in "WF"
        after = word[-1:]
        # A line begins with no sign that ends something.
        ended = after == " " or (after and unicodedata.east_asian_width(after) in "WF") or (wide and after)
        if ended and letter not in ENDING:
            yield word
            word = ""
        word += letter
    if word:
        yield word
