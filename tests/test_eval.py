"""`vesica eval` and `vesica merge`, as a stranger would try them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import vesica
from vesica.cli import main
from vesica.detection import Records

TRUTH = {
    "images": [{"id": 1, "width": 80, "height": 80}, {"id": 2, "width": 80, "height": 80}],
    "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}, {"id": 3, "name": "[red]yak\u001b[31m"}],
    "annotations": [
        {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 10], "area": 100, "iscrowd": 0},
        {"id": 2, "image_id": 1, "category_id": 1, "bbox": [20, 0, 10, 10], "area": 100, "iscrowd": 0},
        {"id": 3, "image_id": 2, "category_id": 1, "bbox": [0, 0, 20, 20], "area": 400, "iscrowd": 0},
        {"id": 4, "image_id": 1, "category_id": 2, "bbox": [40, 0, 20, 20], "area": 400, "iscrowd": 0},
    ],
}
GUESS = [
    {"image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 9], "score": 0.95},
    {"image_id": 1, "category_id": 1, "bbox": [1, 0, 10, 10], "score": 0.9},
    {"image_id": 1, "category_id": 1, "bbox": [20, 0, 10, 5], "score": 0.8},
    {"image_id": 2, "category_id": 1, "bbox": [0, 0, 20, 16], "score": 0.7},
    {"image_id": 1, "category_id": 2, "bbox": [40, 0, 20, 18], "score": 0.6},
    {"image_id": 2, "category_id": 2, "bbox": [50, 50, 10, 10], "score": 0.5},
]
BOTH = ("eval", "truth.json", "guess.json", "--quiet")


def write(name, value):
    Path(name).write_text(json.dumps(value))


def part(image):
    """The files of one image."""
    truth = {
        **TRUTH,
        "images": [one for one in TRUTH["images"] if one["id"] == image],
        "annotations": [one for one in TRUTH["annotations"] if one["image_id"] == image],
    }
    return truth, [one for one in GUESS if one["image_id"] == image]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("truth.json", TRUTH)
    write("guess.json", GUESS)
    write("nothing.json", [])
    write("unscored.json", [{key: value for key, value in row.items() if key != "score"} for row in GUESS])
    write("elsewhere.json", [{**GUESS[0], "image_id": 99}])
    write("inside_out.json", [{**GUESS[0], "bbox": [9, 9, -5, -5]}])
    Path("cut.json").write_text(json.dumps(GUESS)[:-20])


def run(capsys, *words):
    try:
        code = main(list(words))
    except SystemExit as leaving:
        code = leaving.code
    out, err = capsys.readouterr()
    return code, out, err


def answer(capsys, *words):
    code, out, err = run(capsys, *words, "--json")
    assert code == 0 and err == "" and out.count("\n") == 1
    return json.loads(out)


class TestNumbers:
    """The example of docs/scores.md."""

    def test_are_those_of_the_library(self, capsys):
        summary = vesica.evaluate("truth.json", "guess.json").summary
        assert answer(capsys, *BOTH)["summary"] == {
            name: None if value != value else value for name, value in summary.items()
        }

    def test_json_is_all_of_the_result_in_sorted_keys(self, capsys):
        out = run(capsys, *BOTH, "--json")[1]
        found = json.loads(out)
        assert out == json.dumps(found, sort_keys=True, ensure_ascii=False) + "\n"
        assert found == json.loads(vesica.evaluate("truth.json", "guess.json").to_json()) | {"gates": []}

    def test_table(self, capsys):
        code, out, err = run(capsys, *BOTH)
        rows = {line.split()[0]: line.split() for line in out.splitlines() if line}
        assert code == 0 and err == ""
        assert out.startswith("COCO, boxes: 2 images, 4 truths, 6 guesses, 3 categories\n")
        assert rows["AP50"] == "AP50 0.917 average precision 0.50 all 100".split()
        assert rows["ARs"][1:] == "0.733 average recall 0.50:0.95 small, up to 32² 100".split()
        assert rows["APl"][1] == "–" and not any(line.endswith(" ") for line in out.splitlines())

    def test_no_colour_when_piped(self, capsys):
        assert "\x1b" not in run(capsys, *BOTH, "--per-class", "--counts", "--gate", "AP>=0.9")[1]

    def test_does_not_depend_on_the_window(self, capsys, monkeypatch):
        wide = run(capsys, *BOTH, "--per-class")
        monkeypatch.setenv("COLUMNS", "20")
        assert run(capsys, *BOTH, "--per-class") == wide

    def test_threads_change_nothing(self, capsys):
        assert run(capsys, *BOTH, "--threads", "1", "--json") == run(capsys, *BOTH, "--threads", "2", "--json")

    def test_no_guesses(self, capsys):
        found = answer(capsys, "eval", "truth.json", "nothing.json", "--quiet", "--counts")
        assert found["summary"]["AP"] == 0 and found["counts"]["fn"] == 4 and found["counts"]["best_f1"] is None
        assert run(capsys, "eval", "truth.json", "nothing.json", "--quiet", "--counts", "--per-class")[0] == 0


class TestWords:
    def test_what_was_read_is_told_on_stderr(self, capsys):
        err = run(capsys, "eval", "truth.json", "guess.json")[2]
        assert err.splitlines() == [
            "Read truth.json as COCO truth: 4 boxes, xywh pixels, 2 images.",
            "Read guess.json as COCO results: 6 boxes, xywh pixels, 2 images.",
        ]

    def test_what_the_reader_assumed(self, capsys):
        del_area = [{key: value for key, value in row.items() if key != "area"} for row in TRUTH["annotations"]]
        write("bare.json", {**TRUTH, "annotations": del_area})
        _, out, err = run(capsys, "eval", "bare.json", "guess.json")
        assert '  note: "area" is missing in 4 of 4 annotations: the area of the region is taken.\n' in err
        assert 'note: 4 truths without "area" have that of their region' in out


class TestOptions:
    @pytest.mark.parametrize(
        "words, options",
        [
            (["--protocol", "voc"], {"protocol": "voc"}),
            (["--protocol", "voc07"], {"protocol": "voc07"}),
            (["--protocol", "voc12"], {"protocol": "voc12"}),
            (["--protocol", "voc-devkit"], {"protocol": "voc-devkit"}),
            (["--protocol", "lvis"], {"protocol": "lvis"}),
            (["--iou", "0.5"], {"iou": 0.5}),
            (["--iou", "0.3,0.75"], {"iou": [0.3, 0.75]}),
            (["--areas", "all=0:1e10,tiny=0:256"], {"areas": {"all": (0, 1e10), "tiny": (0, 256)}}),
            (["--areas", "tiny=0:256"], {"areas": {"tiny": (0, 256)}}),
            (["--max-dets", "1"], {"max_dets": 1}),
            (["--max-dets", "2,5"], {"max_dets": [2, 5]}),
            (["--class-agnostic"], {"by_class": False}),
            (["--strict"], {"strict": True}),
            (["--quirks", "pycocotools"], {"quirks": "pycocotools"}),
        ],
    )
    def test_are_those_of_evaluate(self, capsys, words, options):
        found = answer(capsys, *BOTH, *words, "--counts")
        wanted = json.loads(vesica.evaluate("truth.json", "guess.json", **options).to_json())
        assert {key: found[key] for key in wanted} == wanted
        assert run(capsys, *BOTH, *words, "--counts", "--per-class")[0] == 0

    @pytest.mark.parametrize("regions", ["mask", "boundary"])
    def test_regions(self, capsys, regions):
        def squared(row):
            x, y, w, h = row["bbox"]
            return {**row, "segmentation": [[x, y, x + w, y, x + w, y + h, x, y + h]]}

        write("truth.json", {**TRUTH, "annotations": [squared(row) for row in TRUTH["annotations"]]})
        rle = [{"size": [80, 80], "counts": _rectangle(*row["bbox"])} for row in GUESS]
        write("guess.json", [{**row, "segmentation": one} for row, one in zip(GUESS, rle, strict=True)])
        found = answer(capsys, *BOTH, "--regions", regions)
        assert found["regions"] == regions and 0 < found["summary"]["AP"] < 1
        if regions == "mask":
            assert found["summary"]["AP"] == answer(capsys, *BOTH)["summary"]["AP"]

    def test_per_class(self, capsys):
        out = run(capsys, *BOTH, "--per-class")[1]
        table = out[out.index("category") :].splitlines()
        assert table[0].split() == "category AP AP50 AP75 APs AR100 truths guesses".split()
        assert [row.split()[0] for row in table[1:3]] == ["dog", "cat"]  # best first
        assert table[1].split()[1] == "0.900" and table[2].split()[-2:] == ["3", "4"]
        assert table[3] == "1 more have neither truths nor guesses"

    def test_names_do_not_reach_the_terminal_as_they_are(self, capsys):
        write("guess.json", [*GUESS, {**GUESS[0], "category_id": 3}])
        out = run(capsys, *BOTH, "--per-class")[1]
        assert "[red]yak\\x1b[31m" in out and "\x1b" not in out

    def test_counts(self, capsys):
        """As seed and textbook count: more than one half, and each truth once."""
        found = answer(capsys, *BOTH, "--counts", "--iou", "0.5", "--strict")["counts"]
        assert [found[name] for name in ("iou", "min_score", "tp", "fp", "fn")] == [0.5, None, 3, 3, 1]
        assert (found["precision"], found["recall"], found["f1"]) == (0.5, 0.75, 0.6)
        cat, dog, yak = found["classes"]
        assert (cat["category"], cat["tp"], cat["fp"], cat["fn"]) == ("cat", 2, 2, 1)
        assert (dog["precision"], dog["recall"]) == (0.5, 1.0)
        assert yak["precision"] is None and yak["recall"] is None and yak["f1"] is None

    def test_counts_from_a_score_on(self, capsys):
        found = answer(capsys, *BOTH, "--counts", "--min-score", "0.7")["counts"]
        assert [found[name] for name in ("min_score", "tp", "fp", "fn")] == [0.7, 3, 1, 1]
        assert found["best_f1"]["score"] == 0.6
        out = run(capsys, *BOTH, "--counts", "--min-score", "0.7")[1]
        assert "right, wrong and missed at IoU 0.50, of guesses with a score of at least 0.7\n" in out
        assert "all        3   1   1      0.750   0.750  0.750\n" in out
        assert "F1 is highest, 0.889, for guesses with a score of at least 0.6\n" in out

    def test_format(self, capsys):
        assert answer(capsys, *BOTH, "--format", "coco") == answer(capsys, *BOTH)
        words = ("--truth-format", "coco", "--guess-format", "csv")
        code, _, err = run(capsys, *BOTH, *words)
        assert code == 3 and "guess.json" in err


class TestYolo:
    """The same objects as label files: shares of images of 80 × 80."""

    @pytest.fixture(autouse=True)
    def labels(self):
        for name, rows in (("truth", TRUTH["annotations"]), ("guess", GUESS)):
            Path(name).mkdir()
            for image in (1, 2):
                lines = [_label(row) for row in rows if row["image_id"] == image]
                Path(name, f"{image}.txt").write_text("".join(lines))

    @pytest.mark.parametrize("truth", ["truth", "truth.json"])
    def test_sizes_and_images(self, capsys, truth):
        words = ("--sizes", "80,80") if truth == "truth" else ()
        found = answer(capsys, "eval", truth, "guess", "--quiet", *words)
        assert found["summary"]["AP50"] == pytest.approx(answer(capsys, *BOTH)["summary"]["AP50"])

    def test_images_of_another_set(self, capsys):
        found = answer(capsys, "eval", "truth", "guess", "--quiet", "--images", "truth.json")
        assert found["images"] == 2 and found["summary"]["AP50"] == pytest.approx(0.917, abs=1e-3)

    def test_names(self, capsys):
        Path("kinds.txt").write_text("nothing\ncat\ndog\n")
        words = ("--sizes", "80,80", "--names", "kinds.txt", "--gate", "AP50[dog]>0.99")
        assert run(capsys, "eval", "truth", "guess", "--quiet", *words)[0] == 0

    def test_sizes_are_needed(self, capsys):
        code, _, err = run(capsys, "eval", "truth", "guess", "--quiet")
        assert code == 3 and "sizes" in err

    def written(self, make):
        for name, rows in (("truth", TRUTH["annotations"]), ("guess", GUESS)):
            for image in (1, 2):
                Path(name, f"{image}.txt").write_text("".join(make(row) for row in rows if row["image_id"] == image))

    @pytest.mark.parametrize("regions", ["box", "mask"])
    def test_outlines_of_four_points(self, capsys, regions):
        """Eight numbers may be a rotated box; nine are an outline with a score, or a rotated box with one."""

        def outline(row):
            x, y, w, h = (side / 80 for side in row["bbox"])
            numbers = [x, y, x + w, y, x + w, y + h, x, y + h, *([row["score"]] if "score" in row else [])]
            return " ".join(map(str, [row["category_id"], *numbers])) + "\n"

        self.written(outline)
        words = ("eval", "truth", "guess", "--quiet", "--sizes", "80,80", "--regions", regions)
        code, _, err = run(capsys, *words)
        assert code == 3 and "Say --kind polygon for the one, --kind obb for the other." in err
        found = answer(capsys, *words, "--kind", "polygon")
        assert found["summary"] == pytest.approx(answer(capsys, *BOTH)["summary"])
        turned = answer(capsys, *words[:-1], "rotated", "--kind", "obb")
        assert turned["summary"]["AP50"] == pytest.approx(found["summary"]["AP50"])

    def test_pixels(self, capsys):
        self.written(lambda row: " ".join(map(str, [row["category_id"], *row["bbox"], *_score(row)])) + "\n")
        words = ("eval", "truth", "guess", "--quiet")
        assert run(capsys, *words, "--sizes", "80,80")[0] == 3
        found = answer(capsys, *words, "--boxes", "xywh", "--columns", "class box score")
        assert found["summary"] == pytest.approx(answer(capsys, *BOTH)["summary"])

    @pytest.mark.parametrize("words", [("--kind", "poly"), ("--columns", "score"), ("--boxes", "xyhw")])
    def test_words_that_nobody_knows(self, capsys, words):
        code, _, err = run(capsys, "eval", "truth", "guess", "--quiet", "--sizes", "80,80", *words)
        assert code == 3 and f"`{words[0]}` must be one of" in err

    @pytest.mark.parametrize(
        "words", [("--kind", "polygon"), ("--sizes", "9,9"), ("--names", "x"), ("--images", "truth.json"),
                  ("--boxes", "xyxy"), ("--columns", "class box score")],
    )  # fmt: skip
    def test_options_of_other_files(self, capsys, words):
        """What is said of neither file is not passed over."""
        code, _, err = run(capsys, *BOTH, *words)
        assert code == 3 and f"`{words[0]}` says nothing about files of coco. Leave it out." in err
        assert run(capsys, "eval", "truth.json", "guess", "--quiet", "--kind", "polygon")[0] == 0


def _score(row):
    return [row["score"]] if "score" in row else []


def _label(row):
    x, y, w, h = row["bbox"]
    numbers = [(x + w / 2) / 80, (y + h / 2) / 80, w / 80, h / 80, *([row["score"]] if "score" in row else [])]
    return " ".join(map(str, [row["category_id"], *numbers])) + "\n"


def _rectangle(x, y, width, height, size=80):
    """Run lengths of a rectangle, columns first."""
    runs, last = [x * size + y], size - y - height
    for column in range(width):
        runs += [height, last + (y if column < width - 1 else (size - x - width) * size)]
    return runs


class TestGates:
    def test_pass(self, capsys):
        code, out, _ = run(capsys, *BOTH, "--gate", "AP50>=0.9", "--gate", "AP[cat,dog]>0.3")
        assert code == 0 and [line.split() for line in out.splitlines()[-4:]] == [
            ["gate", "value"],
            ["AP50>=0.9", "0.917", "passed"],
            ["AP[cat]>0.3", "0.451", "passed"],
            ["AP[dog]>0.3", "0.900", "passed"],
        ]

    def test_fail(self, capsys):
        code, out, _ = run(capsys, *BOTH, "--gate", "AP50>=0.9", "--gate", "AP75>0.9", "--gate", "AP[3]>=0")
        assert code == 1 and out.splitlines()[-1].endswith("FAILED: there are no truths that it could count")
        assert out.splitlines()[-2].endswith("FAILED") and out.splitlines()[-3].endswith("passed")

    def test_why_there_is_no_number(self, capsys):
        words = ("--counts", "--gate", "precision[3]>=0", "--gate", "recall[3]>=0", "--json")
        found = json.loads(run(capsys, *BOTH, *words)[1])["gates"]
        assert [gate["reason"] for gate in found] == [
            f"there are no {what} that it could count" for what in ("guesses", "truths")
        ]

    def test_json(self, capsys):
        code, out, _ = run(capsys, *BOTH, "--gate", "AP75>0.9", "--json")
        (gate,) = json.loads(out)["gates"]
        assert code == 1 and gate["gate"] == "AP75>0.9" and gate["passed"] is False and gate["bound"] == 0.9
        assert gate["value"] == json.loads(out)["summary"]["AP75"]

    def test_a_perfect_detector_reaches_one(self, capsys):
        """COCO's rule leaves it a little below: pycocotools' own number is that."""
        write("one.json", TRUTH | {"annotations": TRUTH["annotations"][:1]})
        rows = [{**TRUTH["annotations"][0], "score": 0.5}]
        write("perfect.json", [{key: row[key] for key in ("image_id", "category_id", "bbox", "score")} for row in rows])
        words = ("eval", "one.json", "perfect.json", "--quiet", "--gate", "AP>=1", "--gate", "AP50[cat]>=1.0")
        assert vesica.evaluate("one.json", "perfect.json")["AP"] < 1
        assert run(capsys, *words)[0] == 0
        assert run(capsys, *words, "--gate", "AP>1")[0] == run(capsys, *words, "--gate", "AP<1")[0] == 1

    def test_counts_of_ranges_that_do_not_cover_all(self, capsys):
        found = answer(capsys, *BOTH, "--areas", "tiny=0:100", "--counts", "--gate", "APt>=0.4")
        assert found["counts"]["area"] == "tiny" and "AP" not in found["summary"] and found["summary"]["AP50t"] > 0
        assert run(capsys, *BOTH, "--areas", "tiny=0:100", "--gate", "AP>=0.5")[0] == 2
        assert "APt" in run(capsys, *BOTH, "--areas", "tiny=0:100", "--counts", "--per-class")[1]

    def test_counts(self, capsys):
        words = ("--counts", "--gate", "precision>0.6", "--gate", "recall[cat]>=1", "--gate", "fp[dog]<=1")
        assert run(capsys, *BOTH, *words)[0] == 0
        assert run(capsys, *BOTH, "--counts", "--gate", "fn<=-1")[0] == 1

    def test_by_name_before_id(self, capsys):
        """A category that is called "1" is not the one whose id is 1."""
        kinds = [{"id": 1, "name": "2"}, {"id": 2, "name": "1"}]
        write("truth.json", {**TRUTH, "categories": kinds})
        assert run(capsys, *BOTH, "--gate", "AP[1]>=0.8")[0] == 0
        assert run(capsys, *BOTH, "--gate", "AP[2]>=0.8")[0] == 1


WRONG = [
    (("--gate", "AP5>=0.5"), 2, "The result has no number 'AP5'. Did you mean 'AP75' or 'AP50'?"),
    (("--gate", "AP50[cta]>=0.5"), 2, "The truth has no category 'cta'. Did you mean 'cat'?"),
    (("--gate", "precision>=0.5"), 2, "The result has no number 'precision'."),
    (("--gate", "AP"), 2, "'AP' is no gate."),
    (("--gate", "AP drop<=0.01 @95%"), 2, "must say since what: AP drop<=0.01 vs base.records"),
    (("--gate", "AP>=0.5 @95"), 2, "must be a percentage: @95%"),
    (("--iou", "50"), 2, "`iou` must be thresholds from 0 to 1; got 50.0."),
    (("--iou", "0.5;0.6"), 2, "--iou must be numbers with commas between them; got '0.5;0.6'"),
    (("--max-dets", "0"), 2, "`max_dets` must be whole numbers from 1"),
    (("--max-dets", "ten"), 2, "--max-dets must be whole numbers with commas between them; got 'ten'"),
    (("--areas", "small"), 2, "--areas must be NAME=LO:HI with commas between them; got 'small'"),
    (("--areas", "small=9:1"), 2, "`areas` of 'small' must rise; got (9.0, 1.0)."),
    (("--protocol", "imagenet"), 2, "invalid choice: 'imagenet'"),
    (("--protocol", "voc", "--quirks", "pycocotools"), 2, "`quirks` are faults of pycocotools"),
    (("--min-score", "0.5"), 2, "--min-score goes with --counts"),
    (("--counts", "--min-score", "nan"), 2, "`--min-score` must be finite; got nan."),
    (("--threads", "0"), 2, "`--threads` must be a whole number above 0; got 0."),
    (("--sizes", "80"), 2, "--sizes must be height,width; got '80'"),
    (("--format", "jpeg"), 2, "invalid choice: 'jpeg'"),
    (("--records", "no/such/folder/all.records"), 3, "no/such/folder/all.records cannot be written: No such file"),
]
BAD = [
    (("nowhere.json", "guess.json"), "nowhere.json cannot be read: No such file or directory."),
    (("truth.json", "cut.json"), "cut.json"),
    (("truth.json", "unscored.json"), 'has no "score"'),
    (("truth.json", "elsewhere.json"), "1 guesses are of images that the truth does not have: 99."),
    (("truth.json", "inside_out.json"), "negative width or height"),
    (("guess.json", "truth.json"), "Are truth and guess swapped?"),
]


class TestErrors:
    @pytest.mark.parametrize("words, code, message", WRONG)
    def test_usage(self, capsys, words, code, message):
        got, out, err = run(capsys, *BOTH, *words)
        assert got == code and out == "" and message in err
        got, out, err = run(capsys, *BOTH, *words, "--json")
        assert got == code and err == ""
        assert json.loads(out)["exit"] == code and message in json.loads(out)["error"]

    @pytest.mark.parametrize("names, message", BAD)
    def test_bad_input(self, capsys, names, message):
        got, out, err = run(capsys, "eval", *names, "--quiet")
        assert got == 3 and out == "" and message in err and err.count("\n") == 1
        got, out, err = run(capsys, "eval", *names, "--quiet", "--json")
        assert got == 3 and err == ""
        assert json.loads(out)["exit"] == 3 and message in json.loads(out)["error"]

    def test_standard_input_twice(self, capsys):
        assert "standard input can be read only once" in run(capsys, "eval", "-", "-")[2]


class TestMerge:
    @pytest.fixture
    def parts(self, capsys):
        for image in (1, 2):
            truth, guess = part(image)
            write("part_truth.json", truth)
            write("part_guess.json", guess)
            words = ("eval", "part_truth.json", "part_guess.json", "--quiet", "--records", f"{image}.records")
            assert run(capsys, *words)[0] == 0

    @pytest.mark.parametrize("names", [("1.records", "2.records"), ("2.records", "1.records")])
    def test_is_as_if_scored_at_once(self, parts, capsys, names):
        words = ("--per-class", "--counts", "--gate", "AP>0.5")
        merged, whole = (run(capsys, *first, "--quiet", *words) for first in (("merge", *names), BOTH))
        assert merged == whole and merged[0] == 0
        assert run(capsys, "merge", *names, "--quiet", "--json") == run(capsys, *BOTH, "--json")

    def test_gates(self, parts, capsys):
        assert run(capsys, "merge", "1.records", "2.records", "--quiet", "--gate", "AP>0.9")[0] == 1
        assert run(capsys, "merge", "1.records", "--quiet", "--gate", "PA>0.9")[0] == 2

    def test_writes_records(self, parts, capsys):
        run(capsys, *BOTH, "--records", "whole.records")
        code, _, err = run(capsys, "merge", "2.records", "1.records", "--records", "both.records")
        assert code == 0 and err == "Merged 2 files: Records(6 guesses, 2 images, coco)\n"
        assert Path("both.records").read_bytes() == Path("whole.records").read_bytes()
        assert len(Records.from_bytes(Path("both.records").read_bytes())) == 6
        assert not list(Path().glob(".*.part"))

    def test_what_does_not_belong_together(self, parts, capsys):
        code, _, err = run(capsys, "merge", "1.records", "2.records", "1.records", "--quiet")
        assert code == 3 and "1.records and 1.records: Records must be of different images; image 1 is in two" in err
        run(capsys, *BOTH, "--iou", "0.5", "--records", "other.records")
        code, _, err = run(capsys, "merge", "1.records", "other.records", "--quiet")
        assert code == 3 and "1.records and other.records: Records of different protocols do not belong together" in err

    def test_duplicates(self, parts, capsys):
        names = ("merge", "1.records", "2.records", "1.records", "--quiet")
        assert "--duplicates same" in run(capsys, *names)[2]
        found = answer(capsys, *names, "--duplicates", "same")
        assert found["summary"] == answer(capsys, *BOTH)["summary"]
        assert [(note["rule"], note["count"]) for note in found["notes"]] == [("M1", 1)]
        write("other.json", [{**row, "score": row["score"] / 2} for row in part(1)[1]])
        write("part_truth.json", part(1)[0])
        run(capsys, "eval", "part_truth.json", "other.json", "--records", "3.records")
        code, _, err = run(capsys, "merge", "1.records", "3.records", "--quiet", "--duplicates", "same")
        assert code == 3 and "1.records and 3.records: Image 1 is in two records, with different scores" in err

    def test_what_is_no_record(self, parts, capsys):
        Path("bad.records").write_bytes(Path("1.records").read_bytes()[:-1])
        assert run(capsys, "merge", "bad.records")[0] == 3
        assert "bad.records: These records end in the middle." in run(capsys, "merge", "bad.records")[2]
        assert "truth.json: These bytes are no records of vesica." in run(capsys, "merge", "truth.json")[2]
        assert "nowhere.records cannot be read" in run(capsys, "merge", "nowhere.records")[2]

    def test_usage(self, parts, capsys):
        assert run(capsys, "merge", "1.records", "--min-score", "0.5")[0] == 2


class TestProgress:
    def test_shows_nothing_when_piped(self, capsys):
        from vesica.cli.progress import steps

        with steps("one", "two") as done:
            done()
        assert capsys.readouterr().err == ""

    def test_shows_a_bar_on_a_terminal_while_a_step_takes_long(self, capsys, monkeypatch):
        import time

        from vesica.cli import progress

        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        monkeypatch.setattr(progress, "PATIENCE", 0.01)
        with progress.steps("read truth", "match") as done:
            done()
            time.sleep(0.5)
        assert "match" in capsys.readouterr().err

    def test_shows_nothing_for_short_work(self, capsys, monkeypatch):
        from vesica.cli import progress

        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        with progress.steps("read truth", "match") as done:
            done()
            done()
        assert capsys.readouterr().err == ""


class TestHelp:
    def test_needs_no_numpy(self):
        """The choices are those of the library, and cost nothing to list."""
        code = (
            "import sys\nfrom vesica.cli import main\n"
            "try: main(['eval', '--help'])\nexcept SystemExit: pass\n"
            "assert 'numpy' not in sys.modules\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert (
            "{coco,lvis,voc,voc07,voc12,voc-devkit,panoptic}" in done.stdout
            and "{box,mask,boundary,rotated}" in done.stdout
        )
        formats = "{coco,voc,yolo,dota,cvat,labelstudio,labelme,csv,npz,npy,parquet,arrow}"
        assert formats in done.stdout and "{pycocotools,panopticapi}" in done.stdout
