"""The Python API: a game with everything that can be asked of it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnproof.diagnostics import Caption, Diagnostic, Invalid, suggestion
from turnproof.language import syntax as s
from turnproof.language.kept import kept
from turnproof.language.markdown import decode, has_block
from turnproof.language.parser import parse_claims, parse_disputes, parse_rulebook
from turnproof.library import claims_path, read_bytes, rulebook_path
from turnproof.rulebook.check import check as checked
from turnproof.rulebook.extend import extended
from turnproof.rulebook.model import Rulebook

if TYPE_CHECKING:
    import networkx as nx

    from turnproof.answers.answer import Answer
    from turnproof.answers.apart import Parting
    from turnproof.answers.ask import Answers
    from turnproof.answers.settle import Settlement
    from turnproof.draw.picture import Picture
    from turnproof.system.system import System
    from turnproof.verdict.result import ClaimResult, Finding

# What people write for a dispute, where they ask for one.
_ID = re.compile(r"\[[^\[\]\s]+\]|[^\W\d_]+(-\w+)*-\d+\w*")


@dataclass(frozen=True, slots=True)
class Report:
    """What a check of one game came to."""

    game: Game
    claims: tuple[ClaimResult, ...]
    findings: tuple[Finding, ...]
    readings: Mapping[str, str]
    disputes: tuple[Settlement, ...] = ()

    @property
    def pressing(self) -> tuple[Finding, ...]:
        """The findings because of which the check is not in order."""
        return tuple(one for one in self.findings if one.pressing)

    @property
    def unexpected(self) -> tuple[ClaimResult, ...]:
        """The claims whose verdict is not the expected one, limits apart."""
        return tuple(c for c in self.claims if not c.as_expected and c.result.verdict != "unknown")

    @property
    def undecided(self) -> tuple[ClaimResult, ...]:
        """The claims on which a limit was hit, though another verdict was expected."""
        return tuple(c for c in self.claims if not c.as_expected and c.result.verdict == "unknown")


@dataclass(frozen=True)
class Game:
    """A checked rulebook with its claims, if it has any. `scope` are the numbers of pieces each player can have."""

    path: Path
    book: Rulebook
    page: s.Claims | None
    claims_path: Path | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    disputes: tuple[s.Dispute, ...] = ()

    @property
    def name(self) -> str:
        return self.book.name

    @property
    def scope(self) -> dict[str, int]:
        return {kind.name: kind.scope for kind in self.book.kinds}

    def claims_among(self, names: Iterable[str]) -> list[str]:
        """Those of some names that are claims in its page."""
        known = {claim.id for claim in self.page.claims} if self.page is not None else set()
        return [name for name in names if name in known]

    @cached_property
    def graph(self) -> nx.MultiDiGraph[str]:
        """The phase graph, as a plain networkx graph."""
        from turnproof.phases.graph import graph

        return graph(self.book)

    @cached_property
    def system(self) -> System:
        """The transition system of the rules alone."""
        from turnproof.system.build import build

        return build(self.book)

    def check(
        self,
        claims: Iterable[str] | None = None,
        readings: Mapping[str, str] | None = None,
        limit: int | None = None,
        engine: str = "auto",
        progress: Callable[[str], None] | None = None,
        jobs: int = 1,
        cached: bool = False,
    ) -> Report:
        """The verdicts on the claims (all, or those named) and the findings; if all are wanted, the disputes, too.

        `readings` settles readings, open questions or policies. `limit` is in the solver's resource units; `engine` is
        one of "auto" (all), "induction", "spacer" and "search" (plays only); `jobs` is how many processes decide; with
        `cached`, verdicts are kept on disk, and those that still stand are taken from there, without their proofs'
        texts. Raises Invalid for a claim or a reading that is not there.
        """
        from turnproof.verdict.check import Checking, Settings
        from turnproof.verdict.claims import ClaimReader

        settled = dict(readings or {})
        self._known_readings(settled)
        path = str(self.claims_path or "")
        reader = ClaimReader(self.book, path, self.texts.get(path, ""))
        wanted: list[s.Claim] = []
        if self.page is not None:
            reader.check(self.page)
            wanted = self._wanted(self.page, claims)
        elif claims is not None:
            raise Invalid([Diagnostic("TP073", f"`{self.name}` has no page of claims", str(self.path))])
        settings = Settings(settled, limit, engine, jobs, cached)
        checking = Checking(self.book, reader, tuple(wanted), settings, clashes_only=claims is not None)
        results, found = checking.run(progress)
        disputes = (
            self.settle((), settled) if claims is not None else self.settle(None, settled, progress, jobs, cached)
        )
        return Report(self, results, found, settled, disputes)

    def ask(self, question: str, readings: Mapping[str, str] | None = None, limit: int | None = None) -> Answer:
        """The answer to a question in the words of docs/questions.md, where some readings are settled.

        Raises Invalid for what cannot be understood.
        """
        from turnproof.solve.ask import DEFAULT_LIMIT

        settled = dict(readings or {})
        self._known_readings(settled)
        if _ID.fullmatch(question.strip()):
            ids = [dispute.id for dispute in self.disputes]
            hint = suggestion(question.strip("[] "), ids) or "`--all` asks all disputes"
            message = f"`{self.name}` has no dispute `{question.strip()}`"
            raise Invalid([Diagnostic("TP033", message, "question", hint=hint)])
        return self._answers.answer(question, settled, DEFAULT_LIMIT if limit is None else limit)

    def draw(self, view: str = "flow", language: str = "", **options: Any) -> Picture:
        """A picture of the game, which shows itself in notebooks; `options` as of `turnproof.draw.views.picture`.

        Raises Invalid where it cannot be made.
        """
        from turnproof.draw.views import picture

        return picture(self, view, language, **options)

    def _repr_svg_(self) -> str:
        return self.draw(compact=True)._repr_svg_()

    def apart(self, one: Mapping[str, str], two: Mapping[str, str], limit: int | None = None) -> Parting | None:
        """Where two ways to settle readings part: a play that goes alike, and what then does not; None if not found."""
        from turnproof.answers.apart import part
        from turnproof.solve.ask import DEFAULT_LIMIT

        for settled in (one, two):
            self._known_readings(settled)
        return part(self.system, one, two, DEFAULT_LIMIT if limit is None else limit)

    @cached_property
    def _answers(self) -> Answers:
        from turnproof.answers.ask import Answers

        return Answers(self.book)

    def settle(
        self,
        disputes: Iterable[s.Dispute] | None = None,
        readings: Mapping[str, str] | None = None,
        progress: Callable[[str], None] | None = None,
        jobs: int = 1,
        cached: bool = False,
    ) -> tuple[Settlement, ...]:
        """The answers to the disputes of its page (all, or some), beside what their author expects.

        `jobs` is how many processes answer; with `cached`, answers are kept on disk. Raises Invalid for questions that
        cannot be understood.
        """
        from turnproof.answers.settle import settle

        wanted = self.disputes if disputes is None else disputes
        return settle(self.book, wanted, dict(readings or {}), jobs, cached, progress)

    def _wanted(self, page: s.Claims, claims: Iterable[str] | None) -> list[s.Claim]:
        if claims is None:
            return list(page.claims)
        known = {claim.id: claim for claim in page.claims}
        missing = [name for name in claims if name not in known]
        if missing:
            raise Invalid(
                [
                    Diagnostic("TP073", f"`{self.name}` has no claim [{name}]", str(self.claims_path),
                               hint=suggestion(name, known) or "claims: " + ", ".join(known))
                    for name in missing
                ]
            )  # fmt: skip
        return [known[name] for name in claims]

    def _known_readings(self, settled: Mapping[str, str]) -> None:
        problems = []
        for name, option in settled.items():
            selector = self.book.selectors.get(name)
            if selector is None:
                hint = suggestion(name, self.book.selectors)
                problems.append(
                    Diagnostic("TP033", f"`{self.name}` has no reading `{name}`", str(self.path), hint=hint)
                )
            elif option not in selector.options:
                hint = suggestion(option, selector.options) or "one of " + ", ".join(selector.options)
                problems.append(
                    Diagnostic("TP034", f"`{name}` cannot be read as `{option}`", str(self.path), hint=hint)
                )
        if problems:
            raise Invalid(problems)


def load(name: str | Path, scope: Mapping[str, int] | None = None, start: Path | None = None) -> Game:
    """The game of a name, found in the project or the library, or that of a rulebook's path.

    `scope` changes how many pieces of a kind each player can have. Raises Invalid with everything that is wrong.
    """
    path = name if isinstance(name, Path) else rulebook_path(name, start)
    text = decode(read_bytes(path), str(path))
    texts = {str(path): text}

    tree = extended(
        kept(parse_rulebook, text, str(path)), str(path), lambda base: tree_of(base, start or path.parent, texts)
    )
    book = checked(_scoped(tree, scope or {}, str(path)), str(path), text)
    page_path = path if has_block(text, "claims") else claims_path(path, book.name, start)
    own = has_block(text, "disputes") and page_path not in (None, path)
    if page_path is None and has_block(text, "disputes"):
        page_path = path
    page = None
    disputes: tuple[s.Dispute, ...] = kept(parse_disputes, text, str(path)) if own else ()
    if page_path is not None:
        claims_text = decode(read_bytes(page_path), str(page_path))
        texts[str(page_path)] = claims_text
        page, more = _page(claims_text, str(page_path), kept)
        known = {one.id for one in disputes}
        twice = [
            Diagnostic("TP032", f"[{one.id}] stands for a dispute of {path}, too", str(page_path), (Caption(one.span),))
            for one in more if one.id in known
        ]  # fmt: skip
        if twice:
            raise Invalid(twice, texts)
        disputes += more
    return Game(path, book, page, page_path, texts, disputes)


def tree_of(name: str, start: Path | None = None, texts: dict[str, str] | None = None) -> tuple[s.RulebookTree, str]:
    """The tree of a rulebook that another extends, and its path; its text is added to `texts`."""
    path = rulebook_path(name, start)
    text = decode(read_bytes(path), str(path))
    if texts is not None:
        texts[str(path)] = text
    return kept(parse_rulebook, text, str(path)), str(path)


def _page(text: str, path: str, read: Callable[..., Any]) -> tuple[s.Claims | None, tuple[s.Dispute, ...]]:
    """The claims and the disputes of a page; `read` calls a parser. A page that holds neither is one of claims."""
    disputed = has_block(text, "disputes")
    page = read(parse_claims, text, path) if has_block(text, "claims") or not disputed else None
    return page, read(parse_disputes, text, path) if disputed else ()


def from_text(rulebook: str, claims: str | None = None) -> Game:
    """The game of a rulebook in Markdown, and its claims (else those in the same text). Raises Invalid."""
    tree = extended(parse_rulebook(rulebook), "rulebook.md", lambda base: tree_of(base, None))
    book = checked(tree, "rulebook.md", rulebook)
    if claims is None and (has_block(rulebook, "claims") or has_block(rulebook, "disputes")):
        claims = rulebook
    page: s.Claims | None = None
    disputes: tuple[s.Dispute, ...] = ()
    if claims is not None:
        page, disputes = _page(claims, "claims.md", lambda parse, text, path: parse(text, path))
    texts = {"rulebook.md": rulebook, "claims.md": claims or ""}
    return Game(Path("rulebook.md"), book, page, Path("claims.md") if claims else None, texts, disputes)


def _scoped(tree: s.RulebookTree, scope: Mapping[str, int], path: str) -> s.RulebookTree:
    """A rulebook with other numbers of pieces."""
    kinds = [statement.kind for statement in tree.statements if isinstance(statement, s.PieceBlock)]
    for name in scope:
        if name not in kinds:
            hint = suggestion(name, kinds) or ("kinds of piece: " + ", ".join(kinds) if kinds else "")
            raise Invalid([Diagnostic("TP030", f"there is no kind of piece called `{name}`", path, hint=hint)])
    statements = tuple(
        dataclasses.replace(st, scope=scope[st.kind]) if isinstance(st, s.PieceBlock) and st.kind in scope else st
        for st in tree.statements
    )
    return s.RulebookTree(statements)
