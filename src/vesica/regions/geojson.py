"""Polygons in GeoJSON: as dicts, and as objects that describe themselves so, such as shapely's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vesica._check import polygons as check


def is_geometry(value: Any) -> bool:
    """Is it a GeoJSON object, or something that says of itself what it is in GeoJSON?"""
    return (isinstance(value, Mapping) and "type" in value) or hasattr(value, "__geo_interface__")


def regions_of(value: Any) -> list[Any]:
    """The geometries of a collection of features; anything else is one region."""
    given = _as_dict(value)
    return list(given["features"]) if given["type"] == "FeatureCollection" else [given]


def parts_of(value: Any, place: str) -> list[list[np.ndarray]]:
    """The rings of each part: an outer ring, then its holes. Heights are left out."""
    given = _as_dict(value)
    kind = given["type"]
    if kind == "Feature":
        return parts_of(check.geometry(given.get("geometry"), place), place)
    if kind == "GeometryCollection":
        return [part for one in given["geometries"] for part in parts_of(one, place)]
    check.has_area(kind, place)
    coordinates = check.coordinates(given, place)
    return [[_ring(ring, place) for ring in part] for part in ([coordinates] if kind == "Polygon" else coordinates)]


def _as_dict(value: Any) -> Mapping[str, Any]:
    given: Mapping[str, Any] = value if isinstance(value, Mapping) else value.__geo_interface__
    return given


def _ring(positions: Any, place: str) -> np.ndarray:
    return check.positions(positions, place)[:, :2]
