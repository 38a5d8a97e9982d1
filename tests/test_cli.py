"""The command line as a user meets it: statuses, formats, help, and how little it imports."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner, Result

from turnproof.cli import app

ROOT = Path(__file__).parents[1]
SCHEMA = json.loads((ROOT / "docs/schema.json").read_text(encoding="utf-8"))
CORPUS = ROOT / "tests/corpus"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def as_json(result: Result) -> Any:
    document = json.loads(result.stdout)
    jsonschema.validate(document, SCHEMA)
    return document


def imported(*arguments: str) -> set[str]:
    """The modules that are there after a command has run, in a fresh interpreter."""
    code = (
        "import sys\nfrom turnproof.cli import app\n"
        f"try: app({list(arguments)!r})\nexcept SystemExit: pass\nprint(' '.join(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stderr.split())


def test_the_version_needs_neither_solver_nor_graph() -> None:
    assert not imported("--version") & {"z3", "networkx", "graphviz", "lark"}
    assert run("--version").stdout.startswith("turnproof ")


def test_the_graph_needs_no_solver_and_a_check_no_graph() -> None:
    assert "z3" not in imported("graph", "taiji")
    assert "networkx" not in imported("check", "taiji", "--claim", "TC-02")


def test_without_arguments_there_is_help() -> None:
    assert "check" in run().output


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["check", str(CORPUS / "refuted/money.md")], 0),
        (["check", str(CORPUS / "depends/two_together.md"), "--reading", "X=yes"], 1),
        (["check", "tiaji"], 2),
        (["check", "taiji", "--claim", "TC-O2"], 2),
        (["check", "taiji", "--reading", "silence=maybe"], 2),
        (["check", "taiji", "--reading", "silense=possible"], 2),
        (["check", "taiji", "--reading", "nonsense"], 2),
        (["check", "taiji", "--scope", "dragons=3"], 2),
        (["check", "taiji", "--scope", "characters=99"], 2),
        (["check", "taiji", "--scope", "characters=many"], 2),
        (["check", "taiji", "--format", "pdf"], 2),
        (["check", str(CORPUS / "proved/limits.md"), "--claim", "all-4", "--limit", "1000"], 3),
        (["check", str(CORPUS / "refuted/money.md"), "tiaji"], 2),
        (["graph", "tiaji"], 2),
        (["explain", "TP999"], 2),
        (["explain", "TP030"], 0),
        (["readings", "taiji"], 0),
    ],
)
def test_exit_statuses(arguments: list[str], status: int) -> None:
    result = run(*arguments)
    assert result.exit_code == status, result.output
    assert "Traceback" not in result.output


def test_misspelt_names_get_a_suggestion() -> None:
    assert "did you mean `taiji`?" in run("check", "tiaji").output
    assert "`TC-02`" in run("check", "taiji", "--claim", "TC-O2").output
    assert "did you mean `possible`?" in run("check", "taiji", "--reading", "silence=posible").output


def test_a_report_names_verdicts_rules_and_plays() -> None:
    text = run("check", str(CORPUS / "refuted/money.md")).output
    assert "rich   refuted  Somebody always has gold" in text
    assert "the shortest play that goes wrong" in text
    assert "1. Turn 1 of player 1 begins: market" in text
    assert "\x1b[" not in text, "colours are for terminals"
    assert "[T7.1-e] during unshift, nobody may play card" in run("check", "taiji", "--claim", "TC-02").output


def test_json_follows_the_schema() -> None:
    document = as_json(run("check", "taiji", "--claim", "TC-02", "--format", "json"))
    claim = document["games"][0]["claims"][0]
    assert (document["status"], claim["verdict"], claim["rules"]) == (0, "proved", ["T7.1-d", "T7.1-e"])
    dependent = as_json(run("check", str(CORPUS / "depends/read_as.md"), "--format", "json"))
    cases = dependent["games"][0]["claims"][0]["cases"]
    assert [case["verdict"] for case in cases] == ["refuted", "proved"]
    assert cases[0]["trace"][1]["rules"] == ["A"]
    finding = as_json(run("check", str(CORPUS / "unknown/clashing_changes.md"), "--format", "json"))
    assert (finding["status"], finding["games"][0]["findings"][0]["code"]) == (1, "F001")


def test_faulty_input_is_json_too() -> None:
    document = as_json(run("check", "tiaji", "taiji", "--claim", "TC-02", "--format", "json"))
    assert document["status"] == 2
    assert [d["code"] for d in document["diagnostics"]] == ["TP080"]
    assert [game["name"] for game in document["games"]] == ["taiji"]


def test_background_is_told_apart_from_rules() -> None:
    document = as_json(run("check", "taiji", "--claim", "TC-05", "--format", "json"))
    claim = document["games"][0]["claims"][0]
    assert (claim["rules"], claim["background"]) == (["T7.6b-a"], ["T7.6b-b"])


def test_of_all_games_each_is_asked_for_the_claims_it_has() -> None:
    assert "2 games, 2 claims: all as expected" in run("check", "--claim", "TC-02", "--claim", "MC-09").output
    assert "1 game, 1 claim" in run("check", "--claim", "MC-09").output
    assert run("check", "--claim", "MC-99").exit_code == 2


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    result = run("graph", "taiji", "-o", str(tmp_path / "no" / "such.json"))
    assert result.exit_code == 2
    assert "cannot write" in result.output


def test_fmt_changes_files_only_without_check(tmp_path: Path) -> None:
    page = tmp_path / "g.md"
    page.write_text("```rules\ngame   g\nturn\n    a\n```\n")
    assert run("fmt", "--check", str(page)).exit_code == 1
    assert "game   g" in page.read_text()
    assert run("fmt", str(page)).exit_code == 0
    assert page.read_text() == "```rules\ngame g\nturn\n  a\n```\n"
    assert run("fmt", "--check", str(page)).exit_code == 0


def test_a_project_of_ones_own_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "proofs").mkdir()
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "model/own.md").write_text("```rules\ngame own\nturn\n  a\n```\n")
    (tmp_path / "proofs/own.md").write_text('```claims\ngame own\n[C] "x": phases in order\n  expect proved\n```\n')
    monkeypatch.chdir(tmp_path / "deep" / "er")
    assert "1 game, 1 claim: all as expected" in run("check").output
    assert "all as expected" in run("check", "taiji", "--claim", "TC-02").output


def test_graph_formats(tmp_path: Path) -> None:
    document = as_json(run("graph", "taiji"))
    assert [node["name"] for node in document["nodes"]][:3] == ["unshift", "upkeep", "drawing"]
    skip = next(e for e in document["edges"] if (e["source"], e["target"]) == ("upkeep", "preparation"))
    assert (skip["kind"], skip["rules"], skip["passed"]) == ("skip", ["T7.3-c"], ["drawing"])
    assert document["structure"]["always_after"]["preparation"] == ["unshift", "upkeep"]
    assert 'source="cleanup" target="unshift"' in run("graph", "taiji", "--format", "graphml").output
    target = tmp_path / "t.dot"
    assert run("graph", "taiji", "--format", "dot", "-o", str(target)).exit_code == 0
    assert "Unshift Phase" in target.read_text(encoding="utf-8")


def test_a_new_game_checks_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("new", "my_game").exit_code == 0
    assert run("check", "my_game").exit_code == 0
    assert run("fmt", "--check", "model/my_game.md").exit_code == 0
    assert run("new", "my_game").exit_code == 2
    assert run("new", "no-name").exit_code == 2
