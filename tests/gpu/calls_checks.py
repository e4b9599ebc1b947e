"""What surrounds a call: memory, streams, graphs, synchronisation, modes of torch."""

from __future__ import annotations

import torch

from scenes import boxes, crowd
from vesica import best, giou, iou, join, losses, nms, nms_padded
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


def check_graphs_of_training():
    """A step with its backward pass, and a choice of a fixed shape, captured and replayed with other numbers."""
    guess, truth = boxes(500, 1).requires_grad_(), boxes(500, 2)
    table, scores = crowd(800, 1, objects=20)
    batch, ranks = table[None].clone(), scores[None].clone()
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(2):
            guess.grad = None
            losses.ciou(guess, truth).backward()
            nms_padded(batch, ranks, limit=30)
    torch.cuda.current_stream().wait_stream(side)
    guess.grad = None
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = losses.ciou(guess, truth)
        loss.backward()
        kept = nms_padded(batch, ranks, limit=30)
    other, (table, scores) = boxes(500, 5), crowd(800, 7, objects=20)
    with torch.no_grad():
        guess.copy_(other)
    batch.copy_(table[None])
    ranks.copy_(scores[None])
    graph.replay()
    torch.cuda.synchronize()
    learnt = other.clone().requires_grad_()
    want = losses.ciou(learnt, truth)
    want.backward()
    assert torch.equal(loss.detach(), want.detach()) and torch.equal(guess.grad, learnt.grad)
    assert torch.equal(kept.index[0, : int(kept.count[0])], nms(table, scores)[:30])


def check_selections_on_other_streams():
    (table, scores), stream = crowd(5000, 1), torch.cuda.Stream()
    want = nms(table, scores)
    big = torch.ones((4000, 4000), device="cuda")
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        late = table + 0 * big.mm(big)[0, 0]
        got, padded = nms(late, scores), nms_padded(late[None], scores[None], limit=20)
    stream.synchronize()
    assert torch.equal(got, want) and torch.equal(padded.index[0], want[:20])


def check_autocast():
    guess, truth = boxes(300, 1), boxes(300, 2)
    want = losses.ciou(guess, truth)
    table, scores = crowd(500, 1, objects=10)
    kept = nms(table, scores)
    for dtype in (torch.float16, torch.bfloat16):
        with torch.autocast("cuda", dtype):
            assert torch.equal(losses.ciou(guess, truth), want) and torch.equal(nms(table, scores), kept)
            for half in (guess.to(dtype), (guess / 1000).to(dtype)):
                learnt = half.clone().requires_grad_()
                loss = losses.ciou(learnt, (truth if half.max() > 2 else truth / 1000).to(dtype))
                loss.backward()
                assert loss.dtype == torch.float32 and learnt.grad.dtype == dtype and learnt.grad.isfinite().all()
            assert iou(guess.to(dtype), truth.to(dtype)).dtype == dtype


def check_two_devices_are_an_error():
    for call in (iou, losses.iou, nms):
        said = ""
        try:
            call(boxes(3), torch.zeros((3, 4)) if call is not nms else torch.zeros(3, device="cuda:0").cpu())
        except (TypeError, ValueError) as error:
            said = str(error)
        assert call is nms or "must be on one device; got cuda:0 and cpu. Move one of them." in said, (call, said)


def check_the_device_of_the_tensors_is_used():
    """Whichever device is current."""
    if torch.cuda.device_count() < 2:
        return
    a, b = boxes(50, 1).to("cuda:1"), boxes(60, 2).to("cuda:1")
    assert torch.equal(iou(a, b).cpu(), iou(a.cpu(), b.cpu()))
    for way in (lambda x: giou(x, b).sum(), lambda x: losses.ciou(x, b[:50])):
        learnt = a.clone().requires_grad_()
        way(learnt).backward()
        assert learnt.grad.device == a.device and learnt.grad.isfinite().all()
    table, scores = crowd(900, 1)
    assert torch.equal(nms(table.to("cuda:1"), scores.to("cuda:1")).cpu(), nms(table.cpu(), scores.cpu()))


def check_cupy():
    """The same bits through DLPack, in CuPy's arrays; where it is installed."""
    try:
        import cupy
    except ImportError:
        return
    (table, scores), other = crowd(700, 1), boxes(300, 2)
    a, b, ranks = cupy.from_dlpack(table), cupy.from_dlpack(other), cupy.from_dlpack(scores)
    got = iou(a, b)
    assert isinstance(got, cupy.ndarray) and torch.equal(torch.from_dlpack(got), iou(table, other))
    kept = nms(a, ranks)
    assert isinstance(kept, cupy.ndarray) and torch.equal(torch.from_dlpack(kept), nms(table, scores))
    found = join(a, b, at_least=0.1)
    assert torch.equal(torch.from_dlpack(found.i), join(table, other, at_least=0.1).i)
    assert torch.equal(torch.from_dlpack(best(a, b).index), best(table, other).index)


def check_vmap():
    a, b = boxes(40, 1).reshape(4, 10, 4), boxes(40, 2).reshape(4, 10, 4)
    assert torch.allclose(torch.vmap(lambda x, y: giou(x, y))(a, b), giou(a, b), atol=1e-6)


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
