"""What pycocotools refuses is refused, and what it takes is taken, byte for byte: of files with one fault each.

`quirks="pycocotools"` and `vesica.compat` are asked beside it. Only values of another type than COCO's (true for an id,
"1" for a flag) may be refused here and taken there: the fast reader says so, and nothing is scored.
"""

import contextlib
import copy
import importlib
import io
import json

import numpy as np
import pytest

import vesica
from vesica.errors import InputError

pytest.importorskip("pycocotools")

ABSENT = object()
NAN = float("nan")
KINDS = {"bbox": "box", "segm": "mask"}


def outline(x, y, w, h):
    return [[x, y, x + w, y, x + w, y + h, x, y + h]]


def truths():
    rows = [
        {"image_id": image, "category_id": category, "bbox": [5 + 15 * k, 10, 10, 12], "area": 120, "iscrowd": 0}
        for image in (1, 2)
        for k, category in enumerate((1, 2, 1))
    ]
    return {
        "images": [{"id": 1, "height": 60, "width": 60}, {"id": 2, "height": 60, "width": 60}],
        "categories": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}],
        "annotations": [{"id": k, **row, "segmentation": outline(*row["bbox"])} for k, row in enumerate(rows, 1)],
    }


def results(masks):
    from pycocotools.mask import frPyObjects

    found = []
    for row in truths()["annotations"]:
        x, y, w, h = row["bbox"]
        result = {"image_id": row["image_id"], "category_id": row["category_id"], "score": 0.9 - 0.1 * row["id"]}
        (mask,) = frPyObjects(outline(x + 1, y, w, h), 60, 60)
        region = {"segmentation": {**mask, "counts": mask["counts"].decode()}} if masks else {"bbox": [x + 1, y, w, h]}
        found.append({**result, **region})
    return found


SEGMENTATIONS = [None, [], ABSENT, "x", {}, [[]], [[1, 2, 3]], [[1, 2, 3, 4]], [[1, 2, 3, 4, 5]], 0]
SEGMENTATIONS += [[1, 2, 3, 4, 5, 6], [[[1, 2], [3, 4], [5, 9]]], [[[1, 2], [3, 4], [5, 9], [1, 4]]]]

# List, field, values: one row at a time, and all rows.
FAULTS = [
    ("results", "bbox", [None, [], ABSENT, [1, 2, 3], "x", [1, 2, 3, None], [1, 2, -3, 4], {}, NAN, 0]),
    ("results", "image_id", [None, ABSENT, "x", [], 1.5, 1.0, 99, NAN]),
    ("results", "category_id", [None, ABSENT, "x", [], 1.0, 99]),
    ("results", "score", [None, ABSENT, "x", [], 1, NAN]),
    ("results", "segmentation", SEGMENTATIONS),
    ("results", "segmentation", [{"size": [60, 60], "counts": [100, 3500]}, {"size": [60, 60], "counts": None}]),
    ("annotations", "bbox", [None, [], ABSENT, [1, 2, 3], "x", [1, 2, -3, 4], {}, NAN]),
    ("annotations", "image_id", [None, ABSENT, "x", [], 1.0, 99]),
    ("annotations", "category_id", [None, ABSENT, "x", [], 1.0, 99]),
    ("annotations", "id", [None, ABSENT, "x", [], 0, 1.0, 99]),
    ("annotations", "area", [None, ABSENT, "x", [], -1, NAN]),
    ("annotations", "iscrowd", [None, ABSENT, "x", [], True, -1, 1.0]),
    ("annotations", "ignore", [None, 0, 1, True]),
    ("annotations", "segmentation", SEGMENTATIONS),
    ("images", "id", [None, ABSENT, "x", 1.0, 1]),
    ("categories", "id", [None, ABSENT, "x", 1.0, 1]),
    ("images", "height", [None, ABSENT, 0]),
    ("categories", "name", [None, ABSENT]),
]  # fmt: skip
ROWS = {"bbox": (0, 2, None), "segm": (2, None), "segmentation": (0, 2, None)}
"""By the kind, or by the field where masks alone are read; the first row leaves the template of the others."""

LOUD = {
    "annotations area NaN": "lies in every range of sizes there",
    "annotations id null": "an id like any other there, and of all rows the same one",
    "annotations image_id null": "an image that is not listed",
    "annotations category_id null": "a category that is not listed",
    "results category_id null": "a category that is not listed",
    "images height 0": "polygons of no image are empty there",
}
"""What is taken there and refused here, beside wrong types: none of it has a meaning."""


def faulty(name, field, value, row, masks):
    """Both files, with the value in one row or in all."""
    truth, guess = truths(), results(masks)
    rows = guess if name == "results" else truth[name]
    for one in rows if row is None else rows[min(row, len(rows) - 1) :][:1]:
        if value is ABSENT:
            one.pop(field, None)
        else:
            one[field] = value
    return truth, guess


def told(value):
    return "absent" if value is ABSENT else json.dumps(value)


def files(folder, truth, guess):
    paths = folder / "truth.json", folder / "guess.json"
    for path, value in zip(paths, (truth, guess), strict=True):
        path.write_text(json.dumps(value))
    return paths


def by_tool(tool, paths, kind):
    """The arrays of pycocotools, or of what stands in for it; None where it refuses."""
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            truth = importlib.import_module(f"{tool}.coco").COCO(str(paths[0]))
            guess = truth.loadRes(str(paths[1]))
            scores = importlib.import_module(f"{tool}.cocoeval").COCOeval(truth, guess, kind)
            scores.evaluate()
            scores.accumulate()
        except Exception:
            return None
    return [scores.eval[name].tobytes() for name in ("precision", "recall", "scores")]


def by_quirks(paths, kind):
    try:
        found = vesica.evaluate(*paths, regions=KINDS[kind], quirks="pycocotools")
    except InputError:
        return None
    return [getattr(found, name).tobytes() for name in ("precision", "recall", "scores")]


def may_be_refused(name, field, value):
    """Is the value of a type that COCO does not have there, or without a meaning?"""
    if f"{name} {field} {told(value)}" in LOUD:
        return True
    if field == "bbox":
        return value is not None and value is not ABSENT and not _is_box(value) and value != []
    return isinstance(value, bool) or (isinstance(value, float) and value != value) or value in (-1, 1.5)


def _is_box(value):
    return isinstance(value, list) and len(value) == 4 and all(isinstance(one, (int, float)) for one in value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "field", "values"), FAULTS, ids=[f"{name} {field}" for name, field, _ in FAULTS])
def test_one_fault(tmp_path, name, field, values, kind):
    for value in values:
        for row in ROWS.get(field, ROWS[kind]):
            for masks in (False, True) if kind == "segm" else (False,):
                paths = files(tmp_path, *faulty(name, field, value, row, masks))
                case = (told(value), row, masks)
                theirs = by_tool("pycocotools", paths, kind)
                for ours in (by_quirks(paths, kind), by_tool("vesica.compat", paths, kind)):
                    assert ours == theirs or (ours is None and may_be_refused(name, field, value)), case


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("masks", [False, True], ids=["boxes", "masks"])
def test_sound(tmp_path, kind, masks):
    """Without a fault all three have numbers: otherwise the table above would prove nothing."""
    paths = files(tmp_path, truths(), results(masks))
    theirs = by_tool("pycocotools", paths, kind)
    assert theirs is not None
    assert by_quirks(paths, kind) == by_tool("vesica.compat", paths, kind) == theirs


SMALL = {"id": 1, "height": 20, "width": 25}
LISTS = {
    "no images": lambda truth, _: truth.pop("images"),
    "no categories": lambda truth, _: truth.pop("categories"),
    "no results": lambda _, guess: guess.clear(),
    "an image twice": lambda truth, _: truth["images"].append(dict(truth["images"][0])),
    "an image twice, the last is small": lambda truth, _: truth["images"].append(SMALL),
    "an image twice, the first is small": lambda truth, _: truth["images"].insert(0, SMALL),
    "a category twice": lambda truth, _: truth["categories"].append({"id": 1, "name": "z"}),
    "categories and images twice": lambda truth, _: [truth[key].extend(truth[key]) for key in ("images", "categories")],
    "images by numbers and strings": lambda truth, _: truth["images"].append({"id": "x", "height": 20, "width": 25}),
    "an image that nobody lists": lambda truth, _: truth["annotations"][1].update(image_id=9),
    "some masks have boxes": lambda _, guess: guess[3].update(bbox=[1, 2, 3, 4]),
    "the first mask has a box": lambda _, guess: guess[0].update(bbox=[1, 2, 3, 4]),
    "an annotation twice": lambda truth, _: truth["annotations"][1].update(id=1),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("masks", [False, True], ids=["boxes", "masks"])
@pytest.mark.parametrize("change", LISTS.values(), ids=LISTS)
def test_lists(tmp_path, change, kind, masks):
    truth, guess = truths(), results(masks)
    change(truth, guess)
    paths = files(tmp_path, truth, guess)
    assert by_quirks(paths, kind) == by_tool("vesica.compat", paths, kind) == by_tool("pycocotools", paths, kind)


BARS = ([], [0.5], [0.5, 0.5], [0.0], [1.0], [1.5], [-1], [NAN], [0.75, 0.5])
PARAMS = [
    *({"iouThrs": np.array(values)} for values in BARS),
    *({"recThrs": values} for values in ([], [0.5], [1, 0], [2.0])),
    *({"maxDets": values} for values in ([], [100], [100, 10, 1], [0, 0, 0], [1, 1, 1], [-1, 5, 100])),
    *({"areaRng": values} for values in ([], [[0, 1e10]], [[5, 1]] * 4)),
    *({"imgIds": values} for values in ([], [1], [2, 1], [1, 1], [99], [1, 99])),
    *({"catIds": values} for values in ([], [1], [2, 1], [1, 1], [99], [1, 99])),
    *({"useCats": value} for value in (0, 1, 2, -1, None, True)),
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("params", PARAMS, ids=str)
def test_params(kind, params):
    """`vesica.compat` takes what may be set, and nothing else."""

    def answer(tool):
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                truth = importlib.import_module(f"{tool}.coco").COCO()
                truth.dataset = truths()
                truth.createIndex()
                scores = importlib.import_module(f"{tool}.cocoeval").COCOeval(
                    truth, truth.loadRes(results(False)), kind
                )
                for name, value in copy.deepcopy(params).items():
                    setattr(scores.params, name, value)
                scores.evaluate()
                scores.accumulate()
                scores.summarize()
            except Exception:
                return None
        return [scores.eval[name].tobytes() for name in ("precision", "recall", "scores")], scores.stats.tobytes()

    assert answer("vesica.compat") == answer("pycocotools")


@pytest.mark.parametrize(
    ("name", "field", "words"),
    [
        ("results", "score", r'guess\.json: row 2 at byte \d+ has no "score"\. pycocotools needs it too\.'),
        ("results", "bbox", r'row 2 at byte \d+ has no "bbox"\. pycocotools needs it too\.'),
        ("annotations", "area", r'truth\.json: annotation 2 at byte \d+ has no "area"\. pycocotools needs it too\.'),
    ],
)
def test_words(tmp_path, name, field, words):
    paths = files(tmp_path, *faulty(name, field, ABSENT, 2, False))
    with pytest.raises(InputError, match=words):
        vesica.evaluate(*paths, quirks="pycocotools")
