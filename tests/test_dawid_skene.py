"""Dawid and Skene: labels of many annotators, of whom not everyone rates everything."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vesica._kernels.generic import dawid_skene as twin
from vesica._kernels.generic.dawid_skene import Ratings
from vesica._kernels.native import dawid_skene as native
from vesica.agreement.dawid_skene import dawid_skene, dawid_skene_of_patterns
from vesica.agreement.staple import staple
from vesica.agreement.vote_patterns import VotePatterns, label_patterns


def crowd(units=400, annotators=6, labels=4, share=0.7, seed=0):
    """Ratings of annotators with confusion matrices of their own, and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, labels, units)
    confusion = np.array(
        [rng.dirichlet(np.where(np.eye(labels)[c], 12, 1)) for _ in range(annotators) for c in range(labels)]
    )
    confusion = confusion.reshape(annotators, labels, labels)
    unit, annotator = np.nonzero(rng.random((units, annotators)) < share)
    label = np.array([rng.choice(labels, p=confusion[a, truth[u]]) for u, a in zip(unit, annotator, strict=True)])
    return unit, annotator, label, truth, confusion


ratings = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 2)), max_size=20, unique_by=lambda r: r[:2]
)


class TestFit:
    def test_finds_labels_and_confusions(self):
        unit, annotator, label, truth, confusion = crowd(units=4000)
        found = dawid_skene(unit, annotator, label)
        assert found.status == "ok"
        assert (found.best == truth[found.units]).mean() > 0.9
        assert np.abs(found.confusion - confusion).max() < 0.08
        assert np.allclose(found.confusion.sum(axis=2), 1) and np.allclose(found.belief.sum(axis=1), 1)

    def test_two_labels_are_staple(self):
        """The same start, the same steps: sensitivity and specificity are two cells of the confusion matrix."""
        table = [800, 10, 15, 20, 5, 25, 30, 95]
        code = np.arange(8)
        unit, annotator = np.repeat(code, 3), np.tile(np.arange(3), 8)
        label = code[unit] >> annotator & 1
        for prior in ("free", "fixed"):
            found = dawid_skene(unit, annotator, label, weight=table, prior=prior)
            want = staple(VotePatterns.from_table(table), prior=prior)
            assert np.allclose(found.confusion[:, 1, 1], want.sensitivity, atol=1e-7)
            assert np.allclose(found.confusion[:, 0, 0], want.specificity, atol=1e-7)
            assert np.allclose(found.belief[:, 1], want.belief, atol=1e-6) and abs(found.prior[1] - want.prior) < 1e-7

    def test_pixels_by_patterns(self):
        rng = np.random.default_rng(3)
        truth = rng.integers(0, 3, (60, 60))
        maps = np.array(
            [np.where(rng.random(truth.shape) < 0.8, truth, rng.integers(0, 3, truth.shape)) for _ in range(3)]
        )
        patterns = label_patterns(maps)
        found = dawid_skene_of_patterns(patterns)
        unit, annotator = np.tile(np.arange(3600), 3), np.repeat(np.arange(3), 3600)
        want = dawid_skene(unit, annotator, maps.reshape(-1))
        assert found.status == want.status == "ok"
        assert np.allclose(found.confusion, want.confusion, atol=1e-7) and len(found.units) == len(patterns.count)

    @given(ratings)
    def test_is_never_nan(self, rows):
        unit, annotator, label = np.array(rows, np.int64).reshape(-1, 3).T
        found = dawid_skene(unit, annotator, label, most_steps=100)
        for numbers in (found.belief, found.confusion, found.prior):
            assert ((numbers >= 0) & (numbers <= 1 + 1e-12)).all()
        assert found.best.shape == (len(found.units),)

    @given(ratings, st.randoms())
    def test_order_of_rows_changes_no_bit(self, rows, random):
        mixed = random.sample(rows, len(rows))
        one, other = (dawid_skene(*np.array(some, np.int64).reshape(-1, 3).T, most_steps=50) for some in (rows, mixed))
        assert np.array_equal(one.belief, other.belief) and np.array_equal(one.confusion, other.confusion)

    def test_numbers_too_many_for_one_key(self):
        """So many kinds that a unit, an annotator and a label are no number of 64 bits together."""
        from vesica.agreement.dawid_skene import _in_order

        row, rater, given = np.array([2, 0, 2, 1]), np.array([1, 0, 0, 1]), np.array([0, 1, 1, 0])
        few, many = (_in_order(row, rater, given, *sizes) for sizes in ((2, 2), (2**40, 2)))
        assert few[0].tolist() == many[0].tolist() == [0, 1, 2, 2]
        assert few[1].tolist() == many[1].tolist() == [1, 2, 1, 2]
        wide = _in_order(row, rater, given, 2**62, 2)
        assert [one.tolist() for one in wide] == [one.tolist() for one in many]

    def test_numbers_may_be_any(self):
        unit, annotator, label, _, _ = crowd(60)
        one = dawid_skene(unit, annotator, label)
        other = dawid_skene(unit * 1000 - 7, annotator + 10**12, label * 5 - 3)
        assert np.array_equal(one.belief, other.belief) and other.labels.tolist() == [-3, 2, 7, 12]
        assert np.array_equal(other.units, one.units * 1000 - 7) and np.array_equal(other.best, one.best * 5 - 3)

    def test_ties_are_told(self):
        found = dawid_skene([0, 0], [0, 1], [4, 9], most_steps=1)
        assert found.is_tied.tolist() == [True] and found.best.tolist() == [4]


BLUEBIRDS = Path(__file__).parents[2] / "shared/data/crowd/bluebirds.json"


@pytest.mark.skipif(not BLUEBIRDS.is_file(), reason="the folder shared/data lies not beside the repository")
class TestBluebirds:
    """108 pictures of birds that look alike, 39 people, and the truth: a majority is right in 82, this in 97."""

    def test_is_better_than_the_majority(self):
        found = json.loads(BLUEBIRDS.read_text())
        truth = {int(row["image_id"]): row["label"]["label"] for row in found["gt_labels"]}
        rows = [(int(row["image_id"]), int(row["worker_id"]), row["anno"]["label"]) for row in found["annos"]]
        unit, annotator, label = np.array(rows, np.int64).T
        fit = dawid_skene(unit, annotator, label)
        right = np.array([truth[one] for one in fit.units.tolist()])
        place = np.searchsorted(fit.units, unit)
        majority = 2 * np.bincount(place, weights=label) > np.bincount(place)
        assert fit.status == "ok" and len(fit.annotators) == 39 and len(rows) == 108 * 39
        assert (majority == right).sum() == 82 and (fit.best == right).sum() == 97


class TestKernel:
    @given(ratings.filter(bool), st.booleans(), st.data())
    def test_native_is_its_twin(self, rows, is_free, data):
        unit, annotator, label = np.array(sorted(rows)).T
        numbers, row = np.unique(unit, return_inverse=True)
        begins = np.concatenate([[0], np.cumsum(np.bincount(row))])
        weight = np.array(data.draw(st.lists(st.integers(1, 9), min_size=len(numbers), max_size=len(numbers))), float)
        given = Ratings(annotator * 3 + label, begins, weight)
        start = np.full((4, 3, 3), 0.05) + 0.85 * np.eye(3)
        options = {"is_free": is_free, "tolerance": 1e-9, "most": 30}
        one, other = (kernel.dawid_skene(given, start, np.full(3, 1 / 3), **options) for kernel in (native, twin))
        assert (one.steps, one.is_converged) == (other.steps, other.is_converged)
        for a, b in zip(one[:3], other[:3], strict=True):
            assert np.allclose(a, b, rtol=1e-8, atol=1e-12)
        assert (start == np.full((4, 3, 3), 0.05) + 0.85 * np.eye(3)).all()

    @pytest.mark.parametrize("labels", [2, 7, 8, 9, 17])
    def test_every_number_of_labels(self, labels):
        """Rows of numbers are whole vectors: of labels that fill them, and that do not."""
        unit, annotator, label, _, _ = crowd(units=150, labels=labels, seed=labels)
        order = np.lexsort((annotator, unit))
        numbers, row = np.unique(unit[order], return_inverse=True)
        given = Ratings(
            (annotator * labels + label)[order],
            np.concatenate([[0], np.cumsum(np.bincount(row))]),
            np.arange(len(numbers)) % 3 + 1.0,
        )
        start = np.full((6, labels, labels), 0.1 / (labels - 1)) + (0.9 - 0.1 / (labels - 1)) * np.eye(labels)
        options = {"is_free": True, "tolerance": 1e-9, "most": 20}
        prior = np.full(labels, 1 / labels)
        one, other = (kernel.dawid_skene(given, start, prior, **options) for kernel in (native, twin))
        assert one.steps == other.steps
        for a, b in zip(one[:3], other[:3], strict=True):
            assert np.allclose(a, b, rtol=1e-8, atol=1e-12)

    def test_native_is_used(self, no_twin):
        assert dawid_skene([0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 2, 2]).status == "ok"


class TestNothingToFit:
    @pytest.mark.parametrize(
        "rows, status",
        [
            pytest.param([], "no_overlap", id="nothing"),
            pytest.param([(0, 0, 1), (1, 1, 2)], "no_overlap", id="one rating a unit"),
            pytest.param([(0, 0, 1), (0, 1, 1)], "one_label", id="one label"),
        ],
    )
    def test_is_a_status(self, rows, status):
        found = dawid_skene(*np.array(rows, np.int64).reshape(-1, 3).T)
        assert found.status == status and found.steps == 0 and not np.isnan(found.belief).any()

    def test_no_weight(self):
        assert dawid_skene([0, 0, 1, 1], [0, 1, 0, 1], [1, 2, 1, 1], weight=[0, 0]).status == "no_overlap"

    @pytest.mark.parametrize(
        "columns, options, message",
        [
            (([0, 0], [1, 1], [2, 3]), {}, "An annotator rates a unit once; annotator 1 has rated unit 0 more often"),
            (([0], [1, 2], [2]), {}, "`annotator` must be a column with a number for each rating"),
            ((["a"], [1], [2]), {}, "`unit` must be whole numbers; got <U1. np.unique numbers other things"),
            (([0], [1], [2]), {"weight": [1, 2]}, "`weight` must be 1 numbers"),
            (([0], [1], [2]), {"prior": "none"}, "`prior` must be one of"),
        ],
    )
    def test_wrong_calls(self, columns, options, message):
        with pytest.raises((ValueError, TypeError), match=message):
            dawid_skene(*columns, **options)
