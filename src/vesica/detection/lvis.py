"""LVIS: which rows take part, and which guesses are forgiven."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vesica.dataset import Dataset, Ragged
from vesica.dataset.ids import places


def rows_of(
    truth: Dataset, guess: Dataset, meeting: Any, limit: int, area_of: Callable[[Dataset, str], np.ndarray], /
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of the truths, rows of the guesses, and whether each guess of the data set is forgiven.

    A guess takes part only where annotators looked for its category: where there is a truth of it, or where its absence
    was noted. It is forgiven where not all objects of its category were marked. Of an image at most `limit` guesses
    take part.
    """
    area = area_of(truth, "box") if truth.area is None else truth.area
    area = np.where(np.isnan(area), area_of(truth, "box"), area)
    truth_rows = np.flatnonzero((area > 0) & np.isfinite(area))
    cells = _Cells(len(meeting.categories))
    image, category = meeting.guess_image[guess.image], meeting.guess_category[guess.category]
    here = cells.of(image, category)
    seen = cells.of(meeting.truth_image[truth.image[truth_rows]], meeting.truth_category[truth.category[truth_rows]])
    absent, partial = (_listed(table, truth, meeting, cells) for table in (truth.images.absent, truth.images.partial))
    looked_for = (category >= 0) & np.isin(here, np.concatenate([seen, absent]))

    size = area_of(guess, "box")
    kept = np.zeros(len(guess), bool)
    kept[_best_of_each_image(guess, limit)] = True
    guess_rows = np.flatnonzero(kept & looked_for & (size > 0) & np.isfinite(size))
    return truth_rows, guess_rows, np.isin(here, partial)


class _Cells:
    """One number for an image and a category."""

    def __init__(self, categories: int) -> None:
        self.step = categories + 1

    def of(self, image: np.ndarray, category: np.ndarray) -> np.ndarray:
        number: np.ndarray = image.astype(np.int64) * self.step + category
        return number


def _listed(table: Ragged | None, truth: Dataset, meeting: Any, cells: _Cells) -> np.ndarray:
    """The cells that a list of categories for each image names."""
    if table is None:
        return np.empty(0, np.int64)
    category = places(np.asarray(table.values), meeting.categories)
    image = np.repeat(meeting.truth_image, np.diff(table.offsets))
    named: np.ndarray = cells.of(image, category)[category >= 0]
    return named


def _best_of_each_image(guess: Dataset, limit: int) -> np.ndarray:
    """The rows that stay when each image keeps its best ones; of equals the first."""
    assert guess.score is not None
    order = np.lexsort((np.arange(len(guess)), -guess.score, guess.image))
    image = guess.image[order]
    first = np.searchsorted(image, np.arange(len(guess.images)))
    best: np.ndarray = order[np.arange(len(order)) - first[image] < limit]
    return best
