"""Ways of damaging a file: each is named and repaired, and no sound file is called wrong."""

import functools
import json
from dataclasses import replace
from pathlib import Path

import pytest

import vesica
import weak_models
from checked_files import CORNERS, STYLES, checked, files, made, wrong
from damages import DAMAGES, boxes_as, damaged, ids_as, sound, write
from vesica import Dataset

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def _fit_for(damage, style):
    """Pixels that are counted otherwise are told by edges of whole numbers at the border, and by nothing else."""
    return replace(style, digits=0, images=45, unclipped=False) if damage.needs_whole else style


PAIRS = [
    pytest.param(damage, _fit_for(damage, style), id=f"{damage.name}, {name}")
    for damage in DAMAGES
    for name, style in STYLES.items()
    if not (damage.name == "categories by position" and name == "from 0")  # where it changes nothing
]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def repaired(damage, style, seed):
    truth, results = made(style, seed)
    against, score = sound_score(style, seed)
    Path("truth.json").write_text(against)
    guess = write(Path("guess.json"), damaged(damage, results, truth))
    found = vesica.check(guess, against="truth.json")
    assert wrong(found) == [damage.code], str(found)
    found.fix("fixed.json")
    assert vesica.evaluate("truth.json", "fixed.json").stats.tobytes() == score
    assert not wrong(vesica.check("fixed.json", against="truth.json"))


@functools.cache
def sound_score(style, seed):
    """The text of a truth, and what the file before the damage scores: the same for every damage."""
    guess, against = files(style=style, seed=seed)
    return against.read_text(), vesica.evaluate(against, guess).stats.tobytes()


@functools.cache
def truth_of(seed, style):
    """A truth that every weak model is held against, and its text."""
    truth = sound(seed, STYLES[style])[0]
    return truth, json.dumps(truth)


class TestDamages:
    """Each way of damaging a file is named, and `fix` gives the score back to the byte."""

    @pytest.mark.parametrize("damage", DAMAGES, ids=lambda one: one.name)
    def test_is_named_and_repaired(self, damage):
        repaired(damage, "whole" if damage.needs_whole else "plain", 0)

    @pytest.mark.slow
    @pytest.mark.parametrize("damage, style", PAIRS)
    def test_in_ten_files(self, damage, style):
        repaired(damage, style, 3)

    def test_there_are_fourteen_and_ten(self):
        assert len({one.name for one in DAMAGES}) >= 14 and len(STYLES) >= 10

    def test_two_at_once(self):
        truth, results = made()
        shifted = ids_as("category_id", lambda one, _: one + 1)(damaged(CORNERS, results, truth), truth)
        found = checked(shifted)
        assert set(wrong(found)) == {"boxes-layout", "categories-shifted"}
        found.fix("fixed.json")
        assert (
            vesica.evaluate("truth.json", "fixed.json")["AP"]
            == vesica.evaluate("truth.json", write(Path("sound.json"), results))["AP"]
        )

    def test_one_behind_the_other(self):
        """Corners of pixels that are counted from 1, as VOC has them: the second shows once the first is repaired."""
        truth, results = made("whole")
        voc = boxes_as(lambda x, y, w, h, W, H: (x + 1, y + 1, x + w, y + h))(results, truth)
        found = checked(voc, truth)
        assert found.codes == ("boxes-layout",)
        written = found.fix("fixed.json")
        assert [one.assumed for one in written.changes] == ["boxes=xyxy", "boxes=one-based"]
        assert [one["bbox"] for one in json.loads(Path("fixed.json").read_text())] == [one["bbox"] for one in results]


class TestNoAlarm:
    """A sound file is not called wrong, whatever its model has learned."""

    @pytest.mark.parametrize("style", STYLES)
    def test_sound(self, style):
        found = checked(style=style, seed=1)
        assert not wrong(found), str(found)
        assert not wrong(vesica.check("truth.json")) and not wrong(vesica.check("guess.json"))

    @pytest.mark.slow
    @pytest.mark.parametrize("style", STYLES)
    def test_two_hundred_sound_files(self, style):
        for seed in range(20):
            truth, results = sound(1000 + seed, STYLES[style])
            found = checked(results, truth)
            assert not wrong(found), str(found)

    @pytest.mark.parametrize("name", weak_models.KINDS)
    def test_weak_models(self, name):
        truth, _ = made()
        found = checked(weak_models.guesses(name, truth, 0))
        assert not wrong(found), str(found)

    @pytest.mark.slow
    @pytest.mark.parametrize("name", weak_models.KINDS)
    @pytest.mark.parametrize("style", STYLES)
    def test_weak_models_of_all_styles(self, name, style):
        for seed in range(2):
            truth, text = truth_of(2000 + seed, style)
            Path("truth.json").write_text(text)
            found = vesica.check(
                write(Path("guess.json"), weak_models.guesses(name, truth, seed)), against="truth.json"
            )
            assert not wrong(found), str(found)

    def test_few_boxes(self):
        """A toy file says nothing, whatever its numbers are."""
        truth = Dataset.from_arrays([[0, 0, 1, 1], [0.2, 0.2, 0.6, 0.7]], image=[1, 1], sizes=(80, 80))
        guess = Dataset.from_arrays([[0, 0, 1, 1]], image=[1], score=[0.5])
        assert not vesica.check(guess, against=truth) and not vesica.check(truth)

    def test_nothing(self):
        assert checked([]).codes == ()
        assert checked([], {"images": [], "annotations": [], "categories": []}).codes == ()


@pytest.mark.skipif(not DATA.is_dir(), reason="the folder shared/data lies not beside the repository")
class TestRealFiles:
    @pytest.mark.parametrize(
        "path, truth",
        [
            ("coco100/instances_val2014_100.json", None),
            ("coco100/instances_val2014_fakebbox100_results.json", "coco100/instances_val2014_100.json"),
            ("coco100/instances_val2014_fakesegm100_results.json", "coco100/instances_val2014_100.json"),
            ("coco100/area_is_box/cocoapi_results.json", None),
            ("lvis100/lvis_val_100.json", None),
            ("coco_mini/instances_val2017.json", None),
            ("voc/formats/truth/pascalvoc_format", None),
            ("voc/formats/truth/imagenet_format", None),
        ],
    )
    def test_no_alarm(self, path, truth):
        found = vesica.check(DATA / path, against=None if truth is None else DATA / truth)
        assert not wrong(found), str(found)

    @pytest.mark.slow
    @pytest.mark.parametrize("damage", [one for one in DAMAGES if not one.needs_whole], ids=lambda one: one.name)
    def test_damaged(self, damage):
        truth = json.loads((DATA / "coco100/instances_val2014_100.json").read_text())
        results = json.loads((DATA / "coco100/instances_val2014_fakebbox100_results.json").read_text())
        found = checked(damaged(damage, results, truth), truth)
        assert wrong(found) == [damage.code], str(found)
        found.fix("fixed.json")
        want = vesica.evaluate("truth.json", write(Path("sound.json"), results)).stats
        assert vesica.evaluate("truth.json", "fixed.json").stats.tobytes() == want.tobytes()

    @pytest.mark.parametrize("name", ["cvat_format", "coco_format_v1", "coco_format_v2"])
    def test_voc_pixels_in_other_formats(self, name):
        """Converters copied the numbers of VOC, which counts from 1: 31 boxes begin there, and none at 0."""
        found = vesica.check(DATA / "voc/formats/truth" / name)
        one = next(one for one in found if one.code == "pixels-one-based")
        assert one.evidence["low_at_0"] == 0 and one.evidence["low_at_1"] == 31 and one.evidence["high_at_end"] == 81

    def test_areas_of_end_pixels(self):
        found = vesica.check(DATA / "voc/formats/guess/coco_format/coco_dets.json")
        assert found.codes[0] == "boxes-inclusive"
