"""The tests of turnproof."""
