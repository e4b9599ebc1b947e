"""Parts: what paths stand for, cut into blocks of whole images."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from vesica._check import scale as check

Part = dict[str, Any]
"""Plain values alone, so that any engine can send it: "name", and paths and row groups."""


def files_of(paths: Any, /) -> list[str]:
    """The files that a path, a pattern, a folder or a list of such stands for, in the order of their names."""
    listed = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    found: list[str] = []
    for one in listed:
        path = os.fspath(one)
        if os.path.isdir(path):
            found += sorted(entry.path for entry in os.scandir(path) if entry.is_file() and not _is_hidden(entry.name))
        elif any(letter in path for letter in "*?[") and not os.path.exists(path):
            from vesica.io.folders import files_of as files_like

            found += map(str, files_like(path))
        else:
            found.append(path)
    check.some_files(found, paths)
    return found


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "_"))


def parts_of_tables(paths: Any, /) -> list[Part]:
    """Row groups of Parquet files with both sides."""
    from vesica.io.parquet import groups_in

    parts: list[Part] = []
    for path in files_of(paths):
        groups = groups_in(path)
        if groups <= 1:
            parts.append({"name": path, "table": path, "group": None})
        else:
            parts += [{"name": f"{path}, row group {k}", "table": path, "group": k} for k in range(groups)]
    return parts


def parts_of_pairs(truths: Any, guesses: Any, /) -> list[Part]:
    """Files of truths and of guesses, the nth with the nth."""
    first, second = files_of(truths), files_of(guesses)
    check.as_many(first, second)
    return [
        {"name": f"{truth} with {guess}", "truth": truth, "guess": guess}
        for truth, guess in zip(first, second, strict=True)
    ]


def blocks(names: Sequence[Any], count: int, /) -> list[tuple[int, int]]:
    """Where so many blocks of about one size begin and end."""
    count = max(1, min(count, len(names)))
    ends = [len(names) * k // count for k in range(count + 1)]
    return [(ends[k], ends[k + 1]) for k in range(count) if ends[k] < ends[k + 1]]
