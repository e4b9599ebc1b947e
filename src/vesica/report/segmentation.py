"""The page of a segmentation: classes, images, what is taken for what, outlines, and what conventions make of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from vesica import plot
from vesica.plot.histogram import BARS
from vesica.plot.per_class import without_middle
from vesica.report.charts import chart
from vesica.report.map_items import Chosen, items_of
from vesica.report.views import Block, Chart, Choice, Grid, Line, Mark, Page, Part, Table, Tile, Tiles, Words
from vesica.segmentation.rules import OVERALL, SCORES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vesica.results.intervals import IntervalTable
    from vesica.segmentation.result import SegmentationResult
    from vesica.segmentation.surface_result import SurfaceResult

MOST_BARS = 40
