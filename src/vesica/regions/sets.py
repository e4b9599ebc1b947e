"""Finite sets: where the Jaccard index comes from."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._check import names
from vesica._check import sets as check_sets
from vesica._kernels import Members
from vesica._ragged import offsets_of, taken
from vesica.regions.collection import Collection


class Sets(Collection):
    """N finite sets, of integers or of names.

    The area of a set is how many members it has. Sets of names compare by their names, whatever else is in them.

    Parameters
    ----------
    sets : list of sets
        Each a set, list, array or other iterable; a member that comes twice counts once. Members are integers, or
        hashable names such as strings and tuples: one kind in all sets.

    Examples
    --------
    >>> import vesica
    >>> tags = Sets([{"cat", "indoor"}, {"dog"}])
    >>> vesica.iou(tags, Sets([{"cat", "outdoor"}]))
    array([[0.33333333],
           [0.        ]])
    >>> Sets([[3, 1, 3], []]).area
    array([2, 0])

    A string is no set of its letters:

    >>> Sets(["cat"])
    Traceback (most recent call last):
    ...
    TypeError: `sets` number 0 is 'cat': its letters would be the members. One member: {'cat'}.
    """

    __slots__ = ("_has_names", "_ids", "_names", "_starts")

    _ids: np.ndarray
    """The members of each set, rising: integers, or numbers of names."""
    _starts: np.ndarray
    _names: tuple[Hashable, ...]
    _has_names: bool | None
    """None where there are no members at all."""

    @names.explained("Sets", "Sets")
    def __init__(self, sets: Any, /) -> None:
        self._fill(*_collected(check_sets.list_of_sets(sets)))

    def _fill(self, ids: np.ndarray, starts: np.ndarray, names: tuple[Hashable, ...], has_names: bool | None) -> None:
        set_once = object.__setattr__
        set_once(self, "_ids", ids)
        set_once(self, "_starts", starts)
        set_once(self, "_names", names)
        set_once(self, "_has_names", has_names)

    @classmethod
    def _remade(cls, *fields: Any) -> Sets:
        self = cls.__new__(cls)
        self._fill(*fields)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Sets._remade, (self._ids, self._starts, self._names, self._has_names)

    def _content(self) -> tuple[Any, ...]:
        return (self.to_list(),)

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, index: Any) -> Sets:
        """Some of the sets; one index gives one set, still as a collection."""
        rows = check.row_numbers(index, len(self))
        starts, places = taken(self._starts, rows)
        return Sets._remade(self._ids[places], starts, self._names, self._has_names)

    def __repr__(self) -> str:
        kind = {None: "empty", True: "names", False: "integers"}[self._has_names]
        return f"Sets({len(self)}, {kind})"

    @property
    def dtype(self) -> str:
        """The floating dtype of measures of these sets."""
        return "float64"

    @property
    def area(self) -> np.ndarray:
        """The number of members of each set, int64."""
        return np.diff(self._starts)

    def to_list(self) -> list[set[Any]]:
        """Python sets again.

        >>> Sets([{3, 1}, []]).to_list()
        [{1, 3}, set()]
        """
        pieces = np.split(self._ids, self._starts[1:-1]) if len(self) else []
        if not self._has_names:
            return [set(piece.tolist()) for piece in pieces]
        return [{self._names[number] for number in piece.tolist()} for piece in pieces]


def in_one_vocabulary(a: Sets, b: Sets) -> tuple[Members, Members]:
    """Both with members that are small numbers, the same for equal members."""
    check_sets.same_kind_of_member(a._has_names, b._has_names)
    left, right = a._ids, b._ids
    if a._has_names and b._has_names and a._names != b._names:
        numbers = {name: number for number, name in enumerate(a._names)}
        renamed = np.array([numbers.setdefault(name, len(numbers)) for name in b._names], np.int64)
        right = _sorted_within(renamed[right], b._starts)
    present, ranks = np.unique(np.concatenate([left, right]), return_inverse=True)
    left, right = np.split(ranks.astype(np.int64), [left.size])
    return Members(left, a._starts, len(present)), Members(right, b._starts, len(present))


def _collected(sets: Sequence[Any]) -> tuple[np.ndarray, np.ndarray, tuple[Hashable, ...], bool | None]:
    """Members one set after the other, where each set begins, the names, and whether there are any."""
    numbers: dict[Hashable, int] = {}
    has_names: bool | None = None
    pieces: list[np.ndarray] = []
    for index, one in enumerate(sets):
        members = check_sets.set_members(one, index)
        if len(members):
            is_names = _are_names(members, index)
            has_names = check_sets.one_kind_of_member(has_names, is_names, index)
            if is_names:
                members = [numbers.setdefault(name, len(numbers)) for name in members]
        pieces.append(np.unique(_as_int64(members, index)))
    ids = np.concatenate([np.empty(0, np.int64), *pieces])
    return ids, offsets_of(map(len, pieces)), tuple(numbers), has_names


def _are_names(members: list[Any] | np.ndarray, index: int) -> bool:
    if isinstance(members, np.ndarray):
        return False
    kinds = {isinstance(member, (int, np.integer)) for member in members}
    if len(kinds) > 1:
        raise check_sets.mixed_set(index)
    return not kinds.pop()


def _as_int64(members: list[Any] | np.ndarray, index: int) -> np.ndarray:
    try:
        return np.asarray(members, np.int64)
    except OverflowError:
        raise check_sets.member_too_large(index, max(members, key=abs)) from None


def _sorted_within(ids: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The members of each set in rising order."""
    owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return ids[np.lexsort((ids, owner))]
