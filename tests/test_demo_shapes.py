"""Shapes of the demo's pictures: distances as shapely has them, of anything with straight sides or round ends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vesica.demo.canvas import Canvas
from vesica.demo.shapes import Ellipse, Outline, Rectangle, Ring, Stroke, circle

shapely = pytest.importorskip("shapely")

PLACES = st.integers(-20, 60).map(float)
POINTS = st.tuples(PLACES, PLACES)
SIDES = st.integers(1, 30).map(float)
Y, X = (axis.astype(float) + 0.25 for axis in np.ogrid[-5:55:4, -5:55:4])


def distances(region):
    """Below 0 inside."""
    points = shapely.points(*np.broadcast_arrays(X, Y))
    return np.where(shapely.contains(region, points), -1, 1) * shapely.distance(region.boundary, points)


@given(st.lists(POINTS, min_size=3, max_size=7, unique=True), st.integers(0, 5))
def test_outline(points, radius):
    region = shapely.Polygon(points)
    if not region.is_valid or region.area < 1:
        return
    assert np.allclose(Outline(tuple(points), radius).distance(X, Y), distances(region) - radius)


@given(POINTS, SIDES, SIDES)
def test_rectangle(corner, width, height):
    x, y = corner
    shape = Rectangle(x, y, x + width, y + height)
    assert np.allclose(shape.distance(X, Y), distances(shapely.box(x, y, x + width, y + height)))
    assert shape.ends() == (x, y, x + width, y + height)


@given(POINTS, SIDES, SIDES, SIDES)
def test_rounded_rectangle(corner, width, height, radius):
    """Its corners are parts of circles, and it ends where it is said to."""
    x, y = corner
    r = min(radius, width / 2, height / 2)
    inner = shapely.box(x + r, y + r, x + width - r, y + height - r)
    points = shapely.points(*np.broadcast_arrays(X, Y))
    outside = shapely.distance(inner, points) > 0
    found = Rectangle(x, y, x + width, y + height, radius).distance(X, Y)
    assert np.allclose(found[outside], shapely.distance(inner, points)[outside] - r)


@given(POINTS, POINTS, SIDES)
def test_stroke(begin, end, radius):
    line = shapely.LineString([begin, end])
    points = shapely.points(*np.broadcast_arrays(X, Y))
    assert np.allclose(Stroke(begin, end, radius).distance(X, Y), shapely.distance(line, points) - radius, atol=1e-4)


@given(POINTS, SIDES, SIDES)
def test_ellipse(centre, rx, ry):
    """Inside where its equation says so; of a circle the distance is exact."""
    inside = ((X - centre[0]) / rx) ** 2 + ((Y - centre[1]) / ry) ** 2 < 1
    assert ((Ellipse(centre, rx, ry).distance(X, Y) < 0) == inside).all()
    far = np.hypot(X - centre[0], Y - centre[1])
    assert np.allclose(circle(centre, rx).distance(X, Y), far - rx)
    assert np.allclose(Ring(centre, rx, 2).distance(X, Y), np.abs(far - rx) - 1)


@given(POINTS, SIDES, SIDES)
def test_a_canvas_marks_what_lies_inside(corner, width, height):
    """Whole pixels by their middles, whatever leaves the canvas."""
    x, y = corner
    canvas = Canvas(40, 30)
    canvas.paint(Rectangle(x, y, x + width, y + height), (1, 0.5, 0), label=3, thing=7)
    rows, columns = np.mgrid[:30, :40] + 0.5
    inside = (columns > x) & (columns < x + width) & (rows > y) & (rows < y + height)
    assert ((canvas.labels == 3) == inside).all() and ((canvas.things == 7) == inside).all()
    assert (canvas.colours[..., 0][inside] > 0.9).all() and not canvas.colours[..., 2].any()
