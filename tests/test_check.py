"""`vesica.check` and `vesica check`: every mistake is named and repaired, and no sound file is called wrong."""

import json
import os
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
import weak_models
from damages import DAMAGES, Style, boxes_as, damaged, ids_as, in_frame, other_images, sound, write
from vesica import Dataset, InputError
from vesica.cli import main
from vesica.io.coco_rewrite import with_numbers
from vesica.io.json_spans import span_of

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SMALL = Style(images=35)
WHOLE = replace(SMALL, digits=0, images=60)
STYLES = {
    "plain": SMALL,
    "whole": WHOLE,
    "few kinds": replace(SMALL, categories=(1, 2, 3)),
    "contiguous": replace(SMALL, categories=tuple(range(1, 31)), first_image=1, step=1),
    "from 0": replace(SMALL, categories=tuple(range(12)), first_image=0, step=1),
    "all digits": replace(SMALL, digits=None),
    "not clipped": replace(SMALL, unclipped=True, images=50),
    "poor": replace(SMALL, recall=0.4, jitter=0.12, images=60),
    "one size": replace(SMALL, sizes=((480, 640),)),
    "large": replace(SMALL, sizes=((1080, 1920),)),
}
CORNERS = next(one for one in DAMAGES if one.name == "corners")
SEEN = [one for one in DAMAGES if one.name != "images as text"]
"""What a score does not take as it is meant."""
VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=5,
)


def _fit_for(damage, style):
    """Pixels that are counted otherwise are told by edges of whole numbers at the border, and by nothing else."""
    return replace(style, digits=0, images=60, unclipped=False) if damage.needs_whole else style


PAIRS = [
    pytest.param(damage, _fit_for(damage, style), id=f"{damage.name}, {name}")
    for damage in DAMAGES
    for name, style in STYLES.items()
    if not (damage.name == "categories by position" and name == "from 0")  # where it changes nothing
]


@cache
def made(style="plain", seed=0):
    return sound(seed, STYLES[style] if isinstance(style, str) else style)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def files(results=None, truth=None, style="plain", seed=0):
    """A truth and results on disk, sound ones unless given."""
    own_truth, own = made(style, seed)
    return write(Path("guess.json"), own if results is None else results), write(
        Path("truth.json"), own_truth if truth is None else truth
    )


def checked(results=None, truth=None, **options):
    guess, against = files(results, truth, **options)
    return vesica.check(guess, against=against)


def wrong(diagnosis):
    """What is no note."""
    return [one.code for one in diagnosis if one.severity != "note"]


def run(capsys, *words):
    try:
        code = main(list(words))
    except SystemExit as leaving:
        code = leaving.code
    out, err = capsys.readouterr()
    return code, out, err


def repaired(damage, style, seed):
    truth, results = made(style, seed)
    guess, against = files(damaged(damage, results, truth), truth)
    found = vesica.check(guess, against=against)
    assert wrong(found) == [damage.code], str(found)
    found.fix("fixed.json")
    sound_score = vesica.evaluate(against, write(Path("sound.json"), results)).stats
    assert vesica.evaluate(against, "fixed.json").stats.tobytes() == sound_score.tobytes()
    assert not wrong(vesica.check("fixed.json", against=against))


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
        for seed in range(3):
            truth, _ = sound(2000 + seed, STYLES[style])
            found = checked(weak_models.guesses(name, truth, seed), truth)
            assert not wrong(found), str(found)

    def test_few_boxes(self):
        """A toy file says nothing, whatever its numbers are."""
        truth = Dataset.from_arrays([[0, 0, 1, 1], [0.2, 0.2, 0.6, 0.7]], image=[1, 1], sizes=(80, 80))
        guess = Dataset.from_arrays([[0, 0, 1, 1]], image=[1], score=[0.5])
        assert not vesica.check(guess, against=truth) and not vesica.check(truth)

    def test_nothing(self):
        assert checked([]).codes == ()
        assert checked([], {"images": [], "annotations": [], "categories": []}).codes == ()


@pytest.mark.skipif(not DATA.exists(), reason="no shared data here")
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


class TestBoxes:
    def test_corners_by_one_file(self):
        truth, _ = made()
        rows = boxes_as(lambda x, y, w, h, W, H: (x, y, x + w, y + h))(truth["annotations"], truth)
        bare = [{key: value for key, value in row.items() if key != "area"} for row in rows]
        found = vesica.check(write(Path("truth.json"), {**truth, "annotations": bare}))
        (one,) = found.errors
        assert (one.code, one.confidence, one.repair) == ("boxes-layout", "certain", "boxes=xyxy")
        assert one.evidence["leave"] == 0 and one.evidence["leave_given"] > 0.5

    def test_corners_by_area(self):
        """Without sizes of images, `area` tells."""
        truth, _ = made()
        rows = boxes_as(lambda x, y, w, h, W, H: (x, y, x + w, y + h))(truth["annotations"], truth)
        images = [{"id": one["id"]} for one in truth["images"]]
        found = vesica.check(write(Path("truth.json"), {**truth, "annotations": rows, "images": images}))
        assert [one.code for one in found.errors] == ["boxes-layout"]
        found.fix("fixed.json")
        fixed = json.loads(Path("fixed.json").read_text())["annotations"]
        assert [one["bbox"] for one in fixed] == [one["bbox"] for one in truth["annotations"]]

    def test_corners_by_two_files_alone(self):
        """Where no image has a size, hits tell."""
        truth, results = made()
        images = [{"id": one["id"]} for one in truth["images"]]
        found = checked(damaged(CORNERS, results, truth), {**truth, "images": images})
        (one,) = found.errors
        assert (one.code, one.confidence) == ("boxes-layout", "likely") and one.evidence["wins"] > 50

    def test_shares_by_one_file(self):
        truth, results = made()
        shares = boxes_as(lambda x, y, w, h, W, H: (x / W, y / H, w / W, h / H))(results, truth)
        (one,) = vesica.check(write(Path("guess.json"), shares)).errors
        assert (one.code, one.confidence, one.repair) == ("boxes-normalised", "certain", "boxes=xywh-shares")

    def test_pixels_where_shares_are_declared(self):
        """YOLO's numbers are shares; a strict reader says so of the first line that is far from one."""
        truth, results = made("whole")
        Path("labels").mkdir()
        for image in truth["images"]:
            own = [one for one in results if one["image_id"] == image["id"]]
            lines = [" ".join(map(str, (one["category_id"], *one["bbox"], one["score"]))) for one in own]
            Path("labels", f"{image['id']}.txt").write_text("\n".join(lines))
        write(Path("truth.json"), truth)
        with pytest.raises(InputError, match='shares of the image, from 0 to 1.*boxes="xywh"'):
            vesica.check("labels", against="truth.json")

    def test_swapped_axes_of_squares_need_a_truth(self):
        truth, results = sound(5, replace(SMALL, sizes=((500, 500),)))
        turned = boxes_as(lambda x, y, w, h, W, H: (y, x, h, w))(results, truth)
        assert wrong(checked(turned, truth)) == ["axes-swapped"]

    @pytest.mark.parametrize("kind", ["letterbox", "corner", "stretch"])
    @pytest.mark.parametrize("side", [320, 640, 1280])
    def test_frames(self, kind, side):
        truth, results = made()
        (one,) = checked(in_frame(kind, side)(results, truth)).errors
        assert (one.code, one.evidence["frame"], one.evidence["side"]) == ("frame-letterbox", kind, side)

    def test_one_based_that_keeps_sizes(self):
        truth, results = made("whole")
        moved = boxes_as(lambda x, y, w, h, W, H: (x + 1, y + 1, w, h))(results, truth)
        (one,) = checked(moved, truth).warnings
        assert one.repair == "boxes=moved-by-one"

    def test_inclusive_by_area(self):
        truth, _ = made()
        rows = [
            {**one, "bbox": [*one["bbox"][:2], one["bbox"][2] - 1, one["bbox"][3] - 1]} for one in truth["annotations"]
        ]
        found = vesica.check(write(Path("truth.json"), {**truth, "annotations": rows}))
        assert found.codes == ("boxes-inclusive",) and found.findings[0].repair == "boxes=inclusive"

    def test_inclusive_is_not_guessed_from_pairs(self):
        """Boxes that are a pixel short, and not whole numbers: detectors differ by more."""
        truth, results = made()
        assert not wrong(checked(boxes_as(lambda x, y, w, h, W, H: (x, y, w - 1, h - 1))(results, truth)))

    def test_rows(self):
        _, results = made()
        rows = [dict(one) for one in results]
        rows[3]["bbox"], rows[5]["bbox"] = [5, 5, 0, 4], [1, 1, 9000, 5]
        found = {one.code: one for one in checked(rows)}
        assert {code: one.severity for code, one in found.items()} == {"outside-image": "note", "empty-region": "note"}
        assert "row 3" in found["empty-region"].text and "row 5" in found["outside-image"].text

    def test_numbers_that_are_none(self):
        truth, results = made()
        Path("truth.json").write_text(json.dumps(truth))
        Path("guess.json").write_text(json.dumps([{**results[0], "bbox": [1, 2, float("nan"), 4]}, *results[1:]]))
        (one,) = vesica.check("guess.json", against="truth.json").errors
        assert one.code == "not-finite" and "row 0" in one.text

    def test_area_of_the_box(self):
        truth, _ = made()
        rows = [{**one, "area": one["area"] * (3 if k % 10 == 0 else 1)} for k, one in enumerate(truth["annotations"])]
        found = vesica.check(write(Path("wide.json"), {**truth, "annotations": rows}))
        assert found.codes == ("area-mismatch",) and found.warnings
        found.fix("fixed.json")
        fixed = json.loads(Path("fixed.json").read_text())["annotations"]
        assert [one["area"] for one in fixed] == pytest.approx([one["area"] for one in truth["annotations"]])
        assert not vesica.check("fixed.json")

    def test_area_of_the_mask(self):
        truth, _ = made()

        def triangle(x, y, w, h):
            return [[x, y, x + w, y, x, y + h]]

        rows = [{**one, "segmentation": triangle(*one["bbox"])} for one in truth["annotations"]]
        found = vesica.check(write(Path("wide.json"), {**truth, "annotations": rows}))
        assert found.codes == ("area-mismatch",) and "mask" in found.findings[0].text
        found.fix("fixed.json")
        assert not vesica.check("fixed.json")

    def test_empty_segmentations_are_no_masks(self):
        truth, _ = made()
        rows = [{**one, "segmentation": []} for one in truth["annotations"]]
        assert not vesica.check(write(Path("t.json"), {**truth, "annotations": rows}))

    @pytest.mark.parametrize("header, code", [("x1,y1,x2,y2", "boxes-layout"), ("x,y,w,h", None)])
    def test_csv(self, header, code):
        """Sizes under the names of corners."""
        truth, results = made()
        lines = [f"image,class,score,{header}"]
        names = {one["id"]: one["name"] for one in truth["categories"]}
        for one in results:
            lines.append(",".join(map(str, (one["image_id"], names[one["category_id"]], one["score"], *one["bbox"]))))
        Path("guess.csv").write_text("\n".join(lines))
        found = vesica.check("guess.csv", against=write(Path("truth.json"), truth))
        assert [one.code for one in found.errors] == ([] if code is None else [code])
        with pytest.raises(InputError, match="Only files of COCO .* CSV"):
            found.fix("fixed.csv")

    @pytest.mark.parametrize("first", [0, 1])
    def test_voc_counts_from_1(self, first):
        """Files of VOC whose writer counts from 0."""
        pytest.importorskip("defusedxml")
        truth, _ = made("whole")
        Path("voc").mkdir()
        for image in truth["images"]:
            own = [one["bbox"] for one in truth["annotations"] if one["image_id"] == image["id"]]
            rows = "".join(
                f"<object><name>cat</name><bndbox><xmin>{x + first}</xmin><ymin>{y + first}</ymin>"
                f"<xmax>{x + w - 1 + first}</xmax><ymax>{y + h - 1 + first}</ymax></bndbox></object>"
                for x, y, w, h in own
            )
            size = f"<size><width>{image['width']}</width><height>{image['height']}</height></size>"
            Path("voc", f"{image['id']}.xml").write_text(f"<annotation>{size}{rows}</annotation>")
        assert wrong(vesica.check("voc")) == ([] if first else ["pixels-zero-based"])

    def test_sizes_that_the_caller_knows(self):
        truth, results = sound(5, replace(SMALL, sizes=((480, 640),)))
        write(Path("guess.json"), damaged(CORNERS, results, truth))
        assert not vesica.check("guess.json").errors
        (one,) = vesica.check("guess.json", sizes=(480, 640)).errors
        assert (one.code, one.confidence) == ("boxes-layout", "certain")


class TestCategories:
    def test_names_decide(self):
        """Other ids under the same names are no mistake."""
        truth, results = made()
        ids = {one["id"]: 7 + 3 * k for k, one in enumerate(truth["categories"])}
        named = [{"id": ids[one["id"]], "name": one["name"]} for one in truth["categories"]]
        rows = [{**one, "id": k + 1, "category_id": ids[one["category_id"]]} for k, one in enumerate(results)]
        guess = vesica.read(
            write(Path("g.json"), {"images": truth["images"], "categories": named, "annotations": rows})
        )
        guess = replace(guess, score=np.array([one["score"] for one in results]))
        assert not wrong(vesica.check(guess, against=write(Path("truth.json"), truth)))

    def test_inside_under_one_numbering(self):
        truth, results = made("few kinds")
        found = checked(ids_as("category_id", lambda one, _: one - 1)(results, truth), truth)
        (one,) = found.errors
        assert (one.code, one.confidence, one.repair) == ("categories-shifted", "certain", "categories=+1")

    def test_by_hits_alone(self):
        """All ids are known as they are, so that boxes alone tell."""
        truth, results = made("contiguous")
        rows = [{**one, "category_id": one["category_id"] - 1} for one in results if one["category_id"] > 1]
        (one,) = checked(rows, truth).errors
        assert (one.code, one.confidence, one.repair) == ("categories-shifted", "likely", "categories=+1")

    def test_as_text(self):
        truth, results = made()
        (one,) = checked(ids_as("category_id", lambda one, _: str(one))(results, truth)).errors
        assert one.repair == "categories=number"

    def test_unknown(self):
        _, results = made()
        rows = [*results, *({**one, "category_id": 9000} for one in results[:5])]
        (one,) = checked(rows)
        assert (one.code, one.severity, one.evidence["categories"]) == ("categories-unknown", "note", {"9000": 5})

    def test_all_unknown(self):
        _, results = made()
        (one,) = checked([{**one, "category_id": 9000 + one["category_id"] ** 2} for one in results]).errors
        assert one.code == "categories-unknown" and not one.repairs

    def test_another_order(self):
        """The same categories, listed otherwise: each guess says a name, and boxes tell whose it is."""
        truth, results = made("from 0")
        ids = [one["id"] for one in truth["categories"]]
        other = dict(zip(ids, np.random.default_rng(1).permutation(ids).tolist(), strict=True))
        (one,) = checked([{**row, "category_id": other[row["category_id"]]} for row in results], truth).errors
        back = {str(other[k]): f"kind {k}" for k in ids}
        assert one.code == "categories-permuted" and len(one.evidence["map"]) >= 3
        assert one.evidence["map"].items() <= back.items()

    def test_one_name_for_all(self):
        """A model that calls everything by the name next to the most frequent one is weak."""
        truth, results = made("contiguous")
        assert not wrong(checked([{**one, "category_id": 2} for one in results], truth))


class TestImages:
    def test_some_unknown(self):
        _, results = made()
        (one,) = checked([*results, {**results[0], "image_id": 5}])
        assert (one.code, one.severity) == ("images-unknown", "warning") and "5" in one.text

    def test_most_unknown(self):
        _, results = made()
        rows = [{**one, "image_id": one["image_id"] * 1000 + 7} if k % 5 else one for k, one in enumerate(results)]
        assert [one.code for one in checked(rows).errors] == ["images-unknown"]

    @pytest.mark.parametrize("text", ["{}", "{:012d}", "val/{:012d}.jpg"])
    def test_text(self, text):
        truth, results = made()
        named = [{**one, "file_name": f"{one['id']:012d}.jpg"} for one in truth["images"]]
        rows = ids_as("image_id", lambda one, _: text.format(one))(results, truth)
        found = checked(rows, {**truth, "images": named})
        assert [(one.code, one.severity) for one in found] == [("images-unknown", "warning")]
        found.fix("fixed.json")
        assert json.loads(Path("fixed.json").read_text()) == results

    def test_shifted_where_all_are_known(self):
        """Ids without gaps: each guess is in the image before its own."""
        truth, results = made("contiguous")
        last = truth["images"][-1]["id"]
        rows = [{**one, "image_id": one["image_id"] + 1} for one in results if one["image_id"] < last]
        (one,) = checked(rows, truth).errors
        assert (one.code, one.repair) == ("images-shifted", "images=-1")

    def test_another_set(self):
        """Nobody can tell it from a model that has learned nothing, so that it is a note."""
        truth, results = sound(4, replace(SMALL, images=60))
        found = checked(other_images(results, truth), truth)
        one = next(one for one in found if one.code == "images-wrong-set")
        assert not wrong(found) and one.severity == "note" and "untrained" in one.text


class TestRows:
    def test_score_missing(self):
        _, results = made()
        rows = [{key: value for key, value in one.items() if key != "score" or k} for k, one in enumerate(results)]
        (one,) = checked(rows).errors
        assert one.code == "score-missing" and one.evidence["rows"] == 1 and "row 0" in one.text

    def test_no_score_at_all(self):
        _, results = made()
        rows = [{key: value for key, value in one.items() if key != "score"} for one in results]
        assert [one.code for one in checked(rows).errors] == ["score-missing"]

    @pytest.mark.parametrize("make, code", [(lambda s: 0.5, "scores-equal"), (lambda s: 100 * s, "scores-above-1")])
    def test_odd_scores(self, make, code):
        _, results = made()
        (one,) = checked([{**row, "score": make(row["score"])} for row in results])
        assert (one.code, one.severity) == (code, "note")

    def test_ids_twice(self):
        truth, _ = made()
        rows = [*truth["annotations"], {**truth["annotations"][0], "bbox": [1, 1, 5, 5], "area": 25}]
        found = vesica.check(write(Path("twice.json"), {**truth, "annotations": rows}))
        assert [(one.code, one.severity) for one in found] == [("ids-duplicate", "error")]
        found.fix("fixed.json")
        ids = [one["id"] for one in json.loads(Path("fixed.json").read_text())["annotations"]]
        assert len(set(ids)) == len(ids) and ids[:-1] == [one["id"] for one in truth["annotations"]]

    def test_equal_rows_twice(self):
        truth, _ = made()
        rows = [*truth["annotations"], truth["annotations"][0]]
        found = vesica.check(write(Path("twice.json"), {**truth, "annotations": rows}))
        assert [(one.code, one.severity) for one in found] == [("ids-duplicate", "warning")]

    @pytest.mark.parametrize("table", ["images", "categories"])
    def test_ids_of_tables_twice(self, table):
        truth, _ = made()
        (one,) = vesica.check(write(Path("twice.json"), {**truth, table: [*truth[table], truth[table][0]]})).errors
        assert one.code == "ids-duplicate" and truth[table][0]["id"] is not None

    def test_names_twice(self):
        truth, _ = made()
        kinds = [{**one, "name": "cat"} if k < 2 else one for k, one in enumerate(truth["categories"])]
        (one,) = vesica.check(write(Path("twice.json"), {**truth, "categories": kinds})).errors
        assert one.code == "ids-duplicate" and "'cat'" in one.text

    def test_id_0_is_legal(self):
        truth, _ = made("from 0")
        rows = [{**one, "id": k} for k, one in enumerate(truth["annotations"])]
        assert not vesica.check(write(Path("t.json"), {**truth, "annotations": rows}))

    def test_unknown_in_its_own_file(self):
        truth, _ = made()
        rows = [{**truth["annotations"][0], "image_id": 5}, {**truth["annotations"][1], "category_id": 7000}]
        found = vesica.check(write(Path("t.json"), {**truth, "annotations": [*rows, *truth["annotations"][2:]]}))
        assert [one.code for one in found.errors] == ["images-unknown", "categories-unknown"]


class TestFix:
    ODD = (
        '[ {"image_id":%d , "note":"a \\"bbox\\": [1] \\u00e9","bbox" : [1.50e1,  20.0, 55 ,70.25],"score":5e-1, '
        '"category_id":1},\n{"score":0.25,"bbox":[10,10,40,60],"x":{"bbox":[0,0]},"image_id":%d,"category_id": 1}\t]\n'
    )

    def test_all_else_stays_byte_for_byte(self):
        truth, _ = made()
        first = truth["images"][0]["id"]
        Path("guess.json").write_text(self.ODD % (first, first))
        found = vesica.check("guess.json", against=write(Path("truth.json"), truth))
        found.fix("fixed.json", assume="boxes=xyxy")
        want = (self.ODD % (first, first)).replace("55 ,70.25", "40 ,50.25").replace("40,60]", "30,50]")
        assert Path("fixed.json").read_text() == want

    def test_input_stays(self, capsys):
        truth, results = made()
        files(damaged(CORNERS, results, truth))
        before = Path("guess.json").read_bytes()
        for out in ("guess.json", "./guess.json", "truth.json"):
            code, _, err = run(capsys, "check", "guess.json", "--against", "truth.json", "--fix", out)
            assert code == 2 and "must not be FILE" in err
        os.symlink("guess.json", "link.json")
        assert run(capsys, "check", "guess.json", "--against", "truth.json", "--fix", "link.json")[0] == 2
        with pytest.raises(ValueError, match="another one"):
            vesica.check("guess.json", against="truth.json").fix("link.json")
        assert Path("guess.json").read_bytes() == before

    def test_words_and_codes(self, capsys):
        truth, results = made()
        files(damaged(CORNERS, results, truth))
        words = ("check", "guess.json", "--against", "truth.json", "--quiet")
        code, out, err = run(capsys, *words)
        assert (
            code == 3
            and err == ""
            and out.startswith("boxes-layout (error, certain): `bbox` in guess.json reads as xyxy")
        )
        assert out.splitlines()[1] == "    vesica check guess.json --against truth.json --fix guess_fixed.json"
        code, out, err = run(capsys, *words, "--fix", "guess_fixed.json")
        assert code == 0 and err == "" and out.splitlines()[-1] == "Wrote guess_fixed.json."
        assert "boxes=xyxy: " in out and "of guesses lie on a truth before" in out
        code, out, err = run(capsys, "check", "guess_fixed.json", "--against", "truth.json", "--quiet")
        assert code == 0 and "nothing was found" in out

    def test_json(self, capsys):
        truth, results = made()
        files(damaged(CORNERS, results, truth))
        code, out, err = run(
            capsys, "check", "guess.json", "--against", "truth.json", "--json", "--fix", "f.json", "--quiet"
        )
        found = json.loads(out)
        assert code == 0 and err == "" and out.count("\n") == 1
        assert found["findings"][0]["code"] == "boxes-layout" and found["findings"][0]["repairs"] == ["boxes=xyxy"]
        assert found["fixed"]["changes"][0]["assumed"] == "boxes=xyxy" and found["fixed"]["left"] == []
        assert found["fixed"]["changes"][0]["after"] > found["fixed"]["changes"][0]["before"]

    def test_unsure_offers_a_choice(self, capsys):
        """Few images, of which a square in two ways makes the same: nothing is written without a word."""
        truth, results = _unsure()
        files(results, truth)
        code, _, err = run(capsys, "check", "guess.json", "--against", "truth.json", "--fix", "out.json", "--quiet")
        commands = [line.strip() for line in err.splitlines() if line.startswith("    vesica check")]
        assert code == 3 and len(commands) == 2 and not Path("out.json").exists()
        assert all("--assume " in one and "--fix out.json" in one for one in commands)
        run(capsys, *commands[0].split()[1:], "--quiet")
        assert Path("out.json").exists()

    def test_wrong_assumption_is_not_written(self):
        truth, results = made()
        found = checked(damaged(CORNERS, results, truth))
        with pytest.raises(InputError, match="was not written"):
            found.fix("fixed.json", assume="boxes=ordered")
        assert not Path("fixed.json").exists()

    def test_nothing_to_repair(self):
        with pytest.raises(InputError, match="no file was written"):
            checked().fix("fixed.json")
        assert not Path("fixed.json").exists()

    @pytest.mark.parametrize(
        "assume, message",
        [
            ("boxes", "NAME=VALUE"),
            ("box=xyxy", "must be one of"),
            ("boxes=yyxx", "must be xyxy"),
            ("frame=letterbox:big", "letterbox:640"),
            ("frame=round:4", "must be one of"),
            ("categories=+2", "must be one of"),
        ],
    )
    def test_assumptions(self, assume, message):
        with pytest.raises(ValueError, match=message):
            checked().fix("fixed.json", assume=assume)
        assert not Path("fixed.json").exists()

    def test_assume_goes_with_fix(self, capsys):
        files()
        assert run(capsys, "check", "guess.json", "--assume", "boxes=xyxy")[0] == 2

    def test_an_earlier_file_is_replaced_whole(self):
        truth, results = made()
        Path("fixed.json").write_text("earlier")
        checked(damaged(CORNERS, results, truth)).fix("fixed.json")
        assert len(json.loads(Path("fixed.json").read_text())) == len(results)
        assert not [name for name in os.listdir() if name.startswith(".vesica")]

    def test_strict(self, capsys):
        truth, results = made()
        files(ids_as("image_id", lambda one, _: str(one))(results, truth))
        words = ("check", "guess.json", "--against", "truth.json", "--quiet")
        assert run(capsys, *words)[0] == 0 and run(capsys, *words, "--strict")[0] == 3

    def test_packed(self):
        import gzip

        truth, results = made()
        write(Path("truth.json"), truth)
        Path("guess.json.gz").write_bytes(gzip.compress(json.dumps(damaged(CORNERS, results, truth)).encode()))
        vesica.check("guess.json.gz", against="truth.json").fix("fixed.json")
        assert [one["bbox"] for one in json.loads(Path("fixed.json").read_text())] == [one["bbox"] for one in results]


def _unsure():
    """Results that two readings fit: half of the images letterboxed, half at the corner of the same square."""
    truth, results = sound(11, replace(SMALL, images=40, sizes=((480, 640),)))
    half = {one["id"] for one in truth["images"][::2]}
    middle, corner = (in_frame(kind, 416)(results, truth) for kind in ("letterbox", "corner"))
    return truth, [a if one["image_id"] in half else b for one, a, b in zip(results, middle, corner, strict=True)]


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


class TestValue:
    def test_diagnosis(self):
        truth, results = made()
        found = checked(damaged(CORNERS, results, truth))
        assert len(found) == 1 and found.against == "truth.json" and found.name == "guess.json"
        assert repr(found) == "Diagnosis(guess.json: boxes-layout)" and str(found).startswith("boxes-layout (error")
        assert json.loads(found.to_json()) == found.to_dict()
        assert repr(checked()) == "Diagnosis(guess.json: nothing was found)"

    def test_input(self):
        with pytest.raises(TypeError, match="path or a Dataset"):
            vesica.check([1, 2])
        with pytest.raises(InputError, match="cannot be read"):
            vesica.check("nowhere.json")

    def test_data_sets(self):
        guess, truth = files()
        found = vesica.check(vesica.read(guess), against=vesica.read(truth))
        assert not found and found.hits > 0.4
        with pytest.raises(InputError, match="Only files of COCO"):
            found.fix("fixed.json")


class TestSpans:
    @given(st.dictionaries(st.text(max_size=6), VALUES, min_size=1, max_size=5), st.data(), st.booleans())
    def test_is_what_json_reads(self, value, data, ascii):
        """Whatever stands beside it, the text at the span is the value of the key."""
        text = json.dumps(value, ensure_ascii=ascii, indent=data.draw(st.sampled_from([None, 0, 2])))
        key = data.draw(st.sampled_from(sorted(value)))
        begin, end = span_of(text, key)
        assert json.loads(text[begin:end]) == value[key]

    def test_absent(self):
        assert span_of('{"id": 7}', "score") == (0, 0)

    @given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=4, max_size=4), st.integers(0, 3))
    def test_numbers(self, old, place):
        new = [one if k != place else 0.5 for k, one in enumerate(old)]
        text = with_numbers(json.dumps(old), old, new)
        assert json.loads(text) == new
