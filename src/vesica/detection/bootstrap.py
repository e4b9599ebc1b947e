"""Bootstrap: the numbers of a result in many replicates, in which images are drawn again, from records alone.

In a replicate an image counts as often as it was drawn. A guess that is drawn w times stands for w guesses in a row, a
truth for w truths; nothing is matched or sorted again. A category without a truth in a replicate has no value there,
and is left out of the means. Weights come of the seed, the number of the replicate and the id of the image, or of its
group, alone: shards, threads and the order of a merge change no bit, and two results of the same images are paired.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from vesica._check import statistics as check
from vesica._kernels.native import detection_bootstrap as kernel
from vesica._kernels.native.precision_recall import Columns
from vesica.detection.curves import EPSILON, Curve
from vesica.detection.records import Records
from vesica.detection.summary import POINTS, Line, limit_of, lines_of, mean_of_classes, members_of
from vesica.results.intervals import Replicates
from vesica.statistics.resampling import keys_of, weights

COUNTED = ("precision", "recall", "f1")
"""The numbers of right and wrong guesses, where they are asked for."""
_NUMBERS = 1 << 20
"""Weights in a chunk: some megabytes."""
_CLASS_NUMBERS = 1 << 24
"""Numbers of categories in a chunk of replicates, or of categories: 128 MB."""
_MOST_NUMBERS = 16
"""Of a category: twelve of COCO's, and three of counts."""
_AT_A_TIME = 8
"""Replicates that the kernel has side by side."""


class Cut(NamedTuple):
    """Where right and wrong guesses are counted: places of a threshold and of a range of areas, and the least score."""

    threshold: int
    area: int
    min_score: float | None = None

    @property
    def of_kernel(self) -> kernel.Cut:
        return kernel.Cut(self.area, self.threshold, -math.inf if self.min_score is None else self.min_score)


def replicates_of(
    records: Records,
    /,
    *,
    replicates: int = 2000,
    seed: int = 0,
    groups: Any = None,
    per_class: bool = True,
    cut: Cut | None = None,
    threads: int | None = None,
) -> Replicates:
    """Every number of the summary, and of each category, in every replicate.

    Parameters
    ----------
    records : Records
    replicates, seed : int
        Two results of the same images and the same seed have the same weights: differences of their replicates are
        paired, and those of equal results are exactly 0.
    groups : (I,) one for each of `records.images`, optional
        What is drawn again instead of images: a patient, a scene, a video.
    per_class : bool, default True
        Also of each category.
    cut : Cut, optional
        Also precision, recall and F1 of the guesses of one lane.
    threads : int, optional
        At most so many; the answer does not depend on it.

    >>> import vesica
    >>> boxes, image = [[0, 0, 4, 4], [2, 2, 6, 6], [0, 0, 8, 8]], [1, 2, 3]
    >>> truth = vesica.Dataset.from_arrays(boxes, image=image, category=[0, 0, 0])
    >>> guess = vesica.Dataset.from_arrays(boxes[:2], image=image[:2], category=[0, 0], score=[0.9, 0.8])
    >>> found = replicates_of(vesica.evaluate(truth, guess, iou=0.5).records, replicates=4)
    >>> found.names[:2], found.values[:, 0].round(2).tolist()
    (('AP', 'AP50'), [1.0, 0.66, 0.66, 1.0])
    """
    draws = _draws(records, replicates, seed, groups)
    step = replicates_at_a_time(len(records.categories))
    if per_class or draws.replicates <= step:
        return drawn(records, draws, per_class=per_class, cut=cut, threads=threads)
    firsts = range(0, draws.replicates, step)
    chunks = (draws._replace(first=first, replicates=min(step, draws.replicates - first)) for first in firsts)
    parts = [drawn(records, chunk, per_class=False, cut=cut, threads=threads) for chunk in chunks]
    values, classes = (np.concatenate([getattr(part, name) for part in parts]) for name in ("values", "classes"))
    return parts[0]._replace(values=values, classes=classes)


def classes_of(
    records: Records,
    first: int,
    end: int,
    /,
    *,
    replicates: int,
    seed: int,
    groups: Any = None,
    cut: Cut | None = None,
    threads: int | None = None,
) -> np.ndarray:
    """(R, k, m): of `replicates_of` the numbers of some categories alone, by their places."""
    draws, own = _draws(records, replicates, seed, groups), records.of_categories(first, end)
    is_there = np.zeros(len(records.images), bool)
    is_there[own.image] = True
    draws = draws._replace(keys=draws.keys[is_there])
    return drawn(own.of_images(is_there), draws, cut=cut, threads=threads).classes


def categories_at_a_time(replicates: int, /) -> int:
    """Of how many categories all replicates may be in memory at once."""
    return max(1, _CLASS_NUMBERS // (replicates * _MOST_NUMBERS))


def replicates_at_a_time(categories: int, /) -> int:
    """Of how many replicates all categories may be in memory at once; the kernel has some side by side."""
    return max(1, _CLASS_NUMBERS // (max(1, categories) * _MOST_NUMBERS * _AT_A_TIME)) * _AT_A_TIME


def _draws(records: Records, replicates: int, seed: int, groups: Any) -> kernel.Draws:
    keys = keys_of(records.images if groups is None else check.groups(groups, len(records.images)))
    return kernel.Draws(keys, check.seed(seed), check.replicates(replicates))


def drawn(
    records: Records,
    draws: kernel.Draws,
    /,
    *,
    per_class: bool = True,
    cut: Cut | None = None,
    threads: int | None = None,
) -> Replicates:
    """The same for draws that were made: tests give the weights."""
    lines = lines_of(records.protocol)
    of_all = [place for place, line in enumerate(lines) if line.group is None]
    if records.protocol.rules.average_precision == "recalls":
        found = _at_recalls(records, draws, lines, cut, per_class, threads)
    else:
        found = _of_curves(records, draws, lines, cut, per_class, threads)
    names = tuple(line.name for line in lines)
    class_names = tuple(lines[place].name_of_one or lines[place].name for place in of_all)
    values = found.overall
    classes = np.empty((draws.replicates, 0, len(of_all))) if found.classes is None else found.classes
    if found.counts is not None:
        names, class_names = names + COUNTED, class_names + COUNTED
        values = np.concatenate([values, _rates(found.counts.sum(axis=1))], axis=1)
        own = _rates(found.counts) if per_class else np.empty((draws.replicates, 0, len(COUNTED)))
        classes = np.concatenate([classes, own], axis=2)
    return Replicates(names, values, class_names, classes)


def _at_recalls(
    records: Records,
    draws: kernel.Draws,
    lines: tuple[Line, ...],
    cut: Cut | None,
    per_class: bool,
    threads: int | None,
) -> kernel.Drawn:
    """Numbers that are means of precision at given recalls, and of recall."""
    protocol = records.protocol
    areas = [name for name, _, _ in protocol.areas]
    places: dict[tuple[int, int], int] = {}
    strips: list[kernel.Strip] = []
    numbers: list[kernel.Number] = []
    told: list[bool] = []
    for line in lines:
        limit = limit_of(line, protocol)
        told.append(limit is not None)
        key = areas.index(line.area), protocol.max_dets[-1 if limit is None else limit]
        place = places.setdefault(key, len(strips))
        if place == len(strips):
            strips.append(kernel.Strip(*key, has_precision=False))
        is_precision = line.kind == "precision"
        strips[place] = strips[place]._replace(has_precision=strips[place].has_precision or is_precision)
        thresholds = np.array([line.iou is None or line.iou == one for one in protocol.iou])
        numbers.append(kernel.Number(place, is_precision, thresholds, members_of(line, records)))
    found = _from_kernel(records, draws, strips, numbers, cut, per_class=per_class, threads=threads)
    found.overall[:, ~np.array(told)] = np.nan
    if found.classes is not None:
        found.classes[:, :, ~np.array([known for known, line in zip(told, lines, strict=True) if not line.group])] = (
            np.nan
        )
    return found


def _from_kernel(
    records: Records,
    draws: kernel.Draws,
    strips: Sequence[kernel.Strip],
    numbers: Sequence[kernel.Number],
    cut: Cut | None,
    *,
    per_class: bool,
    threads: int | None,
) -> kernel.Drawn:
    protocol = records.protocol
    return kernel.replicate(
        Columns(*(np.ascontiguousarray(getattr(records, name)).ravel() for name in Columns._fields)),
        records.image,
        (len(protocol.iou), len(protocol.areas)),
        np.array(protocol.recalls, np.float64),
        draws,
        strips,
        numbers,
        None
        if cut is None
        else kernel.Cut(cut.area, cut.threshold, -math.inf if cut.min_score is None else cut.min_score),
        epsilon=EPSILON,
        per_class=per_class,
        threads=threads,
    )


def _of_curves(
    records: Records,
    draws: kernel.Draws,
    lines: tuple[Line, ...],
    cut: Cut | None,
    per_class: bool,
    threads: int | None,
) -> kernel.Drawn:
    """Numbers that are areas under whole curves: those of each category, drawn again, and their means."""
    protocol, categories = records.protocol, len(records.categories)
    areas = [name for name, _, _ in protocol.areas]
    lanes = [(protocol.iou.index(line.iou), areas.index(line.area)) for line in lines]
    sequences = [[_Sequence(records, category, *lane) for lane in lanes] for category in range(categories)]
    classes = np.empty((draws.replicates, categories, len(lines)))
    for replicate, times in enumerate(_times(draws, threads)):
        for category, own in enumerate(sequences):
            classes[replicate, category] = [
                POINTS[line.kind](sequence.curve(times)) for line, sequence in zip(lines, own, strict=True)
            ]
    overall = np.array([[mean_of_classes(column) for column in row.T] for row in classes])
    counts = None
    if cut is not None:
        counts = _from_kernel(records, draws, [], [], cut, per_class=False, threads=threads).counts
    return kernel.Drawn(overall.reshape(draws.replicates, len(lines)), classes if per_class else None, counts)


def _times(draws: kernel.Draws, threads: int | None) -> Iterator[np.ndarray]:
    """(I,) int64: how often each image is drawn, replicate by replicate."""
    if draws.given is not None:
        yield from draws.given.astype(np.int64)
        return
    step = max(2, _NUMBERS // max(1, len(draws.keys)))
    end = draws.first + draws.replicates
    for first in range(draws.first, end, step):
        count = min(step, end - first)
        yield from weights(draws.keys, seed=draws.seed, first=first, count=count, threads=threads).astype(np.int64)


class _Sequence:
    """The guesses of a category that count in one lane, best first, and its truths: with their images."""

    def __init__(self, records: Records, category: int, threshold: int, area: int) -> None:
        cells = slice(*records.starts[category : category + 2].tolist())
        rows = slice(*records.bounds[category : category + 2].tolist())
        matched, ignored = (column[rows] for column in records.lane(threshold, area))
        image = np.repeat(records.image[cells], records.guesses[cells])
        order = np.argsort(-records.score[rows], kind="stable")
        order = order[~ignored[order]]
        self.image, self.right, self.score = image[order], matched[order], records.score[rows][order]
        self.cells, self.counted = records.image[cells], records.counted[cells, area].astype(np.int64)

    def curve(self, times: np.ndarray) -> Curve:
        """That of images that are drawn so often."""
        copies = times[self.image]
        score, right = np.repeat(self.score, copies), np.repeat(self.right, copies)
        positives = int((times[self.cells] * self.counted).sum())
        return Curve(score, np.cumsum(right), np.cumsum(~right), positives)


def _rates(counts: np.ndarray) -> np.ndarray:
    """(…, 3) right guesses, wrong ones and truths to precision, recall and F1; NaN where there is nothing."""
    right, wrong, truths = np.moveaxis(counts, -1, 0)
    parts = ((right, right + wrong), (right, truths), (2 * right, right + wrong + truths))
    rates = [np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=whole > 0) for part, whole in parts]
    return np.stack(rates, axis=-1)
