"""Segmentations: a validation set of street scenes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.case import SEED, Case, Traffic
from benchmarks.cases_labels import noise, streets
from vesica.dataset import Categories
from vesica.segmentation import PixelCounts

MAPS, DIFFERENT = 100, 10
"""Maps of the set, and how many of them are different."""
IMAGES, MANY_CLASSES = 10_000, 80
FOLDER = Path(__file__).resolve().parent.parent / "build" / "bench-data"


@dataclass(frozen=True)
class SegmentationCase(Case):
    """Truths and guesses, 100 × 1024 × 2048, 19 classes."""

    is_noise: bool = False
    is_pinned: bool = True

    @property
    def tolerance(self) -> float:
        return 1e-6  # some peers answer in float32

    @property
    def threads(self) -> int | None:
        return 1 if self.is_pinned else None

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(SEED)
        pairs = [noise(rng) if self.is_noise else streets(rng) for _ in range(DIFFERENT)]
        truth, guess = (np.concatenate([np.stack(side)] * (MAPS // DIFFERENT)) for side in zip(*pairs, strict=True))
        return truth, guess

    def traffic(self, a: np.ndarray, b: np.ndarray, answer: int) -> Traffic:
        return Traffic(a.nbytes + b.nbytes, answer)


@dataclass(frozen=True)
class StreamCase(SegmentationCase):
    """Some maps, which a generator gives over and over."""

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(SEED)
        truth, guess = zip(*(streets(rng) for _ in range(DIFFERENT)), strict=True)
        return np.stack(truth), np.stack(guess)


@dataclass(frozen=True)
class PngCase(SegmentationCase):
    """The same maps in two folders of PNG files."""

    def tables(self) -> tuple[Path, Path]:  # type: ignore[override]
        folders = FOLDER / "streets_truth", FOLDER / "streets_guess"
        if not all((folder / f"{MAPS - 1:03}.png").exists() for folder in folders):
            write_maps(folders)
        return folders

    def traffic(self, a: Path, b: Path, answer: int) -> Traffic:  # type: ignore[override]
        files = sum(file.stat().st_size for folder in (a, b) for file in folder.glob("*.png"))
        return Traffic(files, answer)


def write_maps(folders: tuple[Path, Path]) -> None:
    """Write each different map once, and link it under its other names."""
    from PIL import Image

    rng = np.random.default_rng(SEED)
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    for k in range(DIFFERENT):
        for folder, labels in zip(folders, streets(rng), strict=True):
            first = folder / f"{k:03}.png"
            Image.fromarray(labels).save(first)
            for again in range(k + DIFFERENT, MAPS, DIFFERENT):
                copy = folder / f"{again:03}.png"
                copy.unlink(missing_ok=True)
                copy.hardlink_to(first)


@dataclass(frozen=True)
class PolicyCase(Case):
    """Counts of 10 000 images and 80 classes, of which an image has some."""

    def tables(self) -> tuple[PixelCounts, None]:
        rng = np.random.default_rng(SEED)
        present = rng.random((IMAGES, MANY_CLASSES)) < 0.1
        image, label = np.nonzero(present)
        rows = len(image)
        other = np.where(rng.random(rows) < 0.5, (label + 1) % MANY_CLASSES, label)
        image, truth, guess = np.repeat(image, 2), np.repeat(label, 2), np.stack([label, other], axis=1).ravel()
        count = rng.integers(1, 5000, 2 * rows)
        pixels = np.bincount(image, weights=count, minlength=IMAGES).astype(np.int64)
        columns = image.astype(np.int32), truth, guess, count
        return PixelCounts(None, None, pixels, *columns, Categories(np.arange(MANY_CLASSES))), None

    def traffic(self, a: PixelCounts, b: None, answer: int) -> Traffic:
        return Traffic(3 * 8 * IMAGES * MANY_CLASSES, answer)


SEGMENTATION_CASES = (
    StreamCase("segmentation stream"),
    PngCase("segmentation PNG folder", is_pinned=False),
    PolicyCase("segmentation policies, 10 000 images x 80 classes"),
    SegmentationCase("segmentation streets, 1 thread"),
    SegmentationCase("segmentation noise, 1 thread", is_noise=True),
    SegmentationCase("segmentation streets", is_pinned=False),
    SegmentationCase("segmentation noise", is_noise=True, is_pinned=False),
)
