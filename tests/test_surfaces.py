"""Distances between surfaces: against SciPy's distance transform and erosion, the twin, and numbers found by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import ndimage

import vesica
from backends import absent, forbidden
from vesica.segmentation import SurfaceDistances, distance_transform, surface_distances

SPACINGS = {2: (None, 2.0, (0.7, 1.3)), 3: (None, 0.5, (3.0, 0.7, 1.1))}


def band():
    """Two squares of 12 pixels, one of them a row lower and with a spike of 8 pixels."""
    truth, guess = np.zeros((2, 32, 32), bool)
    truth[8:20, 8:20] = True
    guess[9:21, 8:20] = guess[14, 20:28] = True
    return truth, guess


def reference(truth, guess, spacing):
    """Distances from each surface to the other, by SciPy."""
    steps = (1.0,) * truth.ndim if spacing is None else np.broadcast_to(spacing, truth.ndim)
    edges = [mask & ~ndimage.binary_erosion(mask) for mask in (truth, guess)]
    if not all(edge.any() for edge in edges):
        return None
    to_truth, to_guess = (ndimage.distance_transform_edt(~edge, sampling=steps) for edge in edges)
    return to_guess[edges[0]], to_truth[edges[1]]


def masks(axes):
    return hnp.array_shapes(min_dims=axes, max_dims=axes, min_side=1, max_side=9).flatmap(
        lambda shape: st.tuples(*[hnp.arrays(bool, shape, elements=st.booleans(), fill=st.just(False))] * 2)
    )


def blobs(seed, shape, count=4):
    """Balls, some of them far apart."""
    random = np.random.default_rng(seed)
    places = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1)
    found = np.zeros(shape, bool)
    for _ in range(count):
        centre, radius = random.random(len(shape)) * shape, random.random() * min(shape) / 4 + 1
        found |= ((places - centre) ** 2).sum(axis=-1) <= radius**2
    return found


def assert_same(found, expected):
    ours = [
        np.repeat(np.sqrt(s), c)
        for s, c in ((found.squared_truth, found.count_truth), (found.squared_guess, found.count_guess))
    ]
    for mine, theirs in zip(ours, expected, strict=True):
        np.testing.assert_allclose(mine, np.sort(theirs), rtol=1e-12)


class TestNumbers:
    def test_by_hand(self):
        found = surface_distances(*band())
        assert (found.size_truth, found.size_guess, found.status) == (44, 51, "ok")
        assert found.hd() == 8
        assert found.hd95 == found.hd(95) == 5.5
        assert found.hd(95, percentile_of="pooled") == pytest.approx(3.3, abs=1e-12)
        assert found.assd == pytest.approx(81 / 95, abs=1e-15)
        assert round(found.masd, 6) == 0.829991
        assert [found.nsd(tau) for tau in (0, 1, 2)] == [42 / 95, 88 / 95, 89 / 95]

    def test_scores_are_those_of_the_distances(self):
        truth, guess = blobs(1, (40, 50)), blobs(2, (40, 50))
        found, (a, b) = surface_distances(truth, guess), reference(truth, guess, None)
        both = np.concatenate([a, b])
        assert found.hd() == both.max()
        for percentile in (0, 12.5, 50, 95, 99.9):
            assert found.hd(percentile) == max(np.percentile(a, percentile), np.percentile(b, percentile))
            assert found.hd(percentile, percentile_of="pooled") == np.percentile(both, percentile)
        assert found.assd == pytest.approx(both.mean(), rel=1e-14)
        assert found.masd == pytest.approx((a.mean() + b.mean()) / 2, rel=1e-14)
        assert found.asd == pytest.approx(b.mean(), rel=1e-14)
        for tau in (0, 1, 1.5, math.sqrt(2), 7):
            assert found.nsd(tau) == (both <= tau).mean()
            precision, recall = (b <= tau).mean(), (a <= tau).mean()
            assert found.boundary_f(tau) == pytest.approx(2 * precision * recall / (precision + recall), rel=1e-14)

    def test_outlines_that_never_meet(self):
        found = surface_distances([[1, 0, 0, 0]], [[0, 0, 0, 1]])
        assert (found.nsd(2), found.boundary_f(2), found.nsd(3), found.boundary_f(3)) == (0, 0, 1, 1)

    def test_sides_swapped(self):
        one, other = surface_distances(*band()), surface_distances(*band()[::-1])
        assert (one.hd95, one.assd, one.masd, one.nsd(1)) == (other.hd95, other.assd, other.masd, other.nsd(1))
        assert one.asd != other.asd

    def test_the_unit_is_that_of_the_spacing(self):
        one, other = surface_distances(*band()), surface_distances(*band(), spacing=0.5)
        assert other.hd95 == one.hd95 / 2
        assert other.nsd(0.5) == one.nsd(1)


class TestEmpty:
    NOTHING, DOT = np.zeros((3, 4), bool), np.eye(3, 4, dtype=bool)

    def test_both(self):
        found = surface_distances(self.NOTHING, self.NOTHING)
        assert found.status == "both_empty"
        scores = [found.hd(), found.hd95, found.assd, found.masd, found.asd, found.nsd(1), found.boundary_f(1)]
        assert np.isnan(scores).all()

    @pytest.mark.parametrize("turned", [False, True])
    def test_one_side_takes_the_worst_value(self, turned):
        sides = (self.NOTHING, self.DOT)
        found = surface_distances(*(sides[::-1] if turned else sides), spacing=(2, 1))
        assert found.status == "one_empty"
        assert [found.hd(), found.hd95, found.assd, found.masd, found.asd] == [math.hypot(6, 4)] * 5
        assert (found.nsd(100), found.boundary_f(100)) == (0, 0)
        assert "one_empty" in repr(found)

    def test_no_pixels_at_all(self):
        assert surface_distances(np.zeros((0, 4), bool), np.zeros((0, 4), bool)).status == "both_empty"


class TestAgainstScipy:
    @pytest.mark.parametrize("axes", [2, 3])
    @given(data=st.data())
    def test_any_masks(self, axes, data):
        truth, guess = data.draw(masks(axes))
        spacing = data.draw(st.sampled_from(SPACINGS[axes]))
        expected = reference(truth, guess, spacing)
        found = surface_distances(truth, guess, spacing=spacing)
        if expected is None:
            assert found.status != "ok"
        else:
            assert_same(found, expected)

    @pytest.mark.parametrize("shape", [(90, 110), (30, 40, 50), (1, 60, 70), (40, 1, 30), (200, 3)])
    @pytest.mark.parametrize("which", [0, 1, 2])
    def test_near_and_far(self, shape, which):
        # So far apart that rows nearby do not suffice.
        spacing = SPACINGS[len(shape)][which]
        for seed in range(3):
            truth, guess = blobs(seed, shape, 2), blobs(seed + 50, shape, 1)
            assert_same(surface_distances(truth, guess, spacing=spacing), reference(truth, guess, spacing))

    def test_a_volume_of_one_slice_has_an_outside_above(self):
        solid = np.ones((5, 5), bool)
        assert surface_distances(solid, solid).size_truth == 16
        assert surface_distances(solid[None], solid[None]).size_truth == 25

    @pytest.mark.parametrize("axes", [2, 3])
    @given(data=st.data())
    def test_distance_transform(self, axes, data):
        mask, _ = data.draw(masks(axes))
        spacing = data.draw(st.sampled_from(SPACINGS[axes]))
        found = distance_transform(mask, spacing=spacing)
        if mask.all():
            assert np.isinf(found).all()
        else:
            steps = 1.0 if spacing is None else spacing
            expected = ndimage.distance_transform_edt(mask, sampling=steps)
            np.testing.assert_allclose(found, expected, rtol=1e-12 if found.dtype == np.float64 else 1e-7)

    def test_squares_are_exact(self):
        random = np.random.default_rng(3)
        mask = random.random((60, 70, 80)) < 0.999
        squares = ndimage.distance_transform_edt(mask) ** 2
        found = distance_transform(mask)
        assert found.dtype == np.float32
        assert np.array_equal(np.round(found.astype(np.float64) ** 2), np.round(squares))


class TestLabels:
    def test_each_label_is_a_mask(self):
        random = np.random.default_rng(0)
        truth, guess = random.integers(0, 5, (2, 20, 30))
        found = surface_distances(truth, guess, labels=[4, 1, 9, -3])
        assert list(found) == [4, 1, 9, -3]
        for label, one in found.items():
            assert one == surface_distances(truth == label, guess == label)

    @pytest.mark.parametrize(
        "dtype", ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "int64", "uint64"]
    )
    def test_dtypes(self, dtype):
        truth, guess = band()
        found = surface_distances(truth.astype(dtype), guess.astype(dtype))
        assert found == surface_distances(truth, guess)

    def test_a_label_beyond_the_dtype_is_absent(self):
        truth = np.ones((3, 3), np.uint8)
        assert surface_distances(truth, truth, labels=[257])[257].status == "both_empty"

    def test_views(self):
        truth, guess = band()
        large = np.zeros((64, 64), bool)
        large[::2, ::2] = truth
        assert surface_distances(large[::2, ::2], guess) == surface_distances(truth, guess)


class TestKernels:
    @pytest.mark.parametrize("shape", [(14, 17), (6, 7, 9)])
    @pytest.mark.parametrize("spacing", [None, 0.5])
    def test_twin(self, shape, spacing):
        for seed in range(4):
            truth, guess = np.random.default_rng(seed).random((2, *shape)) < 0.2
            found = surface_distances(truth, guess, spacing=spacing)
            with absent("native", "surfaces"):
                twin = surface_distances(truth, guess, spacing=spacing)
            assert found == twin
            native = distance_transform(~truth, spacing=spacing)
            with absent("native", "distance"):
                np.testing.assert_allclose(distance_transform(~truth, spacing=spacing), native, rtol=1e-15)

    @pytest.mark.parametrize("threads", [1, 2, 3, 16])
    @pytest.mark.parametrize("spacing", [None, (2.5, 0.7, 0.7)])
    def test_threads_change_nothing(self, threads, spacing):
        truth, guess = blobs(5, (20, 60, 50)), blobs(6, (20, 60, 50), 1)
        assert surface_distances(truth, guess, spacing=spacing, threads=threads) == surface_distances(
            truth, guess, spacing=spacing, threads=4
        )
        assert np.array_equal(
            distance_transform(truth, spacing=spacing, threads=threads),
            distance_transform(truth, spacing=spacing, threads=4),
        )

    def test_native_serves_arrays_and_tensors(self):
        torch = pytest.importorskip("torch")
        truth, guess = band()
        with forbidden("generic"):
            found = surface_distances(truth, guess)
            assert surface_distances(torch.tensor(truth), torch.tensor(guess)) == found
            assert isinstance(distance_transform(torch.tensor(truth)), torch.Tensor)

    def test_jax(self):
        jnp = pytest.importorskip("jax.numpy")
        truth, guess = band()
        with forbidden("native"):
            found = surface_distances(jnp.asarray(truth[6:22, 6:30]), jnp.asarray(guess[6:22, 6:30]))
        assert found.hd() == 8

    def test_nothing_is_changed(self):
        truth, guess = band()
        before = truth.copy()
        truth.flags.writeable = False
        surface_distances(truth, guess)
        distance_transform(truth)
        assert np.array_equal(truth, before)


WRONG = [
    (lambda: surface_distances(np.zeros((2, 3)), np.zeros((2, 3))), TypeError, "threshold"),
    (lambda: surface_distances([[0, 2]], [[0, 1]]), ValueError, "it has the label 2. Pass mask == label"),
    (lambda: surface_distances(np.zeros((2, 3), bool), np.zeros((3, 2), bool)), ValueError, r"\(2, 3\) and \(3, 2\)"),
    (lambda: surface_distances([True], [True]), ValueError, "a picture"),
    (
        lambda: surface_distances(np.zeros((1, 2, 3, 4), bool), np.zeros((1, 2, 3, 4), bool)),
        ValueError,
        "evaluate_surfaces",
    ),
    (lambda: surface_distances([[1]], [[1]], spacing=(1, 1, 1)), ValueError, "each of the 2 axes"),
    (lambda: surface_distances([[1]], [[1]], spacing=0), ValueError, "positive"),
    (lambda: surface_distances([[1]], [[1]], spacing=(1, math.nan)), ValueError, "finite"),
    (lambda: surface_distances([[1]], [[1]], spacing="mm"), TypeError, "spacing"),
    (lambda: surface_distances([[1]], [[1]], labels=[1, 1]), ValueError, "once"),
    (lambda: surface_distances([[1]], [[1]], labels=["organ"]), TypeError, "integers"),
    (lambda: surface_distances([[1]], [[1]], threads=0), ValueError, "threads"),
    (lambda: surface_distances(*band()).nsd(-1), ValueError, "tau"),
    (lambda: surface_distances(*band()).nsd("1"), TypeError, "tau"),
    (lambda: surface_distances(*band()).nsd(math.nan), ValueError, "tau"),
    (lambda: surface_distances(*band()).hd(101), ValueError, "0 to 100"),
    (lambda: surface_distances(*band()).hd(95, percentile_of="all"), ValueError, "directed"),
]


@pytest.mark.parametrize(("call", "error", "words"), WRONG)
def test_wrong_calls(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_public_name():
    assert vesica.surface_distances is surface_distances
    assert isinstance(vesica.surface_distances([[1]], [[1]]), SurfaceDistances)
