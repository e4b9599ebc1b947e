"""Suppression and joins: the same rows and the same pairs as the compiled kernels of the CPU, ties included."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import torch

import vesica
from scenes import boxes, crowd, strange
from vesica import Boxes
from vesica import _check as check
from vesica._kernels import Wanted, pick
from vesica._kernels.triton.join import _pairs as pairs_of
from vesica._kernels.triton.nms import _chosen as chosen
from vesica.overlaps.measures import iou
from vesica.regions import comparable


def whole(n, seed=0):
    """Boxes of few whole numbers, with scores of few values: ties everywhere."""
    random = torch.Generator("cpu").manual_seed(seed)
    corner = torch.randint(0, 60, (n, 2), generator=random)
    table = torch.cat([corner, corner + torch.randint(1, 12, (n, 2), generator=random)], 1).float()
    return table.cuda(), (torch.randint(0, 9, (n,), generator=random) / 8).cuda()


def same_rows(table, scores, **options):
    got = vesica.nms(table, scores, **options)
    assert got.device.type == "cuda" and got.dtype == torch.int64
    moved = {name: one.cpu() if isinstance(one, torch.Tensor) else one for name, one in options.items()}
    want = vesica.nms(Boxes(table.cpu().numpy(), check=False), scores.cpu().numpy(), **moved)
    assert np.array_equal(got.cpu().numpy(), want), (len(got), len(want), options)


def same_pairs(a, b=None, **options):
    got = vesica.join(Boxes(a, check=False), None if b is None else Boxes(b, check=False), **options)
    host = [None if side is None else Boxes(side.cpu().numpy(), check=False) for side in (a, b)]
    want = vesica.join(*host, **options)
    for x, y in zip(got, want, strict=True):
        assert np.array_equal(x.cpu().numpy(), np.asarray(y)), (len(got), len(want), options)
    return len(got)


def check_nms_of_crowds():
    for n, objects in ((1, 1), (31, 3), (33, 3), (1000, 20), (8400, 40), (30_000, 500)):
        table, scores = crowd(n, n, objects=objects)
        for above in (0.5, 0.3, 0.7):
            same_rows(table, scores, above=above)
    same_rows(table.double(), scores.double())


def check_nms_with_ties():
    for n in (100, 3000):
        table, scores = whole(n)
        for above in (0.5, 0.25, 0.75, Fraction(1, 3)):
            for strict in (True, False):
                same_rows(table, scores, above=above, strict=strict)


def check_nms_of_scattered_boxes():
    table = boxes(100_000, 1, size=10_000.0)
    same_rows(table, torch.rand(100_000, device="cuda", generator=torch.Generator("cuda").manual_seed(1)))


def check_nms_with_options():
    table, scores = crowd(5000, 3)
    keys = torch.randint(0, 7, (5000,), device="cuda", generator=torch.Generator("cuda").manual_seed(1))
    same_rows(table, scores, keys=keys)
    same_rows(table, scores, keys=keys, limit=50, min_score=0.3)
    same_rows(table, scores, measure="giou")


def check_nms_of_strange_rows():
    same_rows(strange(500), torch.rand(500, device="cuda", generator=torch.Generator("cuda").manual_seed(1)))
    equal = boxes(1)[:1].expand(20_000, 4).contiguous()
    same_rows(equal, torch.rand(20_000, device="cuda", generator=torch.Generator("cuda").manual_seed(1)))
    for bad in (0, 77):
        scores = torch.rand(100, device="cuda")
        scores[bad] = torch.nan
        said = ""
        try:
            vesica.nms(boxes(100), scores)
        except ValueError as error:
            said = str(error)
        assert f"got NaN in row {bad}" in said


def check_the_device_chooses():
    table, scores = crowd(2000, 1)
    assert pick("nms", comparable(table, table, aligned=False), iou.plain).backend == "triton"
    threshold = check.threshold(0.5, "above", strict=True)
    for rows, ranks in ((table, scores), (boxes(100_000, 1, size=10_000.0), torch.rand(100_000, device="cuda"))):
        assert chosen(rows, ranks, None, threshold, float("-inf"), 0) is not None
    assert pairs_of(comparable(table, table, aligned=False), Wanted(threshold, None, False)) is not None


def check_nms_padded():
    for n, images in ((300, 3), (8400, 8)):
        some = [crowd(n, k, objects=40) for k in range(images)]
        table, scores = torch.stack([one for one, _ in some]), torch.stack([one for _, one in some])
        keys = torch.randint(-3, 4, (images, n), device="cuda", generator=torch.Generator("cuda").manual_seed(1))
        counts = torch.arange(images, device="cuda") * (n // images)
        for options in ({}, {"keys": keys}, {"counts": counts}, {"min_score": 0.4, "above": 0.3}):
            vesica.nms_padded(table, scores, limit=100, **options)
            torch.cuda.set_sync_debug_mode("error")
            try:
                got = vesica.nms_padded(table, scores, limit=100, **options)
            finally:
                torch.cuda.set_sync_debug_mode("default")
            moved = {name: one.cpu() if isinstance(one, torch.Tensor) else one for name, one in options.items()}
            want = vesica.nms_padded(table.cpu(), scores.cpu(), limit=100, **moved)
            assert all(torch.equal(x.cpu(), y) for x, y in zip(got, want, strict=True)), options


def check_joins():
    a, b = crowd(5000, 1)[0], crowd(7000, 2)[0]
    for at_least in (0.5, 0.1, 0.9, Fraction(1, 3)):
        same_pairs(a, b, at_least=at_least)
        same_pairs(a, at_least=at_least)
    assert same_pairs(whole(700)[0], whole(900, 2)[0], at_least=0.5) > 100
    assert same_pairs(whole(700)[0], at_least=0.25, strict=True) > 100
    keys = np.arange(5000) % 5, np.arange(7000) % 5
    same_pairs(a, b, at_least=0.3, keys=keys)
    same_pairs(a.double(), b.double(), at_least=0.3)
    same_pairs(strange(300), strange(200, 1), at_least=0.2)
    same_pairs(a, b, at_least=0.5, measure="giou")
    same_pairs(a, b[:0], at_least=0.5)
    same_pairs(boxes(100_000, 1, size=10_000.0), boxes(100_000, 2, size=10_000.0), at_least=0.5)
