"""Images of a comparison for the gallery: those with most objects that were fixed or broken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vesica.report.bare_photographs import told_beside
from vesica.report.views import Item, Row, Shape

if TYPE_CHECKING:
    from vesica.comparison import Comparison
    from vesica.detection.result import DetectionResult

MOST, MOST_ROWS = 80, 4000
"""Images that have a picture, and objects of other images that are listed."""
OTHERS = 60
"""Truths of an image that did not change and are drawn all the same, so that one sees where one is."""
_ROLES = {"fixed": "right", "broken": "missed"}


def items_of(comparison: Comparison, images: Any = None, /) -> tuple[list[Item], list[Row], tuple[str, ...]]:
    """Pictures of the images in which most changed, objects of others as rows, and what is in neither."""
    if not comparison.has_objects:
        found = told_beside(_changed_images(comparison), images) if images is not None else ((), ())
        return list(found[0]), list(found[1]), ()
    result: Any = comparison.results[0]
    changes: dict[Any, list[dict[str, Any]]] = {}
    for model in comparison.names[1:]:
        for row in comparison.objects(model):
            changes.setdefault(row["image"], []).append(row | {"model": model})
    order = sorted(changes, key=lambda image: (-_weight(changes[image]), str(image)))
    place = {image: k for k, image in enumerate(result.records.images.tolist())}
    several = len(comparison.names) > 2
    items = [_item(result, place[image], changes[image], several) for image in order[:MOST]]
    rest = [(image, row) for image in order[MOST:] for row in changes[image]]
    rows = [Row(_name(result, place[image]), _facts(row, several)) for image, row in rest[:MOST_ROWS]]
    left = len(rest) - len(rows)
    return items, rows, (f"{left:,} objects that changed are neither shown nor listed.",) if left else ()


def _changed_images(comparison: Comparison) -> list[Row]:
    """Of results without objects, such as label maps: the images whose score changed most, for each model."""
    tables = {name: _of_images(result) for name, result in zip(comparison.names, comparison.results, strict=True)}
    number, base = tables.pop(comparison.names[0])
    found: list[tuple[float, Row]] = []
    for model, (_, own) in tables.items():
        for image in base.keys() & own.keys():
            change = own[image] - base[image]
            told = {
                "image": str(image),
                "model": str(model),
                "change": "higher" if change > 0 else "lower" if change < 0 else "the same",
                number: f"{base[image]:.3f} → {own[image]:.3f}",
            }
            found.append((-abs(change), Row(str(image), told)))
    return [row for _, row in sorted(found, key=lambda one: (one[0], one[1].image, one[1].facts["model"]))]


def _of_images(result: Any) -> tuple[str, dict[Any, float]]:
    """The first number that images of a result have of their own, and its value in each."""
    rows = list(result.per_image()) if hasattr(result, "per_image") else []
    number = next((name for name in ("mIoU", "mDice", "PQ", "HD95") if rows and name in rows[0]), "")
    return number, {row["image"]: row[number] for row in rows if number and row[number] is not None}


def _weight(rows: list[dict[str, Any]]) -> float:
    """Broken ones are looked at first; both kinds in one picture tell more than one."""
    kinds = {row["change"] for row in rows}
    return sum(1.2 if row["change"] == "broken" else 1.0 for row in rows) + len(kinds)


def _facts(row: dict[str, Any], several: bool) -> dict[str, str]:
    facts = {"change": str(row["change"]), "category": str(row["category"]), "cause": str(row["cause"])}
    return facts | ({"model": str(row["model"])} if several else {})


def _item(result: DetectionResult, at: int, rows: list[dict[str, Any]], several: bool) -> Item:
    details = result.details
    names = [str(name) for name in result.categories]
    low, high = np.searchsorted(details.truth_image, [at, at + 1])
    changed = {row["truth"] for row in rows}
    shapes: list[Shape] = []
    for one in range(low, high):
        if details.truth_id.tolist()[one] not in changed and len(shapes) < OTHERS:
            x, y, width, height = details.truth_box[one].tolist()
            facts = {"category": names[details.truth_category[one]]}
            shapes.append(Shape("truth", box=(x, y, x + width, y + height), facts=facts))
    for row in sorted(rows, key=lambda row: row["change"], reverse=True):
        who = f" by {row['model']}" if several else ""
        label = f"{row['change']}{who}: {row['category']} ({row['cause']})"
        box = (row["x1"], row["y1"], row["x2"], row["y2"])
        shapes.append(Shape(_ROLES[row["change"]], label, box=box, facts=_facts(row, several)))
    counts = {change: sum(row["change"] == change for row in rows) for change in _ROLES}
    told = ", ".join(f"{count:,} {change}" for change, count in counts.items() if count)
    name = _name(result, at)
    width, height, has_size = _size(result, at, shapes)
    facts = {"image": name} | {str(column): str(result.columns[column][at]) for column in result.sliced_by}
    return Item(f"image-{at}", name, f"{name}: {told}", width, height, tuple(shapes), facts, has_size=has_size)


def _name(result: DetectionResult, at: int) -> str:
    known = None if result.image_names is None else result.image_names[at]
    return str(result.records.images.tolist()[at] if known is None else known)


def _size(result: DetectionResult, at: int, shapes: list[Shape]) -> tuple[float, float, bool]:
    """Width and height, and whether they are known; else all objects fit."""
    sizes = result.image_sizes
    if sizes is not None and (sizes[at] > 0).all():
        width, height = sizes[at].tolist()
        return float(width), float(height), True
    far = np.array([shape.box[2:] for shape in shapes if shape.box is not None and np.isfinite(shape.box).all()])
    width, height = (np.ceil(far.max(axis=0) * 1.04) if len(far) else np.array([100.0, 100.0])).tolist()
    return max(1.0, width), max(1.0, height), False
