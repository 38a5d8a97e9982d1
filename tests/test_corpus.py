"""Small rulebooks by outcome: each says which verdicts it expects, and has one of those its folder is named after."""

from __future__ import annotations

from pathlib import Path

import pytest

from turnproof import load
from turnproof.report.json import check as as_json

CORPUS = Path(__file__).parent / "corpus"
FILES = sorted(CORPUS.glob("*/*.md"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_verdicts_are_as_expected(path: Path) -> None:
    report = load(path).check()
    assert [(c.claim.id, c.result.verdict, c.result.reasons) for c in report.claims if not c.as_expected] == []
    assert path.parent.name in {c.result.verdict for c in report.claims}
    assert bool(report.pressing) == (path.parent.name in ("unknown", "contradiction"))


def test_there_is_a_case_of_every_verdict_that_can_be_given() -> None:
    folders = {path.parent.name for path in FILES}
    assert folders == {"proved", "refuted", "depends", "silent", "contradiction", "unknown"}


def test_the_same_check_twice_says_the_same() -> None:
    path = CORPUS / "refuted/money.md"
    first, second = (as_json([load(path).check()], [], 0) for _ in range(2))
    assert first == second
