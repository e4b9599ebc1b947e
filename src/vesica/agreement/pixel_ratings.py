"""Ratings of pixels by any number of annotators, as α counts them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from vesica.agreement.vote_patterns import label_patterns
from vesica.statistics.coefficients import nominal_sums_of_counts


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
