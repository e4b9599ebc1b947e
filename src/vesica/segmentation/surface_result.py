"""Surface scores of many images: means over images and classes, with what was empty counted beside."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from vesica._array import Array, cast, namespace
from vesica._check import surfaces as check
from vesica.results.gates import Gate, Scores, Verdict, judge, parse
from vesica.results.result import Note, Result
from vesica.results.tables import Row, rows_of
from vesica.segmentation.surfaces import SurfaceDistances, compare

_STATUSES = {
    "both_empty": "cells that neither side has (left out)",
    "one_empty": "cells that one side alone has (worst)",
}


@dataclass(frozen=True, eq=False, repr=False)
class SurfaceResult(Result):
    """What `evaluate_surfaces` answers: a mapping of its numbers, means over classes of means over images.

    Attributes
    ----------
    categories : names of the classes, or their labels
    images : ids of the images
    cells : for each image, the distances of each class
    tau : tolerances of NSD
    percentile_of : "directed" or "pooled"
    unit : of the distances
    """

    categories: tuple[Any, ...]
    images: tuple[Any, ...]
    cells: tuple[tuple[SurfaceDistances, ...], ...]
    tau: tuple[float, ...] = ()
    percentile_of: str = "directed"
    unit: str = "pixels"

    @functools.cached_property
    def _table(self) -> dict[str, np.ndarray]:
        """(I, K) of each score; NaN where neither side has the class."""
        shape = len(self.images), len(self.categories)
        return {
            name: np.array([[score(one) for one in row] for row in self.cells], float).reshape(shape)
            for name, score in self._scores.items()
        }

    @property
    def _scores(self) -> dict[str, Callable[[SurfaceDistances], float]]:
        way: Any = self.percentile_of
        scores: dict[str, Callable[[SurfaceDistances], float]] = {
            "HD": lambda one: one.hd(),
            "HD95": lambda one: one.hd(95, percentile_of=way),
            "ASSD": lambda one: one.assd,
            "MASD": lambda one: one.masd,
        }
        return scores | {f"NSD({tau:g})": functools.partial(_nsd, tau=tau) for tau in self.tau}

    @functools.cached_property
    def summary(self) -> Mapping[str, float]:
        """The numbers; NaN for one that is not defined."""
        return {name: _mean(np.array([_mean(column) for column in table.T])) for name, table in self._table.items()}

    def per_class(self) -> list[Row]:
        """A row for each class: means over the images that have it."""
        found = {name: [_mean(column) for column in table.T] for name, table in self._table.items()}
        return rows_of({"category": self.categories, **found, **self._empties})

    def per_image(self) -> list[Row]:
        """A row for each image: means over the classes that it has."""
        return rows_of({"image": self.images, **{name: [_mean(row) for row in t] for name, t in self._table.items()}})

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

    @property
    def _empties(self) -> dict[str, list[int]]:
        return {
            name: [sum(row[k].status == name for row in self.cells) for k in range(len(self.categories))]
            for name in _STATUSES
        }

    def gates(self, *texts: str) -> list[Verdict]:
        """What each gate says, `HD95<=5` of the whole or `ASSD[liver]<=1` of a class."""
        gates: list[Gate] = [parse(text) for text in texts]
        rows = {str(row["category"]): {name: row[name] for name in self._scores} for row in self.per_class()}
        return judge(gates, Scores(self.numbers, rows, lambda name: "neither side has anything to measure"))

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was empty, with its count."""
        found = {name: sum(counts) for name, counts in self._empties.items()}
        return tuple(Note(name, found[name], text) for name, text in _STATUSES.items() if found[name])

    @property
    def headline(self) -> str:
        """How much there is, in which unit, and which percentile."""
        return (
            f"surfaces: {len(self.images):,} images, {len(self.categories)} classes; in {self.unit}, "
            f"{self.percentile_of} percentiles"
        )

    def to_dict(self) -> dict[str, Any]:
        """The summary and the classes as plain values."""
        return {
            "images": len(self.images),
            "summary": self.numbers,
            "classes": self.per_class(),
            "notes": [asdict(note) for note in self.notes],
            "unit": self.unit,
            "percentile_of": self.percentile_of,
        }


def score_surfaces(
    pairs: Iterable[tuple[Any, Array, Array, Any]],
    labels: Mapping[int, Any],
    /,
    *,
    ignore: tuple[int, ...] = (),
    tau: Any = (),
    percentile_of: str = "directed",
    threads: int | None = None,
) -> SurfaceResult:
    """The result of images: of each its id, its two label maps, and the spacing of its pixels or None."""
    check.percentile_of(percentile_of)
    tolerances = tuple(check.tau(one) for one in (tau if np.ndim(tau) else (tau,)))
    wanted = check.labels(list(labels))
    images, cells, units = [], [], set()
    for image, truth, guess, steps in pairs:
        a, b = check.surface_map(truth, "truth"), check.surface_map(guess, "guess")
        check.same_shape(a, b)
        b = _without(a, b, ignore)
        units.add("pixels" if steps is None else "the unit of the spacing")
        cells.append(tuple(compare(a, b, wanted, spacing=check.spacing(steps, a.ndim), threads=threads)))
        images.append(image)
    unit = " and ".join(sorted(units)) or "pixels"
    names = tuple(labels[one] for one in wanted.tolist())
    return SurfaceResult(names, tuple(images), tuple(cells), tolerances, percentile_of, unit)


def _without(truth: Array, guess: Array, ignore: tuple[int, ...]) -> Array:
    """The guess, with the label of the truth where that is ignored: such pixels are of no class on either side."""
    if not ignore:
        return guess
    xp, truth, guess = namespace(truth, guess), cast(truth, "int64"), cast(guess, "int64")
    for label in ignore:
        guess = xp.where(truth == label, truth, guess)
    return guess


def _nsd(of: SurfaceDistances, tau: float) -> float:
    return of.nsd(tau)


def _mean(values: np.ndarray) -> float:
    kept = values[~np.isnan(values)].tolist()
    return math.fsum(kept) / len(kept) if kept else math.nan
