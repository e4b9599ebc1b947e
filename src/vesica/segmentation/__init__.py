"""Segmentation scores: pixels counted once, and every number and convention that stands on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vesica._lazy import lazy

if TYPE_CHECKING:
    from vesica.segmentation.averages import Average
    from vesica.segmentation.bands import BoundaryBands, boundary_bands
    from vesica.segmentation.connected import components
    from vesica.segmentation.counts import PixelCounts, merge
    from vesica.segmentation.panoptic import PanopticResult
    from vesica.segmentation.presets import PRESETS
    from vesica.segmentation.result import SegmentationResult
    from vesica.segmentation.skeletons import Centrelines, centrelines, skeleton
    from vesica.segmentation.surfaces import SurfaceDistances, distance_transform, surface_distances

__all__ = [
    "PRESETS",
    "Average",
    "BoundaryBands",
    "Centrelines",
    "PanopticResult",
    "PixelCounts",
    "SegmentationResult",
    "SurfaceDistances",
    "boundary_bands",
    "centrelines",
    "components",
    "distance_transform",
    "merge",
    "skeleton",
    "surface_distances",
]

# Loaded on first use: the command line reads `rules` and does not wait for NumPy.
_HOMES = {
    "PRESETS": "presets",
    "PanopticResult": "panoptic",
    "Average": "averages",
    "BoundaryBands": "bands",
    "Centrelines": "skeletons",
    "boundary_bands": "bands",
    "centrelines": "skeletons",
    "skeleton": "skeletons",
    "PixelCounts": "counts",
    "SegmentationResult": "result",
    "SurfaceDistances": "surfaces",
    "components": "connected",
    "distance_transform": "surfaces",
    "merge": "counts",
    "surface_distances": "surfaces",
}

__getattr__ = lazy(__name__, _HOMES, call="vesica.evaluate_segmentation(a, b, categories=3)")
