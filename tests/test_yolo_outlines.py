"""Masks written as YOLO writes them: one closed line for each object."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import Polygon

import vesica
from vesica import Dataset, InputError
from vesica.cli import main
from vesica.io.yolo_outlines import _joined

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
real = pytest.mark.skipif(not DATA.is_dir(), reason="the folder shared/data lies not beside the repository")

SIZE = (64, 32)
TRIANGLE = [[0, 0, 16, 0, 16, 32]]
SQUARE = [[8, 16, 24, 16, 24, 32, 8, 32]]
TWO = [[0, 0, 8, 0, 8, 8], [16, 16, 24, 16, 24, 24, 16, 24]]
RUNS = {"size": [64, 32], "counts": [64 * 4, 16, 48, 16, 64 * 32 - 64 * 4 - 80]}


def data_of(masks, boxes=None, **columns):
    boxes = [[0, 0, 16, 32]] * len(masks) if boxes is None else boxes
    options = {"image": ["a"] * len(masks), "category": [0] * len(masks), "categories": {0: "cat"}, "sizes": SIZE}
    return Dataset.from_arrays(boxes, form="xywh", masks=masks, **options, **columns)


def written(folder, data):
    """The notes about masks, and what is read back."""
    notes = vesica.write(folder, data, format="yolo")
    kind = None if data.score is None else "polygon"
    return notes, vesica.read(folder, sizes=SIZE, kind=kind)


class TestWrite:
    @pytest.mark.parametrize("scores", [None, [0.5, 0.25]])
    def test_polygons(self, tmp_path, scores):
        notes, back = written(tmp_path, data_of([TRIANGLE, SQUARE], score=scores))
        assert back.xywh.tolist() == [[0, 0, 16, 32], [8, 16, 16, 16]]
        assert list(back.segments.written()) == [b"[[0, 0, 16, 0, 16, 32]]", b"[[8, 16, 24, 16, 24, 32, 8, 32, 8, 16]]"]
        assert scores is None or back.score.tolist() == scores
        assert ('outlines with scores are read with kind="polygon"' in notes) == (scores is not None)

    def test_boxes_alone_stay_boxes(self, tmp_path):
        data = Dataset.from_arrays([[0, 0, 16, 32]], image=["a"], category=[0], sizes=SIZE)
        vesica.write(tmp_path, data, format="yolo")
        assert (tmp_path / "labels" / "a.txt").read_text() == "0 0.25 0.25 0.5 0.5\n"

    def test_one_kind_of_line(self, tmp_path):
        """Ultralytics takes all lines of a file for polygons if one of them is."""
        notes, back = written(
            tmp_path, data_of([TRIANGLE, None, RUNS, []], [[0, 0, 16, 32], [2, 2, 4, 4], [4, 0, 2, 16], [1, 1, 2, 2]])
        )
        assert back.xywh.tolist() == [[0, 0, 16, 32], [2, 2, 4, 4], [4, 0, 2, 16], [1, 1, 2, 2]]
        assert (back.segments.form != back.segments.NONE).all()
        assert "1 boxes are written as outlines, because other objects have polygons" in notes
        assert "2 masks are run lengths or empty: the boxes around them are written" in notes

    def test_run_lengths_alone(self, tmp_path):
        notes, back = written(tmp_path, data_of([RUNS, RUNS]))
        assert "YOLO has no place for run lengths: of 2 masks the boxes are written" in notes
        assert back.segments is None and back.xywh.tolist() == [[0, 0, 16, 32]] * 2

    def test_masks_without_boxes(self, tmp_path):
        data = Dataset.from_arrays(masks=[RUNS, TRIANGLE], image=["a"] * 2, category=[0, 0], sizes=SIZE)
        assert written(tmp_path, data)[1].xywh.tolist() == [[4, 0, 2, 16], [0, 0, 16, 32]]

    def test_several_parts(self, tmp_path):
        data = data_of([TWO])
        notes, back = written(tmp_path, data)
        assert "1 masks have several parts: lines of no width join them" in notes
        assert back.segments.areas().tolist() == data.segments.areas().tolist()

    def test_crowds_are_counted(self, tmp_path):
        notes, _ = written(tmp_path, data_of([TRIANGLE] * 3, crowd=[1, 0, 1], ignore=[1, 1, 1]))
        assert "YOLO has no place for crowds: 2 of them are objects like any other" in notes
        assert "YOLO has no place for what is to be ignored: 3 of them are objects like any other" in notes

    def test_without_masks(self, tmp_path):
        (tmp_path / "truth").mkdir()
        vesica.write(tmp_path / "truth.json", data_of([TRIANGLE]))
        assert main(["convert", str(tmp_path / "truth.json"), str(tmp_path / "out"), "--to", "yolo", "--no-masks"]) == 0
        assert len((tmp_path / "out" / "labels" / "a.txt").read_text().split()) == 5


class TestJoined:
    @given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=5))
    def test_area(self, rows):
        """What the line encloses is what the parts do: by the shoelace formula of shapely, parts all one way round."""
        parts = [np.array([[20 * x, 20 * y], [20 * x + s, 20 * y], [20 * x, 20 * y + s]], float) for x, y, s in rows]
        line = _joined(parts)
        assert abs(Polygon(line).area) == sum(Polygon(part).area for part in parts)
        assert {tuple(point) for point in line} == {tuple(point) for part in parts for point in part}


class TestStale:
    @pytest.mark.parametrize("format, count", [("yolo", 2), ("voc", 1), ("dota", 1)])
    def test_error(self, tmp_path, format, count):
        vesica.write(tmp_path, data_of([None]), format=format)
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        other = Dataset.from_arrays([[0, 0, 1, 1]], image=["b"], category=["dog"], sizes=SIZE)
        with pytest.raises(InputError, match=rf"has {count} files of an earlier data set, such as .*overwrite=True"):
            vesica.write(tmp_path, other, format=format)
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before

    @pytest.mark.parametrize("format", ["yolo", "voc", "dota"])
    def test_overwrite(self, tmp_path, format):
        vesica.write(tmp_path, data_of([None]), format=format)
        (tmp_path / "picture.png").write_bytes(b"kept")
        other = Dataset.from_arrays([[0, 0, 1, 1]], image=["b"], category=["dog"], sizes=SIZE)
        vesica.write(tmp_path, other, format=format, overwrite=True)
        back = vesica.read(tmp_path, **({"sizes": SIZE} if format == "yolo" else {}))
        assert back.images.ids.tolist() == ["b"] and (tmp_path / "picture.png").exists()
        assert not [path for path in tmp_path.iterdir() if path.name.startswith("tmp")]

    @pytest.mark.parametrize("format", ["yolo", "voc", "dota"])
    def test_what_fails_leaves_all(self, tmp_path, format):
        vesica.write(tmp_path, data_of([None]), format=format)
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        with pytest.raises(InputError, match="cannot be the name of a file"):
            bad = Dataset.from_arrays([[0, 0, 1, 1]], image=["../x"], sizes=SIZE)
            vesica.write(tmp_path, bad, format=format, overwrite=True)
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before

    def test_command_line(self, tmp_path, capsys):
        vesica.write(tmp_path / "truth.json", data_of([TRIANGLE]))
        asked = ["convert", str(tmp_path / "truth.json"), str(tmp_path / "out"), "--to", "yolo"]
        assert main(asked) == 0
        assert main(asked) == 3 and "--overwrite" in capsys.readouterr().err
        assert main([*asked, "--overwrite"]) == 0


@real
@pytest.mark.parametrize("name", ["lvis100/lvis_val_100.json", "coco_mini/instances_val2017.json"])
def test_real_masks(tmp_path, name):
    """Masks of real files come back to a pixel in a hundred: shares are divided and multiplied again."""
    data = vesica.read(DATA / name)
    stems = (
        [str(id) for id in data.images.ids] if data.images.names is None else [Path(x).stem for x in data.images.names]
    )
    vesica.write(tmp_path, data, format="yolo")
    back = vesica.read(tmp_path, sizes=dict(zip(stems, data.images.sizes.tolist(), strict=True)))
    place = {stem: k for k, stem in enumerate(back.images.ids.tolist())}
    order = np.argsort([place[stems[image]] for image in data.image], kind="stable")
    polygons = np.array([text.startswith(b"[") for text in data.segments.written()])[order]
    areas, theirs = back.segments.areas()[polygons], data.segments.areas()[order][polygons]
    assert polygons.sum() > 600 and (np.abs(areas - theirs) <= np.maximum(1, 0.01 * theirs)).all()
