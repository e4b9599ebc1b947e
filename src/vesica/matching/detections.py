"""What is left of all the boxes that a network says: those that NMS keeps, image by image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica._array import Array, from_numpy, namespace, to_numpy
from vesica.regions import Boxes
from vesica.selection.nms_batched import nms_ragged


@dataclass(frozen=True, eq=False)
class Detections:
    """What is left of all boxes: K of them, image by image, the best of each image first.

    Attributes
    ----------
    boxes : (K, 4) floats, x1, y1, x2, y2 in pixels
    scores : (K,) floats
    labels : (K,) int64
    index : (K,) int64, which of the boxes of its image each one is
    offsets : (B + 1,) int64, image k has rows offsets[k] up to offsets[k + 1]
    """

    boxes: Array
    scores: Array
    labels: Array
    index: Array
    offsets: Array

    def __len__(self) -> int:
        return int(self.boxes.shape[0])


@dataclass(frozen=True, eq=False)
class Candidates:
    """Boxes that may stay, image by image: `image` and `index` say which box of the batch each one is."""

    boxes: Boxes
    scores: Array
    labels: Array
    image: Array
    index: Array

    def best(self, limit: int) -> Candidates:
        """At most so many an image, by score; the first among equals."""
        image, scores = to_numpy(self.image), to_numpy(self.scores)
        order = np.lexsort((-scores, image))
        place = np.arange(len(order)) - np.searchsorted(image, image)[order]
        rows = from_numpy(np.sort(order[place < limit]), self.image)
        boxes = namespace(self.scores).take(self.boxes.array, rows, axis=0)
        return Candidates(Boxes(boxes, self.boxes.form, check=False), *self.taken(rows))

    def taken(self, rows: Array) -> list[Array]:
        xp = namespace(self.scores)
        return [xp.take(column, rows, axis=0) for column in (self.scores, self.labels, self.image, self.index)]

    def kept(self, images: int, *, per_class: bool, **options: Any) -> Detections:
        """Those that NMS keeps."""
        starts = np.searchsorted(to_numpy(self.image), np.arange(images + 1))
        keys = self.labels if per_class else None
        rows, offsets = nms_ragged(self.boxes, self.scores, starts, keys=keys, **options)
        scores, labels, _, index = self.taken(rows)
        corners = namespace(self.scores).take(self.boxes.xyxy, rows, axis=0)
        return Detections(corners, scores, labels, index, offsets)


def picked(column: Array, image: Array, box: Array) -> Array:
    """Some boxes of a batch, as one table."""
    xp = namespace(column)
    flat = xp.reshape(column, (-1, *column.shape[2:]))
    return xp.take(flat, image * column.shape[1] + box, axis=0)
