"""Scores of each image: what is right, wrong and missed in it, the worst first."""

from __future__ import annotations

import numpy as np

from vesica.detection.records import Records
from vesica.results.tables import Table


def image_table(records: Records, threshold: int, area: int, min_score: float | None, /) -> Table:
    """A row for each image. Images in which nothing is and nothing was guessed have no F1, and come last."""
    count = len(records.images)
    matched, ignored = records.lane(threshold, area)
    counted = ~ignored if min_score is None else ~ignored & (records.score >= min_score)
    image = records.guess_image
    tp, fp = (np.bincount(image[counted & right], minlength=count) for right in (matched, ~matched))
    truths = np.zeros(count, np.int64)
    np.add.at(truths, records.image, records.counted[:, area])
    fn = truths - tp
    total = 2 * tp + fp + fn
    f1 = np.where(total > 0, 2 * tp / np.maximum(total, 1), np.nan)
    # The worst first: by F1, then by how many are wrong or missed; NaN sorts last.
    order = np.lexsort((np.arange(count), -(fp + fn), f1))
    columns = {"image": records.images, "truths": truths, "tp": tp, "fp": fp, "fn": fn, "f1": f1}
    return Table({name: column[order] for name, column in columns.items()})
