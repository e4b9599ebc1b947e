"""`vesica demo`: a detector scored from end to end, on generated data."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

_EPILOG = """\
examples:
  vesica demo
  vesica demo --images 2000 --output /tmp/demo --json
"""
_NAMES = ("truth.json", "guess.json", "index.html")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("-o", "--output", metavar="FOLDER", default="demo", help="where the files go (default: demo)")
    parser.add_argument("--images", type=int, default=500, metavar="N", help="how many images (default: 500)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="another seed, another set (default: 0)")


def run(arguments: argparse.Namespace) -> int:
    from vesica.cli.demo_page import page_of
    from vesica.cli.demo_set import generate
    from vesica.io import atomic
    from vesica.io.read import read
    from vesica.scoring import evaluate

    if arguments.images < 1:
        arguments.usage_error(f"--images must be a whole number above 0; got {arguments.images}")
    if not arguments.output:
        arguments.usage_error("--output must be the name of a folder; got ''")
    contents = generate(arguments.images, arguments.seed)
    with atomic.folder(arguments.output, _earlier, overwrite=True) as folder:
        for name, content in zip(_NAMES, contents, strict=False):
            atomic.put(folder / name, json.dumps(content))

        begin = time.perf_counter()
        truth, guess = (read(folder / name) for name in _NAMES[:2])
        result = evaluate(truth, guess)
        facts = result.to_dict() | {"gates": []}
        seconds = time.perf_counter() - begin

        atomic.put(folder / _NAMES[2], page_of(result, truth, guess))
    *files, page = (Path(arguments.output, name) for name in _NAMES)
    if arguments.json:
        print(json.dumps(facts | {"page": str(page)}, sort_keys=True))
    else:
        from vesica.cli.eval_tables import show

        show(facts, result.protocol, per_class=True)
        print(f"\nread and scored in {seconds * 1e3:.0f} ms: vesica eval {files[0]} {files[1]} --per-class")
        print(f"look at {page}")
    return 0


def _earlier(folder: Path) -> list[Path]:
    return [folder / name for name in _NAMES if (folder / name).is_file()]
