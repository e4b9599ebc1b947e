"""The match table of many files as Parquet, in folders by category or by image: for DuckDB and polars.

Each part writes its own files, so that no machine ever has the whole table.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vesica import _check
from vesica._check import arrow as check_arrow
from vesica._check import scale as check
from vesica.detection.result import DetectionResult
from vesica.io import atomic
from vesica.results import container
from vesica.results.tables import Table
from vesica.scale import category_tables
from vesica.scale.kept import Head
from vesica.scale.parts import Part, parts_of_pairs, parts_of_tables
from vesica.scale.run import Progress, run

BY = {"category": "category_number", "image": "image_bucket"}
"""What folders are named by. The columns of the table stay in the files, with their own types."""
_KIND = container.Kind("tables of objects", b"VESICA tables of objects\n", version=1)
_FLOATS = ("score", "x1", "y1", "x2", "y2", "iou")
_TEXTS = ("cause",)


def write_objects(
    folder: str | os.PathLike[str],
    truth: Any,
    guess: Any = None,
    /,
    *,
    by: str = "category",
    buckets: int = 16,
    min_score: float | None = None,
    overwrite: bool = False,
    engine: str = "threads",
    workers: int | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **options: Any,
) -> int:
    """Write a row for each guess, and for each truth that was not found, with its cause: `result.objects()` as Parquet.

    The files lie in folders `category_number=0`, … by the place of the category in the table of categories, or
    `image_bucket=0`, … by a checksum of the image's id. The folder is there whole or not at all. How many rows there
    are is the answer. Needs pyarrow.

    Parameters
    ----------
    folder : path
    truth, guess : as of `vesica.scale.evaluate`; or, instead of both, a result that has its details
    by : {"category", "image"}
    buckets : int, default 16
        Folders of images.
    min_score : float, optional
        Only guesses from this score on.
    overwrite : bool, default False
        Remove such files of an earlier table.
    engine, workers, progress, threads : as of `vesica.scale.evaluate`
    **options : as of `vesica.evaluate`

    Examples
    --------
    >>> import tempfile, vesica
    >>> from vesica import scale
    >>> truth = vesica.Dataset.from_arrays([[0, 0, 9, 9]], image=[1], category=["cat"])
    >>> guess = vesica.Dataset.from_arrays(
    ...     [[0, 0, 9, 9], [20, 0, 29, 9]], image=[1, 1], category=["cat", "cat"], score=[0.9, 0.8]
    ... )
    >>> with tempfile.TemporaryDirectory() as place:
    ...     scale.write_objects(f"{place}/objects", vesica.evaluate(truth, guess))
    2
    """
    _check.one_of(by, BY, "by")
    count = _check.positive(buckets, "buckets")
    check_arrow.installed("pyarrow.parquet", "A table of objects as Parquet")
    how = {"by": by, "buckets": count, "min_score": min_score}
    with atomic.folder(folder, _earlier, overwrite=overwrite) as place:
        files = _Files(place, BY[by])
        if isinstance(truth, DetectionResult):
            files.put(0, objects_of_result(truth, how))
        else:
            parts = parts_of_tables(truth) if guess is None else parts_of_pairs(truth, guess)
            given = {**options, **category_tables.option_of(parts), **how, "threads": threads or 1}
            run(
                "objects", parts, given, engine=engine, workers=workers, progress=progress, kept=files, joined=False,
                few_at_once=True,
            )  # fmt: skip
            files.make_alike()
    return files.rows


def _earlier(place: Path) -> list[Path]:
    """Files of an earlier table."""
    return [path for name in BY.values() for path in sorted(place.glob(f"{name}=*/part-*.parquet"))]


@dataclass(frozen=True, eq=False)
class ObjectFiles:
    """The files of one part, by the number of their folder."""

    images: np.ndarray
    categories: list[Any]
    files: dict[int, bytes]
    rows: int

    def __len__(self) -> int:
        return self.rows

    def to_bytes(self) -> bytes:
        header = {"images": self.images.tolist(), "categories": self.categories, "rows": self.rows}
        columns = {str(number): np.frombuffer(content, np.uint8) for number, content in self.files.items()}
        return container.to_bytes(_KIND, header, columns)

    @classmethod
    def from_bytes(cls, data: bytes, /) -> ObjectFiles:
        header, columns = container.from_bytes(_KIND, data)
        with container.readable(_KIND):
            files = {int(number): content.tobytes() for number, content in columns.items()}
            return cls(np.asarray(container.column_of(header["images"])), header["categories"], files, header["rows"])


def objects_of_part(part: Part, options: dict[str, Any], /) -> ObjectFiles:
    """The files of one part: what a worker does."""
    from vesica.detection.result import summarise
    from vesica.scale.detection import records_of_part

    given = dict(options)
    how = {name: given.pop(name) for name in ("by", "buckets", "min_score")}
    return objects_of_result(summarise(records_of_part(part, {**given, "details": True})), how)


def objects_of_result(result: DetectionResult, how: dict[str, Any], /) -> ObjectFiles:
    """The files of a result that has its details."""
    table = result.objects(min_score=how["min_score"])
    names = result.categories
    numbers = {name: number for number, name in enumerate(names)}
    if how["by"] == "category":
        folder = np.array([numbers[name] for name in table["category"].tolist()], np.int64)
    else:
        known = {one: zlib.crc32(repr(one).encode()) % how["buckets"] for one in result.records.images.tolist()}
        folder = np.array([known[one] for one in table["image"].tolist()], np.int64)
    kinds = {
        "image": result.records.images.dtype == object,
        "truth": result.details.truth_id.dtype == object,
        **dict.fromkeys(("category", "truth_category"), any(isinstance(name, str) for name in names)),
    }
    files = dict(_written(table, folder, kinds))
    return ObjectFiles(result.records.images, names, files, len(table))


def _written(table: Table, folder: np.ndarray, has_texts: dict[str, bool]) -> Iterator[tuple[int, bytes]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    def column(name: str, values: np.ndarray) -> Any:
        if name in _FLOATS:
            return pa.array(values.astype(np.float64), pa.float64(), from_pandas=True)
        is_text = has_texts.get(name, name in _TEXTS)
        listed = [None if one is None else str(one) for one in values.tolist()] if is_text else values.tolist()
        return pa.array(listed, pa.string() if is_text else pa.int64())

    for number in np.unique(folder).tolist():
        rows = folder == number
        made = pa.table({name: column(name, values[rows]) for name, values in table.columns.items()})
        out = pa.BufferOutputStream()
        pq.write_table(made, out, compression="zstd")
        yield number, out.getvalue().to_pybytes()


class _Files:
    """Takes parts as they are finished, and puts their files into folders."""

    lasting = False

    def __init__(self, place: Path, key: str) -> None:
        self.place, self.key, self.rows = place, key, 0
        self.earlier: list[Head] = []
        self._schemas: dict[Path, Any] = {}
        self._categories: list[Any] | None = None

    def add(self, head: Head, body: bytes, merge: Callable[[list[bytes]], bytes], /) -> None:
        self.put(head.part, ObjectFiles.from_bytes(body))

    def write(self, merge: Callable[[list[bytes]], bytes], /) -> None:
        """Nothing waits."""

    def bodies(self) -> Iterator[bytes]:
        yield from ()

    def put(self, part: int, found: ObjectFiles, /) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._categories = found.categories if self._categories is None else self._categories
        check.same_categories(self._categories, found.categories)
        for number, content in found.files.items():
            folder = self.place / f"{self.key}={number}"
            folder.mkdir(exist_ok=True)
            path = folder / f"part-{part:05d}.parquet"
            atomic.put(path, content)
            self._schemas[path] = pq.read_schema(pa.BufferReader(content))
        self.rows += found.rows

    def make_alike(self) -> None:
        """Give all files the types of one table of all parts: ids are texts if those of some part are."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        schemas, text = list(self._schemas.values()), pa.string()
        kinds = {
            name: text if any(one.field(name).type == text for one in schemas) else schemas[0].field(name).type
            for name in (schemas[0].names if schemas else ())
        }
        whole = pa.schema(kinds.items())
        for path, schema in self._schemas.items():
            if not schema.equals(whole):
                out = pa.BufferOutputStream()
                pq.write_table(pq.read_table(path, partitioning=None).cast(whole), out, compression="zstd")
                path.unlink()
                atomic.put(path, out.getvalue().to_pybytes())
