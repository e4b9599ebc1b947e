"""Scores of whatever people have: files, data sets, lists of dicts. The one place, beside the command line, that knows
both files and metrics."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from vesica.dataset import Dataset
from vesica.detection.inputs import inputs_of
from vesica.detection.protocol import Protocol, protocol_of
from vesica.detection.records import match_inputs
from vesica.detection.result import DetectionResult


def evaluate(
    truth: Any,
    guess: Any,
    /,
    *,
    protocol: str = "coco",
    regions: str = "box",
    iou: Any = None,
    areas: Any = None,
    max_dets: Any = None,
    by_class: bool = True,
    strict: bool | None = None,
    quirks: str | None = None,
    threads: int | None = None,
) -> DetectionResult:
    """Score the guesses of a detector against truths.

    Parameters
    ----------
    truth, guess : Dataset, path, or list of one dict for each image
        A path is read in whichever format it has. Dicts have "boxes", "labels" and, of guesses, "scores".
    protocol : {"coco", "lvis", "voc", "voc07", "voc12", "voc-devkit"}
        Whose rules: of COCO (the default), LVIS, or Pascal VOC by all points ("voc", the same as "voc12") or by eleven
        ("voc07"). "voc" asks for an iou above the threshold, as the usual Python port does; "voc-devkit" for one that
        reaches it, as the original does.
    regions : {"box", "mask", "boundary"}
        What is compared.
    iou : float or sequence, optional
        Thresholds instead of those of the protocol.
    areas : dict of name → (lowest, highest), optional
        Ranges of areas instead of all, small, medium, large.
    max_dets : int or sequence, optional
        How many guesses of an image and a class count, best first; by default 1, 10 and 100 for COCO.
    by_class : bool, default True
        Do only regions of one class meet?
    strict : bool, optional
        Must an iou exceed the threshold, and not only reach it? By default as the protocol has it.
    quirks : "pycocotools", optional
        Repeat that tool's faults to the byte. By default they are corrected, and the result says which mattered.
    threads : int, optional

    Examples
    --------
    >>> import vesica
    >>> truth = vesica.Dataset.from_arrays([[0, 0, 10, 10], [20, 20, 40, 40]], image=[1, 1], category=["cat", "dog"])
    >>> guess = vesica.Dataset.from_arrays(
    ...     [[1, 0, 10, 10], [20, 20, 40, 30]], image=[1, 1], category=["cat", "dog"], score=[0.9, 0.8]
    ... )
    >>> result = vesica.evaluate(truth, guess)
    >>> print(f"{result['AP']:.3f}")
    0.500
    >>> result.counts(iou=0.5).tp
    array([1, 1])

    The dog's iou is 0.5: it reaches the first threshold, and does not exceed it.

    >>> vesica.evaluate(truth, guess, iou=0.5, strict=True).counts().tp
    array([1, 0])
    """
    asked = protocol_of(
        protocol,
        regions=regions,
        iou=iou,
        areas=areas,
        max_dets=max_dets,
        by_class=by_class,
        strict=strict,
        quirks=quirks,
    )
    inputs = inputs_of(data_of(truth, asked, threads), data_of(guess, asked, threads), asked)
    return DetectionResult(match_inputs(inputs, asked, threads=threads), inputs, threads)


def data_of(value: Any, protocol: Protocol, threads: int | None, /) -> Dataset:
    """A data set of what was given. Masks are read only where they are compared."""
    if isinstance(value, Dataset):
        return value
    if isinstance(value, (str, os.PathLike)):
        from vesica.io.read import read

        return read(
            os.fspath(value), masks=protocol.regions != "box", check=not protocol.repeats.any_number, threads=threads
        )
    if isinstance(value, Sequence) and value and isinstance(value[0], Mapping):
        return Dataset.from_dicts(value)
    return Dataset.from_objects(value)
