"""Advice on scores of outlines, as far as their distances tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from vesica.diagnose.finding import Finding
from vesica.results.tables import plain
from vesica.segmentation.surface_result import SurfaceResult

FAR, SHOWN = 5, 3
"""A largest distance that is so many times the 95th percentile; cells that are shown."""

TOOLS = "arXiv 2410.02630: 11 tools differ, by more than 100 mm at worst"


def no_tau(suggested: float | None, /) -> Iterator[Finding]:
    """NSD without a tolerance; `suggested` is the one of the people who drew the truth, where they are known."""
    text = "NSD needs a tolerance: give tau. The spread between people who drew the same outline is a good one."
    if suggested is not None:
        text = f"NSD needs a tolerance: give tau. Your annotators suggest {suggested:g} pixels: 95 % of their outlines "
        text += "are not further apart."
    yield Finding("MR05", "note", text, {} if suggested is None else {"tau": suggested}, ("NSD",))


def _few_pixels(result: SurfaceResult) -> Iterator[Finding]:
    """HD far beyond HD95: a few pixels make it."""
    found = []
    for image, row in zip(result.images, result.cells, strict=True):
        for category, cell in zip(result.categories, row, strict=True):
            if cell.status == "ok" and cell.distances.hd() > FAR * cell.distances.hd95:
                found.append((cell.distances.hd(), image, category))
    if found:
        worst = [(plain(image), plain(category)) for _, image, category in sorted(found, key=lambda one: -one[0])]
        text = (
            f"In {len(found)} cells HD is more than {FAR} times HD95: it hangs on a few pixels. The largest are "
            f"{', '.join(f'{category} of {image}' for image, category in worst[:SHOWN])}. Use HD95 or MASD."
        )
        evidence = {"cells": len(found), "worst": worst[:SHOWN]}
        yield Finding("MR07", "warning", text, evidence, ("HD95", "MASD"))


def _misses(result: SurfaceResult) -> Iterator[Finding]:
    count = sum(cell.status == "one_empty" for row in result.cells for cell in row)
    if count:
        worst = result.policy.distance_worst
        text = f"{count} cells have one side alone: a miss is a failure and takes the worst value, here the {worst}."
        if worst == "skip":
            text = f'{count} cells have one side alone, and distance_worst="skip" lets them vanish from distances.'
        yield Finding("MR12", "warning", text, {"one_empty": count, "distance_worst": worst})


def _pixels(result: SurfaceResult) -> Iterator[Finding]:
    if "pixels" in result.unit:
        text = "Distances are in pixels: give spacing, or files that say it."
        yield Finding("MR20", "note", text, {"unit": result.unit})


def _definition(result: SurfaceResult) -> Iterator[Finding]:
    text = (
        "Say which definition: surface pixels have a neighbour along an axis outside the mask, distances go from "
        f"centre to centre, percentiles are {result.policy.percentile_of} and linear between distances, every surface "
        "pixel counts once."
    )
    yield Finding("MR21", "note", text, {"percentile_of": result.policy.percentile_of}, (), TOOLS)


RULES: dict[str, Callable[[SurfaceResult], Iterator[Finding]]] = {
    "MR07": _few_pixels,
    "MR12": _misses,
    "MR20": _pixels,
    "MR21": _definition,
}
