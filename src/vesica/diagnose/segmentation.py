"""Advice on segmentation scores, as far as counts tell: the rules of Metrics Reloaded that need no outlines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from vesica._check import diagnose as check
from vesica.diagnose.finding import Finding
from vesica.results.tables import plain
from vesica.segmentation.result import SegmentationResult

LARGE, APART, MOSTLY, RARE, SHOWN = 100, 0.05, 0.9, 5, 3
"""Areas so many times apart; orders that differ by so much; a share that is most; images of a rare class; shown."""

PITFALLS = "Reinke et al., Understanding metric-related pitfalls"


def advise(result: SegmentationResult, /, *, silence: Iterable[str] = ()) -> list[Finding]:
    """What a segmentation score hides, and which number would show it. Scores stay as they are.

    Parameters
    ----------
    result : SegmentationResult
    silence : codes that are not wanted, optional

    Examples
    --------
    >>> import vesica
    >>> truth, guess = [[[1] * 90 + [0] * 10], [[0] * 99 + [1]]], [[[1] * 90 + [0] * 10], [[0] * 100]]
    >>> result = vesica.evaluate_segmentation(truth, guess, background=0)
    >>> for finding in vesica.advise(result, silence=["MR04", "MR18"]):
    ...     print(finding.code, finding.evidence)
    MR11 {'both_empty': 0, 'guess_only': 0, 'truth_only': 1, 'lowest': 0.5, 'highest': 0.989011}
    MR13 {'mIoU': 0.989011, 'mDice': 0.994475}
    MR16 {'totals': 0.989011, 'images': 0.5, 'lowest images': [1]}
    """
    check.is_result(result, SegmentationResult)
    left_out = check.codes(silence, _RULES)
    return [found for code, rule in _RULES.items() if code not in left_out for found in rule(result)]


def _sizes(result: SegmentationResult) -> Iterator[Finding]:
    cells = result.cells.without(result.policy.background)
    areas = cells.truth[cells.truth > 0]
    if not areas.size:
        return
    low, high = (float(value) for value in np.percentile(areas, (5, 95)))
    if high > LARGE * low:
        text = "Totals favour large objects: areas of the truth are far apart. Read the images and classes one by one."
        yield Finding("MR03", "note", text, {"p5": low, "p95": high}, ("per_class", "per_image"))


def _no_boundary(result: SegmentationResult) -> Iterator[Finding]:
    text = "Overlap says little about outlines. Add a score of boundaries: NSD, HD95 or MASD."
    yield Finding("MR04", "note", text, {}, ("nsd", "hd95", "masd"), PITFALLS)


def _empties(result: SegmentationResult) -> Iterator[Finding]:
    found = result.empties
    if not any(found[name] for name in ("both_empty", "guess_only", "truth_only")):
        return
    low, high = result.spread().range("mIoU")
    evidence = {name: found[name] for name in ("both_empty", "guess_only", "truth_only")}
    text = (
        f"{found['both_empty']} cells are empty on both sides, {found['guess_only']} in the truth and "
        f"{found['truth_only']} in the guess. What they are worth is a convention, policy {result.policy.hash} here: "
        f"under those of other libraries mIoU is from {low:.4f} to {high:.4f}. Name yours beside the number."
    )
    yield Finding("MR11", "warning", text, {**evidence, "lowest": _round(low), "highest": _round(high)}, ("spread",))


def _both(result: SegmentationResult) -> Iterator[Finding]:
    if "mIoU" in result and "mDice" in result:
        text = (
            "In each cell Dice follows from IoU: they are one piece of evidence. Keep one, and add one of boundaries."
        )
        evidence = {name: _round(result[name]) for name in ("mIoU", "mDice")}
        yield Finding("MR13", "note", text, evidence, ("nsd", "hd95"))


def _background(result: SegmentationResult) -> Iterator[Finding]:
    total = result.cells.total
    pixels = int(total.pixels[0])
    if "pixel_accuracy" not in result or not pixels or not len(total.labels):
        return
    largest = int(np.argmax(total.truth[0]))
    share = int(total.truth[0, largest]) / pixels
    if share > MOSTLY:
        name = total.names[largest]
        text = f"{share:.0%} of all pixels are of class {name}, which decides the accuracy. Read mIoU or mPA_recall."
        evidence = {"category": plain(name), "share": _round(share), "pixel_accuracy": _round(result["pixel_accuracy"])}
        yield Finding("MR14", "warning", text, evidence, ("mIoU", "mPA_recall"))


def _orders(result: SegmentationResult) -> Iterator[Finding]:
    totals, images = (result.score("IoU", average=order, classes="macro").value for order in ("totals", "images"))
    if not abs(totals - images) > APART:  # false for NaN
        return
    rows = [row for row in result.per_image() if row["mIoU"] is not None]
    worst = [row["image"] for row in sorted(rows, key=lambda row: row["mIoU"])[:SHOWN] if row["mIoU"] < images]
    text = (
        f"mIoU is {totals:.4f} of all pixels together and {images:.4f} as the mean of images: a few of them, or a few "
        f"large objects, decide. The lowest are {', '.join(map(str, worst))}."
    )
    evidence = {"totals": _round(totals), "images": _round(images), "lowest images": worst}
    yield Finding("MR16", "warning", text, evidence, ("per_image",))


def _rare(result: SegmentationResult) -> Iterator[Finding]:
    rows = [row for row in result.per_class() if row["label"] != result.policy.background]
    absent = [row["category"] for row in rows if row["status"] == "absent"]
    rare = [row["category"] for row in rows if 0 < row["images"] < RARE]
    if absent:
        text = f"{len(absent)} classes are in no image and left out of means: {_listed(absent)}."
        if result.policy.like is not None or result.policy.absent != "skip":
            text = f"{len(absent)} classes are in no image, and the policy decides their worth: {_listed(absent)}."
        yield Finding("MR18", "warning", text, {"absent": absent})
    if rare:
        text = f"{len(rare)} classes are in fewer than {RARE} images, so their scores are unreliable: {_listed(rare)}."
        yield Finding("MR18", "note", text, {"rare": rare})


_RULES: dict[str, Callable[[SegmentationResult], Iterator[Finding]]] = {
    "MR03": _sizes,
    "MR04": _no_boundary,
    "MR11": _empties,
    "MR13": _both,
    "MR14": _background,
    "MR16": _orders,
    "MR18": _rare,
}


def _listed(names: list[Any]) -> str:
    return ", ".join(map(str, names[:8])) + (", …" if len(names) > 8 else "")


def _round(value: float) -> float | None:
    return None if value != value else round(float(value), 6)
