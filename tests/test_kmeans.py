"""Anchor shapes: k-means by the IoU, against loops, and what must hold of any answer."""

import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import oracles
from vesica import _native, anchors
from vesica._kernels.native.kmeans import nearest
from vesica.matching.kmeans import _moved

RNG = np.random.default_rng(0)
# Sizes of objects in photographs, roughly.
PHOTO = np.exp(RNG.normal(4, 1, (3000, 2)))
tables = st.integers(5, 40).flatmap(lambda n: hnp.arrays(np.int64, (n, 2), elements=st.integers(1, 60)))


def different(shapes):
    return len({tuple(row) for row in shapes.tolist()})


class TestAgainstLoops:
    @pytest.mark.parametrize("seed", range(12))
    @pytest.mark.parametrize("update", ["mean", "median"])
    def test_whole_numbers(self, seed, update):
        """Sums of whole numbers are exact, so every digit must agree."""
        shapes = np.random.default_rng(seed).integers(5, 500, (120, 2))
        found = anchors.cluster(shapes, k=5, seed=seed, update=update)
        middle = {"mean": lambda x: sum(x) / len(x), "median": statistics.median}[update]
        sizes, counts, mean, rounds = oracles.clusters([tuple(s) for s in shapes.tolist()], 5, seed, middle)
        assert found.sizes.tolist() == [list(size) for size in sizes]
        assert found.counts.tolist() == counts and found.rounds == rounds
        assert found.mean_iou == pytest.approx(mean, abs=1e-12)

    def test_fractions(self):
        shapes = PHOTO[:300]
        found = anchors.cluster(shapes, k=9, seed=3)
        sizes, counts, mean, rounds = oracles.clusters(
            [tuple(s) for s in shapes.tolist()], 9, 3, lambda x: sum(x) / len(x)
        )
        assert np.allclose(found.sizes, sizes, rtol=1e-12) and found.counts.tolist() == counts
        assert found.mean_iou == pytest.approx(mean, abs=1e-12) and found.rounds == rounds


class TestValue:
    @given(tables, st.integers(1, 4), st.integers(0, 9), st.sampled_from(["mean", "median"]))
    def test_report_is_true(self, shapes, k, seed, update):
        k = min(k, different(shapes))
        found = anchors.cluster(shapes, k=k, seed=seed, update=update)
        table = anchors.shape_iou(shapes, found.sizes)
        assert found.mean_iou == pytest.approx(table.max(axis=1).mean(), abs=1e-12)
        assert int(found.counts.sum()) == len(shapes) and found.counts.tolist() == sorted_counts(shapes, found)
        areas = found.sizes.prod(axis=1)
        assert np.all(np.diff(areas) >= 0) and len(found) == k

    @given(tables, st.integers(1, 4))
    def test_recall(self, shapes, k):
        found = anchors.cluster(shapes, k=min(k, different(shapes)))
        ratio = np.maximum(shapes[:, None] / found.sizes[None], found.sizes[None] / shapes[:, None]).max(axis=2)
        assert found.recall == pytest.approx((ratio.min(axis=1) <= 4).mean())

    def test_a_factor_of_four_is_near_enough(self):
        assert anchors.cluster([[10, 10]] * 9 + [[40, 40]], k=1, rounds=1).recall == 1
        assert anchors.cluster([[10, 10]] * 9 + [[41, 10]], k=1, rounds=1).recall == 0.9

    def test_every_different_shape_is_an_anchor(self):
        found = anchors.cluster([[4, 4], [8, 8], [4, 4], [2, 9]], k=3)
        assert found.sizes.tolist() == [[4, 4], [2, 9], [8, 8]] and found.counts.tolist() == [2, 1, 1]
        assert found.mean_iou == 1 and found.recall == 1

    def test_more_rounds_never_make_it_worse(self):
        means = [anchors.cluster(PHOTO, seed=1, rounds=rounds).mean_iou for rounds in range(1, 40)]
        assert means == sorted(means) and means[0] < means[-1]

    def test_the_best_round_is_kept(self):
        """The mean of these two serves them worse than the start does, which is one of them."""
        found = anchors.cluster([[10, 12], [12, 10], [11, 11], [80, 40], [90, 50]], k=2)
        assert found.sizes.tolist() == [[11, 11], [90, 50]]

    def test_the_median_cares_less_for_outliers(self):
        shapes = [[10, 10]] * 9 + [[60, 60]]
        mean = anchors.cluster(shapes, k=1, seed=9, rounds=2)
        median = anchors.cluster(shapes, k=1, seed=9, rounds=2, update="median")
        assert median.sizes.tolist() == [[10, 10]] and mean.mean_iou <= median.mean_iou

    def test_scale(self):
        """A power of two moves no bit."""
        one, other = anchors.cluster(PHOTO), anchors.cluster(PHOTO * 2.0**-40)
        assert np.array_equal(one.sizes * 2.0**-40, other.sizes) and one.mean_iou == other.mean_iou


def sorted_counts(shapes, found):
    """How many shapes have each anchor as their nearest; of equals the one that was there first, which is not shown."""
    table = anchors.shape_iou(shapes, found.sizes)
    ties = (table == table.max(axis=1, keepdims=True)).sum(axis=1) > 1
    if ties.any():
        return found.counts.tolist()
    return np.bincount(table.argmax(axis=1), minlength=len(found)).tolist()


class TestEmptyClusters:
    def test_take_the_worst_served(self):
        columns = np.array([[4.0, 4, 4, 40, 90, 90], [4.0, 4, 5, 40, 10, 10]])
        centres = np.array([[4.0, 4], [40, 40], [600, 600]])
        found = nearest(columns, centres, threads=1)
        assert found.counts.tolist() == [3, 3, 0] and np.argmin(found.iou) == 4
        for update in ("mean", "median"):
            assert _moved(columns, centres, found, update, 1)[2].tolist() == [90, 10]

    def test_two_of_them_take_different_shapes(self):
        columns = np.array([[4.0, 90, 90, 40], [4.0, 10, 10, 40]])
        centres = np.array([[4.0, 4], [1e-3, 1e-3], [1e-4, 1e-4]])
        found = nearest(columns, centres, threads=1)
        assert found.counts.tolist() == [4, 0, 0]
        moved = _moved(columns, centres, found, "mean", 1)
        assert {tuple(row) for row in moved[1:].tolist()} == {(40.0, 40.0), (90.0, 10.0)}


class TestSameEverywhere:
    def everything(self, **options):
        found = [anchors.cluster(PHOTO, k=k, update=u, **options) for k in (2, 9, 300) for u in ("mean", "median")]
        return [(f.sizes.tobytes(), f.counts.tobytes(), f.mean_iou, f.rounds) for f in found]

    def test_threads(self):
        many = np.tile(PHOTO, (5, 1)) * RNG.uniform(0.9, 1.1, (15_000, 2))
        one = anchors.cluster(many, threads=1, rounds=20)
        for threads in (2, 5):
            other = anchors.cluster(many, threads=threads, rounds=20)
            assert other.sizes.tobytes() == one.sizes.tobytes() and other.mean_iou == one.mean_iou
        assert self.everything(threads=1) == self.everything(threads=3)

    def test_instruction_sets(self):
        try:
            answers = []
            for name in ("avx512", "avx2", "baseline"):
                _native.limit_isa(name)
                answers.append(self.everything(rounds=9))
        finally:
            _native.limit_isa("avx512")
        assert answers[0] == answers[1] == answers[2]

    def test_seeds_differ_and_repeat(self):
        assert anchors.cluster(PHOTO, seed=1).sizes.tobytes() == anchors.cluster(PHOTO, seed=1).sizes.tobytes()
        assert anchors.cluster(PHOTO, seed=1).sizes.tobytes() != anchors.cluster(PHOTO, seed=2).sizes.tobytes()

    def test_known_answer(self):
        """Written down once: the same on every machine and with every version of NumPy."""
        shapes = [[3 + 7 * i % 50, 4 + 11 * i % 70] for i in range(60)]
        found = anchors.cluster(shapes, k=3, seed=7)
        want = [[188 / 19, 689 / 19], [521 / 15, 238 / 15], [911 / 26, 1353 / 26]]
        assert found.sizes.tolist() == want and found.counts.tolist() == [19, 15, 26]
        assert found.mean_iou == 0.5546237880508127 and found.rounds == 3 and found.recall == 59 / 60

    @settings(max_examples=20)
    @given(hnp.arrays(np.float64, (30, 2), elements=st.floats(1e-3, 1e3)))
    def test_libraries(self, shapes):
        torch = pytest.importorskip("torch")
        if different(shapes) < 3:
            return
        found, plain = anchors.cluster(torch.tensor(shapes), k=2), anchors.cluster(shapes, k=2)
        assert found.sizes.dtype == torch.float64 and found.sizes.tolist() == plain.sizes.tolist()
        assert found.counts.tolist() == plain.counts.tolist()

    def test_same_in_every_library(self, xp):
        found, plain = anchors.cluster(xp(PHOTO[:99]), k=4), anchors.cluster(PHOTO[:99], k=4)
        assert xp.back(found.sizes).tolist() == plain.sizes.tolist()
        assert xp.back(found.counts).tolist() == plain.counts.tolist()

    @pytest.mark.parametrize("given, want", [("float16", "float32"), ("float32", "float32"), ("uint8", "float64")])
    def test_dtype(self, given, want):
        shapes = np.random.default_rng(0).integers(1, 200, (40, 2)).astype(given)
        assert anchors.cluster(shapes, k=3).sizes.dtype == want


class TestRefused:
    @pytest.mark.parametrize(
        "shapes, options, message",
        [
            pytest.param([[1, 1], [0, 5]], {}, "`shapes` row 1 must have area; got 0 × 5", id="no width"),
            pytest.param([[1, 1], [1e-200, 1e-200]], {}, "`shapes` row 1 must have area", id="area underflows"),
            pytest.param([[1, 1], [np.nan, 5]], {}, "`shapes` row 1 must be finite", id="NaN"),
            pytest.param([[1, np.inf]], {}, "`shapes` row 0 must be finite", id="infinity"),
            pytest.param([[1, -3]], {}, "`shapes` row 0 must not have a negative side; got 1 × -3", id="negative"),
            pytest.param([[1e200, 1]], {}, "`shapes` row 0 is too large", id="too large"),
            pytest.param([[1, 1, 2, 2]], {}, r"shape \(N, 2\).*Boxes\(a\)\.to\(\"xywh\"\)", id="boxes"),
            pytest.param([1, 2], {}, r"shape \(N, 2\).*got \(2,\)", id="one shape"),
            pytest.param([], {"k": 1}, "at least k = 1 different shapes; got 0", id="nothing"),
            pytest.param([[1, 1]] * 9, {"k": 2}, "at least k = 2 different shapes; got 1. Ask for k=1", id="one shape"),
            pytest.param([[1, 1]], {"k": 0}, "`k` must be a whole number above 0", id="k"),
            pytest.param([[1, 1]], {"rounds": 0}, "`rounds` must be a whole number above 0", id="rounds"),
            pytest.param([[1, 1]], {"seed": -1}, "`seed` must be a whole number that is not negative", id="seed"),
            pytest.param([[1, 1]], {"seed": 0.5}, "`seed` must be a whole number", id="seed of another kind"),
            pytest.param([[1, 1]], {"update": "mode"}, '`update` must be one of "mean", "median"', id="update"),
        ],
    )
    def test_values(self, shapes, options, message):
        with pytest.raises(ValueError, match=message):
            anchors.cluster(shapes, **options)

    def test_kinds(self):
        with pytest.raises(TypeError, match="`shapes` must hold integers or floats"):
            anchors.cluster([["a", "b"]])
        with pytest.raises(TypeError, match="masked array"):
            anchors.cluster(np.ma.masked_array([[1, 2]]))
