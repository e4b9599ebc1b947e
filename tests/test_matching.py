"""Matching: greedy as a plain loop has it, optimal as scipy has it, and never a hang."""

import dataclasses
import itertools
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import oracles
import strategies
from backends import careful
from vesica import (
    Boxes,
    LabelMap,
    Masks,
    Matches,
    Polygons,
    RleMasks,
    RotatedBoxes,
    Sets,
    SizeValueError,
    SparseMasks,
    _native,
    assign,
    iou,
    match,
)
from vesica.overlaps.measures import MEASURES

both_ways = pytest.mark.usefixtures("both_ways")

CLOSE = 1e-9
FORBIDDEN = -np.inf
MOST = {"maximise": True}
# Three truths in a row; the first guess lies between two of them.
TRUTH = [[0, 0, 10, 10], [4, 0, 14, 10], [50, 0, 60, 10]]
GUESS = [[2, 0, 12, 10], [0, 0, 8, 10], [50, 0, 60, 9]]


def crowd(n, seed, side=60.0):
    rng = np.random.default_rng(seed)
    corner = rng.uniform(0, side, (n, 2))
    return np.concatenate([corner, corner + rng.uniform(2, 9, (n, 2))], axis=1)


def assert_sound(found, n, m, pair_value):
    """Both directions say the same, everybody is somewhere, and values are those of the pairs."""
    truth, guess, value = (np.asarray(column) for column in found)
    assert truth.dtype == guess.dtype == np.int64 and len(found) == len(truth) == len(guess) == len(value)
    assert np.all(np.diff(truth) > 0) and len(set(guess.tolist())) == len(guess)
    assert found.guess_of.shape == (n,) and found.truth_of.shape == (m,)
    assert found.guess_of[truth].tolist() == guess.tolist() and found.truth_of[guess].tolist() == truth.tolist()
    assert found.unmatched_truth.tolist() == [i for i in range(n) if i not in truth]
    assert found.unmatched_guess.tolist() == [j for j in range(m) if j not in guess]
    assert np.flatnonzero(found.guess_of < 0).tolist() == found.unmatched_truth.tolist()
    assert np.flatnonzero(found.truth_of < 0).tolist() == found.unmatched_guess.tolist()
    assert value.tolist() == [pair_value[i, j] for i, j in zip(truth, guess, strict=True)]


def by_loop(truth, guess, scores, at_least, strict, keys):
    """Greedy, in exact fractions."""
    order = sorted(range(len(guess)), key=lambda j: (-scores[j], j)) if scores is not None else range(len(guess))
    taken = {}
    for j in order:
        best, at = None, None
        for i in range(len(truth)):
            if i in taken or (keys is not None and keys[0][i] != keys[1][j]):
                continue
            value = oracles.iou(truth[i], guess[j])
            reaches = value > at_least if strict else value >= at_least
            if value > 0 and reaches and (best is None or value > best):
                best, at = value, i
        if at is not None:
            taken[at] = j
    return [taken.get(i, -1) for i in range(len(truth))]


def largest(values):
    """SciPy's choice: rows and their columns."""
    from scipy.optimize import linear_sum_assignment  # late: a worker that does without is smaller

    return linear_sum_assignment(values, maximize=True)


def largest_sum(values):
    """With nobody forced: what gains nothing is worth as much as no pair."""
    worth = np.where(values > 0, values, 0.0)
    return worth[largest(worth)].sum()


def most_pairs(values):
    """How many pairs there can be, and their largest sum."""
    allowed = values > FORBIDDEN
    large = 4.0 * min(values.shape) * (np.abs(values[allowed]).max(initial=0) + 1)
    rows, columns = largest(np.where(allowed, values + large, 0.0))
    pairs = allowed[rows, columns]
    return pairs.sum(), values[rows, columns][pairs].sum()


def all_choices(values):
    """Every choice of pairs, as (number of pairs, sum)."""
    n, m = values.shape
    for columns in itertools.product(range(-1, m), repeat=n):
        chosen = [(i, j) for i, j in enumerate(columns) if j >= 0]
        if len({j for _, j in chosen}) == len(chosen) and all(values[p] > FORBIDDEN for p in chosen):
            yield len(chosen), sum(values[p] for p in chosen)


_small = st.one_of(st.integers(-3, 3).map(float), st.just(FORBIDDEN))
_smooth = st.one_of(st.floats(-10, 10), st.just(FORBIDDEN))
matrices = st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from([_small, _smooth])).flatmap(
    lambda drawn: hnp.arrays("float64", drawn[:2], elements=drawn[2])
)
tiny = st.tuples(st.integers(0, 3), st.integers(0, 3)).flatmap(lambda s: hnp.arrays("float64", s, elements=_small))
keys_of = {"min_size": 12, "max_size": 12}


@both_ways
class TestGreedy:
    @given(
        strategies.tables(dtype="int64"),
        strategies.tables(dtype="int64"),
        st.none() | st.lists(st.integers(0, 3), **keys_of),
        st.none() | st.tuples(*[st.lists(st.integers(0, 1), **keys_of)] * 2),
        st.sampled_from([0.1, 0.25, 0.5]),
        st.booleans(),
    )
    def test_is_the_plain_loop(self, truth, guess, scores, keys, t, strict):
        scores = scores and scores[: len(guess)]
        keys = keys and (keys[0][: len(truth)], keys[1][: len(guess)])
        found = match(truth, guess, scores=scores, keys=keys, at_least=t, strict=strict)
        want = by_loop(truth.tolist(), guess.tolist(), scores, Fraction(str(t)), strict, keys)
        assert found.guess_of.tolist() == want
        assert_sound(found, len(truth), len(guess), iou(truth, guess))

    def test_the_higher_score_chooses_first(self):
        truth, guess = [[0, 0, 10, 10]], [[0, 0, 10, 9], [0, 0, 10, 8]]
        assert match(truth, guess, scores=[0.1, 0.9]).guess_of.tolist() == [1]
        assert match(truth, guess, scores=[0.9, 0.1]).guess_of.tolist() == [0]

    def test_without_scores_the_first_row_does(self):
        assert match([[0, 0, 10, 10]], [[0, 0, 10, 6], [0, 0, 10, 10]]).guess_of.tolist() == [0]

    def test_equal_scores_go_by_row(self):
        boxes = [[0, 0, 10, 10]] * 3
        assert match(boxes, boxes, scores=[1, 1, 1]).guess_of.tolist() == [0, 1, 2]

    def test_a_tie_goes_to_the_first_truth(self):
        """COCO gives it to the last one."""
        truth = [[0, 0, 10, 10], [2, 0, 12, 10]]
        assert match(truth, [[1, 0, 11, 10]]).truth_of.tolist() == [0]

    def test_a_taken_truth_leaves_the_next_best(self):
        truth, guess = [[0, 0, 10, 10], [3, 0, 13, 10]], [[0, 0, 10, 10], [1, 0, 11, 10]]
        found = match(truth, guess, at_least=0.5)
        assert found.truth_of.tolist() == [0, 1] and found.value.tolist() == [1.0, 80 / 120]

    def test_seed_002_wants_more_than_a_half(self):
        truth, guess = [[0, 0, 10, 10]], [[0, 0, 10, 5]]
        assert len(match(truth, guess)) == 1 and len(match(truth, guess, strict=True)) == 0
        assert len(match(truth, [[0, 0, 10, 6]], strict=True)) == 1

    @pytest.mark.parametrize("dtype", ["uint8", "int64", "float16", "float64"])
    def test_scores_of_any_dtype(self, dtype):
        boxes = [[0, 0, 10, 10]] * 4
        scores = np.array([0, 3, 1, 3], dtype)
        assert match(boxes[:2], boxes, scores=scores).guess_of.tolist() == [1, 3]

    def test_infinite_scores_are_scores(self):
        boxes = [[0, 0, 10, 10]] * 3
        assert match(boxes[:1], boxes, scores=[-np.inf, 0.0, np.inf]).guess_of.tolist() == [2]

    def test_scores_of_another_library(self):
        torch = pytest.importorskip("torch")
        scores = torch.tensor([0.1, 0.9], requires_grad=True)
        assert match([[0, 0, 1, 1]], [[0, 0, 1, 1]] * 2, scores=scores).guess_of.tolist() == [1]


class TestOptimal:
    @given(
        strategies.tables(), strategies.tables(), strategies.thresholds, st.sampled_from(["iou", "dice", "coverage"])
    )
    def test_is_scipy_on_the_gated_matrix(self, truth, guess, t, name):
        found = match(truth, guess, at_least=t, how="optimal", measure=name)
        values = MEASURES[name](truth, guess)
        gated = np.where(values >= t, values, 0.0)
        assert abs(found.value.sum() - largest_sum(gated)) < CLOSE
        assert_sound(found, len(truth), len(guess), values)

    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("side", [4.0, 30.0, 400.0])
    def test_crowds(self, seed, side):
        """Few large components, lists of pairs and matrices, truths more and fewer than guesses."""
        truth, guess = crowd(90 + 40 * seed, seed, side), crowd(140, seed + 10, side)
        values = iou(truth, guess)
        for t in (0.05, 0.3):
            gated = np.where(values >= t, values, FORBIDDEN)
            for first in (False, True):
                found = match(truth, guess, at_least=t, how="optimal", count_first=first)
                assert_sound(found, len(truth), len(guess), values)
                count, total = most_pairs(gated) if first else (len(found), largest_sum(gated))
                assert len(found) == count and abs(found.value.sum() - total) < CLOSE

    def test_differs_from_greedy(self):
        greedy, best = match(TRUTH, GUESS, at_least=0.4), match(TRUTH, GUESS, at_least=0.4, how="optimal")
        assert greedy.guess_of.tolist() == [0, -1, 2] and best.guess_of.tolist() == [1, 0, 2]
        assert best.value.sum() > greedy.value.sum()

    def test_count_first(self):
        """One pair of 1, or two of 1/3 each: the sum wants the one, the count both."""
        truth, guess = [[0, 0, 10, 10], [5, 0, 15, 10]], [[-5, 0, 5, 10], [0, 0, 10, 10]]
        one = match(truth, guess, at_least=0.3, how="optimal")
        two = match(truth, guess, at_least=0.3, how="optimal", count_first=True)
        assert one.guess_of.tolist() == [1, -1] and two.guess_of.tolist() == [0, 1]

    def test_all_below(self):
        found = match([[0, 0, 1, 1]], [[5, 5, 6, 6]], how="optimal")
        assert len(found) == 0 and found.unmatched_truth.tolist() == found.unmatched_guess.tolist() == [0]

    def test_keys_separate(self):
        boxes = [[0, 0, 10, 10]] * 3
        for how in ("greedy", "optimal"):
            found = match(boxes, boxes, how=how, keys=(["cat", "dog", "cow"], ["cow", "cat", "cat"]))
            assert found.guess_of.tolist()[1:] == [-1, 0] and found.guess_of[0] in (1, 2)

    def test_many_images_are_as_each_alone(self):
        """Images and classes are keys: one call is the calls of all, in one order."""
        rng = np.random.default_rng(3)
        truth, guess, scores = crowd(300, 1, 30), crowd(400, 2, 30), rng.random(400)
        keys = rng.integers(0, 12, (300, 2)), rng.integers(0, 12, (400, 2))
        for how in ("greedy", "optimal"):
            told = {"scores": scores} if how == "greedy" else {}
            found = match(truth, guess, at_least=0.2, how=how, keys=keys, **told)
            want = np.full(300, -1)
            for key in itertools.product(range(12), repeat=2):
                here, there = (np.flatnonzero((side == key).all(axis=1)) for side in keys)
                told = {"scores": scores[there]} if how == "greedy" else {}
                alone = match(truth[here], guess[there], at_least=0.2, how=how, **told)
                want[here[alone.truth]] = there[alone.guess]
            assert found.guess_of.tolist() == want.tolist()


@both_ways
class TestAssign:
    @given(matrices)
    def test_largest_sum(self, values):
        found = assign(values, maximise=True)
        assert_sound(found, *values.shape, values)
        assert np.all(found.value > 0) and abs(found.value.sum() - largest_sum(values)) < CLOSE

    @given(matrices)
    def test_most_pairs_first(self, values):
        found = assign(values, count_first=True, maximise=True)
        assert_sound(found, *values.shape, values)
        count, total = most_pairs(values)
        assert len(found) == count and abs(found.value.sum() - total) < CLOSE

    @given(matrices)
    def test_complete_is_scipy(self, values):
        try:
            want = values[largest(values)].sum()
        except ValueError:
            with pytest.raises(ValueError, match="needs a pair for every (row|column)"):
                assign(values, complete=True, maximise=True)
            return
        found = assign(values, complete=True, maximise=True)
        assert_sound(found, *values.shape, values)
        assert len(found) == min(values.shape) and abs(found.value.sum() - want) < CLOSE
        costs = assign(-values, minimise=True, complete=True)
        assert abs(costs.value.sum() + want) < CLOSE

    @given(tiny)
    def test_nothing_is_better(self, values):
        """Against every choice that there is."""
        choices = list(all_choices(values))
        assert abs(assign(values, maximise=True).value.sum() - max(total for _, total in choices)) < CLOSE
        most = assign(values, count_first=True, maximise=True)
        assert (len(most), most.value.sum()) == max(choices)

    @given(matrices, st.sampled_from([-2, 0, 1, 2.5]), st.booleans())
    def test_gate(self, values, t, strict):
        gated = np.where(values > t if strict else values >= t, values, FORBIDDEN)
        assert abs(assign(values, at_least=t, strict=strict).value.sum() - largest_sum(gated)) < CLOSE
        count, total = most_pairs(gated)
        for found in (
            assign(values, at_least=t, strict=strict, count_first=True),
            assign(-values, at_most=-t, strict=strict, count_first=True, minimise=True),
        ):
            assert len(found) == count and abs(abs(found.value.sum()) - abs(total)) < CLOSE

    @pytest.mark.parametrize("shape", [(70, 70), (40, 130), (130, 40), (1, 64), (64, 1), (9, 65)])
    @pytest.mark.parametrize("kind", ["smooth", "ties", "one", "product", "few"])
    def test_larger_ones(self, shape, kind):
        rng = np.random.default_rng(7)
        values = {
            "smooth": lambda: rng.uniform(-1, 1, shape),
            "ties": lambda: rng.integers(-3, 4, shape).astype(float),
            "one": lambda: np.ones(shape),
            "product": lambda: np.outer(np.arange(shape[0]), np.arange(shape[1])) - 50.0,
            "few": lambda: np.where(rng.random(shape) < 0.1, rng.random(shape), FORBIDDEN),
        }[kind]()
        assert abs(assign(values, maximise=True).value.sum() - largest_sum(values)) < CLOSE
        count, total = most_pairs(values)
        most = assign(values, count_first=True, maximise=True)
        assert len(most) == count and abs(most.value.sum() - total) < CLOSE
        if kind != "few":
            want = values[largest(values)].sum()
            assert abs(assign(values, complete=True, maximise=True).value.sum() - want) < CLOSE

    def test_what_gains_nothing_is_not_chosen(self):
        found = assign([[0.0, -1.0], [-2.0, 0.0]], maximise=True)
        assert len(found) == 0 and found.unmatched_truth.tolist() == [0, 1]
        for values in ([[1.0, 0.0], [5.0, -1.0]], [[0.0, 1.0], [-1.0, 5.0]]):
            found = assign(np.array(values), maximise=True)
            assert found.unmatched_truth.tolist() == [0] and found.value.tolist() == [5.0]

    def test_the_count_is_exact_where_a_large_number_would_round(self):
        """1e17 + 1 is 1e17: to add a large number to each value would lose the difference."""
        values = np.array([[1e17, 1.0], [1e17, 2.0]])
        assert assign(values, count_first=True, maximise=True).guess_of.tolist() == [0, 1]
        assert assign(-values, count_first=True, maximise=True).guess_of.tolist() == [1, 0]

    def test_integers_stay(self):
        found = assign(np.array([[3, 1], [2, 2]], "uint8"), maximise=True)
        assert found.value.dtype == np.uint8 and found.value.tolist() == [3, 2]

    @pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
    def test_a_limit_in_the_dtype_of_the_values(self, dtype):
        values = np.array([[0.7]], dtype)
        assert len(assign(values, at_least=0.7)) == 1 and len(assign(values, at_least=0.7, strict=True)) == 0
        assert len(assign(values, at_most=0.7, minimise=True, count_first=True)) == 1

    def test_of_a_list_and_not_in_order(self):
        values = np.random.default_rng(0).random((6, 8))
        want = assign(values, maximise=True).guess_of.tolist()
        assert (
            assign(values.tolist(), maximise=True).guess_of.tolist()
            == assign(np.asfortranarray(values), maximise=True).guess_of.tolist()
            == want
        )
        wide = np.zeros((12, 16))
        wide[::2, ::2] = values
        assert assign(wide[::2, ::2], maximise=True).guess_of.tolist() == want

    def test_same_in_every_library(self, xp):
        values = np.random.default_rng(1).uniform(-1, 1, (7, 5))
        want, found = assign(values, maximise=True), assign(xp(values), maximise=True)
        kind = type(xp(values))
        for field in dataclasses.fields(Matches):
            here = getattr(found, field.name)
            assert isinstance(here, kind)
            assert xp.back(here).tolist() == getattr(want, field.name).tolist()

    def test_the_gradient_of_the_chosen_values(self):
        torch = pytest.importorskip("torch")
        values = torch.tensor([[0.9, 0.8], [0.7, 0.1]], requires_grad=True)
        assign(values, maximise=True).value.sum().backward()
        assert values.grad.tolist() == [[0.0, 1.0], [1.0, 0.0]]

    def test_bfloat16(self):
        torch = pytest.importorskip("torch")
        values = torch.tensor([[0.7, 0.2]], dtype=torch.bfloat16)
        found = assign(values, at_least=0.7)
        assert found.value.dtype == torch.bfloat16 and found.guess.tolist() == [0]


@both_ways
class TestNeverHangs:
    @pytest.mark.parametrize(
        "values",
        [
            pytest.param(np.array([[1.0, 1 + 1e-16], [1.0, 1 + 3e-16], [1.0, 1.0]]), id="no room between"),
            pytest.param(np.array([[1e280, 1e-300], [1e280, 2e-300]]), id="far apart"),
            pytest.param(np.array([[5e-324, 1e-323], [1e-323, 5e-324]]), id="the smallest"),
            pytest.param(np.full((40, 40), -(2.0**960)), id="the lowest"),
            pytest.param(np.where(np.eye(30, dtype=bool), FORBIDDEN, 2.0**960), id="the largest"),
            pytest.param(np.add.outer(np.arange(40), np.arange(40)) * 0.1, id="all sums equal"),
            pytest.param(1 / (1.0 + np.add.outer(np.arange(50), np.arange(50))), id="Hilbert"),
        ],
    )
    def test_odd_numbers(self, values):
        for options in ({}, {"count_first": True}, {"complete": True}):
            assert_sound(assign(values, **options, maximise=True), *values.shape, values)

    @pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
    def test_empty(self, shape):
        for options in ({}, {"count_first": True}, {"complete": True}, {"at_least": 0.5}):
            found = assign(np.zeros(shape, "float32"), **options, maximise=True)
            assert_sound(found, *shape, np.zeros(shape))
            assert found.value.dtype == np.float32

    def test_all_forbidden(self):
        assert len(assign(np.full((3, 3), FORBIDDEN), count_first=True, maximise=True)) == 0


class TestComplete:
    def test_of_regions_is_every_truth(self):
        truth, guess = [[0, 0, 10, 10], [0, 0, 10, 8]], [[0, 0, 10, 10], [0, 0, 10, 9], [0, 0, 10, 8]]
        found = match(truth, guess, how="optimal", complete=True)
        assert found.guess_of.tolist() == [0, 2]
        with pytest.raises(ValueError, match="needs a guess for every truth; row"):
            match(guess, truth, how="optimal", complete=True)

    def test_takes_less_where_it_must(self):
        """The free choice leaves the first truth alone."""
        truth, guess = [[0, 0, 10, 10], [5, 0, 15, 10]], [[-5, 0, 5, 10], [0, 0, 10, 10]]
        assert match(truth, guess, at_least=0.3, how="optimal", complete=True).guess_of.tolist() == [0, 1]

    def test_names_the_lonely_row(self):
        with pytest.raises(
            ValueError, match=r"row 1 of `truth` has none that reaches the threshold\. Lower `at_least`"
        ):
            match([[0, 0, 1, 1], [5, 5, 6, 6]], [[0, 0, 1, 1]], how="optimal", complete=True)
        with pytest.raises(ValueError, match="row 0 of `truth` has none"):
            match([[0, 0, 1, 1]], [], how="optimal", complete=True)

    @pytest.mark.parametrize("threads", [1, 3])
    def test_names_the_first_crowd(self, threads):
        """Three truths on two guesses, many times over."""
        one = np.array([[0, 0, 10, 10]])
        truth = np.concatenate([one + [100 * k, 0, 100 * k, 0] for k in range(2000) for _ in range(2 + (k >= 1500))])
        guess = np.concatenate([one + [100 * k, 0, 100 * k, 0] for k in range(2000) for _ in range(2)])
        with pytest.raises(ValueError, match="row 300[0-2] and 2 others have only 2 guesses in reach"):
            match(truth, guess, how="optimal", complete=True, threads=threads)

    @pytest.mark.parametrize("turned", [False, True])
    def test_of_a_matrix_is_the_shorter_side(self, turned):
        values = np.array([[1.0, FORBIDDEN, FORBIDDEN, FORBIDDEN], [2.0, FORBIDDEN, FORBIDDEN, FORBIDDEN]])
        values, name = (values.T, "column") if turned else (values, "row")
        with pytest.raises(
            ValueError,
            match=f"every {name} of `values`; {name} [01] and 1 other have only 1 (row|column) that is allowed",
        ):
            assign(values, complete=True, maximise=True)
        values = values.copy()
        values[values == 2.0] = FORBIDDEN
        with pytest.raises(ValueError, match=f"{name} 1 has none that is allowed"):
            assign(values, complete=True, maximise=True)


class TestKinds:
    """Whatever join compares; the answer is that of the matrix."""

    STACK = np.random.default_rng(5).random((6, 9, 9)) < 0.6
    OTHER = np.roll(STACK, 1, axis=0) ^ (np.random.default_rng(6).random((6, 9, 9)) < 0.1)
    SQUARES = np.concatenate([corner := np.random.default_rng(7).uniform(0, 6, (9, 2)), corner + 3], axis=1)

    @pytest.mark.parametrize(
        "truth, guess",
        [
            pytest.param(Masks(STACK), Masks(OTHER), id="masks"),
            pytest.param(RleMasks.from_masks(STACK), SparseMasks.from_masks(OTHER), id="runs and indices"),
            pytest.param(Masks(STACK), [[0, 0, 9, 9], [1, 1, 7, 8], [8, 8, 9, 9]], id="masks and boxes"),
            pytest.param(Boxes(SQUARES), RotatedBoxes([[4, 4, 3, 3, 30]], unit="deg", direction="cw"), id="rotated"),
            pytest.param(Polygons.from_boxes(Boxes(SQUARES)), Boxes(SQUARES[::-1] + 0.5), id="polygons"),
            pytest.param(Sets([{1, 2}, {3}, {4, 5}]), Sets([{2, 3}, {5}, {1, 2, 9}]), id="sets"),
            pytest.param(LabelMap(STACK.argmax(axis=0)), LabelMap(OTHER.argmax(axis=0)), id="labels"),
        ],
    )
    def test_kind(self, truth, guess):
        values = np.asarray(iou(truth, guess))
        found = match(truth, guess, at_least=0.25, how="optimal")
        want = assign(values, at_least=0.25)
        assert_sound(found, *values.shape, values)
        assert len(found) == len(want) > 0 and abs(found.value.sum() - want.value.sum()) < CLOSE
        assert_sound(match(truth, guess, at_least=0.25), *values.shape, values)

    def test_options_of_the_measure(self):
        found = match([[0, 0, 10, 10]], [[2, 2, 4, 4]], at_least=1, measure="coverage", of="b")
        assert len(found) == 1 and len(match([[0, 0, 10, 10]], [[2, 2, 4, 4]], at_least=1, measure="coverage")) == 0

    def test_same_in_every_library(self, xp):
        truth, guess, scores = crowd(30, 1, 12), crowd(40, 2, 12), np.random.default_rng(0).random(40)
        for options in ({"scores": xp(scores)}, {"how": "optimal"}, {"how": "optimal", "count_first": True}):
            plain = {**options, "scores": scores} if "scores" in options else options
            found = match(xp(truth), xp(guess), at_least=0.2, **options)
            want = match(truth, guess, at_least=0.2, **plain)
            for field in dataclasses.fields(Matches):
                assert isinstance(getattr(found, field.name), type(xp(truth)))
                assert xp.back(getattr(found, field.name)).tolist() == getattr(want, field.name).tolist()

    def test_the_gradient_of_the_values(self):
        torch = pytest.importorskip("torch")
        guess = torch.tensor([[0.0, 0, 8, 10]], requires_grad=True)
        match(torch.tensor([[0.0, 0, 10, 10]]), guess).value.sum().backward()
        assert guess.grad.abs().sum() > 0

    def test_half_precision_is_ordered_before_it_is_rounded(self):
        """2046/2048 and (2047/2048)² are one number in float16, and the second is larger all the same."""
        guess = np.float16([[0, 0, 2048, 2048]])
        truth = np.float16([[0, 0, 2046, 2048], [0, 0, 2047, 2047]])
        for how in ("greedy", "optimal"):
            found = match(truth, guess, how=how)
            assert found.truth.tolist() == [1] and found.value.dtype == np.float16

    def test_numbers_nobody_checked(self):
        strange = Boxes([[np.nan, 0, 1, 1], [0, 0, 1, 1]], check=False)
        for how in ("greedy", "optimal"):
            assert match([[0, 0, 1, 1]], strange, how=how).guess_of.tolist() == [1]


@both_ways
class TestMatches:
    def test_unpacks(self):
        truth, guess, value = match(TRUTH, GUESS, at_least=0.4, how="optimal")
        assert (
            truth.tolist() == [0, 1, 2] and guess.tolist() == [1, 0, 2] and value.round(3).tolist() == [0.8, 0.667, 0.9]
        )

    def test_is_frozen(self):
        with pytest.raises(dataclasses.FrozenInstanceError):
            match(TRUTH, GUESS).truth = None

    def test_repr(self):
        assert repr(match(TRUTH, GUESS[:1])) == "<Matches: 1 pair, 2 of 3 truths unmatched, 0 of 1 guesses unmatched>"

    def test_empty(self, xp):
        none, some = xp(np.zeros((0, 4))), xp([[0, 0, 1, 1]])
        for how in ("greedy", "optimal"):
            for truth, guess in ((none, some), (some, none), (none, none)):
                found = match(truth, guess, how=how)
                assert len(found) == 0 and found.guess_of.shape == truth.shape[:1]
                assert found.unmatched_guess.shape == guess.shape[:1]

    def test_nothing_is_written_to(self):
        truth, values = crowd(20, 0), np.random.default_rng(0).random((9, 4))
        before = truth.copy(), values.copy()
        for array in (truth, values):
            array.setflags(write=False)
        (
            match(truth, truth, how="optimal"),
            match(truth, truth),
            assign(values, maximise=True),
            assign(values.T, complete=True, maximise=True),
        )
        assert np.array_equal(truth, before[0]) and np.array_equal(values, before[1])


class TestKernel:
    def test_native_is_used(self, monkeypatch):
        """There is no other way: whatever the arrays are, the choice is made by the compiled kernel."""
        seen = []
        for name in ("assign_greedy", "assign_optimal", "assign_dense"):
            kernel = getattr(_native, name)
            monkeypatch.setattr(_native, name, lambda *call, _k=kernel, _n=name: (seen.append(_n), _k(*call))[1])
        with careful():  # the lane has an entry of its own
            match(TRUTH, GUESS)
            match(TRUTH, GUESS, how="optimal")
            assign(np.ones((3, 3)), maximise=True)
            assign(np.eye(9), maximise=True)
        assert seen == ["assign_greedy", "assign_optimal", "assign_dense", "assign_optimal"]

    def test_threads_and_instructions_change_nothing(self):
        truth, guess = crowd(6000, 1, 400), crowd(6000, 2, 400)
        square = np.random.default_rng(0).random((150, 150))
        answers = []
        for name in ("avx512", "avx2", "baseline"):
            _native.limit_isa(name)
            for threads in (1, 2, 7):
                found = match(truth, guess, at_least=0.1, how="optimal", threads=threads)
                answers.append([found.guess_of.tolist(), assign(square, maximise=True).guess_of.tolist()])
        _native.limit_isa("avx512")
        assert all(answer == answers[0] for answer in answers)

    @pytest.mark.skipif(sys.platform != "linux", reason="peaks are read from /proc")
    @pytest.mark.parametrize("options", ["", ", how='optimal'", ", how='optimal', count_first=True"])
    def test_memory(self, options):
        """20 000 by 20 000 would be 3.2 GB. In one large component a matrix would be most of that."""
        code = (
            "import numpy as np, vesica\n"
            "rng = np.random.default_rng(0)\n"
            "corner = rng.uniform(0, 600, (2, 20000, 2))\n"
            "truth, guess = (np.concatenate([c, c + 10], axis=1) for c in corner)\n"
            f"assert len(vesica.match(truth, guess, at_least=0.1{options})) > 12000\n"
            "print(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])\n"
        )
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        assert int(done.stdout) / 1024 < 250


@both_ways
class TestRefused:
    @pytest.mark.parametrize(
        "options, error, said",
        [
            ({"how": "best"}, ValueError, '`how` must be one of "greedy", "optimal"; got \'best\''),
            ({"scores": [0.5, np.nan, 0.1]}, ValueError, "`scores` must not be NaN; got NaN in row 1"),
            ({"scores": [0.5]}, SizeValueError, "`scores` must have one score for each of the 3 regions"),
            ({"scores": ["a", "b", "c"]}, TypeError, "`scores` must be numbers; got str"),
            ({"scores": [1, 2, 3], "how": "optimal"}, TypeError, "`scores` say who chooses first"),
            ({"complete": True}, TypeError, '`complete` weighs all pairs .* how="optimal"'),
            ({"count_first": True}, TypeError, '`count_first` weighs all pairs .* how="optimal"'),
            ({"at_least": 50}, ValueError, r"`at_least` must lie in \(0, 1\]; got 50"),
            ({"measure": "distance"}, ValueError, "got distance, which falls"),
            ({"keys": [1, 2, 3]}, TypeError, r"`keys` must be \(keys of truth, keys of guess\)"),
            ({"alpha": 1}, TypeError, "iou has no option `alpha`"),
            ({"threads": 0}, ValueError, "`threads` must be a whole number above 0"),
        ],
    )
    def test_option(self, options, error, said):
        with pytest.raises(error, match=said):
            match(TRUTH, GUESS, **options)

    def test_says_truth_and_guess(self):
        torch = pytest.importorskip("torch")
        with pytest.raises(TypeError, match="`truth` and `guess` must be arrays of one library; got numpy and torch"):
            match(np.array(TRUTH), torch.tensor(GUESS))
        with pytest.raises(ValueError, match="`guess` row 0 is inverted"):
            match(TRUTH, [[5, 0, 1, 1]])
        with pytest.raises(ValueError, match="`truth` must be one table of shape .* for matching"):
            match(np.zeros((2, 3, 4)), GUESS)

    @pytest.mark.parametrize(
        "values, options, error, said",
        [
            ([[1, np.nan]], MOST, ValueError, r"got nan at \(0, 1\)\. −inf forbids a pair"),
            ([[1], [np.nan]], {"minimise": True, "complete": True}, ValueError, r"got nan at \(1, 0\)\. inf forbids"),
            ([[np.inf, 1]], MOST, ValueError, r"must not be infinitely good; got inf at \(0, 0\)\. .* minimise=True"),
            ([[-np.inf]], {"minimise": True, "complete": True}, ValueError, r"infinitely good; got -inf at \(0, 0\)"),
            ([[1, 1e300]], MOST, ValueError, r"within ±2\^960, or their sums overflow; got 1e\+300 at \(0, 1\)"),
            (
                [[1, 2], [3]],
                MOST,
                ValueError,
                "`values` must have rows of one length; got 2 numbers in row 0 and 1 in row 1",
            ),
            ([1, 2], MOST, ValueError, r"`values` must have shape \(N, M\); got \(2,\)"),
            (np.zeros((2, 3, 4)), MOST, ValueError, "A batch is one call for each matrix"),
            ([[True]], MOST, TypeError, r"got bool\. Where they say which pairs may be: values.astype\(float\)"),
            ([["a"]], MOST, TypeError, "`values` must hold integers or floats"),
            (np.ma.masked_array([[1.0]]), MOST, TypeError, "fill it with −inf"),
            ([[1.0]], {"minimise": True}, TypeError, "`complete` has no default with minimise=True"),
            ([[1.0]], {"minimise": True, "at_least": 1, "complete": True}, TypeError, "`at_least` is for values"),
            ([[1.0]], {"at_most": 1, "maximise": True}, TypeError, r"`at_most` is for costs \(minimise=True\)"),
            ([[1.0]], {"at_most": 1}, TypeError, "`complete` has no default with minimise=True"),
            ([[1.0]], {}, TypeError, "say maximise=True for values .* or minimise=True for costs, as scipy's"),
            ([[1.0]], {"complete": True}, TypeError, "A matrix does not say whether the largest or the smallest sum"),
            ([[1.0]], {"maximise": True, "minimise": True}, TypeError, "contradict each other: both are True"),
            ([[1.0]], {"at_least": np.nan}, ValueError, "`at_least` must be finite"),
            ([[1.0]], {"threads": 0, "maximise": True}, ValueError, "`threads` must be a whole number above 0"),
        ],
    )
    def test_matrix(self, values, options, error, said):
        with pytest.raises(error, match=said):
            assign(values, **options)

    @pytest.mark.compile
    def test_a_trace(self):
        jax = pytest.importorskip("jax")
        with pytest.raises(TypeError, match="call assign outside of compile, jit, vmap and grad"):
            jax.jit(lambda v: assign(v, maximise=True).value)(jax.numpy.ones((2, 2)))
