"""Ours beside pycocotools: cases with all that is odd, and what it means to be the same."""

import contextlib
import copy
import io
import re
import types

import numpy as np
from pycocotools import coco as their_coco
from pycocotools import cocoeval as their_eval
from pycocotools import mask as their_mask

import vesica
from vesica.compat import coco as our_coco
from vesica.compat import cocoeval as our_eval


class Stepwise(types.ModuleType):
    """Our module with a step overridden, which makes every evaluation go cell by cell."""

    class COCOeval(our_eval.COCOeval):
        def evaluateImg(self, *arguments):
            return super().evaluateImg(*arguments)


TOOLS = {"ours": (our_coco, our_eval), "theirs": (their_coco, their_eval)}
WAYS = {**TOOLS, "stepwise": (our_coco, Stepwise)}


def quiet(call, *arguments, **options):
    """The answer and what was printed, with times left out."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        answer = call(*arguments, **options)
    return answer, re.sub(r"t=\d+\.\d\ds", "t=s", out.getvalue())


def same(a, b, place="answer"):
    """The same value of the same type; arrays bit for bit, in the same dtype and order."""
    if isinstance(b, np.ndarray):
        assert type(a) is np.ndarray and (a.dtype, a.shape) == (b.dtype, b.shape), place
        assert all(a.flags[flag] == b.flags[flag] for flag in ("C_CONTIGUOUS", "F_CONTIGUOUS")), place
        assert np.array_equal(a, b, equal_nan=b.dtype.kind == "f"), (place, a, b)
    elif isinstance(b, dict):
        assert isinstance(a, dict) and list(a) == list(b), place
        for key in b:
            same(a[key], b[key], f"{place}[{key}]")
    elif isinstance(b, (list, tuple)):
        assert type(a) is type(b) and len(a) == len(b), (place, a, b)
        for k, (one, other) in enumerate(zip(a, b, strict=True)):
            same(one, other, f"{place}[{k}]")
    else:
        assert type(a) is type(b) and (a == b or (a != a and b != b)), (place, a, b)


def load(tool, dataset):
    truth = WAYS[tool][0].COCO()
    truth.dataset = copy.deepcopy(dataset)
    truth.createIndex()
    return truth


def evaluated(tool, dataset, results, kind, change=None, between=None):
    """One evaluation from dicts to the twelve numbers."""

    def steps():
        truth = load(tool, dataset)
        scores = WAYS[tool][1].COCOeval(truth, truth.loadRes(copy.deepcopy(results)), kind)
        for key, value in (change or {}).items():
            setattr(scores.params, key, copy.deepcopy(value))
        scores.evaluate()
        if between is not None:
            between(scores)
        scores.accumulate()
        with contextlib.suppress(IndexError):
            scores.summarize()
        return scores

    return quiet(steps)


def look_the_same(dataset, results, kind, change=None, between=None):
    """By all ways: at once, cell by cell, and from cells that somebody looked at before they were accumulated."""

    def looking(scores):
        assert len(scores.evalImgs) > 0
        if between is not None:
            between(scores)

    theirs = evaluated("theirs", dataset, results, kind, change, between)
    for way, step in (("stepwise", between), ("ours", looking), ("ours", between)):
        found = evaluated(way, dataset, results, kind, change, step)
        compare(found, theirs)
    return found[0]


def compare(found, wanted):
    (ours, our_text), (theirs, their_text) = found, wanted
    for key in ("precision", "recall", "scores", "counts"):
        same(ours.eval[key], theirs.eval[key], key)
    same(list(map(float, ours.stats)), list(map(float, theirs.stats)), "stats")
    same(ours.evalImgs, theirs.evalImgs, "evalImgs")
    same(list(ours.ious.items()), list(theirs.ious.items()), "ious")
    for key in ("params", "_paramsEval"):
        same(*(dict(sorted(vars(getattr(tool, key)).items())) for tool in (ours, theirs)), key)
    if len(theirs.stats):
        assert our_text == their_text


AREAS = (0, 25, 1023.99, 1024, 1024.01, 5000, 9216, 9217, 20000)
SCORES = (0.0, -0.0, 0.1, 0.25, 0.25, 0.5, 0.9, 1, float("nan"))


def pixels(rng, height, width):
    grid = np.zeros((height, width), np.uint8, order="F")
    x, y, w, h = rng.integers(0, 12, 4)
    grid[y : y + h + 1, x : x + w + 1] = 1
    return grid & (rng.random(grid.shape) < 0.9)


def region(rng, height, width, forms):
    """A segmentation in one of COCO's forms."""
    form = forms[rng.integers(len(forms))]
    if form == "polygon":
        return [rng.integers(0, 2 * height, 2 * int(rng.integers(3, 6))).tolist() for _ in range(rng.integers(1, 3))]
    found = their_mask.encode(np.asfortranarray(pixels(rng, height, width)))
    if form == "str":
        return {"size": found["size"], "counts": found["counts"].decode()}
    if form == "counts":
        return {"size": found["size"], "counts": vesica.RleMasks.from_coco([found]).to_counts()[0]}
    return found


def box(rng):
    x, y, w, h = rng.integers(0, 6, 4)
    return [int(x), int(y), int(w) + int(rng.random() < 0.9), int(h) + 1]


def case(seed, *, masks=False, many=False):
    """Truths and guesses with all that is odd: ties, crowds, the id 0, areas on edges, unknown categories."""
    rng = np.random.default_rng(seed)
    images = [
        {"id": int(k), "height": 24, "width": 20 + int(k) % 3}
        for k in rng.permutation(9)[: 1 if many else rng.integers(1, 6)]
    ]
    categories = [{"id": int(k), "name": f"c{k}"} for k in rng.permutation(7)[: rng.integers(1, 4)]]

    def row():
        image = images[rng.integers(len(images))]
        found = {"image_id": image["id"], "category_id": categories[rng.integers(len(categories))]["id"]}
        return found, image

    truths = []
    for number in rng.permutation(40)[: rng.integers(0, 24)]:
        found, image = row()
        found |= {"id": int(number), "bbox": box(rng), "area": AREAS[rng.integers(len(AREAS))]}
        found["iscrowd"] = int(rng.random() < 0.2)
        if rng.random() < 0.2:
            found["ignore"] = 1
        if masks:
            found["segmentation"] = region(rng, image["height"], image["width"], ("polygon", "str", "counts", "bytes"))
        truths.append(found)
    if truths and rng.random() < 0.15:
        truths.append({**truths[0], "bbox": box(rng)})  # one id twice
    guesses = []
    for _ in range(rng.integers(120, 400) if many else rng.integers(1, 60)):
        found, image = row()
        if rng.random() < 0.05:
            found["category_id"] = 99
        found["score"] = SCORES[rng.integers(len(SCORES) - (rng.random() < 0.9))]
        if masks:
            found["segmentation"] = region(rng, image["height"], image["width"], ("str", "bytes"))
            near = [row for row in truths if row["image_id"] == image["id"] and type(row["segmentation"]) is dict]
            if near and rng.random() < 0.5:
                copied = near[rng.integers(len(near))]
                if type(copied["segmentation"]["counts"]) is not list:
                    found |= {key: copied[key] for key in ("segmentation", "category_id")}
        if not masks or seed % 3 == 0:
            found["bbox"] = box(rng)
            if truths and rng.random() < 0.5:
                found["bbox"] = list(truths[rng.integers(len(truths))]["bbox"])
            if rng.random() < 0.3:
                found["bbox"] = [v * 16.0 for v in found["bbox"]]
        guesses.append(found)
    return {"info": {"year": 2014}, "images": images, "categories": categories, "annotations": truths}, guesses


CHANGES = [
    {},
    {"useCats": 0},
    {"maxDets": [3, 1, 2]},
    {"maxDets": [1, 10, 100, 7]},
    {"maxDets": [100]},
    {"maxDets": [2, 5]},
    {"iouThrs": np.array([0.5])},
    {"iouThrs": np.array([0.75, 0.5, 0.0, 1.0])},
    {"recThrs": np.linspace(0, 1, 11)},
    {"recThrs": [0.9, 0.1, 0.0, 1.0]},
    {"areaRng": [[0, 1e10], [1024, 1024]], "areaRngLbl": ["all", "point"]},
    {"imgIds": [3, 1, 1, 0]},
    {"catIds": [2, 0, 2, 5]},
    {"imgIds": [2], "catIds": [1], "useCats": 0},
]
