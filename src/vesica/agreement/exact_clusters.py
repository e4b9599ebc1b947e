"""Clusters with the largest sum of IoU: by trying everything where that can be done, by small steps where it cannot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from vesica._kernels.native.components import connected

if TYPE_CHECKING:
    from vesica.agreement.clusters import Edges

MOST = 12
"""Objects of a component of which all partitions are looked at."""


def exact_clusters(
    edges: Edges, start: np.ndarray, annotator: np.ndarray, match_at: float, /
) -> tuple[np.ndarray, np.ndarray]:
    """(N,) of each object the first of its cluster, and whether there is no better partition.

    No annotator is twice in a cluster, and the mean IoU of its pairs reaches the threshold. `start` are the clusters of
    average linkage: components that are one cluster are left as they are, and small steps begin there.
    """
    member, is_exact = start.copy(), np.ones(len(start), bool)
    component = connected(edges.u, edges.v, len(start))
    for objects, table in _components(edges, component, ~_is_one_cluster(start, component)):
        who = annotator[objects].tolist()
        if len(objects) <= MOST:
            parts = _best_partition(table, who, match_at)
        else:
            _, first = np.unique(start[objects], return_inverse=True)
            parts = _improved(table, who, first.reshape(-1).tolist(), match_at)
            is_exact[objects] = False
        _, lowest, place = np.unique(parts, return_index=True, return_inverse=True)
        member[objects] = objects[lowest][place.reshape(-1)]
    return member, is_exact


def _is_one_cluster(member: np.ndarray, component: np.ndarray) -> np.ndarray:
    """(N,) bool: is the whole component of an object one cluster already? Then no sum is larger."""
    count = len(member)
    sizes = np.bincount(member, minlength=count)[member]
    whole: np.ndarray = sizes == np.bincount(component, minlength=count)[component]
    return whole


def _components(edges: Edges, component: np.ndarray, wanted: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The objects of each wanted component, rising, and the table of their IoU."""
    chosen = np.flatnonzero(wanted)
    order = chosen[np.argsort(component[chosen], kind="stable")]
    starts = np.flatnonzero(np.diff(component[order], prepend=-1))
    by_component = np.argsort(component[edges.u], kind="stable")
    bounds = np.searchsorted(component[edges.u][by_component], component[order[starts]])
    ends = np.searchsorted(component[edges.u][by_component], component[order[starts]], "right")
    local = np.zeros(len(component), np.int64)
    for objects, low, high in zip(np.split(order, starts)[1:], bounds.tolist(), ends.tolist(), strict=True):
        local[objects] = np.arange(len(objects))
        own = edges[by_component[low:high]]
        table = np.zeros((len(objects), len(objects)))
        i, j = local[own.u], local[own.v]
        table[i, j] = table[j, i] = own.iou
        yield objects, table


def _best_partition(table: np.ndarray, who: list[int], match_at: float) -> list[int]:
    """The number of the cluster of each object. Among equal sums, the one that is found first."""
    count = len(who)
    worth = _worths(table, who, match_at)
    best, choice = [0.0] * (1 << count), [0] * (1 << count)
    for left in range(1, 1 << count):
        lowest = left & -left
        others = left ^ lowest
        best[left], choice[left] = -1.0, lowest
        some = others
        while True:  # all sets that contain the lowest object of those left
            taken = some | lowest
            if taken in worth and worth[taken] + best[left ^ taken] > best[left]:
                best[left], choice[left] = worth[taken] + best[left ^ taken], taken
            if not some:
                break
            some = (some - 1) & others
    numbers, left = [0] * count, (1 << count) - 1
    while left:
        for place in range(count):
            if choice[left] >> place & 1:
                numbers[place] = choice[left]
        left ^= choice[left]
    return numbers


def _worths(table: np.ndarray, who: list[int], match_at: float) -> dict[int, float]:
    """The sum of IoU of all sets that may be a cluster."""
    count = len(who)
    sums, sizes, seen = {0: 0.0}, {0: 0}, {0: 0}
    bit = {one: 1 << place for place, one in enumerate(dict.fromkeys(who))}
    worth: dict[int, float] = {}
    for place in range(count):
        row = table[place]
        for known in list(sums):
            if seen[known] & bit[who[place]]:
                continue
            taken = known | 1 << place
            sums[taken] = sums[known] + sum(float(row[k]) for k in range(place) if known >> k & 1)
            sizes[taken], seen[taken] = sizes[known] + 1, seen[known] | bit[who[place]]
            pairs = sizes[taken] * (sizes[taken] - 1) // 2
            if pairs == 0 or sums[taken] / pairs >= match_at:
                worth[taken] = sums[taken]
    return worth


def _improved(table: np.ndarray, who: list[int], numbers: list[int], match_at: float) -> list[int]:
    """Move one object at a time to where it adds most, as long as the sum grows."""
    count = len(who)
    numbers = list(numbers)
    while True:
        best, move = 1e-12, None
        for place in range(count):
            stays = float(sum(table[place, k] for k in range(count) if numbers[k] == numbers[place] and k != place))
            for target in {*numbers, count + place}:
                if target == numbers[place]:
                    continue
                moved = [target if k == place else number for k, number in enumerate(numbers)]
                gain = float(sum(table[place, k] for k in range(count) if numbers[k] == target)) - stays
                if gain > best and all(_may_be(table, who, moved, one, match_at) for one in (target, numbers[place])):
                    best, move = gain, moved
        if move is None:
            return numbers
        numbers = move


def _may_be(table: np.ndarray, who: list[int], numbers: list[int], target: int, match_at: float) -> bool:
    members = [place for place, number in enumerate(numbers) if number == target]
    if len({who[place] for place in members}) < len(members):
        return False
    pairs = [float(table[i, j]) for k, i in enumerate(members) for j in members[k + 1 :]]
    return not pairs or sum(pairs) / len(pairs) >= match_at
