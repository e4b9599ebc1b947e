"""Arithmetic of the kernels that rounds as array code does: no step is fused with another unless it says so."""

from __future__ import annotations

import triton
import triton.language as tl

INTERPRETED = tl.constexpr(bool(triton.knobs.runtime.interpret))
"""Are kernels run step by step on the host? Then there is no assembler, and every division is the plain one."""

# Of boxes that go the fast way: the range of the largest coordinate of a tile; and in a unit of length that makes it
# 1/4 to 1/2, the smallest other one that is not 0, and the smallest side.
LOWEST = tl.constexpr(2.0**-12)
HIGHEST = tl.constexpr(2.0**50)
SMALLEST = tl.constexpr(2.0**-27)
SHORTEST = tl.constexpr(2.0**-38)


@triton.jit
def unit_of(largest):
    """The power of two that makes this float32 a number from 1/4 to below 1/2, if it lies from LOWEST to HIGHEST."""
    exponent = (largest.to(tl.int32, bitcast=True) >> 23) & 0xFF
    return ((252 - exponent) << 23).to(tl.float32, bitcast=True)


@triton.jit
def are_tame(x1, y1, x2, y2, unit):
    """May measures of these boxes be divided by `quotient`, if `unit` makes their coordinates 1/2 at most?

    Then sides, and differences of any such coordinates, are below 1, and multiples of 2^-50. So products of two are 0
    or at least 2^-100. Unions and hulls are at least 2^-76, so their differences are multiples of 2^-99.
    """
    least = tl.minimum(tl.minimum(_nonzero(x1), _nonzero(y1)), tl.minimum(_nonzero(x2), _nonzero(y2)))
    side = tl.minimum(x2 - x1, y2 - y1, propagate_nan=tl.PropagateNan.ALL)
    one = 1.0 / unit
    is_tame = (least >= _nonzero(one * SMALLEST)) & (side >= one * SHORTEST)
    return tl.min(is_tame.to(tl.int32), axis=0) != 0


@triton.jit
def _nonzero(x):
    """A number that rises with the size of a float32, and is the largest for 0."""
    return ((x.to(tl.int32, bitcast=True) & 0x7FFFFFFF) - 1).to(tl.uint32, bitcast=True)


@triton.jit
def gap(high, low):
    """high − low, or 0 where that is negative; of float32 whose difference is at most 1. One step on the device."""
    if INTERPRETED:
        return tl.maximum(high - low, 0)
    return tl.inline_asm_elementwise(
        "sub.rn.sat.f32 $0, $1, $2;", "=f,f,f", [high, low], dtype=tl.float32, is_pure=True, pack=1
    )  # fmt: skip


@triton.jit
def plain_quotient(n, d):
    """n / d, correctly rounded, of any floats."""
    if n.dtype == tl.float32:
        return tl.math.div_rn(n, d)  # Triton's own `/` is an approximation there
    else:
        return n / d


@triton.jit
def quotient(n, d):
    """n / d, correctly rounded, for float32 n in {0} ∪ [2^-101, 2^60] and d in [2^-101, 2^60] with n / d ≥ 2^-126.

    The device's reciprocal is off by one last place at most. One step of Newton makes it the nearest one, or for a few
    d its neighbour. The rest n − d·q is exact, so the last step rounds n / d plus an error that is too small to carry
    any quotient of two such numbers over the middle between two floats. tests/test_triton_division.py goes through all
    d, with the n that come closest to such a middle.
    """
    if INTERPRETED:
        return plain_quotient(n, d)
    # Written out, because Triton takes a step of its own for every minus sign.
    return tl.inline_asm_elementwise(
        """{
        .reg .f32 r, e, q, less;
        rcp.approx.ftz.f32 r, $2;
        neg.f32 less, $2;
        fma.rn.f32 e, less, r, 0f3F800000;
        fma.rn.f32 r, e, r, r;
        mul.rn.f32 q, $1, r;
        fma.rn.f32 e, less, q, $1;
        fma.rn.f32 $0, e, r, q;
        }""",
        "=f,f,f",
        [n, d],
        dtype=tl.float32,
        is_pure=True,
        pack=1,
    )


@triton.jit
def close_quotient(n, d):
    """n / d as by `quotient`, which one in a million times may be the neighbour. n / n is 1."""
    if INTERPRETED:
        return plain_quotient(n, d)
    return tl.inline_asm_elementwise(
        """{
        .reg .f32 r, e, q, less;
        rcp.approx.ftz.f32 r, $2;
        neg.f32 less, $2;
        mul.rn.f32 q, $1, r;
        fma.rn.f32 e, less, q, $1;
        fma.rn.f32 $0, e, r, q;
        }""",
        "=f,f,f",
        [n, d],
        dtype=tl.float32,
        is_pure=True,
        pack=1,
    )


@triton.jit
def less_share(x, n, d):
    """x − n / d of float32, where n / d is off by two last places at most, for d in [2^-126, 2^126]."""
    if INTERPRETED:
        return x - plain_quotient(n, d)
    return tl.inline_asm_elementwise(
        "{ .reg .f32 r, less; rcp.approx.ftz.f32 r, $3; neg.f32 less, $2; fma.rn.f32 $0, less, r, $1; }",
        "=f,f,f,f",
        [x, n, d],
        dtype=tl.float32,
        is_pure=True,
        pack=1,
    )


@triton.jit
def real(x):
    """Integers as float64; floats as they are."""
    if x.dtype.is_int():
        return x.to(tl.float64)
    else:
        return x


@triton.jit
def ratio(num, den, empty):
    """num / den, and `empty` where den is 0."""
    n, d = real(num), real(den)
    nothing = d == 0
    return tl.where(nothing, empty, plain_quotient(n, tl.where(nothing, 1.0, d).to(d.dtype)))


@triton.jit
def lesser(a, b):
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def greater(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def positive(x):
    """x, or 0 where it is below; NaN stays NaN."""
    return tl.maximum(x, 0, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def from_bits(bits, like):
    """The float64 of these bits, rounded to the floats of `like`. Triton takes Python's floats as float32."""
    number = bits.to(tl.int64).to(tl.float64, bitcast=True)
    return number.to(real(like).dtype)


@triton.jit
def bits_in(word):
    """How many bits of the int32 are set."""
    if INTERPRETED:
        word = word - ((word >> 1) & 0x55555555)
        word = (word & 0x33333333) + ((word >> 2) & 0x33333333)
        word = (word + (word >> 4)) & 0x0F0F0F0F
        return ((word * 0x01010101) >> 24) & 0xFF
    return tl.inline_asm_elementwise("popc.b32 $0, $1;", "=r,r", [word], dtype=tl.int32, is_pure=True, pack=1)
