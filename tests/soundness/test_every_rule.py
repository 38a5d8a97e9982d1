"""Every rule of the library says something: in some state, a permission or a change is another without it.

A rule's tag off is the rule taken out (`test_removal`). So the solver is asked for a state in which some part of the
system is not the same with the tag on and off; what does not depend on any state stands in `SAME`, with the reason.
"""

from __future__ import annotations

import pytest

from tests.soundness.test_removal import GAMES, library
from turnproof.diagnostics import Invalid
from turnproof.findings.idle import matters, speaking
from turnproof.language import syntax as s
from turnproof.rulebook.check import check
from turnproof.system.build import build

STAYS = "it says on purpose that something stays, as what nothing changes does anyway"
SAME = {
    "taiji": {
        "T7.6a-b": "cards cost gold, jade and qi in every step, and nobody can pay what they do not have",
        "T7.5c-c": STAYS,
        "T8.printed": STAYS,
        "TF-effects": STAYS,
        "T8.C-g": "its one rank for all is always overridden by that of T8.D-e",
    },
    "magic": {
        "M-mur": STAYS,
        "M0-b": "it forbids rules that skip a phase, and there is none",
        "MF-27": "what is triggered is put without a permission; a grant matters only where there is a ban",
        "M3c-c": "it allows to several what M3c-a allows to each",
        "M4-e": "it says of the second main phase what M2-d says of the turn",
    },
    "summoners-gate": {"S4a-m": STAYS},
}


@pytest.mark.parametrize("game", GAMES)
def test_every_rule_changes_something(game: str) -> None:
    book, _ = library(game)
    system = build(book, supposed=tuple(s.Effects((name,)) for name, play in book.plays.items() if effect(play.decl)))
    parts = speaking(system)
    same = {rule for rule in book.rules if not kept_only(game, rule) and not matters(system, rule, parts.get(rule, {}))}
    assert same == set(SAME.get(game, {}))


def effect(of: s.PlayDecl) -> bool:
    """Whether it is something that cards can do."""
    return of.sort == "effect"


def kept_only(game: str, rule: str) -> bool:
    """Whether a rule only says that quantities stay as they are: without it, there is no rulebook at all."""
    book, _ = library(game)
    if any(not isinstance(clause.body, s.Keeps) for clause in book.clauses if clause.rule == rule):
        return False
    kept = tuple(node for node in book.tree.statements if not (isinstance(node, s.Rule) and node.id == rule))
    try:
        check(s.RulebookTree(kept), book.path, "")
    except Invalid as invalid:
        return {found.code for found in invalid.diagnostics} == {"TP063"}
    return False
