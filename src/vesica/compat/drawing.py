"""Annotations drawn with matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica.errors import MissingExtra

_CROWD = (0.01, 0.65, 0.4)


def draw(coco: Any, anns: list[dict[str, Any]], *, draw_bbox: bool) -> None:
    """Outlines of polygons, fills of masks, dots of keypoints, and boxes on demand. Captions are printed."""
    if "caption" in anns[0]:
        for ann in anns:
            print(ann["caption"])
        return
    axes = _axes()
    axes.set_autoscale_on(False)
    for ann in anns:
        colour = tuple(np.random.default_rng(ann["id"]).uniform(0.4, 1.0, 3).tolist())
        region = ann.get("segmentation")
        if isinstance(region, list):
            _polygons(axes, region, colour)
        elif region is not None:
            _pixels(axes, coco.annToMask(ann), _CROWD if ann.get("iscrowd") else colour)
        if ann.get("keypoints"):
            points = np.reshape(ann["keypoints"], (-1, 3))
            seen = points[points[:, 2] > 0]
            axes.plot(seen[:, 0], seen[:, 1], "o", color=colour)
        if draw_bbox:
            x, y, w, h = ann["bbox"]
            _polygons(axes, [[x, y, x, y + h, x + w, y + h, x + w, y]], colour)


def _axes() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise MissingExtra('showAnns needs matplotlib: pip install "vesica[all]".') from error
    return plt.gca()


def _polygons(axes: Any, parts: list[Any], colour: tuple[float, ...]) -> None:
    from matplotlib.patches import Polygon

    for part in parts:
        corners = np.reshape(part, (-1, 2))
        axes.add_patch(Polygon(corners, facecolor=(*colour, 0.4), edgecolor=colour, linewidth=2))


def _pixels(axes: Any, pixels: np.ndarray, colour: tuple[float, ...]) -> None:
    picture = np.empty((*pixels.shape, 4))
    picture[..., :3], picture[..., 3] = colour, 0.5 * pixels
    axes.imshow(picture)
