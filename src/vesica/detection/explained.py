"""What a result of detection scores tells beside its numbers: causes, confusion, objects, images, sizes, reliability.

Each method loads what it needs: most scores are asked for their numbers alone.
"""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from vesica._array import objects
from vesica._check import details as check_details
from vesica._check import detection as check
from vesica.detection.curves import curve_of
from vesica.detection.inputs import Inputs
from vesica.detection.protocol import Protocol
from vesica.detection.records import Records
from vesica.results.result import Result
from vesica.results.tables import Table

if TYPE_CHECKING:
    from vesica.detection.causes import Causes
    from vesica.detection.confusion import Confusion
    from vesica.detection.details import Details
    from vesica.detection.matches import Matches
    from vesica.detection.reliability import Reliability


class Explained(Result):
    """A result that stands on records, and on details where these are asked for."""

    records: Records
    inputs: Inputs | None
    threads: int | None

    @property
    @abstractmethod
    def protocol(self) -> Protocol:
        """The conventions."""

    @property
    @abstractmethod
    def categories(self) -> list[Any]:
        """Names of the categories."""

    @functools.cached_property
    def details(self) -> Details:
        """Who is near whom, also of different classes: those of the records, or made of what was matched."""
        if self.records.details is None and self.inputs is not None:
            from vesica.detection.details import details_of

            return details_of(self.inputs, self.records, threads=self.threads)
        return check_details.there(self.records.details)  # type: ignore[no-any-return]

    def causes(self, *, iou: float | None = None, background: float | None = None, like: str | None = None) -> Causes:
        """Why AP is what it is: wrong guesses and missed truths by their cause, and the AP that each cause costs.

        A wrong guess that overlaps no truth as far as `background`, by default 0.1, lies on it. `like="tidecv"` gives
        the numbers of that tool; docs/causes.md tells where they differ.

        >>> import vesica
        >>> truth = vesica.Dataset.from_arrays([[0, 0, 9, 9], [50, 0, 59, 9]], image=[1, 1], category=["cat", "dog"])
        >>> guess = vesica.Dataset.from_arrays(
        ...     [[0, 0, 9, 9], [50, 0, 59, 8]], image=[1, 1], category=["cat", "cat"], score=[0.8, 0.9]
        ... )
        >>> row = vesica.evaluate(truth, guess).causes()["classification"]
        >>> row["count"], round(row["cost"], 3), row["meaning"]
        (1, 0.75, 'in the right place, with another class')
        """
        from vesica.detection.cause_names import LIKE
        from vesica.detection.causes import causes_of

        if like is not None:
            check.one_of(like, [name for name in LIKE if name], "like")
        at, details = self._overlap(iou), self.details
        return causes_of(
            self.records,
            details,
            self._matches(at, as_tide=LIKE[like].as_tide),
            iou=at,
            background=check_details.background_of(background, details.floor, at),
            names=self.categories,
            like=like,
            threads=self.threads,
        )

    def confusion(self, *, iou: float = 0.5, min_score: float | None = None, like: str | None = None) -> Confusion:
        """Which classes are taken for which, of guesses from `min_score` on, with the background as a class.

        What `counts` calls right stands on the diagonal. `like="hotcoco"` and `like="supervision"` pair guesses with
        truths as those do.
        """
        from vesica.detection.confusion import LIKE, confusion_of

        if like is not None:
            check.one_of(like, [name for name in LIKE if name], "like")
        return confusion_of(
            self.records,
            self.details,
            iou=self._overlap(iou),
            min_score=min_score,
            names=self.categories,
            image_ids=self.records.images,
            like=like,
        )

    def objects(self, *, iou: float | None = None, min_score: float | None = None) -> Table:
        """The match table: a row for each guess, and for each truth that was not found, with its cause.

        Columns: image, category, guess (which one of its image), score, x1, y1, x2, y2, cause, iou with the truth that
        the cause speaks of, truth (its id), truth_category, right_at (how many thresholds of the protocol). Rows of
        truths have no guess and no score.
        """
        from vesica.detection.cause_names import named
        from vesica.detection.match_table import match_table
        from vesica.detection.matches import above

        at, details = self._overlap(iou), self.details
        found = above(self._matches(at), self.records.score, min_score)
        kept = None if min_score is None else self.records.score >= min_score
        state = named(self.records, details, found, check_details.background_of(None, details.floor, at), kept=kept)
        table = match_table(self.records, details, state, self.categories)
        if min_score is None:
            return table
        rows = ~(table["score"] < min_score)
        return Table({name: column[rows] for name, column in table.columns.items()})

    def per_image(self, *, iou: float | None = None, min_score: float | None = None, area: str | None = None) -> Table:
        """Right, wrong and missed of each image, and its F1, of guesses from `min_score` on; the worst image first."""
        from vesica.detection.per_image import image_table

        return image_table(self.records, self._threshold(iou), check.area_of(area, self.protocol), min_score)

    def by_size(self, *, bins: int = 8, sides: Sequence[float] | None = None) -> Table:
        """AP and recall from small objects to large ones.

        `bins` part the truths into ranges of about equal number; `sides` says where ranges end, as sides of squares:
        [32, 96] gives COCO's small, medium and large.
        """
        from vesica.detection.sizes import edges_of, size_table

        details = self.details
        edges = edges_of(details, check.bins(bins)) if sides is None else check.size_edges(sides)
        return size_table(self.records, details, edges, threads=self.threads)

    def reliability(self, *, bins: int = 10, iou: float | None = None) -> Reliability:
        """Are scores the chance of being right? Calibration errors, and the diagram, of guesses that count."""
        from vesica.detection.reliability import reliability_of

        matched, ignored = self.records.lane(self._threshold(iou), check.area_of(None, self.protocol))
        score, right = self.records.score[~ignored], matched[~ignored]
        check.probabilities(score)
        category = self.records.guess_category[~ignored]
        return reliability_of(score, right, category, objects(self.categories), check.bins(bins))

    def thresholds(self, *, precision: float | None = None, iou: float | None = None) -> Table:
        """The score to cut each category at: where its F1 is highest, or the lowest with at least this `precision`.

        The first row, "all", is one cut for all of them. NaN where no cut will do.
        """
        from vesica.detection.cuts import cut_table

        wanted = None if precision is None else check.share(precision, "precision")
        threshold, area = self._threshold(iou), check.area_of(None, self.protocol)
        places = (None, *range(len(self.categories)))
        curves = (curve_of(self.records, place, threshold, area) for place in places)
        return cut_table(["all", *self.categories], curves, wanted)

    def _matches(self, iou: float, *, as_tide: bool = False) -> Matches:
        from vesica.detection.matches import matches_of

        return matches_of(self.records, self.details, iou, as_tide=as_tide)

    def _overlap(self, iou: float | None) -> float:
        """A threshold that details can tell of; without one 0.5 if it was scored, or else the first that was."""
        known = self.protocol.iou
        given = iou if iou is not None else 0.5 if any(abs(t - 0.5) < 1e-9 for t in known) else known[0]
        return check_details.floor_of(given, self.details.floor, "iou")

    def _threshold(self, iou: float | None) -> int:
        return 0 if iou is None else check.threshold_of(iou, self.protocol.iou)
