"""What a COCO file has beside the columns of a data set: info, licences, key points, attributes, and so on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from vesica.dataset import Dataset, SourceFile
from vesica.errors import InputError
from vesica.io.files import load

Record = dict[str, Any]

_READ = {
    "images": {"id", "width", "height", "file_name", "neg_category_ids", "not_exhaustive_category_ids"},
    "categories": {"id", "name", "supercategory", "frequency"},
    "annotations": {"id", "image_id", "category_id", "bbox", "area", "segmentation", "iscrowd", "ignore", "score"},
}
"""The keys that are columns, and are written from them."""
_OF_PEOPLE = {"annotations": {"annotator", "round"}, "file": {"annotators", "assignments"}}
"""The same where annotators were read."""
_WRITTEN_OF_RESULTS = {"image_id", "category_id", "bbox", "segmentation", "score"}


class Rest(NamedTuple):
    """Keys and values that are to be written as they were read. A list that is None has nothing of that kind."""

    top: Record
    images: list[Record] | None = None
    categories: list[Record] | None = None
    annotations: list[Record] | None = None
    notes: tuple[str, ...] = ()


def rest_of(data: Dataset, /, *, results: bool) -> Rest:
    """What is to be written beside the columns into a truth file, or into one of results."""
    if data.source is None:
        return Rest({})
    if not data.source.is_as_it_was:
        return Rest({}, notes=(f"{data.source.path} has changed since: nothing but boxes, masks and names is kept",))
    try:
        value = load(data.source.path).json()
    except InputError as error:
        return Rest({}, notes=(f"nothing but boxes, masks and names is kept: {error}",))
    return _of_results(data, value) if results else _of_truths(data, value, data.source)


def _of_truths(data: Dataset, value: Any, source: SourceFile) -> Rest:
    if not isinstance(value, dict):  # of results whose scores were taken away
        return Rest({}, annotations=_of_rows(data, value, _READ["annotations"])[0])
    images, other_images = _of_table(value, "images", data.images.ids, source.image_ids)
    categories, other_categories = _of_table(value, "categories", data.categories.ids, source.category_ids)
    has_people = data.annotator is not None or data.assignments is not None
    known = _READ["annotations"] | (_OF_PEOPLE["annotations"] if has_people else set())
    annotations, other_rows = _of_rows(data, value["annotations"], known)
    top = {
        key: found
        for key, found in value.items()
        if key not in _READ and not (has_people and key in _OF_PEOPLE["file"])
    }
    return Rest(top, images, categories, annotations, (*other_images, *other_categories, *other_rows))


def _of_table(
    value: Record, name: str, ids: np.ndarray, known: np.ndarray
) -> tuple[list[Record] | None, tuple[str, ...]]:
    """What belongs to each image or category, and what is lost because the table is another one."""
    found = _beside(value.get(name, []), _READ[name])
    if found is None or (len(found) == len(ids) and np.array_equal(ids, known)):
        return found, ()
    return None, (f"{name} are others than in the file, so these keys are lost: {_counted(found)}",)


def _of_results(data: Dataset, value: Any) -> Rest:
    if isinstance(value, list):
        annotations, notes = _of_rows(data, value, _WRITTEN_OF_RESULTS)
        return Rest({}, annotations=annotations, notes=notes)
    annotations, notes = _of_rows(data, value["annotations"], _READ["annotations"])
    top = ", ".join(f'"{key}"' for key in value if key not in _READ)
    lost = [f"results of COCO have no place for {top}"] if top else []
    for name in ("images", "categories"):
        if counted := _counted(_beside(value.get(name, []), _READ[name])):
            lost.append(f"results of COCO have no place for what {name} have: {counted}")
    return Rest({}, annotations=annotations, notes=(*lost, *notes))


def _of_rows(data: Dataset, records: list[Record], known: set[str]) -> tuple[list[Record] | None, tuple[str, ...]]:
    """What belongs to each row, and what is lost because its row is not known."""
    found = _beside(records, known)
    if data.record is not None:
        return None if found is None else [found[k] for k in data.record.tolist()], ()
    if len(records) == len(data):
        return found, ()
    lost = _counted(found)
    return None, (f"rows are others than in the file, so these keys are lost: {lost}",) if lost else ()


def _beside(records: list[Record], known: set[str]) -> list[Record] | None:
    """What records have beside the known keys; None if no record has anything."""
    found = [{key: value for key, value in record.items() if key not in known} for record in records]
    return found if any(found) else None


def _counted(found: list[Record] | None) -> str:
    """Keys, and how many records have them."""
    counts: dict[str, int] = {}
    for key in _keys(found or []):
        counts[key] = counts.get(key, 0) + 1
    return ", ".join(f'"{key}" ({count})' for key, count in counts.items())


def _keys(records: list[Record]) -> Iterator[str]:
    for record in records:
        yield from record
