"""Results of segmentations: the numbers, the tables, and the same counts under every other convention."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from vesica._check import segmentation as check
from vesica.dataset import Images
from vesica.dataset.ids import table_of
from vesica.dataset.image_columns import drawn_by
from vesica.results import container
from vesica.results.gates import Scores
from vesica.results.identity import identity_of, image_set
from vesica.results.resampling import IntervalOptions, Resampling
from vesica.results.result import Note, Result
from vesica.results.tables import Row, rows_of
from vesica.segmentation.averages import Average, each_of, mean_in_any_order, mean_of, rows_of_means
from vesica.segmentation.cells import BOTH_EMPTY, GUESS_ONLY, TRUTH_ONLY, Cells, cells_of, confusion_of
from vesica.segmentation.counts import PixelCounts, merge
from vesica.segmentation.policy import SegmentationPolicy
from vesica.segmentation.rules import FIELDS, MEANS, OVERALL, SCORES, STATUSES, SUMMARY, WEIGHTED
from vesica.segmentation.scores import accuracy_of, generalised_dice_of, mean_of_filled, micro, values_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from vesica.results.intervals import IntervalTable
    from vesica.segmentation.spread import Spread
    from vesica.statistics.intervals import Interval

KIND = container.Kind("segmentation results", b"VESICA segmentation\n", version=1)
_TABLE = ("IoU", "Dice", "precision", "recall", "area_difference")
"""Scores that tables have a column for."""
_VOID = 255


class _Lazy(Mapping[str, float]):
    """Numbers that are computed when they are asked for: a policy is cheap until then."""

    def __init__(self, names: tuple[str, ...], compute: Any) -> None:
        self._names, self._compute, self._known = names, compute, dict[str, float]()

    def __getitem__(self, name: str) -> float:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._known:
            self._known[name] = self._compute(name)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@dataclass(frozen=True, eq=False, repr=False)
class SegmentationResult(Result):
    """What `evaluate_segmentation` answers: a mapping of its numbers under its policy. It prints as a table.

    Attributes
    ----------
    counts : PixelCounts: everything below comes from these
    policy : SegmentationPolicy: the conventions of the numbers
    remarks : of objects that were drawn, what there is to tell of it

    Examples
    --------
    >>> import vesica
    >>> truth = [[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 2, 2]]
    >>> guess = [[0, 0, 0, 1], [0, 3, 1, 1], [2, 2, 2, 0]]
    >>> result = vesica.evaluate_segmentation(truth, guess)
    >>> result["mIoU"], result["pixel_accuracy"]
    (0.5, 0.75)
    >>> result.under(like="mmseg")["mPA_recall"]
    0.75
    """

    counts: PixelCounts
    policy: SegmentationPolicy = field(default_factory=SegmentationPolicy)
    remarks: tuple[Note, ...] = ()

    @functools.cached_property
    def cells(self) -> Cells:
        """TP, and the areas of truth and guess, of each image and class."""
        return cells_of(self.counts, self.policy)

    def checked(self) -> SegmentationResult:
        """Itself, if its labels and its policy go together; otherwise the error comes here, and not with a number."""
        _ = self.cells
        return self

    @functools.cached_property
    def _in_means(self) -> Cells:
        """The cells without the background's."""
        return self.cells.without(self.policy.background)

    @property
    def categories(self) -> list[Any]:
        """Names of the classes, or labels of those without a name: the order of every table here."""
        return list(self.cells.names)

    # ---- numbers

    @functools.cached_property
    def summary(self) -> Mapping[str, float]:
        """The numbers under the policy; NaN for one that is not defined."""
        names = tuple(name for name in SUMMARY if self._has(name))
        if self.policy.classes == "each":
            known = [score for score in ("IoU", "Dice") if self.policy.knows(score)]
            values = [value for score in known for value in self.score(score).value.tolist()]
            names = tuple(f"{score}[{category}]" for score in known for category in self._in_means.names)
            return dict(zip(names, values, strict=True))
        return _Lazy(names, lambda name: self.average(name).value)

    def _has(self, name: str) -> bool:
        """Has the policy's library such a number, and can it be told of what was counted?"""
        if name in WEIGHTED:
            decided = self.policy.like is not None and "classes" in self.policy.preset.decides
            return self.policy.knows(WEIGHTED[name]) and not decided
        if name == "pixel_accuracy" and self.counts.is_overlapping:
            return False
        return self.policy.knows(MEANS.get(name, name))

    def average(self, name: str, /, *, average: str | None = None) -> Average:
        """A number of the summary, in another order of averaging, and how many cells it counts.

        >>> import vesica
        >>> truth, guess = [[[0, 0, 1, 1]], [[0, 1, 2, 2]]], [[[0, 0, 1, 0]], [[0, 1, 2, 1]]]
        >>> result = vesica.evaluate_segmentation(truth, guess)
        >>> orders = "totals", "images", "classes", "cells"
        >>> [round(result.average("mIoU", average=order).value, 6) for order in orders]
        [0.583333, 0.625, 0.611111, 0.633333]
        """
        check.one_of(name, [one for one in SUMMARY if self._has(one)], "name")
        if name in WEIGHTED:
            return self.score(WEIGHTED[name], average=average, classes="weighted")
        return self.score(MEANS.get(name, name), average=average)

    def score(
        self, name: str, /, *, average: str | None = None, classes: str | None = None, beta: float = 1.0
    ) -> Average:
        """A score in any order of averaging and any reduction of the classes, by default those of the policy.

        Parameters
        ----------
        name : "IoU", "Dice", "precision", "recall", "F-beta", "area_difference", "pixel_accuracy" or "generalised_dice"
        average : "totals", "images", "classes" or "cells"
        classes : "macro", "micro", "weighted"; or "each", when the value is an array of one for each class
        beta : of "F-beta"

        Returns
        -------
        Average
            `value`, NaN if it is not defined; the cells that are `used`, and those `left_out`.
        """
        check.one_of(name, (*SCORES, *OVERALL), "name")
        own = self.policy.of(name)
        order = own.average if average is None else check.one_of(average, FIELDS["average"], "average")
        reduction = own.classes if classes is None else check.one_of(classes, FIELDS["classes"], "classes")
        own = self.policy.of(name, each=True) if reduction == "each" else own
        if name in OVERALL:
            return self._overall(name, own, order)
        key = name, own.both_empty, own.one_empty, own.absent, order, reduction, beta
        memo = self._in_means.memo
        if key not in memo:
            memo[key] = self._mean(name, own, order, reduction, check.beta(beta))
        found: Average = memo[key]
        return found

    def _mean(self, name: str, own: SegmentationPolicy, order: str, reduction: str, beta: float) -> Average:
        """A score of classes."""
        cells, absent = self._in_means, self._in_means.is_absent
        if reduction == "micro":
            cells, absent = micro(cells), np.array([absent.all()])
        cells = cells.total if order == "totals" else cells
        if reduction == "macro" and len(cells.pixels) > 1 and name != "area_difference":
            return mean_of_filled(cells, name, own, order, beta=beta, absent=absent)
        values = values_of(cells, name, own, beta=beta, absent=absent)
        if reduction == "each":
            used = int((~np.isnan(values)).sum())
            return Average(each_of(values), used, values.size - used)
        weights = cells.truth if reduction == "weighted" else None
        empty = 0.0 if own.both_empty == "zero" else np.nan
        return mean_of(values, order=order, weights=weights, empty=empty)

    def _overall(self, name: str, policy: SegmentationPolicy, order: str) -> Average:
        """A score that has no classes: of the totals, or the mean over images."""
        if name == "pixel_accuracy":
            check.has_accuracy(self.counts.is_overlapping)
            cells = self.cells.total if order == "totals" else self.cells
            values = accuracy_of(cells)
        else:
            cells = self._in_means.total if order == "totals" else self._in_means
            values = generalised_dice_of(cells, policy, is_absent=bool(self._in_means.is_absent.all()))
        used = int((~np.isnan(values)).sum())
        value = float(values[0]) if order == "totals" else mean_in_any_order(values)
        return Average(value, used, len(values) - used)

    # ---- tables

    def per_class(self, *, average: str | None = None) -> list[Row]:
        """A row for each class: its scores, None where left out, with the status; and its pixels and images."""
        cells, total = self.cells, self.cells.total
        scores = {}
        for name in _TABLE:
            if self.policy.knows(name):
                order = average or self.policy.of(name).average
                check.one_of(order, FIELDS["average"], "average")
                scores[name] = each_of(self._values(total if order == "totals" else cells, name, each=True))
        return rows_of(
            {
                "category": cells.names,
                "label": cells.labels,
                **scores,
                "tp": total.both[0],
                "fp": total.guess[0] - total.both[0],
                "fn": total.truth[0] - total.both[0],
                "images": ((cells.truth > 0) | (cells.guess > 0)).sum(axis=0),
                "status": self._statuses(total)[0],
            }
        )

    def _shares(self) -> tuple[str, list[tuple[Any, float | None]]]:
        rows = self.per_class()
        name = next((name for name in ("IoU", "Dice") if rows and name in rows[0]), "")
        return f"{name} by class", [(row["category"], row[name]) for row in rows] if name else []

    def per_image(self) -> list[Row]:
        """A row for each image: the means of its classes, None where none counts, and how many cells they count."""
        return self._rows_of_images(self.cells, self._in_means, {"image": self.counts.ids})

    def per_group(self) -> list[Row]:
        """A row for each group of images: the same of their added counts."""
        groups = check.has_groups(self.counts.groups)
        table, group = table_of(groups)
        cells, in_means = (one.grouped(group, len(table)) for one in (self.cells, self._in_means))
        number = np.bincount(group, minlength=len(table))
        return self._rows_of_images(cells, in_means, {"group": table, "images": number})

    def _rows_of_images(self, cells: Cells, in_means: Cells, first: dict[str, Any]) -> list[Row]:
        values = {name: self._values(in_means, name) for name in ("IoU", "Dice") if self.policy.knows(name)}
        one = next(iter(values.values()))
        used = (~np.isnan(one)).sum(axis=1)
        numbers = {SCORES[name].mean: rows_of_means(of_cells) for name, of_cells in values.items()}
        if self._has("pixel_accuracy"):
            numbers["pixel_accuracy"] = accuracy_of(cells)
        status = np.where(used > 0, "ok", "undefined").tolist()
        left = one.shape[1] - used
        if "image" in first and self.counts.groups is not None:
            first = {**first, "group": self.counts.groups}
        return rows_of({**first, "pixels": cells.pixels, **numbers, "used": used, "left_out": left, "status": status})

    def per_cell(self) -> list[Row]:
        """A row for each image and class: its pixels, its scores, and its status."""
        cells = self.cells
        images, classes = cells.both.shape
        fp, fn = cells.guess - cells.both, cells.truth - cells.both
        ids = self.counts.ids
        return rows_of(
            {
                "image": [one for one in ids.tolist() for _ in range(classes)],
                "category": list(cells.names) * images,
                "tp": cells.both.ravel(),
                "fp": fp.ravel(),
                "fn": fn.ravel(),
                "tn": (cells.pixels[:, None] - cells.both - fp - fn).ravel(),
                **{name: self.cell_scores(name).ravel() for name in _TABLE if self.policy.knows(name)},
                "status": [status for row in self._statuses(cells) for status in row],
            }
        )

    def cell_scores(self, name: str, /) -> np.ndarray:
        """(images, classes) float64: one score, "IoU" say, of each image and class; NaN where it has none."""
        return self._values(self.cells, check.one_of(name, _TABLE, "name"))

    def confusion(self) -> np.ndarray:
        """(K, K) int64 over all images: rows are classes of the truth, columns classes of the guess."""
        return confusion_of(self.counts, self.cells.labels)

    def _values(self, cells: Cells, name: str, *, each: bool = False) -> np.ndarray:
        absent = self.cells.is_absent if len(cells.labels) == len(self.cells.labels) else self._in_means.is_absent
        return values_of(cells, name, self.policy.of(name, each=each), beta=1.0, absent=absent)

    def _statuses(self, cells: Cells) -> list[list[str]]:
        absent = self.cells.is_absent
        return [
            ["absent" if gone else STATUSES[code] for code, gone in zip(row, absent.tolist(), strict=True)]
            for row in cells.status.tolist()
        ]

    @property
    def empties(self) -> dict[str, int]:
        """How many cells neither side has, the guess alone has, and the truth alone has; and the absent classes."""
        status, absent = self._in_means.status, self._in_means.is_absent
        there = status[:, ~absent]
        counted = {"both_empty": BOTH_EMPTY, "guess_only": GUESS_ONLY, "truth_only": TRUTH_ONLY}
        return {**{name: int((there == code).sum()) for name, code in counted.items()}, "absent": int(absent.sum())}

    # ---- how sure

    @overload
    def interval(self, name: None = None, /, **options: Unpack[IntervalOptions]) -> IntervalTable: ...

    @overload
    def interval(self, name: str, /, **options: Unpack[IntervalOptions]) -> Interval: ...

    def interval(
        self,
        name: str | None = None,
        /,
        *,
        level: float = 0.95,
        by: Any = "image",
        replicates: int = 2000,
        seed: int = 0,
        method: str = "corrected",
    ) -> IntervalTable | Interval:
        """Both ends of the interval of a number, or of all of them and of each class: images are drawn again.

        `by` is "image"; "group", where groups were given; a dict of image → group, or one group for each image. The
        other options are those of `DetectionResult.interval`.

        >>> import numpy as np, vesica
        >>> rng = np.random.default_rng(0)
        >>> truth = rng.integers(0, 3, (40, 8, 8))
        >>> guess = np.where(rng.random((40, 8, 8)) < 0.8, truth, 0)
        >>> result = vesica.evaluate_segmentation(truth, guess)
        >>> ends = result.interval("mIoU")
        >>> print(f"{result['mIoU']:.3f}, {ends.lo:.3f} to {ends.hi:.3f}")
        0.766, 0.744 to 0.787
        """
        from vesica.results.intervals import drawing_of  # late: most results are asked for without
        from vesica.segmentation.intervals import intervals_of

        if name is not None:
            check.one_of(name, self.summary, "name")
        images = Images(self.counts.ids)
        told, groups = drawn_by(by, images, {} if self.counts.groups is None else {"group": self.counts.groups})
        drawing = drawing_of(level=level, by=told, replicates=replicates, seed=seed, method=method)
        table = intervals_of(self, drawing, groups, _TABLE)
        return table if name is None else table[name]

    # ---- other conventions, other images

    def under(self, policy: SegmentationPolicy | None = None, /, *, like: str | None = None) -> SegmentationResult:
        """The same counts under another policy, or like another library: nothing is counted again.

        >>> import vesica
        >>> result = vesica.evaluate_segmentation([[1, 1, 0, 0]], [[1, 0, 0, 0]], categories=3)
        >>> result["mIoU"], result.under(like="monai.keep_empty")["mIoU"]
        (0.5833333333333333, 0.7222222222222222)
        """
        check.one_of_both(policy, like)
        if like is None:
            other = check.policy(policy, SegmentationPolicy)
        else:
            kept = {name: getattr(self.policy, name) for name in ("ignore", "background")}
            other = SegmentationPolicy(**kept, like=like)
        return SegmentationResult(self.counts, other, self.remarks).checked()

    def spread(self) -> Spread:
        """The same counts under every preset, and how far apart the answers are.

        >>> import vesica
        >>> truth, guess = [[[1, 1, 0, 0]], [[0, 0, 0, 0]]], [[[1, 0, 0, 0]], [[0, 0, 0, 0]]]
        >>> vesica.evaluate_segmentation(truth, guess, background=0).spread()
        Spread(mIoU 0.250000–0.750000)
        """
        from vesica.segmentation.spread import spread_of  # late: it asks for results itself

        return spread_of(self)

    def merge(self, *others: SegmentationResult) -> SegmentationResult:
        """The result of all their images, the same whatever the order. Results of different policies do not merge."""
        for other in others:
            check.same_policy(self.policy, other.policy)
        every = (self, *others)
        return SegmentationResult(merge(*(one.counts for one in every)), self.policy, _added(every))

    def with_remarks(self, remarks: Iterable[Note], /) -> SegmentationResult:
        """The same, with what there is to tell of how its label maps were made."""
        return replace(self, remarks=tuple(remarks))

    def to_bytes(self) -> bytes:
        """Policy and counts as bytes that every later version of the same format reads."""
        header: dict[str, Any] = {"policy": asdict(self.policy), "digest": self.policy.digest}
        if self.remarks:
            header["remarks"] = [asdict(note) for note in self.remarks]
        return container.to_bytes(KIND, header, {"counts": np.frombuffer(self.counts.to_bytes(), np.uint8)})

    @classmethod
    def from_bytes(cls, data: bytes, /) -> SegmentationResult:
        """What `to_bytes` gave. Damage, other formats and other versions are errors."""
        header, columns = container.from_bytes(KIND, data)
        with container.readable(KIND):
            policy = SegmentationPolicy.from_dict(header["policy"])
            check.digest(header["digest"], policy.digest)
            inner = columns["counts"].tobytes()
            remarks = tuple(Note(**note) for note in header.get("remarks", ()))
        return cls(PixelCounts.from_bytes(inner), policy, remarks)

    # ---- words

    def gate_scores(self, resampling: Resampling | None = None, /) -> Scores:
        """What gates can ask for: `mIoU>=0.7` of the whole, `IoU[road]>=0.9` of a class.

        >>> import vesica
        >>> result = vesica.evaluate_segmentation([[0, 0, 1]], [[0, 1, 1]], categories=["road", "sky"])
        >>> [verdict.passed for verdict in result.gates("mIoU>=0.7", "IoU[road]>=0.5")]
        [False, True]
        """
        from vesica.segmentation.resampled import SegmentationReplicates  # late: most results are not judged

        rows = self.per_class()
        return Scores(
            self.numbers,
            {str(row["category"]): {name: row[name] for name in _TABLE if name in row} for row in rows},
            lambda name: "no cell is left that it could count",
            aliases={str(row["label"]): str(row["category"]) for row in rows},
            identity=identity_of(self.to_dict(), ids=self.counts.ids.tolist()),
            replicates=SegmentationReplicates(self, resampling or Resampling()).number,
            is_corrected=True,
        )

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was left out, with its count."""
        found = self.empties
        texts = {
            "both_empty": f"cells that neither side has ({self._words('both_empty')})",
            "guess_only": f"cells that the guess alone has ({self._words('one_empty')})",
            "truth_only": f"cells that the truth alone has ({self._words('one_empty')})",
            "absent": f"classes that neither side has in any image ({self._words('absent')}): {self._absent}",
        }
        empty = (Note(name, found[name], text) for name, text in texts.items() if found[name])
        return (*empty, *self._ignored, *self._void, *self.remarks)

    def _words(self, name: str) -> str:
        own = self.policy.of("IoU") if self.policy.knows("IoU") else self.policy
        return {"skip": "left out", "one": "scored 1", "zero": "scored 0", "worst": "scored 0"}.get(
            value := str(getattr(own, name)), value
        )

    @property
    def _absent(self) -> str:
        names = [str(name) for name, gone in zip(self._in_means.names, self._in_means.is_absent, strict=True) if gone]
        return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")

    @property
    def _ignored(self) -> tuple[Note, ...]:
        """A guess that uses an ignored label is worth a look."""
        ignore = np.array(self.policy.pixels[0], np.int64)
        used = np.isin(self.counts.guess, ignore) & ~np.isin(self.counts.truth, ignore)
        pixels = int(self.counts.count[used].sum())
        text = "pixels of the guess have an ignored label where the truth has a class"
        return (Note("ignored", pixels, text),) if pixels else ()

    @property
    def _void(self) -> tuple[Note, ...]:
        """Most data sets mean by 255 that a pixel has no class: one that no guess has is worth a look."""
        counts = self.counts
        if counts.is_overlapping or _VOID not in self.categories or (counts.guess == _VOID).any():
            return ()
        pixels = int(counts.count[counts.truth == _VOID].sum())
        text = (
            f"pixels of the truth have the label {_VOID}, which no guess has; if it is void, `ignore` it (--ignore 255)"
        )
        return (Note("void", pixels, text),) if pixels else ()

    @property
    def headline(self) -> str:
        """How much of everything there is, and under which policy."""
        noun = "volumes" if self.counts.is_volumes else "images"
        kind = "masks of each class" if self.counts.is_overlapping else "label maps"
        return (
            f"segmentation, {kind}: {len(self.counts):,} {noun}, {len(self.cells.labels)} classes, "
            f"{int(self.cells.pixels.sum()):,} pixels; {self.policy.told}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The summary in both usual orders, the classes and the conventions, as plain values."""
        return {
            "task": "segmentation",
            "images": len(self.counts),
            "image_set": image_set(self.counts.ids.tolist()),
            "pixels": int(self.cells.pixels.sum()),
            "summary": self.numbers,
            "totals": self._column("totals"),
            "by_image": self._column("images"),
            "empties": self.empties,
            "classes": self.per_class(),
            "notes": [asdict(note) for note in self.notes],
            "policy": asdict(self.policy),
            "policy_hash": self.policy.hash,
        }

    def _column(self, order: str) -> dict[str, Any]:
        """Every number in one order: its value, None if it is not defined, and the cells it counts."""
        found = {}
        for name in SUMMARY:
            if self._has(name) and self.policy.classes != "each":
                value, used, left = self.average(name, average=order)
                found[name] = {"value": None if value != value else value, "used": used, "left_out": left}
        return found

    def __str__(self) -> str:
        from vesica.segmentation.print import printed  # late: most results are not printed

        return printed(self)


def _added(results: Iterable[SegmentationResult]) -> tuple[Note, ...]:
    """What there is to tell of all of them: counts of one rule add up."""
    found: dict[tuple[str, str], int] = {}
    for note in (note for result in results for note in result.remarks):
        found[note.rule, note.text] = found.get((note.rule, note.text), 0) + note.count
    return tuple(Note(rule, count, text) for (rule, text), count in sorted(found.items()))
