"""Colours that people with any colour vision can tell apart, dark enough on light to be read, and marks beside them.

The hues are those of Okabe and Ito's palette (Color Universal Design, 2008), lightened for grounds and darkened for
text; no meaning is carried by colour alone. `contrast` is that of WCAG 2.1.
"""

from __future__ import annotations

from dataclasses import dataclass

INK = "#1a1a1a"
FAINT = "#595959"
LINE = "#8c8c8c"
PAPER = "#ffffff"


@dataclass(frozen=True, slots=True)
class Tone:
    """A ground, the text on it, and its border."""

    ground: str
    text: str
    line: str


PLAYER = Tone("#d9ecf8", "#003f63", "#0072b2")
AUTOMATIC = Tone("#fde9cf", "#6b3a00", "#d55e00")
PHASE = Tone("#f5f5f5", "#1a1a1a", "#8c8c8c")
PLAIN = Tone("#ffffff", "#1a1a1a", "#8c8c8c")
ASIDE = Tone("#ffffff", "#404040", "#8c8c8c")
GONE = Tone("#eeeeee", "#595959", "#8c8c8c")
DEADLY = Tone("#f9dcd3", "#7a1f00", "#d55e00")
GOOD = Tone("#d3efe5", "#004d38", "#009e73")
# Of the answers to who may do what when.
OUTCOMES = {
    "yes": PLAYER,
    "no": Tone("#ececec", "#4d4d4d", "#8c8c8c"),
    "silent": Tone("#fbf5c4", "#544b00", "#b0a000"),
    "contradiction": Tone("#f6dcea", "#7a0f4f", "#cc79a7"),
    "depends": GOOD,
}
MARKS = {"yes": "●", "no": "–", "silent": "?", "contradiction": "‼", "depends": "◐"}


def contrast(one: str, two: str) -> float:
    """How well one colour (`#rrggbb`) stands out against another: 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(two)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
