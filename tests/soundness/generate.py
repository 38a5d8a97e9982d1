"""Random transition systems and random rulebooks, small enough to be searched exhaustively."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from turnproof.diagnostics import Invalid
from turnproof.language import syntax as s
from turnproof.rulebook.check import check
from turnproof.rulebook.model import Rulebook
from turnproof.solve.property import Property
from turnproof.system import expr as x
from turnproof.system.build import build
from turnproof.system.interpret import Cells, State, World
from turnproof.system.system import Block, Command, Moment, Play, Selector, System, Update, Variable
from turnproof.verdict.claims import ClaimReader

# -- systems -----------------------------------------------------------------------------------------------------

RANKS = x.Enum(("low", "mid", "top"))
PAINTS = x.Enum(("red", "top", "blue"))
PLAYERS = x.Enum(("p1", "p2"))
TAGS = ("R1", "R2", "R3")
SELECTORS = (
    Selector("S1", ("a", "b"), "a", "first?"),
    Selector("S2", ("a", "c", "d"), "c", "second?"),
    Selector("S3", ("yes", "no"), None, "third?"),
    Selector("clash", ("ban_wins", "grant_wins"), "ban_wins", "which wins?"),
)


@dataclass(slots=True)
class Vocabulary:
    """What random expressions may speak of."""

    bools: list[str] = field(default_factory=list)
    ints: list[str] = field(default_factory=list)
    enums: dict[str, x.Enum] = field(default_factory=dict)
    arrays: list[str] = field(default_factory=list)
    selectors: tuple[Selector, ...] = ()
    tags: tuple[str, ...] = ()
    params: tuple[tuple[str, x.Sort], ...] = ()


def truth(rng: Random, of: Vocabulary, depth: int = 2) -> x.Expr:
    """A random condition."""
    kinds = ["var", "number", "enum"] if depth else ["var", "var", "number", "enum"]
    kinds += ["not", "and", "or", "if", "same"] if depth else []
    kinds += ["tag"] if of.tags else []
    kinds += ["chosen"] if of.selectors else []
    match rng.choice(kinds):
        case "number":
            left, right = number(rng, of, depth - 1), number(rng, of, 0)
            forms: list[x.Expr] = [x.le(left, right), x.eq(left, right), x.lt(left, right), x.Le(right, left)]
            return rng.choice(forms)
        case "enum":
            return enum_test(rng, of)
        case "tag":
            return x.Tag(rng.choice(of.tags))
        case "chosen":
            selector = rng.choice(of.selectors)
            return x.Chosen(selector.name, rng.choice(selector.options))
        case "not":
            return x.negate(truth(rng, of, depth - 1))
        case "and":
            return x.both(*(truth(rng, of, depth - 1) for _ in range(rng.randint(2, 3))))
        case "or":
            return x.either(*(truth(rng, of, depth - 1) for _ in range(rng.randint(2, 3))))
        case "if":
            cond, then, other = (truth(rng, of, depth - 1) for _ in range(3))
            return x.ite(cond, then, other) if rng.random() < 0.5 else x.If(cond, then, other)
        case "same":
            one, two = truth(rng, of, 0), truth(rng, of, 0)
            return x.eq(one, two) if rng.random() < 0.5 else x.Eq(one, two)
        case _:
            flags: list[x.Expr] = [x.Var(name) for name in of.bools]
            flags += [x.Param(name) for name, sort in of.params if isinstance(sort, x.Bool)]
            return rng.choice(flags or [x.TRUE])


def number(rng: Random, of: Vocabulary, depth: int = 1) -> x.Expr:
    """A random amount."""
    kinds = ["const", "var", "var"] + (["sum", "scale", "if", "bound"] if depth > 0 else [])
    match rng.choice(kinds):
        case "sum":
            one, two = number(rng, of, depth - 1), number(rng, of, depth - 1)
            return x.add(one, two) if rng.random() < 0.6 else x.minus(one, two)
        case "scale":
            return x.scale(rng.choice([-1, 2]), number(rng, of, depth - 1))
        case "if":
            return x.ite(truth(rng, of, 0), number(rng, of, depth - 1), number(rng, of, depth - 1))
        case "bound":
            one, two = number(rng, of, 0), number(rng, of, depth - 1)
            return x.smaller(one, two) if rng.random() < 0.5 else x.larger(one, two)
        case "var":
            amounts: list[x.Expr] = [x.Var(name) for name in of.ints]
            amounts += [x.Param(name) for name, sort in of.params if isinstance(sort, x.Int)]
            return rng.choice(amounts or [x.const(1)])
        case _:
            return x.const(rng.randint(-1, 3))


def enum_test(rng: Random, of: Vocabulary) -> x.Expr:
    """A comparison of enumeration values."""
    if of.arrays and rng.random() < 0.3:
        top = x.minus(x.Var("stack"), x.const(1))
        there = x.le(x.const(1), x.Var("stack"))
        return x.both(there, x.eq(x.At(rng.choice(of.arrays), top), x.const(rng.choice(PAINTS.values))))
    name = rng.choice(sorted(of.enums))
    sort = of.enums[name]
    return x.eq(x.Var(name), enum_value(rng, of, sort))


def enum_value(rng: Random, of: Vocabulary, sort: x.Enum) -> x.Expr:
    """A value of an enumeration: written down, or that of a variable or parameter."""
    same: list[x.Expr] = [x.Var(name) for name, other in of.enums.items() if other == sort]
    same += [x.Param(name) for name, other in of.params if other == sort]
    return rng.choice([*same, *(x.const(value) for value in sort.values)])


def within(rng: Random, of: Vocabulary, name: str, low: int, high: int) -> x.Expr:
    """A new value for a number that keeps it in its range."""
    match rng.choice(["set", "up", "down", "any"]):
        case "set":
            return x.const(rng.randint(low, high))
        case "up":
            return x.smaller(x.add(x.Var(name), x.const(1)), x.const(high))
        case "down":
            return x.larger(x.minus(x.Var(name), x.const(1)), x.const(low))
        case _:
            return x.larger(x.const(low), x.smaller(x.const(high), number(rng, of, 1)))


def system(rng: Random) -> System:
    """A small system with steps, turns, removable rules and readings, and happenings of one to three blocks."""
    steps = x.Enum(("setup", *("a", "b", "c")[: rng.randint(1, 3)]))
    found = [
        Variable("step", steps, "setup", "step"),
        Variable("active", PLAYERS, "p1", "active"),
        Variable("turn", x.Int(0), 0, "turn"),
    ]
    of = Vocabulary(tags=TAGS[: rng.randint(0, 3)], selectors=tuple(rng.sample(SELECTORS, rng.randint(0, 3))))
    for at in range(rng.randint(1, 3)):
        of.bools.append(rng.choice(["", "game."]) + f"b{at}")
        found.append(Variable(of.bools[-1], x.Bool(), rng.choice([None, False, True]), "flag"))
    for at in range(rng.randint(1, 2)):
        of.ints.append(rng.choice(["", "p1."]) + f"n{at}")
        found.append(Variable(of.ints[-1], x.Int(0, rng.choice([2, 3])), rng.choice([None, 0, 1]), "number"))
    for name, sort in (("rank", RANKS), ("paint", PAINTS))[: rng.randint(0, 2)]:
        of.enums[name] = sort
        found.append(Variable(name, sort, rng.choice([None, *sort.values]), name))
    of.enums |= {"step": steps, "active": PLAYERS}
    if rng.random() < 0.3:
        of.arrays.append("pile")
        of.ints.append("stack")
        found += [Variable("stack", x.Int(0), 0, "stack"), Variable("pile", x.Array(PAINTS), None, "pile")]
    commands = [_begin(rng, of), *(_command(rng, of, found, at) for at in range(rng.randint(2, 5)))]
    return System("random", tuple(found), of.selectors, of.tags, tuple(commands))


def _begin(rng: Random, of: Vocabulary) -> Command:
    steps = of.enums["step"].values
    first = Update("step", x.const(steps[1]))
    guard = x.both(x.eq(x.Var("step"), x.const("setup")), truth(rng, of, 1) if rng.random() < 0.2 else x.TRUE)
    return Command("begin", Play("begin", "setup"), (), (Block(guard, (first, Update("turn", x.const(1)))),))


def _command(rng: Random, of: Vocabulary, found: list[Variable], at: int) -> Command:
    some: list[tuple[str, x.Sort]] = [
        ("n", x.Int(0, rng.randint(1, 2))),
        ("f", x.Bool()),
        ("paint?", PAINTS),
        ("who", PLAYERS),
    ]
    params = tuple(rng.sample(some, rng.choice([0, 0, 1, 1, 2])))
    inner = Vocabulary(of.bools, of.ints, of.enums, of.arrays, of.selectors, of.tags, params)
    steps = of.enums["step"].values
    here = x.eq(x.Var("step"), x.const(rng.choice(steps[1:])))
    blocks = []
    for number_ in range(rng.randint(1, 3)):
        guard = x.both(here, truth(rng, inner, 2)) if number_ == 0 else truth(rng, inner, 1)
        if number_ and rng.random() < 0.6:
            guard = x.TRUE
        updates = [_update(rng, inner, v) for v in rng.sample(found, rng.randint(1, 3)) if v.name != "pile"]
        updates += _pile(rng, inner) if of.arrays and rng.random() < 0.5 else []
        kept = {update.variable: update for update in updates}
        reached = ((Moment("after_rule", rng.choice("MN")), truth(rng, inner, 1)),) if rng.random() < 0.4 else ()
        blocks.append(Block(guard, tuple(kept.values()), reached))
    return Command(f"c{at}", Play("play", f"c{at}", rng.choice(PLAYERS.values)), params, tuple(blocks))


def _update(rng: Random, of: Vocabulary, variable: Variable) -> Update:
    """A change of a variable that keeps it in its range; often part of a removable rule."""
    value: x.Expr
    match variable.sort:
        case x.Bool():
            value = truth(rng, of, 1)
            if isinstance(value, x.And) and any(isinstance(item, x.Param) for item in x.walk([value])):
                value = x.negate(value)  # see test_verdicts.test_a_flag_that_keeps_to_an_amount
        case x.Int(low, high) if high is not None and low is not None:
            value = within(rng, of, variable.name, low, high)
        case x.Enum(values):
            value = enum_value(rng, of, variable.sort)
            if variable.name == "step":
                value = x.const(rng.choice(values[1:]))
        case _:
            up = x.add(x.Var(variable.name), x.const(1)) if variable.name == "turn" else x.Var(variable.name)
            value = up
    if of.tags and rng.random() < 0.4:
        value = x.ite(x.Tag(rng.choice(of.tags)), value, x.Var(variable.name))
    return Update(variable.name, value)


def _pile(rng: Random, of: Vocabulary) -> list[Update]:
    """Something is put on the pile, unless it is high enough, or taken from it."""
    stack, low = x.Var("stack"), x.le(x.Var("stack"), x.const(1))
    if rng.random() < 0.5:
        return [Update("stack", x.larger(x.const(0), x.minus(stack, x.const(1))))]
    at = x.ite(low, stack, x.const(1))
    put = Update("pile", x.Put("pile", at, enum_value(rng, of, PAINTS)))
    return [put, Update("stack", x.ite(low, x.add(stack, x.const(1)), stack))]


def vocabulary(of: System) -> Vocabulary:
    """What can be said about a system."""
    found = Vocabulary(selectors=of.selectors, tags=of.tags)
    for variable in of.variables:
        match variable.sort:
            case x.Bool():
                found.bools.append(variable.name)
            case x.Int():
                found.ints.append(variable.name)
            case x.Enum() as sort:
                found.enums[variable.name] = sort
            case _:
                pass
    return found


def prop(rng: Random, of: System) -> Property:
    """A random property of one form: about states, about happenings, or about moments."""
    said = vocabulary(of)
    said.selectors, said.tags = (), ()
    said.ints = [name for name in said.ints if name != "turn"]
    commands = rng.sample(of.commands, rng.randint(1, min(2, len(of.commands))))
    match rng.choice(["state", "state", "command", "moment", "block"]):
        case "state":
            began = x.negate(x.eq(x.Var("step"), x.const("setup")))
            return Property(bad_state=x.both(began, *(truth(rng, said, 1) for _ in range(rng.randint(1, 3)))))
        case "command":
            return Property(bad_commands={c.name: _about(rng, said, c) for c in commands})
        case "moment":
            return Property(moments=((Moment("after_rule", rng.choice("MN")), truth(rng, said, 2)),))
        case _:
            blocks = tuple((c.name, rng.randrange(len(c.blocks)), _about(rng, said, c)) for c in commands)
            return Property(bad_blocks=blocks)


def _about(rng: Random, said: Vocabulary, command: Command) -> x.Expr:
    inner = Vocabulary(said.bools, said.ints, said.enums, said.arrays, params=command.params)
    return x.both(*(truth(rng, inner, 1) for _ in range(rng.randint(1, 3))))


# -- states, worlds, parameters ----------------------------------------------------------------------------------


def value(rng: Random, sort: x.Sort, near: tuple[int, int] = (-1, 3)) -> x.Value | Cells:
    """A random value of a sort; numbers may lie a little outside of their range."""
    match sort:
        case x.Bool():
            return rng.random() < 0.5
        case x.Int(low, high):
            bottom = near[0] if low is None else low - (rng.random() < 0.1)
            return rng.randint(bottom, bottom + 3 if high is None else high + (rng.random() < 0.1))
        case x.Enum(values):
            return rng.choice(values)
        case x.Array(element):
            return {at: rng.choice(element.values) for at in range(rng.randint(0, 3))}


def plain(rng: Random, sort: x.Sort) -> x.Value:
    """A random value of a sort that is not an array."""
    got = value(rng, sort)
    assert isinstance(got, bool | int | str)
    return got


def state(rng: Random, of: System) -> State:
    """A random state, most often one that no game reaches."""
    return {variable.name: value(rng, variable.sort) for variable in of.variables}


def world(rng: Random, of: System, removing: float = 0.3) -> World:
    """A random choice of all readings, with some rules removed."""
    choices = {selector.name: rng.choice(selector.options) for selector in of.selectors}
    return World(choices, frozenset(tag for tag in of.tags if rng.random() < removing))


# -- rulebooks ---------------------------------------------------------------------------------------------------


def name(text: str, of: str | None = None) -> s.Name:
    """A word or, with `of`, a part of something."""
    return s.Name(text, s.Name(of) if of else None)


def compare(op: str, left: s.Exp, right: int | str) -> s.Compare:
    """A comparison with a number or a word."""
    return s.Compare(op, left, s.Num(right) if isinstance(right, int) else s.Name(right))


@dataclass(slots=True)
class Pages:
    """A random rulebook in the making: what its rules can speak of."""

    rng: Random
    players: int
    phases: list[str] = field(default_factory=list)
    leaves: list[str] = field(default_factory=list)
    plays: list[s.PlayDecl] = field(default_factory=list)
    kind: bool = False
    questions: list[s.Question] = field(default_factory=list)
    rules: list[s.Statement] = field(default_factory=list)

    def some(self, *weights: float) -> int:
        """A small number: 0, 1, … with these weights."""
        return self.rng.choices(range(len(weights)), weights)[0]

    def steps(self, most: int = 2) -> tuple[str, ...]:
        """One or two phases or steps."""
        known = list(dict.fromkeys([*self.leaves, *self.leaves, *self.phases]))
        return tuple(dict.fromkeys(self.rng.choice(known) for _ in range(self.rng.randint(1, most))))

    # conditions

    def cond(self, words: tuple[str, ...] = (), depth: int = 1) -> s.Exp:
        """A condition; `words` are names of players, pieces (`c`) and amounts (`n`) that it may use."""
        rng = self.rng
        if depth and rng.random() < 0.35:
            items = tuple(self.cond(words, depth - 1) for _ in range(2))
            forms: list[s.Exp] = [s.Junction("and", items), s.Junction("or", items), s.NotE(items[0])]
            return rng.choice(forms)
        return rng.choice(list(self.atoms(words)))

    def atoms(self, words: tuple[str, ...]) -> Iterator[s.Exp]:
        """The simple conditions that can be said."""
        rng = self.rng
        op = rng.choice(["=", "!=", "<", ">="])
        who = rng.choice(["active", *(w for w in words if w == "player")])
        yield name("flag")
        yield compare(op, name("tokens"), rng.randint(0, 2))
        yield compare(op, name("coins", who), rng.randint(0, 2))
        yield name("ready", who)
        yield compare("=", name("mood"), rng.choice(["calm", "angry", "wild"]))
        if rng.random() < 0.3:
            yield compare("=", rng.choice([name("turn"), name("turns", who)]), 1)
        if self.plays:
            play = rng.choice(self.plays)
            period = rng.choice(["turn", "phase", "step", "game"])
            by = s.Name(who) if rng.random() < 0.4 else None
            yield compare(rng.choice([">", "="]), s.CountPlays(s.PlayRef(play.name), by, period), 0)
            if play.sort == "trigger":
                yield compare(">", s.CountPlays(s.PlayRef(play.name), by, "waiting"), 0)
        if self.kind:
            yield from self.about_units(words)
        if self.questions:
            question = rng.choice(self.questions)
            yield s.Settled(question.id, rng.choice(question.options).name)
        if "n" in words:
            yield compare(op, name("n"), rng.randint(0, 1))
        if rng.random() < 0.3:
            yield s.Since(rng.choice([name("flag"), name("ready", "active")]))

    def about_units(self, words: tuple[str, ...]) -> Iterator[s.Exp]:
        rng = self.rng
        owner = s.Name("active") if rng.random() < 0.5 else None
        part = name(rng.choice(["tired", "in_play"]), "u")
        yield s.Quantified(rng.choice(["some", "every", "no"]), s.Binding("unit", "u", owner), part)
        yield compare(">", s.CountPieces(s.Binding("unit", "u", owner), part), 0)
        if "c" in words:
            yield name("tired", "c")
            yield s.Since(name("in_play", "c"))
            yield s.Since(name("tired", "c"))

    # effects

    def effects(self, words: tuple[str, ...] = (), most: int = 2) -> tuple[s.Effect, ...]:
        """Some effects that keep every quantity bounded."""
        return tuple(e for _ in range(self.rng.randint(1, most)) for e in self.effect(words))

    def effect(self, words: tuple[str, ...]) -> tuple[s.Effect, ...]:
        rng = self.rng
        who = rng.choice(["active", *(w for w in words if w == "player")])
        where = rng.choice([name("tokens"), name("coins", who), name("coins", who)])
        kinds = ["flag", "ready", "mood", "up", "down", "set", "move"]
        kinds += ["units", "each"] if self.kind else []
        kinds += ["tire", "leave"] if "c" in words else []
        match rng.choice(kinds):
            case "flag":
                return (
                    s.Change(name("flag"), "becomes", rng.choice([s.Truth(True), s.Truth(False), self.cond(words, 0)])),
                )
            case "ready":
                return (s.Change(name("ready", who), "becomes", s.Truth(rng.random() < 0.5)),)
            case "mood":
                return (s.Change(name("mood"), "becomes", s.Name(rng.choice(["calm", "angry", "wild"]))),)
            case "up":
                amount: s.Exp = name("n") if "n" in words and rng.random() < 0.5 else s.Num(1)
                return (s.Change(where, "+=", amount), s.Bound("lower", where, s.Num(2)))
            case "down":
                return (s.Change(where, "-=", s.Num(1)), s.Bound("raise", where, s.Num(0)))
            case "set":
                return (s.Change(where, "becomes", s.Num(rng.randint(0, 2))),)
            case "move":
                other = name("coins", "opponent") if self.players == 2 else name("tokens")
                one, two = rng.sample([name("coins", "active"), other], 2)
                moved: s.Exp = s.Num(1) if rng.random() < 0.5 else one
                return (s.Move(moved, one, two),)
            case "units":
                path = rng.choice([s.Name("units"), name("units", "active")])
                return (s.Become(path, rng.random() < 0.5, "tired"),)
            case "each":
                tire = s.Change(name("tired", "u"), "becomes", s.Truth(rng.random() < 0.5))
                inner: s.Effect = tire if rng.random() < 0.5 else s.Leave("u")
                where_ = self.cond(words, 0) if rng.random() < 0.4 else None
                owner = s.Name("active") if rng.random() < 0.5 else None
                return (s.ForEach(s.Binding("unit", "u", owner), where_, inner),)
            case "tire":
                return (s.Change(name("tired", "c"), "becomes", s.Truth(rng.random() < 0.7)),)
            case _:
                return (s.Leave("c"),)

    # plays

    def play(self, number: int) -> s.PlayDecl:
        """A play: with a piece, an amount, on a stack, or none of these."""
        rng = self.rng
        items: list[s.PlayItem] = []
        words: tuple[str, ...] = ("player",)
        trigger = rng.random() < 0.12
        if self.kind and not trigger and rng.random() < 0.5:
            whose = rng.choice(["own", "own", "any", "new", *(["opposing"] if self.players > 1 else [])])
            items.append(s.PieceParam("with", "c", whose, "unit"))
            words += ("c",) if whose != "new" else ()
        stacked = rng.random() < 0.2 and not any(isinstance(item, s.PieceParam) for item in items)
        if not stacked and not trigger and rng.random() < 0.3:
            items.append(s.Amounts(("n",), s.IntT(0, rng.randint(1, 2))))
            words += ("n",)
        if stacked:
            items.append(s.Stacked())
        if rng.random() < 0.7:
            items.append(s.Does(self.effects(words)))
        parent = rng.choice([p.name for p in self.plays if p.name == "deed"] or [None])
        return s.PlayDecl(None, "trigger" if trigger else "play", f"play{number}", parent, s.Titles(), tuple(items))

    def words(self, play: s.PlayDecl) -> tuple[str, ...]:
        """The words that rules about a play may use."""
        found = ["player"]
        found += ["n" for item in play.items if isinstance(item, s.Amounts)]
        found += ["c" for item in play.items if isinstance(item, s.PieceParam) and item.whose != "new"]
        return tuple(found)

    def ref(self, play: s.PlayDecl) -> s.PlayRef:
        pieced = any(isinstance(item, s.PieceParam) for item in play.items)
        return s.PlayRef(play.name, None, (("with", "c"),) if pieced and self.rng.random() < 0.7 else ())

    # rules

    def body(self) -> s.Body:
        """One thing that a rule says."""
        rng = self.rng
        kinds = ["permission"] * 5 + ["happening"] * 3 + ["whenever", "skip", "once", "owed", "cost", "limit"]
        kinds += ["limit", "next", "passes", "loses", "priority"]
        play = rng.choice(self.plays)
        base = ("active",)
        match rng.choice(kinds):
            case "permission":
                return self.permission(play)
            case "happening":
                steps = ("every phase",) if rng.random() < 0.1 else self.steps()
                stages = tuple(self.effects(base) for _ in range(1 + self.some(0.7, 0.3)))
                return s.Happening(rng.choice(["start", "end"]), steps, stages, self.maybe(base))
            case "whenever":
                ref, words = self.ref(play), self.words(play)
                stages = tuple(self.effects(words) for _ in range(1 + self.some(0.7, 0.3)))
                return s.Whenever(ref, stages, self.maybe(words))
            case "skip":
                return s.Skip(self.steps(1), rng.choice(["must", "may", "never"]), self.maybe(base, 0.8))
            case "once":
                return s.AtOnce(self.steps(1), self.maybe(base, 0.8))
            case "owed":
                return s.Obligation(self.steps(1), self.cond(base))
            case "cost":
                amount: s.Exp = name("n") if "n" in self.words(play) and rng.random() < 0.5 else s.Num(1)
                return s.Cost(play.name, (s.CostItem(amount, "coins"),))
            case "limit":
                ref, each = self.ref(play), rng.random() < 0.3
                period = rng.choice(["turn", "phase", "step"])
                return s.Limit(rng.randint(1, 2), (ref,), period, each and not ref.pieces)
            case "next":
                step, to = rng.choice(self.leaves), rng.choice(self.leaves)
                return s.Next(step, to, rng.random() < 0.4, self.maybe(base, 0.8))
            case "passes":
                return s.TurnPasses(rng.choice(["next", "same", "any"]), self.maybe(base))
            case "loses":
                return s.Loses(
                    compare("=", name("coins", "player"), 0) if rng.random() < 0.5 else name("ready", "player")
                )
            case _:
                return s.Priority(self.steps(1))

    def permission(self, play: s.PlayDecl, mode: str | None = None) -> s.Permission:
        rng = self.rng
        words = self.words(play)
        who = rng.choice(["active", "players", "players", "others", "nobody"])
        who = "opponent" if who == "others" and self.players == 2 and rng.random() < 0.5 else who
        mode = mode or rng.choice(["may", "may", "may", "may not", "may only"])
        only_if = self.cond(words, 0) if mode == "may" and who != "nobody" and rng.random() < 0.2 else None
        steps = self.steps() if rng.random() < 0.7 else ()
        return s.Permission(steps, who, mode, (self.ref(play),), only_if, self.maybe(words, 0.35))

    def maybe(self, words: tuple[str, ...], chance: float = 0.4) -> s.Exp | None:
        return self.cond(words) if self.rng.random() < chance else None

    def rule(self, number: int) -> s.Statement:
        """A rule with one or two bodies, with two readings, or an open question with bodies."""
        rng = self.rng
        earlier = [r.id for r in self.rules if isinstance(r, s.Rule | s.ReadAs)]
        despite = (rng.choice(earlier),) if earlier and rng.random() < 0.25 else ()
        kind = rng.random()
        if kind < 0.12:
            options = (s.Option("this", True, (self.body(),)), s.Option("that", False, (self.body(),)))
            return s.ReadAs(f"R{number}", despite, options)
        if kind < 0.22:
            options = (s.Option("one", False, ()), s.Option("other", False, (self.body(),)))
            return s.Question("open", f"R{number}", "what then?", options)
        bodies = tuple(self.body() for _ in range(1 + self.some(0.8, 0.2)))
        return s.Rule(f"R{number}", despite, bodies)


def tree(rng: Random) -> s.RulebookTree:
    """A random rulebook as a syntax tree; it need not pass the checker."""
    pages = Pages(rng, rng.choice([1, 2, 2, 2, 3]))
    settings: list[s.Setting] = [s.Players(pages.players)]
    if rng.random() < 0.2:
        settings.append(s.ParticularFirst())
    statements: list[s.Statement] = [s.Game("random", s.Titles(), tuple(settings))]
    statements += _state(pages)
    statements.append(_turn(pages))
    if rng.random() < 0.3:
        deed = s.PlayDecl(None, "play", "deed", None, s.Titles())
        statements.append(deed)
        pages.plays.append(deed)
    for at in range(rng.randint(1, 3)):
        pages.plays.append(pages.play(at))
        statements.append(pages.plays[-1])
    for at in range(pages.some(0.5, 0.4, 0.1)):
        options = (s.Option("yes", True, ()), s.Option("no", False, ()))
        pages.questions.append(s.Question("reading", f"Q{at}", "which?", options))
    for play in pages.plays:
        if rng.random() < 0.8:
            pages.rules.append(s.Rule(f"M-{play.name}", (), (pages.permission(play, "may"),)))
    for at in range(rng.randint(1, 6)):
        pages.rules.append(pages.rule(at))
    if rng.random() < 0.2 and len(pages.rules) > 2:
        one, two = (r.id for r in rng.sample(pages.rules, 2) if isinstance(r, s.Rule | s.ReadAs | s.Question))
        pages.rules.append(s.Overrides(one, (two,)))
    return s.RulebookTree((*statements, *pages.questions, *pages.rules, keeps(pages.kind)))


def _state(pages: Pages) -> Iterator[s.Statement]:
    rng = pages.rng
    small = s.IntT(0, 2)
    yield s.StateBlock(
        "game",
        (
            s.Decl(("flag",), s.BoolT(), rng.choice([None, s.Truth(False)])),
            s.Decl(("tokens",), small, rng.choice([None, s.Num(0), s.Num(1)])),
            s.Decl(
                ("mood",), s.EnumT(("wild", "angry", "calm"), rng.random() < 0.5), rng.choice([None, s.Name("calm")])
            ),
        ),
    )
    free = pages.players < 3
    coins = rng.choice([None, s.Num(1), s.Num(2)]) if free else s.Num(rng.randint(0, 2))
    ready = rng.choice([None, s.Truth(False)]) if free else s.Truth(False)
    yield s.StateBlock("player", (s.Decl(("coins",), small, coins), s.Decl(("ready",), s.BoolT(), ready)))
    if rng.random() < 0.5:
        pages.kind = True
        scope = 1 if pages.players > 1 else rng.randint(1, 2)
        yield s.PieceBlock(scope, "units", (s.Decl(("tired",), s.BoolT(), rng.choice([None, s.Truth(False)])),))


def _turn(pages: Pages) -> s.Structure:
    """Two or three phases, one of them perhaps with two steps."""
    phases = ["dawn", "noon", "dusk"][: pages.rng.randint(2, 3)]
    split = pages.rng.choice([None, *phases])
    decls = []
    for phase in phases:
        inside = tuple(s.StepDecl(f"{phase}_{part}", s.Titles()) for part in "ab") if phase == split else ()
        decls.append(s.StepDecl(phase, s.Titles(), "", inside))
        pages.leaves += [step.name for step in inside] or [phase]
        pages.phases.append(phase)
    return s.Structure(None, None, tuple(decls))


def keeps(kind: bool) -> s.Rule:
    """All quantities are declared to be kept, so that rules may change them or not."""
    paths = [s.Name(word) for word in ("flag", "tokens", "mood", "coins", "ready")]
    paths += [name("tired", "units")] if kind else []
    return s.Rule("K", (), (s.Keeps(tuple(paths)),))


def book(rng: Random) -> Rulebook:
    """A random rulebook that the checker accepts."""
    problems: list[str] = []
    for _ in range(500):
        try:
            found = check(tree(rng))
            if not circular(found.overrides):
                return found
        except Invalid as invalid:
            problems += [f"{d.code} {d.message}" for d in invalid.diagnostics]
    raise AssertionError(f"no random rulebook passes the checker any more: {problems[-5:]}")


def circular(overrides: frozenset[tuple[str, str]]) -> bool:
    """Whether a rule overrides itself by way of others; see test_meanings.test_overrides_against_the_particular."""
    left = set(overrides)
    while ends := {pair for pair in left if pair[1] not in {above for above, _ in left}}:
        left -= ends
    return bool(left)


def claim(rng: Random, of: Rulebook) -> s.ClaimBody:
    """A random claim of any form."""
    decls = [play.decl for play in of.plays.values() if play.decl.sort != "effect"]
    pages = Pages(rng, len(of.players), list(of.phases), [leaf.name for leaf in of.leaves], decls, bool(of.kinds))
    play = rng.choice(decls)
    happens = [c.rule for c in of.of(s.Happening, s.Whenever)]
    match rng.choice(["never", "never", "always", "not", "most", "after", "after", "rule", "order"]):
        case "never":
            steps = pages.steps(1) if rng.random() < 0.7 else ()
            return s.NeverPlay((pages.ref(play),), steps, pages.maybe(pages.words(play), 0.6))
        case "always":
            return s.Always(s.Junction("or", (pages.cond(), pages.cond())))
        case "not":
            return s.Always(s.Junction("and", tuple(pages.cond() for _ in range(rng.randint(2, 3)))), never=True)
        case "most":
            period = rng.choice(["turn", "phase", "step", "game"])
            return s.AtMost(rng.randint(1, 2), (s.PlayRef(play.name),), period, rng.random() < 0.3)
        case "after":
            return s.After(pages.steps(1)[0], None, pages.cond())
        case "rule" if happens:
            return s.After(None, rng.choice(happens), pages.cond())
        case _:
            return s.InOrder(rng.random() < 0.5)


def game(rng: Random, count: int = 3) -> tuple[Rulebook, System, list[tuple[s.ClaimBody, Property]]]:
    """A random rulebook with its system and some claims with their properties."""
    for _ in range(500):
        found = book(rng)
        claims = [claim(rng, found) for _ in range(count)]
        reader = ClaimReader(found, "claims.md")
        page = s.Claims("random", tuple(s.Claim(f"C{at}", "", body) for at, body in enumerate(claims)))
        try:
            reader.check(page)
        except Invalid:
            continue
        for body in claims:
            reader.goal(body, build(found, reader.history))
        built = build(found, reader.history)
        goals = [(body, reader.goal(body, built)) for body in claims]
        return found, built, [(body, of) for body, of in goals if isinstance(of, Property)]
    raise AssertionError("no random claims pass the checker any more")
