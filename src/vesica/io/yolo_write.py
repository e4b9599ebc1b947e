"""YOLO, written: a label file for each image, and data.yaml with the names."""

from __future__ import annotations

import json
from pathlib import Path, PurePath

import numpy as np

from vesica._check import brief
from vesica._check.dataset import some_boxes
from vesica.dataset import Dataset
from vesica.errors import InputError
from vesica.io.text_fields import different, stem_of


def write(folder: Path, data: Dataset, /) -> tuple[str, ...]:
    """Write labels/NAME.txt for each image and data.yaml. Returns what could not be kept."""
    shares = _shares(data)
    stems = different([stem_of(_stem(data, place), "image") for place in range(len(data.images))])
    lines: list[list[str]] = [[] for _ in stems]
    scores = [""] * len(data) if data.score is None else [f" {score!r}" for score in data.score.tolist()]
    rows = zip(data.image.tolist(), data.category.tolist(), shares.tolist(), scores, strict=True)
    for image, category, box, score in rows:
        lines[image].append(f"{category} {' '.join(map(repr, box))}{score}\n")
    (folder / "labels").mkdir(exist_ok=True)
    for stem, found in zip(stems, lines, strict=True):
        (folder / "labels" / f"{stem}.txt").write_text("".join(found), encoding="utf-8")
    (folder / "data.yaml").write_text(_yaml(data), encoding="utf-8")
    return tuple(_lost(data, stems))


def _shares(data: Dataset) -> np.ndarray:
    """cx, cy, w, h in shares of each row's image; of rotated boxes the corners."""
    sizes = data.images.sizes[data.image, ::-1]
    unknown = np.flatnonzero((sizes <= 0).any(axis=1))
    if unknown.size:
        id = data.images.ids.tolist()[int(data.image[unknown[0]])]
        raise InputError(f"YOLO's boxes are shares of the image, and nobody said how large image {brief(id)} is.")
    if data.corners is not None:
        shares: np.ndarray = (data.corners / sizes[:, None]).reshape(-1, 8)
        return shares
    xywh = some_boxes(data.xywh)
    return np.concatenate([(xywh[:, :2] + xywh[:, 2:] / 2) / sizes, xywh[:, 2:] / sizes], axis=1)


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


def _lost(data: Dataset, stems: list[str]) -> list[str]:
    lost = {"masks": data.segments, "areas": data.area, "crowds": data.crowd, "ids": data.id,
            "what is to be ignored": data.ignore, "annotators": data.annotator}  # fmt: skip
    notes = [f"YOLO has no place for {what}" for what, column in lost.items() if column is not None]
    if data.categories.ids.tolist() != list(range(len(data.categories))):
        notes.append("classes are numbered from 0")
    if data.images.ids.tolist() != stems:
        notes.append("images are known by the names of their files")
    return [*notes, "image sizes are those of the pictures"]
