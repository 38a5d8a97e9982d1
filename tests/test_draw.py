"""Pictures: up to date in `diagrams/`, valid, readable by everybody, the same each time; and what cannot be drawn."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from fontTools.ttLib import TTFont
from typer.testing import CliRunner

from tests.draw import DIAGRAMS, pictures
from turnproof import from_text, load, words
from turnproof.cli import app
from turnproof.diagnostics import Invalid
from turnproof.draw import fonts, palette
from turnproof.draw.markup import ENDING, width, wrapped
from turnproof.draw.palette import OUTCOMES, Tone, contrast
from turnproof.draw.picture import Picture

PICTURES = dict(pictures())
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", PICTURES)
def test_diagrams_are_up_to_date(name: str) -> None:
    """`make diagrams` makes them anew. That they are made in other processes shows that they are always the same."""
    made: Callable[[], Picture] = PICTURES[name]
    assert made().render("svg") == (DIAGRAMS / f"{name}.svg").read_bytes()


def test_nothing_else_is_among_the_diagrams() -> None:
    assert {path.name for path in DIAGRAMS.iterdir()} == {f"{name}.svg" for name in PICTURES}


@pytest.mark.parametrize("path", sorted(DIAGRAMS.glob("*.svg")), ids=lambda path: str(path.stem))
def test_svg_is_valid_titled_and_large_enough(path: Path) -> None:
    root = ElementTree.parse(path).getroot()
    title, described = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert title.text
    assert described is not None
    assert described.text
    ids = [node.get("id") for node in root.iter() if node.get("id")]
    assert len(ids) == len(set(ids))
    sizes = [float(node.get("font-size", "0")) for node in root.iter(f"{SVG}text")]
    assert min(sizes) >= 9
    for node in root.iter(f"{SVG}text"):
        assert node.get("textLength") or not (node.text or "").strip()


@pytest.mark.parametrize("path", sorted(DIAGRAMS.glob("*.svg")), ids=lambda path: str(path.stem))
def test_it_fits_a_page_as_large_as_it_is(path: Path) -> None:
    """A4, upright or on its side: then no text is printed smaller than it is."""
    root = ElementTree.parse(path).getroot()
    wide, high = (float(root.get(side, "").removesuffix("pt")) for side in ("width", "height"))
    assert (wide <= 595 and high <= 842) or (wide <= 842 and high <= 595)


def test_the_font_has_every_letter() -> None:
    place = fonts.folder()
    assert place is not None
    (file,) = place.glob("*.ttc")
    known = TTFont(file, fontNumber=0).getBestCmap().keys()
    for path in DIAGRAMS.glob("*.svg"):
        for node in ElementTree.parse(path).getroot().iter(f"{SVG}text"):
            missing = {letter for letter in node.text or "" if ord(letter) not in known}
            assert not missing, (path.name, missing)


def test_what_is_noted_down_first_comes_from_whom_it_came_then() -> None:
    """In classic Magic a blocker's damage is put on the stack before it is dealt."""
    said = PICTURES["magic-combat"]().description
    assert "Infliger: c → b, +4 blessures." in said
    assert "Infliger: b → c, +2 blessures." in said


def test_a_play_is_told_in_the_language_of_the_picture() -> None:
    game = load("duelo")
    said = {language: game.draw("play", language, claim="DC-11").description for language in ("en", "es")}
    assert said["en"].startswith("1. Turn 1 of player 1 begins: Reset step")
    assert said["es"].startswith("1. Empieza el turno 1, del jugador 1: Paso de reinicio")


def tones() -> dict[str, Tone]:
    found = {name: tone for name, tone in vars(palette).items() if isinstance(tone, Tone)}
    return {**found, **OUTCOMES}


@pytest.mark.parametrize("name", tones())
def test_text_stands_out(name: str) -> None:
    tone = tones()[name]
    assert contrast(tone.text, tone.ground) >= 4.5
    assert contrast(tone.text, palette.PAPER) >= 4.5
    assert contrast(palette.FAINT, tone.ground) >= 4.5


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_words_are_known_in_the_languages_of_the_library() -> None:
    for text, others in words.known().items():
        assert set(others) == {"es", "fr", "zh"}, text


def test_lines_break_between_words_and_east_asian_letters() -> None:
    assert wrapped("at the end of the turn", 10) == "at the end\nof the\nturn"
    lines = wrapped("第1項啟動能力, 第2項啟動能力, 移動", 12).split("\n")
    assert all(width(line) <= 14 and line[0] not in ENDING for line in lines)


def large(phases: int, steps: int) -> str:
    """A game of many steps."""
    lines = [
        "```rules",
        'game large "Large"',
        "  players 2",
        "  language en",
        "each player has",
        "  gold : int >= 0",
        "turn",
    ]
    for phase in range(phases):
        lines.append(f'  phase_{phase} "Phase {phase}"')
        lines += [f'    step_{phase}_{step} "Step {phase}.{step}"' for step in range(steps)]
    lines += ['play act "act"', *(f"[A{phase}] during phase_{phase}, active may act" for phase in range(phases))]
    lines += [f"[B{phase}] at the start of phase_{phase}, active.gold += 1" for phase in range(phases)]
    return "\n".join([*lines, "```", ""])


def test_a_game_of_many_steps_is_drawn() -> None:
    picture = from_text(large(8, 8)).draw("flow")
    root = ElementTree.fromstring(picture.render("svg"))
    said = " ".join(node.text or "" for node in root.iter(f"{SVG}text"))
    assert all(f"Step {phase}.{step}" in said for phase in range(8) for step in range(8))
    assert picture.render("png").startswith(b"\x89PNG")
    assert picture.render("pdf").startswith(b"%PDF")


@pytest.mark.parametrize("language", ["es", "en"])
def test_names_are_in_the_language_that_is_wanted(language: str) -> None:
    said = load("duelo").draw("flow", language).render("svg").decode("utf-8")
    wanted, other = ("Reset step", "Paso de reinicio") if language == "en" else ("Paso de reinicio", "Reset step")
    assert wanted in said
    assert other not in said


def test_mermaid_has_every_step() -> None:
    text = load("taiji").draw("flow").render("mmd").decode("utf-8")
    assert text.startswith("flowchart TD\n")
    assert all(step in text for step in ("Unshift Phase", "Declare Attackers", "Cleanup Step", "next turn"))
    assert len(re.findall(r'\["', text)) == 11 + 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["taiji", "--view", "nothing"], "TP102"),
        (["taiji", "--view", "play"], "TP102"),
        (["taiji", "--view", "play", "--claim", "TC-99"], "TP073"),
        (["taiji", "--view", "combat"], "TP102"),
        (["taiji", "--view", "combat", "--situation", "nonsense here"], "TP"),
        (["taiji", "--view", "combat", "--situation", "attack_phase when turn = 1"], "TP102"),
        (["taiji", "--view", "compare"], "TP102"),
        (["magic", "--view", "diff"], "TP102"),
        (["magic", "--lang", "xx"], "TP102"),
        (["nobody", "--view", "flow"], "TP080"),
        (["magic", "-o", "turn.gif"], ".svg"),
        (["duelo", "magic", "--view", "compare", "-o", "turns.mmd"], "TP101"),
    ],
)
def test_what_cannot_be_drawn_is_said(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["draw", *arguments])
    assert result.exit_code == 2
    assert said in result.stderr
    assert not list(tmp_path.iterdir())


def test_without_anything_that_renders_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(Invalid) as invalid:
        load("magic").draw().render("png")
    (fault,) = invalid.value.diagnostics
    assert fault.code == "TP100"
    assert "turnproof[draw]" in fault.hint


def test_without_a_file_the_source_is_written() -> None:
    result = CliRunner().invoke(app, ["draw", "magic"])
    assert result.exit_code == 0
    assert result.output.startswith("digraph flow {")
