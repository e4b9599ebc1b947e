"""`vesica demo`: a detector and a segmentation scored from end to end, on generated data."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

_EPILOG = """\
examples:
  vesica demo
  vesica demo --images 2000 --output /tmp/demo --json
"""
_NAMES = ("truth.json", "guess.json", "index.html")
_MAPS = 24
"""At most so many label maps."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("-o", "--output", metavar="FOLDER", default="demo", help="where the files go (default: demo)")
    parser.add_argument("--images", type=int, default=500, metavar="N", help="how many images (default: 500)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="another seed, another set (default: 0)")


def run(arguments: argparse.Namespace) -> int:
    from vesica.cli import demo_maps
    from vesica.cli.demo_map_page import parts_of
    from vesica.cli.demo_page import page_of
    from vesica.cli.demo_set import generate
    from vesica.io import atomic
    from vesica.io.read import read
    from vesica.scoring import evaluate, evaluate_segmentation

    if arguments.images < 1:
        arguments.usage_error(f"--images must be a whole number above 0; got {arguments.images}")
    if not arguments.output:
        arguments.usage_error("--output must be the name of a folder; got ''")
    contents = generate(arguments.images, arguments.seed)
    maps = demo_maps.generate(min(arguments.images, _MAPS), arguments.seed)
    with atomic.folder(arguments.output, _earlier, overwrite=True) as folder:
        for name, content in zip(_NAMES, contents, strict=False):
            atomic.put(folder / name, json.dumps(content))
        _put_maps(folder / "maps", *maps)

        begin = time.perf_counter()
        truth, guess = (read(folder / name) for name in _NAMES[:2])
        result = evaluate(truth, guess)
        facts = result.to_dict() | {"gates": []}
        seconds = time.perf_counter() - begin

        names = [kind.name for kind in demo_maps.KINDS]
        segmented = evaluate_segmentation(*maps, categories=names, ignore=demo_maps.VOID)
        atomic.put(folder / _NAMES[2], page_of(result, truth, guess, parts_of(segmented, *maps)))
    *files, page = (Path(arguments.output, name) for name in _NAMES)
    if arguments.json:
        print(json.dumps(facts | {"page": str(page), "segmentation": segmented.to_dict()}, sort_keys=True))
    else:
        from vesica.cli.eval_tables import show

        show(facts, result.protocol, per_class=True)
        print(f"\nread and scored in {seconds * 1e3:.0f} ms: vesica eval {files[0]} {files[1]} --per-class")
        print(f"\n{segmented}\n\n{_command(Path(arguments.output, 'maps'))}")
        print(f"look at {page}")
    return 0


def _put_maps(folder: Path, truth: np.ndarray, guess: np.ndarray) -> None:
    """PNG files of one channel, whose palette is for eyes alone, and the names of the labels."""
    from vesica.cli import demo_maps
    from vesica.io import atomic
    from vesica.io.png_write import png_of

    for name, maps in (("truth", truth), ("guess", guess)):
        (folder / name).mkdir(parents=True)
        for place, labels in enumerate(maps):
            atomic.put(folder / name / f"{place:03}.png", png_of(labels, palette=demo_maps.palette()))
    atomic.put(folder / "classes.txt", "".join(f"{kind.name}\n" for kind in demo_maps.KINDS))


def _command(maps: Path) -> str:
    return f"the same: vesica seg {maps / 'truth'} {maps / 'guess'} --classes {maps / 'classes.txt'} --ignore 255"


def _earlier(folder: Path) -> list[Path]:
    maps = folder / "maps"
    found = [*(folder / name for name in _NAMES), maps / "classes.txt", *sorted(maps.glob("truth/*.png"))]
    return [path for path in (*found, *sorted(maps.glob("guess/*.png"))) if path.is_file()]
