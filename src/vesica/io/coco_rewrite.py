"""COCO's JSON with other values of some keys of its rows. All other bytes are those of the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np

from vesica._kernels.native import coco_file as native
from vesica._kernels.native.coco_file import Columns
from vesica.io import coco_errors
from vesica.io.files import File
from vesica.io.json_spans import span_of

Edit = Callable[[int, str], str]
"""The place of a row among those that are edited and the text of its value in, the new text out."""

_NUMBER = re.compile(r"[^\s\[\],]+")


def rewritten(file: File, edits: Mapping[str, Edit], rows: np.ndarray | None = None, /) -> bytes:
    """The bytes of the file, with the values of these keys edited in all rows that have them, or in some."""
    found = native.read(file.view, spans=True)
    if not isinstance(found, Columns):
        raise coco_errors.error(file, found)
    records = found.annotations
    if not records.rows or not edits:
        return file.data
    assert records.record_begin is not None
    assert records.record_end is not None
    has = {key: records.has(key) for key in edits}
    chosen = np.arange(records.rows) if rows is None else rows
    data, pieces, done = file.data, [], 0
    spans = np.stack([chosen, records.record_begin[chosen], records.record_end[chosen]], axis=1)
    for place, (row, begin, end) in enumerate(spans.tolist()):
        text = old = data[begin:end].decode("utf-8", "surrogateescape")
        for key, edit in edits.items():
            if has[key][row]:
                at, to = span_of(text, key)
                text = text[:at] + edit(place, text[at:to]) + text[to:]
        if text is not old:
            pieces += [data[done:begin], text.encode("utf-8", "surrogateescape")]
            done = end
    return b"".join([*pieces, data[done:]])


def number_text(value: float, /) -> str:
    """The shortest decimal that reads back as the same number: whole numbers without a point.

    >>> number_text(7.0), number_text(0.1)
    ('7', '0.1')
    """
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


def with_numbers(text: str, old: list[float], new: list[float], /) -> str:
    """A list of numbers with other values; those that stay the same stay as they were written.

    >>> with_numbers("[1.50,  2, 3e0, 4]", [1.5, 2.0, 3.0, 4.0], [1.5, 2.0, 7.25, 4.0])
    '[1.50,  2, 7.25, 4]'
    """
    changed = iter([None if a == b else number_text(b) for a, b in zip(old, new, strict=True)])
    return _NUMBER.sub(lambda found: next(changed, None) or found[0], text)
