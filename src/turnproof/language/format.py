"""`turnproof fmt`: the blocks of a page in one layout. Prose, comments and empty lines stay where they are."""

from __future__ import annotations

import re
from typing import Any

from turnproof.language import printer
from turnproof.language import syntax as s
from turnproof.language.build import Builder
from turnproof.language.layout import Line, arrange
from turnproof.language.markdown import decode, has_block, read
from turnproof.language.parser import grammar, parse_claims, parse_rulebook

WIDTH = 120
_BREAK = re.compile(r"(?:,|\b(?:and|or|if|unless|then|only)) (?=\S)")


def format_bytes(data: bytes, path: str) -> str:
    """The formatted text of a file, its rules and its claims. Raises Invalid if it is faulty."""
    text = decode(data, path)
    fences = [fence for fence in ("rules", "claims") if has_block(text, fence)] or ["rules"]
    for fence in fences:
        text = format_text(text, path, fence)
    return text


def format_text(text: str, path: str, fence: str) -> str:
    """`text` with its blocks in the one layout. Raises Invalid if it does not parse."""
    (parse_rulebook if fence == "rules" else parse_claims)(text, path)
    page = read(text, path, fence)
    rows: list[str | None] = list(text.split("\n"))
    start = "top" if fence == "rules" else "claims_top"
    for line in arrange(page).lines:
        _rewrite(line, start, 0, 0, rows)
    _indent_comments(rows, page.lines)
    return "\n".join(row for row in rows if row is not None)


def _rewrite(line: Line, start: str, depth: int, pad: int, rows: list[str | None]) -> None:
    """Put the formatted form of a line and its children in the place of its rows."""
    node = Builder().transform(grammar().parse(line.text, start=start))
    printed = "  " * depth + _head(node, pad)
    span = line.span
    first = line.line - 1
    own = [c for c in _own_comments(rows[first : span.end_line]) if c.strip()]
    rows[first : span.end_line] = [None] * (span.end_line - first)
    wrapped = _wrap(printed, depth)
    if own:
        wrapped[-1 if len(own) == 1 else 0] += "  -- " + "; ".join(own)
    rows[first] = "\n".join(wrapped)
    inner = _child_start(node)
    width = max((len(child.text.split()[0]) for child in line.children), default=0) if inner in ("step", "stage") else 0
    for child in line.children:
        _rewrite(child, inner, depth + 1, width, rows)


def _own_comments(rows: list[str | None]) -> list[str]:
    """The comments that stand on the rows of a statement."""
    found = []
    for row in rows:
        bare = re.sub(r'"[^"\n]*"', lambda m: "_" * len(m.group()), row or "")
        if (at := bare.find("--")) >= 0:
            found.append((row or "")[at + 2 :].strip())
    return found


def _indent_comments(rows: list[str | None], code: tuple[str, ...]) -> None:
    """Give a row that only holds a comment the indentation of the statement below it."""
    indent = ""
    for at in range(len(rows) - 1, -1, -1):
        row = rows[at]
        if row is None or not code[at].strip():
            continue
        if row.lstrip().startswith("--"):
            rows[at] = indent + "-- " + row.strip()[2:].strip() if row.strip() != "--" else indent + "--"
        else:
            indent = row[: len(row) - len(row.lstrip())]


def _wrap(text: str, depth: int) -> list[str]:
    """A long line in pieces, each but the last ending where a statement may go on below."""
    lines: list[str] = []
    rest = text
    while len(rest) > WIDTH:
        cut = [m.end() for m in _BREAK.finditer(_masked(rest)) if len(rest[: m.end()].strip()) > 12]
        fitting = [at for at in cut if at <= WIDTH]
        if not cut:
            break
        after_title = re.match(r"\s*\[[^\]]+\] _+: ", _masked(rest))
        at = after_title.end() if after_title else fitting[-1] if fitting else cut[0]
        lines.append(rest[:at].rstrip())
        rest = "  " * (depth + 2) + rest[at:].lstrip()
    return [*lines, rest]


def _masked(text: str) -> str:
    return re.sub(r'"[^"\n]*"', lambda m: "_" * len(m.group()), text)


def _head(node: Any, pad: int) -> str:
    match node:
        case s.Players() | s.Language() | s.ParticularFirst() | s.RoundOf() | s.Extends() | s.Edition():
            return printer.setting_head(node)
        case s.Decl():
            return printer.decl_head(node)
        case s.StepDecl(name, titles, role):
            texts = printer.step_head(s.StepDecl("", titles, role))
            return name.ljust(pad) + texts if texts else name
        case s.Stage(name, titles):
            texts = printer.stage_head(s.Stage("", titles))
            return name.ljust(pad) + texts if texts else name
        case s.Ranks():
            return printer.stage_head(node)
        case s.PieceParam() | s.Amounts() | s.Stacked() | s.Does() | s.ComesFrom() | s.Cells() | s.Throw():
            return printer.item_head(node)
        case s.Option():
            inline = f" {printer.body_head(node.bodies[0])}" if node.bodies else ""
            return printer.option_head(node) + inline
        case s.Claims(game):
            return f"game {game}"
        case s.Claim():
            return printer.claim_head(node)
        case s.Expect():
            return printer.expect_head(node)
        case s.Under():
            return printer.under_head(node)
        case s.Effects():
            return printer.effects_head(node)
        case s.Permission() | s.Happening() | s.Whenever() | s.Skip() | s.AtOnce() | s.Obligation() | s.Cost():
            return printer.body_head(node)
        case s.Limit() | s.Next() | s.TurnPasses() | s.Keeps() | s.Priority() | s.Loses() | s.Window():
            return printer.body_head(node)
        case s.Needs() | s.Decides() | s.PassedOver():
            return printer.body_head(node)
        case _:
            return printer.head(node)


def _child_start(node: Any) -> str:
    """Which start of the grammar reads the lines inside a node."""
    match node:
        case s.Game():
            return "setting"
        case s.StateBlock() | s.PieceBlock():
            return "decl"
        case s.Structure() | s.StepDecl():
            return "step"
        case s.ProcedureDecl() | s.Ranks():
            return "stage"
        case s.PlayDecl():
            return "play_item"
        case s.ReadAs() | s.Question():
            return "option"
        case s.Claim():
            return "claim_item"
        case _:
            return "body"
