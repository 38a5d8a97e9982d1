"""What is otherwise in one rulebook than in another: rules, plays that only one allows, claims that only one keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from turnproof.diagnostics import Invalid
from turnproof.findings.inquiry import ROLES, Inquiry, Tried
from turnproof.game import Game, load, tree_of
from turnproof.language import printer
from turnproof.language import syntax as s
from turnproof.library import games, rulebook_path
from turnproof.rulebook.extend import base_of
from turnproof.rulebook.model import Rulebook, title_of
from turnproof.rulebook.permissions import decide
from turnproof.solve.plays import Counterexample
from turnproof.solve.property import Property
from turnproof.solve.safety import SHOWN, Engines, Safety
from turnproof.system import expr as x
from turnproof.verdict.claims import ClaimReader


@dataclass(frozen=True, slots=True)
class PlayChange:
    """A play that only one rulebook allows, in some steps (by title).

    `example` is a state where it does, in the first of them; `shown` a game that comes to it there, if one is found.
    """

    only_in: str
    role: str
    play: str
    steps: tuple[str, ...]
    example: tuple[tuple[str, str], ...]
    shown: Counterexample | None = None


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
        tuple(_plays(one, two, progress)),
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


def _plays(one: Game, two: Game, progress: Callable[[str], None] | None) -> Iterator[PlayChange]:
    """The plays that only one of two games allows, step by step, with readings at their default."""
    engines = {game.name: Engines(game.system, engine="search") for game in (one, two)}
    asked = {game.name: Inquiry(game.book) for game in (one, two)}
    allowed = {name: _allowed(of) for name, of in asked.items()}
    for game, other in ((one, two), (two, one)):
        for (name, role), here in allowed[game.name].items():
            there = allowed[other.name].get((name, role), {})
            only = [leaf for leaf in here if leaf not in there]
            if only:
                titles = tuple(title_of(game.book.steps[leaf]) for leaf in only)
                called = asked[game.name].called(game.book.plays[name])
                if progress:
                    progress(f"{game.name}: a game in which one may {called}")
                shown = _shown(engines[game.name], name, role, only[0])
                yield PlayChange(game.name, role, called, titles, here[only[0]], shown)


def _allowed(of: Inquiry) -> dict[tuple[str, str], dict[str, tuple[tuple[str, str], ...]]]:
    """The steps in which each play is allowed to each role, whichever pieces it is about."""
    found: dict[tuple[str, str], dict[str, tuple[tuple[str, str], ...]]] = {}
    for tried in of.attempts:
        steps = found.setdefault((tried.play.name, tried.role), {})
        steps |= {leaf: shown for leaf, shown in _steps(of, tried).items() if leaf not in steps}
    return found


def _steps(of: Inquiry, tried: Tried) -> dict[str, tuple[tuple[str, str], ...]]:
    """The steps in which rules allow a play, each with a state where they do."""
    said = decide(of.el, tried.attempt)
    within = of.maker.within_limits(tried.attempt)
    allowed = x.both(tried.turn, said.plainly, within)
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    if allowed == x.FALSE:
        return found
    ground, judge = of.possible(allowed, of.maker.told_of(tried.play))
    for leaf in of.book.leaves:
        step = {"0.step": ground.script.codes.of(leaf.name), "answer": 1}
        if judge.where([*judge.tags, *judge.flags(judge.usual)], step) is not None:
            here = x.both(allowed, x.eq(x.Var("step"), x.const(leaf.name)))
            shown = of.shown(here, of.maker.told_of(tried.play), tried.pieces)
            found[leaf.name] = shown.facts if shown is not None else ()
    return found


def _shown(engines: Engines, play: str, role: str, leaf: str) -> Counterexample | None:
    """A game in which a play is made in a step by a player in a role, with readings at their default."""
    system = engines.system
    wrong = {
        command.name: x.both(x.eq(x.Var("step"), x.const(leaf)), mine if role == ROLES[0] else x.negate(mine))
        for command in system.commands if command.play.kind == "play" and command.play.name == play
        for mine in [x.eq(x.Var("active"), x.const(command.play.player or ""))]
    }  # fmt: skip
    where = x.all_of(x.Chosen(one.name, one.usual) for one in system.selectors)
    found = Safety(engines, Property(bad_commands=wrong), rough=True)
    return found.shown(where) or found.along(where, SHOWN, engines.limit, pretty=True)


def variants_of(game: Game) -> list[Game]:
    """The rulebooks of its project, or of the library, that extend a game's rulebook, directly."""
    found = []
    for name in games(game.path.resolve().parent):
        path = rulebook_path(name, game.path.resolve().parent)
        try:
            base = base_of(tree_of(str(path))[0])
            if base is not None and base.name == game.path.stem:
                found.append(load(path))
        except Invalid:
            continue
    return found


def verdicts_in(one: Game, two: Game, progress: Callable[[str], None] | None = None, jobs: int = 1) -> dict[str, str]:
    """What those claims of the first game come to in the second that make sense of it, by id."""
    kept = _sensible(one, two)
    if not kept:
        return {}
    other = replace(two, page=s.Claims(two.book.name, tuple(kept)), disputes=())
    report = other.check([claim.id for claim in kept], progress=progress, jobs=jobs, cached=True)
    return {found.claim.id: found.result.said for found in report.claims}


def _sensible(one: Game, two: Game) -> list[s.Claim]:
    """The claims of the first game's page that make sense of the second."""
    kept = []
    if one.page is None:
        return []
    for claim in one.page.claims:
        page = s.Claims(two.book.name, (claim,))
        try:
            ClaimReader(two.book, "claims").check(page)
        except Invalid:
            continue
        kept.append(claim)
    return kept


def _claims(one: Game, two: Game, progress: Callable[[str], None] | None, jobs: int) -> Iterator[tuple[str, str, str]]:
    """The claims of the first game's page that make sense of both, and whose verdicts differ."""
    there = verdicts_in(one, two, progress, jobs)
    here = verdicts_in(replace(one, page=s.Claims(one.name, tuple(_sensible(one, two)))), one, progress, jobs)
    yield from ((name, verdict, there[name]) for name, verdict in here.items() if verdict != there[name])
