"""Hits: how many of the surest guesses lie on a truth of their category, under one reading of a file or another.

A mistake in a file moves all guesses alike, so that under the right reading far more of them hit, and hardly any is
lost. A weak model hits little under every reading, and none of them is supported.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np

from vesica._ragged import taken
from vesica.dataset import Dataset
from vesica.diagnose.box_readings import BoxReading
from vesica.overlaps.measures import iou
from vesica.regions.boxes import Boxes
from vesica.statistics.resampling import keys_of

IMAGES, FEW_IMAGES = 500, 100
"""Images that are looked at, and those of which a reading must win something to be tried on all."""
AT_LEAST = 0.5
FEWEST, LEAST_SHARE, MOST_LOST = 8, 0.1, 1 / 5
"""A reading is supported by so many guesses that hit under it alone, such a share of all, and so few lost for each."""
RIVAL = 2 / 3
"""A reading that wins so much of what the best one wins is another answer."""
FEWEST_KINDS, MOST_OF_ONE = 3, 0.8
"""Categories that must speak for another numbering, and the most that one of them may: a model that calls everything
by one name is weak, and its file is not wrong."""
_FAR = 1e8
_PAIRS = 1 << 16
"""Pairs of a guess and a truth that are looked at in one go."""
_MIX = np.uint64(0x9E3779B97F4A7C15)


class Hypothesis(NamedTuple):
    """One way of reading a file of guesses. None is: as given."""

    boxes: BoxReading
    categories: str | None = None
    images: str | None = None

    def changes(self, given: BoxReading, /) -> frozenset[tuple[str, str]]:
        """What is read otherwise than it was given."""
        layout, unit, frame = self.boxes
        found: list[tuple[str, str]] = []
        if self.categories is not None:
            found.append(("categories", self.categories))
        if self.images is not None:
            found.append(("images", self.images))
        if layout != given.layout:
            found.append(("layout", layout))
        if unit != given.unit:
            found.append(("unit", unit))
        if frame is not None:
            found.append(("frame", frame.kind))
        return frozenset(found)

    def words(self, given: BoxReading, /) -> str:
        """What is to be assumed, as `--assume` takes it; "" where that is what was given."""
        words = []
        if (self.boxes.layout, self.boxes.unit) != (given.layout, given.unit):
            words.append(f"boxes={self.boxes.words}")
        if self.boxes.frame is not None:
            words.append(f"frame={self.boxes.frame.kind}:{self.boxes.frame.side}")
        words += [f"categories={self.categories}"] if self.categories else []
        words += [f"images={self.images}"] if self.images else []
        return " ".join(words)

    @property
    def name(self) -> str:
        frame = "" if self.boxes.frame is None else f"{self.boxes.frame.kind}:{self.boxes.frame.side:04d}"
        return " ".join(filter(None, (self.boxes.words, frame, self.categories, self.images)))


class Trial(NamedTuple):
    """How a hypothesis did."""

    hypothesis: Hypothesis
    wins: int
    losses: int
    share: float
    """Of the guesses that were looked at, those that hit."""
    changes: frozenset[tuple[str, str]]

    @property
    def gain(self) -> int:
        return self.wins - self.losses


class Sample:
    """The guesses that are looked at, and every truth that lies in the image of one of them.

    In each of up to 500 images, chosen by their ids alone, as many guesses as it has truths, the surest first.
    """

    def __init__(self, truth: Dataset, guess: Dataset, image: np.ndarray, /, images: int = IMAGES) -> None:
        """`image` is the place of each guess's image among those of the truth, −1 where there is none."""
        rows = _countable(truth)
        number = np.bincount(truth.image[rows], minlength=len(truth.images))
        chosen = _chosen(truth, image, number, images)
        self.rows = _surest(guess, image, number, chosen)
        rows = rows[chosen[truth.image[rows]]]
        order = rows[np.argsort(truth.image[rows], kind="stable")]
        offsets = np.concatenate([[0], np.cumsum(np.where(chosen[:-1], number, 0))]).astype(np.int64)
        own, places = taken(offsets, image[self.rows])
        self.i = np.repeat(np.arange(len(self.rows)), np.diff(own))
        truths = order[places]
        assert truth.xywh is not None
        self._boxes = Boxes(truth.xywh[truths], "xywh", check=False).to("xyxy")
        self.category = truth.category[truths]
        self.few = self.rows.size > 0 and int(chosen.sum()) > FEW_IMAGES and Sample(truth, guess, image, FEW_IMAGES)
        """The same of few images; False if there are no more than that."""

    def __len__(self) -> int:
        return len(self.rows)

    def of_categories(self, maps: Iterable[np.ndarray], /) -> Sample:
        """The same with the pairs that are of one category under one of the maps, (N,) places of each guess."""
        kept = np.zeros(len(self.i), bool)
        for category in maps:
            kept |= category[self.i] == self.category
        found = copy.copy(self)
        found.i, found._boxes, found.category = self.i[kept], self._boxes[kept], self.category[kept]
        return found

    def overlaps(self, corners: np.ndarray, /) -> np.ndarray:
        """(R, P) the IoU of each pair under several readings, 0 where the corners are no box.

        `corners`, (R, N, 4), are those of all rows of the sample.
        """
        readings = len(corners)
        x1, y1, x2, y2 = np.moveaxis(corners, 2, 0)
        is_box = (np.abs(corners) < _FAR).all(axis=2) & (x2 > x1) & (y2 > y1)  # NaN is not below
        sound = np.where(is_box[:, :, None], corners, 0.0)[:, self.i].reshape(-1, 4)
        truths = np.broadcast_to(self._boxes, (readings, *self._boxes.shape)).reshape(-1, 4)
        found: np.ndarray = iou(Boxes(sound, check=False), Boxes(truths, check=False), aligned=True)
        return found.reshape(readings, len(self.i))

    def hits(self, overlaps: np.ndarray, category: np.ndarray, /) -> np.ndarray:
        """(R, N) which guesses lie on a truth of their category; `category` are places in the table of the truth."""
        reading, near = np.nonzero(overlaps >= AT_LEAST)
        right = category[self.i[near]] == self.category[near]
        hit = np.zeros((len(overlaps), len(self)), bool)
        hit[reading[right], self.i[near[right]]] = True
        return hit

    def best(self, overlaps: np.ndarray, category: np.ndarray, /) -> np.ndarray:
        """The greatest IoU of each guess with a truth of its category."""
        same = category[self.i] == self.category
        best = np.zeros(len(self))
        np.maximum.at(best, self.i[same], overlaps[same])
        return best


def _countable(truth: Dataset) -> np.ndarray:
    """Rows that a guess may hit: no crowds, nothing to be ignored, boxes that are boxes."""
    assert truth.xywh is not None
    fine = np.isfinite(truth.xywh).all(axis=1) & (truth.xywh[:, 2:] > 0).all(axis=1)
    for flags in (truth.crowd, truth.ignore):
        if flags is not None:
            fine &= ~flags
    return np.flatnonzero(fine)


def _chosen(truth: Dataset, image: np.ndarray, number: np.ndarray, most: int) -> np.ndarray:
    """Which images are looked at: some with guesses and truths, by a hash of their ids."""
    guesses = np.bincount(image[image >= 0], minlength=len(number))
    both = np.flatnonzero((guesses > 0) & (number > 0))
    if len(both) > most:
        both = both[np.argsort(keys_of(truth.images.ids[both]) * _MIX, kind="stable")[:most]]
    chosen = np.zeros(len(number) + 1, bool)
    chosen[both] = True
    return chosen


def _surest(guess: Dataset, image: np.ndarray, number: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The rows of the surest guesses of each chosen image: as many as it has truths."""
    rows = np.flatnonzero(chosen[image])  # the last place, −1, is of no image
    score = np.zeros(len(rows)) if guess.score is None else np.nan_to_num(guess.score[rows], nan=-np.inf)
    rows = rows[np.lexsort((-score, image[rows]))]
    first = np.searchsorted(image[rows], image[rows], side="left")
    return np.asarray(rows[np.arange(len(rows)) - first < number[image[rows]]])


class Trials:
    """All hypotheses about one sample."""

    def __init__(
        self,
        sample: Sample,
        numbers: np.ndarray,
        sizes: np.ndarray,
        category: np.ndarray,
        maps: Mapping[str | None, np.ndarray],
        given: BoxReading,
        /,
    ) -> None:
        """`numbers`, `sizes` and `category` are columns of all guesses; `maps` lead from categories of the guess to
        places in the table of the truth, −1 where there is none."""
        self.given = given
        self._numbers, self._sizes = numbers[sample.rows], sizes[sample.rows]
        self._kinds = category[sample.rows]
        self._maps = maps
        self._all, self._known = sample, dict[BoxReading, np.ndarray]()
        self.sample = sample.of_categories(places[self._kinds] for places in maps.values())
        self._hits = self.sample.hits(self.overlaps(given), maps[None][self._kinds])[0]
        columns = (numbers, sizes, category, maps, given)
        self._few = Trials(sample.few, *columns) if sample.few else None

    @cached_property
    def share(self) -> float:
        """Of the guesses, those that hit as they were given."""
        return float(self._hits.mean()) if len(self.sample) else 0.0

    def overlaps(self, *readings: BoxReading) -> np.ndarray:
        """(R, P) the IoU of each pair under each reading."""
        return self.sample.overlaps(np.stack([self._corners(one) for one in readings]))

    def _corners(self, reading: BoxReading) -> np.ndarray:
        """Those of all rows of the sample. Frames of one reading begin with the same corners."""
        plain = reading._replace(frame=None)
        if plain not in self._known:
            self._known[plain] = plain.corners(self._numbers, self._sizes)
        corners = self._known[plain]
        return corners if reading.frame is None else reading.frame.to_image(corners, self._sizes)

    def tried(self, readings: Iterable[BoxReading], /) -> list[Trial]:
        """Every reading of boxes with every map of categories; those that change nothing are left out, and those that
        lose more than they win in few images are tried there alone."""
        first = self if self._few is None else self._few
        found = []
        for reading, trials in first._with_every_map(list(readings)).items():
            if first is not self and any(trial.gain > 0 for trial in trials):
                trials = self._with_every_map([reading])[reading]
            found += trials
        return found

    def _with_every_map(self, readings: list[BoxReading]) -> dict[BoxReading, list[Trial]]:
        """The trials of each reading, some readings at a time."""
        found: dict[BoxReading, list[Trial]] = {one: [] for one in readings}
        step = max(1, _PAIRS // max(1, len(self.sample.i)))
        for begin in range(0, len(readings), step):
            some = readings[begin : begin + step]
            overlaps = self.overlaps(*some)
            for name, places in self._maps.items():
                hypotheses = [Hypothesis(one, name) for one in some]
                for trial in self._judged(hypotheses, self.sample.hits(overlaps, places[self._kinds])):
                    if trial.changes:
                        found[trial.hypothesis.boxes].append(trial)
        return found

    def confusion(self, kinds: int, others: int, /) -> np.ndarray:
        """(kinds, others) int64: on which category of the truth the guesses of each category lie, as given."""
        sample = self._all
        overlaps = sample.overlaps(self._corners(self.given)[None])[0]
        best = np.zeros(len(sample))
        np.maximum.at(best, sample.i, overlaps)
        first = np.flatnonzero((overlaps >= AT_LEAST) & (overlaps == best[sample.i]))
        rows, at = np.unique(sample.i[first], return_index=True)  # of equals the first
        table = np.zeros((kinds, others), np.int64)
        np.add.at(table, (self._kinds[rows], sample.category[first[at]]), 1)
        return table

    def of(self, hypothesis: Hypothesis, /) -> Trial:
        """One hypothesis."""
        places = self._maps[hypothesis.categories]
        hits = self.sample.hits(self.overlaps(hypothesis.boxes), places[self._kinds])
        return self._judged([hypothesis], hits)[0]

    def _judged(self, hypotheses: list[Hypothesis], hits: np.ndarray) -> list[Trial]:
        """The trials of hypotheses of one map of categories, (R, N) of whose guesses hit."""
        won = hits & ~self._hits
        wins, losses, share = won.sum(axis=1), (self._hits & ~hits).sum(axis=1), _shares(hits)
        if hypotheses[0].categories is not None:
            wins = np.where(self._are_broad(won), wins, 0)
        return [
            Trial(one, *numbers, one.changes(self.given))
            for one, numbers in zip(
                hypotheses, zip(wins.tolist(), losses.tolist(), share.tolist(), strict=True), strict=True
            )
        ]

    def _are_broad(self, won: np.ndarray) -> np.ndarray:
        """Do several categories speak for another numbering, and none of them nearly alone?"""
        kinds = int(self._kinds.max(initial=0)) + 1
        reading, guess = np.nonzero(won)
        counts = np.bincount(reading * kinds + self._kinds[guess], minlength=len(won) * kinds).reshape(-1, kinds)
        several = (counts > 0).sum(axis=1) >= FEWEST_KINDS
        return np.asarray(several & (counts.max(axis=1, initial=0) <= MOST_OF_ONE * counts.sum(axis=1)))

    def is_supported(self, trial: Trial, /) -> bool:
        enough = trial.wins >= max(FEWEST, LEAST_SHARE * len(self.sample)) and trial.gain > 0
        return enough and trial.losses <= trial.wins * MOST_LOST

    def ranked(self, trials: Iterable[Trial], /) -> list[Trial]:
        """Those that are supported, the best first; of frames of one kind only the side that fits best."""
        found = sorted(
            filter(self.is_supported, trials),
            key=lambda trial: (-trial.gain, len(trial.changes), trial.hypothesis.name),
        )
        best_of: dict[frozenset[tuple[str, str]], list[Trial]] = {}
        for trial in found:
            if trial.hypothesis.boxes.frame is not None:
                best_of.setdefault(trial.changes, []).append(trial)
        kept = {changes: max(trials, key=self._closeness) for changes, trials in best_of.items()}
        return [trial for trial in found if trial.hypothesis.boxes.frame is None or kept[trial.changes] is trial]

    def _closeness(self, trial: Trial) -> float:
        places = self._maps[trial.hypothesis.categories]
        return float(self.sample.best(self.overlaps(trial.hypothesis.boxes)[0], places[self._kinds]).mean())

    def rivals(self, ranked: list[Trial], /) -> list[Trial]:
        """Other answers than the first one. A reading that only adds a change to it is none, nor is the same twice."""
        if not ranked:
            return []
        best, *others = ranked
        return [
            one
            for one in others
            if one.gain > RIVAL * best.gain and not one.changes > best.changes and not self._adds_only(one, best)
        ]

    def _adds_only(self, one: Trial, best: Trial) -> bool:
        """Does a reading give the same boxes as the best, as frames of square images do, and at most other ids?"""
        a, b = one.hypothesis, best.hypothesis
        if a.images != b.images or b.categories not in (None, a.categories):
            return False
        left, right = (self._corners(each.boxes) for each in (a, b))
        return bool((np.abs(left - right) <= 1).all())


def _shares(hits: np.ndarray) -> np.ndarray:
    """(R,) of the guesses, those that hit."""
    return hits.mean(axis=1) if hits.shape[1] else np.zeros(len(hits))
