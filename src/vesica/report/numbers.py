"""Numbers of a result as tiles, with intervals where it can make some."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vesica.report.views import Filter, Tile, Tiles

LEVEL = 0.95


def number_tiles(
    result: Any,
    key: str,
    /,
    *,
    intervals: Mapping[str, Any] | None = None,
    notes: Mapping[str, str] | None = None,
    filters: Mapping[str, Filter] | None = None,
    title: str = "",
) -> Tiles:
    """A tile for each number of the summary; `intervals` are pairs, or have `lo` and `hi`."""
    tiles = tuple(
        Tile(
            key=f"{key}-{place}",
            label=name,
            value="–" if value is None else shown(value),
            interval=ends((intervals or {}).get(name)),
            note=(notes or {}).get(name, ""),
            filter=(filters or {}).get(name),
            number=value,
        )
        for place, (name, value) in enumerate(result.numbers.items())
    )
    return Tiles(f"{key}-tiles", title, tiles)


def shown(value: float, /) -> str:
    """A number of a tile."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}" if abs(value) < 1000 else f"{value:,.1f}"


def ends(interval: Any, /) -> str:
    """Both ends of an interval; "" where there is none.

    >>> ends((0.25, 0.5)), ends(None)
    ('0.250 to 0.500', '')
    """
    if interval is None:
        return ""
    low, high = (interval.lo, interval.hi) if hasattr(interval, "lo") else interval
    return "" if low is None or high is None or low != low or high != high else f"{low:.3f} to {high:.3f}"


def policy_of(facts: Mapping[str, Any], /) -> dict[str, Any]:
    """What a score depends on, of the plain values of a result."""
    known = {name: facts[name] for name in ("task", "protocol", "regions", "image_set") if name in facts}
    for name in ("policy", "conventions"):
        if isinstance(facts.get(name), Mapping):
            known |= facts[name]
    return known
