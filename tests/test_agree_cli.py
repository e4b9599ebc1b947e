"""`vesica agree`: files of annotators in, tables, gates, a queue and an exit code out."""

import json
from pathlib import Path

import numpy as np
import pytest

import vesica
from samples import drawn
from vesica.cli import main
from vesica.io.png_write import png_of

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
real = pytest.mark.skipif(not DATA.is_dir(), reason="the folder shared/data lies not beside the repository")


def run(capsys, *words):
    try:
        code = main(["agree", *map(str, words)])
    except SystemExit as leaving:
        code = leaving.code
    out, err = capsys.readouterr()
    return code, out, err


def answer(capsys, *words):
    code, out, err = run(capsys, *words, "--json")
    assert code in (0, 1), out + err
    return json.loads(out)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Three annotators of two images: ben misses a dog, cleo calls the cat a dog and was asked for one image alone."""
    monkeypatch.chdir(tmp_path)
    cat, dog = [10, 10, 20, 20], [30, 5, 38, 25]
    write("ann.json", [cat, dog, cat], [1, 1, 2], ["cat", "dog", "cat"], [1, 2])
    write("ben.json", [cat, cat], [1, 2], ["cat", "cat"], [1, 2])
    write("cleo.json", [cat, dog], [1, 1], ["dog", "dog"], [1])
    return tmp_path


def write(path, boxes, image, category, images):
    names = {"cat": 1, "dog": 2}
    data = vesica.Dataset.from_arrays(
        boxes, image=image, category=[names[one] for one in category], images=images, sizes=(40, 50),
        categories={1: "cat", 2: "dog"},
    )  # fmt: skip
    vesica.write(path, data)


class TestFiles:
    def test_one_for_each(self, capsys):
        facts = answer(capsys, "ann.json", "ben.json", "cleo.json")
        assert facts["annotators"] == ["ann", "ben", "cleo"]
        pairs = {(row["annotator_a"], row["annotator_b"]): row for row in facts["pairs"]}
        assert pairs["ann", "ben"]["agreement"] == pytest.approx(2 / 2.5)
        assert pairs["ann", "cleo"]["n_images"] == 1 and pairs["ann", "cleo"]["agreement"] == pytest.approx(1 / 2)
        assert sum(row["share"] for row in facts["ledger"]) == pytest.approx(1 - facts["summary"]["agreement"])

    def test_names(self, capsys):
        assert answer(capsys, "x=ann.json", "y=ben.json")["annotators"] == ["x", "y"]
        assert answer(capsys, "ann.json", "y=ben.json")["annotators"] == ["ann", "y"]
        code, _, err = run(capsys, "ann.json", "ann=ben.json")
        assert code == 3 and "Two annotators are called 'ann'" in err

    def test_one_of_all(self, capsys):
        both = vesica.Dataset.of_annotators({who: vesica.read(f"{who}.json") for who in ("ann", "ben", "cleo")})
        vesica.write("all.json", both)
        vesica.write("all.csv", both)
        wanted = answer(capsys, "ann.json", "ben.json", "cleo.json")
        for words in (["all.json"], ["all.json", "--by-annotator"], ["all.json", "--by-annotator", "annotator"]):
            assert answer(capsys, *words)["pairs"] == wanted["pairs"]
        code, _, err = run(capsys, "all.csv")  # nobody in it saw nothing
        assert code == 3 and "assign" in err
        Path("asked.csv").write_text("image,annotator\n1,ann\n2,ann\n1,ben\n2,ben\n1,cleo\n")
        assert answer(capsys, "all.csv", "--assignments", "asked.csv")["pairs"] == wanted["pairs"]

    @pytest.mark.parametrize(
        "format, ending", [("cvat", ".xml"), ("labelme", ""), ("voc", ""), ("labelstudio", ".json")]
    )
    def test_every_format(self, capsys, format, ending):
        wanted = answer(capsys, "ann.json", "ben.json")["summary"]
        Path("out").mkdir()
        for who in ("ann", "ben"):
            vesica.write(f"out/{who}{ending}", vesica.read(f"{who}.json"), format=format)
        assert answer(capsys, f"out/ann{ending}", f"out/ben{ending}")["summary"] == pytest.approx(wanted)

    def test_classes(self, capsys):
        facts = answer(capsys, "ann.json", "ben.json", "--classes", "cat")
        assert facts["summary"]["agreement"] == 1
        code, _, err = run(capsys, "ann.json", "ben.json", "--classes", "cow")
        assert code == 3 and "there is no class 'cow'; there are cat, dog" in err

    def test_a_file_with_scores(self, capsys):
        guess = vesica.Dataset.from_arrays([[10, 10, 20, 20]], image=[1], category=[1], score=[0.5], images=[1, 2])
        vesica.write("guess.json", guess)
        code, _, err = run(capsys, "ann.json", "guess.json")
        assert code == 3 and "guess.json' have scores" in err and "ann.json' have none" in err
        assert "--model FILE." in err and "Python" not in err
        assert answer(capsys, "ann.json", "ben.json", "--model", "guess.json")["ceiling"]

    def test_categories_of_a_model(self, capsys):
        """An error names options that there are, and they do."""
        guess = vesica.Dataset.from_arrays([[10, 10, 20, 20]], image=[1], category=[90], score=[0.5], images=[1, 2])
        vesica.write("guess.npz", guess)
        code, _, err = run(capsys, "ann.json", "ben.json", "--model", "guess.npz")
        assert code == 3 and """--categories '{"90": "cat", …}'""" in err and "--categories id" in err
        found = answer(capsys, "ann.json", "ben.json", "--model", "guess.npz", "--categories", '{"90": "cat"}')
        assert found["ceiling"]
        code, _, err = run(capsys, "ann.json", "ben.json", "--categories", "id")
        assert code == 2 and "--categories goes with --model" in err


class TestOutput:
    def test_tables(self, capsys):
        code, out, err = run(capsys, "ann.json", "ben.json", "cleo.json", "--per-class", "--per-image")
        assert code == 0 and "Read ann.json as COCO truth: 3 boxes" in err
        assert "annotator_a" in out and "most_confused_with" in out and "missing" in out

    def test_many_annotators(self, capsys):
        """The table has those pairs that agree least, and says how many are not shown."""
        for k in range(8):
            write(f"p{k}.json", [[10, 10, 20, 20 + k]], [1], ["cat"], [1])
        _, out, _ = run(capsys, *(f"p{k}.json" for k in range(8)))
        table = out.split("\n\n")[1].splitlines()
        assert len(table) == 22 and table[-1] == "… 8 more, which agree better; --json has them all"
        assert table[1].split()[:2] == ["p0", "p7"]

    def test_quiet(self, capsys):
        assert run(capsys, "ann.json", "ben.json", "--quiet")[2] == ""

    def test_json_is_one_object(self, capsys):
        code, out, _ = run(capsys, "ann.json", "nothing.json", "--json")
        assert code == 3 and "nothing.json" in json.loads(out)["error"]

    @pytest.mark.parametrize(
        "gate, code, words",
        [
            ("agreement>=0.6", 0, "passed  agreement>=0.6"),
            ("agreement>=0.9", 1, "FAILED  agreement>=0.9  got 0.8"),
            ("agreement[cat]>=1", 0, "passed  agreement[cat]>=1"),
            ("agreement[cow]>=1", 2, "no category 'cow'"),
            ("mood>=1", 2, "no number 'mood'"),
            ("agreement", 2, "is no gate"),
        ],
    )
    def test_gates(self, capsys, gate, code, words):
        found, out, err = run(capsys, "ann.json", "ben.json", "--gate", gate)
        assert found == code and words in out + err

    @pytest.mark.parametrize(
        "words, told",
        [
            (["ann.json", "ann.json"], "once"),
            (["ann.json", "ben.json", "--match-at", "50"], "Divide a percentage by 100"),
            (["ann.json", "ben.json", "--worst", "0"], "--worst"),
            (["ann.json", "ben.json", "--threads", "0"], "--threads"),
            (["ann.json", "ben.json", "--sizes", "4"], "--sizes must be height,width"),
        ],
    )
    def test_usage(self, capsys, words, told):
        code, _, err = run(capsys, *words)
        assert code == 2 and told in err


class TestQueue:
    @pytest.mark.parametrize("out, format", [("q.json", None), ("q.xml", None), ("q.json", "coco")])
    def test_written(self, capsys, out, format):
        words = ["--queue", out, "--worst", "1", *(["--queue-format", format] if format else [])]
        code, _, err = run(capsys, "ann.json", "ben.json", "cleo.json", *words)
        assert code == 0 and f"Wrote 1 images to look at again: {out}" in err
        data = vesica.read(out, **({"predictions": True} if (out, format) == ("q.json", None) else {}))
        assert data.images.ids.tolist() == [1]
        assert "missing" in Path(out).read_text()

    def test_facts(self, capsys):
        queue = answer(capsys, "ann.json", "ben.json", "cleo.json", "--queue", "q.json")["queue"]
        assert [row["image"] for row in queue] == [1] and "label" in queue[0]["reasons"]


class TestConsensus:
    def test_written(self, capsys):
        code, _, err = run(capsys, "ann.json", "ben.json", "cleo.json", "--consensus", "agreed.json")
        assert code == 0 and "Wrote 3 objects that most agree on: agreed.json; 0 without a quorum" in err
        data = vesica.read("agreed.json")
        names = data.categories.names[data.category].tolist()
        assert sorted(zip(data.images.ids[data.image].tolist(), names, strict=True)) == [
            (1, "cat"),
            (1, "dog"),
            (2, "cat"),
        ]
        said = json.loads(Path("agreed.json").read_text())["annotations"][0]["attributes"]
        assert said["label_votes"] == {"cat": 2, "dog": 1} and said["votes"] == said["assigned"] == 3

    @pytest.mark.parametrize(
        "words",
        [
            ("ann.json", "ben.json", "--consensus", "ann.json"),
            ("a=ann.json", "ben.json", "--consensus", "./ann.json"),
            ("ann.json", "ben.json", "--queue", "ben.json"),
            ("ann.json", "ben.json", "--records", "ann.json"),
            ("ann.json", "ben.json", "--model", "cleo.json", "--consensus", "cleo.json"),
            ("ann.json", "ben.json", "--consensus", "out.json", "--queue", "out.json"),
        ],
    )
    def test_nothing_is_written_over(self, capsys, words):
        before = {path: path.read_bytes() for path in Path().glob("*.json")}
        code, _, err = run(capsys, *words)
        assert code == 2 and f"{words[-2]} must be a file of its own; {words[-1]} is " in err
        assert {path: path.read_bytes() for path in Path().glob("*.json")} == before

    def test_quorum(self, capsys):
        words = ["ann.json", "ben.json", "cleo.json", "--consensus", "agreed.json", "--quorum", "3"]
        assert answer(capsys, *words)["consensus"] == {"kept": 1, "without_quorum": 2, "for_review": 0}


class TestModel:
    def test_value(self, capsys):
        rows = [{"image_id": 1, "category_id": 1, "bbox": [10, 10, 10, 10], "score": 0.9}]
        rows += [{"image_id": 2, "category_id": 1, "bbox": [0, 0, 5, 5], "score": 0.1}]
        Path("guess.json").write_text(json.dumps(rows))
        words = ["ann.json", "ben.json", "cleo.json", "--model", "guess.json", "--min-score", "0.5"]
        found = answer(capsys, *words)["ceiling"]
        assert found["guesses"] == 1 and found["notes"][0]["count"] == 1
        people = {row["annotator"]: row for row in found["annotators"]}
        assert people["ann"]["model"] == pytest.approx(1 / 2) and people["ann"]["n_images"] == 2
        assert people["cleo"]["model"] == 0 and people["cleo"]["human"] == pytest.approx((0.5 + 0) / 2)
        code, out, _ = run(capsys, *words, "--per-class")
        assert code == 0 and "model with people" in out and "not below people in" in out

    def test_corners_given_as_sizes(self, capsys):
        """Told with its repair, as `eval` does, and not scored as 0."""
        rng = np.random.default_rng(0)
        corner = rng.integers(0, 20, (40, 2))
        boxes = np.concatenate([corner, corner + rng.integers(4, 20, (40, 2))], 1)
        image = [1 + k % 2 for k in range(40)]
        for who in ("ann", "ben"):
            write(f"{who}.json", boxes, image, ["cat"] * 40, [1, 2])
        for name, rows in (("right", [*corner.T, *(boxes[:, 2:] - corner).T]), ("wrong", boxes.T)):
            guess = [
                {"image_id": one, "category_id": 1, "bbox": row, "score": 0.9}
                for one, row in zip(image, np.array(rows).T.tolist(), strict=True)
            ]
            Path(f"{name}.json").write_text(json.dumps(guess))
        assert answer(capsys, "ann.json", "ben.json", "--model", "right.json")["ceiling"]["summary"]["model"] == 1
        code, out, err = run(capsys, "ann.json", "ben.json", "--model", "wrong.json")
        assert (code, out) == (3, "") and "`bbox` in wrong.json reads as xyxy, not xywh" in err
        assert "vesica check wrong.json --against ann.json --fix wrong_fixed.json\nOr --as-is" in err
        as_is = answer(capsys, "ann.json", "ben.json", "--model", "wrong.json", "--as-is")
        assert as_is["ceiling"]["summary"]["model"] < 0.5

    def test_usage(self, capsys):
        code, _, err = run(capsys, "ann.json", "ben.json", "--min-score", "0.5")
        assert code == 2 and "--min-score goes with --model" in err

    def test_against_the_consensus(self, capsys):
        guess = vesica.Dataset.from_arrays([[10, 10, 20, 20]], image=[1], category=[1], score=[0.5], images=[1, 2])
        vesica.write("guess.json", guess)
        words = ("ann.json", "ben.json", "cleo.json", "--model", "guess.json", "--against", "consensus")
        facts = answer(capsys, *words)["ceiling"]
        assert [row["n_images"] for row in facts["annotators"]] == [1, 1, 1]  # image 2 has two annotators alone
        code, _, err = run(capsys, "ann.json", "ben.json", "--against", "consensus")
        assert code == 2 and "--against goes with --model" in err


class TestMasks:
    def test_labelstudio_export(self, capsys):
        vesica.write("export.json", drawn(3, people=("ann", "ben"), kinds=("mask",)), format="labelstudio")
        facts = answer(capsys, "export.json", "--regions", "mask")
        assert facts["annotators"] == ["ann", "ben"]


class TestLabelMaps:
    def test_folders(self, capsys, tmp_path):
        maps = {"ann": [[0, 0, 1, 1, 1]], "ben": [[0, 1, 1, 1, 0]]}
        for who, labels in maps.items():
            (tmp_path / "maps" / who).mkdir(parents=True)
            (tmp_path / "maps" / who / "a.png").write_bytes(png_of(np.array(labels, np.uint8)))
        facts = answer(capsys, "maps/ann", "maps/ben", "--gate", "mIoU>=0.4")
        assert facts["summary"]["mIoU"] == pytest.approx((1 / 3 + 1 / 2) / 2) and facts["gates"][0]["passed"]
        (row,) = answer(capsys, "maps/ann", "maps/ben", "--per-image")["by_images"]
        assert (row["image"], row["n_annotators"], row["mIoU"]) == ("a", 2, facts["summary"]["mIoU"])
        assert "edge_share" in run(capsys, "maps/ann", "maps/ben", "--per-image")[1]
        code, out, err = run(capsys, "maps/ann", "maps/ben", "--per-class")
        assert code == 0 and "Read maps/ann as label maps of ann: 1 images." in err and "mDice" in out

    def test_options_of_objects(self, capsys, tmp_path):
        for who in ("ann", "ben"):
            (tmp_path / who).mkdir()
            (tmp_path / who / "a.png").write_bytes(png_of(np.zeros((2, 2), np.uint8)))
        code, _, err = run(capsys, "ann", "ben", "--queue", "q.json")
        assert code == 2 and "--queue is of objects, and these are label maps" in err


@real
class TestReal:
    def test_label_studio(self, capsys):
        facts = answer(capsys, DATA / "label_studio/test_bbox.json")
        assert facts["annotators"] == ["1", "2", "3"] and facts["images"] == 5 and facts["objects"] == 91
        assert len(facts["pairs"]) == 3 and 0 < facts["summary"]["agreement"] < 1
