"""How counts go together in every state to which a game can come: what was done by one is done in all, and so on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from turnproof.rulebook.elaborate import PREVIOUS, Count
from turnproof.rulebook.model import Rulebook
from turnproof.system import expr as x

# A period lies within those that come after it.
PERIODS = ("step", "phase", "turn", "round", "game")


def together(book: Rulebook, counts: Mapping[str, Count]) -> Iterator[x.Expr]:
    """What is so of some counts, all of them of one system."""
    kept = list(counts.values())
    there = {count: x.Var(count.variable) for count in kept}
    late = {name for play in book.plays.values() if play.stacked for name in play.ancestors}
    for count in kept:
        yield x.le(x.const(0), there[count])
        if count.period == PREVIOUS:
            # Nothing was done before the first turn.
            yield x.either(x.lt(x.const(1), x.Var("turn")), x.eq(there[count], x.const(0)))
        # What was done with a piece on the stack counts for it only as it resolves.
        apart = count.piece is not None and count.play in late
        whole = replace(count, by=None, preposition=None, piece=None)
        if whole != count and whole in there and not apart:
            yield x.le(there[count], there[whole])
        if count.period in PERIODS:
            longer = (replace(count, period=period) for period in PERIODS[PERIODS.index(count.period) + 1 :])
            yield from (x.le(there[count], there[other]) for other in longer if other in there)
        yield from _kinds(book, count, there)
        yield from _players(book, count, there)


def _kinds(book: Rulebook, count: Count, there: Mapping[Count, x.Expr]) -> Iterator[x.Expr]:
    """A play is made as often as its kinds are, taken together."""
    if count.play not in book.plays:
        return
    sorts = [replace(count, play=leaf.name) for leaf in book.sorts(count.play) if leaf.name != count.play]
    known = [there[one] for one in sorts if one in there]
    if known and len(known) == len(sorts):
        yield x.eq(there[count], x.add(*known))
    elif known:
        yield x.le(x.add(*known), there[count])
    if count.period in PERIODS:
        # Over a longer time, the kinds are made as often at least.
        for period in PERIODS[PERIODS.index(count.period) + 1 :]:
            over = [there[one] for sort in sorts if (one := replace(sort, period=period)) in there]
            if over and len(over) == len(sorts):
                yield x.le(there[count], x.add(*over))
    between = [replace(count, play=name) for name in book.plays[count.play].ancestors[1:]]
    yield from (x.le(there[count], there[other]) for other in between if other in there)


def _players(book: Rulebook, count: Count, there: Mapping[Count, x.Expr]) -> Iterator[x.Expr]:
    """A play is made as often in all as by the players, taken together."""
    if count.by is not None or count.piece is not None:
        return
    each = [there[one] for player in book.players if (one := replace(count, by=player)) in there]
    if len(each) == len(book.players):
        yield x.eq(there[count], x.add(*each))
    elif each:
        yield x.le(x.add(*each), there[count])
