"""Which of several rules are heard: those that hold and are not overridden by others that are heard."""

from __future__ import annotations

from collections.abc import Sequence

from turnproof.system import expr as x


def effective(voices: Sequence[tuple[str, x.Expr]], overrides: frozenset[tuple[str, str]]) -> list[x.Expr]:
    """When each of some rules holds and is not overridden by another of them that is not itself overridden."""
    by_rule: dict[str, list[int]] = {}
    for at, (rule, _) in enumerate(voices):
        by_rule.setdefault(rule, []).append(at)
    above: dict[str, list[str]] = {}
    for stronger, weaker in sorted(overrides):
        if stronger in by_rule and weaker in by_rule:
            above.setdefault(weaker, []).append(stronger)
    heard: dict[int, x.Expr] = {}
    todo = list(by_rule)
    while todo:
        rule = todo[-1]
        missing = [other for other in above.get(rule, ()) if by_rule[other][0] not in heard]
        if missing and by_rule[rule][0] not in heard:
            todo += missing
            continue
        todo.pop()
        beaten = x.any_of(heard[at] for other in above.get(rule, ()) for at in by_rule[other])
        for at in by_rule[rule]:
            heard[at] = x.both(voices[at][1], x.negate(beaten))
    return [heard[at] for at in range(len(voices))]
