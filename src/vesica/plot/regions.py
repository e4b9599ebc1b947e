"""A picture with what was found, what is wrong, and what was missed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica._array import to_numpy
from vesica._check import plot as check
from vesica.matching.match import match
from vesica.plot.drawn_regions import Drawn, Look, draw, rings_of_rows
from vesica.plot.theme import THEMES, axes_of, titled
from vesica.regions import regions_of_pair

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def regions(
    image: Any,
    truth: Any,
    guess: Any,
    /,
    *,
    scores: Any = None,
    labels: Any = None,
    iou: float = 0.5,
    theme: Literal["light", "dark"] = "light",
    ax: Axes | None = None,
) -> Axes:
    """Draw the truths and guesses of one picture: those found, wrong guesses dotted, missed truths filled.

    Guesses are matched to truths from `iou` on, the best score first, as `match` does it; with `labels` only those of
    one class.

    Parameters
    ----------
    image : (H, W), (H, W, 3) or (H, W, 4) array; None for none
    truth, guess : regions of any two kinds that `iou` compares
    scores : (M,) of the guesses, optional
    labels : pair of lists, optional
        What each truth and each guess is called.
    iou : float, default 0.5
    theme : {"light", "dark"}
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> from vesica import plot
    >>> ax = plot.regions(None, [[0, 0, 4, 4], [6, 6, 9, 9]], [[0, 0, 4, 3], [5, 0, 7, 2]], scores=[0.9, 0.4])
    >>> ax.get_title(loc="left")
    '1 found, 1 wrong, 1 missed'
    """
    photograph = check.photograph(image)
    both = regions_of_pair(check.in_a_stack(truth), check.in_a_stack(guess))
    first, second = (check.of_the_plane(side, name) for side, name in zip(both, ("truth", "guess"), strict=True))
    score = None if scores is None else check.one_each(scores, len(second), "scores", "guesses")
    names = check.two_labels(labels, len(first), len(second))
    colours = THEMES[check.theme(theme)]
    found = match(first, second, scores=score, at_least=iou, keys=None if names is None else _codes(*names))

    right, wrong, missed = (
        np.asarray(to_numpy(rows)) for rows in (found.guess, found.unmatched_guess, found.unmatched_truth)
    )
    of_truth = [""] * len(first) if names is None else [str(name) for name in names[0]]
    of_guess = _words(len(second), None if names is None else names[1], score)
    kinds = [
        Drawn(Look("truth that was found", colours.ink, width=1.2), rings_of_rows(first, to_numpy(found.truth))),
        Drawn(
            Look("missed truth", colours.missed, filled=0.2),
            rings_of_rows(first, missed),
            _at(of_truth, missed),
            is_below=True,
        ),
        Drawn(Look("right guess", colours.right, (0, (5, 3))), rings_of_rows(second, right), _at(of_guess, right)),
        Drawn(Look("wrong guess", colours.wrong, (0, (1, 1.2))), rings_of_rows(second, wrong), _at(of_guess, wrong)),
    ]
    ax = axes_of(ax, colours, size=(6.4, 5.6))
    draw(ax, colours, kinds, photograph)
    title = f"{len(right)} found, {len(wrong)} wrong, {len(missed)} missed"
    titled(ax, colours, title, f"a guess is right from IoU {iou:g} on" + ("" if names is None else ", of one class"))
    return ax


def _codes(truth: list[Any], guess: list[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Labels as numbers: they may be of several kinds."""
    places = {name: place for place, name in enumerate(dict.fromkeys([*truth, *guess]))}
    first, second = (np.array([places[name] for name in side], np.int64) for side in (truth, guess))
    return first, second


def _words(count: int, names: list[Any] | None, scores: np.ndarray | None) -> list[str]:
    labels = [""] * count if names is None else [str(name) for name in names]
    return (
        labels
        if scores is None
        else [f"{name} {score:.2f}".strip() for name, score in zip(labels, scores, strict=True)]
    )


def _at(words: list[str], rows: np.ndarray) -> list[str]:
    return [words[row] for row in rows.tolist()]
