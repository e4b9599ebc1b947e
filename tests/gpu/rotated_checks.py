"""Measures of rotated boxes against the twin on the same device, bit for bit, and against the CPU."""

from __future__ import annotations

import torch

from vesica import Boxes, RotatedBoxes, best, iou, parts
from vesica._kernels import pick
from vesica.overlaps.measures import MEASURES
from vesica.overlaps.parts import twin_parts
from vesica.regions import comparable

NAMES = [name for name, measure in MEASURES.items() if not measure.needs_hull]


def rows(n, seed=0, *, dtype=torch.float32, scale=1.0):
    """Scattered boxes, among them equal, touching, thin and empty ones."""
    random = torch.Generator("cpu").manual_seed(seed)
    table = torch.rand((n, 5), generator=random, dtype=torch.float64) * torch.tensor([500, 500, 90, 90, 360])
    if n > 9:
        table[1] = table[0]
        table[2], table[3] = torch.tensor([[10, 10, 4, 2, 0], [14, 10, 4, 2, 0]])
        table[4], table[5] = torch.tensor([[10, 10, 0, 2, 30], [10, 10, 2, 4, 90]])
        table[6], table[7] = torch.tensor([[10, 10, 1e-6, 400, 37], [250, 250, 3000, 3000, 45]])
        table[8] = table[2]
    table[:, :4] *= scale
    return RotatedBoxes(table.to(dtype).cuda(), unit="deg", direction="cw")


def compare(name, a, b, aligned=False, **options):
    tables = comparable(a, b, aligned=aligned)
    formula = MEASURES[name].chosen(options)
    assert pick("measure", tables, formula).backend == "triton"
    got, want = MEASURES[name](a, b, aligned=aligned, **options), formula.of_parts(twin_parts(tables, aligned))
    same = (got == want) | (got.isnan() & want.isnan())
    assert got.dtype == want.dtype and got.shape == want.shape and same.all(), (name, int((~same).sum()))


def check_all_measures():
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        for name in NAMES:
            compare(name, rows(67, 1, dtype=dtype), rows(300, 2, dtype=dtype))
            compare(name, rows(300, 1, dtype=dtype), rows(300, 2, dtype=dtype), aligned=True)


def check_shapes_options_and_scales():
    for n, m in ((1, 1), (1, 999), (999, 1), (3, 129), (0, 3), (3, 0)):
        compare("iou", rows(n, 1), rows(m, 2))
    compare("tversky", rows(50, 1), rows(60, 2), alpha=0.3, beta=0.7, empty=float("nan"))
    compare("coverage", rows(50, 1), rows(60, 2), of="b")
    for scale in (2.0**-40, 2.0**40):
        compare("iou", *(rows(50, k, dtype=torch.float64, scale=scale) for k in (1, 2)))


def check_strange_rows():
    a = rows(60, 1, dtype=torch.float64)
    table = a.array.clone()
    table[0, 0], table[1, 2], table[2, 4], table[3, 3], table[4, 1] = *[torch.nan] * 3, torch.inf, torch.inf
    odd = RotatedBoxes(table, unit="deg", direction="cw")
    compare("iou", odd, a)
    compare("dice", odd, odd, aligned=True)


def check_a_million_pairs_and_the_cpu():
    a, b = rows(1000, 1), rows(1000, 2)
    compare("iou", a, b)
    host = [RotatedBoxes(side.array.cpu(), unit="deg", direction="cw") for side in (a, b)]
    got, want = iou(a, b).cpu(), iou(*host)
    assert (got - want).abs().max() <= 4 * torch.finfo(torch.float32).eps
    assert torch.equal(iou(a, b), iou(b, a).T) and (iou(a, a).diagonal()[7:] == 1).all()


def check_what_else_goes_there():
    a, b = rows(50, 1), rows(70, 2)
    assert torch.equal(parts(a, b).inter, twin_parts(comparable(a, b, aligned=False), False).inter)
    found = best(a, b, k=3)
    assert torch.equal(found.value[:, 0], iou(a, b).amax(1))
    compare("iou", Boxes(torch.tensor([[0.0, 0, 40, 40]], device="cuda")), a)
    learnt = RotatedBoxes(a.array.clone().requires_grad_(), unit="deg", direction="cw")
    got = iou(learnt, b)
    got.sum().backward()
    assert torch.equal(got.detach(), iou(a, b)) and learnt.array.grad.isfinite().all()
    torch.cuda.set_sync_debug_mode("error")
    try:
        iou(a, b)
    finally:
        torch.cuda.set_sync_debug_mode("default")
