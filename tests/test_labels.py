"""Label maps: the worked numbers, scikit-learn, every dtype and library, and one answer from kernel, twin and loop."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import oracles
import strategies
from backends import absent, forbidden, swapped
from vesica import (
    Boxes,
    LabelMap,
    Masks,
    Polygons,
    RleMasks,
    SizeValueError,
    SparseMasks,
    _native,
    best,
    coverage,
    dice,
    distance,
    giou,
    iou,
    join,
    overlap,
    parts,
    tversky,
)
from vesica._kernels import pick
from vesica._kernels.generic import labels as generic
from vesica._kernels.native import labels as native_labels
from vesica.regions import comparable

A = [[1, 1, 0], [1, 2, 2], [0, 2, 2]]
B = [[1, 1, 0], [0, 2, 2], [0, 3, 2]]
REGION_MEASURES = (iou, distance, dice, coverage, overlap, tversky)
DTYPES = ("bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64")
HUGE = 10**12


def as_counts(columns):
    return {(a, b): n for a, b, n in zip(*(column.tolist() for column in columns), strict=True)}


def table(a, b, **words):
    found = LabelMap(a, **words).contingency(LabelMap(b, **words))
    rows, columns = np.nonzero(found.counts)
    pairs = zip(found.ids_a[rows].tolist(), found.ids_b[columns].tolist(), strict=True)
    return dict(zip(pairs, found.counts[rows, columns].tolist(), strict=True))


def noisy(height, width, seed, labels=19, share=1.0, cell=17):
    """Blocks of one label, and in a share of the pixels any label."""
    rng = np.random.default_rng(seed)
    blocks = rng.integers(0, labels, (-(-height // cell), -(-width // cell)))
    grown = np.repeat(np.repeat(blocks, cell, 0), cell, 1)[:height, :width]
    return np.where(rng.random((height, width)) < share, rng.integers(0, labels, (height, width)), grown)


class TestWorked:
    def test_counts(self):
        assert table(A, B) == {(0, 0): 2, (1, 0): 1, (1, 1): 2, (2, 2): 3, (2, 3): 1}

    def test_contingency(self, xp):
        found = LabelMap(xp(A, "int64")).contingency(LabelMap(xp(B, "int64")))
        assert found.ids_a.tolist() == [0, 1, 2] and found.ids_b.tolist() == [0, 1, 2, 3]
        assert xp.back(found.counts).tolist() == [[2, 0, 0, 0], [1, 2, 0, 0], [0, 0, 3, 1]]
        assert type(found.counts) is type(xp(A, "int64"))

    def test_iou(self, xp):
        a, b = LabelMap(xp(A, "int32")), LabelMap(xp(B, "uint8"))
        values = iou(a, b)
        assert type(values) is type(xp(A)) and values.dtype == xp([0.0]).dtype
        assert xp.back(values).tolist() == [[2 / 3, 0, 0], [0, 3 / 4, 1 / 4]]

    def test_seed_003(self):
        """16 pixels, |a| = 4, |b| = 6, 3 shared."""
        a, b = np.zeros((2, 4, 4), int)
        a.ravel()[:4], b.ravel()[1:7] = 1, 1
        assert iou(LabelMap(a), LabelMap(b)).tolist() == [[3 / 7]] and dice(LabelMap(a), LabelMap(b)).tolist() == [
            [0.6]
        ]
        whole = [LabelMap(x, background=None) for x in (a, b)]
        assert iou(*whole, aligned=True).mean() == pytest.approx((3 / 7 + 9 / 13) / 2, abs=1e-15)
        assert dice(*whole, aligned=True).mean() == pytest.approx((3 / 5 + 9 / 11) / 2, abs=1e-15)
        assert round(iou(*whole, aligned=True).mean(), 7) == 0.5604396
        assert round(dice(*whole, aligned=True).mean(), 7) == 0.7090909

    def test_huge_ids_are_compacted(self):
        a, b = [[HUGE, 5, 5, -HUGE]], [[5, 5, HUGE, -HUGE]]
        assert LabelMap(a).ids.tolist() == [-HUGE, 5, HUGE] and LabelMap(a).area.tolist() == [1, 2, 1]
        assert iou(LabelMap(a), LabelMap(b)).tolist() == [[1, 0, 0], [0, 1 / 3, 1 / 2], [0, 1 / 2, 0]]

    def test_ends_of_int64(self):
        low, high = -(2**63), 2**63 - 1
        assert table([[low, high, low + 1]], [[high, low, low + 1]]) == {
            (low, high): 1,
            (high, low): 1,
            (low + 1, low + 1): 1,
        }
        assert table([[high, high - 1]], [[low, low + 1]]) == {(high, low): 1, (high - 1, low + 1): 1}


class TestBeyondInt64:
    """Labels from 2^63 on: an id is only an id."""

    low, high = 2**63, 2**64 - 1

    def maps(self):
        a = np.array([[self.low, self.low, 7], [self.high, 0, 7]], "uint64")
        return a, np.array([[self.low, 7, 7], [self.high, self.high, 0]], "uint64")

    def test_ids(self):
        found = LabelMap(self.maps()[0])
        assert found.ids.tolist() == [7, self.low, self.high] and found.ids.dtype == np.uint64
        assert found.area.tolist() == [2, 2, 1]

    @pytest.mark.parametrize("names", [[1, 2, 3], [-5, 2**63 - 1, 0]], ids=["small", "signed"])
    def test_as_if_renamed(self, names):
        """Every answer is that of the same map with other names in the same order."""
        sides = self.maps()
        other = [np.select([side == 7, side == self.low, side == self.high], sorted(names), -9) for side in sides]
        a, b = (LabelMap(side) for side in sides)
        x, y = (LabelMap(side, background=-9) for side in other)
        assert (
            iou(a, b).tolist() == iou(x, y).tolist()
            and iou(a, b, aligned=True).tolist() == iou(x, y, aligned=True).tolist()
        )
        assert a.to_rle().to_counts() == x.to_rle().to_counts()
        assert np.array_equal(a.to_masks().array, x.to_masks().array)
        assert a.boxes.xyxy.tolist() == x.boxes.xyxy.tolist()
        with_zero = {**dict(zip(sorted(names), (7, self.low, self.high), strict=True)), -9: 0}
        table = a.contingency(b), x.contingency(y)
        assert table[0].counts.sum() == table[1].counts.sum() == 6
        assert sorted(with_zero[one] for one in table[1].ids_a.tolist()) == table[0].ids_a.tolist()

    def test_with_a_map_of_int64(self):
        """The same 64 bits on both sides are different labels, and are not mixed up."""
        a, b = LabelMap(np.array([[self.high, 1]], "uint64")), LabelMap(np.array([[-1, 1]]))
        assert a.ids.tolist() == [1, self.high] and b.ids.tolist() == [-1, 1]
        assert iou(a, b).tolist() == [[0, 1], [1, 0]]
        with pytest.raises(SizeValueError, match="the same labels"):
            iou(a, b, aligned=True)

    def test_what_is_said_of_them(self):
        array = self.maps()[0]
        assert LabelMap(array, ids=[self.high, 7]).area.tolist() == [1, 2]
        assert LabelMap(array, background=self.low).ids.tolist() == [0, 7, self.high]
        assert LabelMap(array, ignore=self.high).ids.tolist() == [7, self.low]
        assert LabelMap(np.zeros((1, 2), "uint64"), ids=[self.low]).area.tolist() == [0]
        assert LabelMap(array)[1:].ids.tolist() == [self.low, self.high]

    def test_pickle(self):
        import pickle

        assert pickle.loads(pickle.dumps(LabelMap(self.maps()[0]))).ids.tolist() == [7, self.low, self.high]


class TestContingencyOfIds:
    """With `ids` the table has one shape, whatever labels occur, and no pixel is lost."""

    def test_beside_the_table(self, xp):
        a, b = (LabelMap(xp(x, "int64"), ids=ids) for x, ids in ((A, [2, 1, 7]), (B, [3, 2])))
        found = a.contingency(b)
        assert found.ids_a.tolist() == [2, 1, 7] and found.ids_b.tolist() == [3, 2]
        assert xp.back(found.counts).tolist() == [[1, 3], [0, 0], [0, 0]]
        assert xp.back(found.rest_a).tolist() == [0, 3, 0] and xp.back(found.rest_b).tolist() == [0, 0]
        assert found.rest == 2 and repr(found) == "<Contingency: 3 × 2 labels, 9 pixels>"

    def test_one_side(self):
        found = LabelMap(A, ids=[1]).contingency(LabelMap(B))
        assert found.ids_b.tolist() == [0, 1, 2, 3] and found.counts.tolist() == [[1, 2, 0, 0]]
        assert found.rest_a.tolist() == [0] and found.rest_b.tolist() == [2, 0, 3, 1] and found.rest == 0

    @pytest.mark.parametrize("seed", range(5))
    def test_sums_over_images_are_those_of_one_image(self, seed):
        """And those of scikit-learn, which leaves out what is not among the labels on both sides."""
        metrics = pytest.importorskip("sklearn.metrics")
        rng = np.random.default_rng(seed)
        ids = rng.permutation(9)[:5]
        pairs = [(rng.integers(0, 9, (6, 7)), rng.integers(0, 9, (6, 7))) for _ in range(4)]
        tables = [
            LabelMap(a, ids=ids, background=None).contingency(LabelMap(b, ids=ids, background=None)) for a, b in pairs
        ]
        a, b = (np.concatenate([pair[k] for pair in pairs]) for k in (0, 1))
        whole = LabelMap(a, ids=ids, background=None).contingency(LabelMap(b, ids=ids, background=None))
        for part in ("counts", "rest_a", "rest_b", "rest"):
            assert np.array_equal(sum(getattr(table, part) for table in tables), getattr(whole, part))
        assert np.array_equal(whole.counts, metrics.confusion_matrix(a.ravel(), b.ravel(), labels=ids))
        assert np.array_equal(whole.counts.sum(1) + whole.rest_a, [(a == i).sum() for i in ids])
        assert whole.counts.sum() + whole.rest_a.sum() + whole.rest_b.sum() + whole.rest == a.size


class TestPeers:
    @pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
    def test_scikit_learn(self, share):
        metrics = pytest.importorskip("sklearn.metrics")
        truth, guess = noisy(83, 101, 1, 7, share), noisy(83, 101, 2, 7, share)
        a, b = (LabelMap(x, background=None) for x in (truth, guess))
        flat = truth.ravel(), guess.ravel()
        assert np.array_equal(a.contingency(b).counts, metrics.confusion_matrix(*flat))
        assert iou(a, b, aligned=True) == pytest.approx(metrics.jaccard_score(*flat, average=None), abs=1e-15)
        assert dice(a, b, aligned=True) == pytest.approx(metrics.f1_score(*flat, average=None), abs=1e-15)
        assert iou(a, b, aligned=True).mean() == pytest.approx(metrics.jaccard_score(*flat, average="macro"), abs=1e-14)
        assert dice(a, b, aligned=True).mean() == pytest.approx(metrics.f1_score(*flat, average="macro"), abs=1e-14)

    def test_scikit_learn_with_ignored_pixels(self):
        metrics = pytest.importorskip("sklearn.metrics")
        truth, guess = noisy(50, 60, 3, 6, 0.3), noisy(50, 60, 4, 5, 0.3)
        seen = truth != 5
        a = LabelMap(truth, background=None, ignore=5, ids=range(5))
        b = LabelMap(guess, background=None, ids=range(5))
        want = metrics.jaccard_score(truth[seen], guess[seen], average=None, labels=range(5))
        assert iou(a, b, aligned=True) == pytest.approx(want, abs=1e-15)


labels = st.one_of(
    st.integers(0, 3),
    st.sampled_from([0, 1, 255, 256, -1, HUGE, -HUGE, 2**63 - 1, -(2**63)]),
)


@st.composite
def map_pairs(draw):
    """Two maps of one size and of any dtypes: long runs, many labels, labels that do not fit a byte."""
    shape = draw(st.tuples(st.integers(0, 4), st.integers(0, 150)))
    sides = []
    for _ in range(2):
        dtype = np.dtype(draw(st.sampled_from(DTYPES)))
        few = draw(st.lists(labels, min_size=1, max_size=4))
        values = draw(hnp.arrays(np.int64, shape, elements=st.sampled_from(few), fill=st.just(few[0])))
        if draw(st.booleans()):
            values = np.sort(values, axis=1)
        sides.append(values.astype(dtype) if dtype != np.uint64 else np.abs(values // 2).astype(dtype))
    return sides


class TestOneAnswer:
    @given(map_pairs())
    def test_kernel_twin_and_loop(self, pair):
        want = oracles.met(*pair)
        assert as_counts(native_labels.count(*pair, threads=1)) == want
        assert as_counts(generic.count(*pair)) == want
        assert table(*pair, background=None) == want

    @pytest.mark.parametrize("isa", ["avx512", "avx2", "baseline"])
    @pytest.mark.parametrize("dtype", DTYPES)
    @pytest.mark.parametrize("share", [0.0, 0.05, 0.4, 1.0])
    def test_dtypes_and_instruction_sets(self, isa, dtype, share):
        """More pixels than one piece, a width that is no multiple of 64, busy and quiet blocks."""
        a, b = (noisy(171, 211, seed, 2 if dtype == "bool" else 19, share).astype(dtype) for seed in (5, 6))
        before = _native.isa()
        try:
            _native.limit_isa(isa)
            got = native_labels.count(a, b, threads=1)
        finally:
            _native.limit_isa(before)
        assert all(np.array_equal(x, y) for x, y in zip(got, generic.count(a, b), strict=True))

    @pytest.mark.parametrize(
        "change",
        [
            pytest.param(lambda x: np.where(x == 3, 255, x), id="255 among few"),
            pytest.param(lambda x: x * 13, id="a table of 235"),
            pytest.param(lambda x: x * 1000, id="beyond a byte"),
            pytest.param(lambda x: x - 9, id="negative"),
            pytest.param(lambda x: x + np.arange(x.shape[0])[:, None] * 3, id="a window that moves"),
            pytest.param(lambda x: np.where(np.arange(x.shape[0])[:, None] > 150, x * HUGE, x), id="huge in the end"),
            pytest.param(lambda x: x * 0, id="one label"),
        ],
    )
    @pytest.mark.parametrize("share", [0.0, 0.3])
    def test_kinds_of_labels(self, change, share):
        a, b = change(noisy(240, 301, 7, 19, share)), noisy(240, 301, 8, 19, share)
        for x, y in ((a, b), (b, a), (a, a)):
            got, want = native_labels.count(x, y, threads=1), generic.count(x, y)
            assert all(np.array_equal(p, q) for p, q in zip(got, want, strict=True))

    def test_each_byte_with_each(self):
        a, b = np.divmod(np.random.default_rng(9).permutation(2**16).reshape(256, 256), 256)
        counts = native_labels.count(a.astype("uint8"), b.astype("uint8"), threads=1)[2]
        assert counts.tolist() == [1] * 2**16

    @pytest.mark.parametrize("dtype", ["uint8", "int64"])
    def test_threads_change_nothing(self, dtype):
        a, b = (noisy(1024, 1030, seed, 19, 0.2).astype(dtype) * (1 if dtype == "uint8" else 10**9) for seed in (1, 2))
        one = native_labels.count(a, b, threads=1)
        for threads in (2, 3, 8):  # more than four take smaller shares
            several = native_labels.count(a, b, threads=threads)
            assert all(np.array_equal(x, y) for x, y in zip(one, several, strict=True))

    def test_views_and_read_only(self):
        a = noisy(64, 80, 1)
        a.setflags(write=False)
        assert table(a[::2, ::-3], a.T[:27, :32].T) == oracles.met(a[::2, ::-3], a.T[:27, :32].T)

    def test_true_is_one_whatever_its_byte(self):
        a = np.array([[0, 1, 2, 255]], "uint8").view(bool)
        assert LabelMap(a).ids.tolist() == [1]
        assert LabelMap(a).area.tolist() == [3]


def same_tables(got, want):
    return all(np.array_equal(x, y) and x.dtype == y.dtype for x, y in zip(got, want, strict=True))


class TestTable:
    """The table of all labels, which a kernel makes of what it counts, and its twin of the columns."""

    @given(map_pairs(), st.tuples(*[st.none() | labels] * 2))
    def test_kernel_twin_and_columns(self, pair, ignored):
        got = native_labels.table(*pair, ignored=ignored, threads=1)
        assert same_tables(got, generic.table(*pair, ignored=ignored))
        met = oracles.met(*pair)
        want = {(a, b): n for (a, b), n in met.items() if a != ignored[0] and b != ignored[1]}
        assert got[0].tolist() == sorted({a for a, _ in want}) and got[1].tolist() == sorted({b for _, b in want})
        rows, columns = np.nonzero(got[2])
        assert as_counts((got[0][rows], got[1][columns], got[2][rows, columns])) == want

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_dtypes_threads_and_ignored(self, dtype):
        a, b = (noisy(640, 700, seed, 2 if dtype == "bool" else 19, 0.2).astype(dtype) for seed in (1, 2))
        for ignored in ((None, None), (3, None), (None, 1), (0, 255)):
            want = generic.table(a, b, ignored=ignored)
            for threads in (1, 2, 3):
                assert same_tables(native_labels.table(a, b, ignored=ignored, threads=threads), want), (
                    ignored,
                    threads,
                )

    @pytest.mark.parametrize(
        "change",
        [
            pytest.param(lambda x: np.where(x == 3, 255, x).astype("uint8"), id="255 stands first"),
            pytest.param(lambda x: np.full_like(x, 255, "uint8"), id="255 alone"),
            pytest.param(lambda x: x - 9, id="negative"),
            pytest.param(lambda x: x + np.arange(x.shape[0])[:, None], id="a window that moves"),
            pytest.param(lambda x: x * HUGE - 5, id="numbered"),
            pytest.param(lambda x: np.where(np.arange(x.shape[0])[:, None] > 400, x * HUGE, x), id="huge in the end"),
            pytest.param(lambda x: np.arange(x.size).reshape(x.shape) // 50, id="many"),
        ],
    )
    @pytest.mark.parametrize("share", [0.0, 1.0])
    def test_kinds_of_labels(self, change, share):
        plain, other = noisy(640, 700, 7, 19, share), noisy(640, 700, 8, 19, share)
        few = other.astype("uint8")
        for a, b in ((change(plain), few), (few, change(plain)), (change(plain[:60]), change(other[:60]))):
            want = generic.table(a, b, ignored=(None, None))
            for threads in (1, 2, 3):
                assert same_tables(native_labels.table(a, b, ignored=(None, None), threads=threads), want), threads

    @pytest.mark.parametrize("shape", [(0, 0), (0, 7), (3, 0), (1, 1)])
    def test_small(self, shape):
        a = np.full(shape, 7, "uint8")
        for ignored in ((None, None), (7, None)):
            got = native_labels.table(a, a, ignored=ignored, threads=None)
            assert same_tables(got, generic.table(a, a, ignored=ignored))

    def test_it_serves_maps_without_ids(self):
        """Of NumPy and of torch; with ids, or beyond int64, the columns are asked for."""
        torch = pytest.importorskip("torch")
        seen = []

        def watch(real):
            def call(a, b, *, ignored, threads):
                seen.append((ignored, threads))
                return real(a, b, ignored=ignored, threads=threads)

            return call

        with forbidden("generic", "table"), forbidden("native", "count"), swapped(watch, "native", "table"):
            LabelMap(A, ignore=1).contingency(LabelMap(B), threads=3)
            found = LabelMap(torch.tensor(A)).contingency(LabelMap(torch.tensor(B), ignore=9))
            assert isinstance(found.counts, torch.Tensor) and isinstance(found.rest_a, torch.Tensor)
        assert seen == [((1, None), 3), ((None, 9), None)]
        with forbidden("native", "table"):
            LabelMap(A, ids=[1]).contingency(LabelMap(B))
            far = LabelMap(np.array([[2**63]], "uint64"))
            assert far.contingency(far).ids_a.dtype == np.uint64

    def test_twin_on_tensors(self):
        torch = pytest.importorskip("torch")
        a, b = (noisy(31, 45, seed, 19, 0.4) for seed in (1, 2))
        got = generic.table(torch.from_numpy(a), torch.from_numpy(b), ignored=(4, None))
        want = native_labels.table(a, b, ignored=(4, None), threads=1)
        assert same_tables((*got[:2], got[2].numpy()), want)

    def test_equals_the_table_of_ids(self):
        """The same pixels by the other way: nothing is beside the table."""
        a, b = (noisy(31, 45, seed, 19, 0.4) for seed in (1, 2))
        plain = LabelMap(a, ignore=2).contingency(LabelMap(b, ignore=5))
        whole = (LabelMap(x, ids=ids, background=None) for x, ids in ((a, plain.ids_a), (b, plain.ids_b)))
        by_ids = next(whole).contingency(next(whole))
        assert np.array_equal(plain.counts, by_ids.counts)
        assert plain.rest == 0 and not plain.rest_a.any() and not plain.rest_b.any()
        assert plain.rest_a.dtype == by_ids.rest_a.dtype and plain.rest_a.shape == by_ids.rest_a.shape


class TestBackends:
    def test_native_counts_numpy_and_cpu_tensors(self):
        torch = pytest.importorskip("torch")
        with forbidden("generic", "count"):
            for make in (np.asarray, torch.tensor):
                assert float(iou(LabelMap(make(A)), LabelMap(make(B)))[0, 0]) == 2 / 3

    def test_others_are_counted_by_their_library(self, no_native):
        strict = pytest.importorskip("array_api_strict")
        assert float(iou(LabelMap(strict.asarray(A)), LabelMap(strict.asarray(B)))[0, 0]) == 2 / 3

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_twin_on_tensors(self, dtype):
        """What a tensor on a device goes through."""
        torch = pytest.importorskip("torch")
        a, b = (noisy(31, 45, seed, 2 if dtype == "bool" else 19, 0.4).astype(dtype) for seed in (1, 2))
        got = generic.count(torch.from_numpy(a), torch.from_numpy(b))
        assert as_counts(got) == oracles.met(a, b) == as_counts(native_labels.count(a, b, threads=1))

    def test_tensors_on_a_device(self):
        """All that follows the count, as for a tensor on a device: there is no native kernel for it."""
        torch = pytest.importorskip("torch")
        with absent("native", "count"):
            a, b = LabelMap(torch.tensor(A)), LabelMap(torch.tensor(B))
            assert iou(a, b).tolist() == [[2 / 3, 0, 0], [0, 3 / 4, 1 / 4]] and a.area.tolist() == [3, 4]
            pairs, found = join(a, b, at_least=0.5), best(a, b)
            assert (pairs.i.tolist(), pairs.j.tolist(), found.index.tolist()) == ([0, 1], [0, 1], [[0], [1]])
            assert all(isinstance(x, torch.Tensor) for x in (*pairs, *found, a.area, a.contingency(b).counts))

    def test_the_picker_says_so(self):
        kernel = pick("measure", comparable(LabelMap(A), LabelMap(B), aligned=False), iou.chosen({}))
        assert kernel.backend == "generic" and "pixels are counted when label maps meet" in kernel.why

    def test_libraries_do_not_mix(self):
        torch = pytest.importorskip("torch")
        with pytest.raises(TypeError, match="arrays of one library; got numpy and torch"):
            iou(LabelMap(A), LabelMap(torch.tensor(B)))

    def test_threads_reach_the_kernel(self):
        seen = []
        with swapped(
            lambda real: lambda a, b, *, threads: seen.append(threads) or real(a, b, threads=1), "native", "count"
        ):
            a, b = LabelMap(A, ids=[1, 2, 3]), LabelMap(B, ids=[1, 2, 3])
            iou(a, b, threads=3), join(a, b, at_least=0.5, threads=4), best(a, b, threads=5), parts(a, b, threads=6)
            a.contingency(b, threads=7)
        assert seen == [3, 4, 5, 6, 7]

    def test_one_pass_is_enough(self):
        calls = []
        with swapped(lambda real: lambda a, b, *, threads: calls.append(1) or real(a, b, threads=1), "native", "count"):
            for verb in (iou, best, parts, lambda a, b: join(a, b, at_least=0.5)):
                a, b = LabelMap(A), LabelMap(B)
                verb(a, b), a.ids, b.ids, a.area, b.area
                assert len(calls) == 1
                calls.clear()


class TestVerbs:
    @pytest.mark.parametrize("measure", REGION_MEASURES, ids=lambda measure: measure.name)
    def test_matrix_and_aligned(self, xp, measure):
        ids = list(range(1, 7))
        a, b = (LabelMap(xp(noisy(30, 41, seed, 7, 0.3), "uint8"), ids=ids) for seed in (1, 2))
        matrix = xp.back(measure(a, b))
        # JAX divides by multiplying with the reciprocal where one side is broadcast.
        diagonal = pytest.approx(np.diag(matrix), abs=1e-15 if xp.name == "jax" else 0)
        assert xp.back(measure(a, b, aligned=True)) == diagonal
        p = parts(a, b)
        assert xp.back(measure(p)).tolist() == matrix.tolist() and p.kind == "labels"
        assert xp.back(measure(parts(a, b, aligned=True))) == diagonal

    @pytest.mark.parametrize("measure", REGION_MEASURES, ids=lambda measure: measure.name)
    def test_equals_sets_of_pixels(self, measure):
        """The same formula on masks that are compared one by one."""
        a, b = noisy(9, 11, 1, 4, 0.5), noisy(9, 11, 2, 4, 0.5)
        pixels = [[set(np.flatnonzero(x == k).tolist()) for k in range(1, 4)] for x in (a, b)]
        from vesica import Sets

        ids = {"ids": [1, 2, 3]}
        got = measure(LabelMap(a, **ids), LabelMap(b, **ids))
        assert np.array_equal(got, measure(Sets(pixels[0]), Sets(pixels[1])))

    @pytest.mark.parametrize("at_least", [0.1, 1 / 3, 0.75])
    @pytest.mark.parametrize("measure", ["iou", "dice", "coverage", "overlap", "tversky"])
    def test_join_is_the_matrix(self, xp, measure, at_least):
        a, b = (LabelMap(xp(noisy(40, 37, 1, 9, share, 5), "int16")) for share in (0.02, 0.3))
        pairs = join(a, b, at_least=at_least, measure=measure)
        matrix = xp.back(globals()[measure](a, b))
        rows, columns = np.nonzero((matrix >= at_least) & (matrix > 0))
        assert type(pairs.value) is type(xp([0.0])) and len(pairs) == len(rows)
        assert xp.back(pairs.i).tolist() == rows.tolist() and xp.back(pairs.j).tolist() == columns.tolist()
        assert xp.back(pairs.value) == pytest.approx(matrix[rows, columns], abs=1e-15)

    def test_join_decides_ties_exactly(self):
        a, b = LabelMap([[1] * 10]), LabelMap([[1] * 3 + [0] * 7])
        assert len(join(a, b, at_least=0.3)) == 1 and len(join(a, b, at_least=0.3, strict=True)) == 0

    def test_join_with_keys_and_with_itself(self):
        a, b = LabelMap(A), LabelMap(B)
        pairs = join(a, b, at_least=0.1, keys=([7, 8], [7, 7, 8]))
        assert (pairs.i.tolist(), pairs.j.tolist()) == ([0, 1], [0, 2])
        assert len(join(a, at_least=0.1)) == 0

    @pytest.mark.parametrize("k", [1, 3, 20])
    def test_best_is_the_matrix(self, xp, k):
        a, b = (LabelMap(xp(noisy(40, 37, seed, 9, 0.2), "int64")) for seed in (1, 2))
        found, matrix = best(a, b, k=k), xp.back(iou(a, b))
        order = np.argsort(-matrix, axis=1, kind="stable")[:, :k]
        assert xp.back(found.index)[:, : order.shape[1]].tolist() == order.tolist()
        assert xp.back(found.value)[:, : order.shape[1]].tolist() == np.take_along_axis(matrix, order, 1).tolist()
        assert (xp.back(found.index)[:, order.shape[1] :] == -1).all()

    def test_best_in_several_tiles(self, monkeypatch):
        monkeypatch.setattr("vesica._kernels.generic.tiles._PAIRS", 16)
        a, b = (LabelMap(noisy(40, 37, seed, 30, 0.5)) for seed in (1, 2))
        found, matrix = best(a, b, k=2), iou(a, b)
        assert np.array_equal(found.index, np.argsort(-matrix, axis=1, kind="stable")[:, :2])

    def test_measures_of_the_hull(self):
        with pytest.raises(TypeError, match="giou is not defined for label maps"):
            giou(LabelMap(A), LabelMap(B))


class TestIds:
    def test_order_and_absent(self, xp):
        a = LabelMap(xp(A, "uint8"), ids=[9, 2, 1])
        assert a.ids.tolist() == [9, 2, 1] and xp.back(a.area).tolist() == [0, 4, 3] and len(a) == 3 and a.shape == (3,)
        assert xp.back(iou(a, LabelMap(xp(B, "uint8")), empty=1.0)).tolist() == [
            [0, 0, 0],
            [0, 3 / 4, 1 / 4],
            [2 / 3, 0, 0],
        ]
        pairs = join(a, LabelMap(xp(B, "uint8"), ids=[3, 2, 1]), at_least=0.2)
        assert (xp.back(pairs.i).tolist(), xp.back(pairs.j).tolist()) == ([1, 1, 2], [0, 1, 2])

    def test_absent_on_both_sides_is_empty(self):
        a, b = LabelMap(A, ids=[9]), LabelMap(B, ids=[9])
        assert iou(a, b).tolist() == [[0.0]] and iou(a, b, empty=1.0).tolist() == [[1.0]]

    def test_background(self):
        assert LabelMap(A, background=None).ids.tolist() == [0, 1, 2]
        assert LabelMap(A, background=2).ids.tolist() == [0, 1]

    def test_ids_beyond_the_dtype(self):
        a = LabelMap(np.array(A, "uint8"), ids=[HUGE, 1])
        assert a.area.tolist() == [0, 3] and a.to_masks().area.tolist() == [0, 3]

    def test_aligned_needs_the_same(self):
        message = r"same labels in the same order when aligned; got \[1, 2\] and \[1, 2, 3\]\. Pass the same `ids=`"
        with pytest.raises(SizeValueError, match=message):
            iou(LabelMap(A), LabelMap(B), aligned=True)
        with pytest.raises(SizeValueError, match="same order"):
            iou(LabelMap(A, ids=[1, 2]), LabelMap(B, ids=[2, 1]), aligned=True)


class TestNumbers:
    """Noisy maps of large ids: labels are numbered as they come, as long as a byte will do."""

    @pytest.mark.parametrize("labels", [1, 2, 19, 100, 254, 255, 256, 400])
    @pytest.mark.parametrize("threads", [1, 2])
    def test_after_and_before_labels_that_fit_a_byte(self, labels, threads):
        """As many in both halves, each as long as what is counted at a time."""
        place = np.random.default_rng(labels).integers(0, labels, (2, 128, 256))
        maps = np.where(np.arange(128)[:, None] < 64, place, place * 10**9 + 7)
        pairs = [(maps[0], maps[1]), (maps[0], place[1] % 2), (place[0] % 2, maps[1])]
        pairs += [(left[::-1].copy(), right[::-1].copy()) for left, right in pairs]
        for left, right in pairs:
            got, want = native_labels.count(left, right, threads=threads), generic.count(left, right)
            assert all(np.array_equal(p, q) for p, q in zip(got, want, strict=True))

    @pytest.mark.parametrize("labels", [1, 2, 19, 100, 254, 255, 256, 400])
    @pytest.mark.parametrize("threads", [1, 2])
    def test_any_number_of_labels(self, labels, threads):
        rng = np.random.default_rng(labels)
        names = rng.integers(-(2**63), 2**63 - 1, labels)
        a, b = rng.integers(0, labels, (2, 200, 301))
        b[:60] = b[60, 0]  # a quiet part, counted by its runs
        few = rng.integers(0, 9, a.shape)  # a side that fits a byte
        for left, right in ((names[a], names[b]), (names[a], few), (few, names[b])):
            found = LabelMap(left, background=None).contingency(LabelMap(right, background=None), threads=threads)
            want = np.zeros(found.counts.shape, np.int64)
            np.add.at(want, (np.searchsorted(found.ids_a, left), np.searchsorted(found.ids_b, right)), 1)
            assert np.array_equal(found.counts, want)
            assert np.array_equal(found.ids_a, np.unique(left)) and np.array_equal(found.ids_b, np.unique(right))


class TestIgnore:
    TRUTH, GUESS = [[1, 1, 255, 255]], [[1, 2, 1, 2]]

    def test_pixels_leave_both_maps(self, xp):
        truth, guess = LabelMap(xp(self.TRUTH, "uint8"), ignore=255), LabelMap(xp(self.GUESS, "uint8"))
        p = parts(truth, guess)
        assert xp.back(p.area_a).tolist() == [[2]] and xp.back(p.area_b).tolist() == [[1, 1]]
        assert xp.back(iou(truth, guess)).tolist() == [[1 / 2, 1 / 2]]
        assert xp.back(iou(guess, truth)).tolist() == [[1 / 2], [1 / 2]]

    def test_areas_of_a_map_alone_are_its_own(self):
        assert LabelMap(self.GUESS).area.tolist() == [2, 2]
        assert LabelMap(self.TRUTH, ignore=255).ids.tolist() == [1]

    def test_either_side_ignores(self):
        a, b = LabelMap([[1, 9, 1, 1]], ignore=9), LabelMap([[1, 1, 8, 1]], ignore=8)
        assert a.contingency(b).counts.tolist() == [[2]]

    def test_regions_of_ignored_pixels_stay_and_are_empty(self):
        truth, guess = LabelMap([[1, 255]], ignore=255), LabelMap([[1, 2]])
        assert iou(truth, guess).tolist() == [[1, 0]] and guess.ids.tolist() == [1, 2]

    def test_all_ignored(self, xp):
        truth, guess = (
            LabelMap(xp([[9, 9]], "uint8"), ignore=9, ids=[1, 2]),
            LabelMap(xp([[1, 2]], "uint8"), ids=[1, 2]),
        )
        for measure in (iou, dice, coverage, overlap, tversky):
            assert xp.back(measure(truth, guess, empty=0.25)).tolist() == [[0.25, 0.25]] * 2
        assert xp.back(distance(truth, guess, empty=0.25)).tolist() == [[0.75, 0.75]] * 2
        assert xp.back(truth.contingency(guess).counts).tolist() == [[0, 0]] * 2
        assert len(join(truth, guess, at_least=0.1)) == 0


class TestShape:
    @pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0)])
    def test_no_pixels(self, xp, shape):
        a = LabelMap(xp(np.zeros(shape), "int32"))
        assert tuple(iou(a, a).shape) == (0, 0) and len(a) == 0 and a.size == shape
        assert len(join(a, a, at_least=0.5)) == 0 and tuple(best(a, a).index.shape) == (0, 1)
        assert a.contingency(a).counts.shape == (0, 0)
        assert tuple(LabelMap(a.array, ids=[1]).to_masks().array.shape) == (1, *shape)

    def test_no_regions(self, xp):
        a, b = LabelMap(xp([[0, 0]], "uint8")), LabelMap(xp([[1, 0]], "uint8"))
        assert tuple(iou(a, b).shape) == (0, 1) and tuple(iou(b, a).shape) == (1, 0)

    def test_one_pixel(self):
        assert iou(LabelMap([[4]]), LabelMap([[4]])).tolist() == [[1.0]]

    def test_frozen_and_copied(self):
        a = LabelMap(A, ids=[2, 1], background=0, ignore=7)
        with pytest.raises(AttributeError, match="frozen"):
            a.ignore = 3
        for other in (copy.deepcopy(a), pickle.loads(pickle.dumps(a))):
            assert (other.ids.tolist(), other.background, other.ignore) == ([2, 1], 0, 7)
            assert iou(other, a, aligned=True).tolist() == [1, 1]
        assert repr(a) == "LabelMap(3×3, background=0, ignore=7, numpy int64)" and a.dtype == "float64"

    def test_the_array_is_not_copied(self):
        array = np.array(A, "uint8")
        assert LabelMap(array).array is array


class TestMasks:
    def test_there_and_back(self, xp):
        stack = np.zeros((4, 5, 6), int)
        stack[0, :2], stack[1, 3, 2:], stack[3, 4] = 1, 7, 255
        labels = LabelMap.from_masks(xp(stack, "uint8"))
        assert labels.ids.tolist() == [1, 2, 3, 4] and xp.back(labels.area).tolist() == [12, 4, 0, 6]
        assert xp.back(labels.to_masks().array).tolist() == (stack != 0).tolist()

    def test_runs(self, xp):
        rng = np.random.default_rng(1)
        blocks = np.kron(rng.integers(0, 5, (7, 9)), np.ones((5, 4), int))
        for array in (
            blocks,
            rng.integers(0, 5, (13, 8)),
            np.full((3, 4), 2),
            np.zeros((0, 4), int),
            np.zeros((4, 0), int),
        ):
            labels = LabelMap(xp(array, "int64"), ids=[4, 9, 2, 1])
            stack = np.stack([array == label for label in (4, 9, 2, 1)])
            assert np.array_equal(labels.to_rle().to_masks().array, stack)
            assert np.array_equal(xp.back(labels.to_masks().array), stack)
            assert np.array_equal(xp.back(labels.boxes.xyxy), Masks(stack).boxes.xyxy)
            assert np.array_equal(xp.back(labels[[2, 0]].area), stack.sum(axis=(1, 2))[[2, 0]])

    @given(strategies.stacks(5))
    def test_from_masks_that_do_not_overlap(self, stack):
        apart = stack & (np.cumsum(stack, axis=0) == 1)
        want = (apart * np.arange(1, len(stack) + 1)[:, None, None]).sum(axis=0)
        for masks in (apart, RleMasks.from_masks(apart), SparseMasks.from_masks(apart)):
            assert np.array_equal(LabelMap.from_masks(masks).array, want)
        shared = np.array([[(x & y).sum() for y in stack] for x in stack]).reshape(len(stack), len(stack))
        pairs = np.argwhere(np.triu(shared, 1))
        if len(pairs):
            i, j = pairs[0]
            with pytest.raises(ValueError, match=f"masks {i} and {j} share {shared[i, j]} pixel"):
                LabelMap.from_masks(stack)

    def test_masks_of_any_kind(self):
        stack = np.zeros((2, 5, 6), bool)
        stack[0, :2], stack[1, 3, 2:] = True, True
        for masks in (Masks(stack), RleMasks.from_masks(stack), SparseMasks.from_masks(stack)):
            assert np.array_equal(LabelMap.from_masks(masks).array, LabelMap.from_masks(stack).array)

    def test_maps_and_masks(self):
        with pytest.raises(TypeError, match=r"LabelMap and Masks have no exact overlap.*label_map.to_rle\(\)"):
            iou(LabelMap(A), Masks(np.zeros((1, 3, 3), bool)))
        polygons = Polygons([[0, 0, 2, 0, 2, 2]])
        with pytest.raises(TypeError, match=r"label_map.to_rle\(\). Then draw the others by a rule"):
            iou(polygons, LabelMap(A))
        assert np.array_equal(iou(LabelMap(A).to_masks(), LabelMap(B).to_masks()), iou(LabelMap(A), LabelMap(B)))

    def test_ids(self):
        labels = LabelMap.from_masks(np.eye(3, dtype=bool)[:, None, :], ids=[HUGE, 5, -2])
        assert labels.array.tolist() == [[HUGE, 5, -2]] and labels.ids.tolist() == [HUGE, 5, -2]

    @pytest.mark.parametrize("shape", [(0, 3, 4), (2, 0, 4), (2, 3, 0)])
    def test_nothing(self, xp, shape):
        labels = LabelMap.from_masks(xp(np.zeros(shape), "bool"))
        assert labels.size == shape[1:] and len(labels) == shape[0] and tuple(labels.to_masks().array.shape) == shape

    def test_overlap_names_the_first_pair(self, xp):
        stack = np.zeros((5, 4, 4), int)
        stack[1, :2], stack[2, 2:], stack[3, :, 0], stack[4, 1] = 1, 1, 1, 1
        with pytest.raises(ValueError, match="masks 1 and 3 share 2 pixels"):
            LabelMap.from_masks(xp(stack, "int64"))

    def test_more_masks_than_a_byte_counts(self):
        with pytest.raises(ValueError, match=r"masks 0 and 1 share 1 pixel\."):
            LabelMap.from_masks(np.ones((256, 1, 1), bool))


SAY = [
    (np.zeros((2, 2)), {}, TypeError, "`array` must be integers, one label for each pixel; got float64.*argmax"),
    (np.zeros((2, 2, 2), int), {}, ValueError, r"shape \(H, W\); got \(2, 2, 2\)\. A stack of masks goes to Masks"),
    ([1, 2], {}, ValueError, r"shape \(H, W\); got \(2,\)\.$"),
    (np.array([[2**63]], "uint64"), {"ids": [-1]}, ValueError, "`ids` must fit uint64, as the labels do; got -1"),
    (np.array([[2**63]], "uint64"), {"ignore": -1}, ValueError, "`ignore` must fit uint64, as the labels do; got -1"),
    ([["a"]], {}, TypeError, "must be integers"),
    ([[1, 2], [3]], {}, SizeValueError, "`array` must be rows of one length; got lists of several lengths"),
    (np.ma.ones((1, 1), int), {}, TypeError, "`array` must not be a masked array, .* fill it first"),
    ([[1]], {"background": 0.5}, TypeError, "`background` must be a label, an integer, or None; got 0.5"),
    ([[1]], {"background": True}, TypeError, "`background` must be a label"),
    ([[1]], {"ignore": 2**63}, ValueError, "`ignore` must fit int64, as the labels do; got 9223372036854775808"),
    ([[1]], {"ids": [2**63]}, ValueError, "`ids` must fit int64, as the labels do; got 9223372036854775808"),
    ([[1]], {"ids": [1, 1]}, ValueError, "`ids` must name each label once; got 1 more than once"),
    ([[1]], {"ids": [[1]]}, TypeError, "`ids` must be a list of integers"),
    ([[1]], {"ids": [1.5]}, TypeError, "`ids` must be a list of integers"),
    ([[1]], {"ids": [[1], [1, 2]]}, SizeValueError, "`ids` must be a list of integers; got lists of several lengths"),
    ([[1]], {"ids": range(3)}, ValueError, "`ids` must not name the background, .* got 0. Pass background=None"),
    ([[1]], {"ids": [1, 9], "ignore": 9}, ValueError, "`ids` must not name the ignore, .* got 9"),
]


class TestRefused:
    @pytest.mark.parametrize("array, words, kind, message", SAY)
    def test_message(self, array, words, kind, message):
        with pytest.raises(kind, match=message):
            LabelMap(array, **words)

    def test_sizes(self):
        a, b = LabelMap(np.zeros((4, 6), int)), LabelMap(np.zeros((6, 4), int))
        calls = (
            lambda: iou(a, b),
            lambda: a.contingency(b),
            lambda: join(a, b, at_least=0.5),
            lambda: best(a, b),
            lambda: parts(a, b),
        )
        for call in calls:
            with pytest.raises(SizeValueError, match=r"images of one size; got 4×6 and 6×4"):
                call()

    def test_other_kinds(self):
        for call in (lambda: iou(LabelMap(A), Boxes([[0, 0, 1, 1]])), lambda: iou([[0, 0, 1, 1]], LabelMap(A))):
            with pytest.raises(TypeError, match="have no exact overlap.*label_map.to_rle"):
                call()
        with pytest.raises(TypeError, match="`other` must be a LabelMap; got list"):
            LabelMap(A).contingency(B)

    def test_stacks(self):
        with pytest.raises(ValueError, match=r"shape \(N, height, width\); got \(1, 2\)"):
            LabelMap.from_masks([[1, 0]])
        with pytest.raises(TypeError, match="must be booleans or integers; got float64"):
            LabelMap.from_masks([[[1.0]]])
        with pytest.raises(SizeValueError, match="one label for each of the 1 masks; got 2"):
            LabelMap.from_masks([[[1]]], ids=[1, 2])
        with pytest.raises(ValueError, match="must not name the background"):
            LabelMap.from_masks([[[1]]], ids=[0])
