"""Graphviz source to SVG, PNG and PDF: in this process by pygraphviz, else by the program `dot`, if there is one."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import warnings
from functools import cache
from html import escape, unescape
from typing import Any

from turnproof.diagnostics import Diagnostic, Invalid
from turnproof.draw import fonts
from turnproof.draw.picture import Picture

FORMATS = ("svg", "png", "pdf", "dot", "mmd")
# So many points to an inch in PNG: twice those of a screen.
RESOLUTION = "144"


def render(picture: Picture, kind: str) -> bytes:
    """A picture in one of `FORMATS`, the same bytes each time. Raises Invalid where it cannot be made."""
    if kind == "dot":
        return (picture.dot.rstrip("\n") + "\n").encode("utf-8")
    if kind == "mmd":
        if not picture.mermaid:
            raise Invalid([Diagnostic("TP101", f"“{picture.title}” cannot be said in Mermaid", "draw",
                                      hint="write SVG, PNG, PDF or DOT")])  # fmt: skip
        return (picture.mermaid.rstrip("\n") + "\n").encode("utf-8")
    made = _drawn(picture.dot, kind)
    if kind != "svg":
        return made
    return _spoken(_measured(made.decode("utf-8"), _widths(picture.dot)), picture).encode("utf-8")


def _drawn(dot: str, kind: str) -> bytes:
    fonts.use()
    try:
        import pygraphviz
    except ImportError:
        return _by_program(dot, kind)
    _start()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        made = pygraphviz.AGraph(dot).draw(format=kind, prog="dot", args=f"-Gdpi={RESOLUTION}" if kind == "png" else "")
    _no_warnings([str(one.message) for one in said if issubclass(one.category, RuntimeWarning)])
    return bytes(made)


@cache
def _start() -> None:
    """Has Graphviz find its fonts."""
    import pygraphviz

    with fonts.unheard():
        pygraphviz.AGraph(f'digraph {{a [fontname="{fonts.FAMILY}"]}}').draw(format="svg", prog="dot")


def _by_program(dot: str, kind: str) -> bytes:
    program = shutil.which("dot")
    if program is None:
        raise Invalid([Diagnostic("TP100", "there is nothing here that renders pictures", "draw",
                                  hint="pip install 'turnproof[draw]', or write DOT or Mermaid")])  # fmt: skip
    arguments = [program, f"-T{kind}", *([f"-Gdpi={RESOLUTION}"] if kind == "png" else [])]
    done = subprocess.run(arguments, input=dot.encode("utf-8"), capture_output=True, check=False)
    if done.returncode:
        raise Invalid([Diagnostic("TP100", f"`dot` failed: {done.stderr.decode(errors='replace').strip()}", "draw")])
    return done.stdout


def _no_warnings(said: list[str]) -> None:
    """What Graphviz warns of is a fault of ours: nothing is drawn that is not as it should be."""
    if said:
        raise Invalid([Diagnostic("TP100", f"Graphviz: {' '.join(said).strip()}", "draw")])


def _widths(dot: str) -> dict[tuple[str, float], float]:
    """How wide each text is in the font that a picture is laid out with, by text and size."""
    found: dict[tuple[str, float], float] = {}
    todo: list[Any] = [json.loads(_drawn(dot, "json"))]
    while todo:
        part = todo.pop()
        if isinstance(part, dict):
            todo += part.values()
        elif isinstance(part, list):
            size = 0.0
            for one in part:
                match one:
                    case {"op": "F", "size": number}:
                        size = float(number)
                    case {"op": "T", "text": str(text), "width": wide}:
                        found[text.replace("\u00a0", " "), size] = float(wide)
                    case _:
                        todo.append(one)
    return found


_TEXT = re.compile(r'(<text [^>]*font-size="([0-9.]+)"[^>]*)>([^<]*)</text>')


def _measured(svg: str, widths: dict[tuple[str, float], float]) -> str:
    """An SVG whose texts take the place they are laid out for, whatever font whoever shows it takes."""

    def said(found: re.Match[str]) -> str:
        wide = widths.get((unescape(found[3]).replace("\u00a0", " "), float(found[2])), 0.0)
        length = f' textLength="{wide:.2f}" lengthAdjust="spacingAndGlyphs"' if wide else ""
        return f"{found[1]}{length}>{found[3]}</text>"

    return _TEXT.sub(said, svg)


_HEAD = re.compile(r"<!DOCTYPE.*?>\s*(?:<!--.*?-->\s*)*<svg ", re.DOTALL)


def _spoken(svg: str, picture: Picture) -> str:
    """An SVG with a title and a description, fonts to fall back on, and nothing of the program that made it."""
    svg = _HEAD.sub('<svg role="img" aria-labelledby="title description" ', svg, count=1)
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    names = f'<title id="title">{escape(picture.title)}</title>\n'
    names += f'<desc id="description">{escape(picture.description)}</desc>\n'
    svg = re.sub(r"(<svg [^>]*>\s*)", lambda found: found[1] + names, svg, count=1)
    svg = re.sub(r'font-family="([^",]+)[^"]*"', rf'font-family="\1, {fonts.INSTEAD}"', svg)
    # Graphviz numbers what can be pointed at through all that it has drawn in a process.
    svg = re.sub(r'<g id="a_[^"]*">', "<g>", svg)
    # Titles of groups are the names of nodes in the source, which tell nobody anything.
    return re.sub(r'(<g id="[^"]*" class="(?:graph|node|edge|cluster)"[^>]*>\s*)<title>[^<]*</title>\s*', r"\1", svg)
