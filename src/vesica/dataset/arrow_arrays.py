"""Arrays of Arrow as arrays of NumPy, not copied where that can be."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica._array import objects
from vesica._check import arrow as check


def flat(column: Any, /) -> Any:
    """A column as one array: the same memory where it came in one piece."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


_NAMES = {"double": "float64", "float": "float32", "halffloat": "float16"}
"""What NumPy calls types that Arrow calls otherwise."""


def _values(array: Any) -> np.ndarray:
    """Numbers and truth values as they lie in memory; where one is missing, anything.

    Not by `to_numpy` of Arrow, which loads pandas where that is installed: it takes longer than most files.
    """
    import pyarrow as pa

    if pa.types.is_boolean(array.type):  # bits
        return _values(array.cast(pa.uint8())).astype(bool)
    name = str(array.type)
    dtype, buffer = np.dtype(_NAMES.get(name, name)), array.buffers()[1]
    if buffer is None or not len(array):
        return np.zeros(len(array), dtype)
    return np.frombuffer(buffer, dtype, len(array), array.offset * dtype.itemsize)


def is_null(array: Any, /) -> np.ndarray:
    """(N,) bool: what is missing."""
    return _values(array.is_null()) if array.null_count else np.zeros(len(array), bool)


def numbers(array: Any, name: str, /, *, image: np.ndarray | None = None) -> np.ndarray:
    """Numbers as float64, none of which may be missing."""
    import pyarrow as pa

    array = _plain(array)
    if not (pa.types.is_integer(array.type) or pa.types.is_floating(array.type) or pa.types.is_boolean(array.type)):
        raise check.numbers(str(array.type), name)
    check.no_nulls(is_null(array), name, image)
    return _values(array).astype(np.float64, copy=False)


def whole_numbers(array: Any, name: str, /, *, image: np.ndarray | None = None) -> np.ndarray:
    """Whole numbers as int64, none of which may be missing."""
    return check.whole(numbers(array, name, image=image), name, image)


def floats(array: Any, name: str, /) -> np.ndarray:
    """Floats, NaN where one is missing."""
    import pyarrow as pa

    array = _plain(array)
    if not (pa.types.is_integer(array.type) or pa.types.is_floating(array.type) or pa.types.is_null(array.type)):
        raise check.numbers(str(array.type), name)
    array = array.cast(pa.float64(), safe=False)
    return np.where(is_null(array), np.nan, _values(array)) if array.null_count else _values(array)


def _plain(array: Any) -> Any:
    """The values of a dictionary; and of decimals, as DuckDB has them, floats, or integers where nothing is behind
    the point."""
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if not pa.types.is_decimal(array.type):
        return array
    try:
        return array.cast(pa.float64() if array.type.scale > 0 else pa.int64())
    except pa.ArrowInvalid:  # beyond 64 bits
        return array.cast(pa.float64())


def ids(array: Any, name: str, /, *, is_number: Any = None, image: np.ndarray | None = None) -> np.ndarray:
    """Ids: integers or strings; `is_number` says which strings are integers."""
    import pyarrow as pa

    array = _plain(array)
    check.no_nulls(is_null(array), name, image)
    if pa.types.is_integer(array.type) or pa.types.is_floating(array.type):
        return _values(array)
    if not is_text(array.type) and not pa.types.is_null(array.type):
        raise check.ids(str(array.type), name)
    words = array.to_pylist()
    if is_number is None:
        return objects(words)
    told = is_number.to_pylist()
    return objects(int(word) if number else word for word, number in zip(words, told, strict=True))


def texts(array: Any, name: str, /) -> np.ndarray:
    """Texts or numbers as objects, None where one is missing."""
    return objects(array.to_pylist())


def is_text(type: Any, /) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_string(type)
        or pa.types.is_large_string(type)
        or (hasattr(pa.types, "is_string_view") and pa.types.is_string_view(type))
    )


def rows_of_numbers(array: Any, wanted: int, name: str, /, *, image: np.ndarray | None = None) -> np.ndarray:
    """(N, wanted) float64 of lists of as many numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    check.no_nulls(is_null(array), name, image)
    if not is_list(array.type) or is_list(array.type.value_type):
        raise check.numbers(str(array.type), name)
    lengths = (
        np.full(len(array), array.type.list_size)
        if pa.types.is_fixed_size_list(array.type)
        else _values(pc.list_value_length(array))
    )
    check.four_each(lengths, wanted, name, image)
    inner = array.flatten()
    missing = np.asarray(is_null(inner).reshape(-1, wanted).any(axis=1))
    check.no_nulls(missing, name, image)
    return numbers(inner, name).reshape(-1, wanted)


def is_list(type: Any, /) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list(type) or pa.types.is_large_list(type) or pa.types.is_fixed_size_list(type))


def lengths_of(array: Any, /) -> np.ndarray:
    """How long each list is; 0 where it is missing."""
    import pyarrow.compute as pc

    lengths = pc.list_value_length(array)
    return np.where(is_null(lengths), 0, _values(lengths)).astype(np.int64, copy=False)
