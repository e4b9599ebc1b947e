"""Repairs: what AP would be without one cause of error, for all of them at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vesica._kernels.native import precision_recall
from vesica.detection.cause_names import CAUSES, CLASSIFICATION, CODE, MISSED, STATES, Named, Rules
from vesica.detection.curves import EPSILON, Curve
from vesica.detection.details import Details
from vesica.detection.records import Records
from vesica.detection.rules import UNLIMITED
from vesica.detection.summary import POINTS

_LANES = len(CAUSES) + 3
"""The present, each cause, all wrong guesses, all truths that were not found."""
_WRONG, _LOST = _LANES - 2, _LANES - 1
_LANE = {name: lane for lane, name in enumerate(CAUSES, start=1)}
_ALL = np.uint64((1 << _LANES) - 1)
_BIT = np.uint64(1) << np.arange(_LANES, dtype=np.uint64)


class Lanes(NamedTuple):
    """Guesses as they are and as they would be. A lane is a bit, as in records."""

    category: np.ndarray
    """(N,) rising: guesses, and those that would move to another class."""
    score: np.ndarray
    right: np.ndarray
    """(N,) uint64: the lanes in which it is right."""
    gone: np.ndarray
    """(N,) uint64: the lanes in which it is not there, or does not count."""
    positives: np.ndarray
    """(K, L) int64: truths to be found."""


def repaired(records: Records, details: Details, found: Named, /) -> Lanes:
    """Every guess in every lane."""
    matches = found.matches
    # Which lanes a guess is gone from, by its state: all if it does not count, else that of its cause.
    lost = np.zeros(len(STATES), np.uint64)
    for name in list(CAUSES)[:-1]:
        lost[CODE[name]] = _BIT[_LANE[name]] | _BIT[_WRONG]
    counts = matches.right | matches.wrong
    right = np.where(matches.right, _ALL, np.uint64(0))
    gone = np.where(counts, lost[found.guess], _ALL)
    # The best claim to a truth becomes right: of the wrong place where it is, of the wrong class in that of the truth.
    heirs = np.flatnonzero(found.heir >= 0)
    claims = found.heir[heirs]
    is_moved = found.guess[claims] == CLASSIFICATION
    settled, moved = claims[~is_moved], claims[is_moved]
    right[settled] |= _BIT[_LANE["localisation"]]
    gone[settled] &= ~_BIT[_LANE["localisation"]]
    here = _BIT[_LANE["classification"]]
    homes = details.truth_category[heirs[is_moved]]
    places, order = _places(records, details, moved, homes)
    return Lanes(
        category=np.insert(records.guess_category, places, homes[order]),
        score=np.insert(records.score, places, records.score[moved[order]]),
        right=np.insert(right, places, here),
        gone=np.insert(gone, places, _ALL ^ here),
        positives=_positives(records, details, found),
    )


def _places(records: Records, details: Details, moved: np.ndarray, homes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where guesses stand in another class: by image and score, equal ones as they came; and in which order they do."""
    cell = records.guess_category * np.int64(len(records.images)) + records.guess_image
    own = homes * np.int64(len(records.images)) + records.guess_image[moved]
    first, end = np.searchsorted(cell, own), np.searchsorted(cell, own, side="right")
    # Those of the cell that stand before it.
    row = np.repeat(np.arange(len(moved)), end - first)
    other = np.arange(len(row)) - np.repeat(np.cumsum(end - first) - end, end - first)
    score, number = records.score, details.number
    is_equal = score[other] == score[moved[row]]
    is_before = (score[other] > score[moved[row]]) | (is_equal & (number[other] < number[moved[row]]))
    places = first + np.bincount(row[is_before], minlength=len(moved))
    order = np.lexsort((number[moved], -score[moved], places))
    return places[order], order


def _positives(records: Records, details: Details, found: Named) -> np.ndarray:
    def of_classes(chosen: np.ndarray) -> np.ndarray:
        return np.bincount(details.truth_category[chosen], minlength=len(records.categories))

    counts = found.matches.counts
    positives = np.repeat(of_classes(counts)[:, None], _LANES, axis=1)
    positives[:, _LANE["missed"]] -= of_classes(found.truth == MISSED)
    positives[:, _LOST] -= of_classes(counts & (found.matches.guess < 0))
    return positives


def precisions_of(
    lanes: Lanes, records: Records, rules: Rules, threads: int | None, /
) -> tuple[np.ndarray, np.ndarray]:
    """AP of each lane, over all classes, (L,), and of each class, (K, L); NaN for a class without truths."""
    if records.protocol.rules.average_precision == "recalls" or rules.recalls is not None:
        values = _at_recalls(lanes, records, rules, threads)
        if rules.errors_first:
            order = np.argsort(2 * lanes.category + (lanes.right & _BIT[0]).astype(np.int64), kind="stable")
            again = lanes._replace(score=lanes.score[order], right=lanes.right[order], gone=lanes.gone[order])
            values[..., 1:] = _at_recalls(again, records, rules, threads)[..., 1:]
    else:
        values = _of_curves(lanes, records)[None]
    if rules.counts_empty:
        values = np.maximum(values, 0.0)
        there = _has_guesses(lanes) | (lanes.positives > 0)
        means = [values[:, there[:, k], k].mean() if there[:, k].any() else np.nan for k in range(_LANES)]
        return np.array(means), values.mean(axis=0)
    has_truths = lanes.positives[:, 0] > 0
    by_class = np.full(lanes.positives.shape, np.nan)
    if not has_truths.any():
        return np.full(_LANES, np.nan), by_class
    # A class of which all truths were missed has nothing left to find when they are gone: it is as good as can be.
    values = np.where(lanes.positives == 0, 1.0, values)[:, has_truths]
    by_class[has_truths] = values.mean(axis=0)
    # In the order in which the summary adds them up.
    return np.array([np.mean(values[:, :, k].reshape(-1)) for k in range(_LANES)]), by_class


def _has_guesses(lanes: Lanes) -> np.ndarray:
    """(K, L) bool: has the class a guess in the lane? Wrong ones do not go from theirs, they come last."""
    first = np.flatnonzero(np.diff(lanes.category, prepend=-1))
    left = np.zeros(len(lanes.positives), np.uint64)
    if len(first):
        left[lanes.category[first]] = np.bitwise_or.reduceat(~lanes.gone, first)
    has: np.ndarray = (left[:, None] & _BIT) != 0
    has[:, _WRONG] = has[:, 0]
    return has


def _at_recalls(lanes: Lanes, records: Records, rules: Rules, threads: int | None) -> np.ndarray:
    """(R, K, L): precision at each recall, −1 for a class without truths."""
    categories = len(lanes.positives)
    columns = precision_recall.Columns(
        starts=np.arange(categories + 1, dtype=np.int64),
        guesses=np.bincount(lanes.category, minlength=categories).astype(np.int32),
        counted=lanes.positives.astype(np.int32).reshape(-1),
        score=lanes.score,
        matched=lanes.right,
        ignored=lanes.gone,
    )
    precision, _, _ = precision_recall.accumulate(
        columns,
        (1, _LANES),
        np.array(records.protocol.recalls if rules.recalls is None else rules.recalls, np.float64),
        np.array([UNLIMITED], np.int64),
        first_limit=0,
        epsilon=EPSILON if rules.epsilon is None else rules.epsilon,
        with_scores=False,
        threads=threads,
    )
    return precision[0, :, :, :, 0]


def _of_curves(lanes: Lanes, records: Records) -> np.ndarray:
    """(K, L): the area under the curve of each class, −1 for one without truths."""
    kind = records.protocol.rules.average_precision
    values = np.full(lanes.positives.shape, -1.0)
    ends = np.searchsorted(lanes.category, np.arange(len(values) + 1))
    for place, (begin, end) in enumerate(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)):
        order = begin + np.argsort(-lanes.score[begin:end], kind="stable")
        for lane in np.flatnonzero(lanes.positives[place]).tolist():
            rows = order[(lanes.gone[order] & _BIT[lane]) == 0]
            right = (lanes.right[rows] & _BIT[lane]) != 0
            sums = np.cumsum(right), np.cumsum(~right)
            curve = Curve(lanes.score[rows], *sums, int(lanes.positives[place, lane]))
            values[place, lane] = POINTS[kind](curve)
    return values
