"""What values of several arrays have in common: `==`, and a line that shows them."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from vesica._array import dtype_name, has_visible_values, is_array, to_numpy

_SHOWN = 6
"""Numbers of an array that are written out; of a larger one its shape and dtype."""
_BYTES = 80_000
"""Of regions that a notebook shows with an answer."""


class Equal:
    """Two are equal that hold the same: arrays of the same numbers, NaN with NaN."""

    __slots__ = ()

    def _content(self) -> tuple[Any, ...]:
        """What is compared."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return _same(self._content(), other._content())

    def __hash__(self) -> int:
        return hash(type(self))  # equal ones must agree, and arrays have no hash


class Answer(Equal):
    """A frozen dataclass of arrays."""

    def _content(self) -> tuple[Any, ...]:
        return tuple(getattr(self, field.name) for field in dataclasses.fields(self))  # type: ignore[arg-type]

    def __repr__(self) -> str:
        named = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}  # type: ignore[arg-type]
        return shown(type(self).__name__, named)

    def _repr_html_(self) -> str:
        from vesica import _html  # late: only notebooks ask for it

        named = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}  # type: ignore[arg-type]
        regions = [value._repr_html_() for value in named.values() if hasattr(value, "_repr_html_")]
        drawn = [one if len(one) < _BYTES else _html.words("too much to be drawn here") for one in regions]
        return _html.page(_html.words(repr(self)), _columns(named), *drawn)


def _columns(fields: dict[str, Any]) -> str:
    """The first rows of those arrays that are as long as the first."""
    from vesica import _html

    arrays = {name: value for name, value in fields.items() if is_array(value) and value.ndim and _is_seen(value)}
    total = next((int(value.shape[0]) for value in arrays.values()), 0)
    columns: dict[str, list[Any]] = {}
    for name, value in arrays.items():
        if int(value.shape[0]) == total and value.ndim <= 2:
            first = to_numpy(value[: _html.ROWS])
            sides = first.reshape(len(first), -1).T
            names = [name] if first.ndim == 1 else [f"{name}[{k}]" for k in range(len(sides))]
            columns |= {one: column.tolist() for one, column in zip(names, sides, strict=True)}
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    return _html.table(list(columns), rows, total=total) if columns else ""


def _is_seen(value: Any) -> bool:
    return bool(has_visible_values(value))


def shown(name: str, fields: dict[str, Any]) -> str:
    """One line: the fields by name, small arrays written out."""
    return f"{name}({', '.join(f'{key}={_brief(value)}' for key, value in fields.items())})"


def _brief(value: Any) -> str:
    if not is_array(value):
        return repr(value)
    if not has_visible_values(value) or math.prod(value.shape) > _SHOWN:
        return f"{'×'.join(str(int(side)) for side in value.shape)} {dtype_name(value)}"
    text = np.array2string(to_numpy(value), separator=", ", precision=4, max_line_width=1000)
    return " ".join(text.split())


def _same(a: Any, b: Any) -> bool:
    if is_array(a) and is_array(b):
        left, right = to_numpy(a), to_numpy(b)
        return np.array_equal(left, right, equal_nan=left.dtype.kind == right.dtype.kind == "f")
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    return bool(a == b)
