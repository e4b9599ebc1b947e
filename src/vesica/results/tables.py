"""Tidy tables: rows of plain values under the names of their columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os

    import numpy as np

Row = dict[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Columns of one length under their names. `table["agreement"]` is a column, and a walk over it gives rows.

    It goes on to pandas, Arrow and Parquet: `to_pandas()`, `to_arrow()`, `to_parquet(path)`.

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

    def _repr_html_(self) -> str:
        from vesica import _html  # late: only notebooks ask for it

        rows = [list(row.values()) for row in self.head(_html.ROWS)]
        return _html.page(_html.table(list(self.columns), rows, total=len(self)))

    def head(self, count: int, /) -> Table:
        """The first rows."""
        return Table({name: column[:count] for name, column in self.columns.items()})

    def to_pandas(self) -> Any:
        """A pandas.DataFrame. What is not defined is NaN or None; integers with gaps are "Int64"."""
        from vesica._check.extras import installed  # late, as below: most tables stay here

        pandas = installed("pandas", "`to_pandas`", "pandas")
        columns = {
            name: pandas.array(column, dtype="Int64") if _has_gaps(column) else column
            for name, column in self.columns.items()
        }
        return pandas.DataFrame(columns)

    def to_arrow(self) -> Any:
        """A pyarrow.Table, which DuckDB and polars read as it is. What is not defined is null."""
        from vesica._check.extras import installed

        pyarrow = installed("pyarrow", "`to_arrow`", "vesica[arrow]")
        arrays = {name: _arrow_array(pyarrow, column) for name, column in self.columns.items()}
        return pyarrow.table(arrays)

    def to_parquet(self, path: str | os.PathLike[str], /) -> None:
        """Write it as a Parquet file, which is there whole or not at all."""
        import importlib  # late, and by name: files know tables, not the other way round

        from vesica._check.extras import installed

        parquet = installed("pyarrow.parquet", "`to_parquet`", "vesica[arrow]")
        with importlib.import_module("vesica.io.atomic").file(path) as out:
            parquet.write_table(self.to_arrow(), out, compression="zstd")

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


def _has_gaps(column: np.ndarray) -> bool:
    """Integers, and None where there is none?"""
    if column.dtype != object:
        return False
    kinds = set(map(type, column.tolist()))
    return kinds == {int, type(None)}


def _arrow_array(pyarrow: ModuleType, column: np.ndarray) -> Any:
    """NaN and None become null; ids of several kinds become text."""
    if column.dtype == object:
        listed = column.tolist()
        kinds = {type(value) for value in listed} - {type(None)}
        if len(kinds) > 1:
            listed = [None if value is None else str(value) for value in listed]
        return pyarrow.array(listed)
    return pyarrow.array(column, from_pandas=True)


def _shown(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def rows_of(columns: Mapping[str, Iterable[Any]], /) -> list[Row]:
    """One dict a row, of Python's own numbers; NaN becomes None.

    >>> rows_of({"category": ["cat", "dog"], "AP": [0.5, float("nan")], "truths": (3, 0)})
    [{'category': 'cat', 'AP': 0.5, 'truths': 3}, {'category': 'dog', 'AP': None, 'truths': 0}]
    """
    names, listed = list(columns), [_listed(column) for column in columns.values()]
    return [dict(zip(names, row, strict=True)) for row in zip(*listed, strict=True)]


def _listed(column: Iterable[Any]) -> list[Any]:
    """Plain values; of an array all at once, for tables of cells are long."""
    kind = getattr(getattr(column, "dtype", None), "kind", "")
    if kind in "iub" and kind:
        found: list[Any] = column.tolist()  # type: ignore[attr-defined]
        return found
    if kind == "f" and column.dtype.itemsize <= 8:  # type: ignore[attr-defined]
        return [None if value != value else value for value in column.tolist()]  # type: ignore[attr-defined]
    return [plain(value) for value in column]


def plain(value: Any, /) -> Any:
    """A value that JSON can hold: no NumPy scalar, no NaN."""
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and math.isnan(value) else value
