"""Draws the pictures of README from the demo: python docs/demo_pictures.py [FOLDER of a demo].

Needs Pillow and matplotlib, and for the pages of the report Playwright and a Chromium (CHROMIUM=/path/to/it).
"""

import io
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from vesica import plot, read
from vesica.cli import main as vesica

HERE = Path(__file__).parent
LARGEST = 150_000
SHOWN, FROM_SCORE = "029.png", 0.4
MISSED = "#show/detection/category=bicycle&cause=missed"


def main(folder: Path) -> None:
    overlay(folder)
    pages(folder / "report.html")


def overlay(folder: Path) -> None:
    """One picture with its truths and the guesses of b."""
    truth, guess = read(folder / "truth.json"), read(folder / "b.json")
    number = json.loads((folder / "truth.json").read_text())["images"][int(SHOWN[:3])]["id"]
    own = {side: one.image == one.images.ids.tolist().index(number) for side, one in (("t", truth), ("g", guess))}
    assert truth.xywh is not None
    assert guess.xywh is not None
    assert guess.score is not None
    own["g"] &= guess.score >= FROM_SCORE
    names = {one["id"]: one["name"] for one in json.loads((folder / "truth.json").read_text())["categories"]}
    labels = [
        [names[int(side.categories.ids[k])] for k in side.category[rows].tolist()]
        for side, rows in ((truth, own["t"]), (guess, own["g"]))
    ]
    boxes = [_corners(side.xywh[rows]) for side, rows in ((truth, own["t"]), (guess, own["g"]))]
    photograph = np.asarray(Image.open(folder / "images" / SHOWN))
    ax = plot.regions(photograph, *boxes, scores=guess.score[own["g"]], labels=labels)
    out = io.BytesIO()
    ax.set_axis_off()
    ax.figure.savefig(out, dpi=115, bbox_inches="tight", pad_inches=0.1)
    save(Image.open(out), "demo_overlay.png")


def _corners(xywh: Any) -> np.ndarray:
    return np.hstack([xywh[:, :2], xywh[:, :2] + xywh[:, 2:]])


def pages(report: Path) -> None:
    """The top of the report, and what a click on a bar leads to."""
    from playwright.sync_api import sync_playwright

    browser_at = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_at, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 750})
        page.goto(report.resolve().as_uri())
        page.wait_for_timeout(500)
        save(Image.open(io.BytesIO(page.screenshot())), "demo_report.png")
        page.goto(report.resolve().as_uri() + MISSED)
        page.wait_for_timeout(1000)
        page.locator("text=Show all").first.evaluate("one => window.scrollBy(0, one.getBoundingClientRect().top - 66)")
        page.wait_for_timeout(300)
        shot = Image.open(io.BytesIO(page.screenshot(clip={"x": 0, "y": 58, "width": 1200, "height": 492})))
        save(shot.resize((900, 369), Image.Resampling.LANCZOS), "demo_gallery.png")
        browser.close()


def save(picture: Image.Image, name: str) -> None:
    """In 256 colours, or in fewer until it is small enough."""
    for colours in (256, 128, 64):
        out = io.BytesIO()
        picture.convert("RGB").quantize(colours, kmeans=3, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
        if len(out.getvalue()) <= LARGEST:
            break
    (HERE / name).write_bytes(out.getvalue())
    print(f"{name}: {picture.width} × {picture.height}, {len(out.getvalue()):,} bytes, {colours} colours")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as place:
            vesica(["demo", "--output", f"{place}/demo"])
            main(Path(place, "demo"))
