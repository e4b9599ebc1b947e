"""Image pairs: one image as two annotators drew it, or as one did twice; each is a scene."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vesica.agreement.order import order_by
from vesica.agreement.scenes import Side

if TYPE_CHECKING:
    from vesica.agreement.annotations import Annotations
    from vesica.agreement.records import AgreementRecords


@dataclass(frozen=True, eq=False)
class ImagePairs:
    """All scenes: two annotators who were asked for one image in one round; and one who was in two rounds.

    By image, then round of a, then annotators. Side a is the annotator who comes first in the table; of one annotator,
    the earlier round.

    Attributes
    ----------
    image, a, b, round_a, round_b : (S,) int64 columns: places of the image and of both annotators, and rounds
    left, right : Side: which objects each side has in each scene
    """

    image: np.ndarray
    a: np.ndarray
    b: np.ndarray
    round_a: np.ndarray
    round_b: np.ndarray
    left: Side
    right: Side

    def __len__(self) -> int:
        return len(self.image)

    @functools.cached_property
    def is_self(self) -> np.ndarray:
        """(S,) bool: is it one annotator in two rounds?"""
        return np.asarray(self.a == self.b)

    def find(self, drawn: Annotations, one: np.ndarray, other: np.ndarray, /) -> np.ndarray:
        """The scene of objects of one image, row by row, `one` on side a and `other` on side b; −1 where there is none.

        Of two annotators only what they drew in the same round is compared.
        """
        rounds, (of_rows, of_a, of_b) = numbered_rounds(drawn.round, self.round_a, self.round_b)
        shape = (max(len(drawn.images), 1), rounds, rounds, *[max(len(drawn.annotators), 1)] * 2)
        codes = np.ravel_multi_index((self.image, of_a, of_b, self.a, self.b), shape)
        # What each object adds to the code of its scene, on side a and on side b: it is looked up once a pair.
        on_a = np.ravel_multi_index((drawn.image, of_rows, 0, drawn.annotator, 0), shape)
        on_b = np.ravel_multi_index((0, 0, of_rows, 0, drawn.annotator), shape)
        wanted = on_a[one]
        wanted += on_b[other]
        if not len(codes):
            return np.full(len(wanted), -1)
        place: np.ndarray = np.searchsorted(codes, wanted)
        np.minimum(place, len(codes) - 1, out=place)
        place[codes[place] != wanted] = -1
        return place


def image_pairs_of(drawn: Annotations | AgreementRecords, /) -> ImagePairs:
    """The scenes of annotations."""
    image, annotator, rounds = drawn.asked_image, drawn.asked_annotator, drawn.asked_round
    first, second = _pairs_within(image, rounds)
    if rounds.any():  # the same annotator again: sorted so that one annotator's rounds of an image stand together
        own = order_by(image, annotator, rounds)
        early, late = _pairs_within(image[own], annotator[own])
        first, second = np.concatenate([first, own[early]]), np.concatenate([second, own[late]])
        order = order_by(image[first], rounds[first], rounds[second], annotator[first], annotator[second])
        first, second = first[order], second[order]
    begin, end = _blocks(drawn)
    left, right = (_side(begin[who], end[who]) for who in (first, second))
    return ImagePairs(image[first], annotator[first], annotator[second], rounds[first], rounds[second], left, right)


def _pairs_within(*keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places of all pairs of rows with equal keys, the earlier one first; equal keys stand together."""
    count = len(keys[0])
    is_new = np.ones(count, bool)
    is_new[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    starts = np.flatnonzero(is_new)
    ends = np.append(starts, count)[np.cumsum(is_new)] if count else starts
    later = ends - np.arange(count) - 1
    first = np.repeat(np.arange(count), later)
    place = np.arange(len(first)) - np.repeat(np.cumsum(later) - later, later)
    return first, first + 1 + place


def _blocks(drawn: Annotations | AgreementRecords) -> tuple[np.ndarray, np.ndarray]:
    """Where the objects of each assignment begin and end: they stand by image, annotator and round."""
    rounds, (of_asked, of_rows) = numbered_rounds(drawn.asked_round, drawn.round)
    shape = (max(len(drawn.images), 1), max(len(drawn.annotators), 1), rounds)
    rows = np.ravel_multi_index((drawn.image, drawn.annotator, of_rows), shape)
    asked = np.ravel_multi_index((drawn.asked_image, drawn.asked_annotator, of_asked), shape)
    return np.searchsorted(rows, asked, "left"), np.searchsorted(rows, asked, "right")


def numbered_rounds(*columns: np.ndarray) -> tuple[int, list[np.ndarray]]:
    """How many rounds there are, 1 at least, and each one's number 0, 1, … in their order, column by column."""
    if not any(column.any() for column in columns):  # most files know no rounds
        return 1, list(columns)
    rounds, number = np.unique(np.concatenate(columns), return_inverse=True)
    return len(rounds), np.split(number.reshape(-1), np.cumsum([len(column) for column in columns[:-1]]))


def _side(begin: np.ndarray, end: np.ndarray) -> Side:
    """Rows begin[s] … end[s] of each scene s."""
    lengths = end - begin
    row = np.repeat(end - np.cumsum(lengths), lengths)
    row += np.arange(len(row))
    return Side(np.repeat(np.arange(len(begin)), lengths), row)
