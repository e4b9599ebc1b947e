"""How far two outlines are apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from vesica._check import plot as check
from vesica.plot.marks import mark
from vesica.plot.theme import DASHES, THEMES, axes_of, label, named, plain_frame, titled, told

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vesica.segmentation.surfaces import SurfaceDistances

MOST = 6
"""Curves that can be told apart."""
POINTS = 400
"""Distances at which a long curve is read."""


class _Curve(NamedTuple):
    """The share of the outlines of both sides that lies within each distance of the other."""

    name: Any
    distance: np.ndarray
    within: np.ndarray

    def at(self, share: float) -> float:
        """The distance within which this share lies; infinite if there is none."""
        place = int(np.searchsorted(self.within, share))
        return float(self.distance[place]) if place < len(self.distance) else float("inf")


def distances(result: Any, /, *, theme: Literal["light", "dark"] = "light", ax: Axes | None = None) -> Axes:
    """Draw which share of the outlines lies within each distance of the other side's: a curve a class, worst first.

    All surface pixels of all images count alike. Where one side has nothing, the pixels of the other lie within no
    distance, so the curve ends below 1. Where there are more than six classes the worst five and all of them are drawn.

    Parameters
    ----------
    result : of `evaluate_surfaces`, or of `surface_distances` for one pair
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import vesica
    >>> found = vesica.surface_distances([[1, 1, 0, 0, 0, 0]], [[1, 1, 1, 0, 0, 1]])
    >>> ax = vesica.plot.distances(found)
    >>> ax.lines[0].get_xdata().tolist(), ax.lines[0].get_ydata().round(3).tolist()
    ([0.0, 0.0, 1.0, 4.0], [0.0, 0.667, 0.833, 1.0])
    """
    curves, unit = check.one_kind(result, _READERS)(result)
    colours = THEMES[check.theme(theme)]

    whole = curves[-1]
    shown = curves if len(curves) <= MOST else [*curves[: MOST - 1], whole]
    ax = axes_of(ax, colours, size=(6.4, 4.6))
    plain_frame(ax, colours)
    for number, curve in enumerate(shown):
        is_whole = curve is whole and len(curves) > 1
        colour, dash = (colours.ink, "-") if is_whole else (colours.kinds[number % 6], DASHES[number % 6])
        (line,) = ax.step(*_steps(curve), where="post", color=colour, linestyle=dash, linewidth=2,
                          label=check.plain_text(label(curve.name)))  # fmt: skip
        if curve is not whole:
            mark(ax, line, category=curve.name)
    if len(curves) > 1:
        told(ax, colours)
    reach = [curve.at(0.95) for curve in shown]
    ax.set_xlim(0, max([1.0, *(one for one in reach if one < np.inf)]) * 1.2)
    ax.set_ylim(0, 1.02)
    named(ax, colours, f"distance, in {unit}", "share of outlines within it")
    titled(ax, colours, "How far outlines are apart", _sentence(whole, unit))
    return ax


def _steps(curve: _Curve) -> tuple[np.ndarray, np.ndarray]:
    """From 0 on, at not too many distances."""
    places = np.arange(len(curve.distance))
    if len(places) > POINTS:
        places = np.unique(np.linspace(0, len(places) - 1, POINTS).round().astype(int))
    return np.append(0.0, curve.distance[places]), np.append(0.0, curve.within[places])


def _sentence(whole: _Curve, unit: str) -> str:
    if not len(whole.distance):
        return "neither side has an outline, or one has none"
    half, most = whole.at(0.5), whole.at(0.95)
    if most == float("inf"):
        return f"{whole.within[-1]:.0%} of outlines have one on the other side"
    first = "on the other side's" if half == 0 else f"within {half:.3g} of the other side's"
    return f"half of the outlines lies {first}, 95 % within {most:.3g} {unit}"


def _curve(name: Any, pairs: list[SurfaceDistances]) -> _Curve:
    squared = np.concatenate([np.empty(0), *(side for one in pairs for side in (one.squared_truth, one.squared_guess))])
    count = np.concatenate([np.empty(0), *(side for one in pairs for side in (one.count_truth, one.count_guess))])
    total = sum(one.size_truth + one.size_guess for one in pairs)
    values, place = np.unique(squared, return_inverse=True)
    sums = np.cumsum(np.bincount(place.reshape(-1), weights=count, minlength=len(values)))
    return _Curve(name, np.sqrt(values), sums / max(total, 1))


def _of_result(result: Any) -> tuple[list[_Curve], str]:
    """A curve a class, that with the largest distances first, then all together."""
    columns = [[row[k].distances for row in result.cells] for k in range(len(result.categories))]
    curves = [_curve(name, pairs) for name, pairs in zip(result.categories, columns, strict=True)]
    there = [curve for curve in curves if len(curve.distance)]
    whole = _curve("all", [one for pairs in columns for one in pairs])
    if len(there) < 2:
        return [whole], result.unit
    return [*sorted(there, key=lambda curve: -curve.at(0.95)), whole], result.unit


_READERS = {
    "SurfaceResult": _of_result,
    "SurfaceDistances": lambda found: ([_curve("all", [found])], "pixels"),
}
