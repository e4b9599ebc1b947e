"""Intervals of rates: images, or the groups they belong to, are drawn again; objects never are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vesica._check import agreement as check
from vesica.statistics.intervals import percentile_intervals
from vesica.statistics.resampling import bootstrap, keys_of

if TYPE_CHECKING:
    from vesica.agreement.records import AgreementRecords

_NUMBERS = 1 << 23
"""Numbers in a table of sums: 64 MB."""


def keys_of_images(records: AgreementRecords, /) -> np.ndarray:
    """What is drawn again, for each image: itself, or its group or batch, as the policy says."""
    by = records.policy.resample_by
    if by == "image":
        return keys_of(records.images)
    return keys_of(check.drawn_by(getattr(records, by), by))


def rate_replicates(
    records: AgreementRecords,
    cell: np.ndarray,
    image: np.ndarray,
    part: np.ndarray,
    whole: np.ndarray,
    cells: int,
    /,
    *,
    threads: int | None = None,
) -> np.ndarray:
    """(R, cells) what the rate Σ part / Σ whole of each cell is in each replicate; NaN where there is nothing."""
    images, policy = len(records.images), records.policy
    step = max(1, _NUMBERS // (2 * max(images, 1)))
    keys = keys_of_images(records)
    found = [np.empty((policy.replicates, 0))]
    for first in range(0, cells, step):
        many = min(step, cells - first)
        own = np.flatnonzero((cell >= first) & (cell < first + many))
        place = image[own] * many + (cell[own] - first)
        table = np.concatenate(
            [
                np.bincount(place, weights=column[own], minlength=images * many).reshape(images, many)
                for column in (part, whole)
            ],
            axis=1,
        )
        found.append(
            bootstrap(table, _rates, keys=keys, seed=policy.seed, replicates=policy.replicates, threads=threads)
        )
    return np.concatenate(found, axis=1)


def _rates(sums: np.ndarray) -> np.ndarray:
    part, whole = np.split(sums, 2, axis=1)
    found: np.ndarray = np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
    return found


def first_by_second(sums: np.ndarray, /) -> np.ndarray:
    """(R,) the ratio of two columns; NaN where there is nothing to divide by."""
    return _rates(sums)[:, 0]


def rate_intervals(
    records: AgreementRecords,
    cell: np.ndarray,
    image: np.ndarray,
    part: np.ndarray,
    whole: np.ndarray,
    cells: int,
    /,
    *,
    threads: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Both ends of the interval of each rate; NaN where there is none."""
    found = percentile_intervals(
        rate_replicates(records, cell, image, part, whole, cells, threads=threads), level=records.policy.level
    )
    return found.lo, found.hi


def influence_intervals(
    records: AgreementRecords,
    annotator: np.ndarray,
    image: np.ndarray,
    credit: np.ndarray,
    units: np.ndarray,
    /,
    *,
    threads: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Both ends of the interval of each annotator's influence. Rows are there for both of their annotators."""
    images, people, policy = len(records.images), len(records.annotators), records.policy
    place = image * people + annotator
    own = [
        np.bincount(place, weights=part, minlength=images * people).reshape(images, people) for part in (credit, units)
    ]
    table = np.concatenate(own, axis=1)

    def influences(sums: np.ndarray) -> np.ndarray:
        part, whole = np.split(sums, 2, axis=1)
        all_part, all_whole = (side.sum(axis=1, keepdims=True) / 2 for side in (part, whole))
        everyone = _rates(np.concatenate([all_part, all_whole], axis=1))
        others = _rates(np.concatenate([all_part - part, all_whole - whole], axis=1))
        return np.asarray(everyone - others)

    options: dict[str, Any] = {"seed": policy.seed, "replicates": policy.replicates, "threads": threads}
    found = percentile_intervals(
        bootstrap(table, influences, keys=keys_of_images(records), **options), level=policy.level
    )
    return found.lo, found.hi
