"""Tables and stacks of numbers: .npy, .npz, .csv, .json, or standard input."""

from __future__ import annotations

import io
import json
import math
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from vesica.errors import InputError
from vesica.io import archives, atomic
from vesica.io.files import File, load
from vesica.io.text_fields import is_number, number, text_of

FORMATS = ("npy", "csv", "json")
DEEPEST = 32
"""Lists within lists: as many as an array of any NumPy has axes."""

_NPY, _ENDING = b"\x93NUMPY", ".npy"
_SEPARATORS = ";,\t"
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)


def read(path: str, /) -> np.ndarray:
    """Read one array. `-` is standard input, whose format is found from its first bytes.

    A CSV file has one region a line, its cells separated by semicolons, commas, tabs or spaces; a first line without a
    number is a header. JSON is a list of lists, or an object with such a list under "boxes". Whole numbers stay
    integers. An .npz archive has one array, or the array is named: `FILE.npz:NAME`.
    """
    return array_of(load(path))


def array_of(file: File, /) -> np.ndarray:
    """The array of a file that has been read."""
    if file.kind == "png":
        raise InputError(f"{file.name} is a picture, no table of numbers.")
    if file.kind == "json":
        return array_of_json(file.json(), file.name)
    return {"npy": _npy, "npz": _npz, "csv": _csv}[file.kind](file)


def _npy(file: File) -> np.ndarray:
    _look_at_room(file.data, file.name)
    try:
        loaded = np.load(io.BytesIO(file.data), allow_pickle=False)
    except Exception as error:  # a broken header makes NumPy raise whatever its parts do
        raise InputError(f"{file.name} is no .npy file of numbers: {error}.") from error
    if not isinstance(loaded, np.ndarray):
        raise InputError(f"{file.name} is an archive of several arrays; its name must end in .npz.")
    return loaded


def _look_at_room(data: bytes, name: str) -> None:
    """Raise where the header of an .npy file speaks of more numbers than there are, before room is made for them."""
    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        # Version 3 is version 2 in UTF-8.
        known = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = known(stream)
    except Exception:
        return  # no such header: NumPy says what it is when it reads the numbers
    count, there = math.prod(shape), len(data) - stream.tell()
    said = count * dtype.itemsize
    if dtype.itemsize == 0 and count:
        raise InputError(f"{name} is no .npy file of numbers: its {count:,} entries have no bytes.")
    if said > there and not dtype.hasobject:
        raise InputError(
            f"{name} is no .npy file of numbers: it speaks of {said:,} bytes, and has {there:,}. Was it cut?"
        )


def archive_of(data: bytes, name: str, /) -> dict[str, np.ndarray]:
    """All arrays of an .npz archive, by name."""
    return {
        member.removesuffix(_ENDING): _npy(File(f"{name}, array {member}", content, "npy"))
        for member, content in archives.members(data, name)
    }


def _npz(file: File) -> np.ndarray:
    if file.data.startswith(_NPY):
        raise InputError(f"{file.name} is a single array, whose name should end in .npy.")
    (member, content), *_ = archives.members(file.data, file.name, lambda names: [_member(file, names)])
    if not content.startswith(_NPY):
        raise InputError(f"{file.name} has something else than an array under that name.")
    try:
        return _npy(File(f"{file.name}, array {member}", content, "npy"))
    except InputError as error:
        raise InputError(f"{file.name} is no .npz archive of numbers: {error}") from error


def _member(file: File, entries: list[str]) -> str:
    """The one array of an archive, or the one that was named."""
    names = {entry.removesuffix(_ENDING): entry for entry in entries}
    listed = ", ".join(names) or "none"
    if file.member is not None:
        if file.member not in names:
            raise InputError(f"{file.name}: the archive has no array {file.member!r}; it has {listed}.")
        return names[file.member]
    if len(names) != 1:
        way = f" Name one: {file.name}:{next(iter(names))}." if names else ""
        raise InputError(f"{file.name} must have one array; it has {len(names)}: {listed}.{way}")
    return entries[0]


def _csv(file: File) -> np.ndarray:
    rows: list[list[float]] = []
    whole, has_header = True, False
    for at, line in enumerate(text_of(file.data, file.name).splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        place = f"{file.name}, line {at}"
        words = _cells(line)
        if "" in words:
            raise InputError(f"{place}: cell {words.index('') + 1} is empty. {_why_empty(words)}")
        if not rows and not has_header and not any(map(is_number, words)):
            has_header = True
            continue
        row = [_number(word, place, is_first=not rows and not has_header) for word in words]
        if rows and len(row) != len(rows[0]):
            raise InputError(f"{place}: {len(row)} columns, but the lines above have {len(rows[0])}.")
        whole = whole and all(isinstance(value, int) for value in row)
        rows.append(row)
    return _table(rows, whole, file.name)


def _cells(line: str) -> list[str]:
    """Without the blanks and the quotation marks around them."""
    separator = next((mark for mark in _SEPARATORS if mark in line), None)
    words = line.split() if separator is None else [word.strip() for word in line.split(separator)]
    return [word[1:-1].strip() if len(word) > 1 and word[0] == word[-1] == '"' else word for word in words]


def _why_empty(words: list[str]) -> str:
    if not any(map(is_number, words)):
        return "A header names every column; a column of row numbers is left out (in pandas: to_csv without index)."
    return "Write a number, or take the separator away."


def _number(word: str, place: str, *, is_first: bool) -> float:
    """A cell: whole numbers stay such."""
    if not is_number(word):
        more = " A header has no number in it." if is_first else ""
        raise InputError(f"{place}: {word[:40]!r} is not a number.{more}")
    value = number(word, place)
    return int(word) if _WHOLE.fullmatch(word) else value


def array_of_json(value: Any, name: str) -> np.ndarray:
    """The table of a JSON value: lists of lists, bare or under "boxes"."""
    if isinstance(value, dict):
        if "boxes" not in value:
            raise InputError(f'{name} has no "boxes". A table is a list of lists, or an object {{"boxes": [[…], …]}}.')
        value = value["boxes"]
    flat = _numbers(value, name)
    if flat is None:
        raise InputError(f"{name} is no table of numbers. A table is a list of lists of one length.")
    try:
        return _table(value, all(isinstance(number, int) for number in flat), name)
    except ValueError as error:
        raise InputError(f"{name} has rows of different lengths.") from error


def _numbers(value: Any, name: str, depth: int = 0) -> list[Any] | None:
    """All numbers of nested lists, or None where something is neither."""
    if depth > DEEPEST:
        raise InputError(f"{name} is nested deeper than {DEEPEST} lists.")
    if isinstance(value, list):
        parts = [_numbers(item, name, depth + 1) for item in value]
        return None if any(part is None for part in parts) else [x for part in parts if part for x in part]
    return [value] if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _table(rows: Any, whole: bool, name: str) -> np.ndarray:
    if not rows:
        return np.empty((0,))
    try:
        return np.array(rows, np.int64 if whole else np.float64)
    except OverflowError as error:
        raise InputError(f"{name} has a whole number beyond 64 bits; write it as a decimal.") from error


def write(path: str, table: np.ndarray, /, *, header: tuple[str, ...] = ()) -> None:
    """Write one table as .npy, .csv or .json, by the ending of the name."""
    kind = Path(path).suffix.lower().lstrip(".")
    if kind not in FORMATS:
        raise InputError(f"{path}: the ending must be one of {', '.join('.' + known for known in FORMATS)}.")
    with atomic.file(path) as file:
        if kind == "npy":
            # NumPy gives files that it knows to C, which cannot write into pipes and does not say that a disk is full.
            np.save(SimpleNamespace(write=file.write), table, allow_pickle=False)
        else:
            text = "".join(csv_lines(table, header)) if kind == "csv" else json.dumps(listed(table)) + "\n"
            file.write(text.encode("utf-8"))


def listed(table: np.ndarray, /) -> Any:
    """Numbers as JSON has them: null for those that it has not, NaN and infinities.

    >>> listed(np.array([0.5, np.nan]))
    [0.5, None]
    """
    if table.dtype != object and np.isfinite(table).all():
        return table.tolist()
    return np.frompyfunc(_known, 1, 1)(table.astype(object)).tolist()


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def csv_lines(table: np.ndarray, header: tuple[str, ...] = ()) -> list[str]:
    """Lines of a CSV file: the shortest decimals that read back as the same numbers."""
    lines = [",".join(header) + "\n"] if header else []
    rows = table[:, None] if table.ndim == 1 else table
    return lines + [",".join(map(repr, row)) + "\n" for row in rows.tolist()]
