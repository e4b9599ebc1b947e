"""Checks of several annotators' data sets, and their wording."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vesica._check import dataset as check
from vesica.errors import InputError, SizeValueError


def parts(given: Any, /) -> tuple[list[Any], list[Any]]:
    """Annotators and their data sets, each of one person."""
    if not isinstance(given, Mapping) or not given:
        raise TypeError(
            'Data sets of annotators come in a dict: Dataset.of_annotators({"ann": first, "ben": second}); got '
            f"{type(given).__name__ if not isinstance(given, Mapping) else 'an empty dict'}."
        )
    people = check.ids(list(given), "annotators").tolist()
    for who, part in given.items():
        if not hasattr(part, "categories"):
            raise TypeError(
                f"The data set of {who!r} must be a Dataset; got {type(part).__name__}. vesica.read reads files."
            )
        if len(part.annotators) > 1:
            raise ValueError(f"The data set of {who!r} has {len(part.annotators)} annotators already. Pass it alone.")
        if part.round is not None and part.assignments is None:
            raise ValueError(f"The data set of {who!r} has rounds, and no `assignments` that say which were asked for.")
    return people, list(given.values())


def scored_alike(people: list[Any], parts: list[Any], /) -> None:
    """Either all data sets that have objects have scores, or none has: a score that is missing is never taken as 1."""
    drawn = [(who, part.score is not None) for who, part in zip(people, parts, strict=True) if len(part)]
    scored = [who for who, is_scored in drawn if is_scored]
    plain = [who for who, is_scored in drawn if not is_scored]
    if scored and plain:
        raise InputError(
            f"The objects of {scored[0]!r} have scores, and those of {plain[0]!r} have none. Scores are of a model's "
            "guesses, which are compared with people by --model FILE. In Python: result.ceiling(guess); or, as one "
            "annotator more, without the scores: dataclasses.replace(data, score=None)."
        )


def names_once(people: list[Any], texts: list[list[Any]], is_sound: bool, /) -> None:
    """No data set has two images of one name."""
    if is_sound:
        return
    for who, own in zip(people, texts, strict=True):
        seen: set[Any] = set()
        twice = next((one for one in own if one in seen or seen.add(one)), None)  # type: ignore[func-returns-value]
        if twice is not None:
            raise InputError(f"The data set of {who!r} has two images called {twice!r}, so images cannot meet by name.")


def one_size(known: np.ndarray, own: np.ndarray, ids: np.ndarray, who: Any, /) -> None:
    """An image has one size, whoever tells it."""
    odd = ((known > 0) & (own > 0) & (known != own)).any(axis=1)
    if odd.any():
        place = int(np.argmax(odd))
        (height, width), (high, wide) = known[place].tolist(), own[place].tolist()
        raise SizeValueError(
            f"Image {ids.tolist()[place]!r} is of {high}×{wide} pixels (height × width) in the data set of {who!r}, "
            f"and of {height}×{width} in that of another annotator."
        )


def one_word(name: str, known: Any, own: Any, where: np.ndarray, ids: np.ndarray, who: Any, /) -> None:
    """What a part says of its images is what the first that spoke of them said."""
    if own is None:
        return
    for place, word in zip(where.tolist(), own.tolist(), strict=True):
        if word is not None and word != known[place]:
            raise InputError(
                f"`{name}` of image {ids.tolist()[place]!r} is {known[place]!r} in one data set and {word!r} in that "
                f"of {who!r}: give it once, or the same in both."
            )


def all_named(people: list[Any], labels: list[Any], parts: list[Any], /) -> None:
    """Either all data sets have names of categories, or none has."""
    named = [own is not None for own in labels]
    if any(n for n, part in zip(named, parts, strict=True) if len(part.categories)) and not all(named):
        who = people[named.index(False)]
        raise InputError(
            f"The categories of {who!r} have no names, and those of another annotator have: ids alone do not say that "
            "two categories are one. Give them names. In Python: dataclasses.replace(data, "
            "categories=other.categories)."
        )


def category_once(who: Any, labels: list[Any], /) -> None:
    """No data set has two categories of one name."""
    seen: set[Any] = set()
    twice = next((one for one in labels if one in seen or seen.add(one)), None)  # type: ignore[func-returns-value]
    if twice is not None:
        raise InputError(
            f"The data set of {who!r} has two categories called {twice!r}, so categories cannot meet by name."
        )
