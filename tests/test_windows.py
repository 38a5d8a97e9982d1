"""Who may do what, and when: what the solver says against a walk through games in the interpreter."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

from turnproof import Game, from_text, load
from turnproof.findings.inquiry import ROLES
from turnproof.language import syntax as s
from turnproof.system import expr as x
from turnproof.system.interpret import State, World, evaluate, perform
from turnproof.system.system import Command
from turnproof.windows import windows

POLICIES = list(product(("blocked", "possible"), ("ban_wins", "grant_wins")))
CELL = tuple[str, str, str]


class Walk:
    """Games gone at random, readings being as usual; `seen` is what could be done in the states that they came to."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game, self.system, self.rng = game, game.system, Random(seed)
        self.usual = {one.name: one.usual for one in self.system.selectors}
        self.world = World(self.usual)
        self.plays = [command for command in self.system.commands if command.play.kind == "play"]
        self.quiet = [c for c in self.system.commands if c.play.kind in ("begin", "leave", "pass", "resolve")]
        self.lively = [c for c in self.system.commands if c.play.kind not in ("begin", "leave", "pass")]
        costs = [clause.body for clause in game.book.of(s.Cost) if isinstance(clause.body, s.Cost)]
        self.paid = {
            f"{player}.{item.resource}" for cost in costs for item in cost.items for player in game.book.players
        }
        self.seen: dict[CELL, set[str]] = {}
        self.zeal = 0.1

    def games(self, number: int, length: int) -> None:
        for game in range(number):
            # Some games in which little is done, some in which much is.
            self.zeal = (0.02, 0.1, 0.3)[game % 3]
            state = self.start()
            for _ in range(length):
                state = self.following(state)
                if state["step"] != "setup" and not evaluate(self.system.over, state, {}, self.world):
                    self.note(state)

    def start(self) -> State:
        return {
            v.name: {} if isinstance(v.sort, x.Array) else v.initial if v.initial is not None else self.any(v.sort)
            for v in self.system.variables
        }

    def any(self, sort: x.Sort) -> Any:
        match sort:
            case x.Bool():
                return self.rng.random() < 0.5
            case x.Int(low, high):
                least = low or 0
                return self.rng.randint(least, least + 2 if high is None else min(high, least + 2))
            case x.Enum(values):
                return self.rng.choice(values)
            case _:
                raise AssertionError(sort)

    def following(self, state: State) -> State:
        """A state that can come next: mostly the turn goes on."""
        first, then = (self.lively, self.quiet) if self.rng.random() < self.zeal else (self.quiet, self.lively)
        for commands in (first, then):
            some = self.rng.sample(commands, len(commands))
            if self.rng.random() < 0.5:
                # What is triggered comes at any time; else there would be little room for plays.
                some.sort(key=lambda command: command.play.kind == "trigger")
            for command in some:
                got = perform(command, state, self.params(command), self.world)
                if got is not None:
                    return got[0]
        return state

    def params(self, command: Command) -> dict[str, Any]:
        return {name: self.any(sort) for name, sort in command.params}

    def note(self, state: State) -> None:
        for command in self.plays:
            new = {p.preposition for p in self.game.book.plays[command.play.name].pieces if p.whose == "new"}
            if any(state[f"{key}.in_play"] == (preposition in new) for preposition, key in command.play.pieces):
                continue
            role = ROLES[0] if command.play.player == state["active"] else ROLES[1]
            here: dict[str, Any] = {**state, **{name: 99 for name in self.paid if name in state}}
            if "priority" in here:
                here |= {"priority": command.play.player, "passes": 0}
            params = self.params(command)
            can = [
                perform(command, here, params, World({**self.usual, "silence": one, "clash": two})) is not None
                for one, two in POLICIES
            ]
            said = {
                (True,) * 4: "yes", (False,) * 4: "no", (False, False, True, True): "silent",
                (False, True, False, True): "contradiction",
            }[can[0], can[1], can[2], can[3]]  # fmt: skip
            self.seen.setdefault((command.play.name, role, str(state["step"])), set()).add(said)


def test_magic_agrees_with_a_walk_cell_by_cell() -> None:
    game = load("magic", {"créatures": 1})
    walk = Walk(game, 4)
    walk.games(150, 60)
    found = windows(game.book)
    assert {cell: {one.said for one in window.outcomes} for cell, window in found.cells.items()} == walk.seen


SMALL = """```rules
game small "Small"
  players 2
  language en
each player has
  gold : int >= 0
turn
  a
  b
  c
play act "act"
play rest "rest"
[A] during a, active may act
[B] despite [A], nobody may act if active.gold = 0
[C] during b or c, players may rest
[D] during c, nobody may rest
[E] at the end of a, active.gold += 1
```
"""


def said(text: str) -> dict[CELL, tuple[str, ...]]:
    return {
        cell: tuple(one.said for one in window.outcomes) for cell, window in windows(from_text(text).book).cells.items()
    }


def test_each_answer_shows() -> None:
    active, other = ROLES
    found = said(SMALL)
    assert found["act", active, "a"] == ("yes", "no")
    assert found["act", other, "a"] == ("no", "silent")
    assert found["act", active, "b"] == ("no", "silent")
    assert found["rest", active, "b"] == found["rest", other, "b"] == ("yes",)
    assert found["rest", active, "c"] == found["rest", other, "c"] == ("contradiction",)
    assert found["rest", active, "a"] == ("silent",)


def test_a_changed_rule_changes_the_cells_that_it_speaks_of_and_no_others() -> None:
    before, after = said(SMALL), said(SMALL.replace("[C] during b or c, players", "[C] during b or c, active"))
    changed = {cell for cell in before if before[cell] != after[cell]}
    assert changed == {("rest", ROLES[1], "b"), ("rest", ROLES[1], "c")}


APART = """```rules
game apart "Apart"
  players 2
each player has
  home : int = 1, 4
turn
  a
  b
play act "act"
play rest "rest"
[A] during a, active may act if active.home = 1
[B] during b, active may rest
[C] despite [B], nobody may rest if player.home = 4
[K] keeps home
```
"""


def test_what_tells_players_apart_is_not_said_of_all() -> None:
    """A cell says of the active player what is so of every active player, and else whose turn it must be."""
    game = from_text(APART)
    cells = windows(game.book).cells
    first, second = (("the active player", "player 1"),), (("the active player", "player 2"),)
    for play, step, otherwise in (("act", "a", "silent"), ("rest", "b", "no")):
        window = cells[play, ROLES[0], step]
        assert [(one.said, one.facts) for one in window.outcomes] == [("yes", first), (otherwise, second)]
        answer = game.ask(f"may I {play} in {step}")
        assert (answer.answer, answer.on) == ("depends", ("the active player",))
        assert {(case.outcome, case.facts) for case in answer.cases} == {("yes", first), (otherwise, second)}
        assert ("A" if play == "act" else "B") in answer.rules
    assert said(APART.replace("home : int = 1, 4", "home : int = 1"))["act", ROLES[0], "a"] == ("yes",)
