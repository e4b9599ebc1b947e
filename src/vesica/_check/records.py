"""Checks of records, and their wording."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from vesica._check import one_of, shown
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
    "none_left_out",
    "notes",
    "one_of",
    "one_protocol",
    "recalls",
    "same_by_id",
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
    one_protocol(a, b)
    for name in ("ids", "names", "frequency"):
        mine, theirs = (_listed(getattr(one.categories, name)) for one in (a, b))
        if mine != theirs:
            raise _strangers(f"{name} {_apart(mine, theirs)}")


def one_protocol(a: Any, b: Any, /) -> None:
    difference = None if a.protocol is b.protocol else a.protocol.difference(b.protocol)
    if difference:
        raise InputError(f"Records of different protocols do not belong together: {difference}.")


def same_by_id(tables: Iterable[Any], /) -> None:
    """What tables of categories say of one id: some may lack it, and none may contradict."""
    for column in ("names", "frequency"):
        known: dict[Any, Any] = {}
        for table in tables:
            for id, one in zip(table.ids.tolist(), _listed(getattr(table, column)), strict=False):
                was = one if one is None else known.setdefault(id, one)
                if was != one:
                    raise _strangers(f"{column} of {id!r} is {was!r} here and {one!r} there")


def none_left_out(guesses: int, lacking: list[Any], /) -> None:
    """Guesses of a category that a part did not know are not in its records; one run over all parts counts them."""
    if guesses:
        raise _strangers(
            f"some know {shown(lacking[0])}, and others left out {guesses} guesses of categories that they did not "
            "know, which may be of it"
        )


def _strangers(why: str) -> InputError:
    return InputError(
        f"Records of different categories do not belong together: {why}. Match all parts with one table of categories, "
        "which each of their files has: {1: …, 2: …}."
    )


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


def ids(found: np.ndarray, noun: str, /) -> None:
    """Ids of images or categories, in their order, none of them twice."""
    if found.dtype == object:
        values = found.tolist()
        sound = all(isinstance(one, int | str) and not isinstance(one, bool) for one in values)
        # Integers come before texts, each kind in rising order.
        keys = [(isinstance(one, str), one) for one in values]
        sound = sound and all(before < after for before, after in itertools.pairwise(keys))
    else:
        sound = bool((found[1:] > found[:-1]).all())
    if not sound:
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
_KINDS = {**{name: (kind,) for name, kind in _INTEGERS.items()}, "score": ("<f4", "<f8")}
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
    if found.keys() != _KINDS.keys():
        yield False, f"there must be {', '.join(sorted(_KINDS))}"
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
        column = found[name]
        kinds = _KINDS[name]
        if column.shape != shape:
            yield False, f"`{name}` must have shape {shape}; got {column.shape}"
        if column.dtype.str not in kinds:
            yield False, f"`{name}` must be of kind {' or '.join(kinds)}; got {column.dtype.str}"


def _cells(found: Mapping[str, np.ndarray], told: Expected) -> Iterator[tuple[bool, str]]:
    """Each category has the cells of some images, in their order."""
    starts, image, guesses, counted = (found[name] for name in ("starts", "image", "guesses", "counted"))
    yield starts[0] == 0 and starts[-1] == len(image), f"`starts` must lead from 0 to {len(image)}, the cells"
    yield bool((starts[1:] >= starts[:-1]).all()), "`starts` must not fall"
    yield bool(((image >= 0) & (image < told.images)).all()), f"`image` must be below {told.images}"
    yield _within(image[1:] > image[:-1], starts, len(image)), "`image` must rise within a category"
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
    filled = guesses > 0
    most = np.repeat(found["counted"][filled], told.thresholds, axis=1)
    sound = _at_most(matched & ~ignored, ends[:-1][filled], int(guesses.max()), most)
    yield sound, "`matched` must not find more truths than `counted` has"


_APART = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").view("<u8").reshape(-1)
"""The bits of a byte, each in a byte of its own: eight lanes are added up at once."""


def _at_most(bits: np.ndarray, starts: np.ndarray, longest: int, most: np.ndarray) -> bool:
    """Does no cell have more bits of a lane than there may be?"""
    lanes = most.shape[1]
    if longest > 255:  # more than a byte counts
        each = np.unpackbits(bits, axis=1, count=lanes, bitorder="little")
        return bool((np.add.reduceat(each, starts, axis=0, dtype=np.int64) <= most).all())
    for byte in range(bits.shape[1]):
        sums = np.add.reduceat(_APART[bits[:, byte]], starts).view(np.uint8).reshape(-1, 8)
        allowed = most[:, 8 * byte : 8 * byte + 8]
        if (sums[:, : allowed.shape[1]] > allowed).any():
            return False
    return True


def _within(holds: np.ndarray, starts: np.ndarray, count: int) -> bool:
    """Does it hold between each row and the one before, but for the first of each group?"""
    exempt = np.zeros(count + 1, bool)
    exempt[starts] = True
    return bool((holds | exempt[1:count]).all())
