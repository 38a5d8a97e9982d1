"""Reports for programs. The schema stands in docs/schema.json; every document has `"schema": "turnproof/1"`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from turnproof.diagnostics import Diagnostic
from turnproof.language.printer import body_head
from turnproof.report.document import document
from turnproof.rulebook.model import Rulebook, title
from turnproof.solve.plays import Counterexample, Happened
from turnproof.system.system import System
from turnproof.verdict.evidence import background
from turnproof.verdict.explain import at_issue, broken, sentence, sentences
from turnproof.verdict.result import Case, ClaimResult, Finding

if TYPE_CHECKING:
    from turnproof.answers.answer import Answer
    from turnproof.answers.apart import Parting
    from turnproof.answers.settle import Settlement
    from turnproof.game import Report


def check(reports: Sequence[Report], found: Sequence[Diagnostic], status: int) -> dict[str, Any]:
    """The document of `turnproof check`."""
    return document("check", status=status, games=[game(report) for report in reports], diagnostics=diagnostics(found))


def game(report: Report) -> dict[str, Any]:
    """One game of a check document."""
    book = report.game.book
    system = report.claims[0].system if report.claims else report.game.system
    return {
        "name": book.name,
        "title": title(book.titles, book.name),
        "path": str(report.game.path),
        "claims_path": str(report.game.claims_path) if report.game.claims_path else None,
        "scope": report.game.scope,
        "counts": {name.replace(" ", "_"): number for name, number in book.counts.items()},
        "readings": dict(report.readings),
        "claims": [claim(book, result) for result in report.claims],
        "disputes": [settlement(book, one) for one in report.disputes],
        "findings": [finding(book, system, one) for one in report.findings],
    }


def claim(book: Rulebook, result: ClaimResult) -> dict[str, Any]:
    """One claim with its verdict and evidence."""
    verdict = result.result
    proof = verdict.proof if verdict.verdict in ("proved", "vacuous") else None
    if proof is None and verdict.verdict == "refuted" and verdict.counterexample is None:
        proof = verdict.proof
    rules = list(proof.rules) if proof else []
    shown = verdict.counterexample if verdict.verdict in ("refuted", "proved") else None
    return {
        "id": result.claim.id,
        "text": result.claim.text,
        "verdict": verdict.verdict,
        "expected": result.expected,
        "as_expected": result.as_expected,
        "engine": verdict.engine,
        "depth": verdict.depth,
        "shortest": shown.shortest if shown else None,
        "scope": dict(result.scope),
        "effects": [
            kind + (f" at {' or '.join(supposed.steps)}" if supposed.steps else "")
            for supposed in result.claim.effects
            for kind in supposed.kinds
        ],
        "rules": rules,
        "also": [list(other) for other in verdict.also],
        "background": list(background(book, result.claim, rules)),
        "trace": trace(book, result.system, shown) if shown else [],
        "at_issue": issue(result, shown),
        **aftermath(book, result, shown),
        "reasons": list(verdict.reasons),
        "cases": [case(book, result, one) for one in verdict.cases] if len(verdict.cases) > 1 else [],
        "complete": verdict.complete,
        "why": verdict.why,
    }


def issue(result: ClaimResult, play: Counterexample | None) -> list[dict[str, str]]:
    """What the claim speaks of, as it is where a play goes wrong."""
    found = at_issue(result.system.variables, result.of, play) if play else ()
    return [{"what": what, "value": value} for what, value in found]


def case(book: Rulebook, result: ClaimResult, one: Case) -> dict[str, Any]:
    """What holds under some readings."""
    return {
        "readings": dict(one.readings),
        "others": one.others,
        "verdict": one.verdict,
        "rules": list(one.proof.rules) if one.proof else [],
        "trace": trace(book, result.system, one.counterexample) if one.counterexample else [],
        "at_issue": issue(result, one.counterexample),
        **aftermath(book, result, one.counterexample),
    }


def aftermath(book: Rulebook, result: ClaimResult, play: Counterexample | None) -> dict[str, Any]:
    """What a play comes to: what is false at its end, where a cycle begins in it, what is proved of what follows."""
    found = broken(book, result.claim.body, result.of, play) if play else ()
    return {
        "broken": [{"text": false.text, "happening": false.happening} for false in found],
        "cycle": play.cycle if play else None,
        "then": list(play.then.rules) if play and play.then else [],
    }


def trace(book: Rulebook, system: System, play: Counterexample) -> list[dict[str, Any]]:
    """A play, happening by happening."""
    told = sentences(book, system.variables, play)
    return [
        {
            "text": sentence.text,
            "rules": list(sentence.rules),
            "note": sentence.note,
            "changes": [{"what": w, "before": b, "after": a} for w, b, a in sentence.changes],
            "step": happened.after["step"],
            "turn": happened.after["turn"],
            "active": happened.after["active"],
        }
        for sentence, happened in zip(told, play.happened, strict=True)
    ]


def finding(book: Rulebook, system: System, one: Finding) -> dict[str, Any]:
    """Something that was found without being asked for."""
    return {
        "code": one.code,
        "kind": one.kind,
        "rules": list(one.rules),
        "message": one.message,
        "question": one.question,
        "certain": one.certain,
        "pressing": one.pressing,
        "acknowledged": one.acknowledged or None,
        "situation": [{"what": what, "value": value} for what, value in one.situation],
        "outcomes": [{"case": case, "outcome": outcome} for case, outcome in one.outcomes],
        "witness": trace(book, system, one.witness) if one.witness else [],
    }


def diagnostics(found: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """What is wrong with the input."""
    return [
        {
            "code": d.code,
            "severity": d.severity,
            "message": d.message,
            "hint": d.hint,
            "path": d.path,
            "places": [
                {
                    "line": p.span.line,
                    "column": p.span.column,
                    "end_line": p.span.end_line,
                    "end_column": p.span.end_column,
                    "caption": p.text,
                }
                for p in d.places
            ],
        }
        for d in found
    ]


def answer_document(book: Rulebook, of: Answer) -> dict[str, Any]:
    """The document of `turnproof ask`."""
    return document("answer", game=book.name, **answer(book, of))


def answers(book: Rulebook, found: Sequence[Settlement]) -> dict[str, Any]:
    """The document of `turnproof ask --all`."""
    return document("answers", game=book.name, answers=[settlement(book, one) for one in found])


def settlement(book: Rulebook, one: Settlement) -> dict[str, Any]:
    """A dispute with its answer."""
    expect = one.dispute.expect
    return {
        "id": one.dispute.id, "text": one.dispute.text, "expected": expect.verdict, "as_expected": one.as_expected,
        **answer(book, one.answer),
    }  # fmt: skip


def answer(book: Rulebook, of: Answer) -> dict[str, Any]:
    """An answer with what it rests on."""
    return {
        "question": of.question,
        "answer": of.answer,
        "amount": of.amount or None,
        "rules": list(of.rules),
        "also": [list(rules) for rules in of.also],
        "background": list(of.background),
        "because": [{"rule": rule, "says": said} for rule in of.rules for said in sayings(book, rule)],
        "on": list(of.on),
        "cases": [
            {
                "outcome": one.outcome, "readings": dict(one.readings), "rules": list(one.rules),
                "facts": [{"what": what, "value": value} for what, value in one.facts],
                "choices": [{"what": what, "value": value} for what, value in one.choices],
                "course": [dataclasses.asdict(event) for event in one.course],
            }
            for one in of.cases
        ],
        "chances": [{"value": number, "chance": chance} for number, chance in of.chances],
        "course": [dataclasses.asdict(event) for event in of.course],
        "nearest": list(of.nearest),
        "notes": list(of.notes),
        "why": of.why,
    }  # fmt: skip


def sayings(book: Rulebook, rule: str) -> list[str]:
    """What a rule says, sentence by sentence."""
    return [body_head(clause.body) for clause in book.clauses if clause.rule == rule]


def parting(
    book: Rulebook, system: System, one: dict[str, str], two: dict[str, str], found: Parting | None
) -> dict[str, Any]:
    """The document of `turnproof ask --readings A B`."""
    sides = []
    if found is not None:
        state = found.play.happened[-1].after if found.play.happened else found.play.start
        for world, after in zip(found.worlds, found.after, strict=True):
            told = None
            if after is not None:
                told = sentence(book, system.variables, Happened(found.command, found.params, after), state, world)
            sides.append({
                "text": told.text if told else None,
                "rules": list(told.rules) if told else [],
                "changes": [{"what": w, "before": b, "after": a} for w, b, a in told.changes] if told else [],
            })  # fmt: skip
    return document(
        "apart", game=book.name, readings=[one, two], sides=sides, shortest=found.shortest if found else None,
        trace=trace(book, system, found.play) if found else [],
    )  # fmt: skip
