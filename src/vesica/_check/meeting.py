"""Checks of how two data sets meet, and their wording."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vesica._array import objects
from vesica._check import one_of
from vesica.errors import InputError

_MOST = 5
"""Of a list that is only shown."""


def listed(values: Any, /) -> str:
    """Some of many, each as Python writes it: 7 and '7' differ."""
    plain = values.tolist() if isinstance(values, np.ndarray) else list(values)
    return ", ".join(map(repr, plain[:_MOST])) + (", …" if len(plain) > _MOST else "")


def pairs(shown: list[tuple[str, str]], count: int, /) -> str:
    """Who is who, of the guess and of the truth."""
    return ", ".join(f"{guess} is {truth}" for guess, truth in shown) + (", …" if count > len(shown) else "")


def named(id: Any, name: Any, /) -> str:
    """An id, and the name where it is something else."""
    return repr(id) if name is None or name == id else f"{id!r} ({name!r})"


def way(categories: Any, /) -> Any:
    """How categories shall meet."""
    if categories is None or isinstance(categories, Mapping):
        return categories
    if isinstance(categories, str):
        return one_of(categories, ("name", "id"), "categories")
    raise TypeError(
        '`categories` must be "name", "id", or a dict {category of the guess: category of the truth}; '
        f"got {type(categories).__name__}."
    )


def known_images(truth: Any, guess: Any, unknown: np.ndarray, /) -> None:
    """Every guess is of an image of the truth."""
    rows = unknown[guess.image]
    if not rows.any():
        return
    lost = listed(guess.images.ids[np.intersect1d(np.flatnonzero(unknown), guess.image)])
    known = listed(truth.ids) if truth.names is None else f"{listed(truth.ids)}, called {listed(truth.names)}"
    raise InputError(
        f"{int(rows.sum())} guesses are of images that the truth does not have: {lost}. The truth has {known}. Neither "
        "ids nor names meet. Name them alike; or leave those out, in Python "
        f"guess.rows(~np.isin(guess.images.ids[guess.image], [{lost}]))."
    )


def names_contradict(guess: str, truth: str, /) -> None:
    """Ids and names say the same of an image."""
    raise InputError(
        f"Images of one id have different names, and some of these are names of other images: guess {guess} against "
        f"truth {truth}. Leave the names out, or number both sides alike."
    )


def as_many_images(count: int, other: int, side: str, /) -> None:
    """Two lists are of the same images."""
    if count != other:
        raise InputError(
            f"The {side} does not say of which images it is, so its nth is that of the other list, and there must be "
            f'as many; got {count} and {other}. Or give each its "image_id".'
        )


def numbered_images(ids: np.ndarray, other: np.ndarray, side: str, /) -> None:
    """A list without ids is of images that are numbered from 0."""
    if set(other.tolist()) != set(ids.tolist()):
        raise InputError(
            f"The {side} is a list of {len(ids)} images that does not say which; the other side has {listed(other)}. "
            f'Give each its "image_id"; or say which, Dataset.from_dicts({side}, images=[…]).'
        )


def some_category(truth: Any, guess: Any, left_out: int, /) -> None:
    """At least one category of the guesses is one of the truth's."""
    if left_out < len(guess):
        return
    theirs, ours = called(guess.categories)[np.unique(guess.category)], called(truth.categories)
    raise InputError(
        f"No category of the guesses is one of the truth's: {listed(theirs)} against {listed(ours)}. "
        f'Say which is which, {_mapping(theirs[0], ours)}; or let ids meet, categories="id".'
    )


def both_named(truth: np.ndarray | None, guess: np.ndarray | None, /) -> None:
    """Names can meet."""
    for side, table in (("truth", truth), ("guess", guess)):
        if table is None:
            raise InputError(f'categories="name" needs names on both sides; the {side} has categories without a name.')


def named_once(labels: list[Any], name: Any, side: str, /) -> None:
    """A name means one category."""
    if labels.count(name) > 1:
        raise InputError(
            f"{labels.count(name)} categories of the {side} are called {name!r}, so names do not tell them apart. "
            'Let ids meet, categories="id"; or say which is which, categories={7: 9, …}, guess first.'
        )


def inside(outside: np.ndarray, side: str, truth: Any, guess: Any, fits: tuple[str, ...] = (), /) -> None:
    """Ids of a side without names are those that the other side names."""
    table, other = (truth, "truth") if side == "guess" else (guess, "guess")
    ids, first = (truth if side == "truth" else guess).ids[outside], guess.ids.tolist()[0]
    either = f"They may be {' or '.join(fits)}. " if fits else ""
    raise InputError(
        f"The {side} has no names of categories, and {listed(ids)} {'is' if len(ids) == 1 else 'are'} not among the "
        f"ids of the {other}: {_numbered(table)}. {either}Give both sides names; or say which is which, guess first, "
        f'{_mapping(first, called(truth))}; or leave out what does not meet, categories="id".'
    )


def numbered_alike(numbering: str, given: int, moved: int, first: str, /) -> None:
    """Ids without names are numbered as those of the truth."""
    raise InputError(
        f"Categories of the guess have no names, and their ids seem to be {numbering}, where the truth counts from 0: "
        f"of the guesses that lie on a truth {given} have its category as they are, and {moved} if 1 is {first!r}. "
        f'Say which is which, {_mapping(1, [first])}; or that ids are right as they are, categories="id".'
    )


def _numbered(table: Any) -> str:
    shown = [named(id, name) for id, name in zip(table.ids.tolist()[:_MOST], called(table).tolist(), strict=False)]
    return ", ".join(shown) + (", …" if len(table) > _MOST else "")


def _mapping(guess: Any, truths: Any) -> str:
    """A line to write, which is both Python and, but for its ids, JSON."""
    import json

    first = json.dumps(guess, ensure_ascii=False)
    return f"categories={{{first}: {json.dumps(truths[0], ensure_ascii=False) if len(truths) else '…'}, …}}"


def mapped(key: Any, place: int | None, table: Any, /) -> int:
    """What a mapping leads to."""
    if place is None:
        raise ValueError(
            f"`categories` leads to {key!r}, which is no category of the truth; there are {listed(called(table))}."
        )
    return place


def some_key(keys: list[Any], known: int, table: Any, /) -> None:
    """A mapping is about these guesses."""
    if not known:
        raise ValueError(
            f"`categories` names no category of the guess: {listed(keys)} against {listed(called(table))}. "
            "It is {category of the guess: category of the truth}."
        )


def called(table: Any, /) -> np.ndarray:
    """What each category is called: its name, or else its id."""
    ids = table.ids.tolist()
    names = [None] * len(ids) if table.names is None else table.names.tolist()
    return objects(id if name is None else name for id, name in zip(ids, names, strict=True))


def one_author(data: Any, side: str, /) -> None:
    """No image was marked by several annotators: each of its objects would count as often."""
    if data.annotator is None or len(data.annotators) < 2 or not len(data):
        return
    order = np.lexsort((data.annotator, data.image))
    image, annotator = data.image[order], data.annotator[order]
    shared = (image[1:] == image[:-1]) & (annotator[1:] != annotator[:-1])
    if shared.any():
        place = int(image[1:][np.argmax(shared)])
        people = data.annotators[np.unique(data.annotator[data.image == place])].tolist()
        raise InputError(
            f"The {side} is what several people marked: image {data.images.ids.tolist()[place]!r} by "
            f"{listed(people)}, so that its objects would count several times. Score against one of them, or against "
            "what they agree on. In Python: truth.rows(truth.annotator == 0)."
        )
