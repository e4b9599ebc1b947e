"""
The compiled kernels. Use the functions of vesica, which check their arguments.
"""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def boxes_pairwise(measure: int, options: tuple[float, float, float, bool], a: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')], threads: int) -> None: ...

@overload
def boxes_pairwise(measure: int, options: tuple[float, float, float, bool], a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int) -> None: ...

@overload
def boxes_pairwise(measure: int, options: tuple[float, float, float, bool], a: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int) -> None: ...

@overload
def boxes_aligned(measure: int, options: tuple[float, float, float, bool], a: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')], threads: int) -> None: ...

@overload
def boxes_aligned(measure: int, options: tuple[float, float, float, bool], a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int) -> None: ...

@overload
def boxes_aligned(measure: int, options: tuple[float, float, float, bool], a: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int) -> None: ...

@overload
def boxes_inter(a: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')], threads: int) -> None: ...

@overload
def boxes_inter(a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int) -> None: ...

@overload
def boxes_inter(a: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], threads: int) -> None: ...

@overload
def boxes_best(measure: int, options: tuple[float, float, float, bool], a: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], index: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], value: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')], threads: int) -> None: ...

@overload
def boxes_best(measure: int, options: tuple[float, float, float, bool], a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], index: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], value: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int) -> None: ...

@overload
def boxes_best(measure: int, options: tuple[float, float, float, bool], a: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], index: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], value: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int) -> None: ...

@overload
def boxes_join(measure: int, options: tuple[float, float, float, bool], threshold: tuple[int, int, int, bool], a: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], keys_a: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], keys_b: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], self_join: bool, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

@overload
def boxes_join(measure: int, options: tuple[float, float, float, bool], threshold: tuple[int, int, int, bool], a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], keys_a: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], keys_b: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], self_join: bool, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]: ...

@overload
def boxes_join(measure: int, options: tuple[float, float, float, bool], threshold: tuple[int, int, int, bool], a: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], keys_a: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], keys_b: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], self_join: bool, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]: ...

@overload
def boxes_first_fault(rows: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], limit: float) -> tuple[int, int]: ...

@overload
def boxes_first_fault(rows: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], limit: float) -> tuple[int, int]: ...

@overload
def boxes_first_fault(rows: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], limit: int) -> tuple[int, int]: ...

@overload
def rotated_pairwise(measure: int, options: tuple[float, float, float, bool], a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')], threads: int) -> None: ...

@overload
def rotated_pairwise(measure: int, options: tuple[float, float, float, bool], a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int) -> None: ...

@overload
def rotated_aligned(measure: int, options: tuple[float, float, float, bool], a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')], threads: int) -> None: ...

@overload
def rotated_aligned(measure: int, options: tuple[float, float, float, bool], a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int) -> None: ...

@overload
def rotated_best(measure: int, options: tuple[float, float, float, bool], a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], index: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], value: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')], threads: int) -> None: ...

@overload
def rotated_best(measure: int, options: tuple[float, float, float, bool], a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], index: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], value: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int) -> None: ...

def rotated_inter(a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int) -> None: ...

def rotated_join(measure: int, options: tuple[float, float, float, bool], threshold: tuple[int, int, int, bool], a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], keys_a: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], keys_b: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], self_join: bool, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]: ...

def sets_pairwise(measure: int, options: tuple[float, float, float, bool], a: object, b: object, out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int) -> None: ...

def sets_aligned(measure: int, options: tuple[float, float, float, bool], a: object, b: object, out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int) -> None: ...

def sets_inter(a: object, b: object, out: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], threads: int) -> None: ...

def sets_best(measure: int, options: tuple[float, float, float, bool], a: object, b: object, index: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], value: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int) -> None: ...

def sets_join(measure: int, options: tuple[float, float, float, bool], threshold: tuple[int, int, int, bool], a: object, b: object, keys_a: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], keys_b: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], self_join: bool, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]: ...

def labels_count(a: NDArray[numpy.integer], b: NDArray[numpy.integer], threads: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]: ...

def empty_float32(count: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]: ...

def empty_float64(count: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

def keep_at_most(bytes: int) -> int:
    """Keep at most so much freed memory for later answers."""

def kept() -> int:
    """Bytes of freed memory that are kept for later answers."""

def measure_names(with_boxes: bool) -> list[str]:
    """The measures, in the order of their numbers."""

def isa() -> str:
    """The instruction set in use."""

def limit_isa(name: str) -> None:
    """Use at most this instruction set: avx512, avx2 or baseline."""
