"""CSV with a header, and a row for each object."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._array import objects
from vesica._check.dataset import known
from vesica.dataset import Categories, Dataset, Images
from vesica.dataset.arrays import xywh_of
from vesica.dataset.column_names import NAMES, SIZES, box_columns, known_columns, plain
from vesica.dataset.ids import places
from vesica.errors import InputError
from vesica.io import openimages
from vesica.io.image_size import pictures_in
from vesica.io.options import Options
from vesica.io.picture_sizes import sized
from vesica.io.source import Reading, Source
from vesica.io.text_fields import is_number, sound, text_of

SEPARATORS = ",;\t"


@dataclass(frozen=True)
class _Table:
    """Cells by column, and which column is what."""

    name: str
    cells: dict[str, list[str]]
    form: str
    box: tuple[str, ...]
    columns: dict[str, str]
    """The name in the header of `image`, `category`, …"""
    size: tuple[str, ...]
    shares: bool = False
    """Are the boxes shares of their images?"""
    kept: list[int] | None = None
    """The rows that have a box; None if all do."""

    def __contains__(self, key: str) -> bool:
        return key in self.columns

    def column(self, key: str) -> list[str]:
        """Cells of the rows that have a box."""
        return self._taken(self.cells[self.columns[key]])

    def corners(self) -> list[list[str]]:
        return [self._taken(self.cells[side]) for side in self.box]

    def _taken(self, cells: list[str]) -> list[str]:
        return cells if self.kept is None else [cells[k] for k in self.kept]

    def place(self, row: int) -> str:
        """Where a row that has a box stands in the file."""
        return f"{self.name}, row {(row if self.kept is None else self.kept[row]) + 1}"


def read(source: Source, options: Options, /) -> Reading:
    """A table with a header."""
    data, form = csv_of(source.file.data, source.name, options)
    return Reading(data, form, "CSV")


def csv_of(data: bytes, name: str, options: Options, /) -> tuple[Dataset, str]:
    """The objects of a CSV file with a header, and what the numbers of its boxes are.

    There must be a column of images and four of the box; class, score, area, crowd, ignore, id, annotator and the
    image's width and height are read where they are. A row whose box is empty is an image in which nothing was found.
    Under the column names of Open Images boxes are shares of the image, unless `boxes` says otherwise.
    """
    text = text_of(data, name)
    whole = _recognised(name, _split(text, name), options.boxes, _words(_first_line(text)))
    table = replace(whole, kept=_with_box(whole))
    box, comma = _numbers(table)
    every = ids_of(whole.column("image"), "image", whole.place)
    images = _images(every, whole, options)
    mine = every if table.kept is None else every[table.kept]
    sizes = _sizes_of_rows(table, np.stack(box, axis=1), images, mine) if table.shares else None
    boxes = xywh_of(np.stack(box, axis=1), table.form, sizes, look=False)
    given: dict[str, Any] = {key: _floats(table, key) for key in ("score", "area") if key in table}
    if options.check:
        sound({"boxes": boxes, **given}, table.place)

    category = ids_of(table.column("category"), "category", table.place) if "category" in table else None
    given |= {key: _flags(table, key) for key in ("crowd", "ignore") if key in table}
    if _is_filled(table, "id"):
        given["id"] = ids_of(table.column("id"), "id", table.place)
    given |= _people(whole, table, every)
    try:
        found = Dataset.from_arrays(
            boxes,
            form="xywh",
            image=mine,
            images=images,
            category=category,
            categories=None if category is None else _categories(category, table),
            check=False,
            **given,
        )
    except (ValueError, TypeError) as error:  # of annotators and who was asked
        raise InputError(f"{name}: {error}") from error
    notes = ["decimal commas were read as points"] if comma else []
    if table.kept is not None:
        notes.append(f"{len(every) - len(table.kept)} rows without a box: images in which nothing was found")
    return replace(found, notes=tuple(notes)), "shares of the image" if table.shares else f"{table.form} pixels"


def looks_like_csv(text: str, /) -> bool:
    """Does the first line name the columns of a table of objects?"""
    named = {plain(word) for word in _words(_first_line(text))}
    return bool(named & set(NAMES["image"])) and box_columns(named) is not None


def _first_line(text: str) -> str:
    return text.lstrip().partition("\n")[0]


def _words(line: str) -> list[str]:
    return next(csv.reader([line], delimiter=_separator(line)), [])


def _separator(line: str) -> str:
    return max(SEPARATORS, key=line.count)


# Text into cells.


def _split(text: str, name: str) -> dict[str, list[str]]:
    """Columns of cells by their names in the header."""
    separator = _separator(_first_line(text))
    columns = _quickly(text, separator)
    if columns is None:
        columns = _carefully(text, separator, name)
    header = [plain(column[0]) for column in columns]
    twice = next((word for k, word in enumerate(header) if word and word in header[:k]), None)
    if twice is not None:
        raise InputError(f"{name}: two columns are called {twice!r}.")
    return {word: column[1:] for word, column in zip(header, columns, strict=True)}


def _quickly(text: str, separator: str) -> list[list[str]] | None:
    """Columns of a text without quotes and with as many cells in each line: all cells at once. Else None."""
    text = text.replace("\r\n", "\n")
    # The careful way drops the blanks that a cell begins with, at the start of a line too.
    if text.startswith(" ") or any(mark in text for mark in ('"', "\r", f"{separator} ", "\n ")):
        return None
    lines = [line for line in text.split("\n") if line]
    widths = set(map(str.count, lines, itertools.repeat(separator)))
    if len(widths) != 1:
        return None
    width = widths.pop() + 1
    cells = separator.join(lines).split(separator)
    return [cells[k::width] for k in range(width)]


def _carefully(text: str, separator: str, name: str) -> list[list[str]]:
    """Columns of any text, or what is wrong with it."""
    source = io.StringIO(text, newline="")
    try:
        rows = [row for row in csv.reader(source, delimiter=separator, strict=True, skipinitialspace=True) if row]
    except csv.Error as error:
        raise InputError(f"{name} is no CSV: {error}.") from error
    if not rows:
        raise InputError(f"{name} is empty. A table has a header: image,category,x1,y1,x2,y2,score")
    bad = next((k for k, row in enumerate(rows) if len(row) != len(rows[0])), None)
    if bad is not None:
        raise InputError(f"{name}, row {bad}: {len(rows[bad])} cells, and the header has {len(rows[0])}.")
    return [list(column) for column in zip(*rows, strict=True)]


# Columns.


def _recognised(name: str, cells: dict[str, list[str]], boxes: str | None, header: list[str]) -> _Table:
    found = box_columns(set(cells))
    if found is None:
        raise InputError(
            f"{name}: the header must name a box: x1,y1,x2,y2 or x,y,w,h or xmin,ymin,xmax,ymax; "
            f"got {check.brief(list(cells))}."
        )
    form, box = found
    if boxes is not None:
        form = check.one_of(boxes, (form, "xyxy_inclusive") if form == "xyxy" else (form,), "boxes")
    is_open = openimages.is_header(header)
    left = set(cells) - set(box) - (set() if not is_open or openimages.has_scores(header) else set(NAMES["score"]))
    size = next((sides for sides in SIZES if set(sides) <= left), ())
    columns = known_columns(left)
    if "image" not in columns:
        got = check.brief(list(cells))
        raise InputError(f"{name}: the header must name the image: image, image_id or file_name; got {got}.")
    return _Table(name, cells, form, box, columns, size, shares=is_open and boxes is None)


def _with_box(table: _Table) -> list[int] | None:
    """The rows that have a box; None if all do."""
    sides = table.corners()
    if all("" not in column for column in sides):
        return None
    filled = [sum(1 for cell in row if cell.strip()) for row in zip(*sides, strict=True)]
    part = next((k for k, count in enumerate(filled) if 0 < count < 4), None)
    if part is not None:
        raise InputError(f"{table.place(part)}: the box has an empty cell.")
    return [k for k, count in enumerate(filled) if count]


def _numbers(table: _Table) -> tuple[list[np.ndarray], bool]:
    """The four columns of the box as floats, and whether commas stood for points."""
    columns = table.corners()
    try:
        return [_parsed(column) for column in columns], False
    except ValueError:
        pointed = [[cell.replace(",", ".") for cell in column] for column in columns]
    return [_told(column, "box", table.place) for column in pointed], True


def _parsed(column: list[str]) -> np.ndarray:
    """All cells at once. Python also reads 1_000, which no table means."""
    if "_" in "".join(column):
        raise ValueError
    return np.fromiter(map(float, column), np.float64, len(column))


def _floats(table: _Table, key: str) -> np.ndarray:
    """A column of numbers; an area may be empty."""
    cells = table.column(key)
    return _told([cell if cell.strip() else "nan" for cell in cells] if key == "area" else cells, key, table.place)


def _told(column: list[str], key: str, place: Callable[[int], str]) -> np.ndarray:
    try:
        return _parsed(column)
    except ValueError:
        row = next(k for k, cell in enumerate(column) if not is_number(cell.strip()))
        what = "is empty" if not column[row].strip() else f"must be a number; got {check.brief(column[row])}"
        raise InputError(f"{place(row)}: `{key}` {what}.") from None


def _people(whole: _Table, table: _Table, every: np.ndarray) -> dict[str, Any]:
    """Who marked each row. Where rows without a box have annotators too, who was asked: whoever has a row of an image.

    Without such rows nobody knows who was asked and saw nothing.
    """
    if "annotator" not in whole or not any(whole.column("annotator")):
        return {}
    cells = whole.column("annotator")
    named = [k for k, cell in enumerate(cells) if cell]
    ids = ids_of([cells[k] for k in named], "annotator", whole.place)
    place_of = {k: place for place, k in enumerate(named)}
    kept = range(len(cells)) if table.kept is None else table.kept
    unnamed = next((k for k in kept if k not in place_of), None)
    if unnamed is not None:
        raise InputError(f"{whole.place(unnamed)}: `annotator` is empty, and elsewhere it is not.")
    rounds = None
    if "round" in whole:
        words = whole.column("round")
        rounds = _told([words[k] or "0" for k in range(len(words))], "round", whole.place)
    found: dict[str, Any] = {"annotator": ids[[place_of[k] for k in kept]]}
    found |= {} if rounds is None else {"round": rounds[list(kept)]}
    if len(named) > len(kept):
        found["assignments"] = {"image": every[named], "annotator": ids}
        found["assignments"] |= {} if rounds is None else {"round": rounds[named]}
    return found


def _is_filled(table: _Table, key: str) -> bool:
    return key in table and "" not in table.column(key)


def ids_of(column: list[str], key: str, place: Callable[[int], str], /) -> np.ndarray:
    """Ids as they stand: integers if all of them are written as such, without leading zeros; else strings."""
    if "" in column:
        raise InputError(f"{place(column.index(''))}: `{key}` is empty.")
    try:
        numbers = list(map(int, column))
    except ValueError:
        return objects(column)
    if list(map(str, numbers)) != column or (numbers and not -(2**63) <= min(numbers) <= max(numbers) < 2**63):
        return objects(column)
    return np.array(numbers, np.int64)


# Open Images writes −1 where nobody looked.
_FLAGS = {"-1": False, "0": False, "1": True, "false": False, "true": True, "": False, "0.0": False, "1.0": True}


def _flags(table: _Table, key: str) -> np.ndarray:
    column = table.column(key)
    words = {cell: _FLAGS.get(cell.strip().lower()) for cell in set(column)}
    if table.columns[key] != "isgroupof":
        words |= {cell: None for cell in words if cell.strip() == "-1"}
    odd = next((row for row, cell in enumerate(column) if words[cell] is None), None)
    if odd is not None:
        raise InputError(f"{table.place(odd)}: `{key}` must be 0 or 1; got {check.brief(column[odd])}.")
    return np.array([words[cell] for cell in column], bool)


# Tables of images and categories.


def _images(every: np.ndarray, table: _Table, options: Options) -> Images:
    """The images given, or those that occur, with what the rows say of them."""
    given = options.images.images if isinstance(options.images, Dataset) else options.images
    if isinstance(given, Images):
        return sized(given, options.sizes, {})
    if given is not None and not (table.shares and Path(given).is_dir()):
        what = "a folder of pictures, or " if table.shares else ""
        raise InputError(f"{table.name}: of a table, `images=` must be {what}a data set of the same images.")
    ids, first = _first_of(every)
    images = Images(ids)
    if table.size:
        height, width = (_sides(table, side, first) for side in table.size)
        images = replace(images, height=height, width=width)
    if "image_name" in table:
        names = table.column("image_name")
        images = replace(images, names=objects(names[k] or None for k in first))
    if given is None:
        return sized(images, options.sizes, {})
    pictures = pictures_in(Path(given))
    own = {id: pictures.get(str(id)) or pictures.get(Path(str(id)).stem) for id in ids.tolist()}
    return sized(images, options.sizes, {id: path for id, path in own.items() if path}, Path(given))


def _sizes_of_rows(table: _Table, shares: np.ndarray, images: Images, every: np.ndarray) -> np.ndarray:
    """(N, 2): height and width of each row's image, of which its box is a share."""
    far = np.flatnonzero(((shares < -1) | (shares > 2)).any(axis=1))
    if far.size:
        odd = next(value for value in shares[far[0]].tolist() if not -1 <= value <= 2)
        raise openimages.not_a_share(table.place(int(far[0])), odd)
    where = places(every, images.ids)
    known(where, every, "image", "images")
    sizes: np.ndarray = images.sizes[where]
    if (sizes <= 0).any():
        raise openimages.no_size(table.name, every.tolist()[int(np.argmax((sizes <= 0).any(axis=1)))])
    return sizes


def _first_of(every: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """The different ids in the order they come, and the row of each."""
    first: dict[Any, int] = {}
    for row, id in enumerate(every.tolist()):
        first.setdefault(id, row)
    ids = objects(first) if every.dtype == object else np.array(list(first), np.int64)
    return ids, list(first.values())


def _sides(table: _Table, side: str, first: list[int]) -> np.ndarray:
    values = [table.cells[side][row].strip() or "0" for row in first]
    odd = next((k for k, value in enumerate(values) if not re.fullmatch("[0-9]{1,9}", value)), None)
    if odd is not None:
        got = check.brief(values[odd])
        raise InputError(f"{table.place(first[odd])}: `{side}` must be a whole number below 10^9; got {got}.")
    return np.array(list(map(int, values)), np.int64)


def _categories(category: np.ndarray, table: _Table) -> Categories:
    """The categories that occur, in rising order. Names come from a second column; ids that are strings are names."""
    ids, first = _first_of(category)
    order = sorted(range(len(first)), key=lambda k: (isinstance(ids[k], str), ids[k]))
    if "category_name" in table:
        names = table.column("category_name")
        return Categories(ids[order], names=objects(names[first[k]] or None for k in order))
    return Categories(ids[order], names=ids[order] if ids.dtype == object else None)
