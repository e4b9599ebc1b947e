"""Arithmetic of the kernels that rounds as array code does: no step is fused with another unless it says so."""

from __future__ import annotations

import triton
import triton.language as tl

INTERPRETED = tl.constexpr(bool(triton.knobs.runtime.interpret))
"""Are kernels run step by step on the host? Then there is no assembler, and every division is the plain one."""

# Coordinates for which `quotient` is proven: 0, or of a size from the first to the second.
SMALLEST = tl.constexpr(2.0**-15)
LARGEST = tl.constexpr(2.0**22)


@triton.jit
def is_tame(x):
    """May measures of boxes with this coordinate be divided by `quotient`?

    Sides are differences of such numbers, so they are 0 or in [2^-38, 2^23]. Areas and squares of distances, times a
    small power of two, are 0 or in [2^-78, 2^52], and no nonzero quotient of theirs is below 2^-126.
    """
    size = tl.abs(x)
    return (size == 0) | ((size >= SMALLEST) & (size <= LARGEST))


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
def near_quotient(n, d):
    """n / d of float32, off by two last places at most, for d in [2^-126, 2^126]."""
    if INTERPRETED:
        return plain_quotient(n, d)
    return tl.inline_asm_elementwise(
        "{ .reg .f32 r; rcp.approx.ftz.f32 r, $2; mul.rn.f32 $0, $1, r; }",
        "=f,f,f",
        [n, d],
        dtype=tl.float32,
        is_pure=True,
        pack=1,
    )


@triton.jit
def negated(x):
    """−x of a float32, which costs nothing: the sign becomes part of the next step."""
    if INTERPRETED:
        return -x
    return tl.inline_asm_elementwise("neg.f32 $0, $1;", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1)


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
