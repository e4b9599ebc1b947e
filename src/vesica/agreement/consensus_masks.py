"""One mask for each cluster of masks: pixels by majority, or by STAPLE. Run lengths stay run lengths."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vesica._check import coco_masks as check_masks
from vesica._kernels import pick_arrays
from vesica._kernels.generic.staple import STATUSES, Votes
from vesica._kernels.native import coco_masks as native
from vesica._kernels.native import pixels as native_pixels
from vesica._ragged import taken
from vesica.agreement import staple
from vesica.agreement.vote_patterns import areas_of_union_boxes
from vesica.dataset import CocoMasks


class FusedMasks(NamedTuple):
    """A mask for each of C clusters."""

    masks: CocoMasks
    area: np.ndarray
    """(C,) int64"""
    ties: np.ndarray
    """(C,) int64: pixels that half of the members marked, or that STAPLE believes by half."""
    mean_iou: np.ndarray
    """(C,) float64: of every two members; NaN where there is one."""
    status: list[str]
    """How STAPLE ended; "ok" where it was not asked."""
    runs: tuple[np.ndarray, np.ndarray]
    """The same masks as canonical counts, and where those of each begin."""


def fuse(
    masks: CocoMasks,
    sizes: np.ndarray,
    starts: np.ndarray,
    /,
    *,
    how: str,
    ties: str = "background",
    field: str = "image",
    threads: int | None = None,
) -> FusedMasks:
    """Fuse masks, whose clusters begin at `starts`; `sizes` are those of the images, (M, 2).

    Pixels with half of the votes go to the foreground or the background, as `ties` says, and are counted.
    """
    rows = np.arange(len(masks))
    found = native.decode(masks.sized(sizes).column(), rows, threads=threads)
    fault = found.measured.fault(rows)
    if fault is not None:
        raise check_masks.bad_segment(fault, "`segments`")
    runs = found.counts, found.offsets
    size = found.sizes[starts[:-1]]
    pixels = size[:, 0] * size[:, 1]
    patterns = pick_arrays("vote_patterns", "runs", found.counts).call(*runs, starts, pixels, threads=threads)
    votes = _Patterns(patterns, np.diff(starts))

    if how == "staple":
        fields = pixels if field == "image" else areas_of_union_boxes(found.boxes, starts)
        belief, status = _beliefs(votes, fields, threads)
    else:
        belief, status = votes.marked / votes.members, ["ok"] * len(size)
    tied = (np.abs(belief - 0.5) <= staple.EQUAL) & (votes.code != 0)
    belongs = (tied | (belief > 0.5)) if ties == "foreground" else (~tied & (belief > 0.5))
    belongs &= votes.code != 0
    chosen = votes.code[belongs], np.concatenate([[0], np.cumsum(votes.sums(belongs))])
    counts, offsets = pick_arrays("choose_patterns", "runs", found.counts).call(
        *runs, starts, pixels, *chosen, threads=threads
    )

    text, ends = native_pixels.strings_of_counts(counts, offsets)
    forms = np.full(len(size), CocoMasks.COUNTS, np.uint8)
    return FusedMasks(
        CocoMasks(text, ends[:-1], ends[1:], forms, size),
        votes.sums(votes.count * belongs),
        votes.sums(votes.count * tied),
        votes.mean_iou(),
        status,
        (counts, offsets),
    )


def iou_of_pairs(fused: FusedMasks, i: np.ndarray, j: np.ndarray, /, *, threads: int | None = None) -> np.ndarray:
    """(P,) float64: the IoU of masks i and j, which are of one image."""
    offsets, places = taken(fused.runs[1], np.stack([i, j], axis=1).reshape(-1))
    counts, groups = fused.runs[0][places], np.arange(0, 2 * len(i) + 1, 2)
    pixels = fused.masks.size[i].prod(axis=1)
    found = pick_arrays("vote_patterns", "runs", counts).call(counts, offsets, groups, pixels, threads=threads)
    return _Patterns(found, np.full(len(i), 2)).mean_iou()


class _Patterns:
    """The patterns of all clusters, one cluster after the other."""

    def __init__(self, patterns: tuple[np.ndarray, np.ndarray, np.ndarray], members: np.ndarray) -> None:
        sizes, code, count = patterns
        self.code, self.count = code, count
        self.starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.owner = np.repeat(np.arange(len(sizes)), sizes)
        self.most = int(members.max(initial=0))
        self.of_cluster = members
        self.members = members[self.owner]
        self.marked = sum((self.votes_of(k) for k in range(self.most)), np.zeros(len(code), np.int64))

    def votes_of(self, member: int) -> np.ndarray:
        """(P,) int64: 1 where this member of the cluster marked the pixels."""
        return np.asarray((self.code >> np.uint64(member)) & np.uint64(1), np.int64)

    def sums(self, numbers: np.ndarray) -> np.ndarray:
        """(C,) int64: of each cluster."""
        sums = np.zeros(len(self.of_cluster), np.int64)
        np.add.at(sums, self.owner, numbers)
        return sums

    def mean_iou(self) -> np.ndarray:
        total = np.zeros(len(self.of_cluster))
        for k in range(self.most):
            for j in range(k):
                one, other = self.votes_of(j), self.votes_of(k)
                shared, either = (self.sums(self.count * part) for part in (one & other, one | other))
                total += np.divide(shared, either, out=np.zeros(len(total)), where=either > 0)
        pairs = self.of_cluster * (self.of_cluster - 1) // 2
        return np.asarray(np.divide(total, pairs, out=np.full(len(total), np.nan), where=pairs > 0))


def _beliefs(votes: _Patterns, fields: np.ndarray, threads: int | None) -> tuple[np.ndarray, list[str]]:
    """(P,) the belief in each pattern, and how the fit of each cluster ended. One annotator alone is believed."""
    nobody = votes.code == 0
    marked = votes.sums(votes.count * ~nobody)
    count = np.where(nobody, fields[votes.owner] - marked[votes.owner], votes.count)
    rows = np.flatnonzero((count > 0) & (votes.members > 1))
    groups = np.concatenate([[0], np.cumsum(np.bincount(votes.owner[rows], minlength=len(fields)))]).astype(np.int64)
    everyone = np.array([(1 << k) - 1 for k in range(65)], np.uint64)
    asked = everyone[votes.members[rows]]
    fits = staple.fit(Votes(votes.code[rows], asked, count[rows]), groups, max(1, votes.most), threads=threads)
    belief = (votes.marked > 0).astype(np.float64)
    belief[rows] = fits.belief
    status = [STATUSES[k] for k in fits.status.tolist()]
    alone = (votes.of_cluster == 1).tolist()
    return belief, ["ok" if is_alone else told for told, is_alone in zip(status, alone, strict=True)]
