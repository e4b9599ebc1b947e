"""The file that a data set was read from. What it holds beside the columns stays there until it is asked for."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class SourceFile:
    """Where the file is, what it looked like, and whose records it has.

    Attributes
    ----------
    path : absolute
    size, changed : in bytes, and in nanoseconds of its clock, when it was read
    image_ids, category_ids : of its records, in their order; as they were renamed since
    """

    path: str
    size: int
    changed: int
    image_ids: np.ndarray
    category_ids: np.ndarray

    @classmethod
    def of(cls, path: str, image_ids: np.ndarray, category_ids: np.ndarray, /) -> SourceFile | None:
        """The file as it is now; None if it is none, such as standard input."""
        try:
            found = os.stat(path)
        except OSError:
            return None
        return cls(os.path.abspath(path), found.st_size, found.st_mtime_ns, image_ids, category_ids)

    @property
    def is_as_it_was(self) -> bool:
        now = SourceFile.of(self.path, self.image_ids, self.category_ids)
        return now is not None and (now.size, now.changed) == (self.size, self.changed)
