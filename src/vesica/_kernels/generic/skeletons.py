"""Skeletons, pixel by pixel on the host: each step depends on the one before."""

from __future__ import annotations

import itertools

import numpy as np

from vesica._array import Array, cast, from_numpy, to_numpy
from vesica._kernels.tables import CentrelinePair

Place = tuple[int, ...]

_CUBE = [step for step in itertools.product((-1, 0, 1), repeat=3) if any(step)]
_DIRECTIONS = [(0, -1, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1), (1, 0, 0), (-1, 0, 0)]
"""Up, down, right, left; and of a volume the planes behind and before."""


def skeleton(mask: Array) -> Array:
    """The mask, thinned to lines: by Lee, Kashyap and Chu (1994), one direction after the other."""
    pixels = to_numpy(mask)
    volume = np.pad(pixels if pixels.ndim == 3 else pixels[None], 1)
    directions = _DIRECTIONS[: 2 * pixels.ndim]
    changed = True
    while changed:
        changed = False
        for direction in directions:
            places = [tuple(place) for place in np.argwhere(volume).tolist()]
            candidates = [at for at in places if not volume[_beside(at, direction)] and _is_removable(volume, at)]
            for at in candidates:  # once more, one by one: the others may have changed what hangs together
                if _is_removable(volume, at):
                    volume[at] = False
                    changed = True
    thinned = volume[1:-1, 1:-1, 1:-1].reshape(pixels.shape)
    return from_numpy(np.ascontiguousarray(thinned), mask)


def centrelines(a: Array, b: Array, labels: np.ndarray, *, threads: int | None = None) -> list[CentrelinePair]:
    """For each label the pixels of both skeletons, and how many lie inside the other mask."""
    ours, theirs = to_numpy(cast(a, "int64")), to_numpy(cast(b, "int64"))
    found = []
    for label in labels.tolist():
        left, right = ours == label, theirs == label
        line_a, line_b = skeleton(left), skeleton(right)
        counts = (line_a, line_a & right, line_b, line_b & left)
        found.append(CentrelinePair(*(int(pixels.sum()) for pixels in counts)))
    return found


def _is_removable(volume: np.ndarray, at: Place) -> bool:
    """Is it no end of a line, and do object and background hang together without it as before?"""
    cube = {step: bool(volume[_beside(at, step)]) for step in _CUBE}
    object_ = {step for step, is_object in cube.items() if is_object}
    background = {step for step, is_object in cube.items() if not is_object and sum(map(abs, step)) <= 2}
    sides = {step for step in background if sum(map(abs, step)) == 1}
    if len(object_) < 2 or not sides:
        return False
    return object_ == _connected(object_, object_, 3) and sides <= _connected(sides, background, 1)


def _connected(some: set[Place], within: set[Place], steps: int) -> set[Place]:
    """What hangs together with one of them, by neighbours that are at most so many steps along axes away."""
    found, edge = set[Place](), {min(some)}
    while edge:
        found |= edge
        edge = {
            other
            for other in within - found
            for one in edge
            if max(abs(x - y) for x, y in zip(one, other, strict=True)) == 1
            and sum(abs(x - y) for x, y in zip(one, other, strict=True)) <= steps
        }
    return found


def _beside(at: Place, step: Place) -> Place:
    return tuple(place + one for place, one in zip(at, step, strict=True))
