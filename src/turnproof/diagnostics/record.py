"""A diagnostic: code, message, captioned places, what to write instead. Rendering is `turnproof.report`'s work."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from turnproof.language.syntax import NOWHERE, Span

# A stage stops after so many faults: the rest would be read by nobody, and time stays bounded.
MOST_PROBLEMS = 200
MOST_NAMES = 2_000


@dataclass(frozen=True, slots=True)
class Caption:
    """A place in a file and what is to be said of it."""

    span: Span
    text: str = ""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """`code` stands in `codes.CODES`; `severity` is "error" or "warning"; `places[0]` is where it is."""

    code: str
    message: str
    path: str
    places: tuple[Caption, ...] = (Caption(NOWHERE),)
    hint: str = ""
    severity: str = "error"

    @property
    def span(self) -> Span:
        """Where it is."""
        return self.places[0].span


class Invalid(Exception):
    """The input is at fault. Carries every diagnostic of the stage that stopped, at least one of them an error."""

    def __init__(self, diagnostics: Iterable[Diagnostic], texts: dict[str, str] | None = None) -> None:
        self.diagnostics = tuple(sorted(diagnostics, key=lambda d: (d.path, d.span, d.code)))
        self.texts = texts or {}
        super().__init__("; ".join(f"{d.path}:{d.span.line}: {d.code} {d.message}" for d in self.diagnostics))


_ALIKE = str.maketrans("OolI", "0011")


def suggestion(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """A hint that offers the nearest known names, or an empty string. Among very many names nothing is looked for."""
    words = sorted(set(known) - {name})
    if len(words) > MOST_NAMES:
        return ""
    # What is told apart only by letters that look like digits is meant, whatever else is near.
    alike = [word for word in words if word.translate(_ALIKE) == name.translate(_ALIKE)]
    near = alike or difflib.get_close_matches(name, words, n=3, cutoff=cutoff)
    if not near:
        return ""
    return "did you mean " + " or ".join(f"`{word}`" for word in near) + "?"
