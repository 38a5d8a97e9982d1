"""The views by name: which pictures there are of a game, and what each is made of."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from turnproof.diagnostics import Diagnostic, Invalid, suggestion
from turnproof.draw.picture import Picture
from turnproof.rulebook.model import Rulebook

if TYPE_CHECKING:
    from turnproof.game import Game

VIEWS = ("flow", "windows", "combat", "play", "compare", "diff", "aid")
Progress = Callable[[str], None]


def picture(
    game: Game, view: str = "flow", language: str = "", compact: bool = False, others: Sequence[Game] = (),
    claim: str = "", situation: str = "", progress: Progress | None = None, jobs: int = 1,
) -> Picture:  # fmt: skip
    """One view of a game. Raises Invalid where it cannot be made, with what is missing.

    `others` are further games, for "compare" (one to three) and "diff" (one); `claim` is for "play", and `situation`
    (`MOMENT when …`, in the words of questions) for "combat".
    """
    _known_language(game.book, language)
    match view:
        case "flow":
            from turnproof.draw.flow import flow

            return flow(game.book, language, compact)
        case "windows" | "aid":
            from turnproof.windows import kept_windows

            of = kept_windows(game.book, progress)
            if view == "windows":
                from turnproof.draw.windows import windows_chart

                return windows_chart(game.book, of, language)
            from turnproof.draw.aid import aid

            return aid(game.book, of, digest(game), language)
        case "combat":
            return _combat(game, situation, language)
        case "play":
            return _play(game, claim, language, progress, jobs)
        case "compare":
            if not 1 <= len(others) <= 3:
                raise _missing("two to four games are set side by side", "turnproof draw taiji magic --view compare")
            from turnproof.draw.compare import compare

            return compare([game.book, *(other.book for other in others)], language)
        case "diff":
            if len(others) != 1:
                raise _missing("it takes two rulebooks", "turnproof draw magic magic-modern --view diff")
            from turnproof.draw.flow import difference

            return difference(game.book, others[0].book, language)
        case _:
            hint = suggestion(view, VIEWS) or f"views: {', '.join(VIEWS)}"
            raise Invalid([Diagnostic("TP102", f"there is no view called `{view}`", "draw", hint=hint)])


def languages(book: Rulebook) -> tuple[str, ...]:
    """The languages in which a rulebook has names."""
    titles = [book.titles, *(step.titles for step in book.steps.values())]
    titles += [play.decl.titles for play in book.plays.values()]
    found = {language for one in titles for language, _ in one.texts if language}
    return (book.language, *sorted(found - {book.language}))


def digest(game: Game) -> str:
    """Which text of a rulebook it is: SHA-256 of its tree, whatever its prose."""
    return hashlib.sha256(repr(game.book.tree).encode("utf-8")).hexdigest()


def _known_language(book: Rulebook, language: str) -> None:
    known = languages(book)
    if language and language not in known:
        message = f"`{book.name}` has no names in the language `{language}`"
        raise Invalid([Diagnostic("TP102", message, "draw", hint=f"languages: {', '.join(known)}")])


def _missing(what: str, example: str) -> Invalid:
    return Invalid([Diagnostic("TP102", what, "draw", hint=example)])


def _combat(game: Game, situation: str, language: str) -> Picture:
    if not situation:
        raise _missing("a situation is wanted", '--situation "encounters when character a of active with attack 3, …"')
    from turnproof.answers.ask import Answers
    from turnproof.draw.combat import combat

    found = Answers(game.book).course(situation)
    if found is None:
        raise Invalid([Diagnostic("TP102", "nothing can come of this situation", "draw",
                                  hint="`turnproof ask` says which rules shut it out")])  # fmt: skip
    return combat(game.book, found, situation, language)


def encounters(game: Game, language: str = "") -> dict[str, Picture]:
    """The encounters that the game's disputes are about, by their ids."""
    from turnproof.answers.ask import Answers
    from turnproof.draw.combat import combat

    answers = Answers(game.book)
    found = {}
    for dispute in game.disputes:
        course = answers.encounter(dispute.question, {under.selector: under.option for under in dispute.under})
        if course is not None:
            found[dispute.id] = combat(game.book, course, dispute.question, language)
    return found


def _play(game: Game, claim: str, language: str, progress: Progress | None, jobs: int) -> Picture:
    if not claim:
        raise _missing("a claim is wanted whose play is drawn", "--claim TC-04")
    from turnproof.draw.play import play_picture
    from turnproof.verdict.explain import at_issue, broken

    (result,) = game.check([claim], progress=progress, jobs=jobs, cached=True).claims
    shown = next((case.counterexample for case in result.result.cases if case.counterexample is not None), None)
    if shown is None:
        why = f"[{claim}] is {result.result.verdict}, and there is no play to be shown"
        raise Invalid([Diagnostic("TP102", why, "draw", hint="claims that are refuted or `can` have one")])
    said = language or game.book.language
    false = broken(game.book, result.claim.body, result.of, shown)
    ending = [f"{what} = {value}" for what, value in at_issue(result.system.variables, result.of, shown, said)]
    ending += [f"× {one.text}{one.since(said)}" for one in false]
    breaks = [one.happening + 1 for one in false if one.happening is not None]
    heading = f"{result.claim.id}: {result.claim.text}"
    return play_picture(game.book, result.system, shown, heading, ending, breaks, language)
