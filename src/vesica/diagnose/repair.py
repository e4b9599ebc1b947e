"""Repairs: what is assumed of a file, and the file that follows from it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vesica._check import diagnose as check
from vesica._check import one_of
from vesica.dataset import CocoMasks
from vesica.diagnose import categories, image_places
from vesica.diagnose.box_readings import Frame, reading_of
from vesica.diagnose.inputs import Side
from vesica.io import atomic
from vesica.io.coco_rewrite import Edit, number_text, rewritten, with_numbers
from vesica.io.files import File
from vesica.regions.boxes import Boxes

if TYPE_CHECKING:
    from vesica.diagnose.diagnosis import Diagnosis

ROUNDS = 4
"""A repair may show what was hidden behind the mistake: pixels from 1 behind corners."""
_DIGITS, _NOISE = 13, 4 * np.finfo(np.float64).eps
"""Decimals that are tried, and how far a number may be from one, as a share of what it was computed from."""


class Change(NamedTuple):
    """What was assumed, in how many rows it changed something, and the hit share before and after, if known."""

    assumed: str
    rows: int
    before: float | None
    after: float | None


class Repaired(NamedTuple):
    """What was written, and what is still found in it."""

    path: str
    changes: tuple[Change, ...]
    left: Diagnosis


def write(found: Diagnosis, path: str, assumed: tuple[str, ...], /) -> Repaired:
    """Repair, look again, and write if what was repaired is gone."""
    from vesica.diagnose.diagnosis import diagnosed
    from vesica.diagnose.files import of_coco

    file = check.writable_anew(found.file.file, found.file.title)
    check.another_file(path, [one.file for one in (found.file, found.truth) if one is not None])
    changes: list[Change] = []
    now, seen, settled = found, set[str](), {_noun(word) for word in assumed}
    while len(changes) < ROUNDS:
        sure = [word for word in _words(now) if word not in seen and _noun(word) not in settled]
        words = tuple(sure) if changes else (*assumed, *sure)
        if not words:
            break
        before, side = now.hits, now.file.side
        edits, rows = _edits(words, side, None if now.truth is None else now.truth.side)
        file = File(file.name, rewritten(file, edits, side.data.record), "json")
        truth = None if now.truth is None else now.truth.side
        now = diagnosed(of_coco(file, truth, None, masks=True), now.truth)
        changes.append(Change(" ".join(words), rows, before, now.hits))
        seen |= set(words)
    check.some_repair(bool(changes), found.findings)
    repaired = {one.code for one in found.findings if one.repair is not None or one.repairs}
    check.is_gone([one for one in now.errors if one.code in repaired], path)
    with atomic.file(path) as out:
        out.write(file.data)
    return Repaired(path, tuple(changes), now)


def _noun(word: str) -> str:
    """What an assumption is about. A frame is about boxes too."""
    noun = word.partition("=")[0]
    return "boxes" if noun == "frame" else noun


def _words(found: Diagnosis) -> tuple[str, ...]:
    """What the findings that are certain or likely want to be assumed of the file, not of its truth."""
    own = [one.repair for one in found if one.repair is not None and one.file == found.file.side.path]
    return tuple(dict.fromkeys(word for words in own for word in words.split(" ")))


@np.errstate(all="ignore")
def _edits(words: tuple[str, ...], side: Side, truth: Side | None) -> tuple[dict[str, Edit], int]:
    """The edits of rows that assumptions make, and how many rows they change."""
    edits: dict[str, Edit] = {}
    touched = np.zeros(len(side.data), bool)
    said = dict(word.partition("=")[::2] for word in words)
    if "boxes" in said or "frame" in said:
        new = _boxes(side, said.get("boxes"), said.get("frame"))
        edits["bbox"], touched = _of_boxes(side.numbers, new), touched | (new != side.numbers).any(axis=1)
    for noun, key in (("categories", "category_id"), ("images", "image_id")):
        if noun in said:
            mapped = _mapped(noun, said[noun], side, check.needs_truth(truth, f"{noun}={said[noun]}"))
            rows = side.data.category if noun == "categories" else side.data.image
            touched |= np.array([one is not None for one in mapped], bool)[rows]
            edits[key] = _of_ids(mapped, rows)
    if "area" in said:
        areas = _areas(side, said["area"])
        assert side.data.area is not None
        touched |= areas != side.data.area
        edits["area"] = _of_column(side.data.area, areas)
    if "ids" in said:
        fresh = _renumbered(side)
        touched |= np.array([one is not None for one in fresh], bool)
        edits["id"] = lambda row, text: text if fresh[row] is None else json.dumps(fresh[row])
    return edits, int(touched.sum())


def _of_boxes(old: np.ndarray, new: np.ndarray) -> Edit:
    given, wanted = old.tolist(), new.tolist()
    return lambda row, text: with_numbers(text, given[row], wanted[row])


def _of_column(old: np.ndarray, new: np.ndarray) -> Edit:
    given, wanted = old.tolist(), new.tolist()
    return lambda row, text: text if given[row] == wanted[row] else number_text(wanted[row])


def _of_ids(mapped: list[Any], rows: np.ndarray) -> Edit:
    texts = [None if one is None else json.dumps(one, ensure_ascii=False) for one in mapped]
    at = rows.tolist()
    return lambda row, text: texts[at[row]] or text


# Boxes.


def _boxes(side: Side, layout: str | None, frame: str | None) -> np.ndarray:
    """The four numbers of every row, as the format wants them."""
    numbers = side.numbers
    if layout in _STEPS:
        return np.where(side.has_box[:, None], _STEPS[layout](numbers), numbers)
    reading = side.declared if layout is None else check.layout(layout, reading_of(layout))
    if frame is not None:
        kind, _, length = frame.partition(":")
        reading = reading._replace(frame=Frame(*check.frame(kind, length)))
    if reading.unit != "pixels" or reading.frame is not None:
        check.known_sizes(side.sizes[side.has_box], side.name)
    corners = reading.corners(numbers, side.sizes)
    new: np.ndarray = Boxes(corners, check=False).to("xywh")
    scale = np.maximum(np.abs(corners).max(axis=1, initial=0.0), np.abs(numbers).max(axis=1, initial=0.0))
    return np.where(side.has_box[:, None], _snapped(new, numbers, scale[:, None]), numbers)


def _snapped(new: np.ndarray, old: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Each number as the shortest decimal that arithmetic on floats could have meant: 0.1, not 0.09999999999999964."""
    found = np.where(np.abs(new - old) <= _NOISE * scale, old, new)
    left = found != old
    for digits in range(_DIGITS):
        short = np.round(new, digits)
        fits = left & (np.abs(short - new) <= _NOISE * scale)
        found = np.where(fits, short, found)
        left &= ~fits
    return found


def _one_based(xywh: np.ndarray) -> np.ndarray:
    return np.asarray(np.add(xywh, (-1, -1, 1, 1)))


def _moved_by_one(xywh: np.ndarray) -> np.ndarray:
    return np.asarray(np.add(xywh, (-1, -1, 0, 0)))


def _inclusive(xywh: np.ndarray) -> np.ndarray:
    return np.asarray(np.add(xywh, (0, 0, 1, 1)))


def _ordered(xywh: np.ndarray) -> np.ndarray:
    low = np.minimum(xywh[:, :2], xywh[:, :2] + xywh[:, 2:])
    return np.concatenate([low, np.abs(xywh[:, 2:])], axis=1)


_STEPS: dict[str | None, Callable[[np.ndarray], np.ndarray]] = {
    "one-based": _one_based,
    "moved-by-one": _moved_by_one,
    "inclusive": _inclusive,
    "ordered": _ordered,
}
"""Changes of x, y, width and height that no image is asked for."""


# Ids, and areas.


def _mapped(noun: str, way: str, side: Side, truth: Side) -> list[Any]:
    """For each category or image of the guess its new id; None where it stays."""
    if noun == "categories":
        maps = categories.maps_of(truth.data, side.data)
        where, known = maps[one_of(way, [name for name in maps if name], "categories")], truth.data.categories.ids
        own = side.data.categories.ids.tolist()
    else:
        moved = image_places.moved(truth.data.images, side.data)
        named = {"named": image_places.as_given(truth.data.images, side.data)[0]}
        where, known = (named | moved)[one_of(way, [*named, *moved], "images")], truth.data.images.ids
        own = side.data.images.ids.tolist()
    ids = known.tolist()
    return [None if at < 0 or ids[at] == old else ids[at] for at, old in zip(where.tolist(), own, strict=True)]


def _areas(side: Side, way: str) -> np.ndarray:
    """Areas of boxes; or of masks, where there are any."""
    data = side.data
    assert data.xywh is not None
    assert data.area is not None
    one_of(way, ("box", "mask"), "area")
    area: np.ndarray = data.xywh[:, 2] * data.xywh[:, 3]
    area = _snapped(area[:, None], np.zeros((len(area), 1)), area[:, None])[:, 0]
    if way == "mask" and data.segments is not None:
        own = data.segments.sized(side.sizes)
        area = np.where(data.segments.form == CocoMasks.NONE, area, own.areas())
    return np.where(side.has_box, area, data.area)


def _renumbered(side: Side) -> list[Any]:
    """For each row whose id an earlier row has, a new one; None for the others."""
    own = [] if side.data.id is None else side.data.id.tolist()
    free = max((one for one in own if isinstance(one, int)), default=0) + 1
    seen: set[Any] = set()
    fresh: list[Any] = []
    for one in own:
        fresh.append(free if one in seen and one is not None else None)
        free += one in seen and one is not None
        seen.add(one)
    return fresh
