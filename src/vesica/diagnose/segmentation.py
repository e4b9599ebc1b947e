"""Advice on segmentation scores, as far as counts tell."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np

from vesica.diagnose.finding import PITFALLS, Finding
from vesica.results.tables import plain
from vesica.segmentation.result import SegmentationResult

LARGE, APART, MOSTLY, RARE, SHOWN = 100, 0.05, 0.9, 5, 3
"""Areas so many times apart; orders that differ by so much; a share that is most; images of a rare class; shown."""


def _sizes(result: SegmentationResult, concerns: Collection[str]) -> Iterator[Finding]:
    cells = result.cells.without(result.policy.background)
    areas = cells.truth[cells.truth > 0]
    if not areas.size:
        return
    low, high = (float(value) for value in np.percentile(areas, (5, 95)))
    if high > LARGE * low:
        text = "Totals favour large objects: areas of the truth are far apart. Read the images and classes one by one."
        yield Finding("MR03", "note", text, {"p5": low, "p95": high}, ("per_class", "per_image"))


def _no_boundary(result: SegmentationResult, concerns: Collection[str]) -> Iterator[Finding]:
    text = "Overlap says little about outlines. Add a score of boundaries: NSD, HD95 or MASD."
    yield Finding("MR04", "note", text, {}, ("NSD", "HD95", "MASD"), PITFALLS)


def _empties(result: SegmentationResult, concerns: Collection[str]) -> Iterator[Finding]:
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


def _both(result: SegmentationResult, concerns: Collection[str]) -> Iterator[Finding]:
    if "mIoU" in result and "mDice" in result:
        text = (
            "In each cell Dice follows from IoU: they are one piece of evidence. Keep one, and add one of boundaries."
        )
        evidence = {name: _round(result[name]) for name in ("mIoU", "mDice")}
        yield Finding("MR13", "note", text, evidence, ("NSD", "HD95"))


def _background(result: SegmentationResult, concerns: Collection[str]) -> Iterator[Finding]:
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


def _orders(result: SegmentationResult, concerns: Collection[str]) -> Iterator[Finding]:
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


def _rare(result: SegmentationResult, concerns: Collection[str]) -> Iterator[Finding]:
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


def _objects(result: SegmentationResult, concerns: Collection[str]) -> Iterator[Finding]:
    """Label maps that were drawn of objects: what they were is known."""
    counts = {note.rule: note.count for note in result.remarks}
    if counts.get("objects"):
        text = (
            "There are objects, and this score does not tell them apart: the largest rule it. Match them: "
            'evaluate(…, regions="mask") gives AP, evaluate_panoptic PQ.'
        )
        yield Finding("MR01", "warning", text, {"objects": counts["objects"]}, ("AP", "PQ"), f"{PITFALLS}, S1")
    if counts.get("overlaps"):
        text = (
            f"Objects of several classes overlap in {counts['overlaps']} pixels, and one of them has each: score them "
            "as objects. A distance between outlines may reach the edge of a neighbour."
        )
        yield Finding("MR19", "note", text, {"pixels": counts["overlaps"]}, ("AP", "PQ"))


def _size(result: SegmentationResult, concerns: Collection[str]) -> Iterator[Finding]:
    if "size" in concerns and result.policy.knows("area_difference"):
        rows = [row for row in result.per_class() if row["label"] != result.policy.background]
        evidence = {str(row["category"]): row["area_difference"] for row in rows}
        text = "Overlap does not tell whether things come out too large or too small: add the signed area difference."
        yield Finding("MR09", "note", text, evidence, ("area_difference",), f"{PITFALLS}, FP2.2")


def _costs(result: SegmentationResult, concerns: Collection[str]) -> Iterator[Finding]:
    if "costs" in concerns and result.policy.knows("F-beta"):
        values = {f"F{beta:g}": _round(result.score("F-beta", beta=beta, classes="macro").value) for beta in (0.5, 2)}
        text = "Dice weighs misses and false alarms alike: F-beta weighs misses more with beta above 1, less below."
        yield Finding("MR10", "note", text, values, ("F-beta",), f"{PITFALLS}, FP2.5")


def _groups(result: SegmentationResult, concerns: Collection[str]) -> Iterator[Finding]:
    groups = result.counts.groups
    if groups is not None and len(set(groups.tolist())) < len(groups):
        number = len(set(groups.tolist()))
        text = (
            f"{len(groups)} images are of {number} groups, and images of one group are not independent: read "
            "per_group, and resample groups where you say an interval."
        )
        yield Finding("MR17", "note", text, {"images": len(groups), "groups": number}, ("per_group",))


RULES: dict[str, Callable[[SegmentationResult, Collection[str]], Iterator[Finding]]] = {
    "MR01": _objects,
    "MR03": _sizes,
    "MR04": _no_boundary,
    "MR09": _size,
    "MR10": _costs,
    "MR11": _empties,
    "MR13": _both,
    "MR14": _background,
    "MR16": _orders,
    "MR17": _groups,
    "MR18": _rare,
}


def _listed(names: list[Any]) -> str:
    return ", ".join(map(str, names[:8])) + (", …" if len(names) > 8 else "")


def _round(value: float) -> float | None:
    return None if value != value else round(float(value), 6)
