"""Losses and their gradients against array code on the same device."""

from __future__ import annotations

from functools import partial

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


def gradients(way, guess, truth):
    """The value and the gradients, all as float64."""
    a, b = guess.clone().requires_grad_(), truth.clone().requires_grad_()
    value = way(a, b)
    value.sum().backward()
    return [part.detach().double() for part in (value, a.grad, b.grad)]


def check_gradients_are_those_of_array_code():
    """As close to those of float64 as array code is; and of odd rows the same as array code's.

    What is huge has gradients so small that array code loses digits of a mean, for it divides by the number of rows
    first. So those rows are compared where nothing is divided.
    """
    for dtype in (torch.float32, torch.float64):
        guess, truth = pairs(3000, dtype)
        weights = torch.rand(3000, device="cuda", generator=torch.Generator("cuda").manual_seed(1), dtype=dtype)
        eps = torch.finfo(dtype).eps
        length = torch.maximum(guess.abs(), truth.abs()).amax(dim=1, keepdim=True).double()
        for name in NAMES:
            for reduction, given in (("none", None), ("mean", None), ("sum", None), ("mean", weights)):
                way = partial(getattr(losses, name), reduction=reduction)
                twin = partial(_array_code, MEASURES[name], reduction=reduction)
                got = gradients(partial(way, weights=given), guess, truth)
                want = gradients(partial(twin, weights=given), guess, truth)
                wide = given if given is None else given.double()
                best = gradients(partial(twin, weights=wide), guess.double(), truth.double())
                case = (name, reduction, dtype, given is not None)
                assert ((got[0] - want[0]).abs() <= 16 * eps * want[0].abs().clamp(min=1)).all(), case
                odd = 6 if reduction in ("none", "sum") else 5
                for x, y, z in zip(got[1:], want[1:], best[1:], strict=True):
                    assert x.isfinite().all(), case
                    # Gradients are one over a length; those of equal boxes cancel.
                    scale = y.abs().amax(dim=1, keepdim=True) + 1 / length
                    assert ((x - y).abs() <= 64 * eps * scale)[:odd].all(), case
                    off, theirs = (((side - z).abs() / scale)[6:].max().item() for side in (x, y))
                    # Nothing is wider than float64: as many last places as array code may lose in float32.
                    allowed = 2 * theirs + 16 * eps if dtype == torch.float32 else 1024 * eps
                    assert off <= allowed, (*case, off / eps, theirs / eps)
    assert registry.LANES["loss", "ciou", "cuda"] is not registry._handed_back


def check_few_rows_are_added_up_where_they_are_made():
    for count in (1, 3, 64, 1000, 1024, 1025):
        guess, truth = (side[10:] for side in pairs(count + 10))
        for name in NAMES:
            for reduction in ("mean", "sum"):
                way, twin = partial(getattr(losses, name), reduction=reduction), MEASURES[name]
                got = gradients(way, guess, truth)
                want = gradients(partial(_array_code, twin, reduction=reduction, weights=None), guess, truth)
                for x, y in zip(got, want, strict=True):
                    assert torch.allclose(x, y, rtol=1e-4, atol=1e-5), (count, name, reduction)


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
    assert lane.serve_loss(MEASURES["iou"].plain, guess, truth.double(), ("mean", None)) is None
