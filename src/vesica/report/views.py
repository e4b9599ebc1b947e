"""What a report shows, as frozen rows without a word of HTML: every writer reads these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

Filter: TypeAlias = Mapping[str, str]
"""Facts and the values that they must have: {"category": "cat", "cause": "duplicate"} asks for objects with both.

A filter asks the objects of its own page alone.
"""

Facts: TypeAlias = Mapping[str, str | tuple[str, ...]]
"""What is known of an object; a fact may have several values, and a filter finds it by each of them."""

Colour: TypeAlias = tuple[int, int, int]
"""Red, green and blue, from 0 to 255."""

Value: TypeAlias = str | int | float | None
"""What a cell of a table shows: floats with three decimals, whole numbers with commas, None as a dash."""


@dataclass(frozen=True)
class Tile:
    """One number of the headline; `number` is the same, exactly."""

    key: str
    label: str
    value: str
    interval: str = ""
    note: str = ""
    filter: Filter | None = None
    number: float | None = None


@dataclass(frozen=True)
class Tiles:
    """Tiles beside each other, above them what they are of."""

    key: str
    title: str
    tiles: tuple[Tile, ...]
    sentence: str = ""
    page: str = ""
    """The key of the page that filters ask; by default the one that it stands on."""


@dataclass(frozen=True)
class Table:
    """Rows of numbers; `filters` has one filter, or None, for each row, or is empty. The first column is the name.

    `left_out` says what is not shown.
    """

    key: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    filters: tuple[Filter | None, ...] = ()
    sentence: str = ""
    left_out: str = ""


class Mark(NamedTuple):
    """Something in a chart that leads to objects: what it says to those who cannot see it, and which objects."""

    label: str
    filter: Filter


class Grid(NamedTuple):
    """A chart of cells, each of which leads to objects.

    The cell of row i and column j has the id "cell-i-j" in its chart, and leads to
    {facts[0]: rows[i], facts[1]: columns[j]}; `counts` are how many that are, for the words.
    """

    facts: tuple[str, str]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Chart:
    """A drawing with a title, a sentence, and its numbers as a table.

    `marks` are by the id that their artist has in the drawing, without the prefix of the chart.
    """

    key: str
    title: str
    sentence: str
    svg: str
    table: Table | None = None
    marks: Mapping[str, Mark] = field(default_factory=dict)
    grid: Grid | None = None
    is_wide: bool = False


@dataclass(frozen=True)
class Choice:
    """Charts of one thing, of which one is shown: the first, until another is chosen."""

    key: str
    title: str
    names: tuple[str, ...]
    charts: tuple[Chart, ...]
    is_wide: bool = False


class Line(NamedTuple):
    """A sentence, which may lead to objects; `kind` is "", "good", "bad" or "note", and `lead` stands before it."""

    text: str
    kind: str = ""
    filter: Filter | None = None
    lead: str = ""


@dataclass(frozen=True)
class Words:
    """Sentences below each other: findings, policy, provenance, what to fix first."""

    key: str
    title: str
    lines: tuple[Line, ...]
    sentence: str = ""
    page: str = ""
    """As of tiles."""


Block: TypeAlias = Tiles | Table | Chart | Choice | Words


@dataclass(frozen=True)
class Page:
    """Blocks under one title. Its key stands in addresses: letters, digits and hyphens."""

    key: str
    title: str
    blocks: tuple[Block, ...]
    sentence: str = ""
    asks: str = ""
    """The key of the page whose objects its filters ask; by default its own."""


@dataclass(frozen=True)
class Shape:
    """One region over a picture, in pixels of the image, and what is known of it.

    `role` is how it is drawn: "truth" (solid), "right" and "wrong" (guesses, dashed), "missed" (filled), "crowd"; or
    "kind0" to "kind5" for sides of which none is the truth. An object that is nowhere in particular is only told.
    One of `box` (x1, y1, x2, y2), `rings` (each a flat tuple x, y, x, y …) and `runs` says where it is. `runs` are
    (height, width, counts): lengths of runs column by column, background first, as COCO has them.
    """

    role: str
    label: str = ""
    box: tuple[float, float, float, float] | None = None
    rings: tuple[tuple[float, ...], ...] = ()
    runs: tuple[int, int, tuple[int, ...]] | None = None
    facts: Facts = field(default_factory=dict)


@dataclass(frozen=True)
class Item:
    """One picture of the gallery.

    `facts` are those of the image: each of its shapes has them too. `image` is the name by which `images` finds the
    photograph; `picture` is its address, once there is one. An item that comes with a picture keeps it. Without
    `has_size` the width and height are guessed, and a photograph says them.
    """

    key: str
    image: str
    caption: str
    width: float
    height: float
    shapes: tuple[Shape, ...] = ()
    facts: Facts = field(default_factory=dict)
    picture: str = ""
    has_size: bool = True


class Row(NamedTuple):
    """An object whose picture is not in the gallery: the name of its image, and its facts."""

    image: str
    facts: Facts


@dataclass(frozen=True)
class Part:
    """All that one result gives to a report.

    `items` are the telling images, those first that should stay where not all fit; `rows` are objects of other images;
    `left_out` says what is in neither. `policy` and `provenance` are names with values. `legend` says what roles of
    its shapes are, where that is not what they usually are.
    """

    page: Page
    tiles: Tiles
    first: Words | None = None
    items: tuple[Item, ...] = ()
    rows: tuple[Row, ...] = ()
    left_out: tuple[str, ...] = ()
    notes: tuple[Line, ...] = ()
    policy: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    data: Page | None = None
    legend: Mapping[str, str] = field(default_factory=dict)
    swatches: tuple[tuple[str, Colour], ...] = ()
    """What colours in its pictures are."""
