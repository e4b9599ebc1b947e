"""The page of a detector: twelve pictures, each of which leads to its objects."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from vesica.detection.cause_names import CAUSES
from vesica.detection.result import DetectionResult
from vesica.errors import VesicaError
from vesica.report import data, detection_charts, plain
from vesica.report.detection_gallery import Chosen, chosen_of
from vesica.report.detection_objects import Objects, binned, bins, cut_of, objects_of, sizes_of, threshold
from vesica.report.numbers import number_tiles, policy_of
from vesica.report.views import Filter, Line, Page, Part, Words

FIRST = 5
"""Lines of what to fix first."""
_NOTES = {
    "AP": "mean over IoU 0.50 to 0.95",
    "AP50": "at IoU 0.50",
    "AP75": "at IoU 0.75",
    "APs": "small objects",
    "APm": "medium objects",
    "APl": "large objects",
    "AR1": "recall, 1 guess an image",
    "AR10": "recall, 10 guesses an image",
    "AR100": "recall, 100 guesses an image",
    "ARs": "recall of small objects",
    "ARm": "recall of medium objects",
    "ARl": "recall of large objects",
}
_RANGES = {"s": "small", "m": "medium", "l": "large"}


def part_of(result: DetectionResult, key: str, /) -> Part:
    """Tiles, what to fix first, pictures, and the objects behind all of them."""
    if result.protocol.whole is None:
        return _without_charts(result, key)
    intervals = result.interval()
    drawing = intervals.drawing
    level = f"{100 * drawing.level:g} %"
    found, chosen, missing = _explained(result)
    blocks = tuple(detection_charts.charts_of(result, key, intervals, found))
    cut = cut_of(result)
    sentence = (
        f"A guess is right from IoU {threshold(result):g} on. Pictures and confusion look at guesses from a score of "
        f"{cut:.3g} on, where F1 of all categories together is highest."
    )
    tiles = number_tiles(result, key, intervals=intervals, notes=_NOTES, filters=_filters(result, found))
    return Part(
        Page(key, "Detection", blocks, sentence),
        replace(tiles, sentence=f"{result.headline}. Below each number its {level} interval, by drawing images again."),
        first=None if found is None else _first(result, key),
        items=chosen.items,
        rows=chosen.rows,
        left_out=chosen.left_out,
        notes=(*(Line(f"{note.count:,} {note.text}", "note") for note in result.notes), *missing),
        policy=policy_of(result.to_dict()),
        provenance={"intervals": f"{level}, {drawing.replicates:,} replicates by {drawing.by}, seed {drawing.seed}"},
        data=data.page_of(result, f"{key}-data", found),
    )


def _without_charts(result: DetectionResult, key: str) -> Part:
    """Curves, counts and pictures are of all sizes, which no range of this protocol covers."""
    part = plain.part_of(result, key)
    told = "Charts and pictures are left out: no range of `areas` covers all sizes. Add one such as all=0:1e10."
    return replace(part, notes=(*part.notes, Line(told, "note")))


def _explained(result: DetectionResult) -> tuple[Objects | None, Chosen, tuple[Line, ...]]:
    """Objects and pictures; of records without details there are none, and a line that says so."""
    try:
        result.details  # noqa: B018
    except (VesicaError, ValueError) as error:
        return None, Chosen((), (), ()), (Line(f"Causes, confusion and pictures are left out: {error}", "note"),)
    found = objects_of(result, sizes_of(result.by_size()))
    images = result.per_image(iou=found.iou, min_score=found.cut)
    places = {image: place for place, image in enumerate(result.records.images.tolist())}
    f1 = np.full(len(places), np.nan)
    f1[[places[image] for image in images["image"].tolist()]] = images["f1"]
    return found, chosen_of(result, found, binned(f1, *bins(0.0, 1.0))), ()


def _filters(result: DetectionResult, found: Objects | None) -> dict[str, Filter]:
    """Where the tiles lead: recalls to what was missed, sizes to their objects, the rest to all."""
    filters: dict[str, Filter] = {}
    if found is None:
        return filters
    known = {name for name, _, _ in result.protocol.areas}
    for name in result.numbers:
        size = _RANGES.get(name[-1], "")
        wanted = {"verdict": "missed"} if name.startswith("AR") else {}
        filters[name] = {**wanted, **({"range": size} if size in known else {})}
    return filters


def _first(result: DetectionResult, key: str) -> Words | None:
    """The causes that cost most, and the category in which each costs most."""
    found = result.causes(iou=threshold(result))
    rows = sorted((row for row in found.table if row["cause"] in CAUSES and row["cost"]), key=lambda row: -row["cost"])
    lines = tuple(_line(found, row) for row in rows[:FIRST] if row["cost"] >= 0.0005)
    if not lines:
        return None
    return Words(
        f"{key}-first",
        "What to fix first",
        lines,
        f"AP at IoU {found.iou:g} is {found.ap:.3f}. Each line is what it would gain without one cause.",
    )


def _line(found: Any, row: dict[str, Any]) -> Line:
    own = [one for one in found.per_class if one["cause"] == row["cause"] and one["cost"] and one["cost"] > 0]
    most = sorted(own, key=lambda one: (-one["cost"], -one["count"]))[:3]
    where = ", ".join(f"{one['category']} ({one['cost']:+.3f})" for one in most)
    text = f"{row['cause']}: {row['count']:,} cases, {row['meaning']}" + (f". Most in {where}" if where else "")
    return Line(text, "bad", {"cause": row["cause"]}, f"{row['cost']:+.3f}")
