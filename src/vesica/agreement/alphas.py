"""Coefficients of what annotators said of each object: its label, or that there is none; and of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vesica.agreement.image_pairs import numbered_rounds
from vesica.agreement.tables import annotator_pairs
from vesica.statistics.coefficients import interval_sums, nominal_of, nominal_sums

if TYPE_CHECKING:
    from vesica.agreement.records import AgreementRecords
    from vesica.dataset import Categories


class Rated(NamedTuple):
    """The columns of records that ratings are made of; of all annotators, or of some.

    Attributes
    ----------
    images, categories : the tables
    asked_image, asked_annotator, asked_round : (A,) int64
    image, annotator, round, category, cluster : (N,) int64; `cluster` is any number that its objects share
    """

    images: np.ndarray
    categories: Categories
    asked_image: np.ndarray
    asked_annotator: np.ndarray
    asked_round: np.ndarray
    image: np.ndarray
    annotator: np.ndarray
    round: np.ndarray
    category: np.ndarray
    cluster: np.ndarray

    @classmethod
    def of(cls, records: AgreementRecords, /) -> Rated:
        return cls(*(getattr(records, name) for name in cls._fields))

    def without(self, annotator: int, /) -> Rated:
        """The same clusters, from which one annotator has gone."""
        asked, rows = self.asked_annotator != annotator, self.annotator != annotator
        kept = {name: getattr(self, name)[asked] for name in ("asked_image", "asked_annotator", "asked_round")}
        kept |= {name: getattr(self, name)[rows] for name in ("image", "annotator", "round", "category", "cluster")}
        return self._replace(**kept)


class Ratings(NamedTuple):
    """One row for each annotator who was asked for the image of a cluster.

    Attributes
    ----------
    unit : (R,) int64: the number of the cluster
    value : (R,) int64: the label, or the number of categories for "drew nothing there"
    image : (R,) int64
    """

    unit: np.ndarray
    value: np.ndarray
    image: np.ndarray


def ratings_of(records: AgreementRecords | Rated, /, *, none: bool = True) -> Ratings:
    """What everyone who was asked said of each cluster; without `none` only what was drawn."""
    _, first, unit = np.unique(records.cluster, return_index=True, return_inverse=True)
    unit = unit.reshape(-1)
    drawn = Ratings(unit, records.category, records.image)
    if not none:
        return drawn
    votes = np.bincount(unit, minlength=len(first))
    lacking = asked_of(records)[first] - votes
    others = np.repeat(np.arange(len(first)), lacking)
    nothing = np.full(len(others), len(records.categories))
    return Ratings(
        np.concatenate([unit, others]),
        np.concatenate([records.category, nothing]),
        np.concatenate([records.image, records.image[first][others]]),
    )


def asked_of(records: AgreementRecords | Rated, /) -> np.ndarray:
    """(N,) how many annotators were asked for the image of each object, in its round."""
    rounds, (of_asked, of_rows) = numbered_rounds(records.asked_round, records.round)
    asked = np.bincount(records.asked_image * rounds + of_asked, minlength=len(records.images) * rounds)
    counts: np.ndarray = asked[records.image * rounds + of_rows]
    return counts


def image_sums(records: AgreementRecords | Rated, /, *, none: bool = True) -> np.ndarray:
    """(I, C + 3) what α over all objects is made of, image by image."""
    ratings = ratings_of(records, none=none)
    return nominal_sums(ratings.unit, ratings.value, ratings.image, len(records.images), len(records.categories) + 1)


def count_sums(records: AgreementRecords, /) -> np.ndarray:
    """(I, 5) what interval α of the number of objects is made of: a unit is an image and a round, a rating how many
    objects an annotator drew there, 0 too."""
    drawn = np.bincount(_assignment_of(records), minlength=len(records.asked_image))
    _, rounds = np.unique(records.asked_round, return_inverse=True)
    unit = records.asked_image * (int(rounds.max(initial=0)) + 1) + rounds.reshape(-1)
    return interval_sums(unit, drawn.astype(np.float64), records.asked_image, len(records.images))


def area_sums(records: AgreementRecords, /) -> np.ndarray:
    """(I, 5) what interval α of areas is made of: a unit is a cluster, a rating the logarithm of the area drawn."""
    some = np.flatnonzero(records.area > 0)
    return interval_sums(records.cluster[some], np.log(records.area[some]), records.image[some], len(records.images))


def _assignment_of(records: AgreementRecords) -> np.ndarray:
    """The assignment of each object."""
    rounds, (of_asked, of_rows) = numbered_rounds(records.asked_round, records.round)
    shape = (max(len(records.images), 1), rounds, max(len(records.annotators), 1))
    asked = np.ravel_multi_index((records.asked_image, of_asked, records.asked_annotator), shape)
    return np.searchsorted(asked, np.ravel_multi_index((records.image, of_rows, records.annotator), shape))


def label_counts(records: AgreementRecords, /, *, none: bool = True) -> np.ndarray:
    """(U, C + 1) of each cluster how many gave each label, and in the last column how many drew nothing there."""
    ratings, values = ratings_of(records, none=none), len(records.categories) + 1
    units = int(ratings.unit.max(initial=-1)) + 1
    return np.bincount(ratings.unit * values + ratings.value, minlength=units * values).reshape(units, values)


def label_table(records: AgreementRecords, /) -> np.ndarray:
    """(C + 1, C + 1) of two annotators how often each pair of labels was given; the last is "drew nothing"."""
    scenes, values = records.scenes, len(records.categories) + 1
    first, cluster = np.unique(records.cluster, return_inverse=True)
    scene, unit = _clusters_of_scenes(records, np.flatnonzero(~scenes.is_self), first)
    drawn = cluster.reshape(-1) * len(records.annotators) + records.annotator
    order = np.argsort(drawn)
    one, other = (
        _said(unit * len(records.annotators) + who[scene], drawn, order, records.category, values - 1)
        for who in (scenes.a, scenes.b)
    )
    return np.bincount(one * values + other, minlength=values * values).reshape(values, values)


def alpha_of_pairs(records: AgreementRecords, /) -> np.ndarray:
    """(Q,) α of every two annotators: of all clusters in the images that both were asked for, whoever drew them."""
    people, pair_of = annotator_pairs(records)
    scenes, kinds = records.scenes, len(records.categories)
    first, cluster = np.unique(records.cluster, return_inverse=True)
    scene, unit = _clusters_of_scenes(records, np.flatnonzero(pair_of >= 0), first)
    drawn = cluster.reshape(-1) * max(len(records.annotators), 1) + records.annotator
    order = np.argsort(drawn)
    values = [
        _said(unit * max(len(records.annotators), 1) + who[scene], drawn, order, records.category, kinds)
        for who in (scenes.a, scenes.b)
    ]
    rated = np.tile(np.arange(len(unit)), 2)
    pair = np.tile(pair_of[scene], 2)
    return nominal_of(nominal_sums(rated, np.concatenate(values), pair, len(people), kinds + 1)).value


def _clusters_of_scenes(
    records: AgreementRecords, scenes: np.ndarray, first: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Every cluster in every scene: its image and its round. Clusters stand by image."""
    rounds, (of_scenes, of_rows) = numbered_rounds(records.scenes.round_a, records.round)
    wanted = records.scenes.image[scenes] * rounds + of_scenes[scenes]
    there = records.image[first] * rounds + of_rows[first]
    order = np.argsort(there, kind="stable")
    begin, end = (np.searchsorted(there[order], wanted, side) for side in ("left", "right"))
    size = end - begin
    scene = np.repeat(scenes, size)
    place = np.repeat(begin - (np.cumsum(size) - size), size) + np.arange(len(scene))
    return scene, order[place]


def _said(wanted: np.ndarray, drawn: np.ndarray, order: np.ndarray, label: np.ndarray, none: int) -> np.ndarray:
    """The label of each wanted code among those that were drawn, or `none`."""
    if not len(drawn):
        return np.full(len(wanted), none)
    place = order[np.minimum(np.searchsorted(drawn, wanted, sorter=order), len(drawn) - 1)]
    return np.where(drawn[place] == wanted, label[place], none)


class ClassSums(NamedTuple):
    """What α of every category is made of: ratings, 1 for the category and 0 for anything else, of all objects.

    Attributes
    ----------
    ratings, kind : those of objects that somebody gave the category, and the category; a unit is an object and a
        category that it was given
    whole : (I, 2) objects and ratings, image by image: of those that nobody gave a category, all say 0
    """

    ratings: Ratings
    kind: np.ndarray
    whole: np.ndarray

    def alpha(self, sums: np.ndarray, whole: np.ndarray, /) -> np.ndarray:
        """α of (…, 4) sums of ratings that are 0 or 1 and of (…, 2) of all objects."""
        others = whole[..., 1] - sums[..., 2] - sums[..., 3]
        added = np.stack([whole[..., 0] - sums[..., 0], others, others, np.zeros_like(others)], axis=-1)
        return nominal_of(sums + added).value


def alpha_of_classes(records: AgreementRecords, /) -> np.ndarray:
    """(C,) α of every category: did each say it of an object, or anything else? α of all labels is the mean of these
    and of that of "nothing drawn", each weighted with the disagreement that chance would give it."""
    sums = class_sums(records)
    found = nominal_sums(sums.ratings.unit, sums.ratings.value, sums.kind, len(records.categories), 2)
    return sums.alpha(found, sums.whole.sum(axis=0))


def class_sums(records: AgreementRecords, /) -> ClassSums:
    kinds = len(records.categories)
    ratings = ratings_of(records)
    drawn = ratings.value < kinds
    codes = np.unique(ratings.unit[drawn] * max(kinds, 1) + ratings.value[drawn])
    cluster, kind = np.divmod(codes, max(kinds, 1))
    order = np.argsort(ratings.unit, kind="stable")
    begin = np.searchsorted(ratings.unit[order], cluster)
    size = np.searchsorted(ratings.unit[order], cluster, "right") - begin
    unit = np.repeat(np.arange(len(codes)), size)
    row = order[np.repeat(begin - (np.cumsum(size) - size), size) + np.arange(len(unit))]
    said = (ratings.value[row] == kind[unit]).astype(np.int64)
    whole = nominal_sums(ratings.unit, np.zeros_like(ratings.value), ratings.image, len(records.images), 1)
    return ClassSums(Ratings(unit, said, ratings.image[row]), kind[unit], whole[:, [0, 2]])
