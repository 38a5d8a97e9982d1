"""Variants: a rulebook that extends another, without the rules that it removes or says anew."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator

from turnproof.diagnostics import Caption, Diagnostic, Invalid, suggestion
from turnproof.language import syntax as s

DEEPEST = 8


def base_of(tree: s.RulebookTree) -> s.Extends | None:
    """The rulebook that a rulebook extends, if it does."""
    settings = (part for node in tree.statements if isinstance(node, s.Game) for part in node.settings)
    return next((part for part in settings if isinstance(part, s.Extends)), None)


def extended(
    tree: s.RulebookTree, path: str, read: Callable[[str], tuple[s.RulebookTree, str]], depth: int = 0
) -> s.RulebookTree:
    """A rulebook with all that it extends. `read` gives the tree of a name and its path. Raises Invalid."""
    extends = base_of(tree)
    removed = [(rule, node.span) for node in tree.statements if isinstance(node, s.Removes) for rule in node.ids]
    if extends is None:
        if removed:
            hint = "add `extends NAME` below `game`"
            raise Invalid(
                [_fault("TP069", "nothing is extended here, so nothing can be removed", path, removed[0][1], hint)]
            )
        return tree
    if depth >= DEEPEST:
        raise Invalid([_fault("TP069", f"more than {DEEPEST} rulebooks extend each other", path, extends.span)])
    other, place = read(extends.name)
    base = extended(other, place, read, depth + 1)
    known = {name for node in base.statements if (name := _id(node))}
    missing = [(rule, span) for rule, span in removed if rule not in known]
    if missing:
        raise Invalid(
            _fault("TP033", f"`{extends.name}` has no rule [{rule}]", path, span, suggestion(rule, known))
            for rule, span in missing
        )
    own = {name for node in tree.statements if (name := _id(node))}
    gone = {rule for rule, _ in removed} - own
    kept = [node for node in base.statements if not isinstance(node, s.Game) and _id(node) not in gone | own]
    head = next(node for node in tree.statements if isinstance(node, s.Game))
    before = next(node for node in base.statements if isinstance(node, s.Game))
    said = {type(part) for part in head.settings}
    settings = (
        *(part for part in head.settings if not isinstance(part, s.Extends)),
        *(part for part in before.settings if type(part) not in said),
    )
    rest = [node for node in tree.statements if not isinstance(node, s.Game | s.Removes)]
    statements = [dataclasses.replace(head, settings=settings), *_without(kept, gone), *rest]
    return s.RulebookTree(tuple(statements))


def _without(statements: Iterable[s.Statement], gone: set[str]) -> Iterator[s.Statement]:
    """Statements that point at removed rules no more; those that only did so go."""
    for node in statements:
        match node:
            case s.Rule(_, despite, _) | s.ReadAs(_, despite, _) if set(despite) & gone:
                yield dataclasses.replace(node, despite=tuple(rule for rule in despite if rule not in gone))
            case s.Restates(_, others) | s.Overrides(_, others) if set(others) & gone or node.id in gone:
                left = tuple(rule for rule in others if rule not in gone)
                if left and node.id not in gone:
                    yield dataclasses.replace(node, others=left)
            case s.Question() if set(node.about) & gone:
                yield dataclasses.replace(node, about=tuple(rule for rule in node.about if rule not in gone))
            case _:
                yield node


def _id(node: s.Statement) -> str:
    """The id under which a statement stands; an override apart from both rules has none of its own."""
    return "" if isinstance(node, s.Overrides) else str(getattr(node, "id", "") or "")


def _fault(code: str, message: str, path: str, span: s.Span, hint: str = "") -> Diagnostic:
    return Diagnostic(code, message, path, (Caption(span),), hint)
