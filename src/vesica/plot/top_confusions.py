"""The classes that are confused most, as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica._check import plot as check
from vesica.plot.confusion import Matrix, matrix_of
from vesica.plot.marks import mark
from vesica.plot.theme import NAME, THEMES, axes_of, label, named, plain_frame, rows_named, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def top_confusions(
    result: Any,
    /,
    *,
    most: int = 12,
    theme: Literal["light", "dark"] = "light",
    ax: Axes | None = None,
) -> Axes:
    """Draw which classes are most often taken for which others, and what share of the class that is.

    What is made up or missed is no confusion of two classes: `plot.confusion` has it. Of annotators two labels count
    together, whoever gave which.

    Parameters
    ----------
    result : of `evaluate`, `evaluate_segmentation` or `evaluate_agreement`
        Or what `result.confusion(iou=…, min_score=…)` of detections answers.
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
    >>> result = vesica.evaluate_segmentation([[0, 0, 1, 1]], [[0, 1, 1, 1]], categories=["road", "car"])
    >>> ax = vesica.plot.top_confusions(result)
    >>> [text.get_text() for text in ax.get_yticklabels()], ax.texts[0].get_text()
    (['road → car'], '1   50 % of road')
    """
    matrix = matrix_of(result)
    colours = THEMES[check.theme(theme)]
    most = check.at_most(most, "most")

    pairs = _pairs(matrix)
    shown = pairs[:most]
    ax = axes_of(ax, colours, size=(6.4, 1.5 + 0.26 * max(3, len(shown))))
    plain_frame(ax, colours, grid="x")
    bars = ax.barh(np.arange(len(shown)), [count for *_, count in shown], height=0.66, color=colours.wrong)
    total = matrix.counts.sum(axis=1)
    arrow = "–" if matrix.is_symmetric else "→"
    for bar, (row, column, count) in zip(bars, shown, strict=True):
        names = matrix.names[row], matrix.names[column]
        mark(ax, bar, truth=names[0], guess=names[1])
        share = f"   {100 * count / total[row]:.0f} % of {label(names[0], most=14)}"
        ax.annotate(f"{count:,}{'' if matrix.is_symmetric else share}", (count, bar.get_y() + bar.get_height() / 2),
                    xytext=(4, 0), textcoords="offset points", va="center", fontsize=NAME, color=colours.ink,
                    parse_math=False)  # fmt: skip
    told = [
        f"{label(matrix.names[row], most=15)} {arrow} {label(matrix.names[column], most=15)}"
        for row, column, _ in shown
    ]
    rows_named(ax, colours, np.arange(len(shown)), told)
    ax.set_ylim(max(len(shown), 1) - 0.5, -0.5)
    ax.set_xlim(0, max([1, *(count for *_, count in shown)]) * 1.4)
    named(ax, colours, "how often", "")
    titled(ax, colours, "Most confused", _sentence(matrix, pairs, len(shown)))
    return ax


def _pairs(matrix: Matrix) -> list[tuple[int, int, int]]:
    """Row, column and count of what is wrong, the most first."""
    wrong = matrix.counts.copy()
    np.fill_diagonal(wrong, 0)
    if matrix.has_nothing:
        wrong[-1], wrong[:, -1] = 0, 0
    if matrix.is_symmetric:
        wrong = np.triu(wrong)
    row, column = np.nonzero(wrong)
    order = np.argsort(-wrong[row, column], kind="stable")
    return [(int(row[k]), int(column[k]), int(wrong[row[k], column[k]])) for k in order.tolist()]


def _sentence(matrix: Matrix, pairs: list[tuple[int, int, int]], shown: int) -> str:
    if not pairs:
        return "no class is taken for another"
    total, seen = sum(count for *_, count in pairs), sum(count for *_, count in pairs[:shown])
    kinds = "pairs of labels" if matrix.is_symmetric else "truth → guess"
    return f"{kinds}: {seen:,} of {total:,} confusions" + (
        "" if shown == len(pairs) else f" are of these {shown} kinds"
    )
