"""Which detections of a file stay."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from vesica.io.detections import Detections

# Boxes of so many images go in one call: enough to be fast, few enough for a bar that moves.
_IMAGES = 256


def chosen(found: Detections, arguments: argparse.Namespace, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The rows that stay, in the order of the file, and their scores."""
    import numpy as np

    from vesica.cli.progress import track
    from vesica.errors import InputError

    if arguments.per_class and found.classes is None and len(found):
        raise InputError(f"{name} has no classes, which --per-class needs.")
    if np.isnan(found.scores).any():
        raise InputError(f"{name}: the score of row {int(np.argmax(np.isnan(found.scores)))} is NaN.")
    images = np.zeros(len(found), np.int64) if found.images is None else np.unique(found.images, return_inverse=True)[1]
    rows = np.argsort(images, kind="stable")
    starts = np.searchsorted(images[rows], np.arange(images.max(initial=-1) + 2))
    # Masks of images of different size cannot meet, so those go one image at a time.
    step = _IMAGES if found.masks is None else 1
    kept, scores = [np.empty(0, np.int64)], [np.empty(0)]
    try:
        regions = None if found.boxes is None else _boxes(found, arguments)
        for first in track(range(0, len(starts) - 1, step), "images"):
            block = rows[starts[first] : starts[min(first + step, len(starts) - 1)]]
            index, changed = _of_block(found, regions, block, images[block], arguments)
            kept.append(block[index])
            scores.append(changed)
    except (ValueError, TypeError) as error:
        raise InputError(f"{name}: {error}") from error
    everything, values = np.concatenate(kept), np.concatenate(scores)
    order = np.argsort(everything, kind="stable")
    return everything[order], values[order]


def _boxes(found: Detections, arguments: argparse.Namespace) -> Any:
    import numpy as np

    from vesica.cli.region_files import rotation
    from vesica.regions import Boxes, RotatedBoxes

    if arguments.rotated is not None:
        return RotatedBoxes(found.boxes, **rotation(arguments.rotated))
    return Boxes(found.boxes, (arguments.form or "xyxy") if isinstance(found.rows, np.ndarray) else "xywh")


def _of_block(
    found: Detections, regions: Any, rows: np.ndarray, images: np.ndarray, arguments: argparse.Namespace
) -> tuple[np.ndarray, np.ndarray]:
    """Places among the rows, and scores of those that stay."""
    import vesica

    here = regions[rows] if found.masks is None else vesica.RleMasks.from_coco([found.masks[row] for row in rows])
    scores = found.scores[rows]
    classes = found.classes[rows] if arguments.per_class and found.classes is not None else images
    given = {
        "above": arguments.iou,
        "limit": arguments.limit,
        "measure": arguments.measure,
        "min_score": arguments.min_score,
        "sigma": arguments.sigma,
        "threads": arguments.threads,
    }
    settings: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if arguments.soft:
        index, changed = vesica.soft_nms(here, scores, keys=(images, classes), decay=arguments.soft, **settings)
        return index, changed
    kept = vesica.nms(here, scores, keys=(images, classes), **settings)
    return kept, scores[kept]
