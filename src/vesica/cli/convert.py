"""`vesica convert IN OUT`: a data set from one format into another."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from vesica.cli import image_options, streams
from vesica.cli.epilogs import epilog
from vesica.cli.option_words import as_options
from vesica.io.formats import FORMATS, readable, writable

if TYPE_CHECKING:
    from vesica.io.options import Options

_EXAMPLES = """
  vesica convert Annotations from_voc.json                  # Pascal VOC to COCO
  vesica convert labels from_yolo.json --images pictures    # YOLO to COCO; sizes from the headers of pictures
  vesica convert found.csv results.json                     # a table to COCO results
  vesica convert truth.json voc --to voc
  vesica convert export.json tasks.xml --to cvat            # Label Studio to CVAT
  vesica convert labels - --to csv --sizes 480,640 | head
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    width = max(map(len, FORMATS))
    about = (f"  {name:<{width}} {format.about}" for name, format in FORMATS.items() if format.about)
    formats = "\n".join(about)
    parser.epilog = epilog(
        _EXAMPLES, notes=f"formats, found from the content of IN and from the ending of OUT:\n{formats}"
    )
    parser.add_argument("source", metavar="IN", help="a file, a folder, a pattern, or - for standard input")
    parser.add_argument(
        "target", metavar="OUT", help="a file; a folder of voc, yolo, dota, labelme; - is standard output"
    )
    parser.add_argument("--from", dest="source_format", metavar="FORMAT", help="the format of IN, where two fit")
    parser.add_argument(
        "--to", dest="target_format", metavar="FORMAT", help="the format of OUT, if its ending is silent"
    )
    image_options.add_arguments(parser)
    parser.add_argument("--predictions", action="store_true", help="labelstudio: the guesses of models, not of people")
    parser.add_argument("--annotator", metavar="KEY", help="coco: the key of annotations that says who made each")
    parser.add_argument("--no-masks", action="store_true", help="leave masks out")
    parser.add_argument("--number", action="store_true", help="ids that are strings become 1, 2, …; names keep them")
    parser.add_argument(
        "--overwrite", action="store_true", help="of folders: remove what an earlier data set left in OUT"
    )
    parser.add_argument("--as-is", action="store_true", help="let numbers pass that are not finite, and negative sides")


def run(arguments: argparse.Namespace) -> int:
    _check_usage(arguments)
    from vesica.cli.progress import steps
    from vesica.io.read import describe, find
    from vesica.io.write import format_of, write

    with steps("read", "write") as done:
        found = find(arguments.source, _options(arguments), format=arguments.source_format)
        done()
        data = found.data.numbered() if arguments.number else found.data
        lost = write(arguments.target, data, format=arguments.target_format, overwrite=arguments.overwrite)
    sys.stdout.flush()  # where OUT may be, before it is said to be written

    format = format_of(arguments.target, arguments.target_format)
    wrote = f"Wrote {arguments.target} as {format}: {len(data)} objects, {len(data.images)} images."
    if arguments.json:
        counts = {"objects": len(data), "images": len(data.images), "categories": len(data.categories)}
        read = {"from": found.format, "boxes": found.form, "notes": list(found.data.notes)}
        streams.answer({**counts, "read": read, "wrote": {"to": format, "lost": list(lost)}})
    else:
        for line in (describe(found), *_noted(found.data.notes), wrote, *_noted(lost)):
            streams.note(as_options(line, vars(arguments)), arguments)
    return 0


def _noted(notes: tuple[str, ...]) -> list[str]:
    return [f"  note: {note}." for note in notes]


def _options(arguments: argparse.Namespace) -> Options:
    from vesica.io.options import Options

    return Options(
        masks=not arguments.no_masks,
        check=not arguments.as_is,
        threads=arguments.threads,
        predictions=arguments.predictions,
        annotator=arguments.annotator,
        **image_options.given(arguments),
    )


def _check_usage(arguments: argparse.Namespace) -> None:
    """Leave with exit code 2 for options that no file could make right."""
    from vesica import _check as check
    from vesica.errors import InputError
    from vesica.io.write import format_of

    wrong = arguments.usage_error
    try:
        if arguments.source_format is not None:
            check.one_of(arguments.source_format, readable(), "--from")
        if arguments.target_format is not None:
            check.one_of(arguments.target_format, writable(), "--to")
        format_of(arguments.target, arguments.target_format)
        image_options.check_usage(arguments)
    except (ValueError, InputError) as error:
        wrong(str(error))
    if arguments.target == "-" and arguments.json:
        wrong("--json prints an object on stdout, where OUT would go: name a file")
    source, target = Path(arguments.source), Path(arguments.target)
    if source.exists() and target.exists() and source.samefile(target):
        wrong("OUT must not be IN")
