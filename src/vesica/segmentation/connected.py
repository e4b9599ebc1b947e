"""Connected components: each connected part of a label map becomes a segment of its own."""

from __future__ import annotations

from typing import Any

from vesica._array import Array, to_numpy
from vesica._check import labels as check_labels
from vesica._check import segmentation as check_segmentation
from vesica._check import surfaces as check
from vesica._kernels import pick_arrays


def components(labels: Any, /, *, background: int = 0, diagonal: bool = False) -> tuple[Array, dict[int, int]]:
    """The connected parts of a mask or a label map, as a pair (ids, segments) that `evaluate_panoptic` takes.

    Lesion by lesion, that is: `evaluate_panoptic([components(truth)], [components(guess)], void=False)` tells how many
    parts were found (RQ is the F1 of parts that share more than half of their union), and how well (SQ, PQ).

    Parameters
    ----------
    labels : (H, W) or (D, H, W) integers or bool
    background : int, default 0
        The label that is of no component.
    diagonal : bool, default False
        Do corners connect? 8 neighbours instead of 4 in a picture, 26 instead of 6 in a volume.

    Returns
    -------
    ids : int64 of the same shape: numbers from 1 on, in the order of first pixels; 0 for the background
    segments : dict of each number → its label

    Examples
    --------
    >>> import vesica
    >>> ids, segments = vesica.segmentation.components([[1, 0, 2], [1, 0, 0], [0, 1, 1]])
    >>> ids
    array([[1, 0, 2],
           [1, 0, 0],
           [0, 3, 3]])
    >>> segments
    {1: 1, 2: 2, 3: 1}
    >>> vesica.segmentation.components([[1, 0, 2], [1, 0, 0], [0, 1, 1]], diagonal=True)[1]
    {1: 1, 2: 2}
    """
    array = check.surface_map(labels, "labels")
    own = check_labels.label(background, "background")
    kernel = pick_arrays("components", "labels", array)
    ids, found = kernel.call(array, background=own, diagonal=check_segmentation.flag(diagonal, "diagonal"))
    return ids, dict(enumerate(to_numpy(found).tolist(), start=1))
