"""CVAT: images and tracks, every shape it has, and files that are not what they say."""

import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from samples import described, drawn
from vesica import InputError
from vesica.io.read import describe, find

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "voc" / "formats" / "truth"
real = pytest.mark.skipif(not DATA.is_dir(), reason="the folder shared/data lies not beside the repository")
BOX = '<box label="cat" xtl="10.0" ytl="20.5" xbr="40" ybr="60"/>'
LABELS = "<labels><label><name>cat</name></label><label><name>dog</name></label></labels>"


def images(*shapes, meta="", size='width="100" height="80"'):
    """A file of one image with some shapes, and of another without any."""
    return (
        f'<?xml version="1.0"?><annotations><version>1.1</version><meta><task>{meta}</task></meta>'
        f'<image id="3" name="d/a.jpg" {size}>{"".join(shapes)}</image><image id="4" name="d/b.jpg" {size}/>'
        "</annotations>"
    )


def video(*tracks, size="<size>6</size>"):
    sides = "<original_size><width>100</width><height>80</height></original_size>"
    meta = f"<meta><task>{size}<mode>interpolation</mode>{LABELS}{sides}</task></meta>"
    return f"<annotations><version>1.1</version>{meta}{''.join(tracks)}</annotations>"


def on(frame, **more):
    more = {"outside": 0, "keyframe": 1, "xtl": 1, "ytl": 2, "xbr": 11 + frame, "ybr": 12, **more}
    return f'<box frame="{frame}" ' + " ".join(f'{key}="{value}"' for key, value in more.items()) + "/>"


@pytest.fixture
def read(tmp_path):
    def of(text, **options):
        (tmp_path / "a.xml").write_bytes(text if isinstance(text, bytes) else text.encode())
        return vesica.read(tmp_path / "a.xml", **options)

    return of


class TestImages:
    def test_box(self, read):
        data = read(images(BOX, meta=LABELS))
        assert data.xywh.tolist() == [[10, 20.5, 30, 39.5]] and data.corners is None and data.notes == ()
        assert data.images.ids.tolist() == [3, 4] and data.images.names.tolist() == ["d/a.jpg", "d/b.jpg"]
        assert data.images.sizes.tolist() == [[80, 100]] * 2 and data.categories.names.tolist() == ["cat", "dog"]

    def test_rotation_is_about_the_centre(self, read):
        data = read(images('<box label="cat" xtl="40" ytl="40" xbr="60" ybr="50" rotation="90.0"/>'))
        assert data.xywh.tolist() == [[45, 35, 10, 20]]
        assert sorted(map(tuple, data.corners[0].tolist())) == [(45, 35), (45, 55), (55, 35), (55, 55)]

    def test_clockwise_on_the_screen(self, read):
        data = read(images('<box label="cat" xtl="0" ytl="10" xbr="40" ybr="10" rotation="30"/>'))
        right = data.corners[0][data.corners[0, :, 0].argmax()]
        assert right[1] == pytest.approx(10 + 20 * np.sin(np.pi / 6))  # y points down: the right end sinks

    def test_polygon(self, read):
        data = read(images('<polygon label="cat" points="1.5,2;11,2;11,9.25"/>'))
        assert list(data.segments.written()) == [b"[[1.5, 2, 11, 2, 11, 9.25]]"]
        assert data.xywh.tolist() == [[1.5, 2, 9.5, 7.25]]

    def test_mask_goes_row_by_row_in_its_frame(self, read):
        data = read(images('<mask label="cat" rle="1, 2, 3, 1, 1" left="10" top="20" width="4" height="2"/>'))
        mask = data.segments.to_rle().to_masks().array[0]
        assert np.argwhere(mask).tolist() == [[20, 11], [20, 12], [21, 12]]
        assert data.xywh.tolist() == [[11, 20, 2, 2]] and data.notes == ()

    def test_ellipse(self, read):
        data = read(images('<ellipse label="cat" cx="50" cy="40" rx="20" ry="10"/>'))
        assert data.notes == ("1 ellipses became polygons of 64 corners and the same area",)
        assert data.xywh[0] == pytest.approx([30, 30, 40, 20], abs=0.05)

    def test_what_has_no_place_is_counted(self, read):
        lines = (
            '<polyline label="cat" points="1,1;2,2"/><points label="cat" points="1,1"/><points label="cat" points=""/>'
        )
        others = (
            '<cuboid label="cat" xtl1="1"/><skeleton label="cat"><points label="nose"/></skeleton><tag label="cat"/>'
        )
        short = (
            '<polygon label="cat" points="1,1;2,2"/><mask label="cat" rle="4" left="0" top="0" width="2" height="2"/>'
        )
        named = BOX.replace("/>", '><attribute name="seen">yes</attribute></box>')
        data = read(images(lines, others, short, named, "<blob/>"))
        assert len(data) == 1
        assert data.notes == (
            "1 polylines were left out",
            "2 shapes of points were left out",
            "1 cuboids were left out",
            "1 skeletons were left out",
            "1 tags, which are of whole images, were left out",
            "1 shapes of unknown kinds were left out",
            "1 polygons of fewer than three corners were left out",
            "1 masks without a pixel were left out",
        )

    def test_attributes(self, read):
        pairs = ("seen", "yes"), ("kind", "a"), ("kind", "b")
        told = "".join(f'<attribute name="{name}">{value}</attribute>' for name, value in pairs)
        data = read(images(BOX.replace("/>", f">{told}</box>"), BOX))
        assert data.attributes.tolist() == [{"seen": "yes", "kind": "b"}, None]
        assert data.notes == ("1 attributes are there twice, and the last is taken",)

    @pytest.mark.parametrize("rle", ["", " ", ",", "4"])
    def test_a_mask_of_nothing(self, read, rle):
        data = read(images(f'<mask label="cat" rle="{rle}" left="0" top="0" width="2" height="2"/>', BOX))
        assert len(data) == 1
        assert "1 masks without a pixel were left out" in data.notes

    def test_a_short_tail_is_background(self, read):
        data = read(images('<mask label="cat" rle="1,1" left="0" top="0" width="2" height="2"/>'))
        assert data.segments.areas().tolist() == [1]
        assert data.notes == ("1 masks end before their frame does: the rest is background",)

    def test_a_video_that_was_written_as_images(self, read):
        assert len(read(images(BOX, meta="<mode>interpolation</mode>")).images) == 2


class TestTracks:
    def test_value(self, read):
        data = read(video(f'<track id="0" label="cat">{on(1)}{on(2, keyframe=0)}{on(3, outside=1)}</track>'))
        assert data.images.ids.tolist() == [0, 1, 2, 3, 4, 5] and data.image.tolist() == [1, 2]
        assert data.xywh.tolist() == [[1, 2, 11, 10], [1, 2, 12, 10]] and data.id.tolist() == ["0/1", "0/2"]
        assert data.images.sizes.tolist() == [[80, 100]] * 6
        assert data.notes == ("1 shapes are outside of the picture, as their tracks say, and were left out",)

    def test_frames_between_are_not_invented(self, read):
        data = read(video(f'<track id="0" label="cat">{on(1)}{on(4)}</track>'))
        assert data.image.tolist() == [1, 4]
        assert data.notes == ("2 frames lie between those of a track and are not in the file: nothing was filled in",)

    def test_after_outside_there_is_no_gap(self, read):
        data = read(video(f'<track id="0" label="cat">{on(1)}{on(2, outside=1)}{on(5)}</track>'))
        assert data.notes == ("1 shapes are outside of the picture, as their tracks say, and were left out",)

    def test_unknown_number_of_frames(self, read):
        for size in ("", "<size>3</size>"):
            data = read(video(f'<track id="0" label="cat">{on(1)}{on(4, outside=1)}{on(5)}</track>', size=size))
            assert data.images.ids.tolist() == [1, 5] and "others are not known of" in data.notes[-1]


REFUSED = [
    ("<annotations>", "a.xml is no XML: no element found"),
    (images(BOX)[:-30], "a.xml is no XML"),
    (images(BOX.replace(' label="cat"', "")), r"a.xml, image 0 \(d/a.jpg\), box 0: `label` is missing"),
    (images(BOX.replace(' xtl="10.0"', "")), "`xtl` is missing"),
    (images(BOX.replace("10.0", "x")), "'x' is not a number"),
    (images(BOX.replace("10.0", "nan")), r"image 0 \(d/a.jpg\), box 0: the box must be finite"),
    (images(BOX.replace("10.0", "1e400")), "must be finite"),
    (images(BOX.replace("10.0", "1e200")), "area overflows"),
    (images(BOX.replace("10.0", "1" * 5000)), "at most 1,000 characters"),
    (images(BOX.replace('"40"', '"4"')), "negative width"),
    (images(BOX.replace("/>", ' rotation="inf"/>')), "`rotation` must be finite"),
    (
        images('<box label="a" xtl="-1.7e308" ytl="1" xbr="1.7e308" ybr="5" rotation="30"/>'),
        r"box 0: the corners must be finite",
    ),
    (images('<polygon label="a" points="1,2;3"/>'), r"must be x,y;x,y;…; got '3'"),
    (images('<polygon label="a" points="1,2;3,4;nan,4"/>'), "`points` must be finite"),
    (images('<mask label="a" rle="1,x" left="0" top="0" width="2" height="2"/>'), "whole numbers with commas"),
    (images('<mask label="a" rle="1,-1" left="0" top="0" width="2" height="2"/>'), "whole numbers with commas"),
    (images('<mask label="a" rle="9,9" left="0" top="0" width="2" height="2"/>'), "has 18 pixels; its frame has 4"),
    (images('<mask label="a" rle="1,1" left="99" top="0" width="2" height="2"/>'), "beyond its image of 80×100"),
    (images('<mask label="a" rle="1,1" left="0.5" top="0" width="2" height="2"/>'), "`left` must be a whole number"),
    (images('<mask label="a" rle="1" left="0" top="0" width="2" height="2"/>', size=""), "needs the size of its image"),
    (
        images(
            '<mask label="a" rle="1" left="0" top="0" width="99999" height="99999"/>',
            size='width="99999" height="99999"',
        ),
        "may have 268,435,456 pixels; its frame has 9,999,800,001",
    ),
    (images(size='width="1.5" height="2"'), "whole numbers below 2"),
    (images().replace('id="4"', 'id="3"'), r"image 1 \(d/b.jpg\): another image has the id 3 too"),
    (images().replace('id="4" name="d/b.jpg"', ""), "has neither `id` nor `name`"),
    (video(f'<track id="0">{on(1)}</track>'), "track 0, frame 1: `label` is missing"),
    (video('<track id="0" label="a"><box/></track>'), "`frame` must be a whole number from 0; got None"),
    (video(f'<track id="0" label="a">{on(1)}{on(1)}</track>'), "track 0, frame 1: has the id '0/1'"),
    (video(size="<size>1e15</size>"), "1,000,000 at most; got 1e"),
    (video(f'<track id="0" label="a">{on(1)}</track><image id="1"/>'), "has images and tracks"),
    (b"<annotations>\xff</annotations>", "is no XML: not well-formed"),
    ('<!DOCTYPE a [<!ENTITY l "lol"><!ENTITY m "&l;&l;&l;">]><annotations>&m;</annotations>', "DOCTYPE and entities"),
    ("<!DOCTYPE annotations><annotations/>", "DOCTYPE and entities are not allowed"),
    ('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><annotations>&x;</annotations>', "DOCTYPE and entities"),
    ("<annotations>" + "<a>" * 100_000, "nested deeper than 64"),
]


class TestRefused:
    @pytest.mark.parametrize("text, words", REFUSED)
    def test_wording(self, read, text, words):
        with pytest.raises(InputError, match=words):
            read(text, format="cvat")

    @given(st.integers(1, 400))
    def test_cut(self, tmp_path_factory, at):
        whole = images(BOX, meta=LABELS).encode()
        path = tmp_path_factory.mktemp("cut") / "a.xml"
        path.write_bytes(whole[: min(at, len(whole) - 1)])
        with pytest.raises(InputError, match="is no XML"):
            vesica.read(path, format="cvat")

    def test_voc_is_told(self, read):
        with pytest.raises(InputError, match="root must be <annotations>; got <annotation>"):
            read("<annotation/>", format="cvat")


class TestFormat:
    @pytest.mark.parametrize(
        "head", ["", '<?xml version="1.0" encoding="utf-8"?>\n', "\ufeff<!-- a\n<annotation> -->\n"]
    )
    def test_by_content(self, tmp_path, head):
        (tmp_path / "x").write_text(head + images(BOX).partition("?>")[2])
        assert find(tmp_path / "x").format == "cvat"

    def test_folders_and_patterns(self, tmp_path):
        (tmp_path / "annotations.xml").write_text(images(BOX))
        assert find(tmp_path).format == find(tmp_path / "*.xml").format == "cvat"

    def test_beside_voc(self, tmp_path):
        (tmp_path / "annotations.xml").write_text(images(BOX))
        (tmp_path / "b.xml").write_text("<annotation/>")
        with pytest.raises(InputError, match="1 of voc and 1 of cvat"):
            find(tmp_path)
        assert len(vesica.read(tmp_path, format="cvat")) == 1 and len(vesica.read(tmp_path, format="voc")) == 0


class TestZip:
    """CVAT's exports come packed, the pictures beside the annotations."""

    def packed(self, path, **files):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in files.items():
                archive.writestr(name.replace("__", "."), text)
        return path

    def test_read(self, tmp_path):
        path = self.packed(tmp_path / "export.zip", annotations__xml=images(BOX), a__jpg="")
        found = find(path)
        assert found.format == "cvat" and len(found.data) == 1 and found.name.endswith("export.zip:annotations.xml")

    @pytest.mark.parametrize(
        "files, words",
        [
            ({"a__xml": "", "b__json": ""}, r"it has 2: a\.xml, b\.json\. Unpack it"),
            ({"a__jpg": ""}, "it has none"),
        ],
    )
    def test_refused(self, tmp_path, files, words):
        with pytest.raises(InputError, match=words):
            vesica.read(self.packed(tmp_path / "export.zip", **files))

    def test_bomb(self, tmp_path):
        with pytest.raises(InputError, match="expands more than 200:1"):
            vesica.read(self.packed(tmp_path / "export.zip", a__xml="0" * (17 << 20)))

    def test_broken(self, tmp_path):
        path = self.packed(tmp_path / "export.zip", annotations__xml=images(BOX))
        path.write_bytes(path.read_bytes()[:-30])
        with pytest.raises(InputError, match=r"export\.zip is a zip archive, and broken"):
            vesica.read(path)


class TestWrite:
    @given(st.integers(0, 10_000))
    def test_round_trip(self, tmp_path_factory, seed):
        data = drawn(seed)
        path = tmp_path_factory.mktemp("cvat") / "t.xml"
        vesica.write(path, data, format="cvat")
        back = vesica.read(path)
        assert described(back) == described(data) and back.notes == ()
        assert back.images.ids.tolist() == data.images.ids.tolist()
        assert back.images.sizes.tolist() == data.images.sizes.tolist()

    @given(st.lists(st.tuples(*[st.floats(-1e6, 1e6), st.floats(0, 1e6)] * 2), min_size=1))
    def test_every_float_comes_back(self, tmp_path_factory, rows):
        path = tmp_path_factory.mktemp("cvat") / "t.xml"
        boxes = np.array(rows)[:, [0, 2, 1, 3]]
        vesica.write(path, vesica.Dataset.from_arrays(boxes, form="xywh", image=[0] * len(rows)), format="cvat")
        assert np.array_equal(vesica.read(path).xywh, boxes)

    def test_notes(self, tmp_path):
        data = vesica.Dataset.from_arrays([[0, 0, 3, 4]], image=["a"], area=[3], id=[5], annotator=["x"], score=[0.5])
        assert vesica.write(tmp_path / "t.xml", data, format="cvat") == (
            "CVAT has no place for scores",
            "CVAT has no place for areas",
            "CVAT has no place for ids",
            "CVAT has no place for annotators",
            "image ids became names, and are numbers from 0",
        )

    def test_attributes(self, tmp_path, read):
        data = read(images(BOX.replace("/>", '><attribute name="a &lt; b">&amp; so</attribute></box>'), BOX))
        vesica.write(tmp_path / "t.xml", data, format="cvat")
        assert vesica.read(tmp_path / "t.xml").attributes.tolist() == [{"a < b": "& so"}, None]
        said = replace(data, attributes=np.array([{"votes": 3, "sources": [["ann", 1]]}, None], object))
        vesica.write(tmp_path / "u.xml", said, format="cvat")
        assert vesica.read(tmp_path / "u.xml").attributes[0] == {"votes": "3", "sources": '[["ann", 1]]'}

    def test_four_corners_that_are_no_rectangle(self, tmp_path):
        corners = np.array([[[0.0, 0.0], [9.0, 1.0], [8.0, 9.0], [0.0, 5.0]]])
        data = vesica.Dataset.from_arrays(corners, image=[0])
        notes = vesica.write(tmp_path / "t.xml", data, format="cvat")
        assert "1 rotated boxes are no rectangles, and were written as polygons" in notes
        assert b"9, 1, 8, 9" in next(vesica.read(tmp_path / "t.xml").segments.written())

    @pytest.mark.parametrize("name", ["a\x07", " a", "a\ud800"])
    def test_names_that_xml_cannot_hold(self, tmp_path, name):
        data = vesica.Dataset.from_arrays([[0, 0, 3, 4]], image=[0], category=[name])
        with pytest.raises(InputError, match="XML cannot hold the name"):
            vesica.write(tmp_path / "t.xml", data, format="cvat")


@real
class TestReal:
    def test_the_same_objects_as_in_other_forms(self):
        """The pictures of VOC as CVAT exported them: numbers were copied."""
        cvat = find(DATA / "cvat_format")
        assert describe(cvat).endswith("as CVAT: 273 boxes, corners in pixels, 100 images.")
        voc = vesica.read(DATA / "pascalvoc_format", boxes="as_written")
        assert described(cvat.data) == described(voc)
        stems = {name.partition(".")[0] for name in cvat.data.images.names}
        assert stems == set(voc.images.ids.tolist())


class TestSeveralFiles:
    """The tasks of one annotator, each exported by itself: images are numbered from 0 in all of them."""

    @staticmethod
    def write(path, **names):
        rows = "".join(
            f'<image id="{k}" name="{name}" width="50" height="40">{BOX}</image>' for k, name in names.items()
        )
        path.write_text(f"<annotations>{rows}</annotations>".replace('id="_', 'id="'))

    @pytest.fixture
    def ann(self, tmp_path):
        folder = tmp_path / "ann"
        folder.mkdir()
        self.write(folder / "task1.xml", _0="a.jpg", _1="b.jpg")
        self.write(folder / "task2.xml", _0="c.jpg")
        return folder

    def test_joined(self, ann):
        data = vesica.read(ann)
        assert data.images.ids.tolist() == data.images.names.tolist() == ["a.jpg", "b.jpg", "c.jpg"]
        assert data.image.tolist() == [0, 1, 2] and data.categories.names.tolist() == ["cat"]
        assert describe(find(ann)).startswith(f"Read {ann} as 2 files of CVAT: 3 boxes")
        assert described(vesica.read(f"{ann}/*.xml")) == described(data)

    def test_other_ids_stay(self, ann):
        self.write(ann / "task2.xml", _7="c.jpg")
        assert vesica.read(ann).images.ids.tolist() == [0, 1, 7]

    def test_annotators(self, ann, tmp_path):
        """A folder of tasks meets one file of all of them."""
        self.write(tmp_path / "ben.xml", _0="c.jpg", _1="a.jpg", _2="b.jpg")
        result = vesica.evaluate_agreement({"ann": ann, "ben": tmp_path / "ben.xml"})
        assert result["agreement"] == 1 and len(result.records.images) == 3

    def test_one_image_twice(self, ann):
        self.write(ann / "task3.xml", _0="b.jpg")
        with pytest.raises(InputError, match=r"task3\.xml: the image 'b\.jpg' is in .*task1\.xml too.*for each"):
            vesica.read(ann)

    def test_videos(self, tmp_path):
        """Frames have no names: they go by file and number, and objects too."""
        for name in ("one", "two"):
            (tmp_path / f"{name}.xml").write_text(video(f'<track id="0" label="cat">{on(0)}{on(1)}</track>'))
        data = vesica.read(tmp_path)
        assert len(data.images) == 12 and data.images.ids.tolist()[6:8] == ["two/0", "two/1"]
        assert data.id.tolist() == ["one/0/0", "one/0/1", "two/0/0", "two/0/1"]

    def test_archives(self, ann, tmp_path):
        """As CVAT exports them: each task an archive, in which the file is always called annotations.xml."""
        packed = tmp_path / "packed"
        packed.mkdir()
        for path in ann.iterdir():
            with zipfile.ZipFile(packed / f"{path.stem}.zip", "w") as archive:
                archive.write(path, "annotations.xml")
        assert (
            described(vesica.read(packed)) == described(vesica.read(f"{packed}/*.zip")) == described(vesica.read(ann))
        )
        (packed / "task3.zip").write_bytes((packed / "task2.zip").read_bytes())
        with pytest.raises(InputError, match=r"task3\.zip:annotations\.xml: the image 'c\.jpg' is in .*task2\.zip"):
            vesica.read(packed)
        (packed / "task3.zip").write_bytes(b"PK\x03\x04 broken")
        with pytest.raises(InputError, match=r"task3\.zip is a zip archive, and broken"):
            vesica.read(packed)
        with zipfile.ZipFile(packed / "task3.zip", "w") as archive:
            archive.writestr("tasks.csv", "image,class,x1,y1,x2,y2\n1,cat,0,0,1,1\n")
        with pytest.raises(
            InputError,
            match="3 archives of csv and cvat. Several are joined if all are of cvat or of labelstudio; read others",
        ):
            vesica.read(packed)

    def test_archives_of_videos(self, tmp_path):
        for name in ("one", "two"):
            with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as archive:
                archive.writestr("annotations.xml", video(f'<track id="0" label="cat">{on(0)}</track>'))
        assert vesica.read(tmp_path).images.ids.tolist()[5:7] == ["one/5", "two/0"]

    def test_packed_ones_are_named(self, ann):
        (ann / "task3.xml.gz").write_bytes(b"")
        assert vesica.read(ann).notes == ("left out, as no XML files of CVAT: task3.xml.gz",)

    def test_notes(self, ann):
        (ann / "task2.xml").write_text(images('<points label="cat" points="1,2"/>', BOX))
        assert vesica.read(ann).notes == ("task2.xml: 1 shapes of points were left out",)
