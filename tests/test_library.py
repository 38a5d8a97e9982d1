"""The games of the library: their verdicts, their ids, and what happens to verdicts when rules are taken out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from turnproof import Game, from_text, load
from turnproof.language import syntax as s
from turnproof.language.parser import nodes

ROOT = Path(__file__).parents[1]
TAIJI = (ROOT / "model/taiji.md").read_text(encoding="utf-8")
TAIJI_CLAIMS = (ROOT / "proofs/taiji.md").read_text(encoding="utf-8")
NOTED_KINDS = ("flavour", "definition", "phase-order", "worked example")


@pytest.fixture(scope="module", params=["taiji", "magic", "duelo", "summoners-gate"])
def game(request: pytest.FixtureRequest) -> Game:
    return load(str(request.param))


def test_every_claim_has_the_expected_verdict_and_nothing_is_found(game: Game) -> None:
    report = game.check(cached=True)  # `make check` has just decided them
    assert {c.claim.id: (c.result.verdict, c.result.reasons) for c in report.claims if not c.as_expected} == {}
    assert report.pressing == ()
    assert [one.dispute.id for one in report.disputes if not one.as_expected] == []


@pytest.mark.parametrize(
    ("name", "claim"),
    [("taiji", c) for c in ("TC-01", "TC-02", "TC-03", "TC-05", "TC-06", "TC-08", "TC-20")]
    + [("magic", c) for c in ("MC-01", "MC-03", "MC-04", "MC-05", "MC-08", "MC-09", "MC-18", "MC-19", "MC-22", "MC-24")]
    + [("taiji", c) for c in ("TC-09", "TC-10", "TC-11", "TC-15", "TC-22")]
    + [("magic", c) for c in ("MC-11", "MC-14", "MC-20")]
    + [("duelo", c) for c in ("DC-09", "DC-10", "DC-14")]
    + [("summoners-gate", c) for c in ("SC-13", "SC-14", "SC-15", "SC-16", "SC-18", "SC-20")],
)
def test_the_core_claims_are_proved(name: str, claim: str) -> None:
    (result,) = load(name).check(claims=[claim], cached=True).claims
    assert result.result.verdict == "proved"


def test_the_rules_of_tc_02_are_exactly_the_two_bans() -> None:
    (result,) = load("taiji").check(claims=["TC-02"]).claims
    assert result.result.proof is not None
    assert result.result.proof.rules == ("T7.1-d", "T7.1-e")


def without(rule: str) -> Game:
    """Taiji without a rule of one line, or of one line and those indented below it."""
    text = re.sub(rf"(?m)^\[{re.escape(rule)}\] .*\n(?:  .*\n)*", "", TAIJI)
    assert text != TAIJI
    return from_text(text, TAIJI_CLAIMS)


def test_without_a_ban_tc_02_depends_on_what_silence_means() -> None:
    (result,) = without("T7.1-e").check(claims=["TC-02"]).claims
    assert (result.result.verdict, result.result.reasons, result.result.complete) == ("depends", ("silence",), True)
    assert {(tuple(case.readings.items()), case.verdict) for case in result.result.cases} == {
        ((("silence", "possible"),), "refuted"),
        ((("silence", "blocked"),), "proved"),
    }


def test_with_silence_possible_a_short_play_refutes_it() -> None:
    (result,) = without("T7.1-e").check(claims=["TC-02"], readings={"silence": "possible"}).claims
    play = result.result.counterexample
    assert result.result.verdict == "refuted"
    assert play is not None
    assert play.depth <= 3
    assert play.shortest


def test_the_scope_can_be_changed() -> None:
    game = load("taiji", scope={"characters": 1})
    assert game.scope == {"characters": 1}
    (result,) = game.check(claims=["TC-20"]).claims
    assert result.result.verdict == "proved"


@pytest.mark.parametrize("name", ["taiji", "magic", "duelo", "summoners-gate"])
def test_every_id_of_the_checklist_stands_once(name: str) -> None:
    rows = (ROOT / f"tests/checklists/{name}.txt").read_text(encoding="utf-8").splitlines()
    kinds = dict(row.split(": ", 1) for row in rows)
    text = (ROOT / f"model/{name}.md").read_text(encoding="utf-8")
    standing = re.findall(r"(?m)^\s*\[([^\]]+)\]", text)
    assert [rule for rule in kinds if standing.count(rule) != 1] == []
    notes = [node.id for node in nodes(load(name).book.tree) if isinstance(node, s.Note)]
    assert [n for n in notes if n in kinds and any(k not in NOTED_KINDS for k in _kinds(kinds[n]))] == []


def _kinds(row: str) -> list[str]:
    return [kind.split("/")[0].strip() for kind in row.split(",")]
