"""What is found without being asked: contradictions that are planted are found, and none where there is none."""

from __future__ import annotations

import os
from functools import cache
from random import Random

import pytest

from tests.soundness.test_removal import GAMES, library
from turnproof import from_text, load
from turnproof.findings.clash import permissions, values
from turnproof.findings.inquiry import Inquiry
from turnproof.findings.look import look
from turnproof.language import syntax as s
from turnproof.rulebook.check import check
from turnproof.solve.ask import Session
from turnproof.solve.smt import Script, codes

# So many plants in each game; a hundred in all in long runs.
PLANTS = 25 if os.environ.get("TURNPROOF_FUZZ") else 5
PLANT = "planted"


@cache
def grants(game: str) -> tuple[tuple[str, str, str, str], ...]:
    """Rules that allow something which can then be done, with the play, the step and whether by the active player.

    Found from what can happen, not from what rules say: a state in which the happening can occur by that rule.
    """
    _, system = library(game)
    found: dict[tuple[str, str, str, str], None] = {}
    for at, command in enumerate(system.commands):
        if command.play.kind != "play":
            continue
        for rule, holds in command.permits:
            script = Script(system, codes(system))
            script.rigid(tags_free=False)
            state = script.state(0)
            script.require(script.only(0, at))
            script.require(script.expr(holds, state, script.params(0, at)))
            for selector in system.selectors:
                usual = selector.options.index(selector.default or selector.options[0])
                script.require(f"(= |reading {selector.name}| {usual})")
            model = Session(script.text).ask().model
            if model is not None:
                names = {number: name for name, number in script.codes.numbers.items()}
                step = names[model.number("0.step") or 0]
                active = names[model.number("0.active") or 0]
                who = "active" if command.play.player == active else "opponent"
                found[rule, command.play.name, step, who] = None
    return tuple(found)


@pytest.mark.parametrize("game", GAMES)
def test_planted_contradictions_are_found(game: str) -> None:
    rng = Random(game)
    book, _ = library(game)
    missed = []
    for _ in range(PLANTS):
        rule, play, step, who = rng.choice(grants(game))
        banned = rng.choice(book.plays[play].ancestors)
        where = rng.choice(book.lineage(step))
        by, mode = rng.choice(((who, "may not"), ("nobody", "may")))
        ban = s.Permission((where,), by, mode, (s.PlayRef(banned),), None, None)
        planted = check(s.RulebookTree((*book.tree.statements, s.Rule(PLANT, (), (ban,)))), book.path, "")
        if (rule, PLANT) not in {finding.rules for finding in permissions(Inquiry(planted))}:
            missed.append((rule, play, step, who, ban))
    assert len(missed) <= PLANTS // 20, missed


KNOWN = {
    "taiji": {("T8.C-b", "T8.0-g"), ("T8.C-f", "TF-05")},
    "magic": {("M1b-c", "M1a-b"), ("M1c-b", "M1a-b"), ("M1b-c", "M1a-c"), ("M1c-b", "M1a-c"), ("M3d-g", "M3d-k")},
    "duelo": {("D1.1-d", "D1.1-e"), ("D1.1-d", "D1.1-f"), ("D2.3-e", "D2.3-d")},
    "summoners-gate": set(),
}


@pytest.mark.parametrize("game", GAMES)
def test_the_library_has_the_contradictions_of_its_texts_and_acknowledges_them(game: str) -> None:
    """TF-07 and TF-05; MF-01 and MF-12 under their literal readings; DF-03 and DF-12."""
    of = Inquiry(library(game)[0])
    found = [*permissions(of), *values(of)]
    assert {finding.rules for finding in found} == KNOWN[game]
    assert all(finding.acknowledged for finding in found)


WANTED = {
    "taiji": {"F006": {"TF-02"}, "F007": {"T8.C-g"}, "F004": {"T8.0-g"}, "F008": {"T7.6b-a"}},
    "duelo": {"F003": {"D1.1-d", "D2.3-d"}, "F006": {"DF-19"}},
    "magic": {"F003": {"M1a-b"}, "F004": {"M3d-g", "M3d-k"}, "F005": {"M2-a"}, "F006": {"MF-04"}},
    "summoners-gate": {"F006": {"SF-10", "SF-14", "SF-23", "SF-28"}},
}


@pytest.mark.parametrize("game", GAMES)
def test_what_people_argue_about_is_found(game: str) -> None:
    """TF-02, 04, 07, 19; DF-03, 12, 19; MF-01, 03, 04, 12; SF-10, 14, 23, 28: each a question, with a situation."""
    found = look(library(game)[0])
    for code, rules in WANTED[game].items():
        of_code = [finding for finding in found if finding.code == code]
        assert rules <= {rule for finding in of_code for rule in finding.rules}
    for finding in found:
        assert finding.question
        if finding.code in ("F003", "F004"):
            assert finding.outcomes


def test_a_contradiction_presses_until_it_is_acknowledged() -> None:
    page = """```rules
game g
each player has
  hand : int >= 0
turn
  a
play act
  player.hand += 1
[A] during a, active may act
[B] during a, nobody may act
```
"""
    report = from_text(page).check()
    assert [(one.code, one.rules) for one in report.pressing] == [("F003", ("A", "B"))]
    known = page.replace("[B] during", 'open [Q] "Which?" about [A], [B]\n[B] during')
    assert from_text(known).check().pressing == ()
    assert from_text(page.replace("[B] during", "[B] despite [A], during")).check().pressing == ()


def test_no_contradiction_where_a_game_cannot_come() -> None:
    page = """```rules
game g
the game has
  n : int 0 .. 3 = 0
turn
  a
  b
play act
[A] during a, active may act
[B] during a, nobody may act if n > 2
[C] at the start of a, n becomes 1
[D] at the start of b, n becomes 2
```
"""
    assert from_text(page).check().pressing == ()
    assert [one.rules for one in from_text(page.replace("becomes 2", "becomes 3")).check().pressing] == []
    assert from_text(page.replace("n becomes 1", "n becomes 3")).check().pressing != ()


def test_findings_of_the_library_are_kept_apart_from_what_presses() -> None:
    assert load("duelo").check(cached=True).pressing == ()
