"""Coefficients of each category with intervals: agreement and α of objects, IoU with and without chance of maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vesica._array import objects
from vesica.agreement.alphas import Ratings, alpha_of_classes, class_ratings
from vesica.agreement.chance import independent_iou
from vesica.agreement.resampled import keys_of_images
from vesica.agreement.tables import labels_of, rate
from vesica.results.tables import Table
from vesica.statistics.coefficients import nominal_of, nominal_sums
from vesica.statistics.intervals import percentile_intervals
from vesica.statistics.resampling import bootstrap, keys_of

if TYPE_CHECKING:
    from vesica.agreement.label_maps import PixelAgreementResult
    from vesica.agreement.records import AgreementRecords

_NUMBERS = 1 << 22
"""Numbers in a table of sums: 32 MB."""


def coefficients_table(
    records: AgreementRecords, agreement: np.ndarray, replicates: np.ndarray, /, *, threads: int | None
) -> Table:
    """One row for a category. `agreement` is that of each, and `replicates` are its own, (R, C)."""
    alpha = alpha_of_classes(records)
    columns = {"agreement": (agreement, replicates), "alpha": (alpha, _alphas(records, threads))}
    return _table(labels_of(records), columns, records.policy.level)


def _alphas(records: AgreementRecords, threads: int | None) -> np.ndarray:
    """(R, C) α of every category where images are drawn again, some categories at a time."""
    ratings, kind = class_ratings(records)
    images, kinds, policy = len(records.images), len(records.categories), records.policy
    options: dict[str, Any] = {"keys": keys_of_images(records), "seed": policy.seed, "replicates": policy.replicates}
    step = max(1, _NUMBERS // (4 * max(images, 1)))
    found = [np.empty((policy.replicates, 0))]
    for first in range(0, kinds, step):
        many = min(step, kinds - first)
        rows = np.flatnonzero((kind >= first) & (kind < first + many))
        own = Ratings(*(column[rows] for column in ratings))
        place = own.image * many + kind[rows] - first
        sums = nominal_sums(own.unit, own.value, place, images * many, 2).reshape(images, many * 4)
        found.append(bootstrap(sums, _alpha_of, threads=threads, **options))
    return np.concatenate(found, axis=1)


def _alpha_of(sums: np.ndarray) -> np.ndarray:
    return nominal_of(sums.reshape(len(sums), -1, 4)).value


def pixel_coefficients_table(result: PixelAgreementResult, /) -> Table:
    """One row for a class of label maps, over all pairs of annotators."""
    labels, place = np.unique(result.cells.label, return_inverse=True)
    images, kinds, policy = len(result.images), len(labels), result.policy
    where = result.cells.image * max(kinds, 1) + place.reshape(-1)
    sums = [
        np.bincount(where, weights=column, minlength=images * kinds).reshape(images, kinds)
        for column in (result.cells.inter, result.cells.area_a, result.cells.area_b)
    ]
    counted = result.pairs_of_images
    pixels = np.bincount(counted.image, weights=counted.pixels, minlength=images)[:, None]
    table = np.concatenate([*sums, pixels], axis=1)
    keys = keys_of(objects(result.images))
    found = bootstrap(table, _overlaps, keys=keys, seed=policy.seed, replicates=policy.replicates)
    whole = _overlaps(table.sum(axis=0)[None])[0]
    names = objects(result.names.get(label, label) for label in labels.tolist())
    columns = {"iou": (whole[:kinds], found[:, :kinds]), "corrected": (whole[kinds:], found[:, kinds:])}
    return _table(names, columns, policy.level)


def _overlaps(sums: np.ndarray) -> np.ndarray:
    """(R, 2 C) of sums of what is shared, of both areas and of all pixels: IoU, and IoU beyond chance."""
    inter, area_a, area_b = np.split(sums[:, :-1], 3, axis=1)
    iou = rate(inter, area_a + area_b - inter)
    chance = independent_iou(area_a, area_b, sums[:, -1:])
    return np.concatenate([iou, rate(iou - chance, 1 - chance)], axis=1)


def _table(names: np.ndarray, columns: dict[str, tuple[np.ndarray, np.ndarray]], level: float) -> Table:
    """Each coefficient, and behind it both ends of its interval."""
    found: dict[str, np.ndarray] = {"category": names}
    for name, (value, replicates) in columns.items():
        ends = percentile_intervals(replicates, level=level)
        found |= {name: value, f"{name}_lo": ends.lo, f"{name}_hi": ends.hi}
    return Table(found)
