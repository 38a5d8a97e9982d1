"""The wall time of commands in fresh processes."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]


def seconds(command: list[str], cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> float:
    """How long one run of a command takes. Raises CalledProcessError where it fails."""
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=cwd, env={**os.environ, **(env or {})})
    return time.perf_counter() - start


def turnproof(*arguments: str) -> list[str]:
    """A command of turnproof, run by this Python."""
    return [sys.executable, "-m", "turnproof.cli", *arguments]


def running(command: list[str], env: Mapping[str, str] | None = None) -> Callable[[], float]:
    """A run to be timed."""
    return lambda: seconds(command, env=env)


def medians(runs: Mapping[str, Callable[[], float]], times: int) -> dict[str, float]:
    """The median time of each of some runs, interleaved so that a slow moment strikes all alike."""
    found: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(times):
        for name, run in runs.items():
            found[name].append(run())
    return {name: statistics.median(got) for name, got in found.items()}
