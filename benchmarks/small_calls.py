"""Small calls: every public function with N regions, where what a call costs by itself is what it costs.

`python -m benchmarks.small_calls timed N` times all of them in one process, in turns; `faults` compares answers first.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.answers import compare
from benchmarks.cell import foreign_seconds

Call = Callable[[], Any]
# Samples of a call, and the seconds that one takes at least: so short that most of them are over before another process
# has its turn.
REPEATS, SAMPLE = 51, 2e-4
ROUNDING = 1e-12


@dataclass(frozen=True)
class Small:
    """What N regions are, drawn once for all calls of a process."""

    n: int

    def rows(self, seed: int) -> np.ndarray:
        """Boxes that often overlap."""
        rng = np.random.default_rng(seed)
        corner = rng.uniform(0, 300, (self.n, 2))
        return np.concatenate([corner, corner + rng.uniform(20, 120, (self.n, 2))], axis=1)

    def scores(self) -> np.ndarray:
        return np.random.default_rng(7).permutation(self.n) / self.n

    def matrix(self) -> np.ndarray:
        return np.random.default_rng(8).random((self.n, self.n))

    def masks(self) -> np.ndarray:
        return np.random.default_rng(9).random((self.n, 32, 32)) < 0.3


def calls(small: Small) -> dict[str, Call]:
    """Ours, by what is called; behind a comma with what."""
    import vesica
    from vesica import Boxes

    a, b, scores, matrix = small.rows(1), small.rows(2), small.scores(), small.matrix()
    left, right = Boxes(a), Boxes(b)
    measures = "giou diou ciou eiou dice coverage overlap tversky distance".split()
    return {
        "iou, arrays": lambda: vesica.iou(a, b),
        "iou, Boxes": lambda: vesica.iou(left, right),
        "iou, aligned": lambda: vesica.iou(a, b, aligned=True),
        **{name: _bound(getattr(vesica, name), a, b) for name in measures},
        "parts": lambda: vesica.parts(a, b),
        "best": lambda: vesica.best(a, b),
        "join": lambda: vesica.join(a, b, at_least=0.5),
        "match": lambda: vesica.match(a, b),
        "match, scores": lambda: vesica.match(a, b, scores=scores),
        "match, optimal": lambda: vesica.match(a, b, how="optimal"),
        "assign": lambda: vesica.assign(matrix, minimise=True, complete=True),
        "nms": lambda: vesica.nms(a, scores),
        "nms_ragged": lambda: vesica.nms_ragged(a, scores, np.array([0, small.n])),
        "nms_padded": lambda: vesica.nms_padded(a[None], scores[None], limit=10),
        "soft_nms": lambda: vesica.soft_nms(a, scores),
        "nmm": lambda: vesica.nmm(a, scores),
        "fuse": lambda: vesica.fuse(a, scores),
        **_collections(small, a),
        **_modules(small, a, b),
        **_scores(small, a, b, scores),
        **_map_scores(small),
    }


def _bound(function: Callable[..., Any], *arguments: Any) -> Call:
    return lambda: function(*arguments)


def _collections(small: Small, a: np.ndarray) -> dict[str, Call]:
    import vesica

    turned = np.concatenate([a[:, :2], a[:, 2:] - a[:, :2], np.full((small.n, 1), 30.0)], axis=1)
    outlines = [np.array([[x, y], [u, y], [u, v], [x, v]]).ravel() for x, y, u, v in a.tolist()]
    masks = small.masks()
    runs = [[100 + k % 9, 300, 624 - k % 9] for k in range(small.n)]
    places, sets = np.argwhere(masks).T, [{k, k + 1, k + 2} for k in range(small.n)]
    labels = np.random.default_rng(3).integers(0, small.n + 1, (32, 32))
    return {
        "Boxes": lambda: vesica.Boxes(a),
        "RotatedBoxes": lambda: vesica.RotatedBoxes(turned, unit="deg", direction="cw"),
        "Polygons": lambda: vesica.Polygons(outlines),
        "Masks": lambda: vesica.Masks(masks),
        "RleMasks": lambda: vesica.RleMasks(runs, size=(32, 32)),
        "SparseMasks": lambda: vesica.SparseMasks(places, size=masks.shape),
        "LabelMap": lambda: vesica.LabelMap(labels),
        "Sets": lambda: vesica.Sets(sets),
    }


def _modules(small: Small, a: np.ndarray, b: np.ndarray) -> dict[str, Call]:
    import vesica

    head = np.random.default_rng(4).random((1, 4 + 3, small.n), np.float32)
    return {
        **{f"losses.{name}": _bound(getattr(vesica.losses, name), a, b) for name in ("iou", "giou", "ciou", "siou")},
        "anchors.assign": lambda: vesica.anchors.assign(a, b),
        "anchors.shape_iou": lambda: vesica.anchors.shape_iou(a[:, 2:], b[:, 2:]),
        "grid.detect": lambda: vesica.grid.detect(head),
    }


def _scores(small: Small, a: np.ndarray, b: np.ndarray, scores: np.ndarray) -> dict[str, Call]:
    """N truths and N guesses of one image."""
    import vesica

    labels = np.zeros(small.n, np.int64)
    truth, guess = {"boxes": a, "labels": labels}, {"boxes": b, "labels": labels, "scores": scores}
    folder = Path(tempfile.mkdtemp(prefix="vesica-small-"))
    objects = [
        {"id": k + 1, "image_id": 1, "category_id": 1, "bbox": [x, y, u - x, v - y], "area": 1.0, "iscrowd": 0}
        for k, (x, y, u, v) in enumerate(a.tolist())
    ]
    image, category = {"id": 1, "width": 640, "height": 480, "file_name": "1.jpg"}, {"id": 1, "name": "thing"}
    file = folder / "truth.json"
    file.write_text(json.dumps({"images": [image], "categories": [category], "annotations": objects}))
    data = vesica.read(file)
    return {
        "evaluate": lambda: vesica.evaluate([truth], [guess])["AP"],
        "Evaluator": lambda: vesica.Evaluator().update(truth, guess),
        "evaluate_agreement": lambda: vesica.evaluate_agreement(a, b)["agreement"],
        "read": lambda: vesica.read(file),
        "write": lambda: vesica.write(folder / "again.json", data, overwrite=True),
    }


def _map_scores(small: Small) -> dict[str, Call]:
    """Label maps of N classes, or of N segments of one class."""
    import vesica

    truth, guess = (np.random.default_rng(seed).integers(0, small.n, (32, 32)) for seed in (5, 6))
    segments = [(labels + 1, dict.fromkeys(range(1, small.n + 1), 1)) for labels in (truth, guess)]
    first, second = ([one] for one in segments)
    categories = {1: "thing"}
    return {
        "evaluate_segmentation": lambda: vesica.evaluate_segmentation(truth, guess)["mIoU"],
        "SegmentationEvaluator": lambda: vesica.SegmentationEvaluator().update(truth, guess),
        "evaluate_panoptic": lambda: vesica.evaluate_panoptic(first, second, categories=categories, things=[1])["PQ"],
        "evaluate_surfaces": lambda: vesica.evaluate_surfaces(truth, guess, categories=[0])["HD95"],
        "surface_distances": lambda: vesica.surface_distances(truth, guess, labels=[0]),
    }


def tensors(small: Small) -> dict[str, Call]:
    """Ours, of tensors on the CPU: timed behind all others, because torch is loaded then."""
    import torch

    import vesica

    a, b, scores = (torch.from_numpy(table) for table in (small.rows(1), small.rows(2), small.scores()))
    return {"iou, tensors": lambda: vesica.iou(a, b), "nms, tensors": lambda: vesica.nms(a, scores)}


def peers(small: Small) -> dict[str, tuple[str, Call, Callable[[Any], Any]]]:
    """For some of our calls the call of a peer: its name, the call, and its answer in our words."""
    import powerboxes
    from scipy.optimize import linear_sum_assignment

    a, b, scores, matrix = small.rows(1), small.rows(2), small.scores(), small.matrix()
    return {
        "iou, arrays": ("powerboxes", lambda: powerboxes.iou_distance(a, b), lambda distance: 1 - distance),
        "giou": ("powerboxes", lambda: powerboxes.giou_distance(a, b), lambda distance: 1 - distance),
        "nms": ("powerboxes", lambda: powerboxes.nms(a, scores, 0.5, 0.0), np.asarray),
        "assign": ("scipy", lambda: linear_sum_assignment(matrix), lambda pairs: pairs[1]),
    }


OURS: Mapping[str, Callable[[Any], np.ndarray]] = {"assign": lambda matches: matches.guess_of}
"""What of our answer a peer's is compared with, where it is not all of it."""


def faults(small: Small) -> list[str]:
    """Where a peer's answer is another one."""
    ours, found = calls(small), []
    for name, (peer, call, in_our_words) in peers(small).items():
        verdict = compare(OURS.get(name, np.asarray)(ours[name]()), in_our_words(call()), ROUNDING)
        if verdict.status != "same":
            found.append(f"{name}, N = {small.n}: {peer} {verdict}")
    return found


def timed(small: Small) -> dict[str, Any]:
    """Seconds of each call, one sample after the other of all of them in turn; and the cores that others used."""
    start, others = time.perf_counter(), foreign_seconds()
    both = {f"{peer} {name}": call for name, (peer, call, _) in peers(small).items()}
    seconds = _sampled(calls(small) | both)
    seconds |= _sampled(tensors(small))
    return {"seconds": seconds, "disturbance": (foreign_seconds() - others) / (time.perf_counter() - start)}


def _sampled(all_calls: Mapping[str, Call]) -> dict[str, list[float]]:
    counts = {name: _count(call) for name, call in all_calls.items()}
    seconds: dict[str, list[float]] = {name: [] for name in all_calls}
    for _ in range(REPEATS):
        for name, call in all_calls.items():
            start = time.perf_counter()
            for _ in range(counts[name]):
                call()
            seconds[name].append((time.perf_counter() - start) / counts[name])
    return seconds


def _count(call: Call) -> int:
    """Calls in a sample. The fastest of some tells, because others may have had their turn in the rest."""
    call()  # the first pays for what is loaded late
    fastest = SAMPLE
    for _ in range(20):
        start = time.perf_counter()
        call()
        fastest = min(fastest, time.perf_counter() - start)
    return math.ceil(SAMPLE / fastest)


if __name__ == "__main__":
    verb, size = sys.argv[1], Small(int(sys.argv[2]))
    print(json.dumps({"timed": timed, "faults": faults}[verb](size)))
