"""Folders and patterns: the files of each format that are there."""

from __future__ import annotations

import glob
import os
from pathlib import Path

from vesica.errors import InputError
from vesica.io import voc
from vesica.io.yolo_folder import YAML_NAMES, is_label

__all__ = ["candidates", "files_of", "format_of", "is_label"]

_FORMATS = {"xml": "voc", "txt": "yolo", "json": "coco", "csv": "csv", "tsv": "csv", "npz": "npz", "npy": "npy"}
_HOMES = ("labels", "obj_train_data", "obj_valid_data", "obj_test_data")


def files_of(pattern: str, /) -> list[Path]:
    """The files that a pattern stands for, sorted."""
    return [Path(found) for found in sorted(glob.glob(pattern, recursive=True)) if Path(found).is_file()]


def format_of(path: Path, /) -> str | None:
    """The format that the name of a file tells."""
    return "voc" if voc.RESULTS.fullmatch(path.name) else _FORMATS.get(_ending(path))


def _ending(path: Path) -> str:
    return Path(path.name.lower().removesuffix(".gz")).suffix[1:]


def candidates(place: str, /) -> dict[str, tuple[Path, list[Path]]]:
    """For each format the folder that has its files, and these."""
    folder = Path(place)
    annotations = folder / "Annotations"
    pages = sorted(folder.glob("*.xml"))
    root = folder if pages or not annotations.is_dir() else annotations
    results = [path for path in sorted(folder.glob("*.txt")) if voc.RESULTS.fullmatch(path.name)]
    found: dict[str, tuple[Path, list[Path]]] = {"voc": (root, pages or sorted(root.glob("*.xml")) or results)}
    if not results:
        found["yolo"] = _label_files(folder)
    for format, ending in (("coco", "json"), ("csv", "csv"), ("npz", "npz"), ("npy", "npy")):
        found[format] = (folder, sorted(path for path in folder.glob(f"*.{ending}*") if _ending(path) == ending))
    return found


def _label_files(folder: Path) -> tuple[Path, list[Path]]:
    """YOLO's label files in the folder, or in the one folder below that has any."""
    homes: dict[Path, list[Path]] = {}
    for top, folders, names in os.walk(folder):
        place = Path(top)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        depth = len(place.relative_to(folder).parts)
        if depth >= 3:
            folders.clear()
        labels = sorted(place / name for name in names if is_label(place / name))
        is_home = depth == 0 or any(part in _HOMES for part in place.relative_to(folder).parts)
        if labels and is_home:
            homes[place] = labels
    if folder in homes and not any((folder / name).exists() for name in YAML_NAMES):
        return folder, homes[folder]
    below = {place: labels for place, labels in homes.items() if place != folder}
    if len(below) > 1:
        listed = ", ".join(str(place) for place in below)
        raise InputError(f"{folder} has label files in several folders: {listed}. Read one of them.")
    return next(iter(below.items()), (folder, homes.get(folder, [])))
