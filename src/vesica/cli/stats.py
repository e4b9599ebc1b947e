"""`vesica stats FILE…`: what files hold, in counts and sizes, side by side."""

from __future__ import annotations

import argparse
from typing import Any

from vesica.cli import image_options, outputs, stats_output, streams
from vesica.cli.epilogs import epilog
from vesica.io.formats import readable

_EPILOG = epilog(
    """
  vesica stats truth.json
  vesica stats truth.json guess.json --most 10
  vesica stats labels --images pictures --json
  vesica stats truth/ guess/ --classes names.txt  # label maps: pixels of each class
  vesica stats truth.json --output markdown
""",
    notes="""
Sizes go by area, as COCO's: small below 32², medium below 96², large from there on. The area is that of the file, or
else of the mask, or else of the box. Aspect ratios are width / height.
""",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="data sets of any format, or folders of label maps; - is stdin",
    )
    parser.add_argument("--most", type=int, default=20, metavar="N", help="categories that are shown (20); 0: all")
    parser.add_argument("--format", dest="files_format", choices=readable(), help="where the content does not show it")
    parser.add_argument("--classes", metavar="FILE|N|A,B,…", help="of label maps: names of the labels 0, 1, …")
    image_options.add_arguments(parser)
    parser.add_argument("--as-is", action="store_true", help="let numbers pass that are not finite, and negative sides")
    outputs.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    _check_usage(arguments)
    are_maps = [_is_maps(path, arguments) for path in arguments.files]
    _check_said(are_maps, arguments)
    found = [
        _of_maps(path, arguments) if is_maps else _of_objects(path, arguments)
        for path, is_maps in zip(arguments.files, are_maps, strict=True)
    ]
    names = stats_output.named(arguments.files)
    facts = {"files": [{"file": name, **one} for name, one in zip(names, found, strict=True)]}
    answer = outputs.Answer(
        "stats",
        stats_output.headline(names, found),
        facts,
        lambda: stats_output.show(names, found, arguments.most),
        stats_output.tables_of(names, found),
        arguments.files[0],
    )
    return outputs.tell(answer, arguments)


def _is_maps(path: str, arguments: argparse.Namespace) -> bool:
    from vesica.io.label_files import has_maps_alone

    return path != "-" and arguments.files_format is None and has_maps_alone(path)


def _check_said(are_maps: list[bool], arguments: argparse.Namespace) -> None:
    """Exit code 2 for options that say nothing about any of the files."""
    if arguments.classes is not None and not any(are_maps):
        arguments.usage_error("--classes is for folders of label maps, and none of these is one")
    said = [name for name in ("boxes", "sizes", "images", "names", "kind", "columns") if getattr(arguments, name)]
    if said and all(are_maps):
        arguments.usage_error(f"--{said[0]} says nothing about label maps: leave it out")


def _of_objects(path: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """What one data set holds."""
    from vesica.cli.option_words import as_options
    from vesica.cli.progress import steps
    from vesica.dataset.stats import stats_of
    from vesica.detection.rules import AREAS
    from vesica.io.options import Options
    from vesica.io.read import describe, find

    with steps("read", "count") as done:
        said = image_options.given(arguments)
        options = Options(check=not arguments.as_is, threads=arguments.threads, **said)
        read = find(path, options, format=arguments.files_format)
        done()
        streams.note(describe(read), arguments)
        for note in read.data.notes:
            streams.note(as_options(f"  note: {note}.", vars(arguments)), arguments)
        bounds = [(name, high) for name, _, high in AREAS if name != "all"]
        bounds[-1] = (bounds[-1][0], float("inf"))
        found = stats_of(read.data, areas=bounds, threads=arguments.threads)
    return {"format": read.format, **found}


def _of_maps(path: str, arguments: argparse.Namespace) -> dict[str, Any]:
    from vesica.cli.progress import track
    from vesica.cli.seg_options import classes_of
    from vesica.dataset.label_stats import label_stats_of
    from vesica.io.label_files import LabelMaps

    maps = LabelMaps(path)
    names = list(maps)
    streams.note(f"Read {path} as label maps: {len(names):,} images.", arguments)
    kinds = classes_of(arguments.classes)
    found = label_stats_of(
        (maps[names[place]] for place in track(range(len(names)), "images")),
        names=None if isinstance(kinds, int) else kinds,
    )
    return {"format": "label maps", **found}


def _check_usage(arguments: argparse.Namespace) -> None:
    """Leave with exit code 2 for options that no file could make right."""
    try:
        image_options.check_usage(arguments)
        outputs.check_usage(arguments)
        if arguments.most < 0:
            raise ValueError(f"--most must be a whole number from 0 on; got {arguments.most}")
        if arguments.files.count("-") > 1:
            raise ValueError("standard input can be read only once")
    except ValueError as error:
        arguments.usage_error(str(error))
