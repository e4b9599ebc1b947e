"""Scores of detectors: any truths and guesses, any protocol; in parts and whole, by one thread and by several."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica import Dataset, RotatedBoxes, _native
from vesica.detection import Records, merge, records_of, summarise

from . import sound
from .numbers import STRANGE, Rng, chance, isa_level, pick

PROTOCOLS = ("coco", "coco", "voc", "voc07", "voc-devkit")
SIDE, IMAGES, CATEGORIES = 64, 6, 3
WORDS = ("`", "truth", "guess", "categories", "masks")  # a refusal names an argument or a side


def trial(rng: Rng) -> None:
    _native.limit_isa(isa_level(rng))
    regions = pick(rng, ("box", "box", "mask", "boundary", "rotated"))
    options = options_of(rng, regions)
    truth, guess = (columns_of(rng, regions, guesses=guesses) for guesses in (False, True))

    def matched(keep: np.ndarray, threads: int) -> Records:
        return records_of(dataset(truth, keep), dataset(guess, keep), threads=threads, **options)

    every = np.ones(IMAGES, bool)
    whole = sound.attempt(lambda: matched(every, int(rng.integers(1, 4))), *WORDS)
    if whole is None:
        return
    assert whole.to_bytes() == matched(every, 1).to_bytes()
    assert Records.from_bytes(whole.to_bytes()).to_bytes() == whole.to_bytes()
    result = summarise(whole, threads=int(rng.integers(1, 4)))
    numbers(result)
    _curves(result, rng)

    part = rng.random(IMAGES) < 0.5
    parts = [matched(keep, 1) for keep in (part, ~part)]
    if chance(rng, 0.5):
        parts.reverse()
    merged = summarise(merge(*parts), threads=1)
    for name in ("precision", "recall", "scores"):
        assert getattr(merged, name).tobytes() == getattr(result, name).tobytes(), "images merge in any order"


def options_of(rng: Rng, regions: str) -> dict[str, Any]:
    """Of a protocol; now and then one that is none."""
    options: dict[str, Any] = {"regions": regions, "protocol": pick(rng, PROTOCOLS)}
    if options["protocol"] == "coco" and regions in ("box", "mask") and chance(rng, 0.3):
        options["quirks"] = "pycocotools"
    if chance(rng, 0.3):
        options["iou"] = pick(rng, ((0.5,), (0.1, 0.5, 0.9), (1.0,), (0.0, 1 / 3), tuple(np.arange(1, 40) / 40)))
    if chance(rng, 0.2) and "quirks" not in options:  # which wants three
        options["max_dets"] = pick(rng, ((1,), (1, 2, 3), (1000,)))
    if chance(rng, 0.2):
        options["areas"] = pick(rng, ({"all": (0, 1e10)}, {"a": (0, 16), "b": (16, 16)}, {"z": (0, 0)}))
    if chance(rng, 0.2):
        options["by_class"] = False
    if chance(rng, 0.03):
        options[pick(rng, ("iou", "max_dets", "areas"))] = pick(rng, STRANGE[4:])
    return options


def columns_of(rng: Rng, regions: str, *, guesses: bool) -> dict[str, Any]:
    """A few boxes, which lie on a grid: many are equal, many at thresholds and at ends of areas."""
    count = int(pick(rng, (0, 1, 8, 40)))
    corner, sides = rng.integers(0, 6, (count, 2)) * 8.0, rng.integers(0, 5, (count, 2)) * 4.0
    columns = {"image": rng.integers(0, IMAGES, count), "category": rng.integers(0, CATEGORIES, count)}
    if guesses:
        columns["score"] = rng.choice([0.0, 0.25, 0.5, 1.0, -1.0, float(rng.normal())], count)
    elif chance(rng, 0.5):
        columns["crowd"] = rng.random(count) < 0.3
    if not guesses and chance(rng, 0.2):
        columns["area"] = rng.choice([0.0, 16.0, 1024.0, 9216.0], count)
    columns["boxes"] = np.hstack([corner, corner + sides])
    if regions == "rotated":
        columns["boxes"] = np.hstack([corner, sides, rng.choice([0, 45, 30.5], (count, 1))])
    if regions in ("mask", "boundary"):
        masks = [_mask(*map(int, row)) for row in columns["boxes"].tolist()]
        columns["masks"] = np.array(masks, bool).reshape(count, SIDE, SIDE)
    return columns


def dataset(columns: dict[str, Any], keep: np.ndarray) -> Dataset:
    """The rows of some of the images, empty ones among them."""
    rows = np.flatnonzero(keep[columns["image"]])
    some = {name: column[rows] for name, column in columns.items()}
    boxes = some.pop("boxes")
    if boxes.shape[1] == 5:
        boxes = RotatedBoxes(boxes, unit="deg", direction="cw")
    tables = {"images": np.flatnonzero(keep), "categories": np.arange(CATEGORIES), "sizes": (SIDE, SIDE)}
    return Dataset.from_arrays(boxes, **some, **tables)


def _mask(x1: int, y1: int, x2: int, y2: int) -> np.ndarray:
    pixels = np.zeros((SIDE, SIDE), bool)
    pixels[y1:y2, x1:x2] = True
    return pixels


def numbers(result: Any) -> None:
    """Every number is a share, or says that there is none; tables have a row for each category."""
    protocol = result.records.protocol
    has_summary = protocol.quirks is None or len(protocol.max_dets) == 3  # the twelve numbers of pycocotools need three
    for name, value in result.summary.items() if has_summary else ():
        assert np.isnan(value) or -1e-12 <= value <= 1 + 1e-12, (name, value)
    for table in (np.asarray(result.precision), np.asarray(result.recall)):
        assert np.all((table == -1) | ((table >= 0) & (table <= 1)))
    assert not has_summary or (str(result) and result.to_json())


def _curves(result: Any, rng: Rng) -> None:
    if not len(result.categories):
        return
    curve = sound.attempt(lambda: result.curve(pick(rng, result.categories)), "`")
    if curve is None:
        return
    assert np.all(np.diff(curve.score) <= 0) and np.all(np.diff(curve.right) >= 0) and np.all(np.diff(curve.wrong) >= 0)
    assert not len(curve.right) or curve.right[-1] <= curve.positives
    for share in (curve.precision, curve.recall, curve.f1, curve.envelope):
        assert np.all(np.isnan(share) | ((share >= 0) & (share <= 1)))
