"""Boxes: forms, round trips, dtypes, clipping, and what is refused."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from vesica import Boxes, SizeValueError, iou, nms
from vesica._array import contiguous

both_ways = pytest.mark.usefixtures("both_ways")

PIXELS = [[10, 20, 40, 60]]
FORMS = [
    ("xyxy", [[10, 20, 40, 60]]),
    ("xywh", [[10, 20, 30, 40]]),
    ("cxcywh", [[25, 40, 30, 40]]),
    ("yxyx", [[20, 10, 60, 40]]),
    ("xyxy_inclusive", [[10, 20, 39, 59]]),
]


@pytest.mark.parametrize("form, rows", FORMS)
class TestForms:
    def test_to_corners(self, xp, form, rows):
        boxes = Boxes(xp(rows), form)
        assert xp.back(boxes.xyxy).tolist() == PIXELS

    def test_from_corners(self, xp, form, rows):
        assert xp.back(Boxes(xp(PIXELS)).to(form)).tolist() == rows

    def test_given_form_comes_back_as_it_is(self, xp, form, rows):
        array = xp(rows)
        assert Boxes(array, form).to(form) is array

    def test_integers_stay_exact(self, form, rows):
        corners = Boxes(np.array(rows, "int32"), form).xyxy
        assert corners.tolist() == PIXELS
        assert corners.dtype == (np.float64 if form == "cxcywh" else np.int64 if form != "xyxy" else np.int32)

    def test_input_is_not_written_to(self, form, rows):
        array = np.array(rows, float)
        array.setflags(write=False)
        boxes = Boxes(array, form)
        assert boxes.clip(30, 30).area.tolist() == [200.0]
        assert array.tolist() == rows


class TestRoundTrip:
    @given(strategies.tables(dtype="int64"), st.sampled_from(["xywh", "yxyx", "xyxy_inclusive", "cxcywh"]))
    def test_integers_exact(self, rows, form):
        there = Boxes(rows).to(form)
        assert np.array_equal(Boxes(there, form).xyxy, rows)

    @given(strategies.tables(dtype="float64"), st.sampled_from(["xywh", "yxyx", "cxcywh"]))
    def test_floats_within_an_ulp(self, rows, form):
        back = Boxes(Boxes(rows).to(form), form, check=False).xyxy
        largest = np.abs(rows).max(axis=1, keepdims=True, initial=0)
        assert np.all(np.abs(back - rows) <= np.spacing(largest))

    @given(strategies.tables(dtype="float64"))
    def test_normalised(self, rows):
        shares = Boxes(rows).to("xyxy", normalised=(640, 480))
        back = Boxes(shares, normalised=(640, 480), check=False).xyxy
        assert np.all(np.abs(back - rows) <= np.spacing(np.abs(rows)))

    def test_inclusive_has_no_shares(self):
        with pytest.raises(ValueError, match="`normalised` does not go with"):
            Boxes(PIXELS).to("xyxy_inclusive", normalised=(640, 480))

    def test_normalised_integers_become_floats(self):
        assert Boxes([[0, 0, 1, 1]], normalised=(640, 480)).xyxy.tolist() == [[0.0, 0.0, 640.0, 480.0]]


@both_ways
class TestDtypes:
    def test_uint8_area_does_not_wrap(self, xp):
        assert int(xp.back(Boxes(xp([[0, 0, 200, 200]], "uint8")).area)[0]) == 40_000

    def test_uint8_iou_does_not_wrap(self, xp):
        a, b = xp([[0, 0, 9, 9]], "uint8"), xp([[200, 0, 209, 9]], "uint8")
        assert xp.back(iou(a, b)).tolist() == [[0.0]]

    def test_int16_area(self):
        assert Boxes(np.array([[0, 0, 30_000, 30_000]], "int16")).area.tolist() == [900_000_000]

    def test_float16_area_is_finite(self):
        area = Boxes(np.array([[0, 0, 300, 300]], "float16")).area
        assert area.dtype == np.float32 and area.tolist() == [90_000.0]

    def test_supervision_2485_int32_does_not_overflow(self):
        from vesica import overlap

        a, b = np.array([[0, 0, 60_000, 60_000]], "int32"), np.array([[30_000, 0, 90_000, 60_000]], "int32")
        assert iou(a, b)[0, 0] == 1 / 3 and overlap(a, b)[0, 0] == 1 / 2

    @pytest.mark.parametrize(
        "left, right, want",
        [
            ("float16", "float16", "float16"),
            ("float32", "float32", "float32"),
            ("float64", "float64", "float64"),
            ("float16", "float32", "float32"),
            ("float32", "float64", "float64"),
            ("int32", "int64", "float64"),
            ("uint8", "float32", "float64"),
        ],
    )
    def test_dtype_of_the_answer(self, left, right, want):
        answer = iou(np.array(PIXELS, left), np.array(PIXELS, right))
        assert answer.dtype == want and answer.tolist() == [[1.0]]

    def test_bfloat16(self):
        torch = pytest.importorskip("torch")
        answer = iou(
            torch.tensor([[0, 0, 4, 4]], dtype=torch.bfloat16), torch.tensor([[0, 0, 4, 2]], dtype=torch.bfloat16)
        )
        assert answer.dtype == torch.bfloat16 and answer.tolist() == [[0.5]]

    def test_half_precision_in_blocks(self, monkeypatch):
        monkeypatch.setattr("vesica._kernels.native._BLOCK", 7)
        rng = np.random.default_rng(0)
        corner = rng.uniform(0, 50, (9, 2))
        rows = np.concatenate([corner, corner + rng.uniform(1, 30, (9, 2))], axis=1).astype("float16")
        assert np.array_equal(iou(rows, rows), iou(rows.astype("float32"), rows.astype("float32")).astype("float16"))


@both_ways
class TestValues:
    def test_inclusive_pixel_with_itself(self):
        assert iou(Boxes([[2, 3, 2, 3]], "xyxy_inclusive"), Boxes([[2, 3, 2, 3]], "xyxy_inclusive")).tolist() == [[1.0]]

    def test_inclusive_empty_is_legal(self):
        assert Boxes([[5, 0, 4, 9]], "xyxy_inclusive").area.tolist() == [0]

    def test_cxcywh_integers_have_halves(self):
        boxes = Boxes(np.array([[1, 1, 1, 1]]), "cxcywh")
        assert boxes.xyxy.tolist() == [[0.5, 0.5, 1.5, 1.5]] and boxes.xyxy.dtype == np.float64

    def test_zero_area_is_legal(self, xp):
        assert xp.back(Boxes(xp([[1, 1, 1, 5]])).area).tolist() == [0.0]

    def test_unchecked_inverted_box_is_empty(self, xp):
        inverted = Boxes(xp([[3, 3, 1, 1]]), check=False)
        assert xp.back(inverted.area).tolist() == [0.0]
        assert xp.back(iou(inverted, Boxes(xp([[0, 0, 4, 4]])))).tolist() == [[0.0]]

    def test_unchecked_nan_stays_nan(self, xp):
        strange = Boxes(xp([[np.nan, 0, 1, 1]]), check=False)
        assert np.isnan(xp.back(iou(strange, Boxes(xp([[0, 0, 4, 4]]))))).all()

    def test_a_hair_outside_the_image_is_legal(self):
        """albumentations#459: real coordinates are legal, and clipping is asked for."""
        boxes = Boxes([[-1e-7, 0, 1 + 1e-7, 0.5]], normalised=(100, 100))
        assert boxes.xyxy[0, 2] > 100 and boxes.clip(100, 100).xyxy.tolist() == [[0, 0, 100, 50]]


@both_ways
class TestHalfPrecision:
    """Other forms are widened: what float16 cannot hold must not become infinite, nor round."""

    def test_sum_beyond_the_type(self):
        boxes = Boxes(np.array([[60_000, 0, 60_000, 1]], "float16"), "xywh")
        assert boxes.xyxy.dtype == np.float32 and boxes.xyxy[0, 2] == 120_000
        assert boxes.clip(100_000, 10).xyxy[0, 2] == 100_000

    def test_clipping_nothing_changes_nothing(self):
        boxes = Boxes(np.array([[0, 0, 2048, 2048]], "float16"), "xyxy_inclusive")
        assert boxes.area.tolist() == boxes.clip(4000, 4000).area.tolist() == [2049.0**2]

    def test_measures_keep_the_given_dtype(self):
        boxes = Boxes(np.array([[0, 0, 8, 8]], "float16"), "xywh").clip(4, 4)
        assert iou(boxes, boxes).dtype == np.float16 and iou(boxes[0], boxes).dtype == np.float16


class TestCopies:
    @pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
    def test_are_the_same(self, copied):
        boxes = Boxes(np.array([[10, 20, 30, 40]], "float16"), "xywh").clip(35, 90)
        other = copied(boxes)
        assert other.xyxy.tolist() == [[10, 20, 35, 60]] and (other.form, other.dtype) == ("xyxy", "float16")


class TestClip:
    def test_value(self, xp):
        boxes = Boxes(xp([[-5, 2, 3, 4], [20, 0, 30, 9], [1, 1, 2, 2]])).clip(10, 8)
        assert xp.back(boxes.xyxy).tolist() == [[0, 2, 3, 4], [10, 0, 10, 8], [1, 1, 2, 2]]

    def test_keeps_integers(self):
        assert Boxes([[-5, 2, 3, 4]]).clip(10, 8).xyxy.dtype == np.int64

    def test_fractional_image_of_integers(self):
        assert Boxes([[0, 0, 9, 9]]).clip(2.5, 4).xyxy.tolist() == [[0, 0, 2.5, 4]]

    def test_bad_size(self):
        with pytest.raises(ValueError, match="`width, height` must be"):
            Boxes(PIXELS).clip(0, 8)


class TestShape:
    def test_empty_list(self):
        assert Boxes([]).xyxy.shape == (0, 4) and len(Boxes([])) == 0

    def test_batch(self, xp):
        assert Boxes(xp(np.zeros((2, 3, 4)))).shape == (2, 3)

    def test_index(self, xp):
        boxes = Boxes(xp([[0, 0, 1, 1], [0, 0, 2, 2], [0, 0, 3, 3]]), "xywh")
        assert xp.back(boxes[1].area).tolist() == [4.0]
        assert xp.back(boxes[:0].area).tolist() == [] and boxes[1:].form == "xywh"

    def test_numpy_gets_corners(self, xp):
        boxes = Boxes(xp([[5, 6, 2, 4]]), "cxcywh")
        assert np.asarray(boxes).tolist() == [[4, 4, 6, 8]] == np.array(boxes).tolist()
        assert np.asarray(boxes, np.float32).dtype == np.float32

    def test_backwards(self, xp):
        boxes = Boxes(xp([[0, 0, 1, 1], [0, 0, 2, 2], [0, 0, 3, 3]]))
        assert xp.back(boxes[::-1].area).tolist() == [9, 4, 1] and xp.back(boxes[::-2].area).tolist() == [9, 1]
        assert len(boxes[:0][::-1]) == 0

    def test_frozen(self):
        with pytest.raises(AttributeError, match="frozen"):
            Boxes(PIXELS).form = "xywh"

    def test_repr(self):
        assert repr(Boxes(PIXELS, "xywh")) == "Boxes(1, 'xywh', numpy int64)"


SAY = [
    ([[0, 0, 1, 1], [3, 3, 1, 4]], {}, r"`boxes` row 1 is inverted: x2 = 1 lies left of x1 = 3\. .*\"xywh\"\)"),
    ([[0, 3, 1, 1]], {}, r"`boxes` row 0 is inverted: y2 = 1 lies above y1 = 3"),
    ([[0.0, 0, 1, 1], [0, np.nan, 1, 1]], {}, r"`boxes` row 1 must be finite; got y1 = nan\. Leave the row out"),
    ([[0, 0, np.inf, 1]], {}, r"`boxes` row 0 must be finite; got x2 = inf"),
    ([[-np.inf, 0, 1, 1]], {}, r"`boxes` row 0 must be finite; got x1 = -inf"),
    ([[0, 0, -2, 4]], {"form": "xywh"}, r"row 0 must not have a negative side; got w = -2\. .*\"xyxy\"\)"),
    ([[0, 0, 2, -4]], {"form": "cxcywh"}, r"row 0 must not have a negative side; got h = -4"),
    ([[5, 0, 3, 9]], {"form": "xyxy_inclusive"}, r"row 0 is inverted: x2 = 3 lies left of x1 = 5 by more than the one"),
    ([[5, 0, 3, 9]], {"form": "yxyx"}, r"row 0 is inverted: y2 = 3 lies above y1 = 5"),
    ([[0, 0, 2**30, 1]], {}, r"row 0 is too large: .*x2 = 1073741824.* pass them as float64"),
    (np.array([[0, 0, 1e30, 1]], "float32"), {}, r"row 0 is too large: .*pass them as float64"),
    ([[0, 0, 1e200, 1]], {}, r"row 0 is too large: .*larger unit of length"),
    ([[0, 0, 1, 1, 0.5]], {}, r"`boxes` must have shape \(…, N, 4\); got \(1, 5\)\. Rotated boxes go to RotatedBoxes"),
    ([0, 0, 1, 1], {}, r"got \(4,\)\. One box is a table of one row"),
    (np.zeros((4, 7)), {}, r"got \(4, 7\)\. The table looks transposed: pass a\.T"),
    (np.zeros((6, 8), int), {}, r"got \(6, 8\)\. A map of labels goes to LabelMap\(a\), rows of x, y, .* to Polygons"),
    (np.zeros((3, 4, 2)), {}, r"Four corners a row go to RotatedBoxes.from_corners"),
    (np.zeros((2, 5, 5), int), {}, r"got \(2, 5, 5\)\. A stack of masks goes to Masks\(a\)"),
    ([[0, 0, 2, 1], [1, 2, 3]], {}, r"rows of one length; got 4 numbers in row 0 and 3 in row 1"),
    (np.array([[0, 0, 2**64 - 1, 4]], "uint64"), {}, r"row 0 is too large: .*x2 = 18446744073709551615"),
    (np.array([[10, 0, 2**64 - 5, 4]], "uint64"), {"form": "xywh"}, r"row 0 is too large: .*w = 18446744073709551611"),
    (np.array([[2**62, 0, 2**62, 4]]), {"form": "xywh"}, r"row 0 is too large"),
    ([[2**30 - 1, 0, 5, 4]], {"form": "xywh"}, r"row 0 is too large: x = 1073741823"),
    ([[1.7e308, 0, 1.7e308, 1]], {"form": "xywh"}, r"row 0 is too large"),
    (np.array([[3e38, 0, 3e38, 1]], "float32"), {"form": "xywh"}, r"row 0 is too large"),
    ([[0, 0, 1e307, 1]], {"normalised": (1000, 1000)}, r"row 0 is too large"),
    ([[np.inf, 0, np.inf, 1]], {"form": "cxcywh"}, r"row 0 must be finite; got cx = inf"),
    ([[0, 0, 1, 1]], {"form": "pascal_voc"}, r"got 'pascal_voc'\. Did you mean \"xyxy\"\?"),
    ([[0, 0, 1, 1]], {"form": "LTWH"}, r"got 'LTWH'\. Did you mean \"xywh\"\?"),
    ([[0, 0, 1, 1]], {"form": "yolo"}, r"got 'yolo'\. Did you mean \"cxcywh\"\?"),
    ([[0, 0, 1, 1]], {"form": "xwyh"}, r"`form` must be one of .*; got 'xwyh'\. Did you mean \"xywh\"\?"),
    ([[0, 0, 1, 1]], {"normalised": (0, 5)}, r"`normalised` must be \(width, height\), both above 0; got \(0, 5\)"),
    ([[0, 0, 1, 1]], {"normalised": 5}, r"`normalised` must be \(width, height\); got 5"),
    ([[0, 0, 1, 1]], {"normalised": (9, 9), "form": "xyxy_inclusive"}, r"`normalised` does not go with"),
]


@both_ways
class TestRefused:
    @pytest.mark.parametrize("rows, options, message", SAY)
    def test_value(self, rows, options, message):
        with pytest.raises(ValueError, match=message):
            Boxes(rows, **options)

    @pytest.mark.parametrize(
        "rows, message",
        [
            (np.zeros((2, 4), bool), r"got bool\. Masks go to Masks\(a\)"),
            (np.zeros((2, 4), complex), "got complex128"),
            ([["a", "b", "c", "d"]], "must hold integers or floats"),
            (["71320N4"], r"Sets of names go to Sets\(a\), strings of COCO to RleMasks"),
            ([{1, 2}], r"Sets go to Sets\(a\)"),
            ({"size": [5, 5], "counts": "0"}, "dicts of COCO into a list"),
            ([[0, 0, 2**70, 1]], "got object. Such a table comes of integers beyond 64 bits"),
            (Boxes(PIXELS), "`boxes` is a Boxes already; use it as it is, or pass its `array`"),
            (
                np.ma.masked_array(np.zeros((1, 4)), mask=[[1, 0, 0, 0]]),
                "must not be a masked array, whose mask would be lost",
            ),
        ],
    )
    def test_kind(self, rows, message):
        with pytest.raises(TypeError, match=message):
            Boxes(rows)

    def test_bad_row_in_a_batch(self):
        rows = np.zeros((2, 3, 4))
        rows[1, 2] = [5, 0, 1, 1]
        with pytest.raises(ValueError, match=r"`boxes` row \(1, 2\) is inverted"):
            Boxes(rows)

    def test_all_libraries_look(self, xp):
        with pytest.raises(ValueError, match="row 1 is inverted"):
            Boxes(xp([[0, 0, 1, 1], [3, 3, 1, 1]]))

    def test_error_names_the_argument(self):
        with pytest.raises(ValueError, match="`b` row 0 is inverted"):
            iou([[0, 0, 1, 1]], [[3, 0, 1, 1]])

    def test_different_rows_when_aligned(self):
        with pytest.raises(SizeValueError, match="same number of rows when aligned; got 2 and 1"):
            iou([[0, 0, 1, 1]] * 2, [[0, 0, 1, 1]], aligned=True)

    def test_different_batches(self):
        with pytest.raises(SizeValueError, match=r"same leading axes; got \(2,\) and \(3,\)"):
            iou(np.zeros((2, 1, 4)), np.zeros((3, 1, 4)))

    def test_two_libraries(self):
        torch = pytest.importorskip("torch")
        with pytest.raises(TypeError, match="one library; got numpy and torch"):
            iou(np.zeros((1, 4)), torch.zeros((1, 4)))

    @pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
    def test_every_row_is_looked_at(self, dtype):
        """Many rows at a time; those before and behind the table are sound."""
        around = np.tile(np.array([1, 2, 3, 4], dtype), (300, 1))
        for row in range(70):
            around[100:170] = [1, 2, 3, 4]
            around[100 + row] = [1, 4, 3, 2]
            with pytest.raises(ValueError, match=f"`boxes` row {row} is inverted: y2 = 2"):
                Boxes(around[100:170])

    @given(strategies.tables(1, 6), st.integers(0, 5), st.integers(0, 3), st.sampled_from([np.nan, np.inf, -np.inf]))
    def test_every_place_is_looked_at(self, rows, row, column, value):
        rows = rows.copy()
        rows[row % len(rows), column] = value
        with pytest.raises(ValueError, match=f"`boxes` row {row % len(rows)} must be finite"):
            Boxes(rows)


@both_ways
@pytest.mark.parametrize(
    "dtype, side, is_refused",
    [
        ("float32", 2.6e-23, False),
        ("float32", 1.1e-19, False),
        ("float64", 1.4e-154, True),
        ("float64", 1.5e-154, False),
    ],
)
def test_the_smallest_areas(dtype, side, is_refused):
    """The bounds that docs/design.md states: what is below is measured in float64, or refused."""
    rows = np.array([[0, 0, side, side]], dtype)
    if is_refused:
        with pytest.raises(ValueError, match="`boxes` row 0 is too small"):
            Boxes(rows)
    else:
        assert iou(rows, rows).tolist() == [[1.0]]


@both_ways
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "i8"])
def test_numbers_that_are_not_aligned(dtype):
    """One packed row is in order, and still no place for its numbers to begin."""
    rows = np.zeros(1, [("tag", "u1"), ("row", dtype, (4,))])
    rows["row"] = [0, 0, 2, 4]
    row = rows["row"]
    assert row.flags.c_contiguous and not row.flags.aligned
    assert contiguous(row).flags.aligned and np.array_equal(contiguous(row), row)
    assert iou(row, Boxes(row)).tolist() == [[1.0]]
    assert nms(row, [1.0]).tolist() == [0]
