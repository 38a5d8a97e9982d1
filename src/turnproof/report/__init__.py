"""Verdicts, findings and diagnostics for people (`text`) and for programs (`json`)."""
