"""Summaries: the few numbers that a protocol is known for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from vesica._check import detection as check
from vesica._kernels.native import precision_recall
from vesica.detection.curves import Arrays, Curve, curve_of
from vesica.detection.protocol import Protocol
from vesica.detection.records import Records, is_tally


class Line(NamedTuple):
    """One number, and what it is the mean of."""

    name: str
    title: str
    kind: str
    """"precision" or "recall" of `Arrays`; or, as `Rules.average_precision` has it, points of the curves."""
    iou: float | None
    """None: all thresholds."""
    area: str
    limit: int
    """The place among the limits of guesses."""
    cap: int | None = None
    """The limit by its value instead of its place; there is no number where it is not among the limits (Q3)."""
    group: str | None = None
    """Categories of this frequency alone."""
    name_of_one: str | None = None
    """What one category calls its number; None: the same."""


def lines_of(protocol: Protocol, /) -> tuple[Line, ...]:
    """The numbers of a protocol, those of them that its thresholds and ranges allow."""
    if protocol.rules.average_precision == "recalls":
        return tuple(_at_recalls(protocol))
    return tuple(_of_curves(protocol))


def _at_recalls(protocol: Protocol) -> Iterator[Line]:
    """Means over thresholds and recalls: of one range of areas in full, of each other one, of each group of categories.

    Every name ends with that of its range; only the range that covers all has none.
    """
    rules, limits = protocol.rules, protocol.max_dets
    if protocol.repeats.limit_of_100:
        limits = limits[:3]
    last = len(limits) - 1
    (first, own), *sizes = _ranges(protocol)
    precision, recall = ("Average Precision", "precision"), ("Average Recall", "recall")
    yield Line(f"AP{own}", *precision, None, first, last, cap=100 if protocol.repeats.limit_of_100 else None)
    yield from (Line(f"AP{round(100 * t)}{own}", *precision, t, first, last) for t in (0.5, 0.75))
    yield from (Line(f"AP{short}", *precision, None, name, last) for name, short in sizes)
    yield from (Line(f"AP{letter}{own}", *precision, None, first, last, group=letter) for letter, _ in rules.groups)
    if rules.recall_by_limit:
        yield from (Line(f"AR{limit}{own}", *recall, None, first, place) for place, limit in enumerate(limits))
    else:
        yield Line(f"AR{own}", *recall, None, first, last)
    yield from (Line(f"AR{short}", *recall, None, name, last) for name, short in sizes)


def _ranges(protocol: Protocol) -> list[tuple[str, str]]:
    """Ranges of areas and what they add to a name: a letter where it is enough, nothing for the one that covers all.

    That one comes first.
    """
    whole = protocol.whole
    names = [name for k, (name, _, _) in enumerate(protocol.areas) if k != whole]
    letters = [name[0] for name in names] + [letter for letter, _ in protocol.rules.groups]
    found = [(name, name[0] if letters.count(name[0]) == 1 else name) for name in names]
    # AP50 and AR100 are no ranges of areas, and APr of LVIS is a group.
    known = {letter for letter, _ in protocol.rules.groups}
    found = [(name, f"_{name}" if short[0].isdigit() or short in known else short) for name, short in found]
    return found if whole is None else [(protocol.areas[whole][0], ""), *found]


def _of_curves(protocol: Protocol) -> Iterator[Line]:
    """The mean over categories of the area under their curves, of each range of areas at each threshold."""
    kind, last = protocol.rules.average_precision, len(protocol.max_dets) - 1
    for area, short in _ranges(protocol):
        for threshold in protocol.iou:
            name = ("AP" if len(protocol.iou) == 1 else f"AP{100 * threshold:.10g}") + short
            yield Line(f"m{name}", f"Mean Average Precision, {kind}", kind, threshold, area, last, name_of_one=name)


def summary_of(records: Records, arrays: Callable[[], Arrays], /, *, threads: int | None = None) -> dict[str, float]:
    """Names and numbers."""
    if records.protocol.repeats.limit_of_100:
        check.three_limits(records.protocol.max_dets)
    lines = lines_of(records.protocol)
    values = values_of(lines, records, arrays, threads=threads)
    return {line.name: value for line, value in zip(lines, values, strict=True)}


def value_of(line: Line, records: Records, arrays: Callable[[], Arrays], /, *, category: int | None = None) -> float:
    """The mean over all categories, or the value of one; NaN without truths."""
    return values_of([line], records, arrays, category=category)[0]


def values_of(
    lines: Sequence[Line],
    records: Records,
    arrays: Callable[[], Arrays],
    /,
    *,
    category: int | None = None,
    threads: int | None = None,
) -> list[float]:
    """The values of several lines, each as `value_of` has it."""
    found = [_mean_of_curves(line, records, category) if line.kind in POINTS else math.nan for line in lines]
    for kind in ("precision", "recall"):
        places = {
            k: place
            for k, line in enumerate(lines)
            if line.kind == kind and (place := _place_of(line, records, category)) is not None
        }
        if not places:
            continue
        values = getattr(arrays(), kind)
        # From the end: precision may have been made for the last limit alone.
        skipped = len(records.protocol.max_dets) - values.shape[-1]
        asked = [place._replace(limit=place.limit - skipped) for place in places.values()]
        for k, value in zip(places, precision_recall.means(values, asked, threads=threads), strict=True):
            found[k] = math.nan if value < 0 else value
    return found


def _place_of(line: Line, records: Records, category: int | None) -> precision_recall.Line | None:
    """Which values it is the mean of; None if its limit is not among those of the protocol."""
    protocol = records.protocol
    limit = limit_of(line, protocol)
    if limit is None:
        return None
    members = members_of(line, records)
    categories = None if members is None else np.flatnonzero(members).tolist()
    return precision_recall.Line(
        thresholds=None if line.iou is None else [k for k, t in enumerate(protocol.iou) if t == line.iou],
        categories=categories if category is None else [category],
        area=[name for name, _, _ in protocol.areas].index(line.area),
        limit=limit,
    )


def limit_of(line: Line, protocol: Protocol, /) -> int | None:
    """The place of a line among the limits of guesses; None if its value is not among them."""
    if line.cap is None:
        return line.limit
    return protocol.max_dets.index(line.cap) if line.cap in protocol.max_dets else None


def members_of(line: Line, records: Records, /) -> np.ndarray | None:
    """Which categories belong to its group; None: all."""
    if line.group is None:
        return None
    frequency = records.categories.frequency
    return np.zeros(len(records.categories), bool) if frequency is None else frequency == line.group


POINTS: dict[str, Callable[[Curve], float]] = {
    "all points": lambda curve: curve.average_precision,
    "eleven points": lambda curve: curve.eleven_point_precision,
}
"""The AP of a curve, by `Rules.average_precision`."""


def _mean_of_curves(line: Line, records: Records, category: int | None) -> float:
    """The mean over categories with truths."""
    threshold = records.protocol.iou.index(line.iou)
    area = [name for name, _, _ in records.protocol.areas].index(line.area)
    categories = range(len(records.categories)) if category is None else (category,)
    if is_tally(records):
        return mean_of_classes(records.points[line.kind, threshold, area][list(categories)].tolist())
    found = [POINTS[line.kind](curve_of(records, one, threshold, area)) for one in categories]
    return mean_of_classes(found)


def mean_of_classes(found: Iterable[float], /) -> float:
    """The mean of those that have a value; NaN without any."""
    values = [value for value in found if value == value]
    return float(np.mean(values)) if values else math.nan
