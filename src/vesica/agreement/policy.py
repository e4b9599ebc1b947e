"""Policies: the conventions that agreement depends on, as a value."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Literal, get_args

from vesica._check import agreement as check
from vesica.results.policy import Policy

Credit = Literal["iou", "match"]
Cluster = Literal["average", "exact"]
VoteTie = Literal["review", "foreground", "background"]

WORDS: dict[str, tuple[str, ...]] = {
    "credit": get_args(Credit),
    "cluster": get_args(Cluster),
    "vote_tie": get_args(VoteTie),
}
"""Fields that are one of several words; the first is the default."""

SMALL, LARGE = 32.0**2, 96.0**2
"""COCO's edges of small, medium and large, in pixels."""


@dataclass(frozen=True)
class AgreementPolicy(Policy):
    """When two objects are one, what a pair of them is worth, and how votes are counted.

    Attributes
    ----------
    match_at : float
        The IoU that a matched pair has at least.
    match_strict : bool
        Must it be exceeded?
    credit : {"iou", "match"}
        What a matched pair of one label earns: its IoU, or 1.
    contact : float
        Below this IoU two objects have nothing to do with each other.
    part : float
        The share of its area that a part has inside the whole, where one object was drawn as several.
    duplicate : float
        The IoU with another object of the same annotator from which on an unmatched one is a repetition.
    quorum : "majority" or int
        How many of those asked must have drawn an object: over half, or that many.
    vote_tie : {"review", "foreground", "background"}
        What becomes of a pixel or a label that has as many votes as not.
    cluster : {"average", "exact"}
        How objects of several annotators become one: by average linkage, or with the largest sum of IoU.
    sizes : areas between size bins, rising
        In pixels; by default those of COCO.
    background : int, optional
        Of label maps: a label that is kept out of means.
    ignore : labels
        Of label maps: pixels that either side gives such a label do not count.
    resample_by : "image", "group" or "batch"
        What is drawn again for intervals: images of one patient, scene or video are not independent.
    replicates, level, seed : of intervals

    Examples
    --------
    >>> AgreementPolicy().match_at
    0.5
    >>> AgreementPolicy(match_at=0.5).hash == AgreementPolicy(match_at=0.75).hash
    False
    """

    match_at: float = 0.5
    match_strict: bool = False
    credit: Credit = "iou"
    contact: float = 0.1
    part: float = 0.75
    duplicate: float = 0.8
    quorum: str | int = "majority"
    vote_tie: VoteTie = "review"
    cluster: Cluster = "average"
    sizes: tuple[float, ...] = (SMALL, LARGE)
    background: int | None = None
    ignore: tuple[int, ...] = ()
    resample_by: str = "image"
    replicates: int = 2000
    level: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        for name, words in WORDS.items():
            check.one_of(getattr(self, name), words, name)
        check.one_of(self.resample_by, ("image", "group", "batch"), "resample_by")
        set_once = object.__setattr__
        for name in ("match_at", "contact", "part", "duplicate"):
            set_once(self, name, check.share(getattr(self, name), name))
        check.contact_is_lower(self.contact, self.match_at)
        set_once(self, "match_strict", check.flag(self.match_strict, "match_strict"))
        set_once(self, "quorum", check.quorum(self.quorum))
        set_once(self, "sizes", check.size_edges(self.sizes))
        set_once(self, "background", check.label(self.background, "background"))
        set_once(self, "ignore", check.labels(self.ignore))
        set_once(self, "replicates", check.replicates(self.replicates))
        set_once(self, "level", check.level(self.level))
        set_once(self, "seed", check.seed(self.seed))

    @property
    def size_bins(self) -> tuple[str, ...]:
        """Names of the size bins, from the smallest."""
        if self.sizes == (SMALL, LARGE):
            return ("small", "medium", "large")
        edges = [f"{edge:g}" for edge in self.sizes]
        if not edges:
            return ("all",)
        inner = [f"{low}–{high}" for low, high in itertools.pairwise(edges)]
        return (f"under {edges[0]}", *inner, f"{edges[-1]} or more")

    def needed(self, asked: int, /) -> int:
        """How many votes an object needs where so many were asked."""
        return asked // 2 + 1 if isinstance(self.quorum, str) else self.quorum
