"""Checks of files of label maps, and their wording."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vesica.errors import InputError

_SOME = 3


def no_lossy(files: list[Path], side: str) -> None:
    if files:
        raise InputError(
            f"{files[0]} is no label map: {files[0].suffix} changes values when it is written, and labels with them. "
            f"Write PNG from the source of {side}; a pattern such as 'folder/*.png' leaves pictures beside it out."
        )


def some_files(own: list[Path], every: list[Path], side: str, endings: tuple[str, ...]) -> None:
    if own:
        return
    if not every and not any(mark in side for mark in "*?[") and not os.path.exists(side):
        raise InputError(f"{side} cannot be read: there is no such file or folder.")
    there = f"; there are {len(every)} other files, {every[0].name!r} for one" if every else ""
    raise InputError(f"{side} has no label maps, which end in {', '.join(endings)}{there}.")


def one_file(name: str, known: Path | None, path: Path) -> None:
    if known is not None:
        raise InputError(f"{known} and {path} have the same name, {name!r}, and could both be meant. Say one folder.")


def partners(ours: Mapping[str, Path], theirs: Mapping[str, Path], truth: str, guess: str) -> None:
    """Every file has a partner."""
    told = []
    for files, others, place in ((ours, theirs, guess), (theirs, ours, truth)):
        alone = sorted(files.keys() - others.keys())
        if alone:
            names = ", ".join(files[name].name for name in alone[:_SOME]) + (", …" if len(alone) > _SOME else "")
            told.append(f"{len(alone)} of {len(files)} files have no partner in {place}: {names}")
    if told:
        raise InputError(f"Truths and guesses meet by the names of their files. {'; '.join(told)}.")


def one_kind(kinds: set[bool]) -> None:
    if len(kinds) > 1:
        raise InputError("Some files are NIfTI volumes and others are not. Score them apart.")


def same_shape(a: tuple[int, ...], b: tuple[int, ...], truth: Path, guess: Path) -> None:
    if a != b:
        raise InputError(
            f"{truth} and {guess} must have one size; they have {a} and {b}. A map that was made at another scale is "
            "resized first, by its nearest pixels."
        )


def same_spacing(a: tuple[float, ...] | None, b: tuple[float, ...] | None, truth: Path, guess: Path) -> None:
    if a is not None and b is not None and not np.allclose(a, b, rtol=1e-3):
        raise InputError(f"{truth} and {guess} must have one spacing; their headers say {a} and {b}.")


def integers(array: np.ndarray, name: str) -> np.ndarray:
    """Integers or bool; whole numbers that were stored as floats become integers."""
    if array.dtype.kind == "f":
        whole = array.astype(np.int64) if np.isfinite(array).all() and (abs(array) < 2**53).all() else None
        if whole is None or not np.array_equal(whole, array):
            raise InputError(
                f"{name} must hold labels, whole numbers; its floats are not. Scores: take their argmax first."
            )
        array = whole
    if array.dtype.kind not in "iub":
        raise InputError(f"{name} must hold labels, integers; it holds {array.dtype}.")
    if array.ndim == 3 and array.shape[-1] in (3, 4) and array.dtype == np.uint8:
        raise InputError(f"{name} holds colours, {array.shape}; a label map has one number for each pixel.")
    if array.ndim not in (2, 3):
        raise InputError(f"{name} must be a picture or a volume, of two or three axes; its shape is {array.shape}.")
    return array


def all_in_table(values: np.ndarray, table: Mapping[int, int], name: str) -> None:
    strange = [value for value in values.tolist() if value not in table]
    if strange:
        raise InputError(f"{name} has the label {strange[0]}, which the table of labels does not have.")


def relabel(value: Any, known: Mapping[str, dict[int, int]]) -> dict[int, int] | None:
    """A table of labels: by its name, or a dict."""
    if value is None:
        return None
    if isinstance(value, str):
        if value not in known:
            raise ValueError(f"`relabel` must be a dict of labels, or one of {', '.join(known)}; got {value!r}.")
        return known[value]
    rule = "`relabel` must be a dict of label → label, whole numbers both"
    if not isinstance(value, Mapping):
        raise TypeError(f"{rule}; got {type(value).__name__}.")
    found = {}
    for old, new in value.items():
        try:
            found[int(old)] = int(new)
        except (TypeError, ValueError):
            raise ValueError(f"{rule}; got {old!r}: {new!r}.") from None
    return found


def are_paths(truth: Any, guess: Any) -> bool:
    """Are both sides paths? One alone has no names to meet by."""
    found = [isinstance(side, (str, os.PathLike)) for side in (truth, guess)]
    if any(found) and not all(found):
        raise TypeError("`truth` and `guess` must both be paths, or both be arrays; got one of each.")
    return all(found)


def of_files(relabel: Any) -> None:
    if relabel is not None:
        raise TypeError("`relabel` is for files; of arrays, index a table of labels: table[array].")


def named_by_files(images: Any) -> None:
    if images is not None:
        raise TypeError("`images` is for arrays: files are known by their names. Drop it.")


def groups_by_name(groups: Any, names: Sequence[Any]) -> dict[Any, Any] | None:
    """Of files, the group of each name."""
    if groups is None:
        return None
    if not isinstance(groups, Mapping):
        raise TypeError(
            "`groups` of files must be a dict of name → group, such as {'case1': 'patient A'}; "
            f"got {type(groups).__name__}."
        )
    alone = [name for name in names if name not in groups]
    if alone:
        raise ValueError(
            f"`groups` must have a group for each of the {len(names)} names; it has none for {alone[0]!r}."
        )
    return dict(groups)


def compared(categories: Any, background: int | None) -> dict[int, Any]:
    """The labels whose outlines are compared, and their names."""
    if categories is None:
        raise TypeError("`categories` must say which labels are compared: [1, 2], or {1: 'liver', 2: 'spleen'}.")
    names = categories.ids if categories.names is None else categories.names
    pairs = zip(categories.ids.tolist(), names.tolist(), strict=True)
    return {label: name for label, name in pairs if label != background}
