"""Detections: what a model found in many images, one a row, and the same file with fewer of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vesica.errors import InputError
from vesica.io import arrays
from vesica.io.files import File


@dataclass(frozen=True, eq=False)
class Detections:
    """N detections in the order of their file.

    Attributes
    ----------
    images, classes : (N,) integers: equal for detections of one image, of one class; None where the file has no such
    scores : (N,) float64
    boxes : (N, K) numbers, or None where there are masks
    masks : COCO's run lengths, one for each, or None where there are boxes
    rows : the rows of the file: a list of objects, or a table
    """

    images: np.ndarray | None
    classes: np.ndarray | None
    scores: np.ndarray
    boxes: np.ndarray | None
    masks: list[dict[str, Any]] | None
    rows: Any

    def __len__(self) -> int:
        return len(self.scores)


def detections_of(file: File, /, *, columns: int = 4, masks: bool = False) -> Detections:
    """The detections of a file that has been read.

    COCO's results are a list of objects with "image_id", "category_id", "score" and a "bbox" of x, y, w, h or a
    "segmentation" of run lengths, which is taken where there is no "bbox", or with `masks`. In a table a row has
    `columns` numbers of the region, then the score, and then, where there are more, the class and the image.
    """
    if file.kind != "json":
        return _of_table(arrays.array_of(file), columns, file.name)
    value = file.json()
    if isinstance(value, list) and (not value or isinstance(value[0], dict)):
        return _of_results(value, masks, file.name)
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


def _of_results(rows: list[Any], masks: bool, name: str) -> Detections:
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            raise InputError(f"{name}, row {number} must be an object; got {type(row).__name__}.")
    regions = _boxes(rows, name) if rows and not masks and all("bbox" in row for row in rows) else None
    return Detections(
        _numbered(rows, "image_id", name) if rows else None,
        _numbered(rows, "category_id", name) if all("category_id" in row for row in rows) and rows else None,
        np.array([_number(row, "score", k, name) for k, row in enumerate(rows)], np.float64),
        np.empty((0, 4)) if not rows else regions,
        None if regions is not None or not rows else [_run_lengths(row, k, name) for k, row in enumerate(rows)],
        rows,
    )


def _boxes(rows: list[dict[str, Any]], name: str) -> np.ndarray:
    for number, row in enumerate(rows):
        box = row["bbox"]
        if not isinstance(box, list) or len(box) != 4 or not all(_is_number(side) for side in box):
            raise InputError(f'{name}, row {number}: "bbox" must be four numbers: x, y, w, h; got {box!r}.')
    return np.array([row["bbox"] for row in rows], np.float64)


def _run_lengths(row: dict[str, Any], number: int, name: str) -> dict[str, Any]:
    found = row.get("segmentation")
    if isinstance(found, dict) and {"size", "counts"} <= found.keys():
        return found
    raise InputError(
        f'{name}, row {number} must have a "bbox", or a "segmentation" of run lengths: '
        '{"size": [height, width], "counts": …}.'
    )


def _number(row: dict[str, Any], key: str, number: int, name: str) -> float:
    if not _is_number(row.get(key)):
        raise InputError(f'{name}, row {number}: "{key}" must be a number; got {row.get(key)!r}.')
    return float(row[key])


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _numbered(rows: list[dict[str, Any]], key: str, name: str) -> np.ndarray:
    """A small number for each different value under the key, in the order they come."""
    numbers: dict[Any, int] = {}
    for k, row in enumerate(rows):
        if isinstance(row.get(key), (bool, float, list, dict, type(None))):
            raise InputError(f'{name}, row {k}: "{key}" must be a whole number or a string; got {row.get(key)!r}.')
    return np.array([numbers.setdefault(row[key], len(numbers)) for row in rows], np.int64)


def write(path: str, found: Detections, kept: np.ndarray, scores: np.ndarray, /) -> None:
    """Write some of the rows, with these scores, in the form of the file they came from."""
    if isinstance(found.rows, list):
        if Path(path).suffix.lower() != ".json":
            raise InputError(f"{path}: results of COCO are written as .json.")
        try:
            Path(path).write_text(text_of(found, kept, scores), encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror or error}.") from error
        return
    arrays.write(path, rows_of(found, kept, scores))


def rows_of(found: Detections, kept: np.ndarray, scores: np.ndarray, /) -> Any:
    """Some of the rows, with these scores: objects, or a table."""
    if isinstance(found.rows, list):
        pairs = zip(kept.tolist(), scores.tolist(), strict=True)
        # A score that was not changed stays as it was written.
        return [found.rows[k] if score == found.scores[k] else {**found.rows[k], "score": score} for k, score in pairs]
    table = found.rows[kept]
    if not np.array_equal(scores, found.scores[kept]):
        table = table.astype(np.float64)
        table[:, found.boxes.shape[1]] = scores  # type: ignore[union-attr]  # tables have boxes
    return table


def text_of(found: Detections, kept: np.ndarray, scores: np.ndarray, /) -> str:
    """The rows as the text of a file: JSON with a row a line, or CSV."""
    rows = rows_of(found, kept, scores)
    if isinstance(found.rows, list):
        return "[" + ",\n ".join(json.dumps(row, ensure_ascii=False) for row in rows) + "]\n"
    return "".join(arrays.csv_lines(rows))
