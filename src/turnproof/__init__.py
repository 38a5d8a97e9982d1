"""turnproof turns the rulebooks of card and board games into models that can be checked.

>>> import turnproof
>>> game = turnproof.load("taiji")
>>> [claim.result.verdict for claim in game.check(claims=["TC-02"]).claims]
['proved']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["Game", "Invalid", "Report", "__version__", "from_text", "load"]

if TYPE_CHECKING:
    from turnproof.diagnostics import Invalid
    from turnproof.game import Game, Report, from_text, load


def __getattr__(name: str) -> Any:
    """The rest is loaded when it is first used, so that `turnproof --version` starts at once."""
    if name == "Invalid":
        from turnproof.diagnostics import Invalid

        return Invalid
    if name in __all__:
        from turnproof import game

        return getattr(game, name)
    raise AttributeError(f"module 'turnproof' has no attribute {name!r}")
