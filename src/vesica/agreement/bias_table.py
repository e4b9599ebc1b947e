"""The table of bias: how far one annotator draws further out than another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vesica.agreement.bias import EDGES, edge_bias, edge_offsets, outline_offsets
from vesica.agreement.tables import annotator_pairs
from vesica.regions import Boxes
from vesica.regions.pixels import PixelRegions
from vesica.results.tables import Table

if TYPE_CHECKING:
    from vesica.agreement.annotations import Annotations
    from vesica.agreement.records import AgreementRecords
    from vesica.agreement.tallies import Tallies


def bias_table(
    records: AgreementRecords, tallies: Tallies, drawn: Annotations | None, /, *, threads: int | None = None
) -> Table:
    """One row for every two annotators: means over their matched pairs. Positive: b draws further out."""
    people, pair_of = annotator_pairs(records)
    matched = np.flatnonzero((tallies.a >= 0) & (tallies.b >= 0) & (pair_of[tallies.scene] >= 0))
    a, b, group = tallies.a[matched], tallies.b[matched], pair_of[tallies.scene[matched]]
    boxes = [Boxes(records.box[rows], check=False) for rows in (a, b)]
    sums = edge_bias(edge_offsets(*boxes), group, groups=len(people))
    columns = {
        "annotator_a": records.annotators[people[:, 0]],
        "annotator_b": records.annotators[people[:, 1]],
        "n_matched": sums.n,
        **{f"out_{edge}": sums.mean[:, place] for place, edge in enumerate(EDGES)},
        **{f"relative_{edge}": sums.mean[:, 4 + place] for place, edge in enumerate(EDGES)},
        "area_ratio": sums.area_ratio,
    }
    if drawn is not None and isinstance(drawn.objects.regions, PixelRegions):
        masks = drawn.objects.regions
        columns |= _of_outlines(outline_offsets(masks, masks, a, b, threads=threads), group, sums.n)
    return Table(columns)


def _of_outlines(found: tuple[np.ndarray, np.ndarray], group: np.ndarray, count: np.ndarray) -> dict[str, np.ndarray]:
    """Means of offsets and distances; matched masks are not empty."""
    with np.errstate(invalid="ignore"):
        offset, distance = (np.bincount(group, weights=one, minlength=len(count)) / count for one in found)
    return {"out_outline": offset, "outline_distance": distance}
