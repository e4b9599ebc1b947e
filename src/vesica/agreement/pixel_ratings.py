"""Ratings of pixels by any number of annotators, as α counts them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from vesica._check import statistics as check
from vesica.agreement.vote_patterns import label_patterns
from vesica.statistics.coefficients import (
    Coefficient,
    cohen_of_sums,
    fleiss_of,
    fleiss_sums,
    nominal_sums_of_counts,
    one_of,
)

if TYPE_CHECKING:
    from vesica.agreement.label_maps import Cells


def label_sums(stacks: Iterable[np.ndarray], ignore: Sequence[int] = (), /) -> np.ndarray:
    """(C + 2,) what nominal α of pixels is made of: units, Σ o_cc, and the ratings of each label that occurs.

    Each stack is one image as K annotators labelled it, (K, height, width) or (K, depth, height, width); K may differ.
    An ignored label is no rating. The order of images changes no bit.

    >>> label_sums([np.array([[[1, 1, 2]], [[1, 2, 2]], [[1, 1, 2]]])])
    array([3., 7., 5., 4.])
    """
    units, shares = 0, []
    ratings: Counter[int] = Counter()
    for stack in stacks:
        found = label_patterns(stack)
        kept = ~np.isin(found.classes, np.array(ignore, np.int64))
        sums = nominal_sums_of_counts(found.ratings[:, kept], found.count)
        units += int(sums[0])
        shares.append(float(sums[1]))
        ratings.update(dict(zip(found.classes[kept].tolist(), sums[2:].astype(np.int64).tolist(), strict=True)))
    given = [ratings[label] for label in sorted(ratings)]
    return np.array([units, math.fsum(shares), *given], np.float64)


def cohen_of_margins(cells: Cells, pixels: int, same: int, /) -> Coefficient:
    """Cohen's κ of two annotators, from how many pixels each gave every label: κ needs no more of the table than these
    and the pixels of one label."""
    labels, place = np.unique(cells.label, return_inverse=True)
    ours, theirs = (
        np.bincount(place.reshape(-1), weights=column, minlength=len(labels)) for column in (cells.area_a, cells.area_b)
    )
    sides = [np.append(side, pixels - side.sum()) for side in (ours, theirs)]  # of masks, what is in none
    return one_of(cohen_of_sums(sides[0], sides[1], np.array(float(same))), pixels)


def fleiss_of_maps(stacks: Iterable[np.ndarray], ignore: Sequence[int] = (), /) -> Coefficient:
    """Fleiss' κ of pixels that all have as many ratings."""
    tables, weights = [], []
    for stack in stacks:
        found = label_patterns(stack)
        for labels, count in zip(found.labels.tolist(), found.count.tolist(), strict=True):
            tables.append(Counter(label for label in labels if label not in ignore))
            weights.append(count)
    classes = sorted({label for table in tables for label in table})
    counts = np.array([[table[label] for label in classes] for table in tables], np.int64).reshape(len(tables), -1)
    weight = np.array(weights, np.int64)
    rated = counts.sum(axis=1) > 0
    raters = check.same_number_of_ratings(counts[rated]) if rated.any() else 0
    sums = fleiss_sums(counts[rated], weight[rated])
    return one_of(fleiss_of(sums, raters=raters), int(weight[rated].sum()) if raters > 1 else 0)
