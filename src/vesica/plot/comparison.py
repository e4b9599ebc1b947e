"""What models differ by, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica._check import plot as check
from vesica.plot.marks import mark
from vesica.plot.per_class import without_middle
from vesica.plot.theme import THEMES, Theme, axes_of, label, named, plain_frame, rows_named, titled, told

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vesica.results.tables import Row

MARKS = "osD^vP"


def comparison(
    result: Any,
    /,
    *,
    metric: str | None = None,
    most: int = 40,
    theme: Literal["light", "dark"] = "light",
    ax: Axes | None = None,
) -> Axes:
    """Draw the differences of models from the first of them, with their intervals.

    Where an interval leaves 0 out, the difference is filled; else its mark is empty, for it may be chance.

    Parameters
    ----------
    result : of `compare`
    metric : a number that categories have, to draw its difference in each of them; by default the numbers of the whole
    most : int
        Rows that are drawn: of more the middle is left out.
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np, vesica
    >>> boxes = np.tile([10.0, 10, 50, 50], (40, 1))
    >>> truth = vesica.Dataset.from_arrays(boxes, image=range(40), category=["cat"] * 40)
    >>> old, new = (
    ...     vesica.Dataset.from_arrays(boxes + by, image=range(40), category=["cat"] * 40, score=[0.5] * 40)
    ...     for by in (8, 2)
    ... )
    >>> ax = vesica.plot.comparison(vesica.compare(truth, old, new, names=["old", "new"], replicates=100))
    >>> ax.texts[-1].get_text()
    'right of 0 is higher than old; 8 of 8 differ by more than chance'
    """
    found = check.one_kind(result, {"Comparison": lambda one: one})(result)
    rows: list[Row] = list(found.table() if metric is None else found.classes(metric))
    colours = THEMES[check.theme(theme)]
    most = check.at_most(most, "most")

    of = "number" if metric is None else "category"
    known = [row for row in rows if row["difference"] is not None]
    if metric is not None:
        known.sort(key=lambda row: -row["difference"])
    names = without_middle(list(dict.fromkeys(row[of] for row in known)), most)
    models = list(found.names[1:])
    ax = axes_of(ax, colours, size=(6.4, 1.7 + (0.2 + 0.06 * len(models)) * max(3, len(names))))
    plain_frame(ax, colours, grid="x")
    ax.axvline(0, color=colours.ink, linewidth=1)
    for place, model in enumerate(models):
        own = {row[of]: row for row in known if row.get("model", model) == model}
        shift = (place - (len(models) - 1) / 2) * 0.5 / max(len(models), 2)
        _draw(
            ax,
            colours,
            [own.get(name) for name in names],
            shift,
            place,
            check.plain_text(label(model)),
            len(models) > 1,
            of,
        )
    rows_named(ax, colours, np.arange(len(names)), names)
    ax.set_ylim(max(len(names), 1) - 0.5, -0.5)
    reach = max([0.01, *(abs(row[end]) for row in known for end in ("difference", "lo", "hi") if row[end] is not None)])
    ax.set_xlim(-1.08 * reach, 1.08 * reach)
    if len(models) > 1:
        told(ax, colours)
    named(ax, colours, f"difference{'' if metric is None else f' of {metric}'} from {label(found.names[0])}", "")
    title = label(models[0]) if len(models) == 1 else f"{len(models)} models"
    titled(ax, colours, f"{title} against {label(found.names[0])}", _sentence(found, known))
    return ax


def _draw(
    ax: Axes, colours: Theme, rows: list[Row | None], shift: float, place: int, name: str, is_one_of_many: bool, of: str
) -> None:
    """One model: a mark for each difference, and a line for its interval."""
    several = colours.kinds[place % len(colours.kinds)]
    ax.plot([], [], MARKS[place % len(MARKS)], color=several, label=name)
    for row_number, row in enumerate(rows):
        if row is None:
            continue
        y, is_sure = row_number + shift, _is_sure(row)
        colour = several if is_one_of_many else colours.right if row["difference"] >= 0 else colours.wrong
        if row["lo"] is not None:
            ax.plot([row["lo"], row["hi"]], [y, y], color=colour, linewidth=2, alpha=1 if is_sure else 0.55)
        (dot,) = ax.plot(row["difference"], y, MARKS[place % len(MARKS)], color=colour, markersize=7, zorder=3,
                         markerfacecolor=colour if is_sure else colours.page)  # fmt: skip
        mark(ax, dot, **{of: row[of]}, **({"model": row["model"]} if "model" in row else {}))


def _is_sure(row: Row) -> bool:
    """Does the interval leave 0 out?"""
    return row["lo"] is not None and (row["lo"] > 0 or row["hi"] < 0)


def _sentence(found: Any, known: list[Row]) -> str:
    if not known:
        return "no number is defined for two models"
    sure = sum(map(_is_sure, known))
    return f"right of 0 is higher than {label(found.names[0])}; {sure} of {len(known)} differ by more than chance"
