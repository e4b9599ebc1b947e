"""Arrow tables: what their columns must be."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from vesica import _check as check
from vesica._check import extras

_VERSION = 1


def installed(module: str, what: str, /) -> Any:
    """A module of pyarrow."""
    return extras.installed(module, what, "vesica[arrow]")


def table(value: Any, /) -> Any:
    """A pyarrow.Table of whatever is a table: of polars, DuckDB, pandas, or a stream of batches."""
    arrow = installed("pyarrow", "An Arrow table")
    try:
        if isinstance(value, arrow.Table):
            return sound(value)
        if hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__"):
            return sound(arrow.table(value))
        if hasattr(value, "__dataframe__"):
            return arrow.Table.from_pandas(value, preserve_index=False)
    except (arrow.ArrowException, TypeError, ValueError) as error:
        raise ValueError(f"`table` cannot be taken as an Arrow table: {error}.") from error
    raise TypeError(
        "`table` must be a pyarrow.Table, or something with __arrow_c_stream__ as polars, DuckDB and pandas have it; "
        f"got {type(value).__name__}."
    )


def sound(table: Any, /) -> Any:
    """A table whose offsets, indices and texts are what they must be: Arrow itself believes them, and would read
    memory that is not its own."""
    for name, column in zip(table.column_names, table.columns, strict=True):
        try:
            column.validate(full=True)
        except (ValueError, IndexError) as error:  # of pyarrow all the same
            raise ValueError(f"column `{name}` is broken: {error}") from error
    return table


def metadata(found: dict[bytes, bytes] | None, /) -> dict[str, Any]:
    """What `vesica.write` put beside the columns; nothing of other tables."""
    text = (found or {}).get(b"vesica")
    if text is None:
        return {}
    try:
        facts = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"The metadata under `vesica` is no JSON: {error}.") from error
    if not isinstance(facts, dict) or facts.get("version") != _VERSION:
        got = facts.get("version") if isinstance(facts, dict) else facts
        raise ValueError(f"The metadata under `vesica` must be of version {_VERSION}; got {check.brief(got)}.")
    return facts


def written(facts: dict[str, Any], /) -> bytes:
    return json.dumps({"version": _VERSION, **facts}, sort_keys=True, ensure_ascii=False).encode()


def side(asked: str | None, present: list[str], columns: list[str], /) -> str:
    """The column of objects that is meant."""
    if asked in present:
        return asked
    if asked is not None:
        raise ValueError(f"`side` must be a column of the table; got {asked!r}, and it has {check.brief(columns)}.")
    if len(present) > 1:
        raise ValueError(f"The table has {' and '.join(present)}. Say which: side={present[0]!r}.")
    return present[0]


def no_layout(columns: list[str], /) -> ValueError:
    return ValueError(
        "The table must have a row for each image, with image_id and a list of objects in `truth`, `guess` or "
        "`objects`; or a row for each object, with image_id and a box: x1, y1, x2, y2, or x, y, w, h, or a column "
        f"bbox. It has {check.brief(columns)}."
    )


def form_is_open(name: str, /) -> ValueError:
    return ValueError(
        f'Nothing says what the four numbers of `{name}` mean. Say it: boxes="xywh" (COCO), boxes="xyxy" (corners) or '
        'boxes="cxcywh". In Python: read(path, boxes="xywh"); of a table from_arrow(table, form="xywh").'
    )


def no_column(name: str, present: list[str], /) -> ValueError:
    return ValueError(f"The objects must have `{name}`; they have {check.brief(present)}.")


def no_nulls(is_null: np.ndarray, name: str, image: np.ndarray | None, /) -> None:
    """No value may be missing; the first that is, is told by its row and its image."""
    if is_null.any():
        row = int(np.argmax(is_null))
        where = "" if image is None else f" (image {_shown(image, row)})"
        raise ValueError(f"`{name}` must not be null; it is in row {row}{where}.")


def four_each(lengths: np.ndarray, wanted: int, name: str, image: np.ndarray | None, /) -> None:
    """Lists of as many numbers as a box has."""
    odd = lengths != wanted
    if odd.any():
        row = int(np.argmax(odd))
        where = "" if image is None else f" (image {_shown(image, row)})"
        raise ValueError(f"`{name}` must have {wanted} numbers each; got {int(lengths[row])} in row {row}{where}.")


@contextlib.contextmanager
def of_images(side: str, image: np.ndarray, /) -> Iterator[None]:
    """An error that tells a row tells its image too: rows of lists cannot be found by their number alone."""
    try:
        yield
    except (ValueError, TypeError) as error:
        message = str(error)
        told = re.search(r"\brow (\d+)\b", message)
        if told is None or "image" in message or int(told[1]) >= len(image):
            raise
        raise type(error)(f"{message} It is in `{side}` of image {_shown(image, int(told[1]))}.") from error


def _shown(image: np.ndarray, row: int) -> str:
    return repr(image[row : row + 1].tolist()[0])


def whole(values: np.ndarray, name: str, image: np.ndarray | None, /) -> np.ndarray:
    """Whole numbers that fit 64 bits, as such: nothing is cut off."""
    odd = ~((values == np.floor(values)) & (np.abs(values) < 2.0**63))
    if odd.any():
        row = int(np.argmax(odd))
        where = "" if image is None else f" (image {_shown(image, row)})"
        raise ValueError(f"`{name}` must be whole numbers; got {values[row]} in row {row}{where}.")
    return values.astype(np.int64)


def whole_sizes(values: np.ndarray, image: np.ndarray, /) -> np.ndarray:
    """Heights and widths of the images of masks, which are whole and not negative."""
    odd = ~((values == np.floor(values)) & (values >= 0) & (values < 2.0**31)).all(axis=1)
    if odd.any():
        row = int(np.argmax(odd))
        raise ValueError(
            f"`size` must be the height and width of an image, whole numbers from 0 on; got {values[row].tolist()} in "
            f"row {row} (image {_shown(image, row)})."
        )
    return values.astype(np.int64)


def columns(names: list[str], plain: Callable[[str], str], /) -> dict[str, str]:
    """The names of columns by what they are without case and underscores: no two may be one."""
    found: dict[str, str] = {}
    for name in names:
        if plain(name) in found:
            raise ValueError(
                f"Two columns are called the same: {found[plain(name)]!r} and {name!r}. Leave one out, or rename it."
            )
        found[plain(name)] = name
    return found


def masks(kind: str, name: str, /) -> TypeError:
    return TypeError(
        f"`{name}` must be masks as COCO has them: compressed run lengths in `rle`, with `size`; or in `segmentation` "
        f"lists of polygons, a struct of counts and size, or JSON. Got a column of {kind}."
    )


def names(value: Any, /) -> list[Any] | None:
    """A column of names in the metadata; None where it is something else."""
    return value if isinstance(value, list) and not any(isinstance(one, (list, dict)) for one in value) else None


def no_annotator(present: list[str], /) -> ValueError:
    return ValueError(f"`asked` must have `annotator`; it has {check.brief(present)}.")


def numbers(kind: str, name: str, /) -> TypeError:
    return TypeError(f"`{name}` must be numbers; got a column of {kind}.")


def ids(kind: str, name: str, /) -> TypeError:
    return TypeError(f"`{name}` must be integers or strings; got a column of {kind}.")


def equal_lengths(field: str, row: int, image: Any, got: int, wanted: int, /) -> ValueError:
    return ValueError(
        f"The lists of one image must be of one length; in row {row} (image {image!r}) `{field}` has {got}, and "
        f"others {wanted}."
    )


def flags(value: int, row: int, /) -> ValueError:
    return ValueError(
        f"`flags` must be 0 to 3, 1 for a crowd and 2 for what is to be ignored; got {value} in row {row}."
    )


def attributes(text: str, row: int, /) -> ValueError:
    return ValueError(f"`attributes` must be a JSON object; got {check.brief(text)} in row {row}.")


def table_of_ids(name: str, facts: Any, /) -> ValueError:
    return ValueError(f"The metadata under `vesica` must have a table `{name}` of columns; got {check.brief(facts)}.")


def agree(said: str, asked: str, /) -> None:
    """A file that says what its boxes are is not read otherwise."""
    if said != asked:
        raise ValueError(f"The table says that its boxes are {said}; got form={asked!r}. Leave it out.")
