"""Policies: the conventions that a segmentation score depends on, as a value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from vesica._check import segmentation as check
from vesica.results.policy import Policy
from vesica.segmentation.presets import PRESETS, Preset
from vesica.segmentation.rules import FIELDS


@dataclass(frozen=True)
class SegmentationPolicy(Policy):
    """What happens to empty cells, which pixels count, and in which order means are taken.

    A cell is one image and one class. What is left out is left out of the mean, and counted.

    Attributes
    ----------
    both_empty : {"skip", "one", "zero"}
        A cell that neither side has: left out, or scored.
    one_empty : {"worst", "skip", "skip_empty_truth", "skip_empty_guess"}
        A cell that one side alone has: 0, or left out; or left out only where that side is the truth, or the guess.
    absent : {"skip", "zero", "one"}
        A class that neither side has in the whole set.
    average : {"totals", "images", "classes", "cells"}
        "totals" adds pixels over images, scores each class, and then takes the mean of the classes. "images" takes the
        mean of the classes inside each image, and then that of the images. "classes" takes the mean of each class over
        images, and then that of the classes. "cells" takes one flat mean.
    classes : {"macro", "micro", "weighted", "each"}
        The mean of the classes: a plain one, the score of their added counts, one weighted by the truth's pixels; or
        none.
    background : int, optional
        A class that is kept out of means. Its pixels still count against the others.
    ignore : labels whose pixels do not count
    ignore_where : {"truth", "either", "both"}
        Which side has to have such a label: "truth" for models, "either" between annotators, "both" for both at once.
    unknown_label : {"error", "drop", "add"}
        A label that is no category and not ignored: "drop" leaves it without a class, so its pixels count against the
        other side's class; "add" makes a class of it.
    gd_weight, gd_absent : generalised Dice
        Weights by 1/T² ("square"), 1/T ("simple") or 1 ("uniform") for T pixels of the truth; where there are none, the
        largest weight of the others ("max"), or none at all ("skip").
    percentile_of, distance_worst, spacing, tau : distances between surfaces
        Percentiles of both directions apart, the larger one ("directed"), or of all distances ("pooled"); what stands
        for a distance where one side is empty; the size of a pixel; how far an outline may be off.
    like : str, optional
        The library whose conventions are taken, one of `vesica.segmentation.PRESETS`, whatever the score.

    Examples
    --------
    >>> SegmentationPolicy(ignore=255).ignore
    (255,)
    >>> SegmentationPolicy().hash == SegmentationPolicy(absent="zero").hash
    False
    >>> SegmentationPolicy(like="monai").of("Dice").one_empty
    'skip_empty_truth'
    """

    both_empty: str = FIELDS["both_empty"][0]
    one_empty: str = FIELDS["one_empty"][0]
    absent: str = FIELDS["absent"][0]
    average: str = FIELDS["average"][0]
    classes: str = FIELDS["classes"][0]
    background: int | None = None
    ignore: tuple[int, ...] = ()
    ignore_where: str = FIELDS["ignore_where"][0]
    unknown_label: str = FIELDS["unknown_label"][0]
    gd_weight: str = FIELDS["gd_weight"][0]
    gd_absent: str = FIELDS["gd_absent"][0]
    percentile_of: str = FIELDS["percentile_of"][0]
    distance_worst: str = FIELDS["distance_worst"][0]
    spacing: tuple[float, ...] | None = None
    tau: float | None = None
    like: str | None = None

    def __post_init__(self) -> None:
        for name, words in FIELDS.items():
            check.one_of(getattr(self, name), words, name)
        set_once = object.__setattr__
        set_once(self, "ignore", check.labels(self.ignore, "ignore"))
        set_once(self, "background", check.label(self.background, "background"))
        set_once(self, "spacing", check.spacing(self.spacing))
        set_once(self, "tau", check.tau(self.tau))
        check.background_is_not_ignored(self.background, self.ignore)
        if self.like is not None:
            check.one_of(self.like, PRESETS, "like")
            check.decided_once(self, SegmentationPolicy.defaults(), self.preset.decides)

    @classmethod
    def defaults(cls) -> SegmentationPolicy:
        """The policy that is taken where nothing is said."""
        return cls()

    @property
    def preset(self) -> Preset:
        """What `like` stands for."""
        assert self.like is not None
        return PRESETS[self.like]

    def knows(self, score: str, /) -> bool:
        """Does the library have that score? Without `like` all are there."""
        return self.like is None or score in self.preset.scores

    def of(self, score: str, /, *, each: bool = False) -> SegmentationPolicy:
        """The conventions of one score, without `like`: libraries have others for IoU than for Dice.

        `each`: where it is told of each class, and not as a mean of them.
        """
        if self.like is None:
            return self
        check.known_score(score, self.preset)
        preset = self.preset
        said: dict[str, Any] = {**preset.fields, **preset.scores[score], **(preset.each if each else {})}
        if preset.ignores and not self.ignore:
            said["ignore"] = preset.ignores
        return replace(self, like=None, **said)

    @property
    def pixels(self) -> tuple[Any, ...]:
        """What decides which pixels are whose: two policies that agree in it have the same cells."""
        own = self if self.like is None else self.of(next(iter(self.preset.scores)))
        return own.ignore, own.ignore_where, own.unknown_label

    @property
    def told(self) -> str:
        """What a headline says of it."""
        if self.like is None:
            return f"{self.classes}, {self.average}, policy {self.hash}"
        return f"like {self.preset.library} {self.preset.version}, policy {self.hash}"
