"""Photographs of images of which nothing can be drawn: what is known of their objects is told beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vesica.report.photographs import finder
from vesica.report.views import Item, Row, Shape

LEGEND = {"wrong": ""}
"""Nothing is drawn that a legend would explain."""
MOST = 60
"""Images that have a picture."""


def told_beside(rows: Sequence[Row], images: Any, /) -> tuple[tuple[Item, ...], tuple[Row, ...]]:
    """Pictures of the images that come first among rows and have a photograph, and the rows of the others."""
    if images is None:
        return (), tuple(rows)
    find = finder(images)
    shown: dict[str, list[Row]] = {}
    for name in dict.fromkeys(row.image for row in rows):
        if len(shown) == MOST:
            break
        if find(name) is not None:
            shown[name] = []
    rest: list[Row] = []
    for row in rows:
        shown.get(row.image, rest).append(row)
    return tuple(_item(name, own) for name, own in shown.items()), tuple(rest)


def _item(name: str, rows: list[Row]) -> Item:
    told = [{key: fact for key, fact in row.facts.items() if key != "image"} for row in rows]
    shapes = tuple(Shape("wrong", facts=facts) for facts in told)
    first = ", ".join(f"{key} {fact}" for key, fact in told[0].items())
    caption = f"{name}: {first}" + (f"; and {len(told) - 1:,} more" if len(told) > 1 else "")
    # Its size is that of the photograph.
    return Item(f"image-{name}", name, caption, 100.0, 100.0, shapes, {"image": name}, has_size=False)
