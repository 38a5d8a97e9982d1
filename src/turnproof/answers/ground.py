"""The ground on which a question is decided: a script in which `answer` is what the rules say, from any state that
the question describes.

Questions on permissions and steps speak of one state. Those on what comes of something go along a path: the events
of the question, the moves between their steps, and the part of a happening that is asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field

from turnproof.rulebook.model import SETUP
from turnproof.solve.smt import Script, codes, conj, lower, quoted, sort_text, upper
from turnproof.system import expr as x
from turnproof.system.system import Block, System

ANSWER = "answer"


@dataclass
class Ground:
    """`outcomes` gives names to the numbers that `answer` can have; empty, if it is an amount or a yes (1) or no (0).

    `state` are the symbols of the state in which the question is asked, `chosen` those of what somebody chooses on the
    way, each with the command's name and the parameter's; `told` are quantities that the question leaves no choice.
    """

    system: System
    script: Script
    state: dict[str, str]
    chosen: dict[str, tuple[str, str]] = field(default_factory=dict)
    params: dict[str, str] = field(default_factory=dict)
    outcomes: dict[int, str] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)

    def expr(self, of: x.Expr, label: str) -> str:
        """The text of an expression in the state, with what stands in it several times said once."""
        known = self.script.shared([of], self.state, self.params, label)
        return self.script.expr(of, self.state, self.params, known)

    def answered(self, formula: str) -> None:
        """Says what the answer is."""
        self.script.declare(ANSWER, x.Int())
        self.script.require(f"(= {quoted(ANSWER)} {formula})")


def ground(system: System, params: Iterable[tuple[str, x.Sort]] = (), known: Iterable[x.Expr] = ()) -> Ground:
    """Any state of a system, with every quantity in its range; and what a question leaves to be chosen.

    `known` is what is so in every state to which a game can come.
    """
    script = Script(system, codes(system))
    script.rigid(tags_free=True)
    for selector in system.selectors:
        for at, option in enumerate(selector.options):
            flag = script.declare(reading(selector.name, option), x.Bool())
            script.require(f"(=> {flag} (= {quoted(f'reading {selector.name}')} {at}))")
    for selector in system.selectors:
        if selector.default is None and selector.name in system.tags:
            flag = script.declare(unanswered(selector.name), x.Bool())
            script.require(f"(=> {flag} (not {quoted('rule ' + selector.name)}))")
    state = {v.name: script.declare(f"0.{v.name}", v.sort, ranges=True) for v in system.variables}
    chosen = {name: script.declare(f"chosen {name}", sort, ranges=True) for name, sort in params}
    found = Ground(system, script, state, {f"chosen {name}": ("", name) for name, _ in params}, chosen)
    script.require(f"(not {found.expr(system.over, 'over')})")
    script.require(found.expr(x.all_of([*counted(system), *known]), "counted"))
    return found


def counted(system: System) -> Iterator[x.Expr]:
    """How turns are counted in every game that has begun: in all as many as of the players, one at least of the
    active one's.
    """
    yield x.negate(x.eq(x.Var("step"), x.const(SETUP)))
    turns = [v.name for v in system.variables if v.name.endswith(".turns")]
    yield x.eq(x.Var("turn"), x.add(*(x.Var(name) for name in turns)))
    for name in turns:
        own = x.eq(x.Var("active"), x.const(name.removesuffix(".turns")))
        yield x.le(x.const(0), x.Var(name))
        yield x.implies(own, x.le(x.const(1), x.Var(name)))


def reading(selector: str, option: str) -> str:
    """The flag that settles a reading."""
    return f"{selector} is {option}"


def unanswered(question: str) -> str:
    """The flag that leaves out what the answers to an open question say by themselves."""
    return f"{question} is not answered"


@dataclass(frozen=True, slots=True)
class Reached:
    """A state on a way: the symbols of its variables, and what values of some are known."""

    symbols: Mapping[str, str]
    known: Mapping[str, x.Const]


def unfold(
    of: Ground,
    block: Block,
    now: Reached,
    params: Mapping[str, str],
    label: str,
    clashes: Iterable[x.Expr] = (),
    looked_at: Set[str] | None = None,
    first: Callable[[x.Expr], x.Expr] | None = None,
) -> tuple[str, Reached, list[str]]:
    """What a block makes of a state: what must be so for it, the state after, and when some `clashes` are so.

    What is known is put in place of variables, so that only what is open is left to the solver; what is written and not
    `looked_at` afterwards is left out of the state after. `first` puts in place what is known in many such states.
    """
    script = of.script
    last = x.where(now.known)

    def simple(expr: x.Expr) -> x.Expr:
        return last(expr if first is None else first(expr))

    when = simple(block.when)
    values = {
        update.variable: simple(update.value) for update in block.updates
        if looked_at is None or update.variable in looked_at
    }  # fmt: skip
    clashing = [simple(clash) for clash in clashes]
    shared = script.shared([when, *values.values(), *clashing], now.symbols, params, label)
    symbols, known = dict(now.symbols), dict(now.known)
    for update in block.updates:
        symbols.pop(update.variable, None)
        known.pop(update.variable, None)
    for variable, value in values.items():
        if isinstance(value, x.Const):
            known[variable] = value
        text = script.expr(value, now.symbols, params, shared)
        symbols[variable] = quoted(f"{label} {variable}")
        script.add(f"(define-fun {symbols[variable]} () {sort_text(script.system.sorts[variable])} {text})")
    clashed = [script.expr(clash, now.symbols, params, shared) for clash in clashing]
    return script.expr(when, now.symbols, params, shared), Reached(symbols, known), clashed


def choose(of: Ground, params: Iterable[tuple[str, x.Sort]], command: str, label: str) -> dict[str, str]:
    """Symbols for what is chosen in a happening; those that the question names already are taken as they are."""
    found = {}
    for name, sort in params:
        if name in of.params:
            found[name] = of.params[name]
            continue
        symbol = f"{label} {name}"
        found[name] = of.script.declare(symbol, sort)
        if isinstance(sort, x.Int):
            of.script.require(conj([*lower(found[name], sort), *upper(found[name], sort)]))
        of.chosen[symbol] = (command, name)
    return found
