"""Slots: where on a grid each object is to be predicted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vesica._array import Array, cast, from_numpy, to_numpy, widened
from vesica._check import grid as check_grid
from vesica.regions import Boxes

if TYPE_CHECKING:
    from vesica.matching.grid import Grid


@dataclass(frozen=True, eq=False)
class Slots:
    """The slot of each of M objects.

    Attributes
    ----------
    image, scale, anchor, row, column : (M,) int64
    offsets : (M, 2) floats, of the centre inside its cell, in cells
    sizes : (M, 2) floats, width and height in units of the anchor's
    value : (M,) floats, the shape IoU with the anchor
    index : (M,) int64, the slot among all boxes of its image, as `decode` orders them
    collisions : (P, 2) int64, objects that share a slot: the first on it, and a later one
    shapes : anchors, rows and columns of each scale
    images : how many images there are
    """

    image: Array
    scale: Array
    anchor: Array
    row: Array
    column: Array
    offsets: Array
    sizes: Array
    value: Array
    index: Array
    collisions: Array
    shapes: tuple[tuple[int, int, int], ...]
    images: int

    def __len__(self) -> int:
        return int(self.image.shape[0])

    def targets(self, *, labels: Any = None, classes: int = 0) -> list[Array]:
        """Make the outputs, as fractions, of a perfect network: objectness 1 in the slots, 0 elsewhere.

        Of objects that share a slot the first counts.

        Parameters
        ----------
        labels : (M,) integers, optional
            The class of each object; together with
        classes : int, default 0
            how many classes there are.

        Returns
        -------
        list of (B, anchors, rows, columns, 5 + classes) arrays, one for each scale

        Examples
        --------
        >>> from vesica import grid
        >>> slots = grid.Grid((64, 64), strides=(32,), anchors=[[(40, 20)]]).encode([[-4, 20, 36, 60]])
        >>> (target,) = slots.targets(labels=[1], classes=2)
        >>> target.shape, target[0, 0, 1, 0]
        ((1, 1, 2, 2, 7), array([0.5 , 0.25, 1.  , 2.  , 1.  , 0.  , 1.  ]))
        """
        check_grid.labels_and_classes(labels, classes)
        known = None if labels is None else check_grid.object_labels(labels, len(self), classes)
        image, scale, anchor, row, column = (
            to_numpy(place)[::-1] for place in (self.image, self.scale, self.anchor, self.row, self.column)
        )

        # The last object is written first, so that the first is what stays.
        values = self._values(known, classes)[::-1]
        tables = [np.zeros((self.images, *shape, 5 + classes), values.dtype) for shape in self.shapes]
        for number, table in enumerate(tables):
            here = scale == number
            table[image[here], anchor[here], row[here], column[here]] = values[here]

        return [from_numpy(table, self.offsets) for table in tables]

    def _values(self, labels: np.ndarray | None, classes: int) -> np.ndarray:
        """What stands in the slot of each object."""
        location = [to_numpy(self.offsets), to_numpy(self.sizes)]
        likely = np.zeros((len(self), classes), location[0].dtype)
        if labels is not None:
            likely[np.arange(len(self)), labels] = 1
        return np.concatenate([*location, np.ones((len(self), 1), location[0].dtype), likely], axis=1)


def slots_of(grid: Grid, objects: np.ndarray, likeness: np.ndarray, starts: np.ndarray, like: Boxes) -> Slots:
    """The slots of objects cx, cy, w, h in pixels, whose likeness to each anchor is known.

    `starts` tells where the objects of each image begin; `like` has the library and the dtype of the answer.
    """
    number = np.argmax(likeness, axis=1)  # the first of equals: the lower scale, the lower anchor
    sides = np.array([size for sizes in grid.anchors for size in sizes])[number]
    first = np.cumsum([0, *(len(sizes) for sizes in grid.anchors)])
    scale = np.searchsorted(first, number, side="right") - 1
    anchor = number - first[scale]

    counts = np.array(grid.shapes)[scale]
    centres = objects[:, :2] / np.array(grid.strides)[scale][:, None]
    cells = np.minimum(np.floor(centres), counts[:, :0:-1] - 1)  # the far edge belongs to the last cell
    column, row = cells.T.astype(np.int64)

    image = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    before = np.cumsum([0, *(anchors * rows * columns for anchors, rows, columns in grid.shapes)])
    index = before[scale] + (anchor * counts[:, 1] + row) * counts[:, 2] + column
    shared = _collisions(image * grid.count + index)

    dtype = widened(like.dtype)

    def whole(values: np.ndarray) -> Array:
        return from_numpy(np.ascontiguousarray(values, np.int64), like.array)

    def real(values: np.ndarray) -> Array:
        return cast(from_numpy(np.ascontiguousarray(values), like.array), dtype)

    return Slots(
        image=whole(image),
        scale=whole(scale),
        anchor=whole(anchor),
        row=whole(row),
        column=whole(column),
        offsets=real(centres - cells),
        sizes=real(objects[:, 2:] / sides),
        value=real(likeness.max(axis=1)),
        index=whole(index),
        collisions=whole(shared),
        shapes=grid.shapes,
        images=len(starts) - 1,
    )


def _collisions(slots: np.ndarray) -> np.ndarray:
    """Pairs of objects in one slot: the first on it, and each later one, in their order."""
    _, first, number = np.unique(slots, return_index=True, return_inverse=True)
    owner = first[number]
    later = np.flatnonzero(owner != np.arange(len(slots)))
    return np.stack([owner[later], later], axis=1).astype(np.int64)
