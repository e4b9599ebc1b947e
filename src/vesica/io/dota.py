"""DOTA: one text file for each image, the corners of a rotated box, its class and whether it is difficult on a line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import NamedTuple

import numpy as np

from vesica._array import objects
from vesica._check.dataset import first_bad, first_bad_corners
from vesica.dataset import Categories, Dataset, Images
from vesica.dataset.corners import around, xywh_around
from vesica.errors import InputError
from vesica.io.folders import names_in, with_ending
from vesica.io.formats import DOTA_RESULTS
from vesica.io.options import Options
from vesica.io.source import Reading, Source
from vesica.io.text_fields import beginning_of, is_number, lines_of_classes, number, text_of

_HEADER = re.compile(r"(imagesource|gsd)\s*:", re.IGNORECASE)
_HOME = "labeltxt"
"""What folders of labels are called, or begin with, in small letters."""


class _Object(NamedTuple):
    image: str
    category: str
    corners: list[float]
    difficult: bool
    score: float
    place: str


def read(source: Source, options: Options, /) -> Reading:
    """Label files, or DOTA's own files of detections."""
    files = list(source.contents())
    names = [PurePath(name).name for name, _ in files]
    are_results = bool(names) and all(re.fullmatch(DOTA_RESULTS, name) for name in names)
    data = (results_of if are_results else dataset_of)(files, options)
    return Reading(data, "corners in pixels", "DOTA" if data.score is None else "DOTA results")


def files_in(folder: Path, /) -> tuple[Path, list[Path]]:
    """Label files in the folder or in its labelTxt; else files of detections."""
    below = sorted(path for path in folder.iterdir() if path.is_dir() and path.name.lower().startswith(_HOME))
    for place in (folder, *below):
        files = with_ending(place, ".txt")
        if has_labels(files, place):
            return place, files
    return folder, results_in(folder)


def results_in(folder: Path, /) -> list[Path]:
    """DOTA's own files of detections."""
    return [folder / name for name in names_in(folder) if re.fullmatch(DOTA_RESULTS, name)]


def has_labels(files: list[Path], root: Path, /) -> bool:
    """Is the first of these files that has a line one of DOTA? Where none has any, the name of the folder tells."""
    for path in files:
        try:
            if not os.stat(path).st_size:
                continue  # an image in which nothing is: folders may have thousands
            head = beginning_of(path, 4096, root)
        except (InputError, OSError):
            continue  # told when it is read, if it is
        if head.strip():
            return looks_like_labels(head.decode("utf-8-sig", errors="replace"))
    return bool(files) and root.name.lower().startswith(_HOME)


def looks_like_labels(text: str, /) -> bool:
    """Is the first line a header of DOTA, or eight numbers and a word?"""
    line = text.strip().partition("\n")[0]
    words = line.split()
    numbers = [is_number(word) for word in words]
    return bool(_HEADER.match(line)) or (len(words) in (9, 10) and all(numbers[:8]) and not numbers[8])


def dataset_of(files: Iterable[tuple[str, bytes]], options: Options, /) -> Dataset:
    """The objects of label files, each given by its name and its bytes. Difficult ones are to be ignored."""
    rows: list[_Object] = []
    stems: list[str] = []
    headers = 0
    for name, data in files:
        stems.append(PurePath(name).stem)
        for at, line in enumerate(text_of(data, name).splitlines(), 1):
            if _HEADER.match(line.strip()):
                headers += 1
            elif line.strip():
                rows.append(_label(line.split(), stems[-1], f"{name}, line {at}"))
    notes = (f"{headers} lines of imagesource and gsd were left out",) if headers else ()
    return _dataset(rows, stems, options, notes=notes, has_score=False)


def results_of(files: Iterable[tuple[str, bytes]], options: Options, /) -> Dataset:
    """The detections of DOTA's own files, one for each class: lines of image, score and four corners."""
    rows: list[_Object] = []
    lines = lines_of_classes(files, DOTA_RESULTS, 10, "image, score and eight numbers of corners")
    for category, words, place in lines:
        score, *corners = (number(word, place) for word in words[1:])
        rows.append(_Object(words[0], category, corners, False, score, place))
    return _dataset(rows, sorted({row.image for row in rows}), options, has_score=True)


def _label(words: list[str], image: str, place: str) -> _Object:
    if len(words) not in (9, 10):
        raise InputError(
            f"{place}: must have eight numbers of corners, the class and 0 or 1 for difficult; got {len(words)} words."
        )
    difficult = words[9] if len(words) == 10 else "0"
    if not (difficult.isascii() and difficult.isdigit()):
        raise InputError(f"{place}: difficult must be 0, 1 or 2; got {difficult[:20]!r}.")
    corners = [number(word, place) for word in words[:8]]
    return _Object(image, words[8], corners, difficult.strip("0") != "", 0.0, place)


def _dataset(
    rows: list[_Object], images: list[str], options: Options, *, has_score: bool, notes: tuple[str, ...] = ()
) -> Dataset:
    corners = np.array([row.corners for row in rows], np.float64).reshape(-1, 4, 2)
    score = np.array([row.score for row in rows], np.float64) if has_score else None
    if options.check:
        _look(rows, corners, score)
    place_of = {image: place for place, image in enumerate(images)}
    if len(place_of) != len(images):
        twice = next(image for image in images if images.count(image) > 1)
        raise InputError(f"Two label files are called {twice}.txt; read the folders one by one.")
    classes = sorted({row.category for row in rows})
    kind_of = {name: place for place, name in enumerate(classes)}
    difficult = np.array([row.difficult for row in rows], bool)
    ordered = around(corners)
    return Dataset(
        Images(objects(images)),
        Categories(objects(classes), names=objects(classes)),
        np.array([place_of[row.image] for row in rows], np.int64),
        np.array([kind_of[row.category] for row in rows], np.int64),
        xywh_around(ordered),
        corners=ordered,
        score=score,
        ignore=difficult if difficult.any() else None,
        notes=notes,
    )


def _look(rows: list[_Object], corners: np.ndarray, score: np.ndarray | None) -> None:
    faults = [first_bad_corners(corners), None if score is None else first_bad(score, "score", missing=False)]
    found = [fault for fault in faults if fault is not None]
    if found:
        row, text = min(found)
        raise InputError(f"{rows[row].place}: {text}. Leave the row out, or repair it.")
