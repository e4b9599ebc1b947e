"""Images from the best to the worst."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica._check import plot as check
from vesica.plot.marks import mark
from vesica.plot.per_image import images_of
from vesica.plot.theme import NAME, THEMES, axes_of, label, named, plain_frame, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 400
"""Images at which a long curve is read."""


def ranked(result: Any, /, *, theme: Literal["light", "dark"] = "light", ax: Axes | None = None) -> Axes:
    """Draw the number of every image from the best to the worst, and name the best, the median and the worst.

    F1 of detections, mIoU of segmentations and of label maps of annotators, agreement of annotators.

    Parameters
    ----------
    result : of `evaluate`, `evaluate_segmentation` or `evaluate_agreement`
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import vesica
    >>> truth = [[[0, 1]], [[1, 1]], [[0, 0]]]
    >>> result = vesica.evaluate_segmentation(truth, [[[0, 1]], [[1, 0]], [[0, 1]]], images=["a", "b", "c"])
    >>> ax = vesica.plot.ranked(result)
    >>> [text.get_text() for text in ax.texts[:3]]
    ['best: a 1.000', 'median: b 0.250', 'worst: c 0.250']
    """
    name, rows = images_of(result)
    colours = THEMES[check.theme(theme)]

    known = sorted(((row[name], row["image"]) for row in rows if row[name] is not None), key=lambda one: -one[0])
    values = np.array([value for value, _ in known], np.float64)
    count = len(known)
    ax = axes_of(ax, colours, size=(6.4, 4.2))
    plain_frame(ax, colours)
    places: Any = np.unique(np.linspace(0, max(count - 1, 0), min(count, POINTS)).round().astype(int)) if count else []
    ax.plot(places, values[places] if count else [], color=colours.right, linewidth=2)
    for place, which in dict(zip(_told(count), ("best", "median", "worst"), strict=False)).items():
        value, image = known[place]
        (dot,) = ax.plot(place, value, "o", color=colours.right, markersize=8, markeredgecolor=colours.page, zorder=3)
        mark(ax, dot, image=image)
        is_right, is_last = place > 0.5 * (count - 1), 0 < place == count - 1
        ax.annotate(f"{which}: {label(image, most=24)} {value:.3f}", (place, value), parse_math=False, fontsize=NAME,
                    xytext=(-6 if is_right else 6, -14 if is_last else 8), ha="right" if is_right else "left",
                    textcoords="offset points", color=colours.ink, annotation_clip=False)  # fmt: skip
    ax.set_xlim(-0.02 * max(count, 1), max(count - 1, 1) * 1.02)
    ax.set_ylim(min([0.0, *values.tolist()]), 1.1)
    shown = {"f1": "F1"}.get(name, name)
    named(ax, colours, "images, the best first", f"{shown} of an image")
    titled(ax, colours, "From the best image to the worst", _sentence(values, len(rows) - count))
    return ax


def _told(count: int) -> list[int]:
    """The places of the best, the median and the worst, each once."""
    return list(dict.fromkeys([0, (count - 1) // 2, count - 1])) if count else []


def _sentence(values: np.ndarray, without: int) -> str:
    if not len(values):
        return "no image has a number"
    tenth = max(1, len(values) // 10)
    more = f"; {without:,} without a number" if without else ""
    worst = f"the worst {tenth:,} have {values[-tenth:].mean():.3f} on average"
    return f"median {np.median(values):.3f} of {len(values):,} images; {worst}{more}"
