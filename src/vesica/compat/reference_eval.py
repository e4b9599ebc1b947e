"""What an evaluation computes: the matches of one cell, and the curves of many.

A cell is what one image has of one category. Its answer is a dict, as pycocotools keeps it: `dtMatches` and `gtMatches`
(thresholds × rows) hold the id of the partner, and 0 for an unmatched row; so a truth with the id 0 looks unmatched.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from vesica._check import compat as check
from vesica.detection.curves import EPSILON
from vesica.detection.rules import HIGHEST_BAR

Cell = dict[str, Any]


class Matches(NamedTuple):
    """Thresholds × guesses, thresholds × truths, thresholds × guesses."""

    of_guess: np.ndarray
    of_truth: np.ndarray
    ignored: np.ndarray


def match_cell(
    overlaps: list[list[float]],
    guess_ids: Sequence[Any],
    truth_ids: Sequence[Any],
    ignored: Sequence[int],
    crowd: Sequence[Any],
    thresholds: Any,
) -> Matches:
    """Match the guesses of a cell, best score first, to its truths, those that count first.

    Each guess takes the truth with the largest overlap that reaches the threshold, on equal overlaps the later one, and
    one that is ignored only if there is no other. A truth is taken once, a crowd as often as it is met.
    """
    rows = len(thresholds)
    of_guess, of_truth = np.zeros((rows, len(guess_ids))), np.zeros((rows, len(truth_ids)))
    is_ignored = np.zeros((rows, len(guess_ids)))
    for t, threshold in enumerate(thresholds if overlaps else ()):
        taken = [0] * len(truth_ids)
        for d, row in enumerate(overlaps[: len(guess_ids)]):
            held, bar = -1, min(threshold, HIGHEST_BAR)
            for g, overlap in enumerate(row):
                if taken[g] > 0 and not crowd[g]:
                    continue
                if held >= 0 and not ignored[held] and ignored[g]:
                    break
                if not overlap < bar:  # NaN passes
                    held, bar = g, overlap
            if held >= 0:
                taken[held] = guess_ids[d]
                of_guess[t, d], of_truth[t, held] = truth_ids[held], guess_ids[d]
                is_ignored[t, d] = ignored[held]
    return Matches(of_guess, of_truth, is_ignored.astype(bool))


class Curves(NamedTuple):
    """precision, scores [T, R, K, A, M] and recall [T, K, A, M]; −1 without truths."""

    precision: np.ndarray
    recall: np.ndarray
    scores: np.ndarray


def accumulate(cells: Any, asked: Any, evaluated: Any) -> Curves:
    """Curves of cells that lie one behind the other: category, area range, image.

    `evaluated` says how the cells lie, `asked` which of them count. As in pycocotools, what is asked for is found by
    its place in the list of `asked`, and whatever was not evaluated is passed over.
    """
    sizes = len(asked.iouThrs), len(asked.recThrs), len(asked.catIds), len(asked.areaRng), len(asked.maxDets)
    precision, scores = -np.ones(sizes), -np.ones(sizes)
    recall = -np.ones((sizes[0], *sizes[2:]))
    old_categories = evaluated.catIds if evaluated.useCats else [-1]
    images = _places(asked.imgIds, evaluated.imgIds)
    areas = _places(map(tuple, asked.areaRng), map(tuple, evaluated.areaRng))
    caps = [cap for cap in asked.maxDets if cap in set(evaluated.maxDets)]
    step_area, step_category = len(evaluated.imgIds), len(evaluated.imgIds) * len(evaluated.areaRng)

    for k, category in enumerate(_places(asked.catIds, old_categories)):
        for a, area in enumerate(areas):
            first = category * step_category + area * step_area
            some = [cell for cell in (cells[first + image] for image in images) if cell is not None]
            positives = sum(int(np.count_nonzero(cell["gtIgnore"] == 0)) for cell in some)
            for m, cap in enumerate(caps if positives else ()):
                found = _curve(some, cap, positives, asked.recThrs)
                rows = len(found.recall)
                check.threshold_count(rows, sizes[0])
                precision[:rows, :, k, a, m] = found.precision
                recall[:rows, k, a, m] = found.recall
                scores[:rows, :, k, a, m] = found.scores
    return Curves(precision, recall, scores)


def _places(asked: Any, evaluated: Any) -> list[int]:
    """Places in the new list of what the old one has too."""
    known = set(evaluated)
    return [place for place, value in enumerate(asked) if value in known]


def _curve(cells: list[Cell], cap: int, positives: int, recall_points: Any) -> Curves:
    """Curves of all thresholds, from cells cut to their `cap` best guesses."""
    scores = np.concatenate([cell["dtScores"][:cap] for cell in cells])
    order = np.argsort(-scores, kind="stable")
    scores = scores[order]
    matched, ignored = (
        np.concatenate([cell[key][:, :cap] for cell in cells], axis=1)[:, order] for key in ("dtMatches", "dtIgnore")
    )
    matched, counted = matched != 0, ~ignored.astype(bool)
    hits = np.cumsum(matched & counted, axis=1).astype(float)
    misses = np.cumsum(~matched & counted, axis=1).astype(float)
    recall = hits / positives
    precision = hits / (misses + hits + EPSILON)
    envelope = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]

    points = len(recall_points)
    sampled = Curves(np.zeros((len(recall), points)), np.zeros(len(recall)), np.zeros((len(recall), points)))
    for t, reached in enumerate(recall):
        at = np.searchsorted(reached, recall_points, side="left")
        beyond = np.flatnonzero(at >= len(scores))
        at = at[: beyond[0]] if beyond.size else at  # the first point out of reach ends the curve
        sampled.precision[t, : len(at)] = envelope[t, at]
        sampled.scores[t, : len(at)] = scores[at]
        sampled.recall[t] = reached[-1] if len(scores) else 0.0
    return sampled
