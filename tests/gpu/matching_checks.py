"""The best partners, anchors and greedy matching: the choices of the compiled kernels of the CPU, ties included."""

from __future__ import annotations

import numpy as np
import torch
from selection_checks import whole

import vesica
from scenes import boxes, crowd, strange
from vesica import Boxes, anchors
from vesica._kernels import pick, pick_arrays
from vesica.overlaps.measures import MEASURES
from vesica.regions import comparable


def on_host(table):
    return Boxes(table.cpu().numpy(), check=False)


def same(got, want, case):
    for x, y in zip(got, want, strict=True):
        assert np.array_equal(x.cpu().numpy(), np.asarray(y), equal_nan=np.asarray(y).dtype.kind == "f"), case


def check_best():
    for a, b in (
        (boxes(300, 1), boxes(2000, 2)),
        (whole(200)[0], whole(700, 2)[0]),
        (strange(50), strange(60, 1)),
        (boxes(9000, 1), boxes(30, 2)),
        (boxes(40, 1, dtype=torch.float64), boxes(50, 2, dtype=torch.float64)),
        (boxes(40, 1, dtype=torch.int64), boxes(50, 2, dtype=torch.int64)),
        (boxes(40, 1, dtype=torch.float16), boxes(50, 2, dtype=torch.float16)),
    ):
        x, y = Boxes(a, check=False), Boxes(b, check=False)
        for k in (1, 5, 70):
            for name in ("iou", "giou", "dice"):
                got, want = vesica.best(x, y, k=k, measure=name), vesica.best(on_host(a), on_host(b), k=k, measure=name)
                same(got, want, (name, k, a.shape, a.dtype))
    for name in set(MEASURES) - {"distance"}:
        assert pick("best", comparable(a, b, aligned=False), MEASURES[name].plain).backend == "triton"


def check_anchors():
    for table, truths in (
        (boxes(5000, 1), boxes(60, 2)),
        (whole(3000)[0], whole(40, 2)[0]),
        (boxes(500, 1, dtype=torch.float64), boxes(1, 2, dtype=torch.float64)),
    ):
        for offsets in (None, [0, 20, 20, len(truths)] if len(truths) > 20 else [0, 0, 1]):
            for options in ({}, {"positive": 0.5, "negative": 0.4, "low_quality": False}):
                got = anchors.assign(Boxes(table, check=False), Boxes(truths, check=False), offsets=offsets, **options)
                want = anchors.assign(on_host(table), on_host(truths), offsets=offsets, **options)
                same((got.truth, got.value), (want.truth, want.value), (table.shape, offsets, options))
    empty = anchors.assign(boxes(10), boxes(0))
    assert empty.truth.tolist() == [-1] * 10


def check_match():
    for truth, guess, scores in (
        (crowd(2000, 1)[0], *crowd(3000, 2)),
        (whole(500)[0], *whole(900, 2)),
        (boxes(20_000, 1, size=2000.0), boxes(30_000, 2, size=2000.0), torch.rand(30_000).cuda()),
        (crowd(1, 1)[0], *crowd(500, 2, objects=1)),
        (boxes(5, 1), boxes(0), torch.zeros(0, device="cuda")),
    ):
        for ranks in (None, scores):
            for at_least in (0.5, 0.1):
                got = vesica.match(
                    Boxes(truth, check=False), Boxes(guess, check=False), scores=ranks, at_least=at_least
                )
                host = None if ranks is None else ranks.cpu().numpy()
                want = vesica.match(on_host(truth), on_host(guess), scores=host, at_least=at_least)
                columns = ("truth", "guess", "value", "guess_of", "truth_of")
                same([getattr(got, c) for c in columns], [getattr(want, c) for c in columns], (truth.shape, at_least))
    pairs = vesica.join(truth, boxes(3), at_least=0.5)
    assert pick_arrays("match", "pairs", pairs.value).backend == "triton"


def check_match_says_what_is_wrong():
    scores = torch.rand(100, device="cuda")
    scores[[7, 9]] = torch.nan
    said = ""
    try:
        vesica.match(boxes(50), boxes(100, 1), scores=scores)
    except ValueError as error:
        said = str(error)
    assert "got NaN in row 7" in said


def check_nothing_waits():
    table, truths = boxes(3000, 1), boxes(40, 2)
    for _ in range(2):
        vesica.best(table, truths, k=3)
        anchors.assign(table, truths)
        torch.cuda.set_sync_debug_mode("error")
    torch.cuda.set_sync_debug_mode("default")
