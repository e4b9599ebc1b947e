"""Peers for detection scores: two files in, twelve numbers out, each as its own people write it.

A script is a generator that names each phase when it is over, and in the end returns what shows its answer. It stands
at the start of a process that is timed, so this file imports nothing that the peers do not.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from importlib import import_module
from typing import Any, NamedTuple

LIMITS = [1, 10, 100]
CURVES = ("precision", "recall", "scores")
COCO_NAMES = {"box": "bbox", "mask": "segm", "boundary": "boundary"}


class Job(NamedTuple):
    """What to score, and with how many threads."""

    regions: str
    truth: str
    guess: str
    threads: int


Answer = Callable[[], dict[str, Any]]
"""`stats`, and `precision`, `recall` and `scores` where they can be had."""
Script = Callable[[Job], Generator[str, None, Answer]]


def _drop_in(package: str, coco: str, evaluation: str, **options: str) -> Script:
    """The interface of pycocotools. `options` are named after the number of threads."""

    def script(job: Job) -> Generator[str, None, Answer]:
        load = import_module(f"{package}.{coco}" if coco else package).COCO
        place, _, name = evaluation.rpartition(".")
        evaluator = getattr(import_module(f"{package}.{place}" if place else package), name)
        yield "import"

        truth = load(job.truth)
        guess = truth.loadRes(job.guess)
        yield "load"

        scored = evaluator(truth, guess, COCO_NAMES[job.regions], **dict.fromkeys(options.values(), job.threads))
        scored.evaluate()
        scored.accumulate()
        scored.summarize()
        yield "evaluate"

        return lambda: {"stats": scored.stats, **{name: scored.eval[name] for name in CURVES}}

    return script


def _vernier(job: Job) -> Generator[str, None, Answer]:
    from pathlib import Path

    from vernier import instance

    yield "import"

    truth = instance.CocoDataset.from_json(Path(job.truth).read_bytes())
    guess = Path(job.guess).read_bytes()
    yield "load"

    regions = {"box": instance.Bbox, "mask": instance.Segm, "boundary": instance.Boundary}[job.regions]()
    evaluator = instance.Evaluator(iou=regions, parity_mode="strict")
    summary = evaluator.evaluate(truth, guess, num_threads=job.threads)
    yield "evaluate"

    def answer() -> dict[str, Any]:
        from vernier import _core

        grid = getattr(_core, f"evaluate_{COCO_NAMES[job.regions]}_grid")
        more = {"dilation_ratio": regions.dilation_ratio} if job.regions == "boundary" else {}
        cells = grid(truth, guess, parity_mode="strict", max_dets_per_image=LIMITS[-1], use_cats=True, **more)
        curves = cells.accumulate(LIMITS)
        return {"stats": summary.stats, **{name: getattr(curves, name) for name in CURVES}}

    return answer


TORCHMETRICS_NAMES = (
    *("map", "map_50", "map_75", "map_small", "map_medium", "map_large"),
    *("mar_1", "mar_10", "mar_100", "mar_small", "mar_medium", "mar_large"),
)


def _torchmetrics(job: Job) -> Generator[str, None, Answer]:
    """A dict of tensors for each image, as its users make them; with the faster of its two backends."""
    import json
    from pathlib import Path

    import torch

    make = metric_type()
    yield "import"

    truth, guess = (json.loads(Path(path).read_bytes()) for path in (job.truth, job.guess))
    yield "load"

    image_ids = [image["id"] for image in truth["images"]]
    targets = _tensors(torch, truth["annotations"], image_ids, area=("area", float), iscrowd=("iscrowd", int))
    metric = make(box_format="xywh", backend="faster_coco_eval")
    metric.warn_on_many_detections = False
    metric.update(_tensors(torch, guess, image_ids, scores=("score", float)), targets)
    found = metric.compute()
    yield "evaluate"

    return lambda: {"stats": [float(found[name]) for name in TORCHMETRICS_NAMES]}


def metric_type() -> Any:
    """It asks for torchvision, to turn xywh into xywh; where that does not work with this torch, a stand-in does so."""
    from torchmetrics.detection import mean_ap

    try:
        import torchvision.ops  # noqa: F401
    except Exception:  # not installed, or built for another torch
        import sys
        from types import ModuleType

        stand_in = ModuleType("torchvision.ops")
        stand_in.box_convert = lambda boxes, in_fmt, out_fmt: boxes.clone()  # type: ignore[attr-defined]
        sys.modules["torchvision.ops"] = stand_in
        sys.modules["torchvision"] = ModuleType("torchvision")
        mean_ap._TORCHVISION_AVAILABLE = True
    return mean_ap.MeanAveragePrecision


def _tensors(torch: Any, rows: list[dict[str, Any]], image_ids: list[int], **more: tuple[str, type]) -> list[Any]:
    by_image: dict[int, list[dict[str, Any]]] = {image_id: [] for image_id in image_ids}
    for row in rows:
        by_image[row["image_id"]].append(row)
    return [
        {
            "boxes": torch.tensor([row["bbox"] for row in found]).reshape(-1, 4),
            "labels": torch.tensor([row["category_id"] for row in found], dtype=torch.int64),
            **{name: torch.tensor([kind(row[key]) for row in found]) for name, (key, kind) in more.items()},
        }
        for found in by_image.values()
    ]


DETECTION_PEERS: dict[str, Script] = {
    "pycocotools": _drop_in("pycocotools", "coco", "cocoeval.COCOeval"),
    "hotcoco": _drop_in("hotcoco", "", "COCOeval"),
    "ultrafast": _drop_in("ultrafast_pycocotools", "", "COCOeval"),
    "vernier": _vernier,
    "faster_coco_eval": _drop_in(
        "faster_coco_eval", "", "COCOeval_faster", runs="rle_iou_max_workers", boundary="boundary_cpu_count"
    ),
    "torchmetrics": _torchmetrics,
}
