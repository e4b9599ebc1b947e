"""The fast lane: the same answers and the same words as the careful path, whatever comes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import strategies
from backends import careful, forbidden
from vesica import Boxes, RleMasks, _native, assign, iou, join, match, nms
from vesica._kernels import lane
from vesica.overlaps.measures import MEASURES

LIMITS = {"float32": 2.0**60, "float64": 2.0**508, "int64": 2**30 - 1}
DTYPES = "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 >f4 >f8 >i8 g ? c16 O m8[s] U3".split()


def outcome(call, *arguments, **options):
    """The answer to the bit, or the error to the letter."""
    try:
        answer = call(*arguments, **options)
    except Exception as error:
        return type(error), str(error)
    columns = vars(answer).items() if hasattr(answer, "__dict__") else [("answer", answer)]
    return [(name, *told(one)) for name, column in columns for one in (column if type(column) is tuple else [column])]


def told(array):
    if isinstance(array, Boxes):
        return (array.dtype, array.form, *told(array.array), *told(array.math))
    host = np.asarray(array)
    flags = host.flags
    return type(array), str(array.dtype), host.shape, host.tobytes(), flags.c_contiguous, flags.writeable


def both(call, *arguments, **options):
    """What the lane and the careful path say; arguments are left as they were."""
    arrays = [one for one in arguments if type(one) is np.ndarray and one.dtype != object]
    before = [one.tobytes() for one in arrays]
    fast = outcome(call, *arguments, **options)
    with careful():
        slow = outcome(call, *arguments, **options)
    assert before == [one.tobytes() for one in arrays]
    return fast, slow


def random_rows(count, seed=0, dtype="float64"):
    rng = np.random.default_rng(seed)
    corner = rng.integers(0, 80, (count, 2)) / 2
    return np.concatenate([corner, corner + rng.integers(0, 40, (count, 2)) / 2], axis=1).astype(dtype)


def packed(rows):
    """The same numbers where no number of their size may begin."""
    records = np.zeros(len(rows), [("tag", "u1"), ("rows", rows.dtype, (4,))])
    records["rows"] = rows
    return records["rows"]


LAYOUTS = {
    "as it is": lambda rows: rows,
    "by column": np.asfortranarray,
    "every second row": lambda rows: np.repeat(rows, 2, axis=0)[::2],
    "from the last row": lambda rows: rows[::-1].copy()[::-1],
    "from the last column": lambda rows: rows[:, ::-1].copy()[:, ::-1],
    "one row for all": lambda rows: np.broadcast_to(rows[:1], rows.shape) if len(rows) else rows,
    "within a wider table": lambda rows: np.pad(rows, ((0, 0), (1, 2)))[:, 1:5],
    "unaligned": packed,
    "big-endian": lambda rows: rows.astype(rows.dtype.newbyteorder(">")),
    "masked": np.ma.masked_array,
    "a list": lambda rows: rows.tolist(),
    "Boxes": Boxes,
    "unchecked Boxes": lambda rows: Boxes(rows, check=False),
    "Boxes of sides": lambda rows: Boxes(np.concatenate([rows[:, :2], rows[:, 2:] - rows[:, :2]], axis=1), "xywh"),
    "a batch": lambda rows: rows[None],
    "one row": lambda rows: rows[0] if len(rows) else rows,
}


def read_only(rows):
    if isinstance(rows, np.ndarray):
        rows.flags.writeable = False
    return rows


class TestMeasures:
    @pytest.mark.parametrize("name", sorted(MEASURES))
    @pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32", "uint8"])
    @pytest.mark.parametrize("aligned", [False, True])
    def test_same_bits(self, name, dtype, aligned):
        a, b = random_rows(33, 1, dtype), random_rows(33, 2, dtype)
        fast, slow = both(MEASURES[name], a, b, aligned=aligned)
        assert fast == slow and fast[0][3] == ((33,) if aligned else (33, 33))

    @given(strategies.tables(), strategies.tables(), st.sampled_from(sorted(MEASURES)), st.booleans())
    def test_same_bits_of_any_boxes(self, a, b, name, aligned):
        fast, slow = both(MEASURES[name], a, b, aligned=aligned)
        assert fast == slow

    @given(
        strategies.tables(dtype="float32"),
        strategies.tables(dtype="int64"),
        *(st.sampled_from(sorted(LAYOUTS)) for _ in range(2)),
        st.sampled_from(["float32", "float64", "int64", "int16"]),
        st.booleans(),
    )
    def test_layouts(self, a, b, layout, other, dtype, is_read_only):
        a, b = (np.clip(rows, -(2**14), 2**14).astype(dtype) for rows in (a, b))  # what every dtype holds
        a, b = LAYOUTS[layout](a), LAYOUTS[other](b)
        if is_read_only:
            a, b = read_only(a), read_only(b)
        for aligned in (False, True):
            fast, slow = both(iou, a, b, aligned=aligned)
            assert fast == slow

    @pytest.mark.parametrize("first", DTYPES)
    @pytest.mark.parametrize("second", ["f4", "f8", "i8", "u1"])
    def test_dtypes(self, first, second):
        a, b = random_rows(3).astype(int).astype(first), random_rows(4, 1).astype(second)
        for pair in ((a, b), (b, a)):
            fast, slow = both(iou, *pair)
            assert fast == slow

    @pytest.mark.parametrize("shape", [(), (0,), (4,), (8,), (0, 4), (1, 4), (0, 5), (3, 5), (4, 3), (2, 3, 4), (0, 0)])
    @pytest.mark.parametrize("dtype", ["float64", "int64"])
    def test_shapes(self, shape, dtype):
        a = np.sort(np.arange(np.prod(shape), dtype=dtype)).reshape(shape)
        for b in (a, random_rows(3, 1, dtype), [[0, 0, 1, 1]]):
            for aligned in (False, True):
                fast, slow = both(iou, a, b, aligned=aligned)
                assert fast == slow

    @pytest.mark.parametrize("dtype", sorted(LIMITS))
    @pytest.mark.parametrize("row", [0, 15, 16, 39])
    def test_faults(self, dtype, row):
        limit = LIMITS[dtype]
        beyond = limit + 1 if dtype == "int64" else limit * 1.5
        bad = {
            "inverted": [3, 0, 2, 1],
            "inverted in y": [0, 3, 1, 2],
            "at the limit": [-limit, -limit, limit, limit],
            "beyond it": [0, 0, beyond, 1],
            "beyond it below": [-beyond, 0, 0, 1],
            "a point": [1, 1, 1, 1],
        }
        if dtype != "int64":
            bad |= {"nan": [0, np.nan, 1, 1], "inf": [0, 0, np.inf, 1], "-0": [-0.0, 0.0, 0.0, 1.0]}
            bad |= {"tiny": [0, 0, 5e-324, 1e-30]}
        for values in bad.values():
            a, b = random_rows(40, 1, dtype), random_rows(40, 2, dtype)
            a[row] = values
            for pair in ((a, b), (b, a), (Boxes(a, check=False), b)):
                fast, slow = both(iou, *pair)
                assert fast == slow
            assert both(Boxes, a)[0] == both(Boxes, a)[1]

    def test_large_unsigned(self):
        a = np.array([[0, 0, 2**64 - 1, 2**64 - 1]], np.uint64)
        fast, slow = both(iou, a, a)
        assert fast == slow and fast[0] is ValueError

    @pytest.mark.parametrize(
        "options",
        [
            {"empty": 1.0},
            {"threads": 2},
            {"threads": 0},
            {"aligned": 1},
            {"aligned": "yes"},
            {"alligned": True},
            {"iou_threshold": 0.5},
        ],
        ids=str,
    )
    def test_options(self, options):
        fast, slow = both(iou, random_rows(3), random_rows(3, 1), **options)
        assert fast == slow

    def test_more_by_position(self):
        fast, slow = both(iou, random_rows(3), random_rows(3, 1), 0.5)
        assert fast == slow and fast[0] is TypeError

    def test_large(self):
        """More than the lane takes."""
        fast, slow = both(iou, random_rows(300), random_rows(300, 1))
        assert fast == slow


def runs(count, seed=0, size=(9, 11)):
    """Run lengths of random masks, of which some are empty and some full; packed, as COCO's dicts are."""
    pixels = np.random.default_rng(seed).random((count, *size)) < np.linspace(0, 1, count)[:, None, None]
    return RleMasks.from_coco(
        [{"size": list(size), "counts": one["counts"]} for one in RleMasks.from_masks(pixels).to_coco()]
    )


class TestRunLengths:
    @pytest.mark.parametrize("name", sorted(MEASURES))
    @pytest.mark.parametrize("counts", [(7, 5), (6, 6), (1, 1), (300, 200)])
    @pytest.mark.parametrize("aligned", [False, True])
    def test_same_bits_and_words(self, name, counts, aligned):
        a, b = (runs(count, seed) for seed, count in enumerate(counts))
        for pair in ((a, b), (b, a), (a, a)):
            fast, slow = both(MEASURES[name], *pair, aligned=aligned)
            assert fast == slow

    @pytest.mark.parametrize(
        "other",
        [
            RleMasks([], size=(9, 11)),
            RleMasks([[9], [3, 4, 2]], size=(3, 3)),  # of images of another size
            RleMasks([[99], [3, 4, 92]], size=(9, 11)),  # counts, which are packed when they are first asked for
            runs(4).to_masks(),
            [[0, 0, 5, 5]],
        ],
        ids=["none", "another size", "counts", "dense", "boxes"],
    )
    def test_others(self, other):
        for pair in ((runs(4), other), (other, runs(4)), (other, other)):
            for aligned in (False, True):
                fast, slow = both(iou, *pair, aligned=aligned)
                assert fast == slow

    def test_options(self):
        for options in ({"threads": 1}, {"empty": 1.0}, {"threads": 0}, {"alpha": 2}, {"aligned": 1}):
            fast, slow = both(iou, runs(4), runs(4, 1), **options)
            assert fast == slow

    def test_a_subclass_takes_the_careful_path(self):
        class Own(RleMasks):
            __slots__ = ()

        own = Own([[9], [3, 4, 2]], size=(3, 3))
        assert lane.serve("measure", iou.plain, own, own, False) is None


class TestNms:
    @given(strategies.tables(), st.data(), strategies.thresholds, st.booleans())
    def test_same_rows(self, rows, data, above, strict):
        scores = np.array(data.draw(st.lists(st.floats(-2, 2), min_size=len(rows), max_size=len(rows))))
        fast, slow = both(nms, rows, scores, above=above, strict=strict)
        assert fast == slow

    @pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "i4", "u1", "f2", ">f8"])
    @pytest.mark.parametrize("kind", DTYPES)
    def test_dtypes(self, dtype, kind):
        scores = np.arange(50)[::-1].astype("i4" if kind in "OU3" else kind) % 7 if kind not in "c16?m8[s]" else None
        scores = np.zeros(50, kind) if scores is None else scores
        fast, slow = both(nms, random_rows(50).astype(dtype), scores)
        assert fast == slow

    @pytest.mark.parametrize("count", [0, 1, 2, 31, 32, 33, 64, 65, 255, 256, 257, 1024, 1025])
    @pytest.mark.parametrize("levels", [1, 3, 1000])
    def test_counts(self, count, levels):
        scores = np.random.default_rng(count).integers(0, levels, count) / 7 - 0.5
        for rows in (random_rows(count), Boxes(random_rows(count, 1, "int64"))):
            fast, slow = both(nms, rows, scores, above=0.3)
            assert fast == slow

    @pytest.mark.parametrize("layout", sorted(LAYOUTS))
    def test_layouts(self, layout):
        rows, scores = LAYOUTS[layout](random_rows(20)), np.repeat(np.arange(20.0), 3)[::-3]
        fast, slow = both(nms, rows, scores)
        assert fast == slow

    @pytest.mark.parametrize(
        "scores",
        [
            [0.1, 0.2, 0.3],
            np.array([0.1, np.nan, 0.3]),
            np.array([0.1, np.inf, -np.inf]),
            np.array([0.0, -0.0, 0.0]),
            np.array([0.1, 0.2]),
            np.array([[0.1, 0.2, 0.3]]),
            np.array(0.5),
            np.array([2**53, 2**53 + 1, 2**53 + 2]),
            np.array([True, False, True]),
            None,
        ],
        ids=str,
    )
    def test_scores(self, scores):
        fast, slow = both(nms, random_rows(3), scores)
        assert fast == slow

    @pytest.mark.parametrize(
        "options",
        [
            {"above": 0.0},
            {"above": 0.0, "strict": False},
            {"above": 1},
            {"above": 1.5},
            {"above": -0.5},
            {"above": float("nan")},
            {"above": np.float32(0.3)},
            {"above": np.float64(0.3)},
            {"above": "0.5"},
            {"above": 0.3, "strict": False},
            {"strict": 0},
            {"strict": []},
            {"measure": "giou"},
            {"keys": [0, 1, 0, 1]},
            {"limit": 2},
            {"limit": 0},
            {"min_score": 0.5},
            {"suppressed_by": True},
            {"iou_threshold": 0.5},
        ],
        ids=str,
    )
    def test_options(self, options):
        fast, slow = both(nms, random_rows(4), np.array([0.3, 0.9, 0.9, 0.1]), **options)
        assert fast == slow


class TestOrder:
    """Boxes that do not overlap all stay, so NMS sorts scores."""

    @pytest.mark.parametrize("count", [1, 2, 31, 32, 33, 100, 1023, 1024, 1025, 8191, 8192])
    @pytest.mark.parametrize("levels", [1, 5, 10**9])
    def test_best_first(self, count, levels):
        corner = np.stack([np.arange(count), np.zeros(count)], axis=1)
        scores = np.random.default_rng(count).integers(-levels, levels, count) / 7
        want = np.lexsort((np.arange(count), -scores))
        assert np.array_equal(nms(np.concatenate([corner, corner + 1], axis=1), scores), want)


class TestJoinAndMatch:
    @given(strategies.tables(), strategies.tables(), strategies.thresholds, st.booleans())
    def test_join(self, a, b, at_least, strict):
        for pair in ((a, b), (a.astype("float32"), b.astype("float32")), (a.astype(int), b.astype(int))):
            fast, slow = both(join, *pair, at_least=at_least, strict=strict)
            assert fast == slow

    @given(strategies.tables(), strategies.tables(), strategies.thresholds, st.booleans(), st.data())
    def test_match(self, a, b, at_least, strict, data):
        scores = np.array(data.draw(st.lists(st.floats(-1, 1, width=16), min_size=len(b), max_size=len(b))))
        options = data.draw(
            st.sampled_from(
                [
                    {},
                    {"scores": scores},
                    {"scores": scores.astype("float32")},
                    {"how": "optimal"},
                    {"how": "optimal", "count_first": True},
                    {"how": "optimal", "complete": True},
                ]
            )
        )
        fast, slow = both(match, a, b, at_least=at_least, strict=strict, **options)
        assert fast == slow

    @pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int16", "uint8", "float16"])
    def test_dtypes(self, dtype):
        a, b = random_rows(12, 1, dtype), random_rows(9, 2, dtype)
        for call in (join, match):
            fast, slow = both(call, a, b, at_least=0.1)
            assert fast == slow

    @pytest.mark.parametrize(
        "options",
        [
            {"at_least": 0},
            {"at_least": 0.0, "strict": True},
            {"at_least": 50.0},
            {"at_least": np.float32(0.3)},
            {"at_least": "0.3"},
            {"at_least": 0.3, "measure": "giou"},
            {"at_least": 0.3, "keys": (np.arange(5), np.arange(5))},
            {"at_least": 0.3, "threads": 0},
            {"at_least": 0.3, "alpha": 1.0},
            {"at_least": 0.3, "strict": []},
        ],
        ids=str,
    )
    def test_options(self, options):
        for call in (join, match):
            fast, slow = both(call, random_rows(5, 1), random_rows(5, 2), **options)
            assert fast == slow

    @pytest.mark.parametrize(
        "options",
        [
            {"how": "best"},
            {"scores": np.array([0.1, np.nan, 0.3, 0.4, 0.5])},
            {"scores": [0.1, 0.2, 0.3, 0.4, 0.5]},
            {"scores": np.arange(4)},
            {"scores": np.arange(5), "how": "optimal"},
            {"count_first": True},
            {"complete": True},
            {"complete": True, "how": "optimal"},
        ],
        ids=str,
    )
    def test_options_of_match(self, options):
        fast, slow = both(match, random_rows(5, 1), random_rows(5, 2), **options)
        assert fast == slow

    def test_one_collection(self):
        fast, slow = both(join, random_rows(9), at_least=0.2)
        assert fast == slow

    def test_tensors(self):
        torch = pytest.importorskip("torch")
        a, b = (torch.from_numpy(random_rows(9, seed)) for seed in (1, 2))
        for call in (join, match):
            fast, slow = both(call, a, b, at_least=0.2)
            assert fast == slow and fast[0][1] is torch.Tensor


ENTRIES = st.one_of(st.integers(-3, 3).map(float), st.floats(-10, 10), st.sampled_from([np.inf, -np.inf]))
AIMS = [
    {"maximise": True},
    {"maximise": True, "count_first": True},
    {"maximise": True, "complete": True},
    {"minimise": True, "complete": True},
    {"minimise": True, "complete": False},
    {"minimise": True, "count_first": True},
]


class TestAssign:
    @given(
        hnp.arrays("float64", st.tuples(st.integers(0, 7), st.integers(0, 7)), elements=ENTRIES), st.sampled_from(AIMS)
    )
    def test_same_pairs(self, values, aim):
        fast, slow = both(assign, values, **aim)
        assert fast == slow

    @pytest.mark.parametrize("dtype", DTYPES)
    @pytest.mark.parametrize("aim", AIMS, ids=str)
    def test_dtypes(self, dtype, aim):
        values = np.random.default_rng(0).integers(0, 9, (4, 6))
        for matrix in (values.astype(dtype), values.T.astype(dtype), values.astype(dtype)[:, ::2]):
            fast, slow = both(assign, matrix, **aim)
            assert fast == slow

    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 2.0**960, 2.0**961, -(2.0**961), -0.0])
    @pytest.mark.parametrize("aim", AIMS, ids=str)
    def test_values(self, value, aim):
        values = np.random.default_rng(0).random((5, 5))
        values[3, 2] = value
        fast, slow = both(assign, values, **aim)
        assert fast == slow

    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"minimise": True},
            {"minimise": 1, "complete": True},
            {"minimise": False},
            {"maximise": False, "complete": True},
            {"maximise": True, "minimise": True},
            {"maximise": True, "minimise": False},
            {"maximise": 1},
            {"at_least": 0.5},
            {"at_most": 0.5, "count_first": True},
            {"maximise": True, "threads": 0},
            {"maximise": True, "strict": True},
            {"maximize": True},
        ],
        ids=str,
    )
    def test_options(self, options):
        fast, slow = both(assign, np.random.default_rng(0).random((4, 5)), **options)
        assert fast == slow

    @pytest.mark.parametrize("shape", [(), (3,), (0, 3), (3, 0), (1, 1), (2, 3, 4), (64, 64), (65, 64)])
    def test_shapes(self, shape):
        fast, slow = both(assign, np.random.default_rng(0).random(shape), maximise=True)
        assert fast == slow


@pytest.mark.torch
class TestTensors:
    @pytest.fixture(autouse=True)
    def torch(self):
        self.torch = pytest.importorskip("torch")
        return self.torch

    @pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32", "uint8", "float16", "bfloat16", "bool"])
    def test_same_bits(self, dtype):
        a, b = (self.torch.from_numpy(random_rows(20, seed)).to(getattr(self.torch, dtype)) for seed in (1, 2))
        for call in (lambda: iou(a, b), lambda: iou(a, b, aligned=True), lambda: iou(a.T.contiguous().T, b[::2])):
            fast, slow = outcome(lambda: call().double()), None
            with careful():
                slow = outcome(lambda: call().double())
            assert fast == slow

    def test_keeps_library_dtype_and_mode(self):
        a = self.torch.from_numpy(random_rows(5, 1, "float32"))
        assert iou(a, a).dtype == self.torch.float32 and nms(a, a[:, 0]).dtype == self.torch.int64
        with self.torch.inference_mode():
            fast = iou(a, a).is_inference()
            with careful():
                assert iou(a, a).is_inference() == fast

    def test_mixed_libraries(self):
        a = self.torch.from_numpy(random_rows(5))
        for pair in ((a, random_rows(5)), (random_rows(5), a), (a, random_rows(5).tolist()), (Boxes(a), a)):
            fast, slow = both(iou, *pair)
            assert fast == slow

    def test_gradient_is_kept(self):
        a = self.torch.from_numpy(random_rows(5)).requires_grad_()
        b = self.torch.from_numpy(random_rows(5, 1))
        assert iou(a, b).requires_grad and iou(b, a).requires_grad and not iou(b, b).requires_grad
        with self.torch.no_grad():
            assert not iou(a, b).requires_grad

    def test_forward_gradient_is_kept(self):
        dual = self.torch.autograd.forward_ad
        b = self.torch.from_numpy(random_rows(5))
        with dual.dual_level():
            a = dual.make_dual(b, self.torch.ones_like(b))
            assert dual.unpack_dual(iou(a, b)).tangent is not None

    def test_a_parameter_is_no_plain_tensor(self):
        rows = self.torch.nn.Parameter(self.torch.from_numpy(random_rows(5)))
        assert iou(rows, rows).requires_grad


class TestDelegation:
    """With every kernel broken, what is still answered went through the lane."""

    @pytest.mark.parametrize("name", sorted(MEASURES))
    @pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32", "uint8"])
    def test_measures(self, name, dtype):
        a, b = random_rows(9, 1, dtype), random_rows(9, 2, dtype)
        with forbidden("native", with_lane=True), forbidden("generic"):
            for pair in ((a, b), (a[::2], b[:, ::-1][:, ::-1]), (np.asfortranarray(a), read_only(b)), (a[:0], b)):
                assert MEASURES[name](*pair).shape == (len(pair[0]), len(pair[1]))
            assert MEASURES[name](a, b, aligned=True).shape == (9,)

    @pytest.mark.parametrize("name", _native.measure_names(False))
    def test_run_lengths(self, name):
        measure, masks = MEASURES[name], runs(4)
        want = measure(masks, masks), measure(masks, masks, aligned=True)
        with forbidden("native", "measure", with_lane=True):
            assert np.array_equal(measure(masks, masks), want[0])
            assert np.array_equal(measure(masks, masks, aligned=True), want[1])
            with pytest.raises(AssertionError, match="native kernel was called"):
                measure(masks, masks, threads=1)

    def test_boxes(self):
        a, b = Boxes(random_rows(9)), Boxes(random_rows(9, 1))
        with forbidden("native", with_lane=True), forbidden("generic"):
            assert iou(a, b).shape == iou(a, b.array).shape == iou(a.array, b).shape == (9, 9)
            assert nms(a, np.arange(9.0)).dtype == np.int64

    def test_nms(self):
        with forbidden("native", with_lane=True), forbidden("generic"):
            for dtype in ("float32", "float64", "int64", "int16"):
                assert nms(random_rows(9, dtype=dtype), np.arange(9), above=0.3)[0] == 8

    def test_matching(self):
        a, b = random_rows(9), random_rows(9, 1)
        with forbidden("native", with_lane=True), forbidden("generic"):
            assert len(join(a, a, at_least=0.5)) and len(match(a, b, at_least=0.1))
            assert len(match(a, a, how="optimal")) == len(match(a, a, scores=b[:, 0])) == 7  # two have no area
            assert len(assign(a, maximise=True)) and len(assign(a, minimise=True, complete=True)) == 4

    @pytest.mark.parametrize("verb", ["join", "greedy", "optimal"])
    def test_a_match_stands_on_all_its_kernels(self, verb):
        a = random_rows(9)
        with forbidden("native", verb), pytest.raises(AssertionError, match="native kernel was called"):
            match(a, a, how="optimal" if verb == "optimal" else "greedy")

    def test_tensors(self):
        torch = pytest.importorskip("torch")
        a = torch.from_numpy(random_rows(9))
        with forbidden("native", with_lane=True), forbidden("generic"):
            assert iou(a, a).shape == (9, 9) and nms(a, a[:, 0]).dtype == torch.int64

    def test_another_kernel_closes_the_lane(self):
        a = random_rows(9)
        with forbidden("native", "measure"), pytest.raises(AssertionError, match="native kernel was called"):
            iou(a, a)
        with forbidden("native", "measure"), careful(), pytest.raises(AssertionError, match="native kernel was called"):
            iou(a, a)
        assert iou(a, a).shape == (9, 9)

    @pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
    def test_sound_boxes(self, dtype):
        want = "float32" if dtype == "float32" else "float64"
        assert _native.sound_boxes(random_rows(9, dtype=dtype)) == want
        assert _native.sound_boxes(random_rows(9, dtype=dtype)[:, ::-1]) is None

    @pytest.mark.parametrize(
        "pair",
        [
            ([[0, 0, 1, 1]], np.zeros((1, 4))),
            (np.zeros((1, 4)), np.zeros((1, 4), "float32")),
            (np.zeros((1, 4), "float16"), np.zeros((1, 4), "float16")),
            (np.zeros((1, 4), ">f8"), np.zeros((1, 4))),
            (np.ma.zeros((1, 4)), np.zeros((1, 4))),
            (np.zeros((1, 1, 4)), np.zeros((1, 4))),
            (np.zeros(4), np.zeros(4)),
            (np.full((1, 4), np.nan), np.zeros((1, 4))),
            (np.zeros((300, 4)), np.zeros((300, 4))),
            (np.zeros((1, 4), "u8"), np.zeros((1, 4), "u8")),
            (np.zeros((1, 4), "m8[s]"), np.zeros((1, 4))),
            (None, np.zeros((1, 4))),
        ],
        ids=lambda pair: " ".join(str(getattr(one, "dtype", type(one).__name__)) for one in pair),
    )
    def test_handed_back(self, pair):
        for sides in (pair, pair[::-1]):
            assert lane.serve("measure", iou.chosen({}), *sides, False) is None
