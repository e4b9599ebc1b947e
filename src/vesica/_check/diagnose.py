"""Checks of what advice is asked for, and their wording."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from vesica._check import brief, finite, one_of
from vesica.errors import InputError

CONCERNS = ("size", "costs")


def is_result(value: Any, kinds: tuple[type, ...]) -> None:
    if not isinstance(value, kinds):
        raise TypeError(
            f"`result` must be a {' or a '.join(kind.__name__ for kind in kinds)}, as vesica.evaluate_segmentation, "
            f"vesica.evaluate_surfaces and vesica.evaluate_agreement answer; got {brief(value)}. Scores of detectors "
            "have no such advice yet."
        )


def people(value: Any, kinds: tuple[type, ...]) -> None:
    if value is not None and not isinstance(value, kinds):
        raise TypeError(
            f"`people` must be what vesica.evaluate_agreement answers of those who drew the truth; got {brief(value)}."
        )


def half_width(value: Any, has_intervals: bool) -> float | None:
    """How wide an interval may be to either side."""
    if value is None:
        return None
    if not has_intervals:
        raise ValueError("`half_width` is of intervals, and numbers of outlines have none yet: leave it out.")
    width = finite(value, "half_width")
    if not 0 < width < 1:
        raise ValueError(f"`half_width` must lie between 0 and 1, such as 0.01; got {value!r}.")
    return float(width)


def concerns(values: Any) -> set[str]:
    """What matters to whoever asks."""
    listed = [values] if isinstance(values, str) else list(values)
    return {one_of(one, CONCERNS, "concerns") for one in listed}


def codes(values: Any, known: Iterable[str]) -> set[str]:
    """Codes of findings that are to be left out."""
    listed = [values] if isinstance(values, str) else list(values)
    return {one_of(one, known, "silence") for one in listed}


ASSUMED = ("boxes", "frame", "categories", "images", "area", "ids")
"""What `assume` may speak about."""


def path_or_data(value: Any, name: str, /) -> None:
    if not isinstance(value, (str, os.PathLike)) and type(value).__name__ != "Dataset":
        raise TypeError(f"`{name}` must be a path or a Dataset; got {brief(value)}. Lists go to Dataset.from_dicts(…).")


def assumptions(values: Any, /) -> tuple[str, ...]:
    """Words such as boxes=xyxy, one by one."""
    listed = [values] if isinstance(values, str) else list(values)
    words = [word for one in listed for word in one.split()]
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not value:
            raise ValueError(f"`assume` must be NAME=VALUE, such as boxes=xyxy; got {word!r}.")
        one_of(name, ASSUMED, "assume")
    return tuple(words)


def layout(words: str, reading: Any, /) -> Any:
    if reading is None:
        raise ValueError(
            "`assume` boxes must be xyxy, xywh, cxcywh, yxyx or yxhw, with -shares or -percent behind it; or "
            f"one-based, moved-by-one, inclusive, ordered; got {words!r}."
        )
    return reading


def frame(kind: str, side: str, /) -> tuple[str, int]:
    one_of(kind, ("letterbox", "corner", "stretch"), "frame")
    if not side.isascii() or not side.isdigit() or not 0 < int(side) < 2**20:
        raise ValueError(f"`assume` frame must be {kind}:SIDE in pixels, such as {kind}:640; got {side!r}.")
    return kind, int(side)


def known_sizes(sizes: Any, name: str, /) -> None:
    """Shares and frames need the size of every image."""
    if not (sizes > 0).all():
        raise InputError(
            f"{name}: how large images are must be known to repair this. Give the truth that says so, `against=`; or "
            "`sizes=(height, width)`."
        )


def needs_truth(truth: Any, words: str, /) -> Any:
    if truth is None:
        raise InputError(f"{words} is about the truth: give it, `against=`.")
    return truth


def writable_anew(file: Any, title: str, /) -> Any:
    if file is None:
        raise InputError(
            f"Only files of COCO (.json) are written anew, byte for byte but for what is repaired; this is {title}. "
            "`vesica convert` makes one of it."
        )
    return file


def another_file(path: str, files: list[Any], /) -> None:
    """What is read is never written over."""
    for one in files:
        if one is not None and os.path.realpath(one.name) == os.path.realpath(path):
            raise ValueError(f"The repaired file must be another one than {one.name}, which is read.")


def some_repair(is_there: bool, findings: Any, /) -> None:
    if is_there:
        return
    choices = [one for one in findings if one.repairs]
    if choices:
        listed = " or ".join(dict.fromkeys(words for one in choices for words in one.repairs))
        raise InputError(f"It is not sure which of them is right: assume {listed}.")
    raise InputError("Nothing was found that could be repaired; no file was written.")


def is_gone(left: list[Any], path: str, /) -> None:
    if left:
        raise InputError(f"{path} was not written: repaired, the file would still have this: {left[0]}")


def read_rightly(wrong: list[Any], guess: Any, truth: Any, /) -> None:
    """No file means something else than it was read as."""
    if wrong:
        raise InputError(
            f"{wrong[0]} vesica.check({os.fspath(guess)!r}, against={os.fspath(truth)!r}) tells more, and its "
            'fix("fixed.json") repairs what can be. To score the files as they are: `check=False`.'
        )
