"""STAPLE: what the votes of several annotators tell about the truth, and about each of them.

The truth is unknown; so is how often an annotator marks what belongs (sensitivity) and leaves out what does not
(specificity). Each is estimated from the other in turn. Pixels with the same votes are alike, so a step takes as long
as there are patterns, whatever the size of the image. There is no term for neighbouring pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._check import staple as check_staple
from vesica._check import vote_patterns as check_votes
from vesica._kernels import pick_arrays
from vesica._kernels.generic.staple import STATUSES, Fits, Votes
from vesica._kernels.generic.vote_patterns import codes
from vesica.agreement.vote_patterns import VotePatterns

PRIORS = ("fixed", "free")
START, TOLERANCE, MOST_STEPS = 0.9, 1e-9, 2000
EQUAL = 1e-9
"""Probabilities so near to each other are tied: what is behind is rounding."""


@dataclass(frozen=True, eq=False)
class Staple:
    """What a fit found.

    Attributes
    ----------
    status : {"ok", "not_converged", "no_foreground", "no_background", "no_pixels", "one_annotator"}
        Whether to trust the numbers. Where there is nothing to fit, sensitivity and specificity are NaN.
    sensitivity, specificity : (K,) float64
    prior : float
        The share of pixels that belong, as it was given by the mean vote, or found.
    code : (P,) uint64
        The patterns of votes that occur, rising.
    belief : (P,) float64
        The probability that pixels of each pattern belong.
    steps : int
    field : {"image", "union_box"}
        Over which pixels: it changes the answer.
    """

    status: str
    sensitivity: np.ndarray
    specificity: np.ndarray
    prior: float
    code: np.ndarray
    belief: np.ndarray
    steps: int
    field: str

    def __repr__(self) -> str:
        return f"Staple({self.status}, {len(self.sensitivity)} annotators, {self.steps} steps, field {self.field})"

    @property
    def belongs(self) -> np.ndarray:
        """(P,) bool: the patterns whose pixels belong rather than not."""
        return self.belief > 0.5

    def soft_mask(self, masks: Any, /) -> np.ndarray:
        """The probability that each pixel belongs: float64, of the shape of one mask.

        `masks` are those that the votes were counted of, dense.

        >>> from vesica.agreement.vote_patterns import vote_patterns
        >>> masks = np.array([[[1, 1, 0, 0]], [[0, 1, 1, 0]], [[1, 1, 1, 0]]])
        >>> fit = staple(vote_patterns(masks))
        >>> fit.soft_mask(masks).round(3), fit.mask(masks)
        (array([[1., 1., 1., 0.]]), array([[ True,  True,  True, False]]))
        """
        stack = check_votes.stack(masks)
        check_votes.same_votes(len(self.sensitivity), len(stack))
        pattern = codes(stack)
        if not len(self.code):
            check_votes.seen(not pattern.size)
            return np.zeros(pattern.shape)
        place = np.minimum(np.searchsorted(self.code, pattern), len(self.code) - 1)
        check_votes.seen(bool((self.code[place] == pattern).all()))
        return self.belief[place]

    def mask(self, masks: Any, /) -> np.ndarray:
        """The pixels that belong rather than not: bool, of the shape of one mask."""
        return self.soft_mask(masks) > 0.5


def staple(
    patterns: VotePatterns,
    /,
    *,
    prior: str = "fixed",
    tolerance: float = TOLERANCE,
    most_steps: int = MOST_STEPS,
) -> Staple:
    """Estimate the truth behind K annotators' masks, and how good each annotator is.

    Parameters
    ----------
    patterns : VotePatterns
    prior : {"fixed", "free"}
        The share of pixels that belong: the mean vote throughout (STAPLE), or found with the rest (Dawid and Skene).
    tolerance : float
        Stop when no sensitivity, specificity or prior changes by more.
    most_steps : int
        Stop after so many steps, and say "not_converged". Hundreds are not unusual.

    Examples
    --------
    >>> found = staple(VotePatterns.from_table([800, 10, 15, 20, 5, 25, 30, 95]))
    >>> found.status, found.prior
    ('ok', 0.155)
    >>> found.sensitivity.round(6), found.specificity.round(6)
    (array([0.781549, 0.812794, 0.845702]), array([0.991726, 0.986493, 1.      ]))

    Nobody marked anything:

    >>> staple(VotePatterns.from_table([100, 0, 0, 0])).status
    'no_foreground'
    """
    check.one_of(prior, PRIORS, "prior")
    tolerance = check_staple.tolerance(tolerance)
    check.positive(most_steps, "most_steps")
    if patterns.annotators < 2:
        nobody = np.full(patterns.annotators, np.nan)
        belief = patterns.votes.sum(axis=1).astype(np.float64)
        share = float(belief @ patterns.count / patterns.pixels) if patterns.pixels else 0.0
        return Staple("one_annotator", nobody, nobody, share, patterns.code, belief, 0, patterns.field)
    asked = np.full(len(patterns.code), (1 << patterns.annotators) - 1, np.uint64)
    votes = Votes(patterns.code, asked, patterns.count)
    groups = np.array([0, len(patterns.code)], np.int64)
    fits = fit(votes, groups, patterns.annotators, prior=prior, tolerance=tolerance, most_steps=most_steps)
    status = STATUSES[int(fits.status[0])]
    unknown = np.full(patterns.annotators, np.nan)
    known = status in ("ok", "not_converged")
    return Staple(
        status,
        fits.sensitivity[0] if known else unknown,
        fits.specificity[0] if known else unknown,
        float(fits.prior[0]),
        patterns.code,
        fits.belief,
        int(fits.steps[0]),
        patterns.field,
    )


def fit(
    votes: Votes,
    groups: np.ndarray,
    annotators: int,
    /,
    *,
    prior: str = "fixed",
    tolerance: float = TOLERANCE,
    most_steps: int = MOST_STEPS,
    threads: int | None = None,
) -> Fits:
    """The same for many groups of patterns, each with a fit of its own; not all annotators need be asked for all."""
    options = {"is_free": prior == "free", "start": START, "tolerance": tolerance, "most": most_steps}
    found: Fits = pick_arrays("staple", "votes", votes.pixels).call(
        votes, groups, annotators, threads=threads, **options
    )
    return found
