"""Chance: how far annotators would agree who know nothing of each other's image, and agreement beyond that."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vesica._array import to_numpy
from vesica.agreement.scenes import Objects, Side
from vesica.matching.match import match
from vesica.overlaps.join import join
from vesica.overlaps.measures import ratio
from vesica.regions import Boxes, Polygons, RotatedBoxes

if TYPE_CHECKING:
    from vesica.agreement.policy import AgreementPolicy

DERANGEMENTS = 20


class Corrected(NamedTuple):
    """Agreement beyond chance, and its status: `ok`; `certain` where chance alone agrees fully, `undefined` where
    either number is not defined. Then the value is None."""

    value: float | None
    status: str


def corrected(agreement: float, chance: float, /) -> Corrected:
    """(S − S_e) / (1 − S_e): 1 is full agreement, 0 is chance, below 0 is less than that.

    >>> corrected(0.75, 0.5)
    Corrected(value=0.5, status='ok')
    >>> corrected(1.0, 1.0)
    Corrected(value=None, status='certain')
    """
    if math.isnan(agreement) or math.isnan(chance):
        return Corrected(None, "undefined")
    if chance == 1:
        return Corrected(None, "certain")
    return Corrected((agreement - chance) / (1 - chance), "ok")


def independent_iou(area_a: np.ndarray, area_b: np.ndarray, pixels: np.ndarray, /) -> np.ndarray:
    """The IoU of regions of these areas that lie in an image of so many pixels without knowing of each other.

    A ratio of expectations: the expected intersection over the union that goes with it. For totals of many images,
    give the sums of all three. 0 where both areas are 0.

    >>> import numpy as np
    >>> independent_iou(np.array([50, 100]), np.array([50, 100]), np.array([100, 100]))
    array([0.33333333, 1.        ])
    """
    a, b, all_of_it = (np.asarray(given, np.float64) for given in (area_a, area_b, pixels))
    shared = np.asarray(ratio(a * b, all_of_it))
    return np.asarray(ratio(shared, a + b - shared))


class Separation(NamedTuple):
    """How far observed distances lie below those by chance.

    `share`: of all pairs of an observed and a re-paired distance, those in which the observed one is smaller.
    `ks`: the largest difference of the two distributions. Both NaN where a side is empty.
    """

    share: float
    ks: float


def separation(observed: np.ndarray, by_chance: np.ndarray, /) -> Separation:
    """Compare distances (1 − IoU) between annotators with those of re-paired images.

    >>> import numpy as np
    >>> separation(np.array([0.1, 0.2, 0.9]), np.array([0.8, 1.0]))
    Separation(share=0.8333333333333334, ks=0.6666666666666666)
    """
    if not (len(observed) and len(by_chance)):
        return Separation(float("nan"), float("nan"))
    near, far = np.sort(observed), np.sort(by_chance)
    below = np.searchsorted(near, far, side="left").sum()
    steps = np.concatenate([near, far])
    ends = [np.searchsorted(side, steps, side="right") / len(side) for side in (near, far)]
    return Separation(float(below / (len(near) * len(far))), float(np.abs(ends[0] - ends[1]).max()))


@dataclass(frozen=True, eq=False)
class Repaired:
    """Agreement of a's objects in one image with b's in another, group by group.

    Attributes
    ----------
    agreement : (G,) float64: the mean over the derangements; NaN where no image could be paired with another
    scenes : (G,) int64: how many scenes took part
    separation : one for each group, of the distances from each object of a to the nearest of b: 1 − its best IoU
    """

    agreement: np.ndarray
    scenes: np.ndarray
    separation: tuple[Separation, ...]


def repaired(
    objects: Objects,
    a: Side,
    b: Side,
    group: np.ndarray,
    /,
    *,
    groups: int,
    policy: AgreementPolicy,
    blocks: np.ndarray | None = None,
    count: int = DERANGEMENTS,
    seed: int = 0,
    threads: int | None = None,
) -> Repaired:
    """Pair what a drew in each image with what b drew in another one, and see how far they agree.

    Images are exchanged at random within their group, each with another one, `count` times. The answer depends on the
    numbers of the scenes and the seed alone.

    Parameters
    ----------
    objects : regions in shares of their image (`relative`), so that sizes of images do not matter; or masks
    a, b : which objects each side has in each scene
    group : (S,) int64: scenes of one pair of annotators are a group
    groups : how many
    policy : its `match_at`, `match_strict` and `credit`
    blocks : (S,) int64, optional
        Images are exchanged within a block only; of masks those of one size. Scenes alone in their block take no part.
    """
    block = block_of(group, blocks)
    used = np.bincount(block)[block] > 1
    units = sum(np.bincount(group[side.scene[used[side.scene]]], minlength=groups) for side in (a, b)) / 2

    earned = np.zeros((count, groups))
    one, another = (by_rank(objects, side, used) for side in (a, b))
    distances = np.empty((count, len(one.row)))
    for k in range(count):
        exchanged = exchanged_side(another, block, seed, k)
        earned[k] = _earned(objects, one, exchanged, group, groups, policy, threads)
        distances[k] = distances_of(objects, one, exchanged, threads)
    agreement = np.full(groups, np.nan)
    np.divide(earned.sum(axis=0) / count, units, out=agreement, where=units > 0)
    observed, own = distances_of(objects, one, another, threads), group[one.scene]
    separations = tuple(separation(observed[own == g], distances[:, own == g].reshape(-1)) for g in range(groups))
    return Repaired(agreement, np.bincount(group[used], minlength=groups), separations)


def block_of(group: np.ndarray, blocks: np.ndarray | None, /) -> np.ndarray:
    """(S,) numbers of the blocks within which images are exchanged: of one group, and of one of `blocks`."""
    if blocks is None:
        return group
    return np.unique(np.stack([group, blocks]), axis=1, return_inverse=True)[1].reshape(-1)


def exchanged_side(side: Side, block: np.ndarray, seed: int, number: int, /) -> Side:
    """The objects of a side in other images of their block, by derangement `number` of this seed."""
    generator = np.random.Generator(np.random.Philox(key=[seed, number]))
    return Side(derangement(block, generator)[side.scene], side.row)


def derangement(block: np.ndarray, generator: np.random.Generator, /) -> np.ndarray:
    """A permutation that leaves no place as it is and no block, each such one as likely as any other.

    A place that is alone in its block stays.
    """
    order = np.argsort(block, kind="stable")
    found = np.arange(len(block))
    open_blocks = np.bincount(block) > 1
    while True:
        places = order[open_blocks[block[order]]]
        if not places.size:
            return found
        shuffled = places[np.lexsort((generator.random(len(places)), block[places]))]
        found[places] = shuffled
        stays = np.bincount(block[places[shuffled == places]], minlength=len(open_blocks)) > 0
        open_blocks = stays


def _earned(
    objects: Objects,
    a: Side,
    b: Side,
    group: np.ndarray,
    groups: int,
    policy: AgreementPolicy,
    threads: int | None,
) -> np.ndarray:
    """The credit of each group."""
    found = match(
        objects.regions[a.row],
        objects.regions[b.row],
        at_least=policy.match_at,
        strict=policy.match_strict,
        how="optimal",
        keys=(a.scene, b.scene),
        threads=threads,
    )
    same = objects.label[a.row[found.truth]] == objects.label[b.row[found.guess]]
    credit = np.asarray(found.value) if policy.credit == "iou" else np.ones(len(same))
    return np.bincount(group[a.scene[found.truth]], weights=credit * same, minlength=groups)


def distances_of(objects: Objects, a: Side, b: Side, threads: int | None) -> np.ndarray:
    """From each object of a to the nearest of b in its scene: 1 − IoU, 1 where none shares area with it."""
    regions = objects.regions
    found = join(regions[a.row], regions[b.row], at_least=0, strict=True, keys=(a.scene, b.scene), threads=threads)
    best = np.zeros(len(a.row))
    np.maximum.at(best, found.i, found.value)
    return np.asarray(1 - best)


def by_rank(objects: Objects, side: Side, used: np.ndarray) -> Side:
    """The objects of scenes that are used, in an order that no row decides."""
    rows = np.flatnonzero(used[side.scene])
    order = rows[np.argsort(objects.rank[side.row[rows]], kind="stable")]
    return Side(side.scene[order], side.row[order])


def relative(regions: Boxes | RotatedBoxes | Polygons, width: np.ndarray, height: np.ndarray, /) -> Boxes | Polygons:
    """Regions in shares of the width and height of their images, row by row. Rotated boxes become polygons.

    >>> import numpy as np
    >>> relative(Boxes([[10, 10, 20, 40]]), np.array([100]), np.array([50])).xyxy
    array([[0.1, 0.2, 0.2, 0.8]])
    """
    size = np.stack([width, height], axis=1).astype(np.float64)
    if isinstance(regions, Boxes):
        return Boxes(to_numpy(regions.xyxy) / np.tile(size, 2))
    polygons = Polygons.from_rotated(regions) if isinstance(regions, RotatedBoxes) else regions
    points, rings, parts, offsets = polygons.arrays
    vertices = np.diff(rings[parts[offsets]])
    return Polygons.from_arrays(points / np.repeat(size, vertices, axis=0), rings, parts, offsets)
