"""Pascal VOC: one XML file for each image, pixels counted from 1, both end pixels included."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Any, NamedTuple

import numpy as np

from vesica import _check as check
from vesica._array import objects
from vesica.dataset import Categories, Dataset, Images
from vesica.errors import InputError
from vesica.io.exact_corners import xywh_of_words
from vesica.io.folders import names_in, with_ending
from vesica.io.formats import VOC_RESULTS
from vesica.io.options import Options
from vesica.io.source import Reading, Source
from vesica.io.text_fields import lines_of_classes, number, sound
from vesica.io.xml_elements import root_of

BOXES = ("one_based", "as_written")


class _Object(NamedTuple):
    category: str
    corners: list[str]
    difficult: bool
    place: str


class _Page(NamedTuple):
    """One image."""

    id: str
    name: str | None
    size: tuple[int, int]
    objects: list[_Object]


def read(source: Source, options: Options, /) -> Reading:
    """XML files, or VOC's own files of detections."""
    is_text = bool(source.files) and all(path.lower().endswith(".txt") for path in source.files)
    data = (results_of if is_text else dataset_of)(source.contents(), options)
    form = "corners as written" if options.boxes == "as_written" else "pixels from 1"
    return Reading(data, form, "Pascal VOC" if data.score is None else "Pascal VOC results")


def files_in(folder: Path, /) -> tuple[Path, list[Path]]:
    """XML files in the folder or in its Annotations; else files of detections."""
    annotations = folder / "Annotations"
    pages = with_ending(folder, ".xml")
    root = folder if pages or not annotations.is_dir() else annotations
    return root, pages or with_ending(root, ".xml") or results_in(folder)


def results_in(folder: Path, /) -> list[Path]:
    """VOC's own files of detections."""
    return [folder / name for name in names_in(folder) if re.fullmatch(VOC_RESULTS, name)]


def dataset_of(files: Iterable[tuple[str, bytes]], options: Options, /) -> Dataset:
    """The objects of XML files, each given by its name and its bytes.

    The image's id is the name of the file without ending. `difficult` objects are to be ignored. Boxes become half-open
    (x1 = xmin − 1, x2 = xmax), exactly as decimals; with boxes="as_written" the four numbers are taken as they stand.
    """
    pages = [_page(name, data) for name, data in files]
    rows = [one for page in pages for one in page.objects]
    height, width = (np.array([page.size[k] for page in pages], np.int64) for k in (0, 1))
    counts = [len(page.objects) for page in pages]
    no_size = int((height == 0).sum())
    return _dataset(
        rows,
        options,
        ids=[page.id for page in pages],
        image=np.repeat(np.arange(len(pages)), counts),
        sizes=None if no_size == len(pages) else (height, width),
        names=[page.name for page in pages],
        notes=(f"{no_size} of {len(pages)} images have no size",) if no_size else (),
    )


def results_of(files: Iterable[tuple[str, bytes]], options: Options, /) -> Dataset:
    """The detections of VOC's own files, one for each class: lines of image, score, xmin, ymin, xmax, ymax."""
    rows: list[_Object] = []
    images: list[str] = []
    scores: list[float] = []
    lines = lines_of_classes(files, VOC_RESULTS, 6, "image, score, xmin, ymin, xmax, ymax")
    for category, words, place in lines:
        images.append(words[0])
        scores.append(number(words[1], place))
        rows.append(_Object(category, words[2:], False, place))
    ids = sorted(set(images))
    where = {id: k for k, id in enumerate(ids)}
    image = np.array([where[id] for id in images], np.int64)
    return _dataset(rows, options, ids=ids, image=image, sizes=None, names=[], score=np.array(scores))


def _dataset(
    rows: list[_Object],
    options: Options,
    *,
    ids: list[str],
    image: np.ndarray,
    sizes: tuple[np.ndarray, np.ndarray] | None,
    names: list[str | None],
    score: np.ndarray | None = None,
    notes: tuple[str, ...] = (),
) -> Dataset:
    way = check.one_of(options.boxes or "one_based", BOXES, "boxes")
    first = 1 if way == "one_based" else 0
    boxes = np.array([xywh_of_words(one.corners, one.place, first=first) for one in rows], np.float64).reshape(-1, 4)
    if options.check:
        sound({"boxes": boxes, "score": score}, lambda row: rows[row].place)
    height, width = sizes or (None, None)
    classes = sorted({one.category for one in rows})
    at = {name: k for k, name in enumerate(classes)}
    difficult = np.array([one.difficult for one in rows], bool)
    return Dataset(
        Images(objects(ids), height, width, objects(names) if any(names) else None),
        Categories(objects(classes), names=objects(classes)),
        image,
        np.array([at[one.category] for one in rows], np.int64),
        boxes,
        score=score,
        ignore=difficult if difficult.any() else None,
        notes=notes,
    )


def _page(name: str, data: bytes) -> _Page:
    root = root_of(name, data, "Pascal VOC files")
    if root.tag != "annotation":
        hint = ' This looks like CVAT: format="cvat".' if root.tag == "annotations" else ""
        raise InputError(
            f"{name} is no VOC file: its root must be <annotation>; got <{check.brief(root.tag)[1:-1]}>.{hint}"
        )
    found = [_object(one, f"{name}, object {k}") for k, one in enumerate(root.iterfind("object"))]
    picture = (root.findtext("filename") or "").strip() or None
    return _Page(PurePath(name).stem, picture, _size(root, name), found)


def _size(root: Any, name: str) -> tuple[int, int]:
    """(height, width); 0, 0 where it is not said."""
    sides = [(root.findtext(f"size/{side}") or "").strip() for side in ("height", "width")]
    if not all(sides):
        return 0, 0
    height, width = (number(side, f"{name}, size") for side in sides)
    if not (height.is_integer() and width.is_integer() and 0 <= height < 2**30 and 0 <= width < 2**30):
        raise InputError(f"{name}, size: height and width must be whole numbers below 2^30; got {height} and {width}.")
    return (int(height), int(width)) if height and width else (0, 0)


def _object(found: Any, place: str) -> _Object:
    name = (found.findtext("name") or "").strip()
    if not name:
        raise InputError(f"{place}: <name> is missing.")
    box = found.find("bndbox")
    corners = ["" if box is None else (box.findtext(side) or "").strip() for side in _SIDES]
    for side, text in zip(_SIDES, corners, strict=True):
        if not text:
            hint = (
                " Rotated boxes are read from DOTA's and YOLO's files, not from <robndbox>."
                if found.find("robndbox") is not None
                else ""
            )
            raise InputError(f"{place}: <bndbox> must have <{side}>; it is missing.{hint}")
    difficult = (found.findtext("difficult") or "0").strip()
    if difficult.lower() not in _FLAGS:
        raise InputError(f"{place}: <difficult> must be 0 or 1; got {check.brief(difficult)}.")
    return _Object(name, corners, _FLAGS[difficult.lower()], place)


_SIDES = ("xmin", "ymin", "xmax", "ymax")
_FLAGS = {"0": False, "1": True, "false": False, "true": True, "": False}
