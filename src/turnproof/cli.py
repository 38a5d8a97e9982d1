"""The command line. It chains stages, prints, and turns results into exit statuses; nothing else."""

from __future__ import annotations

import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from turnproof import __version__

if TYPE_CHECKING:
    from turnproof.diagnostics import Diagnostic
    from turnproof.game import Report

AS_EXPECTED, UNEXPECTED, FAULTY, LIMITED, STOPPED = 0, 1, 2, 3, 130

app = typer.Typer(
    add_completion=False, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False,
    help="turnproof checks rulebooks of card and board games: it proves what they promise and shows where they fail.",
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip


class CheckFormat(StrEnum):
    text = "text"
    json = "json"


class Engine(StrEnum):
    auto = "auto"
    induction = "induction"
    spacer = "spacer"
    search = "search"


class AskFormat(StrEnum):
    text = "text"
    json = "json"


class GraphFormat(StrEnum):
    json = "json"
    graphml = "graphml"
    dot = "dot"


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"turnproof {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    del version


@app.command()
def check(
    games: Annotated[list[str] | None, typer.Argument(metavar="GAME", help="Names or files; none: all.")] = None,
    claim: Annotated[list[str] | None, typer.Option(help="Check this claim only (may be repeated).")] = None,
    reading: Annotated[
        list[str] | None, typer.Option(metavar="RULE=NAME", help="Settle a reading, a question or a policy.")
    ] = None,
    scope: Annotated[
        list[str] | None, typer.Option(metavar="KIND=NUMBER", help="How many pieces of a kind a player can have.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="The solver's limit for one question, in resource units.")
    ] = None,
    engine: Annotated[
        Engine, typer.Option(help="What decides: proofs by induction, by Spacer, plays searched for; auto: all of it.")
    ] = Engine.auto,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="How many processes decide; as many as there are processors, if not said.")
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Decide everything anew, and keep nothing.")] = False,
    matrix: Annotated[
        bool,
        typer.Option("--matrix", help="Show which readings and variants make or break each claim, and nothing else."),
    ] = False,
    findings: Annotated[bool, typer.Option("--findings", help="Show gaps, readings and questions one by one.")] = False,
    format: Annotated[CheckFormat, typer.Option(help="How the report is written.")] = CheckFormat.text,
) -> None:
    """Check rulebooks and their claims.

    Without GAME, the project's games are checked; outside of a project, the library's.
    Exit status: 0 all as expected, 1 something is not, 2 the input is at fault, 3 a limit was hit.
    """
    from turnproof.diagnostics import Invalid
    from turnproof.game import load
    from turnproof.library import games as known_games
    from turnproof.report import json as as_json
    from turnproof.report import text as as_text

    if matrix:
        from turnproof.rulebook.model import title
        from turnproof.variants import variants_of, verdicts_in

    started = time.monotonic()
    readings, scopes = _pairs(reading, "reading"), _numbers(_pairs(scope, "scope"))
    out = as_text.console()
    reports: list[Report] = []
    faults: list[Diagnostic] = []
    names = games or list(known_games())
    for name in names:
        try:
            with _progress() as progress:
                game = load(name, scopes)
                # Of all games, each is asked for the claims that it has.
                wanted = claim if games or not claim else game.claims_among(claim)
                if wanted == []:
                    continue
                report = game.check(
                    wanted, readings, limit, engine.value, progress, jobs or os.cpu_count() or 1, cached=not no_cache
                )
        except Invalid as invalid:
            faults += invalid.diagnostics
            if format is CheckFormat.text:
                as_text.diagnostics(as_text.console(stderr=True), invalid.diagnostics, invalid.texts)
            continue
        reports.append(report)
        if format is CheckFormat.text and matrix:
            with _progress() as progress:
                variants = {
                    title(other.book.titles, other.name): verdicts_in(
                        game, other, progress, jobs or os.cpu_count() or 1
                    )
                    for other in variants_of(game)
                }
            as_text.matrix(out, report, variants)
        elif format is CheckFormat.text:
            as_text.report(out, report, _nearby(game.path), findings)
    missing = set(claim or ()) - {result.claim.id for report in reports for result in report.claims}
    if missing and not faults:
        typer.echo(f"no game here has the claim {', '.join(sorted(missing))}", err=True)
        raise typer.Exit(FAULTY)
    status = _status(reports, bool(faults))
    if format is CheckFormat.json:
        _write(as_json.check(reports, faults, status))
    elif reports:
        as_text.summary(out, reports, time.monotonic() - started)
    raise typer.Exit(status)


@app.command()
def ask(
    game: Annotated[str, typer.Argument(help="A name or a file.")],
    question: Annotated[
        str | None, typer.Argument(help="The question, in quotes; docs/questions.md has the words.")
    ] = None,
    all_of_them: Annotated[bool, typer.Option("--all", help="All disputes of the game's page.")] = False,
    readings: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="A B", help="Where two readings part: RULE=NAME of each side (several: with commas)."),
    ] = None,
    reading: Annotated[
        list[str] | None, typer.Option(metavar="RULE=NAME", help="Settle a reading, a question or a policy.")
    ] = None,
    scope: Annotated[
        list[str] | None, typer.Option(metavar="KIND=NUMBER", help="How many pieces of a kind a player can have.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="The solver's limit for one question, in resource units.")
    ] = None,
    format: Annotated[AskFormat, typer.Option(help="How the answer is written.")] = AskFormat.text,
) -> None:
    """Answer a question about the rules: yes, no, an amount, depends, silent or contradiction, and by which rules.

    The id of a dispute asks that one. Exit status: 0 whatever the answer; with --all, 1 if one is not as expected;
    2 if the question cannot be understood; 3 if a limit was hit.
    """
    from turnproof.game import load
    from turnproof.report import json as as_json
    from turnproof.report import text as as_text

    if [question is not None, all_of_them, readings is not None].count(True) != 1:
        typer.echo("ask one question, or --all, or --readings A B", err=True)
        raise typer.Exit(FAULTY)
    out = as_text.console()
    if readings is not None:
        one, two = (_pairs(side.split(","), "readings") for side in readings)
        with _faults():
            loaded = load(game, _numbers(_pairs(scope, "scope")))
            found = loaded.apart(one, two, limit)
        if format is AskFormat.json:
            _write(as_json.parting(loaded.book, loaded.system, one, two, found))
        else:
            as_text.parting(out, loaded.book, loaded.system, one, two, found)
        raise typer.Exit(AS_EXPECTED)
    with _faults():
        loaded = load(game, _numbers(_pairs(scope, "scope")))
        typed = (question or "").strip("[] ").casefold()
        named = [dispute for dispute in loaded.disputes if dispute.id.casefold() == typed]
        if all_of_them or named:
            with _progress() as progress:
                settled = loaded.settle(
                    named or None, _pairs(reading, "reading"), progress, jobs=os.cpu_count() or 1, cached=True
                )
            right = all(one.as_expected for one in settled)
            if format is AskFormat.json:
                _write(as_json.answers(loaded.book, settled))
            else:
                as_text.settlements(out, loaded.book, settled)
            raise typer.Exit(AS_EXPECTED if right else UNEXPECTED)
        answer = loaded.ask(question or "", _pairs(reading, "reading"), limit)
    if format is AskFormat.json:
        _write(as_json.answer_document(loaded.book, answer))
    else:
        as_text.answer(out, loaded.book, answer)
    raise typer.Exit(LIMITED if answer.answer == "unknown" else AS_EXPECTED)


@app.command()
def diff(
    one: Annotated[str, typer.Argument(metavar="A", help="A name or a file.")],
    two: Annotated[str, typer.Argument(metavar="B", help="Another; a variant of the first, say.")],
    no_claims: Annotated[
        bool, typer.Option("--no-claims", help="Leave out the claims, which take the longest.")
    ] = False,
) -> None:
    """Say what is otherwise in one rulebook than in another: rules, plays that only one allows, verdicts on claims."""
    from dataclasses import replace

    from turnproof.game import load
    from turnproof.report import text as as_text
    from turnproof.variants import difference

    with _faults(), _progress() as progress:
        first, second = load(one), load(two)
        found = difference(replace(first, page=None) if no_claims else first, second, progress, os.cpu_count() or 1)
    as_text.difference(as_text.console(), first, second, found)


@app.command()
def graph(
    game: Annotated[str, typer.Argument(help="A name or a file.")],
    format: Annotated[GraphFormat, typer.Option(help="How the graph is written.")] = GraphFormat.json,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write to this file.")] = None,
) -> None:
    """Write the phase graph: steps, the ways between them, and the rules behind these."""
    from turnproof.game import load

    with _faults():
        loaded = load(game)
    from turnproof.report import graph as as_graph

    match format:
        case GraphFormat.json:
            text = json.dumps(as_graph.as_json(loaded.book, loaded.graph), ensure_ascii=False, indent=2)
        case GraphFormat.graphml:
            text = as_graph.as_graphml(loaded.graph)
        case GraphFormat.dot:
            text = as_graph.as_dot(loaded.book, loaded.graph)
    if output is None:
        typer.echo(text)
    else:
        _to_file(output, f"{text.rstrip()}\n".encode())


@app.command()
def draw(
    games: Annotated[list[str], typer.Argument(metavar="GAME [OTHER…]", help="Names or files; several to compare.")],
    view: Annotated[
        str, typer.Option(help="What is drawn: flow, windows, combat, play, compare, diff or aid.")
    ] = "flow",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The file: .svg, .png, .pdf, .dot or .mmd; none: DOT, here.")
    ] = None,
    lang: Annotated[str, typer.Option(help="The language of names, if the rulebook has them in several.")] = "",
    compact: Annotated[bool, typer.Option("--compact", help="Of the flow: steps only, for a README.")] = False,
    claim: Annotated[str, typer.Option(help="Of a play: the claim that it refutes or shows.")] = "",
    situation: Annotated[
        str, typer.Option(help="Of a combat: `MOMENT when …`, in the words of questions (docs/questions.md).")
    ] = "",
    scope: Annotated[
        list[str] | None, typer.Option(metavar="KIND=NUMBER", help="How many pieces of a kind a player can have.")
    ] = None,
) -> None:
    """Draw a game: its turn, who may act when, an encounter, a play, turns side by side, or a player aid."""
    from turnproof.draw.render import FORMATS
    from turnproof.draw.views import picture
    from turnproof.game import load

    kind = output.suffix.lstrip(".").lower() if output is not None else "dot"
    if kind not in FORMATS:
        typer.echo(f"`{output}` should end in one of {', '.join(f'.{name}' for name in FORMATS)}", err=True)
        raise typer.Exit(FAULTY)
    with _faults():
        first, *others = [load(name, _numbers(_pairs(scope, "scope"))) for name in games]
        with _progress() as progress:
            made = picture(first, view, lang, compact, others, claim, situation, progress, os.cpu_count() or 1)
        data = made.render(kind)
    if output is None:
        typer.echo(data.decode("utf-8"), nl=False)
    else:
        _to_file(output, data)


@app.command()
def report(
    games: Annotated[list[str] | None, typer.Argument(metavar="GAME", help="Names or files; none: all.")] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="The file.")] = Path("report.html"),
    lang: Annotated[str, typer.Option(help="The language of names, if the rulebook has them in several.")] = "",
    jobs: Annotated[
        int | None, typer.Option(min=1, help="How many processes decide; as many as there are processors, if not said.")
    ] = None,
) -> None:
    """Write one HTML file on games: pictures, claims with plays to step through, findings, disputes, the rulebook.

    It opens in any browser and needs no network. Verdicts are taken from the cache where they still stand.
    """
    from turnproof.draw.views import encounters, picture
    from turnproof.game import load
    from turnproof.library import games as known_games
    from turnproof.report.html import page

    made = []
    with _faults():
        for name in games or list(known_games()):
            with _progress() as progress:
                game = load(name)
                found = game.check(progress=progress, jobs=jobs or os.cpu_count() or 1, cached=True)
                views = {view: picture(game, view, lang, progress=progress) for view in ("flow", "windows", "aid")}
                fights = encounters(game, lang)
            made.append((found, views, fights))
        text = page(made)
    _to_file(output, text.encode("utf-8"))
    typer.echo(f"wrote {output}")


@app.command()
def fmt(
    files: Annotated[list[Path], typer.Argument(help="Rulebooks and pages of claims.")],
    check_only: Annotated[
        bool, typer.Option("--check", help="Change nothing; status 1 if a file would change.")
    ] = False,
) -> None:
    """Put the blocks of files into the one layout; prose and comments stay as they are."""
    from turnproof.language.format import format_bytes
    from turnproof.library import read_bytes

    changed = 0
    for file in files:
        with _faults():
            data = read_bytes(file)
            text = format_bytes(data, str(file))
        if text.encode("utf-8") == data:
            continue
        changed += 1
        if check_only:
            typer.echo(f"would change {file}")
        else:
            file.write_text(text, encoding="utf-8")
            typer.echo(f"changed {file}")
    raise typer.Exit(UNEXPECTED if check_only and changed else AS_EXPECTED)


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="What the game is called in its rulebook: a word.")],
) -> None:
    """Write a small commented rulebook to model/NAME.md, which checks at once."""
    from turnproof.starter import page

    file = Path("model") / f"{name}.md"
    if not name.isidentifier():
        typer.echo(f"`{name}` is no name for a game: letters, digits and `_`, and no digit first", err=True)
        raise typer.Exit(FAULTY)
    if file.exists():
        typer.echo(f"{file} is there already", err=True)
        raise typer.Exit(FAULTY)
    try:
        file.parent.mkdir(exist_ok=True)
        file.write_text(page(name), encoding="utf-8")
    except OSError as error:
        typer.echo(f"{file} cannot be written: {error.strerror}", err=True)
        raise typer.Exit(FAULTY) from None
    typer.echo(f"wrote {file}; now: turnproof check {name}")


@app.command()
def explain(
    code: Annotated[str | None, typer.Argument(help="A code such as TP030; none: list them all.")] = None,
) -> None:
    """Say what a diagnostic or finding means, why it matters, and what to write instead."""
    from turnproof.diagnostics import suggestion
    from turnproof.diagnostics.codes import CODES

    if code is None:
        for entry in CODES.values():
            typer.echo(f"{entry.code}  {entry.title}")
        return
    found = CODES.get(code.upper())
    if found is None:
        typer.echo(f"there is no code {code}; {suggestion(code.upper(), CODES) or 'see `turnproof explain`'}", err=True)
        raise typer.Exit(FAULTY)
    typer.echo(f"{found.code}: {found.title}\n\n{found.what}\nWhy it matters: {found.why}\n")
    typer.echo("Example:\n" + _indented(found.example) + "\nWrite instead:\n" + _indented(found.instead))


def _indented(text: str) -> str:
    return "\n".join("    " + line for line in text.split("\n"))


@app.command()
def readings(game: Annotated[str, typer.Argument(help="A name or a file.")]) -> None:
    """List the readings, open questions and policies of a rulebook, for `check --reading`."""
    from turnproof.game import load
    from turnproof.report import text as as_text

    with _faults():
        loaded = load(game)
    as_text.questions(as_text.console(), loaded.book)


@contextmanager
def _faults() -> Iterator[None]:
    """Diagnostics instead of a traceback."""
    from turnproof.diagnostics import Invalid

    try:
        yield
    except Invalid as invalid:
        from turnproof.report import text as as_text

        as_text.diagnostics(as_text.console(stderr=True), invalid.diagnostics, invalid.texts)
        raise typer.Exit(FAULTY) from None


@contextmanager
def _progress() -> Iterator[Callable[[str], None] | None]:
    """On a terminal, a line that says what is being decided."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        yield lambda text: status.update(text)


def _status(reports: list[Report], faulty: bool) -> int:
    if faulty:
        return FAULTY
    disputes = [one for report in reports for one in report.disputes if not one.as_expected]
    open_ones = [one for one in disputes if one.answer.answer == "unknown"]
    if any(report.unexpected or any(one.pressing for one in report.findings) for report in reports) or len(
        disputes
    ) > len(open_ones):
        return UNEXPECTED
    return LIMITED if open_ones or any(report.undecided for report in reports) else AS_EXPECTED


def _pairs(options: list[str] | None, what: str) -> dict[str, str]:
    pairs = {}
    for option in options or []:
        name, equals, value = option.partition("=")
        if not equals or not name or not value:
            raise typer.BadParameter(f"`{option}` is not of the form NAME=VALUE", param_hint=f"--{what}")
        pairs[name.strip("[]")] = value
    return pairs


def _numbers(pairs: dict[str, str]) -> dict[str, int]:
    for name, value in pairs.items():
        if not value.isdigit():
            raise typer.BadParameter(f"`{value}` is not a number", param_hint=f"--scope {name}")
    return {name: int(value) for name, value in pairs.items()}


def _nearby(path: Path) -> str:
    """A path as short as it can be said from here."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def _to_file(file: Path, data: bytes) -> None:
    try:
        file.write_bytes(data)
    except OSError as error:
        typer.echo(f"cannot write {file}: {error.strerror}", err=True)
        raise typer.Exit(FAULTY) from None


def _write(document: dict[str, Any]) -> None:
    typer.echo(json.dumps(document, ensure_ascii=False, indent=2))


def main() -> None:
    """The entry point of the command `turnproof`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        app()
    except KeyboardInterrupt:
        typer.echo("stopped", err=True)
        sys.exit(STOPPED)


if __name__ == "__main__":
    main()
