"""The pairs of a collection with itself, on the host: what those verbs read that walk along overlaps."""

from __future__ import annotations

import numpy as np

from vesica._array import to_numpy
from vesica._kernels.registry import pick
from vesica._kernels.tables import Formula, Ranked, Tables, Wanted


def pairs(
    tables: Tables, formula: Formula, ranked: Ranked, *, once: bool, threads: int | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The pairs that reach the threshold: each `once`, with i < j, or in both orders (and each row with itself)."""
    wanted = Wanted(ranked.threshold, None if ranked.keys is None else (ranked.keys, ranked.keys), once)
    host = tables._replace(dtype="float64", like=np.empty(0))
    if not tables.is_flat:
        host = host._replace(a=to_numpy(tables.a), b=to_numpy(tables.b))
    i, j, value = pick("join", host, formula).call(host, formula, wanted, threads=threads)
    return i, j, value
