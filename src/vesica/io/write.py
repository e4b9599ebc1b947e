"""Data sets into files."""

from __future__ import annotations

import gzip
import io
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from vesica import _check as check
from vesica.dataset import Dataset
from vesica.errors import InputError
from vesica.io import coco_write, csv_write, npz_write, voc_write, yolo_write

FORMATS = ("coco", "coco_results", "voc", "yolo", "csv", "npz", "npy")

_ENDINGS = {".json": "coco", ".csv": "csv", ".npz": "npz", ".npy": "npy"}
_FOLDERS = {"voc": voc_write.write, "yolo": yolo_write.write}


def write(path: str | os.PathLike[str], data: Dataset, /, *, format: str | None = None) -> tuple[str, ...]:
    """Write a data set, and return notes of what the format could not keep.

    Parameters
    ----------
    path : a file, or for VOC and YOLO a folder, which is made. Files ending in .gz are packed; "-" is standard output.
    data : Dataset
    format : {"coco", "coco_results", "voc", "yolo", "csv", "npz", "npy"}, optional
        By default the ending tells. "coco" is a list of results where there are scores, else a truth file.

    Examples
    --------
    >>> import tempfile, vesica
    >>> truth = vesica.Dataset.from_arrays([[0, 0, 4, 4]], image=[7], category=["cat"], id=[1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     notes = vesica.write(f"{folder}/truth.csv", truth)
    ...     print(Path(folder, "truth.csv").read_text())
    image_id,category_id,x,y,w,h,id
    7,cat,0.0,0.0,4.0,4.0,1
    <BLANKLINE>
    """
    format = format_of(path, format)
    place = Path(path)
    try:
        if format in _FOLDERS:
            place.mkdir(parents=True, exist_ok=True)
            return _FOLDERS[format](place, data)
        content, notes = _content(format, data)
        if os.fspath(path) == "-":
            sys.stdout.buffer.write(content)
        else:
            place.write_bytes(gzip.compress(content, mtime=0) if place.suffix.lower() == ".gz" else content)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from error
    return notes


def format_of(path: str | os.PathLike[str], format: str | None, /) -> str:
    """The format that was said, or that the ending tells."""
    if format is not None:
        return check.one_of(format, FORMATS, "format")
    name = Path(path).name
    ending = Path(name.lower().removesuffix(".gz")).suffix
    if ending not in _ENDINGS:
        raise InputError(
            f"{path}: the ending must be one of {', '.join(_ENDINGS)}; or say the format: {', '.join(FORMATS)}."
        )
    return _ENDINGS[ending]


def _content(format: str, data: Dataset) -> tuple[bytes, tuple[str, ...]]:
    if format in ("npz", "npy"):
        found: Any = npz_write.archive_of(data) if format == "npz" else npz_write.table_of(data)
        out = io.BytesIO()
        if format == "npz":
            np.savez_compressed(out, **found[0])
        else:
            np.save(out, found[0], allow_pickle=False)
        return out.getvalue(), found[1]
    is_results = format == "coco_results" or (format == "coco" and data.score is not None)
    make = csv_write.csv_text if format == "csv" else coco_write.results_text if is_results else coco_write.truth_text
    text, notes = make(data)
    return text.encode("utf-8"), notes
