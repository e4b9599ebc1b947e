"""Checks of containers, and their wording. `noun` is what they hold, in the plural: "records"."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vesica._check import shown
from vesica.errors import InputError


def magic(data: bytes, own: bytes, noun: str, /) -> None:
    if not data.startswith(own):
        raise InputError(f"These bytes are no {noun} of vesica.")


MOST_OF_A_HEADER = 256 << 20
"""Bytes: the ids of millions of images."""


def header(size: int, noun: str, /) -> None:
    """Parsed, a header takes many times its size."""
    if size > MOST_OF_A_HEADER:
        raise InputError(f"These {noun} have a header of {size:,} bytes; at most {MOST_OF_A_HEADER:,} are read.")


def version(found: Any, known: int, noun: str, /) -> None:
    if type(found) is not int or found != known:
        raise InputError(f"These {noun} have format {found}; this version of vesica reads format {known}.")


def listed(values: Any, /) -> None:
    """Ids and names of a header."""
    if not isinstance(values, list):
        raise TypeError(f"a list of ids or names is {values!r}")


def complete(is_complete: bool, noun: str, /) -> None:
    if not is_complete:
        raise InputError(f"These {noun} end in the middle.")


def checksum(is_right: bool, at: int, noun: str, /) -> None:
    if not is_right:
        raise InputError(f"These {noun} are damaged: the checksum of the block at byte {at} is wrong.")


def column_names(columns: Iterable[Any], /) -> None:
    """They are texts, which whoever asks for columns relies on."""
    for name in columns:
        if not isinstance(name, str):
            raise ValueError(f"names of columns must be texts; got {shown(name)}")
