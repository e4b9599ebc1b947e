"""The page of the data: how much there is of everything, and how large it is."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from vesica.detection.result import DetectionResult
from vesica.plot.theme import LIGHT, named, plain_frame, titled
from vesica.report.charts import chart
from vesica.report.detection_objects import Objects
from vesica.report.views import Block, Chart, Page, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BARS = 24
LISTED = 400
"""Categories that are listed."""


def page_of(result: DetectionResult, key: str, found: Objects | None, /) -> Page:
    """Counts by category, sizes of objects, objects of an image."""
    blocks: list[Block] = []
    if found is not None:
        sides = np.sqrt(found.details.truth_area[found.state.matches.counts])
        if (sides > 0).any():
            blocks.append(_sizes(sides[sides > 0], key))
        per_image = np.bincount(
            found.details.truth_image[found.state.matches.counts], minlength=len(result.records.images)
        )
        blocks.append(_per_image(per_image, key))
    rows = sorted(result.per_class(), key=lambda row: -row["truths"])
    more = f"{len(rows) - LISTED:,} categories with fewer truths are left out." if len(rows) > LISTED else ""
    blocks.append(
        Table(
            f"{key}-counts",
            "Objects by category",
            ("category", "truths", "guesses", "guesses for a truth"),
            tuple(
                (
                    str(row["category"]),
                    row["truths"],
                    row["guesses"],
                    row["guesses"] / row["truths"] if row["truths"] else None,
                )
                for row in rows[:LISTED]
            ),
            left_out=more,
        )
    )
    images = len(result.records.images)
    each = (
        f", {result.truths / images:.1f} truths and {len(result.records) / images:.1f} guesses an image"
        if images
        else ""
    )
    return Page(
        key,
        "Data",
        tuple(blocks),
        f"{images:,} images, {result.truths:,} truths, {len(result.records):,} guesses{each}.",
    )


def _sizes(sides: np.ndarray, key: str) -> Chart:
    edges = np.geomspace(sides.min() * 0.999, sides.max() * 1.001, BARS + 1)
    counts, _ = np.histogram(sides, edges)

    def draw(ax: Axes) -> None:
        plain_frame(ax, LIGHT, grid="y")
        ax.bar(edges[:-1], counts, np.diff(edges) * 0.94, align="edge", color=LIGHT.right)
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        named(ax, LIGHT, "side of a square as large, in pixels", "truths")
        titled(
            ax,
            LIGHT,
            "Sizes of objects",
            f"half of them are larger than {np.median(sides):.3g} × {np.median(sides):.3g} pixels",
        )

    table = _table(
        f"{key}-sizes-table",
        "Sizes of objects",
        "side",
        [f"{a:.3g} to {b:.3g} px" for a, b in itertools.pairwise(edges)],
        counts,
    )
    return chart(f"{key}-sizes", draw, height=3.0, table=table)


def _per_image(counts: np.ndarray, key: str) -> Chart:
    top = int(counts.max(initial=0))
    step = max(1, -(-(top + 1) // BARS))
    edges = np.arange(0, top + step + 1, step)
    bars, _ = np.histogram(counts, edges)

    def draw(ax: Axes) -> None:
        plain_frame(ax, LIGHT, grid="y")
        ax.bar(edges[:-1], bars, step * 0.94, align="edge" if step > 1 else "center", color=LIGHT.right)
        named(ax, LIGHT, "truths in an image", "images")
        empty = int((counts == 0).sum())
        titled(
            ax,
            LIGHT,
            "Objects in an image",
            f"{counts.mean() if len(counts) else 0:.1f} on average; {empty:,} images without any",
        )

    names = [str(low) if step == 1 else f"{low} to {low + step - 1}" for low in edges[:-1].tolist()]
    return chart(
        f"{key}-per-image",
        draw,
        height=3.0,
        table=_table(f"{key}-per-image-table", "Objects in an image", "truths", names, bars, "images"),
    )


def _table(key: str, title: str, name: str, names: list[str], counts: np.ndarray, noun: str = "truths") -> Table:
    return Table(key, title, (name, noun), tuple(zip(names, counts.tolist(), strict=True)))
