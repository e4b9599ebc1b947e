"""Results of detection scores: the numbers, the tables, the curves behind them."""

from __future__ import annotations

import functools
import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from vesica._check import detection as check
from vesica.detection.curves import Arrays, Curve, arrays_of, curve_of
from vesica.detection.inputs import Inputs
from vesica.detection.protocol import Protocol
from vesica.detection.records import Records, found_of
from vesica.detection.rules import REGIONS
from vesica.detection.summary import Line, limit_of, lines_of, summary_of, value_of
from vesica.results.result import Note, Result
from vesica.results.tables import Row, rows_of


class Counts(NamedTuple):
    """Guesses that are right, guesses that are wrong, and truths that were not found: one number a category."""

    tp: np.ndarray
    fp: np.ndarray
    fn: np.ndarray

    @property
    def precision(self) -> np.ndarray:
        """tp / (tp + fp), NaN without guesses."""
        return _ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> np.ndarray:
        """tp / (tp + fn), NaN without truths."""
        return _ratio(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> np.ndarray:
        """2 tp / (2 tp + fp + fn), NaN with neither."""
        return _ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    def total(self) -> Counts:
        """All categories together."""
        return Counts(*(column.sum() for column in self))


class FoundPairs(NamedTuple):
    """Which guess found which truth: rows of the guesses and of the truths, and whether the truth counts."""

    guess: np.ndarray
    truth: np.ndarray
    counts: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class DetectionResult(Result):
    """What `evaluate` answers: a mapping of the numbers of its summary. It prints as a table.

    Attributes
    ----------
    records : Records: everything below comes from these
    inputs : what was matched, for the pairs; None when the result comes from records alone
    """

    records: Records
    inputs: Inputs | None = None
    threads: int | None = None

    @property
    def protocol(self) -> Protocol:
        """The conventions."""
        return self.records.protocol

    @property
    def categories(self) -> list[Any]:
        """Names of the categories, or ids of those without a name: the order of every table here."""
        table = self.records.categories
        names = [None] * len(table) if table.names is None else table.names.tolist()
        return [one if name is None else name for one, name in zip(table.ids.tolist(), names, strict=True)]

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was corrected, left out or assumed, with its count."""
        return (*self.records.notes, *self._left_out)

    @functools.cached_property
    def _left_out(self) -> tuple[Note, ...]:
        """Categories without truths have no AP, and their wrong guesses count nowhere."""
        bounds, nothing = self.records.bounds, self.records.positives[:, 0] == 0
        left = int(np.diff(bounds)[nothing].sum())
        text = f"guesses of {int(nothing.sum())} categories without truths count nowhere"
        return (Note("Q22", left, text),) if left else ()

    @functools.cached_property
    def summary(self) -> dict[str, float]:
        """The numbers that the protocol is known for; −1 without truths."""
        return summary_of(self.records, lambda: self._brief)

    @property
    def stats(self) -> np.ndarray:
        """The same numbers as an array, in their usual order."""
        return np.array(list(self.summary.values()))

    @functools.cached_property
    def numbers(self) -> dict[str, float | None]:
        """The summary with None instead of −1."""
        return {name: None if value < 0 else value for name, value in self.summary.items()}

    @functools.cached_property
    def _brief(self) -> Arrays:
        """As much as the summary needs: the last limit, which pycocotools does not always take."""
        last = len(self.protocol.max_dets) - 1
        lines = lines_of(self.protocol)
        if any(line.kind == "precision" and limit_of(line, self.protocol) not in (last, None) for line in lines):
            return self._full
        return arrays_of(self.records, full=False, threads=self.threads)

    @functools.cached_property
    def _full(self) -> Arrays:
        return arrays_of(self.records, threads=self.threads)

    @property
    def precision(self) -> np.ndarray:
        """(T, R, K, A, M): thresholds, recalls, categories, ranges of areas, limits; −1 where there is no truth."""
        return self._full.precision

    @property
    def recall(self) -> np.ndarray:
        """(T, K, A, M)"""
        return self._brief.recall

    @property
    def scores(self) -> np.ndarray:
        """(T, R, K, A, M): the confidence at which each recall is reached."""
        assert self._full.scores is not None
        return self._full.scores

    def per_class(self) -> list[Row]:
        """A row for each category: its numbers, None without truths, and how many truths and guesses it has."""
        lines = [line for line in lines_of(self.protocol) if line.group is None]
        return rows_of(
            {
                "category": self.categories,
                **{line.name_of_one or line.name: self._of_each(line) for line in lines},
                "truths": self.records.positives[:, 0],
                "guesses": np.diff(self.records.bounds),
            }
        )

    def _of_each(self, line: Line) -> list[float]:
        """The number of each category, NaN without truths."""
        found = (value_of(line, self.records, lambda: self._brief, category=k) for k in range(len(self.categories)))
        return [value if value >= 0 else math.nan for value in found]

    def curve(self, category: Any = None, /, *, iou: float | None = None, area: str = "all") -> Curve:
        """Precision against recall of a category, by its name or id; without one, of all guesses together."""
        place = None if category is None else check.category(category, self.records.categories)
        return curve_of(self.records, place, self._threshold(iou), check.area_of(area, self.protocol.areas))

    def counts(self, *, iou: float | None = None, min_score: float | None = None, area: str = "all") -> Counts:
        """Right and wrong guesses and missed truths of each category, of guesses from `min_score` on.

        A guess counts once: the second one of a truth is wrong. Whether an iou must exceed the threshold or only reach
        it, `evaluate(…, strict=True)` decides.
        """
        place = check.area_of(area, self.protocol.areas)
        matched, ignored = self.records.lane(self._threshold(iou), place)
        counted = ~ignored if min_score is None else ~ignored & (self.records.score >= min_score)
        category = np.repeat(np.arange(len(self.categories)), np.diff(self.records.bounds))
        tp, fp = (
            np.bincount(category[counted & right], minlength=len(self.categories)) for right in (matched, ~matched)
        )
        return Counts(tp, fp, self.records.positives[:, place] - tp)

    def pairs(self, *, iou: float | None = None, area: str = "all") -> FoundPairs:
        """Which guess found which truth, as rows of the data sets that were given."""
        inputs = check.inputs(self.inputs)
        lane = check.area_of(area, self.protocol.areas) * len(self.protocol.iou) + self._threshold(iou)
        found = found_of(inputs, self.protocol, partners=True, threads=self.threads)
        partner = found.partner.reshape(-1, len(self.protocol.iou) * len(self.protocol.areas))[:, lane]
        hit = partner >= 0
        guess, truth = found.row[hit].astype(np.int64), partner[hit].astype(np.int64)
        ignored = (found.ignored.reshape(len(partner), -1)[hit, lane // 64] >> np.uint64(lane % 64)) & np.uint64(1)
        if inputs.guess_rows is not None:
            guess = inputs.guess_rows[guess]
        if inputs.truth_rows is not None:
            truth = inputs.truth_rows[truth]
        return FoundPairs(guess, truth, ignored == 0)

    def _threshold(self, iou: float | None) -> int:
        return 0 if iou is None else check.threshold_of(iou, self.protocol.iou)

    def to_dict(self) -> dict[str, Any]:
        """The summary, the classes and the conventions, as plain values."""
        return {
            "protocol": self.protocol.name,
            "regions": self.protocol.regions,
            "images": len(self.records.images),
            "truths": int(self.records.positives[:, 0].sum()),
            "guesses": len(self.records),
            "summary": self.numbers,
            "classes": self.per_class(),
            "notes": [asdict(note) for note in self.notes],
            "conventions": {
                "iou": list(self.protocol.iou),
                "areas": {name: [low, high] for name, low, high in self.protocol.areas},
                "max_dets": list(self.protocol.max_dets),
                "by_class": self.protocol.by_class,
                "strict": self.protocol.strict,
                "quirks": self.protocol.quirks,
            },
        }

    @property
    def headline(self) -> str:
        """Protocol, regions, and how much of everything there is."""
        truths, regions = int(self.records.positives[:, 0].sum()), REGIONS[self.protocol.regions]
        return (
            f"{self.protocol.name}, {regions}: {len(self.records):,} guesses, {truths:,} truths, "
            f"{len(self.records.images):,} images, {len(self.categories)} categories"
        )


def summarise(records: Records, /, *, threads: int | None = None) -> DetectionResult:
    """The result that records stand for."""
    return DetectionResult(records, threads=threads)


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return np.asarray(part) / np.where(np.asarray(whole) == 0, np.nan, whole)
