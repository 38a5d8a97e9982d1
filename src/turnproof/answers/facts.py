"""Facts of a state in words: whose a quantity is, by the part that a player has in the question or the finding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from turnproof.answers.ground import Ground
from turnproof.answers.judge import Judge
from turnproof.rulebook.model import Rulebook
from turnproof.solve.ask import Model
from turnproof.solve.plays import values_of
from turnproof.system import expr as x
from turnproof.system.system import Variable
from turnproof.verdict.explain import player_name, shown_value, variable_name


def fact_name(book: Rulebook, variable: Variable, active: str, pieces: Mapping[str, str]) -> str:
    """What a quantity is called where `active` is the active player; `pieces` are names for pieces, by their keys."""
    owner, _, rest = variable.name.partition(".")
    key = variable.name.rpartition(".")[0]
    if key in pieces:
        return f"{variable.label.replace('_', ' ')} of {pieces[key]}"
    if owner in book.players and "." not in rest:
        whose = "the active player" if owner == active else "the other player"
        return f"{variable.label.replace('_', ' ')} of {whose}"
    what = variable_name(variable)
    for piece, name in pieces.items():
        what = what.replace(f":{piece}", f" {name}").replace(piece, name)
    return what


def fact_value(of: Ground, model: Model, symbol: str, sort: x.Sort) -> str:
    """The value of a symbol in a model, in words."""
    return shown_value(values_of(of.script, model)(symbol, sort))


def whose_turn(of: Ground, model: Model) -> tuple[str, str]:
    """Whose turn it is in a model, as a fact in words."""
    return "the active player", player_name(fact_value(of, model, "0.active", of.system.sorts["active"])).lower()


def situation(
    book: Rulebook, of: Ground, judge: Judge, value: int, model: Model, readings: Mapping[str, str],
    pieces: Mapping[str, str],
) -> tuple[tuple[str, str], ...]:  # fmt: skip
    """The fewest facts that make an answer so, where readings are as usual but for some."""
    facts, _ = judge.turning(value, model, judge.flags({**judge.usual, **readings}))
    return told(book, of, model, facts, pieces)


def told(
    book: Rulebook, of: Ground, model: Model, facts: Iterable[str], pieces: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    """Facts of a model in words, by their symbols: what, and what it is."""
    variables = {f"0.{v.name}": v for v in of.system.variables}
    active = fact_value(of, model, "0.active", of.system.sorts["active"])
    return tuple(
        (fact_name(book, variables[symbol], active, pieces), fact_value(of, model, symbol, variables[symbol].sort))
        for symbol in facts
    )
