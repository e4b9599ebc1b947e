"""Results of detection scores: the numbers, the tables, the curves behind them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast, overload

import numpy as np

from vesica._check import detection as check
from vesica._check import names
from vesica.dataset import Images
from vesica.dataset.image_columns import drawn_by
from vesica.detection.curves import Arrays, Curve, arrays_of, curve_of
from vesica.detection.explained import Explained
from vesica.detection.inputs import Inputs
from vesica.detection.protocol import Protocol
from vesica.detection.records import Records, found_of, is_tally
from vesica.detection.rules import REGIONS
from vesica.detection.summary import Line, limit_of, lines_of, summary_of, value_of
from vesica.results.identity import identity_of, image_set
from vesica.results.resampling import IntervalOptions, Resampling
from vesica.results.result import Note
from vesica.results.tables import Row, plain, rows_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from vesica.detection.bootstrap import Cut
    from vesica.detection.slices import Slices
    from vesica.detection.tallies import Tally
    from vesica.results.gates import Scores
    from vesica.results.intervals import IntervalTable, Replicates
    from vesica.statistics.intervals import Interval


class _Columns(NamedTuple):
    tp: np.ndarray
    fp: np.ndarray
    fn: np.ndarray


class Counts(_Columns):
    """Guesses that are right, guesses that are wrong, and truths that were not found: one number a category.

    `categories` has their names, in the same order; it is empty for all categories together.

    >>> counts = Counts([3, 1], [1, 0], [0, 2], categories=["cat", "dog"])
    >>> counts
    Counts(cat: tp 3, fp 1, fn 0; dog: tp 1, fp 0, fn 2)
    >>> float(counts.of("dog").precision), int(counts.total().tp)
    (1.0, 4)
    """

    categories: tuple[Any, ...]

    def __new__(cls, tp: Any, fp: Any, fn: Any, *, categories: Sequence[Any] = ()) -> Counts:
        """One number a category, or one alone."""
        self = super().__new__(cls, np.asarray(tp)[()], np.asarray(fp)[()], np.asarray(fn)[()])
        self.categories = tuple(categories)
        return self

    def __repr__(self) -> str:
        if not self.categories:
            return f"Counts(tp {self.tp}, fp {self.fp}, fn {self.fn})"
        shown = [f"{name}: tp {tp}, fp {fp}, fn {fn}" for name, tp, fp, fn in zip(self.categories, *self, strict=True)]
        more = f"; and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
        return f"Counts({'; '.join(shown[:_SHOWN])}{more})"

    def _repr_html_(self) -> str:
        from vesica import _html  # late: only notebooks ask for it

        rows = [list(row.values()) for row in (self.rows() if self.categories else ())]
        names = ["category", "tp", "fp", "fn", "precision", "recall", "f1"]
        return _html.page(_html.words(repr(self)), _html.table(names, rows) if rows else "")

    def of(self, category: Any, /) -> Counts:
        """Those of one category, by its name."""
        place = check.category_of(category, self.categories)
        return Counts(self.tp[place], self.fp[place], self.fn[place])

    def rows(self) -> list[Row]:
        """A row for each category: its counts, precision, recall and F1, None where there is nothing to divide by."""
        names = ("tp", "fp", "fn", "precision", "recall", "f1")
        return rows_of({"category": self.categories, **{name: getattr(self, name) for name in names}})

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
        return Counts(*(np.sum(column) for column in self))


_SHOWN = 5
"""Categories that a line shows."""


class FoundPairs(NamedTuple):
    """Which guess found which truth: rows of the guesses and of the truths, and whether the truth counts."""

    guess: np.ndarray
    truth: np.ndarray
    counts: np.ndarray


class DetectionIntervalOptions(IntervalOptions, total=False):
    """What else an interval of a detection score takes."""

    iou: float | None
    min_score: float | None
    area: str | None


@dataclass(frozen=True, eq=False, repr=False)
class DetectionResult(Explained):
    """What `evaluate` answers: a mapping of the numbers of its summary. It prints as a table.

    Attributes
    ----------
    records : Records: everything below comes from these
    inputs : what was matched, for the pairs; None when the result comes from records alone
    image_names : file names of `records.images`, or None
    image_sizes : (I, 2) their widths and heights, 0 where unknown; or None
    columns : by name what else is known of the images: one value for each
    sliced_by : the names of those columns that `slices` go by
    """

    records: Records
    inputs: Inputs | None = None
    threads: int | None = None
    image_names: np.ndarray | None = None
    image_sizes: np.ndarray | None = None
    columns: Mapping[str, np.ndarray] = field(default_factory=dict)
    sliced_by: tuple[str, ...] = ()

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
        bounds, nothing = self.records.bounds, self._truths == 0
        left = int(np.diff(bounds)[nothing].sum())
        text = f"guesses of {int(nothing.sum())} categories without truths count nowhere"
        return (Note("Q22", left, text),) if left else ()

    @functools.cached_property
    def summary(self) -> dict[str, float]:
        """The numbers that the protocol is known for; NaN without truths."""
        return summary_of(self.records, lambda: self._brief, threads=self.threads)

    @property
    def stats(self) -> np.ndarray:
        """The same numbers as COCO's array, in their usual order; −1 without truths."""
        values = np.array(list(self.summary.values()))
        return np.where(np.isnan(values), -1.0, values)

    @functools.cached_property
    def _brief(self) -> Arrays:
        """As much as the summary needs: the last limit, which pycocotools does not always take."""
        if is_tally(self.records):
            return self.records.arrays_of(full=False)
        last = len(self.protocol.max_dets) - 1
        lines = lines_of(self.protocol)
        if any(line.kind == "precision" and limit_of(line, self.protocol) not in (last, None) for line in lines):
            return self._full
        return arrays_of(self.records, full=False, threads=self.threads)

    @functools.cached_property
    def _full(self) -> Arrays:
        if is_tally(self.records):
            return self.records.arrays_of(full=True)
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
                "truths": self._truths,
                "guesses": np.diff(self.records.bounds),
            }
        )

    def _shares(self) -> tuple[str, list[tuple[Any, float | None]]]:
        line = lines_of(self.protocol)[0]
        return f"{line.name_of_one or line.name} by category", list(
            zip(self.categories, self._of_each(line), strict=True)
        )

    def _of_each(self, line: Line) -> list[float]:
        """The number of each category, NaN without truths."""
        places = range(len(self.categories))
        return [value_of(line, self.records, lambda: self._brief, category=place) for place in places]

    @property
    def truths(self) -> int:
        """How many truths there are to be found: of all sizes, or else of the first range of areas."""
        return int(self._truths.sum())

    @property
    def _truths(self) -> np.ndarray:
        """How many truths each category has: of all sizes, or else of the first range of areas."""
        counts: np.ndarray = self.records.positives[:, self.protocol.whole or 0]
        return counts

    def curve(self, category: Any = None, /, *, iou: float | None = None, area: str | None = None) -> Curve:
        """Precision against recall of a category, by its name or id; without one, of all guesses together."""
        place = None if category is None else check.category(category, self.records.categories)
        return curve_of(self.records, place, self._threshold(iou), check.area_of(area, self.protocol))

    def counts(self, *, iou: float | None = None, min_score: float | None = None, area: str | None = None) -> Counts:
        """Right and wrong guesses and missed truths of each category, of guesses from `min_score` on.

        `area` is the name of a range; by default the one that covers all. A guess counts once: the second one of a
        truth is wrong. Whether an iou must exceed the threshold or only reach
        it, `evaluate(…, strict=True)` decides.
        """
        return self.counts_at(self._cut(iou, min_score, area))

    def _cut(self, iou: float | None, min_score: float | None, area: str | None) -> Cut:
        from vesica.detection.bootstrap import Cut  # late: it loads the statistics, which most results never need

        return Cut(self._threshold(iou), check.area_of(area, self.protocol), min_score)

    def counts_at(self, cut: Cut, /) -> Counts:
        """The same by the places of the threshold and of the range."""
        matched, ignored = self.records.lane(cut.threshold, cut.area)
        counted = ~ignored if cut.min_score is None else ~ignored & (self.records.score >= cut.min_score)
        category = np.repeat(np.arange(len(self.categories)), np.diff(self.records.bounds))
        tp, fp = (
            np.bincount(category[counted & right], minlength=len(self.categories)) for right in (matched, ~matched)
        )
        return Counts(tp, fp, self.records.positives[:, cut.area] - tp, categories=self.categories)

    def pairs(self, *, iou: float | None = None, area: str | None = None) -> FoundPairs:
        """Which guess found which truth, as rows of the data sets that were given."""
        inputs = check.inputs(self.inputs)
        lane = check.area_of(area, self.protocol) * len(self.protocol.iou) + self._threshold(iou)
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

    # ---- how sure, and where

    @overload
    def interval(self, name: None = None, /, **options: Unpack[DetectionIntervalOptions]) -> IntervalTable: ...

    @overload
    def interval(self, name: str, /, **options: Unpack[DetectionIntervalOptions]) -> Interval: ...

    def interval(
        self,
        name: str | None = None,
        /,
        *,
        level: float = 0.95,
        by: Any = "image",
        replicates: int = 2000,
        seed: int = 0,
        iou: float | None = None,
        min_score: float | None = None,
        area: str | None = None,
        method: str = "corrected",
    ) -> IntervalTable | Interval:
        """Both ends of the interval of a number, or of all of them and of each category: images are drawn again.

        The numbers are those of the summary, and `precision`, `recall` and `f1` as `counts` has them. Records are
        enough: nothing is matched again. Of a seed there is one answer, for any number of threads and any shards.

        Parameters
        ----------
        name : str, optional
            That of one number. By default a table of all.
        level : float, default 0.95
            The share of replicates between both ends.
        by : "image", name of a column, dict of image → group, or one group for each of `records.images`
            What is drawn again: images of one patient, scene or video are not independent. The columns are "group" and
            "batch" of the truth, where it has them, and those of `slices`.
        replicates, seed : int
        iou, min_score, area : of `precision`, `recall` and `f1`, as in `counts`
        method : {"corrected", "percentile"}
            Percentiles of the replicates, corrected for bias or as they are. Average precision of few objects comes out
            too high, and that of its replicates more so.

        Examples
        --------
        >>> import numpy as np, vesica
        >>> rng = np.random.default_rng(0)
        >>> boxes = np.tile([10.0, 10, 50, 50], (80, 1))
        >>> truth = vesica.Dataset.from_arrays(boxes, image=range(80), category=["cat"] * 80)
        >>> moved = boxes + rng.integers(-12, 13, (80, 1))
        >>> guess = vesica.Dataset.from_arrays(moved, image=range(80), category=["cat"] * 80, score=rng.random(80))
        >>> result = vesica.evaluate(truth, guess)
        >>> ends = result.interval("AP50")
        >>> print(f"{result['AP50']:.3f}, {ends.lo:.3f} to {ends.hi:.3f}")
        0.362, 0.234 to 0.491
        """
        from vesica.detection.bootstrap import COUNTED  # late: most results are asked for without
        from vesica.detection.intervals import intervals_of
        from vesica.results.intervals import drawing_of

        if name is not None:
            check.one_of(name, (*self.summary, *COUNTED), "name")
        told, groups = drawn_by(by, self._images, self.columns)
        drawing = drawing_of(level=level, by=told, replicates=replicates, seed=seed, method=method)
        table = intervals_of(self, drawing, groups, self._cut(iou, min_score, area))
        return table if name is None else table[name]

    def groups_by(self, by: Any, /) -> dict[Any, Any] | None:
        """By the id of an image what it is drawn again with, as `by` of `interval` says; None: by itself."""
        _, groups = drawn_by(by, self._images, self.columns)
        return None if groups is None else dict(zip(self.records.images.tolist(), groups.tolist(), strict=True))

    @property
    def _images(self) -> Images:
        """The images with their names, where those are known."""
        return Images(self.records.images, names=self.image_names)

    def sliced(self, by: Any, /) -> DetectionResult:
        """The same result, whose `slices` go by what is said of the images; see `evaluate`."""
        from vesica.detection.slices import columns_of  # late: as above

        found = columns_of(by, self._images, self.columns)
        return replace(self, columns={**self.columns, **found}, sliced_by=tuple(found))

    @functools.cached_property
    def slices(self) -> Slices:
        """By column and value the results of some images each, as `evaluate(…, slices=)` was told; else none.

        >>> import vesica
        >>> boxes, image = [[0, 0, 9, 9], [0, 0, 9, 9], [0, 0, 9, 9]], ["a.jpg", "b.jpg", "c.jpg"]
        >>> truth = vesica.Dataset.from_arrays(boxes, image=image, category=["cat"] * 3)
        >>> guess = vesica.Dataset.from_arrays(boxes[:2], image=image[:2], category=["cat"] * 2, score=[0.9, 0.8])
        >>> light = {"a": "day", "b": "day", "c": "night"}
        >>> result = vesica.evaluate(truth, guess, iou=0.5, slices={"light": light})
        >>> result.slices["light"]["night"]["AR100"]
        0.0
        """
        from vesica.detection.slices import Slices  # late: as above

        return Slices(self, {name: self.columns[name] for name in self.sliced_by})

    def of_images(self, keep: np.ndarray, /) -> DetectionResult:
        """The result of some images, by a mask of `records.images`."""
        return DetectionResult(
            self.records.of_images(keep),
            threads=self.threads,
            image_names=None if self.image_names is None else self.image_names[keep],
            image_sizes=None if self.image_sizes is None else self.image_sizes[keep],
            columns={name: column[keep] for name, column in self.columns.items()},
        )

    def to_dict(self) -> dict[str, Any]:
        """The summary, the classes and the conventions, as plain values."""
        return {
            "task": "detection",
            "protocol": self.protocol.name,
            "regions": self.protocol.regions,
            "images": len(self.records.images),
            "image_set": image_set(self.records.images.tolist()),
            "truths": self.truths,
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

    def gate_scores(self, resampling: Resampling | None = None, /, *, cut: Cut | None = None) -> Scores:
        """What gates can ask for: numbers of the whole, and of each category by its name or else its id.

        With a `cut` also `tp`, `fp`, `fn`, `precision`, `recall` and `f1` of it.

        >>> import vesica
        >>> truth = vesica.Dataset.from_arrays([[0, 0, 10, 10]], image=[1], category=["cat"])
        >>> guess = vesica.Dataset.from_arrays([[1, 0, 10, 10]], image=[1], category=["cat"], score=[0.9])
        >>> [verdict.passed for verdict in vesica.evaluate(truth, guess).gates("AP50>=0.9", "AP[cat]>0.95")]
        [True, False]
        """
        from vesica.results.gates import Scores  # late: few results are gated

        facts = self.to_dict()
        names = [str(name) for name in self.categories]
        overall, rows = self.numbers, facts["classes"]
        if cut is not None:
            counts = self.counts_at(cut)
            overall = overall | {name: plain(getattr(counts.total(), name)) for name in _OF_CUT}
            rows = [row | own for row, own in zip(counts.rows(), rows, strict=True)]
        numbers = [{name: value for name, value in row.items() if name not in _NO_NUMBERS} for row in rows]
        return Scores(
            overall,
            dict(zip(names, numbers, strict=True)),
            _why_undefined,
            aliases=dict(zip(map(str, self.records.categories.ids.tolist()), names, strict=True)),
            identity=identity_of(facts, ids=self.records.images.tolist()),
            replicates=_drawn(self, resampling or Resampling(), cut),
            is_corrected=True,
        )

    @property
    def headline(self) -> str:
        """Protocol, regions, and how much of everything there is."""
        truths, regions = self.truths, REGIONS[self.protocol.regions]
        return (
            f"{self.protocol.name}, {regions}: {len(self.records):,} guesses, {truths:,} truths, "
            f"{len(self.records.images):,} images, {len(self.categories)} categories"
        )


@names.explained("detection.summarise", "detection.summarise")
def summarise(records: Records | Tally, /, *, threads: int | None = None) -> DetectionResult:
    """The result that records stand for."""
    # A tally answers as records do, or says that it cannot.
    return DetectionResult(cast("Records", records), threads=threads)


def _drawn(result: DetectionResult, how: Resampling, cut: Cut | None) -> Callable[[str, str | None], np.ndarray | None]:
    """What gives (R,) a number of the whole, or of a category, where images are drawn again; None if it has none."""

    from vesica.detection.bootstrap import categories_at_a_time, classes_of, replicates_of  # late: most ask for none

    # Those of the categories come by the way; where they take much memory, some are made when one is asked for.
    step = categories_at_a_time(how.replicates)
    is_small = len(result.categories) <= step
    options: dict[str, Any] = {"replicates": how.replicates, "seed": how.seed, "threads": result.threads, "cut": cut}

    @functools.cache
    def replicates() -> Replicates:
        groups = how.labels(result.records.images.tolist())
        return replicates_of(result.records, groups=groups, per_class=is_small, **options)

    @functools.lru_cache(maxsize=1)
    def classes(first: int) -> np.ndarray:
        if is_small:
            return replicates().classes
        groups = how.labels(result.records.images.tolist())
        return classes_of(result.records, first, first + step, groups=groups, **options)

    def draw(name: str, category: str | None) -> np.ndarray | None:
        names = replicates().names if category is None else replicates().class_names
        if name not in names:
            return None
        if category is None:
            return replicates().values[:, names.index(name)]
        place = [str(one) for one in result.categories].index(category)
        first = place - place % step
        return classes(first)[:, place - first, names.index(name)]

    return draw


_OF_CUT = ("tp", "fp", "fn", "precision", "recall", "f1")
"""What a cut has."""
_NO_NUMBERS = ("category", "truths", "guesses")
"""Columns of a class that gates do not judge."""


def _why_undefined(name: str) -> str:
    """A precision is a share of guesses, every other number one of truths."""
    return f"there are no {'guesses' if name == 'precision' else 'truths'} that it could count"


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return np.asarray(part) / np.where(np.asarray(whole) == 0, np.nan, whole)
