"""Pascal VOC: pixels from 1, both ends included, and back."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from samples import made, same
from vesica import InputError
from vesica.io.read import describe, find

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "voc"
real = pytest.mark.skipif(not DATA.is_dir(), reason="the folder shared/data lies not beside the repository")

BOX = "<bndbox><xmin>{}</xmin><ymin>{}</ymin><xmax>{}</xmax><ymax>{}</ymax></bndbox>"


def page(*objects, head="<filename>a.jpg</filename><size><width>60</width><height>50</height></size>"):
    return f"<annotation>{head}{''.join(f'<object>{one}</object>' for one in objects)}</annotation>"


@pytest.fixture
def one(tmp_path):
    """Read a file with this text."""

    def reading(text, name="a.xml", **options):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return vesica.read(path, **options)

    return reading


class TestRead:
    def test_a_page(self, one):
        cat = "<name>cat</name><difficult>1</difficult>" + BOX.format(1, 2, 30, 40)
        dog = (
            "<name>dog</name>"
            + BOX.format("5.5", 6, 7, 8)
            + "<part><name>head</name>"
            + BOX.format(1, 1, 2, 2)
            + "</part>"
        )
        data = one(page(dog, cat))
        assert data.xywh.tolist() == [[4.5, 5, 2.5, 3], [0, 1, 30, 39]]
        assert data.images.ids.tolist() == ["a"] and data.images.names.tolist() == ["a.jpg"]
        assert data.images.sizes.tolist() == [[50, 60]]
        assert data.categories.ids.tolist() == ["cat", "dog"] and data.category.tolist() == [1, 0]
        assert data.ignore.tolist() == [False, True]

    def test_as_written(self, one):
        data = one(page("<name>cat</name>" + BOX.format(1, 2, 30, 40)), boxes="as_written")
        assert data.xywh.tolist() == [[1, 2, 29, 38]]
        with pytest.raises(ValueError, match="`boxes` must be one of"):
            one(page(), boxes="xywh")

    def test_nothing_in_the_image(self, one):
        data = one(page(head=""))
        assert len(data) == 0 and len(data.images) == 1 and data.images.height is None
        assert data.notes == ("1 of 1 images have no size",)

    def test_folder(self, tmp_path):
        for name in ("b", "a"):
            (tmp_path / f"{name}.xml").write_text(page("<name>cat</name>" + BOX.format(1, 2, 30, 40)))
        found = find(tmp_path)
        assert found.data.images.ids.tolist() == ["a", "b"]
        assert describe(found) == f"Read {tmp_path} as Pascal VOC: 2 boxes, pixels from 1, 2 images."
        (tmp_path / "home").mkdir()
        (tmp_path / "home" / "Annotations").mkdir()
        (tmp_path / "home" / "Annotations" / "c.xml").write_text(page())
        assert vesica.read(tmp_path / "home").images.ids.tolist() == ["c"]
        assert vesica.read(tmp_path / "*.xml").images.ids.tolist() == ["a", "b"]

    @pytest.mark.parametrize(
        "text, words",
        [
            ("<annotation>", "a.xml is no XML: no element found"),
            (page("<name>cat</name>"), "a.xml, object 0: <bndbox> must have <xmin>; it is missing"),
            (page("<name>cat</name><robndbox/>"), "Rotated boxes are read from DOTA"),
            (page(BOX.format(1, 2, 3, 4)), "object 0: <name> is missing"),
            (page("<name>c</name>" + BOX.format(1, 2, "x", 4)), "object 0: 'x' is not a number"),
            (page("<name>c</name>" + BOX.format(1, 2, "nan", 4)), "object 0: the box must be finite; got w = nan"),
            (page("<name>c</name>" + BOX.format(1, 2, "1e400", 4)), "the box must be finite"),
            (page("<name>c</name>" + BOX.format(1, 2, "1e200", 4)), "too large: its area overflows"),
            (page("<name>c</name>" + BOX.format(1, 2, "1_0", 4)), "'1_0' is not a number"),
            (page("<name>c</name>" + BOX.format(1, 2, "1" * 5000, 4)), "at most 1,000 characters; got 5,000"),
            (page("<name>c</name>" + BOX.format(9, 2, 3, 4)), "negative width; got -5.0: the right edge lies left of"),
            (page("<name>c</name><difficult>2</difficult>" + BOX.format(1, 2, 3, 4)), "<difficult> must be 0 or 1"),
            (page(head="<size><width>1.5</width><height>3</height></size>"), "size: height and width must be whole"),
            (page(head="<size><width>x</width><height>3</height></size>"), "size: 'x' is not a number"),
            (b"<annotation>\xff</annotation>", "is no XML: not well-formed"),
            ("<?xml version='1.0' encoding='klingon'?><annotation/>", "is no XML: unknown encoding"),
        ],
    )
    def test_refused(self, one, text, words):
        with pytest.raises(InputError, match=words):
            one(text)

    @pytest.mark.parametrize(
        "text, words",
        [
            pytest.param(
                '<!DOCTYPE a [<!ENTITY l "lol"><!ENTITY m "&l;&l;&l;&l;&l;&l;&l;&l;">]><annotation>&m;</annotation>',
                "DOCTYPE and entities are not allowed",
                id="billion laughs",
            ),
            pytest.param(
                "<!DOCTYPE annotation><annotation/>", "DOCTYPE and entities are not allowed", id="bare DOCTYPE"
            ),
            pytest.param(
                '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><annotation>&x;</annotation>',
                "DOCTYPE and entities are not allowed",
                id="a file of somebody else",
            ),
            pytest.param("<annotation>" + "<a>" * 100_000, "nested deeper than 64", id="deep"),
        ],
    )
    def test_hostile(self, one, text, words):
        with pytest.raises(InputError, match=words):
            one(text)

    def test_cvat_is_told(self, one):
        with pytest.raises(InputError, match="root must be <annotation>; got <annotations>. This looks like CVAT"):
            one("<annotations/>", format="voc")

    def test_unchecked(self, one):
        data = one(page("<name>c</name>" + BOX.format(1, 2, "nan", 4)), check=False)
        assert np.isnan(data.xywh).any()

    def test_a_link_out_of_the_folder_is_refused(self, tmp_path):
        (tmp_path / "labels").mkdir()
        (tmp_path / "secret.xml").write_text(page())
        (tmp_path / "labels" / "a.xml").symlink_to(tmp_path / "secret.xml")
        with pytest.raises(InputError, match="is a link that leads out of"):
            vesica.read(tmp_path / "labels")

    def test_options_of_other_formats(self, one):
        with pytest.raises(ValueError, match="`sizes` says nothing about a file of the format 'voc'"):
            one(page(), sizes=(5, 5))

    def test_missing_extra(self, one, monkeypatch):
        import sys

        monkeypatch.setitem(sys.modules, "defusedxml", None)
        with pytest.raises(vesica.MissingExtra, match=r'need defusedxml: pip install "vesica\[all\]"'):
            one(page())


class TestResults:
    def test_value(self, tmp_path):
        (tmp_path / "comp3_det_test_cat.txt").write_text("b 0.5 1 1 10 20\n\na 0.25 2 3 4.5 6\n")
        (tmp_path / "comp3_det_test_potted plant.txt").write_text("a 1 1 1 1 1\n")
        found = find(tmp_path)
        data = found.data
        assert data.images.ids.tolist() == ["a", "b"] and data.image.tolist() == [1, 0, 0]
        assert data.categories.ids.tolist() == ["cat", "potted plant"] and data.score.tolist() == [0.5, 0.25, 1]
        assert data.xywh.tolist() == [[0, 0, 10, 20], [1, 2, 3.5, 4], [0, 0, 1, 1]]
        assert "as Pascal VOC results: 3 boxes" in describe(found)
        assert len(vesica.read(tmp_path / "comp3_det_test_cat.txt")) == 2

    @pytest.mark.parametrize(
        "line, words",
        [("a 0.5 1 1 10", "line 1: must have image, score"), ("a nan 1 1 2 2", "`score` must be finite; got nan")],
    )
    def test_refused(self, tmp_path, line, words):
        path = tmp_path / "comp3_det_test_cat.txt"
        path.write_text(line)
        with pytest.raises(InputError, match=words):
            vesica.read(path)


class TestWrite:
    def test_round_trip(self, tmp_path):
        data = made(strings=True)
        used = sorted(set(data.categories.ids[data.category].tolist()))
        assert "categories without an object left no trace" in vesica.write(tmp_path, data, format="voc")
        back = vesica.read(tmp_path)
        same(back, data_in_order(data, used))

    def test_scores_become_results(self, tmp_path):
        data = made(strings=False, scores=True, sizes=False)
        vesica.write(tmp_path, data, format="voc")
        back = vesica.read(tmp_path)
        assert sorted(back.score.tolist()) == sorted(data.score.tolist()) and len(back) == len(data)
        order, other = np.argsort(back.score), np.argsort(data.score)
        assert np.array_equal(back.xywh[order], data.xywh[other])
        images = [str(id) for id in data.images.ids[data.image][other]]
        assert back.images.ids[back.image][order].tolist() == images

    @given(st.lists(st.tuples(*[st.floats(-1e6, 1e6), st.floats(0, 1e6)] * 2), min_size=1))
    def test_every_float_comes_back(self, tmp_path_factory, rows):
        folder = tmp_path_factory.mktemp("voc")
        boxes = np.array(rows)[:, [0, 2, 1, 3]]
        vesica.write(folder, vesica.Dataset.from_arrays(boxes, form="xywh", image=["a"] * len(rows)), format="voc")
        assert np.array_equal(vesica.read(folder).xywh, boxes)

    def test_whole_numbers_stay_whole(self, tmp_path):
        vesica.write(tmp_path, vesica.Dataset.from_arrays([[0, 0, 30, 40]], image=["a"]), format="voc")
        assert "<xmin>1</xmin>\n\t\t\t<ymin>1</ymin>\n\t\t\t<xmax>30</xmax>" in (tmp_path / "a.xml").read_text()

    def test_markup_in_names(self, tmp_path):
        data = vesica.Dataset.from_arrays([[0, 0, 3, 4]], image=["a"], category=["<b> & 'c'"])
        vesica.write(tmp_path, data, format="voc")
        assert vesica.read(tmp_path).categories.ids.tolist() == ["<b> & 'c'"]

    @pytest.mark.parametrize("id", ["../../x", "a/b", "a\\b", "", "..", "c:x", "a\0"])
    def test_paths_are_refused(self, tmp_path, id):
        data = vesica.Dataset.from_arrays([[0, 0, 3, 4]], image=[id])
        with pytest.raises(InputError, match="cannot be the name of a file"):
            vesica.write(tmp_path / "out", data, format="voc")
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize(
        "options, words",
        [
            ({"image": [7, "7"]}, "Two images would be written to one file"),
            ({"image": [7, 8], "category": ["a\x07", "b"]}, "XML cannot hold the name"),
            ({"image": [7, 8], "category": ["1", 1]}, "Two categories are called '1'"),
            ({"image": ["a b", 8], "score": [1, 2]}, "cannot hold the image id 'a b'"),
        ],
    )
    def test_what_cannot_be_written(self, tmp_path, options, words):
        with pytest.raises(InputError, match=words):
            vesica.write(tmp_path, vesica.Dataset.from_arrays([[0, 0, 3, 4]] * 2, **options), format="voc")

    def test_notes(self, tmp_path):
        data = vesica.Dataset.from_arrays([[0, 0, 3, 4]], image=[7], area=[3], crowd=[1], id=[5], annotator=["x"])
        notes = vesica.write(tmp_path, data, format="voc")
        assert {"VOC has no place for areas", "VOC has no place for crowds", "image ids became strings"} <= set(notes)


def data_in_order(data, used):
    """The same objects image by image, over the categories that occur, as VOC keeps them."""
    order = np.argsort(data.image, kind="stable")
    images = vesica.dataset.Images(data.images.ids, data.images.height, data.images.width)
    return vesica.Dataset.from_arrays(
        data.xywh[order],
        form="xywh",
        image=data.images.ids[data.image][order],
        category=data.categories.ids[data.category][order],
        images=images,
        categories={name: name for name in used},
    )


@real
class TestReal:
    def test_both_writers_agree(self):
        """The same pictures from the VOC archive and from CVAT's export: the numbers were copied."""
        a, b = vesica.read(DATA / "formats/truth/pascalvoc_format"), vesica.read(DATA / "formats/truth/imagenet_format")
        assert len(a.images) == 100 and a.images.ids.tolist() == b.images.ids.tolist()
        assert len(a) == len(b) and a.categories.ids.tolist() == b.categories.ids.tolist()
        assert np.array_equal(np.sort(a.xywh, axis=0), np.sort(b.xywh, axis=0))
        assert a.images.sizes.tolist() == b.images.sizes.tolist()

    def test_boxes_lie_in_their_images(self):
        data = vesica.read(DATA / "formats/truth/pascalvoc_format")
        corners = data.boxes.xyxy
        assert corners.min() >= 0 and (corners[:, 2:] <= data.images.sizes[data.image][:, ::-1]).all()

    def test_toy(self):
        assert len(vesica.read(DATA / "toy/gts_vocpascal_format").images) == 10
