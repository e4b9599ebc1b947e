"""The page of a panoptic segmentation: how well segments are found, and how well they fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vesica import plot
from vesica.plot.per_class import without_middle
from vesica.report import leads
from vesica.report.bare_photographs import LEGEND, told_beside
from vesica.report.charts import chart
from vesica.report.leads import facts_of
from vesica.report.numbers import number_tiles, policy_of
from vesica.report.views import Chart, Line, Mark, Page, Part, Row, Table, Words

if TYPE_CHECKING:
    from vesica.segmentation.panoptic import PanopticResult

MOST_BARS, MOST = 40, 200
_NOTES = {
    "PQ": "SQ × RQ",
    "SQ": "mean IoU of segments that match",
    "RQ": "share of segments that match, as F1",
}
_QUALITIES = ("PQ", "SQ", "RQ")


def part_of_segments(result: PanopticResult, key: str, /, *, images: Any = None) -> Part:
    """All that panoptic quality gives to a report; `images` are the photographs."""
    notes = {name: f"{_NOTES[name.partition('_')[0]]}{' of ' if '_' in name else ''}{name.partition('_')[2]}"
             for name in result.summary}  # fmt: skip
    items, rows = told_beside(_rows(result), images)
    return Part(
        Page(key, "Panoptic quality", (_classes(result, key), _images(result, key)), result.headline),
        number_tiles(result, key, intervals=result.interval(), notes=notes, title="Panoptic quality"),
        _first(result, key),
        items=items,
        rows=rows,
        notes=tuple(Line(f"{note.count:,} {note.text}", "note") for note in result.notes),
        policy=policy_of(result.to_dict()),
        legend=LEGEND,
    )


def _first(result: PanopticResult, key: str) -> Words | None:
    """The categories that lose most segments."""
    rows = sorted(result.per_class(), key=lambda row: -(row["fp"] + row["fn"]))
    lines = tuple(
        Line(f"{row['category']}: {row['fn']:,} segments missed, {row['fp']:,} made up, {row['tp']:,} matched",
             filter=facts_of(category=row["category"]))
        for row in rows[:3] if row["fp"] + row["fn"]
    )  # fmt: skip
    return Words(f"{key}-first", "What to fix first", lines) if lines else None


def _classes(result: PanopticResult, key: str) -> Chart:
    rows = result.per_class()
    columns = [name for name in (rows[0] if rows else ()) if name not in ("category", "id")]
    table = Table(
        f"{key}-classes",
        "Categories",
        ("category", *(name.replace("_", " ") for name in columns)),
        tuple((str(row["category"]), *(row[name] for name in columns)) for row in rows),
        tuple(facts_of(category=row["category"]) for row in rows),
    )
    known = sorted((row for row in rows if row["PQ"] is not None), key=lambda row: -row["PQ"])
    shown = without_middle(known, MOST_BARS)
    marks = [Mark(f"{row['category']}: PQ {row['PQ']:.3f}", facts_of(category=row["category"])) for row in shown]
    return chart(
        f"{key}-per-class",
        lambda ax: plot.per_class(result, metric=_QUALITIES, most=MOST_BARS, ax=ax),
        table=table,
        marks=leads.rows(marks),
        height=1.4 + 0.36 * max(4, len(shown)),
        is_wide=True,
    )


def _images(result: PanopticResult, key: str) -> Table:
    rows = sorted((row for row in result.per_image() if row["PQ"] is not None), key=lambda row: row["PQ"])
    names = (*_QUALITIES, "tp", "fp", "fn")
    return Table(
        f"{key}-images",
        "Images, the worst first",
        ("image", *names),
        tuple((str(row["image"]), *(row[name] for name in names)) for row in rows[:MOST]),
        tuple(facts_of(image=row["image"]) for row in rows[:MOST]),
        left_out=f"{len(rows) - MOST:,} more images are left out." if len(rows) > MOST else "",
    )


def _rows(result: PanopticResult) -> list[Row]:
    """Segments of each image and category: how many matched, were missed and were made up."""
    names, images = [str(name) for name in result.categories.names], result.images.tolist()
    counts: dict[tuple[int, int], list[int]] = {}
    for image, category, union in zip(
        result.image.tolist(), result.category.tolist(), result.union.tolist(), strict=True
    ):
        own = counts.setdefault((image, category), [0, 0, 0])
        own[0 if union > 0 else -union] += 1  # matched, missed (−1), made up (−2)
    worst = sorted(counts.items(), key=lambda one: -sum(one[1][1:]))[:3000]
    return [Row(str(images[image]), _facts(images[image], names[category], own)) for (image, category), own in worst]


def _facts(image: Any, category: str, counts: list[int]) -> dict[str, str]:
    matched, missed, extra = (f"{count:,}" for count in counts)
    return facts_of(image=image, category=category, matched=matched, missed=missed, made_up=extra)
