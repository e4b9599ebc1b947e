"""What surrounds a call: memory, streams, graphs, synchronisation, modes of torch."""

from __future__ import annotations

import torch

from scenes import boxes
from vesica import giou, iou
from vesica.overlaps.measures import MEASURES


def check_no_memory_beside_the_answer():
    a, b = boxes(8000, 1), boxes(8000, 2)
    iou(a, b)
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    answer = iou(a, b)
    torch.cuda.synchronize()
    beside = torch.cuda.max_memory_allocated() - before - answer.numel() * 4
    assert beside < 1 << 20, beside


def check_nothing_waits():
    a, b = boxes(100, 1), boxes(200, 2)
    for name in MEASURES:
        MEASURES[name](a, b)
    torch.cuda.set_sync_debug_mode("error")
    try:
        for name in MEASURES:
            MEASURES[name](a, b)
            MEASURES[name](a, a, aligned=True)
    finally:
        torch.cuda.set_sync_debug_mode("default")


def check_other_streams():
    a, b = boxes(5000, 1), boxes(5000, 2)
    want = iou(a, b)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        late = a + 0 * torch.ones((4000, 4000), device="cuda").mm(torch.ones((4000, 4000), device="cuda"))[0, 0]
        got = iou(late, b)
    stream.synchronize()
    assert torch.equal(got, want)


def check_graphs():
    a, b = boxes(500, 1), boxes(600, 2)
    giou(a, b)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        got = giou(a, b)
    other = boxes(500, 7)
    a.copy_(other)
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(got, giou(other, b))


def check_modes():
    a, b = boxes(50, 1), boxes(60, 2)
    want = iou(a, b)
    with torch.inference_mode():
        assert torch.equal(iou(a, b), want)
    with torch.autocast("cuda"):
        assert torch.equal(iou(a, b), want)
    learnt = a.clone().requires_grad_()
    assert torch.equal(iou(learnt, b).detach(), want)
    with torch.no_grad():
        assert torch.equal(iou(learnt, b), want) and not iou(learnt, b).requires_grad
