"""Findings about label maps: labels that are one more, or one less, than those of the truth."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from vesica.diagnose.finding import ERROR, LIKELY, Finding
from vesica.diagnose.words import percent
from vesica.segmentation.counts import NO_CLASS, PixelCounts

LITTLE, MUCH = 0.1, 0.5
"""Shares of pixels that agree as given, and with other labels, if the labels are wrong."""
FEWEST_LABELS, MOST_OF_ONE = 3, 0.8
"""Labels that must speak for it, and the most that one of them may."""


def findings(counts: PixelCounts, ignore: Collection[int] = (), /) -> Iterator[Finding]:
    """Do hardly any pixels agree, and most of them with all labels moved by one?"""
    left_out = np.array([NO_CLASS, *ignore], np.int64)
    seen = ~np.isin(counts.truth, left_out) & (counts.guess != NO_CLASS)
    truth, guess, count = counts.truth[seen], counts.guess[seen], counts.count[seen]
    total = int(count.sum())
    if counts.is_overlapping or not total:
        return
    given = int(count[truth == guess].sum()) / total
    for step, word in ((1, "one less"), (-1, "one more")):
        agree = guess + step == truth
        share = int(count[agree].sum()) / total
        if given < LITTLE and share >= MUCH and _is_broad(truth[agree], count[agree]):
            text = f"Labels of the guess are {word} than those of the truth: of all pixels {percent(given)} agree as "
            text += f"given, {percent(share)} so."
            evidence = {"shift": step, "agree_given": given, "agree": share}
            yield Finding("labels-shifted", ERROR, text, evidence, confidence=LIKELY)


def _is_broad(labels: np.ndarray, count: np.ndarray) -> bool:
    """Do several labels speak for it, and none nearly alone? A map of one class agrees with much by chance."""
    _, where = np.unique(labels, return_inverse=True)
    sums = np.bincount(where, weights=count)
    return len(sums) >= FEWEST_LABELS and float(sums.max()) <= MOST_OF_ONE * float(sums.sum())
