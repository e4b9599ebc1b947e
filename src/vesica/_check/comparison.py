"""Checks of results that are compared, and their wording."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from vesica.errors import InputError


def some_models(models: Sequence[Any], /) -> None:
    if len(models) < 2:
        raise ValueError(f"`compare` needs two models or more; got {len(models)}: compare(truth, a, b).")


def all_results(given: Sequence[Any], kind: type, /) -> bool:
    """Are results given, and nothing else beside them?"""
    found = [isinstance(one, kind) for one in given]
    if any(found) and not all(found):
        other = next(one for one, is_result in zip(given, found, strict=True) if not is_result)
        raise TypeError(
            f"`compare` takes a truth and guesses, or results alone; got results and {type(other).__name__}. Score the "
            "others first: compare(evaluate(truth, a), evaluate(truth, b))."
        )
    return all(found)


def no_options(options: Mapping[str, Any], /) -> None:
    """Results have been scored already."""
    if options:
        raise TypeError(f"`{next(iter(options))}` is of scoring, and results have been scored: leave it out.")


def one_kind(results: Sequence[Any], names: Sequence[str], /) -> None:
    """All are results of one task."""
    for name, result in zip(names, results, strict=True):
        if type(result) is not type(results[0]):
            raise TypeError(
                f"Results that are compared must be of one kind; {names[0]} is {type(results[0]).__name__}, and {name} "
                f"is {type(result).__name__}."
            )


def same_identity(base: Any, other: Any, names: tuple[str, str], /) -> None:
    """Both are of the same conventions, categories, images and truths."""
    if base is None or other is None:
        raise InputError("These results cannot be compared: they do not say of which images they are.")
    difference = base.difference(other)
    if difference is not None:
        where = f"here is {names[0]}, there {names[1]}"
        raise InputError(f"{names[0]} and {names[1]} cannot be compared: {difference} ({where}).")


def no_base(base: Any, /) -> None:
    """A comparison has its base."""
    if base is not None:
        raise ValueError(f"The base is the first of the models: leave {base!r} out, as in AP drop<=0.01 @95%.")


def names(given: Any, count: int, /) -> tuple[str, ...]:
    """Names of the models, each once."""
    found = tuple(map(str, given))
    if len(found) != count:
        raise ValueError(f"`names` must have one for each model; got {len(found)} for {count}.")
    twice = next((name for name in found if found.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"`names` must differ; {twice!r} is there twice.")
    return found


def number_of(number: str | None, known: Sequence[str], what: str, /) -> str:
    """A number that can be asked for; by default the first."""
    from vesica import _check as check

    if not known:
        raise ValueError(f"These results have no {what}.")
    return known[0] if number is None else check.one_of(number, known, "number")


def of_detection(result: Any, kind: type, what: str, /) -> Any:
    if not isinstance(result, kind):
        raise TypeError(f"{what} are of detection; these are results of another kind, {type(result).__name__}.")
    return result


def some_slices(slices: Any, /) -> None:
    if not slices:
        raise ValueError("There are no slices: say what they go by, compare(…, slices={image: value}).")


def model_of(model: str | None, names: Sequence[str], /) -> int:
    """The place of a model that is compared with the first; by default the last."""
    from vesica import _check as check

    return len(names) - 1 if model is None else names.index(check.one_of(model, names[1:], "model"))


def score(value: Any, /) -> float | None:
    """A score, if one is given."""
    from vesica import _check as check

    if isinstance(value, str):
        check.one_of(value, ("best_f1",), "min_score")
        return None
    return None if value is None else check.finite(value, "min_score")


def path_or_data(value: Any, kind: type, /) -> Any:
    """What an annotator marked, in many images."""
    if not isinstance(value, (str, os.PathLike, kind)):
        raise TypeError(
            f'task="agreement" takes data sets or paths, a truth and models; got {type(value).__name__}. Anything else '
            "is scored first: compare(evaluate_agreement(…), evaluate_agreement(…))."
        )
    return value


def column(by: str, known: Mapping[str, Mapping[Any, Any]], /) -> Mapping[Any, Any]:
    """A column that images are drawn by."""
    if by not in known:
        ways = ", ".join(f'"{one}"' for one in ("image", *known))
        raise ValueError(f"`by` must be one of {ways}, or a dict of image → group; got {by!r}.")
    return known[by]


def groups(by: Any, /) -> Mapping[Any, Any]:
    if not isinstance(by, Mapping):
        raise TypeError(f'`by` must be "image", or a dict of image → group; got {by!r}.')
    return by


def group_of(groups: Mapping[Any, Any], image: Any, /) -> Any:
    if image not in groups:
        raise InputError(f"`by` has no group for the image {image!r}: each image must have one.")
    return groups[image]
