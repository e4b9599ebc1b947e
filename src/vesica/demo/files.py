"""The world as files that somebody with such pictures would have: COCO, label maps, and tables beside them."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from vesica.demo.annotators import ANNOTATORS, marks, task
from vesica.demo.kinds import CLASSES, THINGS, category_of, palette
from vesica.demo.maps import SEGMENTERS, guessed_map, truth_map
from vesica.demo.models import MODELS, Box, Guess, guesses
from vesica.demo.places import HEIGHT, WIDTH
from vesica.demo.scene import Picture, picture
from vesica.io import atomic
from vesica.io.png_write import png_of
from vesica.regions import RleMasks

MARK = "README.txt"
"""Every demo has it; its first line says what the folder is."""
FIRST_LINE = "A small world for trying vesica, written by `vesica demo`."
REPORT = "report.html"
EXPORT, EXPORT_FIXED = "b_export.json", "b_export_fixed.json"
"""b.json once more, by a script that wrote corners where COCO has sizes; and its repair."""
_FILES = (
    MARK, REPORT, "truth.json", "a.json", "b.json", EXPORT, EXPORT_FIXED, "meta.csv", "assignments.csv", "classes.txt",
    *(f"annotators/{one.name}.json" for one in ANNOTATORS),
)  # fmt: skip
_FOLDERS = ("images", "maps/truth", *(f"maps/{one.name}" for one in SEGMENTERS))
_NUMBERED = re.compile(r"\d{3,}\.png")


def write(folder: Path, numbers: Iterable[int], images: int, seed: int, /) -> None:
    """Draw pictures, one for each number, and write what there is to them."""
    for name in (*_FOLDERS, "annotators"):
        (folder / name).mkdir(parents=True)
    rows = _Rows()
    for number in numbers:
        drawn = picture(number, seed)
        name = f"{number:03}.png"
        atomic.put(folder / "images" / name, png_of(drawn.pixels))
        atomic.put(folder / "maps/truth" / name, png_of(truth_map(drawn), palette=palette()))
        for segmenter in SEGMENTERS:
            labels = guessed_map(segmenter, drawn, number, seed)
            atomic.put(folder / "maps" / segmenter.name / name, png_of(labels, palette=palette()))
        rows.add(drawn, number, images, seed)
    for path, content in rows.files().items():
        atomic.put(folder / path, content)


def earlier(folder: Path, /) -> list[Path]:
    """The files of an earlier demo in a folder; what else lies there is not ours."""
    found = [folder / name for name in _FILES]
    found += [
        path for name in _FOLDERS for path in sorted((folder / name).glob("*.png")) if _NUMBERED.fullmatch(path.name)
    ]
    return [path for path in found if path.is_file() or path.is_symlink()]


class _Rows:
    """What the files say, gathered picture by picture."""

    def __init__(self) -> None:
        self.images: list[dict[str, Any]] = []
        self.truths: list[dict[str, Any]] = []
        self.guesses: dict[str, list[dict[str, Any]]] = {one.name: [] for one in MODELS}
        self.asked: dict[str, list[dict[str, Any]]] = {one.name: [] for one in ANNOTATORS}
        self.marks: dict[str, list[dict[str, Any]]] = {one.name: [] for one in ANNOTATORS}
        self.meta = [("image", "camera", "daylight")]
        self.assignments: list[tuple[Any, ...]] = [("image", "annotator", "date")]

    def add(self, drawn: Picture, number: int, images: int, seed: int) -> None:
        name, image = f"{number:03}.png", number + 1
        row = {"id": image, "file_name": name, "width": WIDTH, "height": HEIGHT}
        self.images.append(row)
        self.meta.append((name, drawn.camera, drawn.daylight))
        self._add_truths(drawn, image)
        for model in MODELS:
            self.guesses[model.name] += [_of_guess(guess, image) for guess in guesses(model, drawn, number, seed)]
        given = task(number, images)
        for one in given.people:
            self.assignments.append((name, one.name, given.date))
            self.asked[one.name].append(row)
            mine = self.marks[one.name]
            for mark in marks(one, drawn, number, given.week, seed):
                mine.append(_of_box(len(mine) + 1, image, mark.category, mark.box))

    def _add_truths(self, drawn: Picture, image: int) -> None:
        if not drawn.things:
            return
        masks = RleMasks.from_masks([drawn.owners == thing.number for thing in drawn.things])
        for thing, runs in zip(drawn.things, masks.to_coco(), strict=True):
            row = _of_box(len(self.truths) + 1, image, thing.category, thing.box)
            counts = runs["counts"].decode() if isinstance(runs["counts"], bytes) else runs["counts"]
            own = {"segmentation": {**runs, "counts": counts}, "area": thing.area, "iscrowd": int(thing.is_crowd)}
            self.truths.append(row | own)

    def files(self) -> dict[str, str]:
        b = self.guesses["b"]
        return {
            "truth.json": _coco(self.images, self.truths),
            "a.json": _lines(self.guesses["a"]),
            "b.json": _lines(b),
            EXPORT: _lines([{**row, "bbox": _corners(row["bbox"])} for row in b]),
            "classes.txt": "".join(f"{name}\n" for name in CLASSES),
            "meta.csv": _csv(self.meta),
            "assignments.csv": _csv(self.assignments),
            **{f"annotators/{name}.json": _coco(self.asked[name], rows) for name, rows in self.marks.items()},
        }


def _of_guess(guess: Guess, image: int) -> dict[str, Any]:
    x, y, width, height = guess.box
    bbox = [x, y, width, height]
    return {"image_id": image, "category_id": category_of(guess.category), "bbox": bbox, "score": guess.score}


def _of_box(id: int, image: int, category: str, box: Box) -> dict[str, Any]:
    bbox = [int(side) for side in box]
    area = bbox[2] * bbox[3]
    return {"id": id, "image_id": image, "category_id": category_of(category), "bbox": bbox, "area": area, "iscrowd": 0}


def _corners(bbox: list[float]) -> list[float]:
    x, y, width, height = bbox
    return [x, y, round(x + width, 1), round(y + height, 1)]


def _coco(images: list[dict[str, Any]], rows: list[dict[str, Any]]) -> str:
    categories = [{"id": category_of(name), "name": name} for name in THINGS]
    parts = {"images": images, "categories": categories, "annotations": rows}
    return "{" + ",\n".join(f"{json.dumps(name)}: {_lines(value).rstrip()}" for name, value in parts.items()) + "}\n"


def _lines(rows: list[dict[str, Any]]) -> str:
    """A list with a row in each line: people look into such files."""
    return "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n" if rows else "[]\n"


def _csv(rows: Iterable[tuple[Any, ...]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()
