"""The syntax tree of rulebooks and of pages of claims. Positions never count in comparisons."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A place in a file: lines and columns count from 1, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


NOWHERE = Span(1, 1, 1, 1)


def at() -> Span:
    """A span field that takes no part in equality."""
    return field(default=NOWHERE, compare=False, repr=False, kw_only=True)


# -- expressions -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Num:
    value: int
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Truth:
    value: bool
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Name:
    """A word, or with `of` the part of something: `active's hand` (possessive) or `active.hand`."""

    text: str
    of: Name | None = None
    possessive: bool = False
    span: Span = at()


@dataclass(frozen=True, slots=True)
class NotE:
    """`not E`, or with `unless` the whole condition of a rule: `… unless E`."""

    of: Exp
    unless: bool = False
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Junction:
    """`and` or `or` of two or more."""

    op: str
    items: tuple[Exp, ...]
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Compare:
    op: str
    left: Exp
    right: Exp
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Arith:
    """`+`, `-` or `*`; a negative number is a `Num`."""

    op: str
    left: Exp
    right: Exp
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Extreme:
    """`min` or `max` of two or more."""

    op: str
    items: tuple[Exp, ...]
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Binding:
    """`character c of active`: a variable over pieces of a kind (`of` None: of all players), or over players."""

    kind: str
    variable: str
    of: Name | None = None
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Quantified:
    """`some`, `every` or `no` one of a binding."""

    quantifier: str
    binding: Binding
    body: Exp
    span: Span = at()


@dataclass(frozen=True, slots=True)
class CountPieces:
    """`count(character c of active: c.shifted)`."""

    binding: Binding
    body: Exp
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Total:
    """`sum(character c of active where c.attacking: c.attack)`."""

    binding: Binding
    where: Exp | None
    body: Exp
    span: Span = at()


@dataclass(frozen=True, slots=True)
class PlayRef:
    """A play or a kind of play, with names for its pieces: `block with b against a`."""

    play: str
    verb: str | None = None
    pieces: tuple[tuple[str, str], ...] = ()
    span: Span = at()


@dataclass(frozen=True, slots=True)
class CountPlays:
    """`number of land by active this turn`; `period` is "turn", "phase", "step", "game", "previous" or "waiting"."""

    play: PlayRef
    by: Name | None
    period: str
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Flow:
    """`active.hand gained by [T7.3-a] this turn`: how much rules or plays (none named: anything) added or took.

    `sources` are written as in the text, rules in brackets.
    """

    path: Name
    direction: str
    sources: tuple[str, ...]
    period: str
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Since:
    """`E since the turn began`: it held then and ever after; with `then_only`, `E when the turn began`."""

    of: Exp
    then_only: bool = False
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Settled:
    """`[TF-14] is everything`: how a reading or an open question is settled."""

    question: str
    option: str
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Before:
    """`c.damage before`: as it was before the happening that a claim speaks of.

    With `second`, in the second of two such happenings: `c.damage in the second`, `c.damage before in the second`;
    with `old` False, after it.
    """

    path: Name
    old: bool = True
    second: bool = False
    span: Span = at()


@dataclass(frozen=True, slots=True)
class OnBoard:
    """How places on the board lie: `a is at b`, `next to`, `in line with`, `between b and c` (op "at", "next", …)."""

    op: str
    places: tuple[Name, ...]
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Distance:
    """`distance of a and b`: how many steps forward, back, left or right lie between two places."""

    one: Name
    two: Name
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Dice:
    """`number of dice > d.defence`: how many of the dice thrown in a play show that."""

    op: str
    value: Exp
    span: Span = at()


Exp: TypeAlias = (
    "Num | Truth | Name | NotE | Junction | Compare | Arith | Extreme | Quantified | CountPieces | "
    "CountPlays | Flow | Since | Settled | Before | OnBoard | Distance | Dice | Total"
)

# -- declarations ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Titles:
    """What people call a thing: in the game's language first, then in others, as (language, text)."""

    texts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class BoolT:
    pass


@dataclass(frozen=True, slots=True)
class IntT:
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class EnumT:
    """`ordered` values are written from the highest to the lowest, with `>` between them."""

    values: tuple[str, ...]
    ordered: bool


@dataclass(frozen=True, slots=True)
class RefT:
    """`character or nothing`: one of the pieces of a kind, or none."""

    kind: str


@dataclass(frozen=True, slots=True)
class SameT:
    """The type of another quantity, by its name: `speed`."""

    name: str


Type: TypeAlias = "BoolT | IntT | EnumT | RefT | SameT"


@dataclass(frozen=True, slots=True)
class Players:
    count: int
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Language:
    code: str
    span: Span = at()


@dataclass(frozen=True, slots=True)
class ParticularFirst:
    """`the particular beats the general`."""

    span: Span = at()


@dataclass(frozen=True, slots=True)
class RoundOf:
    """`a round has 2 turns`."""

    turns: int
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Extends:
    """`extends magic`: all that this rulebook says, but for what is removed here or stands here under the same id."""

    name: str
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Edition:
    """`edition "2nd, 2026"`: which text of the rules it is."""

    text: str
    span: Span = at()


Setting: TypeAlias = "Players | Language | ParticularFirst | RoundOf | Extends | Edition"


@dataclass(frozen=True, slots=True)
class Board:
    """`board 4 by 6`: rows by columns."""

    rows: int
    columns: int
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Game:
    name: str
    titles: Titles
    settings: tuple[Setting, ...] = ()
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Decl:
    """`initial` is the first value; with several, `others` are those of the second player and so on."""

    names: tuple[str, ...]
    type: Type
    initial: Num | Truth | Name | None = None
    others: tuple[Num | Truth | Name, ...] = ()
    span: Span = at()


@dataclass(frozen=True, slots=True)
class StateBlock:
    """`each player has` (owner "player") or `the game has` (owner "game")."""

    owner: str
    decls: tuple[Decl, ...]
    span: Span = at()


@dataclass(frozen=True, slots=True)
class PieceBlock:
    """`each player has up to 3 characters, each with`; or `on the board`."""

    scope: int
    kind: str
    decls: tuple[Decl, ...]
    on_board: bool = False
    span: Span = at()


@dataclass(frozen=True, slots=True)
class StepDecl:
    """A phase or step; `role` is what it is for, by which the turns of several games are set side by side."""

    name: str
    titles: Titles
    role: str = ""
    steps: tuple[StepDecl, ...] = ()
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Structure:
    """`turn` (of None) or `steps of PHASE`, and what comes in it, in order."""

    id: str | None
    of: str | None
    steps: tuple[StepDecl, ...]
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of a procedure, on which rules hang."""

    name: str
    titles: Titles
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Ranks:
    """`for each rank of speed, highest first`, and the stages inside; `first` is "highest" or "lowest"."""

    variable: str
    quantity: str
    first: str
    items: tuple[ProcedureItem, ...] = ()
    span: Span = at()


ProcedureItem: TypeAlias = "Stage | Ranks"


@dataclass(frozen=True, slots=True)
class ProcedureDecl:
    """`procedure encounters, at the end of resolve`, with its stages in order."""

    name: str
    titles: Titles
    moment: str
    step: str
    items: tuple[ProcedureItem, ...] = ()
    span: Span = at()


@dataclass(frozen=True, slots=True)
class DecideDecl:
    """`decide rank of character : speed else normal`: a value that rules decide."""

    name: str
    kind: str
    type: Type
    otherwise: Num | Truth | Name | None = None
    span: Span = at()


# -- effects -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Change:
    """`path becomes E` (op "becomes"), `path += E`, `path -= E`."""

    path: Name
    op: str
    value: Exp
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Become:
    """`active's characters become not shifted`."""

    path: Name
    value: bool
    attribute: str
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Move:
    """`move 1 from active's deck to active's hand`: as many as there are, if fewer."""

    amount: Exp
    source: Name
    target: Name
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Bound:
    """`lower active's hand to 8` (op "lower"), `raise active's hand to 5` (op "raise")."""

    op: str
    path: Name
    value: Exp
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Leave:
    """`c leaves play`."""

    piece: str
    span: Span = at()


@dataclass(frozen=True, slots=True)
class ForEach:
    """`every character c of active: EFFECT`, where `where` holds if it is given."""

    binding: Binding
    where: Exp | None
    effect: Effect
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Goes:
    """`c goes to z`: a piece on the board goes to a cell, or to where another piece is."""

    piece: str
    place: str
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Divide:
    """`active divides E among every character b where C as assigned`; `up_to` E, or all of it."""

    who: Name
    up_to: bool
    amount: Exp
    binding: Binding
    where: Exp | None
    attribute: str
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Choose:
    """`active chooses b.place`: any value that it can have."""

    who: Name
    path: Name
    span: Span = at()


Effect: TypeAlias = "Change | Become | Move | Bound | Leave | ForEach | Goes | Divide | Choose"

# -- plays -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PieceParam:
    """`with c : own character`; `whose` is "own", "opposing", "any" or "new"."""

    preposition: str
    variable: str
    whose: str
    kind: str
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Amounts:
    """`any qi_cost : int >= 0`: what the card or the player decides."""

    names: tuple[str, ...]
    type: Type
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Stacked:
    """`goes on the stack`."""

    span: Span = at()


@dataclass(frozen=True, slots=True)
class Does:
    """The effects of a play, as it happens or, on a stack, as it resolves."""

    effects: tuple[Effect, ...]
    span: Span = at()


@dataclass(frozen=True, slots=True)
class ComesFrom:
    """`from card, ability`: the plays and triggers that can cause an effect."""

    plays: tuple[str, ...]
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Cells:
    """`any z : cell`: a cell of the board that the player chooses."""

    names: tuple[str, ...]
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Throw:
    """`throw c.attack dice of 6`."""

    number: Exp
    sides: int
    span: Span = at()


PlayItem: TypeAlias = "PieceParam | Amounts | Stacked | Does | ComesFrom | Cells | Throw"


@dataclass(frozen=True, slots=True)
class PlayDecl:
    """`sort` is "play" (somebody chooses), "trigger" (it happens to them) or "effect" (what cards may cause)."""

    id: str | None
    sort: str
    name: str
    parent: str | None
    titles: Titles
    items: tuple[PlayItem, ...] = ()
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Define:
    """`define sick of character c: E`, or without `of` a fixed value or condition."""

    id: str | None
    name: str
    kind: str | None
    variable: str | None
    body: Exp
    span: Span = at()


# -- rules -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Permission:
    """`during S, WHO may PLAYS only if E if C`; mode "may", "may not" or "may only". No steps: always."""

    steps: tuple[str, ...]
    who: str
    mode: str
    plays: tuple[PlayRef, ...]
    only_if: Exp | None = None
    cond: Exp | None = None
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Happening:
    """`at the start of S, A then B if C`; `moment` "start" or "end"; `steps` may be ("every phase",).

    With `moment` "at", `at strike, …`: the one name in `steps` is a stage of a procedure.
    """

    moment: str
    steps: tuple[str, ...]
    stages: tuple[tuple[Effect, ...], ...]
    cond: Exp | None = None
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Needs:
    """`at assign, it must be that C if D`: what is chosen at a stage must make C true."""

    stage: str
    need: Exp
    cond: Exp | None = None
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Decides:
    """`the rank of character c is E if C`."""

    name: str
    kind: str
    variable: str
    value: Exp
    cond: Exp | None = None
    span: Span = at()


@dataclass(frozen=True, slots=True)
class PassedOver:
    """`any player is passed over if C`: the turn does not come to them then."""

    cond: Exp
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Whenever:
    """`whenever PLAY, EFFECTS if C`."""

    play: PlayRef
    stages: tuple[tuple[Effect, ...], ...]
    cond: Exp | None = None
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Skip:
    """`S is skipped`, `S may be skipped`, `S is never skipped`; mode "must", "may" or "never"."""

    steps: tuple[str, ...]
    mode: str
    cond: Exp | None = None
    span: Span = at()


@dataclass(frozen=True, slots=True)
class AtOnce:
    """`S ends at once if C`: nobody does anything in it then."""

    steps: tuple[str, ...]
    cond: Exp | None = None
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Obligation:
    """`S cannot end while C`."""

    steps: tuple[str, ...]
    cond: Exp
    span: Span = at()


@dataclass(frozen=True, slots=True)
class CostItem:
    """`qi_cost qi to used_qi`."""

    amount: Exp
    resource: str
    to: str | None = None
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Cost:
    """`card costs qi_cost qi, 1 hand`."""

    play: str
    items: tuple[CostItem, ...]
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Limit:
    """`at most 1 land per turn`, `… for each player`; with a piece named, for each piece."""

    count: int
    plays: tuple[PlayRef, ...]
    period: str
    each_player: bool = False
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Next:
    """`after A comes B`, `after A may come B`."""

    step: str
    to: str
    must: bool
    cond: Exp | None = None
    span: Span = at()


@dataclass(frozen=True, slots=True)
class TurnPasses:
    """`the turn passes to the next player` ("next"), "any" or "same"."""

    to: str
    cond: Exp | None = None
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Keeps:
    """`keeps life, characters.divine`: nothing in these pages changes them, on purpose."""

    paths: tuple[Name, ...]
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Priority:
    """`priority goes round in S or T`."""

    steps: tuple[str, ...]
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Loses:
    """`any player loses if player.life <= 0`, or with `wins`, `any player wins if …`; the game is over then."""

    cond: Exp
    wins: bool = False
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Window:
    """`during S, cards may draw, damage`: where the declared kinds of effect have their place."""

    steps: tuple[str, ...]
    effects: tuple[str, ...]
    span: Span = at()


Body: TypeAlias = (
    "Permission | Happening | Whenever | Skip | AtOnce | Obligation | Cost | Limit | Next | "
    "TurnPasses | Keeps | Priority | Loses | Window | Needs | Decides | PassedOver"
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: one body or, after `all of`, several. `despite` are the ids it overrides."""

    id: str
    despite: tuple[str, ...]
    bodies: tuple[Body, ...]
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Option:
    name: str
    default: bool
    bodies: tuple[Body, ...]
    span: Span = at()


@dataclass(frozen=True, slots=True)
class ReadAs:
    """A rule whose sentence has several readings."""

    id: str
    despite: tuple[str, ...]
    options: tuple[Option, ...]
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Question:
    """`reading [ID] "…"` or `open [ID] "…"`, with what each answer would mean.

    `about` are rules that are known to clash or to leave something open: `open [ID] "…" about [A], [B]`. Such a
    question may have no answers yet.
    """

    sort: str
    id: str
    text: str
    options: tuple[Option, ...]
    about: tuple[str, ...] = ()
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Note:
    id: str
    text: str | None = None
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Restates:
    id: str
    others: tuple[str, ...]
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Overrides:
    """`[A] overrides [B], [C]`, apart from both rules."""

    id: str
    others: tuple[str, ...]
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Removes:
    """`removes [A], [B]`: rules of the rulebook that is extended, which are not in this one."""

    ids: tuple[str, ...]
    span: Span = at()


Statement: TypeAlias = (
    "Game | Removes | Board | StateBlock | PieceBlock | Structure | ProcedureDecl | PlayDecl | Define | DecideDecl | "
    "Rule | ReadAs | Question | Note | Restates | Overrides"
)


@dataclass(frozen=True, slots=True)
class RulebookTree:
    """A whole rulebook as written."""

    statements: tuple[Statement, ...]


# -- claims ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NeverPlay:
    """`never play card or use ability during unshift if C`."""

    plays: tuple[PlayRef, ...]
    steps: tuple[str, ...] = ()
    cond: Exp | None = None
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Always:
    """`during S, always C if D` (C never False) or `it is never so that C` (never True)."""

    cond: Exp
    never: bool = False
    steps: tuple[str, ...] = ()
    premise: Exp | None = None
    span: Span = at()


@dataclass(frozen=True, slots=True)
class AtMost:
    """`at most 1 land per turn`."""

    count: int
    plays: tuple[PlayRef, ...]
    period: str
    each_player: bool = False
    span: Span = at()


@dataclass(frozen=True, slots=True)
class After:
    """`after consolidation, C if D`, `after every phase, C`, or after what a rule does: `after [M5b-a], C`."""

    step: str | None
    rule: str | None
    cond: Exp
    premise: Exp | None = None
    span: Span = at()


@dataclass(frozen=True, slots=True)
class InOrder:
    """`phases in order` (each at most once) or `every phase in order` (each exactly once)."""

    every: bool
    span: Span = at()


@dataclass(frozen=True, slots=True)
class NoneLeftOut:
    """`no step is left out`, `no phase is left out`: `stretch` is "step" or "phase"."""

    stretch: str
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Response:
    """`whenever A, B within this turn`: no turn ends in which A was so and B not then or later."""

    premise: Exp
    cond: Exp
    span: Span = at()


@dataclass(frozen=True, slots=True)
class CanPlay:
    """`can block with b if b.wall`: there is a play like that."""

    plays: tuple[PlayRef, ...]
    steps: tuple[str, ...] = ()
    cond: Exp | None = None
    span: Span = at()


@dataclass(frozen=True, slots=True)
class CanBe:
    """`during S, it can be that C`."""

    cond: Exp
    steps: tuple[str, ...] = ()
    span: Span = at()


@dataclass(frozen=True, slots=True)
class TurnsEnd:
    """`every turn can end`: wherever the game has come, there is a way on to the end of the turn."""

    span: Span = at()


@dataclass(frozen=True, slots=True)
class NoEndlessTurn:
    """`no turn goes on for ever except tap`: but for these plays, not for ever."""

    plays: tuple[PlayRef, ...] = ()
    span: Span = at()


@dataclass(frozen=True, slots=True)
class GamesEnd:
    """`every game ends`."""

    span: Span = at()


@dataclass(frozen=True, slots=True)
class IsBounded:
    """`active.hand is bounded`: there is a number that it never exceeds."""

    path: Name
    span: Span = at()


@dataclass(frozen=True, slots=True)
class InEvery:
    """`in every encounters of character a of active and character b of opponent, C if D`.

    D is said of the state before the procedure or the play, C of the state after it. With `chosen`, somebody has
    choices in it by which C comes true: `in every …, it can be that C if D`.
    """

    play: PlayRef
    bindings: tuple[Binding, ...]
    cond: Exp
    premise: Exp | None = None
    chosen: bool = False
    span: Span = at()


@dataclass(frozen=True, slots=True)
class InTwo:
    """`in two encounters of … alike but for a.speed, C if D`: of two that begin alike but for some quantities."""

    procedure: str
    bindings: tuple[Binding, ...]
    paths: tuple[Name, ...]
    cond: Exp
    premise: Exp | None = None
    span: Span = at()


ClaimBody: TypeAlias = (
    "NeverPlay | Always | AtMost | After | InOrder | NoneLeftOut | Response | CanPlay | CanBe | TurnsEnd | "
    "NoEndlessTurn | GamesEnd | IsBounded | InEvery | InTwo"
)


@dataclass(frozen=True, slots=True)
class Expect:
    """`expect depends on silence, [T7.3-c]`."""

    verdict: str
    on: tuple[str, ...] = ()
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Under:
    """`under silence is possible`: the claim is about this reading only."""

    selector: str
    option: str
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Effects:
    """`with effects draw at end_step`: what cards may do here; no steps: wherever the rules have a place for it."""

    kinds: tuple[str, ...]
    steps: tuple[str, ...] = ()
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Claim:
    id: str
    text: str
    body: ClaimBody
    expect: Expect | None = None
    under: tuple[Under, ...] = ()
    effects: tuple[Effects, ...] = ()
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Claims:
    """A page of claims about one game."""

    game: str
    claims: tuple[Claim, ...]
    span: Span = at()


# -- questions ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MayAsk:
    """`may active attack with c during declare`; `why`, if it is asked why not."""

    who: str
    plays: tuple[PlayRef, ...]
    steps: tuple[str, ...] = ()
    why: bool = False
    span: Span = at()


@dataclass(frozen=True, slots=True)
class MustAsk:
    """`must opponent block during resolve`."""

    who: str
    plays: tuple[PlayRef, ...]
    steps: tuple[str, ...] = ()
    span: Span = at()


@dataclass(frozen=True, slots=True)
class SkipAsk:
    """`is drawing skipped`."""

    step: str
    span: Span = at()


@dataclass(frozen=True, slots=True)
class EndAsk:
    """`can upkeep end`."""

    step: str
    span: Span = at()


@dataclass(frozen=True, slots=True)
class HoldsAsk:
    """`is it so that active.hand = 8 after consolidation`; no moment: as things are.

    `can`, if it is asked whether somebody has choices by which it is so: `can it be that … after encounters`.
    """

    cond: Exp
    moment: PlayRef | None = None
    can: bool = False
    span: Span = at()


@dataclass(frozen=True, slots=True)
class FateAsk:
    """`does c survive encounters`, or (not `survives`) `does c leave play during encounters`."""

    path: Name
    survives: bool
    moment: PlayRef | None = None
    span: Span = at()


@dataclass(frozen=True, slots=True)
class AmountAsk:
    """`how much is E after …`; with `change` "gain" or "lose", by how much it grows or falls there."""

    amount: Exp
    change: str = ""
    moment: PlayRef | None = None
    span: Span = at()


@dataclass(frozen=True, slots=True)
class DiceAsk:
    """`how many of 3 dice of 6 show > 3`."""

    dice: int
    sides: int
    op: str
    value: int
    span: Span = at()


@dataclass(frozen=True, slots=True)
class ChooserAsk:
    """`who chooses assigned`."""

    name: str
    span: Span = at()


@dataclass(frozen=True, slots=True)
class EverAsk:
    """`can block with b`, `can it be that C`: whether a game can come to it at all."""

    body: ClaimBody
    span: Span = at()


Query: TypeAlias = (
    "MayAsk | MustAsk | SkipAsk | EndAsk | HoldsAsk | FateAsk | AmountAsk | DiceAsk | ChooserAsk | EverAsk"
)


@dataclass(frozen=True, slots=True)
class Worth:
    """What is said of a piece: `attack 3`, `speed slow`, `blocks b`, `haste`, `not haste`."""

    name: str
    value: Exp | None = None
    negated: bool = False
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Given:
    """`character c of active with attack 3 and haste`."""

    binding: Binding
    worths: tuple[Worth, ...] = ()
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Event:
    """`attack with c`, `play spell by opponent`: something that has been done."""

    play: PlayRef
    by: str | None = None
    span: Span = at()


@dataclass(frozen=True, slots=True)
class DiceGiven:
    """`dice 2 and 3 and 5`: what the dice show."""

    values: tuple[int, ...]
    span: Span = at()


SceneItem: TypeAlias = "Given | Event | DiceGiven | Exp"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and what is so as it is asked."""

    query: Query
    scene: tuple[SceneItem, ...] = ()
    span: Span = at()


@dataclass(frozen=True, slots=True)
class By:
    """`by [T8.D-e], [T8.D-h]`: the rules that are expected to decide; the answer names no others."""

    rules: tuple[str, ...]
    span: Span = at()


@dataclass(frozen=True, slots=True)
class Dispute:
    """A question that people argue about, with the answer that its author expects."""

    id: str
    text: str
    question: str
    expect: Expect
    by: tuple[str, ...] | None = None
    under: tuple[Under, ...] = ()
    span: Span = at()
