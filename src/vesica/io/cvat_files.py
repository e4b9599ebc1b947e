"""Several files of CVAT as one data set: the tasks of one annotator, each exported by itself."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePath

import numpy as np

from vesica import _check as check
from vesica._array import objects
from vesica.dataset import Dataset
from vesica.errors import InputError
from vesica.io.cvat import dataset_of_xml
from vesica.io.options import Options


def joined_files(files: Iterable[tuple[str, bytes]], options: Options, /) -> Dataset:
    """All objects of files of different images.

    CVAT numbers the images of every task from 0, so they go by their names where ids come twice; frames of videos,
    which have none, by the name of the file and their number.
    """
    given = dict(files)
    parts = {path: dataset_of_xml(data, path, options) for path, data in given.items()}
    _check_names(parts)
    ids = Counter(id for part in parts.values() for id in part.images.ids.tolist())
    if any(count > 1 for count in ids.values()):
        parts = {path: _renamed(part, _stem(path)) for path, part in parts.items()}
    notes = tuple(f"{os.path.basename(path)}: {note}" for path, part in parts.items() for note in part.notes)
    return replace(Dataset.joined(list(parts.values())), notes=notes)


def _stem(path: str) -> str:
    """The name of a file without its ending, or of the archive that it is in: all have annotations.xml."""
    archive, is_packed, _ = path.rpartition(".zip:")
    return PurePath(archive).name if is_packed else PurePath(path).stem


def _check_names(parts: dict[str, Dataset]) -> None:
    """An image is in one file."""
    seen: dict[str, str] = {}
    for path, part in parts.items():
        for name in [] if part.images.names is None else part.images.names.tolist():
            if name is not None and seen.setdefault(name, path) != path:
                raise InputError(
                    f"{path}: the image {check.brief(name)} is in {seen[name]} too, and files of one folder are of one "
                    "annotator. Of several annotators give one file or folder for each."
                )


def _renamed(part: Dataset, stem: str) -> Dataset:
    """Images by name, or by file and number; objects by file and id."""
    own = part.images.ids.tolist()
    names = [None] * len(own) if part.images.names is None else part.images.names.tolist()
    ids = [f"{stem}/{id}" if name is None else name for id, name in zip(own, names, strict=True)]
    rows: np.ndarray | None = None if part.id is None else objects(f"{stem}/{id}" for id in part.id.tolist())
    return replace(part, images=replace(part.images, ids=objects(ids)), id=rows)
