"""Matches: pairs of rows, and the rows that are unmatched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from vesica._answer import Answer
from vesica._array import Array, from_numpy, to_numpy


@dataclass(frozen=True, eq=False, repr=False)
class Matches(Answer):
    """Pairs in which every truth and every guess is at most once. `truth, guess, value = matches` unpacks them.

    Attributes
    ----------
    truth, guess : int64 arrays of length P, the rows of each pair, ordered by truth
    value : P numbers, the measure of each pair
    guess_of : (N,) int64, the guess of each truth, or −1
    truth_of : (M,) int64, the truth of each guess, or −1
    unmatched_truth, unmatched_guess : int64 arrays, the rows that are in no pair, ascending
    """

    truth: Array
    guess: Array
    value: Array
    guess_of: Array
    truth_of: Array

    @property
    def unmatched_truth(self) -> Array:
        return _alone(self.guess_of)

    @property
    def unmatched_guess(self) -> Array:
        return _alone(self.truth_of)

    def __len__(self) -> int:
        return int(self.truth.shape[0])

    def __iter__(self) -> Iterator[Array]:
        return iter((self.truth, self.guess, self.value))

    def __repr__(self) -> str:
        sides = ((int(self.guess_of.shape[0]), "truths"), (int(self.truth_of.shape[0]), "guesses"))
        left = ", ".join(f"{count - len(self)} of {count} {name} unmatched" for count, name in sides)
        return f"<Matches: {len(self)} {'pair' if len(self) == 1 else 'pairs'}, {left}>"


def from_columns(columns: tuple[Array, ...]) -> Matches:
    """All columns, in the order of the fields. Written at once, because a frozen class takes long for each."""
    found = object.__new__(Matches)
    put = found.__dict__
    put["truth"], put["guess"], put["value"], put["guess_of"], put["truth_of"] = columns
    return found


def from_rows(truth: np.ndarray, guess: np.ndarray, value: Array, size: tuple[int, int]) -> Matches:
    """Pairs of N truths and M guesses, ordered by truth, as arrays of the library of `value`."""
    guess_of, truth_of = (np.full(count, -1, np.int64) for count in size)
    guess_of[truth], truth_of[guess] = guess, truth
    first, second, *others = (from_numpy(rows, value) for rows in (truth, guess, guess_of, truth_of))
    return Matches(first, second, value, *others)


def _alone(partner: Array) -> Array:
    """The rows that have none."""
    return from_numpy(np.flatnonzero(to_numpy(partner) < 0), partner)
