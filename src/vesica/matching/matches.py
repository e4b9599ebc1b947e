"""Matches: pairs of rows, and the rows that are unmatched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from vesica._answer import Answer
from vesica._array import Array, from_numpy


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
    unmatched_truth: Array
    unmatched_guess: Array

    def __len__(self) -> int:
        return int(self.truth.shape[0])

    def __iter__(self) -> Iterator[Array]:
        return iter((self.truth, self.guess, self.value))

    def __repr__(self) -> str:
        sides = ((self.unmatched_truth, self.guess_of, "truths"), (self.unmatched_guess, self.truth_of, "guesses"))
        left = ", ".join(f"{rest.shape[0]} of {all_.shape[0]} {name} unmatched" for rest, all_, name in sides)
        return f"<Matches: {len(self)} {'pair' if len(self) == 1 else 'pairs'}, {left}>"


def from_columns(columns: tuple[Array, ...]) -> Matches:
    """All columns, in the order of the fields. Written at once, because a frozen class takes long for each."""
    found = object.__new__(Matches)
    put = found.__dict__
    (
        put["truth"],
        put["guess"],
        put["value"],
        put["guess_of"],
        put["truth_of"],
        put["unmatched_truth"],
        put["unmatched_guess"],
    ) = columns
    return found


def from_rows(truth: np.ndarray, guess: np.ndarray, value: Array, size: tuple[int, int]) -> Matches:
    """Pairs of N truths and M guesses, ordered by truth, as arrays of the library of `value`."""
    guess_of, truth_of = (np.full(count, -1, np.int64) for count in size)
    guess_of[truth], truth_of[guess] = guess, truth
    left = [np.flatnonzero(partner < 0) for partner in (guess_of, truth_of)]
    first, second, *others = (from_numpy(rows, value) for rows in (truth, guess, guess_of, truth_of, *left))
    return Matches(first, second, value, *others)
