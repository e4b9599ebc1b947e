"""Scores of a detector for the Trainer of transformers."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

import vesica


def compute_metrics(
    processor: Any,
    /,
    *,
    categories: Any = None,
    threshold: float = 0.0,
    outputs: tuple[int, int] = (1, 2),
    **options: Any,
) -> Callable[[Any], dict[str, float]]:
    """A function for `Trainer(compute_metrics=…)` of an object detector; needs `eval_do_concat_batches=False`.

    Parameters
    ----------
    processor : the image processor, whose `post_process_object_detection` makes boxes of the outputs
    categories : ids of all categories, or a dict of their names, such as `model.config.id2label`
    threshold : guesses with a lower score are left out; AP wants all of them
    outputs : where logits and boxes are among the outputs of the model; the first is usually a dict of losses
    options : those of `vesica.evaluate`

    Returns
    -------
    A function of predictions that gives the numbers by their names; those that are not defined are left out. Areas are
    those of the boxes in pixels of the image as it was (`orig_size`).

    Examples
    --------
    `Trainer(…, compute_metrics=compute_metrics(processor, categories=model.config.id2label))`, with
    `TrainingArguments(…, eval_do_concat_batches=False, metric_for_best_model="AP")`.
    """
    forms: dict[str, Any] = {"form": ("cxcywh", "xyxy"), "normalised": (True, False), "sizes": "orig_size"}

    def scores(prediction: Any, /) -> dict[str, float]:
        _check_batches(prediction)
        evaluator = vesica.Evaluator(categories=categories, **options)
        for batch, targets in zip(prediction.predictions, prediction.label_ids, strict=True):
            logits, boxes = _outputs(batch, outputs)
            sizes = torch.as_tensor(np.asarray([np.asarray(one["orig_size"]) for one in targets]))
            output = SimpleNamespace(logits=logits, pred_boxes=boxes)
            found = processor.post_process_object_detection(output, threshold=threshold, target_sizes=sizes)
            evaluator.update(list(targets), list(found), **forms)
        return evaluator.compute().flat()

    return scores


def _outputs(batch: Any, places: tuple[int, int]) -> tuple[torch.Tensor, torch.Tensor]:
    """Logits (B, Q, K) and boxes (B, Q, 4) of a batch."""
    shapes = [tuple(getattr(one, "shape", ())) for one in batch]
    of_logits, of_boxes = (shapes[k] if k < len(shapes) else () for k in places)
    if len(of_logits) != 3 or of_boxes != (*of_logits[:2], 4):
        raise ValueError(
            f"`outputs` must be the places of logits (B, Q, K) and boxes (B, Q, 4); got {places} of outputs with the "
            f"shapes {shapes}."
        )
    logits, boxes = (torch.as_tensor(batch[k]) for k in places)
    return logits, boxes


def _check_batches(prediction: Any) -> None:
    """Batches stay apart: images have different numbers of objects."""
    if not isinstance(prediction.predictions, list) or not isinstance(prediction.label_ids, (list, tuple)):
        raise TypeError("Predictions must come batch by batch: TrainingArguments(eval_do_concat_batches=False).")
