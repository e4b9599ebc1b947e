"""Checks of a model beside annotators, and their wording."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica._check import agreement, finite, one_of

__all__ = ["finite", "one_of"]

MODEL = "model"


def people(data: Any, /) -> Any:
    """A data set of at least two annotators, with who was asked."""
    agreement.assigned(data)
    if len(data.annotators) < 2:
        raise ValueError(
            f"A ceiling is what people agree on with each other: it needs two annotators; got {len(data.annotators)}."
        )
    return data


def guesses(value: Any, kind: type, /) -> None:
    """What a model found is a data set."""
    if not isinstance(value, kind):
        raise TypeError(
            f"`guess` must be a Dataset, what the model found; got {type(value).__name__}. A file is read by "
            "vesica.read(path), and a list of dicts by vesica.Dataset.from_dicts(guess)."
        )


def three_people(count: int, /) -> None:
    if count < 3:
        raise ValueError(
            f'against="consensus" needs three annotators, so that two others agree on something; got {count}. '
            'against="annotators" compares with each.'
        )


def scores(guess: Any, /) -> np.ndarray:
    """The scores of guesses, of which some are to be left out."""
    if guess.score is None:
        raise ValueError("`min_score` leaves guesses out by their score, and these have none. Leave it out.")
    found: np.ndarray = guess.score
    return found


def new_name(known: list[Any], /) -> str:
    """What the model is called among annotators."""
    name = MODEL
    while name in known:
        name = f"{name} (guesses)"
    return name
