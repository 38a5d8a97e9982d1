"""A play in words: what happens, by which rules, and what it changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from turnproof.language import printer
from turnproof.language import syntax as s
from turnproof.rulebook.elaborate import Elaborator, Piece, Scope
from turnproof.rulebook.model import Rulebook, title, title_of
from turnproof.solve.plays import Counterexample, Happened
from turnproof.solve.property import Goal, Possible, Property
from turnproof.system import expr as x
from turnproof.system.common import CAUSE
from turnproof.system.interpret import State, World, evaluate, perform
from turnproof.system.system import Variable
from turnproof.words import word

_MACHINERY = ("step", "active", "turn", "priority", "passes", "stack.play", "stack.by", CAUSE)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One happening of a play. `rules` made it so; `note` says what else did; `changes` are (what, before, after)."""

    text: str
    rules: tuple[str, ...]
    note: str
    changes: tuple[tuple[str, str, str], ...]


def sentences(
    book: Rulebook, variables: tuple[Variable, ...], play: Counterexample, language: str = ""
) -> tuple[Sentence, ...]:
    """A play, happening by happening. Without a language: in English, with the game's own names."""
    told = []
    state = play.start
    for happened in play.happened:
        told.append(sentence(book, variables, happened, state, play.world, language))
        state = happened.after
    return tuple(told)


def sentence(
    book: Rulebook,
    variables: tuple[Variable, ...],
    happened: Happened,
    before: State,
    world: World,
    language: str = "",
) -> Sentence:
    """One happening in words."""
    permits, note = _permits(happened, before, world)
    rules = [*permits, *_skipping(book, happened, world), *_causes(happened, before, world)]
    changes = tuple(
        (variable_name(variable, language), shown_value(old, language), shown_value(new, language))
        for variable, old, new in changed(variables, before, happened.after)
    )
    return Sentence(
        _text(book, happened, language), tuple(dict.fromkeys(rules)), word(note, language) if note else "", changes
    )


def _text(book: Rulebook, happened: Happened, language: str) -> str:
    play = happened.command.play
    after = happened.after
    who = player_name(play.player or "", language)
    match play.kind:
        case "begin" | "leave":
            there = title_of(book.steps[str(after["step"])], language)
            active = player_name(str(after["active"]), language).lower()
            begins = word(
                "turn {turn} of {player} begins: {step}", language, turn=after["turn"], player=active, step=there
            )
            over = ", ".join(title_of(book.steps[leaf], language) for leaf in play.passed)
            passed = f" ({word('{steps} passed over', language, steps=over)})" if over else ""
            if play.kind == "begin":
                return _capital(begins) + passed
            ended = title_of(book.steps[play.name], language)
            if after["step"] == play.name and play.target != play.name:
                return _capital(word("{step} ends, and so does the game", language, step=ended))
            then = begins if play.turn_ends else word("{step} begins", language, step=there)
            return _capital(word("{step} ends, {then}", language, step=ended, then=then)) + passed
        case "pass":
            return word("{player} passes", language, player=who)
        case _:
            what = title(book.plays[play.name].decl.titles, play.name, language)
            amounts = ", ".join(
                f"{name} {shown_value(value, language)}" for name, value in happened.params.items() if value
            )
            pieces = ", ".join(_piece(key, language) for _, key in play.pieces)
            more = "; ".join(part for part in (pieces, amounts) if part)
            stacked = book.plays[play.name].stacked
            said = {
                "play": "{player}: {what}",
                "resolve": "{what} of {player} resolves",
                "trigger": "{what} of {player} is triggered",
                "put": "{what} of {player} goes on the stack" if stacked else "{what} of {player} resolves",
                "effect": "an effect comes about: {what} ({player})",
            }[play.kind]
            named = who if play.kind == "play" else who.lower()
            return _capital(word(said, language, what=what, player=named)) + (f" ({more})" if more else "")


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _skipping(book: Rulebook, happened: Happened, world: World) -> list[str]:
    """The rules by which steps are passed over."""
    names = {name for leaf in happened.command.play.passed for name in book.lineage(leaf)}
    return [
        clause.rule
        for clause in book.of(s.Skip)
        if isinstance(clause.body, s.Skip)
        and clause.body.mode != "never"
        and names & set(clause.body.steps)
        and clause.rule not in world.removed
        and (clause.selection is None or world.choices[clause.selection[0]] == clause.selection[1])
    ]


def at_issue(
    book_variables: tuple[Variable, ...], goal: Goal, play: Counterexample, language: str = ""
) -> tuple[tuple[str, str], ...]:
    """What the claim speaks of, as it is where the play ends: (what, value), a few at most."""
    of = goal.event if isinstance(goal, Possible) else goal
    if not isinstance(of, Property):
        return ()
    state: State = play.start if len(play.happened) < 2 else play.happened[-2].after
    spoken = of.spoken
    if of.moments and play.happened:
        got = perform(play.happened[-1].command, state, play.happened[-1].params, play.world)
        passed = [then for moment, then in (got[1] if got else ()) for other, _ in of.moments if other == moment]
        state = passed[-1] if passed else state
    elif of.about_states and play.happened:
        state = play.happened[-1].after
    found = []
    for variable in book_variables:
        value = state[variable.name]
        machinery = variable.name in _MACHINERY or " " in variable.name or isinstance(value, Mapping)
        if machinery or variable.name.endswith(".in_play") or variable.name not in spoken:
            continue
        parts = variable.name.split(".")
        if len(parts) < 4 or state[".".join([*parts[:3], "in_play"])]:
            found.append((variable_name(variable, language), shown_value(cast("x.Value", value), language)))
    return tuple(found[:8])


@dataclass(frozen=True, slots=True)
class Broken:
    """Part of what is claimed that is false where a play goes wrong; `happening` is the one that made it so, if any."""

    text: str
    happening: int | None

    def since(self, language: str = "") -> str:
        """Since when, in words."""
        if self.happening is None:
            return ""
        return f", {word('since happening {number}', language, number=self.happening + 1)}"


def broken(book: Rulebook, body: s.ClaimBody, goal: Goal, play: Counterexample) -> tuple[Broken, ...]:
    """Which parts of a claim on states are false where a play goes wrong, and since which happening."""
    if not isinstance(goal, Property) or not isinstance(body, s.Always | s.After) or not play.happened:
        return ()
    states: list[State] = [play.start, *(happened.after for happened in play.happened)]
    last = len(states) - 1
    if goal.moments:
        before = states[last - 1]
        got = perform(play.happened[-1].command, before, play.happened[-1].params, play.world)
        passed = [
            then for moment, then in (got[1] if got else ())
            for other, holds in goal.moments if other == moment and not evaluate(holds, then, {}, play.world)
        ]  # fmt: skip
        states[last] = passed[0] if passed else states[last]
    el = Elaborator(book)
    never = isinstance(body, s.Always) and body.never
    found = []
    for text, holds in _parts(el, body.cond, el.base, not never):
        values = [_known(holds, state, play.world) for state in states]
        if values[last] is not False:
            continue
        since = next((at for at in range(last, 0, -1) if values[at - 1] is not False), None)
        found.append(Broken(text, None if since is None else since - 1))
    return tuple(found[:4])


def _known(holds: x.Expr, state: State, world: World) -> bool | None:
    """Whether something holds; None where the game does not remember what it takes to tell."""
    try:
        return bool(evaluate(holds, state, {}, world))
    except KeyError:
        return None


def _parts(el: Elaborator, cond: s.Exp, scope: Scope, wanted: bool) -> Iterator[tuple[str, x.Expr]]:
    """The parts of a condition, all of which must hold (or, if it is not `wanted`, must not), with what they say."""
    match cond:
        case s.Junction("and", items) if wanted:
            for item in items:
                yield from _parts(el, item, scope, wanted)
        case s.Quantified("every", binding, body) if wanted and binding.kind != "player":
            for there, inner in el.bind(binding, scope):
                piece = inner.names[binding.variable]
                assert isinstance(piece, Piece)
                for text, holds in _parts(el, body, inner, wanted):
                    yield f"{text}, with {binding.variable} {_piece(piece.key, '')}", x.implies(there, holds)
        case s.Quantified("every", binding, body) if wanted:
            for player, (_, inner) in zip(el.book.players, el.bind(binding, scope), strict=True):
                for text, holds in _parts(el, body, inner, wanted):
                    yield f"{text}, with {binding.variable} {player_name(player)}", holds
        case _:
            holds = el.truth(cond, scope)
            yield (printer.exp(cond), holds) if wanted else (f"not {printer.exp(cond)}", x.negate(holds))


def _permits(happened: Happened, before: State, world: World) -> tuple[list[str], str]:
    """The rules that allow a play, or what does if no rule speaks of it."""
    play = happened.command.play
    if play.kind not in ("play", "effect"):
        return [], ""
    rules = [rule for rule, holds in happened.command.permits if evaluate(holds, before, happened.params, world)]
    if rules:
        return rules, ""
    if play.kind == "effect":
        return [], "it comes of what has just been done"
    return [], "no rule says who may; it is possible as silence = possible"


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


def changed(variables: Iterable[Variable], before: State, after: State) -> Iterator[tuple[Variable, x.Value, x.Value]]:
    """The quantities of a game that are not the same in two states."""
    for variable in variables:
        old, new = before[variable.name], after[variable.name]
        if not (hidden(variable.name) or isinstance(old, Mapping) or isinstance(new, Mapping) or old == new):
            yield variable, old, new


def hidden(name: str) -> bool:
    """Whether a variable is no quantity of the game, but what turnproof keeps of its course."""
    return name in _MACHINERY or name.endswith(".turns") or " " in name


def variable_name(variable: Variable, language: str = "") -> str:
    """What a quantity is called by people."""
    parts = variable.name.split(".")
    label = word(variable.label.replace("_", " "), language)
    if parts[0].startswith("p") and parts[0][1:].isdigit():
        if len(parts) == 4:
            return f"{_piece('.'.join(parts[:3]), language)} {label}"
        return word("{what} of {player}", language, what=label, player=player_name(parts[0], language).lower())
    return label


def player_name(player: str, language: str = "") -> str:
    """A player in words."""
    return word("Player {number}", language, number=player[1:]) if player else word("Somebody", language)


def _piece(key: str, language: str) -> str:
    owner, kind, number = key.split(".")
    owned = player_name(owner, language).lower()
    return word("{piece} {number} of {player}", language, piece=kind.rstrip("s"), number=number, player=owned)


def shown_value(value: x.Value, language: str = "") -> str:
    """A value in words."""
    if isinstance(value, bool):
        return word("yes" if value else "no", language)
    if isinstance(value, str) and value.count(".") == 2:
        return _piece(value, language)
    return str(value).replace("_", " ")
