"""Masks as run lengths, under the names of `pycocotools.mask`.

A mask is a dict: "size" is [height, width] and "counts" COCO's compressed string, as bytes or str. Functions take one
dict or a list of them, and answer with arrays of the same dtype, shape and memory order as pycocotools does.

Where pycocotools hangs, reads stray memory or gives a wrong number, the answer here is exact or an error:

- counts that stop short of the image: the rest is background; `iou` with a mask that does not, an error (there it
  never ends);
- counts beyond the image: an error that names the mask;
- runs of length 0: no effect on areas, boxes and `merge`. `iou` answers as it does there, where they can end a
  comparison early;
- 256 masks and more have areas; areas beyond 32 bits are int64;
- `encode` takes any memory order, and every value but 0 is part of the mask (there 1 beside 2 is an edge);
- `decode` of masks of several sizes, or of none, is an error.

>>> import numpy as np
>>> from vesica.compat import mask
>>> square = np.zeros((5, 5), np.uint8, order="F")
>>> square[1:4, 1:4] = 1
>>> found = mask.encode(square)
>>> found
{'size': [5, 5], 'counts': b'6320004'}
>>> int(mask.area(found)), mask.toBbox(found)
(9, array([1., 1., 3., 3.]))
>>> mask.iou([found], mask.frPyObjects([[0, 0, 3, 0, 3, 3, 0, 3]], 5, 5), [0]).round(3)
array([[0.286]])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vesica._check import compat as check
from vesica._check.coco_masks import bad_segment
from vesica._kernels.native import coco_masks as native_masks
from vesica._kernels.native import pixels as native_pixels
from vesica.dataset.masks import segments_of
from vesica.regions import Polygons, RleMasks

__all__ = ["area", "decode", "encode", "frPyObjects", "iou", "merge", "toBbox"]

Rle = dict[str, Any]

# A mask of so few pixels is copied column by column faster than it is packed.
_SMALL = 1 << 15
# Booleans and integers of one byte.
_BYTES = "?bB"


def encode(bimask: Any) -> Any:
    """Run lengths of a mask (height, width), as a dict; or of (height, width, N), as a list of N."""
    array = check.bit_masks(bimask)
    if array.ndim == 2 and array.size <= _SMALL:
        array = np.asfortranarray(array)
    if array.dtype.char in _BYTES and array.flags.f_contiguous and array.size:
        # As pycocotools wants them: the bytes lie as run lengths count them.
        plain = array if array.dtype.char == "B" else array.view(np.uint8)
        if array.ndim == 2:
            (text,) = native_pixels.strings_of_columns(plain, 1)
            return {"size": [*array.shape], "counts": text}
        height, width, count = array.shape
        return [{"size": [height, width], "counts": text} for text in native_pixels.strings_of_columns(plain, count)]
    if array.ndim == 2:
        return RleMasks.from_masks(array[None]).to_coco()[0]
    return RleMasks.from_masks(np.moveaxis(array, 2, 0)).to_coco()


def decode(rleObjs: Any) -> np.ndarray:
    """Pixels of a mask: (height, width) uint8, or (height, width, N) for a list; column-major."""
    if not isinstance(rleObjs, list):
        return decode([rleObjs])[:, :, 0]
    masks = check.run_lengths(rleObjs, "rleObjs")
    check.some_masks(len(masks))
    stack = RleMasks.from_coco(masks).to_masks().array
    return np.asfortranarray(np.moveaxis(np.asarray(stack), 0, 2).view(np.uint8))


def area(rleObjs: Any) -> Any:
    """How many pixels a mask has: a number, or (N,) uint32 for a list."""
    if not isinstance(rleObjs, list):
        return area([rleObjs])[0]
    found = np.zeros(len(rleObjs), np.int64)
    for rows, masks in _by_size(rleObjs, "rleObjs"):
        found[rows] = masks.area
    return found.astype(np.uint32) if found.max(initial=0) < 2**32 else found


def toBbox(rleObjs: Any) -> np.ndarray:
    """The smallest box x, y, width, height around a mask: (4,) float64, or (N, 4) for a list."""
    if not isinstance(rleObjs, list):
        box: np.ndarray = toBbox([rleObjs])[0]
        return box
    found = np.zeros((len(rleObjs), 4))
    for rows, masks in _by_size(rleObjs, "rleObjs"):
        corners = np.asarray(masks.boxes.xyxy, np.float64)
        found[rows, :2], found[rows, 2:] = corners[:, :2], corners[:, 2:] - corners[:, :2]
    return found


def merge(rleObjs: Any, intersect: Any = 0) -> Rle:
    """All masks as one, or what all of them share. Of none, or of several sizes, a mask of no image."""
    groups = _by_size(rleObjs, "rleObjs")
    if len(groups) != 1:
        return {"size": [0, 0], "counts": b""}
    ((_, masks),) = groups
    return (masks.intersection() if intersect else masks.union()).to_coco()[0]


def iou(dt: Any, gt: Any, pyiscrowd: Any) -> Any:
    """Intersection over union of every guess with every truth: (D, G) float64; an empty list if either is empty.

    Both are lists of masks, or boxes x, y, width, height as an (N, 4) array or a list. Against a crowd it is the share
    of the guess that the crowd covers. Masks of different sizes give −1 where their boxes meet, and 0 elsewhere.
    """
    if not len(dt) or not len(gt):
        return []
    crowd = check.crowds(pyiscrowd, len(gt))
    are_masks = [isinstance(side, list) and isinstance(side[0], Mapping) for side in (dt, gt)]
    check.one_kind(are_masks[0] == are_masks[1])
    if not are_masks[0]:
        return _box_iou(check.boxes(dt, "dt"), check.boxes(gt, "gt"), crowd)
    return _mask_iou(dt, gt, crowd)


def frPyObjects(pyobj: Any, h: Any, w: Any) -> Any:
    """Run lengths of polygons, of boxes, or of plain counts, in images of height h and width w.

    Parameters
    ----------
    pyobj : list of flat lists x, y, x, y, …; (N, 4) array of boxes x, y, width, height; dicts of "size" and a list of
        "counts", which keep their own size. One dict gives one dict, everything else a list.
    """
    if isinstance(pyobj, Mapping) and {"size", "counts"} <= pyobj.keys():
        return _encoded([pyobj])[0]
    if isinstance(pyobj, np.ndarray):
        return _drawn(list(_corners(check.boxes(pyobj, "pyobj"))), h, w)
    if not isinstance(pyobj, list):
        raise check.no_regions(pyobj)
    first = pyobj[0]  # of an empty list an IndexError, as in pycocotools
    if isinstance(first, Mapping):
        return _encoded(check.run_lengths(pyobj, "pyobj", plain=True))
    if not hasattr(first, "__len__") or len(first) < 4:
        raise check.no_regions(pyobj)
    if len(first) == 4:
        raise check.four_numbers()
    return _drawn([check.polygon(one, k) for k, one in enumerate(pyobj)], h, w)


def _by_size(rles: Any, name: str) -> list[tuple[list[int], RleMasks]]:
    """The masks of each image size, and where they were."""
    places: dict[tuple[int, ...], list[int]] = {}
    for k, one in enumerate(check.run_lengths(rles, name)):
        places.setdefault(tuple(one["size"]), []).append(k)
    return [(rows, RleMasks.from_coco([rles[k] for k in rows])) for rows in places.values()]


def _box_iou(guess: np.ndarray, truth: np.ndarray, crowd: np.ndarray) -> np.ndarray:
    """In this order of operations, and with NaN passing through, so that every bit is pycocotools'."""
    x, y, w, h = guess.T[:, None, :]
    tx, ty, tw, th = truth.T[:, :, None]
    with np.errstate(all="ignore"):
        width = np.fmin(x + w, tx + tw) - np.fmax(x, tx)
        height = np.fmin(y + h, ty + th) - np.fmax(y, ty)
        inter = width * height
        union = np.where(crowd[:, None], w * h, w * h + tw * th - inter)
        shares: np.ndarray = np.where((width <= 0) | (height <= 0), 0.0, inter / union).T
    return shares


def _mask_iou(guess: Any, truth: Any, crowd: np.ndarray) -> np.ndarray:
    guesses, truths = (
        segments_of(check.run_lengths(side, name), np.zeros((len(side), 2)), look=False).column()
        for side, name in ((guess, "dt"), (truth, "gt"))
    )
    found, fault = native_masks.iou(guesses, truths, crowd, literal=True)
    if fault is not None:
        raise bad_segment(fault, "`dt`" if fault.side == "guess" else "`gt`")
    return np.asfortranarray(found)


def _encoded(rles: list[Any]) -> list[Rle]:
    """Plain counts as strings, runs of length 0 included."""
    found = []
    for one in rles:
        check.plain_counts(one)
        size = list(RleMasks.from_coco([one]).size)
        counts = np.array(one["counts"], np.int64)
        text, _ = native_pixels.strings_of_counts(counts, np.array([0, len(counts)]))
        found.append({"size": size, "counts": text.tobytes()})
    return found


def _corners(boxes: np.ndarray) -> np.ndarray:
    """The corners of each box, as a polygon."""
    x, y, w, h = boxes.T
    return np.stack([x, y, x, y + h, x + w, y + h, x + w, y], axis=1)


def _drawn(polygons: list[np.ndarray], h: Any, w: Any) -> list[Rle]:
    """Polygons drawn by COCO's rule. A last number without a partner is dropped; fewer than three corners are empty."""
    size = (int(h), int(w))
    rings = [flat[: len(flat) // 2 * 2].reshape(-1, 2) for flat in polygons]
    solid = [k for k, ring in enumerate(rings) if len(ring) > 2]
    empty = RleMasks([[]], size=size).to_coco()[0]
    found = [dict(empty, size=list(size)) for _ in rings]
    if solid:
        drawn = Polygons([rings[k] for k in solid]).to_rle(size, rule="coco").to_coco()
        for k, one in zip(solid, drawn, strict=True):
            found[k] = one
    return found
