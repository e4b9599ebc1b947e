"""Findings about categories: ids that are numbered otherwise than those of the truth, and names that come twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from vesica._check import meeting as told
from vesica.dataset import Dataset
from vesica.dataset.category_names import labels_of
from vesica.dataset.category_names import meet as meet_by_name
from vesica.dataset.ids import places
from vesica.dataset.meeting import Found
from vesica.diagnose.finding import CERTAIN, ERROR, NOTE, UNSURE, WARNING, Finding
from vesica.diagnose.inputs import Side
from vesica.diagnose.verdict import GOOD, Verdict
from vesica.diagnose.words import counted, percent
from vesica.errors import InputError

Maps = dict[str | None, np.ndarray]
"""By name, where each category of the guess is in the table of the truth, −1 if nowhere; None is: as given."""

_CALLED = {
    "+1": "one less than those of the truth",
    "-1": "one more than those of the truth",
    "from0": "positions in the truth's list, counted from 0",
    "from1": "positions in the truth's list, counted from 1",
    "number": "the numbers of the truth, written as text",
    "text": "the texts of the truth, written as numbers",
}
_SHOWN = 5


def maps_of(truth: Dataset, guess: Dataset, /) -> Maps:
    """How categories may meet: as given first. Names decide where both sides have them."""
    ours, theirs = truth.categories, guess.categories
    if labels_of(ours) is not None and labels_of(theirs) is not None:
        place_of = {name: place for place, name in enumerate(told.called(ours).tolist())}
        by_name = np.array([place_of.get(name, -1) for name in told.called(theirs).tolist()], np.int64)
        in_digits = _others(theirs.ids, ours.ids) if theirs.names is None and (by_name < 0).all() else {}
        return {None: by_name, **in_digits}
    found: Maps = {None: places(theirs.ids, ours.ids).astype(np.int64)}
    used = np.bincount(guess.category, minlength=len(theirs)) > 0
    for name, where in _others(theirs.ids, ours.ids).items():
        if not any(np.array_equal(where[used], known[used]) for known in found.values()):
            found[name] = where
    return found


def _others(ids: np.ndarray, known: np.ndarray) -> Maps:
    if ids.dtype == object and known.dtype != object:
        numbers = [int(one) if isinstance(one, str) and one.isascii() and one.isdigit() else one for one in ids]
        fits = np.array([isinstance(one, int) and abs(one) < 2**62 for one in numbers], bool)
        whole = np.array([one if fit else 0 for one, fit in zip(numbers, fits, strict=True)], np.int64)
        return {"number": np.where(fits, places(whole, known), -1).astype(np.int64)}
    if ids.dtype != object and known.dtype == object:
        texts = np.array([str(one) for one in ids.tolist()], object)
        return {"text": places(texts, known).astype(np.int64)}
    if ids.dtype == object:
        return {}
    order = np.argsort(known, kind="stable")
    far = np.abs(ids) < 2**62  # so that nothing wraps
    moved = {"+1": np.where(far, ids + 1, ids), "-1": np.where(far, ids - 1, ids)}
    found: Maps = {name: places(one, known).astype(np.int64) for name, one in moved.items()}
    for name, first in (("from0", 0), ("from1", 1)):
        at = np.where(far, ids - first, -1)
        inside = (at >= 0) & (at < len(known))
        found[name] = np.where(inside, order[np.where(inside, at, 0)] if len(known) else -1, -1)
    return found


def findings(side: Side, truth: Side, maps: Maps, found: Verdict, /) -> Iterator[Finding]:
    """What is to be said of how the categories of the guess meet those of the truth."""
    guess = side.data
    if not len(guess):
        return
    used = np.bincount(guess.category, minlength=len(guess.categories)) > 0
    outside = used & (maps[None] < 0)
    by_hits = None if found.hypothesis is None else found.hypothesis.categories
    by_ids = _inside(maps, used) if outside.any() else None
    if by_ids is not None and by_hits not in (None, by_ids):
        by_ids = None  # boxes tell more than ids
    works = found.given is not None and found.given >= GOOD and found.hypothesis is None
    name = by_hits or (None if works else by_ids)
    if name is not None:
        yield _shifted(side, truth, name, maps, found, CERTAIN if name == by_ids else found.confidence)
    elif outside.any():
        yield _unknown(side, truth, outside)


def _inside(maps: Maps, used: np.ndarray) -> str | None:
    """The one map under which all categories are in the table of the truth."""
    fits = [name for name, where in maps.items() if name is not None and (where[used] >= 0).all()]
    return fits[0] if len(fits) == 1 else None


def _shifted(side: Side, truth: Side, name: str, maps: Maps, found: Verdict, confidence: str) -> Finding:
    guess = side.data
    used = np.bincount(guess.category, minlength=len(guess.categories)) > 0
    lost = int((used & (maps[None] < 0))[guess.category].sum())
    is_joined = _is_joined(truth.data, guess, maps[name])
    parts = [f"{counted(lost, 'guess')} of unknown categories as given, none so"] if lost else []
    if found.trial is not None and found.given is not None:
        parts.append(
            f"of {found.looked_at:,} guesses {percent(found.given)} lie on a truth of their category as given, "
            f"{percent(found.trial.share)} so"
        )
    shown = [
        (repr(guess.categories.ids.tolist()[k]), _named(truth.data, maps[name][k]))
        for k in np.flatnonzero(used & (maps[name] >= 0))[:2].tolist()
    ]
    text = f"Categories in {side.name} are {_CALLED[name]} ({told.pairs(shown, int(used.sum()))}): {'; '.join(parts)}."
    if is_joined:
        text += " Scores take them so."
    evidence = {"map": name, "outside": lost, "hits_given": found.given}
    evidence |= {} if found.trial is None else {"hits": found.trial.share}
    repairs: tuple[str, ...] = (f"categories={name}",)
    if confidence == UNSURE:
        repairs = tuple(filter(None, (one.words(side.declared) for one in found.choices)))
    severity = WARNING if is_joined else ERROR
    return Finding("categories-shifted", severity, text, evidence, confidence=confidence, repairs=repairs)


def _is_joined(truth: Dataset, guess: Dataset, where: np.ndarray) -> bool:
    """Does every score take the categories so by itself, as of ids that Ultralytics counts from 1?"""
    known = Found(places(guess.categories.ids, truth.categories.ids))
    try:
        joined = meet_by_name(truth, guess, known, None, np.full(len(guess.images), -1)).places
    except InputError:
        return False
    return bool(np.array_equal(joined[np.unique(guess.category)], where[np.unique(guess.category)]))


def _unknown(side: Side, truth: Side, outside: np.ndarray) -> Finding:
    guess = side.data
    counts = np.bincount(guess.category, minlength=len(outside))
    most = sorted(np.flatnonzero(outside).tolist(), key=lambda k: -int(counts[k]))
    called = told.called(guess.categories).tolist()
    shown = ", ".join(f"{called[k]!r} ({counts[k]:,})" for k in most[:_SHOWN]) + (", …" if len(most) > _SHOWN else "")
    rows = int(counts[outside].sum())
    severity = ERROR if rows == len(guess) else NOTE
    text = f"{counted(rows, 'guess')} of {len(guess):,} in {side.name} are of categories that {truth.name} does not "
    text += f"have: {shown}. No other numbering fits."
    evidence = {"rows": rows, "categories": {str(called[k]): int(counts[k]) for k in most}}
    return Finding("categories-unknown", severity, text, evidence, confidence=CERTAIN)


def _named(truth: Dataset, place: Any) -> str:
    return told.named(truth.categories.ids.tolist()[place], told.called(truth.categories)[place])
