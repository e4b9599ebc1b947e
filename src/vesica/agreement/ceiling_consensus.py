"""The consensus of all annotators but one, for each of them, as annotators of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from vesica._array import objects
from vesica.agreement.annotations import annotations_of
from vesica.agreement.policy import AgreementPolicy
from vesica.agreement.records import records_of
from vesica.agreement.result import AgreementResult
from vesica.dataset import Dataset
from vesica.dataset.assignments import Assignments
from vesica.dataset.concat import columns_of_rows

LEAST = 2
"""Others whose consensus is more than what one of them drew."""
_PLAIN: dict[str, Any] = dict.fromkeys(
    ("score", "id", "source", "record", "attributes", "area", "crowd", "ignore", "annotator", "assignments", "round")
)


def with_consensus(data: Dataset, policy: AgreementPolicy, /, **options: Any) -> tuple[Dataset, dict[Any, str]]:
    """The data set, whose last annotator is a model, with the consensus of all others for each annotator: as annotators
    more, who were asked for the images of that annotator that two others were asked for too. And their names.

    What was drawn in the first round counts. `options` are those of annotations.
    """
    people, model = data.annotators.tolist(), len(data.annotators) - 1
    found = [_of_others(data, who, model, policy, options) for who in range(model)]
    names = [f"consensus without {who!r}" for who in people[:model]]
    parts = [replace(part, **_PLAIN) for part, _ in found]
    asked = data.assignments
    assert asked is not None
    assert data.annotator is not None
    counts, images = [len(part) for part in parts], [own for _, own in found]
    places = np.arange(model) + len(people)
    whole = replace(
        data,
        image=np.concatenate([data.image, *(part.image for part in parts)]),
        category=np.concatenate([data.category, *(part.category for part in parts)]),
        annotator=np.concatenate([data.annotator, np.repeat(places, counts)]),
        annotators=objects([*people, *names]),
        assignments=Assignments(
            np.concatenate([asked.image, *images]),
            np.concatenate([asked.annotator, np.repeat(places, [len(own) for own in images])]),
            np.concatenate([asked.rounds, np.zeros(sum(map(len, images)), np.int64)]),
        ),
        **columns_of_rows([data, *parts]),
    )
    return whole, dict(zip(people[:model], names, strict=True))


def _of_others(
    data: Dataset, who: int, model: int, policy: AgreementPolicy, options: dict[str, Any]
) -> tuple[Dataset, np.ndarray]:
    """What the others agree on, and the images that it is of."""
    asked = data.assignments
    assert asked is not None
    assert data.annotator is not None
    is_first = asked.rounds == 0
    others = is_first & (asked.annotator != who) & (asked.annotator != model)
    count = np.bincount(asked.image[others], minlength=len(data.images))
    own = np.unique(asked.image[is_first & (asked.annotator == who)])
    images = own[count[own] >= LEAST]
    chosen = np.flatnonzero(others & np.isin(asked.image, images))
    is_row = (data.annotator != who) & (data.annotator != model) & np.isin(data.image, images)
    if data.round is not None:
        is_row &= data.round == 0
    part = replace(
        data.rows(np.flatnonzero(is_row)),
        assignments=Assignments(asked.image[chosen], asked.annotator[chosen]),
        round=None,
    )
    drawn = annotations_of(part, **options)
    result = AgreementResult(records_of(drawn, policy, threads=options["threads"]), drawn, (), options["threads"])
    return result.consensus().data, images
