"""The disputes of a game: asked, kept on disk, and compared with what their author expects."""

from __future__ import annotations

import dataclasses
import signal
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from turnproof.answers.answer import Answer, AnswerCase, Event
from turnproof.diagnostics import Diagnostic, Invalid
from turnproof.language import syntax as s
from turnproof.rulebook.model import Rulebook
from turnproof.verdict import store

# Fewer questions are asked by one process.
WORTH_A_PROCESS = 4


@dataclass(frozen=True, slots=True)
class Settlement:
    """A dispute and its answer."""

    dispute: s.Dispute
    answer: Answer

    @property
    def as_expected(self) -> bool:
        """Whether the answer is the expected one, on what was expected, and by no other rules than those expected."""
        expect = self.dispute.expect
        right = self.answer.said == expect.verdict and (not expect.on or set(expect.on) == set(self.answer.on))
        return right and (self.dispute.by is None or set(self.answer.rules) <= set(self.dispute.by))


def settle(
    book: Rulebook,
    disputes: Iterable[s.Dispute],
    readings: Mapping[str, str],
    jobs: int = 1,
    cached: bool = False,
    progress: Callable[[str], None] | None = None,
) -> tuple[Settlement, ...]:
    """The disputes with their answers; with `cached`, answers that still stand are taken from disk. Raises Invalid for
    questions that cannot be understood.
    """
    wanted = list(disputes)
    kept = store.Store() if cached else None
    keys = {one.id: _key(book, one, readings) for one in wanted}
    found: dict[str, Answer] = {}
    for one in wanted:
        got = kept.get(keys[one.id]) if kept is not None else None
        if got is not None:
            found[one.id] = _read(got)
    todo = [one for one in wanted if one.id not in found]
    if jobs > 1 and len(todo) >= WORTH_A_PROCESS:
        with ProcessPoolExecutor(jobs, initializer=_start, initargs=(book, dict(readings))) as pool:
            answers = list(pool.map(_ask, todo))
    else:
        _start(book, dict(readings), alone=True)
        answers = []
        for one in todo:
            if progress:
                progress(f"{book.name} [{one.id}]")
            answers.append(_ask(one))
    faults = [fault for got in answers if not isinstance(got, Answer) for fault in got]
    if faults:
        raise Invalid(faults)
    for one, answer in zip(todo, answers, strict=True):
        assert isinstance(answer, Answer)
        found[one.id] = answer
        if kept is not None and answer.answer != "unknown":
            kept.put(keys[one.id], dataclasses.asdict(answer))
    return tuple(Settlement(one, found[one.id]) for one in wanted)


def _key(book: Rulebook, one: s.Dispute, readings: Mapping[str, str]) -> str:
    # The tree, not the text: it holds what a variant extends, too.
    return store.key_of(
        "answer", book.tree, one.question, [(u.selector, u.option) for u in one.under], dict(readings)
    )  # fmt: skip


def _read(got: dict[str, Any]) -> Answer:
    """An answer that was kept."""
    plain = dict(got)
    plain["cases"] = tuple(
        AnswerCase(
            case["outcome"], case["readings"], tuple(map(tuple, case["facts"])), tuple(map(tuple, case["choices"])),
            tuple(case["rules"]), _events(case["course"]),
        )
        for case in got["cases"]
    )  # fmt: skip
    for name in ("rules", "background", "on", "nearest", "notes"):
        plain[name] = tuple(got[name])
    plain["also"] = tuple(tuple(rules) for rules in got["also"])
    plain["chances"] = tuple((number, chance) for number, chance in got["chances"])
    plain["course"] = _events(got["course"])
    return Answer(**plain)


def _events(of: list[dict[str, Any]]) -> tuple[Event, ...]:
    return tuple(Event(**{**event, "rules": tuple(event["rules"])}) for event in of)


_here: tuple[Any, dict[str, str]] | None = None


def _start(book: Rulebook, readings: dict[str, str], alone: bool = False) -> None:
    """A process begins: an interrupt is for the one that started it."""
    from turnproof.answers.ask import Answers

    global _here
    if not alone:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    _here = Answers(book), readings


def _ask(one: s.Dispute) -> Answer | list[Diagnostic]:
    assert _here is not None
    answers, readings = _here
    settled = {**readings, **{under.selector: under.option for under in one.under}}
    try:
        found: Answer = answers.answer(one.question, settled)
    except Invalid as invalid:
        return [dataclasses.replace(fault, path=f"[{one.id}]") for fault in invalid.diagnostics]
    return found
