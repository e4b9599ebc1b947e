"""Operands: what a file holds, as regions."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from vesica.io.files import File
    from vesica.regions import Region

FORMS = ("xyxy", "xywh", "cxcywh", "yxyx", "xyxy_inclusive")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that say what the numbers in files mean."""
    parser.add_argument("--form", choices=FORMS, default="xyxy", help="what the four columns mean (default: xyxy)")
    parser.add_argument("--normalised", metavar="W,H", help="the columns are fractions of an image of this size")
    parser.add_argument("--rotated", metavar="UNIT,DIRECTION", help="rows of five: deg or rad, cw or ccw; e.g. deg,ccw")
    parser.add_argument("--masks", action="store_true", help="stacks of numbers, (N, height, width), are masks")
    parser.add_argument("--above", type=float, metavar="T", help="with --masks: of floats, those above T belong")
    parser.add_argument(
        "--background",
        type=_label_or_none,
        default=0,
        metavar="ID|none",
        help="label maps: the label that is no region (default: 0)",
    )
    parser.add_argument("--ignore", type=int, metavar="ID", help="label maps: pixels with this label leave both maps")


def _label_or_none(word: str) -> int | None:
    if word == "none":
        return None
    try:
        return int(word)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number, or none; got {word!r}") from None


def check_usage(arguments: argparse.Namespace) -> None:
    """Raise for options that no file could make right."""
    from vesica import _check as check

    if arguments.normalised is not None:
        check.image_size(arguments.normalised.split(","), "--normalised")
    if arguments.rotated is not None:
        rotation(arguments.rotated)
    if arguments.above is not None:
        check.finite(arguments.above, "--above")
        if not arguments.masks:
            raise ValueError("--above goes with --masks")


def rotation(words: str) -> dict[str, Any]:
    """What `--rotated deg,ccw` says about angles."""
    from vesica import _check as check

    unit, _, direction = words.partition(",")
    check.one_of(unit, check.UNITS, "--rotated UNIT")
    check.one_of(direction, check.DIRECTIONS, "--rotated DIRECTION")
    return {"unit": unit, "direction": direction}


def read(path: str, arguments: argparse.Namespace) -> Region:
    """The regions of one file."""
    from vesica.errors import InputError
    from vesica.io.files import load

    file = load(path)
    try:
        return _region(file, arguments)
    except (ValueError, TypeError) as error:
        raise InputError(f"{file.name}: {error}") from error


def matched(a: Region, b: Region | None, *, aligned: bool) -> tuple[Region, Region | None]:
    """Label maps as their partner wants them: with the same labels when aligned, as masks for what is no label map."""
    import numpy as np

    from vesica.regions import LabelMap

    if isinstance(a, LabelMap) and isinstance(b, LabelMap) and aligned:
        ids = np.union1d(a.ids, b.ids)
        a, b = (LabelMap(m.array, ids=ids, background=m.background, ignore=m.ignore) for m in (a, b))
    elif isinstance(a, LabelMap) and b is not None and not isinstance(b, LabelMap):
        a = a.to_rle()
    elif isinstance(b, LabelMap) and not isinstance(a, LabelMap):
        b = b.to_rle()
    return a, b


def _region(file: File, arguments: argparse.Namespace) -> Region:
    """Regions of the kind that the content shows."""
    from vesica.io import arrays, coco, png
    from vesica.regions import RleMasks

    if file.kind == "png":
        labels = png.labels_of(file)
        from vesica.regions.labels import LabelMap

        return LabelMap(labels, background=arguments.background, ignore=arguments.ignore)
    if file.kind != "json":
        return _region_of_numbers(arrays.array_of(file), arguments, file.name)
    value = file.json()
    if coco.is_coco(value):
        return RleMasks.from_coco(coco.run_lengths(value, file.name))
    return _region_of_numbers(arrays.array_of_json(value, file.name), arguments, file.name)


def _region_of_numbers(array: np.ndarray, arguments: argparse.Namespace, name: str) -> Region:
    from vesica.errors import InputError
    from vesica.regions import Boxes, Masks, RotatedBoxes

    try:
        if array.dtype == bool:
            return Masks(array)
        if arguments.masks and array.ndim > 2:
            return Masks(array, above=arguments.above)
        if arguments.rotated is not None:
            return RotatedBoxes(array, **rotation(arguments.rotated))
        size = None if arguments.normalised is None else arguments.normalised.split(",")
        return Boxes(array, arguments.form, normalised=size)
    except (ValueError, TypeError) as error:
        raise InputError(f"{name}: {error}{_option_for(array, arguments)}") from error


def _option_for(array: np.ndarray, arguments: argparse.Namespace) -> str:
    """The option that was probably meant."""
    if array.dtype == bool:
        return ""  # masks, whatever the options say
    if array.ndim == 2 and array.shape[1] != 4 and arguments.masks:
        return " One mask is a stack of one: (1, height, width)."
    if array.ndim == 3 and not arguments.masks:
        return f" If these are masks: --masks{' --above 0.5' if array.dtype.kind == 'f' else ''}."
    if array.ndim == 3 and array.dtype.kind == "f" and arguments.above is None:
        return " On the command line: --above 0.5."
    return ""
