"""Pictures as files: PNG, SVG or PDF, equal bytes for equal pictures."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any

from vesica._check import plot as check
from vesica.io import atomic

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Neither a date nor the version of a library is part of a picture.
_METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
# Texts of an SVG stay texts, and its ids depend on nothing but what is drawn.
_LOOK = {"svg.fonttype": "none", "svg.hashsalt": "vesica"}


def save(ax: Axes, path: str | os.PathLike[str], /, *, dpi: float = 150) -> None:
    """Write the figure of a picture as PNG, SVG or PDF, as the ending says: whole or not at all.

    Equal pictures have equal bytes: no date is written. Texts of an SVG stay texts.

    Parameters
    ----------
    ax : what every picture here answers
    path : name of a file that ends in .png, .svg or .pdf
    dpi : float, default 150
        Pixels an inch, of PNG.

    Examples
    --------
    >>> from vesica import plot
    >>> ax = plot.overlap([[0, 0, 4, 4]], [[2, 2, 6, 6]])
    >>> plot.save(ax, "overlap.svg")  # doctest: +SKIP
    """
    ending = check.ending_of(os.fspath(path))
    content = bytes_of(ax, ending, dpi=check.dpi(dpi))

    with atomic.file(path) as file:
        file.write(content)


def bytes_of(ax: Axes, ending: str, /, *, dpi: float = 150) -> bytes:
    """The figure of a picture as the content of a file."""
    from matplotlib import rc_context

    figure = ax.get_figure(root=True)
    assert figure is not None
    out = io.BytesIO()
    with rc_context(_LOOK):
        figure.savefig(out, format=ending, dpi=dpi, metadata=_METADATA[ending])
    return out.getvalue()
