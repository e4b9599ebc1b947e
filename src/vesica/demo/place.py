"""Where a demo may go: a new folder, an empty one, or that of an earlier demo."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vesica.demo.files import FIRST_LINE, MARK
from vesica.errors import InputError


def check_ours(folder: Path, /) -> None:
    """Raise for a folder with files of somebody else: none of them is to be written over."""
    if not folder.is_dir() or _is_ours(folder):
        return
    other = next((path.name for path in sorted(folder.iterdir()) if not path.name.startswith(".vesica-")), None)
    if other is not None:
        raise InputError(
            f"{folder} is no earlier demo, and has files of its own, such as {other}. Name another folder, as in "
            "--output world."
        )


def _is_ours(folder: Path) -> bool:
    return any(_first_line(path) == FIRST_LINE for path in _marks(folder))


def _marks(folder: Path) -> Iterator[Path]:
    """The mark of a demo; that of one which was killed lies where files wait for their places."""
    yield folder / MARK
    yield from sorted(folder.glob(f".vesica-*.unfinished/*/{MARK}"))


def _first_line(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            return file.readline(1000).decode("utf-8", "replace").rstrip()
    except OSError:
        return ""
