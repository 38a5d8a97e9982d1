"""Variants: rulebooks that extend others, and what is otherwise in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from turnproof import load
from turnproof.cli import app
from turnproof.diagnostics import Invalid
from turnproof.variants import difference, variants_of, verdicts_in

BASE = """```rules
game base "Base"
  players 2
  language en
each player has
  hand, gold : int >= 0
turn
  a
  b
play act "act"
play rest "rest"
[A] during a, active may act
[B] despite [A], nobody may act if active.gold = 0
[C] restates [B]
[D] at the end of a, active.gold += 1
[E] at the start of b, lower active.hand to 7
```
"""

DISPUTE = """
```disputes
[Y] "How much?": how much gold do I gain in a
  expect 1
```
"""


def project(folder: Path, variant: str) -> Path:
    (folder / "model").mkdir()
    (folder / "model/base.md").write_text(BASE, encoding="utf-8")
    page = folder / "model/variant.md"
    page.write_text(f"```rules\ngame variant\n  extends base\n{variant}\n```\n", encoding="utf-8")
    return page


def test_a_variant_is_its_base_without_what_it_removes_and_with_what_it_says(tmp_path: Path) -> None:
    page = project(tmp_path, "removes [B]\n[D] at the end of a, active.gold += 2\n[F] during b, active may rest")
    book = load(page).book
    assert book.rules == ("A", "E", "D", "F")
    assert (book.name, book.language, len(book.players)) == ("variant", "en", 2)
    assert load(page).ask("how much gold do I gain in a when my hand = 1").said == "2"
    assert load(page).ask("may I act in a when my gold = 0").said == "yes"
    assert "C" not in book.background


@pytest.mark.parametrize(
    ("variant", "code"),
    [("removes [Z]", "TP033"), ("removes [A]\n[F] despite [A], during b, active may rest", "TP033")],
)
def test_what_a_variant_cannot_do(tmp_path: Path, variant: str, code: str) -> None:
    page = project(tmp_path, variant)
    with pytest.raises(Invalid) as invalid:
        load(page)
    assert {fault.code for fault in invalid.value.diagnostics} == {code}


def test_nothing_is_removed_from_nothing_and_no_rulebook_extends_itself(tmp_path: Path) -> None:
    page = project(tmp_path, "")
    page.write_text(BASE.replace("[A] during", "removes [A]\n[A] during"), encoding="utf-8")
    with pytest.raises(Invalid) as invalid:
        load(page)
    assert invalid.value.diagnostics[0].code == "TP069"
    page.write_text("```rules\ngame variant\n  extends variant\n```\n", encoding="utf-8")
    with pytest.raises(Invalid) as invalid:
        load(page)
    assert invalid.value.diagnostics[0].code == "TP069"


def test_what_is_otherwise(tmp_path: Path) -> None:
    page = project(tmp_path, "removes [B]\n[D] at the end of a, active.gold += 2\n[F] during b, active may rest")
    found = difference(load(tmp_path / "model/base.md"), load(page))
    assert (found.added, found.removed, found.changed) == (("F",), ("B", "C"), ("D",))
    assert [(one.only_in, one.role, one.play, one.steps) for one in found.plays] == [
        ("variant", "the active player", "rest", ("b",))
    ]
    (play,) = found.plays
    assert play.shown is not None
    assert play.shown.happened[-1].command.play.name == "rest"
    assert [one.after["step"] for one in play.shown.happened] == ["a", "b", "b"]


CLAIMS = """```claims
game base
[X1] "Nobody acts without gold": never act if active.gold = 0
  expect proved
[X2] "Nobody rests": never rest
  expect proved
```
"""


def test_the_matrix_names_the_variants_that_break_a_claim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project(tmp_path, "removes [B]\n[F] during b, active may rest")
    (tmp_path / "proofs").mkdir()
    (tmp_path / "proofs/base.md").write_text(CLAIMS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    base = load("base")
    (variant,) = variants_of(base)
    assert verdicts_in(base, variant) == {"X1": "refuted", "X2": "refuted"}
    lines = CliRunner().invoke(app, ["check", "base", "--matrix", "--jobs", "1"]).output.splitlines()
    assert "refuted in variant" in next(line for line in lines if "X1" in line)


def test_classic_magic_and_its_modern_variant() -> None:
    """No mana burn, and nothing between the assignment of damage and its being dealt."""
    result = CliRunner().invoke(app, ["diff", "magic", "magic-modern", "--no-claims"])
    assert result.exit_code == 0
    assert "only magic allows, by the active player: un éphémère in Étape d'attribution des blessures" in result.output
    assert "[M0-d] at the end of every phase, active.vie -= active.réserve" in result.output
    assert load("magic").ask("how much vie do I lose in principale when my réserve = 3").said == "3"
    assert load("magic-modern").ask("how much vie do I lose in principale when my réserve = 3").said == "0"


def test_a_kept_answer_does_not_outlive_a_change_of_what_is_extended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    page = project(tmp_path, '```\n\n```disputes\n[Y] "How much?": how much gold do I gain in a\n  expect 1')
    first = load(page).settle(cached=True)
    base = tmp_path / "model/base.md"
    base.write_text(BASE.replace("active.gold += 1", "active.gold += 3"), encoding="utf-8")
    assert [one.answer.said for one in (*first, *load(page).settle(cached=True))] == ["1", "3"]


def test_a_rulebook_with_disputes_of_its_own_still_has_the_claims_and_disputes_kept_elsewhere(tmp_path: Path) -> None:
    project(tmp_path, "")
    page = tmp_path / "model/base.md"
    page.write_text(BASE + DISPUTE, encoding="utf-8")
    (tmp_path / "proofs").mkdir()
    other = tmp_path / "proofs/base.md"
    other.write_text(CLAIMS + DISPUTE.replace("[Y]", "[Z]").replace("in a", "in b"), encoding="utf-8")
    game = load(page)
    assert game.page is not None
    assert [claim.id for claim in game.page.claims] == ["X1", "X2"]
    assert [(one.dispute.id, one.answer.said) for one in game.settle()] == [("Y", "1"), ("Z", "0")]
    other.write_text(CLAIMS + DISPUTE, encoding="utf-8")
    with pytest.raises(Invalid) as invalid:
        load(page)
    (fault,) = invalid.value.diagnostics
    assert (fault.code, fault.path, fault.places[0].span.line) == ("TP032", str(other), 10)
    page.write_text(BASE + DISPUTE + DISPUTE, encoding="utf-8")
    with pytest.raises(Invalid, match="TP032"):
        load(page)
