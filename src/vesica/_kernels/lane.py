"""The fast lane: small calls with plain arrays go straight to a native entry, which looks at them itself.

Callers come here when no option was said. An entry answers, or hands everything back untouched: then the caller takes
the careful path, which owns all wording.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica._array import are_on_cuda, is_compiled, is_compiling, torch_of_plain
from vesica._kernels.native import lane as native
from vesica._kernels.native.lane import GOAL_NUMBERS
from vesica._kernels.native.lane import dtype_of_sound_boxes as dtype_of_sound_boxes
from vesica._kernels.registry import LANES, find, lane, place_of
from vesica._kernels.tables import Formula

_boxes: type | None = None
_run_lengths: type | None = None


def know(boxes: type) -> None:
    """Tell the lane of the collection whose corners it may read: they were looked at when it was made."""
    global _boxes
    _boxes = boxes
    native.know(boxes)


def know_run_lengths(masks: type) -> None:
    """Tell the lane of the collection that keeps its masks packed."""
    global _run_lengths
    _run_lengths = masks


def serve(verb: str, formula: Formula, a: Any, b: Any, option: Any) -> Any:
    """The answer to a call with two arrays or collections; None: take the careful path."""
    kind, other = type(a), type(b)
    if (kind is np.ndarray or (kind is _boxes and type(a.array) is np.ndarray)) and (
        other is np.ndarray or (other is _boxes and type(b.array) is np.ndarray)
    ):
        entry = LANES.get((verb, formula.name, "numpy")) or lane(verb, formula, "numpy")
        return entry(a, b, option)
    if kind is _run_lengths and other is kind:
        entry = LANES.get((verb, formula.name, "masks")) or lane(verb, formula, "masks")
        return entry(a, b, option)
    torch = torch_of_plain(a, b)
    if torch is None:
        return None
    if a.is_cuda:
        entry = LANES.get((verb, formula.name, "cuda")) or lane(verb, formula, "cuda")
        return entry(a, b, option)
    entry = LANES.get((verb, formula.name, "torch")) or lane(verb, formula, "torch")
    return _of_tensors(torch, entry, a, b, option)


def serve_nms(formula: Formula, boxes: Any, scores: Any, option: tuple[Any, ...]) -> Any:
    """The rows that stay where more is said than a threshold: of tensors on CUDA alone, which need not leave it."""
    if torch_of_plain(boxes, scores) is None or not boxes.is_cuda:
        return None
    entry = LANES.get(("nms", formula.name, "cuda")) or lane("nms", formula, "cuda")
    return entry(boxes, scores, option)


def serve_loss(formula: Formula, guess: Any, truth: Any, option: Any) -> Any:
    """The losses of rows, whose gradient is not lost: of tensors on CUDA alone."""
    if is_compiling():
        if not (is_compiled(guess) and is_compiled(truth)):
            return None
        kernel = find("loss", "boxes", place_of(guess, truth), formula.name)
        return kernel and kernel.call(guess, truth, formula.name, option[0])
    if not are_on_cuda(guess, truth):
        return None
    entry = LANES.get(("loss", formula.name, "cuda")) or lane("loss", formula, "cuda")
    return entry(guess, truth, option)


def serve_assign(values: Any, minimise: bool, goal: str) -> Any:
    """The same for one matrix of values or costs."""
    if type(values) is not np.ndarray:
        return None
    entry = LANES.get(("assign", None, "numpy")) or lane("assign", None, "numpy")
    return entry(values, minimise, GOAL_NUMBERS[goal])


def _of_tensors(torch: Any, entry: Any, a: Any, b: Any, option: Any) -> Any:
    try:
        answer = entry(a.numpy(), b.numpy(), option)
    except (RuntimeError, TypeError):  # NumPy has no such arrays
        return None
    if isinstance(answer, tuple):
        return tuple(map(torch.from_numpy, answer))
    return None if answer is None else torch.from_numpy(answer)
