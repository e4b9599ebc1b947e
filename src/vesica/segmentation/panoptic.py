"""Panoptic quality: segments of two panoptic maps that are the same ones, those missed and those made up."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from vesica._array import Array, to_numpy
from vesica._check import panoptic as check
from vesica._kernels import pick_arrays
from vesica.dataset.ids import together
from vesica.results import container
from vesica.results.gates import Scores
from vesica.results.identity import identity_of, image_set
from vesica.results.resampling import IntervalOptions, Resampling
from vesica.results.result import Note, Result
from vesica.results.tables import Row, rows_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from vesica.results.intervals import IntervalTable
    from vesica.statistics.intervals import Interval

VOID = 0
"""The id of pixels that belong to no segment."""

KIND = container.Kind("panoptic results", b"VESICA panoptic\n", version=1)
_COLUMNS = ("image", "category", "inter", "union")
_SUMS = ("PQ", "SQ", "RQ")


class Segments(NamedTuple):
    """The segments of one image.

    Attributes
    ----------
    ids : (H, W) integers: the id of the segment to which each pixel belongs, 0 for none
    known : (S,) int64: the ids of the segments, rising
    category : (S,) int64: what each of them is
    crowd : (S,) bool: is it a group of objects that were not told apart?
    """

    ids: Array
    known: np.ndarray
    category: np.ndarray
    crowd: np.ndarray


@dataclass(frozen=True, eq=False)
class PanopticCategories:
    """What a segment can be.

    Attributes
    ----------
    ids : (K,) int64, rising
    names : (K,) what they are called; their ids where they have no name
    things : (K,) bool: are there single objects of it? None where that is not known
    """

    ids: np.ndarray
    names: tuple[Any, ...]
    things: np.ndarray | None


@dataclass(frozen=True, eq=False, repr=False)
class PanopticResult(Result):
    """What `evaluate_panoptic` answers: a mapping of its numbers. It prints as a table.

    Everything comes of one table with a row for each pair of segments that match (their shared pixels and those of
    their union), for each truth that was missed (no shared pixels, union −1) and for each guess that was made up
    (no shared pixels, union −2). Tables of different images are joined, whatever their order.

    Attributes
    ----------
    categories : PanopticCategories
    images : (I,) ids of the images
    image : (R,) int64: places in `images`
    category : (R,) int64: places in the categories
    inter, union : (R,) int64
    quirks : the tool whose faults are repeated, or None
    void : are pixels of no segment void, or background?
    """

    categories: PanopticCategories
    images: np.ndarray
    image: np.ndarray
    category: np.ndarray
    inter: np.ndarray
    union: np.ndarray
    quirks: str | None = None
    void: bool = True

    # ---- numbers

    @functools.cached_property
    def _sums(self) -> dict[str, np.ndarray]:
        return sums_of(self.category, self.inter, self.union, len(self.categories.ids))

    @functools.cached_property
    def summary(self) -> Mapping[str, float]:
        """Means over the categories that occur: of all, and of things and of stuff where the categories say which."""
        numbers = qualities(self._sums)
        found = {name: _mean(numbers[name], None) for name in _SUMS}
        if self.categories.things is not None:
            for kind, chosen in (("things", self.categories.things), ("stuff", ~self.categories.things)):
                found |= {f"{name}_{kind}": _mean(numbers[name], chosen) for name in _SUMS}
        return found

    def per_class(self) -> list[Row]:
        """A row for each category: its counts and qualities, None for one that neither side has."""
        things = self.categories.things
        absent = _total(self._sums) == 0
        return rows_of(
            {
                "category": self.categories.names,
                "id": self.categories.ids,
                **({} if things is None else {"is_thing": things}),
                **qualities(self._sums),
                **{name: self._sums[name] for name in ("tp", "fp", "fn")},
                "status": np.where(absent, "absent", "ok").tolist(),
            }
        )

    def per_image(self) -> list[Row]:
        """A row for each image: its segments of all categories counted together."""
        sums = sums_of(self.image, self.inter, self.union, len(self.images))
        counts = {name: sums[name] for name in ("tp", "fp", "fn")}
        return rows_of({"image": self.images, **qualities(sums), **counts})

    def gate_scores(self, resampling: Resampling | None = None, /) -> Scores:
        """What gates can ask for: `PQ>=0.4` of the whole, `RQ[person]>=0.5` of a category."""
        from vesica.segmentation.panoptic_resampled import PanopticReplicates  # late: most results are not judged

        rows = self.per_class()
        return Scores(
            self.numbers,
            {str(row["category"]): {name: row[name] for name in _SUMS} for row in rows},
            lambda name: "no segment is there that it could count",
            aliases={str(row["id"]): str(row["category"]) for row in rows},
            identity=identity_of(self.to_dict(), ids=self.images.tolist()),
            replicates=PanopticReplicates(self, resampling or Resampling()).number,
        )

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
        """Both ends of the interval of a number, or of all of them and of each category: images are drawn again.

        `by` is "image"; a dict of image → group, or one group for each image. The other options are those of
        `DetectionResult.interval`.

        >>> import numpy as np, vesica
        >>> rng = np.random.default_rng(0)
        >>> truth = [(np.kron(rng.integers(1, 3, (4, 4)), np.ones((4, 4), int)), {1: 17, 2: 3}) for _ in range(30)]
        >>> guess = [(np.roll(ids, rng.integers(0, 2)), told) for ids, told in truth]
        >>> result = vesica.evaluate_panoptic(truth, guess)
        >>> ends = result.interval("PQ")
        >>> print(f"{result['PQ']:.3f}, {ends.lo:.3f} to {ends.hi:.3f}")
        0.882, 0.844 to 0.920
        """
        from vesica.segmentation.intervals import interval_of  # late: most results are asked for without

        how = {"level": level, "by": by, "replicates": replicates, "seed": seed, "method": method}
        return interval_of(self, name, images=self.images, groups=None, categories=self.categories.names, **how)

    # ---- other images, bytes

    def merge(self, *others: PanopticResult) -> PanopticResult:
        """The result of all their images, the same whatever the order."""
        for other in others:
            check.together(self, other)
        parts = (self, *others)
        offsets = np.cumsum([0, *(len(one.images) for one in parts[:-1])])
        image = np.concatenate([one.image + at for one, at in zip(parts, offsets, strict=True)])
        images = check.each_once(together([one.images for one in parts]))
        category, inter, union = (np.concatenate([getattr(one, name) for one in parts]) for name in _COLUMNS[1:])
        return _sorted(PanopticResult(self.categories, images, image, category, inter, union, self.quirks, self.void))

    def to_bytes(self) -> bytes:
        """All of it as bytes that every later version of the same format reads."""
        own, known = _sorted(self), self.categories
        header = {
            "images": container.listed(own.images),
            "names": list(known.names),
            "things": None if known.things is None else known.things.tolist(),
            "quirks": self.quirks,
            "void": self.void,
        }
        columns = {"ids": known.ids, **{name: getattr(own, name) for name in _COLUMNS}}
        return container.to_bytes(KIND, header, columns)

    @classmethod
    def from_bytes(cls, data: bytes, /) -> PanopticResult:
        """What `to_bytes` gave. Damage, other formats and other versions are errors."""
        header, columns = container.from_bytes(KIND, data)
        with container.readable(KIND):
            told = header["things"]
            things = None if told is None else np.array(told, bool)
            known = PanopticCategories(columns.pop("ids"), tuple(header["names"]), things)
            images = container.column_of(header["images"])
            assert images is not None
            found = cls(known, images, **columns, quirks=header["quirks"], void=header["void"])
            check.sound(found)
        return found

    # ---- words

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was left out, with its count."""
        absent = int((_total(self._sums) == 0).sum())
        return (Note("absent", absent, "categories that neither side has (left out)"),) if absent else ()

    @property
    def headline(self) -> str:
        """How much of everything there is."""
        matched, missed, extra = (int(self._sums[name].sum()) for name in ("tp", "fn", "fp"))
        kinds = int((_total(self._sums) > 0).sum())
        words = f"{matched:,} segments matched, {missed:,} missed, {extra:,} made up"
        return f"panoptic quality: {len(self.images):,} images, {kinds} categories, {words}"

    def to_dict(self) -> dict[str, Any]:
        """The summary and the categories as plain values."""
        return {
            "task": "panoptic",
            "images": len(self.images),
            "image_set": image_set(self.images.tolist()),
            "summary": self.numbers,
            "classes": self.per_class(),
            "notes": [asdict(note) for note in self.notes],
            "conventions": {"quirks": self.quirks, "void": self.void},
        }


_MISSED, _EXTRA = -1, -2


def score(
    pairs: Iterable[tuple[Any, Segments, Segments]],
    categories: PanopticCategories,
    /,
    *,
    quirks: str | None = None,
    void: bool = True,
    threads: int | None = None,
) -> PanopticResult:
    """The result of images, each with its id, its truth and its guess. Nothing of an image is kept but its segments."""
    images, tables = [], []
    for image, truth, guess in pairs:
        tables.append(_match(truth, guess, categories, quirks, void, threads, image))
        images.append(image)
    ids = check.each_once(np.array(images) if _are_whole(images) else np.array(images, object))
    image = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
    rows = np.concatenate([np.empty((0, 3), np.int64), *tables])
    category, inter, union = rows.T.copy()
    return _sorted(PanopticResult(categories, ids, image, category, inter, union, quirks, void))


def _are_whole(images: list[Any]) -> bool:
    return all(isinstance(one, (int, np.integer)) for one in images)


def _match(
    truth: Segments,
    guess: Segments,
    categories: PanopticCategories,
    quirks: str | None,
    void: bool,
    threads: int | None,
    image: Any,
) -> np.ndarray:
    """(R, 3): category, shared pixels and union of every match, of every truth missed and of every guess made up."""
    check.same_size(truth.ids, guess.ids, image)
    met = pick_arrays("count", "labels", truth.ids, guess.ids).call(truth.ids, guess.ids, threads=threads)
    left, right, pixels = (to_numpy(column) for column in met)
    # Places among the segments, the void being one behind the last.
    i, j = (_places(side.known, column) for side, column in ((truth, left), (guess, right)))
    check.all_known(i, left, "truth", image)
    check.all_known(j, right, "guess", image)
    shared = np.zeros((len(truth.known) + 1, len(guess.known) + 1), np.int64)
    np.add.at(shared, (i, j), pixels)
    area_truth, area_guess = shared.sum(axis=1)[:-1], shared.sum(axis=0)[:-1]
    check.all_there(area_truth, truth.known, "truth", image)
    check.all_there(area_guess, guess.known, "guess", image)

    # Pixels where the truth is void are in no union, and more than a half of it must be shared: so no segment has two.
    in_void = shared[-1, :-1] * void
    inter = shared[:-1, :-1]
    union = area_truth[:, None] + area_guess[None, :] - inter - in_void[None, :]
    same = truth.category[:, None] == guess.category[None, :]
    of_truth, of_guess = np.nonzero((2 * inter > union) & same & ~truth.crowd[:, None])

    missed = np.setdiff1d(np.flatnonzero(~truth.crowd), of_truth)
    # A guess most of which is void, or in crowds of its category, could not have been right.
    crowds = same & truth.crowd[:, None]
    if quirks == "panopticapi":
        crowds[:-1] &= ~np.logical_or.accumulate(crowds[::-1], axis=0)[::-1][1:]  # the last crowd of a category alone
    excused = 2 * (in_void + (inter * crowds).sum(axis=0)) > area_guess
    extra = np.setdiff1d(np.flatnonzero(~excused), of_guess)

    rows = [
        (truth.category[of_truth], inter[of_truth, of_guess], union[of_truth, of_guess]),
        (truth.category[missed], np.zeros_like(missed), np.full(len(missed), _MISSED)),
        (guess.category[extra], np.zeros_like(extra), np.full(len(extra), _EXTRA)),
    ]
    table = np.concatenate([np.stack(part, axis=1).astype(np.int64) for part in rows])
    table[:, 0] = np.searchsorted(categories.ids, table[:, 0])
    return table


def _places(known: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Where each id stands among those known; one behind the last for the void, −1 for one that is not there."""
    if not len(known):
        return np.where(ids == VOID, 0, -1)
    at = np.minimum(np.searchsorted(known, ids), len(known) - 1)
    return np.where(known[at] == ids, at, np.where(ids == VOID, len(known), -1))


def _sorted(of: PanopticResult) -> PanopticResult:
    """Rows by image, category and numbers; images by their ids."""
    order = np.array(sorted(range(len(of.images)), key=lambda k: (str(type(of.images[k])), of.images[k])), np.int64)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    image = place[of.image] if len(of.image) else of.image
    rows = np.lexsort((of.inter, of.union, of.category, image))
    category, inter, union = (getattr(of, name)[rows] for name in _COLUMNS[1:])
    return PanopticResult(of.categories, of.images[order], image[rows], category, inter, union, of.quirks, of.void)


def sums_of(key: np.ndarray, inter: np.ndarray, union: np.ndarray, count: int) -> dict[str, np.ndarray]:
    """Matches, missed and made-up segments of each key, and the sum of IoUs: exactly rounded, whatever the order."""
    matched = union > 0
    tp, fn, fp = (np.bincount(key[rows], minlength=count) for rows in (matched, union == _MISSED, union == _EXTRA))
    iou = np.zeros(count)
    order = np.argsort(key[matched], kind="stable")
    values = (inter[matched] / union[matched])[order]
    ends = np.cumsum(tp)
    for k in np.flatnonzero(tp):
        iou[k] = math.fsum(values[ends[k] - tp[k] : ends[k]].tolist())
    return {"tp": tp, "fp": fp, "fn": fn, "iou": iou}


def _total(sums: dict[str, np.ndarray]) -> np.ndarray:
    total: np.ndarray = sums["tp"] + sums["fp"] + sums["fn"]
    return total


def qualities(sums: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """PQ, SQ and RQ; NaN where there is no segment. Without a match, SQ is 0 as PQ and RQ are."""
    weight = sums["tp"] + sums["fp"] / 2 + sums["fn"] / 2
    there = weight > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        found = {
            "PQ": sums["iou"] / weight,
            "SQ": np.where(sums["tp"] > 0, sums["iou"] / sums["tp"], 0.0),
            "RQ": sums["tp"] / weight,
        }
    return {name: np.where(there, values, np.nan) for name, values in found.items()}


def _mean(values: np.ndarray, chosen: np.ndarray | None) -> float:
    kept = values[~np.isnan(values) & (True if chosen is None else chosen)].tolist()
    return math.fsum(kept) / len(kept) if kept else math.nan
