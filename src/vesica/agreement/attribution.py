"""Attribution: which of three or more annotators a disagreement comes from, by the majority of each cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vesica._check import ledger as check
from vesica.agreement.lookup import places_of

if TYPE_CHECKING:
    from vesica.agreement.policy import AgreementPolicy

LEAST = 3
"""Of two annotators who differ nobody can tell who is wrong."""


@dataclass(frozen=True, eq=False)
class Ratings:
    """N objects and the clusters that they belong to.

    Attributes
    ----------
    cluster : (N,) int64: objects of one cluster lie in one image, and each is of another annotator
    image, annotator, label : (N,) int64
    mean_iou : (N,) float64 with the other members; NaN where there are none
    """

    cluster: np.ndarray
    image: np.ndarray
    annotator: np.ndarray
    label: np.ndarray
    mean_iou: np.ndarray


@dataclass(frozen=True, eq=False)
class Attribution:
    """Counts for each assignment of an annotator to an image; sums over images are those of the annotator.

    Images that fewer than three annotators looked at have zeros.

    Attributes
    ----------
    objects : drawn by the annotator
    expected, missing : clusters of the image that reach the quorum; those that do so without the annotator
    extra : objects in clusters below the quorum
    judged, label : objects with others in a cluster that has a majority label; those with another label
    disputed : objects in clusters whose labels tie; nobody is wrong there
    paired, loose_edge : objects with others; the sum of 1 − mean IoU with them
    """

    objects: np.ndarray
    expected: np.ndarray
    missing: np.ndarray
    extra: np.ndarray
    judged: np.ndarray
    label: np.ndarray
    disputed: np.ndarray
    paired: np.ndarray
    loose_edge: np.ndarray


def attribution(
    ratings: Ratings, image: np.ndarray, annotator: np.ndarray, /, *, policy: AgreementPolicy
) -> Attribution:
    """Tell annotators apart by what most others did.

    Parameters
    ----------
    ratings : the clustered objects
    image, annotator : (A,) int64: who was asked about which image; no pair twice
    policy : its `quorum`
    """
    cells = _cells(ratings, image, annotator)
    asked = np.bincount(image, minlength=int(ratings.image.max(initial=-1)) + 1)
    enough = np.array([policy.needed(count) for count in range(int(asked.max(initial=0)) + 1)])[asked]

    names, first, place, votes = np.unique(ratings.cluster, return_index=True, return_inverse=True, return_counts=True)
    image_of = ratings.image[first]
    is_reached = votes >= enough[image_of]
    is_tie, is_majority = _majority(place, ratings.label, len(names))
    has_others = votes[place] > 1

    def count(some: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
        """Per assignment, in images with enough annotators."""
        chosen = some & (asked[ratings.image] >= LEAST)
        return np.bincount(cells[chosen], weights=None if weights is None else weights[chosen], minlength=len(image))

    reached = np.bincount(image_of[is_reached], minlength=len(asked))
    expected = np.where(asked[image] >= LEAST, reached[image], 0)
    everywhere = np.ones(len(cells), bool)
    return Attribution(
        objects=count(everywhere),
        expected=expected,
        missing=expected - count(is_reached[place]),
        extra=count(~is_reached[place]),
        judged=count(has_others & ~is_tie[place]),
        label=count(has_others & ~is_tie[place] & ~is_majority),
        disputed=count(has_others & is_tie[place]),
        paired=count(has_others),
        loose_edge=count(has_others, 1 - ratings.mean_iou),
    )


def _cells(ratings: Ratings, image: np.ndarray, annotator: np.ndarray) -> np.ndarray:
    """The assignment of each object."""
    count = int(max(annotator.max(initial=-1), ratings.annotator.max(initial=-1))) + 1
    wanted = ratings.image * count + ratings.annotator
    places, missing = places_of(wanted, image * count + annotator)
    check.assigned(missing, ratings.image, ratings.annotator)
    return places


def _majority(place: np.ndarray, label: np.ndarray, clusters: int) -> tuple[np.ndarray, np.ndarray]:
    """Of each cluster whether several labels have the most votes; of each object whether its label has the most."""
    kinds, kind = np.unique(label, return_inverse=True)
    codes, which, votes = np.unique(place * len(kinds) + kind, return_inverse=True, return_counts=True)
    of = codes // max(len(kinds), 1)
    most = np.zeros(clusters, np.int64)
    np.maximum.at(most, of, votes)
    leads = votes == most[of]
    is_tie = np.bincount(of[leads], minlength=clusters) > 1
    return is_tie, leads[which]
