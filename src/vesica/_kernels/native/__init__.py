"""The compiled kernels: contiguous NumPy arrays go in, answers in the caller's library come out."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from vesica import _native
from vesica._array import Array, cast, contiguous, from_numpy, namespace, to_numpy, widened
from vesica._check import positive, room_of_pairs, shown

if TYPE_CHECKING:
    from vesica._kernels.tables import Formula, Ranked, Tables, Wanted

_BOX_FAULTS = tuple(_native.box_fault_names())
NUMBERS = {name: number for number, name in enumerate(_native.measure_names(True))}
OF_AREAS = frozenset(_native.measure_names(False))
"""The measures that need no upright boxes."""
# Pairs in a block when the answer is narrower than the arithmetic: a few megabytes at a time.
_BLOCK = 1 << 20
# Numbers in an answer from which on its memory is kept: what is smaller, the C library keeps by itself.
_LARGE = {"float32": 1 << 22, "float64": 1 << 22, "uint8": 1 << 24}
# The same of tables that each score makes.
_TABLE = 1 << 17
# What the shared area of flat regions is counted in.
_NUMBER_OF = {
    "masks": "int64",
    "masks_boxes": "float64",
    "boxes_masks": "float64",
    "polygons": "float64",
    "sets": "int64",
}
NO_KEYS = np.empty(0, np.uint32)
ISAS = ("avx512", "avx2", "baseline")
# Of numbers in environment variables.
_DIGITS = 12


@functools.cache
def default_threads() -> int:
    """VESICA_NUM_THREADS, or the processors this process may use."""
    told = os.environ.get("VESICA_NUM_THREADS", "")
    if told:
        return _whole("VESICA_NUM_THREADS", told, 1)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def thread_count(threads: int | None) -> int:
    return default_threads() if threads is None else positive(threads, "threads")


def isa() -> str:
    """The instruction set in use."""
    return _native.isa()


def _limit_isa() -> None:
    """VESICA_ISA: at most this instruction set, so that one machine can show what an older one does."""
    told = os.environ.get("VESICA_ISA", "")
    if not told:
        return
    if told not in ISAS:
        raise ValueError(f"VESICA_ISA must be {', '.join(ISAS[:-1])} or {ISAS[-1]}; got {shown(told)}.")
    _native.limit_isa(told)


_limit_isa()


def first_fault(corners: np.ndarray, limit: float) -> tuple[str, int]:
    """What is wrong with the first row that is no box ("none": all are boxes), and which row that is."""
    fault, row = _native.boxes_first_fault(contiguous(corners), limit)
    return _BOX_FAULTS[fault], row


def are_sides_sound(xywh: np.ndarray, limit: float, threads: int | None = 1) -> bool:
    """Are all rows of x, y, width, height within the limit, and no side negative?"""
    return _native.boxes_are_sides_sound(contiguous(xywh, np.float64), limit, thread_count(threads))


def measure(tables: Tables, formula: Formula, *, aligned: bool, threads: int | None) -> Array:
    """The measure of every pair, or of aligned rows: parts and formula in one pass."""
    if tables.is_flat:
        return _flat_measure(tables, formula, aligned, thread_count(threads))
    left, right, shape = _rows(tables, aligned)
    kernel = _kernel(tables.kind, "aligned" if aligned else "pairwise")
    call = told(formula)
    dtype = tables.dtype
    count, width = thread_count(threads), dtype if dtype == "float64" else _width(left, dtype)
    if width == dtype or aligned or len(shape) > 2:
        out = room_of_pairs(empty, shape, width)
        kernel(*call, left, right, out, count)
        return cast(from_numpy(out, tables.a), dtype)

    # Narrower than its arithmetic: a block of rows at a time, so that the matrix never exists at full width.
    xp = namespace(tables.a)
    answer = room_of_pairs(lambda shape, dtype: xp.empty(shape, dtype=getattr(xp, dtype)), shape, dtype)
    step = max(1, _BLOCK // max(1, shape[1]))
    for top in range(0, shape[0], step):
        rows = left[top : top + step]
        block = np.empty((len(rows), shape[1]), width)
        kernel(*call, rows, right, block, count)
        answer[top : top + step] = cast(from_numpy(block, tables.a), tables.dtype)
    return answer


def _width(rows: np.ndarray, dtype: str) -> str:
    """The dtype in which a kernel answers for these rows, where the answer is wanted in that one."""
    return "float64" if rows.dtype.itemsize == 8 else widened(dtype)


def _flat_measure(tables: Tables, formula: Formula, aligned: bool, threads: int) -> Array:
    """The same for regions that are flat arrays, whose kernels answer in float64."""
    if tables.kind == "boxes_masks" and not aligned:
        # Masks are prepared once for all boxes, so they come first.
        return _flat_measure(_turned(tables), formula.turned(), False, threads).T
    out = np.empty(tables.n, np.float64) if aligned else room_of_pairs(empty, (tables.n, tables.m), "float64")
    kernel = _kernel(tables.kind, "aligned" if aligned else "pairwise")
    kernel(*told(formula), tables.a, tables.b, out, threads)
    return cast(from_numpy(out, tables.like), tables.dtype)


def _turned(tables: Tables) -> Tables:
    """Masks against boxes instead of boxes against masks."""
    return tables._replace(kind="masks_boxes", a=tables.b, b=tables.a, n=tables.m, m=tables.n)


def inter(tables: Tables, *, aligned: bool = False, threads: int | None) -> Array:
    """The shared area of every pair, or of aligned rows of flat regions, in the dtype of the arithmetic."""
    if tables.kind == "boxes_masks" and not aligned:
        return inter(_turned(tables), threads=threads).T
    if tables.is_flat:
        left, right = tables.a, tables.b
        out = room_of_pairs(np.empty, (tables.n,) if aligned else (tables.n, tables.m), _NUMBER_OF[tables.kind])
    else:
        left, right, shape = _rows(tables, False)
        out = room_of_pairs(np.empty, shape, left.dtype.name)
    _kernel(tables.kind, "inter")(left, right, out, thread_count(threads))
    return from_numpy(out, tables.like)


def best(tables: Tables, formula: Formula, *, k: int, threads: int | None) -> tuple[Array, Array]:
    """Indices and values of the k best partners of each row; the answer is not of half precision."""
    left, right = _operands(tables)
    width = "float64" if tables.is_flat else _width(left, tables.dtype)
    index, value = np.empty((tables.n, k), np.int64), np.empty((tables.n, k), width)
    kernel = _kernel(tables.kind, "best")
    kernel(*told(formula), left, right, index, value, thread_count(threads))
    return from_numpy(index, tables.like), cast(from_numpy(value, tables.like), tables.dtype)


def join(tables: Tables, formula: Formula, wanted: Wanted, *, threads: int | None) -> tuple[Array, Array, Array]:
    """The pairs that reach the threshold: rows of a, rows of b, values."""
    left, right = _operands(tables)
    keys_a, keys_b = wanted.keys or (NO_KEYS, NO_KEYS)
    arguments = (left, right, keys_a, keys_b, wanted.self_join, thread_count(threads))
    columns = _kernel(tables.kind, "join")(*told(formula), tuple(wanted.threshold), *arguments)
    i, j, value = (from_numpy(column, tables.like) for column in (*plain(*columns[:2]), columns[2]))
    return i, j, cast(value, tables.dtype)


def join_on_host(
    tables: Tables, formula: Formula, wanted: Wanted, *, threads: int | None
) -> tuple[Array, Array, Array]:
    """The same for rows of another library that may be looked at; only the pairs go back."""
    left, right = to_numpy(tables.a), to_numpy(tables.b)
    found = join(tables._replace(a=left, b=right, like=left), formula, wanted, threads=threads)
    i, j, value = (from_numpy(column, tables.like) for column in found)
    return i, j, value


def nms(
    tables: Tables, formula: Formula, ranked: Ranked, *, with_by: bool, threads: int | None
) -> tuple[int, Array, Array | None]:
    """The first row whose score is NaN, or −1; the kept rows, best first; what suppressed each row, if asked for."""
    regions = tables.a if tables.is_flat else contiguous(to_numpy(tables.a))
    keys, images = (NO_KEYS if column is None else column for column in (ranked.keys, ranked.images))
    arguments = (regions, ranked.scores, keys, images, ranked.min_score, ranked.limit, with_by, thread_count(threads))
    bad, kept, by = _kernel(tables.kind, "nms")(*told(formula), tuple(ranked.threshold), *arguments)
    rows = [None if column is None else from_numpy(column.view(np.int64), tables.like) for column in (kept, by)]
    return bad, rows[0], rows[1]


def empty(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Room for an answer. Freed memory of large ones is kept for the next, because clearing fresh pages takes longer
    than filling them."""
    return _room(shape, dtype, dtype, _LARGE[dtype])


def table(shape: tuple[int, ...], dtype: Any = np.float64, /) -> np.ndarray:
    """Room for a table of 64-bit numbers that each score makes anew: the C library may give such memory back, and then
    the next score waits for fresh pages."""
    return _room(shape, "float64", dtype, _TABLE)


def _room(shape: tuple[int, ...], stored: str, dtype: Any, least: int) -> np.ndarray:
    """Room for numbers that are as wide as those `stored`; in memory that is kept from the `least` many on."""
    count = math.prod(shape)
    if count < least:
        return np.empty(shape, dtype)
    limit_kept()
    fresh: np.ndarray = getattr(_native, f"empty_{stored}")(count).view(dtype)
    return fresh.reshape(shape)


def plain(*columns: np.ndarray) -> tuple[np.ndarray, ...]:
    """The columns as np.int64. Where C has two 64-bit integers (long and long long), the kernels may hand out the one
    that NumPy does not call int64: same bits, but another dtype in the eyes of users."""
    return tuple(column.view(np.int64) for column in columns)


@functools.cache
def limit_kept() -> None:
    """Keep as much freed memory as VESICA_KEEP_MB says. Whoever makes columns of it asks first."""
    told = os.environ.get("VESICA_KEEP_MB")
    if told is not None:
        _native.keep_at_most(_whole("VESICA_KEEP_MB", told, 0) << 20)


def _whole(name: str, text: str, least: int) -> int:
    """The whole number in an environment variable."""
    if len(text) > _DIGITS:
        raise ValueError(f"{name} must be a whole number of at most {_DIGITS} digits; got {shown(text)}.")
    if not text.isdecimal() or int(text) < least:
        rule = "above 0" if least else "that is not negative"
        raise ValueError(f"{name} must be a whole number {rule}; got {text!r}.")
    return int(text)


@functools.cache
def _kernel(kind: str, verb: str) -> Callable[..., Any]:
    kernel: Callable[..., Any] = getattr(_native, f"{kind}_{verb}")
    return kernel


def told(formula: Formula) -> tuple[int, tuple[float, float, float, bool]]:
    """The formula as the kernels take it: its number, and empty, alpha, beta, of_b."""
    given = formula.options
    return NUMBERS[formula.name], (
        given["empty"],
        given.get("alpha", 0.0),
        given.get("beta", 0.0),
        given.get("of") == "b",
    )


def _operands(tables: Tables) -> tuple[Any, Any]:
    """Both sides as the kernels take them."""
    return (tables.a, tables.b) if tables.is_flat else _rows(tables, False)[:2]


def _rows(tables: Tables, aligned: bool) -> tuple[np.ndarray, np.ndarray, tuple[int, ...]]:
    """Both as contiguous rows with equal leading axes, and the shape of the answer."""
    left, right = to_numpy(tables.a), to_numpy(tables.b)
    if left.ndim > 2 or right.ndim > 2:
        batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
        left = np.broadcast_to(left, batch + left.shape[-2:])
        right = np.broadcast_to(right, batch + right.shape[-2:])
    shape = left.shape[:-1] if aligned else left.shape[:-1] + right.shape[-2:-1]
    return contiguous(left), contiguous(right), shape
