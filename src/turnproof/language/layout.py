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
    r"([,(+*<>=-]|\"\":|\b(and|or|not|if|unless|then|while|only|that|to|from|by|becomes|is|may|during|despite))\s*$"
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
    """The lines at the margin, the comments after the last of them, and what was wrong."""

    lines: list[Line]
    trailing: list[str]
    problems: list[Diagnostic]


def arrange(page: Page) -> Layout:
    """The nesting of a page's lines; faulty lines are left out and reported."""
    root = Line("", 0, 0)
    stack: list[tuple[int, Line]] = [(-1, root)]
    problems: list[Diagnostic] = []
    comments: list[str] = []
    open_line: Line | None = None
    in_block = True
    too_long: set[int] = set()
    count = 0

    def problem(code: str, message: str, number: int, column: int, hint: str = "") -> None:
        place = Caption(Span(number, column, number, column + 1))
        problems.append(Diagnostic(code, message, page.path, (place,), hint))

    for number, raw in enumerate(page.lines, 1):
        code, comment = _split(raw)
        if not code.strip():
            if comment:
                comments.append(comment)
            if not raw.strip():
                open_line = None
                in_block = False
            continue
        if "\t" in code[: len(code) - len(code.lstrip())]:
            problem("TP010", "a tab in the indentation", number, 1, "indent with spaces")
            continue
        indent = len(code) - len(code.lstrip())
        if len(problems) >= MOST_PROBLEMS or count > MOST_LINES:
            break
        if open_line is not None and in_block and indent > stack[-1][0]:
            if len(open_line.text) <= LONGEST_STATEMENT:
                open_line.text += "\n" + code.rstrip()
                if len(open_line.text) > LONGEST_STATEMENT:
                    message = f"a statement of more than {LONGEST_STATEMENT:,} characters"
                    problem("TP005", message, open_line.line, open_line.column, "use `define` for parts of it")
                    too_long.add(id(open_line))
            if comment:
                open_line.comments.append(comment)
        else:
            while indent <= stack[-1][0]:
                stack.pop()
            if len(stack) > DEEPEST_LINES:
                problem("TP012", f"lines nested more than {DEEPEST_LINES} deep", number, indent + 1)
                continue
            siblings = stack[-1][1].children
            if siblings and siblings[0].column != indent + 1 and siblings[0].line > stack[-1][1].line:
                problem(
                    "TP011",
                    f"this line is indented by {indent}, its neighbours above by {siblings[0].column - 1}",
                    number,
                    indent + 1,
                    "give lines that belong together the same indentation",
                )
                continue
            count += 1
            if count > MOST_LINES:
                problem("TP004", f"more than {MOST_LINES:,} statements; the rest is not read", number, indent + 1)
            line = Line(code.strip(), number, indent + 1, [*comments, *([comment] if comment else [])])
            comments = []
            siblings.append(line)
            stack.append((indent, line))
            open_line = line
        in_block = True
        unfinished = _UNFINISHED.search(_without_strings(code)) or _balance(open_line.text) > 0
        if not unfinished and id(open_line) not in too_long:
            open_line = None
    root.children = [line for line in root.children if id(line) not in too_long]
    kept = [line for line in root.children if _bracketed(line, page.path, problems)]
    return Layout(kept, comments, problems)


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
