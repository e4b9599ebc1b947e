"""Arrays of other libraries on a CUDA device (CuPy), through DLPack to the kernels and back: no number is copied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from vesica._array import Array, namespace
from vesica._kernels.tables import Tables


def through_torch(call: Callable[..., Any], tables: Tables, *arguments: Any, **options: Any) -> Any:
    """What a kernel says of tables of another library, as arrays of that library.

    Each side tells the other which stream it works on, so neither reads what is not written yet.
    """
    a = torch.from_dlpack(tables.a)
    b = a if tables.b is tables.a else torch.from_dlpack(tables.b)
    answer = call(tables._replace(a=a, b=b, like=a), *arguments, **options)
    return _back(answer, tables.like)


def _back(answer: Any, like: Array) -> Any:
    if isinstance(answer, torch.Tensor):
        return namespace(like).from_dlpack(answer)
    return tuple(_back(one, like) for one in answer) if isinstance(answer, tuple) else answer
