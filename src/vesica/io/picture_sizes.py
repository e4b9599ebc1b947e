"""Sizes of images: as they were said, or from the headers of pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from vesica._check import dataset as check
from vesica.dataset import Images
from vesica.io.image_size import size_of


def sized(table: Images, sizes: Any, pictures: dict[Any, Path], root: Path | None = None, /) -> Images:
    """The images with the sizes that were said, or else those of their pictures, by id."""
    ids = table.ids.tolist()
    if sizes is None and not pictures:
        return table
    if sizes is None:
        assert root is not None
        pairs = [size_of(pictures[id], root) if id in pictures else (0, 0) for id in ids]
    elif isinstance(sizes, Mapping):
        pairs = [sizes.get(id, own) for id, own in zip(ids, table.sizes.tolist(), strict=True)]
    else:
        pairs = sizes
    array = np.broadcast_to(check.image_sizes(np.reshape(pairs, (-1, 2)) if len(ids) == 0 else pairs), (len(ids), 2))
    return replace(table, height=array[:, 0].copy(), width=array[:, 1].copy())
