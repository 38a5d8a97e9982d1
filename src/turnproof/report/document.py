"""What all JSON documents have in common."""

from __future__ import annotations

from typing import Any

from turnproof import __version__

SCHEMA = "turnproof/1"


def document(kind: str, **content: Any) -> dict[str, Any]:
    """A document of some kind."""
    return {"schema": SCHEMA, "kind": kind, "version": __version__, **content}
