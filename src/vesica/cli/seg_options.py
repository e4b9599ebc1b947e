"""The options of `vesica seg`, and what they mean."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from vesica.cli import gate_options, outputs, own_files, refusal, report_options, scale_options
from vesica.cli.number_options import numbers_of
from vesica.segmentation.rules import FIELDS

if TYPE_CHECKING:
    from vesica.segmentation.policy import SegmentationPolicy
    from vesica.segmentation.surface_cells import Wanted

_OUTLINES = (
    "outlines keep every distance of every image, which no records carry. Without --engine, all cores of this machine "
    "work on them (--threads)"
)
_WITH_SURFACE = ("tau", "spacing", "boundary", "cldice")
_OF_LABEL_MAPS = {"classes": "--classes", "background": "--background", "relabel": "--map"}


class Options(NamedTuple):
    """What was asked for."""

    policy: SegmentationPolicy
    source: dict[str, Any]
    """Options of `vesica.scoring.label_images`."""
    tau: list[float]
    spacing: list[float] | None
    wanted: Wanted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("truth", metavar="TRUTH", help="a folder, a pattern or a file of label maps; or a COCO file")
    parser.add_argument("guess", metavar="GUESS", help="the same of the guesses, under the same names")
    add_maps(parser)
    parser.add_argument("--surface", action="store_true", help="scores of outlines too: HD, HD95, ASSD, MASD, ASD")
    parser.add_argument(
        "--tau", metavar="T[,T…]", help="with --surface: tolerances of NSD and boundary F, in the unit of the spacing"
    )
    parser.add_argument("--spacing", metavar="S[,S…]", help="with --surface: of one axis after the other")
    parser.add_argument(
        "--boundary", metavar="W[,W…]", help="with --surface: widths of boundary IoU, in pixels or 2%% of the diagonal"
    )
    parser.add_argument("--cldice", action="store_true", help="with --surface: clDice of thin shapes")
    parser.add_argument("--spread", action="store_true", help="the answers under every convention too")
    parser.add_argument("--per-class", action="store_true", help="a table of the classes too")
    parser.add_argument("--per-image", action="store_true", help="a table of the images too, worst first")
    gate_options.add_arguments(parser, '"mIoU>=0.7", "IoU[road]>=0.9", "mIoU drop<=0.01 vs base.counts @95%%"')
    parser.add_argument("--records", metavar="FILE", help="write what was counted, for gates of later runs")
    report_options.add_arguments(parser)
    parser.add_argument("--images", metavar="DIR", help="with --report: the photographs")
    outputs.add_arguments(parser)
    refusal.add_arguments(parser)
    scale_options.add_arguments(parser, "seg")


def add_maps(parser: argparse._ActionsContainer) -> None:
    """The options that say what label maps mean."""
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
    parser.add_argument(
        "--crowd", choices=("ignore", "count"), help="of COCO files: crowds do not count (default), or count as objects"
    )
    parser.add_argument("--like", metavar="NAME", help="the conventions of another library: sklearn, monai, mmseg, …")
    parser.add_argument("--average", choices=FIELDS["average"], help="the order of the mean (default: totals)")
    parser.add_argument("--volume", action="store_true", help="arrays of three axes are volumes, not stacks of images")
    parser.add_argument(
        "--groups",
        metavar="FILE",
        help='what images belong to: JSON {"case1": "patient A"}, by their names; `seg` has a table of groups, and '
        "`compare --by group` draws them again",
    )


def options_of(arguments: argparse.Namespace) -> Options:
    """What the options mean; exit code 2 for those that no file could make right."""
    from vesica._check import surfaces as check_surfaces
    from vesica.segmentation.surface_cells import Wanted

    try:
        outputs.check_usage(arguments)
        gate_options.check_usage(arguments)
        own_files.check_usage(arguments)
        report_options.check_usage(arguments)
        scale_options.check_usage(arguments, {"surface": _OUTLINES})
        if arguments.images is not None and arguments.report is None:
            raise ValueError("--images goes with --report")
        if arguments.images is not None and not os.path.isdir(arguments.images):
            raise ValueError(f"--images must be a folder that exists; got {arguments.images!r}")
        for name in _WITH_SURFACE:
            if getattr(arguments, name) and not arguments.surface:
                raise ValueError(f"--{name} goes with --surface")
        policy = policy_of(arguments)
        tau, spacing = (numbers_of(getattr(arguments, name), float, f"--{name}") for name in ("tau", "spacing"))
        wanted = Wanted(check_surfaces.band_widths(_widths(arguments.boundary)), arguments.cldice)
    except ValueError as error:
        arguments.usage_error(str(error))
    source = source_of(arguments)
    return Options(policy, source, tau or [], spacing, wanted)


def policy_of(arguments: argparse.Namespace) -> SegmentationPolicy:
    """The conventions; ValueError for those that no file could make right."""
    from vesica._check import painted as check_painted
    from vesica.segmentation.policy import SegmentationPolicy

    for name, option in _OF_LABEL_MAPS.items():
        if getattr(arguments, name) is not None and check_painted.is_objects(arguments.truth):
            raise ValueError(f"{option} is for label maps: objects have categories, all else is background")
    if arguments.like is not None and arguments.average is not None:
        raise ValueError("--like decides the order of the mean: leave --average out")
    said = {"average": arguments.average, "like": arguments.like, "background": arguments.background}
    return SegmentationPolicy(
        ignore=tuple(numbers_of(arguments.ignore, int, "--ignore") or ()),
        **{name: value for name, value in said.items() if value is not None},
    )


def source_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Options of `vesica.scoring.label_images`; files that they name are read."""
    return {
        "categories": classes_of(arguments.classes),
        "relabel": relabel_of(arguments.relabel),
        "groups": None if arguments.groups is None else _groups(arguments.groups),
        "crowd": arguments.crowd,
    }


def classes_of(text: str | None) -> Any:
    """From --classes: a number, names with commas between them, or a file with a name in each line."""
    if text is None:
        return None
    if text.isascii() and text.isdecimal():
        return int(text[:9])
    if not os.path.exists(text) and "," in text:
        return [name.strip() for name in text.split(",")]
    from vesica.errors import InputError
    from vesica.io.files import load

    lines = load(text).data.decode("utf-8-sig", "replace").splitlines()
    names = [line.strip() for line in lines]
    while names and not names[-1]:
        names.pop()
    if not names or not all(names):
        line = names.index("") + 1 if names else 1
        raise InputError(f"{text} must have the name of a class in each line; line {line} is empty.")
    return names


def relabel_of(text: str | None) -> dict[int, int] | None:
    """From --map: a table by its name, or a JSON file."""
    from vesica.io.files import load
    from vesica.io.label_files import RELABEL, relabel_table

    if text is None or text in RELABEL:
        return relabel_table(text)
    return relabel_table(load(text).json())


def _groups(path: str) -> dict[Any, Any]:
    """From --groups: a JSON file of name → group. JSON has texts for names, images of COCO files may have numbers."""
    from vesica.errors import InputError
    from vesica.io.files import load

    found = load(path).json()
    if not isinstance(found, dict):
        raise InputError(f'{path} must be an object of name → group, {{"case1": "patient A"}}.')
    return found | {int(name): group for name, group in found.items() if name.isascii() and name.isdecimal()}


def _widths(text: str | None) -> list[int | str]:
    """From --boundary: whole numbers of pixels, and shares with a percent sign."""
    parts = [] if text is None else [part.strip() for part in text.split(",")]
    if not all(part.endswith("%") or part.isdecimal() for part in parts):
        raise ValueError(f"--boundary must be pixels or shares, 3 or 2%, with commas between them; got {text!r}")
    return [part if part.endswith("%") else int(part) for part in parts]
