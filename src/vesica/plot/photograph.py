"""The picture behind regions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def show(ax: Axes, photograph: np.ndarray, /) -> None:
    """All of it, as it is: bytes that are grey go from black to white, whatever the picture has of them."""
    height, width = photograph.shape[:2]
    grey: dict[str, Any] = {"cmap": "gray", **({"vmin": 0, "vmax": 255} if photograph.dtype == np.uint8 else {})}
    ax.imshow(photograph, extent=(0, width, height, 0), interpolation="nearest", zorder=0, **grey)
