"""Duplicates: images that several records have, as samplers make them that fill up uneven processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vesica._check import records as check
from vesica._ragged import taken
from vesica.results.result import Note

if TYPE_CHECKING:
    from vesica.detection.records import Records


def counted_once(records: Sequence[Records], /) -> tuple[list[Records], list[Note]]:
    """The records without images that were in one before, and how many those were; their content must be equal."""
    kept, again = [], 0
    are_told = all(one.details is not None for one in records)
    first: dict[Any, tuple[Records, int]] = {}
    for one in records:
        ids = one.images.tolist()
        repeated = [place for place, id in enumerate(ids) if id in first]
        for place in repeated:
            check.same_content(ids[place], *(_content(*that, are_told) for that in (first[ids[place]], (one, place))))
        for place, id in enumerate(ids):
            first.setdefault(id, (one, place))
        kept.append(_without(one, repeated) if repeated else one)
        again += len(repeated)
    return kept, [Note("M1", again, "images that came again with equal content count once")] if again else []


def _content(records: Records, place: int, is_told: bool) -> dict[str, np.ndarray]:
    """All that records know of one image, with details where all of them have some."""
    cells = np.flatnonzero(records.image == place)
    _, rows = taken(_offsets(records), cells)
    content = {
        "categories": np.searchsorted(records.starts, cells, side="right"),
        "truths": records.counted[cells],
        "guesses": records.guesses[cells],
        "scores": records.score[rows],
        "matches": np.hstack([records.matched[rows], records.ignored[rows]]),
    }
    if not is_told or records.details is None:
        return content
    places = np.full(len(records.images), -1, np.int32)
    places[place] = 0
    own = records.details.of(rows, places)
    names = (column.name for column in fields(own) if column.name != "floor")
    return content | {f"details ({name})": getattr(own, name) for name in names}


def _without(records: Records, places: list[int]) -> Records:
    """The records of all other images; notes count what they counted."""
    stays = np.ones(len(records.images), bool)
    stays[places] = False
    return replace(records.of_images(stays), notes=records.notes)


def _offsets(records: Records) -> np.ndarray:
    """The first guess of each cell, and the end."""
    first: np.ndarray = np.concatenate([[0], np.cumsum(records.guesses, dtype=np.int64)])
    return first
