"""A game as a transition system: variables, happenings, readings. Plain data, no behaviour.

A happening (`Command`) is a sequence of blocks. A block looks at its condition in the state it finds, then makes all
its updates at once; the next block finds what it left. If any condition fails, the happening cannot occur at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from turnproof.system.expr import FALSE, TRUE, Expr, Sort, Value


@dataclass(frozen=True, slots=True)
class Variable:
    """A state variable. `initial` None means that it starts with any value of its sort."""

    name: str
    sort: Sort
    initial: Value | None
    label: str


@dataclass(frozen=True, slots=True)
class Selector:
    """A reading, an open question or a policy: fixed for a whole game, chosen before it begins.

    `default` is None exactly for open questions.
    """

    name: str
    options: tuple[str, ...]
    default: str | None
    question: str

    @property
    def usual(self) -> str:
        """The option taken where nothing says otherwise: the default, or an open question's first answer."""
        return self.default or self.options[0]


@dataclass(frozen=True, slots=True)
class Update:
    """`variable` gets the value of `value`, read before the block."""

    variable: str
    value: Expr
    rules: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Moment:
    """A point inside a happening, reached once its block is done.

    `kind` is "after_step", "after_rule" or "turn_ends".
    """

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Block:
    """Simultaneous updates, made only if `when` holds; `reached` names the moment at which they are done.

    `label` tells people when that is: ("start", STEP), ("end", STEP), or ("stage", NAME, RANK…) in a procedure.
    """

    when: Expr = TRUE
    updates: tuple[Update, ...] = ()
    reached: tuple[tuple[Moment, Expr], ...] = ()
    label: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Play:
    """What sort of happening a command is, for claims and for people.

    `kind` is "begin", "leave", "pass", "play", "resolve", "trigger", "put" or "effect"; `name` the play, or the step
    left.
    """

    kind: str
    name: str
    player: str | None = None
    pieces: tuple[tuple[str, str], ...] = ()
    target: str | None = None
    turn_ends: bool = False
    passed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Command:
    """One happening. `params` are chosen freely within their sorts, and further only by the blocks' conditions.

    `permits` are the rules that allow it, each with when it does: for explanations only.
    """

    name: str
    play: Play
    params: tuple[tuple[str, Sort], ...]
    blocks: tuple[Block, ...]
    permits: tuple[tuple[str, Expr], ...] = ()


@dataclass(frozen=True, slots=True)
class Clash:
    """Two rules that write one variable at one moment: `command` and `block` say when, `cond` in which states."""

    command: str
    block: int
    variable: str
    rules: tuple[str, str]
    cond: Expr


@dataclass(frozen=True, slots=True, eq=False)
class System:
    """A game that can be run and proved about. Names are unique; `tags` are the ids of removable rules.

    `since` are variables that are true only while a condition has held since the turn began, with the condition; `was`
    those that keep what was so then. The game is over where `over` is true.
    Systems are compared by identity: they are large, and results are remembered for each.
    """

    name: str
    variables: tuple[Variable, ...]
    selectors: tuple[Selector, ...]
    tags: tuple[str, ...]
    commands: tuple[Command, ...]
    clashes: tuple[Clash, ...] = ()
    since: tuple[tuple[str, Expr], ...] = ()
    was: tuple[tuple[str, Expr], ...] = ()
    over: Expr = FALSE

    @property
    def sorts(self) -> dict[str, Sort]:
        """The sort of every variable."""
        return {variable.name: variable.sort for variable in self.variables}

    def clashes_in(self, command: str, block: int) -> tuple[Clash, ...]:
        """The clashes in a block of a command."""
        return _clashes(self).get((command, block), ())


@lru_cache(maxsize=64)
def _clashes(system: System) -> dict[tuple[str, int], tuple[Clash, ...]]:
    found: dict[tuple[str, int], tuple[Clash, ...]] = {}
    for clash in system.clashes:
        where = (clash.command, clash.block)
        found[where] = (*found.get(where, ()), clash)
    return found
