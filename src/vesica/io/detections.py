"""Detections: what a model found in many images, one a row, and the same file with fewer of them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vesica._kernels.native import coco_file as native
from vesica._kernels.native.coco_file import Annotations, Columns
from vesica.errors import InputError
from vesica.io import arrays, atomic, coco_errors
from vesica.io.files import File
from vesica.io.json_spans import span_of

_RESULTS = re.compile(rb"(\xef\xbb\xbf)?\s*\[\s*[{\]]")


@dataclass(frozen=True, eq=False)
class Detections:
    """N detections in the order of their file.

    Attributes
    ----------
    images, classes : (N,) integers: equal for detections of one image, of one class; None where the file has no such
    scores : (N,) float64
    boxes : (N, K) numbers, or None where there are masks
    masks : COCO's run lengths, or None where there are boxes
    rows : the rows of the file: objects of COCO, or a table
    """

    images: np.ndarray | None
    classes: np.ndarray | None
    scores: np.ndarray
    boxes: np.ndarray | None
    masks: RunLengths | None
    rows: JsonRows | np.ndarray

    def __len__(self) -> int:
        return len(self.scores)


@dataclass(frozen=True, eq=False)
class JsonRows:
    """Objects of a JSON file, each by its own bytes."""

    file: File
    begin: np.ndarray
    end: np.ndarray

    def text(self, row: int, score: float | None = None) -> str:
        """The object as it was written, or with another score."""
        text = self.file.data[self.begin[row] : self.end[row]].decode("utf-8", "replace")
        if score is None:
            return text
        begin, end = span_of(text, "score")
        return f"{text[:begin]}{json.dumps(score)}{text[end:]}"


@dataclass(frozen=True, eq=False)
class RunLengths:
    """Masks of a JSON file: read when they are asked for."""

    file: File
    found: Columns

    def __getitem__(self, row: int) -> dict[str, Any]:
        rows = self.found.annotations
        if rows.row_has(row, "segmentation"):
            assert rows.text is not None
            assert rows.segment_begin is not None
            assert rows.segment_end is not None
            mask = json.loads(rows.text[rows.segment_begin[row] : rows.segment_end[row]].tobytes())
            if isinstance(mask, dict) and {"size", "counts"} <= mask.keys():
                return mask
        raise coco_errors.error_of_row(
            self.file,
            self.found,
            row,
            'must have a "bbox", or a "segmentation" of run lengths: {"size": [height, width], "counts": …}.',
        )


def detections_of(file: File, /, *, columns: int = 4, masks: bool = False) -> Detections:
    """The detections of a file that has been read.

    COCO's results are a list of objects with "image_id", "category_id", "score" and a "bbox" of x, y, w, h or a
    "segmentation" of run lengths, which is taken where there is no "bbox", or with `masks`. In a table a row has
    `columns` numbers of the region, then the score, and then, where there are more, the class and the image.
    """
    if file.kind != "json":
        return _of_table(arrays.array_of(file), columns, file.name)
    if _RESULTS.match(file.data[:4096]):
        return _of_results(file, masks)
    value = file.json()
    if isinstance(value, dict) and "annotations" in value:
        raise InputError(f"{file.name} is a truth file of COCO: its annotations have no scores to choose by.")
    return _of_table(arrays.array_of_json(value, file.name), columns, file.name)


def _of_table(table: np.ndarray, columns: int, name: str) -> Detections:
    if table.ndim == 1 and not table.size:
        table = np.empty((0, columns + 1))
    if table.ndim != 2 or not columns < table.shape[1] <= columns + 3:
        raise InputError(
            f"{name}: a row has {columns} numbers of the region, the score, and then perhaps the class and the image; "
            f"got a table of shape {table.shape}."
        )
    extra = [table[:, k] for k in range(columns + 1, table.shape[1])]
    classes, images = (*extra, None, None)[:2]
    return Detections(images, classes, table[:, columns].astype(np.float64), table[:, :columns], None, table)


def _of_results(file: File, masks: bool) -> Detections:
    found = native.read(file.view, masks=True, spans=True)
    if not isinstance(found, Columns):
        raise coco_errors.error(file, found)
    coco_errors.check_given(file, found, ("image_id", "score"))
    rows = found.annotations
    has_boxes = not rows.rows or (not masks and rows.is_in_all("bbox"))
    return Detections(
        rows.image,
        rows.category if rows.is_in_all("category_id") else None,
        np.empty(0) if rows.score is None else rows.score,
        None if not has_boxes else np.empty((0, 4)) if rows.xywh is None else rows.xywh,
        None if has_boxes else RunLengths(file, found),
        _records(file, rows),
    )


def _records(file: File, rows: Annotations) -> JsonRows:
    none = np.empty(0, np.int64)
    return JsonRows(file, none if rows.record_begin is None else rows.record_begin,
                   none if rows.record_end is None else rows.record_end)  # fmt: skip


def write(path: str, found: Detections, kept: np.ndarray, scores: np.ndarray, /) -> None:
    """Write some of the rows, with these scores, in the form of the file they came from."""
    if not isinstance(found.rows, JsonRows):
        return arrays.write(path, _table_of(found, kept, scores))
    if Path(path).suffix.lower() != ".json":
        raise InputError(f"{path}: results of COCO are written as .json.")
    text = text_of(found, kept, scores)
    with atomic.file(path) as file:
        file.write(text.encode("utf-8"))


def rows_of(found: Detections, kept: np.ndarray, scores: np.ndarray, /) -> list[Any]:
    """Some of the rows, with these scores: objects, or lists of numbers."""
    if isinstance(found.rows, JsonRows):
        return [json.loads(text) for text in _texts(found, found.rows, kept, scores)]
    rows: list[Any] = _table_of(found, kept, scores).tolist()
    return rows


def text_of(found: Detections, kept: np.ndarray, scores: np.ndarray, /) -> str:
    """The rows as the text of a file: JSON with a row a line, or CSV."""
    if isinstance(found.rows, JsonRows):
        return "[" + ",\n ".join(_texts(found, found.rows, kept, scores)) + "]\n"
    return "".join(arrays.csv_lines(_table_of(found, kept, scores)))


def _texts(found: Detections, records: JsonRows, kept: np.ndarray, scores: np.ndarray) -> list[str]:
    """A score that was not changed stays as it was written."""
    changed = scores != found.scores[kept]
    rows = zip(kept.tolist(), scores.tolist(), changed.tolist(), strict=True)
    return [records.text(row, score if is_other else None) for row, score, is_other in rows]


def _table_of(found: Detections, kept: np.ndarray, scores: np.ndarray) -> np.ndarray:
    assert isinstance(found.rows, np.ndarray)
    table: np.ndarray = found.rows[kept]
    if not np.array_equal(scores, found.scores[kept]):
        table = table.astype(np.float64)
        table[:, found.boxes.shape[1]] = scores  # type: ignore[union-attr]  # tables have boxes
    return table
