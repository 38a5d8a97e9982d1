"""What the documents say is so: every example runs, every page made from something is up to date."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.reference import diagnostics_page
from turnproof import load
from turnproof.cli import app
from turnproof.diagnostics.codes import CODES
from turnproof.language.parser import parse_rulebook

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/*.md")])
DRAFTS = sorted(p for p in ROOT.glob("docs/paper/*.md") if p.stem != "README")


def blocks(path: Path, mark: str) -> list[str]:
    """The fenced blocks of a page that are marked so."""
    return re.findall(rf"(?ms)^```{mark}\n(.*?)^```", path.read_text(encoding="utf-8"))


def test_the_reference_of_the_language_is_a_rulebook_whose_claims_hold() -> None:
    report = load(ROOT / "docs/language.md").check()
    assert [(c.claim.id, c.result.verdict) for c in report.claims if not c.as_expected] == []
    assert report.pressing == ()


def test_the_tutorial_is_a_rulebook_and_its_reports_are_what_the_check_says() -> None:
    said = CliRunner().invoke(app, ["check", str(ROOT / "docs/tutorial.md")])
    assert said.exit_code == 0, said.output
    for shown in blocks(ROOT / "docs/tutorial.md", "text"):
        assert shown in said.output


SHOWN = re.findall(
    r"(?ms)^```text\n\$ turnproof ask ([^\n]*)\n(.*?)^```",
    "".join((ROOT / name).read_text(encoding="utf-8") for name in ("docs/questions.md", "README.md")),
)


@pytest.mark.parametrize(("arguments", "answer"), SHOWN)
def test_the_questions_shown_are_answered_as_shown(arguments: str, answer: str) -> None:
    assert CliRunner().invoke(app, ["ask", *shlex.split(arguments)]).output == answer


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.stem)
def test_python_examples_print_what_they_say(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for code, printed in re.findall(r"(?ms)^```python\n(.*?)^```\n\nprints\n\n```text\n(.*?)^```", text):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, str(path), "exec"), {})
        assert out.getvalue() == printed


def test_the_page_of_diagnostics_is_made_from_the_table() -> None:
    assert (ROOT / "docs/diagnostics.md").read_text(encoding="utf-8") == diagnostics_page()


def test_every_code_that_is_raised_stands_in_the_table_and_every_entry_is_raised() -> None:
    sources = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "src").rglob("*.py") if p.stem != "codes")
    raised = set(re.findall(r'"((?:TP|F)\d{3})"', sources))
    assert raised == set(CODES)


@pytest.mark.parametrize("path", DRAFTS, ids=lambda p: p.stem)
def test_the_drafts_use_the_grammar_except_where_they_say_so(path: Path) -> None:
    for block in blocks(path, "rules-draft"):
        kept = "\n".join(without_new(block.split("\n")))
        parse_rulebook(f"```rules\n{kept}\n```\n", str(path))


def without_new(lines: list[str]) -> list[str]:
    """The lines that are not marked as new, nor indented under one that is."""
    kept: list[str] = []
    above: int | None = None
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if above is not None and line.strip() and indent <= above:
            above = None
        if above is None and line.rstrip().endswith("-- new"):
            above = indent
        elif above is None:
            kept.append(line)
    return kept


def test_links_between_pages_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
