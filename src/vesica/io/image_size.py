"""Sizes of pictures, from their headers."""

from __future__ import annotations

import warnings
from pathlib import Path

from vesica.dataset.picture_names import PICTURES
from vesica.errors import InputError, MissingExtra

_ORIENTATION, _ON_ITS_SIDE = 0x0112, (5, 6, 7, 8)


def pictures_in(folder: Path, /) -> dict[str, Path]:
    """The pictures of a folder, by their names without ending."""
    found = (path for path in sorted(folder.iterdir()) if path.suffix.lower() in PICTURES)
    return {path.stem: path for path in found}


def size_of(path: Path, root: Path, /) -> tuple[int, int]:
    """(height, width) of a picture as it is shown: a camera that was held upright says so in the header.

    Nothing but the header is read.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise MissingExtra(
            'Sizes of pictures need Pillow: pip install "vesica[all]". Or say them: `sizes=(height, width)`.'
        ) from error
    if path.is_symlink() and not path.resolve().is_relative_to(root.resolve()):
        raise InputError(f"picture {path} is a link that leads out of {root}. Name the folder it leads to.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of large pictures and odd tags: no pixel is touched
            with Image.open(path) as image:
                width, height = image.size
                turned = image.getexif().get(_ORIENTATION) in _ON_ITS_SIDE
    except Image.DecompressionBombError as error:
        raise InputError(f"{path} is larger than Pillow reads: {error} Say its size: `sizes=`.") from error
    except Exception as error:  # decoders of broken headers raise whatever comes to their mind
        raise InputError(f"{path} is no picture that can be read: {error}.") from error
    return (width, height) if turned else (height, width)
