"""Archives: what gzip or zip packed, and how large it may become."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from collections.abc import Callable, Iterator

from vesica.errors import InputError

FREE, RATIO, MOST = 16 << 20, 200, 16 << 30
"""What is packed may become so many bytes whatever its size, beyond that so many times its size, and never more."""

_STEP = 1 << 20
_TEXTS = (".xml", ".json", ".csv")
# What zipfile raises for archives that are broken, encrypted or packed in a way it does not know.
_BROKEN = (ValueError, EOFError, OSError, MemoryError, RuntimeError, zipfile.BadZipFile, zlib.error)


def gunzipped(data: bytes, name: str, /) -> bytes:
    """The bytes that gzip packed."""
    parts, size = [], 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            while part := packed.read(_STEP):
                size += len(part)
                look_at(size, len(data), name)
                parts.append(part)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{name} is packed by gzip, and broken: {error}.") from error
    return b"".join(parts)


def members(data: bytes, name: str, choose: Callable[[list[str]], list[str]] = list, /) -> Iterator[tuple[str, bytes]]:
    """Names and contents of what zip packed: of all files, or of those that are chosen from their names.

    Sizes are those that the archive tells; zipfile reads no more than that.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = {entry.filename: entry for entry in archive.infolist()}
            if len(entries) != len(archive.infolist()):
                raise InputError(f"{name} has two files of one name.")
            wanted = choose(list(entries))
            look_at(sum(entries[one].file_size for one in wanted), len(data), name)
            for one in wanted:
                yield one, archive.read(entries[one])
    except _BROKEN as error:
        raise InputError(f"{name} is no .npz archive of numbers: {error}.") from error


def text_member(data: bytes, name: str, /) -> tuple[str, bytes] | None:
    """Name and content of the one file of annotations that zip packed, as tools export them beside pictures.

    None of an archive of arrays. Folders in it are not looked at, and nothing is unpacked to the disk.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
    except _BROKEN as error:
        raise InputError(f"{name} is a zip archive, and broken: {error}.") from error
    if any(one.endswith(".npy") for one in names):
        return None
    texts = [one for one in names if one.lower().endswith(_TEXTS) and "__MACOSX" not in one]
    if len(texts) != 1:
        found = f"{len(texts)}: {', '.join(texts[:5])}" if texts else "none"
        raise InputError(
            f"{name} must have one file of annotations ({', '.join(_TEXTS)}) to be read packed; it has {found}. "
            "Unpack it, and read the folder."
        )
    return next(members(data, name, lambda _: texts))


def look_at(size: int, packed: int, name: str, /) -> None:
    """Raise where something that is packed would become too large."""
    if size > MOST:
        raise InputError(f"{name} expands to more than {MOST >> 30} GiB.")
    if size > max(FREE, RATIO * packed):
        raise InputError(
            f"{name} expands more than {RATIO}:1 above {FREE >> 20} MiB, as few files do that mean well: "
            f"{packed:,} bytes to {size:,} or more. If it does, unpack it, and save it unpacked."
        )
