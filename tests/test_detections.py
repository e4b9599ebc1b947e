"""`vesica nms`: detections in, fewer detections out, nothing else lost."""

import json
from pathlib import Path

import numpy as np
import pytest

from vesica import Boxes, RleMasks, nms
from vesica.cli import main
from vesica.io.detections import detections_of
from vesica.io.files import load

ROW = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 4, 4], "score": 0.5}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(capsys, *words):
    try:
        code = main(["nms", *words])
    except SystemExit as leaving:
        code = leaving.code
    out, err = capsys.readouterr()
    return code, out, err


def results(images=7, seed=0):
    """Detections of several images, mixed, with what a model writes beside."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(120):
        box = [*rng.uniform(0, 30, 2).round(1).tolist(), *rng.uniform(5, 20, 2).round(1).tolist()]
        image, label = rng.integers(0, images).item(), rng.integers(0, 3).item()
        rows.append({"image_id": f"image {image}", "category_id": label, "bbox": box, "score": round(rng.random(), 3),
                     "note": {"k": k}})  # fmt: skip
    return rows


def wanted(rows, per_class, **options):
    """Image by image, class by class."""
    kept = []
    groups = {(row["image_id"], row["category_id"] if per_class else 0) for row in rows}
    for image, label in groups:
        here = [
            k for k, r in enumerate(rows) if r["image_id"] == image and (not per_class or r["category_id"] == label)
        ]
        boxes = Boxes([rows[k]["bbox"] for k in here], "xywh")
        kept += [here[i] for i in nms(boxes, [rows[k]["score"] for k in here], **options)]
    return [rows[k] for k in sorted(kept)]


class TestResults:
    @pytest.mark.parametrize("per_class", [False, True])
    def test_as_image_by_image(self, capsys, per_class):
        rows = results()
        Path("r.json").write_text(json.dumps(rows))
        words = ["--per-class"] if per_class else []
        code, out, _ = run(capsys, "r.json", "--iou", "0.3", *words)
        assert code == 0 and json.loads(out) == wanted(rows, per_class, above=0.3)
        assert run(capsys, "r.json", "--iou", "0.3", "-o", "k.json", *words)[:2] == (0, "")
        assert json.loads(Path("k.json").read_text()) == json.loads(out)

    def test_more_images_than_go_in_one_call(self, capsys):
        rows = [{**row, "image_id": k % 700} for k, row in enumerate(results() * 12)]
        Path("r.json").write_text(json.dumps(rows))
        assert json.loads(run(capsys, "r.json", "--iou", "0.2")[1]) == wanted(rows, False, above=0.2)

    def test_limit_and_min_score(self, capsys):
        rows = results()
        Path("r.json").write_text(json.dumps(rows))
        kept = json.loads(run(capsys, "r.json", "--limit", "2", "--min-score", "0.5", "--per-class")[1])
        assert max(sum(row["image_id"] == f"image {k}" for row in kept) for k in range(7)) == 2
        assert min(row["score"] for row in kept) >= 0.5

    def test_masks_of_images_of_different_size(self, capsys):
        rows = []
        for image, side in enumerate((10, 20)):
            stack = np.zeros((3, side, side), bool)
            stack[0, 1:6, 1:6] = stack[1, 1:6, 1:7] = stack[2, 7:, 7:] = True
            for score, mask in enumerate(RleMasks.from_masks(stack).to_coco()):
                mask["counts"] = mask["counts"].decode() if isinstance(mask["counts"], bytes) else mask["counts"]
                rows.append({"image_id": image, "category_id": 1, "score": score, "segmentation": mask})
        Path("r.json").write_text(json.dumps(rows))
        assert [row["score"] for row in json.loads(run(capsys, "r.json")[1])] == [1, 2, 1, 2]
        for row in rows:
            row["bbox"] = [0, 0, 1, 1]
        Path("r.json").write_text(json.dumps(rows))
        assert [row["score"] for row in json.loads(run(capsys, "r.json", "--masks")[1])] == [1, 2, 1, 2]
        assert [row["score"] for row in json.loads(run(capsys, "r.json")[1])] == [2, 2]

    def test_none(self, capsys):
        Path("r.json").write_text("[]")
        assert run(capsys, "r.json", "--per-class") == (0, "[]\n", "")
        assert run(capsys, "r.json", "--soft", "gaussian") == (0, "[]\n", "")

    def test_soft(self, capsys):
        rows = [{**ROW, "bbox": [0, 0, 10, 10], "score": 0.9}, {**ROW, "bbox": [1, 0, 10, 10], "score": 0.8}]
        Path("r.json").write_text(json.dumps(rows))
        kept = json.loads(run(capsys, "r.json", "--soft", "linear")[1])
        assert kept[0] == rows[0] and kept[1]["score"] == pytest.approx(0.1454545454)
        kept = json.loads(run(capsys, "r.json", "--soft", "gaussian", "--sigma", "0.5")[1])
        assert kept[1]["score"] == pytest.approx(0.2097190, abs=1e-7)


class TestTables:
    def test_columns(self, capsys):
        Path("d.csv").write_text("x1,y1,x2,y2,score\n0,0,10,10,0.9\n1,0,11,10,0.8\n50,0,60,10,0.1\n")
        assert run(capsys, "d.csv")[1] == "0.0,0.0,10.0,10.0,0.9\n50.0,0.0,60.0,10.0,0.1\n"
        Path("d.csv").write_text("0,0,10,10,9,1,1\n1,0,11,10,8,2,1\n1,0,11,10,7,1,2\n")
        assert run(capsys, "d.csv")[1] == "0,0,10,10,9,1,1\n1,0,11,10,7,1,2\n"
        assert run(capsys, "d.csv", "--per-class")[1].count("\n") == 3
        answer = json.loads(run(capsys, "d.csv", "--json")[1])
        assert answer["kept"] == [0, 2] and answer["detections"] == 3 and len(answer["rows"]) == 2

    @pytest.mark.parametrize("ending", ["npy", "csv", "json"])
    def test_output(self, capsys, ending):
        from vesica.io.arrays import read

        np.save("d.npy", np.float32([[0, 0, 10, 10, 0.9], [1, 0, 10, 10, 0.8]]))
        code, out, err = run(capsys, "d.npy", "--form", "xywh", "-o", f"k.{ending}")
        assert (code, out) == (0, "") and err == f"kept 1 of 2 detections: k.{ending}\n"
        assert read(f"k.{ending}").shape == (1, 5)
        assert json.loads(run(capsys, "d.npy", "-o", f"k.{ending}", "--json")[1])["output"] == f"k.{ending}"

    def test_soft_changes_the_score_column_alone(self, capsys):
        Path("d.csv").write_text("0,0,10,10,1,4\n1,0,11,10,1,4\n")
        rows = [line.split(",") for line in run(capsys, "d.csv", "--soft", "linear")[1].splitlines()]
        assert [row[5] for row in rows] == ["4.0", "4.0"] and float(rows[1][4]) == pytest.approx(2 / 11)

    def test_rotated(self, capsys):
        Path("d.csv").write_text("0,0,100,1,45,0.9\n0,0,100,1,-45,0.8\n0,0,100,1,45.01,0.7\n")
        assert run(capsys, "d.csv", "--rotated", "deg,cw")[1].count("\n") == 2


BAD = [
    ("[1, 2]", [], 3, "no table of numbers|shape"),
    ("[{}]", [], 3, 'row 0 at byte 1 has no "image_id"'),
    (
        json.dumps([{**ROW, "image_id": 1.5}]),
        [],
        3,
        'row 0 at byte 14: "image_id" must be a whole number or a string; got 1.5',
    ),
    (json.dumps([ROW, {**ROW, "score": "high"}]), [], 3, 'row 1 at byte .*: "score" must be a number; got "high"'),
    (
        json.dumps([{**ROW, "bbox": [1, 2, 3]}]),
        [],
        3,
        'row 0 at byte .*: "bbox" must be four numbers: x, y, width, height; got 3',
    ),
    (json.dumps([{**ROW, "bbox": [1, 2, -3, 1]}]), [], 3, "row 0 must not have a negative side"),
    (json.dumps([ROW, 5]), [], 3, "row 1 at byte .* must be an object; got 5"),
    (json.dumps([{"image_id": 1, "score": 1}]), [], 3, 'row 0 at byte 1 must have a "bbox", or a "segmentation"'),
    (json.dumps([{k: v for k, v in ROW.items() if k != "category_id"}]), ["--per-class"], 3, "has no classes"),
    ('[{"image_id": 1, "score": NaN, "bbox": [0, 0, 1, 1]}]', [], 3, "the score of row 0 is NaN"),
    ('{"annotations": []}', [], 3, "is a truth file of COCO"),
    ("[[0, 0, 1, 1]]", [], 3, "four|4 numbers of the region"),
    ("[[5, 0, 1, 1, 1]]", [], 3, "row 0 is inverted"),
    ("[]", ["--iou", "50"], 2, "Divide a percentage by 100"),
    ("[]", ["--sigma", "1"], 2, "--sigma goes with --soft gaussian"),
    ("[]", ["--limit", "0"], 2, "--limit"),
    ("[]", ["--rotated", "deg"], 2, "--rotated DIRECTION"),
    ("[]", ["--rotated", "deg,cw", "--form", "xywh"], 2, "--form is for upright boxes"),
    ("[]", ["-o", "out.csv"], 3, "written as .json"),
]


@pytest.mark.parametrize(("text", "words", "code", "message"), BAD)
def test_errors(capsys, text, words, code, message):
    import re

    Path("bad.json").write_text(text)
    left, _, err = run(capsys, "bad.json", *words)
    assert left == code and re.search(message, err), err


def test_a_bar_counts_images(capsys, monkeypatch):
    seen = []
    monkeypatch.setattr("vesica.cli.progress.track", lambda work, what: seen.append((len(work), what)) or work)
    Path("r.json").write_text(json.dumps([{**ROW, "image_id": k} for k in range(600)]))
    assert run(capsys, "r.json", "-o", "k.json")[0] == 0 and seen == [(3, "images")]


def test_what_is_read():
    Path("r.json").write_text(json.dumps([ROW]))
    found = detections_of(load("r.json"))
    assert len(found) == 1 and found.boxes.tolist() == [[0, 0, 4, 4]] and found.masks is None
