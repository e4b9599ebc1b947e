"""Files that are read wrongly are not scored in silence; weak models are scored."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import vesica
import weak_models
from checked_files import CORNERS, SMALL, checked, files, made, run
from damages import DAMAGES, boxes_as, damaged, other_images, sound, write
from vesica import InputError

SEEN = [one for one in DAMAGES if one.name != "images as text"]
"""What a score does not take as it is meant."""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


class TestScores:
    """No mistake prints a score in silence."""

    @pytest.mark.parametrize(
        "damage", [one for one in DAMAGES if one.name != "images as text"], ids=lambda one: one.name
    )
    def test_eval(self, capsys, damage):
        truth, results = made("whole" if damage.needs_whole else "plain")
        files(damaged(damage, results, truth), truth)
        code, out, err = run(capsys, "eval", "truth.json", "guess.json")
        if damage.needs_whole:  # a pixel moves a score a little
            assert code == 0 and damage.code in err
            return
        assert code == 3 and out == "" and (damage.code in err or "negative width" in err)
        if damage.code != "negative-size":
            assert "vesica check guess.json --against truth.json --fix guess_fixed.json" in err and "--as-is" in err

    @pytest.mark.parametrize("name", ["corners", "shares", "letterbox", "categories one more"])
    def test_evaluate(self, name):
        truth, results = made()
        damage = next(one for one in DAMAGES if one.name == name)
        files(damaged(damage, results, truth))
        with pytest.raises(InputError):
            vesica.evaluate("truth.json", "guess.json")
        if name != "categories one more":
            assert vesica.evaluate("truth.json", "guess.json", check=False)["AP"] < 0.05

    def test_as_is(self, capsys):
        truth, results = made()
        files(damaged(CORNERS, results, truth))
        code, out, _ = run(capsys, "eval", "truth.json", "guess.json", "--quiet", "--json", "--as-is")
        want = vesica.evaluate("truth.json", "guess.json", check=False)["AP"]
        assert code == 0 and json.loads(out)["summary"]["AP"] == want

    def test_another_image_set_is_told(self, capsys):
        truth, results = sound(4, replace(SMALL, images=60))
        files(other_images(results, truth), truth)
        code, _, err = run(capsys, "eval", "truth.json", "guess.json")
        assert code == 0 and "images-wrong-set" in err

    @pytest.mark.parametrize("name", ["boxes_anywhere", "right_boxes_of_one_kind", "far_off", "nothing"])
    def test_weak_models_are_scored(self, capsys, name):
        truth, _ = made()
        files(weak_models.guesses(name, truth, 1))
        assert run(capsys, "eval", "truth.json", "guess.json", "--quiet")[0] == 0
        vesica.evaluate("truth.json", "guess.json")

    def test_a_truth_that_is_wrong(self, capsys):
        truth, results = made()
        rows = boxes_as(lambda x, y, w, h, W, H: (x, y, x + w, y + h))(truth["annotations"], truth)
        files(results, {**truth, "annotations": rows})
        code, _, err = run(capsys, "eval", "truth.json", "guess.json")
        assert code == 3 and "`bbox` in truth.json reads as xyxy" in err
        assert "vesica check truth.json --against guess.json" in err

    def test_classes_that_do_not_matter(self, capsys):
        truth, results = made("contiguous")
        rows = [{**one, "category_id": one["category_id"] - 1} for one in results if one["category_id"] > 1]
        files(rows, truth)
        assert run(capsys, "eval", "truth.json", "guess.json", "--quiet")[0] == 3
        assert run(capsys, "eval", "truth.json", "guess.json", "--quiet", "--class-agnostic")[0] == 0
        assert vesica.evaluate("truth.json", "guess.json", by_class=False)["AP"] > 0.2

    def test_masks_do_not_ask_boxes(self, capsys):
        """Where masks are compared and found, boxes may be whatever they are."""
        truth, _ = made()

        def square(row):
            x, y, w, h = row["bbox"]
            return {**row, "segmentation": [[x, y, x + w, y, x + w, y + h, x, y + h]]}

        rows = [{**square(one), "score": 0.5} for one in truth["annotations"]]
        masks = {**truth, "annotations": [square(one) for one in truth["annotations"]]}
        files(boxes_as(lambda x, y, w, h, W, H: (x, y, x + w, y + h))(rows, truth), masks)
        code, out, _ = run(capsys, "eval", "truth.json", "guess.json", "--regions", "mask", "--quiet", "--json")
        assert code == 0 and json.loads(out)["summary"]["AP"] > 0.99
        assert run(capsys, "eval", "truth.json", "guess.json", "--quiet")[0] == 3

    def test_masks_alone(self):
        """Results without a box: those around their masks tell of ids."""
        truth, results = made("contiguous")

        def as_mask(row):
            x, y, w, h = row["bbox"]
            outline = [[x, y, x + w, y, x + w, y + h, x, y + h]]
            return {key: value for key, value in row.items() if key != "bbox"} | {"segmentation": outline}

        rows = [as_mask({**one, "category_id": one["category_id"] - 1}) for one in results if one["category_id"] > 1]
        (one,) = checked(rows, truth).errors
        assert one.repair == "categories=+1"

    def test_quirks_are_those_of_the_tool(self):
        truth, results = made()
        files(damaged(CORNERS, results, truth))
        assert vesica.evaluate("truth.json", "guess.json", quirks="pycocotools")["AP"] < 0.05

    def test_agree(self, capsys):
        truth, _ = made()
        write(Path("ann.json"), truth)
        rows = boxes_as(lambda x, y, w, h, W, H: (x / W, y / H, w / W, h / H))(truth["annotations"], truth)
        write(Path("ben.json"), {**truth, "annotations": [{**one, "area": 1} for one in rows]})
        code, _, err = run(capsys, "agree", "ann.json", "ben.json", "--quiet")
        assert code == 3 and "boxes-normalised" in err and "ben.json" in err
        assert run(capsys, "agree", "ann.json", "ben.json", "--quiet", "--as-is")[0] == 0


class TestLabels:
    """Label maps whose labels are moved by one."""

    def maps(self, seed=0, labels=6):
        rng = np.random.default_rng(seed)
        truth = np.kron(rng.integers(1, labels, (8, 9)), np.ones((10, 10), np.int64)).astype(np.uint8)
        noise = rng.random(truth.shape) < 0.2
        return truth, np.where(noise, rng.integers(1, labels, truth.shape), truth).astype(np.uint8)

    def scored(self, capsys, truth, guess, *words):
        np.save("truth.npy", truth)
        np.save("guess.npy", guess)
        return run(capsys, "seg", "truth.npy", "guess.npy", "--quiet", "--json", *words)

    @pytest.mark.parametrize("step, word", [(1, "one more"), (-1, "one less")])
    def test_shifted(self, capsys, step, word):
        truth, guess = self.maps()
        moved = (guess.astype(np.int64) + step).astype(np.uint8)
        code, out, _ = self.scored(capsys, truth, moved)
        said = json.loads(out)["error"]
        assert code == 3 and f"labels-shifted (error, likely): Labels of the guess are {word} than" in said
        assert self.scored(capsys, truth, moved, "--as-is")[0] == 0

    def test_sound(self, capsys):
        assert self.scored(capsys, *self.maps())[0] == 0

    def test_of_one_class(self, capsys):
        """A map that is of one class everywhere agrees with another one by chance."""
        truth = np.full((40, 40), 3, np.uint8)
        truth[:3] = np.arange(40) % 8
        assert self.scored(capsys, truth, np.full((40, 40), 2, np.uint8))[0] == 0
