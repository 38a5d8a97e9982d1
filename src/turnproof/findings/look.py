"""All that is found in a rulebook by looking at its rules, kind by kind; what the rulebook acknowledges is marked."""

from __future__ import annotations

import dataclasses

from turnproof.findings.clash import permissions, skips, values
from turnproof.findings.gap import gaps
from turnproof.findings.idle import idle
from turnproof.findings.inquiry import Inquiry
from turnproof.findings.outgrown import outgrown
from turnproof.findings.reading import readings
from turnproof.rulebook.model import Rulebook
from turnproof.solve.ask import DEFAULT_LIMIT
from turnproof.solve.safety import Engines
from turnproof.verdict.result import Finding

KINDS = (permissions, skips, values, gaps, outgrown, idle, readings)


def look(book: Rulebook, limit: int = DEFAULT_LIMIT, engines: Engines | None = None) -> tuple[Finding, ...]:
    """What is found; contradictions first. With `engines`, those to which no game can come are left out."""
    of = Inquiry(book, limit, engines)
    return tuple(_marked(book, finding) for kind in KINDS for finding in kind(of))


def _marked(book: Rulebook, finding: Finding) -> Finding:
    """A finding with the question that is about its rules, if there is one."""
    about = next((name for name, rules in book.acknowledged.items() if set(finding.rules) <= rules), "")
    return dataclasses.replace(finding, acknowledged=about) if about and not finding.acknowledged else finding
