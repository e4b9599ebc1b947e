"""The stand-in for pycocotools, beside pycocotools itself: same numbers, same bytes, same printed lines."""

import copy
import sys

import numpy as np
import pytest

import vesica
from vesica.compat import coco as our_coco
from vesica.compat import cocoeval as our_eval
from vesica.compat import keypoints

pytest.importorskip("pycocotools")
from beside import CHANGES, TOOLS, case, evaluated, load, look_the_same, quiet, same


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
        monkeypatch.setattr("vesica.compat.reference_eval.accumulate", None)
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
            ("guess", {"bbox": [0, 0, 1e160, 1e160]}),  # finite, and its area is not
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
    def test_crowds_without_area(self, kind):
        """Nobody asks for the area of a crowd."""
        dataset, guesses = case(21, masks=True)
        for row in dataset["annotations"][::2]:
            row["iscrowd"] = 1
            del row["area"]
        look_the_same(dataset, guesses, kind)

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

    def test_keypoints(self, monkeypatch):
        """Without pycocotools, in steps of our own, and in a class that builds on ours."""

        class Own(our_eval.COCOeval):
            pass

        truth, _ = quiet(load, "ours", case(1)[0])
        monkeypatch.setitem(sys.modules, "pycocotools.cocoeval", None)  # as if it were not installed
        keypoints._cocoeval.cache_clear()
        for call in (
            lambda: our_eval.COCOeval(truth, truth, "keypoints"),
            lambda: Own(truth, truth, "keypoints"),
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
