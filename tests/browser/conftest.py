"""A real browser, and one report of each kind to look at."""

import os
import shutil
from pathlib import Path

import pytest

from browser.kinds import KINDS
from browser.looking import Looking

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
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
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-gpu", "--disable-software-rasterizer"]
        )
        yield browser
        browser.close()


@pytest.fixture(scope="module")
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
def windows(chromium):
    """By whether scripts run in it the window that was asked for, opened once."""
    opened = {}

    def window(has_script=True):
        if has_script not in opened:
            opened[has_script] = Looking(chromium, has_script=has_script)
        return opened[has_script]

    yield window
    for one in opened.values():
        one.context.close()


@pytest.fixture
def look(windows, reports):
    """Opens the report of a kind anew; whatever it asks of the network or complains of is written down."""

    def open_report(kind, *, fragment="", has_script=True):
        looking = windows(has_script)
        looking.open(reports(kind), fragment)
        looking.is_changed = True
        return looking

    return open_report


@pytest.fixture
def read(windows, reports):
    """The report of a kind, opened once for tests that only read it; each finds it as it was opened."""

    def open_once(kind):
        looking, made = windows(), reports(kind)
        if looking.made is not made:
            looking.open(made)
        elif looking.is_changed:
            looking.reset()
        return looking

    return open_once


@pytest.fixture
def still(read):
    """The same for tests that leave the file alone, but not what is shown of it."""

    def open_once(kind):
        looking = read(kind)
        looking.is_changed = True
        return looking

    return open_once
