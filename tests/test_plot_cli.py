"""`vesica plot`: every picture as a file, the same bytes each time, and never half of one."""

import json

import numpy as np
import pytest

import vesica
from vesica import plot
from vesica.cli import main
from vesica.cli.plot_pictures import PICTURES
from vesica.demo import files as world

pytest.importorskip("matplotlib")

HEADS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Twelve images of the demo and one of its detectors; annotators; label maps; tables of boxes."""
    folder = tmp_path_factory.mktemp("plot")
    world.write(folder, range(12), 12, 0)
    (folder / "b.json").rename(folder / "guess.json")
    maps = np.random.default_rng(0).integers(0, 3, (2, 2, 12, 12)).astype(np.uint8)
    for name, stack in zip(("maps.npy", "guessed.npy"), maps, strict=True):
        np.save(folder / name, stack)
    (folder / "a.csv").write_text("0,0,4,4\n6,6,8,8\n")
    (folder / "b.csv").write_text("2,2,6,6\n6,6,8,9\n")
    records = vesica.evaluate(folder / "truth.json", folder / "guess.json", details=True).records
    (folder / "run.records").write_bytes(records.to_bytes())
    return folder


GIVEN = {
    "detection": ("truth.json", "guess.json"),
    "segmentation": ("maps.npy", "guessed.npy"),
    "surfaces": ("maps.npy", "guessed.npy"),
    "agreement": ("annotators/ann.json", "annotators/ben.json"),
    "comparison": ("truth.json", "guess.json", "guess.json"),
    "regions": ("a.csv", "b.csv"),
    "shapes": ("truth.json",),
}


def run(capsys, *words):
    try:
        code = main([str(word) for word in words])
    except SystemExit as left:
        code = left.code
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def words_for(files, picture, kind):
    more = {"surfaces": ("--classes", "sky,road,car"), "shapes": ("--anchors", "3")}.get(kind, ())
    return ["plot", picture, *(files / name for name in GIVEN[kind]), "--of", kind, *more]


@pytest.mark.parametrize(
    ("picture", "kind"), [(name, kind) for name, one in PICTURES.items() for kind in one.of], ids=lambda word: str(word)
)
def test_every_picture(files, tmp_path, capsys, monkeypatch, picture, kind):
    """Drawn, but not rendered: most of the time goes there, and three formats are below."""
    monkeypatch.setattr(plot.files, "bytes_of", lambda ax, ending, dpi: f"{ending} {ax.get_title(loc='left')}".encode())
    code, out, _ = run(capsys, *words_for(files, picture, kind), "-o", tmp_path / "out.svg", "--json")
    told = json.loads(out)
    assert code == 0 and told["title"] and told["sentence"], told
    assert " ".join((tmp_path / "out.svg").read_text().split()) == f"svg {told['title']}"


class TestFiles:
    @pytest.mark.parametrize("ending", HEADS)
    def test_equal_bytes_each_time(self, files, tmp_path, capsys, ending):
        words = words_for(files, "ious", "detection")
        for name in ("one", "two"):
            assert run(capsys, *words, "-o", tmp_path / f"{name}.{ending}", "--dpi", 40)[0] == 0
        one, two = ((tmp_path / f"{name}.{ending}").read_bytes() for name in ("one", "two"))
        assert one == two and one.startswith(HEADS[ending])
        assert ending != "svg" or (b"<text" in one and b"<dc:date>" not in one)

    def test_texts_of_an_svg_are_escaped(self, tmp_path):
        names = ["</svg><script>x</script>", "$\\bad$", "\x00"]
        found = vesica.evaluate_segmentation([[0, 1, 2]], [[0, 1, 2]], categories=names)
        plot.save(plot.confusion(found), tmp_path / "out.svg")
        content = (tmp_path / "out.svg").read_text()
        assert "<script" not in content and "\x00" not in content and "&lt;/svg&gt;" in content

    def test_size_and_dpi(self, files, tmp_path, capsys):
        words = words_for(files, "by-size", "detection")
        assert run(capsys, *words, "-o", tmp_path / "a.png", "--size", "4,3", "--dpi", "50", "--theme", "dark")[0] == 0
        head = (tmp_path / "a.png").read_bytes()[16:24]
        assert (int.from_bytes(head[:4], "big"), int.from_bytes(head[4:], "big")) == (200, 150)

    def test_a_fault_leaves_the_old_picture(self, files, tmp_path, capsys):
        old = tmp_path / "old.png"
        old.write_bytes(b"old")
        code, _, error = run(capsys, "plot", "causes", files / "truth.json", tmp_path / "none.json", "-o", old)
        assert code == 3 and "none.json" in error and old.read_bytes() == b"old" and [*tmp_path.iterdir()] == [old]


class TestAnswers:
    def test_options_reach_the_picture(self, files, tmp_path, capsys):
        result = vesica.evaluate(files / "truth.json", files / "guess.json")
        wanted = result.causes(iou=0.75)
        words = [*words_for(files, "causes", "detection"), "--iou", "0.75", "-o", tmp_path / "a.svg", "--json"]
        assert f"AP is {wanted.ap:.3f}" in json.loads(run(capsys, *words)[1])["sentence"]
        words = [*words_for(files, "by-score", "detection"), "--category", "person", "-o", tmp_path / "a.svg", "--json"]
        told = json.loads(run(capsys, *words)[1])
        best = result.curve("person").best_f1
        assert told["title"] == "Where to cut person" and f"best F1 {best.f1:.3f}" in told["sentence"]

    def test_records_give_the_same_picture(self, files, tmp_path, capsys):
        options = ("--min-score", "0.3", "-o")
        words = words_for(files, "confusion", "detection")
        assert run(capsys, *words, *options, tmp_path / "a.svg")[0] == 0
        assert run(capsys, "plot", "confusion", files / "run.records", *options, tmp_path / "b.svg")[0] == 0
        assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()

    def test_a_row_of_boxes(self, files, tmp_path, capsys):
        words = ["plot", "overlap", files / "a.csv", files / "b.csv", "-o", tmp_path / "a.svg"]
        assert run(capsys, *words, "--row", "1")[1].endswith("IoU 0.667; TP 4 FP 2 FN 0 IoU = TP / (TP + FP + FN)\n")
        code, _, error = run(capsys, *words, "--row", "2")
        assert code == 3 and "a.csv has 2 rows; there is no row 2" in error

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (("pie", "a", "b"), "invalid choice: 'pie'"),
            (("causes", "a", "b", "--of", "agreement"), "causes is a picture of detection, not of agreement"),
            (("causes", "a", "b", "--category", "cat"), "--category says nothing about causes of detection"),
            (("causes", "a", "b", "c"), "causes of detection takes TRUTH GUESS, or one file of"),
            (("policies", "a"), "policies of segmentation takes TRUTH GUESS; got 1 files"),
            (("causes", "a", "b", "--ignore", "255"), "--ignore is for label maps, and this is a picture of detection"),
            (("causes", "a", "b", "--size", "big"), "--size"),
            (("causes", "a", "b", "--size", "4"), "--size must be width and height in inches"),
            (("causes", "a", "b", "--dpi", "0"), "must lie between 10 and 1200; got 0"),
            (("policies", "a", "b", "--regions", "box"), "--regions says nothing about segmentation"),
            (("causes", "out.png", "b"), "--output must be a file of its own; out.png is read"),
        ],
    )
    def test_usage(self, capsys, words, message):
        code, _, error = run(capsys, "plot", *words, "-o", "out.png")
        assert code == 2 and message in error

    def test_endings(self, capsys):
        code, _, error = run(capsys, "plot", "causes", "a", "b", "-o", "out.gif")
        assert code == 2 and "A picture is written as .png, .svg or .pdf; got 'out.gif'" in error
