"""Runs over many files: what they are given, and what can go wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
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


_UNITS = {"": 1, "B": 1}
_UNITS |= {f"{letter}{end}": 1000**k for k, letter in enumerate("KMGT", 1) for end in ("", "B")}
_UNITS |= {f"{letter}IB": 1024**k for k, letter in enumerate("KMGT", 1)}
_SIZE = re.compile(r"\s*(\d{1,15}(?:\.\d{1,9})?)\s*([A-Z]{0,3})\s*", re.ASCII)
LEAST_MEMORY = 10_000_000
"""Bytes."""


def memory(value: Any, /) -> int | None:
    """Bytes of a budget: a number, or a text such as "2GB" (10⁹ bytes each) or "2GiB" (2³⁰)."""
    if value is None:
        return None
    size = value if isinstance(value, int) and not isinstance(value, bool) else None
    if isinstance(value, str):
        found = _SIZE.fullmatch(value.upper())
        if found and found[2] in _UNITS:
            size = int(Fraction(found[1]) * _UNITS[found[2]])
    if size is None:
        raise ValueError(f'`memory` must be a number of bytes, or a text such as "2GB"; got {check.brief(value)}.')
    if size < LEAST_MEMORY:
        raise ValueError(f'`memory` must be at least "10MB"; got {check.brief(value)}.')
    return size


def under_budget(*, details: bool, duplicates: str) -> None:
    """What cannot be had without all guesses in memory."""
    if details:
        raise ValueError(
            "`details` keeps every guess with its neighbours, and `memory` none: give one of them. The table of "
            "objects can be written part by part (scale.write_objects)."
        )
    if duplicates != "error":
        raise ValueError(
            f"`duplicates` that are {duplicates!r} are compared guess by guess, and `memory` keeps none: give one of "
            "them."
        )


def no_scratch(scratch: Any, memory: Any, checkpoint: Any, /) -> None:
    if scratch is not None and memory is None:
        raise ValueError("`scratch` is where guesses go that `memory` has no room for; `memory` was not given.")
    if scratch is not None and checkpoint is not None:
        raise ValueError("With `checkpoint` everything goes into its folder; leave out `scratch`.")


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


def cluster_gone(is_ours: bool, losses: int, /) -> InputError:
    what = "was lost and could not be reached again" if is_ours else "is gone"
    way = (
        "Start it, and call again"
        if is_ours
        else "Connect again (ray.shutdown(), then ray.init) and call again: the connection was not made here"
    )
    often = f" {losses} times" if losses > 1 else ""
    return InputError(
        f"The cluster of Ray {what}{often}: its head was stopped or started anew. Nothing was scored. {way}. "
        "`checkpoint` keeps finished parts: they are not worked on again."
    )


def expected(value: Iterable[Any] | None, /) -> list[Any] | None:
    if value is None:
        return None
    if isinstance(value, (str, bytes, Mapping)):
        raise TypeError(f"`expected` must be ids of images; got {check.brief(value)}.")
    return list(value)


def same_categories_by_id(names: Sequence[str], tables: Sequence[Any], /) -> None:
    """What parts call each category, by its id: some may lack it, and none may contradict."""
    for column, verb in (("names", "calls"), ("frequency", "says of the frequency of")):
        known: dict[Any, tuple[Any, str]] = {}
        for part, table in zip(names, tables, strict=True):
            own = getattr(table, column)
            for id, one in zip(table.ids.tolist(), [] if own is None else own.tolist(), strict=own is not None):
                was, first = known.setdefault(id, (one, part)) if one is not None else (None, part)
                if was != one:
                    raise _contradiction(verb, id, (one, part), (was, first))


def _contradiction(verb: str, id: Any, one: tuple[Any, str], first: tuple[Any, str]) -> InputError:
    return InputError(
        f"{one[1]} {verb} category {id!r} {one[0]!r}, and {first[1]} {first[0]!r}: an id must mean the same in all "
        "parts. Write one of them anew, both with one table of categories that has an id for each name: "
        f"{{{id!r}: {first[0]!r}, …: {one[0]!r}}}."
    )


def same_categories(first: list[Any], other: list[Any], /) -> None:
    if first != other:
        raise InputError(
            "Parts of one table must have the same categories; one has "
            f"{check.brief(first)}, another {check.brief(other)}."
        )
