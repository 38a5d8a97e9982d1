"""Where games are found: in the project, then in the library that ships with turnproof. The only place that knows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from turnproof.diagnostics import Diagnostic, Invalid, suggestion


def folders(start: Path | None = None) -> Iterator[Path]:
    """The folders that can hold `model/` and `proofs/`: here, above, and the library."""
    here = (start or Path.cwd()).resolve()
    yield here
    yield from here.parents
    shipped = Path(str(files("turnproof"))) / "library"
    yield shipped if shipped.is_dir() else Path(str(files("turnproof"))).parents[1]


def project(start: Path | None = None) -> Path | None:
    """The nearest folder here or above with a `model/` of rulebooks; None outside of a project."""
    *nearby, _ = folders(start)
    return next((folder for folder in nearby if any((folder / "model").glob("*.md"))), None)


def games(start: Path | None = None) -> tuple[str, ...]:
    """The names of the project's games; outside of a project, of the library's."""
    root = project(start) or list(folders(start))[-1]
    return tuple(sorted(path.stem for path in (root / "model").glob("*.md")))


def rulebook_path(name: str, start: Path | None = None) -> Path:
    """The rulebook of a game, or the file of that name. Raises Invalid if there is none."""
    if name.endswith(".md"):
        path = Path(name)
        if path.is_file():
            return path
        raise Invalid([Diagnostic("TP001", f"there is no file `{name}`", name)])
    known: list[str] = []
    for folder in folders(start):
        path = folder / "model" / f"{name}.md"
        if path.is_file():
            return path
        known += [other.stem for other in (folder / "model").glob("*.md")]
    hint = suggestion(name, known) or ("known games: " + ", ".join(sorted(set(known))) if known else "")
    raise Invalid([Diagnostic("TP080", f"no game is called `{name}`", name, hint=hint)])


def claims_path(rulebook: Path, game: str, start: Path | None = None) -> Path | None:
    """The page of claims for a rulebook: beside its folder, else that of the game's name in the project or library."""
    beside = rulebook.resolve().parent.parent / "proofs"
    places = [
        beside / rulebook.name,
        *(folder / "proofs" / f"{game}.md" for folder in (beside.parent, *folders(start))),
    ]
    return next((path for path in places if path.is_file()), None)


def cache_folder() -> Path | None:
    """Where turnproof may keep things between runs, or None if nothing can be written there."""
    place = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "turnproof"
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return place if os.access(place, os.W_OK) else None


def keep(file: Path, data: bytes) -> bool:
    """Write a file of the cache, whole or not at all; whether it could be written."""
    part = file.with_suffix(f".{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(data)
        part.replace(file)
    except OSError:
        return False
    return True


def read_bytes(path: Path) -> bytes:
    """The bytes of a file. Raises Invalid if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise Invalid([Diagnostic("TP001", f"cannot read this file: {error.strerror}", str(path))]) from error
