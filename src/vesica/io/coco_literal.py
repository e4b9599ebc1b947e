"""Files as pycocotools takes them: what it refuses is refused, and what it lets pass is let pass."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from vesica._kernels.native.coco_file import Columns
from vesica.errors import InputError
from vesica.io import coco_errors
from vesica.io.files import File

_TOO = " pycocotools refuses it too."
_NEEDS = " pycocotools needs it too."
_NO_BOX = re.compile(rb'"bbox"\s*:\s*(null|\[\s*\])')
_PLAIN_COUNTS = re.compile(rb'"counts"\s*:\s*\[')


def check(file: File, found: Columns, regions: str, /) -> None:
    """Raise for the first thing without which that tool cannot score these regions."""
    if found.is_results:
        _check_results(file, found, regions)
    else:
        _check_truths(file, found, regions)


def without_repeated(file: File, /) -> File:
    """The file with one record for each id of an image and of a category: the last one, at the place of the first."""
    value = json.loads(file.data)
    for name in ("images", "categories"):
        value[name] = list({record["id"]: record for record in value[name]}.values())
    return File(file.name, json.dumps(value).encode(), file.kind)


def are_masks(found: Columns, /) -> bool:
    """Are the results masks, whatever boxes they have? The first of them says so."""
    return found.is_results and found.annotations.rows > 0 and not found.annotations.row_has(0, "bbox")


def has_plain_counts(text: np.ndarray, /) -> bool:
    """Are there run lengths that are a list of numbers, and no string? `text` are bytes of segmentations."""
    return _PLAIN_COUNTS.search(text.data) is not None


def _check_truths(file: File, found: Columns, regions: str) -> None:
    for name, is_there in (("images", found.images.is_there), ("categories", found.categories is not None)):
        if not is_there:
            raise InputError(f'{file.name} has no "{name}".{_TOO}')
    region = "bbox" if regions == "box" else "segmentation"
    coco_errors.check_given(file, found, ("image_id", "category_id", "id", "area", "iscrowd", region), _NEEDS)
    for name, ids in (("images", found.image_ids), ("categories", found.category_ids)):
        if len({isinstance(one, str) for one in ids.tolist()} if ids.dtype == object else ()) > 1:
            raise InputError(f"{file.name}: ids of {name} are strings and numbers, which have no order.{_TOO}")
    text = next((row for row, text in found.annotations.id_texts if text.startswith(b"s")), None)
    if text is not None:
        raise coco_errors.error_of_row(file, found, text, f'has an "id" that is a string.{_TOO}')
    area = found.annotations.area
    if area is not None and np.isnan(area).any():
        row = int(np.argmax(np.isnan(area)))
        raise coco_errors.error_of_row(file, found, row, 'has an "area" of NaN. Only pycocotools knows its size.')


def _check_results(file: File, found: Columns, regions: str) -> None:
    rows = found.annotations
    if not rows.rows:
        raise InputError(f"{file.name} has no results.{_TOO}")
    coco_errors.check_given(file, found, ("image_id", "category_id", "score"), _NEEDS)
    if are_masks(found):
        _check_masks(file, found, regions)
        return
    coco_errors.check_given(file, found, ("bbox",), _NEEDS)
    if regions != "box" and not rows.is_in_all("segmentation") and b"null" in file.data:
        for row, result in enumerate(json.loads(file.data)):
            if "segmentation" in result and result["segmentation"] is None:
                raise coco_errors.error_of_row(file, found, row, f'has a "segmentation" of null.{_TOO}')


def _check_masks(file: File, found: Columns, regions: str) -> None:
    """Results whose first has no box: that tool makes the boxes of compressed run lengths, and of nothing else."""
    if first_record(file).get("bbox", []) is None or (regions == "box" and _NO_BOX.search(file.data)):
        raise InputError(f'{file.name} has a "bbox" without numbers, which is not the same as none.{_TOO}')
    coco_errors.check_given(file, found, ("segmentation",), _NEEDS)
    text, begin = found.annotations.text, found.annotations.segment_begin
    if text is None or begin is None:
        return
    are_objects = text[begin] == ord("{")
    if not are_objects.all():
        row = int(np.argmin(are_objects))
        raise coco_errors.error_of_row(file, found, row, f"has polygons, where results are run lengths.{_TOO}")
    if has_plain_counts(text):
        raise InputError(f'{file.name} has "counts" that are a list, where results have compressed strings.{_TOO}')


def first_record(file: File, /) -> dict[str, Any]:
    """The first record of a list."""
    size = 1 << 16
    while True:
        text = file.head(size).decode("utf-8-sig", "ignore")
        try:
            found, _ = json.JSONDecoder().raw_decode(text, text.index("{"))
        except json.JSONDecodeError:
            size *= 8  # it goes on; the whole file was read before, so it ends
            continue
        assert isinstance(found, dict)
        return found
