"""Which classes are taken for which, as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from vesica._check import plot as check
from vesica.agreement.tables import NONE, confusion_matrix, labels_of
from vesica.plot.theme import THEMES, Theme, axes_of, ink_on, label, named, rows_named, shades, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES, NUMBERS = 30, 12
"""Classes of which each has its name at the edge, and each cell its number. Of more, some have names, none numbers."""
_PITCH = 10.0
"""Points from one name to the next."""


class Matrix(NamedTuple):
    """(K, K) counts, of which the last row and column may be those of nothing."""

    counts: np.ndarray
    names: list[Any]
    has_nothing: bool
    sides: tuple[str, str]
    """What rows and columns are."""
    is_symmetric: bool = False
    """Is each counted both ways?"""


def confusion(
    result: Any,
    /,
    *,
    by: Literal["row", "column"] | None = "row",
    theme: Literal["light", "dark"] = "light",
    ax: Axes | None = None,
) -> Axes:
    """Draw how often each class is taken for each: what is right in one colour, what is wrong in another.

    Of detections the last row has guesses where no truth is, and the last column truths that were not found. Of
    annotators every two are counted both ways, and the last row and column are objects that only one of them drew.

    Parameters
    ----------
    result : of `evaluate`, `evaluate_segmentation` or `evaluate_agreement`
        Or what `result.confusion(iou=…, min_score=…)` of detections answers.
    by : {"row", "column"} or None
        Shares of each row (recalls on the diagonal), of each column (precisions), or counts.
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import vesica
    >>> result = vesica.evaluate_segmentation([[0, 0, 1, 1]], [[0, 1, 1, 1]], categories=["road", "car"])
    >>> ax = vesica.plot.confusion(result)
    >>> ax.images[0].get_array().filled(0).tolist()
    [[0.5, 0.0], [0.0, 1.0]]
    >>> print(ax.texts[-1].get_text())
    shares of each truth, in %; most often road is
    taken for car (1)
    """
    matrix = matrix_of(result)
    by = check.share_of(by)  # type: ignore[assignment]
    colours = THEMES[check.theme(theme)]

    values = _values(matrix, by)
    count = len(matrix.names)
    ax = axes_of(ax, colours, size=(side := float(np.clip(2.4 + 0.34 * count, 4.4, 9.6)), side))
    is_right = np.eye(count, dtype=bool)
    if matrix.has_nothing:
        is_right[-1, -1] = False
    top = 1.0 if by else float(np.nanmax(values, initial=0.0)) or 1.0
    for kept, colour in ((is_right, colours.right), (~is_right, colours.wrong)):
        shown = np.ma.masked_array(values, ~kept | np.isnan(values))
        image = ax.imshow(shown, cmap=shades(colours, colour), norm=_norm(top), interpolation="nearest", zorder=1)
        if count <= NUMBERS:
            _numbers(ax, image, colours, by)
    _frame(ax, matrix, colours)
    named(ax, colours, matrix.sides[1], matrix.sides[0])
    of = {"row": matrix.sides[0], "column": matrix.sides[1]}
    what = f"shares of each {of[by]}, in %" if by else "counts"
    titled(ax, colours, "Confusion", f"{what}; {_worst(matrix)}", width=0.85)
    return ax


def matrix_of(result: Any, /) -> Matrix:
    """The counts of a result, or of what its own `confusion()` answers."""
    found: Matrix = check.one_kind(result, _READERS)(result)
    return found


def _norm(top: float) -> Any:
    """Square roots: few that are wrong among many that are right are still seen."""
    from matplotlib.colors import PowerNorm

    return PowerNorm(0.5, 0, top)


def _values(matrix: Matrix, by: str | None) -> np.ndarray:
    """What the colours show; NaN where there is nothing to divide by."""
    values = matrix.counts.astype(np.float64)
    if by:
        total = values.sum(axis=1 if by == "row" else 0, keepdims=True)
        values = values / np.where(total == 0, np.nan, total)
    if matrix.has_nothing:
        values[-1, -1] = np.nan
    return values


def _frame(ax: Axes, matrix: Matrix, colours: Theme) -> None:
    """Names at the edges, lines between cells, and a wider one before what is nothing."""
    count = len(matrix.names)
    step = -(-count // min(NAMES, max(4, int(_height(ax) / _PITCH))))
    places = [place for place in range(count) if place % step == 0 or (matrix.has_nothing and place == count - 1)]
    if step > 1 and matrix.has_nothing:
        places = [place for place in places if place == count - 1 or count - 1 - place >= step]
    names = [label(matrix.names[place], most=18) for place in places]
    rows_named(ax, colours, places, names)
    rows_named(ax, colours, places, names, axis="x", rotation=90)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_xlim(-0.5, count - 0.5)
    ax.set_ylim(count - 0.5, -0.5)
    edges = np.arange(count + 1) - 0.5
    if count <= NAMES:
        for draw in (ax.axhline, ax.axvline):
            for edge in edges:
                draw(edge, color=colours.line, linewidth=0.8, zorder=2)
    if matrix.has_nothing:
        gap = min(6.0, 0.4 * _height(ax) / count)  # points: of small cells most is seen
        for draw in (ax.axhline, ax.axvline):
            draw(count - 1.5, color=colours.page, linewidth=gap, zorder=3)
            draw(count - 1.5, color=colours.soft, linewidth=1, zorder=4)


def _height(ax: Axes) -> float:
    """About how many points the names have from top to bottom, before the layout is known."""
    figure = ax.get_figure(root=True)
    return 240.0 if figure is None else 0.8 * 72 * float(min(ax.get_position().size * figure.get_size_inches()))


def _numbers(ax: Axes, image: Any, colours: Theme, by: str | None) -> None:
    """In each cell that has any, what its colour shows."""
    for (row, column), value in np.ndenumerate(image.get_array().filled(0)):
        if value:
            share = "<1" if value < 0.005 else f"{100 * value:.0f}"
            colour = ink_on(colours, image.to_rgba(value))
            ax.text(column, row, share if by else f"{value:,.0f}", ha="center", va="center", fontsize=8, color=colour,
                    zorder=5)  # fmt: skip


def _worst(matrix: Matrix) -> str:
    """The classes that are confused most often, in words."""
    wrong = matrix.counts.copy()
    np.fill_diagonal(wrong, 0)
    if matrix.has_nothing:
        wrong[-1], wrong[:, -1] = 0, 0
    if not wrong.any():
        return "no class is taken for another"
    row, column = np.unravel_index(np.argmax(wrong), wrong.shape)
    names = [label(matrix.names[place], most=18) for place in (row, column)]
    return f"most often {names[0]} is taken for {names[1]} ({wrong[row, column]:,})"


def _of_counts(found: Any) -> Matrix:
    return Matrix(found.counts, found.names, True, ("truth", "guess"))


def _of_pixels(result: Any) -> Matrix:
    return Matrix(np.asarray(result.confusion()), result.categories, False, ("truth", "guess"))


def _of_annotators(result: Any) -> Matrix:
    counts = confusion_matrix(result.records, result.tallies)
    return Matrix(counts, [*labels_of(result.records).tolist(), NONE], True, ("annotator", "the other"), True)


_READERS = {
    "DetectionResult": lambda result: _of_counts(result.confusion()),
    "SegmentationResult": _of_pixels,
    "AgreementResult": _of_annotators,
    "Confusion": _of_counts,
}
