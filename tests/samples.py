"""Data sets for tests: how to compare two, and how to make one with everything in it."""

from __future__ import annotations

import dataclasses
import json

import numpy as np

from vesica import RleMasks
from vesica.dataset import Assignments, Dataset, Images


def same(a, b, *, but=(), atol=0.0):
    """Assert that two data sets hold the same, to the bit unless `atol` says otherwise; but for notes and the file."""
    for name in (field.name for field in dataclasses.fields(Dataset) if field.name not in {"notes", "source", *but}):
        x, y = getattr(a, name), getattr(b, name)
        if name in ("images", "categories"):
            for field in dataclasses.fields(x):
                if f"{name}.{field.name}" not in but:
                    _equal(getattr(x, field.name), getattr(y, field.name), f"{name}.{field.name}")
        elif name == "segments":
            assert (x is None) == (y is None), name
            if x is not None:
                assert list(x.written()) == list(y.written()) and x.form.tolist() == y.form.tolist()
                assert x.size.tolist() == y.size.tolist()
        else:
            _equal(x, y, name, atol if name == "xywh" else 0.0)


def _equal(x, y, name, atol=0.0):
    assert (x is None) == (y is None), f"{name}: {x} and {y}"
    if x is None:
        return
    if isinstance(x, Assignments):
        assert x == y, f"{name}: {x} and {y}"
        return
    if isinstance(x, tuple):  # Ragged
        _equal(x.values, y.values, name)
        _equal(x.offsets, y.offsets, name)
        return
    assert x.dtype == y.dtype, f"{name}: {x.dtype} and {y.dtype}"
    if x.dtype == object:
        assert x.tolist() == y.tolist(), name
        assert list(map(type, x.tolist())) == list(map(type, y.tolist())), name
    elif atol:
        assert np.allclose(x, y, rtol=0, atol=atol), name
    else:
        assert np.array_equal(x, y, equal_nan=x.dtype.kind == "f"), f"{name}: {x} and {y}"


def made(rows=40, *, seed=0, scores=False, strings=False, sizes=True, whole=False):
    """A data set with images and categories that no row has."""
    rng = np.random.default_rng(seed)
    images = [f"im {k}" for k in range(9)] if strings else [3, 70, 12, 0, 9_000_000_001, 5, 6, 8, 41]
    categories = {f"c{k}": f"c{k}" for k in range(4)} if strings else {1: "cat", 7: "dog", 3: 'a, "b"', 0: "ü"}
    boxes = np.concatenate([rng.uniform(0, 50, (rows, 2)), rng.uniform(0, 40, (rows, 2))], axis=1)
    boxes = np.floor(boxes) if whole else boxes
    return Dataset.from_arrays(
        boxes,
        form="xywh",
        image=[images[k] for k in rng.integers(0, 7, rows)],
        category=[list(categories)[k] for k in rng.integers(0, 3, rows)],
        score=rng.random(rows) if scores else None,
        images=images,
        categories=categories,
        sizes=rng.integers(90, 200, (9, 2)) if sizes else None,
    )


def drawn(
    seed, *, kinds=("box", "turned", "polygon", "mask"), people=(), rows=12, sides=(40, 53), images=3, scores=False
):
    """Objects as people draw them, of several kinds; with `people`, each asked for some images in up to two rounds."""
    rng = np.random.default_rng(seed)
    height, width = sides
    chosen = [kinds[k] for k in rng.integers(0, len(kinds), rows)]
    low = rng.uniform(9, 20, (rows, 2))
    boxes = np.concatenate([low, rng.uniform(2, 12, (rows, 2))], axis=1)
    corners = np.stack([_rectangle(*box) for box in boxes])
    segments = []
    for row, kind in enumerate(chosen):
        if kind == "turned":
            corners[row] = _turned(corners[row], rng.uniform(5, 85))
        if kind == "polygon":
            ring = boxes[row, :2] + rng.uniform(0, 12, (int(rng.integers(3, 7)), 2))
            segments.append([ring.reshape(-1).tolist()])
            boxes[row] = [*ring.min(axis=0), *np.ptp(ring, axis=0)]
        elif kind == "mask":
            mask = np.zeros(sides, bool)
            x, y = (int(value) for value in low[row])
            tile = rng.random((int(rng.integers(1, 9)), int(rng.integers(1, 9)))) < 0.6
            tile[0, 0] = True
            mask[y : y + tile.shape[0], x : x + tile.shape[1]] = tile
            found = RleMasks.from_masks(mask[None])
            segments.append({"size": list(sides), "counts": found.to_strings()[0]})
            x1, y1, x2, y2 = found.boxes.xyxy[0].tolist()
            boxes[row] = [x1, y1, x2 - x1, y2 - y1]
        else:
            segments.append(None)
        if kind != "turned":
            corners[row] = _rectangle(*boxes[row])
    is_turned = "turned" in chosen
    image = rng.integers(1, images + 1, rows)
    return Dataset.from_arrays(
        corners if is_turned else boxes,
        form="xyxy" if is_turned else "xywh",
        masks=segments if any(segments) else None,
        image=image,
        category=[["cat", "dog & <b>", "ü"][k] for k in rng.integers(0, 3, rows)],
        images=Images(np.arange(1, images + 1), *np.full((2, images), [[height], [width]]), names=_names(images)),
        score=rng.random(rows) if scores else None,
        **(_asked(rng, people, image, images) if people else {}),
    )


def _names(images):
    return np.array([f"folder/{k}.jpg" for k in range(images)], object)


def _asked(rng, people, image, images):
    """Everybody whose rows there are was asked, and some more were who saw nothing."""
    who = [people[k] for k in rng.integers(0, len(people), len(image))]
    turn = rng.integers(0, 2, len(image))
    turn = np.where([w == people[0] for w in who], turn, 0)
    asked = {*zip(image.tolist(), who, turn.tolist(), strict=True)}
    asked |= {(i, w, 0) for i, w, r in asked if r}  # a second time comes after a first
    asked |= {(int(k), people[-1], 0) for k in range(1, images + 1)}
    table = sorted(asked, key=str)
    columns = dict(zip(("image", "annotator", "round"), map(list, zip(*table, strict=True)), strict=True))
    return {"annotator": who, "round": turn, "assignments": columns}


def _rectangle(x, y, w, h):
    return np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]])


def _turned(corners, degrees):
    turn, centre = np.deg2rad(degrees), corners.mean(axis=0)
    matrix = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return (corners - centre) @ matrix + centre


def described(data, *, digits=6):
    """The objects of a data set as a sorted list of plain values: whatever order rows, images and people come in."""
    images = data.images.ids if data.images.names is None else data.images.names
    people = [None] * len(data) if data.annotator is None else data.annotators[data.annotator].tolist()
    rounds = [0] * len(data) if data.round is None else data.round.tolist()
    shapes = data.xywh.tolist() if data.corners is None else _apart(data)
    segments = [None] * len(data) if data.segments is None else [_segment(data, row) for row in range(len(data))]
    scores = [None] * len(data) if data.score is None else data.score.tolist()
    kinds = data.categories.ids if data.categories.names is None else data.categories.names
    rows = zip(images[data.image], kinds[data.category], people, rounds, shapes, segments, scores, strict=True)
    return sorted(repr(_rounded(row, digits)) for row in rows)


def _apart(data):
    """Corners of rotated boxes as a set of points, which may begin anywhere."""
    return [sorted(map(tuple, np.round(corners, 5).tolist())) for corners in data.corners]


def _segment(data, row):
    segments = data.segments
    if segments.form[row] == segments.NONE:
        return None
    text = next(segments[[row]].written())
    if segments.form[row] == segments.JSON and text.startswith(b"["):
        return [float(value) for ring in json.loads(text) for value in ring]
    return segments.sized(data.images.sizes[data.image]).to_rle([row]).to_counts()[0]


def _rounded(value, digits):
    if isinstance(value, (list, tuple)):
        return [_rounded(one, digits) for one in value]
    return round(value, digits) + 0.0 if isinstance(value, float) else value


def asked(data):
    """Who was asked for which image and when, as a sorted list of plain values."""
    images = data.images.ids if data.images.names is None else data.images.names
    table = data.assignments
    return sorted(
        zip(images[table.image], map(str, data.annotators[table.annotator]), table.rounds.tolist(), strict=True)
    )
