"""Scores of segmentation on the command line: what was asked for, as tables or as facts for JSON."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from vesica.cli import gate_options
from vesica.cli.outputs import Shown
from vesica.cli.plain_tables import judged, table
from vesica.results import gates
from vesica.results.gates import Verdict

if TYPE_CHECKING:
    from vesica.segmentation.result import SegmentationResult
    from vesica.segmentation.surface_result import SurfaceResult

_CLASS_COLUMNS = ("IoU", "Dice", "precision", "recall", "tp", "fp", "fn", "status")
_IMAGE_COLUMNS = ("mIoU", "mDice", "pixel_accuracy", "used", "left_out", "status")


def facts_of(
    result: SegmentationResult, surfaces: SurfaceResult | None, arguments: argparse.Namespace
) -> dict[str, Any]:
    """All that can be told of a result."""
    facts = result.to_dict()
    if arguments.per_image:
        facts["by_images"] = _worst_first(result.per_image())
    if arguments.groups:
        facts["by_groups"] = result.per_group()
    if arguments.spread:
        facts["spread"] = list(result.spread().rows)
    if surfaces is not None:
        facts["surfaces"] = surfaces.to_dict()
        if arguments.groups:
            facts["surfaces"]["by_groups"] = surfaces.per_group()
    return facts


def verdicts(
    result: SegmentationResult, surfaces: SurfaceResult | None, arguments: argparse.Namespace
) -> list[Verdict]:
    """What each gate says: of the surfaces where it names one of their numbers."""
    found = []
    for text in arguments.gate:
        is_surface = surfaces is not None and gates.parse(text).metric in surfaces
        scores = surfaces.gate_scores() if is_surface and surfaces is not None else result.gate_scores()
        found += gate_options.verdicts(arguments, scores, [text], part="surfaces" if is_surface else None)
    return found


def tables_of(facts: dict[str, Any]) -> list[Shown]:
    """What a form with tables shows: the numbers, and those of each class."""
    numbers = facts["summary"] | facts.get("surfaces", {}).get("summary", {})
    rows = [{"score": name, "value": value} for name, value in numbers.items()]
    tables = [
        Shown("Scores", rows, ("score", "value"), is_folded=False),
        Shown(f"{len(facts['classes']):,} classes", facts["classes"], ("category", *_CLASS_COLUMNS)),
    ]
    if "by_images" in facts:
        tables.append(Shown("Images, the worst first", facts["by_images"], ("image", *_IMAGE_COLUMNS)))
    if "by_groups" in facts:
        tables.append(Shown("Groups", facts["by_groups"], ("group", "images", *_IMAGE_COLUMNS)))
    if "surfaces" in facts:
        outlines = facts["surfaces"]["classes"]
        tables.append(Shown("Outlines of classes", outlines, list(outlines[0]) if outlines else ()))
    return tables


def show(
    result: SegmentationResult, surfaces: SurfaceResult | None, facts: dict[str, Any], arguments: argparse.Namespace
) -> None:
    """Everything that was asked for, one part after the other."""
    from vesica.segmentation.spread import Spread

    parts = [str(result)]
    if arguments.per_class:
        parts.append(table(facts["classes"], ("category", *_CLASS_COLUMNS)))
    if arguments.per_image:
        parts.append(table(facts["by_images"], ("image", *_IMAGE_COLUMNS)))
    if arguments.groups:
        parts.append(table(facts["by_groups"], ("group", "images", *_IMAGE_COLUMNS)))
    if surfaces is not None:
        parts.append(str(surfaces))
        if arguments.per_class:
            names = ["category", *surfaces, "both_empty", "one_empty"]
            parts.append(table(facts["surfaces"]["classes"], names))
        if arguments.groups:
            parts.append(table(facts["surfaces"]["by_groups"], ("group", "images", *surfaces)))
    if arguments.spread:
        parts.append(str(Spread(tuple(facts["spread"]), result.empties)))
    if facts["gates"]:
        parts.append(judged(facts["gates"]))
    print("\n\n".join(parts))


def _worst_first(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: (row.get("mIoU") is None, row.get("mIoU") or 0.0))
