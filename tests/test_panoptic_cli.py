"""`vesica eval --protocol panoptic`: the numbers of `evaluate_panoptic`, and options that it does not know."""

import json

import numpy as np
import pytest

import vesica
from vesica.cli import main

Image = pytest.importorskip("PIL.Image")

CATEGORIES = [
    {"id": 1, "name": "cat", "isthing": 1},
    {"id": 2, "name": "grass", "isthing": 0},
    {"id": 7, "name": "dog", "isthing": 1},
]
TRUTH = {4: ([[300, 300, 300, 2], [300, 300, 300, 2]], {300: 1, 2: 2}), 9: ([[1, 0, 0]], {1: 1})}
GUESS = {4: ([[5, 5, 5, 5], [5, 5, 70000, 70000]], {5: 1, 70000: 2}), 9: ([[8, 8, 8]], {8: 1})}


def put(path, images, folder=None):
    """COCO's form by Pillow alone: what is tested had no part in it."""
    folder = path.with_suffix("") if folder is None else folder
    folder.mkdir()
    rows = []
    for image, (ids, segments) in images.items():
        ids = np.array(ids)
        colours = np.stack([ids % 256, ids // 256 % 256, ids // 65536], axis=-1).astype(np.uint8)
        Image.fromarray(colours).save(folder / f"{image}.png")
        told = [{"id": id, "category_id": category, "iscrowd": 0} for id, category in segments.items()]
        rows.append({"image_id": image, "file_name": f"{image}.png", "segments_info": told})
    path.write_text(json.dumps({"annotations": rows, "categories": CATEGORIES}))


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "truth.json", TRUTH)
    put(tmp_path / "guess.json", GUESS)
    return tmp_path


def run(capsys, *words):
    try:
        code = main(["eval", "truth.json", "guess.json", "--protocol", "panoptic", *words])
    except SystemExit as leaving:
        code = leaving.code
    return code, *capsys.readouterr()


class TestAnswers:
    def test_by_hand(self, files, capsys):
        """cat: 5 of 7 pixels and 1 of 1 (the void counts nowhere); grass: one missed, one made up; no dog."""
        code, out, err = run(capsys, "--per-class")
        lines = [line.split() for line in out.splitlines()]
        assert code == 0 and err == "2 images of segments: truth.json, guess.json\n"
        assert out.startswith("panoptic quality: 2 images, 2 categories, 2 segments matched, 1 missed, 1 made up\n")
        assert next(line for line in lines if line[:1] == ["PQ"])[:2] == ["PQ", "0.429"]  # (6/7 + 0) / 2
        assert ["cat", "0.857", "0.857", "1.000", "2", "0", "0"] in lines
        assert ["grass", "0.000", "0.000", "0.000", "0", "1", "1"] in lines
        assert not any(line[:1] == ["dog"] for line in lines)
        assert "note: 1 categories that neither side has (left out)" in out

    @pytest.mark.parametrize("threads", [(), ("--threads", "1")])
    def test_json_is_the_result(self, files, capsys, threads):
        code, out, err = run(capsys, "--json", "--quiet", *threads)
        expected = vesica.evaluate_panoptic("truth.json", "guess.json").to_dict()
        assert code == 0 and err == "" and json.loads(out) == expected | {"protocol": "panoptic", "gates": []}

    def test_folders(self, files, capsys):
        _, expected, _ = run(capsys)
        (files / "truth").rename(files / "maps")
        (files / "guess").rename(files / "other")
        assert run(capsys, "--truth-folder", "maps", "--guess-folder", "other")[1] == expected
        code, out, err = run(capsys, "--truth-folder", "maps")
        assert code == 3 and out == "" and "`--truth-folder FOLDER` or `--guess-folder FOLDER`" in err

    def test_quirks(self, tmp_path, monkeypatch, capsys):
        """Two crowds excuse a guess together; panopticapi looks at the last alone."""
        monkeypatch.chdir(tmp_path)
        put(tmp_path / "truth.json", {1: ([[1, 1, 2, 2, 3]], {1: 1, 2: 1, 3: 1})})
        put(tmp_path / "guess.json", {1: ([[0, 9, 9, 9, 9]], {9: 1})})
        told = json.loads((tmp_path / "truth.json").read_text())
        for one in told["annotations"][0]["segments_info"][:2]:
            one["iscrowd"] = 1
        (tmp_path / "truth.json").write_text(json.dumps(told))
        made_up = [
            json.loads(run(capsys, "--json", *more)[1])["classes"][0]["fp"]
            for more in ((), ("--quirks", "panopticapi"))
        ]
        assert made_up == [0, 1]


@pytest.mark.parametrize(
    "gate, code",
    [("PQ>=0.42", 0), ("PQ>=0.43", 1), ("RQ[cat]>=1", 0), ("SQ[1,2]>=0.5", 1), ("PQ_stuff<=0", 0), ("PQ[dog]>=0", 1)],
)
def test_gates(files, capsys, gate, code):
    found, out, _ = run(capsys, "--gate", gate)
    assert found == code and ("FAILED" in out) == bool(code)
    verdicts = json.loads(run(capsys, "--gate", gate, "--json")[1])["gates"]
    assert verdicts and all(one["passed"] for one in verdicts) == (not code)


@pytest.mark.parametrize(
    "words, told",
    [
        (("--iou", "0.5"), "--iou says nothing about --protocol panoptic. Leave it out."),
        (("--regions", "box"), "--regions says nothing"),
        (("--areas", "all=0:1e10"), "--areas says nothing"),
        (("--max-dets", "1"), "--max-dets says nothing"),
        (("--class-agnostic",), "--class-agnostic says nothing"),
        (("--categories", "id"), "--categories says nothing"),
        (("--strict",), "--strict says nothing"),
        (("--missing", "box"), "--missing says nothing"),
        (("--format", "coco"), "--format says nothing"),
        (("--truth-format", "coco"), "--truth-format says nothing"),
        (("--guess-format", "coco"), "--guess-format says nothing"),
        (("--sizes", "4,4"), "--sizes says nothing"),
        (("--images", "truth"), "--images says nothing"),
        (("--names", "names.txt"), "--names says nothing"),
        (("--kind", "obb"), "--kind says nothing"),
        (("--columns", "class box score"), "--columns says nothing"),
        (("--boxes", "xywh"), "--boxes says nothing"),
        (("--counts",), "--counts says nothing"),
        (("--counts", "--min-score", "0"), "says nothing"),
        (("--causes",), "--causes says nothing"),
        (("--confusion",), "--confusion says nothing"),
        (("--details",), "--details says nothing"),
        (("--as-is",), "--as-is says nothing"),
        (("--interval",), "--interval says nothing"),
        (("--level", "0.9"), "--level says nothing"),
        (("--by", "group"), "--by says nothing"),
        (("--replicates", "9"), "--replicates says nothing"),
        (("--seed", "1"), "--seed says nothing"),
        (("--slices", "meta.csv"), "--slices says nothing"),
        (("--min-score", "0"), "--min-score says nothing"),
        (("--engine", "threads"), "--engine says nothing"),
        (("--workers", "2"), "--workers says nothing"),
        (("--expected", "images.txt"), "--expected says nothing"),
        (("--partial",), "--partial says nothing"),
        (("--memory", "1GB"), "--memory says nothing"),
        (("--scratch", "folder"), "--scratch says nothing"),
        (("--checkpoint", "folder"), "--checkpoint says nothing"),
        (("--duplicates", "same"), "--duplicates says nothing"),
        (("--quirks", "pycocotools"), "must be one of"),
        (("--threads", "0"), "--threads"),
        (("--gate", "PQ"), "gate"),
        (("--gate", "AP>=0.5"), "AP"),
        (("--gate", "PQ[cow]>=0.5"), "cow"),
    ],
)
def test_usage(files, capsys, words, told):
    code, out, err = run(capsys, *words)
    assert code == 2 and out == "" and told in err


def test_records_are_a_base(files, capsys):
    assert run(capsys, "--records", "out.records", "--quiet")[0] == 0
    gates = ("--gate", "PQ drop<=0 vs out.records @95%", "--gate", "PQ>=0 @95%")
    code, out, _ = run(capsys, *gates, "--quiet", "--json")
    one, other = json.loads(out)["gates"]
    assert code == 0 and one["value"] == 0 and other["passed"]


def test_every_option_of_detection_is_refused(files, capsys):
    """An option that is added later must be judged: it has a meaning here, or it is in the table above."""
    import argparse

    from vesica.cli import eval, eval_panoptic

    parser = argparse.ArgumentParser()
    eval.add_arguments(parser)
    tested = {words[0].lstrip("-").replace("-", "_") for words, _ in test_usage.pytestmark[0].args[1]}
    assert {action.dest for action in parser._actions} - {"help", *eval_panoptic._MEANT, *eval_panoptic._OWN} <= tested


def test_files_of_segments_ask_for_the_option(files, capsys):
    assert main(["eval", "truth.json", "guess.json"]) == 3
    assert "`vesica eval --protocol panoptic` scores that" in capsys.readouterr().err
    with pytest.raises(vesica.errors.InputError, match=r"vesica\.evaluate_panoptic"):
        vesica.evaluate("truth.json", "guess.json")


@pytest.mark.parametrize("option", ["--truth-folder", "--guess-folder"])
@pytest.mark.parametrize("protocol", ["coco", "voc"])
def test_folders_are_for_panoptic_alone(files, capsys, option, protocol):
    with pytest.raises(SystemExit) as leaving:
        main(["eval", "truth.json", "guess.json", "--protocol", protocol, option, "truth"])
    assert leaving.value.code == 2 and f"{option} goes with --protocol panoptic" in capsys.readouterr().err


class TestBadInput:
    def test_a_missing_map(self, files, capsys):
        (files / "guess" / "9.png").unlink()
        code, out, err = run(capsys)
        assert code == 3 and out == "" and "'9.png'" in err

    def test_a_broken_map(self, files, capsys):
        path = files / "guess" / "9.png"
        path.write_bytes(path.read_bytes()[:40])
        code, out, err = run(capsys)
        assert code == 3 and out == "" and "9.png is no PNG that can be read" in err

    def test_an_image_without_guess(self, files, capsys):
        told = json.loads((files / "guess.json").read_text())
        del told["annotations"][0]
        (files / "guess.json").write_text(json.dumps(told))
        code, out, err = run(capsys)
        assert code == 3 and out == "" and "Image 4 has no guess" in err

    def test_files_of_detection(self, files, capsys):
        (files / "guess.json").write_text(json.dumps({"annotations": [{"id": 1, "image_id": 1, "bbox": [0, 0, 1, 1]}]}))
        code, out, err = run(capsys)
        assert code == 3 and out == "" and "is not of COCO's panoptic form" in err
