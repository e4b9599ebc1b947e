"""The documentation site: every page is in the navigation, and nothing of it is fetched from elsewhere."""

import re
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
DRAWN = {"gallery.md"}
"""Pages that are made when the site is built."""


@pytest.fixture(scope="module")
def config():
    return yaml.safe_load((ROOT / "mkdocs.yml").read_text())


def pages(nav):
    for entry in nav:
        for target in [entry] if isinstance(entry, str) else entry.values():
            yield from pages(target) if isinstance(target, list) else [target]


def test_every_page_is_in_the_navigation_once(config):
    found = list(pages(config["nav"]))
    assert len(found) == len({*found})
    assert {*found} - DRAWN == {path.name for path in DOCS.glob("*.md")}


def test_it_is_strict(config):
    assert config["strict"] is True and {*config["validation"].values()} == {"warn"}


def test_nothing_comes_from_elsewhere(config):
    """No fonts, and no address that the theme would ask when a page is read."""
    assert config["theme"]["font"] is False and "repo_url" not in config and "extra_javascript" not in config
    for path in (*DOCS.glob("assets/*"), DOCS / "site_hooks.py"):
        addresses = re.findall(r"https?://[^\s\"')]+", path.read_text())
        assert all(one.startswith(("http://www.w3.org/", "https://github.com/vesica/")) for one in addresses), path
    assert "@import" not in (DOCS / "assets" / "site.css").read_text()


def test_gallery_names_every_part():
    """What the lines of the gallery speak of is what its page explains, or stands for itself."""
    from gold_pictures import gallery

    pytest.importorskip("matplotlib")
    parts = {example.part for example in gallery().GALLERY.values()}
    assert parts == {"Regions", "Detection", "Segmentation", "Agreement", "Comparison", "Data"}
