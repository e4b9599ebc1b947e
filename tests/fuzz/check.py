"""Files that are checked: whatever stands in them, there are findings or an InputError, and a repair can be read."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any

import vesica

from .numbers import Rng, chance, pick

NUMBERS = (0, 1, -1, 0.5, -0.0, 1e-9, 1e300, -1e300, 1e308, 2**53, 640, 99.5, float("nan"), float("inf"))
IDS = (0, 1, 2, 3, -5, 2**62, 2**63 - 1, "1", "a", "007", "", 10**25)
MASKS: tuple[Any, ...] = ([], [[1, 1, 5, 1, 5, 5]], {"size": [9, 9], "counts": "0a"})


def trial(rng: Rng) -> None:
    images, kinds = (_different(rng, int(rng.integers(0, 6))) for _ in range(2))
    truth = {
        "images": [{"id": one, **(_size(rng) if chance(rng, 0.8) else {})} for one in images],
        "categories": [{"id": one, "name": pick(rng, ("a", "b", "c", ""))} for one in kinds],
        "annotations": [_row(rng, images, kinds) for _ in range(pick(rng, (0, 1, 3, 60, 200)))],
    }
    guess = [_guess(rng, images, kinds) for _ in range(pick(rng, (0, 2, 60, 300)))]
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("truth.json", "guess.json")]
        for path, value in zip(paths, (truth, guess), strict=True):
            with open(path, "w", encoding="utf-8") as file:
                json.dump(value, file)
        for path in paths:
            for against in (None, *paths):
                _checked(path, against, os.path.join(folder, "fixed.json"))


def _checked(path: str, against: str | None, out: str) -> None:
    try:
        found = vesica.check(path, against=against)
    except vesica.InputError:
        return
    assert json.loads(found.to_json())["file"] and str(found)
    try:
        found.fix(out)
    except (vesica.InputError, ValueError):  # nothing to repair, or a file that is one of those that are read
        return
    with open(out, encoding="utf-8") as file:
        json.load(file)


def _different(rng: Rng, count: int) -> list[Any]:
    return list({repr(one): one for one in (_id(rng) for _ in range(count))}.values())


def _id(rng: Rng) -> Any:
    return pick(rng, IDS) if chance(rng, 0.5) else int(rng.integers(0, 7))


def _number(rng: Rng) -> float:
    return pick(rng, NUMBERS) if chance(rng, 0.3) else round(float(rng.uniform(-5, 700)), int(rng.integers(0, 4)))


def _size(rng: Rng) -> dict[str, int]:
    return {"width": pick(rng, (0, 1, 640, 10**6)), "height": pick(rng, (1, 480))}


def _row(rng: Rng, images: list[Any], kinds: list[Any]) -> dict[str, Any]:
    row = {
        "id": _id(rng),
        "image_id": pick(rng, images) if images and chance(rng, 0.8) else _id(rng),
        "category_id": pick(rng, kinds) if kinds and chance(rng, 0.8) else _id(rng),
        "area": _number(rng),
    }
    row |= {"bbox": [_number(rng) for _ in range(4)]} if chance(rng, 0.95) else {}
    return row | ({"segmentation": pick(rng, MASKS)} if chance(rng, 0.1) else {})


def _guess(rng: Rng, images: list[Any], kinds: list[Any]) -> dict[str, Any]:
    row = _row(rng, images, kinds)
    return row | ({"score": _number(rng)} if chance(rng, 0.97) else {})
