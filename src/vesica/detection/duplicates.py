"""Duplicates: images that several records have, as samplers make them that fill up uneven processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
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
    first: dict[Any, tuple[Records, int]] = {}
    for one in records:
        ids = one.images.tolist()
        repeated = [place for place, id in enumerate(ids) if id in first]
        for place in repeated:
            check.same_content(ids[place], _content(*first[ids[place]]), _content(one, place))
        for place, id in enumerate(ids):
            first.setdefault(id, (one, place))
        kept.append(_without(one, repeated) if repeated else one)
        again += len(repeated)
    return kept, [Note("M1", again, "images that came again with equal content count once")] if again else []


def _content(records: Records, place: int) -> dict[str, np.ndarray]:
    """All that records know of one image."""
    cells = np.flatnonzero(records.image == place)
    _, rows = taken(_offsets(records), cells)
    return {
        "categories": np.searchsorted(records.starts, cells, side="right"),
        "truths": records.counted[cells],
        "guesses": records.guesses[cells],
        "scores": records.score[rows],
        "matches": np.hstack([records.matched[rows], records.ignored[rows]]),
    }


def _without(records: Records, places: list[int]) -> Records:
    """The records of all other images."""
    stays = np.ones(len(records.images), bool)
    stays[places] = False
    kept = stays[records.image]
    _, rows = taken(_offsets(records), np.flatnonzero(kept))
    before = np.concatenate([[0], np.cumsum(kept)])
    return replace(
        records,
        images=records.images[stays],
        starts=before[records.starts].astype(np.int64),
        image=(np.cumsum(stays) - 1)[records.image[kept]].astype(np.int32),
        guesses=records.guesses[kept],
        counted=records.counted[kept],
        score=records.score[rows],
        matched=records.matched[rows],
        ignored=records.ignored[rows],
        row=None if records.row is None else records.row[rows],
    )


def _offsets(records: Records) -> np.ndarray:
    """The first guess of each cell, and the end."""
    first: np.ndarray = np.concatenate([[0], np.cumsum(records.guesses, dtype=np.int64)])
    return first
