"""What things cost, as ratios to `python -c "import z3, networkx"` in the same run: `python -m tests.bench`."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
RUNS = 7
COMMANDS = {
    "`python -c pass`": ["-c", "pass"],
    "`python -c 'import z3, networkx'` (the unit)": ["-c", "import z3, networkx"],
    "`turnproof --version`": ["-m", "turnproof.cli", "--version"],
    "`turnproof graph taiji`": ["-m", "turnproof.cli", "graph", "taiji"],
    "`turnproof check taiji --claim TC-02`": ["-m", "turnproof.cli", "check", "taiji", "--claim", "TC-02"],
    "`turnproof check taiji`": ["-m", "turnproof.cli", "check", "taiji"],
    "`turnproof check magic`": ["-m", "turnproof.cli", "check", "magic"],
}


def seconds(arguments: list[str], cache: str) -> float:
    """The wall time of one run in a fresh process."""
    environment = {**os.environ, "XDG_CACHE_HOME": cache}
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, cwd=ROOT, env=environment)
    return time.perf_counter() - start


def measure() -> dict[str, tuple[float, list[float]]]:
    """For each command its first time with an empty cache, and the times after that; runs are interleaved."""
    found: dict[str, tuple[float, list[float]]] = {}
    for name, arguments in COMMANDS.items():
        with tempfile.TemporaryDirectory() as cold:
            found[name] = (seconds(arguments, cold), [])
    with tempfile.TemporaryDirectory() as warm:
        for arguments in COMMANDS.values():
            seconds(arguments, warm)
        for _ in range(RUNS):
            for name, arguments in COMMANDS.items():
                found[name][1].append(seconds(arguments, warm))
    return found


def main() -> None:
    """Print the page."""
    found = measure()
    unit = statistics.median(next(times for name, (_, times) in found.items() if "unit" in name))
    print("# Benchmarks\n")
    print("Made by `make bench`. Ratios to importing z3 and networkx, within one run; medians of", RUNS, "warm runs.")
    print("Cold is the first run, with an empty cache of the grammar's tables.\n")
    print("| command | cold | warm | least | most |\n|---|---|---|---|---|")
    for name, (cold, times) in found.items():
        row = [cold, statistics.median(times), min(times), max(times)]
        print(f"| {name} | " + " | ".join(f"{value / unit:.2f}" for value in row) + " |")
    print(f"\nThe unit took {unit * 1000:.0f} ms.")


if __name__ == "__main__":
    main()
