"""COCO's JSON: which values are taken, which rows are refused and how."""

import json

import numpy as np
import pytest
from pycocotools import mask as peer

from vesica import InputError, RleMasks
from vesica._kernels.native import columns
from vesica.io.coco import is_coco, run_lengths

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
            whole = columns.read(data)
            assert isinstance(whole, columns.Problem) and whole.at <= length
            assert all(columns.read(data, block=block, threads=2) == whole for block in (1, 2, 7, 40)), text[:length]

    @pytest.mark.parametrize("text", ["[", "[ ", '{"images": [', '{"annotations": [', '{"images": [{"id": 1}, '])
    def test_before_a_record(self, text):
        found = columns.read(np.frombuffer(text.encode(), np.uint8))
        assert isinstance(found, columns.Problem) and (found.fault, found.at) == ("end", len(text))
