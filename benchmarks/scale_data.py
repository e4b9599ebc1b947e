"""Parts: Parquet files with both sides of whole images, as many as are asked for.

Each is a set like val2017 of its own seed, so that a part is the same whoever writes it, and in whatever order. They
are written one at a time, by as many processes as there are cores, and stay beside the other data: a larger set begins
with the parts of a smaller one.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import val_like
from benchmarks.cases_detection import SHELF
from benchmarks.machine import cores

PER_IMAGE = 100
PER_PART = val_like.IMAGES * PER_IMAGE
"""Guesses of a part."""
GROUPS = 4
"""Row groups of a part: each is worked on alone."""
NAMES = {int(k): f"c{k}" for k in val_like.CATEGORIES}


@cache
def folder() -> Path:
    """Where the parts are; another place when their maker changes."""
    source = b"".join(Path(str(name)).read_bytes() for name in (val_like.__file__, __file__))
    return SHELF / f"parts-{hashlib.sha256(source).hexdigest()[:12]}"


def parts_of(guesses: int) -> list[str]:
    """The files with so many guesses, made where they are not there yet. Whole parts, one at least."""
    place = folder()
    place.mkdir(parents=True, exist_ok=True)
    count = max(1, round(guesses / PER_PART))
    missing = [number for number in range(count) if not _path(number).exists()]
    if missing:
        with multiprocessing.get_context("spawn").Pool(min(cores(), len(missing))) as pool:
            for done, _ in enumerate(pool.imap_unordered(write, missing), 1):
                if sys.stderr.isatty():
                    print(f"… {done} of {len(missing)} parts written", end="\r", file=sys.stderr)
    return [str(_path(number)) for number in range(count)]


def write(number: int) -> None:
    """One part, under its name when it is whole."""
    import pyarrow.parquet

    truth, guess = (side.dataset() for side in sides(number, PER_IMAGE, exactly=True))
    table = truth.to_arrow().append_column("guess", guess.to_arrow().column("guess"))
    unfinished = _path(number).with_suffix(f".{os.getpid()}")
    pyarrow.parquet.write_table(table, unfinished, compression="zstd", row_group_size=val_like.IMAGES // GROUPS)
    unfinished.rename(_path(number))


@dataclass(frozen=True)
class Columns:
    """One side of a part: a row for each object, by image, as a network or a reader leaves them."""

    image: np.ndarray
    """Ids, which go on from part to part."""
    category: np.ndarray
    xywh: np.ndarray
    more: dict[str, np.ndarray]
    """Scores of guesses; which truths are crowds."""
    images: np.ndarray
    """Ids of all images, whether or not anything is there."""

    def dataset(self) -> Any:
        from vesica import Dataset

        tables = {"image": self.image, "images": self.images, "category": self.category, "categories": NAMES}
        return Dataset.from_arrays(self.xywh, form="xywh", **tables, **self.more)


def sides(number: int, mean: int, *, exactly: bool = False, images: int = val_like.IMAGES) -> tuple[Columns, Columns]:
    """Truths and guesses of the first images of a part, with so many guesses an image."""
    scene = val_like.objects(np.random.default_rng([2017, number]))
    found = val_like.guesses(np.random.default_rng([2017, number, mean]), scene, mean, exactly=exactly)
    first = number * val_like.IMAGES

    def columns(side: Any, **more: np.ndarray) -> Columns:
        keep = side.image < images
        kept = {name: column[keep] for name, column in more.items()}
        category = val_like.CATEGORIES[side.category[keep]]
        return Columns(first + side.image[keep], category, _fine(side.xywh[keep]), kept, first + np.arange(images))

    return columns(scene, crowd=scene.crowd), columns(found, score=single(found.score))


def _fine(xywh: np.ndarray) -> np.ndarray:
    """In steps of 1/16 of a pixel: float32, which some have alone, tells the same sides and the same areas."""
    return np.maximum(np.round(xywh * 16), 1) / 16


def single(score: np.ndarray) -> np.ndarray:
    """As networks give them."""
    return score.astype(np.float32).astype(np.float64)


def _path(number: int) -> Path:
    return folder() / f"part-{number:05d}.parquet"
