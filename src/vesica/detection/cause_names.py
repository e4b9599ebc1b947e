"""Names of causes: why each guess is wrong, and why each truth was not found."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vesica.detection.details import Details
from vesica.detection.matches import Matches, best_of
from vesica.detection.records import Records

CAUSES = {
    "classification": "in the right place, with another class",
    "localisation": "of the right class, and too far off",
    "both": "near a truth of another class, and too far off as well",
    "duplicate": "of a truth that a better guess has found",
    "background": "where no truth is near",
    "missed": "truths that no guess came near enough to",
}
"""Every wrong guess has one of the first five; a truth that was not found, and that none of the first two would find
if it were put right, has the last."""
TOTALS = {
    "wrong": "all guesses of the five kinds above",
    "not found": "all truths that were not found, also those that a guess nearly found",
}
RIGHT, IGNORED = "right", "ignored"
STATES = (RIGHT, IGNORED, *CAUSES)
"""What can be said of a guess or a truth; codes are places here."""
CODE = {name: code for code, name in enumerate(STATES)}
CLASSIFICATION, LOCALISATION, MISSED = (CODE[name] for name in ("classification", "localisation", "missed"))


class Rules(NamedTuple):
    """Where ways to name causes differ; see docs/causes.md."""

    per_image: int | None = None
    """Guesses of an image that take part, of all classes together, best first; None: those of the records."""
    ignored_have_causes: bool = False
    """Does a guess that does not count have a cause, and become right by a repair?"""
    as_tide: bool = False
    """See `matches.matches_of`."""
    closed: bool = False
    """Is an overlap that is just the threshold still too far off, and one that is just the background's on it?"""
    epsilon: float | None = None
    recalls: tuple[float, ...] | None = None
    """Of precision, where they are not those of the protocol."""
    counts_empty: bool = False
    """Are classes without truths part of the mean, with an AP of 0?"""
    errors_first: bool = False
    """Do wrong guesses stand before right ones of the same score, once anything is repaired?"""


_TIDECV = Rules(100, True, True, True, 0.0, tuple(i / 100 for i in range(101)), True, True)
LIKE: dict[str | None, Rules] = {None: Rules(), "tidecv": _TIDECV}


class Named(NamedTuple):
    """The state of each guess and truth, by its code, and the truth that a cause speaks of."""

    matches: Matches
    guess: np.ndarray
    """(G,) int8"""
    target: np.ndarray
    """(G,) int64: the truth that it found, nearly found or found again; −1 for none."""
    overlap: np.ndarray
    """(G,) float64: how far it overlaps that truth; of guesses on the background, the nearest one. 0 for none."""
    truth: np.ndarray
    """(M,) int8: right if found; else the cause that keeps it from being found."""
    heir: np.ndarray
    """(M,) int64: the guess that would find it, if its cause were put right; −1 for none."""


def named(
    records: Records,
    details: Details,
    matches: Matches,
    background: float,
    /,
    *,
    rules: Rules = LIKE[None],
    kept: np.ndarray | None = None,
) -> Named:
    """Name the cause of every wrong guess, and of every truth that was not found; of guesses that are `kept`."""
    pair_truth, pair_guess = details.truth, details.guess
    counted = matches.counts[pair_truth]
    same = records.guess_category[pair_guess] == details.truth_category[pair_truth]
    own, other = (best_of(details, np.flatnonzero(counted & one)) for one in (same, ~same))
    bar = matches.bar
    are_near = own.overlap <= bar if rules.closed else own.overlap < bar
    nearest = np.maximum(own.overlap, other.overlap)
    is_far = nearest <= background if rules.closed else nearest < background
    # The first that fits.
    choices = [
        (np.zeros(len(details.near), bool) if kept is None else ~kept, IGNORED, np.full(len(details.near), -1)),
        (matches.right, RIGHT, matches.truth),
        (~matches.wrong & (not rules.ignored_have_causes), IGNORED, matches.truth),
        ((own.overlap >= background) & are_near & (own.truth >= 0), "localisation", own.truth),
        (other.overlap >= bar, "classification", other.truth),
        (own.overlap >= bar, "duplicate", own.truth),
        (is_far, "background", np.full(len(details.near), -1)),
        (np.ones(len(details.near), bool), "both", other.truth),
    ]
    fits = [one for one, _, _ in choices]
    guess = np.select(fits, [np.int8(CODE[name]) for _, name, _ in choices])
    target = np.select(fits, [truth for _, _, truth in choices])

    truth, heir = _of_truths(records, details, matches, guess, target)
    return Named(matches, guess, target, _overlap(details, target, nearest), truth, heir)


def _overlap(details: Details, target: np.ndarray, nearest: np.ndarray) -> np.ndarray:
    """How far each guess overlaps its target."""
    hit = np.flatnonzero(details.truth == target[details.guess])
    overlap = np.where(target >= 0, 0.0, nearest)
    overlap[details.guess[hit]] = details.overlap[hit]
    return overlap


def _of_truths(
    records: Records, details: Details, matches: Matches, guess: np.ndarray, target: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The cause of each truth, and its heir: of guesses that are off or of another class, the best that it is for."""
    is_free = matches.counts & (matches.guess < 0)
    claims = np.flatnonzero((guess == CLASSIFICATION) | (guess == LOCALISATION))
    claims = claims[is_free[target[claims]]]
    # Best last: of equal scores the guess that came first.
    claims = claims[np.lexsort((-details.number[claims], records.score[claims]))]
    heir = np.full(len(is_free), -1, np.int64)
    heir[target[claims]] = claims
    state = np.where(matches.counts, CODE[RIGHT], CODE[IGNORED]).astype(np.int8)
    of_heir = np.append(guess, np.int8(MISSED))[heir]
    return np.where(is_free, of_heir, state).astype(np.int8), heir


def best_of_image(records: Records, details: Details, most: int) -> np.ndarray:
    """The best guesses of each image, equal ones as they came."""
    image = records.guess_image
    if not (np.bincount(image) > most).any():
        return np.ones(len(image), bool)
    order = np.lexsort((details.number, -records.score, image))
    starts = np.searchsorted(image[order], np.arange(len(records.images)))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order)) - starts[image[order]]
    return rank < most
