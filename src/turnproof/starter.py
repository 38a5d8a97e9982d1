"""The small rulebook that `turnproof new` writes: it checks at once, and says what each part is for."""

from __future__ import annotations

TEMPLATE = """# {title}

This page is a rulebook and its model in one. Prose is for people; the blocks marked `rules` are checked. Change
something, and run `turnproof check {name}` again. The language: docs/language.md and docs/combat.md in turnproof.

## Who and what

Two players. What is given no first value starts with any value, so that proofs hold for all numbers.

```rules
game {name} "{title}"
  players 2

each player has
  life : int
  hand, deck : int >= 0
  gold : int >= 0

each player has up to 2 fighters, each with
  power : int >= 0
  toughness : int >= 1
  attacking : bool = false
  blocks : fighter or nothing = nothing
  wounds : int >= 0 = 0
```

## The turn

```rules
[1] turn
  draw   "Draw"
  main   "Main"
  attack "Attack"
  block  "Block"
  finish "Finish"
```

## What players can do

```rules
play card "play a card"
  any cost : int >= 0
play attack_with "attack"
  with f : own fighter
play block_with "block"
  with b : own fighter
  against f : opposing fighter

[2] at the start of draw, move 1 from active.deck to active.hand
[3] at the start of draw, active.gold += 2
[4] during main, active may play card
[5] card costs cost gold, 1 hand
[6] during attack, active may attack_with with f if not f.attacking
[7] whenever attack_with with f, f.attacking becomes true
[8] during block, opponent may block_with with b against f if f.attacking and b.blocks = nothing
[9] whenever block_with with b against f, b.blocks becomes f
```

## A fight

Blows fall at once. How much a fighter deals to an attacker it blocks, and how much gets through, is said by rules.

```rules
procedure fight "The fight", at the end of block
  blows "Blows fall"
  end   "The fallen leave"

define blocked of fighter f: some fighter b: b.blocks = f

[10] at blows, every fighter f of active where f.attacking and not f.blocked: opponent.life -= f.power
[11] at blows, every fighter b of opponent: b.blocks.wounds += b.power
[12] at blows, every fighter b of opponent where b.blocks.in_play: b.wounds += b.blocks.power
[13] at end, every fighter f where f.wounds >= f.toughness: f leaves play
[14] at the end of finish, every fighter f: f.attacking becomes false, every fighter f: f.blocks becomes nothing,
    every fighter f: f.wounds becomes 0
[15] keeps fighters.power, fighters.toughness
```

## What can be read in two ways, and what nobody has said yet

```rules
[16] read as
  the_active_player (default): at the end of finish, lower active.hand to 7
  everybody: at the end of finish, every player p: lower p.hand to 7

open [17] "What happens when a player has no life left?"
  nothing:
  that_player_loses: any player loses if player.life <= 0
```

## Claims

A claim says which verdict you expect. `turnproof check` compares.

```claims
game {name}

[C1] "Who has the turn ends it with seven cards at most": after finish, active.hand <= 7
  expect proved

[C2] "So does everybody": after finish, every player p: p.hand <= 7
  expect depends on [16]

[C3] "A fighter that nobody blocks takes no wounds":
    in every fight of fighter f of active, f.wounds = f.wounds before if not f.blocked and f.blocks = nothing
  expect proved

[C4] "Every game ends": every game ends
  expect silent
```
"""


def page(name: str) -> str:
    """A first rulebook for a game of some name."""
    return TEMPLATE.format(name=name, title=name.replace("_", " ").capitalize())
