"""An encounter as a timeline: for each moment the pieces of both sides, what passes between them, and who falls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from turnproof.answers.course import Change, Course, Stage, moment_name
from turnproof.draw.flow import anchor
from turnproof.draw.markup import SMALL, Cell, Span, Table, label, wrapped
from turnproof.draw.palette import DEADLY, GONE, LINE, PHASE, PLAIN, PLAYER, Tone
from turnproof.draw.picture import Picture, canvas
from turnproof.rulebook.model import Rulebook
from turnproof.system.interpret import State
from turnproof.system.shares import Share
from turnproof.verdict.explain import hidden, shown_value
from turnproof.words import word

WIDE = 38


def combat(book: Rulebook, of: Course, heading: str, language: str = "") -> Picture:
    """What happens in a course, moment by moment."""
    language = language or book.language
    return _Combat(book, of, heading, language).picture()


@dataclass(frozen=True, slots=True)
class _Flow:
    """What one thing does to another at a moment: whose key to whose key, and how much of what."""

    source: str
    target: str
    what: str
    rules: tuple[str, ...]


class _Combat:
    def __init__(self, book: Rulebook, of: Course, heading: str, language: str) -> None:
        self.book, self.of, self.heading, self.language = book, of, heading, language
        seen = [change for stage in of.stages for change in stage.changes if not hidden(change.variable.name)]
        self.keys = list(dict.fromkeys([*of.names, *(owner(change) for change in seen)]))
        self.keys = [key for key in self.keys if key]
        self.noted: dict[str, list[tuple[str, int]]] = {}
        # What a piece is stands in the first panel only: it stays so.
        self.once = {key: self.printed(key) for key in of.names}
        self.shown: dict[str, list[str]] = {key: [] for key in self.keys}
        for change in seen:
            if owner(change) and not change.variable.name.endswith(".in_play"):
                self.shown[owner(change)].append(change.variable.name)

    def printed(self, key: str) -> list[str]:
        """What never changes of a piece and says what it is: its first numbers, and what it has."""
        kind = self.book.kind(key.split(".")[1])
        changing = {change.variable.name for stage in self.of.stages for change in stage.changes}
        found = []
        for name, field in (kind.fields if kind is not None else {}).items():
            value = self.of.start[f"{key}.{name}"]
            if f"{key}.{name}" not in changing and value not in (False, field.initial, "nothing"):
                found.append(f"{key}.{name}")
        return found[:4]

    def picture(self) -> Picture:
        made = canvas("combat", self.language, rankdir="TB", nodesep="0.5", ranksep="0.05", newrank="true")
        made.attr(label=label(Table([[Cell([Span(wrapped(self.heading, 120), SMALL)])]])),
                  labelloc="t", labeljust="l")  # fmt: skip
        before: State = self.of.start
        told = []
        last: list[str] = []
        for number, (stage, flows) in enumerate(self.panels()):
            with made.subgraph(name=f"cluster_{number}") as panel:
                name = moment_name(self.book, stage, self.language) or word("what happens", self.language)
                panel.attr(label=f"{number + 1}. {name}", style="rounded,filled", fillcolor=PHASE.ground, color=LINE,
                           labeljust="l", margin="5", tooltip=" ")  # fmt: skip
                for side in self.sides():
                    with panel.subgraph() as rank:
                        rank.attr(rank="same")
                        for key in side:
                            rank.node(
                                f"{number} {key}", label(self.box(key, before, stage.after, not number)), tooltip=" "
                            )
                        for one, two in pairwise(side):
                            rank.edge(f"{number} {one}", f"{number} {two}", style="invis")
                for flow in flows:
                    panel.edge(
                        f"{number} {flow.source}", f"{number} {flow.target}", label=f" {flow.what} ", color=DEADLY.line,
                        fontcolor=DEADLY.text, penwidth="1.6", tooltip=", ".join(flow.rules) or " ",
                        **({"URL": anchor(flow.rules[0])} if flow.rules else {}),
                        constraint="false",
                    )  # fmt: skip
                told += [f"{name}: {self.called(f.source)} → {self.called(f.target)}, {f.what}." for f in flows]
            # One side stands below the other, and each moment below the one before.
            heads = [f"{number} {side[0]}" for side in self.sides() if side]
            for one, two in pairwise([*last, *heads]):
                made.edge(one, two, style="invis", weight="9")
            last = heads[-1:]
            before = stage.after
        return Picture(self.heading, " ".join(told) or self.heading, str(made.source), "", self.language)

    def panels(self) -> list[tuple[Stage, list[_Flow]]]:
        """The moments worth a panel: where something passes from one to another, or somebody falls; else the last."""
        found = []
        before: State = self.of.start
        for stage in self.of.stages:
            flows = list(self.flows(stage, before))
            self.remember(stage, before)
            falls = any(change.variable.name.endswith(".in_play") for change in stage.changes)
            if flows or falls:
                found.append((stage, flows))
            before = stage.after
        return found or [(stage, []) for stage in self.of.stages[-1:]]

    def sides(self) -> tuple[list[str], list[str]]:
        """The pieces (and the player) of the active player, and those of others."""
        mine = [key for key in self.keys if key.partition(".")[0] == self.of.active]
        return mine, [key for key in self.keys if key not in mine]

    def counts(self, change: Change) -> bool:
        return not hidden(change.variable.name) and bool(owner(change))

    def called(self, key: str) -> str:
        """What a piece or player is called."""
        if key in self.of.names:
            return self.of.names[key]
        if key in self.book.players:
            return word("active player" if key == self.of.active else "other player", self.language)
        return shown_value(key, self.language)

    def box(self, key: str, before: State, after: State, first: bool) -> Table:
        """A piece or a player as it is at a moment: what it has, and what has changed since the last one."""
        gone = key not in self.book.players and not after[f"{key}.in_play"]
        fell = gone and bool(before[f"{key}.in_play"])
        tone = DEADLY if fell else GONE if gone else PLAYER if key.partition(".")[0] == self.of.active else PLAIN
        rows = [[Cell([Span(self.called(key), strong=True, colour=tone.text)])]]
        if fell or gone:
            rows.append([self.line(word("removed", self.language), tone)])
        stays, moved = [], []
        for name in dict.fromkeys([*(self.once.get(key, []) if first else []), *self.shown[key]]):
            what = name.rpartition(".")[2].replace("_", " ")
            old, new = self.value(before[name]), self.value(after[name])
            if old != new:
                moved.append(f"{what}\u00a0{old}\u00a0→\u00a0{new}")
            elif after[name] not in (0, False, "nothing") and not gone:
                stays.append(what if after[name] is True else f"{what} {new}")
        rows += [[self.line(", ".join(stays), tone)]] if stays else []
        rows += [[self.line(", ".join(moved), DEADLY)]] if moved else []
        return Table(rows, tone, border=1, rounded=True)

    def line(self, text: str, tone: Tone) -> Cell:
        return Cell([Span(wrapped(text, WIDE), SMALL, colour=tone.text)])

    def value(self, value: object) -> str:
        if isinstance(value, str) and value in self.of.names:
            return self.of.names[value]
        return shown_value(value, self.language) if isinstance(value, bool | int | str) else ""

    def flows(self, stage: Stage, before: State) -> Iterator[_Flow]:
        """What passes from one to another: what a change is made of that belongs to somebody else."""
        for change in stage.changes:
            target = owner(change)
            if not self.counts(change):
                continue
            what = change.variable.name.rpartition(".")[2].replace("_", " ")
            for share in change.shares:
                if share.added:
                    for source, amount in self.sources(target, share, before):
                        yield _Flow(source, target, f"{amount:+d} {what}", share.rules)

    def sources(self, target: str, share: Share, before: State) -> list[tuple[str, int]]:
        """From whom how much of a share comes; nothing, where that is not clear."""
        if not isinstance(share.amount, int) or isinstance(share.amount, bool):
            return []
        source = self.source(target, share.made_of, before)
        if source:
            return [(source, share.amount)]
        # What has been noted down for it before may have come from others.
        noted = [one for name in share.made_of for one in self.noted.get(name, ())]
        return noted if sum(amount for _, amount in noted) == share.amount else []

    def remember(self, stage: Stage, before: State) -> None:
        """Notes of whose quantities a quantity is the sum, for when something is made of it."""
        for change in stage.changes:
            whole = [self.sources(owner(change), share, before) for share in change.shares if not share.added]
            self.noted[change.variable.name] = [one for part in whole for one in part] if all(whole) else []

    def source(self, target: str, made_of: Iterable[str], before: State) -> str:
        """From whom a share comes: the one other that its quantities belong to; else the one that its own refer to."""
        owners = {key for name in made_of for key in [name.rpartition(".")[0]] if key in self.keys}
        others = owners - {target}
        if len(others) == 1:
            return others.pop()
        if others or not owners or target in self.book.players:
            return ""
        refers = {
            str(value) for name, value in before.items()
            if name.startswith(f"{target}.") and isinstance(value, str) and value in self.keys
        }  # fmt: skip
        return refers.pop() if len(refers) == 1 else ""


def owner(change: Change) -> str:
    """The piece or player that a quantity belongs to; empty, if it is the game's."""
    key = change.variable.name.rpartition(".")[0]
    return key if key and not key.startswith("game") else ""
