"""Causes: why each guess is wrong and each truth is missed, and what AP they cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from vesica._array import objects
from vesica._check import detection as check
from vesica._kernels.native import precision_recall
from vesica.detection.curves import EPSILON, Curve
from vesica.detection.details import Details
from vesica.detection.matches import Matches, best_of, of_guesses
from vesica.detection.records import Records
from vesica.detection.rules import UNLIMITED
from vesica.detection.summary import POINTS
from vesica.results.tables import Row, Table

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
_CODE = {name: code for code, name in enumerate(STATES)}
_CLASSIFICATION, _LOCALISATION, _MISSED = (_CODE[name] for name in ("classification", "localisation", "missed"))


class Rules(NamedTuple):
    """Where ways to name causes differ; see docs/causes.md."""

    per_image: int | None = None
    """Guesses of an image that take part, of all classes together, best first; None: those of the records."""
    ignored_have_causes: bool = False
    """Does a guess that does not count have a cause, and become right by a repair?"""
    closed: bool = False
    """Is an overlap that is just the threshold still too far off, and one that is just the background's on it?"""
    epsilon: float | None = None
    recalls: tuple[float, ...] | None = None
    """Of precision, where they are not those of the protocol."""
    counts_empty: bool = False
    """Are classes without truths part of the mean, with an AP of 0?"""


_TIDECV = Rules(100, True, True, 0.0, tuple(i / 100 for i in range(101)), True)
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
    guess = np.select(fits, [np.int8(_CODE[name]) for _, name, _ in choices])
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
    claims = np.flatnonzero((guess == _CLASSIFICATION) | (guess == _LOCALISATION))
    claims = claims[is_free[target[claims]]]
    # Best last: of equal scores the guess that came first.
    claims = claims[np.lexsort((-details.number[claims], records.score[claims]))]
    heir = np.full(len(is_free), -1, np.int64)
    heir[target[claims]] = claims
    state = np.where(matches.counts, _CODE[RIGHT], _CODE[IGNORED]).astype(np.int8)
    of_heir = np.append(guess, np.int8(_MISSED))[heir]
    return np.where(is_free, of_heir, state).astype(np.int8), heir


@dataclass(frozen=True, eq=False, repr=False)
class Causes:
    """What keeps AP from 1: how many guesses and truths each cause has, and the AP that it costs.

    Attributes
    ----------
    iou, background : the overlap that makes a guess right, and the one below which no truth is near
    ap : the average precision at that threshold, as it is
    table : Table of cause, count, cost and words; `cost` is how much higher AP would be without this cause alone
    per_class : Table of category, cause, count and cost
    """

    iou: float
    background: float
    ap: float
    table: Table
    per_class: Table

    def __getitem__(self, cause: str) -> Row:
        """The row of a cause: result.causes()["missed"]["cost"]."""
        names = self.table["cause"].tolist()
        row: Row = list(self.table)[names.index(check.one_of(cause, names, "cause"))]
        return row

    def of(self, category: Any, /) -> Table:
        """The causes of one category, by its name."""
        names = self.per_class["category"].tolist()
        check.category_of(category, tuple(dict.fromkeys(names)))
        rows = np.array([name == category for name in names])
        return Table({name: column[rows] for name, column in self.per_class.columns.items() if name != "category"})

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        plain: dict[str, Any] = {
            "iou": self.iou,
            "background": self.background,
            "ap": None if self.ap != self.ap else self.ap,
        }
        return {**plain, "causes": list(self.table), "classes": list(self.per_class)}

    def __repr__(self) -> str:
        shown = ", ".join(f"{row['cause']} {row['cost']:.3f}" for row in self.table if row["cost"] is not None)
        return f"Causes(AP {self.ap:.3f} at IoU {self.iou:g}; {shown})"

    def _repr_html_(self) -> str:
        from vesica import _html  # late: only notebooks ask for it

        return _html.page(_html.words(repr(self)), self.table._repr_html_())

    def __str__(self) -> str:
        return f"AP {self.ap:.3f} at IoU {self.iou:g}, and what it would gain without each cause\n{self.table}"


def causes_of(
    records: Records,
    details: Details,
    matches: Matches,
    *,
    iou: float,
    background: float,
    names: list[Any],
    like: str | None,
    threads: int | None,
) -> Causes:
    """Name the causes, repair one at a time, and see what AP becomes."""
    rules = LIKE[like]
    kept = np.ones(len(records), bool)
    if rules.per_image is not None:
        kept = _best_of_image(records, details, rules.per_image)
        matches = of_guesses(matches, kept)
    found = named(records, details, matches, background, rules=rules, kept=kept)
    lanes = _repaired(records, details, found, kept)
    mean, by_class = _precisions(lanes, records, rules, threads)

    codes = [_CODE[name] for name in CAUSES]
    counts = np.zeros((len(names), len(STATES)), np.int64)
    np.add.at(counts, (records.guess_category, found.guess), 1)
    missed = found.truth == _MISSED
    lost = matches.counts & (matches.guess < 0)
    counts[:, _MISSED] = np.bincount(details.truth_category[missed], minlength=len(names))
    own = counts[:, codes]
    both = [own[:, :-1].sum(axis=1), np.bincount(details.truth_category[lost], minlength=len(names))]
    every = np.column_stack([own, *both])
    cost, of_class = mean[1:] - mean[0], by_class[:, 1:] - by_class[:, :1]
    words = {**CAUSES, **TOTALS}
    kinds, rows = len(words), len(names)
    return Causes(
        iou,
        background,
        float(mean[0]),
        Table(
            {
                "cause": objects(list(words)),
                "count": every.sum(axis=0),
                "cost": np.where(np.arange(kinds) < len(CAUSES), np.maximum(cost, 0.0), cost),
                "meaning": objects(list(words.values())),
            }
        ),
        Table(
            {
                "category": objects([name for name in names for _ in range(kinds)]),
                "cause": objects(list(words) * rows),
                "count": every.reshape(-1),
                "cost": of_class.reshape(-1),
            }
        ),
    )


def _best_of_image(records: Records, details: Details, most: int) -> np.ndarray:
    """The best guesses of each image, equal ones as they came."""
    image = records.guess_image
    order = np.lexsort((details.number, -records.score, image))
    starts = np.searchsorted(image[order], np.arange(len(records.images)))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order)) - starts[image[order]]
    return rank < most


class _Lanes(NamedTuple):
    """Guesses as they are and as they would be: a lane for the present, one for each cause, two for the totals."""

    category: np.ndarray
    """(N,) rising: guesses, and those that would move to another class."""
    score: np.ndarray
    right: np.ndarray
    """(N, L) bool"""
    gone: np.ndarray
    """(N, L) bool: not there, or does not count."""
    positives: np.ndarray
    """(K, L) int64: truths to be found."""


def _repaired(records: Records, details: Details, found: Named, kept: np.ndarray) -> _Lanes:
    names = list(CAUSES)
    matches, count, kinds = found.matches, len(records), len(CAUSES) + 3
    # A guess that is repaired goes to the class of its truth; only wrong classes change by it.
    heirs = np.flatnonzero(found.heir >= 0)
    truths, guesses = heirs, found.heir[heirs]
    is_moved = found.guess[guesses] == _CLASSIFICATION
    moved, homes = guesses[is_moved], details.truth_category[truths[is_moved]]
    right = np.zeros((count + len(moved), kinds), bool)
    gone = np.zeros((count + len(moved), kinds), bool)
    right[:count] = matches.right[:, None]
    gone[:count] = (~(matches.right | matches.wrong) | ~kept)[:, None]
    gone[count:] = True
    for lane, name in enumerate(names[:-1], start=1):
        gone[:count, lane] |= found.guess == _CODE[name]
    settled = guesses[~is_moved]
    lane = 1 + names.index("localisation")
    right[settled, lane], gone[settled, lane] = True, False
    lane = 1 + names.index("classification")
    right[count:, lane], gone[count:, lane] = True, False
    gone[:count, kinds - 2] |= matches.wrong

    category = np.concatenate([records.guess_category, homes])
    image = np.concatenate([records.guess_image, records.guess_image[moved]])
    order = np.lexsort((image, category)) if len(moved) else np.arange(count)
    total = np.bincount(details.truth_category[matches.counts], minlength=len(records.categories))
    positives = np.repeat(total[:, None], kinds, axis=1)
    for lane, lost in (
        (len(CAUSES), found.truth == _MISSED),
        (kinds - 1, matches.counts & (matches.guess < 0)),
    ):
        positives[:, lane] -= np.bincount(details.truth_category[lost], minlength=len(total))
    score = np.concatenate([records.score, records.score[moved]])
    return _Lanes(category[order], score[order], right[order], gone[order], positives)


def _precisions(lanes: _Lanes, records: Records, rules: Rules, threads: int | None) -> tuple[np.ndarray, np.ndarray]:
    """AP of each lane, over all classes, (L,), and of each class, (K, L); NaN for a class without truths."""
    has_truths = lanes.positives[:, 0] > 0
    if records.protocol.rules.average_precision == "recalls" or rules.recalls is not None:
        values = _at_recalls(lanes, records, rules, threads)
    else:
        values = _of_curves(lanes, records)[None]
    # A class of which all truths were missed has nothing left to find when they are gone: it is as good as can be.
    is_done = has_truths[:, None] & (lanes.positives == 0)
    if rules.counts_empty:
        values = np.where(values < 0, 0.0, values)
        counted = np.stack([np.bincount(lanes.category[~gone], minlength=len(has_truths)) for gone in lanes.gone.T], 1)
        counted[:, -2] = counted[:, 0]  # wrong guesses do not go there, they come last
        there = (counted > 0) | (lanes.positives > 0)
        means = [values[:, there[:, k], k].mean() if there[:, k].any() else np.nan for k in range(values.shape[2])]
        return np.array(means), values.mean(axis=0)
    values = np.where(is_done, 1.0, values)[:, has_truths]
    by_class = np.full(lanes.positives.shape, np.nan)
    by_class[has_truths] = values.mean(axis=0)
    if not has_truths.any():
        return np.full(values.shape[2], np.nan), by_class
    return np.array([np.mean(values[:, :, k].reshape(-1)) for k in range(values.shape[2])]), by_class


def _at_recalls(lanes: _Lanes, records: Records, rules: Rules, threads: int | None) -> np.ndarray:
    """(R, K, L): precision at each recall, −1 for a class without truths."""
    kinds, categories = lanes.positives.shape[1], len(lanes.positives)
    bits = np.uint64(1) << np.arange(kinds, dtype=np.uint64)
    matched, ignored = (np.where(column, bits, np.uint64(0)).sum(axis=1) for column in (lanes.right, lanes.gone))
    guesses = np.bincount(lanes.category, minlength=categories).astype(np.int32)
    columns = precision_recall.Columns(
        np.arange(categories + 1, dtype=np.int64),
        guesses,
        lanes.positives.astype(np.int32).reshape(-1),
        lanes.score,
        matched,
        ignored,
    )
    precision, _, _ = precision_recall.accumulate(
        columns,
        (1, kinds),
        np.array(records.protocol.recalls if rules.recalls is None else rules.recalls, np.float64),
        np.array([UNLIMITED], np.int64),
        first_limit=0,
        epsilon=EPSILON if rules.epsilon is None else rules.epsilon,
        with_scores=False,
        threads=threads,
    )
    return precision[0, :, :, :, 0]


def _of_curves(lanes: _Lanes, records: Records) -> np.ndarray:
    """(K, L): the area under the curve of each class, −1 for one without truths."""
    kind = records.protocol.rules.average_precision
    values = np.full(lanes.positives.shape, -1.0)
    ends = np.searchsorted(lanes.category, np.arange(len(values) + 1))
    for place, (begin, end) in enumerate(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)):
        order = begin + np.argsort(-lanes.score[begin:end], kind="stable")
        for lane in np.flatnonzero(lanes.positives[place]).tolist():
            rows = order[~lanes.gone[order, lane]]
            right = lanes.right[rows, lane]
            sums = np.cumsum(right), np.cumsum(~right)
            curve = Curve(lanes.score[rows], *sums, int(lanes.positives[place, lane]))
            values[place, lane] = POINTS[kind](curve)
    return values
