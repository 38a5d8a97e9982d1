"""Writes the page of benchmarks to standard output: `python -m tests.bench`."""

from __future__ import annotations

from tests.bench import commands, growth, peers, questions


def main() -> None:
    """Print the page, each part measured in the same run."""
    lines = [
        "# Benchmarks",
        "",
        "Made by `make bench`, in one run on one machine; only ratios within it mean anything.",
        "",
    ]
    for part in (commands, questions, peers, growth):
        lines += part.page()
    print("\n".join(lines).rstrip())


if __name__ == "__main__":
    main()
