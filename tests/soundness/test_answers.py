"""Answers against the interpreter: what is said of every case must be so in each that is tried.

Permissions are compared on random rulebooks, under all policies; what comes of something is gone again, step by step,
in the interpreter, from states that the solver finds.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import product
from random import Random
from typing import Any

import pytest

from tests.soundness import generate
from turnproof import load
from turnproof.answers.ask import Answers
from turnproof.answers.asker import Asker
from turnproof.answers.ground import Ground
from turnproof.answers.judge import Judge
from turnproof.answers.path import Gone, Guide, Way
from turnproof.answers.scene import Cast
from turnproof.answers.unchanged import unchanged
from turnproof.diagnostics import Invalid
from turnproof.language import syntax as s
from turnproof.rulebook.model import PlayKind, Rulebook
from turnproof.solve.ask import Model
from turnproof.system import expr as x
from turnproof.system.interpret import State, World, evaluate, perform
from turnproof.system.system import Command, System

ROUNDS = int(os.environ.get("TURNPROOF_FUZZ") or 8)
POLICIES = list(product(("blocked", "possible"), ("ban_wins", "grant_wins")))


# -- permissions


@pytest.mark.parametrize("seed", range(4))
def test_permissions(seed: int) -> None:
    rng = Random(seed)
    compared = 0
    for _ in range(max(2, ROUNDS // 4)):
        book, system, _ = generate.game(rng)
        for play in [p for p in book.plays.values() if p.leaf and p.decl.sort == "play"]:
            leaf = rng.choice(book.leaves).name
            for who in ("active", "opponent"):
                compared += compare(rng, book, system, play, leaf, who)
    assert compared > 20


def compare(rng: Random, book: Rulebook, system: System, play: PlayKind, leaf: str, who: str) -> int:
    """Whether a play is possible in random states, against what is said of it; how many were compared."""
    late = {p.preposition for p in play.pieces if play.stacked and p.whose == "new"}
    named = tuple((p.preposition, f"piece_{at}") for at, p in enumerate(play.pieces) if p.preposition not in late)
    try:
        said = Answers(book).to(s.Asked(s.MayAsk(who, (s.PlayRef(play.name, None, named),), (leaf,)))).said
    except Invalid:
        return 0  # more pieces than a player can have
    done = 0
    for _ in range(12):
        state = fitting(rng, book, system, leaf)
        player = str(state["active"])
        if who == "opponent":
            player = next(name for name in book.players if name != player)
        world = generate.world(rng, system, removing=0)
        if evaluate(system.over, state, {}, world):
            continue
        mine = [c for c in system.commands if (c.play.kind, c.play.name, c.play.player) == ("play", play.name, player)]
        mine = [c for c in mine if all(key.endswith((".1", ".2")) for _, key in c.play.pieces)]
        can = {}
        for silence, clash in POLICIES:
            choices = {**world.choices, "silence": silence, "clash": clash}
            can[silence, clash] = any(possible(rng, c, state, World(choices)) for c in mine)
        done += 1
        match said:
            case "no":
                assert not any(can.values()), (said, leaf, who, play.name, state)
            case "silent":
                assert not can["blocked", "ban_wins"], (said, leaf, who, play.name, state)
                assert not can["blocked", "grant_wins"], (said, leaf, who, play.name, state)
            case "contradiction":
                assert not can["blocked", "ban_wins"], (said, leaf, who, play.name, state)
                assert not can["possible", "ban_wins"], (said, leaf, who, play.name, state)
            case "yes":
                assert len(set(can.values())) == 1, (said, leaf, who, play.name, state)
            case _:
                pass
    return done


def possible(rng: Random, command: Command, state: State, world: World) -> bool:
    params = {name: generate.plain(Random(0), sort) for name, sort in command.params}
    del rng
    return perform(command, state, params, world) is not None


def fitting(rng: Random, book: Rulebook, system: System, leaf: str) -> State:
    """A random state in which turns and plays are counted as they are in games, and nothing is unlike it ever is."""
    state: dict[str, Any] = {**generate.state(rng, system), "step": leaf}
    turns = [name for name in system.sorts if name.endswith(".turns")]
    for name in turns:
        state[name] = rng.randint(1, 3)
    state["turn"] = sum(int(str(state[name])) for name in turns)
    for name, sort in system.sorts.items():
        if isinstance(sort, x.Int):
            value = max(int(str(state[name])), sort.low or 0 if sort.low is not None or " this " in name else -5)
            state[name] = value if sort.high is None else min(value, sort.high)
    for name in system.sorts:
        whole = name.rpartition(" (")[0]
        if " this " in name and whole in system.sorts:
            state[whole] = max(int(str(state[whole])), int(str(state[name])))
    for fact in unchanged(book):
        # Each says that, by the rule that keeps it, a quantity is as at first.
        kept = x.rewritten(fact, lambda part: x.TRUE if isinstance(part, x.Tag) else None)
        match kept:
            case x.Eq(x.Var(name), x.Const(first)):
                state[name] = first
            case x.Var(name):
                state[name] = True
            case x.Not(x.Var(name)):
                state[name] = False
            case _:
                raise AssertionError(kept)
    return state


# -- what comes of something


DISPUTES = [
    (name, dispute.id)
    for name in ("taiji", "duelo", "magic", "summoners-gate") for dispute in load(name).disputes
    if dispute.question.startswith(("how", "is it so", "does"))
]  # fmt: skip


@pytest.mark.parametrize(("name", "dispute"), DISPUTES)
def test_ways_are_gone_alike(name: str, dispute: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the solver says comes of a state is what the interpreter makes of it."""
    game = load(name)
    gone: list[tuple[Ground, Way, Cast, str]] = []
    plain_go = Guide.go

    def go(self: Guide, way: Way, label: str, known: Mapping[str, x.Const]) -> Gone:
        gone.append((self.ground, way, asker[0].casts[len(gone) % len(asker[0].casts)], label))
        return plain_go(self, way, label, known)

    asker: list[Asker] = []
    plain_judged = Asker.judged
    found: list[int] = []

    def cast(self: Asker, plays: tuple[s.PlayRef, ...]) -> list[Cast]:
        asker[:] = [self]
        self.casts = list(self.stage.casts(plays))
        return self.casts

    def judged(self: Asker, of: Ground) -> object:
        judge = Judge(of, self.limit, dict(self.readings))
        for value, model in judge.values(judge.tags).items():
            found.append(again(self, of, model, value, gone))
        return plain_judged(self, of)

    monkeypatch.setattr(Guide, "go", go)
    monkeypatch.setattr(Asker, "cast", cast)
    monkeypatch.setattr(Asker, "judged", judged)
    game.ask(next(one.question for one in game.disputes if one.id == dispute))
    assert found


def again(asker: Asker, of: Ground, model: Model, value: int, gone: list[tuple[Ground, Way, Cast, str]]) -> int:
    """Goes the way of a model in the interpreter; 1 if what comes of it is the same."""
    names = {number: text for text, number in of.script.codes.numbers.items()}

    def read(symbol: str, sort: x.Sort) -> x.Value:
        match sort:
            case x.Bool():
                return model.truth(symbol)
            case x.Enum(values):
                return names.get(model.number(symbol) or 0, values[0])
            case _:
                return model.number(symbol) or 0

    state: dict[str, Any] = {
        v.name: {} if isinstance(v.sort, x.Array) else read(f"0.{v.name}", v.sort) for v in of.system.variables
    }
    world = World({s_.name: s_.options[model.number(f"reading {s_.name}") or 0] for s_ in of.system.selectors})
    way, cast, label = next((w, c, at) for _, w, c, at in gone if c.active == state["active"])
    if way.passed_over:
        leaf = way.passed_over
        must = asker.maker.must_skip(leaf, set())
        wish = f"{cast.active}: whether {leaf} is passed over"
        may = asker.maker.may_skip(leaf, set())
        if evaluate(must, state, {}, world) or (
            may != x.FALSE and model.truth(wish) and evaluate(may, state, {}, world)
        ):
            return 1
    now: dict[str, Any] = dict(state)
    before: dict[str, Any] | None = None
    for number, part in enumerate(way.parts):
        if part.measured and before is None:
            before = dict(now)
        if "priority" in now:
            now["priority"] = part.player or "nobody"
            now["passes"] = 0 if part.player else len(asker.book.players)
        params = {}
        for name, sort in part.command.params:
            symbol = of.params[name].strip("|") if name in of.params else f"{label} {number} {name}"
            params[name] = read(symbol, sort)
        for block in part.blocks:
            assert evaluate(block.when, now, params, world), part.command.name
            now |= {u.variable: evaluate(u.value, now, params, world) for u in block.updates}
    seen = {**now, **{x.BEFORE + name: held for name, held in (before or state).items()}}
    query = asker.asked.query
    assert isinstance(query, s.HoldsAsk | s.FateAsk | s.AmountAsk)
    expr = asker.said(query, cast)  # type: ignore[attr-defined]  # it is one that can say it
    amounts = {name: read(symbol.strip("|"), of.script.sorts[symbol.strip("|")]) for name, symbol in of.params.items()}
    assert int(evaluate(expr, seen, amounts, world)) == value  # type: ignore[arg-type]  # a number or a truth value
    return 1
