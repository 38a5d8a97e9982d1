"""Syntax trees kept on disk between runs, keyed by the text and by turnproof as it is here.

What is kept can hold nothing but trees: reading it makes values of `turnproof.language.syntax` and runs no other code.
"""

from __future__ import annotations

import hashlib
import io
import pickle
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from turnproof import __version__
from turnproof.language import syntax
from turnproof.library import cache_folder, keep

Tree = TypeVar("Tree")


def kept(parse: Callable[[str, str], Tree], text: str, path: str) -> Tree:
    """What `parse` makes of a text, from disk if it has been read before. Raises what `parse` raises.

    A tree does not depend on `path`, which is where its faults would be reported.
    """
    folder = cache_folder()
    if folder is None:
        return parse(text, path)
    key = hashlib.sha256(f"{parse.__name__}\n{_reader()}\n{text}".encode()).hexdigest()
    file = folder / "trees" / key
    found = _read(file)
    if found is None:
        found = parse(text, path)
        keep(file, pickle.dumps(found, protocol=5))
    return found  # type: ignore[no-any-return]  # the key names `parse`, so that this is one of its trees


class _Trees(pickle.Unpickler):
    """Reads trees, and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if module == syntax.__name__ and isinstance(found := getattr(syntax, name, None), type):
            return found
        raise pickle.UnpicklingError(f"{module}.{name} is no part of a tree")


def _read(file: Path) -> Any:
    try:
        return _Trees(io.BytesIO(file.read_bytes())).load()
    except (OSError, pickle.UnpicklingError, EOFError, ValueError, TypeError, AttributeError, IndexError, KeyError):
        return None


@cache
def _reader() -> str:
    """What reads texts: the sources of the language as they are here."""
    folder = Path(str(files("turnproof.language")))
    stats = [(f.name, f.stat().st_size, f.stat().st_mtime_ns) for f in sorted(folder.iterdir()) if f.is_file()]
    return f"{__version__} {stats}"
