"""The font of pictures: Noto Sans CJK, which has the letters of all languages, where its package is installed.

It is given to Graphviz by a fontconfig file of our own, so that a picture does not depend on the machine's fonts.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from xml.sax.saxutils import escape

from turnproof.library import cache_folder, keep

PACKAGE = "noto_cjk_sans_otc"
# The shapes of letters that Chinese, Japanese and Korean share; by the language of a picture.
FAMILIES = {"zh": "Noto Sans CJK TC", "ja": "Noto Sans CJK JP", "ko": "Noto Sans CJK KR"}
FAMILY = FAMILIES["zh"]
# What is taken by whoever shows an SVG, if there is no such font.
INSTEAD = "Noto Sans, DejaVu Sans, Helvetica, Arial, sans-serif"

_CONFIG = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig><dir>{fonts}</dir><cachedir>{cache}</cachedir></fontconfig>
"""


@cache
def folder() -> Path | None:
    """The folder of the font; None if its package is not installed."""
    found = find_spec(PACKAGE)
    return Path(found.origin).parent if found is not None and found.origin else None


@cache
def use() -> None:
    """Have fontconfig know that font and no other. Must be called before anything is rendered in this process."""
    fonts, place = folder(), cache_folder()
    if fonts is None or place is None or os.environ.get("FONTCONFIG_FILE"):
        return
    file = place / "fonts.conf"
    text = _CONFIG.format(fonts=escape(str(fonts)), cache=escape(str(place / "fontconfig")))
    if keep(file, text.encode("utf-8")):
        os.environ["FONTCONFIG_FILE"] = str(file)


@contextmanager
def unheard() -> Iterator[None]:
    """Without what fontconfig says on standard error as it starts: it reads the machine's examples of settings, which
    can be for a newer one, and complains of them.
    """
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
