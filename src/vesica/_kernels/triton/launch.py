"""What every launch of a kernel needs: rows as the kernels read them, the right device, numbers in full width."""

from __future__ import annotations

import contextlib
import struct
from typing import Any

import torch

_ALIGNMENT = 16
"""Bytes at whose multiples the compiler may assume that arrays begin."""


def in_rows(array: Any, /) -> Any:
    """The tensor in C order, beginning where a kernel may read several numbers at once."""
    array = array.detach().contiguous()
    return array if array.data_ptr() % _ALIGNMENT == 0 else array.clone()


def on_device_of(array: Any, /) -> contextlib.AbstractContextManager[Any]:
    """Launch where the tensor is, whatever the current device: on its current stream."""
    if not array.is_cuda or array.device.index == torch.cuda.current_device():
        return contextlib.nullcontext()
    return torch.cuda.device(array.device)


def bits(number: float, /) -> int:
    """A float64 as an integer of the same bits."""
    return int(struct.unpack("<q", struct.pack("<d", number))[0])
