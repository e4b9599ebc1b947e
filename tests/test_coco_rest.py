"""COCO into COCO: what nobody here understands is carried through, or its loss is told and counted."""

import dataclasses
import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest

import vesica
from vesica.cli import main

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
real = pytest.mark.skipif(not DATA.is_dir(), reason="the folder shared/data lies not beside the repository")

ROW = {"image_id": 3, "category_id": 7, "bbox": [1, 2, 3, 4], "area": 12, "iscrowd": 0}
TRUTH = {
    "info": {"year": 2017, "description": "für alle"},
    "licenses": [{"id": 1, "name": "CC", "url": "http://example.org/"}],
    "images": [
        {"id": 3, "width": 40, "height": 30, "file_name": "a.jpg", "license": 1, "coco_url": "http://example.org/a.jpg"},
        {"id": 1, "width": 40, "height": 30, "file_name": "b.jpg", "flickr_url": None},
    ],
    "annotations": [
        {**ROW, "id": 1, "attributes": {"occluded": True}},
        {**ROW, "id": 2, "image_id": 1, "bbox": [1.5, 2, 3, 4], "area": 11.5},
        {**ROW, "id": 3, "iscrowd": 1, "keypoints": [1, 2, 2], "num_keypoints": 1},
    ],
    "categories": [{"id": 7, "name": "person", "supercategory": "animal", "keypoints": ["nose"], "skeleton": [[1, 1]]}],
    "videos": [],
}  # fmt: skip
RESULTS = [
    {"image_id": 3, "category_id": 7, "bbox": [1, 2, 3, 4], "score": 0.5, "id": 9, "embedding": [0.25, 1e-3]},
    {"image_id": 1, "category_id": 7, "bbox": [1, 2, 3, 4], "score": 0.25, "iscrowd": 0},
]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, value in (("truth.json", TRUTH), ("results.json", RESULTS)):
        Path(name).write_text(json.dumps(value))


def value(name):
    return json.loads(Path(name).read_bytes())


class TestCarried:
    @pytest.mark.parametrize("name", ["truth.json", "results.json"])
    def test_everything(self, name):
        assert vesica.write("out.json", vesica.read(name)) == ()
        assert value("out.json") == value(name)

    def test_from_packed(self):
        Path("truth.json.gz").write_bytes(gzip.compress(json.dumps(TRUTH).encode()))
        vesica.write("out.json", vesica.read("truth.json.gz"))
        assert value("out.json") == TRUTH

    def test_command_line(self, capsys):
        assert main(["convert", "truth.json", "out.json"]) == 0 and value("out.json") == TRUTH
        assert "note" not in capsys.readouterr().err

    def test_some_rows(self):
        """Each row keeps its own, whatever became of the others."""
        data = vesica.read("truth.json").rows([2, 1]).rows(np.array([True, False]))
        assert vesica.write("out.json", data) == ()
        assert value("out.json")["annotations"] == [TRUTH["annotations"][2]]
        assert value("out.json")["images"] == TRUTH["images"]

    def test_rows_that_were_left_out(self):
        odd = {**TRUTH["annotations"][0], "id": 9, "image_id": 99}
        Path("odd.json").write_text(json.dumps({**TRUTH, "annotations": [odd, *TRUTH["annotations"]]}))
        vesica.write("out.json", vesica.read("odd.json", check=False))
        assert value("out.json") == TRUTH

    def test_ids_that_became_numbers(self):
        named = json.loads(
            json.dumps(TRUTH)
            .replace('"id": 3, "width"', '"id": "c", "width"')
            .replace('"image_id": 3', '"image_id": "c"')
        )
        Path("named.json").write_text(json.dumps(named))
        vesica.write("out.json", vesica.read("named.json").numbered())
        found = value("out.json")
        assert [one["id"] for one in found["images"]] == [1, 2] and found["images"][0]["license"] == 1
        assert found["annotations"][2]["keypoints"] == [1, 2, 2]

    def test_over_itself(self):
        """The file is read before it is written, and a second time it is another one."""
        data = vesica.read("truth.json")
        vesica.write("truth.json", data)
        assert value("truth.json") == TRUTH
        os.utime("truth.json", ns=(1, 1))
        (note,) = vesica.write("out.json", data)
        assert "has changed since: nothing but boxes, masks and names is kept" in note

    def test_scores_do_not_wait_for_it(self):
        Path("results.json").write_text(
            json.dumps([{key: row[key] for key in ("image_id", "category_id", "bbox", "score")} for row in RESULTS])
        )
        assert vesica.evaluate("truth.json", "results.json")["AP"] > 0


class TestLost:
    def test_the_file_is_gone(self):
        data = vesica.read("truth.json")
        Path("truth.json").unlink()
        (note,) = vesica.write("out.json", data)
        assert "has changed since" in note and "info" not in value("out.json")

    def test_other_tables(self):
        data = vesica.read("truth.json")
        other = dataclasses.replace(data, images=dataclasses.replace(data.images, ids=data.images.ids[::-1].copy()))
        (note,) = vesica.write("out.json", other)
        keys = '"license" (1), "coco_url" (1), "flickr_url" (1)'
        assert note == f"images are others than in the file, so these keys are lost: {keys}"
        assert value("out.json")["categories"] == TRUTH["categories"]

    def test_other_rows(self):
        data = vesica.read("truth.json")
        fewer = dataclasses.replace(
            data, **{name: getattr(data, name)[:1] for name in ("image", "category", "xywh", "area", "id", "crowd")}
        )
        keys = '"attributes" (1), "keypoints" (1), "num_keypoints" (1)'
        (note,) = vesica.write("out.json", fewer)
        assert note == f"rows are others than in the file, so these keys are lost: {keys}"

    def test_truths_as_results(self):
        scored = {**TRUTH, "annotations": [{**row, "score": 0.5} for row in TRUTH["annotations"]]}
        Path("scored.json").write_text(json.dumps(scored))
        notes = vesica.write("out.json", vesica.read("scored.json"))
        assert 'results of COCO have no place for "info", "licenses", "videos"' in notes
        assert any('for what images have: "license" (1)' in note for note in notes)
        assert [row.get("keypoints") for row in value("out.json")] == [None, None, [1, 2, 2]]

    def test_standard_input_has_no_file(self):
        assert (
            vesica.io.coco.dataset_of(vesica.io.files.File("standard input", json.dumps(TRUTH).encode(), "json")).source
            is None
        )


@real
@pytest.mark.parametrize(
    "name",
    [
        "coco100/instances_val2014_100.json",
        "coco_mini/instances_val2017.json",
        "lvis100/lvis_val_100.json",
        "coco100/instances_val2014_fakesegm100_results.json",
    ],
)
def test_real_files(name):
    """Equal values, whoever reads them; crowd flags are added where a file has none."""
    vesica.write("out.json", vesica.read(DATA / name))
    before, after = value(DATA / name), value("out.json")
    if isinstance(before, dict):
        for row in before["annotations"]:
            row.setdefault("iscrowd", 0)
    assert after == before
