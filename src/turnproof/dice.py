"""How likely dice are to show something: exact, as fractions."""

from __future__ import annotations

from fractions import Fraction
from math import comb


def hits(dice: int, sides: int, at_least: int) -> dict[int, Fraction]:
    """The distribution of how many of some dice show a number or more: {hits: probability}, only what is possible.

    Args:
        dice: how many are thrown; fewer than none count as none.
        sides: the sides of each, numbered from 1.
        at_least: the lowest number that is a hit.

    Raises ValueError if a die has no side.
    """
    if sides < 1:
        raise ValueError(f"a die has at least one side, not {sides}")
    thrown = max(dice, 0)
    good = Fraction(min(max(sides - at_least + 1, 0), sides), sides)
    found = {n: comb(thrown, n) * good**n * (1 - good) ** (thrown - n) for n in range(thrown + 1)}
    return {n: likely for n, likely in found.items() if likely}
