"""Tidy tables: rows of plain values under the names of their columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

Row = dict[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Columns of one length under their names. `table["agreement"]` is a column, and a walk over it gives rows.

    `pandas.DataFrame(table.columns)` and `pyarrow.table(table.columns)` take it as it is.

    >>> import numpy as np
    >>> table = Table({"category": np.array(["cat", "dog"], object), "AP": np.array([0.5, np.nan])})
    >>> len(table), list(table)[1]
    (2, {'category': 'dog', 'AP': None})
    >>> print(table)
    category     AP
    cat       0.500
    dog           –
    """

    columns: Mapping[str, np.ndarray]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.columns:
            raise KeyError(f"the table has no column {name!r}; it has {', '.join(self.columns)}")
        return self.columns[name]

    def __iter__(self) -> Iterator[Row]:
        return iter(rows_of(self.columns))

    def __repr__(self) -> str:
        return f"Table({len(self)} rows: {', '.join(self.columns)})"

    def __str__(self) -> str:
        return self.text()

    def head(self, count: int, /) -> Table:
        """The first rows."""
        return Table({name: column[:count] for name, column in self.columns.items()})

    def text(self, *, rows: int = 20) -> str:
        """The first rows in columns of text; numbers to the right."""
        shown = [[_shown(value) for value in column[:rows].tolist()] for column in self.columns.values()]
        right = [column.dtype.kind in "iuf" for column in self.columns.values()]
        widths = [max(map(len, (name, *texts))) for name, texts in zip(self.columns, shown, strict=True)]

        def line(texts: Iterable[str]) -> str:
            cells = zip(texts, widths, right, strict=True)
            return "  ".join(f"{text:>{width}}" if is_right else f"{text:<{width}}" for text, width, is_right in cells)

        lines = [line(self.columns), *(line(texts) for texts in zip(*shown, strict=True))]
        left_out = [f"… {len(self) - rows} more rows"] if len(self) > rows else []
        return "\n".join([*(one.rstrip() for one in lines), *left_out])


def _shown(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def rows_of(columns: Mapping[str, Iterable[Any]], /) -> list[Row]:
    """One dict a row, of Python's own numbers; NaN becomes None.

    >>> rows_of({"category": ["cat", "dog"], "AP": [0.5, float("nan")], "truths": (3, 0)})
    [{'category': 'cat', 'AP': 0.5, 'truths': 3}, {'category': 'dog', 'AP': None, 'truths': 0}]
    """
    return [dict(zip(columns, map(plain, row), strict=True)) for row in zip(*columns.values(), strict=True)]


def plain(value: Any, /) -> Any:
    """A value that JSON can hold: no NumPy scalar, no NaN."""
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and math.isnan(value) else value
