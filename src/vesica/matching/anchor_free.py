"""Anchor-free heads: one table of boxes and chances of classes for each image, from there to final boxes."""

from __future__ import annotations

from typing import Any

from vesica import _check as check
from vesica._array import Array, cast, device, dtype_name, has_visible_values, namespace, to_numpy, widened
from vesica._check import Form, Share, names
from vesica._check import grid as check_grid
from vesica.matching.detections import Candidates, Detections, picked
from vesica.overlaps.measures import Measure, Similarity, iou
from vesica.regions import Boxes


@names.explained("grid.detect", "grid.detect")
def detect(
    output: Any,
    /,
    *,
    classes: int | None = None,
    min_score: float = 0.25,
    above: Share = 0.45,
    measure: Measure | Similarity = iou,
    per_class: bool = True,
    multi_label: bool = False,
    candidates: int | None = None,
    limit: int | None = None,
    form: Form = "cxcywh",
    threads: int | None = None,
) -> Detections:
    """Go from the output of an anchor-free network (YOLOv8 and later) to final boxes: scores, classes, NMS.

    Parameters
    ----------
    output : (B, 4 + C, N) array
        For each of N boxes an image: centre, width, height, then the chances of C classes, from 0 to 1.
    classes : int, optional
        C, where rows follow that are no classes, such as the weights of masks. By default all rows after the fourth.
    min_score : float, default 0.25
        Boxes whose likeliest class has a lower chance take no part.
    above : float or Fraction, default 0.45
        A box goes when its measure with a better one is above this.
    measure : measure or its name, default iou
    per_class : bool, default True
        Only boxes of one class suppress each other.
    multi_label : bool, default False
        A box counts for every class whose chance reaches `min_score`, not for the likeliest alone.
    candidates : int, optional
        Let at most so many boxes an image enter NMS, by score.
    limit : int, optional
        Keep at most so many boxes an image.
    form : default "cxcywh"
        What the first four rows mean: any form of `Boxes`.
    threads : int, optional
        At most this many; by default VESICA_NUM_THREADS, or all processors.

    Returns
    -------
    Detections
        `boxes` (K, 4) as x1, y1, x2, y2, `scores`, `labels`, `index`, `offsets` (B + 1,): image by image, the best
        first. `output[image, :, index]` is what the network said.

    Examples
    --------
    Three boxes and two classes; the second box is the first once more, but less sure:

    >>> import numpy as np
    >>> boxes = [[10, 11, 40], [10, 10, 40], [8, 8, 20], [8, 8, 10]]  # centres, sides
    >>> chances = [[0.9, 0.6, 0.1], [0.2, 0.3, 0.7]]
    >>> found = detect(np.array([boxes + chances]))
    >>> found.boxes, found.scores, found.labels
    (array([[ 6.,  6., 14., 14.],
           [30., 35., 50., 45.]]), array([0.9, 0.7]), array([0, 1]))
    >>> detect(np.array([boxes + chances]), multi_label=True).labels
    array([0, 1, 1])
    """
    head, width = check_grid.table_of_classes(output, classes)
    bar = check.finite(min_score, "min_score")
    most = None if candidates is None else check.positive(candidates, "candidates")

    head = cast(head, widened(dtype_name(head)))
    xp = namespace(head)
    image, box, label, score = _reaching(xp.permute_dims(head[:, 4 : 4 + width, :], (0, 2, 1)), bar, multi_label)
    boxes = Boxes(picked(xp.permute_dims(head[:, :4, :], (0, 2, 1)), image, box), form, check=False)
    if has_visible_values(boxes.array):
        check_grid.sound_boxes(*map(to_numpy, (boxes.xyxy, image, box)))
    found = Candidates(boxes, score, label, image, box)

    chosen = found if most is None else found.best(most)
    options = {"above": above, "measure": measure, "limit": limit, "threads": threads}
    return chosen.kept(int(head.shape[0]), per_class=per_class, **options)


def _reaching(chances: Array, bar: float, multi_label: bool) -> tuple[Array, Array, Array, Array]:
    """Image, box, class and score of what reaches the bar, of chances (B, N, C)."""
    xp = namespace(chances)
    best = xp.max(chances, axis=-1)
    if has_visible_values(best):
        check_grid.chances(to_numpy(best))
    least = xp.asarray(bar, dtype=chances.dtype, device=device(chances))  # 0.3 of float32 reaches 0.3
    if multi_label:
        image, box, label = xp.nonzero(chances >= least)
        each = xp.reshape(chances, (chances.shape[0], -1))  # (B, N · C)
        return image, box, cast(label, "int64"), picked(each, image, box * chances.shape[-1] + label)
    image, box = xp.nonzero(best >= least)
    likeliest = cast(xp.argmax(chances, axis=-1), "int64")
    return image, box, picked(likeliest, image, box), picked(best, image, box)
