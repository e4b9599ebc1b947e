"""Tolerances that people suggest: from which IoU on two objects are one, and how far apart two outlines may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vesica._array import objects
from vesica.agreement.bias import edge_offsets
from vesica.agreement.chance import DERANGEMENTS, block_of, by_rank, distances_of, exchanged_side
from vesica.agreement.chance_table import exchange_of
from vesica.agreement.outlines import distance_to, outline
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
    observed, by_chance = _overlaps(records, drawn, threads)
    distances = _distances(records, tallies, drawn, threads)
    kinds = [None, *range(len(records.categories))]
    names = [None, *labels_of(records).tolist()]
    columns: dict[str, list[float]] = {
        name: [] for name in ("match_at", "match_lo", "match_hi", "tau", "tau_lo", "tau_hi")
    }
    counts: list[int] = []
    for kind in kinds:
        overlap = [_histogram(records, one, kind, STEPS) for one in (observed, by_chance)]
        columns_of_kind = [
            *_with_interval(records, np.concatenate(overlap, axis=1), _crossing, threads),
            *_with_interval(records, _histogram(records, distances, kind, LAST + 1), _quantile, threads),
        ]
        for name, value in zip(columns, columns_of_kind, strict=True):
            columns[name].append(value)
        counts.append(int(overlap[0].sum()))
    return Table(
        {
            "category": objects(names),
            "n_pairs": np.array(counts, np.int64),
            **{name: np.array(values, np.float64) for name, values in columns.items()},
        }
    )


_Binned = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Categories, images and bins of values."""


def _overlaps(records: AgreementRecords, drawn: Annotations, threads: int | None) -> tuple[_Binned, _Binned]:
    """The IoU of each object of a with the nearest of b, in its own image and in others; those that touch nothing are
    left out."""
    given = exchange_of(records, drawn)
    block = block_of(given.pair, given.blocks)
    used = np.bincount(block)[block] > 1 if len(block) else np.zeros(0, bool)
    one, another = (by_rank(given.objects, side, used) for side in (given.a, given.b))
    label, image = given.objects.label[one.row], given.image[one.scene]

    def binned(iou: np.ndarray) -> _Binned:
        some = np.flatnonzero(iou > 0)
        return label[some], image[some], np.minimum((iou[some] * STEPS).astype(np.int64), STEPS - 1)

    observed = binned(1 - distances_of(given.objects, one, another, threads))
    seed = records.policy.seed
    parts = [
        binned(1 - distances_of(given.objects, one, exchanged_side(another, block, seed, number), threads))
        for number in range(DERANGEMENTS)
    ]
    label_of, image_of, bin_of = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return observed, (label_of, image_of, bin_of)


def _distances(records: AgreementRecords, tallies: Tallies, drawn: Annotations, threads: int | None) -> _Binned:
    """How far outlines of matched pairs are apart: edges of boxes, and pixels of the outlines of masks."""
    pairs = np.flatnonzero((tallies.a >= 0) & (tallies.b >= 0) & ~records.scenes.is_self[tallies.scene])
    masks = drawn.objects.regions
    if isinstance(masks, RleMasks):
        pairs = _some_of_each(pairs, tallies.category[pairs])
        away = [_between(masks, int(tallies.a[row]), int(tallies.b[row]), threads) for row in pairs.tolist()]
        sizes = [len(one) for one in away]
        values = np.concatenate([np.empty(0), *away])
    else:
        boxes = (Boxes(records.box[rows[pairs]], check=False) for rows in (tallies.a, tallies.b))
        values, sizes = np.abs(edge_offsets(*boxes)[:, :4]).reshape(-1), [4] * len(pairs)
    rows = np.repeat(pairs, sizes)
    image = records.scenes.image[tallies.scene[rows]]
    return tallies.category[rows], image, np.minimum(np.ceil(values / STEP), LAST).astype(np.int64)


def _some_of_each(pairs: np.ndarray, category: np.ndarray) -> np.ndarray:
    """At most so many pairs of each category, spread evenly over the images."""
    found = [pairs[category == kind] for kind in np.unique(category).tolist()]
    return np.concatenate([np.empty(0, np.int64), *(own[:: -(-len(own) // MOST)] for own in found)])


def _between(masks: RleMasks, a: int, b: int, threads: int | None) -> np.ndarray:
    """From each pixel of either outline to the nearest of the other."""
    pair = masks[[a, b]]
    x1, y1, x2, y2 = np.asarray(pair.boxes.xyxy, np.int64).T
    window = (int(x1.min()), int(y1.min()), int(x2.max()), int(y2.max()))
    one, other = (outline(mask) for mask in np.asarray(pair.crop(*window).to_masks().array))
    return np.concatenate([distance_to(other, threads)[one], distance_to(one, threads)[other]])


def _histogram(records: AgreementRecords, given: _Binned, kind: int | None, bins: int) -> np.ndarray:
    """(I, bins) how many values there are, image by image."""
    category, image, bin = given
    rows = np.arange(len(bin)) if kind is None else np.flatnonzero(category == kind)
    images = len(records.images)
    return np.bincount(image[rows] * bins + bin[rows], minlength=images * bins).reshape(images, bins)


def _with_interval(
    records: AgreementRecords, table: np.ndarray, of: Callable[[np.ndarray], np.ndarray], threads: int | None
) -> tuple[float, float, float]:
    """The value of all images, and both ends of its interval."""
    policy = records.policy
    value = float(of(table.sum(axis=0, keepdims=True).astype(np.float64))[0])
    if np.isnan(value):
        return value, value, value
    options = {"seed": policy.seed, "replicates": policy.replicates, "threads": threads}
    replicates = bootstrap(table.astype(np.float64), of, keys=keys_of_images(records), **options)  # type: ignore[arg-type]
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
