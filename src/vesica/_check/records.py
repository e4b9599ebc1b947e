"""Checks of records, and their wording."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from vesica._check import one_of
from vesica.errors import InputError

__all__ = [
    "Expected",
    "columns",
    "digest",
    "disjoint",
    "flags",
    "ids",
    "known",
    "names",
    "notes",
    "one_of",
    "recalls",
    "same_content",
    "same_protocol",
    "some",
    "together",
]


def some(records: tuple[Any, ...], /) -> None:
    if not records:
        raise ValueError("`merge` needs records; got none.")


def together(a: Any, b: Any, /) -> None:
    """Records that may be merged: of one protocol and of the same categories."""
    difference = a.protocol.difference(b.protocol)
    if difference:
        raise InputError(f"Records of different protocols do not belong together: {difference}.")
    for name in ("ids", "names", "frequency"):
        mine, theirs = (_listed(getattr(one.categories, name)) for one in (a, b))
        if mine != theirs:
            raise InputError(f"Records of different categories do not belong together: {name} {_apart(mine, theirs)}.")


def _listed(column: np.ndarray | None) -> list[Any]:
    return [] if column is None else column.tolist()


def _apart(a: list[Any], b: list[Any]) -> str:
    if len(a) != len(b):
        return f"has {len(a)} entries here and {len(b)} there"
    place = next(k for k, (one, other) in enumerate(zip(a, b, strict=True)) if one != other)
    return f"number {place} is {a[place]!r} here and {b[place]!r} there"


def disjoint(ids: np.ndarray, /) -> None:
    """No image in two records."""
    twice = [one for one, other in zip(ids[1:].tolist(), ids[:-1].tolist(), strict=True) if one == other]
    if twice:
        raise InputError(
            f"Records must be of different images; image {twice[0]!r} is in two of them. If they are equal because a "
            'sampler filled up uneven processes: duplicates="same".'
        )


def same_content(image: Any, a: dict[str, np.ndarray], b: dict[str, np.ndarray], /) -> None:
    """One image of two records."""
    other = next(
        (name for name in a if not np.array_equal(a[name], b[name], equal_nan=a[name].dtype.kind == "f")), None
    )
    if other is not None:
        raise InputError(
            f"Image {image!r} is in two records, with different {other}: only images whose content is equal count once."
        )


def digest(found: str, own: str, /) -> None:
    if found != own:
        raise InputError("These records are damaged: the protocol does not fit its checksum.")


def known(protocol: Any, protocols: Iterable[str], /) -> None:
    names = list(protocols)
    if protocol not in names:
        raise InputError(f"These records are of the protocol {protocol!r}; known are {', '.join(names)}.")


def same_protocol(found: Any, own: Any, /) -> None:
    """A protocol as its fields would be made into one."""
    difference = found.difference(own)
    if difference:
        raise InputError(f"These records cannot be used: their protocol contradicts itself; {difference}.")


def flags(**values: Any) -> None:
    """Fields of the protocol that are true or false."""
    for name, value in values.items():
        if not isinstance(value, bool):
            raise InputError(f"These records cannot be used: `{name}` must be true or false; got {value!r}.")


def recalls(values: Any, /) -> None:
    """Where precision is read: numbers from 0 to 1 that never fall."""
    sound = all(isinstance(value, float) and 0 <= value <= 1 for value in values)
    if not values or not sound or list(values) != sorted(values):
        raise InputError("These records cannot be used: `recalls` must be numbers from 0 to 1 that never fall.")


def ids(values: list[Any], rising: list[Any], noun: str, /) -> None:
    """Ids of images or categories, in their order, none of them twice."""
    strange = next((one for one in values if isinstance(one, bool) or not isinstance(one, int | str)), None)
    if strange is not None or values != rising or len(set(values)) < len(values):
        raise InputError(f"These records cannot be used: ids of {noun} must be integers or texts, each once, rising.")


def names(values: list[Any] | None, count: int, column: str, /) -> None:
    """A name for each category, or None."""
    allowed = int | str | None
    if values is not None and (len(values) != count or not all(isinstance(one, allowed) for one in values)):
        raise InputError(f"These records cannot be used: `{column}` of categories must have {count} texts.")


def notes(found: Iterable[Any], /) -> None:
    for note in found:
        sound = isinstance(note.rule, str) and isinstance(note.text, str) and type(note.count) is int
        if not sound or note.count < 0:
            raise InputError(f"These records cannot be used: a note must be rule, count and text; got {note}.")


_INTEGERS = {"starts": "<i8", "image": "<i4", "guesses": "<i4", "counted": "<i4", "matched": "|u1", "ignored": "|u1"}
MOST_PRECISIONS = 2**28
"""Two gigabytes. COCO has a million, LVIS five."""
_MOST = 2**31 - 1
"""Truths of one category: the kernels count them in 32 bits."""


class Expected(NamedTuple):
    """What the header of records says of their columns."""

    images: int
    categories: int
    thresholds: int
    areas: int
    recalls: int
    limits: int
    limit: int
    """Guesses that a cell may have: the largest of the limits."""
    quirks: bool
    """May scores be no numbers, and truths be found twice?"""

    @property
    def lanes(self) -> int:
        return self.thresholds * self.areas

    @property
    def precisions(self) -> int:
        """Entries of the array of precisions that a summary makes of them."""
        return self.lanes * self.recalls * self.categories * self.limits


def room(told: Expected, /) -> None:
    """A header of a few kilobytes may speak of more numbers than there is memory for."""
    if told.precisions > MOST_PRECISIONS:
        raise InputError(
            f"These records cannot be used: {told.thresholds} thresholds, {told.areas} ranges of areas, {told.recalls} "
            f"recalls, {told.categories} categories and {told.limits} limits make {told.precisions:,} precisions; at "
            f"most {MOST_PRECISIONS:,} are made of records that were read. Match again with fewer thresholds."
        )


def columns(found: Mapping[str, np.ndarray], told: Expected, /) -> None:
    """Columns whose numbers point into each other: the kernels trust them."""
    for rules in (_forms(found, told), _cells(found, told), _guesses(found, told)):
        for holds, rule in rules:
            if not holds:
                raise InputError(f"These records cannot be used: their columns do not fit together; {rule}.")


def _forms(found: Mapping[str, np.ndarray], told: Expected) -> Iterator[tuple[bool, str]]:
    """Kinds and shapes."""
    names = {*_INTEGERS, "score"}
    yield found.keys() == names, f"there must be {', '.join(sorted(names))}"
    cells, guesses, lane_bytes = len(found["image"]), len(found["score"]), -(-told.lanes // 8)
    shapes = {
        "starts": (told.categories + 1,),
        "image": (cells,),
        "guesses": (cells,),
        "counted": (cells, told.areas),
        "score": (guesses,),
        "matched": (guesses, lane_bytes),
        "ignored": (guesses, lane_bytes),
    }
    for name, shape in shapes.items():
        yield found[name].shape == shape, f"`{name}` must have shape {shape}; got {found[name].shape}"
        kinds = ("<f4", "<f8") if name == "score" else (_INTEGERS[name],)
        kind = found[name].dtype.str
        yield kind in kinds, f"`{name}` must be of kind {' or '.join(kinds)}; got {kind}"


def _cells(found: Mapping[str, np.ndarray], told: Expected) -> Iterator[tuple[bool, str]]:
    """Each category has the cells of some images, in their order."""
    starts, image, guesses, counted = (found[name] for name in ("starts", "image", "guesses", "counted"))
    yield starts[0] == 0 and starts[-1] == len(image), f"`starts` must lead from 0 to {len(image)}, the cells"
    yield bool((np.diff(starts) >= 0).all()), "`starts` must not fall"
    yield bool(((image >= 0) & (image < told.images)).all()), f"`image` must be below {told.images}"
    yield _within(np.diff(image) > 0, starts, len(image)), "`image` must rise within a category"
    limit = told.limit
    yield bool(((guesses >= 0) & (guesses <= limit)).all()), f"`guesses` must be from 0 to {limit}, the limit"
    total = int(guesses.sum(dtype=np.int64))
    yield total == len(found["score"]), f"`guesses` must add up to {len(found['score'])}, the scores; got {total}"
    yield bool((counted >= 0).all()), "`counted` must not be negative"
    yield bool((counted.sum(axis=0, dtype=np.int64) <= _MOST).all()), f"`counted` must add up to {_MOST} at most"


def _guesses(found: Mapping[str, np.ndarray], told: Expected) -> Iterator[tuple[bool, str]]:
    """The guesses of a cell come best first, and find no more truths than there are."""
    score, matched, ignored, guesses = (found[name] for name in ("score", "matched", "ignored", "guesses"))
    ends = np.concatenate([[0], np.cumsum(guesses, dtype=np.int64)])
    yield told.quirks or bool(np.isfinite(score).all()), "`score` must be finite"
    with np.errstate(invalid="ignore"):
        yield _within(~(score[1:] > score[:-1]), ends, len(score)), "`score` must not rise within a cell"
    if told.lanes % 8:
        for name, bits in (("matched", matched), ("ignored", ignored)):
            yield not (bits[:, -1] >> (told.lanes % 8)).any(), f"`{name}` must have {told.lanes} lanes"
    if not len(score):
        return
    right = np.unpackbits(matched & ~ignored, axis=1, count=told.lanes, bitorder="little")
    filled = guesses > 0
    hits = np.add.reduceat(right, ends[:-1][filled], axis=0, dtype=np.int32)
    most = np.repeat(found["counted"][filled], told.thresholds, axis=1)
    yield bool((hits <= most).all()), "`matched` must not find more truths than `counted` has"


def _within(holds: np.ndarray, starts: np.ndarray, count: int) -> bool:
    """Does it hold between each row and the one before, but for the first of each group?"""
    exempt = np.zeros(count + 1, bool)
    exempt[starts] = True
    return bool((holds | exempt[1:count]).all())
