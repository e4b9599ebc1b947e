"""Inside torch.compile with fullgraph=True: each call is one operator, and the answers are those outside of it."""

from __future__ import annotations

import torch
from losses_checks import pairs

from scenes import boxes, crowd, maps
from vesica import giou, iou, losses, nms_padded
from vesica._kernels import pick_arrays
from vesica._kernels.triton import operators as operators
from vesica.overlaps.measures import MEASURES


def compiled(call, *arrays, backend="aot_eager", **options):
    """The answer, and the operators of ours in the graph. `backend` "inductor" takes seconds."""
    torch._dynamo.reset()
    seen = []

    def watched(graph, examples):
        seen.extend(str(node.target) for node in graph.graph.nodes if "vesica" in str(node.target))
        return torch._dynamo.lookup_backend(backend)(graph, examples)

    answer = torch.compile(call, fullgraph=True, backend=watched, **options)(*arrays)
    return answer, seen


def check_measures():
    a, b = boxes(100, 1), boxes(130, 2)
    for name in ("iou", "ciou", "tversky"):
        got, seen = compiled(lambda x, y, name=name: MEASURES[name](x, y), a, b)
        assert torch.equal(got, MEASURES[name](a, b)) and seen == ["vesica.box_measure"], (name, seen)
    got, _ = compiled(lambda x, y: giou(x, y, aligned=True), a, b[:100], backend="inductor")
    assert torch.equal(got, giou(a, b[:100], aligned=True))
    got, seen = compiled(lambda x, y: iou(x, y), a.half(), b.half())
    assert torch.equal(got, iou(a.half(), b.half())) and seen


def check_measures_with_a_gradient():
    """Of every pair: one operator there, one back, and the bits of the call outside."""
    a, b = boxes(400, 1), boxes(500, 2)
    for backend in ("aot_eager", "inductor"):
        found = []
        for is_compiled in (False, True):
            x, y = a.clone().requires_grad_(), b.clone().requires_grad_()
            if is_compiled:
                value, seen = compiled(lambda x, y: giou(x, y), x, y, backend=backend)
                assert seen == ["vesica.box_measure"], seen
            else:
                value = giou(x, y)
            (value**2).sum().backward()
            found.append((value.detach(), x.grad, y.grad))
        assert all(torch.equal(one, other) for one, other in zip(*found, strict=True)), backend


def check_shapes_that_change():
    torch._dynamo.reset()
    call = torch.compile(lambda x, y: iou(x, y), fullgraph=True, dynamic=True)
    for n, m in ((10, 20), (33, 5), (700, 900)):
        a, b = boxes(n, 1), boxes(m, 2)
        assert torch.equal(call(a, b), iou(a, b)), (n, m)


def check_losses():
    guess, truth = (side[10:] for side in pairs(2000))
    for name in ("iou", "giou", "diou", "ciou", "eiou"):
        for reduction in ("mean", "sum", "none"):
            loss, found = getattr(losses, name), []

            def way(a, b, loss=loss, reduction=reduction):
                return loss(a, b, reduction=reduction).sum()

            torch._dynamo.reset()
            backend = "inductor" if (name, reduction) == ("ciou", "mean") else "aot_eager"
            for call in (way, torch.compile(way, fullgraph=True, backend=backend)):
                a = guess.clone().requires_grad_()
                value = call(a, truth)
                value.backward()
                found.append((value.detach(), a.grad))
            (v, g), (w, h) = found
            assert torch.allclose(v, w, rtol=1e-5) and torch.allclose(g, h, rtol=1e-4, atol=1e-7), (name, reduction)
    _, seen = compiled(lambda a, b: losses.ciou(a, b), guess, truth)
    assert seen == ["vesica.box_loss"], seen


def check_second_derivatives_are_refused():
    guess, truth = (side[10:] for side in pairs(100))
    for way in (lambda a, b: losses.ciou(a, b), lambda a, b: giou(a, b).sum()):
        torch._dynamo.reset()
        a = guess.clone().requires_grad_()
        (slope,) = torch.autograd.grad(torch.compile(way, fullgraph=True)(a, truth), a, create_graph=True)
        said = ""
        try:
            (slope * slope).sum().backward()
        except RuntimeError as error:
            said = str(error)
        assert "double backward" in said or "second derivative" in said, said


def check_halves_of_losses():
    guess, truth = (side[10:].bfloat16() for side in pairs(500))
    got, _ = compiled(lambda a, b: losses.giou(a, b), guess, truth)
    assert got.dtype == torch.float32 and torch.allclose(got, losses.giou(guess, truth), rtol=1e-4)


def check_nms_padded():
    some = [crowd(900, k, objects=20) for k in range(3)]
    table, scores = torch.stack([one for one, _ in some]), torch.stack([one for _, one in some])
    got, seen = compiled(lambda x, s: tuple(nms_padded(x, s, limit=50)), table, scores)
    want = nms_padded(table, scores, limit=50)
    assert all(torch.equal(x, y) for x, y in zip(got, want, strict=True)) and seen == ["vesica.nms_padded"]


def check_label_counts():
    truth, guess = maps((2, 60, 70), 5, 1), maps((2, 60, 70), 5, 2)
    labels = (0, 1, 2, 3)

    def count(x, y):
        return pick_arrays("contingency", "labels", x, y).call(x, y, labels, None)

    (tables, _), seen = compiled(count, truth, guess)
    assert int(tables.sum()) == truth.numel() and seen == ["vesica.label_counts"]


def check_other_transformations_stay_array_code():
    a, b = boxes(20, 1), boxes(20, 2)
    one = torch.vmap(lambda x, y: iou(x[None], y[None]))
    got, seen = compiled(one, a, b)
    assert torch.allclose(got[:, 0, 0], iou(a, b, aligned=True), atol=1e-6) and not seen
    assert torch.allclose(one(a, b)[:, 0, 0], iou(a, b, aligned=True), atol=1e-6)


def check_operators():
    a, b = boxes(9, 1), boxes(21, 2)
    call, none = torch.ops.vesica, [0.0, 0.0, 0.0]
    torch.library.opcheck(call.box_measure.default, (a, b, "giou", none, False, False, torch.float32))
    learnt = a.clone().requires_grad_()
    torch.library.opcheck(
        call.box_loss.default,
        (learnt, b[:9].contiguous(), "ciou", "mean", True, False),
        test_utils=("test_schema", "test_autograd_registration", "test_faketensor"),
    )
