"""Merging: which regions hang together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vesica import _native
from vesica._kernels import Ranked, Tables, native
from vesica._kernels.native.soft import pairs


def components(
    tables: Tables,
    name: str,
    options: Mapping[str, Any],
    ranked: Ranked,
    *,
    is_symmetric: bool,
    threads: int | None,
) -> np.ndarray:
    """Of each region the lowest row that it is linked with by pairs of a join, directly or through others."""
    i, j, _ = pairs(tables, name, options, ranked, once=is_symmetric, threads=threads)
    return native.plain(_native.components(i, j, tables.n))[0]
