"""Files of every format with some bytes changed: what is read is a data set, or an error of ours."""

from __future__ import annotations

import io
import tempfile
import zlib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import vesica
from vesica.errors import VesicaError
from vesica.io import arrays, detections, png
from vesica.io.files import load
from vesica.io.formats import FORMATS

from .numbers import Rng, chance, pick

SIZE = (60, 80)
_BITS = (b"", b"nan", b"1e999", b"-", b'"', b"<", b"&", b"\n", b"\0", b",", b"\xff", b" ", b"9" * 30, b"[[", b"}")
WRITTEN = [name for name, format in FORMATS.items() if format.content or format.write_into]
if find_spec("pyarrow") is None:
    WRITTEN = [name for name in WRITTEN if name not in ("arrow", "parquet")]

# What others write and we only read: the files of a folder, and the options that belong to it.
FOREIGN: dict[str, tuple[dict[str, str], dict[str, Any]]] = {
    "outlines": ({"labels/a.txt": "0 0.1 0.1 0.9 0.1 0.5 0.9\n1 .1 .1 .2 .1 .2 .2 .1 .2 .15 .3\n"}, {"sizes": SIZE}),
    "oriented": ({"labels/a.txt": "0 0.1 0.1 0.5 0.1 0.5 0.5 0.1 0.5\n"}, {"sizes": SIZE, "kind": "obb"}),
    "poses": (
        {"data.yaml": "kpt_shape: [2, 3]\nnames: [cat]\n", "labels/a.txt": "0 0.5 0.5 0.2 0.2 0.4 0.4 2 0.6 0.6 1\n"},
        {"sizes": SIZE, "format": "yolo"},
    ),
    "names": (
        {"data.yaml": "names:\n  0: cat\n  1: 'no'\nval: labels\n", "labels/a.txt": "0 0.5 0.5 0.2 0.2\n"},
        {"sizes": SIZE, "format": "yolo"},
    ),
    "open images": (
        {"t.csv": "ImageID,LabelName,XMin,XMax,YMin,YMax,IsGroupOf\na,/m/1,0.1,0.5,0.2,0.9,0\n"},
        {"sizes": SIZE},
    ),
    "voc results": ({"comp3_det_val_cat.txt": "a 0.9 1 2 30 40\nb 1e-3 5.5 5 9 9\n"}, {}),
    "dota results": ({"Task1_plane.txt": "P0 0.9 1 1 9 1 9 5 1 5\n"}, {}),
    "cvat": (
        {
            "a.xml": """<annotations><meta><task><labels><label><name>cat</name></label></labels></task></meta>
<image id="0" name="a.jpg" width="80" height="60"><box label="cat" xtl="1.5" ytl="2" xbr="30" ybr="40" rotation="30"/>
<polygon label="cat" points="1,1;9,1;9,9"/><ellipse label="cat" cx="9" cy="9" rx="4" ry="2"/>
<mask label="cat" rle="1, 2, 3" left="4" top="5" width="3" height="2"/></image></annotations>"""
        },
        {"format": "cvat"},
    ),
    "tracks": (
        {
            "a.xml": """<annotations><meta><task><size>9</size><original_size><width>80</width><height>60</height>
</original_size></task></meta><track id="0" label="cat"><box frame="1" outside="0" xtl="1" ytl="2" xbr="3" ybr="4"/>
<box frame="2" outside="1" xtl="1" ytl="2" xbr="3" ybr="4"/></track></annotations>"""
        },
        {"format": "cvat"},
    ),
    "labelstudio": (
        {
            "a.json": """[{"id": 1, "data": {"image": "a.jpg"}, "predictions": [], "annotations": [{"id": 2,
"completed_by": 3, "was_cancelled": false, "result": [{"id": "r", "type": "rectanglelabels", "value": {"x": 10, "y": 10,
"width": 20, "height": 25, "rotation": 15, "rectanglelabels": ["cat"]}, "original_width": 5, "original_height": 3},
{"id": "s", "type": "brushlabels", "value": {"format": "rle", "rle": [0, 0, 0, 60, 57, 27, 252, 96, 19, 255, 219, 0,
143, 254, 112, 8, 255, 239, 128, 71, 254], "brushlabels": ["cat"]}, "original_width": 5, "original_height": 3}]}]}]"""
        },
        {"format": "labelstudio"},
    ),
    "labelme": (
        {
            "a.json": """{"shapes": [{"label": "cat", "points": [[1, 2], [9, 2], [9, 9]], "group_id": 1, "shape_type":
"polygon"}, {"label": "cat", "points": [[5, 5], [6, 7]], "shape_type": "circle"}, {"label": "cat", "points": [[10, 20],
[12, 21]], "shape_type": "mask", "mask": "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAAAAAC4HznGAAAAEElE"""
            """QVR4nGNgZGBkYGBkBAAAFwAFtXSfSAAAAABJRU5ErkJggg=="}], "imageHeight": 60, "imageWidth": 80}"""
        },
        {"format": "labelme"},
    ),
    "annotators": (
        {
            "a.json": """{"images": [{"id": 1}], "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox":
[1, 2, 3, 4], "annotator": "ann"}], "categories": [{"id": 1, "name": "cat"}], "annotators": ["ann", "ben"],
"assignments": [{"image_id": 1, "annotator": "ann"}, {"image_id": 1, "annotator": "ben", "round": 1}]}"""
        },
        {"format": "coco", "annotator": True},
    ),
    "dota": ({"P0.txt": "imagesource:GoogleEarth\ngsd:0.1\n1 1 9 1 9 5 1 5 plane 0\n"}, {"format": "dota"}),
}


def trial(rng: Rng) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pick(rng, (_written, _written, _foreign, _table))(Path(folder), rng)


def _written(folder: Path, rng: Rng) -> None:
    """By us, then changed."""
    format = pick(rng, WRITTEN)
    path = folder / f"t{(FORMATS[format].endings or ('.json',))[0]}" if FORMATS[format].content else folder / "t"
    scores = format in ("npy", "coco_results") or chance(rng, 0.5)
    vesica.write(path, _made(rng, scores=scores, rotated=format == "dota"), format=format)
    known = format if FORMATS[format].read else None
    _read(path, rng, format=known if chance(rng, 0.8) else None, sizes=SIZE if format == "yolo" else None)


def _foreign(folder: Path, rng: Rng) -> None:
    files, options = FOREIGN[pick(rng, list(FOREIGN))]
    for name, text in files.items():
        (folder / "t" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "t" / name).write_text(text * int(pick(rng, (1, 1, 5))))
    _read(folder / "t", rng, **options)


def _read(path: Path, rng: Rng, **options: Any) -> None:
    """One of the files is changed."""
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    file = files[rng.integers(len(files))]
    file.write_bytes(_changed(file.read_bytes(), rng))
    found = _ours(lambda: vesica.read(path, **options))
    if found is not None:
        _sound(found)


def _table(folder: Path, rng: Rng) -> None:
    """Tables of numbers, detections and label maps, as the command line takes them."""
    rows = np.round(rng.uniform(-5, 90, (int(rng.integers(0, 5)), int(pick(rng, (4, 5, 6))))), 2)
    packed, plain = io.BytesIO(), io.BytesIO()
    np.savez(packed, boxes=rows)
    np.save(plain, rows)
    texts = {
        "t.csv": "\n".join(",".join(map(str, row)) for row in rows.tolist()).encode(),
        "t.json": str(rows.tolist()).encode(),
        "t.npz": packed.getvalue(),
        "t.npy": plain.getvalue(),
        "t.png": _picture(rng),
    }
    name = pick(rng, list(texts))
    path = folder / name
    path.write_bytes(_changed(texts[name], rng))
    reader = png.labels_of if name == "t.png" else pick(rng, (arrays.array_of, detections.detections_of))
    found = _ours(lambda: reader(load(path)))
    if isinstance(found, np.ndarray):
        assert found.dtype.kind in "fiub"


def _picture(rng: Rng) -> bytes:
    """A PNG of one channel, some of whose checksums fit whatever it says."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    height, width, depth = int(rng.integers(0, 6)), int(rng.integers(0, 6)), int(pick(rng, (1, 8, 16, 3)))
    if chance(rng, 0.05):
        height, width = 2**31 - 1, 2**31 - 1
    head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([depth, int(pick(rng, (0, 0, 3, 2))), 0, 0, 0])
    rows = bytes(min(height, 9) * (1 + min(width, 9) * 2))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def _ours(call: Callable[[], Any]) -> Any:
    """The answer; None where there is an error of ours."""
    try:
        return call()
    except VesicaError:
        return None


def _made(rng: Rng, *, scores: bool, rotated: bool) -> vesica.Dataset:
    rows = int(rng.integers(1, 6))
    score = rng.random(rows) if scores else None
    image, category = rng.integers(1, 4, rows), rng.integers(0, 3, rows)
    boxes: Any = rng.integers(0, 30, (rows, 4)) + rng.choice([0, 0.5, 0.1])
    if rotated:
        turned = np.hstack([boxes[:, :2] + 20, boxes[:, 2:] / 3 + 1, rng.uniform(0, 90, (rows, 1))])
        turned = vesica.RotatedBoxes(turned, unit="deg", direction="cw")
        return vesica.Dataset.from_arrays(turned, image=image, category=category, score=score, sizes=SIZE)
    return vesica.Dataset.from_arrays(boxes, form="xywh", image=image, category=category, score=score, sizes=SIZE)


def _changed(data: bytes, rng: Rng) -> bytes:
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
