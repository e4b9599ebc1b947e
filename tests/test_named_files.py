"""Pages for those who change the library: every file and folder that they name is there, and every layer."""

import fnmatch
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = ["CONTRIBUTING.md", "docs/design.md", "docs/trust.md", "RELEASING.md"]
FOLDERS = ("src", "csrc", "tests", "docs", "benchmarks", "examples", ".github", ".ci")
BELOW = (path.relative_to(ROOT).as_posix() for one in FOLDERS for path in (ROOT / one).rglob("*"))
PATHS = [*FOLDERS, *(path.name for path in ROOT.glob("*.yml")), *BELOW]
NAME = re.compile(r"`([\w*/.-]+(?:\.(?:py|cpp|hpp|md|yml)|/))`")


def is_there(name):
    """Somewhere: a page names files by the end of their paths."""
    ending = name.rstrip("/")
    return any(fnmatch.fnmatch(path, pattern) for path in PATHS for pattern in (ending, f"*/{ending}"))


@pytest.mark.parametrize("page", PAGES)
def test_is_there(page):
    named = set(NAME.findall((ROOT / page).read_text()))
    made = {name for name in named if name.startswith("build/")}
    assert [name for name in sorted(named - made) if not is_there(name)] == []


def test_one_that_is_not_there():
    assert is_there("detection/records.py") and is_there("_kernels/") and is_there("agreement/*_table.py")
    assert not is_there("detection/recrods.py") and not is_there("ecords.py")


def layers():
    """The layers of import-linter, lowest first, each with its names."""
    told = re.search(
        r'containers = \["vesica"\]\nlayers = \[\n(.+?)\n\]', (ROOT / "pyproject.toml").read_text(), re.DOTALL
    )
    return [re.findall(r"\w+", line) for line in reversed(told[1].splitlines())]


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/design.md"])
def test_layers_are_those_that_are_checked(page):
    place = {name: at for at, names in enumerate(layers()) for name in names}
    (picture,) = re.findall(r"```\n(_lazy .+?)```", (ROOT / page).read_text(), re.DOTALL)
    named = [name for name in re.findall(r"\w+", picture) if name in place]
    assert sorted(named) == sorted(place) and sorted(named, key=place.get) == named
