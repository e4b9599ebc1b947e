"""The table of annotators: how each differs from the others, and what agreement would be without them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vesica.agreement.attribution import Attribution, Ratings, attribution
from vesica.agreement.bias import EDGES, edge_bias, edge_offsets, medians_of_others
from vesica.agreement.image_pairs import numbered_rounds
from vesica.agreement.ledger import DUPLICATE
from vesica.agreement.tables import Resample, rate
from vesica.agreement.tallies import Tallies
from vesica.regions import Boxes
from vesica.results.tables import Table

if TYPE_CHECKING:
    from vesica.agreement.records import AgreementRecords


def annotators_table(
    records: AgreementRecords, tallies: Tallies, resample: Resample | None, threads: int | None = None
) -> Table:
    """One row for an annotator. Rates of what somebody missed or made up need three who were asked for an image."""
    people = len(records.annotators)
    sums = _shares(records, tallies)
    counts = {
        name: np.bincount(records.asked_annotator, weights=column, minlength=people)
        for name, column in vars(attributed(records)).items()
    }
    drawn = np.bincount(records.annotator, minlength=people)
    codes = np.unique(records.asked_image * max(people, 1) + records.asked_annotator)
    columns: dict[str, np.ndarray] = {
        "annotator": records.annotators,
        "n_images": np.bincount(codes % max(people, 1), minlength=people),
        "n_objects": drawn,
        "agreement": rate(sums.credits, sums.all_units),
        **_ends(records, sums, resample),
        "missing_rate": rate(counts["missing"], counts["expected"]),
        "extra_rate": rate(counts["extra"], counts["objects"]),
        "label_rate": rate(counts["label"], counts["judged"]),
        "duplicate_rate": rate(np.bincount(records.annotator[_duplicates(records)], minlength=people), drawn),
        "loose_edge": rate(counts["loose_edge"], counts["paired"]),
        **_bias(records),
        "influence": sums.influence,
        **({} if resample is None else _influence_ends(records, sums, threads)),
        "self_agreement": _self_agreement(records, tallies),
    }
    return Table(columns)


def attributed(records: AgreementRecords, /) -> Attribution:
    """For each assignment what its annotator did otherwise than most of the others; rounds are apart."""
    rounds, (of_asked, of_rows) = numbered_rounds(records.asked_round, records.round)
    ratings = Ratings(
        records.cluster, records.image * rounds + of_rows, records.annotator, records.category, records.mean_iou
    )
    return attribution(ratings, records.asked_image * rounds + of_asked, records.asked_annotator, policy=records.policy)


@dataclass(frozen=True, eq=False)
class _Shares:
    """What every pair of objects adds to both of its annotators, and the sums of each."""

    annotator: np.ndarray
    image: np.ndarray
    credit: np.ndarray
    units: np.ndarray
    credits: np.ndarray
    all_units: np.ndarray

    @property
    def influence(self) -> np.ndarray:
        """(P,) agreement of all less agreement of all pairs without the annotator. Above 0: they raise it."""
        credit, units = self.credit.sum() / 2, self.units.sum() / 2  # each row is there for both of its annotators
        whole = rate(np.full(len(self.credits), credit), np.full(len(self.credits), units))
        return np.asarray(whole - rate(credit - self.credits, units - self.all_units))


def _shares(records: AgreementRecords, tallies: Tallies) -> _Shares:
    scenes, people, sums = records.scenes, len(records.annotators), tallies.sums
    rows = np.flatnonzero(~scenes.is_self[tallies.scene])
    scene = tallies.scene[rows]
    who = np.concatenate([scenes.a[scene], scenes.b[scene]])
    credit, units = (np.tile(sums[name][rows], 2) for name in ("credit", "units"))
    totals = [np.bincount(who, weights=column, minlength=people) for column in (credit, units)]
    return _Shares(who, np.tile(scenes.image[scene], 2), credit, units, *totals)


def _ends(records: AgreementRecords, sums: _Shares, resample: Resample | None) -> dict[str, np.ndarray]:
    if resample is None:
        return {}
    lo, hi = resample(sums.annotator, sums.image, sums.credit, sums.units, len(records.annotators))
    return {"lo": lo, "hi": hi}


def _influence_ends(records: AgreementRecords, sums: _Shares, threads: int | None) -> dict[str, np.ndarray]:
    from vesica.agreement.resampled import influence_intervals  # late: only intervals need it

    lo, hi = influence_intervals(records, sums.annotator, sums.image, sums.credit, sums.units, threads=threads)
    return {"influence_lo": lo, "influence_hi": hi}


def _duplicates(records: AgreementRecords) -> np.ndarray:
    """(N,) bool: does an object repeat another one of its annotator, beside somebody else's?"""
    found = np.zeros(len(records), bool)
    for side, rows in ((records.left, records.scenes.left.row), (records.right, records.scenes.right.row)):
        found[rows[side.type == DUPLICATE]] = True
    return found


def _bias(records: AgreementRecords) -> dict[str, np.ndarray]:
    """How far out each draws, against the median of the others of each cluster."""
    rows, medians = medians_of_others(records.box, records.cluster)
    offsets = edge_offsets(Boxes(medians, check=False), Boxes(records.box[rows], check=False))
    bias = edge_bias(offsets, records.annotator[rows], groups=len(records.annotators))
    mean = bias.mean
    out = {f"out_{edge}": mean[:, place] for place, edge in enumerate(EDGES)}
    return {**out, "area_ratio": bias.area_ratio}


def _self_agreement(records: AgreementRecords, tallies: Tallies) -> np.ndarray:
    """The agreement of each with themselves in another round."""
    scenes, people, sums = records.scenes, len(records.annotators), tallies.sums
    rows = np.flatnonzero(scenes.is_self[tallies.scene])
    who = scenes.a[tallies.scene[rows]]
    credit, units = (np.bincount(who, weights=sums[name][rows], minlength=people) for name in ("credit", "units"))
    return rate(credit, units)
