"""Poses of YOLO: a box, and behind it key points of x, y and perhaps visibility."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from vesica.errors import InputError

if TYPE_CHECKING:
    from vesica.io.yolo import Line

_SLACK = 1e-3


def has_score(count: int, key_points: int, place: str, /) -> bool:
    """Is there a score behind the key points? `key_points` are their numbers, 0 if their number is not known.

    Then three for each are tried first, and two next: a score is what is left over.
    """
    behind = count - 4
    if key_points and behind not in (key_points, key_points + 1):
        raise InputError(
            f"{place}: a pose has 4 numbers of a box, {key_points} of key points, as `kpt_shape` says, and perhaps a "
            f"score; got {count}."
        )
    return behind == key_points + 1 if key_points else behind % 3 != 0 and behind % 2 != 0


def box_of(line: Line, /) -> Line:
    """The pose without its key points: a box, and the score behind it."""
    return line._replace(numbers=line.numbers[:4] + line.numbers[-1:] * line.has_score)


def look(outlines: Iterable[Line], /) -> None:
    """Raise where every line that may be a polygon may as well be a box and points inside it, seen or not (0, 1, 2)."""
    lines = list(outlines)
    if lines and all(_is_pose(line.numbers) for line in lines):
        raise InputError(
            f"{lines[0].place}: {len(lines[0].numbers)} numbers are a polygon, or a box with key points of x, y and "
            'visibility, as these look. Say kind="pose", or kind="polygon".'
        )


def _is_pose(numbers: list[float]) -> bool:
    if len(numbers) < 10 or (len(numbers) - 4) % 3:
        return False
    (cx, cy, w, h), points = numbers[:4], np.reshape(numbers[4:], (-1, 3))
    seen = points[points[:, 2] > 0, :2]
    inside = np.abs(seen - [cx, cy]) <= np.array([w, h]) / 2 + _SLACK
    return bool(np.isin(points[:, 2], (0, 1, 2)).all() and inside.all() and len(seen))
