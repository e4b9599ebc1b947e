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
    return _detection(folder, images=210, categories=80)


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


def label_maps(images, classes, *, seed=0, size=(48, 64)):
    """Truths of bands and a guess whose edges wander and that takes some of a class for another."""
    rng = np.random.default_rng(seed)
    height, width = size
    bands = np.arange(width) * classes // width
    truth = np.broadcast_to(bands, (images, height, width)).astype(np.uint8)
    shift = rng.integers(-2, 3, (images, height, 1))
    guess = np.take_along_axis(truth, np.clip(np.arange(width) + shift, 0, width - 1), axis=2)
    swapped = rng.random((images, height // 3, 1)) < 0.3
    guess[:, : height // 3] = np.where(swapped, (guess[:, : height // 3] + 1) % classes, guess[:, : height // 3])
    return truth, guess


def _segmentation(folder, *, images, names, size=(48, 64), surfaces=False):
    import vesica
    from vesica import report

    truth, guess = label_maps(images, len(names), size=size)
    ids = list(range(images)) if surfaces else [_name(place) for place in range(images)]
    result = vesica.evaluate_segmentation(truth, guess, categories=names, images=ids)
    maps = {name: (truth[place], guess[place]) for place, name in enumerate(ids)}
    results = (result,)
    if surfaces:
        results += (vesica.evaluate_surfaces(truth, guess, categories=dict(enumerate(names)), tau=2),)
    path = folder / "report.html"
    return Made(path, results, report.write(path, *results, maps=maps))


def segmentation(folder):
    return _segmentation(folder, images=12, names=[*HOSTILE, "road", "car"])


def outlines(folder):
    return _segmentation(folder, images=9, names=[*HOSTILE, "road", "car"], surfaces=True)


def segmentation_of_eighty(folder):
    names = [f"kind {k}" for k in range(80)]
    return _segmentation(folder, images=64, names=names, size=(32, 320))


def segmentation_of_one(folder):
    return _segmentation(folder, images=1, names=["road"])


def drawn(images, names, people, *, seed=0):
    """What people drew: moved, left out, under other labels; images of two batches."""
    import vesica
    from vesica.dataset import Images

    rng = np.random.default_rng(seed)
    rows = []
    for place in range(images):
        for corner, side, kind in zip(
            rng.uniform(0, 300, (4, 2)),
            rng.uniform(30, 110, (4, 2)),
            rng.integers(0, max(len(names), 1), 4),
            strict=True,
        ):
            for number, who in enumerate(people if names else ()):
                if rng.random() < 0.85:
                    box = np.concatenate([corner, corner + side]) + rng.normal(0, 3, 4) + number
                    label = names[kind if rng.random() < 0.85 else rng.integers(len(names))]
                    rows.append((place, who, label, box))
    table = Images(
        np.arange(images),
        height=np.full(images, 420),
        width=np.full(images, 430),
        names=np.array([_name(place) for place in range(images)], object),
        batch=np.array([f"week {1 + 2 * place // max(images, 1)}" for place in range(images)], object),
    )
    return vesica.Dataset.from_arrays(
        np.array([box for *_, box in rows], float).reshape(-1, 4),
        image=np.array([place for place, *_ in rows], int),
        category=np.array([label for _, _, label, _ in rows], object),
        annotator=np.array([who for _, who, *_ in rows], object),
        images=table,
        annotators=list(people),
        categories=list(names),
        assignments="all",
    )


def _agreement(folder, *, images, names, people):
    import vesica

    result = vesica.evaluate_agreement(drawn(images, names, people))
    path = folder / "report.html"
    return Made(path, (result,), result.report(path, images=photographs(images).get))


def agreement(folder):
    return _agreement(folder, images=16, names=[*HOSTILE, "cat"], people=[HOSTILE[0], HOSTILE[1], "cleo"])


def agreement_of_many(folder):
    names, people = [f"kind {k}" for k in range(80)], [f"person {k}" for k in range(12)]
    return _agreement(folder, images=90, names=names, people=people)


def agreement_of_one(folder):
    return _agreement(folder, images=1, names=["cat"], people=["ann", "ben"])


def agreement_on_nothing(folder):
    return _agreement(folder, images=2, names=[], people=["ann", "ben"])


def agreement_of_maps(folder):
    import vesica

    truth, guess = label_maps(8, 4)
    result = vesica.evaluate_agreement({HOSTILE[0]: truth, HOSTILE[1]: guess, "cleo": np.roll(truth, 1, axis=2)})
    path = folder / "report.html"
    return Made(path, (result,), result.report(path))


def _comparison(folder, *, images, categories, names=None, called=("old", "new"), per_image=5):
    import vesica

    truth, guess = detections(images, categories, names=names, per_image=per_image)
    rng = np.random.default_rng(5)
    models = [guess.rows(np.flatnonzero(rng.random(len(guess)) < share)) for share in (0.7, 0.9, 0.8)[: len(called)]]
    slices = {"light": {_name(place): ("day", HOSTILE[0])[place % 2] for place in range(images)}}
    result = vesica.compare(truth, *models, names=list(called), replicates=60, slices=slices if images else None)
    path = folder / "report.html"
    return Made(path, (result,), result.report(path, images=photographs(images).get, gates=result.gates("AP drop<=0")))


def comparison(folder):
    return _comparison(folder, images=24, categories=4, names=[*HOSTILE, "cat"], called=(HOSTILE[0], HOSTILE[1]))


def comparison_of_eighty(folder):
    return _comparison(folder, images=100, categories=80, called=("old", "new", "newest"))


def comparison_of_one(folder):
    return _comparison(folder, images=1, categories=1, per_image=1)


def panoptic(folder):
    import vesica

    one = np.array([[1, 1, 2, 2], [1, 1, 3, 3]]), {1: 7, 2: 8, 3: 8}
    other = np.array([[1, 1, 2, 2], [1, 4, 4, 2]]), {1: 7, 2: 8, 4: 7}
    names = {7: HOSTILE[0], 8: HOSTILE[1]}
    result = vesica.evaluate_panoptic([one] * 6, [other, one] * 3, categories=names)
    path = folder / "report.html"
    return Made(path, (result,), result.report(path))


KINDS = {
    "detection": detection,
    "segmentation": segmentation,
    "agreement": agreement,
    "comparison": comparison,
    "eighty": eighty,
    "one": one,
    "nothing": nothing,
    "silent": silent,
    "outlines": outlines,
    "segmentation of eighty": segmentation_of_eighty,
    "segmentation of one": segmentation_of_one,
    "agreement of many": agreement_of_many,
    "agreement of one": agreement_of_one,
    "agreement on nothing": agreement_on_nothing,
    "agreement of maps": agreement_of_maps,
    "comparison of eighty": comparison_of_eighty,
    "comparison of one": comparison_of_one,
    "panoptic": panoptic,
}
MAIN = ["detection", "segmentation", "agreement", "comparison"]
"""Kinds with objects, pictures and hostile names."""
MANY = [kind for kind in KINDS if "eighty" in kind or "many" in kind]
"""Kinds of many categories, and of more images than have a picture."""
