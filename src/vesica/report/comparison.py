"""The page of a comparison: what models differ by, in which categories, slices and objects, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from vesica import plot
from vesica.comparison.changed_objects import counted
from vesica.comparison.words import sentences, told_classes, told_objects, verdict
from vesica.plot.per_class import without_middle
from vesica.report import leads
from vesica.report.bare_photographs import LEGEND
from vesica.report.charts import chart
from vesica.report.comparison_items import items_of
from vesica.report.leads import facts_of
from vesica.report.numbers import policy_of
from vesica.report.views import Block, Chart, Choice, Filter, Line, Mark, Page, Part, Table, Tile, Tiles, Words

if TYPE_CHECKING:
    from vesica.comparison import Comparison
    from vesica.results.tables import Row

MOST_ROWS, MOST_CLASSES = 40, 200
_WAYS: dict[Literal["category", "cause"], bool] = {"category": True, "cause": False}
"""How objects that changed are grouped, and whether their table stands below."""
_KINDS = {"higher": "good", "lower": "bad"}


def part_of(comparison: Comparison, key: str, /, *, images: Any = None) -> Part:
    """All that a comparison gives to a report; `images` are the photographs."""
    items, rows, left_out = items_of(comparison, images)
    blocks: list[Block] = [
        _differences(comparison, key),
        *_classes(comparison, key),
        *_objects(comparison, key),
        *_slices(comparison, key),
        *(_causes(comparison, key, model) for model in comparison.names[1:] if comparison.has_objects),
    ]
    facts = comparison.to_dict()
    told = {name: facts[name] for name in ("of", "models", "images", "level", "replicates", "seed")}
    others, first = ", ".join(comparison.names[1:]), comparison.names[0]
    return Part(
        Page(key, "Comparison", tuple(blocks), comparison.headline),
        _tiles(comparison, key),
        _first(comparison, key),
        tuple(items),
        tuple(rows),
        left_out,
        tuple(Line(f"{note.count:,} {note.text}", "note") for note in comparison.notes),
        told | policy_of(comparison.results[0].to_dict()),
        legend={
            "right": f"fixed: {others} finds it, {first} does not",
            "missed": f"broken: {first} finds it, {others} does not",
            "truth": "other truths",
            **({} if comparison.has_objects else LEGEND),
        },
    )


def _tiles(comparison: Comparison, key: str) -> Tiles:
    """The difference of each number; of several models, that of each."""
    tiles = []
    several = len(comparison.names) > 2
    for place, (label, value) in enumerate(comparison.numbers.items()):
        row = _row_of(comparison, label, several)
        shown = "–" if value is None else f"{value:+.3f}" if value else "0.000"
        note = f"{_plain(row['base'])} → {_plain(row['value'])}: {verdict(row)}"
        change = {"change": "broken" if value is not None and value < 0 else "fixed"}
        leads_to = change if comparison.has_objects else None
        tiles.append(Tile(f"{key}-{place}", label, shown, _signed_ends(row), note, leads_to, value))
    sentence = f"{comparison.headline}. Differences from {comparison.names[0]}; positive is higher."
    return Tiles(f"{key}-tiles", "Comparison", tuple(tiles), sentence)


def _row_of(comparison: Comparison, label: str, several: bool) -> Row:
    for row in comparison.table():
        if label == (f"{row['number']} of {row['model']}" if several else row["number"]):
            return row
    raise KeyError(label)


def _signed_ends(row: Row) -> str:
    return "" if row["lo"] is None else f"{row['lo']:+.3f} to {row['hi']:+.3f}"


def _plain(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _first(comparison: Comparison, key: str) -> Words:
    """What became of the first number, of categories and of objects."""
    number = next(iter(comparison.results[0].summary))
    rows = [row for row in comparison.table() if row["number"] == number]
    lines = [
        Line(text, _KINDS.get(verdict(row), "note")) for text, row in zip(sentences(comparison), rows, strict=True)
    ]
    if comparison.class_numbers:
        lines.append(Line(told_classes(comparison), "note"))
    for model in comparison.names[1:] if comparison.has_objects else ():
        lines.append(Line(told_objects(comparison, model), "note", {"change": "broken"}))
    return Words(f"{key}-first", "What changed", tuple(lines))


# ---- 25, 26


def _table(key: str, title: str, rows: list[Row], comparison: Comparison, filters: Sequence[Filter | None]) -> Table:
    """Rows of differences; of two models their names stand over their numbers."""
    named = dict(zip(("base", "value"), comparison.names, strict=True)) if len(comparison.names) == 2 else {}
    columns = tuple(rows[0]) if rows else ()
    return Table(
        key,
        title,
        (*(str(named.get(name, name)) for name in columns), "verdict"),
        tuple((*(_cell(value) for value in row.values()), verdict(row)) for row in rows),
        tuple(filters),
        f"lo and hi are the ends of the interval, {100 * comparison.level:g} %.",
    )


def _cell(value: Any) -> Any:
    return value if value is None or isinstance(value, (int, float)) else str(value)


def _differences(comparison: Comparison, key: str) -> Chart:
    """25: every number, with the interval of its difference."""
    rows = list(comparison.table())
    table = _table(f"{key}-numbers", "Numbers", rows, comparison, [None] * len(rows))
    count = len({row["number"] for row in rows})
    return chart(
        f"{key}-differences",
        lambda ax: plot.comparison(comparison, most=MOST_ROWS, ax=ax),
        table=table,
        height=1.5 + (0.2 + 0.04 * len(comparison.names)) * max(4, min(count, MOST_ROWS)),
    )


def _classes(comparison: Comparison, key: str) -> list[Block]:
    """26: the change of each category, in the numbers that categories have."""
    found = {name: _of_classes(comparison, key, name) for name in comparison.class_numbers[:4]}
    charts = {name: one for name, one in found.items() if one is not None}
    return (
        [Choice(f"{key}-classes", "Change of each category", tuple(charts), tuple(charts.values()))] if charts else []
    )


def _of_classes(comparison: Comparison, key: str, name: str) -> Chart | None:
    rows = list(comparison.classes(name))
    if not rows:
        return None
    leads_on = comparison.has_objects
    filters = [facts_of(category=row["category"]) if leads_on else None for row in rows]
    table = _table(
        f"{key}-classes-{_slug(name)}", f"{name} of categories", rows[:MOST_CLASSES], comparison, filters[:MOST_CLASSES]
    )
    if len(rows) > MOST_CLASSES:
        table = replace(
            table, left_out=f"{len(rows) - MOST_CLASSES:,} categories whose change is less sure are left out."
        )
    known = sorted((row for row in rows if row["difference"] is not None), key=lambda row: -row["difference"])
    shown = without_middle(list(dict.fromkeys(row["category"] for row in known)), MOST_ROWS)
    marks = [Mark(f"{one}: {name}", facts_of(category=one)) for one in shown] if leads_on else []
    return chart(
        f"{key}-classes-{_slug(name)}",
        lambda ax: plot.comparison(comparison, metric=name, most=MOST_ROWS, ax=ax),
        table=table,
        marks=leads.rows(marks),
        title=f"{name} by category",
        height=1.5 + (0.2 + 0.04 * len(comparison.names)) * max(4, len(shown)),
    )


def _slug(name: str) -> str:
    return "".join(one if one.isascii() and one.isalnum() else "-" for one in name)


# ---- 27, 28


def _objects(comparison: Comparison, key: str) -> list[Block]:
    """27: objects that were fixed and broken, by category and by cause, and what each cause costs."""
    if not comparison.has_objects:
        return []
    blocks: list[Block] = []
    several = len(comparison.names) > 2
    for number, model in enumerate(comparison.names[1:]):
        own = f"{key}-objects" if number == 0 else f"{key}-objects-{number + 1}"
        more = {"model": model} if several else {}
        changes = comparison.objects(model)
        rows = list(counted(changes))
        table = Table(
            own,
            "Objects that changed",
            ("category", "change", "cause", "objects"),
            tuple((str(row["category"]), row["change"], row["cause"], row["count"]) for row in rows[:MOST_CLASSES]),
            tuple(
                facts_of(category=row["category"], change=row["change"], cause=row["cause"], **more)
                for row in rows[:MOST_CLASSES]
            ),
            "The cause is why the one model missed what the other found.",
        )
        charts = tuple(
            _changed(comparison, own, model, by, len(set(changes[by].tolist())), table if numbers else None, more)
            for by, numbers in _WAYS.items()
        )
        title = f"Fixed and broken{f' by {model}' if several else ''}"
        blocks.append(Choice(f"{own}-choice", title, ("by category", "by cause"), charts))
    return blocks


def _changed(
    comparison: Comparison,
    key: str,
    model: str,
    by: Literal["category", "cause"],
    count: int,
    table: Table | None,
    more: Mapping[str, str],
) -> Chart:
    def told(facts: Mapping[str, Any]) -> Mark:
        return Mark(f"{facts['change']}: {facts[by]}", facts_of(**facts, **more))

    return chart(
        f"{key}-by-{by}",
        lambda ax: plot.fixed_and_broken(comparison, by=by, model=model, most=MOST_ROWS, ax=ax),
        table=table,
        marks=leads.drawn(told),
        height=1.6 + 0.24 * max(4, min(count, MOST_ROWS)),
    )


def _causes(comparison: Comparison, key: str, model: str) -> Table:
    rows = list(comparison.causes(model))
    first = comparison.names[0]
    return Table(
        f"{key}-causes-{comparison.names.index(model)}",
        f"What each cause of error costs in AP, {first} and {model}",
        ("cause", f"count, {first}", f"count, {model}", first, model, "difference"),
        tuple(tuple(_cell(value) for value in row.values()) for row in rows),
        sentence="A cause that costs less got better: the difference is negative.",
    )


def _slices(comparison: Comparison, key: str) -> list[Block]:
    """28: differences in each slice of the images."""
    if not comparison.has_slices:
        return []
    rows = list(comparison.slices())
    return [
        _sliced(comparison, f"{key}-slices-{number}", model, [row for row in rows if row.get("model", model) == model])
        for number, model in enumerate(comparison.names[1:])
    ]


def _sliced(comparison: Comparison, key: str, model: str, rows: list[Row]) -> Chart:
    filters = [facts_of(**{str(row["column"]): row["slice"]}) for row in rows]
    marks = [
        Mark(f"{row['column']} {row['slice']}", wanted)
        for row, wanted in zip(rows, filters, strict=True)
        if row["difference"] is not None
    ]
    return chart(
        key,
        lambda ax: plot.slices(comparison, model=model, ax=ax),
        table=_table(key, "Slices", rows, comparison, filters),
        marks=leads.rows(marks),
        height=1.5 + 0.26 * max(4, len(marks)),
    )
