"""Confusion: which class is taken for which, against libraries that count it in other ways."""

import json
from pathlib import Path

import numpy as np
import pytest

import tide
import vesica
from scenes import Traits, datasets, job
from test_causes import FOUND, TWO, A, of

ANSWERS = json.loads((Path(__file__).parent / "data" / "confusion.json").read_text())


class TestCounts:
    @pytest.mark.parametrize(
        "guesses, want",
        [
            pytest.param(FOUND, [[1, 0, 0], [0, 1, 0], [0, 0, 0]], id="all right"),
            pytest.param([], [[0, 0, 1], [0, 0, 1], [0, 0, 0]], id="all missed"),
            pytest.param([(A, "dog", 0.9)], [[0, 1, 0], [0, 0, 1], [0, 0, 0]], id="a cat called a dog"),
            pytest.param([*FOUND, (A, "dog", 0.95)], [[1, 0, 0], [0, 1, 0], [0, 1, 0]], id="right first"),
            pytest.param([*FOUND, ([700, 0, 800, 100], "cat", 1)], [[1, 0, 0], [0, 1, 0], [1, 0, 0]], id="made up"),
            pytest.param([([0, 0, 100, 49], "cat", 0.9)], [[0, 0, 1], [0, 0, 1], [1, 0, 0]], id="too loose"),
            pytest.param([([0, 0, 100, 50], "cat", 0.9)], [[1, 0, 0], [0, 0, 1], [0, 0, 0]], id="loose enough"),
        ],
    )
    def test_by_hand(self, guesses, want):
        if not guesses:
            result = vesica.evaluate(*datasets(*_nothing()))
            assert result.confusion().counts.tolist() == want
            return
        result = of(TWO, [*guesses])
        assert result.confusion().counts.tolist() == want

    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("least", [None, 0.5])
    def test_adds_up(self, seed, least):
        """The diagonal is what counts as right; a row has the truths of its class, a column its guesses that count."""
        result = vesica.evaluate(*datasets(*job(np.random.default_rng(seed), Traits(guesses=12, ignores=True))))
        found, counts = result.confusion(min_score=least), result.counts(iou=0.5, min_score=least)
        assert np.array_equal(np.diag(found.counts)[:-1], counts.tp)
        assert np.array_equal(found.counts.sum(axis=1)[:-1], counts.tp + counts.fn)
        assert np.array_equal(found.counts.sum(axis=0)[:-1], counts.tp + counts.fp)
        assert found.counts[-1, -1] == 0 and len(found.pairs) == found.counts.sum()

    def test_shares(self):
        found = of(TWO, [(A, "cat", 0.9), (A, "dog", 0.8)]).confusion()
        assert found.counts.tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]
        assert found.shares().tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]
        assert np.array_equal(found.shares(by="column")[:, 2], [0, 1, 0])
        empty = of([(A, "cat")], [(A, "cat", 0.9)]).confusion().shares()
        assert np.isnan(empty[1]).all()
        with pytest.raises(ValueError, match='`by` must be one of "row", "column"'):
            found.shares(by="both")

    def test_top(self):
        """The objects behind a count can be asked for."""
        found = of([*TWO, ([600, 0, 700, 100], "cat")], [(A, "dog", 0.6), ([600, 0, 700, 100], "dog", 0.9)]).confusion()
        assert list(found.top()) == [{"truth": "cat", "guess": "dog", "count": 2, "share": 1.0}]
        assert [row["count"] for row in found.top(background=True)] == [2, 1]
        behind = found.objects("cat", "dog")
        assert behind["score"].tolist() == [0.9, 0.6] and behind["x1"].tolist() == [600, 0]
        assert behind["iou"].tolist() == [1, 1] and behind["image"].tolist() == [1, 1]
        assert found.objects("dog", "background")["x1"].tolist() == [300]
        with pytest.raises(ValueError, match="`category` must be one of 'cat', 'dog', 'background'; got 'cow'"):
            found.objects("cow", "dog")

    def test_text(self):
        found = of(TWO, [(A, "dog", 0.6)]).confusion()
        shown = "Confusion(0 right, 1 of another class, 0 made up, 1 missed; 2 classes, IoU 0.5)"
        assert repr(found) == shown and str(found).startswith(shown + "\ntruth")
        plain = json.loads(json.dumps(found.to_dict()))
        assert plain["counts"] == [[0, 1, 0], [0, 0, 1], [0, 0, 0]] and plain["names"] == ["cat", "dog", "background"]


def _nothing():
    truth, _ = tide.mixed(0)
    boxes = ([0, 0, 100, 100], [300, 0, 100, 100])
    annotations = [
        {"id": k, "image_id": 1, "category_id": k, "bbox": box, "area": 1e4, "iscrowd": 0}
        for k, box in enumerate(boxes, start=1)
    ]
    return {**truth, "annotations": annotations, "categories": truth["categories"][:2]}, []


class TestSupervision:
    """It pairs by class, then by overlap; scores do not matter."""

    @pytest.mark.parametrize("seed", range(6))
    @pytest.mark.parametrize("iou, least", [(0.5, 0.0), (0.5, 0.4), (0.3, 0.6)])
    def test_like(self, seed, iou, least):
        supervision = pytest.importorskip("supervision")
        truth, results = tide.mixed(seed)
        guesses, truths = [], []
        for image in truth["images"]:
            own = [row for row in truth["annotations"] if row["image_id"] == image["id"]]
            said = [row for row in results if row["image_id"] == image["id"]]
            truths.append(np.array([[*_corners(row["bbox"]), row["category_id"] - 1] for row in own]))
            guesses.append(np.array([[*_corners(row["bbox"]), row["category_id"] - 1, row["score"]] for row in said]))
        matrix = supervision.ConfusionMatrix.from_tensors(
            guesses, truths, classes=["a", "b", "c", "d"], conf_threshold=least, iou_threshold=iou
        ).matrix
        result = vesica.evaluate(*datasets(truth, results))
        ours = result.confusion(iou=iou, min_score=least, like="supervision").counts
        assert np.array_equal(ours, matrix)
        if iou == 0.5:
            plain = result.confusion(iou=iou, min_score=least).counts
            assert (plain != matrix).mean() < 0.5 and abs(np.trace(plain) - np.trace(matrix)) <= 3


def _corners(box):
    x, y, w, h = box
    return x, y, x + w, y + h


class TestHotcoco:
    """It pairs by score, whatever the class. See data/confusion.py for its answers."""

    @pytest.mark.parametrize("answer", ANSWERS)
    def test_like(self, answer):
        result = vesica.evaluate(*datasets(*tide.mixed(answer["seed"])))
        ours = result.confusion(iou=answer["iou"], min_score=answer["min_score"], like="hotcoco").counts
        assert ours.tolist() == answer["matrix"]


class TestUncontested:
    """Where each truth has at most one guess near it, and each guess one truth, everybody counts the same."""

    def test_all_ways(self):
        truth, results = tide.mixed(3)
        seen, kept = set(), []
        for row in results:
            for one in truth["annotations"]:
                key = (row["image_id"], one["id"])
                near = one["image_id"] == row["image_id"] and _iou(row["bbox"], one["bbox"]) > 0.2
                if near and (key in seen or any(id(other) == id(row) for other in kept)):
                    break
                if near:
                    seen.add(key)
                    kept.append(row)
        result = vesica.evaluate(*datasets(truth, kept))
        ways = [result.confusion(like=like).counts.tolist() for like in (None, "hotcoco", "supervision")]
        assert ways[0] == ways[1] == ways[2]
        assert np.trace(ways[0]) > 5 and np.sum(ways[0]) - np.trace(ways[0]) > 10


def _iou(a, b):
    return float(vesica.iou([_corners(a)], [_corners(b)])[0, 0])
