"""One model for several checkers: twelve steps, seven properties, two of them false, one of these 36 happenings deep.

The others' models lie beside the project, in `../shared/peers`; what is not there, and tools that are not installed,
are named. They decide the small finite variant; turnproof decides integers without bounds.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.bench.timing import ROOT, medians, running, seconds, turnproof

PEERS = ROOT.parent / "shared" / "peers"
MODEL = "tests/peers/turn12.md"
OURS = "turnproof, all seven, no bounds"
RUNS = 5


def spin() -> float:
    """SPIN with its compilation, on the small variant."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        shutil.copy(PEERS / "turn.pml", place)
        return (
            seconds(["spin", "-a", "turn.pml"], place)
            + seconds(["gcc", "-O2", "-o", "pan", "pan.c"], place)
            + seconds(["./pan", "-E", "-m3000000"], place)
        )


def page() -> list[str]:
    """The table, line by line."""
    runs: dict[str, Callable[[], float]] = {OURS: running(turnproof("check", MODEL, "--no-cache"))}
    for at in range(1, 8):
        runs[f"turnproof, P{at} alone"] = running(turnproof("check", MODEL, "--no-cache", "--claim", f"P{at}"))
    absent = []
    if shutil.which("spin") and shutil.which("gcc") and (PEERS / "turn.pml").is_file():
        runs["SPIN, P1 to P5, small variant, with its compilation"] = spin
    else:
        absent.append("SPIN (package `spin`, a C compiler, and its model)")
    if (PEERS / "z3_turn.py").is_file():
        runs["Spacer alone, P1 to P6, no bounds"] = lambda: seconds(
            [sys.executable, str(PEERS / "z3_turn.py"), "spacer"]
        )
    else:
        absent.append("the plain Spacer script")
    if importlib.util.find_spec("dd") and (PEERS / "dd_turn.py").is_file():
        runs["decision diagrams (dd), all seven, small variant"] = running(
            [sys.executable, str(PEERS / "dd_turn.py"), "small"]
        )
    else:
        absent.append("decision diagrams (`pip install dd`, and its script)")
    found = medians(runs, RUNS)
    unit = found.get("SPIN, P1 to P5, small variant, with its compilation") or found[OURS]
    called = "SPIN" if len(absent) == 0 or "SPIN" not in absent[0] else "turnproof"
    lines = [
        "## One model, several checkers", "",
        f"Wall time from the rulebook to the verdicts as a ratio to {called}, medians of {RUNS} runs.", "",
        "| checker | ratio | seconds |", "|---|---|---|",
        *(f"| {name} | {time / unit:.2f} | {time:.2f} |" for name, time in found.items()), "",
    ]  # fmt: skip
    if absent:
        lines += ["Not here, so not measured: " + "; ".join(absent) + ".", ""]
    return lines
