"""How well pairs that were matched overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica._check import plot as check
from vesica.plot.histogram import histogram
from vesica.plot.theme import THEMES, axes_of, named, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def ious(result: Any, /, *, theme: Literal["light", "dark"] = "light", ax: Axes | None = None) -> Axes:
    """Draw how often matched pairs have which IoU: of guesses with the truths they found, or of two annotators.

    Parameters
    ----------
    result : of `evaluate` or `evaluate_agreement`
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import vesica
    >>> truth = [{"boxes": [[0, 0, 4, 4], [6, 6, 9, 9]], "labels": [1, 1]}]
    >>> guess = [{"boxes": [[0, 0, 4, 4], [5, 5, 9, 9]], "labels": [1, 1], "scores": [0.9, 0.6]}]
    >>> ax = vesica.plot.ious(vesica.evaluate(truth, guess))
    >>> ax.texts[-1].get_text()
    'mean 0.781, median 0.781 of 2 pairs, matched from IoU 0.5 on'
    """
    values, floor = check.one_kind(result, _READERS)(result)
    colours = THEMES[check.theme(theme)]

    ax = axes_of(ax, colours, size=(6.4, 4.2))
    histogram(ax, colours, values, floor, 1.0, fact="iou")
    named(ax, colours, "IoU of a matched pair", "pairs")
    titled(ax, colours, "How well matched pairs overlap", _sentence(values, floor))
    return ax


def _of_guesses(result: Any) -> tuple[np.ndarray, float]:
    floor = min(result.protocol.iou)
    table = result.objects(iou=floor)
    return table["iou"][table["cause"] == "right"], floor


def _of_annotators(result: Any) -> tuple[np.ndarray, float]:
    values = np.asarray(result.matches()["iou"], np.float64)
    return values[~np.isnan(values)], result.policy.match_at


def _sentence(values: np.ndarray, floor: float) -> str:
    if not len(values):
        return f"no pair reaches IoU {floor:g}"
    means = f"mean {values.mean():.3f}, median {np.median(values):.3f}"
    return f"{means} of {len(values):,} pairs, matched from IoU {floor:g} on"


_READERS = {"DetectionResult": _of_guesses, "AgreementResult": _of_annotators}
