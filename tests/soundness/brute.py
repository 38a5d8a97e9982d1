"""Brute force: all states of a small system, one after the other, and whether a property goes wrong in any.

Meanings come from the interpreter alone. For speed the expressions are also written out as Python functions; every
violation that these find is done again in the interpreter (`confirmed`), and a test holds both against each other.

What has no influence on the property is left out of the states: variables that no guard, no other kept variable and no
part of the property reads. A counter that only grows or starts anew, and that is only compared with constants, stays at
the largest of these plus one: beyond it, no comparison can tell values apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeAlias

from turnproof.solve.property import Property
from turnproof.system import expr as x
from turnproof.system.interpret import State, World, evaluate, perform
from turnproof.system.system import Command, System

Row: TypeAlias = "tuple[Any, ...]"
Maker: TypeAlias = "tuple[int, tuple[str, ...], list[Row], Callable[..., Any]]"


@dataclass(frozen=True, slots=True)
class Outcome:
    """`depth` of the shortest violation, None if none was found; all states up to `searched` happenings were seen.

    `searched` is None where all states were seen. `play` leads to the violation: (command, parameters) one by one.
    """

    depth: int | None
    searched: int | None
    start: Mapping[str, Any] | None = None
    play: tuple[tuple[int, Mapping[str, x.Value]], ...] = ()
    states: int = 0

    @property
    def complete(self) -> bool:
        """Whether the answer is certain."""
        return self.depth is not None or self.searched is None


@dataclass(slots=True)
class Search:
    """All that can be asked about one property of one system, world by world."""

    system: System
    of: Property
    most: int = 4000
    kept: list[str] = field(default_factory=list)
    caps: dict[str, int] = field(default_factory=dict)
    _known: dict[str, Outcome] = field(default_factory=dict)

    def __post_init__(self) -> None:
        wanted = influential(self.system, self.of)
        self.kept = [v.name for v in self.system.variables if v.name in wanted]
        self.caps = counters(self.system, self.of, wanted)

    def outcome(self, world: World) -> Outcome:
        """Whether the property goes wrong in a world. Worlds that differ in nothing that matters share the answer."""
        text = self.text(world)
        if text not in self._known:
            self._known[text] = self._explore(text)
        return self._known[text]

    def text(self, world: World) -> str:
        """The game in a world as Python; the same for worlds that differ in nothing that matters."""
        return _Writer(self, world).text()

    def machine(self, text: str) -> tuple[Callable[[Row], bool], list[Maker]]:
        """Whether a state is wrong, and for each command its parameters and what it makes of a state."""
        names: dict[str, Any] = {"get": _get, "put": _put}
        exec(compile(text, "<machine>", "exec"), names)
        bad: Callable[[Row], bool] = names["bad"]
        makers: list[Maker] = []
        for at, command in enumerate(self.system.commands):
            if f"c{at}" in names:
                params = names[f"p{at}"]
                sorts = dict(command.params)
                makers.append((at, params, list(product(*(choices(sorts[p]) for p in params))), names[f"c{at}"]))
        return bad, makers

    def _explore(self, text: str) -> Outcome:
        return self._breadth_first(*self.machine(text))

    def _breadth_first(self, bad: Callable[[Row], bool], makers: list[Maker]) -> Outcome:
        back: dict[Row, tuple[Row, int, Mapping[str, x.Value]] | None] = {}
        level: list[Row] = []
        for row in self.starts():
            if len(back) >= 4 * self.most:
                return Outcome(None, -1)
            back[row] = None
            level.append(row)
            if bad(row):
                return Outcome(0, None, *self._play(back, row, None), len(back))
        depth = 0
        while level:
            following: list[Row] = []
            for row in level:
                for at, params, some, make in makers:
                    for values in some:
                        got = make(row, *values)
                        if got is None:
                            continue
                        after, wrong = got
                        if wrong or (after not in back and bad(after)):
                            last = (at, dict(zip(params, values, strict=True)))
                            return Outcome(depth + 1, None, *self._play(back, row, last), len(back))
                        if after not in back:
                            back[after] = (row, at, dict(zip(params, values, strict=True)))
                            following.append(after)
            if len(back) > self.most:
                return Outcome(None, depth + 1, states=len(back))
            depth += 1
            level = following
        return Outcome(None, None, states=len(back))

    def _play(
        self,
        back: Mapping[Row, tuple[Row, int, Mapping[str, x.Value]] | None],
        row: Row,
        last: tuple[int, Mapping[str, x.Value]] | None,
    ) -> tuple[Mapping[str, Any], tuple[tuple[int, Mapping[str, x.Value]], ...]]:
        play = [last] if last else []
        while (before := back[row]) is not None:
            row, at, params = before
            play.append((at, params))
        return dict(zip(self.kept, row, strict=True)), tuple(reversed(play))

    def starts(self) -> Iterator[Row]:
        """All states in which a game can start, as far as they matter."""
        options: list[list[Any]] = []
        for variable in self.system.variables:
            if variable.name not in self.kept:
                continue
            if isinstance(variable.sort, x.Array):
                options.append([()])
            elif variable.initial is not None:
                options.append([variable.initial])
            else:
                options.append(choices(variable.sort))
        yield from product(*options)

    def confirmed(self, world: World, outcome: Outcome) -> bool:
        """Whether the interpreter agrees that the play found goes wrong exactly at its end."""
        assert outcome.start is not None
        state: State = {**_some_start(self.system), **_unpacked(self.system, outcome.start)}
        wrong = bool(evaluate(self.of.bad_state, state, {}, world))
        for at, params in outcome.play:
            if wrong:
                return False
            command = self.system.commands[at]
            every = {name: params.get(name, choices(sort)[0]) for name, sort in command.params}
            got = perform(command, state, every, world)
            if got is None:
                return False
            wrong = happens_wrongly(self.of, command, state, every, world)
            state = got[0]
            wrong = wrong or bool(evaluate(self.of.bad_state, state, {}, world))
        return wrong


def happens_wrongly(of: Property, command: Command, state: State, params: Mapping[str, x.Value], world: World) -> bool:
    """Whether a happening that can occur goes wrong, by the words of `Property`."""
    if command.name in of.bad_commands and evaluate(of.bad_commands[command.name], state, params, world):
        return True
    got = perform(command, state, params, world)
    assert got is not None
    for moment, there in got[1]:
        for wanted, holds in of.moments:
            if wanted == moment and not evaluate(holds, there, {}, world):
                return True
    for name, number, cond in of.bad_blocks:
        if name == command.name:
            before = perform(Command(name, command.play, command.params, command.blocks[:number]), state, params, world)
            assert before is not None
            if evaluate(cond, before[0], params, world):
                return True
    return False


def choices(sort: x.Sort) -> list[Any]:
    """All values of a sort; of a number without bounds, the first few."""
    match sort:
        case x.Bool():
            return [False, True]
        case x.Int(low, high):
            bottom = 0 if low is None else low
            return list(range(bottom, bottom + 4 if high is None else high + 1))
        case x.Enum(values):
            return list(values)
        case x.Array():
            return [()]


def bounded(of: System) -> bool:
    """Whether every first value and every parameter has finitely many choices, so that `choices` leaves none out."""
    sorts = [v.sort for v in of.variables if v.initial is None] + [p for c in of.commands for _, p in c.params]
    return all(sort.high is not None and sort.low is not None for sort in sorts if isinstance(sort, x.Int))


def _some_start(of: System) -> dict[str, Any]:
    return {
        v.name: {} if isinstance(v.sort, x.Array) else choices(v.sort)[0] if v.initial is None else v.initial
        for v in of.variables
    }


def _unpacked(of: System, row: Mapping[str, Any]) -> dict[str, Any]:
    arrays = {v.name for v in of.variables if isinstance(v.sort, x.Array)}
    return {name: dict(value) if name in arrays else value for name, value in row.items()}


def _get(cells: tuple[tuple[int, str], ...], index: int) -> str:
    return dict(cells).get(index, "")


def _put(cells: tuple[tuple[int, str], ...], index: int, value: str) -> tuple[tuple[int, str], ...]:
    return tuple(sorted({**dict(cells), index: value}.items()))


# -- what matters ------------------------------------------------------------------------------------------------


def said(of: Property) -> list[x.Expr]:
    """All conditions of a property."""
    return [of.bad_state, *of.bad_commands.values(), *(h for _, h in of.moments), *(c for _, _, c in of.bad_blocks)]


def influential(system: System, of: Property) -> frozenset[str]:
    """The variables that can make a difference to whether a property goes wrong."""
    spoken = [moment for moment, _ in of.moments]
    roots = said(of)
    updates: dict[str, list[x.Expr]] = {}
    for command in system.commands:
        for block in command.blocks:
            roots.append(block.when)
            roots += [cond for moment, cond in block.reached if moment in spoken]
            for update in block.updates:
                updates.setdefault(update.variable, []).append(update.value)
    found = set(x.variables(roots))
    todo = list(found)
    while todo:
        more = x.variables(updates.get(todo.pop(), [])) - found
        found |= more
        todo += more
    return frozenset(found)


def counters(system: System, of: Property, kept: frozenset[str]) -> dict[str, int]:
    """The counters that may stand still at a value, and that value."""
    growing = _growing(system) & kept
    reads = said(of)
    for command in system.commands:
        for block in command.blocks:
            reads += [block.when, *(cond for _, cond in block.reached)]
            for update in block.updates:
                if update.variable in growing:
                    reads += [item.cond for item in x.walk([update.value]) if isinstance(item, x.If)]
                elif update.variable in kept:
                    reads.append(update.value)
    while True:
        caps: dict[str, int] = dict.fromkeys(growing, 0)
        failed = set().union(*(_uncapped(read, growing, caps) for read in reads), set())
        if not failed:
            return {name: cap + 1 for name, cap in caps.items()}
        growing = growing - failed


def _growing(system: System) -> frozenset[str]:
    """Numbers that start at a fixed value of at least 0, and only grow or get a fixed value of at least 0."""
    found = {
        v.name for v in system.variables
        if isinstance(v.sort, x.Int) and isinstance(v.initial, int) and v.initial >= 0
    }  # fmt: skip
    for command in system.commands:
        for block in command.blocks:
            found -= {u.variable for u in block.updates if not _grows(u.variable, u.value)}
    return frozenset(found)


def _grows(name: str, value: x.Expr) -> bool:
    match value:
        case x.Const(int(number)):
            return number >= 0
        case x.Var(other):
            return other == name
        case x.If(_, then, other):
            return _grows(name, then) and _grows(name, other)
        case x.Sum(items):
            rest = [item for item in items if item != x.Var(name)]
            return len(rest) == len(items) - 1 and all(_grows("", item) for item in rest)
        case _:
            return False


def _uncapped(read: x.Expr, growing: frozenset[str], caps: dict[str, int]) -> set[str]:
    """Counters that an expression reads otherwise than to compare them with a constant; notes those constants."""
    match read:
        case x.Le(side, x.Const(int(limit))) | x.Le(x.Const(int(limit)), side):
            if _sided(side, growing):
                return _noted(side, growing, caps, limit)
        case x.Eq(side, x.Const(int(limit))) | x.Eq(x.Const(int(limit)), side):
            if _sided(side, growing):
                return _noted(side, growing, caps, limit)
        case x.Var(name):
            return {name} & growing
        case _:
            pass
    return set().union(*(_uncapped(part, growing, caps) for part in x.parts(read)), set())


def _sided(side: x.Expr, growing: frozenset[str]) -> bool:
    """Whether a side of a comparison is a counter, a sum of counters, or a choice of such."""
    match side:
        case x.Var(name):
            return name in growing
        case x.Sum(items):
            return all(isinstance(item, x.Var) and _sided(item, growing) for item in items)
        case x.If(_, then, other):
            return _sided(then, growing) and _sided(other, growing)
        case _:
            return False


def _noted(side: x.Expr, growing: frozenset[str], caps: dict[str, int], limit: int) -> set[str]:
    failed: set[str] = set()
    for item in x.walk([side]):
        if isinstance(item, x.If):
            failed |= _uncapped(item.cond, growing, caps)
    for part in _branches(side):
        for item in x.walk([part]):
            if isinstance(item, x.Var) and item.name in caps:
                caps[item.name] = max(caps[item.name], limit)
    return failed


def _branches(side: x.Expr) -> Iterable[x.Expr]:
    if isinstance(side, x.If):
        yield from _branches(side.then)
        yield from _branches(side.other)
    else:
        yield side


# -- expressions as Python ---------------------------------------------------------------------------------------


class _Writer:
    """Writes the happenings of a system in one world as Python functions over rows of the kept variables."""

    def __init__(self, search: Search, world: World) -> None:
        self.search = search
        self.world = world
        self.slots = {name: f"v{at}" for at, name in enumerate(search.kept)}
        self.params: dict[str, str] = {}

    def text(self) -> str:
        """The whole text: `bad`, and `c0`, `c1`, … for the commands that can occur at all."""
        row = "".join(f"{slot}, " for slot in self.slots.values())
        opened = [f"    ({row}) = row"] if row else []
        lines = ["def bad(row):", *opened, f"    return {self.expr(self.search.of.bad_state)}"]
        for at, command in enumerate(self.search.system.commands):
            body = self.command(command, row)
            if body is not None:
                params = list(self.params)
                lines.append(f"p{at} = ({''.join(f'{name!r}, ' for name in params)})")
                lines += [f"def c{at}({', '.join(['row', *self.params.values()])}):", *opened, *body]
        return "\n".join(lines) + "\n"

    def command(self, command: Command, row: str) -> list[str] | None:
        """The body of a command's function; None if its first condition can never hold."""
        of = self.search.of
        used = self.expressions(command)
        read = {item.name for item in x.walk(used) if isinstance(item, x.Param)}
        self.params = {name: f"a{at}" for at, (name, _) in enumerate(command.params) if name in read}
        lines = [f"    wrong = {self.expr(of.bad_commands.get(command.name, x.FALSE))}"]
        for number, block in enumerate(command.blocks):
            guard = self.expr(block.when)
            if guard == "False":
                return None
            if guard != "True":
                lines.append(f"    if not {guard}: return None")
            lines += [
                f"    wrong = wrong or {self.expr(cond)}"
                for name, at, cond in of.bad_blocks if name == command.name and at == number
            ]  # fmt: skip
            checks = [
                (self.expr(cond), self.expr(holds))
                for moment, cond in block.reached for other, holds in of.moments if moment == other
            ]  # fmt: skip
            lines += [f"    m{at} = {cond}" for at, (cond, _) in enumerate(checks)]
            made = [(self.slots[u.variable], self.update(u.variable, u.value)) for u in block.updates
                    if u.variable in self.slots]  # fmt: skip
            if made:
                lines.append("    " + ", ".join(s for s, _ in made) + " = " + ", ".join(v for _, v in made))
            lines += [f"    wrong = wrong or (m{at} and not {holds})" for at, (_, holds) in enumerate(checks)]
        return [*lines, f"    return ({row}), wrong"]

    def expressions(self, command: Command) -> list[x.Expr]:
        """All that matters in a command."""
        found = [self.search.of.bad_commands.get(command.name, x.FALSE)]
        found += [cond for name, _, cond in self.search.of.bad_blocks if name == command.name]
        spoken = {moment for moment, _ in self.search.of.moments}
        for block in command.blocks:
            found.append(block.when)
            found += [cond for moment, cond in block.reached if moment in spoken]
            found += [update.value for update in block.updates if update.variable in self.slots]
        return found

    def update(self, variable: str, value: x.Expr) -> str:
        cap = self.search.caps.get(variable)
        return self.expr(value) if cap is None else f"min({cap}, {self.expr(value)})"

    def expr(self, of: x.Expr) -> str:
        """An expression as Python."""
        match of:
            case x.Const(value):
                return repr(value)
            case x.Var(name):
                return self.slots[name]
            case x.Param(name):
                return self.params[name]
            case x.Tag(rule):
                return str(rule not in self.world.removed)
            case x.Chosen(selector, option):
                return str(self.world.choices[selector] == option)
            case x.Not(inner):
                return {"True": "False", "False": "True"}.get(got := self.expr(inner), f"(not {got})")
            case x.And(items):
                return self.joined([self.expr(item) for item in items], "True", "False", " and ")
            case x.Or(items):
                return self.joined([self.expr(item) for item in items], "False", "True", " or ")
            case x.Eq(left, right):
                return f"({self.expr(left)} == {self.expr(right)})"
            case x.Le(left, right):
                return f"({self.expr(left)} <= {self.expr(right)})"
            case x.Sum(items):
                return "(" + " + ".join(self.expr(item) for item in items) + ")"
            case x.Scale(factor, inner):
                return f"({factor} * {self.expr(inner)})"
            case x.If(cond, then, other):
                test = self.expr(cond)
                if test in ("True", "False"):
                    return self.expr(then if test == "True" else other)
                return f"({self.expr(then)} if {test} else {self.expr(other)})"
            case x.At(array, index):
                return f"get({self.slots[array]}, {self.expr(index)})"
            case x.Put(array, index, value):
                return f"put({self.slots[array]}, {self.expr(index)}, {self.expr(value)})"

    def joined(self, items: list[str], neutral: str, decisive: str, word: str) -> str:
        """A conjunction or disjunction, folded where a part is fixed."""
        if decisive in items:
            return decisive
        kept = [item for item in items if item != neutral]
        return "(" + word.join(kept) + ")" if kept else neutral


def worlds(of: System, fixed: Mapping[str, str] | None = None) -> Iterator[World]:
    """All ways to settle the readings that are not fixed; the usual way comes first."""
    options = []
    for selector in of.selectors:
        usual = selector.default or selector.options[0]
        every = [usual, *(option for option in selector.options if option != usual)]
        options.append([(fixed or {}).get(selector.name)] if selector.name in (fixed or {}) else every)
    for some in product(*options):
        yield World({selector.name: str(option) for selector, option in zip(of.selectors, some, strict=True)})
