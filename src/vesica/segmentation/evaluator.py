"""An evaluator of segmentations: images as they come, scores at the end."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from vesica._array import device, from_numpy
from vesica._check import names
from vesica._check import segmentation as check
from vesica.dataset import Categories
from vesica.segmentation.counting import Rows, rows_of
from vesica.segmentation.counts import NO_CLASS, PixelCounts, column_of_ids, merge
from vesica.segmentation.device import Pending, is_elsewhere, known_labels, pending_of
from vesica.segmentation.inputs import Batch, Maps, Reading, batch_of, categories_of, check_one_hot, classes_of
from vesica.segmentation.policy import SegmentationPolicy
from vesica.segmentation.result import SegmentationResult

ROOM = 1 << 26
"""Bytes of tables that may wait on a device."""


class SegmentationEvaluator:
    """Counts pixels in a training loop, and scores them when asked.

    What is kept of an image is which labels met and how often, so memory does not grow with pixels.

    Parameters
    ----------
    categories : labels of all classes, a dict of their names, a list of names, or how many there are; optional
        By default the labels that occur, which an ignored one is not among. Give them to find labels that should not
        be there; on another device they are needed to count without waiting for it.
    ignore : label or labels, optional
        Whose pixels of the truth do not count.
    background : label, optional
        A class that is kept out of means.
    policy : SegmentationPolicy, optional
    like : str, optional
        The library whose conventions are taken.
    from_scores : "argmax" or float, optional
        How guesses that are floats become labels.
    volume : bool, default False
        Are the last three axes one volume?
    threads : int, optional

    Examples
    --------
    >>> import vesica
    >>> evaluator = vesica.SegmentationEvaluator(categories=["road", "sky"], ignore=255)
    >>> for truth, guess in (([[0, 0, 1, 255]], [[0, 1, 1, 1]]), ([[1, 1, 1, 1]], [[1, 1, 1, 0]])):
    ...     evaluator.update(truth, guess)
    >>> result = evaluator.compute()
    >>> round(result["mIoU"], 4), round(result.score("IoU", average="images").value, 4)
    (0.5, 0.4375)
    """

    @names.explained("segmentation", "SegmentationEvaluator")
    def __init__(
        self,
        *,
        categories: Any = None,
        ignore: Any = None,
        background: int | None = None,
        policy: SegmentationPolicy | None = None,
        like: str | None = None,
        from_scores: str | float | None = None,
        volume: bool = False,
        threads: int | None = None,
    ) -> None:
        self._policy = policy_of(policy, like=like, ignore=ignore, background=background)
        self._said = Reading(categories_of(categories), check.from_scores(from_scores), check.flag(volume, "volume"))
        self._threads = threads
        self.reset()

    def __len__(self) -> int:
        return self._number

    def __repr__(self) -> str:
        return f"SegmentationEvaluator({len(self)} images, {self._policy.told})"

    def reset(self) -> None:
        """Forget all images."""
        self._how = self._said
        """How arrays are read; scores and masks say by themselves how many classes there are."""
        self._merged: list[PixelCounts] = []
        self._found: list[Pending | list[Rows]] = []
        self._known: dict[str, Any] = {}
        """The labels on each device."""
        self._waiting = 0
        """Bytes of tables that are still on their device."""
        self._number = 0
        self._ids: list[Any] = []
        self._groups: list[Any] = []
        self._is_overlapping: bool | None = None
        self._seen: set[Any] = set()

    def update(self, truth: Any, guess: Any, /, *, image: Any = None, group: Any = None) -> None:
        """Add one image or a batch of them. What cannot be scored is an error at once, and leaves nothing behind.

        Parameters
        ----------
        truth : (H, W) labels, or (B, H, W) for a batch; with volume=True (D, H, W) or (B, D, H, W)
        guess : the same, or scores of all classes with an axis more, (B, C, H, W), see `from_scores`
        image : an id, or one for each of the batch; optional. Ids are needed to find an image that comes twice.
        group : what the image belongs to (a patient, a scene), or one for each of the batch; optional
        """
        self._add(batch_of(truth, guess, self._how), image, group)

    def add(self, batches: Iterable[Batch], /, *, images: Any = None, groups: Any = None) -> None:
        """Add batches of `vesica.segmentation.inputs`, one after the other."""
        ids, kinds = (None if value is None else iter(value) for value in (images, groups))
        before = len(self)
        for batch in batches:
            told = (None if side is None else list(itertools.islice(side, len(batch))) for side in (ids, kinds))
            self._add(batch, *told)
        check.some_images(len(self) - before)
        for name, side in (("images", ids), ("groups", kinds)):
            check.none_left(side, name, len(self) - before)

    @property
    def reading(self) -> Reading:
        """How arrays are read."""
        return self._how

    def _add(self, batch: Batch, image: Any, group: Any) -> None:
        """Check what came against all before, count it, then keep it."""
        ids = check.of_each(image, len(batch), "image")
        groups = check.of_each(group, len(batch), "group")
        is_overlapping = not isinstance(batch, Maps)
        check.one_kind_of_input(is_overlapping, self._is_overlapping)
        check.all_or_none(ids, self._ids, len(self), "image")
        check.all_or_none(groups, self._groups, len(self), "group")
        check.new_images(ids or [], self._seen)
        table = self._how.categories
        if table is None and (classes := classes_of(batch)) is not None:
            table = categories_of(classes)
        found = self._counted(batch, table)

        self._how = self._how._replace(categories=table)
        self._is_overlapping = is_overlapping
        self._found.append(found)
        self._number += len(batch)
        self._ids += ids or []
        self._groups += groups or []
        self._seen.update(ids or [])

    def _counted(self, batch: Batch, table: Categories | None) -> Pending | list[Rows]:
        """The counts of a batch: on another device, if labels are known, tables that stay there."""
        ignored, _, unknown = self._policy.pixels
        if isinstance(batch, Maps) and table is not None and unknown != "add" and is_elsewhere(batch):
            labels = known_labels(table, ignored)
            place = str(device(batch.truth))
            if place not in self._known:
                self._known[place] = from_numpy(labels, batch.truth)
            found = pending_of(batch, labels, self._known[place])
            self._make_room(found)
            return found
        rows = list(rows_of(batch, None if table is None else table.ids, self._threads))
        if isinstance(batch, Maps) and len(batch) > 1:
            check_one_hot(batch, sum(int(one.count[one.truth == 1].sum()) for one in rows))
        if unknown == "error" and table is not None:
            known = known_labels(table, ignored)
            for one in rows:
                check.known_labels(one, known, NO_CLASS)
        return rows

    def _make_room(self, newest: Pending) -> None:
        """Bring tables to the host before they take much of the device."""
        self._waiting += newest.bytes
        if self._waiting > ROOM:
            self._settle()
            self._waiting = newest.bytes

    def _settle(self) -> list[Rows]:
        """Wait for the devices, and keep what they have counted."""
        drop = self._policy.pixels[2] == "drop"
        found = [one.rows(drop=drop) if isinstance(one, Pending) else one for one in self._found]
        self._found, self._waiting = [*found], 0
        return [rows for one in found for rows in one]

    def counts(self) -> PixelCounts:
        """The counts of all images so far, for `vesica.segmentation.merge` with those of other processes."""
        rows = self._settle()
        parts = [*self._merged, *([self._own(rows)] if rows or not self._merged else [])]
        return parts[0] if len(parts) == 1 else merge(*parts)

    def compute(self) -> SegmentationResult:
        """The scores of all images so far."""
        return SegmentationResult(self.counts(), self._policy).checked()

    def merge(self, other: SegmentationEvaluator, /) -> None:
        """Add the images of another evaluator, of the same policy and categories."""
        check.same_policy(self._policy, other._policy)
        whole = merge(self.counts(), other.counts()) if len(self) and len(other) else None
        if whole is None and not len(other):
            return
        found = other.counts() if whole is None else whole
        self.reset()
        self._keep(found)

    def to_bytes(self) -> bytes:
        """The policy and all images so far, as `SegmentationResult.to_bytes` has them."""
        return self.compute().to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes, /, **options: Any) -> SegmentationEvaluator:
        """An evaluator that goes on where the bytes end. Options are those that say how arrays are read."""
        result = SegmentationResult.from_bytes(data)
        table = result.counts.categories
        own = cls(policy=result.policy, categories=table, volume=result.counts.is_volumes, **options)
        own._keep(result.counts)
        return own

    def _keep(self, counts: PixelCounts) -> None:
        self._merged = [counts] if len(counts) else []
        self._number = len(counts)
        self._is_overlapping = counts.is_overlapping if len(counts) else None
        self._ids = [] if counts.images is None else counts.images.tolist()
        self._groups = [] if counts.groups is None else counts.groups.tolist()
        self._seen = set(self._ids)

    def _own(self, rows: list[Rows]) -> PixelCounts:
        """What came by `update`."""
        start = sum(len(one) for one in self._merged)
        lengths = [len(one.count) for one in rows]
        columns = {
            name: np.concatenate([getattr(one, name) for one in rows]) if rows else np.empty(0, np.int64)
            for name in ("truth", "guess", "count")
        }
        return PixelCounts(
            column_of_ids(self._ids[start:]) if self._ids else None,
            column_of_ids(self._groups[start:]) if self._groups else None,
            np.array([one.pixels for one in rows], np.int64),
            np.repeat(np.arange(len(rows), dtype=np.int32), lengths),
            **columns,
            categories=self._how.categories,
            is_overlapping=bool(self._is_overlapping),
            is_volumes=self._how.is_volumes,
        )


def policy_of(policy: SegmentationPolicy | None, /, **said: Any) -> SegmentationPolicy:
    """The policy with what was said beside it."""
    own: SegmentationPolicy = check.policy(policy, SegmentationPolicy)
    given = {name: value for name, value in said.items() if value is not None}
    check.said_once(own, SegmentationPolicy.defaults(), given)
    return replace(own, **given) if given else own
