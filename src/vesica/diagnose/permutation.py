"""Permutations: categories that are listed in another order than those of the truth, told by where guesses lie."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vesica._check import meeting as told
from vesica.diagnose.finding import ERROR, LIKELY, Finding
from vesica.diagnose.hits import Trials
from vesica.diagnose.inputs import Side
from vesica.diagnose.words import percent

FEWEST, PURE, FEWEST_KINDS, MANY, MOST_OF_ONE = 5, 0.7, 3, 0.5, 0.8
"""Guesses of a category that say something; how many of them must lie on one category of the truth; categories that
must do so; the share of all guesses on truths that these must have, and the most that one of them may."""
LITTLE, GOOD = 0.1, 0.3
"""Hit shares as given, and whatever the category, between which the categories are what is wrong."""
_SHOWN = 3


def findings(side: Side, truth: Side, trials: Trials, /) -> Iterator[Finding]:
    """Do guesses lie on truths, and those of each category on one other category?"""
    if trials.share >= LITTLE or not len(trials.sample):
        return
    table = trials.confusion(len(side.data.categories), len(truth.data.categories))
    on_truths = table.sum() / len(trials.sample)
    if on_truths < GOOD:
        return
    counts, best = table.sum(axis=1), table.argmax(axis=1)
    pure = (counts >= FEWEST) & (table.max(axis=1) >= PURE * counts)
    kinds = np.flatnonzero(pure)
    if len(kinds) < FEWEST_KINDS or len(np.unique(best[kinds])) < len(kinds):
        return
    if counts[kinds].sum() < MANY * counts.sum() or counts[kinds].max() > MOST_OF_ONE * counts.sum():
        return
    ours, theirs = told.called(truth.data.categories).tolist(), told.called(side.data.categories).tolist()
    known = {theirs[k]: ours[best[k]] for k in kinds.tolist()}
    shown = told.pairs([(repr(one), repr(known[one])) for one in list(known)[:_SHOWN]], len(known))
    text = (
        f"Categories in {side.name} are in another order than in {truth.name}, or have other ids: of "
        f"{len(trials.sample):,} guesses {percent(on_truths)} lie on a truth, and {percent(trials.share)} on one of "
        f"their category; {shown}. Scores take a mapping of categories, which says which is which."
    )
    evidence = {"on_truths": float(on_truths), "hits_given": trials.share, "map": {str(a): b for a, b in known.items()}}
    yield Finding("categories-permuted", ERROR, text, evidence, confidence=LIKELY)
