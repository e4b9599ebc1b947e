"""Folders and patterns: the files of each format that are there."""

from __future__ import annotations

import glob
from pathlib import Path

from vesica.io.formats import FORMATS

__all__ = ["candidates", "files_of", "format_of"]


def files_of(pattern: str, /) -> list[Path]:
    """The files that a pattern stands for, sorted."""
    return [Path(found) for found in sorted(glob.glob(pattern, recursive=True)) if Path(found).is_file()]


def format_of(path: Path, /) -> str | None:
    """The format that the name of a file tells."""
    by_name = (name for name, format in FORMATS.items() if format.names and format.names.fullmatch(path.name))
    by_ending = (name for name, format in FORMATS.items() if _ending(path) in format.endings)
    return next(by_name, None) or next(by_ending, None)


def _ending(path: Path) -> str:
    return Path(path.name.lower().removesuffix(".gz")).suffix


def candidates(place: str, /) -> dict[str, tuple[Path, list[Path]]]:
    """For each format the folder that has its files, and these: first the formats that have a folder of their own."""
    folder = Path(place)
    found = {name: format.files_in(folder) for name, format in FORMATS.items() if format.files_in}
    for name, format in FORMATS.items():
        if name not in found and format.endings:
            found[name] = (folder, _with_ending(folder, format.endings[0]))
    return found


def _with_ending(folder: Path, ending: str) -> list[Path]:
    return sorted(path for path in folder.glob(f"*{ending}*") if _ending(path) == ending)
