"""docs/first_hour.md: every command of the page, typed in by a newcomer who has COCO, YOLO and PNG files."""

import json
import re
import shlex
from pathlib import Path

import pytest

import demo_world
import vesica
from vesica.cli import _arguments, main

pytest.importorskip("PIL")
pytest.importorskip("yaml")

PAGE = (Path(__file__).parent.parent / "docs" / "first_hour.md").read_text(encoding="utf-8")
LINES = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The files of a demo, and the same as Ultralytics has them."""
    folder = tmp_path_factory.mktemp("hour")
    demo_world.copied(tmp_path_factory, folder)
    truth, guess = (json.loads((folder / name).read_text()) for name in ("truth.json", "b.json"))
    pictures, labels, found = (
        folder / "yolo" / name for name in ("images/val", "labels/val", "runs/detect/val/labels")
    )
    for place in (labels, found, pictures.parent):
        place.mkdir(parents=True)
    pictures.symlink_to(folder / "images")
    for image in truth["images"]:
        for place, rows in ((labels, truth["annotations"]), (found, guess)):
            own = [_line(row, image) for row in rows if row["image_id"] == image["id"] and not row.get("iscrowd")]
            (place / image["file_name"].replace(".png", ".txt")).write_text("".join(own))
    names = [one["name"] for one in truth["categories"]]
    (folder / "yolo" / "data.yaml").write_text(f"path: .\nval: images/val\nnames: {json.dumps(names)}\n")
    return folder


def _line(row, image):
    x, y, width, height = row["bbox"]
    across, down = image["width"], image["height"]
    box = ((x + width / 2) / across, (y + height / 2) / down, width / across, height / down)
    score = [row["score"]] if "score" in row else []
    return " ".join([str(row["category_id"] - 1), *(f"{one:.6f}" for one in (*box, *score))]) + "\n"


def words_of(line):
    return shlex.split(line.partition("#")[0])[1:]


def without_page(words):
    """The same without a report, whose charts take seconds: what it is made of is tested elsewhere."""
    left = list(words)
    for option in ("--report", "--images"):
        if "--report" in words and option in left:
            at = left.index(option)
            del left[at : at + 2]
    return left


def test_commands(demo, monkeypatch, capsys):
    """In their order: what one writes, another reads."""
    monkeypatch.chdir(demo)
    assert LINES[0] == "vesica demo" and len(LINES) > 12
    for line in LINES[1:]:
        words = words_of(line)
        _arguments(words)  # all of them are options of the verb
        told = re.search(r"exit code (\d)", line)
        assert main(without_page(words)) == (int(told[1]) if told else 0), line
        assert capsys.readouterr().out or told, line


def test_yolo_is_coco(demo, monkeypatch, capsys):
    """The same boxes in another format have the same AP, but for crowds and six decimals."""
    monkeypatch.chdir(demo)
    lines = [line for line in LINES if line.startswith("vesica eval") and "--" not in line and "export" not in line]
    scores = [vesica.evaluate(*words_of(line)[1:])["AP"] for line in lines[:2]]
    assert len(scores) == 2 and scores[0] == pytest.approx(scores[1], abs=0.005)


def test_python(demo, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(demo)
    for block in PYTHON:
        exec(block, {})
    assert Path("b.html").stat().st_size > 100_000 and "0." in capsys.readouterr().out
