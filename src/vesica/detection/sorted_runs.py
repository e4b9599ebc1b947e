"""Sorted runs: the guesses of some images as rows of bytes, each category by score, best first.

They are what is kept on disk where guesses are too many for memory: `run_merging` reads many of them side by side. A
row has the score, the place of the image, the rank in its cell, and two sets of lanes, as `Records` has them.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from vesica._check import records as check_records
from vesica._check import sorted_runs as check
from vesica._kernels.native import precision_recall
from vesica._kernels.native import sorted_runs as kernel
from vesica.dataset import Categories
from vesica.detection.protocol import Protocol
from vesica.detection.records import Records, protocol_in, summed, tables_in, united
from vesica.results import container
from vesica.results.result import Note

KIND = container.Kind("sorted runs", b"VESICA sorted run\n", version=1)


@dataclass(frozen=True, eq=False)
class SortedRun:
    """What a score needs of some images.

    Attributes
    ----------
    protocol, categories, images, notes : as of `Records`
    positives : (K, A) int64: how many truths are to be found
    guesses : (K,) int64: how many guesses each category has; their rows follow those of the category before
    checksums : (K,) uint32: CRC-32 of the rows of each category
    score_bytes : 4 where nothing is lost by it, or 8
    rows : function of a first row and an end: (bytes,) uint8. They may lie in a file
    name : where they are, for messages
    """

    protocol: Protocol
    categories: Categories
    images: np.ndarray
    positives: np.ndarray
    guesses: np.ndarray
    checksums: np.ndarray
    score_bytes: int
    rows: Callable[[int, int], np.ndarray]
    notes: tuple[Note, ...] = ()
    name: str = "these sorted runs"

    def __len__(self) -> int:
        return int(self.guesses.sum())

    def __repr__(self) -> str:
        return f"SortedRun({len(self)} guesses, {len(self.images)} images, {self.protocol.name})"

    @property
    def rank_bytes(self) -> int:
        """How many bytes a rank has: as many as the limit of guesses needs."""
        return rank_bytes(self.protocol)

    @property
    def row_bytes(self) -> int:
        """How many bytes a row has."""
        return kernel.row_bytes(self.score_bytes, self.rank_bytes, lane_count(self.protocol))

    @property
    def bounds(self) -> np.ndarray:
        """(K + 1,) int64: the first row of each category, and the end."""
        first: np.ndarray = np.concatenate([[0], np.cumsum(self.guesses, dtype=np.int64)])
        return first

    def to_bytes(self) -> bytes:
        """All of it as bytes that every later version of the same format reads."""
        header = {
            "protocol": asdict(self.protocol),
            "digest": self.protocol.digest,
            "categories": {name: container.listed(column) for name, column in vars(self.categories).items()},
            "images": self.images.tolist(),
            "notes": [asdict(note) for note in self.notes],
            "score_bytes": self.score_bytes,
        }
        columns = {name: getattr(self, name) for name in ("positives", "guesses", "checksums")}
        rows = self.rows(0, len(self)).reshape(len(self), self.row_bytes)
        return container.to_bytes(KIND, header, {**columns, "rows": rows})

    @classmethod
    def from_bytes(cls, data: bytes, /) -> SortedRun:
        """What `to_bytes` gave. Damage, other formats and other versions are errors."""
        header, columns = container.from_bytes(KIND, data)
        with container.readable(KIND):
            content = np.ascontiguousarray(columns.pop("rows")).reshape(-1)
            return cls.of_columns(header, columns, len(content), lambda size: _slices(content, size))

    @classmethod
    def opened(cls, read: Callable[[int, int], bytes], name: str, /) -> SortedRun:
        """The same without its rows, which `read(begin, count)` gives when they are asked for."""
        found = container.opened(KIND, read)

        def rows_of(size: int) -> Callable[[int, int], np.ndarray]:
            def rows(first: int, end: int) -> np.ndarray:
                content = read(found.begin + first * size, (end - first) * size)
                check.complete(len(content) == (end - first) * size, name)
                return np.frombuffer(content, np.uint8)

            return rows

        with container.readable(KIND):
            run = cls.of_columns(found.content.header, dict(found.content.columns), found.length, rows_of)
        return replace(run, name=name)

    @classmethod
    def of_columns(
        cls,
        header: dict[str, Any],
        columns: dict[str, np.ndarray],
        length: int,
        rows: Callable[[int], Callable[[int, int], np.ndarray]],
        /,
    ) -> SortedRun:
        """What a file has, looked through: the kernels trust it. `rows` is told how long one is."""
        protocol = protocol_in(header)
        images, categories, notes = tables_in(header)
        size = check.columns(columns, header["score_bytes"], len(categories), len(protocol.areas))
        one = kernel.row_bytes(size, rank_bytes(protocol), lane_count(protocol))
        check.length(length, one * int(columns["guesses"].sum()))
        positives, guesses, checksums = (columns[name] for name in ("positives", "guesses", "checksums"))
        return cls(protocol, categories, images, positives, guesses, checksums, size, rows(one), notes)


def _slices(content: np.ndarray, size: int) -> Callable[[int, int], np.ndarray]:
    return lambda first, end: content[first * size : end * size]


def rank_bytes(protocol: Protocol, /) -> int:
    """How many bytes the rank of a guess in its cell has."""
    most = max(protocol.max_dets)
    return 1 if most <= 1 << 8 else 2 if most <= 1 << 16 else 4


def lane_count(protocol: Protocol, /) -> int:
    """How many lanes there are: thresholds in each range of areas."""
    return len(protocol.iou) * len(protocol.areas)


def sorted_run_of(records: Records, /, *, threads: int | None = None) -> SortedRun:
    """The guesses of records by score.

    >>> import vesica
    >>> truth = [{"boxes": [[0, 0, 4, 4]], "labels": [1]}]
    >>> guess = [{"boxes": [[0, 0, 4, 4], [1, 0, 5, 4]], "labels": [1, 1], "scores": [0.5, 0.75]}]
    >>> run = sorted_run_of(vesica.evaluate(truth, guess).records)
    >>> run, run.row_bytes
    (SortedRun(2 guesses, 1 images, coco), 19)
    """
    protocol = records.protocol
    with np.errstate(over="ignore"):
        is_short = np.array_equal(records.score.astype(np.float32), records.score, equal_nan=True)
    size = 4 if is_short else 8
    columns = precision_recall.Columns(
        *(np.ascontiguousarray(getattr(records, name)).ravel() for name in precision_recall.Columns._fields)
    )
    rows = kernel.sorted_rows(
        columns,
        records.image,
        (len(protocol.iou), len(protocol.areas)),
        score_bytes=size,
        rank_bytes=rank_bytes(protocol),
        threads=threads,
    )
    return _run(records, rows, np.diff(records.bounds), records.positives, size)


def _run(
    of: Records | SortedRun, rows: np.ndarray, guesses: np.ndarray, positives: np.ndarray, score_bytes: int
) -> SortedRun:
    ends = np.concatenate([[0], np.cumsum(guesses)])
    checksums = [zlib.crc32(rows[ends[k] : ends[k + 1]].reshape(-1).data) for k in range(len(guesses))]
    return SortedRun(
        of.protocol,
        of.categories,
        of.images,
        positives,
        guesses,
        np.array(checksums, np.uint32),
        score_bytes,
        _slices(rows.reshape(-1), rows.shape[1]),
        of.notes,
    )


def merge_runs(*runs: SortedRun) -> SortedRun:
    """Runs of disjoint sets of images as one, the same whatever the order."""
    check_records.some(runs)
    first = runs[0]
    for other in runs[1:]:
        check_records.together(first, other)
    ids, ranks = united([one.images for one in runs])
    size = max(one.score_bytes for one in runs)
    parts = [_fields(one, rank, size) for one, rank in zip(runs, ranks, strict=True)]
    joined = np.concatenate(parts)
    category = np.concatenate([np.repeat(np.arange(len(one.guesses)), one.guesses) for one in runs])
    with np.errstate(invalid="ignore"):
        order = np.lexsort((joined["rank"], joined["image"], -joined["score"], category))
    rows = joined[order].view(np.uint8).reshape(len(joined), joined.itemsize)
    guesses, positives = (sum(getattr(one, name) for one in runs) for name in ("guesses", "positives"))
    whole = replace(first, images=ids, notes=summed([note for one in runs for note in one.notes]))
    return _run(whole, rows, np.asarray(guesses), np.asarray(positives), size)


def _fields(run: SortedRun, rank: np.ndarray, score_bytes: int) -> np.ndarray:
    """(N,) rows as a table of fields, with images by their new places."""
    rest = 2 * -(-lane_count(run.protocol) // 8)

    def kind(size: int) -> np.dtype[Any]:
        return np.dtype(
            [("score", f"<f{size}"), ("image", "<u4"), ("rank", f"<u{run.rank_bytes}"), ("lanes", "u1", rest)]
        )

    found = np.frombuffer(run.rows(0, len(run)), kind(run.score_bytes)).astype(kind(score_bytes))
    check.places(found["image"], len(run.images))
    found["image"] = rank[found["image"]]
    return found
