"""A play in words: what happens, by which rules, and what it changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from turnproof.rulebook.model import Rulebook, title, title_of
from turnproof.solve.search import Counterexample, Happened
from turnproof.system import expr as x
from turnproof.system.interpret import State, World, evaluate
from turnproof.system.system import Variable

_MACHINERY = ("step", "active", "turn", "priority", "passes", "stack.play", "stack.by")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One happening of a play. `rules` made it so; `note` says what else did; `changes` are (what, before, after)."""

    text: str
    rules: tuple[str, ...]
    note: str
    changes: tuple[tuple[str, str, str], ...]


def sentences(book: Rulebook, variables: tuple[Variable, ...], play: Counterexample) -> tuple[Sentence, ...]:
    """A play, happening by happening."""
    told = []
    state = play.start
    for happened in play.happened:
        told.append(_sentence(book, variables, happened, state, play.world))
        state = happened.after
    return tuple(told)


def _sentence(
    book: Rulebook, variables: tuple[Variable, ...], happened: Happened, before: State, world: World
) -> Sentence:
    permits, note = _permits(happened, before, world)
    rules = [*permits, *_causes(happened, before, world)]
    return Sentence(
        _text(book, happened), tuple(dict.fromkeys(rules)), note, _changes(variables, before, happened.after)
    )


def _text(book: Rulebook, happened: Happened) -> str:
    play = happened.command.play
    after = happened.after
    who = player_name(play.player or "")
    match play.kind:
        case "begin" | "leave":
            there = title_of(book.steps[str(after["step"])])
            begins = f"turn {after['turn']} of {player_name(str(after['active'])).lower()} begins: {there}"
            if play.kind == "begin":
                return begins[0].upper() + begins[1:]
            ended = title_of(book.steps[play.name])
            return f"{ended} ends, {begins if play.turn_ends else f'{there} begins'}"
        case "pass":
            return f"{who} passes"
        case _:
            what = title(book.plays[play.name].decl.titles, play.name)
            amounts = ", ".join(f"{name} {_value(value)}" for name, value in happened.params.items() if value)
            pieces = ", ".join(_piece(key) for _, key in play.pieces)
            more = "; ".join(part for part in (pieces, amounts) if part)
            said = {
                "play": f"{who}: {what}",
                "resolve": f"{what} of {who.lower()} resolves",
                "trigger": f"{what} of {who.lower()} is triggered",
                "put": f"{what} of {who.lower()} goes on the stack"
                if book.plays[play.name].stacked
                else f"{what} of {who.lower()} resolves",
            }[play.kind]
            return said[0].upper() + said[1:] + (f" ({more})" if more else "")


def _permits(happened: Happened, before: State, world: World) -> tuple[list[str], str]:
    """The rules that allow a play, or what does if no rule speaks of it."""
    play = happened.command.play
    if play.kind != "play":
        return [], ""
    rules = [rule for rule, holds in happened.command.permits if evaluate(holds, before, happened.params, world)]
    if rules:
        return rules, ""
    return [], "no rule speaks of it; it is possible as silence = possible"


def _causes(happened: Happened, before: State, world: World) -> list[str]:
    """The rules whose updates changed something."""
    rules: list[str] = []
    now = dict(before)
    for block in happened.command.blocks:
        new = {u.variable: evaluate(u.value, now, happened.params, world) for u in block.updates}
        for update in block.updates:
            if new[update.variable] != now[update.variable]:
                rules += sorted(rule for rule in update.rules if rule not in world.removed)
        now.update(new)
    return rules


def _changes(variables: tuple[Variable, ...], before: State, after: State) -> tuple[tuple[str, str, str], ...]:
    found = []
    for variable in variables:
        name = variable.name
        hidden = name in _MACHINERY or name.endswith(".turns") or " " in name
        old, new = before[name], after[name]
        if hidden or isinstance(old, Mapping) or isinstance(new, Mapping) or old == new:
            continue
        found.append((variable_name(variable), _value(old), _value(new)))
    return tuple(found)


def variable_name(variable: Variable) -> str:
    """What a quantity is called by people."""
    parts = variable.name.split(".")
    label = variable.label.replace("_", " ")
    if parts[0].startswith("p") and parts[0][1:].isdigit():
        owner = player_name(parts[0]).lower()
        if len(parts) == 4:
            return f"{_piece('.'.join(parts[:3]))} {label}"
        return f"{label} of {owner}"
    return label


def player_name(player: str) -> str:
    """A player in words."""
    return f"Player {player[1:]}" if player else "Somebody"


def _piece(key: str) -> str:
    owner, kind, number = key.split(".")
    return f"{kind.rstrip('s')} {number} of {player_name(owner).lower()}"


def _value(value: x.Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).replace("_", " ")
