"""Markdown to syntax tree. Every faulty line is reported; the tree holds the others only if none was faulty."""

from __future__ import annotations

import dataclasses
import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token
from lark.exceptions import UnexpectedEOF, UnexpectedInput, UnexpectedToken

from turnproof.diagnostics import MOST_PROBLEMS, Caption, Diagnostic, Invalid, suggestion
from turnproof.language import syntax as s
from turnproof.language.build import Builder
from turnproof.language.layout import Line, arrange
from turnproof.language.markdown import Page, decode, read
from turnproof.library import cache_folder

DEEPEST = 60
_WORD = "_W_"
_STARTS = ("top", "setting", "decl", "step", "stage", "play_item", "option", "body", "claims_top", "claim_item",
           "question_line")  # fmt: skip


@cache
def grammar() -> Lark:
    """The parser's tables; kept on disk between runs, keyed by the grammar's text."""
    text = _whole_words(files("turnproof.language").joinpath("grammar.lark").read_text(encoding="utf-8"))
    options: dict[str, Any] = {
        "parser": "lalr", "start": list(_STARTS), "propagate_positions": True,
        "maybe_placeholders": True,
    }  # fmt: skip
    place = cache_folder()
    if place is not None:
        key = hashlib.sha256(text.encode()).hexdigest()[:16]
        options["cache"] = str(place / f"grammar-{key}.bin")
    return Lark(text, **options)


def _whole_words(grammar_text: str) -> str:
    """The grammar with each quoted word as a terminal that ends where a word ends, so that `isskipped` is no `is`."""
    words = sorted(set(re.findall(r'"([a-z]+)"', grammar_text)))
    text = re.sub(r'"([a-z]+)"', lambda m: _WORD + m[1].upper(), grammar_text)
    return text + "".join(f"\n{_WORD}{word.upper()}.2: /{word}(?!\\w)/" for word in words) + "\n"


class _Reader:
    """Reads the lines of one page, and keeps what was wrong with them."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problems: list[Diagnostic] = []

    def problem(self, code: str, message: str, span: s.Span, hint: str = "") -> None:
        self.problems.append(Diagnostic(code, message, self.path, (Caption(span),), hint))
        if len(self.problems) >= MOST_PROBLEMS:
            raise Invalid(self.problems)

    def line(self, line: Line, start: str) -> Any:
        """What one line says, or None where it is faulty."""
        try:
            got = Builder().transform(grammar().parse(line.text, start=start))
        except UnexpectedInput as error:
            self._unexpected(line, error)
            return None
        got = _moved(got, line)
        if _depth(got) > DEEPEST:
            self.problem("TP012", f"this is nested more than {DEEPEST} deep", line.span, "use `define` for parts of it")
            return None
        return got

    def _unexpected(self, line: Line, error: UnexpectedInput) -> None:
        ended = isinstance(error, UnexpectedEOF) or (isinstance(error, UnexpectedToken) and error.token.type == "$END")
        before = _misspelt_before(line, error)
        if before is not None:
            token, hint = before
            self.problem("TP020", f"`{token}` cannot stand here", _token_span(line, token), hint)
        elif ended:
            span = line.span
            place = s.Span(span.end_line, span.end_column, span.end_line, span.end_column + 1)
            self.problem("TP021", "this line is not finished", place, _wanted(error))
        elif isinstance(error, UnexpectedToken):
            hint = suggestion(str(error.token), _words(error)) or _wanted(error)
            if str(error.token) == "=" and "`becomes`" in _wanted(error, all_of_them=True):
                hint = "to change a quantity, write `becomes`"
            if str(error.token) == "of" and re.search(r"\bat (start|end)\s+$", line.text[: error.token.start_pos or 0]):
                hint = "write `at the start of`, `at the end of`"
            self.problem("TP020", f"`{error.token}` cannot stand here", _token_span(line, error.token), hint)
        else:
            row, column = error.line, error.column
            found = line.text.split("\n")[row - 1][column - 1 : column]
            shift = line.column - 1 if row == 1 else 0
            place = s.Span(line.line + row - 1, column + shift, line.line + row - 1, column + shift + 1)
            self.problem("TP020", f"{_visible(found)} cannot stand here", place, _wanted(error))

    def children(self, line: Line, start: str, then: Callable[[Any, Line], Any] | None = None) -> tuple[Any, ...]:
        """What the lines inside a line say, without the faulty ones."""
        found = []
        for child in line.children:
            got = self.line(child, start)
            if got is None:
                continue
            if then is None:
                self.childless(child)
            found.append(then(got, child) if then else got)
        return tuple(found)

    def childless(self, line: Line) -> None:
        if line.children:
            self.problem(
                "TP022",
                "nothing can stand inside this line",
                line.children[0].span,
                "a line goes on below only after a comma, an open bracket, or a word like `and`",
            )


def parse_rulebook(text: str, path: str = "rulebook.md") -> s.RulebookTree:
    """The tree of a rulebook. Raises Invalid with every fault of the text."""
    page = read(text, path, "rules")
    with _texts(page):
        return _rulebook(page)


def _rulebook(page: Page) -> s.RulebookTree:
    reader, lines = _start(page)
    statements = tuple(
        statement for line in lines if (got := reader.line(line, "top")) is not None
        for statement in [_statement(reader, got, line)]
    )  # fmt: skip
    _stop(reader, page)
    return s.RulebookTree(statements)


def parse_claims(text: str, path: str = "claims.md") -> s.Claims:
    """The tree of a page of claims. Raises Invalid with every fault of the text."""
    page = read(text, path, "claims")
    with _texts(page):
        return _claims(page)


def _claims(page: Page) -> s.Claims:
    reader, lines = _start(page)
    head: s.Claims | None = None
    claims = []
    for line in lines:
        got = reader.line(line, "claims_top")
        if isinstance(got, s.Claims):
            if head is not None:
                reader.problem("TP031", "the game is named twice", line.span)
            reader.childless(line)
            head = got
        elif isinstance(got, s.Claim):
            claims.append(_claim(reader, got, line))
    if head is None and not reader.problems:
        reader.problem("TP050", "this page does not say which game it is about", s.NOWHERE, "begin with `game NAME`")
    _stop(reader, page)
    assert head is not None
    return dataclasses.replace(head, claims=tuple(claims))


def parse_disputes(text: str, path: str = "disputes.md") -> tuple[s.Dispute, ...]:
    """The disputes of a page; their questions are read later, in the words of the rulebook. Raises Invalid."""
    page = read(text, path, "disputes")
    with _texts(page):
        reader, lines = _start(page)
        found = tuple(dispute for line in lines if (dispute := _dispute(reader, line)) is not None)
        for at, one in enumerate(found):
            if one.id in {other.id for other in found[:at]}:
                reader.problem("TP032", f"[{one.id}] stands for two disputes", one.span)
        _stop(reader, page)
    return found


_DISPUTE = re.compile(r'\[([^\[\]\s|\\"]+)\]\s*"([^"\n]*)"\s*:\s*(\S.*)', re.DOTALL)


def _dispute(reader: _Reader, line: Line) -> s.Dispute | None:
    found = _DISPUTE.fullmatch(line.text.strip())
    if found is None:
        reader.problem("TP020", "this is no dispute", line.span, 'write `[ID] "what people ask": QUESTION`')
        return None
    items = reader.children(line, "claim_item")
    expects = [item for item in items if isinstance(item, s.Expect)]
    if len(expects) != 1:
        reader.problem("TP070", f"[{found[1]}] does not say once what it expects", line.span, "add `expect no`, say")
        return None
    by = [rule for item in items if isinstance(item, s.By) for rule in item.rules]
    said = any(isinstance(item, s.By) for item in items)
    unders = tuple(item for item in items if isinstance(item, s.Under))
    question = " ".join(found[3].split())
    return s.Dispute(found[1], found[2], question, expects[0], tuple(by) if said else None, unders, span=line.span)


def parse_question(text: str, path: str = "question") -> s.Asked:
    """The tree of one question in a rulebook's own words. Raises Invalid with what is wrong with it."""
    reader = _Reader(path)
    got = reader.line(Line(text, 1, 1), "question_line")
    if reader.problems or not isinstance(got, s.Asked):
        dice = re.search(r"\b(\d+) dice\b", text)
        hint = (
            f"of dice alone, ask `how many of {dice[1]} dice of 6 show > 3`; of a play, `how much …` it does"
            if dice
            else ""
        )
        raise Invalid([dataclasses.replace(one, hint=hint or one.hint) for one in reader.problems], {path: text})
    return got


def read_rulebook(data: bytes, path: str) -> s.RulebookTree:
    """`parse_rulebook` for the bytes of a file."""
    return parse_rulebook(decode(data, path), path)


@contextmanager
def _texts(page: Page) -> Iterator[None]:
    """Give an error the text that it is about."""
    try:
        yield
    except Invalid as invalid:
        raise Invalid(invalid.diagnostics, {page.path: page.text}) from None


def _start(page: Page) -> tuple[_Reader, list[Line]]:
    layout = arrange(page)
    if layout.problems and len(layout.problems) >= MOST_PROBLEMS:
        raise Invalid(layout.problems, {page.path: page.text})
    reader = _Reader(page.path)
    reader.problems += layout.problems
    return reader, layout.lines


def _stop(reader: _Reader, page: Page) -> None:
    if reader.problems:
        raise Invalid(reader.problems, {page.path: page.text})


def _statement(reader: _Reader, got: s.Statement, line: Line) -> s.Statement:
    """A statement with what stands inside it."""
    match got:
        case s.Game():
            return dataclasses.replace(got, settings=reader.children(line, "setting"))
        case s.StateBlock() | s.PieceBlock():
            return dataclasses.replace(got, decls=reader.children(line, "decl"))
        case s.Structure():
            return dataclasses.replace(got, steps=reader.children(line, "step", lambda g, c: _step(reader, g, c)))
        case s.ProcedureDecl():
            return dataclasses.replace(got, items=reader.children(line, "stage", lambda g, c: _stage(reader, g, c)))
        case s.PlayDecl():
            return dataclasses.replace(got, items=reader.children(line, "play_item"))
        case s.Rule(bodies=()):
            return dataclasses.replace(got, bodies=reader.children(line, "body"))
        case s.ReadAs() | s.Question():
            return dataclasses.replace(got, options=reader.children(line, "option", lambda g, c: _option(reader, g, c)))
        case _:
            reader.childless(line)
            return got


def _step(reader: _Reader, got: s.StepDecl, line: Line) -> s.StepDecl:
    return dataclasses.replace(got, steps=reader.children(line, "step", lambda g, c: _step(reader, g, c)))


def _stage(reader: _Reader, got: s.ProcedureItem, line: Line) -> s.ProcedureItem:
    if isinstance(got, s.Ranks):
        return dataclasses.replace(got, items=reader.children(line, "stage", lambda g, c: _stage(reader, g, c)))
    reader.childless(line)
    return got


def _option(reader: _Reader, got: s.Option, line: Line) -> s.Option:
    return dataclasses.replace(got, bodies=got.bodies + reader.children(line, "body"))


def _claim(reader: _Reader, got: s.Claim, line: Line) -> s.Claim:
    items = reader.children(line, "claim_item")
    expects = [item for item in items if isinstance(item, s.Expect)]
    if len(expects) != 1:
        reader.problem(
            "TP070", f"claim [{got.id}] does not say once what it expects", line.span, "add `expect proved`, say"
        )
        return got
    unders = tuple(item for item in items if isinstance(item, s.Under))
    effects = tuple(item for item in items if isinstance(item, s.Effects))
    return dataclasses.replace(got, expect=expects[0], under=unders, effects=effects)


def _moved(got: Any, line: Line) -> Any:
    """The same value with its spans counted in the file, not in the line."""

    def shift(span: s.Span) -> s.Span:
        across = line.column - 1
        return s.Span(
            span.line + line.line - 1,
            span.column + (across if span.line == 1 else 0),
            span.end_line + line.line - 1,
            span.end_column + (across if span.end_line == 1 else 0),
        )

    for node in nodes(got):
        object.__setattr__(node, "span", shift(node.span))
    return got


def nodes(value: Any) -> Iterator[Any]:
    """Every node with a span inside a value, each once, without recursion."""
    todo = [value]
    seen: set[int] = set()
    while todo:
        node = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, tuple):
            todo.extend(node)
        elif dataclasses.is_dataclass(node) and not isinstance(node, s.Span):
            todo.extend(getattr(node, f.name) for f in dataclasses.fields(node))
            if hasattr(node, "span"):
                yield node


def _depth(value: Any) -> int:
    """How deep a value is nested."""
    deepest = 0
    todo = [(value, 0)]
    while todo:
        node, depth = todo.pop()
        deepest = max(deepest, depth)
        if isinstance(node, tuple):
            todo.extend((part, depth) for part in node)
        elif dataclasses.is_dataclass(node) and not isinstance(node, s.Span):
            todo.extend((getattr(node, f.name), depth + 1) for f in dataclasses.fields(node))
    return deepest


_READABLE = {
    "NAME": "a name", "INT": "a number", "ID": "a rule id in brackets", "STRING": "a text in quotes",
    "COMPARE": "a comparison", "ADD": "`+` or `-`", "OF": "`.`", "$END": "the end of the line",
}  # fmt: skip


def _terminals(error: UnexpectedInput) -> list[str]:
    expected = getattr(error, "accepts", None) or getattr(error, "expected", None) or getattr(error, "allowed", ())
    return sorted(set(expected or ()))


def _words(error: UnexpectedInput) -> list[str]:
    """The plain words that could have stood there."""
    return [name.removeprefix(_WORD).lower() for name in _terminals(error) if name.startswith(_WORD)]


# What sentences and types begin with: a name in the place of one of these is likely to be it, misspelt.
_BEGINNINGS = (
    "active", "after", "all", "any", "during", "keeps", "nobody", "note", "opponent", "others", "overrides", "players",
    "priority", "read", "restates", "whenever", "board", "decide", "define",
    "effect", "procedure", "game", "open", "play", "reading", "steps",
    "trigger", "turn", "always", "never", "phases", "expect", "under", "language",
)  # fmt: skip
_CLAIMS = ("always", "never", "after", "whenever", "can", "every", "phases", "during", "at", "in", "it", "no")
_TYPES = ("bool", "int")


def _misspelt_before(line: Line, error: UnexpectedInput) -> tuple[Token, str] | None:
    """The name before a place where nothing fits, if it is nearly a word that begins a sentence or a type."""
    history = getattr(error, "token_history", None) or []
    end = error.token.start_pos if isinstance(error, UnexpectedToken) and error.token.type != "$END" else None
    last = history[-1] if history else _last_name(line, end)
    if not isinstance(last, Token) or last.type != "NAME":
        return None
    before = line.text[: last.start_pos or 0].rstrip()
    if before.endswith(":") and not before.startswith("["):
        hint = suggestion(str(last), _TYPES, cutoff=0.75)
    elif before.endswith(" may"):
        hint = suggestion(str(last), ("play", "use", "put", "make", "cast", "only", "not"), cutoff=0.75)
    elif re.fullmatch(r'\[[^\]]*\]\s*"[^"]*"\s*:', before):
        hint = suggestion(str(last), _CLAIMS, cutoff=0.75)
    elif re.fullmatch(r"(\[[^\]]*\])?", before):
        hint = suggestion(str(last), _BEGINNINGS, cutoff=0.8)
    else:
        hint = ""
    return (last, hint) if hint else None


def _last_name(line: Line, end: int | None) -> Token | None:
    """The name at the end of a line, or before a place in it, as a token."""
    found = re.search(r"[^\W\d]\w*$", line.text[:end].rstrip())
    if found is None:
        return None
    row = line.text.count("\n", 0, found.start())
    column = found.start() - (line.text.rfind("\n", 0, found.start()) + 1)
    return Token("NAME", found[0], start_pos=found.start(), line=row + 1, column=column + 1)


def _token_span(line: Line, token: Token) -> s.Span:
    row, column = token.line or 1, token.column or 1
    start = column + (line.column - 1 if row == 1 else 0)
    return s.Span(line.line + row - 1, start, line.line + row - 1, start + len(token))


def _visible(character: str) -> str:
    """A character as it can be shown: by its number where it cannot be seen."""
    if character.isprintable() and not character.isspace() and not unicodedata.combining(character):
        return f"`{character}`"
    return f"a character that cannot be seen (U+{ord(character):04X})"


def _wanted(error: UnexpectedInput, all_of_them: bool = False) -> str:
    """A hint that lists what could have stood there."""
    by_name = {t.name: t for t in grammar().terminals}
    wanted = []
    for name in _terminals(error):
        if name in _READABLE:
            wanted.append(_READABLE[name])
        elif name.startswith(_WORD):
            wanted.append(f"`{name.removeprefix(_WORD).lower()}`")
        elif name in by_name and by_name[name].pattern.type == "str":
            wanted.append(f"`{by_name[name].pattern.value}`")
    if not wanted:
        return ""
    wanted.sort(key=lambda word: word.startswith("`"))
    shown = wanted if all_of_them else wanted[:8] + (["…"] if len(wanted) > 8 else [])
    return "expected " + ", ".join(shown)
