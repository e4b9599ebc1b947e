"""How fast vesica is on a CUDA device, with the limit beside each row: `make bench-gpu`.

It needs torch, triton and vesica alone; torchvision is timed where it is there. Answers are compared first: tests/gpu.
"""

from __future__ import annotations

import functools
import math
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

import vesica
from vesica import losses
from vesica._kernels.generic import measure as generic
from vesica.overlaps.measures import MEASURES
from vesica.regions import comparable

try:
    import torchvision
except (ImportError, RuntimeError):
    torchvision = None

CUDA = torch.device("cuda")


def scattered(n: int, seed: int = 0, *, size: float = 1000.0, side: float = 100.0) -> Any:
    random = torch.Generator("cpu").manual_seed(seed)
    corner = torch.rand((n, 2), generator=random) * size
    return torch.cat([corner, corner + 1 + torch.rand((n, 2), generator=random) * side], dim=1).to(CUDA)


def crowd(n: int, seed: int = 0, *, objects: int | None = None, size: float = 640.0) -> tuple[Any, Any]:
    """Proposals around objects, with scores."""
    random = torch.Generator("cpu").manual_seed(seed)
    count = objects or max(1, n // 50)
    centre, sides = torch.rand((count, 2), generator=random) * size, 20 + torch.rand((count, 2), generator=random) * 80
    which = torch.randint(0, count, (n,), generator=random)
    middle = centre[which] + torch.randn((n, 2), generator=random) * sides[which] * 0.15
    half = sides[which] * (0.4 + 0.2 * torch.rand((n, 2), generator=random))
    scores = torch.rand(n, generator=random)
    return torch.cat([middle - half, middle + half], dim=1).to(CUDA), scores.to(CUDA)


def ellipses(n: int, seed: int, *, height: int = 1080, width: int = 1920) -> Any:
    """Masks of objects of all sizes, from 20 to 600 pixels across."""
    random = torch.Generator("cpu").manual_seed(seed)
    half = 10 * 30 ** torch.rand((n, 2), generator=random)
    centre = torch.rand((n, 2), generator=random) * torch.tensor([width, height])
    stack = torch.empty((n, height, width), dtype=torch.bool, device=CUDA)
    x, y = torch.arange(width, device=CUDA)[None, :], torch.arange(height, device=CUDA)[:, None]
    for k, ((across, up), (cx, cy)) in enumerate(zip(half.tolist(), centre.tolist(), strict=True)):
        stack[k] = ((x - cx) / across) ** 2 + ((y - cy) / up) ** 2 <= 1
    return stack


def dice(a: Any, b: Any) -> Any:
    return vesica.dice(a, b, aligned=True)


def on_device(work: Callable[[], Any], repeats: int = 25) -> float:
    """Milliseconds of the device: it is kept busy until all of the call is queued."""
    room = torch.empty(1 << 30, dtype=torch.uint8, device=CUDA)
    for _ in range(3):
        work()
    times = []
    for _ in range(repeats):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        room.zero_()
        begin.record()
        work()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times)


def whole_call(work: Callable[[], Any], repeats: int = 25, *, warm: int = 3) -> float:
    """Milliseconds from the call to its answer."""
    for _ in range(warm):
        work()
    times = []
    for _ in range(repeats):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        work()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(times)


def extra_memory(work: Callable[[], Any]) -> float:
    """MB at the peak, beside the answer."""
    work()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    answer = work()
    torch.cuda.synchronize()
    return (torch.cuda.max_memory_allocated() - before - answer.numel() * answer.element_size()) / 1e6


def row(name: str, limit: str, peer: Callable[[], Any] | None, ours: float, target: str, how: Any = on_device) -> None:
    other = "–"
    if peer is not None:
        try:
            other = f"{how(peer, 3):.3f}"
        except Exception as error:
            other = type(error).__name__
    print(f"| {name} | {limit} | {other} | {ours:.4f} | {target} |", flush=True)


def pair_row(name: str, ours: Callable[[], Any], peer: Callable[[], Any]) -> None:
    """Two ways of compiled code, a call each in turn: the host varies by more than they differ."""
    times: list[list[float]] = [[], []]
    for _ in range(100):
        for way, own in zip((ours, peer), times, strict=True):
            own.append(whole_call(way, 1, warm=0))
    here, there = (statistics.median(own[10:]) for own in times)
    print(f"| {name} | by hand | {there:.3f} | {here:.4f} | ≤ by hand |", flush=True)


def measures() -> None:
    a, b = scattered(10_000, 1), scattered(10_000, 2)
    out = torch.empty((10_000, 10_000), device=CUDA)
    fill = f"fill {on_device(lambda: out.fill_(1.0)):.4f}"
    tv = torchvision and torchvision.ops
    peers = {"iou": tv and tv.box_iou, "giou": tv and tv.generalized_box_iou, "diou": tv and tv.distance_box_iou}
    peers["ciou"] = tv and tv.complete_box_iou
    for name in ("iou", "giou", "diou", "ciou", "dice", "eiou"):
        measure, peer = MEASURES[name], peers.get(name)
        target = {"iou": "≤ 0.12", "giou": "≤ 0.14", "diou": "≤ 0.14", "ciou": "≤ 0.18"}.get(name, "–")
        ours = on_device(lambda measure=measure: measure(a, b))
        row(f"{name} 10 000²", fill, (lambda peer=peer: peer(a, b)) if peer else None, ours, target)
    print(f"| iou 10 000²: MB beside the answer | 0 | | {extra_memory(lambda: vesica.iou(a, b)):.1f} | 0 |")
    a, b = a[:1000].contiguous(), b[:1000].contiguous()
    peer = tv and (lambda: tv.box_iou(a, b))
    row("iou 1000², whole call", "launch", peer, whole_call(lambda: vesica.iou(a, b), 200), "≤ 0.06", whole_call)
    row("ciou 1000², whole call", "launch", None, whole_call(lambda: vesica.ciou(a, b), 200), "–")
    row("iou 1000², device", "launch", peer, on_device(lambda: vesica.iou(a, b), 100), "–")


def gradients() -> None:
    """Forward and backward of measures of every pair, beside array code."""
    a, b = scattered(10_000, 1), scattered(10_000, 2)

    def step(name: str, way: Callable[..., Any], learners: int) -> None:
        sides = [side.detach().requires_grad_(k < learners) for k, side in enumerate((a, b))]
        way(MEASURES[name], *sides).sum().backward()

    def ours(measure: Any, x: Any, y: Any) -> Any:
        return measure(x, y)

    def array_code(measure: Any, x: Any, y: Any) -> Any:
        return generic.measure(comparable(x, y, aligned=False), measure.plain, aligned=False, threads=None)

    for name in ("iou", "giou", "diou", "ciou", "eiou"):
        for learners in (1, 2):
            sides = "one side learns" if learners == 1 else "both learn"
            took = on_device(lambda name=name, learners=learners: step(name, ours, learners), 10)
            peer = functools.partial(step, name, array_code, learners)
            row(f"{name} 10 000² forward and backward, {sides}", "array code", peer, took, "–")
    small = whole_call(lambda: vesica.giou(a[:1000].detach().requires_grad_(), b[:1000]).sum().backward(), 50)
    row("giou 1000² forward and backward, whole call", "autograd", None, small, "–")
    x, y = scattered(1_000_000, 1), scattered(1_000_000, 2)
    took = on_device(lambda: vesica.giou(x.detach().requires_grad_(), y, aligned=True).sum().backward(), 10)
    row("giou of 1 000 000 aligned, forward and backward", "–", None, took, "–")


def joins() -> None:
    for n, side, target in ((100_000, 10_000.0, "≤ 2"), (1_000_000, 32_000.0, "≤ 15")):
        a, b = scattered(n, 1, size=side), scattered(n, 2, size=side)
        ours = whole_call(lambda a=a, b=b: vesica.join(a, b, at_least=0.5), 5)
        row(f"join {n:,} × {n:,} scattered, at 0.5", "sort", None, ours, target)


def selections() -> None:
    tv = torchvision and torchvision.ops
    for name, (table, scores), target in (
        ("8 400 YOLO-like", crowd(8400, 1, objects=40), "≤ 0.4"),
        ("100 000 scattered", (scattered(100_000, 1, size=10_000.0), torch.rand(100_000, device=CUDA)), "≤ 3"),
        ("200 000 scattered", (scattered(200_000, 1, size=14_000.0), torch.rand(200_000, device=CUDA)), "≤ 5"),
        ("100 000 crowded", crowd(100_000, 1, size=10_000.0), "≤ 3"),
    ):
        # Of 200 000 it takes more than two seconds.
        peer = tv and len(table) < 200_000 and (lambda table=table, scores=scores: tv.nms(table, scores, 0.5))
        ours = whole_call(lambda table=table, scores=scores: vesica.nms(table, scores), 15)
        row(f"nms {name}", "sort", peer or None, ours, target, whole_call)
    pairs = [crowd(8400, k, objects=40) for k in range(8)]
    table, scores = torch.stack([one for one, _ in pairs]), torch.stack([one for _, one in pairs])
    ours = whole_call(lambda: vesica.nms_padded(table, scores, limit=300), 3)
    row("nms_padded 8 × 8 400, limit 300", "–", None, ours, "≤ 1.5")


def matchings() -> None:
    a, b, many = scattered(10_000, 1), scattered(10_000, 2), scattered(100_000, 3)
    row("best 10 000²", "iou 0.12", None, on_device(lambda: vesica.best(a, b), 10), "–")
    row("best 100 × 100 000", "–", None, on_device(lambda: vesica.best(a[:100], many), 10), "–")
    truths, offsets = scattered(240, 2), list(range(0, 241, 30))
    ours = whole_call(lambda: vesica.anchors.assign(many, truths, offsets=offsets), 10)
    row("anchors 8 images × 30 truths × 100 000, whole call", "–", None, ours, "–")
    left, right = scattered(100_000, 1, size=10_000.0), scattered(100_000, 2, size=10_000.0)
    scores = torch.rand(100_000, device=CUDA)
    ours = whole_call(lambda: vesica.match(left, right, scores=scores, at_least=0.3), 5)
    row("match 100 000 × 100 000 scattered, at 0.3, whole call", "join", None, ours, "–")


def maps() -> None:
    random = torch.Generator("cpu").manual_seed(0)
    truth, guess = (torch.randint(0, 19, (8, 1024, 2048), generator=random).to(torch.uint8).to(CUDA) for _ in range(2))
    for count, target in ((1, "≤ 0.035"), (8, "≤ 0.1")):
        x, y = truth[:count].contiguous(), guess[:count].contiguous()
        evaluator = vesica.SegmentationEvaluator(categories=19)

        def update(x: Any = x, y: Any = y, evaluator: Any = evaluator) -> None:
            evaluator.update(x, y)

        def peer(x: Any = x, y: Any = y) -> Any:
            return torch.bincount((x.flatten().int() * 19 + y.flatten()), minlength=361)

        name = f"label maps {count} × 1024×2048, 19 classes"
        row(f"{name}, device", "read", peer, on_device(update), target)
        row(f"{name}, whole call", "read", peer, whole_call(update), "–", whole_call)


def training() -> None:
    for n in (1000, 100_000, 1_000_000):
        guess, truth = scattered(n, 1), scattered(n, 2)

        def ours(guess: Any = guess, truth: Any = truth) -> None:
            learnt = guess.detach().requires_grad_()
            losses.ciou(learnt, truth).backward()

        def peer(guess: Any = guess, truth: Any = truth) -> None:
            learnt = guess.detach().requires_grad_()
            torchvision.ops.complete_box_iou_loss(learnt, truth, reduction="mean").backward()

        took = whole_call(ours)
        row(f"ciou loss forward and backward, {n:,}", "–", torchvision and peer, took, "≤ 0.25", whole_call)


def iou_by_hand(a: Any, b: Any) -> Any:
    """As anybody writes it."""
    low, high = torch.maximum(a[:, None, :2], b[None, :, :2]), torch.minimum(a[:, None, 2:], b[None, :, 2:])
    inter = (high - low).clamp(0).prod(-1)
    area_a, area_b = ((side[:, 2:] - side[:, :2]).prod(-1) for side in (a, b))
    return inter / (area_a[:, None] + area_b[None] - inter)


def giou_by_hand(a: Any, b: Any) -> Any:
    low, high = torch.maximum(a[:, None, :2], b[None, :, :2]), torch.minimum(a[:, None, 2:], b[None, :, 2:])
    inter = (high - low).clamp(0).prod(-1)
    area_a, area_b = ((side[:, 2:] - side[:, :2]).prod(-1) for side in (a, b))
    union = area_a[:, None] + area_b[None] - inter
    hull = (torch.maximum(a[:, None, 2:], b[None, :, 2:]) - torch.minimum(a[:, None, :2], b[None, :, :2])).prod(-1)
    return inter / union - (hull - union) / hull


def giou_loss_by_hand(a: Any, b: Any) -> Any:
    w, h = ((torch.minimum(a[:, k + 2], b[:, k + 2]) - torch.maximum(a[:, k], b[:, k])).clamp(0) for k in (0, 1))
    area_a, area_b = ((side[:, 2] - side[:, 0]) * (side[:, 3] - side[:, 1]) for side in (a, b))
    union = area_a + area_b - w * h
    v, u = (torch.maximum(a[:, k + 2], b[:, k + 2]) - torch.minimum(a[:, k], b[:, k]) for k in (0, 1))
    return (1 - w * h / (union + 1e-7) + (v * u - union) / (v * u + 1e-7)).mean()


def ciou_loss_by_hand(a: Any, b: Any) -> Any:
    w, h = ((torch.minimum(a[:, k + 2], b[:, k + 2]) - torch.maximum(a[:, k], b[:, k])).clamp(0) for k in (0, 1))
    (wa, ha), (wb, hb) = ((side[:, 2] - side[:, 0], side[:, 3] - side[:, 1]) for side in (a, b))
    shared = w * h / (wa * ha + wb * hb - w * h + 1e-7)
    v, u = (torch.maximum(a[:, k + 2], b[:, k + 2]) - torch.minimum(a[:, k], b[:, k]) for k in (0, 1))
    x, y = (a[:, k] + a[:, k + 2] - b[:, k] - b[:, k + 2] for k in (0, 1))
    apart = (x * x + y * y) / 4 / (v * v + u * u + 1e-7)
    turn = torch.atan(wa / (ha + 1e-7)) - torch.atan(wb / (hb + 1e-7))
    shape = 4 / math.pi**2 * turn * turn
    with torch.no_grad():
        weight = shape / (1 - shared + shape + 1e-7)
    return (1 - shared + apart + weight * shape).mean()


def compiled() -> None:
    """Inside torch.compile, beside formulas that are written by hand and compiled."""
    a, b = scattered(10_000, 1), scattered(10_000, 2)
    ours, peer = (torch.compile(call, fullgraph=True) for call in (lambda x, y: vesica.iou(x, y), iou_by_hand))
    row("iou 10 000², compiled", "fill", lambda: peer(a, b), on_device(lambda: ours(a, b)), "≤ by hand")
    learns, peer_learns = (torch.compile(call, fullgraph=True, dynamic=False) for call in (vesica.giou, giou_by_hand))
    for n in (1000, 10_000):
        x, y = a[:n].contiguous(), b[:n].contiguous()

        def pairs(way: Callable[[Any, Any], Any], x: Any = x, y: Any = y) -> None:
            way(x.detach().requires_grad_(), y).sum().backward()

        took = whole_call(functools.partial(pairs, learns), 15)
        peer_pairs = functools.partial(pairs, peer_learns)
        row(f"giou {n:,}² forward and backward, compiled", "–", peer_pairs, took, "≤ by hand", whole_call)
    for name, by_hand in (("giou", giou_loss_by_hand), ("ciou", ciou_loss_by_hand)):
        loss = getattr(losses, name)
        learns, peer_learns = (
            torch.compile(call, fullgraph=True, dynamic=False) for call in (lambda x, y, loss=loss: loss(x, y), by_hand)
        )
        for n in (1000, 100_000, 1_000_000):
            guess, truth = scattered(n, 1), scattered(n, 2)

            def step(way: Callable[[Any, Any], Any], guess: Any = guess, truth: Any = truth) -> None:
                way(guess.detach().requires_grad_(), truth).backward()

            ways = functools.partial(step, learns), functools.partial(step, peer_learns)
            pair_row(f"{name} loss, {n:,}, compiled", *ways)


def with_jax() -> None:
    """Array code that jax.jit compiles: there are no kernels of ours for JAX."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    try:
        import jax
    except ImportError:
        print("| with JAX | | | not installed | |")
        return
    if jax.default_backend() == "cpu":
        print("| with JAX | | | it sees no device | |")
        return
    a, b = (jax.numpy.asarray(scattered(10_000, seed).cpu().numpy()) for seed in (1, 2))
    for name in ("iou", "giou", "ciou"):
        call = jax.jit(MEASURES[name])
        row(f"{name} 10 000², jax.jit", "fill", None, whole_call(lambda call=call: call(a, b).block_until_ready()), "–")
    learn = jax.jit(jax.value_and_grad(losses.ciou))
    for n in (1000, 1_000_000):
        x, y = (jax.numpy.asarray(scattered(n, seed).cpu().numpy()) for seed in (1, 2))
        took = whole_call(lambda x=x, y=y: jax.block_until_ready(learn(x, y)))
        row(f"ciou loss and its gradient, {n:,}, jax.jit", "–", None, took, "–")


def others() -> None:
    random = torch.Generator("cpu").manual_seed(0)
    columns = torch.rand((1000, 5), generator=random) * torch.tensor([500, 500, 90, 90, 360]) + 1
    rotated = vesica.RotatedBoxes(columns.to(CUDA), unit="deg", direction="cw")
    row("rotated iou 1000²", "–", None, on_device(lambda: vesica.iou(rotated, rotated), 5), "≤ 0.15")
    for n, limit, target in ((300, "read 0.3", "≤ 2"), (1000, "read 1.0", "≤ 6")):
        truth, guess = (torch.rand((n, 1080, 1920), device=CUDA) < 0.3 for _ in range(2))
        ours = on_device(lambda a=truth, b=guess: vesica.iou(a, b), 5)
        row(f"masks {n}² at 2 MP, noise", limit, None, ours, target)
        row(f"masks {n}² at 2 MP, noise with itself", limit, None, on_device(lambda a=truth: vesica.iou(a, a), 5), "–")
        row(f"masks {n} aligned at 2 MP", limit, None, on_device(lambda a=truth, b=guess: dice(a, b), 5), "–")
        truth, guess = ellipses(n, 1), ellipses(n, 2)
        ours = on_device(lambda a=truth, b=guess: vesica.iou(a, b), 5)
        row(f"masks {n}² at 2 MP, objects", limit, None, ours, "–")
        print(f"|   MB beside the answer | | | {extra_memory(lambda a=truth, b=guess: vesica.iou(a, b)):.1f} | |")
        runs = vesica.RleMasks.from_masks(guess.cpu().numpy())

        def peer(a: Any = truth, runs: Any = runs) -> Any:
            return vesica.iou(a, torch.from_numpy(runs.to_masks().array).to(CUDA))

        ours = whole_call(lambda a=truth, runs=runs: vesica.iou(a, runs), 5)
        row(f"masks {n}² at 2 MP, objects, with run lengths, whole call", "–", peer, ours, "–", whole_call)


PARTS = {
    part.__name__: part
    for part in (measures, gradients, joins, selections, matchings, maps, training, compiled, others, with_jax)
}


def main() -> None:
    print(torch.cuda.get_device_name(), "torch", torch.__version__, "vesica", vesica.__version__)
    print("| call | limit | torchvision / torch | vesica, ms | to reach |\n|---|---|---|---|---|")
    for name in sys.argv[1:] or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main()
