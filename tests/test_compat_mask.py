"""The mask functions of the stand-in for pycocotools, beside pycocotools itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from vesica.compat import mask as our_mask

pytest.importorskip("pycocotools")
from pycocotools import mask as their_mask

from beside import same

# What pycocotools itself does with NumPy 2.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


@st.composite
def stacks(draw):
    """(H, W, N) masks with runs of all lengths."""
    height, width, count = draw(st.integers(1, 9)), draw(st.integers(1, 9)), draw(st.integers(1, 5))
    bits = draw(st.lists(st.booleans(), min_size=height * width * count, max_size=height * width * count))
    stack = np.reshape(np.array(bits, np.uint8), (height, width, count))
    return np.asfortranarray(np.cumsum(stack, axis=0, dtype=np.uint8) % 2 if draw(st.booleans()) else stack)


coordinates = st.one_of(st.integers(-3, 14), st.floats(-4, 20, allow_nan=False, width=32)).map(float)
wild = st.one_of(coordinates, st.sampled_from([np.nan, np.inf, -np.inf, 1e-300, 1e300]))
tables = st.lists(st.lists(coordinates, min_size=4, max_size=4), min_size=1, max_size=6)


class TestMask:
    @given(stacks())
    def test_one_stack(self, stack):
        found = their_mask.encode(stack)
        same(our_mask.encode(stack), found)
        same(our_mask.encode(stack[:, :, 0]), found[0])
        same(our_mask.encode(np.ascontiguousarray(stack).astype(bool)), found)
        for name in ("decode", "area", "toBbox"):
            for given_ in (found, found[0], [dict(found[0], counts=found[0]["counts"].decode())]):
                same(getattr(our_mask, name)(given_), getattr(their_mask, name)(given_), name)
        for intersect in (0, 1, True):
            same(our_mask.merge(found, intersect), their_mask.merge(found, intersect))

    @pytest.mark.parametrize("pixels", [1, 63, 64, 65, 127, 128, 4095, 4096, 4097, 8191, 8192, 8193, 40_000])
    @pytest.mark.parametrize("fill", ["none", "all", "noise", "ends", "every second"])
    def test_encode(self, pixels, fill):
        """Where words and pages of bits begin and end; in every memory order and dtype of bytes."""
        rng = np.random.default_rng(pixels)
        flat = {
            "none": np.zeros(pixels, np.uint8),
            "all": np.ones(pixels, np.uint8),
            "noise": (rng.random(pixels) < 0.5).astype(np.uint8),
            "ends": np.eye(1, pixels, 0, dtype=np.uint8)[0] | np.eye(1, pixels, pixels - 1, dtype=np.uint8)[0],
            "every second": (np.arange(pixels) % 2).astype(np.uint8),
        }[fill]
        for height in {1, pixels, next(side for side in (7, 3, 2, 1) if pixels % side == 0)}:
            array = np.reshape(flat, (height, -1), order="F")
            stack = np.asfortranarray(np.stack([array, 1 - array, array], axis=2))
            found = their_mask.encode(np.asfortranarray(array))
            for other in (array, np.ascontiguousarray(array), array.astype(bool), array * 255, array.astype(np.int64)):
                assert our_mask.encode(other) == found
            assert our_mask.encode(stack) == our_mask.encode(np.ascontiguousarray(stack)) == their_mask.encode(stack)
            assert our_mask.encode(stack[::-1, :, ::2]) == their_mask.encode(np.asfortranarray(stack[::-1, :, ::2]))

    def test_encode_takes_the_short_way(self, monkeypatch):
        """Bytes by column, as pycocotools wants them, are not packed first."""

        def broken(*_, **__):
            raise AssertionError("packed")

        monkeypatch.setattr("vesica._native.masks_pack", broken)
        small, large = np.ones((9, 9), bool), np.ones((300, 300), np.uint8)
        for array in (small, np.asfortranarray(large), np.ones((9, 9, 2), np.uint8, order="F")):
            our_mask.encode(array)
        with pytest.raises(AssertionError, match="packed"):
            our_mask.encode(large)

    @given(stacks(), stacks(), st.data())
    def test_iou_of_masks(self, a, b, data):
        """Also of masks of several sizes."""
        a, b = (their_mask.encode(stack) for stack in (a, b))
        crowd = data.draw(st.lists(st.integers(0, 1), min_size=len(a) + len(b), max_size=len(a) + len(b)))
        same(our_mask.iou(a, b + a, crowd), their_mask.iou(a, b + a, crowd))

    @given(st.lists(st.lists(wild, min_size=4, max_size=4), min_size=1, max_size=6), tables, st.data())
    def test_iou_of_boxes(self, a, b, data):
        crowd = data.draw(st.lists(st.integers(0, 1), min_size=len(b), max_size=len(b)))
        same(our_mask.iou(a, b, crowd), their_mask.iou(a, b, crowd))
        a, b, crowd = np.array(a), np.array(b, np.float32), np.array(crowd, np.uint8)
        same(our_mask.iou(a, b, crowd), their_mask.iou(a, b.astype(float), crowd))

    @given(st.lists(st.lists(coordinates, min_size=2, max_size=12), min_size=1, max_size=5), st.integers(1, 20))
    def test_polygons(self, polygons, side):
        polygons.insert(0, [0, 0, 3, 0, 3.5, 3])
        same(our_mask.frPyObjects(polygons, side, 12), their_mask.frPyObjects(polygons, side, 12))

    @given(tables, st.integers(1, 20))
    def test_boxes(self, boxes, side):
        same(our_mask.frPyObjects(np.array(boxes), side, 12), their_mask.frPyObjects(np.array(boxes), side, 12))

    @given(st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=9), min_size=1, max_size=4), st.booleans())
    def test_counts(self, lists, leading):
        rles = [{"size": [1, sum(one)], "counts": [0, *one] if leading else one} for one in lists]
        same(our_mask.frPyObjects(rles, 4, 4), their_mask.frPyObjects(rles, 4, 4))
        same(our_mask.frPyObjects(rles[0], 4, 4), their_mask.frPyObjects(rles[0], 4, 4))

    @pytest.mark.parametrize(
        "name, arguments",
        [
            ("encode", (np.zeros((4, 6, 0), np.uint8, order="F"),)),
            ("encode", (np.zeros((0, 6), np.uint8, order="F"),)),
            ("area", ([],)),
            ("toBbox", ([],)),
            ("merge", ([],)),
            ("merge", ([{"size": [2, 2], "counts": b"04"}, {"size": [1, 4], "counts": b"04"}],)),
            ("iou", ([], [], [])),
            ("iou", ([], [[0, 0, 1, 1]], [0])),
            ("iou", (np.zeros((0, 4)), np.zeros((1, 4)), [0])),
            ("iou", ([{"size": [2, 2], "counts": b"04"}], [{"size": [1, 4], "counts": b"04"}], [0])),
        ],
    )
    def test_edge(self, name, arguments):
        same(getattr(our_mask, name)(*arguments), getattr(their_mask, name)(*arguments))

    def test_many(self):
        """Where pycocotools overflows."""
        assert our_mask.area([{"size": [2, 2], "counts": b"04"}] * 300).tolist() == [4] * 300

    def test_large(self):
        huge = our_mask.frPyObjects({"size": [70_000, 70_000], "counts": [0, 70_000**2]}, 1, 1)
        assert our_mask.area(huge) == 70_000**2

    @given(st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=9), min_size=2, max_size=5), st.booleans())
    def test_empty_runs(self, lists, crowd):
        """Runs of length 0 keep their place in the string, and in `iou` they do what they do there."""
        total = max(1, *map(sum, lists))
        rles = [{"size": [1, total], "counts": [*one, total - sum(one)]} for one in lists]
        found = our_mask.frPyObjects(rles, 1, 1)
        same(found, their_mask.frPyObjects(rles, 1, 1))
        same(our_mask.area(found), their_mask.area(found))
        same(our_mask.decode(found), their_mask.decode(found))
        flags = [int(crowd)] * len(found)
        same(our_mask.iou(found, found, flags), their_mask.iou(found, found, flags))

    def test_empty_runs_end_a_comparison(self):
        """The answer is wrong, and theirs: 5/7 is right."""
        rles = [{"size": [2, 5], "counts": counts} for counts in ([2, 3, 0, 4, 1], [2, 3, 0, 2, 3])]
        found = our_mask.frPyObjects(rles, 2, 5)
        assert our_mask.iou(found[:1], found[1:], [0]) == 1
        assert our_mask.area(our_mask.merge(found, 1)) == 5 and our_mask.area(our_mask.merge(found)) == 7

    def test_short_counts(self):
        """Where pycocotools does not come back."""
        short = our_mask.frPyObjects({"size": [2, 5], "counts": [2, 3]}, 2, 5)
        whole = our_mask.encode(np.ones((2, 5), np.uint8, order="F"))
        assert short == {"size": [2, 5], "counts": b"23"} and our_mask.area(short) == 3
        assert our_mask.toBbox(short).tolist() == [1, 0, 2, 2] and our_mask.decode(short).sum() == 3
        assert our_mask.area(our_mask.merge([short, whole], 1)) == 3
        with pytest.raises(vesica.InputError, match=r"`dt`, row 0: `counts` end early, and pycocotools would never"):
            our_mask.iou([short], [whole], [0])

    def test_values_beyond_one(self):
        values = np.array([[0, 1, 2], [0, 255, 1]], np.uint8, order="F")
        assert our_mask.area(our_mask.encode(values)) == 4

    @pytest.mark.parametrize(
        "call, error, message",
        [
            (lambda m: m.decode({"size": [2, 2], "counts": b"07"}), ValueError, "must not exceed the 4 pixels"),
            (lambda m: m.area({"size": [2, 2], "counts": b"07"}), ValueError, "must not exceed the 4 pixels"),
            (lambda m: m.decode([]), ValueError, "no image size is known"),
            (lambda m: m.area({"size": [2, 2]}), TypeError, '`rleObjs` mask 0 must be a dict of "size" and "counts"'),
            (lambda m: m.merge({"size": [2, 2], "counts": b"4"}), TypeError, "must be a list of dicts"),
            (lambda m: m.encode(np.zeros(4, np.uint8)), ValueError, r"`bimask` must have shape .* got \(4,\)"),
            (lambda m: m.frPyObjects([[1, 2, 3, 4]], 9, 9), TypeError, "may be a box or a line"),
            (lambda m: m.frPyObjects([], 9, 9), IndexError, "out of range"),
            (lambda m: m.frPyObjects([[]], 9, 9), TypeError, "`pyobj` must be a list of polygons"),
            (lambda m: m.frPyObjects("x", 9, 9), TypeError, "`pyobj` must be a list of polygons"),
            (lambda m: m.frPyObjects([[0, 0, 3, 0, 3, 3], ["a"]], 9, 9), TypeError, "`pyobj` polygon 1 must be"),
            (lambda m: m.frPyObjects({"size": [2, 2], "counts": b"4"}, 2, 2), TypeError, "encoded already"),
            (lambda m: m.iou([[0, 0, 1, 1]], [[0, 0, 1, 1]], []), ValueError, "each of the 1 truths"),
            (lambda m: m.iou([[0, 0, 1]], [[0, 0, 1, 1]], [0]), TypeError, r"`dt` must be boxes of shape \(N, 4\)"),
            (lambda m: m.iou([[0, 0, 1, 1]], [{"size": [2, 2], "counts": b"4"}], [0]), TypeError, "one of each"),
        ],
    )
    def test_errors(self, call, error, message):
        with pytest.raises(error, match=message):
            call(our_mask)
