"""Dense masks against the twin on the same device: both ways of counting, any bytes, any sizes."""

from __future__ import annotations

import torch

from vesica import Masks, RleMasks, SparseMasks, iou, join, parts
from vesica._kernels import pick, pick_arrays
from vesica._kernels.generic import masks as generic
from vesica._kernels.triton import mask_runs
from vesica._kernels.triton import masks as kernels
from vesica.overlaps.measures import MEASURES
from vesica.overlaps.parts import twin_parts
from vesica.regions import comparable

NAMES = [name for name, measure in MEASURES.items() if not measure.needs_hull]
WAYS = (10**9, -1)
"""What the product is worth: everything is counted in boxes, or nothing."""


def noise(n, size, seed=0, share=0.3):
    random = torch.Generator("cuda").manual_seed(seed)
    stack = torch.rand((n, *size), device="cuda", generator=random) < share
    stack[0] = False
    return stack


def blobs(n, size, seed=0):
    """Boxes of noise of all sizes."""
    random = torch.Generator("cpu").manual_seed(seed)
    stack = noise(n, size, seed, 0.7)
    y, x = torch.arange(size[0], device="cuda")[:, None], torch.arange(size[1], device="cuda")[None, :]
    for k, (cx, cy, w, h) in enumerate(torch.rand((n, 4), generator=random).tolist()):
        stack[k] &= ((x - cx * size[1]).abs() < w * w * size[1] / 2) & ((y - cy * size[0]).abs() < h * h * size[0] / 2)
    return stack


def compare(name, a, b, aligned=False, **options):
    tables = comparable(a, b, aligned=aligned)
    formula = MEASURES[name].chosen(options)
    assert pick("measure", tables, formula).backend == "triton"
    want = formula.of_parts(twin_parts(tables, aligned))
    worth = kernels.PRODUCT
    for kernels.PRODUCT in (worth, *WAYS):
        got = MEASURES[name](a, b, aligned=aligned, **options)
        same = (got == want) | (got.isnan() & want.isnan())
        assert got.dtype == want.dtype and same.all(), (name, tuple(a.shape), kernels.PRODUCT, int((~same).sum()))
    kernels.PRODUCT = worth


def check_sizes():
    for size in ((1, 1), (7, 11), (480, 640), (375, 500), (427, 639), (33, 1924), (1000, 1), (1, 1000)):
        for make in (noise, blobs):
            a, b = make(7, size, 1), make(150, size, 2)
            compare("iou", a, b)
            compare("iou", b, b)
            compare("dice", a, b[:7], aligned=True)


def check_run_lengths():
    """Decoded on the device: the pixels of the host, and the ious of dense masks."""
    for size in ((1, 1), (7, 11), (480, 640), (427, 639), (33, 1924), (1000, 1), (1, 1000), (1080, 1920)):
        for make in (noise, blobs):
            a, b = make(7, size, 1), make(9, size, 2)
            b[1], b[2, :, : size[1] // 2] = True, True
            dense = b.cpu().numpy()
            rle = RleMasks.from_masks(dense)
            assert pick_arrays("decode", "masks", a).backend == "triton"
            got = mask_runs.decode(rle.counts, rle.offsets, rle.size, a)
            assert got.is_cuda and torch.equal(got, b), (size, int((got != b).sum()))
            assert torch.equal(iou(a, rle), iou(a, b)) and torch.equal(iou(rle, a), iou(b, a)), size
            assert torch.equal(iou(a, SparseMasks.from_masks(dense)), iou(a, b)), size


def check_measures_and_options():
    a, b = blobs(40, (100, 200), 1), noise(50, (100, 200), 2)
    for name in NAMES:
        compare(name, a, b)
        compare(name, a, b[:40], aligned=True)
    compare("tversky", a, b, alpha=0.3, beta=0.7, empty=float("nan"))
    compare("coverage", a, b, of="b", empty=1.0)


def check_many_masks():
    a, b = noise(300, (270, 480), 1), blobs(400, (270, 480), 2)
    compare("iou", a, b)
    compare("iou", b, b)
    compare("iou", noise(2000, (28, 28), 1), noise(3000, (28, 28), 2))


def check_large_images():
    a, b = noise(5, (4000, 6000), 1), blobs(6, (4000, 6000), 2)
    compare("iou", a, b)
    compare("iou", a, b[:5], aligned=True)


def check_any_byte_belongs():
    random = torch.Generator("cpu").manual_seed(1)
    table = torch.randint(-128, 128, (30, 60, 64), generator=random) * (
        torch.rand((30, 60, 64), generator=random) < 0.5
    )
    for dtype in (torch.uint8, torch.int8, torch.int16, torch.int64):
        a = Masks(table.to(dtype).cuda())
        tables = comparable(a, a, aligned=False)
        assert torch.equal(iou(a, a), iou.plain.of_parts(twin_parts(tables, False)))
    odd = table.to(torch.uint8).cuda().view(torch.bool)
    whole = odd.view(torch.uint8) != 0
    worth = kernels.PRODUCT
    for kernels.PRODUCT in (*WAYS, worth):
        assert torch.equal(iou(odd, odd), iou(whole, whole))


def check_views():
    a = noise(20, (64, 96), 1)
    for view in (a.permute(0, 2, 1), a[:, ::2, 1:], a[1:], a.flatten()[100:][: 50 * 2048].reshape(50, 64, 32)):
        compare("iou", view, view)


def check_areas_and_boxes():
    for size in ((7, 11), (480, 640), (375, 500), (33, 1921)):
        for stack in (blobs(50, size, 1), noise(50, size, 2)):
            assert torch.equal(Masks(stack).area, generic.area(stack))
            assert torch.equal(Masks(stack).boxes.array, generic.boxes(stack))


def check_joins_and_parts():
    a, b = blobs(60, (100, 200), 1), blobs(70, (100, 200), 2)
    got, want = join(a, b, at_least=0.1), join(a.cpu(), b.cpu(), at_least=0.1)
    assert len(want) and all(torch.equal(x.cpu(), y) for x, y in zip(got, want, strict=True))
    assert torch.equal(parts(a, b).union.cpu(), parts(a.cpu(), b.cpu()).union)


def check_nothing_waits_and_little_is_kept():
    a, b = noise(100, (1080, 1920), 1), noise(100, (1080, 1920), 2)
    iou(a, b)
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    torch.cuda.set_sync_debug_mode("error")
    try:
        iou(a, b)
        iou(a, b, aligned=True)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    torch.cuda.synchronize()
    assert torch.cuda.max_memory_allocated() - before < (a.numel() + b.numel()) // 8 + (1 << 20)


def check_graphs():
    a, b = noise(20, (100, 200), 1), noise(30, (100, 200), 2)
    iou(a, b)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        got = iou(a, b)
    other = blobs(20, (100, 200), 3)
    a.copy_(other)
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(got, iou(other, b))
