"""The gate that docs/recipes.md puts into GitHub Actions: it is YAML, and its command does what the page says."""

import json
import re
import shlex
from pathlib import Path

import pytest

from vesica.cli import main

PAGE = Path(__file__).parents[1] / "docs" / "recipes.md"
CATEGORIES = [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}]
BOXES = [{"image_id": 1, "category_id": k, "bbox": [20 * k, 0, 10, 10]} for k in (1, 2)]


@pytest.fixture
def steps():
    yaml = pytest.importorskip("yaml")
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return yaml.safe_load(text)["jobs"]["score"]["steps"]


@pytest.mark.parametrize("found, code", [(BOXES, 0), (BOXES[:1], 1)], ids=["good", "no dogs"])
def test_gate(steps, found, code, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    images = range(1, 21)  # of one image alone an interval decides nothing
    boxes = [{**box, "image_id": image} for image in images for box in BOXES]
    rows = [{**box, "id": k + 1, "area": 100, "iscrowd": 0} for k, box in enumerate(boxes)]
    truth = {"images": [{"id": image} for image in images], "categories": CATEGORIES, "annotations": rows}
    Path("truth.json").write_text(json.dumps(truth))
    Path("old.json").write_text(json.dumps([{**box, "score": 0.5} for box in boxes]))
    new = [{**box, "image_id": image, "score": 0.5} for image in images for box in found]
    Path("guess.json").write_text(json.dumps(new))
    (gate,) = (step for step in steps if step.get("name") == "gate")
    program, *words = shlex.split(gate["run"])
    assert main(["eval", "truth.json", "old.json", "--records", "base.records", "--quiet"]) == 0
    capsys.readouterr()
    assert program == "vesica" and main(words) == code
    assert ("FAILED" in capsys.readouterr().out) == bool(code)
    (kept,) = (step["with"]["path"] for step in steps if "upload-artifact" in step.get("uses", ""))
    assert Path(kept).exists()


def test_every_script_is_listed():
    scripts = {path.name for path in (PAGE.parents[1] / "examples").glob("*.py")} - {"train_boxes.py"}
    assert set(re.findall(r"\(\.\./examples/(.*?)\)", PAGE.read_text(encoding="utf-8"))) == scripts
