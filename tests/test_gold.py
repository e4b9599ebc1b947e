"""What the command line prints is what it printed when somebody last looked at it."""

import sys

import pytest

import gold

pytest.importorskip("PIL")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="paths are written otherwise there")


@pytest.fixture(scope="module", autouse=True)
def world():
    with gold.world():
        yield


@pytest.mark.parametrize("name", gold.wanted())
def test_is_as_accepted(name):
    assert gold.found(name) == (gold.FOLDER / name).read_text("utf-8"), "`make gold` accepts it, after a look"


def test_nothing_is_left_over():
    pytest.importorskip("matplotlib")
    assert {path.name for path in gold.FOLDER.glob("*.txt")} == set(gold.wanted())


def test_versions_are_scrubbed():
    told = [path.read_text("utf-8") for path in gold.FOLDER.glob("*.sarif.txt")]
    assert told and all('"version": "VERSION"' in text for text in told)
