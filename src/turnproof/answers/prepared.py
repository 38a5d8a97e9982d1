"""What is made of a rulebook for one question and serves the next."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from turnproof.answers.alike import Likeness
from turnproof.answers.unchanged import unchanged
from turnproof.rulebook.elaborate import History
from turnproof.rulebook.model import Rulebook
from turnproof.system import expr as x
from turnproof.system.build import build
from turnproof.system.system import System


class Prepared:
    """A system with what is remembered in it, and what has been found out about its expressions."""

    def __init__(self, book: Rulebook, history: History) -> None:
        self.system: System = build(book, history)
        self.history = history
        self.likeness = Likeness(self.system, book.players)
        self.reads = x.Reads()
        self._led: dict[str, Callable[[x.Expr], x.Expr]] = {}

    def led(self, active: str) -> Callable[[x.Expr], x.Expr]:
        """Gives what an expression comes to where a player is active."""
        if active not in self._led:
            self._led[active] = x.where({"active": x.const(active)})
        return self._led[active]


class Built:
    """All that is prepared of one rulebook."""

    def __init__(self, book: Rulebook) -> None:
        self.book = book
        self._systems: list[Prepared] = []

    @cached_property
    def unchanged(self) -> list[x.Expr]:
        """What is so of quantities that nothing ever changes."""
        return unchanged(self.book)

    def whole(self, wanted: History) -> Prepared:
        """A system in which all that is wanted is remembered.

        What rules look at is remembered in each, so mostly the plainest will do.
        """
        if not self._systems:
            self._systems.append(Prepared(self.book, History()))
        for one in self._systems:
            if wanted.within(one.history):
                return one
        self._systems.append(Prepared(self.book, wanted))
        return self._systems[-1]
