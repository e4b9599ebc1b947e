"""Libraries that are not everywhere: what needs one that is not there is skipped, or left out of a table of cases."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import Any


def has(library: str | None) -> bool:
    """Is it there? What needs none has it."""
    return library is None or importlib.util.find_spec(library) is not None


def cases(needs: Mapping[str, str | None]) -> list[Any]:
    """Names for `parametrize`, of name → the library that it needs: those without theirs are skipped."""
    import pytest  # late: scripts that only ask what is there do without

    return [
        name if has(library) else pytest.param(name, marks=pytest.mark.skip(f"{library} is not installed"))
        for name, library in needs.items()
    ]
