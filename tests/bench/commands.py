"""What commands cost, as ratios to `python -c "import z3, networkx"` in the same run."""

from __future__ import annotations

import sys
import tempfile

from tests.bench.timing import medians, running, seconds, turnproof

UNIT = "`python -c 'import z3, networkx'` (the unit)"
COMMANDS = {
    "`python -c pass`": [sys.executable, "-c", "pass"],
    UNIT: [sys.executable, "-c", "import z3, networkx"],
    "`turnproof --version`": turnproof("--version"),
    "`turnproof graph taiji`": turnproof("graph", "taiji"),
    '`turnproof ask taiji "may I use an ability in Unshift"`': turnproof(
        "ask", "taiji", "may I use an ability in Unshift"
    ),
    "`turnproof ask taiji TD-08` (an encounter)": turnproof("ask", "taiji", "TD-08"),
    "`turnproof ask duelo --all` (17 disputes)": turnproof("ask", "duelo", "--all"),
    "`turnproof check taiji --claim TC-02`": turnproof("check", "taiji", "--claim", "TC-02"),
    "`turnproof check taiji --claim TC-02 --no-cache`": turnproof("check", "taiji", "--claim", "TC-02", "--no-cache"),
    "`turnproof check taiji`": turnproof("check", "taiji"),
    "`turnproof check magic`": turnproof("check", "magic"),
}
RUNS = 5


def page() -> list[str]:
    """The table, line by line: cold is the first run with an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        place = {"XDG_CACHE_HOME": cache}
        cold = {}
        for name, command in COMMANDS.items():
            cold[name] = seconds(command, env=place)
        warm = medians({name: running(command, place) for name, command in COMMANDS.items()}, RUNS)
    unit = warm[UNIT]
    return [
        "## Commands", "",
        f"Ratios to importing z3 and networkx; warm is the median of {RUNS} runs, cold the first with an empty cache "
        "(commands above share it).", "",
        "| command | cold | warm |", "|---|---|---|",
        *(f"| {name} | {cold[name] / unit:.2f} | {warm[name] / unit:.2f} |" for name in COMMANDS), "",
        f"The unit took {unit * 1000:.0f} ms.", "",
    ]  # fmt: skip
