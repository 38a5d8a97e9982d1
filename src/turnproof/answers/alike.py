"""Whether a question comes to the same whoever is active: then it is enough to answer it for one player.

That players are treated alike is not taken for granted: with the players' names exchanged, each condition and each
change on the way of the one must be, up to the order in which things are said, those on the way of the other. Then
whatever can be on the one way can be on the other, under the same readings and with the same rules removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TypeAlias

from turnproof.answers.path import Part, Way
from turnproof.answers.scene import Cast
from turnproof.system import expr as x
from turnproof.system.forms import Form
from turnproof.system.mirror import Mirror
from turnproof.system.system import System

Followed: TypeAlias = "Sequence[Sequence[Set[str]]]"


@dataclass(frozen=True, slots=True)
class Venture:
    """A way from what a question describes, where a player is active.

    `begins` is what quantities are as it begins, `asked` what is asked of the state after; `looked_at` is all that is
    looked at else, always in the same order.
    """

    cast: Cast
    way: Way
    begins: Mapping[str, x.Expr]
    asked: x.Expr
    looked_at: Sequence[x.Expr]


class Likeness:
    """Compares ventures in one system."""

    def __init__(self, system: System, players: Sequence[str]) -> None:
        self.system = system
        self.mirror = Mirror(system.sorts, players)

    def alike(self, one: Venture, two: Venture, followed: Followed, fixed: Iterable[str]) -> bool:
        """Whether all that can be on one can be on the other.

        `followed` is what is looked at after each block of each part of one; names that are `fixed` are called the same
        on both.
        """
        if not one.way.in_one_turn or not two.way.in_one_turn or len(one.way.parts) != len(two.way.parts):
            return False
        places = self.mirror.places(one.cast.active, two.cast.active)
        renamed = self.mirror.forms(places, one.cast.active).renamed
        if any(renamed(name) != name for name in fixed):
            return False
        mirrored = [[frozenset(map(renamed, names)) for names in part] for part in followed]
        return self._said(one, followed, places) == self._said(two, mirrored, 0)

    def _said(self, of: Venture, followed: Followed, places: int) -> tuple[object, ...]:
        """All that makes a difference to a venture."""
        forms = self.mirror.forms(places, of.cast.active)
        form, renamed = forms.of, forms.renamed
        return (
            frozenset((renamed(name), _sort(sort, renamed)) for name, sort in self.system.sorts.items()),
            [form(expr) for expr in (self.system.over, of.cast.here, of.asked, *of.looked_at)],
            {renamed(name): form(value) for name, value in of.begins.items()},
            (of.way.step, of.way.passed_over),
            [list(self._part(*one, form, renamed)) for one in zip(of.way.parts, followed, strict=True)],
        )

    def _part(
        self, part: Part, followed: Sequence[Set[str]], form: Callable[[x.Expr], Form], renamed: Callable[[str], str]
    ) -> Iterator[object]:
        yield part.measured, renamed(part.player), len(part.blocks)
        yield {renamed(name): _sort(sort, renamed) for name, sort in part.command.params}
        for at, (block, names) in enumerate(zip(part.blocks, followed, strict=False)):
            yield form(block.when)
            yield {renamed(u.variable): form(u.value) for u in block.updates if u.variable in names}
            clashes = self.system.clashes_in(part.command.name, part.first + at)
            yield {(frozenset(clash.rules), form(clash.cond)) for clash in clashes}


def _sort(of: x.Sort, renamed: Callable[[str], str]) -> object:
    match of:
        case x.Enum(values):
            return frozenset(map(renamed, values))
        case x.Array(element):
            return x.Array, _sort(element, renamed)
        case _:
            return of
