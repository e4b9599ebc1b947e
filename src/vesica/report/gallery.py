"""The gallery: which pictures a file holds, until it is as large as it may be, and what was left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from vesica.report import photographs
from vesica.report.document import Document, with_pictures
from vesica.report.views import Item, Row

MOST = 200
"""Pictures of a file."""
ROWS = 12_000
"""Objects that are listed without a picture."""
ENOUGH = 30
"""Pictures that stay as long as rows can go."""
BARE = 2_000_000
"""Bytes of a file without photographs."""


class LeftOut(NamedTuple):
    """What a file lacks, and how large it is."""

    bytes: int
    pictures: int
    lines: tuple[str, ...]


def fitted(
    document: Document, write: Callable[[Document], str], /, *, images: Any, embed: str, most: int
) -> tuple[str, LeftOut]:
    """The text of a document of at most `most` bytes: photographs are left out first, then pictures, then rows."""
    if embed == "none":
        bare_items = {key: tuple(replace(item, picture="") for item in own) for key, own in document.items.items()}
        document = replace(document, items=bare_items)
    offered = _count(document)
    document, dropped = _few(document)
    bare, drawn = _sizes(document, write)
    while (bare > min(most, BARE) or bare + drawn > most) and _count(document) + _rows(document) > 1:
        # Pictures first, whose objects become rows; then both.
        rows = ROWS if _count(document) > ENOUGH else _rows(document) // 2
        document, more = _few(document, _count(document) // 2, rows=rows)
        dropped += more
        bare, drawn = _sizes(document, write)
    room = most - bare - drawn
    lines = [*document.left_out, *_told(offered - _count(document), dropped)]
    if images is not None and embed != "none":
        found = photographs.pictures_of(_names(document), images, embed=embed, room=room - 4000)
        lines += found.lines
        if embed == "link" and found.pictures:
            lines.append(
                "Photographs are links to where they lay when this was written: its content policy allows them."
            )
        document = replace(
            document,
            items={key: with_pictures(items, found.pictures) for key, items in document.items.items()},
            links_pictures=embed == "link",
        )
    document = replace(document, left_out=tuple(lines))
    text = write(document)
    return text, LeftOut(len(text.encode("utf-8", "replace")), _count(document), tuple(lines))


def _sizes(document: Document, write: Callable[[Document], str]) -> tuple[int, int]:
    """Bytes without any picture, and of the pictures that items came with."""
    bare = {key: tuple(replace(item, picture="") for item in own) for key, own in document.items.items()}
    drawn = sum(len(item.picture) for own in document.items.values() for item in own)
    return len(write(replace(document, items=bare)).encode("utf-8", "replace")), drawn


def _names(document: Document) -> dict[str, None]:
    return dict.fromkeys(item.image for items in document.items.values() for item in items if not item.picture)


def _count(document: Document) -> int:
    return sum(map(len, document.items.values()))


def _rows(document: Document) -> int:
    return sum(map(len, document.rows.values()))


def _few(document: Document, most: int = MOST, rows: int = ROWS) -> tuple[Document, int]:
    """Each page has its share of the pictures; the objects of those that go are rows."""
    total = _count(document)
    listed = {key: list(own) for key, own in document.rows.items()}
    items: dict[str, tuple[Item, ...]] = {}
    for key, own in document.items.items():
        share = len(own) if total <= most else -(-most * len(own) // total)
        items[key] = own[:share]
        listed[key] = [*(row for item in own[share:] for row in rows_of(item)), *listed.get(key, [])]
    share = rows // max(1, len(listed))
    lost = sum(max(0, len(own) - share) for own in listed.values())
    kept: Mapping[str, tuple[Row, ...]] = {key: tuple(own[:share]) for key, own in listed.items()}
    return replace(document, items=items, rows=kept), lost


def rows_of(item: Item, /) -> list[Row]:
    """The objects of a picture that is not embedded."""
    return [Row(item.image, {**item.facts, **shape.facts}) for shape in item.shapes if shape.facts]


def _told(pictures: int, objects: int) -> list[str]:
    lines = []
    if pictures:
        lines.append(f"{pictures:,} pictures are left out to keep the file small; their objects are listed.")
    if objects:
        lines.append(f"{objects:,} objects are neither shown nor listed: charts and tables count them.")
    return lines
