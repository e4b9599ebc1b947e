"""The command line, as a stranger would try it."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import vesica
from vesica.cli import VERBS, main

DOCS = Path(__file__).parents[1] / "docs" / "cli.md"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("0,0,4,4\n6,6,8,8\n")
    Path("b.csv").write_text("x1,y1,x2,y2\n0,0,4,2\n1,1,5,5\n6,6,8,8\n")
    np.save("a.npy", np.float32([[0, 0, 4, 4], [6, 6, 8, 8]]))
    Path("a.json").write_text("[[0, 0, 4, 4], [6, 6, 8, 8]]")
    Path("bad.csv").write_text("0,0,4,4\n9,9,1,1\n")
    Path("turned.csv").write_text("0.5,0.5,1,1,45\n")
    np.save("cross.npy", CROSS)
    np.save("cross_u8.npy", CROSS.astype(np.uint8) * 255)
    np.save("soft.npy", np.where(CROSS, np.float32(0.75), np.float32(0.25)))
    np.save("wide.npy", np.zeros((1, 5, 6), bool))
    np.save("flat.npy", CROSS[0].astype(int))
    np.save("one.npy", CROSS[0])
    np.save("channel.npy", CROSS[:, None].astype(int))
    np.savez("one.npz", CROSS)
    np.savez("two.npz", truth=CROSS, soft=np.float64([[0, 0, 4, 4]]))
    Path("box.csv").write_text("1,1,4,4\n")
    masks = vesica.RleMasks.from_masks(CROSS).to_coco(compressed=False)
    Path("runs.json").write_text(json.dumps(masks))
    Path("truth.json").write_text(json.dumps({"annotations": [{"id": 0, "segmentation": mask} for mask in masks]}))
    Path("polygon.json").write_text('[{"segmentation": [[0, 0, 4, 0, 4, 4]]}]')
    return tmp_path


# A cross, and a layer without pixels.
CROSS = np.zeros((2, 5, 5), bool)
CROSS[0, 1:4, 2] = CROSS[0, 2, 1:4] = True


def run(capsys, *words):
    try:
        code = main(list(words))
    except SystemExit as leaving:
        code = leaving.code
    out, err = capsys.readouterr()
    return code, out, err


class TestIou:
    @pytest.mark.parametrize("a", ["a.csv", "a.json"])
    def test_matrix(self, files, capsys, a):
        assert run(capsys, "iou", a, "b.csv") == (0, "0.5,0.391304347826087,0.0\n0.0,0.0,1.0\n", "")

    def test_matrix_of_float32(self, files, capsys):
        assert run(capsys, "iou", "a.npy", "a.npy") == (0, "1.0,0.0\n0.0,1.0\n", "")

    def test_json(self, files, capsys):
        code, out, _ = run(capsys, "iou", "a.csv", "b.csv", "--json", "--measure", "coverage", "--of", "b")
        assert code == 0 and json.loads(out) == {
            "measure": "coverage",
            "shape": [2, 3],
            "values": [[1.0, 9 / 16, 0.0], [0.0, 0.0, 1.0]],
        }

    def test_aligned(self, files, capsys):
        assert run(capsys, "iou", "a.csv", "a.json", "--aligned") == (0, "1.0\n1.0\n", "")

    def test_join(self, files, capsys):
        assert run(capsys, "iou", "a.csv", "b.csv", "--at-least", "0.5")[1] == "i,j,value\n0,0,0.5\n1,2,1.0\n"
        assert run(capsys, "iou", "a.csv", "b.csv", "--at-least", "0.5", "--strict")[1] == "i,j,value\n1,2,1.0\n"
        answer = json.loads(run(capsys, "iou", "a.csv", "b.csv", "--at-least", "0.5", "--json")[1])
        assert answer["i"] == [0, 1] and answer["count"] == 2 and answer["at_least"] == 0.5

    def test_nan_is_null(self, files, capsys):
        """JSON has no NaN: of nothing with nothing, where that is asked to have no answer."""
        words = ("iou", "cross.npy", "runs.json", "--empty", "nan")
        code, out, _ = run(capsys, *words, "--json")
        strict = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
        assert code == 0 and strict["values"] == [[1.0, 0.0], [0.0, None]]
        assert run(capsys, *words, "-o", "out.json")[0] == 0
        with open("out.json") as file:
            assert json.load(file, parse_constant=lambda name: pytest.fail(name)) == [[1.0, 0.0], [0.0, None]]
        code, out, _ = run(capsys, *words, "--best", "2", "--json")
        assert code == 0 and json.loads(out, parse_constant=lambda name: pytest.fail(name))["count"] > 0

    def test_within_one_file(self, files, capsys):
        assert run(capsys, "iou", "b.csv", "--at-least", "0.1")[1] == "i,j,value\n0,1,0.14285714285714285\n"

    def test_best(self, files, capsys):
        assert run(capsys, "iou", "a.csv", "b.csv", "--best", "1")[1] == "i,j,value\n0,0,0.5\n1,2,1.0\n"
        assert run(capsys, "iou", "a.csv", "a.csv", "--best", "9")[1].count("\n") == 5

    def test_forms(self, files, capsys):
        assert run(capsys, "iou", "a.csv", "a.csv", "--form", "xyxy_inclusive", "--json")[0] == 0
        assert run(capsys, "iou", "a.csv", "a.csv", "--form", "cxcywh", "--normalised", "640,480")[0] == 0

    def test_rotated(self, files, capsys):
        assert run(capsys, "iou", "turned.csv", "turned.csv", "--rotated", "deg,ccw")[1] == "1.0\n"

    def test_standard_input(self, files):
        command = [sys.executable, "-m", "vesica", "iou", "a.csv", "-"]
        done = subprocess.run(command, input="[[0, 0, 4, 4]]", capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, "1.0\n0.0\n")

    @pytest.mark.parametrize("ending", ["npy", "csv", "json"])
    def test_output(self, files, capsys, ending):
        from vesica.io.arrays import read

        assert run(capsys, "iou", "a.csv", "b.csv", "-o", f"out.{ending}") == (0, "", "")
        assert read(f"out.{ending}").shape == (2, 3)
        assert run(capsys, "iou", "a.csv", "b.csv", "--at-least", "0.5", "-o", f"out.{ending}")[0] == 0
        assert read(f"out.{ending}").tolist() == [[0, 0, 0.5], [1, 2, 1.0]]

    def test_blocks_are_the_matrix(self, files, capsys):
        rng = np.random.default_rng(0)
        rows = np.sort(rng.uniform(0, 9, (700, 2, 2)), axis=1).reshape(700, 4)
        np.save("many.npy", rows)
        out = run(capsys, "iou", "many.npy", "many.npy")[1]
        assert np.array_equal(
            [[float(v) for v in line.split(",")] for line in out.splitlines()], vesica.iou(rows, rows)
        )

    def test_no_rows(self, files, capsys):
        Path("none.csv").write_text("x1,y1,x2,y2\n")
        assert run(capsys, "iou", "none.csv", "a.csv") == (0, "", "")
        assert json.loads(run(capsys, "iou", "none.csv", "a.csv", "--json")[1])["shape"] == [0, 2]
        assert run(capsys, "iou", "none.csv", "a.csv", "--at-least", "0.5")[1] == "i,j,value\n"

    def test_piped_into_head(self, files):
        np.save("many.npy", np.tile([[0.0, 0, 1, 1]], (800, 1)))
        command = f"{sys.executable} -m vesica iou many.npy many.npy | head -n 1 | wc -l"
        done = subprocess.run(command, shell=True, capture_output=True, text=True)
        assert done.stdout.strip() == "1" and done.stderr == ""


class TestMasks:
    """Scenario: a cross of 5 pixels and an empty layer, against the box of 9 around the cross."""

    BOX = "0.5555555555555556\n0.0\n"
    SELF = "1.0,0.0\n0.0,0.0\n"

    @pytest.mark.parametrize(
        "words",
        [
            ("cross.npy",),
            ("cross_u8.npy", "--masks"),
            ("soft.npy", "--masks", "--above", "0.5"),
            ("one.npz",),
            ("two.npz:truth",),
            ("runs.json",),
            ("truth.json",),
        ],
    )
    def test_with_boxes_and_with_masks(self, files, capsys, words):
        assert run(capsys, "iou", words[0], "box.csv", *words[1:]) == (0, self.BOX, "")
        assert run(capsys, "iou", words[0], "cross.npy", *words[1:]) == (0, self.SELF, "")

    def test_boxes_first(self, files, capsys):
        assert run(capsys, "iou", "box.csv", "runs.json")[1] == "0.5555555555555556,0.0\n"

    def test_aligned_join_best_and_json(self, files, capsys):
        assert run(capsys, "iou", "cross.npy", "runs.json", "--aligned", "--empty", "1")[1] == "1.0\n1.0\n"
        assert run(capsys, "iou", "cross.npy", "box.csv", "--at-least", "0.5")[1].endswith("\n0,0,0.5555555555555556\n")
        assert run(capsys, "iou", "runs.json", "box.csv", "--best", "1")[1].count("\n") == 3
        answer = json.loads(run(capsys, "iou", "cross.npy", "box.csv", "--measure", "coverage", "--json")[1])
        assert answer == {"measure": "coverage", "shape": [2, 1], "values": [[1.0], [0.0]]}

    def test_within_one_file(self, files, capsys):
        np.save("twice.npy", CROSS[[0, 1, 0]])
        assert run(capsys, "iou", "twice.npy", "--at-least", "1")[1] == "i,j,value\n0,2,1.0\n"

    def test_a_batch_of_boxes_is_no_stack_of_masks(self, files, capsys):
        np.save("batch.npy", np.array([[[0, 0, 4, 4]], [[1, 1, 4, 4]]]))
        np.save("table.npy", np.array([[0, 0, 4, 4]]))
        assert run(capsys, "iou", "batch.npy", "table.npy")[1] == "1.0\n0.5625\n"
        assert run(capsys, "iou", "table.npy", "batch.npy")[1] == "1.0\n0.5625\n"
        assert run(capsys, "iou", "batch.npy", "batch.npy", "--masks")[1] == "1.0,0.5\n0.5,1.0\n"

    @pytest.mark.parametrize("kind", ["npy", "json"])
    def test_blocks_are_the_matrix(self, files, capsys, kind):
        masks = np.random.default_rng(0).random((520, 3, 4)) < 0.5
        np.save("many.npy", masks)
        Path("many.json").write_text(json.dumps(vesica.RleMasks.from_masks(masks).to_coco(compressed=False)))
        out = run(capsys, "iou", f"many.{kind}", "many.npy")[1]
        rows = [[float(value) for value in line.split(",")] for line in out.splitlines()]
        assert np.array_equal(rows, vesica.iou(masks, masks))

    def test_output(self, files, capsys):
        assert run(capsys, "iou", "cross.npy", "box.csv", "-o", "out.npy") == (0, "", "")
        assert np.load("out.npy").tolist() == [[5 / 9], [0.0]]

    def test_standard_input(self, files):
        command = [sys.executable, "-m", "vesica", "iou", "-", "box.csv"]
        done = subprocess.run(command, input=Path("two.npz").read_bytes(), capture_output=True)
        assert done.returncode == 3 and b"standard input must have one array; it has 2: truth, soft." in done.stderr
        for name in ("cross.npy", "one.npz", "truth.json"):
            done = subprocess.run(command, input=Path(name).read_bytes(), capture_output=True, text=False)
            assert (done.returncode, done.stdout.decode()) == (0, self.BOX)


WRONG = [
    (("iou", "soft.npy", "box.csv", "--above", "0.5"), 2, "--above goes with --masks"),
    (("iou", "soft.npy", "box.csv", "--masks", "--above", "nan"), 2, "`--above` must be finite; got nan."),
    (("iou", "cross.npy", "box.csv", "--background", "some"), 2, "must be a whole number, or none; got 'some'"),
    (("iou", "cross.npy", "wide.npy"), 3, "of images of one size; got 5×5 and 5×6 (height × width)."),
    (("iou", "cross.npy", "turned.csv", "--rotated", "deg,cw"), 3, "Masks and RotatedBoxes have no exact overlap"),
    (("iou", "cross.npy", "box.csv", "--measure", "giou"), 3, "giou is not defined for masks and boxes"),
    (("iou", "cross_u8.npy", "box.csv"), 3, "Masks(a). If these are masks: --masks."),
    (("iou", "soft.npy", "box.csv"), 3, "If these are masks: --masks --above 0.5."),
    (("iou", "soft.npy", "box.csv", "--masks"), 3, "On the command line: --above 0.5."),
    (("iou", "cross_u8.npy", "box.csv", "--masks", "--above", "9"), 3, "`above` goes with floats; `masks` holds uint8"),
    (("iou", "flat.npy", "box.csv", "--masks"), 3, "One mask is a stack of one: (1, height, width)."),
    (("iou", "channel.npy", "box.csv", "--masks"), 3, "got (2, 1, 5, 5). Take the one channel out: a[:, 0]."),
    (("iou", "two.npz", "box.csv"), 3, "two.npz must have one array; it has 2: truth, soft. Name one: two.npz:truth."),
    (("iou", "two.npz:thruth", "box.csv"), 3, "the archive has no array 'thruth'; it has truth, soft."),
    (("iou", "none.npz:truth", "box.csv"), 3, "none.npz cannot be read: No such file or directory."),
    (("iou", "polygon.json", "box.csv"), 3, "polygon.json, annotation 0 is a polygon."),
    (("iou", "a.csv"), 2, "pairs within it need --at-least T"),
    (("iou", "-", "-"), 2, "standard input can be read only once"),
    (("iou", "a.csv", "b.csv", "--strict"), 2, "--strict goes with --at-least"),
    (
        ("iou", "a.csv", "b.csv", "--at-least", "50"),
        2,
        "`--at-least` must lie in (0, 1]; got 50.0. Divide a percentage by 100.",
    ),
    (("iou", "a.csv", "b.csv", "--at-least", "0.5", "--measure", "distance"), 2, "got distance, which falls"),
    (("iou", "a.csv", "b.csv", "--threads", "0"), 2, "`--threads` must be a whole number above 0; got 0."),
    (("iou", "a.csv", "b.csv", "--alpha", "1"), 2, "iou has no option `alpha`"),
    (("iou", "a.csv", "b.csv", "--rotated", "deg"), 2, "`--rotated DIRECTION` must be one of"),
    (("iou", "a.csv", "b.csv", "--normalised", "640"), 2, "`--normalised` must be (width, height)"),
    (("iou", "a.csv", "b.csv", "--aligned", "--best", "1"), 2, "not allowed with argument"),
    (("iuo", "a.csv"), 2, "`iuo` is no verb of vesica. Did you mean `vesica iou`?"),
    ((), 2, "the following arguments are required: VERB."),
    (("iou", "a.csv", "nowhere.csv"), 3, "nowhere.csv cannot be read: No such file or directory."),
    (("iou", "a.csv", "bad.csv"), 3, "bad.csv: `boxes` row 1 is inverted: x2 = 1 lies left of x1 = 9"),
    (("iou", "a.csv", "turned.csv"), 3, "Rotated boxes go to --rotated deg,ccw;"),
    (("iou", "a.csv", "b.csv", "--aligned"), 3, "same number of rows when aligned; got 2 and 3"),
    (("iou", "a.csv", "b.csv", "-o", "out.xlsx"), 3, "the ending must be one of"),
    (("demo", "--images", "0"), 2, "--images must be a whole number from 1 to 10,000"),
]


class TestErrors:
    @pytest.mark.parametrize("words, code, message", WRONG)
    def test_words(self, files, capsys, words, code, message):
        got, out, err = run(capsys, *words)
        assert got == code and out == "" and message in err

    @pytest.mark.parametrize("words, code, message", WRONG)
    def test_json(self, files, capsys, words, code, message):
        got, out, err = run(capsys, *words, "--json")
        assert got == code and err == ""
        answer = json.loads(out)
        assert answer["exit"] == code and message in answer["error"]

    def test_a_mask_by_itself_is_no_rotated_box(self, files, capsys):
        _, _, err = run(capsys, "iou", "one.npy", "box.csv")
        assert err.endswith("got (5, 5). One mask is a stack of one: mask[None].\n")

    def test_our_fault(self, files, capsys, monkeypatch):
        def broken(*_, **__):
            raise RuntimeError("a wheel came off")

        monkeypatch.setattr("vesica.io.files.load", broken)
        code, _, err = run(capsys, "iou", "a.csv", "b.csv")
        assert code == 4 and "failed, and it should not have: RuntimeError: a wheel came off" in err
        assert "Traceback" in run(capsys, "iou", "a.csv", "b.csv", "-v")[2]


class TestInfo:
    def test_words(self, capsys):
        code, out, _ = run(capsys, "info")
        assert code == 0 and f"vesica {vesica.__version__}" in out and "native kernels:" in out and "served by" in out
        assert "CUDA devices: " in out and "kernels for CUDA: " in out

    def test_json(self, capsys):
        facts = json.loads(run(capsys, "info", "--json")[1])
        assert facts["vesica"] == vesica.__version__ and facts["threads"] >= 1
        backends = {"native", "generic"} | ({"triton"} if facts["libraries"]["triton"] else set())
        assert backends == {case["backend"] for case in facts["backends"]} and isinstance(facts["devices"], list)
        if not facts["libraries"]["torch"] or not facts["libraries"]["triton"]:
            assert facts["cuda"].startswith("none, because ")
        else:
            assert facts["cuda"].startswith("Triton, for ") and "nms_padded" in facts["cuda"]
            assert ("sees no CUDA device" in facts["cuda"]) is not bool(facts["devices"])

    def test_version(self, capsys):
        assert run(capsys, "--version")[:2] == (0, f"vesica {vesica.__version__}\n")


class TestHelp:
    def test_choices_are_those_of_the_library(self, capsys):
        from vesica import _check
        from vesica.cli import region_files
        from vesica.overlaps.measures import MEASURES

        assert region_files.FORMS == _check.FORMS
        has_no_option = [name for name in MEASURES if name not in ("distance", "tversky")]
        for verb, names in (("iou", MEASURES), ("nms", has_no_option)):
            assert f"--measure {{{','.join(names)}}}" in run(capsys, verb, "--help")[1]

    @pytest.mark.parametrize("verb", VERBS)
    def test_ends_with_two_examples(self, capsys, verb):
        code, out, _ = run(capsys, verb, "--help")
        assert code == 0 and out.partition("examples:")[2].count(f"vesica {verb}") >= 2

    @pytest.mark.parametrize("verb", VERBS)
    def test_every_option_is_documented(self, capsys, verb):
        page = DOCS.read_text()
        options = {
            word.strip(",[]():.") for word in run(capsys, verb, "--help")[1].split() if word.startswith(("--", "[--"))
        }
        assert f"## `vesica {verb}`" in page
        assert not {option for option in options if option != "--help" and f"`{option.rstrip(';')}" not in page}


def shown_on_the_page():
    """Commands of the page and what it says they print."""
    for block in DOCS.read_text().split("```")[1::2]:
        for part in block.strip().split("$ ")[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def told_on_the_page():
    """Those of vesica."""
    return ((command, output) for command, output in shown_on_the_page() if command.startswith("vesica"))


def _write_records():
    """What was matched in each image of the page's example."""
    truth, guess = vesica.read("objects.csv"), vesica.read("found.csv")
    for place, image in enumerate((1, 2)):
        sides = (
            vesica.Dataset.from_arrays(
                side.boxes.xyxy[side.image == place],
                image=[image] * int((side.image == place).sum()),
                images=[image],
                category=side.categories.ids[side.category[side.image == place]],
                categories=["cat", "dog"],
                score=None if side.score is None else side.score[side.image == place],
            )
            for side in (truth, guess)
        )
        Path(f"image{image}.records").write_bytes(vesica.detection.records_of(*sides, protocol="voc").to_bytes())


class TestPage:
    @pytest.fixture
    def page(self, files):
        """The files that the page speaks of."""
        from PIL import Image

        moved = CROSS[:1].copy()
        moved[0, 1, 2], moved[0, 0, 0] = False, True  # 4 of 5 pixels stay
        np.save("masks.npy", CROSS)
        Path("boxes.csv").write_text("1,1,4,4\n")
        np.save("truth.npy", CROSS[:1])
        np.savez("guess.npz", soft=np.where(moved, 0.75, 0.25), hard=moved)
        coco = vesica.RleMasks([[7, 1, 3, 3, 3, 1, 7], [11, 3, 11]], size=(5, 5)).to_coco(compressed=False)
        Path("truth.json").write_text(json.dumps({"annotations": [{"id": 1, "segmentation": coco[0]}]}))
        Path("guess.json").write_text(json.dumps([{"image_id": 1, "score": 0.5, "segmentation": coco[1]}]))
        for name in ("results.json", "guess.csv", "objects.csv", "found.csv"):
            (content,) = (output for command, output in shown_on_the_page() if command == f"cat {name}")
            Path(name).write_text(content)
        _write_records()
        Image.fromarray(np.uint8([[1, 1, 0], [1, 2, 2], [0, 2, 2]])).save("truth.png")
        Image.fromarray(np.uint8([[1, 1, 0], [0, 2, 2], [0, 3, 2]])).save("guess.png")

    @pytest.mark.parametrize("command, output", list(told_on_the_page()))
    def test_is_true(self, page, capsys, command, output):
        if command.startswith("vesica plot"):
            pytest.importorskip("matplotlib")
        _, out, err = run(capsys, *shlex.split(command)[1:])
        assert output.strip() in ((err + out).strip(), (out + err).strip())

    def test_there_are_examples(self):
        assert len(list(told_on_the_page())) >= 8


class TestProgress:
    def test_shows_nothing_when_piped(self, capsys):
        from vesica.cli.progress import track

        assert list(track(range(3), "rows")) == [0, 1, 2] and capsys.readouterr().err == ""

    def test_shows_a_bar_on_a_terminal_after_a_second(self, capsys, monkeypatch):
        from vesica.cli import progress

        clock = iter([0.0, 0.5, 2.0])
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
        seen = []
        for item in progress.track(range(4), "rows"):
            monkeypatch.undo()  # the bar itself needs the clock
            seen.append(item)
            if item == 0:
                monkeypatch.setattr(progress.time, "monotonic", lambda: 9.0)
        assert seen == [0, 1, 2, 3] and "rows" in capsys.readouterr().err
