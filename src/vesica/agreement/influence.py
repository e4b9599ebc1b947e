"""Influence: what a number of all annotators would be without each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vesica.agreement.alphas import Rated, image_sums
from vesica.agreement.annotations import Annotations
from vesica.agreement.clusters import clusters_of
from vesica.agreement.image_pairs import image_pairs_of
from vesica.agreement.pairing import contacts_of
from vesica.agreement.resampled import first_by_second, keys_of_images
from vesica.agreement.scenes import Objects
from vesica.agreement.tallies import Tallies
from vesica.results.tables import Table
from vesica.statistics.coefficients import nominal_of
from vesica.statistics.intervals import percentile_intervals
from vesica.statistics.resampling import bootstrap

if TYPE_CHECKING:
    from vesica.agreement.records import AgreementRecords

Values = Callable[[np.ndarray], np.ndarray]
"""The number of each row of sums."""


def influence_table(
    records: AgreementRecords,
    tallies: Tallies,
    drawn: Annotations | None,
    of: str,
    /,
    *,
    recluster: bool,
    intervals: bool,
    threads: int | None = None,
) -> Table:
    """One row for an annotator: the number of all, that without them, and how much they raise it."""
    whole, without, value_of = _sums(records, tallies, drawn, of, recluster, threads)
    people = range(len(records.annotators))
    everyone = float(value_of(whole.sum(axis=0, keepdims=True))[0])
    others = np.array([float(value_of(without(who).sum(axis=0, keepdims=True))[0]) for who in people])
    columns: dict[str, np.ndarray] = {
        "annotator": records.annotators,
        "all": np.full(len(others), everyone),
        "without": others,
        "influence": everyone - others,
    }
    if intervals:
        ends = [_ends(records, whole, without(who), value_of, threads) for who in people]
        columns["lo"], columns["hi"] = np.array(ends, np.float64).reshape(-1, 2).T
    return Table(columns)


def _sums(
    records: AgreementRecords,
    tallies: Tallies,
    drawn: Annotations | None,
    of: str,
    recluster: bool,
    threads: int | None,
) -> tuple[np.ndarray, Callable[[int], np.ndarray], Values]:
    """Image by image what the number is made of: of all, and without an annotator; and how it is made of sums."""
    if of == "agreement":
        return _pair_sums(records, tallies), lambda who: _pair_sums(records, tallies, who), first_by_second
    none = of == "alpha"
    rated = Rated.of(records)

    def without(who: int) -> np.ndarray:
        own = rated.without(who) if drawn is None or not recluster else _clustered_without(records, drawn, who, threads)
        return image_sums(own, none=none)

    return image_sums(rated, none=none), without, lambda sums: nominal_of(sums).value


def _pair_sums(records: AgreementRecords, tallies: Tallies, without: int | None = None) -> np.ndarray:
    """(I, 2) credit and units of all pairs, or of those that one annotator is not in."""
    scenes, sums = records.scenes, tallies.sums
    kept = ~scenes.is_self & (scenes.a != without) & (scenes.b != without)
    rows = np.flatnonzero(kept[tallies.scene])
    image = scenes.image[tallies.scene[rows]]
    columns = [
        np.bincount(image, weights=sums[name][rows], minlength=len(records.images)) for name in ("credit", "units")
    ]
    return np.stack(columns, axis=1)


def _clustered_without(records: AgreementRecords, drawn: Annotations, who: int, threads: int | None) -> Rated:
    """Clusters made anew of what the others drew."""
    own = _annotations_without(drawn, who)
    scenes = image_pairs_of(own)
    clusters = clusters_of(own, scenes, contacts_of(own, scenes, threads=threads), policy=records.policy)
    return Rated(
        images=own.images,
        categories=own.categories,
        asked_image=own.asked_image,
        asked_annotator=own.asked_annotator,
        asked_round=own.asked_round,
        image=own.image,
        annotator=own.annotator,
        round=own.round,
        category=own.objects.label,
        cluster=clusters.first,
    )


_OF_ASKED = ("asked_image", "asked_annotator", "asked_round", "asked_date")
_OF_ROWS = (
    *("image", "annotator", "round", "box", "area", "geometry", "row", "id"),
    *("crowd", "has_mask", "attributes"),
)


def _annotations_without(drawn: Annotations, who: int) -> Annotations:
    asked, rows = drawn.asked_annotator != who, np.flatnonzero(drawn.annotator != who)
    kept: dict[str, Any] = {
        name: None if getattr(drawn, name) is None else getattr(drawn, name)[asked] for name in _OF_ASKED
    }
    kept |= {name: getattr(drawn, name)[rows] for name in _OF_ROWS}
    rank = np.argsort(np.argsort(drawn.objects.rank[rows]))  # without gaps
    objects = Objects(drawn.objects.regions[rows], drawn.objects.label[rows], rank)
    return replace(drawn, objects=objects, **kept)


def _ends(
    records: AgreementRecords, whole: np.ndarray, without: np.ndarray, value_of: Values, threads: int | None
) -> tuple[float, float]:
    """Both ends of the interval of a difference. Its replicates are paired: both numbers are of the same images."""
    policy, width = records.policy, whole.shape[1]
    options: dict[str, Any] = {"seed": policy.seed, "replicates": policy.replicates, "threads": threads}
    found = bootstrap(
        np.concatenate([whole, without], axis=1),
        lambda sums: value_of(sums[:, :width]) - value_of(sums[:, width:]),
        keys=keys_of_images(records),
        **options,
    )
    ends = percentile_intervals(found[:, None], level=policy.level)
    return float(ends.lo[0]), float(ends.hi[0])
