"""One question to Z3: SMT-LIB text in a fresh context, under a limit of resource units, never of seconds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import z3

DEFAULT_LIMIT = 40_000_000


@dataclass(frozen=True, slots=True)
class Answer:
    """`status` is "sat", "unsat" or "unknown"; `core` are the assumptions that an "unsat" needs."""

    status: str
    core: tuple[str, ...] = ()
    model: Model | None = None


class Session:
    """A fresh solver that has read some text, and answers about it under assumptions, always the same way."""

    def __init__(self, text: str, limit: int = DEFAULT_LIMIT) -> None:
        self.context = z3.Context()
        self.solver = z3.Solver(ctx=self.context)
        self.solver.set("rlimit", limit)
        self.solver.set("random_seed", 0)
        self.solver.set("core.minimize", False)
        # Z3 would take an interrupt for a limit; left to Python, it stops the whole run.
        self.solver.set("ctrl_c", False)
        self.solver.from_string(text)
        self._flags: dict[str, z3.BoolRef] = {}
        self._names: dict[int, str] = {}
        self._numbers: dict[str, z3.ArithRef] = {}
        self._declared: dict[str, z3.FuncDeclRef] = {}

    # Symbols are asked for again and again, and making one takes its time.

    def flag(self, name: str) -> z3.BoolRef:
        """A Boolean symbol."""
        if name not in self._flags:
            flag = self._flags[name] = z3.Bool(name, self.context)
            self._names[flag.get_id()] = name
        return self._flags[name]

    def number(self, name: str) -> z3.ArithRef:
        """An integer symbol."""
        if name not in self._numbers:
            self._numbers[name] = z3.Int(name, self.context)
        return self._numbers[name]

    def declared(self, symbol: z3.ExprRef, name: str) -> z3.FuncDeclRef:
        """What a symbol of this name is declared as."""
        if name not in self._declared:
            self._declared[name] = symbol.decl()
        return self._declared[name]

    def check(self, assumptions: Sequence[str]) -> str:
        """What the solver says under assumptions: "sat", "unsat" or "unknown"."""
        # As z3's own `check`, which asks of every assumption whether it is Boolean: half the time of small questions.
        flags = (z3.Ast * len(assumptions))(*(self.flag(name).as_ast() for name in assumptions))
        said = z3.Z3_solver_check_assumptions(self.context.ref(), self.solver.solver, len(flags), flags)
        return {z3.Z3_L_TRUE: "sat", z3.Z3_L_FALSE: "unsat"}.get(said, "unknown")

    def ask(self, assumptions: Sequence[str] = ()) -> Answer:
        """Whether the text has a model in which the Boolean symbols `assumptions` are true."""
        found = self.refuted(assumptions)
        return replace(found, model=Model(self.solver.model(), self)) if found.status == "sat" else found

    def refuted(self, assumptions: Sequence[str] = ()) -> Answer:
        """As `ask`, where no model is wanted: getting one takes its time."""
        status = self.check(assumptions)
        if status != "unsat":
            return Answer(status)
        core = {self._names[flag.get_id()] for flag in self.solver.unsat_core()}
        return Answer(status, tuple(name for name in assumptions if name in core))

    def ask_some_false(self, flags: Sequence[str], assumptions: Sequence[str]) -> Answer:
        """As `ask`, with one at least of the Boolean symbols `flags` false; for this question only."""
        # Said under a flag of its own and left standing: popped, all that has been learnt would be lost with it.
        here = f"one is false {len(self._flags)}"
        self.solver.add(z3.Implies(self.flag(here), z3.Or([z3.Not(self.flag(name)) for name in flags])))
        return self.ask([*assumptions, here])

    def minimal_core(self, assumptions: Sequence[str]) -> tuple[str, ...] | None:
        """Assumptions none of which can be dropped from the set, or None if the question is not unsat."""
        answer = self.refuted(assumptions)
        if answer.status != "unsat":
            return None
        core = list(answer.core)
        for name in list(core):
            if name not in core:
                continue
            fewer = [other for other in core if other != name]
            answer = self.refuted(fewer)
            if answer.status == "unsat":
                core = list(answer.core)
        return tuple(name for name in assumptions if name in core)


class Model:
    """The values that symbols have in a model."""

    def __init__(self, model: Any, session: Session) -> None:
        self.model = model
        self.session = session

    def truth(self, name: str) -> bool:
        """The value of a Boolean constant."""
        value = self._value(self.session.flag(name), name)
        return bool(value) and z3.Z3_get_bool_value(self.session.context.ref(), value) == z3.Z3_L_TRUE

    def number(self, name: str) -> int | None:
        """The value of an integer constant; None where any value will do."""
        value = self._value(self.session.number(name), name)
        return int(z3.Z3_get_numeral_string(self.session.context.ref(), value)) if value else None

    def _value(self, symbol: z3.ExprRef, name: str) -> z3.Ast:
        # As `model[symbol]`, which makes objects of all that it looks at; lemmas are asked by the thousand.
        declared = self.session.declared(symbol, name)
        return z3.Z3_model_get_const_interp(self.session.context.ref(), self.model.model, declared.ast)

    def cells(self, name: str) -> dict[int | None, int]:
        """The cells of an array constant; the key None stands for the rest."""
        number = z3.IntSort(self.session.context)
        whole = z3.ArraySort(number, number)
        value = self.model[z3.Const(name, whole)]
        return {} if value is None else _cells(self.model, value)


def _cells(model: Any, value: Any) -> dict[int | None, int]:
    if isinstance(value, z3.FuncInterp):
        return _interp(value)
    if z3.is_as_array(value):
        return _interp(model[z3.get_as_array_func(value)])
    cells: dict[int | None, int] = {}
    while z3.is_store(value):
        cells.setdefault(value.arg(1).as_long(), value.arg(2).as_long())
        value = value.arg(0)
    if z3.is_K(value):
        cells[None] = value.arg(0).as_long()
    return cells


def _interp(interp: Any) -> dict[int | None, int]:
    rows: Iterable[Any] = interp.as_list()
    cells: dict[int | None, int] = {}
    for row in rows:
        if isinstance(row, list):
            cells[row[0].as_long()] = row[1].as_long()
        elif z3.is_int_value(row):
            cells[None] = row.as_long()
    return cells
