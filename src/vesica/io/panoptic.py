"""COCO's panoptic form: a JSON file of segments, and beside it a PNG for each image whose colours are their ids."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from vesica._check import panoptic as check
from vesica.errors import InputError
from vesica.io import atomic
from vesica.io.files import load
from vesica.io.png import colours_of


class PanopticFile(NamedTuple):
    """What the JSON file says; maps are read when they are asked for.

    Attributes
    ----------
    name : of the file, for messages
    folder : where the PNG files are
    images : id of each image → its annotation
    categories : COCO's list, with "isthing"; None for results without it
    """

    name: str
    folder: Path
    images: dict[Any, Mapping[str, Any]]
    categories: list[Any] | None

    def segments(self, image: Any, /) -> dict[int, tuple[int, bool]]:
        """Category, and whether it is a crowd, of each segment of an image."""
        return check.segments(self.images[image]["segments_info"], f"{self.name}, image {image!r}")

    def ids(self, image: Any, /) -> np.ndarray:
        """(H, W) int64: the segment of each pixel, 0 for none."""
        return read_ids(self.folder / self.images[image]["file_name"])


def read_panoptic(path: str | os.PathLike[str], /, *, folder: str | os.PathLike[str] | None = None) -> PanopticFile:
    """Read a panoptic JSON file. Its PNG files are in `folder`, by default the one of its own name: val.json, val/."""
    file = load(path)
    content = file.json()
    if not isinstance(content, dict) or not isinstance(content.get("annotations"), list):
        raise InputError(f"{file.name} must be COCO's panoptic form: an object with a list of `annotations`.")
    if not all(isinstance(one, dict) and "segments_info" in one for one in content["annotations"]):
        raise InputError(
            f"{file.name} is not of COCO's panoptic form, whose annotations have `segments_info`. Objects of one "
            "annotation each are scored by evaluate(…), or on the command line without --protocol panoptic."
        )
    place = Path(path).with_suffix("") if folder is None else Path(folder)
    atomic.check_finished(place)
    if not place.is_dir():
        raise InputError(
            f"{file.name} needs its PNG files, which are looked for in {place}: there is no such folder. "
            "Say where they are: `truth_folder=FOLDER` or `guess_folder=FOLDER`."
        )
    images: dict[Any, Mapping[str, Any]] = {}
    for one in content["annotations"]:
        image, png = one.get("image_id"), one.get("file_name")
        if isinstance(image, bool) or not isinstance(image, (int, str)):
            raise InputError(f"{file.name}: `image_id` of an annotation must be a number or a text; got {image!r}.")
        if image in images:
            raise InputError(f"{file.name} has two annotations of image {image!r}; in this form an image has one.")
        if not isinstance(png, str) or os.path.isabs(png) or ".." in Path(png).parts:
            raise InputError(f"{file.name}: `file_name` of image {image!r} must be a PNG in {place}; got {png!r}.")
        images[image] = one
    missing = [one["file_name"] for one in images.values() if not (place / one["file_name"]).is_file()]
    if missing:
        more = f", and {len(missing) - 1} others" if len(missing) > 1 else ""
        raise InputError(f"{place} has no file {missing[0]!r}{more}, which {file.name} names.")
    categories = content.get("categories")
    if categories is not None and not isinstance(categories, list):
        raise InputError(f"{file.name}: `categories` must be a list; got {type(categories).__name__}.")
    return PanopticFile(file.name, place, images, categories)


def read_ids(path: Path, /) -> np.ndarray:
    """The ids in the colours of a PNG: R + 256 G + 65536 B."""
    colours = colours_of(load(path))
    return colours[..., 0] + 256 * colours[..., 1].astype(np.int64) + 65536 * colours[..., 2].astype(np.int64)
