"""Where numbers come from: conventions, versions, files and their hashes. No date, and no path of anybody's machine."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Sequence
from typing import Any

import numpy as np

from vesica.report.views import Block, Page, Part, Table


def page_of(parts: Sequence[Part], /, *, files: Sequence[Any]) -> Page:
    """What somebody needs to get the same numbers."""
    blocks: list[Block] = []
    for part in parts:
        if part.policy:
            lines = tuple((_words(name), _told(value)) for name, value in part.policy.items())
            blocks.append(
                Table(f"{part.page.key}-policy", f"Conventions: {part.page.title}", ("convention", "value"), lines)
            )
    rows = [("vesica", _version()), ("Python", platform.python_version()), ("numpy", np.__version__)]
    rows += [(str(name), _told(value)) for part in parts for name, value in part.provenance.items()]
    rows += [(f"file {os.path.basename(os.fspath(name))}", _hash(name)) for name in files]
    blocks.append(Table("provenance-table", "Made with", ("what", "which"), tuple(rows)))
    return Page(
        "provenance",
        "Provenance",
        tuple(blocks),
        "What the numbers depend on. There is no date: the same input gives the same file.",
    )


def footer() -> str:
    """The last line of a page."""
    return f"vesica {_version()}. One file, no network, no tracking."


def _version() -> str:
    import vesica

    return vesica.__version__


def _words(name: str) -> str:
    return name.replace("_", " ")


def _told(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name} {_told(one)}" for name, one in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_told, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _hash(path: Any) -> str:
    """The first half of the SHA-256 of a file; what is no file has none."""
    try:
        if not os.path.isfile(path):
            return "a folder" if os.path.isdir(path) else "no file"
        found = hashlib.sha256()
        with open(path, "rb") as file:
            while piece := file.read(1 << 20):
                found.update(piece)
    except OSError:
        return "could not be read"
    return f"{os.path.getsize(path):,} bytes, SHA-256 {found.hexdigest()[:32]}…"
