"""The division of the kernels on the device itself: what tests/test_triton_division.py assumes, and what it says."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from scenes import CUDA
from vesica._kernels.triton.arithmetic import quotient


@triton.jit
def _divide(n, d, out, count, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    q = quotient(tl.load(n + at, inside, other=0.0), tl.load(d + at, inside, other=1.0))
    tl.store(out + at, q, inside)


@triton.jit
def _reciprocal(d, out, count, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(d + at, at < count, other=1.0)
    r = tl.inline_asm_elementwise("rcp.approx.ftz.f32 $0, $1;", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(out + at, r, at < count)


def run(kernel, *arrays):
    out = torch.full_like(arrays[0], torch.nan)
    kernel[(triton.cdiv(out.numel(), 1024),)](*arrays, out, out.numel(), 1024, enable_fp_fusion=False)
    return out


def every_divisor():
    return torch.arange(1 << 23, 1 << 24, device=CUDA).float() / (1 << 23)


def check_the_reciprocal_is_off_by_one_at_most():
    d = every_divisor()
    r = run(_reciprocal, d)
    off = ((r.double() - 1 / d.double()).abs() * 2**24).max().item()
    print("  reciprocal: at most", off, "last places off; of the divisor below 2:", r[-1].item())
    assert off <= 1 and r[-1].item() != 0.5


def check_every_divisor():
    d = every_divisor()
    for seed in range(64):
        random = torch.Generator(CUDA).manual_seed(seed)
        n = torch.randint(1 << 23, 1 << 24, d.shape, generator=random, device=CUDA).float()
        power = torch.randint(-100 - 23, 2 - 23, d.shape, generator=random, device=CUDA)
        other = torch.randint(-76, 2, d.shape, generator=random, device=CUDA)
        top, under = torch.ldexp(n, power), torch.ldexp(d, other)
        assert torch.equal(run(_divide, top, under), top / under)


def check_quotients_next_to_the_middle_of_two_floats():
    odd = torch.arange((1 << 23) + 1, 1 << 24, 2, device=CUDA)
    for power in (24, 25):
        inverse = torch.ones_like(odd)
        for _ in range(power):
            inverse = torch.where(inverse % 2 == 0, inverse, inverse + odd) // 2
        for n in (inverse, odd - inverse):
            n = n + odd if power == 24 else n
            fits = (n >= 1 << 23) & (n < 1 << 24)
            top, under = n[fits].float(), odd[fits].float()
            want = (top.double() / under.double()).float()
            assert torch.equal(run(_divide, top, under), want) and torch.equal(top / under, want)
