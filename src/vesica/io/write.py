"""Data sets into files."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

from vesica import _check as check
from vesica._check import names
from vesica.dataset import Dataset
from vesica.errors import InputError
from vesica.io import atomic
from vesica.io.formats import FORMATS, writable


@names.explained("write", "write")
def write(
    path: str | os.PathLike[str], data: Dataset, /, *, format: str | None = None, overwrite: bool = False
) -> tuple[str, ...]:
    """Write a data set, and return notes of what the format could not keep.

    It is there whole or not at all: what fails or is interrupted leaves the earlier file or folder as it was.

    Parameters
    ----------
    path : a file, or for VOC, YOLO, DOTA and LabelMe a folder, which is made. Files ending in .gz are packed; "-" is
        standard output.
    data : Dataset
    format : {"coco", "coco_results", "voc", "yolo", "dota", "cvat", "labelstudio", "labelme", "csv", "npz", "npy",
        "parquet", "arrow"}
        By default the ending tells. "coco" is a list of results where there are scores, else a truth file.
    overwrite : bool, default False
        Of folders: remove the files of an earlier data set that are there. By default they are an error, because
        readers would take them for this one. A single file is always written anew.

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
    chosen = FORMATS[format_of(path, format)]
    if chosen.write_into is not None:
        with atomic.folder(path, chosen.stale or _nothing, overwrite=overwrite) as folder:
            return chosen.write_into(folder, data)
    assert chosen.content is not None
    content, notes = chosen.content(data)
    if os.fspath(path) == "-":
        sys.stdout.buffer.write(content)
    else:
        packed = gzip.compress(content, mtime=0) if Path(path).suffix.lower() == ".gz" else content
        with atomic.file(path) as file:
            file.write(packed)
    return notes


def _nothing(folder: Path) -> list[Path]:
    return []


def format_of(path: str | os.PathLike[str], format: str | None, /) -> str:
    """The format that was said, or that the ending tells."""
    if format is not None:
        return check.one_of(format, writable(), "format")
    name = Path(path).name
    ending = Path(name.lower().removesuffix(".gz")).suffix
    endings = {format.endings[0]: name for name, format in FORMATS.items() if format.content and format.endings}
    if ending not in endings:
        raise InputError(
            f"{path}: the ending must be one of {', '.join(endings)}; or say the format: {', '.join(writable())}."
        )
    return endings[ending]
