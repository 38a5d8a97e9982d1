"""A whole report as one HTML file: pictures, claims with plays, findings, disputes and the rulebook, linked together.

It needs no network, and asks for none: its policy forbids whatever is not in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnproof import __version__
from turnproof.answers.answer import Answer
from turnproof.report import json as plain
from turnproof.rulebook.model import title

if TYPE_CHECKING:
    from turnproof.draw.picture import Picture
    from turnproof.game import Report

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
_FENCE = re.compile(
    r"^(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)\n(?P<body>.*?)^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL
)
_RULE = re.compile(r"^(?:(?:open|reading) )?\[(?P<id>[^\[\]\s|\\\"]+)\]")


def page(reports: Sequence[tuple[Report, Mapping[str, Picture], Mapping[str, Picture]]]) -> str:
    """The page on some games, each with its pictures by the name of the view, and those of encounters by dispute."""
    games = [_Game(*one) for one in reports]
    heading = " · ".join(game.title for game in games)
    links = "".join(f'<a href="#{game.id("top")}">{escape(game.title)}</a>' for game in games)
    style, script = (files("turnproof.report").joinpath(name).read_text(encoding="utf-8")
                     for name in ("report.css", "report.js"))  # fmt: skip
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>{escape(heading)}: turnproof report</title>
<link rel="icon" href="data:,">
<style>
{style}</style>
</head>
<body>
<a class="skip" href="#main">To the content</a>
<header>
<strong>{escape(heading)}</strong>
<nav aria-label="Games">{links if len(games) > 1 else games[0].sections()}</nav>
<label>Search <input id="search" type="search" placeholder="/" aria-keyshortcuts="/"></label>
<output id="count"></output>
<button id="theme" type="button" aria-keyshortcuts="d">Light / dark</button>
</header>
<main id="main">
{"".join(game.html() for game in games)}<p class="faint">Made by turnproof {escape(__version__)}. Keys: / search,
Esc all again, d light or dark, arrows within a play.</p>
</main>
<script>
{script}</script>
</body>
</html>
"""


class _Game:
    """One game of a report; ids are told apart by its name."""

    def __init__(
        self, report: Report, pictures: Mapping[str, Picture], encounters: Mapping[str, Picture]
    ) -> None:  # fmt: skip
        self.report, self.book = report, report.game.book
        self.plain = plain.game(report)
        self.title = title(self.book.titles, self.book.name)
        self.pictures = {view: self.inlined(view, picture) for view, picture in pictures.items()}
        self.encounters = {one: self.inlined(one, picture) for one, picture in encounters.items()}
        self.cited = self.citations()
        self.placed: set[str] = set()
        lines = (line for text in self.pages_of_rules().values() for line in text.splitlines())
        self.standing = {match["id"] for match in map(_RULE.match, lines) if match is not None}

    def id(self, name: str) -> str:
        return escape(f"{self.book.name}-{name}", quote=True)

    def sections(self) -> str:
        names = ("Pictures", "Claims", "Findings", "Disputes", "Rulebook")
        return "".join(f'<a href="#{self.id(name.lower())}">{name}</a>' for name in names)

    def html(self) -> str:
        """The whole of it."""
        counts = ", ".join(f"{number} {what.replace('_', ' ')}" for what, number in self.plain["counts"].items())
        return (
            f'<h1 id="{self.id("top")}">{escape(self.title)}</h1>\n<p class="faint">{escape(counts)}</p>\n'
            f"<nav>{self.sections()}</nav>\n"
            + self.section("Pictures", "".join(self.pictures.values()))
            + self.section("Claims", "".join(self.claim(one) for one in self.plain["claims"]),
                           [claim["verdict"] for claim in self.plain["claims"]])
            + self.section("Findings", "".join(self.findings()), [one["kind"] for one in self.plain["findings"]])
            + self.section("Disputes", "".join(self.disputes()), [one["answer"] for one in self.plain["disputes"]])
            + self.section("Rulebook", self.rulebook())
        )  # fmt: skip

    def section(self, name: str, content: str, kinds: Iterable[str] = ()) -> str:
        known = list(dict.fromkeys(kinds))
        options = "".join(f'<option value="{escape(kind)}">{escape(kind)}</option>' for kind in known)
        chooser = f' <select aria-label="Which {name.lower()}"><option value="">all</option>{options}</select>'
        return (
            f'<section id="{self.id(name.lower())}">\n<h2>{name}{chooser if known else ""}</h2>\n'
            f"{content or '<p>None.</p>'}</section>\n"
        )

    # -- pictures

    def inlined(self, view: str, picture: Picture) -> str:
        """A picture within the page: its ids are its own, and its links lead to the rules here."""
        svg = picture.render("svg").decode("utf-8")
        svg = re.sub(r"<\?xml[^>]*>\s*", "", svg)
        lead = f"{self.book.name}-{view}-"
        svg = re.sub(r'\bid="', f'id="{escape(lead)}', svg)
        svg = svg.replace('aria-labelledby="title description"', f'aria-labelledby="{lead}title {lead}description"')
        svg = svg.replace('xlink:href="#rule-', f'xlink:href="#{self.book.name}-rule-')
        svg = re.sub(r'<a xlink:href="#"', "<a", svg)
        return f'<div class="picture" id="{self.id(f"view-{view}")}">{svg}</div>\n'

    # -- claims

    def claim(self, of: Mapping[str, Any]) -> str:
        turns = f" on {', '.join(of['reasons'])}" if of["reasons"] else ""
        wrong = "" if of["as_expected"] else f" <strong>(expected {escape(of['expected'])})</strong>"
        parts = [self.rules(of["rules"]), self.play(of["trace"], of["at_issue"], of["broken"])]
        for case in of["cases"]:
            said = " and ".join(f"{name} = {option}" for name, option in case["readings"].items()) or "as a rule"
            parts.append(f"<h3>{escape(said)}: {_badge(case['verdict'])}</h3>")
            parts += [self.rules(case["rules"]), self.play(case["trace"], case["at_issue"], case["broken"])]
        why = f"<p>because {escape(of['why'])}</p>" if of["why"] else ""
        return (
            f'<details class="item" id="{self.id("claim-" + of["id"])}" data-kind="{escape(of["verdict"])}">'
            f"<summary>{_badge(of['verdict'])} {escape(of['id'])}{escape(turns)}{wrong}: {escape(of['text'])}</summary>"
            f"{why}{''.join(parts)}</details>\n"
        )

    def play(self, trace: Sequence[Mapping[str, Any]], issue: Sequence[Mapping[str, str]], broken: Any) -> str:
        """A play to step through."""
        if not trace:
            return ""
        steps = []
        breaks = {one["happening"] for one in broken}
        for number, one in enumerate(trace):
            changes = "".join(
                f"<li>{escape(c['what'])}: {escape(c['before'])} → {escape(c['after'])}</li>" for c in one["changes"]
            )
            note = f" <span class=faint>{escape(one['note'])}</span>" if one["note"] else ""
            mark = ' <strong class="refuted">here it breaks</strong>' if number in breaks else ""
            steps.append(f'<li class="step">{escape(one["text"])} {self.links(one["rules"])}{note}{mark}'
                         f"{f'<ul>{changes}</ul>' if changes else ''}</li>")  # fmt: skip
        ends = [f"so {one['what']} is {one['value']}" for one in issue] + [f"not so: {one['text']}" for one in broken]
        buttons = "".join(
            f'<button type="button" data-go="{go}">{name}</button>'
            for go, name in (("first", "First"), ("-1", "Back"), ("1", "Next"), ("all", "All"))
        )
        said = "".join(f"<p><strong>{escape(end)}</strong></p>" for end in ends)
        return (f'<div class="play" tabindex="0" role="group" aria-label="A play">{buttons}<output></output>'
                f"<ol>{''.join(steps)}</ol>{said}</div>")  # fmt: skip

    # -- findings and disputes

    def findings(self) -> Iterator[str]:
        for number, one in enumerate(self.plain["findings"]):
            by = one["acknowledged"]
            known = f' <span class="faint">acknowledged by {escape(by)}</span>' if by else ""
            facts = ", ".join(f"{fact['what']} = {fact['value']}" for fact in one["situation"])
            outcomes = "".join(f"<li>{escape(o['case'])}: {escape(o['outcome'])}</li>" for o in one["outcomes"])
            yield (
                f'<details class="item" id="{self.id(f"finding-{number}")}" data-kind="{escape(one["kind"])}">'
                f"<summary>{escape(one['code'])} {escape(one['kind'])}: {escape(one['message'])}{known}</summary>"
                f"<p><em>{escape(one['question'])}</em></p>{f'<p>It shows where {escape(facts)}.</p>' if facts else ''}"
                f"{f'<ul>{outcomes}</ul>' if outcomes else ''}{self.rules(one['rules'])}"
                f"{self.play(one['witness'], (), ())}</details>\n"
            )

    def disputes(self) -> Iterator[str]:
        for one, settled in zip(self.plain["disputes"], self.report.disputes, strict=True):
            answer: Answer = settled.answer
            on = f" on {', '.join(answer.on)}" if answer.on else ""
            cases = "".join(
                f"<li>{escape(_case(c))}: <strong>{escape(c['outcome'])}</strong> {self.links(c['rules'])}</li>"
                for c in one["cases"]
            )
            chances = "".join(f"<li>{escape(c['value'])}: {escape(c['chance'])}</li>" for c in one["chances"])
            course = "".join(
                f"<li>{escape(e['when'])}: {escape(e['what'])} {escape(e['before'])} → {escape(e['after'])} "
                f"{self.links(e['rules'])}</li>" for e in one["course"]
            )  # fmt: skip
            notes = "".join(f'<p class="faint">{escape(note)}</p>' for note in (*answer.nearest, *answer.notes))
            wrong = "" if one["as_expected"] else f" <strong>(expected {escape(one['expected'])})</strong>"
            yield (
                f'<details class="item" id="{self.id("dispute-" + one["id"])}" data-kind="{escape(one["answer"])}">'
                f"<summary>{_badge(answer.answer, answer.said)} {escape(one['id'])}{escape(on)}{wrong}: "
                f"{escape(one['text'])}</summary><p><code>{escape(one['question'])}</code></p>"
                f"{'' if cases else self.rules(one['rules'])}{f'<ul>{cases}</ul>' if cases else ''}"
                f"{f'<ul>{chances}</ul>' if chances else ''}"
                f"{f'<p>For instance:</p><ul>{course}</ul>' if course else ''}"
                f"{self.encounters.get(one['id'], '')}{notes}</details>\n"
            )

    # -- rules

    def links(self, rules: Iterable[str]) -> str:
        said = ", ".join(self.link(rule, rule) for rule in rules)
        return f'<span class="faint">by {said}</span>' if said else ""

    def link(self, rule: str, text: str) -> str:
        """A rule's name, which leads to where it stands; what no rule decides has a name, too, and no such place."""
        return (
            f'<a href="#{self.id("rule-" + rule)}">{escape(text)}</a>' if rule in self.standing else escape(text)
        )  # fmt: skip

    def rules(self, rules: Iterable[str]) -> str:
        """Rules with what they say."""
        rows = []
        for rule in rules:
            bodies = plain.sayings(self.book, rule)
            rows.append(f"<li>{self.link(rule, f'[{rule}]')} {escape('; '.join(bodies[:3]))}</li>")
        return f"<ul>{''.join(rows)}</ul>" if rows else ""

    def citations(self) -> dict[str, list[tuple[str, str]]]:
        """What speaks of each rule: names with what they link to."""
        found: dict[str, list[tuple[str, str]]] = {}
        for kind, some in (("claim", self.plain["claims"]), ("dispute", self.plain["disputes"])):
            for one in some:
                rules = [*one["rules"], *(rule for case in one["cases"] for rule in case["rules"])]
                for rule in dict.fromkeys(rules):
                    found.setdefault(rule, []).append((one["id"], f"{kind}-{one['id']}"))
        for number, finding in enumerate(self.plain["findings"]):
            for rule in finding["rules"]:
                found.setdefault(rule, []).append((finding["code"], f"finding-{number}"))
        for view, picture in self.pictures.items():
            for rule in dict.fromkeys(re.findall(rf'xlink:href="#{re.escape(self.book.name)}-rule-([^"]+)"', picture)):
                found.setdefault(rule, []).append((f"{view} ↗", f"view-{view}"))
        return found

    def rulebook(self) -> str:
        """The rulebook's page, and those of what it extends."""
        own, *bases = self.pages_of_rules().items()
        extends = (f"<h3>It extends: {escape(Path(path).stem)}</h3>\n{self.told(text)}" for path, text in bases)
        return self.told(own[1]) + "".join(extends)

    def pages_of_rules(self) -> dict[str, str]:
        """The texts of the rulebook and of what it extends, by path."""
        game = self.report.game
        own = str(game.path)
        others = {path: text for path, text in game.texts.items() if path not in (own, str(game.claims_path))}
        return {own: game.texts.get(own, ""), **others}

    def told(self, text: str) -> str:
        """A page of rules: its prose as it reads, its rules with what speaks of them."""
        from markdown_it import MarkdownIt

        prose = MarkdownIt("commonmark", {"html": False}).enable("table")
        parts = []
        at = 0
        for found in _FENCE.finditer(text):
            parts.append(_lower(str(prose.render(text[at : found.start()]))))
            lines = found["body"].rstrip("\n").split("\n")
            rules = found["info"].strip() == "rules"
            parts.append(f"<pre>{self.ruled(lines) if rules else escape(found['body'])}</pre>\n")
            at = found.end()
        parts.append(_lower(str(prose.render(text[at:]))))
        return "".join(parts)

    def ruled(self, lines: Iterable[str]) -> str:
        """A block of rules, in which each can be linked to."""
        found: list[str] = []
        for line in lines:
            match = _RULE.match(line)
            if match is None:
                found.append(escape(line) + "\n")
                continue
            rule = match["id"]
            if rule in self.placed:
                # The variant says it anew.
                found.append(f'<span class="faint">{escape(line)}</span>\n')
                continue
            self.placed.add(rule)
            links = " ".join(
                f'<a href="#{self.id(target)}">{escape(name)}</a>' for name, target in self.cited.get(rule, ())[:12]
            )
            cited = f'<span class="cited">{links}</span>' if links else ""
            found.append(f'<span class="rule" id="{self.id("rule-" + rule)}">{escape(line)}{cited}</span>')
        return "".join(found)


def _badge(kind: str, said: str = "") -> str:
    return f'<span class="badge {escape(kind)}">{escape(said or kind)}</span>'


def _case(case: Mapping[str, Any]) -> str:
    """Under what a case is so."""
    parts = [f"{name} = {option}" for name, option in case["readings"].items()]
    parts += [f"{one['what']} is {one['value']}" for one in (*case["facts"], *case["choices"])]
    return " and ".join(parts) or "as a rule"


def _lower(html: str) -> str:
    """Headings of a rulebook below those of the report, and no links to files that are not with it."""
    html = re.sub(r'<a href="(?!#|https?:|mailto:)[^"]*">(.*?)</a>', r"\1", html)
    return re.sub(r"<(/?)h([1-4])>", lambda found: f"<{found[1]}h{int(found[2]) + 2}>", html)
