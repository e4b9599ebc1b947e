"""Measures that learn: their gradients against array code on the same device, without a matrix beside the answer."""

from __future__ import annotations

import torch

from scenes import CUDA, boxes
from vesica import Boxes, ciou, giou, iou
from vesica._kernels import pick
from vesica._kernels.generic import measure as generic
from vesica.overlaps.measures import MEASURES
from vesica.regions import comparable


def learnt(way, name, a, b, aligned, **options):
    a, b = a.clone().requires_grad_(), b.clone().requires_grad_()
    tables = comparable(Boxes(a, check=False), Boxes(b, check=False), aligned=aligned)
    formula = MEASURES[name].chosen(options)
    call = pick("measure", tables, formula).call if way is None else way
    value = call(tables, formula, aligned=aligned, threads=None)
    random = torch.Generator(CUDA).manual_seed(5)
    weights = torch.randn(value.shape, generator=random, device=CUDA, dtype=torch.float64).to(value.dtype)
    (value * weights).sum().backward()
    return value.detach(), a.grad, b.grad


def compare(name, a, b, aligned=False, **options):
    tables = comparable(a.clone().requires_grad_(), b, aligned=aligned)
    assert pick("measure", tables, MEASURES[name].plain).why.endswith("gradients without a matrix")
    value, *got = learnt(None, name, a, b, aligned, **options)
    twin, *want = learnt(generic.measure, name, a, b, aligned, **options)
    _, *best = learnt(generic.measure, name, a.double(), b.double(), aligned, **options)
    eps = torch.finfo(value.dtype).eps
    assert torch.allclose(value, twin, rtol=0, atol=8 * eps), name
    for x, y, z in zip(got, want, best, strict=True):
        scale = 1 + z.abs().amax()
        off, theirs = (((side.double() - z).abs() / scale).amax().item() for side in (x, y))
        assert x.isfinite().all() and off <= 2 * theirs + 64 * eps, (name, aligned, off / eps, theirs / eps)


def check_all_measures():
    for dtype in (torch.float32, torch.float64):
        a, b = boxes(67, 1, dtype=dtype)[4:], boxes(330, 2, dtype=dtype)[4:]
        for name in MEASURES:
            compare(name, a, b)
            compare(name, a, b[:63], aligned=True)
    compare("tversky", a, b, alpha=0.3, beta=0.9, empty=0.25)
    compare("coverage", a, b, of="b")


def check_degenerate_boxes_one_pair_at_a_time():
    odd = [
        [0, 0, 4, 4],
        [4, 0, 8, 4],
        [0, 0, 4, 2],
        [1, 1, 2, 2],
        [2, 2, 2, 2],
        [2, 0, 2, 4],
        [3, 3, 1, 5],
        [9, 9, 8, 8],
    ]
    odd = torch.tensor(odd, dtype=torch.float64, device=CUDA)
    i, j = (side.flatten() for side in torch.meshgrid(torch.arange(8), torch.arange(8), indexing="ij"))
    for name in MEASURES:
        got = learnt(None, name, odd[i], odd[j], True)
        want = learnt(generic.measure, name, odd[i], odd[j], True)
        for x, y in zip(got, want, strict=True):
            assert torch.allclose(x, y, rtol=1e-12, atol=1e-13, equal_nan=True), name


def check_shapes():
    for n, m in ((1, 1), (1, 5000), (5000, 1), (9, 129), (300, 20_000)):
        compare("giou", boxes(n + 4, 1)[4:], boxes(m + 4, 2)[4:])
    a = torch.stack([boxes(44, k)[4:] for k in range(3)])
    compare("ciou", a, boxes(54, 9)[4:])
    compare("diou", a, a.flip(0), aligned=True)


def check_the_same_bits_every_time():
    a, b = boxes(500, 1), boxes(3000, 2)
    first, *others = (learnt(None, "ciou", a, b, False) for _ in range(4))
    for other in others:
        assert all(torch.equal(x, y) for x, y in zip(first, other, strict=True))


def check_no_matrix_beside_the_answer():
    a, b = boxes(8000, 1).requires_grad_(), boxes(8000, 2)
    giou(a, b).sum().backward()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    answer = giou(a, b)
    answer.sum().backward()
    torch.cuda.synchronize()
    beside = torch.cuda.max_memory_allocated() - before - answer.numel() * 4
    print("  MB beside the answer:", beside / 1e6)
    assert beside < 32 << 20, beside


def check_nothing_waits():
    b = boxes(200, 2)
    for _ in range(2):
        a = boxes(100, 1).requires_grad_()
        (ciou(a, b).sum() + iou(a, b[:100], aligned=True).sum()).backward()
        torch.cuda.set_sync_debug_mode("error")
        a = a.detach().requires_grad_()
        try:
            (ciou(a, b).sum() + iou(a, b[:100], aligned=True).sum()).backward()
        finally:
            torch.cuda.set_sync_debug_mode("default")


def check_second_derivatives():
    a, b = boxes(24, 1, dtype=torch.float64)[4:], boxes(34, 2, dtype=torch.float64)[4:]
    found = []
    for way in (
        giou,
        lambda x, y: generic.measure(comparable(x, y, aligned=False), giou.plain, aligned=False, threads=1),
    ):
        x = a.clone().requires_grad_()
        (slope,) = torch.autograd.grad(way(x, b).sum(), x, create_graph=True)
        found.append(torch.autograd.grad((slope * slope).sum(), x)[0])
    assert torch.allclose(*found, rtol=1e-9, atol=1e-15)


def check_half_precision():
    for dtype in (torch.float16, torch.bfloat16):
        a, b = (boxes(60, k, dtype=dtype)[4:] for k in (1, 2))
        x = a.clone().requires_grad_()
        giou(x, b).float().sum().backward()
        y = a.float().requires_grad_()
        giou(y, b.float()).sum().backward()
        assert x.grad.dtype == dtype and torch.allclose(x.grad.float(), y.grad, rtol=2e-2, atol=2e-2)
