"""Tables of label maps beyond overlap: what the gap is made of, and what chance would have given."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from vesica._array import objects
from vesica.agreement.chance import corrected, independent_iou
from vesica.agreement.pixel_ledger import PIXEL_TYPES, PixelLedger
from vesica.results.tables import Table


def pixel_ledger_table(
    found: Iterable[tuple[int, int, PixelLedger]],
    people: Sequence[Any],
    names: Mapping[int, Any],
    by: Sequence[str],
) -> Table:
    """What 1 − mIoU is made of: pixels and amounts. `found` are ledgers and the places of both annotators."""
    groups: dict[tuple[int, int] | None, list[PixelLedger]] = {}
    for a, b, one in found:
        groups.setdefault((a, b) if "annotators" in by else None, []).append(one)
    rows: list[dict[str, Any]] = []
    for who, parts in groups.items():
        named = {} if who is None else {"annotator_a": people[who[0]], "annotator_b": people[who[1]]}
        rows += [named | row for row in _rows(functools.reduce(PixelLedger.__add__, parts), names, "category" in by)]
    columns = rows[0] if rows else dict.fromkeys(("type", "count", "amount"))
    kinds = {"count": np.int64, "amount": np.float64}
    return Table({name: objects([row[name] for row in rows]).astype(kinds.get(name, object)) for name in columns})


def _rows(ledger: PixelLedger, names: Mapping[int, Any], by_class: bool) -> list[dict[str, Any]]:
    """Types that occur."""
    shares = ledger.counts / ledger.union[:, None] / max(len(ledger.classes), 1)
    if not by_class:
        counts, amounts = ledger.counts.sum(axis=0), shares.sum(axis=0)
        return [
            {"type": name, "count": int(counts[k]), "amount": float(amounts[k])}
            for k, name in enumerate(PIXEL_TYPES)
            if counts[k]
        ]
    return [
        {
            "category": names.get(label, label),
            "type": name,
            "count": int(ledger.counts[place, k]),
            "amount": float(shares[place, k]),
        }
        for place, label in enumerate(ledger.classes.tolist())
        for k, name in enumerate(PIXEL_TYPES)
        if ledger.counts[place, k]
    ]


def pixel_chance_table(classes: Table, pixels: int) -> Table:
    """The IoU of each class beside that of areas as large that know nothing of each other, and IoU beyond it."""
    chance = independent_iou(classes["area_a"], classes["area_b"], np.array(pixels))
    beyond = [corrected(*pair) for pair in zip(classes["iou"].tolist(), chance.tolist(), strict=True)]
    return Table(
        {
            "category": classes["category"],
            "iou": classes["iou"],
            "chance": chance,
            "corrected": np.array([np.nan if one.value is None else one.value for one in beyond], np.float64),
            "status": objects(one.status for one in beyond),
        }
    )
