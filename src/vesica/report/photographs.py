"""Photographs of the gallery: found by the names of images, made small, or linked."""

from __future__ import annotations

import base64
import io
import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from vesica._check import report as check
from vesica.dataset.picture_names import PICTURES
from vesica.errors import MissingExtra

SIDE, QUALITY = 320, 70
"""Pixels of the longer side of a photograph in a file, and its quality as JPEG."""
PIXELS = 1 << 28
"""Of a photograph that is opened."""


class Picture(NamedTuple):
    """The address of a photograph, and its width and height; 0 where unknown."""

    address: str
    width: int = 0
    height: int = 0


class Found(NamedTuple):
    """Photographs by the names of images, and what there is to say of the others."""

    pictures: Mapping[str, Picture]
    lines: list[str]


def pictures_of(names: Iterable[str], images: Any, /, *, embed: str, room: int) -> Found:
    """The photographs of some images, the first ones first, until there is no room for more."""
    found: dict[str, Picture] = {}
    lacking: list[str] = []
    unread: list[str] = []
    left = 0
    there = dict(zip(names := list(names), map(finder(images), names), strict=True))
    doubtful = _of_other_folders(there)
    for name, picture in there.items():
        if name in doubtful:
            continue
        if picture is None:
            lacking.append(name)
            continue
        if embed == "link":
            found[name] = _link(name, picture)
            continue
        try:
            small = _embedded(name, picture)
        except _Unread as error:
            unread.append(f"{name} ({error})")
            continue
        room -= len(small.address)
        if room < 0:
            left += 1
            continue
        found[name] = small
    return Found(found, _told(lacking, unread, left, doubtful))


def _of_other_folders(there: Mapping[str, Any]) -> list[str]:
    """Names of images whose photograph was found by the last part of the name alone, and may be that of another image:
    a/7.jpg and b/7.jpg are two, and one folder has one 7.jpg."""
    folders = {name: name.replace("\\", "/").rpartition("/")[0] for name in there}
    last = {folder.rpartition("/")[2] for folder in folders.values() if folder}
    claimed: dict[str, set[str]] = {}
    for name, picture in there.items():
        if isinstance(picture, (str, os.PathLike)) and folders[name]:
            claimed.setdefault(os.fspath(picture), set()).add(folders[name])
    found = []
    for name, picture in there.items():
        if not isinstance(picture, (str, os.PathLike)) or not folders[name]:
            continue
        path = Path(os.path.abspath(picture))
        if path.as_posix().endswith("/" + name.replace("\\", "/").lstrip("./")):
            continue
        is_of_another = path.parent.name in last - {folders[name].rpartition("/")[2]}
        if is_of_another or len(claimed[os.fspath(picture)]) > 1:
            found.append(name)
    return found


def _told(lacking: list[str], unread: list[str], left: int, doubtful: list[str]) -> list[str]:
    lines = []
    if doubtful:
        lines.append(
            f"{len(doubtful):,} photographs are left out, among them {doubtful[0]}: images of several folders are "
            "called so. Name the folder above them all."
        )
    if lacking:
        lines.append(f"{len(lacking):,} photographs were not found, among them {lacking[0]}.")
    if unread:
        lines.append(f"{len(unread):,} photographs could not be read, among them {unread[0]}.")
    if left:
        lines.append(f"{left:,} photographs are left out to keep the file small: their outlines are shown.")
    return lines


def pixels_of(name: str, picture: Any, size: tuple[int, int], /) -> np.ndarray | None:
    """(H, W, 3) bytes of a photograph in this width and height; None if it cannot be read, or has another shape."""
    try:
        image = _opened(name, picture)
        if image.width * image.height > PIXELS or abs(image.width * size[1] / (image.height * size[0]) - 1) > 0.02:
            return None
        image.draft("RGB", size)
        return np.asarray(image.convert("RGB").resize(size))
    except (OSError, ValueError, SyntaxError):
        return None


def finder(images: Any, /) -> Callable[[str], Any]:
    """What answers the photograph of an image by its name, or None."""
    if callable(images):
        return images  # type: ignore[no-any-return]
    if isinstance(images, Mapping):
        stems: dict[str, list[Any]] = {}
        for name, picture in images.items():
            stems.setdefault(Path(str(name)).stem, []).append(picture)
        alone = {stem: own[0] for stem, own in stems.items() if len(own) == 1}
        return lambda name: images.get(name, alone.get(Path(name).stem))
    root = os.fspath(images)
    if not os.path.isdir(root):
        raise check.not_a_folder(root)
    return _Folder(root).find


class _Folder:
    """Photographs below a folder, and nowhere else: names come from data."""

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root)
        self.stems: dict[str, str] | None = None
        self.short: dict[str, str] = {}  # without zeros before them, where that is one file

    def find(self, name: str) -> str | None:
        """By its name below the folder, by the last part of it, or by its stem."""
        if not name or "\0" in name:
            return None
        for one in (name, name.replace("\\", "/").rsplit("/", 1)[-1]):
            path = os.path.realpath(os.path.join(self.root, one))
            if self._is_inside(path) and os.path.isfile(path):
                return path
        return self._by_stem(Path(name).stem)

    def _is_inside(self, path: str) -> bool:
        return os.path.splitext(path)[1].lower() in PICTURES and path.startswith(self.root + os.sep)

    def _by_stem(self, stem: str) -> str | None:
        """Ids have no ending, and often zeros before them."""
        if self.stems is None:
            self.stems = {}
            with os.scandir(self.root) as entries:
                for entry in sorted(entries, key=lambda one: one.name):
                    own, ending = os.path.splitext(entry.name)
                    if ending.lower() in PICTURES and entry.is_file(follow_symlinks=False):
                        self.stems.setdefault(own, entry.path)
            short: dict[str, list[str]] = {}
            for own, path in self.stems.items():
                short.setdefault(own.lstrip("0") or "0", []).append(path)
            self.short = {own: paths[0] for own, paths in short.items() if len(paths) == 1}
        return self.stems.get(stem) or self.short.get(stem.lstrip("0") or "0")


def _link(name: str, picture: Any) -> Picture:
    if not isinstance(picture, (str, os.PathLike)):
        raise check.not_a_picture(name, picture)
    return Picture(Path(os.path.abspath(picture)).as_uri())


class _Unread(Exception):
    """A photograph that cannot be shown, and why, without the name of its folder."""


def _embedded(name: str, picture: Any) -> Picture:
    try:
        with warnings.catch_warnings(), _opened(name, picture) as image:
            warnings.simplefilter("ignore")  # of pictures with odd metadata
            return _small(image)
    except (TypeError, MissingExtra, _Unread):
        raise
    except Exception as error:  # a damaged picture may raise anything in its decoder
        raise _Unread(type(error).__name__) from error


def _small(image: Any) -> Picture:
    width, height = image.size
    if width * height > PIXELS:
        raise _Unread(f"{width}×{height} pixels are too many")
    share = SIDE / max(width, height, SIDE)
    small = (max(1, round(width * share)), max(1, round(height * share)))
    image.draft("RGB", small)  # of a JPEG that is much larger no more is decoded
    image.thumbnail(small)
    out = io.BytesIO()
    image.convert("RGB").save(out, "JPEG", quality=QUALITY)
    return Picture(f"data:image/jpeg;base64,{base64.b64encode(out.getvalue()).decode()}", width, height)


def _opened(name: str, picture: Any) -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise MissingExtra('Photographs in a report need Pillow: pip install "vesica[images]".') from error
    if isinstance(picture, (str, os.PathLike)):
        return Image.open(picture)
    if isinstance(picture, Image.Image):
        return picture.copy()
    if hasattr(picture, "__array_interface__"):
        return Image.fromarray(picture)
    raise check.not_a_picture(name, picture)
