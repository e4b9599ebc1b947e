"""Scores of outlines of many images: means over images and classes, with what was empty counted beside."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from vesica._check import segmentation as check_segmentation
from vesica._check import surfaces as check
from vesica.dataset.ids import table_of
from vesica.results.gates import Scores
from vesica.results.identity import identity_of, image_set
from vesica.results.resampling import IntervalOptions, Resampling
from vesica.results.result import Note, Result
from vesica.results.tables import Row, plain, rows_of
from vesica.segmentation.counts import column_of_ids
from vesica.segmentation.policy import SegmentationPolicy
from vesica.segmentation.surface_cells import Measured, SurfaceCell, Wanted, table_of_cells

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from vesica.results.intervals import IntervalTable
    from vesica.statistics.intervals import Interval

_STATUSES = {
    "both_empty": "cells that neither side has (left out)",
    "one_empty": "cells that one side alone has ({})",
}
_WORST = {"diagonal": "worst: the diagonal of the image", "inf": "worst: infinite", "skip": "left out of distances"}


_DISTANCES = ("HD", "HD95", "ASSD", "MASD", "ASD")
"""Numbers that are no shares."""
_Score = Callable[[SurfaceCell], float]


@dataclass(frozen=True, eq=False, repr=False)
class SurfaceResult(Result):
    """What `evaluate_surfaces` answers: a mapping of its numbers, means over classes of means over images.

    Attributes
    ----------
    categories : names of the classes, or their labels
    images : ids of the images
    cells : for each image the SurfaceCell of each class: everything below comes from these
    policy : SegmentationPolicy: which percentiles, and what stands for a distance where one side is empty
    tau : tolerances of NSD and of boundary F
    widths : of the inner bands of boundary IoU
    has_lines : were centrelines compared?
    groups : what each image belongs to (a patient, a scene), or None
    unit : of the distances
    """

    categories: tuple[Any, ...]
    images: tuple[Any, ...]
    cells: tuple[tuple[SurfaceCell, ...], ...]
    policy: SegmentationPolicy = field(default_factory=SegmentationPolicy)
    tau: tuple[float, ...] = ()
    widths: tuple[int | str, ...] = ()
    has_lines: bool = False
    groups: tuple[Any, ...] | None = None
    unit: str = "pixels"

    @functools.cached_property
    def _table(self) -> dict[str, np.ndarray]:
        """(I, K) of each score; NaN where neither side has the class."""
        shape = len(self.images), len(self.categories)
        cells = [[self._placed(one) for one in row] for row in self.cells]
        return {
            name: np.array([[score(one) for one in row] for row in cells], float).reshape(shape)
            for name, score in self._scores.items()
        }

    def _placed(self, cell: SurfaceCell) -> SurfaceCell:
        """The cell with the policy's value for a distance where one side is empty."""
        if self.policy.distance_worst == "diagonal" or cell.status != "one_empty":
            return cell
        worst = math.inf if self.policy.distance_worst == "inf" else math.nan
        return cell._replace(distances=replace(cell.distances, worst=worst))

    @property
    def _scores(self) -> dict[str, _Score]:
        way: Any = self.policy.percentile_of
        scores: dict[str, _Score] = {
            "HD": lambda one: one.distances.hd(),
            "HD95": lambda one: one.distances.hd(95, percentile_of=way),
            "ASSD": lambda one: one.distances.assd,
            "MASD": lambda one: one.distances.masd,
            "ASD": lambda one: one.distances.asd,
        }
        scores |= {f"NSD({tau:g})": functools.partial(_nsd, tau=tau) for tau in self.tau}
        scores |= {f"boundary_F({tau:g})": functools.partial(_boundary_f, tau=tau) for tau in self.tau}
        scores |= {f"boundary_IoU({one})": functools.partial(_boundary_iou, width=one) for one in self.widths}
        return scores | ({"clDice": _cldice} if self.has_lines else {})

    @functools.cached_property
    def summary(self) -> Mapping[str, float]:
        """The numbers; NaN for one that is not defined."""
        return {name: _mean(np.array([_mean(column) for column in table.T])) for name, table in self._table.items()}

    def _shares(self) -> tuple[str, list[tuple[Any, float | None]]]:
        return "", [(name, value) for name, value in self.numbers.items() if name not in _DISTANCES]

    def per_class(self) -> list[Row]:
        """A row for each class: means over the images that have it."""
        found = {name: [_mean(column) for column in table.T] for name, table in self._table.items()}
        return rows_of({"category": self.categories, **found, **self._empties})

    def per_image(self) -> list[Row]:
        """A row for each image: means over the classes that it has."""
        first: dict[str, Any] = {"image": self.images}
        if self.groups is not None:
            first["group"] = self.groups
        return rows_of({**first, **{name: [_mean(row) for row in t] for name, t in self._table.items()}})

    def per_group(self) -> list[Row]:
        """A row for each group of images: means over its classes of means over its images."""
        groups, place = table_of(np.asarray(column_of_ids(check_segmentation.has_groups(self.groups))))
        found = {
            name: [_mean(np.array([_mean(column) for column in table[place == k].T])) for k in range(len(groups))]
            for name, table in self._table.items()
        }
        number = np.bincount(place, minlength=len(groups))
        return rows_of({"group": groups, "images": number, **found})

    def per_cell(self) -> list[Row]:
        """A row for each image and class."""
        cells = [one for row in self.cells for one in row]
        return rows_of(
            {
                "image": [image for image in self.images for _ in self.categories],
                "category": list(self.categories) * len(self.images),
                **{name: table.ravel() for name, table in self._table.items()},
                "status": [one.status for one in cells],
            }
        )

    def under(self, policy: SegmentationPolicy, /) -> SurfaceResult:
        """The same distances under another policy: other percentiles, another worst distance, another tolerance.

        Which pixels are whose, and how large they are, is in the distances already: `ignore` and `spacing` stay.

        >>> import vesica
        >>> truth, guess = [[1, 1, 0, 0, 0, 0]], [[1, 1, 1, 0, 0, 1]]
        >>> result = vesica.evaluate_surfaces(truth, guess, categories=[1])
        >>> pooled = result.under(vesica.SegmentationPolicy(percentile_of="pooled"))
        >>> round(result["HD95"], 6), pooled["HD95"]
        (3.55, 3.25)
        """
        other = check_segmentation.policy(policy, SegmentationPolicy)
        check.same_pixels(self.policy, other)
        tau = self.tau if other.tau is None else (other.tau,)
        return replace(self, policy=other, tau=tau)

    @property
    def _empties(self) -> dict[str, list[int]]:
        return {
            name: [sum(row[k].status == name for row in self.cells) for k in range(len(self.categories))]
            for name in _STATUSES
        }

    def gate_scores(self, resampling: Resampling | None = None, /) -> Scores:
        """What gates can ask for: `HD95<=5` of the whole, `ASSD[liver]<=1` of a class."""
        from vesica.segmentation.surface_resampled import SurfaceReplicates  # late: most results are not judged

        rows = {str(row["category"]): {name: row[name] for name in self._scores} for row in self.per_class()}
        return Scores(
            self.numbers,
            rows,
            lambda name: "neither side has anything to measure",
            identity=identity_of(self.to_dict(), ids=list(self.images)),
            replicates=SurfaceReplicates(self.categories, self.images, self._table, resampling or Resampling()).number,
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
        """Both ends of the interval of a number, or of all of them and of each class: images are drawn again.

        `by` is "image"; "group", where groups were given; a dict of image → group, or one group for each image. The
        other options are those of `DetectionResult.interval`. A number with an infinite distance has no interval.

        >>> import numpy as np, vesica
        >>> rng = np.random.default_rng(0)
        >>> truth = np.zeros((30, 12, 12), int)
        >>> truth[:, 3:9, 3:9] = 1
        >>> guess = np.stack([np.roll(one, shift, axis=1) for one, shift in zip(truth, rng.integers(0, 4, 30))])
        >>> result = vesica.evaluate_surfaces(truth, guess, categories=[1])
        >>> ends = result.interval("HD")
        >>> print(f"{result['HD']:.3f}, {ends.lo:.3f} to {ends.hi:.3f}")
        1.733, 1.333 to 2.107
        """
        from vesica.segmentation.intervals import interval_of  # late: most results are asked for without

        images, groups = (column_of_ids(column) for column in (self.images, self.groups))
        assert images is not None
        how = {"level": level, "by": by, "replicates": replicates, "seed": seed, "method": method}
        return interval_of(self, name, images=images, groups=groups, categories=self.categories, **how)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was empty, with its count."""
        found = {name: sum(counts) for name, counts in self._empties.items()}
        worst = _WORST[self.policy.distance_worst]
        return tuple(Note(name, found[name], text.format(worst)) for name, text in _STATUSES.items() if found[name])

    @property
    def headline(self) -> str:
        """How much there is, in which unit, which percentile, and under which policy."""
        return (
            f"surfaces: {len(self.images):,} images, {len(self.categories)} classes; in {self.unit}, "
            f"{self.policy.percentile_of} percentiles, policy {self.policy.hash}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The summary and the classes as plain values; None also for what is infinite."""
        return {
            "task": "surfaces",
            "images": len(self.images),
            "image_set": image_set(list(self.images)),
            "summary": {name: _finite(value) for name, value in self.numbers.items()},
            "classes": [{name: _finite(value) for name, value in row.items()} for row in self.per_class()],
            "notes": [asdict(note) for note in self.notes],
            "unit": self.unit,
            "percentile_of": self.policy.percentile_of,
            "policy": asdict(self.policy),
            "policy_hash": self.policy.hash,
        }


def surface_result(
    found: Iterable[Measured],
    labels: Mapping[int, Any],
    policy: SegmentationPolicy,
    /,
    *,
    tau: Any,
    wanted: Wanted,
    groups: Any = None,
) -> SurfaceResult:
    """The result of images that were measured; `labels` are the classes and their names, `groups` those of arrays."""
    tolerances = [check.tau(one) for one in (tau if np.ndim(tau) else (tau,))]
    images = list(found)
    told = check_segmentation.of_each(groups, len(images), "groups")
    if told is None and images and images[0].group is not None:
        told = [one.group for one in images]
    units = {"the unit of the spacing" if one.has_unit else "pixels" for one in images}
    return SurfaceResult(
        tuple(labels.values()),
        tuple(one.image for one in images),
        table_of_cells(images, labels),
        policy,
        tuple(tolerances if policy.tau is None else [policy.tau, *tolerances]),
        wanted.widths,
        wanted.lines,
        None if told is None else tuple(told),
        " and ".join(sorted(units)) or "pixels",
    )


def _nsd(of: SurfaceCell, tau: float) -> float:
    return of.distances.nsd(tau)


def _boundary_f(of: SurfaceCell, tau: float) -> float:
    return of.distances.boundary_f(tau)


def _boundary_iou(of: SurfaceCell, width: int | str) -> float:
    assert of.bands is not None
    return of.bands.iou(width)


def _cldice(of: SurfaceCell) -> float:
    assert of.lines is not None
    return of.lines.cldice


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else plain(value)


def _mean(values: np.ndarray) -> float:
    kept = values[~np.isnan(values)].tolist()
    return math.fsum(kept) / len(kept) if kept else math.nan
