"""Findings about images: ids that are not those of the truth, and guesses that lie on nothing at all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vesica._check import meeting as told
from vesica.diagnose.finding import CERTAIN, ERROR, NOTE, UNSURE, WARNING, Finding
from vesica.diagnose.image_places import DIGITS
from vesica.diagnose.inputs import Side
from vesica.diagnose.verdict import Verdict
from vesica.diagnose.words import counted, percent

MANY, BY_CHANCE = 200, 0.02
"""Guesses of which it is told that they hit nothing, and how many of them do so by chance."""


def findings(side: Side, truth: Side, where: np.ndarray, by: str, found: Verdict, /) -> Iterator[Finding]:
    """What is to be said of how images meet. `where` and `by` are those of `as_given`."""
    guess = side.data
    if not len(guess):
        return
    shift = None if found.hypothesis is None else found.hypothesis.images
    lost = where[guess.image] < 0
    if shift is not None:
        yield _shifted(side, truth, shift, lost, found)
    elif by != "id":
        yield _by_name(side, truth, where, by)
    elif lost.any():
        yield _unknown(side, truth, lost)
    elif found.looked_at >= MANY and found.most < BY_CHANCE:
        yield _nowhere(side, truth, found)


def _shifted(side: Side, truth: Side, shift: str, lost: np.ndarray, found: Verdict) -> Finding:
    more = "one less" if shift == "+1" else "one more"
    text = f"Image ids in {side.name} are {more} than those of {truth.name}: "
    text += f"{percent(float(lost.mean()))} of guesses are of unknown images as given, and "
    text += f"{percent(found.given or 0.0)} of {found.looked_at:,} lie on a truth"
    text += "." if found.trial is None else f", {percent(found.trial.share)} so."
    repairs: tuple[str, ...] = (f"images={shift}",)
    if found.confidence == UNSURE:
        repairs = tuple(filter(None, (one.words(side.declared) for one in found.choices)))
    evidence = {"shift": int(shift), "unknown": int(lost.sum()), "hits_given": found.given}
    evidence |= {} if found.trial is None else {"hits": found.trial.share}
    return Finding("images-shifted", ERROR, text, evidence, confidence=found.confidence, repairs=repairs)


def _by_name(side: Side, truth: Side, where: np.ndarray, by: str) -> Finding:
    used = np.unique(side.data.image)
    ids, names = side.data.images.ids.tolist(), truth.data.images.ids.tolist()
    shown = told.pairs([(repr(ids[k]), repr(names[where[k]])) for k in used[:2].tolist()], len(used))
    text = f"Image ids in {side.name} are not those of {truth.name}, and meet by {by}: {shown}."
    is_joined = by != DIGITS
    text += " Scores take them so." if is_joined else ""
    evidence, severity = {"by": by, "images": len(used)}, WARNING if is_joined else ERROR
    return Finding("images-unknown", severity, text, evidence, confidence=CERTAIN, repairs=("images=named",))


def _unknown(side: Side, truth: Side, lost: np.ndarray) -> Finding:
    guess = side.data
    ids = guess.images.ids[np.unique(guess.image[lost])]
    severity = ERROR if lost.mean() > 0.5 else WARNING
    text = f"{counted(lost.sum(), 'guess')} of {len(guess):,} in {side.name} are of {counted(len(ids), 'image')} that "
    text += f"{truth.name} does not have: {told.listed(ids)}; it has {told.listed(truth.data.images.ids)}."
    evidence = {"rows": int(lost.sum()), "images": len(ids)}
    return Finding("images-unknown", severity, text, evidence, confidence=CERTAIN)


def _nowhere(side: Side, truth: Side, found: Verdict) -> Finding:
    """Nobody can tell which it is, so that it is no mistake."""
    text = f"Of {found.looked_at:,} guesses in {side.name} {percent(found.given or 0.0)} lie on a truth of "
    text += f"{truth.name}, and under no other reading more than by chance: another image set, or an untrained model."
    evidence = {"looked_at": found.looked_at, "hits_given": found.given, "hits": found.most}
    return Finding("images-wrong-set", NOTE, text, evidence, confidence=UNSURE)
