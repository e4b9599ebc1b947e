"""What `vesica stats` tells, as tables: a column for each file."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from vesica.cli.outputs import Shown

_Fact = Callable[[dict[str, Any]], Any]


def _count(key: str) -> _Fact:
    return lambda one: one.get(key)


def _spread(key: str) -> _Fact:
    return lambda one: _ends(one.get(key))


def _of_size(name: str) -> _Fact:
    return lambda one: None if "sizes" not in one else _with_share(one["sizes"][name], sum(one["sizes"].values()))


def _sides(one: dict[str, Any]) -> str | None:
    most = one["image_sizes"]["most_frequent"]
    shown = [f"{size['width']}×{size['height']}" for size in most[:1]]
    left = one["image_sizes"]["different"] - len(shown)
    return (", ".join(shown) + (f" and {left:,} more" if left else "")) or None


_FACTS: dict[str, _Fact] = {
    "format": _count("format"),
    "kind": _count("kind"),
    "images": _count("images"),
    "images without objects": _count("images_empty"),
    "image sizes (w×h)": _sides,
    "image sizes missing": lambda one: one["image_sizes"]["missing"],
    "pixels": _count("pixels"),
    "objects": _count("objects"),
    "… with a mask": _count("objects_with_mask"),
    "… rotated": _count("objects_rotated"),
    "… crowds": _count("crowd"),
    "… ignored": _count("ignored"),
    "… small": _of_size("small"),
    "… medium": _of_size("medium"),
    "… large": _of_size("large"),
    "categories": _count("categories"),
    "… without objects": _count("categories_empty"),
    "annotators": lambda one: None if not one.get("annotators") else len(one["annotators"]),
    "objects an image": _spread("per_image"),
    "width": _spread("width"),
    "height": _spread("height"),
    "area": _spread("area"),
    "aspect ratio": _spread("aspect_ratio"),
    "score": _spread("score"),
}
_MAY_BE_LEFT_OUT = ("pixels", "… with a mask", "… rotated", "… crowds", "… ignored", "annotators", "score")
"""Rows that are not shown where no file has any."""


def named(files: Sequence[str]) -> list[str]:
    """Short names that differ: the last parts of the paths, as many as it takes."""
    parts = [os.path.normpath(path).replace(os.sep, "/").split("/") for path in files]
    for depth in range(1, max(map(len, parts)) + 1):
        names = ["/".join(one[-depth:]) for one in parts]
        if len(set(names)) == len(names):
            return names
    return [f"{name} ({number})" for number, name in enumerate(names, 1)]


def headline(names: Sequence[str], found: Sequence[dict[str, Any]]) -> str:
    """How much there is of everything, of each file."""
    told = []
    for name, one in zip(names, found, strict=True):
        what = f"{one['objects']:,} {one['kind']}" if "objects" in one else f"{one['pixels']:,} pixels"
        told.append(f"{name}: {one['images']:,} images, {what}, {one['categories']:,} categories")
    return "; ".join(told)


def tables_of(names: Sequence[str], found: Sequence[dict[str, Any]]) -> list[Shown]:
    """The facts, and the categories, each with a column for each file."""
    rows = [{"": label, **dict(zip(names, values, strict=True))} for label, values in _rows(found)]
    classes = _classes(names, found)
    return [
        Shown("Counts and sizes", rows, ["", *names], is_folded=False),
        Shown(f"{len(classes):,} categories", classes, ["category", *names]),
    ]


def show(names: Sequence[str], found: Sequence[dict[str, Any]], most: int) -> None:
    """Print them."""
    from vesica.results.markdown import printable
    from vesica.segmentation.print import aligned

    heads = [printable(name) for name in names]
    print("\n".join(aligned([["", *heads], *([label, *map(_text, values)] for label, values in _rows(found))])))
    print("a / b / c: the least, the median and the largest")
    classes = _classes(names, found)
    shown = classes[: most or None]
    if not shown:
        return
    rows = [[printable(row["category"]), *(_text(row[name]) for name in names)] for row in shown]
    print("\n" + "\n".join(aligned([["category", *heads], *rows])))
    if len(shown) < len(classes):
        print(f"{len(classes) - len(shown):,} more categories; --most 0 shows all")


def _rows(found: Sequence[dict[str, Any]]) -> list[tuple[str, list[Any]]]:
    told = [(label, [fact(one) for one in found]) for label, fact in _FACTS.items()]
    return [
        (label, values)
        for label, values in told
        if any(value is not None for value in values) and (label not in _MAY_BE_LEFT_OUT or any(values))
    ]


def _classes(names: Sequence[str], found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each category that any file has: its objects or pixels in each, the most frequent first.

    Results of COCO have ids alone; they take the names of a file beside them.
    """
    by_name: dict[str, dict[str, Any]] = {}
    every = [row for one in found for row in one["classes"] if "id" in row]
    known = {str(row["id"]): row["category"] for row in reversed(every) if row["category"] != str(row["id"])}
    for name, one in zip(names, found, strict=True):
        for row in one["classes"]:
            category = row["category"]
            if "id" in row and category == str(row["id"]):
                category = known.get(category, category)
            own = by_name.setdefault(category, dict.fromkeys(names))
            own[name] = (own[name] or 0) + row["pixels" if "pixels" in row else "objects"]
    order = sorted(by_name.items(), key=lambda one: (-sum(count or 0 for count in one[1].values()), one[0]))
    return [{"category": category, **counts} for category, counts in order]


def _with_share(count: int, whole: int) -> str:
    return f"{count:,} ({100 * count / whole:.0f} %)" if whole else f"{count:,}"


def _ends(spread: dict[str, Any] | None) -> str | None:
    """Least, median and largest."""
    return None if spread is None else " / ".join(_number(spread[name]) for name in ("min", "median", "max"))


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _text(value: Any) -> str:
    return "–" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
