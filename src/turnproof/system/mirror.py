"""Players exchanged for each other, to tell whether anything makes a difference between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from turnproof.system import expr as x
from turnproof.system.forms import Forms, Numbers


def exchanging(players: Sequence[str], places: int) -> Callable[[str], str]:
    """Calls each player in a name by the name of the one so many places further on.

    It only guesses what is called after whom: whether one thing is the mirror image of another is to be looked into.
    """
    names = {name: players[(at + places) % len(players)] for at, name in enumerate(players)}
    words = re.compile(r"(?<!\w)(" + "|".join(map(re.escape, players)) + r")(?!\w)")
    return cache(lambda text: words.sub(lambda found: names[found[0]], text))


class Mirror:
    """Forms of expressions with players exchanged, which can be compared with each other."""

    def __init__(self, sorts: Mapping[str, x.Sort], players: Sequence[str]) -> None:
        self.sorts, self.players = sorts, players
        self._numbers = Numbers()
        self._forms: dict[tuple[int, str], Forms] = {}

    def places(self, one: str, two: str) -> int:
        """How many places further on the second of two players is."""
        return (self.players.index(two) - self.players.index(one)) % len(self.players)

    def forms(self, places: int, active: str = "") -> Forms:
        """Forms where each player stands for the one so many places further on, and one is active, if given."""
        if (places, active) not in self._forms:
            known: dict[str, x.Value] = {"active": active, f"{x.BEFORE}active": active} if active else {}
            self._forms[places, active] = Forms(self.sorts, known, self._numbers, exchanging(self.players, places))
        return self._forms[places, active]

    def same(self, known: Iterable[x.Expr]) -> list[x.Expr]:
        """Those of some conditions that are among them for every player, if they are for one."""
        kept = list(known)
        there = {self.forms(0).of(one) for one in kept}
        turned = [self.forms(places) for places in range(1, len(self.players))]
        return [one for one in kept if all(forms.of(one) in there for forms in turned)]
