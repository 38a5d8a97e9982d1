"""What stands behind a verdict besides the rules that decide it."""

from __future__ import annotations

from collections.abc import Iterable

from turnproof.language import syntax as s
from turnproof.language.parser import nodes
from turnproof.rulebook.model import Rulebook


def background(book: Rulebook, claim: s.Claim, rules: Iterable[str]) -> tuple[str, ...]:
    """The ids of definitions and of the order of phases that a claim and the rules of its proof rest on."""
    cited = set(rules)
    spoken = [claim.body, *(clause.body for clause in book.clauses if clause.rule in cited)]
    words = {
        word for node in nodes(tuple(spoken)) for word in (getattr(node, "text", None), getattr(node, "play", None))
        if isinstance(word, str)
    }  # fmt: skip
    found = []
    for statement in book.tree.statements:
        match statement:
            case s.Structure(str(identifier), of, _) if isinstance(claim.body, s.InOrder) and of is None:
                found.append(identifier)
            case s.Define(str(identifier), name, _, _, _) if name in words:
                found.append(identifier)
            case s.PlayDecl(str(identifier), _, name, _, _, _) if name in words:
                found.append(identifier)
            case _:
                pass
    return tuple(found)
