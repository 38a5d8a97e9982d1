"""Z3's Spacer, for invariants: what it finds is taken for a guess, and proved by induction like every other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import z3

from turnproof.solve.ask import DEFAULT_LIMIT
from turnproof.solve.induction import wrong
from turnproof.solve.property import Property, concerned
from turnproof.solve.slice import sliced
from turnproof.solve.smt import Script, codes
from turnproof.system import expr as x
from turnproof.system.system import System

MOST_CASES = 500


def invariants(system: System, of: Property, where: x.Expr, limit: int = DEFAULT_LIMIT) -> tuple[x.Expr, ...]:
    """What Spacer takes to hold in every reachable state, if it finds that nothing goes wrong; else nothing."""
    part = sliced(system, of)
    script = Script(part, codes(system))
    script.rigid(tags_free=False)
    state = script.state(0)
    rigid = [f"reading {s.name}" for s in part.selectors]
    context = z3.Context()
    after = script.happening(0, state)
    moved = _parsed(script, context)
    bad = Script(part, codes(system))
    bad.rigid(tags_free=False)
    now = bad.state(0)
    if concerned(of, part):
        bad.happening(0, now)
        bad.require(f"(or {bad.expr(of.bad_state, now, {})} {wrong(bad, of, 0)})")
    else:
        bad.require(bad.expr(of.bad_state, now, {}))
    first = Script(part, codes(system))
    first.rigid(tags_free=False)
    first.require(first.expr(where, {}, {}))
    first.initial(first.state(0))
    del after

    names = [f"0.{v.name}" for v in part.variables]
    sorts = [_sort(v.sort, context) for v in part.variables]
    symbols = [z3.Const(name, sort) for name, sort in zip(names, sorts, strict=True)]
    nexts = [z3.Const(f"1.{v.name}", sort) for v, sort in zip(part.variables, sorts, strict=True)]
    readings = [z3.Int(name, context) for name in rigid]
    state_of = z3.Function("reached", *[s.sort() for s in (*readings, *symbols)], z3.BoolSort(context))
    failed = z3.Bool("failed", context)
    solver = z3.Fixedpoint(ctx=context)
    solver.set("engine", "spacer")
    solver.set("rlimit", limit)
    solver.set("ctrl_c", False)
    solver.register_relation(state_of, failed.decl())
    here, there = state_of(*readings, *symbols), state_of(*readings, *nexts)
    start, wrongs = _parsed(first, context), _parsed(bad, context)
    for formula in (moved, start, wrongs):
        solver.declare_var(*_constants(formula))
    solver.declare_var(*readings, *symbols, *nexts)
    solver.rule(here, start)
    solver.rule(there, z3.And(here, moved))
    solver.rule(failed, z3.And(here, wrongs))
    try:
        if str(solver.query(failed)) != "unsat":
            return ()
        return tuple(_facts(solver.get_answer(), part, codes(system).numbers))
    except z3.Z3Exception:
        return ()


def _parsed(script: Script, context: Any) -> Any:
    return z3.And(*z3.parse_smt2_string(script.text, ctx=context), z3.BoolVal(True, context))


def _sort(sort: x.Sort, context: Any) -> Any:
    match sort:
        case x.Bool():
            return z3.BoolSort(context)
        case x.Array():
            return z3.ArraySort(z3.IntSort(context), z3.IntSort(context))
        case _:
            return z3.IntSort(context)


def _constants(formula: Any) -> list[Any]:
    found: dict[int, Any] = {}
    seen: set[int] = set()
    todo = [formula]
    while todo:
        part = todo.pop()
        if part.get_id() in seen:
            continue
        seen.add(part.get_id())
        if z3.is_const(part) and part.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            found[part.get_id()] = part
        todo += part.children()
    return list(found.values())


def _facts(answer: Any, system: System, numbers: dict[str, int]) -> Iterator[x.Expr]:
    """The conjuncts of an answer, those that can be said over a system's variables."""
    for part in [answer, *(answer.children() if z3.is_and(answer) else [])]:
        if not z3.is_quantifier(part):
            continue
        body = part.body()
        if not z3.is_eq(body) or body.arg(0).decl().name() != "reached":
            continue
        names = {
            z3.get_var_index(var): place
            for place, var in zip(
                [*(f"reading {s.name}" for s in system.selectors), *(v.name for v in system.variables)],
                body.arg(0).children(), strict=True,
            )
        }  # fmt: skip
        reader = _Reader(system, numbers, names)
        whole = body.arg(1)
        for conjunct in whole.children() if z3.is_and(whole) else [whole]:
            said = reader.read(conjunct)
            if said is not None:
                yield said


class _Reader:
    """Reads formulas over numbered variables as expressions of a system."""

    def __init__(self, system: System, numbers: dict[str, int], names: dict[int, str]) -> None:
        self.sorts: dict[str, x.Sort] = dict(system.sorts)
        self.options = {f"reading {s.name}": s for s in system.selectors}
        self.values = {number: name for name, number in numbers.items()}
        self.numbers = numbers
        self.names = names

    def read(self, of: Any) -> x.Expr | None:
        """A formula, or None if it cannot be said."""
        if z3.is_true(of) or z3.is_false(of):
            return x.const(bool(z3.is_true(of)))
        if z3.is_and(of) or z3.is_or(of):
            parts = [self.read(child) for child in of.children()]
            said = [part for part in parts if part is not None]
            if len(said) < len(parts):
                return None
            return x.all_of(said) if z3.is_and(of) else x.any_of(said)
        if z3.is_not(of):
            inner = self.read(of.arg(0))
            return None if inner is None else x.negate(inner)
        if z3.is_var(of):
            return x.Var(self.names[z3.get_var_index(of)])
        return self.atom(of)

    def atom(self, of: Any) -> x.Expr | None:
        """A comparison: of numbers, or of enumerations, for these case by case."""
        free = {z3.get_var_index(var): var for var in _variables(of)}
        listed = {index: self.cases(self.names[index]) for index in free}
        chosen = {index: cases for index, cases in listed.items() if cases is not None}
        total = 1
        for cases in chosen.values():
            total *= len(cases)
        if total > MOST_CASES:
            return None
        found = []
        for some in product(*chosen.values()):
            put = [(free[index], z3.IntVal(number, of.ctx)) for index, (number, _) in zip(chosen, some, strict=True)]
            rest = z3.simplify(z3.substitute(of, *put)) if put else of
            said = self.linear(rest)
            if said is None:
                return None
            found.append(x.both(*(cond for _, cond in some), said))
        return x.any_of(found)

    def cases(self, name: str) -> list[tuple[int, x.Expr]] | None:
        """The numbers that an enumeration or a reading can be, each with what that says; None for plain numbers."""
        if name in self.options:
            selector = self.options[name]
            return [(at, x.Chosen(selector.name, option)) for at, option in enumerate(selector.options)]
        sort = self.sorts[name]
        if isinstance(sort, x.Enum):
            return [(self.numbers[value], x.eq(x.Var(name), x.const(value))) for value in sort.values]
        return None

    def linear(self, of: Any) -> x.Expr | None:
        """A comparison of plain numbers or of truth values."""
        if z3.is_true(of) or z3.is_false(of):
            return x.const(bool(z3.is_true(of)))
        if z3.is_not(of):
            inner = self.linear(of.arg(0))
            return None if inner is None else x.negate(inner)
        if z3.is_var(of):
            return x.Var(self.names[z3.get_var_index(of)])
        if not z3.is_app(of) or of.num_args() != 2:
            return None
        left, right = (self.number(child) for child in of.children())
        if left is None or right is None:
            return None
        match of.decl().kind():
            case z3.Z3_OP_EQ:
                return x.eq(left, right)
            case z3.Z3_OP_LE:
                return x.le(left, right)
            case z3.Z3_OP_GE:
                return x.le(right, left)
            case z3.Z3_OP_LT:
                return x.lt(left, right)
            case z3.Z3_OP_GT:
                return x.lt(right, left)
            case _:
                return None

    def number(self, of: Any) -> x.Expr | None:
        """A sum of variables, or a truth value."""
        if z3.is_int_value(of):
            return x.const(int(of.as_long()))
        if z3.is_var(of):
            return x.Var(self.names[z3.get_var_index(of)])
        if z3.is_true(of) or z3.is_false(of):
            return x.const(bool(z3.is_true(of)))
        if z3.is_add(of):
            parts = [self.number(child) for child in of.children()]
            said = [part for part in parts if part is not None]
            return x.add(*said) if len(said) == len(parts) else None
        if z3.is_mul(of) and of.num_args() == 2 and z3.is_int_value(of.arg(0)):
            inner = self.number(of.arg(1))
            return None if inner is None else x.scale(int(of.arg(0).as_long()), inner)
        return None


def _variables(of: Any) -> list[Any]:
    found: list[Any] = []
    todo = [of]
    while todo:
        part = todo.pop()
        if z3.is_var(part):
            found.append(part)
        elif z3.is_app(part):
            todo += part.children()
    return found
