"""Masks of objects in one photograph: as runs, as pixels, and as the indices of their pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from benchmarks.blobs import Blob, scatter
from benchmarks.case import SEED, Case, Traffic, sides

Rle = dict[str, Any]
"""As pycocotools has it: {"size": [height, width], "counts": bytes}."""
Images = list[list[Rle]]
"""The masks of each photograph."""

SPARSE_SCALE = 0.93
"""Objects as small as in a photograph of 640 × 480: about 1.4 million pixels in a hundred masks."""


@dataclass(frozen=True)
class PictureCase(Case):
    """N objects, and M others, in a photograph of `height` × `width` pixels."""

    n: int
    m: int
    height: int
    width: int

    def blobs(self) -> tuple[list[Blob], list[Blob]]:
        rng = np.random.default_rng(SEED)
        return list(scatter(rng, self.n, *self._size)), list(scatter(rng, self.m, *self._size))

    def rles(self, blobs: list[Blob]) -> list[Rle]:
        from pycocotools.mask import frPyObjects

        size = list(self._size)
        return [frPyObjects({"size": size, "counts": blob.counts(*size)}, *size) for blob in blobs]

    def stack(self, blobs: list[Blob]) -> np.ndarray:
        stack = np.full((len(blobs), *self._size), False)  # written, so that all of it is in memory
        for blob, mask in zip(blobs, stack, strict=True):
            blob.paint(mask)
        return stack

    @property
    def _size(self) -> tuple[int, int]:
        return self.height, self.width


class RleCase(PictureCase):
    """Runs against runs. Where M is 0 the masks are compared with themselves."""

    def tables(self) -> tuple[Images, Images]:
        a, b = map(self.rles, self.blobs())
        return [a], [b or a]

    def traffic(self, a: Images, b: Images, answer: int) -> Traffic:
        return Traffic(size_of_runs(a, b), answer)


class StackCase(PictureCase):
    """Two stacks of pixels, (N, H, W) and (M, H, W), bool. Where M is 0 there is one."""

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        a, b = map(self.stack, self.blobs())
        return a, b

    def traffic(self, a: np.ndarray, b: np.ndarray, answer: int) -> Traffic:
        return Traffic(a.nbytes + b.nbytes, answer)


class Coo(NamedTuple):
    """Rows n, y, x of every pixel, in this order, and the size of the stack."""

    indices: np.ndarray
    size: tuple[int, int, int]


class SparseCase(PictureCase):
    """N masks as the indices of their pixels, and M boxes with edges between the pixels."""

    def tables(self) -> tuple[Coo, np.ndarray]:
        rng = np.random.default_rng(SEED)
        stack = self.stack(list(scatter(rng, self.n, *self._size, scale=SPARSE_SCALE)))
        w, h = (np.rint(SPARSE_SCALE * side) for side in sides(rng, self.m))
        x, y = rng.integers(0, self.width - w), rng.integers(0, self.height - h)
        return Coo(np.stack(np.nonzero(stack)), stack.shape), np.column_stack([x, y, x + w, y + h])

    def traffic(self, a: Coo, b: np.ndarray, answer: int) -> Traffic:
        return Traffic(a.indices.nbytes + b.nbytes, answer)


def size_of_runs(a: Images, b: Images) -> int:
    """Bytes of the compressed runs. Masks that meet themselves need to be read once."""
    images = a if a[0] is b[0] else a + b
    return sum(len(rle["counts"]) for image in images for rle in image)


MASK_CASES = (
    RleCase("rle 200x200 1080x1920", 200, 200, 1080, 1920),
    RleCase("rle 747x747 3000x4000", 747, 0, 3000, 4000),
    StackCase("masks 200x200 1080x1920", 200, 200, 1080, 1920),
    StackCase("encode 50 480x640", 50, 0, 480, 640),
    StackCase("encode 200 1080x1920", 200, 0, 1080, 1920),
    RleCase("decode 50 480x640", 50, 0, 480, 640),
    RleCase("decode 200 1080x1920", 200, 0, 1080, 1920),
    SparseCase("sparse 100x1000 1080x1920", 100, 1000, 1080, 1920),
)
