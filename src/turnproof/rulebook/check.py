"""From a syntax tree to a checked rulebook. All faults are reported together.

Later stages may assume: every name is known and every expression typed; ids are unique; overrides and definitions
have no cycle; every play names kinds of pieces that exist; there is one turn, every leaf of it can be reached, and the
turn can be ended from each; every quantity is changed by something or kept on purpose.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator

from turnproof.diagnostics import MOST_PROBLEMS, Caption, Diagnostic, Invalid, suggestion
from turnproof.language import printer
from turnproof.language import syntax as s
from turnproof.language.parser import nodes
from turnproof.phases.edges import edges, skippable
from turnproof.rulebook.declare import Declarations, declare
from turnproof.rulebook.elaborate import BOOL, INT, PLAYER, Elaborator, Piece, Scope, Typ, fits, name_of
from turnproof.rulebook.model import RESERVED, Clause, Decided, PlayKind, Rulebook
from turnproof.rulebook.permissions import attempt, more_particular
from turnproof.rulebook.refs import late_pieces, play_problem
from turnproof.system import expr as x

# How many happenings a play, or passing steps over, may come to.
MOST_WAYS = 2_000


def check(tree: s.RulebookTree, path: str = "rulebook.md", text: str = "") -> Rulebook:
    """The checked rulebook. Raises Invalid with every fault of the first stage that has some."""
    declared = declare(tree, path)
    _stop(declared.problems, path, text)
    book = _assemble(declared)
    checker = _Checker(book, declared, text)
    checker.run()
    _stop(checker.problems, path, text)
    if book.particular_first:
        book = dataclasses.replace(book, overrides=_with_particular(book.overrides, more_particular(book)))
    return book


def _with_particular(said: frozenset[tuple[str, str]], plain: frozenset[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """The overrides that rules say, and those by being more particular that do not turn them round."""
    kept = set(said)
    for one, two in sorted(plain):
        above: dict[str, set[str]] = {}
        for a, b in kept:
            above.setdefault(a, set()).add(b)
        if one not in _reached(above, two):
            kept.add((one, two))
    return frozenset(kept)


def _reached(above: dict[str, set[str]], start: str) -> set[str]:
    """The rules that a rule overrides, directly or by way of others."""
    return _closure(above.get(start, set()), above)


def _stop(problems: Iterable[Diagnostic], path: str, text: str) -> None:
    found = list(dict.fromkeys(problems))
    if found:
        raise Invalid(found, {path: text})


def _assemble(declared: Declarations) -> Rulebook:
    """The rulebook of what is declared; its rules are not checked yet."""
    return Rulebook(
        path=declared.path, tree=declared.tree, name=declared.game.name, titles=declared.game.titles,
        language=declared.language, players=tuple(f"p{n + 1}" for n in range(declared.players)),
        particular_first=declared.particular_first, game_fields=declared.game_fields,
        player_fields=declared.player_fields, kinds=tuple(declared.kinds), steps=declared.steps,
        plays=declared.plays, defines=declared.defines, selectors=declared.selectors,
        clauses=tuple(declared.clauses), overrides=frozenset(declared.overrides), rules=tuple(declared.rules),
        background=declared.background, board=declared.board, round_turns=declared.round_turns,
        edition=declared.edition,
        procedures=tuple(declared.procedures), stages=declared.stages, decided=declared.decided,
    )  # fmt: skip


class _Checker:
    """Checks what every rule says, in the scopes in which it can come to speak."""

    def __init__(self, book: Rulebook, declared: Declarations, text: str) -> None:
        self.book = book
        self.text = text
        self.declared = declared
        self.el = Elaborator(book)
        self.own: list[Diagnostic] = []
        self.written: set[str] = set()
        self.kept: set[str] = set()

    @property
    def problems(self) -> list[Diagnostic]:
        return [*self.own, *self.el.problems]

    def problem(self, code: str, message: str, span: s.Span, hint: str = "") -> None:
        self.own.append(Diagnostic(code, message, self.book.path, (Caption(span),), hint))
        if len(self.own) >= MOST_PROBLEMS:
            raise Invalid(self.problems)

    def run(self) -> None:
        for play in self.book.plays.values():
            self.play(play)
        for define in self.book.defines.values():
            self.define(define)
        for decided in self.book.decided.values():
            self.decided(decided)
        for clause in self.book.clauses:
            self.body(clause)
        self.overrides()
        if not self.problems:
            self.sizes()
            self.structure()
            self.quantities()

    # -- names

    def steps(self, names: Iterable[str], span: s.Span) -> None:
        for name in names:
            if name not in self.book.steps and not name.startswith("every "):
                hint = suggestion(name, self.book.steps)
                self.problem("TP030", f"no phase or step is called `{name}`", self.place(name, span), hint)

    def place(self, word: str, span: s.Span) -> s.Span:
        """Where a word stands within a span of several lines or names."""
        rows = self.text.split("\n")[span.line - 1 : span.end_line]
        for at, row in enumerate(rows):
            start = span.column - 1 if at == 0 else 0
            found = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)").search(row, start)
            if found:
                line = span.line + at
                return s.Span(line, found.start() + 1, line, found.end() + 1)
        return span

    def plays(self, refs: Iterable[s.PlayRef], effects: bool = False) -> None:
        """Plays that rules speak of, and the pieces that they name; kinds of effect only where they can stand."""
        for ref in refs:
            found = play_problem(self.book, ref)
            if found is not None:
                self.problem(*found)
                continue
            if self.book.plays[ref.play].decl.sort == "effect" and not effects:
                self.problem("TP043", f"`{ref.play}` is a kind of effect, and nobody plays it", ref.span)
            if late_pieces(self.book, ref):
                self.not_yet("a rule on a piece that is known only as its play resolves", ref.span)

    def scopes(self, ref: s.PlayRef) -> Iterator[Scope]:
        """A scope for every sort of play that a rule can be speaking of."""
        for leaf in self.book.sorts(ref.play):
            yield self.play_scope(leaf, ref)

    def play_scope(self, play: PlayKind, ref: s.PlayRef | None = None) -> Scope:
        player = self.book.players[0]
        pieces: dict[str, Piece] = {}
        for item in play.pieces:
            kind = self.book.kind(item.kind)
            if kind is not None:
                pieces[item.preposition] = self.el.pieces(kind, player)[0]
        scope = attempt(self.el, play, player, pieces).scope
        for preposition, name in ref.pieces if ref else ():
            if preposition in pieces:
                scope = scope.with_(name, pieces[preposition])
        return scope

    # -- declarations

    def play(self, play: PlayKind) -> None:
        if sum(piece.whose == "new" for piece in play.pieces) > 1:
            self.not_yet("a play that brings two pieces", play.decl.span)
        for item in play.decl.items:
            match item:
                case s.PieceParam() if play.decl.sort == "trigger":
                    self.not_yet("a trigger that names pieces", item.span)
                case s.PieceParam(_, _, "new", _) if play.decl.sort == "effect":
                    self.not_yet("an effect that brings a piece", item.span)
                case s.PieceParam(_, _, whose, kind):
                    if self.book.kind(kind) is None:
                        hint = suggestion(kind, [k.name for k in self.book.kinds])
                        self.problem("TP030", f"there is no kind of piece called `{kind}`", item.span, hint)
                    elif whose == "opposing" and len(self.book.players) < 2:
                        self.problem("TP043", "there is nobody opposing in a game of one player", item.span)
                case s.Does(effects):
                    self.effects(effects, self.play_scope(play))
                    if play.stacked:
                        self.known_when_resolved(play, effects)
                case s.Amounts(_, of):
                    if not isinstance(of, s.IntT):
                        self.problem("TP041", "an amount is a number", item.span, "`any x : int >= 0`")
                case s.ComesFrom(names):
                    self.causes(play, names, item.span)
                case s.Throw(number, _):
                    self.el.number(number, self.play_scope(play))
                    if play.stacked:
                        self.not_yet("dice thrown by what lies on the stack", item.span)
                case s.Cells():
                    if play.stacked:
                        self.not_yet("a cell chosen by what lies on the stack", item.span)
                case s.Stacked():
                    if play.decl.sort == "effect":
                        self.problem("TP043", "an effect comes about, it does not go on the stack", item.span)

    def causes(self, play: PlayKind, names: tuple[str, ...], span: s.Span) -> None:
        """What an effect comes from are plays and triggers."""
        if play.decl.sort != "effect":
            self.problem("TP043", f"`{play.name}` is played, only effects come from something", span)
        causes = [other.name for other in self.book.plays.values() if other.decl.sort != "effect"]
        for name in names:
            if name not in causes:
                self.problem("TP030", f"no play or trigger is called `{name}`", span, suggestion(name, causes))

    def no_triggers(self, refs: Iterable[s.PlayRef], what: str) -> None:
        for ref in refs:
            if ref.play in self.book.plays and self.book.plays[ref.play].decl.sort == "trigger":
                self.not_yet(f"{what} on a trigger", ref.span)

    def not_yet(self, what: str, span: s.Span) -> None:
        self.problem("TP090", f"{what}: the meaning of this is not built yet", span)

    def known_when_resolved(self, play: PlayKind, effects: Iterable[s.Effect]) -> None:
        """What lies on the stack does not remember amounts or pieces yet."""
        forgotten = {item.variable for item in play.pieces if item.whose != "new"}
        forgotten |= {name for item in play.items if isinstance(item, s.Amounts) for name in item.names}
        for node in nodes(tuple(effects)):
            if isinstance(node, s.Name) and node.of is None and node.text in forgotten:
                self.not_yet(f"an effect on the stack that speaks of `{node.text}`", node.span)

    def define(self, define: s.Define) -> None:
        scope = self.el.base
        if define.kind == "player" and define.variable:
            scope = scope.with_(define.variable, (x.const(self.book.players[0]), PLAYER))
        elif define.kind and define.variable:
            kind = self.book.kind(define.kind)
            if kind is None:
                known = ["player", *(k.name for k in self.book.kinds)]
                self.problem(
                    "TP030",
                    f"there is no kind of piece called `{define.kind}`",
                    define.span,
                    suggestion(define.kind, known),
                )
                return
            scope = scope.with_(define.variable, self.el.pieces(kind)[0])
        self.el._inside.append(define.name)
        self.el.value(define.body, scope)
        self.el._inside.pop()

    def decided(self, decided: Decided) -> None:
        """What rules decide has a meaning for the things it is said of."""
        kind = self.book.kind(decided.kind)
        if decided.kind == "player":
            self.el.decision(decided, (x.const(self.book.players[0]), PLAYER))
        elif kind is not None:
            self.el.decision(decided, self.el.pieces(kind)[0])

    def stage_scope(self, name: str, span: s.Span) -> Scope:
        """What words stand for at a stage: beside the usual ones, the ranks that are gone through."""
        stage = self.book.stages.get(name)
        if stage is None:
            hint = suggestion(name, self.book.stages)
            self.problem("TP030", f"no stage of a procedure is called `{name}`", self.place(name, span), hint)
            return self.el.base
        scope = self.el.base
        for word, typ in stage.ranks:
            scope = scope.with_(word, (x.const(typ.values[0]), typ))
        return scope

    # -- rules

    def body(self, clause: Clause) -> None:
        body = clause.body
        base = self.el.base
        match body:
            case s.Permission():
                self.steps(body.steps, body.span)
                self.plays(body.plays)
                if body.who == "opponent" and len(self.book.players) != 2:
                    self.problem(
                        "TP043", "with more than two players there are several opponents", body.span, "write `others`"
                    )
                self.only(body)
                for ref in body.plays:
                    for scope in self.scopes(ref):
                        self.el.truth(body.only_if, scope)
                        self.el.truth(body.cond, scope if body.mode != "may only" else self.el.base)
            case s.Happening(moment, steps, stages, cond):
                scope = base
                if moment == "at":
                    scope = self.stage_scope(steps[0], body.span)
                else:
                    self.steps(steps, body.span)
                self.el.truth(cond, scope)
                for stage in stages:
                    self.effects(stage, scope)
            case s.Needs(at_stage, need, cond):
                scope = self.stage_scope(at_stage, body.span)
                self.el.truth(need, scope)
                self.el.truth(cond, scope)
            case s.Decides():
                self.decides(body)
            case s.PassedOver(need):
                self.el.truth(need, base.with_("player", (x.const(self.book.players[0]), PLAYER)))
            case s.Whenever(ref, stages, cond):
                self.plays([ref], effects=True)
                for scope in self.scopes(ref):
                    self.el.truth(cond, scope)
                    for stage in stages:
                        self.effects(stage, scope)
            case s.Skip(steps, _, cond) | s.AtOnce(steps, cond):
                self.steps(steps, body.span)
                self.el.truth(cond, base)
            case s.Obligation(steps, need):
                self.steps(steps, body.span)
                self.el.truth(need, base)
            case s.Cost():
                self.cost(body)
            case s.Limit(_, plays, _, each_player):
                self.plays(plays)
                self.no_triggers(plays, "a limit")
                pieces = sum(len(ref.pieces) for ref in plays)
                if pieces and (each_player or len(plays) > 1 or pieces > 1):
                    self.problem("TP043", "a limit is for each player or for each piece of one play", body.span)
            case s.Next(step, to, _, cond):
                self.steps((step, to), body.span)
                self.el.truth(cond, base)
                for name in (step, to):
                    if name in self.book.steps and self.book.steps[name].order < 0:
                        self.problem("TP043", f"`{name}` has steps inside; name one of them", body.span)
            case s.TurnPasses(_, cond):
                self.el.truth(cond, base)
            case s.Keeps(paths):
                for path in paths:
                    self.keeps(path)
            case s.Priority(steps):
                self.steps(steps, body.span)
            case s.Loses(need):
                self.el.truth(need, base.with_("player", (x.const(self.book.players[0]), PLAYER)))
            case s.Window(steps, effects):
                self.steps(steps, body.span)
                kinds = [p.name for p in self.book.plays.values() if p.decl.sort == "effect"]
                for name in effects:
                    if name not in kinds:
                        self.problem(
                            "TP030", f"no kind of effect is called `{name}`", body.span, suggestion(name, kinds)
                        )

    def decides(self, body: s.Decides) -> None:
        """A rule speaks of a value that rules decide, and of the sort of thing that has it; the rest is seen there."""
        decided = self.book.decided.get(body.name)
        if decided is None:
            hint = suggestion(body.name, self.book.decided)
            self.problem("TP030", f"`{body.name}` is not declared as what rules decide", body.span,
                         hint or f"add `decide {body.name} of {body.kind} : int else 0`, say")  # fmt: skip
            return
        kind = self.book.kind(body.kind)
        if (kind.name if kind else body.kind) != decided.kind:
            self.problem("TP043", f"`{body.name}` is decided of {decided.kind}", body.span)
        elif body.variable in RESERVED:
            what = f"`{body.variable}` has a meaning of its own, so nothing else can be called so"
            self.problem("TP035", what, body.span)

    def only(self, body: s.Permission) -> None:
        """What narrows and what forbids cannot be said in one sentence: it could be read either way."""
        forbids = body.mode == "may not" or body.who == "nobody"
        if body.only_if is not None and (forbids or body.mode == "may only"):
            self.problem("TP043", "`only if` goes with `may` alone", body.span, "make two rules of it")
        elif body.who == "nobody" and body.mode != "may":
            self.problem("TP043", f"`nobody {body.mode}` can be read in two ways", body.span, "say who may what")

    def cost(self, body: s.Cost) -> None:
        ref = s.PlayRef(body.play, span=body.span)
        self.plays([ref])
        self.no_triggers([ref], "a cost")
        for item in body.items:
            for name in (item.resource, *((item.to,) if item.to else ())):
                got = self.book.player_fields.get(name)
                if got is None:
                    self.problem(
                        "TP030",
                        f"players have no `{name}` to pay with",
                        item.span,
                        suggestion(name, self.book.player_fields),
                    )
                elif not isinstance(got.type, s.IntT):
                    self.problem("TP041", f"`{name}` is not a number, so it cannot be paid", item.span)
                self.written.add(name)
            for scope in self.scopes(ref):
                self.el.number(item.amount, scope)

    def keeps(self, path: s.Name) -> None:
        if path.of is None and (path.text in self.book.player_fields or path.text in self.book.game_fields):
            self.kept |= {path.text, f"game.{path.text}"}
        elif path.of is not None and path.of.of is None and (kind := self.book.kind(path.of.text)):
            if path.text in kind.fields:
                self.kept.add(f"{kind.name}.{path.text}")
            else:
                self.problem(
                    "TP030", f"{kind.name} have no `{path.text}`", path.span, suggestion(path.text, kind.fields)
                )
        else:
            known = [*self.book.player_fields, *self.book.game_fields]
            self.problem("TP030", f"nothing is called `{printer.path(path)}`", path.span, suggestion(path.text, known))

    # -- effects

    def effects(self, effects: Iterable[s.Effect], scope: Scope) -> None:
        for effect in effects:
            self.effect(effect, scope)

    def effect(self, effect: s.Effect, scope: Scope) -> None:
        match effect:
            case s.Change(path, op, value):
                typ = self.target(path, scope)
                if op != "becomes" and not fits(INT, typ):
                    self.problem(
                        "TP041", f"`{printer.path(path)}` is {name_of(typ)}, so nothing can be added to it", effect.span
                    )
                    return
                self.el.typed(value, scope, typ, f"for `{printer.path(path)}` {name_of(typ)}")
            case s.Become(path, _, attribute):
                self.become(path, attribute, effect.span, scope)
            case s.Move(amount, source, target):
                self.el.number(amount, scope)
                for path in (source, target):
                    self.amount(path, scope)
            case s.Bound(_, path, value):
                self.amount(path, scope)
                self.el.number(value, scope)
            case s.Leave(piece):
                if not isinstance(scope.names.get(piece), Piece):
                    self.problem(
                        "TP030", f"no piece is called `{piece}` here", effect.span, suggestion(piece, scope.names)
                    )
            case s.ForEach(binding, where, inner):
                for _, scope_in in list(self.el.bind(binding, scope))[:1]:
                    self.el.truth(where, scope_in)
                    self.effect(inner, scope_in)
            case s.Goes(piece, place):
                self.el.cell(s.Name(piece, span=effect.span), scope)
                self.el.cell(s.Name(place, span=effect.span), scope)
                bound = scope.names.get(piece)
                if isinstance(bound, Piece):
                    self.written |= {f"{bound.kind}.row", f"{bound.kind}.column"}
                else:
                    self.problem("TP030", f"no piece is called `{piece}` here", effect.span)
            case s.Divide():
                self.divide(effect, scope)
            case s.Choose(who, path):
                self.player(who, scope)
                self.target(path, scope)

    def player(self, who: s.Name, scope: Scope) -> None:
        _, typ = self.el.name(who, scope)
        if not fits(typ, PLAYER):
            self.problem("TP040", f"`{printer.path(who)}` is {name_of(typ)}, not a player", who.span)

    def divide(self, effect: s.Divide, scope: Scope) -> None:
        """What is divided goes into a number of pieces; somebody chooses, so it stands where choices can be made."""
        self.player(effect.who, scope)
        self.el.number(effect.amount, scope)
        if effect.binding.kind == "player":
            self.problem("TP043", "amounts are divided among pieces", effect.span)
            return
        for _, scope_in in list(self.el.bind(effect.binding, scope))[:1]:
            self.el.truth(effect.where, scope_in)
            path = s.Name(effect.attribute, s.Name(effect.binding.variable, span=effect.span), span=effect.span)
            self.amount(path, scope_in)

    def amount(self, path: s.Name, scope: Scope) -> None:
        typ = self.target(path, scope)
        if not fits(INT, typ):
            self.problem("TP041", f"`{printer.path(path)}` is {name_of(typ)}, not a number", path.span)

    def target(self, path: s.Name, scope: Scope) -> Typ:
        """The type of what an effect changes."""
        if path.of is None:
            if path.text in self.book.game_fields:
                self.written.add(f"game.{path.text}")
                return self.book.game_fields[path.text].type
            self.el.value(path, scope)
            if not self.problems:
                self.problem("TP043", f"`{path.text}` cannot be changed by a rule", path.span)
            return INT
        owner = scope.names.get(path.of.text) if path.of.of is None else None
        _, typ = self.el.value(path, scope)
        kind = owner.kind if isinstance(owner, Piece) else self.referred(path.of, scope)
        if kind is not None:
            fixed = path.text in ("in_play", "owner") or path.text in {**self.book.defines, **self.book.decided}
            if fixed:
                self.problem("TP043", f"`{printer.path(path)}` cannot be changed like this", path.span)
            self.written.add(f"{kind}.{path.text}")
        else:
            if path.text == "turns" or path.text in {**self.book.defines, **self.book.decided}:
                self.problem("TP043", f"`{printer.path(path)}` cannot be changed by a rule", path.span)
            self.written.add(path.text)
        return typ

    def referred(self, path: s.Name, scope: Scope) -> str | None:
        """The kind of the piece that a path refers to, if it refers to one."""
        _, typ = self.el.name(path, scope)
        return typ.kind if isinstance(typ, s.RefT) else None

    def become(self, path: s.Name, attribute: str, span: s.Span, scope: Scope) -> None:
        kind = self.book.kind(path.text)
        if kind is None:
            self.problem(
                "TP030",
                f"there are no `{path.text}`",
                path.span,
                suggestion(path.text, [k.name for k in self.book.kinds]),
            )
            return
        if path.of is not None:
            _, typ = self.el.name(path.of, scope)
            if not fits(typ, PLAYER):
                self.problem("TP040", f"`{printer.path(path.of)}` is {name_of(typ)}, not a player", path.of.span)
        got = kind.fields.get(attribute)
        if got is None:
            self.problem("TP030", f"{kind.name} have no `{attribute}`", span, suggestion(attribute, kind.fields))
        elif got.type != BOOL:
            self.problem("TP040", f"`{attribute}` is {name_of(got.type)}, not a yes or no", span)
        else:
            self.written.add(f"{kind.name}.{attribute}")

    # -- the whole

    def overrides(self) -> None:
        """Overriding rules must decide the same sort of thing, and no rule may override itself by way of others."""
        families: dict[str, set[str]] = {}
        for clause in self.book.clauses:
            families.setdefault(clause.rule, set()).update(_families(clause.body))
        for one, two in sorted(self.book.overrides):
            if not families.get(one, set()) & families.get(two, set()):
                span = self.declared.id_spans[one]
                self.problem("TP061", f"[{one}] cannot override [{two}]: they never decide the same thing", span)
        above: dict[str, set[str]] = {}
        for one, two in self.book.overrides:
            above.setdefault(one, set()).add(two)
        for start in sorted(above):
            if start in _reached(above, start):
                self.problem("TP060", f"[{start}] overrides itself, by way of others", self.declared.id_spans[start])

    def sizes(self) -> None:
        """A play has not more ways, and the turn not more ways on, than can be modelled."""
        for play in self.book.plays.values():
            ways = len(self.book.players)
            for piece in play.pieces:
                kind = self.book.kind(piece.kind)
                ways *= kind.scope * (1 if piece.whose in ("own", "new") else len(self.book.players)) if kind else 1
            if play.leaf and ways > MOST_WAYS:
                self.problem(
                    "TP055", f"`{play.name}` could be made in {ways:,} ways, with these pieces", play.decl.span
                )
        longest = sum(skippable(self.book, leaf.name) for leaf in self.book.leaves)
        if longest == len(self.book.leaves):
            self.not_yet("a turn of which every step can be passed over", self.book.leaves[0].span)
        if longest * len(self.book.leaves) > MOST_WAYS:
            self.problem("TP055", "too many steps, too many of which can be passed over", self.book.leaves[0].span)

    def structure(self) -> None:
        """Every step can be reached, and the turn can end from each."""
        found = edges(self.book)
        first = self.book.leaves[0].name
        after: dict[str, set[str]] = {leaf.name: set() for leaf in self.book.leaves}
        ends: set[str] = set()
        for edge in found:
            after[edge.source].add(edge.target)
            if edge.ends_turn:
                ends.add(edge.source)
        reached = _closure({first} | {e.target for e in found if e.ends_turn}, after)
        before: dict[str, set[str]] = {leaf.name: set() for leaf in self.book.leaves}
        for edge in found:
            before[edge.target].add(edge.source)
        ending = _closure(ends, before)
        for leaf in self.book.leaves:
            if leaf.name not in reached:
                self.problem("TP054", f"`{leaf.name}` can never be reached", leaf.span)
            elif leaf.name not in ending:
                self.problem("TP053", f"`{leaf.name}` leads nowhere: from it the turn can never end", leaf.span)

    def quantities(self) -> None:
        """Every quantity is changed by something, or said to be kept."""
        declared = [(f"game.{name}", got) for name, got in self.book.game_fields.items()]
        for name, got in [*declared, *self.book.player_fields.items()]:
            if name not in self.written | self.kept:
                hint = f"if that is meant, say `keeps {got.name}`"
                self.problem("TP063", f"nothing ever changes `{got.name}`", got.span, hint)
        entering = {
            kind.name for play in self.book.plays.values() for piece in play.pieces
            if piece.whose == "new" and (kind := self.book.kind(piece.kind))
        }  # fmt: skip
        for kind in self.book.kinds:
            for name, got in kind.fields.items():
                whole = f"{kind.name}.{name}"
                if whole not in self.written | self.kept and kind.name not in entering:
                    self.problem(
                        "TP063", f"nothing ever changes `{whole}`", got.span, f"if that is meant, say `keeps {whole}`"
                    )


def _families(body: s.Body) -> set[str]:
    """The decisions that a rule takes part in, among those in which one rule can override another."""
    match body:
        case s.Permission():
            return {"permission"}
        case s.Skip():
            return {"skip"}
        case s.Happening(moment, steps, _, _):
            return {f"{moment} of {step}" for step in steps}
        case s.Whenever(ref, _, _):
            return {f"whenever {ref.play}"}
        case s.Decides(name, _, _, _, _):
            return {f"decides {name}"}
        case _:
            return set()


def _closure(start: set[str], after: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    todo = list(start)
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += after.get(name, ())
    return seen
