"""Masks of any kind, as the segments of a data set."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vesica._array import as_array, dtype_name, to_numpy
from vesica._check import dataset as check
from vesica._check import masks as check_masks
from vesica._ragged import offsets_of
from vesica.dataset.coco_masks import CocoMasks
from vesica.regions.masks import Masks
from vesica.regions.pixels import PixelRegions
from vesica.regions.rle import RleMasks
from vesica.regions.sparse import SparseMasks, is_sparse


def segments_of(masks: Any, sizes: np.ndarray, /, *, look: bool = True) -> CocoMasks:
    """A segment for each mask. `sizes` are those of the rows' images, (N, 2), 0 where unknown."""
    check.no_outlines(masks)
    if isinstance(masks, CocoMasks):
        return masks
    if isinstance(masks, PixelRegions):
        return of_pixels(masks)
    if is_sparse(masks):
        return of_pixels(SparseMasks(masks))
    if hasattr(masks, "dtype"):
        return of_pixels(Masks(masks))
    return _of_list(list(masks), sizes, look)


def of_pixels(masks: PixelRegions, /) -> CocoMasks:
    """Run lengths of masks of one image size."""
    return _joined(masks.to_rle().to_strings(), [CocoMasks.COUNTS] * len(masks), np.tile(masks.size, (len(masks), 1)))


def _joined(texts: Sequence[bytes], forms: list[int], sizes: np.ndarray) -> CocoMasks:
    ends = offsets_of(map(len, texts))
    text = np.frombuffer(b"".join(texts), np.uint8)
    return CocoMasks(text, ends[:-1], ends[1:], np.array(forms, np.uint8), sizes.astype(np.int64).reshape(-1, 2))


def _of_list(masks: list[Any], sizes: np.ndarray, look: bool) -> CocoMasks:
    """COCO's segmentations, row by row."""
    written = [_written(one, row) for row, one in enumerate(masks)]
    own = np.array([size or (0, 0) for _, _, size in written], np.int64).reshape(-1, 2)
    found = _joined([text for text, _, _ in written], [form for _, form, _ in written], np.where(own > 0, own, sizes))
    if look:
        _look(masks, found)
    return found


def _written(mask: Any, row: int) -> tuple[bytes, int, tuple[int, int] | None]:
    """The text of one segmentation, its form, and the size it brings."""
    if mask is None:
        return b"", CocoMasks.NONE, None
    if isinstance(mask, Mapping):
        if not {"size", "counts"} <= mask.keys():
            raise check.segmentation(mask, row)
        size, counts = check_masks.mask_size(mask["size"], f'"size" of mask {row}'), mask["counts"]
        if isinstance(counts, (str, bytes, bytearray)):
            return check_masks.count_string(counts), CocoMasks.COUNTS, size
        plain = {"size": list(size), "counts": check_masks.count_list(counts, row).tolist()}
        return json.dumps(plain).encode(), CocoMasks.JSON, size
    if isinstance(mask, (list, tuple)):
        return json.dumps([_outline(part, mask, row) for part in mask]).encode(), CocoMasks.JSON, None
    raise check.segmentation(mask, row)


def _outline(part: Any, mask: Any, row: int) -> list[float]:
    """One polygon: x, y, x, y, …"""
    try:
        points = np.asarray(to_numpy(as_array(part)))
    except (TypeError, ValueError):
        raise check.segmentation(mask, row) from None
    if points.dtype.kind not in "iuf" or points.ndim != 1 or len(points) % 2 or not np.isfinite(points).all():
        raise check.segmentation(mask, row)
    return [int(x) if x == x // 1 and abs(x) < 2**53 else x for x in points.tolist()]


def _look(masks: list[Any], found: CocoMasks) -> None:
    """Read all run lengths once, size by size, so that a broken one is told now and by its row."""
    rows = np.array([row for row, one in enumerate(masks) if isinstance(one, Mapping)], np.int64)
    for size in np.unique(found.size[rows], axis=0).tolist():
        same = rows[(found.size[rows] == size).all(axis=1)].tolist()
        try:
            RleMasks([masks[row]["counts"] for row in same], size=size)
        except (ValueError, TypeError):
            for row in same:
                _look_at(masks[row], size, row)
            raise


def _look_at(mask: Any, size: Any, row: int) -> None:
    try:
        RleMasks([mask["counts"]], size=size)
    except (ValueError, TypeError) as error:
        raise ValueError(f"`masks` row {row}: {error}") from None


def stacked(parts: Sequence[CocoMasks], /) -> CocoMasks:
    """CocoMasks of several images behind each other."""
    starts = offsets_of(len(part.text) for part in parts)[:-1].tolist()
    begin, end = (
        np.concatenate([getattr(part, name) + start for part, start in zip(parts, starts, strict=True)])
        for name in ("begin", "end")
    )
    text, form, size = (np.concatenate([getattr(part, name) for part in parts]) for name in ("text", "form", "size"))
    return CocoMasks(text, begin, end, form, size)


def without_channel(masks: Any, above: float | None, place: int, /) -> Any:
    """Dense masks of one image as they come from networks: (N, 1, H, W), and floats where `above` says which belong."""
    if not hasattr(masks, "dtype") or isinstance(masks, PixelRegions):
        return masks
    array = as_array(masks)
    if array.ndim == 4 and int(array.shape[1]) == 1:
        array = array[:, 0, :, :]
    check.float_masks(array, above, place)
    return Masks(array, above=above if "float" in dtype_name(array) else None)
