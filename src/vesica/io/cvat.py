"""CVAT's XML 1.1: images with their shapes, or tracks of a video with a shape for each frame."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from vesica import _check as check
from vesica.dataset import Dataset, Images
from vesica.errors import InputError
from vesica.io.cvat_shapes import NOTES, mark_of
from vesica.io.marks import Mark, dataset_of, images_of, left_out
from vesica.io.options import Options
from vesica.io.source import Reading, Source
from vesica.io.text_fields import number
from vesica.io.xml_elements import root_of

MOST_FRAMES = 1_000_000
"""Of a video."""
_ROOT = re.compile(r"(?:\s|<\?.*?\?>|<!--.*?-->)*<annotations[\s>/]", re.DOTALL)
_NOTES = {
    "outside": "{} shapes are outside of the picture, as their tracks say, and were left out",
    "gaps": "{} frames lie between those of a track and are not in the file: nothing was filled in",
    "frames": "{} frames have shapes, and the file does not say how many there are: others are not known of",
    **NOTES,
}


class _Image(NamedTuple):
    id: int | str
    name: str | None
    size: tuple[int, int]


def read(source: Source, options: Options, /) -> Reading:
    """An XML file of images or of tracks, or several."""
    if source.loaded is None and (len(source.files) > 1 or source.packed):
        from vesica.io.cvat_files import joined_files  # late: it needs this module

        data = joined_files(source.contents(), options)
        return Reading(data, "corners in pixels", f"{len(source.files)} files of CVAT")
    return Reading(dataset_of_xml(source.file.data, source.name, options), "corners in pixels", "CVAT")


def looks_like_cvat(text: str, /) -> bool:
    """Is the root of this XML <annotations>? That of Pascal VOC is <annotation>."""
    return _ROOT.match(text.lstrip("\ufeff")) is not None


def dataset_of_xml(data: bytes, name: str, options: Options, /) -> Dataset:
    """The objects of a file. An image, or a frame, without a shape is one in which nothing was seen."""
    page = _Page(name)
    root = root_of(name, data, "CVAT's files", page.take)
    if root.tag != "annotations":
        raise InputError(
            f"{name} is no file of CVAT: its root must be <annotations>; got <{check.brief(root.tag)[1:-1]}>."
        )
    if page.has_tracks and page.images:
        raise InputError(f"{name} has images and tracks; CVAT writes one of them into a file.")
    images, marks = page.of_frames() if page.is_video and not page.images else (page.table(), page.marks)
    return dataset_of(images, marks, options, categories=page.labels, notes=left_out(page.counted, _NOTES))


class _Page:
    """What a file has, taken from it child by child."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._place_of: dict[int | str, int] = {}
        self.labels: list[str] = []
        self.images: list[_Image] = []
        self.marks: list[Mark] = []
        self.has_tracks = False
        self.counted: Counter[str] = Counter()
        self.is_video = False
        self._frames: int | None = None
        self._size = (0, 0)

    def take(self, element: Any) -> None:
        """One child of the root."""
        if element.tag == "meta":
            self._take_meta(element)
        elif element.tag == "image":
            self._take_image(element)
        elif element.tag == "track":
            self._take_track(element)

    def _take_meta(self, meta: Any) -> None:
        self.labels += [
            text.strip() for one in meta.iterfind(".//labels/label/name") if (text := one.text or "").strip()
        ]
        self.is_video = any((one.text or "").strip() == "interpolation" for one in meta.iterfind(".//mode"))
        size = meta.find(".//original_size")
        if size is not None:
            self._size = _size(size.findtext("height"), size.findtext("width"), f"{self._name}, original_size")
        count = next((one.text for one in meta.iterfind("*/size")), None)
        if count is not None and count.strip():
            frames = number(count.strip(), f"{self._name}, size")
            if not (frames.is_integer() and 0 <= frames <= MOST_FRAMES):
                raise InputError(
                    f"{self._name}, size: must be a number of frames, {MOST_FRAMES:,} at most; got {frames:g}."
                )
            self._frames = int(frames)

    def _take_image(self, element: Any) -> None:
        place = f"{self._name}, image {len(self.images)}"
        name, id = element.get("name"), element.get("id")
        place = f"{place} ({check.brief(name)[1:-1]})" if name else place
        if id is None and not name:
            raise InputError(f"{place}: has neither `id` nor `name`.")
        own: int | str = int(id) if id is not None and re.fullmatch(r"\d{1,18}", id, re.ASCII) else id or name
        if own in self._place_of:
            raise InputError(f"{place}: another image has the id {check.brief(own)} too.")
        size = _size(element.get("height"), element.get("width"), place)
        self._place_of[own] = len(self.images)
        self.images.append(_Image(own, name or None, size))
        for k, shape in enumerate(element):
            mark = mark_of(shape, f"{place}, {shape.tag} {k}", len(self.images) - 1, size, self.counted)
            if mark is not None:
                self.marks.append(mark)

    def _take_track(self, element: Any) -> None:
        """Shapes of one object. Their images are frames until all are known."""
        self.is_video = self.has_tracks = True
        id = element.get("id") or ""
        place = f"{self._name}, track {check.brief(id)[1:-1]}"
        label = (element.get("label") or "").strip()
        before: tuple[int, bool] | None = None
        for k, shape in enumerate(element):
            frame = _frame(shape.get("frame"), f"{place}, {shape.tag} {k}")
            is_outside = (shape.get("outside") or "0").strip() == "1"
            if before is not None and not before[1]:
                self.counted["gaps"] += max(0, frame - before[0] - 1)
            before = frame, is_outside
            if is_outside:
                self.counted["outside"] += 1
                continue
            mark = mark_of(shape, f"{place}, frame {frame}", frame, self._size, self.counted, label=label)
            if mark is not None:
                self.marks.append(mark._replace(id=f"{id}/{frame}"))

    def table(self) -> Images:
        """The images."""
        table = self.images
        return images_of([one.id for one in table], [one.size for one in table], [one.name for one in table])

    def of_frames(self) -> tuple[Images, list[Mark]]:
        """Frames as images, those without a shape too where the file says how many there are."""
        frames = np.unique(np.array([mark.image for mark in self.marks], np.int64))
        if self._frames is not None and frames.max(initial=-1) < self._frames:
            frames = np.arange(self._frames)
        else:
            self.counted["frames"] += len(frames)
        places = np.searchsorted(frames, [mark.image for mark in self.marks]).tolist()
        height, width = (np.full(len(frames), side, np.int64) if side else None for side in self._size)
        marks = [mark._replace(image=place) for mark, place in zip(self.marks, places, strict=True)]
        return Images(frames, height, width), marks


def _frame(text: str | None, place: str) -> int:
    if text is None or not re.fullmatch(r"\d{1,9}", text.strip(), re.ASCII):
        raise InputError(f"{place}: `frame` must be a whole number from 0; got {check.brief(text)}.")
    return int(text)


def _size(height: str | None, width: str | None, place: str) -> tuple[int, int]:
    """(height, width); 0, 0 where one of them is not said."""
    if not height or not width:
        return 0, 0
    sides = [number(side.strip(), f"{place}: the size of the image") for side in (height, width)]
    if not all(side.is_integer() and 0 <= side < 2**30 for side in sides):
        raise InputError(f"{place}: height and width must be whole numbers below 2^30; got {height} and {width}.")
    return (int(sides[0]), int(sides[1])) if all(sides) else (0, 0)
