"""What stands beside YOLO's label files: the pictures, their sizes, and the names of the classes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from vesica import _check
from vesica._array import objects
from vesica.dataset import Dataset, Images
from vesica.dataset.picture_names import by_name, nowhere
from vesica.errors import InputError
from vesica.io import dota, plain_yaml, yolo
from vesica.io.files import bytes_at
from vesica.io.folders import with_ending
from vesica.io.formats import FORMATS
from vesica.io.image_size import pictures_in
from vesica.io.options import Options
from vesica.io.picture_sizes import sized
from vesica.io.source import Reading, Source
from vesica.io.text_fields import beginning_of, text_of
from vesica.io.voc import results_in
from vesica.io.yolo import Labels

YAML_NAMES = ("data.yaml", "data.yml", "dataset.yaml", "dataset.yml")
LIST_NAMES = ("obj.names", "classes.txt", "classes.names")
NO_LABELS = frozenset(
    ("classes", "labels", "names", "labelmap", "train", "val", "valid", "test", "readme", "license", "notes")
)
"""Text files of these names, without ending, may be label files of images that are called so, or something else."""

_HEAD = 4096


def read(source: Source, options: Options, /) -> Reading:
    """The label files of a folder or a pattern."""
    if not source.files:
        raise InputError(f"{source.name}: label files of YOLO are known by their names. Give the folder.")
    labels = labels_of([Path(path) for path in source.files], Path(source.root), options)
    form = "shares of the image" if options.boxes is None else f"{options.boxes} pixels"
    return Reading(yolo.dataset_of(source.contents(), labels, options), form, "YOLO")


def files_in(folder: Path, /) -> tuple[Path, list[Path]]:
    """Label files in the folder, or in the one folder below that has any; not where the files are VOC's or DOTA's."""
    if results_in(folder) or dota.results_in(folder) or dota.has_labels(with_ending(folder, ".txt"), folder):
        return folder, []
    homes: dict[Path, list[Path]] = {}
    for top, folders, names in os.walk(folder):
        place = Path(top)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        depth = len(place.relative_to(folder).parts)
        if depth >= 3:
            folders.clear()
        labels = [path for name in sorted(names) if _is_text(name) and is_label(path := place / name)]
        homes_here = set(FORMATS["yolo"].homes) & {folder.name, *place.relative_to(folder).parts}
        if labels and (depth == 0 or homes_here):
            homes[place] = labels
    if folder in homes and not any((folder / name).exists() for name in YAML_NAMES):
        return folder, homes[folder]
    below = {place: labels for place, labels in homes.items() if place != folder}
    if len(below) > 1:
        listed = ", ".join(str(place) for place in below)
        raise InputError(f"{folder} has label files in several folders: {listed}. Read one of them.")
    return next(iter(below.items()), (folder, homes.get(folder, [])))


def is_label(path: Path, /) -> bool:
    """Is it a label file?

    Below `labels` every text file is one, and an empty one an image in which nothing is, but for a list of names.
    Elsewhere a file that is called as other files are (train.txt, notes.txt) is one if it looks like one.
    """
    if not _is_text(path.name) or path.stem.lower() not in NO_LABELS:
        return _is_text(path.name)
    is_at_home = any(part in FORMATS["yolo"].homes for part in path.absolute().parent.parts[-3:])
    if is_at_home and path.name.lower() not in LIST_NAMES:
        return True
    try:
        head = beginning_of(path, _HEAD, path.parent).decode("utf-8-sig", "replace")
    except InputError:
        return True  # told when it is read
    return yolo.looks_like_labels(head) if head.strip() else is_at_home


def _is_text(name: str) -> bool:
    return os.path.splitext(name)[1].lower() == ".txt"


def labels_of(files: list[Path], root: Path, options: Options, /) -> Labels:
    """The images, sizes and names that belong to these label files."""
    stems = [path.stem for path in files]
    if len(set(stems)) != len(stems):
        twice = next(stem for stem in stems if stems.count(stem) > 1)
        raise InputError(f"{root}: two label files are called {twice}.txt; read the folders one by one.")
    names, pose, notes = _names(root, options.names)
    images, place_of = _images(stems, root, options)
    return Labels(images, place_of, names, pose, notes)


# Images and their sizes.


def _images(stems: list[str], root: Path, options: Options) -> tuple[Images, dict[str, int]]:
    if isinstance(options.images, (Dataset, Images)):
        table = options.images.images if isinstance(options.images, Dataset) else options.images
        return sized(table, options.sizes, {}), _known(stems, table)
    if options.images is not None:
        folder = Path(options.images)
        if not folder.is_dir():
            raise InputError(f"{folder}: `images=` must be a folder of pictures, or a data set of the same images.")
        pictures = pictures_in(folder) or _pictures_below(folder, root)
        table = _table(list(pictures), pictures)
        return sized(table, options.sizes, pictures, folder), _known(stems, table)
    pictures = _beside(stems, root) if options.boxes is None and options.sizes is None else {}
    table = _table(stems, pictures)
    return sized(table, options.sizes, pictures, root), {stem: k for k, stem in enumerate(stems)}


def _table(stems: list[str], pictures: dict[str, Path]) -> Images:
    names = [pictures[stem].name if stem in pictures else None for stem in stems]
    return Images(objects(stems), names=objects(names) if any(names) else None)


def _pictures_below(folder: Path, root: Path) -> dict[str, Path]:
    """Pictures in the folder of the same name as that of the labels, `train` or `val`, or else in the only one."""
    below = {place.name: pictures_in(place) for place in sorted(folder.iterdir()) if place.is_dir()}
    below = {name: pictures for name, pictures in below.items() if pictures}
    if root.name in below or len(below) == 1:
        return below.get(root.name) or next(iter(below.values()))
    listed = f": there are {', '.join(below)}. Name one of them" if below else ""
    raise InputError(f"{folder}: `images=` must be a folder of pictures, and none lie in it{listed}.")


def _known(stems: list[str], table: Images) -> dict[str, int]:
    """The place of each label file in a table of images, which may have names, or ids with zeros before them or not."""
    labels = Images(objects(stems))
    found = by_name(table, labels, np.ones(len(stems), bool))
    if found is None:
        lost = stems[int(np.argmax(nowhere(table, labels)))]
        raise InputError(f"{lost}.txt has no image: none of the {len(table)} given is called {_check.brief(lost)}.")
    return dict(zip(stems, found.places.tolist(), strict=True))


def _beside(stems: list[str], root: Path) -> dict[str, Path]:
    """Pictures in the folder of the labels, or in the folder `images` that stands for `labels`."""
    wanted = set(stems)
    parts = root.parts
    folders = [root]
    if "labels" in parts:
        at = len(parts) - 1 - parts[::-1].index("labels")
        folders.append(Path(*parts[:at], "images", *parts[at + 1 :]))
    for folder in folders:
        found = {stem: path for stem, path in pictures_in(folder).items() if stem in wanted} if folder.is_dir() else {}
        if found:
            return found
    return {}


# Names of classes.


def _names(root: Path, given: Any) -> tuple[dict[int, str] | None, int | None, tuple[str, ...]]:
    """Names by class, how many numbers key points of poses have, and a note of where that stands."""
    if given is None:
        found = _search(root)
        if found is None:
            return None, None, ("nobody named the classes: there is no data.yaml, obj.names or classes.txt",)
        return *_read(found), (f"names of classes from {found.name}",)
    if isinstance(given, (str, Path)):
        return *_read(Path(given)), ()
    return _numbered(given, "`names`"), None, ()


def _search(root: Path) -> Path | None:
    """A file of names in the folder, or in one of the two above it."""
    for folder in (root, root.parent, root.parent.parent):
        for name in (*YAML_NAMES, *LIST_NAMES):
            if (folder / name).is_file() and not is_label(folder / name):
                return folder / name
    return None


def _read(path: Path) -> tuple[dict[int, str], int | None]:
    if path.suffix.lower() not in (".yaml", ".yml"):
        return _listed(path), None
    value = plain_yaml.value_of(path)
    if not isinstance(value, dict) or "names" not in value:
        raise InputError(f'{path} must have "names": the names of the classes, in order or by number.')
    names = _numbered(value["names"], str(path))
    count = value.get("nc")
    if isinstance(count, int) and count != len(names):
        raise InputError(f'{path} says "nc" {count}, and names {len(names)} classes.')
    return names, _key_points(value["kpt_shape"]) if "kpt_shape" in value else None


def _listed(path: Path) -> dict[int, str]:
    """Names of a list, a name a line: an empty line among them would shift all names behind it."""
    names = [line.strip() for line in text_of(bytes_at(path), str(path)).rstrip().splitlines()]
    if "" in names:
        at = names.index("") + 1
        raise InputError(f"{path}, line {at} is empty, and lines are counted: line {at} is the name of class {at - 1}.")
    return _numbered(names, str(path))


def _key_points(shape: Any) -> int:
    """How many numbers the key points of a line have, by `kpt_shape`: [points, 2 or 3]; 0 if it is something else."""
    is_shape = isinstance(shape, list) and len(shape) == 2 and all(isinstance(one, int) and one > 0 for one in shape)
    return shape[0] * shape[1] if is_shape else 0


def _numbered(names: Any, what: str) -> dict[int, str]:
    """Names by class, of a list or of a dict."""
    pairs: Iterable[tuple[Any, Any]] = (
        names.items() if isinstance(names, Mapping) else enumerate(names if isinstance(names, (list, tuple)) else ())
    )
    found = {id: str(name) for id, name in pairs if _is_name(id, name)}
    if not isinstance(names, (Mapping, list, tuple)) or len(found) != len(names):
        raise InputError(f"{what}: names of classes must be a list of strings, or a dict of numbers and strings.")
    return dict(sorted(found.items()))


def _is_name(id: Any, name: Any) -> bool:
    # YAML reads `no` and `1` as what they look like.
    return isinstance(id, int) and not isinstance(id, bool) and id >= 0 and isinstance(name, (str, int, float))
