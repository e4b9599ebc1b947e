"""All that writes files, each with an old and a new content, for tests of what is left when something goes wrong."""

import contextlib
import functools
import io
import json
import unittest.mock
from pathlib import Path
from typing import NamedTuple

import numpy as np

import vesica
from installed import cases, has
from vesica import report
from vesica.cli import demo, eval_output, main
from vesica.demo import files as demo_files
from vesica.demo import scene, tour
from vesica.demo.maps import guessed_map
from vesica.detection import records_of
from vesica.io import arrays, atomic, detections, files
from vesica.io.png_write import png_of
from vesica.io.review_queue import write_queue

SIZE = (480, 640)


class Writer(NamedTuple):
    """`write(path, which)` writes content 0 or 1 to a path; `place` is the name there, of a folder if it has no dot."""

    place: str
    write: object
    needs: str | None = None

    @property
    def is_folder(self):
        return "." not in self.place


def dataset(which, *, scores, rows=40):
    """Boxes in other images, of other classes, in the one content than in the other; some images are in both."""
    random = np.random.default_rng(which)
    corners = random.integers(0, 300, (rows, 2))
    return vesica.Dataset.from_arrays(
        np.concatenate([corners, corners + random.integers(1, 100, (rows, 2))], 1).astype(float),
        image=(np.arange(rows) % (2 + which) + which).tolist(),
        category=[f"{'ab'[which]}{k % 2}" for k in range(rows)],
        score=random.random(rows) if scores else None,
        sizes=SIZE,
    )


def _of_dataset(place, format=None, *, scores=False, number=False, overwrite=True, needs=None):
    contents = [dataset(which, scores=scores) for which in (0, 1)]
    contents = [data.numbered() for data in contents] if number else contents

    def write(path, which):
        vesica.write(path, contents[which], format=format, overwrite=overwrite)

    return Writer(place, write, needs)


def _of_table(place):
    tables = [np.random.default_rng(which).random((60, 5)) for which in (0, 1)]
    return Writer(place, lambda path, which: arrays.write(str(path), tables[which]))


def _of_results(path, which):
    rows = [{"image_id": k, "category_id": 1, "score": (k + 1) / 100, "bbox": [which, 2, 3, 4]} for k in range(60)]
    file = files.File("results.json", json.dumps(rows).encode(), "json")
    found = detections.detections_of(file)
    detections.write(str(path), found, np.arange(50), found.scores[:50])


def _of_records():
    contents = [records_of(dataset(which, scores=False), dataset(which, scores=True)) for which in (0, 1)]
    return Writer("all.records", lambda path, which: eval_output.write_records(str(path), contents[which]))


# To draw and to pack them takes longer than to write them.
_PICTURES = functools.cache(scene.picture)
_MAPS = functools.cache(lambda segmenter, number, seed: guessed_map(segmenter, _PICTURES(number, seed), number, seed))
_packed: dict = {}


def _png(pixels, *, palette=None):
    key = (pixels.tobytes(), palette is None)
    if key not in _packed:
        _packed[key] = png_of(pixels, palette=palette)
    return _packed[key]


_TOUR = tour.tour
_toured: dict = {}


def _tour(which, folder, done):
    """What is found in the files of a demo: to find it takes longer than to write them, so later ones are only read."""
    repaired = folder / demo_files.EXPORT_FIXED
    if which not in _toured:
        found = _TOUR(folder, done)
        _toured[which] = found, repaired.read_bytes() if repaired.exists() else None
        return found
    found, repair = _toured[which]
    vesica.read(folder / "truth.json")
    if repair is not None:
        with atomic.file(repaired) as out:
            out.write(repair)
    return found


def _page(path, *results, **_):
    """Instead of a report, whose charts take seconds: a file that is written as reports are."""
    with atomic.file(path) as out:
        out.write(f"{results[0]['AP']}".encode())


def _demo(path, which):
    with (
        contextlib.redirect_stdout(io.StringIO()),
        unittest.mock.patch.object(demo_files, "picture", _PICTURES),
        unittest.mock.patch.object(demo_files, "guessed_map", lambda who, _, number, seed: _MAPS(who, number, seed)),
        unittest.mock.patch.object(demo_files, "png_of", _png),
        unittest.mock.patch.object(tour, "tour", functools.partial(_tour, which)),
        unittest.mock.patch.object(report, "write", _page),
        unittest.mock.patch.object(demo, "_facts", return_value={}),  # what is printed takes longer than to write
    ):
        told(main(["demo", "--json", "--output", str(path), "--images", str(1 + which), "--seed", str(which)]))


def _panoptic(path, which):
    maps = np.random.default_rng(which).integers(1, 90000, (3 + which, 6, 8)) // 30000
    images = {
        k + 2 * which: (ids, {id: 1 + id % 2 for id in np.unique(ids).tolist() if id}) for k, ids in enumerate(maps)
    }
    vesica.write_panoptic(Path(path) / "val.json", images, categories={1: "cat", 2: "grass"}, overwrite=True)


def _queue(path, which):
    data = dataset(which, scores=False)
    write_queue(path, data, [{"image": image, "reasons": "missing"} for image in data.images.ids.tolist()])


def _convert(path, which):
    source = Path(path).parent / f"source{which}.csv"
    if not source.exists():
        vesica.write(source, dataset(which, scores=True).numbered())
    with contextlib.redirect_stderr(io.StringIO()):
        told(main(["convert", str(source), str(path)]))


def told(code):
    """Raise what the command line made an exit code of."""
    if code == 130:
        raise KeyboardInterrupt
    if code:
        raise vesica.InputError(f"cannot be written: exit code {code}")


ALL = {
    "coco": _of_dataset("truth.json", number=True),
    "coco, packed": _of_dataset("truth.json.gz", number=True),
    "coco_results": _of_dataset("guess.json", "coco_results", scores=True, number=True),
    "csv": _of_dataset("truth.csv"),
    "npz": _of_dataset("truth.npz"),
    "parquet": _of_dataset("truth.parquet", needs="pyarrow"),
    "arrow": _of_dataset("truth.arrow", needs="pyarrow"),
    "npy": _of_dataset("guess.npy", scores=True, number=True),
    "voc": _of_dataset("voc", "voc"),
    "voc, guesses": _of_dataset("voc", "voc", scores=True),
    "yolo": _of_dataset("yolo", "yolo"),
    "dota": _of_dataset("dota", "dota"),
    "cvat": _of_dataset("tasks.xml", "cvat"),
    "labelstudio": _of_dataset("tasks.json", "labelstudio"),
    "labelstudio, guesses": _of_dataset("tasks.json", "labelstudio", scores=True),
    "labelme": _of_dataset("labelme", "labelme"),
    "review queue": Writer("queue.json", _queue),
    "dota, guesses": _of_dataset("dota", "dota", scores=True),
    "table, npy": _of_table("table.npy"),
    "table, csv": _of_table("table.csv"),
    "table, json": _of_table("table.json"),
    "detections": Writer("kept.json", _of_results),
    "records": _of_records(),
    "demo": Writer("demo", _demo),
    "convert": Writer("guess.json", _convert),
    "panoptic": Writer("panoptic", _panoptic),
}
WRITERS = {name: writer for name, writer in ALL.items() if has(writer.needs)}
"""Those whose library is there."""


def each(*, without=(), folders=None):
    """Names of all but some, for `parametrize`; or of those alone that write folders, or that do not."""
    return cases(
        {
            name: writer.needs
            for name, writer in ALL.items()
            if name not in without and folders in (None, writer.is_folder)
        }
    )


def content_of(place):
    """The bytes of a file, or of all files of a folder by name; without the parts that begin with .vesica-."""
    place = Path(place)
    if not place.is_dir():
        return place.read_bytes() if place.exists() else None
    found = ((path.relative_to(place), path) for path in sorted(place.rglob("*")) if path.is_file())
    return {str(name): path.read_bytes() for name, path in found if not name.parts[0].startswith(".vesica-")}


def parts_beside(place):
    """Names that begin with .vesica- in the folder of a file, or in a folder and the one it is in."""
    homes = {Path(place).parent, *([Path(place)] if Path(place).is_dir() else [])}
    return sorted(str(path) for home in homes for path in home.glob(".vesica-*"))
