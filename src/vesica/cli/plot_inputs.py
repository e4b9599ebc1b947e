"""What `vesica plot` draws: results of the files that are named, or their regions."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from vesica.cli.plot import options_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vesica.cli.plot_pictures import Picture


def drawn(kind: str, picture: Picture, arguments: argparse.Namespace, size: tuple[float, float] | None) -> Axes:
    """The picture, in a figure of its own."""
    from vesica import plot

    look: dict[str, Any] = {"theme": arguments.theme}
    if size is not None:
        look["ax"] = _axes(size, arguments.theme)
    draw = getattr(plot, arguments.picture.replace("-", "_"))
    if kind in ("regions", "shapes"):
        return draw(*_READERS[kind](arguments), **look)  # type: ignore[no-any-return]
    result = _READERS[kind](arguments)
    if picture.value is not None and kind == "detection":
        said = options_of(arguments, picture.value_options)
        if said:
            result = getattr(result, picture.value)(**said)
    options = options_of(arguments, picture.options)
    if options.get("by") == "counts":
        options["by"] = None
    if "category" in options:
        options["category"] = _category(options["category"], result.categories)
    return draw(result, **options, **look)  # type: ignore[no-any-return]


def _axes(size: tuple[float, float], theme: str) -> Axes:
    from vesica.plot.theme import THEMES, axes_of

    return axes_of(None, THEMES[theme], size=size)


def _category(word: str, known: list[Any]) -> Any:
    """A category as the result calls it: ids are numbers, and a word of the command line is a text."""
    return next((name for name in known if str(name) == word), word)


def _detection(arguments: argparse.Namespace) -> Any:
    from vesica.scoring import evaluate

    options = options_of(arguments, ("regions", "threads"))
    if len(arguments.files) == 2:
        return evaluate(*arguments.files, **options)
    from vesica.comparison.saved import saved_result

    return saved_result(arguments.files[0])


def _segmentation(arguments: argparse.Namespace) -> Any:
    from vesica.scoring import evaluate_segmentation

    return evaluate_segmentation(*arguments.files, **_of_maps(arguments, ("background", "threads")))


def _surfaces(arguments: argparse.Namespace) -> Any:
    from vesica.scoring import evaluate_surfaces

    return evaluate_surfaces(*arguments.files, **_of_maps(arguments, ("threads",)))


def _of_maps(arguments: argparse.Namespace, names: tuple[str, ...]) -> dict[str, Any]:
    from vesica.cli.number_options import numbers_of
    from vesica.cli.seg_options import classes_of

    said = {"categories": classes_of(arguments.classes), "ignore": numbers_of(arguments.ignore, int, "--ignore")}
    return {name: value for name, value in said.items() if value is not None} | options_of(arguments, names)


def _agreement(arguments: argparse.Namespace) -> Any:
    from vesica.cli.agree_files import named_files
    from vesica.scoring import evaluate_agreement

    files = named_files(arguments.files)
    given = files if len(arguments.files) > 1 else arguments.files[0]
    return evaluate_agreement(given, **options_of(arguments, ("regions", "threads")))


def _comparison(arguments: argparse.Namespace) -> Any:
    from vesica.comparison.compare import compare, named
    from vesica.comparison.saved import is_saved, saved_result

    files, options = arguments.files, options_of(arguments, ("regions", "threads"))
    if all(map(is_saved, files)):
        return compare(*map(saved_result, files), names=named(files))
    if len(files) < 3:
        arguments.usage_error("comparison takes two models or more: vesica plot comparison truth.json a.json b.json")
    return compare(*files, **options)


def _regions(arguments: argparse.Namespace) -> tuple[Any, Any]:
    """The same row of both files."""
    from vesica.errors import InputError
    from vesica.io.arrays import array_of
    from vesica.io.files import load
    from vesica.regions import Boxes, as_region

    row = arguments.row or 0
    found = []
    for path in arguments.files:
        file = load(path)
        table = array_of(file)
        if not 0 <= row < len(table):
            raise InputError(f"{file.name} has {len(table)} rows; there is no row {row}, counted from 0.")
        try:
            one = table[row : row + 1]
            found.append(as_region(one, "regions") if arguments.form is None else Boxes(one, arguments.form))
        except (ValueError, TypeError) as error:
            raise InputError(f"{file.name}: {error}") from error
    return found[0], found[1]


def _shapes(arguments: argparse.Namespace) -> tuple[Any, Any]:
    """Anchors of the boxes of a data set, and their widths and heights."""
    from vesica.errors import InputError
    from vesica.io.read import read
    from vesica.matching.anchors import cluster

    data = read(arguments.files[0])
    if data.xywh is None or not len(data):
        raise InputError(f"{arguments.files[0]} has no boxes.")
    shapes = data.xywh[:, 2:]
    shapes = shapes[(shapes > 0).all(axis=1)]
    return cluster(shapes, k=arguments.anchors or 9), shapes


_READERS: dict[str, Any] = {
    "detection": _detection,
    "segmentation": _segmentation,
    "surfaces": _surfaces,
    "agreement": _agreement,
    "comparison": _comparison,
    "regions": _regions,
    "shapes": _shapes,
}
