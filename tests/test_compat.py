"""The stand-in for pycocotools, beside pycocotools itself: same numbers, same bytes, same printed lines."""

import contextlib
import copy
import importlib
import io
import json
import pickle
import re
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from vesica.compat import coco as our_coco
from vesica.compat import cocoeval as our_eval
from vesica.compat import mask as our_mask

pytest.importorskip("pycocotools")
from pycocotools import coco as their_coco
from pycocotools import cocoeval as their_eval
from pycocotools import mask as their_mask

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
real = pytest.mark.skipif(not DATA.is_dir(), reason="the folder shared/data lies not beside the repository")

# What pycocotools itself does with NumPy 2.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


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


class TestScores:
    @pytest.mark.parametrize("seed", range(84))
    def test_boxes(self, seed):
        look_the_same(*case(seed), "bbox", CHANGES[seed % len(CHANGES)])

    @pytest.mark.parametrize("seed", range(28))
    def test_masks(self, seed):
        look_the_same(*case(seed, masks=True), "segm", CHANGES[seed % len(CHANGES)])

    @pytest.mark.parametrize("seed", range(6))
    def test_more_than_a_hundred(self, seed):
        scores = look_the_same(*case(seed, many=True), "bbox", {"useCats": seed % 2})
        assert seed % 2 or {len(cell["dtIds"]) for cell in scores.evalImgs} == {100}

    @pytest.mark.parametrize("seed", range(8))
    def test_boxes_as_masks(self, seed):
        """Results of boxes are scored as masks by their four corners."""
        dataset, guesses = case(3 * seed, masks=True)
        for guess in guesses:
            guess["bbox"] = [v + 0.5 for v in guess["bbox"]]
            del guess["segmentation"]
        look_the_same(dataset, guesses, "segm")

    def test_cases_hold_what_they_should(self):
        cells = [
            cell
            for seed in range(40)
            for cell in quiet(evaluated, "ours", *case(seed), "bbox")[0][0].evalImgs
            if cell is not None
        ]
        found = {
            "matched": any(cell["dtMatches"].any() for cell in cells),
            "id 0": any(0 in cell["gtIds"] for cell in cells),
            "only guesses": any(not cell["gtIds"] for cell in cells),
            "only truths": any(not cell["dtIds"] for cell in cells),
            "ignored by area": any((cell["dtIgnore"] & (cell["dtMatches"] == 0)).any() for cell in cells),
            "matched and ignored": any((cell["dtIgnore"] & (cell["dtMatches"] > 0)).any() for cell in cells),
            "a truth met twice": any(
                np.bincount(row[row > 0].astype(int)).max(initial=0) > 1 for cell in cells for row in cell["dtMatches"]
            ),
            "equal scores": any(len(set(cell["dtScores"])) < len(cell["dtScores"]) for cell in cells),
        }
        assert all(found.values()), found

    @pytest.mark.parametrize("kind", ["bbox", "segm"])
    def test_all_at_once(self, kind, monkeypatch):
        """No cell is looked at one by one, unless somebody wants to do a step differently."""
        monkeypatch.setattr(our_eval.COCOeval, "_matches", None)
        monkeypatch.setattr("vesica.compat.engine.accumulate", None)
        scores, _ = evaluated("ours", *case(6, masks=True), kind)
        assert "evalImgs" not in vars(scores) and scores.stats.max() > 0
        with pytest.raises(TypeError, match="not callable"):
            evaluated("stepwise", *case(6, masks=True), kind)

    @pytest.mark.parametrize(
        "side, row",
        [
            ("truth", {"area": np.float32(1024.0)}),
            ("truth", {"area": float("nan")}),
            ("truth", {"id": 2**60}),
            ("truth", {"iscrowd": True}),
            ("truth", {"iscrowd": 2}),
            ("truth", {"iscrowd": 0.5}),
            ("truth", {"bbox": np.array([1.0, 2.0, 3.0, 4.0])}),
            ("truth", {"bbox": [1, float("nan"), 3, 4]}),
            ("guess", {"score": np.float32(0.3)}),
            ("guess", {"bbox": [1, float("nan"), 3, 4]}),
            ("guess", {"bbox": [float("inf"), 2, 3, 4]}),
        ],
        ids=str,
    )
    def test_odd_values(self, side, row):
        """Values of other kinds, which columns may not be able to hold."""
        dataset, guesses = case(2)
        for given_ in (dataset["annotations"] if side == "truth" else guesses)[::3]:
            given_.update({} if "id" in row else row)  # an id only once
        dataset["annotations"][0].update(row if side == "truth" else {})
        look_the_same(dataset, guesses, "bbox")

    @pytest.mark.parametrize("kind", ["bbox", "segm"])
    def test_annotations_are_not_written_to(self, kind):
        dataset, guesses = case(3, masks=True)
        truth, _ = quiet(load, "ours", dataset)
        found, _ = quiet(truth.loadRes, guesses)
        before = copy.deepcopy((truth.dataset, found.dataset))
        quiet(our_eval.COCOeval(truth, found, kind).evaluate)
        same([truth.dataset, found.dataset], list(before))


class TestSteps:
    """What callers do between the steps, or instead of them."""

    EDITS = [
        {"catIds": [2, 5]},
        {"imgIds": [3, 4]},
        {"imgIds": [0, 77, 5]},
        {"areaRng": [[0, 1024]], "areaRngLbl": ["small"]},
        {"areaRng": [[5, 6], [0, 1024]], "areaRngLbl": ["none", "small"]},
        {"maxDets": [1, 1000]},
        {"maxDets": [10, 1, 100]},
        {"iouThrs": np.linspace(0.1, 0.9, 20)},
        {"recThrs": [0.5]},
        {"useCats": 0},
    ]

    @pytest.mark.parametrize("edit", EDITS, ids=str)
    @pytest.mark.parametrize("seed", range(3))
    def test_parameters_between(self, seed, edit):
        def between(scores):
            for key, value in edit.items():
                setattr(scores.params, key, copy.deepcopy(value))

        look_the_same(*case(seed), "bbox", between=between)

    def test_own_parameters(self):
        dataset, guesses = case(11)
        answers = []
        for tool in TOOLS:
            scores, _ = evaluated(tool, dataset, guesses, "bbox")
            p = copy.deepcopy(scores.params)
            p.catIds = p.catIds[1:]
            quiet(scores.accumulate, p)
            assert scores.eval["params"] is p
            answers.append([scores.eval[key] for key in ("precision", "recall", "scores", "counts")])
        same(*answers)

    def test_second_run_without_categories(self):
        """After a run without categories the parameters are spoilt, as they are there."""
        look_the_same(*case(5), "bbox", {"useCats": 0}, lambda scores: (scores.accumulate(), scores.evaluate()))

    @pytest.mark.parametrize("kind", ["bbox", "segm"])
    def test_batches_and_workers(self, kind):
        """As the reference scripts of torchvision do it: batches of images, merged over processes."""
        dataset, guesses = case(21, masks=True)
        ids = sorted(image["id"] for image in dataset["images"])
        assert len(ids) > 2

        def batch(tool, truth, images):
            rows = [copy.deepcopy(row) for row in guesses if row["image_id"] in images]
            scores = TOOLS[tool][1].COCOeval(truth, truth.loadRes(rows) if rows else TOOLS[tool][0].COCO(), kind)
            scores.params.imgIds = list(images)
            scores.evaluate()
            shape = (-1, len(scores.params.areaRng), len(scores.params.imgIds))
            return scores.params.imgIds, np.asarray(scores.evalImgs).reshape(shape)

        def merged(tool):
            truth = load(tool, dataset)
            parts = [batch(tool, truth, images) for images in (ids[2:], ids[:1], ids[1:2])]
            images = np.concatenate([part[0] for part in parts])
            order = np.argsort(images)
            scores = TOOLS[tool][1].COCOeval(truth, iouType=kind)
            scores.evalImgs = list(np.concatenate([part[1] for part in parts], axis=2)[:, :, order].flatten())
            scores.params.imgIds = list(images[order])
            scores._paramsEval = copy.deepcopy(scores.params)
            scores.accumulate()
            scores.summarize()
            return scores

        (ours, our_text), (theirs, their_text) = (quiet(merged, tool) for tool in TOOLS)
        same(ours.eval["precision"], theirs.eval["precision"])
        same(ours.stats, theirs.stats)
        assert our_text == their_text and ours.stats.max() > 0
        whole, _ = evaluated("ours", dataset, guesses, kind)
        same(ours.stats, whole.stats)

    @pytest.mark.parametrize("kind", ["bbox", "segm"])
    def test_steps_by_hand(self, kind):
        dataset, guesses = case(12, masks=True)

        def steps(tool):
            truth = load(tool, dataset)
            scores = TOOLS[tool][1].COCOeval(truth, truth.loadRes(copy.deepcopy(guesses)), kind)
            scores._prepare()
            p = scores.params
            scores.ious = {(i, k): scores.computeIoU(i, k) for i in p.imgIds for k in p.catIds}
            return [scores.evaluateImg(i, k, [0, 1e10], cap) for i in p.imgIds for k in p.catIds for cap in (0, 1, 50)]

        same(quiet(steps, "ours")[0], quiet(steps, "theirs")[0])

    def test_overridden_overlap(self):
        """A step that was overridden is the one that counts."""

        def steps(base):
            class Half(base):
                def computeIoU(self, imgId, catId):
                    found = base.computeIoU(self, imgId, catId)
                    return found / 2 if len(found) else found

            return Half

        dataset, guesses = case(8)
        answers = []
        for tool in TOOLS:
            truth, _ = quiet(load, tool, dataset)
            found, _ = quiet(truth.loadRes, copy.deepcopy(guesses))
            scores = steps(TOOLS[tool][1].COCOeval)(truth, found, "bbox")
            quiet(scores.evaluate)
            quiet(scores.accumulate)
            answers.append(scores.eval["recall"])
        same(*answers)
        whole, _ = evaluated("ours", dataset, guesses, "bbox")
        assert whole.eval["recall"].max() > answers[0].max()

    @pytest.mark.parametrize("first", [0, -3, 5])
    def test_guesses_with_their_own_ids(self, first):
        """Guesses need not come through loadRes; an id that is not positive does not take its truth."""
        dataset, guesses = case(2)

        def steps(tool):
            truth = load(tool, dataset)
            rows = [
                {**row, "id": first + k, "area": row["bbox"][2] * row["bbox"][3], "iscrowd": 0}
                for k, row in enumerate(guesses)
            ]
            found = load(tool, {**dataset, "annotations": rows})
            scores = TOOLS[tool][1].COCOeval(truth, found, "bbox")
            scores.evaluate()
            return scores.evalImgs

        same(quiet(steps, "ours")[0], quiet(steps, "theirs")[0])

    def test_lists_for_arrays(self):
        """Thresholds as a list, where pycocotools fails in its summary."""
        scores, _ = evaluated("ours", *case(4), "bbox", {"iouThrs": [0.5, 0.75]})
        whole, _ = evaluated("ours", *case(4), "bbox", {"iouThrs": np.array([0.5, 0.75])})
        same(scores.stats, whole.stats)

    def test_printed_as_a_string(self):
        scores, text = evaluated("ours", *case(4), "bbox")
        answer, again = quiet(str, scores)
        assert answer == "" and again.count("\n") == 12 and text.endswith(again)


class TestErrors:
    """Where pycocotools crashes, hangs, or says nothing useful."""

    def test_keypoints(self):
        truth, _ = quiet(load, "ours", case(1)[0])
        for call in (
            lambda: our_eval.COCOeval(truth, truth, "keypoints"),
            lambda: our_eval.Params("keypoints"),
            lambda: our_eval.Params().setKpParams(),
            lambda: our_eval.COCOeval(truth, truth, "bbox").computeOks(1, 1),
        ):
            with pytest.raises(NotImplementedError, match="Keypoints are not scored"):
                call()
        assert issubclass(vesica.errors.NotOffered, vesica.VesicaError)

    def test_kind(self):
        with pytest.raises(
            ValueError, match='`iouType` must be one of "segm", "bbox"; got \'box\'. Did you mean "bbox"?'
        ):
            our_eval.COCOeval(iouType="box")

    def test_order_of_steps(self):
        truth, _ = quiet(load, "ours", case(1)[0])
        scores = our_eval.COCOeval(truth, truth, "bbox")
        with pytest.raises(RuntimeError, match=r"call evaluate\(\) first"):
            quiet(scores.accumulate)
        with pytest.raises(RuntimeError, match=r"call accumulate\(\) first"):
            scores.summarize()

    def test_few_caps(self):
        scores, _ = evaluated("ours", *case(1), "bbox", {"maxDets": [5, 100]})
        with pytest.raises(
            IndexError, match=r"`params.maxDets` must have three values for summarize\(\); got \[5, 100\]"
        ):
            scores.summarize()

    def test_fewer_thresholds_than_evaluated(self):
        scores, _ = evaluated("ours", *case(1), "bbox")
        scores.params.iouThrs = [0.5]
        with pytest.raises(ValueError, match="`params.iouThrs` has 1 values, and 10 were evaluated"):
            quiet(scores.accumulate)

    @pytest.mark.parametrize(
        "results, error, message",
        [
            ([], IndexError, "Results are empty"),
            ([{"image_id": 77, "bbox": [0, 0, 1, 1]}], AssertionError, "result 0 is of image 77"),
            ({"annotations": []}, AssertionError, "Results must be a list of dicts"),
            (np.zeros((2, 6)), AssertionError, r"rows of image, x, y, w, h, score, category; got shape \(2, 6\)"),
            ([{"image_id": 1, "score": 1}], vesica.InputError, "Result 0 has no 'bbox'"),
            (
                [{"image_id": 1, "segmentation": [[1, 1, 5, 1, 5, 5]]}],
                TypeError,
                "mask 0 must be a dict of .* polygons",
            ),
        ],
    )
    def test_results(self, results, error, message):
        truth, _ = quiet(load, "ours", {"images": [{"id": 1}], "categories": [{"id": 1}], "annotations": []})
        with pytest.raises(error, match=message):
            quiet(truth.loadRes, results)

    def test_download(self):
        with pytest.raises(vesica.VesicaError, match="Nothing is fetched from the network"):
            our_coco.COCO().download()

    def test_file_of_a_list(self, tmp_path):
        (tmp_path / "a.json").write_text("[]")
        with pytest.raises(AssertionError, match='a.json must be an object of "images"'):
            quiet(our_coco.COCO, tmp_path / "a.json")


def as_written(value):
    """Bytes as JSON has them."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, dict):
        return {key: as_written(one) for key, one in value.items()}
    return [as_written(one) for one in value] if isinstance(value, list) else value


class TestFiles:
    """Files go past the dicts, as long as nobody looks at one."""

    @staticmethod
    def steps(tool, folder, kind, change=None, look=None):
        coco, cocoeval = TOOLS[tool]
        truth = coco.COCO(str(folder / "truth.json"))
        guess = truth.loadRes(str(folder / "guess.json"))
        if look is not None:
            look(truth, guess)
        scores = cocoeval.COCOeval(truth, guess, kind)
        for key, value in (change or {}).items():
            setattr(scores.params, key, copy.deepcopy(value))
        scores.evaluate()
        scores.accumulate()
        with contextlib.suppress(IndexError):
            scores.summarize()
        return scores

    @staticmethod
    def write(folder, dataset, guesses):
        (folder / "truth.json").write_text(json.dumps(as_written(dataset)))
        (folder / "guess.json").write_text(json.dumps(as_written(guesses)))

    @staticmethod
    def sound(seed, **options):
        dataset, guesses = case(seed, **options)
        rows = {row["id"]: row for row in dataset["annotations"]}
        for guess in guesses:
            guess["score"] = 0.5 if guess["score"] != guess["score"] else guess["score"]
        return {**dataset, "annotations": list(rows.values())}, guesses

    @pytest.mark.parametrize("kind", ["bbox", "segm"])
    @pytest.mark.parametrize("seed", range(28))
    def test_same(self, seed, kind, tmp_path):
        self.write(tmp_path, *self.sound(seed, masks=kind == "segm"))
        change = CHANGES[seed % len(CHANGES)]
        ours, theirs = (quiet(self.steps, tool, tmp_path, kind, change) for tool in TOOLS)
        compare(ours, theirs)
        for side in ("cocoGt", "cocoDt"):
            found, wanted = (getattr(tool, side) for tool in (ours[0], theirs[0]))
            assert found.getImgIds() == wanted.getImgIds() and found.getCatIds() == wanted.getCatIds()

    @pytest.mark.parametrize("seed", range(6))
    def test_odd_files(self, seed, tmp_path):
        """Ids twice, scores that are no numbers: whatever the reader refuses, the dicts decide."""
        dataset, guesses = case(seed)
        dataset["annotations"].append({**dataset["annotations"][0], "bbox": [0, 0, 3, 3]})
        guesses[0]["score"] = float("nan")
        self.write(tmp_path, dataset, guesses)
        compare(*(quiet(self.steps, tool, tmp_path, "bbox") for tool in TOOLS))

    def test_unknown_images_and_categories(self, tmp_path):
        """Annotations of what is not listed are passed over."""
        dataset, guesses = self.sound(21)
        dataset["annotations"][0]["image_id"] = 77
        dataset["annotations"][1]["category_id"] = 77
        self.write(tmp_path, dataset, guesses)
        compare(*(quiet(self.steps, tool, tmp_path, "bbox") for tool in TOOLS))

    @pytest.mark.parametrize("side, key", [(0, "area"), (0, "iscrowd"), (0, "bbox"), (1, "score"), (1, "bbox")])
    @pytest.mark.parametrize("tool", TOOLS)
    def test_missing_values(self, tool, side, key, tmp_path):
        dataset, guesses = self.sound(21)
        del (guesses if side else dataset["annotations"])[3][key]
        self.write(tmp_path, dataset, guesses)
        with pytest.raises(KeyError, match=key):
            quiet(self.steps, tool, tmp_path, "bbox")

    @pytest.mark.parametrize("kind", ["bbox", "segm"])
    def test_nobody_looks(self, kind, tmp_path):
        """No dict is made, and the files may be gone by the time that somebody looks."""
        dataset, guesses = self.sound(21, masks=True)
        self.write(tmp_path, dataset, guesses)
        scores, _ = quiet(self.steps, "ours", tmp_path, kind)
        assert scores.cocoGt.columns is not None and scores.cocoDt.columns is not None and scores.stats.max() > 0
        assert scores.cocoGt.getImgIds() == [image["id"] for image in dataset["images"]]
        assert scores.cocoGt.getCatIds() == [category["id"] for category in dataset["categories"]]
        assert scores.cocoGt.columns is not None
        for path in tmp_path.iterdir():
            path.unlink()
        same(scores.cocoGt.dataset, as_written(dataset))
        assert scores.cocoGt.columns is None and scores.cocoGt.imgs.keys() == {row["id"] for row in dataset["images"]}
        assert [row["score"] for row in scores.cocoDt.anns.values()] == [row["score"] for row in guesses]
        assert scores.cocoDt.dataset["images"][0] is scores.cocoGt.dataset["images"][0]

    def test_changes_count(self, tmp_path):
        """Whoever looks may change what is there."""
        self.write(tmp_path, *self.sound(21))

        def look(truth, guess):
            for row in truth.dataset["annotations"]:
                row["iscrowd"] = 1
            for row in guess.loadAnns(guess.getAnnIds()):
                row["score"] = 1 - row["score"]

        compare(*(quiet(self.steps, tool, tmp_path, "bbox", None, look) for tool in TOOLS))

    def test_another_data_set(self, tmp_path):
        """A data set that is set in place of that of the file."""
        self.write(tmp_path, *self.sound(21))
        truth, _ = quiet(our_coco.COCO, tmp_path / "truth.json")
        truth.dataset = {"images": [{"id": 5}], "categories": [], "annotations": []}
        assert quiet(truth.createIndex)[1] == "creating index...\nindex created!\n"
        assert truth.columns is None and truth.getImgIds() == [5] and truth.anns == {}

    def test_copies(self, tmp_path):
        self.write(tmp_path, *self.sound(21))
        truth, _ = quiet(our_coco.COCO, tmp_path / "truth.json")
        for other in (copy.copy(truth), copy.deepcopy(truth), pickle.loads(pickle.dumps(truth))):
            assert other.columns is not None
            same(other.anns, copy.copy(truth).anns)
        assert not hasattr(truth, "nothing") and truth.columns is not None

    @pytest.mark.parametrize("rows", [[], [{"image_id": 77, "category_id": 1, "bbox": [0, 0, 1, 1], "score": 1}]])
    def test_results_that_do_not_belong(self, rows, tmp_path):
        self.write(tmp_path, self.sound(21)[0], rows)
        truth, _ = quiet(our_coco.COCO, tmp_path / "truth.json")
        with pytest.raises((IndexError, AssertionError), match="Results"):
            quiet(truth.loadRes, str(tmp_path / "guess.json"))

    def test_no_json(self, tmp_path):
        (tmp_path / "truth.json").write_text('{"images": [')
        with pytest.raises(json.JSONDecodeError):
            quiet(our_coco.COCO, tmp_path / "truth.json")
        with pytest.raises(FileNotFoundError):
            quiet(our_coco.COCO, tmp_path / "nothing.json")


class TestCoco:
    DATASET, GUESSES = case(21, masks=True)
    CALLS = [
        lambda c: c.getAnnIds(),
        lambda c: c.getAnnIds(c.getImgIds()[0]),
        lambda c: c.getAnnIds(imgIds=c.getImgIds()[:2], catIds=c.getCatIds()[0]),
        lambda c: c.getAnnIds(imgIds=[77]),
        lambda c: c.getAnnIds(areaRng=[25, 9216]),
        lambda c: c.getAnnIds(catIds=c.getCatIds()[:1], iscrowd=False),
        lambda c: c.getAnnIds(iscrowd=1),
        lambda c: c.getCatIds(),
        lambda c: c.getCatIds(catNms=["c1", "c2", "c3"]),
        lambda c: c.getCatIds("c1c2c3"),
        lambda c: c.getCatIds(catIds=c.getCatIds()[1]),
        lambda c: c.getImgIds(),
        lambda c: sorted(c.getImgIds([0, 1, 2, 99])),
        lambda c: sorted(c.getImgIds(catIds=c.getCatIds())),
        lambda c: sorted(c.getImgIds(imgIds=c.getImgIds()[1:], catIds=c.getCatIds()[0])),
        lambda c: c.loadAnns(c.getAnnIds()),
        lambda c: c.loadAnns(c.getAnnIds()[0]),
        lambda c: c.loadAnns(),
        lambda c: c.loadCats(c.getCatIds()),
        lambda c: c.loadImgs(c.getImgIds()[0]),
        lambda c: c.info(),
        lambda c: [c.annToRLE(row) for row in c.loadAnns(c.getAnnIds())],
        lambda c: [c.annToMask(row) for row in c.loadAnns(c.getAnnIds())],
        lambda c: [dict(c.anns), dict(c.imgs), dict(c.cats), dict(c.imgToAnns), dict(c.catToImgs)],
        lambda c: c.showAnns([]),
    ]

    @pytest.mark.parametrize("number", range(len(CALLS)))
    def test_call(self, number):
        ours, theirs = (quiet(self.CALLS[number], quiet(load, tool, self.DATASET)[0]) for tool in TOOLS)
        same(ours, theirs)

    RESULTS = [
        GUESSES,
        [{key: value for key, value in row.items() if key != "bbox"} for row in GUESSES],
        [{key: value for key, value in row.items() if key != "segmentation"} for row in GUESSES],
        [{**GUESSES[0], "bbox": [], "area": 3, "id": 9, "iscrowd": 1}],
        [{"image_id": GUESSES[0]["image_id"], "caption": "a cat"}],
        [{"image_id": GUESSES[0]["image_id"], "category_id": 1, "keypoints": [1, 2, 2, 5, 9, 0, 3, 3, 1], "score": 1}],
        np.array([[row["image_id"], 1, 2, 3, 4.5, 0.5, 1] for row in GUESSES]),
        np.array([[row["image_id"], 1, 2, 3, 4.5, 0.5, 1] for row in GUESSES], np.float32),
    ]

    @pytest.mark.parametrize("number", range(len(RESULTS)))
    def test_results(self, number):
        answers = []
        for tool in TOOLS:
            truth, _ = quiet(load, tool, self.DATASET)
            given = copy.deepcopy(self.RESULTS[number])
            found, text = quiet(truth.loadRes, given)
            rows = [dict(sorted(row.items())) for row in found.dataset["annotations"]]  # whatever order keys came in
            answers.append([{**found.dataset, "annotations": rows}, text])
            assert isinstance(given, np.ndarray) or found.dataset["annotations"] is given
            assert found.dataset["images"][0] is truth.imgs[found.dataset["images"][0]["id"]]
        ours, theirs = answers
        assert ours[0].keys() == theirs[0].keys()
        same(dict(sorted(ours[0].items())), dict(sorted(theirs[0].items())))
        assert ours[1] == theirs[1]

    def test_show(self):
        plt = pytest.importorskip("matplotlib.pyplot")
        truth, _ = quiet(load, "ours", self.DATASET)
        figure, axes = plt.subplots()
        assert truth.showAnns(truth.loadAnns(truth.getAnnIds()), draw_bbox=True) is None
        polygons = sum(len(row["segmentation"]) for row in truth.anns.values() if type(row["segmentation"]) is list)
        masks = sum(type(row["segmentation"]) is dict for row in truth.anns.values())
        assert len(axes.patches) == polygons + len(truth.anns) and len(axes.images) == masks
        plt.close(figure)
        assert quiet(truth.showAnns, [{"caption": "a cat"}]) == (None, "a cat\n")


@st.composite
def stacks(draw):
    """(H, W, N) masks with runs of all lengths."""
    height, width, count = draw(st.integers(1, 9)), draw(st.integers(1, 9)), draw(st.integers(1, 5))
    bits = draw(st.lists(st.booleans(), min_size=height * width * count, max_size=height * width * count))
    stack = np.reshape(np.array(bits, np.uint8), (height, width, count))
    return np.asfortranarray(np.cumsum(stack, axis=0, dtype=np.uint8) % 2 if draw(st.booleans()) else stack)


coordinates = st.one_of(st.integers(-3, 14), st.floats(-4, 20, allow_nan=False, width=32)).map(float)
wild = st.one_of(coordinates, st.sampled_from([np.nan, np.inf, -np.inf, 1e-300, 1e300]))
tables = st.lists(st.lists(coordinates, min_size=4, max_size=4), min_size=1, max_size=6)


class TestMask:
    @given(stacks())
    def test_one_stack(self, stack):
        found = their_mask.encode(stack)
        same(our_mask.encode(stack), found)
        same(our_mask.encode(stack[:, :, 0]), found[0])
        same(our_mask.encode(np.ascontiguousarray(stack).astype(bool)), found)
        for name in ("decode", "area", "toBbox"):
            for given_ in (found, found[0], [dict(found[0], counts=found[0]["counts"].decode())]):
                same(getattr(our_mask, name)(given_), getattr(their_mask, name)(given_), name)
        for intersect in (0, 1, True):
            same(our_mask.merge(found, intersect), their_mask.merge(found, intersect))

    @given(stacks(), stacks(), st.data())
    def test_iou_of_masks(self, a, b, data):
        """Also of masks of several sizes."""
        a, b = (their_mask.encode(stack) for stack in (a, b))
        crowd = data.draw(st.lists(st.integers(0, 1), min_size=len(a) + len(b), max_size=len(a) + len(b)))
        same(our_mask.iou(a, b + a, crowd), their_mask.iou(a, b + a, crowd))

    @given(st.lists(st.lists(wild, min_size=4, max_size=4), min_size=1, max_size=6), tables, st.data())
    def test_iou_of_boxes(self, a, b, data):
        crowd = data.draw(st.lists(st.integers(0, 1), min_size=len(b), max_size=len(b)))
        same(our_mask.iou(a, b, crowd), their_mask.iou(a, b, crowd))
        a, b, crowd = np.array(a), np.array(b, np.float32), np.array(crowd, np.uint8)
        same(our_mask.iou(a, b, crowd), their_mask.iou(a, b.astype(float), crowd))

    @given(st.lists(st.lists(coordinates, min_size=2, max_size=12), min_size=1, max_size=5), st.integers(1, 20))
    def test_polygons(self, polygons, side):
        polygons.insert(0, [0, 0, 3, 0, 3.5, 3])
        same(our_mask.frPyObjects(polygons, side, 12), their_mask.frPyObjects(polygons, side, 12))

    @given(tables, st.integers(1, 20))
    def test_boxes(self, boxes, side):
        same(our_mask.frPyObjects(np.array(boxes), side, 12), their_mask.frPyObjects(np.array(boxes), side, 12))

    @given(st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=9), min_size=1, max_size=4), st.booleans())
    def test_counts(self, lists, leading):
        rles = [{"size": [1, sum(one)], "counts": [0, *one] if leading else one} for one in lists]
        same(our_mask.frPyObjects(rles, 4, 4), their_mask.frPyObjects(rles, 4, 4))
        same(our_mask.frPyObjects(rles[0], 4, 4), their_mask.frPyObjects(rles[0], 4, 4))

    @pytest.mark.parametrize(
        "name, arguments",
        [
            ("encode", (np.zeros((4, 6, 0), np.uint8, order="F"),)),
            ("encode", (np.zeros((0, 6), np.uint8, order="F"),)),
            ("area", ([],)),
            ("toBbox", ([],)),
            ("merge", ([],)),
            ("merge", ([{"size": [2, 2], "counts": b"04"}, {"size": [1, 4], "counts": b"04"}],)),
            ("iou", ([], [], [])),
            ("iou", ([], [[0, 0, 1, 1]], [0])),
            ("iou", (np.zeros((0, 4)), np.zeros((1, 4)), [0])),
            ("iou", ([{"size": [2, 2], "counts": b"04"}], [{"size": [1, 4], "counts": b"04"}], [0])),
        ],
    )
    def test_edge(self, name, arguments):
        same(getattr(our_mask, name)(*arguments), getattr(their_mask, name)(*arguments))

    def test_many(self):
        """Where pycocotools overflows."""
        assert our_mask.area([{"size": [2, 2], "counts": b"04"}] * 300).tolist() == [4] * 300

    def test_large(self):
        huge = our_mask.frPyObjects({"size": [70_000, 70_000], "counts": [0, 70_000**2]}, 1, 1)
        assert our_mask.area(huge) == 70_000**2

    @given(st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=9), min_size=2, max_size=5), st.booleans())
    def test_empty_runs(self, lists, crowd):
        """Runs of length 0 keep their place in the string, and in `iou` they do what they do there."""
        total = max(1, *map(sum, lists))
        rles = [{"size": [1, total], "counts": [*one, total - sum(one)]} for one in lists]
        found = our_mask.frPyObjects(rles, 1, 1)
        same(found, their_mask.frPyObjects(rles, 1, 1))
        same(our_mask.area(found), their_mask.area(found))
        same(our_mask.decode(found), their_mask.decode(found))
        flags = [int(crowd)] * len(found)
        same(our_mask.iou(found, found, flags), their_mask.iou(found, found, flags))

    def test_empty_runs_end_a_comparison(self):
        """The answer is wrong, and theirs: 5/7 is right."""
        rles = [{"size": [2, 5], "counts": counts} for counts in ([2, 3, 0, 4, 1], [2, 3, 0, 2, 3])]
        found = our_mask.frPyObjects(rles, 2, 5)
        assert our_mask.iou(found[:1], found[1:], [0]) == 1
        assert our_mask.area(our_mask.merge(found, 1)) == 5 and our_mask.area(our_mask.merge(found)) == 7

    def test_short_counts(self):
        """Where pycocotools does not come back."""
        short = our_mask.frPyObjects({"size": [2, 5], "counts": [2, 3]}, 2, 5)
        whole = our_mask.encode(np.ones((2, 5), np.uint8, order="F"))
        assert short == {"size": [2, 5], "counts": b"23"} and our_mask.area(short) == 3
        assert our_mask.toBbox(short).tolist() == [1, 0, 2, 2] and our_mask.decode(short).sum() == 3
        assert our_mask.area(our_mask.merge([short, whole], 1)) == 3
        with pytest.raises(vesica.InputError, match=r"`dt`, row 0: `counts` end early, and pycocotools would never"):
            our_mask.iou([short], [whole], [0])

    def test_values_beyond_one(self):
        values = np.array([[0, 1, 2], [0, 255, 1]], np.uint8, order="F")
        assert our_mask.area(our_mask.encode(values)) == 4

    @pytest.mark.parametrize(
        "call, error, message",
        [
            (lambda m: m.decode({"size": [2, 2], "counts": b"07"}), ValueError, "must not exceed the 4 pixels"),
            (lambda m: m.area({"size": [2, 2], "counts": b"07"}), ValueError, "must not exceed the 4 pixels"),
            (lambda m: m.decode([]), ValueError, "no image size is known"),
            (lambda m: m.area({"size": [2, 2]}), TypeError, '`rleObjs` mask 0 must be a dict of "size" and "counts"'),
            (lambda m: m.merge({"size": [2, 2], "counts": b"4"}), TypeError, "must be a list of dicts"),
            (lambda m: m.encode(np.zeros(4, np.uint8)), ValueError, r"`bimask` must have shape .* got \(4,\)"),
            (lambda m: m.frPyObjects([[1, 2, 3, 4]], 9, 9), TypeError, "may be a box or a line"),
            (lambda m: m.frPyObjects([], 9, 9), IndexError, "out of range"),
            (lambda m: m.frPyObjects([[]], 9, 9), TypeError, "`pyobj` must be a list of polygons"),
            (lambda m: m.frPyObjects("x", 9, 9), TypeError, "`pyobj` must be a list of polygons"),
            (lambda m: m.frPyObjects([[0, 0, 3, 0, 3, 3], ["a"]], 9, 9), TypeError, "`pyobj` polygon 1 must be"),
            (lambda m: m.frPyObjects({"size": [2, 2], "counts": b"4"}, 2, 2), TypeError, "encoded already"),
            (lambda m: m.iou([[0, 0, 1, 1]], [[0, 0, 1, 1]], []), ValueError, "each of the 1 truths"),
            (lambda m: m.iou([[0, 0, 1]], [[0, 0, 1, 1]], [0]), TypeError, r"`dt` must be boxes of shape \(N, 4\)"),
            (lambda m: m.iou([[0, 0, 1, 1]], [{"size": [2, 2], "counts": b"4"}], [0]), TypeError, "one of each"),
        ],
    )
    def test_errors(self, call, error, message):
        with pytest.raises(error, match=message):
            call(our_mask)


SCRIPT = """
import json, sys
{imports}
truth = COCO(sys.argv[1])
guess = truth.loadRes(sys.argv[2])
for kind in ("bbox", "segm"):
    scores = COCOeval(truth, guess, kind)
    scores.params.imgIds = sorted(truth.getImgIds())[:60]
    scores.params.areaRng[1][1] = 40 ** 2
    scores.evaluate()
    scores.accumulate()
    scores.summarize()
    print(scores.stats.tolist(), scores.eval["precision"].sum(), [e and e["dtIds"] for e in scores.evalImgs][:50])
print(mask.area([truth.annToRLE(a) for a in truth.loadAnns(truth.getAnnIds()[:9])]).tolist())
"""


class TestScripts:
    """A script that changes one import line."""

    THEIRS = (
        "from pycocotools.coco import COCO\nfrom pycocotools.cocoeval import COCOeval\nfrom pycocotools import mask"
    )
    OURS = [
        "from vesica.compat.coco import COCO, COCOeval, mask",
        THEIRS.replace("pycocotools", "vesica.compat"),
        "from vesica.compat import coco, cocoeval, mask\nCOCO, COCOeval = coco.COCO, cocoeval.COCOeval",
    ]

    @staticmethod
    def run(imports, *paths):
        code = SCRIPT.format(imports=imports)
        done = subprocess.run([sys.executable, "-c", code, *map(str, paths)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return re.sub(r"t=\d+\.\d\ds", "t=s", done.stdout)

    def test_generated(self, tmp_path):
        dataset, guesses = case(30, masks=True)
        for row in [*dataset["annotations"], *guesses]:
            if isinstance(row["segmentation"], dict) and isinstance(row["segmentation"]["counts"], bytes):
                row["segmentation"]["counts"] = row["segmentation"]["counts"].decode()
        paths = tmp_path / "truth.json", tmp_path / "guess.json"
        for path, value in zip(paths, (dataset, guesses), strict=True):
            path.write_text(json.dumps(value))
        assert len({self.run(imports, *paths) for imports in (self.THEIRS, *self.OURS)}) == 1

    @real
    def test_real(self):
        paths = (
            DATA / "coco100/instances_val2014_100.json",
            DATA / "coco100/instances_val2014_fakesegm100_results.json",
        )
        assert self.run(self.OURS[0], *paths) == self.run(self.THEIRS, *paths)


@real
class TestReal:
    """Files that nobody here wrote."""

    @pytest.mark.parametrize("kind, ap", [("bbox", 0.5045806987249628), ("segm", 0.3195452758576433)])
    def test_coco100(self, kind, ap):
        dataset = json.loads((DATA / "coco100/instances_val2014_100.json").read_text())
        name = f"coco100/instances_val2014_fake{kind}100_results.json"
        scores = look_the_same(dataset, json.loads((DATA / name).read_text()), kind)
        assert scores.stats[0] == ap

    def test_without_categories(self):
        dataset = json.loads((DATA / "coco100/instances_val2014_100.json").read_text())
        guesses = json.loads((DATA / "coco100/instances_val2014_fakesegm100_results.json").read_text())
        look_the_same(dataset, guesses, "segm", {"useCats": 0})

    def test_masks_of_truths(self):
        dataset = json.loads((DATA / "coco_mini/instances_val2017.json").read_text())
        ours, theirs = (quiet(load, tool, dataset)[0] for tool in TOOLS)
        for number, row in ours.anns.items():
            same(ours.annToRLE(row), theirs.annToRLE(theirs.anns[number]))


class TestTorchmetrics:
    """The mean average precision of torchmetrics, with this module where it expects pycocotools."""

    @staticmethod
    def batches(rng, torch):
        for _ in range(4):
            guesses, truths = [], []
            for _ in range(2):
                corners = rng.integers(0, 40, (12, 2, 2)).astype(np.float32)
                boxes = torch.from_numpy(np.concatenate([corners[:, 0], corners[:, 0] + corners[:, 1] + 1], axis=1))
                masks = torch.from_numpy(rng.random((12, 20, 16)) < 0.5)
                labels = torch.from_numpy(rng.integers(0, 3, 12))
                n = int(rng.integers(0, 9))
                truths.append({"boxes": boxes[:n], "labels": labels[:n], "masks": masks[:n]})
                truths[-1]["iscrowd"] = torch.from_numpy((rng.random(n) < 0.2).astype(np.int64))
                scores = torch.from_numpy(rng.choice([0.1, 0.5, 0.5, 0.9], 12).astype(np.float32))
                shifted = boxes + torch.from_numpy(rng.integers(0, 3, (12, 4)).astype(np.float32))
                guesses.append({"boxes": shifted, "labels": labels, "scores": scores, "masks": masks})
            yield guesses, truths

    @pytest.fixture
    def mean_ap(self, monkeypatch):
        """The metric. Of torchvision it needs one function, which stands here for those who do not have the rest."""
        torch = pytest.importorskip("torch")
        module = pytest.importorskip("torchmetrics.detection.mean_ap")

        def box_convert(boxes, in_fmt, out_fmt):
            assert (in_fmt, out_fmt) == ("xyxy", "xywh")
            return torch.cat([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], dim=1)

        if not module._TORCHVISION_AVAILABLE:
            monkeypatch.setattr(module, "_TORCHVISION_AVAILABLE", True)
            ops = types.ModuleType("torchvision.ops")
            ops.box_convert = box_convert
            monkeypatch.setitem(sys.modules, "torchvision", types.ModuleType("torchvision"))
            monkeypatch.setitem(sys.modules, "torchvision.ops", ops)
        return module

    @pytest.mark.filterwarnings("ignore::UserWarning")
    @pytest.mark.parametrize("kind", ["bbox", "segm", ("bbox", "segm")], ids=str)
    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"class_metrics": True, "extended_summary": True, "max_detection_thresholds": [1, 2, 5]},
            {"average": "micro", "iou_thresholds": [0.5, 0.6]},
        ],
        ids=["plain", "classes", "micro"],
    )
    def test_same(self, mean_ap, kind, options, monkeypatch):
        import torch

        answers = []
        for package in ("pycocotools", "vesica.compat"):
            with monkeypatch.context() as patch:
                for name in ("", ".coco", ".cocoeval", ".mask"):
                    patch.setitem(sys.modules, f"pycocotools{name}", importlib.import_module(package + name))
                metric = mean_ap.MeanAveragePrecision(iou_type=kind, **options)
                assert metric._coco_backend.cocoeval is importlib.import_module(f"{package}.cocoeval").COCOeval
                for guesses, truths in self.batches(np.random.default_rng(7), torch):
                    metric.update(guesses, truths)
                answers.append(quiet(metric.compute)[0])
        theirs, ours = answers
        assert list(ours) == list(theirs)
        for key, value in theirs.items():
            pairs = value.items() if isinstance(value, dict) else [(None, value)]
            for place, one in pairs:
                other = ours[key] if place is None else ours[key][place]
                assert np.array_equal(np.asarray(one), np.asarray(other), equal_nan=True), (key, place)
        assert any(0 < float(value) < 1 for key, value in theirs.items() if key.endswith(("map", "map_50")))
