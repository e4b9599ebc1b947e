"""GeoJSON and shapely: holes are holes, whatever brings them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vesica
from vesica import Polygons

SQUARE = [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]
HOLE = [[1, 1], [1, 3], [3, 3], [3, 1], [1, 1]]
FAR = [[6, 0], [7, 0], [7, 1], [6, 1], [6, 0]]

HOLLOW = {"type": "Polygon", "coordinates": [SQUARE, HOLE]}
TWO = {"type": "MultiPolygon", "coordinates": [[SQUARE, HOLE], [FAR]]}


def feature(geometry):
    return {"type": "Feature", "geometry": geometry, "properties": {"name": "roof"}}


def collection(*features):
    return {"type": "FeatureCollection", "features": list(features)}


class Described:
    """What fiona, geopandas and pyshp hand out."""

    def __init__(self, geometry):
        self.__geo_interface__ = geometry


@pytest.mark.parametrize(
    "given, want",
    [
        pytest.param(HOLLOW, [12], id="a polygon"),
        pytest.param(TWO, [13], id="several"),
        pytest.param([HOLLOW, TWO], [12, 13], id="a list"),
        pytest.param([HOLLOW, SQUARE], [12, 16], id="with a ring"),
        pytest.param(feature(HOLLOW), [12], id="a feature"),
        pytest.param([feature(HOLLOW)], [12], id="a list of features"),
        pytest.param(collection(feature(HOLLOW), feature(TWO)), [12, 13], id="features"),
        pytest.param(collection(), [], id="no features"),
        pytest.param({"type": "GeometryCollection", "geometries": [HOLLOW, HOLLOW]}, [12], id="geometries"),
        pytest.param(Described(HOLLOW), [12], id="an object"),
        pytest.param([Described(feature(TWO))], [13], id="a list of objects"),
        pytest.param({"type": "Polygon", "coordinates": [[[*xy, 9.5] for xy in SQUARE]]}, [16], id="heights"),
        pytest.param({"type": "Polygon", "coordinates": ((tuple(map(tuple, SQUARE))),)}, [16], id="tuples"),
    ],
)  # fmt: skip
def test_area(given, want):
    assert Polygons(given).area.tolist() == want


@pytest.mark.parametrize(
    "given, kind, message",
    [
        ({"type": "Point", "coordinates": [0, 0]}, TypeError, "region 0 must be a Polygon or a Multi.*got a Point"),
        ([HOLLOW, feature({"type": "LineString", "coordinates": SQUARE})], TypeError, "region 1.*LineString.*no area"),
        ([feature(None)], ValueError, "region 0 is a feature without a geometry"),
        ([HOLLOW, {"type": "Polygon", "coordinates": []}], ValueError, "region 1 is an empty Polygon"),
        ({"type": "Polygon", "coordinates": SQUARE}, TypeError, "region 0 must have rings of positions"),
        ({"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [0, 0]]]}, ValueError, None),
    ],
)  # fmt: skip
def test_refused(given, kind, message):
    if message is None:  # a ring that turns back has no area, and three vertices
        assert Polygons(given).area.tolist() == [0]
        return
    with pytest.raises(kind, match=message):
        Polygons(given)


class TestShapely:
    shapely = pytest.importorskip("shapely")

    @given(st.integers(0, 10**6))
    def test_area_and_overlap(self, seed):
        shapely = self.shapely
        rng = np.random.default_rng(seed)
        drawn = []
        for _ in range(4):
            centre, outer = rng.uniform(0, 20, 2), rng.uniform(3, 8)
            disc = shapely.Point(centre).buffer(outer, quad_segs=4)
            hole = shapely.Point(centre + rng.uniform(-1, 1, 2)).buffer(outer / 3, quad_segs=2)
            drawn.append(disc.difference(hole).union(shapely.Point(centre + 30).buffer(1, quad_segs=2)))
        polygons = Polygons(drawn)
        assert np.allclose(polygons.area, [one.area for one in drawn])
        want = [[a.intersection(b).area / a.union(b).area for b in drawn] for a in drawn]
        assert np.allclose(vesica.iou(drawn, drawn), want, atol=1e-9)

    def test_one_alone(self):
        box = self.shapely.box(0, 0, 4, 2)
        assert vesica.iou(box, [[0, 0, 4, 4]]).tolist() == [[0.5]]
        with pytest.raises(ValueError, match="empty Polygon"):
            Polygons([self.shapely.Polygon()])
