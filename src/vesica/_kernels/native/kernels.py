"""What the compiled core serves."""

from __future__ import annotations

from vesica._kernels import native
from vesica._kernels.native import (
    anchors,
    assign,
    components,
    fusion,
    kmeans,
    labels,
    lane,
    pixels,
    soft,
)
from vesica._kernels.registry import FLAT, NUMPY, Place, kernels, late, register
from vesica._kernels.tables import FLAT_KINDS, SELF_KINDS

FORMULAS = frozenset(native.NUMBERS)

HOST = {
    NUMPY: "compiled kernels read the memory as it is",
    Place("torch", "cpu", "plain"): "compiled kernels share the memory of CPU tensors",
}
COLUMNS = {NUMPY: HOST[NUMPY]}
FLAT_HOST = {FLAT: "runs, indices, vertices and ids are flat arrays on the host, whatever they came from"}
JAX = {Place("jax", "cpu", "plain"): "the answer has no gradient or no fixed shape, so it is found on the host"}
CUDA = {Place("torch", "cuda", "plain"): "no kernel of the device finds them: the host is faster than array code"}
ANYWHERE = {Place(): "how many stay is no fixed shape, so they are chosen on the host"}

for places, kinds, formulas, entry in (
    (HOST, ("boxes", "rotated"), FORMULAS, lane.measure),
    (FLAT_HOST, FLAT_KINDS, native.OF_AREAS, lane.measure_masks),
):
    register(
        *kernels("native", native.measure, "measure", kinds, places, formulas=formulas, lane=entry),
        *kernels("native", native.inter, "inter", kinds, places),
        *kernels("native", native.best, "best", kinds, places, formulas=FORMULAS),
        *kernels("native", native.join, "join", kinds, places, formulas=FORMULAS, lane=lane.join),
    )
register(
    *kernels("native", native.inter, "inter_aligned", FLAT_KINDS, FLAT_HOST),
    *kernels("native", native.join_on_host, "join", ("boxes", "rotated"), JAX, formulas=FORMULAS),
    *kernels("native", native.join_on_host, "join", ("rotated",), CUDA, formulas=FORMULAS),
    # Selection
    *kernels("native", native.nms, "nms", SELF_KINDS, ANYWHERE, formulas=FORMULAS, lane=lane.nms),
    *kernels("native", soft.soft_boxes, "soft", ("boxes",), ANYWHERE, formulas=FORMULAS),
    *kernels("native", soft.soft, "soft", SELF_KINDS, ANYWHERE),
    *kernels("native", components.components, "components", SELF_KINDS, ANYWHERE),
    *kernels("native", fusion.fuse, "fuse", ("boxes",), ANYWHERE),
    # Matching
    *kernels("native", assign.greedy, "greedy", ("pairs",), ANYWHERE, lane=lane.match),
    *kernels("native", assign.optimal, "optimal", ("pairs",), ANYWHERE, lane=lane.match),
    *kernels("native", assign.dense, "optimal", ("matrix",), ANYWHERE, lane=lane.assign),
    *kernels("native", anchors.assign, "anchors", ("boxes",), HOST, formulas=frozenset({"iou"})),
    *kernels("native", anchors.assign_on_host, "anchors", ("boxes",), JAX, formulas=frozenset({"iou"})),
    *kernels("native", kmeans.nearest, "nearest", ("shapes",), HOST),
    *kernels("native", kmeans.medians, "medians", ("shapes",), HOST),
    # Regions
    *kernels("native", pixels.pack_masks, "pack", ("masks",), HOST),
    *kernels("native", pixels.areas, "area", ("masks",), HOST),
    *kernels("native", pixels.boxes, "boxes", ("masks",), HOST),
    *kernels("native", labels.count, "count", ("labels",), HOST),
    *kernels("native", labels.table, "table", ("labels",), HOST),
    # Segmentation
    *kernels("native", labels.components, "components", ("labels",), HOST),
    *kernels("native", late("native.surfaces.surfaces"), "surfaces", ("labels",), HOST),
    *kernels("native", late("native.surfaces.distance_transform"), "distance", ("masks",), HOST),
    # Statistics
    *kernels("native", late("native.weights.weights"), "weights", ("keys",), COLUMNS),
    # Agreement
    *kernels("native", late("native.outline_offsets.outline_offsets"), "outline_offsets", ("runs",), COLUMNS),
    *kernels("native", late("native.outline_offsets.outline_histograms"), "outline_histograms", ("runs",), COLUMNS),
    *kernels("native", late("native.outline_offsets.edge_pixels"), "edge_pixels", ("runs",), COLUMNS),
    *kernels("native", late("native.vote_patterns.dense"), "vote_patterns", ("masks",), COLUMNS),
    *kernels("native", late("native.vote_patterns.runs"), "vote_patterns", ("runs",), COLUMNS),
    *kernels("native", late("native.vote_patterns.choose"), "choose_patterns", ("runs",), COLUMNS),
    *kernels("native", late("native.vote_patterns.labels"), "vote_patterns", ("labels",), COLUMNS),
    *kernels("native", late("native.dawid_skene.dawid_skene"), "dawid_skene", ("ratings",), COLUMNS),
    *kernels("native", late("native.staple.staple"), "staple", ("votes",), COLUMNS),
    *kernels("native", late("native.boundary_bands.bands"), "bands", ("labels",), HOST),
    *kernels("native", late("native.skeletons.skeleton"), "skeleton", ("masks",), HOST),
    *kernels("native", late("native.skeletons.centrelines"), "centrelines", ("labels",), HOST),
)
