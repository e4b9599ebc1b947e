"""The report of 5,000 images and 180 thousand detections: how long it takes, how large it is, how fast a browser is.

From two files to the page in whole processes, with photographs; then the page in headless Chromium: until something is
painted, and from a click on a cell of the confusion matrix until the gallery shows its objects. No peer writes such a
page, so the bars are in seconds and bytes.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases_detection import BOXES, folder
from benchmarks.clock import Pace, Spread
from benchmarks.lap import Laps, run
from benchmarks.machine import cores
from benchmarks.report import Bar, Report, aligned, quartiles, seconds

MIDDLE = BOXES[1]
LAPS, OPENINGS, CLICKS = 3, 5, 40
WRITTEN, LARGEST, PAINTED, CLICKED = 8.0, 10.0, 1.0, 100.0
"""Bars: seconds, MB, seconds, milliseconds."""
PHOTOGRAPHS = 8
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def bench(pace: Pace) -> Report:
    report = Report("report")
    folder()  # the files are made before anything is timed
    with tempfile.TemporaryDirectory() as place:
        page = Path(place) / "report.html"
        _photographs(Path(place))
        threads = min(2, cores())
        words = [sys.executable, "-c", _CODE, *map(str, MIDDLE.paths()), place, str(page)]
        laps = Laps([run(words, threads)[0] for _ in range(LAPS * pace.rounds)])
        whole = laps.spread("wall")
        assert whole is not None
        size = page.stat().st_size / 1e6
        text = f"{MIDDLE.name}, from files to the page, {threads} threads, whole process"
        bar = {"more_is_better": False, "is_disturbed": laps.is_disturbed}
        report.bars.append(Bar(text, whole.median, WRITTEN, unit=" s", **bar))
        report.bars.append(Bar(f"{MIDDLE.name}, the page", size, LARGEST, more_is_better=False, unit=" MB"))
        report.rows.append(
            {"bench": "report", "case": "written", "time": asdict(whole), "threads": threads, "MB": size}
        )
        rows = [("written", seconds(whole.median), quartiles(whole))]
        rows += _in_browser(report, page)
    report.tables.append(aligned(("what", "median", "quartiles"), rows))
    report.tables.append(f"{size:.2f} MB")
    return report


def _in_browser(report: Report, page: Path) -> list[tuple[str, str, str]]:
    """First paint and clicks; where there is no browser, bars that say so."""
    bars = (("first paint", PAINTED, 1.0, " s"), ("a click on a cell of the confusion matrix", CLICKED, 1e3, " ms"))
    try:
        spreads = [Spread.of(values) for values in _measured(page)]
    except (ImportError, FileNotFoundError) as error:
        report.bars += [
            Bar(text, None, limit, more_is_better=False, unit=unit, why=str(error)) for text, limit, _, unit in bars
        ]
        return []
    for (text, limit, scale, unit), spread in zip(bars, spreads, strict=True):
        report.bars.append(Bar(text, spread.median * scale, limit, more_is_better=False, unit=unit))
        report.rows.append({"bench": "report", "case": text, "time": asdict(spread)})
    return [(text, seconds(one.median), quartiles(one)) for (text, *_), one in zip(bars, spreads, strict=True)]


def _measured(page: Path) -> tuple[list[float], list[float]]:
    """Seconds until the first paint, in fresh contexts, and seconds from clicks to what they show."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        raise FileNotFoundError("no browser is there")
    painted: list[float] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for _ in range(OPENINGS):
            context: Any = browser.new_context(viewport={"width": 1280, "height": 900})
            tab = context.new_page()
            tab.goto(page.as_uri())
            tab.wait_for_function("performance.getEntriesByName('first-contentful-paint').length > 0")
            painted.append(tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime") / 1e3)
        cells = tab.evaluate("[...document.querySelectorAll('[id*=\"confusion-row-cell-\"]')].map((one) => one.id)")
        rng = np.random.default_rng(0)
        clicked = [tab.evaluate(_CLICK, cells[place]) / 1e3 for place in rng.integers(0, len(cells), CLICKS)]
        browser.close()
    return painted, clicked


_CODE = """
import os, sys
import vesica

truth, guess, folder, out = sys.argv[1:]
pictures = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".jpg"))
result = vesica.evaluate(truth, guess)
result.report(out, images=lambda name: pictures[sum(name.encode()) % len(pictures)], files=(truth, guess))
"""

# From the click until the gallery was filtered, laid out and painted.
_CLICK = """async (id) => {
    history.replaceState(null, '', '#gallery');
    dispatchEvent(new HashChangeEvent('hashchange'));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    const seen = new Promise((done) => {
        addEventListener('hashchange', () => requestAnimationFrame(() => setTimeout(done, 0)), { once: true });
    });
    const start = performance.now();
    document.getElementById(id).dispatchEvent(new MouseEvent('click', { bubbles: true }));
    await seen;
    return performance.now() - start;
}"""


def _photographs(place: Path) -> None:
    """A few pictures of the usual size, with as much in them as photographs have."""
    from PIL import Image

    rng = np.random.default_rng(0)
    for number in range(PHOTOGRAPHS):
        coarse = rng.integers(0, 256, (30, 40, 3), np.uint8)
        large = np.asarray(Image.fromarray(coarse).resize((640, 480), Image.Resampling.BICUBIC), np.int16)
        noisy = np.clip(large + rng.normal(0, 8, large.shape), 0, 255).astype(np.uint8)
        Image.fromarray(noisy).save(place / f"{number}.jpg", quality=90)
