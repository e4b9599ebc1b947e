"""Matches: which guess found which truth at one threshold, and who is nearest to whom; from details alone."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, NamedTuple

import numpy as np

from vesica._kernels.native import match_cells
from vesica.detection.details import CROWD, ID_ZERO, IGNORED, Details
from vesica.detection.protocol import Protocol
from vesica.detection.records import Records
from vesica.detection.rules import WIDEST


class Matches(NamedTuple):
    """Guesses and truths of all sizes at one threshold."""

    bar: float
    """The least overlap that matches."""
    right: np.ndarray
    """(G,) bool: it found a truth that counts."""
    wrong: np.ndarray
    """(G,) bool: it counts, and found none. What is neither does not count."""
    truth: np.ndarray
    """(G,) int64: the truth that it found, also one that does not count; −1 for none."""
    counts: np.ndarray
    """(M,) bool: the truth is to be found."""
    guess: np.ndarray
    """(M,) int64: the guess that found it, −1 for none."""


def matches_of(
    records: Records, details: Details, iou: float, /, *, by_class: bool = True, as_tide: bool = False
) -> Matches:
    """Match again, by the rules of the protocol, at any threshold for which details have the pairs.

    With `by_class=False` guesses find truths of any class. With `as_tide` the first of truths that overlap a guess
    equally is found, not the last, and a crowd must cover more of a guess than the threshold, not just as much.
    """
    protocol = records.protocol
    bar = bar_of(protocol, iou)
    low, high = ends_of(protocol)
    matched_by = _backwards(details, bar) if as_tide else details
    found = found_again(records, matched_by, (bar,), ((low, high),), by_class=by_class)
    rows = np.argsort(found.row)
    matched, ignored = (column.reshape(-1, 1)[rows, 0] != 0 for column in (found.matched, found.ignored))
    truth = np.where(matched | ignored, found.partner[rows], -1).astype(np.int64)
    if as_tide:
        truth = np.where(truth < 0, -1, len(details.truth_image) - 1 - truth)
    right = matched & ~ignored
    guess = np.full(len(details.truth_image), -1, np.int64)
    guess[truth[right]] = np.flatnonzero(right)
    return Matches(bar, right, ~matched & ~ignored, truth, counting(details, low, high), guess)


def _backwards(details: Details, bar: float) -> Details:
    """The same with the last truth first, and without crowds that cover just so much of a guess."""
    names = [column.name for column in fields(details) if column.name.startswith("truth_")]
    truths: dict[str, Any] = {name: getattr(details, name)[::-1] for name in names}
    is_less = ((details.truth_flags[details.truth] & CROWD) != 0) & (details.overlap <= bar)
    return replace(
        details,
        **truths,
        truth=(len(details.truth_image) - 1 - details.truth).astype(np.int32),
        overlap=np.where(is_less, 0.0, details.overlap),
    )


def above(matches: Matches, score: np.ndarray, min_score: float | None, /) -> Matches:
    """The same for guesses from `min_score` on. The others never kept a truth from a better one."""
    if min_score is None:
        return matches
    return of_guesses(matches, score >= min_score)


def of_guesses(matches: Matches, kept: np.ndarray, /) -> Matches:
    """The same without the guesses that are not kept, which are worse than those that are."""
    return matches._replace(
        right=matches.right & kept,
        wrong=matches.wrong & kept,
        truth=np.where(kept, matches.truth, -1),
        guess=np.where(np.append(kept, False)[matches.guess], matches.guess, -1),
    )


def bar_of(protocol: Protocol, iou: float, /) -> float:
    """The least overlap that matches at a threshold."""
    return replace(protocol, iou=(float(iou),)).bars[0]


def ends_of(protocol: Protocol, /) -> tuple[float, float]:
    """The range of areas that covers all."""
    return (0.0, WIDEST) if protocol.whole is None else protocol.areas[protocol.whole][1:]


def counting(details: Details, low: float, high: float, /) -> np.ndarray:
    """Which truths are to be found, of those whose area lies in a range."""
    is_outside = (details.truth_area < low) | (details.truth_area > high)
    counts: np.ndarray = ~is_outside & ((details.truth_flags & IGNORED) == 0)
    return counts


def found_again(
    records: Records,
    details: Details,
    bars: tuple[float, ...],
    areas: tuple[tuple[float, float], ...],
    /,
    *,
    by_class: bool = True,
    threads: int | None = None,
) -> match_cells.Found:
    """What the kernel finds at other thresholds and in other ranges of areas."""
    protocol, category = records.protocol, records.guess_category
    guess, truth, overlap = details.guess, details.truth, details.overlap
    if by_class:
        same = category[guess] == details.truth_category[truth]
        guess, truth, overlap = guess[same], truth[same], overlap[same]
    flags = [(details.truth_flags & bit) != 0 for bit in (CROWD, IGNORED, ID_ZERO)]
    truths = match_cells.Truths(details.truth_image, details.truth_category, details.truth_area, *flags)
    guesses = match_cells.Guesses(
        records.guess_image, category.astype(np.int32), details.area, records.score, details.lenient
    )
    if not by_class:
        truths = truths._replace(category=np.zeros(len(details.truth_image), np.int32))
        guesses = guesses._replace(category=np.zeros(len(category), np.int32))
    request = match_cells.Request(
        bars,
        areas,
        protocol.rules.matching,
        images=len(records.images),
        categories=len(records.categories) if by_class else 1,
        limit=len(records) + 1,
        plain=False,
        partners=True,
    )
    return match_cells.match_pairs(request, truths, guesses, (guess, truth, overlap), threads=threads)


class Best(NamedTuple):
    """The truth that overlaps each guess most: its place, −1 for none, and how far, 0 for none."""

    truth: np.ndarray
    overlap: np.ndarray


def best_of(details: Details, pairs: np.ndarray, /) -> Best:
    """Among some of the pairs; of equals the first truth."""
    count = len(details.near)
    guess, overlap = details.guess[pairs], details.overlap[pairs]
    most = np.zeros(count)
    is_first = np.concatenate([[True], guess[1:] != guess[:-1]])[: len(guess)]
    first = np.flatnonzero(is_first)
    if len(first):
        most[guess[first]] = np.maximum.reduceat(overlap, first)
    hits = np.flatnonzero(overlap == most[guess])[::-1]
    truth = np.full(count, -1, np.int64)
    truth[guess[hits]] = details.truth[pairs][hits]  # backwards, so that the first of equals stays
    return Best(truth, most)
