"""`vesica demo`: files that other tools read, numbers that the verbs give, and nobody's folder written over."""

import contextlib
import io
import json
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

import demo_world
import vesica
from installed import has
from undrawn import leave_undrawn
from vesica.cli import main
from vesica.demo import files, kinds, words
from vesica.demo.scene import picture

IMAGES = 48  # as many as it has by itself


def run(*words):
    """The exit code, and what was said."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([str(word) for word in words])
        except SystemExit as leaving:
            code = leaving.code
    return code, out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The folder of a demo, and what was said in JSON."""
    folder = tmp_path_factory.mktemp("world") / "demo"
    code, out, err = run("demo", "-o", folder, "--json")
    assert (code, err) == (0, "")
    demo_world.tell(tmp_path_factory, folder)
    return folder, json.loads(out)


@pytest.fixture(scope="module")
def twice(tmp_path_factory):
    """A small one in two folders: each with its files, and with what was said in words."""
    with pytest.MonkeyPatch.context() as patch:
        leave_undrawn(patch)
        return [_small(tmp_path_factory.mktemp("world") / name) for name in ("once", "again")]


def _small(folder):
    code, out, _ = run("demo", "-o", folder, "--images", "3")
    assert code == 0
    return folder, content_of(folder), out


def tried(text):
    """The lines that are to be tried."""
    return [
        line.strip() for line in text.splitlines() if re.match(r"  .*\bvesica (eval|compare|seg|agree|check) ", line)
    ]


def words_of(line):
    parts = shlex.split(line)
    return parts[next(k for k, part in enumerate(parts) if Path(part).name == "vesica") + 1 :]


def content_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def bare(monkeypatch, *packages):
    for name in packages:
        for known in [one for one in sys.modules if one.partition(".")[0] == name]:
            monkeypatch.delitem(sys.modules, known)
        monkeypatch.setitem(sys.modules, name, None)


class TestFiles:
    @pytest.mark.filterwarnings("ignore:__array__ implementation")  # of pycocotools
    def test_coco(self, demo):
        """A reader that nobody here wrote takes truth and guesses, and sees the same masks, boxes and areas."""
        tools = pytest.importorskip("pycocotools.coco")
        truth = tools.COCO(str(demo[0] / "truth.json"))
        assert len(truth.getImgIds()) == IMAGES and len(truth.getCatIds()) == len(kinds.THINGS)
        assert any(one["iscrowd"] for one in truth.anns.values())
        for one in truth.anns.values():
            mask = truth.annToMask(one)
            assert mask.shape == (400, 600) and mask.sum() == one["area"]
            rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
            box = [columns[0], rows[0], np.ptp(columns) + 1, np.ptp(rows) + 1]
            assert box == one["bbox"]
        for model in ("a", "b"):
            assert truth.loadRes(str(demo[0] / f"{model}.json")).anns

    def test_pictures(self, demo):
        image = pytest.importorskip("PIL.Image")
        for name in files._FOLDERS:
            paths = sorted((demo[0] / name).iterdir())
            assert [path.name for path in paths] == [f"{k:03}.png" for k in range(IMAGES)]
            for path in paths:
                with image.open(path) as one:
                    assert one.size == (600, 400) and one.mode == ("RGB" if name == "images" else "P")
                    labels = {*np.unique(one).tolist()}
                assert name == "images" or labels <= {*range(len(kinds.CLASSES)), kinds.VOID}
                assert name != "maps/truth" or kinds.VOID in labels

    def test_annotators_have_the_images_that_they_were_asked_for(self, demo):
        asked = [line.split(",")[:2] for line in (demo[0] / "assignments.csv").read_text().splitlines()[1:]]
        names = {}
        for path in sorted((demo[0] / "annotators").iterdir()):
            given = json.loads(path.read_text())
            names[path.stem] = [one["file_name"] for one in given["images"]]
            assert {one["image_id"] for one in given["annotations"]} <= {one["id"] for one in given["images"]}
        assert sorted(asked) == sorted([image, who] for who, images in names.items() for image in images)
        assert {len(images) for images in names.values()} == {IMAGES * 3 // 4}

    def test_same_bytes(self, twice):
        """In another folder: all files, and the report; tests of reports say it of its charts."""
        (_, once, _), (_, again, _) = twice
        assert once == again and ("report.html" in once) == has("matplotlib")

    def test_another_seed(self):
        one, other = picture(1, 0), picture(1, 1)
        assert (one.pixels != other.pixels).any() and one.camera == other.camera


class TestNumbers:
    def test_are_those_of_the_verbs(self, demo):
        folder, told = demo
        at = {name: folder / name for name in ("truth.json", "a.json", "b.json")}
        facts = json.loads(run("eval", at["truth.json"], at["b.json"], "--quiet", "--json")[1])
        assert facts["summary"] == told["eval"]["summary"]
        facts = json.loads(run("compare", *at.values(), "--quiet", "--json")[1])
        assert facts["numbers"] == told["compare"]["numbers"]
        people = sorted((folder / "annotators").iterdir())
        facts = json.loads(run("agree", *people, "--assignments", folder / "assignments.csv", "--quiet", "--json")[1])
        assert facts["summary"] == told["agree"]["summary"]

    def test_of_label_maps(self, demo):
        pytest.importorskip("PIL")
        folder, told = demo
        words = ("--classes", folder / "classes.txt", "--ignore", "255", "--quiet", "--json")
        facts = json.loads(run("seg", folder / "maps/truth", folder / "maps/b", *words)[1])
        assert facts["summary"] == told["seg"]["summary"]

    def test_the_story(self, demo):
        """b is the better detector, and loses bicycles; each annotator has the habit that is told of them."""
        folder, _ = demo
        comparison = vesica.compare(folder / "truth.json", folder / "a.json", folder / "b.json")
        assert comparison.table()["lo"][0] > 0
        rows = {row["category"]: row for row in comparison.classes()}
        assert rows["bicycle"]["hi"] < 0 < rows["car"]["lo"]
        result = _agreement(folder)
        by_date = result.trend(by="date")
        assert by_date["lo"][-1] > 0  # cleo was told
        table = result.annotators()
        for column, who in (("loose_edge", "ann"), ("missing_rate", "ben"), ("label_rate", "cleo")):
            assert table["annotator"][np.argmax(table[column])] == who

    def test_check_finds_and_repairs(self, demo):
        folder, told = demo
        (finding,) = told["check"]["findings"]
        assert finding["code"] == "boxes-layout" and finding["file"] == files.EXPORT
        fixed, meant = (json.loads((folder / name).read_text()) for name in (files.EXPORT_FIXED, "b.json"))
        assert [one["bbox"] for one in fixed] == [pytest.approx(one["bbox"]) for one in meant]

    def test_few_images(self, tmp_path, monkeypatch):
        bare(monkeypatch, "matplotlib")
        for images in (1, 2, 3):
            code, out, _ = run("demo", "-o", tmp_path, "--images", images, "--seed", images)
            assert code == 0 and "eval     b.json: AP" in out and "nan" not in out


class TestWords:
    def test_commands_work(self, twice, undrawn):
        """What is said to be tried is typed in: each does what it is for, or says what is missing for it."""
        folder, _, out = twice[1]
        lines = tried(out)
        assert len(lines) == 6
        for line in lines:
            code, said, err = run(*words_of(line))
            if "--report" in line and not has("matplotlib"):
                assert code == 2 and 'need matplotlib: pip install "vesica[plot]"' in err
                continue
            assert code == (3 if " check " in line else 0) and said, (line, err)
        assert (folder / "consensus.json").is_file() and (folder / "b.html").is_file() == has("matplotlib")

    def test_readme_says_the_same(self, demo, monkeypatch):
        monkeypatch.chdir(demo[0])
        lines = tried(Path("README.txt").read_text())
        assert len(lines) == 6 and run(*words_of(lines[0]))[0] == 0

    @pytest.mark.parametrize(
        "found, called, want",
        [
            ("/usr/bin/vesica", ".venv/bin/vesica", "vesica"),
            (None, ".venv/bin/vesica", ".venv/bin/vesica"),
            (None, "/my venv/bin/vesica", "'/my venv/bin/vesica'"),
            (None, "/usr/bin/pytest", f"{shlex.quote(sys.executable)} -m vesica"),
        ],
    )
    def test_what_the_shell_finds(self, monkeypatch, found, called, want):
        """In a clone, `vesica` is in .venv/bin, where no shell looks."""
        monkeypatch.setattr("shutil.which", lambda _: found)
        monkeypatch.setattr(sys, "argv", [called])
        assert words.program() == want

    def test_a_folder_with_spaces(self, tmp_path, monkeypatch):
        bare(monkeypatch, "matplotlib")
        _, out, _ = run("demo", "-o", tmp_path / "my world's", "--images", "2")
        assert run(*words_of(tried(out)[0]))[0] == 0

    def test_without_optional_packages(self, tmp_path, monkeypatch):
        """The world and all that NumPy can score are there, and it is said what is missing."""
        bare(monkeypatch, "matplotlib", "PIL")
        code, out, err = run("demo", "-o", tmp_path, "--images", "3")
        assert code == 0 and err == "" and "look at" not in out
        assert 'pip install "vesica[' in out and "seg  " not in out and "agree    ann" in out
        assert (tmp_path / "maps/b/002.png").is_file() and not (tmp_path / "report.html").exists()
        facts = json.loads(run("demo", "-o", tmp_path, "--images", "3", "--json")[1])
        assert facts["report"] is None and facts["seg"] is None and len(facts["missing"]) == 2


class TestPlaces:
    @pytest.fixture(autouse=True)
    def _quick(self, monkeypatch):
        bare(monkeypatch, "matplotlib")

    def test_a_folder_of_somebody_else(self, tmp_path):
        (tmp_path / "truth.json").write_text("mine")
        code, out, err = run("demo", "-o", tmp_path, "--images", "1")
        assert code == 3 and out == "" and "is no earlier demo, and has files of its own, such as truth.json" in err
        assert content_of(tmp_path) == {"truth.json": b"mine"}

    def test_another_readme(self, tmp_path):
        (tmp_path / "README.txt").write_bytes(b"\xff" * 2000)
        assert run("demo", "-o", tmp_path, "--images", "1")[0] == 3

    def test_a_file(self, tmp_path):
        (tmp_path / "demo").write_text("mine")
        code, _, err = run("demo", "-o", tmp_path / "demo", "--images", "1")
        assert code == 3 and "demo" in err and (tmp_path / "demo").read_text() == "mine"

    def test_an_earlier_demo(self, tmp_path):
        """Its files go, and what was put beside them stays."""
        run("demo", "-o", tmp_path, "--images", "3")
        own = ("images/holiday.png", "notes.txt", "maps/truth/extra.png")
        for name in own:
            (tmp_path / name).write_text("mine")
        assert run("demo", "-o", tmp_path, "--images", "1")[0] == 0
        found = content_of(tmp_path)
        assert {name: found.pop(name) for name in own} == dict.fromkeys(own, b"mine")
        assert sorted(name for name in found if name.startswith("images")) == ["images/000.png"]

    def test_one_that_was_killed(self, tmp_path):
        """Files wait in a folder of their own: it is still a demo."""
        run("demo", "-o", tmp_path / "whole", "--images", "1")
        waiting = tmp_path / "demo" / ".vesica-0.unfinished" / "new"
        waiting.mkdir(parents=True)
        (tmp_path / "whole" / "README.txt").rename(waiting / "README.txt")
        (tmp_path / "demo" / "truth.json").write_text("{")
        assert run("demo", "-o", tmp_path / "demo", "--images", "1")[0] == 0
        assert json.loads((tmp_path / "demo" / "truth.json").read_text())["images"]

    @pytest.mark.parametrize(
        "words, message",
        [
            (("--images", "0"), "--images must be a whole number from 1 to 10,000; got 0"),
            (("--images", "10001"), "got 10,001"),
            (("--seed", "-1"), "--seed must be a whole number from 0; got -1"),
            (("--output", ""), "--output must be the name of a folder; got ''"),
        ],
    )
    def test_usage(self, words, message):
        code, _, err = run("demo", *words)
        assert code == 2 and message in err


class TestPicture:
    @pytest.mark.parametrize("number", range(9))
    def test_things_are_seen(self, number):
        """Each has pixels of its own, of its class; the ground knows nothing of them."""
        drawn = picture(number, 0)
        for thing in drawn.things:
            mask = drawn.owners == thing.number
            x, y, width, height = thing.box
            assert mask.sum() == thing.area and mask[y : y + height, x : x + width].sum() == thing.area
            assert (drawn.labels[mask] == kinds.label_of(thing.category)).all()
        assert drawn.ground.max() < len(kinds.STUFF) and drawn.things
        is_ground = drawn.owners == 0
        assert (drawn.labels[is_ground] == drawn.ground[is_ground]).all()

    def test_shadows_and_light(self):
        """Night is darker than day."""
        means = {}
        for number in range(18):
            drawn = picture(number, 0)
            means.setdefault(drawn.daylight, []).append(drawn.pixels.mean())
        assert {*means} == {"day", "dusk", "night"} and max(means["night"]) < min(means["day"])


def _agreement(folder):
    from vesica.io.assignments import assigned

    people = {path.stem: vesica.read(path) for path in sorted((folder / "annotators").iterdir())}
    return vesica.evaluate_agreement(assigned(vesica.Dataset.of_annotators(people), folder / "assignments.csv"))
