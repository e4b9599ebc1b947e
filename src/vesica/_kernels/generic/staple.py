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
        belief = _belief(yes, no, s, t, prior)
        inside, outside = count * belief, count * (1 - belief)
        if not 0 < inside.sum() < pixels:
            return s, t, belief, prior, "no_background" if inside.sum() > 0 else "no_foreground", step
        fresh_s = _share(inside @ yes, inside @ asked, s)
        fresh_t = _share(outside @ no, outside @ asked, t)
        fresh_prior = float(inside.sum() / pixels) if is_free else prior
        change = max(np.abs(fresh_s - s).max(), np.abs(fresh_t - t).max(), abs(fresh_prior - prior))
        s, t, prior = fresh_s, fresh_t, fresh_prior
        if change <= tolerance:
            return s, t, belief, prior, "ok", step
    return s, t, belief, prior, "not_converged", most


def _belief(yes: np.ndarray, no: np.ndarray, s: np.ndarray, t: np.ndarray, prior: float) -> np.ndarray:
    """The probability that the pixels of a pattern belong. In logarithms: products of many votes would underflow."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        inside = np.log(prior) + _chosen(yes, np.log(s)) + _chosen(no, np.log1p(-s))
        outside = np.log1p(-prior) + _chosen(yes, np.log1p(-t)) + _chosen(no, np.log(t))
        belief: np.ndarray = np.where(np.isneginf(inside), 0.0, 1 / (1 + np.exp(outside - inside)))
    return belief


def _chosen(which: np.ndarray, logs: np.ndarray) -> np.ndarray:
    """The sums of those that were chosen: 0 times an infinite logarithm is nothing."""
    sums: np.ndarray = np.where(which, logs, 0.0).sum(axis=1)
    return sums


def _share(numerator: np.ndarray, denominator: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.divide(numerator, denominator, out=otherwise.copy(), where=denominator > 0)
    found = np.minimum(found, 1.0)
    return found
