"""The kernels as operators of torch: torch.compile takes each as one step, and need not see what is inside.

Called outside a compiler, the kernels are launched without them, which takes less time.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import torch

from vesica._check import Threshold
from vesica._kernels.tables import Contest, Tables
from vesica._kernels.triton import contingency as labels_kernel
from vesica._kernels.triton import gradients, losses, measure, nms
from vesica._kernels.triton.arithmetic import INTERPRETED
from vesica._kernels.triton.launch import told_of

LIBRARY = torch.library.Library("vesica", "FRAGMENT")
BOX_MEASURE, BOX_SLOPES, BOX_LOSS = "box_measure", "box_measure_slopes", "box_loss"
NMS_PADDED, LABEL_COUNTS = "nms_padded", "label_counts"

LIBRARY.define(
    f"{BOX_MEASURE}(Tensor a, Tensor b, str name, float[] numbers, bool of_b, bool aligned, ScalarType dtype) -> Tensor"
)
LIBRARY.define(
    f"{BOX_SLOPES}(Tensor a, Tensor b, Tensor grad, str name, float[] numbers, bool of_b, bool aligned, bool for_a,"
    " bool for_b) -> (Tensor, Tensor)"
)
LIBRARY.define(
    f"{NMS_PADDED}(Tensor rows, Tensor? keys, Tensor order, Tensor alive, int limit, int[] share, bool strict)"
    " -> (Tensor, Tensor)"
)
LIBRARY.define(f"{LABEL_COUNTS}(Tensor truth, Tensor guess, int[] labels) -> (Tensor, Tensor)")


class _Named(NamedTuple):
    """A formula by its name: what the kernels read of it."""

    name: str
    options: Mapping[str, Any]


def _options(numbers: tuple[float, ...], of_b: bool) -> dict[str, Any]:
    return {**dict(zip(("empty", "alpha", "beta"), numbers, strict=True)), "of": "b" if of_b else "a"}


@functools.lru_cache(maxsize=64)
def _entry(name: str, numbers: tuple[float, ...], of_b: bool) -> Callable[[Any, Any, Any], Any]:
    """The way of plain tables, which looks at less."""
    formula: Any = _Named(name, _options(numbers, of_b))
    return measure.lane(formula)


def _box_measure(
    a: Any, b: Any, name: str, numbers: list[float], of_b: bool, aligned: bool, dtype: Any
) -> Any:  # fmt: skip
    entry = _entry(name, tuple(numbers), of_b)
    if a.dtype == dtype:
        answer = entry(a, b, aligned)
        if answer is not None:
            return answer
    options = _options(tuple(numbers), of_b)
    tables = Tables("boxes", a, b, str(dtype).rpartition(".")[2], int(a.shape[-2]), int(b.shape[-2]), a)
    formula: Any = _Named(name, options)
    return measure.measure(tables, formula, aligned=aligned, threads=None)


def _box_measure_shape(
    a: Any, b: Any, name: str, numbers: list[float], of_b: bool, aligned: bool, dtype: Any
) -> Any:  # fmt: skip
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    shape = (*batch, a.shape[-2]) if aligned else (*batch, a.shape[-2], b.shape[-2])
    return a.new_empty(shape, dtype=dtype)


def _no_second_derivative(ctx: Any, *grads: Any) -> tuple[Any, ...]:
    raise RuntimeError(
        "A compiled measure or loss has no second derivative: take it outside torch.compile, where array code has one."
    )


def _box_slopes(
    a: Any, b: Any, grad: Any, name: str, numbers: list[float], of_b: bool, aligned: bool, for_a: bool, for_b: bool
) -> tuple[Any, Any]:  # fmt: skip
    formula: Any = _Named(name, _options(tuple(numbers), of_b))
    return _there(a, *gradients.gradients(a, b, grad.to(a.dtype), told_of(formula), aligned, for_a, for_b))


def _box_slopes_shape(
    a: Any, b: Any, grad: Any, name: str, numbers: list[float], of_b: bool, aligned: bool, for_a: bool, for_b: bool
) -> tuple[Any, Any]:  # fmt: skip
    return _slopes_shape(a, b, for_a, for_b)


def _there(like: Any, first: Any, second: Any) -> tuple[Any, Any]:
    """Two slopes, empty where there is none: an operator answers with tensors alone."""
    return like.new_empty(0) if first is None else first, like.new_empty(0) if second is None else second


def _slopes_shape(a: Any, b: Any, for_a: bool, for_b: bool) -> tuple[Any, Any]:
    return _there(a, a.new_empty(a.shape) if for_a else None, b.new_empty(b.shape) if for_b else None)


def _keep_boxes(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    ctx.save_for_backward(*inputs[:2])
    ctx.told = inputs[2:6]


def _box_measure_backward(ctx: Any, grad: Any) -> tuple[Any, ...]:
    """Of sides that have all leading axes, float32 or float64 both: `compiled` asks for no other gradient."""
    wanted = ctx.needs_input_grad[:2]
    slopes = torch.ops.vesica.box_measure_slopes(*ctx.saved_tensors, grad, *ctx.told, *wanted)
    of_sides = (slope if is_wanted else None for slope, is_wanted in zip(slopes, wanted, strict=True))
    return *of_sides, None, None, None, None, None


# Types are looked at: what torch.library makes of the function has them.
def _box_loss(
    a: torch.Tensor, b: torch.Tensor, name: str, reduction: str, of_a: bool, of_b: bool
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    loss, *slopes = losses.each(a, b, name, reduction, of_a, of_b)
    return loss, *_there(loss, *slopes)


def _box_loss_in_graph(
    a: torch.Tensor, b: torch.Tensor, name: str, reduction: str, of_a: bool, of_b: bool
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    loss, *slopes = losses.in_graph(a, b, name, reduction, of_a, of_b)
    return loss, *_there(loss, *slopes)


def _box_loss_shape(a: Any, b: Any, name: str, reduction: str, of_a: bool, of_b: bool) -> tuple[Any, Any, Any]:
    loss = a.new_empty(a.shape[:-1] if reduction == "none" else ())
    return loss, *_slopes_shape(a, b, of_a, of_b)


def _keep_slopes(ctx: Any, inputs: tuple[Any, ...], output: tuple[Any, Any, Any]) -> None:
    ctx.set_materialize_grads(False)
    ctx.reduction, *ctx.wanted = inputs[3:]
    ctx.save_for_backward(*inputs[:2], *output[1:])


def _box_loss_backward(ctx: Any, grad: Any, *of_slopes: Any) -> tuple[Any, ...]:
    """What the sides learn: plain steps, which the compiler makes one kernel of.

    A side itself is there because its gradient depends on it, and torch must know that. Without it torch before 2.13
    takes the gradient of a compiled loss for a constant where a second derivative is wanted.
    """
    if any(one is not None for one in of_slopes):
        _no_second_derivative(ctx)
    if grad is None:
        return None, None, None, None, None, None
    a, b, of_a, of_b = ctx.saved_tensors
    each = grad[..., None] if ctx.reduction == "none" else grad
    sides = zip((of_a, of_b), (a, b), ctx.wanted, strict=True)
    learnt = (slope * each + side.clamp(0, 0) if wanted else None for slope, side, wanted in sides)
    return *learnt, None, None, None, None


def _nms_padded(
    rows: Any, keys: Any, order: Any, alive: Any, limit: int, share: list[int], strict: bool
) -> tuple[Any, Any]:  # fmt: skip
    p, q, shift = share
    contest = Contest(rows, keys, _IOU, Threshold(p, q, shift, strict))
    return nms.nms_padded(contest, order, alive, limit)


_IOU: Any = _Named("iou", {"empty": 0.0})


def _nms_padded_shape(
    rows: Any, keys: Any, order: Any, alive: Any, limit: int, share: list[int], strict: bool
) -> tuple[Any, Any]:  # fmt: skip
    return order.new_empty((order.shape[0], limit)), order.new_empty((order.shape[0],))


def _label_counts(truth: Any, guess: Any, labels: list[int]) -> tuple[Any, Any]:
    return labels_kernel.contingency(truth, guess, np.array(labels, np.int64), None)


def _label_counts_shape(truth: Any, guess: Any, labels: list[int]) -> tuple[Any, Any]:
    size = len(labels) + 1
    return truth.new_empty((truth.shape[0], size, size), dtype=torch.int64), truth.new_empty(4, dtype=torch.int64)


for _name, _call, _shape in (
    (BOX_MEASURE, _box_measure, _box_measure_shape),
    (BOX_SLOPES, _box_slopes, _box_slopes_shape),
    (NMS_PADDED, _nms_padded, _nms_padded_shape),
    (LABEL_COUNTS, _label_counts, _label_counts_shape),
):
    # For any device: the interpreter of Triton runs them on the CPU.
    LIBRARY.impl(_name, _call, "CompositeExplicitAutograd")
    torch.library.register_fake(f"vesica::{_name}", _shape, lib=LIBRARY)
torch.library.register_autograd(
    f"vesica::{BOX_MEASURE}", _box_measure_backward, setup_context=_keep_boxes, lib=LIBRARY
)  # fmt: skip
torch.library.register_autograd(f"vesica::{BOX_SLOPES}", _no_second_derivative, lib=LIBRARY)
if INTERPRETED.value or not hasattr(torch.library, "triton_op"):  # torch before 2.6
    _loss_operator = torch.library.custom_op(f"vesica::{BOX_LOSS}", _box_loss, mutates_args=())
    _loss_operator.register_fake(_box_loss_shape)
else:
    _loss_operator = torch.library.triton_op(f"vesica::{BOX_LOSS}", _box_loss_in_graph, mutates_args=())
_loss_operator.register_autograd(_box_loss_backward, setup_context=_keep_slopes)
