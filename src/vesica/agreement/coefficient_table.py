"""Coefficients of each category with intervals: agreement and α of objects, IoU with and without chance of maps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from vesica._array import objects
from vesica.agreement.alphas import alpha_of_classes, class_sums
from vesica.agreement.chance import independent_iou
from vesica.agreement.resampled import first_by_second, keys_of_images
from vesica.agreement.tables import labels_of, rate
from vesica.results.tables import Table
from vesica.statistics.coefficients import nominal_sums
from vesica.statistics.intervals import percentile_intervals
from vesica.statistics.resampling import bootstrap, keys_of

if TYPE_CHECKING:
    from vesica.agreement.label_maps import PixelAgreementResult
    from vesica.agreement.records import AgreementRecords
    from vesica.agreement.tallies import Tallies


def coefficients_table(
    records: AgreementRecords, tallies: Tallies, agreement: np.ndarray, threads: int | None
) -> Table:
    """One row for a category; `agreement` is that of each."""
    scenes = records.scenes
    rows = np.flatnonzero(~scenes.is_self[tallies.scene])
    image, credit, units = (
        scenes.image[tallies.scene[rows]],
        *(tallies.sums[name][rows] for name in ("credit", "units")),
    )

    def rates(own: np.ndarray, place: np.ndarray, images: int) -> np.ndarray:
        return np.stack(
            [np.bincount(place, weights=column[own], minlength=images) for column in (credit, units)], axis=1
        )

    of_classes = class_sums(records)
    ratings = of_classes.ratings

    def alphas(own: np.ndarray, place: np.ndarray, images: int) -> np.ndarray:
        return nominal_sums(ratings.unit[own], ratings.value[own], place, images, 2)

    whole = _drawn_again(records, of_classes.whole, keys_of_images(records), threads)
    found = {
        "agreement": (agreement, _replicates(records, tallies.category[rows], image, rates, first_by_second, threads)),
        "alpha": (
            alpha_of_classes(records),
            _replicates(
                records,
                of_classes.kind,
                ratings.image,
                alphas,
                lambda sums: of_classes.alpha(sums, whole),
                threads,
            ),
        ),
    }
    return _table(labels_of(records), found, records.policy.level)


def _replicates(
    records: AgreementRecords,
    kind: np.ndarray,
    image: np.ndarray,
    sums_of: Callable[[np.ndarray, np.ndarray, int], np.ndarray],
    value_of: Callable[[np.ndarray], np.ndarray],
    threads: int | None,
) -> np.ndarray:
    """(R, C) a coefficient of every category where images are drawn again: of each only the images that have it. The
    weight of an image depends on nothing but the image, so that the others change nothing."""
    keys, kinds = keys_of_images(records), len(records.categories)
    order = np.argsort(kind, kind="stable")
    starts = np.searchsorted(kind[order], np.arange(kinds + 1))
    found = np.full((records.policy.replicates, kinds), np.nan)
    for place in range(kinds):
        own = order[starts[place] : starts[place + 1]]
        if len(own):
            images, where = np.unique(image[own], return_inverse=True)
            sums = sums_of(own, where.reshape(-1), len(images))
            found[:, place] = value_of(_drawn_again(records, sums, keys[images], threads))
    return found


def _drawn_again(records: AgreementRecords, sums: np.ndarray, keys: np.ndarray, threads: int | None) -> np.ndarray:
    """(R, k) sums over images that are drawn again."""
    policy = records.policy
    options: dict[str, Any] = {"seed": policy.seed, "replicates": policy.replicates, "threads": threads}
    return bootstrap(sums, lambda drawn: drawn, keys=keys, **options)


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
