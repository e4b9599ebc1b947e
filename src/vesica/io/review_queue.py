"""Review queues: the images that annotators differ on most, as tasks for those who look at them again."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._array import objects
from vesica._check.dataset import known
from vesica._check.names import explained
from vesica.dataset import Dataset
from vesica.dataset.ids import places
from vesica.io import atomic, coco_write, cvat_write, labelstudio_write

FORMATS = {"labelstudio": ".json", "cvat": ".xml", "coco": ".json"}
"""How a queue is written, and the ending by which it is known; the first of an ending counts."""


@explained("write_queue", "write_queue")
def write_queue(
    path: str | os.PathLike[str], data: Dataset, queue: Sequence[Any], /, *, format: str | None = None
) -> tuple[str, ...]:
    """Write the images that annotators differ on most, with what everybody marked in them and why they are there.

    In Label Studio what each annotator marked is a prediction under their name, and `data` of a task has the reasons;
    in CVAT it is a shape with the attribute "annotator", and the reasons are comments; in COCO both are keys. Returns
    what could not be kept.

    Parameters
    ----------
    path : a file
    data : Dataset of all annotators
    queue : what `AgreementResult.worst` answers; or dicts of "image", an id of the data set, and whatever is to be told
        of it
    format : {"labelstudio", "cvat", "coco"}; by default .xml is CVAT, and everything else Label Studio

    Examples
    --------
    >>> import tempfile, vesica
    >>> ann = vesica.Dataset.from_arrays([[0, 0, 4, 4]], image=["a.jpg"], category=["cat"], sizes=(48, 64))
    >>> ben = vesica.Dataset.from_arrays([], image=[], category=[], images=["a.jpg"])
    >>> both = vesica.Dataset.of_annotators({"ann": ann, "ben": ben})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     notes = write_queue(f"{folder}/queue.json", both, [{"image": "a.jpg", "reasons": "missing 0.5 by ben"}])
    ...     task, = json.loads(Path(folder, "queue.json").read_text())
    >>> task["data"], [(one["model_version"], len(one["result"])) for one in task["predictions"]]
    ({'image': 'a.jpg', 'reasons': 'missing 0.5 by ben'}, [('ann', 1), ('ben', 0)])
    """
    ending = Path(path).suffix.lower()
    if format is None:
        format = next((name for name, own in FORMATS.items() if own == ending), "labelstudio")
    check.one_of(format, FORMATS, "format")
    rows = [_row(rank, one) for rank, one in enumerate(queue, 1)]
    wanted = objects([row["image"] for row in rows])
    found = places(wanted, data.images.ids)
    known(found, wanted, "image", "images", "queue")
    chosen = of_images(data, found)
    told = [{key: _plain(value) for key, value in row.items() if key != "image"} for row in rows]
    text, notes = {"labelstudio": _labelstudio, "cvat": _cvat, "coco": _coco}[format](chosen, told)
    with atomic.file(path) as file:
        file.write(text)
    return notes


def _row(rank: int, one: Any) -> Mapping[str, Any]:
    """An image of the queue and what is told of it."""
    if isinstance(one, Mapping):
        return one
    return {"image": one.image, "rank": rank, "lost": one.lost, "reasons": one.text}


def of_images(data: Dataset, wanted: np.ndarray, /) -> Dataset:
    """The rows, images and assignments of some images, given by their places, in that order."""
    place = np.full(len(data.images), -1, np.int64)
    place[wanted] = np.arange(len(wanted))
    table = {name: column[wanted] for name, column in vars(data.images).items() if isinstance(column, np.ndarray)}
    asked = data.assignments
    if asked is not None:
        kept = asked[place[asked.image] >= 0]
        asked = replace(kept, image=place[kept.image])
    rows = data.rows(np.flatnonzero(place[data.image] >= 0))
    images = replace(data.images, **table, absent=None, partial=None)
    return replace(rows, images=images, image=place[rows.image], assignments=asked, source=None, record=None)


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    return value.item() if isinstance(value, np.generic) else value


def _labelstudio(data: Dataset, told: list[dict[str, Any]]) -> tuple[bytes, tuple[str, ...]]:
    tasks, notes = labelstudio_write.tasks_of(data)
    found = []
    for task, why in zip(tasks, told, strict=True):
        guesses = [
            {"model_version": str(one.get("completed_by", "")), "result": one["result"]} for one in task["annotations"]
        ]
        found.append({"id": task["id"], "data": {**task["data"], **why}, "predictions": guesses})
    return (json.dumps(found, ensure_ascii=False, indent=1) + "\n").encode(), notes


def _cvat(data: Dataset, told: list[dict[str, Any]]) -> tuple[bytes, tuple[str, ...]]:
    comments = [", ".join(f"{key} {value}" for key, value in why.items()) for why in told]
    return cvat_write.content_of(data, comments=comments, annotators=True)


def _coco(data: Dataset, told: list[dict[str, Any]]) -> tuple[bytes, tuple[str, ...]]:
    text, notes = coco_write.truth_text(replace(data, score=None), beside=[{"review": why} for why in told])
    return text.encode(), notes
