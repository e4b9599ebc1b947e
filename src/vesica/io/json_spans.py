"""Where values stand in the text of a JSON object, so that one can be replaced and all else stays as it is."""

from __future__ import annotations

import json
import re

_SPACE = re.compile(r"[ \t\r\n]*")


def span_of(text: str, wanted: str, /) -> tuple[int, int]:
    """Where the value of a key stands in the text of an object: of the last one that has this name; (0, 0) if none has.

    >>> text = '{"id": 7, "score" : 0.50}'
    >>> begin, end = span_of(text, "score")
    >>> text[begin:end]
    '0.50'
    """
    key = f'"{wanted}"'
    if "\\" not in text and text.count(key) == 1:  # neither another key of that name, nor a text that has it
        found = _value_behind(text, text.index(key) + len(key))
        if found is not None:
            return found
    return _carefully(text, wanted)


def _value_behind(text: str, at: int) -> tuple[int, int] | None:
    """The number, or list of numbers, behind a key and its colon; None for whatever else stands there."""
    found = _SIMPLE.match(text, at)
    return None if found is None else found.span(1)


_SIMPLE = re.compile(r"[ \t\r\n]*:[ \t\r\n]*(\[[^\[\]{}\"]*\]|[-+.\w]+|\"[^\"]*\")")


def _carefully(text: str, wanted: str) -> tuple[int, int]:
    def behind_space(at: int) -> int:
        return _SPACE.match(text, at).end()  # type: ignore[union-attr]  # it matches nothing at all

    decoder, at, span = json.JSONDecoder(), 1, (0, 0)
    while text[at - 1] != "}":
        key, at = decoder.raw_decode(text, behind_space(at))
        begin = behind_space(behind_space(at) + 1)
        _, end = decoder.raw_decode(text, begin)
        if key == wanted:
            span = (begin, end)
        at = behind_space(end) + 1
    return span
