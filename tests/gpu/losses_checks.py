"""Losses and their gradients against array code on the same device."""

from __future__ import annotations

import torch

from scenes import boxes
from vesica import losses
from vesica._kernels import lane, registry
from vesica.losses.boxes import _array_code
from vesica.overlaps.measures import MEASURES

NAMES = ("iou", "giou", "diou", "ciou", "eiou")


def pairs(n, dtype=torch.float32):
    """Guesses near their truths, and what is odd."""
    truth = boxes(n, 1, dtype=dtype)
    noise = torch.randn((n, 4), generator=torch.Generator("cpu").manual_seed(1), dtype=torch.float64) * 10
    guess = truth + noise.to(dtype).cuda()
    guess[0], guess[1] = truth[0], torch.tensor([5.0, 5, 3, 9], device="cuda")
    guess[2] = truth[2]
    guess[3:5] *= 1e-25
    truth[3:5] *= 1e-25
    guess[5] *= 1e25
    return guess, truth


def check_gradients_are_those_of_array_code():
    for dtype in (torch.float32, torch.float64):
        guess, truth = pairs(3000, dtype)
        weights = torch.rand(3000, device="cuda", generator=torch.Generator("cuda").manual_seed(1), dtype=dtype)
        for name in NAMES:
            for reduction, given in (("none", None), ("mean", None), ("sum", None), ("mean", weights)):
                found = []
                for way in (lambda a, b: getattr(losses, name)(a, b, reduction=reduction, weights=given),
                            lambda a, b: _array_code(MEASURES[name], a, b, reduction, given)):  # fmt: skip
                    a, b = guess.clone().requires_grad_(), truth.clone().requires_grad_()
                    value = way(a, b)
                    value.sum().backward()
                    found.append((value.detach(), a.grad, b.grad))
                (value, *grads), (want, *wants) = found
                eps = torch.finfo(dtype).eps
                assert ((value - want).abs() <= 16 * eps * want.abs().clamp(min=1)).all(), (name, reduction)
                for x, y in zip(grads, wants, strict=True):
                    assert x.isfinite().all()
                    # Gradients are one over a length; those of equal boxes cancel.
                    length = torch.maximum(guess.abs(), truth.abs()).amax(dim=1, keepdim=True)
                    scale = y.abs().amax(dim=1, keepdim=True) + 1 / length
                    assert ((x - y).abs() <= 64 * eps * scale).all(), (name, reduction, dtype)
    assert registry.LANES["loss", "ciou", "cuda"] is not registry._handed_back


def check_only_what_is_asked_for():
    guess, truth = pairs(100)
    learnt = guess.clone().requires_grad_()
    losses.ciou(learnt, truth).backward()
    assert learnt.grad is not None and truth.grad is None
    assert not losses.ciou(guess, truth).requires_grad
    with torch.no_grad():
        assert not losses.ciou(learnt, truth).requires_grad
    assert losses.ciou(guess[:0], truth[:0]).item() == 0


def check_second_derivatives():
    guess, truth = (side.double() for side in pairs(50))
    found = []
    for way in (losses.giou, lambda a, b: _array_code(MEASURES["giou"], a, b, "mean", None)):
        a = guess[10:].clone().requires_grad_()
        (slope,) = torch.autograd.grad(way(a, truth[10:]), a, create_graph=True)
        found.append(torch.autograd.grad((slope * slope).sum(), a)[0])
    assert torch.allclose(*found, rtol=1e-9, atol=1e-15)


def check_nothing_waits():
    guess, truth = pairs(100)
    for _ in range(2):
        learnt = guess.clone().requires_grad_()
        losses.ciou(learnt, truth).backward()
        torch.cuda.set_sync_debug_mode("error")
    torch.cuda.set_sync_debug_mode("default")


def check_other_ways_still_work():
    guess, truth = pairs(64)
    want = losses.ciou(guess, truth)
    for move in (lambda x: x[None], lambda x: x.half().float()):
        assert torch.isfinite(losses.ciou(move(guess)[..., 10:, :], move(truth)[..., 10:, :]))
    rows = torch.func.vmap(losses.diou)(guess[:, None], truth[:, None])
    assert torch.allclose(rows, losses.diou(guess, truth, reduction="none"), atol=1e-5)
    _, tangent = torch.func.jvp(lambda a: losses.giou(a, truth), (guess,), (torch.ones_like(guess),))
    assert tangent.shape == ()
    compiled = torch.compile(lambda a, b: losses.ciou(a, b), fullgraph=True)
    assert torch.allclose(compiled(guess, truth), want, rtol=1e-4)
    assert lane.serve_loss(MEASURES["iou"].plain, guess.half(), truth.half(), ("mean", None)) is None
