"""How a number comes about, step by step, in words: the corners, areas, intersections and unions of each pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vesica.agreement.tables import labels_of
from vesica.overlaps.parts import parts

if TYPE_CHECKING:
    from vesica.agreement.result import AgreementResult

MOST = 20
"""Pairs that are told in full."""


def explain_pairs(result: AgreementResult, /) -> str:
    """The matched pairs one by one, then what is alone, then the sums."""
    records, tallies = result.records, result.tallies
    rows = np.flatnonzero(~records.scenes.is_self[tallies.scene])
    matched = rows[(tallies.a[rows] >= 0) & (tallies.b[rows] >= 0)]
    lines = [line for row in matched[:MOST].tolist() for line in _pair(result, row)]
    if len(matched) > MOST:
        lines.append(f"… and {len(matched) - MOST} more matched pairs")
    only = [rows[side[rows] < 0] for side in (tallies.b, tallies.a)]
    summary, sums = result.numbers, result._sums
    names = ("a", "b") if len(records.annotators) != 2 else tuple(map(str, records.annotators.tolist()))
    return "\n".join(
        [
            *lines,
            f"only in {names[0]}: {len(only[0])}; only in {names[1]}: {len(only[1])}",
            f"mean IoU of {len(matched)} matched pairs = {_shown(summary['mean_iou'])}",
            f"agreement = credit / units = {sums['credit']:g} / {sums['units']:g} = {_shown(summary['agreement'])}",
        ]
    )


def _pair(result: AgreementResult, row: int) -> list[str]:
    """The five steps of two boxes; of other regions those of areas."""
    records, tallies = result.records, result.tallies
    a, b, scene = int(tallies.a[row]), int(tallies.b[row]), int(tallies.scene[row])
    scenes, people, names = records.scenes, records.annotators.tolist(), labels_of(records).tolist()
    who, ids = (people[scenes.a[scene]], people[scenes.b[scene]]), records.id[[a, b]].tolist()
    nouns = [names[records.category[k]] if len(names) > 1 else "object" for k in (a, b)]
    told = [f"{noun} {id} of {name}" for noun, id, name in zip(nouns, ids, who, strict=True)]
    title = f"image {records.images.tolist()[scenes.image[scene]]}: {told[0]}, {told[1]}"
    one, other = records.box[a].tolist(), records.box[b].tolist()
    area = [float(records.area[k]) for k in (a, b)]
    iou = float(tallies.iou[row])
    if records.kind != "box":
        return [title, *_of_areas(result, a, b, area, iou)]
    low, high = [max(one[k], other[k]) for k in (0, 1)], [min(one[k], other[k]) for k in (2, 3)]
    inter = max(0.0, high[0] - low[0]) * max(0.0, high[1] - low[1])
    return [
        title,
        f"  1 boxes         a {_list(one)}, b {_list(other)}",
        f"  2 corners       largest x0 {low[0]:g}, y0 {low[1]:g}; smallest x1 {high[0]:g}, y1 {high[1]:g}",
        f"  3 intersection  max(0, {high[0]:g} − {low[0]:g}) · max(0, {high[1]:g} − {low[1]:g}) = {inter:g}",
        f"  4 union         {area[0]:g} + {area[1]:g} − {inter:g} = {area[0] + area[1] - inter:g}",
        f"  5 IoU           {inter:g} / {area[0] + area[1] - inter:g} = {iou:.6g}",
    ]


def _of_areas(result: AgreementResult, a: int, b: int, area: list[float], iou: float) -> list[str]:
    drawn = result.annotations
    shared = ""
    if drawn is not None:
        found = parts(drawn.objects.regions[[a]], drawn.objects.regions[[b]], aligned=True)
        inter = float(np.asarray(found.inter)[0])
        shared = f", intersection {inter:g}, union {area[0] + area[1] - inter:g}"
    return [f"  areas {area[0]:g} and {area[1]:g}{shared}", f"  IoU = {iou:.6g}"]


def _list(numbers: list[float]) -> str:
    return f"[{', '.join(f'{number:g}' for number in numbers)}]"


def _shown(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.6g}"
