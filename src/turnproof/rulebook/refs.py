"""Plays as rules, claims and counts speak of them."""

from __future__ import annotations

from turnproof.diagnostics import suggestion
from turnproof.language import syntax as s
from turnproof.rulebook.model import RESERVED, Rulebook


def late_pieces(book: Rulebook, ref: s.PlayRef) -> bool:
    """Whether a rule or claim names the new piece of a play on the stack, which is known only as that resolves."""
    stacked = (leaf for leaf in book.sorts(ref.play) if leaf.stacked)
    new = {piece.preposition for leaf in stacked for piece in leaf.pieces if piece.whose == "new"}
    return bool(new & {preposition for preposition, _ in ref.pieces})


def play_problem(book: Rulebook, ref: s.PlayRef) -> tuple[str, str, s.Span, str] | None:
    """What is wrong with a play that a rule or a claim speaks of: code, message, place, hint."""
    if ref.play not in book.plays:
        hint = suggestion(ref.play, book.plays)
        return "TP030", f"nothing that can be played is called `{ref.play}`", ref.span, hint
    prepositions = [preposition for preposition, _ in ref.pieces]
    names = [name for _, name in ref.pieces]
    for preposition, name in ref.pieces:
        if not any(piece.preposition == preposition for leaf in book.sorts(ref.play) for piece in leaf.pieces):
            return "TP030", f"`{ref.play}` names no piece with `{preposition}`", ref.span, ""
        if name in RESERVED:
            return "TP035", f"`{name}` has a meaning of its own, so nothing else can be called so", ref.span, ""
    for told in (prepositions, names):
        twice = next((word for at, word in enumerate(told) if word in told[:at]), None)
        if twice is not None:
            return "TP031", f"`{twice}` stands twice with `{ref.play}`", ref.span, ""
    return None
