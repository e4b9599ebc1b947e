"""How deep the pixels of masks lie."""

from __future__ import annotations

import numpy as np

from vesica import _native
from vesica._array import Array
from vesica._kernels import native
from vesica._kernels.native.labels import integers
from vesica._kernels.tables import BandPair


def bands(a: Array, b: Array, labels: np.ndarray, *, threads: int | None) -> list[BandPair]:
    """For each label the pixels of both masks by their depth."""
    lengths, counts = native.plain(
        *_native.boundary_bands(integers(a), integers(b), labels, native.thread_count(threads))
    )
    columns = np.split(counts, np.cumsum(lengths)[:-1]) if len(lengths) else []
    return [BandPair(*columns[k : k + 3]) for k in range(0, len(columns), 3)]
