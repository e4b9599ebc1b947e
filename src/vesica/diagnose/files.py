"""Files for a check: read as far as they can be, whatever is wrong with them."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from vesica.dataset import Dataset
from vesica.diagnose import rows
from vesica.diagnose.box_readings import BoxReading, declared
from vesica.diagnose.examination import sized
from vesica.diagnose.sides import Side
from vesica.io import coco_lenient
from vesica.io.files import File
from vesica.io.formats import FORMATS
from vesica.io.options import Options
from vesica.io.read import Found, find, resolved


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


def checked(value: Any, said: Said, truth: Side | None = None, /) -> Checked:
    """A path or a data set, as a side. Of guesses, `truth` tells how large images are, and which there are."""
    if isinstance(value, Dataset):
        return Checked(side_of("the data set", value, BoxReading(), truth), "a data set", "xywh pixels")
    source, format = resolved(os.fspath(value), said.format)
    if format == "coco":
        return of_coco(source.file, truth, said.threads)
    found = find(value, _options(format, said, truth), format=format)
    return Checked(of_found(found, truth), found.title, found.form)


def of_coco(file: File, truth: Side | None, threads: int | None, /) -> Checked:
    """The side of a COCO file that was loaded. Masks are read of truths, whose areas they tell."""
    is_list = file.head(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["
    found = coco_lenient.read(file, masks=truth is None and not is_list, threads=threads)
    side = Side(
        os.path.basename(file.name),
        found.data,
        BoxReading(),
        sized(found.data, None if truth is None else truth.data),
        found.is_results,
        "bbox",
        tuple(rows.refused(found, os.path.basename(file.name))),
        file.name,
    )
    return Checked(side, "COCO results" if found.is_results else "COCO truth", "xywh pixels", file)


def of_found(found: Found, truth: Side | None = None, /) -> Side:
    """The side of a file that was read strictly."""
    name = os.path.basename(found.name.rstrip("/")) or found.name
    field = "bbox" if found.format == "coco" else "boxes"
    return replace(side_of(name, found.data, declared(found.form, found.format), truth, field), path=found.name)


def side_of(
    name: str, data: Dataset, reading: BoxReading, truth: Side | None = None, field: str = "boxes", /
) -> Side:
    """The side of a data set; of guesses, with the sizes that the images of the truth have."""
    sizes = sized(data, None if truth is None else truth.data)
    if data.corners is not None:  # rotated boxes: what was read is no upright box
        sizes = np.zeros_like(sizes)
    return Side(name, data, reading, sizes, data.score is not None, field)


def _options(format: str, said: Said, truth: Side | None) -> Options:
    known = FORMATS[format].options
    told = {name: value for name, value in said.options.items() if name in known and value is not None}
    if truth is not None and FORMATS[format].is_by_image:
        told.setdefault("images", truth.data.images)
    return Options(masks=False, check=False, threads=said.threads, **told)
