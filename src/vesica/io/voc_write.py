"""Pascal VOC, written: one XML file for each image; of guesses, one file of results for each class."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from xml.sax.saxutils import escape

from vesica import _check as check
from vesica.dataset import Dataset
from vesica.dataset.boxless import boxes_of
from vesica.errors import InputError
from vesica.io import atomic
from vesica.io.exact_corners import words_of
from vesica.io.formats import VOC_RESULTS
from vesica.io.text_fields import different, known_by_name, names_of, stem_of
from vesica.io.xml_elements import xml_text


def write(folder: Path, data: Dataset, /) -> tuple[str, ...]:
    """Write the files into a folder. Returns what could not be kept."""
    for name, text in _pages(data) if data.score is None else _result_files(data):
        atomic.put(folder / name, text)
    return tuple(_lost(data))


def stale(folder: Path, /) -> list[Path]:
    """What an earlier data set left where this one is to be written."""
    return sorted(
        path for path in folder.iterdir() if path.suffix.lower() == ".xml" or re.fullmatch(VOC_RESULTS, path.name)
    )


def _lost(data: Dataset) -> list[str]:
    lost = {
        "masks": data.segments,
        "rotated boxes, but for the upright ones around them": data.corners,
        "areas": data.area,
        "crowds": data.crowd,
        "ids": data.id,
        "annotators": data.annotator,
        "attributes": data.attributes,
    }
    if data.score is not None:
        lost |= {
            "what is to be ignored": data.ignore,
            "image sizes": data.images.height,
            "file names": data.images.names,
        }
    notes = [f"VOC has no place for {what}" for what, column in lost.items() if column is not None]
    return [*notes, *known_by_name(data)]


def _written_boxes(data: Dataset) -> list[tuple[str, ...]]:
    """xmin, ymin, xmax, ymax of each row: whole numbers as such, others with all the decimals they need."""
    return [words_of(*row, first=1) for row in boxes_of(data).tolist()]


def _pages(data: Dataset) -> Iterable[tuple[str, str]]:
    names, boxes = [escape(xml_text(name)) for name in names_of(data)], _written_boxes(data)
    ids = data.images.ids.tolist()
    stems = different([stem_of(id, "image") for id in ids])
    by_image: list[list[int]] = [[] for _ in ids]
    for row, place in enumerate(data.image.tolist()):
        by_image[place].append(row)
    for place, stem in enumerate(stems):
        lines = ["<annotation>", *_head(data, place)]
        for row in by_image[place]:
            difficult = int(data.ignore is not None and bool(data.ignore[row]))
            lines += [
                "\t<object>",
                f"\t\t<name>{names[data.category[row]]}</name>",
                f"\t\t<difficult>{difficult}</difficult>",
                "\t\t<bndbox>",
            ]
            sides = zip(("xmin", "ymin", "xmax", "ymax"), boxes[row], strict=True)
            lines += [*(f"\t\t\t<{side}>{value}</{side}>" for side, value in sides), "\t\t</bndbox>", "\t</object>"]
        yield f"{stem}.xml", "\n".join([*lines, "</annotation>", ""])


def _head(data: Dataset, place: int) -> list[str]:
    lines = []
    if data.images.names is not None and data.images.names[place] is not None:
        lines.append(f"\t<filename>{escape(xml_text(data.images.names[place]))}</filename>")
    if data.images.height is not None and data.images.width is not None and data.images.height[place]:
        height, width = int(data.images.height[place]), int(data.images.width[place])
        lines += ["\t<size>", f"\t\t<width>{width}</width>", f"\t\t<height>{height}</height>", "\t</size>"]
    return lines


def _result_files(data: Dataset) -> Iterable[tuple[str, str]]:
    names, boxes = names_of(data), _written_boxes(data)
    ids = different([stem_of(id, "image") for id in data.images.ids.tolist()])
    spaced = next((id for id in ids if id.split() != [id]), None)
    if spaced is not None:
        raise InputError(f"VOC's lines of results cannot hold the image id {check.brief(spaced)}: it has spaces.")
    assert data.score is not None
    lines: list[list[str]] = [[] for _ in names]
    for place, kind, score, box in zip(
        data.image.tolist(), data.category.tolist(), data.score.tolist(), boxes, strict=True
    ):
        lines[kind].append(" ".join([ids[place], repr(score), *box]))
    for name, found in zip(names, lines, strict=True):
        if found:
            yield f"comp3_det_test_{stem_of(name, 'category')}.txt", "\n".join([*found, ""])
