"""Resampling: weights that a seed, a replicate and a key decide, and sums that no order changes."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vesica import _native
from vesica._kernels.generic import weights as twin
from vesica._kernels.native import weights as native
from vesica.statistics import resampling
from vesica.statistics.resampling import bootstrap, keys_of, weights

KEYS = np.arange(1000, dtype=np.uint64)


def ratio(sums):
    return np.divide(sums[:, 0], sums[:, 1], out=np.full(len(sums), np.nan), where=sums[:, 1] > 0)


def parts(images=300, seed=0):
    rng = np.random.default_rng(seed)
    units = rng.integers(0, 9, images)
    return np.stack([units * rng.random(images), units], axis=1)


class TestWeights:
    def test_limits_are_those_of_poisson(self):
        e = sum(Fraction((-1) ** k, math.factorial(k)) for k in range(40))
        below = [sum(e / math.factorial(j) for j in range(k + 1)) for k in range(13)]
        assert list(twin.POISSON) == [math.ceil(share * 2**32) for share in below[:-1]]
        assert math.ceil(below[-1] * 2**32) == 2**32  # none of 32 bits reaches 13

    @given(
        st.lists(st.integers(0, 2**64 - 1), max_size=40),
        st.integers(0, 2**64 - 1),
        st.integers(0, 2**40),
        st.integers(0, 7),
    )
    def test_native_is_its_twin(self, keys, seed, first, count):
        keys = np.array(keys, np.uint64)
        options = {"seed": seed, "first": first, "count": count}
        assert np.array_equal(native.weights(keys, **options), twin.weights(keys, **options))

    def test_native_is_used(self, no_twin):
        assert weights(KEYS, count=3).shape == (3, 1000)

    @pytest.mark.parametrize("isa", ["baseline", "avx2", "avx512"])
    def test_every_instruction_set(self, isa):
        want = weights(KEYS, count=5)
        _native.limit_isa(isa)
        try:
            assert np.array_equal(weights(KEYS, count=5), want)
        finally:
            _native.limit_isa("avx512")

    def test_threads_chunks_and_neighbours_change_nothing(self):
        whole = weights(KEYS, seed=7, count=31)
        assert np.array_equal(weights(KEYS, seed=7, count=31, threads=1), whole)
        assert np.array_equal(weights(KEYS, seed=7, count=31, threads=8), whole)
        assert np.array_equal(weights(KEYS[100:200], seed=7, first=4, count=9), whole[4:13, 100:200])
        assert np.array_equal(weights(KEYS[::-1], seed=7, first=3, count=1), whole[3:4, ::-1])

    def test_are_poisson(self):
        """Mean, variance and each frequency, within five standard errors of 4 million draws."""
        drawn = weights(np.arange(20_000, dtype=np.uint64), seed=1, count=200)
        n = drawn.size
        assert abs(drawn.mean() - 1) < 5 / math.sqrt(n)
        assert abs(drawn.var() - 1) < 5 * math.sqrt(3 / n)
        for k in range(7):
            p = math.exp(-1) / math.factorial(k)
            assert abs((drawn == k).mean() - p) < 5 * math.sqrt(p * (1 - p) / n)

    def test_are_independent(self):
        """Of replicates, of the two halves of a hash, and of images with neighbouring ids."""
        drawn = weights(np.arange(2000, dtype=np.uint64), count=60) - 1
        most = 6 / math.sqrt(2000)
        replicates = drawn @ drawn.T / drawn.shape[1] - np.eye(60) * (drawn**2).mean(axis=1)
        assert np.abs(replicates).max() < most
        for gap in (1, 2, 64, 1024):
            assert abs((drawn[:, gap:] * drawn[:, :-gap]).mean()) < 6 / math.sqrt(60 * 900)

    def test_seeds_differ(self):
        assert not np.array_equal(weights(KEYS, seed=0, count=1), weights(KEYS, seed=1, count=1))

    def test_these_stay_the_same(self):
        """Numbers that were printed in papers must come out again: a change here is a change of every interval."""
        drawn = weights(np.arange(12, dtype=np.uint64), seed=0, count=2)
        assert drawn.astype(int).tolist() == FIRST


FIRST = [[1, 1, 0, 0, 1, 1, 2, 0, 0, 1, 3, 3], [1, 1, 1, 1, 2, 0, 1, 1, 0, 1, 0, 1]]


class TestKeys:
    def test_equal_ids_have_equal_keys(self):
        assert keys_of(["a", "b", "a"]).tolist()[::2] == [keys_of(["a"])[0]] * 2
        assert len(set(keys_of(["7", "8", "07"]).tolist())) == 3

    def test_numbers_and_texts_differ(self):
        mixed = np.array([7, "7"], object)
        assert keys_of(mixed)[0] == 7 and keys_of(mixed)[1] != 7

    @pytest.mark.parametrize("dtype", ["int8", "int64", "uint16", "uint64", object])
    def test_any_integers(self, dtype):
        assert keys_of(np.array([3, 5], dtype)).tolist() == [3, 5]

    def test_negative_ids(self):
        assert keys_of([-1]).tolist() == keys_of(np.array([-1], object)).tolist() == [2**64 - 1]

    def test_none(self):
        assert keys_of([]).shape == (0,)


class TestBootstrap:
    def test_is_the_function_of_weighted_sums(self):
        table = parts()
        drawn = weights(np.arange(300, dtype=np.uint64), seed=5, count=50)
        found = bootstrap(table, ratio, seed=5, replicates=50)
        assert np.allclose(found, ratio(drawn @ table), rtol=1e-9)

    def test_whole_numbers_are_exact(self):
        table = np.random.default_rng(2).integers(0, 10**6, (500, 3))
        drawn = weights(np.arange(500, dtype=np.uint64), count=40).astype(np.int64)
        assert np.array_equal(bootstrap(table, lambda sums: sums, replicates=40), drawn @ table)

    def test_order_chunks_and_threads_change_no_bit(self, monkeypatch):
        table, keys = parts(), keys_of([f"{k}.jpg" for k in range(300)])
        want = bootstrap(table, ratio, keys=keys, replicates=101)
        mixed = np.random.default_rng(1).permutation(300)
        assert np.array_equal(bootstrap(table[mixed], ratio, keys=keys[mixed], replicates=101), want)
        assert np.array_equal(bootstrap(table, ratio, keys=keys, replicates=101, threads=1), want)
        for numbers, rows in ((1, 7), (1 << 10, 64), (999, 300)):
            monkeypatch.setattr(resampling, "_NUMBERS", numbers)
            monkeypatch.setattr(resampling, "_ROWS", rows)
            assert np.array_equal(bootstrap(table, ratio, keys=keys, replicates=101), want)

    def test_fewer_replicates_are_the_first(self):
        assert np.array_equal(bootstrap(parts(), ratio, replicates=64)[:10], bootstrap(parts(), ratio, replicates=10))

    def test_groups_are_drawn_together(self):
        """Sums of a group are one row."""
        table, group = parts(60), np.arange(60) % 7
        sums = np.zeros((7, 2))
        np.add.at(sums, group, table)
        found = bootstrap(table, lambda sums: sums, keys=keys_of(group), replicates=30)
        assert np.allclose(found, bootstrap(sums, lambda sums: sums, keys=keys_of(np.arange(7)), replicates=30))

    def test_numbers_of_very_different_size(self):
        """One image with 10^15 pixels must not round away the others."""
        table = np.concatenate([parts(40), [[1e15, 3.0]]])
        drawn = weights(np.arange(41, dtype=np.uint64), count=60)
        without = drawn[:, -1] == 0
        found = bootstrap(table, lambda sums: sums[:, 0], replicates=60)
        assert without.any() and np.allclose(found[without], (drawn @ table)[without, 0], rtol=1e-12)

    def test_equal_scores_differ_by_nothing(self):
        table = parts()
        both = np.concatenate([table, table], axis=1)
        found = bootstrap(both, lambda sums: ratio(sums[:, 2:]) - ratio(sums[:, :2]), replicates=200)
        assert (found == 0).all()

    def test_an_undefined_replicate(self):
        found = bootstrap([[1.0, 1.0]], ratio, replicates=400)
        assert 0.25 < np.isnan(found).mean() < 0.5 and set(found[~np.isnan(found)]) == {
            1.0
        }  # e^−1 of them draw nothing

    @pytest.mark.parametrize("images", [0, 1, 2])
    def test_few_images(self, images):
        assert bootstrap(np.ones((images, 2)), ratio, replicates=5).shape == (5,)

    def test_many_values(self):
        assert bootstrap(parts(), lambda sums: sums[:, :2] * 2, replicates=9).shape == (9, 2)

    @pytest.mark.parametrize(
        "change, message",
        [
            ({"statistics": [1.0, 2.0]}, "`statistics` must be a table of numbers, one row an image"),
            ({"statistics": [[math.nan]]}, "`statistics` must be finite; got nan in row 0, column 0"),
            ({"replicates": 0}, "`replicates` must be a whole number above 0; got 0"),
            ({"keys": np.array([1, 2])}, r"`keys` must be 1 numbers of uint64.*keys_of\(ids\) makes them"),
        ],
    )
    def test_wrong_calls(self, change, message):
        given = {"statistics": [[1.0]], "replicates": 5, "keys": None} | change
        with pytest.raises(ValueError, match=message):
            bootstrap(given.pop("statistics"), ratio, **given)
