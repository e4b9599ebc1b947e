"""Objects of one image as shapes: boxes, corners of rotated boxes, outlines of masks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vesica.detection.details import CROWD, rows_of_guesses, rows_of_truths
from vesica.detection.result import DetectionResult
from vesica.regions.outlines import outlines
from vesica.report.detection_objects import MISSED, ROLES, Objects
from vesica.report.views import Shape

MOST = 150
"""Shapes of an image that are drawn: guesses that are wrong and truths that were missed before others."""
_CELLS = 480
"""Steps of an outline along the longer side of an image: a picture is not drawn larger."""


class Shapes:
    """What can be drawn of a result."""

    def __init__(self, result: DetectionResult, found: Objects, /) -> None:
        self.result, self.found = result, found
        self.names = [str(name) for name in result.categories]
        inputs, details = result.inputs, found.details
        self.truths = np.searchsorted(details.truth_image, np.arange(len(result.records.images) + 1))
        self.rows: tuple[np.ndarray, np.ndarray] | None = None
        if inputs is not None and result.protocol.regions != "box":
            self.rows = rows_of_truths(inputs), rows_of_guesses(inputs, result.records)

    def size(self, image: int, /) -> tuple[float, float, bool]:
        """Width and height of an image, and whether they are known; else all objects fit."""
        sizes = self.result.image_sizes
        if sizes is not None and (sizes[image] > 0).all():
            width, height = sizes[image].tolist()
            return float(width), float(height), True
        details, records = self.found.details, self.result.records
        boxes = np.concatenate(
            [
                details.truth_box[self.truths[image] : self.truths[image + 1]],
                details.box[records.guess_image == image],
            ]
        )
        far = np.nan_to_num(boxes[:, :2] + boxes[:, 2:], nan=0.0, posinf=0.0, neginf=0.0).max(axis=0, initial=1.0)
        return float(np.ceil(far[0] * 1.04)), float(np.ceil(far[1] * 1.04)), False

    def of(self, image: int, rows: np.ndarray, /) -> tuple[Shape, ...]:
        """The objects of an image, truths that were found below them."""
        from vesica.report.detection_gallery import facts_of

        found, details = self.found, self.found.details
        truths = np.arange(self.truths[image], self.truths[image + 1])
        lost = {int(found.truth[row]) for row in rows.tolist() if found.role[row] == MISSED}
        others = [one for one in truths.tolist() if one not in lost]
        important = rows[np.argsort(-found.role[rows], kind="stable")][:MOST]
        drawn = [(0, one) for one in others[: max(0, MOST - len(important))]]
        drawn += [
            (0, int(found.truth[row])) if found.role[row] == MISSED else (1, int(found.guess[row])) for row in important
        ]
        places = self._places(drawn, image)
        shapes = []
        for at, (_, one) in enumerate(drawn[: len(drawn) - len(important)]):
            role = "crowd" if details.truth_flags[one] & CROWD or not found.state.matches.counts[one] else "truth"
            shapes.append(Shape(role, "", facts={"category": self.names[details.truth_category[one]]}, **places[at]))
        for at, row in enumerate(important.tolist(), len(drawn) - len(important)):
            facts = facts_of(found, row)
            score = "" if found.guess[row] < 0 else f" {self.result.records.score[found.guess[row]]:.2f}"
            shapes.append(Shape(ROLES[found.role[row]], facts["category"] + score, facts=facts, **places[at]))
        return tuple(shapes)

    def _places(self, drawn: list[tuple[int, int]], image: int) -> list[dict[str, Any]]:
        """Where each of them is: of truths (0) and guesses (1), by their places in the details."""
        details = self.found.details
        boxes = [(details.truth_box, details.box)[side][one] for side, one in drawn]
        plain: list[dict[str, Any]] = [{"box": _corners(box)} if np.isfinite(box).all() else {} for box in boxes]
        inputs = self.result.inputs
        if self.rows is None or inputs is None:
            return plain
        if self.result.protocol.regions == "rotated":
            corners = (inputs.truth_corners, inputs.guess_corners)
            sides = [(corners[side], self.rows[side][one]) for side, one in drawn]
            return [{"rings": (tuple(column[row].ravel().tolist()),)} for column, row in sides if column is not None]
        segments = (inputs.truth_segments, inputs.guess_segments)
        off = max(1.0, max(self.size(image)[:2]) / _CELLS)
        step = max(1, round(off))
        for side in (0, 1):
            own, column = [at for at, one in enumerate(drawn) if one[0] == side], segments[side]
            if column is None:
                continue
            rows = self.rows[side][[drawn[at][1] for at in own]]
            known = column.form[rows] != column.NONE
            own, rows = [at for at, is_known in zip(own, known, strict=True) if is_known], rows[known]
            if not len(rows):
                continue
            for at, rings in zip(own, outlines(column.to_rle(rows), step=step), strict=True):
                if rings:
                    plain[at] = {"rings": tuple(simplified(ring[:-1], off) for ring in rings)}
        return plain


def _corners(box: np.ndarray) -> tuple[float, float, float, float]:
    x, y, width, height = box.tolist()
    return x, y, x + width, y + height


def simplified(ring: np.ndarray, off: float, /) -> tuple[float, ...]:
    """Fewer points of an outline, x and y by turns: those between two that stay are no further off their line.

    From each point that stays, a cone of directions that pass all later points so near; where a point leaves it, the
    one before stays too.

    >>> simplified(np.array([[0, 0], [10, 0], [10, 1], [20, 1], [20, 30]]), 1.0)
    (0.0, 0.0, 20.0, 1.0, 20.0, 30.0)
    """
    points = ring.astype(np.float64).tolist()
    kept, last, cone = [points[0]], points[0], None
    for point in points[1:]:
        dx, dy = point[0] - kept[-1][0], point[1] - kept[-1][1]
        if cone is not None and (dx * cone[1] - dy * cone[0] < 0 or cone[2] * dy - cone[3] * dx < 0):
            kept.append(last)
            cone, dx, dy = None, point[0] - last[0], point[1] - last[1]
        length = math.hypot(dx, dy)
        if length > off:
            sine = off / length
            cosine = math.sqrt(1 - sine * sine)
            own = (dx * cosine - dy * sine, dy * cosine + dx * sine, dx * cosine + dy * sine, dy * cosine - dx * sine)
            left = own[:2] if cone is None or own[0] * cone[1] - own[1] * cone[0] > 0 else cone[:2]
            right = own[2:] if cone is None or cone[2] * own[3] - cone[3] * own[2] > 0 else cone[2:]
            cone = (*left, *right)
        last = point
    return tuple(value for point in (*kept, last) for value in point)
