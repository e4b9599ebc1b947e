"""Files of COCO: sound ones with changed bytes, and others that nobody would write."""

from __future__ import annotations

import json
import tempfile
from typing import Any

import numpy as np

from vesica import InputError, _native
from vesica._kernels.native.coco_file import Columns, Problem, read, read_open
from vesica.io.coco import dataset_of
from vesica.io.files import File

from .numbers import EXTREMES, STRANGE, Rng, chance, isa_level, pick

ALPHABET = b'0123456789.-+eE,:[]{}"\\ \n\tntfNIuid_/\x00\x1f\x7f\x80\xc3\xed\xf0\xff'


def trial(rng: Rng) -> None:
    _native.limit_isa(isa_level(rng))
    data = _mutated(rng, _document(rng))
    array = np.frombuffer(data, np.uint8)
    first = read(array, masks=True, spans=True, threads=1)
    block, threads = int(rng.integers(1, 200)), int(rng.integers(1, 9))
    if chance(rng, 0.5):
        again = read(array, masks=True, spans=True, block=block, threads=threads)
    else:
        with tempfile.TemporaryFile(buffering=0) as file:
            file.write(data)
            again = read_open(file.fileno(), len(data), masks=True, spans=True, block=block, threads=threads)
    assert type(first) is type(again)
    if isinstance(first, Problem):
        assert first == again, (first, again)
        assert 0 <= first.at <= len(data)
    else:
        _sound(data, first, again)
    words = "fuzz.json"
    try:
        dataset_of(File(words, data, "json"), check=chance(rng, 0.5))
    except InputError as error:
        words = str(error)
    assert words.startswith("fuzz.json")


def _sound(data: bytes, first: Columns, again: Any) -> None:
    """Python's json takes it too, each record for itself as well, and both ways to read it agree."""
    json.loads(data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogatepass"))
    rows = first.annotations
    for name, column in rows._asdict().items():
        other = getattr(again.annotations, name)
        assert np.array_equal(column, other, equal_nan=name in ("xywh", "score", "area")) \
            if isinstance(column, np.ndarray) else column == other, name  # fmt: skip
    if rows.record_begin is not None and rows.record_end is not None:
        for begin, end in zip(rows.record_begin, rows.record_end, strict=True):
            assert isinstance(json.loads(data[begin:end].decode("utf-8", "surrogatepass")), dict)


def _document(rng: Rng) -> bytes:
    rows = [_annotation(rng) for _ in range(int(rng.integers(0, 8)))]
    rows *= int(pick(rng, (1, 1, 1, 20)))
    value: Any = rows
    if chance(rng, 0.5):
        images = [{"id": k, "height": 480, "width": 640, "file_name": f"{k}.jpg"} for k in range(4)]
        value = {"images": images, "annotations": rows, "categories": [{"id": 1, "name": "é"}]}
    separators = pick(rng, ((",", ":"), (", ", ": "), (" ,\n", "\t:")))
    return json.dumps(value, separators=separators, ensure_ascii=chance(rng, 0.5)).encode("utf-8", "surrogatepass")


def _annotation(rng: Rng) -> dict[str, Any]:
    sound = {
        "image_id": int(rng.integers(0, 4)),
        "category_id": 1,
        "id": int(rng.integers(0, 1000)),
        "bbox": [round(float(side), int(rng.integers(0, 17))) for side in rng.uniform(0, 600, 4)],
        "score": float(rng.random()),
        "area": float(rng.uniform(0, 1e4)),
        "iscrowd": int(rng.integers(0, 2)),
        "segmentation": pick(rng, ([[1.5, 2, 30, 4, 5, 6]], {"size": [9, 9], "counts": "71320N4"}, [], None)),
        "note": pick(rng, ("}, {", '"', "\\", "é", [{}, {"a": [1]}], 1e-7)),
    }
    kept = {key: value for key, value in sound.items() if chance(rng, 0.9)}
    if chance(rng, 0.2) and kept:
        kept[str(pick(rng, tuple(kept)))] = _anything(rng)
    return kept


def _anything(rng: Rng) -> Any:
    """What JSON can say of what is strange."""
    value = pick(rng, (*EXTREMES, *STRANGE, "7", True, [1, 2, 3], {"a": None}, 10**30))
    return value if isinstance(value, (int, float, str, list, dict, type(None))) else repr(value)


def _mutated(rng: Rng, data: bytes) -> bytes:
    broken = bytearray(data)
    for _ in range(int(pick(rng, (0, 1, 1, 2, 5)))):
        at = int(rng.integers(len(broken) + 1))
        how = int(rng.integers(5))
        if how < 2:
            broken[at : at + how] = bytes([pick(rng, tuple(ALPHABET))])
        elif how == 2:
            del broken[at : at + int(rng.integers(1, 9))]
        elif how == 3:
            other = int(rng.integers(len(broken) + 1))
            broken[at:at] = broken[other : other + int(rng.integers(1, 200))]
        else:
            broken[at:at] = bytes([pick(rng, tuple(b"[{9"))]) * int(pick(rng, (3, 70, 5000)))
    return bytes(broken[: int(rng.integers(len(broken) + 1))] if chance(rng, 0.1) else broken)
