"""What the kernels know of each measure: the same as Python does, and true."""

from __future__ import annotations

import numpy as np
import pytest

import vesica
from vesica import _native
from vesica._kernels import native
from vesica.overlaps.measures import MEASURES

pytestmark = pytest.mark.usefixtures("both_ways")

NAMES = _native.measure_names(True)
FACTS = dict(zip(NAMES, _native.measure_facts(), strict=True))
OPTIONS = {
    "coverage": [{"of": "a"}, {"of": "b"}],
    "tversky": [{"alpha": 0.5, "beta": 0.5}, {"alpha": 0.2, "beta": 0.9}, {"alpha": 0.0, "beta": 0.0}],
}
CASES = [(name, options) for name in NAMES for options in OPTIONS.get(name, [{}])]
SIMILARITIES = [(name, options) for name, options in CASES if FACTS[name][2]]
THRESHOLDS = (0.05, 0.3, 0.5, 0.75, 0.95)


def told(name: str, options: dict) -> tuple:
    return native.told(MEASURES[name].chosen(options))


def boxes(seed: int, count: int = 120) -> np.ndarray:
    """Crowded, of very different sizes, some inside others, some equal, some without area."""
    make = np.random.default_rng(seed)
    corner = make.integers(0, 30, (count, 2))
    size = make.integers(0, 4, (count, 2)) * make.integers(1, 9, (count, 1))
    return np.concatenate([corner, corner + size], axis=1)


@pytest.fixture(scope="module")
def sides():
    a, b = boxes(1), boxes(2)
    return a, np.concatenate([b, a[:40]])


@pytest.mark.parametrize("name", NAMES)
def test_python_says_the_same(name):
    needs_hull, is_fraction, is_similarity, options = FACTS[name]
    measure = MEASURES[name]
    assert (measure.needs_hull, measure.is_fraction, measure.is_similarity) == (needs_hull, is_fraction, is_similarity)
    assert set(measure.defaults) == set(options)


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_symmetric(name, options, sides):
    a, b = sides
    says = _native.measure_is_symmetric(*told(name, options))
    assert says == MEASURES[name].chosen(options).is_symmetric
    one, other = MEASURES[name](a, b, **options), MEASURES[name](b, a, **options).T
    assert np.array_equal(one, other) == says


@pytest.mark.parametrize(("name", "options"), SIMILARITIES, ids=str)
class TestLeast:
    def test_holds_for_every_pair(self, name, options, sides):
        parts = vesica.parts(*sides)
        value = MEASURES[name](parts, **options)
        for t in THRESHOLDS:
            reached = (value >= t) & (parts.inter > 0)
            assert reached.any()
            iou, of_a, of_b = _native.measure_least(*told(name, options), t)
            hair = 1 - 1e-12
            assert vesica.iou(parts)[reached].min() >= iou * hair
            assert vesica.coverage(parts)[reached].min() >= of_a * hair
            assert vesica.coverage(parts, of="b")[reached].min() >= of_b * hair

    @pytest.mark.parametrize("dtype", [np.int64, np.float32, np.float64])
    def test_join_loses_no_pair(self, name, options, sides, dtype):
        a, b = (side.astype(dtype) for side in sides)
        inter = vesica.parts(a, b).inter
        value = MEASURES[name](sides[0].astype(np.float64), sides[1].astype(np.float64), **options)
        for t in THRESHOLDS:
            found = vesica.join(a, b, at_least=t, measure=name, **options)
            near = np.abs(value - t) < 1e-6  # decided exactly there, which float64 is not
            want = (value >= t) & (inter > 0)
            got = np.zeros(want.shape, bool)
            got[found.i, found.j] = True
            assert np.array_equal(got[~near], want[~near])


def test_no_bound_is_what_is_assumed_of_a_measure_that_says_nothing():
    for name in ("overlap", "tversky"):
        assert _native.measure_least(*told(name, {}), 0.5) == (0, 0, 0)
