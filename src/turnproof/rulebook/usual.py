"""What a rulebook says where readings are as usual: for people, who do not want to read of the others each time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from turnproof.language import syntax as s
from turnproof.rulebook.model import Clause, Rulebook


def usual(book: Rulebook, *kinds: type) -> Iterator[tuple[Clause, s.Exp | None]]:
    """The clauses of some kinds (none named: of all) that hold where readings are as usual, with what is left of their
    conditions.
    """
    for clause in book.of(*kinds) if kinds else book.clauses:
        chosen = clause.selection
        if chosen is not None and book.selectors[chosen[0]].usual != chosen[1]:
            continue
        left = _left(book, getattr(clause.body, "cond", None))
        if left is not False:
            yield clause, None if left is True else left


def usually(book: Rulebook, stages: tuple[tuple[s.Effect, ...], ...]) -> list[list[s.Effect]]:
    """What of some effects comes about where readings are as usual."""
    found = [[kept for effect in stage if (kept := _effect(book, effect)) is not None] for stage in stages]
    return [stage for stage in found if stage]


def _effect(book: Rulebook, effect: s.Effect) -> s.Effect | None:
    if not isinstance(effect, s.ForEach):
        return effect
    left = _left(book, effect.where)
    inner = _effect(book, effect.effect)
    if left is False or inner is None:
        return None
    return replace(effect, where=None if left is True else left, effect=inner)


def _left(book: Rulebook, cond: s.Exp | None) -> s.Exp | bool:
    """What is left of a condition: itself without its parts on readings, or whether it holds."""
    match cond:
        case None:
            return True
        case s.Truth(value):
            return value
        case s.Settled(name, option):
            return book.selectors[name].usual == option
        case s.NotE(of):
            left = _left(book, of)
            return not left if isinstance(left, bool) else s.NotE(left, cond.unless, span=cond.span)
        case s.Junction(op, items):
            kept: list[s.Exp] = []
            for item in items:
                left = _left(book, item)
                if left is (op == "or"):
                    return left
                if not isinstance(left, bool):
                    kept.append(left)
            if len(kept) < 2:
                return kept[0] if kept else op == "and"
            return s.Junction(op, tuple(kept), span=cond.span)
        case _:
            return cond
