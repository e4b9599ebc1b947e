"""The objects of a detector: what is right, wrong and missed from a score on, and what is known of each."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from vesica._check import details as check
from vesica.detection.cause_names import CAUSES, Named, named
from vesica.detection.confusion import BACKGROUND, LIKE
from vesica.detection.details import Details
from vesica.detection.matches import above, matches_of
from vesica.detection.result import DetectionResult
from vesica.plot.histogram import BARS

ROLES = ("right", "wrong", "missed")
RIGHT, WRONG, MISSED = range(3)


class Fact(NamedTuple):
    """One thing that is known of objects: the place of its value among `names`, −1 where it makes no sense."""

    codes: np.ndarray
    names: list[str]

    def of(self, row: int, /) -> str | None:
        code = int(self.codes[row])
        return None if code < 0 else self.names[code]


@dataclass(frozen=True, eq=False)
class Objects:
    """Guesses from `cut` on that count, then truths that none of them found: a row each.

    Attributes
    ----------
    iou, cut : the overlap from which a guess is right, and the score from which guesses are looked at
    image : (N,) int64: places in the records
    guess, truth : (N,) int64: which guess it is, or −1; which truth it is, found, nearly found or missed, or −1
    role : (N,) int64: places in `ROLES`
    facts : by its name what is known
    weight : (N,) float64: how telling it is: the score, and 0.5 of a truth that was missed
    """

    iou: float
    cut: float
    details: Details
    state: Named
    image: np.ndarray
    guess: np.ndarray
    truth: np.ndarray
    role: np.ndarray
    facts: dict[str, Fact]
    weight: np.ndarray


def bins(low: float, high: float, /, count: int = BARS) -> tuple[np.ndarray, list[str]]:
    """Edges of the bars of a histogram, and what each is called.

    >>> bins(0.0, 1.0, 2)[1]
    ['0 to 0.5', '0.5 to 1']
    """
    edges = np.linspace(low, high, count + 1)
    return edges, [f"{one:.3g} to {other:.3g}" for one, other in itertools.pairwise(edges)]


def binned(values: np.ndarray, edges: np.ndarray, names: list[str], /) -> Fact:
    """The bar that each value stands in; none for NaN, and for what is outside."""
    place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(names) - 1)
    known = (values >= edges[0]) & (values <= edges[-1])
    return Fact(np.where(known, place, -1), names)


def sizes_of(table: Any, /) -> tuple[np.ndarray, list[str]]:
    """Sides at which ranges of sizes begin, and what each range is called, as `result.by_size()` has them."""
    sides = table["side_from"]
    names = [
        ("all" if np.isinf(high) else f"under {high:.3g}")
        if low == 0
        else f"{low:.3g} and more"
        if np.isinf(high)
        else f"{low:.3g} to {high:.3g}"
        for low, high in zip(sides, table["side_below"], strict=True)
    ]
    return np.append(sides, np.inf), [f"{name} px" for name in names]


def threshold(result: DetectionResult, /) -> float:
    """The overlap at which objects are looked at: 0.5 if it was scored, or else the first that was."""
    known = result.protocol.iou
    return next((one for one in known if abs(one - 0.5) < 1e-9), known[0])


def cut_of(result: DetectionResult, /) -> float:
    """The score from which guesses are looked at: where F1 of all together is highest."""
    best = result.curve(iou=threshold(result)).best_f1
    return float(result.records.score.min(initial=0.0)) if best is None else float(best.score)


def ends_of(result: DetectionResult, /) -> tuple[float, float]:
    """The range of scores: 0 to 1, and more where there is more."""
    score = result.records.score
    return min(0.0, float(score.min(initial=0.0))), max(1.0, float(score.max(initial=1.0)))


def objects_of(result: DetectionResult, sizes: tuple[np.ndarray, list[str]], /) -> Objects:
    """Every object with its facts. `sizes` are the ranges of sides and their names."""
    records, details = result.records, result.details
    iou, cut = threshold(result), cut_of(result)
    matches = above(matches_of(records, details, iou), records.score, cut)
    state = named(records, details, matches, check.background_of(None, details.floor, iou), kept=records.score >= cut)
    paired = LIKE[None](records, details, iou, cut)
    guess = np.flatnonzero(matches.right | matches.wrong)
    lost = np.flatnonzero(matches.counts & (matches.guess < 0))
    is_guess = np.repeat([True, False], [len(guess), len(lost)])
    target = np.concatenate([state.target[guess], lost])
    role = np.where(is_guess, WRONG, MISSED)
    role[: len(guess)][matches.right[guess]] = RIGHT

    names = [*map(str, result.categories), BACKGROUND]
    nothing = len(names) - 1
    is_alone = np.ones(len(details.truth_image), bool)  # truths that no guess of another class took in confusion
    is_alone[paired.truth[paired.truth >= 0]] = False
    truth_of = np.append(details.truth_category, nothing)
    area = np.append(details.truth_area, 0)[target]
    area[: len(guess)] = np.where(target[: len(guess)] >= 0, area[: len(guess)], details.area[guess])
    absent = np.full(len(lost), np.nan)
    score = np.concatenate([records.score[guess], absent])
    overlap = np.concatenate([np.where(matches.right[guess], state.overlap[guess], np.nan), absent])
    cause = np.concatenate([state.guess[guess], state.truth[lost]]).astype(np.int64)
    taken = np.where(is_alone[lost], details.truth_category[lost], -1)
    facts = {
        "category": Fact(np.concatenate([records.guess_category[guess], details.truth_category[lost]]), names),
        "verdict": Fact(role, list(ROLES)),
        "cause": Fact(cause - 2, list(CAUSES)),  # right and ignored have none
        "truth": Fact(np.concatenate([truth_of[paired.truth[guess]], taken]), names),
        "guess": Fact(np.concatenate([records.guess_category[guess], np.where(is_alone[lost], nothing, -1)]), names),
        "size": binned(np.sqrt(area), *sizes),
        "range": _ranges(result, area),
        "score": binned(score, *bins(*ends_of(result))),
        "IoU": binned(overlap, *bins(min(result.protocol.iou), 1.0)),
        "right up to IoU": _right_up_to(result, guess, len(lost)),
    }
    return Objects(
        iou,
        cut,
        details,
        state,
        np.concatenate([records.guess_image[guess], details.truth_image[lost]]).astype(np.int64),
        np.concatenate([guess, np.full(len(lost), -1)]),
        target,
        role,
        facts,
        np.where(is_guess, np.nan_to_num(score), 0.5),
    )


def _ranges(result: DetectionResult, area: np.ndarray) -> Fact:
    """The range of areas of the protocol, beside the one that covers all, that an object lies in."""
    found = np.full(len(area), -1)
    for place, (_, low, high) in enumerate(result.protocol.areas):
        if place != result.protocol.whole:
            found[(area >= low) & (area <= high)] = place
    return Fact(found, [name for name, _, _ in result.protocol.areas])


def _right_up_to(result: DetectionResult, guess: np.ndarray, lost: int) -> Fact:
    """The highest threshold of the protocol at which each guess is right."""
    whole, thresholds = result.protocol.whole or 0, result.protocol.iou
    found = np.full(len(guess) + lost, -1)
    for place, _ in sorted(enumerate(thresholds), key=lambda pair: pair[1]):
        matched, ignored = result.records.lane(place, whole)
        found[: len(guess)][(matched & ~ignored)[guess]] = place
    return Fact(found, [f"{one:g}" for one in thresholds])
