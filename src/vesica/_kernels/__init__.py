"""Backends, and the one door to their kernels: `pick` returns the function to call, and can say why."""

from __future__ import annotations

from vesica._kernels.registry import has_kernel, load, pick, pick_arrays, seek
from vesica._kernels.tables import Counted, Formula, Members, Pixels, Ranked, Rings, Tables, Wanted

__all__ = [
    "Counted",
    "Formula",
    "Members",
    "Pixels",
    "Ranked",
    "Rings",
    "Tables",
    "Wanted",
    "has_kernel",
    "pick",
    "pick_arrays",
    "seek",
]

load()
