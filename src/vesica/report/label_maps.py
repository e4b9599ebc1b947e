"""Label maps behind a result: a result keeps counts and no pixels, so those of some images are read again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vesica._array import to_numpy
from vesica._check import report_maps as check
from vesica.scoring import label_images
from vesica.segmentation.counting import rows_of
from vesica.segmentation.inputs import Batch, Maps, Reading, batch_of
from vesica.segmentation.policy import SegmentationPolicy

if TYPE_CHECKING:
    from vesica.segmentation.result import SegmentationResult


class Scored(NamedTuple):
    """What a segmentation was scored of, as `evaluate_segmentation` took it: arrays, folders or objects."""

    truth: Any
    guess: Any
    relabel: Any = None
    crowd: str | None = None


class LabelMapPair(NamedTuple):
    """Both maps of one image, or of the slice of a volume that differs most.

    Attributes
    ----------
    truth, guess : (H, W) int64: places of the classes in the tables of the result; −1 for what is no class
    counts, differs : (H, W) bool: which pixels count; and which of them are not of the same class on both sides
    note : of a volume, which slice it is
    """

    truth: np.ndarray
    guess: np.ndarray
    counts: np.ndarray
    differs: np.ndarray
    note: str = ""


def pairs_of(maps: Any, result: SegmentationResult, images: Collection[Any], /) -> dict[Any, LabelMapPair]:
    """The maps of some images of a result, by id; of those that cannot be had, none.

    `maps` is what was scored, truth and guess; a dict of image → (truth, guess); or a function of an image that answers
    them, or None. Maps that are not those of the result are an error: a picture beside a number that it does not
    belong to would be worse than none.
    """
    if maps is None or not images:
        return {}
    found = dict(_pairs(check.maps(maps, Scored), result, set(images)))
    return {image: found[image] for image in images if image in found}


def _pairs(maps: Any, result: SegmentationResult, wanted: set[Any]) -> Iterator[tuple[Any, LabelMapPair]]:
    places = {image: place for place, image in enumerate(result.counts.ids.tolist())}
    for image, batch, k in _images(maps, result, wanted):
        if image in wanted:
            _check_same(batch, k, result, places[image], image)
            yield image, _pair(batch, k, result)


def _images(maps: Any, result: SegmentationResult, wanted: set[Any]) -> Iterator[tuple[Any, Batch, int]]:
    """Images, each with the batch that it came in and its place there."""
    counts = result.counts
    how = Reading(counts.categories, is_volumes=counts.is_volumes)
    if isinstance(maps, Scored):
        yield from _scored(maps, result, how, wanted)
        return
    ask: Callable[[Any], Any] = maps.get if isinstance(maps, Mapping) else maps
    for image in counts.ids.tolist():
        pair = ask(image) if image in wanted else None
        if pair is not None:
            yield image, batch_of(*check.pair(pair, image), how), 0


def _scored(
    maps: Scored, result: SegmentationResult, how: Reading, wanted: set[Any]
) -> Iterator[tuple[Any, Batch, int]]:
    """What was scored comes once more, of files and of objects only what is wanted."""
    options = {"relabel": maps.relabel, "crowd": maps.crowd, "only": wanted}
    source = label_images(maps.truth, maps.guess, SegmentationPolicy(), **options)
    if source.names is None:
        check.numbered(result.counts.images)
    number = 0
    for one in source.batches(how):
        for k in range(len(one.batch)):
            yield number if one.ids is None else one.ids[k], one.batch, k
            number += 1


def _check_same(batch: Batch, k: int, result: SegmentationResult, place: int, image: Any) -> None:
    """Raise unless these pixels are those that were counted, as far as they are of classes."""
    counts, labels = result.counts, result.cells.labels
    own = slice(*np.searchsorted(counts.image, [place, place + 1]).tolist())
    known = counts.truth[own], counts.guess[own], counts.count[own]
    one = Maps(batch.truth[k : k + 1, ...], batch.guess[k : k + 1, ...]) if isinstance(batch, Maps) else [batch[k]]
    (rows,) = rows_of(one, labels if counts.is_overlapping else None, None)
    given = rows.truth, rows.guess, rows.count
    check.same_pixels(_of_classes(*known, labels), _of_classes(*given, labels), image)


def _of_classes(truth: np.ndarray, guess: np.ndarray, count: np.ndarray, labels: np.ndarray) -> dict[Any, int]:
    kept = np.isin(truth, labels) & np.isin(guess, labels)
    pairs = zip(truth[kept].tolist(), guess[kept].tolist(), strict=True)
    return dict(zip(pairs, count[kept].tolist(), strict=True))


def _pair(batch: Batch, k: int, result: SegmentationResult) -> LabelMapPair:
    labels = result.cells.labels
    if isinstance(batch, Maps):
        truth, guess = (np.asarray(to_numpy(side[k, ...])) for side in (batch.truth, batch.guess))
        counts = ~np.isin(truth, result.policy.ignore)
        found = LabelMapPair(places_of(truth, labels), places_of(guess, labels), counts, counts & (truth != guess))
    else:
        truth, guess = (np.full(batch[k].shape, -1) for _ in range(2))
        differs = np.zeros(truth.shape, bool)
        for place, masks in enumerate(batch[k].pairs()):  # of classes that overlap the last one is seen
            ours, theirs = (np.asarray(to_numpy(mask)).astype(bool) for mask in masks)
            truth[ours], guess[theirs] = place, place
            differs |= ours != theirs
        found = LabelMapPair(truth, guess, np.ones(truth.shape, bool), differs)
    return found if truth.ndim == 2 else worst_slice(found)


def places_of(array: np.ndarray, labels: np.ndarray, /) -> np.ndarray:
    """Places of the classes, −1 for labels of none."""
    if not len(labels):
        return np.full(array.shape, -1)
    order = np.argsort(labels)  # of painted maps the background comes last
    at = order[np.minimum(np.searchsorted(labels[order], array), len(labels) - 1)]
    return np.where(labels[at] == array, at, -1)


def worst_slice(volume: LabelMapPair, /) -> LabelMapPair:
    """The slice of a volume with most pixels that differ, the first of equal ones."""
    place = int(np.argmax(volume.differs.sum(axis=(1, 2))))
    note = f"slice {place + 1} of {len(volume.truth)}"
    truth, guess, counts, differs = (side[place] for side in volume[:4])
    return LabelMapPair(truth, guess, counts, differs, note)
