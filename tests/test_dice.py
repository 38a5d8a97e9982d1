"""Dice: the exact distribution against every throw, and what proofs take for possible against it."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random

import pytest

from turnproof import from_text
from turnproof.dice import hits
from turnproof.solve.ask import Session
from turnproof.solve.smt import Script, codes, conj


@pytest.mark.parametrize(("dice", "sides", "at_least"), [(n, s, v) for n in range(4) for s in (2, 6) for v in range(9)])
def test_the_distribution_is_that_of_all_throws(dice: int, sides: int, at_least: int) -> None:
    throws = list(product(range(1, sides + 1), repeat=dice))
    counted: dict[int, Fraction] = {}
    for throw in throws:
        shown = sum(pip >= at_least for pip in throw)
        counted[shown] = counted.get(shown, Fraction(0)) + Fraction(1, len(throws))
    assert hits(dice, sides, at_least) == counted


def test_a_die_has_sides() -> None:
    with pytest.raises(ValueError, match="side"):
        hits(1, 0, 1)


RULES = """```rules
game dice "Dice"
the game has
  shown, dice, value : int = 0
turn
  main
  ending
play roll "throw"
  throw dice dice of 6
  shown becomes number of dice >= value
[A] during main, active may roll
[B] keeps dice, value
```"""


def test_a_proof_takes_exactly_the_likely_numbers_for_possible() -> None:
    system = from_text(RULES).system
    at = next(at for at, command in enumerate(system.commands) if command.play.name == "roll")
    rng = Random(4)
    for _ in range(12):
        dice, value = rng.randint(0, 4), rng.randint(-1, 8)
        likely = hits(dice, 6, value)
        for number in range(-1, dice + 2):
            script = Script(system, codes(system))
            script.rigid(tags_free=False)
            state = script.state(0)
            can = script.only(0, at)
            after = script.between(0, at, len(system.commands[at].blocks) - 1)
            told = {"game.dice": dice, "game.value": value}
            fixed = [f"(= {state[name]} {script.value(number_)})" for name, number_ in told.items()]
            script.require(conj([can, *fixed, f"(= {after['game.shown']} {script.value(number)})"]))
            possible = Session(script.text).ask().status == "sat"
            assert possible == (number in likely)
