"""`vesica eval --interval --slices`, and the same of merged records."""

import json
from pathlib import Path

import numpy as np
import pytest

import vesica
from scenes import Traits, job
from vesica.cli import main


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """Thirty images of two cameras, by day and by night; of one the light is not known."""
    monkeypatch.chdir(tmp_path)
    truth, results = job(np.random.default_rng(5), Traits(images=30, categories=2))
    for row in truth["images"]:
        row["file_name"] = f"folder/{row['id']:04d}.jpg"
    Path("truth.json").write_text(json.dumps(truth))
    Path("guess.json").write_text(json.dumps(results))
    ids = [row["id"] for row in truth["images"]]
    rows = [
        f"{one:04d},{'back' if one % 3 else 'front'},{'' if one == ids[0] else 'day' if one % 2 else 'night'}"
        for one in ids
    ]
    Path("meta.csv").write_text("\n".join(["file_name,camera,light", *rows]))


def run(capsys, *words):
    code = main(["eval", "truth.json", "guess.json", "--quiet", *words])
    return code, capsys.readouterr()


def facts(capsys, *words):
    code, said = run(capsys, "--json", *words)
    assert code == 0
    return json.loads(said.out)


class TestInterval:
    def test_are_those_of_python(self, capsys):
        told = facts(capsys, "--interval", "--replicates", "60", "--seed", "3", "--level", "0.9", "--min-score", "0.5")
        result = vesica.evaluate("truth.json", "guess.json")
        want = result.interval(replicates=60, seed=3, level=0.9, min_score=0.5)
        assert told["intervals"] == json.loads(json.dumps(want.to_dict()))
        assert told["intervals"]["numbers"]["AP50"] == list(want["AP50"][:2])
        assert told["intervals"]["level"] == 0.9 and told["intervals"]["replicates"] == 60

    def test_table(self, capsys):
        _, said = run(capsys, "--interval", "--replicates", "60", "--per-class")
        found = vesica.evaluate("truth.json", "guess.json").interval(replicates=60)
        line = next(line for line in said.out.splitlines() if line.startswith("AP50"))
        assert f"{found['AP50'].lo:.3f}–{found['AP50'].hi:.3f}" in line
        assert "95 % intervals of 60 replicates by image, seed 0" in said.out
        assert f"F1 {found['f1'].lo:.3f}–{found['f1'].hi:.3f}" in said.out
        assert "AP, interval" in said.out

    def test_without_an_interval_it_says_why(self, capsys):
        Path("one.json").write_text(
            json.dumps(
                {
                    **json.loads(Path("truth.json").read_text()),
                    "annotations": [
                        {
                            "id": 1,
                            "image_id": json.loads(Path("truth.json").read_text())["images"][0]["id"],
                            "category_id": 1,
                            "bbox": [0, 0, 9, 9],
                            "area": 81,
                            "iscrowd": 0,
                        }
                    ],
                }
            )
        )
        main(["eval", "one.json", "guess.json", "--quiet", "--interval", "--replicates", "60"])
        assert "no interval of AP, AP50" in capsys.readouterr().out

    @pytest.mark.parametrize(
        "words, text",
        [
            (("--replicates", "60"), "--replicates goes with --interval"),
            (("--seed", "0"), "--seed goes with --interval"),
            (
                ("--interval", "--level", "95"),
                "`level` must lie between 0 and 1; got 95.0. Divide a percentage by 100.",
            ),
            (("--interval", "--replicates", "0"), "`replicates` must be a whole number above 0"),
            (("--interval", "--by", "camera"), 'must be one of "image"'),
            (("--min-score", "0.5"), "--min-score goes with --counts"),
        ],
        ids=str,
    )
    def test_usage(self, capsys, words, text):
        with pytest.raises(SystemExit) as left:
            run(capsys, *words)
        assert left.value.code == 2 and text in " ".join(capsys.readouterr().err.split())


class TestSlices:
    def test_are_those_of_python(self, capsys):
        told = facts(capsys, "--slices", "meta.csv", "--interval", "--by", "camera", "--replicates", "60")["slices"]
        assert [(row["column"], row["slice"]) for row in told] == [
            ("camera", "back"), ("camera", "front"), ("light", "day"), ("light", "night")
        ]  # fmt: skip
        assert told[0]["images"] + told[1]["images"] == 30 and told[2]["images"] + told[3]["images"] == 29
        assert all(set(row["intervals"]) > set(row["summary"]) for row in told)

    def test_equal_those_of_merged_records(self, capsys):
        main(["eval", "truth.json", "guess.json", "--quiet", "--records", "all.records"])
        capsys.readouterr()
        ids = [row["id"] for row in json.loads(Path("truth.json").read_text())["images"]]
        rows = [f"{one},{'back' if one % 3 else 'front'}" for one in ids]
        Path("ids.csv").write_text("\n".join(["image,camera", *rows]))
        words = ("--slices", "ids.csv", "--interval", "--replicates", "60", "--json")
        main(["eval", "truth.json", "guess.json", "--quiet", *words])
        one = json.loads(capsys.readouterr().out)
        main(["merge", "all.records", "--quiet", *words])
        other = json.loads(capsys.readouterr().out)
        assert one["slices"] == other["slices"] and one["intervals"] == other["intervals"]

    def test_table(self, capsys):
        _, said = run(capsys, "--slices", "meta.csv")
        lines = [line.split()[:3] for line in said.out.splitlines()]
        for row in facts(capsys, "--slices", "meta.csv")["slices"]:
            assert [row["column"], row["slice"], str(row["images"])] in lines

    @pytest.mark.parametrize(
        "table, text",
        [
            ("", "must be a CSV table with a header"),
            ("image\n1", "must be a CSV table with a header"),
            ("image,camera\n1,a,b", "row 2 has 3 cells, and the header 2"),
            ("image,camera\n1,a\n1,b", "has the image '1' twice, with different values of 'camera'"),
            ("image,camera\n999,a", "The column 'camera' must have a value for each of 30 images; it has none for"),
        ],
        ids=["empty", "one column", "long row", "twice", "another image"],
    )
    def test_faults(self, capsys, table, text):
        Path("bad.csv").write_text(table)
        code, said = run(capsys, "--slices", "bad.csv")
        assert code == 3 and text in said.err
