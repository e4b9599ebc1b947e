"""Files of data sets with some bytes changed: what is read is a data set, or an error of ours."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import vesica
from vesica.errors import VesicaError

_TARGETS = {"voc": "voc", "yolo": "yolo", "csv": "t.csv", "npz": "t.npz", "npy": "t.npy", "coco": "t.json"}
_BITS = (b"", b"nan", b"1e999", b"-", b'"', b"<", b"&", b"\n", b"\0", b",", b"\xff", b" ", b"9" * 30, b"[[", b"}")


def trial(rng: np.random.Generator) -> None:
    format = str(rng.choice(list(_TARGETS)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / _TARGETS[format]
        vesica.write(path, _made(rng, scores=format == "npy" or bool(rng.random() < 0.5)), format=format)
        files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
        file = files[rng.integers(len(files))]
        file.write_bytes(_changed(file.read_bytes(), rng))
        try:
            data = vesica.read(path, format=format, sizes=(60, 80) if format == "yolo" else None)
        except VesicaError:
            return
    _sound(data)


def _made(rng: np.random.Generator, *, scores: bool) -> vesica.Dataset:
    rows = int(rng.integers(1, 6))
    boxes = rng.integers(0, 30, (rows, 4)) + rng.choice([0, 0.5, 0.1])
    score = rng.random(rows) if scores else None
    image, category = rng.integers(1, 4, rows), rng.integers(0, 3, rows)
    return vesica.Dataset.from_arrays(boxes, form="xywh", image=image, category=category, score=score, sizes=(60, 80))


def _changed(data: bytes, rng: np.random.Generator) -> bytes:
    for _ in range(rng.integers(1, 4)):
        at = int(rng.integers(0, len(data) + 1))
        end = min(len(data), at + int(rng.choice([0, 1, 1, 4, 40])))
        data = data[:at] + _BITS[rng.integers(len(_BITS))] + (b"" if rng.random() < 0.05 else data[end:])
    return data


def _sound(data: vesica.Dataset) -> None:
    """All columns have one length and point into their tables (which a data set checks itself), and boxes are boxes."""
    if data.xywh is not None:
        assert np.isfinite(data.xywh).all() and (data.xywh[:, 2:] >= 0).all()
    assert data.score is None or np.isfinite(data.score).all()
    assert len(set(data.images.ids.tolist())) == len(data.images)
    assert len(set(data.categories.ids.tolist())) == len(data.categories)
