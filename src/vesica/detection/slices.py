"""Slices: the scores of some images each, by camera, daylight, site, or whatever else is known of them."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from vesica._array import objects
from vesica._check import slices as check
from vesica.dataset.image_columns import column_of
from vesica.results.tables import Table

if TYPE_CHECKING:
    from vesica.dataset import Images
    from vesica.detection.result import DetectionResult

UNNAMED = "slice"
"""The column of slices that were given without a name."""


def columns_of(given: Any, images: Images, known: Mapping[str, np.ndarray], /) -> dict[str, np.ndarray]:
    """(I,) a value for each image, column by column.

    `given` is the name of a known column or several; a dict of image → value; or a dict of name → such a dict, or → one
    value for each image. Images are named by id, file name or stem.
    """
    if isinstance(given, str):
        given = (given,)
    if not isinstance(given, Mapping):
        return {name: known[check.known_column(name, known)] for name in check.names(given)}
    if not given or not all(_is_column(column) for column in given.values()):
        given = {UNNAMED: given}
    return {check.name(name): column_of(column, images, name) for name, column in given.items()}


def _is_column(value: Any) -> bool:
    return isinstance(value, (Mapping, list, tuple, np.ndarray))


class Slices(Mapping[str, "Mapping[Any, DetectionResult]"]):
    """By the name of a column and one of its values the result of the images that have it. It prints as a table.

    Images whose value is None are in no slice.
    """

    def __init__(self, result: DetectionResult, columns: Mapping[str, np.ndarray], /) -> None:
        self._result, self._columns = result, columns

    def __getitem__(self, name: str) -> Mapping[Any, DetectionResult]:
        return self._found[check.known_slice(name, self._columns)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @functools.cached_property
    def _found(self) -> dict[str, dict[Any, DetectionResult]]:
        return {
            name: {value: self._result.of_images(column == value) for value in values_of(column)}
            for name, column in self._columns.items()
        }

    def table(self) -> Table:
        """A row for each slice: how many images and truths it has, and its numbers."""
        rows = [(name, value, one) for name, found in self.items() for value, one in found.items()]
        numbers = {
            number: np.array([one.summary[number] for *_, one in rows], np.float64) for number in self._result.summary
        }
        return Table(
            {
                "column": objects(name for name, *_ in rows),
                "slice": objects(value for _, value, _ in rows),
                "images": np.array([len(one.records.images) for *_, one in rows], np.int64),
                "truths": np.array([one.truths for *_, one in rows], np.int64),
                **numbers,
            }
        )

    def _repr_html_(self) -> str:
        from vesica import _html  # late: only notebooks ask for it

        return _html.page(_html.words(repr(self)), self.table()._repr_html_())

    def __str__(self) -> str:
        table = self.table()
        return table.text(rows=len(table))

    def __repr__(self) -> str:
        return f"Slices({', '.join(f'{name}: {len(found)}' for name, found in self.items())})"


def values_of(column: np.ndarray, /) -> list[Any]:
    """The values that occur, rising where they can be compared; None is none."""
    found = list(dict.fromkeys(value for value in column.tolist() if value is not None))
    try:
        return sorted(found)
    except TypeError:
        return sorted(found, key=lambda value: (type(value).__name__, str(value)))
