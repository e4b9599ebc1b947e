"""Outlines of matched pairs: how far they are apart, pair by pair and object by object, and where masks differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vesica.agreement.bias import edge_offsets, outline_offsets
from vesica.agreement.outlines import edge_pixels
from vesica.agreement.tables import rate
from vesica.regions import Boxes, RleMasks

if TYPE_CHECKING:
    from vesica.agreement.annotations import Annotations
    from vesica.agreement.records import AgreementRecords
    from vesica.agreement.tallies import Tallies

WITHIN = 2.0
"""Pixels this near an outline are of its edge, as in the ledger of label maps."""


class OutlinePairs(NamedTuple):
    """Matched pairs of different annotators.

    Attributes
    ----------
    row : (M,) int64: rows of the tallies
    offset : (M,) float64: how far the outline of b lies outside that of a, of masks; NaN of other regions
    distance : (M,) float64: the mean distance of both outlines; of upright boxes that of their four edges; NaN where
        outlines are not measured
    has_masks : are they of masks that are at hand?
    """

    row: np.ndarray
    offset: np.ndarray
    distance: np.ndarray
    has_masks: bool = False


def outline_pairs(
    records: AgreementRecords, tallies: Tallies, drawn: Annotations | None, /, *, threads: int | None = None
) -> OutlinePairs:
    """Compare the outlines of all matched pairs. Those of masks must be at hand."""
    rows = np.flatnonzero((tallies.a >= 0) & (tallies.b >= 0) & ~records.scenes.is_self[tallies.scene])
    a, b, unknown = tallies.a[rows], tallies.b[rows], np.full(len(rows), np.nan)
    masks = None if drawn is None else drawn.objects.regions
    if isinstance(masks, RleMasks):
        return OutlinePairs(rows, *outline_offsets(masks, masks, a, b, threads=threads), has_masks=True)
    if records.kind == "box":
        boxes = (Boxes(records.box[side], check=False) for side in (a, b))
        return OutlinePairs(rows, unknown, np.abs(edge_offsets(*boxes)[:, :4]).mean(axis=1))
    return OutlinePairs(rows, unknown, unknown)


def boundary_distances(records: AgreementRecords, tallies: Tallies, pairs: OutlinePairs, /) -> np.ndarray:
    """(N,) of each object the mean distance of its outline from those it is matched with; NaN if there are none."""
    rows = np.concatenate([tallies.a[pairs.row], tallies.b[pairs.row]])
    sums = np.bincount(rows, weights=np.tile(pairs.distance, 2), minlength=len(records))
    return rate(sums, np.bincount(rows, minlength=len(records)))


def edge_shares(
    records: AgreementRecords, tallies: Tallies, drawn: Annotations | None, /, *, threads: int | None = None
) -> np.ndarray:
    """(I,) of each image the share of pixels in which masks of two annotators differ that lie within two pixels of an
    outline of either; an object that one of them has alone differs in all of its pixels. NaN where none differ, and
    where there are no masks at hand."""
    images = len(records.images)
    masks = None if drawn is None else drawn.objects.regions
    if not isinstance(masks, RleMasks):
        return np.full(images, np.nan)
    others = ~records.scenes.is_self[tallies.scene]
    image = records.scenes.image[tallies.scene]
    matched = np.flatnonzero(others & (tallies.a >= 0) & (tallies.b >= 0))
    alone = np.flatnonzero(others & ((tallies.a < 0) | (tallies.b < 0)))
    drawn_once, place = np.unique(np.maximum(tallies.a[alone], tallies.b[alone]), return_inverse=True)
    both = edge_pixels(masks, tallies.a[matched], tallies.b[matched], within=WITHIN, threads=threads)
    single = edge_pixels(masks, drawn_once, None, within=WITHIN, threads=threads)
    where = image[np.concatenate([matched, alone])]
    differ, near = (
        np.bincount(where, weights=np.concatenate([pair, one[place.reshape(-1)]]), minlength=images)
        for pair, one in zip(both, single, strict=True)
    )
    return rate(near, differ)
