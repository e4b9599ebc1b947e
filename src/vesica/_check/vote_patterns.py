"""Checks of the masks of several annotators, and of their patterns of votes."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica._array import as_array, to_numpy
from vesica._check import not_masked, shown
from vesica._check.labels import label

MOST_ANNOTATORS = 64
"""Votes are bits of a word."""


def number_of_masks(count: int, /) -> None:
    if not 1 <= count <= MOST_ANNOTATORS:
        raise ValueError(f"`masks` must be one of each of 1 to {MOST_ANNOTATORS} annotators; got {count}.")


def stack(value: Any, /, *, are_labels: bool = False) -> np.ndarray:
    """(K, height, width) or (K, depth, height, width): masks or label maps of one size."""
    name, noun = ("maps", "label maps") if are_labels else ("masks", "masks")
    not_masked(value, name, "fill it")
    if isinstance(value, (list, tuple)):
        value = _stacked(value, name, noun)
    array: np.ndarray = np.asarray(to_numpy(as_array(value)))
    if array.ndim not in (3, 4):
        raise ValueError(
            f"`{name}` must be one of each annotator, (K, height, width) or (K, depth, height, width); got shape "
            f"{array.shape}. A list of {noun} does as well: [a, b]."
        )
    if array.dtype.kind not in "biu":
        hint = "" if are_labels else " Values of a network need a threshold: masks > 0.5."
        raise TypeError(
            f"`{name}` must be {'integers' if are_labels else 'booleans or integers'}; got {array.dtype}.{hint}"
        )
    if not are_labels:
        number_of_masks(len(array))
    elif not len(array):
        raise ValueError("`maps` must be one of each annotator; got none.")
    return array


def _stacked(parts: Any, name: str, noun: str) -> np.ndarray:
    arrays = [np.asarray(to_numpy(as_array(part))) for part in parts]
    if not arrays:
        raise ValueError(f"`{name}` must be one of each annotator; got none.")
    for k, array in enumerate(arrays):
        if array.shape != arrays[0].shape:
            raise ValueError(f"`{name}` must be {noun} of one size; got {arrays[0].shape} and, at {k}, {array.shape}.")
        not_masked(parts[k], f"{name}[{k}]", "fill it")
    return np.stack(arrays)


def tie_label(value: Any, dtype: np.dtype[Any], /) -> int | None:
    """A label that tied pixels can have in maps of this dtype."""
    found = label(value, "tie")
    if found is not None and dtype.kind != "b" and not np.iinfo(dtype).min <= found <= np.iinfo(dtype).max:
        raise ValueError(
            f"`tie` must be a label that {dtype} can hold; got {found}. Wider maps: maps.astype(np.int64)."
        )
    return found


def same_votes(annotators: int, count: int, /) -> None:
    """As many masks as the fit had annotators."""
    if annotators != count:
        raise ValueError(f"`masks` must be those of the {annotators} annotators of the fit; got {count}.")


def seen(are_known: bool, /) -> None:
    """No votes that a fit has not seen."""
    if not are_known:
        raise ValueError("`masks` must be those of the fit: some pixels have votes that it has not seen.")


def table(value: Any, /) -> tuple[np.ndarray, int]:
    """The pixels of 2^K patterns, and K."""
    counts = np.asarray(to_numpy(as_array(value)))
    annotators = counts.size.bit_length() - 1
    if counts.ndim != 1 or counts.size != 1 << max(annotators, 0) or annotators < 1:
        raise ValueError(f"`table` must have 2, 4, 8, … numbers, one for each pattern; got shape {counts.shape}.")
    if counts.dtype.kind not in "iu" or (counts < 0).any():
        raise ValueError(f"`table` must be whole numbers that are not negative; got {shown(value)}.")
    return counts.astype(np.int64), annotators


def same_annotators(parts: list[Any], /) -> list[Any]:
    if not parts:
        raise ValueError("`parts` must be patterns of at least one image; got none.")
    for name in ("annotators", "field"):
        kinds = sorted({getattr(one, name) for one in parts})
        if len(kinds) > 1:
            raise ValueError(f"`parts` must have the same `{name}`; got {kinds[0]} and {kinds[1]}.")
    return parts


def small_table(annotators: int, most: int, /) -> None:
    if annotators > most:
        raise ValueError(
            f"`table` has 2^K numbers, and is made for up to {most} annotators; there are {annotators}. `code` and "
            "`count` are the patterns that occur."
        )
