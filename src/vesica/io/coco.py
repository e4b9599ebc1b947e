"""COCO's JSON: the run lengths of its masks."""

from __future__ import annotations

from typing import Any

from vesica.errors import InputError


def is_coco(value: Any, /) -> bool:
    """Is this JSON value what COCO writes, and not a table of numbers?"""
    if isinstance(value, dict):
        return "annotations" in value or {"size", "counts"} <= value.keys()
    return isinstance(value, list) and any(isinstance(row, dict) for row in value)


def run_lengths(value: Any, name: str, /) -> list[dict[str, Any]]:
    """The run lengths of a JSON value, in the order of the file: dicts of "size" and "counts".

    A value is a list of such dicts; a list of results or annotations, each with such a dict as its "segmentation"; or
    an object with a list of "annotations". Whatever else an annotation has is not looked at.
    """
    if isinstance(value, dict):
        if "annotations" not in value:
            raise InputError(f'{name} has one mask by itself; write a list of one: [{{"size": …, "counts": …}}].')
        value = value["annotations"]
    if not isinstance(value, list):
        raise InputError(f'{name}: "annotations" must be a list; got {type(value).__name__}.')
    return [_run_lengths_of(row, number, name) for number, row in enumerate(value)]


def _run_lengths_of(row: Any, number: int, name: str) -> dict[str, Any]:
    place = f"{name}, annotation {number}"
    if not isinstance(row, dict):
        raise InputError(f"{place} must be an object; got {type(row).__name__}.")
    found = row if "counts" in row else row.get("segmentation")
    if isinstance(found, dict) and {"size", "counts"} <= found.keys():
        return found
    if isinstance(found, dict):
        missing = next(key for key in ("size", "counts") if key not in found)
        raise InputError(f'{place}: run lengths have "size" and "counts"; "{missing}" is missing.')
    if isinstance(found, list):
        raise InputError(f"{place} is a polygon. Only run lengths are read so far: draw the polygons as masks first.")
    if found is None and "bbox" in row:
        raise InputError(
            f'{place} has a "bbox" and no "segmentation". Boxes are read as a list of lists: '
            '{"boxes": [[x, y, w, h], …]} with --form xywh.'
        )
    raise InputError(f'{place} has no "segmentation" of run lengths: {{"size": [height, width], "counts": …}}.')
