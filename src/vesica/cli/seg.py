"""`vesica seg TRUTH GUESS`: two folders of label maps in, the scores of a segmentation out."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from vesica.cli import eval_output, seg_output, streams
from vesica.cli.number_options import numbers_of
from vesica.results import gates
from vesica.segmentation.rules import FIELDS

if TYPE_CHECKING:
    from vesica.io.label_files import LabelFiles
    from vesica.segmentation.result import SegmentationResult
    from vesica.segmentation.surface_result import SurfaceResult

_EPILOG = """\
examples:
  vesica seg truth/ guess/ --classes names.txt --ignore 255 --per-class
  vesica seg "gtFine/**/*_labelIds.png" results/ --map cityscapes --ignore 255
  vesica seg truth.npy guess.npy --background 0 --like monai --spread
  vesica seg ct/truth ct/guess --surface --tau 1 --per-class          (NIfTI: spacing from the header)
  vesica seg truth/ guess/ --gate "mIoU>=0.7" --gate "IoU[road]>=0.9" --json

Files are PNG (grey values or indices of a palette), .npy, .npz and NIfTI; they meet by name.
exit codes: 0 done, 1 a gate failed, 2 usage, 3 bad input, 4 our fault
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("truth", metavar="TRUTH", help="a folder, a pattern or a file of label maps")
    parser.add_argument("guess", metavar="GUESS", help="the same of the guesses, under the same names")
    parser.add_argument(
        "--classes", metavar="FILE|N|A,B,…", help="names of the labels 0, 1, …: a line each, their number, or a list"
    )
    parser.add_argument("--ignore", metavar="L[,L…]", help="pixels of the truth with these labels do not count")
    parser.add_argument("--background", type=int, metavar="L", help="a class that is kept out of means")
    parser.add_argument(
        "--map",
        dest="relabel",
        metavar="cityscapes|FILE",
        help='other labels instead: by name, or a JSON file {"7": 0}',
    )
    parser.add_argument("--like", metavar="NAME", help="the conventions of another library: sklearn, monai, mmseg, …")
    parser.add_argument("--average", choices=FIELDS["average"], help="the order of the mean (default: totals)")
    parser.add_argument("--volume", action="store_true", help="arrays of three axes are volumes, not stacks of images")
    parser.add_argument("--surface", action="store_true", help="distances between surfaces too: HD, HD95, ASSD, MASD")
    parser.add_argument("--tau", metavar="T[,T…]", help="with --surface: tolerances of NSD, in the unit of the spacing")
    parser.add_argument("--spacing", metavar="S[,S…]", help="with --surface: of one axis after the other")
    parser.add_argument("--spread", action="store_true", help="the answers under every convention too")
    parser.add_argument("--per-class", action="store_true", help="a table of the classes too")
    parser.add_argument("--per-image", action="store_true", help="a table of the images too, worst first")
    parser.add_argument(
        "--gate",
        action="append",
        default=[],
        metavar="GATE",
        help='what must be reached within 1e-9, else exit code 1: "mIoU>=0.7", "IoU[road]>=0.9"; may be repeated',
    )
    parser.add_argument("--threads", type=int, metavar="N", help="at most this many")
    parser.add_argument("--quiet", action="store_true", help="no words on stderr but errors")


def run(arguments: argparse.Namespace) -> int:
    options = _options(arguments)
    from vesica.io.label_files import pair_files

    files = pair_files(arguments.truth, arguments.guess)
    eval_output.say(f"{len(files):,} pairs of label maps: {arguments.truth}, {arguments.guess}", arguments)
    if files.note:
        eval_output.say(f"  note: {files.note}.", arguments)
    result = _scored(files, options, arguments)
    surfaces = _surfaces(files, result, options, arguments) if arguments.surface else None
    facts = seg_output.facts_of(result, surfaces, arguments)
    try:
        facts["gates"] = [one._asdict() for one in seg_output.verdicts(result, surfaces, arguments.gate)]
    except ValueError as error:
        arguments.usage_error(str(error))
    return streams.tell(facts, lambda: seg_output.show(result, surfaces, facts, arguments), as_json=arguments.json)


def _scored(files: LabelFiles, options: dict[str, Any], arguments: argparse.Namespace) -> SegmentationResult:
    from vesica.cli.progress import track
    from vesica.scoring import label_batches
    from vesica.segmentation.evaluator import SegmentationEvaluator

    is_volumes = arguments.volume or files.is_volumes
    evaluator = SegmentationEvaluator(
        categories=options["categories"], policy=options["policy"], volume=is_volumes, threads=arguments.threads
    )
    found = label_batches(files, evaluator.reading, options["relabel"], arguments.threads)
    for _ in track(range(len(files)), "count"):
        ids, batch, _ = next(found)
        evaluator.add([batch], images=ids)
    return evaluator.compute()


def _surfaces(
    files: LabelFiles, result: SegmentationResult, options: dict[str, Any], arguments: argparse.Namespace
) -> SurfaceResult:
    from vesica.cli.progress import track
    from vesica.scoring import image_pairs, label_batches
    from vesica.segmentation.inputs import Reading
    from vesica.segmentation.surface_result import score_surfaces

    reading = Reading(is_volumes=arguments.volume or files.is_volumes)
    found = label_batches(files, reading, options["relabel"], arguments.threads)
    shown = (next(found) for _ in track(range(len(files)), "surfaces"))
    ignore = result.policy.ignore
    labels = dict(zip(result.cells.labels.tolist(), result.categories, strict=True))
    chosen = {label: name for label, name in labels.items() if label not in (*ignore, arguments.background)}
    pairs = image_pairs(shown, options["spacing"])
    return score_surfaces(pairs, chosen, ignore=ignore, tau=options["tau"], threads=arguments.threads)


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the options mean; exit code 2 for those that no file could make right."""
    from vesica import _check as check
    from vesica.segmentation.policy import SegmentationPolicy

    try:
        if arguments.threads is not None:
            check.positive(arguments.threads, "--threads")
        for text in arguments.gate:
            gates.parse(text)
        if (arguments.tau or arguments.spacing) and not arguments.surface:
            raise ValueError("--tau and --spacing go with --surface")
        if arguments.like is not None and arguments.average is not None:
            raise ValueError("--like decides the order of the mean: leave --average out")
        said = {"average": arguments.average, "like": arguments.like, "background": arguments.background}
        policy = SegmentationPolicy(
            ignore=tuple(numbers_of(arguments.ignore, int, "--ignore") or ()),
            **{name: value for name, value in said.items() if value is not None},
        )
        tau, spacing = (numbers_of(getattr(arguments, name), float, f"--{name}") for name in ("tau", "spacing"))
    except ValueError as error:
        arguments.usage_error(str(error))
    return {
        "categories": seg_output.classes_of(arguments.classes),
        "policy": policy,
        "relabel": seg_output.relabel_of(arguments.relabel),
        "tau": tau or [],
        "spacing": spacing,
    }
