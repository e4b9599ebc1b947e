"""Boxes on grids: what a network that looks at an image cell by cell says, and what it should have said."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._array import Array, cast, device, namespace, to_numpy
from vesica._check import Share, names
from vesica._check import anchors as check_anchors
from vesica._check import grid as check_grid
from vesica._kernels import pick_arrays
from vesica.matching.anchor_free import detect
from vesica.matching.anchors import shape_iou
from vesica.matching.detections import Candidates, Detections, picked
from vesica.matching.grid_targets import Slots, slots_of
from vesica.matching.kmeans import Anchors
from vesica.overlaps.measures import Measure, iou
from vesica.regions import Boxes, as_region

__all__ = ["Decoded", "Detections", "Grid", "Slots", "detect"]


@dataclass(frozen=True, eq=False)
class Decoded:
    """All boxes that a network predicts, P an image: scale by scale, anchor by anchor, row by row.

    Attributes
    ----------
    boxes : (B, P, 4) floats, x1, y1, x2, y2 in pixels
    objectness : (B, P) floats, how sure the network is that there is an object
    classes : (B, P, C) floats, how sure it is of each class
    """

    boxes: Array
    objectness: Array
    classes: Array

    @property
    def scores(self) -> Array:
        """(B, P): objectness times the likeliest class; objectness alone where there are no classes."""
        if not self.classes.shape[-1]:
            return self.objectness
        return self.objectness * namespace(self.classes).max(self.classes, axis=-1)

    @property
    def labels(self) -> Array:
        """(B, P) int64: the likeliest class, the lower of two; 0 where there are no classes."""
        xp = namespace(self.classes)
        if not self.classes.shape[-1]:
            return xp.zeros(self.objectness.shape, dtype=xp.int64, device=device(self.objectness))
        return cast(xp.argmax(self.classes, axis=-1), "int64")


@names.explained_class("grid.Grid", "grid.Grid")
@dataclass(frozen=True)
class Grid:
    """An image cut into cells, coarsely and finely, with some anchors in each cell.

    Parameters
    ----------
    size : (width, height)
        Of the image in pixels: a multiple of every stride.
    strides : integers, default (32, 16, 8)
        The side of a cell in pixels, one for each scale.
    anchors : lists of (width, height), one list for each stride; or Anchors
        In pixels. `Anchors`, as `anchors.cluster` makes them, are dealt out evenly, the largest to the largest stride.

    Examples
    --------
    >>> sizes = [[(116, 90), (156, 198), (373, 326)], [(30, 61), (62, 45), (59, 119)], [(10, 13), (16, 30), (33, 23)]]
    >>> grid = Grid((416, 416), anchors=sizes)
    >>> grid.cells, grid.count
    (((13, 13), (26, 26), (52, 52)), 10647)

    >>> Grid((400, 416), anchors=sizes)
    Traceback (most recent call last):
    ...
    ValueError: `size` must be a multiple of every stride; got width 400 and stride 32. The next width that is one: 416.
    """

    size: tuple[int, int]
    strides: tuple[int, ...] = (32, 16, 8)
    anchors: Any = field(kw_only=True)

    def __post_init__(self) -> None:
        strides = check_grid.grid_strides(self.strides)
        anchors = _dealt(self.anchors, strides) if isinstance(self.anchors, Anchors) else self.anchors
        object.__setattr__(self, "size", check_grid.whole_cells(self.size, strides))
        object.__setattr__(self, "strides", strides)
        object.__setattr__(self, "anchors", check_grid.anchors_of_scales(anchors, len(strides)))

    @property
    def cells(self) -> tuple[tuple[int, int], ...]:
        """Rows and columns of each scale."""
        width, height = self.size
        return tuple((height // stride, width // stride) for stride in self.strides)

    @property
    def shapes(self) -> tuple[tuple[int, int, int], ...]:
        """Anchors, rows and columns of each scale: the middle axes of what a network puts out."""
        return tuple((len(sizes), *cells) for sizes, cells in zip(self.anchors, self.cells, strict=True))

    @property
    def count(self) -> int:
        """How many boxes are predicted for each image."""
        return sum(anchors * rows * columns for anchors, rows, columns in self.shapes)

    def decode(self, outputs: Any, /, *, activation: str | None = None) -> Decoded:
        """Turn what a network puts out into boxes in pixels. Gradients flow through.

        A cell in column i and row j with offsets (ox, oy) and sizes (fw, fh) says: the centre is (i + ox, j + oy)
        strides from the corner of the image, the sides are fw and fh times those of the anchor.

        Parameters
        ----------
        outputs : list of (B, anchors, rows, columns, 4 + 1 + C) arrays, one for each stride
            Offsets, sizes, objectness, classes. With one stride the array alone will do.
        activation : {"fraction", "v3", "v5"}
            "fraction": offsets, sizes and chances as they are. "v3": offsets sigmoid(x), sizes exp(w). "v5": offsets
            2·sigmoid(x) − ½, sizes (2·sigmoid(w))². Chances are sigmoid(x) in both.

        Returns
        -------
        Decoded
            `boxes` (B, P, 4), `objectness` (B, P), `classes` (B, P, C), `scores`, `labels`. Half precision is widened.

        Examples
        --------
        >>> import numpy as np
        >>> grid = Grid((64, 64), strides=(32,), anchors=[[(40, 20)]])
        >>> output = np.zeros((1, 1, 2, 2, 6))
        >>> output[0, 0, 1, 0] = [0.5, 0.25, 1, 2, 0.9, 0.8]  # row 1, column 0
        >>> found = grid.decode([output], activation="fraction")
        >>> found.boxes[0, 2], round(found.scores[0, 2].item(), 2)
        (array([-4., 20., 36., 60.]), 0.72)
        """
        heads = check_grid.one_for_each_scale(outputs, len(self.strides))
        for scale, array in enumerate(heads):
            check_grid.head(array, scale, self.shapes[scale], heads[0])
        way = check.stated(activation, check_grid.ACTIVATIONS, "activation", check_grid.NO_DEFAULT)

        scales = zip(heads, self.strides, self.anchors, strict=True)
        decode = pick_arrays("decode", "grid", *heads).call
        rows = [decode(array, stride, anchors, way) for array, stride, anchors in scales]

        xp = namespace(rows[0])
        table = xp.concat(rows, axis=1)
        return Decoded(table[..., :4], table[..., 4], table[..., 5:])

    def encode(self, truths: Any, /, *, offsets: Any = None) -> Slots:
        """Find the slot of each object: the anchor most like it, at the cell that holds its centre.

        Of all anchors of all scales the one with the largest shape IoU counts (tie: the lower scale, the lower anchor).
        A centre on the far edge of the image belongs to the last cell, with offset 1. `decode` leads back.

        Parameters
        ----------
        truths : (M, 4) boxes in pixels
            Of one image; or with `offsets` of B images, one after the other. Their centres lie in the image.
        offsets : (B + 1,) integers, optional
            The truths of image k are rows offsets[k] up to offsets[k + 1].

        Returns
        -------
        Slots
            `image`, `scale`, `anchor`, `row`, `column`, `offsets`, `sizes`, `index`, `collisions`; `targets()` makes
            the outputs that a perfect network would have.

        Examples
        --------
        >>> sizes = [[(116, 90), (156, 198)], [(30, 61), (62, 45)]]
        >>> grid = Grid((416, 416), strides=(32, 16), anchors=sizes)
        >>> slots = grid.encode(Boxes([[208, 104, 100, 60]], "cxcywh"))
        >>> slots.scale, slots.anchor, slots.row, slots.column
        (array([0]), array([0]), array([3]), array([6]))
        >>> slots.offsets, slots.sizes.round(4)
        (array([[0.5 , 0.25]]), array([[0.8621, 0.6667]]))
        """
        boxes = as_region(truths, "truths")
        if not isinstance(boxes, Boxes):
            raise check_anchors.upright(type(boxes).__name__, "truths")
        check.one_table(boxes.shape, "truths", "an encoding")
        starts = [0, len(boxes)] if offsets is None else offsets
        images = check.image_offsets(starts, len(boxes), "truths")
        objects = to_numpy(boxes.to("cxcywh")).astype(np.float64)
        check_grid.inside(objects, self.size)

        likeness = shape_iou(objects[:, 2:], np.array([size for sizes in self.anchors for size in sizes]))
        return slots_of(self, objects, likeness, images, boxes)

    def detect(
        self,
        outputs: Any,
        /,
        *,
        activation: str | None = None,
        objectness: float = 0.5,
        above: Share = 0.45,
        measure: Measure | str = iou,
        per_class: bool = True,
        min_score: float | None = None,
        limit: int | None = None,
        threads: int | None = None,
    ) -> Detections:
        """Go from the raw outputs of a network to final boxes: decode, objectness, NMS.

        Parameters
        ----------
        outputs, activation
            As for `decode`.
        objectness : float, default 0.5
            Boxes take part whose objectness is above this.
        above : float or Fraction, default 0.45
            A box goes when its measure with a better one is above this.
        measure : measure or its name, default iou
        per_class : bool, default True
            Only boxes of one class suppress each other.
        min_score : float, optional
            Boxes with a lower score (objectness times class) take no part.
        limit : int, optional
            Keep at most so many boxes an image.
        threads : int, optional
            At most this many; by default VESICA_NUM_THREADS, or all processors.

        Returns
        -------
        Detections
            `boxes` (K, 4), `scores`, `labels`, `index`, `offsets` (B + 1,): image by image, the best first.
        """
        found = self.decode(outputs, activation=activation)
        bar = check.finite(objectness, "objectness")

        image, box = _above(found.objectness, bar)
        boxes, scores, labels = (picked(column, image, box) for column in (found.boxes, found.scores, found.labels))
        chosen = Candidates(Boxes(boxes), scores, labels, image, box)
        options = {"above": above, "measure": measure, "min_score": min_score, "limit": limit, "threads": threads}
        return chosen.kept(int(found.objectness.shape[0]), per_class=per_class, **options)


def _dealt(anchors: Anchors, strides: tuple[int, ...]) -> list[np.ndarray]:
    """Anchors by rising area, the largest of them to the largest stride."""
    sizes = to_numpy(anchors.sizes)
    share = check_grid.shared_evenly(len(sizes), len(strides))
    place = np.argsort(np.argsort(strides, kind="stable"), kind="stable")
    return [sizes[k * share : (k + 1) * share] for k in place.tolist()]


def _above(objectness: Array, bar: float) -> tuple[Array, Array]:
    """Image and box of those above the bar, which is rounded as they are: 0.3 is not above 0.3."""
    xp = namespace(objectness)
    image, box = xp.nonzero(objectness > xp.asarray(bar, dtype=objectness.dtype, device=device(objectness)))
    return image, box
