"""Examinations: every rule about one file, or about a file of guesses beside its truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from vesica.dataset import Categories
from vesica.diagnose import areas, boxes, categories, edges, image_places, images, permutation, rows
from vesica.diagnose.box_readings import BoxReading
from vesica.diagnose.finding import NOTE, SEVERITIES, Finding
from vesica.diagnose.hits import Hypothesis, Sample, Trial, Trials
from vesica.diagnose.inputs import Side
from vesica.diagnose.verdict import Verdict, verdict

FINE = 0.3
"""A hit share with which images are not those of others."""


class Examination(NamedTuple):
    """What was found, the worst first, and how many of the guesses that were looked at lie on a truth."""

    findings: tuple[Finding, ...]
    looked_at: int = 0
    hits: float | None = None


@np.errstate(all="ignore")  # of numbers that are no boxes: what comes of them is no box either
def examined(side: Side, truth: Side | None = None, /, *, by_class: bool = True) -> Examination:
    """Every rule. With a truth, which is looked at too, guesses are compared with it; without `by_class`, whatever
    categories they are of."""
    of_truth = [] if truth is None else _filed([one for one in _alone(truth) if one.severity != NOTE], truth)
    if truth is None or not _are_comparable(side, truth):
        found = [*_alone(side), *(_of_meeting(side, truth) if truth is not None else ())]
        return Examination(_sorted([*_filed(found, side), *of_truth]))
    if not by_class:
        side, truth = _of_one_class(side), _of_one_class(truth)
    where, by = image_places.as_given(truth.data.images, side.data)
    maps = categories.maps_of(truth.data, side.data)
    trials = _trials(side, truth, where, maps)
    judged = verdict(side, trials, _of_moved(side, truth, trials, maps))
    found = [
        *_of_boxes(side, judged),
        *_of_categories(side, truth, maps, judged, trials),
        *images.findings(side, truth, where, by, judged),
        *_of_rows(side),
    ]
    return Examination(_sorted([*_filed(found, side), *of_truth]), len(trials.sample), trials.share)


def _alone(side: Side) -> list[Finding]:
    return [*_of_boxes(side, verdict(side, None, [])), *_of_rows(side)]


def _of_boxes(side: Side, judged: Verdict) -> Iterator[Finding]:
    read_otherwise = list(boxes.of_reading(side, judged))
    yield from read_otherwise
    if read_otherwise:  # which is why boxes lie where they do
        yield from (one for one in boxes.of_rows(side) if one.code == "not-finite")
        return
    yield from boxes.of_rows(side)
    by_area = list(areas.findings(side))
    yield from by_area
    if not any(one.code == "boxes-inclusive" for one in by_area):
        yield from edges.findings(side)


def _of_categories(
    side: Side, truth: Side, maps: categories.Maps, judged: Verdict, trials: Trials
) -> Iterator[Finding]:
    found = [] if judged.hypothesis is not None else list(permutation.findings(side, truth, trials))
    yield from found or categories.findings(side, truth, maps, judged)


def _of_rows(side: Side) -> Iterator[Finding]:
    yield from side.refused
    yield from rows.of_scores(side)
    yield from rows.of_ids(side)


def _of_meeting(side: Side, truth: Side) -> Iterator[Finding]:
    """How both meet, where boxes cannot be compared."""
    nothing = verdict(side, None, [])._replace(hypothesis=None)
    where, by = image_places.as_given(truth.data.images, side.data)
    yield from categories.findings(side, truth, categories.maps_of(truth.data, side.data), nothing)
    yield from images.findings(side, truth, where, by, nothing)


def _of_one_class(side: Side) -> Side:
    kinds = Categories(np.zeros(1, np.int64))
    return replace(side, data=replace(side.data, categories=kinds, category=np.zeros(len(side.data), np.int64)))


def _are_comparable(side: Side, truth: Side) -> bool:
    return bool(len(side.looked_at)) and bool(len(truth.looked_at))


def _trials(side: Side, truth: Side, where: np.ndarray, maps: categories.Maps) -> Trials:
    image = np.where(side.has_box, where[side.data.image], -1)
    sample = Sample(truth.data, side.data, image)
    return Trials(sample, side.numbers, side.sizes, side.data.category, maps, side.declared)


def _of_moved(side: Side, truth: Side, trials: Trials, maps: categories.Maps) -> list[Trial]:
    """Trials of ids of images that are one more, or less: every guess that hits so is won, each that hit is lost."""
    found: list[Trial] = []
    if trials.share >= FINE:
        return found
    hit = round(trials.share * len(trials.sample))
    for name, where in image_places.moved(truth.data.images, side.data).items():
        other = _trials(side, truth, where, maps)
        won = round(other.share * len(other.sample))
        hypothesis = Hypothesis(BoxReading(*side.declared), images=name)
        enough = won if len(other.sample) >= len(trials.sample) / 2 else 0
        found.append(Trial(hypothesis, enough, hit, other.share, hypothesis.changes(side.declared)))
    return found


def _filed(found: list[Finding], side: Side) -> list[Finding]:
    return [replace(one, file=side.path) for one in found]


def _sorted(found: list[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(found, key=lambda one: SEVERITIES.index(one.severity)))
