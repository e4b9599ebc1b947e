"""PNG label maps: one channel, and its values as they are stored."""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from typing import Any

import numpy as np

from vesica.errors import InputError, MissingExtra
from vesica.io.files import File

_ONE_CHANNEL = ("1", "L", "P", "I", "I;16", "I;16B")


def labels_of(file: File, /, *, most: int | None = None) -> np.ndarray:
    """The labels of a PNG file, (height, width): grey values of up to 16 bits, or indices into the palette.

    Colours of a palette are not looked at. Grey of two or four bits keeps its values 0 to 3 or 0 to 15. One of more
    than `most` pixels is refused before they are read.
    """
    image = _opened(file, most)
    if image.mode not in _ONE_CHANNEL:
        raise InputError(
            f"{file.name} must have one channel, grey or a palette, whose values are the labels; it is {image.mode}."
        )
    labels = np.array(image)
    depth = _grey_depth(file.data)
    return labels // (255 // (2**depth - 1)) if depth in (2, 4) else labels


def colours_of(file: File, /) -> np.ndarray:
    """The colours of a PNG file, (height, width, 3): red, green and blue of 8 bits."""
    image = _opened(file)
    if image.mode not in ("RGB", "RGBA"):
        raise InputError(
            f"{file.name} must have three channels, red, green and blue, which together are the id of a segment; "
            f"it is {image.mode}."
        )
    return np.array(image)[..., :3]


def is_opaque(file: File, /, *, most: int | None = None) -> np.ndarray:
    """(height, width) bool: the pixels of a PNG file that are not wholly transparent."""
    image = _opened(file, most)
    if "A" not in image.getbands() and "transparency" not in image.info:
        raise InputError(f"{file.name} must have transparent pixels, which do not belong; it is {image.mode}.")
    return np.asarray(np.array(image.convert("RGBA"))[..., 3] > 0)


def _opened(file: File, most: int | None = None) -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise MissingExtra('PNG label maps need Pillow: pip install "vesica[all]".') from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # a label map may be large
            image = Image.open(io.BytesIO(file.data), formats=["PNG"])
            if most is not None and image.width * image.height > most:
                raise InputError(f"{file.name} may have {most:,} pixels; it has {image.width * image.height:,}.")
            image.load()
    except Image.DecompressionBombError as error:
        raise InputError(f"{file.name} is larger than Pillow reads: {error}") from error
    except (OSError, SyntaxError, ValueError, EOFError, IndexError, struct.error, zlib.error) as error:
        raise InputError(f"{file.name} is no PNG that can be read: {error}.") from error
    return image


def _grey_depth(data: bytes) -> int | None:
    """Bits of a grey value, from the header; None of a palette. Pillow stretches two and four of them to 0 … 255."""
    depth, colour_type = data[24], data[25]
    return depth if colour_type == 0 else None
