"""A rulebook whose names are known and whose rules are sorted. Nothing here is wrong any more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from turnproof.language import syntax as s

POLICIES = {"silence": ("blocked", "possible"), "clash": ("ban_wins", "grant_wins")}
# The policy of rulebooks in which rules decide values: which of two rules that decide one otherwise is followed.
VALUES = {"values": ("first_rule", "last_rule")}
SETUP = "setup"
# Words that mean something everywhere, so that nothing else can be called so.
RESERVED = frozenset(
    {
        "active", "opponent", "player", "turn", "turns", "round", "stack", "in_play", "owner", "nothing", SETUP,
        "silence", "clash", "values",
    }
)  # fmt: skip
NOBODY = "nobody"
NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Field:
    """A declared quantity of the game, of each player or of each piece of a kind.

    `others` are the first values of the second player, the third and so on, where these differ.
    """

    name: str
    type: s.Type
    initial: bool | int | str | None
    span: s.Span
    others: tuple[bool | int | str | None, ...] = ()

    def first_of(self, number: int) -> bool | int | str | None:
        """The first value for the player of a number, from 0."""
        return self.others[number - 1] if 0 < number <= len(self.others) else self.initial


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of piece, named as declared; `scope` is how many of them each player can have.

    `in_play` says whether they are as the game starts; None: any of them may be.
    """

    name: str
    scope: int
    fields: dict[str, Field]
    in_play: bool | None = None
    on_board: bool = False

    def named(self, word: str) -> bool:
        """Whether `word` names this kind: with or without a final s."""
        return word == self.name or word + "s" == self.name or word == self.name + "s"


@dataclass(frozen=True, slots=True)
class Step:
    """A phase or step. Leaves are where the game can be; `order` counts leaves, -1 for what has steps inside.

    `role` is what it is for, if that is said.
    """

    name: str
    titles: s.Titles
    parent: str | None
    children: tuple[str, ...]
    order: int
    span: s.Span
    role: str = ""


@dataclass(frozen=True, slots=True)
class PlayKind:
    """Something that can be done. `ancestors` runs from itself to the most general kind of it."""

    decl: s.PlayDecl
    ancestors: tuple[str, ...]
    leaf: bool
    items: tuple[s.PlayItem, ...]

    @property
    def name(self) -> str:
        return self.decl.name

    @property
    def pieces(self) -> tuple[s.PieceParam, ...]:
        """The pieces it names, its own and its ancestors'."""
        return tuple(item for item in self.items if isinstance(item, s.PieceParam))

    @property
    def stacked(self) -> bool:
        return any(isinstance(item, s.Stacked) for item in self.items)


@dataclass(frozen=True, slots=True)
class SelectorDecl:
    """A reading, an open question or a policy. `default` None: open."""

    name: str
    options: tuple[str, ...]
    default: str | None
    question: str
    span: s.Span

    @property
    def usual(self) -> str:
        """The option taken where nothing says otherwise: the default, or an open question's first answer."""
        return self.default or self.options[0]


@dataclass(frozen=True, slots=True)
class Decided:
    """A value that rules decide, for each piece of a kind or each player (`kind` "player").

    `otherwise` is what it is where no rule decides; None: that is an open question.
    """

    name: str
    kind: str
    type: s.Type
    otherwise: bool | int | str | None
    span: s.Span


@dataclass(frozen=True, slots=True)
class StageOf:
    """A stage of a procedure; `ranks` are the words for what the loops around it go through, with their values."""

    procedure: s.ProcedureDecl
    ranks: tuple[tuple[str, s.EnumT], ...]


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing that one rule says, under one reading if it has several."""

    rule: str
    selection: tuple[str, str] | None
    body: s.Body


@dataclass(frozen=True, slots=True)
class Rulebook:
    """Everything a rulebook says, by name. `rules` are the ids that can be removed, `background` the others."""

    path: str
    tree: s.RulebookTree
    name: str
    titles: s.Titles
    language: str
    players: tuple[str, ...]
    particular_first: bool
    game_fields: dict[str, Field]
    player_fields: dict[str, Field]
    kinds: tuple[Kind, ...]
    steps: dict[str, Step]
    plays: dict[str, PlayKind]
    defines: dict[str, s.Define]
    selectors: dict[str, SelectorDecl]
    clauses: tuple[Clause, ...]
    overrides: frozenset[tuple[str, str]]
    rules: tuple[str, ...]
    background: dict[str, str]
    board: s.Board | None = None
    round_turns: int | None = None
    edition: str = ""
    procedures: tuple[s.ProcedureDecl, ...] = ()
    stages: dict[str, StageOf] = field(default_factory=dict)
    decided: dict[str, Decided] = field(default_factory=dict)

    @property
    def acknowledged(self) -> dict[str, frozenset[str]]:
        """The rules that questions are about, by the question."""
        return {
            statement.id: frozenset(statement.about)
            for statement in self.tree.statements if isinstance(statement, s.Question) and statement.about
        }  # fmt: skip

    @property
    def counts(self) -> dict[str, int]:
        """How many ids it has of each sort, and how many readings and open questions."""
        kinds = list(self.background.values())
        asked = [s for s in self.selectors.values() if s.name not in POLICIES | VALUES]
        return {
            "rules": len(self.rules),
            "restatements": kinds.count("restatement"),
            "notes": kinds.count("note"),
            "definitions": kinds.count("definition") + kinds.count("order of phases"),
            "readings": sum(s.default is not None for s in asked),
            "open questions": sum(s.default is None for s in asked) + kinds.count("question"),
        }

    @property
    def leaves(self) -> tuple[Step, ...]:
        """The steps in which the game can be, in the order of the turn."""
        return tuple(sorted((step for step in self.steps.values() if step.order >= 0), key=lambda step: step.order))

    def leaves_of(self, name: str) -> tuple[str, ...]:
        """The leaves inside a phase or step; of "every phase" and "every step", all of them."""
        if name.startswith("every "):
            return tuple(leaf.name for leaf in self.leaves)
        return tuple(leaf.name for leaf in self.leaves if name in self.lineage(leaf.name))

    def lineage(self, name: str) -> tuple[str, ...]:
        """A step and what it stands in, from the inside out."""
        found = []
        step: str | None = name
        while step is not None:
            found.append(step)
            step = self.steps[step].parent
        return tuple(found)

    def phase(self, name: str) -> str:
        """The phase at the top of a step's lineage."""
        return self.lineage(name)[-1]

    @property
    def phases(self) -> tuple[str, ...]:
        """The phases in the order of the turn."""
        return tuple(dict.fromkeys(self.phase(leaf.name) for leaf in self.leaves))

    def sorts(self, play: str) -> tuple[PlayKind, ...]:
        """The plays without kinds of their own that a play's name covers."""
        return tuple(leaf for leaf in self.plays.values() if leaf.leaf and play in leaf.ancestors)

    def kind(self, word: str) -> Kind | None:
        """The kind of piece that a word names."""
        return next((kind for kind in self.kinds if kind.named(word)), None)

    def of(self, *bodies: type) -> Iterator[Clause]:
        """The clauses of some sorts, in the order of the rulebook."""
        return (clause for clause in self.clauses if isinstance(clause.body, bodies))


def stages_of(items: Iterable[s.ProcedureItem]) -> Iterator[s.Stage]:
    """The stages of a procedure, in order; those inside ranks once."""
    for item in items:
        if isinstance(item, s.Stage):
            yield item
        else:
            yield from stages_of(item.items)


def title(titles: s.Titles, name: str, language: str = "") -> str:
    """What people call a thing: in `language` if it is known, else in the game's own, else its name."""
    texts = dict(titles.texts)
    return texts.get(language) or texts.get("") or name.replace("_", " ")


def title_of(step: Step, language: str = "") -> str:
    """What people call a phase or step."""
    return title(step.titles, step.name, language)
