"""Clusters: objects of several annotators that are one, each annotator in it at most once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vesica._kernels.native.components import connected

if TYPE_CHECKING:
    from vesica.agreement.annotations import Annotations
    from vesica.agreement.image_pairs import ImagePairs
    from vesica.agreement.pairing import Contacts
    from vesica.agreement.policy import AgreementPolicy


@dataclass(frozen=True, eq=False)
class Clusters:
    """Which objects are one. A cluster is called by its first object.

    Attributes
    ----------
    first : (N,) int64: the first object of the cluster that each is in
    votes : (N,) int64: how many annotators drew it
    mean_iou : (N,) float64: of each object with the others of its cluster; NaN for one that is alone
    alternative : (N,) int64: of all other clusters that it touches, the one with the largest mean IoU; −1 if there is
        none
    margin : (N,) float64: the mean IoU with the others of its cluster, 0 if alone, less that with the alternative
    objective : (N,) float64: the sum of IoU within its cluster
    is_exact : is it the largest sum there is, component by component? False for average linkage, which does not ask
    """

    first: np.ndarray
    votes: np.ndarray
    mean_iou: np.ndarray
    alternative: np.ndarray
    margin: np.ndarray
    objective: np.ndarray
    is_exact: np.ndarray


@dataclass(frozen=True, eq=False)
class Edges:
    """Pairs of objects of different annotators in one image and round that share area, each once: u before v, and the
    pairs by u, then v. Objects are numbered by rank here, so that what comes first is first by geometry."""

    u: np.ndarray
    v: np.ndarray
    iou: np.ndarray

    def __len__(self) -> int:
        return len(self.iou)

    def __getitem__(self, places: np.ndarray) -> Edges:
        return Edges(self.u[places], self.v[places], self.iou[places])


def clusters_of(drawn: Annotations, scenes: ImagePairs, contacts: Contacts, /, *, policy: AgreementPolicy) -> Clusters:
    """Put objects together that several annotators mean, by average linkage or with the largest sum of IoU."""
    row = np.empty(len(drawn), np.int64)
    row[drawn.objects.rank] = np.arange(len(drawn))
    edges, who = _edges(drawn, scenes, contacts), _annotator_bits(drawn)[row]
    member, is_exact = average_linkage(edges, who, policy.match_at), np.zeros(len(drawn), bool)
    if policy.cluster == "exact":
        from vesica.agreement.exact_clusters import exact_clusters  # late: few ask for it

        member, is_exact = exact_clusters(edges, member, drawn.annotator[row], policy.match_at)
    return _described(edges, member, is_exact, row, drawn.objects.rank)


def _edges(drawn: Annotations, scenes: ImagePairs, contacts: Contacts) -> Edges:
    """Between different annotators: what one drew in another round is no vote."""
    others = np.flatnonzero(~scenes.is_self[scenes.left.scene[contacts.left]])
    rank, count = drawn.objects.rank, len(drawn)
    one, other = rank[scenes.left.row[contacts.left[others]]], rank[scenes.right.row[contacts.right[others]]]
    codes = np.minimum(one, other) * count + np.maximum(one, other)
    order = np.argsort(codes)
    u, v = np.divmod(codes[order], max(count, 1))
    return Edges(u, v, contacts.iou[others[order]])


def average_linkage(edges: Edges, who: np.ndarray, match_at: float, /) -> np.ndarray:
    """(N,) of each object the first of its cluster; `who` are bits of annotators.

    The two clusters with the largest mean IoU become one, as long as it reaches the threshold and no annotator is in
    both; among equals, those whose first objects come first. Two that are the best for each other become one whatever
    happens elsewhere: the mean of a cluster with two others is never above the larger of both. So all of them do at
    once, and there are few rounds.
    """
    count = len(who)
    member, size, who = np.arange(count), np.ones(count, np.int64), who.copy()
    strong = edges.iou >= match_at  # a mean does not reach what no pair reaches
    component = connected(edges.u[strong], edges.v[strong], count)
    edges = edges[np.flatnonzero(component[edges.u] == component[edges.v])]
    while len(edges):
        one, other = member[edges.u], member[edges.v]
        low, high = np.minimum(one, other), np.maximum(one, other)
        codes, place = _numbered(low * count + high)
        low, high = np.divmod(codes, count)
        mean = np.bincount(place, weights=edges.iou) / (size[low] * size[high])
        may = np.flatnonzero((mean >= match_at) & ~(who[low] & who[high]).any(axis=1))
        low, high, mean = low[may], high[may], mean[may]
        is_open = np.zeros(count, bool)
        is_open[component[low]] = True
        best = _best_for_both(low, high, mean, count)
        low, high = low[best], high[best]
        renamed = np.arange(count)
        renamed[high] = low
        member = renamed[member]
        size[low] += size[high]
        who[low] |= who[high]
        apart = member[edges.u] != member[edges.v]
        edges = edges[np.flatnonzero(apart & is_open[component[edges.u]])]
    return member


def _best_for_both(low: np.ndarray, high: np.ndarray, value: np.ndarray, count: int) -> np.ndarray:
    """Places of the pairs that are the best for both of their clusters; pairs rise by low, then high, and among equals
    the first is better."""
    order = np.argsort(-value, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    best = np.full(count, len(order))
    for side in (low, high):
        np.minimum.at(best, side, rank)
    return np.flatnonzero((best[low] == rank) & (best[high] == rank))


def _numbered(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different codes, rising, and the place of each. While nothing is merged, codes rise already."""
    if (np.diff(codes) > 0).all():
        return codes, np.arange(len(codes))
    different, place = np.unique(codes, return_inverse=True)
    return different, place.reshape(-1)


def _annotator_bits(drawn: Annotations) -> np.ndarray:
    """(N, W) uint64: a bit for each annotator, numbered anew among those who drew something in the image and round."""
    keys = np.stack([drawn.image, drawn.round, drawn.annotator], axis=1)
    order = np.lexsort((drawn.annotator, drawn.round, drawn.image))
    is_new = np.ones((len(drawn), 2), bool)
    is_new[1:, 0] = (keys[order][1:, :2] != keys[order][:-1, :2]).any(axis=1)
    is_new[1:, 1] = (keys[order][1:] != keys[order][:-1]).any(axis=1)
    number = np.cumsum(is_new[:, 1])
    local = np.empty(len(drawn), np.int64)
    local[order] = number - np.maximum.accumulate(np.where(is_new[:, 0], number, 0))
    bits = np.zeros((len(drawn), int(local.max(initial=0)) // 64 + 1), np.uint64)
    bits[np.arange(len(drawn)), local // 64] = np.uint64(1) << (local % 64).astype(np.uint64)
    return bits


def _best(owner: np.ndarray, value: np.ndarray) -> np.ndarray:
    """The place of the largest value of each owner, among equals the first."""
    order = np.lexsort((-value, owner))  # it is stable
    best: np.ndarray = order[np.flatnonzero(np.diff(owner[order], prepend=-1))]
    return best


def _described(edges: Edges, member: np.ndarray, is_exact: np.ndarray, row: np.ndarray, rank: np.ndarray) -> Clusters:
    """What each object has in its cluster, and what it would have in another; by rows again."""
    count = len(member)
    size = np.bincount(member, minlength=count)
    inside = member[edges.u] == member[edges.v]
    both = np.concatenate([edges.u[inside], edges.v[inside]]), np.tile(edges.iou[inside], 2)
    own = np.bincount(both[0], weights=both[1], minlength=count)
    others = size[member] - 1
    mean = np.divide(own, others, out=np.full(count, np.nan), where=others > 0)
    objective = np.bincount(member[edges.u[inside]], weights=edges.iou[inside], minlength=count)[member]
    alternative, best = _alternatives(edges[np.flatnonzero(~inside)], member, size)
    margin = np.where(others > 0, mean, 0.0) - best

    first = np.full(count + 1, count)
    np.minimum.at(first, member, row)
    first[-1] = -1  # no alternative
    columns = first[member], size[member], mean, first[alternative], margin, objective, is_exact
    return Clusters(*(column[rank] for column in columns))


def _alternatives(edges: Edges, member: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each object the other cluster that it shares most with, among equals the first; and the mean IoU with it."""
    count = len(member)
    one, other = np.concatenate([edges.u, edges.v]), np.concatenate([edges.v, edges.u])
    codes, place = np.unique(one * count + member[other], return_inverse=True)
    own, cluster = np.divmod(codes, max(count, 1))
    mean = np.bincount(place.reshape(-1), weights=np.tile(edges.iou, 2), minlength=len(codes)) / size[cluster]
    best = _best(own, mean)
    alternative, value = np.full(count, -1), np.zeros(count)
    alternative[own[best]], value[own[best]] = cluster[best], mean[best]
    return alternative, value
