"""The table of bias: how far one annotator draws further out than another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vesica.agreement.bias import EDGES, edge_bias, edge_offsets
from vesica.agreement.tables import annotator_pairs
from vesica.regions import Boxes
from vesica.results.tables import Table

if TYPE_CHECKING:
    from vesica.agreement.outline_pairs import OutlinePairs
    from vesica.agreement.records import AgreementRecords
    from vesica.agreement.tallies import Tallies


def bias_table(records: AgreementRecords, tallies: Tallies, pairs: OutlinePairs, /) -> Table:
    """One row for every two annotators: means over their matched pairs. Positive: b draws further out."""
    people, pair_of = annotator_pairs(records)
    a, b, group = tallies.a[pairs.row], tallies.b[pairs.row], pair_of[tallies.scene[pairs.row]]
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
    if pairs.has_masks:
        columns |= _of_outlines(pairs, group, sums.n)
    return Table(columns)


def _of_outlines(pairs: OutlinePairs, group: np.ndarray, count: np.ndarray) -> dict[str, np.ndarray]:
    """Means of offsets and distances; matched masks are not empty."""
    with np.errstate(invalid="ignore"):
        offset, distance = (
            np.bincount(group, weights=one, minlength=len(count)) / count for one in (pairs.offset, pairs.distance)
        )
    return {"out_outline": offset, "outline_distance": distance}
