"""Gates on the command line: saved results as bases, and answers in every form."""

import json
import xml.etree.ElementTree as xml
from pathlib import Path

import numpy as np
import pytest

import vesica
from vesica.cli import main

NAMES = ["cat", "dog"]


def run(capsys, *words):
    try:
        code = main(list(words))
    except SystemExit as leaving:
        code = leaving.code
    out, err = capsys.readouterr()
    return code, out, err


def boxes(images, seed):
    """One box of each class in each image."""
    rng = np.random.default_rng(seed)
    corner = rng.integers(0, 50, (2 * images, 2))
    return np.concatenate([corner, corner + 20], axis=1).astype(float)


def data(found, images, score=None):
    image, category = np.repeat(np.arange(images), 2), np.tile(NAMES, images)
    kinds = {"images": range(images), "categories": NAMES}
    return vesica.Dataset.from_arrays(found, image=image, category=category, score=score, **kinds)


def write_truth(path, found):
    """A COCO file, whose categories have ids of their own."""
    rows = [
        {"id": k + 1, "image_id": k // 2, "category_id": 7 + k % 2, "bbox": [x, y, 20, 20], "area": 400, "iscrowd": 0}
        for k, (x, y, _, _) in enumerate(found.tolist())
    ]
    kinds = [{"id": 7 + k, "name": name} for k, name in enumerate(NAMES)]
    images = [{"id": k, "width": 90, "height": 90} for k in range(len(found) // 2)]
    Path(path).write_text(json.dumps({"images": images, "categories": kinds, "annotations": rows}))


def guesses(truth, images, sigma, seed):
    """Boxes that are off by some pixels, with scores that say so."""
    rng = np.random.default_rng(seed)
    off = np.abs(rng.normal(0, sigma, len(truth)))
    return data(truth + off[:, None], images, 1 / (1 + off))


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A truth, a good model, a worse one, and what was saved of the good one."""
    monkeypatch.chdir(tmp_path)
    truth = boxes(40, 0)
    write_truth("truth.json", truth)
    for name, sigma in (("good", 1.0), ("bad", 4.0)):
        vesica.write(f"{name}.npz", guesses(truth, 40, sigma, 1))
    good = vesica.evaluate("truth.json", "good.npz")
    Path("good.records").write_bytes(good.records.to_bytes())
    Path("good.result.json").write_text(good.to_json())
    return tmp_path


class TestBase:
    @pytest.mark.parametrize("base", ["good.records", "good.result.json"])
    def test_of_detection(self, files, capsys, base):
        for guess, code in (("good.npz", 0), ("bad.npz", 1)):
            gate = f"AP drop<=0.01 vs {base}"
            got, out, _ = run(capsys, "eval", "truth.json", guess, "--quiet", "--json", "--gate", gate)
            (verdict,) = json.loads(out)["gates"]
            assert got == code and verdict["passed"] == (not code)
            assert verdict["value"] == (0.0 if guess == "good.npz" else pytest.approx(verdict["value"]))
        names = [vesica.evaluate("truth.json", one)["AP"] for one in ("good.npz", "bad.npz")]
        assert verdict["value"] == names[0] - names[1]

    def test_of_a_category_by_name_and_by_id(self, files, capsys):
        gates = ("--gate", "AP50[cat] drop<=1 vs good.records", "--gate", "AP50[7] drop<=1 vs good.result.json")
        code, out, _ = run(capsys, "eval", "truth.json", "bad.npz", "--quiet", "--json", *gates)
        one, other = json.loads(out)["gates"]
        assert code == 0 and one["value"] == other["value"] and other["gate"].startswith("AP50[7] drop")

    @pytest.mark.parametrize(
        "words, message",
        [
            (("--iou", "0.5"), "iou is [0.5] here and [0.5, 0.55"),
            (("--max-dets", "1,10,50"), "max_dets is [1, 10, 50] here and [1, 10, 100] there"),
            (("--strict",), "strict is True here and False there"),
        ],
    )
    @pytest.mark.parametrize("base", ["good.records", "good.result.json"])
    def test_of_other_conventions(self, files, capsys, words, message, base):
        gate = ("--gate", f"AP drop<=1 vs {base}")
        code, _, err = run(capsys, "eval", "truth.json", "bad.npz", "--quiet", *words, *gate)
        assert code == 3 and f"{base} cannot be compared with this result: {message}" in err

    def test_of_other_images(self, files, capsys):
        truth = boxes(41, 0)
        write_truth("more.json", truth)
        vesica.write("more.npz", guesses(truth, 41, 1.0, 1))
        told = {}
        for base in ("good.records", "good.result.json"):
            gate = ("--gate", f"AP drop<=1 vs {base}")
            code, _, told[base] = run(capsys, "eval", "more.json", "more.npz", "--quiet", *gate)
            assert code == 3
        assert "image 40 is here and not there" in told["good.records"]
        assert "there are 41 images here and 40 there" in told["good.result.json"]

    def test_of_other_truths(self, files, capsys):
        truth = json.loads(Path("truth.json").read_text())
        Path("fewer.json").write_text(json.dumps(truth | {"annotations": truth["annotations"][1:]}))
        gate = ("--gate", "AP drop<=1 vs good.records")
        code, _, err = run(capsys, "eval", "fewer.json", "good.npz", "--quiet", *gate)
        assert code == 3 and "'cat' has 39 truths here and 40 there" in err

    @pytest.mark.parametrize(
        "content, message",
        [
            ("[]", "It is no saved result: records of `vesica eval --records`, or what `vesica eval --json` prints;"),
            ('{"summary": {}}', "It is no saved result"),
            ('{"summary": 3, "task": "detection", "classes": []}', "It is no sound result"),
            ('{"summary": {}, "task": "detection"}', "It is no sound result"),
            ('{"error": "x", "exit": 3}', "It is no saved result"),
            ("{", "base.json"),
            ("VESICA records\n broken", "base.json"),
        ],
    )
    def test_that_is_none(self, files, capsys, content, message):
        Path("base.json").write_text(content)
        code, _, err = run(capsys, "eval", "truth.json", "good.npz", "--quiet", "--gate", "AP drop<=1 vs base.json")
        assert code == 3 and "base.json" in err and message in err

    def test_that_is_not_there(self, files, capsys):
        code, _, err = run(capsys, "eval", "truth.json", "good.npz", "--quiet", "--gate", "AP drop<=1 vs no.json")
        assert code == 3 and "no.json" in err

    def test_json_has_no_interval(self, files, capsys):
        gate = ("--gate", "AP drop<=1 vs good.result.json @95%")
        code, out, err = run(capsys, "eval", "truth.json", "good.npz", "--quiet", "--json", *gate)
        told = json.loads(out)
        assert code == 3 and told["exit"] == 3 and "--records base.records" in told["error"] and err == ""

    def test_unknown_names(self, files, capsys):
        for gate in ("APX drop<=1 vs good.records", "AP[cow] drop<=1 vs good.records"):
            code, _, err = run(capsys, "eval", "truth.json", "good.npz", "--quiet", "--gate", gate)
            assert (code == 2 and "There are" in err) or "Did you mean" in err


def maps(images, share, seed):
    rng = np.random.default_rng(seed)
    truth = np.random.default_rng(9).integers(0, 3, (images, 12, 12))
    return truth, np.where(rng.random(truth.shape) < share, truth, 0)


SIDES, BASE = ("truth.json", "bad.npz"), "AP drop<=0.01 vs good.records"


class TestOwnFiles:
    """What is read, and what a gate compares with, is not written over."""

    @pytest.mark.parametrize(
        "words, told",
        [
            (("eval", "truth.json", "bad.npz", "--records", "bad.npz"), "bad.npz is read"),
            (("eval", "truth.json", "bad.npz", "--records", "./truth.json"), "./truth.json is read"),
            (("eval", *SIDES, "--gate", BASE, "--records", "good.records"), "is what a gate compares with"),
            (("merge", "good.records", "--gate", BASE, "--records", "good.records"), "is what a gate compares with"),
            (
                ("eval", "truth.json", "bad.npz", "--records", "x.html", "--report", "x.html"),
                "x.html is that of --records",
            ),
            (("compare", "good.records", "good.records", "--report", "good.records"), "good.records is read"),
            (("seg", "truth.json", "bad.npz", "--records", "bad.npz"), "bad.npz is read"),
            (("agree", *SIDES, "--gate", BASE, "--records", "good.records"), "is what a gate compares with"),
            (("eval", "truth.json", "b*.npz", "--records", "bad.npz"), "bad.npz is read"),
        ],
    )  # fmt: skip
    def test_refused(self, files, capsys, words, told):
        before = {path.name: path.read_bytes() for path in Path().iterdir()}
        code, _, err = run(capsys, *words)
        assert code == 2 and "must be a file of its own" in err and told in err
        assert {path.name: path.read_bytes() for path in Path().iterdir()} == before

    def test_streams(self, files, capsys):
        pytest.importorskip("matplotlib")
        words = ("eval", "truth.json", "bad.npz", "--quiet", "--records", "/dev/null", "--report", "/dev/null")
        assert run(capsys, *words)[0] == 0


class TestSegmentation:
    @pytest.fixture
    def folders(self, tmp_path, monkeypatch):
        from PIL import Image

        monkeypatch.chdir(tmp_path)
        for name, share in (("truth", 1.0), ("good", 0.9), ("bad", 0.7)):
            Path(name).mkdir()
            for place, image in enumerate(maps(30, share, 1)[1]):
                Image.fromarray(image.astype(np.uint8)).save(f"{name}/{place:02}.png")
        return tmp_path

    def test_records_and_json_are_bases(self, folders, capsys):
        words = ("seg", "truth", "good", "--quiet", "--records", "base.counts", "--json")
        code, out, _ = run(capsys, *words)
        assert code == 0
        Path("base.json").write_text(out)
        gates = (
            "mIoU drop<=0.05 vs base.counts @95%",
            "mIoU drop<=0.05 vs base.json",
            "IoU[1] drop<=0 vs base.counts @95%",
        )
        flags = [word for gate in gates for word in ("--gate", gate)]
        code, out, _ = run(capsys, "seg", "truth", "good", "--quiet", "--json", *flags)
        found = json.loads(out)["gates"]
        assert code == 0 and [one["value"] for one in found] == [0, 0, 0]
        assert found[0]["interval"] == [0, 0] and found[2]["interval"] == [0, 0]
        code, out, _ = run(capsys, "seg", "truth", "bad", "--quiet", "--json", *flags)
        found = json.loads(out)["gates"]
        assert code == 1 and not any(one["passed"] for one in found) and found[0]["value"] == found[1]["value"]
        assert found[0]["interval"][0] > 0.05

    def test_surfaces(self, folders, capsys):
        code, out, _ = run(capsys, "seg", "truth", "good", "--quiet", "--json", "--surface")
        Path("base.json").write_text(out)
        words = ("seg", "truth", "bad", "--quiet", "--surface", "--gate")
        code, out, _ = run(capsys, *words, "HD95 rise<=0.1 vs base.json")
        assert code == 1 and "FAILED  HD95 rise<=0.1 vs base.json  got" in out
        code, out, _ = run(capsys, *words, "HD95<=9 @95%")
        assert code == 0 and "passed  HD95<=9 @95%  got" in out
        code, _, err = run(capsys, *words, "HD95 rise<=9 vs base.json @95%")
        assert code == 3 and "holds numbers alone" in err


class TestForms:
    @pytest.mark.parametrize("form", ["markdown", "github", "junit", "sarif", "json", "text"])
    def test_of_eval(self, files, capsys, form, monkeypatch):
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
        words = ("eval", "truth.json", "bad.npz", "--quiet", "--output", form)
        gates = ("--gate", "AP>=0.99", "--gate", "AP50>=0")
        code, out, err = run(capsys, *words, *gates)
        assert code == 1 and err == ""
        if form == "markdown":
            assert out.startswith("### vesica eval: coco, boxes: 80 guesses") and out.count("\n| <code>AP") == 8
        elif form == "github":
            assert out.splitlines()[-1].startswith("::error file=bad.npz,title=gate failed::AP>=0.99: got 0.")
            assert "❌ **failed**" in Path("summary.md").read_text("utf-8")
        elif form == "junit":
            assert [case.get("name") for case in xml.fromstring(out).iter("testcase")] == ["AP>=0.99", "AP50>=0"]
        elif form == "sarif":
            assert json.loads(out)["runs"][0]["results"][0]["ruleId"] == "gate"
        elif form == "json":
            assert out == run(capsys, "eval", "truth.json", "bad.npz", "--quiet", "--json", *gates)[1]
        else:
            assert out == run(capsys, "eval", "truth.json", "bad.npz", "--quiet", *gates)[1]

    @pytest.mark.parametrize("form", ["markdown", "github", "junit", "sarif"])
    @pytest.mark.parametrize(
        "code, words", [(3, ("truth.json", "no.npz")), (2, ("truth.json", "good.npz", "--iou", "x"))]
    )
    def test_of_errors(self, files, capsys, form, code, words):
        got, out, err = run(capsys, "eval", *words, "--quiet", "--output", form)
        assert got == code and "vesica: " in err
        told = err.strip().splitlines()[-1].removeprefix("vesica: ")[:9]
        assert told in out.replace("&#46;", ".").replace("&#45;", "-")
        if form == "junit":
            assert xml.fromstring(out).get("errors") == "1"
        elif form == "sarif":
            assert json.loads(out)["runs"][0]["invocations"][0]["exitCode"] == code

    def test_two_forms_at_once(self, files, capsys):
        code, out, _ = run(capsys, "eval", "truth.json", "good.npz", "--json", "--output", "markdown")
        assert code == 2 and "--json is short for --output json" in json.loads(out)["error"]

    def test_the_summary_that_cannot_be_written(self, files, capsys, monkeypatch):
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", "no/such/folder/summary.md")
        code, _, err = run(capsys, "eval", "truth.json", "good.npz", "--quiet", "--output", "github")
        assert code == 0 and "The summary of the step is lost: no/such/folder/summary.md cannot be written" in err

    def test_hostile_category(self, files, capsys):
        name = "::error::]|<b>&\x1b[31m"
        one = vesica.Dataset.from_arrays([[0, 0, 9, 9]], image=[1], category=[name], categories=[name])
        vesica.write("one.json", one)
        vesica.write("two.json", one)
        guess = vesica.Dataset.from_arrays([[0, 0, 9, 9]], image=[1], category=[name], categories=[name], score=[0.5])
        vesica.write("guess.npz", guess)
        for form in ("markdown", "junit", "sarif"):
            code, out, _ = run(capsys, "eval", "one.json", "guess.npz", "--quiet", "--per-class", "--output", form)
            assert code == 0 and "\x1b" not in out and "<b>" not in out
        code, out, _ = run(capsys, "eval", "one.json", "guess.npz", "--quiet", "--per-class", "--output", "github")
        first = out.splitlines()[0]
        assert first.startswith("::stop-commands::") and out.rstrip().endswith(
            f"::{first.partition('commands::')[2]}::"
        )


class TestOtherVerbs:
    """Every verb that judges, or finds, has every form."""

    @pytest.fixture
    def asked(self, files):
        truth = boxes(6, 3)
        for name, off in (("ann", 0.0), ("ben", 1.0)):
            write_truth(f"{name}.json", truth + off)
        rows = json.loads(Path("truth.json").read_text())["annotations"]
        wrong = [
            {**row, "bbox": [*row["bbox"][:2], row["bbox"][0] + 20, row["bbox"][1] + 20], "score": 0.5} for row in rows
        ]
        Path("corners.json").write_text(json.dumps(wrong))
        return files

    @pytest.mark.parametrize(
        "words, code, name",
        [
            (("agree", "ann.json", "ben.json", "--gate", "agreement>=0.99"), 1, "agreement>=0.99"),
            (("merge", "good.records", "--gate", "AP>=2"), 1, "AP>=2"),
            (("check", "corners.json", "--against", "truth.json"), 3, "boxes-layout"),
        ],
    )
    def test_forms(self, asked, capsys, monkeypatch, words, code, name):
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
        told = {}
        for form in ("text", "json", "markdown", "github", "junit", "sarif"):
            got, told[form], err = run(capsys, *words, "--quiet", "--output", form)
            assert got == code, (form, err)
        assert run(capsys, *words, "--quiet", "--json")[1] == told["json"]
        json.loads(told["json"])
        assert told["markdown"].startswith(f"### vesica {words[0]}: ") and "❌" in told["markdown"]
        assert "\n::error file=" in f"\n{told['github']}" and "❌" in Path("summary.md").read_text("utf-8")
        (case,) = [one for one in xml.fromstring(told["junit"]).iter("testcase") if one.find("failure") is not None]
        assert name in case.get("name")
        (result,) = [one for one in json.loads(told["sarif"])["runs"][0]["results"] if one["level"] == "error"]
        assert name in (result["ruleId"], result["message"]["text"].partition(":")[0])
        assert json.loads(told["sarif"])["runs"][0]["invocations"][0]["exitCode"] == code

    def test_agreement_with_a_level_and_a_base(self, asked, capsys):
        words = ("agree", "ann.json", "ben.json", "--quiet", "--json")
        code, _, _ = run(capsys, *words, "--records", "base.records")
        gates = ("agreement>=0.1 @95%", "agreement[cat]>=0.1 @95%", "agreement drop<=0 vs base.records @95%")
        code, out, _ = run(capsys, *words, *(word for gate in gates for word in ("--gate", gate)))
        found = json.loads(out)["gates"]
        assert code == 0 and [one["passed"] for one in found] == [True] * 3 and found[2]["interval"] == [0, 0]
        code, _, err = run(capsys, "agree", "ann.json", "ben.json", "--quiet", "--gate", "f1[cat]>=0.1 @95%")
        assert code == 2 and "f1[cat] has no interval" in err
        code, _, err = run(capsys, *words[:-1], "--seed", "3", "--gate", gates[2])
        assert code == 3 and "seed is 3 here and 0 there" in err
