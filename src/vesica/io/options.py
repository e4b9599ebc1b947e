"""What the caller says of a file that the file itself does not."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Options:
    """How to read a file; see `vesica.read`. None is: as the format has it."""

    masks: bool = True
    check: bool = True
    boxes: str | None = None
    sizes: Any = None
    images: Any = None
    names: Any = None
    kind: str | None = None
    columns: str | None = None
    threads: int | None = None
    predictions: bool = False
    annotator: str | bool | None = None
    literal: str | None = None
    """The regions that are to be scored as pycocotools scores them; see `coco.dataset_of`."""

    def for_format(self, format: str, used: tuple[str, ...]) -> Options:
        """The options themselves, if the format knows what to do with all that were given."""
        general = {"masks", "check", "threads", "literal", *used}
        for field in fields(self):
            if getattr(self, field.name) not in (None, False) and field.name not in general:
                raise ValueError(f"`{field.name}` says nothing about a file of the format {format!r}. Leave it out.")
        return self
