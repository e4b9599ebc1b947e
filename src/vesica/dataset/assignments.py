"""Assignments: which annotator was asked for which image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica._answer import Answer
from vesica._array import objects
from vesica._check import assignments as check
from vesica._check import dataset as check_dataset
from vesica.dataset.ids import places, table_of, together


@dataclass(frozen=True, eq=False, repr=False)
class Assignments(Answer):
    """Who was asked for which image, also where nothing was marked. Without a row here nobody was asked.

    Attributes
    ----------
    image, annotator : (A,) int64: places in `Dataset.images` and `Dataset.annotators`
    round : (A,) int64, or None: which time an annotator was asked for the same image; without it all are round 0
    date : (A,) objects, or None: when
    """

    image: np.ndarray
    annotator: np.ndarray
    round: np.ndarray | None = None
    date: np.ndarray | None = None

    def __post_init__(self) -> None:
        check.columns(self)
        for column in vars(self).values():
            if column is not None:
                column.setflags(write=False)

    def __len__(self) -> int:
        return len(self.image)

    def __getitem__(self, rows: Any) -> Assignments:
        chosen: dict[str, Any] = {name: None if column is None else column[rows] for name, column in vars(self).items()}
        return Assignments(**chosen)

    @property
    def rounds(self) -> np.ndarray:
        """(A,) int64: the round of each row; 0 where none were given."""
        return np.zeros(len(self), np.int64) if self.round is None else self.round


def assignments_of(given: Any, image_ids: np.ndarray, annotators: np.ndarray, /) -> Assignments:
    """The assignments that a caller means: "all", a dict of columns of ids, or a list of tuples of ids.

    What is said twice counts once.
    """
    if isinstance(given, str):
        check.everyone(given)
        images, people = len(image_ids), len(annotators)
        return Assignments(np.repeat(np.arange(images), people), np.tile(np.arange(people), images))
    columns = assignment_columns(given)
    image, annotator = places(columns["image"], image_ids), places(columns["annotator"], annotators)
    check_dataset.known(image, columns["image"], "image", "images", "assignments")
    check_dataset.known(annotator, columns["annotator"], "annotator", "annotators", "assignments")
    return _once(image.astype(np.int64), annotator.astype(np.int64), columns["round"], columns["date"])


def annotators_of(given: Any, rows: np.ndarray | None, assignments: Any, /) -> np.ndarray:
    """The table of annotators: the one that is given, or else all that have a row or an assignment, rising."""
    if given is not None:
        return check_dataset.different(check_dataset.ids(given, "annotators"), "annotators").astype(object)
    told = [] if rows is None else [rows]
    if assignments is not None and not isinstance(assignments, str):
        told.append(assignment_columns(assignments)["annotator"])
    return table_of(together(told))[0].astype(object) if told else np.empty(0, object)


def assignment_columns(given: Any, /) -> dict[str, Any]:
    """Ids of images and annotators, and where there are any rounds and dates."""
    if isinstance(given, Mapping):
        columns = check.named(given)
    else:
        columns = dict(zip(("image", "annotator", "round"), check.listed(given), strict=False))
    image, annotator = (check_dataset.ids(columns[name], f"{name} of assignments") for name in ("image", "annotator"))
    count = len(image)
    check_dataset.one_for_each(annotator, count, "annotator of assignments")
    rounds, date = columns.get("round"), columns.get("date")
    if rounds is not None:
        rounds = check.rounds(rounds, count, "round of assignments")
    if date is not None:
        check_dataset.one_for_each(date, count, "date of assignments")
        date = objects(np.asarray(date).tolist() if isinstance(date, np.ndarray) else date)
    return {"image": image, "annotator": annotator, "round": rounds, "date": date}


def _once(image: np.ndarray, annotator: np.ndarray, rounds: np.ndarray | None, date: np.ndarray | None) -> Assignments:
    """Each assignment once, in the order in which they were first told; two dates of one are an error."""
    keys = np.stack([image, annotator, np.zeros_like(image) if rounds is None else rounds], axis=1)
    _, first, same = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    if date is not None:
        check.one_date(date, first[same.reshape(-1)])
    first = np.sort(first)
    return Assignments(
        image[first],
        annotator[first],
        None if rounds is None else rounds[first],
        None if date is None else date[first],
    )


def joined(parts: Sequence[Assignments], first: Sequence[int], place_of: Sequence[np.ndarray], /) -> Assignments:
    """Assignments one after the other: images of each part begin at `first`, its annotators are at `place_of`."""
    image = [part.image + start for part, start in zip(parts, first, strict=True)]
    annotator = [where[part.annotator] for part, where in zip(parts, place_of, strict=True)]
    return Assignments(np.concatenate(image), np.concatenate(annotator), *rounds_and_dates(parts))


def rounds_and_dates(parts: Sequence[Assignments], /) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Both columns of all parts; None where no part has one."""
    has_round, has_date = (any(getattr(part, name) is not None for part in parts) for name in ("round", "date"))
    dates = [np.full(len(part), None, object) if part.date is None else part.date for part in parts]
    return (
        np.concatenate([part.rounds for part in parts]) if has_round else None,
        np.concatenate(dates) if has_date else None,
    )
