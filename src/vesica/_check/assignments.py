"""Checks of who was asked for which image, and their wording."""

from __future__ import annotations

from typing import Any

import numpy as np

from vesica import _check as check
from vesica._check import dataset


def sound(data: Any, /) -> None:
    """Annotators that are in their table; and with assignments: rows that were asked for, and ids that come once."""
    asked = data.assignments
    _places("annotator", data.annotator, len(data.annotators))
    if asked is None:
        return
    _places("annotator of assignments", asked.annotator, len(data.annotators))
    _places("image of assignments", asked.image, len(data.images))
    if not len(data):
        return
    if data.annotator is None:
        raise ValueError("`assignments` say who was asked, so `annotator` must say who marked each row.")
    _asked_for(data)
    if data.id is not None:
        _ids_once(data)


def _places(name: str, column: np.ndarray | None, limit: int) -> None:
    if column is not None and column.size and not 0 <= int(column.min()) <= int(column.max()) < limit:
        row = int(np.argmax((column < 0) | (column >= limit)))
        raise ValueError(f"`{name}` of row {row} must be a place in a table of {limit}; got {column[row]}.")


def _asked_for(data: Any) -> None:
    """Every row is of an image for which its annotator was asked."""
    asked = data.assignments
    rounds = np.zeros(len(data), np.int64) if data.round is None else data.round
    known, number = np.unique(np.concatenate([asked.rounds, rounds]), return_inverse=True)
    of_asked, of_rows = np.split(number.reshape(-1), [len(asked)])
    shape = len(data.images), len(data.annotators), len(known)
    wanted = np.ravel_multi_index((asked.image, asked.annotator, of_asked), shape)
    lost = ~np.isin(np.ravel_multi_index((data.image, data.annotator, of_rows), shape), wanted)
    if lost.any():
        row = int(np.argmax(lost))
        who, image = data.annotators.tolist()[data.annotator[row]], data.images.ids.tolist()[data.image[row]]
        when = "" if data.round is None and asked.round is None else f" in round {rounds[row]}"
        raise ValueError(
            f"Row {row} is of image {image!r} by {who!r}, who was not asked for it{when}. Add that to `assignments`, "
            "or leave the row out."
        )


def _ids_once(data: Any) -> None:
    """No annotator has an id twice."""
    if data.id.dtype == object:
        seen: set[Any] = set()
        pairs = enumerate(zip(data.annotator.tolist(), data.id.tolist(), strict=True))
        row = next((row for row, pair in pairs if pair in seen or seen.add(pair)), None)  # type: ignore[func-returns-value]
    else:
        order = np.lexsort((data.id, data.annotator))
        same = (np.diff(data.id[order]) == 0) & (np.diff(data.annotator[order]) == 0)
        row = int(order[1:][same].min()) if same.any() else None
    if row is not None:
        id, who = data.id.tolist()[row], data.annotators.tolist()[data.annotator[row]]
        raise ValueError(f"Row {row} has the id {id!r}, which {who!r} has given to another row already.")


def columns(given: Any, /) -> None:
    """Columns of one length, and nobody asked twice in one round."""
    count = len(given.image)
    for name, kind in (("image", "i"), ("annotator", "i"), ("round", "i"), ("date", "O")):
        column = getattr(given, name)
        if column is None and name in ("round", "date"):
            continue
        if not isinstance(column, np.ndarray) or column.shape != (count,) or column.dtype.kind != kind:
            got = f"{column.dtype} of shape {column.shape}" if isinstance(column, np.ndarray) else type(column).__name__
            rule = f"a NumPy array of {'integers' if kind == 'i' else 'objects'} of shape ({count},)"
            raise ValueError(f"`{name}` of assignments must be {rule}; got {got}.")
    order = np.lexsort((given.rounds, given.annotator, given.image))
    same = [np.diff(column[order]) == 0 for column in (given.image, given.annotator, given.rounds)]
    twice = same[0] & same[1] & same[2]
    if twice.any():
        row = int(order[1:][twice].min())
        raise ValueError(
            f"Row {row} of assignments is there twice: annotator {given.annotator[row]}, image {given.image[row]}, "
            f"round {given.rounds[row]} (places in their tables)."
        )


def everyone(word: str, /) -> None:
    if word != "all":
        ways = '"all", a dict of columns or a list of (image, annotator)'
        raise ValueError(f"`assignments` must be {ways}; got {word!r}.")


def named(given: Any, /) -> dict[str, Any]:
    """Columns by their names."""
    names = ("image", "annotator", "round", "date")
    strange = next((name for name in given if name not in names), None)
    lost = next((name for name in names[:2] if given.get(name) is None), None)
    if strange is not None or lost is not None:
        raise TypeError(
            '`assignments` must have "image" and "annotator", and may have "round" and "date": {"image": [7, 7], '
            f'"annotator": ["ann", "ben"]}}; got {check.brief(sorted(map(str, given)))}.'
        )
    return dict(given)


def listed(given: Any, /) -> list[Any]:
    """Tuples of two or three as so many columns."""
    rows = given.tolist() if hasattr(given, "tolist") else list(given)
    widths = {len(row) if isinstance(row, (list, tuple)) else 0 for row in rows}
    if not widths <= {2, 3} or len(widths) > 1:
        raise TypeError(
            "`assignments` must be a list of (image, annotator) or of (image, annotator, round), a dict of such "
            f'columns, or "all"; got {check.brief(given)}.'
        )
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[], []]


def rounds(value: Any, count: int, name: str, /) -> np.ndarray:
    """Which time an annotator was asked."""
    array = dataset.ids(value, name)
    dataset.one_for_each(array, count, name)
    if array.dtype == object and array.size:
        raise TypeError(f"`{name}` must be integers: the first, the second, … time; got {check.brief(array.tolist())}.")
    return array.astype(np.int64)


def rounds_of_somebody(given: Any, annotator: Any, /) -> None:
    if given is not None and annotator is None:
        raise TypeError("`round` is which time an annotator was asked; `annotator` must say who.")


def one_date(date: np.ndarray, first: np.ndarray, /) -> None:
    """An assignment that is told twice has one date."""
    told = date.tolist()
    for row, other in enumerate(first.tolist()):
        if told[row] != told[other]:
            dates = f"{told[other]!r} and {told[row]!r}"
            raise ValueError(f"Rows {other} and {row} of assignments are one, and have two dates: {dates}.")
