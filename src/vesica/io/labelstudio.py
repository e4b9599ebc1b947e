"""Label Studio's JSON: a list of tasks, each with the annotations of one or several people, in percent of the image."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from vesica._check import brief
from vesica.dataset import Dataset, Images
from vesica.dataset.picture_names import PICTURES
from vesica.errors import InputError
from vesica.io import json_fields as check
from vesica.io.labelstudio_shapes import NOTES, Region, mark_of, regions_of
from vesica.io.marks import Asked, Mark, dataset_of, images_of, left_out
from vesica.io.options import Options
from vesica.io.source import Reading, Source

_LISTS = ("annotations", "completions", "predictions")
_NOTES = {
    "cancelled": "{} cancelled annotations were left out: nobody was asked there",
    "bare": "{} tasks without an annotation were left out: nobody was asked there",
    "unguessed": "{} tasks without a prediction were left out",
    "unread": "{} predictions, which are guesses of models, were not read",
    **NOTES,
}


class _Answer(NamedTuple):
    """What one person, or one model, said of one task."""

    regions: list[Any]
    place: str
    annotator: int | str | None
    id: Any
    date: str | None
    score: Any = None


def read(source: Source, options: Options, /) -> Reading:
    """Tasks with their annotations, or with the guesses of models; of one export or of several."""
    what = "predictions of Label Studio" if options.predictions else "Label Studio"
    if source.loaded is None and (len(source.files) > 1 or source.packed):
        data = _joined({path: tasks_of(content, path, options) for path, content in source.contents()})
        return Reading(data, "percent of the image", f"{len(source.files)} files of {what}")
    return Reading(tasks_of(source.file.data, source.name, options), "percent of the image", what)


def _joined(parts: dict[str, Dataset]) -> Dataset:
    """Exports of several projects, which have different tasks."""
    seen: dict[Any, str] = {}
    for path, part in parts.items():
        for id in part.images.ids.tolist():
            if seen.setdefault(id, path) != path:
                raise InputError(f"{path}: the task {brief(id)} is in {seen[id]} too. Export each task once.")
    notes = tuple(f"{os.path.basename(path)}: {note}" for path, part in parts.items() for note in part.notes)
    return replace(Dataset.joined(list(parts.values())), notes=notes)


def tasks_of(data: bytes, name: str, options: Options, /) -> Dataset:
    """The objects of an export, full or JSON-MIN.

    A task is an image. Whoever completed an annotation was asked for it, also if nothing was marked; cancelled
    annotations and tasks without one count as not asked. Of an annotator the id is kept alone.
    """
    counted: Counter[str] = Counter()
    table = _Tasks(name, check.listed(check.document(data, name), name))
    answers: list[tuple[int, _Answer]] = []
    for task in table:
        found = list(_answers(task, options.predictions, counted))
        counted["unguessed" if options.predictions else "bare"] += not found
        answers += [(image, one) for image in [table.place_of(task)] for one in found] if found else []
    _check_annotators([answer for _, answer in answers])

    marks: list[Mark] = []
    asked: list[Asked] = []
    times: Counter[Any] = Counter()
    for image, answer in answers:
        if answer.annotator is not None:
            asked.append(Asked(image, answer.annotator, times[image, answer.annotator], answer.date))
            times[image, answer.annotator] += 1
        regions = regions_of(answer.regions, answer.place, counted)
        table.sized(image, regions)
        for region in regions:
            mark = mark_of(region, image, table.size_of(image), counted)
            if mark is not None:
                turn = asked[-1].round if asked else 0
                score = _score(region, answer) if options.predictions else None
                marks.append(
                    mark._replace(annotator=answer.annotator, round=turn, id=_own_id(answer, region), score=score)
                )
    return dataset_of(table.images(), marks, options, asked=asked or None, notes=left_out(counted, _NOTES))


def _check_annotators(answers: list[_Answer]) -> None:
    """All answers say who gave them, or none does."""
    unknown = next((answer for answer in answers if answer.annotator is None), None)
    if unknown is not None and any(answer.annotator is not None for answer in answers):
        raise InputError(f"{unknown.place}: it does not say who completed it, and other annotations do.")


def _own_id(answer: _Answer, region: Region) -> str | None:
    """Ids of regions are unique in an annotation alone: tools copy them from one to the other."""
    return None if answer.id is None or region.id is None else f"{answer.id}/{region.id}"


# Tasks.


class _Task(NamedTuple):
    fields: dict[str, Any]
    place: str
    is_min: bool


class _Tasks:
    """The tasks of a file, and the images that they are about: in JSON-MIN several tasks may be of one."""

    def __init__(self, name: str, tasks: list[Any]) -> None:
        self._tasks = [self._task(one, f"{name}, task {k}") for k, one in enumerate(tasks)]
        given = ["id" in task.fields for task in self._tasks]
        if any(given) and not all(given):
            raise InputError(f"{self._tasks[given.index(False)].place}: has no `id`, and other tasks have.")
        self._is_named = not any(given)
        self._place: dict[Any, int] = {}
        self._names: list[str | None] = []
        self._sizes: list[tuple[int, int] | None] = []

    @staticmethod
    def _task(value: Any, place: str) -> _Task:
        found = check.fields(value, place)
        place = f"{place} (id {brief(found['id'])})" if isinstance(found.get("id"), (int, str)) else place
        is_min = "data" not in found and not any(isinstance(found.get(key), list) for key in _LISTS[:2])
        return _Task(found, place, is_min)

    def __iter__(self) -> Iterator[_Task]:
        return iter(self._tasks)

    def place_of(self, task: _Task) -> int:
        """The place of the task's image."""
        picture = _picture(task.fields if task.is_min else check.fields(task.fields.get("data", {}), task.place))
        id = (picture or task.place) if self._is_named else check.id_of(task.fields["id"], f"{task.place}: `id`")
        if id in self._place and not (task.is_min and "annotator" in task.fields):
            raise InputError(f"{task.place}: another task has the id {brief(id)} too.")
        if id not in self._place:
            self._place[id] = len(self._place)
            self._names.append(picture)
            self._sizes.append(None)
        return self._place[id]

    def sized(self, image: int, regions: list[Region]) -> None:
        """Take the size of an image from its shapes, which must not differ."""
        for region in regions:
            size, known = region.size, self._sizes[image]
            if size is not None and known is not None and size != known:
                raise InputError(
                    f"{region.place}: the image is of {size[0]}×{size[1]} pixels (height × width), "
                    f"and another shape says {known[0]}×{known[1]}."
                )
            self._sizes[image] = size or known

    def size_of(self, image: int) -> tuple[int, int] | None:
        return self._sizes[image]

    def images(self) -> Images:
        return images_of(list(self._place), self._sizes, self._names)


def _picture(data: dict[str, Any]) -> str | None:
    """The picture of a task: under its usual key, or the first text that ends as pictures do."""
    texts = {key: value for key, value in data.items() if isinstance(value, str)}
    usual = next((texts[key] for key in ("image", "img", "image_url") if key in texts), None)
    pictures = (text for text in texts.values() if text.lower().endswith(tuple(PICTURES)))
    return usual or next(pictures, None)


# Annotations.


def _answers(task: _Task, predictions: bool, counted: Counter[str]) -> Iterator[_Answer]:
    """The annotations of a task that were not cancelled, or the guesses of models."""
    if task.is_min:
        if not predictions:
            yield _answer_of_min(task)
        return
    key = "predictions" if predictions else "annotations" if "annotations" in task.fields else "completions"
    found = check.listed(task.fields.get(key) or [], f"{task.place}: `{key}`")
    guesses = task.fields.get("predictions")
    counted["unread"] += len(guesses) if isinstance(guesses, list) and not predictions else 0
    told = [_answer(one, f"{task.place}, {key[:-1]} {k}", predictions) for k, one in enumerate(found)]
    answers = [one for one in told if one is not None]
    counted["cancelled"] += len(told) - len(answers)
    if len(answers) > 1 and any(one.annotator is None for one in answers):
        who = "model_version" if predictions else "completed_by"
        raise InputError(f"{task.place} has {len(answers)} {key}, and no `{who}` says whose each is.")
    yield from answers


def _answer(value: Any, place: str, is_guess: bool) -> _Answer | None:
    found = check.fields(value, place)
    id = found.get("id")
    place = f"{place} (id {brief(id)})" if isinstance(id, (int, str)) else place
    if found.get("was_cancelled") or found.get("skipped"):
        return None
    who = _person(found.get("model_version" if is_guess else "completed_by"), place)
    regions = check.listed(found.get("result", []), f"{place}: `result`")
    date = found.get("updated_at") or found.get("created_at")
    return _Answer(regions, place, who, id, date if isinstance(date, str) else None, found.get("score"))


def _person(value: Any, place: str) -> int | str | None:
    """The id of an annotator; who it is beside that, such as a name or an address, is not kept."""
    if isinstance(value, dict):
        value = value.get("id")
        if value is None:
            raise InputError(f"{place}: whoever completed it must have an `id`.")
    return None if value is None else check.id_of(value, f"{place}: who completed it")


def _answer_of_min(task: _Task) -> _Answer:
    """A task of JSON-MIN is one annotation; lists of objects in it are its shapes."""
    found = task.fields
    regions = [
        {"type": _type_of(one), "value": one, "from_name": key}
        for key, value in found.items()
        if isinstance(value, list)
        for one in value
        if isinstance(one, dict)
    ]
    who = found.get("annotator", found.get("completed_by"))
    date = found.get("updated_at") or found.get("created_at")
    id = found.get("annotation_id")
    return _Answer(regions, task.place, _person(who, task.place), id, date if isinstance(date, str) else None)


def _type_of(value: dict[str, Any]) -> str:
    return next((key for key in value if key.endswith("labels")), "rectangle")


def _score(region: Region, answer: _Answer) -> float | None:
    """Its own, or that of the whole prediction."""
    score = answer.score if region.score is None else region.score
    return None if score is None else check.number(score, f"{region.place}: `score`")
