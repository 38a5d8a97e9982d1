"""Trees kept on disk: the same as read anew, and nothing else is ever read from there."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from turnproof.diagnostics import Invalid
from turnproof.language.kept import kept
from turnproof.language.parser import parse_rulebook

MODEL = Path(__file__).parents[1] / "model"


@pytest.fixture
def trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "turnproof" / "trees"


@pytest.mark.parametrize("name", sorted(path.name for path in MODEL.glob("*.md")))
def test_a_kept_tree_is_the_tree(name: str, trees: Path) -> None:
    text = (MODEL / name).read_text(encoding="utf-8")
    first = kept(parse_rulebook, text, name)
    assert len(list(trees.iterdir())) == 1
    again = kept(parse_rulebook, text, name)
    assert again is not first
    assert again == first == parse_rulebook(text, name)
    assert repr(again.statements[-1].span) == repr(first.statements[-1].span)


def test_faults_are_reported_again(trees: Path) -> None:
    for _ in range(2):
        with pytest.raises(Invalid) as found:
            kept(parse_rulebook, "```rules\ngame\n```\n", "a.md")
        assert found.value.diagnostics[0].path == "a.md"
    assert not trees.exists()


class _Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch /tmp/turnproof-was-here",)


@pytest.mark.parametrize("planted", [b"", b"no pickle", pickle.dumps(_Evil()), pickle.dumps(42)[:-1]])
def test_what_is_no_tree_is_not_taken(planted: bytes, trees: Path) -> None:
    text = (MODEL / "taiji.md").read_text(encoding="utf-8")
    first = kept(parse_rulebook, text, "taiji.md")
    (file,) = trees.iterdir()
    file.write_bytes(planted)
    assert kept(parse_rulebook, text, "taiji.md") == first
    assert not Path("/tmp/turnproof-was-here").exists()
    assert file.read_bytes() != planted
