"""The division of the CUDA kernels, step by step on the host: for every divisor it rounds correctly.

The device promises a reciprocal that is off by one last place at most. tests/gpu looks at the one case that this leaves
open: for the divisor below 2 the reciprocal must not be the lower of its two neighbours.
"""

import numpy as np
import pytest

ONE = 1 << 23  # the divisor 1, as a whole number of last places
PART = 1 << 15  # so many numbers stay near the processor


def nearest(total, rest):
    """The float32 nearest to the exact sum of two float64, of which the second is what the first has lost."""
    near = total.astype(np.float32)
    off = total - near  # exact
    up, down = np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf))
    is_above = (rest > 0) & (off == (up.astype(np.float64) - near) / 2)  # a tie, but for the rest
    is_below = (rest < 0) & (off == (down.astype(np.float64) - near) / 2)
    return np.where(is_above, up, np.where(is_below, down, near))


def fma(x, y, z):
    """x · y + z of float32, rounded once."""
    x, y, z = (np.asarray(side, np.float32).astype(np.float64) for side in (x, y, z))
    product = x * y  # exact: 48 bits
    total = product + z
    back = total - product
    rest = (product - (total - back)) + (z - back)  # exact (Knuth)
    return nearest(total, rest)


def reciprocals(d):
    """Reciprocals that are off by one last place at most, each with the divisors that it may be one of."""
    exact = 1 / d.astype(np.float64)
    near = exact.astype(np.float32)
    for r in (near, np.nextafter(near, np.float32(0)), np.nextafter(near, np.float32(2))):
        is_promised = np.abs(r - exact) <= 2.0**-24
        is_open = (d == np.nextafter(np.float32(2), np.float32(0))) & (r == 0.5)
        yield r, is_promised & ~is_open


def refined(d, r):
    return fma(fma(-d, r, 1), r, r)


def quotient(n, d, r):
    q = (n.astype(np.float64) * r.astype(np.float64)).astype(np.float32)  # 48 bits: rounded once
    return fma(fma(-d, q, n), r, q)


def divisors():
    """All float32 from 1 to 2, some at a time: other powers of two change no bit of a quotient."""
    for first in range(ONE, 2 * ONE, PART):
        yield np.arange(first, first + PART)


def hard(whole, power):
    """For odd divisors D: N with N · 2^power = ±1 (mod D), whose quotients come closest to the middle of two floats."""
    inverse = np.ones_like(whole)
    for _ in range(power):
        inverse = (inverse + whole * (inverse & 1)) >> 1
    return inverse, whole - inverse


def test_the_rounding_of_this_test():
    rng = np.random.default_rng(0)
    x, y, z = (rng.integers(1, 1 << 24, 400) for _ in range(3))
    for a, b, c in zip(x.tolist(), y.tolist(), (z << 22).tolist(), strict=True):
        total = a * b + c  # whole numbers: exact
        shift = max(0, total.bit_length() - 24)
        low, half = total & ((1 << shift) - 1), (1 << shift) >> 1
        up = low > half or (low == half and low and (total >> shift) & 1)
        want = ((total >> shift) + up) << shift
        assert int(fma(a, b, c)) == want


@pytest.mark.slow
def test_one_step_of_newton_gives_the_nearest_reciprocal():
    """But for few divisors, whose reciprocal lies next to the middle of two floats: there it may be the other one."""
    missed = 0
    for whole in divisors():
        d = every = (whole / ONE).astype(np.float32)
        exact = (1 / d.astype(np.float64)).astype(np.float32)
        for r, may_be in reciprocals(every):
            got, want, d = refined(every, r)[may_be], exact[may_be], every[may_be]
            missed += int((got != want).sum())
            assert (np.abs(got.astype(np.float64) * d - 1) * (1 - 2.0**-20) <= 2.0**-25 * d.astype(np.float64)).all()
    assert missed < 40


@pytest.mark.slow
def test_quotients_next_to_the_middle_of_two_floats():
    seen = 0
    for whole in divisors():
        odd = whole[whole % 2 == 1]
        d = (odd / ONE).astype(np.float32)
        refined_ones = [(refined(d, r), may_be) for r, may_be in reciprocals(d)]
        for power in (24, 25):
            for n in hard(odd, power):
                n = n + odd if power == 24 else n  # from 1 to 2; below 1
                fits = (n >= ONE) & (n < 2 * ONE)
                top, under = (n[fits] / ONE).astype(np.float32), d[fits]
                want = (top.astype(np.float64) / under).astype(np.float32)
                exact = np.abs(top.astype(np.float64) / under - want) / np.spacing(want)
                assert (np.abs(exact - 0.5) < 2.0**-22).all()  # they are next to the middle
                for r, may_be in refined_ones:
                    assert (quotient(top, under, r[fits]) == want)[may_be[fits]].all()
                seen += int(fits.sum())
    assert seen > 4_000_000


def test_quotients_at_the_ends_of_the_range():
    """Areas of tame boxes, at most 1, from 2^-76; what is divided by them, from 2^-100: nothing vanishes."""
    rng = np.random.default_rng(1)
    n = np.ldexp(rng.integers(ONE, 2 * ONE, 200_000), rng.integers(-100 - 23, 2 - 23, 200_000)).astype(np.float32)
    d = np.ldexp(rng.integers(ONE, 2 * ONE, 200_000), rng.integers(-76 - 23, 2 - 23, 200_000)).astype(np.float32)
    want = (n.astype(np.float64) / d).astype(np.float32)
    scale = np.ldexp(1.0, np.frexp(d)[1] - 1).astype(np.float32)
    for r, may_be in reciprocals(d / scale):
        assert (quotient(n, d, refined(d, r / scale)) == want)[may_be].all()


def test_the_shorter_way_is_at_most_one_last_place_off():
    """Without the step of Newton, as ciou divides: hardly ever another float, and 1 of what is divided by itself."""
    rng, others, seen = np.random.default_rng(2), 0, 0
    for _ in range(5):
        n, d = (rng.integers(ONE, 2 * ONE, 200_000).astype(np.float32) for _ in range(2))
        want = (n.astype(np.float64) / d).astype(np.float32)
        for r, may_be in reciprocals(d / ONE):
            r = r / np.float32(ONE)
            got, due = quotient(n, d, r)[may_be], want[may_be]
            assert (np.abs(got - due) <= np.spacing(due)).all()
            assert (quotient(d, d, r)[may_be] == 1).all()
            others, seen = others + int((got != due).sum()), seen + len(due)
    assert others < 1e-5 * seen
