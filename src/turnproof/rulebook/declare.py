"""Who is called what: the declarations of a rulebook, its ids, its steps, its plays, its clauses."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from turnproof.diagnostics import MOST_PROBLEMS, Caption, Diagnostic, Invalid, suggestion
from turnproof.language import syntax as s
from turnproof.rulebook.model import (
    POLICIES,
    RESERVED,
    VALUES,
    Clause,
    Decided,
    Field,
    Kind,
    PlayKind,
    SelectorDecl,
    StageOf,
    Step,
)

# Words of the grammar that would be taken for what they say where a name can stand.
GRAMMAR_WORDS = frozenset({
    "cast", "define", "effect", "make", "open", "play", "put", "reading", "steps", "trigger", "use",
    "active", "after", "all", "and", "any", "at", "cards", "count", "despite", "distance", "during", "every", "if",
    "is", "it", "keeps",
    "max", "may", "min", "no", "nobody", "not", "note", "number", "only", "opponent", "or", "others", "overrides",
    "players", "priority", "read", "restates", "since", "some", "sum", "the", "then", "true", "false", "unless",
    "whenever",
})  # fmt: skip
MOST_PLAYERS, MOST_PIECES, MOST_STEPS, DEEPEST_KINDS = 6, 12, 300, 10
LARGEST_BOARD, MOST_SIDES, MOST_STAGES = 30, 100, 60


@dataclass(slots=True)
class Declarations:
    """What a rulebook declares. Fields that stay at their default were not declared, or wrongly."""

    path: str
    tree: s.RulebookTree
    game: s.Game = field(default_factory=lambda: s.Game("", s.Titles()))
    players: int = 2
    language: str = "en"
    particular_first: bool = False
    game_fields: dict[str, Field] = field(default_factory=dict)
    player_fields: dict[str, Field] = field(default_factory=dict)
    kinds: list[Kind] = field(default_factory=list)
    steps: dict[str, Step] = field(default_factory=dict)
    plays: dict[str, PlayKind] = field(default_factory=dict)
    defines: dict[str, s.Define] = field(default_factory=dict)
    selectors: dict[str, SelectorDecl] = field(default_factory=dict)
    clauses: list[Clause] = field(default_factory=list)
    overrides: set[tuple[str, str]] = field(default_factory=set)
    rules: list[str] = field(default_factory=list)
    background: dict[str, str] = field(default_factory=dict)
    board: s.Board | None = None
    round_turns: int | None = None
    edition: str = ""
    procedures: list[s.ProcedureDecl] = field(default_factory=list)
    stages: dict[str, StageOf] = field(default_factory=dict)
    decided: dict[str, Decided] = field(default_factory=dict)
    id_spans: dict[str, s.Span] = field(default_factory=dict)
    problems: list[Diagnostic] = field(default_factory=list)

    def problem(self, code: str, message: str, span: s.Span, hint: str = "", also: Caption | None = None) -> None:
        places = (Caption(span), *((also,) if also else ()))
        self.problems.append(Diagnostic(code, message, self.path, places, hint))
        if len(self.problems) >= MOST_PROBLEMS:
            raise Invalid(self.problems)


def declare(tree: s.RulebookTree, path: str) -> Declarations:
    """The declarations of a tree, with what is wrong with them."""
    found = Declarations(path, tree)
    _game(found)
    _board(found)
    for statement in tree.statements:
        match statement:
            case s.StateBlock(owner, decls):
                _fields(found, decls, found.game_fields if owner == "game" else found.player_fields)
            case s.PieceBlock():
                _kind(found, statement)
            case s.Define():
                _define(found, statement)
            case _:
                pass
    _types(found)
    for statement in tree.statements:
        if isinstance(statement, s.DecideDecl):
            _decide(found, statement)
    _structure(found)
    _procedures(found)
    _plays(found)
    _questions(found)
    _rules(found)
    _references(found)
    return found


def _game(found: Declarations) -> None:
    games = [statement for statement in found.tree.statements if isinstance(statement, s.Game)]
    if not games:
        found.problem(
            "TP050", "this rulebook does not say which game it is", s.NOWHERE, 'begin with `game NAME "Title"`'
        )
        return
    for again in games[1:]:
        found.problem("TP031", "the game is named twice", again.span, also=Caption(games[0].span, "first here"))
    found.game = games[0]
    _titles(found, found.game.titles, found.game.span)
    sorts = [type(setting) for setting in games[0].settings]
    for at, setting in enumerate(games[0].settings):
        if type(setting) in sorts[:at]:
            found.problem("TP031", "this is said twice of the game", setting.span)
        match setting:
            case s.Players(count):
                found.players = count
                if not 1 <= count <= MOST_PLAYERS:
                    found.players = 2
                    found.problem("TP055", f"{count} players; from 1 to {MOST_PLAYERS} can be modelled", setting.span)
            case s.Language(code):
                found.language = code
            case s.ParticularFirst():
                found.particular_first = True
            case s.Extends():
                found.problem("TP069", "this rulebook was not put together with what it extends", setting.span)
            case s.Edition(text):
                found.edition = text
            case s.RoundOf(turns):
                found.round_turns = turns
                if not 1 <= turns <= 100:
                    found.problem("TP055", f"rounds of {turns} turns; from 1 to 100 can be modelled", setting.span)


def _board(found: Declarations) -> None:
    boards = [statement for statement in found.tree.statements if isinstance(statement, s.Board)]
    for again in boards[1:]:
        found.problem("TP031", "the board is described twice", again.span, also=Caption(boards[0].span, "first here"))
    for board in boards[:1]:
        found.board = board
        if not (1 <= board.rows <= LARGEST_BOARD and 1 <= board.columns <= LARGEST_BOARD):
            found.problem(
                "TP055", f"boards from 1 by 1 to {LARGEST_BOARD} by {LARGEST_BOARD} can be modelled", board.span
            )


def _titles(found: Declarations, titles: s.Titles, span: s.Span) -> None:
    """The languages of titles are codes such as `fr`."""
    for language, _ in titles.texts:
        if language and not re.fullmatch(r"[a-z]{2,3}", language):
            found.problem("TP030", f"`{language}` is not the code of a language", span, "write `fr` for French, say")


def _new(found: Declarations, name: str, span: s.Span, known: Iterable[str], what: str, bare: bool = True) -> bool:
    """Whether a name is free; says so if it is not. A `bare` one can stand where a word of the grammar could."""
    if name in RESERVED or (bare and name in GRAMMAR_WORDS):
        found.problem("TP035", f"`{name}` has a meaning of its own, so nothing else can be called so", span)
        return False
    if name in known:
        found.problem("TP031", f"{what} `{name}` is declared twice", span)
        return False
    return True


def _fields(found: Declarations, decls: Iterable[s.Decl], into: dict[str, Field]) -> None:
    for decl in decls:
        if isinstance(decl.type, s.EnumT) and len(set(decl.type.values)) < len(decl.type.values):
            found.problem("TP031", "a value is named twice", decl.span)
        if isinstance(decl.type, s.EnumT) and {"true", "false"} & set(decl.type.values):
            found.problem("TP035", "`true` and `false` have a meaning of their own", decl.span, "write `bool`")
        if isinstance(decl.type, s.IntT) and _is_empty(decl.type):
            found.problem("TP044", "nothing lies in this range", decl.span)
        for name in decl.names:
            if _new(found, name, decl.span, into, "the quantity", bare=into is found.game_fields):
                others = tuple(_initial(found, decl, other) for other in decl.others)
                if others and (into is found.game_fields or len(others) != found.players - 1):
                    found.problem(
                        "TP040", "as many first values as players, or one, can be said of what players have", decl.span
                    )
                into[name] = Field(name, decl.type, _initial(found, decl, decl.initial), decl.span, others)


def _types(found: Declarations) -> None:
    """Types that speak of kinds of pieces and of other quantities, now that these are known."""
    for fields in (found.game_fields, found.player_fields, *(kind.fields for kind in found.kinds)):
        for name, got in list(fields.items()):
            known = _known_type(found, got.type, got.span, name)
            fields[name] = dataclasses.replace(got, type=known)
            if isinstance(got.type, s.SameT):
                for value in (got.initial, *got.others):
                    _fits_type(found, value, known, got.span)


def _known_type(found: Declarations, of: s.Type, span: s.Span, own: str = "") -> s.Type:
    match of:
        case s.RefT(word):
            kind = next((kind for kind in found.kinds if kind.named(word)), None)
            if kind is None:
                hint = suggestion(word, [kind.name for kind in found.kinds])
                found.problem("TP030", f"there is no kind of piece called `{word}`", span, hint)
            return s.RefT(kind.name if kind else word)
        case s.SameT(name):
            every = (found.game_fields, found.player_fields, *(kind.fields for kind in found.kinds))
            typed = [fields[name] for fields in every if name in fields and name != own]
            if not typed or isinstance(typed[0].type, s.SameT):
                known = [other for fields in every for other in fields]
                hint = suggestion(name, [*known, "bool", "int"])
                found.problem("TP030", f"no type and no quantity is called `{name}`", span, hint)
                return s.IntT()
            return _known_type(found, typed[0].type, span)
        case _:
            return of


def _fits_type(found: Declarations, value: bool | int | str | None, of: s.Type, span: s.Span) -> None:
    """A first value is one of its type; of a type by another's name that is known late."""
    match of:
        case s.EnumT(values, _):
            fits = value in values
        case s.BoolT():
            fits = isinstance(value, bool)
        case s.RefT():
            fits = value == "nothing"
        case _:
            fits = isinstance(value, int) and not isinstance(value, bool)
    if value is not None and not fits:
        found.problem("TP040", "the first value does not fit the type", span)


def _decide(found: Declarations, decl: s.DecideDecl) -> None:
    """A value that rules decide; if nothing is said for where none does, that is a question of its own."""
    kind = next((kind.name for kind in found.kinds if kind.named(decl.kind)), decl.kind)
    if kind != "player" and not any(kind == one.name for one in found.kinds):
        hint = suggestion(decl.kind, ["player", *(one.name for one in found.kinds)])
        found.problem("TP030", f"there is no kind of piece called `{decl.kind}`", decl.span, hint)
    fields = found.player_fields if kind == "player" else {}
    for one in found.kinds:
        fields = one.fields if one.name == kind else fields
    of = _known_type(found, decl.type, decl.span)
    otherwise: bool | int | str | None = None
    match decl.otherwise:
        case s.Num(value) | s.Truth(value):
            otherwise = value
        case s.Name(text):
            otherwise = text
    _fits_type(found, otherwise, of, decl.span)
    if not _new(found, decl.name, decl.span, [*found.decided, *found.defines, *fields], "the word"):
        return
    if otherwise is None and not isinstance(of, s.EnumT):
        found.problem("TP068", f"what is the {decl.name} where no rule decides it?", decl.span, "add `else 0`, say")
    found.decided[decl.name] = Decided(decl.name, kind, of, otherwise, decl.span)
    if otherwise is None and isinstance(of, s.EnumT):
        text = f"what is the {decl.name} of a {kind.removesuffix('s')} where no rule decides it"
        found.selectors[decl.name] = SelectorDecl(decl.name, of.values, None, text, decl.span)


def _procedures(found: Declarations) -> None:
    """The procedures, and the stages on which rules hang."""
    for statement in found.tree.statements:
        if not isinstance(statement, s.ProcedureDecl):
            continue
        _titles(found, statement.titles, statement.span)
        names = [*found.steps, *found.stages, *(other.name for other in found.procedures)]
        if not _new(found, statement.name, statement.span, names, "the procedure"):
            continue
        if statement.step not in found.steps:
            hint = suggestion(statement.step, found.steps)
            found.problem("TP030", f"no phase or step is called `{statement.step}`", statement.span, hint)
        found.procedures.append(statement)
        if not statement.items:
            found.problem("TP024", f"`{statement.name}` has no stages", statement.span, "list them, indented, below")
        _stages(found, statement, statement.items, ())
    if len(found.stages) > MOST_STAGES:
        found.problem("TP055", f"more than {MOST_STAGES} stages cannot be checked", found.procedures[-1].span)


def _stages(
    found: Declarations,
    procedure: s.ProcedureDecl,
    items: tuple[s.ProcedureItem, ...],
    ranks: tuple[tuple[str, s.EnumT], ...],
) -> None:
    for item in items:
        match item:
            case s.Stage(name, titles):
                _titles(found, titles, item.span)
                if _new(found, name, item.span, [*found.steps, *found.stages, procedure.name], "the stage"):
                    found.stages[name] = StageOf(procedure, ranks)
            case s.Ranks(variable, quantity, _, inside):
                if not inside:
                    found.problem("TP024", "nothing happens in these ranks", item.span, "list stages, indented, below")
                _new(found, variable, item.span, [name for name, _ in ranks], "the word")
                of = _known_type(found, s.SameT(quantity), item.span)
                if not isinstance(of, s.EnumT) or not of.ordered:
                    found.problem(
                        "TP041", f"`{quantity}` has no ranks", item.span, "`speed : high > middle > low`, say"
                    )
                    continue
                _stages(found, procedure, inside, (*ranks, (variable, of)))


def _is_empty(of: s.IntT) -> bool:
    return of.low is not None and of.high is not None and of.low > of.high


def _initial(found: Declarations, decl: s.Decl, initial: s.Num | s.Truth | s.Name | None) -> bool | int | str | None:
    match initial, decl.type:
        case None, _:
            return None
        case s.Name("nothing"), s.RefT():
            return "nothing"
        case s.Num(value) | s.Truth(value) | s.Name(value), s.SameT():
            return value
        case s.Num(value), s.IntT(low, high):
            if (low is not None and value < low) or (high is not None and value > high):
                found.problem("TP044", f"{value} lies outside the declared range", decl.span)
            return value
        case s.Truth(value), s.BoolT():
            return value
        case s.Name(text), s.EnumT(values, _):
            if text not in values:
                found.problem("TP030", f"`{text}` is not one of the values", decl.span, suggestion(text, values))
            return text
        case _:
            found.problem("TP040", "the first value does not fit the type", decl.span)
            return None


def _kind(found: Declarations, block: s.PieceBlock) -> None:
    fields: dict[str, Field] = {}
    starts = [decl for decl in block.decls if decl.names == ("in_play",) and isinstance(decl.type, s.BoolT)]
    _fields(found, [decl for decl in block.decls if decl not in starts], fields)
    if not 1 <= block.scope <= MOST_PIECES:
        found.problem("TP055", f"{block.scope} pieces; from 1 to {MOST_PIECES} of a kind can be modelled", block.span)
        block = dataclasses.replace(block, scope=1)
    names = [kind.name for kind in found.kinds if kind.named(block.kind)] and [block.kind]
    if _new(found, block.kind, block.span, names, "the kind of piece"):
        first = next((decl.initial.value for decl in starts if isinstance(decl.initial, s.Truth)), None)
        if block.on_board and found.board is None:
            found.problem("TP030", "there is no board", block.span, "add `board 4 by 6`, say")
        if block.on_board and found.board is not None:
            for name, most in (("row", found.board.rows), ("column", found.board.columns)):
                if _new(found, name, block.span, fields, "the quantity", bare=False):
                    fields[name] = Field(name, s.IntT(1, most), None, block.span)
        found.kinds.append(Kind(block.kind, block.scope, fields, first, block.on_board))


def _define(found: Declarations, define: s.Define) -> None:
    if define.variable in RESERVED:
        found.problem(
            "TP035", f"`{define.variable}` has a meaning of its own, so nothing else can be called so", define.span
        )
    if _new(found, define.name, define.span, [*found.defines, *found.game_fields], "the word"):
        found.defines[define.name] = define
    if define.id:
        _id(found, define.id, define.span)
        found.background[define.id] = "definition"


def _id(found: Declarations, identifier: str, span: s.Span) -> bool:
    """Whether an id is used for the first time; says so if it is not."""
    if identifier in found.id_spans:
        first = Caption(found.id_spans[identifier], "first here")
        found.problem("TP032", f"[{identifier}] stands for two rules", span, also=first)
        return False
    found.id_spans[identifier] = span
    return True


def _structure(found: Declarations) -> None:
    structures = [statement for statement in found.tree.statements if isinstance(statement, s.Structure)]
    turns = [structure for structure in structures if structure.of is None]
    if not turns:
        found.problem("TP051", "this rulebook has no turn", found.game.span, "add `turn`, with its phases inside")
        return
    for again in turns[1:]:
        found.problem("TP031", "the turn is described twice", again.span, also=Caption(turns[0].span, "first here"))
    inside: dict[str, s.Structure] = {}
    for structure in structures:
        if structure.id:
            _id(found, structure.id, structure.span)
            found.background[structure.id] = "order of phases"
        if structure.of is not None:
            if structure.of in inside:
                found.problem("TP031", f"the steps of `{structure.of}` are listed twice", structure.span)
            inside[structure.of] = structure
        if not structure.steps:
            found.problem("TP051", "no step is listed here", structure.span, "list the steps, indented, below")
    order = 0

    def add(step: s.StepDecl, parent: str | None) -> None:
        nonlocal order
        _titles(found, step.titles, step.span)
        if order == MOST_STEPS:
            found.problem("TP055", f"more than {MOST_STEPS} steps; models of that size cannot be checked", step.span)
        if order >= MOST_STEPS or not _new(found, step.name, step.span, found.steps, "the step"):
            return
        children = step.steps
        if (more := inside.get(step.name)) is not None:
            if children:
                found.problem("TP031", f"the steps of `{step.name}` are listed twice", more.span)
            children = more.steps
        leaf = not children
        found.steps[step.name] = Step(
            step.name, step.titles, parent, tuple(c.name for c in children), order if leaf else -1, step.span, step.role
        )
        order += leaf
        for child in children:
            add(child, step.name)

    for step in turns[0].steps:
        add(step, None)
    for name, structure in inside.items():
        if name not in found.steps:
            hint = suggestion(name, found.steps)
            found.problem("TP030", f"no phase or step is called `{name}`", structure.span, hint)


def _plays(found: Declarations) -> None:
    decls: dict[str, s.PlayDecl] = {}
    for statement in found.tree.statements:
        if isinstance(statement, s.PlayDecl):
            if statement.id and _id(found, statement.id, statement.span):
                found.background[statement.id] = "definition"
            if _new(found, statement.name, statement.span, decls, "the play"):
                decls[statement.name] = statement
    parents = {decl.parent for decl in decls.values()}
    for name, decl in decls.items():
        _titles(found, decl.titles, decl.span)
        ancestors = _ancestors(found, decl, decls)
        for other in (decls[ancestor].sort for ancestor in ancestors if decls[ancestor].sort != decl.sort):
            found.problem("TP043", f"`{name}` is a kind of {decl.sort}, so it is no kind of {other}", decl.span)
        items = tuple(item for ancestor in reversed(ancestors) for item in decls[ancestor].items)
        _items(found, decl, items)
        found.plays[name] = PlayKind(decl, ancestors, name not in parents, items)


def _ancestors(found: Declarations, decl: s.PlayDecl, decls: dict[str, s.PlayDecl]) -> tuple[str, ...]:
    """A play and what it is a kind of, from itself on."""
    ancestors = [decl.name]
    while (parent := decls[ancestors[-1]].parent) is not None:
        if parent not in decls:
            hint = suggestion(parent, decls)
            found.problem("TP030", f"nothing that can be played is called `{parent}`", decl.span, hint)
            break
        if parent in ancestors:
            found.problem("TP066", f"`{decl.name}` is a kind of itself", decl.span)
            break
        if len(ancestors) >= DEEPEST_KINDS:
            found.problem("TP012", f"kinds of kinds, more than {DEEPEST_KINDS} deep", decl.span)
            break
        ancestors.append(parent)
    return tuple(ancestors)


def _items(found: Declarations, decl: s.PlayDecl, items: tuple[s.PlayItem, ...]) -> None:
    """Amounts and pieces of a play, its ancestors' included, have names of their own."""
    seen: set[str] = set()
    for item in items:
        names: tuple[str, ...] = ()
        match item:
            case s.PieceParam(preposition, variable, _, _):
                names = (variable, f"with {preposition}")
            case s.Amounts(names, of):
                if isinstance(of, s.IntT) and _is_empty(of):
                    found.problem("TP044", "nothing lies in this range", item.span)
            case s.Cells(names):
                if found.board is None:
                    found.problem("TP030", "there is no board", item.span, "add `board 4 by 6`, say")
            case s.Throw(_, sides):
                names = ("the dice",)
                if not 2 <= sides <= MOST_SIDES:
                    found.problem("TP055", f"dice of {sides} sides; from 2 to {MOST_SIDES} can be modelled", item.span)
            case _:
                pass
        place = item.span if item in decl.items else decl.span
        for name in names:
            if name in RESERVED:
                found.problem("TP035", f"`{name}` has a meaning of its own, so nothing else can be called so", place)
            elif name in seen:
                what = "the word" if name.startswith("with ") else "the name"
                found.problem("TP031", f"`{decl.name}` uses {what} `{name.removeprefix('with ')}` twice", place)
            seen.add(name)


def _questions(found: Declarations) -> None:
    policies = {**POLICIES, **(VALUES if found.decided else {})}
    for name, options in policies.items():
        text = {
            "silence": "may be done what no rule speaks of", "clash": "which wins, a ban or a permission",
            "values": "which of two rules is followed that decide a value otherwise",
        }[name]  # fmt: skip
        found.selectors[name] = SelectorDecl(name, options, options[0], text, s.NOWHERE)
    for statement in found.tree.statements:
        if isinstance(statement, s.Question):
            if not statement.options and statement.about:
                continue
            is_open = statement.sort == "open"
            _selector(found, statement.id, statement.options, statement.text, statement.span, is_open)
        elif isinstance(statement, s.ReadAs):
            text = f"how [{statement.id}] is to be read"
            _selector(found, statement.id, statement.options, text, statement.span, is_open=False)


def _selector(
    found: Declarations, name: str, options: tuple[s.Option, ...], text: str, span: s.Span, is_open: bool
) -> None:
    """A choice with its answers."""
    names = [option.name for option in options]
    defaults = [option.name for option in options if option.default]
    if len(set(names)) < 2:
        found.problem("TP067", f"[{name}] needs two different answers at least", span)
        return
    for at, option in enumerate(options):
        if option.name in names[:at]:
            found.problem("TP031", f"[{name}] has the answer `{option.name}` twice", option.span)
    if is_open and defaults:
        found.problem(
            "TP065", f"[{name}] is open, so no answer is the default", span, "write `reading` for one that has"
        )
    if not is_open and len(defaults) != 1:
        found.problem(
            "TP064", f"[{name}] needs one default reading, and has {len(defaults)}", span, "mark one `(default)`"
        )
    default = None if is_open else defaults[0] if defaults else names[0]
    found.selectors[name] = SelectorDecl(name, tuple(names), default, text, span)


def _rules(found: Declarations) -> None:
    for statement in found.tree.statements:
        match statement:
            case s.Rule(identifier, despite, bodies):
                _rule(found, identifier, despite, statement.span)
                if not bodies:
                    found.problem("TP024", f"[{identifier}] says nothing", statement.span)
                found.clauses += [Clause(identifier, None, body) for body in bodies]
            case s.ReadAs(identifier, despite, options):
                _rule(found, identifier, despite, statement.span)
                _option_clauses(found, identifier, options)
            case s.Question(_, identifier, _, options, _):
                _id(found, identifier, statement.span)
                if not options:
                    found.background[identifier] = "question"
                if any(option.bodies for option in options):
                    found.rules.append(identifier)
                _option_clauses(found, identifier, options)
            case s.Note(identifier, _):
                _id(found, identifier, statement.span)
                found.background[identifier] = "note"
            case s.Restates(identifier, _):
                _id(found, identifier, statement.span)
                found.background[identifier] = "restatement"
            case _:
                pass


def _rule(found: Declarations, identifier: str, despite: tuple[str, ...], span: s.Span) -> None:
    _id(found, identifier, span)
    found.rules.append(identifier)
    found.overrides |= {(identifier, other) for other in despite if other != identifier}


def _option_clauses(found: Declarations, identifier: str, options: tuple[s.Option, ...]) -> None:
    for option in options:
        found.clauses += [Clause(identifier, (identifier, option.name), body) for body in option.bodies]


def _references(found: Declarations) -> None:
    """Ids that rules point at must be there."""
    for statement in found.tree.statements:
        match statement:
            case s.Rule(identifier, others, _) | s.ReadAs(identifier, others, _):
                _known(found, identifier, others, statement.span, rules=True)
            case s.Overrides(identifier, others):
                _known(found, "", (identifier,), statement.span, rules=True)
                _known(found, identifier, others, statement.span, rules=True)
                found.overrides |= {(identifier, other) for other in others if other != identifier}
            case s.Restates(identifier, others) | s.Question(_, identifier, _, _, others):
                _known(found, identifier, others, statement.span, rules=False)
            case _:
                pass


def _known(found: Declarations, identifier: str, others: tuple[str, ...], span: s.Span, rules: bool) -> None:
    for other in others:
        if other not in found.id_spans:
            hint = suggestion(other, found.id_spans)
            found.problem("TP033", f"no rule has the id [{other}]", span, hint)
        elif rules and other not in found.rules:
            what = found.background.get(other, "question")
            found.problem("TP062", f"[{other}] is a {what}; only rules override and are overridden", span)
        elif other == identifier:
            found.problem("TP060", f"[{other}] speaks of itself", span)
