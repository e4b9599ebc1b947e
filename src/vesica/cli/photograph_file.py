"""The photograph behind regions: a file that was named, or one of the folder of pictures."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from vesica.dataset import Images

PIXELS = 1 << 28
"""Of a photograph that is opened."""


def photograph_of(arguments: argparse.Namespace, images: Images | None, place: int) -> np.ndarray | None:
    """As --photograph says; or of the folder of --images, the one that is called like the image; None for none."""
    if arguments.photograph is not None:
        return read(Path(arguments.photograph))
    if images is None or arguments.images is None or not Path(arguments.images).is_dir():
        return None
    from vesica.dataset.picture_names import stem_of
    from vesica.io.image_size import pictures_in, size_of

    folder = Path(arguments.images)
    there = pictures_in(folder)
    for name in (None if images.names is None else images.names[place], images.ids.tolist()[place]):
        path = None if name is None else there.get(stem_of(str(name)))
        if path is not None:
            size_of(path, folder)  # refuses links that lead out of the folder
            return read(path)
    return None


def read(path: Path) -> np.ndarray:
    """(H, W, 3) uint8, upright; no more pixels than there is memory for."""
    import numpy as np

    from vesica.errors import InputError, MissingExtra

    try:
        from PIL import Image, ImageOps
    except ImportError as error:
        raise MissingExtra('Photographs need Pillow: pip install "vesica[images]".') from error
    if not path.is_file():
        raise InputError(f"There is no picture {path}.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of large pictures and odd tags
            with Image.open(path) as image:
                _check_size(image, path)
                return np.asarray(ImageOps.exif_transpose(image).convert("RGB"))
    except InputError:
        raise
    except Exception as error:  # decoders of broken files raise whatever comes to their mind
        raise InputError(f"{path} is no picture that can be read: {error}.") from error


def _check_size(image: Any, path: Path) -> None:
    from vesica.errors import InputError

    if image.width * image.height > PIXELS:
        raise InputError(f"{path} is {image.width}×{image.height} pixels (limit 2^28).")
