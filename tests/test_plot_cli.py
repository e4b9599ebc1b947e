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
Image = pytest.importorskip("PIL.Image")

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
    truth_file = json.loads((folder / "truth.json").read_text())
    ids = [image["id"] for image in truth_file["images"]]
    asked = (folder / "assignments.csv").read_text().splitlines()
    (folder / "asked.csv").write_text("\n".join(line for line in asked if ",cleo," not in line))
    light = [f"{image},{'day' if k % 2 else 'night'}" for k, image in enumerate(ids)]
    (folder / "light.csv").write_text("\n".join(["image,light", *light]))
    for who, stack in zip(("ann", "ben"), maps, strict=True):
        (folder / f"maps_{who}").mkdir()
        for number, one in enumerate(stack):
            Image.fromarray(one).save(folder / f"maps_{who}" / f"{number}.png")
    records = vesica.evaluate(folder / "truth.json", folder / "guess.json", details=True).records
    (folder / "run.records").write_bytes(records.to_bytes())
    return folder


GIVEN = {
    "detection": ("truth.json", "guess.json"),
    "segmentation": ("maps.npy", "guessed.npy"),
    "surfaces": ("maps.npy", "guessed.npy"),
    "agreement": ("annotators/ann.json", "annotators/ben.json"),
    "comparison": ("truth.json", "guess.json", "guess.json"),
    "pair": ("a.csv", "b.csv"),
    "image": ("truth.json", "guess.json"),
    "detections": ("guess.json",),
    "dataset": ("truth.json",),
}
MORE = {
    "anchors": ("--anchors", "3"),
    "slices": ("--slices", "light.csv"),
    "trend": ("--by", "date", "--assignments", "asked.csv"),
}


def run(capsys, *words):
    try:
        code = main([str(word) for word in words])
    except SystemExit as left:
        code = left.code
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def words_for(files, picture, kind):
    more = [files / word if word.endswith(".csv") else word for word in MORE.get(picture, ())]
    more += ["--classes", "sky,road,car"] if kind == "surfaces" else []
    given = ("maps_ann", "maps_ben") if (picture, kind) == ("over-images", "agreement") else GIVEN[kind]
    return ["plot", picture, *(files / name for name in given), "--of", kind, *more]


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
            (
                ("causes", "a", "b", "--ignore", "255"),
                "--ignore is for segmentation and surfaces, and this",
            ),
            (("policies", "a", "b", "--boxes", "xywh"), "--boxes is for detection and comparison and image and agree"),
            (("trend", "a", "b", "--by", "cause"), "--by of trend is batch, date or round; got cause"),
            (("nms", "a", "b"), "nms of detections takes FILE, as `vesica nms` reads it; got 2 files"),
            (("causes", "-", "-"), "standard input can be read only once"),
            (("regions", "a", "b", "--sizes", "9"), "--sizes must be height,width; got '9'"),
            (
                ("regions", "a", "b", "--regions", "boundary"),
                "--regions of this picture is box, mask, rotated; got",
            ),
            (("causes", "a", "b", "--size", "big"), "--size"),
            (("causes", "a", "b", "--size", "4"), "--size must be width and height in inches"),
            (("causes", "a", "b", "--dpi", "0"), "must lie between 10 and 1200; got 0"),
            (("policies", "a", "b", "--regions", "box"), "--regions is for detection and agreement and"),
            (("causes", "out.png", "b"), "--output must be a file of its own; out.png is read"),
        ],
    )
    def test_usage(self, capsys, words, message):
        code, _, error = run(capsys, "plot", *words, "-o", "out.png")
        assert code == 2 and message in error

    @pytest.mark.parametrize("picture", ["bias", "trend", "ious", "confusion"])
    def test_label_maps_where_objects_are_meant(self, files, tmp_path, capsys, picture):
        words = ("plot", picture, files / "maps_ann", files / "maps_ben", "--of", "agreement", "-o", tmp_path / "a.svg")
        code, _, error = run(capsys, *words)
        assert code == 3 and "objects of annotators; got label maps of annotators." in error and "evaluate" not in error

    def test_endings(self, capsys):
        code, _, error = run(capsys, "plot", "causes", "a", "b", "-o", "out.gif")
        assert code == 2 and "A picture is written as .png, .svg or .pdf; got 'out.gif'" in error


class TestImages:
    """One image of two files."""

    def words(self, files, *more):
        return ["plot", "regions", files / "truth.json", files / "guess.json", *more, "--json"]

    def test_the_numbers_are_those_of_the_image(self, files, tmp_path, capsys):
        truth, guess = (vesica.read(files / name) for name in ("truth.json", "guess.json"))
        result = vesica.evaluate(truth, guess)
        row = list(result.per_image(iou=0.5, min_score=0.3))[4]
        words = self.words(
            files, "--image", row["image"], "--iou", "0.5", "--min-score", "0.3", "-o", tmp_path / "a.svg"
        )
        told = json.loads(run(capsys, *words)[1])
        assert told["title"] == f"{row['tp']} found, {row['fp']} wrong, {row['fn']} missed"

    def test_by_name_or_id(self, files, tmp_path, capsys):
        content = json.loads((files / "truth.json").read_text())
        image = content["images"][3]
        for word in (image["id"], image["file_name"], image["file_name"].rpartition(".")[0]):
            assert run(capsys, *self.words(files, "--image", word, "-o", tmp_path / f"{word}.svg"))[0] == 0
        written = [path.read_bytes() for path in tmp_path.iterdir()]
        assert len(written) == 3 and len(set(written)) == 1

    def test_an_image_that_is_not_there(self, files, tmp_path, capsys):
        code, out, _ = run(capsys, *self.words(files, "--image", "none.jpg", "-o", tmp_path / "a.svg"))
        assert code == 3 and "has no image none.jpg; it has" in out and not [*tmp_path.iterdir()]

    def test_the_photograph_is_behind_it(self, files, tmp_path, capsys, monkeypatch):
        content = json.loads((files / "truth.json").read_text())
        image = content["images"][0]
        pictures = tmp_path / "pictures"
        pictures.mkdir()
        shown = []
        monkeypatch.setattr(plot.files, "bytes_of", lambda ax, *_, **__: shown.append(ax) or b"")
        Image.new("RGB", (image["width"], image["height"]), (255, 255, 255)).save(pictures / image["file_name"])
        more = ("--image", image["id"], "-o", tmp_path / "a.svg")
        assert run(capsys, *self.words(files, *more))[0] == 0 and not shown[-1].images
        for option, path in (("--photograph", pictures / image["file_name"]), ("--images", pictures)):
            assert run(capsys, *self.words(files, *more, option, path))[0] == 0
            assert shown[-1].images[0].get_array()[0, 0].tolist() == [255, 255, 255]

    @pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n", b"GIF89a"])
    def test_a_photograph_that_is_none(self, files, tmp_path, capsys, content):
        (tmp_path / "a.png").write_bytes(content)
        words = self.words(files, "--photograph", tmp_path / "a.png", "-o", tmp_path / "b.svg")
        code, out, error = run(capsys, *words)
        assert code == 3 and "is no picture that can be read" in out + error and not (tmp_path / "b.svg").exists()

    def test_masks(self, tmp_path, capsys):
        square = {"segmentation": [[0, 0, 8, 0, 8, 8, 0, 8]], "bbox": [0, 0, 8, 8], "area": 64, "iscrowd": 0}
        truth = {
            "images": [{"id": 1, "width": 20, "height": 20}],
            "categories": [{"id": 1, "name": "cat"}],
            "annotations": [{"id": 1, "image_id": 1, "category_id": 1, **square}],
        }
        guess = [{"image_id": 1, "category_id": 1, "score": 0.5, "segmentation": square["segmentation"]}]
        for name, value in (("truth.json", truth), ("guess.json", guess)):
            (tmp_path / name).write_text(json.dumps(value))
        words = self.words(tmp_path, "--regions", "mask", "-o", tmp_path / "a.svg")
        assert json.loads(run(capsys, *words)[1])["title"] == "1 found, 0 wrong, 0 missed"

    def test_yolo_files_are_read_as_eval_reads_them(self, tmp_path, capsys):
        for name, line in (("labels", "0 0.5 0.5 0.2 0.2"), ("guesses", "0 0.5 0.5 0.2 0.2 0.9")):
            (tmp_path / name).mkdir()
            (tmp_path / name / "a.txt").write_text(line)
        given = ("plot", "regions", tmp_path / "labels", tmp_path / "guesses", "--sizes", "100,200")
        code, out, error = run(capsys, *given, "-o", tmp_path / "a.svg")
        assert code == 0 and "1 found, 0 wrong, 0 missed" in out and "as YOLO" in error, error


class TestNms:
    def test_of_an_image_and_by_class(self, files, tmp_path, capsys):
        rows = json.loads((files / "guess.json").read_text())
        image = rows[-1]["image_id"]
        own = [row for row in rows if row["image_id"] == image]
        boxes = vesica.Boxes([row["bbox"] for row in own], "xywh")
        for more, keys in (((), None), (("--per-class",), [row["category_id"] for row in own])):
            kept = vesica.nms(boxes, [row["score"] for row in own], above=0.2, keys=keys)
            words = ["plot", "nms", files / "guess.json", "--image", image, "--iou", "0.2", *more]
            assert f"{len(kept)} of {len(own)} stay" in run(capsys, *words, "-o", tmp_path / "a.svg")[1]

    def test_an_image_without_detections(self, files, tmp_path, capsys):
        code, _, error = run(capsys, "plot", "nms", files / "guess.json", "--image", "none", "-o", tmp_path / "a.svg")
        assert code == 3 and "has no detection of image none" in error

    def test_tables(self, tmp_path, capsys):
        (tmp_path / "a.csv").write_text("0,0,4,4,0.9\n0,0,4,3,0.8\n6,6,3,3,0.7\n")
        words = ("plot", "nms", tmp_path / "a.csv", "--form", "xywh", "-o", tmp_path / "a.svg")
        assert "2 of 3 stay" in run(capsys, *words)[1]
