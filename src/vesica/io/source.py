"""Sources: what a path stands for, and what a reader makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from vesica.dataset import Dataset
from vesica.errors import InputError
from vesica.io.files import File, load


class Reading(NamedTuple):
    """What a reader found."""

    data: Dataset
    form: str
    """What the numbers of a box mean there."""
    title: str
    """What the file turned out to be."""


class Source(NamedTuple):
    """What a path stands for: one file that was loaded, or many below a root."""

    name: str
    root: str
    files: list[str]
    loaded: File | None = None
    left_out: tuple[str, ...] = ()
    """Files that one might take for some of them."""
    packed: tuple[File, ...] = ()
    """What the files hold, where each is an archive."""

    @property
    def file(self) -> File:
        """The one file, of formats that have one."""
        if self.loaded is not None:
            return self.loaded
        if len(self.files) != 1:
            raise InputError(f"{self.name} stands for {len(self.files)} files of this format; read them one by one.")
        return load(self.files[0], in_pieces=True)

    def contents(self) -> Iterator[tuple[str, bytes]]:
        """Names and bytes of all files, of formats that have one for each image."""
        from vesica.io.text_fields import bytes_of

        if self.loaded is not None:
            yield self.name, self.loaded.data
        elif self.packed:
            yield from ((file.name, file.data) for file in self.packed)
        else:
            yield from ((path, bytes_of(path, self.root)) for path in self.files)
