"""Reports to look at, by kind: each is a function of a folder that writes one. A new kind is a line in `KINDS`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

HOSTILE = (
    '</script><img src=x onerror="window.ran=1">',
    '"><svg onload="window.ran=1">',
    "$\\bad$ & 100 % 'quoted'",
)
"""Names of categories, files and annotators that must be shown as they are."""


@dataclass(frozen=True)
class Made:
    """A report that was written, and what it is of."""

    path: Path
    results: tuple[Any, ...]
    left_out: Any


def detections(images, categories, seed=0, *, names=None, per_image=5):
    """A truth and the guesses of a detector with every kind of mistake, as data sets."""
    import vesica

    rng = np.random.default_rng(seed)
    names = names or [f"kind {k}" for k in range(categories)]
    image = np.repeat(np.arange(images), per_image)
    kind = rng.integers(0, max(categories, 1), len(image))
    corner = rng.integers(0, 400, (len(image), 2)).astype(float)
    side = rng.integers(20, 120, (len(image), 2)).astype(float)
    truth = np.concatenate([corner, corner + side], axis=1)
    moved = truth + rng.normal(0, 3, truth.shape).round()
    moved[:, 2:] = np.maximum(moved[:, 2:], moved[:, :2] + 4)
    guessed = np.where(rng.random(len(kind)) < 0.85, kind, rng.integers(0, max(categories, 1), len(kind)))
    kept = rng.random(len(kind)) < 0.85
    made_up = rng.integers(0, 400, (len(image) // 4, 2)).astype(float)
    boxes = np.concatenate([moved[kept], np.concatenate([made_up, made_up + 40], axis=1)])
    of_image = np.concatenate([image[kept], rng.integers(0, max(images, 1), len(made_up))])
    of_kind = np.concatenate([guessed[kept], rng.integers(0, max(categories, 1), len(made_up))])
    score = np.concatenate([rng.beta(5, 2, int(kept.sum())), rng.beta(2, 3, len(made_up))]).round(3)
    sides = ((truth, image, kind, {}), (boxes, of_image, of_kind, {"score": score}))
    return tuple(
        vesica.Dataset.from_arrays(box, image=[_name(k) for k in where], category=[names[k] for k in what], **more)
        for box, where, what, more in sides
    )


def _name(place):
    return f"{HOSTILE[place]}.jpg" if place < len(HOSTILE) else f"{place:04}.jpg"


def photographs(count):
    """A small picture for each image, by name."""
    pictures = {}
    for place in range(count):
        shade = np.full((60, 80, 3), 60 + place % 150, np.uint8)
        shade[10:40, 20:60] = (200, 120, 40)
        pictures[_name(place)] = shade
    return pictures


def _detection(folder, *, images, categories, names=None, per_image=5):
    import vesica

    truth, guess = detections(images, categories, names=names, per_image=per_image)
    result = vesica.evaluate(truth, guess)
    path = folder / "report.html"
    pictures = photographs(images)
    return Made(path, (result,), result.report(path, images=pictures.get, gates=_gates(result)))


def _gates(result):
    return result.gates("AP>=0.1", "AP50>=0.99") if result.truths else ()


def detection(folder):
    return _detection(folder, images=30, categories=6, names=[*HOSTILE, "cat", "dog", "\u202eegap"])


def eighty(folder):
    return _detection(folder, images=260, categories=80)


def one(folder):
    return _detection(folder, images=1, categories=1, per_image=1)


def nothing(folder):
    """No image, no truth, no guess."""
    import vesica

    empty = np.empty((0, 4))
    truth = vesica.Dataset.from_arrays(empty, image=[], category=[])
    guess = vesica.Dataset.from_arrays(empty, image=[], category=[], score=[])
    result = vesica.evaluate(truth, guess)
    path = folder / "report.html"
    return Made(path, (result,), result.report(path))


def silent(folder):
    """A detector that says nothing."""
    import vesica

    truth, guess = detections(4, 2)
    result = vesica.evaluate(truth, guess.rows(np.empty(0, np.int64)))
    path = folder / "report.html"
    return Made(path, (result,), result.report(path))


KINDS = {"detection": detection, "eighty": eighty, "one": one, "nothing": nothing, "silent": silent}
MAIN = ["detection"]
"""Kinds with objects, pictures and hostile names."""
