"""Random syntax trees, as hypothesis strategies. Not all of them pass the checker; all of them can be printed."""

from __future__ import annotations

from hypothesis import strategies as st

from turnproof.language import syntax as s

WORDS = ["hand", "deck", "c", "unit", "dégagement", "抽牌", "x_1", "attack", "market", "gold"]
names = st.sampled_from(WORDS)
ids = st.sampled_from(["A", "T7.1-a", "M1b-c", "R-1", "Q", "§4.2"])
texts = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters='"\n\r\x85\u2028\u2029'), max_size=12
)
numbers = st.integers(-999, 999)
periods = st.sampled_from(["turn", "phase", "step", "game", "round"])
pairs = st.lists(st.tuples(st.sampled_from(["with", "against", "on"]), names), max_size=2).map(tuple)
steps = st.lists(names, min_size=1, max_size=3).map(tuple)
some_ids = st.lists(ids, min_size=1, max_size=2).map(tuple)

paths = st.builds(
    lambda words, marks: _path(words, marks),
    st.lists(names, min_size=1, max_size=3),
    st.lists(st.booleans(), min_size=3),
)


def _path(words: list[str], marks: list[bool]) -> s.Name:
    found = s.Name(words[0])
    for word, possessive in zip(words[1:], marks, strict=False):
        found = s.Name(word, found, possessive)
    return found


bindings = st.builds(s.Binding, names, names, st.none() | paths)
playrefs = st.builds(s.PlayRef, names, st.none() | st.sampled_from(["play", "use", "put", "make", "cast"]), pairs)
plays = st.lists(playrefs, min_size=1, max_size=3).map(tuple)


def _expressions(inner: st.SearchStrategy[s.Exp]) -> st.SearchStrategy[s.Exp]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(s.NotE, inner),
        st.builds(s.Junction, st.sampled_from(["and", "or"]), several),
        st.builds(s.Compare, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), inner, inner),
        st.builds(s.Arith, st.sampled_from(["+", "-", "*"]), inner, inner),
        st.builds(s.Extreme, st.sampled_from(["min", "max"]), several),
        st.builds(s.Quantified, st.sampled_from(["some", "every", "no"]), bindings, inner),
        st.builds(s.CountPieces, bindings, inner),
        st.builds(s.Since, inner, st.booleans()),
        st.builds(s.Total, bindings, st.none() | inner, inner),
        st.builds(s.Dice, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), inner),
    )


sources = st.lists(names | ids.map(lambda text: f"[{text}]"), max_size=2).map(tuple)
leaves: st.SearchStrategy[s.Exp] = st.one_of(
    st.builds(s.Num, numbers),
    st.builds(s.Truth, st.booleans()),
    paths,
    st.builds(
        s.CountPlays,
        playrefs,
        st.none() | paths,
        st.sampled_from(["turn", "phase", "step", "game", "previous", "waiting"]),
    ),
    st.builds(s.Settled, ids, names),
    st.builds(s.Flow, paths, st.sampled_from(["gained", "lost"]), sources, periods),
    st.builds(lambda of, how: s.Before(of, *how), paths, st.sampled_from([(True, False), (True, True), (False, True)])),
    st.builds(s.OnBoard, st.sampled_from(["at", "next to", "in line with"]), st.tuples(paths, paths)),
    st.builds(s.OnBoard, st.just("between"), st.tuples(paths, paths, paths)),
    st.builds(s.Distance, paths, paths),
)
expressions: st.SearchStrategy[s.Exp] = st.recursive(leaves, _expressions, max_leaves=6)
conditions = st.none() | expressions | st.builds(s.NotE, expressions, st.just(True))

types: st.SearchStrategy[s.Type] = st.one_of(
    st.just(s.BoolT()),
    st.just(s.IntT()),
    st.builds(s.IntT, numbers),
    st.builds(s.IntT, st.none(), numbers),
    st.builds(s.IntT, numbers, numbers),
    st.builds(s.EnumT, st.lists(names, min_size=2, max_size=3).map(tuple), st.booleans()),
    st.builds(s.RefT, names),
    st.builds(s.SameT, names),
)
initials = st.none() | st.builds(s.Num, numbers) | st.builds(s.Truth, st.booleans()) | st.builds(s.Name, names)
titles = st.builds(
    lambda own, others: s.Titles(tuple([("", own)] if own is not None else []) + tuple(others)),
    st.none() | texts,
    st.lists(st.tuples(names, texts), max_size=2),
)

simple_effects: st.SearchStrategy[s.Effect] = st.one_of(
    st.builds(s.Change, paths, st.sampled_from(["becomes", "+=", "-="]), expressions),
    st.builds(s.Become, paths, st.booleans(), names),
    st.builds(s.Move, expressions, paths, paths),
    st.builds(s.Bound, st.sampled_from(["lower", "raise"]), paths, expressions),
    st.builds(s.Leave, names),
    st.builds(s.Goes, names, names),
    st.builds(s.Choose, paths, paths),
    st.builds(s.Divide, paths, st.booleans(), expressions, bindings, st.none() | expressions, names),
)
effects: st.SearchStrategy[s.Effect] = st.recursive(
    simple_effects, lambda inner: st.builds(s.ForEach, bindings, st.none() | expressions, inner), max_leaves=2
)
stages = st.lists(st.lists(effects, min_size=1, max_size=2).map(tuple), min_size=1, max_size=2).map(tuple)
everywhere = st.sampled_from([("every phase",), ("every step",)])

cost_items = st.builds(s.CostItem, expressions, names, st.none() | names)
prepositions = st.sampled_from(["with", "against", "on"])
sorts = st.sampled_from(["play", "trigger", "effect"])
bodies: st.SearchStrategy[s.Body] = st.one_of(
    st.builds(
        s.Permission, st.just(()) | steps, st.sampled_from(["active", "opponent", "players", "nobody", "others"]),
        st.sampled_from(["may", "may not", "may only"]), plays, st.none() | expressions, conditions,
    ),
    st.builds(s.Happening, st.sampled_from(["start", "end"]), steps | everywhere, stages, conditions),
    st.builds(s.Happening, st.just("at"), names.map(lambda name: (name,)), stages, conditions),
    st.builds(s.Needs, names, expressions, conditions),
    st.builds(s.Decides, names, names, names, expressions, conditions),
    st.builds(s.PassedOver, expressions),
    st.builds(s.Whenever, playrefs, stages, conditions),
    st.builds(s.Skip, steps, st.sampled_from(["must", "may", "never"]), conditions),
    st.builds(s.Skip, everywhere, st.just("never"), conditions),
    st.builds(s.AtOnce, steps, conditions),
    st.builds(s.Obligation, steps, expressions),
    st.builds(s.Cost, names, st.lists(cost_items, min_size=1, max_size=2).map(tuple)),
    st.builds(s.Limit, st.integers(0, 99), plays, periods, st.booleans()),
    st.builds(s.Next, names, names, st.booleans(), conditions),
    st.builds(s.TurnPasses, st.sampled_from(["next", "any", "same"]), conditions),
    st.builds(s.Keeps, st.lists(paths, min_size=1, max_size=2).map(tuple)),
    st.builds(s.Priority, steps),
    st.builds(s.Loses, expressions, st.booleans()),
    st.builds(s.Window, st.just(()) | steps, st.lists(names, min_size=1, max_size=2).map(tuple)),
)  # fmt: skip
options = st.builds(s.Option, names, st.booleans(), st.lists(bodies, max_size=2).map(tuple))
step_decls = st.recursive(
    st.builds(s.StepDecl, names, titles, st.one_of(st.just(""), names)),
    lambda inner: st.builds(s.StepDecl, names, titles, st.just(""), st.lists(inner, min_size=1, max_size=2).map(tuple)),
    max_leaves=3,
)
items: st.SearchStrategy[s.PlayItem] = st.one_of(
    st.builds(s.PieceParam, prepositions, names, st.sampled_from(["own", "opposing", "any", "new"]), names),
    st.builds(s.Amounts, st.lists(names, min_size=1, max_size=2).map(tuple), types),
    st.just(s.Stacked()),
    st.builds(s.ComesFrom, st.lists(names, min_size=1, max_size=2).map(tuple)),
    st.builds(s.Does, st.lists(effects, min_size=1, max_size=2).map(tuple)),
    st.builds(s.Cells, st.lists(names, min_size=1, max_size=2).map(tuple)),
    st.builds(s.Throw, expressions, st.integers(2, 20)),
)  # fmt: skip
decls = st.lists(
    st.builds(s.Decl, st.lists(names, min_size=1, max_size=2).map(tuple), types, initials), min_size=1, max_size=2
).map(tuple)
settings: st.SearchStrategy[s.Setting] = st.one_of(
    st.builds(s.RoundOf, st.integers(1, 9)),
    st.builds(s.Extends, names),
    st.builds(s.Players, st.integers(0, 9)),
    st.builds(s.Language, names),
    st.just(s.ParticularFirst()),
)
simple_stages = st.builds(s.Stage, names, titles)
procedure_items = st.lists(
    simple_stages
    | st.builds(
        s.Ranks, names, names, st.sampled_from(["highest", "lowest"]), st.lists(simple_stages, max_size=2).map(tuple)
    ),
    max_size=3,
).map(tuple)
statements: st.SearchStrategy[s.Statement] = st.one_of(
    st.builds(s.Game, names, titles, st.lists(settings, max_size=2).map(tuple)),
    st.builds(s.StateBlock, st.sampled_from(["player", "game"]), decls),
    st.builds(s.PieceBlock, st.integers(1, 9), names, decls, st.booleans()),
    st.builds(s.Board, st.integers(1, 9), st.integers(1, 9)),
    st.builds(s.ProcedureDecl, names, titles, st.sampled_from(["start", "end"]), names, procedure_items),
    st.builds(s.DecideDecl, names, names, types, initials),
    st.builds(s.Structure, st.none() | ids, st.none() | names, st.lists(step_decls, min_size=1, max_size=2).map(tuple)),
    st.builds(s.PlayDecl, st.none() | ids, sorts, names, st.none() | names, titles,
              st.lists(items, max_size=2).map(tuple)),
    st.builds(s.Define, st.none() | ids, names, st.none(), st.none(), expressions),
    st.builds(s.Define, st.none() | ids, names, names, names, expressions),
    st.builds(s.Rule, ids, st.just(()) | some_ids, st.lists(bodies, min_size=1, max_size=2).map(tuple)),
    st.builds(s.ReadAs, ids, st.just(()) | some_ids, st.lists(options, min_size=1, max_size=2).map(tuple)),
    st.builds(s.Question, st.sampled_from(["open", "reading"]), ids, texts,
              st.lists(options, min_size=1, max_size=2).map(tuple)),
    st.builds(s.Note, ids, st.none() | texts),
    st.builds(s.Restates, ids, some_ids),
    st.builds(s.Overrides, ids, some_ids),
    st.builds(s.Removes, some_ids),
)  # fmt: skip
rulebooks = st.builds(s.RulebookTree, st.lists(statements, min_size=1, max_size=4).map(tuple))

claim_bodies: st.SearchStrategy[s.ClaimBody] = st.one_of(
    st.builds(s.NeverPlay, plays, st.just(()) | steps, conditions),
    st.builds(s.Always, expressions, st.booleans()),
    st.builds(s.AtMost, st.integers(0, 99), plays, periods, st.booleans()),
    st.builds(s.After, names, st.none(), expressions),
    st.builds(s.After, st.none(), ids, expressions),
    st.builds(s.InOrder, st.booleans()),
    st.builds(s.InEvery, playrefs, st.lists(bindings, max_size=2).map(tuple), expressions, conditions, st.booleans()),
    st.builds(
        s.InTwo, names, st.lists(bindings, min_size=1, max_size=2).map(tuple),
        st.lists(paths, min_size=1, max_size=2).map(tuple), expressions, conditions,
    ),
)  # fmt: skip
reasons = st.lists(ids | st.sampled_from(["silence", "clash"]), max_size=2).map(tuple)
claims = st.builds(
    s.Claim, ids, texts, claim_bodies, st.builds(s.Expect, names, reasons),
    st.lists(st.builds(s.Under, ids | st.sampled_from(["silence", "clash"]), names), max_size=2).map(tuple),
)  # fmt: skip
pages = st.builds(s.Claims, names, st.lists(claims, max_size=3).map(tuple))
