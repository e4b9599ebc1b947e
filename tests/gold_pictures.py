"""Pictures as they were last looked at: tests/data/pictures has one of each that the gallery draws.

`python tests/gold_pictures.py` says which look otherwise now; with --accept they are written anew, after a look.
"""

import importlib.util
import io
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
FOLDER = HERE / "data" / "pictures"
DPI, GRID = 50, (24, 32)
"""Pixels an inch of the files, and how many patches a picture is compared in, from top to bottom and across."""
TOLERANCE = 0.026
"""Root of the mean squared difference of patches, of white as 1: what other versions of matplotlib do is less, and a
curve that is not there is more."""


def gallery():
    """docs/pictures.py, which draws them."""
    spec = importlib.util.spec_from_file_location("gallery_of_docs", HERE.parent / "docs" / "pictures.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def drawn(known, name):
    """A picture of the gallery on axes that have their place: a layout would follow the letters, whose sizes differ
    from one version of matplotlib to the next."""
    import matplotlib.style
    from matplotlib.figure import Figure

    with matplotlib.style.context("default"):
        return known.draw(name, ax=Figure((6.4, 4.8)).add_axes((0.24, 0.2, 0.72, 0.58)))


def png_of(ax):
    """A picture as it is kept: small, in few greys."""
    from PIL import Image

    from vesica.plot.files import bytes_of

    image = Image.open(io.BytesIO(bytes_of(ax, "png", dpi=DPI))).convert("L").quantize(32)
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def patches(png):
    """(24, 32) the mean grey of each patch of a picture, from 0 to 1."""
    from PIL import Image

    image = Image.open(io.BytesIO(png)).convert("L").resize(GRID[::-1], Image.Resampling.BOX)
    return np.asarray(image, np.float64) / 255


def difference(one, other):
    """How far two pictures are apart: patches where they differ."""
    return float(np.sqrt(np.mean((patches(one) - patches(other)) ** 2)))


def path_of(name):
    return FOLDER / f"{name}.png"


def main():
    known, accept = gallery(), "--accept" in sys.argv[1:]
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in FOLDER.glob("*.png"):
        if path.stem not in known.GALLERY:
            print(f"{path.name}: no picture is called so")
            if accept:
                path.unlink()
    changed = 0
    for name in known.GALLERY:
        png, path = png_of(drawn(known, name)), path_of(name)
        far = difference(png, path.read_bytes()) if path.exists() else 1.0
        if far > TOLERANCE / 3:
            changed += far > TOLERANCE
            print(f"{name}: {f'differs by {far:.4f}' if path.exists() else 'is new'}")
            if accept:
                path.write_bytes(png)
    return 0 if accept or not changed else 1


if __name__ == "__main__":
    sys.exit(main())
