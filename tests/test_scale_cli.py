"""Many files on the command line: the output of one run to the byte, whoever works on them; and every refusal."""

import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import cli_world
import processes
import vesica
from command import run
from shards import UNEVEN, parts, table_of, without_score, world
from vesica import Dataset
from vesica.cli import progress

pytest.importorskip("PIL")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Parts and the same in one file: both sides, truths, guesses of two models, annotators; with names of images."""
    folder = tmp_path_factory.mktemp("made")
    truth, guess = (_named(side) for side in world(shift=1.0))
    other = _named(world(shift=2.0)[1])
    both = table_of(truth, guess)
    people = Dataset.of_annotators({"ann": truth, "ben": without_score(guess)}).to_arrow()
    tables = {"parts": both, "truth": truth.to_arrow(), "a": guess.to_arrow(), "b": other.to_arrow(), "people": people}
    for name, table in tables.items():
        parts(folder / name, table, UNEVEN)
        pq.write_table(table, folder / f"{name}.parquet")
    rows = "".join(f"{k:03d}.jpg,{'day' if k % 3 else 'night'}\n" for k in range(60))
    (folder / "meta.csv").write_text(f"image,light\n{rows}")
    (folder / "images.txt").write_text("".join(f"im{k:03d}\n" for k in range(60)))
    cli_world.build(folder / "world")
    with cli_world.unchanged(folder):
        yield folder


def _named(data):
    """With file names, sizes and groups of images."""
    from dataclasses import replace

    names = np.array([f"{k:03d}.jpg" for k in range(len(data.images))], object)
    groups = np.array([f"site {k % 5}" for k in range(len(data.images))], object)
    return replace(data, images=replace(data.images, names=names, group=groups))


@pytest.fixture
def here(made, tmp_path, monkeypatch):
    cli_world.linked(made, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


PARTS = [f"parts/part-{k:05d}.parquet" for k in range(len(UNEVEN))]
WHOLE = ["parts.parquet", "parts.parquet"]
ASKED = [
    ["--per-class", "--counts"],
    ["--causes", "--confusion", "--json"],
    ["--interval", "--replicates", "50", "--json"],
    ["--interval", "--replicates", "50", "--by", "group", "--json"],
    ["--slices", "meta.csv", "--json"],
    ["--slices", "meta.csv"],
    ["--regions", "box", "--protocol", "voc", "--json"],
    ["--iou", "0.5", "--strict", "--max-dets", "3", "--areas", "all=0:1e10,tiny=0:200", "--json"],
    ["--class-agnostic", "--json"],
    ["--categories", "id", "--json"],
    ["--gate", "AP>=0.99", "--gate", "AP50[c1]>=0.1"],
    ["--gate", "AP>=0.3 @95%", "--output", "junit"],
    *(["--output", form, "--gate", "AP>=0.99"] for form in ("markdown", "github", "sarif", "json")),
]


class TestTheSameOutput:
    """Of parts, and of all images in one file."""

    @pytest.mark.parametrize("asked", ASKED, ids=" ".join)
    def test_eval(self, here, capsys, asked):
        want = run(capsys, "eval", *WHOLE, *asked, "--quiet")
        found = run(capsys, "eval", *PARTS, "--engine", "threads", "--workers", "2", *asked, "--quiet")
        if "sarif" in asked or "github" in asked:  # which name the file that is judged
            found = (found[0], found[1].replace(PARTS[-1], WHOLE[-1]), found[2])
        assert want[0] in (0, 1) and len(want[1]) > 100
        assert found == want

    @pytest.mark.parametrize(
        "engine, words",
        [
            ("threads", ["parts"]),
            ("threads", ["parts/*.parquet"]),
            ("threads", ["truth/*.parquet", "a/*.parquet"]),
            ("processes", PARTS),
        ],
    )
    def test_however_they_are_named(self, here, capsys, words, engine):
        want = run(capsys, "eval", *WHOLE, "--json", "--quiet")
        assert run(capsys, "eval", *words, "--engine", engine, "--workers", "2", "--json", "--quiet") == want

    def test_parts_need_no_engine(self, here, capsys):
        """One file, or more than two, with both sides: threads."""
        want = run(capsys, "eval", *WHOLE, "--json", "--quiet")
        assert run(capsys, "eval", *PARTS, "--json", "--quiet") == want
        assert run(capsys, "eval", "parts.parquet", "--json", "--quiet") == want
        assert run(capsys, "eval", "parts", "--json", "--quiet") == want
        assert run(capsys, "eval", *WHOLE, "--engine", "threads", "--json", "--quiet") == want

    @pytest.mark.parametrize("details", [[], ["--details"]])
    def test_records(self, here, capsys, details):
        """Causes need details; the file has them only if that was said."""
        asked = ["--causes", *details, "--quiet", "--records"]
        assert run(capsys, "eval", *WHOLE, *asked, "one.records")[0] == 0
        assert run(capsys, "eval", *PARTS, "--engine", "threads", *asked, "all.records")[0] == 0
        assert Path("one.records").read_bytes() == Path("all.records").read_bytes()

    @pytest.mark.slow
    def test_report(self, here, capsys):
        """The page differs in the files that it names, and in nothing else."""
        pytest.importorskip("matplotlib")
        asked = ["--quiet", "--interval", "--replicates", "50", "--report"]
        assert run(capsys, "eval", *WHOLE, *asked, "one.html")[0] == 0
        os.rename("parts.parquet", "kept")
        shutil.copytree("parts", "parts.parquet")
        assert run(capsys, "eval", "parts.parquet", "--engine", "threads", *asked, "all.html")[0] == 0
        one, other = (Path(name).read_text("utf-8") for name in ("one.html", "all.html"))
        findings = r'<div class="block wide" id="block-findings">.*?</ul></div>'  # of the first part alone
        files = r'<tr><th scope="row">file parts\.parquet</th>.*?</tr>'
        kept = [re.sub(f"{findings}|{files}", "", page, flags=re.DOTALL) for page in (one, other)]
        assert re.search(findings, one) and re.search(files, other) and "006.jpg" in other
        assert kept[0] == kept[1]

    def test_compare(self, here, capsys):
        asked = ["--per-class", "--gate", "AP drop<=0.5 @95%", "--replicates", "100", "--json", "--quiet"]
        want = run(capsys, "compare", "truth.parquet", "a.parquet", "b.parquet", *asked)
        found = run(capsys, "compare", "truth", "a", "b", "--engine", "threads", "--workers", "2", *asked)
        assert want[0] == 0 and found == want

    def test_agree(self, here, capsys):
        asked = ["--per-class", "--per-image", "--gate", "agreement>=0.9", "--json", "--quiet"]
        want = run(capsys, "agree", "people.parquet", *asked)
        files = [f"people/part-{k:05d}.parquet" for k in range(len(UNEVEN))]
        assert run(capsys, "agree", *files, "--engine", "threads", "--workers", "2", *asked) == want
        assert want[0] == 1

    @pytest.mark.parametrize(
        "asked, written",
        [
            (["--consensus", "OUT.json"], "OUT.json"),
            (["--consensus", "OUT.json", "--quorum", "1"], "OUT.json"),
            (["--queue", "OUT.json", "--worst", "7"], "OUT.json"),
            (["--queue", "OUT.json", "--queue-format", "labelstudio"], "OUT.json"),
            (["--model", "a.parquet", "--min-score", "0.3"], None),
        ],
        ids=lambda value: " ".join(value) if isinstance(value, list) else "",
    )
    def test_agree_with_what_was_drawn(self, here, capsys, asked, written):
        want = run(capsys, "agree", "people/part-*.parquet", *asked, "--json", "--quiet")
        assert want[0] == 0, want[2]
        content = None if written is None else Path(written).read_bytes()
        files = [f"people/part-{k:05d}.parquet" for k in range(len(UNEVEN))]
        found = run(capsys, "agree", *files, "--engine", "threads", "--workers", "2", *asked, "--json", "--quiet")
        assert found == want
        assert written is None or Path(written).read_bytes() == content

    @pytest.mark.parametrize(
        "words",
        [
            ["truth", "guess", "--ignore", "255", "--classes", "names.txt"],
            ["gtFine/**/*_labelIds.png", "results", "--map", "cityscapes", "--ignore", "255"],
            ["truth.json", "guess.json"],
            ["maps_a.npy", "maps_b.npy", "--background", "0", "--like", "monai"],
        ],
        ids=lambda words: words[0],
    )
    def test_seg(self, here, capsys, monkeypatch, words):
        monkeypatch.chdir("world")
        asked = ["--per-class", "--per-image", "--spread", "--gate", "mIoU>=0.99", "--json", "--quiet", "--records"]
        want = run(capsys, "seg", *words, *asked, "one.counts")
        found = run(capsys, "seg", *words, "--engine", "threads", "--workers", "2", *asked, "all.counts")
        assert want[0] == 1 and found == want
        assert Path("one.counts").read_bytes() == Path("all.counts").read_bytes()

    def test_seg_of_parts_of_coco(self, here, capsys, monkeypatch):
        monkeypatch.chdir("world")
        want = run(capsys, "seg", "truth.json", "guess.json", "--json", "--quiet")
        words = ["parts/*_truth.json", "parts/*_guess.json", "--engine", "threads"]
        assert run(capsys, "seg", *words, "--json", "--quiet") == want


class TestMapsMeetByName:
    """A file without a partner is an error, and is never scored with its neighbour."""

    def test_other_names(self, here, capsys, monkeypatch):
        monkeypatch.chdir("world")
        os.rename("guess/2.png", "guess/3.png")
        code, _, err = run(capsys, "seg", "truth", "guess", "--ignore", "255", "--engine", "threads")
        assert code == 3 and "2.png" in err and "3.png" in err


class TestRecords:
    @pytest.fixture
    def shards(self, here, capsys):
        for k, part in enumerate(PARTS):
            code, out, _ = run(capsys, "records", part, "-o", f"{k}.records", "--details")
            assert (code, out) == (0, f"{k}.records\n")
        return [f"{k}.records" for k in range(len(PARTS))]

    @pytest.mark.parametrize("verb", ["merge", "summarise", "summarize"])
    def test_all_that_eval_tells(self, shards, capsys, verb):
        for asked in (["--causes", "--confusion", "--json"], ["--per-class", "--gate", "AP>=0.99"], []):
            want = run(capsys, "eval", *WHOLE, *asked, "--quiet")
            assert run(capsys, verb, *shards[::-1], *asked, "--quiet") == want

    def test_the_same_bytes(self, shards, capsys):
        again = [*PARTS[4:], *PARTS[:4]]
        assert run(capsys, "records", *again, "-o", "all.records", "--details", "--json", "--quiet")[0] == 0
        assert run(capsys, "merge", *shards, "--records", "merged.records", "--quiet")[0] == 0
        assert Path("all.records").read_bytes() == Path("merged.records").read_bytes()

    def test_two_files(self, here, capsys):
        code, out, _ = run(capsys, "records", "truth.parquet", "a.parquet", "-o", "x.records", "--json")
        told = json.loads(out)
        assert code == 0 and told == {"records": "x.records", "images": 60, "guesses": 360, "bytes": told["bytes"]}
        assert told["bytes"] == os.path.getsize("x.records")
        assert Path("x.records").read_bytes() == vesica.evaluate(*WHOLE).records.to_bytes()

    def test_expected(self, shards, capsys):
        want = run(capsys, "merge", *shards, "--json", "--quiet")
        assert run(capsys, "merge", *shards, "--expected", "images.txt", "--json", "--quiet") == want
        code, _, err = run(capsys, "merge", *shards[1:], "--expected", "images.txt")
        assert code == 3 and "1 of 60 expected images were in no part" in err and "`--partial` scores the rest" in err
        code, out, _ = run(capsys, "merge", *shards[1:], "--expected", "images.txt", "--partial", "--json")
        assert code == 0
        assert [note["count"] for note in json.loads(out)["notes"] if note["rule"] == "partial"] == [1]

    @pytest.mark.parametrize("kind", ["txt", "json", "parquet"])
    def test_expected_of_parts(self, here, capsys, kind):
        Path("images.json").write_text(json.dumps(Path("images.txt").read_text().split()))
        shutil.copy("truth.parquet", "images.parquet")
        asked = ["--engine", "threads", "--expected", f"images.{kind}", "--quiet"]
        assert run(capsys, "eval", *PARTS, *asked)[0] == 0
        code, _, err = run(capsys, "eval", *PARTS[2:], *asked)
        assert code == 3 and "31 of 60 expected images" in err and "and 26 more" in err
        code, out, _ = run(capsys, "eval", *PARTS[2:], *asked, "--partial")
        assert code == 0 and "31 expected images were in no part" in out

    def test_numbers_are_ids_of_coco(self, here, capsys, monkeypatch):
        monkeypatch.chdir("world")
        files = ["part1.records", "part2.records"]
        assert run(capsys, "merge", *files, "--expected", "images.txt", "--quiet")[0] == 0
        assert run(capsys, "merge", *files, "--expected", "truth.json", "--quiet")[0] == 0
        Path("others.txt").write_text("0139\n")
        code, _, err = run(capsys, "merge", *files, "--expected", "others.txt", "--quiet")
        assert code == 3 and "'0139'" in err

    def test_other_kinds(self, here, capsys, monkeypatch):
        """Counts of segmentation, agreement and panoptic segments tell what their verbs tell."""
        monkeypatch.chdir("world")
        told = {
            "seg": ["truth", "guess", "--ignore", "255"],
            "agree": ["ann.json", "ben.json"],
            "eval": ["panoptic.json", "panoptic_guess.json", "--protocol", "panoptic", "--guess-folder", "guess_maps"],
        }
        for verb, words in told.items():
            gate = {"seg": "mIoU>=0.99", "agree": "agreement>=0.99", "eval": "PQ>=0.99"}[verb]
            asked = ["--per-class", "--gate", gate, "--quiet"]
            want = run(capsys, verb, *words, *asked, "--records", "x.bytes")
            assert want[0] == 1
            assert run(capsys, "merge", "x.bytes", *asked) == want
            want = run(capsys, verb, *words, *asked, "--json")
            assert run(capsys, "merge", "x.bytes", *asked, "--json", "--records", "y.bytes") == want
            assert Path("x.bytes").read_bytes() == Path("y.bytes").read_bytes()
            code, _, err = run(capsys, "merge", "x.bytes", "--causes")
            assert code == 2 and "--causes is of detection" in err
            code, _, err = run(capsys, "merge", "x.bytes", "part1.records")
            assert code == 3 and "x.bytes and part1.records: Records of" in err and "detection" in err
            code, _, err = run(capsys, "merge", "x.bytes", "x.bytes")
            assert code == 3 and err.count("x.bytes") >= 2
            code, _, err = run(capsys, "merge", "x.bytes", "--expected", "names.txt")
            assert code == 3 and "'road'" in err

    def test_halves_of_label_maps(self, here, capsys, monkeypatch):
        monkeypatch.chdir("world")
        want = run(capsys, "seg", "truth", "guess", "--ignore", "255", "--json", "--quiet")
        for side in ("truth", "guess"):
            Path("second", side).mkdir(parents=True)
            os.rename(f"{side}/2.png", f"second/{side}/2.png")
        for number, folder in enumerate((".", "second")):
            words = [
                f"{folder}/truth",
                f"{folder}/guess",
                "--ignore",
                "255",
                "--records",
                f"{number}.counts",
                "--quiet",
            ]
            assert run(capsys, "seg", *words)[0] == 0
        assert run(capsys, "merge", "1.counts", "0.counts", "--json", "--quiet") == want

    def test_report(self, shards, capsys, undrawn):
        pytest.importorskip("matplotlib")
        assert run(capsys, "merge", *shards, "--report", "out.html", "--quiet")[0] == 0
        assert "im000" in Path("out.html").read_text("utf-8")


USAGE = [
    (["eval", "a.json"], "the following arguments are required: GUESS"),
    (["eval", "a", "b", "c"], "'c' is one too many"),
    (["eval", "a.parquet", "b.json", "c.parquet"], "'c.parquet' is one too many"),
    (["eval", "a", "b", "--workers", "2"], "--workers goes with --engine, which works on many files; threads of one"),
    (["eval", "a", "b", "--expected", "x"], "--expected goes with --engine"),
    (["eval", "a", "b", "--partial"], "--partial goes with --engine"),
    (["eval", "a", "--engine", "threads", "--partial"], "--partial goes with --expected"),
    (["eval", "a", "--engine", "threads", "--workers", "0"], "`--workers` must be a whole number above 0; got 0"),
    (["eval", "a", "--engine", "spark"], "(choose from"),
    (["eval", "a", "b", "--engine", "threads", "--boxes", "xyxy"], "--boxes does not go with --engine"),
    (["eval", "a", "b", "--engine", "threads", "--format", "coco"], "--format does not go with --engine"),
    (["eval", "a", "b", "--engine", "threads", "--protocol", "panoptic"], "--engine says nothing about --protocol"),
    (["eval", "-", "b", "--engine", "threads"], "--engine reads files, and standard input is none"),
    (["eval", "a", "--engine", "threads", "--images", "parts"], "--images goes with --report"),
    (["eval", "parts.parquet", "--records", "parts.parquet"], "--records must be a file of its own"),
    (["seg", "a", "b", "--engine", "threads", "--surface"], "--surface does not go with --engine: outlines keep"),
    (["seg", "a", "b", "--workers", "3"], "--workers goes with --engine"),
    (
        ["agree", "a", "--engine", "threads", "--classes", "c1"],
        "--classes does not go with --engine: parts are",
    ),
    (["agree", "a", "--engine", "threads", "--assignments", "all"], "--assignments does not go with --engine"),
    (["compare", "a", "b", "c", "--engine", "threads", "--task", "agreement"], "--engine compares detectors"),
    (["records", "a.json", "-o", "x"], "a shard is TRUTH and GUESS, or Parquet files that have both"),
    (["records", "a.json"], "the following arguments are required: -o/--output"),
    (["records", "parts.parquet", "-o", "parts.parquet"], "--output must be a file of its own"),
    (["records", "parts.parquet", "-o", "-"], "--output must be a file"),
    (["records", "parts.parquet", "-o", "x", "--boxes", "xyxy"], "--boxes says nothing about Parquet with both sides"),
    (["merge", "a.records", "--partial"], "--partial goes with --expected"),
    (["merge", "a.records", "--images", "parts"], "--images goes with --report"),
    (["merge", "a.records", "--engine", "threads"], "`--engine` is no option of `vesica merge`"),
]


@pytest.mark.parametrize("words, told", USAGE, ids=[" ".join(words) for words, _ in USAGE])
def test_usage(here, capsys, words, told):
    before = {path: path.stat().st_mtime_ns for path in here.rglob("*")}
    code, out, err = run(capsys, *words)
    assert code == 2 and out == "" and told in err, err
    assert {path: path.stat().st_mtime_ns for path in here.rglob("*")} == before


class TestBadInput:
    def test_the_same_part_twice(self, here, capsys):
        shutil.copy(PARTS[1], "again.parquet")
        code, _, err = run(capsys, "eval", *PARTS, "again.parquet")
        assert code == 3 and "again.parquet" in err and PARTS[1] in err and "--duplicates same" in err
        code, out, _ = run(capsys, "eval", *PARTS, "again.parquet", "--duplicates", "same")
        assert code == 0 and "images that came again" in out

    def test_a_part_with_one_side(self, here, capsys):
        code, _, err = run(capsys, "eval", *PARTS, "truth.parquet")
        assert code == 3 and "truth.parquet must have `truth` and `guess`" in err
        code, _, err = run(capsys, "eval", "truth.parquet")
        assert code == 3 and "it has truth" in err

    @pytest.mark.parametrize("engine", ["threads", "processes"])
    def test_a_damaged_part(self, here, capsys, engine, monkeypatch):
        processes.warm_pools(monkeypatch)
        data = Path(PARTS[3]).read_bytes()
        Path(PARTS[3]).unlink()
        Path(PARTS[3]).write_bytes(data[: len(data) // 2])
        code, out, err = run(capsys, "eval", *PARTS, "--engine", engine, "--workers", "2")
        assert code == 3 and out == "" and PARTS[3] in err and "Traceback" not in err

    def test_a_name_that_steers_a_terminal(self, here, capsys):
        shutil.copy("truth.parquet", "\x1b[2J.parquet")
        code, _, err = run(capsys, "eval", *PARTS, "\x1b[2J.parquet")
        assert code == 3 and "\x1b" not in err and "\\x1b[2J" in err

    def test_no_file(self, here, capsys):
        code, _, err = run(capsys, "eval", "gone/*.parquet", "--engine", "threads")
        assert code == 3 and "gone/*.parquet" in err
        code, _, err = run(capsys, "eval", "gone.parquet", "--engine", "threads")
        assert code == 3 and "gone.parquet" in err

    def test_uneven_pairs(self, here, capsys):
        os.remove("a/part-00004.parquet")
        code, _, err = run(capsys, "eval", "truth", "a", "--engine", "threads")
        assert code == 3 and "got 10 and 9" in err

    def test_boxes_that_are_read_wrongly(self, here, capsys):
        """A low score of parts is looked at as that of one file is."""
        truth, guess = world(shift=0.5)
        corners = guess.xywh.copy()
        corners[:, 2:] += corners[:, :2]
        wrong = Dataset.from_arrays(
            corners, form="xywh", image=guess.images.ids[guess.image], images=guess.images, score=guess.score,
            category=guess.categories.ids[guess.category], categories=guess.categories,
        )  # fmt: skip
        table = table_of(truth, wrong)
        for k in range(2):
            pq.write_table(table.slice(30 * k, 30), f"wrong-{k}.parquet")
        words = ["eval", "wrong-0.parquet", "wrong-1.parquet", "--engine", "threads"]
        code, out, err = run(capsys, *words)
        assert code == 3 and out == "" and "boxes-layout" in err and "--as-is" in err
        code, out, err = run(capsys, *words, "--as-is")
        assert code == 0 and "AP " in out
        assert run(capsys, "records", *words[1:3], "-o", "x.records")[0] == 3 and not Path("x.records").exists()

    def test_expected_that_is_nothing(self, here, capsys):
        Path("what.csv").write_text("hello\n")
        code, _, err = run(capsys, "eval", *PARTS, "--expected", "what.csv")
        assert code == 3 and "--expected must be a text file with an id in each line" in err

    def test_no_ray(self, here, capsys, monkeypatch):
        import sys

        monkeypatch.setitem(sys.modules, "ray", None)
        code, _, err = run(capsys, "eval", *PARTS, "--engine", "ray")
        assert code == 2 and "--engine ray needs Ray: pip install 'vesica[ray]'" in err


class TestWords:
    """Words may stand on either side of an option."""

    def test_between_options(self, here, capsys):
        want = run(capsys, "eval", *WHOLE, "--json", "--quiet")
        assert run(capsys, "eval", WHOLE[0], "--json", WHOLE[1], "--quiet") == want
        mixed = [PARTS[0], "--json", *PARTS[1:5], "--quiet", "--workers", "2", *PARTS[5:]]
        assert run(capsys, "eval", *mixed) == want

    def test_of_other_verbs(self, here, capsys, monkeypatch):
        monkeypatch.chdir("world")
        want = run(capsys, "merge", "part1.records", "part2.records", "--quiet")
        assert run(capsys, "merge", "part1.records", "--quiet", "part2.records") == want
        code, _, err = run(capsys, "info", "--quiet", "x")
        assert code == 2 and "'x' is one too many" in err


def test_progress(here, capsys, monkeypatch):
    """A bar on standard error: parts, and guesses a second. The answer is the same."""
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setenv("COLUMNS", "120")
    for words, noun in (
        (["eval", *PARTS], "guesses/s"),
        (["agree", "people", "--engine", "threads"], "objects/s"),
        (["seg", "world/truth", "world/guess", "--ignore", "255", "--engine", "threads"], "images/s"),
    ):
        plain = run(capsys, *words, "--quiet")
        code, out, err = run(capsys, *words, "--progress", "always")
        assert code == plain[0] == 0 and out == plain[1] and noun in err and "parts" in err
        assert "/s" not in run(capsys, *words, "--progress", "never")[2]


def test_settings_say_the_engine(here, capsys):
    Path("vesica.toml").write_text('[eval]\nengine = "threads"\nworkers = 2\n')
    want = run(capsys, "eval", *WHOLE, "--json", "--quiet", "--no-config")
    assert run(capsys, "eval", *PARTS, "--json", "--quiet") == want
    Path("vesica.toml").write_text('[eval]\nengine = "spark"\n')
    code, _, err = run(capsys, "eval", *PARTS)
    assert code == 2 and "vesica.toml" in err and "spark" in err
