"""Draws the pictures in `diagrams/`: `python -m tests.draw [NAME…]`. Needs the dev extra."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from turnproof import Game, load
from turnproof.draw.picture import Picture

DIAGRAMS = Path(__file__).parents[1] / "diagrams"
GAMES = ("taiji", "duelo", "magic", "summoners-gate")
# An encounter of each game, in the words of questions, and a claim with a play.
COMBATS = {
    "taiji": "encounters when character a of active with attack 3 and defence 3 and First Strike, "
    "character e of active with attack 2 and defence 2 and Normal, "
    "character b of opponent with attack 4 and defence 4 and Normal, "
    "character d of opponent with attack 1 and defence 2 and god, "
    "attack_player with a, attack_player with e, block with b against a, block with d against a, opponent.life = 20",
    "duelo": "calcular when unidad u of active with fuerza 2 and posición 1 and en_batalla and objetivo enfrente, "
    "unidad d of opponent with fuerza 6 and posición 1 and not girada",
    "magic": "attribution when créature c of active with force 4 and attaquante, "
    "créature b of opponent with force 2 and bloque c",
    "summoners-gate": "擲向生物 against d when 生物 d of opponent with 防禦力 3 and 生命 9 and 被攻擊, "
    "骰數 = 3, 守勢 = 0, dice 2 and 4 and 5",
}
PLAYS = {"taiji": "TC-04", "duelo": "DC-11", "magic": "MC-13", "summoners-gate": "SC-11"}


def pictures() -> Iterator[tuple[str, Callable[[], Picture]]]:
    """Every picture in `diagrams/`, by its name there."""
    games = {name: load(name) for name in GAMES}
    for name, game in games.items():
        yield from _of(name, game)
    others = list(games.values())[1:]
    yield "compare", lambda: games["taiji"].draw("compare", others=others)
    yield "magic-modern-diff", lambda: games["magic"].draw("diff", others=[load("magic-modern")])


def _of(name: str, game: Game) -> Iterator[tuple[str, Callable[[], Picture]]]:
    yield name, lambda: game.draw("flow")
    yield f"{name}-compact", lambda: game.draw("flow", compact=True)
    yield f"{name}-windows", lambda: game.draw("windows")
    yield f"{name}-aid", lambda: game.draw("aid")
    yield f"{name}-combat", lambda: game.draw("combat", situation=COMBATS[name])
    yield f"{name}-play", lambda: game.draw("play", claim=PLAYS[name])


def main(names: list[str]) -> None:
    """Write `diagrams/NAME.svg` for the names; for all, if there is none."""
    for name, made in pictures():
        if not names or name in names:
            (DIAGRAMS / f"{name}.svg").write_bytes(made().render("svg"))
            print(name)


if __name__ == "__main__":
    main(sys.argv[1:])
