"""Who draws further out than whom, edge by edge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from vesica._check import plot as check
from vesica.plot.marks import UNSEEN, mark
from vesica.plot.theme import NAME, THEMES, Theme, axes_of, label, letters_across, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vesica.results.tables import Row

SIDES = {"left": (-1, 0), "top": (0, -1), "right": (1, 0), "bottom": (0, 1)}
"""Which way is out, at each edge; y goes down."""
_HALF, _REACH = 0.28, 0.17
"""Half the side of a box, and the longest arrow, in cells."""


def bias(result: Any, /, *, most: int = 12, theme: Literal["light", "dark"] = "light", ax: Axes | None = None) -> Axes:
    """Draw a box for every two annotators, with an arrow at each edge: how far the second draws further out.

    Arrows that point inwards mean that the first does. All have one scale; the number is that of the edge, in pixels.
    Pairs who differ most come first.

    Parameters
    ----------
    result : of `evaluate_agreement`, of objects
    most : int
        Pairs that are drawn.
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import vesica
    >>> boxes = ([[10, 10, 40, end]] for end in (40, 43))
    >>> ann, ben = (vesica.Dataset.from_arrays(box, image=[1], category=["cat"]) for box in boxes)
    >>> ax = vesica.plot.bias(vesica.evaluate_agreement({"ann": ann, "ben": ben}))
    >>> [text.get_text() for text in ax.texts][:2]
    ['+3.0', 'ann → ben\\narea × 1.10']
    """
    rows: list[Row] = check.one_kind(result, {"AgreementResult": lambda one: list(one.bias())})(result)
    colours = THEMES[check.theme(theme)]
    most = check.at_most(most, "most")

    known = sorted((row for row in rows if row["n_matched"]), key=lambda row: -_largest(row))
    shown = known[:most]
    count = max(len(shown), 1)
    across = min(count, 3 if ax is None else max(1, letters_across(ax, NAME) // 26))
    down = -(-count // across)
    ax = axes_of(ax, colours, size=(2.1 * max(across, 2), 1.0 + 2.1 * down))
    largest = max((_largest(row) for row in shown), default=0.0)
    scale = _REACH / largest if largest else 0.0
    for number, row in enumerate(shown):
        _draw(ax, colours, row, number % across, number // across, scale)
    ax.set_xlim(-0.5, across - 0.5)
    ax.set_ylim(down - 0.35, -0.5)
    ax.set_aspect("equal")
    ax.set_axis_off()
    titled(ax, colours, "Who draws further out", _sentence(shown, len(rows) - len(shown)))
    return ax


def _largest(row: Row) -> float:
    return max(abs(float(row[f"out_{edge}"])) for edge in SIDES)


def _draw(ax: Axes, colours: Theme, row: Row, x: float, y: float, scale: float) -> None:
    from matplotlib.patches import FancyArrowPatch, Rectangle

    half = _HALF
    box = Rectangle((x - half, y - half), 2 * half, 2 * half, facecolor=UNSEEN, edgecolor=colours.soft, linewidth=1.5)
    mark(ax, ax.add_patch(box), annotator_a=row["annotator_a"], annotator_b=row["annotator_b"])
    for edge, (dx, dy) in SIDES.items():
        out = row[f"out_{edge}"]
        if not round(out, 1):
            continue
        colour = colours.right if out > 0 else colours.missed
        start = (x + dx * half, y + dy * half)
        end = (start[0] + dx * out * scale, start[1] + dy * out * scale)
        ax.add_patch(FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=11, linewidth=2.2, color=colour,
                                     shrinkA=0, shrinkB=0))  # fmt: skip
        # Inside the box, beside the arrow.
        aside = (-0.09 * dx, -0.06) if dx else (0.11, -0.09 * dy)
        ax.text(
            start[0] + aside[0],
            start[1] + aside[1],
            f"{out:+.1f}",
            ha="center",
            va="center",
            fontsize=NAME,
            color=colour,
        )
    people = [label(row[f"annotator_{side}"], most=12) for side in "ab"]
    words = f"{people[0]} → {people[1]}\narea × {row['area_ratio']:.2f}"
    ax.text(x, y + half + _REACH, words, ha="center", va="top", fontsize=NAME, color=colours.ink,
            parse_math=False)  # fmt: skip


def _sentence(shown: list[Row], left_out: int) -> str:
    if not shown:
        return "no two have a matched pair"
    more = f"; {left_out} pairs of annotators are left out" if left_out else ""
    return f"means over matched pairs, in pixels: an arrow that points out is the second's{more}"
