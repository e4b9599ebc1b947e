"""STAPLE: a published table to the digit, the plain twin, and fits that have no answer."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vesica._kernels.generic import staple as twin
from vesica._kernels.generic.staple import STATUSES, Votes
from vesica._kernels.native import staple as native
from vesica.agreement.staple import staple
from vesica.agreement.vote_patterns import VotePatterns, vote_patterns

VP = VotePatterns.from_table([800, 10, 15, 20, 5, 25, 30, 95])
OPTIONS = {"is_free": False, "start": 0.9, "tolerance": 1e-9, "most": 2000}

tables = st.integers(2, 4).flatmap(
    lambda k: st.lists(st.sampled_from([0, 0, 1, 2, 7, 50, 900]), min_size=1 << k, max_size=1 << k)
)


def likelihood(table, s, t, prior):
    """The logarithm of the probability of the votes, pattern by pattern."""
    total = 0.0
    for code, count in enumerate(table):
        inside, outside = prior, 1 - prior
        for k in range(len(s)):
            vote = code >> k & 1
            inside *= s[k] if vote else 1 - s[k]
            outside *= 1 - t[k] if vote else t[k]
        total += count * math.log(inside + outside) if count else 0.0
    return total


class TestFixture:
    def test_fixed_prior(self):
        found = staple(VP, tolerance=1e-12)
        assert found.status == "ok" and found.prior == 0.155 and abs(found.steps - 627) < 3
        assert found.sensitivity.round(6).tolist() == [0.781549, 0.812794, 0.845702]
        assert found.specificity.round(6).tolist() == [0.991726, 0.986493, 1.0]
        assert found.belief.round(6).tolist() == [0.001182, 0.336572, 0.272816, 0.993822, 1, 1, 1, 1]
        assert found.belongs.tolist() == [False] * 3 + [True] * 5

    def test_free_prior(self):
        found = staple(VP, prior="free", tolerance=1e-12)
        assert round(found.prior, 6) == 0.186937
        assert found.sensitivity.round(6).tolist() == [0.774194, 0.806452, 0.829155]
        assert found.specificity.round(6).tolist() == [0.993513, 0.988630, 1.0]

    def test_the_default_stops_near_the_end(self):
        found, end = staple(VP), staple(VP, tolerance=0)
        assert found.status == "ok" and np.abs(found.sensitivity - end.sensitivity).max() < 1e-7

    def test_too_few_steps(self):
        found = staple(VP, most_steps=10)
        assert found.status == "not_converged" and found.steps == 10 and np.isfinite(found.sensitivity).all()


class TestFit:
    @given(tables, st.booleans())
    def test_native_is_its_twin(self, table, is_free):
        counts = np.array(table)
        code = np.flatnonzero(counts).astype(np.uint64)
        asked = np.full(len(code), len(table) - 1, np.uint64)
        votes, groups = Votes(code, asked, counts[counts > 0]), np.array([0, len(code)])
        annotators = len(table).bit_length() - 1
        options = OPTIONS | {"is_free": is_free, "most": 50}
        one, other = (kernel.staple(votes, groups, annotators, **options) for kernel in (native, twin))
        assert one.status.tolist() == other.status.tolist() and one.steps.tolist() == other.steps.tolist()
        for a, b in zip(one[:4], other[:4], strict=True):
            assert np.allclose(a, b, rtol=1e-9, atol=1e-12)

    @given(tables.filter(lambda table: sum(table) > 0))
    def test_free_steps_never_lower_the_likelihood(self, table):
        """What expectation and maximisation promise."""
        fits = [
            staple(VotePatterns.from_table(table), prior="free", most_steps=steps, tolerance=0) for steps in range(1, 8)
        ]
        if fits[0].status != "not_converged":
            return
        told = [likelihood(table, fit.sensitivity, fit.specificity, fit.prior) for fit in fits]
        for before, after in itertools.pairwise(told):
            assert after >= before - 1e-9 * abs(before)

    @given(tables.filter(lambda table: sum(table) > 0))
    def test_is_never_nan(self, table):
        found = staple(VotePatterns.from_table(table))
        assert ((found.belief >= 0) & (found.belief <= 1)).all() and 0 <= found.prior <= 1
        known = found.status in ("ok", "not_converged")
        for rates in (found.sensitivity, found.specificity):
            assert ((rates >= 0) & (rates <= 1)).all() if known else np.isnan(rates).all()

    def test_finds_who_is_worse(self):
        rng = np.random.default_rng(4)
        truth = rng.random((1, 80_000)) < 0.3
        quality = [(0.95, 0.98), (0.9, 0.95), (0.6, 0.9), (0.8, 0.99)]
        masks = [np.where(truth, rng.random(truth.shape) < s, rng.random(truth.shape) > t) for s, t in quality]
        found = staple(vote_patterns(masks), prior="free")
        assert np.allclose(found.sensitivity, [s for s, _ in quality], atol=0.02)
        assert np.allclose(found.specificity, [t for _, t in quality], atol=0.02)
        assert abs(found.prior - 0.3) < 0.01

    def test_many_votes_do_not_underflow(self):
        """Products of 64 small probabilities are below all floats; sums of their logarithms are not."""
        masks = np.zeros((64, 1, 4000), bool)
        masks[:, 0, 1000:2000] = np.random.default_rng(5).random((64, 1000)) < 0.97
        found = staple(vote_patterns(masks))
        assert found.status == "ok" and np.allclose(found.sensitivity, 0.97, atol=0.03)
        assert found.belief[0] < 1e-60 and (found.belief[1:] > 0.999).all()

    @given(tables.filter(lambda table: sum(table) > 0), st.booleans(), st.randoms())
    def test_annotators_in_another_order(self, table, is_free, random):
        """To the bit: whom rounding favours must not depend on who comes first."""
        annotators = len(table).bit_length() - 1
        order = random.sample(range(annotators), annotators)
        moved = [0] * len(table)
        for code, count in enumerate(table):
            moved[sum((code >> k & 1) << place for place, k in enumerate(order))] = count
        prior = "free" if is_free else "fixed"
        one, other = (staple(VotePatterns.from_table(some), prior=prior, most_steps=100) for some in (table, moved))
        assert other.status == one.status and other.steps == one.steps and other.prior == one.prior
        assert np.array_equal(other.sensitivity, one.sensitivity[order], equal_nan=True)
        assert np.array_equal(other.specificity, one.specificity[order], equal_nan=True)

    def test_who_votes_alike_is_alike(self):
        """The first two annotators are interchangeable, and stay so."""
        found = staple(VotePatterns.from_table([0, 7, 7, 1, 0, 1, 1, 0]), most_steps=500)
        assert found.sensitivity[0] == found.sensitivity[1] and found.specificity[0] == found.specificity[1]

    def test_the_field_changes_the_answer_and_is_told(self):
        stack = np.zeros((3, 60, 60), bool)
        stack[0, 10:20, 10:20], stack[1, 11:20, 10:19], stack[2, 10:19, 12:22] = True, True, True
        whole, box = (staple(vote_patterns(stack, field=field)) for field in ("image", "union_box"))
        assert whole.field == "image" and box.field == "union_box"
        assert not np.allclose(whole.specificity, box.specificity)


class TestMasks:
    STACK = np.random.default_rng(8).random((3, 20, 30)) < 0.4

    def test_soft_mask(self):
        patterns = vote_patterns(self.STACK)
        fit = staple(patterns)
        soft = fit.soft_mask(self.STACK)
        for code, belief in zip(fit.code.tolist(), fit.belief.tolist(), strict=True):
            here = np.all([self.STACK[k] == bool(code >> k & 1) for k in range(3)], axis=0)
            assert (soft[here] == belief).all() and here.any()
        assert np.array_equal(fit.mask(self.STACK), soft > 0.5)

    def test_volumes(self):
        volume = self.STACK.reshape(3, 5, 4, 30)
        assert np.array_equal(
            staple(vote_patterns(volume)).mask(volume),
            staple(vote_patterns(self.STACK)).mask(self.STACK).reshape(5, 4, 30),
        )

    def test_no_pixels(self):
        nothing = np.zeros((2, 0, 5), bool)
        assert staple(vote_patterns(nothing)).soft_mask(nothing).shape == (0, 5)

    def test_masks_of_others(self):
        fit = staple(VotePatterns.from_table([5, 0, 0, 5]))
        with pytest.raises(ValueError, match="those of the 2 annotators of the fit; got 3"):
            fit.soft_mask(self.STACK)
        with pytest.raises(ValueError, match="some pixels have votes that it has not seen"):
            fit.soft_mask(self.STACK[:2])


class TestNothingToFit:
    @pytest.mark.parametrize(
        "table, status, belief",
        [
            pytest.param([100, 0, 0, 0], "no_foreground", [0.0], id="nobody marked anything"),
            pytest.param([0, 0, 0, 100], "no_background", [1.0], id="all marked everything"),
            pytest.param([0, 0, 0, 0], "no_pixels", [], id="no pixels"),
            pytest.param([60, 40], "one_annotator", [0.0, 1.0], id="one annotator"),
        ],
    )
    @pytest.mark.parametrize("prior", ["fixed", "free"])
    def test_is_a_status(self, table, status, belief, prior):
        found = staple(VotePatterns.from_table(table), prior=prior)
        assert found.status == status and found.belief.tolist() == belief and found.steps == 0
        assert np.isnan(found.sensitivity).all() and np.isnan(found.specificity).all()

    def test_one_pixel_is_enough(self):
        found = staple(VotePatterns.from_table([0, 1, 0, 0]))
        assert (found.status, found.prior, found.belief.tolist()) == ("ok", 0.5, [0.5])

    def test_statuses_are_those_of_the_kernel(self):
        assert STATUSES[:2] == ("ok", "not_converged")

    @pytest.mark.parametrize(
        "options, message",
        [
            ({"prior": "flat"}, '`prior` must be one of "fixed", "free"'),
            ({"tolerance": -1}, "`tolerance` must not be negative; got -1"),
            ({"most_steps": 0}, "`most_steps` must be a whole number above 0"),
        ],
    )
    def test_wrong_options(self, options, message):
        with pytest.raises(ValueError, match=message):
            staple(VP, **options)


class TestGroups:
    def test_each_has_a_fit_of_its_own(self):
        tables = [np.random.default_rng(k).integers(1, 60, 8) for k in range(40)]
        code = np.tile(np.arange(8, dtype=np.uint64), 40)
        votes = Votes(code, np.full(320, 7, np.uint64), np.concatenate(tables))
        for threads in (1, 2, 7):
            fits = native.staple(votes, np.arange(0, 321, 8), 3, threads=threads, **OPTIONS)
            for k, table in enumerate(tables):
                one = staple(VotePatterns.from_table(table))
                assert np.array_equal(fits.sensitivity[k], one.sensitivity) and fits.steps[k] == one.steps
                assert np.array_equal(fits.belief[8 * k : 8 * k + 8], one.belief)

    def test_who_was_not_asked_has_no_vote(self):
        """Pixels that the third annotator never saw say nothing about the third annotator."""
        counts = VP.count[:4]
        both = Votes(np.arange(4, dtype=np.uint64), np.full(4, 3, np.uint64), counts)
        fits = [native.staple(both, np.array([0, 4]), annotators, **OPTIONS) for annotators in (2, 3)]
        assert np.array_equal(fits[1].sensitivity[:, :2], fits[0].sensitivity)
        assert fits[1].sensitivity[0, 2] == 0.9  # as it began
        other = twin.staple(both, np.array([0, 4]), 3, **OPTIONS)
        assert np.allclose(other.sensitivity, fits[1].sensitivity, rtol=1e-9)

    def test_no_groups(self):
        nothing = np.empty(0, np.uint64)
        fits = native.staple(Votes(nothing, nothing, nothing.astype(np.int64)), np.zeros(1, np.int64), 3, **OPTIONS)
        assert fits.sensitivity.shape == (0, 3)
