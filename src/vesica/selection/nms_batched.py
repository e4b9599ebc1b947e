"""NMS of many images at once: ragged, as values and offsets, or padded to one shape."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Unpack

import numpy as np

from vesica import _check as check
from vesica._answer import Answer
from vesica._array import (
    Array,
    as_index,
    cast,
    from_numpy,
    has_visible_values,
    namespace,
    real,
    stop_gradient,
    to_numpy,
    widest_float,
)
from vesica._check import Share, names
from vesica._check import selection as check_selection
from vesica._kernels import pick_arrays
from vesica._kernels.generic.nms import in_order
from vesica._kernels.tables import Contest
from vesica.overlaps.measures import Measure, Options, Similarity, as_similarity, iou
from vesica.regions import Boxes, as_region
from vesica.selection.nms import chosen_for, nms


@dataclass(frozen=True, eq=False, repr=False)
class Ragged(Answer):
    """Kept rows of B images, one image after the other. `index, offsets = ragged` unpacks them.

    Attributes
    ----------
    index : int64, rows that stay, in each image best first
    offsets : (B + 1,) int64: those of image b are index[offsets[b] : offsets[b + 1]]
    """

    index: Array
    offsets: Array

    def __iter__(self) -> Iterator[Array]:
        return iter((self.index, self.offsets))


@dataclass(frozen=True, eq=False, repr=False)
class Padded(Answer):
    """Kept rows of B images, as many slots for each. `index, count = padded` unpacks them.

    Attributes
    ----------
    index : (B, limit) int64, rows of the image that stay, best first; −1 in slots that are left over
    count : (B,) int64: how many stay
    """

    index: Array
    count: Array

    def __iter__(self) -> Iterator[Array]:
        return iter((self.index, self.count))


@names.explained("nms")
def nms_ragged(regions: Any, scores: Any, offsets: Any, /, *, keys: Any = None, **options: Any) -> Ragged:
    """Choose in each image of a ragged batch, in one call: `nms` with the image as the first key.

    Parameters
    ----------
    regions, scores : all images one after the other, N in all
    offsets : (B + 1,) integers
        Image b has rows offsets[b] to offsets[b + 1].
    keys, **options
        As for `nms`; `limit` is for each image.

    Returns
    -------
    Ragged
        `index` and `offsets`: the kept rows, image by image.

    Examples
    --------
    >>> boxes = [[0, 0, 4, 4], [0, 0, 4, 4], [0, 0, 4, 3]]
    >>> index, offsets = nms_ragged(boxes, [0.3, 0.8, 0.9], [0, 1, 1, 3])
    >>> index, offsets
    (array([0, 2]), array([0, 1, 1, 2]))
    """
    region = as_region(regions, "regions")
    starts = check.image_offsets(offsets, len(region), "regions")
    images = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    columns = check_selection.key_columns(keys, len(images))

    kept = nms(region, scores, keys=(images, *columns) if columns else (images, images), **options)

    rows = to_numpy(kept)
    rows = rows[np.argsort(images[rows], kind="stable")]
    ends = np.cumsum(np.bincount(images[rows], minlength=len(starts) - 1))
    return Ragged(from_numpy(rows, kept), from_numpy(np.concatenate([[0], ends]), kept))


def nms_padded(
    boxes: Any,
    scores: Any,
    /,
    *,
    limit: int,
    above: Share = 0.5,
    measure: Measure | Similarity = iou,
    strict: bool = True,
    keys: Any = None,
    min_score: float | None = None,
    counts: Any = None,
    threads: int | None = None,
    **options: Unpack[Options],
) -> Padded:
    """Choose in each image of a padded batch: `nms` with an answer of a fixed shape, for compilers and exporters.

    The same rows as `nms` with the same `limit`. Traced (torch.compile, torch.export, jax.jit) and on other devices it
    is array code of fixed shapes, which looks at no value and waits for no device.

    Parameters
    ----------
    boxes : (B, N, 4) array, or Boxes of that shape
    scores : (B, N) numbers
        NaN is an error where looking is free; elsewhere it takes no part.
    limit : int
        Slots for each image.
    above, measure, strict, min_score, threads, **options
        As for `nms`.
    keys : (B, N) integers, optional
        Classes: only boxes with equal keys compete. `limit` is over all of them.
    counts : (B,) integers, optional
        How many rows of each image are real; the rest is padding.

    Returns
    -------
    Padded
        `index` (B, limit), −1 where nothing is left, and `count` (B,).

    Examples
    --------
    >>> boxes = [[[0, 0, 4, 4], [0, 0, 4, 3], [9, 9, 10, 10]]]
    >>> index, count = nms_padded(boxes, [[0.8, 0.9, 0.1]], limit=4)
    >>> index, count
    (array([[ 1,  2, -1, -1]]), array([2]))
    """
    limit = check.positive(limit, "limit")
    region = boxes if isinstance(boxes, Boxes) else Boxes._named(boxes, "boxes")
    table = stop_gradient(region.math)
    ranks = check_selection.padded(scores, table, "scores")
    similarity, threshold = as_similarity(measure), check.threshold(above, "above", strict=strict)
    formula = similarity.chosen(options) if not options else chosen_for("nms_padded", similarity, options)
    columns = None if keys is None else check_selection.padded(keys, table, "keys")
    real_rows = None if counts is None else check_selection.counts(counts, table)

    if all(has_visible_values(array) for array in (table, ranks, columns, real_rows) if array is not None):
        settings = {"above": above, "measure": measure, "strict": strict, "min_score": min_score, "threads": threads}
        return _on_host(table, ranks, columns, real_rows, limit, settings | options)

    wide = widest_float(table)
    ranks, least = cast(real(ranks), wide), check_selection.min_score(min_score, ranks)
    order = as_index(namespace(ranks).argsort(-ranks, axis=1, stable=True))
    alive = in_order(ranks, order) >= least  # NaN is not
    if real_rows is not None:
        alive = alive & (order < real_rows[:, None])
    rows = in_order(table, order)
    numbers = None if columns is None else in_order(columns, order)

    contest = Contest(rows, numbers, formula, threshold)
    return Padded(*pick_arrays("nms_padded", "boxes", rows).call(contest, order, alive, limit))


def _on_host(
    table: Array, scores: Array, keys: Array | None, counts: Array | None, limit: int, settings: dict[str, Any]
) -> Padded:
    """The same by the native kernels: one ragged batch, filled into slots."""
    batch, rows, _ = table.shape
    ranks = to_numpy(scores)
    real_rows = np.full(batch, rows) if counts is None else np.clip(to_numpy(counts), 0, rows)
    taking_part = np.arange(rows) < real_rows[:, None]
    check_selection.no_nan(np.where(taking_part, ranks, 0))
    chosen = np.flatnonzero(taking_part)
    columns = None if keys is None else to_numpy(keys).reshape(-1)[chosen]
    boxes = Boxes(to_numpy(table).reshape(-1, 4)[chosen], check=False)

    offsets = np.concatenate([[0], np.cumsum(real_rows)])
    kept, ends = nms_ragged(boxes, ranks.reshape(-1)[chosen], offsets, keys=columns, limit=limit, **settings)

    count = np.diff(ends)
    index = np.full((batch, limit), -1, np.int64)
    index[np.arange(limit) < count[:, None]] = chosen[kept] % max(rows, 1)
    return Padded(from_numpy(index, table), from_numpy(count, table))
