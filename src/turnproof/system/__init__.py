"""The transition system: plain data, and its concrete meaning.

Read `expr` first (what can be said), then `system` (what a game does), then `build` (how a rulebook becomes one, by way
of `turn` and `acts`) and `interpret` (what a system means, in plain Python).
"""
