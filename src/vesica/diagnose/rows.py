"""Findings about rows: scores and ids that are missing, odd, or there twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from vesica._check import meeting as told
from vesica.dataset import Dataset
from vesica.dataset.ids import table_of
from vesica.diagnose.finding import CERTAIN, ERROR, NOTE, WARNING, Finding
from vesica.diagnose.inputs import Side
from vesica.diagnose.words import counted, first_rows
from vesica.io.coco_lenient import Lenient

FEW = 8
"""Scores that may be equal by chance."""


def refused(found: Lenient, name: str, /) -> Iterator[Finding]:
    """What a strict reader of COCO does not let pass."""
    if found.repeated is not None:
        yield Finding("ids-duplicate", ERROR, found.repeated, {}, confidence=CERTAIN)
    if found.without_score.any():
        text = (
            f'{counted(found.without_score.sum(), "row")} of {len(found.without_score):,} in {name} have no "score", '
        )
        text += f"{first_rows(found.without_score)}."
        yield Finding("score-missing", ERROR, text, {"rows": int(found.without_score.sum())}, confidence=CERTAIN)
    if found.without_region.any():
        text = f'{counted(found.without_region.sum(), "row")} in {name} have neither a "bbox" nor a "segmentation": '
        text += f"{first_rows(found.without_region)}."
        yield Finding("region-missing", ERROR, text, {"rows": int(found.without_region.sum())}, confidence=CERTAIN)
    for code, noun, rows in (
        ("images-unknown", "images", found.unknown_image),
        ("categories-unknown", "categories", found.unknown_category),
    ):
        if rows.any():
            text = f"{counted(rows.sum(), 'annotation')} in {name} are of {noun} that it does not list itself: "
            text += f"{first_rows(rows)}."
            yield Finding(code, ERROR, text, {"rows": int(rows.sum())}, confidence=CERTAIN)


def of_scores(side: Side, /) -> Iterator[Finding]:
    """Scores that are no numbers, all equal, or above 1."""
    score = side.data.score
    if score is None or not len(score):
        return
    is_number = np.isfinite(score)
    strange = ~is_number
    if side.refused and any(one.code == "score-missing" for one in side.refused):
        strange &= ~np.isnan(score)
    if strange.any():
        text = f"{counted(strange.sum(), 'score')} in {side.name} {'is' if strange.sum() == 1 else 'are'} not finite: "
        text += f"{first_rows(strange)}."
        yield Finding("not-finite", ERROR, text, {"count": int(strange.sum())}, confidence=CERTAIN)
    if not is_number.any():
        return
    low, high = float(score[is_number].min()), float(score[is_number].max())
    evidence = {"lowest": low, "highest": high}
    if low == high and len(score) >= FEW:
        text = f"All {len(score):,} scores in {side.name} are {low:g}, so that the order of rows decides."
        yield Finding("scores-equal", NOTE, text, evidence, confidence=CERTAIN)
    elif high > 1 or low < 0:
        what = "percent" if low >= 0 and high <= 100 else "logits"
        text = f"Scores in {side.name} go from {low:g} to {high:g}: {what}? Only their order counts."
        yield Finding("scores-above-1", NOTE, text, evidence, confidence=CERTAIN)


def of_ids(side: Side, /) -> Iterator[Finding]:
    """Annotations that share an id, and categories that share a name."""
    data = side.data
    if data.id is not None and data.annotator is None:
        yield from _of_own_ids(side.name, data)
    names = [] if data.categories.names is None else [one for one in data.categories.names.tolist() if one is not None]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        text = f"{counted(len(twice), 'name')} in {side.name} {'is' if len(twice) == 1 else 'are'} of several "
        text += f"categories: {told.listed(twice)}."
        yield Finding("ids-duplicate", ERROR, text, {"names": twice}, confidence=CERTAIN)


def _of_own_ids(name: str, data: Dataset) -> Iterator[Finding]:
    assert data.id is not None
    ids = data.id.tolist() if data.id.dtype == object else None
    if ids is None and len(table_of(data.id)[0]) == len(data):
        return
    by_id: dict[object, list[int]] = {}
    for row, own in enumerate(data.id.tolist() if ids is None else ids):
        by_id.setdefault(own, []).append(row)
    twice = {own: rows for own, rows in by_id.items() if len(rows) > 1 and own is not None}
    if not twice:
        return
    differ = [own for own, rows in twice.items() if any(not _are_equal(data, rows[0], row) for row in rows[1:])]
    text = f"{counted(len(twice), 'id')} of annotations in {name} {'is' if len(twice) == 1 else 'are'} there several "
    text += f"times: {told.listed(list(twice))}; {'their rows differ' if differ else 'their rows are equal'}."
    evidence = {"ids": len(twice), "differ": len(differ)}
    severity = ERROR if differ else WARNING
    yield Finding("ids-duplicate", severity, text, evidence, confidence=CERTAIN, repairs=("ids=renumber",))


def _are_equal(data: Dataset, a: int, b: int) -> bool:
    columns = (data.image, data.category, data.xywh, data.area, data.crowd)
    return all(one is None or np.array_equal(one[a], one[b], equal_nan=one.dtype.kind == "f") for one in columns)
