"""Rows that lack the region which is compared: an error, or what was asked for, and never silence."""

import copy
import json
import re

import numpy as np
import pytest

import vesica
from vesica import Dataset, Evaluator, InputError
from vesica.cli import main
from vesica.detection import records_of

BOXES = [[5, 10, 10, 12], [20, 10, 10, 12], [35, 10, 10, 12]]
WITHOUT = ("3 of 3", "1 of 3", "2 of 3")


def outline(x, y, w, h):
    return [[x, y, x, y + h, x + w, y + h, x + w, y]]


def job():
    """Three truths with boxes and masks, and guesses a little off."""
    truth = {
        "images": [{"id": 1, "height": 60, "width": 60}],
        "categories": [{"id": 1, "name": "a"}],
        "annotations": [
            {
                "id": k,
                "image_id": 1,
                "category_id": 1,
                "bbox": box,
                "area": 120,
                "iscrowd": 0,
                "segmentation": outline(*box),
            }
            for k, box in enumerate(BOXES, 1)
        ],
    }
    guess = [
        {
            "image_id": 1,
            "category_id": 1,
            "segmentation": outline(x + k, y, w, h),
            "bbox": [x + k, y, w, h],
            "score": 0.5,
        }
        for k, (x, y, w, h) in enumerate(BOXES)
    ]
    return truth, guess


def without(rows, field, places, value=...):
    """Copies of the rows, some of them without the field, or with another value."""
    found = copy.deepcopy(rows)
    for place in places:
        del found[place][field]
        if value is not ...:
            found[place][field] = value
    return found


@pytest.fixture
def score(tmp_path):
    def call(truth, guess, **options):
        paths = tmp_path / "truth.json", tmp_path / "guess.json"
        for path, value in zip(paths, (truth, guess), strict=True):
            path.write_text(json.dumps(value))
        return vesica.evaluate(*paths, **options)

    return call


def bits(result):
    return [getattr(result, name).tobytes() for name in ("precision", "recall", "scores", "stats")]


def told(result):
    return {note.rule: note.count for note in result.notes}


@pytest.mark.parametrize("regions", ["mask", "boundary"])
@pytest.mark.parametrize("places", [[0, 1, 2], [1], [0, 2]], ids=WITHOUT)
class TestMasks:
    @pytest.mark.parametrize("value", [..., None], ids=["absent", "null"])
    @pytest.mark.parametrize("protocol", ["coco", "lvis", "voc"])
    def test_error_counts(self, score, regions, places, value, protocol):
        truth, guess = job()
        truth["annotations"] = without(truth["annotations"], "segmentation", places, value)
        words = rf'^{len(places)} of 3 truths have no "segmentation", and masks are compared.*missing="box"'
        with pytest.raises(InputError, match=words):
            score(truth, guess, regions=regions, protocol=protocol)

    def test_box_on_request(self, score, regions, places):
        """As if the box had been drawn."""
        truth, guess = job()
        bare = {**truth, "annotations": without(truth["annotations"], "segmentation", places)}
        found = score(bare, guess, regions=regions, missing="box")
        assert bits(found) == bits(score(truth, guess, regions=regions))
        assert told(found) == {"Q25": len(places)}

    def test_empty_is_a_mask(self, score, regions, places):
        truth, guess = job()
        truth["annotations"] = without(truth["annotations"], "segmentation", places, [])
        found = score(truth, guess, regions=regions)
        assert bits(found) == bits(score(truth, guess, regions=regions, missing="box"))
        assert found["AR100"] < score(*job(), regions=regions)["AR100"]

    def test_guesses_are_drawn(self, score, regions, places):
        """A detector of boxes has no masks: that of pycocotools draws them, and here a note says so."""
        truth, guess = job()
        found = score(truth, without(guess, "segmentation", places), regions=regions)
        assert bits(found) == bits(score(truth, guess, regions=regions))
        assert told(found) == {"Q26": len(places)}


class TestDoors:
    """Every way to a score asks for the same."""

    def sides(self):
        options = {"form": "xywh", "image": [1, 1, 1], "category": [1, 1, 1], "images": [1], "sizes": (60, 60)}
        truth = Dataset.from_arrays(BOXES, **options)
        return truth, Dataset.from_arrays(BOXES, **options, score=[0.9, 0.8, 0.7])

    def test_arrays(self):
        with pytest.raises(InputError, match="3 of 3 truths"):
            vesica.evaluate(*self.sides(), regions="mask")
        assert vesica.evaluate(*self.sides(), regions="mask", missing="box")["AP"] == pytest.approx(1)

    def test_records(self):
        with pytest.raises(InputError, match="3 of 3 truths"):
            records_of(*self.sides(), regions="mask")
        assert len(records_of(*self.sides(), regions="mask", missing="box")) == 3

    def test_evaluator(self):
        for missing in (None, "box"):
            evaluator = Evaluator(regions="mask", missing=missing)
            evaluator.update(*self.sides())
            if missing is None:
                with pytest.raises(InputError, match="3 of 3 truths"):
                    evaluator.compute()
            else:
                assert evaluator.compute()["AP"] == pytest.approx(1)

    def test_command_line(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        truth, guess = job()
        truth["annotations"] = without(truth["annotations"], "segmentation", [1])
        for name, value in (("truth.json", truth), ("guess.json", guess)):
            (tmp_path / name).write_text(json.dumps(value))
        asked = ["eval", "truth.json", "guess.json", "--regions", "mask", "--json"]
        assert main(asked) == 3
        assert re.search(r"1 of 3 truths have no .*: --missing box\.", capsys.readouterr().out)
        assert main([*asked, "--missing", "box"]) == 0

    def test_other_words(self):
        with pytest.raises(ValueError, match="`missing` must be"):
            vesica.evaluate(*self.sides(), missing="mask")


class TestBoxes:
    """Boxes of masks, row by row."""

    @pytest.mark.parametrize("value", [..., None, []], ids=["absent", "null", "empty"])
    @pytest.mark.parametrize("places", [[0, 1, 2], [1], [0, 2]], ids=WITHOUT)
    def test_of_truths(self, score, places, value):
        truth, guess = job()
        bare = {**truth, "annotations": without(truth["annotations"], "bbox", places, value)}
        found = score(bare, guess)
        assert bits(found) == bits(score(truth, guess))
        assert told(found) == ({} if len(places) == 3 else {"Q24": len(places)})

    @pytest.mark.parametrize("places", [[0, 1, 2], [1], [0, 2]], ids=WITHOUT)
    def test_of_guesses(self, score, places):
        """Such a guess has the area of its mask: here that of an L, a third of its box, so it is no large one."""
        truth, guess = job()
        guess[1].update(
            segmentation=[[21, 40, 31, 40, 31, 42, 23, 42, 23, 52, 21, 52]], bbox=[21, 40, 10, 12], score=0.9
        )
        ranges = {"all": (0, 1e10), "large": (100, 1e10)}
        found, whole = (score(truth, rows, areas=ranges) for rows in (without(guess, "bbox", places), guess))
        everything, large = ((found.precision[..., k, :], whole.precision[..., k, :]) for k in (0, 1))
        assert everything[0].tobytes() == everything[1].tobytes()
        assert (large[0].tobytes() == large[1].tobytes()) == (1 not in places)

    def test_neither(self, score):
        truth, guess = job()
        truth["annotations"] = without(without(truth["annotations"], "bbox", [1]), "segmentation", [1])
        with pytest.raises(InputError, match='annotation 1 at byte .* has neither a "bbox" nor a "segmentation"'):
            score(truth, guess)

    def test_half_a_box_is_none(self):
        """NaN for one side is a fault, not a box that is missing."""
        boxes = np.array(BOXES, np.float64)
        boxes[1, 2] = np.nan
        sides = {"form": "xywh", "image": [1] * 3, "masks": [outline(*box) for box in BOXES], "sizes": (60, 60)}
        truth = Dataset.from_arrays(boxes, **sides, images=[1], check=False)
        guess = Dataset.from_arrays(BOXES, **sides, images=[1], score=[0.5] * 3)
        with pytest.raises(InputError, match=r"truth row 1 \(image 1\): `bbox` must be finite"):
            vesica.evaluate(truth, guess)
