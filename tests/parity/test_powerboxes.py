"""The same boxes stay as with powerboxes, away from ties, which it leaves open."""

import numpy as np
import pytest

from vesica import nms

powerboxes = pytest.importorskip("powerboxes")


@pytest.mark.parametrize("call", ["nms", "rtree_nms"])
@pytest.mark.parametrize("seed", range(12))
def test_nms(call, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 600))
    low = rng.uniform(0, 4 * n**0.5, (n, 2)) - 30
    boxes = np.concatenate([low, low + rng.uniform(1, 20, (n, 2))], axis=1).astype(["float32", "float64"][seed % 2])
    scores, above = (1 + rng.permutation(n)) / n, float(rng.choice([0.1, 0.3, 0.5, 0.7]))
    assert np.array_equal(
        np.sort(getattr(powerboxes, call)(boxes, scores, above, 0.0)), np.sort(nms(boxes, scores, above=above))
    )
