"""What `vesica plot` draws: results of the files that are named, or what is in them."""

from __future__ import annotations

import argparse
import functools
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
    if kind in _REGIONS:
        return _of_regions(kind, draw, arguments, look)
    result = _READERS[kind](arguments)
    if picture.value is not None and kind == "detection":
        said = options_of(arguments, picture.value_options)
        if said:
            result = getattr(result, picture.value)(**said)
    options = options_of(arguments, picture.options)
    if options.get("by") == "counts":
        options["by"] = None
    if "category" in options:
        options["category"] = _category(options["category"], result)
    if "," in options.get("metric", ""):
        options["metric"] = [name.strip() for name in options["metric"].split(",")]
    if arguments.picture == "anchors":
        return draw(*_anchors(result, arguments), **look)  # type: ignore[no-any-return]
    return draw(result, **options, **look)  # type: ignore[no-any-return]


def _axes(size: tuple[float, float], theme: str) -> Axes:
    from vesica.plot.theme import THEMES, axes_of

    return axes_of(None, THEMES[theme], size=size)


def _category(word: str, result: Any) -> Any:
    """A category as the result calls it: ids are numbers, and a word of the command line is a text."""
    from vesica.agreement.tables import labels_of

    known = result.categories if hasattr(result, "categories") else labels_of(result.records).tolist()
    return next((name for name in known if str(name) == word), word)


# ---- scores


def _detection(arguments: argparse.Namespace) -> Any:
    return _scored(arguments)[0] if len(arguments.files) == 2 else _saved(arguments.files[0], arguments)


def _saved(path: str, arguments: argparse.Namespace) -> Any:
    """A result of an earlier run, by its file."""
    from vesica.cli import interval_options
    from vesica.comparison.saved import saved_result
    from vesica.detection import DetectionResult

    result = saved_result(path)
    if isinstance(result, DetectionResult):
        return interval_options.sliced(result, arguments)
    if arguments.slices is not None:
        arguments.usage_error("--slices is of detection, and this result is of another kind")
    return result


def _scored(arguments: argparse.Namespace) -> list[Any]:
    """The result of each guess with the first file, read and looked at as `eval` does it."""
    from vesica.cli import eval as evaluation
    from vesica.cli import image_options, interval_options, refusal
    from vesica.cli.category_options import categories_of
    from vesica.detection.protocol import protocol_of
    from vesica.scoring import evaluate

    rules: dict[str, Any] = {"protocol": arguments.protocol or "coco", "regions": arguments.regions or "box"}
    protocol = protocol_of(rules["protocol"], regions=rules["regions"])
    said = image_options.given(arguments)
    categories = None if arguments.categories is None else categories_of(arguments.categories)
    truth = evaluation.read(arguments.files[0], arguments.truth_format, arguments, protocol, said)
    known = truth.data.images if said["images"] is None else said["images"]
    results = []
    for path in arguments.files[1:]:
        of_guess = {**said, "images": known, "predictions": True}
        guess = evaluation.read(path, arguments.guess_format, arguments, protocol, of_guess)
        evaluation.check_said(said, truth, guess)
        score = functools.partial(
            evaluate, truth.data, guess.data, categories=categories, threads=arguments.threads, **rules
        )
        result = refusal.scored(score, truth, guess, arguments, by_class=categories is None)
        results.append(interval_options.sliced(result, arguments))
    return results


def _comparison(arguments: argparse.Namespace) -> Any:
    from vesica.comparison.compare import compare, named
    from vesica.comparison.saved import is_saved

    files = arguments.files
    if all(map(is_saved, files)):
        return compare(*(_saved(path, arguments) for path in files), names=named(files))
    if len(files) < 3:
        arguments.usage_error("comparison takes two models or more: vesica plot comparison truth.json a.json b.json")
    return compare(*_scored(arguments), names=named(files[1:]))


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
    from vesica.cli import agree_files
    from vesica.scoring import evaluate_agreement

    lacking = dict.fromkeys(("consensus", "queue", "records", "before"))
    asked = argparse.Namespace(**(vars(arguments) | lacking | {"files_format": arguments.format, "model": None}))
    maps: Any = agree_files.maps_of(asked)
    given = agree_files.chosen(agree_files.read(asked).data, asked) if maps is None else maps
    return evaluate_agreement(given, **options_of(arguments, ("regions", "threads")))


# ---- data sets


def _dataset(arguments: argparse.Namespace) -> Any:
    from vesica.cli import image_options
    from vesica.io.read import read

    said = image_options.given(arguments)
    return read(
        arguments.files[0],
        format=arguments.format,
        **{name: value for name, value in said.items() if value is not None},
    )


def _anchors(data: Any, arguments: argparse.Namespace) -> tuple[Any, Any]:
    """Anchors of the boxes of a data set, and their widths and heights."""
    from vesica.errors import InputError
    from vesica.matching.anchors import cluster

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
    "dataset": _dataset,
}
_REGIONS = ("pair", "image", "detections")


def _of_regions(kind: str, draw: Any, arguments: argparse.Namespace, look: dict[str, Any]) -> Axes:
    """Pictures of regions themselves."""
    from vesica.cli import plot_regions

    arrays, options = getattr(plot_regions, f"of_{kind}")(arguments)
    return draw(*arrays, **options, **look)  # type: ignore[no-any-return]
