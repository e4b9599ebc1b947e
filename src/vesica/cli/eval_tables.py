"""Tables of scores of detection and of panoptic quality, for a terminal or a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from vesica.cli import look
from vesica.detection.protocol import Protocol
from vesica.detection.rules import REGIONS, UNLIMITED
from vesica.detection.summary import limit_of, lines_of
from vesica.results.gates import Verdict
from vesica.results.markdown import printable

_WIDE = 200
"""Columns of a pipe, whatever the terminal behind it."""
_NOTHING = "–"
_STYLES = {"passed": "green", "FAILED": "bold red", "undecided": "bold yellow"}
_PANOPTIC = {
    "PQ": "panoptic quality, SQ · RQ",
    "SQ": "segmentation quality, mean IoU of matches",
    "RQ": "F1 of matches",
}


def show(facts: dict[str, Any], protocol: Protocol, *, per_class: bool) -> None:
    """Everything that was asked for, one part after the other."""
    order = _best_first([row for row in facts["classes"] if row["truths"] or row["guesses"]], protocol)
    parts: list[RenderableType] = [Text(_headline(facts, protocol)), _summary(facts, protocol)]
    per_class = per_class and protocol.by_class
    if per_class:
        left = len(facts["classes"]) - len(order)
        rest = [Text(f"{left:,} more have neither truths nor guesses")] if left else []
        parts.append(Group(_classes(order, protocol, facts.get("intervals")), *rest))
    if "counts" in facts:
        parts.append(_counts(facts["counts"], order if per_class else [], protocol))
    if "causes" in facts:
        parts.append(_causes(facts["causes"], order if per_class else []))
    if "confusion" in facts:
        parts.append(_confusion(facts["confusion"]))
    if "intervals" in facts:
        parts.append(_intervals(facts, protocol))
    if "slices" in facts:
        parts.append(_slices(facts["slices"]))
    _print([*parts, *_ends(facts)])


def show_panoptic(facts: dict[str, Any], headline: str, *, per_class: bool) -> None:
    """The same of panoptic quality."""
    summary = _table("score", "value:", "what it is", "categories")
    for number, (name, value) in enumerate(facts["summary"].items()):
        kind, _, group = name.partition("_")
        summary.add_row(name, _value(value), _PANOPTIC[kind], group or "all", style=None if number else "bold")
    parts: list[RenderableType] = [Text(headline), summary]
    if per_class:
        there = [row for row in facts["classes"] if row["PQ"] is not None]
        classes = _table("category", "PQ:", "SQ:", "RQ:", "TP:", "FP:", "FN:")
        for row in sorted(there, key=lambda row: -row["PQ"]):
            shares, counts = (
                (_value(row[name]) for name in _PANOPTIC),
                (f"{row[name]:,}" for name in ("tp", "fp", "fn")),
            )
            classes.add_row(_name(row["category"]), *shares, *counts)
        parts.append(classes)
    _print([*parts, *_ends(facts)])


def _ends(facts: dict[str, Any]) -> Iterable[RenderableType]:
    """What stands below the numbers: notes, and what gates say."""
    if facts["notes"]:
        yield Text("\n".join(f"note: {note['count']:,} {note['text']}" for note in facts["notes"]))
    if facts["gates"]:
        yield _gates([Verdict(**verdict) for verdict in facts["gates"]])


def _print(parts: Iterable[RenderableType]) -> None:
    console = look.console(width=None if sys.stdout.isatty() else _WIDE)
    with console.capture() as captured:
        for number, part in enumerate(parts):
            if number:
                console.print()
            console.print(part)
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))


def _headline(facts: dict[str, Any], protocol: Protocol) -> str:
    counted = (("images", "image"), ("truths", "truth"), ("guesses", "guess"))
    numbers = [f"{facts[many]:,} {one if facts[many] == 1 else many}" for many, one in counted]
    kinds = len(facts["classes"])
    classes = "1 category" if kinds == 1 else f"{kinds:,} categories"
    told = [f"{protocol.rules.title}, {REGIONS[protocol.regions]}: {', '.join([*numbers, classes])}"]
    if not protocol.by_class:
        told[0] = told[0].removesuffix(f", {classes}") + ", all classes as one"
    if protocol.repeats.tool is not None:
        told.append(f"As {protocol.repeats.tool} has it, faults included")
    return "\n".join(told)


def _summary(facts: dict[str, Any], protocol: Protocol) -> Table:
    intervals = facts.get("intervals")
    ends = [] if intervals is None else [f"{100 * intervals['level']:g} %:"]
    table = _table("score", "value:", *ends, "what it is", "IoU", "area", "max dets:")
    for number, (name, *words) in enumerate(_rows(protocol)):
        cells = [] if intervals is None else [_between(intervals["numbers"][name])]
        table.add_row(_name(name), _value(facts["summary"][name]), *cells, *words, style=None if number else "bold")
    return table


def _between(ends: Sequence[float | None]) -> str:
    """Both ends of an interval."""
    low, high = ends
    return _NOTHING if low is None or high is None else f"{low:.3f}{_NOTHING}{high:.3f}"


def _intervals(facts: dict[str, Any], protocol: Protocol) -> Text:
    """How they were made, and what counts is in none of the tables."""
    told = facts["intervals"]
    shares = ", ".join(
        f"{word} {_between(told['numbers'][name])}"
        for word, name in (("precision", "precision"), ("recall", "recall"), ("F1", "f1"))
    )
    made = (
        f"{100 * told['level']:g} % intervals of {told['replicates']:,} replicates by {told['by']}, seed {told['seed']}"
    )
    iou = _iou([protocol.iou[0]], protocol)
    lacking = [name for name, value in facts["summary"].items() if value is not None and None in told["numbers"][name]]
    why = f"\nno interval of {', '.join(lacking)}: more than 5 % of the replicates have no value" if lacking else ""
    return Text(f"{made}\nat IoU {iou}: {shares}{why}")


def _slices(rows: Sequence[dict[str, Any]]) -> Table:
    """A row for each slice: the first numbers of the summary, and the interval of the first."""
    names = [
        name for name in (rows[0]["summary"] if rows else {}) if any(row["summary"][name] is not None for row in rows)
    ]
    has_ends = any("intervals" in row for row in rows)
    ends = [f"{names[0]}, interval:"] if has_ends and names else []
    table = _table(
        "column",
        "slice",
        "images:",
        "truths:",
        *(f"{name}:" for name in names[:1]),
        *ends,
        *(f"{name}:" for name in names[1:]),
    )
    for row in rows:
        values = [_value(row["summary"][name]) for name in names]
        inside = [_between(row["intervals"][names[0]])] if ends else []
        counted = (f"{row[name]:,}" for name in ("images", "truths"))
        table.add_row(_name(row["column"]), _name(row["slice"]), *counted, *values[:1], *inside, *values[1:])
    return table


def _rows(protocol: Protocol) -> Iterable[tuple[str, str, str, str, str]]:
    """Each number of a summary in words: of what, at which thresholds, of which areas, of how many guesses."""
    areas = {name: _range(name, low, high) for name, low, high in protocol.areas}
    groups = dict(protocol.rules.groups)
    for line in lines_of(protocol):
        if line.iou is not None and line.iou not in protocol.iou:
            continue
        group = "" if line.group is None else f", {groups[line.group]} categories"
        thresholds = protocol.iou if line.iou is None else [line.iou]
        place = limit_of(line, protocol)
        limit = protocol.max_dets[line.limit if place is None else place]
        what = line.title.lower() + group
        yield line.name, what, _iou(thresholds, protocol), areas[line.area], _limit(protocol, limit)


def _iou(thresholds: Sequence[float], protocol: Protocol) -> str:
    """Thresholds in few words: 0.50, 0.50:0.95, or all of them."""
    shown = [f"{t:.2f}" if abs(t - round(t, 2)) < 1e-9 else f"{t:.10g}" for t in thresholds]
    step = (thresholds[-1] - thresholds[0]) / max(1, len(thresholds) - 1)
    even = all(abs(t - thresholds[0] - k * step) < 1e-9 for k, t in enumerate(thresholds))
    text = f"{shown[0]}:{shown[-1]}" if even and len(shown) > 2 else ", ".join(shown)
    return f"> {text}" if protocol.strict else text


def _range(name: str, low: float, high: float) -> str:
    below, above = low <= 0, high >= 1e10
    if below and above:
        return name
    ends = (
        f"up to {_pixels(high)}" if below else f"from {_pixels(low)}" if above else f"{_pixels(low)} to {_pixels(high)}"
    )
    return f"{name}, {ends}"


def _pixels(area: float) -> str:
    side = round(area**0.5)
    return f"{side}²" if side * side == area else f"{area:g}"


def _limit(protocol: Protocol, limit: int) -> str:
    if limit < UNLIMITED:
        return f"{limit:,}"
    most = protocol.rules.most_per_image
    return "all" if most is None else f"{most} an image"


def _classes(rows: Sequence[dict[str, Any]], protocol: Protocol, intervals: dict[str, Any] | None) -> Table:
    """One row a category. Of recalls only that of all guesses, of intervals the first: the others are in --json."""
    lines = [line for line in lines_of(protocol) if line.group is None]
    names = [line.name_of_one or line.name for line in lines if line.kind != "recall"]
    if protocol.rules.recall_by_limit:
        names += [line.name for line in lines if line.kind == "recall" and line.area == lines[0].area][-1:]
    names = [name for name in names if any(row[name] is not None for row in rows)]
    ends = {} if intervals is None else {str(row["category"]): row for row in intervals["classes"]}
    first = [f"{names[0]}, interval:"] if ends and names else []
    table = _table(
        "category",
        *(f"{name}:" for name in names[:1]),
        *first,
        *(f"{name}:" for name in names[1:]),
        "truths:",
        "guesses:",
    )
    for row in rows:
        values = [_value(row[name]) for name in names]
        inside = [_between(ends[str(row["category"])][names[0]])] if first else []
        counts = (f"{row[name]:,}" for name in ("truths", "guesses"))
        table.add_row(_name(row["category"]), *values[:1], *inside, *values[1:], *counts)
    return table


def _best_first(rows: Sequence[dict[str, Any]], protocol: Protocol) -> list[dict[str, Any]]:
    """By the first number of the summary; categories without it come last."""
    first = lines_of(protocol)[0]
    name = first.name_of_one or first.name
    return sorted(rows, key=lambda row: (row[name] is None, -(row[name] or 0.0)))


def _counts(counts: dict[str, Any], order: Sequence[dict[str, Any]], protocol: Protocol) -> Group:
    iou = _iou([counts["iou"]], protocol)
    scores = "" if counts["min_score"] is None else f", of guesses with a score of at least {counts['min_score']:g}"
    area = "" if counts["area"] == "all" else f", area {counts['area']}"
    table = _table("category", "TP:", "FP:", "FN:", "precision:", "recall:", "F1:")
    by_name = {str(row["category"]): row for row in counts["classes"]}
    shown = [by_name[str(row["category"])] for row in order]
    for row in ({**counts, "category": "all"}, *shown):
        numbers = (f"{row[name]:,}" for name in ("tp", "fp", "fn"))
        shares = (_value(row[name]) for name in ("precision", "recall", "f1"))
        table.add_row(_name(row["category"]), *numbers, *shares)
    best = counts["best_f1"]
    parts: list[RenderableType] = [Text(f"right, wrong and missed at IoU {iou}{scores}{area}", "bold"), table]
    if best is not None:
        at = f"for guesses with a score of at least {best['score']:g}"
        parts.append(Text(f"F1 is highest, {best['f1']:.3f}, {at}"))
    return Group(*parts)


def _causes(causes: dict[str, Any], order: Sequence[dict[str, Any]]) -> Group:
    """What each cause costs; with the classes, those of each as well."""
    title = f"why AP at IoU {causes['iou']:g} is {_value(causes['ap'])}: what it would gain without each cause"
    table = _table("cause", "count:", "cost:", "what it is")
    for row in causes["causes"]:
        table.add_row(row["cause"], f"{row['count']:,}", _value(row["cost"]), row["meaning"])
    if not order:
        return Group(Text(title, "bold"), table)
    names = [row["cause"] for row in causes["causes"]]
    costs = {(str(row["category"]), row["cause"]): row["cost"] for row in causes["classes"]}
    classes = _table("category", *(f"{name}:" for name in names))
    for row in order:
        name = str(row["category"])
        classes.add_row(_name(name), *(_value(costs[name, cause]) for cause in names))
    return Group(Text(title, "bold"), table, Text(), classes)


_FEW = 12
"""Classes whose confusion is shown in full; of more the most frequent ones."""


def _confusion(confusion: dict[str, Any]) -> Group:
    """All counts of few classes; of many the most frequent, and what has to do with the background as two sums."""
    least = confusion["min_score"]
    scores = "" if least is None else f", of guesses with a score of at least {least:g}"
    title = f"confusion at IoU {confusion['iou']:g}{scores}"
    names, counts = confusion["names"], confusion["counts"]
    if len(names) <= _FEW + 1:
        table = _table("truth")
        for name in names:
            table.add_column(_name(name), justify="right", overflow="fold")
        for name, row in zip(names, counts, strict=True):
            table.add_row(_name(name), *(f"{count:,}" for count in row))
        return Group(Text(f"{title}: truths in rows, guesses in columns", "bold"), table)
    table = _table("truth", "guess", "count:", "share of truths:")
    for row in confusion["top"]:
        table.add_row(_name(row["truth"]), _name(row["guess"]), f"{row['count']:,}", _value(row["share"]))
    made_up, missed = sum(counts[-1]), sum(row[-1] for row in counts)
    rest = Text(f"{made_up:,} more guesses are where no truth is, {missed:,} truths were not found")
    return Group(Text(f"{title}: the most frequent", "bold"), table, rest)


def _gates(verdicts: Sequence[Verdict]) -> Table:
    table = _table("gate", "value:", "")
    for verdict in verdicts:
        word = Text(verdict.word, _STYLES[verdict.word])
        told = word + Text(f": {verdict.told}") if verdict.told else word
        table.add_row(_name(verdict.gate), verdict.digits, told)
    return table


def _table(*columns: str) -> Table:
    """A table without lines; columns that end with a colon are set to the right."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        right = column.endswith(":")
        table.add_column(column.removesuffix(":"), justify="right" if right else "left", overflow="fold")
    return table


def _value(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:.3f}"


def _name(value: Any) -> Text:
    return Text(printable(value))
