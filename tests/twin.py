"""COCO's rule for detection scores in plain loops, and the ways in which it is easily got wrong.

Without a fault it is one more answer beside those of vesica and pycocotools. With one it shows whether a set of jobs
would notice: a fault that changes no number of any job is a fault that no test sees.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

FAULTS = {
    # matching
    "bar must be exceeded": "iou > bar instead of ≥",
    "bar of 1 stays": "a threshold of 1 is not lowered to 1 − 1e-10",
    "earlier truth on ties": "of equal ious the first truth is held, not the last",
    "crowd taken once": "a crowd that was found is no longer free",
    "crowd like others": "iou with a crowd has the union below, not the guess",
    "crowd counts": "a crowd is a truth to be found",
    "ignored truths first": "the second round comes before the first",
    "ignored truths compete": "a held truth gives way to an ignored one that overlaps more",
    "truth never taken": "a truth is found by many",
    "matched guess filtered by area": "also a guess that found a truth must lie in the range",
    "unmatched guess always counts": "no guess is ignored for its area",
    "guess of ignored truth counts": "a guess that found an ignored truth is right",
    "id 0 like others": "the id 0 is corrected where it must not be",
    "duplicate ids apart": "each row with an id twice stands for itself",
    # iou
    "union in another order": "(a − i) + b instead of (a + b) − i",
    "fused multiply-add": "a · b + c is rounded once",
    # sorting and limits
    "unstable sort in a cell": "equal scores of a cell come in the opposite order",
    "unstable sort of images": "equal scores of different images come in the opposite order",
    "images as in the file": "images are joined as they come, not by id",
    "NaN first": "a score that is none is the best",
    "-0.0 below 0.0": "the two zeros differ",
    "no limit": "all guesses of a cell are looked at",
    "limit of a category": "the limit is that of a category, not of a cell",
    "limit one too many": "rank ≤ limit instead of <",
    "ignored guesses have no rank": "guesses that do not count are left out before the limit",
    # areas
    "open lowest area": "an area on the lower end lies outside",
    "open highest area": "an area on the upper end lies outside",
    "truth area from its box": "the area that the file has is not read",
    # curves
    "no epsilon": "precision is tp / (tp + fp)",
    "no envelope": "precision as it is",
    "recall beyond the point": "the first recall above a point, not at it",
    "point 0 from the first right guess": "recall 0 takes the first right guess, not the first guess",
    "cells without truths dropped": "guesses where there is no truth do not count",
    "cells without guesses dropped": "truths where there is no guess are not missed",
    "ignored guesses are wrong": "what does not count counts as wrong",
    "recall 0 without guesses is -1": "categories without guesses have no recall",
    # grids and means
    "thresholds 0.5 + 0.05 i": "another rounding of the thresholds",
    "recalls i / 100": "another rounding of the recalls",
    "plain sum": "the mean adds one value after the other",
    "absent classes are 0": "categories without truths lower the mean",
}

THRESHOLDS = [float(t) for t in np.linspace(0.5, 0.95, 10)]
RECALLS = [float(r) for r in np.linspace(0.0, 1.0, 101)]
AREAS = {"all": (0, 1e10), "small": (0, 1024), "medium": (1024, 9216), "large": (9216, 1e10)}
LIMITS = [1, 10, 100]
_EPSILON = 2.0**-52


class Answer(NamedTuple):
    """What a score is made of, and the score."""

    precision: np.ndarray
    recall: np.ndarray
    scores: np.ndarray
    stats: np.ndarray


class Cell(NamedTuple):
    """The guesses of one image and one category, best first, in one lane."""

    image: int
    scores: list[float]
    matched: list[bool]
    ignored: list[bool]
    truths: int
    positives: int


def answer(
    truth: dict[str, Any],
    results: list[dict[str, Any]],
    fault: str | None = None,
    *,
    iou: list[float] | None = None,
    areas: dict[str, tuple[float, float]] | None = None,
    max_dets: list[int] | None = None,
) -> Answer:
    """Precision, recall, scores and the twelve numbers of boxes."""
    assert fault is None or fault in FAULTS
    thresholds = list(iou) if iou is not None else THRESHOLDS
    if fault == "thresholds 0.5 + 0.05 i" and iou is None:
        thresholds = [0.5 + 0.05 * i for i in range(10)]
    recalls = [i / 100 for i in range(101)] if fault == "recalls i / 100" else RECALLS
    ranges, limits = areas or AREAS, sorted(max_dets or LIMITS)
    categories = sorted(row["id"] for row in truth["categories"])
    images = [row["id"] for row in truth["images"]]
    images = images if fault == "images as in the file" else sorted(images)
    truths, guesses = _truths(truth, fault), [{**row, "number": k} for k, row in enumerate(results)]

    shape = (len(thresholds), len(recalls), len(categories), len(ranges), len(limits))
    precision, recall, scores = -np.ones(shape), -np.ones((shape[0], *shape[2:])), -np.ones(shape)
    for k, category in enumerate(categories):
        prepared = [
            _prepared(image, _of(truths, image, category), _of(guesses, image, category), limits[-1], fault)
            for image in images
        ]
        for a, ends in enumerate(ranges.values()):
            for t, threshold in enumerate(thresholds):
                lane = [_cell(*one, threshold, ends, fault) for one in prepared if one[1] or one[2]]
                for m, limit in enumerate(limits):
                    made = _curve(lane, limit, recalls, fault)
                    if made is not None:
                        precision[t, :, k, a, m], scores[t, :, k, a, m], recall[t, k, a, m] = made
    return Answer(precision, recall, scores, _stats(precision, recall, thresholds, list(ranges), limits, fault))


def _truths(truth: dict[str, Any], fault: str | None) -> list[dict[str, Any]]:
    """Rows as pycocotools finds them: by image, and with an id twice the last row for each."""
    rows = truth["annotations"]
    if fault == "duplicate ids apart":
        return list(rows)
    last = {row["id"]: row for row in rows}
    return [last[row["id"]] for row in sorted(rows, key=lambda row: row["image_id"])]


def _of(rows: list[dict[str, Any]], image: int, category: int) -> list[dict[str, Any]]:
    return [row for row in rows if (row["image_id"], row["category_id"]) == (image, category)]


def _key(fault: str | None) -> Any:
    """What rises as scores fall."""

    def key(score: float) -> tuple[float, float]:
        if math.isnan(score):
            return (-math.inf, 0) if fault == "NaN first" else (math.inf, 1)
        return -score, float(math.copysign(1, score) < 0) if fault == "-0.0 below 0.0" and score == 0 else 0.0

    return key


def _prepared(image: int, truths: Any, guesses: Any, most: int, fault: str | None) -> Any:
    """Guesses in order, and every iou."""
    key, turned = _key(fault), -1 if fault == "unstable sort in a cell" else 1
    given, found = list(truths), sorted(guesses, key=lambda row: (*key(row["score"]), turned * row["number"]))
    if fault not in ("no limit", "limit one too many", "ignored guesses have no rank", "limit of a category"):
        found = found[:most]
    ious = [[_iou(g["bbox"], t["bbox"], bool(t["iscrowd"]), fault) for t in given] for g in found]
    return image, given, found, ious


def _fma(a: float, b: float, c: float) -> float:
    return float(Fraction(a) * Fraction(b) + Fraction(c)) if all(map(math.isfinite, (a, b, c))) else a * b + c


def _lesser(a: float, b: float) -> float:
    """Of a number and what is none, the number."""
    return b if math.isnan(a) or b < a else a


def _greater(a: float, b: float) -> float:
    return b if math.isnan(a) or b > a else a


def _iou(guess: list[float], truth: list[float], is_crowd: bool, fault: str | None) -> float:
    ends = [(guess[k] + guess[k + 2], truth[k] + truth[k + 2], guess[k], truth[k]) for k in (0, 1)]
    width, height = (_lesser(a, b) - _greater(c, d) for a, b, c, d in ends)
    if width <= 0 or height <= 0:
        return 0.0
    inter, area = width * height, guess[2] * guess[3]
    if fault == "union in another order":
        union = (area - inter) + truth[2] * truth[3]
    elif fault == "fused multiply-add":
        union = _fma(truth[2], truth[3], area) - inter
    else:
        union = area + truth[2] * truth[3] - inter
    below = area if is_crowd and fault != "crowd like others" else union
    return inter / below if below else math.nan


def _is_outside(area: float, ends: tuple[float, float], fault: str | None) -> bool:
    low, high = ends
    if fault == "open lowest area" and area == low:
        return True
    return area < low or area > high or (fault == "open highest area" and area == high)


def _cell(
    image: int,
    truths: list[Any],
    guesses: list[Any],
    ious: list[list[float]],
    threshold: float,
    ends: tuple[float, float],
    fault: str | None,
) -> Cell:
    """One lane of one cell: the rule as it is told."""
    is_off = []
    for row in truths:
        area = row["bbox"][2] * row["bbox"][3] if fault == "truth area from its box" else row["area"]
        is_off.append(bool(row["iscrowd"] and fault != "crowd counts") or _is_outside(area, ends, fault))
    order = sorted(range(len(truths)), key=lambda k: is_off[k] != (fault == "ignored truths first"))
    taken = [False] * len(truths)
    matched, ignored = [], []
    for row, values in zip(guesses, ious, strict=True):
        held = _held(values, order, is_off, taken, [bool(one["iscrowd"]) for one in truths], threshold, fault)
        hit, off = held is not None, False
        if held is not None:
            taken[held] = fault != "truth never taken"
            off = is_off[held] and fault != "guess of ignored truth counts"
            hit = truths[held]["id"] != 0 or fault == "id 0 like others"
        filters = fault != "unmatched guess always counts" and (not hit or fault == "matched guess filtered by area")
        off = off or (filters and _is_outside(row["bbox"][2] * row["bbox"][3], ends, fault))
        matched.append(hit)
        ignored.append(off)
    return Cell(image, [row["score"] for row in guesses], matched, ignored, len(truths), is_off.count(False))


def _held(
    ious: list[float],
    order: list[int],
    is_off: list[bool],
    taken: list[bool],
    is_crowd: list[bool],
    threshold: float,
    fault: str | None,
) -> int | None:
    """The truth that a guess finds."""
    bar = threshold if fault == "bar of 1 stays" else min(threshold, 1 - 1e-10)
    held = None
    for k in order:
        if taken[k] and not (is_crowd[k] and fault != "crowd taken once"):
            continue
        if held is not None and is_off[held] != is_off[k] and fault != "ignored truths compete":
            break
        falls_short = ious[k] < bar
        if (fault == "bar must be exceeded" and held is None) or (fault == "earlier truth on ties" and held is not None):
            falls_short = ious[k] <= bar
        if not falls_short:
            bar, held = ious[k], k
    return held


def _curve(
    cells: list[Cell], limit: int, recalls: list[float], fault: str | None
) -> tuple[list[float], list[float], float] | None:
    """Precision and score at each recall, and the last recall; None where there is nothing to be found."""
    if fault == "cells without guesses dropped":
        cells = [cell for cell in cells if cell.scores]
    positives = sum(cell.positives for cell in cells)
    if not positives:
        empty = [0.0] * len(recalls)
        return (empty, empty, 0.0) if fault == "absent classes are 0" else None
    points = _points(cells, limit, fault)
    right = wrong = 0
    found, precisions = [], []
    for _, is_hit, is_off in points:
        right += is_hit and not is_off
        wrong += not is_hit and not is_off or (is_off and fault == "ignored guesses are wrong")
        below = float(right + wrong) if fault == "no epsilon" else (right + wrong) + _EPSILON
        found.append(right / positives)
        precisions.append(right / below if below else 0.0)
    if fault != "no envelope":
        for k in range(len(precisions) - 1, 0, -1):
            precisions[k - 1] = max(precisions[k - 1], precisions[k])
    at_recall, scores = [0.0] * len(recalls), [0.0] * len(recalls)
    for r, recall in enumerate(recalls):
        place = bisect_left(found, recall)
        if fault == "recall beyond the point":
            place = bisect_left(found, math.nextafter(recall, 2))
        if fault == "point 0 from the first right guess" and not r:
            place = bisect_left(found, 5e-324)
        if place == len(found):
            break
        at_recall[r], scores[r] = precisions[place], points[place][0]
    nothing = -1.0 if fault == "recall 0 without guesses is -1" else 0.0
    return at_recall, scores, found[-1] if found else nothing


def _points(cells: list[Cell], limit: int, fault: str | None) -> list[tuple[float, bool, bool]]:
    """Score, found and ignored of every guess within the limit, best first."""
    key, turned = _key(fault), -1 if fault == "unstable sort of images" else 1
    kept = []
    for number, cell in enumerate(cells):
        if fault == "cells without truths dropped" and not cell.truths:
            continue
        rows = list(zip(cell.scores, cell.matched, cell.ignored, strict=True))
        if fault == "ignored guesses have no rank":
            rows = [row for row in rows if not row[2]]
        most = {"no limit": len(rows), "limit of a category": len(rows), "limit one too many": limit + 1}
        kept += [(*key(row[0]), turned * number, row) for row in rows[: most.get(str(fault), limit)]]
    kept.sort(key=lambda one: one[:3])
    rows = [row for *_, row in kept]
    return rows[:limit] if fault == "limit of a category" else rows


def _stats(
    precision: np.ndarray,
    recall: np.ndarray,
    thresholds: list[float],
    areas: list[str],
    limits: list[int],
    fault: str | None,
) -> np.ndarray:
    """The twelve numbers."""

    def mean(array: np.ndarray, area: str, limit: int | None, at: float | None = None) -> float:
        if area not in areas or limit is None:
            return -1.0
        chosen = array[[at is None or t == at for t in thresholds]][..., areas.index(area), limit]
        values = [value for value in chosen.ravel().tolist() if value > -1]
        return (_plain_sum(values) if fault == "plain sum" else pairwise_sum(values)) / len(values) if values else -1.0

    last = 2 if len(limits) > 2 else None
    hundred = limits.index(100) if 100 in limits else None
    found = [mean(precision, "all", hundred)]
    found += [mean(precision, "all", last, at) for at in (0.5, 0.75)]
    found += [mean(precision, area, last) for area in ("small", "medium", "large")]
    found += [mean(recall, "all", place) for place in (0, 1, 2) if place < len(limits)]
    found += [mean(recall, area, last) for area in ("small", "medium", "large")]
    return np.array(found)


def _plain_sum(values: list[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total


def pairwise_sum(values: list[float]) -> float:
    """NumPy's order of additions: eight sums side by side, and halves above 128."""
    n = len(values)
    if n < 8:
        return _plain_sum(values)
    if n > 128:
        half = n // 2 - n // 2 % 8
        return pairwise_sum(values[:half]) + pairwise_sum(values[half:])
    whole = n - n % 8
    r = values[:8]
    for k in range(8, whole, 8):
        r = [total + value for total, value in zip(r, values[k : k + 8], strict=True)]
    total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
    for value in values[whole:]:
        total += value
    return total
