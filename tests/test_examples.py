"""The scripts of examples/: from bare files to an answer that is known otherwise."""

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from scenes import Traits, job

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(name, *words):
    """What a script prints."""
    words = [str(EXAMPLES / f"{name}.py"), *map(str, words)]
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, env=os.environ | {"PYTHONUTF8": "1"}
    )
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout.splitlines()


def test_short_and_all_run():
    scripts = {path.stem: len(path.read_text().splitlines()) for path in EXAMPLES.glob("*.py")}
    del scripts["train_boxes"]  # test_training.py
    assert all(lines <= 25 for lines in scripts.values()), scripts
    text = Path(__file__).read_text()
    assert len(scripts) == 5 and all(f'run("{name}"' in text for name in scripts)


def test_score_coco(tmp_path):
    """Twelve lines as pycocotools prints them, then the worst classes."""
    coco, cocoeval = pytest.importorskip("pycocotools.coco"), pytest.importorskip("pycocotools.cocoeval")
    truth, results = job(np.random.default_rng(0), Traits(images=8, categories=7))
    for name, value in (("truth.json", truth), ("results.json", results)):
        (tmp_path / name).write_text(json.dumps(value))
    with contextlib.redirect_stdout(io.StringIO()) as told:
        theirs = coco.COCO(tmp_path / "truth.json")
        evaluation = cocoeval.COCOeval(theirs, theirs.loadRes(str(tmp_path / "results.json")), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    lines = run("score_coco", tmp_path / "truth.json", tmp_path / "results.json")
    assert [line for line in lines if "@[" in line] == [line for line in told.getvalue().splitlines() if "@[" in line]
    rest = lines[-6:]
    assert rest[-1].startswith("F1 is highest, ")
    values = [float(line.split("AP ")[1][:5]) for line in rest[:-1]]
    by_class = evaluation.eval["precision"][:, :, :, 0, 2].mean((0, 1))
    assert values == [round(float(value), 3) for value in sorted(by_class[by_class > -1])[:5]]


def test_score_yolo(tmp_path):
    """Cats were found, dogs were not, cows are not there."""
    image = pytest.importorskip("PIL.Image")
    pytest.importorskip("yaml")
    for name in ("images", "labels", "found"):
        (tmp_path / name).mkdir()
    (tmp_path / "data.yaml").write_text("names: [cat, dog, cow]\n")
    for name, size in (("a", (640, 480)), ("b", (100, 200))):
        image.new("L", size).save(tmp_path / "images" / f"{name}.png")
        (tmp_path / "labels" / f"{name}.txt").write_text("0 0.5 0.5 0.25 0.5\n1 0.25 0.25 0.25 0.25\n")
        (tmp_path / "found" / f"{name}.txt").write_text("0 0.5 0.5 0.25 0.5 0.9\n1 0.75 0.75 0.25 0.25 0.8\n")
    assert run("score_yolo", tmp_path / "labels", tmp_path / "found", tmp_path / "data.yaml") == [
        "class            truths guesses    AP  AP50",
        "cat                   2       2 1.000 1.000",
        "dog                   2       2 0.000 0.000",
        "cow                   0       0     –     –",
        "all                   4       4 0.500 0.500",
    ]


def test_score_segmentation(tmp_path):
    """Counted pixel by pixel; class 3 is in guesses alone, class 7 nowhere."""
    image = pytest.importorskip("PIL.Image")
    rng = np.random.default_rng(1)
    both = []
    for name in ("truth", "guess"):
        (tmp_path / name).mkdir()
    for k in range(3):
        truth = rng.choice([0, 1, 2, 255], (6, 9), p=[0.3, 0.3, 0.3, 0.1]).astype(np.uint8)
        guess = np.where(rng.random((6, 9)) < 0.7, truth % 255, rng.integers(0, 4, (6, 9))).astype(np.uint8)
        image.fromarray(truth).save(tmp_path / "truth" / f"{k}.png")
        image.fromarray(guess).save(tmp_path / "guess" / f"{k}.png")
        both += [(t, g) for t, g in zip(truth.ravel().tolist(), guess.ravel().tolist(), strict=True) if t != 255]
    ious = {}
    for one in (0, 1, 2, 3):
        tp = sum(t == g == one for t, g in both)
        ious[one] = tp / sum(one in pair for pair in both)
    assert ious[3] == 0 and 0 < ious[0] < 1
    dice = {one: 2 * value / (1 + value) for one, value in ious.items()}
    lines = run("score_segmentation", tmp_path / "truth", tmp_path / "guess", "0,1,2,3,7")
    assert [line.split("  Dice")[0] for line in lines[:4]] == [f"class {k:<4} IoU {ious[k]:.4f}" for k in ious]
    assert [line[-6:] for line in lines[:4]] == [f"{value:.4f}" for value in dice.values()]
    assert lines[4] == "class 7    IoU –  Dice –"
    assert lines[5] == f"mean of 4 classes: mIoU {sum(ious.values()) / 4:.4f}"
    assert len(lines) == 7 and lines[6].startswith("mean over images instead: mIoU 0.")


def test_compare_annotators(tmp_path):
    """ann and bob agree on one of three boxes and on an empty image; cyd saw other images than bob."""
    rows = [
        "image_id,annotator,x1,y1,x2,y2",
        "1,ann,0,0,10,10",
        "1,ann,50,50,60,60",
        "1,bob,0,0,10,8",
        "2,ann,,,,",
        "2,bob,,,,",
        "3,ann,0,0,10,10",
        "3,cyd,0,0,10,10",
    ]
    (tmp_path / "boxes.csv").write_text("\n".join(rows) + "\n")
    assert run("compare_annotators", tmp_path / "boxes.csv") == [
        "ann bob: F1 0.667, mean IoU 0.800, 1 of 2 and 1 boxes",
        "ann cyd: F1 1.000, mean IoU 1.000, 1 of 1 and 1 boxes",
        "look at image 1 again: missing, loose edge",
    ]


def test_track_tiles(tmp_path):
    """A ship that the edge of two tiles cuts is one, in all frames; others come in later frames."""
    rows = [
        "frame,tile_x,tile_y,x1,y1,x2,y2,score",
        "1,0,0,80,10,100,20,0.5",
        "1,60,0,20,10,50,20,0.75",
        "2,0,0,84,10,100,20,0.5",
        "2,60,0,24,10,54,20,0.75",
        "2,60,0,0,50,10,60,0.25",
        "3,60,0,28,10,58,20,0.75",
        "3,200,0,28,10,58,20,0.5",
    ]
    (tmp_path / "detections.csv").write_text("\n".join(rows) + "\n")
    assert run("track_tiles", tmp_path / "detections.csv") == [
        "frame,track,x1,y1,x2,y2,score",
        "1,1,80,10,110,20,0.75",
        "2,1,84,10,114,20,0.75",
        "2,2,60,50,70,60,0.25",
        "3,1,88,10,118,20,0.75",
        "3,3,228,10,258,20,0.5",
    ]
