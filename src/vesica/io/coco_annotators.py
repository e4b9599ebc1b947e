"""Annotators of a COCO file, which has no place of its own for them: who marked each object, and who was asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from vesica._check import brief
from vesica._check.dataset import ids as check_ids
from vesica.dataset import Dataset
from vesica.dataset.assignments import annotators_of, assignments_of
from vesica.dataset.ids import places
from vesica.errors import InputError
from vesica.io import json_fields as check
from vesica.io.files import File

KEYS = (
    *("annotator", "annotator_id", "annotated_by", "completed_by", "created_by"),
    *("worker_id", "worker", "rater_id", "rater", "user_id", "user", "author"),
)
"""What the key of an annotation is called where files have one; the first that occurs counts."""


def annotated(data: Dataset, file: File, key: str | bool, /) -> Dataset:
    """The same with annotators, rounds and assignments.

    An annotation has its annotator under `key`, or in its "attributes": a name, an id, or an object with an "id". True
    looks for the usual keys. A list of "annotators" beside the annotations gives names to ids, and one of "assignments"
    tells who was asked: objects of "image_id", "annotator", and where there are any "round" and "date".
    """
    whole = check.fields(file.json(), file.name)
    records = whole["annotations"]
    records = records if data.record is None else [records[k] for k in data.record.tolist()]
    key = _key(records, whole, key, file.name)
    names = _names(whole.get("annotators"), file.name)
    who = [_annotator(one, key, row, file.name, names) for row, one in enumerate(records)]
    rows = check_ids(who, "annotator") if who else np.empty(0, object)
    told = None if "assignments" not in whole else _assignments(whole["assignments"], file.name, names)
    people = annotators_of(list(names.values()) if names else None, rows, told)
    try:
        return replace(
            data,
            annotator=places(rows, people).astype(np.int64),
            annotators=people,
            round=_rounds(records, file.name),
            assignments=None if told is None else assignments_of(told, data.images.ids, people),
        )
    except (ValueError, TypeError) as error:
        raise InputError(f"{file.name}: {error}") from error


def _key(records: list[Any], whole: dict[str, Any], key: str | bool, name: str) -> str:
    if isinstance(key, str):
        return key
    found = next((one for one in KEYS if any(_said(record, one) is not None for record in records)), None)
    if found is None and (records or "assignments" not in whole):
        raise InputError(
            f"{name}: no annotation says who made it, under {', '.join(KEYS[:5])} or the like. Say the key, "
            "`annotator=KEY`, or give one file for each annotator."
        )
    return found or KEYS[0]


def _said(record: dict[str, Any], key: str) -> Any:
    """What an annotation says under a key, itself or among its attributes."""
    value = record.get(key)
    attributes = record.get("attributes")
    return attributes.get(key) if value is None and isinstance(attributes, dict) else value


def _annotator(record: dict[str, Any], key: str, row: int, name: str, names: dict[Any, Any]) -> int | str:
    place = f'{name}, annotation {row}: "{key}"'
    found = _said(record, key)
    if found is None:
        raise InputError(f"{place} must say who made it, as it does elsewhere; it is missing.")
    return _known(found, place, names)


def _known(value: Any, place: str, names: dict[Any, Any]) -> int | str:
    """An annotator by name, if the file has names."""
    value = value.get("id") if isinstance(value, dict) else value
    own = check.id_of(value, place)
    if not names or own in names.values():
        return own
    if own not in names:
        raise InputError(f"{place} must be one of the {len(names)} annotators; got {brief(own)}.")
    found: int | str = names[own]
    return found


def _names(given: Any, name: str) -> dict[Any, Any]:
    """Names by id, from a list of objects of "id" and "name", or of names alone."""
    if given is None:
        return {}
    names: dict[Any, Any] = {}
    for row, one in enumerate(check.listed(given, f'{name}: "annotators"')):
        place = f"{name}, annotator {row}"
        own = check.id_of(one.get("id", one.get("name")) if isinstance(one, dict) else one, place)
        if own in names:
            raise InputError(f"{place}: {brief(own)} is there twice.")
        names[own] = check.id_of(one.get("name", own) if isinstance(one, dict) else one, place)
    if len(set(names.values())) != len(names):
        return {own: own for own in names}  # two are called alike: ids tell them apart
    return names


def _rounds(records: list[Any], name: str) -> np.ndarray | None:
    given = [record.get("round") for record in records]
    if all(one is None for one in given):
        return None
    return np.array([_round(one, f"{name}, annotation {row}") for row, one in enumerate(given)], np.int64)


def _round(value: Any, place: str) -> int:
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise InputError(f'{place}: "round" must be a whole number from 0; got {brief(value)}.')
    return value


def _assignments(given: Any, name: str, names: dict[Any, Any]) -> dict[str, Any]:
    """Columns of images, annotators, rounds and dates."""
    image, people, rounds, dates = [], [], [], []
    for row, one in enumerate(check.listed(given, f'{name}: "assignments"')):
        place = f"{name}, assignment {row}"
        record = check.fields(one, place)
        image.append(check.id_of(record.get("image_id"), f'{place}: "image_id"'))
        found = next((record[key] for key in KEYS if key in record), None)
        people.append(_known(found, f'{place}: "annotator"', names))
        rounds.append(_round(record.get("round"), place))
        dates.append(record.get("date"))
    return {
        "image": image,
        "annotator": people,
        "round": rounds if any(rounds) else None,
        "date": dates if any(dates) else None,
    }
