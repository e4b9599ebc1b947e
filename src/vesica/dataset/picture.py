"""How a data set shows itself in a notebook: what is in it, category by category."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vesica import _html

if TYPE_CHECKING:
    from vesica.dataset import Dataset


def html_of(data: Dataset, /) -> str:
    """One table of the categories, those with most objects first, and their shares as bars."""
    kinds, images = len(data.categories), max(len(data.images), 1)
    objects = np.bincount(data.category, minlength=kinds)
    there = np.unique(data.category * np.int64(images) + data.image) // images
    seen = np.bincount(there, minlength=kinds)
    names = names_of(data)
    order = np.argsort(-objects, kind="stable").tolist()
    rows = [[names[kind], int(objects[kind]), int(seen[kind])] for kind in order[: _html.ROWS]]
    shares = [(names[kind], float(objects[kind]) / max(len(data), 1)) for kind in order]
    return _html.page(
        _html.words(repr(data)),
        _html.table(["category", "objects", "images"], rows, total=kinds),
        _html.bars("share of objects by category", shares),
        *(_html.words(f"note: {note}") for note in data.notes[:5]),
    )


def names_of(data: Dataset, /) -> list[Any]:
    """What categories are called; the id of one without a name."""
    ids, names = data.categories.ids.tolist(), data.categories.names
    return ids if names is None else [i if n is None else n for i, n in zip(ids, names.tolist(), strict=True)]
