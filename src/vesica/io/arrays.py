"""Tables and stacks of numbers: .npy, .npz, .csv, .json, or standard input."""

from __future__ import annotations

import io
import json
import math
import zipfile
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from vesica.errors import InputError
from vesica.io import atomic
from vesica.io.files import File, load

FORMATS = ("npy", "csv", "json")


def read(path: str, /) -> np.ndarray:
    """Read one array. `-` is standard input, whose format is found from its first bytes.

    A CSV file has one region a line, separated by commas, semicolons, tabs or spaces; a first line of words is a
    header. JSON is a list of lists, or an object with such a list under "boxes". Whole numbers stay integers. An .npz
    archive has one array, or the array is named: `FILE.npz:NAME`.
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
        headers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        shape, _, dtype = headers[version](stream)
    except Exception:
        return  # no such header: NumPy says what it is when it reads the numbers
    said, there = math.prod(shape) * dtype.itemsize, len(data) - stream.tell()
    if said > there and not dtype.hasobject:
        raise InputError(
            f"{name} is no .npy file of numbers: it speaks of {said:,} bytes, and has {there:,}. Was it cut?"
        )


RATIO, FREE = 200, 16 << 20
"""An array of a table may not unpack to more than RATIO times its packed size, once it passes FREE bytes."""


def archive_of(data: bytes, name: str, /) -> dict[str, np.ndarray]:
    """All arrays of an .npz archive, by name."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {entry.filename.removesuffix(".npy"): _entry(archive, entry, name) for entry in archive.infolist()}
    except _BROKEN as error:
        raise InputError(f"{name} is no .npz archive of numbers: {error}.") from error


def _entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str) -> np.ndarray:
    if entry.file_size > FREE and entry.file_size > RATIO * entry.compress_size:
        share = entry.file_size // max(entry.compress_size, 1)
        raise InputError(f"{name}, array {entry.filename} expands {share}:1 (limit {RATIO}:1 above {FREE >> 20} MiB).")
    return _npy(File(f"{name}, array {entry.filename}", archive.read(entry), "npy"))


# What NumPy and zipfile raise for archives that are broken, encrypted or packed in a way they do not know.
_BROKEN = (ValueError, EOFError, OSError, MemoryError, RuntimeError, zipfile.BadZipFile, zlib.error)


def _npz(file: File) -> np.ndarray:
    try:
        archive = np.load(io.BytesIO(file.data), allow_pickle=False)
        if isinstance(archive, np.ndarray):
            raise InputError(f"{file.name} is a single array, whose name should end in .npy.")
        array = archive[_member(file, archive.files)]
    except _BROKEN as error:
        raise InputError(f"{file.name} is no .npz archive of numbers: {error}.") from error
    if not isinstance(array, np.ndarray):
        raise InputError(f"{file.name} has something else than an array under that name.")
    return array


def _member(file: File, names: list[str]) -> str:
    """The one array of an archive, or the one that was named."""
    listed = ", ".join(names) or "none"
    if file.member is not None:
        if file.member not in names:
            raise InputError(f"{file.name}: the archive has no array {file.member!r}; it has {listed}.")
        return file.member
    if len(names) != 1:
        way = f" Name one: {file.name}:{names[0]}." if names else ""
        raise InputError(f"{file.name} must have one array; it has {len(names)}: {listed}.{way}")
    return names[0]


def _csv(file: File) -> np.ndarray:
    name = file.name
    try:
        lines = file.data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not text: byte {error.start} is not UTF-8.") from error
    rows: list[list[float]] = []
    whole = True
    for number, line in enumerate(lines, 1):
        words = line.replace(",", " ").replace(";", " ").split()
        if not words or words[0].startswith("#"):
            continue
        try:
            row: list[float] = [int(word) if _is_whole(word) else float(word) for word in words]
        except ValueError:
            if not rows and number == 1:
                continue  # a header
            bad = next(word for word in words if not _is_number(word))
            raise InputError(f"{name}, line {number}: {bad!r} is not a number.") from None
        if rows and len(row) != len(rows[0]):
            raise InputError(f"{name}, line {number}: {len(row)} columns, but the lines above have {len(rows[0])}.")
        whole = whole and all(isinstance(value, int) for value in row)
        rows.append(row)
    return _table(rows, whole, name)


def _is_whole(word: str) -> bool:
    return word.lstrip("+-").isdecimal()


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def array_of_json(value: Any, name: str) -> np.ndarray:
    """The table of a JSON value: lists of lists, bare or under "boxes"."""
    if isinstance(value, dict):
        if "boxes" not in value:
            raise InputError(f'{name} has no "boxes". A table is a list of lists, or an object {{"boxes": [[…], …]}}.')
        value = value["boxes"]
    flat = _numbers(value)
    if flat is None:
        raise InputError(f"{name} is no table of numbers. A table is a list of lists of one length.")
    try:
        return _table(value, all(isinstance(number, int) for number in flat), name)
    except ValueError as error:
        raise InputError(f"{name} has rows of different lengths.") from error


def _numbers(value: Any) -> list[Any] | None:
    """All numbers of nested lists, or None where something is neither."""
    if isinstance(value, list):
        parts = [_numbers(item) for item in value]
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
            text = "".join(csv_lines(table, header)) if kind == "csv" else json.dumps(table.tolist()) + "\n"
            file.write(text.encode("utf-8"))


def csv_lines(table: np.ndarray, header: tuple[str, ...] = ()) -> list[str]:
    """Lines of a CSV file: the shortest decimals that read back as the same numbers."""
    lines = [",".join(header) + "\n"] if header else []
    rows = table[:, None] if table.ndim == 1 else table
    return lines + [",".join(map(repr, row)) + "\n" for row in rows.tolist()]
