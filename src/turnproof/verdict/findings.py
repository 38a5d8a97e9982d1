"""What a check finds without being asked, as far as it is built: clashing writes and quantities out of their range."""

from __future__ import annotations

from turnproof.rulebook.model import SETUP
from turnproof.solve.property import Property
from turnproof.solve.safety import Safety
from turnproof.system import expr as x
from turnproof.system.system import System, Variable
from turnproof.verdict.decide import Decider
from turnproof.verdict.explain import variable_name
from turnproof.verdict.result import Finding


def findings(system: System, decider: Decider, clashes_only: bool = False) -> tuple[Finding, ...]:
    """All findings on a game, or those on which no verdict can be given."""
    clashing = _clashing_writes(system, decider)
    return tuple(clashing if clashes_only else [*clashing, *_out_of_range(system, decider)])


def _clashing_writes(system: System, decider: Decider) -> list[Finding]:
    """Rules that change one quantity differently at one moment, where that can come about."""
    found = []
    labels = {v.name: variable_name(v).partition(" of ")[0] for v in system.variables}
    for rules, label in dict.fromkeys((clash.rules, labels[clash.variable]) for clash in system.clashes):
        alike = [c for c in system.clashes if (c.rules, labels[c.variable]) == (rules, label)]
        result = decider.decide(Property(bad_blocks=tuple((c.command, c.block, c.cond) for c in alike)))
        if result.verdict == "proved":
            continue
        one, two = (f"[{rule}]" if rule else "the play itself" for rule in rules)
        certain = result.counterexample is not None
        may = "" if certain else "may "
        message = (
            f"{one} {may}changes the same quantity twice at once: {label}"
            if one == two
            else f"{one} and {two} {may}change the same quantity differently at once: {label}"
        )
        named = tuple(dict.fromkeys(rule for rule in rules if rule))
        found.append(
            Finding("F001", "contradiction", named, message, "What comes first, or what is it afterwards?",
                    result.counterexample, certain)
        )  # fmt: skip
    return found


def _out_of_range(system: System, decider: Decider) -> list[Finding]:
    """Quantities that can leave the range declared for them."""
    declared = [v for v in system.variables if "." in v.name and isinstance(v.sort, x.Int) and _outside(v) != x.FALSE]
    # That they hold before the game too makes the whole inductive by itself, most often.
    if Safety(decider.engines, Property(bad_state=x.any_of(_outside(v) for v in declared)), rough=True).quick(x.TRUE):
        return []
    began = x.negate(x.eq(x.Var("step"), x.const(SETUP)))
    found = []
    for variable in declared:
        result = decider.decide(Property(bad_state=x.both(began, _outside(variable))))
        if result.verdict != "proved":
            name = variable_name(variable)
            certain = result.counterexample is not None
            message = f"the {name} {'can' if certain else 'may'} leave the range declared for it"
            found.append(
                Finding("F002", "range", (), message, f"What happens when the {name} would leave its range?",
                        result.counterexample, certain)
            )  # fmt: skip
    return found


def _outside(variable: Variable) -> x.Expr:
    sort = variable.sort
    assert isinstance(sort, x.Int)
    var = x.Var(variable.name)
    below = x.lt(var, x.const(sort.low)) if sort.low is not None else x.FALSE
    above = x.lt(x.const(sort.high), var) if sort.high is not None else x.FALSE
    return x.either(below, above)
