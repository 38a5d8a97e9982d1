"""Contradictions: two rules that allow and forbid one play in one state, or decide one value differently."""

from __future__ import annotations

from itertools import combinations, product

from turnproof.findings.inquiry import Inquiry, Tried
from turnproof.language import syntax as s
from turnproof.rulebook.elaborate import PLAYER, Bound
from turnproof.rulebook.model import Decided, title_of
from turnproof.rulebook.permissions import heard, present
from turnproof.system import expr as x
from turnproof.verdict.result import Finding


def permissions(of: Inquiry) -> list[Finding]:
    """Pairs of rules, neither of which overrides the other, that allow and forbid the same."""
    pairs: dict[tuple[str, str], list[tuple[Tried, x.Expr]]] = {}
    for tried in of.attempts:
        voices = heard(of.el, tried.attempt)
        narrow = x.any_of(holds for _, effect, holds in voices if effect == "narrow")
        within = of.maker.within_limits(tried.attempt)
        allowing = [(rule, holds) for rule, effect, holds in voices if effect == "allow"]
        forbidding = [(rule, holds) for rule, effect, holds in voices if effect == "forbid"]
        for (one, allows), (two, forbids) in product(allowing, forbidding):
            both = x.both(tried.turn, allows, forbids, x.negate(narrow), within)
            if one != two and both != x.FALSE:
                pairs.setdefault((one, two), []).append((tried, both))
    return [finding for pair, cases in pairs.items() if (finding := _clash(of, pair, cases)) is not None]


def _clash(of: Inquiry, pair: tuple[str, str], cases: list[tuple[Tried, x.Expr]]) -> Finding | None:
    """The clash of two rules, as it shows in the first play of which both can speak."""
    for tried, both in cases:
        shown = of.shown(both, of.maker.told_of(tried.play), tried.pieces)
        if shown is None:
            continue
        known = of.acknowledged(pair, shown.readings)
        may, play = (True, None) if known else of.reached(both, shown.readings)
        if not may:
            continue
        where = title_of(of.book.steps[shown.step])
        others = len({other.play.name for other, _ in cases}) - 1
        more = f" (and {others} other play{'s' if others != 1 else ''})" if others else ""
        message = (
            f"[{pair[0]}] allows and [{pair[1]}] forbids, in {where}, by {tried.role}: {of.called(tried.play)}{more}"
        )
        read = tuple((name, option) for name, option in shown.readings.items())
        return Finding(
            "F003", "contradiction", pair, message, "Which of the two holds? One can override the other (`despite`).",
            play, play is not None,
            situation=(*shown.facts, *read),
            outcomes=((f"[{pair[0]}]", "it is allowed"), (f"[{pair[1]}]", "it is forbidden")),
            acknowledged=known,
        )  # fmt: skip
    return None


def skips(of: Inquiry) -> list[Finding]:
    """Pairs of rules, neither of which overrides the other, that pass over a step and say that it takes place."""
    found = []
    clauses = list(of.book.of(s.Skip))
    for (one, over), (two, never) in product(enumerate(clauses), repeat=2):
        first, second = over.body, never.body
        assert isinstance(first, s.Skip)
        assert isinstance(second, s.Skip)
        rules = (over.rule, never.rule)
        apart = one == two or first.mode != "must" or second.mode != "never" or rules[0] == rules[1]
        if apart or rules in of.book.overrides or rules[::-1] in of.book.overrides:
            continue
        steps = [name for name in of.book.steps if _named(of, name, first) and _named(of, name, second)]
        both = x.both(*(
            part for clause, body in ((over, first), (never, second))
            for part in (present(clause), of.el.truth(body.cond, of.el.base))
        ))  # fmt: skip
        shown = of.shown(x.both(of.first_active, both), {}, {}) if steps else None
        if shown is None:
            continue
        known = of.acknowledged(rules, shown.readings)
        may, play = (True, None) if known else of.reached(both, shown.readings)
        if may:
            where = ", ".join(title_of(of.book.steps[name]) for name in steps[:1])
            message = f"[{rules[0]}] passes over {where}, and [{rules[1]}] says that it takes place"
            found.append(
                Finding("F003", "contradiction", rules, message, "Which of the two holds? One can override the other.",
                        play, play is not None, (*shown.facts, *shown.readings.items()),
                        ((f"[{rules[0]}]", "it is passed over"), (f"[{rules[1]}]", "it takes place")), known)
            )  # fmt: skip
    return found


def _named(of: Inquiry, name: str, body: s.Skip) -> bool:
    """Whether a rule on what is passed over speaks of a step."""
    return of.maker.speaks_of(body.steps, name)


def values(of: Inquiry) -> list[Finding]:
    """Pairs of rules, neither of which overrides the other, that decide a value of one thing differently."""
    found = []
    for decided in of.book.decided.values():
        seen: set[tuple[str, str]] = set()
        for bound, names in _things(of, decided):
            voices = list(of.el.voices(decided, bound))
            for (one, first, value), (two, second, other) in combinations(voices, 2):
                differ = x.both(first, second, x.negate(x.eq(value, other)))
                if (one, two) in seen or differ == x.FALSE:
                    continue
                shown = of.shown(x.both(of.first_active, differ), {}, names)
                if shown is None:
                    continue
                known = of.acknowledged((one, two), shown.readings)
                there = x.both(of.first_active, differ)
                may, play = (True, None) if known else of.reached(there, shown.readings)
                if not may:
                    continue
                seen.add((one, two))
                thing = decided.name.replace("_", " ")
                said = f"[{one}] and [{two}] decide the {thing} of one {decided.kind.rstrip('s')} differently"
                read = tuple((name, option) for name, option in shown.readings.items())
                found.append(
                    Finding("F004", "contradiction", (one, two), said, f"What is the {thing} then?",
                            play, play is not None,
                            situation=(*shown.facts, *read),
                            outcomes=tuple((f"[{rule}]", _said(value)) for rule, value in ((one, value), (two, other))),
                            acknowledged=known)
                )  # fmt: skip
    return found


def _things(of: Inquiry, decided: Decided) -> list[tuple[Bound, dict[str, str]]]:
    """The first piece of each player, or each player, of which a value is decided."""
    if decided.kind == "player":
        return [((x.const(player), PLAYER), {}) for player in of.book.players[:2]]
    kind = of.book.kind(decided.kind)
    if kind is None:
        return []
    return [
        (piece, {piece.key: kind.name.rstrip("s")}) for player in of.book.players[:2]
        for piece in of.el.pieces(kind, player)[:1]
    ]  # fmt: skip


def _said(value: x.Expr) -> str:
    return str(value.value).replace("_", " ") if isinstance(value, x.Const) else "what it says"
