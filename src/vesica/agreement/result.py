"""Results of agreement: the numbers, and the tables behind them."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from vesica._array import objects
from vesica._check import agreement as check
from vesica.agreement import tables
from vesica.agreement.alphas import (
    alpha_of_classes,
    alpha_of_pairs,
    area_sums,
    asked_of,
    count_sums,
    image_sums,
    label_counts,
    label_table,
)
from vesica.agreement.annotations import Annotations
from vesica.agreement.annotator_table import annotators_table
from vesica.agreement.image_table import images_table
from vesica.agreement.ledger_table import ledger_table
from vesica.agreement.merging import merge
from vesica.agreement.object_table import objects_table
from vesica.agreement.policy import AgreementPolicy
from vesica.agreement.queue import Queued, queue_of
from vesica.agreement.records import AgreementRecords, records_of
from vesica.agreement.tallies import Tallies, tallies_of
from vesica.dataset import Images
from vesica.dataset.image_columns import drawn_by
from vesica.results.gates import Scores
from vesica.results.identity import identity_of, image_set
from vesica.results.resampling import IntervalOptions, Resampling
from vesica.results.result import Note, Result
from vesica.results.tables import Table
from vesica.statistics.coefficients import Coefficient, cohen, fleiss, interval_of, nominal_of, one_of
from vesica.statistics.intervals import Interval

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from vesica.agreement.ceiling import Ceiling
    from vesica.agreement.change import Change
    from vesica.agreement.consensus import Consensus
    from vesica.agreement.outline_pairs import OutlinePairs
    from vesica.dataset import Dataset
    from vesica.results.intervals import IntervalTable

_ALPHAS = {"objects": nominal_of, "labels": nominal_of, "counts": interval_of, "areas": interval_of}
"""What α may be of, and how it is made of sums."""
_NOUNS = {"box": "boxes", "rotated": "rotated boxes", "polygon": "polygons", "mask": "masks"}
_WHY = {
    "agreement": "nobody drew anything in an image that two were asked for",
    "mean_iou": "no object was matched",
    "label_agreement": "no object was matched",
    "alpha": "all ratings are one, or none was given by two",
    "alpha_labels": "all labels are one, or no object was drawn by two",
}


@dataclass(frozen=True, eq=False, repr=False)
class AgreementResult(Result):
    """What `evaluate_agreement` answers: a mapping of its numbers, and tables of whom, where and how.

    Numbers: `agreement`, what all pairs of annotators agree on as a share of all they drew; `f1`, the same with every
    matched pair of one label counted whole; `mean_iou` of matched pairs; `label_agreement`, the share of them with one
    label; `alpha`, Krippendorff's α of what everybody who was asked said of each object, its label or nothing; and
    `alpha_labels`, of labels alone.

    Attributes
    ----------
    records : AgreementRecords
    annotations : Annotations, or None: the regions themselves, where they are at hand
    notes : what was corrected, left out or assumed
    """

    records: AgreementRecords
    annotations: Annotations | None = None
    notes: tuple[Note, ...] = ()
    threads: int | None = None

    @property
    def policy(self) -> AgreementPolicy:
        """The conventions of all its numbers."""
        return self.records.policy

    @functools.cached_property
    def tallies(self) -> Tallies:
        """Matched pairs and objects alone, which all tables of pairs are summed from."""
        return tallies_of(self.records)

    @functools.cached_property
    def _outlines(self) -> OutlinePairs:
        """How far the outlines of matched pairs are apart."""
        from vesica.agreement.outline_pairs import outline_pairs  # late: few ask for it

        return outline_pairs(self.records, self.tallies, self.annotations, threads=self.threads)

    # The numbers.

    @functools.cached_property
    def summary(self) -> Mapping[str, float]:
        """The numbers by their names; NaN for one that is not defined."""
        sums = self._sums
        return {
            "agreement": _share(sums["credit"], sums["units"]),
            "f1": _share(sums["n_matched"] - sums["n_label_differs"], sums["units"]),
            "mean_iou": _share(sums["sum_iou"], sums["n_matched"]),
            "label_agreement": _share(sums["n_matched"] - sums["n_label_differs"], sums["n_matched"]),
            "alpha": _number(self.alpha()),
            "alpha_labels": _number(self.alpha("labels")),
        }

    @functools.cached_property
    def _sums(self) -> dict[str, float]:
        others = ~self.records.scenes.is_self[self.tallies.scene]
        return {name: float(column[others].sum()) for name, column in self.tallies.sums.items()}

    def alpha(self, of: str = "objects", /) -> Coefficient:
        """Krippendorff's α. Where it is not defined its status says why.

        Nominal of "objects", where a rating is a label or that nothing was drawn, and of "labels" of what several drew;
        of intervals for "counts", how many objects each saw in an image, and "areas", on a logarithmic scale.
        """
        check.one_of(of, _ALPHAS, "of")
        sums = self._alpha_sums(of).sum(axis=0)
        return one_of(_ALPHAS[of](sums), int(sums[0]))

    @functools.cached_property
    def _known_sums(self) -> dict[str, np.ndarray]:
        return {}

    def _alpha_sums(self, of: str) -> np.ndarray:
        """What α is made of, image by image."""
        if of not in self._known_sums:
            ways = {"counts": count_sums, "areas": area_sums}
            own = ways[of](self.records) if of in ways else image_sums(self.records, none=of == "objects")
            self._known_sums[of] = own
        return self._known_sums[of]

    def cohen(self) -> Coefficient:
        """Cohen's κ of two annotators, of objects: a rating is a label, or that nothing was drawn."""
        check.two_annotators(len(self.records.annotators))
        return cohen(label_table(self.records))

    def fleiss(self) -> Coefficient:
        """Fleiss' κ of objects; every image must have been shown to as many annotators."""
        return fleiss(label_counts(self.records))

    @overload
    def interval(self, name: None = None, /, **options: Unpack[IntervalOptions]) -> IntervalTable: ...

    @overload
    def interval(self, name: str, /, **options: Unpack[IntervalOptions]) -> Interval: ...

    def interval(
        self,
        name: str | None = None,
        /,
        *,
        level: float | None = None,
        by: Any = None,
        replicates: int | None = None,
        seed: int | None = None,
        method: str = "percentile",
    ) -> IntervalTable | Interval:
        """Both ends of the interval of a number, or of all of them, by drawing images again.

        What is not said is as the policy has it, where `by` is called `resample_by`. `by` may also be a dict of image →
        group, or one group for each image; the options are those of `DetectionResult.interval`.
        """
        from vesica.results.intervals import Replicates, drawing_of, interval_table  # late: most ask for numbers alone

        names = tuple(self.summary) if name is None else (check.one_of(name, self.summary, "name"),)
        policy, images = self.policy, self.records.images
        known = {one: column for one in ("group", "batch") if (column := getattr(self.records, one)) is not None}
        told, groups = (policy.resample_by, None) if by is None else drawn_by(by, Images(images), known)
        drawing = drawing_of(
            level=policy.level if level is None else level,
            by=told,
            replicates=policy.replicates if replicates is None else replicates,
            seed=policy.seed if seed is None else seed,
            method=method,
        )
        own = images if groups is None else groups
        by_image = None if by is None else dict(zip(images.tolist(), own.tolist(), strict=True))
        drawn = self._drawn_by(Resampling(drawing.replicates, drawing.seed, by_image))
        columns = [values[:, None] for one in names if (values := drawn.replicates(one)) is not None]
        found = Replicates(names, np.concatenate(columns, axis=1), (), np.empty((drawing.replicates, 0, 0)))
        table = interval_table(self.summary, found, drawing)
        return table if name is None else table[name]

    def replicates(self, name: str, category: str | None = None, /) -> np.ndarray | None:
        """(R,) a number, or the agreement in a category, where images are drawn again as the policy says; None for a
        number that has no replicates."""
        from vesica.agreement.resampled import first_by_second, keys_of_images  # late: most ask for the numbers alone
        from vesica.statistics.resampling import bootstrap

        if category is not None:
            names = [str(one) for one in self.records.names.tolist()]
            return self._agreement_replicates[:, names.index(category)] if name == "agreement" else None
        policy, keys = self.policy, keys_of_images(self.records)
        options: dict[str, Any] = {"keys": keys, "seed": policy.seed, "replicates": policy.replicates}
        if name in ("alpha", "alpha_labels"):
            sums = self._alpha_sums("objects" if name == "alpha" else "labels")
            return bootstrap(sums, lambda some: nominal_of(some).value, threads=self.threads, **options)
        return bootstrap(self.image_sums(name), first_by_second, threads=self.threads, **options)

    @functools.cached_property
    def _agreement_replicates(self) -> np.ndarray:
        """(R, K) of each category."""
        from vesica.agreement.resampled import rate_replicates

        scenes, tallies = self.records.scenes, self.tallies
        rows = np.flatnonzero(~scenes.is_self[tallies.scene])
        credit, units = (tallies.sums[name][rows] for name in ("credit", "units"))
        where = tallies.category[rows], scenes.image[tallies.scene[rows]]
        return rate_replicates(self.records, *where, credit, units, len(self.records.categories), threads=self.threads)

    def image_sums(self, name: str) -> np.ndarray:
        """(I, 2) what a number is the ratio of, image by image."""
        sums = self.tallies.sums
        right = sums["n_matched"] - sums["n_label_differs"]
        parts = {
            "agreement": (sums["credit"], sums["units"]),
            "f1": (right, sums["units"]),
            "mean_iou": (sums["sum_iou"], sums["n_matched"]),
            "label_agreement": (right, sums["n_matched"]),
        }
        scenes = self.records.scenes
        rows = np.flatnonzero(~scenes.is_self[self.tallies.scene])
        image = scenes.image[self.tallies.scene[rows]]
        columns = [np.bincount(image, weights=part[rows], minlength=len(self.records.images)) for part in parts[name]]
        return np.stack(columns, axis=1)

    # The tables.

    def _resample(self, wanted: bool) -> tables.Resample | None:
        if not wanted:
            return None
        from vesica.agreement.resampled import rate_intervals  # late: as above

        return functools.partial(rate_intervals, self.records, threads=self.threads)

    def pairs(self, *, by: str | Sequence[str] = (), intervals: bool = True) -> Table:
        """One row for every two annotators who were asked for one image: counts, agreement, f1, mean_iou and α.

        With `by`, "category", "size_bin" or both, a row for each of them that occurs. Categories go by the label of a,
        or of b for what only b drew; sizes by the mean area of a pair. `lo` and `hi` are the ends of the interval of
        the agreement.
        """
        divided = check.columns_by(by, ("category", "size_bin"))
        alpha = None if divided else alpha_of_pairs(self.records)
        return tables.pairs_table(self.records, self.tallies, divided, alpha, self._resample(intervals))

    def classes(self, *, intervals: bool = True) -> Table:
        """One row for a category: counts, agreement, mean_iou, mean_dice, α, and what it was most often taken for."""
        alpha = alpha_of_classes(self.records)
        return tables.classes_table(self.records, self.tallies, alpha, self._resample(intervals))

    def coefficients(self) -> Table:
        """One row for a category: agreement and Krippendorff's α, each with both ends of its interval (`agreement_lo`,
        `agreement_hi`, `alpha_lo`, `alpha_hi`)."""
        from vesica.agreement.coefficient_table import coefficients_table  # late: few ask for it

        own = self.classes(intervals=False)["agreement"]
        return coefficients_table(self.records, self.tallies, own, self.threads)

    def _shares(self) -> tuple[str, list[tuple[Any, float | None]]]:
        rows = self.classes(intervals=False)
        return "agreement by category", [(row["category"], row["agreement"]) for row in rows]

    def images(self) -> Table:
        """One row for an image: agreement, what was lost and why, the entropy of votes, and its rank by loss.

        `edge_share`, of masks that are at hand: of the pixels in which two annotators differ, the share that lies
        within two pixels of an outline.
        """
        from vesica.agreement.outline_pairs import edge_shares  # late: few ask for it

        edges = edge_shares(self.records, self.tallies, self.annotations, threads=self.threads)
        return images_table(self.records, self.tallies, edges)

    def annotators(self, *, intervals: bool = True) -> Table:
        """One row for an annotator: agreement with the others, what was missed, made up, labelled or drawn otherwise
        than by most, how far out each edge is, and how agreement of all changes without them (`influence`)."""
        return annotators_table(self.records, self.tallies, self._resample(intervals), self.threads)

    def influence(self, of: str = "agreement", /, *, recluster: bool = False, intervals: bool = True) -> Table:
        """What "agreement", "alpha" or "alpha_labels" would be without each annotator, and how much they raise it.

        For α their ratings leave the clusters; with `recluster` what the others drew is clustered anew, for which the
        regions must be at hand. Agreement of pairs does not depend on clusters. `lo` and `hi` are the ends of the
        interval of the influence.
        """
        from vesica.agreement.influence import influence_table  # late: few ask for it

        check.one_of(of, ("agreement", "alpha", "alpha_labels"), "of")
        drawn = check.annotations_at_hand(self.annotations) if check.flag(recluster, "recluster") else None
        return influence_table(
            self.records, self.tallies, drawn, of, recluster=recluster, intervals=intervals, threads=self.threads
        )

    def objects(self) -> Table:
        """One row for an object: its cluster, votes, partners, margin, alternative, and what it lost.

        `boundary_distance` is how far its outline is from those that it is matched with, on average: of masks that are
        at hand, and of the edges of upright boxes.
        """
        from vesica.agreement.outline_pairs import boundary_distances  # late: few ask for it

        away = boundary_distances(self.records, self.tallies, self._outlines)
        return objects_table(self.records, away)

    def matches(self) -> Table:
        """One row for a matched pair of two annotators, or for what only one of them drew: labels, IoU, margins and
        alternatives."""
        return tables.matches_table(self.records, self.tallies)

    def confusion(self, *, symmetric: bool = False) -> Table:
        """How often two annotators gave which labels to one object; "none" where one of them drew nothing.

        With `symmetric` each pair of labels is counted both ways.
        """
        return tables.confusion_table(self.records, self.tallies, symmetric)

    def ledger(self, *, by: str | Sequence[str] = (), intervals: bool = False) -> Table:
        """What was lost, by type: how often, how much, and as a share of all units. The shares add up to the gap,
        1 − agreement. With `by`, "annotators", "category" or both, for each of them; with `intervals` both ends of the
        interval of each share, `lo` and `hi`.

        Beside the sum, with amount 0, how many matched pairs differ in an `attribute`, in their `kind` (a box and a
        mask), or in the `crowd_flag`."""
        divided = check.columns_by(by, ("annotators", "category"))
        return ledger_table(self.records, self.tallies, divided, self._resample(intervals))

    def bias(self) -> Table:
        """How far one annotator draws further out than another: a row for every two, means over their matched pairs.

        Positive: b draws further out. Pixels for each edge of the boxes, the same as shares of the side that the edge
        ends, and the geometric mean of area of b / area of a. Of masks that are at hand also how far the outline of b
        lies outside that of a (`out_outline`), and how far they are apart (`outline_distance`).
        """
        from vesica.agreement.bias_table import bias_table  # late: few ask for it

        return bias_table(self.records, self.tallies, self._outlines)

    def chance(self) -> Table:
        """For every two annotators agreement by chance, and agreement beyond it: (S − S_e) / (1 − S_e).

        S_e is what they agree on where images are exchanged: what a drew in one image against what b drew in another,
        20 times, seeded by the policy. Boxes and outlines are compared in shares of their image where all sizes are
        known; masks among images of one size (`n_exchanged` of them). `sigma` is the share in which an object of a is
        nearer to b's of its image than to b's of another, `ks` the largest difference of the two distributions.
        """
        from vesica.agreement.chance_table import chance_table  # late: few ask for it

        drawn = check.annotations_at_hand(self.annotations)
        return chance_table(self.records, self.tallies, drawn, threads=self.threads)

    def policy_table(self) -> Table:
        """The conventions, one a row, and the digest of all of them."""
        names = [field.name for field in fields(self.policy)]
        return Table(
            {
                "field": objects(names),
                "value": objects(getattr(self.policy, name) for name in names),
                "hash": objects([self.policy.hash] * len(names)),
            }
        )

    def worst(self, n: int = 50, /, *, by: Mapping[str, Any] | None = None, per_group: int | None = 3) -> list[Queued]:
        """The images to look at first: those that lost most, with the reasons.

        At most `per_group` of one batch whose largest reason is of one type and by one annotator, so that the list is
        not of one kind; None for no limit. `by` keeps images that lose something to a "type", a "category" or an
        "annotator", in the order of that loss: by={"type": "missing"}.
        """
        return queue_of(self, n, by=by or {}, per_group=per_group)

    def trend(self, *, by: str = "batch", category: bool = False) -> Table:
        """Agreement over time: one row for a "batch", a "date" or a "round", rising, and the change since the first.

        `lo` and `hi` are the ends of the interval of the change, whose replicates are paired; `q` is its p-value,
        adjusted for the number of changes that are looked at. With `category`, for each category.
        """
        from vesica.agreement.trend import trend_table  # late: few ask for it

        return trend_table(self.records, self.tallies, by=by, category=category, threads=self.threads)

    def tolerances(self) -> Table:
        """What these people suggest for scores of models: one row for all categories, and one for each.

        `match_at` is the IoU at which as large a share of objects lies below with the nearest of another annotator as
        lies above with the nearest of another image: below it a pair may as well be chance. `tau`, for NSD, is the
        distance in pixels that 95 % of outlines of one object do not exceed, of boxes that of their edges. `_lo` and
        `_hi` are the ends of their intervals.
        """
        from vesica.agreement.tolerances import tolerances_table  # late: few ask for it

        drawn = check.annotations_at_hand(self.annotations)
        return tolerances_table(self.records, self.tallies, drawn, threads=self.threads)

    def explain(self) -> str:
        """The steps by which the numbers come about, pair by pair; of many pairs the first twenty."""
        from vesica.agreement.explain import explain_pairs  # late: few ask for it

        return explain_pairs(self)

    def consensus(self, *, geometry: str = "median", field: str = "image") -> Consensus:
        """One object for each cluster: its label by vote, its geometry from all who drew it, with its sources.

        Quorum and ties are those of the policy. `geometry` is "median" or "mean" of each coordinate of boxes, and
        "majority" or "staple" of the pixels of masks; `field` are the pixels that STAPLE looks at.
        """
        from vesica.agreement.consensus import consensus  # late: few ask for it

        drawn, records = check.annotations_at_hand(self.annotations), self.records
        cluster, assigned = np.empty(len(drawn), np.int64), np.empty(len(drawn), np.int64)
        cluster[drawn.row], assigned[drawn.row] = records.cluster, asked_of(records)
        return consensus(
            drawn.data,
            cluster,
            assigned=assigned,
            geometry=geometry,
            quorum=self.policy.quorum,
            vote_tie=self.policy.vote_tie,
            match_at=self.policy.match_at,
            field=field,
            regions=check.not_polygons(records.kind),
            threads=self.threads,
        )

    def ceiling(
        self,
        guess: Dataset,
        /,
        *,
        min_score: float | None = None,
        against: str = "annotators",
        categories: Any = None,
    ) -> Ceiling:
        """A model beside people: its agreement with each annotator, and that of the others with them.

        `guess` is what the model found; guesses with a score below `min_score` are left out. With against="consensus"
        the model and each annotator are compared with the consensus of all other annotators. `categories` says how
        those of the guess are those of people, as for `evaluate`.
        """
        from vesica.agreement.ceiling import ceiling  # late: few ask for it

        data = check.annotations_at_hand(self.annotations).data
        regions = check.not_polygons(self.records.kind)
        options: dict[str, Any] = {
            "min_score": min_score,
            "against": against,
            "categories": categories,
            "regions": regions,
        }
        return ceiling(data, guess, policy=self.policy, threads=self.threads, **options)

    def since(self, before: AgreementResult, /) -> Change:
        """What became of the images of an earlier result, such as before a review; images meet by id."""
        from vesica.agreement.change import change_between  # late: few ask for it

        return change_between(before, self)

    def under(self, policy: AgreementPolicy, /) -> AgreementResult:
        """The same annotations under another policy."""
        drawn = check.annotations_at_hand(self.annotations)
        return AgreementResult(records_of(drawn, policy, threads=self.threads), drawn, self.notes, self.threads)

    def merged(self, *others: AgreementResult) -> AgreementResult:
        """The result of all images of several results, of different images under one policy."""
        records = merge(self.records, *(one.records for one in others))
        return AgreementResult(records, None, _added([self, *others]), self.threads)

    def to_bytes(self) -> bytes:
        """The records as bytes; `AgreementResult.from_bytes` reads them."""
        return self.records.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes, /) -> AgreementResult:
        """What `to_bytes` gave. Damage, other formats and other versions are errors."""
        return cls(AgreementRecords.from_bytes(data))

    def gate_scores(self, resampling: Resampling | None = None, /) -> Scores:
        """What gates can ask for: `alpha>=0.67` of the whole, `agreement[cat,dog]>=0.8` of categories."""
        rows = {str(row["category"]): row for row in self.classes(intervals=False)}
        names = ("agreement", "f1", "mean_iou", "mean_dice", "alpha")
        drawn = self if resampling is None else self._drawn_by(resampling)
        return Scores(
            self.numbers,
            {name: {key: row[key] for key in names} for name, row in rows.items()},
            lambda name: _WHY.get(name, "it is not defined"),
            identity=identity_of(self.to_dict(), ids=self.records.images.tolist()),
            replicates=drawn.replicates,
        )

    def _drawn_by(self, how: Resampling) -> AgreementResult:
        """The same, whose images are drawn again otherwise than the policy says."""
        policy = replace(self.policy, seed=how.seed, replicates=how.replicates)
        records = replace(self.records, policy=policy)
        if how.groups is not None:
            groups = objects(how.labels(self.records.images.tolist()) or ())
            records = replace(records, policy=replace(policy, resample_by="group"), group=groups)
        return AgreementResult(records, threads=self.threads)

    @property
    def headline(self) -> str:
        """How much of everything there is, and under which policy."""
        records, scenes = self.records, self.records.scenes
        counts = {
            "annotators": len(records.annotators),
            "images": len(records.images),
            "image pairs": int((~scenes.is_self).sum()),
            "objects": len(records),
        }
        told = ", ".join(f"{count:,} {noun[:-1] if count == 1 else noun}" for noun, count in counts.items())
        return (
            f"agreement, {_NOUNS[records.kind]}: {told}; match at {self.policy.match_at:g}, policy {self.policy.hash}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The summary, the annotators, the classes and the conventions, as plain values."""
        return {
            "task": "agreement",
            "annotators": [str(one) for one in self.records.annotators.tolist()],
            "images": len(self.records.images),
            "image_set": image_set(self.records.images.tolist()),
            "objects": len(self.records),
            "summary": self.numbers,
            "pairs": list(self.pairs(intervals=False)),
            "classes": list(self.classes(intervals=False)),
            "per_annotator": list(self.annotators(intervals=False)),
            "ledger": list(self.ledger()),
            "notes": [asdict(note) for note in self.notes],
            "policy": asdict(self.policy),
            "policy_hash": self.policy.hash,
        }


def _added(results: Sequence[AgreementResult]) -> tuple[Note, ...]:
    """The notes of all, each once, with the sum of its counts."""
    counts: dict[tuple[str, str], int] = {}
    for note in (note for one in results for note in one.notes):
        counts[note.rule, note.text] = counts.get((note.rule, note.text), 0) + note.count
    return tuple(Note(rule, count, text) for (rule, text), count in sorted(counts.items()))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


def _number(found: Coefficient) -> float:
    return float("nan") if found.value is None else found.value
