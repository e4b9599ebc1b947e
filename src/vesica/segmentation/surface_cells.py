"""Cells of outlines: what is measured of one image and one class; and the results of many images."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from vesica._array import Array, cast, namespace
from vesica._check import surfaces as check
from vesica._kernels import pick_arrays
from vesica.segmentation.bands import BoundaryBands, compare_bands
from vesica.segmentation.inputs import ClassMasks
from vesica.segmentation.skeletons import Centrelines, compare_centrelines
from vesica.segmentation.surfaces import SurfaceDistances, compare, diagonal_of


class Pair(NamedTuple):
    """An image of both sides."""

    image: Any
    """Its id."""
    sides: tuple[Array, Array] | ClassMasks
    """Two label maps, or the masks of each class."""
    spacing: Any = None
    group: Any = None


class SurfaceCell(NamedTuple):
    """One image and one class: its distances, and what else was asked for."""

    distances: SurfaceDistances
    bands: BoundaryBands | None = None
    lines: Centrelines | None = None

    @property
    def status(self) -> str:
        """`ok`, `both_empty` or `one_empty`."""
        return self.distances.status


class Wanted(NamedTuple):
    """What is compared beside distances: the widths of bands, and whether centrelines are."""

    widths: tuple[int | str, ...] = ()
    lines: bool = False


class Measured(NamedTuple):
    """One image: the cells of the labels that were looked for, or of those that it has."""

    image: Any
    cells: dict[int, SurfaceCell]
    nothing: SurfaceCell
    """The cell of a label that neither side has."""
    has_unit: bool
    """Was the spacing of the pixels known?"""
    group: Any = None


def measure(
    pairs: Iterable[Pair],
    labels: np.ndarray | None,
    /,
    *,
    ignore: tuple[int, ...],
    wanted: Wanted,
    threads: int | None = None,
) -> Iterator[Measured]:
    """Compare the outlines of each image: of these labels, or of all that it has. Masks of classes are those of the
    labels in their order."""
    for pair in pairs:
        if isinstance(pair.sides, ClassMasks):
            shape = pair.sides.shape
            spacing = check.spacing(pair.spacing, len(shape))
            check.masks_of_labels(len(pair.sides.truth), labels, ignore)
            one = np.ones(1, np.int64)
            found = [_cells(a, b, one, spacing, wanted, threads)[0] for a, b in pair.sides.pairs()]
            own = np.arange(len(found)) if labels is None else labels
        else:
            a, b = (check.surface_map(side, name) for side, name in zip(pair.sides, ("truth", "guess"), strict=True))
            check.same_shape(a, b)
            b = _without(a, b, ignore)
            shape = tuple(map(int, a.shape))
            spacing = check.spacing(pair.spacing, a.ndim)
            own = _labels_of(a, b, threads) if labels is None else labels
            found = _cells(a, b, own, spacing, wanted, threads)
        cells = dict(zip(own.tolist(), found, strict=True))
        yield Measured(pair.image, cells, _nothing(shape, spacing, wanted), pair.spacing is not None, pair.group)


def _cells(
    a: Array, b: Array, labels: np.ndarray, spacing: tuple[float, ...], wanted: Wanted, threads: int | None
) -> list[SurfaceCell]:
    distances = compare(a, b, labels, spacing=spacing, threads=threads)
    missing: list[Any] = [None] * len(distances)
    bands = compare_bands(a, b, labels, threads=threads) if wanted.widths else missing
    lines = compare_centrelines(a, b, labels, threads=threads) if wanted.lines else missing
    return list(map(SurfaceCell, distances, bands, lines))


def _nothing(shape: tuple[int, ...], spacing: tuple[float, ...], wanted: Wanted) -> SurfaceCell:
    none, no_counts = np.empty(0), np.empty(0, np.int64)
    return SurfaceCell(
        SurfaceDistances(0, 0, none, no_counts, none, no_counts, diagonal_of(shape, spacing)),
        BoundaryBands(no_counts, no_counts, no_counts, shape) if wanted.widths else None,
        Centrelines(0, 0, 0, 0) if wanted.lines else None,
    )


def _labels_of(a: Array, b: Array, threads: int | None) -> np.ndarray:
    """All labels that either map has."""
    shape = (1, -1)
    ours, theirs, _ = pick_arrays("count", "labels", a, b).call(
        namespace(a).reshape(a, shape), namespace(b).reshape(b, shape), threads=threads
    )
    return np.unique(np.concatenate([ours, theirs]))


def _without(truth: Array, guess: Array, ignore: tuple[int, ...]) -> Array:
    """The guess, with the label of the truth where that is ignored: such pixels are of no class on either side."""
    if not ignore:
        return guess
    xp, truth, guess = namespace(truth, guess), cast(truth, "int64"), cast(guess, "int64")
    for label in ignore:
        guess = xp.where(truth == label, truth, guess)
    return guess


def table_of_cells(found: list[Measured], labels: Mapping[int, Any], /) -> tuple[tuple[SurfaceCell, ...], ...]:
    """A row for each image, a cell for each label, also where the image does not have it."""
    return tuple(tuple(one.cells.get(label, one.nothing) for label in labels) for one in found)
