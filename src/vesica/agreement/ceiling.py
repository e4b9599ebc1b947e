"""The human ceiling: how near a model is to each annotator, beside how near the others are to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vesica._array import objects
from vesica._check import ceiling as check
from vesica.agreement.annotations import annotations_of
from vesica.agreement.policy import AgreementPolicy
from vesica.agreement.records import AgreementRecords, records_of
from vesica.agreement.resampled import rate_replicates
from vesica.agreement.tables import labels_of, rate
from vesica.agreement.tallies import Tallies, tallies_of
from vesica.dataset import Dataset
from vesica.dataset.assignments import Assignments
from vesica.dataset.concat import columns_of_rows
from vesica.dataset.meeting import meet
from vesica.results.result import Note, Result
from vesica.results.tables import Table
from vesica.statistics.intervals import percentile_intervals


@dataclass(frozen=True, eq=False, repr=False)
class Ceiling(Result):
    """A model against people, and people against each other: in the same images, by the same measure.

    Numbers: `model`, the mean over annotators of the agreement of the model with each; `human`, that of the mean
    agreement of the others with each; `difference`, model − human, and both ends of its interval, `lo` and `hi`, for
    which images are drawn again, the same ones on both sides.

    Attributes
    ----------
    annotators : Table
        One row for an annotator: `model`, `human`, `difference`, `lo`, `hi`.
    classes : Table
        One row for a category, over all annotators at once; `inside` says that the model is not below people: that the
        interval of the difference reaches 0. None where there is no interval.
    means : the numbers of the mapping
    """

    policy: AgreementPolicy
    guesses: int
    annotators: Table
    classes: Table
    means: Mapping[str, float]
    notes: tuple[Note, ...] = ()

    @property
    def summary(self) -> Mapping[str, float]:
        """The numbers by their names; NaN for one that is not defined."""
        return self.means

    @property
    def headline(self) -> str:
        """How much of everything there is, and under which policy."""
        return (
            f"ceiling: {len(self.annotators):,} annotators, {self.guesses:,} guesses of the model; match at "
            f"{self.policy.match_at:g}, policy {self.policy.hash}"
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "summary": self.numbers,
            "annotators": list(self.annotators),
            "classes": list(self.classes),
            "guesses": self.guesses,
            "notes": [vars(note) for note in self.notes],
            "policy_hash": self.policy.hash,
        }


def ceiling(
    data: Dataset,
    guess: Dataset,
    /,
    *,
    policy: AgreementPolicy | None = None,
    min_score: float | None = None,
    against: str = "annotators",
    categories: Any = None,
    regions: str | None = None,
    missing: str | None = None,
    threads: int | None = None,
) -> Ceiling:
    """Compare a model with annotators as they are compared with each other.

    For each annotator k, in the images of k that another one was asked for too: the agreement of the model with k, and
    the mean of the agreements of the others with k. The model is taken to have looked at every image that somebody was
    asked for. Annotators have no scores, so the model is taken at one score: say `min_score`.

    Parameters
    ----------
    data : Dataset with `annotator` and `assignments`
    guess : Dataset: what the model found. Its images and categories meet those of the data as for `evaluate`.
    policy : AgreementPolicy, optional
    min_score : float, optional
        Guesses with a lower score are left out, and counted. By default none is.
    against : {"annotators", "consensus"}
        Both are compared with each annotator; or the model and annotator k with the consensus of all others than k, in
        the images that k and two others were asked for.
    categories : {"name", "id"} or mapping, optional
        How categories of the guess are those of the data, as for `evaluate`.
    regions, missing, threads : as for `evaluate_agreement`

    Examples
    --------
    >>> import vesica
    >>> people = vesica.Dataset.from_arrays(
    ...     [[0, 0, 10, 10], [0, 0, 10, 8], [0, 0, 10, 9]], image=[1, 1, 1], annotator=["ann", "ben", "cleo"],
    ...     assignments="all",
    ... )
    >>> model = vesica.Dataset.from_arrays([[0, 0, 10, 6]], image=[1], score=[0.9])
    >>> found = ceiling(people, model)
    >>> round(found["model"], 3), round(found["human"], 3)
    (0.672, 0.863)
    """
    check.one_of(against, ("annotators", "consensus"), "against")
    asked = AgreementPolicy() if policy is None else policy
    people, notes = check.people(data), []
    check.guesses(guess, Dataset)
    kept = guess if min_score is None else guess.rows(check.scores(guess) >= check.finite(min_score, "min_score"))
    if len(kept) < len(guess):
        notes.append(
            Note("score", len(guess) - len(kept), f"guesses have a score below {min_score:g}, and are left out")
        )
    both, left_out = with_model(people, kept, categories=categories, upright=regions != "rotated")
    if left_out:
        notes.append(Note("category", left_out, "guesses are of categories that people do not have, and are left out"))
    name = both.annotators.tolist()[-1]
    options: dict[str, Any] = {"regions": regions, "missing": missing, "threads": threads}
    if against == "consensus":
        from vesica.agreement.ceiling_consensus import with_consensus  # late: few ask for it

        check.three_people(len(people.annotators))
        both, consensus = with_consensus(both, asked, **options)
    records = records_of(annotations_of(both, **options), asked, threads=threads)
    if against == "consensus":
        return _beside_consensus(records, consensus, name, len(kept) - left_out, tuple(notes), threads)
    return _compared(records, records.annotators.tolist().index(name), len(kept) - left_out, tuple(notes), threads)


def with_model(
    data: Dataset, guess: Dataset, /, *, categories: Any = None, upright: bool = True
) -> tuple[Dataset, int]:
    """The data set with a model as its last annotator, asked for every image that anybody was; and guesses left out."""
    met = meet(data, guess, categories=categories)
    image, category = (
        _back(own)[of[column]]
        for own, of, column in (
            (met.truth_image, met.guess_image, guess.image),
            (met.truth_category, met.guess_category, guess.category),
        )
    )
    known = np.flatnonzero(category >= 0)
    rows = guess.rows(known)
    plain: dict[str, Any] = {
        "score": None,
        "id": None,
        "source": None,
        "record": None,
        "attributes": None,
        "area": None,
    }
    plain |= {"crowd": None, "ignore": None}
    one, other = replace(data, **plain), replace(rows, **plain, annotator=None, assignments=None, round=None)
    if upright and (one.corners is None or other.corners is None):
        one, other = replace(one, corners=None), replace(other, corners=None)
    asked = data.assignments
    assert asked is not None
    assert data.annotator is not None or not len(data)
    place = len(data.annotators)
    own = np.empty(0, np.int64) if data.annotator is None else data.annotator
    images = np.unique(asked.image)
    return replace(
        one,
        image=np.concatenate([data.image, image[known]]),
        category=np.concatenate([data.category, category[known]]),
        annotator=np.concatenate([own, np.full(len(known), place)]),
        annotators=objects([*data.annotators.tolist(), check.new_name(data.annotators.tolist())]),
        assignments=Assignments(
            np.concatenate([asked.image, images]),
            np.concatenate([asked.annotator, np.full(len(images), place)]),
            np.concatenate([asked.rounds, np.zeros(len(images), np.int64)]),
        ),
        **columns_of_rows([one, other]),
    ), len(guess) - len(known)


def _back(rank: np.ndarray) -> np.ndarray:
    """Places in a table from ranks in rising order; −1 stays."""
    order = np.argsort(rank, kind="stable")
    return np.append(order, -1)


def _compared(
    records: AgreementRecords, model: int, guesses: int, notes: tuple[Note, ...], threads: int | None
) -> Ceiling:
    scenes, tallies = records.scenes, tallies_of(records)
    is_model = (scenes.a == model) | (scenes.b == model)
    who = np.where(scenes.a == model, scenes.b, scenes.a)
    images = max(len(records.images), 1)
    human = ~scenes.is_self & ~is_model
    seen = np.concatenate([side[human] * images + scenes.image[human] for side in (scenes.a, scenes.b)])
    shown = is_model & ~scenes.is_self & np.isin(who * images + scenes.image, seen)

    table, summary = _by_annotator(records, tallies, human, shown, who, model, threads)
    return Ceiling(records.policy, guesses, table, _by_class(records, tallies, human, shown, threads), summary, notes)


def _by_annotator(
    records: AgreementRecords,
    tallies: Tallies,
    human: np.ndarray,
    shown: np.ndarray,
    who: np.ndarray,
    model: int,
    threads: int | None,
) -> tuple[Table, dict[str, float]]:
    """The row of each annotator, and the means over all."""
    scenes, people = records.scenes, len(records.annotators)
    code = np.where(human, scenes.a * people + scenes.b, np.where(shown, people * people + who, -1))
    codes = np.unique(code[code >= 0])
    cell = np.where(code >= 0, np.searchsorted(codes, code), -1)
    rates, replicates = _rates(records, tallies, cell, len(codes), threads)
    own = [k for k in range(people) if k != model]
    others = [(codes < people * people) & ((codes // people == k) | (codes % people == k)) for k in own]
    mine = [codes == people * people + k for k in own]
    values = np.concatenate([rates[None], replicates])
    of_model, of_human = (np.stack([_mean(values[:, which]) for which in chosen], axis=1) for chosen in (mine, others))
    images = [len(np.unique(scenes.image[shown & (who == k)])) for k in own]
    return table_of(records, own, images, of_model, of_human)


def table_of(
    records: AgreementRecords, own: list[int], images: list[int], of_model: np.ndarray, of_human: np.ndarray, /
) -> tuple[Table, dict[str, float]]:
    """The row of each annotator, and the means over all; of (1 + R, K) numbers the first row is that of all images."""
    difference = of_model - of_human
    ends = percentile_intervals(difference[1:], level=records.policy.level)
    both = ~np.isnan(difference[0])
    means = [_mean(np.where(both, side, np.nan)) for side in (of_model, of_human)]
    whole = percentile_intervals((means[0] - means[1])[1:, None], level=records.policy.level).one(0)
    nan = float("nan")
    table = Table(
        {
            "annotator": records.annotators[own],
            "n_images": np.array(images, np.int64),
            "model": of_model[0],
            "human": of_human[0],
            "difference": difference[0],
            "lo": ends.lo,
            "hi": ends.hi,
        }
    )
    summary = {"model": float(means[0][0]), "human": float(means[1][0]), "difference": float(means[0][0] - means[1][0])}
    return table, summary | {"lo": nan if whole.lo is None else whole.lo, "hi": nan if whole.hi is None else whole.hi}


def _beside_consensus(
    records: AgreementRecords,
    consensus: Mapping[Any, Any],
    name: Any,
    guesses: int,
    notes: tuple[Note, ...],
    threads: int | None,
) -> Ceiling:
    """Each annotator and the model beside the consensus of the others, whose name `consensus` tells."""
    place = {who: k for k, who in enumerate(records.annotators.tolist())}
    scenes, tallies, own = records.scenes, tallies_of(records), [place[who] for who in consensus]
    cell = np.full(len(scenes), -1)
    for number, (who, agreed) in enumerate(consensus.items()):
        for side, other in enumerate((who, name)):
            pair = {place[agreed], place[other]}
            cell[(scenes.a == min(pair)) & (scenes.b == max(pair))] = 2 * number + side
    rates, replicates = _rates(records, tallies, cell, 2 * len(own), threads)
    values = np.concatenate([rates[None], replicates])
    images = [len(np.unique(scenes.image[cell == 2 * number])) for number in range(len(own))]
    table, summary = table_of(records, own, images, values[:, 1::2], values[:, ::2])
    human, shown = (cell >= 0) & (cell % 2 == 0), (cell >= 0) & (cell % 2 == 1)
    return Ceiling(records.policy, guesses, table, _by_class(records, tallies, human, shown, threads), summary, notes)


def _by_class(
    records: AgreementRecords, tallies: Tallies, human: np.ndarray, shown: np.ndarray, threads: int | None
) -> Table:
    """The row of each category: what all pairs of annotators agree on, and what the model does with all of them."""
    kinds = len(records.categories)
    side = np.where(human, 0, np.where(shown, 1, -1))[tallies.scene]
    cell = np.where(side >= 0, tallies.category * 2 + side, -1)
    rates, replicates = _rates_of_rows(records, tallies, cell, 2 * kinds, threads)
    difference = rates[1::2] - rates[::2]
    ends = percentile_intervals(replicates[:, 1::2] - replicates[:, ::2], level=records.policy.level)
    inside = [None if np.isnan(hi) else bool(hi >= 0) for hi in ends.hi.tolist()]
    return Table(
        {
            "category": labels_of(records),
            "model": rates[1::2],
            "human": rates[::2],
            "difference": difference,
            "lo": ends.lo,
            "hi": ends.hi,
            "inside": objects(inside),
        }
    )


def _rates(
    records: AgreementRecords, tallies: Tallies, cell: np.ndarray, cells: int, threads: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Agreement of the scenes of each cell, and its replicates."""
    return _rates_of_rows(records, tallies, cell[tallies.scene] if len(cell) else cell, cells, threads)


def _rates_of_rows(
    records: AgreementRecords, tallies: Tallies, cell: np.ndarray, cells: int, threads: int | None
) -> tuple[np.ndarray, np.ndarray]:
    rows = np.flatnonzero(cell >= 0)
    sums = tallies.sums
    credit, units = (sums[name][rows] for name in ("credit", "units"))
    image = records.scenes.image[tallies.scene[rows]]
    whole = rate(*(np.bincount(cell[rows], weights=column, minlength=cells) for column in (credit, units)))
    return whole, rate_replicates(records, cell[rows], image, credit, units, cells, threads=threads)


def _mean(values: np.ndarray) -> np.ndarray:
    """(R,) the mean of each row over the values that are there; NaN where none is."""
    there = ~np.isnan(values)
    return rate(np.where(there, values, 0.0).sum(axis=1), there.sum(axis=1))
