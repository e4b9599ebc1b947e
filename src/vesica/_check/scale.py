"""Runs over many files: what they are given, and what can go wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vesica import _check as check
from vesica.errors import InputError

_SHOWN = 5


def workers(value: Any, /) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"`workers` must be a whole number above 0; got {check.brief(value)}.")
    return value


def some_files(found: Sequence[Any], what: Any, /) -> None:
    if not found:
        raise InputError(f"{check.brief(what)} stands for no file.")


def as_many(truths: Sequence[Any], guesses: Sequence[Any], /) -> None:
    if len(truths) != len(guesses):
        raise InputError(
            f"Files of truths and of guesses must be as many, the nth of the same images; got {len(truths)} and "
            f"{len(guesses)}."
        )


def two_sides(path: str, present: Sequence[str], /) -> None:
    if not {"truth", "guess"} <= set(present):
        has = " and ".join(present) or "neither"
        raise InputError(
            f"{path} must have `truth` and `guess`, lists of objects of each image; it has {has}. Or give files of "
            "truths and files of guesses, as many."
        )


def not_twice(image: Any, first: str, second: str, /, *, may_be_same: bool) -> InputError:
    way_out = '; duplicates="same" lets one count that is equal in both' if may_be_same else ""
    return InputError(
        f"{first} and {second} both have image {image!r}: the same part twice, or an image cut in two. An image must "
        f"be in one part{way_out}."
    )


def missing(lacking: Sequence[Any], count: int, /) -> InputError:
    some = ", ".join(repr(one) for one in lacking[:_SHOWN])
    more = f" and {len(lacking) - _SHOWN} more" if len(lacking) > _SHOWN else ""
    return InputError(
        f"{len(lacking)} of {count} expected images were in no part: {some}{more}. Add the parts that have them, or "
        "`partial=True` scores the rest and says so."
    )


def poisonous(name: str, attempts: int, /) -> InputError:
    return InputError(
        f"{name} cannot be worked on: the process that had it ended without a word {attempts} times, the last times "
        "alone. It may need more memory than there is; cut it into smaller parts."
    )


def no_ray(error: ImportError, /) -> Exception:
    from vesica.errors import MissingExtra

    missing = MissingExtra("engine='ray' needs Ray: pip install 'vesica[ray]'.")
    missing.__cause__ = error
    return missing


def expected(value: Iterable[Any] | None, /) -> list[Any] | None:
    if value is None:
        return None
    if isinstance(value, (str, bytes, Mapping)):
        raise TypeError(f"`expected` must be ids of images; got {check.brief(value)}.")
    return list(value)
