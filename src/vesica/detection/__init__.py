"""Detection scores: records of what was found, and every number that stands on them."""

from __future__ import annotations

from typing import Any

from vesica.dataset import Dataset
from vesica.detection.curves import Curve
from vesica.detection.inputs import inputs_of
from vesica.detection.protocol import Protocol, protocol_of
from vesica.detection.records import Records, match_inputs, merge
from vesica.detection.result import Counts, DetectionResult

__all__ = ["Counts", "Curve", "DetectionResult", "Protocol", "Records", "merge", "records_of", "summarise"]


def records_of(truth: Dataset, guess: Dataset, /, *, threads: int | None = None, **options: Any) -> Records:
    """Match the guesses of some images with their truths. Options are those of `vesica.evaluate`.

    Any number of whole images may be matched at a time, anywhere: records merge.

    >>> import vesica
    >>> boxes = [[0, 0, 4, 4], [2, 2, 6, 6]]
    >>> truth = vesica.Dataset.from_arrays(boxes, image=[1, 2], category=[0, 0])
    >>> guess = vesica.Dataset.from_arrays(boxes, image=[1, 2], category=[0, 0], score=[0.9, 0.8])
    >>> records_of(truth, guess)
    Records(2 guesses, 2 images, coco)
    """
    protocol = protocol_of(options.pop("protocol", "coco"), **options)
    return match_inputs(inputs_of(truth, guess, protocol), protocol, threads=threads)


def summarise(records: Records, /, *, threads: int | None = None) -> DetectionResult:
    """The result that records stand for."""
    return DetectionResult(records, threads=threads)
