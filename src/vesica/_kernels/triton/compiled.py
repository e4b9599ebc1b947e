"""What torch.compile sees of a call with CUDA tensors: the same verbs, each of them one operator.

It follows every line here, so nothing is looked up that it could not follow.
"""

from __future__ import annotations

from typing import Any

import torch

from vesica._array import needs_gradient
from vesica._kernels.generic import measure as generic_measure
from vesica._kernels.generic import nms as generic_nms
from vesica._kernels.tables import Contest, Formula, Tables
from vesica._kernels.triton import gradients
from vesica._kernels.triton import operators as operators  # they must be known before they are called
from vesica._kernels.triton.losses import FLOATS, HALVES
from vesica._kernels.triton.nms import can_settle


def measure(tables: Tables, formula: Formula, *, aligned: bool, threads: int | None) -> Any:
    """The measure of every pair, or of aligned rows.

    Rows with rows that learn are array code, which the compiler fuses with what is around it; of every pair that code
    would keep several matrices for the backward pass.
    """
    a, b = tables.a, tables.b
    if needs_gradient(a) or needs_gradient(b):
        if aligned or a.dtype not in gradients.FLOATS or b.dtype != a.dtype:
            return generic_measure.measure(tables, formula, aligned=aligned, threads=threads)
        a, b = gradients.with_all_axes(a, b)
    options = formula.options
    numbers = [float(options.get(name, 0.0)) for name in ("empty", "alpha", "beta")]
    of_b = options.get("of") == "b"
    dtype = getattr(torch, tables.dtype)
    return torch.ops.vesica.box_measure(a, b, formula.name, numbers, of_b, aligned, dtype)


def loss(guess: Any, truth: Any, name: str, reduction: str) -> Any:
    """1 − measure of rows, or None where array code serves them."""
    if guess.dtype not in FLOATS or truth.dtype != guess.dtype or truth.device != guess.device:
        return None
    if guess.ndim < 2 or guess.shape[-1] != 4 or guess.shape != truth.shape:
        return None
    if guess.dtype in HALVES:
        guess, truth = guess.float(), truth.float()
    wanted = needs_gradient(guess), needs_gradient(truth)
    return torch.ops.vesica.box_loss(guess, truth, name, reduction, *wanted)[0]


def nms_padded(contest: Contest, order: Any, alive: Any, limit: int) -> tuple[Any, Any]:
    """As the generic one, which unrolls to as many steps as there are slots."""
    if not can_settle(contest):
        return generic_nms.nms_padded(contest, order, alive, limit)
    p, q, shift, strict = contest.threshold
    found = torch.ops.vesica.nms_padded(contest.rows, contest.keys, order, alive, limit, [p, q, shift], strict)
    return found[0], found[1]


def contingency(truth: Any, guess: Any, labels: Any, known: Any) -> tuple[Any, Any]:
    """As the generic one. `labels` are numbers that are known while the compiler traces."""
    found = torch.ops.vesica.label_counts(truth, guess, [int(label) for label in labels])
    return found[0], found[1]
