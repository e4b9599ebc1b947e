"""An evaluator: images as they come, scores at the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vesica.dataset import Categories, Dataset
from vesica.detection.inputs import Inputs, inputs_of
from vesica.detection.protocol import protocol_of
from vesica.detection.records import Records, match_inputs
from vesica.detection.result import DetectionResult


class Evaluator:
    """Collects truths and guesses in a training loop, and scores them when asked.

    Whatever comes is brought to the host once and kept as plain columns. Memory grows with the number of objects; masks
    are kept as run lengths.

    Parameters
    ----------
    categories : ids of all categories, or a dict of their names, optional
        By default those of the truths that come. Give them when records of several processes are to be merged.
    threads : int, optional
    options : those of `vesica.evaluate`

    Examples
    --------
    >>> import vesica
    >>> evaluator = vesica.Evaluator()
    >>> for shift in (0, 1, 4):
    ...     truth = {"boxes": [[0, 0, 10, 10]], "labels": [1]}
    ...     guess = {"boxes": [[shift, 0, 10 + shift, 10]], "labels": [1], "scores": [0.9]}
    ...     evaluator.update(truth, guess)
    >>> result = evaluator.compute()
    >>> print(f"{result['AP']:.2f} {result['AP50']:.2f}")
    0.57 0.66
    """

    def __init__(self, *, categories: Any = None, threads: int | None = None, **options: Any) -> None:
        self._protocol = protocol_of(options.pop("protocol", "coco"), **options)
        self._categories = None if categories is None else _table(categories)
        self._threads = threads
        self.reset()

    def __len__(self) -> int:
        return self._images

    def __repr__(self) -> str:
        return f"Evaluator({self._images} images, {self._protocol.name})"

    def reset(self) -> None:
        """Forget all images."""
        self._truths: list[Dataset] = []
        self._guesses: list[Dataset] = []
        self._images = 0

    def update(self, truth: Any, guess: Any, /, *, image: Any = None, form: str = "xyxy") -> None:
        """Add one image, or a batch of them.

        Parameters
        ----------
        truth, guess : a dict for one image, or a list of dicts for several: "boxes" or "masks", "labels", and of
            guesses "scores"; NumPy or torch, on any device. Or what `Dataset.from_objects` takes; or two data sets.
        image : the id of the image, or of each; by default "image_id", or a number that counts on
        form : what the four columns of "boxes" mean
        """
        is_batch = not isinstance(truth, Mapping) and isinstance(truth, (list, tuple))
        ids = None if image is None else list(image) if is_batch else [image]
        both = [self._taken(side, ids, form, is_batch) for side in (truth, guess)]
        self._truths.append(both[0])
        self._guesses.append(both[1])
        self._images += len(both[0].images)

    def _taken(self, value: Any, ids: Any, form: str, is_batch: bool) -> Dataset:
        if isinstance(value, Dataset):
            return value
        rows = list(value) if is_batch else [value]
        is_dicts = all(isinstance(one, Mapping) for one in rows)
        if ids is None and not (is_dicts and any(one.get("image_id") is not None for one in rows)):
            ids = list(range(self._images, self._images + len(rows)))
        if is_dicts:
            return Dataset.from_dicts(rows, form=form, images=ids)
        return Dataset.from_objects(rows, images=ids)

    def compute(self) -> DetectionResult:
        """The scores of all images so far."""
        inputs = self._inputs()
        return DetectionResult(match_inputs(inputs, self._protocol, threads=self._threads), inputs, self._threads)

    def records(self) -> Records:
        """The records of all images so far, for `vesica.detection.merge` with those of other processes."""
        return match_inputs(self._inputs(), self._protocol, threads=self._threads)

    def _inputs(self) -> Inputs:
        truth = Dataset.joined(self._truths, categories=self._categories)
        guess = Dataset.joined(self._guesses)
        return inputs_of(truth, guess, self._protocol)


def _table(categories: Any) -> Categories:
    """The categories of a data set that has no rows."""
    return Dataset.from_arrays(np.empty((0, 4)), image=[], category=[], categories=categories).categories
