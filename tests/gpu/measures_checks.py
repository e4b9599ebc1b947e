"""Measures of boxes against the twin on the same device, and against the compiled kernels of the CPU."""

from __future__ import annotations

import torch

from scenes import boxes, strange
from vesica import Boxes, iou
from vesica._kernels import pick
from vesica.overlaps.measures import MEASURES
from vesica.overlaps.parts import twin_parts
from vesica.regions import comparable


def assert_equal(got, want, name):
    assert got.dtype == want.dtype and got.shape == want.shape, (name, got.dtype, want.dtype, got.shape, want.shape)
    tolerance = 8 * torch.finfo(want.dtype).eps if name in ("ciou", "diou") else 0
    same = (got == want) | (got.isnan() & want.isnan()) | ((got - want).abs() <= tolerance)
    assert same.all(), (name, int((~same).sum()), got[~same][:4], want[~same][:4])


def twin_of(name, a, b, aligned=False, **options):
    formula = MEASURES[name].chosen(options)
    return formula.of_parts(twin_parts(comparable(a, b, aligned=aligned), aligned))


def compare(name, a, b, aligned=False, **options):
    kernel = pick("measure", comparable(a, b, aligned=aligned), MEASURES[name].plain)
    assert kernel.backend == "triton", kernel
    assert_equal(MEASURES[name](a, b, aligned=aligned, **options), twin_of(name, a, b, aligned, **options), name)


def check_all_measures():
    for dtype in (torch.float32, torch.float64, torch.int64, torch.float16, torch.bfloat16):
        a, b = boxes(67, 1, dtype=dtype), boxes(1030, 2, dtype=dtype)
        for name in MEASURES if dtype == torch.float32 else ("iou", "tversky", "ciou"):
            compare(name, a, b)
            compare(name, a, b[:67], aligned=True)


def check_shapes():
    for n, m in ((1, 1), (1, 5000), (5000, 1), (64, 1024), (65, 1025), (63, 1023), (3, 0), (0, 3), (100, 300)):
        compare("giou", boxes(n, 1), boxes(m, 2))


def check_strange_rows():
    a = strange(100)
    for name in MEASURES:
        compare(name, Boxes(a, check=False), Boxes(a, check=False))
        compare(name, Boxes(a, check=False), Boxes(a, check=False), aligned=True)


def check_boxes_of_any_size_and_place():
    """Inside and outside of the range of the fast way, left of 0, and with tiles that differ."""
    a, b = boxes(300, 1)[4:], boxes(2100, 2)[4:]
    mixed = b.clone()
    mixed[1500] *= 2.0**40
    for name in MEASURES:
        for power in (-40, -24, -10, 20, 40, 52):
            compare(name, *(Boxes(side * 2.0**power, check=False) for side in (a, b)))
        compare(name, a - 500, b - 500)
        compare(name, Boxes(a, check=False), Boxes(mixed, check=False))
        compare(name, a.floor() - a[0, 0].floor(), b.ceil())
    for name in ("ciou", "diou"):
        assert (MEASURES[name](a, a).diagonal() == 1).all(), name


def check_options():
    a, b = boxes(50, 1), boxes(60, 2)
    for dtype in (torch.float32, torch.float64):
        x, y = a.to(dtype), b.to(dtype)
        compare("iou", x, y, empty=1.0)
        compare("coverage", x, y, of="b")
        compare("tversky", x, y, alpha=0.3, beta=0.7, empty=0.25)


def check_batches():
    a = torch.stack([boxes(40, k) for k in range(6)]).reshape(2, 3, 40, 4)
    b = torch.stack([boxes(50, 9 + k) for k in range(3)])
    for left, right in ((a, b), (b, a), (a, b[0]), (b[0], a), (a[:, :1], b)):
        compare("ciou", left, right)
    compare("diou", a, b[..., :40, :], aligned=True)


def check_a_hundred_million_pairs():
    """The bits of the twin, on coordinates of three sizes, and of the CPU."""
    for size, side in ((1000.0, 100.0), (1.0, 0.1), (1e6, 1e5)):
        a, b = boxes(10_000, 1, size=size, side=side), boxes(10_000, 2, size=size, side=side)
        for name in ("iou", "giou", "diou", "eiou", "ciou", "dice"):
            got = MEASURES[name](a, b)
            for top in range(0, 10_000, 1000):
                assert_equal(got[top : top + 1000], twin_of(name, a[top : top + 1000], b), name)
        assert torch.equal(iou(a[:2000], b).cpu(), iou(a[:2000].cpu(), b.cpu()))


def check_rows_that_are_not_in_order():
    wide = torch.zeros((200, 8), device="cuda")
    wide[:, ::2] = boxes(200)
    flat = boxes(300).flatten()
    for a in (wide[:, ::2], boxes(201)[1:], flat[1:][:800].reshape(200, 4), boxes(200).T.contiguous().T):
        x = Boxes(a, check=False)
        compare("iou", x, boxes(30, 1))
