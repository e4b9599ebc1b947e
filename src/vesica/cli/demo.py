"""`vesica demo`: a small world of pictures as files, scored, compared and checked, and one report of it all."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vesica.demo.tour import Tour

IMAGES, MOST = 48, 10_000
_EPILOG = """\
examples:
  vesica demo
  vesica demo --output /tmp/world --images 12
  vesica demo --seed 7 --output other --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("-o", "--output", metavar="FOLDER", default="demo", help="where the files go (default: demo)")
    parser.add_argument(
        "--images", type=int, default=IMAGES, metavar="N", help=f"how many pictures (default: {IMAGES})"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="another seed, another world (default: 0)")


def run(arguments: argparse.Namespace) -> int:
    _check_usage(arguments)
    from vesica.cli.progress import steps, track
    from vesica.demo import files, place, words
    from vesica.demo.tour import STEPS, tour
    from vesica.io import atomic

    folder = Path(arguments.output)
    place.check_ours(folder)
    images, seed = arguments.images, arguments.seed
    with atomic.folder(folder, files.earlier, overwrite=True) as new:
        files.write(new, track(range(images), "draw"), images, seed)
        atomic.put(new / files.MARK, words.readme(images, seed))
        with steps(*STEPS, "report") as done:
            found = tour(new, done)
            missing = _report(found, new)
    told = (*found.missing, *missing)
    if arguments.json:
        print(json.dumps(_facts(found, folder, told), sort_keys=True))
    else:
        _show(found, folder, told, images)
    return 0


def _check_usage(arguments: argparse.Namespace) -> None:
    if not 1 <= arguments.images <= MOST:
        arguments.usage_error(f"--images must be a whole number from 1 to {MOST:,}; got {arguments.images:,}")
    if arguments.seed < 0:
        arguments.usage_error(f"--seed must be a whole number from 0; got {arguments.seed}")
    if not arguments.output:
        arguments.usage_error("--output must be the name of a folder; got ''")


def _report(found: Tour, folder: Path) -> tuple[str, ...]:
    """The page; or what is missing for it."""
    from vesica.demo import files
    from vesica.errors import MissingExtra

    try:
        import vesica.report as report

        report.write(
            folder / files.REPORT,
            *found.results,
            images=folder / "images",
            maps=(folder / "maps/truth", folder / "maps/b"),
            title="A small world",
            findings=found.diagnosis.findings,
            files=[folder / name for name in ("truth.json", "a.json", "b.json", files.EXPORT)],
        )
    except MissingExtra as error:
        return (str(error),)
    return ()


def _facts(found: Tour, folder: Path, missing: tuple[str, ...]) -> dict[str, Any]:
    from vesica.demo import files

    is_written = (folder / files.REPORT).is_file()
    return {
        "folder": str(folder),
        "report": str(folder / files.REPORT) if is_written else None,
        "missing": list(missing),
        "eval": found.detection.to_dict(),
        "compare": found.comparison.to_dict(),
        "seg": None if found.segmentation is None else found.segmentation.to_dict(),
        "agree": found.agreement.to_dict(),
        "check": found.diagnosis.to_dict(),
    }


def _show(found: Tour, folder: Path, missing: tuple[str, ...], images: int) -> None:
    from vesica.demo import files, words

    print(f"{folder}: {images:,} pictures of a small world, two detectors, two segmenters, three annotators\n")
    for line in words.lines_of(found):
        print(line)
    print("\ntry, here or on files of your own:")
    for command in words.commands(folder, words.program()):
        print(f"  {command}")
    for line in dict.fromkeys(missing):
        print(f"\nleft out: {line}")
    if (folder / files.REPORT).is_file():
        print(f"\nlook at {folder / files.REPORT}")
