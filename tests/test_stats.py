"""`vesica stats`: counts and sizes, as somebody counts who has a list and a pencil."""

import json
import statistics
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vesica
from vesica.cli import main
from vesica.dataset.label_stats import label_stats_of
from vesica.dataset.stats import stats_of

AREAS = (("small", 1024.0), ("medium", 9216.0), ("large", float("inf")))
SIDES = st.integers(0, 200)
ROWS = st.lists(
    st.tuples(
        st.integers(0, 4),
        st.sampled_from(["cat", "dog", "cow"]),
        st.integers(0, 200),
        st.integers(0, 200),
        st.booleans(),
    ),
    max_size=25,
)


def run(capsys, *words):
    try:
        code = main(["stats", *words])
    except SystemExit as leaving:
        code = leaving.code
    return code, *capsys.readouterr()


class TestObjects:
    @settings(deadline=None, derandomize=True, max_examples=60)
    @given(ROWS)
    def test_is_what_a_list_says(self, rows):
        data = vesica.Dataset.from_arrays(
            np.array([[0, 0, w, h] for _, _, w, h, _ in rows], float).reshape(-1, 4),
            image=[image for image, *_ in rows],
            category=[kind for _, kind, *_ in rows],
            images=range(5),
            categories=["cat", "dog", "cow", "emu"],
            crowd=[crowd for *_, crowd in rows],
        )
        found = stats_of(data, areas=AREAS)
        areas = [w * h for _, _, w, h, _ in rows]
        each = [sum(image == k for image, *_ in rows) for k in range(5)]
        assert (found["images"], found["objects"], found["categories"]) == (5, len(rows), 4)
        assert found["images_empty"] == each.count(0) and found["crowd"] == sum(crowd for *_, crowd in rows)
        assert found["sizes"] == {
            "small": sum(area < 32**2 for area in areas),
            "medium": sum(32**2 <= area < 96**2 for area in areas),
            "large": sum(area >= 96**2 for area in areas),
        }
        assert found["per_image"]["median"] == statistics.median(each)
        assert (found["per_image"]["min"], found["per_image"]["max"]) == (min(each), max(each))
        ratios = [w / h for _, _, w, h, _ in rows if w and h]
        assert (found["aspect_ratio"] is None) == (not ratios)
        if ratios:
            assert found["aspect_ratio"]["median"] == pytest.approx(statistics.median(ratios))
            assert found["aspect_ratio"]["mean"] == pytest.approx(statistics.fmean(ratios))
        for row in found["classes"]:
            own = [image for image, kind, *_ in rows if kind == row["category"]]
            assert row["objects"] == len(own) and row["images"] == len(set(own))
        assert sum(row["objects"] for row in found["classes"]) == len(rows)

    def test_the_area_of_the_file_goes_before_that_of_the_box(self):
        data = vesica.Dataset.from_arrays([[0, 0, 40, 40]] * 2, image=[1, 1], area=[100, float("nan")])
        assert stats_of(data, areas=AREAS)["sizes"] == {"small": 1, "medium": 1, "large": 0}

    def test_the_area_of_the_mask_goes_before_that_of_the_box(self):
        mask = np.zeros((1, 64, 64), bool)
        mask[0, :60, 0] = mask[0, 0, :60] = True  # an L: few pixels in a large box
        data = vesica.Dataset.from_arrays([[0, 0, 60, 60]], image=[1], masks=mask)
        found = stats_of(data, areas=AREAS)
        assert found["area"]["max"] == mask.sum() and found["objects_with_mask"] == 1

    def test_masks_alone(self):
        data = vesica.Dataset.from_arrays(image=[1], masks=np.ones((1, 4, 5), bool))
        found = stats_of(data, areas=AREAS)
        assert found["area"]["max"] == 20 and found["objects"] == 1

    def test_many_categories_of_many_images(self):
        """Their product is beyond 32 bits."""
        count = 60_000
        data = vesica.Dataset.from_arrays(
            [[0, 0, 4, 4]] * 4,
            image=[0, count - 1, 5, 5],
            category=[count - 1, count - 1, count - 2, 0],
            images=np.arange(count),
            categories=np.arange(count),
        )
        found = {row["id"]: row["images"] for row in stats_of(data)["classes"] if row["images"]}
        assert found == {0: 1, count - 2: 1, count - 1: 2}

    def test_sizes_of_images(self):
        data = vesica.Dataset.from_arrays(
            [], image=[], images=range(4), sizes={0: (480, 640), 1: (480, 640), 2: (100, 50)}
        )
        found = stats_of(data)["image_sizes"]
        assert found["missing"] == 1 and found["different"] == 2
        assert found["most_frequent"][0] == {"width": 640, "height": 480, "images": 2}
        assert found["width"]["min"] == 50 and found["height"]["max"] == 480

    def test_people(self):
        data = vesica.Dataset.from_arrays([[0, 0, 4, 4]] * 3, image=[1] * 3, annotator=["ann", "ben", "ann"])
        assert stats_of(data)["annotators"] == {"ann": 2, "ben": 1}

    def test_nothing(self):
        found = stats_of(vesica.Dataset.from_arrays([], image=[]), areas=AREAS)
        assert found["objects"] == 0 and found["per_image"] is None and found["aspect_ratio"] is None
        json.dumps(found, allow_nan=False)


class TestLabelMaps:
    @settings(deadline=None, derandomize=True, max_examples=40)
    @given(st.lists(st.lists(st.integers(0, 4), min_size=6, max_size=6), max_size=5))
    def test_is_what_a_list_says(self, maps):
        found = label_stats_of(np.array(one, np.uint8).reshape(2, 3) for one in maps)
        every = [label for one in maps for label in one]
        assert found["pixels"] == len(every) and found["images"] == len(maps)
        assert [(row["category"], row["pixels"], row["images"]) for row in found["classes"]] == [
            (str(k), every.count(k), sum(k in one for one in maps)) for k in sorted(set(every))
        ]


TRUTH = {
    "images": [{"id": 1, "width": 64, "height": 48, "file_name": "a.png"}, {"id": 2}],
    "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
    "annotations": [
        {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 20], "area": 200, "iscrowd": 0},
        {"id": 2, "image_id": 1, "category_id": 1, "bbox": [0, 0, 40, 40], "area": 1600, "iscrowd": 1},
    ],
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("truth.json").write_text(json.dumps(TRUTH))
    guess = [{"image_id": 1, "category_id": 2, "bbox": [0, 0, 9, 9], "score": 0.5}]
    Path("guess.json").write_text(json.dumps(guess))


class TestVerb:
    def test_text(self, files, capsys):
        code, out, err = run(capsys, "truth.json")
        rows = dict(line.rsplit("  ", 1) for line in out.splitlines() if "  " in line)
        told = {label.strip(): value.strip() for label, value in rows.items()}
        assert code == 0 and told["images"] == "2" and told["… crowds"] == "1" and told["… medium"] == "1 (50 %)"
        assert told["images without objects"] == "1" and told["image sizes missing"] == "1"
        assert told["image sizes (w×h)"] == "64×48" and told["cat"] == "2" and told["dog"] == "0"
        assert "Read truth.json as COCO truth" in err

    def test_side_by_side(self, files, capsys):
        _, out, _ = run(capsys, "truth.json", "guess.json")
        lines = out.splitlines()
        assert lines[0].split() == ["truth.json", "guess.json"]
        assert ["cat", "2", "–"] in [line.split() for line in lines]  # the guess lists no cat
        assert ["dog", "0", "1"] in [line.split() for line in lines]  # its ids have the names of the truth

    def test_the_same_name_twice(self, files, capsys):
        Path("new").mkdir()
        Path("new/truth.json").write_text(json.dumps(TRUTH))
        found = json.loads(run(capsys, "truth.json", "new/truth.json", "--json")[1])
        assert [one["file"] for one in found["files"]] == ["truth.json", "new/truth.json"]
        assert run(capsys, "truth.json", "truth.json")[0] == 0

    def test_json(self, files, capsys):
        code, out, _ = run(capsys, "truth.json", "--json")
        (found,) = json.loads(out)["files"]
        assert code == 0 and found["format"] == "coco" and found["sizes"] == {"small": 1, "medium": 1, "large": 0}
        assert found["classes"][0] == {"category": "cat", "id": 1, "images": 1, "objects": 2, "share": 1.0}

    @pytest.mark.parametrize("form", ["markdown", "github", "junit", "sarif"])
    def test_other_forms(self, files, capsys, form):
        code, out, _ = run(capsys, "truth.json", "--output", form)
        assert code == 0 and out

    def test_label_maps(self, files, capsys):
        image = pytest.importorskip("PIL.Image")
        Path("maps").mkdir()
        image.fromarray(np.uint8([[0, 0, 1], [1, 1, 2]])).save("maps/a.png")
        code, out, _ = run(capsys, "maps", "--classes", "road,sky", "--json")
        (found,) = json.loads(out)["files"]
        assert code == 0 and [(row["category"], row["pixels"]) for row in found["classes"]] == [
            ("road", 2), ("sky", 3), ("2", 1),
        ]  # fmt: skip
        assert run(capsys, "maps", "truth.json")[0] == 0

    def test_most(self, files, capsys):
        many = TRUTH | {"categories": [{"id": k, "name": f"kind{k}"} for k in range(1, 41)]}
        Path("many.json").write_text(json.dumps(many))
        out = run(capsys, "many.json", "--most", "3")[1]
        assert out.count("\nkind") == 3 + 1 and "37 more categories; --most 0 shows all" in out
        assert run(capsys, "many.json", "--most", "0")[1].count("\nkind") == 40 + 1  # and the row "kind"
        assert run(capsys, "many.json", "--most", "-1")[0] == 2

    def test_hostile_names(self, files, capsys):
        bad = TRUTH | {"categories": [{"id": 1, "name": "\x1b[31m|<b>`\n"}, {"id": 2, "name": "\udc80"}]}
        Path("bad.json").write_text(json.dumps(bad))
        for form in ("text", "json", "markdown", "github", "junit", "sarif"):
            code, out, _ = run(capsys, "bad.json", "--output", form)
            assert code == 0 and "\x1b" not in out, form
            assert "<b>" not in out or form in ("text", "json", "github")

    @pytest.mark.parametrize("words", [["gone.json"], ["truth.json", "gone.json"], ["cut.json"], ["empty.json"]])
    def test_bad_input(self, files, capsys, words):
        Path("cut.json").write_text(json.dumps(TRUTH)[:100])
        Path("empty.json").write_text("")
        code, out, err = run(capsys, *words)
        assert code == 3 and out == "" and words[-1] in err

    def test_options_that_say_nothing(self, files, capsys):
        image = pytest.importorskip("PIL.Image")
        Path("maps").mkdir()
        image.fromarray(np.uint8([[0, 1]])).save("maps/a.png")
        code, _, err = run(capsys, "truth.json", "--classes", "a,b")
        assert code == 2 and "--classes is for folders of label maps" in err
        code, _, err = run(capsys, "maps", "--sizes", "4,4")
        assert code == 2 and "--sizes says nothing about label maps" in err

    def test_standard_input_once(self, files, capsys):
        assert run(capsys, "-", "-")[0] == 2
