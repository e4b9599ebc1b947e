"""A data set from one thing for each image: dicts, and what other libraries call a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

import numpy as np

from vesica._array import as_array, objects, to_numpy
from vesica._check import dataset as check
from vesica.dataset.arrays import columns_of
from vesica.dataset.coco_masks import CocoMasks
from vesica.dataset.masks import of_pixels, segments_of, stacked, without_channel
from vesica.dataset.tables import Images
from vesica.regions.rle import RleMasks

_FIELDS = {"scores": "score", "labels": "category", "iscrowd": "crowd", "area": "area"}
"""What the fields of an image are called in a data set."""


def columns_of_dicts(
    dicts: Any, form: str, images: Any, categories: Any, above: float | None, look: bool
) -> dict[str, Any]:
    """Columns of dicts in the style of torchvision and torchmetrics."""
    found = [_dict(one, place) for place, one in enumerate(check.list_of_images(dicts, "dict"))]
    own = [one.get("image_id") for one in found]
    if images is None and any(one is not None for one in own):
        images = [_scalar(one) if one is not None else place for place, one in enumerate(own)]
    return _columns(found, form, images, categories, above, look)


def _dict(value: Any, place: int) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(
            f"Image {place} must be a dict; got {type(value).__name__}. Objects go to Dataset.from_objects."
        )
    found = {name: one for name, one in value.items() if one is not None}
    check.fields_of_image(found, place, "Image")
    return found


def _scalar(value: Any) -> Any:
    """An id, also where it comes as a tensor of one element."""
    return to_numpy(as_array(value)).reshape(-1).tolist()[0] if hasattr(value, "dtype") else value


def columns_of_objects(objects: Any, images: Any, categories: Any, look: bool) -> dict[str, Any]:
    """Columns of objects, each known by its attributes."""
    found = [_taken(one, place) for place, one in enumerate(check.list_of_images(objects, "object"))]
    if categories is None:
        categories = _named(found)
    if images is None:
        images = _pictures(found)
    return _columns(found, "xyxy", images, categories, None, look)


def _pictures(found: list[dict[str, Any]]) -> list[str] | None:
    """Names of the pictures, where they tell the images apart; frames of a film do not."""
    names = [one["name"] for one in found if one.get("name") is not None]
    return names if names and len(set(names)) == len(found) else None


def _columns(
    found: list[dict[str, Any]], form: str, images: Any, categories: Any, above: float | None, look: bool
) -> dict[str, Any]:
    """Images one after the other, as columns."""
    ids = check.ids(np.arange(len(found)) if images is None else images, "images")
    check.one_for_each(ids, len(found), "images")
    check.different(ids, "images")
    boxes = _gathered(found, "boxes", _rows)
    masks = _gathered(found, "masks", lambda value, place: _segments(value, found[place].get("size"), above, place))
    counts = [_count(k, boxes, masks) for k in range(len(found))]
    flat = {ours: _flat(found, theirs, counts) for theirs, ours in _FIELDS.items()}
    given = {"score": None, "category": None, **flat, "ignore": None, "id": None, "annotator": None}
    sizes = {id: one["size"] for id, one in zip(ids.tolist(), found, strict=True) if one.get("size") is not None}
    names = [one.get("name") for one in found]
    table = Images(ids, names=objects(names)) if any(names) else ids
    all_masks = _all(masks, counts, "masks", stacked)
    all_boxes = _all(boxes, counts, "boxes", np.concatenate)
    return columns_of(
        np.empty((0, 4)) if all_boxes is None and all_masks is None else all_boxes,
        all_masks,
        form=form,
        normalised=False,
        image=ids[np.repeat(np.arange(len(found)), counts)],
        images=table,
        categories=categories,
        sizes=sizes or None,
        look=look,
        **given,
    )


def _gathered(found: list[dict[str, Any]], name: str, read: Callable[[Any, int], Any]) -> list[Any]:
    return [None if one.get(name) is None else read(one[name], place) for place, one in enumerate(found)]


def _rows(value: Any, place: int) -> np.ndarray:
    array = to_numpy(as_array(getattr(value, "array", value)))
    if array.size == 0:
        return np.empty((0, 4))
    if array.ndim != 2 or array.shape[1] != 4:
        raise ValueError(f"`boxes` of image {place} must have shape (N, 4); got {array.shape}.")
    return array


def _segments(value: Any, size: Any, above: float | None, place: int) -> CocoMasks:
    masks = without_channel(value, above, place)
    return segments_of(masks, np.broadcast_to((0, 0) if size is None else size, (len(masks), 2)))


def _count(place: int, boxes: list[Any], masks: list[Any]) -> int:
    lengths = {
        name: len(column[place]) for name, column in (("boxes", boxes), ("masks", masks)) if column[place] is not None
    }
    if len(set(lengths.values())) > 1:
        raise ValueError(
            f"Image {place} must have as many `masks` as `boxes`; got {lengths['masks']} and {lengths['boxes']}."
        )
    return next(iter(lengths.values()), 0)


def _flat(found: list[dict[str, Any]], name: str, counts: list[int]) -> Any:
    """One column of all images, or None where no image has it."""
    there = [one.get(name) is not None for one in found]
    if not check.in_all_images(name, there, counts):
        return None
    parts = [
        np.empty(0) if not count else _column(one[name], count, name, k)
        for k, (one, count) in enumerate(zip(found, counts, strict=True))
    ]
    parts = [part for part in parts if len(part)]
    return np.concatenate(parts) if parts else np.empty(0)


def _column(value: Any, count: int, name: str, place: int) -> np.ndarray:
    array = to_numpy(as_array(value))
    if array.shape != (count,):
        raise ValueError(
            f"`{name}` of image {place} must have one for each of its {count} objects; got shape {array.shape}."
        )
    return array


def _all(parts: list[Any], counts: list[int], name: str, join: Callable[[Any], Any]) -> Any:
    """Parts of images that have objects, as one; None without any."""
    if not check.in_all_images(name, [part is not None for part in parts], counts):
        return None
    kept = [part for part, count in zip(parts, counts, strict=True) if count]
    return join(kept) if kept else None


# What each library's result is, in the fields above. `None` in a field reads as absent.


def _taken(value: Any, place: int) -> dict[str, Any]:
    for knows, take in ((_is_detections, _detections), (_is_results, _results), (_is_instances, _instances)):
        if knows(value):
            return {name: one for name, one in take(value, place).items() if one is not None}
    if isinstance(value, Mapping):
        return _dict(value, place)
    raise TypeError(
        f"Object {place} must have the attributes of supervision's Detections (xyxy, confidence, class_id), of "
        "Ultralytics' Results (boxes, orig_shape, names) or of detectron2's Instances (pred_boxes, image_size); got "
        f"{type(value).__name__}."
    )


def _is_detections(value: Any) -> bool:
    return all(hasattr(value, name) for name in ("xyxy", "confidence", "class_id"))


def _detections(value: Any, place: int) -> dict[str, Any]:
    """supervision."""
    data = getattr(value, "data", None) or {}
    return {
        "boxes": value.xyxy,
        "scores": value.confidence,
        "labels": value.class_id,
        "masks": _dense(getattr(value, "mask", None)),
        "names": _pairs(value.class_id, data.get("class_name")),
    }


def _dense(masks: Any) -> Any:
    """Masks of supervision: a stack, or runs inside crops, which are drawn one at a time."""
    if masks is None or not hasattr(masks, "to_dense") or hasattr(masks, "__dlpack__"):
        return masks
    rows = [of_pixels(RleMasks.from_masks(np.asarray(masks[k], bool)[None])) for k in range(len(masks))]
    return stacked(rows) if rows else np.empty((0, 1, 1), bool)


def _pairs(ids: Any, names: Any) -> dict[int, str] | None:
    if ids is None or names is None:
        return None
    return dict(zip(to_numpy(as_array(ids)).tolist(), np.asarray(names).tolist(), strict=True))


def _is_results(value: Any) -> bool:
    return hasattr(value, "orig_shape") and hasattr(value, "names") and hasattr(value, "boxes")


def _results(value: Any, place: int) -> dict[str, Any]:
    """Ultralytics."""
    if getattr(value, "obb", None) is not None:
        raise TypeError(
            f"Object {place} has rotated boxes (`obb`); a data set holds upright ones: `obb.xyxy` are those around."
        )
    if value.boxes is None:
        raise TypeError(f"Object {place} is no detection: its `boxes` are None.")
    masks = getattr(value, "masks", None)
    path = getattr(value, "path", None)
    return {
        "boxes": value.boxes.xyxy,
        "scores": getattr(value.boxes, "conf", None),
        "labels": value.boxes.cls,
        "masks": None if masks is None else _outlines(masks, tuple(value.orig_shape), place),
        "size": tuple(value.orig_shape),
        "names": dict(value.names) if isinstance(value.names, Mapping) else dict(enumerate(value.names)),
        "name": None if not path else PurePath(path).name,
    }


def _outlines(masks: Any, size: tuple[int, int], place: int) -> list[Any]:
    """Polygons in pixels of the image; an outline of fewer than three points has no polygon."""
    if getattr(masks, "xy", None) is None:
        raise TypeError(
            f"`masks.data` of object {place} are in the frame of the network; `masks.xy`, in that of the image, "
            "are missing."
        )
    nothing = {"size": list(size), "counts": RleMasks([[]], size=size).to_strings()[0]}
    outlines = [to_numpy(as_array(points)).astype(np.float64) for points in masks.xy]
    return [nothing if len(points) < 3 else [points.reshape(-1)] for points in outlines]


def _is_instances(value: Any) -> bool:
    return hasattr(value, "image_size") and (hasattr(value, "pred_boxes") or hasattr(value, "gt_boxes"))


def _instances(value: Any, place: int) -> dict[str, Any]:
    """detectron2, guesses or truths."""
    kind = "pred" if hasattr(value, "pred_boxes") else "gt"
    masks = getattr(value, f"{kind}_masks", None)
    return {
        "boxes": getattr(value, f"{kind}_boxes").tensor,
        "scores": getattr(value, "scores", None),
        "labels": getattr(value, f"{kind}_classes", None),
        "masks": _bits(masks),
        "size": tuple(value.image_size),
    }


def _bits(masks: Any) -> Any:
    """A stack of bits, bare or in a container, or a list of polygons."""
    if masks is None or hasattr(masks, "dtype"):
        return masks
    return masks.tensor if hasattr(masks, "tensor") else list(masks.polygons)


def _named(found: list[dict[str, Any]]) -> dict[Any, Any] | None:
    """Names that the objects bring, by id; None where not all ids have one."""
    names: dict[Any, Any] = {}
    for one in found:
        names |= one.get("names") or {}
    labels = [to_numpy(as_array(one["labels"])) for one in found if one.get("labels") is not None]
    used = {int(id) for column in labels for id in column.tolist()}
    return dict(sorted(names.items())) if names and used <= names.keys() else None
