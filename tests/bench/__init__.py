"""Benchmarks: ratios within one run, never seconds that a test would look at."""
