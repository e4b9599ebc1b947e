"""How many objects each category of a data set has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from vesica._check import plot as check
from vesica.dataset.picture import names_of
from vesica.plot.marks import mark
from vesica.plot.per_class import without_middle
from vesica.plot.theme import NAME, THEMES, axes_of, named, plain_frame, rows_named, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vesica.dataset import Dataset


def counts(
    data: Dataset, /, *, most: int = 40, theme: Literal["light", "dark"] = "light", ax: Axes | None = None
) -> Axes:
    """Draw how many objects each category has, the most first, and in how many images.

    Where there are more than `most` categories the middle is left out, and the picture says how many.

    Parameters
    ----------
    data : Dataset
    most : int
        Bars that are drawn.
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import vesica
    >>> data = vesica.Dataset.from_arrays([[0, 0, 4, 4]] * 3, image=[1, 1, 2], category=["cat", "cat", "dog"])
    >>> ax = vesica.plot.counts(data)
    >>> ax.texts[0].get_text(), ax.texts[-1].get_text()
    ('2 in 1 image', '3 objects of 2 categories in 2 images')
    """
    check.dataset(data)
    colours = THEMES[check.theme(theme)]
    most = check.at_most(most, "most")

    kinds = len(data.categories)
    objects = np.bincount(data.category, minlength=kinds)
    pairs = np.unique(data.category * np.int64(max(len(data.images), 1)) + data.image)
    images = np.bincount(pairs // max(len(data.images), 1), minlength=kinds)
    order = np.argsort(-objects, kind="stable").tolist()
    shown = without_middle(order, most)
    names = names_of(data)
    ax = axes_of(ax, colours, size=(6.4, 1.4 + 0.24 * max(3, len(shown))))
    plain_frame(ax, colours, grid="x")
    bars = ax.barh(np.arange(len(shown)), objects[shown], height=0.72, color=colours.right)
    for place, (bar, kind) in enumerate(zip(bars, shown, strict=True)):
        mark(ax, bar, category=names[kind])
        ax.annotate(f"{objects[kind]:,} in {_images(int(images[kind]))}", (objects[kind], place), xytext=(4, 0),
                    textcoords="offset points", va="center", fontsize=NAME, color=colours.ink)  # fmt: skip
    rows_named(ax, colours, np.arange(len(shown)), [names[kind] for kind in shown])
    ax.set_ylim(max(len(shown), 1) - 0.5, -0.5)
    ax.set_xlim(0, max(1, int(objects.max(initial=0))) * 1.35)
    named(ax, colours, "objects", "")
    titled(ax, colours, "Objects by category", _sentence(data, objects, len(order) - len(shown)))
    return ax


def _images(count: int) -> str:
    return "1 image" if count == 1 else f"{count:,} images"


def _sentence(data: Dataset, objects: np.ndarray, left_out: int) -> str:
    words = [f"{len(data):,} objects of {len(objects):,} categories in {_images(len(data.images))}"]
    if without := int((objects == 0).sum()):
        words.append(f"{without} have none")
    if left_out:
        words.append(f"{left_out} in the middle are left out")
    return "; ".join(words)
