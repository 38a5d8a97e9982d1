"""Draws the phase graph of games of the library: `python -m tests.draw taiji magic`. Needs the dev extra."""

from __future__ import annotations

import sys
from pathlib import Path

import pygraphviz

from turnproof import load
from turnproof.report.graph import as_dot

DIAGRAMS = Path(__file__).parents[1] / "diagrams"


def source(name: str) -> str:
    """The Graphviz source of a game's phase graph."""
    game = load(name)
    return as_dot(game.book, game.graph)


def main(names: list[str]) -> None:
    """Write `diagrams/NAME.dot` and `diagrams/NAME.svg` for each name."""
    for name in names:
        dot = source(name)
        (DIAGRAMS / f"{name}.dot").write_text(dot, encoding="utf-8")
        drawn = pygraphviz.AGraph(dot)
        drawn.draw(str(DIAGRAMS / f"{name}.svg"), prog="dot")


if __name__ == "__main__":
    main(sys.argv[1:])
