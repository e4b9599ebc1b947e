"""Parquet and Arrow files, written: a row for each image."""

from __future__ import annotations

from typing import Any

from vesica._check import arrow as check
from vesica.dataset import Dataset
from vesica.dataset.arrow_table import table_of

_GROUP = 64 << 20
"""Bytes of a row group, about."""


def parquet_content(data: Dataset, /) -> tuple[bytes, tuple[str, ...]]:
    """The bytes of a Parquet file, and what it could not keep."""
    parquet = check.installed("pyarrow.parquet", "A file of Parquet")
    table = table_of(data)
    rows = max(1, int(len(data.images) * _GROUP / max(table.nbytes, 1)))
    return _written(lambda out: parquet.write_table(table, out, compression="zstd", row_group_size=rows)), ()


def arrow_content(data: Dataset, /) -> tuple[bytes, tuple[str, ...]]:
    """The bytes of an Arrow file, and what it could not keep."""
    arrow = check.installed("pyarrow", "A file of Arrow")
    table = table_of(data)

    def write(out: Any) -> None:
        with arrow.ipc.new_file(out, table.schema) as file:
            file.write_table(table)

    return _written(write), ()


def _written(write: Any) -> bytes:
    import pyarrow as pa

    out = pa.BufferOutputStream()
    write(out)
    content: bytes = out.getvalue().to_pybytes()
    return content
