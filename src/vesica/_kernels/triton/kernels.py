"""What Triton serves, where it is installed: it comes with torch for CUDA."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from vesica._kernels import native
from vesica._kernels.generic import measure
from vesica._kernels.native.kernels import CUDA, FORMULAS
from vesica._kernels.registry import Place, kernels, late, register

LOSSES = frozenset({"iou", "giou", "diou", "ciou", "eiou"})
IS_THERE = find_spec("triton") is not None

(PLACE,) = CUDA
SERVED = {PLACE: "Triton kernels work on the device, without intermediates"}
PACKED = {PLACE: "Triton kernels count bits on the device: one for each pixel"}
DECODED = {PLACE: "Triton kernels decode run lengths on the device, where dense masks are"}
CHOSEN = {PLACE: "Triton kernels choose on the device by iou; the host decides the rest"}
TRAINED = {Place("torch", "cuda"): "one Triton kernel makes the losses of plain tables and their gradient"}
WITHOUT = {PLACE: "the kernels for this device need triton, which is not installed: torch does the arithmetic"}

LEARNT = {Place("torch", "cuda", "gradient"): "Triton kernels make the measures, and their gradients without a matrix"}
TRACED = {Place("torch", "cuda", "compiled"): "torch.compile takes a Triton kernel as one step"}


def traced(name: str, /) -> Callable[..., Any]:
    """The function of that name in `compiled`, found in a way that torch.compile can follow."""

    def call(*arrays: Any, **options: Any) -> Any:
        from vesica._kernels.triton import compiled

        return getattr(compiled, name)(*arrays, **options)

    return call


CUPY = {Place("cupy", state="plain"): "DLPack lends the arrays to the kernels for CUDA tensors, without a copy"}


def lent(path: str, /) -> Callable[..., Any]:
    """The kernel of that path, for arrays that are not torch's own."""
    kernel = late(path)

    def call(*arrays: Any, **options: Any) -> Any:
        from vesica._kernels.triton.dlpack import through_torch

        return through_torch(kernel, *arrays, **options)

    return call


if IS_THERE:
    measures, measure_lane = late("triton.measure.measure"), late("triton.measure.lane")
    loss_lane = late("triton.losses.lane")
    choose, choose_lane = late("triton.nms.nms"), late("triton.nms.lane")
    register(
        *kernels("triton", measures, "measure", ("boxes",), SERVED, formulas=FORMULAS, lane=measure_lane),
        *kernels("triton", late("triton.gradients.measure"), "measure", ("boxes",), LEARNT, formulas=FORMULAS),
        *kernels("triton", late("triton.best.best"), "best", ("boxes",), SERVED, formulas=FORMULAS),
        *kernels("triton", late("triton.anchors.assign"), "anchors", ("boxes",), SERVED, formulas=frozenset({"iou"})),
        *kernels("triton", late("triton.match.greedy"), "match", ("pairs",), SERVED),
        *kernels("triton", late("triton.rotated.measure"), "measure", ("rotated",), SERVED, formulas=FORMULAS),
        *kernels("triton", late("triton.rotated.inter"), "inter", ("rotated",), SERVED),
        *kernels("triton", late("triton.rotated.inter"), "inter_aligned", ("rotated",), SERVED),
        *kernels("triton", late("triton.masks.measure"), "measure", ("masks",), PACKED, formulas=FORMULAS),
        *kernels("triton", late("triton.masks.inter"), "inter", ("masks",), PACKED),
        *kernels("triton", late("triton.masks.inter"), "inter_aligned", ("masks",), PACKED),
        *kernels("triton", late("triton.mask_bits.area"), "area", ("masks",), PACKED),
        *kernels("triton", late("triton.mask_bits.boxes"), "boxes", ("masks",), PACKED),
        *kernels("triton", late("triton.mask_runs.decode"), "decode", ("masks",), DECODED),
        *kernels("triton", late("triton.join.join"), "join", ("boxes",), CHOSEN, formulas=FORMULAS),
        *kernels("triton", choose, "nms", ("boxes",), CHOSEN, formulas=FORMULAS, lane=choose_lane),
        *kernels("triton", late("triton.nms.nms_padded"), "nms_padded", ("boxes",), CHOSEN),
        *kernels("triton", late("triton.losses.loss"), "loss", ("boxes",), TRAINED, formulas=LOSSES, lane=loss_lane),
        *kernels("triton", late("triton.contingency.contingency"), "contingency", ("labels",), SERVED),
        *kernels("triton", lent("triton.measure.measure"), "measure", ("boxes",), CUPY, formulas=FORMULAS),
        *kernels("triton", lent("triton.best.best"), "best", ("boxes",), CUPY, formulas=FORMULAS),
        *kernels("triton", lent("triton.join.join"), "join", ("boxes",), CUPY, formulas=FORMULAS),
        *kernels("triton", lent("triton.nms.nms"), "nms", ("boxes",), CUPY, formulas=FORMULAS),
        *kernels("triton", lent("triton.anchors.assign"), "anchors", ("boxes",), CUPY, formulas=frozenset({"iou"})),
        *kernels("triton", traced("measure"), "measure", ("boxes",), TRACED, formulas=FORMULAS),
        *kernels("triton", traced("loss"), "loss", ("boxes",), TRACED, formulas=LOSSES),
        *kernels("triton", traced("nms_padded"), "nms_padded", ("boxes",), TRACED),
        *kernels("triton", traced("contingency"), "contingency", ("labels",), TRACED),
    )
else:
    register(
        *kernels("generic", measure.measure, "measure", ("boxes", "rotated", "masks"), WITHOUT),
        *kernels("native", native.join_on_host, "join", ("boxes",), CUDA, formulas=FORMULAS),
    )
