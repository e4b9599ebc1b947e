"""DOTA files, YOLO files of oriented boxes: what is written comes back, and odd lines are named."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from vesica import Dataset, InputError, RotatedBoxes
from vesica.cli import main

PAGE = """\
imagesource:GoogleEarth
gsd:0.146343590398
2753 2408 2861 2385 2888 2468 2805 2502 plane 0
3445.0 3391.0 3484.0 3409.0 3478.0 3422.0 3437.0 3402.0 large-vehicle 1
"""
SQUARE = np.array([[[0, 0], [10, 0], [10, 4], [0, 4]]], float)

corner = st.integers(-(2**20), 2**20).map(lambda k: k / 256)
points = st.lists(st.lists(st.tuples(corner, corner), min_size=4, max_size=4), max_size=6)


@pytest.fixture
def labels(tmp_path):
    folder = tmp_path / "labelTxt"
    folder.mkdir()
    (folder / "P0003.txt").write_text(PAGE)
    (folder / "P0007.txt").write_text("")
    return folder


class TestRead:
    def test_labels(self, labels):
        for place in (labels, labels.parent):
            data = vesica.read(place)
            assert data.images.ids.tolist() == ["P0003", "P0007"] and data.image.tolist() == [0, 0]
            assert data.categories.names.tolist() == ["large-vehicle", "plane"] and data.category.tolist() == [1, 0]
            assert data.ignore.tolist() == [False, True] and data.score is None
            assert data.corners[0].tolist() == [[2753, 2408], [2861, 2385], [2888, 2468], [2805, 2502]]
            assert data.xywh[0].tolist() == [2753, 2385, 135, 117]
            assert data.notes == ("2 lines of imagesource and gsd were left out",)

    def test_one_file(self, labels):
        assert len(vesica.read(labels / "P0003.txt")) == 2

    def test_results(self, tmp_path):
        (tmp_path / "Task1_plane.txt").write_text("P0003 0.9 0 0 10 0 10 4 0 4\nP0001 0.5 1 1 2 1 2 2 1 2\n")
        (tmp_path / "Task1_ship.txt").write_text("")
        (tmp_path / "Task1_small-vehicle.txt").write_text("P0003 1e-3 0 0 1 0 1 4 0 4\n")
        data = vesica.read(tmp_path)
        assert data.images.ids.tolist() == ["P0001", "P0003"] and data.image.tolist() == [1, 0, 1]
        assert data.score.tolist() == [0.9, 0.5, 0.001] and data.categories.ids.tolist() == ["plane", "small-vehicle"]
        assert data.corners[0].tolist() == SQUARE[0].tolist()
        assert len(vesica.read(tmp_path / "Task1_plane.txt")) == 2

    def test_difficult_may_be_missing(self, tmp_path):
        (tmp_path / "a.txt").write_text("0 0 10 0 10 4 0 4 ship\n")
        assert vesica.read(tmp_path).ignore is None

    @pytest.mark.parametrize(
        "line, message",
        [
            (
                "0 0 10 0 10 4 0 4 small vehicle 0",
                "line 2: must have eight numbers of corners, the class.*got 11 words",
            ),
            ("0 0 10 0 10 4 0 four ship 0", "line 2: 'four' is not a number"),
            ("0 0 10 0 10 4 0 4 ship yes", "line 2: difficult must be 0, 1 or 2; got 'yes'"),
            ("0 0 10 0 nan 4 0 4 ship 0", "line 2: the corners must be finite"),
            ("0 0 10 0 1e300 4 0 4 ship 0", "line 2: the corners must be finite"),
        ],
    )
    def test_lines_that_are_none(self, tmp_path, line, message):
        (tmp_path / "a.txt").write_text(f"0 0 10 0 10 4 0 4 ship 0\n{line}\n")
        with pytest.raises(InputError, match=message):
            vesica.read(tmp_path)

    def test_results_that_are_none(self, tmp_path):
        (tmp_path / "Task1_ship.txt").write_text("P1 0.5 0 0 10 10\n")
        with pytest.raises(InputError, match="must have image, score and eight numbers of corners; got 6 words"):
            vesica.read(tmp_path)
        (tmp_path / "Task1_ship.txt").write_text("P1 nan 0 0 10 0 10 4 0 4\n")
        with pytest.raises(InputError, match="line 1: `score` must be finite"):
            vesica.read(tmp_path)

    def test_yolo_is_still_yolo(self, tmp_path):
        (tmp_path / "a.txt").write_text("0 0.5 0.5 0.2 0.2\n")
        assert vesica.read(tmp_path, sizes=(100, 100)).corners is None

    def test_links_beside_other_files_do_no_harm(self, tmp_path):
        """A text that leads out of the folder is refused where it is read, and only there."""
        folder = tmp_path / "data"
        folder.mkdir()
        (tmp_path / "licence.txt").write_text("all rights")
        (folder / "licence.txt").symlink_to(tmp_path / "licence.txt")
        data = Dataset.from_arrays([[0, 0, 4, 4]], image=[1], category=[1])
        vesica.write(folder / "truth.json", data)
        assert len(vesica.read(folder, format="coco")) == 1


class TestRoundTrip:
    @given(points, st.booleans())
    def test_dota(self, tmp_path_factory, corners, has_score):
        folder = tmp_path_factory.mktemp("dota") / "labelTxt"
        count = len(corners)
        score = {"score": np.arange(count) / 7} if has_score else {"ignore": np.arange(count) % 3 == 1}
        data = Dataset.from_arrays(
            np.array(corners, float).reshape(-1, 4, 2), image=[f"P{k % 2}" for k in range(count)],
            category=["ship", "plane", "ship", "harbor", "ship", "plane"][:count], images=["P0", "P1"], **score,
        )  # fmt: skip
        vesica.write(folder, data, format="dota")
        if has_score and not count:
            assert not list(folder.iterdir())
            return
        again = vesica.read(folder, format="dota")
        order = np.argsort(data.category if has_score else data.image, kind="stable")
        assert again.corners.tolist() == data.corners[order].tolist()
        assert again.images.ids[again.image].tolist() == data.images.ids[data.image[order]].tolist()
        assert again.categories.ids[again.category].tolist() == data.categories.ids[data.category[order]].tolist()
        for name in ("score", "ignore"):
            given = getattr(data, name)
            assert (getattr(again, name) is None) == (given is None)
            assert given is None or getattr(again, name).tolist() == given[order].tolist()

    @pytest.mark.parametrize("score", [None, [0.9, 0.1]])
    def test_yolo(self, tmp_path, score):
        rows = [[40, 30, 20, 8, 30], [60, 50, 12, 30, -75]]
        data = Dataset.from_arrays(
            RotatedBoxes(rows, unit="deg", direction="cw"), image=["a", "b"], category=[0, 1], score=score,
            sizes=(64, 128), categories={0: "ship", 1: "plane"},
        )  # fmt: skip
        vesica.write(tmp_path, data, format="yolo")
        again = vesica.read(tmp_path, kind="obb", sizes=(64, 128))
        assert again.corners == pytest.approx(data.corners, rel=1e-14)
        assert again.xywh == pytest.approx(data.xywh, rel=1e-12) and again.segments is None
        assert again.category.tolist() == [0, 1] and again.categories.names.tolist() == ["ship", "plane"]
        assert (again.score is None) == (score is None)
        with (
            pytest.raises(InputError, match='8 numbers are a polygon .* kind="obb" for the other')
            if score is None
            else (pytest.raises(InputError))
        ):
            vesica.read(tmp_path, sizes=(64, 128))

    def test_archive(self, tmp_path):
        data = Dataset.from_arrays(SQUARE, image=["a"], category=["ship"], score=[0.5])
        assert vesica.write(tmp_path / "all.npz", data) == ()
        again = vesica.read(tmp_path / "all.npz")
        assert again.corners.tolist() == SQUARE.tolist() and again.xywh.tolist() == data.xywh.tolist()

    @pytest.mark.parametrize("format, name", [("coco", "t.json"), ("voc", "voc"), ("csv", "t.csv")])
    def test_others_tell_what_is_lost(self, tmp_path, format, name):
        data = Dataset.from_arrays(SQUARE, image=["a"], category=["ship"]).numbered()
        assert any("rotated" in note for note in vesica.write(tmp_path / name, data, format=format))

    def test_upright_boxes_by_their_corners(self, tmp_path):
        data = Dataset.from_arrays([[0, 0, 10, 4]], image=["a"], category=["ship"])
        assert "upright boxes were written as four corners" in vesica.write(tmp_path, data, format="dota")
        assert vesica.read(tmp_path).corners.tolist() == SQUARE.tolist()

    def test_names_with_spaces(self, tmp_path):
        data = Dataset.from_arrays(SQUARE, image=["a"], category=["small vehicle"])
        with pytest.raises(InputError, match="cannot hold the category 'small vehicle': it has spaces"):
            vesica.write(tmp_path, data, format="dota")


class TestObbLines:
    @pytest.mark.parametrize("line", ["0 0.5 0.5 0.2 0.2", "0 0.1 0.1 0.2 0.1 0.2 0.2"])
    def test_other_lines_are_refused(self, tmp_path, line):
        (tmp_path / "a.txt").write_text(line)
        with pytest.raises(
            InputError, match="line 1: a class is followed by 8 numbers of a rotated box, 9 with a score"
        ):
            vesica.read(tmp_path, kind="obb", sizes=(10, 10))

    def test_no_line(self, tmp_path):
        (tmp_path / "a.txt").write_text("")
        assert vesica.read(tmp_path, format="yolo", kind="obb", sizes=(10, 10)).corners.shape == (0, 4, 2)


class TestScores:
    """From files to figures, in Python and from the command line."""

    def files(self, tmp_path, format):
        rng = np.random.default_rng(0)
        rows = np.concatenate(
            [rng.uniform(20, 80, (20, 2)), rng.uniform(5, 30, (20, 2)), rng.uniform(0, 90, (20, 1))], 1
        )
        columns = {
            "image": [f"P{k % 4}" for k in range(20)],
            "category": [k % 3 for k in range(20)],
            "sizes": (100, 100),
        }
        for name, shift, score in (("truth", 0, None), ("guess", 1, rng.random(20))):
            boxes = RotatedBoxes(rows + [shift, shift, 0, 0, 3 * shift], unit="deg", direction="cw")
            data = Dataset.from_arrays(boxes, categories={0: "ship", 1: "plane", 2: "harbor"}, score=score, **columns)
            vesica.write(tmp_path / name, data, format=format)
            yield data

    @pytest.mark.parametrize("format", ["dota", "yolo"])
    def test_files(self, tmp_path, format, capsys):
        want = vesica.evaluate(*self.files(tmp_path, format), regions="rotated")
        truth, guess = tmp_path / "truth", tmp_path / "guess"
        sizes = ["--sizes", "100,100"] if format == "yolo" else []
        assert main(["eval", str(truth), str(guess), "--regions", "rotated", "--json", *sizes]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["regions"] == "rotated" and told["summary"]["AP"] == pytest.approx(want["AP"], abs=1e-9)
        if format == "dota":
            assert vesica.evaluate(truth, guess, regions="rotated")["AP"] == pytest.approx(want["AP"], abs=1e-9)
        assert 0.1 < want["AP"] < 0.9

    def test_convert(self, tmp_path, labels):
        assert main(["convert", str(labels), str(tmp_path / "all.npz")]) == 0
        assert main(["convert", str(tmp_path / "all.npz"), str(tmp_path / "again"), "--to", "dota"]) == 0
        assert vesica.read(tmp_path / "again").corners.tolist() == vesica.read(labels).corners.tolist()
