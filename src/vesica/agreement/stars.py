"""Stars: one object that the other annotator drew in several parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vesica.agreement.scenes import ROUNDING, Members, Touching
from vesica.overlaps.join import join
from vesica.overlaps.measures import iou
from vesica.regions import Boxes, Polygons, Region, RotatedBoxes
from vesica.regions.pixels import PixelRegions


@dataclass(frozen=True, eq=False)
class Stars:
    """T wholes and their parts.

    Attributes
    ----------
    whole : (T,) int64: a member
    iou : (T,) float64: that of the whole with the union of its parts
    starts : (T,) int64: where the parts of each star begin in `part`
    part : (P,) int64: members of the other side
    """

    whole: np.ndarray
    iou: np.ndarray
    starts: np.ndarray
    part: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        """How many parts each has."""
        return np.diff(self.starts, append=len(self.part))


def stars_of(
    members: Members, touching: Touching, free: np.ndarray, /, *, part: float, threads: int | None = None
) -> Stars:
    """Find wholes and their parts among free members; a whole that is matched must have its partner as a part.

    At least `part` of the area of every part lies in the whole, and the union of the parts must fit better than the
    best of them alone. In each scene stars are taken one after the other, the one that gains most by uniting its parts
    first, whatever its side; what it takes is no longer free for the next.
    """
    whole, piece, fit = _links(members, touching, free, part, threads)
    taken = np.zeros(len(free), bool)
    united, is_known = np.zeros(len(free)), np.zeros(len(free), bool)  # of wholes that lost no part since
    found: list[Stars] = []
    while True:
        whole, piece, fit, starts = _several(whole, piece, fit)
        if not starts.size:
            return _joined(found)
        unknown = np.flatnonzero(~is_known[whole])
        united[whole[unknown]] = _union_iou(members, whole[unknown], piece[unknown], threads)
        is_known[whole] = True
        # In steps that rounding cannot make, so that ties are ties.
        gain = np.rint((united[whole[starts]] - np.maximum.reduceat(fit, starts)) / ROUNDING).astype(np.int64)
        best = _best_of_scenes(members, whole[starts], gain)
        if not best.size:
            return _joined(found)
        stars = _chosen(whole, piece, starts, united, best)
        found.append(stars)
        taken[stars.whole] = taken[stars.part] = True
        is_known[whole[taken[piece]]] = False
        # Scenes without a star have none in later rounds either.
        has_star = np.isin(members.scene[whole], members.scene[stars.whole])
        left = has_star & ~taken[whole] & ~taken[piece]
        whole, piece, fit = whole[left], piece[left], fit[left]


def _links(
    members: Members, touching: Touching, free: np.ndarray, part: float, threads: int | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Wholes, what may be parts of them, and their IoU; ordered by whole, then part."""
    whole = np.concatenate([touching.a, touching.b])
    piece = np.concatenate([touching.b, touching.a])
    fit = np.tile(touching.iou, 2)
    shared = fit / (1 + fit) * (members.area[whole] + members.area[piece])
    may_be = free[piece] & (free[whole] | (members.partner[whole] >= 0))
    may_be &= shared >= (part - ROUNDING) * members.area[piece]
    whole, piece, fit = (column[may_be] for column in (whole, piece, fit))
    inside = _inside(members, piece, whole, part, threads)
    whole, piece, fit = whole[inside], piece[inside], fit[inside]

    matched = np.unique(whole[members.partner[whole] >= 0])
    matched = matched[_inside(members, members.partner[matched], matched, part, threads)]
    keeps = members.partner < 0
    keeps[matched] = True
    stays = keeps[whole]
    whole = np.append(whole[stays], matched)
    piece = np.append(piece[stays], members.partner[matched])
    fit = np.append(fit[stays], members.iou[matched])
    order = np.lexsort((piece, whole))
    return whole[order], piece[order], fit[order]


def _inside(members: Members, piece: np.ndarray, whole: np.ndarray, part: float, threads: int | None) -> np.ndarray:
    """Which of the pieces have at least `part` of their area in their whole; decided exactly."""
    apart = np.arange(len(piece))
    found = join(
        members.at(piece), members.at(whole), measure="coverage", at_least=part, keys=(apart, apart), threads=threads
    )
    return np.asarray(found.i)


def _several(
    whole: np.ndarray, piece: np.ndarray, fit: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The links of wholes with two parts or more, and where each whole begins."""
    starts = np.flatnonzero(np.diff(whole, prepend=-1))
    sizes = np.diff(starts, append=len(whole))
    several = np.repeat(sizes > 1, sizes)
    whole = whole[several]
    return whole, piece[several], fit[several], np.flatnonzero(np.diff(whole, prepend=-1))


def _union_iou(members: Members, whole: np.ndarray, piece: np.ndarray, threads: int | None) -> np.ndarray:
    """For each link the IoU of its whole with the union of all of its parts; those of one whole stand together."""
    starts = np.flatnonzero(np.diff(whole, prepend=-1))
    united = _united(members.at(piece), starts)
    value = np.asarray(iou(members.at(whole[starts]), united, aligned=True, threads=threads), np.float64)
    return np.repeat(value, np.diff(starts, append=len(whole)))


def _united(regions: Region, starts: np.ndarray) -> Region:
    """The union of each group of regions side by side."""
    if isinstance(regions, PixelRegions):
        return regions.to_rle()._united(starts)
    if isinstance(regions, Boxes):
        regions = Polygons.from_boxes(regions)
    elif isinstance(regions, RotatedBoxes):
        regions = Polygons.from_rotated(regions)
    assert isinstance(regions, Polygons)
    return regions._united(starts)


def _best_of_scenes(members: Members, whole: np.ndarray, gain: np.ndarray) -> np.ndarray:
    """Which wholes gain most in their scene, and anything at all; ties by rank."""
    some = np.flatnonzero(gain > 0)
    scene = members.scene[whole[some]]
    order = np.lexsort((members.rank[whole[some]], -gain[some], scene))
    return some[order[np.flatnonzero(np.diff(scene[order], prepend=-1))]]


def _chosen(whole: np.ndarray, piece: np.ndarray, starts: np.ndarray, united: np.ndarray, best: np.ndarray) -> Stars:
    sizes = np.diff(starts, append=len(piece))
    is_best = np.zeros(len(starts), bool)
    is_best[best] = True
    sizes_of_best = sizes[is_best]
    parts = piece[np.repeat(is_best, sizes)]
    wholes = whole[starts[is_best]]
    return Stars(wholes, united[wholes], np.cumsum(sizes_of_best) - sizes_of_best, parts)


def _joined(stars: list[Stars]) -> Stars:
    if not stars:
        nothing = np.empty(0, np.int64)
        return Stars(nothing, np.empty(0), nothing, nothing)
    before = np.cumsum([0] + [len(one.part) for one in stars[:-1]])
    starts = [one.starts + start for one, start in zip(stars, before.tolist(), strict=True)]
    return Stars(
        np.concatenate([one.whole for one in stars]),
        np.concatenate([one.iou for one in stars]),
        np.concatenate(starts),
        np.concatenate([one.part for one in stars]),
    )
