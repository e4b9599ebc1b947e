"""So many rows that sorting, grids and answers are shared among threads: the bytes are those of one thread."""

import numpy as np
import pytest

import vesica

COUNT = 70_000
"""Twice the rows that are worth a thread, and some more (csrc/base/partition.hpp)."""


def boxes(seed, side, most):
    """Some without area, some twice."""
    rng = np.random.default_rng(seed)
    corner = rng.uniform(0, side, (COUNT, 2))
    found = np.hstack([corner, corner + rng.uniform(1, most, (COUNT, 2))])
    found[::97, 2:] = found[::97, :2]
    found[1::89] = found[::89][: len(found[1::89])]
    return found


WORLDS = {"scattered": (20_000, 40), "one size": (3000, 1.001), "sizes of many octaves": (2000, 90)}
"""The side of the world and the longest side of a box: one group of sizes, and several."""


@pytest.fixture(scope="module", params=WORLDS)
def world(request):
    return boxes(0, *WORLDS[request.param]), boxes(1, *WORLDS[request.param])


def alike(one, other):
    return all(np.asarray(a).tobytes() == np.asarray(b).tobytes() for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("threads", [2, 5])
class TestThreads:
    def test_join(self, world, threads):
        a, b = world
        assert alike(vesica.join(a, b, at_least=0.4, threads=1), vesica.join(a, b, at_least=0.4, threads=threads))

    def test_self_join(self, world, threads):
        a, _ = world
        assert alike(vesica.join(a, at_least=0.3, threads=1), vesica.join(a, at_least=0.3, threads=threads))

    @pytest.mark.parametrize("decimals", [2, 17])
    def test_nms(self, world, threads, decimals):
        """With two decimals most scores are ties, and with seventeen more bits differ than three digits have."""
        a, _ = world
        scores = np.random.default_rng(2).random(COUNT).round(decimals)
        options = {"above": 0.4, "suppressed_by": True, "min_score": 0.05}
        assert alike(vesica.nms(a, scores, threads=1, **options), vesica.nms(a, scores, threads=threads, **options))

    def test_nms_by_key(self, world, threads):
        a, _ = world
        scores, keys = np.random.default_rng(3).random(COUNT), np.arange(COUNT) % 3
        one, more = (vesica.nms(a, scores, above=0.4, keys=keys, threads=n) for n in (1, threads))
        assert one.tobytes() == more.tobytes()


def test_order_is_that_of_a_stable_sort():
    """Far apart nothing is suppressed, so that NMS answers its order."""
    corner = np.arange(COUNT)[:, None] * np.array([10.0, 0.0])
    rng = np.random.default_rng(4)
    for scores in (rng.random(COUNT), rng.random(COUNT).round(1), rng.random(COUNT) * 1e-300, np.full(COUNT, 0.5)):
        kept = vesica.nms(np.hstack([corner, corner + 1]), scores, threads=3)
        assert np.array_equal(kept, np.argsort(-scores, kind="stable"))


def test_pairs_are_those_of_the_matrix():
    """Against all IoUs of a few rows, of a world in which each box meets several."""
    a, b = boxes(5, 3000, 60), boxes(6, 3000, 60)
    pairs = vesica.join(a, b, at_least=0.5, threads=4)
    some = np.arange(0, COUNT, 501)
    row, column = np.nonzero(vesica.iou(a[some], b) >= 0.5)
    found, partner, _ = pairs
    mine = np.isin(found, some)
    assert np.array_equal(found[mine], some[row]) and np.array_equal(partner[mine], column)
