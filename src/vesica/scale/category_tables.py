"""Tables of categories of parts. Where they differ, each part is scored with those of all, as one run over them is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vesica._array import objects
from vesica._check import scale as check
from vesica.dataset import Categories, Dataset
from vesica.dataset.concat import united_categories
from vesica.dataset.ids import places
from vesica.results.container import column_of, listed
from vesica.scale.parts import Part

SIDES = ("truth", "guess")
OPTION = "tables of categories"
"""What workers are told, under this name."""
Tables = dict[str, dict[str, Any]]
"""Of each side the columns of a table, as plain values."""


def option_of(parts: Sequence[Part], /) -> dict[str, Tables]:
    """The option of parts that have different tables; nothing where all have the same."""
    tables = tables_of(parts)
    return {} if tables is None else {OPTION: tables}


def tables_of(parts: Sequence[Part], /) -> Tables | None:
    """The categories of all parts that are tables with both sides; None where each part knows them by itself.

    Only the ends of files are read; where no table is written there, the column of categories too.
    """
    from vesica.io.parquet import categories_of

    paths = list(dict.fromkeys(part["table"] for part in parts if "table" in part))
    try:
        found = {side: [categories_of(path, side) for path in paths] for side in SIDES}
    except (ValueError, TypeError):
        return None  # the reader of the objects says in which row, and of which image
    told = {side: [one for one in own if one is not None] for side, own in found.items()}
    if not paths or any(len(own) < len(paths) for own in told.values()):
        return None
    if all(
        one.is_written and _plain(one.categories) == _plain(own[0].categories) for own in told.values() for one in own
    ):
        return None
    for own in told.values():
        check.same_categories_by_id(paths, [one.categories for one in own])
    return {side: _plain(united_categories([one.categories for one in own])) for side, own in told.items()}


def _plain(table: Categories) -> dict[str, Any]:
    return {name: listed(column) for name, column in vars(table).items()}


def with_table(data: Dataset, tables: Mapping[str, Any] | None, side: str, /) -> Dataset:
    """The same objects over the categories of all parts."""
    if tables is None:
        return data
    told = tables[side]
    columns = {name: None if told[name] is None else objects(told[name]) for name in told if name != "ids"}
    table = Categories(np.asarray(column_of(told["ids"])), **columns)
    return replace(data, categories=table, category=places(data.categories.ids, table.ids)[data.category])
