"""Open Images: tables of CSV whose column names say what they are, with boxes in shares of the image."""

from __future__ import annotations

from collections.abc import Iterable

from vesica.errors import InputError

_NAMES = frozenset({"ImageID", "LabelName", "XMin", "XMax", "YMin", "YMax"})
_OF_TRUTHS = frozenset({"Source", "IsGroupOf", "IsOccluded", "IsTruncated", "IsDepiction", "IsInside"})


def is_header(words: Iterable[str], /) -> bool:
    """Are these its names, written as it writes them?"""
    return set(words) >= _NAMES


def has_scores(words: Iterable[str], /) -> bool:
    """Is "Confidence" a score? In a table of truths it says that somebody looked."""
    return not set(words) & _OF_TRUTHS


def no_size(name: str, image: object, /) -> InputError:
    return InputError(
        f"{name}: boxes of Open Images are shares of the image, and nobody said how large image {image!r} is. "
        "Say `sizes=(height, width)`, or where the pictures are, `images=FOLDER`; or "
        'boxes="xyxy" to take the numbers as they stand: every IoU is the same, areas are not.'
    )


def not_a_share(place: str, value: float, /) -> InputError:
    return InputError(
        f"{place}: XMin, XMax, YMin and YMax of Open Images are shares of the image, from 0 to 1; got {value}. "
        'Pixels under these names are read with boxes="xyxy".'
    )
