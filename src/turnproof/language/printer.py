"""Syntax tree to text. What is printed parses to the same tree."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from turnproof.language import syntax as s

# How tightly an expression binds, loosest first; the numbers follow the grammar's levels.
_OPEN, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _FACTOR = range(8)


def rulebook(tree: s.RulebookTree) -> str:
    """The text of a whole rulebook, without fences."""
    return "\n".join(line for statement in tree.statements for line in statement_lines(statement)) + "\n"


def claims(page: s.Claims) -> str:
    """The text of a page of claims, without fences."""
    lines = [f"game {page.game}"]
    for claim in page.claims:
        lines.append(claim_head(claim))
        if claim.expect:
            lines.append("  " + expect_head(claim.expect))
        lines += ["  " + under_head(under) for under in claim.under]
        lines += ["  " + effects_head(effects) for effects in claim.effects]
    return "\n".join(lines) + "\n"


def statement_lines(statement: s.Statement) -> list[str]:
    """A statement with what stands inside it, a line each."""
    return [head(statement), *("  " + line for line in _inside(statement))]


def _inside(statement: s.Statement) -> list[str]:
    match statement:
        case s.Game(_, _, settings):
            return [setting_head(setting) for setting in settings]
        case s.StateBlock(_, decls) | s.PieceBlock(_, _, decls, _):
            return [decl_head(decl) for decl in decls]
        case s.Structure(_, _, steps):
            return _steps(steps)
        case s.ProcedureDecl():
            return _procedure(statement.items)
        case s.PlayDecl():
            return [item_head(item) for item in statement.items]
        case s.ReadAs(_, _, options) | s.Question(_, _, _, options, _):
            return [line for option in options for line in _option(option)]
        case s.Rule(_, _, bodies) if len(bodies) != 1:
            return [body_head(body) for body in bodies]
        case _:
            return []


def _steps(steps: Iterable[s.StepDecl]) -> list[str]:
    lines = []
    for step in steps:
        lines.append(step_head(step))
        lines += ["  " + line for line in _steps(step.steps)]
    return lines


def _procedure(items: Iterable[s.ProcedureItem]) -> list[str]:
    lines = []
    for item in items:
        lines.append(stage_head(item))
        lines += ["  " + line for line in _procedure(item.items if isinstance(item, s.Ranks) else ())]
    return lines


def _option(option: s.Option) -> list[str]:
    if len(option.bodies) == 1:
        return [f"{option_head(option)} {body_head(option.bodies[0])}"]
    return [option_head(option), *("  " + body_head(body) for body in option.bodies)]


def head(statement: s.Statement) -> str:
    """The first line of a statement."""
    match statement:
        case s.Game(name, titles, _):
            return f"game {name}{_titles(titles)}"
        case s.StateBlock(owner, _):
            return "each player has" if owner == "player" else "the game has"
        case s.Board(rows, columns):
            return f"board {rows} by {columns}"
        case s.PieceBlock(scope, kind, _, on_board):
            return f"each player has up to {scope} {kind}{' on the board' if on_board else ''}, each with"
        case s.ProcedureDecl(name, titles, moment, step):
            return f"procedure {name}{_titles(titles)}, at the {moment} of {step}"
        case s.DecideDecl(name, kind, of, otherwise):
            rest = "" if otherwise is None else f" else {exp(otherwise)}"
            return f"decide {name} of {kind} : {_type(of)}{rest}"
        case s.Structure(identifier, of, _):
            return _tagged(identifier, "turn" if of is None else f"steps of {of}")
        case s.PlayDecl():
            parent = f" is {statement.parent}" if statement.parent else ""
            return _tagged(statement.id, f"{statement.sort} {statement.name}{parent}{_titles(statement.titles)}")
        case s.Define():
            of = f" of {statement.kind} {statement.variable}" if statement.kind else ""
            return _tagged(statement.id, f"define {statement.name}{of}: {exp(statement.body)}")
        case s.Rule(identifier, despite, bodies):
            what = body_head(bodies[0]) if len(bodies) == 1 else "all of"
            return f"[{identifier}] {_despite(despite)}{what}"
        case s.ReadAs(identifier, despite, _):
            return f"[{identifier}] {_despite(despite)}read as"
        case s.Question(sort, identifier, text, _, about):
            return f'{sort} [{identifier}] "{text}"' + (f" about {_ids(about, ', ')}" if about else "")
        case s.Note(identifier, text):
            return f"[{identifier}] note" + (f' "{text}"' if text is not None else "")
        case s.Restates(identifier, others):
            return f"[{identifier}] restates {_ids(others, ', ')}"
        case s.Overrides(identifier, others):
            return f"[{identifier}] overrides {_ids(others, ', ')}"
        case s.Removes(ids):
            return f"removes {_ids(ids, ', ')}"
        case _:
            assert_never(statement)


def setting_head(setting: s.Setting) -> str:
    match setting:
        case s.Players(count):
            return f"players {count}"
        case s.Language(code):
            return f"language {code}"
        case s.ParticularFirst():
            return "the particular beats the general"
        case s.RoundOf(turns):
            return f"a round has {turns} turns"
        case s.Extends(name):
            return f"extends {name}"
        case s.Edition(text):
            return f'edition "{text}"'
        case _:
            assert_never(setting)


def decl_head(decl: s.Decl) -> str:
    initial = "" if decl.initial is None else " = " + ", ".join(exp(one) for one in (decl.initial, *decl.others))
    return f"{', '.join(decl.names)} : {_type(decl.type)}{initial}"


def step_head(step: s.StepDecl) -> str:
    return step.name + _titles(step.titles) + (f" as {step.role}" if step.role else "")


def stage_head(item: s.ProcedureItem) -> str:
    match item:
        case s.Stage(name, titles):
            return name + _titles(titles)
        case s.Ranks(variable, quantity, first):
            return f"for each {variable} of {quantity}, {first} first"


def option_head(option: s.Option) -> str:
    return option.name + (" (default):" if option.default else ":")


def item_head(item: s.PlayItem) -> str:
    match item:
        case s.PieceParam(preposition, variable, whose, kind):
            return f"{preposition} {variable} : {whose} {kind}"
        case s.Amounts(names, of):
            return f"any {', '.join(names)} : {_type(of)}"
        case s.Stacked():
            return "goes on the stack"
        case s.Does(effects):
            return _effects(effects)
        case s.ComesFrom(names):
            return f"from {', '.join(names)}"
        case s.Cells(names):
            return f"any {', '.join(names)} : cell"
        case s.Throw(number, sides):
            return f"throw {exp(number, _SUM)} dice of {sides}"
        case _:
            assert_never(item)


def claim_head(claim: s.Claim) -> str:
    return f'[{claim.id}] "{claim.text}": {claim_body(claim.body)}'


def expect_head(expect: s.Expect) -> str:
    reasons = ", ".join(_reason(reason) for reason in expect.on)
    return f"expect {expect.verdict}" + (f" on {reasons}" if reasons else "")


def under_head(under: s.Under) -> str:
    return f"under {_reason(under.selector)} is {under.option}"


def effects_head(effects: s.Effects) -> str:
    at = f" at {_where(effects.steps)}" if effects.steps else ""
    return f"with effects {', '.join(effects.kinds)}{at}"


def _reason(name: str) -> str:
    """A policy is a bare word, the id of a rule or a question stands in brackets."""
    return name if name in ("silence", "clash", "values") else f"[{name}]"


def claim_body(body: s.ClaimBody) -> str:
    match body:
        case s.NeverPlay(played, steps, cond):
            return f"never {plays(played)}{_during(steps)}{_if(cond)}"
        case s.Always(cond, never, steps, premise):
            return _when(steps) + ("it is never so that " if never else "always ") + exp(cond) + _if(premise)
        case s.CanPlay(played, steps, cond):
            return f"can {plays(played)}{_during(steps)}{_if(cond)}"
        case s.CanBe(cond, steps):
            return f"{_when(steps)}it can be that {exp(cond)}"
        case s.AtMost():
            return _limit(body)
        case s.After(step, rule, cond, premise):
            return f"after {step if step else f'[{rule}]'}, {exp(cond)}{_if(premise)}"
        case s.Response(premise, cond):
            return f"whenever {exp(premise)}, {exp(cond)} within this turn"
        case s.InOrder(every):
            return "every phase in order" if every else "phases in order"
        case s.NoneLeftOut(stretch):
            return f"no {stretch} is left out"
        case s.TurnsEnd():
            return "every turn can end"
        case s.NoEndlessTurn(played):
            return "no turn goes on for ever" + (f" except {plays(played)}" if played else "")
        case s.GamesEnd():
            return "every game ends"
        case s.IsBounded(of):
            return f"{path(of)} is bounded"
        case s.InEvery(play, bindings, cond, premise, chosen):
            can = "it can be that " if chosen else ""
            return f"in every {playref(play)}{_bindings(bindings)}, {can}{exp(cond)}{_if(premise)}"
        case s.InTwo(procedure, bindings, paths, cond, premise):
            but = ", ".join(path(one) for one in paths)
            return f"in two {procedure}{_bindings(bindings)} alike but for {but}, {exp(cond)}{_if(premise)}"
        case _:
            assert_never(body)


def body_head(body: s.Body) -> str:
    """What a rule says, in one line."""
    match body:
        case s.Permission():
            only = f" only if {exp(body.only_if)}" if body.only_if is not None else ""
            return f"{_when(body.steps)}{body.who} {body.mode} {plays(body.plays)}{only}{_if(body.cond)}"
        case s.Happening("at", steps, stages, cond):
            return f"at {steps[0]}, {_stages(stages)}{_if(cond)}"
        case s.Needs(stage, need, cond):
            return f"at {stage}, it must be that {exp(need)}{_if(cond)}"
        case s.Decides(name, kind, variable, value, cond):
            return f"the {name} of {kind} {variable} is {exp(value)}{_if(cond)}"
        case s.PassedOver(cond):
            return f"any player is passed over if {exp(cond)}"
        case s.Happening(moment, steps, stages, cond):
            return f"at the {moment} of {_where(steps)}, {_stages(stages)}{_if(cond)}"
        case s.Whenever(play, stages, cond):
            return f"whenever {playref(play)}, {_stages(stages)}{_if(cond)}"
        case s.Skip(steps, mode, cond):
            if steps[0].startswith("every "):
                return f"no {steps[0].removeprefix('every ')} is skipped{_if(cond)}"
            words = {"must": "is skipped", "may": "may be skipped", "never": "is never skipped"}
            return f"{_where(steps)} {words[mode]}{_if(cond)}"
        case s.AtOnce(steps, cond):
            return f"{_where(steps)} ends at once{_if(cond)}"
        case s.Obligation(steps, cond):
            return f"{_where(steps)} cannot end while {exp(cond)}"
        case s.Cost(play, items):
            return f"{play} costs " + ", ".join(_cost(item) for item in items)
        case s.Limit():
            return _limit(body)
        case s.Next(step, to, must, cond):
            return f"after {step} {'comes' if must else 'may come'} {to}{_if(cond)}"
        case s.TurnPasses(to, cond):
            words = {"next": "the next player", "any": "any player", "same": "the same player"}
            return f"the turn passes to {words[to]}{_if(cond)}"
        case s.Keeps(paths):
            return "keeps " + ", ".join(path(p) for p in paths)
        case s.Priority(steps):
            return f"priority goes round in {_where(steps)}"
        case s.Loses(cond, wins):
            return f"any player {'wins' if wins else 'loses'} if {exp(cond)}"
        case s.Window(steps, effects):
            return f"{_when(steps)}cards may {', '.join(effects)}"
        case _:
            assert_never(body)


def effect(of: s.Effect) -> str:
    """One effect."""
    match of:
        case s.Change(target, op, value):
            return f"{path(target)} {op} {exp(value) if op == 'becomes' else exp(value, _SUM)}"
        case s.Become(target, value, attribute):
            return f"{path(target)} become {'' if value else 'not '}{attribute}"
        case s.Move(amount, source, target):
            return f"move {exp(amount, _SUM)} from {path(source)} to {path(target)}"
        case s.Bound(op, target, value):
            return f"{op} {path(target)} to {exp(value, _SUM)}"
        case s.Leave(piece):
            return f"{piece} leaves play"
        case s.ForEach(binding, where, inner):
            cond = f" where {exp(where)}" if where is not None else ""
            return f"every {_binding(binding)}{cond}: {effect(inner)}"
        case s.Goes(piece, place):
            return f"{piece} goes to {place}"
        case s.Choose(who, target):
            return f"{path(who)} chooses {path(target)}"
        case s.Divide(who, up_to, amount, binding, where, attribute):
            some = "up to " if up_to else ""
            cond = f" where {exp(where)}" if where is not None else ""
            return f"{path(who)} divides {some}{exp(amount, _SUM)} among {_binding(binding)}{cond} as {attribute}"
        case _:
            assert_never(of)


def plays(refs: Iterable[s.PlayRef]) -> str:
    """A list of plays."""
    return " or ".join(playref(ref) for ref in refs)


def playref(ref: s.PlayRef) -> str:
    """One play with its verb and its pieces."""
    verb = f"{ref.verb} " if ref.verb else ""
    return verb + ref.play + "".join(f" {preposition} {name}" for preposition, name in ref.pieces)


def path(name: s.Name) -> str:
    """A name, possibly of something."""
    if name.of is None:
        return name.text
    return path(name.of) + ("'s " if name.possessive else ".") + name.text


def exp(of: s.Exp, level: int = _OPEN) -> str:
    """An expression, bracketed if it binds more loosely than `level` asks."""
    text, own = _exp(of)
    return text if own >= level else f"({text})"


def _exp(of: s.Exp) -> tuple[str, int]:
    match of:
        case s.Num(value):
            return str(value), _FACTOR
        case s.Truth(value):
            return ("true" if value else "false"), _FACTOR
        case s.Name():
            return path(of), _FACTOR
        case s.NotE(inner):
            return f"not {exp(inner, _NOT)}", _NOT
        case s.Junction("or", items):
            return " or ".join(exp(item, _AND) for item in items), _OR
        case s.Junction(_, items):
            return " and ".join(exp(item, _NOT) for item in items), _AND
        case s.Compare(op, left, right):
            return f"{exp(left, _SUM)} {op} {exp(right, _SUM)}", _COMPARE
        case s.Arith("*", left, right):
            return f"{exp(left, _PRODUCT)} * {exp(right, _FACTOR)}", _PRODUCT
        case s.Arith(op, left, right):
            return f"{exp(left, _SUM)} {op} {exp(right, _PRODUCT)}", _SUM
        case s.Extreme(op, items):
            return f"{op}({', '.join(exp(item) for item in items)})", _FACTOR
        case s.Quantified(quantifier, binding, body):
            return f"{quantifier} {_binding(binding)}: {exp(body)}", _OPEN
        case s.CountPieces(binding, body):
            return f"count({_binding(binding)}: {exp(body)})", _FACTOR
        case s.Total(binding, where, body):
            cond = f" where {exp(where)}" if where is not None else ""
            return f"sum({_binding(binding)}{cond}: {exp(body)})", _FACTOR
        case s.CountPlays(play, by, period):
            who = f" by {path(by)}" if by else ""
            when = {"waiting": "waiting", "previous": "in the previous turn"}.get(period, f"this {period}")
            return f"number of {playref(play)}{who} {when}", _FACTOR
        case s.Flow(of_what, direction, sources, period):
            causes = " by " + ", ".join(sources) if sources else ""
            return f"{path(of_what)} {direction}{causes} this {period}", _FACTOR
        case s.Since(inner, then_only):
            return f"{exp(inner, _COMPARE)} {'when' if then_only else 'since'} the turn began", _NOT
        case s.Settled(question, option):
            return f"[{question}] is {option}", _FACTOR
        case s.Before(of_what, old, second):
            return path(of_what) + (" before" if old else "") + (" in the second" if second else ""), _FACTOR
        case s.OnBoard("between", (one, two, three)):
            return f"{path(one)} is between {path(two)} and {path(three)}", _COMPARE
        case s.OnBoard(op, places):
            return f"{path(places[0])} is {op} {path(places[1])}", _COMPARE
        case s.Distance(one, two):
            return f"distance of {path(one)} and {path(two)}", _FACTOR
        case s.Dice(op, value):
            return f"number of dice {op} {exp(value, _FACTOR)}", _FACTOR
        case _:
            assert_never(of)


def _binding(binding: s.Binding) -> str:
    return f"{binding.kind} {binding.variable}" + (f" of {path(binding.of)}" if binding.of else "")


def _bindings(bindings: tuple[s.Binding, ...]) -> str:
    return " of " + " and ".join(_binding(one) for one in bindings) if bindings else ""


def _tagged(identifier: str | None, text: str) -> str:
    return f"[{identifier}] {text}" if identifier else text


def _ids(ids: Iterable[str], between: str) -> str:
    return between.join(f"[{identifier}]" for identifier in ids)


def _despite(ids: tuple[str, ...]) -> str:
    return f"despite {_ids(ids, ' and ')}, " if ids else ""


def _titles(titles: s.Titles) -> str:
    return "".join(f' {language} "{text}"' if language else f' "{text}"' for language, text in titles.texts)


def _type(of: s.Type) -> str:
    match of:
        case s.BoolT():
            return "bool"
        case s.IntT(None, None):
            return "int"
        case s.IntT(low, None):
            return f"int >= {low}"
        case s.IntT(None, high):
            return f"int <= {high}"
        case s.IntT(low, high):
            return f"int {low} .. {high}"
        case s.EnumT(values, ordered):
            return (" > " if ordered else " | ").join(values)
        case s.RefT(kind):
            return f"{kind} or nothing"
        case s.SameT(name):
            return name
        case _:
            assert_never(of)


def _where(steps: Iterable[str]) -> str:
    return " or ".join(steps)


def _when(steps: tuple[str, ...]) -> str:
    return f"during {_where(steps)}, " if steps else ""


def _during(steps: tuple[str, ...]) -> str:
    return f" during {_where(steps)}" if steps else ""


def _if(cond: s.Exp | None) -> str:
    match cond:
        case None:
            return ""
        case s.NotE(inner, unless=True):
            return f" unless {exp(inner)}"
        case _:
            return f" if {exp(cond)}"


def _effects(effects: Iterable[s.Effect]) -> str:
    return ", ".join(effect(one) for one in effects)


def _stages(stages: Iterable[tuple[s.Effect, ...]]) -> str:
    return " then ".join(_effects(stage) for stage in stages)


def _cost(item: s.CostItem) -> str:
    return f"{exp(item.amount, _SUM)} {item.resource}" + (f" to {item.to}" if item.to else "")


def _limit(body: s.Limit | s.AtMost) -> str:
    each = " for each player" if body.each_player else ""
    return f"at most {body.count} {plays(body.plays)} per {body.period}{each}"
