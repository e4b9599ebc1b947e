"""Folders and patterns: the files of each format that are there."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator
from pathlib import Path

from vesica.errors import InputError
from vesica.io.formats import FORMATS, HEAD, Format

__all__ = ["candidates", "files_of", "format_of", "left_out", "looks_like", "names_in", "with_ending"]

_DEEPEST = 3


def files_of(pattern: str, /) -> list[Path]:
    """The files that a pattern stands for, sorted."""
    return [Path(found) for found in sorted(glob.glob(pattern, recursive=True)) if Path(found).is_file()]


def format_of(path: Path, /) -> str | None:
    """The format that the name of a file tells; None where files of several formats are called so."""
    by_name = (name for name, format in FORMATS.items() if format.names and re.fullmatch(format.names, path.name))
    by_ending = (name for name, format in FORMATS.items() if _ending(path.name) in format.endings)
    found = next(by_name, None)
    if found is None:
        found = next(by_ending, None)
        return None if found is not None and any(_begin_alike(found)) else found
    return found


def _begin_alike(name: str) -> Iterator[str]:
    """Formats that are told from this one by more than their first letter."""
    starts = FORMATS[name].starts
    return (
        other
        for other, format in FORMATS.items()
        if other != name and format.looks_like and any(one in starts for one in format.starts)
    )


def _ending(name: str) -> str:
    return os.path.splitext(name.lower().removesuffix(".gz"))[1]


def candidates(place: str, wanted: str | None = None, /) -> dict[str, tuple[Path, list[Path]]]:
    """For each format the folder that has its files, and these: first the formats that have a folder of their own.

    With `wanted`, of this format alone.
    """
    folder = Path(place)
    formats = {name: format for name, format in FORMATS.items() if wanted in (None, name, *_begin_alike(name))}
    found = {name: format.files_in(folder) for name, format in formats.items() if format.files_in}
    for name, format in formats.items():
        if name not in found and format.endings:
            found[name] = (folder, [folder / one for one in names_in(folder) if _ending(one) == format.endings[0]])
    for name in list(found):
        for other in _begin_alike(name) if FORMATS[name].looks_like is None else ():
            root, files = found[name]
            own = found[other][1] if other in found else [path for path in files if looks_like(path, FORMATS[other])]
            if own:
                taken = set(own)
                found[name], found[other] = (root, [path for path in files if path not in taken]), (root, own)
    return {name: files for name, files in found.items() if wanted in (None, name)}


def looks_like(path: Path, format: Format, /) -> bool:
    """Is the file of a format that others begin like? One that cannot be read is told by whoever reads it."""
    from vesica.io.text_fields import beginning_of

    assert format.looks_like is not None
    try:
        return format.looks_like(beginning_of(path, HEAD).decode("utf-8", "replace"))
    except InputError:
        return False


def names_in(folder: Path, /) -> list[str]:
    """What lies in a folder, sorted. Folders are large: paths are made of those names alone that matter."""
    return sorted(os.listdir(folder)) if folder.is_dir() else []


def with_ending(folder: Path, ending: str, /) -> list[Path]:
    """The files of a folder with this ending, in small letters or large, sorted."""
    return [folder / name for name in names_in(folder) if name.lower().endswith(ending)]


def left_out(root: Path, files: list[Path], format: Format, /) -> list[Path]:
    """What one might take for files of the format, and was not taken.

    These are files of the same ending beside those that were, or below them in folders named as the format has them.
    """
    taken = set(map(str, files))
    endings = tuple({os.path.splitext(path)[1].lower() for path in taken})
    found: list[Path] = []
    for top, folders, names in os.walk(root):
        parts = Path(top).relative_to(root).parts
        folders[:] = [] if len(parts) >= _DEEPEST else sorted(name for name in folders if not name.startswith("."))
        if not parts or set(format.homes) & {root.absolute().name, *parts}:
            place = str(Path(top))  # written as the paths of the files are
            beside = (os.path.join(place, name) if parts or place != "." else name for name in sorted(names))
            packed = tuple(f"{ending}.gz" for ending in endings)
            found += [Path(path) for path in beside if path.lower().endswith(endings + packed) and path not in taken]
    return found
