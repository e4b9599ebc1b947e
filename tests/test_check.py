"""`vesica.check`: every rule, by a file that breaks it."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import vesica
import weak_models
from checked_files import CORNERS, SMALL, checked, files, made, run, wrong
from damages import boxes_as, damaged, ids_as, in_frame, other_images, sound, write
from vesica import InputError


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


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

    def test_corners_where_yolo_has_centres(self, capsys):
        truth, results = made()
        Path("labels").mkdir()
        for image in truth["images"]:
            own = boxes_as(lambda x, y, w, h, W, H: (x / W, y / H, w / W, h / H))(
                [one for one in results if one["image_id"] == image["id"]], truth
            )
            lines = [" ".join(map(str, (one["category_id"], *one["bbox"], one["score"]))) for one in own]
            Path("labels", f"{image['id']}.txt").write_text("\n".join(lines))
        write(Path("truth.json"), truth)
        words = ("--against", "truth.json", "--columns", "class box score", "--quiet")
        code, out, _ = run(capsys, "check", "labels", *words)
        assert code == 3 and "`boxes` in labels reads as xywh, not cxcywh" in out

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
        truth, results = made()
        (one,) = checked([{**one, "category_id": 9000 + one["category_id"] ** 2} for one in results]).errors
        assert one.code == "categories-permuted" and one.evidence["map"]["9001"] == "kind 1"  # boxes tell
        nowhere = weak_models.guesses("boxes_anywhere", truth, 0)
        (one,) = checked([{**one, "category_id": 9000 + one["category_id"] ** 2} for one in nowhere]).errors
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
