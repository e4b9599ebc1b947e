"""Agreement of label maps and masks, pixel by pixel: IoU and Dice of each class, and their means."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from vesica._array import Array, as_array, dtype_name, namespace, objects, to_numpy
from vesica._check import agreement as check
from vesica.agreement.pixel_images import pixel_images_table
from vesica.agreement.pixel_ledger import PixelLedger, pixel_ledger
from vesica.agreement.pixel_ratings import cohen_of_margins, fleiss_of_maps, label_sums
from vesica.agreement.pixel_resampled import PixelReplicates
from vesica.agreement.pixel_tables import pixel_chance_table, pixel_ledger_table
from vesica.agreement.policy import AgreementPolicy
from vesica.dataset import Images
from vesica.dataset.image_columns import drawn_by
from vesica.overlaps.measures import ratio
from vesica.regions import LabelMap
from vesica.results.gates import LazyNumbers, Scores
from vesica.results.identity import identity_of, image_set
from vesica.results.resampling import IntervalOptions, Resampling
from vesica.results.result import Note, Result
from vesica.results.tables import Table
from vesica.statistics.coefficients import Coefficient, nominal_of, one_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from vesica.results.intervals import IntervalTable
    from vesica.statistics.intervals import Interval


class Cells(NamedTuple):
    """One row for an image, two annotators and a class that one of them has there.

    Attributes
    ----------
    image, a, b : (R,) int64: places of the image and of both annotators
    label : (R,) int64
    inter, area_a, area_b : (R,) int64: pixels that both gave the label, and that each did
    """

    image: np.ndarray
    a: np.ndarray
    b: np.ndarray
    label: np.ndarray
    inter: np.ndarray
    area_a: np.ndarray
    area_b: np.ndarray


_TASK = "agreement of label maps"


class Pixels(NamedTuple):
    """One row for an image and two annotators: places, and how many pixels count and have one label."""

    image: np.ndarray
    a: np.ndarray
    b: np.ndarray
    pixels: np.ndarray
    same: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class PixelAgreementResult(Result):
    """What `evaluate_agreement` answers for label maps: a mapping of its numbers.

    `mIoU` and `mDice` are plain means over the classes that either annotator has, background too unless the policy
    keeps it out; pixels are added over images and pairs of annotators before they are divided. Of one pair they equal
    `jaccard_score` and `f1_score` of scikit-learn with average="macro". `pixel_agreement` is the share of pixels with
    one label.

    Attributes
    ----------
    policy : AgreementPolicy
    images, annotators : ids
    cells : Cells
    pairs_of_images : Pixels
    names : what classes are called, by label; {} if they have no names
    maps : annotator → image → label map: what was compared
    is_masks : are all of booleans? Then there is one class, and what is outside of it is none.
    """

    policy: AgreementPolicy
    images: tuple[Any, ...]
    annotators: tuple[Any, ...]
    cells: Cells
    pairs_of_images: Pixels
    names: Mapping[int, Any]
    maps: Mapping[Any, Mapping[Any, Any]]
    is_masks: bool

    @property
    def notes(self) -> tuple[Note, ...]:
        return ()

    @functools.cached_property
    def summary(self) -> Mapping[str, float]:
        """The numbers; NaN for one that is not defined."""
        table = self.classes()
        kept = table["in_mean"].astype(bool)
        iou, dice = (table[name][kept] for name in ("iou", "dice"))
        counted = self.pairs_of_images
        return {
            "mIoU": float(iou.mean()) if len(iou) else float("nan"),
            "mDice": float(dice.mean()) if len(dice) else float("nan"),
            "pixel_agreement": float(np.asarray(ratio(counted.same.sum(), counted.pixels.sum(), empty=float("nan")))),
        }

    def classes(self) -> Table:
        """One row for a class: pixels of both, intersection, union, IoU and Dice, over all pairs of annotators."""
        return self._table(np.zeros(len(self.cells.label), np.int64), {})

    def pairs(self) -> Table:
        """The same for every two annotators."""
        people = max(len(self.annotators), 1)
        return self._table(self.cells.a * people + self.cells.b, {"annotator_a": people, "annotator_b": 1})

    def per_image(self) -> Table:
        """The same for every image, over all pairs of annotators."""
        return self._table(self.cells.image, {"image": 1})

    def by_image(self) -> Table:
        """One row for an image, over all pairs of annotators: means, the share of pixels with one label, and of those
        that differ the share that lies within two pixels of an outline (`edge_share`); its rank by mIoU, the worst
        first."""
        shares: dict[int, list[PixelLedger]] = {}
        for image, (_, _, ledger) in zip(self.pairs_of_images.image.tolist(), self._ledgers(2), strict=True):
            shares.setdefault(image, []).append(ledger)
        edges = {image: functools.reduce(PixelLedger.__add__, own).edge_share for image, own in shares.items()}
        return pixel_images_table(self, edges)

    @overload
    def interval(self, name: None = None, /, **options: Unpack[IntervalOptions]) -> IntervalTable: ...

    @overload
    def interval(self, name: str, /, **options: Unpack[IntervalOptions]) -> Interval: ...

    def interval(
        self,
        name: str | None = None,
        /,
        *,
        level: float | None = None,
        by: Any = None,
        replicates: int | None = None,
        seed: int | None = None,
        method: str = "percentile",
    ) -> IntervalTable | Interval:
        """Both ends of the interval of a number, or of all of them and of each class, by drawing images again.

        What is not said is as the policy has it. `by` is "image", a dict of image → group, or one group for each image;
        the options are those of `DetectionResult.interval`.

        >>> import numpy as np, vesica
        >>> rng = np.random.default_rng(0)
        >>> ann = rng.integers(0, 3, (40, 8, 8))
        >>> ben = np.where(rng.random((40, 8, 8)) < 0.8, ann, 0)
        >>> result = vesica.evaluate_agreement({"ann": ann, "ben": ben})
        >>> ends = result.interval("mIoU")
        >>> print(f"{result['mIoU']:.3f}, {ends.lo:.3f} to {ends.hi:.3f}")
        0.766, 0.745 to 0.788
        """
        from vesica.results.intervals import drawing_of, interval_table_of  # late: most ask for numbers alone

        names = list(self.summary) if name is None else [check.one_of(name, self.summary, "name")]
        policy, images = self.policy, objects(self.images)
        if by is None:
            check.images_alone(policy.resample_by)
        told, groups = drawn_by("image" if by is None else by, Images(images), {})
        drawing = drawing_of(
            level=policy.level if level is None else level,
            by=told,
            replicates=policy.replicates if replicates is None else replicates,
            seed=policy.seed if seed is None else seed,
            method=method,
        )
        by_image = None if groups is None else dict(zip(self.images, groups.tolist(), strict=True))
        scores = self.gate_scores(Resampling(drawing.replicates, drawing.seed, by_image))
        kinds = self.classes()["category"].tolist() if name is None else []
        table = interval_table_of(scores, drawing, names=names, categories=kinds)
        return table if name is None else table[name]

    def _table(self, group: np.ndarray, named: Mapping[str, int]) -> Table:
        cells = self.cells
        labels, place = np.unique(cells.label, return_inverse=True)
        codes, of = np.unique(group * max(len(labels), 1) + place.reshape(-1), return_inverse=True)
        inter, area_a, area_b = (
            np.bincount(of.reshape(-1), weights=column, minlength=len(codes)).astype(np.int64)
            for column in (cells.inter, cells.area_a, cells.area_b)
        )
        rest, which = np.divmod(codes, max(len(labels), 1))
        columns: dict[str, np.ndarray] = {}
        people = objects(self.annotators)
        for name, factor in named.items():
            table = objects(self.images) if name == "image" else people
            columns[name] = table[(rest // factor) % max(len(table), 1)]
        label = labels[which]
        return Table(
            {
                **columns,
                "category": objects(self.names.get(one, one) for one in label.tolist()),
                "area_a": area_a,
                "area_b": area_b,
                "inter": inter,
                "union": area_a + area_b - inter,
                "iou": np.asarray(ratio(inter, area_a + area_b - inter)),
                "dice": np.asarray(ratio(2 * inter, area_a + area_b)),
                "in_mean": label != self.policy.background if self.policy.background is not None else label == label,
            }
        )

    def ledger(self, *, by: str | Sequence[str] = (), within: float = 2) -> Table:
        """What 1 − mIoU is made of, by type: pixels that only one of two annotators gave to a class, and what they take
        from the mean. The amounts add up to the gap.

        `loose edge` lies within so many pixels of either outline of the class; else `label` where both have something
        there, a background being nothing; else `missing` or `extra`. With `by`, "annotators", "category" or both, for
        each of them; amounts of two annotators are of their own mean.
        """
        divided = check.columns_by(by, ("annotators", "category"))
        return pixel_ledger_table(self._ledgers(within), self.annotators, self.names, divided)

    def _ledgers(self, within: float) -> Iterator[tuple[int, int, PixelLedger]]:
        """Those of every image and two annotators."""
        background = 0 if self.is_masks else self.policy.background
        counted = self.pairs_of_images
        for image, a, b in zip(counted.image.tolist(), counted.a.tolist(), counted.b.tolist(), strict=True):
            pair = (_array_of(self.maps[self.annotators[who]][self.images[image]]) for who in (a, b))
            one, other = map(to_numpy, pair)
            found = pixel_ledger(one, other, background=background, ignore=self.policy.ignore, within=within)
            yield a, b, found

    def chance(self) -> Table:
        """The IoU of each class beside that of areas as large that know nothing of each other, and IoU beyond it."""
        return pixel_chance_table(self.classes(), int(self.pairs_of_images.pixels.sum()))

    def coefficients(self) -> Table:
        """One row for a class: IoU, and IoU beyond chance (`corrected`), each with both ends of its interval, over all
        pairs of annotators."""
        from vesica.agreement.coefficient_table import pixel_coefficients_table  # late: few ask for it

        check.images_alone(self.policy.resample_by)
        return pixel_coefficients_table(self)

    def alpha(self) -> Coefficient:
        """Krippendorff's α of pixels: a unit is a pixel, a rating the label that an annotator gave it.

        Whoever was not shown the image has no rating there, and an ignored label is none.
        """
        if len(self.annotators) == 2:  # what was counted of the one pair is all there is
            cells, pixels = self.cells, int(self.pairs_of_images.pixels.sum())
            labels = np.unique(cells.label)
            given = np.bincount(np.searchsorted(labels, cells.label), weights=cells.area_a + cells.area_b)
            outside = 2 * pixels - given.sum()  # of masks, what is in none
            same = 2 * int(self.pairs_of_images.same.sum())
            total = np.concatenate([[pixels, same], given, [outside]])
        else:
            total = label_sums(self._stacks(), self.policy.ignore)
        return one_of(nominal_of(total), int(total[0]))

    def cohen(self) -> Coefficient:
        """Cohen's κ of pixels, of two annotators."""
        check.two_annotators(len(self.annotators))
        return cohen_of_margins(
            self.cells, int(self.pairs_of_images.pixels.sum()), int(self.pairs_of_images.same.sum())
        )

    def fleiss(self) -> Coefficient:
        """Fleiss' κ of pixels; every pixel must have been labelled by everybody."""
        return fleiss_of_maps(self._stacks(), self.policy.ignore)

    def _stacks(self) -> Iterator[np.ndarray]:
        """The maps of each image that two annotators or more have, (K, …)."""
        for image in self.images:
            there = [own[image] for own in self.maps.values() if image in own]
            if len(there) > 1:
                yield np.stack([np.asarray(to_numpy(_array_of(one))) for one in there])

    def explain(self) -> str:
        """The steps by which the numbers come about, class by class."""
        lines = []
        for row in self.classes():
            lines += [
                f"class {row['category']}" + ("" if row["in_mean"] else " (kept out of means)"),
                f"  1 masks         a has {row['area_a']} pixels, b has {row['area_b']}",
                f"  2 intersection  {row['inter']}",
                f"    union         {row['area_a']} + {row['area_b']} − {row['inter']} = {row['union']}",
                f"    IoU           {row['inter']} / {row['union']} = {row['iou']:.6g}",
                f"    Dice          2 · {row['inter']} / ({row['area_a']} + {row['area_b']}) = {row['dice']:.6g}",
            ]
        table = self.classes()
        kept = table["in_mean"].astype(bool)
        told = {name: " + ".join(f"{value:.6g}" for value in table[name][kept].tolist()) for name in ("iou", "dice")}
        count, numbers = int(kept.sum()), self.numbers
        if count:
            lines.append(f"  3 mean IoU = ({told['iou']}) / {count} = {numbers['mIoU']:.6g}")
            lines.append(f"    mean Dice = ({told['dice']}) / {count} = {numbers['mDice']:.6g}")
        return "\n".join(lines)

    def gate_scores(self, resampling: Resampling | None = None, /) -> Scores:
        """What gates can ask for: `mIoU>=0.8` of the whole, `iou[cat]>=0.7` of a class."""
        rows = {str(row["category"]): {"iou": row["iou"], "dice": row["dice"]} for row in self.classes()}
        numbers = LazyNumbers(self.numbers, {"alpha": lambda: self.alpha().value})  # it looks at all maps again
        told = {"task": _TASK, "images": len(self.images), "image_set": image_set(list(self.images))}
        facts = told | {"classes": list(self.classes()), "policy": asdict(self.policy)}
        identity = identity_of(facts, ids=list(self.images))
        how = resampling or Resampling(self.policy.replicates, self.policy.seed)
        drawn = PixelReplicates(self, how).number
        return Scores(numbers, rows, lambda _: "no pixel counts", identity=identity, replicates=drawn)

    @property
    def headline(self) -> str:
        """How much of everything there is, and under which policy."""
        pixels = int(self.pairs_of_images.pixels.sum())
        return (
            f"agreement, label maps: {len(self.annotators)} annotators, images: {len(self.images):,}, image pairs: "
            f"{len(self.pairs_of_images.image):,}, pixels: {pixels:,}; policy {self.policy.hash}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The summary, the classes and the conventions, as plain values."""
        return {
            "task": _TASK,
            "annotators": list(map(str, self.annotators)),
            "images": len(self.images),
            "image_set": image_set(list(self.images)),
            "summary": self.numbers,
            "alpha": self.alpha()._asdict(),
            "classes": list(self.classes()),
            "pairs": list(self.pairs()),
            "policy": asdict(self.policy),
            "policy_hash": self.policy.hash,
        }


def compare_maps(
    maps: Mapping[Any, Mapping[Any, Any]],
    /,
    *,
    policy: AgreementPolicy,
    names: Mapping[int, Any] | None = None,
    threads: int | None = None,
) -> PixelAgreementResult:
    """Compare the maps of all pairs of annotators, image by image.

    Parameters
    ----------
    maps : annotator → image → label map; an image that is not there was not shown to them
    """
    people = tuple(maps)
    images = tuple(dict.fromkeys(image for own in maps.values() for image in own))
    rows: list[tuple[int, int, int, np.ndarray, np.ndarray, np.ndarray, np.ndarray, int, int]] = []
    is_masks = True
    for place, image in enumerate(images):
        there = [who for who in range(len(people)) if image in maps[people[who]]]
        known = {who: _array_of(maps[people[who]][image]) for who in there}
        is_masks &= all(dtype_name(one) == "bool" for one in known.values())
        for a, b in itertools.combinations(there, 2):
            check.one_size(known[a].shape, known[b].shape, image)
            rows.append((place, a, b, *_counted(_map_of(known[a]), _map_of(known[b]), policy, threads)))
    check.some_maps(len(rows), len(people), len(images))
    sizes = [len(row[3]) for row in rows]
    of_image, of_a, of_b = (np.repeat([row[k] for row in rows], sizes) for k in range(3))
    label, inter, area_a, area_b = (np.concatenate([row[k] for row in rows]) for k in range(3, 7))
    pixels = Pixels(*(np.array([row[k] for row in rows], np.int64) for k in (0, 1, 2, 7, 8)))
    some = np.flatnonzero(label) if is_masks else np.arange(len(label))
    cells = Cells(*(column[some] for column in (of_image, of_a, of_b, label, inter, area_a, area_b)))
    told = {**({1: "mask"} if is_masks else {}), **(names or {})}
    return PixelAgreementResult(policy, images, people, cells, pixels, told, maps, is_masks)


def _array_of(value: Any) -> Array:
    """The labels of a picture (H, W) or a volume (D, H, W)."""
    return value.array if isinstance(value, LabelMap) else as_array(value)


def _map_of(array: Array) -> LabelMap:
    """The map with all its labels: which is the background, the policy says. Slices of a volume stand one below the
    other."""
    if array.ndim == 3:
        array = namespace(array).reshape(array, (-1, int(array.shape[2])))
    return LabelMap(array, background=None)


def _counted(
    a: LabelMap, b: LabelMap, policy: AgreementPolicy, threads: int | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int, int]:
    """Labels, shared pixels and pixels of each side; all pixels that count, and those of one label on both."""
    found = a.contingency(b, threads=threads)
    for side, ids in ((a, found.ids_a), (b, found.ids_b)):
        check.fits_int64(dtype_name(side.array), ids)
    keep_a, keep_b = (~np.isin(ids, policy.ignore) for ids in (found.ids_a, found.ids_b))
    counts = np.asarray(to_numpy(found.counts))[np.ix_(keep_a, keep_b)]
    ids_a, ids_b = found.ids_a[keep_a], found.ids_b[keep_b]
    labels = np.union1d(ids_a, ids_b)
    table = np.zeros((len(labels), len(labels)), np.int64)
    table[np.ix_(np.searchsorted(labels, ids_a), np.searchsorted(labels, ids_b))] = counts
    some = (table.sum(axis=0) + table.sum(axis=1)) > 0
    labels, table = labels[some], table[np.ix_(some, some)]
    inter = np.diag(table)
    return labels, inter, table.sum(axis=1), table.sum(axis=0), int(table.sum()), int(inter.sum())


def maps_of(value: Any, /) -> Mapping[Any, Any]:
    """The maps of one annotator by image: one map, a stack or list of them, or a dict; None was not shown."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, LabelMap):
        return {0: value}
    if isinstance(value, (list, tuple)) and any(
        one is None or hasattr(one, "shape") or isinstance(one, LabelMap) for one in value
    ):
        return {place: one for place, one in enumerate(value) if one is not None}
    array = np.asarray(to_numpy(value) if hasattr(value, "dtype") else value)
    return {0: array} if array.ndim == 2 else dict(enumerate(array))
