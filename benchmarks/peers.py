"""The peers, each behind one signature, each imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks import formulas
from benchmarks.contender import JOIN_AT, Call, Contender
from benchmarks.formulas import Table
from benchmarks.peers_agreement import AGREEMENT_PEERS
from benchmarks.peers_anchors import ANCHOR_PEERS
from benchmarks.peers_causes import CAUSES_PEERS
from benchmarks.peers_fusion import FUSION_PEERS
from benchmarks.peers_intervals import INTERVAL_PEERS
from benchmarks.peers_labels import LABEL_PEERS
from benchmarks.peers_masks import MASK_PEERS
from benchmarks.peers_matching import MATCHING_PEERS
from benchmarks.peers_nms import NMS_PEERS
from benchmarks.peers_segmentation import SEGMENTATION_PEERS
from benchmarks.peers_soft import SOFT_PEERS
from benchmarks.peers_sparse import SPARSE_PEERS
from benchmarks.peers_surfaces import SURFACE_PEERS

# Rows that go to the tree in one query: its pairs then stay in the cache, and a million boxes in memory.
TREE_BLOCK = 20_000


def _numpy(formula: Callable[[Table, Table], Table]) -> Callable[[Table, Table], Call]:
    return lambda a, b: lambda: formula(a, b)


def _torch_eager(a: Table, b: Table) -> Call:
    import torch

    left, right = torch.from_numpy(a), torch.from_numpy(b)
    return lambda: formulas.torch_iou(left, right)


def _torchvision(a: Table, b: Table) -> Call:
    import torch
    from torchvision.ops import box_iou

    left, right = torch.from_numpy(a), torch.from_numpy(b)
    return lambda: box_iou(left, right)


def _torch_compiled(a: Table, b: Table) -> Call:
    import torch

    left, right = torch.from_numpy(a), torch.from_numpy(b)
    compiled = torch.compile(formulas.torch_iou)
    compiled(left, right)  # compiles here, and fails here where there is no compiler
    return lambda: compiled(left, right)


def _powerboxes(function: str) -> Callable[[Table, Table], Call]:
    def prepare(a: Table, b: Table) -> Call:
        import powerboxes

        call = getattr(powerboxes, function)
        return lambda: call(a, b)

    return prepare


def _similarity(distance: Table) -> Table:
    return 1 - distance


def _cython_inclusive(a: Table, b: Table) -> Call:
    from cython_bbox import bbox_overlaps

    return lambda: bbox_overlaps(a, b)


def _tree(block: int | None) -> Callable[[Table, Table], Call]:
    """A join by an R-tree: candidates from the tree, areas from NumPy. All rows in one query, or a block at a time."""

    def prepare(a: Table, b: Table) -> Call:
        import shapely

        # The tree knows float64 alone; the conversion is not counted against it.
        wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)

        def call() -> tuple[Table, ...]:
            left, tree = shapely.box(*wide_a.T), shapely.STRtree(shapely.box(*wide_b.T))
            areas = formulas.areas(wide_a), formulas.areas(wide_b)
            found = []
            for top in range(0, len(left), block or len(left)):
                # Without a predicate the tree compares envelopes, which for boxes is the whole truth.
                i, j = tree.query(left[top : top + block] if block else left)
                found.append(_near((wide_a, wide_b), areas, i + top, j))
            return tuple(np.concatenate(column) for column in zip(*found, strict=True))

        return call

    return prepare


def _near(tables: tuple[Table, Table], areas: tuple[Table, Table], i: Table, j: Table) -> tuple[Table, Table, Table]:
    """Those of the candidates that reach the threshold."""
    a, b = tables
    x1, y1 = (np.maximum(a[i, k], b[j, k]) for k in (0, 1))
    x2, y2 = (np.minimum(a[i, k], b[j, k]) for k in (2, 3))
    inter = np.clip(x2 - x1, 0, None) * np.clip(y2 - y1, 0, None)
    iou = inter / (areas[0][i] + areas[1][j] - inter)
    keep = iou >= JOIN_AT
    return i[keep], j[keep], iou[keep]


BOX_PEERS = (
    Contender("numpy formula", "numpy", _numpy(formulas.numpy_iou)),
    Contender("numpy diou formula", "numpy", _numpy(formulas.numpy_diou)),
    Contender("numpy ciou formula", "numpy", _numpy(formulas.numpy_ciou)),
    Contender("torch formula, eager", "torch", _torch_eager),
    Contender("torch formula, compiled", "torch", _torch_compiled),
    Contender("torchvision.ops.box_iou", "torchvision", _torchvision),
    Contender("powerboxes.iou_distance", "powerboxes", _powerboxes("iou_distance"), _similarity),
    Contender("powerboxes.parallel_iou_distance", "powerboxes", _powerboxes("parallel_iou_distance"), _similarity),
    Contender("powerboxes.giou_distance", "powerboxes", _powerboxes("giou_distance"), _similarity),
    Contender("powerboxes.parallel_giou_distance", "powerboxes", _powerboxes("parallel_giou_distance"), _similarity),
    # powerboxes.diou_distance divides by another length than the hull's diagonal: there is nothing to compare.
    Contender("cython_bbox.bbox_overlaps", "cython_bbox", _cython_inclusive),
    Contender(
        # Its angles are degrees, clockwise on the screen.
        "powerboxes.parallel_rotated_iou_distance",
        "powerboxes",
        _powerboxes("parallel_rotated_iou_distance"),
        _similarity,
    ),
    Contender("shapely.STRtree and areas", "shapely", _tree(None)),
    Contender("shapely.STRtree and areas, in blocks", "shapely", _tree(TREE_BLOCK)),
)
PEERS = {
    peer.name: peer
    for group in (
        BOX_PEERS,
        MASK_PEERS,
        SPARSE_PEERS,
        LABEL_PEERS,
        SEGMENTATION_PEERS,
        AGREEMENT_PEERS,
        CAUSES_PEERS,
        INTERVAL_PEERS,
        SURFACE_PEERS,
        NMS_PEERS,
        ANCHOR_PEERS,
        MATCHING_PEERS,
        SOFT_PEERS,
        FUSION_PEERS,
    )
    for peer in group
}
