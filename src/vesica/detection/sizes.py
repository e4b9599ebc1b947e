"""Scores by size: AP and recall of objects from small to large, as a curve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from vesica.detection.curves import Arrays, arrays_of
from vesica.detection.details import Details
from vesica.detection.matches import counting, found_again
from vesica.detection.records import Records
from vesica.detection.rules import WIDEST
from vesica.detection.summary import Line, value_of
from vesica.results.tables import Table


def edges_of(details: Details, bins: int, /) -> tuple[float, ...]:
    """Areas that part the truths into bins of about equal number; fewer where sizes repeat."""
    areas = np.sort(details.truth_area[counting(details, 0.0, WIDEST)])
    if not len(areas):
        return (0.0, WIDEST)
    inner = areas[[len(areas) * k // bins for k in range(1, bins)]]
    return (0.0, *np.unique(inner[inner > 0]).tolist(), WIDEST)


def size_table(records: Records, details: Details, edges: tuple[float, ...], /, *, threads: int | None) -> Table:
    """A row for each range of areas, as sides of squares: [side_from, side_below), the last one without an end."""
    again = _in_ranges(records, details, edges, threads)
    protocol, arrays = again.protocol, arrays_of(again, full=False, threads=threads)
    sides = np.sqrt(np.array([edges[:-1], edges[1:]]))
    sides[1, -1] = np.inf
    lanes = (again.lane(0, place) for place in range(len(protocol.areas)))
    return Table(
        {
            "side_from": sides[0],
            "side_below": sides[1],
            "truths": again.positives.sum(axis=0),
            "found": np.array([np.count_nonzero(matched & ~ignored) for matched, ignored in lanes]),
            "AP": np.array([_precision(again, name, lambda: arrays) for name, _, _ in protocol.areas]),
            "AR": np.array([_value(again, "recall", None, name, lambda: arrays) for name, _, _ in protocol.areas]),
        }
    )


def _in_ranges(records: Records, details: Details, edges: tuple[float, ...], threads: int | None) -> Records:
    """The records as they would be in these ranges of areas."""
    # Ranges have both ends; a truth at an edge belongs to the upper one.
    highs = [*(float(np.nextafter(edge, 0)) for edge in edges[1:-1]), edges[-1]]
    ends = tuple(zip(edges[:-1], highs, strict=True))
    protocol = replace(records.protocol, areas=tuple((str(k), *both) for k, both in enumerate(ends)))
    found = found_again(records, details, protocol.bars, ends, threads=threads)
    words = -(-len(protocol.iou) * len(ends) // 64)
    columns: dict[str, Any] = {name: getattr(found, name) for name in ("starts", "image", "guesses", "score")}
    columns |= {name: getattr(found, name).reshape(-1, words) for name in ("matched", "ignored")}
    return replace(records, protocol=protocol, **columns, counted=found.counted.reshape(-1, len(ends)), details=None)


def _precision(records: Records, area: str, arrays: Callable[[], Arrays]) -> float:
    """AP as the protocol has it, over all thresholds."""
    kind = records.protocol.rules.average_precision
    if kind == "recalls":
        return _value(records, "precision", None, area, arrays)
    return float(np.mean([_value(records, kind, threshold, area, arrays) for threshold in records.protocol.iou]))


def _value(records: Records, kind: str, iou: float | None, area: str, arrays: Callable[[], Arrays]) -> float:
    line = Line("", "", kind, iou, area, len(records.protocol.max_dets) - 1)
    return value_of(line, records, arrays)
