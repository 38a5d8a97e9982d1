"""Tests that hold the engine's answers against a second opinion: another meaning, brute force, another solver."""
