"""Lines of YOLO with key points: their boxes are read."""

import pytest

import vesica
from vesica import InputError

SIZE = (100, 200)
BOX = "0 0.5 0.5 0.25 0.5"
XYWH = [75, 25, 50, 50]
COCO = " 0.5 0.5 2" * 17
FLAT = " 0.5 0.5" * 17
YAML = "names: [a]\nkpt_shape: {}\n"


@pytest.fixture
def labels(tmp_path):
    def writing(*lines, yaml=None):
        (tmp_path / "labels").mkdir(exist_ok=True)
        (tmp_path / "labels" / "a.txt").write_text("\n".join(lines))
        if yaml is not None:
            (tmp_path / "data.yaml").write_text(YAML.format(yaml))
        return tmp_path / "labels"

    return writing


class TestBoxes:
    def test_with_a_count(self, labels):
        data = vesica.read(labels(BOX + COCO, BOX + COCO, BOX), sizes=SIZE)
        assert data.xywh.tolist() == [XYWH] * 3 and data.score is None and data.segments is None
        assert "2 lines are poses: their boxes are read, and key points have no place here" in data.notes

    @pytest.mark.parametrize(
        "points, yaml", [(COCO, [17, 3]), (FLAT, [17, 2]), (" 0.5 0.5 1" * 4, [4, 3]), (" 1 1" * 2, [2, 2])]
    )
    def test_as_data_yaml_says(self, labels, points, yaml):
        assert vesica.read(labels(BOX + points, yaml=yaml), sizes=SIZE).xywh.tolist() == [XYWH]
        guess = vesica.read(labels(f"{BOX}{points} 0.75", yaml=yaml), sizes=SIZE)
        assert guess.xywh.tolist() == [XYWH] and guess.score.tolist() == [0.75]

    @pytest.mark.parametrize("points", [COCO, FLAT])
    def test_as_the_caller_says(self, labels, points):
        assert vesica.read(labels(BOX + points), sizes=SIZE, kind="pose").xywh.tolist() == [XYWH]

    def test_a_score_that_is_left_over(self, labels):
        data = vesica.read(labels(BOX + " 0.5 0.5 1" * 5 + " 0.25"), sizes=SIZE, kind="pose")
        assert data.score is None  # 16 numbers: eight points of two, and nobody said otherwise
        data = vesica.read(labels(BOX + " 0.5 0.5 1" * 4 + " 0.25"), sizes=SIZE, kind="pose")
        assert data.score.tolist() == [0.25]

    def test_another_number_of_points(self, labels):
        with pytest.raises(InputError, match="line 1: a pose has 4 numbers of a box, 51 of key points, .* got 38"):
            vesica.read(labels(BOX + FLAT, yaml=[17, 3]), sizes=SIZE)


class TestPolygons:
    def test_flat_points_are_a_polygon(self, labels):
        """38 numbers are a polygon unless somebody knows better."""
        data = vesica.read(labels(BOX + FLAT), sizes=SIZE)
        assert data.segments is not None and not any("poses" in note for note in data.notes)

    @pytest.mark.parametrize("points", [" 0.5 0.5 2" * 2, " 0.5 0.5 2 0 0 0 0.45 0.6 1 0.55 0.4 1"])
    def test_what_looks_like_poses(self, labels, points):
        """An even number of numbers, where a pose would pass for a polygon."""
        folder = labels(BOX + points)
        with pytest.raises(InputError, match='a.txt, line 1: .* Say kind="pose", or kind="polygon"'):
            vesica.read(folder, sizes=SIZE)
        assert vesica.read(folder, sizes=SIZE, kind="pose").xywh.tolist() == [XYWH]
        assert vesica.read(folder, sizes=SIZE, kind="polygon").xywh.tolist() != [XYWH]

    @pytest.mark.parametrize(
        "line",
        [
            pytest.param("0 0 0 1 0 1 1 0.5 1 0 1", id="along the border"),
            pytest.param("0 0.1 0.1 0.9 0.1 0.9 0.9 0.5 0.95 0.1 0.9", id="inside"),
        ],
    )
    def test_polygons_stay(self, labels, line):
        assert vesica.read(labels(line), sizes=SIZE).segments is not None

    def test_one_line_that_is_none(self, labels):
        """Where one outline cannot be a pose, none of them is."""
        data = vesica.read(labels(BOX + " 0.5 0.5 2" * 2, "0 0.1 0.1 0.9 0.1 0.9 0.9"), sizes=SIZE)
        assert data.segments is not None and len(data) == 2
