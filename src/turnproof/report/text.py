"""Reports that people like to read: in colour on a terminal, plain when piped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding

from turnproof.diagnostics import Diagnostic
from turnproof.language.printer import body_head
from turnproof.rulebook.model import Rulebook, title
from turnproof.solve.plays import Counterexample, Happened
from turnproof.system.system import System
from turnproof.verdict.evidence import background
from turnproof.verdict.explain import at_issue, broken, sentence, sentences
from turnproof.verdict.result import Case, ClaimResult, Finding

if TYPE_CHECKING:
    from turnproof.answers.answer import Answer, Event
    from turnproof.answers.apart import Parting
    from turnproof.answers.settle import Settlement
    from turnproof.game import Game, Report
    from turnproof.variants import Difference

COLOURS = {
    "proved": "green", "refuted": "red", "depends": "yellow", "silent": "yellow", "contradiction": "magenta",
    "vacuous": "yellow",
}  # fmt: skip
QUIET = ("F005", "F006")
ANSWERS = {
    "yes": "green", "no": "red", "amount": "green", "depends": "yellow", "silent": "yellow", "contradiction": "magenta",
}  # fmt: skip
MOST_DIAGNOSTICS = 50
MOST_EVENTS = 8


def console(stderr: bool = False) -> Console:
    """A console that does not guess: no highlighting of numbers, no wrapping of what is piped."""
    made = Console(stderr=stderr, highlight=False, soft_wrap=False)
    if not made.is_terminal:
        made = Console(stderr=stderr, highlight=False, width=160, no_color=True)
    return made


def diagnostics(out: Console, found: Sequence[Diagnostic], texts: Mapping[str, str]) -> None:
    """Diagnostics with the lines they are about."""
    for diagnostic in found[:MOST_DIAGNOSTICS]:
        _diagnostic(out, diagnostic, texts.get(diagnostic.path))
    if len(found) > MOST_DIAGNOSTICS:
        out.print(f"… and {len(found) - MOST_DIAGNOSTICS} more")
    errors = sum(d.severity == "error" for d in found)
    out.print(f"{errors} error{'s' if errors != 1 else ''}; `turnproof explain CODE` says more about each")


def _diagnostic(out: Console, diagnostic: Diagnostic, text: str | None) -> None:
    span = diagnostic.span
    where = f"{diagnostic.path}:{span.line}:{span.column}" if text is not None else diagnostic.path
    out.print(
        f"[bold]{escape(where)}[/]: [red]{diagnostic.severity}[/] \\[{diagnostic.code}] {escape(diagnostic.message)}"
    )
    rows = text.split("\n") if text is not None else []
    for place in diagnostic.places:
        if not 0 < place.span.line <= len(rows):
            continue
        row = rows[place.span.line - 1]
        if len(row) > 200:
            continue
        width = place.span.end_column - place.span.column if place.span.end_line == place.span.line else len(row)
        mark = " " * (place.span.column - 1) + "^" * max(1, min(width, len(row) + 1))
        number = str(place.span.line)
        out.print(f"  [blue]{number} |[/] {escape(row)}")
        out.print(f"  [blue]{' ' * len(number)} |[/] [red]{mark}[/] {escape(place.text)}".rstrip())
    if diagnostic.hint:
        out.print(f"  [cyan]hint:[/] {escape(diagnostic.hint)}")


def report(out: Console, of: Report, base: str, findings: bool = False) -> None:
    """The report on one game; `base` is how its rulebook is called on the command line.

    With `findings`, gaps, readings and questions are shown one by one.
    """
    book = of.game.book
    scope = ", ".join(f"up to {number} {kind} each" for kind, number in of.game.scope.items())
    fixed = ", ".join(f"{name} = {option}" for name, option in of.readings.items())
    beside = of.game.claims_path in (None, of.game.path) or _beside(of.game.path, of.game.claims_path)
    claims = "" if beside else f"claims of {of.game.claims_path}"
    said = "; ".join(part for part in (scope, fixed and f"with {fixed}", claims) if part)
    name = f"[bold]{escape(title(book.titles, book.name))}[/]  {escape(base)}"
    out.print(name + (f"  [dim]({escape(said)})[/]" if said else ""))
    page = of.game.page
    counts = {**book.counts, "claims": len(page.claims) if page is not None else 0, "disputes": len(of.game.disputes)}
    said = ", ".join(f"{number} {what.removesuffix('s') if number == 1 else what}" for what, number in counts.items())
    out.print(f"  [dim]{said}[/]")
    width = max((len(result.claim.id) for result in of.claims), default=0)
    for result in of.claims:
        _claim(out, book, result, width)
    if of.disputes:
        right = sum(one.as_expected for one in of.disputes)
        number = f"{len(of.disputes)} dispute{'s' if len(of.disputes) != 1 else ''}"
        out.print(
            f"  {number}, {right} answered as expected; `turnproof ask {escape(of.game.path.stem)} --all` shows them"
        )
        settlements(out, book, [one for one in of.disputes if not one.as_expected])
    system = of.claims[0].system if of.claims else of.game.system
    for finding in of.findings:
        if findings or finding.code not in QUIET:
            _finding(out, book, system, finding)
    quiet = [finding for finding in of.findings if finding.code in QUIET]
    if quiet and not findings:
        kinds = [f"{sum(one.kind == kind for one in quiet)} {kind}s" for kind in dict.fromkeys(f.kind for f in quiet)]
        out.print(f"  [dim]{', '.join(kinds)} that somebody may ask about: `--findings` shows them[/]")
    if not of.claims:
        out.print(f"  no claims; they would stand in proofs/{of.game.path.name}, beside model/")


def _beside(rulebook: Path, claims: Path | None) -> bool:
    """Whether a page of claims is where one would look for it."""
    return claims is not None and claims.resolve().parent.parent == rulebook.resolve().parent.parent


def _claim(out: Console, book: Rulebook, result: ClaimResult, width: int) -> None:
    verdict = result.result
    signs = ("✓", "✗") if out.encoding.startswith("utf") else ("ok", "NO")
    mark = f"[green]{signs[0]}[/]" if result.as_expected else f"[red]{signs[1]}[/]"
    turns = f" on {', '.join(verdict.reasons)}" if verdict.reasons else ""
    said = f"[{COLOURS.get(verdict.verdict, 'cyan')}]{verdict.verdict}{turns}[/]"
    if not result.as_expected:
        on = result.claim.expect.on if result.claim.expect else ()
        said += f"  [red](expected {result.expected}{' on ' + ', '.join(on) if on else ''})[/]"
    out.print(f"  {mark} {result.claim.id.ljust(width)}  {said}  {escape(result.claim.text)}")
    if verdict.why:
        out.print(Padding(escape(f"because {verdict.why}"), (0, 0, 0, width + 6), expand=False))
    shown = [case for case in verdict.cases if case.counterexample and case.verdict == "proved"]
    for case in verdict.cases:
        if case not in shown[1:]:
            _case(out, book, result, case, width + 6)
    if len(shown) > 1:
        out.print(
            f"{' ' * (width + 6)}[dim]under other readings a play like it shows it; `--format json` has them all[/]"
        )
    for rules in verdict.also:
        out.print(f"{' ' * (width + 6)}[dim]also by {escape(', '.join(rules) or 'no rule')}[/]")


def _case(out: Console, book: Rulebook, result: ClaimResult, case: Case, indent: int) -> None:
    several = len(result.result.cases) > 1 and result.result.verdict not in ("proved", "refuted")
    when = " and ".join(f"{name} = {option}" for name, option in case.readings.items()) or (
        "every other reading" if case.others == "any" else "every reading at its default"
    )
    if case.readings and case.others == "default" and case.verdict == "proved":
        when += ", all else at its default"
    pad = " " * indent
    if several:
        out.print(f"{pad}{escape(when)}: [{COLOURS[case.verdict]}]{case.verdict}[/]")
        pad += "  "
    if case.proof is not None:
        _cited(out, book, case.proof.rules, case.readings, pad)
        if not case.proof.rules:
            also = ", ".join(background(book, result.claim, ()))
            why = f"; background {also}" if also else ""
            out.print(f"{pad}[dim]no rule is needed{why}[/]")
    if case.counterexample is not None:
        _shown(out, book, result, case, case.counterexample, pad)


def _shown(out: Console, book: Rulebook, result: ClaimResult, case: Case, play: Counterexample, pad: str) -> None:
    """A play, and what it comes to."""
    what = "that shows it" if case.verdict == "proved" else "that goes wrong"
    if play.cycle is not None:
        what = f"of which what happens from {play.cycle + 1} on can happen again for ever"
    out.print(f"{pad}{'the shortest play' if play.shortest else 'a play'} {what}:")
    _play(out, book, result.system, play, pad + "  ")
    for thing, value in at_issue(result.system.variables, result.of, play):
        out.print(f"{pad}  [bold]so {escape(thing)} is {escape(value)}[/]", soft_wrap=True)
    for false in broken(book, result.claim.body, result.of, play):
        out.print(f"{pad}  [bold]not so: {escape(false.text)}[/]{escape(false.since())}", soft_wrap=True)
    if play.then is not None and play.cycle is None:
        out.print(f"{pad}  [bold]from here there is no way to the end of the turn[/]")
    if play.then is not None:
        _cited(out, book, play.then.rules, case.readings, pad + "  ")


def _cited(out: Console, book: Rulebook, rules: Iterable[str], readings: Mapping[str, str], pad: str) -> None:
    """What cited rules say, but for readings that are ruled out."""
    for rule in rules:
        bodies = [
            clause for clause in book.clauses
            if clause.rule == rule
            and (clause.selection is None or readings.get(clause.selection[0]) in (None, clause.selection[1]))
        ]  # fmt: skip
        for number, clause in enumerate(bodies):
            name = f"[{rule}]" if number == 0 else " " * (len(rule) + 2)
            reading = f" ({clause.selection[1]})" if clause.selection else ""
            out.print(f"{pad}[dim]{escape(name)} {escape(body_head(clause.body))}{escape(reading)}[/]", soft_wrap=True)


def _play(out: Console, book: Rulebook, system: System, play: Counterexample, pad: str) -> None:
    arrow = "→" if out.encoding.startswith("utf") else "->"
    for number, told in enumerate(sentences(book, system.variables, play), 1):
        by = f"  [dim]by {', '.join(told.rules)}[/]" if told.rules else ""
        note = f"  [dim]{escape(told.note)}[/]" if told.note else ""
        out.print(f"{pad}{number}. {escape(told.text)}{by}{note}", soft_wrap=True)
        for what, before, after in told.changes:
            out.print(f"{pad}   {escape(what)}: {before} {arrow} {after}")


def _finding(out: Console, book: Rulebook, system: System, finding: Finding) -> None:
    known = f"  [dim]acknowledged by {escape(finding.acknowledged)}[/]" if finding.acknowledged else ""
    colour = "red" if finding.pressing else "yellow"
    out.print(f"  [{colour}]![/] {finding.code} {finding.kind}: {escape(finding.message)}{known}", soft_wrap=True)
    out.print(f"      [italic]{escape(finding.question)}[/]", soft_wrap=True)
    if finding.situation:
        facts = ", ".join(f"{what} = {value}" for what, value in finding.situation)
        out.print(f"      [dim]it shows where {escape(facts)}[/]", soft_wrap=True)
    for case, outcome in finding.outcomes:
        out.print(f"      [dim]{escape(case)}: {escape(outcome)}[/]", soft_wrap=True)
    if finding.witness is not None:
        _play(out, book, system, finding.witness, "      ")


def matrix(out: Console, of: Report, variants: Mapping[str, Mapping[str, str]]) -> None:
    """Each claim with what it is as a rule, and the readings and variants that make it otherwise.

    `variants` has verdicts by the variant's title and the claim's id.
    """
    out.print(f"[bold]{escape(title(of.game.book.titles, of.game.book.name))}[/]")
    width = max((len(result.claim.id) for result in of.claims), default=0)
    for result in of.claims:
        verdict = result.result
        usual = {s.name: s.usual for s in of.game.book.selectors.values()}
        plain, switches = verdict.verdict, []
        for case in verdict.cases if verdict.reasons else ():
            off = {name: option for name, option in case.readings.items() if usual.get(name) != option}
            if off:
                said = " and ".join(f"{name} = {option}" for name, option in off.items())
                switches.append(f"[{COLOURS[case.verdict]}]{case.verdict}[/] with {escape(said)}")
            else:
                plain = case.verdict
        held = f"[{COLOURS.get(plain, 'cyan')}]{plain}[/]" + (" as a rule" if switches else " under every reading")
        if plain == "unknown" or not verdict.complete:
            held = held.replace(" under every reading", "")
        for name, verdicts in variants.items():
            there = verdicts.get(result.claim.id)
            if there != verdict.said:
                switches.append(f"{escape(there)} in {escape(name)}" if there else f"not to be asked of {escape(name)}")
        out.print(f"  {result.claim.id.ljust(width)}  {held}{''.join('; ' + one for one in switches)}", soft_wrap=True)


def summary(out: Console, reports: Sequence[Report], seconds: float) -> None:
    """One line for all games."""
    claims = [claim for one in reports for claim in one.claims]
    open_ones = sum(not claim.as_expected and claim.result.verdict == "unknown" for claim in claims)
    wrong = sum(not claim.as_expected for claim in claims) - open_ones
    found = sum(one.pressing for report in reports for one in report.findings)
    disputes = [dispute for one in reports for dispute in one.disputes]
    answered = [one for one in disputes if not one.as_expected and one.answer.answer != "unknown"]
    wrong += len(answered)
    open_ones += sum(not one.as_expected for one in disputes) - len(answered)
    parts = [f"[red]{wrong} not as expected[/]"] if wrong else []
    parts += [f"[red]{open_ones} undecided[/]"] if open_ones else []
    state = ", ".join(parts) or "[green]all as expected[/]"
    asked = f", {len(disputes)} dispute{'s' if len(disputes) != 1 else ''}" if disputes else ""
    games = f"{len(reports)} game{'s' if len(reports) != 1 else ''}"
    out.print(
        f"{games}, {len(claims)} claim{'s' if len(claims) != 1 else ''}{asked}: {state}; "
        f"{found or 'no'} pressing finding{'s' if found != 1 else ''}  [dim]({seconds:.1f} s)[/]"
    )


def answer(out: Console, book: Rulebook, of: Answer, pad: str = "") -> None:
    """An answer with the rules that decide it, and on what it turns."""
    turns = f" on {', '.join(of.on)}" if of.on else ""
    amount = f", {of.amount}" if of.answer == "depends" and of.amount else ""
    colour = ANSWERS.get(of.answer, "cyan")
    out.print(f"{pad}[{colour} bold]{escape(of.said)}[/][{colour}]{escape(turns + amount)}[/]", soft_wrap=True)
    if of.why:
        out.print(f"{pad}  because {escape(of.why)}", soft_wrap=True)
    cited = [] if of.cases and of.answer != "unknown" else list(of.rules)
    _cited(out, book, cited, {}, pad + "  ")
    _course(out, of.course, pad + "  ")
    for case in of.cases:
        parts = [f"{name} = {option}" for name, option in case.readings.items()]
        parts += [f"{what} is {value}" for what, value in (*case.facts, *case.choices)]
        out.print(
            f"{pad}  {escape(' and '.join(parts) or 'as a rule')}: [bold]{escape(case.outcome)}[/]", soft_wrap=True
        )
        _cited(out, book, case.rules, case.readings, pad + "    ")
        _course(out, case.course, pad + "    ")
    for number, chance in of.chances:
        out.print(f"{pad}  {number}: {chance}")
    for rules in of.also:
        out.print(f"{pad}  [dim]also by {escape(', '.join(rules) or 'no rule')}[/]")
    if of.answer in ("silent", "no") and not of.rules and of.background:
        out.print(f"{pad}  [dim]what comes closest:[/]")
        _cited(out, book, of.background, {}, pad + "    ")
    for note in (*of.nearest, *of.notes):
        out.print(f"{pad}  [dim]{escape(note)}[/]", soft_wrap=True)


def _course(out: Console, course: Sequence[Event], pad: str) -> None:
    """How something comes about, for instance: what happens, and by which rules."""
    arrow = "→" if out.encoding.startswith("utf") else "->"
    for number, event in enumerate(course[:MOST_EVENTS]):
        lead = "for instance " if number == 0 else " " * len("for instance ")
        when = f"{event.when}: " if event.when else ""
        by = f"  by {', '.join(event.rules)}"
        out.print(
            f"{pad}[dim]{lead}{escape(when + event.what)} {event.before} {arrow} {event.after}{escape(by)}[/]",
            soft_wrap=True,
        )
    if len(course) > MOST_EVENTS:
        out.print(f"{pad}[dim]… and {len(course) - MOST_EVENTS} more; `--format json` has them all[/]")


def settlements(out: Console, book: Rulebook, found: Sequence[Settlement]) -> None:
    """Disputes with their answers, and whether these are the expected ones."""
    signs = ("✓", "✗") if out.encoding.startswith("utf") else ("ok", "NO")
    width = max((len(one.dispute.id) for one in found), default=0)
    for one in found:
        mark = f"[green]{signs[0]}[/]" if one.as_expected else f"[red]{signs[1]}[/]"
        out.print(f"  {mark} {one.dispute.id.ljust(width)}  {escape(one.dispute.text)}", soft_wrap=True)
        answer(out, book, one.answer, " " * (width + 6))
        if not one.as_expected:
            expect = one.dispute.expect
            wanted = expect.verdict + (f" on {', '.join(expect.on)}" if expect.on else "")
            by = f" by {', '.join(one.dispute.by)}" if one.dispute.by is not None else ""
            out.print(f"{' ' * (width + 6)}[red]expected {escape(wanted + by)}[/]", soft_wrap=True)


def parting(
    out: Console, book: Rulebook, system: System, one: Mapping[str, str], two: Mapping[str, str], found: Parting | None
) -> None:
    """Where two readings part: the play that goes alike, then each side with the rules that it relies on."""
    sides = [", ".join(f"{name} = {option}" for name, option in side.items()) for side in (one, two)]
    if found is None:
        out.print(f"no play was found in which {escape(sides[0])} and {escape(sides[1])} make a difference")
        return
    how = "the shortest play" if found.shortest else "a play"
    out.print(f"{how} after which {escape(sides[0])} and {escape(sides[1])} part:", soft_wrap=True)
    _play(out, book, system, found.play, "  ")
    state = found.play.happened[-1].after if found.play.happened else found.play.start
    for said, world, after in zip(sides, found.worlds, found.after, strict=True):
        if after is None:
            out.print(f"  [bold]{escape(said)}[/]: it does not go on so", soft_wrap=True)
            continue
        told = sentence(book, system.variables, Happened(found.command, found.params, after), state, world)
        by = f"  [dim]by {', '.join(told.rules)}[/]" if told.rules else ""
        out.print(f"  [bold]{escape(said)}[/]: {escape(told.text)}{by}", soft_wrap=True)
        for what, before, then in told.changes:
            out.print(f"     {escape(what)}: {before} -> {then}")


def difference(out: Console, one: Game, two: Game, found: Difference) -> None:
    """What is otherwise in the second game than in the first."""
    out.print(f"[bold]{escape(one.name)}[/] and [bold]{escape(two.name)}[/]")
    for what, rules, book in (
        ("added", found.added, two.book), ("removed", found.removed, one.book), ("changed", found.changed, two.book),
    ):  # fmt: skip
        if rules:
            out.print(f"  {what}:")
            _cited(out, book, [rule for rule in rules if rule in book.rules], {}, "    ")
            others = [rule for rule in rules if rule not in book.rules]
            if others:
                out.print(f"    [dim]{escape(', '.join(others))}[/]")
    # Games that differ in who does what at their end would be tedious to read one after the other.
    depths = [(play.shown.depth, at) for at, play in enumerate(found.plays) if play.shown is not None]
    first = found.plays[min(depths)[1]] if depths else None
    for play in found.plays:
        facts = ", ".join(f"{what} = {value}" for what, value in play.example)
        where = f"  [dim](where {escape(facts)})[/]" if facts else ""
        steps = ", ".join(play.steps)
        what = f"by {play.role}: {escape(play.play)} in {escape(steps)}"
        out.print(f"  only {escape(play.only_in)} allows, {what}{where}", soft_wrap=True)
        if play.shown is not None:
            game = one if one.name == play.only_in else two
            of = "the shortest game" if play.shown.shortest else "a game"
            out.print(f"    [dim]{of} that comes to it has {play.shown.depth} happenings[/]")
            if play is first:
                _play(out, game.book, game.system, play.shown, "      ")
    for claim, before, after in found.claims:
        out.print(f"  [{escape(claim)}] {before} in {escape(one.name)}, {after} in {escape(two.name)}")
    if not (found.added or found.removed or found.changed or found.plays or found.claims):
        out.print("  nothing is otherwise")


def questions(out: Console, book: Rulebook) -> None:
    """The readings and open questions of a rulebook, with their answers."""
    for selector in book.selectors.values():
        kind = "open" if selector.default is None else "reading"
        options = ", ".join(f"{o} (default)" if o == selector.default else o for o in selector.options)
        out.print(f"  {kind:8} [bold]{escape(selector.name)}[/]  {escape(selector.question)}")
        out.print(f"           {escape(options)}")
