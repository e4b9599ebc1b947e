"""Data sets for tests: how to compare two, and how to make one with everything in it."""

from __future__ import annotations

import dataclasses

import numpy as np

from vesica.dataset import Assignments, Dataset


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
