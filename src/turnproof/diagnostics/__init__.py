"""What is wrong with an input, as data: `record` holds the values, `codes` the one table of codes."""

from turnproof.diagnostics.record import Caption, Diagnostic, Invalid, suggestion

__all__ = ["Caption", "Diagnostic", "Invalid", "suggestion"]
