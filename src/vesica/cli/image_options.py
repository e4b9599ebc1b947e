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
    """From --images: a folder of pictures, or the images of another data set."""
    from vesica.io.read import read

    return path if Path(path).is_dir() else read(path, masks=False).images
