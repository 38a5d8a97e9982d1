"""Lines and their nesting. A deeper line belongs to the one above it; a line that is not finished goes on below.

A line is unfinished if it ends with a comma, an open bracket, an operator, or a word that wants more (`and`, `if`,
`to`, and so on). Comments run from `--` to the end of the line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from turnproof.diagnostics import MOST_PROBLEMS, Caption, Diagnostic
from turnproof.language.markdown import Page
from turnproof.language.syntax import Span

_UNFINISHED = re.compile(
    r"([,(+*<>=-]|\"\":|\bevery\b[^:]*:"
    r"|\b(and|or|not|if|unless|then|while|only|that|to|from|by|becomes|is|may|during|despite|where|among))\s*$"
)
_TOKEN = re.compile(r'"[^"\n]*"|--.*|[()]')
MOST_BRACKETS = 40
LONGEST_STATEMENT = 4_000
DEEPEST_LINES = 12
MOST_LINES = 10_000


@dataclass(slots=True)
class Line:
    """A logical line: `text` keeps its line breaks, so that `line` and `column` of its start give every place."""

    text: str
    line: int
    column: int
    comments: list[str] = field(default_factory=list)
    children: list[Line] = field(default_factory=list)

    @property
    def span(self) -> Span:
        """From its first character to its last."""
        rows = self.text.split("\n")
        last = len(rows[-1]) + (self.column if len(rows) == 1 else 1)
        return Span(self.line, self.column, self.line + len(rows) - 1, last)


@dataclass(slots=True)
class Layout:
    """The lines at the margin, and what was wrong."""

    lines: list[Line]
    problems: list[Diagnostic]


def arrange(page: Page) -> Layout:
    """The nesting of a page's lines; faulty lines are left out and reported."""
    arranger = _Arranger(page.path)
    for number, raw in enumerate(page.lines, 1):
        if arranger.full:
            break
        arranger.take(number, raw)
    arranger.drop_too_long()
    kept = [line for line in arranger.root.children if _bracketed(line, page.path, arranger.problems)]
    return Layout(kept, arranger.problems)


class _Arranger:
    """Puts one line after the other where it belongs. `stack` are the lines that the next one can stand in."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.root = Line("", 0, 0)
        self.stack: list[tuple[int, Line]] = [(-1, self.root)]
        self.problems: list[Diagnostic] = []
        self.comments: list[str] = []
        self.open_line: Line | None = None
        self.too_long: set[int] = set()
        self.count = 0

    @property
    def full(self) -> bool:
        """Whether there are so many faults or lines that the rest is not read."""
        return len(self.problems) >= MOST_PROBLEMS or self.count > MOST_LINES

    def problem(self, code: str, message: str, number: int, column: int, hint: str = "") -> None:
        place = Caption(Span(number, column, number, column + 1))
        self.problems.append(Diagnostic(code, message, self.path, (place,), hint))

    def take(self, number: int, raw: str) -> None:
        """The next row of the page: nothing, a comment, a line of its own, or more of an unfinished one."""
        code, comment = _split(raw)
        if not code.strip():
            if comment:
                self.comments.append(comment)
            if not raw.strip():
                self.open_line = None
            return
        indent = len(code) - len(code.lstrip())
        if "\t" in code[:indent]:
            self.problem("TP010", "a tab in the indentation", number, 1, "indent with spaces")
            return
        if self.open_line is not None and indent > self.stack[-1][0]:
            self.go_on(self.open_line, code)
            self.open_line.comments += [comment] if comment else []
        elif not self.begin(number, indent, code.strip(), comment):
            return
        line = self.stack[-1][1]
        unfinished = _UNFINISHED.search(_without_strings(code)) or _balance(line.text) > 0 or id(line) in self.too_long
        self.open_line = line if unfinished else None

    def go_on(self, line: Line, code: str) -> None:
        """More of an unfinished line."""
        if len(line.text) > LONGEST_STATEMENT:
            return
        line.text += "\n" + code.rstrip()
        if len(line.text) > LONGEST_STATEMENT:
            message = f"a statement of more than {LONGEST_STATEMENT:,} characters"
            self.problem("TP005", message, line.line, line.column, "use `define` for parts of it")
            self.too_long.add(id(line))

    def begin(self, number: int, indent: int, text: str, comment: str) -> bool:
        """A line of its own, if it can stand where it does."""
        while indent <= self.stack[-1][0]:
            self.stack.pop()
        above = self.stack[-1][1]
        if len(self.stack) > DEEPEST_LINES:
            self.problem("TP012", f"lines nested more than {DEEPEST_LINES} deep", number, indent + 1)
            return False
        if above.children and above.children[0].column != indent + 1:
            message = f"this line is indented by {indent}, its neighbours above by {above.children[0].column - 1}"
            hint = "give lines that belong together the same indentation"
            self.problem("TP011", message, number, indent + 1, hint)
            return False
        self.count += 1
        if self.count > MOST_LINES:
            self.problem("TP004", f"more than {MOST_LINES:,} statements; the rest is not read", number, indent + 1)
        line = Line(text, number, indent + 1, [*self.comments, *([comment] if comment else [])])
        self.comments = []
        above.children.append(line)
        self.stack.append((indent, line))
        return True

    def drop_too_long(self) -> None:
        """Leave out the statements that were cut off."""
        self.root.children = [line for line in self.root.children if id(line) not in self.too_long]


def _split(raw: str) -> tuple[str, str]:
    """A line without its comment, and the comment without its dashes."""
    for token in _TOKEN.finditer(raw):
        if token.group().startswith("--"):
            return raw[: token.start()], token.group()[2:].strip() or " "
    return raw, ""


def _without_strings(code: str) -> str:
    return re.sub(r'"[^"\n]*"', '""', code)


def _balance(text: str) -> int:
    """How many brackets stay open at the end."""
    bare = _without_strings(text)
    return bare.count("(") - bare.count(")")


def _bracketed(line: Line, path: str, problems: list[Diagnostic]) -> bool:
    """Whether the brackets of a line are not too deep; its children that are not fine are dropped."""
    depth = 0
    for at, character in enumerate(_without_strings(line.text)):
        depth += (character == "(") - (character == ")")
        if depth > MOST_BRACKETS:
            row = line.text.count("\n", 0, at)
            place = Caption(Span(line.line + row, 1 if row else line.column, line.line + row, line.column + 1))
            problems.append(
                Diagnostic(
                    "TP012", f"brackets more than {MOST_BRACKETS} deep", path, (place,), "use `define` for parts"
                )
            )
            return False
    line.children = [child for child in line.children if _bracketed(child, path, problems)]
    return True
