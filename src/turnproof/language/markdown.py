"""Bytes to the lines that a machine reads: everything outside the fences is blanked in place."""

from __future__ import annotations

import re
from dataclasses import dataclass

from turnproof.diagnostics import Caption, Diagnostic, Invalid
from turnproof.language.syntax import Span

LARGEST_FILE = 2_000_000
LONGEST_LINE = 2_000

_FENCE = re.compile(r"^(?P<indent> {0,3})(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^\n`]*)$")


@dataclass(frozen=True, slots=True)
class Page:
    """A Markdown file: its whole text, and its lines with the prose emptied, numbered from 1 by position."""

    path: str
    text: str
    lines: tuple[str, ...]


def decode(data: bytes, path: str) -> str:
    """The text of a file, with one kind of line end. Raises Invalid if it is too large or not UTF-8 text."""

    def fail(code: str, message: str, line: int = 1, column: int = 1, hint: str = "") -> Invalid:
        place = Caption(Span(line, column, line, column + 1))
        shown = data[:LARGEST_FILE].decode("utf-8", errors="replace").replace("\x00", "\ufffd")
        return Invalid([Diagnostic(code, message, path, (place,), hint)], {path: shown})

    if len(data) > LARGEST_FILE:
        raise fail("TP004", f"this file has {len(data):,} bytes; {LARGEST_FILE:,} is the most that is read")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", errors="replace")
        line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        raise fail(
            "TP002", f"this is not UTF-8 text: byte 0x{data[error.start]:02x}", line, column, "save the file as UTF-8"
        ) from error
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for number, line_text in enumerate(text.split("\n"), 1):
        odd = next((i for i, c in enumerate(line_text) if ord(c) < 32 and c != "\t"), None)
        if odd is not None:
            raise fail("TP003", f"a control character (U+{ord(line_text[odd]):04X}) in the text", number, odd + 1)
    return text


def has_block(text: str, fence: str) -> bool:
    """Whether some block of a page is marked `fence`."""
    return re.search(rf"(?m)^ {{0,3}}(`{{3,}}|~{{3,}})[ \t]*{fence}[ \t]*$", text) is not None


def read(text: str, path: str, fence: str) -> Page:
    """The blocks of `text` whose fence is marked `fence`, the rest blanked. Raises Invalid for a fence left open."""
    lines: list[str] = []
    opened: tuple[str, int, bool] | None = None
    blocks = 0
    problems: list[Diagnostic] = []
    for number, line in enumerate(text.split("\n"), 1):
        mark = _FENCE.match(line)
        if opened is None:
            if mark:
                ours = mark["info"].split()[:1] == [fence]
                blocks += ours
                opened = (mark["mark"], number, ours)
            lines.append("")
        elif mark and not mark["info"].strip() and mark["mark"].startswith(opened[0]):
            opened = None
            lines.append("")
        else:
            if opened[2] and len(line) > LONGEST_LINE:
                place = Caption(Span(number, LONGEST_LINE + 1, number, len(line) + 1))
                problems.append(
                    Diagnostic(
                        "TP005",
                        f"this line has {len(line):,} characters; {LONGEST_LINE:,} is the most",
                        path,
                        (place,),
                    )
                )
                line = ""
            lines.append(line if opened[2] else "")
    if opened is not None and opened[2]:
        place = Caption(Span(opened[1], 1, opened[1], 4), "opened here")
        problems.append(Diagnostic("TP006", "this block is never closed", path, (place,), f"close it with {opened[0]}"))
    if not blocks:
        problems.append(
            Diagnostic(
                "TP007",
                f"there is no block marked `{fence}` in this file",
                path,
                hint=f"put the model between ```{fence} and ```",
            )
        )
    if problems:
        raise Invalid(problems, {path: text})
    return Page(path, text, tuple(lines))
