"""AP as the overlap that is asked for rises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from vesica._check import plot as check
from vesica.plot.marks import mark_point
from vesica.plot.precision_recall import average_precision
from vesica.plot.theme import DASHES, THEMES, axes_of, label, named, plain_frame, titled, told

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vesica.detection.result import DetectionResult


def by_iou(
    result: DetectionResult,
    /,
    *,
    category: Any = None,
    theme: Literal["light", "dark"] = "light",
    ax: Axes | None = None,
) -> Axes:
    """Draw AP at each threshold. Where it falls early, boxes are off; where it is low at once, objects are missed.

    Parameters
    ----------
    result : what `evaluate` answers
    category : a name or id, or a list of them with a line each; by default the mean over all
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import vesica
    >>> truth = [{"boxes": [[0, 0, 4, 4]], "labels": [1]}]
    >>> guess = [{"boxes": [[0, 0, 4, 3]], "labels": [1], "scores": [0.9]}]
    >>> ax = vesica.plot.by_iou(vesica.evaluate(truth, guess))
    >>> ax.texts[-1].get_text()
    'from 1.000 at IoU 0.5 to 0.000 at IoU 0.95'
    """
    check.detection_result(result)
    colours = THEMES[check.theme(theme)]
    thresholds = result.protocol.iou
    names: Sequence[Any] = category if isinstance(category, (list, tuple)) else [category]
    lines = [[average_precision(result, name, threshold) for threshold in thresholds] for name in names]

    ax = axes_of(ax, colours, size=(6.4, 4.2))
    plain_frame(ax, colours)
    for number, (name, values) in enumerate(zip(names, lines, strict=True)):
        ax.plot(thresholds, values, color=colours.kinds[number % len(colours.kinds)], marker="o", linewidth=2,
                linestyle=DASHES[number % len(DASHES)], label=check.plain_text(label(name)))  # fmt: skip
        of = {} if name is None else {"category": name}
        for threshold, value in zip(thresholds, values, strict=True):
            if value == value:
                mark_point(ax, threshold, value, iou=threshold, **of)
    if len(names) > 1:
        told(ax, colours)
    ax.set_ylim(0, 1.02)
    named(ax, colours, "IoU from which a guess is right", "AP")
    sentence = f"from {lines[0][0]:.3f} at IoU {thresholds[0]:g} to {lines[0][-1]:.3f} at IoU {thresholds[-1]:g}"
    if len(names) > 1 or len(thresholds) == 1:
        sentence = f"{len(names)} {'categories' if len(names) > 1 else 'line'}, {len(thresholds)} thresholds"
    whose = "" if category is None or len(names) > 1 else f" of {label(names[0])}"
    titled(ax, colours, f"AP by IoU{whose}", sentence)
    return ax
