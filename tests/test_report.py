"""Reports without a browser: escaping, charts, photographs, sizes, the command line."""

import json
import os
import re

import numpy as np
import pytest

import vesica

pytest.importorskip("matplotlib")

from browser.kinds import HOSTILE, detections
from vesica import plot, report
from vesica.cli import main
from vesica.errors import InputError
from vesica.report import charts, escape, gallery, photographs
from vesica.report.detection_shapes import simplified
from vesica.report.document import Document, html_of, shown
from vesica.report.views import Item, Line, Mark, Page, Row, Shape, Table, Words


@pytest.fixture(scope="module")
def result():
    return vesica.evaluate(*detections(12, 4))


@pytest.fixture(scope="module")
def text(result, tmp_path_factory):
    """A report of two results with all its charts, for all tests that look at one."""
    path = tmp_path_factory.mktemp("report") / "out.html"
    report.write(path, result, result, title="Two")
    return path.read_text(encoding="utf-8")


class TestEscape:
    @pytest.mark.parametrize("name", [*HOSTILE, "<!--", "]]>", "\u2028", "\ud800", "a\x00b", "\u202egnp.exe"])
    def test_no_name_leaves_its_place(self, name):
        for write in (escape.text, escape.svg):
            assert not set("<>\"'\x00\u202e") & set(write(name))
        block = escape.block({"name": name})
        assert not set("<>&\u2028\u2029") & set(block)
        assert json.loads(block) == {"name": name}
        block.encode("utf-8")

    def test_fragment_holds_any_name(self):
        for name in HOSTILE:
            fragment = escape.fragment("detection", {"category": name})
            assert re.fullmatch(r"#show/detection/category=[\w%.~-]+", fragment)

    def test_long_names_are_cut(self):
        assert len(escape.visible("x" * 10_000)) == escape.LONGEST


class TestCharts:
    def test_one_drawing_for_light_and_dark(self, result):
        drawing = charts.chart("a", lambda ax: plot.scores(result, ax=ax)).svg
        assert drawing.startswith("<svg ") and "var(--right)" in drawing and "var(--wrong)" in drawing
        assert not re.search(r'(style|fill|stroke)="[^"]*#(?!0000)[0-9a-f]{6}', drawing)
        for unwanted in ("<style", "<metadata", "<?xml", "<!DOCTYPE", "font-family", "<image"):
            assert unwanted not in drawing

    def test_every_id_has_the_prefix_of_its_chart(self, result):
        for key in ("one", "two"):
            drawing = charts.chart(key, lambda ax: plot.confusion(result, ax=ax)).svg
            used = re.findall(r'(?: id="|url\(#|href="#)([^")]+)', drawing)
            assert used and all(name.startswith(f"{key}-") for name in used)

    def test_same_bytes_each_time(self, result):
        one, other = (charts.chart("a", lambda ax: plot.precision_recall(result, ax=ax)).svg for _ in range(2))
        assert one == other

    def test_a_style_that_somebody_set_changes_no_page(self, result):
        from matplotlib import rc_context

        plain = charts.chart("a", lambda ax: plot.scores(result, ax=ax)).svg
        theirs = {
            "axes.grid": True,
            "grid.color": "#cccccc",
            "axes.edgecolor": "red",
            "font.size": 30,
            "lines.linewidth": 9,
        }
        with rc_context(theirs):
            assert charts.chart("a", lambda ax: plot.scores(result, ax=ax)).svg == plain

    def test_cells_are_those_of_the_matrix(self, result):
        counts = result.confusion().counts
        drawing = charts.chart("a", lambda ax: plot.confusion(result, by=None, ax=ax)).svg
        cells = {tuple(map(int, cell)) for cell in re.findall(r'id="a-cell-(\d+)-(\d+)"', drawing)}
        assert cells == set(map(tuple, np.argwhere(counts).tolist()))

    def test_marks_have_names(self, result):
        def marks(ax):
            ax.patches[0].set_gid("bar")
            return {"bar": Mark('<b>"cat"', {"category": "cat"})}

        made = charts.chart("a", lambda ax: plot.per_class(result, ax=ax), marks=marks)
        assert 'id="a-bar" class="mark" aria-label="&lt;b&gt;&quot;cat&quot;"' in made.svg

    def test_words_are_taken_off_the_picture(self, result):
        made = charts.chart("a", lambda ax: plot.ious(result, ax=ax))
        assert made.title == "How well matched pairs overlap" and "matched from IoU" in made.sentence
        assert made.title not in made.svg.partition(">")[2]


class TestDocument:
    def test_policy_comes_first(self, text):
        assert re.match(r'<!doctype html>\n<html lang="en"><head><meta http-equiv="Content-Security-Policy"', text)

    def test_intervals_are_those_of_everywhere(self, result, text):
        """As `result.interval()` and the command line have them: nobody finds two intervals of one number."""
        table = result.interval()
        found = dict(re.findall(r"<span>(\w+)</span><small class=\"ends\">([^<]*)</small>", text))
        ends = {name: (table[name].lo, table[name].hi) for name in result}
        want = {name: f"{low:.3f} to {high:.3f}" for name, (low, high) in ends.items() if low is not None}
        assert found == want and len(want) > 6
        assert f"95 %, {table.drawing.replicates:,} replicates by image, seed 0" in text

    def test_hash_is_that_of_the_script(self, text):
        import base64
        import hashlib

        script = text.rpartition("<script>")[2].partition("</script>")[0]
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"script-src 'sha256-{digest}'" in text

    def test_values(self):
        assert [shown(value) for value in (None, float("nan"), True, 1234, 0.5, "a")] == [
            "–",
            "–",
            "yes",
            "1,234",
            "0.500",
            "a",
        ]

    def test_everything_from_data_is_escaped(self):
        bad = HOSTILE[0]
        page = Page(
            "p",
            bad,
            (
                Table("t", bad, (bad,), ((bad,),), ({bad: bad},), bad, bad),
                Words("w", bad, (Line(bad, "", {bad: bad}, bad),)),
            ),
            bad,
        )
        item = Item("0", bad, bad, 10, 10, (Shape("wrong", bad, (0, 0, 1, 1), facts={bad: bad}),), {bad: bad})
        document = Document(bad, bad, (page,), {"p": (item,)}, {"p": (Row(bad, {bad: bad}),)}, (bad,), bad)
        written = html_of(document)
        assert "<img src=x" not in written and written.count("</script>") == 2

    def test_a_missing_fact_is_no_fact(self):
        item = Item("0", "a", "a", 10, 10, (Shape("wrong", facts={"x": "1"}), Shape("right", facts={"y": ("1", "2")})))
        document = Document("", "", (Page("p", "p", ()),), {"p": (item,)}, {"p": ()})
        data = json.loads(re.search(r'id="data">(.*?)</script>', html_of(document))[1])
        strings, group = data["strings"], data["groups"][0]
        assert [strings[key] for key in group["keys"]] == ["x", "y"]
        first, second = (shape[3] for shape in group["items"][0][3])
        assert first[1] == second[0] == -1 and [strings[one] for one in second[1]] == ["1", "2"]


class TestPhotographs:
    @pytest.fixture
    def folder(self, tmp_path):
        from PIL import Image

        (tmp_path / "inside" / "deep").mkdir(parents=True)
        picture = Image.fromarray(np.full((500, 700, 3), 90, np.uint8))
        for name in ("inside/000139.jpg", "inside/deep/b.PNG", "secret.png"):
            picture.save(tmp_path / name)
        (tmp_path / "inside" / "link.jpg").symlink_to(tmp_path / "secret.png")
        (tmp_path / "inside" / "broken.jpg").write_bytes(b"no picture")
        return tmp_path / "inside"

    def found(self, names, images, **options):
        return photographs.pictures_of(names, images, **{"embed": "embed", "room": 10**6, **options})

    def test_by_name_last_part_stem_and_id(self, folder):
        names = ["000139.jpg", "val/000139.jpg", "139", "000139.png", "deep/b.PNG"]
        found = self.found(names, folder)
        assert list(found.pictures) == names and not found.lines
        assert list(self.found(["C:\\pictures\\000139.jpg"], folder).pictures) == ["C:\\pictures\\000139.jpg"]
        assert found.pictures["139"][1:] == (700, 500)
        assert all(one.address.startswith("data:image/jpeg;base64,") for one in found.pictures.values())

    @pytest.mark.parametrize("embed", ["link", "embed"])
    @pytest.mark.parametrize(
        "names, root, want",
        [
            (["a/7.jpg", "b/7.jpg"], "", {"a/7.jpg": "a/7.jpg", "b/7.jpg": "b/7.jpg"}),
            (["a/7.jpg", "b/7.jpg"], "b", {"b/7.jpg": "b/7.jpg"}),  # a/7.jpg is another picture
            (["a/7.jpg", "b/8.jpg"], "b", {"b/8.jpg": "b/8.jpg"}),
            (["x/7.jpg", "y/7.jpg"], "b", {}),  # one of them, and nobody knows which
            (["x/7.jpg", "y/8.jpg"], "b", {"x/7.jpg": "b/7.jpg", "y/8.jpg": "b/8.jpg"}),
            (["x/7.jpg", "7"], "b", {"x/7.jpg": "b/7.jpg", "7": "b/7.jpg"}),  # two names of one image
            (["1", "01"], "b", {"1": "b/1.jpg", "01": "b/01.jpg"}),
            (["001", "0007"], "b", {"0007": "b/7.jpg"}),  # 1.jpg or 01.jpg
        ],
    )
    def test_same_name_in_two_folders(self, tmp_path, names, root, want, embed):
        """Never the picture of another image."""
        from PIL import Image

        addresses = {}
        for k, name in enumerate(["a/7.jpg", "b/7.jpg", "b/8.jpg", "b/1.jpg", "b/01.jpg"]):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            Image.fromarray(np.full((5, 7 + k, 3), 90, np.uint8)).save(tmp_path / name)
            addresses[name] = (tmp_path / name).as_uri() if embed == "link" else 7 + k
        found = self.found(names, tmp_path / root, embed=embed)
        shown = {name: one.address if embed == "link" else one.width for name, one in found.pictures.items()}
        assert shown == {name: addresses[one] for name, one in want.items()}
        assert len(found.lines) == (len(want) < len(names))
        assert not found.lines or "left out, among them" in found.lines[0] or "not found" in found.lines[0]

    def test_same_name_in_a_dict(self):
        one, other = np.zeros((5, 7), np.uint8), np.zeros((5, 9), np.uint8)
        found = self.found(["a/7.jpg", "b/7.jpg", "7"], {"a/7.jpg": one, "b/7.jpg": other})
        assert {name: picture.width for name, picture in found.pictures.items()} == {"a/7.jpg": 7, "b/7.jpg": 9}
        assert "1 photographs were not found, among them 7." in found.lines

    @pytest.mark.parametrize(
        "name", ["../secret.png", "deep/../../secret.png", "/etc/passwd", "link.jpg", "", "\0", "..", ".", "deep"]
    )
    def test_nothing_outside_the_folder(self, folder, name):
        names = [name, str(folder.parent / "secret.png")]
        found = self.found(names, folder)
        assert found.pictures == {} and "2 photographs were not found" in found.lines[0]

    def test_what_cannot_be_read_is_said(self, folder):
        found = self.found(["broken.jpg", "139"], folder)
        assert list(found.pictures) == ["139"] and "1 photographs could not be read" in found.lines[0]
        assert str(folder) not in found.lines[0]  # names of folders stay here

    def test_room(self, folder):
        one = len(self.found(["139"], folder).pictures["139"].address)
        found = self.found(["139", "000139.jpg"], folder, room=one + 10)
        assert len(found.pictures) == 1 and "left out" in found.lines[0]

    def test_links_need_no_pillow(self, folder):
        assert self.found(["139"], folder, embed="link").pictures["139"].address == (folder / "000139.jpg").as_uri()

    def test_dicts_functions_and_arrays(self, folder):
        shade = np.zeros((20, 30), np.uint8)
        assert self.found(["a.jpg"], {"a.jpg": shade}).pictures["a.jpg"][1:] == (30, 20)
        assert self.found(["a.jpg"], {"a": folder / "000139.jpg"}).pictures["a.jpg"].width == 700
        assert self.found(["a"], lambda name: None).pictures == {}
        with pytest.raises(TypeError, match="`images` must answer the path of a file.* got int for 'a'"):
            self.found(["a"], {"a": 7})
        with pytest.raises(ValueError, match="`images` must be a folder that exists"):
            self.found(["a"], "nowhere")

    def test_pixel_bombs(self, folder, monkeypatch):
        monkeypatch.setattr(photographs, "PIXELS", 1000)
        assert "700×500 pixels are too many" in self.found(["139"], folder).lines[0]

    def test_a_photograph_says_the_size_that_nobody_knew(self, result, tmp_path, undrawn):
        """Outlines lie where they belong, though the data had no sizes."""
        pictures = {}
        out = tmp_path / "out.html"
        result.report(out, images=lambda name: pictures.setdefault(name, np.zeros((600, 900, 3), np.uint8)))
        assert pictures and "aspect-ratio:900/600" in out.read_text(encoding="utf-8")


class TestWrite:
    def test_nothing_of_this_machine(self, text, tmp_path):
        for word in (os.getcwd(), os.path.expanduser("~"), str(tmp_path.parent), os.uname().nodename):
            assert len(word) < 3 or word not in text
        assert not re.search(r"\b20\d\d-\d\d-\d\d", text)

    def test_arguments(self, result, tmp_path, undrawn):
        out = tmp_path / "out.html"
        with pytest.raises(ValueError, match="`results` must be one result or more"):
            report.write(out)
        with pytest.raises(TypeError, match="`results` must be what evaluate"):
            report.write(out, {"AP": 0.5})
        for size in (0, -1, 1e9):
            with pytest.raises(ValueError, match="`max_mb` must be from 0.5 to 1000"):
                result.report(out, max_mb=size)
        with pytest.raises(ValueError, match="`embed` must be"):
            result.report(out, embed="always")
        with pytest.raises(ValueError, match=r"its name must end in \.html; got "):
            result.report(tmp_path / "out.pdf")
        with pytest.raises(InputError):
            result.report(tmp_path / "nowhere" / "out.html")
        assert list(tmp_path.iterdir()) == []

    def test_an_error_leaves_the_earlier_file(self, result, tmp_path, monkeypatch, undrawn):
        out = tmp_path / "out.html"
        out.write_text("earlier")
        monkeypatch.setattr(gallery, "_few", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            result.report(out)
        assert out.read_text() == "earlier" and list(tmp_path.iterdir()) == [out]

    def test_several_results_have_pages_of_their_own(self, text):
        assert (
            "<title>Two</title>" in text and '<section id="detection"' in text and '<section id="detection-2"' in text
        )
        ids = re.findall(r' id="([^"]+)"', text)
        assert len(ids) == len(set(ids))

    @pytest.mark.parametrize("module", ["matplotlib", "matplotlib.figure"])
    def test_without_matplotlib(self, result, tmp_path, monkeypatch, module):
        import sys

        for known in [one for one in sys.modules if one == module or one.startswith(f"{module}.")]:
            monkeypatch.delitem(sys.modules, known)
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(vesica.MissingExtra, match=r'pip install "vesica\[plot\]"'):
            result.report(tmp_path / "out.html")

    def test_records_without_details_have_what_they_can(self, result, tmp_path):
        out = tmp_path / "out.html"
        vesica.detection.summarise(result.records).report(out)
        text = out.read_text(encoding="utf-8")
        assert "Causes, confusion and pictures are left out" in text and "chart-detection-pr" in text

    def test_masks_are_outlines(self, tmp_path, undrawn):
        square = [[10, 10, 40, 10, 40, 40, 10, 40]]
        row = {"image_id": 1, "category_id": 1, "bbox": [10, 10, 30, 30], "segmentation": square}
        truth = {
            "images": [{"id": 1, "width": 60, "height": 60}],
            "categories": [{"id": 1, "name": "cat"}],
            "annotations": [{**row, "id": 1, "area": 900, "iscrowd": 0}],
        }
        (tmp_path / "truth.json").write_text(json.dumps(truth))
        (tmp_path / "guess.json").write_text(json.dumps([{**row, "score": 0.9}]))
        out = tmp_path / "out.html"
        vesica.evaluate(tmp_path / "truth.json", tmp_path / "guess.json", regions="mask").report(out)
        assert rings_in(out) == [[10, 40]] * 2

    def test_rotated_boxes_are_outlines(self, tmp_path, undrawn):
        turned = vesica.RotatedBoxes([[30, 30, 20, 20, 45]], unit="deg", direction="cw")
        truth, guess = (
            vesica.Dataset.from_arrays(turned, image=[1], category=["cat"], score=score) for score in (None, [0.9])
        )
        out = tmp_path / "out.html"
        vesica.evaluate(truth, guess, regions="rotated").report(out)
        assert rings_in(out) == [[15.9, 30, 44.1]] * 2


def rings_in(path):
    """The coordinates of every shape of the only picture."""
    data = json.loads(re.search(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"))[1])
    (item,) = data["groups"][0]["items"]
    return [sorted(set(shape[2][0])) for shape in item[3]]


@pytest.mark.parametrize("seed", range(20))
def test_outlines_with_fewer_points_are_the_same(seed):
    shapely = pytest.importorskip("shapely")
    rng = np.random.default_rng(seed)
    angle = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    radius = 60 + 25 * np.sin(angle * rng.integers(2, 6)) + rng.normal(0, 1, 400)
    ring = np.round(np.stack([100 + radius * np.cos(angle), 100 + radius * np.sin(angle)], axis=1))
    few = np.reshape(simplified(ring, 1.5), (-1, 2))
    assert len(few) < 150
    assert shapely.LinearRing(few).hausdorff_distance(shapely.LinearRing(ring)) < 3.5


def test_ranges_that_do_not_cover_all_have_numbers_and_say_so(tmp_path, undrawn):
    out = tmp_path / "out.html"
    vesica.evaluate(*detections(2, 2), areas={"tiny": (0, 500), "large": (500, 1e9)}).report(out)
    assert "no range of `areas` covers all sizes" in out.read_text(encoding="utf-8")


class TestCommandLine:
    @pytest.fixture
    def files(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        image, box = {"id": 1, "height": 90, "width": 90}, {"image_id": 1, "category_id": 1, "bbox": [0, 0, 40, 40]}
        truth = {
            "images": [image],
            "annotations": [{**box, "id": 1, "area": 1600, "iscrowd": 0}],
            "categories": [{"id": 1, "name": "cat"}],
        }
        (tmp_path / "truth.json").write_text(json.dumps(truth))
        (tmp_path / "guess.json").write_text(json.dumps([{**box, "score": 0.5}]))
        (tmp_path / "photographs").mkdir()
        return tmp_path

    def test_eval(self, files, capsys, undrawn):
        words = ["eval", "truth.json", "guess.json", "--report", "out.html", "--images", "photographs"]
        assert main([*words, "--gate", "AP>=0.5"]) == 0
        text = (files / "out.html").read_text(encoding="utf-8")
        assert "AP&gt;=0.5" in text and "file truth.json" in text and "SHA-256" in text
        assert "Wrote out.html: 0." in capsys.readouterr().err
        assert main([*words, "--gate", "AP>=2"]) == 1  # and the page is there
        assert "FAILED" in (files / "out.html").read_text(encoding="utf-8")

    def test_saved(self, files, capsys, undrawn):
        assert main(["eval", "truth.json", "guess.json", "--records", "run.records", "--details", "--quiet"]) == 0
        capsys.readouterr()
        assert main(["eval", "truth.json", "guess.json", "--json", "--quiet"]) == 0
        (files / "run.json").write_text(capsys.readouterr().out)
        assert main(["report", "run.records", "-o", "out.html", "--images", "photographs", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert (
            told["report"] == "out.html"
            and told["pictures"] == 1
            and told["bytes"] == (files / "out.html").stat().st_size
        )
        assert main(["report", "run.json", "-o", "of_json.html", "--quiet"]) == 0
        assert "of_json.html" in capsys.readouterr().out
        assert ">1.000</b>" in (files / "of_json.html").read_text(encoding="utf-8")

    @pytest.mark.parametrize(
        "words, code, said",
        [
            ("eval truth.json guess.json --max-mb 3", 2, "--max-mb and --pictures go with --report"),
            ("eval truth.json guess.json --report truth.json", 2, "--report must be a file of its own"),
            ("eval truth.json guess.json --report out.html --max-mb 0", 2, "--max-mb` must be from 0.5 to 1000"),
            ("eval truth.json guess.json --report nowhere/out.html", 3, "nowhere/out.html"),
            ("report truth.json -o out.html", 3, "truth.json: It is no saved result"),
            ("report nothing.records -o out.html", 3, "nothing.records"),
            ("report truth.json -o truth.json", 2, "--output must be a file of its own"),
            ("report truth.json -o out.html --images nowhere", 2, "--images must be a folder that exists"),
        ],
    )
    def test_refused(self, files, capsys, words, code, said, undrawn):
        before = sorted(os.listdir())
        try:
            found = main(words.split())
        except SystemExit as leaving:
            found = leaving.code
        assert found == code and said in capsys.readouterr().err
        assert sorted(os.listdir()) == before

    @pytest.mark.parametrize(
        "content",
        ["{", "[]", '{"summary": 1, "task": "x"}', '{"summary": {"AP": 1}, "task": "detection", "classes": 7}', ""],
    )
    def test_damaged_json(self, files, capsys, content, undrawn):
        (files / "run.json").write_text(content)
        assert main(["report", "run.json", "-o", "out.html"]) == 3
        assert "run.json" in capsys.readouterr().err and not (files / "out.html").exists()
