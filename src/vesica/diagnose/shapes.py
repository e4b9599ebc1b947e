"""Advice that needs the shapes of the truth: many parts, small parts, thin ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica._array import to_numpy
from vesica.diagnose.finding import PITFALLS, Finding
from vesica.segmentation.connected import components
from vesica.segmentation.inputs import Maps, Reading, batches_of
from vesica.segmentation.skeletons import skeleton

SMALL_AREA, SMALL_SIDE, MANY, THIN = 16 * 16, 8, 0.2, 10
"""Pixels and sides of what is small; the share of parts that is many; how many times as long as wide is thin."""


@dataclass(frozen=True, eq=False)
class Shapes:
    """The connected parts of the truth, corners included.

    Attributes
    ----------
    number : (C,) parts of each image and class that has any
    area : (P,) pixels of each part
    side : (P,) the shorter side of its box
    length : (P,) pixels of its skeleton
    """

    number: np.ndarray
    area: np.ndarray
    side: np.ndarray
    length: np.ndarray

    @property
    def elongation(self) -> np.ndarray:
        """How many times as long as wide each part is: the width is its area over the length of its skeleton."""
        return np.asarray(self.length**2 / np.maximum(self.area, 1))


def shapes_of(truth: Any, background: int, ignore: tuple[int, ...], /) -> Shapes:
    """The parts of label maps (H, W), a stack of them, a list or a generator."""
    truth = list(truth) if isinstance(truth, Iterator) else truth
    columns: list[tuple[np.ndarray, ...]] = []
    for batch in batches_of(truth, truth, Reading()):
        assert isinstance(batch, Maps)
        columns += [_of_one(to_numpy(one), background, ignore) for one in batch.truth]
    if not columns:
        return Shapes(*(np.empty(0, np.int64) for _ in range(4)))
    return Shapes(*map(np.concatenate, zip(*columns, strict=True)))


def _of_one(labels: np.ndarray, background: int, ignore: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    labels = np.where(np.isin(labels, np.array(ignore, np.int64)), background, labels)
    ids, segments = components(labels, background=background, diagonal=True)
    _, number = np.unique(np.array(list(segments.values()), np.int64), return_counts=True)
    count = len(segments) + 1
    lines = np.zeros(labels.shape, bool)
    for label in set(segments.values()):
        lines |= to_numpy(skeleton(labels == label))
    sides = [_extent(ids, axis, count) for axis in range(ids.ndim)]
    area, length = (np.bincount(part, minlength=count)[1:] for part in (ids.ravel(), ids[lines]))
    return number, area, np.minimum.reduce(sides), length


def _extent(ids: np.ndarray, axis: int, count: int) -> np.ndarray:
    """How far each part reaches along an axis."""
    place = np.broadcast_to(np.expand_dims(np.arange(ids.shape[axis]), tuple({0, 1} - {axis})), ids.shape)
    low, high = np.full(count, ids.size), np.full(count, -1)
    np.minimum.at(low, ids.ravel(), place.ravel())
    np.maximum.at(high, ids.ravel(), place.ravel())
    return np.asarray((high - low + 1)[1:])


def _parts(shapes: Shapes) -> Iterator[Finding]:
    middle = float(np.median(shapes.number)) if shapes.number.size else 0.0
    if middle > 1:
        text = (
            f"A class has {middle:g} parts in the middle image: the largest rules this score. Match the parts and "
            "count them: evaluate_panoptic of segmentation.components gives F1 and PQ."
        )
        yield Finding("MR01", "warning", text, {"median parts": middle}, ("RQ", "PQ"), f"{PITFALLS}, S1")


def _small(shapes: Shapes) -> Iterator[Finding]:
    small = (shapes.area < SMALL_AREA) | (shapes.side < SMALL_SIDE)
    share = float(small.mean()) if small.size else 0.0
    if share > MANY:
        text = (
            f"{share:.0%} of the parts are small. One pixel of diagonal shift leaves an IoU of 0.784 at 16 pixels, "
            "0.620 at 8 and 0.391 at 4: read them apart from the large ones."
        )
        yield Finding("MR02", "warning", text, {"parts": len(small), "small": int(small.sum())}, ("per_image",))


def _thin(shapes: Shapes) -> Iterator[Finding]:
    thin = shapes.elongation > THIN
    if thin.any():
        text = (
            f"{int(thin.sum())} of {len(thin)} parts are more than {THIN} times as long as wide: overlap hides breaks "
            "in them. clDice looks at their centrelines: evaluate_surfaces(…, centrelines=True)."
        )
        evidence = {"parts": len(thin), "thin": int(thin.sum()), "longest": round(float(shapes.elongation.max()), 1)}
        yield Finding("MR08", "note", text, evidence, ("clDice",), f"{PITFALLS}, FP2.3")


RULES: dict[str, Callable[[Shapes], Iterator[Finding]]] = {"MR01": _parts, "MR02": _small, "MR08": _thin}
