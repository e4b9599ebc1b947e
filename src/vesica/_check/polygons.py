"""Checks of polygons."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from vesica import _check as check
from vesica._array import Array, as_array, dtype_name, to_numpy

Rule = Literal["coco", "centre", "border"]
RULES: tuple[str, ...] = get_args(Rule)
# Vertices must stay below these powers of two, or a walk along the edges would lose bits.
RASTER_POWERS = {"coco": 40, "centre": 40, "border": 30}


def raster_rule(value: Any) -> Rule | None:
    if value is not None:
        check.one_of(value, RULES, "rule")
    rule: Rule | None = value
    return rule


def drawing_rule(rule: Rule | None, kind: str) -> Rule:
    if rule is None:
        ways = " or ".join(f'rule="{name}"' for name in RULES)
        raise check.not_comparable(
            "Polygons", kind, f"Say by which rule to draw the polygons, for they differ: Polygons(…, {ways})."
        )
    return rule


def no_regions(value: Any) -> TypeError:
    return TypeError(f"`polygons` must be a list of regions; got {type(value).__name__}.")


def listed(value: Any, place: str, what: str) -> None:
    """A list of parts or rings, with something in it."""
    if not isinstance(value, (list, tuple)) and not getattr(value, "ndim", 0):
        raise no_ring(value, place)
    if not len(value):
        raise ValueError(f"`polygons` {place} must have a {what}; got an empty list. Leave it out.")


def no_ring(value: Any, place: str) -> TypeError:
    came = f"{value!r}" if isinstance(value, (int, float, str)) else f"a {type(value).__name__}"
    came += " of another shape" if isinstance(value, (list, tuple)) or hasattr(value, "ndim") else ""
    hint = " One polygon is a list of one region: wrap it in another list." if isinstance(value, (int, float)) else ""
    hint = " Run lengths of COCO go to RleMasks.from_coco." if isinstance(value, dict) and "counts" in value else hint
    return TypeError(
        f"`polygons` {place} must be vertices, [[x, y], …] or [x, y, …], or a list of them; got {came}.{hint}"
    )


def several_rings(place: str) -> ValueError:
    return ValueError(
        f"`polygons` {place} is a list of rings of pairs, which GeoJSON reads as an outer ring and its holes, and "
        "others as parts. Say which: [[outer, hole, …]] for holes, [[ring], [ring], …] for parts; or pass the "
        "GeoJSON dict."
    )


def geometry(value: Any, place: str) -> Any:
    """The geometry of a feature."""
    if value is None:
        raise ValueError(f"`polygons` {place} is a feature without a geometry. Leave it out.")
    return value


def has_area(kind: Any, place: str) -> None:
    if kind not in ("Polygon", "MultiPolygon"):
        raise TypeError(
            f"`polygons` {place} must be a Polygon or a MultiPolygon; got a {kind}, which has no area. "
            "Leave it out, or give it some (shapely: buffer)."
        )


def coordinates(given: Any, place: str) -> Any:
    """What a geometry is made of, with something in it."""
    value = given.get("coordinates")
    if value is None or not len(value):
        raise ValueError(f"`polygons` {place} is an empty {given['type']}. Leave it out.")
    return value


def positions(value: Any, place: str) -> np.ndarray:
    """A ring of GeoJSON: pairs, or triples with a height."""
    try:
        array = np.asarray(value)
    except ValueError:
        array = np.empty(0)
    if array.ndim != 2 or array.shape[1] not in (2, 3) or array.dtype.kind not in "iuf":
        raise TypeError(f"`polygons` {place} must have rings of positions, [[x, y], …]; got {check.brief(value)}.")
    return array


def ring(array: Array, place: tuple[int | None, ...]) -> None:
    """A ring of numbers, each x with its y."""
    if dtype_name(array) not in check.NUMBERS:
        raise TypeError(f"{_vertex_place(place)} must hold numbers; got {dtype_name(array)}.")
    if array.ndim == 1 and array.shape[0] % 2:
        raise ValueError(
            f"{_vertex_place(place)} must have an even number of coordinates, x, y, x, y, …; got {array.shape[0]}."
        )


def short_ring(place: tuple[int | None, ...], count: int) -> ValueError:
    hint = " One polygon is a list of one region: wrap it in another list." if count == 1 else ""
    return ValueError(f"{_vertex_place(place)} needs three vertices; got {count}.{hint}")


def bad_vertex(place: tuple[int | None, ...], vertex: np.ndarray) -> ValueError:
    start, pair = _vertex_place(place), tuple(vertex.tolist())
    if np.isfinite(vertex).all():
        return ValueError(f"{start} is too large: {pair}. {check.too_large('float64')}")
    return ValueError(f"{start} must be finite; got {pair}. Leave the vertex out, or repair it.")


def is_tiny(sides: np.ndarray) -> np.ndarray:
    """Which rings cover so little that digits would be lost: all areas above 2^-22 of the box around are normal."""
    tiny: np.ndarray = (sides > 0).all(axis=1) & (sides.prod(axis=1) < 2.0**-1000)
    return tiny


def too_small(place: tuple[int | None, ...], sides: np.ndarray) -> ValueError:
    w, h = sides.tolist()
    return ValueError(
        f"{_vertex_place(place)} is too small: {w} × {h}. The box around a ring must cover 2^-1000, or areas lose "
        "their digits: choose a smaller unit of length."
    )


def too_tangled(region: int, most: int) -> ValueError:
    return ValueError(
        f"`polygons` region {region} has edges that cross more than {most} times: its area is not measured. "
        "Simplify its rings, or leave it out."
    )


def too_far(place: tuple[int | None, ...], vertex: np.ndarray, rule: str, power: int) -> ValueError:
    return ValueError(
        f'{_vertex_place(place)} is too far away for the rule "{rule}": {tuple(vertex.tolist())}. '
        f"Its coordinates must stay within ±2^{power}: clip the polygon to the image first."
    )


def _vertex_place(place: tuple[int | None, ...]) -> str:
    named = zip(("region", "part", "ring", "vertex"), place, strict=False)
    return "`polygons` " + ", ".join(f"{word} {number}" for word, number in named if number is not None)


def vertices(value: Any) -> Array:
    array = as_array(value)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"`points` must have shape (V, 2); got {tuple(array.shape)}.")
    if dtype_name(array) not in check.NUMBERS:
        raise TypeError(f"`points` must hold numbers; got {dtype_name(array)}.")
    return array


def ring_offsets(value: Any, count: int, name: str, what: str) -> np.ndarray:
    """Where each thing begins among `count` others, and the end."""
    array = to_numpy(as_array(value))
    if array.ndim != 1 or array.dtype.kind not in "iu" or not array.size:
        raise TypeError(f"`{name}` must be a column of integers: where each begins, and the end.")
    if array[0] != 0 or array[-1] != count or (np.diff(array.astype(np.int64)) < 1).any():
        raise ValueError(
            f"`{name}` must start at 0, rise, and end at {count}, the number of {what}; got {array.tolist()}."
        )
    return np.array(array, np.int64)
