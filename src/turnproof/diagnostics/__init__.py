"""What is wrong with an input, as data: `record` holds the values, `codes` the one table of codes."""

from turnproof.diagnostics.record import MOST_PROBLEMS, Caption, Diagnostic, Invalid, suggestion

__all__ = ["MOST_PROBLEMS", "Caption", "Diagnostic", "Invalid", "suggestion"]
