"""Scores of rotated boxes: pycocotools' own matching and averages, fed with overlaps that shapely measured."""

import contextlib
import io
from dataclasses import replace

import numpy as np
import pytest
import shapely
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

import vesica
from vesica import Dataset, Evaluator, InputError, RotatedBoxes

DEG = {"unit": "deg", "direction": "cw"}


def scene(seed, truths=60, images=5, categories=3):
    """Truths that crowd each other, and guesses near them, some twice, some of nothing; as dicts of columns."""
    rng = np.random.default_rng(seed)
    rows = np.concatenate(
        [rng.uniform(20, 180, (truths, 2)), rng.uniform(4, 70, (truths, 2)), rng.uniform(-90, 90, (truths, 1))], axis=1
    )
    truth = {"rows": rows, "image": rng.integers(0, images, truths), "category": rng.integers(0, categories, truths)}
    source = rng.integers(0, truths, 2 * truths)
    spread = np.array([2.0, 2, 2, 2, 6]) * rng.choice([0.3, 1, 3], (len(source), 1))
    near = rows[source] + rng.normal(0, 1, (len(source), 5)) * spread
    near[:, 2:4] = np.abs(near[:, 2:4]) + 1
    guess = {"rows": near, "image": truth["image"][source], "category": truth["category"][source]}
    return truth, guess | {"score": rng.permutation(len(source)) / len(source)}


def data_sets(truth, guess, **columns):
    made = []
    for side, extra in ((truth, columns), (guess, {"score": guess["score"]})):
        boxes = RotatedBoxes(side["rows"], **DEG)
        made.append(Dataset.from_arrays(boxes, image=side["image"], category=side["category"], **extra))
    return made


def peer(truth, guess, crowd=None, ignore=None):
    """COCOeval whose overlaps are shapely's: numbers of the summary."""
    outlines = [shapely.polygons(RotatedBoxes(side["rows"], **DEG).to_corners()) for side in (truth, guess)]
    crowd = np.zeros(len(truth["rows"]), bool) if crowd is None else crowd
    ids = range(1, len(truth["rows"]) + 1)
    content = {
        "images": [{"id": int(k)} for k in np.unique(truth["image"])],
        "categories": [{"id": int(k)} for k in np.unique(truth["category"])],
        "annotations": [
            {"id": k, "image_id": int(i), "category_id": int(c), "area": o.area, "iscrowd": int(one), "bbox": [0] * 4}
            for k, i, c, o, one in zip(ids, truth["image"], truth["category"], outlines[0], crowd, strict=True)
        ],
    }
    with contextlib.redirect_stdout(io.StringIO()):
        gt = COCO()
        gt.dataset = content
        gt.createIndex()
        results = [
            {"image_id": int(i), "category_id": int(c), "score": float(s), "bbox": [0, 0, 1, 1]}
            for i, c, s in zip(guess["image"], guess["category"], guess["score"], strict=True)
        ]
        dt = gt.loadRes(results)
        for one, outline in zip(dt.dataset["annotations"], outlines[1], strict=True):
            one["area"] = outline.area

        class Eval(COCOeval):
            def computeIoU(self, image, category):
                gts, dts = self._gts[image, category], self._dts[image, category]
                if not gts or not dts:
                    return []
                dts = sorted(dts, key=lambda one: -one["score"])[: self.params.maxDets[-1]]
                found = np.zeros((len(dts), len(gts)))
                for d, g in np.ndindex(*found.shape):
                    a, b = outlines[1][dts[d]["id"] - 1], outlines[0][gts[g]["id"] - 1]
                    shared = a.intersection(b).area
                    found[d, g] = shared / (a.area if gts[g]["iscrowd"] else a.area + b.area - shared)
                return found

        run = Eval(gt, dt, "bbox")
        run.evaluate()
        run.accumulate()
        run.summarize()
    return run


def told(result):
    """All numbers, −1 without truths."""
    return np.nan_to_num(list(result.summary.values()), nan=-1)


class TestIsPycocotoolsWithShapely:
    @pytest.mark.parametrize("seed", range(4))
    def test_all_numbers(self, seed):
        truth, guess = scene(seed)
        want = peer(truth, guess)
        result = vesica.evaluate(*data_sets(truth, guess), regions="rotated")
        assert told(result) == pytest.approx(want.stats, abs=1e-12)
        assert result.precision == pytest.approx(want.eval["precision"], abs=1e-12)
        assert 0.2 < result["AP"] < 0.9 and result["AP"] < result["AP50"]

    def test_crowds(self):
        truth, guess = scene(7)
        crowd = np.random.default_rng(0).random(len(truth["rows"])) < 0.2
        want = peer(truth, guess, crowd)
        result = vesica.evaluate(*data_sets(truth, guess, crowd=crowd), regions="rotated")
        assert told(result) == pytest.approx(want.stats, abs=1e-12)
        assert result["AP"] != vesica.evaluate(*data_sets(truth, guess), regions="rotated")["AP"]

    def test_threads_and_order_do_not_matter(self):
        truth, guess = data_sets(*scene(3))
        mixed = np.random.default_rng(1).permutation(len(guess))
        scores = [
            told(vesica.evaluate(truth, one, regions="rotated", threads=threads)).tolist()
            for one, threads in ((guess, 1), (guess, 2), (guess.rows(mixed), 2))
        ]
        assert scores[0] == scores[1] == scores[2]


class TestFacts:
    def test_upright_ones_are_boxes(self):
        """Without a turn the score is that of upright boxes, by every protocol."""
        truth, guess = scene(5)
        for side in (truth, guess):
            side["rows"][:, 4] = 0
        sides = data_sets(truth, guess)
        for options in ({}, {"by_class": False}, {"iou": [0.3, 0.9]}, {"strict": True}, {"max_dets": [1, 3]},
                        *({"protocol": name} for name in ("lvis", "voc", "voc07", "voc-devkit"))):  # fmt: skip
            plain = vesica.evaluate(*sides, **options)
            assert told(vesica.evaluate(*sides, **options, regions="rotated")) == pytest.approx(told(plain)), options

    def test_quarter_turns_are_the_same_box(self):
        truth, guess = scene(6)
        turned = guess | {"rows": guess["rows"][:, [0, 1, 3, 2, 4]] + [0, 0, 0, 0, 90]}
        one, other = (told(vesica.evaluate(*data_sets(truth, g), regions="rotated")) for g in (guess, turned))
        assert one == pytest.approx(other, abs=1e-9)

    def test_a_turn_counts(self):
        """A thin box across another one fills the same upright box, and is not found."""
        truth = Dataset.from_arrays(RotatedBoxes([[50, 50, 60, 4, 45]], **DEG), image=[1])
        guess = Dataset.from_arrays(RotatedBoxes([[50, 50, 60, 4, -45]], **DEG), image=[1], score=[0.9])
        assert vesica.evaluate(truth, guess)["AP"] == pytest.approx(1)
        assert vesica.evaluate(truth, guess, regions="rotated")["AP"] == 0

    def test_outlines_as_drawn(self):
        """A quadrilateral that is no rectangle is compared as it is, not by the rectangle around it."""
        drawn = np.array([[[0, 0], [10, 0], [6, 10], [4, 10]]], float)
        truth = Dataset.from_arrays(drawn, image=[1])
        guess = Dataset.from_arrays(np.array([[[0, 0], [10, 0], [10, 10], [0, 10.0]]]), image=[1], score=[1.0])
        assert truth.xywh.tolist() == [[0, 0, 10, 10]]
        assert vesica.evaluate(truth, guess, regions="rotated", iou=[0.6, 0.61])["AP"] == pytest.approx(0.5)

    def test_corners_in_any_order(self):
        around = np.array([[[0, 0], [10, 0], [10, 4], [0, 4]]], float)
        crossed = Dataset.from_arrays(around[:, [0, 2, 1, 3]], image=[1])
        guess = Dataset.from_arrays(around, image=[1], score=[1.0])
        assert vesica.evaluate(crossed, guess, regions="rotated")["AP"] == pytest.approx(1)
        assert guess.corners.tolist() == around.tolist()

    def test_ignored_truths(self):
        """Difficult objects of DOTA: neither to be found nor wrong to find."""
        rows = [[20, 20, 10, 4, 30], [60, 60, 10, 4, 30]]
        truth = Dataset.from_arrays(RotatedBoxes(rows, **DEG), image=[1, 1], ignore=[False, True])
        guess = Dataset.from_arrays(RotatedBoxes(rows, **DEG), image=[1, 1], score=[0.5, 0.9])
        assert vesica.evaluate(truth, guess, regions="rotated", protocol="voc07")["mAP"] == 1

    def test_sizes_by_area_of_the_turned_box(self):
        """A thin diagonal box is small, though the upright box around it is large."""
        truth = Dataset.from_arrays(RotatedBoxes([[100, 100, 140, 4, 45]], **DEG), image=[1])
        guess = replace(truth, score=np.array([0.9]))
        result = vesica.evaluate(truth, guess, regions="rotated")
        assert result["APs"] == pytest.approx(1) and result.numbers["APl"] is None

    def test_a_threshold_of_zero(self):
        truth = Dataset.from_arrays(RotatedBoxes([[10, 10, 4, 4, 0]], **DEG), image=[1])
        far = Dataset.from_arrays(RotatedBoxes([[90, 90, 4, 4, 0]], **DEG), image=[1], score=[0.9])
        assert vesica.evaluate(truth, far, regions="rotated", iou=0)["AP"] == pytest.approx(
            vesica.evaluate(truth, far, iou=0)["AP"]
        )

    def test_pairs_and_records(self):
        truth, guess = data_sets(*scene(2))
        result = vesica.evaluate(truth, guess, regions="rotated")
        pairs = result.pairs(iou=0.5)
        overlap = vesica.iou(*(RotatedBoxes.from_corners(side.corners[rows]) for side, rows in
                               ((truth, pairs.truth), (guess, pairs.guess))), aligned=True)  # fmt: skip
        assert len(overlap) > 20 and overlap.min() >= 0.5
        again = vesica.detection.Records.from_bytes(result.records.to_bytes())
        assert told(vesica.detection.summarise(again)).tolist() == told(result).tolist()

    def test_nothing(self):
        none = Dataset.from_arrays(np.zeros((0, 4, 2)), image=[], images=[1], category=[], categories=[1], score=[])
        truth = Dataset.from_arrays(RotatedBoxes([[10, 10, 4, 4, 0]], **DEG), image=[1])
        assert vesica.evaluate(truth, none, regions="rotated")["AP"] == 0


class TestEvaluator:
    def test_images_one_by_one(self):
        truth, guess = data_sets(*scene(4))
        evaluator = Evaluator(regions="rotated")
        for image in range(5):
            sides = []
            for data in (truth, guess):
                rows = np.flatnonzero(data.image == image)
                boxes = RotatedBoxes.from_corners(data.corners[rows])
                score = {} if data.score is None else {"scores": data.score[rows]}
                sides.append({"boxes": boxes, "labels": data.categories.ids[data.category[rows]], **score})
            evaluator.update(*sides, image=image)
        assert told(evaluator.compute()) == pytest.approx(told(vesica.evaluate(truth, guess, regions="rotated")))


class TestRefused:
    def test_upright_boxes(self):
        truth, guess = data_sets(*scene(0))
        with pytest.raises(InputError, match='The guess has no rotated boxes.*kind="obb".*RotatedBoxes.from_boxes'):
            vesica.evaluate(truth, replace(guess, corners=None), regions="rotated")

    def test_quirks(self):
        with pytest.raises(ValueError, match="faults of pycocotools, which does not know regions='rotated'"):
            vesica.evaluate(*data_sets(*scene(0)), regions="rotated", quirks="pycocotools")

    def test_corners_that_are_no_points(self):
        with pytest.raises(ValueError, match="`boxes` row 0: the corners must be finite"):
            Dataset.from_arrays(np.full((1, 4, 2), np.nan), image=[1])
