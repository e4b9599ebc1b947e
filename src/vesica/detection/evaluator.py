"""An evaluator: images as they come, scores at the end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from vesica._check import evaluator as check
from vesica._check import names
from vesica.dataset import Categories, Dataset
from vesica.dataset.adapters import (
    Fields,
    columns_of_images,
    fields_of_dicts,
    fields_of_objects,
    ids_of,
    scalar,
    sizes_at,
)
from vesica.dataset.ids import places
from vesica.dataset.meeting import LEFT_OUT, meet_images
from vesica.detection.inputs import Inputs, inputs_of
from vesica.detection.protocol import protocol_of
from vesica.detection.records import Records, match_inputs
from vesica.detection.result import DetectionResult
from vesica.errors import InputError
from vesica.results.result import Note


class Evaluator:
    """Collects truths and guesses in a training loop, and scores them when asked.

    Whatever comes is brought to the host once and kept as plain columns. Memory grows with the number of objects; masks
    are kept as run lengths.

    Parameters
    ----------
    categories : ids of all categories, or a dict of their names, optional
        By default those of the truths that come. Give them when records of several processes are to be merged. Guesses
        of other ids are then left out, and a note counts them.
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

    @names.explained("evaluate", "Evaluator", also=protocol_of)
    def __init__(self, *, categories: Any = None, threads: int | None = None, **options: Any) -> None:
        self._missing = options.pop("missing", None)
        self._protocol = protocol_of(options.pop("protocol", "coco"), **options)
        self._categories = None if categories is None else _table(check.table_of_categories(categories))
        self._threads = threads
        self.reset()

    def __len__(self) -> int:
        return len(self._images)

    def __repr__(self) -> str:
        return f"Evaluator({len(self)} images, {self._protocol.name})"

    def reset(self) -> None:
        """Forget all images."""
        self._truths: list[Dataset] = []
        self._guesses: list[Dataset] = []
        self._images: set[Any] = set()
        self._fields: dict[str, dict[str, bool]] = {}
        """For each side what the first objects of it had; all others must have the same."""
        self._left_out = 0
        """Guesses of categories that are not among those that were given."""

    @names.explained("Evaluator.update", "Evaluator.update")
    def update(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        image: Any = None,
        form: str | tuple[str, str] = "xyxy",
        normalised: bool | tuple[bool, bool] = False,
        sizes: Any = None,
        above: float | None = None,
    ) -> None:
        """Add one image, or a batch of them. What cannot be scored is an error at once, and leaves nothing behind.

        Parameters
        ----------
        truth, guess : a dict for one image, or a list of dicts for several: "boxes" or "masks", "labels", and of
            guesses "scores"; NumPy or torch, on any device. Or what `Dataset.from_objects` takes; or two data sets.
        image : the id of the image, or of each; by default "image_id" of the truth or else of the guess, or a number
            that counts on. Guess n is of the image of truth n.
        form : what the four columns of "boxes" mean; a pair if truth and guess differ
        normalised : whether they are shares of the image; a pair if truth and guess differ
        sizes : for such boxes the key of (height, width) in the dicts of the truth, such as "orig_size"; or a pair for
            all images, or one for each
        above : of masks of floats, as Mask R-CNN gives them: pixels with a larger value belong

        Examples
        --------
        Targets of transformers, which are shares, and guesses in pixels:

        >>> target = {"boxes": [[0.5, 0.5, 0.25, 0.5]], "class_labels": [3], "image_id": 139, "orig_size": [40, 80]}
        >>> output = {"boxes": [[30, 10, 50, 30]], "labels": [3], "scores": [0.75]}
        >>> evaluator = Evaluator()
        >>> evaluator.update(target, output, form=("cxcywh", "xyxy"), normalised=(True, False), sizes="orig_size")
        >>> round(evaluator.compute()["AP"], 3)
        1.0

        Another order is found out:

        >>> evaluator.update(output, target, form=("xyxy", "cxcywh"))
        Traceback (most recent call last):
        ...
        vesica.errors.InputError: The truth has scores and the guess has none: are they swapped? update(truth, guess)
        """
        if check.are_data_sets(truth, guess, Dataset):
            meet_images(truth.images, guess, self._protocol.repeats.by_id)
            self._add(truth, guess, None, None)
            return
        forms, shares = check.for_both(form, "form"), check.for_both(normalised, "normalised")
        check.sizes_for_shares(sizes, shares)
        truths, guesses = (_Side.of(*one) for one in zip((truth, guess), forms, shares, strict=True))
        check.as_many_images(len(truths.fields), len(guesses.fields))
        ids = self._ids(truths, guesses, image, isinstance(truth, (list, tuple)))
        sizes = _extents(truths.fields, sizes)
        self._add(truths.data(ids, sizes, above), guesses.data(ids, sizes, above), truths.fields, guesses.fields)

    def _ids(self, truths: _Side, guesses: _Side, image: Any, is_batch: bool) -> list[Any]:
        """The id of each image, for both sides."""
        count = len(truths.fields)
        if image is not None:
            return [scalar(one) for one in (check.ids_of_batch(image, count) if is_batch else [image])]
        found = check.same_images(ids_of(truths.fields), ids_of(guesses.fields))
        return list(range(len(self._images), len(self._images) + count)) if found is None else found

    def _add(self, truth: Dataset, guess: Dataset, truths: list[Fields] | None, guesses: list[Fields] | None) -> None:
        """Check what came against all before, then keep it."""
        check.order(truth, guess)
        images = check.new_images(truth.images.ids.tolist(), self._images)
        if self._categories is not None:
            check.known_categories(truth, places(truth.categories.ids, self._categories.ids) < 0)
        seen = dict(self._fields)
        for side, data, fields in (("truth", truth, truths), ("guess", guess, guesses)):
            if len(data):
                told = self._told(data, fields)
                check.same_fields(side, told, seen.setdefault(side, told), fields)
        check.labels_on_both(seen, truths, guesses)

        known = self._of_known_categories(guess)
        self._left_out += len(guess) - len(known)
        self._fields = seen
        self._images |= images
        self._truths.append(truth if truth.score is None else replace(truth, score=None))
        self._guesses.append(replace(known, score=np.empty(0)) if known.score is None else known)

    def _of_known_categories(self, guess: Dataset) -> Dataset:
        """Guesses without names have the categories that were given. Those with names meet them by name, in the end."""
        if self._categories is None or guess.categories.names is not None:
            return guess
        places_of = places(guess.categories.ids, self._categories.ids)[guess.category]
        kept = guess if (places_of >= 0).all() else guess.rows(places_of >= 0)
        return replace(kept, categories=self._categories, category=places_of[places_of >= 0].astype(np.int64))

    def _told(self, data: Dataset, fields: list[Fields] | None) -> dict[str, bool]:
        """Which fields objects have, as far as it matters."""
        told = {"boxes": data.xywh is not None}
        if self._protocol.regions != "box":
            told["masks"] = data.segments is not None
        if fields is not None:
            told["labels"] = any("labels" in one for one in fields)
        return told

    def compute(self) -> DetectionResult:
        """The scores of all images so far."""
        inputs = self._inputs()
        return DetectionResult(match_inputs(inputs, self._protocol, threads=self._threads), inputs, self._threads)

    def records(self, *, details: bool = False) -> Records:
        """The records of all images so far, for `vesica.detection.merge` with those of other processes."""
        return match_inputs(self._inputs(), self._protocol, details=details, threads=self._threads)

    def _inputs(self) -> Inputs:
        truth = Dataset.joined(self._truths, categories=self._categories)
        guess = Dataset.joined(self._guesses)
        try:
            inputs = inputs_of(truth, guess, self._protocol, missing=self._missing, threads=self._threads)
        except InputError as error:
            raise check.way_of_categories(error) from error
        left = Note("Q13", self._left_out, LEFT_OUT)
        return replace(inputs, notes=(*inputs.notes, left)) if left.count else inputs


class _Side(NamedTuple):
    """Truths or guesses of some images, before they are columns."""

    fields: list[Fields]
    form: str
    normalised: bool

    @classmethod
    def of(cls, value: Any, form: str, normalised: bool) -> _Side:
        rows = list(value) if isinstance(value, (list, tuple)) else [value]
        if check.one_kind(rows, form, normalised):
            return cls(fields_of_dicts(rows), form, normalised)
        return cls(fields_of_objects(rows), "xyxy", False)  # as all these libraries have them

    def data(self, ids: list[Any], sizes: Any, above: float | None) -> Dataset:
        sizes = sizes if self.normalised else None
        options = {"form": self.form, "normalised": self.normalised, "sizes": sizes, "above": above}
        return Dataset(**columns_of_images(self.fields, images=ids, **options))


def _extents(truths: list[Fields], sizes: Any) -> Any:
    """Sizes of images for both sides; a key is one of the truths."""
    return sizes_at(truths, sizes) if isinstance(sizes, str) else sizes


def _table(categories: Any) -> Categories:
    """The categories of a data set that has no rows."""
    return Dataset.from_arrays(np.empty((0, 4)), image=[], category=[], categories=categories).categories
