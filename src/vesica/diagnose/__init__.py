"""Advice on results: what a number hides, and which other one would show it. Nothing here changes a score."""
