"""Faults that change no answer, looked at one by one: file, line of code, change, and why no test can see it."""

EQUIVALENT: dict[tuple[str, str, str], str] = {}
