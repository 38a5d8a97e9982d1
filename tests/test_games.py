"""Rulebooks of other sorts: keyword abilities, a grid with dice, three players who choose in secret."""

from __future__ import annotations

from pathlib import Path

import pytest

from turnproof import load

ROOT = Path(__file__).parents[1]
PAGES = [*sorted((ROOT / "tests/games").glob("*.md")), ROOT / "docs/combat.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_claim_is_as_expected_and_nothing_is_found(page: Path) -> None:
    report = load(page).check()
    assert {c.claim.id: (c.result.verdict, c.result.why) for c in report.claims if not c.as_expected} == {}
    assert report.pressing == ()
    assert len(report.claims) >= 5
