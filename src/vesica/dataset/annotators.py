"""Data sets of several annotators as one: images and categories that meet, and who was asked for what."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from vesica._array import objects
from vesica._check import annotators as check
from vesica.dataset.assignments import Assignments, rounds_and_dates
from vesica.dataset.category_names import labels_of
from vesica.dataset.concat import columns_of_rows
from vesica.dataset.ids import table_of, together
from vesica.dataset.picture_names import file_of, stem_of
from vesica.dataset.tables import Categories, Images


def columns_of_annotators(given: Mapping[Any, Any], /) -> dict[str, Any]:
    """What the fields of a data set are that has the rows of all, one annotator after the other."""
    people, parts = check.parts(given)
    check.scored_alike(people, parts)
    keys, images_by = _image_keys(people, parts)
    images, image_of = _images(people, parts, keys)
    categories, category_of = _categories(people, parts)
    notes = [f"{who}: {note}" for who, part in zip(people, parts, strict=True) for note in part.notes]
    if images_by != "id":
        notes.append(f"images of the annotators were joined by {images_by}")
    counts = [len(part) for part in parts]
    return {
        "images": images,
        "categories": categories,
        "image": np.concatenate([of[part.image] for of, part in zip(image_of, parts, strict=True)]),
        "category": np.concatenate([of[part.category] for of, part in zip(category_of, parts, strict=True)]),
        "annotator": np.repeat(np.arange(len(parts)), counts),
        "annotators": objects(people),
        "assignments": _assignments(parts, image_of),
        "notes": tuple(notes),
        **columns_of_rows(parts),
    }


# Images.


def _image_keys(people: list[Any], parts: list[Any]) -> tuple[list[list[Any]], str]:
    """What is the same for pictures that are one, and by what that is.

    Where all have names, the first way of comparing names by which everyone shares an image with somebody else; by the
    whole name if there is none. Else by id.
    """
    texts = [_texts(part.images) for part in parts]
    if any(own is None for own in texts):
        return [part.images.ids.tolist() for part in parts], "id"
    known = [own for own in texts if own is not None]
    ways: dict[str, Callable[[str], str]] = {"name": str, "file name": file_of, "stem": stem_of}
    found = {way: [[key_of(one) for one in own] for own in known] for way, key_of in ways.items()}
    sound = {way: keys for way, keys in found.items() if all(len(set(own)) == len(own) for own in keys)}
    check.names_once(people, known, "name" in sound)
    way = next((way for way, keys in sound.items() if _all_share(keys)), "name")
    is_id = way == "name" and all(part.images.ids.dtype == object or not len(part.images) for part in parts)
    return found[way], "id" if is_id or _ids_agree(parts, found[way]) else way


def _texts(images: Images) -> list[str] | None:
    """The name of each picture, or its id where that is a string and there is no name; None if one has neither."""
    ids = images.ids.tolist()
    names = [None] * len(ids) if images.names is None else images.names.tolist()
    texts = [[one for one in pair if isinstance(one, str)] for pair in zip(names, ids, strict=True)]
    return [own[0] for own in texts] if all(texts) else None


def _all_share(keys: Sequence[Sequence[Any]]) -> bool:
    """Has everyone an image that somebody else has?"""
    sets = [set(own) for own in keys]
    if len(sets) == 1:
        return True
    return all(any(own & other for k, other in enumerate(sets) if k != place) for place, own in enumerate(sets) if own)


def _ids_agree(parts: list[Any], keys: list[list[Any]]) -> bool:
    """Do ids join the same images as the keys?"""
    id_of: dict[Any, Any] = {}
    key_of: dict[Any, Any] = {}
    for part, own in zip(parts, keys, strict=True):
        for id, key in zip(part.images.ids.tolist(), own, strict=True):
            if id_of.setdefault(key, id) != id or key_of.setdefault(id, key) != key:
                return False
    return True


def _images(people: list[Any], parts: list[Any], keys: list[list[Any]]) -> tuple[Images, list[np.ndarray]]:
    """The table of all images in the order in which they first come, and where those of each part are in it."""
    place_of: dict[Any, int] = {}
    image_of = [_numbered(own, place_of) for own in keys]
    count = len(place_of)
    columns = {name: _first_told(parts, image_of, count, name) for name in ("ids", "names", "group", "batch")}
    ids = columns["ids"]
    assert ids is not None
    told = ids.tolist()
    is_clear = len(set(told)) == count
    if not is_clear:  # two pictures had one id: they are called by their keys
        ids = objects(place_of)
    elif all(isinstance(id, int) and abs(id) < 2**63 for id in told):
        ids = np.array(told, np.int64)
    height, width = _sizes(people, parts, image_of, ids)
    for name in ("group", "batch"):
        for who, part, where in zip(people, parts, image_of, strict=True):
            check.one_word(name, columns[name], getattr(part.images, name), where, ids, who)
    return Images(ids, height, width, columns["names"], group=columns["group"], batch=columns["batch"]), image_of


def _numbered(keys: list[Any], place_of: dict[Any, int]) -> np.ndarray:
    """The place of each key; those that are new go behind the others."""
    return np.array([place_of.setdefault(key, len(place_of)) for key in keys], np.int64)


def _first_told(parts: list[Any], image_of: list[np.ndarray], count: int, name: str) -> np.ndarray | None:
    """A column of all images: for each what the first part says that has it and says something."""
    column = np.full(count, None, object)
    for part, where in reversed(list(zip(parts, image_of, strict=True))):
        given = getattr(part.images, name)
        if given is not None:
            told = objects(given.tolist())
            says = np.array([one is not None for one in told.tolist()], bool)
            column[where[says]] = told[says]
    return None if all(one is None for one in column.tolist()) and name != "ids" else column


def _sizes(people: list[Any], parts: list[Any], image_of: list[np.ndarray], ids: np.ndarray) -> tuple[Any, Any]:
    """Heights and widths, 0 where no part has them; None if no part has any."""
    known = np.zeros((len(ids), 2), np.int64)
    for who, part, where in zip(people, parts, image_of, strict=True):
        own = part.images.sizes
        check.one_size(known[where], own, ids[where] if len(where) else ids[:0], who)
        known[where] = np.where(own > 0, own, known[where])
    return (known[:, 0].copy(), known[:, 1].copy()) if known.any() else (None, None)


# Categories.


def _categories(people: list[Any], parts: list[Any]) -> tuple[Categories, list[np.ndarray]]:
    """The table of all categories, and where those of each part are in it: by name; by id where nobody has names."""
    labels = [labels_of(part.categories) if len(part.categories) else np.empty(0, object) for part in parts]
    check.all_named(people, labels, parts)
    if all(own is None for own in labels if own is None or len(own)):
        ids, where = table_of(together([part.categories.ids for part in parts]))
        return Categories(ids), np.split(where, np.cumsum([len(part.categories) for part in parts])[:-1])
    own_labels = [own.tolist() if own is not None else [] for own in labels]
    for who, own in zip(people, own_labels, strict=True):
        check.category_once(who, own)
    place_of: dict[Any, int] = {}
    category_of = [_numbered(own, place_of) for own in own_labels]
    id_of: dict[Any, Any] = {}
    for part, own in zip(parts, own_labels, strict=True):
        for label, id in zip(own, part.categories.ids.tolist(), strict=True):
            id_of.setdefault(label, id)
    told = list(id_of.values())
    ids = objects(told if len(set(told)) == len(told) else id_of)  # two with one id are called by their names
    if all(isinstance(id, int) and abs(id) < 2**63 for id in ids.tolist()):
        ids = ids.astype(np.int64)
    return Categories(ids, objects(place_of)), category_of


def _assignments(parts: list[Any], image_of: list[np.ndarray]) -> Assignments:
    """What each was asked for: what their own data set says, or else all its images."""
    given = [
        Assignments(np.arange(len(part.images)), np.zeros(len(part.images), np.int64))
        if part.assignments is None
        else part.assignments
        for part in parts
    ]
    image = [where[own.image] for own, where in zip(given, image_of, strict=True)]
    annotator = np.repeat(np.arange(len(parts)), [len(own) for own in given])
    return Assignments(np.concatenate(image), annotator, *rounds_and_dates(given))
