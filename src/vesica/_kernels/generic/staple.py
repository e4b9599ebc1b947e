"""STAPLE on patterns of votes in plain array code: the specification of the compiled one."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

STATUSES = ("ok", "not_converged", "no_foreground", "no_background", "no_pixels")


class Votes(NamedTuple):
    """Patterns of votes: bit k of `code` is the vote of annotator k, bit k of `asked` whether it had one."""

    code: np.ndarray
    """(P,) uint64"""
    asked: np.ndarray
    """(P,) uint64"""
    pixels: np.ndarray
    """(P,) int64, none of them 0: how many pixels have the pattern."""


class Fits(NamedTuple):
    """What each of F fits found."""

    sensitivity: np.ndarray
    """(F, K) float64"""
    specificity: np.ndarray
    """(F, K) float64"""
    belief: np.ndarray
    """(P,) float64: the probability that pixels of each pattern belong."""
    prior: np.ndarray
    """(F,) float64"""
    status: np.ndarray
    """(F,) int64: places in STATUSES."""
    steps: np.ndarray
    """(F,) int64"""


def staple(
    votes: Votes,
    groups: np.ndarray,
    annotators: int,
    *,
    is_free: bool,
    start: float,
    tolerance: float,
    most: int,
    threads: int | None = None,
) -> Fits:
    """A fit for each group of patterns: group g has those from groups[g] up to groups[g + 1]."""
    parts = [
        _fit(Votes(*(column[a:b] for column in votes)), annotators, is_free, start, tolerance, most)
        for a, b in itertools.pairwise(groups)
    ]
    many = len(parts)
    return Fits(
        np.array([part[0] for part in parts]).reshape(many, annotators),
        np.array([part[1] for part in parts]).reshape(many, annotators),
        np.concatenate([np.empty(0), *(part[2] for part in parts)]),
        np.array([part[3] for part in parts], np.float64),
        np.array([STATUSES.index(part[4]) for part in parts], np.int64),
        np.array([part[5] for part in parts], np.int64),
    )


def _fit(
    votes: Votes, annotators: int, is_free: bool, start: float, tolerance: float, most: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, str, int]:
    place = np.arange(annotators, dtype=np.uint64)
    yes = ((votes.code[:, None] >> place) & np.uint64(1)).astype(bool)
    asked = ((votes.asked[:, None] >> place) & np.uint64(1)).astype(bool)
    yes, no = yes & asked, ~yes & asked
    count = votes.pixels.astype(np.float64)
    pixels = count.sum()
    s, t = np.full(annotators, start), np.full(annotators, start)
    if not pixels > 0:
        return s, t, np.zeros(len(count)), 0.0, "no_pixels", 0
    given = count @ asked.sum(axis=1)
    prior = float(count @ yes.sum(axis=1) / given) if given else 0.0
    if not 0 < prior < 1:
        return s, t, np.full(len(count), prior), prior, "no_foreground" if prior <= 0 else "no_background", 0
    for step in range(1, most + 1):
        # An order that does not depend on how annotators are numbered: who is like another one stays so.
        by_rates = np.lexsort((t, s))
        belief = _belief(yes[:, by_rates], no[:, by_rates], s[by_rates], t[by_rates], prior)
        inside, outside = count * belief, count * (1 - belief)
        by_weight = np.lexsort((outside, inside))
        total = float(np.cumsum(inside[by_weight])[-1])
        if not 0 < total < pixels:
            return s, t, belief, prior, "no_background" if total > 0 else "no_foreground", step
        fresh_s = _share(_summed(inside, yes, by_weight), _summed(inside, asked, by_weight), s)
        fresh_t = _share(_summed(outside, no, by_weight), _summed(outside, asked, by_weight), t)
        fresh_prior = float(total / pixels) if is_free else prior
        change = max(np.abs(fresh_s - s).max(), np.abs(fresh_t - t).max(), abs(fresh_prior - prior))
        s, t, prior = fresh_s, fresh_t, fresh_prior
        if change <= tolerance:
            return s, t, belief, prior, "ok", step
    return s, t, belief, prior, "not_converged", most


def _belief(yes: np.ndarray, no: np.ndarray, s: np.ndarray, t: np.ndarray, prior: float) -> np.ndarray:
    """The probability that the pixels of a pattern belong. In logarithms: products of many votes would underflow."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        inside = _told(np.log(prior), yes, no, np.log(s), np.log1p(-s))
        outside = _told(np.log1p(-prior), yes, no, np.log1p(-t), np.log(t))
        belief: np.ndarray = np.where(np.isneginf(inside), 0.0, 1 / (1 + np.exp(outside - inside)))
    return belief


def _summed(weight: np.ndarray, which: np.ndarray, order: np.ndarray) -> np.ndarray:
    """(K,) the weight of the patterns of each annotator, added up one by one in this order."""
    return np.asarray(np.cumsum(np.where(which, weight[:, None], 0.0)[order], axis=0)[-1])


def _told(prior: float, yes: np.ndarray, no: np.ndarray, if_yes: np.ndarray, if_no: np.ndarray) -> np.ndarray:
    """(P,) what the votes tell, one by one, first who said yes: 0 times an infinite logarithm is nothing."""
    start = np.full((len(yes), 1), prior)
    terms = np.concatenate([start, np.where(yes, if_yes, 0.0), np.where(no, if_no, 0.0)], axis=1)
    return np.asarray(np.cumsum(terms, axis=1)[:, -1])


def _share(numerator: np.ndarray, denominator: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.divide(numerator, denominator, out=otherwise.copy(), where=denominator > 0)
    found = np.minimum(found, 1.0)
    return found
