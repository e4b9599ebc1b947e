"""Results of detection scores: the numbers, the tables, the curves behind them."""

from __future__ import annotations

import functools
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from vesica._check import detection as check
from vesica.detection.curves import Arrays, Curve, arrays_of, curve_of
from vesica.detection.inputs import Inputs, Note
from vesica.detection.protocol import Protocol
from vesica.detection.records import Records, found_of
from vesica.detection.summary import Line, lines_of, summary_of, value_of, voc_values


class Counts(NamedTuple):
    """Guesses that are right, guesses that are not, and truths that nobody found: one number a category."""

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
    """Who found whom: rows of the guesses and of the truths, and whether the truth counts."""

    guess: np.ndarray
    truth: np.ndarray
    counts: np.ndarray


@dataclass(frozen=True, eq=False)
class DetectionResult:
    """What `evaluate` answers. It prints as a table.

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
        """Names of the categories, or their ids where they have none: the order of every table here."""
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
        """The numbers that the protocol is known for; −1 where there is nothing to be found."""
        return summary_of(self.records, lambda: self._brief)

    @property
    def stats(self) -> np.ndarray:
        """The same numbers as an array, in their usual order."""
        return np.array(list(self.summary.values()))

    def __getitem__(self, name: str) -> float:
        """A number of the summary by its name: result["AP50"]."""
        check.one_of(name, tuple(self.summary), "name")
        return self.summary[name]

    @functools.cached_property
    def _brief(self) -> Arrays:
        """As much as the summary needs: the last limit, which pycocotools does not always take."""
        last = len(self.protocol.max_dets) - 1
        if any(line.is_precision and line.limit != last for line in lines_of(self.protocol)):
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

    def per_class(self) -> list[dict[str, Any]]:
        """A row for each category: its numbers, its truths and its guesses. Numbers are None where there are none."""
        truths = self.records.positives[:, 0].tolist()
        guesses = np.diff(self.records.bounds).tolist()
        return [
            {"category": name, **numbers, "truths": truths[k], "guesses": guesses[k]}
            for k, (name, numbers) in enumerate(zip(self.categories, self._numbers(), strict=True))
        ]

    def _numbers(self) -> list[dict[str, float | None]]:
        if self.protocol.is_voc:
            by_threshold = [voc_values(self.records, place) for place in range(len(self.protocol.iou))]
            names = list(self.summary)
            return [
                {
                    name[1:]: None if values[k] != values[k] else values[k]
                    for name, values in zip(names, by_threshold, strict=True)
                }
                for k in range(len(self.categories))
            ]
        lines = [line for line in lines_of(self.protocol) if line.group is None]
        return [{line.name: self._value(line, k) for line in lines} for k in range(len(self.categories))]

    def _value(self, line: Line, category: int) -> float | None:
        value = value_of(line, self._brief, self.records, categories=np.array([category]))
        return None if value < 0 else value

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
            "summary": {name: None if value < 0 else value for name, value in self.summary.items()},
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

    def to_json(self) -> str:
        """The same as one line of JSON, equal bytes for equal results."""
        import json

        return json.dumps(self.to_dict(), sort_keys=True, ensure_ascii=False)

    def __str__(self) -> str:
        width = max(len(name) for name in self.summary)
        rows = [f"{name:<{width}}  {'-' if value < 0 else f'{value:.3f}'}" for name, value in self.summary.items()]
        return "\n".join([self._headline(), *rows, *(f"note: {note.count} {note.text}" for note in self.notes)])

    def __repr__(self) -> str:
        name, value = next(iter(self.summary.items()))
        return f"DetectionResult({name} {value:.3f}, {self._headline()})"

    def _headline(self) -> str:
        truths = int(self.records.positives[:, 0].sum())
        kind = {"box": "boxes", "mask": "masks", "boundary": "boundaries"}[self.protocol.regions]
        return (
            f"{self.protocol.name}, {kind}: {len(self.records):,} guesses, {truths:,} truths, "
            f"{len(self.records.images):,} images, {len(self.categories)} categories"
        )

    def _repr_html_(self) -> str:
        from html import escape

        cells = "".join(f"<th>{escape(name)}</th>" for name in self.summary)
        values = "".join(f"<td>{'–' if value < 0 else f'{value:.3f}'}</td>" for value in self.summary.values())
        return f"<p>{escape(self._headline())}</p><table><tr>{cells}</tr><tr>{values}</tr></table>"


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return np.asarray(part) / np.where(np.asarray(whole) == 0, np.nan, whole)
