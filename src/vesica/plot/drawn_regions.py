"""Regions on a picture: outlines in the look of their kind, and what is said of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vesica.plot.areas import MARGIN
from vesica.plot.label_spots import Rect, best_spot
from vesica.plot.photograph import show
from vesica.plot.theme import NAME, Theme, label
from vesica.regions.outlines import outlines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_WORDS = 60
"""Regions that have words; among more, they would hide what they speak of."""


class Look(NamedTuple):
    """How regions of one kind are drawn: told apart by colour, dash and filling."""

    name: str
    colour: str
    dash: Any = "-"
    width: float = 2.0
    filled: float = 0.0


class Drawn(NamedTuple):
    """Some regions of one kind, and what is said of each."""

    look: Look
    rings: list[list[np.ndarray]]
    words: Sequence[str] = ()
    is_below: bool = False
    """Do the words stand below? Those of two kinds on one thing would hide each other."""


def draw(ax: Axes, theme: Theme, kinds: Sequence[Drawn], photograph: np.ndarray | None, /) -> None:
    """A picture with regions, y downwards; without one as much as they need. Kinds that occur are in the legend."""
    if photograph is not None:
        height, width = photograph.shape[:2]
        show(ax, photograph)
        limits = (0.0, 0.0, float(width), float(height))
    else:
        limits = _limits([ring for kind in kinds for rings in kind.rings for ring in rings])
    for number, kind in enumerate(kinds):
        for rings in kind.rings:
            if rings:
                ax.add_patch(_patch(rings, kind.look, 2 + number, None if photograph is None else theme.page))
    if sum(len(kind.words) for kind in kinds) <= MOST_WORDS:
        taken: list[Rect] = []
        for kind in kinds:
            for rings, words in zip(kind.rings, kind.words, strict=False):
                _write(ax, theme, rings, words, kind, limits, taken)
    ax.set_xlim(limits[0], limits[2])
    ax.set_ylim(limits[3], limits[1])
    ax.set_aspect("equal")
    _legend(ax, theme, [kind.look for kind in kinds if kind.rings])


def _limits(rings: list[np.ndarray]) -> tuple[float, float, float, float]:
    if not rings:
        return 0.0, 0.0, 1.0, 1.0
    points = np.concatenate(rings)
    low, high = points.min(axis=0), points.max(axis=0)
    room = MARGIN / 2 * (float((high - low).max()) or 1.0)
    return float(low[0] - room), float(low[1] - room), float(high[0] + room), float(high[1] + room)


def _patch(rings: list[np.ndarray], look: Look, order: int, halo: str | None) -> Any:
    """An outline, on a photograph with a halo."""
    from matplotlib.colors import to_rgba
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path
    from matplotlib.patheffects import withStroke

    outline = Path.make_compound_path(*(Path(ring, closed=True) for ring in rings))
    fill = to_rgba(look.colour, look.filled) if look.filled else "none"
    patch = PathPatch(outline, facecolor=fill, edgecolor=look.colour, linestyle=look.dash, linewidth=look.width,
                      zorder=order, joinstyle="miter")  # fmt: skip
    if halo is not None and not look.filled:  # a halo would fill it as well
        patch.set_path_effects([withStroke(linewidth=look.width + 2, foreground=halo, alpha=0.6)])
    return patch


def _write(
    ax: Axes,
    theme: Theme,
    rings: list[np.ndarray],
    words: str,
    kind: Drawn,
    limits: tuple[float, float, float, float],
    taken: list[Rect],
) -> None:
    """At a corner of a region: where the words hide no others, and stay in the picture."""
    from matplotlib.patheffects import withStroke

    if not rings or not words:
        return
    points, text = np.concatenate(rings), label(words)
    (x1, y1), (x2, y2) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    spot, rect = best_spot((x1, y1, x2, y2), text, limits, _scale(ax, limits), taken, is_below=kind.is_below)
    taken.append(rect)
    ax.annotate(text, (x1 if spot.is_left else x2, y1 if spot.is_at_top else y2), color=kind.look.colour,
                xytext=(2 if spot.is_left else -2, 3 if spot.is_above else -3), textcoords="offset points",
                va="bottom" if spot.is_above else "top", ha="left" if spot.is_left else "right",
                fontsize=NAME, fontweight="bold", zorder=20, parse_math=False, annotation_clip=False,
                path_effects=[withStroke(linewidth=2.5, foreground=theme.page)])  # fmt: skip


def _scale(ax: Axes, limits: tuple[float, float, float, float]) -> float:
    """About how many points a unit of the data is, before the layout is known."""
    figure = ax.get_figure(root=True)
    if figure is None:
        return 1.0
    width, height = (0.72 * 72 * side for side in ax.get_position().size * figure.get_size_inches())
    return float(min(width / (limits[2] - limits[0]), height / (limits[3] - limits[1])))


def _legend(ax: Axes, theme: Theme, looks: Sequence[Look]) -> None:
    """Below the picture, which it must not hide."""
    from matplotlib.patches import Patch
    from matplotlib.transforms import ScaledTranslation

    figure = ax.get_figure(root=True)
    if not looks or figure is None:
        return
    keys = [
        Patch(facecolor="none", edgecolor=one.colour, linestyle=one.dash, linewidth=one.width, label=one.name)
        for one in looks
    ]
    below = ax.transAxes + ScaledTranslation(0, -20 / 72, figure.dpi_scale_trans)
    legend = ax.legend(handles=keys, loc="upper left", bbox_to_anchor=(0, 0), ncols=2, frameon=False,
                       fontsize=NAME, borderaxespad=0, handlelength=2.6, handleheight=1.2,
                       bbox_transform=below)  # fmt: skip
    for text in legend.get_texts():
        text.set_color(theme.ink)


def rings_of_rows(regions: Any, rows: Any, /) -> list[list[np.ndarray]]:
    """The outlines of some rows."""
    every = outlines(regions)
    return [every[row] for row in np.asarray(rows).tolist()]
