"""Quantities that nothing in a rulebook ever changes are what they were at first, as the rules say that keep them."""

from __future__ import annotations

from collections.abc import Iterator

from turnproof.language import syntax as s
from turnproof.language.parser import nodes
from turnproof.rulebook.model import Rulebook
from turnproof.system import expr as x


def unchanged(book: Rulebook) -> list[x.Expr]:
    """What is so in every state, of each such quantity."""
    changed = {name for node in nodes(book.tree) for name in _changed(node)}
    keeping = {
        path.text: clause.rule
        for clause in book.of(s.Keeps) if isinstance(clause.body, s.Keeps) for path in clause.body.paths
    }  # fmt: skip
    found = []
    for number, player in enumerate(book.players):
        for name, got in book.player_fields.items():
            first = got.first_of(number)
            if name in keeping and name not in changed and first is not None:
                found.append(x.implies(x.Tag(keeping[name]), x.eq(x.Var(f"{player}.{name}"), x.const(first))))
    for name, got in book.game_fields.items():
        if name in keeping and name not in changed and got.initial is not None:
            found.append(x.implies(x.Tag(keeping[name]), x.eq(x.Var(f"game.{name}"), x.const(got.initial))))
    return found


def _changed(node: object) -> Iterator[str]:
    """The quantities that a sentence changes, by name."""
    match node:
        case s.Change(path, _, _) | s.Bound(_, path, _) | s.Choose(_, path):
            yield path.text
        case s.Become(_, _, attribute):
            yield attribute
        case s.Move(_, source, target):
            yield from (source.text, target.text)
        case s.Divide():
            yield node.attribute
        case s.CostItem(_, resource, to):
            yield from (resource, to or resource)
        case _:
            pass
