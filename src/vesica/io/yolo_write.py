"""YOLO, written: a label file for each image, and data.yaml with the names."""

from __future__ import annotations

import json
from pathlib import Path, PurePath

import numpy as np

from vesica._check import brief
from vesica.dataset import Dataset
from vesica.dataset.boxless import boxes_of
from vesica.errors import InputError
from vesica.io import atomic
from vesica.io.text_fields import different, stem_of
from vesica.io.yolo_folder import YAML_NAMES, is_label
from vesica.io.yolo_outlines import Outlines, outlines_of


def write(folder: Path, data: Dataset, /) -> tuple[str, ...]:
    """Write labels/NAME.txt for each image and data.yaml. Returns what could not be kept.

    Lines are rotated boxes where there are any, and else boxes; where some object has a polygon they are outlines, for
    tools take the lines of a file for one kind.
    """
    sizes, outlines = _sizes(data), None
    if data.corners is not None:
        shares = _rotated(data.corners, sizes)
    else:
        boxes = boxes_of(data)
        outlines = outlines_of(data, boxes)
        shares = _boxes(boxes, sizes) if outlines is None else _outlines(outlines, sizes)
    stems = different([stem_of(_stem(data, place), "image") for place in range(len(data.images))])
    lines: list[list[str]] = [[] for _ in stems]
    scores = [""] * len(data) if data.score is None else [f" {score!r}" for score in data.score.tolist()]
    for image, category, numbers, score in zip(
        data.image.tolist(), data.category.tolist(), shares, scores, strict=True
    ):
        lines[image].append(f"{category} {' '.join(map(repr, numbers))}{score}\n")
    (folder / "labels").mkdir(exist_ok=True)
    for stem, found in zip(stems, lines, strict=True):
        atomic.put(folder / "labels" / f"{stem}.txt", "".join(found))
    atomic.put(folder / "data.yaml", _yaml(data))
    return tuple(_lost(data, stems, outlines))


def stale(folder: Path, /) -> list[Path]:
    """What an earlier data set left where this one is to be written."""
    lists = [folder / name for name in YAML_NAMES if (folder / name).is_file()]
    labels = folder / "labels"
    return lists + (sorted(path for path in labels.iterdir() if is_label(path)) if labels.is_dir() else [])


def _sizes(data: Dataset) -> np.ndarray:
    """(N, 2): width and height of each row's image."""
    sizes: np.ndarray = data.images.sizes[data.image, ::-1]
    unknown = np.flatnonzero((sizes <= 0).any(axis=1))
    if unknown.size:
        id = data.images.ids.tolist()[int(data.image[unknown[0]])]
        raise InputError(
            f"YOLO's boxes are shares of the image, and nobody said how large image {brief(id)} is. A file of COCO "
            "results does not say it, its truth does; results are scored as they are, whatever format the truth has."
        )
    return sizes


def _rotated(corners: np.ndarray, sizes: np.ndarray) -> list[list[float]]:
    """The four corners in shares of each row's image."""
    return (corners / sizes[:, None]).reshape(-1, 8).tolist()  # type: ignore[no-any-return]


def _boxes(xywh: np.ndarray, sizes: np.ndarray) -> list[list[float]]:
    """cx, cy, w, h in shares of each row's image."""
    shares = np.concatenate([(xywh[:, :2] + xywh[:, 2:] / 2) / sizes, xywh[:, 2:] / sizes], axis=1)
    return shares.tolist()  # type: ignore[no-any-return]


def _outlines(outlines: Outlines, sizes: np.ndarray) -> list[list[float]]:
    return [(points / size).reshape(-1).tolist() for points, size in zip(outlines.points, sizes, strict=True)]


def _stem(data: Dataset, place: int) -> str:
    """The name of the picture without ending, or else the id."""
    name = None if data.images.names is None else data.images.names[place]
    return str(data.images.ids[place]) if name is None else PurePath(name).stem


def _yaml(data: Dataset) -> str:
    """JSON strings are YAML too."""
    ids = data.categories.ids.tolist()
    names = ids if data.categories.names is None else data.categories.names.tolist()
    named = [str(id if name is None else name) for id, name in zip(ids, names, strict=True)]
    lines = [f"  {k}: {json.dumps(name)}\n" for k, name in enumerate(named)]
    return f"nc: {len(ids)}\nnames:\n{''.join(lines)}" if ids else "nc: 0\nnames: []\n"


def _lost(data: Dataset, stems: list[str], outlines: Outlines | None) -> list[str]:
    lost = {"areas": data.area, "ids": data.id, "annotators": data.annotator, "attributes": data.attributes}
    notes = [f"YOLO has no place for {what}" for what, column in lost.items() if column is not None]
    flags = {"crowds": data.crowd, "what is to be ignored": data.ignore}
    notes += [
        f"YOLO has no place for {what}: {int(column.sum())} of them are objects like any other"
        for what, column in flags.items()
        if column is not None
    ]
    notes += _lost_masks(data, outlines)
    if data.categories.ids.tolist() != list(range(len(data.categories))):
        notes.append("classes are numbered from 0")
    if data.images.ids.tolist() != stems:
        notes.append("images are known by the names of their files")
    return [*notes, "image sizes are those of the pictures"]


def _lost_masks(data: Dataset, outlines: Outlines | None) -> list[str]:
    if outlines is None:
        runs = 0 if data.segments is None else int((data.segments.form != data.segments.NONE).sum())
        what = "run lengths" if data.corners is None else "masks beside rotated boxes"
        return [f"YOLO has no place for {what}: of {runs} masks the boxes are written"] if runs else []
    counts = {
        "masks are run lengths or empty: the boxes around them are written": outlines.boxed_masks,
        "boxes are written as outlines, because other objects have polygons": outlines.boxes,
        "masks have several parts: lines of no width join them": outlines.joined,
    }
    notes = [f"{count} {what}" for what, count in counts.items() if count]
    return notes if data.score is None else [*notes, 'outlines with scores are read with kind="polygon"']
