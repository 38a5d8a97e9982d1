"""Limits that are enforced at one moment, and can be outgrown before the turn ends."""

from __future__ import annotations

from collections.abc import Iterator

from turnproof.findings.inquiry import Inquiry
from turnproof.language import syntax as s
from turnproof.rulebook.model import title_of
from turnproof.verdict.result import Finding


def outgrown(of: Inquiry) -> list[Finding]:
    """Each rule that brings a quantity down to a limit, with what raises it later in the turn."""
    found: dict[tuple[str, str, str], Finding] = {}
    for clause in of.book.of(s.Happening):
        body = clause.body
        assert isinstance(body, s.Happening)
        if clause.selection is not None or body.moment not in ("start", "end"):
            continue
        for quantity in _brought_down(body):
            for step in body.steps:
                later = _later(of, step)
                raising = list(dict.fromkeys(_raising(of, quantity, later)))
                if raising and later:
                    found.setdefault((clause.rule, quantity, step), _finding(of, clause.rule, quantity, step, raising))
    return list(found.values())


def _brought_down(body: s.Happening) -> Iterator[str]:
    """The quantities that a rule brings down to some number."""
    for effect in (effect for stage in body.stages for effect in stage):
        match effect:
            case s.Bound("lower", path, _):
                yield path.text
            case s.Move(s.Arith("-", s.Name(text, _), _), source, _) if text == source.text:
                yield text
            case _:
                pass


def _later(of: Inquiry, step: str) -> tuple[str, ...]:
    """The steps that come after a step in a turn."""
    leaves = [leaf.name for leaf in of.book.leaves]
    inside = of.book.leaves_of(step)
    return tuple(leaves[leaves.index(inside[-1]) + 1 :])


def _raising(of: Inquiry, quantity: str, later: tuple[str, ...]) -> Iterator[str]:
    """The rules by which a quantity can rise in some steps: what happens there, or what cards may do there."""
    for clause in of.book.of(s.Happening, s.Window):
        body = clause.body
        assert isinstance(body, s.Happening | s.Window)
        if not any(leaf in later for step in body.steps for leaf in of.book.leaves_of(step)):
            continue
        if isinstance(body, s.Happening):
            effects = [effect for stage in body.stages for effect in stage]
        else:
            effects = [
                effect for name in body.effects for item in of.book.plays[name].items if isinstance(item, s.Does)
                for effect in item.effects
            ]  # fmt: skip
        if any(_raises(effect, quantity) for effect in effects):
            yield clause.rule


def _raises(effect: s.Effect, quantity: str) -> bool:
    match effect:
        case s.Move(_, _, target):
            return target.text == quantity
        case s.Change(path, "+=", _):
            return path.text == quantity
        case _:
            return False


def _finding(of: Inquiry, rule: str, quantity: str, step: str, raising: list[str]) -> Finding:
    where = title_of(of.book.steps[step])
    label = quantity.replace("_", " ")
    others = ", ".join(f"[{other}]" for other in raising)
    return Finding(
        "F008", "outgrown limit", (rule, *raising),
        f"[{rule}] brings the {label} down in {where}, and {others} can raise it after that, before the turn ends",
        f"Does the limit of the {label} bind at once then, or not before the next {where}?",
        outcomes=(("at once", "it is brought down again"), ("not before", "the turn ends with more")),
    )  # fmt: skip
