"""YOLO: shares of the image, and the traps of its lines."""

from pathlib import Path

import numpy as np
import pytest

import vesica
from samples import made, same
from vesica import Dataset, InputError
from vesica.io.read import describe, find

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "voc"
real = pytest.mark.skipif(not DATA.is_dir(), reason="the folder shared/data lies not beside the repository")

SIZE = (100, 200)


@pytest.fixture
def labels(tmp_path):
    """Write label files into a folder and return it."""

    def writing(beside=(), **files):
        (tmp_path / "labels").mkdir(exist_ok=True)
        for name, text in files.items():
            (tmp_path / "labels" / f"{name}.txt").write_text(text)
        for name, text in dict(beside).items():
            (tmp_path / name).write_text(text)
        return tmp_path / "labels"

    return writing


def picture(path, width, height, orientation=None):
    from PIL import Image

    path.parent.mkdir(exist_ok=True)
    image = Image.new("L", (width, height))
    exif = image.getexif()
    if orientation:
        exif[0x0112] = orientation
    image.save(path, exif=exif)


class TestBoxes:
    def test_value(self, labels):
        data = vesica.read(labels(a="1 0.5 0.5 0.5 0.25\n", b="", c="0 0.25 0.25 0.5 0.5\n\n1 0 0 0 0\n"), sizes=SIZE)
        assert data.xywh.tolist() == [[50, 37.5, 100, 25], [0, 0, 100, 50], [0, 0, 0, 0]]
        assert data.images.ids.tolist() == ["a", "b", "c"] and data.image.tolist() == [0, 2, 2]
        assert data.categories.ids.tolist() == [0, 1] and data.category.tolist() == [1, 0, 1]
        assert data.score is None and data.images.sizes.tolist() == [[100, 200]] * 3

    def test_sizes_by_name(self, labels):
        folder = labels(a="0 0.5 0.5 1 1", b="0 0.5 0.5 1 1")
        assert vesica.read(folder, sizes={"a": (10, 20), "b": (30, 40)}).xywh[:, 2:].tolist() == [[20, 10], [40, 30]]

    def test_no_sizes(self, labels):
        folder = labels(a="0 0.5 0.5 1 1")
        with pytest.raises(InputError, match=r"a.txt, line 1: .* `images=FOLDER`; .* `sizes=\(height, width\)`"):
            vesica.read(folder)
        with pytest.raises(InputError, match="a.txt, line 1"):
            vesica.read(folder, sizes={"b": (10, 20)})

    def test_one_file(self, labels):
        found = find(labels(a="0 0.5 0.5 1 1") / "a.txt", vesica.io.options.Options(sizes=SIZE))
        assert describe(found).endswith("a.txt as YOLO: 1 box, shares of the image, 1 image.")

    def test_pixels_in_any_form(self, labels):
        folder = labels(a="object 25 16 38 56\n")
        data = vesica.read(folder, boxes="xywh")
        assert data.xywh.tolist() == [[25, 16, 38, 56]] and data.categories.ids.tolist() == ["object"]
        assert vesica.read(folder, boxes="xyxy").xywh.tolist() == [[25, 16, 13, 40]]

    def test_classes_written_as_floats(self, labels):
        assert vesica.read(labels(a="3.0 0.5 0.5 1 1"), sizes=SIZE).categories.ids.tolist() == [3]


class TestScores:
    last = "0 0.5 0.5 0.2 0.2 0.9\n1 0.9 0.9 0.1 0.1 0.3\n"
    second = "0 0.9 0.5 0.5 0.2 0.2\n1 0.3 0.9 0.9 0.1 0.1\n"

    @pytest.mark.parametrize("text", [last, second], ids=["last", "second"])
    def test_the_order_that_keeps_boxes_inside(self, labels, text):
        data = vesica.read(labels(a=text), sizes=SIZE)
        assert data.score.tolist() == [0.9, 0.3] and np.allclose(data.xywh, [[80, 40, 40, 20], [170, 85, 20, 10]])

    @pytest.mark.parametrize(
        "text, which", [("0 0.5 0.5 0.5 0.5 0.5", "either place"), ("0 0.9 0.9 0.9 0.9 0.9", "neither place")]
    )
    def test_both_or_neither(self, labels, text, which):
        folder = labels(a=text)
        with pytest.raises(
            InputError, match=f'1 lines fits in {which}.*columns="class box score" or columns="class score'
        ):
            vesica.read(folder, sizes=SIZE)
        assert vesica.read(folder, sizes=SIZE, columns="class score box").score.tolist() == [float(text[2:5])]
        with pytest.raises(ValueError, match="`columns` must be one of"):
            vesica.read(folder, sizes=SIZE, columns="score")

    def test_pixels(self, labels):
        data = vesica.read(labels(a="cat .88 5 67 31 48"), boxes="xywh")
        assert data.score.tolist() == [0.88] and data.xywh.tolist() == [[5, 67, 31, 48]]

    def test_some_lines_without(self, labels):
        with pytest.raises(InputError, match="b.txt, line 1: has no score, and other lines have"):
            vesica.read(labels(a=self.last, b="0 0.5 0.5 0.1 0.1"), sizes=SIZE)


class TestShapes:
    triangle = "0 0 0 0.5 0 0.5 0.5"

    def test_polygons(self, labels):
        data = vesica.read(labels(a=f"{self.triangle}\n1 0.5 0.5 0.5 0.5\n"), sizes=SIZE)
        assert list(data.segments.written()) == [b"[[0, 0, 100, 0, 100, 50]]", b""]
        assert (
            data.xywh.tolist() == [[0, 0, 100, 50], [50, 25, 100, 50]]
            and data.segments.size.tolist() == [[100, 200]] * 2
        )
        assert vesica.read(labels(), sizes=SIZE, masks=False).segments is None

    def test_polygons_with_scores(self, labels):
        data = vesica.read(labels(a=f"{self.triangle} 0.75"), sizes=SIZE, kind="polygon")
        assert data.score.tolist() == [0.75] and data.xywh.tolist() == [[0, 0, 100, 50]]

    def test_four_points_or_a_rotated_box(self, labels):
        folder = labels(a="0 0 0 0.5 0 0.5 0.5 0 0.5")
        with pytest.raises(InputError, match='line 1: 8 numbers are a polygon .* Say kind="polygon"'):
            vesica.read(folder, sizes=SIZE)
        assert vesica.read(folder, sizes=SIZE, kind="polygon").xywh.tolist() == [[0, 0, 100, 50]]

    @pytest.mark.parametrize(
        "text, words",
        [
            ("0 0.5 0.5 0.5", "a.txt, line 1: a class is followed by 4 numbers of a box.*; got 3"),
            ("0", "got 0"),
            ("0 " + "0.5 " * 9, 'got 9. Say kind="polygon" if the last is a score'),
            ("0 0.5 0.5 x 0.5", "'x' is not a number"),
            ("0 0.5 0.5 nan 0.5", "the box must be finite"),
            ("0 0.5 0.5 -0.5 0.5", "negative width; got -100.0"),
            ("0 162 96 189 245", 'line 1: numbers of YOLO are shares .*; got 162.0. Pixels are .* boxes="xywh"'),
        ],
    )
    def test_refused(self, labels, text, words):
        with pytest.raises(InputError, match=words):
            vesica.read(labels(a=text), sizes=SIZE)


class TestNames:
    text = "1 0.5 0.5 1 1"

    @pytest.mark.parametrize(
        "file, content",
        [
            ("data.yaml", "path: ../x\ntrain: images\nnc: 2\nnames: [cat, dog]\n"),
            ("data.yaml", "names:\n  0: cat\n  1: dog\n"),
            ("obj.names", "cat\ndog\n"),
            ("labels/classes.txt", "cat\ndog"),
        ],
    )
    def test_found_beside(self, labels, file, content):
        data = vesica.read(labels({file: content}, a=self.text), sizes=SIZE)
        assert data.categories.names.tolist() == ["cat", "dog"] and data.categories.ids.tolist() == [0, 1]
        assert data.category.tolist() == [1] and f"names of classes from {Path(file).name}" in data.notes

    def test_given(self, labels, tmp_path):
        assert vesica.read(labels(a=self.text), sizes=SIZE, names=["x", "y"]).categories.names.tolist() == ["x", "y"]
        (tmp_path / "other.names").write_text("p\nq\n")
        data = vesica.read(labels(), sizes=SIZE, names=tmp_path / "other.names")
        assert data.categories.names.tolist() == ["p", "q"]

    def test_none(self, labels):
        data = vesica.read(labels(a=self.text), sizes=SIZE)
        assert data.categories.names is None and "nobody named the classes" in data.notes[0]

    def test_classes_by_name(self, labels):
        data = vesica.read(labels({"obj.names": "cat\ndog\n"}, a="dog 0.5 0.5 1 1"), sizes=SIZE)
        assert data.categories.ids.tolist() == ["cat", "dog"] and data.category.tolist() == [1]

    @pytest.mark.parametrize(
        "content, words",
        [
            ("names: [cat]\n", "a.txt, line 1: class 1 has no name; 1 are named"),
            ("names: [cat, dog]\nnc: 3\n", 'says "nc" 3, and names 2 classes'),
            ("names: cat\n", "must be a list of strings"),
            ("names: [[a], b]\n", "must be a list of strings"),
            ("names: {a: b}\n", "must be a list of strings"),
            ("- 1\n", 'must have "names"'),
            ("names: [a\n", "is no plain YAML"),
            ("!!python/object/apply:os.system ['true']\n", "is no plain YAML: .*could not determine a constructor"),
            ("[" * 5000, "is no plain YAML: it is nested too deeply"),
            ("#" * (1 << 20) + "\n", "is larger than 1 MiB"),
            ("a: &a [x,x,x,x,x,x,x,x]\n" + "".join(f"{c}: &{c} [*{p},*{p},*{p},*{p},*{p},*{p},*{p},*{p},*{p}]\n"
             for p, c in zip("abcdefghij", "bcdefghijk", strict=True)) + "names: *k\n", "more than 100,000 values"),
            ("names: [a]\na0: &a0 {x: 1}\n" + "".join(f"a{k + 1}: &a{k + 1} {{<<: [*a{k}, *a{k}]}}\n"
             for k in range(27)), r"more than 100,000 values\. Aliases and merge keys \(<<\) count as often as used"),
            ("names: [" + "a," * 110_000 + "]", "more than 100,000 values"),
            ("names: &a [*a]\n", "an alias repeats what it is in, without end"),
            ("names: [a]\nx: &a {<<: *a}\n", "an alias repeats what it is in, without end"),
            ("\ufeff\ufeff\x00names: []", "is no plain YAML"),
            ('names: [!!int ""]\n', "is no plain YAML"),
            ('names: [a]\nx: !!float ""\n', "is no plain YAML"),
            ("names: [a]\nx: !!timestamp abc\n", "is no plain YAML"),
            ("names: [a]\nx: !!bool zz\n", "is no plain YAML: .*zz"),
            ("names: [a]\nx: !!binary é\n", "is no plain YAML"),
            ("names: [a]\nx: !!omap abc\n", "is no plain YAML"),
            ("names: [a]\nx: !!set abc\n", "is no plain YAML"),
            ("names: [a]\nx: 2001-99-99\n", "is no plain YAML: .*month must be in 1..12"),
            ("names: [a]\nx: 2001-01-01 99:99:99\n", "is no plain YAML: .*hour must be in 0..23"),
            (f"names: [a]\nx: {'9' * 5000}\n", "is no plain YAML"),
            ("names: [a]\n? [1]\n: 2\n", "is no plain YAML"),
            ("%YAML 9.9\n---\nnames: [a]\n", "is no plain YAML"),
            ("names: {0: a, 1: b, 0: c}\n", "line 1 has the key '0' a second time"),
            ("names: [a, b]\nnc: 2\nnames: [c, d]\n", "line 3 has the key 'names' a second time"),
        ],
    )  # fmt: skip
    def test_hostile_yaml(self, labels, content, words):
        with pytest.raises(InputError, match=words):
            vesica.read(labels({"data.yaml": content}, a=self.text), sizes=SIZE)

    def test_what_is_repeated_a_little(self, labels):
        """Aliases and merge keys are YAML like any other, as long as they stay small."""
        content = (
            "train: &here images\nval: *here\nbase: &base {nc: 2}\nmore: {<<: *base}\nnames: &n [cat, dog]\nn: *n\n"
        )
        data = vesica.read(labels({"data.yaml": content}, a=self.text), sizes=SIZE)
        assert data.categories.names.tolist() == ["cat", "dog"]

    def test_without_libyaml(self, labels, monkeypatch):
        import yaml

        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
        data = vesica.read(labels({"data.yaml": "names: [cat, dog]"}, a=self.text), sizes=SIZE)
        assert data.categories.names.tolist() == ["cat", "dog"]
        with pytest.raises(InputError, match="is no plain YAML"):
            vesica.read(labels({"data.yaml": 'names: [!!int ""]'}), sizes=SIZE)

    def test_an_empty_line_in_a_list(self, labels):
        """The names behind it would be those of other classes."""
        with pytest.raises(InputError, match=r"obj\.names, line 2 is empty, .* line 2 is the name of class 1"):
            vesica.read(labels({"obj.names": "cat\n\ndog\n"}, a=self.text), sizes=SIZE)
        assert vesica.read(labels({"obj.names": "cat\ndog\n\n\n"}), sizes=SIZE).categories.names.tolist() == [
            "cat",
            "dog",
        ]

    def test_missing_extra(self, labels, monkeypatch):
        import sys

        monkeypatch.setitem(sys.modules, "yaml", None)
        with pytest.raises(vesica.MissingExtra, match="data.yaml needs PyYAML"):
            vesica.read(labels({"data.yaml": "names: [a, b]"}, a=self.text), sizes=SIZE)


class TestPictures:
    def test_beside_the_labels(self, labels, tmp_path):
        folder = labels(a="0 0.5 0.5 1 1")
        picture(tmp_path / "images" / "a.png", 30, 20)
        picture(tmp_path / "images" / "b.png", 30, 20)
        data = vesica.read(folder)
        assert data.images.ids.tolist() == ["a"] and data.images.sizes.tolist() == [[20, 30]]
        assert data.images.names.tolist() == ["a.png"]

    def test_a_missing_label_file_is_nothing_where_the_pictures_are_given(self, labels, tmp_path):
        folder = labels(a="0 0.5 0.5 1 1")
        picture(tmp_path / "images" / "a.png", 30, 20)
        picture(tmp_path / "images" / "b.jpg", 7, 9)
        data = vesica.read(folder, images=tmp_path / "images")
        assert data.images.ids.tolist() == ["a", "b"] and data.images.sizes.tolist() == [[20, 30], [9, 7]]

    def test_a_camera_on_its_side(self, labels, tmp_path):
        picture(tmp_path / "images" / "a.jpg", 30, 20, orientation=6)
        assert vesica.read(labels(a="0 0.5 0.5 1 1")).xywh.tolist() == [[0, 0, 20, 30]]

    def test_a_label_without_picture(self, labels, tmp_path):
        picture(tmp_path / "images" / "b.png", 30, 20)
        with pytest.raises(InputError, match="a.txt has no image: none of the 1 given is called 'a'"):
            vesica.read(labels(a="0 0.5 0.5 1 1"), images=tmp_path / "images")
        with pytest.raises(InputError, match="`images=` must be a folder"):
            vesica.read(labels(), images=tmp_path / "nowhere")

    def test_no_picture(self, labels, tmp_path):
        (tmp_path / "images").mkdir()
        (tmp_path / "images" / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n rubbish")
        with pytest.raises(InputError, match="a.png is no picture that can be read"):
            vesica.read(labels(a="0 0.5 0.5 1 1"))

    def test_images_of_another_data_set(self, labels):
        truth = Dataset.from_arrays([], image=[], images={5: "x/a.jpg", 9: "b.jpg"}, sizes={5: (10, 20), 9: (1, 1)})
        data = vesica.read(labels(a="0 0.5 0.5 1 1"), images=truth)
        assert data.images.ids.tolist() == [5, 9] and data.xywh.tolist() == [[0, 0, 20, 10]]

    def test_a_link_out_of_the_folder(self, labels, tmp_path):
        picture(tmp_path / "elsewhere" / "a.png", 3, 3)
        (tmp_path / "images").mkdir()
        (tmp_path / "images" / "a.png").symlink_to(tmp_path / "elsewhere" / "a.png")
        with pytest.raises(InputError, match="a link that leads out of"):
            vesica.read(labels(a="0 0.5 0.5 1 1"), images=tmp_path / "images")


class TestFolders:
    def test_layouts(self, tmp_path):
        for home in ("one/labels/val", "two/train/labels", "three/obj_train_data", "four/labels"):
            (tmp_path / home).mkdir(parents=True)
            (tmp_path / home / "a.txt").write_text("0 0.5 0.5 1 1")
            root = tmp_path / home.partition("/")[0]
            (root / "obj.names").write_text("cat\n")
            (root / "train.txt").write_text("data/a.jpg\n")
            data = vesica.read(root, sizes=SIZE)
            assert data.images.ids.tolist() == ["a"] and data.categories.names.tolist() == ["cat"]

    def test_several_folders(self, tmp_path):
        for home in ("labels/train", "labels/val"):
            (tmp_path / home).mkdir(parents=True)
            (tmp_path / home / "a.txt").write_text("0 0.5 0.5 1 1")
        with pytest.raises(InputError, match="label files in several folders: .*labels/train, .*labels/val. Read one"):
            vesica.read(tmp_path, sizes=SIZE)
        assert len(vesica.read(tmp_path / "labels/val", sizes=SIZE)) == 1

    def test_data_yaml_itself(self, labels, tmp_path):
        labels({"data.yaml": "names: [cat]"}, a="0 0.5 0.5 1 1")
        assert vesica.read(tmp_path / "data.yaml", sizes=SIZE).categories.names.tolist() == ["cat"]

    def test_a_pattern(self, labels):
        folder = labels(a="0 0.5 0.5 1 1", b="0 0.5 0.5 1 1", classes="cat")
        assert vesica.read(folder / "[ab].txt", sizes=SIZE).images.ids.tolist() == ["a", "b"]


class TestWrite:
    @pytest.mark.parametrize("scores", [False, True])
    def test_round_trip(self, tmp_path, scores):
        data = made(scores=scores)
        notes = vesica.write(tmp_path, data, format="yolo")
        assert {"classes are numbered from 0", "images are known by the names of their files"} <= set(notes)
        sizes = {str(id): size for id, size in zip(data.images.ids, data.images.sizes.tolist(), strict=True)}
        back = vesica.read(tmp_path, sizes=sizes)
        places = {stem: k for k, stem in enumerate(map(str, data.images.ids.tolist()))}
        where = np.array([places[stem] for stem in back.images.ids])
        order = np.lexsort([np.arange(len(data)), np.argsort(where)[data.image]])
        assert np.allclose(back.xywh, data.xywh[order], rtol=0, atol=1e-9)
        assert back.category.tolist() == data.category[order].tolist()
        assert back.categories.names.tolist() == data.categories.names.tolist()
        assert (back.score is None) or back.score.tolist() == data.score[order].tolist()
        assert sorted(back.images.ids.tolist()) == sorted(places)

    def test_exact_where_shares_are(self, tmp_path):
        data = Dataset.from_arrays([[8, 16, 24, 48]], image=["a"], category=[0], categories={0: "cat"}, sizes=(64, 32))
        vesica.write(tmp_path, data, format="yolo")
        same(vesica.read(tmp_path, sizes=(64, 32)), data)

    def test_what_cannot_be_written(self, tmp_path):
        with pytest.raises(InputError, match="nobody said how large image 7 is"):
            vesica.write(tmp_path, Dataset.from_arrays([[0, 0, 1, 1]], image=[7]), format="yolo")
        with pytest.raises(InputError, match="cannot be the name of a file"):
            vesica.write(tmp_path, Dataset.from_arrays([[0, 0, 1, 1]], image=["../x"], sizes=(5, 5)), format="yolo")


@real
class TestReal:
    def sizes(self):
        voc = vesica.read(DATA / "formats/truth/pascalvoc_format")
        return voc, dict(zip(voc.images.ids.tolist(), voc.images.sizes.tolist(), strict=True))

    def test_the_same_objects_as_voc(self):
        """The converter copied VOC's numbers, so boxes differ by the pixel that VOC counts from."""
        voc, sizes = self.sizes()
        data = vesica.read(DATA / "formats/truth/yolo_format", sizes=sizes)
        assert data.images.ids.tolist() == voc.images.ids.tolist() and len(data) == len(voc)
        as_written = vesica.read(DATA / "formats/truth/pascalvoc_format", boxes="as_written")
        for k in range(len(voc.images)):
            mine, theirs = data.image == k, as_written.image == k
            rows = np.lexsort(data.xywh[mine].T.round(0)), np.lexsort(as_written.xywh[theirs].T.round(0))
            assert np.allclose(data.xywh[mine][rows[0]], as_written.xywh[theirs][rows[1]], atol=1e-3)
            classes = (
                np.array([d.categories.names[c] for c in d.category[m]]) for d, m in ((data, mine), (voc, theirs))
            )
            assert sorted(next(classes)) == sorted(next(classes))

    def test_detections_in_three_forms(self):
        _, sizes = self.sizes()
        folder = DATA / "formats/guess"
        shares = vesica.read(folder / "rel_xywh", sizes=sizes)
        xywh, corners = vesica.read(folder / "abs_xywh", boxes="xywh"), vesica.read(folder / "abs_xyx2y2", boxes="xyxy")
        assert len(shares) > 200 and shares.score.tolist() == xywh.score.tolist() == corners.score.tolist()
        assert np.allclose(shares.xywh, xywh.xywh, atol=1.01) and np.allclose(xywh.xywh, corners.xywh, atol=1.01)

    def test_case_7(self):
        truth, guess = (vesica.read(DATA / "case7" / name, boxes="xywh") for name in ("gts", "dets"))
        assert len(truth.images) == 7 and truth.score is None and len(guess) == 24 and guess.score.max() == 0.95
