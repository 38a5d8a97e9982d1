"""How the cost of a check grows: with numbers (it must not), steps, readings and players."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.bench.timing import ROOT, medians, running, turnproof

MODEL = (ROOT / "tests" / "peers" / "turn12.md").read_text(encoding="utf-8")
RUNS = 3


def with_numbers(life: int, hand: int) -> str:
    """The shared model with other numbers to start with."""
    text = MODEL.replace("life : int = 20", f"life : int = {life}")
    return text.replace("hand : int >= 0 = 7", f"hand : int >= 0 = {hand}") if hand != 7 else text


def with_steps(count: int) -> str:
    """A turn of many steps; what one of them gives, the last takes."""
    steps = "\n".join(f"  s{at}" for at in range(count))
    return f"""```rules
game steps
each player has
  gold : int >= 0 = 0
turn
{steps}
play take
  player.gold += 1
[A] during s1, active may take
[B] at the end of s{count - 1}, active.gold becomes 0
```
```claims
game steps
[C] "Nobody begins with gold": during s0, always active.gold = 0
  under silence is blocked
  expect proved
[D] "Nobody has gold in the last step": during s{count - 1}, always active.gold = 0
  under silence is blocked
  expect refuted
```
"""


def with_readings(count: int) -> str:
    """Many readings that make no difference, and one that does."""
    readings = "\n".join(
        f'reading [R{at}] "?"\n  no (default):\n  yes: at the start of a, n{at} becomes 1' for at in range(count)
    )
    fields = ", ".join(f"n{at}" for at in range(count))
    return f"""```rules
game readings
the game has
  {fields} : int = 0
turn
  a
  b
{readings}
```
```claims
game readings
[C] "The last is never set": always n{count - 1} = 0
  expect depends on [R{count - 1}]
```
"""


def with_players(count: int) -> str:
    """Many players, who take priority in turn."""
    return f"""```rules
game players
  players {count}
each player has
  hand : int >= 0
turn
  draw
  main
  cleanup
play card
  goes on the stack
[A] priority goes round in main
[B] during main, players may card
[C] card costs 1 hand
[D] at the end of cleanup, lower active.hand to 7
[E] at the start of draw, active.hand += 1
```
```claims
game players
[C] "Seven cards at most as a turn ends": after cleanup, active.hand <= 7
  expect proved
[D] "A step ends with an empty stack": after every step, stack = 0
  expect proved
```
"""


VARIANTS = {
    **{f"life {life} (P3, P7)": (with_numbers(life, 7), ("P3", "P7")) for life in (20, 20_000)},
    **{f"hands of {hand} (P2, P4)": (with_numbers(20, hand), ("P2", "P4")) for hand in (7, 7_000)},
    **{f"{count} steps": (with_steps(count), ()) for count in (12, 25, 50, 100, 200)},
    **{f"{count} readings": (with_readings(count), ()) for count in (2, 5, 10, 20)},
    **{f"{count} players": (with_players(count), ()) for count in (2, 3, 4, 6)},
}


# One encounter of Taiji, as a claim and as a question, where each player has so many Characters.
SCOPES = (2, 3, 4, 6)
ENCOUNTER = (
    "how much damage does a take in encounters when character a of active with attack 3 and First Strike, "
    "character b of opponent with attack 4 and defence 3 and Normal, attack_player with a, block with b against a"
)


def scopes() -> list[str]:
    """How an encounter grows with the Characters that each player can have: blockers and attackers."""
    runs: dict[str, Callable[[], float]] = {}
    for count in SCOPES:
        scope = ["--scope", f"characters={count}"]
        claim = turnproof("check", "taiji", "--no-cache", "--jobs", "1", "--claim", "TC-09", *scope)
        runs[f"TC-09, up to {count} attackers and {count} blockers"] = running(claim)
        runs[f"TD-08, {count} Characters each"] = running(turnproof("ask", "taiji", ENCOUNTER, *scope))
    found = medians(runs, 1)
    unit = next(iter(found.values()))
    return [
        "## Encounters", "",
        "One encounter of Taiji with more Characters for each player, as a claim and as a question;",
        "ratios to the first row, one run.",
        "", "| what | ratio |", "|---|---|",
        *(f"| {name} | {time / unit:.2f} |" for name, time in found.items()), "",
    ]  # fmt: skip


def page() -> list[str]:
    """The tables, line by line."""
    return [*numbers(), *scopes()]


def numbers() -> list[str]:
    """How checks grow with numbers, steps, readings and players."""
    with tempfile.TemporaryDirectory() as folder:
        runs: dict[str, Callable[[], float]] = {}
        for name, (text, claims) in VARIANTS.items():
            file = Path(folder) / (re.sub(r"\W+", "_", name) + ".md")
            file.write_text(text, encoding="utf-8")
            wanted = [part for claim in claims for part in ("--claim", claim)]
            runs[name] = running(turnproof("check", str(file), "--no-cache", "--jobs", "1", *wanted))
        found = medians(runs, RUNS)
    unit = next(iter(found.values()))
    return [
        "## Growth", "",
        f"Ratios to the first row, medians of {RUNS} runs.",
        "", "| what | ratio |", "|---|---|",
        *(f"| {name} | {time / unit:.2f} |" for name, time in found.items()), "",
    ]  # fmt: skip
