"""DOTA, written: a label file for each image; of guesses, a file of detections for each class."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from vesica._check import brief
from vesica.dataset import Dataset
from vesica.dataset.boxless import boxes_of
from vesica.errors import InputError
from vesica.io import atomic
from vesica.io.dota import files_in
from vesica.io.text_fields import different, known_by_name, names_of, stem_of


def write(folder: Path, data: Dataset, /) -> tuple[str, ...]:
    """Write the files into a folder. Returns what could not be kept."""
    for name, lines in _labels(data) if data.score is None else _results(data):
        atomic.put(folder / name, "".join(f"{line}\n" for line in lines))
    return tuple(_lost(data))


def stale(folder: Path, /) -> list[Path]:
    """What an earlier data set left where this one is to be written."""
    place, files = files_in(folder)
    return files if place == folder else []


def corners_of(data: Dataset, /) -> np.ndarray:
    """(N, 4, 2): the corners of rotated boxes, or of upright ones."""
    if data.corners is not None:
        return data.corners
    x, y, w, h = boxes_of(data).T
    return np.stack([x, y, x + w, y, x + w, y + h, x, y + h], axis=1).reshape(-1, 4, 2)


def _labels(data: Dataset) -> Iterable[tuple[str, list[str]]]:
    stems, names, lines = _stems(data), _words(names_of(data), "category"), _lines(data)
    by_image: list[list[str]] = [[] for _ in stems]
    ignored = np.zeros(len(data), bool) if data.ignore is None else data.ignore
    rows = zip(data.image.tolist(), data.category.tolist(), lines, ignored.tolist(), strict=True)
    for image, category, line, is_ignored in rows:
        by_image[image].append(f"{line} {names[category]} {int(is_ignored)}")
    for stem, found in zip(stems, by_image, strict=True):
        yield f"{stem}.txt", found


def _results(data: Dataset) -> Iterable[tuple[str, list[str]]]:
    assert data.score is not None
    stems, names, lines = _words(_stems(data), "image"), names_of(data), _lines(data)
    by_class: list[list[str]] = [[] for _ in names]
    rows = zip(data.image.tolist(), data.category.tolist(), data.score.tolist(), lines, strict=True)
    for image, category, score, line in rows:
        by_class[category].append(f"{stems[image]} {score!r} {line}")
    for name, found in zip(names, by_class, strict=True):
        if found:
            yield f"Task1_{stem_of(name, 'category')}.txt", found


def _lines(data: Dataset) -> list[str]:
    return [" ".join(map(repr, row)) for row in corners_of(data).reshape(-1, 8).tolist()]


def _stems(data: Dataset) -> list[str]:
    return different([stem_of(id, "image") for id in data.images.ids.tolist()])


def _words(names: list[str], what: str) -> list[str]:
    spaced = next((name for name in names if name.split() != [name]), None)
    if spaced is not None:
        raise InputError(f"Lines of DOTA cannot hold the {what} {brief(spaced)}: it has spaces.")
    return names


def _lost(data: Dataset) -> list[str]:
    lost = {"masks": data.segments, "areas": data.area, "crowds": data.crowd, "ids": data.id}
    lost |= {
        "annotators": data.annotator,
        "attributes": data.attributes,
        "image sizes": data.images.height,
        "file names": data.images.names,
    }
    if data.score is not None:
        lost["what is to be ignored"] = data.ignore
    notes = [f"DOTA has no place for {what}" for what, column in lost.items() if column is not None]
    if data.corners is None:
        notes.append("upright boxes were written as four corners")
    return [*notes, *known_by_name(data)]
