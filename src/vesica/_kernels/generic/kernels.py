"""What array-API code serves: everything that has an answer of a fixed shape, in any library and on any device."""

from __future__ import annotations

from vesica._kernels.generic import (
    anchors,
    best,
    grid,
    join,
    labels,
    masks,
    measure,
    nms,
)
from vesica._kernels.registry import COUNTED, FLAT, Place, kernels, late, register
from vesica._kernels.tables import FLAT_KINDS, SELF_KINDS

KINDS = ("boxes", "rotated", "masks", "masks_boxes", "boxes_masks")

ANYWHERE = {
    Place(state="traced"): "a transformation (compile, vmap, grad, jvp) must see each step",
    Place(state="gradient"): "the gradient is torch's own",
    Place("torch", state="plain"): "there are no kernels for this device yet: its library does the arithmetic",
    Place(): "the arrays keep to their own library",
}
FLAT_HOST = {FLAT: "a formula that is not compiled takes the shared areas from a kernel"}
COUNTS = {COUNTED: "pixels are counted when label maps meet, by the kernel of their arrays; a table is left"}
NUMBERS = {Place(): "plain arrays: what the compiled kernel is compared with"}
PAIRS = {Place(): "a formula that is not compiled: array code finds the pairs, and the best are chosen on the host"}

for places, kinds in ((ANYWHERE, KINDS), (FLAT_HOST, FLAT_KINDS), (COUNTS, ("labels",))):
    register(
        *kernels("generic", measure.measure, "measure", kinds, places),
        *kernels("generic", best.best, "best", kinds, places),
    )
register(
    *kernels("generic", join.join, "join", KINDS, ANYWHERE),
    *kernels("generic", join.join, "join", FLAT_KINDS, FLAT_HOST),
    *kernels("generic", join.join_counted, "join", ("labels",), COUNTS),
    *kernels("generic", nms.nms, "nms", SELF_KINDS, PAIRS),
    *kernels("generic", nms.nms_padded, "nms_padded", ("boxes",), ANYWHERE),
    *kernels("generic", anchors.assign, "anchors", ("boxes",), ANYWHERE),
    *kernels("generic", grid.decode, "decode", ("grid",), ANYWHERE),
    *kernels("generic", masks.area, "area", ("masks",), ANYWHERE),
    *kernels("generic", masks.boxes, "boxes", ("masks",), ANYWHERE),
    *kernels("generic", masks.decode, "decode", ("masks",), ANYWHERE),
    *kernels("generic", labels.count, "count", ("labels",), ANYWHERE),
    *kernels("generic", labels.table, "table", ("labels",), ANYWHERE),
    *kernels("generic", late("generic.contingency.contingency"), "contingency", ("labels",), ANYWHERE),
    *kernels("generic", labels.components, "components", ("labels",), ANYWHERE),
    *kernels("generic", late("generic.surfaces.surfaces"), "surfaces", ("labels",), ANYWHERE),
    *kernels("generic", late("generic.surfaces.distance_transform"), "distance", ("masks",), ANYWHERE),
    *kernels("generic", late("generic.weights.weights"), "weights", ("keys",), NUMBERS),
    *kernels("generic", late("generic.outline_offsets.outline_offsets"), "outline_offsets", ("runs",), NUMBERS),
    *kernels("generic", late("generic.outline_offsets.outline_histograms"), "outline_histograms", ("runs",), NUMBERS),
    *kernels("generic", late("generic.outline_offsets.edge_pixels"), "edge_pixels", ("runs",), NUMBERS),
    *kernels("generic", late("generic.vote_patterns.dense"), "vote_patterns", ("masks",), NUMBERS),
    *kernels("generic", late("generic.vote_patterns.runs"), "vote_patterns", ("runs",), NUMBERS),
    *kernels("generic", late("generic.vote_patterns.choose"), "choose_patterns", ("runs",), NUMBERS),
    *kernels("generic", late("generic.vote_patterns.labels"), "vote_patterns", ("labels",), NUMBERS),
    *kernels("generic", late("generic.dawid_skene.dawid_skene"), "dawid_skene", ("ratings",), NUMBERS),
    *kernels("generic", late("generic.staple.staple"), "staple", ("votes",), NUMBERS),
    *kernels("generic", late("generic.boundary_bands.bands"), "bands", ("labels",), ANYWHERE),
    *kernels("generic", late("generic.skeletons.skeleton"), "skeleton", ("masks",), ANYWHERE),
    *kernels("generic", late("generic.skeletons.centrelines"), "centrelines", ("labels",), ANYWHERE),
)
