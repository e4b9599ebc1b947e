"""Ids of images and categories, numbers or strings, in one rising order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


def rising(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ids in rising order, and the rank of each place."""
    order = np.argsort(ids, kind="stable") if ids.dtype != object else _order_of_objects(ids)
    rank = np.empty(len(ids), np.int32)
    rank[order] = np.arange(len(ids), dtype=np.int32)
    return ids[order], rank


def _order_of_objects(ids: Iterable[Any]) -> np.ndarray:
    """Numbers first, then strings: one order for ids of any kind."""
    keyed = [(isinstance(one, str), one) for one in ids]
    return np.array(sorted(range(len(keyed)), key=keyed.__getitem__), np.int64)


def places_of(ids: np.ndarray, rising: np.ndarray) -> np.ndarray:
    """The place of each id among the rising ones, −1 if it is not there."""
    if not len(rising):
        return np.full(len(ids), -1, np.int32)
    if ids.dtype != object and rising.dtype != object:
        at = np.minimum(np.searchsorted(rising, ids), len(rising) - 1)
        return np.where(rising[at] == ids, at, -1).astype(np.int32)
    table = {one: place for place, one in enumerate(rising.tolist())}
    return np.array([table.get(one, -1) for one in ids.tolist()], np.int32)
