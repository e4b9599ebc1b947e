"""The match table: a row for each guess and for each truth that was not found, with its cause."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica._array import objects
from vesica.detection.cause_names import STATES, Named
from vesica.detection.details import Details
from vesica.detection.records import Records
from vesica.results.tables import Table


def match_table(records: Records, details: Details, found: Named, names: list[Any], /) -> Table:
    """By image, then guesses as they came, then truths that were not found.

    A truth that a guess found, or nearly found, is named in the row of the guess. See docs/causes.md for the columns.
    """
    lost = np.flatnonzero(found.matches.counts & (found.matches.guess < 0))
    # Of guesses their number in the image, of truths their place, after all guesses.
    image = np.concatenate([records.guess_image, details.truth_image[lost]])
    kind = np.repeat([0, 1], [len(records), len(lost)])
    order = np.lexsort((np.concatenate([details.number, lost]), kind, image))
    category = np.concatenate([records.guess_category, details.truth_category[lost]])
    target = np.concatenate([found.target, lost])
    state = np.concatenate([found.guess, found.truth[lost]])
    nothing = np.full(len(lost), np.nan)
    labels, states = objects(names), objects(list(STATES))
    overlap = np.where(found.overlap > 0, found.overlap, np.nan)
    columns = {
        "image": records.images[image],
        "category": labels[category],
        "guess": np.concatenate([details.number.astype(object), np.full(len(lost), None)]),
        "score": np.concatenate([records.score, nothing]),
        **corners(np.concatenate([details.box, details.truth_box[lost]])),
        "cause": states[state],
        "iou": np.concatenate([overlap, nothing]),
        "truth": ids_of(details, target),
        "truth_category": objects([*names, None])[np.append(details.truth_category, len(names))[target]],
        "right_at": np.concatenate([_right_at(records), np.zeros(len(lost), np.int64)]),
    }
    return Table({name: column[order] for name, column in columns.items()})


def corners(boxes: np.ndarray, /) -> dict[str, np.ndarray]:
    """Boxes of x, y, width, height as four columns."""
    x, y, width, height = boxes.T
    return {"x1": x, "y1": y, "x2": x + width, "y2": y + height}


def ids_of(details: Details, truth: np.ndarray, /) -> np.ndarray:
    """Ids of truths, None for −1."""
    ids = objects([*details.truth_id.tolist(), None])
    found: np.ndarray = ids[truth]
    return found


def _right_at(records: Records) -> np.ndarray:
    """At how many thresholds of the protocol each guess is right, among objects of all sizes."""
    whole = records.protocol.whole or 0
    lanes = (records.lane(threshold, whole) for threshold in range(len(records.protocol.iou)))
    counts: np.ndarray = np.stack([matched & ~ignored for matched, ignored in lanes]).sum(axis=0)
    return counts
