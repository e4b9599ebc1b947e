"""Scores of a detector as a metric of torchmetrics: gathered over processes, merged, pickled, in a MetricCollection."""

from __future__ import annotations

import inspect
import struct
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torchmetrics import Metric

import vesica
from vesica.detection import DetectionResult, Records, merge, summarise

_HEAD = struct.Struct("<?Q")
"""Before each batch of records: have its images ids of their own, and how many bytes follow."""


class DetectionMetric(Metric):  # type: ignore[misc]
    """Average precision and its relatives: `update(preds, target)` as in torchmetrics, `compute()` a dict of numbers.

    The state is records as bytes, so processes with different numbers of images, or with none, are gathered as they
    are. Images that several processes have, because a sampler filled them up, count once if targets carry "image_id".
    Without it, images are taken for different ones.

    Parameters
    ----------
    categories : ids of all categories, or a dict of their names: every batch and process must know the same
    options : those of `vesica.evaluate`, and those of every Metric

    Examples
    --------
    >>> import torch
    >>> metric = DetectionMetric(categories={1: "cat", 2: "dog"})
    >>> target = {"boxes": torch.tensor([[0.0, 0, 10, 10]]), "labels": torch.tensor([1])}
    >>> metric.update([target | {"scores": torch.tensor([0.9])}], [target])
    >>> metric.compute()["AP50"]
    tensor(1.)
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False
    records: Any

    def __init__(self, *, categories: Any, **options: Any) -> None:
        own = inspect.signature(vesica.evaluate).parameters
        super().__init__(**{name: value for name, value in options.items() if name not in own})
        self._options = {"categories": categories} | {name: options[name] for name in options if name in own}
        vesica.Evaluator(**self._options)  # a wrong option is an error here
        self.add_state("records", default=[], dist_reduce_fx="cat")

    def update(self, preds: Any, target: Any, **options: Any) -> None:
        """Match a batch, in the order of torchmetrics; options are those of `vesica.Evaluator.update`."""
        evaluator = vesica.Evaluator(**self._options)
        evaluator.update(target, preds, **options)
        rows = [one for side in (preds, target) for one in (side if isinstance(side, (list, tuple)) else [side])]
        named = any(isinstance(one, Mapping) and one.get("image_id") is not None for one in rows)
        data = evaluator.records().to_bytes()
        head = _HEAD.pack(named or options.get("image") is not None, len(data))
        self.records.append(torch.frombuffer(bytearray(head + data), dtype=torch.uint8).to(self.device))

    def sync(self, *arguments: Any, **options: Any) -> None:
        """Gather all processes; one without images sends no bytes, and still takes part."""
        if isinstance(self.records, list):
            nothing = torch.empty(0, dtype=torch.uint8, device=self.device)
            self.records = [state.to(torch.uint8) for state in self.records] or [nothing]
        super().sync(*arguments, **options)

    def compute(self) -> dict[str, torch.Tensor]:
        """The numbers by their names; those that are not defined are left out."""
        return {name: torch.tensor(value, device=self.device) for name, value in self.result().flat().items()}

    def result(self) -> DetectionResult:
        """All that the records of this process tell: classes, curves, counts, notes."""
        nothing = vesica.Evaluator(**self._options).records()
        return summarise(merge(nothing, *self._parts(), duplicates="same"))

    def _parts(self) -> Iterator[Records]:
        """The records of each batch. Images without an id are numbered in the order in which they came."""
        states = self.records if isinstance(self.records, list) else [self.records]
        data, start, images = b"".join(state.cpu().to(torch.uint8).numpy().tobytes() for state in states), 0, 0
        while start < len(data):
            named, length = _HEAD.unpack_from(data, start)
            start += _HEAD.size + length
            records = Records.from_bytes(data[start - length : start])
            numbers = range(images, images + len(records.images))
            images += len(numbers)
            unnamed = np.array([f"image {number:012}" for number in numbers], object)
            yield records if named else replace(records, images=unnamed)
