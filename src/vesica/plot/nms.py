"""Detections before and after non-maximum suppression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica._array import to_numpy
from vesica._check import plot as check
from vesica.plot.drawn_regions import Drawn, Look, draw, rings_of_rows
from vesica.plot.theme import THEMES, axes_of, titled
from vesica.regions import as_region
from vesica.selection.nms import nms as kept_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def nms(
    regions: Any,
    scores: Any,
    /,
    *,
    above: float = 0.5,
    keys: Any = None,
    image: Any = None,
    theme: Literal["light", "dark"] = "light",
    ax: Axes | None = None,
) -> Axes:
    """Draw which detections stay, with their scores, and which go, dotted.

    Parameters
    ----------
    regions : N regions of any kind that `nms` takes
    scores : (N,) array
    above, keys : as in `nms`: the IoU above which the better one stays; detections of different keys do not meet
    image : (H, W), (H, W, 3) or (H, W, 4) array, optional
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> from vesica import plot
    >>> ax = plot.nms([[0, 0, 4, 4], [0, 0, 4, 3], [6, 6, 9, 9]], [0.9, 0.8, 0.7])
    >>> ax.get_title(loc="left"), [text.get_text() for text in ax.texts[:2]]
    ('2 of 3 stay', ['0.90', '0.70'])
    """
    photograph = check.photograph(image)
    given = check.of_the_plane(as_region(check.in_a_stack(regions), "regions"), "regions")
    score = check.one_each(scores, len(given), "scores", "regions")
    colours = THEMES[check.theme(theme)]

    kept = np.asarray(to_numpy(kept_of(given, score, above=above, keys=keys)))
    gone = np.setdiff1d(np.arange(len(given)), kept)
    words = [f"{score[row]:.2f}" for row in kept.tolist()]
    kinds = [
        Drawn(Look("goes", colours.wrong, (0, (1, 1.2)), 1.4), rings_of_rows(given, gone)),
        Drawn(Look("stays", colours.right), rings_of_rows(given, kept), words),
    ]
    ax = axes_of(ax, colours, size=(6.4, 5.6))
    draw(ax, colours, kinds, photograph)
    titled(
        ax, colours, f"{len(kept)} of {len(given)} stay", f"of two with an IoU above {above:g} the better score stays"
    )
    return ax
