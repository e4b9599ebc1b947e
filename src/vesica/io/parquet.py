"""Parquet and Arrow files: a row for each image with its objects in a list, or a row for each object."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from vesica._check import arrow as check
from vesica.dataset import Categories, Dataset
from vesica.dataset.arrow import SIDES, categories_among, categories_said, dataset_of, sides_of_table
from vesica.errors import InputError
from vesica.io.archives import look_at
from vesica.io.files import OpenFile
from vesica.io.ipc_sizes import unpacked
from vesica.io.options import Options
from vesica.io.parquet_columns import category_columns, columns_of
from vesica.io.source import Reading, Source

PARQUET, ARROW, STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"


def read(source: Source, options: Options, /) -> Reading:
    """One file, or several parts of one data set, which must be of different images."""
    parts = {name: _part(content, name, options) for name, content in _contents(source)}
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


def _contents(source: Source) -> Iterator[tuple[str, bytes | OpenFile]]:
    """All files. One that is open is read as far as it is needed."""
    content = None if source.loaded is None else source.loaded.content
    if isinstance(content, OpenFile) and content.is_regular:
        yield source.name, content
    else:
        yield from source.contents()


def _table_of(content: bytes | OpenFile, name: str, options: Options) -> Any:
    """The table of a file, as far as it is needed."""
    arrow = check.installed("pyarrow", "A file of Parquet or Arrow")
    head = content[: len(ARROW)] if isinstance(content, bytes) else content.head(len(ARROW))
    try:
        if head.startswith(PARQUET):
            parquet = check.installed("pyarrow.parquet", "A file of Parquet")
            with _readable(arrow, content) as (reader, size):
                file = parquet.ParquetFile(reader)
                look_at(_unpacked(file.metadata), size, name)
                side = _side(_present(file), options.predictions)
                return check.sound(file.read(columns=columns_of(file, sides=(side,), masks=options.masks)))
        data = content if isinstance(content, bytes) else content.data
        is_file = head.startswith(ARROW)
        look_at(unpacked(data, len(ARROW) + 2 if is_file else 0), len(data), name)
        read = arrow.ipc.open_file if is_file else arrow.ipc.open_stream
        return check.sound(read(arrow.BufferReader(data)).read_all())
    except (arrow.ArrowException, OSError, ValueError, MemoryError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name} is no file of Parquet or Arrow that can be read: {error}.") from error


@contextmanager
def _readable(arrow: Any, content: bytes | OpenFile) -> Iterator[tuple[Any, int]]:
    """What Arrow reads from, and how many bytes it has."""
    if isinstance(content, bytes):
        yield arrow.BufferReader(content), len(content)
        return
    with content.reading() as number, os.fdopen(os.dup(number), "rb") as file:
        yield arrow.PythonFile(file, mode="r"), content.size


def _unpacked(metadata: Any) -> int:
    """Bytes that a file of Parquet becomes, as it says itself: what is the same in all rows is written once, and so
    each value counts as a number at least."""
    groups = (metadata.row_group(k) for k in range(metadata.num_row_groups))
    columns = (group.column(k) for group in groups for k in range(group.num_columns))
    return sum(max(one.total_uncompressed_size, 8 * one.num_values) for one in columns)


def groups_in(path: str, /) -> int:
    """How many row groups a Parquet file has; each is of whole images."""
    return int(_opened(path).metadata.num_row_groups)


def sides_in(path: str, /) -> tuple[str, ...]:
    """Which columns of a Parquet file have a list of objects for each image; only its end is read."""
    return _present(_opened(path))


def _present(file: Any) -> tuple[str, ...]:
    return tuple(name for name in SIDES if name in file.schema_arrow.names)


def group_of(path: str, group: int | None, /, *, masks: bool = True) -> Any:
    """The table of one row group of a Parquet file, or of all, without photographs, and without masks if asked."""
    arrow = check.installed("pyarrow", "A file of Parquet")
    file = _opened(path)
    try:
        columns = columns_of(file, masks=masks)
        return file.read(columns=columns) if group is None else file.read_row_group(group, columns=columns)
    except (arrow.ArrowException, OSError, ValueError, MemoryError, OverflowError) as error:
        raise InputError(f"{path} is no file of Parquet that can be read: {error}.") from error


def images_of(path: str, /) -> Any:
    """The table of a Parquet file without objects: ids, names, sizes and groups of its images."""
    arrow = check.installed("pyarrow", "A file of Parquet")
    file = _opened(path)
    try:
        return file.read(columns=columns_of(file, sides=()))
    except (arrow.ArrowException, OSError, ValueError, MemoryError, OverflowError) as error:
        raise InputError(f"{path} is no file of Parquet that can be read: {error}.") from error


class CategoryTable(NamedTuple):
    """The categories of one side of a file."""

    categories: Categories
    is_written: bool
    """Is the table written beside the columns? Otherwise objects alone tell, and each row group has its own."""


def categories_of(path: str, side: str, /) -> CategoryTable | None:
    """The categories of one side of a Parquet file; None where there is no such side."""
    arrow = check.installed("pyarrow", "A file of Parquet")
    file = _opened(path)
    if side not in _present(file):
        return None
    said = categories_said(file.schema_arrow, side)
    if said is not None:
        return CategoryTable(said, True)
    columns = category_columns(file, side)
    try:
        found = categories_among(file.read(columns=columns), side) if columns else Categories(np.array([1]))
    except (arrow.ArrowException, OSError, MemoryError, OverflowError) as error:
        raise InputError(f"{path} is no file of Parquet that can be read: {error}.") from error
    return CategoryTable(found, False)


class GroupSize(NamedTuple):
    """How much there is in a row group, or in a file, before it is read."""

    rows: int
    size: int
    """Bytes, not compressed."""
    values: int
    """Of the column that has the most: four of each box."""


def size_of_group(path: str, group: int | None, /, *, masks: bool = True) -> GroupSize:
    """Of what `group_of` reads, as the file says."""
    file = _opened(path)
    kept, every = columns_of(file, masks=masks), file.metadata
    groups = [every.row_group(k) for k in (range(every.num_row_groups) if group is None else (group,))]
    columns = [[one.column(k) for k in range(one.num_columns)] for one in groups]
    read = [[one for one in own if kept is None or one.path_in_schema in kept] for own in columns]
    return GroupSize(
        sum(one.num_rows for one in groups),
        sum(one.total_uncompressed_size for own in read for one in own),
        sum(max((one.num_values for one in own), default=0) for own in read),
    )


def tables_of_group(path: str, group: int | None, rows: int, /, *, masks: bool = True) -> Iterator[Any]:
    """The same as `group_of`, so many rows at a time; one table at least."""
    arrow = check.installed("pyarrow", "A file of Parquet")
    file = _opened(path)
    groups = None if group is None else [group]
    table = None
    try:
        columns = columns_of(file, masks=masks)
        for batch in file.iter_batches(batch_size=rows, row_groups=groups, columns=columns, use_threads=False):
            table = arrow.Table.from_batches([batch])
            yield table
    except (arrow.ArrowException, OSError, MemoryError, OverflowError) as error:
        raise InputError(f"{path} is no file of Parquet that can be read: {error}.") from error
    if table is None:
        yield group_of(path, group, masks=masks)


def _opened(path: str) -> Any:
    arrow = check.installed("pyarrow", "A file of Parquet")
    parquet = check.installed("pyarrow.parquet", "A file of Parquet")
    try:
        file = parquet.ParquetFile(path)
        size = os.path.getsize(path)
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as Parquet: {str(error).rstrip('.')}.") from error
    look_at(_unpacked(file.metadata), size, path)
    return file


def _part(content: bytes | OpenFile, name: str, options: Options) -> tuple[Dataset, str]:
    table = _table_of(content, name, options)
    try:
        found, form = dataset_of(
            table,
            side=_side(sides_of_table(table), options.predictions),
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
