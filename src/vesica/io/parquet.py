"""Parquet and Arrow files: a row for each image with its objects in a list, or a row for each object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from vesica._check import arrow as check
from vesica.dataset import Dataset
from vesica.dataset.arrow import dataset_of, sides_of
from vesica.errors import InputError
from vesica.io.archives import look_at
from vesica.io.options import Options
from vesica.io.source import Reading, Source

PARQUET, ARROW, STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"


def read(source: Source, options: Options, /) -> Reading:
    """One file, or several parts of one data set, which must be of different images."""
    parts = {name: _part(data, name, options) for name, data in source.contents()}
    form = next(form for _, form in parts.values())
    sets = {name: data for name, (data, _) in parts.items()}
    if len(sets) == 1:
        return Reading(next(iter(sets.values())), f"{form} pixels", "Parquet")
    _different_images(sets)
    try:
        joined = Dataset.joined(list(sets.values()))
    except (ValueError, TypeError) as error:
        raise InputError(f"{source.name}: {error}") from error
    return Reading(joined, f"{form} pixels", f"{len(sets)} parts of Parquet")


def table_of(data: bytes, name: str, /) -> Any:
    """The table of a file."""
    arrow = check.installed("pyarrow", "A file of Parquet or Arrow")
    reader = arrow.BufferReader(data)
    try:
        if data.startswith(PARQUET):
            file = check.installed("pyarrow.parquet", "A file of Parquet").ParquetFile(reader)
            groups = (file.metadata.row_group(k) for k in range(file.metadata.num_row_groups))
            look_at(sum(group.total_byte_size for group in groups), len(data), name)
            return file.read()
        if data.startswith(ARROW):
            return arrow.ipc.open_file(reader).read_all()
        return arrow.ipc.open_stream(reader).read_all()
    except (arrow.ArrowException, OSError, ValueError, MemoryError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name} is no file of Parquet or Arrow that can be read: {error}.") from error


def groups_in(path: str, /) -> int:
    """How many row groups a Parquet file has; each is of whole images."""
    return int(_opened(path).metadata.num_row_groups)


def group_of(path: str, group: int | None, /) -> Any:
    """The table of one row group of a Parquet file, or of all."""
    arrow = check.installed("pyarrow", "A file of Parquet")
    file = _opened(path)
    try:
        return file.read() if group is None else file.read_row_group(group)
    except (arrow.ArrowException, OSError, ValueError, MemoryError, OverflowError) as error:
        raise InputError(f"{path} is no file of Parquet that can be read: {error}.") from error


class GroupSize(NamedTuple):
    """How much there is in a row group, or in a file, before it is read."""

    rows: int
    size: int
    """Bytes, not compressed."""
    values: int
    """Of the column that has the most: four of each box."""


def size_of_group(path: str, group: int | None, /) -> GroupSize:
    """As the file says."""
    file = _opened(path).metadata
    groups = [file.row_group(k) for k in (range(file.num_row_groups) if group is None else (group,))]
    values = (max((one.column(k).num_values for k in range(one.num_columns)), default=0) for one in groups)
    return GroupSize(sum(one.num_rows for one in groups), sum(one.total_byte_size for one in groups), sum(values))


def tables_of_group(path: str, group: int | None, rows: int, /) -> Iterator[Any]:
    """The same as `group_of`, so many rows at a time; one table at least."""
    arrow = check.installed("pyarrow", "A file of Parquet")
    file = _opened(path)
    groups = None if group is None else [group]
    table = None
    try:
        for batch in file.iter_batches(batch_size=rows, row_groups=groups, use_threads=False):
            table = arrow.Table.from_batches([batch])
            yield table
    except (arrow.ArrowException, OSError, MemoryError, OverflowError) as error:
        raise InputError(f"{path} is no file of Parquet that can be read: {error}.") from error
    if table is None:
        yield group_of(path, group)


def _opened(path: str) -> Any:
    arrow = check.installed("pyarrow", "A file of Parquet")
    parquet = check.installed("pyarrow.parquet", "A file of Parquet")
    try:
        return parquet.ParquetFile(path)
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as Parquet: {error}.") from error


def _part(data: bytes, name: str, options: Options) -> tuple[Dataset, str]:
    table = table_of(data, name)
    try:
        found, form = dataset_of(
            table,
            side=_side(sides_of(table), options.predictions),
            form=options.boxes,
            masks=options.masks,
            look=options.check,
        )
    except (ValueError, TypeError) as error:
        raise InputError(f"{name}: {error}") from error
    return found, form


def _side(present: tuple[str, ...], predictions: bool) -> str | None:
    """Of a file with truths and guesses, those that are asked for."""
    wanted = "guess" if predictions else "truth"
    return wanted if wanted in present else None


def _different_images(parts: dict[str, Dataset]) -> None:
    """No image may be in two parts; both are named."""
    seen: dict[Any, str] = {}
    for name, part in parts.items():
        for one in part.images.ids.tolist():
            if one in seen:
                raise InputError(f"{seen[one]} and {name} both have image {one!r}. An image must be in one part.")
            seen[one] = name
