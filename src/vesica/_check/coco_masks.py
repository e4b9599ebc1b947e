"""Masks of data sets that cannot be read, and the words for it."""

from __future__ import annotations

from typing import Any

from vesica.errors import InputError

_TEXTS = {
    "json": 'the `segmentation` must be polygons, or an object of "size" and "counts"; it breaks off at byte {at}',
    "character": "`counts` must be characters 0 to o; byte {at} is not",
    "cut": "`counts` end inside a number, after byte {at}. The string was cut",
    "large_number": "the number at byte {at} is larger than any image",
    "negative": "`counts` must not be negative; the number at byte {at} is",
    "too_long": "`counts` must not exceed the pixels of the image; the number at byte {at} goes beyond them. "
    'A "size" is [height, width]',
    "bad_size": '"size" must be [height, width], two whole numbers; byte {at} has something else, or it is missing',
    "no_size": "the size of the image is not known, and without it a polygon cannot be drawn. "
    "Give the image its `height` and `width`",
    "large_image": "masks are scored in images of fewer than 2^32 pixels; this one has more",
    "coordinate": "coordinates must be numbers up to 2^40; the one at byte {at} is not",
    "odd": "the polygon at byte {at} has an x without its y",
    "few": "the polygon at byte {at} has fewer than three points, which pycocotools refuses",
    "sizes_differ": "the mask is of an image of {size[0]}×{size[1]}, and row {other} of the {other_side} of "
    "{other_size[0]}×{other_size[1]}. Masks of one image must be of one size",
    "endless": "`counts` end early, and pycocotools would never come back from comparing them with row {other} of "
    "the {other_side}",
}


def bad_segment(fault: Any, place: str, /) -> InputError:
    """What is wrong with a mask. `place` names the file or argument that its row is in."""
    size, other_size = fault.sizes or ((0, 0), (0, 0))
    other_side = "truths" if fault.side == "guess" else "guesses"
    said = _TEXTS[fault.kind].format(
        at=fault.position, other=fault.other, other_side=other_side, size=size, other_size=other_size
    )
    return InputError(f"{place}, row {fault.row}: {said}.")


def one_size(sizes: Any, /) -> tuple[int, int]:
    """The size that all rows share."""
    if len(sizes) == 0:
        raise InputError(
            "No rows, so no image size is known. In Python: RleMasks([], size=(height, width)) are no masks."
        )
    differ = (sizes != sizes[0]).any(axis=1)
    if differ.any():
        row = int(differ.argmax())
        raise InputError(
            f"Rows must be masks of one image size; row 0 has {sizes[0].tolist()} and row {row} {sizes[row].tolist()}."
        )
    return int(sizes[0][0]), int(sizes[0][1])
