"""What every launch of a kernel needs: rows as the kernels read them, the right device, numbers in full width."""

from __future__ import annotations

import contextlib
import struct
from typing import Any, NamedTuple

import torch

from vesica._kernels.tables import Formula
from vesica._kernels.triton.arithmetic import INTERPRETED

_ALIGNMENT = 16
"""Bytes at whose multiples the compiler may assume that arrays begin."""


def cdiv(n: int, size: int, /) -> int:
    """How many of that size hold n. Triton's own function of the name takes two microseconds."""
    return -(-n // size)


def next_power_of_2(n: int, /) -> int:
    return 1 << (n - 1).bit_length()


def in_rows(array: Any, /) -> Any:
    """The tensor in C order, beginning where a kernel may read several numbers at once."""
    if is_in_rows(array):
        return array
    array = array.detach().contiguous()
    return array if array.data_ptr() % _ALIGNMENT == 0 else array.clone()


def is_in_rows(array: Any, /) -> bool:
    return bool(array.is_contiguous()) and array.data_ptr() % _ALIGNMENT == 0


def on_device_of(array: Any, /) -> Any:
    """Launch where the tensor is, whatever the current device: on its current stream."""
    if not array.is_cuda or array.device.index == torch.cuda.current_device():
        return _HERE
    return torch.cuda.device(array.device)


_HERE = contextlib.nullcontext()


def bits(number: float, /) -> int:
    """A float64 as an integer of the same bits."""
    return int(struct.unpack("<q", struct.pack("<d", number))[0])


class Told(NamedTuple):
    """A formula as the kernels take it."""

    name: str
    numbers: tuple[int, int, int]
    """empty, alpha and beta, as bits."""
    of_b: bool


def told_of(formula: Formula) -> Told:
    options = formula.options
    empty, alpha, beta = (bits(options.get(name, 0.0)) for name in ("empty", "alpha", "beta"))
    return Told(formula.name, (empty, alpha, beta), options.get("of") == "b")


_COMPILED: dict[Any, Any] = {}
MOST_COMPILED = 512


def launch(
    kernel: Any,
    programs: int,
    arrays: tuple[Any, ...],
    constants: tuple[Any, ...],
    *,
    warps: int = 4,
    registers: int | None = None,
) -> None:
    """Run a kernel whose arithmetic is not fused, and whose integers the compiler is not told.

    `registers` is how many a thread has at most.

    Triton looks at all arguments of every call. The second call of a kind goes straight to what was compiled: tensors
    of the same dtypes that begin where `in_rows` says, and integers of the same width.
    """
    key = (
        kernel,
        constants,
        warps,
        registers,
        arrays[0].device,
        *(one.dtype if isinstance(one, torch.Tensor) else -(2**31) <= one < 2**31 for one in arrays),
    )
    known = _COMPILED.get(key)
    if known is not None:
        known[programs, 1, 1](*arrays, *constants)
        return
    if len(_COMPILED) >= MOST_COMPILED:
        _COMPILED.clear()
    _check(kernel, arrays)
    limits = {} if registers is None else {"maxnreg": registers}
    compiled = kernel[(programs,)](*arrays, *constants, num_warps=warps, enable_fp_fusion=False, **limits)
    if compiled is not None:  # the interpreter compiles nothing
        _COMPILED[key] = compiled


def _check(kernel: Any, arrays: tuple[Any, ...]) -> None:
    """No integer may be one that the compiler looks at: of a 1 it makes a constant, and the next call has a 2."""
    known = (kernel.kwargs["do_not_specialize"] if INTERPRETED.value else kernel.do_not_specialize) or ()
    looked_at = [
        name for name, one in zip(kernel.arg_names, arrays, strict=False) if isinstance(one, int) and name not in known
    ]
    assert not looked_at, f"{kernel.__name__} lacks do_not_specialize of {', '.join(looked_at)}"
