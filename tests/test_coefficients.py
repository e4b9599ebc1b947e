"""Coefficients of agreement: fixtures that others published, oracles that others wrote, and what is not defined."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vesica.statistics.coefficients import (
    STATUSES,
    cohen,
    cohen_of,
    fleiss,
    fleiss_of,
    fleiss_sums,
    interval_of,
    interval_sums,
    krippendorff,
    nominal_of,
    nominal_sums,
    nominal_sums_of_counts,
)

# Three annotators, 15 units; · is no rating.
REPORTED = ("·····34121133·3", "1·213343·······", "··21344·21133·4")
SIX = [[3, 0, 0], [2, 1, 0], [0, 3, 0], [1, 1, 1], [0, 0, 3], [0, 2, 1]]
# Labels of two maps, pixel by pixel: 0011/0011/2222 and 0001/0311/2220.
MAPS = np.array([[0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 2, 2], [0, 0, 0, 1, 0, 3, 1, 1, 2, 2, 2, 0]])


def columns(rows):
    """Units and values of rows of characters, one row an annotator."""
    pairs = [(unit, int(mark)) for row in rows for unit, mark in enumerate(row) if mark != "·"]
    return np.array(pairs, np.int64).T


def table_of(a, b, labels):
    table = np.zeros((labels, labels), np.int64)
    np.add.at(table, (a, b), 1)
    return table


def exact_alpha(unit, value, distance):
    """Krippendorff's α by its definition, pair by pair, in fractions; None where there is none."""
    groups = [[v for u, v in zip(unit, value, strict=True) if u == one] for one in sorted(set(unit))]
    groups = [group for group in groups if len(group) > 1]
    every = [v for group in groups for v in group]
    observed = sum(
        Fraction(sum(distance(a, b) for a, b in itertools.permutations(group, 2)), len(group) - 1) for group in groups
    )
    expected = sum(distance(a, b) for a, b in itertools.permutations(every, 2))
    return None if expected == 0 else 1 - observed * (len(every) - 1) / expected


ratings = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=20)


class TestCohen:
    def test_two_maps(self):
        found = cohen(table_of(*MAPS, 4))
        assert found.value == 0.64 and found.raw == 0.75 and found.units == 12

    @given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
    def test_equals_sklearn(self, pairs):
        metrics = pytest.importorskip("sklearn.metrics")
        a, b = np.array(pairs).T
        found = cohen(table_of(a, b, 4))
        if len(set(a.tolist()) | set(b.tolist())) == 1:
            assert found == (None, "no_variation", 1.0, len(a))  # sklearn: NaN, and a warning
        else:
            assert math.isclose(found.value, metrics.cohen_kappa_score(a, b), rel_tol=1e-12, abs_tol=1e-14)

    def test_turned_is_the_same(self):
        table = table_of(*MAPS, 4)
        assert cohen(table.T) == cohen(table)

    @pytest.mark.parametrize(
        "table, want",
        [
            pytest.param([[0, 0], [0, 0]], (None, "no_overlap", None, 0), id="nothing"),
            pytest.param(np.zeros((0, 0), int), (None, "no_overlap", None, 0), id="no labels"),
            pytest.param([[5]], (None, "no_variation", 1.0, 5), id="one label"),
            pytest.param([[0, 0], [0, 9]], (None, "no_variation", 1.0, 9), id="one of two labels"),
            pytest.param([[0, 4], [0, 0]], (0.0, "ok", 0.0, 4), id="each always the same, not of each other"),
            pytest.param([[3, 0], [0, 3]], (1.0, "ok", 1.0, 6), id="perfect"),
            pytest.param([[0, 3], [3, 0]], (-1.0, "ok", 0.0, 6), id="the reverse"),
        ],
    )
    def test_edges(self, table, want):
        assert cohen(table) == want

    def test_counts_of_gigapixels(self):
        """Products go far beyond 2^53, and one pixel of another label is still variation."""
        found = cohen([[10**10, 0], [0, 1]])
        assert found.status == "ok" and math.isclose(found.value, 1.0, rel_tol=1e-12)
        assert cohen([[10**10, 0], [0, 0]]).status == "no_variation"

    @pytest.mark.parametrize(
        "table, message",
        [
            ([1, 2], r"`table` must be a table of counts; got shape \(2,\)"),
            ([[1, 2, 3]], r"`table` must have a row and a column for each label, in one order; got shape \(1, 3\)"),
            ([[1, -2], [0, 0]], r"`table` must not be negative; got -2 in row 0, column 1"),
            ([[0.5, 0], [0, 0]], "`table` must be whole numbers"),
            ([[math.nan, 0], [0, 0]], "`table` must be whole numbers"),
        ],
    )
    def test_wrong_tables(self, table, message):
        with pytest.raises((ValueError, TypeError), match=message):
            cohen(table)


class TestFleiss:
    def test_published(self):
        assert round(fleiss(SIX).value, 6) == 0.411215

    @given(st.integers(2, 5), st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5), min_size=1, max_size=8))
    def test_equals_statsmodels(self, raters, labels):
        inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
        counts = np.array([np.bincount(row[:raters], minlength=4) for row in labels])
        found = fleiss(counts)
        if (counts.sum(axis=0) > 0).sum() == 1:
            assert found == (None, "no_variation", 1.0, len(counts))  # statsmodels: NaN
        else:
            want = inter_rater.fleiss_kappa(counts)
            assert math.isclose(found.value, want, rel_tol=1e-10, abs_tol=1e-12)

    @pytest.mark.parametrize(
        "counts, want",
        [
            pytest.param(np.zeros((0, 3), int), (None, "no_overlap", None, 0), id="no units"),
            pytest.param([[1, 0], [0, 1]], (None, "no_overlap", None, 0), id="one rating each"),
            pytest.param([[0, 0], [0, 0]], (None, "no_overlap", None, 0), id="no ratings"),
            pytest.param([[3, 0], [3, 0]], (None, "no_variation", 1.0, 2), id="one label"),
        ],
    )
    def test_edges(self, counts, want):
        assert fleiss(counts) == want

    def test_unequal_numbers_of_ratings(self):
        with pytest.raises(ValueError, match="unit 0 has 3, unit 1 has 2. Krippendorff's α takes any"):
            fleiss([[3, 0], [1, 1]])

    def test_weights_are_repetitions(self):
        some, weight = np.array(SIX), np.array([1, 0, 4, 2, 7, 3])
        once = fleiss_of(fleiss_sums(some, weight), raters=3)
        assert once.value == fleiss_of(fleiss_sums(np.repeat(some, weight, axis=0)), raters=3).value


class TestKrippendorff:
    def test_published(self):
        unit, value = columns(REPORTED)
        assert round(krippendorff(unit, value).value, 6) == 0.691358
        assert round(krippendorff(unit, value, interval=True).value, 6) == 0.810845

    def test_beside_fleiss(self):
        """α = 1 − (1 − κ)(N m − 1) / (N m)."""
        unit, value = np.nonzero(SIX)
        unit, value = (np.repeat(column, np.array(SIX)[unit, value]) for column in (unit, value))
        found = krippendorff(unit, value).value
        assert round(found, 6) == 0.443925
        assert math.isclose(found, 1 - (1 - fleiss(SIX).value) * 17 / 18, rel_tol=1e-13)

    @given(ratings)
    def test_equals_its_definition(self, rows):
        unit, value = ([row[k] for row in rows] for k in (0, 1))
        for interval, distance in ((False, lambda a, b: int(a != b)), (True, lambda a, b: (a - b) ** 2)):
            found, want = krippendorff(unit, value, interval=interval), exact_alpha(unit, value, distance)
            if want is None:
                some = any(unit.count(one) > 1 for one in unit)
                assert found.value is None and found.status == ("no_variation" if some else "no_overlap")
                assert found.raw == (1.0 if some else None)
            else:
                assert found.status == "ok" and math.isclose(found.value, want, rel_tol=1e-11, abs_tol=1e-12)

    @given(ratings.filter(lambda rows: len({row[1] for row in rows}) > 1))
    def test_equals_krippendorff(self, rows):
        theirs = pytest.importorskip("krippendorff")
        unit, value = np.array(rows).T
        table = np.zeros((6, 4), int)
        np.add.at(table, (unit, value), 1)
        for interval, level in ((False, "nominal"), (True, "interval")):
            found = krippendorff(unit, value, interval=interval)
            if found.value is None:
                continue  # it raises ValueError, or answers NaN
            want = theirs.alpha(value_counts=table, value_domain=range(4), level_of_measurement=level)
            assert math.isclose(found.value, want, rel_tol=1e-10, abs_tol=1e-12)

    @given(ratings, st.randoms())
    def test_order_changes_no_bit(self, rows, random):
        mixed = random.sample(rows, len(rows))
        for interval in (False, True):
            one, other = (
                krippendorff(*np.array(some, np.int64).reshape(-1, 2).T, interval=interval) for some in (rows, mixed)
            )
            assert one == other

    @pytest.mark.parametrize("interval", [False, True])
    @pytest.mark.parametrize(
        "unit, value, want",
        [
            pytest.param([], [], (None, "no_overlap", None, 0), id="nothing"),
            pytest.param([1, 2, 3], [0, 0, 1], (None, "no_overlap", None, 0), id="one rating a unit"),
            pytest.param([1, 1, 2], [7, 7, 8], (None, "no_variation", 1.0, 1), id="the other value stands alone"),
            pytest.param([1, 1, 2, 2], [7, 7, 7, 7], (None, "no_variation", 1.0, 2), id="one value"),
        ],
    )
    def test_degenerate(self, unit, value, want, interval):
        assert krippendorff(unit, value, interval=interval) == want

    def test_floats_of_one_value(self):
        """Sums of 0.1 are rounded, and no variation is none all the same."""
        assert krippendorff([1] * 3 + [2] * 4, [0.1] * 7, interval=True).status == "no_variation"

    def test_large_floats_that_vary_little(self):
        """Far from 0 squares would lose all digits that differ."""
        unit, value = np.repeat(np.arange(50), 2), np.random.default_rng(1).normal(size=100)
        near, far = (krippendorff(unit, value + start, interval=True) for start in (0.0, 1e9))
        assert far.status == "ok" and math.isclose(near.value, far.value, rel_tol=1e-5, abs_tol=1e-5)

    @pytest.mark.parametrize(
        "unit, value, options, message",
        [
            ([1, 2], [1], {}, "`unit` and `value` must be columns of one length"),
            ([1.5], [1], {}, "`unit` must be whole numbers"),
            ([1], [0.5], {}, "`value` must be numbers of labels; got float64. Quantities need interval=True"),
            ([1, 1], [0.5, math.nan], {"interval": True}, "`value` must be finite; got nan in row 1"),
        ],
    )
    def test_wrong_ratings(self, unit, value, options, message):
        with pytest.raises((ValueError, TypeError), match=message):
            krippendorff(unit, value, **options)


class TestSums:
    """What images add up to is what all of them give at once."""

    @given(ratings)
    def test_images_add_up(self, rows):
        unit, value = np.array(rows, np.int64).reshape(-1, 2).T
        image = unit % 3
        nothing = np.zeros(len(unit), np.int64)
        for parts, whole, of in (
            (nominal_sums(unit, value, image, 3, 4), nominal_sums(unit, value, nothing, 1, 4), nominal_of),
            (interval_sums(unit, value, image, 3), interval_sums(unit, value, nothing, 1), interval_of),
        ):
            assert parts.shape == (3, whole.shape[1])
            assert np.allclose(parts.sum(axis=0), whole[0], rtol=1e-14)
            together = of(np.stack([parts.sum(axis=0), whole[0]]))
            assert together.status[0] == together.status[1]
            assert np.allclose(*together.value, rtol=1e-12, equal_nan=True)

    @given(st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=6), st.data())
    def test_kinds_of_units_are_units(self, counts, data):
        counts = np.array(counts)
        weight = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(counts), max_size=len(counts))))
        every = np.repeat(counts, weight, axis=0)
        unit, value = np.nonzero(every)
        unit, value = (np.repeat(column, every[unit, value]) for column in (unit, value))
        want = nominal_sums(unit, value, np.zeros(len(unit), np.int64), 1, 3)[0]
        assert np.array_equal(nominal_sums_of_counts(counts, weight), want)

    def test_many_at_once(self):
        tables = np.array([table_of(*MAPS, 4), np.zeros((4, 4)), np.diag([5, 0, 0, 0])])
        found = cohen_of(tables)
        assert found.value[0] == 0.64 and np.isnan(found.value[1:]).all()
        assert [STATUSES[k] for k in found.status] == ["ok", "no_overlap", "no_variation"]
        assert found.raw[0] == 0.75 and np.isnan(found.raw[1]) and found.raw[2] == 1.0

    def test_many_labels_take_no_square_of_memory(self):
        """A table of units × labels × labels would have 10^12 numbers."""
        rng = np.random.default_rng(3)
        unit = np.repeat(np.arange(100_000), 2)
        sums = nominal_sums(unit, rng.integers(0, 1200, len(unit)), unit % 5, 5, 1200)
        assert sums.shape == (5, 1202) and sums[:, 0].sum() == 100_000
