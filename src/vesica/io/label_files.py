"""Files of label maps: folders of PNG, NumPy arrays or NIfTI volumes, which meet by the names of their files."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from vesica._check import label_files as check
from vesica.errors import InputError, MissingExtra
from vesica.io import folders
from vesica.io.arrays import array_of
from vesica.io.files import load
from vesica.io.png import labels_of

ENDINGS = (".png", ".npy", ".npz", ".nii", ".nii.gz")
VOLUMES = (".nii", ".nii.gz")
_LOSSY = (".jpg", ".jpeg", ".webp")
_AHEAD = 2
"""Pairs that each thread may have read before they are asked for."""

# Label ids of Cityscapes that are classes, in the order of their training ids; all others are ignored.
_CITYSCAPES = (7, 8, 11, 12, 13, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 31, 32, 33)
_CITYSCAPES_IDS = range(-1, 34)
RELABEL: dict[str, dict[int, int]] = {
    "cityscapes": dict.fromkeys(_CITYSCAPES_IDS, 255) | {label: k for k, label in enumerate(_CITYSCAPES)}
}
"""Tables of labels that are known by a name."""


class LabelFiles(NamedTuple):
    """Files of truths and guesses that belong together.

    Attributes
    ----------
    names : what they have in common, of each pair
    truth, guess : the files
    note : how the names of both sides meet, where they are not the same
    """

    names: list[str]
    truth: list[Path]
    guess: list[Path]
    note: str | None = None

    def __len__(self) -> int:
        return len(self.names)

    @property
    def is_volumes(self) -> bool:
        """Are they files that hold volumes?"""
        return bool(self.truth) and ending_of(self.truth[0]) in VOLUMES

    def only(self, images: Collection[Any]) -> LabelFiles:
        """Those of some images; of a stack in one file, "name[3]" is one of them."""
        kept = {name for one in images for name in (str(one), re.sub(r"\[\d+\]$", "", str(one)))}
        rows = [place for place, name in enumerate(self.names) if name in kept]
        truth, guess = ([side[place] for place in rows] for side in (self.truth, self.guess))
        return LabelFiles([self.names[place] for place in rows], truth, guess, self.note)


class Labels(NamedTuple):
    """What a file holds: labels, and for a volume the distances between its voxels."""

    array: np.ndarray
    spacing: tuple[float, ...] | None


class LabelMaps(Mapping[str, np.ndarray]):
    """The label maps of one folder by the names of their files, without ending. Each is read when it is asked for."""

    def __init__(self, side: str | os.PathLike[str], /, *, relabel: Mapping[int, int] | None = None) -> None:
        self._files, self._relabel = _files_of(side), relabel

    def __getitem__(self, name: str) -> np.ndarray:
        return read_labels(self._files[name], relabel=self._relabel).array

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


def has_maps_alone(folder: str | os.PathLike[str], /) -> bool:
    """Is it a folder with files of label maps, and with no others?"""
    place = Path(folder)
    if not place.is_dir():
        return False
    files = [path for path in place.rglob("*") if path.is_file() and not path.name.startswith(".")]
    return bool(files) and all(ending_of(path) in ENDINGS for path in files)


def pair_files(truth: str | os.PathLike[str], guess: str | os.PathLike[str], /) -> LabelFiles:
    """Files of truths and guesses that have the same name: of two folders, two patterns, or two files.

    Endings do not count. Where names never meet, what all names of a side end in does not count either:
    `aachen_000_gtFine_labelIds.png` meets `aachen_000_leftImg8bit.png`. A file without a partner is an error.
    """
    ours, theirs = _files_of(truth), _files_of(guess)
    if len(ours) == len(theirs) == 1 and not (os.path.isdir(truth) or os.path.isdir(guess)):
        (name, one), (_, other) = *ours.items(), *theirs.items()
        return LabelFiles([name], [one], [other])
    note = None
    if not ours.keys() & theirs.keys():
        (short, tail), (other_short, other_tail) = _without_tail(ours), _without_tail(theirs)
        if short.keys() & other_short.keys():
            ours, theirs = short, other_short
            note = f"files meet by their names without {tail!r} and {other_tail!r}"
    check.partners(ours, theirs, os.fspath(truth), os.fspath(guess))
    names = sorted(ours)
    check.one_kind({ending_of(path) in VOLUMES for path in (*ours.values(), *theirs.values())})
    return LabelFiles(names, [ours[name] for name in names], [theirs[name] for name in names], note)


def read_pairs(
    files: LabelFiles, /, *, relabel: Mapping[int, int] | None = None, threads: int = 1
) -> Iterator[tuple[Labels, Labels]]:
    """The labels of each pair, in order; the next ones are read meanwhile."""

    def pair(k: int) -> tuple[Labels, Labels]:
        found = [read_labels(path, relabel=relabel) for path in (files.truth[k], files.guess[k])]
        check.same_shape(found[0].array.shape, found[1].array.shape, files.truth[k], files.guess[k])
        check.same_spacing(found[0].spacing, found[1].spacing, files.truth[k], files.guess[k])
        return found[0], found[1]

    waiting: deque[Future[tuple[Labels, Labels]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for k in range(len(files)):
                waiting.append(pool.submit(pair, k))
                if len(waiting) > _AHEAD * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:  # whoever stops early does not wait for what was not begun
            for one in waiting:
                one.cancel()


def read_labels(path: str | os.PathLike[str], /, *, relabel: Mapping[int, int] | None = None) -> Labels:
    """The label map of one file: PNG of one channel, an array of integers, or a NIfTI volume."""
    ending = ending_of(Path(path))
    reader: Callable[[str], Labels] = _nifti if ending in VOLUMES else _png if ending == ".png" else _array
    found = reader(os.fspath(path))
    return found if relabel is None else found._replace(array=relabelled(found.array, relabel, os.fspath(path)))


def relabelled(labels: np.ndarray, table: Mapping[int, int], name: str, /) -> np.ndarray:
    """Each label as the table has it. One that is not in the table is an error."""
    values, places = np.unique(labels, return_inverse=True)
    check.all_in_table(values, table, name)
    new = np.array([table[value] for value in values.tolist()], np.int64)
    small = new.astype(np.uint8) if new.size and 0 <= new.min() <= new.max() < 256 else new
    return small[places.reshape(labels.shape)]


def relabel_table(value: Any, /) -> dict[int, int] | None:
    """A table by its name, or as it is."""
    return check.relabel(value, RELABEL)


def ending_of(path: Path, /) -> str:
    """The ending of a name, in small letters; ".nii.gz" is one."""
    name = path.name.lower()
    return ".nii.gz" if name.endswith(".nii.gz") else os.path.splitext(name)[1]


def _files_of(side: str | os.PathLike[str]) -> dict[str, Path]:
    """The files of a folder, a pattern or a path by their names without ending."""
    place = Path(side)
    if place.is_dir():
        every = sorted(path for path in place.rglob("*") if path.is_file() and not path.name.startswith("."))
    elif place.is_file():
        every = [place]
    else:
        every = folders.files_of(os.fspath(side))
    check.no_lossy([path for path in every if ending_of(path) in _LOSSY], os.fspath(side))
    own = [path for path in every if ending_of(path) in ENDINGS]
    check.some_files(own, every, os.fspath(side), ENDINGS)
    found: dict[str, Path] = {}
    for path in own:
        name = path.name[: -len(ending_of(path))]
        check.one_file(name, found.get(name), path)
        found[name] = path
    return found


def _without_tail(files: dict[str, Path]) -> tuple[dict[str, Path], str]:
    """Names without what all of them end in, from a separator on."""
    first, *others = files
    if not others:
        return files, ""  # one name ends in all of itself
    length = 0
    while length < len(first) and all(other[-length - 1 :] == first[-length - 1 :] for other in others):
        length += 1
    tail = first[len(first) - length :]
    at = min((place for mark in "_-." if (place := tail.find(mark)) >= 0), default=len(tail))
    tail = tail[at:]
    return {name.removesuffix(tail): path for name, path in files.items()}, tail


def _png(path: str) -> Labels:
    return Labels(labels_of(load(path)), None)


def _array(path: str) -> Labels:
    array = array_of(load(path))
    return Labels(check.integers(array, path), None)


def _nifti(path: str) -> Labels:
    try:
        import nibabel
        from nibabel.filebasedimages import ImageFileError
    except ImportError as error:
        raise MissingExtra('NIfTI volumes need nibabel: pip install "vesica[medical]".') from error
    try:
        image: Any = nibabel.load(path)
        array = np.asanyarray(image.dataobj)
        spacing = tuple(float(step) for step in image.header.get_zooms()[: array.ndim])
    except (ImageFileError, OSError, ValueError, EOFError) as error:
        raise InputError(f"{path} is no NIfTI volume that can be read: {error}.") from error
    return Labels(check.integers(array, path), spacing)
