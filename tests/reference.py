"""Makes docs/diagnostics.md from the table of codes: `python -m tests.reference > docs/diagnostics.md`."""

from __future__ import annotations

from turnproof.diagnostics.codes import CODES, Code

HEAD = """# Diagnostics and findings

Made from the table of codes in `src/turnproof/diagnostics/codes.py`; `turnproof explain CODE` shows the same.
Codes `TP…` are faults of the input (exit status 2), codes `F…` findings about the rules (exit status 1).
"""


def diagnostics_page() -> str:
    """The whole page."""
    return HEAD + "".join(entry(code) for code in CODES.values())


def entry(code: Code) -> str:
    """One code."""
    return (
        f"\n## {code.code}: {code.title}\n\n{code.what}\n\n*Why it matters:* {code.why}\n\n"
        f"Example:\n\n```text\n{code.example}\n```\n\nWrite instead:\n\n```text\n{code.instead}\n```\n"
    )


if __name__ == "__main__":
    print(diagnostics_page(), end="")
