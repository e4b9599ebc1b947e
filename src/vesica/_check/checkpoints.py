"""Folders of finished parts: what may be in them, and whether they belong to what is asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vesica import _check as check
from vesica.errors import InputError


def is_folder(place: Path, /) -> None:
    if place.exists() and not place.is_dir():
        raise InputError(f"`checkpoint` must be a folder; {place} is none.")


def is_there(place: Path, /) -> None:
    if not place.is_dir():
        raise InputError(f"`scratch` must be a folder that is there; {place} is none.")


def is_empty(place: Path, names: Sequence[str], /) -> None:
    if names:
        raise InputError(
            f"{place} cannot be a checkpoint: it has other files, such as {min(names)}. Name a folder that is empty "
            "or not there yet."
        )


def plain(value: Any, name: str, /) -> Any:
    """An option as plain values, so that it can be compared with that of another day."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (np.generic, np.ndarray)):
        return plain(value.tolist(), name)
    if isinstance(value, Mapping):
        return [[plain(key, name), plain(one, name)] for key, one in value.items()]
    if isinstance(value, (list, tuple)):
        return [plain(one, name) for one in value]
    raise TypeError(
        f"`checkpoint` needs options that can be written down: numbers, texts, lists and dicts; `{name}` is "
        f"{check.brief(value)}."
    )


def same_plan(found: Any, own: str, /) -> None:
    if found != own:
        raise InputError("It belongs to another checkpoint.")


def not_twice(path: Path, parts: set[int], /) -> None:
    if parts:
        raise InputError(f"{path} has parts that another file of its folder has too. Remove one of them.")


def unusable(path: Path, why: str, /) -> InputError:
    return InputError(f"{path} cannot be used: {why} Remove it, and its parts are worked on again.")


def unchanged(place: Path, was: list[Any], now: list[Any], /) -> None:
    if was != now:
        raise InputError(
            f"{place} cannot be gone on with: {was[0]} was changed since it was worked on. Remove the checkpoint to "
            "begin anew."
        )


def same(place: Path, found: Any, plan: Mapping[str, Any], /) -> None:
    """A checkpoint of what is asked for: the first difference is named."""
    if not isinstance(found, Mapping) or found.keys() != plan.keys():
        raise InputError(f"{place} cannot be used: its plan is of another form.")
    reason = _difference(found, plan)
    if reason:
        raise InputError(
            f"{place} is the checkpoint of another run: {reason}. Name another folder, or remove this one to begin "
            "anew."
        )


def _difference(found: Mapping[str, Any], plan: Mapping[str, Any]) -> str | None:
    if found["version"] != plan["version"]:
        return f"vesica {found['version']} began it, and this is {plan['version']}"
    if found["kind"] != plan["kind"]:
        return _kinds(found["kind"], plan["kind"])
    was, now = found["options"], plan["options"]
    for name in dict.fromkeys((*was, *now)):
        if was.get(name) != now.get(name):
            return f"`{name}` was {check.brief(was.get(name))} and is {check.brief(now.get(name))}"
    return _other_parts(found["parts"], plan["parts"])


def _kinds(was: str, now: str) -> str:
    budget = {"detection": "without", "sorted runs": "with"}
    if was in budget and now in budget:
        return f"it was begun {budget[was]} `memory`, and is asked for {budget[now]}"
    return f"it was begun for {was}, and is asked for {now}"


def _other_parts(was: Sequence[Any], now: Sequence[Any]) -> str | None:
    if was == now:
        return None
    for old, new in zip(was, now, strict=False):
        if old["name"] != new["name"]:
            return f"it has {old['name']} where {new['name']} is asked for"
    if len(was) != len(now):
        return f"it was of {len(was)} parts, and {len(now)} are asked for"
    return "its parts are others"
