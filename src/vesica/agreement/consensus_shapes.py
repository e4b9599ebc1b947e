"""What clusters look like: boxes, rotated boxes or masks, and which of them are at one place."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vesica.agreement.consensus_boxes import middle, middle_corners
from vesica.agreement.consensus_masks import FusedMasks, fuse, iou_of_pairs
from vesica.agreement.consensus_votes import Members
from vesica.dataset import CocoMasks, Dataset
from vesica.dataset.corners import xywh_around
from vesica.overlaps.join import join
from vesica.overlaps.measures import iou
from vesica.regions import Boxes, Polygons

_ANY = 1e-9
"""Boxes of pixels that overlap at all have a larger IoU."""


class Shapes(NamedTuple):
    """What the clusters look like."""

    xywh: np.ndarray
    corners: np.ndarray | None
    segments: CocoMasks | None
    area: np.ndarray
    mean_iou: np.ndarray
    is_empty: np.ndarray
    method: list[str]
    reason: list[str]
    masks: FusedMasks | None = None


def shapes_of(
    data: Dataset, members: Members, kind: str, how: str, vote_tie: str, field: str, threads: int | None
) -> Shapes:
    if kind == "mask":
        return _of_masks(data, members, how, vote_tie, field, threads)
    assert data.xywh is not None
    xyxy = np.asarray(data.boxes.xyxy)[members.row]
    values = _mean_iou(xyxy, members)
    alone = members.votes == 1
    method = ["single" if one else how for one in alone.tolist()]
    if kind == "rotated":
        assert data.corners is not None
        corners, is_vague = middle_corners(data.corners[members.row], members.starts, how)
        corners[alone] = data.corners[members.row[members.starts[:-1][alone]]]
        xywh, area = xywh_around(corners), _areas(corners)
        vague = ["the boxes point all ways" if one else "" for one in is_vague.tolist()]
        return Shapes(xywh, corners, None, area, values, np.zeros(len(area), bool), method, vague)
    found = middle(xyxy, members.starts, how)
    xywh = np.concatenate([found[:, :2], found[:, 2:] - found[:, :2]], axis=1)
    xywh[alone] = data.xywh[members.row[members.starts[:-1][alone]]]  # as it was written
    count = len(xywh)
    area = xywh[:, 2] * xywh[:, 3]
    return Shapes(xywh, None, None, area, values, np.zeros(count, bool), method, [""] * count)


def _of_masks(data: Dataset, members: Members, how: str, vote_tie: str, field: str, threads: int | None) -> Shapes:
    assert data.segments is not None
    sizes = data.images.sizes[data.image[members.row]]
    how = "staple" if how == "staple" else "majority"
    ties = "foreground" if vote_tie == "foreground" else "background"
    given = data.segments[members.row]
    found = fuse(given, sizes, members.starts, how=how, ties=ties, field=field, threads=threads)
    named = f"staple, field {field}" if how == "staple" else how
    empty = found.area == 0
    reason = [
        "; ".join(
            text
            for text, is_so in (
                ("no pixel belongs", nothing),
                (f"{tied} pixels are tied", tied and vote_tie == "review"),
                (f"STAPLE: {status}", status not in ("ok", "no_background", "no_foreground")),
            )
            if is_so
        )
        for nothing, tied, status in zip(empty.tolist(), found.ties.tolist(), found.status, strict=True)
    ]
    method = ["single" if one else named for one in (members.votes == 1).tolist()]
    area = found.area.astype(np.float64)
    xywh = found.masks.boxes(threads=threads)
    return Shapes(xywh, None, found.masks, area, found.mean_iou, empty, method, reason, found)


def _mean_iou(xyxy: np.ndarray, members: Members) -> np.ndarray:
    """Of every two boxes of each cluster."""
    starts, votes = members.starts[:-1], members.votes
    total = np.zeros(len(votes))
    for k in range(int(votes.max(initial=0))):
        there = np.flatnonzero(votes > k)
        for j in range(k):
            one, other = (Boxes(xyxy[starts[there] + place], check=False) for place in (j, k))
            total[there] += np.asarray(iou(one, other, aligned=True))
    pairs = votes * (votes - 1) // 2
    return np.asarray(np.divide(total, pairs, out=np.full(len(total), np.nan), where=pairs > 0))


def _areas(corners: np.ndarray) -> np.ndarray:
    x, y = corners[..., 0], corners[..., 1]
    areas: np.ndarray = np.abs((x * np.roll(y, -1, axis=1) - np.roll(x, -1, axis=1) * y).sum(axis=1)) / 2
    return areas


def overlaps_of(shape: Shapes, members: Members, match_at: float, threads: int | None) -> list[str]:
    """Which other result of the image each overlaps by so much."""
    texts: list[list[str]] = [[] for _ in members.cluster]
    numbers = members.cluster.tolist()
    for i, j, value in zip(*_overlapping(shape, members.image, match_at, threads), strict=True):
        texts[i].append(f"{numbers[j]} by {value:.2f}")
        texts[j].append(f"{numbers[i]} by {value:.2f}")
    return [f"overlaps cluster {', '.join(some)}" if some else "" for some in texts]


def _overlapping(shape: Shapes, image: np.ndarray, match_at: float, threads: int | None) -> list[list[Any]]:
    """Pairs of results of one image, and their IoU."""
    if shape.corners is not None:
        outlines = Polygons._of_corners(shape.corners, "float64", shape.corners, None)
        found = join(outlines, at_least=match_at, keys=image, threads=threads)
        return [np.asarray(column).tolist() for column in (found.i, found.j, found.value)]
    corners = np.concatenate([shape.xywh[:, :2], shape.xywh[:, :2] + shape.xywh[:, 2:]], axis=1)
    # Masks may share most of their pixels where the boxes around them share little.
    least = match_at if shape.masks is None else _ANY
    near = join(Boxes(corners, check=False), at_least=least, keys=image, threads=threads)
    i, j, value = (np.asarray(column) for column in (near.i, near.j, near.value))
    if shape.masks is not None:
        value = iou_of_pairs(shape.masks, i, j, threads=threads)
        i, j, value = (column[value >= match_at] for column in (i, j, value))
    return [i.tolist(), j.tolist(), value.tolist()]
