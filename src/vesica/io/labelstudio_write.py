"""Label Studio's JSON, written: a task for each image, with an annotation of each who was asked, or predictions."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from vesica._check import brief
from vesica.dataset import Dataset
from vesica.errors import InputError
from vesica.io.drawn_regions import Region, drawn
from vesica.io.labelstudio_rle import packed
from vesica.io.text_fields import lost_columns, names_of
from vesica.io.turned_boxes import about_centre

Answer = tuple[int, Any, int]
"""Image, annotator and round."""


def content(data: Dataset, /) -> tuple[bytes, tuple[str, ...]]:
    """The bytes of a file, and what it could not keep."""
    tasks, notes = tasks_of(data)
    return (json.dumps(tasks, ensure_ascii=False, indent=1) + "\n").encode(), notes


def tasks_of(data: Dataset, /) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """A task for each image, and what they could not keep. Guesses become predictions."""
    regions, notes = drawn(data)
    labels, sizes = names_of(data), data.images.sizes.tolist()
    rows: dict[Answer, list[int]] = {answer: [] for answer in _asked(data)}
    for row, answer in enumerate(_answers(data)):
        rows.setdefault(answer, []).append(row)
    tasks = [_task(data, place, id) for place, id in enumerate(_numbers(data))]
    key, dates = "annotations" if data.score is None else "predictions", _dates(data)
    for number, (answer, mine) in enumerate(rows.items(), 1):
        image, who, _ = answer
        ids = _ids(data, mine)
        found = [
            _region(data, row, id, _value(regions[row], *_sized(data, image, sizes)), labels[data.category[row]])
            | {"original_height": sizes[image][0], "original_width": sizes[image][1]}
            for row, id in zip(mine, ids, strict=True)
        ]
        tasks[image][key].append(_said(data, number, who, dates.get(answer), found))
    return tasks, (*_lost(data), *notes)


def _lost(data: Dataset) -> list[str]:
    lost = lost_columns(data, "Label Studio", kept=("score", "id", "annotator", "round", "assignments"))
    if data.images.ids.dtype == object:
        lost.append("image ids became numbers from 1; the names of pictures keep them")
    if len(set(data.category.tolist())) < len(data.categories):
        lost.append("categories without an object left no trace")
    sizes = data.images.sizes
    sized = set(data.image.tolist())
    if any(all(size) and place not in sized for place, size in enumerate(sizes.tolist())):
        lost.append("sizes of images without an object left no trace")
    return lost


def _numbers(data: Dataset) -> list[int]:
    """Ids of the tasks: those of the images, if they are numbers."""
    ids: list[int] = data.images.ids.tolist()
    return ids if data.images.ids.dtype != object else list(range(1, len(ids) + 1))


def _asked(data: Dataset) -> list[Answer]:
    """Every answer there is, also those that marked nothing: whoever was asked, or else one for each image."""
    asked = data.assignments
    if asked is not None:
        return list(zip(asked.image.tolist(), asked.annotator.tolist(), asked.rounds.tolist(), strict=True))
    return [] if data.annotator is not None else [(place, None, 0) for place in range(len(data.images))]


def _answers(data: Dataset) -> list[Answer]:
    """Of each row."""
    count = len(data)
    people = [None] * count if data.annotator is None else data.annotator.tolist()
    rounds = [0] * count if data.round is None else data.round.tolist()
    return list(zip(data.image.tolist(), people, rounds, strict=True))


def _dates(data: Dataset) -> dict[Answer, Any]:
    asked = data.assignments
    return {} if asked is None or asked.date is None else dict(zip(_asked(data), asked.date.tolist(), strict=True))


def _ids(data: Dataset, rows: list[int]) -> list[str]:
    """Of regions: the last part of an id that was read from such a file, if those of one annotation differ."""
    if data.id is None:
        return [str(row) for row in rows]
    whole = [str(id) for id in data.id[rows].tolist()]
    last = [id.rpartition("/")[2] for id in whole]
    return last if len(set(last)) == len(last) else whole


def _task(data: Dataset, place: int, id: int) -> dict[str, Any]:
    name = None if data.images.names is None else data.images.names[place]
    picture = str(data.images.ids.tolist()[place]) if name is None else str(name)
    return {"id": id, "data": {"image": picture}, "annotations": [], "predictions": []}


def _said(data: Dataset, number: int, who: Any, date: Any, found: list[dict[str, Any]]) -> dict[str, Any]:
    """One annotation or prediction."""
    name = None if who is None else data.annotators.tolist()[who]
    if data.score is not None:
        return {"result": found} if name is None else {"model_version": name, "result": found}
    said: dict[str, Any] = {"id": number, "was_cancelled": False, "ground_truth": False, "result": found}
    said |= {} if name is None else {"completed_by": name}
    return said if date is None else {**said, "updated_at": str(date)}


def _sized(data: Dataset, image: int, sizes: list[list[int]]) -> tuple[int, int]:
    height, width = sizes[image]
    if not height or not width:
        raise InputError(
            "Label Studio has percent of the image, and nobody says how large image "
            f"{brief(data.images.ids.tolist()[image])} is. Give `sizes=` or `images=` when you read or make the data."
        )
    return height, width


def _region(data: Dataset, row: int, id: str, shape: tuple[str, dict[str, Any]], label: str) -> dict[str, Any]:
    kind, value = f"{shape[0]}labels", shape[1]
    found = {"id": id, "type": kind, "value": {**value, kind: [label]}, "from_name": "label", "to_name": "image"}
    score = {} if data.score is None else {"score": float(data.score[row])}
    return {**found, "image_rotation": 0, **score}


def _value(region: Region, height: int, width: int) -> tuple[str, dict[str, Any]]:
    """What kind of shape it is, and its numbers in percent."""
    if region.mask is not None:
        whole = np.zeros((height, width), bool)
        (left, top), (high, wide) = region.corner, region.mask.shape
        whole[top : top + high, left : left + wide] = region.mask
        return "brush", {"format": "rle", "rle": packed(whole)}
    if region.rings is not None:
        return "polygon", {"points": (region.rings[0] * 100 / (width, height)).tolist(), "closed": True}
    if region.turned is None:
        assert region.box is not None
        (x, y, w, h), degrees = region.box, 0.0
    else:
        (w, h, degrees) = region.turned[2:]
        x, y = about_centre(*region.turned)[0].tolist()
    sides = {"x": x * 100 / width, "y": y * 100 / height, "width": w * 100 / width, "height": h * 100 / height}
    return "rectangle", {**sides, "rotation": degrees}
