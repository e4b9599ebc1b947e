"""`vesica convert`, as a stranger would try it."""

import io
import itertools
import json
from pathlib import Path

import pytest

import vesica
from samples import made, same
from vesica.cli import main

CSV = "image,class,score,x1,y1,x2,y2\n7,cat,0.5,10,20,40,60\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(capsys, *words):
    try:
        code = main(["convert", *words])
    except SystemExit as leaving:
        code = leaving.code
    out, err = capsys.readouterr()
    return code, out, err


class TestConvert:
    def test_says_what_it_does(self, capsys):
        Path("guess.csv").write_text(CSV)
        code, out, err = run(capsys, "guess.csv", "guess.json")
        assert (code, out) == (0, "")
        assert err.splitlines() == [
            "Read guess.csv as CSV: 1 box, xyxy pixels, 1 image.",
            "Wrote guess.json as coco: 1 objects, 1 images.",
            "  note: results of COCO have no place for names.",
        ]
        assert json.loads(Path("guess.json").read_text())[0]["bbox"] == [10, 20, 30, 40]

    def test_json(self, capsys):
        Path("guess.csv").write_text(CSV)
        code, out, err = run(capsys, "guess.csv", "guess.npz", "--json")
        assert (code, err) == (0, "") and json.loads(out) == {
            "categories": 1, "images": 1, "objects": 1,
            "read": {"boxes": "xyxy pixels", "from": "csv", "notes": []}, "wrote": {"lost": [], "to": "npz"},
        }  # fmt: skip

    def test_all_the_way_round(self, capsys):
        vesica.write("a.npz", made(strings=True, whole=True))
        steps = ["a.npz", "b.json", "voc", "c.csv", "d.npz"]
        for source, target in itertools.pairwise(steps):
            assert run(capsys, source, target, *(["--to", "voc"] if target == "voc" else []))[0] == 0
        first, last = vesica.read("b.json"), vesica.read("d.npz")
        key = lambda data: sorted(zip(data.images.ids[data.image], data.xywh.tolist(), strict=True))  # noqa: E731
        assert key(first) == key(last)

    def test_yolo(self, capsys):
        Path("labels").mkdir()
        Path("labels/a.txt").write_text("0 0.5 0.5 1 1 0.5\n0 0.25 0.25 0.5 0.5 0.9\n")
        Path("names.txt").write_text("cat\n")
        words = ("labels", "t.csv", "--sizes", "480,640", "--names", "names.txt", "--columns", "class box score")
        assert run(capsys, *words)[0] == 0
        assert vesica.read("t.csv").xywh.tolist() == [[0, 0, 640, 480], [0, 0, 320, 240]]
        assert run(capsys, "t.csv", "out", "--to", "yolo")[0] == 0
        assert run(capsys, "out", "u.csv", "--images", "t.csv")[0] == 0
        same(vesica.read("u.csv"), vesica.read("t.csv"), but=("categories",), atol=1e-9)

    def test_pictures(self, capsys):
        from PIL import Image

        for name in ("labels", "pictures"):
            Path(name).mkdir()
        Image.new("L", (30, 20)).save("pictures/a.png")
        Path("labels/a.txt").write_text("0 0.5 0.5 1 1\n")
        assert run(capsys, "labels", "t.json", "--images", "pictures", "--number")[0] == 0
        image = json.loads(Path("t.json").read_text())["images"][0]
        assert image == {"id": 1, "width": 30, "height": 20, "file_name": "a.png"}

    def test_pipes(self, capsysbinary, monkeypatch):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(CSV.encode())))
        assert main(["convert", "-", "-", "--to", "coco"]) == 0
        assert json.loads(capsysbinary.readouterr().out)[0]["image_id"] == 7

    def test_voc_as_written(self, capsys):
        Path("a.xml").write_text(
            "<annotation><object><name>c</name><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>3</xmax><ymax>4</ymax></bndbox>"
            "</object></annotation>"
        )
        run(capsys, "a.xml", "t.csv", "--boxes", "as_written", "--from", "voc")
        assert vesica.read("t.csv").xywh.tolist() == [[1, 2, 2, 2]]

    def test_as_is(self, capsys):
        Path("guess.csv").write_text(CSV.replace("40,60", "nan,60"))
        code, _, err = run(capsys, "guess.csv", "t.npz")
        assert code == 3 and "guess.csv, row 1: the box must be finite" in err
        assert run(capsys, "guess.csv", "t.npz", "--as-is", "--no-masks")[0] == 0

    @pytest.mark.parametrize(
        "words, code, message",
        [
            (["guess.csv"], 2, "the following arguments are required: OUT"),
            (
                ["guess.csv", "out"],
                2,
                "the ending must be one of .json, .csv, .npz, .npy, .parquet, .arrow; or say the format",
            ),
            (["guess.csv", "t.json", "--to", "cocoa"], 2, "`--to` must be one of"),
            (["guess.csv", "t.json", "--from", "cvs"], 2, 'Did you mean "csv"?'),
            (["guess.csv", "t.json", "--sizes", "5"], 2, "--sizes must be height,width; got '5'"),
            (["guess.csv", "t.json", "--threads", "0"], 2, "`--threads` must be a whole number above 0"),
            (["guess.csv", "guess.csv"], 2, "OUT must not be IN"),
            (["nowhere.csv", "t.json"], 3, "nowhere.csv cannot be read: No such file"),
            (["guess.csv", "t.json", "--kind", "pose"], 3, "`--kind` says nothing about a file of the format 'csv'"),
            (["guess.csv", "no/t.json"], 3, "cannot be written"),
        ],
    )
    def test_exit_codes(self, capsys, words, code, message):
        Path("guess.csv").write_text(CSV)
        found, out, err = run(capsys, *words)
        assert (found, out) == (code, "") and message in err

    def test_json_on_stdout_is_one_object(self, capsys):
        Path("guess.csv").write_text(CSV)
        code, out, _ = run(capsys, "guess.csv", "-", "--to", "coco", "--json")
        assert code == 2 and json.loads(out)["exit"] == 2
        code, out, _ = run(capsys, "nowhere.csv", "t.json", "--json")
        assert code == 3 and json.loads(out)["exit"] == 3
