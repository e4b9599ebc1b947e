"""Ids of images, categories and annotators, and their places in a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def together(tables: Sequence[np.ndarray], /) -> np.ndarray:
    """The ids of several tables one behind the other: objects, if any of them has strings."""
    has_objects = any(table.dtype == object for table in tables)
    return np.concatenate([table.astype(object) if has_objects else table for table in tables])


def table_of(ids: np.ndarray, /) -> tuple[np.ndarray, np.ndarray]:
    """The different ids, integers before strings, each kind in rising order; and the place of each row among them."""
    if ids.dtype == object:
        table = np.array(sorted(set(ids.tolist()), key=_order) or [], object)
        return table, places(ids, table)
    if not ids.size:
        return ids, ids
    low = int(ids.min())
    if not _is_dense(ids, low):
        table, where = np.unique(ids, return_inverse=True)
        return table, where.reshape(-1).astype(np.int64, copy=False)
    seen = np.zeros(int(ids.max()) - low + 1, bool)
    seen[ids - low] = True
    return np.flatnonzero(seen) + low, (np.cumsum(seen) - 1)[ids - low]


def rising(ids: np.ndarray, /) -> tuple[np.ndarray, np.ndarray]:
    """The ids in rising order, and the rank of each place."""
    if ids.dtype != object and (ids[1:] > ids[:-1]).all():
        return ids.copy(), np.arange(len(ids), dtype=np.int32)
    if ids.dtype == object:
        listed = ids.tolist()
        order = np.array(sorted(range(len(ids)), key=lambda place: _order(listed[place])), np.int64)
    else:
        order = np.argsort(ids, kind="stable")
    rank = np.empty(len(ids), np.int32)
    rank[order] = np.arange(len(ids), dtype=np.int32)
    return ids[order], rank


def places(ids: np.ndarray, table: np.ndarray, /) -> np.ndarray:
    """The place of each id in a table without repetitions; −1 where it is not there."""
    if ids.dtype == object or table.dtype == object:
        known = {one: place for place, one in enumerate(table.tolist())}
        return np.array([known.get(one, -1) for one in ids.tolist()], np.int64)
    if not ids.size or not table.size:
        return np.full(len(ids), -1, np.int64)
    if ids.dtype == table.dtype and len(ids) <= len(table) and (ids == table[: len(ids)]).all():
        return np.arange(len(ids), dtype=np.int32)
    low = int(table.min())
    if _is_dense(table, low, len(ids)):
        high = int(table.max())
        low = 0 if 0 <= low <= high - low else low  # then nothing is subtracted
        place = np.full(high - low + 1, -1, np.int32)
        place[table - low if low else table] = np.arange(len(table), dtype=np.int32)
        if low <= int(ids.min()) and int(ids.max()) <= high:
            found: np.ndarray = place[ids - low if low else ids]
            return found
        inside = (ids >= low) & (ids <= high)
        return np.where(inside, place[np.where(inside, ids - low, 0)], np.int32(-1))
    order = np.argsort(table)
    near = order[np.minimum(np.searchsorted(table, ids, sorter=order), len(table) - 1)]
    return np.where(table[near] == ids, near, -1)


def _is_dense(ids: np.ndarray, low: int, rows: int = 0) -> bool:
    """Is a slot for every integer between the ends cheaper than sorting?"""
    return int(ids.max()) - low < 8 * (len(ids) + rows) + (1 << 16)


def _order(id: Any) -> tuple[bool, Any]:
    return isinstance(id, str), id
