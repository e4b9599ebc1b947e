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

Fields = dict[str, Any]
"""What is known of one image: "boxes", "masks", "labels", "scores", …; what is not known is absent."""

_FIELDS = {"scores": "score", "labels": "category", "iscrowd": "crowd", "area": "area"}
"""What the fields of an image are called in a data set."""

_ALIASES = {
    "bboxes": "boxes",  # mmdet
    "class_labels": "labels",  # transformers
    "cls": "labels",  # Ultralytics
    "conf": "scores",  # Ultralytics
    "mask_labels": "masks",  # transformers
}
"""Other names under which fields are read."""

_NAMED = {
    "boxes": ("box", "bbox", "xyxy", "pred_boxes", "gt_boxes"),
    "labels": (
        *("label", "class", "classes", "class_id", "class_ids", "category", "categories", "category_id"),
        *("category_ids", "pred_classes", "gt_classes", "pred_labels"),
    ),
    "scores": ("score", "confidence", "confidences", "pred_scores"),
    "masks": ("mask", "segmentation", "pred_masks", "gt_masks"),
}
"""Names that mean a field and are not read: an error says so, where the field itself is missing."""


def fields_of_dicts(dicts: Any, /) -> list[Fields]:
    """The fields of dicts in the style of torchvision, torchmetrics and transformers."""
    return [_dict(one, place) for place, one in enumerate(check.list_of_images(dicts, "dict"))]


def fields_of_objects(objects: Any, /) -> list[Fields]:
    """The fields of objects, each known by its attributes; dicts may stand among them."""
    return [_taken(one, place) for place, one in enumerate(check.list_of_images(objects, "object"))]


def has_labels(rows: Any, /) -> bool:
    """Do these dicts or objects say of which class anything is?"""
    names = ("labels", *(alias for alias, name in _ALIASES.items() if name == "labels"))
    attributes = ("class_id", "names", "pred_classes", "gt_classes", "labels")
    return any(
        any(one.get(name) is not None for name in names)
        if isinstance(one, Mapping)
        else any(getattr(one, name, None) is not None for name in attributes)
        for one in rows
    )


def ids_of(found: list[Fields], /) -> list[Any]:
    """The "image_id" of each image, None where there is none."""
    return [None if one.get("image_id") is None else scalar(one["image_id"]) for one in found]


def _dict(value: Any, place: int) -> Fields:
    if not isinstance(value, Mapping):
        raise TypeError(
            f"Image {place} must be a dict; got {type(value).__name__}. Objects go to Dataset.from_objects."
        )
    given = {name: one for name, one in value.items() if one is not None}
    check.one_name_each(given, _ALIASES, place)
    found = {_ALIASES.get(name, name): one for name, one in given.items()}
    check.no_other_names(found, _NAMED, place)
    check.fields_of_image(found, place, "Image")
    return found


def scalar(value: Any, /) -> Any:
    """An id, also where it comes as a tensor of one element."""
    if isinstance(value, np.generic):
        return value.item()
    return to_numpy(as_array(value)).reshape(-1).tolist()[0] if hasattr(value, "dtype") else value


def pictures_of(found: list[Fields], /) -> list[str] | None:
    """Names of the pictures, where they tell the images apart and no image has an id; frames of a film do not."""
    names = [one["name"] for one in found if one.get("name") is not None]
    tells_apart = names and len(set(names)) == len(found) and not any(one is not None for one in ids_of(found))
    return names if tells_apart else None


def columns_of_images(
    found: list[Fields],
    *,
    form: str = "xyxy",
    normalised: bool = False,
    sizes: Any = None,
    images: Any = None,
    categories: Any = None,
    above: float | None = None,
    look: bool = True,
) -> dict[str, Any]:
    """Images one after the other, as columns."""
    own = ids_of(found)
    if images is None and any(one is not None for one in own):
        images = check.ids_of_all(own)
    ids = check.ids(np.arange(len(found)) if images is None else images, "images")
    check.one_for_each(ids, len(found), "images")
    check.different(ids, "images")
    if sizes is not None or normalised:
        found = _sized(found, ids, check.sizes_of_shares(sizes, normalised))
    if categories is None:
        categories = _named(found)
    boxes = _gathered(found, "boxes", lambda value, place: _rows(value, form, place))
    masks = _gathered(found, "masks", lambda value, place: _segments(value, found[place].get("size"), above, place))
    counts = [_count(k, boxes, masks) for k in range(len(found))]
    # Beside shares an "area" may be of the image as it was or as it was scaled (transformers): nobody says.
    fields = {theirs: ours for theirs, ours in _FIELDS.items() if not (normalised and theirs == "area")}
    flat = {ours: _flat(found, theirs, counts) for theirs, ours in fields.items()}
    given = {"score": None, "category": None, "area": None, **flat, "ignore": None, "id": None, "annotator": None}
    known = {id: _pair(one["size"]) for id, one in zip(ids.tolist(), found, strict=True) if "size" in one}
    names = [one.get("name") for one in found]
    table = Images(ids, names=objects(names)) if any(names) else ids
    all_masks = _all(masks, counts, "masks", stacked)
    all_boxes = _all(boxes, counts, "boxes", _one_kind)
    return columns_of(
        np.empty((0, 4)) if all_boxes is None and all_masks is None else all_boxes,
        all_masks,
        form=form,
        normalised=normalised,
        image=ids[np.repeat(np.arange(len(found)), counts)],
        images=table,
        categories=categories,
        sizes=known or None,
        look=look,
        **given,
    )


def _sized(found: list[Fields], ids: np.ndarray, sizes: Any) -> list[Fields]:
    """The images with their (height, width): of a key, or given by id, for each image, or for all."""
    if isinstance(sizes, str):
        pairs: list[Any] = sizes_at(found, sizes)
    elif isinstance(sizes, Mapping):
        pairs = [sizes.get(id, (0, 0)) for id in ids.tolist()]
    else:
        array = check.image_sizes(sizes)
        if array.ndim == 2:
            check.whose_sizes(len(array), len(found), given=True)
        pairs = list(np.broadcast_to(array, (len(found), 2)))
    return [one | {"size": pair} for one, pair in zip(found, pairs, strict=True)]


def sizes_at(found: list[Fields], key: str, /) -> list[list[Any]]:
    """(height, width) of each image, under a key of its own."""
    check.key_of_sizes(found, key)
    return [_pair(one[key]) for one in found]


def _pair(size: Any) -> list[Any]:
    """(height, width), also where it comes as a tensor."""
    pair: list[Any] = to_numpy(as_array(size)).reshape(-1).tolist()
    return pair


def _gathered(found: list[Fields], name: str, read: Callable[[Any, int], Any]) -> list[Any]:
    return [None if one.get(name) is None else read(one[name], place) for place, one in enumerate(found)]


def _rows(value: Any, form: str, place: int) -> np.ndarray:
    """(N, 4) in the form; of rotated boxes their corners, (N, 4, 2)."""
    given = value.to_corners() if hasattr(value, "to_corners") else value.to(form) if _is_boxes(value) else value
    array = to_numpy(as_array(given))
    if array.size == 0:
        return np.empty((0, 4))
    if array.shape[1:] not in ((4,), (4, 2)):
        raise ValueError(
            f"`boxes` of image {place} must have shape (N, 4); got {array.shape}. "
            "Corners of rotated boxes are (N, 4, 2)."
        )
    return array


def _one_kind(parts: list[np.ndarray]) -> np.ndarray:
    check.one_kind_of_boxes([part.ndim == 3 for part in parts])
    return np.concatenate(parts)


def _is_boxes(value: Any) -> bool:
    """Boxes know their form."""
    return hasattr(value, "form") and hasattr(value, "xyxy")


def _segments(value: Any, size: Any, above: float | None, place: int) -> CocoMasks:
    masks = without_channel(value, above, place)
    return segments_of(masks, np.broadcast_to((0, 0) if size is None else _pair(size), (len(masks), 2)))


def _count(place: int, boxes: list[Any], masks: list[Any]) -> int:
    lengths = {
        name: len(column[place]) for name, column in (("boxes", boxes), ("masks", masks)) if column[place] is not None
    }
    if len(set(lengths.values())) > 1:
        raise ValueError(
            f"Image {place} must have as many `masks` as `boxes`; got {lengths['masks']} and {lengths['boxes']}."
        )
    return next(iter(lengths.values()), 0)


def _flat(found: list[Fields], name: str, counts: list[int]) -> Any:
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


def _taken(value: Any, place: int) -> Fields:
    if isinstance(value, Mapping):
        return _dict(value, place)
    for knows, take in _KINDS:
        if knows(value):
            return {name: one for name, one in take(value, place).items() if one is not None}
    raise TypeError(
        f"Object {place} must have the attributes of supervision's Detections (xyxy, confidence, class_id), of "
        "Ultralytics' Results (boxes, orig_shape, names), of detectron2's Instances (pred_boxes, image_size) or of "
        f"mmdet's InstanceData (bboxes, labels); got {type(value).__name__}."
    )


def _is_detections(value: Any) -> bool:
    return all(hasattr(value, name) for name in ("xyxy", "confidence", "class_id"))


def _detections(value: Any, place: int) -> Fields:
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


def _results(value: Any, place: int) -> Fields:
    """Ultralytics."""
    turned = getattr(value, "obb", None)
    found = value.boxes if turned is None else turned
    if found is None:
        raise TypeError(f"Object {place} is no detection: its `boxes` are None.")
    masks = getattr(value, "masks", None)
    path = getattr(value, "path", None)
    return {
        "boxes": found.xyxy if turned is None else found.xyxyxyxy,
        "scores": getattr(found, "conf", None),
        "labels": found.cls,
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


def _instances(value: Any, place: int) -> Fields:
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


def _is_instance_data(value: Any) -> bool:
    return hasattr(value, "bboxes") and hasattr(value, "labels")


def _instance_data(value: Any, place: int) -> Fields:
    """mmdet, guesses or truths."""
    masks = getattr(value, "masks", None)
    return {
        "boxes": getattr(value.bboxes, "tensor", value.bboxes),
        "scores": getattr(value, "scores", None),
        "labels": value.labels,
        "masks": getattr(masks, "masks", masks),
    }


_KINDS = (
    (_is_detections, _detections),
    (_is_results, _results),
    (_is_instances, _instances),
    (_is_instance_data, _instance_data),
)


def _named(found: list[Fields]) -> dict[Any, Any] | None:
    """Names that the objects bring, by id; None where not all ids have one."""
    names: dict[Any, Any] = {}
    for one in found:
        given = one["names"] if isinstance(one.get("names"), Mapping) else {}
        check.same_category(names, given, "names")
        names |= given
    if not names:
        return None
    labels = [to_numpy(as_array(one["labels"])) for one in found if one.get("labels") is not None]
    used = {int(id) for column in labels for id in column.tolist()}
    return dict(sorted(names.items())) if used <= names.keys() else None
