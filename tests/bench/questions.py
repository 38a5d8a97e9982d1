"""What questions cost: the first of a process, and each further one."""

from __future__ import annotations

import sys

from tests.bench.timing import medians, running, turnproof
from turnproof import load

GAMES = ("taiji", "duelo", "magic", "summoners-gate")
RUNS = 5
ASK = """
import sys
from turnproof import load
game = load(sys.argv[1])
for dispute in game.disputes[: int(sys.argv[2])]:
    game.ask(dispute.question)
"""


def page() -> list[str]:
    """The table, line by line."""
    runs = {"unit": running([sys.executable, "-c", "import z3, networkx"])}
    many = {name: len(load(name).disputes) for name in GAMES}
    for name in GAMES:
        runs[f"{name} cold"] = running(turnproof("ask", name, load(name).disputes[0].question))
        runs[f"{name} first"] = running([sys.executable, "-c", ASK, name, "1"])
        runs[f"{name} all"] = running([sys.executable, "-c", ASK, name, str(many[name])])
    took = medians(runs, RUNS)
    lines = [
        "## Questions", "",
        "A question asked with `turnproof ask` in a process of its own, as a ratio to importing z3 and networkx; and "
        "each further question of all the disputes of a game in one process, as a ratio to that. "
        f"Medians of {RUNS} runs; syntax trees are kept, answers are not.", "",
        "| game | disputes | one question | each further one |", "|---|---|---|---|",
    ]  # fmt: skip
    for name in GAMES:
        cold = took[f"{name} cold"]
        each = (took[f"{name} all"] - took[f"{name} first"]) / (many[name] - 1)
        lines.append(f"| {name} | {many[name]} | {cold / took['unit']:.2f} | {each / cold:.3f} |")
    return [*lines, ""]
