"""What is wrong with a file of COCO, in words."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from vesica._kernels.native import coco_file as native
from vesica._kernels.native.coco_file import Columns, Problem
from vesica.errors import InputError
from vesica.io.files import File

# How one record of a list is called; those of a bare list are rows.
_ONE = {"images": "image", "annotations": "annotation", "categories": "category"}
# Characters of a value that a message shows.
_SHOWN = 40

# What the field must be.
_RULES = {
    "not_an_object": "must be an object",
    "not_an_integer": "must be a whole number",
    "not_an_id": "must be a whole number or a string",
    "not_a_number": "must be a number",
    "not_a_flag": "must be 0 or 1",
    "not_a_text": "must be a string",
    "not_numbers": "must be a list of whole numbers",
    "too_large": "must fit 64 bits",
}
# Python makes no integer of so many digits, so that no other tool reads them either.
_LONG = rb"-?\d{4301}"
_TEXTS = {
    "control": "a control character inside a string; write it as an escape",
    "escape": "a backslash that JSON does not know",
    "utf8": "bytes that are no UTF-8",
    "depth": "nesting deeper than 64",
    "extra": "something follows the end of the JSON value",
}


def error(file: File, problem: Problem, /) -> InputError:
    """The error that names the file, the record, the byte and the field."""
    is_results = file.head(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["
    return InputError(f"{file.name}: {_words(file, problem, is_results)}")


def error_of_row(file: File, found: Columns, row: int, words: str, /) -> InputError:
    """The error that says something about one annotation or result."""
    return InputError(f"{file.name}: {_place(row, span(file, row).start, found.is_results)} {words}")


def check_given(file: File, found: Columns, fields: tuple[str, ...], more: str = "", /) -> None:
    """Raise for the first row that lacks one of the fields; `more` follows."""
    for field in fields:
        if found.annotations.rows and not found.annotations.is_in_all(field):
            row = int(np.argmin(found.annotations.has(field)))
            more = _PANOPTIC if b'"segments_info"' in file.view[span(file, row)].tobytes() else more
            raise error_of_row(file, found, row, f'has no "{field}".{more}')


_PANOPTIC = (
    ' It has "segments_info", as COCO\'s panoptic form: `vesica eval --protocol panoptic` scores that, and in Python '
    "vesica.evaluate_panoptic(…)."
)


def span(file: File, row: int, /) -> slice:
    """Where the row stands. That is asked for messages alone, so the file is read once more."""
    again = native.read(file.view, spans=True)
    assert isinstance(again, Columns)
    begin, end = again.annotations.record_begin, again.annotations.record_end
    assert begin is not None
    assert end is not None
    return slice(int(begin[row]), int(end[row]))


def _place(number: int, at: int, is_results: bool, name: str = "annotations") -> str:
    """How a message calls a record."""
    return f"{'row' if is_results else _ONE[name]} {number} at byte {at}"


def _words(file: File, problem: Problem, is_results: bool) -> str:
    fault, at, name, record, field, detail = problem
    where = f"byte {at}" if name is None or record is None else _place(record, at, is_results, name)
    got = shown(file.view[at : at + 4 * _SHOWN].tobytes())
    if fault == "end":
        return f"file ends inside {where}." if record is not None else f"file ends too early, at {where}."
    if fault == "no_table":
        return f"COCO is an object with lists, or a list of results; got {got}."
    if fault == "not_a_list":
        return f'"{name}" must be a list; got {got} at {where}.'
    if fault == "not_a_box":
        return f'{where}: "bbox" must be four numbers: x, y, width, height; got {got if detail < 0 else detail}.'
    if fault == "missing":
        return f'{where} has no "id".'
    if fault == "repeated":
        return f'{where} has the "id" of {_ONE[name or "images"]} {detail}.'
    if fault in _RULES:
        return f"{where}{f': {_key(name, field)}' if field else ''} {_RULES[fault]}; got {got}."
    if fault == "number" and re.match(_LONG, file.view[at : at + 4400].tobytes()):
        return f"{where}: a whole number has more than 4,300 digits."
    return f"{where}: no JSON: {_TEXTS.get(fault, f'unexpected {got}')}."


def _key(name: str | None, field: str) -> str:
    """The key as the file has it: an image's own id is just "id"."""
    return '"id"' if name in ("images", "categories") and field in ("image_id", "category_id") else f'"{field}"'


def shown(text: bytes, /) -> str:
    """The beginning of a value, for a message."""
    word = text.decode("utf-8", "replace")
    end = _end(word)
    return word[:end] if end <= _SHOWN else word[: _SHOWN - 1] + "…"


def _end(text: str) -> int:
    """Where the first value of the text ends, roughly."""
    if text[:1] == '"':
        k = 1
        while k < len(text) and text[k] != '"':
            k += 2 if text[k] == "\\" else 1
        return k + 1
    depth = 0
    for k, c in enumerate(text):
        depth += (c in "[{") - (c in "]}")
        if depth < 0 or (depth == 0 and c in ",]} \t\r\n"):
            return max(1, k + (depth == 0 and c in "]}"))
    return len(text)


def listed(values: Any) -> str:
    """Numbers as a message shows them."""
    return "[" + ", ".join(f"{value:g}" for value in values) + "]"
