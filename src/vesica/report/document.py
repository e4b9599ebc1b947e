"""Pages as one HTML file: no network, no framework, nothing in it that data could run."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from string import Template
from typing import Any

from vesica.report import escape
from vesica.report.charts import variables
from vesica.report.photographs import Picture
from vesica.report.views import (
    Block,
    Chart,
    Choice,
    Colour,
    Facts,
    Filter,
    Grid,
    Item,
    Line,
    Page,
    Row,
    Shape,
    Table,
    Tile,
    Tiles,
    Value,
    Words,
)

POLICY = (
    "default-src 'none'; img-src {images}; style-src 'unsafe-inline'; script-src 'sha256-{script}'; "
    "base-uri 'none'; form-action 'none'"
)
LEGEND = {
    "truth": "truth",
    "right": "guess that is right",
    "wrong": "guess that is wrong",
    "missed": "truth that was missed",
    "crowd": "does not count",
}
_LOOKS = [*LEGEND, *(f"kind{n}" for n in range(6))]
"""How shapes can be drawn."""
_MOST_COLOURS = 40
"""Colours that the legend names."""
_OWN = {
    "card": ("#f6f8fa", "#181d24"),
    "edge": ("#c5cdd6", "#465260"),
    "accent": ("#0b7285", "#43b4ca"),
    "good": ("#2b7a3e", "#69db7c"),
    "focus": ("#3b5bdb", "#8ea6ff"),
}


@dataclass(frozen=True)
class Document:
    """All that a file shows. `rows` are by the key of their page; `left_out` says what is not there."""

    title: str
    sentence: str
    pages: tuple[Page, ...]
    items: Mapping[str, tuple[Item, ...]]
    rows: Mapping[str, tuple[Row, ...]]
    left_out: tuple[str, ...] = ()
    footer: str = ""
    legend: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    swatches: tuple[tuple[str, Colour], ...] = ()
    """By the key of a page what the roles of its shapes are, where that is not what they usually are."""
    links_pictures: bool = False


def html_of(document: Document, /) -> str:
    """The file as text: the same for the same document."""
    folder = Path(__file__).parent
    script = (folder / "page.js").read_text(encoding="utf-8")
    data, shown = _data(document), _shown(document)
    policy = POLICY.format(
        images="data: 'self' file: http: https:" if document.links_pictures else "data:",
        script=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )
    places = {key: page.title for page in document.pages if (key := page.key)}
    return Template((folder / "page.html").read_text(encoding="utf-8")).substitute(
        policy=policy,
        title=escape.text(document.title),
        style=_colours() + (folder / "page.css").read_text(encoding="utf-8"),
        sentence=f"<p>{escape.text(document.sentence)}</p>" if document.sentence else "",
        nav="".join(
            f'<a href="#{key}">{escape.text(title)}</a>' for key, title in [*places.items(), ("gallery", "Gallery")]
        ),
        pages="".join(_page(page) for page in document.pages),
        shown=escape.text(shown),
        legend=_legend(document),
        items=_items(document),
        left_out="".join(f"<p>{escape.text(line)}</p>" for line in document.left_out),
        footer=escape.text(document.footer),
        data=escape.block(data),
        script=script,
    )


def _colours() -> str:
    """The variables of both themes. Paper is light."""
    both = {**variables(), **_OWN}
    light, dark = ("".join(f"--{name}:{pair[k]};" for name, pair in both.items()) for k in (0, 1))
    screen = "@media screen and (prefers-color-scheme: dark)"
    return f":root{{color-scheme:light;{light}}}{screen}{{:root{{color-scheme:dark;{dark}}}}}\n"


# ---- blocks


def _page(page: Page) -> str:
    sentence = f"<p>{escape.text(page.sentence)}</p>" if page.sentence else ""
    blocks = "".join(_block(block, page.asks or page.key) for block in page.blocks)
    title = f'<h2 id="{page.key}-title">{escape.text(page.title)}</h2>'
    head = f'<section id="{page.key}" aria-labelledby="{page.key}-title">{title}{sentence}'
    return f'{head}<div class="blocks">{blocks}</div></section>\n'


def _block(block: Block, page: str) -> str:
    if isinstance(block, Chart):
        return _chart(block, page, "wide" if block.is_wide else "")
    if isinstance(block, Choice):
        return _choice(block, page)
    if isinstance(block, Tiles):
        tiles = "".join(_tile(tile, block.page or page) for tile in block.tiles)
        return (
            f'<div class="block wide first" id="block-{block.key}">{_head(block)}<ul class="tiles">{tiles}</ul></div>'
        )
    if isinstance(block, Words):
        lines = "".join(_line(line, block.page or page) for line in block.lines)
        return f'<div class="block wide" id="block-{block.key}">{_head(block)}<ul class="lines">{lines}</ul></div>'
    left_out = f"<p>{escape.text(block.left_out)}</p>" if block.left_out else ""
    return f'<div class="block wide" id="block-{block.key}">{_head(block)}{_table(block, page)}{left_out}</div>'


def _head(block: Tiles | Words | Table) -> str:
    title = f"<h3>{escape.text(block.title)}</h3>" if block.title else ""
    return title + (f"<p>{escape.text(block.sentence)}</p>" if block.sentence else "")


def _chart(chart: Chart, page: str, kind: str) -> str:
    words = f"<h3>{escape.text(chart.title)}</h3><p>{escape.text(chart.sentence)}</p>"
    tall = " tall" if chart.is_wide else ""
    numbers = ""
    if chart.table is not None:
        left_out = f"<p>{escape.text(chart.table.left_out)}</p>" if chart.table.left_out else ""
        told = f"<summary>Numbers<span hidden> of {escape.text(chart.title)}</span></summary>"
        numbers = f"<details>{told}{_table(chart.table, page)}{left_out}</details>"
    figure = f'<figure class="chart {kind}{tall}" id="chart-{chart.key}"><figcaption>{words}</figcaption>'
    return f"{figure}{chart.svg}{numbers}</figure>"


def _choice(choice: Choice, page: str) -> str:
    name = f"choice-{choice.key}"
    buttons = "".join(
        f'<input type="radio" name="{name}" id="{name}-{k}"{" checked" if k == 0 else ""}>'
        f'<label for="{name}-{k}">{escape.text(text)}</label>'
        for k, text in enumerate(choice.names)
    )
    charts = "".join(_chart(chart, page, "") for chart in choice.charts)
    kind, title = "wide" if choice.is_wide else "", escape.text(choice.title)
    return f'<div class="block choice {kind}" role="group" aria-label="{title}">{buttons}{charts}</div>'


def _tile(tile: Tile, page: str) -> str:
    interval = f'<small class="ends">{escape.text(tile.interval)}</small>' if tile.interval else ""
    note = f"<small>{escape.text(tile.note)}</small>" if tile.note else ""
    exact = "" if tile.number is None else f' data-number="{tile.number!r}"'
    label = escape.text(tile.label).replace("_", "_<wbr>")  # where a long name may break
    inside = f"<b{exact}>{escape.text(tile.value)}</b><span>{label}</span>{interval}{note}"
    return f'<li class="tile" id="tile-{tile.key}">{_leads(inside, tile.filter, page, "div")}</li>'


def _line(line: Line, page: str) -> str:
    lead = f"<b>{escape.text(line.lead)}</b>" if line.lead else ""
    inside = _leads(escape.text(line.text), line.filter, page, "span")
    return f'<li class="{line.kind}">{lead}{inside}</li>'


def _leads(inside: str, wanted: Filter | None, page: str, otherwise: str) -> str:
    if wanted is None:
        return f"<{otherwise}>{inside}</{otherwise}>"
    return f'<a href="{escape.address(escape.fragment(page, _visible(wanted)))}">{inside}</a>'


def _table(table: Table, page: str) -> str:
    texts = [all(isinstance(row[k], str) for row in table.rows) for k in range(len(table.columns))]
    head = "".join(
        f'<th scope="col"{" class=text" if is_text else ""}>{escape.text(name)}</th>'
        for name, is_text in zip(table.columns, texts, strict=True)
    )
    filters = table.filters or (None,) * len(table.rows)
    rows = "".join(_row(row, wanted, page) for row, wanted in zip(table.rows, filters, strict=True))
    name = escape.text(table.title or "Numbers")
    inside = f'<table id="table-{table.key}"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{name}">{inside}</div>'


def _row(row: Sequence[Value], wanted: Filter | None, page: str) -> str:
    name = escape.text(shown(row[0]))
    first = name if wanted is None else _leads(name, wanted, page, "")
    cells = "".join(_cell(value) for value in row[1:])
    return f'<tr{"" if wanted is None else " class=leads"}><th scope="row">{first}</th>{cells}</tr>'


def _cell(value: Value) -> str:
    kind = ' class="text"' if isinstance(value, str) else ""
    return f"<td{kind}>{escape.text(shown(value))}</td>"


def shown(value: Value, /) -> str:
    """A cell as text.

    >>> shown(0.12345), shown(12345), shown(None), shown("cat")
    ('0.123', '12,345', '–', 'cat')
    """
    if value is None or value != value:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


# ---- the gallery, and what the script reads


def _roles(document: Document) -> dict[str, dict[str, str]]:
    """Page by page what the roles of its shapes are, in words."""
    found = {}
    for page, items in document.items.items():
        used = {shape.role for item in items for shape in item.shapes}
        words = {**LEGEND, **document.legend.get(page, {})}
        found[page] = {role: told for role, told in words.items() if role in used}
    return found


def _legend(document: Document) -> str:
    """Roles with their words, each once, and what colours are."""
    roles = dict.fromkeys(pair for own in _roles(document).values() for pair in own.items() if pair[1])
    colours = document.swatches if any(document.items.values()) else ()
    shown = [f'<span><i class="{role}"></i>{escape.text(words)}</span>' for role, words in roles]
    shown += [
        f'<span><i class="colour" style="background:rgb{colour}"></i>{escape.text(name)}</span>'
        for name, colour in colours[:_MOST_COLOURS]
    ]
    if len(colours) > _MOST_COLOURS:
        shown.append(f"<span>and {len(colours) - _MOST_COLOURS:,} more classes</span>")
    return "".join(shown)


def _shown(document: Document) -> str:
    count = sum(map(len, document.items.values()))
    if not count:
        return "No pictures are embedded."
    noun = "picture" if count == 1 else "pictures"
    return f"{count:,} {noun}. Click a number, a bar, a cell or a row above to see the objects behind it."


def _items(document: Document) -> str:
    items = [item for own in document.items.values() for item in own]
    figures = "".join(_item(item, at) for at, item in enumerate(items))
    return f'<div class="pictures">{figures}</div>' if figures else ""


def _item(item: Item, at: int) -> str:
    caption, name = escape.text(item.caption), escape.text(f"Open {item.caption}")
    image = f'<img alt="" decoding="async" src="{escape.address(item.picture)}">' if item.picture else ""
    frame = f'<span class="picture" style="aspect-ratio:{item.width:g}/{item.height:g}">{image}</span>'
    button = f'<button type="button" aria-label="{name}">{frame}</button>'
    return f'<figure class="item" data-at="{at}" id="item-{at}">{button}<figcaption>{caption}</figcaption></figure>'


class _Strings:
    """Strings by the place that they have in one list: each is written once."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self.seen: dict[str, int] = {}

    def place(self, value: str) -> int:
        found = self.seen.get(value)
        if found is None:
            found = self.seen[value] = self.places.setdefault(escape.visible(value), len(self.places))
        return found

    def facts(self, facts: Facts, keys: Sequence[str]) -> list[int | list[int]]:
        """For each key the place of its value, or the places of several; −1 for none."""
        return [self._places(facts[name]) if name in facts else -1 for name in keys]

    def _places(self, value: str | tuple[str, ...]) -> int | list[int]:
        return self.place(value) if isinstance(value, str) else [self.place(one) for one in value]


def _data(document: Document) -> dict[str, Any]:
    strings = _Strings()
    charts = [(page.asks or page.key, chart) for page in document.pages for chart in _charts(page)]
    return {
        "pages": {page.key: escape.visible(page.title) for page in document.pages},
        "shown": _shown(document),
        "groups": [_group(page, own, document.rows.get(page, ()), strings) for page, own in document.items.items()],
        "grids": {chart.key: _grid(chart.grid, page) for page, chart in charts if chart.grid is not None},
        "marks": {
            f"{chart.key}-{mark}": escape.fragment(page, _visible(told.filter))
            for page, chart in charts
            for mark, told in chart.marks.items()
        },
        "looks": _LOOKS,
        "roles": {
            page: {role: escape.visible(told) for role, told in own.items()} for page, own in _roles(document).items()
        },
        "strings": list(strings.places),
    }


def _group(page: str, items: Sequence[Item], rows: Sequence[Row], strings: _Strings) -> dict[str, Any]:
    """The objects of one page. Each has a value, or −1, for each of the facts that any of them has."""
    every = [item.facts for item in items] + [shape.facts for item in items for shape in item.shapes]
    keys = list(dict.fromkeys(name for facts in (*every, *(row.facts for row in rows)) for name in facts))
    return {
        "page": page,
        "keys": [strings.place(name) for name in keys],
        "items": [
            [
                item.width,
                item.height,
                strings.facts(item.facts, keys),
                [_shape(one, keys, strings) for one in item.shapes],
            ]
            for item in items
        ],
        "rows": [[strings.place(row.image), *strings.facts(row.facts, keys)] for row in rows],
    }


def _visible(facts: Filter) -> dict[str, str]:
    return {escape.visible(name): escape.visible(value) for name, value in facts.items()}


def _charts(page: Page) -> Iterable[Chart]:
    for block in page.blocks:
        if isinstance(block, Chart):
            yield block
        elif isinstance(block, Choice):
            yield from block.charts


def _grid(grid: Grid, page: str) -> dict[str, Any]:
    names = {side: [escape.visible(one) for one in getattr(grid, side)] for side in ("rows", "columns")}
    # Of many classes nearly all cells are empty, and those are not drawn.
    counts = {
        str(row): {str(column): count for column, count in enumerate(cells) if count}
        for row, cells in enumerate(grid.counts)
        if any(cells)
    }
    return {"page": page, "facts": list(grid.facts), **names, "counts": counts}


def _shape(shape: Shape, keys: Sequence[str], strings: _Strings) -> list[Any]:
    """Role, label, where it is, facts: four numbers are a box, lists are rings, an object has runs."""
    place: Any = []
    if shape.box is not None:
        place = [_short(value) for value in shape.box]
    elif shape.rings:
        place = [[_short(value) for value in ring] for ring in shape.rings]
    elif shape.runs is not None:
        height, width, counts = shape.runs
        place = {"size": [height, width], "counts": list(counts)}
    return [_LOOKS.index(shape.role), escape.visible(shape.label), place, strings.facts(shape.facts, keys)]


def _short(value: float) -> float:
    """To a tenth of a pixel; whole numbers without a point."""
    near = round(value, 1)
    return int(near) if near == int(near) else near


def with_pictures(items: Sequence[Item], pictures: Mapping[str, Picture], /) -> tuple[Item, ...]:
    """The same items, with the addresses of their photographs, and their sizes where they were not known."""
    return tuple(_with_picture(item, pictures.get(item.image)) for item in items)


def _with_picture(item: Item, picture: Picture | None) -> Item:
    if picture is None or item.picture:
        return item
    size = (item.width, item.height) if item.has_size or not picture.width else (picture.width, picture.height)
    return replace(item, picture=picture.address, width=float(size[0]), height=float(size[1]))
