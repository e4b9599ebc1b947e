"""Checks of detection scores, and their wording."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from vesica._check import one_of, shown, threshold
from vesica.errors import InputError

__all__ = [
    "area_of",
    "areas",
    "bins",
    "category",
    "category_of",
    "corners",
    "has_quirks",
    "ids_once",
    "known_to_tool",
    "limits",
    "masks_of_truths",
    "missing",
    "one_of",
    "probabilities",
    "scores",
    "share",
    "size_edges",
    "some_regions",
    "three_limits",
    "threshold_of",
    "thresholds",
    "values",
]


def has_quirks(tool: str, tools: tuple[str, ...], protocol: str, /) -> None:
    if tool not in tools:
        raise ValueError(f"`quirks` are faults of pycocotools, which knows protocol='coco' alone; got {protocol!r}.")


def known_to_tool(tool: str, regions: str, known: tuple[str, ...], /) -> None:
    if regions not in known:
        raise ValueError(f"`quirks` are faults of {tool}, which does not know regions={regions!r}. Leave them out.")


def corners(truth: Any, guess: Any, /) -> None:
    """Both sides have rotated boxes."""
    for name, data in (("truth", truth), ("guess", guess)):
        if len(data) and data.corners is None:
            raise InputError(
                f'The {name} has no rotated boxes. They come from DOTA files, or from YOLO files with kind="obb". In '
                "Python: Dataset.from_arrays(RotatedBoxes(…), …); upright ones as RotatedBoxes.from_boxes(boxes)."
            )


def thresholds(iou: Any, /) -> tuple[float, ...]:
    try:
        given = np.atleast_1d(np.asarray(iou, np.float64))
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"`iou` must be one threshold, or a list of them; got {shown(iou)}.") from None
    if given.ndim > 1:
        raise ValueError(f"`iou` must be one threshold, or a list of them; got an array of shape {given.shape}.")
    values = tuple(given.tolist())
    if not values:
        raise ValueError("`iou` must have at least one threshold; got none.")
    for value in values:
        if not 0 <= value <= 1:
            raise ValueError(f"`iou` must be thresholds from 0 to 1; got {value}.")
    if len(set(values)) < len(values):
        raise ValueError(f"`iou` has a threshold twice: {sorted(t for t in values if values.count(t) > 1)[0]}.")
    return values


def areas(value: Any, /) -> tuple[tuple[str, float, float], ...]:
    if not isinstance(value, Mapping) or not value:
        raise ValueError('`areas` must be a dict of names and ranges, {"all": (0, 1e10), …}; got ' + repr(value) + ".")
    ranges = tuple((str(name), *_ends(name, ends)) for name, ends in value.items())
    for name, low, high in ranges:
        if not name:
            raise ValueError("`areas` must have names; got an empty one.")
        if not low <= high:
            raise ValueError(f"`areas` of {name!r} must rise; got ({low}, {high}).")
    return ranges


def _ends(name: Any, ends: Any) -> tuple[float, float]:
    try:
        low, high = map(float, ends)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"`areas` of {name!r} must be two numbers, (low, high); got {shown(ends)}.") from None
    return low, high


def limits(value: Any, /) -> tuple[int, ...]:
    given = value if isinstance(value, Iterable) else (value,)
    try:
        found = [(int(one), one) for one in given]
    except (TypeError, ValueError, OverflowError):  # None, NaN, infinity
        found = []
    numbers = tuple(sorted(whole for whole, one in found if whole == one))
    if not numbers or len(numbers) < len(found) or numbers[0] < 1 or numbers[-1] >= 2**31:
        raise ValueError(f"`max_dets` must be whole numbers from 1 to 2147483647; got {value!r}.")
    return numbers


def three_limits(limits: tuple[int, ...], /) -> None:
    if len(limits) < 3:
        raise ValueError(
            f"`max_dets` must have three values for the numbers of pycocotools; got {limits}. "
            "Without `quirks` there may be any number of them."
        )


def values(data: Any, side: str, regions: str, /) -> None:
    """Boxes and scores that are numbers, and boxes that are not inside out."""
    for name in ("xywh", "score", "area"):
        column = getattr(data, name)
        if column is None:
            continue
        bad = ~np.isfinite(column) if name != "area" else np.isinf(column)
        if name == "xywh" and data.segments is not None:  # a row may have a mask and no box
            is_none = data.segments.form == data.segments.NONE
            bad &= (is_none if regions != "box" else is_none | ~np.isnan(column).all(axis=1))[:, None]
        if bad.any():
            row = int(np.argmax(bad.any(axis=-1) if column.ndim > 1 else bad))
            column_name = "bbox" if name == "xywh" else name
            raise InputError(
                f"{side} row {row}{_image(data, row)}: `{column_name}` must be finite; got {_told(column[row])}."
            )
    if data.xywh is not None and (data.xywh[:, 2:] < 0).any():
        row = int(np.argmax((data.xywh[:, 2:] < 0).any(axis=1)))
        raise InputError(
            f"{side} row {row}{_image(data, row)}: width and height must not be negative; got {_told(data.xywh[row])}. "
            'Corners x1, y1, x2, y2 that were read as x, y, w, h look so: form="xyxy".'
        )


def _told(value: Any) -> str:
    return str(np.asarray(value).tolist())


def _image(data: Any, row: int) -> str:
    return f" (image {data.images.ids[data.image[row]]})"


def scores(guess: Any, /) -> None:
    if guess.score is None:
        raise InputError(
            "Guesses must have scores; these have none. Are truth and guess swapped? What people marked is compared by "
            "`evaluate_agreement` (vesica agree)."
        )


def some_regions(truth: Any, guess: Any, /) -> None:
    """Both sides have something to compare."""
    for name, data in (("truth", truth), ("guess", guess)):
        if not len(data):
            continue
        if data.segments is None and data.xywh is None:
            raise InputError(f"The {name} has neither masks nor boxes.")


def missing(value: Any, /) -> None:
    if value is not None:
        one_of(value, ("box",), "missing")


def masks_of_truths(without: int, rows: int, /) -> None:
    """No truth without a mask, where masks are compared."""
    if without:
        raise InputError(
            f'{without} of {rows} truths have no "segmentation", and masks are compared. Draw them, or let their boxes '
            'be compared: missing="box".'
        )


def ids_once(truth: Any, /) -> None:
    """No annotation id twice."""
    if truth.id is None:
        return
    if truth.id.dtype != object and len(truth.id) and (np.diff(truth.id) > 0).all():
        return
    order = np.argsort(truth.id, kind="stable") if truth.id.dtype != object else None
    if order is not None:
        twice = np.flatnonzero(truth.id[order[1:]] == truth.id[order[:-1]])
        if len(twice):
            first, second = sorted((int(order[twice[0]]), int(order[twice[0] + 1])))
            raise InputError(
                f"Annotation ids must differ; truth rows {first} and {second} both have {truth.id[first]}."
            )
        return
    seen: dict[Any, int] = {}
    for row, one in enumerate(truth.id.tolist()):
        if seen.setdefault(one, row) != row:
            raise _twice(seen[one], row, one)


def _twice(first: int, second: int, one: Any) -> InputError:
    return InputError(f"Annotation ids must differ; truth rows {first} and {second} both have {one!r}.")


def category(name: Any, categories: Any, /) -> int:
    """The place of a category that is named by its id or its name."""
    for table in (categories.ids, categories.names):
        if table is not None:
            for place, one in enumerate(table.tolist()):
                if one == name and type(one) is type(name):
                    return place
    known = ", ".join(str(one) for one in (categories.ids if categories.names is None else categories.names)[:8])
    raise ValueError(f"`category` must be an id or a name of the truth; got {name!r}. There are {known}, …")


def threshold_of(iou: Any, known: tuple[float, ...], /) -> int:
    """The place of a threshold, which need not be exact in its last digits."""
    for place, one in enumerate(known):
        if abs(one - float(iou)) < 1e-9:
            return place
    listed = ", ".join(f"{one:.10g}" for one in known)
    raise ValueError(f"`iou` must be one of the thresholds that were scored, {listed}; got {iou}. Ask evaluate for it.")


def area_of(name: str | None, protocol: Any, /) -> int:
    """The place of a range of areas, by its name; without a name that of the one that covers all."""
    names = [one[0] for one in protocol.areas]
    if name is not None:
        one_of(name, tuple(names), "area")
        return names.index(name)
    if protocol.whole is None:
        ways = " or ".join(f'area="{one}"' for one in names)
        raise ValueError(f"`area` must be said, because no range of `areas` covers all: {ways}.")
    place: int = protocol.whole
    return place


def category_of(name: Any, names: tuple[Any, ...], /) -> int:
    """The place of a category among names."""
    if name in names:
        return names.index(name)
    listed = ", ".join(repr(one) for one in names[:8]) + (", …" if len(names) > 8 else "")
    raise ValueError(f"`category` must be one of {listed or 'none: these counts are of all categories'}; got {name!r}.")


def bins(count: Any, /) -> int:
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 1000:
        raise ValueError(f"`bins` must be a whole number from 1 to 1000; got {count!r}.")
    return count


def size_edges(sides: Any, /) -> tuple[float, ...]:
    """Areas between which ranges lie, from the sides of squares that part them."""
    given = [float(side) for side in sides]
    if any(not 0 < side < 1e5 for side in given) or given != sorted(set(given)):
        raise ValueError(f"`sides` must be lengths above 0 that rise; got {list(sides)}.")
    return (0.0, *(side * side for side in given), 1e10)


def share(value: Any, name: str, /) -> float:
    """A number above 0 and up to 1."""
    threshold(value, name, strict=False)
    return float(value)


def probabilities(scores: np.ndarray, /) -> None:
    bad = np.flatnonzero(~((scores >= 0) & (scores <= 1)))
    if len(bad):
        raise ValueError(
            f"Scores must lie between 0 and 1 to be compared with shares; got {scores[bad[0]]}. "
            "Divide percentages by 100."
        )


def inputs(value: Any, /) -> Any:
    """What was matched, where a result still has it."""
    if value is None:
        raise ValueError("This result comes from records, which know no pairs. Evaluate the data sets for them.")
    return value
