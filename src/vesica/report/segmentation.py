"""The page of a segmentation: classes, images, what is taken for what, and what conventions make of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from vesica import plot
from vesica.plot.histogram import BARS
from vesica.plot.per_class import without_middle
from vesica.report import leads
from vesica.report.charts import chart
from vesica.report.leads import facts_of
from vesica.report.map_items import WORST, Ranked, class_colours, items_of, ranked, seen_in
from vesica.report.map_pictures import swatches_of
from vesica.report.numbers import number_tiles, policy_of
from vesica.report.views import Block, Chart, Choice, Grid, Line, Mark, Page, Part, Table, Tiles, Words
from vesica.segmentation.rules import MEANS, OVERALL, SCORES, WEIGHTED

if TYPE_CHECKING:
    from vesica.results.intervals import IntervalTable
    from vesica.segmentation.result import SegmentationResult

MOST_BARS, MOST_IMAGES = 40, 200
WAYS: dict[str, Literal["row", "column"] | None] = {
    "shares of each truth": "row",
    "shares of each guess": "column",
    "pixels": None,
}
_LEGEND = {"wrong": "pixels of another class", "right": ""}


def part_of(result: Any, key: str, /, *, maps: Any = None, images: Any = None) -> Part:
    """All that a segmentation gives to a report: of pixels, of outlines, or of segments."""
    kind = type(result).__name__
    if kind == "PanopticResult":
        from vesica.report.panoptic import part_of_segments  # late: most are of pixels

        return part_of_segments(result, key, images=images)
    if kind == "SurfaceResult":
        from vesica.report.outlines import part_of_outlines

        return part_of_outlines(result, key)
    return _part(result, key, maps, images)


def _part(result: SegmentationResult, key: str, maps: Any, photographs: Any) -> Part:
    score = next((name for name in ("mIoU", "mDice") if name in (result.per_image() or [{"mIoU": 0}])[0]), "mIoU")
    images = result.per_image()
    order = ranked(images, score)
    bins = bins_of({one.image: one.score for one in order})
    items, rows, left_out = items_of(result, order, maps, score, bins, photographs)
    intervals = result.interval()
    blocks: list[Block] = [
        *_classes(result, key, intervals),
        _over_images(result, key),
        _spread(result, key, score, order),
        _ranked(result, key, score, order),
        *_confusion(result, key),
        _policies(result, key),
    ]
    return Part(
        Page(key, "Segmentation", tuple(blocks), result.headline),
        _tiles(result, key, intervals),
        _first(result, key),
        tuple(items),
        tuple(rows),
        left_out,
        tuple(Line(f"{note.count:,} {note.text}", "note") for note in result.notes),
        policy_of(result.to_dict()),
        legend=_LEGEND,
        swatches=swatches_of([str(name) for name in result.categories], class_colours(result), seen_in(items)),
    )


# ---- numbers


def _tiles(result: SegmentationResult, key: str, intervals: IntervalTable) -> Tiles:
    means = {**MEANS, **WEIGHTED}
    notes = {name: SCORES[means[name]].text if name in means else OVERALL.get(name, "") for name in result.summary}
    worst = {key_0: {"images": WORST} for key_0 in result.summary}
    tiles = number_tiles(result, key, intervals=intervals, notes=notes, filters=worst, title="Segmentation")
    drawing = intervals.drawing
    how = f"{100 * drawing.level:g} % intervals of {drawing.replicates:,} replicates by {drawing.by}"
    return replace(tiles, sentence=f"{result.headline}; {how}. Each leads to the worst images.")


def _first(result: SegmentationResult, key: str) -> Words | None:
    """The mistakes that most pixels make, and the classes that are worst."""
    lines = []
    if not result.counts.is_overlapping:
        counts = np.asarray(result.confusion()).copy()
        np.fill_diagonal(counts, 0)
        wrong, names = counts.sum(), result.categories
        for place in np.argsort(-counts, axis=None, kind="stable")[:3].tolist():
            truth, guess = divmod(place, len(names))
            if not counts[truth, guess]:
                break
            share = counts[truth, guess] / wrong
            text = f"{names[truth]} is taken for {names[guess]}: {counts[truth, guess]:,} pixels"
            facts = facts_of(truth=names[truth], guess=names[guess])
            lines.append(Line(text, "", facts, f"{100 * share:.0f} % of wrong pixels"))
    for row in _known(result)[::-1][:2]:
        text = f"{row['category']} is the class with an IoU of {row['IoU']:.3f}"
        lines.append(Line(f"{text}, in {row['images']:,} images", "", facts_of(category=row["category"]), "lowest IoU"))
    return Words(f"{key}-first", "What to fix first", tuple(lines)) if lines else None


def _known(result: SegmentationResult) -> list[dict[str, Any]]:
    """Classes with an IoU, the highest first."""
    rows = [row for row in result.per_class() if row.get("IoU") is not None]
    return sorted(rows, key=lambda row: -row["IoU"])


# ---- classes


def _classes(result: SegmentationResult, key: str, intervals: IntervalTable) -> list[Block]:
    """13: IoU and dice of each class, and how sure they are."""
    rows = result.per_class()
    names = [name for name in ("IoU", "Dice", "precision", "recall") if rows and name in rows[0]]
    if not names:
        return []
    counts = ("images", "tp", "fp", "fn", "status")
    table = Table(
        f"{key}-classes",
        "Classes",
        ("class", *names, *counts),
        tuple((str(row["category"]), *(row[name] for name in (*names, *counts))) for row in rows),
        tuple(facts_of(category=row["category"]) for row in rows),
    )  # fmt: skip
    drawn = names[:2]
    known = sorted((row for row in rows if row[drawn[0]] is not None), key=lambda row: -row[drawn[0]])
    shown = without_middle(known, MOST_BARS)
    marks = leads.rows([_of_class(row["category"], drawn[0], row[drawn[0]]) for row in shown])
    ends: defaultdict[Any, tuple[float | None, float | None]] = defaultdict(lambda: (None, None))
    ends |= {(row["category"], row["number"]): (row["lo"], row["hi"]) for row in intervals.per_class()}
    sure = Table(
        f"{key}-intervals",
        "Intervals of classes",
        ("class", *(f"{name}{end}" for name in drawn for end in ("", " lo", " hi"))),
        tuple(
            (str(row["category"]), *(one for name in drawn for one in (row[name], *ends[row["category"], name])))
            for row in rows
        ),
        tuple(facts_of(category=row["category"]) for row in rows),
    )  # fmt: skip
    bars = chart(
        f"{key}-per-class",
        lambda ax: plot.per_class(result, metric=drawn, most=MOST_BARS, ax=ax),
        table=table,
        marks=marks,
        height=1.3 + 0.3 * max(4, len(shown)),
    )
    lines = chart(
        f"{key}-per-class-sure",
        lambda ax: plot.intervals(intervals, metric=drawn[0], most=MOST_BARS, ax=ax),
        table=sure,
        marks=marks,
        height=1.3 + 0.24 * max(4, len(shown)),
    )
    return [Choice(f"{key}-classes", "Classes", (" and ".join(drawn), f"{drawn[0]} with intervals"), (bars, lines))]


def _of_class(category: Any, name: str, value: float) -> Mark:
    return Mark(f"{category}: {name} {value:.3f}", facts_of(category=category))


def _over_images(result: SegmentationResult, key: str) -> Chart:
    """14: how far each class differs from image to image."""
    metric = "IoU" if result.policy.knows("IoU") else None
    name = metric or "Dice"
    columns = zip(result.categories, result.cell_scores(name).T, strict=True)
    known = ((category, own[~np.isnan(own)]) for category, own in columns)
    parts = (0, 0.25, 0.5, 0.75, 1)
    found = [(category, len(own), np.quantile(own, parts).tolist()) for category, own in known if len(own)]
    found.sort(key=lambda one: -one[2][2])
    table = Table(
        f"{key}-over-images",
        "Classes over images",
        ("class", "images", "worst", "a quarter below", "median", "a quarter above", "best"),
        tuple((str(category), count, *quantiles) for category, count, quantiles in found),
        tuple(facts_of(category=category) for category, _, _ in found),
    )
    shown = without_middle(found, MOST_BARS)
    return chart(
        f"{key}-over-images",
        lambda ax: plot.over_images(result, metric=metric, most=MOST_BARS, ax=ax),
        table=table,
        marks=leads.rows([_of_class(category, f"median {name}", own[2]) for category, _, own in shown]),
        height=1.4 + 0.26 * max(4, len(shown)),
    )


# ---- images


def bins_of(scores: Mapping[Any, float], /) -> dict[Any, str]:
    """The bar of the histogram of images that each score falls into, in words."""
    low = min([0.0, *scores.values()])
    edges = np.linspace(low, 1.0, BARS + 1)
    place = np.clip(np.searchsorted(edges, list(scores.values()), "right") - 1, 0, len(edges) - 2)
    return {one: _range(edges[k], edges[k + 1]) for one, k in zip(scores, place.tolist(), strict=True)}


def _range(low: float, high: float) -> str:
    return f"{low:.2f} to {high:.2f}"


def _spread(result: SegmentationResult, key: str, score: str, order: list[Ranked]) -> Chart:
    """14: how many images score how well."""
    bins = bins_of({one.image: one.score for one in order})
    counts: dict[str, int] = {}
    for one in bins.values():
        counts[one] = counts.get(one, 0) + 1
    table = Table(
        f"{key}-spread",
        "Images by score",
        (score, "images"),
        tuple(sorted(counts.items())),
        tuple({score: one} for one in sorted(counts)),
    )

    def told(facts: Mapping[str, Any]) -> Mark:
        words = _range(*facts[score])
        return Mark(f"{score} {words}: {counts.get(words, 0):,} images", {score: words})

    return chart(
        f"{key}-per-image", lambda ax: plot.per_image(result, ax=ax), table=table, marks=leads.drawn(told), height=3.4
    )


def _ranked(result: SegmentationResult, key: str, score: str, order: list[Ranked]) -> Chart:
    """17: the best, the median and the worst."""
    rows = {row["image"]: row for row in result.per_image()}
    shown = order if len(order) <= MOST_IMAGES else [*order[: MOST_IMAGES - 50], *order[-50:]]
    columns = [
        name
        for name in ("mIoU", "mDice", "pixel_accuracy", "pixels", "used", "left_out")
        if order and name in rows[order[0].image]
    ]
    left = f"{len(order) - len(shown):,} images in the middle are left out." if len(order) > len(shown) else ""
    table = Table(
        f"{key}-images",
        "Images, the worst first",
        ("image", *(name.replace("_", " ") for name in columns), "which"),
        tuple((str(one.image), *(rows[one.image][name] for name in columns), one.kind) for one in shown),
        tuple(facts_of(image=one.image) for one in shown),
        left_out=left,
    )
    return chart(
        f"{key}-ranked",
        lambda ax: plot.ranked(result, ax=ax),
        table=table,
        marks=leads.drawn(lambda facts: Mark(f"image {facts['image']}", facts_of(image=facts["image"]))),
        height=3.4,
    )


# ---- confusion, conventions


def _confusion(result: SegmentationResult, key: str) -> list[Block]:
    """15: which classes are taken for which."""
    if result.counts.is_overlapping:
        words = "Masks of classes may overlap: it is not known which class was taken for which other."
        return [Words(f"{key}-no-confusion", "Confusion", (Line(words),))]
    counts, names = np.asarray(result.confusion()), tuple(str(name) for name in result.categories)
    grid = Grid(("truth", "guess"), names, names, tuple(map(tuple, counts.tolist())))
    wrong = counts.copy()
    np.fill_diagonal(wrong, 0)
    order = [place for place in np.argsort(-wrong, axis=None, kind="stable")[:100].tolist() if wrong.flat[place]]
    pairs = [divmod(place, len(names)) for place in order]
    total = counts.sum(axis=1)
    table = Table(
        f"{key}-confused",
        "Classes that are taken for another",
        ("truth", "guess", "pixels", "share of the truth"),
        tuple((names[a], names[b], int(wrong[a, b]), float(wrong[a, b] / total[a])) for a, b in pairs),
        tuple(facts_of(truth=names[a], guess=names[b]) for a, b in pairs),
        left_out="The hundred most common are listed." if (wrong > 0).sum() > len(pairs) else "",
    )
    charts = tuple(_matrix(result, key, way, grid, table if way == "row" else None) for way in WAYS.values())
    return [Choice(f"{key}-confusion", "Confusion", tuple(WAYS), charts, is_wide=charts[0].is_wide)]


def _matrix(
    result: SegmentationResult, key: str, way: Literal["row", "column"] | None, grid: Grid, table: Table | None
) -> Chart:
    name, size = f"{key}-confusion-{way or 'counts'}", leads.square(len(grid.rows))
    return chart(name, lambda ax: plot.confusion(result, by=way, ax=ax), table=table, grid=grid, **size)


def _policies(result: SegmentationResult, key: str) -> Chart:
    """18: the same pixels under the conventions of every library."""
    rows = result.spread().rows
    table = Table(
        f"{key}-policies",
        "Conventions",
        ("like", "order", "mIoU", "mDice"),
        tuple((row["like"], row["average"], row["mIoU"], row["mDice"]) for row in rows),
    )
    height = 1.5 + 0.21 * len(rows)
    return chart(f"{key}-policies", lambda ax: plot.policies(result, ax=ax), table=table, height=height)
