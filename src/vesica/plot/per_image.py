"""One number of every image, as a distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica._check import plot as check
from vesica.plot.histogram import histogram
from vesica.plot.theme import THEMES, axes_of, label, named, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vesica.results.tables import Row


def per_image(result: Any, /, *, theme: Literal["light", "dark"] = "light", ax: Axes | None = None) -> Axes:
    """Draw how many images score how well: F1 of detections, mIoU of segmentations, agreement of annotators.

    Images in which there is nothing to score are left out, and counted.

    Parameters
    ----------
    result : of `evaluate`, `evaluate_segmentation` or `evaluate_agreement`
        Or what `result.per_image(iou=…, min_score=…)` of detections answers.
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import vesica
    >>> result = vesica.evaluate_segmentation([[[0, 1]], [[1, 1]]], [[[0, 1]], [[1, 0]]])
    >>> ax = vesica.plot.per_image(result)
    >>> ax.texts[-1].get_text()
    'mean 0.625 of 2 images; the worst is 1 (0.250)'
    """
    name, rows = images_of(result)
    colours = THEMES[check.theme(theme)]

    known = [(row[name], row["image"]) for row in rows if row[name] is not None]
    values = np.array([value for value, _ in known], np.float64)
    ax = axes_of(ax, colours, size=(6.4, 4.2))
    histogram(ax, colours, values, min(0.0, *values) if len(values) else 0.0, 1.0, fact=name)
    shown = {"f1": "F1"}.get(name, name)
    named(ax, colours, f"{shown} of an image", "images")
    titled(ax, colours, f"{shown} by image", _sentence(known, len(rows) - len(known)))
    return ax


def images_of(result: Any, /) -> tuple[str, list[Row]]:
    """The number of images that is drawn, and a row for each of them."""
    found: tuple[str, list[Row]] = check.one_kind(result, _READERS)(result)
    return found


def _sentence(known: list[tuple[float, Any]], without: int) -> str:
    if not known:
        return "no image has a number"
    value, image = min(known, key=lambda one: one[0])
    mean = float(np.mean([one for one, _ in known]))
    more = f"; {without:,} without a number" if without else ""
    return f"mean {mean:.3f} of {len(known):,} images; the worst is {label(image)} ({value:.3f}){more}"


_READERS = {
    "DetectionResult": lambda result: ("f1", list(result.per_image())),
    "SegmentationResult": lambda result: ("mIoU", result.per_image()),
    "AgreementResult": lambda result: ("agreement", list(result.images())),
    "PixelAgreementResult": lambda result: ("mIoU", list(result.by_image())),
    "Table": lambda table: ("f1", list(check.table_of_images(table))),
}
