"""Ranks: what each of several processes sends when an epoch is over, and what the first makes of it, by its library.

The way of pycocotools is that of those who build on it: every rank has a list of results as dicts, rank 0 gets them all
as pickles, and evaluates. torchmetrics gathers every tensor of every image, padded to the longest of the ranks.
"""

from __future__ import annotations

import contextlib
import io
import json
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from benchmarks.peers_detection import TORCHMETRICS_NAMES, metric_type
from benchmarks.scale_data import NAMES, PER_IMAGE, Columns, sides, single

Sides = tuple[Columns, Columns]
MEAN = 36
"""Guesses an image."""


class Way(NamedTuple):
    """How a library gathers."""

    given: Callable[[Sides], Any]
    """What a rank has at hand, and the library itself: before anything is timed."""
    send: Callable[[Any], Any]
    size: Callable[[Sequence[Any]], int]
    """Bytes that all ranks send to one."""
    known: Callable[[Sequence[Sides]], Any]
    """What rank 0 has read before: the truths, where they are not sent."""
    score: Callable[[Sequence[Any], Any], list[float]]
    """The twelve numbers of COCO."""


def sides_of(rank: int, ranks: int, images: int) -> Sides:
    """What a rank has seen. No score comes twice on any rank: so nothing depends on the order of ranks."""
    truth, guess = sides(rank, MEAN, images=images)
    place = np.argsort(np.argsort(guess.more["score"], kind="stable"))
    score = (place * ranks + rank + 0.5) / (ranks * images * PER_IMAGE)
    return truth, replace(guess, more={"score": single(score)})


# vesica: records as bytes.


def _columns(sides: Sides) -> Sides:
    import vesica.detection.records  # noqa: F401

    return sides


def _records(sides: Sides) -> bytes:
    from vesica.detection.records import records_of

    truth, guess = (side.dataset() for side in sides)
    return records_of(truth, guess, threads=1).to_bytes()


def _merged(sent: Sequence[bytes], _known: Any) -> list[float]:
    from vesica.detection import Records, merge, summarise

    return list(summarise(merge(*map(Records.from_bytes, sent))).values())[:12]


# pycocotools: dicts.


def _lists(sides: Sides) -> Sides:
    import pycocotools.cocoeval  # noqa: F401

    return sides


def _results(sides: Sides) -> bytes:
    guess = sides[1]
    rows = zip(
        *(column.tolist() for column in (guess.image, guess.category, guess.xywh, guess.more["score"])), strict=True
    )
    names = ("image_id", "category_id", "bbox", "score")
    return pickle.dumps([dict(zip(names, row, strict=True)) for row in rows], protocol=pickle.HIGHEST_PROTOCOL)


def json_size(sent: Sequence[bytes]) -> int:
    """Bytes of the same dicts as JSON, as some write them to files for rank 0."""
    return sum(len(json.dumps(pickle.loads(one))) for one in sent)


def _coco(ranks: Sequence[Sides]) -> Any:
    from pycocotools.coco import COCO

    truth = COCO()
    objects = [row for sides in ranks for row in _annotations(sides[0])]
    truth.dataset = {
        "images": [{"id": int(one)} for sides in ranks for one in sides[0].images],
        "annotations": [{**row, "id": k} for k, row in enumerate(objects, 1)],
        "categories": [{"id": one, "name": name} for one, name in NAMES.items()],
    }
    with contextlib.redirect_stdout(io.StringIO()):
        truth.createIndex()
    return truth


def _annotations(truth: Columns) -> Iterator[dict[str, Any]]:
    columns = (truth.image, truth.category, truth.xywh, truth.xywh[:, 2] * truth.xywh[:, 3], truth.more["crowd"])
    names = ("image_id", "category_id", "bbox", "area", "iscrowd")
    for row in zip(*(column.tolist() for column in columns), strict=True):
        yield dict(zip(names, row, strict=True))


def _evaluated(sent: Sequence[bytes], truth: Any) -> list[float]:
    from pycocotools.cocoeval import COCOeval

    with contextlib.redirect_stdout(io.StringIO()):
        results = list(chain.from_iterable(map(pickle.loads, sent)))
        scored = COCOeval(truth, truth.loadRes(results), "bbox")
        scored.evaluate()
        scored.accumulate()
        scored.summarize()
    return [float(value) for value in scored.stats]


# torchmetrics: tensors of each image.


def _tensors(sides: Sides) -> tuple[list[Any], list[Any]]:
    import torch

    metric_type()

    def by_image(side: Columns, **columns: np.ndarray) -> list[Any]:
        ends = np.searchsorted(side.image, side.images[1:])
        cut = {name: np.split(column, ends) for name, column in columns.items()}
        return [{name: torch.from_numpy(pieces[k]) for name, pieces in cut.items()} for k in range(len(side.images))]

    truth, guess = sides
    area = truth.xywh[:, 2] * truth.xywh[:, 3]
    targets = by_image(
        truth,
        boxes=truth.xywh.astype(np.float32),
        labels=truth.category,
        iscrowd=truth.more["crowd"].astype(np.int64),
        area=area.astype(np.float32),
    )
    score = guess.more["score"].astype(np.float32)
    return by_image(guess, boxes=guess.xywh.astype(np.float32), labels=guess.category, scores=score), targets


def metric_of(given: tuple[list[Any], list[Any]], **options: Any) -> Any:
    """A metric that has seen its images; with its faster backend, and with steps that are not rounded to float32."""
    options |= {
        "iou_thresholds": np.linspace(0.5, 0.95, 10).tolist(),
        "rec_thresholds": np.linspace(0, 1, 101).tolist(),
    }
    metric = metric_type()(box_format="xywh", backend="faster_coco_eval", **options)
    metric.warn_on_many_detections = False
    metric.update(*given)
    return metric


def _states(metric: Any) -> list[Any]:
    """Every tensor, in the order in which they are gathered."""
    return [tensor for name in metric._reductions for tensor in getattr(metric, name)]


def gathered_size(metrics: Sequence[Any]) -> int:
    """Bytes of all ranks: each tensor as long as the longest of them, and before it its shape."""
    total = 0
    for tensors in zip(*map(_states, metrics), strict=True):
        longest = max(tensor.numel() for tensor in tensors)
        total += len(tensors) * (longest * tensors[0].element_size() + 8 * tensors[0].ndim)
    return total


def _computed(metrics: Sequence[Any], _known: Any) -> list[float]:
    """Rank 0 with a stand-in for the network, which hands out at once what the others have."""
    first, waiting = metrics[0], iter(list(zip(*map(_states, metrics), strict=True)))
    first.dist_sync_fn = lambda _tensor, group=None: list(next(waiting))
    first.distributed_available_fn = lambda: True
    found = first.compute()
    return [float(found[name]) for name in TORCHMETRICS_NAMES]


def _nothing(_ranks: Sequence[Sides]) -> None:
    return None


def _total(sent: Sequence[bytes]) -> int:
    return sum(map(len, sent))


WAYS = {
    "vesica": Way(_columns, _records, _total, _nothing, _merged),
    "pycocotools": Way(_lists, _results, _total, _coco, _evaluated),
    "torchmetrics": Way(_tensors, metric_of, gathered_size, _nothing, _computed),
}
