"""How far every two annotators agree, as a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica._check import plot as check
from vesica.plot.theme import NAME, THEMES, axes_of, ink_on, label, rows_named, shades, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NUMBERS = 14
"""Annotators among whom each pair has its number written."""


def annotators(result: Any, /, *, theme: Literal["light", "dark"] = "light", ax: Axes | None = None) -> Axes:
    """Draw the agreement of every two annotators: of objects, or of label maps the mean IoU of their classes.

    Two who were never asked for one image have an empty cell.

    Parameters
    ----------
    result : of `evaluate_agreement`
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import vesica
    >>> boxes = ([[0, 0, 4, side]] for side in (4, 3))
    >>> ann, ben = (vesica.Dataset.from_arrays(box, image=[1], category=["cat"]) for box in boxes)
    >>> ax = vesica.plot.annotators(vesica.evaluate_agreement({"ann": ann, "ben": ben}))
    >>> ax.images[0].get_array().filled(0).tolist()
    [[0.0, 0.75], [0.75, 0.0]]
    """
    names, pairs = check.one_kind(result, _READERS)(result)
    colours = THEMES[check.theme(theme)]

    count = len(names)
    values = np.full((count, count), np.nan)
    places = {name: place for place, name in enumerate(names)}
    for (a, b), value in pairs.items():
        values[places[a], places[b]] = values[places[b], places[a]] = np.nan if value is None else value
    ax = axes_of(ax, colours, size=(side := float(np.clip(2.6 + 0.45 * count, 4.2, 9.0)), side))
    cmap = shades(colours, colours.right)
    image = ax.imshow(np.ma.masked_invalid(values), cmap=cmap, vmin=min(0.0, np.nanmin(values, initial=0.0)), vmax=1,
                      interpolation="nearest")  # fmt: skip
    for (row, column), value in np.ndenumerate(values):
        if row == column:
            ax.plot(column, row, marker=(4, 0, 0), markersize=4, color=colours.line)
        elif value == value and count <= NUMBERS:
            ink = ink_on(colours, image.to_rgba(value))
            ax.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=NAME, color=ink)
    rows_named(ax, colours, np.arange(count), [label(name, most=18) for name in names])
    rows_named(ax, colours, np.arange(count), [label(name, most=18) for name in names], axis="x", rotation=90)
    for spine in ax.spines.values():
        spine.set_visible(False)
    titled(ax, colours, "Who agrees with whom", _sentence(pairs), width=0.85)
    return ax


def _sentence(pairs: dict[tuple[Any, Any], float | None]) -> str:
    known = {people: value for people, value in pairs.items() if value is not None}
    if not known:
        return "no two drew anything in one image"
    furthest = min(known, key=lambda people: known[people])
    told = " and ".join(label(name, most=18) for name in furthest)
    return f"from 0 to 1; {told} are furthest apart ({known[furthest]:.3f})"


def _of_objects(result: Any) -> tuple[list[Any], dict[tuple[Any, Any], float | None]]:
    rows = result.pairs(intervals=False)
    return result.records.annotators.tolist(), {
        (row["annotator_a"], row["annotator_b"]): row["agreement"] for row in rows
    }


def _of_maps(result: Any) -> tuple[list[Any], dict[tuple[Any, Any], float | None]]:
    found: dict[tuple[Any, Any], list[float]] = {}
    for row in result.pairs():
        own = found.setdefault((row["annotator_a"], row["annotator_b"]), [])
        own += [row["iou"]] if row["in_mean"] else []
    means = {people: float(np.mean(own)) if own else None for people, own in found.items()}
    return list(result.annotators), means


_READERS = {"AgreementResult": _of_objects, "PixelAgreementResult": _of_maps}
