"""The file of settings: vesica.toml, or `[tool.vesica]` of pyproject.toml, here or in a folder above."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

VARIABLE = "VESICA_CONFIG"
NAMES = ("vesica.toml", "pyproject.toml")
"""In this order, folder by folder."""
MOST_BYTES = 1 << 20
"""A file of settings is small; this one is something else."""


class SettingsFile(NamedTuple):
    """What a file says."""

    path: str
    """As it is told: relative to the working directory, where that is shorter."""
    table: dict[str, Any]
    is_pyproject: bool

    def place(self, verb: str | None) -> str:
        """The table of a verb, as the file writes it; None is that of all verbs."""
        first = "tool.vesica" if self.is_pyproject else ""
        name = ".".join(part for part in (first, verb or "") if part)
        return f"{self.path} [{name}]" if name else self.path


def find() -> SettingsFile | None:
    """The file that holds here, or None; ValueError for one that cannot be used."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        if not named:  # said to be none
            return None
        if not os.path.isfile(named):
            raise ValueError(f"{VARIABLE} names {named!r}, which is no file")
        found = _read(named)
        if found is None:
            raise ValueError(f"{VARIABLE} names {named!r}, which has no [tool.vesica]")
        return found
    for folder in _folders():
        for name in NAMES:
            path = os.path.join(folder, name)
            try:
                found = _read(path) if os.path.isfile(path) else None
            except OSError:  # one that may not be read is somebody else's
                continue
            if found is not None:
                return found
    return None


def _folders() -> Iterator[str]:
    """The working directory, and those above it."""
    try:
        folder = os.getcwd()
    except OSError:  # it is gone
        return
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def _read(path: str) -> SettingsFile | None:
    """What a file says; None for a pyproject.toml that does not speak of vesica."""
    with open(path, "rb") as file:
        data = file.read(MOST_BYTES + 1)
    is_pyproject = os.path.basename(path) == "pyproject.toml"
    if is_pyproject and b"vesica" not in data:
        return None
    told = _told(path)
    if len(data) > MOST_BYTES:
        raise ValueError(f"{told} has more than {MOST_BYTES:,} bytes, which no file of settings has")
    whole = _parsed(data, told)
    if not is_pyproject:
        return SettingsFile(told, whole, False)
    tools = whole.get("tool", {})
    own = tools.get("vesica") if isinstance(tools, dict) else None
    if own is None:
        return None
    if not isinstance(own, dict):
        raise ValueError(f"{told}: tool.vesica must be a table")
    return SettingsFile(told, own, True)


def _told(path: str) -> str:
    """The path in few letters, and the same on every machine."""
    try:
        relative = os.path.relpath(path)
    except (OSError, ValueError):  # another drive
        return path
    return relative.replace(os.sep, "/")


def _parsed(data: bytes, told: str) -> dict[str, Any]:
    toml = _toml(told)
    try:
        found: dict[str, Any] = toml.loads(data.decode("utf-8-sig"))
        return found
    except (toml.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{told} is no TOML: {error}. --no-config leaves it aside") from None


def _toml(told: str) -> Any:
    """The reader of TOML: Python has one from 3.11 on."""
    for name in ("tomllib", "tomli"):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            continue
    raise ValueError(f"{told} needs tomli on Python 3.10: pip install tomli. Or say --no-config")
