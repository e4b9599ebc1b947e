"""`vesica iou A B`: the small kernels on files."""

from __future__ import annotations

import argparse

from vesica.cli import region_files, streams
from vesica.cli.epilogs import epilog
from vesica.cli.iou_output import Answer, options_of

_EPILOG = epilog(
    """
  vesica iou truth.npy guess.npy                          # the matrix, as CSV
  vesica iou truth.csv guess.csv --form xywh --aligned    # row with row
  vesica iou truth.csv guess.csv --at-least 0.5 --json    # the pairs that reach one half
  vesica iou all.npy --at-least 0.9 --strict              # near-duplicates within one file
  vesica iou a.csv b.csv --rotated deg,ccw                # rows of cx, cy, w, h, angle
  vesica iou masks.npy boxes.csv                          # masks with boxes
  vesica iou soft.npy guess.npz:soft --masks --above .5   # floats that count above one half
  vesica iou runs_a.json runs_b.json --measure dice       # COCO's run lengths of one image
  vesica iou truth.png guess.png --ignore 255 --json      # label maps: every label with every label
""",
    notes="""
files; `-` is standard input:
  boxes         .npy, .npz, .csv or .json with a box a row; with --rotated rows of five
  masks         .npy or .npz of booleans, (N, height, width), or of numbers with --masks; COCO's run lengths in .json
  label maps    .png of one channel, grey or a palette
""",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from vesica.overlaps.measures import MEASURES

    parser.epilog = _EPILOG
    parser.add_argument("a", metavar="A", help="the first file")
    parser.add_argument(
        "b", metavar="B", nargs="?", help="the second file; without it, pairs within A (needs --at-least)"
    )
    region_files.add_arguments(parser)
    parser.add_argument("--measure", choices=tuple(MEASURES), default="iou", help="default: iou")
    parser.add_argument("--of", choices=("a", "b"), help="coverage: share of which side (default: a)")
    parser.add_argument("--alpha", type=float, help="tversky: weight of what only A has")
    parser.add_argument("--beta", type=float, help="tversky: weight of what only B has")
    parser.add_argument("--empty", type=float, help="the answer to nothing with nothing (default: 0)")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--aligned", action="store_true", help="row i of A with row i of B")
    how.add_argument("--at-least", type=float, metavar="T", help="only the pairs that reach T: i,j,value")
    how.add_argument("--best", type=int, metavar="K", help="the K best partners of each row of A: i,j,value")
    parser.add_argument("--strict", action="store_true", help="with --at-least: only pairs above T")
    parser.add_argument("-o", "--output", metavar="FILE", help="write .npy, .csv or .json instead of printing")


def run(arguments: argparse.Namespace) -> int:
    _check_usage(arguments)
    from vesica.io.arrays import write

    a = region_files.read(arguments.a, arguments)
    b = None if arguments.b is None else region_files.read(arguments.b, arguments)
    a, b = region_files.matched(a, b, aligned=arguments.aligned)
    answer = Answer(arguments, a, b)
    if arguments.output is not None:
        write(arguments.output, answer.table(), header=answer.header)
    elif arguments.json:
        streams.answer(answer.as_object())
    else:
        answer.show()
    return 0


def _check_usage(arguments: argparse.Namespace) -> None:
    """Leave with exit code 2 for options that no file could make right."""
    from vesica import _check as check
    from vesica.overlaps.measures import MEASURES, as_similarity

    wrong = arguments.usage_error
    if arguments.b is None and arguments.at_least is None:
        wrong("one file is given: pairs within it need --at-least T, or name a second file")
    if arguments.a == arguments.b == "-":
        wrong("standard input can be read only once: give a file for A or for B")
    if arguments.strict and arguments.at_least is None:
        wrong("--strict goes with --at-least T")
    try:
        if arguments.at_least is not None:
            check.threshold(arguments.at_least, "--at-least", strict=arguments.strict)
        if arguments.at_least is not None or arguments.best is not None:
            as_similarity(arguments.measure)
        if arguments.best is not None:
            check.positive(arguments.best, "--best")
        region_files.check_usage(arguments)
        MEASURES[arguments.measure].options(options_of(arguments))
    except (ValueError, TypeError) as error:
        wrong(str(error))
