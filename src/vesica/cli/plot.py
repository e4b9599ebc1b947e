"""`vesica plot PICTURE FILES -o OUT`: a picture of a score, or of regions, as a file."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from vesica.cli import image_options, refusal, streams
from vesica.cli.plot_pictures import FILES, PICTURES, listed
from vesica.cli.region_files import FORMS
from vesica.detection.rules import PROTOCOLS, REGIONS
from vesica.io.formats import readable

if TYPE_CHECKING:
    from vesica.cli.plot_pictures import Picture

_EPILOG = f"""\
pictures, and what they are of; where there are several, --of says which:
{listed()}

files:
{chr(10).join(f"  {kind:<17} {files}" for kind, files in FILES.items())}

examples:
  vesica plot causes truth.json guess.json -o causes.png
  vesica plot precision-recall truth.json guess.json --iou 0.5 --theme dark -o curves.svg
  vesica plot confusion run.records --min-score 0.3 -o confusion.pdf
  vesica plot counts labels/ --images pictures/ --names names.txt -o counts.png
  vesica plot policies truth/ guess/ --classes names.txt --ignore 255 -o policies.png
  vesica plot ledger ann=ann.json ben=ben.json cleo=cleo.json -o ledger.svg
  vesica plot regions truth.json guess.json --image 002.png --images pictures/ -o regions.png
  vesica plot nms results.json --image 3 --iou 0.6 --per-class -o nms.png
  vesica plot overlap truth.csv guess.csv --row 3 -o overlap.png

exit codes: 0 done, 2 usage, 3 bad input, 4 our fault
"""
_OPTIONS = ("iou", "category", "metric", "most", "by", "min_score", "bins", "seed", "row", "form", "anchors", "image",
            "model", "per_class")  # fmt: skip
"""Those that not every picture takes."""
_OF_MAPS = ("ignore", "background")
_OF_PAIRS = ("truth_format", "guess_format", "categories", "protocol", "as_is")
_OF_DATA = ("format", "boxes", "sizes", "images", "names", "kind", "columns")
_OF_PEOPLE = ("by_annotator", "assignments")
_KINDS = {
    "classes": ("segmentation", "surfaces", "agreement"),
    "regions": ("detection", "agreement", "comparison", "image", "detections"),
    "photograph": ("image", "detections"),
    "slices": ("detection", "comparison"),
    **dict.fromkeys(_OF_MAPS, ("segmentation", "surfaces")),
    **dict.fromkeys(_OF_PAIRS, ("detection", "comparison", "image")),
    **dict.fromkeys(_OF_DATA, ("detection", "comparison", "image", "agreement", "dataset")),
    **dict.fromkeys(_OF_PEOPLE, ("agreement",)),
}
"""Options that say how files are read, and what kinds of files they are about."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("picture", metavar="PICTURE", choices=tuple(PICTURES), help="which one; see below")
    parser.add_argument("files", metavar="FILE", nargs="+", help="what it is of; see below")
    parser.add_argument(
        "-o", "--output", metavar="OUT", required=True, help="the file to write: .png, .svg or .pdf, as it ends"
    )
    kinds = tuple(dict.fromkeys(kind for one in PICTURES.values() for kind in one.of))
    parser.add_argument("--of", choices=kinds, help="what the files are (default: the first that the picture is of)")
    parser.add_argument("--theme", choices=("light", "dark"), default="light", help="(default: light)")
    parser.add_argument("--size", metavar="W,H", help="of the figure, in inches (default: as the picture needs)")
    parser.add_argument("--dpi", type=float, default=150, metavar="N", help="pixels an inch, of PNG (default: 150)")
    _add_pictures(parser)
    _add_reading(parser)


def _add_pictures(parser: argparse.ArgumentParser) -> None:
    """What is drawn."""
    ways = tuple(dict.fromkeys(way for one in PICTURES.values() for way in one.by))
    parser.add_argument("--iou", type=float, metavar="T", help="the threshold of the picture")
    parser.add_argument("--category", metavar="NAME", help="of one category")
    parser.add_argument("--metric", metavar="NAME[,NAME]", help="which number: AP50, IoU, …; per-class takes several")
    parser.add_argument("--most", type=int, metavar="N", help="rows that are drawn")
    parser.add_argument(
        "--by", choices=ways, help="shares of rows or columns, or counts; of trend and objects, what by"
    )
    parser.add_argument("--min-score", type=float, metavar="S", help="of guesses from this score on")
    parser.add_argument("--bins", type=int, metavar="N", help="ranges of scores or of sizes")
    parser.add_argument("--seed", type=int, metavar="N", help="of the intervals")
    parser.add_argument("--model", metavar="NAME", help="of a comparison: which model (default: the last)")
    parser.add_argument("--row", type=int, metavar="N", help="overlap: which row of both files, from 0 on")
    parser.add_argument("--form", choices=FORMS, help="what the four columns of a table mean (default: xyxy)")
    parser.add_argument("--anchors", type=int, metavar="K", help="how many (default: 9)")
    parser.add_argument(
        "--image", metavar="ID|NAME", help="regions, nms: which image (default: the first with objects)"
    )
    parser.add_argument("--photograph", metavar="FILE", help="regions, nms: the picture behind them")
    parser.add_argument("--per-class", action="store_true", default=None, help="nms: only those of one class compete")


def _add_reading(parser: argparse.ArgumentParser) -> None:
    """How files are read, and how two of them meet; as of `eval`, `seg` and `agree`."""
    formats = readable()
    parser.add_argument("--regions", choices=REGIONS, help="what is compared (default: box)")
    parser.add_argument("--protocol", choices=tuple(PROTOCOLS), help="of detectors: whose rules (default: coco)")
    parser.add_argument("--categories", metavar="name|id|FILE", help="of detectors: how classes meet")
    parser.add_argument("--slices", metavar="CSV", help="of detectors: a table of image,camera,… to slice by")
    parser.add_argument("--format", choices=formats, help="of all files, where the content does not show it")
    parser.add_argument("--truth-format", choices=formats, metavar="NAME", help="of TRUTH alone")
    parser.add_argument("--guess-format", choices=formats, metavar="NAME", help="of the others")
    image_options.add_arguments(parser)
    parser.add_argument(
        "--classes",
        metavar="FILE|N|A,B,…",
        help="of label maps: names of the labels 0, 1, …; of annotators: these alone",
    )
    parser.add_argument("--ignore", metavar="L[,L…]", help="of label maps: pixels of these labels do not count")
    parser.add_argument("--background", type=int, metavar="L", help="of label maps: a class that is kept out of means")
    parser.add_argument(
        "--by-annotator", nargs="?", const=True, metavar="KEY", help="of one COCO file: the key that says who"
    )
    parser.add_argument("--assignments", metavar="FILE|all", help="of annotators: who was asked for what")
    refusal.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    picture = PICTURES[arguments.picture]
    kind, size = _checked(arguments, picture)
    from vesica.cli import plot_inputs
    from vesica.plot.files import save
    from vesica.plot.theme import alone

    with alone():
        ax = plot_inputs.drawn(kind, picture, arguments, size)
    save(ax, arguments.output, dpi=arguments.dpi)
    told = {
        "picture": arguments.picture,
        "output": arguments.output,
        "title": _one_line(ax.get_title(loc="left")),
        "sentence": _one_line(ax.texts[-1].get_text() if picture.of != ("pair",) else ax.get_xlabel()),
    }
    if arguments.json:
        streams.answer(told)
    else:
        print(f"{told['output']}: {told['title']}; {told['sentence']}")
    return 0


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _checked(arguments: argparse.Namespace, picture: Picture) -> tuple[str, tuple[float, float] | None]:
    """What the files are, and the size; exit code 2 for what no file could make right."""
    from vesica._check import plot as check
    from vesica.cli.number_options import numbers_of

    wrong = arguments.usage_error
    kind = arguments.of or picture.of[0]
    if kind not in picture.of:
        wrong(f"{arguments.picture} is a picture of {' or '.join(picture.of)}, not of {kind}")
    _check_options(arguments, picture, kind)
    _count(arguments, kind)
    try:
        image_options.check_usage(arguments)
        check.ending_of(arguments.output)
        check.dpi(arguments.dpi)
        size = numbers_of(arguments.size, float, "--size")
        if size is not None and (len(size) != 2 or not all(1 <= side <= 100 for side in size)):
            raise ValueError(f"--size must be width and height in inches, from 1 to 100: 6.4,4.8; got {arguments.size}")
    except ValueError as error:
        wrong(str(error))
    return kind, None if size is None else (size[0], size[1])


def _check_options(arguments: argparse.Namespace, picture: Picture, kind: str) -> None:
    """Leave with exit code 2 for options that say nothing about the picture, or about its files."""
    wrong = arguments.usage_error
    known = {*picture.options, *(picture.value_options if kind == "detection" else ())}
    for name in _OPTIONS:
        if getattr(arguments, name) is not None and name not in known:
            wrong(f"--{name.replace('_', '-')} says nothing about {arguments.picture} of {kind}")
    if arguments.by is not None and arguments.by not in picture.by:
        wrong(f"--by of {arguments.picture} is {', '.join(picture.by[:-1])} or {picture.by[-1]}; got {arguments.by}")
    for name, kinds in _KINDS.items():
        if getattr(arguments, name) not in (None, False) and kind not in kinds:
            wrong(f"--{name.replace('_', '-')} is for {' and '.join(kinds)}, and this is a picture of {kind}")


def _count(arguments: argparse.Namespace, kind: str) -> None:
    """As many files as it takes, and none of them the output."""
    count, wrong = len(arguments.files), arguments.usage_error
    some = {"detection": (1, 2), "agreement": (1, 99), "comparison": (2, 99), "dataset": (1, 1), "detections": (1, 1)}
    least, most = some.get(kind, (2, 2))
    if not least <= count <= most:
        wrong(f"{arguments.picture} of {kind} takes {FILES[kind]}; got {count} files")
    if arguments.files.count("-") > 1:
        wrong("standard input can be read only once")
    words = [*arguments.files, arguments.photograph or ""]
    given = {os.path.realpath(path) for word in words for path in (word, word.partition("=")[2]) if path}
    if os.path.realpath(arguments.output) in given:
        wrong(f"--output must be a file of its own; {arguments.output} is read")


def options_of(arguments: argparse.Namespace, names: tuple[str, ...]) -> dict[str, Any]:
    """Those of them that were said."""
    return {name: value for name in names if (value := getattr(arguments, name)) is not None}
