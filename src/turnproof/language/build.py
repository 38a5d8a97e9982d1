"""From the parser's callbacks to the syntax tree, bottom up, so that no input can make it recurse."""

from __future__ import annotations

from typing import Any, TypeAlias

from lark import Token, v_args
from lark.tree import Meta
from lark.visitors import Transformer_NonRecursive

from turnproof.language import syntax as s

Args: TypeAlias = "list[Any]"


def _span(meta: Meta) -> s.Span:
    if meta.empty:
        return s.NOWHERE
    return s.Span(meta.line, meta.column, meta.end_line, meta.end_column)


def _id(token: Token) -> str:
    return str(token)[1:-1]


def _text(token: Token) -> str:
    return str(token)[1:-1]


@v_args(meta=True)
class Builder(Transformer_NonRecursive[Token, Any]):
    """One method for each alternative of `grammar.lark`, by name."""

    # -- small parts

    def titles(self, _: Meta, args: Args) -> s.Titles:
        first, rest = args[0], args[1:]
        own = [("", _text(first))] if first is not None else []
        return s.Titles(
            tuple(own + [(str(lang), _text(text)) for lang, text in zip(rest[::2], rest[1::2], strict=True)])
        )

    def names(self, _: Meta, args: Args) -> tuple[str, ...]:
        return tuple(map(str, args))

    def ids(self, _: Meta, args: Args) -> tuple[str, ...]:
        return tuple(map(_id, args))

    despite = ids
    where = names
    who = mode = whose = sort = question_sort = prep = verb = moment = stretch = period = limit_word = extreme_word = (
        flow_word
    ) = direction = lambda _self, _meta, args: str(args[0]) if args and args[0] is not None else ""

    def default(self, _meta: Meta, _args: Args) -> bool:
        return True

    def signed(self, _: Meta, args: Args) -> int:
        return int(args[0])

    def negative(self, _: Meta, args: Args) -> int:
        return -int(args[0])

    def value(self, meta: Meta, args: Args) -> s.Exp:
        return s.Num(args[0], span=_span(meta)) if isinstance(args[0], int) else args[0]

    def value_name(self, meta: Meta, args: Args) -> s.Exp:
        return s.Name(str(args[0]), span=_span(meta))

    def true(self, meta: Meta, _: Args) -> s.Exp:
        return s.Truth(True, span=_span(meta))

    def false(self, meta: Meta, _: Args) -> s.Exp:
        return s.Truth(False, span=_span(meta))

    # -- declarations

    def game(self, meta: Meta, args: Args) -> s.Game:
        return s.Game(str(args[0]), args[1], span=_span(meta))

    def players(self, meta: Meta, args: Args) -> s.Setting:
        return s.Players(int(args[0]), span=_span(meta))

    def language(self, meta: Meta, args: Args) -> s.Setting:
        return s.Language(str(args[0]), span=_span(meta))

    def particular(self, meta: Meta, _: Args) -> s.Setting:
        return s.ParticularFirst(span=_span(meta))

    def round_of(self, meta: Meta, args: Args) -> s.Setting:
        return s.RoundOf(int(args[0]), span=_span(meta))

    def edition(self, meta: Meta, args: Args) -> s.Setting:
        return s.Edition(_text(args[0]), span=_span(meta))

    def board(self, meta: Meta, args: Args) -> s.Board:
        return s.Board(int(args[0]), int(args[1]), span=_span(meta))

    def on_board(self, _m: Meta, _a: Args) -> bool:
        return True

    up_to = on_board

    def player_state(self, meta: Meta, _: Args) -> s.StateBlock:
        return s.StateBlock("player", (), span=_span(meta))

    def game_state(self, meta: Meta, _: Args) -> s.StateBlock:
        return s.StateBlock("game", (), span=_span(meta))

    def pieces(self, meta: Meta, args: Args) -> s.PieceBlock:
        return s.PieceBlock(int(args[0]), str(args[1]), (), len(args) > 2, span=_span(meta))

    def turn_structure(self, meta: Meta, args: Args) -> s.Structure:
        return s.Structure(_id(args[0]) if args else None, None, (), span=_span(meta))

    def steps_structure(self, meta: Meta, args: Args) -> s.Structure:
        return s.Structure(_id(args[0]) if len(args) > 1 else None, str(args[-1]), (), span=_span(meta))

    def procedure(self, meta: Meta, args: Args) -> s.ProcedureDecl:
        name, titles, moment, step = args
        return s.ProcedureDecl(str(name), titles, moment, str(step), span=_span(meta))

    def stage(self, meta: Meta, args: Args) -> s.Stage:
        return s.Stage(str(args[0]), args[1], span=_span(meta))

    def ranks(self, meta: Meta, args: Args) -> s.Ranks:
        return s.Ranks(str(args[0]), str(args[1]), args[2], span=_span(meta))

    def decide(self, meta: Meta, args: Args) -> s.DecideDecl:
        name, kind, of, otherwise = args
        return s.DecideDecl(str(name), str(kind), of, otherwise, span=_span(meta))

    def play(self, meta: Meta, args: Args) -> s.PlayDecl:
        identifier = _id(args.pop(0)) if isinstance(args[0], Token) and args[0].type == "ID" else None
        sort, name, parent, titles = args
        return s.PlayDecl(identifier, sort, str(name), str(parent) if parent else None, titles, span=_span(meta))

    def define(self, meta: Meta, args: Args) -> s.Define:
        identifier = _id(args.pop(0)) if args[0].type == "ID" else None
        name, kind, variable, body = args
        return s.Define(identifier, str(name), kind and str(kind), variable and str(variable), body, span=_span(meta))

    def decl(self, meta: Meta, args: Args) -> s.Decl:
        return s.Decl(args[0], args[1], args[2], tuple(args[3:]), span=_span(meta))

    def bool_type(self, _m: Meta, _a: Args) -> s.Type:
        return s.BoolT()

    def int_type(self, _m: Meta, _a: Args) -> s.Type:
        return s.IntT()

    def int_from(self, _: Meta, args: Args) -> s.Type:
        return s.IntT(low=args[0])

    def int_to(self, _: Meta, args: Args) -> s.Type:
        return s.IntT(high=args[0])

    def int_range(self, _: Meta, args: Args) -> s.Type:
        return s.IntT(args[0], args[1])

    def ordered_type(self, _: Meta, args: Args) -> s.Type:
        return s.EnumT(tuple(str(a) for a in args if a.type == "NAME"), True)

    def enum_type(self, _: Meta, args: Args) -> s.Type:
        return s.EnumT(tuple(map(str, args)), False)

    def piece_type(self, _: Meta, args: Args) -> s.Type:
        return s.RefT(str(args[0]))

    def same_type(self, _: Meta, args: Args) -> s.Type:
        return s.SameT(str(args[0]))

    def step(self, meta: Meta, args: Args) -> s.StepDecl:
        return s.StepDecl(str(args[0]), args[1], str(args[2] or ""), span=_span(meta))

    def piece_param(self, meta: Meta, args: Args) -> s.PlayItem:
        return s.PieceParam(args[0], str(args[1]), args[2], str(args[3]), span=_span(meta))

    def amounts(self, meta: Meta, args: Args) -> s.PlayItem:
        return s.Amounts(args[0], args[1], span=_span(meta))

    def cells(self, meta: Meta, args: Args) -> s.PlayItem:
        return s.Cells(args[0], span=_span(meta))

    def throw(self, meta: Meta, args: Args) -> s.PlayItem:
        return s.Throw(args[0], int(args[1]), span=_span(meta))

    def stacked(self, meta: Meta, _: Args) -> s.PlayItem:
        return s.Stacked(span=_span(meta))

    def comes_from(self, meta: Meta, args: Args) -> s.PlayItem:
        return s.ComesFrom(args[0], span=_span(meta))

    def does(self, meta: Meta, args: Args) -> s.PlayItem:
        return s.Does(args[0], span=_span(meta))

    # -- rules

    def _headed(self, args: Args) -> tuple[str, tuple[str, ...], Args]:
        despite = args[1] if len(args) > 1 and isinstance(args[1], tuple) else ()
        return _id(args[0]), despite, args[2:] if despite else args[1:]

    def body_rule(self, meta: Meta, args: Args) -> s.Rule:
        identifier, despite, rest = self._headed(args)
        return s.Rule(identifier, despite, (rest[0],), span=_span(meta))

    def read_as(self, meta: Meta, args: Args) -> s.ReadAs:
        identifier, despite, _ = self._headed(args)
        return s.ReadAs(identifier, despite, (), span=_span(meta))

    def all_of_rule(self, meta: Meta, args: Args) -> s.Rule:
        identifier, despite, _ = self._headed(args)
        return s.Rule(identifier, despite, (), span=_span(meta))

    def note(self, meta: Meta, args: Args) -> s.Note:
        return s.Note(_id(args[0]), _text(args[1]) if len(args) > 1 else None, span=_span(meta))

    def restates(self, meta: Meta, args: Args) -> s.Restates:
        return s.Restates(_id(args[0]), args[1], span=_span(meta))

    def removes(self, meta: Meta, args: Args) -> s.Removes:
        return s.Removes(args[0], span=_span(meta))

    def extends(self, meta: Meta, args: Args) -> s.Setting:
        return s.Extends(str(args[0]), span=_span(meta))

    def overrides(self, meta: Meta, args: Args) -> s.Overrides:
        return s.Overrides(_id(args[0]), args[1], span=_span(meta))

    def question(self, meta: Meta, args: Args) -> s.Question:
        return s.Question(args[0], _id(args[1]), _text(args[2]), (), args[3] if len(args) > 3 else (), span=_span(meta))

    def about(self, _: Meta, args: Args) -> tuple[str, ...]:
        return args[0]  # type: ignore[no-any-return]  # the ids

    def option(self, meta: Meta, args: Args) -> s.Option:
        body = args[-1]
        return s.Option(str(args[0]), True in args[1:-1], (body,) if body else (), span=_span(meta))

    def body(self, _: Meta, args: Args) -> s.Body:
        return args[0]  # type: ignore[no-any-return]  # lark hands on what the alternatives returned

    during = where_cond = only_if = claim_during = except_ = lambda _self, _meta, args: args[0]

    def permission(self, meta: Meta, args: Args) -> s.Body:
        steps = args.pop(0) if isinstance(args[0], tuple) else ()
        who, mode, plays, *rest = args
        cond = rest.pop() if rest and isinstance(rest[-1], Tail) else None
        mode = f"may {mode}" if mode else "may"
        return s.Permission(steps, who, mode, plays, rest[0] if rest else None, _cond(cond), span=_span(meta))

    def plays(self, _: Meta, args: Args) -> tuple[s.PlayRef, ...]:
        return tuple(a for a in args if isinstance(a, s.PlayRef))

    def playref(self, meta: Meta, args: Args) -> s.PlayRef:
        verb = None if isinstance(args[0], Token) else args.pop(0)
        pairs = tuple((p, str(v)) for p, v in zip(args[1::2], args[2::2], strict=True))
        return s.PlayRef(str(args[0]), verb, pairs, span=_span(meta))

    def tail_if(self, _: Meta, args: Args) -> Tail:
        return Tail(args[0])

    def tail_unless(self, meta: Meta, args: Args) -> Tail:
        return Tail(s.NotE(args[0], unless=True, span=_span(meta)))

    def stages(self, _: Meta, args: Args) -> tuple[tuple[s.Effect, ...], ...]:
        return tuple(args)

    def effects(self, _: Meta, args: Args) -> tuple[s.Effect, ...]:
        return tuple(args)

    def happening(self, meta: Meta, args: Args) -> s.Body:
        moment, when, stages, *tail = args
        return s.Happening(moment, when, stages, _tail(tail), span=_span(meta))

    def at_stage(self, meta: Meta, args: Args) -> s.Body:
        return s.Happening("at", (str(args[0]),), args[1], _tail(args[2:]), span=_span(meta))

    def needs(self, meta: Meta, args: Args) -> s.Body:
        return s.Needs(str(args[0]), args[1], _tail(args[2:]), span=_span(meta))

    def decides(self, meta: Meta, args: Args) -> s.Body:
        name, kind, variable, value, *tail = args
        return s.Decides(str(name), str(kind), str(variable), value, _tail(tail), span=_span(meta))

    def passed_over(self, meta: Meta, args: Args) -> s.Body:
        return s.PassedOver(args[0], span=_span(meta))

    def when_steps(self, _: Meta, args: Args) -> tuple[str, ...]:
        return args[0]  # type: ignore[no-any-return]

    def when_every(self, _: Meta, args: Args) -> tuple[str, ...]:
        return (f"every {args[0]}",)

    def whenever(self, meta: Meta, args: Args) -> s.Body:
        return s.Whenever(args[0], args[1], _tail(args[2:]), span=_span(meta))

    def skip_must(self, meta: Meta, args: Args) -> s.Body:
        return s.Skip(args[0], "must", _tail(args[1:]), span=_span(meta))

    def skip_may(self, meta: Meta, args: Args) -> s.Body:
        return s.Skip(args[0], "may", _tail(args[1:]), span=_span(meta))

    def skip_never(self, meta: Meta, args: Args) -> s.Body:
        return s.Skip(args[0], "never", _tail(args[1:]), span=_span(meta))

    def skip_none(self, meta: Meta, args: Args) -> s.Body:
        return s.Skip((f"every {args[0]}",), "never", _tail(args[1:]), span=_span(meta))

    def at_once(self, meta: Meta, args: Args) -> s.Body:
        return s.AtOnce(args[0], _tail(args[1:]), span=_span(meta))

    def obligation(self, meta: Meta, args: Args) -> s.Body:
        return s.Obligation(args[0], args[1], span=_span(meta))

    def cost(self, meta: Meta, args: Args) -> s.Body:
        return s.Cost(str(args[0]), tuple(args[1:]), span=_span(meta))

    def cost_item(self, meta: Meta, args: Args) -> s.CostItem:
        return s.CostItem(args[0], str(args[1]), str(args[2]) if args[2] else None, span=_span(meta))

    def each_player(self, _m: Meta, _a: Args) -> bool:
        return True

    def limit(self, meta: Meta, args: Args) -> s.Body:
        return s.Limit(int(args[0]), args[1], args[2], len(args) > 3, span=_span(meta))

    def next_must(self, meta: Meta, args: Args) -> s.Body:
        return s.Next(str(args[0]), str(args[1]), True, _tail(args[2:]), span=_span(meta))

    def next_may(self, meta: Meta, args: Args) -> s.Body:
        return s.Next(str(args[0]), str(args[1]), False, _tail(args[2:]), span=_span(meta))

    def to_next(self, _m: Meta, _a: Args) -> str:
        return "next"

    def to_any(self, _m: Meta, _a: Args) -> str:
        return "any"

    def to_same(self, _m: Meta, _a: Args) -> str:
        return "same"

    def passes(self, meta: Meta, args: Args) -> s.Body:
        return s.TurnPasses(args[0], _tail(args[1:]), span=_span(meta))

    def keeps(self, meta: Meta, args: Args) -> s.Body:
        return s.Keeps(tuple(args), span=_span(meta))

    def priority(self, meta: Meta, args: Args) -> s.Body:
        return s.Priority(args[0], span=_span(meta))

    def loses(self, meta: Meta, args: Args) -> s.Body:
        return s.Loses(args[0], span=_span(meta))

    def wins(self, meta: Meta, args: Args) -> s.Body:
        return s.Loses(args[0], wins=True, span=_span(meta))

    def window(self, meta: Meta, args: Args) -> s.Body:
        steps = args.pop(0) if isinstance(args[0], tuple) else ()
        return s.Window(steps, tuple(map(str, args)), span=_span(meta))

    # -- effects

    def becomes(self, meta: Meta, args: Args) -> s.Effect:
        return s.Change(args[0], "becomes", args[1], span=_span(meta))

    def increase(self, meta: Meta, args: Args) -> s.Effect:
        return s.Change(args[0], "+=", args[1], span=_span(meta))

    def decrease(self, meta: Meta, args: Args) -> s.Effect:
        return s.Change(args[0], "-=", args[1], span=_span(meta))

    def become(self, meta: Meta, args: Args) -> s.Effect:
        return s.Become(args[0], True, str(args[1]), span=_span(meta))

    def become_not(self, meta: Meta, args: Args) -> s.Effect:
        return s.Become(args[0], False, str(args[1]), span=_span(meta))

    def move(self, meta: Meta, args: Args) -> s.Effect:
        return s.Move(args[0], args[1], args[2], span=_span(meta))

    def bound(self, meta: Meta, args: Args) -> s.Effect:
        return s.Bound(args[0], args[1], args[2], span=_span(meta))

    def leave(self, meta: Meta, args: Args) -> s.Effect:
        return s.Leave(str(args[0]), span=_span(meta))

    def goes(self, meta: Meta, args: Args) -> s.Effect:
        return s.Goes(str(args[0]), str(args[1]), span=_span(meta))

    def choose(self, meta: Meta, args: Args) -> s.Effect:
        return s.Choose(args[0], args[1], span=_span(meta))

    def divide(self, meta: Meta, args: Args) -> s.Effect:
        who, *rest, attribute = args
        up_to = rest[0] is True
        amount, binding, *where = rest[1:] if up_to else rest
        return s.Divide(who, up_to, amount, binding, where[0] if where else None, str(attribute), span=_span(meta))

    def for_each(self, meta: Meta, args: Args) -> s.Effect:
        where = args[1] if len(args) == 3 else None
        return s.ForEach(args[0], where, args[-1], span=_span(meta))

    # -- expressions

    def exp(self, _: Meta, args: Args) -> s.Exp:
        return args[0]  # type: ignore[no-any-return]

    top = exp
    bracket = exp
    factor = exp
    negation = exp

    def some(self, meta: Meta, args: Args) -> s.Exp:
        return s.Quantified("some", args[0], args[1], span=_span(meta))

    def every(self, meta: Meta, args: Args) -> s.Exp:
        return s.Quantified("every", args[0], args[1], span=_span(meta))

    def none_of(self, meta: Meta, args: Args) -> s.Exp:
        return s.Quantified("no", args[0], args[1], span=_span(meta))

    def disjunction(self, meta: Meta, args: Args) -> s.Exp:
        return args[0] if len(args) == 1 else s.Junction("or", tuple(args), span=_span(meta))

    def conjunction(self, meta: Meta, args: Args) -> s.Exp:
        return args[0] if len(args) == 1 else s.Junction("and", tuple(args), span=_span(meta))

    def not_(self, meta: Meta, args: Args) -> s.Exp:
        return s.NotE(args[0], span=_span(meta))

    def since(self, meta: Meta, args: Args) -> s.Exp:
        return s.Since(args[0], span=_span(meta))

    def was(self, meta: Meta, args: Args) -> s.Exp:
        return s.Since(args[0], then_only=True, span=_span(meta))

    def comparison(self, meta: Meta, args: Args) -> s.Exp:
        return args[0] if args[1] is None else s.Compare(str(args[1]), args[0], args[2], span=_span(meta))

    def is_at(self, meta: Meta, args: Args) -> s.Exp:
        return s.OnBoard("at", tuple(args), span=_span(meta))

    def next_to(self, meta: Meta, args: Args) -> s.Exp:
        return s.OnBoard("next to", tuple(args), span=_span(meta))

    def in_line(self, meta: Meta, args: Args) -> s.Exp:
        return s.OnBoard("in line with", tuple(args), span=_span(meta))

    def between(self, meta: Meta, args: Args) -> s.Exp:
        return s.OnBoard("between", tuple(args), span=_span(meta))

    def distance(self, meta: Meta, args: Args) -> s.Exp:
        return s.Distance(args[0], args[1], span=_span(meta))

    def dice(self, meta: Meta, args: Args) -> s.Exp:
        return s.Dice(str(args[0]), args[1], span=_span(meta))

    def before(self, meta: Meta, args: Args) -> s.Exp:
        return s.Before(args[0], span=_span(meta))

    def second(self, meta: Meta, args: Args) -> s.Exp:
        return s.Before(args[0], old=False, second=True, span=_span(meta))

    def second_before(self, meta: Meta, args: Args) -> s.Exp:
        return s.Before(args[0], second=True, span=_span(meta))

    def sum(self, meta: Meta, args: Args) -> s.Exp:
        total: s.Exp = args[0]
        for op, item in zip(args[1::2], args[2::2], strict=True):
            total = s.Arith(str(op), total, item, span=_span(meta))
        return total

    def product(self, meta: Meta, args: Args) -> s.Exp:
        total: s.Exp = args[0]
        for item in args[1:]:
            total = s.Arith("*", total, item, span=_span(meta))
        return total

    def number(self, meta: Meta, args: Args) -> s.Exp:
        return s.Num(int(args[0]), span=_span(meta))

    def minus(self, meta: Meta, args: Args) -> s.Exp:
        if isinstance(args[0], s.Num):
            return s.Num(-args[0].value, span=_span(meta))
        return s.Arith("-", s.Num(0, span=_span(meta)), args[0], span=_span(meta))

    def extreme(self, meta: Meta, args: Args) -> s.Exp:
        return s.Extreme(args[0], tuple(args[1:]), span=_span(meta))

    def count_pieces(self, meta: Meta, args: Args) -> s.Exp:
        return s.CountPieces(args[0], args[1], span=_span(meta))

    def total(self, meta: Meta, args: Args) -> s.Exp:
        binding, *where, body = args
        return s.Total(binding, where[0] if where else None, body, span=_span(meta))

    def count_plays(self, meta: Meta, args: Args) -> s.Exp:
        return s.CountPlays(args[0], args[1], args[2], span=_span(meta))

    def count_previous(self, meta: Meta, args: Args) -> s.Exp:
        return s.CountPlays(args[0], args[1], "previous", span=_span(meta))

    def count_waiting(self, meta: Meta, args: Args) -> s.Exp:
        return s.CountPlays(args[0], args[1], "waiting", span=_span(meta))

    def flow(self, meta: Meta, args: Args) -> s.Exp:
        path, direction, sources, period = args
        return s.Flow(path, direction, sources or (), period, span=_span(meta))

    def sources(self, _: Meta, args: Args) -> tuple[str, ...]:
        return tuple(map(str, args))

    def settled(self, meta: Meta, args: Args) -> s.Exp:
        return s.Settled(_id(args[0]), str(args[1]), span=_span(meta))

    def binding(self, meta: Meta, args: Args) -> s.Binding:
        return s.Binding(str(args[0]), str(args[1]), args[2], span=_span(meta))

    def path(self, meta: Meta, args: Args) -> s.Name:
        whole = s.Name(str(args[0]), span=_span(meta))
        for mark, name in zip(args[1::2], args[2::2], strict=True):
            whole = s.Name(str(name), whole, str(mark) != ".", span=_span(meta))
        return whole

    # -- claims

    def claims_game(self, meta: Meta, args: Args) -> s.Claims:
        return s.Claims(str(args[0]), (), span=_span(meta))

    def claim_line(self, meta: Meta, args: Args) -> s.Claim:
        return s.Claim(_id(args[0]), _text(args[1]), args[2], span=_span(meta))

    def never_play(self, meta: Meta, args: Args) -> s.ClaimBody:
        plays, *rest = args
        steps = rest.pop(0) if rest and isinstance(rest[0], tuple) else ()
        return s.NeverPlay(plays, steps, _tail(rest), span=_span(meta))

    def always(self, meta: Meta, args: Args) -> s.ClaimBody:
        steps, (cond, *rest) = _timed(args)
        return s.Always(cond, False, steps, _tail(rest), span=_span(meta))

    def never_so(self, meta: Meta, args: Args) -> s.ClaimBody:
        steps, (cond, *rest) = _timed(args)
        return s.Always(cond, True, steps, _tail(rest), span=_span(meta))

    def can_play(self, meta: Meta, args: Args) -> s.ClaimBody:
        plays, *rest = args
        steps = rest.pop(0) if rest and isinstance(rest[0], tuple) else ()
        return s.CanPlay(plays, steps, _tail(rest), span=_span(meta))

    def can_be(self, meta: Meta, args: Args) -> s.ClaimBody:
        steps, (cond,) = _timed(args)
        return s.CanBe(cond, steps, span=_span(meta))

    def at_most(self, meta: Meta, args: Args) -> s.ClaimBody:
        return s.AtMost(int(args[0]), args[1], args[2], len(args) > 3, span=_span(meta))

    def after_step(self, meta: Meta, args: Args) -> s.ClaimBody:
        return s.After(str(args[0]), None, args[1], _tail(args[2:]), span=_span(meta))

    def after_every(self, meta: Meta, args: Args) -> s.ClaimBody:
        return s.After(f"every {args[0]}", None, args[1], _tail(args[2:]), span=_span(meta))

    def after_rule(self, meta: Meta, args: Args) -> s.ClaimBody:
        return s.After(None, _id(args[0]), args[1], _tail(args[2:]), span=_span(meta))

    def response(self, meta: Meta, args: Args) -> s.ClaimBody:
        return s.Response(args[0], args[1], span=_span(meta))

    def in_order(self, meta: Meta, _: Args) -> s.ClaimBody:
        return s.InOrder(False, span=_span(meta))

    def every_in_order(self, meta: Meta, _: Args) -> s.ClaimBody:
        return s.InOrder(True, span=_span(meta))

    def none_left_out(self, meta: Meta, args: Args) -> s.ClaimBody:
        return s.NoneLeftOut(args[0], span=_span(meta))

    def turns_end(self, meta: Meta, _: Args) -> s.ClaimBody:
        return s.TurnsEnd(span=_span(meta))

    def no_endless_turn(self, meta: Meta, args: Args) -> s.ClaimBody:
        return s.NoEndlessTurn(args[0] if args else (), span=_span(meta))

    def games_end(self, meta: Meta, _: Args) -> s.ClaimBody:
        return s.GamesEnd(span=_span(meta))

    def is_bounded(self, meta: Meta, args: Args) -> s.ClaimBody:
        return s.IsBounded(args[0], span=_span(meta))

    def bindings(self, _: Meta, args: Args) -> tuple[s.Binding, ...]:
        return tuple(args)

    def in_every(self, meta: Meta, args: Args) -> s.ClaimBody:
        play, bindings, cond, *tail = args
        return s.InEvery(play, bindings or (), cond, _tail(tail), span=_span(meta))

    def in_every_can(self, meta: Meta, args: Args) -> s.ClaimBody:
        play, bindings, cond, *tail = args
        return s.InEvery(play, bindings or (), cond, _tail(tail), chosen=True, span=_span(meta))

    def in_two(self, meta: Meta, args: Args) -> s.ClaimBody:
        name, bindings, *rest = args
        tail = rest.pop() if isinstance(rest[-1], Tail) else None
        return s.InTwo(str(name), bindings, tuple(rest[:-1]), rest[-1], _cond(tail), span=_span(meta))

    def with_effects(self, meta: Meta, args: Args) -> s.Effects:
        return s.Effects(args[0], args[1] or (), span=_span(meta))

    def expect(self, meta: Meta, args: Args) -> s.Expect:
        return s.Expect(str(args[0]), args[1] or (), span=_span(meta))

    def expect_number(self, meta: Meta, args: Args) -> s.Expect:
        return s.Expect(str(args[0]), span=_span(meta))

    def expect_range(self, meta: Meta, args: Args) -> s.Expect:
        return s.Expect(f"{args[0]} to {args[1]}", span=_span(meta))

    def decided_by(self, meta: Meta, args: Args) -> s.By:
        return s.By(args[0], span=_span(meta))

    def reasons(self, _: Meta, args: Args) -> tuple[str, ...]:
        return tuple(args)

    def reason_name(self, _: Meta, args: Args) -> str:
        return str(args[0])

    def reason_id(self, _: Meta, args: Args) -> str:
        return _id(args[0])

    def under(self, meta: Meta, args: Args) -> s.Under:
        return s.Under(args[0], str(args[1]), span=_span(meta))

    # -- questions

    def asked(self, meta: Meta, args: Args) -> s.Asked:
        return s.Asked(args[0], args[1] or (), span=_span(meta))

    def scene(self, _: Meta, args: Args) -> tuple[s.SceneItem, ...]:
        return tuple(args)

    def may_ask(self, meta: Meta, args: Args) -> s.Query:
        who, plays, *steps = args
        return s.MayAsk(who, plays, steps[0] if steps else (), span=_span(meta))

    def why_ask(self, meta: Meta, args: Args) -> s.Query:
        who, plays, *steps = args
        return s.MayAsk(who, plays, steps[0] if steps else (), why=True, span=_span(meta))

    def must_ask(self, meta: Meta, args: Args) -> s.Query:
        who, plays, *steps = args
        return s.MustAsk(who, plays, steps[0] if steps else (), span=_span(meta))

    def skip_ask(self, meta: Meta, args: Args) -> s.Query:
        return s.SkipAsk(str(args[0]), span=_span(meta))

    def end_ask(self, meta: Meta, args: Args) -> s.Query:
        return s.EndAsk(str(args[0]), span=_span(meta))

    def holds_ask(self, meta: Meta, args: Args) -> s.Query:
        return s.HoldsAsk(args[0], args[1] if len(args) > 1 else None, span=_span(meta))

    def survive_ask(self, meta: Meta, args: Args) -> s.Query:
        return s.FateAsk(args[0], True, args[1] if len(args) > 1 else None, span=_span(meta))

    def leave_ask(self, meta: Meta, args: Args) -> s.Query:
        return s.FateAsk(args[0], False, args[1] if len(args) > 1 else None, span=_span(meta))

    def change_of_ask(self, meta: Meta, args: Args) -> s.Query:
        name, owner, change, *moment = args
        path = s.Name(str(name), owner, span=_span(meta))
        return s.AmountAsk(path, change, moment[0] if moment else None, span=_span(meta))

    def change_ask(self, meta: Meta, args: Args) -> s.Query:
        path, change, *moment = args
        return s.AmountAsk(path, change, moment[0] if moment else None, span=_span(meta))

    def amount_ask(self, meta: Meta, args: Args) -> s.Query:
        return s.AmountAsk(args[0], "", args[1] if len(args) > 1 else None, span=_span(meta))

    def dice_ask(self, meta: Meta, args: Args) -> s.Query:
        dice, sides, op, value = args
        return s.DiceAsk(int(dice), int(sides), str(op), int(value), span=_span(meta))

    def chooser_ask(self, meta: Meta, args: Args) -> s.Query:
        return s.ChooserAsk(str(args[0]), span=_span(meta))

    def ever_play_ask(self, meta: Meta, args: Args) -> s.Query:
        return s.EverAsk(self.can_play(meta, args), span=_span(meta))

    def can_be_ask(self, meta: Meta, args: Args) -> s.Query:
        if len(args) > 1:
            return s.HoldsAsk(args[0], args[1], can=True, span=_span(meta))
        return s.EverAsk(s.CanBe(args[0], span=_span(meta)), span=_span(meta))

    asked_after = asked_moment = asked_during = fact = lambda _self, _meta, args: args[0]
    by = change = lambda _self, _meta, args: str(args[0])

    def event(self, meta: Meta, args: Args) -> s.Event:
        verb = None if isinstance(args[0], Token) else args.pop(0)
        # What a rule makes of a token is a plain text, so the last is who did it if the others go in pairs without it.
        by = args.pop() if len(args) % 2 == 0 else None
        pairs = tuple((p, str(v)) for p, v in zip(args[1::2], args[2::2], strict=True))
        return s.Event(s.PlayRef(str(args[0]), verb, pairs, span=_span(meta)), by, span=_span(meta))

    def given(self, meta: Meta, args: Args) -> s.Given:
        return s.Given(args[0], tuple(w for w in args[1:] if w is not None), span=_span(meta))

    def dice_given(self, meta: Meta, args: Args) -> s.DiceGiven:
        return s.DiceGiven(tuple(int(value) for value in args), span=_span(meta))

    def worth_number(self, meta: Meta, args: Args) -> s.Worth:
        return s.Worth(str(args[0]), s.Num(args[1], span=_span(meta)), span=_span(meta))

    def worth_name(self, meta: Meta, args: Args) -> s.Worth:
        return s.Worth(str(args[0]), s.Name(str(args[1]), span=_span(meta)), span=_span(meta))

    def worth_so(self, meta: Meta, args: Args) -> s.Worth:
        return s.Worth(str(args[0]), span=_span(meta))

    def worth_not(self, meta: Meta, args: Args) -> s.Worth:
        return s.Worth(str(args[0]), negated=True, span=_span(meta))


class Tail:
    """The condition at the end of a rule, told apart from one before it."""

    def __init__(self, cond: s.Exp) -> None:
        self.cond = cond


def _timed(args: Args) -> tuple[tuple[str, ...], Args]:
    """The steps in which a claim is made, and the rest of it."""
    return (args[0], args[1:]) if isinstance(args[0], tuple) else ((), args)


def _cond(tail: Tail | None) -> s.Exp | None:
    return tail.cond if tail else None


def _tail(args: Args) -> s.Exp | None:
    return args[0].cond if args else None
