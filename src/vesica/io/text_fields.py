"""Rows of a file: their numbers, and where to look when one of them is not sound."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePath
from typing import Any

from vesica._check import brief
from vesica._check import dataset as check
from vesica.dataset import Dataset
from vesica.errors import InputError
from vesica.io.files import bytes_at

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(nan|inf|infinity)", re.IGNORECASE | re.ASCII)


def is_number(word: str, /) -> bool:
    return _NUMBER.fullmatch(word) is not None


def number(word: str, place: str, /) -> float:
    """A number as files write it. NaN and infinity are read, and told as values."""
    if len(word) > 1000:
        raise InputError(f"{place}: a number must have at most 1,000 characters; got {len(word):,}.")
    if not is_number(word):
        raise InputError(f"{place}: {brief(word)} is not a number.")
    return float(word)


def sound(columns: dict[str, Any], place: Callable[[int], str], /) -> None:
    """Raise for the first row whose box, score or area is not finite, or whose box has a negative side."""
    faults = [None if columns.get("boxes") is None else check.first_bad_box(columns["boxes"])]
    for name in ("score", "area"):
        if columns.get(name) is not None:
            faults.append(check.first_bad(columns[name], name, missing=name == "area"))
    found = [fault for fault in faults if fault is not None]
    if found:
        row, text = min(found)
        raise InputError(f"{place(row)}: {text}. Leave the row out, or repair it.")


def text_of(data: bytes, name: str, /) -> str:
    """The text of a file."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(f"{name} is written in UTF-16; save it as UTF-8.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not text: byte {error.start} is not UTF-8.") from error


def lines_of_classes(
    files: Iterable[tuple[str, bytes]], names: str, fields: int, wanted: str, /
) -> Iterator[tuple[str, list[str], str]]:
    """Files of one class each, which their names tell: class, words and place of each line that has any."""
    for name, data in files:
        named = re.fullmatch(names, PurePath(name).name)
        category = named[1] if named else PurePath(name).stem
        for at, line in enumerate(text_of(data, name).splitlines(), 1):
            words, place = line.split(), f"{name}, line {at}"
            if not words:
                continue
            if len(words) != fields:
                raise InputError(f"{place}: must have {wanted}; got {len(words)} words.")
            yield category, words, place


def bytes_of(path: str | Path, root: str | Path, /) -> bytes:
    """The bytes of one file of a folder, as they are at one moment."""
    look_at(path, root)
    return bytes_at(path)


def beginning_of(path: Path, most: int, root: Path | None = None, /) -> bytes:
    """The first bytes of a file, so many at most."""
    if root is not None:
        look_at(path, root)
    try:
        with open(path, "rb") as file:
            return file.read(most)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error


def look_at(path: str | Path, root: str | Path, /) -> None:
    """Refuse what is no file of the folder that was asked for: a link that leads out of it, a pipe, a device."""
    try:
        kind = os.lstat(path).st_mode
        if stat.S_ISLNK(kind):
            if not Path(path).resolve().is_relative_to(Path(root).resolve()):
                raise InputError(
                    f"{path} is a link that leads out of {root}. Copy the file, or read the folder it leads to."
                )
            kind = os.stat(path).st_mode
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    if not stat.S_ISREG(kind):
        raise InputError(f"{path} cannot be read: it is no file.")


def stem_of(id: Any, what: str, /) -> str:
    """The name of a file that an id asks for, without its ending; names that would leave the folder are refused."""
    name = str(id)
    if not name or name in (".", "..") or any(c in name for c in "/\\\0:") or len(os.fsencode(name)) > 200:
        raise InputError(f"{what} {brief(id)} cannot be the name of a file. Give it an id without / \\ : and NUL.")
    return name


def different(stems: list[str], /) -> list[str]:
    """Names of files, all different."""
    if len(set(stems)) != len(stems):
        twice = next(stem for stem in stems if stems.count(stem) > 1)
        raise InputError(f"Two images would be written to one file, {brief(twice)}.")
    return stems


def names_of(data: Dataset, /) -> list[str]:
    """A name for each category: its own, or its id."""
    ids = data.categories.ids.tolist()
    names = [None] * len(ids) if data.categories.names is None else data.categories.names.tolist()
    found = [str(id) if name is None else str(name) for id, name in zip(ids, names, strict=True)]
    if len(set(found)) != len(found):
        twice = next(name for name in found if found.count(name) > 1)
        raise InputError(f"Two categories are called {brief(twice)}; this format knows them by their names.")
    return found


def known_by_name(data: Dataset, /) -> list[str]:
    """What is lost in a format that knows images and categories by name, and guesses in one file for each category."""
    notes = []
    if data.images.ids.dtype != object and len(data.images):
        notes.append("image ids became strings")
    names = names_of(data)
    if data.categories.ids.tolist() != sorted(names):
        notes.append("categories are known by their names, in alphabetical order")
    if len(set(names)) > len(set(data.category.tolist())):
        notes.append("categories without an object left no trace")
    if data.score is not None and len(set(data.image.tolist())) < len(data.images):
        notes.append("images without a detection left no trace")
    return notes


_COLUMNS = {
    "score": "scores",
    "area": "areas",
    "crowd": "crowds",
    "ignore": "what is to be ignored",
    "id": "ids",
    "annotator": "annotators",
    "round": "rounds",
    "assignments": "assignments",
    "attributes": "attributes",
}


def lost_columns(data: Dataset, tool: str, /, *, kept: tuple[str, ...] = ()) -> list[str]:
    """Columns that an annotation tool has no place for, but for those that are kept."""
    return [
        f"{tool} has no place for {words}"
        for name, words in _COLUMNS.items()
        if name not in kept and getattr(data, name) is not None
    ]


def rows_by_image(data: Dataset, /) -> list[list[int]]:
    """The rows of each image, in their order."""
    rows: list[list[int]] = [[] for _ in range(len(data.images))]
    for row, place in enumerate(data.image.tolist()):
        rows[place].append(row)
    return rows
