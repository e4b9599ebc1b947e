"""Files of several annotators as one data set: a file or a folder for each of them, or one file of all."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import NamedTuple

from vesica._check.annotators import scored_alike
from vesica.dataset import Dataset
from vesica.errors import InputError
from vesica.io.options import Options
from vesica.io.read import Found, find


class Annotations(NamedTuple):
    """What several people marked, and what their files turned out to be."""

    data: Dataset
    found: list[Found]


def of_files(
    paths: Mapping[str, str] | Sequence[str | os.PathLike[str]],
    options: Callable[[str], Options] | None = None,
    /,
    *,
    format: str | None = None,
) -> Annotations:
    """One file of several annotators, or one file or folder for each, who is called by what tells the paths apart."""
    named = dict(paths) if isinstance(paths, Mapping) else names_of([os.fspath(path) for path in paths])
    if len(named) == 1:
        (path,) = named.values()
        found = find(path, options, format=format)
        if found.data.annotator is None and found.data.assignments is None:
            raise InputError(
                f"{found.name} does not say who marked what. Give one file for each annotator; of COCO, say the key "
                "that tells it: `annotator=KEY`."
            )
        return Annotations(found.data, [found])
    each = {name: find(path, options, format=format) for name, path in named.items()}
    scored_alike([one.name for one in each.values()], [one.data for one in each.values()])
    return Annotations(Dataset.of_annotators({name: one.data for name, one in each.items()}), list(each.values()))


def names_of(paths: Sequence[str], /) -> dict[str, str]:
    """A name for each path: its parts without those that all have at the beginning and at the end.

    >>> names_of(["day1/ann.json", "day1/ben.json"])
    {'ann': 'day1/ann.json', 'ben': 'day1/ben.json'}
    >>> names_of(["ann/labels", "ben/labels"])
    {'ann': 'ann/labels', 'ben': 'ben/labels'}
    """
    if not paths:
        return {}
    if len(set(paths)) != len(paths):
        raise InputError(f"{next(path for path in paths if paths.count(path) > 1)} is given twice.")
    parts = [[*PurePath(path).parts[:-1], _bare(PurePath(path).name)] for path in paths]
    while len(parts) > 1 and all(len(one) > 1 for one in parts) and len({one[-1] for one in parts}) == 1:
        parts = [one[:-1] for one in parts]
    while len(parts) > 1 and all(len(one) > 1 for one in parts) and len({one[0] for one in parts}) == 1:
        parts = [one[1:] for one in parts]
    last = [one[-1] for one in parts]
    names = last if len(set(last)) == len(last) else ["/".join(one) for one in parts]
    return dict(zip(names, paths, strict=True)) if len(set(names)) == len(names) else {path: path for path in paths}


def _bare(name: str) -> str:
    """A file's name without its ending."""
    stem = PurePath(name.removesuffix(".gz")).stem
    return stem or name
