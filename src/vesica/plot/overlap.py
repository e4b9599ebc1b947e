"""The picture of two regions: what they share, and what each has alone."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from vesica._array import to_numpy
from vesica._check import plot as check
from vesica.overlaps.measures import iou
from vesica.overlaps.parts import parts
from vesica.plot.areas import Frame, cells_of, frame_of, rings_of
from vesica.plot.label_places import Place, largest, nearest
from vesica.plot.photograph import show
from vesica.plot.theme import DARK, LIGHT, Theme, axes_of
from vesica.regions import Region, regions_of_pair

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (6.0, 6.0)
POINTS, LEAST, BESIDE = 15.0, 6.0, 10.0
"""Of the letters in an area; the least; and of those that would be smaller, which stand beside, with a line to it."""
ROOM = 1.25
"""Around letters, as a factor."""


class _Area(NamedTuple):
    letters: str
    cells: np.ndarray
    amount: float
    colour: str
    stripes: str


def overlap(
    a: Any,
    b: Any,
    /,
    *,
    image: Any = None,
    names: tuple[str, str] = ("truth", "guess"),
    theme: Literal["light", "dark"] = "light",
    ax: Axes | None = None,
) -> Axes:
    """Draw two regions with TP, FP, FN and TN written into their areas, and the IoU above.

    The first is drawn with a solid line, the second with a dashed one. Letters shrink with their area; where they would
    be too small to read they stand beside it, with a line to it. An area that is empty has no letters.

    Parameters
    ----------
    a, b : one region each, of any two kinds that `iou` compares
    image : (H, W) or (H, W, 3) array, optional
        The photograph behind them; the whole of it is shown.
    names : what the first and the second are called in the legend
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> from vesica import plot
    >>> ax = plot.overlap([[0, 0, 4, 4]], [[2, 2, 6, 6]])
    >>> ax.get_title(loc="left")
    'IoU 0.143'
    >>> sorted(text.get_text() for text in ax.texts)
    ['FN', 'FP', 'TN', 'TP']
    >>> ax.figure.savefig("overlap.png")  # doctest: +SKIP
    """
    first, second = (check.one_region(region, name) for region, name in zip(_both(a, b), "ab", strict=True))
    photograph = check.photograph(image)
    colours = {"light": LIGHT, "dark": DARK}[check.theme(theme)]
    check.two_names(names)

    measured = parts(first, second, aligned=True)
    frame = frame_of(first, second, None if photograph is None else photograph.shape[:2])
    cells = cells_of(first, frame), cells_of(second, frame)
    areas = _areas(cells, measured, colours)

    ax = axes_of(ax, colours, size=SIZE)
    _draw_areas(ax, frame, areas, photograph)
    for region, own, name, style in zip((first, second), cells, names, ("-", (0, (5, 3))), strict=True):
        _draw_outline(ax, rings_of(region, own, frame), name, style, colours)
    _shape(ax, frame, areas, float(to_numpy(iou(measured))[0]), colours)
    _write(ax, frame, areas, colours)
    return ax


def _both(a: Any, b: Any) -> tuple[Region, Region]:
    """As `iou` takes them; one box may be four numbers, one mask a picture of booleans."""
    return regions_of_pair(check.in_a_stack(a), check.in_a_stack(b))


def _areas(cells: tuple[np.ndarray, np.ndarray], measured: Any, colours: Theme) -> list[_Area]:
    a, b = cells
    shared, of_a, of_b = (float(to_numpy(area)[0]) for area in (measured.inter, measured.area_a, measured.area_b))
    return [
        _Area("TP", a & b, shared, colours.right, "rising"),
        _Area("FP", b & ~a, of_b - shared, colours.wrong, "dots"),
        _Area("FN", a & ~b, of_a - shared, colours.missed, "falling"),
        _Area("TN", ~(a | b), np.nan, colours.ink, ""),
    ]


def _draw_areas(ax: Axes, frame: Frame, areas: list[_Area], photograph: np.ndarray | None) -> None:
    from matplotlib.colors import to_rgb

    extent = (frame.x1, frame.x2, frame.y2, frame.y1)
    if photograph is not None:
        show(ax, photograph)
    tint = np.zeros((*frame.shape, 4))
    for area in areas[:3]:
        stripes = _stripes(frame.shape, area.stripes)
        strong, weak = (0.75, 0.35) if photograph is not None else (0.6, 0.2)
        tint[area.cells] = (*to_rgb(area.colour), weak)
        tint[area.cells & stripes, 3] = strong
    ax.imshow(tint, extent=extent, interpolation="nearest", zorder=1)


def _stripes(shape: tuple[int, int], kind: str) -> np.ndarray:
    """Hatching, one kind an area: so it is told apart without colour."""
    row, column = np.indices(shape)
    if kind == "dots":
        return ((row % 12 - 6) ** 2 + ((column + row // 12 % 2 * 6) % 12 - 6) ** 2) <= 3
    return ((column + row if kind == "rising" else column - row) % 14) < 3


def _draw_outline(ax: Axes, rings: list[np.ndarray], name: str, style: Any, colours: Theme) -> None:
    for number, ring in enumerate(rings):
        ax.plot(
            *ring.T,
            color=colours.ink,
            linestyle=style,
            linewidth=2,
            label=check.plain_text(name) if not number else "_",
            zorder=3,
            solid_joinstyle="miter",
        )
    if not rings:  # an empty mask: its name stands in the legend all the same
        ax.plot([], [], color=colours.ink, linestyle=style, linewidth=2, label=check.plain_text(name))


def _shape(ax: Axes, frame: Frame, areas: list[_Area], score: float, colours: Theme) -> None:
    """Axes that show the frame, y downwards as in pictures; title and legend."""
    ax.set_xlim(frame.x1, frame.x2)
    ax.set_ylim(frame.y2, frame.y1)
    ax.set_aspect("equal")
    ax.set_title(f"IoU {score:.3f}", loc="left", color=colours.ink, fontsize=14, fontweight="bold")
    amounts = "   ".join(f"{area.letters} {area.amount:.4g}" for area in areas[:3])
    ax.set_xlabel(f"{amounts}      IoU = TP / (TP + FP + FN)", color=colours.soft, fontsize=9)
    legend = ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, frameon=False, fontsize=9, borderaxespad=0.2)
    for text in legend.get_texts():
        text.set_color(colours.ink)
        text.set_parse_math(False)


def _write(ax: Axes, frame: Frame, areas: list[_Area], colours: Theme) -> None:
    """The letters into their areas, the largest rectangle first; what is too small gets its letters beside it."""
    _lay_out(ax)
    unit = _cells_of_a_point(ax, frame)
    free = areas[3].cells.copy()
    beside = []
    for area in areas[:3]:
        width, height = (ROOM * POINTS * unit * side for side in _proportions(area.letters))
        place, is_upright = _best(area.cells, width, height)
        if place is None:
            continue
        if POINTS * place.scale < LEAST:
            beside.append((area, place))
            continue
        points = POINTS * min(1.0, place.scale)
        _letters(ax, frame, area, place, points, colours, rotation=0 if is_upright else 90)
    for area, place in beside:
        width, height = (2 * ROOM * BESIDE * unit * side for side in _proportions(area.letters))
        outside = nearest(free, width, height, place.x, place.y)
        if outside is None:
            continue
        _line(ax, frame, place, outside, colours)
        _letters(ax, frame, area, outside, BESIDE, colours)
        _take(free, outside, width, height)
    width, height = (ROOM * POINTS * unit * side for side in _proportions("TN"))
    corner = nearest(free, width, height, 1.2 * width, 1.2 * width)
    if corner is not None:
        _letters(ax, frame, areas[3], corner, POINTS, colours)


def _lay_out(ax: Axes) -> None:
    """Give the axes the size that they will have."""
    figure = ax.get_figure(root=True)
    if figure is not None and figure.get_layout_engine() is not None:
        figure.draw_without_rendering()
    ax.apply_aspect()


def _best(cells: np.ndarray, width: float, height: float) -> tuple[Place | None, bool]:
    """Upright, or along a narrow area that rises."""
    upright, turned = largest(cells, width, height), largest(cells, height, width)
    if upright is None or turned is None or upright.scale >= min(1.0, turned.scale / 1.2):
        return upright, True
    return turned, False


@functools.cache
def _proportions(letters: str) -> tuple[float, float]:
    """Width and height of letters of size 1."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    box = TextPath((0, 0), letters, size=1, prop=FontProperties(weight="bold")).get_extents()
    return box.width, box.height


def _cells_of_a_point(ax: Axes, frame: Frame) -> float:
    """How many cells of the grid a point (1 / 72 inch) is, in axes that are laid out."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    box = ax.get_window_extent()
    pixels = min(box.width / (frame.x2 - frame.x1), box.height / (frame.y2 - frame.y1))
    return figure.dpi / 72 / (pixels * frame.cell)


def _letters(
    ax: Axes, frame: Frame, area: _Area, place: Place, points: float, colours: Theme, rotation: float = 0
) -> None:
    """In the middle of a place. Baselines are what matplotlib aligns exactly, so they stand half a letter below."""
    from matplotlib.patheffects import withStroke

    half = _proportions(area.letters)[1] / 2 * points * _cells_of_a_point(ax, frame)
    right, down = (half, 0) if rotation else (0, half)
    ax.text(
        frame.x1 + (place.x + right) * frame.cell,
        frame.y1 + (place.y + down) * frame.cell,
        area.letters,
        fontsize=points,
        fontweight="bold",
        color=colours.ink,
        ha="center",
        va="baseline",
        rotation=rotation,
        rotation_mode="anchor",
        zorder=5,
        path_effects=[withStroke(linewidth=points / 5, foreground=colours.page)],
    )


def _line(ax: Axes, frame: Frame, inside: Place, outside: Place, colours: Theme) -> None:
    points = np.array([inside[:2], outside[:2]]) * frame.cell + (frame.x1, frame.y1)
    ax.plot(*points.T, color=colours.soft, linewidth=1, zorder=4, marker="o", markevery=[0], markersize=3)


def _take(free: np.ndarray, place: Place, width: float, height: float) -> None:
    rows = slice(max(0, int(place.y - height)), int(place.y + height) + 1)
    columns = slice(max(0, int(place.x - width)), int(place.x + width) + 1)
    free[rows, columns] = False
