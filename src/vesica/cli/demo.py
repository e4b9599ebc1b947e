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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("-o", "--output", metavar="FOLDER", default="demo", help="where the files go (default: demo)")
    parser.add_argument("--images", type=int, default=500, metavar="N", help="how many images (default: 500)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="another seed, another set (default: 0)")


def run(arguments: argparse.Namespace) -> int:
    from vesica.cli.demo_page import page_of
    from vesica.cli.demo_set import generate
    from vesica.io.read import read
    from vesica.scoring import evaluate

    if arguments.images < 1:
        arguments.usage_error(f"--images must be a whole number above 0; got {arguments.images}")
    folder = Path(arguments.output)
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / "truth.json", folder / "guess.json"]
    for file, content in zip(files, generate(arguments.images, arguments.seed), strict=True):
        file.write_text(json.dumps(content), encoding="utf-8")

    begin = time.perf_counter()
    truth, guess = (read(str(file)) for file in files)
    result = evaluate(truth, guess)
    facts = result.to_dict() | {"gates": []}
    seconds = time.perf_counter() - begin

    page = folder / "index.html"
    page.write_text(page_of(result, truth, guess), encoding="utf-8")
    if arguments.json:
        print(json.dumps(facts | {"page": str(page)}, sort_keys=True))
    else:
        from vesica.cli.eval_tables import show

        show(facts, result.protocol, per_class=True)
        print(f"\nread and scored in {seconds * 1e3:.0f} ms: vesica eval {files[0]} {files[1]} --per-class")
        print(f"look at {page}")
    return 0
