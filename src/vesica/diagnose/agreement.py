"""Advice on agreement between annotators, and on scores of models beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from vesica.agreement.label_maps import PixelAgreementResult
from vesica.agreement.result import AgreementResult
from vesica.diagnose.finding import PITFALLS, Finding
from vesica.results.tables import plain
from vesica.statistics.intervals import Interval

LOW, MIXED, FEW, STEEP, BELOW, ABOVE = 2 / 3, 0.1, 30, 0.1, 0.4, 0.6
"""An α below which nothing is safely concluded (Krippendorff), or a mean overlap; by how much class mixes differ, of
pairs with as many units; a fall of F1 that is steep, and the thresholds between which it is looked for."""
SPREAD = "Gaps below the spread between people mean nothing; prefer NSD to overlap, and HD95 to HD."


def _low(result: AgreementResult) -> Iterator[Finding]:
    """How far people agree, and where nobody can tell."""
    alpha, alone = result.numbers["alpha"], np.asarray(result.images()["n_annotators"]) < 2
    if alpha is not None and alpha < LOW:
        evidence = {"alpha": _round(alpha), "agreement": _round(result["agreement"])}
        text = f"People agree little: α is {alpha:.3f}, below {LOW:.3f}. {SPREAD}"
        yield Finding("MR06", "warning", text, evidence, ("NSD", "HD95"))
    if alone.any():
        count = int(alone.sum())
        text = f"{count} of {len(alone)} images were shown to one annotator alone, so that nothing is known of them."
        yield Finding("MR06", "note", text, {"images": count})


def _mixes(result: AgreementResult) -> Iterator[Finding]:
    """Coefficients of pairs whose classes are not equally frequent."""
    shares: dict[tuple[Any, Any], dict[Any, float]] = {}
    for row in result.pairs(by="category", intervals=False):
        shares.setdefault((row["annotator_a"], row["annotator_b"]), {})[row["category"]] = row["units"]
    whole: dict[Any, float] = {}
    for own in shares.values():
        for category, units in own.items():
            whole[category] = whole.get(category, 0.0) + units
    apart = {pair: _variation(own, whole) for pair, own in shares.items() if sum(own.values()) >= FEW}
    if len(apart) < 2 or max(apart.values()) <= MIXED:
        return
    pair = max(apart, key=lambda one: apart[one])
    text = (
        f"κ and α move with how frequent classes are, and what {pair[0]} and {pair[1]} looked at is of another mix "
        f"than all ({apart[pair]:.0%} of it differ): compare raw agreement of pairs too, `agreement` and `f1`."
    )
    evidence = {"annotators": [plain(who) for who in pair], "difference": _round(apart[pair])}
    yield Finding("MR15", "note", text, evidence, ("agreement", "f1"), f"{PITFALLS}, FP4.2")


def _variation(one: dict[Any, float], other: dict[Any, float]) -> float:
    """The share by which two mixes differ: half the sum of the differences of all shares."""
    totals = sum(one.values()), sum(other.values())
    return sum(abs(one.get(key, 0.0) / totals[0] - units / totals[1]) for key, units in other.items()) / 2


def _groups(result: AgreementResult) -> Iterator[Finding]:
    groups = result.records.group
    if groups is not None and result.policy.resample_by == "image":
        number = len(set(groups.tolist()))
        if number < len(groups):
            text = (
                f"{len(groups)} images are of {number} groups, and images of one group are not independent: "
                'AgreementPolicy(resample_by="group") makes intervals of groups.'
            )
            yield Finding("MR17", "note", text, {"images": len(groups), "groups": number})


def _steep(result: AgreementResult) -> Iterator[Finding]:
    """Does the threshold make the result? Matching again needs the regions."""
    if result.annotations is None:
        return
    found = {}
    for bound in (BELOW, ABOVE):
        policy = replace(result.policy, match_at=bound, contact=min(result.policy.contact, bound))
        found[bound] = result.under(policy)["f1"]
    if found[BELOW] - found[ABOVE] > STEEP:  # false for NaN
        text = (
            f"F1 falls from {found[BELOW]:.3f} with match_at={BELOW} to {found[ABOVE]:.3f} with {ABOVE}: the threshold "
            "makes the result. Look at several, or take the one that people suggest: result.tolerances()."
        )
        evidence = {f"f1 at {bound}": _round(value) for bound, value in found.items()}
        yield Finding("MR22", "warning", text, evidence, ("tolerances",))


def _kinds(result: AgreementResult) -> Iterator[Finding]:
    counts = {row["type"]: row["count"] for row in result.ledger()}
    if counts.get("kind"):
        text = (
            f"{counts['kind']} matched pairs are a box and a mask: part of this gap is only the kind of shape. Compare "
            'like with like: regions="box".'
        )
        yield Finding("MR23", "warning", text, {"pairs": counts["kind"]}, (), f"{PITFALLS}, S8")


RULES: dict[str, Callable[[AgreementResult], Iterator[Finding]]] = {
    "MR06": _low,
    "MR15": _mixes,
    "MR17": _groups,
    "MR22": _steep,
    "MR23": _kinds,
}


def too_wide(name: str, ends: Interval, images: int, half_width: float, /) -> Iterator[Finding]:
    """How many images would make the interval of a number as narrow as it is wanted: its variance falls as 1 / n."""
    if ends.lo is None or ends.hi is None:
        return
    half = (ends.hi - ends.lo) / 2
    if half > half_width:
        more = math.ceil(images * (half / half_width) ** 2) - images
        text = (
            f"The interval of {name} is ±{half:.4f} wide, and ±{half_width:g} was asked for: about {more:,} more "
            f"images are needed beside these {images:,}."
        )
        yield Finding("MR24", "warning", text, {"half_width": _round(half), "more images": more})


def beside_people(people: AgreementResult | PixelAgreementResult, /) -> Iterator[Finding]:
    """Advice on a score of a model whose truth is of these people."""
    name = "agreement" if isinstance(people, AgreementResult) else "mIoU"
    value = people.numbers[name]
    if value is not None and value < LOW:
        text = f"The people who drew the truth agree by {value:.3f} alone ({name}). {SPREAD}"
        yield Finding("MR06", "warning", text, {name: _round(value)}, ("NSD", "HD95"))


def suggested_tau(people: AgreementResult | PixelAgreementResult | None, /) -> float | None:
    """The tolerance that people suggest: the distance that 95 % of their outlines do not exceed, in pixels."""
    if not isinstance(people, AgreementResult) or people.annotations is None:
        return None
    tau = float(people.tolerances()["tau"][0])
    return None if math.isnan(tau) else tau


def _round(value: float) -> float | None:
    return None if value != value else round(float(value), 6)
