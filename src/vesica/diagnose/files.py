"""Files for a check: read as far as they can be, whatever is wrong with them."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from vesica.dataset import Dataset
from vesica.dataset.boxless import boxed, boxless
from vesica.diagnose import rows
from vesica.diagnose.box_readings import BoxReading
from vesica.diagnose.image_places import sized
from vesica.diagnose.inputs import Side, of_found, side_of
from vesica.errors import InputError
from vesica.io import coco_lenient
from vesica.io.files import File
from vesica.io.formats import FORMATS
from vesica.io.options import Options
from vesica.io.read import find, resolved


class Said(NamedTuple):
    """What the caller says of a file that the file itself does not; see `vesica.read`."""

    format: str | None = None
    options: dict[str, Any] = {}  # noqa: RUF012  # a NamedTuple's own default, never written to
    threads: int | None = None


class Checked(NamedTuple):
    """A side, and the file that it was read from, if that can be written anew."""

    side: Side
    title: str
    form: str
    file: File | None = None


def checked(value: Any, said: Said, truth: Side | None = None, /, *, masks: bool = False) -> Checked:
    """A path or a data set, as a side. Of guesses, `truth` tells how large images are, and which there are.

    `masks` are read of truths alone, whose areas they tell.
    """
    if isinstance(value, Dataset):
        return Checked(side_of("the data set", value, BoxReading(), truth), "a data set", "xywh pixels")
    source, format = resolved(os.fspath(value), said.format)
    if format == "coco":
        found = of_coco(source.file, truth, said.threads, masks=masks)
        return found._replace(side=_with_sizes(found.side, said.options.get("sizes")))
    options = _options(format, said, truth)
    try:
        read = find(value, options, format=format)
    except InputError:
        read = find(value, replace(options, check=True), format=format)  # whose error says more
    return Checked(of_found(read, truth), read.title, read.form)


def of_coco(file: File, truth: Side | None, threads: int | None, /, *, masks: bool = False) -> Checked:
    """The side of a COCO file that was loaded."""
    is_list = file.head(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["
    found = coco_lenient.read(file, masks=masks and not is_list, threads=threads)
    sizes = sized(found.data, None if truth is None else truth.data)
    side = Side(
        os.path.basename(file.name),
        boxed(found.data, boxless(found.data), sizes[found.data.image]),
        BoxReading(),
        sizes,
        found.is_results,
        "bbox",
        tuple(rows.refused(found, os.path.basename(file.name))),
        file.name,
    )
    return Checked(side, "COCO results" if found.is_results else "COCO truth", "xywh pixels", file)


def _with_sizes(side: Side, sizes: Any) -> Side:
    """Images without a size, with the one that the caller gave for all."""
    if not isinstance(sizes, (tuple, list)) or len(sizes) != 2:
        return side
    known = (side.image_sizes > 0).all(axis=1, keepdims=True)
    return replace(side, image_sizes=np.where(known, side.image_sizes, np.array(sizes, np.int64)))


def _options(format: str, said: Said, truth: Side | None) -> Options:
    known = FORMATS[format].options
    told = {name: value for name, value in said.options.items() if name in known and value is not None}
    if truth is not None and FORMATS[format].is_by_image:
        told.setdefault("images", truth.data.images)
    return Options(masks=False, check=False, threads=said.threads, **told)
