"""Readings and open questions that matter: where the game goes on otherwise under one answer than under another."""

from __future__ import annotations

from turnproof.answers.facts import fact_value, situation
from turnproof.answers.ground import Ground, ground
from turnproof.answers.judge import Judge
from turnproof.findings.inquiry import Inquiry
from turnproof.rulebook.model import POLICIES, VALUES, SelectorDecl, title, title_of
from turnproof.solve.ask import Model
from turnproof.solve.settle import chosen
from turnproof.system import expr as x
from turnproof.system.system import Command, Variable
from turnproof.verdict.explain import shown_value
from turnproof.verdict.result import Finding


def readings(of: Inquiry) -> list[Finding]:
    """Each reading and question of the rulebook, with a situation in which its answers differ."""
    asked = [one for one in of.book.selectors.values() if one.name not in POLICIES | VALUES]
    return [_matters(of, one) for one in asked]


def _matters(of: Inquiry, asked: SelectorDecl) -> Finding:
    kind = "open question" if asked.default is None else "reading"
    usual = asked.usual
    parts = _speaking(of, asked.name)
    for other in (option for option in asked.options if option != usual):
        for expr, (command, variable) in parts:
            found = _differs(of, asked, usual, other, expr, command, variable)
            if found is not None:
                return found
    message = f"[{asked.name}] makes no difference to what can happen"
    return Finding("F006", kind, (asked.name,), message, asked.question, acknowledged=asked.name)


def _speaking(of: Inquiry, name: str) -> list[tuple[x.Expr, tuple[Command, str]]]:
    """The parts of the system that turn on a reading, the small ones first, each with what it is part of."""
    found: dict[x.Expr, tuple[Command, str]] = {}
    for command in of.whole.commands:
        for block in command.blocks:
            for expr, variable in ((block.when, ""), *((u.value, u.variable) for u in block.updates)):
                if any(isinstance(part, x.Chosen) and part.selector == name for part in x.walk([expr])):
                    known = found.get(expr)
                    if known is None or known[0].play.kind == "begin":
                        found[expr] = (command, variable)
    # What happens in every turn tells more than what happens as the game begins.
    return sorted(found.items(), key=lambda item: (item[1][0].play.kind == "begin", sum(1 for _ in x.walk([item[0]]))))


def _differs(
    of: Inquiry, asked: SelectorDecl, usual: str, other: str, expr: x.Expr, command: Command, variable: str
) -> Finding | None:
    """A state in which a part of the system is not the same under two answers."""
    one, two = (chosen(expr, {asked.name: option}, rules=False) for option in (usual, other))
    if one == two:
        return None
    used = {part.name for part in x.walk([one, two]) if isinstance(part, x.Param)}
    place = ground(of.whole, [param for param in command.params if param[0] in used])
    known = place.script.shared([one, two], place.state, place.params, "part")
    texts = [place.script.expr(value, place.state, place.params, known) for value in (one, two)]
    place.answered(f"(ite (= {texts[0]} {texts[1]}) 0 1)")
    for number, text in enumerate(texts):
        place.script.require(f"(= {place.script.declare(f'value {number}', place.script.sort_of(one))} {text})")
    judge = Judge(place, of.limit)
    got = judge.honoured([0])
    if got is None:
        return None
    off, model = got
    facts = situation(of.book, place, judge, 1, model, off, {})
    sorts = of.whole.sorts
    outcomes = tuple(
        (f"{asked.name} = {option}", _outcome(place, model, f"value {number}", variable, sorts))
        for number, option in enumerate((usual, other))
    )
    kind = "open question" if asked.default is None else "reading"
    message = f"[{asked.name}] matters {_moment(of, command)}{_of_what(of, variable)}"
    return Finding(
        "F006", kind, (asked.name,), message, asked.question,
        situation=(*facts, *off.items()), outcomes=outcomes, acknowledged=asked.name,
    )  # fmt: skip


def _outcome(of: Ground, model: Model, symbol: str, variable: str, sorts: dict[str, x.Sort]) -> str:
    if not variable:
        return "possible" if model.truth(symbol) else "not possible"
    sort = sorts[variable]
    return fact_value(of, model, symbol, sort) if not isinstance(sort, x.Array) else shown_value("otherwise")


def _moment(of: Inquiry, command: Command) -> str:
    play = command.play
    match play.kind:
        case "begin":
            return "as the game begins"
        case "leave":
            there = title_of(of.book.steps[play.target or play.name])
            return f"as {title_of(of.book.steps[play.name])} ends and {there} begins"
        case "pass":
            return "as a player passes"
        case _:
            return f"when somebody is to {title(of.book.plays[play.name].decl.titles, play.name)}"


def _of_what(of: Inquiry, variable: str) -> str:
    found = next((v for v in of.whole.variables if v.name == variable), None)
    return f", to the {_label(found)}" if found is not None and " " not in variable else ""


def _label(variable: Variable) -> str:
    return variable.label.replace("_", " ")
