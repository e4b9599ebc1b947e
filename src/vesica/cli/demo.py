"""`vesica demo`: a small detection job from end to end, on generated data."""

from __future__ import annotations

import argparse
import json
import time
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np

WIDTH, HEIGHT = 640, 480
THRESHOLDS = (0.5, 0.75, 0.9)

_EPILOG = """\
examples:
  vesica demo
  vesica demo --images 2000 --output /tmp/demo --json
"""


class Scene(NamedTuple):
    """Boxes of many images: corners, and the image of each."""

    boxes: np.ndarray
    image: np.ndarray


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("-o", "--output", metavar="FOLDER", default="demo", help="where the files go (default: demo)")
    parser.add_argument("--images", type=int, default=500, metavar="N", help="how many images (default: 500)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="another seed, another job (default: 0)")


def run(arguments: argparse.Namespace) -> int:
    import numpy as np

    from vesica.io.arrays import write
    from vesica.overlaps.join import join

    images = arguments.images
    if images < 1:
        arguments.usage_error(f"--images must be a whole number above 0; got {images}")
    truth, guess = _scenes(images, np.random.default_rng(arguments.seed))
    begin = time.perf_counter()
    pairs = join(truth.boxes, guess.boxes, at_least=0, strict=True, keys=(truth.image, guess.image))
    seconds = time.perf_counter() - begin
    reached = np.zeros(len(truth.boxes))
    np.maximum.at(reached, pairs.i, pairs.value)

    folder = Path(arguments.output)
    folder.mkdir(parents=True, exist_ok=True)
    write(str(folder / "truth.csv"), truth.boxes, header=("x1", "y1", "x2", "y2"))
    write(str(folder / "guess.csv"), guess.boxes, header=("x1", "y1", "x2", "y2"))
    facts = {
        "images": images,
        "truths": len(truth.boxes),
        "guesses": len(guess.boxes),
        "pairs": len(pairs),
        "reached": {str(t): int((reached >= t).sum()) for t in THRESHOLDS},
        "mean_best_iou": float(reached.mean()),
        "page": str(folder / "index.html"),
    }
    (folder / "index.html").write_text(_page(facts, reached, truth, guess), encoding="utf-8")
    if arguments.json:
        print(json.dumps(facts, sort_keys=True))
    else:
        _show(facts, seconds)
    return 0


def _scenes(images: int, rng: np.random.Generator) -> tuple[Scene, Scene]:
    """Truths, and guesses that are moved, missing, doubled or invented, as a detector's are."""
    import numpy as np

    image = np.repeat(np.arange(images), rng.poisson(6, images) + 1)
    area, aspect = np.exp(rng.normal(8.2, 1.4, len(image))), np.exp(rng.normal(0, 0.5, len(image)))
    size = np.stack(
        [np.minimum(np.sqrt(area * aspect), WIDTH - 2), np.minimum(np.sqrt(area / aspect), HEIGHT - 2)], axis=1
    )
    corner = rng.uniform(0, 1, size.shape) * ([WIDTH, HEIGHT] - size)
    truth = Scene(np.concatenate([corner, corner + size], axis=1).round(1), image)

    seen = np.flatnonzero(rng.random(len(image)) < 0.9)
    seen = np.concatenate([seen, rng.choice(seen, len(seen) // 5)])
    moved = truth.boxes[seen] + rng.normal(0, 0.07, (len(seen), 4)) * np.tile(size[seen], 2)
    low, high = np.minimum(moved[:, :2], moved[:, 2:]), np.maximum(moved[:, :2], moved[:, 2:])
    invented = np.sort(rng.uniform(0, 1, (images, 2, 2)), axis=1).reshape(images, 4) * [WIDTH, HEIGHT, WIDTH, HEIGHT]
    boxes = np.concatenate([np.concatenate([low, high], axis=1), invented])
    return truth, Scene(
        boxes.clip(0, [WIDTH, HEIGHT, WIDTH, HEIGHT]).round(1), np.concatenate([image[seen], np.arange(images)])
    )


def _show(facts: dict[str, Any], seconds: float) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    console.print(f"{facts['images']} images, {facts['truths']} truths, {facts['guesses']} guesses")
    console.print(f"{facts['pairs']} overlapping pairs found in {seconds * 1e3:.1f} ms, without the matrix")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("a guess with iou of at least", "truths", "share"):
        table.add_column(column, justify="right")
    for threshold, count in facts["reached"].items():
        table.add_row(threshold, str(count), f"{count / facts['truths']:.1%}")
    console.print(table)
    console.print(f"look at {facts['page']}")


def _page(facts: dict[str, Any], reached: np.ndarray, truth: Scene, guess: Scene) -> str:
    rows = "".join(
        f"<tr><td>{t}</td><td>{n:,}</td><td>{n / facts['truths']:.1%}</td></tr>" for t, n in facts["reached"].items()
    )
    pictures = "".join(_picture(number, truth, guess) for number in range(min(6, facts["images"])))
    return _TEMPLATE.format(
        summary=escape(f"{facts['images']:,} images, {facts['truths']:,} truths, {facts['guesses']:,} guesses."),
        rows=rows,
        bars=_bars(reached),
        pictures=pictures,
    )


def _bars(reached: np.ndarray) -> str:
    """A histogram of the best iou of each truth, in twenty bars."""
    import numpy as np

    counts, _ = np.histogram(reached, 20, (0, 1))
    tallest = max(1, int(counts.max()))
    bars = "".join(
        f'<rect x="{k * 25 + 1}" y="{130 - 120 * n / tallest:.1f}" width="23" height="{120 * n / tallest:.1f}">'
        f"<title>{k / 20:.2f}–{(k + 1) / 20:.2f}: {n}</title></rect>"
        for k, n in enumerate(counts.tolist())
    )
    marks = "".join(f'<text x="{500 * t}" y="146" text-anchor="middle">{t}</text>' for t in (0, 0.25, 0.5, 0.75, 1))
    return (
        f'<svg viewBox="-12 0 524 152" class="bars" role="img" aria-label="Best iou of each truth">{bars}{marks}</svg>'
    )


def _picture(number: int, truth: Scene, guess: Scene) -> str:
    from vesica.overlaps.best import best

    truths, guesses = truth.boxes[truth.image == number], guess.boxes[guess.image == number]
    values = best(guesses, truths).value[:, 0]
    drawn = [_box(box, "truth", "") for box in truths.tolist()]
    drawn += [
        _box(box, "hit" if value >= THRESHOLDS[0] else "miss", f"{value:.2f}")
        for box, value in zip(guesses.tolist(), values.tolist(), strict=True)
    ]
    title = f"<figcaption>image {number}</figcaption>"
    return f'<figure><svg viewBox="0 0 {WIDTH} {HEIGHT}">{"".join(drawn)}</svg>{title}</figure>'


def _box(box: list[float], kind: str, label: str) -> str:
    x1, y1, x2, y2 = box
    text = f'<text x="{x1 + 3:.1f}" y="{max(y1 - 4, 13):.1f}" class="{kind}">{label}</text>' if label else ""
    return f'<rect class="{kind}" x="{x1}" y="{y1}" width="{x2 - x1:.1f}" height="{y2 - y1:.1f}"/>{text}'


_TEMPLATE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>vesica demo</title>
<style>
:root {{ color-scheme: light dark; --ink: #1f2933; --soft: #66727f; --line: #d8dee4; --page: #fff;
  --truth: #0b7285; --hit: #2b8a3e; --miss: #c2410c; }}
@media (prefers-color-scheme: dark) {{ :root {{ --ink: #e6edf3; --soft: #9aa7b4; --line: #30363d; --page: #12161b;
  --truth: #5cc8dc; --hit: #69db7c; --miss: #ff9f6b; }} }}
body {{ font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); max-width: 62rem;
  margin: 2.5rem auto; padding: 0 1.25rem; }}
h1 {{ font-size: 1.6rem; margin: 0 }} h2 {{ font-size: 1.1rem; margin: 2rem 0 .6rem }}
p {{ color: var(--soft); margin: .3rem 0 }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums }}
th, td {{ text-align: right; padding: .3rem 1.4rem .3rem 0; border-bottom: 1px solid var(--line) }}
.bars {{ width: 100%; max-width: 34rem }} .bars rect {{ fill: var(--truth) }}
.bars text {{ font-size: 12px; fill: var(--soft) }}
.grid {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(18rem, 1fr)); gap: 1rem }}
figure {{ margin: 0 }} figure svg {{ width: 100%; border: 1px solid var(--line); border-radius: 4px }}
figcaption {{ color: var(--soft); font-size: .85rem }} figure rect {{ fill: none; stroke-width: 2.5 }}
figure text {{ font-size: 15px; font-weight: 600 }}
rect.truth {{ stroke: var(--truth) }} rect.hit {{ stroke: var(--hit); stroke-dasharray: 8 5 }}
rect.miss {{ stroke: var(--miss); stroke-dasharray: 8 5 }}
text.hit {{ fill: var(--hit) }} text.miss {{ fill: var(--miss) }}
</style>
<h1>vesica demo</h1>
<p>{summary} The data is generated: truths, and guesses that are moved, missing, doubled or invented.</p>
<h2>Truths with a guess that reaches a threshold</h2>
<table><tr><th>iou</th><th>truths</th><th>share</th></tr>{rows}</table>
<h2>Best iou of each truth</h2>{bars}
<h2>The first images</h2><p>Truths solid; guesses dashed, with their best iou: green from 0.5 on, orange below.</p>
<div class="grid">{pictures}</div></html>
"""
