"""What is otherwise in one rulebook than in another: rules, plays that only one allows, claims that only one keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from turnproof.diagnostics import Invalid
from turnproof.findings.inquiry import Inquiry, Tried
from turnproof.game import Game
from turnproof.language import printer
from turnproof.language import syntax as s
from turnproof.rulebook.model import Rulebook, title_of
from turnproof.rulebook.permissions import decide
from turnproof.system import expr as x
from turnproof.verdict.claims import ClaimReader


@dataclass(frozen=True, slots=True)
class PlayChange:
    """A play that only one rulebook allows, in some steps; `example` is a state where it does."""

    only_in: str
    role: str
    play: str
    steps: tuple[str, ...]
    example: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """What is otherwise: `added`, `removed` and `changed` are ids; `claims` are ids with both verdicts."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    plays: tuple[PlayChange, ...]
    claims: tuple[tuple[str, str, str], ...]


def difference(one: Game, two: Game, progress: Callable[[str], None] | None = None, jobs: int = 1) -> Difference:
    """What is otherwise in the second game than in the first. Verdicts are taken from the cache where they stand."""
    before, after = _said(one.book), _said(two.book)
    return Difference(
        tuple(rule for rule in after if rule not in before),
        tuple(rule for rule in before if rule not in after),
        tuple(rule for rule in after if rule in before and after[rule] != before[rule]),
        tuple(_plays(one, two)),
        tuple(_claims(one, two, progress, jobs)),
    )


def _said(book: Rulebook) -> dict[str, str]:
    """What stands under each id, as it would be printed."""
    found = {}
    for node in book.tree.statements:
        name = getattr(node, "id", None)
        if isinstance(name, str) and not isinstance(node, s.Overrides):
            found[name] = "\n".join(printer.statement_lines(node))
    return found


def _plays(one: Game, two: Game) -> Iterator[PlayChange]:
    """The plays that only one of two games allows, step by step, with readings at their default."""
    asked = {game.name: Inquiry(game.book) for game in (one, two)}
    allowed = {name: _allowed(of) for name, of in asked.items()}
    for game, other in ((one, two), (two, one)):
        for (name, role), here in allowed[game.name].items():
            there = allowed[other.name].get((name, role), {})
            only = [leaf for leaf in here if leaf not in there]
            if only:
                titles = tuple(title_of(game.book.steps[leaf]) for leaf in only)
                called = asked[game.name].called(game.book.plays[name])
                yield PlayChange(game.name, role, called, titles, here[only[0]])


def _allowed(of: Inquiry) -> dict[tuple[str, str], dict[str, tuple[tuple[str, str], ...]]]:
    """The steps in which each play is allowed to each role, whichever pieces it is about."""
    found: dict[tuple[str, str], dict[str, tuple[tuple[str, str], ...]]] = {}
    for tried in of.attempts():
        steps = found.setdefault((tried.play.name, tried.role), {})
        steps |= {leaf: shown for leaf, shown in _steps(of, tried).items() if leaf not in steps}
    return found


def _steps(of: Inquiry, tried: Tried) -> dict[str, tuple[tuple[str, str], ...]]:
    """The steps in which rules allow a play, each with a state where they do."""
    said = decide(of.el, tried.attempt)
    within = of.maker.within_limits(tried.attempt)
    allowed = x.both(of.first_active, said.plainly, within)
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    if allowed == x.FALSE:
        return found
    ground, judge = of.possible(allowed, of.sorts_of(tried.attempt))
    for leaf in of.book.leaves:
        step = {"0.step": ground.script.codes.of(leaf.name), "answer": 1}
        if judge.where([*judge.tags, *judge.flags(judge.usual)], step) is not None:
            here = x.both(allowed, x.eq(x.Var("step"), x.const(leaf.name)))
            shown = of.shown(here, of.sorts_of(tried.attempt), tried.pieces)
            found[leaf.name] = shown.facts if shown is not None else ()
    return found


def _claims(one: Game, two: Game, progress: Callable[[str], None] | None, jobs: int) -> Iterator[tuple[str, str, str]]:
    """The claims of the first game's page that make sense of both, and whose verdicts differ."""
    if one.page is None:
        return
    kept = []
    for claim in one.page.claims:
        page = s.Claims(two.book.name, (claim,))
        try:
            ClaimReader(two.book, "claims").check(page)
        except Invalid:
            continue
        kept.append(claim)
    here = one.check([claim.id for claim in kept], progress=progress, jobs=jobs, cached=True)
    other = replace(two, page=s.Claims(two.book.name, tuple(kept)), disputes=())
    there = other.check([claim.id for claim in kept], progress=progress, jobs=jobs, cached=True)
    for first, second in zip(here.claims, there.claims, strict=True):
        if first.result.verdict != second.result.verdict or set(first.result.reasons) != set(second.result.reasons):
            yield (
                first.claim.id,
                _verdict(first.result.verdict, first.result.reasons),
                _verdict(second.result.verdict, second.result.reasons),
            )


def _verdict(verdict: str, reasons: tuple[str, ...]) -> str:
    return verdict + (f" on {', '.join(reasons)}" if reasons else "")
