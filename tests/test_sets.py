"""Finite sets against Python's own, integers and names; hits and misses as parts."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import strategies
from vesica import (
    Boxes,
    Parts,
    Sets,
    SizeValueError,
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
from vesica.regions import comparable

integers = st.sets(st.one_of(st.integers(0, 12), st.sampled_from([-(2**63), 2**63 - 1, 10**12])), max_size=9)
names = st.sets(st.one_of(st.sampled_from("abcdefg"), st.tuples(st.integers(0, 2), st.just("x"))), max_size=6)
collections = st.one_of(*(st.tuples(st.lists(k, max_size=7), st.lists(k, max_size=7)) for k in (integers, names)))
REGION_MEASURES = (iou, distance, dice, coverage, overlap, tversky)


def shared(a, b):
    return np.array([[len(x & y) for y in b] for x in a], np.int64).reshape(len(a), len(b))


class TestAgainstPython:
    @given(collections)
    def test_shared(self, pair):
        a, b = pair
        p = parts(Sets(a), Sets(b))
        assert p.inter.dtype == np.int64 and np.array_equal(p.inter, shared(a, b))
        assert p.area_a.ravel().tolist() == [len(x) for x in a] and p.area_b.ravel().tolist() == [len(y) for y in b]

    @given(collections)
    def test_jaccard(self, pair):
        a, b = pair
        want = np.array([[float(oracles.jaccard(x, y)) for y in b] for x in a]).reshape(len(a), len(b))
        assert np.array_equal(iou(Sets(a), Sets(b)), want)
        n = min(len(a), len(b))
        assert np.array_equal(iou(Sets(a[:n]), Sets(b[:n]), aligned=True), np.diag(want)[:n])

    @given(collections)
    def test_fused_is_the_formula(self, pair):
        a, b = (Sets(side) for side in pair)
        p = parts(a, b)
        for measure in REGION_MEASURES:
            assert np.array_equal(measure(a, b, empty=0.5), measure(p, empty=0.5))

    @given(collections, strategies.thresholds)
    def test_join_is_the_matrix(self, pair, at_least):
        a, b = (Sets(side) for side in pair)
        for measure in (iou, dice, coverage, overlap, tversky):
            matrix, pairs = measure(a, b), join(a, b, at_least=at_least, measure=measure)
            want = np.nonzero((matrix >= at_least) & (matrix > 0))
            assert (pairs.i.tolist(), pairs.j.tolist()) == (want[0].tolist(), want[1].tolist())
            assert np.array_equal(pairs.value, matrix[want])

    @given(collections, strategies.thresholds)
    def test_join_with_itself(self, pair, at_least):
        both = Sets([*pair[0], *pair[1]])
        matrix, pairs = np.triu(iou(both, both), 1), join(both, at_least=at_least)
        want = np.nonzero((matrix >= at_least) & (matrix > 0))
        assert (pairs.i.tolist(), pairs.j.tolist()) == (want[0].tolist(), want[1].tolist())
        turned = join(both, at_least=at_least, measure="coverage")
        assert np.array_equal(turned.value, coverage(both, both)[turned.i, turned.j])

    def test_join_with_keys(self):
        a, b = Sets([{1, 2}, {1}, {2}]), Sets([{1, 2}, {1, 2}])
        pairs = join(a, b, at_least=0.5, keys=(["x", "y", "x"], ["x", "y"]))
        assert (pairs.i.tolist(), pairs.j.tolist()) == ([0, 1, 2], [0, 1, 0])
        pairs = join(a, at_least=0.5, keys=["x", "y", "x"])
        assert (pairs.i.tolist(), pairs.j.tolist()) == ([0], [2])

    @given(collections, st.integers(1, 4))
    def test_best_is_the_matrix(self, pair, k):
        a, b = (Sets(side) for side in pair)
        found, matrix = best(a, b, k=k), iou(a, b)
        order = np.argsort(-matrix, axis=1, kind="stable")[:, :k]
        assert np.array_equal(found.index[:, : order.shape[1]], order)
        assert np.array_equal(found.value[:, : order.shape[1]], np.take_along_axis(matrix, order, 1))

    @given(collections)
    def test_there_and_back(self, pair):
        assert Sets(pair[0]).to_list() == pair[0]

    def test_threads_change_nothing(self):
        rng = np.random.default_rng(0)
        a, b = (Sets([rng.integers(0, 400, rng.integers(0, 60)) for _ in range(300)]) for _ in range(2))
        one, two = (join(a, b, at_least=0.05, threads=threads) for threads in (1, 2))
        assert len(one) > 1000 and all(np.array_equal(x, y) for x, y in zip(one, two, strict=True))
        assert np.array_equal(iou(a, b, threads=1), iou(a, b, threads=2))
        matrix = iou(a, b)
        assert np.array_equal(np.stack([one.i, one.j]), np.stack(np.nonzero(matrix >= 0.05)))

    def test_native_is_used(self, no_twin):
        a = Sets([{1, 2}, {3}])
        kernel = pick("measure", comparable(a, a, aligned=False), iou.chosen({}))
        assert kernel.backend == "native" and "flat arrays on the host" in kernel.why
        iou(a, a), join(a, at_least=0.5), best(a, a)


class TestMembers:
    def test_anything_that_can_be_walked(self):
        a = Sets([[3, 1, 3], (1, 3), {1: "x", 3: "y"}, np.array([3, 1], "uint8"), iter([1, 3]), range(1, 4, 2)])
        assert a.area.tolist() == [2] * 6 and np.all(iou(a, a) == 1)

    def test_tensors(self):
        torch = pytest.importorskip("torch")
        assert Sets([torch.tensor([5, 5, 7])]).to_list() == [{5, 7}]

    def test_arrays_of_strings(self):
        assert Sets([np.array(["b", "a", "b"])]).to_list() == [{"a", "b"}]

    def test_numpy_integers_are_integers(self):
        assert iou(Sets([{np.int8(3)}]), Sets([{3}])).tolist() == [[1.0]]

    def test_vocabularies_are_united(self):
        a, b = Sets([{"x", "y"}, {"z"}]), Sets([{"z", "q", "y"}, {"p"}])
        assert parts(a, b).inter.tolist() == [[1, 0], [1, 0]]

    def test_empty_sets_go_with_both(self):
        none = Sets([set(), []])
        assert iou(none, Sets([{1}])).tolist() == [[0], [0]] and iou(Sets([{"a"}]), none).tolist() == [[0, 0]]
        assert iou(none, none, empty=1.0).tolist() == [[1, 1], [1, 1]]

    def test_no_sets(self):
        none = Sets([])
        assert iou(none, Sets([{1}])).shape == (0, 1) and iou(Sets([{1}]), none).shape == (1, 0)
        assert len(none) == 0 and none.area.tolist() == [] and len(join(none, none, at_least=0.5)) == 0
        assert best(Sets([{1}]), none).index.tolist() == [[-1]] and none.to_list() == []

    def test_index(self):
        a = Sets([{"a"}, {"b", "c"}, set()])
        assert a[1].to_list() == [{"b", "c"}] and a[[2, 0]].to_list() == [set(), {"a"}]
        assert a[np.array([False, True, False])].to_list() == [{"b", "c"}] and a[5:].to_list() == []

    def test_one_axis(self):
        with pytest.raises(IndexError, match="one axis to take rows of"):
            Sets([[1], [2]])[[[0, 1]]]

    def test_frozen_and_copied(self):
        a = Sets([{"a"}, {"b", "c"}])
        with pytest.raises(AttributeError, match="frozen"):
            a.area = 3
        for other in (copy.deepcopy(a), pickle.loads(pickle.dumps(a))):
            assert other.to_list() == a.to_list() and iou(other, a, aligned=True).tolist() == [1, 1]
        assert repr(a) == "Sets(2, names)" and a.dtype == "float64" and a.shape == (2,)


SAY = [
    (["cat"], TypeError, "`sets` number 0 is 'cat': its letters would be the members. One member: {'cat'}"),
    ("cat", TypeError, "`sets` must be a list of sets; got 'cat'"),
    (3, TypeError, "`sets` must be a list of sets; got int"),
    ({1, 2}, TypeError, "number 0 must be a set of integers or hashable names; got 1. One set alone goes into a list"),
    ([{1}, {2, "a"}], TypeError, "`sets` number 1 must hold integers or names, not both"),
    ([{1}, {"a"}], TypeError, "number 1 has names, others integers"),
    ([{"a"}, {1}], TypeError, "number 1 has integers, others names"),
    ([[[1], [2]]], TypeError, "number 0 must be a set of integers or hashable names"),
    ([{1.5}], TypeError, "`sets` number 0 must hold integers or names; got 1.5"),
    ([{True}], TypeError, "must hold integers or names; got True"),
    (
        [{2**63}],
        ValueError,
        r"`sets` number 0 must hold integers from -2\^63 to 2\^63 - 1; got 9223372036854775808\. Use names: strings",
    ),
    (
        [np.array([2**63], "uint64")],
        ValueError,
        r"from -2\^63 to 2\^63 - 1; got 9223372036854775808\. Use names: strings",
    ),
    ([[0], [-(2**63) - 1]], ValueError, r"`sets` number 1 must hold .*; got -9223372036854775809\. Use names"),
    ([np.array([0.5])], TypeError, "must be integers or names in one row; got shape \\(1,\\) of float64"),
    ([np.array([[1]])], TypeError, "in one row; got shape \\(1, 1\\)"),
    ([np.array([1.5], object)], TypeError, "`sets` number 0 must hold integers or names; got 1.5"),
    ([np.array([{}, 1], object)], TypeError, "number 0 must be a set of integers or hashable names"),
]


class TestRefused:
    @pytest.mark.parametrize("sets, kind, message", SAY)
    def test_message(self, sets, kind, message):
        with pytest.raises(kind, match=message):
            Sets(sets)

    def test_integers_with_names(self):
        with pytest.raises(TypeError, match="both hold integers or both hold names; got integers and names"):
            iou(Sets([{1}]), Sets([{"a"}]))

    def test_other_kinds(self):
        with pytest.raises(TypeError, match="Sets and Boxes have no exact overlap.*sets alone"):
            iou(Sets([{1}]), Boxes([[0, 0, 1, 1]]))

    def test_aligned_lengths(self):
        with pytest.raises(SizeValueError, match="got 1 and 2"):
            iou(Sets([{1}]), Sets([{1}, {2}]), aligned=True)

    def test_measures_of_the_hull(self):
        with pytest.raises(TypeError, match="giou is not defined for sets"):
            giou(Sets([{1}]), Sets([{1}]))


class TestFromCounts:
    def test_formulas(self, xp):
        p = Parts.from_counts(xp([3, 0, 5], "int64"), xp([1, 0, 0], "int64"), xp([3, 2, 0], "int64"))
        assert xp.back(iou(p)).tolist() == [3 / 7, 0, 1] and xp.back(dice(p)).tolist() == [6 / 10, 0, 1]
        assert xp.back(coverage(p, empty=0.5)).tolist() == [3 / 4, 0.5, 1]  # precision
        assert xp.back(coverage(p, of="b")).tolist() == [3 / 6, 0, 1]  # recall
        assert xp.back(tversky(p, alpha=2, beta=0)).tolist() == [3 / 5, 0, 1]
        assert xp.back(tversky(p, alpha=0, beta=2)).tolist() == [3 / 9, 0, 1]

    def test_numbers(self):
        assert float(iou(Parts.from_counts(3, 1, 3))) == 3 / 7
        assert float(iou(Parts.from_counts(0, 0, 0), empty=1.0)) == 1

    def test_small_integers_do_not_wrap(self):
        count = np.array([200], "uint8")
        assert dice(Parts.from_counts(count, count, count)).tolist() == [0.5]

    def test_soft_counts_keep_dtype_and_gradient(self):
        torch = pytest.importorskip("torch")
        tp, fp, fn = (torch.tensor([x], dtype=torch.float32, requires_grad=True) for x in (3.0, 1.0, 3.0))
        value = dice(Parts.from_counts(tp, fp, fn))
        value.sum().backward()
        assert value.dtype == torch.float32 and float(fp.grad) < 0 < float(tp.grad)

    def test_scikit_learn(self):
        metrics = pytest.importorskip("sklearn.metrics")
        rng = np.random.default_rng(0)
        truth, guess = rng.integers(0, 5, (2, 400))
        tn_fp_fn_tp = metrics.multilabel_confusion_matrix(truth, guess).reshape(5, 4)
        p = Parts.from_counts(tn_fp_fn_tp[:, 3], tn_fp_fn_tp[:, 1], tn_fp_fn_tp[:, 2])
        assert iou(p) == pytest.approx(metrics.jaccard_score(truth, guess, average=None), abs=1e-15)
        assert dice(p) == pytest.approx(metrics.f1_score(truth, guess, average=None), abs=1e-15)
        for beta in (0.5, 2.0):  # F-beta is tversky with the weights of its definition
            weights = {"alpha": 1 / (1 + beta**2), "beta": beta**2 / (1 + beta**2)}
            want = metrics.fbeta_score(truth, guess, beta=beta, average=None)
            assert tversky(p, **weights) == pytest.approx(want, abs=1e-14)

    @pytest.mark.parametrize(
        "counts, kind, message",
        [
            ((1, -2, 3), ValueError, "`fp` must not be negative; got -2"),
            (([1, 2], [0, 0], [0, -1]), ValueError, "`fn` must not be negative; got -1"),
            (("a", 0, 0), TypeError, "`tp` must be numbers"),
            ((float("nan"), 0, 0), ValueError, "`tp` must not be negative; got nan"),
        ],
    )
    def test_refused(self, counts, kind, message):
        with pytest.raises(kind, match=message):
            Parts.from_counts(*counts)

    def test_libraries_do_not_mix(self):
        torch = pytest.importorskip("torch")
        with pytest.raises(TypeError, match="`tp` and `fn` must be arrays of one library; got torch and numpy"):
            Parts.from_counts(torch.tensor([1]), torch.tensor([1]), np.array([1]))
