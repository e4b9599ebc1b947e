"""Boxes and label maps on the device."""

from __future__ import annotations

import torch

CUDA = torch.device("cuda")


def boxes(n, seed=0, *, size=1000.0, side=100.0, dtype=torch.float32):
    """Scattered boxes, among them equal ones, points and lines."""
    random = torch.Generator("cpu").manual_seed(seed)
    corner = torch.rand((n, 2), generator=random, dtype=torch.float64) * size
    sides = torch.rand((n, 2), generator=random, dtype=torch.float64) * side
    table = torch.cat([corner, corner + sides], dim=1)
    if n > 3:
        table[1] = table[0]
        table[2, 2:] = table[2, :2]
        table[3, 2] = table[3, 0]
    return table.to(dtype).to(CUDA)


def strange(n, seed=0):
    """NaN, infinity, inverted and tiny ones among them."""
    table = boxes(n, seed)
    table[0, 0], table[1, 3] = torch.nan, torch.inf
    table[2] = torch.tensor([5.0, 5, 3, 9], device=CUDA)
    table[3:5] *= 1e-20
    table[5:7] *= 1e16
    return table


def crowd(n, seed=0, *, objects=None, size=4000.0):
    """Proposals that crowd around objects, with scores."""
    random = torch.Generator("cpu").manual_seed(seed)
    count = objects or max(1, n // 50)
    centre = torch.rand((count, 2), generator=random) * size
    sides = 20 + torch.rand((count, 2), generator=random) * 80
    which = torch.randint(0, count, (n,), generator=random)
    middle = centre[which] + torch.randn((n, 2), generator=random) * sides[which] * 0.1
    half = sides[which] * (0.5 + 0.1 * torch.rand((n, 2), generator=random))
    scores = torch.rand(n, generator=random)
    return torch.cat([middle - half, middle + half], dim=1).to(CUDA), scores.to(CUDA)


def maps(shape, classes, seed=0, dtype=torch.uint8):
    """Label maps with patches of one label, as in images."""
    random = torch.Generator("cpu").manual_seed(seed)
    *batch, h, w = shape
    coarse = torch.randint(0, classes, (*batch, -(-h // 16), -(-w // 16)), generator=random)
    fine = coarse.repeat_interleave(16, -1).repeat_interleave(16, -2)[..., :h, :w].contiguous()
    noise = torch.rand(fine.shape, generator=random) < 0.05
    fine[noise] = torch.randint(0, classes, (int(noise.sum()),), generator=random)
    return fine.to(dtype).to(CUDA)
