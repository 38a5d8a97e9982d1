"""Malformed input ends with exit status 2 and a diagnostic at the right line: no traceback, bounded time and memory.

Each file in `error/` holds one faulty rulebook, or a rulebook and its claims. Its last line says what is expected:
`<!-- expect CODE line N: PART ; … -->`, where PART stands in the message or the hint.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import turnproof
from turnproof.cli import app
from turnproof.diagnostics.codes import CODES

FOLDER = Path(__file__).parent / "error"
SOURCES = Path(turnproof.__file__).parent
EXPECT = re.compile(r"(?P<code>TP\d{3}) line (?P<line>\d+): (?P<part>.*)", re.DOTALL)
HEAD = "```rules\ngame duel\n  players 2\nturn\n  main\n  ending\n"
# A generous bound, for slow and busy machines.
SECONDS = 60
BYTES = 2 * 1024**3


@dataclass(frozen=True)
class Expected:
    """One expected diagnostic."""

    code: str
    line: int
    part: str


def expected(file: Path) -> list[Expected]:
    """What the last line of a file says."""
    last = file.read_text(encoding="utf-8").rstrip("\n").split("\n")[-1]
    inner = last.removeprefix("<!-- expect ").removesuffix(" -->")
    found = [EXPECT.fullmatch(part) for part in inner.split(" ; ")]
    assert all(found), last
    return [Expected(m["code"], int(m["line"]), m["part"]) for m in found if m]


FILES = sorted(FOLDER.glob("*.md"))
CASES = [pytest.param(file, id=file.stem) for file in FILES]


def laid_out(folder: Path, data: bytes) -> str:
    """A project with one rulebook and, where the file holds claims too, its page of claims; the rulebook's path."""
    (folder / "model").mkdir()
    (folder / "model" / "x.md").write_bytes(data)
    if b"```claims" in data:
        (folder / "proofs").mkdir()
        (folder / "proofs" / "x.md").write_bytes(data)
    return "model/x.md"


def run(*arguments: str) -> tuple[int, str]:
    """Exit status and output of the command line; a traceback is an error."""
    result = CliRunner().invoke(app, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    assert "Traceback" not in result.output
    return result.exit_code, result.output


def diagnostics(*arguments: str) -> list[dict[str, Any]]:
    """The diagnostics of a check that must fail, from its JSON document."""
    status, output = run("check", *arguments, "--format", "json")
    document = json.loads(output)
    assert status == document["status"] == 2
    assert document["games"] == []
    found: list[dict[str, Any]] = document["diagnostics"]
    return found


def squeezed(text: str) -> str:
    """A text without blanks and line breaks, so that wrapping does not matter."""
    return "".join(text.split())


@pytest.mark.parametrize("file", CASES)
def test_diagnostics_of_file(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The diagnostics are those expected, at the expected lines, and no others, in both formats."""
    name = laid_out(tmp_path, file.read_bytes())
    monkeypatch.chdir(tmp_path)
    found = diagnostics(name)
    wanted = sorted(expected(file), key=lambda e: (e.line, e.code))
    assert [(d["code"], d["places"][0]["line"]) for d in found] == [(e.code, e.line) for e in wanted]
    for got, want in zip(found, wanted, strict=True):
        assert want.part in got["message"] + "\n" + got["hint"]
    status, output = run("check", name)
    assert status == 2
    for want in wanted:
        assert re.search(rf"x\.md(:{want.line}:\d+)?:error\[{want.code}\]", squeezed(output))


@pytest.mark.parametrize("file", CASES)
def test_places_lie_in_the_file(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every place that a diagnostic names is a place in the file, and begins before it ends."""
    name = laid_out(tmp_path, file.read_bytes())
    monkeypatch.chdir(tmp_path)
    rows = file.read_text(encoding="utf-8").split("\n")
    for place in (place for d in diagnostics(name) for place in d["places"]):
        assert 1 <= place["line"] <= place["end_line"] <= len(rows)
        assert 1 <= place["column"] <= len(rows[place["line"] - 1]) + 1
        assert (place["line"], place["column"]) <= (place["end_line"], place["end_column"])


def test_enough_files() -> None:
    """The corpus is as large as was agreed."""
    assert len(FILES) >= 70


# -- codes: those that no file in `error/` can produce are produced by these tests

ELSEWHERE = {"TP001", "TP002", "TP004", "TP073", "TP080", "TP091", "TP092", "TP100", "TP101", "TP102"}


def test_every_code_is_produced() -> None:
    """Each code in the table is expected by some file or produced by some test below."""
    in_files = {e.code for file in FILES for e in expected(file)}
    assert in_files | ELSEWHERE == {code for code in CODES if code.startswith("TP")}


def test_every_raised_code_stands_in_the_table() -> None:
    """No source names a code that the table does not explain."""
    named = {
        code
        for source in SOURCES.rglob("*.py")
        for code in re.findall(r"[\"']((?:TP|F)\d{3})[\"']", source.read_text(encoding="utf-8"))
    }
    assert named == set(CODES)


def test_file_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert [d["code"] for d in diagnostics("nothing.md")] == ["TP001"]


def test_folder_instead_of_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.md").mkdir()
    assert [d["code"] for d in diagnostics("folder.md")] == ["TP001"]


def test_unknown_game() -> None:
    found = diagnostics("tiaji")
    assert [d["code"] for d in found] == ["TP080"]
    assert "did you mean `taiji`" in found[0]["hint"]


def test_unknown_claim() -> None:
    found = diagnostics("taiji", "--claim", "TC-O1")
    assert [d["code"] for d in found] == ["TP073"]
    assert "did you mean `TC-01`" in found[0]["hint"]


def test_claim_without_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = laid_out(tmp_path, (HEAD + "```\n").encode())
    monkeypatch.chdir(tmp_path)
    assert [d["code"] for d in diagnostics(name, "--claim", "C")] == ["TP073"]


@pytest.mark.parametrize(
    ("option", "code", "hint"),
    [
        ("TF-2=own_cards", "TP033", "TF-"),
        ("TF-03=own_crads", "TP034", "own_cards"),
        ("silense=possible", "TP033", "silence"),
    ],
)
def test_unknown_reading(option: str, code: str, hint: str) -> None:
    found = diagnostics("taiji", "--reading", option)
    assert [d["code"] for d in found] == [code]
    assert hint in found[0]["hint"]


def test_unknown_kind_in_scope() -> None:
    found = diagnostics("taiji", "--scope", "charcters=2")
    assert [d["code"] for d in found] == ["TP030"]
    assert "did you mean `characters`" in found[0]["hint"]


@pytest.mark.parametrize("scope", ["characters=0", "characters=13", "characters=99999999999999999999"])
def test_scope_out_of_bounds(scope: str) -> None:
    assert [d["code"] for d in diagnostics("taiji", "--scope", scope)] == ["TP055"]


def test_file_lists_every_fault_of_two_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault in one rulebook does not hide that of the next."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("prose", encoding="utf-8")
    (tmp_path / "b.md").write_bytes(b"\xff")
    assert [d["code"] for d in diagnostics("a.md", "b.md")] == ["TP007", "TP002"]


# -- bytes

BINARY: list[tuple[str, bytes, str, int]] = [
    ("latin_1", "# Règles\n".encode("latin-1"), "TP002", 1),
    ("latin_1_later", b"# Rules\r\n\r\nfine\r\n\xe9\r\n", "TP002", 4),
    ("utf_16", "```rules\ngame g\n```\n".encode("utf-16"), "TP002", 1),
    ("surrogate", b"```rules\n\xed\xa0\x80\n```\n", "TP002", 2),
    ("overlong", b"\n\n\xc0\xaf\n", "TP002", 3),
    ("cut_off", b"```rules\ngame caf\xc3", "TP002", 2),
    ("nul", b"```rules\ngame d\x00uel\n```\n", "TP003", 2),
    ("nul_in_prose", b"a\nb\nc\x00\n```rules\n```\n", "TP003", 3),
    ("escape", b"```rules\ngame \x1b[31mduel\n```\n", "TP003", 2),
    ("form_feed", b"```rules\n\x0cgame duel\n```\n", "TP003", 2),
    ("only_nul", b"\x00" * 1000, "TP003", 1),
    ("empty", b"", "TP007", 1),
    ("only_mark", b"\xef\xbb\xbf", "TP007", 1),
    ("blank_lines", b"\n" * 100, "TP007", 1),
    ("five_megabytes", b"x" * 5_000_000, "TP004", 1),
    ("five_megabytes_of_junk", b"\xff" * 5_000_000, "TP004", 1),
    ("two_million_and_one", b"x\n" * 1_000_000 + b"x", "TP004", 1),
]


@pytest.mark.parametrize(("data", "code", "line"), [pytest.param(*rest, id=name) for name, *rest in BINARY])
def test_bytes(data: bytes, code: str, line: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = laid_out(tmp_path, data)
    monkeypatch.chdir(tmp_path)
    found = diagnostics(name)
    assert [(d["code"], d["places"][0]["line"]) for d in found] == [(code, line)]
    assert run("check", name)[0] == 2


ENDINGS = [("crlf", "\r\n"), ("lone_cr", "\r"), ("lf", "\n")]


@pytest.mark.parametrize("ending", [pytest.param(ending, id=name) for name, ending in ENDINGS])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "bom"])
def test_line_ends(ending: str, mark: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Line numbers are right whatever ends a line, and a byte order mark moves nothing."""
    text = HEAD + "[A] mian is skipped\n```\n"
    name = laid_out(tmp_path, mark + text.replace("\n", ending).encode())
    monkeypatch.chdir(tmp_path)
    (found,) = diagnostics(name)
    assert (found["code"], found["places"][0]["line"]) == ("TP030", 7)
    assert "did you mean `main`" in found["hint"]


LOOKALIKES = [
    ("cyrillic_letter", "play card\n[A] during main, аctive may card", "TP020", "did you mean `active`"),
    ("cyrillic_name", "the game has\n  соn : int = 0\n[A] main is skipped if con = 1", "TP030", ""),
    ("full_width_digit", "[A] main is skipped if turn = １", "TP020", "`１`"),
    ("en_dash", "[A] main is skipped if turn – 1 = 0", "TP020", "`–`"),
    ("curly_quotes", "[A] note “text”", "TP020", "a text in quotes"),
    ("greek_question_mark", "[A] main is skipped;", "TP020", "`;`"),
    ("full_width_comma", "play card\n[A] during main， active may card", "TP020", "`，`"),
    ("right_to_left_mark", "[A] main is \u202eskipped", "TP020", ""),
]


@pytest.mark.parametrize(("text", "code", "part"), [pytest.param(*rest, id=name) for name, *rest in LOOKALIKES])
def test_lookalikes(text: str, code: str, part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A letter that only looks right is found on its line."""
    name = laid_out(tmp_path, f"{HEAD}{text}\n```\n".encode())
    monkeypatch.chdir(tmp_path)
    (found,) = diagnostics(name)
    assert (found["code"], found["places"][0]["line"]) == (code, 7 + text.count("\n"))
    assert part in found["message"] + found["hint"]


# -- in a process of its own: the exit status, the streams, time and memory


def limited() -> None:
    """Give the process at most two gigabytes."""
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


def process(folder: Path, *arguments: str, seconds: int = SECONDS) -> subprocess.CompletedProcess[str]:
    """`turnproof` in a process of its own, with bounds on time and memory."""
    command = [sys.executable, "-c", "from turnproof.cli import main; main()", *arguments]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "80"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", timeout=seconds,
        preexec_fn=limited, check=False,
    )  # fmt: skip


def faulty(folder: Path, data: bytes, *arguments: str, seconds: int = SECONDS) -> str:
    """What is printed about a faulty rulebook; the status must be 2, and nothing may go to the other stream."""
    done = process(folder, "check", laid_out(folder, data), *arguments, seconds=seconds)
    assert "Traceback" not in done.stderr
    assert done.returncode == 2, done.stderr[-500:]
    if "json" in arguments:
        assert done.stderr == ""
        return done.stdout
    assert done.stdout == ""
    return done.stderr


@pytest.mark.parametrize("name", ["unknown_step", "syntax_python", "fence_open", "claim_bad_verdict", "nul"])
def test_process(name: str, tmp_path: Path) -> None:
    """Diagnostics go to the error stream, one line each, with the line of the file."""
    file = FOLDER / f"{name}.md"
    printed = faulty(tmp_path, file.read_bytes())
    for want in expected(file):
        assert re.search(rf"^\S*x\.md:{want.line}:\d+: error \[{want.code}\]", printed, re.MULTILINE), printed


def test_process_json(tmp_path: Path) -> None:
    """JSON goes to the output stream, alone."""
    document = json.loads(faulty(tmp_path, (FOLDER / "unknown_step.md").read_bytes(), "--format", "json"))
    assert [d["code"] for d in document["diagnostics"]] == ["TP030"]


def block(lines: Iterable[str]) -> bytes:
    """A rulebook with these lines after its head."""
    return (HEAD + "".join(lines) + "```\n").encode()


HUGE: dict[str, tuple[bytes, str]] = {
    "brackets_on_one_line": (block("[A] main is skipped if " + "(" * 50_000 + "\n"), "TP005"),
    "brackets_on_many_lines": (block("[A] main is skipped if\n" + "  (\n" * 50_000), "TP005"),
    "brackets_at_the_margin": (block("[A] main is skipped if\n" + "(\n" * 50_000), "TP0"),
    "long_line_inside": (block("[A] " + "x" * 1_999_000 + "\n"), "TP005"),
    "long_line_outside": (b"x" * 1_999_000 + b"\n" + block("[A] mian is skipped\n"), "TP030"),
    "long_quotes": (block('"' * 1_999_000 + "\n"), "TP005"),
    "long_dashes": (block("-" * 1_999_000 + "\n"), "TP005"),
    "long_backticks": (b"`" * 1_999_000, "TP007"),
    "many_fences": (b"```\n" * 400_000, "TP007"),
    "many_blocks": (b"```rules\n```\n" * 100_000, "TP050"),
    "many_nots": (block("[A] main is skipped if " + "not " * 490 + "true\n"), "TP012"),
    "many_tabs": (block("\tx\n" * 300_000), "TP010"),
    "one_statement": (block("[A] main is skipped if\n" + "    true and\n" * 150_000), "TP005"),
    "statements_alike": (block("[A] note\n" * 100_000), "TP004"),
    "statements_faulty": (block("xx yy\n" * 100_000), "TP020"),
    "statements_pointing_nowhere": (block(f"[{n}] restates [z]\n" for n in range(80_000)), "TP004"),
    "statements_misspelt": (block(f"[{n}r] restates [{n}s]\n" for n in range(70_000)), "TP004"),
    "steps_deep": (HEAD.encode() + b"".join(b" " * n + b"s%d\n" % n for n in range(3, 1_500)) + b"```\n", "TP0"),
    "quantities": (block(["the game has\n", *(f"  a{n} : int\n" for n in range(100_000))]), "TP004"),
    "kinds_of_plays": (
        block(["play a0\n", *(f"play a{n + 1} is a{n}\n" for n in range(3_000)), "play b is c\n"]),
        "TP012",
    ),
    "definitions_in_a_row": (block([*(f"define a{n + 1}: a{n}\n" for n in range(2_000))]), "TP0"),
    "definitions_doubled": (
        block(["define a0: 1\n", *(f"define a{n + 1}: a{n} + a{n}\n" for n in range(60)), "define b: c\n"]),
        "TP030",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    list(HUGE),
)
def test_huge(name: str, tmp_path: Path) -> None:
    """However large the input, the answer comes within bounded time and memory."""
    data, code = HUGE[name]
    assert f"[{code}" in faulty(tmp_path, data, seconds=SECONDS)


def test_many_good_statements(tmp_path: Path) -> None:
    """A hundred thousand statements that are right are read, or refused, within bounded time."""
    data = block(f"[N{n}] note\n" for n in range(100_000))
    done = process(tmp_path, "check", laid_out(tmp_path, data))
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 2)
