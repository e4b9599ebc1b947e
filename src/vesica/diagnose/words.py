"""Words of findings: shares, counts and rows."""

from __future__ import annotations

from typing import Any

import numpy as np

_PLURALS = {"box": "boxes", "guess": "guesses", "category": "categories"}
_SHOWN = 3


def percent(share: float, /) -> str:
    """A share in percent, with a decimal where it is small.

    >>> percent(0.7804), percent(0.0041), percent(0.0)
    ('78 %', '0.4 %', '0 %')
    """
    value = 100 * share
    return f"{value:.0f} %" if value >= 9.5 or value == 0 else f"{value:.1f} %"


def counted(count: Any, noun: str, /) -> str:
    """
    >>> counted(1, "box"), counted(1200, "box")
    ('1 box', '1,200 boxes')
    """
    return f"{int(count):,} {noun if int(count) == 1 else _PLURALS.get(noun, noun + 's')}"


def first_rows(rows: np.ndarray, /) -> str:
    """The first rows of a mask, by number."""
    found = np.flatnonzero(rows)
    more = ", …" if len(found) > _SHOWN else ""
    return f"row{'' if len(found) == 1 else 's'} {', '.join(map(str, found[:_SHOWN].tolist()))}{more}"
