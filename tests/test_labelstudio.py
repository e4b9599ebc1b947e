"""Label Studio: exports of several annotators, predictions, and tasks that come back."""

import base64
import io
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from samples import asked, described, drawn
from test_labelstudio_rle import MASK, PLAIN
from vesica import InputError
from vesica.io.read import describe, find

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
real = pytest.mark.skipif(not DATA.is_dir(), reason="the folder shared/data lies not beside the repository")
SIZE = {"original_width": 200, "original_height": 100}


def region(kind="rectangle", id="r", labels=("cat",), **value):
    """One item of a result; a box of x 20, y 10, width 40, height 25 pixels by default."""
    value = value or {"x": 10, "y": 10, "width": 20, "height": 25, "rotation": 0}
    named = {f"{kind}labels": list(labels)} if labels is not None else {}
    return {"id": id, "type": f"{kind}labels", "value": {**value, **named}, "from_name": "label", **SIZE}


def annotation(*regions, who=1, id=1, **more):
    return {"id": id, "completed_by": who, "result": list(regions), "was_cancelled": False, **more}


def task(*annotations, id=1, image="a.jpg", **more):
    return {"id": id, "data": {"image": image}, "annotations": list(annotations), "predictions": [], **more}


@pytest.fixture
def read(tmp_path):
    def of(*tasks, **options):
        (tmp_path / "t.json").write_text(json.dumps(tasks))
        return vesica.read(tmp_path / "t.json", format="labelstudio", **options)

    return of


class TestTasks:
    def test_box(self, read):
        data = read(task(annotation(region())))
        assert data.xywh.tolist() == [[20, 10, 40, 25]] and data.corners is None and data.segments is None
        assert data.images.ids.tolist() == [1] and data.images.names.tolist() == ["a.jpg"]
        assert data.images.sizes.tolist() == [[100, 200]] and data.categories.names.tolist() == ["cat"]
        assert data.annotators.tolist() == [1] and data.id.tolist() == ["1/r"] and data.notes == ()

    def test_saw_nothing_and_was_not_asked(self, read):
        data = read(
            task(annotation(region(), who=1, id=1), annotation(who=2, id=2), id=7),
            task(annotation(who=1, id=3), id=8, image="b.jpg"),
        )
        assert asked(data) == [("a.jpg", "1", 0), ("a.jpg", "2", 0), ("b.jpg", "1", 0)]

    def test_cancelled_and_untouched(self, read):
        data = read(
            task(annotation(region(), who=1), annotation(region(), who=2, id=2, was_cancelled=True), id=1),
            task(annotation(region(), who=2, id=3, was_cancelled=True), id=2),
            task(id=3),
        )
        assert len(data) == 1 and asked(data) == [("a.jpg", "1", 0)] and data.images.ids.tolist() == [1]
        assert data.notes == (
            "2 cancelled annotations were left out: nobody was asked there",
            "2 tasks without an annotation were left out: nobody was asked there",
        )

    def test_rounds(self, read):
        data = read(task(annotation(region(), who=5, id=1), annotation(region(), who=5, id=2), annotation(who=6, id=3)))
        assert data.round.tolist() == [0, 1]
        assert asked(data) == [("a.jpg", "5", 0), ("a.jpg", "5", 1), ("a.jpg", "6", 0)]

    def test_of_an_annotator_the_id_alone_is_kept(self, read):
        data = read(task(annotation(region(), who={"id": 3, "email": "anna@example.com", "first_name": "Anna"})))
        assert data.annotators.tolist() == [3] and "example" not in repr(vars(data))

    def test_dates(self, read):
        data = read(task(annotation(region(), updated_at="2026-01-02T03:04:05Z")))
        assert data.assignments.date.tolist() == ["2026-01-02T03:04:05Z"]

    def test_without_annotators(self, read):
        one = {key: value for key, value in annotation(region()).items() if key != "completed_by"}
        data = read(task(one))
        assert data.annotator is None and data.assignments is None and len(data) == 1

    def test_tasks_without_ids_are_known_by_their_pictures(self, read):
        tasks = [
            {"data": {"image": name}, "annotations": [annotation(region(), id=name)]} for name in ("a.jpg", "b.jpg")
        ]
        assert read(*tasks).images.ids.tolist() == ["a.jpg", "b.jpg"]

    def test_pictures_under_other_keys(self, read):
        found = task(annotation(region())) | {"data": {"title": "x", "photo": "s3://bucket/p.PNG"}}
        assert read(found).images.names.tolist() == ["s3://bucket/p.PNG"]


class TestShapes:
    def test_rotation_is_about_the_upper_left_corner(self, read):
        value = {"x": 50, "y": 50, "width": 20, "height": 10, "rotation": 90}
        data = read(task(annotation(region(**value))))
        # 100, 50 is the corner; 40 wide becomes 40 down, 10 high becomes 10 to the left
        assert data.corners.tolist() == [[[100, 50], [100, 90], [90, 90], [90, 50]]]
        assert data.xywh.tolist() == [[90, 50, 10, 40]]

    def test_upright_among_rotated(self, read):
        turned = region(id="t", x=50, y=50, width=20, height=10, rotation=30)
        data = read(task(annotation(region(), turned)))
        assert data.corners[0].tolist() == [[20, 10], [60, 10], [60, 35], [20, 35]]

    def test_polygon(self, read):
        data = read(task(annotation(region("polygon", points=[[10, 10], [20, 10], [15, 40.5]]))))
        assert list(data.segments.written()) == [b"[[20, 10, 40, 10, 30, 40.5]]"]
        assert data.xywh.tolist() == [[20, 10, 20, 30.5]]

    def test_brush(self, read):
        sides = {"original_width": 5, "original_height": 3}
        found = region("brush", format="rle", rle=PLAIN) | sides
        data = read(task(annotation(found)))
        assert np.array_equal(data.segments.to_rle().to_masks().array[0], MASK)
        assert data.xywh.tolist() == [[1, 0, 4, 3]]
        assert read(task(annotation(found)), masks=False).segments is None

    def test_ellipse_has_its_area(self, read):
        data = read(task(annotation(region("ellipse", x=50, y=50, radiusX=10, radiusY=10, rotation=0))))
        assert data.notes == ("1 ellipses became polygons of 64 corners and the same area",)
        ring = vesica.Polygons([np.reshape(json.loads(next(data.segments.written())), (-1, 2))])
        assert float(ring.area[0]) == pytest.approx(np.pi * 20 * 10)

    def test_label_and_shape_told_apart(self, read):
        shape = region(labels=None) | {"type": "rectangle", "from_name": "box"}
        label = region() | {"type": "labels", "from_name": "what"}
        label["value"] = {**shape["value"], "labels": ["dog"]}
        data = read(task(annotation(shape, label)))
        assert len(data) == 1 and data.categories.names.tolist() == ["dog"] and data.notes == ()

    def test_several_labels_and_none(self, read):
        data = read(task(annotation(region(labels=["cat", "red"]), region(id="s", labels=[]))))
        assert data.categories.names[data.category].tolist() == ["cat", "(no label)"]
        assert data.notes == (
            '1 shapes without a label are of the category "(no label)"',
            "1 shapes have several labels: the first is taken",
        )

    def test_what_has_no_place_is_counted(self, read):
        choice = {"id": "c", "type": "choices", "value": {"choices": ["bad"]}}
        of_region = {"id": "r", "type": "choices", "value": {**region()["value"], "choices": ["bad"]}}
        key_point = region("keypoint", id="k", x=1, y=2, width=0.5)
        line = region("polygon", id="l", points=[[1, 2], [3, 4]])
        data = read(task(annotation(region(), choice, of_region, key_point, line)))
        assert len(data) == 1
        assert data.notes == (
            "2 answers without a shape, such as choices and texts, have no place here",
            "1 shapes that are no rectangle, polygon, brush, bitmask, vector or ellipse were left out",
            "1 polygons of fewer than three corners were left out",
        )

    def test_beyond_the_image_is_counted(self, read):
        data = read(task(annotation(region(x=90, y=10, width=20, height=20))))
        assert data.xywh.tolist() == [[180, 10, 40, 20]]
        assert data.notes == ("1 shapes reach beyond their image, and are taken as they stand",)

    def test_scores_of_accepted_guesses_are_no_scores_of_people(self, read):
        assert read(task(annotation(region() | {"score": 0.5, "origin": "prediction"}))).score is None


class TestPredictions:
    def test_guesses(self, read):
        guess = {"model_version": "v2", "score": 0.25, "result": [region() | {"score": 0.75}, region(id="s")]}
        found = task(annotation(region()), predictions=[guess])
        data = read(found, predictions=True)
        assert data.score.tolist() == [0.75, 0.25] and data.annotators.tolist() == ["v2"]
        assert read(found).notes == ("1 predictions, which are guesses of models, were not read",)

    def test_a_missing_score_is_not_one(self, read):
        guess = {"result": [region() | {"score": 0.75}, region(id="s")]}
        with pytest.raises(InputError, match="region 1: has no score, and others have"):
            read(task(predictions=[guess]), predictions=True)

    def test_option_of_other_formats(self, tmp_path):
        (tmp_path / "a.csv").write_text("image,x1,y1,x2,y2\n1,1,1,2,2\n")
        with pytest.raises(ValueError, match="`predictions` says nothing about a file of the format 'csv'"):
            vesica.read(tmp_path / "a.csv", predictions=True)


class TestMin:
    def entry(self, who, *shapes, id=1, **more):
        found = {"image": "a.jpg", "id": id, "annotator": who, "annotation_id": 10 * id, "lead_time": 1.5, **more}
        return found | ({"label": list(shapes)} if shapes else {})

    def test_is_the_same(self, read):
        shape = {**region()["value"], **SIZE}
        full = read(task(annotation(region(), who=1, id=1), annotation(who=2, id=2)))
        plain = read(self.entry(1, shape), self.entry(2))
        assert described(plain) == described(full) and asked(plain) == asked(full)

    def test_drawn_twice(self, read):
        shape = {**region()["value"], **SIZE}
        assert len(read(self.entry(1, shape, shape))) == 2

    def test_found_by_content(self, tmp_path):
        (tmp_path / "min.json").write_text(json.dumps([self.entry(1)]))
        assert find(tmp_path / "min.json").format == "labelstudio"


REFUSED = [
    ([task(annotation(region()), id=1), task(annotation(region()), id=1)], "task 1 .*another task has the id 1 too"),
    ([task(annotation(region(), region()))], r"region 1: has the id 'r' of an earlier region"),
    ([task(annotation(region(), who=None), annotation(region(), who=2, id=2))], "no `completed_by` says whose"),
    (
        [task(annotation(region(), who=1)), task(annotation(region(), who=None), id=2)],
        r"task 1 \(id 2\), annotation 0 \(id 1\): it does not say who completed it",
    ),
    ([task(annotation(region(), who={"email": "a@b.c"}))], "must have an `id`"),
    ([task(annotation(region(), who=[1]))], "who completed it must be a whole number or a text"),
    ([task(annotation(region(x=1500, y=10, width=20, height=20)))], r"percent of the image.*got 1500.*Pixels"),
    ([task(annotation(region(x="1", y=10, width=20, height=20)))], r"region 0: `x` must be a number; got '1'"),
    ([task(annotation(region(x=1, y=10, width=-2, height=20)))], "negative width"),
    ([task(annotation(region(x=1, y=10, width=2, height=float("nan"))))], "percent of the image|must be finite"),
    ([task(annotation(region(x=1, y=1, width=2, height=2, rotation=float("inf"))))], "`rotation` must be finite"),
    ([task(annotation(region(x=10**400, y=1, width=2, height=2)))], "fits 64 bits; got 401 digits"),
    ([task(annotation(region() | {"original_width": None}))], "need `original_width` and `original_height`"),
    ([task(annotation(region() | {"original_width": 2.5}))], "must be a whole number from 1 to 2"),
    ([task(annotation(region(), region(id="s") | {"original_width": 9}))], "another shape says 100×200"),
    ([task(annotation(region("polygon", points=[[1, 2], [3]])))], "two finite numbers"),
    ([task(annotation(region(labels=[7])))], "a label must be a text"),
    ([task(annotation("x"))], "region 0 must be an object; got 'x'"),
    ([task("x")], "annotation 0 must be an object"),
    (["x"], "task 0 must be an object"),
    ([task(annotation(region())), {"data": {}, "annotations": []}], "has no `id`, and other tasks have"),
    ([task(annotation(region()), id=1.5)], "`id` must be a whole number or a text"),
]


class TestRefused:
    @pytest.mark.parametrize("tasks, words", REFUSED)
    def test_wording(self, read, tasks, words):
        with pytest.raises(InputError, match=words) as told:
            read(*tasks)
        assert "t.json" in str(told.value)

    @pytest.mark.parametrize(
        "text, words",
        [
            ('[{"id": 1, "id": 2}]', "'id' comes twice"),
            ("[" * 100_000, "nested too deeply"),
            ('{"id": 1}', "must be a list"),
            ("\ufeff[".encode("utf-16"), "UTF-16"),
        ],
    )
    def test_text(self, tmp_path, text, words):
        path = tmp_path / "t.json"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(InputError, match=words):
            vesica.read(path, format="labelstudio")

    @pytest.mark.parametrize("depth", range(930, 990, 3))
    def test_nested_so_that_it_can_just_be_read(self, tmp_path, depth):
        result = "[" * depth + "]" * depth
        (tmp_path / "t.json").write_text('[{"id": 1, "data": {}, "annotations": [{"result": ' + result + "}]}]")
        with pytest.raises(InputError, match="nested too deeply|region 0 must be an object"):
            vesica.read(tmp_path / "t.json")

    @given(st.integers(1, 3000))
    def test_cut(self, tmp_path_factory, at):
        whole = json.dumps([task(annotation(region(), who=k, id=k), id=k) for k in range(1, 9)]).encode()
        path = tmp_path_factory.mktemp("cut") / "t.json"
        path.write_bytes(whole[: min(at, len(whole) - 1)])
        with pytest.raises(InputError, match="is no JSON"):
            vesica.read(path, format="labelstudio")


class TestWrite:
    @given(st.integers(0, 10_000))
    def test_round_trip(self, tmp_path_factory, seed):
        data = drawn(seed, people=("ann", "ben", 7))
        path = tmp_path_factory.mktemp("ls") / "t.json"
        vesica.write(path, data, format="labelstudio")
        found = find(path)
        assert found.format == "labelstudio" and found.data.notes == ()
        assert described(found.data) == described(data) and asked(found.data) == asked(data)

    @given(st.integers(0, 10_000))
    def test_guesses_become_predictions(self, tmp_path_factory, seed):
        data = drawn(seed, scores=True)
        path = tmp_path_factory.mktemp("ls") / "t.json"
        vesica.write(path, data, format="labelstudio")
        assert described(vesica.read(path, predictions=True)) == described(data)
        assert len(vesica.read(path)) == 0

    def test_sizes_are_needed(self, tmp_path):
        data = vesica.Dataset.from_arrays([[0, 0, 3, 4]], image=["a"])
        with pytest.raises(InputError, match="nobody says how large image 'a' is"):
            vesica.write(tmp_path / "t.json", data, format="labelstudio")

    def test_notes(self, tmp_path):
        data = vesica.Dataset.from_arrays(
            [[0, 0, 3, 4]], image=["a"], area=[3], crowd=[1], sizes=(9, 9), images=["a", "b"], categories=[1, 2],
            category=[1],
        )  # fmt: skip
        assert vesica.write(tmp_path / "t.json", data, format="labelstudio") == (
            "Label Studio has no place for areas",
            "Label Studio has no place for crowds",
            "image ids became numbers from 1; the names of pictures keep them",
            "categories without an object left no trace",
            "sizes of images without an object left no trace",
        )

    def test_parts_are_drawn(self, tmp_path):
        parts = [[0, 0, 4, 0, 4, 4, 0, 4], [6, 6, 8, 6, 8, 8, 6, 8]]
        data = vesica.Dataset.from_arrays([[0, 0, 8, 8]], image=[1], masks=[parts], sizes=(10, 10))
        assert "1 polygons of several parts were drawn as masks" in vesica.write(
            tmp_path / "t.json", data, format="labelstudio"
        )
        back = vesica.read(tmp_path / "t.json")
        assert back.segments.to_rle().to_counts() == data.segments.to_rle().to_counts()


@real
class TestReal:
    PATH = DATA / "label_studio/test_bbox.json"

    def test_export(self):
        found = find(self.PATH)
        assert describe(found).endswith("as Label Studio: 91 boxes, percent of the image, 5 images.")
        data = found.data
        assert data.annotators.tolist() == [1, 2, 3] and len(data.assignments) == 15
        # All boxes were drawn on whole pixels of 320 × 240.
        assert np.allclose(data.xywh, np.round(data.xywh), atol=1e-9)

    def test_predictions(self):
        raw = json.loads(self.PATH.read_text())
        guesses = vesica.read(self.PATH, predictions=True)
        wanted = sum(one["type"] == "rectanglelabels" for t in raw for p in t["predictions"] for one in p["result"])
        assert len(guesses) == wanted


class TestScores:
    def test_predictions_against_people(self, tmp_path):
        guess = {"model_version": "v2", "result": [region() | {"score": 0.75}]}
        path = tmp_path / "t.json"
        path.write_text(json.dumps([task(annotation(region()), predictions=[guess])]))
        assert vesica.evaluate(path, path)["AP"] == pytest.approx(1)

    def test_several_people_are_no_truth(self, tmp_path):
        guess = {"result": [region() | {"score": 0.75}]}
        path = tmp_path / "t.json"
        both = annotation(region(), who="ann"), annotation(region(), who="ben", id=2)
        path.write_text(json.dumps([task(*both, predictions=[guess])]))
        with pytest.raises(InputError, match=r"The truth is what several people marked: image 1 by 'ann', 'ben'"):
            vesica.evaluate(path, path)
        truth, guesses = vesica.read(path), vesica.read(path, predictions=True)
        assert vesica.evaluate(truth.rows(truth.annotator == 0), guesses)["AP"] == pytest.approx(1)


def bitmask(alpha, mode="RGBA"):
    """A data URL as the editor writes it: black where something is, transparent elsewhere."""
    from PIL import Image

    pixels = np.zeros((*alpha.shape, 4), np.uint8)
    pixels[..., 3] = alpha
    file = io.BytesIO()
    Image.fromarray(pixels).convert(mode).save(file, "PNG")
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


class TestSeveralFiles:
    """Exports of several projects in one folder: other tasks, and perhaps the same people."""

    @pytest.fixture
    def folder(self, tmp_path):
        folder = tmp_path / "exports"
        folder.mkdir()
        one = [task(annotation(region(), who=1), annotation(who=2, id=2), id=1)]
        other = [task(annotation(region(), who=2, id=3), id=2, image="b.jpg", predictions=[{"result": []}])]
        (folder / "one.json").write_text(json.dumps(one))
        (folder / "two.json").write_text(json.dumps(other))
        return folder

    def test_joined(self, folder):
        data = vesica.read(folder)
        assert data.images.ids.tolist() == [1, 2] and data.annotators.tolist() == [1, 2]
        assert asked(data) == [("a.jpg", "1", 0), ("a.jpg", "2", 0), ("b.jpg", "2", 0)]
        assert data.notes == ("two.json: 1 predictions, which are guesses of models, were not read",)
        assert describe(find(folder)).startswith(f"Read {folder} as 2 files of Label Studio: 2 boxes")

    def test_one_task_twice(self, folder):
        (folder / "three.json").write_bytes((folder / "one.json").read_bytes())
        with pytest.raises(
            InputError, match=r"three\.json: the task 1 is in .*one\.json too|one\.json: .*three\.json too"
        ):
            vesica.read(folder)


class TestBitmasks:
    ALPHA = np.zeros((100, 200), np.uint8)
    ALPHA[10:30, 40:90] = 255
    ALPHA[50, 60] = 1  # nearly transparent is not transparent

    @pytest.mark.parametrize("mode", ["RGBA", "LA"])
    def test_opaque_pixels(self, read, mode):
        data = read(task(annotation(region("bitmask", imageDataURL=bitmask(self.ALPHA, mode)))))
        assert np.array_equal(data.segments.to_rle([0]).to_masks().array[0], self.ALPHA > 0)
        assert data.categories.names.tolist() == ["cat"] and data.notes == ()

    def test_without_a_pixel(self, read):
        data = read(task(annotation(region("bitmask", imageDataURL=bitmask(self.ALPHA * 0)))))
        assert len(data) == 0 and data.notes == ("1 brush masks without a pixel were left out",)

    @pytest.mark.parametrize(
        "url, words",
        [
            ("https://example.org/mask.png", "must begin with data:image/png;base64"),
            ("data:image/png;base64,???", "is no base64"),
            ("data:image/png;base64,aGVsbG8=", "is no PNG that can be read"),
            (bitmask(ALPHA, "L"), "must have transparent pixels"),
            (bitmask(ALPHA[:50]), r"50×200 pixels \(height × width\), and its image of 100×200"),
            (7, "must be a text"),
        ],
    )
    def test_bad(self, read, url, words):
        with pytest.raises(InputError, match=f"region 0.*{words}"):
            read(task(annotation(region("bitmask", imageDataURL=url))))


def points(*pairs, **more):
    return [
        {"id": str(k), "x": x, "y": y, "prevPointId": str(k - 1) if k else None, "isBezier": False, **more}
        for k, (x, y) in enumerate(pairs)
    ]


class TestVectors:
    CORNERS = points((10, 10), (30, 10), (30, 40), (10, 40))

    def test_closed(self, read):
        """As a polygon of the same corners."""
        same = region("polygon", id="p", points=[[10, 10], [30, 10], [30, 40], [10, 40]])
        data = read(task(annotation(region("vector", vertices=self.CORNERS, closed=True), same)))
        one, other = data.segments.to_rle([0, 1]).to_masks().array
        assert np.array_equal(one, other) and data.xywh.tolist() == [[20, 10, 40, 30]] * 2 and data.notes == ()

    @pytest.mark.parametrize(
        "more, vertices",
        [
            ({"closed": False}, CORNERS),
            ({}, CORNERS),
            ({"closed": True}, [*CORNERS[:3], {**CORNERS[3], "prevPointId": "0"}]),  # branches
        ],
    )
    def test_encloses_nothing(self, read, more, vertices):
        data = read(task(annotation(region("vector", vertices=vertices, **more))))
        assert len(data) == 0 and data.notes == (
            "1 vectors that are not closed, or branch, enclose nothing and were left out",
        )

    def test_curves(self, read):
        """A circle of four curves: handles at 0.5523 of the radius make it round to 0.03 %."""
        k, r = 0.5522847498, 20.0
        around = [(r, 0), (0, r), (-r, 0), (0, -r)]
        vertices = [
            {
                "id": str(place), "x": 50 + x, "y": 50 + y, "isBezier": True,
                "controlPoint1": {"x": 50 + x + k * y, "y": 50 + y - k * x},
                "controlPoint2": {"x": 50 + x - k * y, "y": 50 + y + k * x},
            }
            for place, (x, y) in enumerate(around)
        ]  # fmt: skip
        square = {"original_width": 200, "original_height": 200}
        data = read(task(annotation({**region("vector", vertices=vertices, closed=True), **square})))
        (ring,) = json.loads(data.segments.text.tobytes())
        x, y = np.array(ring).reshape(-1, 2).T
        area = abs((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()) / 2
        assert area == pytest.approx(np.pi * 40**2, rel=2e-3) and len(x) == 64
        assert data.notes == ("1 vectors with curves became polygons, with 16 corners for each curve",)

    def test_half_a_curve(self, read):
        """One end has a handle, and that of the other lies at three tenths of the way."""
        vertices = [dict(one) for one in self.CORNERS]
        vertices[0] |= {"isBezier": True, "controlPoint2": {"x": 20, "y": 0}, "controlPoint1": None}
        data = read(task(annotation(region("vector", vertices=vertices, closed=True))))
        (ring,) = json.loads(data.segments.text.tobytes())
        middle = np.array(ring).reshape(-1, 2)[7]
        start, end = np.array([20.0, 10.0]), np.array([60.0, 10.0])
        want = (start + 3 * np.array([40.0, 0.0]) + 3 * (end - 0.3 * (end - start)) + end) / 8
        assert middle == pytest.approx(want)

    @pytest.mark.parametrize(
        "vertices, words",
        [
            ("x", "must be a list"),
            ([1, 2, 3], "point 0 must be an object"),
            ([{"x": 1}, {"x": 2}, {"x": 3}], "`y` must be a number"),
            (points((0, 0), (500, 0), (0, 500)), "percent of the image"),
        ],
    )
    def test_bad(self, read, vertices, words):
        with pytest.raises(InputError, match=f"region 0.*{words}"):
            read(task(annotation(region("vector", vertices=vertices, closed=True))))
