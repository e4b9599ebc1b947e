"""One number of every category, over images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica._check import plot as check
from vesica.plot.marks import mark
from vesica.plot.per_class import without_middle
from vesica.plot.theme import THEMES, axes_of, label, named, plain_frame, rows_named, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_Found = tuple[str, list[tuple[Any, np.ndarray]]]
"""A number, and its values in images, category by category; NaN where there is none."""


def over_images(
    result: Any,
    /,
    *,
    metric: str | None = None,
    most: int = 40,
    theme: Literal["light", "dark"] = "light",
    ax: Axes | None = None,
) -> Axes:
    """Draw how far one number of each category differs from image to image.

    A thin line goes from the worst image to the best, a thick one has the middle half of them, and a mark is at the
    median. A category counts in the images where it has the number. Where there are more than `most` categories the
    middle is left out, and the picture says how many.

    Parameters
    ----------
    result : of `evaluate_segmentation`, or of `evaluate_agreement` for label maps
    metric : a score of `result.per_cell()`, by default "IoU"; of annotators "iou" or "dice"
    most : int
        Rows that are drawn.
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import vesica
    >>> truth, guess = [[[0, 1]], [[1, 1]], [[0, 0]]], [[[0, 1]], [[1, 0]], [[0, 1]]]
    >>> ax = vesica.plot.over_images(vesica.evaluate_segmentation(truth, guess, categories=["road", "car"]))
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['road   3', 'car   3']
    """
    name, found = check.one_kind(result, _READERS)(result, metric)
    colours = THEMES[check.theme(theme)]
    most = check.at_most(most, "most")

    seen = [(category, values[~np.isnan(values)]) for category, values in found]
    known = sorted((one for one in seen if len(one[1])), key=lambda one: -float(np.median(one[1])))
    shown = without_middle(known, most)
    ax = axes_of(ax, colours, size=(6.4, 1.7 + 0.26 * max(3, len(shown))))
    plain_frame(ax, colours, grid="x")
    for place, (category, values) in enumerate(shown):
        low, first, middle, third, high = np.quantile(values, (0, 0.25, 0.5, 0.75, 1)).tolist()
        ax.plot([low, high], [place, place], color=colours.soft, linewidth=1, marker="|", markersize=6)
        ax.plot([first, third], [place, place], color=colours.right, linewidth=7, solid_capstyle="butt")
        (dot,) = ax.plot(middle, place, "o", color=colours.right, markersize=8, markeredgecolor=colours.page, zorder=3)
        mark(ax, dot, category=category)
    rows_named(
        ax, colours, np.arange(len(shown)), [f"{label(one, most=22)}   {len(values):,}" for one, values in shown]
    )
    ax.set_ylim(max(len(shown), 1) - 0.5, -0.5)
    ends = [float(end) for _, values in shown for end in (values.min(), values.max())]
    ax.set_xlim(min([0.0, *ends]), max([1.0, *ends]) * 1.02)
    named(ax, colours, f"{name} of an image; beside the names how many images", "")
    titled(ax, colours, f"{name} over images", _sentence(known, len(known) - len(shown)))
    return ax


def _sentence(known: list[tuple[Any, np.ndarray]], left_out: int) -> str:
    if not known:
        return "no category has a number"
    widest = max(known, key=lambda one: float(np.subtract(*np.quantile(one[1], (0.75, 0.25)))))
    first, third = np.quantile(widest[1], (0.25, 0.75))
    more = f"; {left_out} in the middle are left out" if left_out else ""
    return f"thick: the middle half; widest for {label(widest[0], most=18)}, {first:.2f} to {third:.2f}{more}"


def _of_segmentation(result: Any, metric: str | None) -> _Found:
    known = [name for name in ("IoU", "Dice", "precision", "recall") if result.policy.knows(name)]
    name = check.one_metric(metric or known[0], known)
    return name, list(zip(result.categories, result.cell_scores(name).T, strict=True))


def _of_maps(result: Any, metric: str | None) -> _Found:
    name = check.one_metric(metric or "iou", ("iou", "dice"))
    table, found = result.per_image(), dict[Any, list[float]]()
    for category, value in zip(table["category"].tolist(), table[name].tolist(), strict=True):
        found.setdefault(category, []).append(value)
    return name, [(category, np.array(values)) for category, values in found.items()]


_READERS = {"SegmentationResult": _of_segmentation, "PixelAgreementResult": _of_maps}
