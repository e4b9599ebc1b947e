"""What a file leaves open, said on the command line: sizes of images, what boxes mean, names of classes."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any


def add_arguments(parser: argparse.ArgumentParser, *, has_report: bool = False) -> None:
    """The options that say what a file leaves open, by the names of those of `vesica.read`."""
    more = "; with --report: the photographs" if has_report else ""
    parser.add_argument("--boxes", metavar="FORM", help="what boxes mean: voc as_written; yolo xywh, … for pixels")
    parser.add_argument("--sizes", metavar="H,W", help="yolo, Open Images: height and width of all images")
    parser.add_argument(
        "--images",
        metavar="DIR|FILE",
        help=f"yolo, Open Images: the pictures, or another data set of them{more}",
    )
    parser.add_argument("--names", metavar="FILE", help="yolo: data.yaml, or a list of names")
    parser.add_argument("--kind", metavar="KIND", help="yolo: polygon, obb or pose, where a line may be either")
    parser.add_argument("--columns", metavar="ORDER", help='yolo: "class box score" or "class score box"')


def check_usage(arguments: argparse.Namespace) -> None:
    """Raise for options that no file could make right."""
    if arguments.sizes is not None:
        sizes_of(arguments.sizes)


def given(arguments: argparse.Namespace) -> dict[str, Any]:
    """They as options of `vesica.read`; None is what was not said, and --images that are for a report alone."""
    return {
        "boxes": arguments.boxes,
        "sizes": None if arguments.sizes is None else sizes_of(arguments.sizes),
        "images": None if arguments.images is None else images_of(arguments.images, arguments),
        "names": arguments.names,
        "kind": arguments.kind,
        "columns": arguments.columns,
    }


def sizes_of(text: str) -> tuple[int, int]:
    """The height and width of all images, from --sizes."""
    if not re.fullmatch(r"\d{1,9},\d{1,9}", text):
        raise ValueError(f"--sizes must be height,width; got {text!r}")
    height, width = (int(side) for side in text.split(","))
    return height, width


def images_of(path: str, arguments: argparse.Namespace | None = None) -> Any:
    """From --images: a folder of pictures, perhaps in folders of their own, or the images of another data set."""
    from vesica.io.image_size import pictures_in
    from vesica.io.read import read

    folder = Path(path)
    is_of_pictures = folder.is_dir() and any(map(pictures_in, [folder, *filter(Path.is_dir, folder.iterdir())]))
    is_for_report = getattr(arguments, "report", None) is not None and folder.is_dir()
    return path if is_of_pictures else None if is_for_report else read(path, masks=False).images
