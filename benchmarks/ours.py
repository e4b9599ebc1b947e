"""Our own calls, written as a user writes them: whole arrays in, every check included."""

from __future__ import annotations

from collections.abc import Callable

import vesica
from benchmarks.formulas import Table
from benchmarks.peers import JOIN_AT, Call, Contender


def _measure(name: str) -> Callable[[Table, Table], Call]:
    return lambda a, b: lambda: getattr(vesica, name)(a, b)


def _inclusive(a: Table, b: Table) -> Call:
    return lambda: vesica.iou(vesica.Boxes(a, "xyxy_inclusive"), vesica.Boxes(b, "xyxy_inclusive"))


def _rotated(a: Table, b: Table) -> Call:
    def turned(table: Table) -> vesica.RotatedBoxes:
        return vesica.RotatedBoxes(table, unit="deg", direction="cw")

    return lambda: vesica.iou(turned(a), turned(b))


def _join(a: Table, b: Table) -> Call:
    return lambda: vesica.join(a, b, at_least=JOIN_AT)


OURS = {
    call.name: call
    for call in (
        Contender("vesica.iou", "vesica", _measure("iou")),
        Contender("vesica.giou", "vesica", _measure("giou")),
        Contender("vesica.diou", "vesica", _measure("diou")),
        Contender("vesica.ciou", "vesica", _measure("ciou")),
        Contender("vesica.iou inclusive", "vesica", _inclusive),
        Contender("vesica.iou rotated", "vesica", _rotated),
        Contender("vesica.join", "vesica", _join, answer=tuple),
    )
}
