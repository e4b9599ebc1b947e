"""Consensus of label maps: one label for each pixel of an image or a volume, by vote or by Dawid and Skene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._check import vote_patterns as check_votes
from vesica.agreement.dawid_skene import dawid_skene_of_patterns
from vesica.agreement.vote_patterns import label_patterns

METHODS = ("majority", "dawid_skene")


@dataclass(frozen=True, eq=False)
class ConsensusMap:
    """One label for each pixel.

    Attributes
    ----------
    labels : integers of the shape and dtype of one map
        The label with most votes, or the most probable one; of several the lowest, unless `tie` said another.
    is_tied : bool, of the same shape
        Where several labels are equal: somebody should look.
    support : float64, of the same shape
        The share of the annotators who gave the label, or how probable it is.
    status : str
        "ok", or how the fit of Dawid and Skene ended.
    """

    labels: np.ndarray
    is_tied: np.ndarray
    support: np.ndarray
    status: str

    @property
    def ties(self) -> int:
        """How many pixels are tied."""
        return int(self.is_tied.sum())

    def _repr_html_(self) -> str:
        from vesica import _html  # late: only notebooks ask for it
        from vesica.regions import LabelMap

        drawn = LabelMap(self.labels)._repr_html_() if self.labels.ndim == 2 else ""
        return _html.page(_html.words(repr(self)), drawn)

    def __repr__(self) -> str:
        shape = "×".join(map(str, self.labels.shape))
        return f"ConsensusMap({shape}, {self.ties} pixels tied, {self.status})"


def consensus_map(
    maps: Any, /, *, method: str = "majority", tie: int | None = None, threads: int | None = None
) -> ConsensusMap:
    """Make one label map of those of K annotators, pixel by pixel.

    Parameters
    ----------
    maps : (K, height, width) or (K, depth, height, width) integers, or a list of K label maps
        Masks are label maps of 0 and 1.
    method : {"majority", "dawid_skene"}
        The label that most annotators gave; or the most probable one, with a confusion matrix for each annotator.
    tie : int, optional
        The label of tied pixels, 0 for the background or 255 for what is to be ignored. By default the lowest of those
        that are tied.
    threads : int, optional

    Examples
    --------
    >>> a, b, c = [[0, 0, 7, 7]], [[0, 7, 7, 3]], [[0, 7, 0, 5]]
    >>> found = consensus_map([a, b, c])
    >>> found.labels, found.is_tied
    (array([[0, 7, 7, 3]]), array([[False, False, False,  True]]))

    Of two annotators every difference is a tie:

    >>> consensus_map([a, b], tie=255).labels
    array([[  0, 255,   7, 255]])
    """
    check.threads(threads)
    check.one_of(method, METHODS, "method")
    stack = check_votes.stack(maps, are_labels=True)
    other = check_votes.tie_label(tie, stack.dtype)
    patterns = label_patterns(stack, threads=threads)
    classes = patterns.classes

    if method == "majority":
        support, status = patterns.ratings / patterns.annotators, "ok"
        top = support.max(axis=1, initial=0.0)
        is_tied = (support == top[:, None]).sum(axis=1) > 1
    else:
        fit = dawid_skene_of_patterns(patterns)
        support, status, is_tied = fit.belief, fit.status, fit.is_tied
        top = support.max(axis=1, initial=0.0)
    best = classes[support.argmax(axis=1)] if len(classes) else np.empty(0, np.int64)
    if other is not None:
        best = np.where(is_tied, other, best)

    place = _places(stack, patterns.labels, classes)
    kind = stack.dtype if stack.dtype.kind != "b" else np.dtype(np.int64 if other not in (None, 0, 1) else bool)
    return ConsensusMap(best.astype(kind)[place], is_tied[place], top[place], status)


def _places(stack: np.ndarray, labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Which pattern each pixel has. Patterns are told apart map by map, so that no code outgrows 64 bits."""
    pixel, known = np.zeros(stack.shape[1:], np.int64), np.zeros(len(labels), np.int64)
    for k, one in enumerate(stack):
        codes = known * len(classes) + np.searchsorted(classes, labels[:, k])
        rank = np.unique(codes)
        pixel = np.searchsorted(rank, pixel * len(classes) + np.searchsorted(classes, one.astype(np.int64)))
        known = np.searchsorted(rank, codes)
    order = np.argsort(known)
    return order[pixel] if len(order) else pixel
