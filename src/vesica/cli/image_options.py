"""What the command line says of images that label files leave open: their sizes, or where to find them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any


def sizes_of(text: str) -> tuple[int, int]:
    """The height and width of all images, from --sizes."""
    if not re.fullmatch(r"\d{1,9},\d{1,9}", text):
        raise ValueError(f"--sizes must be height,width; got {text!r}")
    height, width = (int(side) for side in text.split(","))
    return height, width


def images_of(path: str) -> Any:
    """From --images: a folder of pictures, perhaps in folders of their own, or the images of another data set."""
    from vesica.io.image_size import pictures_in
    from vesica.io.read import read

    folder = Path(path)
    is_of_pictures = folder.is_dir() and any(map(pictures_in, [folder, *filter(Path.is_dir, folder.iterdir())]))
    return path if is_of_pictures else read(path, masks=False).images
