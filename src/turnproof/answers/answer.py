"""An answer, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

ANSWERS = ("yes", "no", "amount", "depends", "silent", "contradiction", "unknown")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens on the way to an outcome: when, what changes, from what to what, and by which rules."""

    when: str
    what: str
    before: str
    after: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnswerCase:
    """One outcome: under which readings, facts and choices it is so, and by which rules.

    `facts` and `choices` are pairs of what, and what it is taken to be; `course` is how it comes about, for instance.
    """

    outcome: str
    readings: Mapping[str, str]
    facts: tuple[tuple[str, str], ...] = ()
    choices: tuple[tuple[str, str], ...] = ()
    rules: tuple[str, ...] = ()
    course: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What the rules say to a question.

    `answer` is one of `ANSWERS`; "amount" has its value in `amount`, as text ("2", "0 to 5"). `on` are the readings,
    questions, choices and facts that it depends on; `notes` say what else belongs to it, and `nearest` what would
    change it. `chances` is an exact distribution, where dice decide. `course` is how it comes about, for instance.
    `why` is said where it is not known.
    """

    question: str
    answer: str
    amount: str = ""
    rules: tuple[str, ...] = ()
    also: tuple[tuple[str, ...], ...] = ()
    background: tuple[str, ...] = ()
    on: tuple[str, ...] = ()
    cases: tuple[AnswerCase, ...] = ()
    nearest: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    chances: tuple[tuple[str, str], ...] = ()
    course: tuple[Event, ...] = ()
    why: str = ""

    @property
    def said(self) -> str:
        """The answer in one word, or its amount."""
        return self.amount if self.answer == "amount" else self.answer
