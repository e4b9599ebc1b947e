"""Files of COCO as columns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vesica import _native
from vesica._kernels import native

# What is wrong with a file.
FAULTS = tuple(_native.json_fault_names())
LISTS = tuple(_native.record_list_names())
# Keys of records: the bits of `given`.
FIELDS = tuple(_native.record_field_names())
# Bytes that a thread reads at a time: what they become stays in its cache.
_BLOCK = 1 << 19

Flat = tuple[np.ndarray, np.ndarray]


class Problem(NamedTuple):
    """The first thing that is wrong with a file."""

    fault: str
    at: int
    list: str | None
    record: int | None
    field: str | None
    detail: int


class Images(NamedTuple):
    """The list of images. Columns that no image has are None."""

    is_there: bool
    rows: int
    height: np.ndarray | None
    width: np.ndarray | None
    names: np.ndarray | None
    """File names, as the inside of a JSON list."""
    absent: tuple[np.ndarray | None, np.ndarray] | None
    partial: tuple[np.ndarray | None, np.ndarray] | None


class Annotations(NamedTuple):
    """The list of annotations or results. Columns that no row has are None."""

    is_there: bool
    rows: int
    in_some: int
    in_all: int
    odd: int
    """The first row with a box, a score or an area that is not finite, or negative where it should not be; or -1."""
    given: np.ndarray | None
    image: np.ndarray | None
    category: np.ndarray | None
    xywh: np.ndarray | None
    score: np.ndarray | None
    area: np.ndarray | None
    crowd: np.ndarray | None
    ignore: np.ndarray | None
    id: np.ndarray | None
    id_texts: list[tuple[int, bytes]]
    text: np.ndarray | None
    segment_begin: np.ndarray | None
    segment_end: np.ndarray | None
    record_begin: np.ndarray | None
    record_end: np.ndarray | None

    def has(self, field: str) -> np.ndarray:
        """Which rows have the field."""
        if self.given is None:
            return np.zeros(0, bool)
        return (self.given >> FIELDS.index(field) & 1).astype(bool)

    def row_has(self, row: int, field: str) -> bool:
        return self.given is not None and bool(self.given[row] >> FIELDS.index(field) & 1)

    def is_in_all(self, field: str) -> bool:
        return bool(self.in_all >> FIELDS.index(field) & 1)

    @property
    def lacks_boxes(self) -> bool:
        """Is there a mask to take the place of a box that some row does not have?"""
        return bool(self.rows) and not self.is_in_all("bbox") and bool(self.in_some >> FIELDS.index("segmentation") & 1)


class Columns(NamedTuple):
    """One file."""

    is_results: bool
    images: Images
    annotations: Annotations
    image_ids: np.ndarray
    category_ids: np.ndarray
    unknown_image: int
    """The first annotation whose image is not among the images, or -1."""
    unknown_category: int
    categories: bytes | None
    """The text of the list of categories."""


def read(
    data: np.ndarray,
    *,
    masks: bool = False,
    spans: bool = False,
    block: int = _BLOCK,
    threads: int | None = None,
) -> Columns | Problem:
    """Read the bytes of a whole file. `spans` says where each annotation stands; `block` is there for tests."""
    native.limit_kept()
    return _found(_native.coco_file_read(data, masks, spans, block, native.thread_count(threads)))


def read_open(
    file: int,
    size: int,
    *,
    masks: bool = False,
    spans: bool = False,
    block: int = _BLOCK,
    threads: int | None = None,
) -> Columns | Problem:
    """The same of an open file of `size` bytes, block by block. Raises OSError, and EOFError where it is shorter."""
    native.limit_kept()
    return _found(_native.coco_file_read_open(file, size, masks, spans, block, native.thread_count(threads)))


def _found(found: tuple[Any, ...]) -> Columns | Problem:
    if isinstance(found[0], bool):
        is_results, images, annotations, image_ids, category_ids, *rest = found
        ids = (ids_of(*image_ids), ids_of(*category_ids))
        return Columns(is_results, Images(*images), Annotations(*annotations), *ids, *rest)
    fault, at, kind, record, field, detail = found
    return Problem(
        FAULTS[fault],
        at,
        LISTS[kind] if kind >= 0 else None,
        record if record >= 0 else None,
        FIELDS[field] if field < len(FIELDS) else None,
        detail,
    )


def file_bytes(file: int, size: int) -> bytes:
    """The first bytes of an open file, read by all threads; fewer where it is shorter. Raises OSError."""
    return _native.file_bytes_read(file, size, native.thread_count(None))


def ids_of(integers: np.ndarray, texts: list[tuple[int, bytes]]) -> np.ndarray:
    """Ids as int64, or as objects where some are strings or beyond 64 bits."""
    (integers,) = native.plain(integers)
    if not texts:
        return integers
    ids = integers.astype(object)
    for place, text in texts:
        kind, value = text[:1], text[1:].decode("utf-8", "surrogatepass")
        ids[place] = value if kind == b"s" else int(value)
    return ids


def decimal(text: bytes) -> float | None:
    """The number that a text is, correctly rounded, or None."""
    return _native.decimal(np.frombuffer(text, np.uint8))


def json_fault(text: bytes) -> tuple[str, int]:
    """What is wrong with a JSON text, and where: "none" if nothing is."""
    fault, at = _native.json_fault(np.frombuffer(text, np.uint8))
    return FAULTS[fault], at
