"""LabelMe: a file for each image, polygons in parts, masks as pictures, and files that are not what they say."""

import base64
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from samples import described, drawn
from vesica import InputError
from vesica.io.png_write import png_of
from vesica.io.read import describe, find

POLYGON = [[1.5, 2], [11, 2], [11, 9.25]]
TILE = np.array([[1, 0, 1], [0, 1, 1]], np.uint8)


def shape(kind="polygon", points=POLYGON, **more):
    return {"label": "cat", "points": points, "group_id": None, "shape_type": kind, "flags": {}, **more}


def page(*shapes, **more):
    sides = {"imagePath": "../a.jpg", "imageData": None, "imageHeight": 80, "imageWidth": 100}
    return {"version": "5.5.0", "flags": {}, "shapes": list(shapes), **sides, **more}


def picture(tile=TILE):
    return base64.b64encode(png_of(tile)).decode()


@pytest.fixture
def read(tmp_path):
    def of(*pages, **options):
        for name, one in zip("abc", pages, strict=False):
            (tmp_path / f"{name}.json").write_text(json.dumps(one))
        return vesica.read(tmp_path, **options)

    return of


class TestShapes:
    def test_polygon(self, read):
        data = read(page(shape()), page())
        assert (
            list(data.segments.written())
            == [
                b"[[1.5, 2, 11, 2, 11, 9.25]]",
            ]
            and data.notes == ()
        )
        assert data.xywh.tolist() == [[1.5, 2, 9.5, 7.25]]
        assert data.images.ids.tolist() == ["a", "b"] and data.images.names.tolist() == ["../a.jpg"] * 2
        assert data.images.sizes.tolist() == [[80, 100]] * 2

    @pytest.mark.parametrize(
        "points", [[[10, 60], [40, 20]], [[40, 20], [10, 60]], [[10, 20], [40, 20], [40, 60], [10, 60]]]
    )
    def test_rectangle_by_corners_in_any_order(self, read, points):
        assert read(page(shape("rectangle", points))).xywh.tolist() == [[10, 20, 30, 40]]

    def test_circle(self, read):
        data = read(page(shape("circle", [[50, 40], [53, 44]])))
        assert data.notes == ("1 circles became polygons of 64 corners and the same area",)
        ring = vesica.Polygons([np.reshape(json.loads(next(data.segments.written())), (-1, 2))])
        assert float(ring.area[0]) == pytest.approx(np.pi * 25)

    @pytest.mark.parametrize("last", [[12, 21], [13, 22]], ids=["both pixels belong", "behind the last"])
    def test_mask(self, read, last):
        data = read(page(shape("mask", [[10, 20], last], mask=picture())))
        assert np.argwhere(data.segments.to_rle().to_masks().array[0]).tolist() == [
            [20, 10],
            [20, 12],
            [21, 11],
            [21, 12],
        ]
        assert data.xywh.tolist() == [[10, 20, 3, 2]]

    def test_groups_are_one_object(self, read):
        parts = [shape(group_id=3), shape("rectangle", [[50, 50], [60, 60]], group_id=3)]
        other = shape(group_id=3, label="dog")
        data = read(page(*parts, other, shape(), shape()))
        assert len(data) == 4 and data.xywh[0].tolist() == [1.5, 2, 58.5, 58]
        assert next(data.segments.written()) == b"[[1.5, 2, 11, 2, 11, 9.25], [50, 50, 60, 50, 60, 60, 50, 60]]"
        assert data.notes == ("1 polygons of one label and `group_id` are parts of one object with another",)

    def test_rotated(self, read):
        points = [[10, 10], [20, 20], [15, 25], [5, 15]]
        for kind in ("rotation", "oriented_rectangle"):
            assert read(page(shape(kind, points))).corners.tolist() == [points]

    def test_what_has_no_place_is_counted(self, read):
        lines = [shape("line", POLYGON[:2]), shape("point", POLYGON[:1]), shape("linestrip"), shape(points=POLYGON[:2])]
        empty = shape("mask", [[10, 20], [12, 21]], mask=picture(TILE * 0), group_id=1)
        mask = shape("mask", [[10, 20], [12, 21]], mask=picture(), group_id=1)
        data = read(page(*lines, empty, mask, flags={"bad": True, "good": False}), page(imageHeight=None))
        assert len(data) == 1
        assert data.notes == (
            "3 shapes that are no polygon, rectangle, circle or mask, such as points and lines, were left out",
            "1 polygons of fewer than three corners were left out",
            "1 masks without a pixel were left out",
            "1 masks and rotated boxes with a `group_id` are objects of their own: they were not joined",
            "1 flags of shapes and images have no place here",
            "1 images have no size",
        )

    def test_early_versions_do_not_say_what_a_shape_is(self, read):
        assert len(read(page({"label": "cat", "points": POLYGON}))) == 1


REFUSED = [
    (page(shape(label="")), "a.json, shape 0: `label` must be a text"),
    (page(shape(points=None)), "`points` must be a list; got None"),
    (page(shape(points=[[1, 2], [3, "x"], [1, 1]])), "point 1 must be a number; got 'x'"),
    (page(shape(points=[[1, 2], [3], [1, 1]])), r"point 1 must be two finite numbers, x and y; got \[3\]"),
    (page(shape(points=[[1, 2], [3, float("nan")], [1, 1]])), "two finite numbers"),
    (page(shape("rectangle")), "has two points; got 3"),
    (page(shape("rectangle", [[0, 0], [1e200, 1]])), "area overflows"),
    (page(shape("mask", [[10, 20], [12, 21]])), "`mask` must be a text"),
    (page(shape("mask", [[10, 20], [12, 21]], mask="!!")), "must be a PNG in base64"),
    (page(shape("mask", [[10, 20], [12, 21]], mask="aGFsbG8=")), "shape 0, mask is no PNG that can be read"),
    (page(shape("mask", [[10, 20], [19, 21]], mask=picture())), "of 2×3 pixels .* its points are 1×9 apart"),
    (page(shape("mask", [[98, 20], [100, 21]], mask=picture())), "beyond its image of 80×100"),
    (page(shape("mask", [[10, 20], [12, 21]], mask=picture()), imageWidth=None), "needs the size of its image"),
    (page(imageHeight=1.5), "must be a whole number from 1 to 2"),
    (page("x"), "shape 0 must be an object"),
    (page() | {"shapes": 7}, "`shapes` must be a list"),
]


class TestRefused:
    @pytest.mark.parametrize("one, words", REFUSED)
    def test_wording(self, read, one, words):
        with pytest.raises(InputError, match=words):
            read(one)

    def test_a_picture_that_grows(self, tmp_path, monkeypatch):
        monkeypatch.setattr("vesica.io.labelme.MOST_PIXELS", 5)
        (tmp_path / "a.json").write_text(json.dumps(page(shape("mask", [[10, 20], [12, 21]], mask=picture()))))
        with pytest.raises(InputError, match="may have 5 pixels; it has 6"):
            vesica.read(tmp_path)

    def test_two_files_of_one_image(self, tmp_path):
        for folder in "ab":
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "x.json").write_text(json.dumps(page()))
        with pytest.raises(InputError, match="Two files are about one image, 'x'"):
            vesica.read(tmp_path / "*/x.json")

    @given(st.integers(1, 400))
    def test_cut(self, tmp_path_factory, at):
        whole = json.dumps(page(shape(), shape("rectangle", [[1, 2], [3, 4]]))).encode()
        path = tmp_path_factory.mktemp("cut") / "a.json"
        path.write_bytes(whole[: min(at, len(whole) - 1)])
        with pytest.raises(InputError, match="is no JSON"):
            vesica.read(path, format="labelme")

    def test_repeated_keys(self, tmp_path):
        (tmp_path / "a.json").write_text('{"shapes": [], "imagePath": "a", "imagePath": "b"}')
        with pytest.raises(InputError, match="'imagePath' comes twice"):
            vesica.read(tmp_path)


class TestFormat:
    def test_told_from_coco(self, tmp_path):
        (tmp_path / "a.json").write_text(json.dumps(page(shape())))
        found = find(tmp_path / "a.json")
        assert describe(found).endswith("as LabelMe: 1 box with mask, corners in pixels, 1 image.")
        assert find(tmp_path).format == find(tmp_path / "*.json").format == "labelme"
        (tmp_path / "coco.json").write_text('{"images": [], "annotations": [], "categories": []}')
        with pytest.raises(InputError, match="has files of several formats: 1 of labelme and 1 of coco"):
            find(tmp_path)
        assert len(vesica.read(tmp_path, format="labelme")) == 1 and len(vesica.read(tmp_path, format="coco")) == 0


class TestWrite:
    @given(st.integers(0, 10_000))
    def test_round_trip(self, tmp_path_factory, seed):
        data = drawn(seed, kinds=("box", "polygon", "mask"))
        folder = tmp_path_factory.mktemp("labelme") / "out"
        vesica.write(folder, data, format="labelme")
        back = vesica.read(folder)
        assert described(back) == described(data) and back.notes == ()
        assert back.images.sizes.tolist() == data.images.sizes.tolist()

    def test_parts(self, tmp_path):
        parts = [[0, 0, 4, 0, 4, 4, 0, 4], [6, 6, 8, 6, 8, 8, 6, 8]]
        data = vesica.Dataset.from_arrays([[0, 0, 8, 8]], image=["1"], masks=[parts], sizes=(10, 10))
        vesica.write(tmp_path, data, format="labelme")
        assert list(vesica.read(tmp_path).segments.written()) == [json.dumps(parts).encode()]

    def test_notes(self, tmp_path):
        turned = vesica.RotatedBoxes([[20, 20, 9, 4, 30]], unit="deg", direction="cw")
        data = vesica.Dataset.from_arrays(turned, image=[7], area=[3], annotator=["x"])
        assert vesica.write(tmp_path, data, format="labelme") == (
            "LabelMe has no place for areas",
            "LabelMe has no place for annotators",
            "rotated boxes were written as polygons",
            "image ids became strings",
            "categories are known by their names, in alphabetical order",
        )

    def test_earlier_files_are_refused(self, tmp_path):
        data = vesica.Dataset.from_arrays([[0, 0, 3, 4]], image=["a"])
        vesica.write(tmp_path, data, format="labelme")
        with pytest.raises(InputError, match="1 files of an earlier data set"):
            vesica.write(tmp_path, vesica.Dataset.from_arrays([[0, 0, 3, 4]], image=["b"]), format="labelme")
