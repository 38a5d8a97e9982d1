"""Answers against the interpreter: what is said of every case must be so in each that is tried.

Permissions are compared on random rulebooks, under all policies; what comes of something is gone again, step by step,
in the interpreter, from states that the solver finds.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from itertools import product
from random import Random
from typing import Any

import pytest

from tests.soundness import generate
from turnproof import from_text, load
from turnproof.answers.alike import Likeness, Venture
from turnproof.answers.ask import Answers
from turnproof.answers.asker import Asker
from turnproof.answers.consequence import Branch, Consequences, way_label
from turnproof.answers.ground import Ground
from turnproof.answers.judge import Judge
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
    """What the solver says comes of a state is what the interpreter makes of it, and of it with the players exchanged
    where they are taken to be alike.
    """
    game = load(name)
    gone: dict[str, Venture] = {}
    mirrored: list[Venture] = []
    plain_branch, plain_alike, plain_judged = Consequences.branch, Likeness.alike, Asker.judged
    found: list[int] = []

    def branch(self: Consequences, query: Any, venture: Venture, *rest: Any) -> Branch:
        gone[venture.cast.active] = venture
        return plain_branch(self, query, venture, *rest)

    def alike(self: Likeness, one: Venture, two: Venture, *rest: Any) -> bool:
        mirrored.extend([two] * (so := plain_alike(self, one, two, *rest)))
        return so

    def judged(self: Asker, of: Ground) -> object:
        judge = Judge(of, self.limit, dict(self.readings))
        for value, model in judge.values(judge.tags).items():
            found.append(value)
            again(self, of, model, value, gone, mirrored)
        return plain_judged(self, of)

    monkeypatch.setattr(Consequences, "branch", branch)
    monkeypatch.setattr(Likeness, "alike", alike)
    monkeypatch.setattr(Asker, "judged", judged)
    game.ask(next(one.question for one in game.disputes if one.id == dispute))
    assert found
    assert len(gone) + len(mirrored) == len(game.book.players)


@pytest.mark.parametrize(("name", "dispute"), DISPUTES)
def test_one_of_those_who_are_alike_is_enough(name: str, dispute: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is the same if each player's way is gone."""
    game = load(name)
    asked = next(one.question for one in game.disputes if one.id == dispute)
    once = game.ask(asked)
    monkeypatch.setattr(Likeness, "alike", lambda *_: False)
    each = game.ask(asked)
    assert (once.answer, once.amount, once.on, once.chances) == (each.answer, each.amount, each.on, each.chances)


def again(
    asker: Asker, of: Ground, model: Model, value: int, gone: Mapping[str, Venture], mirrored: Iterable[Venture]
) -> None:
    """Goes the way of a model in the interpreter, and its mirror images: what comes of it must be the same."""
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
    amounts = {name: read(symbol.strip("|"), of.script.sorts[symbol.strip("|")]) for name, symbol in of.params.items()}
    venture = gone[state["active"]]
    active, leaf = venture.cast.active, venture.way.passed_over
    if leaf:
        must = asker.maker.must_skip(leaf, set())
        may = asker.maker.may_skip(leaf, set())
        wish = f"{active}: whether {leaf} is passed over"
        if evaluate(must, state, {}, world) or (
            may != x.FALSE and model.truth(wish) and evaluate(may, state, {}, world)
        ):
            return
    params = [
        {
            name: amounts[name] if name in amounts else read(f"{way_label(active)} {number} {name}", sort)
            for name, sort in part.command.params
        }
        for number, part in enumerate(venture.way.parts)
    ]
    assert what_comes(asker, venture, state, params, amounts, world) == value
    for other in mirrored:
        # With two players, it is the other's turn.
        swapped = {"p1": "p2", "p2": "p1"}

        def swap(of: Any, swapped: Mapping[str, str] = swapped) -> Any:
            if isinstance(of, dict):
                return {swap(name): swap(one) for name, one in of.items()}
            return re.sub(r"\bp[12]\b", lambda found: swapped[found[0]], of) if isinstance(of, str) else of

        assert what_comes(asker, other, swap(state), [swap(one) for one in params], amounts, world) == value


def what_comes(
    asker: Asker, venture: Venture, state: State, params: list[dict[str, x.Value]], amounts: Mapping[str, x.Value],
    world: World,
) -> int:  # fmt: skip
    """What is so at the end of a way in the interpreter."""
    now: dict[str, Any] = dict(state)
    assert evaluate(venture.cast.here, now, amounts, world)
    before: dict[str, Any] | None = None
    for part, chosen in zip(venture.way.parts, params, strict=True):
        if part.measured and before is None:
            before = dict(now)
        if "priority" in now:
            now["priority"] = part.player or "nobody"
            now["passes"] = 0 if part.player else len(asker.book.players)
        for block in part.blocks:
            assert evaluate(block.when, now, chosen, world), part.command.name
            now |= {u.variable: evaluate(u.value, now, chosen, world) for u in block.updates}
    seen = {**now, **{x.BEFORE + name: held for name, held in (before or state).items()}}
    query = asker.asked.query
    assert isinstance(query, s.HoldsAsk | s.FateAsk | s.AmountAsk)
    expr = asker.said(query, venture.cast)  # type: ignore[attr-defined]  # it is one that can say it
    return int(evaluate(expr, seen, amounts, world))  # type: ignore[arg-type]  # a number or a truth value


THREE = """```rules
game three "Three"
  players 3
each player has
  gold : int >= 0
  income : int = {income}
turn
  a
  b
[A] at the start of a, active.gold += active.income
[B] keeps income
```
"""


@pytest.mark.parametrize(("income", "alike", "said"), [("2", 2, "2"), ("2, 3, 2", 0, "depends")])
def test_players_are_not_taken_to_be_alike_where_something_tells_them_apart(
    income: str, alike: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[bool] = []
    plain = Likeness.alike

    def counted(*given: Any) -> bool:
        found.append(plain(*given))
        return found[-1]

    monkeypatch.setattr(Likeness, "alike", counted)
    game = from_text(THREE.format(income=income))
    assert game.ask("how much gold do I gain in a").said == said
    assert sum(found) == alike
