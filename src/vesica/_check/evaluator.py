"""Checks of what a training loop hands over, and their wording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vesica import _check as check
from vesica.errors import InputError, SizeValueError


def table_of_categories(value: Any, /) -> Any:
    """All categories there are, and not how those of two data sets meet."""
    if isinstance(value, str):
        raise TypeError(
            "`categories` of an Evaluator are the ids of all categories, or a dict of their names, {1: 'cat', …}; "
            f"got {value!r}. How those of two data sets meet is a question for vesica.evaluate."
        )
    return value


def for_both(value: Any, name: str, /) -> tuple[Any, Any]:
    """An option of truth and guess: one for both, or a pair."""
    if not isinstance(value, (tuple, list)):
        return value, value
    if len(value) != 2:
        raise ValueError(f"`{name}` must be one for both, or a pair, truth first; got {check.brief(value)}.")
    return value[0], value[1]


def are_data_sets(truth: Any, guess: Any, kind: type, /) -> bool:
    """Two data sets, or two things that are none."""
    kinds = [isinstance(side, kind) for side in (truth, guess)]
    if any(kinds) and not all(kinds):
        raise TypeError(
            "`truth` and `guess` must both be data sets, or both dicts or objects of images; "
            f"got {type(truth).__name__} and {type(guess).__name__}."
        )
    return all(kinds)


def as_many_images(truths: int, guesses: int, /) -> None:
    if truths != guesses:
        raise SizeValueError(
            f"Guess n is of the image of truth n: there must be as many; got {truths} truths and {guesses} guesses. "
            "An image in which nothing was found has empty boxes."
        )


def one_kind(rows: Sequence[Any], form: str, normalised: bool, /) -> bool:
    """Are these dicts, whose boxes have the form that was said? Objects of other libraries have their own."""
    dicts = sum(isinstance(one, Mapping) for one in rows)
    if 0 < dicts < len(rows) and (form != "xyxy" or normalised):
        raise TypeError("`form` and `normalised` are of dicts; these images are dicts and objects. Make it two calls.")
    return dicts == len(rows)


def sizes_for_shares(sizes: Any, shares: tuple[bool, bool], /) -> None:
    if sizes is not None and not any(shares):
        raise TypeError("`sizes` are for boxes that are shares: say normalised=True, or a pair, (True, False).")


def ids_of_batch(image: Any, count: int, /) -> list[Any]:
    """One id for each image of a batch."""
    if isinstance(image, (str, bytes)) or not hasattr(image, "__len__"):
        raise TypeError(f"`image` must be one id for each of the {count} images of the batch; got {image!r}.")
    if len(image) != count:
        raise SizeValueError(f"`image` must be one id for each of the {count} images of the batch; got {len(image)}.")
    return list(image)


def same_images(truth: list[Any], guess: list[Any], /) -> list[Any] | None:
    """The ids that either side brings; None if there are none."""
    for place, (one, other) in enumerate(zip(truth, guess, strict=True)):
        if one is not None and other is not None and one != other:
            raise InputError(
                f"Guess n is of the image of truth n, but number {place} says {other!r} and the truth {one!r}. "
                "Bring both into one order."
            )
    ids = [other if one is None else one for one, other in zip(truth, guess, strict=True)]
    if all(one is None for one in ids):
        return None
    if any(one is None for one in ids):
        place = next(k for k, one in enumerate(ids) if one is None)
        raise InputError(f'"image_id" must be given for all images or for none; image {place} has none.')
    return ids


def order(truth: Any, guess: Any, /) -> None:
    """Guesses have scores, and truths come first."""
    if guess.score is None and truth.score is not None:
        raise InputError("The truth has scores and the guess has none: are they swapped? update(truth, guess)")
    if guess.score is None and len(guess):
        raise InputError(f'Guesses must have "scores"; these {len(guess)} have none.')


def new_images(ids: list[Any], seen: set[Any], /) -> set[Any]:
    """Each image comes once."""
    twice = next((one for one in ids if one in seen), None)
    if twice is not None:
        raise InputError(
            f"Image {twice!r} was there already: each comes once, with all its guesses. reset() starts anew; images "
            'that several processes have are counted once by merge(…, duplicates="same").'
        )
    return set(ids)


def way_of_categories(error: InputError, /) -> InputError:
    """An error of categories that do not meet, where it names the option of `evaluate` that an Evaluator has not."""
    if "categories=" not in str(error):
        return error
    return InputError(
        f"{error} These are options of vesica.evaluate(truth, guess); for an Evaluator, give guesses the labels of the "
        "truth before update."
    )


def known_categories(truth: Any, unknown: np.ndarray, /) -> None:
    strange = unknown[truth.category]
    if strange.any():
        one = truth.categories.ids.tolist()[truth.category[int(np.argmax(strange))]]
        raise InputError(f"`categories` must name all of the truth; {one!r} is not among them.")


def same_fields(side: str, told: dict[str, bool], first: dict[str, bool], fields: Any, /) -> None:
    """Objects have what the first ones had."""
    for name in told.keys() & first.keys():
        if told[name] != first[name]:
            there = "These" if told[name] else "Earlier"
            raise InputError(
                f'"{name}" of the {side} must be given for all images or for none. {there} {_PLURAL[side]} have them, '
                f"and {'earlier' if told[name] else 'these'} ones do not{_given(fields)}."
            )


def labels_on_both(seen: dict[str, dict[str, bool]], truth: Any, guess: Any, /) -> None:
    """Labels on both sides, or on none."""
    told = {side: fields.get("labels") for side, fields in seen.items()}
    if set(told.values()) >= {True, False}:
        without = next(side for side, there in told.items() if there is False)
        no_classes(without, True, truth if without == "truth" else guess)


def no_classes(side: str, others: bool, fields: Any = None, /) -> None:
    """Nor has the other side any."""
    if others:
        raise InputError(
            f'The {side} has no "labels", and the other side has them{_given(fields)}. Objects without labels are all '
            "of one class: give them on both sides or on none."
        )


def _given(fields: Any) -> str:
    names = sorted({name for one in fields or () for name in one})
    return f" (they have {', '.join(names)})" if names else ""


_PLURAL = {"truth": "truths", "guess": "guesses"}
