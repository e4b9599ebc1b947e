"""Tolerances that people suggest: from which IoU on two objects are one, and how far apart two outlines may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vesica._array import objects
from vesica.agreement.bias import edge_offsets
from vesica.agreement.chance import DERANGEMENTS, block_of, by_rank, distances_of, exchanged_side
from vesica.agreement.chance_table import exchange_of
from vesica.agreement.outlines import outline_histograms
from vesica.agreement.resampled import keys_of_images
from vesica.agreement.tables import labels_of
from vesica.regions import Boxes, RleMasks
from vesica.results.tables import Table
from vesica.statistics.intervals import percentile_intervals
from vesica.statistics.resampling import bootstrap

if TYPE_CHECKING:
    from collections.abc import Callable

    from vesica.agreement.annotations import Annotations
    from vesica.agreement.records import AgreementRecords
    from vesica.agreement.tallies import Tallies

STEPS = 100
"""Values of IoU that are told apart: 0.01."""
STEP, LAST = 0.25, 256
"""Distances that are told apart, in pixels; those of 64 and more are one."""
SHARE = 0.95
"""Of the distances between outlines of one object."""
MOST = 2000
"""Pairs of masks whose outlines are looked at, of each category."""


def tolerances_table(
    records: AgreementRecords, tallies: Tallies, drawn: Annotations, /, *, threads: int | None = None
) -> Table:
    """One row for all categories together, and one for each."""
    overlaps = _overlaps(records, drawn, threads)
    distances = _distances(records, tallies, drawn, threads)
    kinds = [None, *range(len(records.categories))]
    rows = [
        (
            *_with_interval(records, overlaps.of(kind), _crossing, threads),
            *_with_interval(records, distances.of(kind), _quantile, threads),
        )
        for kind in kinds
    ]
    names = ("match_at", "match_lo", "match_hi", "tau", "tau_lo", "tau_hi")
    return Table(
        {
            "category": objects([None, *labels_of(records).tolist()]),
            "n_pairs": np.array([int(overlaps.of(kind).counts[:, :STEPS].sum()) for kind in kinds], np.int64),
            **dict(zip(names, np.array(rows, np.float64).T, strict=True)),
        }
    )


class _Histograms(NamedTuple):
    """Counts of values by image and category: `counts[k]` are those of `image[k]` and `category[k]`, each pair once."""

    image: np.ndarray
    category: np.ndarray
    counts: np.ndarray

    def of(self, kind: int | None) -> _Histograms:
        """Those of one category; with None all, which still stand apart by image and category."""
        if kind is None:
            return self
        rows = np.flatnonzero(self.category == kind)
        return _Histograms(self.image[rows], self.category[rows], self.counts[rows])


def _histograms(image: np.ndarray, category: np.ndarray, bin: np.ndarray, kinds: int, bins: int) -> _Histograms:
    """Of one value a row."""
    codes, place = np.unique(image * kinds + category, return_inverse=True)
    counts = np.bincount(place.reshape(-1) * bins + bin, minlength=len(codes) * bins).reshape(-1, bins)
    of_image, of_category = np.divmod(codes, kinds)
    return _Histograms(of_image, of_category, counts)


def _added(given: _Histograms, kinds: int) -> _Histograms:
    """Histograms of one image and category as one."""
    code = given.image * kinds + given.category
    order = np.argsort(code, kind="stable")
    starts = np.flatnonzero(np.diff(code[order], prepend=-1))
    if not len(starts):
        return given
    image, category = np.divmod(code[order][starts], kinds)
    return _Histograms(image, category, np.add.reduceat(given.counts[order], starts, axis=0))


def _overlaps(records: AgreementRecords, drawn: Annotations, threads: int | None) -> _Histograms:
    """The IoU of each object of a with the nearest of b, in its own image and, in the bins behind those, in others.
    Objects that touch nothing are left out."""
    given = exchange_of(records, drawn)
    block = block_of(given.pair, given.blocks)
    used = np.bincount(block)[block] > 1 if len(block) else np.zeros(0, bool)
    one, another = (by_rank(given.objects, side, used) for side in (given.a, given.b))
    label, image = given.objects.label[one.row], given.image[one.scene]
    seed = records.policy.seed
    sides = [another, *(exchanged_side(another, block, seed, number) for number in range(DERANGEMENTS))]
    rows: list[np.ndarray] = []
    bins: list[np.ndarray] = []
    for place, side in enumerate(sides):
        iou = 1 - distances_of(given.objects, one, side, threads)
        some = np.flatnonzero(iou > 0)
        rows.append(some)
        bins.append(np.minimum((iou[some] * STEPS).astype(np.int64), STEPS - 1) + STEPS * (place > 0))
    row = np.concatenate(rows)
    kinds = max(len(records.categories), 1)
    return _histograms(image[row], label[row], np.concatenate(bins), kinds, 2 * STEPS)


def _distances(records: AgreementRecords, tallies: Tallies, drawn: Annotations, threads: int | None) -> _Histograms:
    """How far outlines of matched pairs are apart: edges of boxes, and pixels of the outlines of masks."""
    pairs = np.flatnonzero((tallies.a >= 0) & (tallies.b >= 0) & ~records.scenes.is_self[tallies.scene])
    masks, kinds, bins = drawn.objects.regions, max(len(records.categories), 1), LAST + 1
    if isinstance(masks, RleMasks):
        pairs = _some_of_each(pairs, tallies.category[pairs])
    a, b, category = (column[pairs] for column in (tallies.a, tallies.b, tallies.category))
    image = records.scenes.image[tallies.scene[pairs]]
    if isinstance(masks, RleMasks):
        counts = outline_histograms(masks, a, b, step=STEP, bins=bins, threads=threads)
        return _added(_Histograms(image, category, counts.astype(np.int64)), kinds)
    away = np.abs(edge_offsets(*(Boxes(records.box[side], check=False) for side in (a, b)))[:, :4]).reshape(-1)
    bin = np.minimum(np.ceil(away / STEP), LAST).astype(np.int64)
    return _histograms(np.repeat(image, 4), np.repeat(category, 4), bin, kinds, bins)


def _some_of_each(pairs: np.ndarray, category: np.ndarray) -> np.ndarray:
    """At most so many pairs of each category, spread evenly over the images."""
    found = [pairs[category == kind] for kind in np.unique(category).tolist()]
    return np.concatenate([np.empty(0, np.int64), *(own[:: -(-len(own) // MOST)] for own in found)])


def _with_interval(
    records: AgreementRecords, given: _Histograms, of: Callable[[np.ndarray], np.ndarray], threads: int | None
) -> tuple[float, float, float]:
    """The value of all images, and both ends of its interval. Images without a value add nothing to any replicate."""
    policy, table = records.policy, given.counts.astype(np.float64)
    value = float(of(table.sum(axis=0, keepdims=True))[0])
    if np.isnan(value):
        return value, value, value
    options: dict[str, Any] = {"seed": policy.seed, "replicates": policy.replicates, "threads": threads}
    replicates = bootstrap(table, of, keys=keys_of_images(records)[given.image], **options)
    ends = percentile_intervals(replicates[:, None], level=policy.level)
    return value, float(ends.lo[0]), float(ends.hi[0])


def _crossing(sums: np.ndarray) -> np.ndarray:
    """The IoU at which as large a share of observed pairs lies below as of exchanged ones lies above."""
    observed, by_chance = np.split(sums, 2, axis=1)
    totals = [side.sum(axis=1) for side in (observed, by_chance)]
    below = np.cumsum(observed, axis=1) - observed  # in lower bins
    above = np.cumsum(by_chance[:, ::-1], axis=1)[:, ::-1]  # in this bin and higher ones
    crossed = below * totals[1][:, None] >= above * totals[0][:, None]
    place = np.where(crossed.any(axis=1), crossed.argmax(axis=1), STEPS)
    return np.where((totals[0] > 0) & (totals[1] > 0), place / STEPS, np.nan)


def _quantile(sums: np.ndarray) -> np.ndarray:
    """The distance that 95 % of all do not exceed."""
    total = sums.sum(axis=1)
    reached = np.cumsum(sums, axis=1) >= SHARE * total[:, None]
    return np.where(total > 0, reached.argmax(axis=1) * STEP, np.nan)
