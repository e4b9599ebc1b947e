"""COCO's JSON: which values are taken, which rows are refused and how."""

import gzip
import json
import os

import numpy as np
import pytest
from pycocotools import mask as peer
from pycocotools.coco import COCO

from vesica import InputError, RleMasks
from vesica._kernels.native import coco_file
from vesica.io import archives, files
from vesica.io.coco import dataset_of, is_coco, run_lengths

RUNS = {"size": [5, 5], "counts": "71320N4"}
PLAIN = {"size": [5, 5], "counts": [7, 1, 3, 3, 3, 1, 7]}

TAKEN = [
    pytest.param([RUNS, PLAIN], [RUNS, PLAIN], id="bare"),
    pytest.param([{"image_id": 3, "score": 0.5, "segmentation": RUNS}], [RUNS], id="results"),
    pytest.param({"images": [], "annotations": [{"id": 0, "segmentation": PLAIN}]}, [PLAIN], id="truth"),
    pytest.param([RUNS, {"segmentation": PLAIN}], [RUNS, PLAIN], id="mixed"),
    pytest.param({"annotations": []}, [], id="none"),
]

REFUSED = [
    (RUNS, r"a.json has one mask by itself; write a list of one: \[{"),
    ({"annotations": {}}, '"annotations" must be a list; got dict'),
    ([RUNS, 7], "a.json, annotation 1 must be an object; got int"),
    ([{"segmentation": [[0, 0, 4, 0, 4, 4]]}], "a.json, annotation 0 is a polygon. Only run lengths are read so far"),
    ([RUNS, {"segmentation": []}], "annotation 1 is a polygon"),
    ([{"segmentation": {"counts": [25]}}], 'run lengths have "size" and "counts"; "size" is missing'),
    ([{"segmentation": {"size": [5, 5]}}], '"counts" is missing'),
    ([{"counts": [25]}], '"size" is missing'),
    ([{"bbox": [1, 1, 3, 3]}], 'has a "bbox" and no "segmentation".*--form xywh'),
    ([{"id": 5}], 'annotation 0 has no "segmentation" of run lengths'),
]


class TestRunLengths:
    @pytest.mark.parametrize("value, want", TAKEN)
    def test_value(self, value, want):
        assert is_coco(value) and run_lengths(value, "a.json") == want

    @pytest.mark.parametrize("value, message", REFUSED)
    def test_refused(self, value, message):
        assert is_coco(value)
        with pytest.raises(InputError, match=message):
            run_lengths(value, "a.json")

    @pytest.mark.parametrize("value", [[], [[1, 2, 3, 4]], {"boxes": [[1, 2, 3, 4]]}, {}, 7, "text", None])
    def test_is_not_coco(self, value):
        assert not is_coco(value)

    def test_from_pycocotools(self):
        """What pycocotools writes is read as the masks it came from."""
        masks = np.random.default_rng(0).random((20, 7, 9)) < 0.4
        encoded = peer.encode(np.asfortranarray(masks.transpose(1, 2, 0).astype(np.uint8)))
        text = json.dumps([{"size": one["size"], "counts": one["counts"].decode()} for one in encoded])
        found = RleMasks.from_coco(run_lengths(json.loads(text), "a.json"))
        assert np.array_equal(found.to_masks().array, masks)


class TestBrokenOff:
    """A text that ends too early, wherever that is and however it is cut into blocks."""

    TEXT = (
        b'{"images": [{"id": 1, "height": 9, "width": 9} , {"id": 2}], "categories": [ ], "annotations": [ '
        b'{"id": 1, "image_id": 1, "category_id": 3, "bbox": [1, 2, 3, 4]},  {"id": 2, "image_id": 2}]}'
    )

    @pytest.mark.parametrize("text", [TEXT, TEXT[95:-1]], ids=["truths", "results"])
    def test_every_place(self, text):
        for length in range(1, len(text)):
            data = np.frombuffer(text[:length], np.uint8)
            whole = coco_file.read(data)
            assert isinstance(whole, coco_file.Problem) and whole.at <= length
            assert all(coco_file.read(data, block=block, threads=2) == whole for block in (1, 2, 7, 40)), text[:length]

    @pytest.mark.parametrize("text", ["[", "[ ", '{"images": [', '{"annotations": [', '{"images": [{"id": 1}, '])
    def test_before_a_record(self, text):
        found = coco_file.read(np.frombuffer(text.encode(), np.uint8))
        assert isinstance(found, coco_file.Problem) and (found.fault, found.at) == ("end", len(text))


ROW = {"image_id": 139, "category_id": 18, "bbox": [10, 20, 30.5, 40], "score": 0.25}
TRUTH = {
    "info": {"annotations": [{"image_id": 5}]},
    "images": [
        {"id": 285, "height": 480, "width": 640, "file_name": "a é.jpg", "neg_category_ids": [3], "x": [1, "}"]},
        {"id": 139, "height": 20, "width": 30, "neg_category_ids": []},
        {"id": "b", "height": 5.0, "width": 5, "file_name": "b.jpg"},
    ],
    "annotations": [
        {"id": 7, "image_id": 139, "category_id": 18, "bbox": [1, 2, 3, 4], "area": 9.5, "iscrowd": 0,
         "segmentation": [[1, 2, 4, 2, 4, 6]]},
        {"id": 2, "image_id": "b", "category_id": 1, "bbox": [0, 0, 5, 5], "segmentation": PLAIN, "iscrowd": 1},
        {"id": 0, "image_id": 139, "category_id": 1, "bbox": [0, 0, 1, 1], "ignore": 1},
    ],
    "categories": [{"id": 18, "name": "dog", "supercategory": "animal"}, {"id": 1, "name": "person"}, {"id": 90}],
}  # fmt: skip


@pytest.fixture
def written(tmp_path):
    """A value, or bytes, as a file."""

    def write(value, name="a.json"):
        path = tmp_path / name
        path.write_bytes(value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode())
        return path

    return write


class TestTruths:
    def test_columns(self, written):
        data = dataset_of(written(TRUTH))
        assert repr(data) == "Dataset(3 objects in 3 images, 3 categories)"
        assert data.images.ids.tolist() == [285, 139, "b"] and data.image.tolist() == [1, 2, 1]
        assert data.images.height.tolist() == [480, 20, 5] and data.images.width.tolist() == [640, 30, 5]
        assert data.images.names.tolist() == ["a é.jpg", None, "b.jpg"]
        assert data.images.absent.values.tolist() == [3] and data.images.absent.offsets.tolist() == [0, 1, 1, 1]
        assert data.images.partial is None
        assert data.categories.ids.tolist() == [18, 1, 90] and data.category.tolist() == [0, 1, 1]
        assert data.categories.names.tolist() == ["dog", "person", None]
        assert data.categories.parents.tolist() == ["animal", None, None] and data.categories.frequency is None
        assert data.xywh.tolist() == [[1, 2, 3, 4], [0, 0, 5, 5], [0, 0, 1, 1]]
        assert data.area[0] == 9.5 and np.isnan(data.area[1:]).all()
        assert data.crowd.tolist() == [False, True, False] and data.ignore.tolist() == [False, False, True]
        assert data.id.tolist() == [7, 2, 0] and data.score is None

    def test_segments(self, written):
        segments = dataset_of(written(TRUTH)).segments
        assert segments.form.tolist() == [1, 1, 0] and segments.size.tolist() == [[20, 30], [5, 5], [20, 30]]
        assert [json.loads(text) for text in segments.written() if text] == [[[1, 2, 4, 2, 4, 6]], PLAIN]
        assert dataset_of(written(TRUTH), masks=False).segments is None

    def test_notes(self, written):
        assert dataset_of(written(TRUTH)).notes == (
            '"area" is missing in 2 of 3 annotations: the area of the region is taken',
            '"iscrowd" is missing in 1 of 3 annotations: 0 is taken',
        )

    def test_none(self, written):
        data = dataset_of(written({"images": [{"id": 1}], "annotations": [], "categories": []}))
        assert len(data) == 0 and len(data.images) == 1 and data.xywh.shape == (0, 4) and data.notes == ()

    def test_without_tables(self, written):
        data = dataset_of(written({"annotations": TRUTH["annotations"]}))
        assert data.images.ids.tolist() == [139, "b"] and data.categories.ids.tolist() == [1, 18]

    def test_ids_of_every_kind(self, written):
        ids = [3.0, "3", 2**70, -(2**70), 'é"', -1, "\ud800"]
        rows = [{"id": own, "image_id": own, "category_id": 1, "bbox": [0, 0, 1, 1]} for own in ids]
        data = dataset_of(written(json.dumps({"annotations": rows}).encode()))
        want = [3, "3", 2**70, -(2**70), 'é"', -1, "\ud800"]
        assert data.id.tolist() == want and data.images.ids[data.image].tolist() == want
        assert data.images.ids.tolist() == [-1, 3, -(2**70), 2**70, "3", 'é"', "\ud800"]

    def test_as_pycocotools(self, written, capsys):
        """The index of pycocotools has the same annotations of the same images, in the same order."""
        path = written({key: value if key != "images" else value[:2] for key, value in TRUTH.items()} | {
            "annotations": [row for row in TRUTH["annotations"] if row["image_id"] == 139]})  # fmt: skip
        theirs, ours = COCO(str(path)), dataset_of(path)
        assert [[row["id"] for row in theirs.imgToAnns[image]] for image in ours.images.ids.tolist()] == [
            ours.id[ours.image == place].tolist() for place in range(len(ours.images))
        ]
        assert sorted(theirs.getCatIds()) == sorted(ours.categories.ids.tolist())

    def test_unknown_ids_without_check(self, written):
        rows = [{**ROW, "id": 0}, {**ROW, "id": 1, "image_id": 5}, {**ROW, "id": 2, "category_id": 5}, {"id": 3}]
        data = dataset_of(written({**TRUTH, "annotations": rows}), check=False)
        assert data.id.tolist() == [0] and data.notes[-1] == "3 rows of unknown images or categories were left out"


class TestResults:
    def test_columns(self, written):
        rows = [
            ROW,
            {**ROW, "image_id": 7, "category_id": 2, "score": 1},
            {**ROW, "image_id": 139.0, "id": 5, "area": 3},
        ]
        data = dataset_of(written(rows))
        assert repr(data) == "Dataset(3 guesses in 2 images, 2 categories)"
        assert data.images.ids.tolist() == [7, 139] and data.image.tolist() == [1, 0, 1]
        assert data.categories.ids.tolist() == [2, 18] and data.category.tolist() == [1, 0, 1]
        assert data.score.tolist() == [0.25, 1, 0.25] and data.id is None and data.area is None and data.notes == ()

    def test_masks(self, written):
        data = dataset_of(written([{"image_id": 1, "category_id": 1, "score": 0.5, "segmentation": RUNS}, ROW]))
        assert data.segments.form.tolist() == [1, 0] and data.segments.size.tolist() == [[0, 0], [0, 0]]
        assert np.isnan(data.xywh[0]).all() and data.xywh[1].tolist() == ROW["bbox"]

    def test_none(self, written):
        data = dataset_of(written([]))
        assert repr(data) == "Dataset(0 guesses in 0 images, 0 categories)"

    def test_nothing_is_kept_of_the_file(self, written):
        path = written([{**ROW, "segmentation": RUNS}] * 20_000)
        data = dataset_of(path)
        path.write_bytes(b"")
        assert set(data.segments.written()) == {json.dumps(RUNS).encode()}


BAD_ROWS = [
    ({"score": float("nan")}, 'has a "score" that is not finite: nan'),
    ({"score": None}, 'has no "score"'),
    ({"image_id": None}, 'has no "image_id"'),
    ({"bbox": [1, 2, float("inf"), 4]}, r'has a "bbox" that is not finite: \[1, 2, inf, 4\]'),
    ({"bbox": [10, 20, -3, 5]}, r'has a "bbox" of negative width or height: \[10, 20, -3, 5\].*corners x1, y1, x2, y2'),
    ({"bbox": [0, 0, 1e200, 1e200]}, r'has a "bbox" whose area overflows: \[0, 0, 1e\+200, 1e\+200\]'),
    ({"area": float("-inf")}, 'has an "area" that is not finite: -inf'),
    ({"bbox": []}, 'has neither a "bbox" nor a "segmentation"'),
]


class TestRefused:
    @pytest.mark.parametrize("change, message", BAD_ROWS)
    def test_row(self, written, change, message):
        rows = [ROW, {**ROW, **change}, ROW]
        at = len(json.dumps([ROW]))  # the bracket that closes it is as long as the space before the next
        with pytest.raises(InputError, match=rf"a\.json: row 1 at byte {at + 1} " + message):
            dataset_of(written(rows))
        assert len(dataset_of(written(rows), check=False)) in (2, 3)

    @pytest.mark.parametrize(
        "change, message",
        [
            ({"id": 7}, 'annotation 1 at byte .* has the "id" 7 of annotation 0'),
            ({"image_id": 5}, 'annotation 1 at byte .* has the "image_id" 5, which is not among the 3 images'),
            ({"category_id": "x"}, 'has the "category_id" "x", which is not among the 3 categories'),
            ({"iscrowd": 2}, 'annotation 1 at byte .*: "iscrowd" must be 0 or 1; got 2'),
            ({"bbox": [1, 2, 3]}, 'annotation 1 at byte .*: "bbox" must be four numbers: x, y, width, height; got 3'),
            ({"image_id": [1]}, r'"image_id" must be a whole number or a string; got \[1\]'),
        ],
    )
    def test_annotation(self, written, change, message):
        rows = [dict(row) for row in TRUTH["annotations"]]
        rows[1].update(change)
        with pytest.raises(InputError, match=message):
            dataset_of(written({**TRUTH, "annotations": rows}))

    @pytest.mark.parametrize(
        "data, message",
        [
            (b"", "file ends too early, at byte 0"),
            (b'[{"score": 1}, {"sco', "file ends inside row 1 at byte 20"),
            (b'{"annotations": [{}, {"a": "', "file ends inside annotation 1 at byte 28"),
            (b"7", "COCO is an object with lists, or a list of results; got 7"),
            (b'{"info": 1}', 'has no "annotations"'),
            (b'{"images": {}, "annotations": []}', r'"images" must be a list; got {} at byte 11'),
            (b'{"images": [{"id": 1}, {"id": 1}], "annotations": []}', 'image 1 at byte 23 has the "id" of image 0'),
            (
                b'{"images": [{"id": []}], "annotations": []}',
                r'image 0 at byte 19: "id" must be a whole number or a str',
            ),
            (b'[{"a": 1} {"b": 2}]', 'row 1 at byte 10: no JSON: unexpected {"b": 2}'),
            (b'[{"a": "\x07"}]', "row 0 at byte 8: no JSON: a control character inside a string"),
            (b"[" * 100, "row 0 at byte 64: no JSON: nesting deeper than 64"),
            (b"\xff\xfe[\x00]\x00", "no JSON: unexpected"),
            (b'[{"id": 1}]]', "byte 11: no JSON: something follows the end"),
            (b'[{"width": 1, "area": "' + b"x" * 99 + b'"}]', '"area" must be a number; got "x{38}…'),
        ],
    )
    def test_text(self, written, data, message):
        with pytest.raises(InputError, match=message):
            dataset_of(written(data))


class TestFiles:
    @pytest.fixture
    def rows(self):
        return [{**ROW, "image_id": k, "score": k / 20_000} for k in range(20_000)]

    def test_large(self, written, rows):
        """Several threads read a large file, and its bytes are those that are there."""
        path = written(rows)
        file = files.load(path)
        assert os.path.getsize(path) > 1 << 20 and file.data == path.read_bytes()
        for threads in (1, 3):
            ours = dataset_of(file, threads=threads)
            assert ours.score.tobytes() == np.array([k["score"] for k in rows]).tobytes()

    def test_gzip(self, written, rows, monkeypatch):
        packed = gzip.compress(json.dumps(rows).encode())
        assert len(dataset_of(written(packed, "a.json.gz"))) == len(rows)
        with pytest.raises(InputError, match="packed by gzip, and broken"):
            dataset_of(written(packed[:-20], "b.json.gz"))
        bomb = gzip.compress(b"[" + b" " * (32 << 20) + b"]")
        with pytest.raises(InputError, match="expands more than 200:1"):
            dataset_of(written(bomb, "c.json.gz"))
        monkeypatch.setattr(archives, "MOST", 1 << 20)
        with pytest.raises(InputError, match="expands to more than"):
            dataset_of(written(packed, "a.json.gz"))

    def test_byte_order_mark(self, written):
        assert len(dataset_of(written(b"\xef\xbb\xbf" + json.dumps([ROW]).encode()))) == 1

    def test_absent(self):
        with pytest.raises(InputError, match=r"nowhere\.json cannot be read: No such file"):
            dataset_of("nowhere.json")
