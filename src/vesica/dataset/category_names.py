"""Names of categories: which category of the guess is which of the truth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vesica._check import meeting as check
from vesica.dataset.coco_classes import COCO_CLASSES
from vesica.dataset.ids import places
from vesica.dataset.meeting import Found, Remark
from vesica.dataset.tables import Categories

_FEWEST = 8
"""Pairs of a guess and a truth that say something of how categories are numbered."""


def meet(truth: Any, guess: Any, by_id: Found, asked: Any, images: np.ndarray, /) -> Found:
    """The categories of the guess in the table of the truth, by the way that was asked for or by the rule.

    Both sides have names: by name. One has: by id, and ids without a name must be among those with one.
    `images` are the places of the guess's images in the truth.
    """
    asked = check.way(asked)
    ours, theirs = labels_of(truth.categories), labels_of(guess.categories)
    if isinstance(asked, Mapping):
        return _by_mapping(truth, guess, asked)
    if asked == "name":
        check.both_named(ours, theirs)
    if ours is not None and theirs is not None:
        return _by_name(truth, guess)
    if ours is not None:
        return _without_names_in_guess(truth, guess, by_id, images)
    if theirs is not None:
        _look_inside(truth, guess)
    return by_id


def labels_of(table: Categories, /) -> np.ndarray | None:
    """What each category is called; None unless all have a name, or an id that is one."""
    if table.names is None and table.ids.dtype != object:
        return None
    labels = check.called(table)
    return labels if all(isinstance(one, str) for one in labels.tolist()) else None


# By name.


def _by_name(truth: Any, guess: Any) -> Found:
    found = _named_alike(truth, guess)
    return Found(found, "name", _where_ids_differ(truth.categories, guess, found))


def _named_alike(truth: Any, guess: Any) -> np.ndarray:
    """The category of the truth that has the name of each category of the guess, and its id too where several have."""
    ours, theirs = (check.called(side.categories).tolist() for side in (truth, guess))
    same_id = places(guess.categories.ids, truth.categories.ids).tolist()
    place_of = {name: place for place, name in enumerate(ours)}
    found = np.array(
        [
            at if at >= 0 and ours[at] == name else place_of.get(name, -1)
            for at, name in zip(same_id, theirs, strict=True)
        ],
        np.int64,
    )
    by_name_alone = (found >= 0) & (found != np.array(same_id, np.int64)) & _used(guess)
    for place in np.flatnonzero(by_name_alone).tolist():
        check.named_once(ours, theirs[place], "truth")
        check.named_once(theirs, theirs[place], "guess")
    return found


def _where_ids_differ(truth: Categories, guess: Any, found: np.ndarray) -> tuple[Remark, ...]:
    ours, theirs = truth.ids.tolist(), guess.categories.ids.tolist()
    differs = np.array([at >= 0 and ours[at] != id for at, id in zip(found.tolist(), theirs, strict=True)], bool)
    return _remark("name, because ids differ", truth, guess, found, differs)


def _remark(how: str, truth: Categories, guess: Any, found: np.ndarray, differs: np.ndarray) -> tuple[Remark, ...]:
    """What happened to guesses whose category has another id in the truth."""
    rows = int(differs[guess.category].sum())
    some = np.flatnonzero(differs & _used(guess)).tolist()
    names, ours, theirs = check.called(truth), truth.ids.tolist(), guess.categories.ids.tolist()
    shown = [(repr(theirs[k]), check.named(ours[found[k]], names[found[k]])) for k in some[:2]]
    text = f"guesses met the categories of the truth by {how}"
    return (Remark("J2", rows, text, check.pairs(shown, len(some))),) if rows else ()


def _used(guess: Any) -> np.ndarray:
    """Which categories have a row."""
    used: np.ndarray = np.bincount(guess.category, minlength=len(guess.categories)) > 0
    return used


# By id, where one side has names.


def _look_inside(truth: Any, guess: Any) -> None:
    """The ids of truths without names are among those that the guess has names for."""
    used = np.bincount(truth.category, minlength=len(truth.categories)) > 0
    outside = used & (places(truth.categories.ids, guess.categories.ids) < 0)
    if outside.any():
        check.inside(outside, "truth", truth.categories, guess.categories)


def _without_names_in_guess(truth: Any, guess: Any, by_id: Found, images: np.ndarray) -> Found:
    """By id; by the numbering that all ids fit, where some are not among those of the truth."""
    ids, used = guess.categories.ids, _used(guess)
    outside = used & (by_id.places < 0)
    if not outside.any():
        _look_at_regions(truth, guess, by_id.places, images)
        return by_id
    fits = {name: where for name, where in _numberings(truth.categories, ids).items() if (where[used] >= 0).all()}
    if len(fits) != 1:
        check.inside(outside, "guess", truth.categories, guess.categories, tuple(fits))
    name, where = next(iter(fits.items()))
    how = f"number: their ids have no names, and are {name}"
    return Found(where, name, _remark(how, truth.categories, guess, where, where >= 0))


def _numberings(truth: Categories, ids: np.ndarray) -> dict[str, np.ndarray]:
    """Where ids without names may be, if those of the truth count from 0.

    Ultralytics writes two numberings: from 1, and COCO's own where the names are COCO's.
    """
    if ids.dtype == object or truth.ids.dtype == object:
        return {}
    if not np.array_equal(np.sort(truth.ids), np.arange(len(truth))):
        return {}
    found = {"counted from 1": places(ids - 1, truth.ids)}
    place_of = {name: place for place, name in enumerate(check.called(truth).tolist())}
    if place_of.keys() == set(COCO_CLASSES.values()):
        by_coco = [place_of.get(COCO_CLASSES.get(id), -1) for id in ids.tolist()]
        found["COCO's"] = np.array(by_coco, np.int64)
    return found


def _look_at_regions(truth: Any, guess: Any, found: np.ndarray, images: np.ndarray) -> None:
    """Raise where ids meet, and boxes show that they are numbered otherwise than those of the truth.

    Looked at only where the truth has objects of category 0, and there are no guesses of it.
    """
    numberings = _numberings(truth.categories, guess.categories.ids)
    has_boxes = truth.xywh is not None and guess.xywh is not None
    if not numberings or not has_boxes or not guess.categories.ids[_used(guess)].all():
        return
    first = int(truth.categories.ids.argmin())
    if not (truth.category == first).any():
        return
    from vesica.overlaps.join import join

    pairs = join(guess.boxes, truth.boxes, at_least=0.5, keys=(images[guess.image], truth.image))
    guessed, right = guess.category[pairs.i], truth.category[pairs.j]
    given = int((found[guessed] == right).sum())
    for name, where in numberings.items():
        moved = int((where[guessed] == right).sum())
        if moved >= _FEWEST and given <= moved / 5:
            check.numbered_alike(name, given, moved, check.called(truth.categories)[first])


# By mapping.


def _by_mapping(truth: Any, guess: Any, mapping: Mapping[Any, Any]) -> Found:
    """Those that are named; the others by name where both sides have names, else nowhere."""
    ours, theirs = truth.categories, guess.categories
    both = labels_of(ours) is not None and labels_of(theirs) is not None
    found = _named_alike(truth, guess) if both else np.full(len(theirs), -1, np.int64)
    known = 0
    for key, value in mapping.items():
        place = _place(key, theirs, "guess")
        target = -1 if value is None else check.mapped(value, _place(value, ours, "truth"), ours)
        if place is not None:
            found[place], known = target, known + 1
    check.some_key(list(mapping), known, theirs)
    return Found(found, "mapping")


def _place(key: Any, table: Categories, side: str) -> int | None:
    """The place of a category by its id, its name, or its id in digits as JSON writes keys."""
    ids: list[Any] = table.ids.tolist()
    key = key.item() if isinstance(key, np.generic) else key
    for at, id in enumerate(ids):
        if type(id) is type(key) and id == key:
            return at
    if not isinstance(key, str):
        return None
    labels: list[Any] = check.called(table).tolist()
    check.named_once(labels, key, side)
    if key in labels:
        return labels.index(key)
    digits = [str(id) for id in ids]
    return digits.index(key.strip()) if key.strip() in digits else None
