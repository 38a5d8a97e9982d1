"""Reading and writing: print and parse, places, continuation, the one layout."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests import trees
from turnproof.diagnostics import Invalid
from turnproof.language import printer
from turnproof.language import syntax as s
from turnproof.language.format import format_bytes, format_text
from turnproof.language.parser import nodes, parse_claims, parse_rulebook

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [
        *ROOT.glob("model/*.md"),
        *ROOT.glob("proofs/*.md"),
        ROOT / "docs/language.md",
        ROOT / "docs/combat.md",
        *ROOT.glob("tests/games/*.md"),
        *ROOT.glob("tests/corpus/*/*.md"),
    ]
)
slow = settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def fenced(text: str, mark: str = "rules") -> str:
    return f"# Page\n\n```{mark}\n{text}```\n"


@given(trees.rulebooks)
@slow
def test_printing_then_parsing_a_rulebook_is_the_identity(tree: s.RulebookTree) -> None:
    assert parse_rulebook(fenced(printer.rulebook(tree))) == tree


@given(trees.pages)
@slow
def test_printing_then_parsing_claims_is_the_identity(page: s.Claims) -> None:
    assert parse_claims(fenced(printer.claims(page), "claims")) == page


@given(trees.rulebooks)
@slow
def test_formatting_is_idempotent_and_keeps_the_meaning(tree: s.RulebookTree) -> None:
    once = format_text(fenced(printer.rulebook(tree)), "x.md", "rules")
    assert parse_rulebook(once) == tree
    assert format_text(once, "x.md", "rules") == once


@pytest.mark.parametrize("path", PAGES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_every_page_is_in_the_one_layout(path: Path) -> None:
    data = path.read_bytes()
    assert format_bytes(data, str(path)) == data.decode()


def test_formatting_keeps_prose_comments_and_empty_lines() -> None:
    text = (
        "Prose  stays.\n\n```rules\ngame   g   -- the game\n  players   2\n\n"
        '    -- a comment of its own\n[A]   note\nturn\n  a  "A"\n  bcd  "B"\n```\nMore.\n'
    )
    assert format_text(text, "x.md", "rules") == (
        "Prose  stays.\n\n```rules\ngame g  -- the game\n  players 2\n\n"
        '-- a comment of its own\n[A] note\nturn\n  a   "A"\n  bcd "B"\n```\nMore.\n'
    )


def test_every_node_knows_its_place() -> None:
    text = "Prose.\n\n```rules\n[A] during main,\n    active may play card if\n      active.hand > 0\n```\n"
    tree = parse_rulebook(text)
    lines = text.split("\n")
    said = {node.text: node.span for node in nodes(tree) if isinstance(node, s.Name)}
    place = said["hand"]
    assert lines[place.line - 1][place.column - 1 : place.end_column - 1] == "active.hand"
    assert [node.span.line for node in nodes(tree) if isinstance(node, s.PlayRef)] == [5]


def test_lines_go_on_below_only_where_they_are_unfinished() -> None:
    assert parse_rulebook(fenced("[A] a or\n  b is skipped\n")) == parse_rulebook(fenced("[A] a or b is skipped\n"))
    with pytest.raises(Invalid, match="TP022"):
        parse_rulebook(fenced("[A] a is skipped\n  if turn = 1\n"))


def test_all_faults_are_reported_together() -> None:
    with pytest.raises(Invalid) as caught:
        parse_rulebook(fenced("[A] a is skippd\n[B] note\n[C] at most one x per turn\n"))
    assert [d.span.line for d in caught.value.diagnostics] == [4, 6]


def test_blocks_of_other_kinds_and_longer_fences_are_prose() -> None:
    text = "````text\n```rules\nnonsense (\n```\n````\n~~~rules\n[A] note\n~~~\n```python\nimport os\n```\n"
    assert parse_rulebook(text) == s.RulebookTree((s.Note("A"),))
