"""A real browser, and one report of each kind to look at."""

import os
import shutil
from pathlib import Path

import pytest

from browser.kinds import KINDS
from browser.looking import Looking

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
REQUIRED = os.environ.get("VESICA_BROWSER") == "required"


def _lacking(reason):
    if REQUIRED:
        pytest.fail(f"VESICA_BROWSER=required, and {reason}", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def chromium():
    """A browser that is started once, and closed before other tests need the memory."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _lacking("playwright is not installed: pip install playwright")
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        _lacking(f"no browser is there: none of {', '.join(NAMES)}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def reports(tmp_path_factory):
    """By its kind the report that was asked for, written once."""
    made = {}

    def report(kind):
        if kind not in made:
            pytest.importorskip("matplotlib")
            folder: Path = tmp_path_factory.mktemp(kind)
            made[kind] = KINDS[kind](folder)
        return made[kind]

    return report


@pytest.fixture(scope="module")
def still(chromium, reports):
    """The report of a kind, opened once for tests that leave its file alone; each finds it as it was opened."""
    opened = {}

    def open_once(kind):
        for other in [one for one in opened if one != kind]:
            opened.pop(other).context.close()  # a large page takes hundreds of megabytes
        if kind not in opened:
            opened[kind] = Looking(chromium, reports(kind))
        opened[kind].reset()
        return opened[kind]

    yield open_once
    for one in opened.values():
        one.context.close()


@pytest.fixture
def look(chromium, reports):
    """Opens the report of a kind; whatever it asks of the network or complains of is written down."""
    opened = []

    def open_report(kind, **options):
        made = reports(kind)
        looking = Looking(chromium, made, **options)
        opened.append(looking)
        return looking

    yield open_report
    for one in opened:
        one.context.close()
