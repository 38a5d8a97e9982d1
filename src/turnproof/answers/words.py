"""A question as people type it, put into the words of a rulebook.

Names and titles (in any language the rulebook carries) stand for ids, whatever their case; small words go; `I`, `my`
and `you` are the player whose turn it is and the other one, or the reverse if it is asked what happens in `your` step.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from turnproof.diagnostics import Diagnostic, Invalid, suggestion
from turnproof.language import syntax as s
from turnproof.rulebook.model import Rulebook

LONGEST = 2_000
MOST_DIGITS = 15
LONGEST_PHRASE = 10
_TOKEN = re.compile(r"\[[^\[\]\s]*\]|[^\W\d]\w*|\d+|<=|>=|!=|['’]s\b|[<>=+*().,:;-]|\S")
_SPACE = re.compile(r"\s+")

# What a question is made of beside the rulebook's words. A rulebook's word of the same spelling is not looked for.
_KEYWORDS = frozenset(
    [
        "may",
        "must",
        "can",
        "is",
        "it",
        "so",
        "that",
        "does",
        "survive",
        "leave",
        "play",
        "how",
        "much",
        "many",
        "of",
        "dice",
        "show",
        "who",
        "chooses",
        "why",
        "not",
        "during",
        "after",
        "when",
        "with",
        "against",
        "on",
        "and",
        "or",
        "not",
        "by",
        "gain",
        "lose",
        "be",
        "end",
        "skipped",
        "some",
        "every",
        "no",
        "count",
        "sum",
        "min",
        "max",
        "number",
        "this",
        "turn",
        "phase",
        "step",
        "game",
        "round",
        "in",
        "the",
        "previous",
        "waiting",
        "since",
        "began",
        "before",
        "distance",
        "to",
        "at",
        "between",
        "next",
        "line",
        "nothing",
        "true",
        "false",
        "use",
        "make",
        "put",
        "cast",
        "where",
    ]
)
_SAME = {
    "if": "when", "while": "when", "given": "when", "are": "is", "do": "does", "will": "does", "would": "does",
    "i": "active", "me": "active", "we": "players", "you": "opponent", "anybody": "players", "anyone": "players",
    "everybody": "players", "player": "player", "decides": "chooses", "gains": "gain", "gets": "gain", "get": "gain",
    "takes": "gain", "take": "gain", "draw": "gain", "draws": "gain", "loses": "lose", "pays": "lose", "pay": "lose",
    "survives": "survive", "leaves": "leave", "shows": "show", "roll": "show", "rolls": "show", "die": "dice",
}  # fmt: skip
_PEOPLE = frozenset({"active", "opponent", "players", "nobody"})
_PLURALS = (("s", ""), ("es", ""), ("ies", "y"), ("x", ""))
# A piece is never named right after them.
_VERBS = frozenset({"play", "cast", "use", "make", "put"})
_SMALL = frozenset({"the", "an", "please", "now", "then"})
_OWN = {"my": "active", "our": "active", "your": "opponent", "their": "opponent"}


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Phrases of a rulebook, as they are typed, with what each can stand for."""

    phrases: dict[tuple[str, ...], frozenset[str]]
    steps: frozenset[str]
    plays: frozenset[str]
    kinds: frozenset[str]


def vocabulary(book: Rulebook) -> Vocabulary:
    """The words of a rulebook."""
    found: dict[tuple[str, ...], set[str]] = {}

    def add(name: str, *titles: str) -> None:
        for text in (name, name.replace("_", " "), *titles):
            for phrase in {tuple(_tokens(text)), tuple(t for t in _tokens(text) if t not in ("-", "'", "’"))}:
                if phrase and not (len(phrase) == 1 and phrase[0] in _KEYWORDS):
                    found.setdefault(phrase, set()).add(name)

    for step in book.steps.values():
        add(step.name, *(text for _, text in step.titles.texts))
    for play in book.plays.values():
        add(play.name, *(text for _, text in play.decl.titles.texts))
    for procedure in book.procedures:
        add(procedure.name, *(text for _, text in procedure.titles.texts))
    for kind in book.kinds:
        add(kind.name, kind.name + "s", kind.name.removesuffix("s"))
        for got in kind.fields.values():
            add(got.name, *_values(got.type))
            for value in _values(got.type):
                add(value)
    for got in (*book.game_fields.values(), *book.player_fields.values()):
        add(got.name)
        for value in _values(got.type):
            add(value)
    for name in (*book.defines, *book.decided):
        add(name)
    # A name as it is written goes before a title that happens to be spelt like it.
    phrases = {
        phrase: frozenset(names) if (own := _as_written(phrase, names)) is None else frozenset({own})
        for phrase, names in found.items()
    }
    return Vocabulary(
        phrases, frozenset(book.steps), frozenset(book.plays), frozenset(kind.name for kind in book.kinds)
    )


def _as_written(phrase: tuple[str, ...], names: Iterable[str]) -> str | None:
    same = [
        name for name in names if tuple(_tokens(name)) == phrase or tuple(_tokens(name.replace("_", " "))) == phrase
    ]
    return same[0] if len(same) == 1 else None


def _values(typ: s.Type) -> tuple[str, ...]:
    return typ.values if isinstance(typ, s.EnumT) else ()


def _singular(word: str) -> Iterator[str]:
    """What a word may be the plural of, in the languages of most rulebooks."""
    for ending, instead in _PLURALS:
        if word.endswith(ending):
            yield word.removesuffix(ending) + instead


def _tokens(text: str) -> list[str]:
    return [token.casefold() for token in _TOKEN.findall(unicodedata.normalize("NFC", text))]


def put_into_words(book: Rulebook, text: str) -> str:
    """The question in the rulebook's own words. Raises Invalid for what cannot be one question."""
    plain = _SPACE.sub(" ", unicodedata.normalize("NFC", text)).strip()
    if not plain or not re.search(r"\w", plain):
        raise _fault("TP091", "there is no question", "for instance: " + example(book))
    if len(plain) > LONGEST:
        raise _fault("TP091", f"a question has at most {LONGEST:,} characters; this one has {len(plain):,}", "ask less")
    ended = plain.rstrip("?？!. ")
    if "?" in ended or "？" in ended:
        raise _fault("TP091", "these are several questions", "ask one at a time")
    digits = re.search(rf"\d{{{MOST_DIGITS + 1},}}", ended)
    if digits:
        raise _fault("TP091", f"`{digits[0][:20]}…` has more than {MOST_DIGITS} digits", "take a smaller number")
    return " ".join(_Writer(book, vocabulary(book)).words(ended)).replace(" 's", "'s").replace(" . ", ".")


def example(book: Rulebook) -> str:
    """A question that can be asked of the rulebook."""
    play = next((play for play in book.plays.values() if play.decl.sort == "play" and not play.pieces), None)
    leaf = book.leaves[0].name
    return f"may I {play.name} during {leaf}" if play is not None else f"is {leaf} skipped"


def _fault(code: str, message: str, hint: str = "") -> Invalid:
    return Invalid([Diagnostic(code, message, "question", hint=hint)])


class _Writer:
    """Rewrites one question, word by word."""

    def __init__(self, book: Rulebook, known: Vocabulary) -> None:
        self.book = book
        self.known = known
        self.swapped = False

    def words(self, text: str) -> list[str]:
        tokens = _TOKEN.findall(text)
        self.swapped = self._in_the_others_turn(tokens)
        words = list(self._tidy(list(self._written(tokens))))
        if words[:1] == ["can"] and words[1:2] and words[1] in _PEOPLE and words[2:3] != ["'s"]:
            hint = (
                f"`may {' '.join(tokens[1:])}` asks whether the rules allow it, `can PLAY in STEP` whether a game can"
            )
            raise _fault("TP092", f"`can {tokens[1]} …` can ask for two things", f"{hint} ever come to it")
        return words

    def _in_the_others_turn(self, tokens: list[str]) -> bool:
        """Whether it is asked about `your` step: then `I` am not the one whose turn it is."""
        for at, token in enumerate(tokens):
            if token.casefold() in ("your", "their"):
                found = self._phrase(tokens, at + 1)
                if found is not None and found[0] in self.known.steps:
                    return True
        return False

    def _written(self, tokens: list[str]) -> Iterator[str]:
        at = 0
        while at < len(tokens):
            token = tokens[at]
            small = token.casefold()
            if small in _OWN:
                found = self._phrase(tokens, at + 1)
                if found is None or found[0] not in self.known.steps:
                    yield self._player(_OWN[small])
                    yield "'s"
                at += 1
                continue
            if small in ("a", "an") and not self._names_a_piece(tokens, at):
                at += 1
                continue
            found = None if self._gains(tokens, at) else self._phrase(tokens, at)
            if found is not None:
                name, at = found
                yield name
                continue
            at += 1
            after = [other.casefold() for other in tokens[at : at + 2]]
            if small in _SMALL and after[:1] not in (["previous"], ["second"]) and after != ["turn", "began"]:
                continue
            word = _SAME.get(small, small if small in _KEYWORDS or small == "the" else token)
            yield self._player(word) if word in ("active", "opponent") and small not in ("active", "opponent") else word

    @staticmethod
    def _gains(tokens: list[str], at: int) -> bool:
        """Whether a word says that somebody gains or loses something, though a play may be called so, too."""
        before = tokens[at - 1].casefold() if at else ""
        gains = _SAME.get(tokens[at].casefold()) in ("gain", "lose")
        return gains and tokens[0].casefold() == "how" and before in ("i", "you", "we", "active", "opponent", "player")

    def _player(self, who: str) -> str:
        return {"active": "opponent", "opponent": "active"}[who] if self.swapped else who

    def _names_a_piece(self, tokens: list[str], at: int) -> bool:
        """Whether `a` is a name, and not an article: what follows is no word of the rulebook, or a name is due."""
        before = tokens[at - 1].casefold() if at else ""
        if before in _VERBS:
            return self._phrase(tokens, at) is not None
        if before in ("with", "against", "on", "and", "does", "not") and self._phrase(tokens, at + 1) is None:
            return True
        kind = self._phrase(tokens, at - 1) if at else None
        if kind is not None and kind[0] in self.known.kinds:
            return True
        return self._phrase(tokens, at + 1) is None

    def _phrase(self, tokens: list[str], at: int) -> tuple[str, int] | None:
        """The longest phrase of the rulebook that stands at a place: what it is called there, and where it ends."""
        for length in range(min(LONGEST_PHRASE, len(tokens) - at), 0, -1):
            phrase = tuple(token.casefold() for token in tokens[at : at + length])
            names = self.known.phrases.get(phrase)
            for one in () if names else _singular(phrase[-1]):
                names = names or self.known.phrases.get((*phrase[:-1], one))
            if names is None:
                continue
            if len(names) > 1:
                said = " ".join(tokens[at : at + length])
                either = " or ".join(f"`{name}`" for name in sorted(names))
                raise _fault("TP092", f"`{said}` can be {either}", "write which of them is meant")
            return next(iter(names)), at + length
        return None

    def _tidy(self, words: list[str]) -> Iterator[str]:
        """Moments said in the one way that the grammar knows: `during`, or `after` what is looked at as it ends."""
        at = 0
        while at < len(words):
            rest = words[at:]
            if rest[:2] == ["how", "many"] and rest[2:3] != ["of"]:
                yield from ("how", "much")
                at += 2
            elif rest[:4] == ["at", "end", "of", *rest[3:4]]:
                yield "after"
                at += 3
            elif rest[:4] == ["at", "start", "of", *rest[3:4]]:
                yield "during"
                at += 3
            elif rest[:1] in (["in"], ["at"]) and rest[1:2] and rest[1] in self.moments:
                yield "after" if self._of_a_state(words[:at]) else "during"
                at += 1
            elif rest[:1] in (["in"], ["during"]) and words[:1] != ["can"] and self._no_moment(rest[1:]):
                raise self._no_such_moment(rest[1:])
            elif rest[:1] == ["during"] and self._of_a_state(words[:at]):
                yield "after"
                at += 1
            elif words[at - 1 : at] == ["survive"] and rest[0] in self.moments:
                yield from ("during", rest[0])
                at += 1
            else:
                yield words[at]
                at += 1

    @property
    def moments(self) -> frozenset[str]:
        return self.known.steps | self.known.plays | {procedure.name for procedure in self.book.procedures}

    def _no_moment(self, words: list[str]) -> bool:
        """Whether words where a moment is due are the name of none, and of nothing else either."""
        known = {name for names in self.known.phrases.values() for name in names}
        first = words[0] if words else ""
        return first.isidentifier() and first not in _KEYWORDS and first not in known

    def _no_such_moment(self, words: list[str]) -> Invalid:
        end = next((at for at, word in enumerate(words) if word in ("when", "with", ",")), len(words))
        named = " ".join(words[: min(end, LONGEST_PHRASE)])
        phrases = {" ".join(phrase) for phrase, names in self.known.phrases.items() if names & self.moments}
        hint = suggestion(named, phrases) or "steps: " + ", ".join(leaf.name for leaf in self.book.leaves)
        return _fault("TP030", f"no phase, step or play is called `{named}`", hint)

    @staticmethod
    def _of_a_state(words: list[str]) -> bool:
        """Whether what is asked speaks of how things are, not of who may act or what changes."""
        return words[:3] in (["is", "it", "so"], ["how", "much", "is"], ["can", "it", "be"])
