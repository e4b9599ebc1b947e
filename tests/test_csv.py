"""Tables of objects: CSV, archives of columns, COCO's arrays."""

import contextlib
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import vesica
from samples import made, same
from vesica import Dataset, InputError
from vesica.io.csv import _carefully, _quickly
from vesica.io.read import describe, find

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
real = pytest.mark.skipif(not DATA.is_dir(), reason="the folder shared/data lies not beside the repository")

HEAD = "image,class,x1,y1,x2,y2\n"


@pytest.fixture
def table(tmp_path):
    """Read a table with this text."""

    def reading(text, **options):
        path = tmp_path / "t.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return vesica.read(path, **options)

    return reading


class TestCsv:
    @pytest.mark.parametrize(
        "text",
        [
            "image,class,score,x1,y1,x2,y2\n7,cat,0.5,10,20,40,60\n",
            "image_id;label;confidence;xmin;ymin;xmax;ymax\n7;cat;0.5;10;20;40;60",
            "Image ID\tClass Name\tScore\tLeft\tTop\tRight\tBottom\r\n7\tcat\t0.5\t10\t20\t40\t60\r\n",
            'img,category,x,y,w,h,score\n"7","cat",10,20,30,40,5e-1\n',
            "x,y,width,height,image,class,score\n10,20,30,40,7,cat,0.5\n",
            "image,class,cx,cy,w,h,score\n7,cat,25,40,30,40,0.5\n",
            "\ufeffimage,class,score,x1,y1,x2,y2,remark\n\n7,cat,0.5,10,20,40,60,\n\n",
            'image_id;label;score;x1;y1;x2;y2\n7;cat;0.5;"10,0";20,0;40;60',
        ],
    )
    def test_one_object(self, table, text):
        data = table(text)
        assert data.xywh.tolist() == [[10, 20, 30, 40]] and data.score.tolist() == [0.5]
        assert data.images.ids.tolist() == [7] and data.categories.ids.tolist() == ["cat"]

    def test_every_column(self, table):
        data = table(
            "id,image_id,file_name,width,height,annotator,category_id,category,x1,y1,x2,y2,area,iscrowd,difficult\n"
            "5,1,a.jpg,640,480,ann,18,dog,0,0,4,4,12,1,0\n6,1,a.jpg,640,480,bob,17,cat,0,0,4,4,,0,0\n"
        )
        assert data.id.tolist() == [5, 6] and data.images.names.tolist() == ["a.jpg"]
        assert data.images.sizes.tolist() == [[480, 640]] and data.annotators.tolist() == ["ann", "bob"]
        assert data.categories.ids.tolist() == [17, 18] and data.categories.names.tolist() == ["cat", "dog"]
        assert data.area[0] == 12 and np.isnan(data.area[1])
        assert data.crowd.tolist() == [True, False] and data.ignore is None

    def test_ids_keep_leading_zeros(self, table):
        assert table(HEAD + "007,1,0,0,1,1\n12,2,0,0,1,1\n").images.ids.tolist() == ["007", "12"]
        assert table(HEAD + "9223372036854775808,1,0,0,1,1\n").images.ids.tolist() == ["9223372036854775808"]

    def test_a_row_without_box_is_an_image_without_objects(self, table):
        data = table(HEAD + "a,cat,0,0,1,1\nb,,,,,\n")
        assert data.images.ids.tolist() == ["a", "b"] and len(data) == 1
        assert data.notes == ("1 rows without a box: images in which nothing was found",)

    def test_decimal_commas_are_noted(self, table):
        data = table('image;x1;y1;x2;y2\na;"0,5";1;2;3\n')
        assert data.xywh.tolist() == [[0.5, 1, 1.5, 2]] and data.notes == ("decimal commas were read as points",)

    def test_inclusive_corners(self, table):
        assert table(HEAD + "a,cat,0,0,1,1\n", boxes="xyxy_inclusive").xywh.tolist() == [[0, 0, 2, 2]]
        with pytest.raises(ValueError, match='`boxes` must be one of "xyxy", "xyxy_inclusive"'):
            table(HEAD + "a,cat,0,0,1,1\n", boxes="xywh")

    def test_images_of_another_data_set(self, table):
        truth = Dataset.from_arrays([], image=[], images=[3, 1, 2])
        data = table("image,x1,y1,x2,y2\n2,0,0,1,1\n", images=truth)
        assert data.images is truth.images and data.image.tolist() == [2]

    def test_no_rows(self, table):
        data = table(HEAD)
        assert len(data) == 0 and len(data.images) == 0

    @pytest.mark.parametrize(
        "text, words",
        [
            ("", "t.csv is empty"),
            ("image,a,b\n1,2,3\n", "is of no format"),
            (HEAD + "1,cat,0,0,1\n", "t.csv, row 1: 5 cells, and the header has 6"),
            (HEAD + "1,cat,0,0,1,x\n", "t.csv, row 1: `box` must be a number; got 'x'"),
            (HEAD + "1,cat,0,0,1,1_0\n", "row 1: `box` must be a number; got '1_0'"),
            (HEAD + "1,cat,0,0,1,nan\n", "row 1: the box must be finite; got h = nan"),
            (HEAD + "1,cat,0,0,1,1e400\n", "row 1: the box must be finite; got h = inf"),
            (HEAD + "1,cat,0,0,1e200,1\n", "row 1: the box is too large: its area overflows"),
            (HEAD + "1,cat,0,0,1,1\n1,cat,5,0,1,1\n", "row 2: the box must not have a negative width; got -4.0"),
            (HEAD + "1,cat,0,,1,1\n", "row 1: the box has an empty cell"),
            (HEAD + ",cat,0,0,1,1\n", "row 1: `image` is empty"),
            (HEAD + "1,,0,0,1,1\n", "row 1: `category` is empty"),
            ("image,x1,x1,y1,x2,y2\n", "two columns are called 'x1'"),
            ('image,x1,y1,x2,y2\n"a,1,2,3,4\n', "is no CSV: unexpected end of data"),
            ("image,x1,y1,x2,y2,score\na,1,2,3,4,\n", "row 1: `score` is empty"),
            ("image,x1,y1,x2,y2,score\na,1,2,3,4,inf\n", "row 1: `score` must be finite; got inf"),
            ("image,x1,y1,x2,y2,area\na,1,2,3,4,-1\n", "row 1: `area` must not be negative; got -1"),
            ("image,x1,y1,x2,y2,crowd\na,1,2,3,4,7\n", "row 1: `crowd` must be 0 or 1; got '7'"),
            (
                "image,x1,y1,x2,y2,image_width,image_height\na,1,2,3,4,x,1\n",
                "`imagewidth` must be a whole number below 10\\^9; got 'x'",
            ),
            ('image,x1,y1,x2,y2\n"' + "a" * 200_000 + '",1,2,3,4\n', "is no CSV: field larger than field limit"),
            (b"image,x1,y1,x2,y2\n\xff\xfe\x00,1,2,3,4\n", "is not text: byte 18 is not UTF-8"),
            ("image,x1,y1,x2,y2\n".encode("utf-16"), "is written in UTF-16; save it as UTF-8"),
            (b"\x00" * 300, "is of no format"),
        ],
    )
    def test_refused(self, table, text, words):
        with pytest.raises(InputError, match=words):
            table(text)

    @given(st.lists(st.lists(st.text("a1;,\t \n_.", max_size=3), min_size=2, max_size=3)), st.sampled_from(",;\t"))
    @example([[" ", ""]], ",")
    @example([["a", "1"], [" a", "1"]], ";")
    def test_the_quick_way_is_the_careful_one(self, rows, separator):
        text = "\r\n".join(separator.join(row) for row in rows)
        quick = _quickly(text, separator)
        assert quick is None or quick == _carefully(text, separator, "t.csv")

    def test_said_format_names_what_is_missing(self, table):
        with pytest.raises(InputError, match="the header must name a box"):
            table("image,a,b\n1,2,3\n", format="csv")
        with pytest.raises(InputError, match="the header must name the image"):
            table("x1,y1,x2,y2\n1,2,3,4\n", format="csv")
        with pytest.raises(InputError, match="is empty. A table has a header"):
            table("", format="csv")

    def test_unchecked(self, table):
        assert np.isnan(table(HEAD + "1,cat,0,0,1,nan\n", check=False).xywh[0, 3])

    @given(st.binary(max_size=200))
    def test_rubbish_is_an_input_error(self, tmp_path_factory, rubbish):
        path = tmp_path_factory.mktemp("t") / "t.csv"
        for start in (b"", HEAD.encode()):
            path.write_bytes(start + rubbish)
            with contextlib.suppress(InputError):
                vesica.read(path, format="csv")

    def test_a_hundred_thousand_rows(self, table):
        boxes = np.random.default_rng(0).uniform(0, 500, (100_000, 2))
        rows = (f"{k % 5000},c{k % 80},{x!r},{y!r},{x + 9!r},{y + 9!r}" for k, (x, y) in enumerate(boxes.tolist()))
        data = table(HEAD + "\n".join(rows))
        assert np.array_equal(data.xywh[:, :2], boxes) and len(data.images) == 5000 and len(data.categories) == 80


class TestWriteCsv:
    @pytest.mark.parametrize("strings", [False, True])
    @pytest.mark.parametrize("scores", [False, True])
    def test_round_trip(self, tmp_path, strings, scores):
        data = made(strings=strings, scores=scores)
        notes = vesica.write(tmp_path / "t.csv", data)
        assert notes == ("categories without an object left no trace",)
        back = vesica.read(tmp_path / "t.csv")
        same(back, data, but=("images", "image", "categories", "category"))
        assert back.images.ids[back.image].tolist() == data.images.ids[data.image].tolist()
        assert back.categories.ids[back.category].tolist() == data.categories.ids[data.category].tolist()
        names = [d.categories.names[d.category].tolist() for d in (back, data)]
        sizes = [dict(zip(d.images.ids.tolist(), d.images.sizes.tolist(), strict=True)) for d in (back, data)]
        assert names[0] == names[1] and sizes[0] == sizes[1]

    def test_everything(self, tmp_path):
        data = Dataset.from_arrays(
            [[0.1, 0.2, 0.30000000000000004, 1e22], [0, 0, 1, 1]],
            image=["=1+1", 'say "no", twice'],
            category=["a\nb", "c"],
            categories={"a\nb": "a\nb", "c": "c"},
            area=[np.nan, 0.1],
            crowd=[True, False],
            ignore=[False, True],
            id=[3, 9],
            annotator=["eve", "ann"],
        )
        vesica.write(tmp_path / "t.csv", data)
        same(vesica.read(tmp_path / "t.csv"), data)
        assert '\n"=1+1",' in (tmp_path / "t.csv").read_text()  # no formula for a spreadsheet

    @given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1), min_size=1))
    def test_any_name(self, tmp_path_factory, names):
        path = tmp_path_factory.mktemp("t") / "t.csv"
        data = Dataset.from_arrays(
            np.zeros((len(names), 4)), image=np.arange(len(names)), category=[f"c{n}" for n in names]
        )
        vesica.write(path, data)
        back = vesica.read(path)
        assert back.categories.ids[back.category].tolist() == [f"c{name}" for name in names]

    def test_packed(self, tmp_path):
        data = made(scores=True)
        vesica.write(tmp_path / "a.csv", data)
        vesica.write(tmp_path / "a.csv.gz", data)
        same(vesica.read(tmp_path / "a.csv.gz"), vesica.read(tmp_path / "a.csv"))
        assert (tmp_path / "a.csv.gz").stat().st_size < (tmp_path / "a.csv").stat().st_size

    def test_notes(self, tmp_path):
        data = Dataset.from_arrays([[0, 0, 1, 1]], image=["7"], masks=np.ones((1, 2, 2), bool))
        assert vesica.write(tmp_path / "t.csv", data) == (
            "a table of boxes has no place for masks",
            "image ids that are written as numbers are read as numbers",
        )


class TestArchives:
    @pytest.mark.parametrize("strings", [False, True])
    @pytest.mark.parametrize("scores", [False, True])
    def test_round_trip(self, tmp_path, strings, scores):
        data = made(strings=strings, scores=scores)
        assert vesica.write(tmp_path / "t.npz", data) == ()
        same(vesica.read(tmp_path / "t.npz"), data)

    def test_everything(self, tmp_path):
        masks = [{"size": [2, 3], "counts": "05"}, [[0, 0, 1, 0, 1, 1]], None]
        data = Dataset.from_arrays(
            [[0, 0, 1, 1]] * 3,
            image=[7, "7", 7],
            category=[1, 2, 2],
            categories={1: "ü", 2: None},
            masks=masks,
            area=[1, np.nan, 3],
            crowd=[1, 0, 0],
            ignore=[0, 0, 1],
            id=[5, "5", 6],
            annotator=["a", "b", "a"],
        )
        vesica.write(tmp_path / "t.npz", data)
        same(vesica.read(tmp_path / "t.npz"), data)
        assert vesica.read(tmp_path / "t.npz", masks=False).segments is None

    def test_columns_of_anybody(self, tmp_path):
        np.savez(tmp_path / "t.npz", image=[1, 2], boxes=np.float32([[0, 0, 4, 4], [1, 1, 2, 2]]), category=["a", "b"])
        found = find(tmp_path / "t.npz")
        assert found.data.xywh.tolist() == [[0, 0, 4, 4], [1, 1, 1, 1]]
        assert describe(found).endswith("as an archive of arrays: 2 boxes, xyxy pixels, 2 images.")
        assert vesica.read(tmp_path / "t.npz", boxes="xywh").xywh[1].tolist() == [1, 1, 2, 2]

    @pytest.mark.parametrize(
        "arrays, words",
        [
            ({"image": [1]}, "must have arrays `image` and `xywh`"),
            ({"xywh": [[0, 0, 1, 1]]}, "must have arrays `image`"),
            ({"image": [1], "xywh": [[0, 0, 1]]}, r"t.npz: `boxes` must have shape .*got \(1, 3\)"),
            ({"image": [1], "xywh": [[0, 0, 1, -1]]}, "t.npz: `boxes` row 0 must not have a negative side"),
            ({"image": [1], "xywh": [[0, 0, 1, 1]], "score": [np.nan]}, "t.npz: `score` must be finite"),
            ({"image": [1], "xywh": np.array([[None] * 4])}, "is no .npz archive of numbers|no .npy file of numbers"),
            ({"image": [1], "xywh": [[0, 0, 1, 1]], "images": [2, 2]}, "t.npz: `images` must name each only once"),
            ({"image": [1], "xywh": [[0, 0, 1, 1]], "segment_text": [1]}, "masks need segment_text, _begin"),
            ({"image": [1], "segment_text": np.uint8([1]), "segment_begin": [0], "segment_end": [9],
              "segment_form": np.uint8([2]), "segment_size": [[1, 1]]}, "do not fit their text"),
            ({"image": [1], "segment_text": np.uint8([1]), "segment_begin": [0], "segment_end": [1],
              "segment_form": np.uint8([9]), "segment_size": [[1, 1]]}, "must be 0, 1 or 2; got 9"),
        ],
    )  # fmt: skip
    def test_refused(self, tmp_path, arrays, words):
        np.savez(tmp_path / "t.npz", **arrays)
        with pytest.raises(InputError, match=words):
            vesica.read(tmp_path / "t.npz")

    def test_bombs(self, tmp_path):
        np.savez_compressed(tmp_path / "t.npz", image=np.zeros(10_000_000, np.int64))
        with pytest.raises(InputError, match="expands more than 200:1 above 16 MiB"):
            vesica.read(tmp_path / "t.npz")

    @pytest.mark.parametrize("cut", [0, 5, 40, 300])
    def test_cut(self, tmp_path, cut):
        vesica.write(tmp_path / "t.npz", made())
        path = tmp_path / "t.npz"
        path.write_bytes(path.read_bytes()[:cut])
        with pytest.raises(InputError):
            vesica.read(path)


class TestSeven:
    def test_round_trip(self, tmp_path):
        data = made(scores=True, sizes=False)
        vesica.write(tmp_path / "t.npy", data)
        back = vesica.read(tmp_path / "t.npy")
        assert np.array_equal(back.xywh, data.xywh) and np.array_equal(back.score, data.score)
        assert back.images.ids[back.image].tolist() == data.images.ids[data.image].tolist()
        assert back.categories.ids[back.category].tolist() == data.categories.ids[data.category].tolist()

    def test_columns_are_those_of_pycocotools(self, tmp_path):
        data = made(scores=True)
        vesica.write(tmp_path / "t.npy", data)
        from pycocotools.coco import COCO

        rows = COCO().loadNumpyAnnotations(np.load(tmp_path / "t.npy"))
        assert [row["bbox"] for row in rows] == data.xywh.tolist()
        assert [row["image_id"] for row in rows] == data.images.ids[data.image].tolist()
        assert [row["category_id"] for row in rows] == data.categories.ids[data.category].tolist()

    def test_refused(self, tmp_path):
        np.save(tmp_path / "t.npy", np.zeros((3, 6)))
        with pytest.raises(InputError, match=r"must be a table of seven columns.*got float64 of shape \(3, 6\)"):
            vesica.read(tmp_path / "t.npy")
        with pytest.raises(InputError, match="has no scores. Write .npz"):
            vesica.write(tmp_path / "t.npy", made())
        with pytest.raises(InputError, match="some ids are strings. Write .npz"):
            vesica.write(tmp_path / "t.npy", made(strings=True, scores=True))
        data = Dataset.from_arrays([[0, 0, 1, 1]], image=[2**60 + 1], score=[1])
        with pytest.raises(InputError, match="more than 53 bits"):
            vesica.write(tmp_path / "t.npy", data)

    def test_more_numbers_than_there_are(self, tmp_path):
        """A header that speaks of eight terabytes is told before room is made for them."""
        out = io.BytesIO()
        np.lib.format.write_array_header_1_0(out, {"descr": "<f8", "fortran_order": False, "shape": (10**12, 7)})
        (tmp_path / "t.npy").write_bytes(out.getvalue() + b"\0" * 56)
        with pytest.raises(InputError, match="it speaks of 56,000,000,000,000 bytes, and has 56. Was it cut"):
            vesica.read(tmp_path / "t.npy")

    def test_pickles_are_refused(self, tmp_path):
        np.save(tmp_path / "t.npy", np.array([{}]), allow_pickle=True)
        with pytest.raises(InputError, match="is no .npy file of numbers: Object arrays cannot be loaded"):
            vesica.read(tmp_path / "t.npy")


@real
class TestReal:
    def test_val2017(self):
        truth, guess = (vesica.read(DATA / "val2017_boxes" / name) for name in ("gt.csv", "dets_image_space.csv"))
        assert (len(truth), len(guess)) == (36_781, 10_994) and len(truth.categories) == 80
        assert truth.images.ids[0] == "000000000139" and truth.score is None and guess.score[0] == 0.61
        assert truth.xywh[0].tolist() == [236.98, 142.51, 261.68 - 236.98, 212.01 - 142.51]

    def test_pedestrians_of_seven_annotators(self):
        data = vesica.read(DATA / "crowd" / "pedestrian_boxes_multi_annotator.csv", check=False)
        lines = (DATA / "crowd" / "pedestrian_boxes_multi_annotator.csv").read_text().splitlines()[1:]
        empty = sum(line.endswith(",,,,") for line in lines)
        assert len(data) == len(lines) - empty and data.notes[0].startswith(f"{empty} rows without a box")
        assert len(data.images) == 1_448 and data.images.sizes[0].tolist() == [720, 1280]
        assert len(data.annotators) > 5 and len(data.annotator) == len(data)
