"""Rules that make no difference: always overridden, or saying what others say already."""

from __future__ import annotations

from turnproof.findings.inquiry import Inquiry
from turnproof.language import syntax as s
from turnproof.solve.ask import Session
from turnproof.solve.smt import Script, codes
from turnproof.system import expr as x
from turnproof.system.build import build
from turnproof.system.system import Command, System
from turnproof.verdict.result import Finding


def idle(of: Inquiry) -> list[Finding]:
    """The rules with and without which everything happens alike, in every state and under all readings."""
    supposed = tuple(s.Effects((name,)) for name, play in of.book.plays.items() if play.decl.sort == "effect")
    system = build(of.book, supposed=supposed)
    parts = speaking(system)
    found = []
    for rule in of.book.rules:
        if _keeps_only(of, rule) or matters(system, rule, parts.get(rule, {})):
            continue
        over = sorted(one for one, two in of.book.overrides if two == rule)
        why = f"; it is overridden by {', '.join(f'[{one}]' for one in over)}" if over else ""
        found.append(
            Finding("F007", "idle rule", (rule, *over), f"[{rule}] makes no difference to anything{why}",
                    "Is it meant to say more, or is it a reminder (`restates`, `note`)?")
        )  # fmt: skip
    return found


def _keeps_only(of: Inquiry, rule: str) -> bool:
    """Whether a rule only says on purpose that something stays as it is, or is a question."""
    bodies = [clause.body for clause in of.book.clauses if clause.rule == rule]
    return rule in of.book.selectors or all(isinstance(body, s.Keeps) for body in bodies)


def speaking(system: System) -> dict[str, dict[x.Expr, Command]]:
    """For each rule, the parts of the system in which its tag stands, each with a command that has it."""
    found: dict[str, dict[x.Expr, Command]] = {}
    for command in system.commands:
        for block in command.blocks:
            for expr in (block.when, *(update.value for update in block.updates)):
                for part in x.walk([expr]):
                    if isinstance(part, x.Tag):
                        found.setdefault(part.rule, {}).setdefault(expr, command)
    return found


def matters(system: System, rule: str, parts: dict[x.Expr, Command]) -> bool:
    """Whether in some state a part is another with the rule than without it; the small ones are tried first."""
    for expr in sorted(parts, key=lambda part: sum(1 for _ in x.walk([part]))):
        on, off = (_with_tag(expr, rule, present) for present in (True, False))
        if on == off:
            continue
        script = Script(system, codes(system))
        script.rigid(tags_free=False)
        read = x.variables([expr])
        state = {v.name: script.declare(v.name, v.sort, ranges=True) for v in system.variables if v.name in read}
        params = {name: script.declare(f"chosen {name}", sort) for name, sort in parts[expr].params}
        known = script.shared([on, off], state, params, "part")
        one, two = (script.expr(part, state, params, known) for part in (on, off))
        script.require(f"(not (= {one} {two}))")
        if Session(script.text).ask().status == "sat":
            return True
    return False


def _with_tag(expr: x.Expr, rule: str, present: bool) -> x.Expr:
    return x.rewritten(expr, lambda part: x.const(present) if part == x.Tag(rule) else None)
