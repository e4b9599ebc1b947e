"""Checks of clusters of annotations that are to become one object each."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica._array import as_array, to_numpy
from vesica._check import brief, one_of, positive
from vesica.errors import InputError


def quorum(value: Any, /) -> str | int:
    return one_of(value, ("majority",), "quorum") if isinstance(value, str) else positive(value, "quorum")


def clusters(value: Any, rows: int, /) -> np.ndarray:
    """The number of the cluster of each row."""
    column = np.asarray(to_numpy(as_array(value)))
    if column.shape != (rows,) or (rows and column.dtype.kind not in "iu"):
        raise ValueError(
            f"`cluster` must have a whole number for each of the {rows} rows; got {brief(value)}. −1 leaves a row out."
        )
    return column.astype(np.int64)


def assigned(value: Any, rows: int, /) -> np.ndarray:
    """How many were asked for the image of each row."""
    column = np.asarray(to_numpy(as_array(value)))
    if column.shape != (rows,) or (rows and (column.dtype.kind not in "iu" or (column < 1).any())):
        raise ValueError(
            f"`assigned` must have a number above 0 for each of the {rows} rows: how many annotators were asked for "
            f"its image; got {brief(value)}."
        )
    return column.astype(np.int64)


def annotators(data: Any, /) -> np.ndarray:
    if data.annotator is None and len(data):
        raise InputError(
            "A consensus is of several annotators, and this data set does not say who drew what. "
            'Dataset.of_annotators({"ann": first, "ben": second}) does.'
        )
    return np.empty(0, np.int64) if data.annotator is None else np.asarray(data.annotator)


def assignments(data: Any, /) -> Any:
    if data.assignments is None:
        raise InputError(
            "How many votes an object could have had depends on who was asked for its image, and this data set does "
            'not say. Dataset.from_arrays(…, assignments="all"): everyone was asked for every image. Or `assigned=…`.'
        )
    return data.assignments


def one_image(data: Any, row: np.ndarray, starts: np.ndarray, /) -> None:
    """A cluster lies in one image."""
    first = np.repeat(data.image[row[starts[:-1]]], np.diff(starts))
    other = np.flatnonzero(data.image[row] != first)
    if len(other):
        at = int(other[0])
        begin = int(starts[np.searchsorted(starts, at, side="right") - 1])
        raise ValueError(
            f"A cluster lies in one image; rows {int(row[begin])} and {int(row[at])} have one number in `cluster` and "
            "are of two images."
        )


def one_vote_each(data: Any, cluster: np.ndarray, annotator: np.ndarray, row: np.ndarray, /) -> None:
    """No annotator twice: a vote would count twice."""
    twice = np.flatnonzero((cluster[1:] == cluster[:-1]) & (annotator[1:] == annotator[:-1]))
    if len(twice):
        at = int(twice[0])
        raise ValueError(
            f"An annotator has one vote; rows {int(row[at])} and {int(row[at + 1])} of cluster {int(cluster[at])} are "
            f"both of {data.annotators[annotator[at]]!r}. Put the second into a cluster of its own."
        )


def votes_of_assigned(votes: np.ndarray, asked: np.ndarray, cluster: np.ndarray, /) -> None:
    """No more votes than annotators who were asked."""
    more = np.flatnonzero(votes > asked)
    if len(more):
        at = int(more[0])
        raise ValueError(
            f"Cluster {int(cluster[at])} has {int(votes[at])} votes, and {int(asked[at])} annotators were asked for "
            "its image."
        )


def kind_of(data: Any, regions: str | None, geometry: str, /) -> str:
    """What is fused: masks where all rows have one, else rotated boxes, else boxes; or what was asked for."""
    has_masks = data.segments is not None and bool((data.segments.form != data.segments.NONE).all())
    there = {"mask": has_masks, "rotated": data.corners is not None, "box": data.xywh is not None}
    if regions is None:
        kind = next((name for name, is_there in there.items() if is_there), "box")
    else:
        kind = one_of(regions, tuple(there), "regions")
    if not there[kind]:
        nouns = {"mask": "a mask in every row", "rotated": "rotated boxes", "box": "boxes"}
        raise InputError(f"The data set must have {nouns[kind]} to make a consensus of them, and has not.")
    if kind != "mask" and geometry in ("majority", "staple"):
        raise ValueError(
            f'geometry="{geometry}" goes by pixels, and these are boxes: geometry="median" or "mean" goes by '
            "coordinates."
        )
    return kind
