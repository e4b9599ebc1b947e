"""Tasks: what models are scored by, and which of them what was given is for."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from vesica._check import comparison as check
from vesica.dataset import Categories, Dataset
from vesica.detection.protocol import protocol_of
from vesica.regions import LabelMap, Masks, RleMasks
from vesica.results.result import Result
from vesica.scoring import (
    evaluate,
    evaluate_agreement,
    evaluate_panoptic,
    evaluate_segmentation,
    evaluate_surfaces,
    read_truth,
)

_OF_PROTOCOL = ("regions", "iou", "areas", "max_dets", "by_class", "strict", "quirks")
_PICTURES = (".png", ".nii", ".nii.gz")
"""Endings of files that hold label maps and nothing else."""


class Task(NamedTuple):
    """How models are scored.

    Attributes
    ----------
    score : the results of a truth and models, with options
    function : whose options they are
    habits : which table says what others call them
    """

    score: Callable[..., list[Result]]
    function: Callable[..., Any]
    habits: str


def task_of(truth: Any, /) -> str:
    """What a truth is for: "segmentation" of label maps, else "detection". The others are never guessed.

    >>> task_of("truth.json"), task_of("truth/*.png"), task_of([[0, 1], [1, 1]]), task_of([{"boxes": []}])
    ('detection', 'segmentation', 'segmentation', 'detection')
    """
    return "segmentation" if _is_label_maps(truth) else "detection"


def _is_label_maps(truth: Any) -> bool:
    if isinstance(truth, (str, os.PathLike)):
        from vesica.io.label_files import has_maps_alone

        return os.fspath(truth).lower().endswith(_PICTURES) or has_maps_alone(truth)
    if isinstance(truth, (list, tuple)):
        first = truth[0] if truth else None
        return isinstance(first, list) or _is_label_map(first)
    return _is_label_map(truth)


def _is_label_map(one: Any) -> bool:
    return hasattr(one, "dtype") or isinstance(one, (LabelMap, Masks, RleMasks))


def detected(truth: Any, models: Sequence[Any], /, **options: Any) -> list[Result]:
    """Scores of detectors. A truth that is a file is read once."""
    protocol = protocol_of(
        options.get("protocol", "coco"), **{name: options[name] for name in _OF_PROTOCOL if name in options}
    )
    known = read_truth(truth, protocol, options.get("threads"))
    return [evaluate(known, guess, **options) for guess in models]


def segmented(truth: Any, models: Sequence[Any], /, **options: Any) -> list[Result]:
    """Scores of segmentations; a label that one model alone has is a class of all."""
    return of_all_labels([evaluate_segmentation(truth, guess, **options) for guess in models])


def of_all_labels(results: Sequence[Any], /) -> list[Result]:
    """The same, where categories were not said, with every label that occurs in one of them."""
    if any(one.counts.categories is not None for one in results):
        return list(results)
    every = np.unique(np.concatenate([one.counts.labels for one in results]))
    if all(np.array_equal(every, one.counts.labels) for one in results):
        return list(results)
    labels = np.setdiff1d(every, np.array(results[0].policy.pixels[0], np.int64))  # without those that are ignored
    return [replace(one, counts=replace(one.counts, categories=Categories(labels))) for one in results]


def outlined(truth: Any, models: Sequence[Any], /, **options: Any) -> list[Result]:
    """Scores of outlines."""
    return [evaluate_surfaces(truth, guess, **options) for guess in models]


def panoptic(truth: Any, models: Sequence[Any], /, **options: Any) -> list[Result]:
    """Panoptic quality."""
    return [evaluate_panoptic(truth, guess, **options) for guess in models]


def agreed(truth: Any, models: Sequence[Any], /, **options: Any) -> list[Result]:
    """How far each agrees with the truth, as two annotators do: no scores are needed."""
    from vesica.io.read import read

    sides = [check.path_or_data(one, Dataset) for one in (truth, *models)]
    parts = [one if isinstance(one, Dataset) else read(one) for one in sides]
    whole = Dataset.of_annotators(dict(enumerate(parts)))
    return [evaluate_agreement(_pair(whole, place), **options) for place in range(1, len(parts))]


def _pair(whole: Dataset, other: int) -> Dataset:
    """What the first and another one marked, over the images and categories of all."""
    assert whole.annotator is not None
    assert whole.assignments is not None
    asked = whole.assignments[np.isin(whole.assignments.annotator, (0, other))]
    rows = whole.rows(np.isin(whole.annotator, (0, other)))
    assert rows.annotator is not None
    return replace(
        rows,
        annotator=np.minimum(rows.annotator, 1),
        annotators=np.array(["truth", "guess"], object),
        assignments=replace(asked, annotator=np.minimum(asked.annotator, 1)),
    )


TASKS = {
    "detection": Task(detected, evaluate, "evaluate"),
    "segmentation": Task(segmented, evaluate_segmentation, "segmentation"),
    "surfaces": Task(outlined, evaluate_surfaces, "segmentation"),
    "panoptic": Task(panoptic, evaluate_panoptic, "panoptic"),
    "agreement": Task(agreed, evaluate_agreement, "agreement"),
}
