"""The page of outlines: how far those of the truth and of the guess are apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from vesica import plot
from vesica.report import leads
from vesica.report.charts import chart
from vesica.report.leads import facts_of
from vesica.report.numbers import number_tiles, policy_of
from vesica.report.views import Chart, Line, Mark, Page, Part, Row, Table

if TYPE_CHECKING:
    from vesica.segmentation.surface_result import SurfaceResult

MOST = 200
_NOTES = {
    "HD": "the largest distance",
    "HD95": "95 % of outlines are nearer",
    "ASSD": "mean of both outlines, all pixels alike",
    "MASD": "mean of both means",
    "ASD": "from the guess to the truth",
    "clDice": "overlap of centrelines",
}


def part_of_outlines(result: SurfaceResult, key: str, /) -> Part:
    """16: the distances of outlines, by class and by image."""
    return Part(
        Page(key, "Outlines", (_distances(result, key), _images(result, key)), result.headline),
        number_tiles(result, key, intervals=result.interval(), notes=_notes(result), title="Outlines"),
        rows=tuple(_rows(result)),
        notes=tuple(Line(f"{note.count:,} {note.text}", "note") for note in result.notes),
        policy=policy_of(result.to_dict()),
    )


def _notes(result: SurfaceResult) -> dict[str, str]:
    shares = {"NSD": "share of outlines within the tolerance", "boundary_F": "precision and recall of outlines",
              "boundary_IoU": "overlap of inner bands"}  # fmt: skip
    found = {name: shares[head] for name in result.summary if (head := name.partition("(")[0]) in shares}
    return found | {
        name: f"{text}, in {result.unit}" if name in _NOTES and name != "clDice" else text
        for name, text in _NOTES.items()
    }


def _distances(result: SurfaceResult, key: str) -> Chart:
    rows = result.per_class()
    names = tuple(rows[0])[1:] if rows else ()
    table = Table(
        f"{key}-classes",
        "Classes",
        ("class", *(name.replace("_", " ") for name in names)),
        tuple((str(row["category"]), *(_finite(row[name]) for name in names)) for row in rows),
        tuple(facts_of(category=row["category"]) for row in rows),
        f"Distances are in {result.unit}.",
    )
    return chart(
        f"{key}-distances",
        lambda ax: plot.distances(result, ax=ax),
        table=table,
        marks=leads.drawn(lambda facts: Mark(f"outlines of {facts['category']}", facts_of(category=facts["category"]))),
    )


def _images(result: SurfaceResult, key: str) -> Table:
    """The images with the largest distances first."""
    by = "HD95"
    rows = sorted(result.per_image(), key=lambda row: -_last(row[by]))
    names = [name for name in (rows[0] if rows else ()) if name != "image"]
    return Table(
        f"{key}-images",
        "Images, the largest distances first",
        ("image", *(name.replace("_", " ") for name in names)),
        tuple((str(row["image"]), *(_finite(row[name]) for name in names)) for row in rows[:MOST]),
        tuple(facts_of(image=row["image"]) for row in rows[:MOST]),
        left_out=f"{len(rows) - MOST:,} more images are left out." if len(rows) > MOST else "",
    )


def _rows(result: SurfaceResult) -> list[Row]:
    """Of each class the images where its outlines are furthest apart."""
    known = [row for row in result.per_cell() if row["HD95"] is not None]
    found, told = [], dict[Any, int]()
    for row in sorted(known, key=lambda row: -row["HD95"]):
        told[row["category"]] = told.get(row["category"], 0) + 1
        if told[row["category"]] <= 50:
            facts = facts_of(
                image=row["image"], category=row["category"], HD95=f"{row['HD95']:.2f}", sides=row["status"]
            )
            found.append(Row(str(row["image"]), facts))
    return found


def _last(value: float | None) -> float:
    return -math.inf if value is None else value


def _finite(value: Any) -> Any:
    """Infinite distances are words: there is no such number in a table."""
    return "infinite" if isinstance(value, float) and math.isinf(value) else value
