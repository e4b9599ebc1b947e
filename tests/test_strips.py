"""Polygons whose edges cross thousands of times: strips that are halved, against slabs, shapely and whole numbers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from vesica import Polygons, iou, parts
from vesica._kernels.native import polygons as native_polygons


def tangle(n, seed, whole=0):
    """Random vertices of one ring in the unit square, or on a grid of so many lines."""
    points = np.random.default_rng(seed).uniform(size=(n, 2))
    return np.floor(points * whole) if whole else points


def walk(n, seed):
    """A closed walk of short steps, which crosses itself mostly nearby."""
    points = np.cumsum(np.random.default_rng(seed).normal(size=(n, 2)), axis=0)
    return points - np.linspace(0, 1, n)[:, None] * (points[-1] - points[0])


def star(n):
    """Long edges that all pass near the centre."""
    angle = math.pi * (n - 1) / n * np.arange(n)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def on_a_line(n, seed):
    """Back and forth on one slanted line, up to rounding."""
    along = np.random.default_rng(seed).uniform(size=n)
    return np.stack([along, along / 3 + 0.1], axis=1)


def split(ring, pieces):
    """The same ring with more vertices on its edges, each where rounding puts it."""
    share = np.arange(pieces)[:, None, None] / pieces
    return (ring + share * (np.roll(ring, -1, axis=0) - ring)).transpose(1, 0, 2).reshape(-1, 2)


def comb(teeth):
    """A comb on a slant: all its teeth lie side by side, whichever way one looks."""
    up = np.array([[k, 1000.0 * (k % 2)] for k in range(2 * teeth)])
    ring = np.concatenate([up, [[2 * teeth, -9], [-1, -9]]])
    return ring @ [[1, 1], [-1, 1]]


def fan(left, right):
    """A zigzag from side to side of the unit square: between these heights at x = 0 and those at x = 1."""
    side = np.zeros_like(left)
    return np.stack([side, left, side + 1, right], axis=1).reshape(-1, 2)


def changes(left, right, low=None, high=None):
    """How many pairs of edges of a fan cross, between two levels or at all: those that change places there."""
    left, right = np.repeat(left, 2)[1:], np.repeat(right, 2)[:-1]
    a, b = (left, right) if low is None else ((level - left) / (right - left) for level in (low, high))
    return sum(np.count_nonzero((a[:k] - a[k]) * (b[:k] - b[k]) < 0) for k in range(1, len(a)))


class TestArea:
    @pytest.mark.parametrize(
        "ring",
        [
            pytest.param(tangle(220, 0), id="chance"),
            pytest.param(tangle(220, 1, whole=12), id="a grid: vertices on edges, edges on edges"),
            pytest.param(tangle(300, 2, whole=4), id="a coarse grid"),
            pytest.param(tangle(220, 3) * [1, 1e-9], id="flat"),
            pytest.param(tangle(220, 4) @ [[1, 1], [-1e-7, 1e-7]], id="a thin slant"),
            pytest.param(walk(1200, 5), id="a walk"),
            pytest.param(star(151), id="a star"),
        ],
    )
    def test_equals_shapely(self, ring):
        pytest.importorskip("shapely")
        assert Polygons([ring]).area[0] == pytest.approx(oracles.even_odd([ring]).area, rel=1e-9)

    def test_both_ways_give_one_answer(self):
        """Cut into pieces that are small enough for slabs from side to side, it is as large as in one."""
        ring = tangle(500, 6)
        polygons = Polygons([ring])
        edge = np.linspace(0, 1, 21)
        low = np.stack(np.meshgrid(edge[:-1], edge[:-1]), axis=-1).reshape(-1, 2)
        pieces = np.concatenate([low, low + 0.05], axis=1)
        assert parts(polygons, pieces).inter.sum() == pytest.approx(polygons.area[0], rel=1e-12)

    @given(st.integers(0, 2**32 - 1), st.integers(200, 300), st.sampled_from([0, 3, 10, 40]))
    def test_moved_turned_doubled(self, seed, n, whole):
        ring = tangle(n, seed, whole)
        area = Polygons([ring]).area[0]
        assert Polygons([ring * 2.0**40]).area[0] == area * 2.0**80
        assert Polygons([ring[:, ::-1]]).area[0] == pytest.approx(area, rel=1e-12, abs=1e-12)
        assert Polygons([-ring]).area[0] == pytest.approx(area, rel=1e-12, abs=1e-12)
        assert Polygons([np.concatenate([ring, ring])]).area[0] == pytest.approx(0, abs=1e-9 * (area + 1))
        assert Polygons([[[ring], [ring]]]).area[0] == pytest.approx(area, rel=1e-12, abs=1e-12)

    def test_parts_are_united(self):
        """Many boxes in one region, which cross and share edges; counted by unit squares."""
        rng = np.random.default_rng(7)
        low = rng.integers(0, 90, (300, 2))
        boxes = np.concatenate([low, low + rng.integers(1, 40, (300, 2))], axis=1)
        seen = np.zeros((140, 140), bool)
        for x1, y1, x2, y2 in boxes:
            seen[y1:y2, x1:x2] = True
        region = [[[[x1, y1], [x2, y1], [x2, y2], [x1, y2]]] for x1, y1, x2, y2 in boxes.tolist()]
        assert Polygons([region]).area.tolist() == [seen.sum()]

    def test_rings_are_even_odd(self):
        rng = np.random.default_rng(8)
        low = rng.integers(0, 90, (300, 2))
        boxes = np.concatenate([low, low + rng.integers(1, 40, (300, 2))], axis=1)
        seen = np.zeros((140, 140), bool)
        for x1, y1, x2, y2 in boxes:
            seen[y1:y2, x1:x2] ^= True
        part = [[[x1, y1], [x2, y1], [x2, y2], [x1, y2]] for x1, y1, x2, y2 in boxes.tolist()]
        assert Polygons([[part]]).area.tolist() == [seen.sum()]

    @pytest.mark.parametrize("n", [300, 3000])
    def test_edges_on_one_line(self, n):
        """Rounding alone decides what crosses here; none of it is more than rounding."""
        assert Polygons([on_a_line(n, 9)]).area[0] == pytest.approx(0, abs=1e-13)

    def test_threads_change_nothing(self, monkeypatch):
        rings = [tangle(300, seed) for seed in range(6)]
        want = Polygons(rings).area
        for threads in ("1", "5"):
            monkeypatch.setenv("VESICA_NUM_THREADS", threads)
            assert Polygons(rings).area.tobytes() == want.tobytes()


class TestShared:
    def test_equals_shapely(self):
        pytest.importorskip("shapely")
        a, b = [[tangle(150, 10)], [tangle(150, 11)]], [[tangle(200, 12, whole=9) / 9]]
        want = oracles.polygon(a).intersection(oracles.polygon(b)).area
        assert parts(Polygons([a]), Polygons([b])).inter[0, 0] == pytest.approx(want, rel=1e-9)

    def test_either_way_round(self):
        a, b = (Polygons([tangle(250, seed) + shift for seed in range(s, s + 3)]) for s, shift in ((13, 0), (16, 0.3)))
        assert np.array_equal(iou(a, b), iou(b, a).T) and (iou(a, b) > 0.1).all()
        assert (iou(a, a, aligned=True) == 1).all()

    @pytest.mark.parametrize("ring", [tangle(300, 19), walk(1500, 20), comb(700)])
    def test_with_more_vertices_it_is_the_same(self, ring):
        """Edges that lie on each other up to rounding, all over."""
        a, b = Polygons([ring]), Polygons([split(ring, 3)])
        assert parts(a, b).inter[0, 0] == pytest.approx(a.area[0], rel=1e-10)
        assert b.area[0] == pytest.approx(a.area[0], rel=1e-10)

    def test_beside_the_window(self):
        """What lies outside the box that both share still bounds what lies inside."""
        ring = tangle(400, 21)
        polygons = Polygons([ring])
        for x in (0.2, 0.5, 0.8):
            for y in (0.3, 0.6):
                corners = [[0, 0, x, y], [x, 0, 1, y], [0, y, x, 1], [x, y, 1, 1]]
                assert parts(polygons, corners).inter.sum() == pytest.approx(polygons.area[0], rel=1e-12)


class TestLimit:
    """In fans, whose crossings mostly lie in one long strip: it is given up as soon as they are counted."""

    def test_region_is_named(self):
        """Crossings of all strips count together: the long one alone has not too many."""
        left, right = np.random.default_rng(22).uniform(0, 0.1, (2, 2300)) + [[0], [0.9]]
        assert changes(left, right, 0.1, 0.9) < 5_000_000 < changes(left, right)
        with pytest.raises(
            ValueError, match=r"`polygons` region 1 has edges that cross more than 5000000 times.*rings"
        ):
            Polygons([tangle(9, 0), fan(left, right)])
        assert native_polygons.MOST_CROSSINGS == 5_000_000

    def test_pair(self):
        """Each is measured, and crosses itself nowhere; the two together cross too often."""
        place = np.linspace(0, 0.1, 1150)
        a, b = Polygons([fan(place, place + 0.9)]), Polygons([fan(place + 0.9, place)])
        assert a.area[0] == pytest.approx(b.area[0]) and a.area[0] > 0
        with pytest.raises(ValueError, match=r"The edges of two polygons cross more than 5000000 times.*Simplify"):
            iou(a, b)
