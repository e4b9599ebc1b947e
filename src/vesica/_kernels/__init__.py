"""Backends, and the one door to their kernels: `pick` returns the function to call, and can say why."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

try:
    from vesica._native import Pixels
except ImportError as error:
    raise ImportError(
        "vesica's compiled core is missing or was built for another Python. "
        "Build it with `pip install .` in the source folder (a C++20 compiler is all it needs), "
        f"or install a wheel with `pip install vesica`. The cause: {error}"
    ) from error

if TYPE_CHECKING:
    from vesica._kernels.registry import has_kernel, pick, pick_arrays, seek
    from vesica._kernels.tables import (
        BandPair,
        CentrelinePair,
        Counted,
        Formula,
        Histogram,
        Members,
        Ranked,
        Rings,
        SurfacePair,
        Tables,
        Wanted,
    )

__all__ = [
    "BandPair",
    "CentrelinePair",
    "Counted",
    "Formula",
    "Histogram",
    "Members",
    "Pixels",
    "Ranked",
    "Rings",
    "SurfacePair",
    "Tables",
    "Wanted",
    "has_kernel",
    "pick",
    "pick_arrays",
    "seek",
]

_DOOR = ("has_kernel", "pick", "pick_arrays", "seek")


def __getattr__(name: str) -> Any:
    """Tables come, and the door opens, when they are imported: files are scored without most kernels, and do not wait
    for them."""
    if name not in __all__:
        raise AttributeError(f"module 'vesica._kernels' has no attribute {name!r}")
    home = importlib.import_module(f"vesica._kernels.{'registry' if name in _DOOR else 'tables'}")
    if name in _DOOR:
        home.load()
    globals()[name] = getattr(home, name)
    return globals()[name]
