"""Confusion: which classes are taken for which, with the background as a class of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from vesica._array import objects
from vesica._check import detection as check
from vesica.detection.details import Details
from vesica.detection.match_table import corners, ids_of
from vesica.detection.matches import Matches, above, matches_of
from vesica.detection.records import Records
from vesica.results.tables import Table

BACKGROUND = "background"
"""The last row, of guesses where no truth is, and the last column, of truths that no guess found."""


@dataclass(frozen=True, eq=False, repr=False)
class Confusion:
    """How often a truth of one class was guessed to be of another.

    Attributes
    ----------
    counts : (K + 1, K + 1) int64: rows are truths, columns guesses; the last ones are the background
    categories : names of the K classes
    iou, min_score : which guesses were paired with which truths
    pairs : Table of truth, guess, image, score and iou: a row for each count
    """

    counts: np.ndarray
    categories: list[Any]
    iou: float
    min_score: float | None
    pairs: Table

    @property
    def names(self) -> list[Any]:
        """Of rows and columns: the classes, then the background."""
        return [*self.categories, BACKGROUND]

    def shares(self, *, by: str = "row") -> np.ndarray:
        """The counts as shares of their row, which are recalls on the diagonal; or of their column, precisions.

        NaN in a row or column without any.
        """
        check.one_of(by, ("row", "column"), "by")
        total = self.counts.sum(axis=1 if by == "row" else 0, keepdims=True)
        with np.errstate(invalid="ignore"):
            shares: np.ndarray = self.counts / np.where(total == 0, np.nan, total)
        return shares

    def top(self, count: int = 10, /, *, background: bool = False) -> Table:
        """The classes that are confused most, most often first; with `background`, also what is made up or missed."""
        wrong = self.counts.copy()
        np.fill_diagonal(wrong, 0)
        if not background:
            wrong[-1], wrong[:, -1] = 0, 0
        truth, guess = np.nonzero(wrong)
        order = np.argsort(-wrong[truth, guess], kind="stable")[:count]
        truth, guess = truth[order], guess[order]
        with np.errstate(invalid="ignore"):
            share = wrong[truth, guess] / self.counts.sum(axis=1)[truth]
        names = objects(self.names)
        return Table({"truth": names[truth], "guess": names[guess], "count": wrong[truth, guess], "share": share})

    def objects(self, truth: Any, guess: Any, /) -> Table:
        """The objects behind one count: truths of one class that were guessed to be of another, best score first."""
        for name in (truth, guess):
            check.category_of(name, tuple(self.names))
        both = enumerate(zip(self.pairs["truth"], self.pairs["guess"], strict=True))
        rows = np.array([row for row, names in both if names == (truth, guess)], np.int64)
        wanted = (name for name in self.pairs.columns if name not in ("truth", "guess"))
        columns = {name: self.pairs[name][rows] for name in wanted}
        order = np.argsort(-np.nan_to_num(columns["score"], nan=-np.inf), kind="stable")
        return Table({name: column[order] for name, column in columns.items()})

    def to_dict(self) -> dict[str, Any]:
        """Counts and names as plain values."""
        plain = {"iou": self.iou, "min_score": self.min_score, "names": self.names}
        return {**plain, "counts": self.counts.tolist(), "top": list(self.top())}

    def __repr__(self) -> str:
        right = int(np.trace(self.counts))
        made_up, missed = int(self.counts[-1].sum()), int(self.counts[:, -1].sum())
        swapped = int(self.counts.sum()) - right - made_up - missed
        told = f"{right} right, {swapped} of another class, {made_up} made up, {missed} missed"
        return f"Confusion({told}; {len(self.categories)} classes, IoU {self.iou:g})"

    def _repr_html_(self) -> str:
        from vesica import _html  # late: only notebooks ask for it

        return _html.page(_html.words(repr(self)), self.top(background=True)._repr_html_())

    def __str__(self) -> str:
        return f"{self!r}\n{self.top()}"


class _Paired(NamedTuple):
    """Which guess and which truth are counted together; −1 where there is none."""

    truth: np.ndarray
    """Of each guess that takes part."""
    takes_part: np.ndarray
    counts: np.ndarray
    """Truths that take part."""


def confusion_of(
    records: Records,
    details: Details,
    *,
    iou: float,
    min_score: float | None,
    names: list[Any],
    image_ids: np.ndarray,
    like: str | None,
) -> Confusion:
    """Pair guesses with truths of any class, and count."""
    paired = LIKE[like](records, details, iou, min_score)
    count = len(names)
    guesses = np.flatnonzero(paired.takes_part)
    truth = paired.truth[guesses]
    lost = paired.counts.copy()
    lost[truth[truth >= 0]] = False
    missed = np.flatnonzero(lost)
    rows = np.concatenate([np.append(details.truth_category, count)[truth], details.truth_category[missed]])
    columns = np.concatenate([records.guess_category[guesses], np.full(len(missed), count)])
    counts = np.zeros((count + 1, count + 1), np.int64)
    np.add.at(counts, (rows, columns), 1)

    ids = objects([*names, BACKGROUND])
    image = np.concatenate([records.guess_image[guesses], details.truth_image[missed]])
    nothing = np.full(len(missed), np.nan)
    boxes = np.concatenate([details.box[guesses], details.truth_box[missed]])
    found = np.concatenate([truth, missed])
    return Confusion(
        counts,
        names,
        iou,
        min_score,
        Table(
            {
                "truth": ids[rows],
                "guess": ids[columns],
                "image": image_ids[image],
                "score": np.concatenate([records.score[guesses], nothing]),
                "iou": np.concatenate([_overlaps(details, guesses, truth), nothing]),
                "truth_id": ids_of(details, found),
                **corners(boxes),
            }
        ),
    )


def _overlaps(details: Details, guesses: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Of guesses and the truths they are paired with; NaN for none."""
    target = np.full(len(details.near), -1, np.int64)
    target[guesses] = truth
    hit = np.flatnonzero(details.truth == target[details.guess])
    overlap = np.full(len(details.near), np.nan)
    overlap[details.guess[hit]] = details.overlap[hit]
    own: np.ndarray = overlap[guesses]
    return own


def _as_scored(records: Records, details: Details, iou: float, min_score: float | None) -> _Paired:
    """What the score calls right is right; the rest, best score first, takes the nearest truth of another class."""
    found = above(matches_of(records, details, iou), records.score, min_score)
    pairs = _free_pairs(records, details, found)
    order = np.lexsort((-details.overlap[pairs], *_rank(records, details, pairs)))
    truth = np.where(found.right, found.truth, -1)
    _walk(details, pairs[order], truth)
    return _Paired(truth, found.right | found.wrong, found.counts)


def _by_score(records: Records, details: Details, iou: float, min_score: float | None) -> _Paired:
    """Classes do not matter: each guess, best score first, takes the nearest truth that is free; never a crowd."""
    found = above(matches_of(records, details, iou, by_class=False), records.score, min_score)
    truth = np.where(found.right, found.truth, -1)
    taking = np.ones(len(records), bool) if min_score is None else records.score >= min_score
    return _Paired(truth, taking, found.counts)


def _by_overlap(records: Records, details: Details, iou: float, min_score: float | None) -> _Paired:
    """Pairs of one class first, then the others, each kind by how far they overlap; scores do not matter."""
    found = above(matches_of(records, details, iou), records.score, min_score)
    taking = np.ones(len(records), bool) if min_score is None else records.score >= min_score
    kept = (details.overlap > iou) & found.counts[details.truth] & taking[details.guess]
    pairs = np.flatnonzero(kept)
    is_other = records.guess_category[details.guess[pairs]] != details.truth_category[details.truth[pairs]]
    truth = np.full(len(records), -1, np.int64)
    _walk(details, pairs[np.lexsort((-details.overlap[pairs], is_other))], truth)
    return _Paired(truth, taking, found.counts)


LIKE: dict[str | None, Callable[..., _Paired]] = {None: _as_scored, "hotcoco": _by_score, "supervision": _by_overlap}
"""Ways to pair, by the library that pairs so; None: ours."""


def _free_pairs(records: Records, details: Details, found: Matches) -> np.ndarray:
    """Pairs that reach the bar, of a wrong guess and a truth of another class that was not found."""
    is_free = found.counts & (found.guess < 0)
    pairs = np.flatnonzero((details.overlap >= found.bar) & found.wrong[details.guess] & is_free[details.truth])
    is_other = records.guess_category[details.guess[pairs]] != details.truth_category[details.truth[pairs]]
    others: np.ndarray = pairs[is_other]
    return others


def _rank(records: Records, details: Details, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Keys that sort pairs by the score of their guess, falling; equal ones of an image as they came."""
    guess = details.guess[pairs]
    return details.number[guess], -records.score[guess]


def _walk(details: Details, pairs: np.ndarray, truth: np.ndarray) -> None:
    """Pair after pair: where both are free, they are paired."""
    free = set(details.truth[pairs].tolist())
    chosen: dict[int, int] = {}
    for one, other in zip(details.guess[pairs].tolist(), details.truth[pairs].tolist(), strict=True):
        if one not in chosen and other in free:
            chosen[one] = other
            free.discard(other)
    truth[list(chosen)] = list(chosen.values())
