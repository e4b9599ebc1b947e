"""Objects that one model finds and another does not."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica._check import plot as check
from vesica.plot.marks import mark
from vesica.plot.per_class import without_middle
from vesica.plot.theme import NAME, THEMES, axes_of, label, named, plain_frame, rows_named, titled, told

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def fixed_and_broken(
    result: Any,
    /,
    *,
    by: Literal["category", "cause"] = "category",
    model: str | None = None,
    most: int = 30,
    theme: Literal["light", "dark"] = "light",
    ax: Axes | None = None,
) -> Axes:
    """Draw how many objects a model finds that the first one misses, to the right, and the reverse, to the left.

    Each model's guesses are cut where its own F1 is highest, as `result.objects()` does it.

    Parameters
    ----------
    result : of `compare`, of detectors
    by : {"category", "cause"}
        Rows are categories, or the causes why an object was missed.
    model : the name of one; by default the last
    most : int
        Rows that are drawn: of more the middle is left out.
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import vesica
    >>> truth = [{"boxes": [[0, 0, 4, 4], [6, 6, 9, 9]], "labels": [1, 2]}]
    >>> old = [{"boxes": [[0, 0, 4, 4]], "labels": [1], "scores": [0.9]}]
    >>> new = [{"boxes": [[0, 0, 4, 4], [6, 6, 9, 9]], "labels": [1, 2], "scores": [0.9, 0.8]}]
    >>> ax = vesica.plot.fixed_and_broken(vesica.compare(truth, old, new, names=["old", "new"], replicates=20))
    >>> ax.texts[-1].get_text()
    'new finds 1 object that old misses, and misses 0 that old finds'
    """
    found = check.one_kind(result, {"Comparison": lambda one: one})(result)
    check.one_of(by, ("category", "cause"), "by")
    colours = THEMES[check.theme(theme)]
    most = check.at_most(most, "most")
    table = found.objects(model)

    counts = {change: Counter[Any]() for change in ("fixed", "broken")}
    for change, what in zip(table["change"].tolist(), table[by].tolist(), strict=True):
        counts[change][what] += 1
    gain = {one: counts["fixed"][one] - counts["broken"][one] for change in counts.values() for one in change}
    rows = sorted(gain, key=lambda one: (-gain[one], str(one)))
    shown = without_middle(rows, most)
    ax = axes_of(ax, colours, size=(6.4, 2.0 + 0.26 * max(3, len(shown))))
    plain_frame(ax, colours, grid="x")
    ax.axvline(0, color=colours.ink, linewidth=1)
    looks: dict[str, dict[str, Any]] = {
        "fixed": {"color": colours.right},
        "broken": {"color": colours.wrong, "hatch": "////", "edgecolor": colours.page, "linewidth": 0},
    }
    for change, way in (("fixed", 1), ("broken", -1)):
        numbers = [counts[change][one] for one in shown]
        widths = [way * number for number in numbers]
        bars = ax.barh(np.arange(len(shown)), widths, height=0.7, label=change, **looks[change])
        for bar, place, number in zip(bars, range(len(shown)), numbers, strict=True):
            if not number:
                continue
            mark(ax, bar, change=change, **{by: shown[place]})
            ax.annotate(f"{number:,}", (way * number, place), xytext=(4 * way, 0), textcoords="offset points",
                        va="center", ha="left" if way > 0 else "right", fontsize=NAME,
                        color=colours.ink)  # fmt: skip
    rows_named(ax, colours, np.arange(len(shown)), shown)
    ax.set_ylim(max(len(shown), 1) - 0.5, -1.3)  # room for the legend
    reach = max([1, *(counts[change][one] for change in counts for one in shown)])
    ax.set_xlim(-1.18 * reach, 1.18 * reach)
    ax.xaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
    told(ax, colours, loc="upper right", ncols=2)
    other, first = label(found.names[-1] if model is None else model), label(found.names[0])
    named(ax, colours, f"objects that {other} misses, or finds, unlike {first}", "")
    left_out = f"; {len(rows) - len(shown)} rows in the middle are left out" if len(rows) > len(shown) else ""
    titled(ax, colours, f"Fixed and broken, by {by}", _sentence(counts, other, first) + left_out)
    return ax


def _sentence(counts: dict[str, Counter[Any]], other: str, first: str) -> str:
    fixed, broken = (sum(counts[change].values()) for change in ("fixed", "broken"))
    objects = "1 object" if fixed == 1 else f"{fixed:,} objects"
    return f"{other} finds {objects} that {first} misses, and misses {broken:,} that {first} finds"
