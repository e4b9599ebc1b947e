"""Trend: agreement by batch, date or round, and what changed since the first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vesica._array import objects
from vesica._check import agreement as check
from vesica.agreement.resampled import rate_replicates
from vesica.agreement.tables import labels_of, rate
from vesica.results.tables import Table
from vesica.statistics.intervals import benjamini_hochberg, p_values, percentile_intervals

if TYPE_CHECKING:
    from vesica.agreement.records import AgreementRecords
    from vesica.agreement.tallies import Tallies


def trend_table(
    records: AgreementRecords, tallies: Tallies, /, *, by: str, category: bool, threads: int | None
) -> Table:
    """One row for a period, rising, or for each category and period."""
    check.one_of(by, ("batch", "date", "round"), "by")
    periods, of_scene = _periods(records, by)
    scenes, sums = records.scenes, tallies.sums
    rows = np.flatnonzero(~scenes.is_self[tallies.scene] & (of_scene[tallies.scene] >= 0))
    kinds = len(records.categories) if category else 1
    kind = tallies.category[rows] if category else np.zeros(len(rows), np.int64)
    cell = kind * len(periods) + of_scene[tallies.scene[rows]]
    cells = kinds * len(periods)
    credit, units = sums["credit"][rows], sums["units"][rows]
    agreement = rate(*(np.bincount(cell, weights=column, minlength=cells) for column in (credit, units)))
    image = scenes.image[tallies.scene[rows]]
    replicates = rate_replicates(records, cell, image, credit, units, cells, threads=threads)
    first = np.arange(cells) // max(len(periods), 1) * len(periods)
    changes = replicates - replicates[:, first]
    ends = percentile_intervals(changes, level=records.policy.level)
    later = np.arange(cells) != first
    p = np.where(later, p_values(changes), np.nan)
    names: dict[str, np.ndarray] = (
        {"category": labels_of(records)[np.arange(cells) // max(len(periods), 1)]} if category else {}
    )
    return Table(
        {
            **names,
            by: objects(periods)[np.arange(cells) % max(len(periods), 1)],
            "n_images": _images(cell, image, cells, len(records.images)),
            "units": np.bincount(cell, weights=units, minlength=cells),
            "agreement": agreement,
            "change": np.where(later, agreement - agreement[first], np.nan),
            "lo": np.where(later, ends.lo, np.nan),
            "hi": np.where(later, ends.hi, np.nan),
            "p": p,
            "q": benjamini_hochberg(p),
        }
    )


def _images(cell: np.ndarray, image: np.ndarray, cells: int, images: int) -> np.ndarray:
    codes = np.unique(cell * max(images, 1) + image)
    return np.bincount(codes // max(images, 1), minlength=cells)


def _periods(records: AgreementRecords, by: str) -> tuple[list[Any], np.ndarray]:
    """All periods, rising, and that of each scene, −1 for one without. The date of two is the later one."""
    scenes = records.scenes
    if by == "round":
        told = check.periods(None if len(np.unique(records.asked_round)) < 2 else scenes.round_a.tolist(), by)
    elif by == "batch":
        column = check.periods(None if records.batch is None else records.batch.tolist(), by)
        told = [column[image] for image in scenes.image.tolist()]
    else:
        told = _dates(records)
    periods = sorted({one for one in told if one is not None})
    place = {one: k for k, one in enumerate(periods)}
    return periods, np.array([place.get(one, -1) for one in told], np.int64)


def _dates(records: AgreementRecords) -> list[Any]:
    dates = check.periods(None if records.asked_date is None else records.asked_date.tolist(), "date")
    who = zip(records.asked_image.tolist(), records.asked_annotator.tolist(), records.asked_round.tolist(), strict=True)
    date_of = dict(zip(who, dates, strict=True))
    scenes = records.scenes
    image, found = scenes.image.tolist(), []
    sides = [(scenes.a.tolist(), scenes.round_a.tolist()), (scenes.b.tolist(), scenes.round_b.tolist())]
    for place, one in enumerate(image):
        both = [date_of[one, annotator[place], rounds[place]] for annotator, rounds in sides]
        found.append(None if None in both else max(both))
    return found
